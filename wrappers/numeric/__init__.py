"""The numeric bridge: text worlds for learners that eat arrays and index actions, such as Stable-Baselines3.

    env = agentgym.make("FrozenLake-v0")
    env = HashedText(SlotActions(env, slots=8))       # Box observations, Discrete actions, action_masks()
    env = ReadableActions(SlotActions(env, slots=8))  # or: a Dict in which the policy reads what each slot says

Every wrapper is rebuilt from its spec, keeps snapshot, restore and fork working, and gives equal numbers in every
process.
"""

from agentgym.wrappers.numeric.actions import SlotActions, VocabularyActions, known_actions
from agentgym.wrappers.numeric.candidates import CandidateSelect
from agentgym.wrappers.numeric.hashing import HashedWords
from agentgym.wrappers.numeric.observations import EmbeddedText, HashedText, TokenIds
from agentgym.wrappers.numeric.readable import ReadableActions

__all__ = [
    "CandidateSelect",
    "EmbeddedText",
    "HashedText",
    "HashedWords",
    "ReadableActions",
    "SlotActions",
    "TokenIds",
    "VocabularyActions",
    "known_actions",
]
