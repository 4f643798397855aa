"""2048: sliding against a plain version, the dice, text, rewards, ends, the player, options."""

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs.games._game_2048.board import NAMES, packed, slides, tiles, transposed

CARD = agentgym.card("Game2048-v0")
PLAIN = [[2, 0, 0, 2], [4, 4, 0, 0], [0, 0, 0, 0], [2, 2, 2, 2]]


def make(**kwargs):
    return gym.make("AgentGym/Game2048-v0", **kwargs).unwrapped


def begin(env, board, target=2048):
    return env.reset(seed=0, options={"task": {"board": board, "target": target}})


def unpacked(board):
    return [list(tiles(board >> shift & 65535)) for shift in (48, 32, 16, 0)]


def slide_plainly(board, name):
    """The rules, written with lists."""

    def left(row):
        full = [tile for tile in row if tile]
        merged, score = [], 0
        while full:
            tile = full.pop(0)
            if full and full[0] == tile:
                tile += full.pop(0)
                score += tile
            merged.append(tile)
        return merged + [0] * (4 - len(merged)), score

    lines = [list(line) for line in zip(*board, strict=True)] if name in ("up", "down") else board
    if name in ("right", "down"):
        done = [left(line[::-1]) for line in lines]
        lines = [line[::-1] for line, _ in done]
    else:
        done = [left(line) for line in lines]
        lines = [line for line, _ in done]
    if name in ("up", "down"):
        lines = [list(line) for line in zip(*lines, strict=True)]
    return lines, sum(score for _, score in done)


def test_slides_follow_the_rules():
    rng = np.random.default_rng(1)
    for _ in range(400):
        board = [[int(2**power) if power else 0 for power in row] for row in rng.integers(0, 5, (4, 4))]
        assert unpacked(packed(board)) == board
        assert unpacked(transposed(packed(board))) == [list(column) for column in zip(*board, strict=True)]
        for name, (after, score) in zip(NAMES, slides(packed(board)), strict=True):
            assert (unpacked(after), score) == slide_plainly(board, name)


def test_the_published_text():
    env = make()
    text, _ = begin(env, [[2, 0, 0, 2], [0] * 4, [0] * 4, [0] * 4])
    assert (
        "\nCurrent 2048 Grid:\nRow 1: [2, 0, 0, 2]\nRow 2: [0, 0, 0, 0]\nRow 3: [0, 0, 0, 0]\nRow 4: [0, 0, 0, 0]\n"
        "Valid Actions: 1(Right), 2(Down), 3(Left).\nGoal: Merge same numbers to reach 2048.\nCurrent Score: 0\n"
        "What is your next move?\n"
    ) in text
    assert env.admissible_actions() == ["down", "left", "right"]
    text, *_ = env.step("3")
    assert "Row 1: [4, " in text
    assert "Current Score: 4" in text


def test_new_tiles_are_fours_one_time_in_ten_and_anywhere():
    env = make()
    fours, cells = 0, np.zeros((4, 4))
    for seed in range(3000):
        env.reset(seed=seed, options={"task": {"board": [[2, 0, 0, 2], [0] * 4, [0] * 4, [0] * 4], "target": 2048}})
        env.step("left")
        new = np.array(unpacked(env._state.board))
        assert new[0, 0] == 4
        new[0, 0] = 0
        assert np.count_nonzero(new) == 1
        fours += new.max() == 4
        cells += new > 0
    assert abs(fours / 3000 - 0.1) < 4 * (0.09 / 3000) ** 0.5
    assert cells[0, 0] == 0
    assert np.all(np.abs(np.delete(cells.ravel(), 0) - 200) < 4 * 200**0.5)


def test_rewards():
    env = make()
    begin(env, PLAIN)
    _, reward, _, _, info = env.step("left")
    assert reward == pytest.approx(0.1 * np.log2(1 + 4 + 8 + 4 + 4))
    assert info["events"] == [{"type": "merge", "sum": 20}]
    plain = make(reward="score")
    begin(plain, PLAIN)
    assert plain.step("left")[1] == 20.0
    for world, price in ((env, 0.0), (plain, -0.1)):
        begin(world, [[2, 4, 8, 16], [0] * 4, [0] * 4, [0] * 4])
        state = world._state.board
        _, reward, _, _, info = world.step("up")
        assert (reward, info["action_valid"], world._state.board) == (price, False, state)
        assert info["error"] == "The move up changes nothing; choose one of the valid actions."


