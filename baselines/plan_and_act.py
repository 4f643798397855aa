"""What the planner of Plan-and-Act (Erdogan et al. 2025, arXiv:2503.09572) remembers; see the recipe `plan_and_act`."""

from __future__ import annotations

from agentgym.agents.context import Record


def plan_before(record: Record) -> str | None:
    """What it is told of the turns before, in place of the conversation: its last plan, to be gone on with or changed.

    Args:
        record: What it has seen and said.
    """
    return f"{record.reminder}\nPlan before: {' '.join(record.said[-1].split())}\n"
