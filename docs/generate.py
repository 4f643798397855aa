"""Writes the sources of the manual: the pages of this folder, one for each world and wrapper, and the API reference.

    python -m docs.generate build/docs/source

A world's page is made of its card, its docstring and an episode of its oracle from a fixed seed, a wrapper's of its
docstring: a new one gets its page without a change here, and so do a suite and a recipe. The gallery has a picture of
every world: its own, or one drawn of its words. The reference is made of the docstrings of what packages offer by name.
`make docs` turns the pages into HTML.
"""

from __future__ import annotations

import inspect
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import agentgym
from agentgym import wrappers
from agentgym.core import EnvCard
from docs import api, docstring, recipes, sites, suites
from docs.docstring import escaped, fenced, table
from docs.gallery import gallery, pictures_table, png_size, still
from docs.leaderboard import board
from docs.pretrained import plan_table, results_table
from docs.records import claims_table
from docs.worlds import AGENTS, demonstrated, families, family, page, scored, sizes, slug, title

HERE = Path(__file__).parent
WORLDS, WRAPPERS, LIMITS = "<!-- worlds -->", "<!-- wrappers -->", "<!-- limits -->"  # filled in by this file
GALLERY, SUITES, CLAIMS = "<!-- gallery -->", "<!-- suites -->", "<!-- claims -->"
PICTURES, LEADERBOARD, SITES = "<!-- pictures -->", "<!-- leaderboard -->", "<!-- sites -->"
RECIPES = "<!-- recipes -->"
PRETRAINED, PRETRAINED_PLAN = "<!-- pretrained -->", "<!-- pretrained_plan -->"
NOTE = (  # stands on pages that do not read as they are in the repository, and is left out of the manual
    "> This page is completed by `make docs`, which fills in tables, generates the pages that are not in the "
    "repository, and\n> builds the manual into `build/docs/html`. `agentgym list` prints all environments.\n\n"
)
SUBJECTS = {
    "actions": "Action formats",
    "observations": "Observations",
    "numeric": "Numeric observations and actions",
    "rewards": "Rewards",
    "memory": "Memory",
}
OTHER = "Episodes, hints and records"


