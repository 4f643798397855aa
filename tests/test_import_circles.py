"""No two modules import each other, directly or by way of others, whether at the top of a file or inside a function.

A string such as `package.module:Name` counts as an import, but for the entry points of cards and registries. Imports
for types alone (`if TYPE_CHECKING`) are left out: nothing runs them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

import pytest

from tests.sources import ROOT, Module, modules, nodes

pytestmark = pytest.mark.xdist_group("house")  # one process, so that the source is read once
OF_CARDS = ("entry_point", "fixture")
BY_NAME = re.compile(r"\w+(\.\w+)+:\w+")  # `package.module:Name`
Graph = Mapping[str, Mapping[str, str]]  # importer to imported to where


def last_name(node: ast.AST) -> str:
    """`b` of `b` and of `a.b`; empty for anything else."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def for_types(tree: ast.Module) -> set[ast.AST]:
    """What stands under `if TYPE_CHECKING`."""
    guarded = [node for node in nodes(tree) if isinstance(node, ast.If) and last_name(node.test) == "TYPE_CHECKING"]
    return {inner for node in guarded for part in node.body for inner in ast.walk(part)}


def of_entry_points(module: Module) -> set[ast.AST]:
    """The constants by which cards name their world, and registries a function: what is registered is made later."""
    if module.name.endswith("_registry") or module.name == "agentgym.core.catalog":
        return {node for node in nodes(module.tree) if isinstance(node, ast.Constant)}
    of_cards = [each.value for each in nodes(module.tree) if isinstance(each, ast.keyword) and each.arg in OF_CARDS]
    return {inner for value in of_cards for inner in ast.walk(value)}


def named(node: ast.AST) -> Iterator[tuple[str, ...]]:
    """Names of modules that a statement may import, the most special first, one tuple for each thing it imports."""
    if isinstance(node, ast.Import):
        yield from ((alias.name,) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from ((f"{node.module}.{alias.name}", str(node.module)) for alias in node.names)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and BY_NAME.fullmatch(node.value):
        yield (node.value.partition(":")[0],)
    elif isinstance(node, ast.Call) and last_name(node.func) in ("import_module", "resolve_name"):
        first = node.args[0] if node.args else None
        if isinstance(first, ast.Constant):
            yield (str(first.value).partition(":")[0],)


def graph_of(sources: tuple[Module, ...]) -> Graph:
    """Which module imports which, and where."""
    known = {module.name for module in sources}
    found: dict[str, dict[str, str]] = {}
    for module in sources:
        left_out = for_types(module.tree) | of_entry_points(module)
        for node in nodes(module.tree):
            for choices in named(node) if node not in left_out else ():
                target = next((name for name in choices if name in known), module.name)
                if target != module.name:
                    where = f"{module!r}:{getattr(node, 'lineno', 0)}"
                    found.setdefault(module.name, {}).setdefault(target, where)
    return found


@cache
def graph() -> Graph:
    return graph_of(modules())


def circle(edges: Graph) -> list[str]:
    """Modules each of which imports the next, the last of them being the first again; empty if there are none."""
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found[::-1]
    return []


@pytest.mark.full
def test_no_module_imports_itself_by_way_of_others() -> None:
    edges = graph()
    assert len(edges) > 300
    way = circle(edges)
    assert not way, "; ".join(f"{edges[one][other]} imports {other}" for one, other in pairwise(way))


def test_circles_inside_functions_and_by_name_are_seen_and_those_of_types_are_not() -> None:
    def source(name: str, text: str) -> Module:
        return Module(ROOT / "made.py", name, ast.parse(text))

    one = source("a.one", "def later():\n    from a import two\n")
    by_name = source("a.two", "import importlib\n\ndef later():\n    importlib.import_module('a.one:thing')\n")
    resolved = source("a.two", "import pkgutil\n\ndef later():\n    pkgutil.resolve_name('a.one')\n")
    in_a_constant = source("a.two", "PLACE = 'a.one:Thing'\n")
    card = source("a.two", "CARD = EnvCard(entry_point='a.one:Thing')\n")
    by_attribute = source("a.two", "from a.one import thing\n")
    for_types_alone = source("a.two", "if TYPE_CHECKING:\n    from a.one import thing\n")
    for two in (by_name, resolved, in_a_constant, by_attribute):
        assert set(circle(graph_of((one, two)))) == {"a.one", "a.two"}
    for two in (for_types_alone, card):
        assert circle(graph_of((one, two))) == []
    three = source("a.three", "import a.one\n")
    by_way = source("a.two", "import a.three\n")
    way = circle(graph_of((one, by_way, three)))
    assert way[0] == way[-1]
    assert set(pairwise(way)) == {("a.one", "a.two"), ("a.two", "a.three"), ("a.three", "a.one")}
