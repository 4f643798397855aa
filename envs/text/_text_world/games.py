"""The kinds of games, how large each may be, and how the package's generator makes one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from agentgym.core.errors import DataError, require
from agentgym.core.rng import stream
from agentgym.core.tasks import Spec
from agentgym.envs.text import TEXT_WORLD
from agentgym.envs.text._text_world.engine import package

FOLDS = {"train": "train", "val": "valid", "test": "test"}  # the generator's names, which deal ingredients
SEEDS = ("map", "objects", "quest", "grammar")  # the generator's own random streams
TRIES = 50  # seeds that are tried for a game: the generator rejects some
_making = Lock()  # the generator keeps its knowledge base in one place


class Kind(NamedTuple):
    """A kind of games.

    Attributes:
        rooms, objects, quest: Values that the generator takes; none where it knows no such thing.
        usual: Values of the three, unless others are asked for.
    """

    rooms: tuple[int, ...]
    objects: tuple[int, ...]
    quest: tuple[int, ...]
    usual: tuple[int, int, int]


KINDS = {
    "custom": Kind(tuple(range(1, 31)), tuple(range(1, 41)), tuple(range(1, 13)), (4, 6, 4)),
    "coin_collector": Kind(tuple(range(1, 101)), (), tuple(range(1, 101)), (10, 0, 5)),
    "treasure_hunter": Kind(tuple(range(2, 31)), (0, 10, 20), tuple(range(1, 21)), (10, 10, 4)),
    "cooking": Kind((1, 6, 9, 12), (0, 1, 2, 3, 4, 5), (1, 2, 3, 4, 5), (6, 1, 2)),
}
NAMES = tuple(KINDS)
HUNTS = {0: "easy", 10: "medium", 20: "hard"}  # by the number of containers and supporters
MOST_ROOMS = 4  # for each step of a coin collector's way


def make_game(spec: Spec) -> Any:
    """The package's game of a specification; equal specifications give equal games.

    Args:
        spec: `game`, `rooms`, `objects`, `quest`, `only_last_action`, `fold` and `seed`.

    Raises:
        DataError: if the generator rejects all seeds that were tried.
    """
    textworld = package()
    chaining = require("textworld.generator.chaining", extra="worlds", purpose=TEXT_WORLD.id)
    types = require("textworld.generator.vtypes", extra="worlds", purpose=TEXT_WORLD.id)
    errors = (chaining.QuestGenerationError, types.NotEnoughNounsError, ValueError)
    said: Exception | None = None
    for attempt in range(TRIES):
        rng = stream("text_world.game", int(spec["seed"]), attempt)
        options = textworld.GameOptions()
        options.seeds = {name: int(rng.integers(1, 65_000)) for name in SEEDS}
        options.grammar.only_last_action = spec["only_last_action"]
        options.nb_rooms, options.quest_length = spec["rooms"], spec["quest"]
        with _making, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it plays a draft, by a name under which Jericho knows no game, and warns
            try:
                return MAKERS[spec["game"]](spec, options, rng)
            except errors as error:
                said = error
    raise DataError(
        f"{TEXT_WORLD.id}: the generator made no {spec['game']} of {spec['rooms']} rooms, {spec['objects']} objects "
        f"and a quest of {spec['quest']} in {TRIES} tries ({said}); give it more rooms or a shorter quest"
    )


def _challenge(name: str) -> Any:
    return require(f"textworld.challenges.tw_{name}.{name}", extra="worlds", purpose=TEXT_WORLD.id)


@cache
def _knowledge(path: str) -> Any:
    """A knowledge base of the package, which takes seconds to read."""
    data = require("textworld.generator.data", extra="worlds", purpose=TEXT_WORLD.id)
    return data.KnowledgeBase.load(path)


def _custom(spec: Spec, options: Any, rng: np.random.Generator) -> Any:
    options.nb_objects = spec["objects"]
    return package().generator.make_game(options)


def _coin_collector(spec: Spec, options: Any, rng: np.random.Generator) -> Any:
    challenge = _challenge("coin_collector")
    options.kb = _knowledge(challenge.KB_PATH)
    options.grammar.allowed_variables_numbering = True
    return challenge.make_game("simple", options)


def _treasure_hunter(spec: Spec, options: Any, rng: np.random.Generator) -> Any:
    challenge = _challenge("treasure_hunter")
    options.kb = _knowledge(challenge.KB_PATH)
    return challenge.make_game(HUNTS[spec["objects"]], options)


def _cooking(spec: Spec, options: Any, rng: np.random.Generator) -> Any:
    settings = {
        "recipe": spec["quest"], "take": spec["objects"], "go": spec["rooms"], "open": True, "cook": True, "cut": True,
        "drop": False, "split": spec["fold"], "recipe_seed": int(rng.integers(1, 65_000)),
    }  # fmt: skip
    return _challenge("cooking").make(settings, options)


MAKERS: Mapping[str, Callable[[Spec, Any, np.random.Generator], Any]] = {
    "custom": _custom,
    "coin_collector": _coin_collector,
    "treasure_hunter": _treasure_hunter,
    "cooking": _cooking,
}
