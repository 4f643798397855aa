"""Ways to break a program that it survives: each turns a piece of syntax into one with another meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import libcst as cst

Piece = cst.CSTNode | cst.RemovalSentinel | cst.FlattenSentinel[Any]  # what takes the place of a node
N = TypeVar("N", bound=cst.CSTNode)
Change = Callable[[cst.CSTNode, "Place"], Iterator[Piece]]
OPERATORS: dict[str, tuple[type[cst.CSTNode], Change]] = {}
COMPARISONS: Mapping[str, type[cst.BaseCompOp]] = {
    "LessThan": cst.LessThanEqual, "LessThanEqual": cst.LessThan,
    "GreaterThan": cst.GreaterThanEqual, "GreaterThanEqual": cst.GreaterThan,
}  # fmt: skip
TURNED: Mapping[str, type[cst.BaseCompOp]] = {
    "LessThan": cst.GreaterThan, "LessThanEqual": cst.GreaterThanEqual,
    "GreaterThan": cst.LessThan, "GreaterThanEqual": cst.LessThanEqual,
}  # fmt: skip
METHODS: Mapping[str, str] = {
    "startswith": "endswith", "endswith": "startswith", "strip": "lstrip", "rstrip": "lstrip", "lstrip": "rstrip",
    "find": "rfind", "rfind": "find", "partition": "rpartition", "rpartition": "partition", "lower": "upper",
    "upper": "lower", "popleft": "pop", "ljust": "rjust", "rjust": "ljust", "keys": "values", "update": "setdefault",
    "union": "intersection", "intersection": "union", "removeprefix": "removesuffix", "removesuffix": "removeprefix",
    "isdigit": "isalnum", "isalpha": "isalnum", "isalnum": "isalpha", "discard": "add", "casefold": "strip",
    "index": "count", "add": "discard",
}  # fmt: skip
FUNCTIONS: Mapping[str, str] = {
    "min": "max", "max": "min", "any": "all", "all": "any", "bisect_right": "bisect_left",
    "bisect_left": "bisect_right", "heappushpop": "heapreplace", "floor": "ceil", "ceil": "floor",
}  # fmt: skip
ERRORS: Mapping[str, str] = {
    "KeyError": "IndexError", "ValueError": "TypeError", "IndexError": "KeyError", "TypeError": "ValueError",
    "AttributeError": "TypeError", "LookupError": "ValueError", "ZeroDivisionError": "ValueError",
}  # fmt: skip
PURE = ("list", "dict", "set", "tuple", "sorted")  # calls whose result is another object than what they are given


@dataclass(frozen=True)
class Place:
    """Where a node stands.

    Attributes:
        parent: The node around it.
        names: Of the parameters and variables of the function around it.
        attributes: Of `self` in the class around it, as they are assigned.
    """

    parent: cst.CSTNode | None = None
    names: tuple[str, ...] = ()
    attributes: tuple[str, ...] = field(default=())


def operator(kind: type[N]) -> Callable[[Callable[[N], Iterator[Piece]]], Callable[[N], Iterator[Piece]]]:
    """Put an operator on nodes of a kind under its name, wherever they stand."""

    def put(change: Callable[[N], Iterator[Piece]]) -> Callable[[N], Iterator[Piece]]:
        OPERATORS[change.__name__] = (kind, lambda node, place: change(cast(N, node)))
        return change

    return put


def placed_operator(
    kind: type[N],
) -> Callable[[Callable[[N, Place], Iterator[Piece]]], Callable[[N, Place], Iterator[Piece]]]:
    """Put an operator on nodes of a kind under its name; whether it fits one depends on where that stands."""

    def put(change: Callable[[N, Place], Iterator[Piece]]) -> Callable[[N, Place], Iterator[Piece]]:
        OPERATORS[change.__name__] = (kind, cast(Change, change))
        return change

    return put


def _compared(node: cst.Comparison, others: Mapping[str, type[cst.BaseCompOp]]) -> Iterator[Piece]:
    for at, target in enumerate(node.comparisons):
        other = others.get(type(target.operator).__name__)
        if other is not None:
            made = target.with_changes(operator=other())
            yield node.with_changes(comparisons=[*node.comparisons[:at], made, *node.comparisons[at + 1 :]])


@operator(cst.Comparison)
def comparison_boundary(node: cst.Comparison) -> Iterator[Piece]:
    """Whether the end of a range belongs to it."""
    yield from _compared(node, COMPARISONS)


@operator(cst.Comparison)
def comparison_turned(node: cst.Comparison) -> Iterator[Piece]:
    """Less for more."""
    yield from _compared(node, TURNED)


@operator(cst.Comparison)
def equality_negated(node: cst.Comparison) -> Iterator[Piece]:
    """Equal for different."""
    yield from _compared(node, {"Equal": cst.NotEqual, "NotEqual": cst.Equal})


@operator(cst.Comparison)
def membership_negated(node: cst.Comparison) -> Iterator[Piece]:
    """In for not in."""
    for at, target in enumerate(node.comparisons):
        kind = type(target.operator)
        if kind in (cst.In, cst.NotIn):
            made = target.with_changes(operator=cst.NotIn() if kind is cst.In else cst.In())
            yield node.with_changes(comparisons=[*node.comparisons[:at], made, *node.comparisons[at + 1 :]])


@operator(cst.Comparison)
def identity_to_truth(node: cst.Comparison) -> Iterator[Piece]:
    """Whether something is there at all becomes whether it is anything but empty or 0."""
    target = node.comparisons[0]
    if len(node.comparisons) == 1 and isinstance(target.comparator, cst.Name) and target.comparator.value == "None":
        bracketed = isinstance(node.left, (cst.Name, cst.Attribute, cst.Subscript, cst.Call))
        if bracketed and isinstance(target.operator, cst.IsNot):
            yield node.left
        elif bracketed and isinstance(target.operator, cst.Is):
            yield cst.UnaryOperation(cst.Not(), node.left)


@operator(cst.BooleanOperation)
def and_for_or(node: cst.BooleanOperation) -> Iterator[Piece]:
    """One condition for both, or the other way round."""
    yield node.with_changes(operator=cst.Or() if isinstance(node.operator, cst.And) else cst.And())


@operator(cst.BooleanOperation)
def condition_left_out(node: cst.BooleanOperation) -> Iterator[Piece]:
    """One of two conditions alone."""
    for kept in (node.left, node.right):
        yield kept.with_changes(lpar=node.lpar, rpar=node.rpar) if node.lpar else kept


@operator(cst.UnaryOperation)
def negation_left_out(node: cst.UnaryOperation) -> Iterator[Piece]:
    """A condition without its not, a number without its sign."""
    if isinstance(node.operator, (cst.Not, cst.Minus)) and not node.lpar:
        yield node.expression


@operator(cst.If)
def condition_negated(node: cst.If) -> Iterator[Piece]:
    """A branch taken when it should not be."""
    if isinstance(node.test, (cst.Name, cst.Attribute, cst.Call)):
        yield node.with_changes(
            test=cst.UnaryOperation(cst.Not(), node.test), whitespace_before_test=cst.SimpleWhitespace(" ")
        )


@operator(cst.BinaryOperation)
def sum_for_difference(node: cst.BinaryOperation) -> Iterator[Piece]:
    """Plus for minus."""
    if not isinstance(node.left, (cst.SimpleString, cst.FormattedString)):
        if isinstance(node.operator, cst.Add):
            yield node.with_changes(operator=cst.Subtract())
        elif isinstance(node.operator, cst.Subtract):
            yield node.with_changes(operator=cst.Add())


@operator(cst.BinaryOperation)
def product_for_quotient(node: cst.BinaryOperation) -> Iterator[Piece]:
    """Times for divided by, a quotient for a remainder."""
    others: Mapping[type[cst.BaseBinaryOp], Callable[[], cst.BaseBinaryOp]] = {
        cst.Multiply: cst.FloorDivide,
        cst.FloorDivide: cst.Modulo,
        cst.Modulo: cst.FloorDivide,
        cst.Divide: cst.Multiply,
    }
    other = others.get(type(node.operator))
    if other is not None and not isinstance(node.left, (cst.SimpleString, cst.FormattedString)):
        yield node.with_changes(operator=other())


@operator(cst.BinaryOperation)
def operand_left_out(node: cst.BinaryOperation) -> Iterator[Piece]:
    """A sum, a product or a difference of which only one part is taken."""
    for kept in (node.left, node.right):
        if not isinstance(kept, (cst.Integer, cst.SimpleString)):
            yield kept.with_changes(lpar=node.lpar, rpar=node.rpar) if node.lpar else kept


@operator(cst.BinaryOperation)
def operands_swapped(node: cst.BinaryOperation) -> Iterator[Piece]:
    """The other one of two from the first."""
    simple = (cst.Name, cst.Attribute, cst.Call, cst.Subscript)
    if not isinstance(node.operator, cst.Multiply) and isinstance(node.left, simple) and isinstance(node.right, simple):
        yield node.with_changes(left=node.right, right=node.left)


@operator(cst.Integer)
def number_raised(node: cst.Integer) -> Iterator[Piece]:
    """A number one too large."""
    yield cst.Integer(str(int(node.value, 0) + 1))


@operator(cst.Integer)
def number_lowered(node: cst.Integer) -> Iterator[Piece]:
    """A number one too small."""
    if int(node.value, 0) > 0:
        yield cst.Integer(str(int(node.value, 0) - 1))


@operator(cst.Call)
def range_shifted(node: cst.Call) -> Iterator[Piece]:
    """A range that begins one too late or ends one too early."""
    if isinstance(node.func, cst.Name) and node.func.value == "range" and 1 <= len(node.args) <= 3:
        one = cst.Integer("1")
        last = min(len(node.args), 2) - 1
        less = node.args[last].with_changes(value=cst.BinaryOperation(node.args[last].value, cst.Subtract(), one))
        yield node.with_changes(args=[*node.args[:last], less, *node.args[last + 1 :]])
        if last == 0:
            yield node.with_changes(args=[cst.Arg(one), node.args[0]])
        else:
            more = node.args[0].with_changes(value=cst.BinaryOperation(node.args[0].value, cst.Add(), one))
            yield node.with_changes(args=[more, *node.args[1:]])


@operator(cst.Slice)
def slice_opened(node: cst.Slice) -> Iterator[Piece]:
    """A slice that goes to the end, or begins at the beginning."""
    if node.lower is not None and node.upper is not None:
        yield node.with_changes(upper=None)
        yield node.with_changes(lower=None)


@operator(cst.Slice)
def slice_shifted(node: cst.Slice) -> Iterator[Piece]:
    """A slice that begins or ends one too late."""
    if node.lower is not None and not isinstance(node.lower, cst.UnaryOperation):
        yield node.with_changes(lower=cst.BinaryOperation(node.lower, cst.Add(), cst.Integer("1")))
    if node.upper is not None and not isinstance(node.upper, cst.UnaryOperation):
        yield node.with_changes(upper=cst.BinaryOperation(node.upper, cst.Add(), cst.Integer("1")))


@operator(cst.Index)
def other_end(node: cst.Index) -> Iterator[Piece]:
    """The last one for the first one."""
    value = node.value
    if isinstance(value, cst.Integer) and value.value == "0":
        yield node.with_changes(value=cst.UnaryOperation(cst.Minus(), cst.Integer("1")))
    if (
        isinstance(value, cst.UnaryOperation)
        and isinstance(value.expression, cst.Integer)
        and value.expression.value == "1"
    ):
        yield node.with_changes(value=cst.Integer("0"))


@operator(cst.Call)
def function_exchanged(node: cst.Call) -> Iterator[Piece]:
    """The least for the greatest, any for all, and their like."""
    if isinstance(node.func, cst.Name) and node.func.value in FUNCTIONS:
        yield node.with_changes(func=cst.Name(FUNCTIONS[node.func.value]))


@operator(cst.Call)
def method_exchanged(node: cst.Call) -> Iterator[Piece]:
    """A method for one that does nearly the same."""
    if isinstance(node.func, cst.Attribute) and node.func.attr.value in METHODS:
        yield node.with_changes(func=node.func.with_changes(attr=cst.Name(METHODS[node.func.attr.value])))


@operator(cst.Call)
def argument_left_out(node: cst.Call) -> Iterator[Piece]:
    """A named argument, such as the key of an order, that is not given."""
    for at, argument in enumerate(node.args):
        if argument.keyword is not None:
            kept = [*node.args[:at], *node.args[at + 1 :]]
            if kept:
                kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            yield node.with_changes(args=kept)


@operator(cst.Call)
def default_left_out(node: cst.Call) -> Iterator[Piece]:
    """The last of several arguments that is not given, so that its default counts."""
    if len(node.args) >= 2 and node.args[-1].keyword is None and not node.args[-1].star:
        yield node.with_changes(args=[*node.args[:-2], node.args[-2].with_changes(comma=cst.MaybeSentinel.DEFAULT)])


@operator(cst.Call)
def arguments_swapped(node: cst.Call) -> Iterator[Piece]:
    """Two arguments in each other's place."""
    for at in range(len(node.args) - 1):
        first, second = node.args[at], node.args[at + 1]
        if first.keyword is None and second.keyword is None and not first.star and not second.star:
            changed = [first.with_changes(value=second.value), second.with_changes(value=first.value)]
            yield node.with_changes(args=[*node.args[:at], *changed, *node.args[at + 2 :]])


