"""Rivals that are models or policies: what a world of one player asks of whoever plays the other side of its game.

Who they are is an upper floor's business: it names the function that makes one, which is imported when a rival is first
wanted.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentgym.core.driver import Driver
from agentgym.core.errors import MissingExtra


@dataclass(frozen=True, slots=True)
class Talk:
    """What a rival has seen and said as one player since the episode began: plain data, which snapshots hold.

    Attributes:
        turns: Each with what it saw and what it said, in a form that its rival knows.
        action: What it said to the game last.
        tokens: Tokens that its answers have read and written so far.
        cost: Of all its answers, in US dollars.
    """

    turns: tuple[Any, ...] = ()
    action: str = ""
    tokens: int = 0
    cost: float = 0.0


class Rival(ABC):
    """Plays players of a game; it carries nothing from one action to the next but what a `Talk` holds."""

    @abstractmethod
    def check(self, driver: Driver) -> None:
        """Raise ConfigError if it cannot play a game.

        Args:
            driver: Of the game.
        """

    @abstractmethod
    def act(self, driver: Driver, player: str, talk: Talk, rng: np.random.Generator) -> Talk:
        """Its next action, at the end of the talk so far.

        Args:
            driver: Of the game, in which the player is to act.
            player: Whom it plays.
            talk: What it has seen and said as this player.
            rng: Where its chance comes from.

        Raises:
            EngineFailure: if it has no answer.
        """


_source = ""


def set_rival_source(source: str) -> None:
    """Say which function makes rivals.

    Args:
        source: `module:function`, imported when a rival is first wanted.
    """
    global _source
    _source = source


def make_rival(who: Any, options: Mapping[str, Any]) -> Rival:
    """A rival by name, or of a policy.

    Args:
        who: The name of an agent, such as `hf:MODEL`, `endpoint:MODEL`, `run:FOLDER` or `module:factory`; or a policy.
        options: Of an agent by name.

    Raises:
        UnknownName, ConfigError, MissingExtra: in one line that says what to do.
    """
    if not _source:
        raise MissingExtra("nothing here plays by name: import agentgym, which says what does")
    module, _, name = _source.partition(":")
    found: Rival = getattr(importlib.import_module(module), name)(who, options)
    return found
