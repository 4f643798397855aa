"""Players that do not do the task and can be tried in any world: a fixed script, a memory of train, and a climber.

They show what a world pays without being understood. The climber looks one step ahead with `fork` and takes what raises
`info["progress"]` and `info["metrics"]` most, so it wins where these tell of what the player cannot see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from agentgym.agents.policy import ActionPolicy, View
from agentgym.conformance.env_under_test import EnvUnderTest
from agentgym.conformance.errors import NotApplicable, Violation
from agentgym.conformance.play import Play, act, begin, episode, stroll
from agentgym.conformance.players import LEVEL, Gamer, Reciting
from agentgym.conformance.scores import EPSILON, FIRST_SEED, measure, wilson
from agentgym.core import Driver
from agentgym.core.rng import stream

TASKS = 40  # of the test panel
REMEMBERED = 100  # train tasks whose solutions the memory holds
LONGEST = 60  # turns of an episode; what takes longer counts as not won
TWINS, FEW = 12, 4  # tasks in which the same is said, with --full and without
SAID = 4  # actions that are said in each of them
WIDTH = 8  # actions that the climber tries in a fork each turn


@dataclass(frozen=True, slots=True)
class Solved:
    """How a train task was won: the words of its instruction, and the actions."""

    words: frozenset[str]
    actions: tuple[str, ...]


def generic_shortcuts(env: EnvUnderTest) -> str:
    """O6: a script, a memory of train and a climber win no more of `test` than the card's bound.

    Without a bound on the card, that is what random actions win.
    """
    card = env.card
    if env.size.tasks is not None:
        raise NotApplicable("played with --full")
    if "test" not in card.splits or card.requires or card.program:
        raise NotApplicable("played on native worlds with a test panel")
    known = card.scores.get("test", {})
    bound = card.shortcut_bound
    if bound is None:
        bound = known["random"].success if "random" in known else measure(env, "test", "random", TASKS).score.success
    told = []
    for gamer in gamers(env):
        found = measure(env, "test", gamer, TASKS, LONGEST)
        if wilson(sum(found.wins), len(found.wins))[0] > bound + EPSILON:
            raise Violation(
                f"the {gamer.name} wins {sum(found.wins)} of {len(found.wins)} tasks of 'test'; allowed: {bound:.3f}.",
                "keep hidden truth out of info (hidden_progress), or state shortcut_bound if the world is meant so.",
            )
        told.append(f"{gamer.name} {sum(found.wins)}/{len(found.wins)}")
    return f"{', '.join(told)}; bound {bound:.3f}"


def gamers(env: EnvUnderTest) -> Iterator[Gamer]:
    """Those that can be tried in a world.

    Args:
        env: The environment under test.
    """
    solved = list(_solved(env))
    if solved:
        yield Gamer("script", lambda driver, player: Reciting(solved[0].actions))
        yield Gamer("memory", lambda driver, player: Reciting(_nearest(solved, driver, player).actions))
    if env.card.snapshot == "copy":
        yield Gamer("climber", _Climber)


def _solved(env: EnvUnderTest) -> Iterator[Solved]:
    """Train tasks with what the oracle did, or the expert where there is no oracle."""
    who = next((agent for agent in ("oracle", "expert") if env.has(f"_{agent}")), None)
    if who is None or "train" not in env.card.splits:
        return
    driver = env.drive(split="train")
    player = driver.players[0]
    held: dict[str, str | Gamer] = {player: who}
    if env.card.rival:
        held = {**dict.fromkeys(driver.players, f"{LEVEL}{env.card.rival}"), **held}
    for place in env.places("train", REMEMBERED):
        steps = list(episode(driver, Play(who, FIRST_SEED + place, task=place, limit=LONGEST), held))
        actions = tuple(step.actions[player] for step in steps if player in step.actions)
        if actions:
            yield Solved(_words(driver, player), actions)
    driver.close()


def _words(driver: Driver, player: str) -> frozenset[str]:
    return frozenset(driver.result(player).info["instruction"].lower().split())


def _nearest(solved: list[Solved], driver: Driver, player: str) -> Solved:
    """The train task whose instruction shares most words with the one to be played."""
    wanted = _words(driver, player)
    return max(solved, key=lambda one: len(one.words & wanted) / (len(one.words | wanted) or 1))


class _Climber(ActionPolicy):
    """Tries some actions in forks, and takes the one after which `info` looks best.

    A state that it has not been in comes first, then progress, then the sum of the metrics. What a fork's end tells
    is not used: any look-ahead sees it, while this player is after what `info` tells on the way.

    Args:
        driver: The environment, after its reset.
        player: Whom it plays for.
    """

    def __init__(self, driver: Driver, player: str):
        self._driver, self._player = driver, player
        self._seen: set[str] = set()

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The action after which most is told."""
        self._seen.add(self._driver.world.state_key())
        listed = view.ask("admissible_actions") or [view.ask("sample_action", rng) for _ in range(WIDTH)]
        tried = [str(listed[int(place)]) for place in rng.permutation(len(listed))[:WIDTH]]
        return max(tried, key=partial(self._look, rng=rng))

    def _look(self, action: str, rng: np.random.Generator) -> tuple[bool, float, float]:
        driver, player = self._driver, self._player
        twin = driver.fork(reseed=int(rng.integers(2**31)))
        others = {each: twin.sample_action(each, rng) for each in twin.to_act if each != player}
        twin.step({**others, player: action})
        result = twin.result(player)
        if result.terminated or result.truncated:
            return True, *_height(driver.result(player).info)
        return twin.world.state_key() not in self._seen, *_height(result.info)


