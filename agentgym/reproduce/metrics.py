"""What is measured of an arm and a seed: named functions of its test episodes, and of its training."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from agentgym.evaluate.metrics import pass_at_k
from agentgym.rollout.episode import Episode

PASS_AT = "pass_at_"  # and a power of two: chance that one of so many tries at a test task succeeds
MASTERED = 0.9  # share of the tries at a task
History = Sequence[Mapping[str, Any]]
"""The metrics of each update, as `updates.jsonl` has them."""


@dataclass(frozen=True)
class TriedTasks:
    """The test episodes that figures are of: the world failed in none of them.

    Attributes:
        tasks: By task, the number of each try and its episode.
    """

    tasks: Sequence[Sequence[tuple[int, Episode]]]

    @property
    def episodes(self) -> list[Episode]:
        """All of them."""
        return [episode for tries in self.tasks for _, episode in tries]

    def wins(self) -> list[list[tuple[int, bool]]]:
        """By task, the number of each try and whether it succeeded."""
        return [[(number, episode.success) for number, episode in tries] for tries in self.tasks]


@dataclass(frozen=True)
class Metric:
    """A figure of an arm and a seed.

    Attributes:
        meaning: In words.
        measure: What computes it: from `TriedTasks` in `TESTED`, from the history of a run in `TRAINED`, from a trainer
            in `WALKED`.
    """

    meaning: str
    measure: Callable[[Any], float]


def powers(tries: int) -> list[int]:
    """1, 2, 4 and so on up to so many tries."""
    return [2**place for place in range(tries.bit_length())]


def by_task(metric: str, figures: Mapping[str, Any], tries: int) -> list[float | None] | None:
    """A metric of the test tasks one by one; None in place of the list where it is not the mean of such values.

    Args:
        metric: Its name.
        figures: Of an arm and a seed, with `wins` by task, and `played` by task where something was left out.
        tries: How often each task was played, where nothing was.

    Returns:
        By task; None for a task of which too much was left out.
    """
    if not metric.startswith(PASS_AT) or "wins" not in figures:
        return None
    k = int(metric.removeprefix(PASS_AT))
    played = figures.get("played") or [0 if won is None else tries for won in figures["wins"]]
    return [
        pass_at_k(count, won, k) if won is not None and count >= k else None
        for count, won in zip(played, figures["wins"], strict=True)
    ]


def of_tests(metric: str) -> bool:
    """Whether a metric is of test episodes, of which some may be left out."""
    return metric in TESTED or metric.startswith(PASS_AT)


# Of test episodes


def _success(tried: TriedTasks) -> float:
    return _mean([float(episode.success) for tries in tried.tasks for number, episode in tries if number == 0])


def _return(tried: TriedTasks) -> float:
    return _mean([episode.total_return for tries in tried.tasks for number, episode in tries if number == 0])


def _mastered(tried: TriedTasks) -> float:
    shares = [_mean([float(episode.success) for _, episode in tries]) for tries in tried.tasks if tries]
    return _mean([float(share >= MASTERED) for share in shares])


def _turns(tried: TriedTasks) -> float:
    return _mean([float(len(episode.turns)) for episode in tried.episodes])


def said(episode: Episode) -> int:
    """Tokens that the policy wrote in an episode."""
    return sum(sum(segment.sampled_mask) for segment in episode.segments)


def _tokens(tried: TriedTasks) -> float:
    return _mean([float(said(episode)) for episode in tried.episodes])


def calls(episode: Episode) -> int:
    """Calls of tools in an episode; what is no call of a tool counts where the world has no tools."""
    from agentgym.train.advantage_utils import called_tool

    return sum(bool(called_tool(turn.action)) for turn in episode.turns)


def _per_success(count: Callable[[Episode], int]) -> Callable[[TriedTasks], float]:
    """What all episodes took together, divided by the successes; by 1 where there are none."""

    def measure(tried: TriedTasks) -> float:
        wins = sum(episode.success for episode in tried.episodes)
        return math.fsum(map(count, tried.episodes)) / max(1, wins)

    return measure


def _grounding(tried: TriedTasks) -> float:
    return _mean([float(turn.valid) for episode in tried.episodes for turn in episode.turns])


def _before_call(tried: TriedTasks) -> float:
    before = [tokens for episode in tried.episodes if (tokens := tokens_before_call(episode)) is not None]
    return math.fsum(before) / len(before) if before else 0.0


def tokens_before_call(episode: Episode) -> int | None:
    """Tokens that are said before the first call of a tool; None without one. A call that ends the episode is none."""
    from agentgym.train.advantage_utils import called_tool, spans_by_turn

    if not episode.segments:  # a policy without tokens
        return None
    count, last = 0, len(episode.turns) - 1
    for number, ((_, span), turn) in enumerate(zip(spans_by_turn(episode), episode.turns, strict=True)):
        if called_tool(turn.action) and (number < last or episode.stop != "terminated"):
            return count + turn.marks.get("action", (0, 0))[0]
        count += span.end - span.start
    return None


# Of training


def _world_steps(history: History) -> float:
    return math.fsum(update["world_steps"] for update in history)


def _tokens_sampled(history: History) -> float:
    return math.fsum(update.get("sampled_tokens", 0) for update in history)


def _shared_steps(history: History) -> float:
    turns = math.fsum(update["turns"] * update["episodes"] for update in history)
    return math.fsum(update.get("inherited_turns", 0) for update in history) / turns if turns else 0.0


def _dead_share(history: History) -> float:
    learned = math.fsum(update["groups_learned"] for update in history)
    return math.fsum(update["dead_groups_learned"] for update in history) / learned if learned else 0.0


def _turns_early(history: History) -> float:
    return _mean([update["turns"] for update in history[: math.ceil(len(history) / 3)]])


def _area(history: History) -> float:
    """By the trapezoid rule over the steps of the world; of one update, its success."""
    paid, points = 0.0, []
    for update in history:
        paid += update["world_steps"]
        points.append((paid, float(update.get("success", 0.0))))
    if len(points) < 2:
        return _mean([success for _, success in points])
    whole = math.fsum((after[0] - before[0]) * (before[1] + after[1]) / 2 for before, after in pairwise(points))
    return whole / (points[-1][0] - points[0][0])


# Of a small game, walked through


def _exploitability(trainer: Any) -> float:
    from agentgym.train.evaluation import make_world
    from agentgym.train.exploit import exploit

    plan = trainer.recipe.plans[0]
    world = make_world(plan.world, plan.world.split)
    try:
        return exploit(trainer.engine, world, plan.tasks.specs).value
    finally:
        world.close()


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


TESTED: dict[str, Metric] = {
    "success": Metric("share of test tasks solved, one sample each", _success),
    "return": Metric("return of a test episode, one sample each, in a game from every place", _return),
    "mastered": Metric(f"share of test tasks solved in at least {MASTERED:.0%} of their tries", _mastered),
    "turns": Metric("turns of a test episode", _turns),
    "tokens": Metric("tokens that the policy writes in a test episode", _tokens),
    "grounding": Metric("share of the actions of test episodes that the world took as actions", _grounding),
    "turns_per_success": Metric("turns of all test episodes for each success", _per_success(lambda e: len(e.turns))),
    "tokens_per_success": Metric("tokens written in all test episodes for each success", _per_success(said)),
    "calls_per_success": Metric("calls of tools in all test episodes for each success", _per_success(calls)),
    "tokens_before_call": Metric(
        "tokens said before the first call of a tool, mean of the test episodes with one; 0 without", _before_call
    ),
}
TRAINED: dict[str, Metric] = {
    "world_steps": Metric("steps that worlds played in training, what branches share counted once", _world_steps),
    "tokens_sampled": Metric("tokens that the policy wrote in training", _tokens_sampled),
    "area": Metric("training success, mean over the steps of the world: the area under its curve", _area),
    "shared_steps": Metric(
        "share of the turns of training episodes that a branch took over, for which no step was paid again",
        _shared_steps,
    ),
    "dead_share_learned": Metric("share of the groups learned from in which all episodes earned the same", _dead_share),
    "turns_early": Metric("turns of an episode in training, mean over the first third of the updates", _turns_early),
}
WALKED: dict[str, Metric] = {
    "exploitability": Metric(
        "what best responses to the trained policy earn, mean over the players of a small game; 0 at an equilibrium",
        _exploitability,
    ),
}
