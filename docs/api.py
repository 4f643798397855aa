"""The pages of the API reference: what each package offers by name, from its docstrings.

A package's page has every name of its `__all__`: classes with their public methods, functions, and the tables by which
recipes name parts. A wrapper has a page of its own, to which the page of the wrappers leads.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Iterator, Mapping
from types import FunctionType, MemberDescriptorType, ModuleType
from typing import Any

from docs import docstring
from docs.docstring import fenced, table

PACKAGES = (
    *("core", "wrappers", "vector", "agents", "rollout", "conformance"),
    *("evaluate", "train", "serve", "report", "reproduce"),
)
WIDTH = 100  # characters of a signature on one line


def page(package: str) -> str:
    """The Markdown of a package's page.

    Args:
        package: Its name below `agentgym`, one of `PACKAGES`.
    """
    module = importlib.import_module(f"agentgym.{package}")
    parts = [f"# agentgym.{package}", docstring.markdown(docstring.lead(module))]
    if package == "wrappers":
        rows = [(f"[{name}](../wrappers/{name.lower()}.md)", _summary(module, name)) for name in module.__all__]
        return "\n\n".join([*parts, table(("wrapper", ""), rows)]) + "\n"
    rows = [(f"[`{name}`](#{name.lower()})", _summary(module, name)) for name in module.__all__]
    parts.append(table(("name", ""), rows))
    for name in module.__all__:
        parts += [f"## {name}", *_entry(name, getattr(module, name))]
    return "\n\n".join(part for part in parts if part) + "\n"


def _summary(module: ModuleType, name: str) -> str:
    """What a table of contents says of a name: the first sentence of its docstring."""
    thing = getattr(module, name)
    if isinstance(thing, ModuleType):
        return docstring.lead(thing).partition(". ")[0].rstrip(".:")
    if not isinstance(thing, (type, FunctionType)):
        return _kind(thing)
    return docstring.read(thing).summary.partition(". ")[0].rstrip(".:")


def _kind(thing: object) -> str:
    return f"table of {len(thing)} names" if isinstance(thing, Mapping) else "constant"


def _entry(name: str, thing: Any) -> Iterator[str]:
    """The parts of what is said about one name."""
    if isinstance(thing, type):
        yield fenced(f"class {signature(name, thing)}", "python")
        yield from described(thing)
        for method, member in members(thing):
            yield f"### {name}.{method}"
            if isinstance(member, property):
                yield fenced(f"{method}{_returned(member.fget).replace(' -> ', ': ')}", "python")
            else:
                yield fenced(signature(method, member), "python")
            yield from described(getattr(thing, method))
    elif isinstance(thing, FunctionType):
        yield fenced(signature(name, thing), "python")
        yield from described(thing)
    elif isinstance(thing, ModuleType):
        yield docstring.markdown(docstring.lead(thing))
        for function, each in vars(thing).items():
            own = isinstance(each, FunctionType) and each.__module__ == thing.__name__
            if own and not function.startswith("_"):
                yield f"### {name}.{function}"
                yield from _entry(f"{name}.{function}", each)
    elif isinstance(thing, Mapping):
        rows = [(f"`{key}`", _described_value(value)) for key, value in thing.items()]
        yield table(("name", ""), rows)
    else:
        yield fenced(f"{name} = {thing!r}".replace("typing.", ""), "python")


def _described_value(value: object) -> str:
    if isinstance(value, (type, FunctionType)):
        return docstring.read(value).summary
    return str(getattr(value, "description", "")) or f"`{value!r}`"


def described(thing: object) -> Iterator[str]:
    """The docstring of a class or function: text, then tables of arguments, attributes and errors.

    A dataclass that says nothing of its own has no text.
    """
    text = inspect.getdoc(thing) or ""
    if not text or (dataclasses.is_dataclass(thing) and text.startswith(f"{thing.__name__}(")):  # type: ignore[union-attr]
        return
    said = docstring.read(thing)
    sections = dict(said.sections)
    yield said.summary
    yield sections.pop("", "")
    if said.arguments:
        yield table(("argument", "meaning"), _rows(said.arguments))
    if said.attributes:
        yield table(("attribute", "meaning"), _rows(said.attributes))
    if said.errors:
        yield table(("raises", ""), _rows(said.errors))
    for heading, words in sections.items():
        yield f"**{heading}.** {words}"
    if said.example:
        yield fenced(said.example, "pycon")


def _rows(meanings: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(", ".join(f"`{name}`" for name in names.split(", ")), meaning) for names, meaning in meanings.items()]


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """Documented public methods and properties of a class, its own and those of bases in this project, by name."""
    found: dict[str, Any] = {}
    for owner in reversed(kind.__mro__):
        if owner.__module__.startswith("agentgym."):
            found |= vars(owner)
    for name, member in sorted(found.items()):
        if name.startswith("_") or isinstance(member, MemberDescriptorType):
            continue
        inner = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        if isinstance(inner, (FunctionType, property)) and inspect.getdoc(inner):
            yield name, inner


def signature(name: str, thing: Any) -> str:
    """A call as it is written in Python, on one line or with a line for each parameter.

    Args:
        name: What is called.
        thing: The class or function.
    """
    try:
        shape = inspect.signature(thing)
    except ValueError:  # a class in C, or one made by a metaclass
        return name
    words, star = [], False
    for parameter in shape.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            star = True
        elif parameter.kind is parameter.KEYWORD_ONLY and not star:
            words.append("*")
            star = True
        words.append(_parameter(parameter))
    end = _returned(thing) if isinstance(thing, FunctionType) else ""
    short = f"{name}({', '.join(words)}){end}"
    return short if len(short) <= WIDTH else "\n".join([f"{name}(", *(f"    {word}," for word in words), f"){end}"])


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    typed = "" if parameter.annotation is parameter.empty else f": {_annotation(parameter.annotation)}"
    if parameter.default is parameter.empty:
        return f"{stars}{parameter.name}{typed}"
    shown = repr(parameter.default)
    default = "..." if " at 0x" in shown or shown == "<factory>" else shown
    return f"{parameter.name}{typed} = {default}" if typed else f"{parameter.name}={default}"


def _returned(function: Any) -> str:
    given = inspect.signature(function).return_annotation
    return "" if given is inspect.Signature.empty else f" -> {_annotation(given)}"


def _annotation(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
