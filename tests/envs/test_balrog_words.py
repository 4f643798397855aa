"""Texts frame by frame against BALROG's own wrappers, on the same states; needs a checkout of balrog-ai/BALROG.

    AGENTGYM_BALROG=FOLDER python -m pytest tests/envs/test_balrog_words.py

Its wrappers are written for `gym`, of which they need a class or two; these stand in for it here. BabyAI's frames are
recorded, see `test_babyai.py`.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Iterator
from enum import IntEnum
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import agentgym  # noqa: F401  (registers the ids)

FOLDER = os.environ.get("AGENTGYM_BALROG", "")
checkout = pytest.mark.skipif(not FOLDER, reason="AGENTGYM_BALROG names no checkout of github.com/balrog-ai/BALROG")
Balrog = Callable[[str], Any]


class Wrapper:
    """As `gym.Wrapper`."""

    def __init__(self, env: Any):
        self.env = env

    def __getattr__(self, name: str) -> Any:
        return getattr(self.env, name)


class Space:
    """As `gym.spaces.Space`."""

    def __init__(self, *about: Any):
        self.about = about


@pytest.fixture
def balrog(monkeypatch: pytest.MonkeyPatch) -> Iterator[Balrog]:
    """Imports a module of the checkout by the name that it has below `balrog.environments`."""
    spaces = ModuleType("gym.spaces")
    spaces.Space = Space  # type: ignore[attr-defined]
    stub = ModuleType("gym")
    stub.__dict__.update(Wrapper=Wrapper, Env=object, spaces=spaces)
    monkeypatch.syspath_prepend(FOLDER)

    def load(name: str) -> Any:
        monkeypatch.setitem(sys.modules, "gym", stub)  # not before: Crafter's package takes from `gym` what it finds
        monkeypatch.setitem(sys.modules, "gym.spaces", spaces)
        return importlib.import_module(f"balrog.environments.{name}")

    yield load
    for name in [name for name in sys.modules if name.partition(".")[0] == "balrog"]:
        del sys.modules[name]


@checkout
@pytest.mark.full
@pytest.mark.skipif(importlib.util.find_spec("crafter") is None, reason="crafter is not installed")
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_crafter_is_told_as_by_balrog(seed: int, balrog: Balrog) -> None:
    """All but at the borders in the west and north, where BALROG's window is empty and it sees nothing."""
    from agentgym.envs.games._crafter.words import TALL, WIDE

    env = gym.make("AgentGym/Crafter-v0").unwrapped
    theirs, settings = balrog("crafter.env"), {"unique_items": True, "precise_location": False}
    env.reset(seed=seed, options={"task": {"seed": seed, "side": 64}})
    rng, compared, asleep = np.random.default_rng(seed), 0, 0
    while not env.ended and compared < 400:
        action = "Sleep" if rng.random() < 0.05 else str(rng.choice(env.admissible_actions()))
        text = env.step(action)[0]
        engine = env._engine
        player = engine._player
        if player.pos[0] < WIDE // 2 or player.pos[1] < TALL // 2:
            continue
        info = {
            "semantic": engine._sem_view(), "player_pos": player.pos, "player_facing": player.facing,
            "sleeping": player.sleeping, "dead": player.health <= 0, "view": engine._view,
            "inventory": player.inventory.copy(),
        }  # fmt: skip
        told = "\n\n".join(theirs.describe_frame(info, **settings))
        assert "out of the map" not in told
        assert text == told or (text.startswith("Achievement unlocked: ") and text.endswith(f"\n{told}"))
        compared += 1
        asleep += bool(player.sleeping)
    assert asleep > 5