@operator(cst.Call)
def copy_left_out(node: cst.Call) -> Iterator[Piece]:
    """The thing itself for a copy, what is unordered for what is in order."""
    named = isinstance(node.func, cst.Name) and node.func.value in PURE
    if named and node.args and not node.args[0].star:
        given = node.args[0].value
        yield from [given] if isinstance(given, (cst.Name, cst.Attribute, cst.Call)) else []
    if isinstance(node.func, cst.Attribute) and node.func.attr.value == "copy" and not node.args:
        yield node.func.value


@operator(cst.Param)
def default_changed(node: cst.Param) -> Iterator[Piece]:
    """Another default."""
    value = node.default
    if isinstance(value, cst.Name) and value.value in ("True", "False"):
        yield node.with_changes(default=cst.Name("False" if value.value == "True" else "True"))
    elif isinstance(value, cst.Integer):
        yield node.with_changes(default=cst.Integer(str(int(value.value, 0) + 1)))


@placed_operator(cst.Name)
def truth_flipped(node: cst.Name, place: Place) -> Iterator[Piece]:
    """True for False, if `node` is one of them; not as a default, where the parent in `place` is the parameter."""
    if node.value in ("True", "False") and not isinstance(place.parent, cst.Param):
        yield cst.Name("False" if node.value == "True" else "True")


