"""The page on the contract names the right lines of the core, and the tutorial's world is as short as is promised."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(\w+)` (\d+)-(\d+)")


def test_the_page_names_the_lines_that_answer_twelve_questions() -> None:
    source = (ROOT / "agentgym/core/env.py").read_text(encoding="utf8")
    page = (ROOT / "docs/contract.md").read_text(encoding="utf8")
    rows = [row for row in page.split("| question |")[1].split("\n\n")[0].splitlines()[2:] if row]
    (core,) = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    lines = {
        node.name: (node.lineno - len(node.decorator_list), node.end_lineno)
        for node in core.body
        if isinstance(node, ast.FunctionDef)
    }
    named = [(name, int(first), int(last)) for row in rows for name, first, last in NAMED.findall(row)]
    assert len(rows) == 12
    assert all(NAMED.search(row) for row in rows)
    assert [(name, *lines[name]) for name, _, _ in named] == named, "write the right lines into docs/contract.md"
    assert len(source.splitlines()) <= 400


def test_the_world_of_the_tutorial_is_under_60_lines() -> None:
    page = (ROOT / "docs/tutorials/add_a_world.md").read_text(encoding="utf8")
    world = page.split("```python\n# guess_number.py\n")[1].split("```")[0]
    assert "class GuessNumberEnv(LanguageEnv):" in world
    assert len(world.splitlines()) + 1 < 60
