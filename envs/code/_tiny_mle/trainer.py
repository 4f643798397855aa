"""Trains models that a recipe declares, and counts what that costs, outside the sandbox.

A script in the sandbox has no library to train with: it sends tables and a recipe, and gets predictions. The recipe is
data, checked here, and its cost follows from declared sizes alone (rows, encoded columns, trees, rounds, epochs), not
from how long anything took, whether it converged, or what the script says. So the count is exact, the same on every
machine, and out of the script's reach.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

import numpy as np

from agentgym.core.generators import generators_kept
from agentgym.core.json_text import read_json
from agentgym.envs.code._tiny_mle.encode import BadRecipe, Encoder, Prep
from agentgym.envs.code._tiny_mle.metrics import METRICS
from agentgym.envs.code._tiny_mle.models import MODELS, read_options

OPERATIONS = 2e5  # in a virtual second
CALL = 0.25  # virtual seconds of every call
MOST_ROWS, MOST_COLUMNS, MOST_VALUES, LONGEST_TEXT, LARGEST = 1_000, 200, 100_000, 400, 1e12
MOST_MODELS, MOST_LABELS = 200, 20
Table = Mapping[str, Sequence[Any]]


class OutOfTime(Exception):
    """The virtual time is over before a call is done."""


def read_table(given: Any) -> dict[str, list[Any]]:
    """A table, checked: columns of equal length with finite numbers, texts that are not long, and None.

    Args:
        given: Lists by name.

    Raises:
        BadRecipe: if it is not one.
    """
    if not isinstance(given, Mapping) or not 0 < len(given) <= MOST_COLUMNS:
        raise BadRecipe(f"a table has 1 to {MOST_COLUMNS} columns, lists by name")
    sizes = {len(values) if isinstance(values, list) else -1 for values in given.values()}
    if len(sizes) != 1 or not 0 < (rows := sizes.pop()) <= MOST_ROWS or rows * len(given) > MOST_VALUES:
        raise BadRecipe(f"columns of a table are lists of one length, 1 to {MOST_ROWS}")
    return {str(name): _column(str(name), values) for name, values in given.items()}


def _column(name: str, values: list[Any]) -> list[Any]:
    for value in values:
        number = isinstance(value, (int, float)) and abs(value) <= LARGEST  # nor NaN
        if not (value is None or number or (isinstance(value, str) and len(value) <= LONGEST_TEXT)):
            said = "a number that is too large" if isinstance(value, int) else repr(str(value)[:40])
            raise BadRecipe(f"the column {name[:40]!r} holds {said}, which is no value of a table")
    return values


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model that was fitted.

    Attributes:
        encoder: What makes numbers of its tables.
        estimator: Of scikit-learn; None where all labels were the same.
        labels: In order; none for a number.
        log: Whether the logarithm of the target was learned.
        center, spread: Of the target that was learned.
    """

    encoder: Encoder
    estimator: Any
    labels: tuple[str, ...]
    log: bool
    center: float = 0.0
    spread: float = 1.0

    def predict(self, table: Table) -> list[Any]:
        """Numbers, or for labels the chance of each.

        Args:
            table: With the columns that were learned from.
        """
        encoded = self.encoder.encode(table)
        if self.labels:
            return _rounded(self._chances(encoded))
        said = np.asarray(self.estimator.predict(encoded), dtype=float) * self.spread + self.center
        return _rounded(np.expm1(np.clip(said, -30, 30)) if self.log else np.clip(said, -LARGEST, LARGEST))

    def _chances(self, encoded: np.ndarray) -> np.ndarray:
        if self.estimator is None:
            return np.ones((len(encoded), 1))
        if hasattr(self.estimator, "predict_proba"):
            return np.asarray(self.estimator.predict_proba(encoded))
        side = np.asarray(self.estimator.decision_function(encoded))
        if side.ndim == 1:
            yes = 1 / (1 + np.exp(-2 * np.clip(side, -30, 30)))
            return np.stack([1 - yes, yes], axis=1)
        strength = np.exp(2 * (side - side.max(axis=1, keepdims=True)))
        return cast("np.ndarray", strength / strength.sum(axis=1, keepdims=True))


def _rounded(values: np.ndarray) -> list[Any]:
    """Rounded to six significant decimals, so that the last bits of a machine do not count."""
    return cast("list[Any]", np.round(np.nan_to_num(values), 6).tolist())


