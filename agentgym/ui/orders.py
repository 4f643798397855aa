"""What a browser can ask of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Act:
    """Say this to the world."""

    action: str


@dataclass(frozen=True)
class Hint:
    """Ask the world's expert."""


@dataclass(frozen=True)
class TakeBack:
    """Take the last action of a person back."""


@dataclass(frozen=True)
class Leave:
    """End the game."""


Order: TypeAlias = Act | Hint | TakeBack | Leave
