"""Rules that are not told: what the variants with hidden rules share.

A rule says which of the world's actions each action of the agent stands for, and which sign is shown for each sign of
the world. It is a part of the task, drawn from a number, so it is seeded, and a schedule over tasks can change it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import factorial
from typing import Any, ClassVar

import numpy as np

from agentgym.core.checks import check_one_of, check_whole
from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import EnvConfig
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import ENDLESS, Spec, Task

HIDE = ("both", "words", "signs", "untold")
AIM = (
    "The rules of this game are not told: neither what the actions do nor what the signs mean. "
    "Find them out, and get as much reward as you can."
)
UNTOLD = "what it does is not told."
APART = 10  # classes of rules: one for val, one for test, the others for train
CLASS = {"val": (0,), "test": (1,), "train": tuple(range(2, APART))}
STREAM = 0x41DE  # of rules, apart from the boards and dice of an equal seed
LARGEST = 10**9
SIGNS_SCHEMA: Spec = {"type": "string", "description": "the sign shown for each sign of the world, in its order"}


@dataclass(frozen=True, slots=True)
class Hidden:
    """How the rules of tasks are drawn.

    Attributes:
        ways: In how many ways actions can be exchanged.
        signs: Signs of the world, in its order.
        hide: What is exchanged, one of `HIDE`.
        rule: Number of the rule of every task; None if each task has its own.
        change_every: Tasks in a row that share a rule; None if rules never change.
    """

    ways: int
    signs: str
    hide: str = "both"
    rule: int | None = None
    change_every: int | None = None

    def __post_init__(self) -> None:
        check_one_of("hide", self.hide, HIDE)
        if self.rule is not None:
            check_whole("rule", self.rule, 0, LARGEST)
        if self.change_every is not None:
            check_whole("change_every", self.change_every, 1, LARGEST)
            if self.hide == "untold":
                raise ConfigError("with hide='untold' there is one rule only, so change_every has no effect")

    @property
    def kinds(self) -> tuple[int, int]:
        """How many exchanges of actions there are, and of signs."""
        words = self.ways if self.hide in ("both", "words") else 1
        return words, factorial(len(self.signs)) if self.hide in ("both", "signs") else 1

    @property
    def apart(self) -> bool:
        """Whether the rules of train, val and test are different ones: each task has its own, and there are enough."""
        words, signs = self.kinds
        return self.rule is None and self.change_every is None and words * signs >= APART

    def draw(self, seed: int) -> tuple[int, int, str]:
        """The rule of a task seed: its rank among all, which exchange of actions, and the signs shown."""
        number = seed
        if self.rule is not None or self.change_every is not None:
            place = seed % ENDLESS  # a held-out board is replaced by another seed, which keeps its place
            number = (self.rule or 0) + (place // self.change_every if self.change_every else 0)
        words, signs = self.kinds
        order = _order(words * signs)
        first, step = (number % APART, APART) if self.apart else (0, 1)
        rng = np.random.default_rng([number, STREAM])
        rank = order[first + step * int(rng.integers((len(order) - first + step - 1) // step))]
        return rank, rank // signs, "".join(arrange(rank % signs, self.signs))

    def fits(self, split: str, rank: int) -> bool:
        """Whether tasks under the rule of a `rank` may stand in a `split`: where rules are not kept apart, all may."""
        return not self.apart or _classes(self.kinds[0] * self.kinds[1])[rank] in CLASS[split]


@cache
def _order(count: int) -> tuple[int, ...]:
    """The ranks of all rules in a fixed disorder, so that the rules of each split are of every kind."""
    rng = np.random.default_rng([count, STREAM])
    return tuple(rng.permutation(count).tolist())


@cache
def _classes(count: int) -> bytes:
    """The class of each rank: its place in that order, modulo the number of classes."""
    found = bytearray(count)
    for place, rank in enumerate(_order(count)):
        found[rank] = place % APART
    return bytes(found)


def arrange(rank: int, things: Sequence[str]) -> list[str]:
    """The arrangement of `things` that has a `rank`, 0 (as they stand) to factorial(len(things)) - 1."""
    left, found = list(things), []
    for size in range(len(left), 0, -1):
        place, rank = divmod(rank, factorial(size - 1))
        found.append(left.pop(place))
    return found


@dataclass(frozen=True)
class HiddenConfig(EnvConfig):
    """Keyword arguments of a variant beside those of its world; see `Hidden`."""

    hide: str = "both"
    rule: int | None = None
    change_every: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rules(1, "")

    def rules(self, ways: int, signs: str) -> Hidden:
        """How rules are drawn where actions can be exchanged in so many `ways`, and the world has these `signs`."""
        return Hidden(ways, signs, self.hide, self.rule, self.change_every)


class HiddenRules(LanguageEnv, ABC):
    """Stands before a world's class: translates actions and signs, and tells of an action its reward only.

    The world's class keeps the board; a variant says in `_real` what an action stands for.
    """

    ways: ClassVar[int]
    signs: ClassVar[str]

    @classmethod
    @abstractmethod
    def rule_spec(cls, way: int, signs: str) -> Spec:
        """The specification of a rule, less its rank.

        Args:
            way: Number of the exchange of actions, below `ways`.
            signs: The signs shown, for those of the world in its order.
        """

    @classmethod
    def generate_from_seed(cls, config: Any, seed: int) -> Spec:
        """The world's own board, under a rule.

        Args:
            config: Of the world; its rules say which exchanges a split has.
            seed: The task's id; it draws the rule, and the board as in the world.
        """
        rank, way, signs = config.rules(cls.ways, cls.signs).draw(seed)
        return {**super().generate_from_seed(config, seed), "rule": {**cls.rule_spec(way, signs), "rank": rank}}

    @classmethod
    def fits(cls, config: Any, split: str, spec: Spec) -> bool:
        """Whether the rule of `spec` is one of `split`, if the rules of `config` give each task one of its own."""
        return config.rules(cls.ways, cls.signs).fits(split, spec["rule"]["rank"])

    def check_task(self, spec: Spec) -> None:
        """As in the world, and the rule must exchange its signs."""
        super().check_task(spec)
        if sorted(spec["rule"]["signs"]) != sorted(self.signs):
            raise TaskError(f"rule.signs must be an arrangement of {self.signs!r}, got {spec['rule']['signs']!r}")

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The board, whatever its rule."""
        return fingerprint({key: value for key, value in spec.items() if key != "rule"})

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return AIM

    @abstractmethod
    def _real(self, call: Call) -> Call:
        """What an action stands for."""

    def _reset(self, task: Task) -> str:
        self._shown = str.maketrans(self.signs, task.spec["rule"]["signs"])
        self._read_rule(task.spec["rule"])
        super()._reset(task)
        return f"{task.instruction}\n{self._view()}"

    @abstractmethod
    def _read_rule(self, rule: Spec) -> None:
        """Keep what `_real` needs."""

    def _step(self, call: Call) -> Outcome:
        """An action that the world refuses has no effect here, and no reason is told."""
        outcome = super()._step(self._real(call))
        outcome.valid, outcome.error, outcome.events = True, "", ()
        over = " The game is over." if outcome.terminated else ""
        outcome.text = f"Reward: {outcome.reward:g}.{over}\n{self._view()}"
        return outcome

    def _view(self) -> str:
        return super()._view().translate(self._shown)


