"""Rush Hour: slides and refusals, distances against plain search, the table, levels, options, pictures."""

from collections import deque

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.assets import rush_hour as assets
from agentgym.core import ConfigError, DataError, TaskError, UnknownName
from agentgym.envs.games._rush_hour import board, table
from agentgym.envs.games.rush_hour import _pools

CARD = agentgym.card("RushHour-v0")
YARD = {"rows": ["AAB...", "..B...", "XXB...", "....C.", "DDD.C.", "......"]}


def make(**kwargs):
    return gym.make("AgentGym/RushHour-v0", **kwargs).unwrapped


def play(env, actions, spec=YARD):
    env.reset(seed=0, options={"task": spec})
    return [env.step(action) for action in actions]


def fewest_slides(rows):
    """Breadth-first search over boards of signs, written the plain way."""
    first = tuple("".join(rows))
    seen, frontier = {first}, deque([(first, 0)])
    while frontier:
        signs, steps = frontier.popleft()
        if signs[16:18] == ("X", "X"):
            return steps
        for sign in sorted(set(signs) - {"."}):
            cells = [cell for cell in range(36) if signs[cell] == sign]
            across = cells[1] - cells[0] == 1
            for way in (-1, 1) if across else (-6, 6):
                now, here = signs, cells
                while True:
                    there = [cell + way for cell in here]
                    if any(not 0 <= cell < 36 or now[cell] not in (".", sign) for cell in there):
                        break
                    if across and any(cell // 6 != here[0] // 6 for cell in there):
                        break
                    moved = ["." if mark == sign else mark for mark in now]
                    for cell in there:
                        moved[cell] = sign
                    now, here = tuple(moved), there
                    if now not in seen:
                        seen.add(now)
                        frontier.append((now, steps + 1))
    return None


def test_the_table_holds_exact_distances():
    rows = [row for row in assets.load_boards() if row[1] < 9]
    for place in np.linspace(0, len(rows) - 1, 2).astype(int):
        _, moves, signs = rows[place]
        lines = tuple(signs[at : at + 6] for at in range(0, 36, 6))
        level = board.read(lines)
        assert board.away(level, level.places) == moves
        assert fewest_slides(lines) == moves


@pytest.mark.full
def test_all_distances_of_the_table_and_the_chains_it_came_from():
    rows = assets.load_boards()
    assert [(moves, signs) for chain, moves, signs in rows if chain == 0] == list(table.chain(0))
    for _, moves, signs in rows[::80]:
        level = board.read(tuple(signs[at : at + 6] for at in range(0, 36, 6)))
        assert board.away(level, level.places) == moves


def test_the_table_is_free_of_repeats_and_damage_is_noticed(monkeypatch):
    rows = assets.load_boards()
    assert len({signs for *_, signs in rows}) > 0.98 * len(rows)
    assert set(_pools().values()) == {0, 1, 2}
    monkeypatch.setattr(assets, "CHECKSUM", "0" * 64)
    with pytest.raises(DataError, match="reinstall agentgym-suite"):
        assets.load_boards.__wrapped__()


@pytest.mark.parametrize(
    ("level", "low", "high"), [("easy", 3, 6), ("medium", 7, 11), ("hard", 12, 17), ("expert", 18, 60)]
)
def test_levels_are_left_in_the_fewest_moves(level, low, high):
    env = make(level=level, split="val")
    for place in (0, -1):
        env.reset(options={"task": place})
        moves = len(env.reference())
        assert low <= moves <= high
        while not env.ended:
            *_, info = env.step(env.oracle_action())
        assert (info["success"], env.turn) == (True, moves)


def test_boards_of_train_are_not_those_of_val_and_test():
    homes = {signs: chain for chain, _, signs in assets.load_boards()}
    chains = {}
    for split in ("train", "val", "test"):
        env = make(split=split)
        tasks = [env.tasks(split)[place] for place in range(60)]
        chains[split] = {homes["".join(task.spec["rows"])] for task in tasks}
    assert not chains["train"] & (chains["val"] | chains["test"])
    assert not chains["val"] & chains["test"]
    assert len(chains["train"]) > 20


def test_slides_and_their_words():
    env = make()
    text, _ = env.reset(options={"task": YARD})
    assert text.endswith(
        "\nA A B . . .\n. . B . . .\nX X B . . . >\n. . . . C .\nD D D . C .\n. . . . . .\n" + env.grammar.line
    )
    for said in ("move C up 2", "slide c UP 2", "C up 2"):
        ((text, reward, terminated, _, info),) = play(env, [said])
        assert (
            text == "You move C up 2.\nA A B . . .\n. . B . C .\nX X B . C . >\n. . . . . .\nD D D . . .\n. . . . . ."
        )
        assert (reward, terminated, info["action_valid"]) == (0.0, False, True)
    assert play(env, ["C down"])[0][0].startswith("You move C down 1.\n")
    steps = play(env, ["C up 3", "D right 3", "B down 3", "X right 4"])
    assert [step[4]["action_valid"] for step in steps] == [True] * 4
    assert steps[-1][0] == (
        "You move X right 4. The red car is out.\nA A . . C .\n. . . . C .\n. . . . X X >\n. . B . . .\n"
        ". . B D D D\n. . B . . ."
    )


def test_the_way_out():
    env = make()
    env.reset(options={"task": YARD})
    assert len(env.reference()) == fewest_slides(YARD["rows"]) == 4
    while not env.ended:
        text, reward, _, _, info = env.step(env.oracle_action())
    assert (reward, info["success"]) == (1.0, True)
    assert " The red car is out.\n" in text


def test_what_cannot_slide_is_refused():
    for action, reason in (
        ("move Z up", "There is no vehicle 'Z'; there are X, A, B, C, D."),
        ("X up", "X cannot move up: it slides left and right only."),
        ("C left 1", "C cannot move left: it slides up and down only."),
        ("X right", "X cannot move right: B is in the way."),
        ("A left", "A cannot move left: the wall is in the way."),
        ("C up 4", "C cannot move up by 4, only by 3: the wall is in the way."),
        ("D right 2", "D cannot move right by 2, only by 1: C is in the way."),
    ):
        ((text, _, _, _, info),) = play(make(), [action])
        assert (info["action_valid"], info["error"]) == (False, reason)
        assert text.endswith("D D D . C .\n. . . . . .")


def test_sliding_back_and_forth_pays_nothing():
    env = make()
    env.reset(options={"task": YARD})
    total = 0.0
    while not env.ended:
        total += env.step(("C up 2", "C down 2")[env.turn % 2])[1]
    assert (total, env.turn) == (0.0, 150)


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        (["......", "......", "....XX", "......", "......", "......"], "at the exit already"),
        (["......", "......", "XX.AAA", "......", "......", "......"], "no way out"),
        (["......", "......", "......", "XX....", "......", "......"], "in row 3"),
        (["......", "......", "..A...", "......", "......", "......"], "straight line"),
        (["A.....", ".A....", "XX....", "......", "......", "......"], "straight line"),
        ([".....A", "A.....", "XX....", "......", "......", "......"], "straight line"),
        (["AAAA..", "......", "XX....", "......", "......", "......"], "straight line"),
        (["aa....", "......", "XX....", "......", "......", "......"], "capital letters"),
    ],
)
def test_yards_that_cannot_be_played_are_refused(rows, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": {"rows": rows}})


@pytest.mark.parametrize("wrong", [{"fewest": 2}, {"most": 61}, {"most": 5}, {"fewest": True}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError, match=f"({'|'.join(wrong)}) must be"):
        make(**wrong)
    with pytest.raises(ConfigError, match="widen the bounds"):
        make(fewest=58, most=60)
    with pytest.raises(UnknownName, match="expert"):
        make(level="exprt")


def test_pictures_show_a_slide():
    env = make(render_mode="rgb_array")
    env.reset(options={"task": YARD})
    before = env.render()
    assert (before.shape, before.dtype) == ((384, 384, 3), np.uint8)
    env.step("C up 2")
    changed = np.argwhere((before != env.render()).any(axis=2))
    assert 5 * 48 <= changed[:, 1].min() <= changed[:, 1].max() < 6 * 48
    assert changed[:, 0].max() < 6 * 48
