"""What a worker process of a pool holds: the environments of some places, asked over its pipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from agentgym.rollout.places import Places
from agentgym.rollout.records import HEARD, EpisodeSpec, GameStep, RecordOptions, failed_calls
from agentgym.vector.pool import Broken
from agentgym.vector.worker import EnvFactory


@dataclass(frozen=True)
class HostFactory:
    """Makes a host where it is unpickled and called.

    Attributes:
        factory: Makes an environment.
        contain: See `agentgym.rollout.places.Places`.
    """

    factory: EnvFactory
    contain: bool

    def __call__(self) -> _Host:
        """Make it."""
        self.factory.preload()
        return _Host(self.factory, self.contain)


class _Host:
    """In its own process, the environments of some places; what it can do is called by name."""

    def __init__(self, factory: EnvFactory, contain: bool):
        self._places = Places(factory, contain=contain)
        for name in ("facts", "task_ids", "result", "save", "adopt", "close"):
            setattr(self, name, getattr(self._places, name))

    def begin(self, place: int, spec: EpisodeSpec, options: RecordOptions) -> GameStep | Broken:
        """Reset the environment of `place` to the episode of `spec`; `options` say what is reported of it."""
        return _slim(self._places.begin(place, spec, options), options)

    def act(self, place: int, actions: Mapping[str, str], options: RecordOptions) -> GameStep | Broken:
        """Play one step in `place`, with `actions` by player; `options` say what is reported of it."""
        return _slim(self._places.act(place, actions, options), options)

    def ask(self, place: int, player: str, name: str, arguments: tuple[Any, ...]) -> tuple[Any, list[Any]] | Broken:
        """The answer to a question about a player, and the states of the generators among its arguments.

        Args:
            place: Of the places of the pool, one whose environment stands in this process.
            player: Whom the question is about.
            name: The method that answers it.
            arguments: What that takes besides; a generator in it is a copy, so its state goes back to the asker.
        """
        answer = self._places.ask(place, player, name, arguments)
        if isinstance(answer, Broken):
            return answer
        return answer, [each.bit_generator.state for each in arguments if isinstance(each, np.random.Generator)]


def _slim(step: GameStep | Broken, options: RecordOptions) -> GameStep | Broken:
    """Without what nobody reads, so that the pipe carries less."""
    if isinstance(step, GameStep) and not options.infos:
        for player, result in step.results.items():
            heard = {key: result.info[key] for key in HEARD if key in result.info}
            if failed := failed_calls(result.info):
                heard["events"] = failed
            step.results[player] = replace(result, info=heard)
    return step
