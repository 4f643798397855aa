"""Overcooked: what hands and pots do, who may walk where, and cooks that get soups served."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError
from agentgym.envs.multiagent._overcooked.kitchen import LAYOUTS, kitchen

ONE, TWO = "player_0", "player_1"


def game(layout: str = "cramped_room", starts: tuple[int, int] | None = None, **options: Any) -> Any:
    world = agentgym.make("Overcooked-v0", **options)
    cells = starts or kitchen(layout).starts
    world.reset(seed=0, options={"task": {"layout": layout, "starts": list(cells)}})
    return world


def do(world: Any, one: str, two: str = "", times: int = 1) -> Any:
    """The last answer after words of both, as `ewn!.`: directions, interact, stay."""
    words = {"n": "north", "s": "south", "e": "east", "w": "west", "!": "interact", ".": "stay"}
    answer = None
    for place in range(max(len(one), len(two))):
        said = {ONE: one[place : place + 1] or ".", TWO: two[place : place + 1] or "."}
        answer = world.step({player: words[letter] for player, letter in said.items()})
    return answer


def test_the_kitchens_are_the_published_ones() -> None:
    assert list(LAYOUTS) == [
        "cramped_room", "asymmetric_advantages", "coordination_ring", "forced_coordination", "counter_circuit",
    ]  # fmt: skip
    rooms = {name: len({kitchen(name).rooms[cell] for cell in kitchen(name).floor}) for name in LAYOUTS}
    assert rooms == {name: 2 if name in ("asymmetric_advantages", "forced_coordination") else 1 for name in LAYOUTS}
    assert [len(kitchen(name).pots) for name in LAYOUTS] == [1, 2, 2, 2, 2]


def test_a_soup_from_onion_to_window() -> None:
    world = game(starts=(11, 8))
    shaped = 0.0
    for letter in "nw!en!w!en!w!en!":
        *_, infos = do(world, letter)
        shaped += infos[ONE]["metrics"]["shaped"]
    assert shaped == 9
    assert world._state.left == [19]
    assert "done in 19 steps" in world.observe(ONE)["text"]
    do(world, "!")  # empty hands at a cooking pot
    assert world._state.left == [18]
    assert world._state.held[0] == ""
    *_, infos = do(world, "sws!")
    assert world._state.held[0] == "dish"
    assert infos[ONE]["metrics"]["shaped"] == 3
    do(world, "en")
    do(world, "n!")
    assert world._state.held[0] == "dish"  # not done yet
    do(world, "." * 20)
    *_, infos = do(world, "!")
    assert world._state.held[0] == "soup 3"
    assert infos[ONE]["metrics"]["shaped"] == 5
    assert world._state.onions == [0]
    assert world._state.left == [-1]
    texts, rewards, *_, infos = do(world, "ses!")
    assert rewards == {ONE: 20.0, TWO: 20.0}
    assert infos[TWO]["metrics"]["soups"] == 1
    assert "player_0 serves a soup of 3 onions" in texts[TWO]["text"]
    assert infos[TWO]["events"] == [{"type": "serve", "seat": ONE, "onions": 3}]


def test_a_pot_waits_for_a_hand_where_it_must_and_small_soups_are_worth_nothing() -> None:
    world = game(starts=(11, 8), start="hand")
    do(world, "nw!en!")
    assert world._state.onions == [1]
    assert world._state.left == [-1]
    do(world, "!")
    assert world._state.left == [19]
    world._state.held[0], world._state.cells, world._state.faces[0] = "soup 1", [13, 6], 1
    _, rewards, *_ = do(world, "!")
    assert rewards[ONE] == 0.0
    assert world._state.soups == 0
    assert world._state.held[0] == ""


def test_neither_moves_into_the_other_or_through_it() -> None:
    world = game(starts=(6, 8))
    texts, *_ = do(world, "e", "w")  # one cell
    assert world._state.cells == [6, 8]
    assert world._state.faces == [2, 3]
    assert "in each other's way" in texts[ONE]["text"]
    world = game(starts=(6, 7))
    do(world, "e", "w")  # change of places
    assert world._state.cells == [6, 7]
    do(world, "e", "e")  # one leaves, the other follows
    assert world._state.cells == [7, 8]


def test_hands_come_before_feet_and_the_first_cook_first() -> None:
    world = game(starts=(6, 11))
    world._state.faces, world._state.held = [3, 3], ["", ""]
    world._state.counters = {10: "dish"}
    world._state.cells = [11, 11 + 1]
    do(world, "!", ".")
    assert world._state.held == ["dish", ""]
    assert not world._state.counters
    do(world, "!", ".")
    assert world._state.counters == {10: "dish"}
    assert world._state.held[0] == ""


def total(layout: str, level: str, horizon: int = 400, **options: Any) -> float:
    world = game(layout, horizon=horizon, **options)
    rng, points = np.random.default_rng(0), 0.0
    while world.agents:
        points += world.step({player: world.opponent_action(player, level, rng) for player in world.agents})[1][ONE]
    return points


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("start", ["auto", "hand"])
def test_skilled_cooks_serve_in_every_kitchen(layout: str, start: str) -> None:
    strong = total(layout, "strong", start=start)
    assert strong >= 160
    assert strong > total(layout, "simple", start=start)
    assert total(layout, "random", 100) <= 20


def test_a_game_ends_at_its_horizon_and_success_is_a_soup_in_fifty_steps() -> None:
    world = game(horizon=2)
    do(world, "!")
    _, _, ends, cuts, infos = do(world, "!")
    assert all(ends.values())
    assert not any(cuts.values())
    assert not infos[ONE]["success"]
    world = game(horizon=3)
    world._state.soups = 1
    *_, infos = do(world, "...")
    assert infos[ONE]["success"]
    assert infos[TWO]["success"]


@pytest.mark.parametrize("starts", [[6, 6], [0, 6], [6, 999]])
def test_cooks_start_on_floor(starts: list[int]) -> None:
    with pytest.raises(TaskError, match="two floor cells"):
        game("cramped_room", tuple(starts))
    with pytest.raises(TaskError, match="one in each room"):
        game("forced_coordination", (kitchen("forced_coordination").starts[0],) * 2)


@pytest.mark.parametrize("option", [{"horizon": 0}, {"horizon": True}, {"start": "never"}])
def test_options_outside_their_range_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        agentgym.make("Overcooked-v0", **option)


def test_the_picture_and_the_text_show_the_kitchen() -> None:
    world = game(render_mode="rgb_array")
    assert world.render().shape == (4 * 32, 5 * 32, 3)
    text = world.observe(TWO)["text"]
    assert "XXPXX\nO..2O\nX1..X\nXDXSX" in text
    assert text.index("You: row 2, column 4") < text.index("player_0: row 3, column 2")