@dataclass(frozen=True, eq=False)
class Order:
    """What is to be fitted, checked; and what it costs.

    Attributes:
        table: With the target.
        target: Its name.
        model: A key of `MODELS`.
        options, prep: Of the model, and of the table.
        encoder, encoded: What makes numbers of tables, and the numbers of this one.
        values, labels: The target as numbers, and the labels that they stand for; none for a number.
        seconds: Virtual ones.
    """

    table: Mapping[str, list[Any]]
    target: str
    model: str
    options: Mapping[str, Any]
    prep: Prep
    encoder: Encoder
    encoded: np.ndarray
    values: np.ndarray
    labels: tuple[str, ...]
    seconds: float


def order(given: Mapping[str, Any]) -> Order:
    """Check what is to be fitted, and count what that costs.

    Args:
        given: `table`, `target`, `model`, `options` and `prep` as plain data.

    Raises:
        BadRecipe: if something is not as it must be.
    """
    table, target, model = read_table(given.get("table")), str(given.get("target")), given.get("model")
    if not isinstance(model, str) or model not in MODELS:
        raise BadRecipe(f"model must be one of {', '.join(MODELS)}")
    if target not in table or len(table) < 2:
        raise BadRecipe(f"the table must have the target {target[:40]!r} and other columns")
    options, prep = read_options(model, given.get("options", {})), Prep.read(given.get("prep", {}))
    said, rest = table[target], {name: values for name, values in table.items() if name != target}
    if any(value is None for value in said):
        raise BadRecipe("the target has missing values; leave those rows out")
    labels: tuple[str, ...] = ()
    if any(isinstance(value, str) for value in said):
        labels = tuple(sorted({str(value) for value in said}))
        values = np.asarray([labels.index(str(value)) for value in said], dtype=float)
        if len(labels) > MOST_LABELS or prep.log_target:
            raise BadRecipe(f"a target with texts has at most {MOST_LABELS} labels, and no log_target")
    else:
        values = np.asarray(said, dtype=float)
        if prep.log_target and values.min() <= -1:
            raise BadRecipe("log_target needs values above -1")
    if (MODELS[model].labels if labels else MODELS[model].number) is None:
        raise BadRecipe(f"{model} predicts {'numbers' if labels else 'labels'} only")
    encoder = Encoder(prep)
    encoded = encoder.fit(rest, values)
    rows, columns = encoded.shape
    classes = 1 if len(labels) < 3 else len(labels)
    operations = MODELS[model].cost(rows, columns, classes, options) + rows * columns * 5
    return Order(
        table, target, model, options, prep, encoder, encoded, values, labels,
        seconds=round(operations / OPERATIONS, 3),
    )  # fmt: skip


def fit(ordered: Order) -> Fitted:
    """Fit a model.

    Args:
        ordered: What `order` has checked.
    """
    model, values = MODELS[ordered.model], ordered.values
    if len(ordered.labels) == 1:
        return Fitted(ordered.encoder, None, ordered.labels, log=False)
    center, spread = 0.0, 1.0
    if not ordered.labels and ordered.model != "poisson":
        values = np.log1p(values) if ordered.prep.log_target else values
        center, spread = float(values.mean()), float(values.std()) or 1.0
        values = (values - center) / spread
    if ordered.model == "poisson" and (values.min() < 0 or values.sum() == 0 or ordered.prep.log_target):
        raise BadRecipe("poisson needs a target of at least 0, not all 0, without log_target")
    make = model.labels if ordered.labels else model.number
    assert make is not None
    estimator = make(ordered.options)
    with warnings.catch_warnings():  # what does not converge is scored as it is; its cost was declared
        warnings.simplefilter("ignore")
        try:
            estimator.fit(ordered.encoded, values.astype(int) if ordered.labels else values)
        except ValueError as error:  # such as more neighbors than rows
            raise BadRecipe(f"{ordered.model} cannot be fitted: {str(error).splitlines()[0][:150]}") from error
    log = bool(ordered.prep.log_target and not ordered.labels)
    return Fitted(ordered.encoder, estimator, ordered.labels, log, center, spread)


@lru_cache(maxsize=64)
def _ordered(said: str) -> Order:
    """What is to be fitted, by its text as JSON."""
    with generators_kept():  # scikit-learn is imported, which draws
        return order(json.loads(said))


@lru_cache(maxsize=64)
def _fitted(said: str) -> Fitted:
    """The model, by the text of what is to be fitted: equal orders give equal models."""
    return cast("Fitted", _threadless(lambda: fit(_ordered(said))))


