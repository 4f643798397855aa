"""Prices as the user gives them, and budgets that stop a run between turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentgym.agents.budget import Budget, Prices, read_prices
from agentgym.core import BudgetSpent, ConfigError
from agentgym.evaluate import EvaluationResult, evaluate, read_episodes
from agentgym.evaluate.tournament import Tournament, tournament
from tests.agents.server import ChatServer, completion


def test_prices_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(
        '["my-model"]\nin = 0.5\nout = 2\n[other]\nin = -1\nout = 1\n[odd]\nin = "x"\nout = 1\n[half]\nin = 1\n'
    )
    assert read_prices(file, "my-model") == Prices(0.5, 2.0)
    assert read_prices(file, "my-model").cost(1_000_000, 500_000) == 1.5
    for model, wrong in (
        ("mine", "no prices of 'mine'"),
        ("other", "negative"),
        ("odd", "numbers"),
        ("half", "numbers"),
    ):
        with pytest.raises(ConfigError, match=wrong):
            read_prices(file, model)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_prices(tmp_path / "no.toml", "m")
    file.write_text("in =")
    with pytest.raises(ConfigError, match="no TOML"):
        read_prices(file, "m")


def test_a_budget_counts_to_its_limit() -> None:
    budget = Budget(dollars=1.0, tokens=100)
    budget.charge(0.5, 99)
    budget.check()
    budget.charge(0.0, 1)
    with pytest.raises(BudgetSpent, match=r"100 tokens is spent \(100\); raise --max-total-tokens"):
        budget.check()
    budget = Budget(dollars=1.0)
    budget.charge(1.25, 10**9)
    with pytest.raises(BudgetSpent, match=r"1 dollars is spent \(1\.2500\); raise --max-cost"):
        budget.check()
    assert not Budget().limited
    Budget().check()


def run(server: ChatServer, out: Path, **options: Any) -> EvaluationResult:
    options = {"model": "m", "base_url": server.base_url, "concurrency": 2, **options}
    return evaluate("FrozenLake-v0", "endpoint", episodes=5, out=out, agent_options=options, env_kwargs=WORLD)


WORLD = {"max_turns": 2, "slippery": False}
PRICES = {"price_in": 1000.0, "price_out": 0.0}  # 10 tokens read a turn: a cent


@pytest.mark.parametrize(
    ("limit", "more", "option"),
    [
        ({"max_cost": 0.05, **PRICES}, {"max_cost": 10.0, **PRICES}, "--max-cost"),
        ({"max_total_tokens": 60}, {"max_total_tokens": 10**6}, "--max-total-tokens"),
    ],
)
def test_a_spent_budget_stops_the_run_which_goes_on_with_a_larger_one(
    tmp_path: Path, limit: dict[str, Any], more: dict[str, Any], option: str
) -> None:
    """Ten turns in all; five are allowed, and one that is under way beside the last."""
    with ChatServer(lambda number, request: completion("sleep")) as server:
        with pytest.raises(BudgetSpent, match=f"raise {option}; . of 5 episodes are saved in .* goes on from there"):
            run(server, tmp_path, **limit)
        asked = len(server.requests)
        assert 5 <= asked <= 6
        kept = read_episodes(tmp_path)
        assert sum(len(episode.turns) for episode in kept) == asked, "what was paid is on record"
        assert {episode.failure_kind for episode in kept} <= {"", "budget"}
        with pytest.raises(BudgetSpent, match=option):
            run(server, tmp_path, **limit)
        assert len(server.requests) == asked, "nothing is asked when all is spent already"
        assert read_episodes(tmp_path) == kept
        whole = run(server, tmp_path, **more)
        assert whole.summary.scored == 5
        alone = run(server, tmp_path / "alone", **{key: value for key, value in more.items() if "max" not in key})
    assert [episode.turns for episode in whole.episodes] == [episode.turns for episode in alone.episodes]


@pytest.mark.full
def test_a_tournament_knows_what_it_has_paid(tmp_path: Path) -> None:
    def rank(server: ChatServer, tokens: int) -> Tournament:
        options = {"base_url": server.base_url, "concurrency": 1, "max_total_tokens": tokens}
        return tournament(
            "KuhnPoker-v0", ["endpoint:m", "simple"], deals=2, out=tmp_path, agent_options=options,
            env_kwargs={"hands": 4},
        )  # fmt: skip

    with ChatServer(lambda number, request: completion("pass")) as server:
        with pytest.raises(BudgetSpent, match=r"raise --max-total-tokens; .* games are saved in"):
            rank(server, 60)
        asked = len(server.requests)
        kept = read_episodes(tmp_path)
        assert "budget" in {game.failure_kind for game in kept} <= {"", "budget"}
        assert sum(game.spent.get("endpoint:m", (0.0, 0))[1] for game in kept) == 12 * asked, "all paid is known"
        with pytest.raises(BudgetSpent):
            rank(server, 60)
        assert len(server.requests) == asked, "nothing is asked when all is spent already"
        whole = rank(server, 10**6)
    assert {game.failure_kind for game in whole.games} == {""}


def test_a_run_that_ends_with_its_budget_is_whole(tmp_path: Path) -> None:
    with ChatServer(lambda number, request: completion("sleep")) as server:
        result = run(server, tmp_path, max_total_tokens=120)
    assert result.summary.scored == 5


def test_a_budget_is_kept_by_one_process(tmp_path: Path) -> None:
    options = {"model": "m", "base_url": "http://127.0.0.1:1/v1", "max_total_tokens": 5, "concurrency": 1}
    with pytest.raises(ConfigError, match="kept by one process"):
        evaluate("FrozenLake-v0", "endpoint", episodes=4, workers=2, out=tmp_path, agent_options=options)


def test_answers_without_counts_keep_no_budget(tmp_path: Path) -> None:
    answer = completion("sleep")
    del answer.body["usage"]
    with ChatServer(lambda number, request: answer) as server:
        result = evaluate(
            "FrozenLake-v0", "endpoint", episodes=1, out=tmp_path,
            agent_options={"model": "m", "base_url": server.base_url, "max_total_tokens": 100},
        )  # fmt: skip
    assert "leave out the budget" in result.episodes[0].failure
