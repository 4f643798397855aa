"""Changes compiled Java classes: methods are written into them, or remember what they returned.

Chapter 4 of the Java Virtual Machine Specification describes the format. Methods are given as code without jumps, so
they need no table of stack frames.
"""

from __future__ import annotations

import struct

CONSTANT_SIZES = {
    3: 4,
    4: 4,
    5: 8,
    6: 8,
    7: 2,
    8: 2,
    9: 4,
    10: 4,
    11: 4,
    12: 4,
    15: 3,
    16: 2,
    17: 4,
    18: 4,
    19: 2,
    20: 2,
}
TEXT, CLASS, FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE = 1, 7, 9, 10, 11, 12  # tags of constants
WIDE = (5, 6)  # tags of constants that take two places
PUBLIC, STATIC = 1, 8
PLAIN, MEMORY, ASK, RECALL = "$plain", "$memory", "$ask", "$recall"  # what the parts of a remembering method end on
LOAD = (b"\x2a", b"\x2b", b"\x2c")  # this, the first and the second parameter
MAP, FUNCTION, LIST = "java/util/Map", "java/util/function/Function", "java/util/List"
OBJECT = "Ljava/lang/Object;"


class ClassFile:
    """A compiled class that is being changed.

    Args:
        data: Its bytes.
    """

    def __init__(self, data: bytes):
        self._data = data
        (self._count,) = struct.unpack_from(">H", data, 8)
        self._texts: dict[int, str] = {}
        place, position = 1, 10
        while place < self._count:
            tag = data[position]
            size = CONSTANT_SIZES.get(tag, 0)
            if tag == TEXT:
                size = 2 + struct.unpack_from(">H", data, position + 1)[0]
                self._texts[place] = data[position + 3 : position + 1 + size].decode("utf8", "replace")
            position += 1 + size
            place += 2 if tag in WIDE else 1
        self._end = position
        self._added = b""
        (self.this,) = struct.unpack_from(">H", data, position + 2)
        position += 8 + 2 * struct.unpack_from(">H", data, position + 6)[0]  # after the interfaces
        self._fields_begin = position
        self._fields, position = self._members(position)
        self._methods, self._tail = self._members(position)

    def _members(self, position: int) -> tuple[list[bytes], int]:
        """Fields or methods as they stand in the file, and where the bytes after them begin."""
        (count,) = struct.unpack_from(">H", self._data, position)
        position += 2
        found = []
        for _ in range(count):
            begin = position
            (attributes,) = struct.unpack_from(">H", self._data, position + 6)
            position += 8
            for _ in range(attributes):
                position += 6 + struct.unpack_from(">I", self._data, position + 2)[0]
            found.append(self._data[begin:position])
        return found, position

    def _constant(self, tag: int, *places: int) -> int:
        self._added += struct.pack(">B", tag) + struct.pack(f">{len(places)}H", *places)
        self._count += 1
        return self._count - 1

    def _text(self, words: str) -> int:
        self._added += struct.pack(">BH", TEXT, len(words)) + words.encode()
        self._count += 1
        return self._count - 1

    def type(self, name: str) -> int:
        """The place of a new constant that names a class.

        Args:
            name: With slashes.
        """
        return self._constant(CLASS, self._text(name))

    def member(self, owner: int, name: str, kind: str, tag: int = METHOD) -> int:
        """The place of a new constant that names a method or a field.

        Args:
            owner: The place of its class.
            name: Its name.
            kind: Its type as a descriptor; of a method its parameters and result.
            tag: `METHOD`, `INTERFACE_METHOD` or `FIELD`.
        """
        return self._constant(tag, owner, self._constant(NAME_AND_TYPE, self._text(name), self._text(kind)))

    def add_field(self, name: str, kind: str) -> None:
        """Add a public static field.

        Args:
            name: Its name.
            kind: Its type as a descriptor.
        """
        self._fields.append(struct.pack(">4H", PUBLIC | STATIC, self._text(name), self._text(kind), 0))

    def add_method(self, name: str, kind: str, code: bytes, stack: int, variables: int = 1) -> None:
        """Add a public method, in the place of one with its name and kind if there is one.

        Args:
            name: Its name.
            kind: Its parameters and result, as a descriptor.
            code: What it does, without jumps.
            stack: The most values that it holds at once; a long one counts twice.
            variables: `this` and its parameters.
        """
        self._methods = [each for each in self._methods if self._named(each) != (name, kind)]
        places = self._text(name), self._text(kind)
        code_name = self._text("Code")
        body = struct.pack(">HHI", stack, variables, len(code)) + code + struct.pack(">HH", 0, 0)
        self._methods.append(struct.pack(">HHHHHI", PUBLIC, *places, 1, code_name, len(body)) + body)

    def rename(self, name: str, kind: str, new: str) -> None:
        """Give a method another name.

        Args:
            name: Its name.
            kind: Its parameters and result, as a descriptor.
            new: The other name.

        Raises:
            LookupError: if the class has no such method.
        """
        for place, each in enumerate(self._methods):
            if self._named(each) == (name, kind):
                self._methods[place] = each[:2] + struct.pack(">H", self._text(new)) + each[4:]
                return
        raise LookupError(f"the class has no method {name}{kind}")

    def _named(self, member: bytes) -> tuple[str | None, str | None]:
        """Name and kind of a method that the file brought; of another one nothing."""
        name, kind = struct.unpack_from(">HH", member, 2)
        return self._texts.get(name), self._texts.get(kind)

    def to_bytes(self) -> bytes:
        """The class as a file."""
        head = self._data[:8] + struct.pack(">H", self._count) + self._data[10 : self._end] + self._added
        parts = [head, self._data[self._end : self._fields_begin]]
        for members in (self._fields, self._methods):
            parts += [struct.pack(">H", len(members)), *members]
        return b"".join([*parts, self._data[self._tail :]])


