"""The sources as the rules of the house read them: each file is parsed and walked through once a process."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = {"agentgym": "agentgym"} | {room: f"agentgym.{room}" for room in ("envs", "wrappers", "assets", "baselines")}


@dataclass(frozen=True)
class Module:
    """One source file: its place, its import name and its syntax tree."""

    path: Path
    name: str
    tree: ast.Module

    def __repr__(self) -> str:
        return str(self.path.relative_to(ROOT))


@cache
def source(path: Path) -> tuple[str, ast.Module]:
    """Text and syntax tree of a file, read once for all tests."""
    text = path.read_text(encoding="utf8")
    return text, ast.parse(text)


@cache
def modules() -> tuple[Module, ...]:
    """Every module of the five rooms."""
    found = []
    for folder, package in ROOMS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            name = ".".join([package, *(part for part in parts if part != "__init__")])
            found.append(Module(path, name, source(path)[1]))
    return tuple(found)


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a syntax tree, walked through once for all tests."""
    return tuple(ast.walk(tree))


@cache
def imports(module: Module) -> tuple[tuple[str, str], ...]:
    """Full name of each thing imported anywhere in a module, with the place; relative imports are not used here."""
    found = []
    for node in nodes(module.tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, f"{module!r}:{node.lineno}") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            where = f"{module!r}:{node.lineno}"
            assert node.level == 0, f"{where} imports relatively; write the full name"
            found += [(f"{node.module}.{alias.name}", where) for alias in node.names]
    return tuple(found)


@cache
def calls(module: Module) -> tuple[tuple[str, ast.Call, str], ...]:
    """Dotted name of each function called in a module, the call, and the place."""
    found = [node for node in nodes(module.tree) if isinstance(node, ast.Call)]
    return tuple((ast.unparse(call.func), call, f"{module!r}:{call.lineno}") for call in found)
