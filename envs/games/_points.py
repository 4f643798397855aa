"""Card points: write a formula over the cards dealt, a number or sign a turn, that comes to the target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, expert_is_oracle, object_schema, one_of, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games._formula import FormulaError, parse, solvable, solve, tokens

SUITS, RANKS = "HDCS", ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
CARDS = tuple(suit + rank for suit in SUITS for rank in RANKS)
HIGHEST = {"ten": 10, "own": 13}  # what J, Q and K count: ten each, or 11, 12 and 13
MOST_TARGET = 100
STREAM = 0xCA2D
PRIZE = 10.0
MORE_BRACKETS = 2  # pairs that the oracle may add to a formula somebody else began


@cache
def _grammar(highest: int, signs: tuple[str, ...]) -> Grammar:
    """The grammar of a game with cards up to a number and some signs beside `=`."""
    form = "<number or sign>"
    command = Command(
        form,
        "write it at the end of your formula; = ends the game.",
        examples=("6", "*", "="),
        variants=(f"write {form}",),
        choices={"number_or_sign": (*map(str, range(1, highest + 1)), *signs, "=")},
        name="write",
    )
    faces = "J, Q and K count 10" if highest == HIGHEST["ten"] else "J counts 11, Q 12 and K 13"
    return Grammar(
        [command],
        rules="Write a formula that comes to the target and uses the number of every card exactly once, one number or "
        f"sign a turn. A counts 1, {faces}. Write = when it is done; then it counts.",
    )


@dataclass(frozen=True, slots=True)
class Rules:
    """What tells the games apart.

    Attributes:
        count: Cards dealt.
        signs: Signs that may be written, the equals sign left out.
        limit: Tokens of the longest formula that may be shown off with `=`.
        kin: What of a deal must not recur in another split: `numbers` or `cards`.
        levels: Options of each level.
    """

    count: int
    signs: tuple[str, ...]
    limit: int
    kin: str
    levels: dict[str, dict[str, Any]]

    @property
    def operators(self) -> str:
        """The signs that are operators."""
        return "".join(sign for sign in self.signs if sign not in "()")

    def grammar(self, faces: str = "ten") -> Grammar:
        """One action: a number that a card can have, or a sign; `faces` is what J, Q and K count."""
        return _grammar(HIGHEST[faces], self.signs)

    def schema(self) -> Spec:
        """What a task specification looks like."""
        return object_schema(
            {
                "cards": {
                    "type": "array",
                    "minItems": self.count,
                    "maxItems": self.count,
                    "items": {"type": "string", "enum": list(CARDS)},
                },
                "target": {"type": "integer", "minimum": 1, "maximum": MOST_TARGET},
                "faces": {"type": "string", "enum": list(HIGHEST)},
            }
        )


@dataclass(slots=True)
class State:
    """The formula so far."""

    tokens: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class PointsConfig(EnvConfig):
    """Keyword arguments of both games; each adds its levels."""

    target: int = whole(None, 1, MOST_TARGET)
    faces: str = one_of(None, HIGHEST)


class PointsEnv(LanguageEnv):
    """Base of the games; see `EZPointsEnv` and `Points24Env`."""

    rules: ClassVar[Rules]
    task_stream = STREAM
    _state: State

    def _configured(self) -> None:
        self.grammar = self.rules.grammar(self.config.faces)

    @classmethod
    def generate(cls, config: PointsConfig, rng: np.random.Generator) -> Spec:
        """A deal over which a formula comes to the target.

        Args:
            config: Target, and what court cards count.
            rng: Draws cards without putting them back, and deals anew until there is a formula.
        """
        while True:
            chosen = rng.permutation(len(CARDS))[: cls.rules.count].tolist()
            cards = [CARDS[place] for place in chosen]
            spec = {"cards": cards, "target": config.target, "faces": config.faces}
            if solvable(_numbers(spec), config.target, cls.rules.operators):
                return spec

    @classmethod
    def content_key(cls, spec: Spec) -> str:
        """The numbers, or the cards, in whatever order, and the target."""
        same = sorted(_numbers(spec)) if cls.rules.kin == "numbers" else sorted(spec["cards"])
        return fingerprint([same, spec["target"]])

    def check_task(self, spec: Spec) -> None:
        """The cards must differ, and a formula must exist."""
        if len(set(spec["cards"])) < len(spec["cards"]):
            raise TaskError(f"a card is dealt once, got {spec['cards']}")
        if not solvable(_numbers(spec), spec["target"], self.rules.operators):
            raise TaskError(f"no formula over {list(_numbers(spec))} comes to {spec['target']}; deal other cards")

    @classmethod
    def instruction(cls, spec: Spec) -> str:
        """The task in words."""
        faces = "J, Q and K count 10" if spec["faces"] == "ten" else "J counts 11, Q 12 and K 13"
        return (
            f"Write a formula that comes to {spec['target']} and uses the number of every card exactly once, with "
            f"{' '.join(cls.rules.operators)}; A counts 1, {faces}. Write one number or sign a turn, and = at the end."
        )

    def _reset(self, task: Task) -> str:
        self._numbers = _numbers(task.spec)
        self.grammar = self.rules.grammar(task.spec["faces"])
        self._target: int = task.spec["target"]
        self._head = f"Cards: {task.spec['cards']}. Numbers: {list(self._numbers)}. Current formula: "
        self._state = State()
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        token, written = call["number_or_sign"], self._state.tokens
        if token == "=":
            return self._count()
        if token.isdigit() and token not in self._left():
            left = ", ".join(self._left()) or "none"
            return self.refuse(f"{token} is on no card that you have not used; numbers left: {left}.")
        written.append(token)
        if len(written) > self.rules.limit:
            return Outcome(
                f"{self._view()}\nThe formula is longer than {self.rules.limit} numbers and signs; the game is over.",
                terminated=True,
                progress=0.0,
            )
        used = len(self._numbers) - len(self._left())
        return Outcome(self._view(), progress=used / (len(self._numbers) + 1))

    def _count(self) -> Outcome:
        """The end: what the formula comes to."""
        text = "".join(self._state.tokens)
        try:
            formula = parse(self._state.tokens)
        except FormulaError as error:
            return Outcome(f"{text or 'Nothing'} is no formula: {error}.", terminated=True, progress=0.0)
        all_used = sorted(formula.numbers) == sorted(self._numbers)
        won = all_used and formula.value == self._target
        said = f"{text}={formula.value}"
        if won:
            said += f". That is {self._target}, and every card is used."
        elif formula.value == self._target:
            said += ", but not every card is used."
        else:
            said += f". That is not {self._target}."
        return Outcome(said, reward=PRIZE if won else 0.0, terminated=True, success=won, progress=0.0)

    def _left(self) -> list[str]:
        left = [str(number) for number in self._numbers]
        for token in self._state.tokens:
            if token.isdigit():
                left.remove(token)
        return left

    def _view(self) -> str:
        return f"{self._head}{''.join(self._state.tokens)}."

    def _admissible(self) -> list[str]:
        return [*set(self._left()), *self.rules.signs, "="]

    def _sample(self, rng: np.random.Generator) -> str:
        actions = [*sorted(set(self._left())), *self.rules.signs, "="]
        return actions[int(rng.integers(len(actions)))]

    def _oracle(self) -> str:
        whole_formula = _completion(
            tuple(self._state.tokens), self._numbers, self._target, self.rules.operators, self.rules.limit
        )
        place = len(self._state.tokens)
        return whole_formula[place] if place < len(whole_formula) else "="

    _expert = expert_is_oracle

    def _reference(self) -> str:
        return solve(self._numbers, self._target, self.rules.operators)


def _numbers(spec: Spec) -> tuple[int, ...]:
    return tuple(min(RANKS.index(card[1:]) + 1, HIGHEST[spec["faces"]]) for card in spec["cards"])


@lru_cache(maxsize=4096)
def _completion(
    written: tuple[str, ...], numbers: tuple[int, ...], target: int, operators: str, limit: int
) -> tuple[str, ...]:
    """Tokens of a formula that begins with what is written and comes to the target; only what is written if none."""
    found = tuple(tokens(solve(numbers, target, operators)))
    if found[: len(written)] == written:
        return found
    for text in _endings(list(written), list(map(str, numbers)), operators, limit):
        if _value(text) == target:
            return tuple(text)
    return written


def _value(text: Sequence[str]) -> Any:
    """The value of a formula; None if it divides by zero."""
    try:
        return parse(text).value
    except FormulaError:
        return None


def _endings(written: list[str], numbers: list[str], operators: str, limit: int) -> Iterator[list[str]]:
    """Every formula over all numbers that begins with `written`, with at most a few more brackets."""
    left, opened, wants_number = list(numbers), 0, True
    for token in written:  # what is written may be no beginning of any formula
        if (token.isdigit() or token == "(") != wants_number:
            return
        if token.isdigit():
            left.remove(token)
            wants_number = False
        elif token == "(":
            opened += 1
        elif token == ")":
            opened -= 1
            if opened < 0:
                return
        else:
            wants_number = True
    yield from _grow(written, left, opened, wants_number, MORE_BRACKETS, operators, limit)


def _grow(
    text: list[str], left: list[str], opened: int, wants_number: bool, brackets: int, operators: str, limit: int
) -> Iterator[list[str]]:
    if len(text) + opened > limit:
        return
    if wants_number:
        for number in sorted(set(left)):
            rest = left.copy()
            rest.remove(number)
            yield from _grow([*text, number], rest, opened, False, brackets, operators, limit)
        if brackets and len(left) > 1:
            yield from _grow([*text, "("], left, opened + 1, True, brackets - 1, operators, limit)
        return
    if not left:
        yield [*text, *")" * opened]
        return
    for sign in operators:
        yield from _grow([*text, sign], left, opened, True, brackets, operators, limit)
    if opened:
        yield from _grow([*text, ")"], left, opened - 1, False, brackets, operators, limit)
