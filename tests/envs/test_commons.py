"""Commons: harvests and lots, growth and collapse, talk, what stays private, and what is measured."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError
from agentgym.envs.multiagent._commons import LEAST, SCENARIOS, divided, efficiency, equality, grown, most

PLAYERS = [f"player_{place}" for place in range(5)]


def game(scenario: str = "fishery", stock: int = 100, growth: int = 100, **options: Any) -> Any:
    world = agentgym.make("Commons-v1", **options)
    world.reset(seed=0, options={"task": {"scenario": scenario, "stock": stock, "growth": growth, "lots": 7}})
    return world


def harvest(world: Any, *amounts: int | str) -> Any:
    """One harvest and, if the game goes on, silence in the talk after it."""
    answer = world.step({player: f"harvest {amount}" for player, amount in zip(PLAYERS, amounts, strict=True)})
    while world.agents and world._state.talks:
        world.step(dict.fromkeys(PLAYERS, "pass"))
    return answer


def test_what_is_left_doubles_up_to_the_cap() -> None:
    world = game()
    _, rewards, *_ = harvest(world, 10, 20, 0, 30, 4)
    assert list(rewards.values()) == [10, 20, 0, 30, 4]
    assert (world._state.stock, world._state.month) == (72, 2)
    harvest(world, 1, 1, 1, 1, 1)
    assert world._state.stock == 100


def test_what_is_left_grows_as_the_task_says() -> None:
    world = game(growth=50)
    assert "What is left grows by 50 % until the next month, up to 100." in world.observe(PLAYERS[0])["text"]
    harvest(world, 10, 10, 10, 10, 9)
    assert world._state.stock == 51 * 3 // 2
    assert "what is left doubles" in game().observe(PLAYERS[0])["text"].replace("What", "what")
    published = agentgym.make("Commons-v1", vary=False).tasks("train")[3].spec
    assert (published["stock"], published["growth"]) == (100, 100)


@pytest.mark.parametrize(("stock", "growth"), [(60, 25), (80, 60), (100, 100), (75, 300)])
def test_the_greatest_total_is_that_of_the_best_plan(stock: int, growth: int) -> None:
    """Against a search over all amounts that can be left each month."""
    best = dict.fromkeys(range(101), 0)
    for month in range(6, 0, -1):
        values = {}
        for held in range(101):
            ways = [held - left + (0 if month == 6 else best[grown(left, growth)]) for left in range(LEAST, held + 1)]
            values[held] = max(ways, default=0)
        best = values
    assert most(stock, growth, 6) >= best[stock] - 6, "whole numbers may cost a unit a month"
    assert most(stock, growth, 6) <= best[stock]


def test_no_amount_that_is_right_in_one_task_is_right_in_many() -> None:
    """A group that names one amount in every month, the best such amount included, ruins or wastes most commons."""
    tasks = [agentgym.make("Commons-v1", split="test").tasks("test")[place].spec for place in range(100)]
    assert len({(spec["stock"], spec["growth"]) for spec in tasks}) > 90
    won = {}
    for amount in range(1, 90):
        wins = 0
        for spec in tasks:
            stock, total = spec["stock"], 0
            for month in range(12):
                take = min(stock, stock - LEAST if month == 11 else amount)  # and all that may be had in the last
                total, stock = total + take, stock - take
                if stock < LEAST:
                    break
                stock = grown(stock, spec["growth"])
            wins += stock >= LEAST and total >= 0.85 * most(spec["stock"], spec["growth"], 12)
        won[amount] = wins / len(tasks)
    assert 0.05 < max(won.values()) <= agentgym.card("Commons-v1").shortcut_bound


def test_less_than_five_left_is_the_end() -> None:
    world = game()
    harvest(world, 19, 19, 19, 19, 19)
    assert world._state.stock == 10
    _, rewards, ends, _, infos = harvest(world, 2, 2, 2, 0, 0)
    assert all(ends.values())
    assert not infos[PLAYERS[0]]["success"]
    told = infos[PLAYERS[0]]["metrics"]
    assert told["survived"] == 1
    assert told["gain"] == 21
    assert told["efficiency"] == pytest.approx(101 / 600)
    assert told["overuse"] == pytest.approx(8 / 10)
    assert rewards[PLAYERS[4]] == 0


def test_too_many_wishes_are_met_by_lot_or_in_proportion() -> None:
    rng = np.random.default_rng(0)
    assert divided([5, 0, 3], 8, True, rng) == [5, 0, 3]
    rounds = np.array([divided([100, 90, 2], 100, True, rng) for _ in range(200)])
    assert (rounds.sum(axis=1) == 100).all()
    assert (rounds[:, 2] == 2).all()
    assert abs(rounds[:, 0].mean() - rounds[:, 1].mean()) < 3
    shares = np.array([divided([100, 50, 3], 100, False, rng) for _ in range(50)])
    assert (shares.sum(axis=1) == 100).all()
    assert (shares >= [65, 32, 1]).all()
    assert (shares <= [67, 34, 3]).all()


def test_the_lots_are_part_of_the_task() -> None:
    first, second, other = game(), game(), agentgym.make("Commons-v1")
    other.reset(seed=0, options={"task": {"scenario": "fishery", "stock": 100, "growth": 100, "lots": 8}})
    caught = [list(harvest(world, 100, 100, 100, 100, 100)[1].values()) for world in (first, second, other)]
    assert caught[0] == caught[1] != caught[2]


def test_wishes_are_private_and_catches_are_not() -> None:
    texts, *_ = harvest(game(), 97, 0, 0, 0, 1)
    assert "You wanted to catch 97 tons of fish, and caught 97 tons." in texts[PLAYERS[0]]["text"]
    world = game()
    texts, *_ = harvest(world, 93, 91, 0, 0, 0)
    assert "93" not in texts[PLAYERS[1]]["text"]
    assert "harvests are player_0 " in texts[PLAYERS[2]]["text"]


def test_talk_follows_the_harvest_and_nothing_else_is_taken_in_either() -> None:
    world = game()
    texts, *_, infos = world.step(
        {**dict.fromkeys(PLAYERS, "harvest 5"), PLAYERS[1]: "say hello", PLAYERS[2]: "harvest 101"}
    )
    assert "harvest <amount>" in infos[PLAYERS[1]]["error"]
    assert "0 to 100" in infos[PLAYERS[2]]["error"]
    assert world._state.gains == [5, 0, 0, 5, 5]
    texts, *_, infos = world.step(
        {**dict.fromkeys(PLAYERS, "pass"), PLAYERS[3]: "say no more than 10!", PLAYERS[4]: "5"}
    )
    assert '> player_3: "no more than 10!"' in texts[PLAYERS[0]]["text"]
    assert not infos[PLAYERS[4]]["action_valid"]
    assert infos[PLAYERS[3]]["costs"]["words"] == 4


def test_without_rounds_there_is_no_talk() -> None:
    world = game(rounds=0)
    world.step(dict.fromkeys(PLAYERS, "answer: 10 tons"))
    assert (world._state.month, world._state.talks, world.max_turns) == (2, 0, 12)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_scenario_tells_its_stock_and_what_all_would_do(scenario: str) -> None:
    plain, told = game(scenario, 80), game(scenario, 80, universalize=True)
    words = SCENARIOS[scenario]
    assert words.before.format(80) in plain.observe(PLAYERS[0])["text"]
    assert "Given the current situation" not in plain.observe(PLAYERS[0])["text"]
    assert words.each.format(8) in told.observe(PLAYERS[0])["text"]


def test_measures() -> None:
    assert equality([10, 10, 10, 10, 10]) == 1
    assert equality([0, 0, 0, 0, 50]) == pytest.approx(0.2)
    assert equality([0, 0]) == 1
    assert efficiency([100, 100, 100, 100, 200], 12, 100, 100) == 1
    assert efficiency([60] * 5, 12, 100, 100) == pytest.approx(0.5)


def gains(level: str) -> tuple[int, bool]:
    world, rng = game(), np.random.default_rng(0)
    while world.agents:
        said = {
            player: world.opponent_action(player, level, rng) if level != "oracle" else world.oracle_action(player)
            for player in PLAYERS
        }
        *_, infos = world.step(said)
    return sum(world._state.gains), infos[PLAYERS[0]]["success"]


def test_restraint_pays_and_the_best_leaves_half() -> None:
    assert gains("random")[0] <= 120
    assert gains("simple")[0] > 120
    assert gains("strong") == (600, True)
    assert gains("oracle") == (11 * 50 + 95, True)


@pytest.mark.parametrize("count", [2, 3, 10])
def test_two_to_ten_share_alike(count: int) -> None:
    world = agentgym.make("Commons-v1", players=count, rounds=1)
    world.reset(seed=0, options={"task": {"scenario": "pasture", "stock": 100, "growth": 100, "lots": 7}})
    players, rng = world.possible_agents, np.random.default_rng(0)
    assert len(players) == count
    assert ("the others are" in world.observe(players[0])["text"]) == (count > 2)
    *_, infos = world.step({player: world.opponent_action(player, "simple", rng) for player in players})
    assert world._state.stock == 100 - count * (500 // (8 * count))
    world.reset(seed=0, options={"task": {"scenario": "pasture", "stock": 100, "growth": 100, "lots": 7}})
    while world.agents:
        *_, infos = world.step({player: world.oracle_action(player) for player in players})
    assert sum(world._state.gains) == 11 * 50 + 95
    assert all(infos[player]["success"] for player in players)


def test_to_take_nothing_is_no_success() -> None:
    world = game(months=2, rounds=0)
    harvest(world, 0, 0, 0, 0, 0)
    *_, infos = harvest(world, 0, 0, 0, 0, 0)
    assert infos[PLAYERS[0]]["metrics"]["survived"] == 2
    assert not infos[PLAYERS[0]]["success"]


@pytest.mark.parametrize(
    "option",
    [
        {"players": 1},
        {"players": 11},
        {"months": 1},
        {"rounds": 6},
        {"rounds": True},
        {"universalize": 1},
        {"allocation": "fair"},
    ],
)
def test_options_outside_their_range_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        agentgym.make("Commons-v1", **option)


def test_an_amount_may_be_said_with_its_unit() -> None:
    *_, infos = harvest(game(), "5 tons", "7 tons of fish", "1 unit", "30 fishes", "tons")
    assert [bool(infos[player]["error"]) for player in PLAYERS] == [False, False, False, True, True]
