"""Public docstrings of this project as Markdown: a summary, titled sections, tables of arguments, an example."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

NAME = r"[A-Z][a-z]+(?: [a-z]+| `[^`]+`){0,4}(?: and [A-Z][a-z]+)?(?: \(`[^)]*\))?"
TITLE = re.compile(
    rf"(?:({NAME}):|\*\*({NAME}(?:, [a-z]+)*)\.\*\*)(?: +|\n|$)"
)  # `Reward: 1 at the goal`, `**Reward.** 1 at the goal`
KNOWN = ("Description", "Observation", "Actions", "Changes", "Reward", "Splits", "Oracle", "Expert", "Opponents")
LISTS = ("Args", "Attributes", "Raises", "Returns", "Source")
TABLES = {"Args": "arguments", "Attributes": "attributes", "Raises": "errors"}
ENTRY = re.compile(r"(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*): *(.*)", re.DOTALL)
CODE = re.compile(r"(``.+?``|`[^`]+`)", re.DOTALL)


@dataclass
class Docstring:
    """A docstring, taken apart.

    Attributes:
        summary: Its first sentences.
        sections: Title and Markdown of each further part, in their order; those without a title follow the summary.
        arguments: Name to meaning of each argument.
        attributes: Name to meaning of each attribute.
        errors: Name of an error to when it is raised.
        example: Lines of a Python session, or nothing.
    """

    summary: str
    sections: dict[str, str] = field(default_factory=dict)
    arguments: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    example: str = ""


def read(documented: object) -> Docstring:
    """The docstring of a class or function, taken apart.

    Raises:
        ValueError: if it has none.
    """
    text = inspect.getdoc(documented)
    if not text:
        raise ValueError(f"{documented} has no docstring; write one, its page is made of it")
    text, _, session = text.partition("\n>>> ")
    found = Docstring("", example=f">>> {session}".strip() if session else "")
    title, blocks = "", {"": list[str]()}
    for paragraph in re.split(r"\n\s*\n", text):
        for part in _parts(paragraph):
            named = TITLE.match(part)
            if named and any(blocks.values()):  # a docstring begins with its summary
                title, part = named[1] or named[2], part[named.end() :]
                part = re.sub(r"^[a-z](?=[a-z]*\b(?!_))", lambda letter: letter[0].upper(), part)
                blocks.setdefault(title, [])
            if part.strip():
                blocks[title].append(part)
    lead = blocks.pop("")
    found.summary = markdown(lead[0])
    if lead[1:]:
        found.sections[""] = _together(lead[1:])
    for title, parts in blocks.items():
        if title in TABLES:
            setattr(found, TABLES[title], _entries(title, "\n".join(parts)))
        else:
            found.sections[title] = _together(_dedented(title, parts))
    return found


def _parts(paragraph: str) -> Iterable[str]:
    """A paragraph cut before each line that begins with a section's title known to follow another without a gap."""
    starts = "|".join((*KNOWN, *LISTS))
    return re.split(rf"\n(?=(?:{starts})(?: and [A-Z][a-z]+)?(?: \(`[^)]*\))?:)", paragraph)


def _dedented(title: str, parts: Sequence[str]) -> list[str]:
    if title not in LISTS:
        return list(parts)
    text = inspect.cleandoc("\n" + "\n\n".join(parts))
    return re.split(r"\n\s*\n", text)


def _together(parts: Iterable[str]) -> str:
    return "\n\n".join(map(markdown, parts))


def _entries(title: str, text: str) -> dict[str, str]:
    """Name and meaning from `name: meaning`, continued by deeper lines.

    Raises:
        ValueError: if a line is neither; it would be missing from the page.
    """
    entries: list[str] = []
    for line in inspect.cleandoc("\n" + text).splitlines():
        if line[:1].isspace() and entries:
            entries[-1] += f" {line.strip()}"
        elif line.strip():
            entries.append(line)
    meanings = {}
    for entry in entries:
        if not (named := ENTRY.fullmatch(entry)):
            raise ValueError(f"{entry!r} under {title} is not `name: meaning`; deeper lines continue the meaning")
        meanings[named[1]] = markdown(named[2])
    return meanings


def lead(documented: object) -> str:
    """The first paragraph of a docstring, as it stands."""
    return (inspect.getdoc(documented) or "").partition("\n\n")[0]


def markdown(text: str) -> str:
    """Prose of a docstring as Markdown: what is no code keeps its signs; indented lines are shown as they are."""
    if text.lstrip("\n").startswith("    "):
        return fenced(inspect.cleandoc("\n" + text))
    pieces = CODE.split(text)
    return "".join(piece if index % 2 else escaped(piece) for index, piece in enumerate(pieces)).strip()


def escaped(text: str) -> str:
    """Signs that Markdown would read otherwise; a `*` or `-` that begins a list item stays."""
    text = re.sub(r"([\\<>\[\]{}])", r"\\\1", text)
    text = re.sub(r"(?<![\n ])\*|\*(?! )", r"\\*", text)
    return re.sub(r"(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])", r"\\_", text)


def fenced(text: str, language: str = "text") -> str:
    """A block shown as it is, whatever it holds."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; cells are Markdown of one line."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(text: str) -> str:
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))
