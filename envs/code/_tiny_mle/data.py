"""What a task of TinyMLE is made of: two tables, a column to predict, a measure, and truth that stays outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

TRAIN, TEST, DIGITS = 220, 200, 4  # rows of the two tables, decimals of their numbers
WORDS = (
    "amber", "basin", "cedar", "delta", "ember", "fjord", "grain", "hazel", "inlet", "jetty", "kelp", "ledge", "maple",
    "nadir", "ochre", "pitch", "quill", "ridge", "slate", "thyme", "umber", "vault", "wharf", "yield", "zephyr",
    "arbor", "brine", "crest", "drift", "easel", "flint", "gauge", "heath", "ivory", "jasper", "knoll", "lathe", "mesa",
    "niche",
    "opal", "plume", "quartz", "reed", "shale", "talus", "usher", "verge", "weir", "xenon", "yarrow", "zinc", "alder",
    "birch", "cliff", "dune", "elm", "fern", "glade", "heron", "iris", "juniper", "kestrel", "larch", "moss",
)  # fmt: skip
Columns: TypeAlias = "Mapping[str, Sequence[Any]]"
Recipe: TypeAlias = "Mapping[str, Any]"


@dataclass(frozen=True, eq=False)
class Made:
    """What a generator has drawn.

    Attributes:
        columns: By name one value for each row: a number, a text, or None where it is missing.
        target: Name of the column to predict, which is one of them.
        metric: Key of `metrics.METRICS`.
        about: A sentence on the data for the player.
        truth: What the rows are judged by, where that is not what the target says (labels with errors); None otherwise.
        test: Which rows are the test table; None for a random choice.
        group: Column whose rows are ranked together; empty for none.
        recipes: Ways to encode the columns that are worth a try, for the search of what can be reached.
    """

    columns: Columns
    target: str
    metric: str
    about: str
    truth: Sequence[Any] | None = None
    test: Sequence[int] | None = None
    group: str = ""
    recipes: Sequence[Recipe] = ()


@dataclass
class Draw:
    """Where a generator's draws come from.

    Attributes:
        rng: Its generator.
        variant: Which of the kind's variants is drawn, from 0; generators set their parameters by it.
        rows: How many rows are wanted.
    """

    rng: np.random.Generator
    variant: int
    rows: int = TRAIN + TEST
    _names: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._names = [WORDS[int(at)] for at in self.rng.permutation(len(WORDS))]

    def names(self, count: int) -> list[str]:
        """Names that were not given yet.

        Args:
            count: How many.
        """
        given, self._names = self._names[:count], self._names[count:]
        if len(given) < count:
            raise ValueError(f"there are no {count} names left")
        return given

    def normal(self, count: int) -> np.ndarray:
        """A table of independent standard normal numbers, of shape (rows, count).

        Args:
            count: How many columns.
        """
        return self.rng.normal(size=(self.rows, count))

    def labels(self, logit: np.ndarray) -> list[str]:
        """`yes` with the probability that a logit says, else `no`.

        Args:
            logit: One for each row.
        """
        chance = 1 / (1 + np.exp(-np.clip(logit, -30, 30)))
        return yes_no(self.rng.random(len(logit)) < chance)

    def table(self, numbers: np.ndarray, names: Sequence[str] | None = None) -> dict[str, list[Any]]:
        """Columns of a table of numbers.

        Args:
            numbers: Of shape (rows, columns).
            names: One for each column; None for new ones.
        """
        given = names or self.names(numbers.shape[1])
        return {name: plain(numbers[:, at]) for at, name in enumerate(given)}

    def choice(self, values: Sequence[Any], chances: Sequence[float] | None = None) -> list[Any]:
        """One of some values for each row.

        Args:
            values: To choose from.
            chances: Of each; None for equal ones.
        """
        drawn = self.rng.choice(len(values), size=self.rows, p=None if chances is None else np.asarray(chances))
        return [values[int(at)] for at in drawn]


@dataclass(frozen=True, eq=False)
class Problem:
    """A task: what the player sees, and what it is judged by.

    Attributes:
        kind: Name of its generator.
        variant: Which of the kind.
        train, test: The two tables; only the first has the target. Both begin with the column `id`.
        target, metric, about, group, recipes: As in `Made`.
        truth: Of the rows of the test table; it never enters a sandbox.
    """

    kind: str
    variant: int
    train: Columns
    test: Columns
    target: str
    metric: str
    about: str
    group: str
    recipes: Sequence[Recipe]
    truth: Sequence[Any]

    @property
    def name(self) -> str:
        """Of the task."""
        return f"{self.kind}-{self.variant}"


Generator: TypeAlias = Callable[[Draw], Made]


def plain(values: Any) -> list[Any]:
    """Numbers as plain Python ones, rounded as tables hold them; None where one is not a number.

    Args:
        values: A column.
    """
    found: list[Any] = []
    for value in np.asarray(values).tolist():
        if isinstance(value, float):
            found.append(None if value != value else round(value, DIGITS))
        else:
            found.append(value)
    return found


def yes_no(truths: Any) -> list[str]:
    """Truth values as the labels of tables.

    Args:
        truths: A column.
    """
    return ["yes" if each else "no" for each in truths]


def pose(kind: str, variant: int, made: Made, rng: np.random.Generator) -> Problem:
    """Cut what was drawn into two tables, and hide what the test rows are judged by.

    Args:
        kind: Name of the generator.
        variant: Which of the kind.
        made: What it has drawn.
        rng: Chooses and orders the rows.
    """
    rows = len(made.columns[made.target])
    if made.test is None:
        order = [int(at) for at in rng.permutation(rows)]
        share = min(TEST, rows * TEST // (TRAIN + TEST))
        test, train = order[:share], order[share:]
    else:
        held = set(made.test)
        test, train = list(made.test), [at for at in range(rows) if at not in held]
    numbers = [int(each) for each in rng.permutation(9_000)[:rows] + 1_000]
    columns: dict[str, Sequence[Any]] = dict(made.columns)
    if "id" not in columns:
        columns = {"id": numbers, **columns}
    truth = made.columns[made.target] if made.truth is None else made.truth
    return Problem(
        kind=kind, variant=variant, target=made.target, metric=made.metric, about=made.about, group=made.group,
        recipes=made.recipes, truth=tuple(truth[at] for at in test),
        train={name: tuple(values[at] for at in train) for name, values in columns.items()},
        test={name: tuple(values[at] for at in test) for name, values in columns.items() if name != made.target},
    )  # fmt: skip


def csv_text(columns: Columns) -> str:
    """A table as comma-separated values; a missing value is empty.

    Args:
        columns: By name.
    """
    lines = [",".join(columns)]
    for row in zip(*columns.values(), strict=True):
        lines.append(",".join("" if value is None else str(value) for value in row))
    return "\n".join(lines) + "\n"
