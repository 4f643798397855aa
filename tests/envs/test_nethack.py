"""NetHack and MiniHack behind the contract; all but one test need the extra `nethack`."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.core import Call, ConfigError, DataError, Invalid, MissingExtra, TaskError, UnknownName
from agentgym.envs.games._nethack.balrog import message, place, plural
from agentgym.envs.games._nethack.keys import KEYS, Keyboard, pressed
from agentgym.envs.games._nethack.progress import progress
from agentgym.envs.games._nethack.words import offset

INSTALLED = all(importlib.util.find_spec(name) is not None for name in ("nle", "minihack"))
original = pytest.mark.skipif(
    not INSTALLED, reason='NetHack is not installed: run  pip install "agentgym-suite[nethack]"'
)
WORLDS = ("AgentGym/NetHack-v0", "AgentGym/MiniHack-v0")
HARD = """; 0
##########
##@  #####
## $.#####
## $.#####
## $.#####
## $.#####
##########

; 1
##########
#@ $ . # #
#  $ .   #
#  $ .   #
#  $ .   #
##########
"""


def make(name="MiniHack-v0", **kwargs):
    return gym.make(f"AgentGym/{name}", **kwargs).unwrapped


def start(level="Corridor-R3", seed=3, **kwargs):
    env = make(**kwargs)
    return env, env.reset(seed=0, options={"task": {"level": level, "seed": seed}})[0]


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.skipif(INSTALLED, reason="NetHack is installed here")
def test_without_the_extra_one_line_names_it(name):
    with pytest.raises(MissingExtra) as caught:
        gym.make(name)
    assert "\n" not in str(caught.value)
    assert 'pip install "agentgym-suite[nethack]"' in str(caught.value)


def test_keys_are_read_as_they_are_said():
    board = Keyboard(("north", "far east", "apply"), "Play.")
    read = {said: pressed(board.parse(said)) for said in ("North", "move far east", "apply", "N", " k ", "20", "-")}
    assert read == {
        "North": [ord("k")], "move far east": [ord("L")], "apply": [ord("a")], "N": [ord("N")], " k ": [ord("k")],
        "20": [ord("2"), ord("0")], "-": [ord("-")],
    }  # fmt: skip
    assert board.parse("type 20s") == Call("type", {"text": "20s"})
    for refused in ("#", "type #pray", "type é", "type " + "x" * 61, "wish for wands", ""):
        assert isinstance(board.parse(refused), Invalid), refused
    assert len(set(KEYS.values())) == len(KEYS)


def test_progress_is_the_better_of_depth_and_experience():
    assert progress(1, 1) == 0.0
    assert progress(2, 1) == pytest.approx(0.015392, abs=1e-5)  # figures of BALROG's table
    assert progress(1, 10) == pytest.approx(0.179100, abs=1e-5)
    assert progress(50, 1) == progress(53, 1) == pytest.approx(0.806796, abs=1e-5)
    assert progress(10, 14) == pytest.approx(0.494039, abs=1e-5)


def test_offsets_in_words():
    assert [offset(1, -1, 1), offset(0, 1, 1), offset(-3, 0, 3), offset(12, -2, 12)] == [
        "adjacent, northeast", "adjacent, south", "3 west", "12 east, 2 north",
    ]  # fmt: skip


def test_the_message_is_the_line_at_the_top_or_the_window_that_covers_the_map():
    """To the letter as BALROG reads it; `test_balrog_words.py` compares it with BALROG's own code."""
    below = ["      |....@...|", *[""] * 20, "Agent the Stripling  St:18", "Dlvl:1 $:0"]

    def read(*rows):
        return message([row.ljust(80) for row in (*rows, *below)][:24])

    assert read("You see here a dagger.") == "You see here a dagger."
    assert read("") == ""
    window = ("       Weapons", "       a - a dagger", "       (end)")
    assert read(*window) == "Weapons\na - a dagger\n(end)"
    assert read(*window[:2], "       (1 of 2)") == "Weapons\na - a dagger\n(1 of 2)"
    assert read("You kill it!--More--") == "You kill it!--More--"


