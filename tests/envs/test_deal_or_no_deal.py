"""Deal or No Deal: the exact solution by hand, secrets that stay secret, and offers that cannot be had both ways."""

from __future__ import annotations

import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError
from agentgym.envs.multiagent._deal import POOL, WORTH, believed, compatible, dominated, rest, solve, worth
from tests.envs.games import played

TASK = {"pool": [1, 2, 3], "values": [[8, 1, 0], [4, 0, 2]]}  # OpenSpiel's first instance of bargaining


def table(**kwargs: object) -> object:
    game = agentgym.make("DealOrNoDeal-v0", **kwargs)
    game.reset(seed=0, options={"task": TASK})
    return game


def test_the_exact_solution_of_a_known_pool() -> None:
    solved = solve((1, 2, 3), (8, 1, 0), (4, 0, 2))
    assert solved.fair == (10, 6)
    assert solved.joint == 16
    assert dominated((1, 2, 3), (8, 1, 0), (4, 0, 2), (1, 0, 0))
    assert not dominated((1, 2, 3), (8, 1, 0), (4, 0, 2), (1, 2, 0))


def test_a_deal_pays_what_it_says_and_succeeds_where_it_is_fair() -> None:
    game = table()
    game.step("say I have no use for the balls.")
    assert '> player_0: "I have no use for the balls."' in game.observe("player_1")["text"]
    game.step("propose 0 2 3")
    game.step("propose 1 books 2 hats 0 balls saying You can have every ball.")
    seen = game.observe("player_1")["text"]
    assert "player_0 proposes to keep 1 book and 2 hats, and leave 3 balls." in seen
    assert "The standing proposal would bring you 6 points." in seen
    game.step("accept")
    assert game.ended
    assert game.rewards == {"player_0": 10.0, "player_1": 6.0}
    infos = game.infos
    assert infos["player_0"]["success"]
    assert infos["player_1"]["success"]
    assert infos["player_0"]["metrics"] == {"points": 10.0, "joint": 1.0, "pareto": 1.0, "deal": 1.0}
    assert infos["player_1"]["metrics"]["points"] == 6.0


def test_a_poor_deal_is_no_success() -> None:
    game = table()
    game.step("propose 0 2 0")
    game.step("accept")
    assert game.rewards == {"player_0": 2.0, "player_1": 10.0}
    assert not game.infos["player_0"]["success"]
    assert game.infos["player_1"]["success"]
    assert game.infos["player_0"]["metrics"]["pareto"] == 1.0


def test_what_cannot_be_done_is_refused_and_says_why() -> None:
    game = table()
    for action, reason in (
        ("accept", "no proposal of the other"),
        ("propose 2 books 0 hats 0 balls", "not so many books"),
        ("propose 1 9 0", "no <hats>"),
    ):
        before = game.state_key()
        twin = game.fork()
        twin.step(action)
        assert reason in twin.infos["player_0"]["error"]
        assert twin._state.moves == 0
        assert game.state_key() == before
    game.step("propose 0 0 0")
    game.step("pass")
    game.step("accept")
    assert "the other" in game.infos["player_0"]["error"]


@pytest.mark.parametrize("words", [["walk away"], ["pass"] * 20])
def test_without_a_deal_both_get_nothing(words: list[str]) -> None:
    game = table()
    for word in words:
        game.step(word)
    assert game.ended
    assert game.infos["player_0"]["metrics"]["deal"] == 0
    assert not any(info["success"] for info in game.infos.values())


def test_values_are_secret_until_the_end_and_after() -> None:
    game = table()
    assert "Your values: a book 8, a hat 1, a ball 0." in game.observe("player_0")["text"]
    assert "a book 4" not in game.observe("player_0")["text"]
    game.step("propose 1 2 0")
    game.step("accept")
    assert "a book 4" not in game.observe("player_0")["text"]
    assert "values" not in game._public()


def test_tasks_are_negotiations() -> None:
    panel = agentgym.make("DealOrNoDeal-v0").tasks("test")
    for task in panel:
        pool, (one, other) = tuple(task.spec["pool"]), map(tuple, task.spec["values"])
        assert sum(pool) in POOL
        assert worth(one, pool) == worth(other, pool) == WORTH
        assert compatible(one, other)
        assert max(solve(pool, one, other).fair) <= WORTH
    assert len({task.instruction for task in panel}) > 20


@pytest.mark.parametrize(
    "spec",
    [
        {"pool": [1, 1, 1], "values": [[4, 3, 3], [4, 3, 3]]},
        {"pool": [1, 2, 3], "values": [[8, 1, 1], [4, 0, 2]]},
        {"pool": [1, 2, 3], "values": [[10, 0, 0], [0, 5, 0]]},
    ],
)
def test_pools_that_are_no_negotiation_are_refused(spec: dict[str, object]) -> None:
    with pytest.raises(TaskError):
        agentgym.make("DealOrNoDeal-v0").reset(options={"task": spec})


def test_moves_are_checked() -> None:
    with pytest.raises(ConfigError, match="moves must be"):
        agentgym.make("DealOrNoDeal-v0", moves=1)
    assert "Moves left for both together: 6." in table(moves=3).observe("player_1")["text"]


def test_beliefs_follow_what_is_asked_for() -> None:
    game = table()
    game.step("pass")
    game.step("propose 0 0 3")
    known = game._known("player_0")
    mean = np.sum([np.array(values) * share for values, share in believed(known)], axis=0)
    assert mean[2] > 1.5
    assert known.offer == (1, 2, 0)
    assert rest(known.counts, known.offer) == (0, 0, 3)


def test_who_is_silent_gets_nothing_and_the_strong_gets_more() -> None:
    game = agentgym.make("DealOrNoDeal-v0", split="val")
    lead = 0.0
    for task in range(30):
        for mine, other in (("player_0", "player_1"), ("player_1", "player_0")):
            game.reset(seed=task, options={"task": task})
            returns = played(game, {mine: "strong", other: "simple"}, task)
            lead += returns[mine] - returns[other]
    assert lead > 0
    game.reset(seed=1)
    assert played(game, {"player_0": "", "player_1": "strong"})["player_0"] == 0