# Worlds in which the agent walks.


def walking(names: Sequence[str], form: str = "{}", variants: Sequence[str] = ()) -> Grammar:
    """The grammar of a walking variant: the words of its world, of which nothing is told.

    Args:
        names: The world's directions, in its order.
        form: How a direction is said, with {} in its place.
        variants: Other accepted forms, with {} too.
    """
    return Grammar(
        [
            Command(
                form.format(name),
                UNTOLD,
                examples=(form.format(name),),
                variants=tuple(variant.format(name) for variant in variants),
                name=name,
            )
            for name in names
        ],
        rules=AIM,
    )


def walking_schema(world: Spec, names: Sequence[str]) -> Spec:
    """The task schema of a walking variant, given that of its `world` and the `names` of the directions."""
    word = {"type": "string", "enum": list(names)}
    words = {
        "type": "object",
        "properties": dict.fromkeys(names, word),
        "required": list(names),
        "additionalProperties": False,
        "description": "the direction in which each word leads",
    }
    return with_rule(world, {"words": words, "signs": SIGNS_SCHEMA})


def with_rule(world: Spec, parts: Mapping[str, Spec]) -> Spec:
    """The task schema of a variant: that of its `world`, which is left as it is, and a rule of the given `parts`."""
    rule = {
        "type": "object",
        "properties": {**parts, "rank": {"type": "integer", "minimum": 0}},
        "required": list(parts),
        "additionalProperties": False,
    }
    return {
        **world,
        "properties": {**world["properties"], "rule": rule},
        "required": [*world["required"], "rule"],
    }


@dataclass(frozen=True, slots=True)
class Findings:
    """What an expert has found out about words, by their numbers and those of directions.

    Attributes:
        words: The word of each direction, None where it is not found out.
        chances: For each word that is not found out, the directions it may lead in.
    """

    words: tuple[int | None, ...]
    chances: Mapping[int, frozenset[int]]


@lru_cache(maxsize=4096)
def findings(tally: tuple[int, ...], barred: int) -> Findings:
    """What steps seen and words without effect tell, taken together.

    Args:
        tally: How often each of four words led in each of four directions.
        barred: A bit for each word and direction that cannot belong together.
    """
    words: list[int | None] = [None] * 4
    for word in range(4):
        counts = tally[4 * word : 4 * word + 4]
        if any(counts):
            words[counts.index(max(counts))] = word
    while True:
        open_ways = [way for way in range(4) if words[way] is None]
        chances = {
            word: frozenset(way for way in open_ways if not barred >> 4 * word + way & 1)
            for word in range(4)
            if word not in words
        }
        sure = {min(ways): word for word, ways in chances.items() if len(ways) == 1}
        for way in open_ways:
            fits = [word for word, ways in chances.items() if way in ways]
            if len(fits) == 1:
                sure[way] = fits[0]
        if not sure or len(set(sure.values())) < len(sure):
            return Findings(tuple(words), chances)
        for way, word in sure.items():
            words[way] = word


