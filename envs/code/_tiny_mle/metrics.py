"""Measures of predictions, what who knows nothing scores by them, and the score between that and the best known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from agentgym.envs.code._tiny_mle.data import Problem

TOP, QUANTILE, TINY = 5, 0.9, 1e-6
LABEL, CHANCE, NUMBER = "label", "chance", "number"


@dataclass(frozen=True)
class Metric:
    """A measure.

    Attributes:
        words: What it is, for the player.
        predicts: `label`, `chance` (of `yes`) or `number`.
        measure: Takes truth, predictions and the groups of the rows.
        rises: Whether more is better.
    """

    words: str
    predicts: str
    measure: Callable[[np.ndarray, np.ndarray, np.ndarray], float]
    rises: bool

    def loss(self, truth: Sequence[Any], said: Sequence[Any], groups: Sequence[Any] = ()) -> float:
        """How bad predictions are: less is better, whatever the measure.

        Args:
            truth: Labels or numbers.
            said: Predictions.
            groups: Of the rows, where rows are ranked together.
        """
        value = self.value(truth, said, groups)
        return 1 - value if self.rises else value

    def value(self, truth: Sequence[Any], said: Sequence[Any], groups: Sequence[Any] = ()) -> float:
        """The measure itself; see `loss`.

        Args:
            truth: Labels or numbers.
            said: Predictions.
            groups: Of the rows.
        """
        right, given = _column(self, truth, of_truth=True), _column(self, said, of_truth=False)
        return float(self.measure(right, given, np.asarray(groups)))


def _column(metric: Metric, values: Sequence[Any], of_truth: bool) -> np.ndarray:
    if metric.predicts == LABEL:
        return np.asarray([str(each) for each in values])
    if metric.predicts == CHANCE and of_truth:
        return np.asarray([each == "yes" for each in values])
    return np.asarray(values, dtype=float)


def _accuracy(truth: np.ndarray, said: np.ndarray, _: np.ndarray) -> float:
    return float(np.mean(truth == said))


def _balanced(truth: np.ndarray, said: np.ndarray, _: np.ndarray) -> float:
    return float(np.mean([np.mean(said[truth == label] == label) for label in np.unique(truth)]))


def _f1(truth: np.ndarray, said: np.ndarray, label: str) -> float:
    both = np.sum((truth == label) & (said == label))
    total = np.sum(truth == label) + np.sum(said == label)
    return float(2 * both / total) if total else 0.0


def _macro_f1(truth: np.ndarray, said: np.ndarray, _: np.ndarray) -> float:
    return float(np.mean([_f1(truth, said, label) for label in np.unique(truth)]))


def _auc(truth: np.ndarray, said: np.ndarray, _: np.ndarray) -> float:
    many, few = int(np.sum(truth)), int(np.sum(~truth))
    if not many or not few:
        return 0.5
    return float((np.sum(rankdata(said)[truth]) - many * (many + 1) / 2) / (many * few))


def _precision(truth: np.ndarray, said: np.ndarray, _: np.ndarray) -> float:
    """Average precision; rows with equal predictions are taken together."""
    cuts = np.unique(said)[::-1]
    hits = np.array([np.sum(truth & (said >= cut)) for cut in cuts])
    sizes = np.array([np.sum(said >= cut) for cut in cuts])
    gained = np.diff(hits, prepend=0)
    return float(np.sum(gained * hits / sizes) / max(1, hits[-1]))


def _log_loss(truth: np.ndarray, said: np.ndarray, _: np.ndarray) -> float:
    chance = np.clip(said, TINY, 1 - TINY)
    return float(-np.mean(np.where(truth, np.log(chance), np.log(1 - chance))))


def _kappa(truth: np.ndarray, said: np.ndarray, _: np.ndarray) -> float:
    """Agreement of whole numbers, with the squared difference as the weight of an error."""
    given = np.round(said)
    expected = np.mean((truth[:, None] - given[None, :]) ** 2)
    return float(1 - np.mean((truth - given) ** 2) / expected) if expected else 0.0


def _rmse(truth: np.ndarray, said: np.ndarray, _: np.ndarray) -> float:
    return float(np.sqrt(np.mean((truth - said) ** 2)))


def _mae(truth: np.ndarray, said: np.ndarray, _: np.ndarray) -> float:
    return float(np.mean(np.abs(truth - said)))


def _rmsle(truth: np.ndarray, said: np.ndarray, _: np.ndarray) -> float:
    return float(np.sqrt(np.mean((np.log1p(truth) - np.log1p(np.maximum(said, 0))) ** 2)))


def _poisson(truth: np.ndarray, said: np.ndarray, _: np.ndarray) -> float:
    rate = np.maximum(said, TINY)
    return float(2 * np.mean(np.where(truth > 0, truth * np.log(np.maximum(truth, TINY) / rate), 0) - truth + rate))


def _pinball(truth: np.ndarray, said: np.ndarray, _: np.ndarray) -> float:
    over = truth - said
    return float(np.mean(np.maximum(QUANTILE * over, (QUANTILE - 1) * over)))


def _r2(truth: np.ndarray, said: np.ndarray, _: np.ndarray) -> float:
    spread = np.sum((truth - np.mean(truth)) ** 2)
    return float(1 - np.sum((truth - said) ** 2) / spread) if spread else 0.0


def _spearman(truth: np.ndarray, said: np.ndarray, _: np.ndarray) -> float:
    one, other = rankdata(truth), rankdata(said)
    spread = float(np.std(one) * np.std(other))
    return float(np.mean((one - one.mean()) * (other - other.mean())) / spread) if spread else 0.0


def _ndcg(truth: np.ndarray, said: np.ndarray, groups: np.ndarray) -> float:
    """Mean over groups of the discounted gain of the first five; rows with equal predictions share their places."""
    found = []
    for group in np.unique(groups):
        gains, given = 2 ** truth[groups == group] - 1, said[groups == group]
        weights = np.where(np.arange(len(gains)) < TOP, 1 / np.log2(np.arange(len(gains)) + 2), 0)
        best = float(np.sum(np.sort(gains)[::-1] * weights))
        if best > 0:
            order = np.argsort(-given, kind="stable")
            shared = np.array([np.mean(gains[given == each]) for each in given[order]])
            found.append(float(np.sum(shared * weights)) / best)
    return float(np.mean(found)) if found else 0.0


METRICS = {
    "accuracy": Metric("accuracy", LABEL, _accuracy, True),
    "balanced_accuracy": Metric("balanced accuracy, the mean recall of the labels", LABEL, _balanced, True),
    "macro_f1": Metric("macro F1, the mean F1 of the labels", LABEL, _macro_f1, True),
    "f1": Metric("F1 of the label yes", LABEL, lambda truth, said, _: _f1(truth, said, "yes"), True),
    "auc": Metric("area under the ROC curve of the chance of yes", CHANCE, _auc, True),
    "average_precision": Metric("average precision of the chance of yes", CHANCE, _precision, True),
    "log_loss": Metric("log loss of the chance of yes", CHANCE, _log_loss, False),
    "kappa": Metric("quadratic weighted kappa of rounded numbers", NUMBER, _kappa, True),
    "rmse": Metric("root mean squared error", NUMBER, _rmse, False),
    "mae": Metric("mean absolute error", NUMBER, _mae, False),
    "rmsle": Metric("root mean squared error of log(1 + value)", NUMBER, _rmsle, False),
    "poisson": Metric("mean Poisson deviance", NUMBER, _poisson, False),
    "pinball": Metric("pinball loss of the 0.9 quantile", NUMBER, _pinball, False),
    "r2": Metric("R squared", NUMBER, _r2, True),
    "spearman": Metric("rank correlation of Spearman", NUMBER, _spearman, True),
    "ndcg": Metric(f"NDCG@{TOP} within each group, of a number that is larger for what is better", NUMBER, _ndcg, True),
}  # fmt: skip


def constant(problem: Problem) -> list[Any]:
    """What is predicted who looks at nothing but the target: its most frequent label, share, mean, median or quantile.

    Args:
        problem: The task.
    """
    metric, target = METRICS[problem.metric], problem.train[problem.target]
    rows = len(problem.truth)
    if metric.predicts == LABEL:
        labels = sorted({str(each) for each in target})
        return [max(labels, key=[str(each) for each in target].count)] * rows
    if metric.predicts == CHANCE:
        return [sum(each == "yes" for each in target) / len(target)] * rows
    numbers = np.asarray(target, dtype=float)
    value = {
        "mae": lambda: np.median(numbers),
        "pinball": lambda: np.quantile(numbers, QUANTILE),
        "rmsle": lambda: np.expm1(np.mean(np.log1p(numbers))),
    }.get(problem.metric, lambda: np.mean(numbers))()
    return [float(value)] * rows


def loss(problem: Problem, said: Sequence[Any]) -> float:
    """How bad predictions of the test table are.

    Args:
        problem: The task.
        said: One for each row, of the type that the measure asks for.
    """
    return METRICS[problem.metric].loss(problem.truth, said, problem.test.get(problem.group, ()))


def normalized(value: float, baseline: float, best: float) -> float:
    """The score: 0 at the baseline, 1 at the best known, within these bounds.

    Args:
        value: Loss of the predictions.
        baseline: Loss of `constant`.
        best: Least loss known.
    """
    return float(min(1.0, max(0.0, (baseline - value) / (baseline - best))))
