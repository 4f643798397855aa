"""Tables of the page on a pretrained model: what its study was supposed to take, and what its records say."""

from __future__ import annotations

from pathlib import Path

from agentgym.baselines.pretrained.plan import PLAN_HEADS, planned
from agentgym.baselines.pretrained.results import GAIN, HEADS, read, rows, verdicts
from agentgym.baselines.pretrained.study import SEEDS, WORLDS
from docs.docstring import table

RESULTS = Path(__file__).parents[1] / "baselines" / "results" / "pretrained"
NOTHING = "Nothing has been measured yet."


def plan_table() -> str:
    """The stages of the study in their order, with tokens and hours."""
    return table(PLAN_HEADS, planned(list(WORLDS), SEEDS))


def results_table(folder: Path = RESULTS) -> str:
    """What was measured, and below it the gains that hold; or that nothing was.

    Args:
        folder: Of the records.
    """
    records = read(folder)
    if not records:
        return NOTHING
    machine = records[0]["machine"]
    told = "\n".join(f"- {line}" for line in verdicts(records)) or "None so far."
    parts = (
        table(HEADS, rows(records)),
        f"Measured on {machine['cores']} cores ({machine['processor']}).",
        f"Gains of {100 * GAIN:.0f} points or more that hold over {SEEDS} seeds:",
        told,
    )
    return "\n\n".join(parts)
