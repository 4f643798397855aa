"""A claim as data: who said what, the arms that are compared, and what would have to be larger than what."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from agentgym.core import ConfigError, unknown
from agentgym.train.recipe_files import recipe_table

SHELF = "agentgym.baselines.claims"
METRICS: dict[str, str] = {
    "success": "share of test tasks solved, one sample each",
    "pass_at_1": "chance that one try at a test task succeeds",
    "pass_at_16": "chance that one of 16 tries at a test task succeeds",
    "world_steps": "steps of the world in training, what branches share counted once",
    "dead_share_learned": "share of the groups learned from in which all episodes earned the same",
}


@dataclass(frozen=True)
class Arm:
    """One way of training: a recipe with its settings."""

    name: str
    table: Mapping[str, Any]


@dataclass(frozen=True)
class Check:
    """A comparison: `metric` of the arm `larger` exceeds that of the arm `smaller` by more than `by`.

    A negative `by` asks only that it is not smaller by more than that.
    """

    metric: str
    larger: str
    smaller: str
    by: float = 0.0

    def __post_init__(self) -> None:
        if self.metric not in METRICS:
            raise unknown("metric of a claim", self.metric, sorted(METRICS))


@dataclass(frozen=True)
class Claim:
    """What somebody found, and how it is tried here.

    Attributes:
        name: Its file.
        claim, source: In words, and where it stands.
        arms: What is compared, by name.
        checks: All of them must hold.
    """

    name: str
    claim: str
    source: str
    arms: Mapping[str, Arm]
    checks: tuple[Check, ...]


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
        except OSError as error:
            raise ConfigError(f"the claim {name} cannot be read ({error.strerror})") from None
    elif name in claim_names():
        text = resources.files(SHELF).joinpath(f"{name}.toml").read_text(encoding="utf8")
    else:
        raise unknown("claim", name, claim_names())
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"the claim {name} is no TOML: {error}") from None
    return _read(Path(name).stem, table)


def _read(name: str, table: dict[str, Any]) -> Claim:
    known = ("claim", "source", "common", "arms", "checks")
    for key in table:
        if key not in known:
            raise unknown(f"key of the claim {name}", key, known)
    for key in ("claim", "source", "arms", "checks"):
        if key not in table:
            raise ConfigError(f"the claim {name} needs {key!r}")
    arms = {}
    for arm, settings in table["arms"].items():
        settings = dict(settings)
        recipe = settings.pop("recipe", None)
        if recipe is None:
            raise ConfigError(f"arm {arm!r} of the claim {name} needs a recipe")
        shared = table.get("common", {}) if settings.pop("common", True) else {"callback": []}
        arms[arm] = Arm(arm, recipe_table(recipe, {**shared, **settings}))
    checks = []
    for entry in table["checks"]:
        try:
            checks.append(Check(**entry))
        except TypeError as error:
            raise ConfigError(f"a check of the claim {name} is not valid: {error}") from None
        for side in (checks[-1].larger, checks[-1].smaller):
            if side not in arms:
                raise unknown(f"arm of the claim {name}", side, sorted(arms))
    return Claim(name, table["claim"], table["source"], arms, tuple(checks))
