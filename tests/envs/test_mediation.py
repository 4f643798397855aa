"""Mediation: the exact solver against enumeration, private rooms, and what flights are said to cost."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError
from agentgym.envs.multiagent._mediation import clashes, costs, drawn, rating, redacted, solve, told
from tests.envs.games import played

TASK = {
    "city": "Oslo",
    "first": 4,
    "users": [
        {
            "events": [
                {"start": 10, "end": 12, "title": "choir", "weight": 4, "shared": True},
                {"start": 38, "end": 39, "title": "vet", "weight": 9, "shared": False},
            ],
            "flights": [
                {"depart": 9, "arrive": 12, "price": 100},
                {"depart": 36, "arrive": 39, "price": 300},
            ],
            "thrift": 10,
            "company": 3,
        },
        {
            "events": [{"start": 32, "end": 34, "title": "exam", "weight": 7, "shared": True}],
            "flights": [
                {"depart": 12, "arrive": 15, "price": 150},
                {"depart": 33, "arrive": 36, "price": 50},
            ],
            "thrift": 2,
            "company": 6,
        },
    ],
}


def group(**kwargs: object) -> object:
    game = agentgym.make("Mediation-v0", **kwargs)
    game.reset(seed=0, options={"task": TASK})
    return game


def test_the_solver_finds_what_enumeration_finds() -> None:
    rng = np.random.default_rng(0)
    for users, flights in ((2, 6), (3, 4), (4, 3)):
        for _ in range(4):
            people = drawn(rng, users, flights).users
            worths = {
                plan: sum(rating(people, plan, place) for place in range(users))
                for plan in product(range(flights), repeat=users)
            }
            solution = solve(people)
            assert solution.best == pytest.approx(max(worths.values()))
            assert solution.worst == pytest.approx(min(worths.values()))
            assert worths[solution.plan] == pytest.approx(solution.best)


def test_points_by_hand() -> None:
    users = group()._state.problem.users
    assert costs(users[0]) == (-4 + 5, -9 - 5)
    assert costs(users[1]) == (-1, -7 + 1)
    assert rating(users, (0, 0), 0) == 1 - 3 * 3 / 3
    assert rating(users, (0, 1), 1) == -6 - 6 * 24 / 3


def test_rooms_are_private_and_calendars_shared_in_part() -> None:
    game = group()
    assistant, one, other = (game.observe(player)["text"] for player in game.agents)
    assert (
        "Calendar of user_1 as shared:\nFriday: 10-12 choir\nIts flights:\n1: Fri 9:00 to Fri 12:00, $100" in assistant
    )
    assert "vet" not in assistant
    assert "(4)" not in assistant
    assert "Saturday: 14-15 vet (9)" in one
    assert "1: Fri 9:00 to Fri 12:00, $100, misses choir" in one
    assert "exam" not in one
    assert "exam (7)" in other
    game.step("tell user_2 Only you hear this.")
    assert "Only you hear this." in game.observe("user_2")["text"]
    assert "Only you hear this." not in game.observe("user_1")["text"]
    game.step("say I am busy on Saturday.")
    assert '> user_1: "I am busy on Saturday."' in game.observe("assistant_0")["text"]
    assert "busy" not in game.observe("user_2")["text"]
    game.step("pass")
    game.step("say To all of you.")
    assert all("To all of you." in game.observe(player)["text"] for player in game.possible_agents)


def test_all_users_must_accept_and_one_can_reject() -> None:
    game = group()
    game.step("propose user_1: 1, user_2: 2 saying How about this?")
    assert (
        "Standing proposal of assistant_0: user_1 flight 1: Fri 9:00 to Fri 12:00, $100; user_2 flight 2"
        in (game.observe("user_2")["text"])
    )
    game.step("accept")
    assert not game.ended
    game.step("reject saying No.")
    assert "user_2 rejects the proposal." in game.observe("user_1")["text"]
    assert '"No."' not in game.observe("user_1")["text"]
    game.step("propose user_1 = 1; user_2 = flight 1")
    game.step("accept")
    game.step("accept")
    assert game.ended
    assert game.rewards == dict.fromkeys(game.possible_agents, 1.0)
    assert all(info["success"] for info in game.infos.values())
    assert game.infos["user_1"]["metrics"] == pytest.approx(
        {"score": 1.0, "points": -2 + -7, "agreed": 1.0, "messages": 2.0}
    )


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("propose user_1: 1", "missing: user_2"),
        ("propose user_1: 1, user_2: 3", "user_2 has the flights 1 to 2, not 3"),
        ("propose user_1: 1, user_1: 2", "each of user_1, user_2 once"),
        ("propose the first flight", "is not '<user>: <flight>'"),
        ("tell user_4 Hello.", "there is no user_4"),
        ("reject", "no proposal stands"),
    ],
)
def test_what_cannot_be_done_is_refused_and_says_why(action: str, reason: str) -> None:
    game = group()
    before = game.state_key()
    twin = game.fork()
    twin.step(action)
    assert reason in twin.infos["assistant_0"]["error"]
    assert game.state_key() == before
    game.step("pass")
    game.step("propose user_1: 1, user_2: 1")
    assert "only assistant_0 can propose" in game.infos["user_1"]["error"]
    game.step("tell user_2 Hello.")
    assert "only assistant_0 can speak to one user" in game.infos["user_1"]["error"]


def test_costs_are_understood() -> None:
    assert told("flight 1: -7.5; Flight 12: 3; an hour apart: -1.5") == {1: -7.5, 12: 3.0, 0: -1.5}
    assert told("For me flight 3 is -4.") == {3: -4.0}
    assert told("I would like flight 3.") == {}


def test_every_flight_clashes_and_the_assistant_sees_no_importance() -> None:
    game = agentgym.make("Mediation-v0")
    shared, events = 0, 0
    for task in list(game.tasks("test"))[:60]:
        for user in game._problem(task).users:
            assert all(clashes(user, flight) for flight in user.flights)
            shared += len(redacted(user).events)
            events += len(user.events)
            assert {event.weight for event in redacted(user).events} <= {0}
    assert 0.7 < shared / events < 0.8


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (0, {"flights": [{"depart": 5, "arrive": 5, "price": 3}]}),
        (1, {"events": [{"start": 5, "end": 4, "title": "choir", "weight": 1, "shared": True}]}),
        (1, {"flights": []}),
    ],
)
def test_groups_that_make_no_sense_are_refused(place: int, change: dict[str, object]) -> None:
    users = [dict(user) for user in TASK["users"]]
    users[place] |= change
    with pytest.raises(TaskError):
        agentgym.make("Mediation-v0").reset(options={"task": {**TASK, "users": users}})
    with pytest.raises(TaskError, match="the table has 3 users"):
        agentgym.make("Mediation-v0", users=3).reset(options={"task": TASK})


def test_options_are_checked_and_the_group_may_be_larger() -> None:
    for wrong in ({"users": 5}, {"flights": 2}, {"moves": 0}):
        with pytest.raises(ConfigError, match="must be a whole number"):
            agentgym.make("Mediation-v0", **wrong)
    with pytest.raises(ConfigError, match="are assistant_0, user_1, user_2; its tasks name them"):
        agentgym.make("Mediation-v0", player_names=["player_0", "player_1", "player_2"])
    game = agentgym.make("Mediation-v0", users=4, flights=5)
    game.reset(seed=0)
    assert game.possible_agents == ["assistant_0", "user_1", "user_2", "user_3", "user_4"]
    assert played(game, dict.fromkeys(game.possible_agents, "strong"))["user_4"] > 0.9


def test_imagined_groups_look_the_same() -> None:
    for player in ("assistant_0", "user_1"):
        game = agentgym.make("Mediation-v0")
        game.reset(seed=3)
        game.step("propose user_1: 3, user_2: 5")
        seen, before = game._view(player), game._state.problem
        game._resample_hidden(player, np.random.default_rng(0))
        assert game._state.problem != before
        assert game._view(player) == seen


def test_strength_comes_from_telling_more() -> None:
    game = agentgym.make("Mediation-v0", split="val")
    means = {}
    for level in game.opponents:
        scores = []
        for task in range(15):
            game.reset(seed=task, options={"task": task})
            scores.append(played(game, dict.fromkeys(game.possible_agents, level), task)["user_1"])
        means[level] = np.mean(scores)
    assert means["random"] < means["simple"] < 0.95 < means["strong"]
    game.reset(seed=1, options={"task": 1})
    assert played(game, {"assistant_0": "strong", "user_1": "pass", "user_2": "strong"})["user_1"] == 0.0


@pytest.mark.parametrize(("name", "who"), [("Itinerary-v0", "player_1"), ("Mediation-v0", "assistant_0")])
def test_the_manual_says_of_both_forms_of_a_proposal_who_may_make_it(name: str, who: str) -> None:
    forms = [line for line in agentgym.make(name).unwrapped.manual.splitlines() if line.startswith("- propose ")]
    assert len(forms) == 2
    assert all(f": ({who} only) propose" in form for form in forms)
