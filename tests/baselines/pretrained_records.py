"""Records of the study of a pretrained model, made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentgym.evaluate import wilson

TASKS = 100


def made(out: Path, world: str, rates: dict[str, list[float]]) -> dict[str, Any]:
    """A record of a hundred tasks with such rates of success, one a seed; the first tasks are the solved ones."""
    arms = {}
    for arm, values in rates.items():
        seeds = {}
        for seed, rate in enumerate(values):
            found = wilson(rate, TASKS)
            wins = [float(task < round(rate * TASKS)) for task in range(TASKS)]
            success = {"value": found.value, "low": found.low, "high": found.high}
            seeds[str(seed)] = {"success": success, "wins": wins}
        arms[arm] = {"recipe": {}, "tests": TASKS, "seeds": seeds}
    record = {"world": world, "arms": arms, "machine": {"cores": "2", "processor": "one"}}
    out.mkdir(exist_ok=True)
    (out / f"{world}.json").write_text(json.dumps(record), encoding="utf8")
    return record
