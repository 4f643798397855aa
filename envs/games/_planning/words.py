"""Planning problems in words: sentences for facts, commands for actions, and what a player may say for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from agentgym.core.grammar import SLOT, Call, Command, Grammar, shorten
from agentgym.envs.games._planning.pddl import show
from agentgym.envs.games._planning.strips import Atom, Domain, Ground, Operator, Schema

ARTICLE = re.compile(r"(?:the|a|an)\s+", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Wording:
    """How a domain is told.

    Attributes:
        rules: What can be done and what stands in the way, in a few sentences.
        names: Names to draw from by type, as PDDL writes them; dashes are read as spaces.
        actions: By action, its form and other accepted forms; the slots are its parameters.
        facts: By predicate, how it is said when true and when false; {0} is the first argument.
        silent: Predicates that are not told, because the others or the names say the same.
        bare: Types whose names stand without "the".
        labels: What a type or a parameter is called, where it is not its own name.
    """

    rules: str
    names: Mapping[str, tuple[str, ...]]
    actions: Mapping[str, tuple[str, ...]]
    facts: Mapping[str, tuple[str, str]]
    silent: frozenset[str] = field(default_factory=frozenset)
    bare: frozenset[str] = field(default_factory=frozenset)
    labels: Mapping[str, str] = field(default_factory=dict)


def listing(names: str) -> tuple[str, ...]:
    """Names that stand in one text."""
    return tuple(names.split())


def plain(name: str) -> str:
    """A PDDL name as words."""
    return name.replace("-", " ").replace("_", " ")


def name_of(thing: str, bare: bool) -> str:
    """An object, `thing` as PDDL writes it, in a sentence: with "the" unless it stands `bare`."""
    return plain(thing) if bare else f"the {plain(thing)}"


class Teller:
    """The sentences and commands of one grounded problem; without a wording they are PDDL."""

    def __init__(self, ground: Ground, wording: Wording | None):
        self.ground = ground
        self.wording = wording
        self.domain = ground.domain
        self._kinds = {**self.domain.constants, **ground.problem.objects}
        self._said: dict[Atom, str] = {}
        self._listed: dict[str, Operator] = {}  # by what a player says, filled with the first action
        groups: dict[str, list[tuple[int, str]]] = {}
        for fact in ground.facts:
            if wording is None or fact[0] not in wording.silent:
                groups.setdefault(fact[0], []).append((ground.bits[fact], self.sentence(fact)))
        self._groups = [(sum(bit for bit, _ in group), group) for group in groups.values()]

    def name(self, thing: str) -> str:
        """An object in a sentence."""
        assert self.wording is not None
        return name_of(thing, self._kinds[thing] in self.wording.bare)

    def clause(self, atom: Atom, true: bool = True) -> str:
        """A fact, the ground `atom`, as part of a sentence that says it is `true`, or that it is not."""
        if self.wording is None:
            return show(atom) if true else f"(not {show(atom)})"
        return self.wording.facts[atom[0]][0 if true else 1].format(*map(self.name, atom[1:]))

    def sentence(self, atom: Atom) -> str:
        """A fact as a sentence."""
        said = self.clause(atom)
        return said if self.wording is None else f"{said[0].upper()}{said[1:]}."

    def state(self, state: int) -> str:
        """What changes, as it is now: a line a predicate."""
        return "\n".join(
            [" ".join([said for bit, said in group if state & bit]) for mask, group in self._groups if state & mask]
        )

    def scene(self) -> str:
        """What never changes: a line a predicate."""
        lines: dict[str, list[str]] = {}
        for atom in self.ground.problem.init:
            if atom in self.ground.static and (self.wording is None or atom[0] not in self.wording.silent):
                lines.setdefault(atom[0], []).append(self.sentence(atom))
        return "\n".join(" ".join(line) for line in lines.values())

    def things(self) -> str:
        """The objects by type."""
        groups: dict[str, list[str]] = {}
        for name, kind in self._kinds.items():
            groups.setdefault(kind, []).append(name if self.wording is None else plain(name))
        return "; ".join(f"{self._label(kind)}: {', '.join(names)}" for kind, names in groups.items())

    def command(self, name: Atom) -> str:
        """A ground action as a player says it."""
        said = self._said.get(name)
        if said is None:
            said = show(name)
            if self.wording is not None:
                said = self.wording.actions[name[0]][0]
                for (variable, _), thing in zip(self.domain.actions[name[0]].parameters, name[1:], strict=True):
                    said = said.replace(f"<{variable[1:]}>", plain(thing))
            self._said[name] = said
        return said

    def done(self, operator: Operator) -> str:
        """An action that has been done."""
        name = operator.name
        if self.wording is None:
            return f"Done: {show(name)}"
        said = self.wording.actions[name[0]][0]
        for (variable, _), thing in zip(self.domain.actions[name[0]].parameters, name[1:], strict=True):
            said = said.replace(f"<{variable[1:]}>", self.name(thing))
        return f"You {said}."

    def understand(self, text: str) -> Operator | str:
        """The ground action that a player means, possible now or not; or what is wrong with the words."""
        if not self._listed:
            self._listed.update((self.command(operator.name), operator) for operator in self.ground.operators)
        known = self._listed.get(text)
        if known is not None:
            return known
        refusal = ""
        for schema, given in self._pddl(text) if text.startswith("(") else self._words(text):
            found = self._step_all(schema, given)
            if not isinstance(found, str):
                return found
            refusal = refusal or found
        return refusal or f"{shorten(text)!r} is no action here. You can: {self.forms()}."

    def _step_all(self, schema: Schema, given: Sequence[str]) -> Operator | str:
        """The ground action of a schema with the objects that were said."""
        objects = []
        for (_, kind), said in zip(schema.parameters, given, strict=True):
            thing = "-".join(said.lower().split())
            if thing not in self._kinds:
                thing = "-".join(ARTICLE.sub("", said, count=1).lower().split())
            if thing not in self._kinds:
                return f"There is no {shorten(said)!r} here. {self._those(kind)}"
            if not self.domain.is_a(self._kinds[thing], kind):
                return f"{shorten(said)!r} is no {self._label(kind)}. {self._those(kind)}"
            objects.append(thing)
        name = (schema.name, *objects)
        return self.ground.by_name.get(name) or Operator(name, -1, 0, 0)

    def why_not(self, name: Atom, state: int) -> str:
        """Why a ground action cannot be done now.

        Args:
            name: The action and its objects.
            state: Mask of the facts that hold.
        """
        missing = self.ground.missing(self.domain.actions[name[0]], name[1:], state)
        reasons = ", and ".join(self.clause(atom, true=False) for atom in missing)
        return f"You cannot {self.command(name)} now: {reasons or 'it would change nothing'}."

    def _label(self, kind: str) -> str:
        return plain(kind) if self.wording is None else self.wording.labels.get(kind, plain(kind))

    def _those(self, kind: str) -> str:
        names = [name for name, its in self._kinds.items() if self.domain.is_a(its, kind)]
        shown = ", ".join(map(plain, names) if self.wording else names)
        return f"What can be named as {self._label(kind)}: {shown or 'nothing'}."

    def _words(self, text: str) -> Iterator[tuple[Schema, list[str]]]:
        """The ways to read an action, those with more fixed words first."""
        for grammar in grammars(self.domain, self.wording) if self.wording else ():
            call = grammar.parse(text)
            if isinstance(call, Call):
                schema = self.domain.actions[call.name]
                yield schema, [call[variable[1:].replace("-", "_")] for variable, _ in schema.parameters]

    def _pddl(self, text: str) -> Iterator[tuple[Schema, list[str]]]:
        words = text.strip()[1:].removesuffix(")").lower().split()
        schema = self.domain.actions.get(words[0]) if words else None
        if schema is not None and text.rstrip().endswith(")") and len(words) - 1 == len(schema.parameters):
            yield schema, words[1:]

    def forms(self) -> str:
        """The forms of all actions in one line."""
        if self.wording is None:
            return ", ".join(pddl_forms(self.domain))
        told = []
        for schema in self.domain.actions.values():
            form = self.wording.actions[schema.name][0]
            for variable, _ in schema.parameters:
                form = form.replace(f"<{variable[1:]}>", f"<{self._label(variable[1:])}>")
            told.append(form)
        return ", ".join(told)


@lru_cache(maxsize=64)
def grammars(domain: Domain, wording: Wording) -> tuple[Grammar, ...]:
    """What reads the actions of a domain in a wording: a grammar for each form, those with more fixed words first.

    Args:
        domain: Whose actions are read; a call has the name of one.
        wording: Gives the forms of each.
    """
    forms = [(form, name) for name in domain.actions for form in wording.actions[name]]
    forms.sort(key=lambda pair: -len(SLOT.sub("", pair[0]).split()))
    return tuple(Grammar([Command(form, "", name=name)]) for form, name in forms)


def pddl_forms(domain: Domain) -> list[str]:
    """The actions of a domain with their parameters, as PDDL writes them."""
    return [
        show((schema.name, *[f"<{name[1:]}>" for name, _ in schema.parameters])) for schema in domain.actions.values()
    ]


def listed(clauses: Iterable[str]) -> str:
    """Clauses as `a`, `a, and b`, `a, b, and c`."""
    parts: Sequence[str] = list(clauses)
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}, and {parts[-1]}"
