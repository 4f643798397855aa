"""From a table to numbers, as a recipe says: which columns, what is missing, categories, texts, products, cycles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MOST_CATEGORIES, MOST_WORDS, SMOOTHING, LONG = 30, 300, 5.0, 20
NUMBER, CATEGORY, TEXT = "number", "category", "text"
CHOICES: Mapping[str, tuple[str, ...]] = {
    "missing": ("median", "mean", "zero"),
    "category": ("onehot", "target", "ordinal", "frequency", "drop"),
    "text": ("words", "pairs", "letters", "drop"),
}
SWITCHES = {"indicator": True, "scale": True, "interact": False, "log_target": False}
ADDS = {"product": 2, "ratio": 2, "difference": 2, "square": 1, "log": 1, "cycle": 1}  # and how many columns each takes
MOST_ADDS, MOST_PAIRED = 40, 24
WORDS: Mapping[str, Mapping[str, Any]] = {
    "words": {"token_pattern": r"\S+"},
    "pairs": {"token_pattern": r"\S+", "ngram_range": (1, 2)},
    "letters": {"analyzer": "char", "ngram_range": (1, 3)},
}


class BadRecipe(Exception):
    """A recipe or a table is not as it must be; the message says in one line what was expected."""


@dataclass(frozen=True)
class Prep:
    """How a table is encoded.

    Attributes:
        drop: Columns left out.
        add: New columns: `[product, a, b]`, `[ratio, a, b]`, `[difference, a, b]`, `[square, a]`, `[log, a]`,
            `[cycle, a, period]`.
        missing: What stands in for a missing number.
        category: How categories become numbers.
        text: Which parts of texts are weighed by tf-idf.
        indicator: Whether a column tells where a number is missing.
        scale: Whether numbers are brought to mean 0 and deviation 1.
        interact: Whether products of all pairs of columns are added.
        log_target: Whether the logarithm of the target is learned.
    """

    drop: tuple[str, ...] = ()
    add: tuple[tuple[Any, ...], ...] = ()
    missing: str = "median"
    category: str = "onehot"
    text: str = "words"
    indicator: bool = True
    scale: bool = True
    interact: bool = False
    log_target: bool = False

    @classmethod
    def read(cls, given: Any) -> Prep:
        """The plain data of a recipe, checked.

        Args:
            given: An object with the attributes as keys; what is left out has its default.

        Raises:
            BadRecipe: if it is not one.
        """
        if not isinstance(given, Mapping) or not given.keys() <= {*CHOICES, *SWITCHES, "drop", "add"}:
            raise BadRecipe(f"prep must be an object with keys among drop, add, {', '.join([*CHOICES, *SWITCHES])}")
        for key, choices in CHOICES.items():
            if given.get(key, choices[0]) not in choices:
                raise BadRecipe(f"{key} must be one of {', '.join(choices)}")
        if any(not isinstance(given.get(key, False), bool) for key in SWITCHES):
            raise BadRecipe(f"{', '.join(SWITCHES)} must be true or false")
        drop, add = given.get("drop", []), given.get("add", [])
        if not isinstance(drop, list) or not all(isinstance(name, str) for name in drop):
            raise BadRecipe("drop must be a list of names of columns")
        if not isinstance(add, list) or len(add) > MOST_ADDS:
            raise BadRecipe(f"add must be a list of at most {MOST_ADDS} steps")
        rest = {key: value for key, value in given.items() if key not in ("drop", "add")}
        return cls(drop=tuple(drop), add=tuple(_checked_add(each) for each in add), **rest)


def _checked_add(step: Any) -> tuple[Any, ...]:
    if isinstance(step, list) and step and isinstance(step[0], str) and step[0] in ADDS:
        names = step[1 : 1 + ADDS[step[0]]]
        rest = step[1 + ADDS[step[0]] :]
        period = step[0] == "cycle" and len(rest) == 1 and isinstance(rest[0], (int, float)) and 0 < rest[0] < 1e6
        whole = period if step[0] == "cycle" else not rest
        if whole and len(names) == ADDS[step[0]] and all(isinstance(each, str) for each in names):
            return tuple(step)
    raise BadRecipe('a step of add is such as ["product", "a", "b"], ["log", "a"] or ["cycle", "a", 12]')


def kind_of(values: Sequence[Any]) -> str:
    """Whether a column holds numbers, categories or texts.

    Args:
        values: Numbers, texts, or None where they are missing.
    """
    known = [value for value in values if value is not None]
    if all(not isinstance(value, str) for value in known):
        return NUMBER
    return TEXT if sum(len(str(value)) for value in known) > LONG * len(known) else CATEGORY


def _texts(values: Sequence[Any]) -> list[str]:
    """A column of texts may hold numbers and gaps as well."""
    return ["" if value is None else str(value) for value in values]


def _numbers(table: Mapping[str, Sequence[Any]], name: str) -> np.ndarray:
    if name not in table:
        raise BadRecipe(f"there is no column {name[:40]!r}")
    if kind_of(table[name]) != NUMBER:
        raise BadRecipe(f"the column {name[:40]!r} holds no numbers")
    return np.asarray([np.nan if value is None else value for value in table[name]], dtype=float)


def _added(table: Mapping[str, Sequence[Any]], step: Sequence[Any]) -> list[np.ndarray]:
    first = _numbers(table, step[1])
    if step[0] == "square":
        return [first**2]
    if step[0] == "log":
        return [np.sign(first) * np.log1p(np.abs(first))]
    if step[0] == "cycle":
        return [np.sin(2 * np.pi * first / step[2]), np.cos(2 * np.pi * first / step[2])]
    second = _numbers(table, step[2])
    if step[0] == "product":
        return [first * second]
    if step[0] == "difference":
        return [first - second]
    return [first / np.where(np.abs(second) < 1e-9, 1e-9, second)]


def _median(column: np.ndarray) -> float:
    known = column[~np.isnan(column)]
    return float(np.median(known)) if len(known) else 0.0


@dataclass
class Encoder:
    """Learns from a train table how tables become numbers.

    Attributes:
        prep: How.
    """

    prep: Prep
    _kinds: dict[str, str] = field(default_factory=dict)
    _learned: dict[str, Any] = field(default_factory=dict)
    _shift: tuple[Any, ...] = ()

    def fit(self, table: Mapping[str, Sequence[Any]], target: np.ndarray) -> np.ndarray:
        """Learn from a table, and encode it.

        Args:
            table: Without the target.
            target: Numbers, which mean encoding takes.

        Returns:
            Numbers of shape (rows, encoded columns).
        """
        self._kinds = {name: kind_of(values) for name, values in table.items() if name not in self.prep.drop}
        for name, kind in self._kinds.items():
            if kind == CATEGORY:
                self._learned[name] = self._categories(table[name], target)
            elif kind == TEXT and self.prep.text != "drop":
                from sklearn.feature_extraction.text import TfidfVectorizer

                weigh = TfidfVectorizer(max_features=MOST_WORDS, sublinear_tf=True, **WORDS[self.prep.text])
                try:
                    self._learned[name] = weigh.fit(_texts(table[name]))
                except ValueError as error:
                    raise BadRecipe(f"the texts of {name[:40]!r} hold no words") from error
        raw = self._raw(table)
        gaps = np.isnan(raw)
        counted = np.maximum(1, (~gaps).sum(axis=0))
        mean = np.where(gaps, 0, raw).sum(axis=0) / counted
        fill = np.zeros(raw.shape[1])
        if self.prep.missing == "mean":
            fill = mean
        elif self.prep.missing == "median":
            fill = np.array([_median(column) for column in raw.T])
        told = np.flatnonzero(gaps.any(axis=0)) if self.prep.indicator else np.array([], dtype=int)
        self._shift = (fill, told, None, None)
        filled = self._filled(raw)
        center, spread = filled.mean(axis=0), filled.std(axis=0)
        self._shift = (fill, told, center, np.where(spread < 1e-12, 1, spread))
        return self._scaled(filled)

    def encode(self, table: Mapping[str, Sequence[Any]]) -> np.ndarray:
        """Encode another table.

        Args:
            table: With the columns of the first.

        Raises:
            BadRecipe: if one is missing, or holds something else.
        """
        for name, kind in self._kinds.items():
            if name not in table:
                raise BadRecipe(f"the column {name[:40]!r} of the train table is missing")
            if kind == NUMBER and kind_of(table[name]) != NUMBER:
                raise BadRecipe(f"the column {name[:40]!r} held numbers in the train table")
        return self._scaled(self._filled(self._raw(table)))

    def _categories(self, values: Sequence[Any], target: np.ndarray) -> dict[str, Any]:
        said = _texts(values)
        count = Counter(said)
        common = sorted(count, key=lambda each: (-count[each], each))
        mean = float(np.mean(target)) if len(target) else 0.0
        sums: dict[str, float] = {}
        for each, value in zip(said, target.tolist(), strict=True):
            sums[each] = sums.get(each, 0.0) + value
        means = {each: (sums[each] + SMOOTHING * mean) / (count[each] + SMOOTHING) for each in common}
        return {"common": common[:MOST_CATEGORIES], "count": dict(count), "means": means, "mean": mean}

    def _raw(self, table: Mapping[str, Sequence[Any]]) -> np.ndarray:
        rows = len(next(iter(table.values())))
        parts: list[np.ndarray] = []
        for name, kind in self._kinds.items():
            if kind == NUMBER:
                parts.append(_numbers(table, name)[:, None])
            elif kind == CATEGORY:
                parts.append(self._coded(name, table[name]))
            elif name in self._learned:
                parts.append(self._learned[name].transform(_texts(table[name])).toarray())
        for step in self.prep.add:
            parts += [column[:, None] for column in _added(table, step)]
        return np.hstack(parts) if parts else np.zeros((rows, 1))

    def _coded(self, name: str, values: Sequence[Any]) -> np.ndarray:
        known, said = self._learned[name], _texts(values)
        if self.prep.category == "onehot":
            return np.array([[float(each == other) for other in known["common"]] for each in said])
        if self.prep.category == "target":
            return np.array([[known["means"].get(each, known["mean"])] for each in said])
        if self.prep.category == "frequency":
            return np.array([[float(known["count"].get(each, 0))] for each in said])
        if self.prep.category == "ordinal":
            places = {each: float(at) for at, each in enumerate(sorted(known["count"]))}
            return np.array([[places.get(each, -1.0)] for each in said])
        return np.zeros((len(said), 0))

    def _filled(self, raw: np.ndarray) -> np.ndarray:
        fill, told, *_ = self._shift
        gaps = np.isnan(raw)
        found = np.hstack([np.where(gaps, fill, raw), gaps[:, told].astype(float)])
        if self.prep.interact and found.shape[1] > 1:
            width = min(found.shape[1], MOST_PAIRED)
            one, other = np.triu_indices(width, 1)
            found = np.hstack([found, found[:, one] * found[:, other]])
        return np.clip(found, -1e9, 1e9)

    def _scaled(self, filled: np.ndarray) -> np.ndarray:
        *_, center, spread = self._shift
        return (filled - center) / spread if self.prep.scale else filled