def with_hash_code(data: bytes, getter: str) -> bytes:
    """A class with a method `hashCode` that returns the lower half of a number of the object.

    Args:
        data: The class file.
        getter: Its method without parameters that returns the number, a `long`.
    """
    file = ClassFile(data)
    number = struct.pack(">H", file.member(file.this, getter, "()J"))
    file.add_method("hashCode", "()I", b"\x2a\xb6" + number + b"\x88\xac", stack=2)  # int(this.getter())
    return file.to_bytes()


def with_fixed_seed(data: bytes) -> bytes:
    """Scala's class of random generators, in which one made without a seed has the seed 0 and not the time.

    Args:
        data: The file of `scala/util/Random.class`.
    """
    file = ClassFile(data)
    source = file.type("java/util/Random")
    seeded = struct.pack(">H", file.member(source, "<init>", "(J)V"))
    own = struct.pack(">H", file.member(file.this, "<init>", "(Ljava/util/Random;)V"))
    new = b"\x2a\xbb" + struct.pack(">H", source) + b"\x59\x09\xb7" + seeded  # this, new java.util.Random(0L)
    file.add_method("<init>", "()V", new + b"\xb7" + own + b"\xb1", stack=5)
    return file.to_bytes()


def with_memory(data: bytes, name: str, parameters: tuple[str, ...], result: str) -> bytes:
    """A class with a method that looks up what it returned, in `name$memory`, a map that somebody else clears.

    What is not there is asked of `name$ask`, a function that is to call `name$recall`; both fields are static and have
    to be set. The method returned the same object each time, so callers must leave it as it is.

    Args:
        data: The class file.
        name: The method, which is not static.
        parameters: The classes of its one or two parameters, with slashes.
        result: The class of its result, with slashes, or the descriptor of an array.
    """
    file = ClassFile(data)
    kind = f"({''.join(f'L{each};' for each in parameters)}){result if result[0] == '[' else f'L{result};'}"
    file.rename(name, kind, name + PLAIN)
    file.add_field(name + MEMORY, f"L{MAP};")
    file.add_field(name + ASK, f"L{FUNCTION};")

    def place(number: int) -> bytes:
        return struct.pack(">H", number)

    memory = place(file.member(file.this, name + MEMORY, f"L{MAP};", FIELD))
    ask = place(file.member(file.this, name + ASK, f"L{FUNCTION};", FIELD))
    look_up = place(file.member(file.type(MAP), "computeIfAbsent", f"({OBJECT}L{FUNCTION};){OBJECT}", INTERFACE_METHOD))
    cast = b"\xc0" + place(file.type(result))
    several = len(parameters) > 1
    pack, unpack = b"", [LOAD[1]]
    if several:
        listing = file.type(LIST)
        pack = b"\xb8" + place(file.member(listing, "of", f"({OBJECT}{OBJECT})L{LIST};", INTERFACE_METHOD))
        get = b"\xb9" + place(file.member(listing, "get", f"(I){OBJECT}", INTERFACE_METHOD)) + b"\x02\x00"
        as_list = LOAD[1] + b"\xc0" + place(listing)
        unpack = [as_list + b"\x03" + get, as_list + b"\x04" + get]
    key = b"".join(LOAD[1 : 1 + len(parameters)]) + pack
    code = b"\xb2" + memory + key + b"\xb2" + ask + b"\xb9" + look_up + b"\x03\x00" + cast + b"\xb0"
    file.add_method(name, kind, code, stack=3, variables=1 + len(parameters))
    given = b"".join(each + b"\xc0" + place(file.type(of)) for each, of in zip(unpack, parameters, strict=True))
    plain = place(file.member(file.this, name + PLAIN, kind))
    file.add_method(name + RECALL, f"({OBJECT}){OBJECT}", LOAD[0] + given + b"\xb6" + plain + b"\xb0", 4, 2)
    return file.to_bytes()


def with_clearing(data: bytes, name: str, kind: str, parameters: int, memory: tuple[str, str]) -> bytes:
    """A class with a method that first clears a memory that `with_memory` made.

    Args:
        data: The class file.
        name: The method, which is not static and returns an object.
        kind: Its parameters, all objects, and its result, as a descriptor.
        parameters: How many it has.
        memory: The class of the remembering method, with slashes, and its name.
    """
    file = ClassFile(data)
    file.rename(name, kind, name + PLAIN)
    owner, method = memory
    field = struct.pack(">H", file.member(file.type(owner), method + MEMORY, f"L{MAP};", FIELD))
    clear = struct.pack(">H", file.member(file.type(MAP), "clear", "()V", INTERFACE_METHOD))
    plain = struct.pack(">H", file.member(file.this, name + PLAIN, kind))
    given = b"".join(b"\x19" + bytes([place]) for place in range(parameters + 1))
    code = b"\xb2" + field + b"\xb9" + clear + b"\x01\x00" + given + b"\xb6" + plain + b"\xb0"
    file.add_method(name, kind, code, stack=parameters + 1, variables=parameters + 1)
    return file.to_bytes()
