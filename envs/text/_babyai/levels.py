"""The levels of BabyAI: the package's own classes, and the mixed level behind BALROG's five tasks."""

from __future__ import annotations

import importlib
import os
from functools import cache
from typing import Any

from agentgym.core.errors import ConfigError, require
from agentgym.envs.text import BABYAI

VERSION = "3.2.0"
LEVELS = (  # in the published order
    "GoToRedBallGrey", "GoToRedBall", "GoToRedBallNoDists", "GoToObjS6", "GoToLocalS8N7", "GoToObjMazeS7",
    "GoToImpUnlock", "GoToSeqS5R2", "GoToRedBlueBall", "GoToDoor", "GoToObjDoor", "Open", "OpenRedDoor", "OpenDoorLoc",
    "OpenRedBlueDoorsDebug", "OpenDoorsOrderN4Debug", "Pickup", "UnblockPickup", "PickupLoc", "PickupDistDebug",
    "PickupAbove", "PutNextLocalS6N4", "PutNextS7N4Carrying", "Unlock", "UnlockLocalDist", "KeyInBox",
    "UnlockPickupDist", "BlockedUnlockPickup", "UnlockToUnlock", "ActionObjDoor", "FindObjS7", "KeyCorridorS6R3",
    "OneRoomS20", "MoveTwoAcrossS8N9", "SynthS5R2", "SynthLoc", "SynthSeq", "MiniBossLevel", "BossLevel",
    "BossLevelNoUnlock",
)  # fmt: skip
BALROG = ("goto", "pickup", "open", "putnext", "pick_up_seq_go_to")  # its tasks, in its order
SECOND = frozenset({"GoToObjS6"})  # levels whose id in the package ends in v1
MIXED = "agentgym.envs.text._babyai.mixed"  # which needs the package when it is imported


@cache
def package() -> Any:
    """The package `minigrid`, imported without a word on the terminal.

    Raises:
        MissingExtra: if it is not installed, or in another version.
        ConfigError: if the environment asks for other rules than the published ones.
    """
    greets = "PYGAME_HIDE_SUPPORT_PROMPT" not in os.environ
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # pygame, which it imports, greets whoever imports it
    try:
        found = require("minigrid", extra="worlds", purpose=BABYAI.id, version=VERSION)
        if require("minigrid.envs.babyai.core.verifier", extra="worlds", purpose=BABYAI.id).use_done_actions:
            raise ConfigError("BABYAI_DONE_ACTIONS changes when a mission counts as done; unset it")
    finally:
        if greets:
            del os.environ["PYGAME_HIDE_SUPPORT_PROMPT"]
    return found


def new_level(name: str, seed: int) -> Any:
    """A level of the package at the beginning of the episode of a seed.

    Args:
        name: One of `LEVELS` or `BALROG`.
        seed: As the package's `reset(seed=...)` takes it.
    """
    kind, options = _kind(name)
    level = kind(**options)
    level.reset(seed=seed)
    return level


@cache
def _kind(name: str) -> tuple[Any, dict[str, Any]]:
    """The class of a level, and what it is made with."""
    if name in BALROG:
        package()
        return _quiet(importlib.import_module(MIXED).Mixed), {"task": name}
    package()
    spec = importlib.import_module("gymnasium").spec(f"BabyAI-{name}-{'v1' if name in SECOND else 'v0'}")
    module, _, kind = str(spec.entry_point).partition(":")
    return _quiet(getattr(importlib.import_module(module), kind)), dict(spec.kwargs)


def _quiet(kind: Any) -> Any:
    """A level that prints nothing when it draws a mission anew, and encodes no picture that nobody reads."""
    grids = importlib.import_module("minigrid.core.roomgrid")
    rejected = importlib.import_module("minigrid.envs.babyai.core.roomgrid_level").RejectSampling

    class Quiet(kind):
        """The level, as it is."""

        def _gen_grid(self, width: int, height: int) -> None:
            while True:
                try:
                    grids.RoomGrid._gen_grid(self, width, height)
                    self.gen_mission()
                    self.validate_instrs(self.instrs)
                except (RecursionError, rejected):  # the mission cannot be placed, or makes no sense: another draw
                    continue
                break
            self.surface = self.mission = self.instrs.surface(self)

        def gen_obs(self) -> dict[str, Any]:
            return {}

    return Quiet