def test_the_target_wins_and_a_full_board_loses():
    env = make()
    begin(env, [[64, 64, 0, 0], [0] * 4, [0] * 4, [0] * 4], target=128)
    text, _, terminated, _, info = env.step("left")
    assert (terminated, info["success"], info["progress"]) == (True, True, 1.0)
    assert text.startswith("You made the tile 128 and win.")
    lost = 0
    for seed in range(20):
        env.reset(
            seed=seed,
            options={"task": {"board": [[2, 4, 8, 16], [16, 8, 4, 2], [8, 4, 8, 16], [16, 2, 0, 8]], "target": 128}},
        )
        text, _, terminated, _, info = env.step("right")
        assert not info["success"]
        if terminated:
            lost += 1
            assert text.startswith("No move is left; the game is lost.")
            assert "Valid Actions: none." in text
    assert lost == 20


def test_the_oracle_sees_no_dice():
    env = make()
    env.reset(seed=3)
    choices = set()
    for reseed in range(5):
        choices.add(env.fork(reseed).oracle_action())
    assert len(choices) == 1


def test_both_players_take_a_winning_move_and_the_oracle_wins():
    env = make()
    begin(env, [[64, 64, 0, 0], [2, 2, 0, 0], [4, 8, 4, 0], [2, 16, 2, 4]], target=128)
    assert env.oracle_action() == env.expert_action() == "right"
    env = make(level="easy", split="val")
    for place in range(4):
        env.reset(seed=place, options={"task": place})
        while not env.ended:
            *_, info = env.step(env.oracle_action())
        assert info["success"]
        assert env.turn < 128


def test_the_card_states_that_a_fixed_round_of_moves_beats_chance():
    for split in ("val", "test"):
        scores = CARD.scores[split]
        assert scores["random"].success < scores["spam"].success < scores["expert"].success <= scores["oracle"].success
        assert scores["oscillate"].success == 0.0
    assert CARD.oracle_success == CARD.scores["test"]["oracle"].success


@pytest.mark.parametrize(
    ("board", "wrong"),
    [
        ([[3, 0, 0, 0], [0] * 4, [0] * 4, [0] * 4], "power of two"),
        ([[2048, 0, 0, 0], [0] * 4, [0] * 4, [0] * 4], "below the target"),
        ([[-2, 0, 0, 0], [0] * 4, [0] * 4, [0] * 4], "power of two"),
        ([[0] * 4] * 4, "no move changes"),
        ([[2, 4, 2, 4], [4, 2, 4, 2]] * 2, "no move changes"),
        ([[0] * 4] * 3, "at least 4 items"),
    ],
)
def test_boards_that_cannot_be_played_are_refused(board, wrong):
    with pytest.raises(TaskError, match=wrong):
        begin(make(), board)


def test_options():
    for level, target in (("easy", 128), ("medium", 256), ("hard", 1024), ("original", 2048)):
        env = make(level=level)
        env.reset(seed=0)
        assert (env.task.spec["target"], env.max_turns) == (target, target)
    for wrong in ({"target": 100}, {"target": 8192}, {"target": True}, {"reward": "sum"}):
        with pytest.raises(ConfigError, match=f"{next(iter(wrong))} must be"):
            make(**wrong)
    with pytest.raises(UnknownName, match="original"):
        make(level="orignal")


def test_pictures_show_tiles():
    env = make(render_mode="rgb_array")
    begin(env, [[2, 4, 8, 1024], [0] * 4, [0] * 4, [0] * 4])
    frame = env.render()
    assert (frame.shape, frame.dtype) == ((192, 192, 3), np.uint8)
    assert len({frame[4, 48 * column + 4].tobytes() for column in range(4)}) == 4
