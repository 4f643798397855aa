"""Checks that functions say what their parameters mean: `make lint` runs it.

    python -m tests.docstrings  # fails with a line for each function that lacks something, with the parameters

A function or method whose own name has no leading underscore, with two parameters or more besides `self`, has a
docstring that names each parameter: under `Args:` where the module and the class are public; in a module, a folder or a
class with a leading underscore, under `Args:` or in backticks in the text. A method of that name in a base class, of
this project or of another library, may say it in its place; parameters of commands carry their help with them.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("agentgym", "wrappers", "envs", "baselines", "assets")
NOT_ASKED = {
    "baselines/grpo_minimal.py": "to be read in one piece: at most 150 lines, the shapes in the names",
    "envs/code/_tiny_mle/lab.py": "what players of TinyMLE read, and so a part of its observations",
}
LIBRARIES = {  # by base of another library, the methods that it explains
    "Wrapper": {"reset", "step"},
    "VectorEnv": {"call", "set_attr"},
    "Module": {"forward"},
    "dict": {"get", "pop", "setdefault"},
}
HELPED = ("Annotated[", "options.", "typer.Context")  # parameters of commands, whose help stands in the annotation
ENTRY = re.compile(r"([*\w]+(?:, [*\w]+)*)(?: \([^)]*\))?:")
MENTION = re.compile(r"(?<!`)`[*]{0,2}(\w+)`(?!`)")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Lack:
    """A function whose docstring leaves parameters out."""

    module: str
    line: int
    name: str
    parameters: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.name} says nothing about {', '.join(self.parameters)}"


class Tree:
    """The sources below a folder.

    Attributes:
        modules: Syntax tree by path, from the folder on, of every module, private ones included.
    """

    def __init__(self, modules: Mapping[str, ast.Module]):
        self.modules = modules

    @classmethod
    def read(cls, root: Path, rooms: Iterable[str] = ROOMS) -> Tree:
        """The rooms of a project.

        Args:
            root: The project's folder.
            rooms: Folders in it.
        """
        paths = sorted(path for room in rooms for path in (root / room).rglob("*.py"))
        return cls({path.relative_to(root).as_posix(): ast.parse(path.read_text(encoding="utf8")) for path in paths})

    @cached_property
    def classes(self) -> dict[str, tuple[set[str], set[str]]]:
        """By class name, wherever it stands: its public methods, and the names of its bases."""
        found: dict[str, tuple[set[str], set[str]]] = {}
        for tree in self.modules.values():
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    methods, bases = found.setdefault(node.name, (set(), set()))
                    methods |= {inner.name for inner in node.body if isinstance(inner, Function)}
                    bases |= {re.split(r"\W", ast.unparse(base).partition("[")[0])[-1] for base in node.bases}
        return found

    def inherits(self, kind: ast.ClassDef, method: str) -> bool:
        """Whether a class from which `kind` derives has, and explains, a method.

        Args:
            kind: The class.
            method: The method's name.
        """
        seen, waiting = {kind.name}, set(self.classes[kind.name][1])
        while waiting:
            base = waiting.pop()
            if method in LIBRARIES.get(base, ()):
                return True
            if base in seen or base not in self.classes:
                continue
            seen.add(base)
            methods, bases = self.classes[base]
            if method in methods:
                return True
            waiting |= bases
        return False

    def lacks(self) -> Iterator[Lack]:
        """Every function that leaves parameters out, by module and line."""
        for module, tree in self.modules.items():
            if module in NOT_ASKED:
                continue
            hidden = any(part.startswith("_") and part != "__init__.py" for part in module.split("/"))
            for name, function in self._functions(tree):
                left_out = undocumented(function, private=hidden or name.startswith("_"))
                if left_out:
                    yield Lack(module, function.lineno, name, tuple(left_out))

    def _functions(self, tree: ast.Module) -> Iterator[tuple[str, Function]]:
        """Functions and methods without a leading underscore, less the methods that a base explains."""
        for node in tree.body:
            if isinstance(node, Function) and not node.name.startswith("_"):
                yield node.name, node
            elif isinstance(node, ast.ClassDef):
                methods = [inner for inner in node.body if isinstance(inner, Function)]
                for method in methods:
                    if not method.name.startswith("_") and not self.inherits(node, method.name):
                        yield f"{node.name}.{method.name}", method


def undocumented(function: Function, *, private: bool = False) -> list[str]:
    """The parameters of a function that its docstring does not name; none where it has fewer than two.

    Args:
        function: The function or method, of which overloads and setters are not asked.
        private: Whether a parameter in backticks, anywhere in the docstring, counts as named.
    """
    if any(ast.unparse(decorator).endswith(("overload", ".setter")) for decorator in function.decorator_list):
        return []
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    every += [extra for extra in (given.vararg, given.kwarg) if extra is not None]
    asked = [
        parameter.arg
        for parameter in every
        if parameter.arg not in ("self", "cls")
        and not parameter.arg.startswith("_")
        and not (parameter.annotation and ast.unparse(parameter.annotation).startswith(HELPED))
    ]
    text = ast.get_docstring(function) or ""
    named = named_arguments(text) | (set(MENTION.findall(text)) if private else set())
    return [name for name in asked if name not in named] if len(asked) > 1 else []


def named_arguments(text: str) -> set[str]:
    """The names under `Args:` of a docstring; several may share a line, as in `one, two: Both.`"""
    before, found, section = inspect.cleandoc(text).partition("Args:\n")
    if not found or before.rpartition("\n")[2].strip():
        return set()
    names: set[str] = set()
    depth = len(section) - len(section.lstrip(" "))
    for line in section.splitlines():
        indent = len(line) - len(line.lstrip(" "))
        if line.strip() and indent < depth:
            break
        if indent == depth and (entry := ENTRY.match(line.strip())):
            names |= {name.strip("*") for name in entry[1].split(", ")}
    return names


def main() -> int:
    """The command; returns the exit code."""
    lacks = list(Tree.read(ROOT).lacks())
    sys.stderr.write("".join(f"{lack}\n" for lack in lacks))
    return 1 if lacks else 0


if __name__ == "__main__":
    sys.exit(main())
