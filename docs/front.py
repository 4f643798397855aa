"""Writes what the README counts: its row among the neighbors, what stands here, how many checks; and how to cite.

    python -m docs.front               # writes README.md
    python -m docs.front --check       # says whether it is right

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
ROW, HERE = "| **AgentGym, here** |", "Here stand "
LIBRARY = re.compile(r"^\| [^|]+ \| [^|]*\d[^|]* \|.*agentgym\.baselines\.bridges\.", re.MULTILINE)  # name, version
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
        f"{HERE}{len(cards)} worlds ({kinds}), {len(wrappers.__all__)} wrappers, {files('suites')} suites, "
        f"{files('recipes')} recipes, and bridges to {libraries()} libraries."
    )


def _family(kind: str, count: int) -> str:
    words = FAMILIES.get(kind, kind).lower()
    return words if count != 1 else words.replace("worlds", "world").replace("games", "game")


def files(folder: str) -> int:
    """How many TOML files a folder of `baselines` holds: each is a recipe, or a suite."""
    return len(list((ROOT / "baselines" / folder).glob("*.toml")))


def libraries() -> int:
    """How many libraries there are bridges to: the rows of their table in the manual."""
    return len(LIBRARY.findall((ROOT / "docs/tutorials/other_libraries.md").read_text(encoding="utf8")))


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
    for wanted, now in (
        (re.compile(rf"^{re.escape(ROW)}.*$", re.MULTILINE), row(cards)),
        (re.compile(rf"^{HERE}.*$", re.MULTILINE), here(cards)),
        (re.compile(rf"\d+ {CHECKED}"), f"{len(CHECKS)} {CHECKED}"),
        (BLOCK, bibtex()),
    ):
        if len(wanted.findall(text)) != 1:
            raise ValueError(
                f"{wanted.pattern!r} must stand once in README.md; put it back, then run the command again"
            )
        text = wanted.sub(lambda _, now=now: now, text)
    return text


def main(arguments: Sequence[str]) -> int:
    """Write the README, or with `--check` compare it."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("it takes nothing, or --check: python -m docs.front\n")
        return 2
    old = README.read_text(encoding="utf8")
    new = written(old, CARDS)
    if arguments:
        sys.stdout.write("README.md is right\n" if old == new else "README.md is old: python -m docs.front\n")
        return 0 if old == new else 1
    README.write_text(new, encoding="utf8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
