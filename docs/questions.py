"""How much the questions of the tool worlds differ: programs, and the words they are asked in.

    python -m docs.questions [ID ...]

Prints a table. Of each world: its templates; distinct gold programs, first as compiled with all that they name, then
by the shape of their code alone, in which two programs that read another field are one; distinct gold traces of the
fixed panels (the tools called one after the other); distinct questions of the panels, and distinct runs of four words
in them. For SQL a gold program is a statement, without its literals, and without its names as well; its trace is the
set of tables. For SearchQA the templates are the kinds of thing that questions begin with, a program is a chain of
facts, and its shape is the kind of question with its number of hops.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import Any

import agentgym
from agentgym.core import Task
from docs.docstring import table

BENCHES = ("Weather-v0", "Movie-v0", "Academia-v0", "Sheet-v0", "Todo-v0", "Office-v0", "SQL-v0", "SearchQA-v0")
PANELS = ("val", "test")
RUN = 4  # words
LITERAL = re.compile(r"'(?:[^']|'')*'|\b\d+(?:\.\d+)?\b")
NAME = re.compile(r"\b(?:[a-z_]\w*|[ST]\d+)\b")
HEADS = ("world", "templates", "programs", "shapes of programs", "gold traces", "questions", "4-grams")


@dataclass(frozen=True)
class Figures:
    """What is counted of a world, in the order of the table."""

    templates: int
    programs: int
    shapes: int
    traces: int
    questions: int
    runs: int


def runs(questions: Iterable[str]) -> set[tuple[str, ...]]:
    """All runs of four words of some questions."""
    words = [question.split() for question in questions]
    return {tuple(said[at : at + RUN]) for said in words for at in range(len(said) - RUN + 1)}


def panel(env: Any) -> list[Task]:
    """The tasks of the fixed panels of a world, one after the other."""
    return [task for split in PANELS for task in env.tasks(split)]


def figures(name: str) -> Figures:
    """What is counted of a world.

    Args:
        name: Its id, one of `BENCHES`.
    """
    env = agentgym.make(name, split="val").unwrapped
    tasks = panel(env)
    asked = {task.instruction for task in tasks}
    if name.startswith("SQL"):
        golds = [env._problem_of(task.spec).sql for task in tasks]
        bare = {LITERAL.sub("?", sql) for sql in golds}
        counts = len({task.spec["template"] for task in tasks}), len(bare), len({NAME.sub("x", sql) for sql in bare})
        traces = len({tuple(sorted(set(re.findall(r"(?:FROM|JOIN) (\w+)", sql)))) for sql in golds})
    elif name.startswith("SearchQA"):
        keys = [str(task.spec["key"]) for task in tasks]
        chains = {(key.split(":")[0], key.partition(".")[2]) for key in keys}
        kinds = {(task.spec["kind"], task.spec["hops"]) for task in tasks}
        counts, traces = (len({key.split(":")[0] for key in keys}), len(chains), len(kinds)), len(chains)
    else:
        codes = [template.program.__code__ for template in env.world.book.templates.values()]
        named = {(code.co_code, repr(code.co_consts), code.co_names) for code in codes}
        counts = len(codes), len(named), len({code.co_code for code in codes})
        golds = [env._problem_of(task.spec).trace.calls for task in tasks]
        traces = len({tuple(tool for tool, _ in calls) for calls in golds})
    return Figures(*counts, traces, len(asked), len(runs(asked)))


def report(names: Sequence[str] = BENCHES) -> str:
    """The table of some worlds.

    Args:
        names: Their ids.
    """
    return table(HEADS, [(f"`{name}`", *(f"{count:,}" for count in astuple(figures(name)))) for name in names])


if __name__ == "__main__":
    sys.stdout.write(report(sys.argv[1:] or BENCHES) + "\n")
