"""Hostile words in every world: none raises, none stalls, none makes the world fail."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import agentgym
from agentgym.conformance.texts import CLUMSY, HOSTILE, injections, spoiled
from agentgym.core import EnvCard, drive
from agentgym.core.errors import MissingExtra
from agentgym.core.rng import stream, stream_seed
from agentgym.envs import CARDS  # the catalog also holds what tests registered
from tests.soak.row import Deadline, Row

LONGEST = 0.25  # seconds of processor time for one step; a budget of the design is 10 ms for the reading alone
LONGEST_PROGRAM = 5.0  # the same where another program plays, of which this process sees its own share alone
CHUNK = 50  # steps in one world before the next has its turn


def native() -> list[EnvCard]:
    """The cards of the worlds that run in this process, some with an extra, and need no files of their own."""
    return [each for each in CARDS if each.snapshot == "copy" and not each.requires and not each.program]


def programs() -> list[EnvCard]:
    """The cards of the worlds over an engine, a browser or a sandbox that need no files of their own."""
    apart = {each.id for each in native()}
    return [each for each in CARDS if not each.requires and each.id not in apart]


def hostile_action(world: Any, rng: np.random.Generator, damaged: list[str]) -> str:
    """A hostile text; now and then an ordinary action, so that the episode goes somewhere.

    Args:
        world: The bare world.
        rng: What it is drawn from.
        damaged: The world's own damaged actions.
    """
    kind = int(rng.integers(5))
    if kind == 0:
        return str(HOSTILE[int(rng.integers(len(HOSTILE)))])
    if kind == 1:
        return str(CLUMSY[int(rng.integers(len(CLUMSY)))])
    if kind == 2:
        return "".join(chr(int(rng.integers(0x2FFF))) for _ in range(int(rng.integers(200))))
    return damaged[int(rng.integers(len(damaged)))]


def play(card: EnvCard) -> Iterator[float]:
    """Play a world with hostile words without end.

    Yields:
        Seconds of processor time that each step took.

    Raises:
        AssertionError: if the world fails.
    """
    driver = drive(agentgym.make(card.id))
    rng = stream("soak.hostile", card.id)
    world = driver.world
    episode = 0
    driver.reset(seed=stream_seed("soak.hostile.episode", card.id, episode))
    damaged = [*spoiled(world), *injections(world)] or ["?"]
    while True:
        if driver.ended:
            episode += 1
            driver.reset(seed=stream_seed("soak.hostile.episode", card.id, episode))
        said = {}
        for player in driver.to_act:
            ordinary = int(rng.integers(6)) == 0
            said[player] = driver.sample_action(player, rng) if ordinary else hostile_action(world, rng, damaged)
        began = time.process_time()
        driver.step(said)
        yield time.process_time() - began
        for player in said:
            failure = driver.result(player).info["failure"]
            assert not failure, f"{card.id} failed: {failure}"


def run(count: int, seconds: float) -> list[Row]:
    """Say `count` hostile things in all worlds of this process by turns.

    Args:
        count: Steps in all.
        seconds: After which it stops, counted from when the worlds are made.
    """
    return [_run(native(), "environments in this process", "--only hostile", LONGEST, count, seconds)]


def run_programs(count: int, seconds: float) -> list[Row]:
    """The same in the worlds over another program whose packages are installed.

    Args:
        count: Steps in all.
        seconds: After which it stops, counted from when the worlds are made.
    """
    cards, what = programs(), "environments over engines, browsers and sandboxes"
    return [_run(cards, what, "--only hostile-programs", LONGEST_PROGRAM, count, seconds)]


def _run(cards: Sequence[EnvCard], what: str, command: str, longest: float, count: int, seconds: float) -> Row:
    steps, slowest, raised, missing = 0, (0.0, ""), [], 0
    under_way = {}
    for card in cards:
        try:
            under_way[card.id] = play(card)
            slowest = max(slowest, (next(under_way[card.id]), card.id))
            steps += 1
        except MissingExtra:
            missing += 1
            del under_way[card.id]
        except Exception as error:
            raised.append(f"{card.id}: {type(error).__name__}: {error}")
            del under_way[card.id]
    worlds, deadline = len(under_way), Deadline(seconds)  # worlds are made before the time begins
    while steps < count and under_way and not deadline.over:
        for name, game in list(under_way.items()):
            try:
                for _ in range(min(CHUNK, max(0, count - steps))):
                    slowest = max(slowest, (next(game), name))
                    steps += 1
                    if deadline.over:
                        break
            except Exception as error:  # a world may raise anything; it is reported as what it is
                raised.append(f"{name}: {type(error).__name__}: {error}")
                del under_way[name]
    found = f"{len(raised)} raised; the slowest step took {1000 * slowest[0]:.0f} ms ({slowest[1].partition('/')[2]})"
    found += f"; {missing} not installed" if missing else ""
    found += "".join(f"; {one[:200]}" for one in raised[:3])
    good = not raised and slowest[0] < longest and worlds > 0
    return Row(f"hostile words in {worlds} {what}, steps", steps, found, good, command)
