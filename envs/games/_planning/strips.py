"""Typed STRIPS: domains, problems, and problems grounded to bit masks, one bit for each fact that can change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from agentgym.core.errors import TaskError

Atom = tuple[str, ...]  # a predicate and its arguments: objects, or variables that begin with ?
OBJECT = "object"  # the type above all others
OPERATORS = 20_000  # ground operators of a problem, at most


@dataclass(frozen=True, slots=True)
class Schema:
    """An action with variables: what must hold, what becomes true, what becomes false."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    needs: tuple[Atom, ...]
    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]

    def bind(self, objects: tuple[str, ...]) -> Mapping[str, str]:
        """Objects by variable."""
        return {variable: name for (variable, _), name in zip(self.parameters, objects, strict=True)}


@dataclass(frozen=True, eq=False)
class Domain:
    """Types (each with its parent), predicates with the types of their arguments, constants, and actions."""

    name: str
    types: Mapping[str, str]
    predicates: Mapping[str, tuple[tuple[str, str], ...]]
    constants: Mapping[str, str]
    actions: Mapping[str, Schema]

    @property
    def fluents(self) -> frozenset[str]:
        """Predicates that some action changes; the others stand as they are for ever."""
        return frozenset(atom[0] for schema in self.actions.values() for atom in (*schema.adds, *schema.deletes))

    def is_a(self, kind: str, wanted: str) -> bool:
        """Whether the type `kind` is `wanted` or below it; every type is below `object`."""
        while kind != wanted and kind in self.types:
            kind = self.types[kind]
        return kind == wanted or wanted == OBJECT


@dataclass(frozen=True, eq=False)
class Problem:
    """Objects with their types, what holds at first, and what is to hold."""

    name: str
    objects: Mapping[str, str]
    init: tuple[Atom, ...]
    goal: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """A ground action as masks over facts."""

    name: Atom  # the schema and its objects
    needs: int
    adds: int
    deletes: int


@dataclass(frozen=True, eq=False)
class Ground:
    """A problem as masks: bit i is `facts[i]`. Facts come in the order of predicates and objects.

    Attributes:
        facts: Every fact that changes and can become true.
        bits: The bit of each fact.
        static: What holds for ever.
        operators: Every action that can become possible.
        start, goal: Masks.
        possible: Whether each goal fact can become true, one by one.
    """

    domain: Domain
    problem: Problem
    facts: tuple[Atom, ...]
    bits: Mapping[Atom, int]
    static: frozenset[Atom]
    operators: tuple[Operator, ...]
    by_name: Mapping[Atom, Operator] = field(repr=False)
    start: int
    goal: int
    possible: bool

    def holds(self, atom: Atom, state: int) -> bool:
        """Whether a ground `atom` is true in a `state`, a mask of facts; what never changes is true in all or none."""
        return atom in self.static or bool(self.bits.get(atom, 0) & state)

    def true(self, state: int) -> list[Atom]:
        """The facts of a state in order."""
        return [fact for fact in self.facts if self.bits[fact] & state]

    def missing(self, schema: Schema, objects: tuple[str, ...], state: int) -> list[Atom]:
        """What an action needs and does not find.

        Args:
            schema: The action.
            objects: What its parameters stand for, in their order.
            state: Mask of the facts that hold.

        Returns:
            Ground atoms in the order of the schema; empty if the action is possible.
        """
        bound = schema.bind(objects)
        return [atom for atom in (fill(atom, bound) for atom in schema.needs) if not self.holds(atom, state)]


def fill(atom: Atom, bound: Mapping[str, str]) -> Atom:
    """An `atom` with objects in place of its variables, those by variable in `bound`; others stay as they are."""
    return tuple([bound.get(term, term) for term in atom])


def ground(domain: Domain, problem: Problem) -> Ground:
    """All actions that can become possible from the start, and all facts that they change.

    Args:
        domain: What objects can be and what can be done.
        problem: A problem of this domain.

    Raises:
        TaskError: if there are more than 20,000 operators.
    """
    fluents = domain.fluents
    objects = {**domain.constants, **problem.objects}
    static = frozenset(atom for atom in problem.init if atom[0] not in fluents)
    found = [named for schema in domain.actions.values() for named in _instances(domain, schema, objects, static)]
    if len(found) > OPERATORS:
        raise TaskError(f"the problem {problem.name!r} has more than {OPERATORS} ground actions; make it smaller")
    reached = {atom for atom in problem.init if atom[0] in fluents}
    waiting: list[Instance] = found
    usable: list[Instance] = []
    while waiting:
        later: list[Instance] = []
        for item in waiting:
            (usable if reached.issuperset(item[1]) else later).append(item)
        if len(later) == len(waiting):
            break
        for _, _, adds, _ in usable[-(len(waiting) - len(later)) :]:
            reached.update(adds)
        waiting = later
    facts = _ordered(domain, objects, reached)
    bits = {fact: 1 << place for place, fact in enumerate(facts)}

    def mask(atoms: tuple[Atom, ...]) -> int:
        total = 0
        for atom in atoms:
            total |= bits.get(atom, 0)
        return total

    operators = []
    for name, needs, adds, deletes in usable:
        need, add = mask(needs), mask(adds)
        delete = mask(deletes) & ~add
        if delete or add & ~need:  # PDDL lets one drive from a place to itself, which is no action here
            operators.append(Operator(name, need, add, delete))
    open_goals = tuple(atom for atom in problem.goal if atom not in static)
    return Ground(
        domain,
        problem,
        facts,
        bits,
        static,
        tuple(operators),
        {operator.name: operator for operator in operators},
        mask(problem.init),
        mask(open_goals),
        all(atom in bits for atom in open_goals),
    )


Instance = tuple[Atom, tuple[Atom, ...], tuple[Atom, ...], tuple[Atom, ...]]


def _instances(
    domain: Domain, schema: Schema, objects: Mapping[str, str], static: frozenset[Atom]
) -> Iterator[Instance]:
    """Ground actions of a schema whose unchanging needs hold: name, changing needs, adds, deletes."""
    fluents = domain.fluents
    choices = [[name for name, kind in objects.items() if domain.is_a(kind, wanted)] for _, wanted in schema.parameters]
    names = [variable for variable, _ in schema.parameters]
    place = {variable: index for index, variable in enumerate(names)}
    checks: list[list[Atom]] = [[] for _ in range(len(names) + 1)]  # by how many variables must be bound
    for atom in schema.needs:
        if atom[0] not in fluents:
            checks[max([place[term] + 1 for term in atom[1:] if term in place], default=0)].append(atom)
    needs = tuple(atom for atom in schema.needs if atom[0] in fluents)
    bound: dict[str, str] = {}

    def walk(depth: int) -> Iterator[Instance]:
        for atom in checks[depth]:
            if fill(atom, bound) not in static:
                return
        if depth == len(names):
            yield (
                (schema.name, *[bound[name] for name in names]),
                tuple([fill(atom, bound) for atom in needs]),
                tuple([fill(atom, bound) for atom in schema.adds]),
                tuple([fill(atom, bound) for atom in schema.deletes]),
            )
            return
        for name in choices[depth]:
            bound[names[depth]] = name
            yield from walk(depth + 1)

    yield from walk(0)


def _ordered(domain: Domain, objects: Mapping[str, str], atoms: set[Atom]) -> tuple[Atom, ...]:
    """Atoms in the order in which predicates and objects are declared."""
    first = {name: place for place, name in enumerate(domain.predicates)}
    then = {name: place for place, name in enumerate(objects)}
    return tuple(sorted(atoms, key=lambda atom: (first[atom[0]], *[then[name] for name in atom[1:]])))
