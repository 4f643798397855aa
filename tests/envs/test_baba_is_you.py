"""Rule-word puzzles: what each property does, levels proved by play, the search against plain search, views."""

import itertools
from collections import deque

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs.games import baba_is_you
from agentgym.envs.games._baba import families, levels, motion, solver, views
from agentgym.envs.games._baba.board import MOVES, read, rules

CARD = agentgym.card("BabaIsYou-v0")
PLAIN = ["BABA IS YOU . .", ". . . . .", "baba . . ball .", ". . . . .", "BALL IS WIN . ."]


def make(**kwargs):
    return gym.make("AgentGym/BabaIsYou-v0", **kwargs).unwrapped


def start(*rows, **kwargs):
    env = make(view="grid", **kwargs)
    env.reset(seed=0, options={"task": {"rows": list(rows)}})
    return env


def after(rows, moves):
    """The map after these moves, played on the engine alone: levels need not be winnable here."""
    board = read(tuple(rows))
    position = board.first
    steps = {**dict(zip(MOVES, board.steps, strict=True)), "idle": 0}
    for name in moves.split():
        position = motion.after(board, position, steps[name])
    return [" ".join(row.split()) for row in shown(board, position)], board, position


def shown(board, position):
    active = rules(board.texts, position[0], board.stride)
    return views.grid(board, active, position).split("\n")[1:]


def plain_search(rows, limit):
    """Breadth-first over single moves: the fewest moves, None if there are none, or -1 past the limit."""
    board = read(tuple(rows))
    seen, frontier = {board.first}, deque([(board.first, 0)])
    while frontier:
        if len(seen) > limit:
            return -1
        position, count = frontier.popleft()
        for step in board.steps:
            other = motion.after(board, position, step)
            active = rules(board.texts, other[0], board.stride)
            if motion.won(active, other):
                return count + 1
            if other not in seen and motion.alive(active, other):
                seen.add(other)
                frontier.append((other, count + 1))
    return None


# What rules do


def test_words_and_push_things_are_pushed_in_a_row_and_stop_things_stop():
    rows = ["BABA IS YOU ROCK IS PUSH", "WALL IS STOP . . .", "baba rock KEY . . wall", ". . . . . ."]
    assert after(rows, "right")[0][2] == ". baba rock KEY . wall"
    assert after(rows, "right right")[0][2] == ". . baba rock KEY wall"
    assert after(rows, "right right right")[0][2] == ". . baba rock KEY wall"
    assert after(rows, "down left")[0][3] == "baba . . . . ."


def test_a_rule_holds_while_its_words_stand_in_line_to_the_right_or_down():
    rows = ["BABA IS YOU . WALL", ". . . . IS", ". WALL IS . STOP", "baba . . wall .", ". . . . ."]
    _, board, position = after(rows, "")
    assert rules(board.texts, position[0], board.stride).active == (("baba", "you"), ("wall", "stop"))
    backwards = ["YOU IS BABA . .", "BABA IS YOU . .", "baba . . . ."]
    _, board, position = after(backwards, "")
    assert rules(board.texts, position[0], board.stride).active == (("baba", "you"),)
    broken = ["BABA IS YOU . .", ". WALL . . .", ". IS baba . .", ". STOP . . wall", ". . . . ."]
    _, board, position = after(broken, "left")
    assert rules(board.texts, position[0], board.stride).active == (("baba", "you"),)


def test_everything_that_is_you_goes_and_the_foremost_first():
    rows = ["BABA IS YOU . . .", "baba baba . WALL IS STOP", ". . . wall . .", "baba . baba wall . ."]
    assert after(rows, "right")[0][1:] == [". baba baba WALL IS STOP", ". . . wall . .", ". baba baba wall . ."]
    assert after(rows, "right right")[0][3] == ". . baba+baba wall . ."


def test_what_sinks_takes_one_other_with_it():
    rows = ["BABA IS YOU . . .", "WATER IS SINK . . .", "ROCK IS PUSH . . .", "baba rock water . ball ."]
    assert after(rows, "right")[0][3] == ". baba . . ball ."
    assert after(["BABA IS YOU", "WATER IS SINK", "baba water ."], "right")[0][2] == ". . ."
    assert after(["BABA IS YOU .", "WATER IS SINK .", "baba KEY water ."], "right")[0][2] == ". baba . ."


def test_hot_melts_and_defeat_defeats():
    melt = ["BABA IS YOU BABA IS MELT", "LAVA IS HOT . . .", "baba lava . . . ."]
    assert after(melt, "right")[0][2] == ". lava . . . ."
    assert after([melt[0], "LAVA HOT IS . . .", melt[2]], "right")[0][2] == ". baba+lava . . . ."
    defeat = ["BABA IS YOU", "SKULL IS DEFEAT", "baba skull ball"]
    assert after(defeat, "right")[0][2] == ". skull ball"
    both = ["BABA IS YOU .", "BABA IS . DEFEAT", "baba . . ."]
    assert after(both, "right")[0][2] == ". baba . ."
    assert after(["BABA IS YOU .", ". baba . .", "BABA . IS DEFEAT", ". . . ."], "left")[0][1] == "baba . . ."


