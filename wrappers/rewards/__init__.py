"""Wrappers that add terms to the reward, by what they look at."""

from agentgym.wrappers.rewards.judge import JudgeReward
from agentgym.wrappers.rewards.plain import FormatReward, StepCost, WithholdReward
from agentgym.wrappers.rewards.shaping import PotentialShaping, ProgressReward, SubgoalReward

__all__ = [
    "FormatReward",
    "JudgeReward",
    "PotentialShaping",
    "ProgressReward",
    "StepCost",
    "SubgoalReward",
    "WithholdReward",
]
