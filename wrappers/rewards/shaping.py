"""Rewards for coming nearer: potentials, progress and sub-goals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core import ConfigError, LanguageEnv, unknown
from agentgym.core.checks import check_mapping
from agentgym.core.errors import named_function
from agentgym.wrappers._reward import RewardTerm, check_number
from agentgym.wrappers.base import Answer, Info


def progress(world: LanguageEnv, info: Mapping[str, Any]) -> float:
    """The potential that every world has: its progress.

    Args:
        world: The world.
        info: The `info` of the step.

    Returns:
        `info["progress"]`, 0 to 1.
    """
    return float(info["progress"])


class PotentialShaping(RewardTerm):
    """Adds `gamma * potential(after) - potential(before)`, which leaves the best policies as they are.

    The potential of a decided episode is 0, so that nothing can be earned by ending with a high one; at a truncation it
    stays, since the value there is bootstrapped. Give the `gamma` of the learner.

    Changes: the reward, and `info["reward_terms"]["potential"]`.

    Args:
        env: A world.
        potential: `module:function` of a function of the world and `info` that gives a number.
        gamma: Discount, above 0 and at most 1.
        scale: What the potential is multiplied with.

    Source: Ng, Harada and Russell, Policy Invariance under Reward Transformations, ICML 1999; Grzes, Reward Shaping in
    Episodic Reinforcement Learning, AAMAS 2017, for the end.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import PotentialShaping
    >>> env = PotentialShaping(gym.make("AgentGym/FrozenLake-v0", slippery=False))
    >>> text, info = env.reset(seed=1)
    >>> text, reward, terminated, truncated, info = env.step("right")
    >>> round(reward, 3), round(info["reward_terms"]["potential"], 3), round(info["progress"], 3)
    (0.333, 0.333, 0.333)
    """

    term: ClassVar[str] = "potential"
    saved_attributes: ClassVar[tuple[str, ...]] = ("_before",)

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        potential: str = "agentgym.wrappers.rewards.shaping:progress",
        gamma: float = 1.0,
        scale: float = 1.0,
    ):
        super().__init__(env, potential=potential, gamma=gamma, scale=scale)
        self._potential = named_function(potential, "the potential")
        self.gamma, self.scale = check_number("gamma", gamma), check_number("scale", scale)
        if not 0 < self.gamma <= 1:
            raise ConfigError(f"gamma must be above 0 and at most 1, got {gamma!r}")
        self._before = 0.0

    def begin(self, observation: Any, info: Info, note: Any) -> Any:
        """The first `observation` as it is; the first step is compared with the potential of `info`. No `note`."""
        self._before = self._value(info)
        return super().begin(observation, info, note)

    def _pay(self, action: Any, answer: Answer) -> float:
        after = 0.0 if answer[2] else self._value(answer[4])
        paid = self.scale * (self.gamma * after - self._before)
        self._before = after
        return paid

    def _value(self, info: Info) -> float:
        return check_number("the value of the potential", self._potential(self.world, info))


class ProgressReward(RewardTerm):
    """Pays each new height of `info["progress"]` once; going back and forth earns nothing.

    Changes: the reward, and `info["reward_terms"]["progress"]`.

    Args:
        env: A world.
        scale: What the whole way from 0 to 1 is worth.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import ProgressReward
    >>> env = ProgressReward(gym.make("AgentGym/FrozenLake-v0", slippery=False), scale=0.3)
    >>> text, info = env.reset(seed=1)
    >>> round(env.step("right")[1], 3)
    0.1
    """

    term: ClassVar[str] = "progress"
    saved_attributes: ClassVar[tuple[str, ...]] = ("_best",)

    def __init__(self, env: gym.Env[Any, Any], *, scale: float = 1.0):
        super().__init__(env, scale=scale)
        self.scale = check_number("scale", scale)
        self._best = 0.0

    def begin(self, observation: Any, info: Info, note: Any) -> Any:
        """The first `observation` as it is; nothing is paid for the progress that `info` begins with. No `note`."""
        self._best = info["progress"]
        return super().begin(observation, info, note)

    def _pay(self, action: Any, answer: Answer) -> float:
        gained = max(0.0, answer[4]["progress"] - self._best)
        self._best += gained
        return self.scale * gained


class SubgoalReward(RewardTerm):
    """Pays the first time that each sub-goal is reached in an episode.

    A sub-goal is an event of the world: a dict that holds at least its `type`, and every field that must be equal.

    Changes: the reward, `info["reward_terms"]["subgoals"]`, and `info["subgoals"]` (list of str: names reached so far,
    in the order of the argument).

    Args:
        env: A world whose card declares events.
        subgoals: Name to event, such as `{"stick": {"type": "craft", "item": "stick"}}`.
        reward: What each is worth.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import SubgoalReward
    >>> env = SubgoalReward(gym.make("AgentGym/WebShop-v1"), subgoals={"searched": {"type": "search"}}, reward=0.1)
    >>> text, info = env.reset(seed=0)
    >>> env.step("search[red shoes]")[1], env.step("search[blue shoes]")[1]
    (0.1, 0.0)
    """

    term: ClassVar[str] = "subgoals"
    saved_attributes: ClassVar[tuple[str, ...]] = ("_reached",)

    def __init__(self, env: gym.Env[Any, Any], *, subgoals: Mapping[str, Mapping[str, Any]], reward: float = 0.1):
        check_mapping("subgoals", subgoals, Mapping, "{'searched': {'type': 'search'}}")
        plain = {name: dict(event) for name, event in subgoals.items()}
        super().__init__(env, subgoals=plain, reward=reward)
        known = self.world.card.events
        if not plain or not known:
            what = "names no sub-goal" if known else f"has nothing to look for; {self.world.card.id} declares no events"
            raise ConfigError(f"SubgoalReward {what}")
        for name, event in plain.items():
            if event.get("type") not in known:
                raise unknown(f"event type of sub-goal {name!r} in {self.world.card.id}", event.get("type"), known)
        self.subgoals, self.reward = plain, check_number("reward", reward)
        self._reached: list[str] = []

    def begin(self, observation: Any, info: Info, note: Any) -> Any:
        """The first `observation` as it is; `info` has no subgoal yet. The `note` is not needed."""
        self._reached = []
        info["subgoals"] = []
        return super().begin(observation, info, note)

    def _pay(self, action: Any, answer: Answer) -> float:
        info = answer[4]
        fresh = [
            name
            for name, event in self.subgoals.items()
            if name not in self._reached and any(event.items() <= seen.items() for seen in _flat(info["events"]))
        ]
        self._reached = [name for name in self.subgoals if name in self._reached or name in fresh]
        return self.reward * len(fresh)

    def step(self, action: Any) -> Answer:
        """Play an action; pay the sub-goals it reaches."""
        answer = super().step(action)
        answer[4]["subgoals"] = list(self._reached)
        return answer


def _flat(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The hashable fields of events; what is a list or a dict cannot be asked for."""
    return [{key: value for key, value in event.items() if not isinstance(value, (list, dict))} for event in events]
