"""Learners: what is fitted beside the policy, with an optimizer and a checkpoint of its own.

The options of a learner are a frozen dataclass; `build(engine, seed)` makes the object that works. Each round `fit`
learns from the kept episodes and `annotate` writes what it has to say on their tokens (`Segment.annotations`) or turns
(`Turn.annotations`), where advantages read it. The training step knows none of them.
"""

from agentgym.train.learners.critic import Critic
from agentgym.train.learners.implicit import Implicit
from agentgym.train.learners.information import Information
from agentgym.train.learners.progress import Progress

LEARNERS = {"critic": Critic, "progress": Progress, "implicit": Implicit, "information": Information}

__all__ = ["LEARNERS", "Critic", "Implicit", "Information", "Progress"]
