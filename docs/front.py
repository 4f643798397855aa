"""Writes what the README and the manual's first page count, and the entry by which the project is cited.

    python -m docs.front               # writes README.md and docs/index.md
    python -m docs.front --check       # says whether they are right

Every number is counted in the catalog and the folders, and the BibTeX entry is made of `CITATION.cff`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from agentgym import wrappers
from agentgym.conformance.checks import CHECKS
from agentgym.core import EnvCard
from agentgym.envs import CARDS
from docs.worlds import FAMILIES, families

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
INDEX = ROOT / "docs/index.md"
ROW, HERE = "| **AgentGym, here** |", "The suite has "
MEASURED = "Of the suite's "  # begins the line of the first page that says what was measured
LIBRARY = re.compile(r"^\| ([^|]+) \| [^|]*\d[^|]* \|", re.MULTILINE)  # name, version; "one file" is no library
OVER = " over "  # a library that is met through another's protocol is one library all the same
CHECKED = "checks; --full plays every task"
BLOCK = re.compile(r"^```bibtex\n.*?^```$", re.MULTILINE | re.DOTALL)


def row(cards: Sequence[EnvCard]) -> str:
    """The row of the table of neighbors that is about this project."""
    alone = [card for card in cards if card.api == "gymnasium"]
    plain = [card for card in cards if not card.extras and not card.requires]
    restored = [card for card in cards if card.snapshot != "none"]
    solved = [card for card in cards if card.oracle_success]
    cells = (
        f"`gymnasium.Env` ({len(alone)}), PettingZoo ({len(cards) - len(alone)})",
        f"{len(cards)}",
        f"nothing for {len(plain)}, an extra or files for {len(cards) - len(plain)}",
        f"exact, in {len(restored)} of {len(cards)}",
        f"an oracle, in {len(solved)} of {len(cards)}",
        f"{len([card for card in cards if card.players > 1])}",
        f"{files('recipes')} recipes",
    )
    return f"{ROW} {' | '.join(cells)} |"


def here(cards: Sequence[EnvCard]) -> str:
    """The sentence that says how much there is."""
    kinds = ", ".join(f"{len(members)} {_family(kind, len(members))}" for kind, members in families(cards))
    return (
        f"{HERE}{len(cards)} environments: {kinds}. It also has {len(wrappers.__all__)} wrappers, "
        f"{files('suites')} suites, {files('recipes')} training recipes, and bridges to {libraries()} libraries."
    )


def _family(kind: str, count: int) -> str:
    words = FAMILIES.get(kind, kind).lower().removesuffix(" environments")
    return words if count != 1 else words.replace("games", "game")


def measured(cards: Sequence[EnvCard]) -> str:
    """The sentence of the manual's first page that says how many environments have which players and scores."""
    known = [{agent for scores in card.scores.values() for agent in scores} for card in cards]
    return (
        f"{MEASURED}{len(cards)} environments, {len([card for card in cards if card.oracle_success])} have an oracle, "
        f"{len([agents for agents in known if 'expert' in agents])} an expert, and "
        f"{len([card for card in cards if card.scores])} measured scores."
    )


def files(folder: str) -> int:
    """How many TOML files a folder of `baselines` holds: each is a recipe, or a suite."""
    return len(list((ROOT / "baselines" / folder).glob("*.toml")))


def libraries() -> int:
    """How many libraries there are bridges to, by the table of versions in the manual."""
    page = (ROOT / "docs/tutorials/other_libraries.md").read_text(encoding="utf8")
    return len({name.partition(OVER)[0] for name in LIBRARY.findall(page.partition("## Works with")[2])})


def bibtex() -> str:
    """`CITATION.cff` as an entry of BibTeX."""
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf8")

    def value(key: str) -> str:
        (found,) = re.findall(rf"^(?:  - )?{key}: (.*)$", citation, re.MULTILINE)
        return str(found).strip('"')

    fields = {
        "author": f"{{{value('name')}}}",
        "title": value("title"),
        "version": value("version"),
        "note": f"License: {value('license')}",
    }
    lines = ",\n".join(f"  {name} = {{{said}}}" for name, said in fields.items())
    return f"```bibtex\n@software{{agentgym_suite,\n{lines}\n}}\n```"


def written(text: str, cards: Sequence[EnvCard]) -> str:
    """A README with the row, the sentence, the number of checks and the entry as they are now.

    Args:
        text: The README.
        cards: The worlds.

    Raises:
        ValueError: if one of them does not stand there exactly once.
    """
    return _replaced(
        text,
        "README.md",
        (
            (re.compile(rf"^{re.escape(ROW)}.*$", re.MULTILINE), row(cards)),
            (re.compile(rf"^{HERE}.*$", re.MULTILINE), here(cards)),
            (re.compile(rf"\d+ {CHECKED}"), f"{len(CHECKS)} {CHECKED}"),
            (BLOCK, bibtex()),
        ),
    )


def first_page(text: str, cards: Sequence[EnvCard]) -> str:
    """The manual's first page with what was measured as it is now.

    Args:
        text: The page.
        cards: The worlds.

    Raises:
        ValueError: if the sentence does not stand there exactly once.
    """
    return _replaced(text, "docs/index.md", ((re.compile(rf"^{MEASURED}.*$", re.MULTILINE), measured(cards)),))


def _replaced(text: str, name: str, parts: Sequence[tuple[re.Pattern[str], str]]) -> str:
    for wanted, now in parts:
        if len(wanted.findall(text)) != 1:
            raise ValueError(f"{wanted.pattern!r} must stand once in {name}; put it back, then run the command again")
        text = wanted.sub(lambda _, now=now: now, text)
    return text


def main(arguments: Sequence[str]) -> int:
    """Write the two pages, or with `--check` compare them."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("it takes nothing, or --check: python -m docs.front\n")
        return 2
    right = True
    for page, made in ((README, written), (INDEX, first_page)):
        old = page.read_text(encoding="utf8")
        new = made(old, CARDS)
        right &= old == new
        if arguments:
            sys.stdout.write(f"{page.name} is {'right' if old == new else 'old: python -m docs.front'}\n")
        else:
            page.write_text(new, encoding="utf8")
    return 1 if arguments and not right else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