def _height(info: Mapping[str, Any]) -> tuple[float, float]:
    return info["progress"], sum(info["metrics"].values())


def hidden_truth(env: EnvUnderTest) -> str:
    """S4: where progress tells of what is hidden, `test` shows it, and the metrics, with the end only.

    Where it does not, players that have said and seen the same in two tasks of `test` read the same progress and
    metrics. What a panel prints of a test task is its id, its split and its words.
    """
    splits = [split for split in env.card.splits if split.startswith("test")]
    if not splits:
        raise NotApplicable("the world has no test split")
    for split in splits:
        driver = env.world(split=split)
        for place in env.places(split, 3):
            task = driver.world.tasks(split)[place]
            if repr(dict(task.spec)) in repr(task):
                raise Violation(f"split {split!r}, task {task.id!r} prints its specification.", "use core's Task.")
            if env.card.hidden_progress:
                _withheld(driver, place)
        if not (env.card.program or env.card.requires):
            _as_seen(driver, env.places(split, TWINS if env.size.tasks is None else FEW), split)
    told = "withheld on" if env.card.hidden_progress else "of what is seen on"
    return f"progress and metrics {told} {', '.join(splits)}"


def _withheld(driver: Driver, place: int) -> None:
    begin(driver, Play("random", place, task=place))
    rng = stream("conformance.hidden_truth", place)
    for _ in range(LONGEST):
        for player in driver.active:
            result = driver.result(player)
            shown = result.info["progress"] or any(result.info["metrics"].values())
            if shown and not (result.terminated or result.truncated):
                raise Violation(
                    f"task {place} of 'test' shows progress {result.info['progress']} before the end.",
                    "leave info to the base class.",
                )
        if driver.ended:
            return
        stroll(driver, rng)


def _as_seen(driver: Driver, places: list[int], split: str) -> None:
    """Say the same in several tasks: where the same was seen, `info` may not tell them apart before the end."""
    known: dict[str, tuple[int, Any]] = {}
    rng = stream("conformance.as_seen", split)
    script: list[dict[str, str]] = []
    for place in places:
        begin(driver, Play("random", places[0], task=place))
        history = ""
        for turn in range(SAID):
            history += repr([driver.result(player).observation for player in driver.players])
            for player in driver.active:
                info = driver.result(player).info
                now = (info["progress"], sorted(info["metrics"].items()))
                other, before = known.setdefault(f"{player}{history}", (place, now))
                if before != now and not driver.ended:
                    raise Violation(
                        f"tasks {other} and {place} of {split!r} look the same, and info tells them apart: "
                        f"{before!r:.80} and {now!r:.80}.",
                        "let progress and metrics depend on what was seen, or set hidden_progress on the card.",
                    )
            if driver.ended:
                break
            if turn == len(script):
                script.append({player: driver.sample_action(player, rng) for player in driver.to_act})
            history += repr(script[turn])
            act(driver, script[turn])
