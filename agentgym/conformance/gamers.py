"""Players that do not do the task, in every world: what they score, the bound that holds them; what `test` hides."""

from __future__ import annotations

from typing import Any

from agentgym.agents.shortcuts import GENERIC
from agentgym.conformance.env_under_test import EnvUnderTest
from agentgym.conformance.errors import NotApplicable, Violation
from agentgym.conformance.play import Play, act, begin, stroll
from agentgym.conformance.players import SHORTCUT
from agentgym.conformance.scores import EPSILON, EXACT, measure, wilson
from agentgym.core import Driver, EnvCard, Score
from agentgym.core.rng import stream

TASKS, LONGEST = 20, 60  # of the test panel, and turns of an episode; what takes longer counts as not won
TASKS_SLOW = 8  # where another program answers each step
TWINS, FEW = 12, 4  # tasks in which the same is said, with --full and without
SAID = 4  # actions that are said in each of them
TOLD, TWINS_SLOW = 60, 3  # tasks whose words are compared where a program answers, and how many of them are played


def generic_shortcuts(env: EnvUnderTest) -> str:
    """O6: the players that any world can be tried with score what the card says, and no more than its bound.

    Without a bound on the card, that is what random actions win.
    """
    card = env.card
    if env.size.tasks is not None:
        raise NotApplicable("played with --full")
    players = generic_players(env)
    if not players:
        raise NotApplicable("played in worlds with train and test tasks of their own")
    known = card.scores.get("test", {})
    found = generic_scores(env)
    told = []
    for agent, score in found.items():
        problem = exceeds(card, agent, score, tasks_played(env))
        if problem:
            raise Violation(
                problem, "keep hidden truth out of info (hidden_progress), or state shortcut_bound if it is meant so."
            )
        stated = known.get(agent)
        if env.ours and (stated is None or max(abs(a - b) for a, b in zip(stated, score, strict=True)) > EXACT):
            raise Violation(
                f"{agent} scores {tuple(score)} on 'test', the card says {stated and tuple(stated)}.",
                f"run  agentgym golden --update {env.name}.",
            )
        told.append(f"{agent.removeprefix(SHORTCUT)} {score.success:.3f}")
    return f"{', '.join(told)}; bound {bound_of(card):.3f}"


def generic_players(env: EnvUnderTest) -> list[str]:
    """Names of the agents that can be tried in a world: `shortcut:` and one of `GENERIC`.

    None in a world without a test panel of its own; no memory without an oracle or an expert to remember, no climber
    where a fork plays the episode again.
    """
    card = env.card
    if "test" not in card.splits or card.requires:
        return []
    unfit = set()
    if "train" not in card.splits or not (env.has("_oracle") or env.has("_expert")):
        unfit |= {"script", "memory"}
    if card.snapshot != "copy":
        unfit.add("climber")
    return [f"{SHORTCUT}{name}" for name in GENERIC if name not in unfit]


def generic_scores(env: EnvUnderTest) -> dict[str, Score]:
    """What they score on tasks spread evenly over `test`, 20 at most, within 60 turns each.

    Args:
        env: The environment under test.
    """
    return {agent: measure(env, "test", agent, tasks_played(env), LONGEST).score for agent in generic_players(env)}


def tasks_played(env: EnvUnderTest) -> int:
    """How many tasks of `test` they play."""
    wanted = TASKS_SLOW if env.card.program else TASKS
    size = env.card.splits["test"]
    return wanted if size is None else min(wanted, size)


def bound_of(card: EnvCard) -> float:
    """What no shortcut may exceed on `test`: the card's bound, otherwise what random actions win."""
    if card.shortcut_bound is not None:
        return card.shortcut_bound
    known = card.scores.get("test", {})
    return known["random"].success + EPSILON if "random" in known else EPSILON


def exceeds(card: EnvCard, agent: str, score: Score, played: int) -> str:
    """In a sentence, by how much an agent beats the bound; empty if it does not.

    A bound that the card states holds exactly, that of random actions within the error of so few tasks.

    Args:
        card: Of the world.
        agent: Who played.
        score: What it scored.
        played: On how many tasks of `test`.
    """
    bound = bound_of(card)
    low = score.success if card.shortcut_bound is not None else wilson(round(score.success * played), played)[0]
    if low <= bound:
        return ""
    return f"{agent} wins {score.success:.3f} of {played} tasks of 'test'; allowed: {bound:.3f}."


def hidden_truth(env: EnvUnderTest) -> str:
    """S4: where progress tells of what is hidden, `test` shows it, and the metrics, with the end only.

    Where it does not, players that have said and seen the same in two tasks of `test` read the same progress and
    metrics; where a program or files of others are behind the world, that is tried with --full. What a panel prints of
    a test task is its id, its split and its words.
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
        _as_seen(driver, _twins(env, driver, split), split)
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


def _twins(env: EnvUnderTest, driver: Driver, split: str) -> list[int]:
    """Tasks in which the same is said: where each costs much, a few whose instructions are equal, with --full."""
    full = env.size.tasks is None
    if not (env.card.program or env.card.requires):
        return env.places(split, TWINS if full else FEW)
    alike: dict[str, list[int]] = {}
    for place in env.places(split, TOLD) if full else ():
        alike.setdefault(driver.world.tasks(split)[place].instruction, []).append(place)
    found = max(alike.values(), key=len, default=[])
    return found[:TWINS_SLOW] if len(found) > 1 else []


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
