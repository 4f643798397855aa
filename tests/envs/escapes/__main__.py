"""Makes every attempt on every sandbox of this machine, and writes the table of the manual's page on the sandbox.

    python -m tests.envs.escapes                 # prints the table
    python -m tests.envs.escapes --out docs      # and writes it into docs/sandbox.md

The exit status is the number of attempts that got out.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from tests.envs.boxes import BACKINGS
from tests.envs.escapes.attempt import attempts, each_attempt

FIRST, LAST = "<!-- the attempts -->", "<!-- end of attempts -->"
PAGE = "sandbox.md"
Row = Mapping[str, tuple[str, str]]  # by backing: how it got out, and how the run ended


def tried(names: tuple[str, ...] = BACKINGS) -> dict[str, Row]:
    """Every attempt on every backing that is there.

    Args:
        names: Of the backings.
    """
    rows: dict[str, dict[str, tuple[str, str]]] = {name: {} for name in attempts()}
    for kind, name, out, ended in each_attempt(names):
        if name:
            rows[name][kind] = out, ended
        sys.stderr.write(f"{kind}: {name}: {out or 'held'}\n" if name else f"left out: {ended}\n")
    return {name: row for name, row in rows.items() if row}


def table(rows: Mapping[str, Row]) -> str:
    """The attempts as a table in Markdown, with their sum."""
    kinds = [kind for kind in BACKINGS if any(kind in row for row in rows.values())]
    lines = [f"| an attempt that | {' | '.join(kinds)} |", f"|---|{'---|' * len(kinds)}"]
    for name, row in rows.items():
        cells = (f"**out**: {row[kind][0]}" if row[kind][0] else f"held ({row[kind][1]})" for kind in kinds)
        lines.append(f"| {name.replace('_', ' ')} | {' | '.join(cells)} |")
    sums = (f"**{sum(bool(row[kind][0]) for row in rows.values())} of {len(rows)}** got out" for kind in kinds)
    return "\n".join([*lines, f"| all | {' | '.join(sums)} |"])


def main(words: list[str]) -> int:
    """Make them, print the table, write it if a folder is named; how many got out."""
    rows = tried()
    shown = table(rows)
    sys.stdout.write(f"{shown}\n")
    if "--out" in words:
        page = Path(words[words.index("--out") + 1]) / PAGE
        text = page.read_text(encoding="utf8")
        head, tail = text[: text.index(FIRST) + len(FIRST)], text[text.index(LAST) :]
        page.write_text(f"{head}\n\n{shown}\n\n{tail}", encoding="utf8")
    return sum(bool(out) for row in rows.values() for out, _ in row.values())


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 100))
