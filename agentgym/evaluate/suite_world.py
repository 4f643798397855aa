"""One world of a suite: played by an agent, alone or as a player of a game, and what it scored."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from gymnasium.error import Error as GymnasiumError

from agentgym.core import AgentGymError, BudgetSpent, EndpointError, catalog
from agentgym.core.scores import Score
from agentgym.evaluate.aggregates import WorldScores
from agentgym.evaluate.episode_record import EpisodeRecord
from agentgym.evaluate.matching import MatchResult, evaluate_player
from agentgym.evaluate.metrics import Estimate, Z, alike, share_left_out, share_otherwise
from agentgym.evaluate.playing import Interrupted
from agentgym.evaluate.run import EvaluationResult, evaluate
from agentgym.evaluate.suites import SuiteWorld

Watch: TypeAlias = Callable[[SuiteWorld, EpisodeRecord | None, int, int], None]
ByTask: TypeAlias = Mapping[str, Sequence[float]]
NOTHING = Estimate(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class Played:
    """What an agent did in a world, whether it played alone or as a player of a game.

    Attributes:
        episodes: How many were played.
        scored: Of how many the figures are.
        success, score: With 95 % intervals.
        success_by_task, progress_by_task: Of the scored episodes of each task; in games of every player that the agent
            held.
        prompt_tokens, completion_tokens, cost: Totals; US dollars.
        failed: Episodes that failed.
    """

    episodes: int
    scored: int
    success: Estimate
    score: Estimate
    success_by_task: ByTask
    progress_by_task: ByTask
    prompt_tokens: int
    completion_tokens: int
    cost: float
    failed: int

    @classmethod
    def of(cls, result: EvaluationResult | MatchResult) -> Played:
        """The figures of an evaluation, or of the agent that a match was about."""
        return _of_match(result) if isinstance(result, MatchResult) else _of_result(result)

    @property
    def left_out(self) -> float:
        """Share of the episodes that no figure is of."""
        return share_left_out(self.scored, self.episodes)

    @property
    def progress(self) -> Estimate:
        """Mean progress at the end of an episode; see `progress`."""
        return progress(self.progress_by_task)


def _of_result(result: EvaluationResult) -> Played:
    summary, scored = result.summary, [each for each in result.episodes if each.scored]
    return Played(
        summary.episodes,
        summary.scored,
        summary.success,
        summary.score,
        _grouped([(each.task_id, float(each.success)) for each in scored]),
        _grouped([(each.task_id, each.progress) for each in scored]),
        summary.prompt_tokens,
        summary.completion_tokens,
        summary.cost,
        sum(result.failures.values()),
    )


def _of_match(result: MatchResult) -> Played:
    agent = result.agents[0]  # the first lineup begins with it
    row = next(each for each in result.figures if each.agent == agent and each.overall)
    held = [(game, one) for game in result.games for who, one in game.players.items() if game.scored_for(who)]
    own = [(game, one) for game, one in held if one.agent == agent]
    return Played(
        len(result.games),
        row.scored,
        row.success,
        row.score,
        _grouped([(game.task_id, float(one.success)) for game, one in own]),
        _grouped([(game.task_id, one.progress) for game, one in own]),
        row.prompt_tokens,
        row.completion_tokens,
        row.cost,
        sum(result.failures.values()),
    )


def _grouped(values: Sequence[tuple[str, float]]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for task, value in values:
        found.setdefault(task, []).append(value)
    return found


def progress(by_task: ByTask) -> Estimate:
    """Mean progress at the end of an episode over tasks, plus and minus its standard error; NaN if nothing is scored.

    Where all tasks ended alike, or there is one, they show no error: then it is that of the share of tasks which, with
    95 % confidence, may end otherwise by the whole task.

    Args:
        by_task: Progress of the scored episodes of each task.
    """
    means = [math.fsum(each) / len(each) for each in by_task.values()]
    if not means:
        return NOTHING
    value = math.fsum(means) / len(means)
    if not alike(means):
        error = float(np.std(means, ddof=1)) / math.sqrt(len(means))
    else:
        error = share_otherwise(len(means)) / Z
    return Estimate(value, value - error, value + error)


@dataclass(frozen=True)
class WorldResult:
    """What came of one world.

    Attributes:
        world: What was to be played.
        result: What was played, in a game of several players a match; None if it could not be.
        reason: Why it was not played, or why it has no normalised score; "" if it has one.
        random, oracle: Success of these agents on the split, as on the card; NaN if it does not say.
        scores: Success of each task between random (0) and oracle (1); None if it cannot be told.
    """

    world: SuiteWorld
    result: EvaluationResult | MatchResult | None
    reason: str
    random: float
    oracle: float
    scores: WorldScores | None

    @cached_property
    def played(self) -> Played | None:
        """What the agent did; None if the world could not be played."""
        if self.result is None:
            return None
        played = Played.of(self.result)
        if self.world.counted == "success":
            return replace(played, progress_by_task=played.success_by_task)
        return played

    @property
    def normalized(self) -> Estimate | None:
        """Mean normalised score, with the interval of the success rate on the same scale."""
        return None if self.scores is None else Estimate(self.scores.mean, self.scores.low, self.scores.high)

    def record(self) -> dict[str, Any]:
        """As JSON-safe data."""
        played = self.played
        about = {"name": self.world.name, **asdict(self.world), "played": played is not None}
        known = {"reason": self.reason, "random": number(self.random), "oracle": number(self.oracle)}
        if played is None:
            return {**about, **known}
        figures = {
            "tasks": len(played.success_by_task),
            "scored": played.scored,
            "left_out": played.episodes - played.scored,
            "success": estimate(played.success),
            "score": estimate(played.score),
            "progress": estimate(played.progress),
            "normalized": None if self.normalized is None else estimate(self.normalized),
            "alike": self.scores is not None and self.scores.alike,
            "prompt_tokens": played.prompt_tokens,
            "completion_tokens": played.completion_tokens,
            "cost": played.cost,
        }
        return {**about, "episodes": played.episodes, **known, **figures}


def number(value: float) -> float | None:
    """A figure as JSON has it; None for one that does not exist."""
    return value if math.isfinite(value) else None


def estimate(figure: Estimate) -> dict[str, float | None]:
    """A figure with its interval as JSON-safe data."""
    return {name: number(getattr(figure, name)) for name in ("value", "low", "high")}


def play_world(
    world: SuiteWorld,
    agent: str,
    folder: Path,
    most: int | None,
    on_episode: Watch | None,
    given: Mapping[str, Any],
    done: int,
) -> WorldResult:
    """Play one world, or say why it could not be played.

    Args:
        world: The world. In a game of several players the agent is each in turn, against the rival of its card, or all
            where they play together.
        agent: Who plays.
        folder: Of the record.
        most: Most episodes.
        on_episode: Who watches.
        given: Further arguments of `evaluate`.
        done: How many worlds were finished before.

    Raises:
        Interrupted, BudgetSpent, EndpointError: as `evaluate` does.
    """
    card = catalog()[world.id.rpartition(":")[2]]
    scores = card.scores.get(world.split, {})
    nan = Score(math.nan, math.nan)
    random, oracle = (scores.get(name, nan).success for name in ("random", "oracle"))
    wanted = min(filter(None, (world.episodes, most)), default=None)
    size = card.splits[world.split]
    count = wanted if wanted is None or size is None else min(wanted, size)
    tell = None if on_episode is None else partial(on_episode, world)
    about: dict[str, Any] = {"split": world.split, "env_kwargs": world.options, "out": folder, **given}
    try:
        result: EvaluationResult | MatchResult
        if card.players == 1:
            result = evaluate(world.id, agent, episodes=count, on_episode=tell, **about)
        else:
            here = about.pop("workers", None) == 0
            result = evaluate_player(world.id, agent, games=count, here=here, on_game=tell, **about)
    except Interrupted as stop:
        raise Interrupted(f"{stop} ({done} worlds were finished before it)") from None
    except (BudgetSpent, EndpointError):
        raise
    except (AgentGymError, GymnasiumError) as error:
        return WorldResult(world, None, " ".join(str(error).split()), random, oracle, None)
    return _scored(world, result, random, oracle)


def _scored(world: SuiteWorld, result: EvaluationResult | MatchResult, random: float, oracle: float) -> WorldResult:
    """The result with its scores between random and oracle, or with the reason why there are none."""
    played = Played.of(result)
    reason = ""
    if not played.success_by_task:
        reason = "no episode could be scored"
    elif world.options:
        reason = "the card has scores for the default options only"
    elif not oracle > random:
        missing = math.isnan(oracle) or math.isnan(random)
        reason = f"the card has no scores of random and oracle on {world.split}" if missing else "oracle = random"
    if reason:
        return WorldResult(world, result, reason, random, oracle, None)

    def scale(success: float) -> float:
        return (success - random) / (oracle - random)

    means = np.array([scale(math.fsum(trials) / len(trials)) for trials in played.success_by_task.values()])
    success = played.success
    return WorldResult(world, result, "", random, oracle, WorldScores(means, scale(success.low), scale(success.high)))
