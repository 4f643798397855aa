"""Rewards for how the agent behaves, form of its replies and time; and none at all."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core import ConfigError
from agentgym.wrappers._reward import RewardTerm, check_number
from agentgym.wrappers.base import Answer


class FormatReward(RewardTerm):
    """Pays for replies that were understood and possible, and charges for those that were not.

    A reply counts as malformed where a format could not read it (`format_valid`), and as refused where the world could
    not do it (`action_valid`). A positive `valid` pays for idling with valid actions, so keep it small or 0.

    Changes: the reward, and `info["reward_terms"]["format"]`.

    Args:
        env: A world.
        malformed: Added when no action could be read.
        refused: Added when the action was not possible.
        valid: Added when it was played.

    Source: verl-agent and RAGEN charge 0.1 for an invalid reply (0.01 in verl-agent's search).

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import FormatReward, ReAct
    >>> env = FormatReward(ReAct(gym.make("AgentGym/TextCraft-v1")), malformed=-0.1, refused=-0.05)
    >>> text, info = env.reset(seed=0)
    >>> env.step("inventory")[1], env.step("Action: fly")[1], env.step("Action: inventory")[1]
    (-0.1, -0.05, 0.0)
    """

    term: ClassVar[str] = "format"

    def __init__(self, env: gym.Env[Any, Any], *, malformed: float = -0.1, refused: float = -0.1, valid: float = 0.0):
        super().__init__(env, malformed=malformed, refused=refused, valid=valid)
        self.malformed = check_number("malformed", malformed)
        self.refused = check_number("refused", refused)
        self.valid = check_number("valid", valid)

    def _pay(self, action: Any, answer: Answer) -> float:
        info = answer[4]
        if info["action_valid"]:
            return self.valid
        return self.refused if info.get("format_valid", True) else self.malformed


class StepCost(RewardTerm):
    """Charges the same for every step, so that shorter ways are better.

    Changes: the reward, and `info["reward_terms"]["step"]`.

    Args:
        env: A world.
        cost: What a step costs, at least 0.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import StepCost
    >>> env = StepCost(gym.make("AgentGym/TextCraft-v1"), cost=0.01)
    >>> text, info = env.reset(seed=0)
    >>> env.step("inventory")[1]
    -0.01
    """

    term: ClassVar[str] = "step"

    def __init__(self, env: gym.Env[Any, Any], *, cost: float = 0.01):
        super().__init__(env, cost=cost)
        self.cost = check_number("cost", cost)
        if self.cost < 0:
            raise ConfigError(f"cost is what a step costs and must be at least 0, got {cost!r}")

    def _pay(self, action: Any, answer: Answer) -> float:
        return -self.cost


class WithholdReward(RewardTerm):
    """Takes back what is paid inside, so that wrappers further outside alone pay, such as a judge.

    The truth of the world still stands in `info["reward_terms"]`, `info["success"]` and `info["metrics"]`, to be
    compared with.

    Changes: the reward, and `info["reward_terms"]["withheld"]`.

    Args:
        env: A world.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import StepCost, WithholdReward
    >>> env = WithholdReward(StepCost(gym.make("AgentGym/TextCraft-v1"), cost=0.5))
    >>> text, info = env.reset(seed=0)
    >>> text, reward, terminated, truncated, info = env.step("inventory")
    >>> reward, info["reward_terms"]
    (0.0, {'world': 0.0, 'step': -0.5, 'withheld': 0.5})
    """

    term: ClassVar[str] = "withheld"

    def __init__(self, env: gym.Env[Any, Any]):
        super().__init__(env)

    def _pay(self, action: Any, answer: Answer) -> float:
        return -float(answer[1])
