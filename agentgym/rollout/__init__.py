"""From environments and policies to episodes: records of what was seen, said, sampled and earned."""

from agentgym.agents.context import CONTEXTS, Context, Explicit, Growing, SingleTurn, Window, WorkspaceContext
from agentgym.rollout.collect import collect, play
from agentgym.rollout.demonstrate import demonstrate
from agentgym.rollout.env_pool import EnvPool
from agentgym.rollout.episode import STOPS, Episode, Parent, Segment, Span, Stop, Turn
from agentgym.rollout.people import can_take_back, play_with_people
from agentgym.rollout.records import EpisodeSpec, RecordOptions
from agentgym.rollout.roles import Cast, Delegation, Role, assign_roles
from agentgym.rollout.running import RunningEpisode
from agentgym.rollout.strategies import (
    STRATEGIES,
    Attempts,
    Branching,
    EntropyBranching,
    GuidedAttempts,
    Independent,
    Strategy,
    Tree,
)
from agentgym.rollout.workers import Workers

__all__ = [
    "CONTEXTS",
    "STOPS",
    "STRATEGIES",
    "Attempts",
    "Branching",
    "Cast",
    "Context",
    "Delegation",
    "EntropyBranching",
    "EnvPool",
    "Episode",
    "EpisodeSpec",
    "Explicit",
    "Growing",
    "GuidedAttempts",
    "Independent",
    "Parent",
    "RecordOptions",
    "Role",
    "RunningEpisode",
    "Segment",
    "SingleTurn",
    "Span",
    "Stop",
    "Strategy",
    "Tree",
    "Turn",
    "Window",
    "Workers",
    "WorkspaceContext",
    "assign_roles",
    "can_take_back",
    "collect",
    "demonstrate",
    "play",
    "play_with_people",
]
