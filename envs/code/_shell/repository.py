"""Git repositories: a writer of loose objects, what a repository comes to, and an index without the machine in it."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agentgym.envs._kit.sandbox import FOLDER, Entry
from agentgym.envs.code._shell.stored import MOST, zlibbed

CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"
SIGNATURE, FIXED, SUM = b"DIRC", 62, 20  # of an index: its first bytes, an entry without its path, the checksum
MOST_COMMITS = 200
LEAST = 256  # bytes that reading an object counts for, however small it is


@dataclass(frozen=True)
class Commit:
    """A commit.

    Attributes:
        id: Of the commit.
        files: Content by path.
        parents: Ids.
        author: A first name.
        subject: The message.
    """

    id: str
    files: Mapping[str, bytes]
    parents: tuple[str, ...]
    author: str
    subject: str


@dataclass
class Repository:
    """A repository as it is made.

    Attributes:
        commits: By id, in order.
        refs: Id by name, such as `refs/heads/main`.
        branch: Which is checked out.
        objects: Stored bytes by id.
    """

    commits: dict[str, Commit] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    branch: str = "main"
    objects: dict[str, bytes] = field(default_factory=dict)

    def _put(self, kind: str, data: bytes) -> str:
        whole = b"%s %d\0" % (kind.encode(), len(data)) + data
        name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        self.objects[name] = zlibbed(whole)
        return name

    def _tree(self, files: Mapping[str, bytes]) -> str:
        folders: dict[str, dict[str, bytes]] = {}
        rows = []
        for path, data in files.items():
            first, _, rest = path.partition("/")
            if rest:
                folders.setdefault(first, {})[rest] = data
            else:
                rows.append((first, b"100644 " + first.encode() + b"\0" + bytes.fromhex(self._put("blob", data))))
        for name, inner in folders.items():
            rows.append((name + "/", b"40000 " + name.encode() + b"\0" + bytes.fromhex(self._tree(inner))))
        return self._put("tree", b"".join(row for _, row in sorted(rows)))

    def commit(self, branch: str, files: Mapping[str, bytes], author: str, subject: str, when: int) -> Commit:
        """A commit on a branch, whose last one is its parent.

        Args:
            branch: Its name.
            files: Content by path.
            author: A first name.
            subject: The message.
            when: Time in seconds.
        """
        name = f"refs/heads/{branch}"
        parents = (self.refs[name],) if name in self.refs else ()
        who = f"{author.capitalize()} <{author}@example.org> {when} +0000"
        lines = [f"tree {self._tree(files)}", *(f"parent {each}" for each in parents), f"author {who}"]
        text = "\n".join([*lines, f"committer {who}", "", subject, ""])
        made = Commit(self._put("commit", text.encode()), dict(files), parents, author, subject)
        self.commits[made.id] = made
        self.refs[name] = made.id
        return made

    def tip(self, branch: str) -> Commit:
        """The last commit of a branch."""
        return self.commits[self.refs[f"refs/heads/{branch}"]]

    def history(self, branch: str) -> list[Commit]:
        """The commits of a branch, the last one first; none here has two parents."""
        found = [self.tip(branch)]
        while found[-1].parents:
            found.append(self.commits[found[-1].parents[0]])
        return found

    def written(self) -> dict[str, Entry]:
        """The files of `.git`, by path below it, and the checked-out ones beside them as `../path`."""
        made = {
            "HEAD": Entry(f"ref: refs/heads/{self.branch}\n".encode()), "config": Entry(CONFIG),
            "objects": Entry(b"", FOLDER, 0o755), "refs": Entry(b"", FOLDER, 0o755),
            "index": Entry(_index(self.tip(self.branch).files)),
        }  # fmt: skip
        made |= {name: Entry(f"{commit}\n".encode()) for name, commit in self.refs.items()}
        made |= {f"objects/{name[:2]}/{name[2:]}": Entry(data, mode=0o444) for name, data in self.objects.items()}
        return made | {f"../{path}": Entry(data) for path, data in self.tip(self.branch).files.items()}


def blob_id(data: bytes) -> str:
    """The id of a file's content."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _index(files: Mapping[str, bytes]) -> bytes:
    """An index of files, with nothing of a machine in it."""
    made = SIGNATURE + struct.pack(">II", 2, len(files))
    for path, data in sorted(files.items()):
        row = struct.pack(">24xI12x", 0o100644) + bytes.fromhex(blob_id(data)) + struct.pack(">H", len(path))
        row += path.encode()
        made += row + b"\0" * (8 - len(row) % 8)
    return made + hashlib.sha1(made, usedforsecurity=False).digest()


def _index_rows(data: bytes) -> list[tuple[int, int]] | None:
    """Where each entry of an index stands, and where its path ends; None if it is none that can be read."""
    if data[:4] != SIGNATURE or len(data) < 12 + SUM:
        return None
    version, count = struct.unpack(">II", data[4:12])
    if version not in (2, 3) or count > len(data) // FIXED:
        return None
    rows, at = [], 12
    for _ in range(count):
        more = 2 if version == 3 and data[at + 60 : at + 61] and data[at + 60] & 0x40 else 0
        end = data.find(b"\0", at + FIXED + more)
        if end < 0:
            return None
        rows.append((at, end))
        at += (end - at) // 8 * 8 + 8
    return rows


