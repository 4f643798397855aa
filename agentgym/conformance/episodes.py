"""Checks of how episodes begin and end: the turn limit, answers after the end, engine failures, resets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gymnasium.error import ResetNeeded

from agentgym.conformance.env_under_test import EnvUnderTest
from agentgym.conformance.errors import Violation
from agentgym.conformance.info import INFO
from agentgym.conformance.play import Play, Step, act, begin, difference, episode, stroll, transcribe
from agentgym.core import AgentGymError, Driver, EngineFailure
from agentgym.core.rng import stream

BASE = "leave step and the asking methods to the base class."


def turn_limit(env: EnvUnderTest) -> str:
    """A4: who is refused every turn is truncated exactly at `max_turns`, the world's own or the caller's."""
    lengths = []
    for limit in (None, 1, 3):
        driver = env.world(max_turns=limit)
        *_, last = episode(driver, Play("nothing", 2))
        world, wanted = driver.world, limit or driver.world.max_turns
        if world.max_turns != wanted or not 1 <= wanted <= max(env.card.max_turns, limit or 0):
            raise Violation(
                f"max_turns is {world.max_turns}, asked for was {wanted}; the card allows {env.card.max_turns}.",
                "return the limit from _turn_limit, at most the card's max_turns; leave reset to the base class.",
            )
        for result in last.results.values():
            if result.terminated and env.alone:
                raise Violation("doing nothing decided the task.", "a refused action must not end the episode.")
            if world.turn > wanted or (result.truncated and world.turn != wanted):
                raise Violation(f"the episode ended at turn {world.turn} of {wanted}.", "leave the limit to the base.")
            if result.truncated and result.info["success"]:
                raise Violation("an episode that ran out of turns is a success.", "success implies terminated.")
        lengths.append(world.turn)
    return f"ended at {', '.join(map(str, lengths))} turns"


def after_end(env: EnvUnderTest) -> str:
    """A4: after the end nobody is listed or advised anything, and nothing has an effect until the next reset.

    One player alone may go on, and is answered with the same flags and reward 0; of several, nobody is left.
    """
    for agent in ("random", "nothing"):
        driver = env.world()
        *_, last = episode(driver, Play(agent, 8))
        before = _ended_state(driver)
        for player in driver.players:
            if driver.admissible_actions(player) != []:
                raise Violation("actions are listed after the end.", BASE)
            refused(partial(driver.sample_action, player, stream("conformance.after_end")), "sample_action")
            refused(partial(driver.oracle_action, player), "oracle_action")
            refused(partial(driver.expert_action, player), "expert_action")
        for action in ("", *driver.told("examples", driver.players[0])[:2]):
            if env.alone:
                _answered(driver, action, last)
            else:
                refused(partial(driver.step, dict.fromkeys(driver.players, action)), "step")
            if _ended_state(driver) != before:
                raise Violation("a step after the end changes the world.", BASE)
        step = begin(driver, Play("random", 9))
        if driver.world.turn or driver.ended or any(result.info["failure"] for result in step.results.values()):
            raise Violation("a reset after the end begins no new episode.", "set everything anew in _reset.")
    return "after a random and an idle episode"


def refused(call: Callable[[], Any], name: str) -> None:
    """Find fault with a call that must raise and answers.

    Args:
        call: The call.
        name: What it is.
    """
    try:
        call()
    except (AgentGymError, ResetNeeded, ValueError):
        return
    raise Violation(f"{name} answers where it must not.", BASE)


def _answered(driver: Driver, action: str, last: Step) -> None:
    [player] = driver.players
    driver.step({player: action})
    one, before = driver.result(player), last.results[player]
    if (one.reward, one.terminated, one.truncated) != (0.0, before.terminated, before.truncated):
        raise Violation(
            f"a step after the end gives reward {one.reward}, terminated {one.terminated}, truncated {one.truncated}.",
            "leave step to the base class, which repeats the flags with reward 0.",
        )
    if one.info["action_valid"] or one.info["success"] != before.info["success"] or "over" not in one.observation:
        raise Violation(f"a step after the end answers {one.observation!r:.80}.", BASE)


def _ended_state(driver: Driver) -> tuple[str, int]:
    world = driver.world
    return world.state_key() if world.card.snapshot == "none" else world.snapshot().digest(), world.turn


def failures(env: EnvUnderTest) -> str:
    """O5: an engine failure, injected into either hook, is marked for all, and the next reset is as good as new."""
    play = Play("random", 4, limit=12)
    expected = transcribe(env.world(), play).lines

    def fail(*_: Any) -> Any:
        raise EngineFailure("injected by the conformance check")

    driver = env.world()
    for hook in ("_step_all" if env.simultaneous else "_step", "_reset"):
        begin(driver, Play("random", 3))
        setattr(driver.world, hook, fail)
        step = begin(driver, Play("random", 3)) if hook == "_reset" else _valid_step(driver)
        delattr(driver.world, hook)
        for player, result in step.results.items():
            given = result.info
            marked = given["failure"] and result.truncated and not result.terminated and not given["success"]
            if not marked or result.reward != 0.0 or set(given) != set(INFO):
                raise Violation(
                    f"an EngineFailure in {hook} gives {player} failure {given.get('failure')!r}, reward "
                    f"{result.reward}, terminated {result.terminated}, truncated {result.truncated}.",
                    "let EngineFailure pass out of the hooks; the base class marks it.",
                )
        wrong = difference(expected, transcribe(driver, play).lines)
        if wrong:
            raise Violation(
                f"the episode after a failure in {hook} differs from one in a new environment: {wrong}",
                "set up everything in _reset; keep nothing of a broken episode.",
            )
    return "marked in step and in reset; the next reset works"


def _valid_step(driver: Driver) -> Step:
    """A step of actions that the grammar reads."""
    if len(driver.players) > 1:
        return stroll(driver, stream("conformance.failures"))
    [player] = driver.players
    return act(driver, {player: driver.told("examples", player)[0]})


def reset_again(env: EnvUnderTest) -> str:
    """D5: an environment that was used and reset equals a new one."""
    used = env.drive()
    plays = [Play("random", seed, limit=15) for seed in (21, 22)]
    for play in plays:
        transcribe(used, play)
    for play in plays:
        fresh = env.drive()
        wrong = difference(transcribe(fresh, play).lines, transcribe(used, play).lines)
        if wrong:
            raise Violation(
                f"seed {play.seed}: a used environment differs from a new one: {wrong}",
                "set up everything in _reset or reset; keep nothing of earlier episodes.",
            )
        saved = env.is_world and env.card.snapshot != "none"
        if saved and fresh.world.snapshot().digest() != used.world.snapshot().digest():
            raise Violation(
                f"seed {play.seed}: digests of used and new differ.", "set every field of the state in _reset."
            )
    return f"{len(plays)} seeds"
