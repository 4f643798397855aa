"""Published directions tried again: several arms, several seeds, paired differences, and a verdict with its numbers."""

from agentgym.reproduce.absent import playable
from agentgym.reproduce.claim import Arm, Check, Claim, claim_names, load_claim
from agentgym.reproduce.planning import SamplePlan, pilot, planned
from agentgym.reproduce.trial import reproduce
from agentgym.reproduce.verdict import Finding, answers, judge

__all__ = [
    "Arm",
    "Check",
    "Claim",
    "Finding",
    "SamplePlan",
    "answers",
    "claim_names",
    "judge",
    "load_claim",
    "pilot",
    "planned",
    "playable",
    "reproduce",
]
