"""The gallery: a picture of every world, its own or one drawn of its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentgym.core import EnvCard
from agentgym.report.drawing import Line, card, folded
from docs.docstring import escaped, table
from docs.transcript import Shown
from docs.worlds import families, family, slug, title

COLUMNS, ROWS = 60, 14
PNG = b"\x89PNG\r\n\x1a\n"


def still(world: EnvCard, shown: Shown | str) -> str:
    """A picture of the beginning of a world's episode, or of what it is where none could be played, as SVG.

    Args:
        world: Its card.
        shown: What `docs.worlds.demonstrated` gave.
    """
    if isinstance(shown, str):
        lines = [*folded(world.description, COLUMNS, ROWS - 2), Line(""), *folded(shown, COLUMNS, 4, "d")]
    else:
        lines = [line for part in shown.episode.split("\n") for line in _part(part)]
    if len(lines) > ROWS:
        lines = [*lines[: ROWS - 1], Line("...", "d")]
    return card(title(world), lines, COLUMNS, ROWS)


def _part(text: str) -> list[Line]:
    """A line of a transcript: what is typed stands out, who is spoken to is set back."""
    if text.startswith("> "):
        return folded(text, COLUMNS, 3, "a")
    named = text.startswith("[") and text.endswith("]") and len(text) < COLUMNS
    return folded(text, COLUMNS, 6, "b" if named else "t") or [Line("")]


def gallery(cards: Sequence[EnvCard], pictures: Mapping[str, str]) -> str:
    """Every world with its picture, by family.

    Args:
        cards: The worlds.
        pictures: Id to the name of the picture's file, in the folder of the worlds' pages.
    """
    parts = []
    for kind, members in families(cards):
        shown = [
            f"- [![{title(each)}](worlds/{pictures[each.id]})](worlds/{slug(each)}.md)\n\n"
            f"  [{title(each)}](worlds/{slug(each)}.md)\n\n  {escaped(each.description)}"
            for each in members
        ]
        parts += [f"## {family(kind)}", ":::{container} gallery\n" + "\n".join(shown) + "\n:::"]
    return "\n\n".join(parts)


def pictures_table(cards: Sequence[EnvCard], sizes: Mapping[str, tuple[int, int]]) -> str:
    """The worlds that draw themselves, for agents that see.

    Args:
        cards: The worlds.
        sizes: Id to width and height in pixels of the picture that was drawn for the world's page; those that could not
            be played here are left out.
    """
    rows = []
    for each in cards:
        if each.images:
            wide, high = sizes.get(each.id, (0, 0))
            rows.append(
                (
                    f"[{title(each)}](worlds/{slug(each)}.md)",
                    family(each.kind),
                    "one" if each.api == "gymnasium" else "several",
                    f"{wide} x {high}" if wide else "not drawn here",
                    f"`{','.join(each.extras)}`" if each.extras else "",
                )
            )
    return table(("environment", "family", "players", "pixels", "extra"), rows)


def png_size(data: bytes) -> tuple[int, int]:
    """Width and height in pixels, as the header of a PNG says.

    Raises:
        ValueError: if it is none.
    """
    if data[:8] != PNG or data[12:16] != b"IHDR":
        raise ValueError("the picture is no PNG")
    return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
