"""The program of an interpreter's process: `Engine` is the package's, and nothing else of ours is imported here."""

import importlib
import os
from typing import Any

SEED = 1  # of the interpreter; 0 and -1 mean the clock
INFOS = ("admissible_commands", "policy_commands", "won", "lost", "score", "max_score", "objective")
SHOWN = (*INFOS, "feedback", "extra.walkthrough")


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
            original = importlib.import_module("alfworld.agents.environment.alfred_tw_env")
            infos = textworld.EnvInfos(won=True, admissible_commands=True)
            self._game = original.AlfredDemangler(pddl(infos))
        else:
            envs = importlib.import_module("textworld.envs")
            infos = textworld.EnvInfos(**dict.fromkeys(INFOS, True))
            self._game = envs.TWInform7(envs.JerichoEnv(infos))
            self._game.seed(SEED)

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


def _told(state: Any) -> dict[str, Any]:
    return {name: state.get(name) for name in SHOWN}
