"""What a training script imports: tables of CSV, and models that are trained outside the sandbox for virtual time.

This file is put beside the script. It is a convenience and nothing is trusted to it: what a call costs, and what comes
back, is decided by who answers the calls.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

Table = dict[str, list[Any]]


def read_csv(path: str) -> Table:
    """A table: a list of values for each column. Numbers are numbers, empty cells None, everything else text."""
    with open(path, encoding="utf8") as file:
        lines = [line.rstrip("\n").split(",") for line in file]
    return {name: _values([row[at] for row in lines[1:]]) for at, name in enumerate(lines[0])}


def _values(cells: list[str]) -> list[Any]:
    found: list[Any] = []
    for cell in cells:
        try:
            value = float(cell) if cell else None
            found.append(int(value) if value is not None and value == int(value) and "." not in cell else value)
        except ValueError:
            return [other or None for other in cells]
    return found


def rows(table: Table) -> int:
    """How many rows a table has."""
    return len(next(iter(table.values())))


def pick(table: Table, places: Iterable[int]) -> Table:
    """The rows of a table at some places."""
    return {name: [values[at] for at in places] for name, values in table.items()}


def without(table: Table, *names: str) -> Table:
    """A table without some columns."""
    return {name: values for name, values in table.items() if name not in names}


def folds(count: int, parts: int = 3) -> list[tuple[list[int], list[int]]]:
    """Pairs of places, to learn from and to judge by: each row is judged once."""
    return [
        ([at for at in range(count) if at % parts != part], [at for at in range(count) if at % parts == part])
        for part in range(parts)
    ]


def _ask(operation: str, **given: Any) -> Any:
    return sys.modules["__main__"].trainer(operation, given)


class Model:
    """A model that was fitted. `labels` are those of the target in order, `seconds` what it took."""

    def __init__(self, number: int, labels: list[str], seconds: float) -> None:
        self.number, self.labels, self.seconds = number, labels, seconds

    def values(self, table: Table) -> list[Any]:
        """Numbers; of a model of labels the chances of each row, one for each label."""
        return _ask("predict", model=self.number, table=table)

    def predict(self, table: Table) -> list[Any]:
        """Numbers, or the most likely label of each row."""
        found = self.values(table)
        return [self.labels[row.index(max(row))] for row in found] if self.labels else found

    def chances(self, table: Table, label: str = "yes") -> list[float]:
        """The chance of a label in each row."""
        return [row[self.labels.index(label)] for row in self.values(table)]


def fit(
    table: Table, target: str, model: str, options: dict[str, Any] | None = None, prep: dict[str, Any] | None = None
) -> Model:
    """Fit a model to a table, of which one column is the target: labels if it holds texts, otherwise numbers."""
    found = _ask("fit", table=table, target=target, model=model, options=options or {}, prep=prep or {})
    return Model(found["model"], found["labels"], found["seconds"])


def loss(truth: Sequence[Any], said: Sequence[Any], groups: Sequence[Any] = ()) -> float:
    """How bad predictions are by the measure of the task: less is better, whatever the measure."""
    return float(_ask("loss", truth=list(truth), said=list(said), groups=list(groups)))


def left() -> float:
    """Virtual seconds that are left."""
    return float(_ask("left"))


def write(test: Table, said: Sequence[Any], path: str = "predictions.csv") -> None:
    """Write the predictions of the rows of the test table."""
    with open(path, "w", encoding="utf8") as file:
        file.write("id,prediction\n")
        file.writelines(f"{row},{value}\n" for row, value in zip(test["id"], said, strict=True))