def plain_index(data: bytes) -> bytes:
    """An index without times, numbers of files and users, and sizes, so that equal commands give equal bytes.

    Git then looks into the files again, and finds what it knew. What is no index stays as it is.
    """
    rows = _index_rows(data)
    if rows is None:
        return data
    made = bytearray(data[:-SUM])
    for at, _ in rows:
        made[at : at + 24] = bytes(24)
        made[at + 28 : at + 40] = bytes(12)
    return bytes(made) + hashlib.sha1(made, usedforsecurity=False).digest()


class Reader:
    """Reads a repository that a player has left; its objects are loose.

    Args:
        files: The home.
        place: Path of the folder `.git`.
    """

    def __init__(self, files: Mapping[str, Entry], place: str) -> None:
        self.files, self.place = files, place
        self._left = MOST  # bytes that may still be read: trees and commits may name one another over and over

    def text(self, name: str) -> str:
        """A small file, or an empty text."""
        entry = self.files.get(f"{self.place}/{name}")
        return entry.data.decode("utf8", "replace") if entry else ""

    def body(self, name: str) -> bytes:
        """What an object holds.

        Raises:
            LookupError: if it is not there, is none, or too much was read.
        """
        entry = self.files.get(f"{self.place}/objects/{name[:2]}/{name[2:]}")
        if entry is None:
            raise LookupError(name)
        try:
            found = zlib.decompressobj().decompress(entry.data, MOST)
        except zlib.error as error:
            raise LookupError(name) from error
        self._left -= len(found) + LEAST
        if self._left < 0:
            raise LookupError("more than may be read")
        return found.partition(b"\0")[2]

    def tree(self, name: str, prefix: str = "", depth: int = 0) -> dict[str, str]:
        """Ids of the files of a tree, by path.

        Args:
            name: Of the tree.
            prefix: Path of what it is the tree of.
            depth: How deep it stands.

        Raises:
            LookupError: if something of it is missing.
        """
        data = self.body(name)
        found: dict[str, Any] = {}
        while data and depth < 40:
            head, _, rest = data.partition(b"\0")
            mode, _, path = head.decode("utf8", "replace").partition(" ")
            inner, data = rest[:20].hex(), rest[20:]
            if mode == "40000":
                found |= self.tree(inner, f"{prefix}{path}/", depth + 1)
            else:
                found[f"{prefix}{path}"] = f"{mode} {inner}"
        return found

    def refs(self) -> dict[str, str]:
        """Id by name, of all branches and tags."""
        packed = [line.split() for line in self.text("packed-refs").splitlines() if line[:1] not in ("#", "^")]
        found = {words[1]: words[0] for words in packed if len(words) == 2}
        start = f"{self.place}/refs/"
        for path, entry in self.files.items():
            if path.startswith(start) and entry.kind != FOLDER:
                found[path.removeprefix(self.place + "/")] = entry.data.decode("utf8", "replace").strip()
        return {name: each for name, each in found.items() if not name.startswith("refs/stash")}

    def commit(self, name: str, known: Mapping[str, Any], depth: int = 0) -> Any:
        """What a commit comes to: its id if it is known, otherwise its files, its parents and its message.

        Args:
            name: Its id.
            known: Ids of commits that were there before.
            depth: How many new ones came before it.

        Raises:
            LookupError: if something of it is missing.
        """
        if name in known or depth > MOST_COMMITS:
            return name
        head, _, message = self.body(name).decode("utf8", "replace").partition("\n\n")
        lines = [line.partition(" ") for line in head.splitlines()]
        if not lines or lines[0][0] != "tree":  # an annotated tag
            return self.commit(lines[0][2], known, depth + 1) if lines and lines[0][0] == "object" else name
        parents = [self.commit(each, known, depth + 1) for word, _, each in lines if word == "parent"]
        return [self.tree(lines[0][2]), parents, message.strip()]

    def index(self) -> dict[str, str]:
        """Mode and id of each file in the index, by path."""
        entry = self.files.get(f"{self.place}/index")
        rows = _index_rows(entry.data) if entry else None
        found: dict[str, str] = {}
        for at, end in rows or ():
            data = entry.data if entry else b""
            mode, flags = struct.unpack(">I", data[at + 24 : at + 28])[0], data[at + 60]
            path = data[at + FIXED + (2 if flags & 0x40 else 0) : end].decode("utf8", "replace")
            found[path] = f"{mode:o} {data[at + 40 : at + 60].hex()} {flags >> 4 & 3}"
        return found


def described(files: Mapping[str, Entry], place: str, known: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a repository comes to, apart from how it is kept; None if it cannot be read.

    Args:
        files: The home.
        place: Path of the folder `.git`.
        known: Ids of commits that were there before.
    """
    reader = Reader(files, place)
    try:
        refs = {name: reader.commit(each, known) for name, each in reader.refs().items()}
    except (LookupError, ValueError, RecursionError):
        return None
    return {"head": reader.text("HEAD").strip(), "refs": refs, "index": reader.index(), "config": reader.text("config")}