def test_places_and_plurals_of_balrog():
    assert [place(*each) for each in ((1, 0), (2, -1), (-3, 3), (-1, 7), (20, 0))] == [
        ("adjacent", "east"), ("very near", "eastnortheast"), ("near", "southwest"), ("far", "southsouthwest"),
        ("very far", "east"),
    ]  # fmt: skip
    many = {
        "jackal": "jackals", "low boots": "low boots", "staff": "staves", "tame pony": "tame ponies", "fox": "foxes",
        "giant eel statue": "giant eel statues", "scroll labeled FOOBIE BLETCH": "scrolls labeled FOOBIE BLETCH",
    }  # fmt: skip
    assert {noun: plural(noun) for noun in many} == many


@original
def test_a_level_is_found_in_a_process_that_has_not_imported_the_package():
    program = "import agentgym, gymnasium; gymnasium.make('AgentGym/MiniHack-v0').reset(seed=0)"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@original
def test_the_style_of_balrog_has_its_sections_its_role_and_no_pickup():
    env, text = start("Quest-Easy", style="balrog")
    heads = ["inventory:", "message:", "language observation:", "cursor:", "map:"]
    places = [text.index(f"{head}\n") for head in heads]
    assert places == sorted(places)
    assert env._level.character == "@"
    assert "!autopickup" in env._level.options
    roles = {start("Corridor-R3", seed, style="balrog")[1].partition("map:")[2].split("\n")[22] for seed in range(4)}
    assert len({role.split()[2] for role in roles}) > 1, roles
    text = start("Corridor-R3", view="language", style="balrog")[1]
    assert "statistics:\nStrength: " in text
    assert "map:" not in text


@original
@pytest.mark.parametrize("level", ["Corridor-R3", "CorridorBattle", "Quest-Easy"])
def test_a_level_is_the_packages_own(level):
    """The map of a task equals that of the package after the same seeds, and so do rewards where no dice fall."""
    import minihack  # noqa: F401

    theirs = gym.make(f"MiniHack-{level}-v0", disable_env_checker=True).unwrapped
    theirs.seed(5, 5, False, 5)
    shown, _ = theirs.reset()
    env, _ = start(level, 5)
    assert (env.game.glyphs == shown["glyphs"]).all()
    assert (np.array(env.game.stats) == shown["blstats"]).all()
    assert env.max_turns == theirs._max_episode_steps
    for word in ("north", "north", "north", "north"):  # against a wall no time passes: -0.01
        reward = theirs.step(list(theirs.actions).index(KEYS[word]))[1]
        assert env.step(word)[1] == pytest.approx(reward)
    theirs.close()


@original
def test_sections_stand_in_balrogs_order():
    env, text = start()
    heads = ["message:", "language observation:", "cursor:", "map:", "statistics:", "inventory:"]
    places = [text.index(f"{head}\n") for head in heads]
    assert places == sorted(places)
    assert "This level takes: north, east, south, west, northeast" in text
    assert "hit points 12/12" in text
    assert "\nmap:" not in start(view="language")[1]
    x, y = env.game.stats[:2]
    told = [line for line in text.splitlines() if line.startswith("- closed door: ")]
    assert told
    for line in told:  # words and map agree
        place = {"north": 0, "south": 0, "east": 0, "west": 0}
        for part in line.removeprefix("- closed door: ").split(", "):
            place[part.split()[1]] = int(part.split()[0])
        row, column = y + place["south"] - place["north"], x + place["east"] - place["west"]
        assert chr(env.game.chars[row, column]) == "+"


@original
def test_a_level_refuses_actions_it_does_not_take():
    env, _ = start("MazeWalk-9x9")
    key = env.state_key()
    for action in ("kick", "type abc", "y"):
        text, reward, *_, info = env.step(action)
        assert not info["action_valid"]
        assert "takes only: north" in text
        assert reward == 0.0
    assert env.state_key() == key
    assert env.admissible_actions() == sorted(env._level.words)


@original
@pytest.mark.parametrize("level", ["MazeWalk-9x9", "Corridor-R3", "Quest-Easy"])
def test_the_expert_finds_the_stairs(level):
    env, _ = start(level, 2)
    while not env.ended:
        text, reward, *_, info = env.step(env.expert_action())
    assert info["success"]
    assert reward == 1.0
    assert info["metrics"] == {"progression": 100.0}
    assert text.startswith("You have reached the goal.")