@placed_operator(cst.Name)
def variable_confused(node: cst.Name, place: Place) -> Iterator[Piece]:
    """Another variable of the same function: the ones before and after `node` among the names of `place`, in a ring."""
    if node.value in place.names and isinstance(
        place.parent, (cst.Arg, cst.BinaryOperation, cst.Comparison, cst.ComparisonTarget, cst.Return, cst.Index)
    ):
        at = place.names.index(node.value)
        for other in (place.names[at - 1], place.names[(at + 1) % len(place.names)]):
            if other not in (node.value, "self", "cls"):
                yield cst.Name(other)


@placed_operator(cst.Attribute)
def attribute_confused(node: cst.Attribute, place: Place) -> Iterator[Piece]:
    """Another attribute of the same object: the one after that of `node` among the attributes of `place`, in a ring."""
    if node.attr.value in place.attributes and not isinstance(place.parent, (cst.AssignTarget, cst.Call)):
        at = place.attributes.index(node.attr.value)
        other = place.attributes[(at + 1) % len(place.attributes)]
        if other != node.attr.value:
            yield node.with_changes(attr=cst.Name(other))


@placed_operator(cst.SimpleStatementLine)
def statement_left_out(node: cst.SimpleStatementLine, place: Place) -> Iterator[Piece]:
    """A step that is not taken; `node` becomes `pass` if the block around it, given by `place`, holds nothing else."""
    first = node.body[0]
    is_call = isinstance(first, cst.Expr) and isinstance(first.value, cst.Call)
    is_attribute = isinstance(first, cst.Assign) and isinstance(first.targets[0].target, (cst.Attribute, cst.Subscript))
    if len(node.body) == 1 and (is_call or is_attribute or isinstance(first, (cst.AugAssign, cst.Del))):
        alone = isinstance(place.parent, cst.IndentedBlock) and len(place.parent.body) == 1
        yield node.with_changes(body=[cst.Pass()]) if alone else cst.RemoveFromParent()


