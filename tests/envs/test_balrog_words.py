"""Texts frame by frame against BALROG's own wrappers, on the same states; needs a checkout of balrog-ai/BALROG.

    AGENTGYM_BALROG=FOLDER python -m pytest tests/envs/test_balrog_words.py

Its wrappers are written for `gym`, of which they need a class or two; these stand in for it here. BabyAI's frames are
recorded, see `test_babyai.py`. Those of NetHack and MiniHack run where the extra `nethack` is installed, and take their
words from the package `balrog-nle`, beside whose engine `nle` cannot be installed:

    pip install --no-deps --target WORDS balrog-nle
    AGENTGYM_BALROG=FOLDER AGENTGYM_BALROG_NLE=WORDS python -m pytest tests/envs/test_balrog_words.py
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

    def reset(self, **kwargs: Any) -> Any:
        """Of the environment below."""
        return self.env.reset(**kwargs)

    def step(self, action: Any) -> Any:
        """Of the environment below."""
        return self.env.step(action)


class Space:
    """As `gym.spaces.Space`."""

    def __init__(self, *about: Any):
        self.about = about


@pytest.fixture
def balrog(monkeypatch: pytest.MonkeyPatch) -> Iterator[Balrog]:
    """Imports a module of the checkout by the name that it has below `balrog.environments`."""
    spaces = ModuleType("gym.spaces")
    spaces.__dict__.update(Space=Space, Dict=dict)
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


NLE = os.environ.get("AGENTGYM_BALROG_NLE", "")
nethack = pytest.mark.skipif(
    not NLE or any(importlib.util.find_spec(name) is None for name in ("nle", "minihack", "PIL")),
    reason="needs the extra nethack, pillow, and in AGENTGYM_BALROG_NLE a folder with balrog-nle",
)


class Stepped(Wrapper):
    """An environment of NLE as an older `gym` would step it."""

    def reset(self) -> Any:
        """The first observation alone."""
        return self.env.reset()[0]

    def step(self, action: int) -> tuple[Any, float, bool, dict[str, Any]]:
        """One flag for both kinds of end."""
        shown, reward, ended, cut, info = self.env.step(action)
        return shown, reward, ended or cut, info


@pytest.fixture
def hack(balrog: Balrog, monkeypatch: pytest.MonkeyPatch) -> Balrog:
    """Imports what BALROG's wrappers of NetHack import, its words from `balrog-nle`, the engine from `nle`."""
    import nle

    monkeypatch.setattr(nle, "__path__", [*nle.__path__, f"{NLE}/nle"])
    for name, drawn in (("render", "tty_render_image"), ("render_rgb", "rgb_render_image")):  # pictures, not compared
        module = ModuleType(name)
        setattr(module, drawn, None)
        monkeypatch.setitem(sys.modules, f"balrog.environments.nle.{name}", module)
    return balrog


def told(frame: dict[str, Any]) -> str:
    """What BALROG puts into a prompt as the present."""
    return "\n".join((frame["text"]["short_term_context"], frame["text"]["long_term_context"]))


HACKS = [
    *[("NetHackChallenge-v0", {"character": "@"}, view) for view in ("hybrid", "language")],
    *[
        (f"MiniHack-{level}-v0", {"level": level}, "hybrid")
        for level in ("MazeWalk-9x9", "Corridor-R3", "CorridorBattle-Dark", "Quest-Easy", "Quest-Medium")
    ],
]


