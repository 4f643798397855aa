"""Itinerary: the exact solver against enumeration, secrets on both sides, and wishes read as they are meant."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError
from agentgym.envs.multiagent._itinerary import FEATURES, SLOTS, TYPES, Wish, drawn, phrase, points, solve, wished
from agentgym.envs.multiagent._itinerary_queries import search
from tests.envs.games import played


def site(name: str, kind: str, features: list[str], price: int, hours: str, east: int, north: int) -> dict[str, object]:
    return {
        "name": name, "type": kind, "features": features, "price": price, "hours": hours, "east": east, "north": north,
    }  # fmt: skip


TASK = {
    "city": "Calder",
    "sites": [
        site("Heron Museum", "museum", ["a view"], 10, "ma", 0, 0),
        site("Oak Park", "park", ["quiet corners"], 0, "mae", 10, 5),
        site("Ember Grill", "restaurant", ["live music", "a view"], 35, "ae", 20, 0),
        site("Moon Bar", "bar", ["live music", "big crowds"], 15, "e", 0, 30),
    ],
    "wishes": [
        {"about": "site", "what": "Oak Park", "weight": 3},
        {"about": "feature", "what": "live music", "weight": 4},
        {"about": "type", "what": "museum", "weight": 6},
        {"about": "slot", "what": "bar in the evening", "weight": 2},
        {"about": "budget", "what": "40", "weight": 5},
        {"about": "mile", "what": "", "weight": -2},
    ],
}


def city(**kwargs: object) -> object:
    game = agentgym.make("Itinerary-v0", **kwargs)
    game.reset(seed=0, options={"task": TASK})
    return game


def test_the_solver_finds_what_enumeration_finds() -> None:
    rng = np.random.default_rng(0)
    for count in (4, 5, 7):
        for _ in range(6):
            problem = drawn(rng, count)
            worths = {}
            for plan in product(range(count + 1), repeat=3):
                stops = [place for place in plan if place < count]
                open_now = all(
                    place == count or slot[0] in problem.sites[place].hours
                    for slot, place in zip(SLOTS, plan, strict=True)
                )
                if open_now and len(set(stops)) == len(stops):
                    worths[plan] = points(problem.sites, problem.wishes, plan)
            solution = solve(problem.sites, problem.wishes)
            assert solution.best == pytest.approx(max(worths.values()))
            assert solution.worst == pytest.approx(min(worths.values()))
            assert worths[solution.plan] == pytest.approx(solution.best)


def test_points_by_hand() -> None:
    game = city()
    problem = game._state.problem
    assert points(problem.sites, problem.wishes, (0, 1, 3)) == 6 + 3 + 4 + 2 + 5 - 2 * (1.5 + 3.5)
    assert points(problem.sites, problem.wishes, (0, 4, 2)) == 6 + 4 - 2 * 2.0  # an empty slot costs no way, 45 dollars
    assert points(problem.sites, problem.wishes, (4, 4, 4)) == 5


def test_the_user_sees_wishes_and_the_assistant_the_city() -> None:
    game = city()
    user, assistant = (game.observe(player)["text"] for player in game.agents)
    assert "You are player_0, the user." in user
    assert "at least one museum: +6" in user
    assert "Ember Grill" not in user
    assert "Ember Grill (restaurant, $35; live music, a view): at 2 east, 0 north; open afternoon, evening" in assistant
    assert "+6" not in assistant
    game.step("say Let us begin.")
    game.step("propose Heron Museum; oak parc; Moon Bar saying A quiet day.")
    seen = game.observe("player_0")["text"]
    assert "afternoon Oak Park (park, free; quiet corners)" in seen
    assert "$25 and 5 miles in all" in seen
    assert "The proposal is worth 10 points to you." in seen
    assert "is worth" not in game.observe("player_1")["text"]


def test_an_agreement_pays_where_it_lies_between_worst_and_best() -> None:
    game = city()
    solution = solve(game._state.problem.sites, game._state.problem.wishes)
    game.step("pass")
    game.step("propose none; none; none")
    game.step("accept")
    assert game.ended
    score = (5 - solution.worst) / (solution.best - solution.worst)
    assert game.rewards == pytest.approx(dict.fromkeys(game.possible_agents, score))
    assert game.infos["player_0"]["success"] == (score >= 0.95)
    game = city()
    assert played(game, dict.fromkeys(game.possible_agents, "oracle")) == {"player_0": 1.0, "player_1": 1.0}


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("propose Moon Bar; none; none", "Moon Bar is closed in the morning; it is open: evening"),
        ("propose Oak Park; Oak Park; none", "Oak Park is named twice"),
        ("propose Oak Park; none", "names 3 places"),
        ("propose Oak Park; Golden Gate; none", "there is no place 'Golden Gate'"),
        ("accept", "no proposal stands"),
    ],
)
def test_what_cannot_be_done_is_refused_and_says_why(action: str, reason: str) -> None:
    game = city()
    game.step("propose Oak Park; none; none")
    assert "only player_1 can propose" in game.infos["player_0"]["error"]
    game.step("pass")
    before = game.state_key()
    game.fork().step(action)
    twin = game.fork()
    twin.step(action)
    assert reason in twin.infos["player_1"]["error"]
    assert game.state_key() == before


def test_every_wish_can_be_told_and_understood() -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        problem = drawn(rng, 12)
        words = "; ".join(phrase(wish) for wish in problem.wishes)
        assert tuple(wished(problem.sites, words)) == problem.wishes
    sites = city()._state.problem.sites
    assert wished(sites, "I would like to see Oak Park, that is 7 points. Museums are worth +4.") == [
        Wish("site", "Oak Park", 7),
        Wish("type", "museum", 4),
    ]
    assert wished(sites, "We were 3 last time, I think?") == []


def test_wishes_name_what_there_is_and_tasks_vary() -> None:
    game = agentgym.make("Itinerary-v0")
    panel = list(game.tasks("test"))
    for task in panel[:40]:
        game.check_task(task.spec)
    assert len({site["name"] for task in panel for site in task.spec["sites"]}) > 300
    assert {wish["what"] for task in panel for wish in task.spec["wishes"]} >= {*FEATURES, *TYPES}


@pytest.mark.parametrize(
    "change",
    [
        {"wishes": [{"about": "site", "what": "Golden Gate", "weight": 3}]},
        {"wishes": [{"about": "budget", "what": "a lot", "weight": 3}]},
        {"wishes": [{"about": "mile", "what": "", "weight": 0}]},
        {"wishes": [TASK["wishes"][2], {"about": "type", "what": "museum", "weight": 1}]},
        {"sites": [TASK["sites"][0]] * 4},
        {"sites": [*TASK["sites"][:3], site("none", "bar", [], 0, "e", 0, 0)]},
    ],
)
def test_tasks_that_make_no_sense_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(TaskError):
        agentgym.make("Itinerary-v0").reset(options={"task": {**TASK, **change}})


def test_options_are_checked() -> None:
    for wrong in ({"sites": 3}, {"sites": 99}, {"moves": 0}):
        with pytest.raises(ConfigError, match="must be a whole number"):
            agentgym.make("Itinerary-v0", **wrong)
    game = agentgym.make("Itinerary-v0", sites=20)
    game.reset(seed=0)
    assert len(game._state.problem.sites) == 20


def test_imagined_cities_keep_what_the_user_was_shown() -> None:
    game = city()
    game.step("pass")
    game.step("propose Heron Museum; none; Moon Bar")
    seen = game.observe("player_0")["text"]
    before = game._state.problem
    game._resample_hidden("player_0", np.random.default_rng(0))
    assert game._state.problem.sites != before.sites
    assert game._state.problem.sites[0] == before.sites[0]
    assert game._state.problem.sites[1].name == "Oak Park"  # a wish is about it
    assert game._view("player_0") in seen


def test_strength_comes_from_telling_more() -> None:
    game = agentgym.make("Itinerary-v0", split="val")
    means = {}
    for level in game.opponents:
        scores = []
        for task in range(12):
            game.reset(seed=task, options={"task": task})
            scores.append(played(game, dict.fromkeys(game.possible_agents, level), task)["player_0"])
        means[level] = np.mean(scores)
    assert means["random"] < means["simple"] < 0.95 < means["strong"]
    game.reset(seed=1, options={"task": 1})
    assert played(game, {"player_0": "pass", "player_1": "strong"})["player_0"] == 0.0  # nobody accepts
    game.reset(seed=2, options={"task": 2})
    assert played(game, {"player_0": "strong", "player_1": "random"})["player_0"] > 0.0


def asking(queries: int = 3) -> Any:
    """The city of `TASK` with a data base, the assistant to move."""
    game: Any = city(queries=queries)
    game.step("say see Oak Park: +3; each place with live music: +4")
    return game


def test_an_assistant_with_a_data_base_sees_what_it_has_found() -> None:
    game = asking()
    before = game.observe("player_1")["text"]
    assert "Ember Grill" not in before
    assert "Queries left: 3. No place was found yet." in before
    left = game._moves - game._state.moves
    game.step("search Live Music; open evening; at most $40")
    seen = game.observe("player_1")["text"]
    assert "The data base finds: Moon Bar, Ember Grill." in seen, "the cheapest first"
    assert "Ember Grill (restaurant, $35; live music, a view): at 2 east, 0 north" in seen
    assert "Heron Museum" not in seen
    assert (game._moves - game._state.moves, game.agent_selection) == (left, "player_1"), "a query is no move"
    assert game.infos["player_1"]["events"][-1]["type"] == "query"
    game.step("search park; near Heron Museum")
    game.step("propose Oak Park; Ember Grill; Moon Bar")
    assert "finds" not in game.observe("player_0")["text"]
    game.step("accept")
    assert game.infos["player_0"]["metrics"]["queries"] == 2
    assert game.infos["player_0"]["metrics"]["messages"] == 1


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("search something nice", "does not understand 'something nice'; give a name, a type (museum"),
        ("search ;", "a query needs a condition"),
        ("propose Golden Gate; none; none", "there is no place 'Golden Gate'; the data base has found none yet"),
    ],
)
def test_queries_that_say_nothing_are_refused_and_cost_nothing(action: str, reason: str) -> None:
    game = asking()
    game.step(action)
    assert reason in game.infos["player_1"]["error"]
    assert "Ember" not in game.infos["player_1"]["error"]
    assert not game._state.asked


def test_queries_are_the_assistants_and_counted() -> None:
    game: Any = city(queries=1)
    game.step("search museum")
    assert "only player_1 can ask" in game.infos["player_0"]["error"]
    game.step("pass")
    game.step("search museum")
    game.step("search park")
    assert "all 1 queries are used up" in game.infos["player_1"]["error"]
    assert not any(action.startswith("search") for action in game.admissible_actions("player_1"))
    plain: Any = city()
    plain.step("pass")
    assert "search" not in plain.grammar.manual
    plain.step("search museum")
    assert not plain.infos["player_1"]["action_valid"]


def test_imagined_cities_keep_what_the_assistant_has_found() -> None:
    game = asking()
    game.step("search museum")
    before, seen = game._state.problem, game._view("player_1")
    game._resample_hidden("player_1", np.random.default_rng(0))
    assert game._view("player_1") == seen
    assert game._state.problem.sites[0] == before.sites[0]
    assert game._state.problem.sites[1:] != before.sites[1:]


def test_scripts_ask_for_what_the_user_told_and_the_oracle_pair_is_perfect() -> None:
    game: Any = agentgym.make("Itinerary-v0", split="val", queries=12)
    means = {}
    for level in ("random", "simple", "strong", "oracle"):
        scores = []
        for task in range(8):
            game.reset(seed=task, options={"task": task})
            scores.append(played(game, dict.fromkeys(game.possible_agents, level), task)["player_0"])
            assert (game.infos["player_0"]["metrics"]["queries"] > 0) == (level != "oracle") or level == "random"
        means[level] = np.mean(scores)
    assert means["random"] < means["simple"] < means["strong"] <= means["oracle"] == 1.0


def test_a_hostile_query_is_read_in_time_linear_in_its_length() -> None:
    sites = city()._state.problem.sites
    for text in (";" * 50_000, "near " * 10_000, "at most " * 6_000, "$" * 50_000, "at most" + " " * 50_000):
        assert isinstance(search(sites, text), str)
