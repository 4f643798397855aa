"""Checks of the interface: registration, spaces, `info`, success, specs and constructor arguments."""

from __future__ import annotations

import math
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

from agentgym.conformance.play import Play, difference, transcribe, wrap
from agentgym.conformance.subject import Subject
from agentgym.conformance.verdict import Violation, describe
from agentgym.core import AgentGymError, ConfigError, LanguageEnv, Utterance, catalog


def gymnasium_checker(subject: Subject) -> str:
    """A2: Gymnasium's own `check_env`, every warning an error."""
    env = subject.make().unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*out of date.*")
        try:
            check_env(env)
        except (Exception, Warning) as error:
            raise Violation(
                f"gymnasium.utils.env_checker.check_env: {describe(error)}",
                "follow that message; it is an error or a warning of Gymnasium's checker.",
            ) from error
    return f"check_env without a warning, render modes {env.metadata.get('render_modes', [])}"


def spaces(subject: Subject) -> str:
    """A3: every observation of random, admissible and hostile walks lies in its space; flags and rewards are plain."""
    space = subject.sample.observation_space
    if subject.is_world:
        for name in ("observation_space", "action_space"):
            if not isinstance(getattr(subject.sample, name), Utterance):
                raise Violation(
                    f"{name} is {getattr(subject.sample, name)}, not an Utterance.",
                    "leave the spaces to LanguageEnv and set observation_length and action_length.",
                )
    elif isinstance(space, gym.spaces.Dict) and any(isinstance(part, gym.spaces.Dict) for part in space.values()):
        raise Violation("the observation space is a Dict inside a Dict.", "flatten it: one Dict of simple spaces.")
    for where, step in subject.walked:
        if step.observation not in space:
            raise Violation(
                f"{where}: the observation {step.observation!r:.80} is outside {space}.",
                "return only members of the space; cut long text with Utterance.fit.",
            )
        if step.reward is not None:
            _plain_step(subject, step.reward, step.terminated, step.truncated, where)
    return f"{len(subject.walked)} observations in {space}"


def _plain_step(subject: Subject, reward: Any, terminated: Any, truncated: Any, where: str) -> None:
    kinds = (float,) if subject.is_world else (int, float, np.integer, np.floating)
    if isinstance(reward, bool) or not isinstance(reward, kinds) or not math.isfinite(reward):
        raise Violation(f"{where}: the reward is {reward!r}.", "return a finite Python float.")
    for name, flag in (("terminated", terminated), ("truncated", truncated)):
        if type(flag) is not bool and (subject.is_world or not isinstance(flag, np.bool_)):
            raise Violation(f"{where}: {name} is {flag!r} of type {type(flag).__name__}.", "return a Python bool.")


def success(subject: Subject) -> str:
    """A6: `success` is said by the world, never before the end, and implies `terminated`."""
    subject.world()
    wins = ends = 0
    for where, step in subject.walked:
        won, ended = step.info["success"], bool(step.terminated)
        if won and not ended:
            raise Violation(
                f"{where}: success is True while terminated is {step.terminated}.",
                "return Outcome(success=True) only together with terminated=True.",
            )
        if step.terminated and step.truncated:
            raise Violation(
                f"{where}: both terminated and truncated.",
                "a decided task is terminated; truncated is left to the base class.",
            )
        wins, ends = wins + won, ends + ended
    return f"{ends} decided episodes, {wins} of them successes"


def spec_json(subject: Subject) -> str:
    """A8: the spec survives JSON, with wrappers, and rebuilds an equal environment."""
    for wrapped in (False, True):
        env = wrap(subject.make()) if wrapped else subject.make()
        try:
            assert env.spec is not None
            again = gym.make(EnvSpec.from_json(env.spec.to_json()))
        except (TypeError, ValueError) as error:
            raise Violation(
                f"the spec is no JSON: {describe(error)}",
                "register a string entry point and take only JSON-safe constructor arguments.",
            ) from error
        play = Play("random", 3, limit=20)
        wrong = difference(transcribe(env, play).lines, transcribe(again, play).lines)
        if wrong:
            raise Violation(
                f"the environment rebuilt from its spec behaves otherwise: {wrong}",
                "let every constructor argument pass through gymnasium.make, and derive nothing from elsewhere.",
            )
    return "bare and in three wrappers"


def options(subject: Subject) -> str:
    """A12: unknown or impossible constructor arguments and reset options are refused, known ones work."""
    world, card = subject.world(), subject.card
    refused: tuple[dict[str, Any], ...] = (
        {"no_such_argument": 1}, {"split": "no such split"}, {"max_turns": 0}, {"render_mode": "no such mode"},
    )  # fmt: skip
    for wrong in refused:
        try:
            with warnings.catch_warnings(
                action="ignore"
            ):  # Gymnasium warns of an unknown render mode, then the world raises
                subject.make(**wrong)
        except (TypeError, AgentGymError, gym.error.Error):
            continue
        raise Violation(f"the constructor takes {wrong} without a word.", "pass **kwargs on to LanguageEnv.__init__.")
    try:
        world.reset(seed=0, options={"no such option": 1})
    except ConfigError:
        pass
    else:
        raise Violation(
            "reset takes an unknown option.", "name what reset understands in reset_options; leave reset alone."
        )
    for split in card.splits:
        drawn = subject.world(split=split)
        _, given = drawn.reset(seed=0)
        if given["split"] != split and given["split"] not in card.splits:
            raise Violation(f"split={split!r} plays a task of {given['split']!r}.", "draw from tasks(self.split).")
    if subject.world(render_mode="ansi").render_mode != "ansi":
        raise Violation("render_mode='ansi' has no effect.", "keep the base class's render_mode.")
    return f"{len(refused) + 1} bad arguments refused, {len(card.splits)} splits made"


def registration(subject: Subject) -> str:
    """A1: the id is made in a fresh process through its prefix, and card and class agree."""
    subject.workers.answer(0)
    world = subject.sample
    if not isinstance(world, LanguageEnv):
        return f"gymnasium.make({subject.prefixed!r}) in a fresh process"
    card = world.card
    if catalog().get(subject.name) is not card:
        raise Violation(
            f"the catalog has no card of {subject.name}, or another than the class {type(world).__name__}.",
            "call agentgym.register(card) where the id is registered, and set the same object as the class's card.",
        )
    wanted = f"{type(world).__module__}:{type(world).__qualname__}"
    if card.entry_point != wanted or world.spec is None or world.spec.max_episode_steps is not None:
        raise Violation(
            f"the card names {card.entry_point}, gymnasium made {wanted}.",
            "give the class's own module:Class as entry_point and no max_episode_steps; the world owns its limit.",
        )
    if bool(world.tools) != card.tools or ("rgb_array" in world.metadata["render_modes"]) != card.images:
        raise Violation(
            f"the card says tools={card.tools}, images={card.images}; the class has "
            f"{len(world.tools)} tools and the render modes {world.metadata['render_modes']}.",
            "let the card say what the class does.",
        )
    return f"gymnasium.make({subject.prefixed!r}) in a fresh process; card and class agree"
