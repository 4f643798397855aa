"""ColorGrid: moves and blocks, what the follower must not know, switches, and players who infer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError

ONE, TWO = "player_0", "player_1"
ROWS = ["......", "......", "LR..BF", "......", "......", "G....."]


def game(rows: list[str] | None = None, goal: str = "red", disjoint: bool = False, **options: Any) -> Any:
    world = agentgym.make("ColorGrid-v0", **{"nonstationary": False, **options})
    world.reset(seed=0, options={"task": {"rows": rows or ROWS, "goal": goal, "disjoint": disjoint}})
    return world


def test_blocks_count_for_both_and_come_back_elsewhere() -> None:
    world = game()
    texts, rewards, *_, infos = world.step({ONE: "right", TWO: "up"})
    assert rewards == {ONE: 1.0, TWO: 1.0}
    assert (infos[ONE]["metrics"]["own"], infos[TWO]["metrics"]["own"]) == (1.0, 0.0)
    assert "The leader takes a red block." in texts[TWO]["text"]
    assert world._state.board.count("R") == 1
    assert world._state.board[3 * 6 + 1] == "." or world._state.blocks[0] == [3 * 6 + 1]
    _, rewards, *_ = world.step({ONE: "up", TWO: "down"})
    _, rewards, *_, infos = world.step({ONE: "up", TWO: "left"})
    assert rewards == {ONE: -1.0, TWO: -1.0}
    assert infos[TWO]["events"] == [{"type": "take", "seat": TWO, "colour": "blue"}]


def test_points_may_be_paid_apart_and_wrong_blocks_be_free() -> None:
    """The leader takes the red block, which counts, then the follower the blue one, which does not."""
    cases: list[tuple[dict[str, Any], tuple[int, int], tuple[int, int]]] = [
        ({}, (1, 1), (-1, -1)),
        ({"sharing": False}, (1, 0), (0, -1)),
        ({"penalty": False}, (1, 1), (0, 0)),
        ({"sharing": False, "penalty": False}, (1, 0), (0, 0)),
    ]
    for options, first, second in cases:
        world = game(**options)
        _, rewards, *_ = world.step({ONE: "right", TWO: "up"})
        assert rewards == dict(zip((ONE, TWO), first, strict=True))
        world.step({ONE: "up", TWO: "down"})
        _, rewards, *_, infos = world.step({ONE: "up", TWO: "left"})
        assert rewards == dict(zip((ONE, TWO), second, strict=True))
        assert infos[TWO]["metrics"]["own"] == (0 if options.get("penalty") is False else -1)
        assert world._state.wrong == [0, 1], "it is counted as wrong all the same"
        assert ("the others -1" in world.grammar.manual) is world.config.penalty


def test_the_published_numbers() -> None:
    world = agentgym.make("ColorGrid-v0", split="test")
    world.reset(seed=0, options={"task": 0})
    assert [world._state.board.count(letter) for letter in "RBG"] == [34, 34, 34]
    assert (len(world._state.board), world.max_turns) == (32 * 32, 1000)


def test_edges_and_the_other_stop_a_move_and_the_leader_goes_first() -> None:
    world = game(["......", "......", "LF....", "..R...", "..B...", "..G..."])
    world.step({ONE: "right", TWO: "right"})
    assert world._state.places == [18, 20]
    world.step({ONE: "left", TWO: "up"})
    world.step({ONE: "left", TWO: "up"})
    world.step({ONE: "left", TWO: "up"})
    assert world._state.places == [18, 32]


def test_only_the_leader_reads_what_counts() -> None:
    world = game(goal="green")
    assert "Green counts." in world.observe(ONE)["text"]
    assert "counts." not in world.observe(TWO)["text"].split("steps.\n")[1]
    both = game(goal="green", told=True)
    assert "Green counts." in both.observe(TWO)["text"]


def test_the_goal_switches_at_the_published_rate_and_only_the_leader_hears_it() -> None:
    world = agentgym.make("ColorGrid-v0")
    switches = heard = steps = 0
    for seed in range(6):
        world.reset(seed=seed)
        goal = world._state.goal
        while world.agents:
            texts, *_ = world.step({ONE: "up", TWO: "up"})
            steps += 1
            switches += world._state.goal != goal
            goal = world._state.goal
            heard += "* Now" in texts[ONE]["text"]
            assert "* Now" not in texts[TWO]["text"]
    assert abs(switches / steps - 2 / 3 / 32) < 0.006
    assert heard == switches


def test_halves_are_kept_apart() -> None:
    world = agentgym.make("ColorGrid-v0", size=12, disjoint=True, horizon=300)
    rng = np.random.default_rng(0)
    for seed in range(3):
        world.reset(seed=seed)
        blocks = sorted(place % 12 > 6 for color in world._state.blocks for place in color)
        while world.agents:
            assert world._state.places[0] % 12 <= 6 < world._state.places[1] % 12
            world.step({player: world.opponent_action(player, "strong", rng) for player in world.agents})
        assert blocks == sorted(place % 12 > 6 for color in world._state.blocks for place in color)


def points(level: str, follower: str = "", **options: Any) -> float:
    world = agentgym.make("ColorGrid-v0", horizon=300, **options)
    total, rng = 0.0, np.random.default_rng(0)
    for seed in range(4):
        world.reset(seed=seed)
        while world.agents:
            held = {ONE: level, TWO: follower or level}
            total += world.step({player: world.opponent_action(player, held[player], rng) for player in held})[1][ONE]
    return total / 4


def test_who_infers_gains_and_knowing_gains_little_more() -> None:
    strong, simple = points("strong"), points("simple")
    assert strong > points("strong", "simple") + 20
    assert strong > simple + 20 > points("random") + 40
    assert points("strong", told=True) > strong - 10


def test_the_end_says_how_it_went() -> None:
    world = agentgym.make("ColorGrid-v0", horizon=200)
    world.reset(seed=1)
    while world.agents:
        *_, ends, cuts, infos = world.step({player: world.expert_action(player) for player in world.agents})
    assert all(ends.values())
    assert not any(cuts.values())
    told = infos[TWO]["metrics"]
    assert told["taken"] > told["wrong"]
    assert told["adapting"] > 0
    assert infos[ONE]["success"] is infos[TWO]["success"] is True


@pytest.mark.parametrize("option", [{"size": 5}, {"horizon": 0}, {"told": 1}, {"disjoint": "yes"}, {"sharing": 0}])
def test_options_outside_their_range_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        agentgym.make("ColorGrid-v0", **option)


def test_boards_that_do_not_fit_are_refused() -> None:
    for rows in (["......"] * 6, [*ROWS[:5], "G...."], [*ROWS[:5], "GGGGGx"], ["RRRRRR"] * 4 + ["LF.G.B"] * 2):
        with pytest.raises(TaskError):
            game(rows)
    with pytest.raises(TaskError, match="disjoint"):
        game([*ROWS[:2], "FR..BL", *ROWS[3:]], disjoint=True)
