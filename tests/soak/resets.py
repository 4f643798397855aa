"""Resets without end: memory and open files stay where they were."""

from __future__ import annotations

import os
from collections.abc import Sequence

import agentgym
from agentgym.core import Driver, EnvCard, drive
from agentgym.core.errors import MissingExtra
from agentgym.core.rng import stream_seed
from agentgym.envs import CARDS
from tests.soak.hostile import native
from tests.soak.memory import KINDS, Collector, children, held_by_kind
from tests.soak.row import Deadline, Row

MOST_GROWTH = 8.0  # MB of a kind of process over half of the time: room for caches with an end, not for a leak a reset
STEPS = 2  # after each reset
ROUNDS = 3  # of browser worlds from one reading to the next, for which garbage is collected everywhere
EPISODES = 8  # of each world, again and again: caches of tasks, which have an end, are full after the first time


def open_files() -> int:
    """How many descriptors this process holds."""
    return len(os.listdir("/proc/self/fd"))


def begin(driver: Driver, name: str, number: int) -> None:
    """Reset and play a little.

    Args:
        driver: The world.
        name: Its id.
        number: Of the episode.
    """
    driver.reset(seed=stream_seed("soak.resets", name, number))
    for _ in range(STEPS):
        if not driver.ended:
            driver.step(dict.fromkeys(driver.to_act, "no such action"))


def grown(memory: Sequence[float]) -> float:
    """By how much the floor of the last quarter is above that of the second, which is half of the time before.

    The scripts of pages and the programs around a browser free their memory when they like, so that one reading against
    another says little; what a leak raises is what is held at least.

    Args:
        memory: Readings, in order.
    """
    quarter = len(memory) // 4
    if quarter < 2:  # too few for a floor
        return memory[-1] - memory[len(memory) // 2] if memory else 0.0
    return min(memory[-quarter:]) - min(memory[quarter : 2 * quarter])


def reset_all(cards: Sequence[EnvCard], count: int, seconds: float, what: str, command: str, rounds: int = 1) -> Row:
    """Reset worlds by turns and look whether the second half holds more than the first.

    Memory is that of this process and of all it starts from here on, each kind of process on its own: a browser's is in
    processes of its own, and its driver's in another.

    Args:
        cards: The worlds.
        count: Resets in all.
        seconds: After which it stops.
        what: The first column.
        command: The last column.
        rounds: Of all worlds, from one reading to the next.
    """
    before, collector = children(os.getpid()), Collector()
    with collector.watching():
        drivers = {}
        for card in cards:
            try:
                drivers[card.id] = drive(agentgym.make(card.id))
                begin(drivers[card.id], card.id, -1)
            except MissingExtra:
                drivers.pop(card.id, None)
        done, marks, deadline = 0, [], Deadline(seconds)  # worlds are made before the time begins
        names = list(drivers)
        while done < count and names and not deadline.over:
            begin(drivers[names[done % len(names)]], names[done % len(names)], done // len(names) % EPISODES)
            done += 1
            if done % (len(names) * rounds) == 0:
                collector.collect()
                marks.append((held_by_kind(before), open_files()))
        for driver in drivers.values():
            driver.close()
    half = marks[len(marks) // 2 :] or [({}, open_files())]
    growth = {
        kind: grown([held.get(kind, 0.0) for held, _ in marks])
        for kind in KINDS
        if any(kind in held for held, _ in marks)
    }
    files = half[-1][1] - half[0][1]
    found = f"second half: {', '.join(f'{kind} {more:+.1f} MB' for kind, more in growth.items()) or 'not measured'}, "
    found += f"{files:+d} descriptors ({half[-1][1]} open)"
    good = all(more <= MOST_GROWTH for more in growth.values()) and files == 0 and bool(marks)
    return Row(f"{what}, {len(names)} of them", done, found, good, command)


def run_native(count: int, seconds: float) -> list[Row]:
    """Resets of the worlds that run in this process.

    Args:
        count: In all.
        seconds: After which it stops.
    """
    return [reset_all(native(), count, seconds, "resets of environments in this process", "--only resets")]


def browser() -> list[EnvCard]:
    """The cards of the worlds in a real browser that need no files of their own."""
    return [each for each in CARDS if each.program == "chromium" and not each.requires]


def run_browser(count: int, seconds: float) -> list[Row]:
    """Resets of the worlds in a real browser.

    Args:
        count: In all.
        seconds: After which it stops.
    """
    what = "resets of environments in a browser"
    return [reset_all(browser(), count, seconds, what, "--only browser-resets", ROUNDS)]
