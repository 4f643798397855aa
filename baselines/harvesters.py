"""Harvesters of the commons that a table can be read against: one that ruins it, and one that heeds what it is told.

    agentgym tournament AgentGym/Commons-v1 --agents agentgym.baselines.harvesters:greedy,strong
    agentgym tournament AgentGym/Commons-v1 --agents agentgym.baselines.harvesters:heeding,strong \\
        --env universalize=true

Source: the greedy and the universalizing player of Piatti et al. 2024, Cooperate or Collapse (arXiv:2404.16698).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

SILENT = "pass"
EVERYONE = re.compile(r"if everyone [a-z ]{1,40} more than (\d{1,4}) ")


def greedy(observation: str, admissible: Sequence[str] | None, rng: np.random.Generator) -> str:
    """Takes all that there is, and says nothing.

    Args:
        observation: What is seen.
        admissible: What may be done now.
        rng: Not used.
    """
    amounts = [int(action.split()[1]) for action in admissible or () if action.startswith("harvest ")]
    return f"harvest {max(amounts)}" if amounts else SILENT


def heeding(observation: str, admissible: Sequence[str] | None, rng: np.random.Generator) -> str:
    """Takes what everyone may take where that is said (the option `universalize`), and all that there is otherwise.

    Args:
        observation: What is seen.
        admissible: What may be done now.
        rng: Not used.
    """
    said = EVERYONE.findall(observation)
    wanted = greedy(observation, admissible, rng)
    return f"harvest {said[-1]}" if said and wanted != SILENT else wanted