def generate(target: Path, cards: Sequence[EnvCard] | None = None) -> list[Path]:
    """Write every source page into a folder, which is emptied first.

    Args:
        target: The folder.
        cards: The worlds; all of the catalog by default.

    Returns:
        The pages.
    """
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(HERE, target, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    cards = list(agentgym.catalog().values()) if cards is None else list(cards)
    (target / "worlds").mkdir()
    (target / "wrappers").mkdir()
    (target / "api").mkdir()
    for package in api.PACKAGES:
        (target / "api" / f"{package}.md").write_text(api.page(package), encoding="utf8")
    pictures = {card.id: write_world(target / "worlds", card) for card in cards}
    (target / "suites").mkdir()
    for suite in suites.shipped():
        (target / "suites" / f"{suite.name}.md").write_text(suites.page(suite, cards), encoding="utf8")
    (target / "recipes").mkdir()
    for name in recipes.recipe_names():
        (target / "recipes" / f"{name}.md").write_text(recipes.page(name, cards), encoding="utf8")
    for name in wrappers.__all__:
        text = wrapper_page(name, getattr(wrappers, name))
        (target / "wrappers" / f"{name.lower()}.md").write_text(text, encoding="utf8")
    filled = {
        WORLDS: worlds_table(cards),
        WRAPPERS: wrappers_table(),
        LIMITS: limits_table(cards),
        GALLERY: gallery(cards, pictures),
        PICTURES: pictures_table(cards, picture_sizes(target / "worlds", cards)),
        SUITES: suites.listed(suites.shipped()),
        CLAIMS: claims_table(),
        RECIPES: recipes.listed(),
        LEADERBOARD: board(cards),
        PRETRAINED: results_table(),
        PRETRAINED_PLAN: plan_table(),
        SITES: _sites(target, cards),
    }
    for place in target.rglob("*.md"):
        text = place.read_text(encoding="utf8").replace(NOTE, "")
        for mark, words in filled.items():
            text = text.replace(mark, words)
        place.write_text(text, encoding="utf8")
    return sorted(target.rglob("*.md"))


def _sites(target: Path, cards: Sequence[EnvCard]) -> str:
    """The pictures of sites, where the worlds that are played on them are among the manual's."""
    if not {sites.SUITE, sites.PHONE, sites.DESKTOP} <= {card.id for card in cards}:
        return sites.page("the environments that use them are left out")
    return sites.write(target / "sites")


def write_world(folder: Path, card: EnvCard) -> str:
    """Write the page of one world and its picture: the world's own, or else one drawn of its words.

    Args:
        folder: Where they go.
        card: The world.

    Returns:
        The name of the picture.
    """
    shown = demonstrated(card)
    own = "" if isinstance(shown, str) or not shown.picture else f"{slug(card)}.png"
    if own and not isinstance(shown, str):
        (folder / own).write_bytes(shown.picture)
    else:
        (folder / f"{slug(card)}.svg").write_text(still(card, shown), encoding="utf8")
    (folder / f"{slug(card)}.md").write_text(page(card, shown, own), encoding="utf8")
    return own or f"{slug(card)}.svg"


def picture_sizes(folder: Path, cards: Sequence[EnvCard]) -> dict[str, tuple[int, int]]:
    """Width and height of the pictures that worlds drew themselves, by id.

    Args:
        folder: Where they are.
        cards: The worlds.
    """
    drawn = {card.id: folder / f"{slug(card)}.png" for card in cards}
    return {name: png_size(file.read_bytes()) for name, file in drawn.items() if file.exists()}


def worlds_table(cards: Sequence[EnvCard]) -> str:
    """Every world by family with what agents score, and a table of contents."""
    parts = []
    for kind, members in families(cards):
        rows = [
            (
                f"[{title(card)}](worlds/{slug(card)}.md)",
                escaped(card.description),
                sizes(_usual(card)),
                f"{card.max_turns:,}",
                *scored(card),
            )
            for card in members
        ]
        parts += [f"## {family(kind)}", table(("environment", "", "tasks", "turns", *AGENTS), rows)]
        parts.append(_toctree(family(kind), [f"worlds/{slug(card)}" for card in members]))
    return "\n\n".join(parts)


def _usual(card: EnvCard) -> dict[str, int | None]:
    return {split: size for split, size in card.splits.items() if split in ("train", "val", "test")}


def _toctree(caption: str, pages: Sequence[str]) -> str:
    listed = "\n".join(pages)
    return f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```"


def subject(wrapper: Any) -> str:
    """What a wrapper is about, read from where it stands."""
    return SUBJECTS.get(wrapper.__module__.split(".")[2], OTHER)


def wrappers_table() -> str:
    """Every wrapper by subject."""
    parts = []
    for name in (*SUBJECTS.values(), OTHER):
        members = [each for each in wrappers.__all__ if subject(getattr(wrappers, each)) == name]
        rows = [
            (f"[{each}](wrappers/{each.lower()}.md)", docstring.read(getattr(wrappers, each)).summary)
            for each in members
        ]
        parts += [f"## {name}", table(("wrapper", ""), rows)]
        parts.append(_toctree(name, [f"wrappers/{each.lower()}" for each in members]))
    return "\n\n".join(parts)


def parameters(wrapper: type) -> dict[str, str]:
    """Keyword arguments of a class and of those above it that it passes on, each with its default in Markdown."""
    found: dict[str, str] = {}
    for owner in wrapper.__mro__:
        if "__init__" not in vars(owner) or owner is object:
            continue
        listed = list(inspect.signature(vars(owner)["__init__"]).parameters.values())
        for item in listed[1:]:
            if item.kind in (item.KEYWORD_ONLY, item.POSITIONAL_OR_KEYWORD):
                found.setdefault(item.name, "required" if item.default is item.empty else f"`{item.default!r}`")
        if not any(item.kind is item.VAR_KEYWORD for item in listed):
            break
    return found


def wrapper_page(name: str, wrapper: type) -> str:
    """The Markdown of a wrapper's page."""
    said = docstring.read(wrapper)
    sections = dict(said.sections)
    source = sections.pop("Source", "")
    defaults = parameters(wrapper)
    parts = [f"# {name}", said.summary, sections.pop("", "")]
    parts += [f"**{heading}.** {text}" for heading, text in sections.items()]
    rows = [
        (f"`{argument}`", defaults.get(argument, ""), meaning)
        for names, meaning in said.arguments.items()
        for argument in names.split(", ")
    ]
    parts.append(f"## Arguments\n\n{table(('argument', 'default', 'meaning'), rows)}")
    parts.append(f"## Example\n\n{fenced(said.example, 'pycon')}")
    if source:
        parts.append(f"## Source\n\n{source}")
    return "\n\n".join(part for part in parts if part) + "\n"


def limits_table(cards: Sequence[EnvCard]) -> str:
    """Worlds that lack something which most have."""
    rows = []
    for card in cards:
        lacks = []
        if card.extras:
            lacks.append(f"needs the extra `{','.join(card.extras)}`")
        lacks += [f"needs `{name}`: {escaped(meaning)}" for name, meaning in card.requires.items()]
        if card.snapshot != "copy":
            lacks.append("has no snapshots" if card.snapshot == "none" else "makes snapshots by replaying the episode")
        if card.api == "gymnasium" and card.oracle_success < 1:
            lacks.append(
                f"has an oracle that succeeds in {card.oracle_success:.1%} of the tasks"
                if card.oracle_success
                else "has no oracle"
            )
        lacks += [
            f"`{split}` is another benchmark's task set, of which the oracle solves {share:.1%}"
            for split, share in card.published.items()
        ]
        if not card.scores:
            lacks.append("has no published scores")
        if lacks:
            rows.append((f"[{title(card)}](worlds/{slug(card)}.md)", "; ".join(lacks)))
    return table(("environment", ""), rows)


def main(arguments: Sequence[str]) -> int:
    """Write the sources into the folder named."""
    if len(arguments) != 1:
        sys.stderr.write("one folder is wanted, as in: python -m docs.generate build/docs/source\n")
        return 2
    pages = generate(Path(arguments[0]))
    sys.stdout.write(f"{arguments[0]}: {len(pages)} pages\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
