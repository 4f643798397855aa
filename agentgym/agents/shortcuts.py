"""Players that do not do the task and can be tried in any world: what they win, a world pays without being understood.

`shortcut:memory` is the agent of that name. A world may name further ones on its card and play them in `_shortcut`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from agentgym.agents.policy import ActionPolicy, View
from agentgym.core import ConfigError, Driver, drive, find_card, unknown
from agentgym.core.errors import import_named
from agentgym.core.hooks import implements
from agentgym.core.rng import stream, stream_seed

GENERIC: Mapping[str, str] = {
    "script": "says what solved the first train task, whatever the task is",
    "memory": "says what solved the train task whose instruction shares most words with this one",
    "climber": "looks one step ahead in forks, and goes where `progress` and `metrics` rise",
    "first": "takes the first admissible action that it has said least often in answer to the same text",
    "lexical": "takes the admissible action that shares most words with the instruction, likewise",
}
REMEMBERED = 40  # train tasks whose solutions are remembered
LONGEST = 200  # actions of a solution that are kept
WIDTH = 8  # actions that are drawn where none are listed, and that the climber tries


def shortcut_policy(name: str, remembered: int = REMEMBERED) -> ActionPolicy:
    """A player that does not do the task.

    Args:
        name: One of `GENERIC`, or a shortcut of the world's card.
        remembered: Train tasks whose solutions `memory` and `script` know, spread evenly over a finite split.

    Raises:
        ConfigError: if nothing is to be remembered.
    """
    if remembered < 1:
        raise ConfigError(f"remembered must be at least 1, got {remembered}")
    if name in ("script", "memory"):
        return _Reciting(nearest=name == "memory", remembered=remembered if name == "memory" else 1)
    if name == "climber":
        return _Climbing()
    return _Listing(lexical=name == "lexical") if name in GENERIC else _OfTheCard(name)


class _OfTheCard(ActionPolicy):
    """One of the shortcuts that the world's card names."""

    def __init__(self, name: str):
        self._name = name

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The shortcut of the card, which the world of this `view` plays without `rng`."""
        card = find_card(view.env_id)
        if card is not None and self._name not in card.shortcuts:
            raise unknown("shortcut", self._name, [*GENERIC, *card.shortcuts])
        return str(view.ask("shortcut_action", self._name))


class _Reciting(ActionPolicy):
    """Says in turn, for ever, what solved a train task."""

    def __init__(self, *, nearest: bool, remembered: int):
        self._nearest, self._remembered = nearest, remembered

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The next action of a remembered solution, by the length of `view.said`; nothing is drawn from `rng`."""
        given = {**view.ask("made_with"), "split": "train", "render_mode": None}
        known = _solutions(view.env_id, view.player, json.dumps(given, sort_keys=True), self._remembered)
        wanted = _words(view.info["instruction"])
        found = max(known, key=lambda one: _likeness(one.words, wanted)) if self._nearest else known[0]
        return found.actions[len(view.said) % len(found.actions)]


class _Climbing(ActionPolicy):
    """Tries some actions in forks, and takes the one after which `info` looks best.

    What it has not read in this episode comes first, then progress, then the sum of the metrics. What a fork's end
    tells is not used: any look-ahead sees it, while this player is after what `info` tells on the way.
    """

    def act(self, view: View, rng: np.random.Generator) -> str:
        """Of some actions of this `view`, drawn by `rng`, the one with the best reward."""
        listed = _listed(view, rng)
        tried = [str(listed[int(place)]) for place in rng.permutation(len(listed))[:WIDTH]]
        return max(tried, key=partial(self._look, view, rng))

    def _look(self, view: View, rng: np.random.Generator, action: str) -> tuple[bool, float, float]:
        text, _, terminated, truncated, info = view.ask("preview_action", action, int(rng.integers(2**31)))
        if terminated or truncated:
            return True, *_height(view.info)
        return text not in view.seen, *_height(info)


class _Listing(ActionPolicy):
    """Works through the admissible list: in its order, or by the words that it shares with the instruction."""

    def __init__(self, *, lexical: bool):
        self._lexical = lexical

    def act(self, view: View, rng: np.random.Generator) -> str:
        """Of the actions listed in this `view`, or drawn by `rng`, one that was said least at this observation."""
        listed = _listed(view, rng)
        said = Counter(said for seen, said in zip(view.seen, view.said, strict=False) if seen == view.observation)
        fewest = min(said[action] for action in listed)
        fresh = [action for action in listed if said[action] == fewest]
        if not self._lexical:
            return fresh[0]
        wanted = _words(view.info["instruction"])
        return max(fresh, key=lambda action: _likeness(_words(action), wanted))


@dataclass(frozen=True, slots=True)
class _Solution:
    """How a train task was played: the words of its instruction, and the actions of one player."""

    words: frozenset[str]
    actions: tuple[str, ...]


@cache
def _solutions(env_id: str, player: str, arguments: str, count: int) -> tuple[_Solution, ...]:
    """What the oracle did in train tasks, or the expert where there is no oracle.

    Args:
        env_id: Of the world.
        player: Whose actions are wanted.
        arguments: Of the world's constructor, as JSON.
        count: How many tasks.

    Raises:
        ConfigError: if the world has neither player, or no train tasks.
    """
    card = find_card(env_id)
    if card is None or "train" not in card.splits:
        raise ConfigError(f"{env_id} has no train tasks whose solutions could be remembered")
    module, _, name = card.entry_point.partition(":")
    driver = drive(getattr(import_named(module), name)(**json.loads(arguments)))
    who = next((each for each in ("oracle", "expert") if implements(driver.world, f"_{each}")), None)
    if who is None:
        raise ConfigError(f"{env_id} has neither oracle nor expert, so there are no solutions to remember")
    size = driver.world.tasks("train").size
    places = range(count) if size is None else np.linspace(0, size - 1, min(count, size)).round().astype(int).tolist()
    found = [_played(driver, player, who, card.rival, place) for place in places]
    driver.close()
    if not any(each.actions for each in found):
        raise ConfigError(f"{env_id} has no train task in which {player} does anything")
    return tuple(each for each in found if each.actions)


def _played(driver: Driver, player: str, who: str, rival: str, place: int) -> _Solution:
    rng = stream("agents.shortcuts.rival", place)
    driver.reset(seed=stream_seed("agents.shortcuts.train", place) % 2**31, options={"task": place})
    words = _words(driver.result(player).info["instruction"])
    actions: list[str] = []
    while not driver.ended and len(actions) < LONGEST:
        done = {
            each: driver.opponent_action(each, rival, rng)
            if rival and each != player
            else str(driver.ask(f"{who}_action", each))
            for each in driver.to_act
        }
        if player in done:
            actions.append(done[player])
        driver.step(done)
    return _Solution(words, tuple(actions))


def _listed(view: View, rng: np.random.Generator) -> list[str]:
    listed: list[str] = view.ask("admissible_actions") or []
    return listed or [str(view.ask("sample_action", rng)) for _ in range(WIDTH)]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.lower().replace("[", " ").replace("]", " ").split())


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard's index of two sets of words."""
    return len(one & other) / (len(one | other) or 1)


def _height(info: Mapping[str, Any]) -> tuple[float, float]:
    return info["progress"], sum(info["metrics"].values())
