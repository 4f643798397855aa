"""Checks of what an environment tells and takes: spaces, flags, success, arguments, options, render."""

from __future__ import annotations

import math
import warnings
from typing import Any

import gymnasium as gym
import numpy as np

from agentgym.conformance.env_under_test import EnvUnderTest
from agentgym.conformance.errors import Violation
from agentgym.conformance.play import Play, begin, stroll
from agentgym.core import AgentGymError, ConfigError, StepResult, UnicodeText
from agentgym.core.hooks import clashes
from agentgym.core.rng import stream


def hooks_only(env: EnvUnderTest) -> str:
    """A13: a world overrides nothing of the core but its hooks, and keeps nothing under a name of the core's own."""
    wrong = clashes(type(env.world().world))
    if wrong:
        raise Violation(
            f"{', '.join(wrong)} stand for something else in the core.",
            "give them other names; agentgym.core.hooks.HOOKS lists what a world may define.",
        )
    return "no name of the core but hooks"


def spaces(env: EnvUnderTest) -> str:
    """A3: every observation of random, admissible and hostile walks lies in its space; flags and rewards are plain."""
    for player in env.players:
        observed, done = env.sample.observation_space(player), env.sample.action_space(player)
        if env.is_world and not (isinstance(observed, UnicodeText) and isinstance(done, UnicodeText)):
            raise Violation(
                f"{player} has the spaces {observed} and {done}, not two of UnicodeText.",
                "leave the spaces to the base class and set observation_length and action_length.",
            )
        if isinstance(observed, gym.spaces.Dict) and any(isinstance(s, gym.spaces.Dict) for s in observed.values()):
            raise Violation("the observation space is a Dict inside a Dict.", "flatten it: one Dict of simple spaces.")
    for where, player, result in env.results:
        space = env.sample.observation_space(player)
        if result.observation not in space:
            raise Violation(
                f"{where}: the observation {result.observation!r:.80} is outside {space}.",
                "return only members of the space; cut long text with UnicodeText.fit.",
            )
        _plain(result, env.is_world, where)
    return f"{len(env.results)} observations in their spaces"


def _plain(result: StepResult, strict: bool, where: str) -> None:
    kinds = (float,) if strict else (int, float, np.integer, np.floating)
    if isinstance(result.reward, bool) or not isinstance(result.reward, kinds) or not math.isfinite(result.reward):
        raise Violation(f"{where}: the reward is {result.reward!r}.", "return a finite Python float.")
    for name in ("terminated", "truncated"):
        flag = getattr(result, name)
        if type(flag) is not bool and (strict or not isinstance(flag, np.bool_)):
            raise Violation(f"{where}: {name} is {flag!r} of type {type(flag).__name__}.", "return a Python bool.")


def success(env: EnvUnderTest) -> str:
    """A6: a player succeeds only when it is terminated, and is never terminated and truncated at once."""
    env.world()
    ends = wins = 0
    for where, _, result in env.results:
        won = result.info["success"]
        if won and not result.terminated:
            raise Violation(
                f"{where}: success is True while terminated is {result.terminated}.",
                "say success, or name winners, only where the task is decided.",
            )
        if result.terminated and result.truncated:
            raise Violation(f"{where}: both terminated and truncated.", "leave truncated to the base class.")
        wins, ends = wins + won, ends + result.terminated
    return f"{ends} decided episodes, {wins} of them successes"


def options(env: EnvUnderTest) -> str:
    """A12: unknown or impossible constructor arguments and reset options are refused, known ones work."""
    driver = env.world()
    refused: list[dict[str, Any]] = [
        {"no_such_argument": 1}, {"split": "no such split"}, {"max_turns": 0}, {"render_mode": "no such mode"},
    ]  # fmt: skip
    for wrong in [*refused, *([{"tries": 0}] if env.in_turns else [])]:
        try:
            with warnings.catch_warnings(
                action="ignore"
            ):  # Gymnasium warns of an unknown render mode, then the world raises
                env.make(**wrong)
        except (TypeError, AgentGymError, gym.error.Error):
            continue
        raise Violation(f"the constructor takes {wrong} without a word.", "pass **kwargs on to the base class.")
    try:
        driver.reset(seed=0, options={"no such option": 1})
    except ConfigError:
        pass
    else:
        raise Violation("reset takes an unknown option.", "name what it understands in reset_options.")
    for split in env.card.splits:
        step = begin(env.world(split=split), Play("random", 0))
        if any(result.info["split"] not in env.card.splits for result in step.results.values()):
            raise Violation(f"split={split!r} plays a task of another.", "draw from tasks(self.split).")
    _render(env)
    return f"{len(refused) + 1} bad arguments refused, {len(env.card.splits)} splits made"


def _render(env: EnvUnderTest) -> None:
    """Look at a world in its render modes, and close it twice."""
    driver = env.world(render_mode="ansi")
    shown = [driver.env.render()]
    begin(driver, Play("random", 0))
    stroll(driver, stream("conformance.render"))
    shown.append(driver.env.render())
    if not all(isinstance(text, str) and text for text in shown):
        raise Violation("render() gives no text in mode ansi.", "leave render to the base class.")
    driver.close()
    driver.close()
    if env.card.images:
        driver = env.world(render_mode="rgb_array")
        begin(driver, Play("random", 0))
        before, picture = driver.state_key(), driver.env.render()
        fine = isinstance(picture, np.ndarray) and picture.dtype == np.uint8 and picture.ndim == 3
        if not fine or picture.shape[2] != 3 or driver.state_key() != before:
            raise Violation("render() gives no picture.", "return uint8 of shape (h, w, 3) and change nothing.")
        driver.close()
