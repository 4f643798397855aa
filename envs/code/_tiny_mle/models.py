"""The models that a script may have fitted: their options with bounds, their declared cost, and their estimators."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agentgym.envs.code._tiny_mle.encode import BadRecipe

SEED, PER_TREE, STEPS = 0, 5_000, 20_000  # of estimators, operations of a tree beside its rows, steps of a solver


@dataclass(frozen=True)
class Option:
    """A number that a model takes: its usual value, its bounds, and whether it is whole."""

    usual: float
    low: float
    high: float
    whole: bool = True


@dataclass(frozen=True)
class Model:
    """A kind of model.

    Attributes:
        options: By name.
        cost: Operations of fitting rows, columns, labels (1 for a number) and options.
        labels, number: Makes the estimator of scikit-learn for labels and for a number; None where there is none.
    """

    options: Mapping[str, Option]
    cost: Callable[[int, int, int, Mapping[str, Any]], float]
    labels: Callable[[Mapping[str, Any]], Any] | None
    number: Callable[[Mapping[str, Any]], Any] | None


def _linear(o: Mapping[str, Any]) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=o["strength"], max_iter=o["rounds"], class_weight=_weight(o))


def _ridge(o: Mapping[str, Any]) -> Any:
    from sklearn.linear_model import Ridge

    return Ridge(alpha=1 / o["strength"])


def _huber(o: Mapping[str, Any]) -> Any:
    from sklearn.linear_model import HuberRegressor

    return HuberRegressor(alpha=1e-3, max_iter=o["rounds"])


def _lasso(o: Mapping[str, Any]) -> Any:
    from sklearn.linear_model import Lasso

    return Lasso(alpha=o["penalty"], max_iter=o["rounds"], random_state=SEED)


def _poisson(o: Mapping[str, Any]) -> Any:
    from sklearn.linear_model import PoissonRegressor

    return PoissonRegressor(alpha=1 / o["strength"], max_iter=o["rounds"])


def _bayes(o: Mapping[str, Any]) -> Any:
    from sklearn.naive_bayes import GaussianNB

    return GaussianNB(var_smoothing=o["smoothing"])


def _neighbors(name: str) -> Callable[[Mapping[str, Any]], Any]:
    def made(o: Mapping[str, Any]) -> Any:
        from sklearn import neighbors

        return getattr(neighbors, name)(n_neighbors=o["neighbors"], weights="distance" if o["weighted"] else "uniform")

    return made


def _ensemble(name: str) -> Callable[[Mapping[str, Any]], Any]:
    def made(o: Mapping[str, Any]) -> Any:
        from sklearn import ensemble

        weight = {"class_weight": _weight(o)} if name.endswith("Classifier") else {}
        share = {"max_features": o["share"]}
        return getattr(ensemble, name)(
            n_estimators=o["trees"],
            max_depth=o["depth"],
            min_samples_leaf=o["leaf"],
            random_state=SEED,
            **share,
            **weight,
        )

    return made


def _boosting(name: str) -> Callable[[Mapping[str, Any]], Any]:
    def made(o: Mapping[str, Any]) -> Any:
        from sklearn import ensemble

        quantile = {"loss": "quantile", "alpha": o["quantile"]} if o["quantile"] and name.endswith("Regressor") else {}
        absolute = {"loss": "absolute_error"} if o["absolute"] and name.endswith("Regressor") else {}
        return getattr(ensemble, name)(
            n_estimators=o["rounds"], learning_rate=o["rate"], max_depth=o["depth"], subsample=0.8,
            min_samples_leaf=o["leaf"], random_state=SEED, **(quantile or absolute),
        )  # fmt: skip

    return made


def _svm(name: str) -> Callable[[Mapping[str, Any]], Any]:
    def made(o: Mapping[str, Any]) -> Any:
        from sklearn import svm

        weight = {"class_weight": _weight(o)} if name == "SVC" else {}
        found = getattr(svm, name)(C=o["strength"], gamma=o["gamma"] or "scale", max_iter=STEPS, **weight)
        found.random_state = SEED  # SVR takes no such argument, and would draw from the global generator
        return found

    return made


def _mlp(name: str) -> Callable[[Mapping[str, Any]], Any]:
    def made(o: Mapping[str, Any]) -> Any:
        from sklearn import neural_network

        return getattr(neural_network, name)(
            hidden_layer_sizes=(o["width"],),
            solver="lbfgs",
            alpha=o["penalty"],
            max_iter=o["epochs"],
            random_state=SEED,
        )

    return made


def _process(o: Mapping[str, Any]) -> Any:
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, WhiteKernel

    return GaussianProcessRegressor(RBF(2.0) + WhiteKernel(0.1), normalize_y=True, random_state=SEED)


def _weight(o: Mapping[str, Any]) -> str | None:
    return "balanced" if o["balanced"] else None


def _rounds(usual: int, high: int) -> Option:
    return Option(usual, 1, high)


BALANCED, STRENGTH = Option(0, 0, 1), Option(1.0, 1e-4, 1e4, whole=False)
FOREST = {
    "trees": _rounds(60, 400), "depth": _rounds(20, 40), "leaf": _rounds(1, 100), "balanced": BALANCED,
    "share": Option(0.5, 0.05, 1.0, whole=False),
}  # fmt: skip
ROUNDS = {"rounds": _rounds(100, 1000)}
MODELS: Mapping[str, Model] = {
    "linear": Model(
        ROUNDS | {"strength": STRENGTH, "balanced": BALANCED},
        lambda n, d, k, o: n * d * o["rounds"] * k, _linear, _ridge,
    ),
    "huber": Model(ROUNDS, lambda n, d, k, o: n * d * o["rounds"], None, _huber),
    "lasso": Model(
        ROUNDS | {"penalty": Option(0.1, 1e-5, 1e3, whole=False)}, lambda n, d, k, o: n * d * o["rounds"], None, _lasso
    ),
    "poisson": Model(ROUNDS | {"strength": STRENGTH}, lambda n, d, k, o: n * d * o["rounds"], None, _poisson),
    "bayes": Model({"smoothing": Option(1e-9, 1e-12, 1.0, whole=False)}, lambda n, d, k, o: n * d * k, _bayes, None),
    "neighbors": Model(
        {"neighbors": _rounds(7, 100), "weighted": Option(1, 0, 1)}, lambda n, d, k, o: n * d,
        _neighbors("KNeighborsClassifier"), _neighbors("KNeighborsRegressor"),
    ),
    "forest": Model(
        FOREST, lambda n, d, k, o: o["trees"] * (n * math.log2(n + 1) * d * o["share"] + PER_TREE),
        _ensemble("RandomForestClassifier"), _ensemble("RandomForestRegressor"),
    ),
    "extra_trees": Model(
        FOREST, lambda n, d, k, o: o["trees"] * (n * d * 2 * o["share"] + PER_TREE),
        _ensemble("ExtraTreesClassifier"), _ensemble("ExtraTreesRegressor"),
    ),
    "boosting": Model(
        {
            "rounds": _rounds(80, 400), "rate": Option(0.1, 1e-3, 1.0, whole=False), "depth": _rounds(3, 8),
            "leaf": _rounds(3, 100), "quantile": Option(0.0, 0.0, 0.99, whole=False), "absolute": Option(0, 0, 1),
        },
        lambda n, d, k, o: o["rounds"] * k * (n * d * o["depth"] + PER_TREE),
        _boosting("GradientBoostingClassifier"), _boosting("GradientBoostingRegressor"),
    ),
    "svm": Model(
        {"strength": STRENGTH, "gamma": Option(0.0, 0.0, 100.0, whole=False), "balanced": BALANCED},
        lambda n, d, k, o: n * n * d * k, _svm("SVC"), _svm("SVR"),
    ),
    "network": Model(
        {"width": _rounds(16, 64), "epochs": _rounds(100, 500), "penalty": Option(0.1, 1e-6, 100.0, whole=False)},
        lambda n, d, k, o: o["epochs"] * n * (d + k) * o["width"], _mlp("MLPClassifier"), _mlp("MLPRegressor"),
    ),
    "process": Model({}, lambda n, d, k, o: 2.0 * n**3, None, _process),
}  # fmt: skip


def read_options(model: str, given: Any) -> dict[str, Any]:
    """The options of a model, checked.

    Args:
        model: A key of `MODELS`.
        given: By name; what is left out has its usual value.

    Raises:
        BadRecipe: if one is unknown or out of bounds.
    """
    known = MODELS[model].options
    if not isinstance(given, Mapping) or not given.keys() <= known.keys():
        raise BadRecipe(f"options of {model} are an object with keys among {', '.join(known) or 'none'}")
    found: dict[str, Any] = {}
    for name, option in known.items():
        value = given.get(name, option.usual)
        number = isinstance(value, (int, float)) and option.low <= value <= option.high  # nor NaN
        if not number or (option.whole and int(value) != value):
            kind = "a whole number" if option.whole else "a number"
            raise BadRecipe(f"{name} of {model} must be {kind} from {option.low:g} to {option.high:g}")
        found[name] = int(value) if option.whole else float(value)
    return found