@operator(cst.AugAssign)
def change_exchanged(node: cst.AugAssign) -> Iterator[Piece]:
    """What should be added is taken away, or takes the place of what was there."""
    if isinstance(node.operator, cst.AddAssign):
        yield node.with_changes(operator=cst.SubtractAssign())
    elif isinstance(node.operator, cst.SubtractAssign):
        yield node.with_changes(operator=cst.AddAssign())
    yield cst.Assign([cst.AssignTarget(node.target)], node.value)


@operator(cst.Continue)
def loop_left(node: cst.Continue) -> Iterator[Piece]:
    """A loop that is left where only one turn should be."""
    yield cst.Break()


@operator(cst.Break)
def loop_gone_on(node: cst.Break) -> Iterator[Piece]:
    """A loop that goes on where it should be left."""
    yield cst.Continue()


@operator(cst.If)
def guard_left_out(node: cst.If) -> Iterator[Piece]:
    """A case of its own that is not treated apart."""
    body = node.body.body
    first = body[0] if node.orelse is None and len(body) == 1 else None
    if isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], (cst.Return, cst.Raise, cst.Continue)):
        yield cst.RemoveFromParent()


@placed_operator(cst.If)
def condition_dropped(node: cst.If, place: Place) -> Iterator[Piece]:
    """A step that is taken always: the body of `node` in its stead.

    Only without an else, in a block that is the parent in `place`, and where the body leaves nothing at once.
    """
    body = node.body.body
    within = node.orelse is None and isinstance(place.parent, cst.IndentedBlock)
    plain = within and not isinstance(getattr(body[-1], "body", None), cst.IndentedBlock)
    first = body[0]
    if not (plain and isinstance(first, cst.SimpleStatementLine)):
        return
    if not isinstance(first.body[0], (cst.Return, cst.Raise, cst.Continue, cst.Break)):
        yield cst.FlattenSentinel([*body])


