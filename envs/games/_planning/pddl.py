"""PDDL in and out: the part with `:strips` and `:typing` (McDermott et al. 1998)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from agentgym.core.errors import TaskError
from agentgym.envs.games._planning.strips import OBJECT, Atom, Domain, Problem, Schema

TOKEN = re.compile(r"[()]|[^\s()]+")
COMMENT = re.compile(r";[^\n]*")
NAME = re.compile(r"[a-z][a-z0-9_-]*")
DEEP = 20  # brackets in brackets, at most
KNOWN = {":strips", ":typing"}


def expression(text: str, what: str) -> list[Any]:
    """Bracketed text as nested lists of lower-case words.

    Args:
        text: PDDL; what follows a ; in a line is left out.
        what: What the text is, for messages.

    Raises:
        TaskError: if the brackets do not match, or more than one expression stands there.
    """
    stack: list[list[Any]] = [[]]
    for token in TOKEN.findall(COMMENT.sub("", text).lower()):
        if token == "(":
            if len(stack) > DEEP:
                raise TaskError(f"{what} has more than {DEEP} brackets in each other")
            stack.append([])
        elif token == ")":
            if len(stack) == 1:
                raise TaskError(f"{what} closes a bracket that was not opened")
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    if len(stack) > 1 or len(stack[0]) != 1 or not isinstance(stack[0][0], list):
        raise TaskError(f"{what} must be one expression in brackets, each bracket closed")
    return stack[0][0]


def _sections(tree: list[Any], kind: str) -> tuple[str, dict[str, list[Any]], list[list[Any]]]:
    """Name, sections by keyword, and the actions of `(define (kind name) ...)`."""
    head = tree[1] if len(tree) > 1 else None
    if tree[:1] != ["define"] or not isinstance(head, list) or len(head) != 2 or head[0] != kind:
        raise TaskError(f"a PDDL {kind} begins with (define ({kind} <name>)")
    found: dict[str, list[Any]] = {}
    actions = []
    for part in tree[2:]:
        if not isinstance(part, list) or not part or not isinstance(part[0], str):
            raise TaskError(f"a part of the PDDL {kind} {head[1]} is no section such as (:init ...)")
        if part[0] == ":action":
            actions.append(part)
        elif part[0] in found:
            raise TaskError(f"the PDDL {kind} {head[1]} has two sections {part[0]}")
        else:
            found[part[0]] = part[1:]
    return _word(head[1], f"the name of the {kind}"), found, actions


def _word(token: Any, what: str) -> str:
    if not isinstance(token, str) or not NAME.fullmatch(token):
        raise TaskError(f"{what} must be a PDDL name (letters, digits, - and _), got {_shown(token)}")
    return token


def _shown(token: Any) -> str:
    return repr(token)[:60]


def _typed(tokens: Sequence[Any], what: str, variables: bool = False) -> Iterator[tuple[str, str]]:
    """`a b - t c` as pairs of name and type."""
    waiting: list[str] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token == "-":
            if place + 1 == len(tokens) or not waiting:
                raise TaskError(f"a - in {what} must stand between names and their type")
            kind = _word(tokens[place + 1], f"a type in {what}")
            yield from ((name, kind) for name in waiting)
            waiting = []
            place += 2
            continue
        if variables and not (isinstance(token, str) and token.startswith("?")):
            raise TaskError(f"a parameter in {what} must begin with ?, got {_shown(token)}")
        waiting.append(token if variables else _word(token, f"a name in {what}"))
        place += 1
    yield from ((name, OBJECT) for name in waiting)


def _unique(pairs: Iterator[tuple[str, str]], what: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, kind in pairs:
        if name in found:
            raise TaskError(f"{what} names {name} twice")
        found[name] = kind
    return found


@lru_cache(maxsize=64)
def read_domain(text: str) -> Domain:
    """A domain from PDDL.

    Raises:
        TaskError: if it is malformed or needs more than `:strips` and `:typing`.
    """
    name, found, actions = _sections(expression(text, "the PDDL domain"), "domain")
    strange = set(map(str, found.get(":requirements", ()))) - KNOWN
    unread = found.keys() - {":requirements", ":types", ":predicates", ":constants"}
    if strange or unread:
        raise TaskError(
            f"the domain {name} needs {', '.join(sorted(strange | unread))}; only :strips and :typing are read"
        )
    types = _unique(_typed(found.get(":types", ()), "the types"), "the list of types")
    types.pop(OBJECT, None)
    for kind in types:
        seen, above = {kind}, types[kind]
        while above in types:
            if above in seen:
                raise TaskError(f"the type {kind} of the domain {name} stands above itself")
            seen.add(above)
            above = types[above]
    kinds = {OBJECT, *types, *types.values()}
    predicates: dict[str, tuple[tuple[str, str], ...]] = {}
    for part in found.get(":predicates", ()):
        if not isinstance(part, list) or not part:
            raise TaskError(f"a predicate of the domain {name} must stand in brackets, got {_shown(part)}")
        predicates[_word(part[0], "a predicate")] = tuple(_typed(part[1:], f"predicate {part[0]}", variables=True))
    constants = _unique(_typed(found.get(":constants", ()), "the constants"), "the list of constants")
    schemas = {schema.name: schema for schema in (_action(part, predicates, constants) for part in actions)}
    if not schemas or len(schemas) < len(actions):
        raise TaskError(f"the domain {name} must have actions, each with a name of its own")
    used = [*constants.values(), *(kind for slots in predicates.values() for _, kind in slots)]
    used += [kind for schema in schemas.values() for _, kind in schema.parameters]
    for kind in used:
        if kind not in kinds:
            raise TaskError(f"the domain {name} has no type {kind!r}; its types are {', '.join(sorted(kinds))}")
    return Domain(name, types, predicates, constants, schemas)


def _action(part: list[Any], predicates: Mapping[str, Sequence[Any]], constants: Mapping[str, str]) -> Schema:
    name = _word(part[1] if len(part) > 1 else None, "the name of an action")
    fields = dict(zip(part[2::2], part[3::2], strict=False)) if all(isinstance(key, str) for key in part[2::2]) else {}
    if len(part) % 2 or set(fields) - {":parameters", ":precondition", ":effect"} or ":effect" not in fields:
        raise TaskError(f"the action {name} must have :parameters, :precondition and :effect, and nothing else")
    pairs = list(_typed(_listed(fields.get(":parameters", []), name), f"action {name}", variables=True))
    if len(dict(pairs)) < len(pairs):
        raise TaskError(f"the action {name} names a parameter twice")
    terms = {**constants, **dict(pairs)}
    needs, negative = _atoms(fields.get(":precondition", []), f"the precondition of {name}", predicates, terms)
    if negative:
        raise TaskError(f"the action {name} needs something to be false; only :strips is read")
    adds, deletes = _atoms(fields[":effect"], f"the effect of {name}", predicates, terms)
    return Schema(name, tuple(pairs), needs, adds, deletes)


def _listed(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise TaskError(f"the action {name} has a part that is not in brackets: {_shown(value)}")
    return value


def _atoms(
    tree: Any, what: str, predicates: Mapping[str, Sequence[Any]], terms: Mapping[str, str]
) -> tuple[tuple[Atom, ...], tuple[Atom, ...]]:
    """The atoms of a conjunction, and those under `not`."""
    if not isinstance(tree, list):
        raise TaskError(f"{what} must stand in brackets, got {_shown(tree)}")
    true: list[Atom] = []
    false: list[Atom] = []
    for part in tree[1:] if tree[:1] == ["and"] else [tree] if tree else []:
        under = isinstance(part, list) and part[:1] == ["not"] and len(part) == 2
        atom = part[1] if under else part
        if not isinstance(atom, list) or not atom or not all(isinstance(token, str) for token in atom):
            raise TaskError(f"{what} must be made of (and ...), (not ...) and atoms, got {_shown(part)}")
        if atom[0] not in predicates or len(atom) - 1 != len(predicates[atom[0]]):
            raise TaskError(f"{what} holds {show(atom)}, which fits no predicate of the domain")
        unknown = [term for term in atom[1:] if term not in terms]
        if unknown:
            raise TaskError(f"{what} holds {show(atom)}, but nothing is called {unknown[0]}")
        (false if under else true).append(tuple(atom))
    return tuple(dict.fromkeys(true)), tuple(dict.fromkeys(false))


def read_problem(text: str, domain: Domain) -> Problem:
    """A problem of a domain from PDDL.

    Args:
        text: The PDDL of the problem.
        domain: The domain that it must name, and whose types and predicates it must keep to.

    Raises:
        TaskError: if it is malformed or does not fit the domain.
    """
    name, found, actions = _sections(expression(text, "the PDDL problem"), "problem")
    unread = found.keys() - {":domain", ":objects", ":init", ":goal", ":requirements"}
    if unread or actions:
        raise TaskError(f"the problem {name} has the section {sorted(unread or {':action'})[0]}, which is not read")
    if found.get(":domain") != [domain.name]:
        raise TaskError(f"the problem {name} must be of (:domain {domain.name}), got {_shown(found.get(':domain'))}")
    objects = _unique(_typed(found.get(":objects", ()), "the objects"), "the list of objects")
    kinds = {OBJECT, *domain.types, *domain.types.values()}
    for thing, kind in objects.items():
        if kind not in kinds or thing in domain.constants:
            raise TaskError(f"the object {thing} - {kind} of the problem {name} has no known type, or is a constant")
    terms = {**domain.constants, **objects}
    init, negative = _atoms(["and", *found.get(":init", ())], "the init", domain.predicates, terms)
    goals = found.get(":goal", [])
    if len(goals) != 1:
        raise TaskError(f"the problem {name} must have one goal, such as (:goal (and ...))")
    goal, never = _atoms(goals[0], "the goal", domain.predicates, terms)
    if negative or never or not goal:
        raise TaskError(f"init and goal of the problem {name} must say what is true, and the goal at least one thing")
    for atom in (*init, *goal):
        for term, (_, kind) in zip(atom[1:], domain.predicates[atom[0]], strict=True):
            if not domain.is_a(terms[term], kind):
                raise TaskError(f"{show(atom)} of the problem {name} does not fit: {term} is no {kind}")
    return Problem(name, objects, init, goal)


def show(atom: Sequence[str]) -> str:
    """An atom or a ground action as `(on a b)`."""
    return f"({' '.join(atom)})"


def write_problem(problem: Problem, domain: Domain) -> str:
    """A `problem` as PDDL, its objects grouped by type; of its `domain` only the name is written."""
    groups: dict[str, list[str]] = {}
    for name, kind in problem.objects.items():
        groups.setdefault(kind, []).append(name)
    objects = " ".join(f"{' '.join(names)} - {kind}" for kind, names in groups.items())
    return (
        f"(define (problem {problem.name})\n  (:domain {domain.name})\n  (:objects {objects})\n"
        f"  (:init {' '.join(map(show, problem.init))})\n  (:goal (and {' '.join(map(show, problem.goal))})))"
    )