class WalkingRules(HiddenRules):
    """A variant in which four words lead in four directions, in an order that is not told.

    A subclass gives `names` (the world's directions) and `form` (its way to say one), keeps `tally` and `barred` in its
    state (see `findings`; only the expert reads them), and says in `_place` where the player stands, in `_heading` in
    which direction two places lie apart, and in `_open` which directions surely lead somewhere.
    """

    ways = 24  # orders of four directions
    names: ClassVar[tuple[str, ...]]
    form: ClassVar[str] = "{}"

    @classmethod
    def rule_spec(cls, way: int, signs: str) -> Spec:
        """Where each word leads, in the order of number `way`, and the `signs` shown."""
        return {"words": dict(zip(cls.names, arrange(way, cls.names), strict=True)), "signs": signs}

    def check_task(self, spec: Spec) -> None:
        """As in the world, and the rule must exchange its directions and signs."""
        super().check_task(spec)
        if sorted(spec["rule"]["words"].values()) != sorted(self.names):
            raise TaskError(f"rule.words must lead in each direction once, got {spec['rule']['words']}")

    @abstractmethod
    def _place(self) -> int:
        """The number of the place where the player stands, as the variant counts places."""

    @abstractmethod
    def _heading(self, before: int, after: int) -> int:
        """The number of the direction that leads from one place to another."""

    @abstractmethod
    def _open(self, place: int) -> list[int]:
        """The numbers of directions that surely lead from a place to another."""

    def _read_rule(self, rule: Spec) -> None:
        self._leads: dict[str, str] = dict(rule["words"])
        self._words = {direction: word for word, direction in self._leads.items()}

    def _real(self, call: Call) -> Call:
        return Call(self._leads[call.name])

    def _step(self, call: Call) -> Outcome:
        before, free = self._place(), self._open(self._place())
        outcome = super()._step(call)
        after, word = self._place(), self.names.index(call.name)
        if after == before:
            for way in free:
                self._state.barred |= 1 << 4 * word + way
        else:
            place = 4 * word + self._heading(before, after)
            tally = self._state.tally
            self._state.tally = (*tally[:place], tally[place] + 1, *tally[place + 1 :])
        return outcome

    def _admissible(self) -> list[str]:
        return [self.form.format(name) for name in self.names]

    def _oracle(self) -> str:
        direction = super()._oracle().split()[-1]
        return self.form.format(self._words[direction])

    def _reference(self) -> list[str]:
        return [self.form.format(self._words[said.split()[-1]]) for said in super()._reference()]

    # What the expert has found out.

    def _moved(self) -> bool:
        """Whether a step was seen; it shows which sign is the player and what lies under it."""
        return any(self._state.tally)

    def _try(self, wanted: str = "") -> str:
        """The word for a direction if it was found out, otherwise one that may lead there, its own name first.

        Without a direction: a word that tells something, or else one that leads somewhere.
        """
        found, free = findings(self._state.tally, self._state.barred), set(self._open(self._place()))
        likely: list[str] = []
        if wanted:
            way = self.names.index(wanted)
            word = found.words[way]
            if word is not None:
                return self.form.format(self.names[word])
            likely = [self.names[word] for word, ways in found.chances.items() if way in ways]
        telling = [self.names[word] for word, ways in found.chances.items() if ways & free]
        sure = [self.names[word] for way, word in enumerate(found.words) if word is not None and way in free]
        choice = likely or telling or sure or list(self.names)
        return self.form.format(wanted if wanted in choice else choice[0])

    def _go(self, wanted: str, leads: Callable[[int, int], int | None], harm: Callable[[int, int], bool]) -> str:
        """The word for a direction, or a step on the way to where trying a word tells something and does no harm.

        Args:
            wanted: The direction; empty if any will do.
            leads: Where a direction leads from a place; None where it must not be taken.
            harm: Whether a step in a direction may do harm at a place.
        """
        found = findings(self._state.tally, self._state.barred)
        if wanted and found.words[self.names.index(wanted)] is not None:
            return self._try(wanted)
        here, unknown = self._place(), set().union(*found.chances.values())
        first: dict[int, int | None] = {here: None}
        for place in (queue := [here]):  # grows while it is read
            if unknown & set(self._open(place)) and not any(harm(place, way) for way in unknown):
                way = first[place]
                return self._try(wanted) if way is None else self._try(self.names[way])
            for way, word in enumerate(found.words):
                other = None if word is None else leads(place, way)
                if other is not None and other not in first:
                    before = first[place]
                    first[other] = way if before is None else before
                    queue.append(other)
        return self._try(wanted)


NO_TALLY = (0,) * 16