@original
def test_boulders_on_fountains_win(tmp_path):
    folder = tmp_path / "hard"
    folder.mkdir()
    (folder / "000.txt").write_text(HARD)
    env, text = start("Boxoban-Hard", 1, levels=["Boxoban-Hard"], boxoban=str(tmp_path))
    assert "four fountains" in text
    assert text.count("- boulder: ") == text.count("- fountain: ") == 4
    for row in range(4):  # each boulder stands two places west of its fountain
        for word in ("east", "east"):
            assert env.step(word)[1] == pytest.approx(-0.001)
        text, reward, terminated, _, info = env.step("east")
        if row < 3:
            assert reward == pytest.approx(0.099)
            for word in ("west", "west", "west", "south"):
                env.step(word)
    assert (reward, terminated, info["success"]) == (1.0, True, True)
    with pytest.raises(ConfigError, match="needs boxoban"):
        make(levels=["Boxoban-Hard"])
    with pytest.raises(DataError, match="holds no puzzles"):
        start("Boxoban-Medium", boxoban=str(tmp_path))


@original
def test_unknown_levels_and_characters_are_refused():
    with pytest.raises(UnknownName, match="did you mean 'Corridor-R3'"):
        make(levels=["Corridor-3"])
    with pytest.raises(ConfigError, match="list of names"):
        make(levels="Corridor-R3")
    with pytest.raises(TaskError, match="unknown level"):
        start("Sokoban")
    with pytest.raises(ConfigError, match="character must be"):
        make("NetHack-v0", character="dragon")
    with pytest.raises(TaskError, match="character must be"):
        make("NetHack-v0").reset(options={"task": {"seed": 1, "character": ""}})
    with pytest.raises(ConfigError, match="view must be"):
        make("NetHack-v0", view="pixels")


@original
def test_menus_questions_and_lines_reach_the_player():
    env = make("NetHack-v0", character="val-hum-neu-fem")
    text, _ = env.reset(seed=0, options={"task": 0})
    assert "a: a +1 long sword (weapon in hand)" in text
    text = env.step("inventory")[0]
    assert "message:\nWeapons\na - a +1 long sword (weapon in hand)" in text
    text = env.step("esc")[0]
    assert text.startswith("message:\n(nothing)")
    assert "What do you want to write with?" in env.step("engrave")[0]
    assert "Do you want to add to the current" not in (text := env.step("-")[0])
    assert "You write in the dust with your fingertip.\nWhat do you want to write in the dust here?" in text
    assert "write in the dust here? Elbereth\n" in env.step("type Elbereth")[0]
    env.step("more")
    assert 'You read: "' in env.step("look")[0]


@original
def test_standing_still_ends_the_game():
    env = make("NetHack-v0")
    env.reset(seed=0, options={"task": 0})
    for _ in range(150):
        text, _, terminated, _, info = env.step("inventory" if env.turn % 2 else "esc")
    assert terminated
    assert not info["success"]
    assert "No time has passed in the game for 150 actions" in text


@original
def test_the_expert_goes_down_and_is_paid_by_the_score():
    env = make("NetHack-v0")
    env.reset(seed=3, options={"task": 3})
    paid = 0.0
    while not env.ended and env.turn < 400:
        _, reward, *_, info = env.step(env.expert_action())
        paid += reward
    assert env._metrics()["depth"] >= 3
    assert paid == env._metrics()["score"] > 0
    assert info["progress"] == pytest.approx(env._metrics()["progression"] / 100)


@original
@pytest.mark.parametrize("name", ["NetHack-v0", "MiniHack-v0"])
def test_forks_replay_exactly_and_do_not_foresee_the_dice(name):
    env = make(name, **({"levels": ["CorridorBattle"]} if name == "MiniHack-v0" else {}))
    env.reset(seed=4, options={"task": 4})
    for _ in range(12):
        env.step(env.expert_action())
    twin, others = env.fork(), [env.fork(reseed) for reseed in range(6)]
    assert twin.state_key() == env.state_key()
    assert (twin.game.glyphs == env.game.glyphs).all()
    actions = ["east", "west"] * 8
    futures = [tuple(world.step(action)[0] for action in actions) for world in (env, twin, *others)]
    assert futures[0] == futures[1]
    assert len(set(futures)) > 2


@original
def test_pictures_are_tiles():
    env, _ = start(render_mode="rgb_array")
    frame = env.render()
    assert (frame.shape, frame.dtype) == ((336, 1264, 3), np.uint8)
    assert frame.any()
    env.step("south")
    assert (env.render() != frame).any()


def test_cards_say_what_they_lack():
    for name in WORLDS:
        card = agentgym.catalog()[name]
        assert (card.extras, card.snapshot, card.oracle_success) == (("nethack",), "replay", 0.0)
