"""Problems with exact answers: six kinds of arithmetic and logic, each with its steps where it has some."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np

from agentgym.envs.multiagent._choices import pick

NAMES = (
    "Ada", "Bruno", "Chloe", "Dario", "Esma", "Felix", "Greta", "Hana", "Ivo", "Jonas", "Kaja", "Lena", "Milo", "Nora",
    "Otis", "Pia",
)  # fmt: skip
GOODS = (
    ("apples", "crate"), ("pencils", "box"), ("stamps", "sheet"), ("marbles", "bag"), ("tiles", "pallet"),
    ("candles", "carton"), ("buttons", "tin"), ("postcards", "bundle"), ("bricks", "stack"), ("seeds", "packet"),
)  # fmt: skip
EQUATION = re.compile(r"(-?\d+)\s*([-+*/x])\s*(-?\d+)\s*=\s*(-?\d+)")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a solution: `left sign right = result`."""

    left: int
    sign: str
    right: int

    @property
    def result(self) -> int:
        """What it comes to."""
        return worked(self.left, self.sign, self.right)

    @property
    def text(self) -> str:
        """In signs."""
        return f"{self.left} {self.sign} {self.right} = {self.result}"


def worked(left: int, sign: str, right: int) -> int:
    """The value of the step `left` `sign` `right`, whose sign is one of + - * x /; divisions come out even."""
    if sign == "+":
        return left + right
    if sign == "-":
        return left - right
    return left * right if sign in "*x" else left // right


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem.

    Attributes:
        kind: Which of the six kinds.
        text: The problem in words.
        answer: The only right answer.
        steps: Steps that lead to it; empty where it is found by trying cases.
        wrong: Answers that a careless reader may give.
    """

    kind: str
    text: str
    answer: str
    steps: tuple[Step, ...]
    wrong: tuple[str, ...]


def _people(count: int, rng: np.random.Generator) -> list[str]:
    return sorted(NAMES[place] for place in rng.choice(len(NAMES), size=count, replace=False))


def _stock(rng: np.random.Generator, length: int) -> Problem:
    """What is left of some goods after several events."""
    thing, pack = GOODS[int(rng.integers(len(GOODS)))]
    owner, other = _people(2, rng)
    have = int(rng.integers(20, 90))
    lines = [f"{owner} has {have} {thing}."]
    steps: list[Step] = []

    def step(sign: str, value: int) -> None:
        """Add a step that changes what is left by `sign` and `value`."""
        nonlocal have
        steps.append(Step(have, sign, value))
        have = steps[-1].result

    last = ""
    while len(steps) < length:
        event = pick(("buy", "give", "double", "share", "lose", "packs"), rng)
        few = int(rng.integers(3, 15))
        if event == last or (event == "packs" and len(steps) + 2 > length):
            continue
        if event == "buy":
            step("+", few)
            lines.append(pick((f"Then {few} more arrive.", f"{other} brings {few} more.", f"{owner} buys {few}."), rng))
        elif event == "packs":
            count, each = int(rng.integers(2, 7)), int(rng.integers(4, 13))
            steps.append(Step(count, "*", each))
            step("+", count * each)
            lines.append(f"{owner} buys {count} {pack}{'es' if pack[-1] == 'x' else 's'} of {each} each.")
        elif event == "double" and have < 300:
            step("*", 2)
            lines.append(pick(("A gift doubles the number.", f"{other} adds as many as {owner} has by now."), rng))
        elif event == "lose" and have > few:
            step("-", few)
            lines.append(pick((f"{few} are broken and thrown away.", f"{few} get lost.", f"{owner} uses {few}."), rng))
        elif event == "give" and have % 3 == 0 and have:
            third = have // 3
            steps.append(Step(have, "/", 3))
            step("-", third)
            lines.append(f"{owner} gives a third of them to {other}.")
        elif event == "share" and have % 4 == 0 and have:
            step("/", 4)
            lines.append(f"{owner} shares all equally with three friends and keeps one part.")
        else:
            continue
        last = event
    lines.append(f"How many {thing} does {owner} have in the end?")
    return Problem("stock", " ".join(lines), str(have), tuple(steps), (str(have + 1), str(steps[-1].left)))


def _journey(rng: np.random.Generator, length: int) -> Problem:
    """How far a journey of several legs goes."""
    who = pick(NAMES, rng)
    legs = max(2, length // 2)
    steps: list[Step] = []
    total = 0
    lines = []
    for leg in range(legs):
        speed, hours = int(rng.integers(4, 90)), int(rng.integers(2, 9))
        how = pick(("walks" if speed < 8 else "rides", "travels", "goes on"), rng)
        lines.append(f"{'First ' if not leg else 'Then '}{who} {how} for {hours} hours at {speed} km an hour.")
        steps.append(Step(speed, "*", hours))
        if leg:
            steps.append(Step(total, "+", speed * hours))
        total += speed * hours
    back = int(rng.integers(3, min(40, total)))
    lines.append(f"At the end {who} turns round and goes back {back} km, all on one straight road.")
    lines.append(f"How many km from the start is {who} then?")
    steps.append(Step(total, "-", back))
    return Problem("journey", " ".join(lines), str(total - back), tuple(steps), (str(total), str(total + back)))


def _knights(rng: np.random.Generator, length: int) -> Problem:
    """Who tells the truth, where each person always does or never does."""
    while True:
        people = _people(3 + (length > 4), rng)
        count = len(people)
        said: list[tuple[int, int, bool]] = []
        for speaker in range(count):
            other = int(rng.integers(count - 1))
            said.append((speaker, other + (other >= speaker), bool(rng.integers(2))))
        extra = int(rng.integers(count))
        fitting = [
            truth
            for truth in product((False, True), repeat=count)
            if all(truth[speaker] == (truth[other] == honest) for speaker, other, honest in said)
            and sum(truth) != extra
        ]
        if len(fitting) == 1 and any(fitting[0]):
            break
    lines = ["Each of these people either always tells the truth or always lies."]
    for speaker, other, honest in said:
        lines.append(f'{people[speaker]} says: "{people[other]} {"tells the truth" if honest else "lies"}."')
    lines.append(f"The number of those who tell the truth is not {extra}.")
    lines.append("Who tells the truth? Give all names in alphabetical order.")
    answer = ", ".join(person for person, honest in zip(people, fitting[0], strict=True) if honest)
    wrong = tuple(person for person in people if person != answer)
    return Problem("knights", " ".join(lines), answer, (), wrong)


def _holds(row: tuple[str, ...], beside: bool, one: str, other: str) -> bool:
    """Whether one stands next to another in a queue, or else before it."""
    at, there = row.index(one), row.index(other)
    return abs(at - there) == 1 if beside else at < there


def _queue(rng: np.random.Generator, length: int) -> Problem:
    """Who stands where in a queue."""
    people = _people(4 + (length > 4), rng)
    order = tuple(people[place] for place in rng.permutation(len(people)))
    every = list(permutations(people))
    clues: list[str] = []
    while len(every) > 1:
        one, other = (people[int(place)] for place in rng.choice(len(people), size=2, replace=False))
        beside = bool(rng.integers(2))
        true = _holds(order, beside, one, other)
        left = [row for row in every if _holds(row, beside, one, other) == true]
        if len(left) < len(every):
            every = left
            if beside:
                clues.append(f"{one} and {other} {'stand' if true else 'do not stand'} next to each other.")
            else:
                clues.append(f"{one} stands {'before' if true else 'behind'} {other}.")
    place = int(rng.integers(len(people)))
    text = f"{', '.join(people[:-1])} and {people[-1]} stand in a queue. {' '.join(clues)} Who is number {place + 1}?"
    return Problem("queue", text, order[place], (), tuple(person for person in people if person != order[place]))


def _remainders(rng: np.random.Generator, length: int) -> Problem:
    """The smallest number with given remainders."""
    choices = (3, 4, 5, 7, 8, 9, 11, 13)
    while True:
        moduli = sorted(choices[place] for place in rng.choice(len(choices), size=2 + (length > 4), replace=False))
        if math.lcm(*moduli) == math.prod(moduli):
            break
    number = int(rng.integers(max(moduli) + 1, math.prod(moduli)))
    told = [f"leaves {number % each} when divided by {each}" for each in moduli]
    text = f"What is the smallest positive whole number that {', '.join(told[:-1])} and {told[-1]}?"
    return Problem("remainders", text, str(number), (), (str(number + math.prod(moduli)), str(number + moduli[0])))


def _counting(rng: np.random.Generator, length: int) -> Problem:
    """How many numbers are divisible by one or the other."""
    one, other = sorted(int(place) + 2 for place in rng.choice(12, size=2, replace=False))
    top = int(rng.integers(60, 100 + 60 * length))
    first, second, both = top // one, top // other, top // math.lcm(one, other)
    text = f"How many whole numbers from 1 to {top} can be divided by {one} or by {other} without remainder?"
    steps = (Step(first, "+", second), Step(first + second, "-", both))
    answer = first + second - both
    wrong = tuple(str(value) for value in (first + second, both, answer + 1) if value != answer)
    return Problem("counting", text, str(answer), steps, wrong)


KINDS: dict[str, Callable[[np.random.Generator, int], Problem]] = {
    "stock": _stock,
    "journey": _journey,
    "knights": _knights,
    "queue": _queue,
    "remainders": _remainders,
    "counting": _counting,
}


def made(kind: str, seed: int, length: int, stream: int) -> Problem:
    """The problem of a kind and a seed.

    Args:
        kind: A key of `KINDS`.
        seed: Generator seed.
        length: Steps of the stories, give or take two; the other kinds grow with it.
        stream: Number of the world's stream, apart from other draws of an equal seed.
    """
    return KINDS[kind](np.random.default_rng([seed, stream, length]), length)


def plain(answer: str) -> tuple[str, ...]:
    """An answer as a set of words in order: numbers without leading zeros, names in lower case, no `and`."""
    parts = re.split(r"[,\s]+", answer.strip().strip(".!").lower())
    words = sorted(part for part in parts if part and part != "and")
    return tuple(str(int(word)) if word.lstrip("-").isdecimal() and len(word) < 20 else word for word in words)
