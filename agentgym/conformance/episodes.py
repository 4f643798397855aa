"""Checks of how episodes begin and end: the turn limit, answers after the end, engine failures, resets."""

from __future__ import annotations

from typing import Any

from agentgym.conformance.info import INFO
from agentgym.conformance.play import Play, begin, difference, episode, transcribe
from agentgym.conformance.subject import Subject
from agentgym.conformance.verdict import Violation
from agentgym.core import EngineFailure, LanguageEnv


def turn_limit(subject: Subject) -> str:
    """A4: an agent that is refused every turn is truncated exactly at `max_turns`, the world's own or the caller's."""
    lengths = []
    for limit in (None, 1, 3):
        world = subject.world(max_turns=limit)
        world.reset(seed=2)
        wanted = limit or world.max_turns
        if world.max_turns != wanted or not 1 <= wanted <= max(subject.card.max_turns, limit or 0):
            raise Violation(
                f"max_turns is {world.max_turns}, asked for was {wanted}; the card allows {subject.card.max_turns}.",
                "return the limit from _turn_limit, at most the card's max_turns; leave reset to LanguageEnv.",
            )
        for turn in range(1, wanted + 1):
            _, _, terminated, truncated, given = world.step("")
            if terminated:
                raise Violation(
                    f"doing nothing decided the task at turn {turn}.", "a refused action must not end the episode."
                )
            if truncated != (turn == wanted):
                raise Violation(
                    f"truncated is {truncated} at turn {turn} of {wanted}.", "leave the turn limit to LanguageEnv.step."
                )
            if given["success"]:
                raise Violation("an episode that ran out of turns is a success.", "success implies terminated.")
        lengths.append(wanted)
    return f"truncated exactly at {', '.join(map(str, lengths))} turns"


def after_end(subject: Subject) -> str:
    """A4: after the end `step` answers, with the same flags, reward 0 and no effect, until the next reset."""
    for agent in ("random", "nothing"):
        world = subject.world()
        *_, last = episode(world, Play(agent, 8))
        before = _ended_state(world)
        for action in ("", *world.grammar.examples[:2]):
            text, reward, terminated, truncated, given = world.step(action)
            if (reward, terminated, truncated) != (0.0, last.terminated, last.truncated):
                raise Violation(
                    f"a step after the end gives reward {reward}, terminated {terminated}, truncated {truncated}.",
                    "leave step to LanguageEnv, which repeats the flags with reward 0.",
                )
            if given["action_valid"] or given["success"] != last.info["success"] or "over" not in text:
                raise Violation(f"a step after the end answers {text!r:.80}.", "leave step to LanguageEnv.")
            if _ended_state(world) != before or world.admissible_actions() not in ([], None):
                raise Violation("a step after the end changes the world.", "leave step to LanguageEnv.")
        world.reset(seed=9)
        if world.step(world.grammar.examples[0])[4]["failure"] or world.turn != 1:
            raise Violation("a reset after the end begins no new episode.", "set everything anew in _reset.")
    return "after a decided and an exhausted episode"


def _ended_state(world: LanguageEnv) -> tuple[str, int]:
    return world.state_key() if world.card.snapshot == "none" else world.snapshot().digest(), world.turn


def failures(subject: Subject) -> str:
    """O5: an engine failure, injected into either hook, is marked, and the next reset is as good as new."""
    reference = transcribe(subject.make(), Play("random", 4, limit=12)).lines

    def fail(*_: Any) -> Any:
        raise EngineFailure("injected by the conformance check")

    world = subject.world()
    begin(world, Play("random", 3))
    world._step = fail  # type: ignore
    _, reward, terminated, truncated, given = world.step(world.grammar.examples[0])
    del world._step
    _marked(given, reward, terminated, truncated, "step")
    _recovered(world, reference, "step")
    world._reset = fail  # type: ignore
    _, given = world.reset(seed=3)
    del world._reset
    _marked(given, 0.0, False, world.ended, "reset")
    _recovered(world, reference, "reset")
    return "marked in step and in reset; the next reset works"


def _marked(given: dict[str, Any], reward: float, terminated: bool, truncated: bool, where: str) -> None:
    if (
        not given["failure"]
        or reward != 0.0
        or terminated
        or not truncated
        or given["success"]
        or set(given) != set(INFO)
    ):
        raise Violation(
            f"an EngineFailure in {where} gives failure {given.get('failure')!r}, reward {reward}, "
            f"terminated {terminated}, truncated {truncated}.",
            "let EngineFailure pass out of the hooks; LanguageEnv marks it.",
        )


def _recovered(world: LanguageEnv, reference: list[str], where: str) -> None:
    wrong = difference(reference, transcribe(world, Play("random", 4, limit=12)).lines)
    if wrong:
        raise Violation(
            f"the episode after a failure in {where} differs from one in a new environment: {wrong}",
            "set up everything in _reset; keep nothing of a broken episode.",
        )


def reset_again(subject: Subject) -> str:
    """D5: an environment that was used and reset equals a new one."""
    used = subject.make()
    plays = [Play("random", seed, limit=15) for seed in (21, 22)]
    for play in plays:
        transcribe(used, play)
    for play in plays:
        fresh = subject.make()
        wrong = difference(transcribe(fresh, play).lines, transcribe(used, play).lines)
        if wrong:
            raise Violation(
                f"seed {play.seed}: a used environment differs from a new one: {wrong}",
                "set up everything in _reset or reset; keep nothing of earlier episodes.",
            )
        if isinstance(fresh.unwrapped, LanguageEnv) and fresh.unwrapped.card.snapshot != "none":
            assert isinstance(used.unwrapped, LanguageEnv)
            if fresh.unwrapped.snapshot().digest() != used.unwrapped.snapshot().digest():
                raise Violation(
                    f"seed {play.seed}: the digests of a used and a new environment differ.",
                    "set every field of the state in _reset.",
                )
    return f"{len(plays)} seeds"
