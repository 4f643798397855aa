"""Every way to break a file with one operator, as faults."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import libcst as cst

from agentgym.assets.repositories import Fault
from agentgym.envs.code._repair.generate.operators import OPERATORS, Piece, Place

MOST_LINES = 12  # that one fault changes
TEXTS = (cst.SimpleString, cst.ConcatenatedString)


class _Finder(cst.CSTVisitor):
    """Notes every change of every node, with the node."""

    def __init__(self) -> None:
        self.around: list[cst.CSTNode] = []
        self.found: list[tuple[str, cst.CSTNode, Piece]] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        place = Place(self.around[-1] if self.around else None, self._names(), self._attributes())
        for name, (kind, change) in OPERATORS.items():
            if isinstance(node, kind):
                self.found += [(name, node, made) for made in change(node, place)]
        self.around.append(node)
        return not isinstance(node, (*TEXTS, cst.Annotation))

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self.around.pop()

    def _names(self) -> tuple[str, ...]:
        """Parameters and variables of the function around the node."""
        function = next((node for node in reversed(self.around) if isinstance(node, cst.FunctionDef)), None)
        if function is None:
            return ()
        found = [parameter.name.value for parameter in function.params.params]
        for node in _all(function.body):
            if isinstance(node, cst.AssignTarget) and isinstance(node.target, cst.Name):
                found.append(node.target.value)
        return tuple(dict.fromkeys(found))

    def _attributes(self) -> tuple[str, ...]:
        """What is assigned to `self` in the class around the node."""
        home = next((node for node in reversed(self.around) if isinstance(node, cst.ClassDef)), None)
        found = []
        for node in _all(home) if home is not None else ():
            target = node.target if isinstance(node, cst.AssignTarget) else None
            if (
                isinstance(target, cst.Attribute)
                and isinstance(target.value, cst.Name)
                and target.value.value == "self"
            ):
                found.append(target.attr.value)
        return tuple(dict.fromkeys(found))


def _all(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from _all(child)


class _Replacer(cst.CSTTransformer):
    """Puts one node in the place of another."""

    def __init__(self, old: cst.CSTNode, new: Piece) -> None:
        self.old, self.new = old, new

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> cst.CSTNodeT:
        """The new piece if `original_node` is the old one itself, and `updated_node` in all other places."""
        return cast(cst.CSTNodeT, self.new) if original_node is self.old else updated_node


@dataclass(frozen=True, eq=False)
class Mutant:
    """A change that was found and not made yet."""

    operator: str
    path: str
    module: cst.Module
    old: cst.CSTNode
    new: Piece

    def fault(self) -> Fault | None:
        """The change as a fault; see `as_fault`."""
        changed = self.module.visit(_Replacer(self.old, self.new))
        assert isinstance(changed, cst.Module)
        return as_fault(self.operator, self.path, self.module.code, changed.code)


def mutants(path: str, text: str) -> list[Mutant]:
    """Every change that one operator makes of a file.

    Args:
        path: Of the file.
        text: Of the file.
    """
    module = cst.parse_module(text)
    finder = _Finder()
    module.visit(finder)
    return [Mutant(name, path, module, old, new) for name, old, new in finder.found]


def as_fault(operator: str, path: str, sound: str, faulty: str) -> Fault | None:
    """The lines in which two texts differ, as a fault; None if that is nothing, no Python, or too much.

    Args:
        operator: What was done.
        path: Of the file.
        sound: The text as it should be.
        faulty: The text as it is.
    """
    try:
        cst.parse_module(faulty)
    except cst.ParserSyntaxError:
        return None
    before, after = sound.splitlines(), faulty.splitlines()
    blocks = [
        block
        for block in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if block[0] != "equal"
    ]
    if not blocks:
        return None
    first, last, start, end = blocks[0][1], blocks[-1][2], blocks[0][3], blocks[-1][4]
    if last - first > MOST_LINES or end - start > MOST_LINES:
        return None
    return Fault(operator, path, first + 1, tuple(before[first:last]), tuple(after[start:end]))


def apart(faults: Sequence[Fault]) -> bool:
    """Whether faults change different lines, with one between them at least."""
    spans = sorted((fault.path, fault.first, fault.first + len(fault.sound)) for fault in faults)
    return all(one[0] != two[0] or one[2] < two[1] for one, two in itertools.pairwise(spans))
