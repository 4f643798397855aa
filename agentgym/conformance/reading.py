"""The check that reading an action takes time linear in its length: no text of an agent holds up a run."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import median
from typing import Any

from agentgym.conformance.env_under_test import EnvUnderTest
from agentgym.conformance.errors import Violation
from agentgym.conformance.play import PLENTY, act, stand
from agentgym.conformance.texts import commands
from agentgym.core import Call, Driver
from agentgym.core.grammar import SLOT
from agentgym.core.rng import stream

LENGTH, SHORT = 2_048, 512  # characters
GROWTH = 8.0  # times the short text's cost that the long one may take: linear is 4, quadratic 16
FLOOR = 0.004  # seconds of processor time below which growth is noise
MOST = 0.1  # seconds of processor time
AGAIN = 12  # times that a text which took too long is measured again
PLAYED = 24  # attacks that are actions of the world, and are played
FILLERS = ("a", "a ", " ", "\t", "\n", "9", "-", "(", "[", "{", '"', "\\", '\\"', "'", ",", "] ", "</")
MEND = "make it linear: no unbounded repetition in a pattern that something else in it can match too, no search anew."


def reading_time(env: EnvUnderTest) -> str:
    """A4: an action of 2,048 characters costs at most 8 times one of 512, and 100 ms of processor time.

    The actions repeat every word and every slot of the grammar, in each place where a slot stands, each in one way at
    least; which way, and which others are tried, is drawn unless everything is checked. Those that turn out to be
    actions are played as well, except where another program answers.
    """
    driver = env.world(max_turns=PLENTY)
    stand(driver, 0, 0)
    player = driver.to_act[0]
    length = min(LENGTH, driver.world.action_length)
    groups = attacks(driver.world)
    every = [attack for group in groups for attack in group]
    made = [every[place] for place in _drawn([len(group) for group in groups], env.size.attacks)]
    understood: list[Callable[[int], str]] = []
    slowest = 0.0
    meant: dict[str, Any] = {}

    def read(said: str) -> None:
        meant[said] = driver.world.parse(said, player)

    for attack in made:
        meant.clear()
        slowest = max(slowest, _judged(attack, length, read, "reading"))
        if isinstance(meant[attack(length)], Call):
            understood.append(attack)
    played = [] if env.card.program else understood[:: len(understood) // PLAYED + 1]
    for attack in played:
        slowest = max(slowest, _judged(attack, length, lambda said: _play(driver, said), "playing", driver))
    return f"{len(made)} of {len(every)} attacks read, {len(played)} played, at most {slowest * 1000:.1f} ms"


def attacks(world: Any) -> list[list[Callable[[int], str]]]:
    """Texts of any length, made of the world's own words, each as a function of its length.

    Args:
        world: A bare world.

    Returns:
        A group for each place and each word or filler that is repeated there: with or without spaces, and with what
        may follow.
    """
    made: dict[tuple[str, str], dict[tuple[str, str], None]] = {}
    for head, tail, words in _places(world):
        for word in sorted({*words, *FILLERS}):
            units = (word, f" {word} ") if word in words else (word,)
            made.setdefault((head, word), {}).update(
                dict.fromkeys((u, end) for u in units for end in ("", tail, "\nx"))
            )
    return [[partial(_repeated, head, *how) for how in ways] for (head, _), ways in made.items()]


def _drawn(sizes: Sequence[int], most: int | None) -> list[int]:
    """Places of the attacks that are tried: one of each group, and others up to so many in all; None for all."""
    rng = stream("conformance.reading", 0)
    first, begin = [], 0
    for size in sizes:
        first.append(begin + int(rng.integers(size)))
        begin += size
    order = list(dict.fromkeys([*first, *rng.permutation(begin).tolist()]))
    return sorted(order if most is None else order[: max(most, len(first))])


def _places(world: Any) -> Iterator[tuple[str, str, set[str]]]:
    """Where a text can be made long: what stands before, what follows, and the words of the form."""
    yield "", "", set()
    for command in commands(world):
        for form in (command.form, *command.variants):
            parts = SLOT.split(form)
            words = {word for part in parts[::2] for word in (part, *part.split()) if word}
            for at in range(1, len(parts), 2):
                filled = ["a" if place % 2 else part for place, part in enumerate(parts)]
                yield "".join(filled[:at]), "".join(filled[at + 1 :]), words
    for example in world.grammar.examples:
        pieces = re.findall(r"\w+|\s+|[^\w\s]", example)
        for at in range(1, len(pieces)):
            yield "".join(pieces[:at]), "".join(pieces[at:]), {pieces[at]}


def _repeated(head: str, unit: str, end: str, length: int) -> str:
    room = max(0, length - len(head) - len(end))
    return (head + (unit * (room // len(unit) + 1))[:room] + end)[:length]


def _judged(
    attack: Callable[[int], str], length: int, read: Callable[[str], Any], what: str, driver: Driver | None = None
) -> float:
    """The cost of the long text in seconds; what seems too much is measured again, by its best: a machine is not quiet.

    Raises:
        Violation: if it is too much.
    """
    text, part = attack(length), attack(length // (LENGTH // SHORT))
    took = less = _cost(
        read, part, driver, 1
    )  # the short one first: what is far from linear takes minutes for the other
    if less <= MOST:
        took = _cost(read, text, driver, 1)
        if took <= FLOOR:
            return took
        growth = []
        for _ in range(AGAIN):
            long, short = _cost(read, text, driver, 2), _cost(read, part, driver, 2)
            growth.append(long / short)
            took, less = min(took, long), min(less, short)
            if took <= min(MOST, max(FLOOR, GROWTH * less)):
                return took
        # What was measured side by side was slowed alike; of the best of each, the short one's may have been luckier.
        if took <= MOST and median(growth) <= GROWTH:
            return took
    if took > MOST or took > max(FLOOR, GROWTH * less):
        raise Violation(
            f"{what} {text!r:.60}... is not linear: {len(part)} characters take {less * 1000:.1f} ms, {len(text)} "
            f"{f'take {took * 1000:.0f} ms' if took > less else 'were not tried'}.",
            MEND,
        )
    return took


def _cost(read: Callable[[str], Any], text: str, driver: Driver | None, times: int) -> float:
    """Seconds of processor time, the least of several; each time in the same state where a driver is given."""
    costs = []
    for _ in range(times):
        if driver is not None:
            stand(driver, 0, 0)
        begin = time.process_time()
        read(text)
        costs.append(time.process_time() - begin)
    return min(costs)


def _play(driver: Driver, text: str) -> None:
    act(driver, {driver.to_act[0]: text})