def test_a_noun_that_is_a_noun_turns_unless_it_is_itself():
    rows = ["BABA IS YOU .", "ROCK IS FLAG baba", ". rock rock ."]
    assert after(rows, "down")[0][2] == ". flag flag baba"
    kept = ["BABA IS YOU ROCK", ". baba . IS", "ROCK IS FLAG ROCK", ". rock . ."]
    assert after(kept, "left")[0][3] == ". rock . ."
    swap = ["BABA IS YOU . .", "ROCK IS FLAG . .", "FLAG IS ROCK . .", "rock flag . . baba"]
    assert after(swap, "left")[0][3] == "flag rock . baba ."
    assert after(swap, "left idle")[0][3] == "rock flag . baba ."


# The world


def test_winning_pays_one_and_ends():
    env = start(*PLAIN)
    steps = [env.step("right") for _ in range(3)]
    assert [step[1] for step in steps] == [0.0, 0.0, 1.0]
    text, _, terminated, truncated, info = steps[-1]
    assert text.startswith("You win.\nActive rules:\nbaba is you\nball is win\n\nMap:\n")
    assert (terminated, truncated, info["success"], info["progress"]) == (True, False, True, 1.0)


def test_what_is_you_and_win_has_won():
    rows = ["BABA IS YOU . .", ". . . . .", "BABA IS . WIN baba", ". . . . .", ". . . . ."]
    env = start(*rows)
    text, reward, terminated, _, info = env.step("left")
    assert (reward, terminated, info["success"]) == (1.0, True, True)
    assert info["events"] == [{"type": "rule", "rule": "baba is win", "holds": True}]
    assert "baba is win: this rule holds now.\nYou win.\n" in text


def test_when_nothing_is_you_the_level_is_lost():
    rows = [". . . baba .", "BABA IS YOU . .", ". . ball . .", "BALL IS WIN . .", ". . . . ."]
    env = start(*rows)
    env.step("left")
    text, reward, terminated, _, info = env.step("down")
    assert (reward, terminated, info["success"]) == (0.0, True, False)
    assert text.startswith("baba is you: this rule holds no more.\nNothing is you any more. You lose.\n")


def test_the_view_of_balrog():
    env = make()
    text, _ = env.reset(options={"task": {"rows": PLAIN}})
    assert (
        "\n\nActive rules:\nbaba is you\nball is win\n\nYou are baba in column 1 of 5, row 3 of 5.\n"
        "Objects on the map:\nrule `baba` 2 steps up\nrule `is` 1 step to the right and 2 steps up\n"
        "rule `you` 2 steps to the right and 2 steps up\nball 3 steps to the right\nrule `ball` 2 steps down\n"
    ) in text
    assert env.step("left")[0].startswith("Nothing moves.\nActive rules:")
    assert env.step("move right")[0].startswith("Active rules:")
    assert env.step("wait")[0].startswith("Active rules:")


def test_progress_counts_the_rules_of_the_plan():
    env = make()
    env.reset(options={"task": levels.make(3, ("two_room-break_stop-make_win",), 0)})
    assert env.task_kind == "two_room-break_stop-make_win"
    assert env.task.spec["goals"][0].startswith("not ")
    seen = []
    while not env.ended:
        seen.append(env.step(env.oracle_action())[4]["progress"])
    assert set(seen) >= {0.0, 1 / 3, 1.0}
    assert seen == sorted(seen)


# Levels and search


@pytest.mark.parametrize("level", ["easy", "medium", "hard", "expert"])
def test_levels_are_won_by_the_search_within_the_turns(level):
    env = make(level=level)
    options = baba_is_you.LEVELS[level]
    for seed in range(6):
        _, info = env.reset(options={"task": levels.make(seed, options["families"], options["bends"])})
        while not env.ended:
            *_, info = env.step(env.oracle_action())
        assert info["success"], (level, seed)


@pytest.mark.full
@pytest.mark.parametrize("name", families.ALL)
def test_every_family_is_won_by_the_search(name):
    for bends in (0, 1):
        for seed in range(8):
            board = read(tuple(levels.make(seed, (name,), bends)["rows"]))
            assert solver.solve(board, board.first) is not None, (name, bends, seed)


def test_the_families_of_balrog_are_forty_and_a_name_says_what_a_level_needs():
    assert (len(families.BALROG), len(set(families.ALL))) == (40, 62)
    for name in families.ALL:
        spec = levels.make(7, (name,), 0)
        text = " ".join(spec["rows"])
        board = read(tuple(spec["rows"]))
        held = [" is ".join(rule) for rule in rules(board.texts, board.first[0], board.stride).active]
        stops = "two_room" in name and not any(what in name for what in ("defeat", "hot", "sink"))
        assert ("wall" in text.split()) == stops
        made = "make_win" in name or "wall_win" in name
        assert any(rule.endswith(" win") for rule in held) == (not made or "distr_win" in name)
        for goal in spec["goals"]:
            assert (goal.removeprefix("not ") in held) == goal.startswith("not ")