@placed_operator(cst.If)
def branches_merged(node: cst.If, place: Place) -> Iterator[Piece]:
    """A second condition that is asked though the first one held.

    The `elif` of `node` becomes an `if` after it, so the parent in `place` must be a block.
    """
    if isinstance(node.orelse, cst.If) and isinstance(place.parent, cst.IndentedBlock):
        second = node.orelse.with_changes(leading_lines=[])
        yield cst.FlattenSentinel([node.with_changes(orelse=None), second])


@operator(cst.IfExp)
def choice_swapped(node: cst.IfExp) -> Iterator[Piece]:
    """The one for the other of two values."""
    yield node.with_changes(body=node.orelse, orelse=node.body)


@operator(cst.ExceptHandler)
def error_confused(node: cst.ExceptHandler) -> Iterator[Piece]:
    """An error of another kind that is caught."""
    if isinstance(node.type, cst.Name) and node.type.value in ERRORS:
        yield node.with_changes(type=cst.Name(ERRORS[node.type.value]))


@operator(cst.Raise)
def error_exchanged(node: cst.Raise) -> Iterator[Piece]:
    """An error of another kind that is raised."""
    call = node.exc
    if isinstance(call, cst.Call) and isinstance(call.func, cst.Name) and call.func.value in ERRORS:
        yield node.with_changes(exc=call.with_changes(func=cst.Name(ERRORS[call.func.value])))


@placed_operator(cst.SimpleString)
def text_emptied(node: cst.SimpleString, place: Place) -> Iterator[Piece]:
    """A separator that is nothing, or that lacks its space: the text of `node` without spaces at its ends.

    Only where the parent in `place` uses the text: an argument, an operand, a method's object, or what is compared.
    """
    if (
        isinstance(place.parent, (cst.Arg, cst.BinaryOperation, cst.Attribute, cst.ComparisonTarget))
        and node.quote == '"'
    ):
        text = node.value[1:-1]
        if len(text) >= 2 and text != text.strip():
            yield cst.SimpleString(f'"{text.strip()}"')


@operator(cst.While)
def loop_once(node: cst.While) -> Iterator[Piece]:
    """What should be repeated is done once."""
    if node.orelse is None and not any(isinstance(each, (cst.Break, cst.Continue)) for each in _inner(node.body)):
        yield cst.If(node.test, node.body, leading_lines=node.leading_lines)


@operator(cst.CompFor)
def filter_left_out(node: cst.CompFor) -> Iterator[Piece]:
    """A comprehension that takes all."""
    if node.ifs:
        yield node.with_changes(ifs=node.ifs[:-1])


@operator(cst.Return)
def result_confused(node: cst.Return) -> Iterator[Piece]:
    """The parts of a result in the wrong order."""
    if isinstance(node.value, cst.Tuple) and len(node.value.elements) == 2:
        first, second = node.value.elements
        changed = [first.with_changes(value=second.value), second.with_changes(value=first.value)]
        yield node.with_changes(value=node.value.with_changes(elements=changed))


def _inner(node: cst.CSTNode) -> Iterator[Piece]:
    """A node and everything below it."""
    yield node
    for child in node.children:
        yield from _inner(child)