def _threadless(work: Callable[[], Any]) -> Any:
    """Play something on one thread, so that sums are added in one order, and leave the global generators alone."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), generators_kept():
        return work()


@dataclass
class Trainer:
    """Answers the calls of one run of a script.

    Attributes:
        metric: Of the task.
        left: Virtual seconds that the run may still use.
        spent: Those that its calls have used.
        fits: Models fitted.
        calls: Calls answered.
    """

    metric: str
    left: float
    spent: float = 0.0
    fits: int = 0
    calls: int = 0
    _models: list[tuple[Fitted, float]] = field(default_factory=list)

    def answer(self, said: str) -> str:
        """The answer to a call that a script has made or forged, as JSON: `value` or `error`.

        Args:
            said: The call.
        """
        self.calls += 1
        try:
            return json.dumps({"value": self._answered(read_json(said))})
        except BadRecipe as error:
            return json.dumps({"error": str(error)})
        except OutOfTime:
            return json.dumps({"error": "the virtual time is over; write what you have, or submit"})
        except ValueError:
            return json.dumps({"error": "a call is an object with an operation and its arguments"})

    def _answered(self, said: Any) -> Any:
        args = said.get("args") if isinstance(said, dict) else None
        if not isinstance(args, list) or len(args) != 2 or not isinstance(args[1], dict):
            raise ValueError("no call")
        operation, given = args
        self._charge(CALL)
        if operation == "fit":
            return self._fit(given)
        if operation == "predict":
            return self._predict(given)
        if operation == "loss":
            return self._loss(given)
        if operation == "left":
            return round(self.left, 3)
        raise BadRecipe("an operation is one of fit, predict, loss, left")

    def _charge(self, seconds: float) -> None:
        """Take virtual seconds; all that is left, if it is not enough."""
        if seconds > self.left or self.left <= 0:
            self.spent, self.left = self.spent + self.left, 0.0
            raise OutOfTime
        self.spent, self.left = round(self.spent + seconds, 3), round(self.left - seconds, 3)

    def _fit(self, given: Mapping[str, Any]) -> Any:
        if len(self._models) >= MOST_MODELS:
            raise BadRecipe(f"a run may fit at most {MOST_MODELS} models")
        keys = ("table", "target", "model", "options", "prep")
        said = json.dumps({key: given[key] for key in keys if key in given})
        seconds = _ordered(said).seconds
        self._charge(seconds)
        fitted = _fitted(said)
        self.fits += 1
        self._models.append((fitted, seconds))
        return {"model": len(self._models) - 1, "labels": list(fitted.labels), "seconds": seconds}

    def _predict(self, given: Mapping[str, Any]) -> Any:
        number = given.get("model")
        if type(number) is not int or not 0 <= number < len(self._models):
            raise BadRecipe("there is no such model in this run")
        table = read_table(given.get("table"))
        fitted, seconds = self._models[number]
        rows = len(next(iter(table.values())))
        self._charge(round(rows * 20 / OPERATIONS + 0.02 * seconds, 3))
        return _threadless(lambda: fitted.predict(table))

    def _loss(self, given: Mapping[str, Any]) -> Any:
        truth, said, groups = given.get("truth"), given.get("said"), given.get("groups", [])
        metric = METRICS[self.metric]
        table = read_table({"truth": truth, "said": said} | ({"groups": groups} if groups else {}))
        if metric.predicts != "label" and not all(isinstance(each, (int, float)) for each in table["said"]):
            raise BadRecipe("predictions must be numbers")
        if metric.predicts == "number" and not all(isinstance(each, (int, float)) for each in table["truth"]):
            raise BadRecipe("the truth must be numbers")
        if self.metric == "ndcg" and not groups:
            raise BadRecipe("the measure needs the group of each row")
        if self.metric in ("rmsle", "poisson") and min(table["truth"]) < 0:
            raise BadRecipe("the truth must be at least 0")
        if len({isinstance(each, str) for each in table.get("groups", [])}) > 1 or None in table.get("groups", []):
            raise BadRecipe("the groups must be numbers, or texts, of all rows")
        with np.errstate(all="ignore"):
            found = metric.loss(table["truth"], table["said"], table.get("groups", []))
        if not np.isfinite(found):
            raise BadRecipe("the measure of these values is no finite number; give smaller ones")
        return round(found, 6)