@checkout
@nethack
@pytest.mark.full
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize(("made", "spec", "view"), HACKS)
def test_nethack_is_told_as_by_balrog(made: str, spec: dict[str, Any], view: str, seed: int, hack: Balrog) -> None:
    """The same game in NLE's own environment below BALROG's wrappers: random actions, with the dice of ours.

    Without the last frame, which no player of BALROG's sees.
    """
    import minihack  # noqa: F401
    import nle  # noqa: F401

    modules, small = hack("nle"), "level" in spec
    options = {"autopickup": False, "observation_keys": SEEN} if small else {"no_progress_timeout": 300}
    # `nle` 1.3.0 counts each step twice, and BALROG stops after 150
    inner = gym.make(made, disable_env_checker=True, character="@", fix_moon_phase=True, **options).unwrapped
    theirs = modules.NLELanguageWrapper(modules.AutoMore(Stepped(inner)), vlm=view == "language")
    theirs.render = lambda mode: np.zeros((1, 1, 3), np.uint8)  # the picture that it shows with `language`
    for guarded in ("set_initial_seeds", "set_current_seeds"):
        vars(inner.nethack).pop(guarded, None)  # the challenge forbids to choose them
    inner.nethack.set_initial_seeds(seed, seed, False, seed)
    env = gym.make(f"AgentGym/{'MiniHack' if small else 'NetHack'}-v0", style="balrog", view=view).unwrapped
    text, info = env.reset(seed=seed, options={"task": {"seed": seed, **spec}})
    assert f"\n\n{told(theirs.reset())}" in text
    dice: list[int] = []
    press = env.game.press
    env.game.press = lambda keys, rng: (dice.append(rng), press(keys, rng))
    rng = np.random.default_rng(seed)
    known = sorted(set(theirs.language_action_space) & {*env.admissible_actions(), *"abcdefghijklmnopqrstuvwxyz"})
    moves, done, turns = ("north", "east", "south", "west"), False, 0
    for turns in range(200 if not small else 90):
        action = str(rng.choice(["esc"] if "esc" in known and rng.random() < 0.2 else moves if turns % 2 else known))
        text, _, terminated, truncated, info = env.step(action)
        inner.nethack.set_current_seeds(core=dice[-1], disp=dice[-1], reseed=False, lgen=seed)
        frame, _, done, _ = theirs.step(action)
        assert done == (terminated or truncated), (turns, action)
        assert info["metrics"]["progression"] / 100 == pytest.approx(theirs.get_stats().get("progression", 0), abs=1e-5)
        if done:
            break
        assert text == told(frame), (turns, action)
    assert done or turns >= 89
    inner.close()


SEEN = ["glyphs", "blstats", "tty_chars", "inv_letters", "inv_strs", "tty_cursor", "tty_colors"]


@checkout
@nethack
def test_every_glyph_screen_and_state_of_nethack_is_told_as_by_balrog(hack: Balrog) -> None:
    """Random maps of all glyphs, random windows and bottom lines."""
    hack("nle")
    from nle import nethack as engine
    from nle import nle_language_obsv

    from agentgym.envs.games._nethack import balrog as ours

    theirs, names, rng = nle_language_obsv.NLELanguageObsv(), ours.glyphs(engine), np.random.default_rng(0)
    order = rng.permutation(engine.MAX_GLYPH).astype(np.int16)
    floor = engine.GLYPH_CMAP_OFF + 19
    for number in range(100):
        shown = np.full((21, 79), floor, np.int16)
        few = order[number * 60 : (number + 1) * 60] if number < 99 else order[-60:]
        for row, column in zip(rng.integers(21, size=150), rng.integers(79, size=150), strict=True):
            shown[row, column] = rng.choice(few)
        stats = rng.integers(0, 30, size=27)
        stats[0], stats[1], stats[21], stats[22] = *rng.integers(1, [79, 21]), *rng.integers(0, [7, 6])
        stats[25], stats[26] = rng.integers(2**13), rng.integers(-1, 2)
        row, column = rng.integers([1, 0], [22, 79])
        game: Any = SimpleNamespace(glyphs=shown, stats=stats.tolist(), cursor=(int(column), int(row) - 1))
        assert ours.surroundings(game, names) == theirs.text_glyphs(shown, stats).decode("latin-1")
        assert ours.statistics(game.stats) == theirs.text_blstats(stats).decode("latin-1")
        assert ours.cursor(game, names) == theirs.text_cursor(shown, stats, np.array([row, column])).decode("latin-1")
    for glyph in range(engine.MAX_GLYPH):  # one by one, for they hide each other
        shown = np.full((21, 79), floor, np.int16)
        shown[10, 12] = glyph
        shown[10, 14] = shown[10, 15] = glyph
        stats = np.zeros(27, np.int64)
        stats[:2] = 10, 10
        game = SimpleNamespace(glyphs=shown, stats=stats.tolist(), cursor=(12, 10))
        assert ours.surroundings(game, names) == theirs.text_glyphs(shown, stats).decode("latin-1")
        assert ours.cursor(game, names) == theirs.text_cursor(shown, stats, np.array([11, 12])).decode("latin-1")
    pieces = [
        "",
        "  ",
        " x",
        "You see here a dagger.",
        "--More--",
        "(end)",
        "(1 of 2)",
        "(10 of 12)",
        "list!",
        "a of b",
    ]
    for _ in range(2000):
        lines = ["".join(rng.choice(pieces, size=2)) for _ in range(24)]
        lines[0] = lines[0].strip() or "It is cold."  # below an empty first line BALROG reads beyond the screen
        screen = [f"{' ' * int(rng.integers(3))}{line}".ljust(80) for line in lines]
        chars = np.frombuffer("".join(screen).encode(), np.uint8).reshape(24, 80)
        assert ours.message(screen) == theirs.text_message(chars).decode("latin-1"), screen
