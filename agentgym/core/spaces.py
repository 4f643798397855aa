"""`UnicodeText`: bounded Unicode text as a Gymnasium space."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import CustomSpaceError
from gymnasium.spaces import Text
from gymnasium.spaces.utils import flatdim, flatten, flatten_space, unflatten
from gymnasium.vector.utils import create_shared_memory
from numpy.typing import NDArray

PRINTABLE = "".join(chr(code) for code in range(32, 127))
CUT = "\n[... {} characters cut ...]\n"
_ANY = Text(1, min_length=0, charset=PRINTABLE)  # of which every space here is a copy, with another length


class UnicodeText(Text):
    """Text of 0 to `max_length` characters, any Unicode.

    Unlike `gymnasium.spaces.Text` it has no charset to check: `contains` looks at type and length only and costs the
    same for one character as for a million. `sample` draws printable ASCII. Flattened, a text is its code points,
    `Box(-1, 0x10FFFF, (max_length,), int32)` with -1 after the end.

    Shared memory cannot carry Unicode, so `AsyncVectorEnv` refuses this space unless `shared_memory=False`, where the
    inherited registration would silently return garbage. `agentgym.make_vec` takes care of it.
    """

    def __init__(self, max_length: int, *, seed: int | np.random.Generator | None = None):
        if max_length < 1:
            raise ValueError(f"max_length must be at least 1, got {max_length}")
        if seed is not None:
            super().__init__(max_length, min_length=0, charset=PRINTABLE, seed=seed)
            return
        vars(self).update(vars(_ANY))  # taking a charset apart costs more than all else that a fork does
        self.max_length = max_length

    def contains(self, x: Any) -> bool:
        """Whether `x` is a string of at most `max_length` characters."""
        return isinstance(x, str) and len(x) <= self.max_length

    def fit(self, text: str) -> str:
        """`text` if it is short enough, otherwise its beginning and end around a marker that counts what was cut."""
        if len(text) <= self.max_length:
            return text
        mark = CUT.format(len(text))
        keep = self.max_length - len(mark)
        if keep < 2:
            return text[: self.max_length]
        mark = CUT.format(len(text) - keep).ljust(len(mark))
        return text[: (keep + 1) // 2] + mark + text[len(text) - keep // 2 :]

    @property
    def is_np_flattenable(self) -> bool:
        """Always true: a text flattens to its code points."""
        return True

    def __repr__(self) -> str:
        return f"UnicodeText({self.max_length})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnicodeText) and other.max_length == self.max_length

    def __hash__(self) -> int:
        return hash((UnicodeText, self.max_length))


@flatdim.register(UnicodeText)
def _flatdim(space: UnicodeText) -> int:
    return space.max_length


@flatten_space.register(UnicodeText)
def _flatten_space(space: UnicodeText) -> gym.spaces.Box:
    return gym.spaces.Box(-1, 0x10FFFF, (space.max_length,), np.int32)


@flatten.register(UnicodeText)
def _flatten(space: UnicodeText, x: str) -> NDArray[np.int32]:  # type: ignore[misc]
    codes = np.full(space.max_length, -1, np.int32)
    codes[: len(x)] = [ord(character) for character in x]
    return codes


@unflatten.register(UnicodeText)
def _unflatten(space: UnicodeText, x: NDArray[np.int32]) -> str:  # type: ignore[misc]
    return "".join(chr(code) for code in x if code >= 0)


@create_shared_memory.register(UnicodeText)
def _refuse_shared_memory(space: UnicodeText, n: int = 1, ctx: Any = None) -> None:
    raise CustomSpaceError("UnicodeText has no fixed memory layout; pass shared_memory=False or use agentgym.make_vec")
