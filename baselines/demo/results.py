"""The demo's figures: what is printed, what is drawn and what is written to `results.json` are these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from agentgym.baselines.demo.lake import STAGES, Learned, Plan
from agentgym.evaluate import Estimate, EvaluationResult, wilson
from agentgym.report import machine, mean_over_seeds, paired_lift


def rate(learned: Learned, stage: str) -> Estimate:
    """Success on the test maps with its Wilson interval over maps.

    Args:
        learned: What one seed learned.
        stage: One of `STAGES`, such as `cloned`.
    """
    return wilson(learned.rate(stage), len(learned.test[stage]))


def lift(learned: Learned) -> Estimate:
    """What GRPO added to the clone's success, paired by test map."""
    return paired_lift(learned.successes("cloned"), learned.successes("improved"))


def over_seeds(values: Sequence[float]) -> Estimate | None:
    """Mean and interval over seeds; None for a single seed, which has no interval."""
    return mean_over_seeds(values) if len(values) > 1 else None


def results(
    shop: Mapping[str, EvaluationResult], lake: Sequence[Learned], plan: Plan, command: str, seconds: float
) -> dict[str, Any]:
    """Every figure of the demo, JSON-safe.

    Args:
        shop: Results in the shop, by agent.
        lake: What was learned on the lake, by seed.
        plan: Sizes of the demo.
        command: What was run.
        seconds: How long it took.
    """
    lifts = [lift(learned) for learned in lake]
    mean = over_seeds([each.value for each in lifts])
    return {
        "command": command,
        "machine": machine(),
        "seconds": round(seconds, 1),
        "webshop": {agent: _shop(result) for agent, result in shop.items()},
        "frozen_lake": {
            "settings": plan.settings(),
            "seeds": [
                {
                    "seed": learned.seed,
                    "teacher": learned.teacher,
                    "parameters": learned.parameters,
                    "vocabulary": learned.vocabulary,
                    "test_success": {stage: asdict(rate(learned, stage)) for stage in STAGES},
                    "lift": asdict(gain),
                    "seconds": {phase: round(value, 2) for phase, value in learned.seconds.items()},
                }
                for learned, gain in zip(lake, lifts, strict=True)
            ],
            "mean_lift": asdict(mean) if mean else None,
        },
    }


def _shop(result: EvaluationResult) -> dict[str, Any]:
    figures = result.summary
    return {
        "success": asdict(figures.success),
        "score": asdict(figures.score),
        "turns": figures.turns,
        "valid_actions": figures.valid_actions,
        "episodes": figures.episodes,
        "environment_failures": figures.environment_failures,
    }