@checkout
@pytest.mark.full
@pytest.mark.skipif(importlib.util.find_spec("textworld") is None, reason="textworld is not installed")
@pytest.mark.parametrize("game", ["treasure_hunter", "cooking", "coin_collector"])
def test_textworld_is_told_and_counted_as_by_balrog(game: str, balrog: Balrog, tmp_path: Path) -> None:
    import textworld.gym

    from agentgym.envs.text._text_world.library import game_file

    env = gym.make("AgentGym/TextWorld-v0", style="balrog", folder=tmp_path).unwrapped
    panel = env.tasks("val")
    task = next(panel[index] for index in range(3) if panel[index].spec["game"] == game)
    text, _ = env.reset(seed=0, options={"task": task.spec})
    wanted = textworld.EnvInfos(objective=True, description=True, score=True, max_score=True, won=True)
    path = str(game_file(tmp_path, env.task.spec))
    made = textworld.gym.make(textworld.gym.register_game(path, wanted, max_episode_steps=80))
    theirs = balrog("textworld.base").TextWorldWrapper(made, max_steps=80)
    first = theirs.reset()["text"]["long_term_context"]
    assert text.endswith(f"\n\n{first}")
    rng, done = np.random.default_rng(0), False
    for turn in range(80):
        action = env.oracle_action() if turn >= 20 else str(rng.choice(env.admissible_actions()))
        text, _, terminated, truncated, info = env.step(action)
        frame, _, done, _ = theirs.step(action)
        assert text == frame["text"]["long_term_context"], (turn, action)
        assert done == (terminated or truncated)
        if done:
            break
    assert done
    assert info["progress"] == pytest.approx(theirs.get_stats()["progression"])


LISTED = ("ball", "wall", "door", "key", "rule")  # by BALROG; our families have more kinds of things


def _thing(name: str) -> SimpleNamespace:
    """A cell's content as BALROG asks for it: the name of a thing or of a word."""
    said = re.fullmatch("rule `(.*)`", name)
    if said is None:
        return SimpleNamespace(type=f"f{name}" if name != "baba" else name)
    return SimpleNamespace(type="rule_object", name=said[1])


@checkout
def test_baba_is_told_as_by_balrog(balrog: Balrog, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same lines in the same order, for what BALROG lists; it counts `3 step up` and `3 step to the left`."""
    package, objects = ModuleType("baba"), ModuleType("baba.world_object")
    actions = IntEnum("Actions", ["up", "right", "down", "left", "idle"])  # type: ignore[misc]
    package.grid = SimpleNamespace(BabaIsYouEnv=SimpleNamespace(Actions=actions))  # type: ignore[attr-defined]
    objects.name_mapping = {"is_you": "you"}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "baba", package)
    monkeypatch.setitem(sys.modules, "baba.world_object", objects)
    theirs = balrog("babaisai.base")
    env = gym.make("AgentGym/BabaIsYou-v0").unwrapped
    compared = 0
    for number in range(40):
        env.reset(seed=0, options={"task": number})
        rng = np.random.default_rng(number)
        for _ in range(30):
            if env.ended:
                break
            text = env.step(str(rng.choice(env.admissible_actions())))[0]
            (words, things, kinds), board = env._position(), env._board
            cells = dict(zip(words + things, board.names + kinds, strict=True))
            yours = [kind for kind in kinds if kind in env._rules().you]
            if len(cells) < len(words + things) or len(set(yours)) != 1 or env.ended:
                continue  # a cell of BALROG's holds one thing, and its words are of one thing that is YOU
            grid = SimpleNamespace(
                get=lambda column, row, cells=cells, board=board: (
                    _thing(cells[row * board.stride + column]) if row * board.stride + column in cells else None
                ),
                _ruleset={"_rule_": [{"object": _thing(yours[0]).type, "property": "is_you"}]},
            )
            inner = SimpleNamespace(grid=grid, width=board.width + 1, height=board.height + 1)
            told, lost = theirs.BabaIsAIWrapper(inner).get_text_observation(None)
            assert not lost
            told = re.sub(r"([2-9]|\d\d) step (up|to the left)", r"\1 steps \2", told)
            lines = text.partition("Objects on the map:\n")[2].splitlines()
            known = [line for line in lines if line.partition(" ")[0] in LISTED]
            assert known == [line for line in told.splitlines() if line]  # what is YOU is an empty line if it is listed
            compared += 1
    assert compared > 300
