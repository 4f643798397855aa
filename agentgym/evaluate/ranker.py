"""A ranker: fitted to attempts that succeeded and failed, it picks one of several attempts at a task (best of n).

What is read of an attempt is what its agent read and said: the observations after the first, which all attempts at a
task share, and the actions. Rewards, progress, metrics and the last observation, in which a world may give its verdict,
are not. So a pick on a test split takes nothing from the world that the agent did not know when it acted.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from agentgym.core import ConfigError, DataError
from agentgym.core.files import read_object, write_apart
from agentgym.core.kinds import check_kind
from agentgym.evaluate.episode_record import EpisodeRecord
from agentgym.evaluate.metrics import Estimate, success_rate
from agentgym.evaluate.trajectories import read_run
from agentgym.wrappers.numeric import HashedWords

FORMAT = 1  # of a file
DIM, NGRAMS = 1024, 2  # entries for the words of each part of an attempt, and the longest run of words that counts
PARTS = 3  # what was seen, what was said, and the last step
PENALTY = 1.0  # on half the squared weights, beside the summed loss
FOLDS = 5
HELD_OUT = "test"  # splits whose outcomes are not learned from
Floats = NDArray[np.float64]
WORDS = HashedWords(DIM, NGRAMS)


class _File(TypedDict):
    format: int
    worlds: Sequence[str]
    weights: Sequence[float]
    bias: float


@dataclass(frozen=True)
class Ranker:
    """A logistic model of success over hashed words and pairs of words.

    Attributes:
        worlds: Ids of those whose attempts it was fitted to.
        weights: Of the words seen, then of those said, then of those of the last step.
        bias: What is added to the weighted sum.
    """

    worlds: tuple[str, ...]
    weights: tuple[float, ...]
    bias: float

    def score(self, attempt: EpisodeRecord) -> float:
        """How likely an attempt succeeded, as log-odds."""
        return float(features(attempt) @ np.asarray(self.weights)) + self.bias

    def best(self, attempts: Sequence[EpisodeRecord]) -> EpisodeRecord:
        """The attempt that most likely succeeded; the first of equal ones.

        Args:
            attempts: At least one.
        """
        return max(attempts, key=self.score)


@dataclass(frozen=True)
class Fitted:
    """What a ranker was fitted to, and how well it tells tasks apart that it has not seen.

    Attributes:
        ranker: The ranker.
        attempts, successes: That it was fitted to.
        told_apart: Chance that a success scores above a failure, over tasks held out in turn; NaN where there is but
            one task, and 0.5 says that nothing was learned.
    """

    ranker: Ranker
    attempts: int
    successes: int
    told_apart: float


@dataclass(frozen=True)
class BestOf:
    """What the attempts come to that a ranker picks, one of each task.

    Attributes:
        n: Attempts at each task, of which all are paid for.
        success: Share of the tasks whose picked attempt succeeded; Wilson interval.
        picked: By task, which trial was picked.
    """

    n: int
    success: Estimate
    picked: dict[str, int]


def fit_ranker(runs: Sequence[str | Path], out: str | Path) -> Fitted:
    """Fit a ranker to the episodes of runs, and write it into a file.

    The reward model of Agent-RLVR, which ranks attempts at test time (Da et al. 2025, arXiv:2506.11425). Difference:
    it is a logistic regression over words, and not a language model.

    Args:
        runs: See `agentgym.evaluate.trajectories.read_run`; of worlds of one player.
        out: The file, JSON.

    Raises:
        DataError: if a run is of a game or of a test split, or there is no success or no failure to learn from.
    """
    episodes = [episode for run in runs for episode in _readable(run)]
    episodes.sort(
        key=lambda each: (each.env, each.task_id, each.trial, each.seed)
    )  # several processes end in any order
    won = np.array([episode.success for episode in episodes], float)
    if not 0 < won.sum() < len(won):
        raise DataError(
            f"a ranker learns from successes and failures, and {int(won.sum())} of the {len(won)} scored episodes "
            "succeeded; give runs with both, such as of an agent with a temperature"
        )
    rows = np.array([features(episode) for episode in episodes])
    tasks = [f"{episode.env} {episode.task_id}" for episode in episodes]
    weights, bias = _fitted(rows, won)
    worlds = tuple(sorted({episode.env for episode in episodes}))
    ranker = Ranker(worlds, tuple(weights.tolist()), bias)
    write_apart(out, json.dumps({"format": FORMAT, **asdict(ranker)}) + "\n")
    return Fitted(ranker, len(won), int(won.sum()), _told_apart(rows, won, tasks))


def read_ranker(path: str | Path) -> Ranker:
    """The ranker in a file that `fit_ranker` wrote.

    Args:
        path: The file.

    Raises:
        DataError: if it holds none.
    """
    record = read_object(Path(path))
    check_kind(record, _File, f"ranker in {path}")
    if record["format"] != FORMAT or len(record["weights"]) != PARTS * DIM:
        raise DataError(f"no ranker in {path}: it is of another version; fit it again with  agentgym ranker RUN")
    return Ranker(tuple(record["worlds"]), tuple(map(float, record["weights"])), float(record["bias"]))


def best_of(ranker: Ranker, episodes: Sequence[EpisodeRecord], trials: int) -> BestOf:
    """What the attempts come to that a ranker picks.

    Args:
        ranker: Picks one of the scored attempts at each task.
        episodes: At most one of each task and trial.
        trials: Trials of each task that were asked for.

    Raises:
        ConfigError: if there is but one attempt at each task.
    """
    check_trials(trials)
    by_task: dict[str, list[EpisodeRecord]] = {}
    for episode in sorted(episodes, key=lambda each: (each.task_id, each.trial)):
        if episode.scored:
            by_task.setdefault(episode.task_id, []).append(episode)
    picked = [ranker.best(attempts) for attempts in by_task.values()]
    success = success_rate([[each.success] for each in picked]) if picked else Estimate(math.nan, 0.0, 1.0)
    return BestOf(trials, success, {each.task_id: each.trial for each in picked})


def check_trials(trials: int) -> None:
    """Refuse a ranker that has nothing to choose from.

    Args:
        trials: Attempts at each task.

    Raises:
        ConfigError: if it is one.
    """
    if trials < 2:
        raise ConfigError(f"a ranker picks one of several attempts at a task; give trials of at least 2, got {trials}")


def features(attempt: EpisodeRecord) -> Floats:
    """What a ranker reads of an attempt, numbers from 0 to below 1, shape `(PARTS * DIM,)`.

    Args:
        attempt: An episode of one player.
    """
    seen = [turn.observation for turn in attempt.turns[1:]]
    said = [turn.action for turn in attempt.turns]
    return np.concatenate([WORDS("\n".join(part)) for part in (seen, said, seen[-1:] + said[-1:])]).astype(np.float64)


def _readable(run: str | Path) -> list[EpisodeRecord]:
    """The scored episodes of a run that may be learned from."""
    episodes = read_run(run)
    if any(len(episode.players) > 1 for episode in episodes):
        raise DataError(f"{run} holds games of several players; a ranker reads attempts of one")
    if held := sorted({each.split for each in episodes if each.split.startswith(HELD_OUT)}):
        raise DataError(
            f"{run} was played on {held[0]}, whose outcomes nothing may learn from; give a run with --split train"
        )
    return [episode for episode in episodes if episode.scored]


def _fitted(rows: Floats, won: Floats) -> tuple[Floats, float]:
    """Weights and bias of a logistic regression with a penalty on the weights.

    Args:
        rows: Of each attempt, its features.
        won: Of each, 1.0 for a success and 0.0 for a failure.
    """
    from scipy import optimize, special  # half a second, so only where something is fitted

    def loss(packed: Floats) -> tuple[float, Floats]:
        weights, logits = packed[:-1], rows @ packed[:-1] + packed[-1]
        off = special.expit(logits) - won
        value = np.logaddexp(0.0, logits).sum() - won @ logits + PENALTY / 2 * weights @ weights
        return float(value), np.append(rows.T @ off + PENALTY * weights, off.sum())

    found: Any = optimize.minimize(loss, np.zeros(rows.shape[1] + 1), jac=True, method="L-BFGS-B")
    return found.x[:-1], float(found.x[-1])


def _told_apart(rows: Floats, won: Floats, tasks: Sequence[str]) -> float:
    """Chance that a success scores above a failure of the same fold of tasks, by a ranker fitted to the other folds."""
    order = {task: number % FOLDS for number, task in enumerate(dict.fromkeys(tasks))}
    folds = np.array([order[task] for task in tasks])
    above, pairs = 0.0, 0
    for fold in range(FOLDS):
        mine = folds == fold
        if not mine.any() or not 0 < won[~mine].sum() < (~mine).sum():
            continue
        weights, _ = _fitted(rows[~mine], won[~mine])
        scores = rows[mine] @ weights
        gaps = scores[won[mine] == 1][:, None] - scores[won[mine] == 0][None, :]
        above += float((gaps > 0).sum() + 0.5 * (gaps == 0).sum())
        pairs += gaps.size
    return above / pairs if pairs else math.nan
