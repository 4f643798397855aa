"""A name says what is meant: no two public classes of the library share one."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]


def public_classes() -> dict[str, list[str]]:
    """By name, the files that define a public class of it."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for room in ("agentgym", "wrappers"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(path.relative_to(ROOT).as_posix())
    return found


def test_no_two_public_classes_share_a_name() -> None:
    found = public_classes()
    assert len(found) > 300, "the files were not read"
    assert {name: files for name, files in found.items() if len(files) > 1} == {}
