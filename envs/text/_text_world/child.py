"""The program of an interpreter's process: `Engine` is the package's, and nothing else of ours is imported here."""

import importlib
import os
from functools import lru_cache
from typing import Any

SEED = 1  # of the interpreter; 0 and -1 mean the clock
INFOS = ("admissible_commands", "policy_commands", "won", "lost", "score", "max_score", "objective")
SHOWN = (*INFOS, "feedback", "extra.walkthrough")
TRANSLATED, PARSED = 64, 4096  # translations for the planner, two a game, and texts of ALFWorld's games that are kept


class Engine:
    """One environment of the package; game after game is played in it.

    Args:
        alfred: Folder of ALFWorld's games; empty for compiled games of TextWorld.
    """

    def __init__(self, alfred: str):
        textworld = importlib.import_module("textworld")
        if alfred:
            os.environ.setdefault("ALFWORLD_DATA", alfred)  # alfworld makes the folder of this name when it is imported
            pddl = importlib.import_module("textworld.envs.pddl").PddlEnv
            self._spare_repetition()
            original = importlib.import_module("alfworld.agents.environment.alfred_tw_env")
            infos = textworld.EnvInfos(won=True, admissible_commands=True)
            self._game = original.AlfredDemangler(pddl(infos))
        else:
            envs = importlib.import_module("textworld.envs")
            infos = textworld.EnvInfos(**dict.fromkeys(INFOS, True))
            self._game = envs.TWInform7(envs.JerichoEnv(infos))
            self._game.seed(SEED)

    def _spare_repetition(self) -> None:
        """Let the package do once what it does again at each step and reset; its answers stay the same to the byte.

        It translates a game for its planner when it is loaded and again at each reset, parses the same few templates
        for each command that is possible, and copies whole tables of a game where it only adds entries to them.
        """
        translator: Any = importlib.import_module("fast_downward")
        texts: Any = importlib.import_module("textworld.envs.pddl.textgen")
        logic: Any = importlib.import_module("textworld.logic")
        translator.pddl2sas = lru_cache(TRANSLATED)(translator.pddl2sas)
        for parser in (texts._PARSER, logic._PARSER):
            parser.parse = lru_cache(PARSED)(parser.parse)
        texts.copy_context = _same_entries

    def begin(self, path: str) -> dict[str, Any]:
        """Load a game and begin it: what the package says of its first state.

        Args:
            path: Of the file of the game.
        """
        self._game.close()  # an interpreter that loads a second game keeps the memory of the first for ever
        self._game.load(path)
        return _told(self._game.reset())

    def step(self, command: str) -> dict[str, Any]:
        """Play a command: what the package says of the state after it."""
        return _told(self._game.step(command)[0])


def _same_entries(context: dict[str, Any]) -> dict[str, Any]:
    """A context of the package's grammar whose two tables can be added to; their entries are never changed."""
    return {**context, "variables": dict(context["variables"]), "mapping": dict(context["mapping"])}


def _told(state: Any) -> dict[str, Any]:
    return {name: state.get(name) for name in SHOWN}
