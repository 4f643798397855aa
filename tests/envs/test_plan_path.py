"""Plan-Path: the walker goes what both plan, each player sees its half, and talk opens the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError

ROWS = ["S..#", "...#", ".#..", "...G"]
ONE, TWO = "player_0", "player_1"


def game(rows: list[str] | None = None, sight: str = "halves", **options: Any) -> Any:
    world = agentgym.make("PlanPath-v0", **options)
    world.reset(seed=0, options={"task": {"rows": rows or ROWS, "sight": sight}})
    return world


def test_the_walker_goes_the_moves_with_which_both_plans_begin() -> None:
    world = game()
    texts, rewards, *_, infos = world.step({ONE: "plan DDR", TWO: "[down, down, down]"})
    assert "The walker goes DD." in texts[ONE]["text"]
    assert rewards == {ONE: pytest.approx(2 / 6), TWO: pytest.approx(2 / 6)}
    assert infos[ONE]["metrics"]["agreed"] == pytest.approx(2 / 3)
    *_, infos = world.step({ONE: "plan DRRR", TWO: "path drrr"})
    assert infos[ONE]["success"]
    assert infos[TWO]["success"]
    assert world.agents == []


def test_walls_and_the_edge_stop_the_walker_and_become_known_to_both() -> None:
    world = game()
    texts, *_ = world.step({ONE: "plan RRRD", TWO: "plan RRRD"})
    for player in (ONE, TWO):
        assert "The walker goes RR and stops before a wall on R." in texts[player]["text"]
    assert texts[ONE]["text"].splitlines()[-5:-1] == [". . @ #", ". . ? ?", ". # ? ?", ". . ? G"]
    texts, *_ = world.step({ONE: "plan U", TWO: "plan U"})
    assert "stops before the edge on U" in texts[ONE]["text"]


def test_each_player_sees_its_half_and_nobody_who_watches_sees_more_than_both() -> None:
    world = game(render_mode="ansi")
    assert ". # ? ?" in world.observe(ONE)["text"]
    assert "? ? . #" in world.observe(TWO)["text"]
    assert "#" not in world.render()
    whole = game(sight="whole")
    assert whole.observe(ONE)["text"].splitlines()[-5:-1] == ["@ . . #", ". . . #", ". # . .", ". . . G"]
    assert whole.max_turns == 4


def test_what_is_refused_counts_as_waiting() -> None:
    world = game()
    for text in ("plan X", "plan " + "U" * 101, "", "plan U D 3"):
        texts, *_, infos = world.step({ONE: text, TWO: "plan D"})
        assert not infos[ONE]["action_valid"]
        assert "'wait' counts as your action" in texts[ONE]["text"]
        assert "player_0 plans no move." in texts[TWO]["text"]


def test_talk_is_quoted_and_charged_to_the_speaker() -> None:
    world = game()
    texts, *_, infos = world.step({ONE: "plan D say * The walker is at the goal.", TWO: "wait"})
    assert '> player_0: "* The walker is at the goal."' in texts[TWO]["text"]
    assert infos[ONE]["costs"]["words"] == 7
    assert infos[TWO]["costs"]["words"] == 0


def returns(level: str, sight: str = "halves", count: int = 30) -> float:
    world = agentgym.make("PlanPath-v0", split="test", sight=sight)
    total = 0.0
    for place in range(count):
        world.reset(seed=place, options={"task": place})
        rng = np.random.default_rng(place)
        while world.agents:
            acts = {player: world.opponent_action(player, level, rng) for player in world.agents}
            total += world.step(acts)[1][ONE]
    return total / count


def test_telling_and_agreeing_beats_planning_alone() -> None:
    alone, strong = returns("simple"), returns("strong")
    assert strong == pytest.approx(1.0)
    assert alone < 0.9
    assert returns("strong", "whole") == pytest.approx(1.0)


def test_beside_a_player_that_tells_nothing_the_strong_one_follows() -> None:
    world = agentgym.make("PlanPath-v0", split="test")
    got = 0.0
    for place in range(30):
        world.reset(seed=place, options={"task": place})
        while world.agents:
            mute = world.oracle_action(ONE)
            got += world.step({ONE: mute, TWO: world.expert_action(TWO)})[1][TWO]
    assert got / 30 > 0.9


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [(["S..", "...", "..G"], "rows"), (["S#.G", "##..", "....", "...."], "no way"), (["S.GG"] + ["...."] * 3, "one G")],
)
def test_maps_that_cannot_be_played_are_refused(rows: list[str], wrong: str) -> None:
    with pytest.raises(TaskError, match=wrong):
        game(rows)


@pytest.mark.parametrize("option", [{"size": 3}, {"size": True}, {"walls": 0.5}, {"sight": "none"}])
def test_options_outside_their_range_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        agentgym.make("PlanPath-v0", **option)


def test_the_picture_shows_what_all_may_see() -> None:
    world = game(render_mode="rgb_array")
    picture = world.render()
    assert picture.shape == (4 * 32, 4 * 32, 3)
    assert tuple(picture[16, 3 * 32 + 16]) == (170, 170, 185)