def test_the_search_finds_a_way_exactly_where_plain_search_does():
    rng = np.random.default_rng(5)
    lengths = [_compare(rng, 4, 4) for _ in range(30)] + [_compare(rng, 5, 4) for _ in range(10)]
    won = [pair for pair in lengths if pair]
    assert len(won) >= 15
    assert len(won) < len(lengths)
    assert sum(ours for ours, _ in won) <= 1.1 * sum(fewest for _, fewest in won)


def _compare(rng, width, height):
    """The lengths that the search and plain search find on a random map; empty if it cannot be won."""
    cells = ["BABA", "IS", "YOU", *["."] * (width * height - 3)]
    middle = [place for place in range(width, len(cells) - width) if 0 < place % width < width - 1]
    words = [middle[index] for index in rng.permutation(len(middle))[:2]]
    rest = [place for place in range(3, len(cells)) if place not in words]
    places = words + [rest[index] for index in rng.permutation(len(rest))[:3]]
    for name, place in zip(("IS", "WIN", "BALL", "baba", "ball"), places, strict=True):
        cells[place] = name
    rows = [" ".join(cells[start : start + width]) for start in range(0, len(cells), width)]
    board = read(tuple(rows))
    fewest, moves = plain_search(rows, 8000), solver.solve(board, board.first)
    if fewest is None:
        assert moves is None, rows
        return ()
    assert moves is not None, rows
    assert motion.won(*_end(board, moves))
    assert fewest < 0 or len(moves) >= fewest
    return (len(moves), fewest) if fewest > 0 else (1, 1)


def _end(board, moves):
    position = board.first
    for name in moves:
        position = motion.after(board, position, dict(zip(MOVES, board.steps, strict=True)).get(name, 0))
    return rules(board.texts, position[0], board.stride), position


def test_neither_walking_in_circles_nor_standing_still_nor_noise_pays():
    for act in (lambda turn: "right", lambda turn: MOVES[turn % 4], lambda turn: "idle", lambda turn: "win"):
        env = make()
        total, wins = 0.0, 0
        for seed in range(5):
            env.reset(options={"task": levels.make(seed, ("two_room-break_stop-make_win",), 0)})
            for turn in range(100):
                _, reward, terminated, truncated, info = env.step(act(turn))
                total += reward
            wins += info["success"]
            assert terminated or truncated
        assert (total, wins) == (0.0, 0)


# Bad input


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["BABA IS YOU", "baba ."], "equally many cells"),
        (["BABA IS YOU", "baba dog ."], "'dog' is no word"),
        (["BABA IS YOU", "baba is ."], "'is' is no word"),
        (["BABA IS YOU", "baba+KEY . ."], "a word lies alone"),
        (["BABA IS YOU", ". . ."], "something is YOU"),
        (["BABA IS YOU", "BABA IS WIN", "baba . ."], "not won yet"),
        (["BABA IS YOU", "baba . ball"], "no way to win"),
    ],
)
def test_maps_that_are_none_are_refused_in_one_line(rows, said):
    env = make()
    with pytest.raises(TaskError, match=said) as caught:
        env.reset(options={"task": {"rows": rows}})
    assert "\n" not in str(caught.value)
    with pytest.raises(TaskError, match="a goal is a rule"):
        env.reset(options={"task": {"rows": PLAIN, "goals": ["win quickly"]}})


def test_bad_options_are_refused():
    with pytest.raises(UnknownName, match="make_win"):
        make(families="make_wim")
    with pytest.raises(ConfigError, match="one family at least"):
        make(families=())
    with pytest.raises(ConfigError, match="bends must be"):
        make(bends=2)
    with pytest.raises(ConfigError, match="view must be"):
        make(view="map")
    with pytest.raises(UnknownName):
        make(level="insane")


def test_pictures_show_the_map():
    env = make(render_mode="rgb_array")
    env.reset(options={"task": {"rows": PLAIN}})
    first = env.render()
    assert (first.shape, first.dtype) == ((240, 240, 3), np.uint8)
    env.step("right")
    assert (first != env.render()).any()
    every = [
        "BABA BALL DOOR FLAG KEY",
        "LAVA ROCK SKULL STAR TREE",
        "WALL WATER IS YOU WIN",
        "STOP PUSH DEFEAT SINK HOT",
    ]
    every += ["MELT baba ball door flag", "key lava rock skull star", "tree wall water BABA IS"]
    board = read(tuple(every))
    from agentgym.envs.games._baba import picture

    frame = picture.picture(board, rules(board.texts, board.first[0], board.stride), board.first)
    tiles = {frame[r : r + 48, c : c + 48].tobytes() for r in range(0, 336, 48) for c in range(0, 240, 48)}
    assert len(tiles) == 33  # BABA and IS are shown twice


@pytest.mark.full
def test_ways_to_win_get_longer_from_level_to_level():
    means = []
    for level in baba_is_you.LEVELS:
        env, moves = make(level=level, split="train"), 0
        for place in range(30):
            env.reset(seed=place)
            while not env.ended:
                *_, info = env.step(env.oracle_action())
                moves += 1
            assert info["success"]
        means.append(moves / 30)
    assert all(harder > 1.1 * easier for easier, harder in itertools.pairwise(means)), means
