"""Infos of several environments as one dict of columns, in the form of Gymnasium's vector environments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBERS = (bool, int, float, np.bool_, np.number)
PENDING: Any = object()


def batch(count: int, indices: Sequence[int], infos: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One column of length `count` for each key, and under `_key` the mask of the environments that gave it.

    Numbers become numeric arrays, wide enough for every environment's value (Gymnasium takes the type of the first and
    cuts the others); arrays of one shape are stacked; dicts become dicts of columns; everything else goes into an
    object array, None where an environment gave nothing.

    Args:
        count: How many environments there are.
        indices: Which of them gave an info, in order.
        infos: What they gave.
    """
    if not infos:
        return {}
    keys = infos[0].keys()
    if all(info.keys() == keys for info in infos):
        return Columns(count, indices, infos)
    columns = {}
    for key in dict.fromkeys(key for info in infos for key in info):
        having = [(index, info[key]) for index, info in zip(indices, infos, strict=True) if key in info]
        own = [index for index, _ in having]
        columns[key] = _column(count, own, [value for _, value in having])
        columns[f"_{key}"] = _mask(count, own)
    return columns


class Columns(dict[str, Any]):
    """The columns of infos that have the same keys, each built when it is first read.

    Most programs read one or two of a dozen keys, and building them all would take longer than the steps of a light
    world. In every other respect this is a dict.
    """

    def __init__(self, count: int, indices: Sequence[int], infos: Sequence[Mapping[str, Any]]):
        super().__init__()
        for key in infos[0]:
            super().__setitem__(key, PENDING)
            super().__setitem__(f"_{key}", PENDING)
        self._count, self._indices, self._infos = count, list(indices), list(infos)

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        if value is PENDING:
            value = self._build(key)
            super().__setitem__(key, value)
        return value

    def get(self, key: str, default: Any = None) -> Any:
        """The column of a key, or `default`."""
        return self[key] if key in self else default  # noqa: SIM401  (this is what `get` is)

    def __iter__(self) -> Iterator[str]:  # without its own, `dict(columns)` would copy what is not built yet
        return super().__iter__()

    def items(self) -> Any:
        """Keys and columns."""
        return self._whole().items()

    def values(self) -> Any:
        """The columns."""
        return self._whole().values()

    def copy(self) -> dict[str, Any]:
        """A plain dict of the columns."""
        return dict(self._whole())

    def pop(self, key: str, *default: Any) -> Any:
        """Remove a key and return its column."""
        value = self.get(key, PENDING)
        if value is not PENDING:
            del self[key]
            return value
        return super().pop(key, *default)

    def popitem(self) -> tuple[str, Any]:
        """Remove the last key and return it with its column."""
        key = next(reversed(self))
        return key, self.pop(key)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The column of a `key`, which is put in first as `default` if it is new."""
        if key not in self:
            self[key] = default
        return self[key]

    def __eq__(self, other: object) -> bool:
        return self._whole() == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __or__(self, other: Any) -> dict[str, Any]:  # type: ignore[override]
        return self.copy() | other

    def __ror__(self, other: Any) -> dict[str, Any]:  # type: ignore[override]
        return dict(other) | self.copy()

    def __repr__(self) -> str:
        return repr(self._whole())

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self.copy(),)

    def _build(self, key: str) -> Any:
        name = key[1:]
        if key.startswith("_") and name in self._infos[0]:
            return _mask(self._count, self._indices)
        return _column(self._count, self._indices, [info[key] for info in self._infos])

    def _whole(self) -> dict[str, Any]:
        return {key: self[key] for key in self}


def objects(count: int, indices: Sequence[int], values: Sequence[Any]) -> NDArray[np.object_]:
    """An object array that holds each value as it is, None elsewhere.

    Args:
        count: Length of the array.
        indices: Where the values belong.
        values: One for each environment.
    """
    column = np.full(count, None, object)
    for index, value in zip(indices, values, strict=True):
        column[index] = value
    return column


def _column(count: int, indices: Sequence[int], values: list[Any]) -> Any:
    if all(isinstance(value, NUMBERS) for value in values):
        packed = np.array(values)
        if packed.dtype != object:  # whole numbers beyond 64 bits stay as they are
            return _spread(count, indices, packed)
    elif all(isinstance(value, dict) for value in values):
        return batch(count, indices, values)
    elif all(isinstance(value, np.ndarray) and value.shape == values[0].shape for value in values):
        return _spread(count, indices, np.stack(values))
    return objects(count, indices, values)


def _spread(count: int, indices: Sequence[int], packed: NDArray[Any]) -> NDArray[Any]:
    column = np.zeros((count, *packed.shape[1:]), packed.dtype)
    column[list(indices)] = packed
    return column


def _mask(count: int, indices: Sequence[int]) -> NDArray[np.bool_]:
    mask = np.zeros(count, np.bool_)
    mask[list(indices)] = True
    return mask
