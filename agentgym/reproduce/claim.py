"""A claim as data: who said what, the arms that are compared, and what would have to be larger than what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib import resources
from itertools import product
from pathlib import Path
from typing import Any

from agentgym.core import ConfigError, unknown
from agentgym.core.json_text import read_toml
from agentgym.reproduce.metrics import PASS_AT, TESTED, TRAINED, WALKED, powers
from agentgym.train.recipe_files import recipe_table

SHELF = "agentgym.baselines.claims"
FUNCTION = "function"  # of an arm, in place of a recipe: `module:name` of what measures it
SPENT = ("world_steps", "tokens_sampled")  # what arms may be matched by
OVER = "over"  # of an arm: settings with lists of values, one arm for each combination, named `ARM setting=value ...`


@dataclass(frozen=True)
class Arm:
    """One way of training.

    Attributes:
        name: Of the arm.
        table: A recipe with its settings; or `function`, the `module:name` of what trains and measures, called with the
            seed and with `options`, which returns a figure for each metric of the claim.
    """

    name: str
    table: Mapping[str, Any]


@dataclass(frozen=True)
class Check:
    """A comparison: `metric` of the arm `larger` exceeds that of the arm `smaller` by more than `by`.

    A negative `by` asks only that it is not smaller by more than that. With a `margin`, the smallest difference that
    matters, "no difference" is a verdict of its own: the whole interval lies between -margin and margin. Either side
    may be a pattern, such as `lake size=4 *`: then the mean of the arms whose names fit is taken, seed by seed. Checks
    with the same `question` answer it together.
    """

    metric: str
    larger: str
    smaller: str
    by: float = 0.0
    question: str = ""
    margin: float | None = None

    def __post_init__(self) -> None:
        if self.margin is not None and not self.margin > abs(self.by):
            raise ConfigError(f"margin of a check must be above its `by`, {self.by:g}, got {self.margin:g}")


@dataclass(frozen=True)
class Claim:
    """What somebody found, and how it is tried here.

    Attributes:
        name: Its file.
        claim, source: In words, and where it stands.
        arms: What is compared, by name.
        checks: All of them must hold.
        tasks: How many tasks of `test` each arm plays at the end, or all if there are fewer.
        tries: How often it plays each: a power of two. In a game, from every place.
        opponent: In a game, the scripted opponent in the other places; the strongest by default.
        matched: What every arm must have spent as much of: `world_steps` or `tokens_sampled`; empty where arms are
            matched by their updates. The callback `budget` ends a run that has spent enough.
        metrics: Where functions measure the arms, what they measure, with its meaning; empty where recipes do.
        absent: Worlds whose arms were left out, with what is missing; see `agentgym.reproduce.playable`.
    """

    name: str
    claim: str
    source: str
    arms: Mapping[str, Arm]
    checks: tuple[Check, ...]
    tasks: int = 64
    tries: int = 16
    opponent: str = ""
    matched: str = ""
    metrics: Mapping[str, str] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.tasks < 1 or self.tries < 1 or self.tries & (self.tries - 1):
            raise ConfigError(
                f"the claim {self.name} needs at least 1 task and a power of two of tries, got {self.tasks} and "
                f"{self.tries}"
            )
        known = [*(self.metrics or (*TESTED, *TRAINED, *WALKED, *(f"{PASS_AT}{k}" for k in powers(self.tries))))]
        if self.matched and (self.metrics or self.matched not in SPENT):
            raise unknown(f"matched of the claim {self.name}", self.matched, () if self.metrics else SPENT)
        for check in self.checks:
            if check.metric not in known:
                raise unknown(f"metric of the claim {self.name}", check.metric, known)


def matched(arms: Iterable[str], side: str) -> list[str]:
    """The arms that a side of a check means: the one of this name, or those whose names fit the pattern.

    Args:
        arms: Names of all.
        side: A name, or a pattern with `*`.
    """
    names = list(arms)
    return [side] if side in names else [name for name in names if fnmatchcase(name, side)]


def claim_names() -> list[str]:
    """The claims that come with the suite."""
    return sorted(file.name[:-5] for file in resources.files(SHELF).iterdir() if file.name.endswith(".toml"))


def load_claim(name: str) -> Claim:
    """A claim of the suite by name, or of a TOML file by path.

    Raises:
        ConfigError: if there is none, or it is not valid.
    """
    if name.endswith(".toml"):
        try:
            text = Path(name).read_text(encoding="utf8")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8"
            raise ConfigError(f"the claim {name} cannot be read ({reason})") from None
    elif name in claim_names():
        text = resources.files(SHELF).joinpath(f"{name}.toml").read_text(encoding="utf8")
    else:
        raise unknown("claim", name, claim_names())
    try:
        table = read_toml(text)
    except ValueError as error:
        raise ConfigError(f"the claim {name} is no TOML: {error}") from None
    return _read(Path(name).stem, table)


def _read(name: str, table: dict[str, Any]) -> Claim:
    known = ("claim", "source", "common", "arms", "checks", "tasks", "tries", "opponent", "matched", "metrics")
    for key in table:
        if key not in known:
            raise unknown(f"key of the claim {name}", key, known)
    for key in ("claim", "source", "arms", "checks"):
        if key not in table:
            raise ConfigError(f"the claim {name} needs {key!r}")
    metrics = table.get("metrics", {})
    if not isinstance(metrics, dict) or not all(isinstance(words, str) for words in metrics.values()):
        raise ConfigError(f"metrics of the claim {name} must be a table of texts")
    common = table.get("common", {})
    arms = {arm: _arm(name, arm, each, common, metrics) for arm, each in _spread(name, table["arms"])}
    checks = []
    for entry in table["checks"]:
        try:
            checks.append(Check(**entry))
        except TypeError as error:
            raise ConfigError(f"a check of the claim {name} is not valid: {error}") from None
        for side in (checks[-1].larger, checks[-1].smaller):
            if not matched(arms, side):
                raise unknown(f"arm of the claim {name}", side, sorted(arms))
    sizes = {key: table[key] for key in ("tasks", "tries") if key in table}
    for key, size in sizes.items():
        if not isinstance(size, int) or isinstance(size, bool):
            raise ConfigError(f"{key} of the claim {name} must be a whole number, got {size!r}")
    words = {key: table.get(key, "") for key in ("opponent", "matched")}
    for key, word in words.items():
        if not isinstance(word, str):
            raise ConfigError(f"{key} of the claim {name} must be a text, got {word!r}")
    return Claim(name, table["claim"], table["source"], arms, tuple(checks), **sizes, **words, metrics=metrics)


def _spread(claim: str, tables: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The arms by name, those with `over` once for each combination of its values."""
    for name, table in tables.items():
        settings = dict(table)
        over = settings.pop(OVER, {})
        if not isinstance(over, dict) or not all(isinstance(values, list) and values for values in over.values()):
            raise ConfigError(f"{OVER} of arm {name!r} of the claim {claim} must be a table of lists of values")
        for values in product(*over.values()):
            point, own = dict(zip(over, values, strict=True)), dict(settings)
            options = settings.get("options", {})
            if FUNCTION not in settings:
                own |= point
            elif isinstance(options, dict):
                own["options"] = options | point
            yield " ".join([name, *(f"{key}={value}" for key, value in point.items())]), own


def _arm(claim: str, name: str, settings: dict[str, Any], common: Mapping[str, Any], metrics: Mapping[str, str]) -> Arm:
    function, recipe = settings.pop(FUNCTION, None), settings.pop("recipe", None)
    if (function is None) == (recipe is None):
        raise ConfigError(f"arm {name!r} of the claim {claim} needs a recipe, or a function, and not both")
    if (function is None) == bool(metrics):
        what = "metrics are for functions" if metrics else "a function needs metrics, a table of what it measures"
        raise ConfigError(f"arm {name!r} of the claim {claim}: {what}")
    if function is None:
        shared = common if settings.pop("common", True) else {"callback": []}
        return Arm(name, recipe_table(recipe, {**shared, **settings}))
    options = settings.pop("options", {})
    if settings or not isinstance(options, dict) or not isinstance(function, str):
        raise ConfigError(f"arm {name!r} of the claim {claim} is a function, 'module:name', and options, a table")
    return Arm(name, {FUNCTION: function, "options": {**common, **options}})
