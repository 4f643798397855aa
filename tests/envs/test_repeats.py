"""What worlds repeat though a base could own it, counted in their syntax trees: fewer lines than a bound."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ENVS = Path(__file__).parents[2] / "envs"
MOST = 170  # lines of all patterns together
FORWARDS = {"instruction", "_picture"}
Method = ast.FunctionDef


def without_docstring(method: Method) -> list[ast.stmt]:
    return method.body[1:] if ast.get_docstring(method) is not None else method.body


def extent(node: ast.stmt | ast.expr) -> int:
    """Lines of a statement or expression, decorators and docstring included."""
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return (node.end_lineno or first) - first + 1


def is_plain(node: ast.expr) -> bool:
    """Whether it names something, be it an attribute or an entry, and computes nothing."""
    if isinstance(node, ast.Name | ast.Constant):
        return True
    if isinstance(node, ast.Attribute):
        return is_plain(node.value)
    return isinstance(node, ast.Subscript) and is_plain(node.value) and is_plain(node.slice)


def is_forward(method: Method) -> bool:
    """Whether it only hands plain values, or what it was asked with, on to one function or method."""
    body = without_docstring(method)
    if method.name not in FORWARDS or len(body) != 1 or not isinstance(body[0], ast.Return):
        return False
    said = body[0].value
    while isinstance(said, ast.Attribute):  # a field of what the function gives
        said = said.value
    if not isinstance(said, ast.Call):
        return False
    where = said.func
    while isinstance(where, ast.Attribute | ast.Call):  # a method of what another call gives
        where = where.func if isinstance(where, ast.Call) else where.value
    return (
        isinstance(where, ast.Name)
        and where.id != "str"
        and all(
            is_plain(given) or (isinstance(given, ast.Call) and all(map(is_plain, given.args))) for given in said.args
        )
    )


def is_derived(method: Method) -> bool:
    """Whether a constructor takes what the base takes, hands it on, and derives parts, as `_configured` does."""
    return method.name == "__init__" and "super().__init__(**kwargs)" in map(ast.unparse, method.body)


def is_strongest(method: Method) -> bool:
    """Whether an expert is but a scripted opponent: the strong one, or one of the table."""
    return method.name == "_expert" and any(
        ast.unparse(call.func).endswith(("strong_opponent", "OPPONENTS['strong']", "EXPERT"))
        for call in ast.walk(method)
        if isinstance(call, ast.Call)
    )


def is_path_check(node: ast.AST) -> bool:
    """Whether an `if` asks for a text or a path, and refuses the rest."""
    if not isinstance(node, ast.If):
        return False
    said = "\n".join(map(ast.unparse, node.body))
    return "isinstance(" in ast.unparse(node.test) and "ConfigError" in said and "must be the path" in said


def is_copied_check(node: ast.AST) -> bool:
    """Whether an `if` asks what a check of the base asks: a text model, a function, a whole number between bounds."""
    if not isinstance(node, ast.If) or "ConfigError" not in "\n".join(map(ast.unparse, node.body)):
        return False
    test = ast.unparse(node.test)
    whole = "int)" in test and "bool)" in test and "<=" in test
    return whole or "'complete'" in test or test.startswith("not callable(")


def is_table(node: ast.AST) -> bool:
    """Whether a table of opponents is written out level by level."""
    return (
        isinstance(node, ast.AnnAssign | ast.Assign)
        and isinstance(node.value, ast.Dict)
        and any(ast.unparse(name) == "OPPONENTS" for name in getattr(node, "targets", [getattr(node, "target", None)]))
    )


def is_task_seed(node: ast.AST) -> bool:
    """Whether a generator is made of the fingerprint of a task."""
    return (
        isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("default_rng")
        and "fingerprint(" in "".join(map(ast.unparse, node.args))
    )


def is_override(method: Method) -> bool:
    """Whether it makes tasks of the seed itself, or adds something to the refusal of the base."""
    return method.name == "generate_from_seed" or (
        method.name == "refuse" and "super().refuse(reason)" in ast.unparse(method)
    )


def of_methods(fits: Callable[[Method], bool]) -> Callable[[ast.AST], bool]:
    return lambda node: isinstance(node, Method) and fits(node)


PATTERNS: dict[str, Callable[[ast.AST], bool]] = {
    "instructions and pictures that only forward": of_methods(is_forward),
    "constructors that go on from the config": of_methods(is_derived),
    "experts that are the strongest opponent": of_methods(is_strongest),
    "tables of opponents": is_table,
    "generators made of a task's fingerprint": is_task_seed,
    "checks of paths": is_path_check,
    "checks that the base has": is_copied_check,
    "tasks made of their seed, and refusals with something added": of_methods(is_override),
}


def found(tree: ast.AST) -> Iterator[tuple[str, int, int]]:
    """Pattern, line and number of lines of each repetition; one inside another is counted with both."""
    for node in ast.walk(tree):
        for pattern, fits in PATTERNS.items():
            if fits(node):
                assert isinstance(node, ast.stmt | ast.expr)
                yield pattern, node.lineno, extent(node)


def lines_by_pattern(root: Path) -> dict[str, int]:
    counted = dict.fromkeys(PATTERNS, 0)
    for path in sorted(root.rglob("*.py")):
        for pattern, _, lines in found(ast.parse(path.read_text(encoding="utf8"))):
            counted[pattern] += lines
    return counted


@pytest.mark.full
def test_the_patterns_that_worlds_repeat_stay_few() -> None:
    counted = lines_by_pattern(ENVS)
    assert sum(counted.values()) < MOST, f"let the base own it: {counted}"


SAMPLES = {
    "instructions and pictures that only forward": (
        "class A:\n    def instruction(spec):\n        return words(spec['a'])"
    ),
    "constructors that go on from the config": (
        "class A:\n    def __init__(self, **kwargs):\n        super().__init__(**kwargs)\n        self.grammar = G"
    ),
    "experts that are the strongest opponent": (
        "class A:\n    def _expert(self, player):\n        return strong_opponent(self._known(player))"
    ),
    "tables of opponents": "class A:\n    OPPONENTS: Any = {'random': one,\n    'simple': two}",
    "generators made of a task's fingerprint": "rng = np.random.default_rng([int(fingerprint(task)[:12], 16), 1])",
    "checks of paths": "if not isinstance(value, str):\n    raise ConfigError(f'{name} must be the path of a file')",
    "checks that the base has": "if not hasattr(value, 'complete'):\n    raise ConfigError('a text model')",
    "tasks made of their seed, and refusals with something added": (
        "class A:\n    def refuse(self, reason):\n        outcome = super().refuse(reason)\n        return outcome"
    ),
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_each_pattern_is_seen(pattern: str) -> None:
    seen = list(found(ast.parse(SAMPLES[pattern])))
    assert [name for name, _, _ in seen] == [pattern]
    assert seen[0][2] == SAMPLES[pattern].count("\n") + 1 - SAMPLES[pattern].startswith("class")


def test_methods_that_say_something_are_no_forwards() -> None:
    instruction = "    def instruction(spec):\n        return f'Get {words(spec)}.'"
    expert = "    def _expert(self):\n        return self._word"
    assert not list(found(ast.parse(f"class A:\n{instruction}\n{expert}")))
