"""Assignment: the exact solver against enumeration, scales that stay secret, and proposals read as they are meant."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError
from agentgym.envs.multiagent._assignment import (
    GAIN,
    Problem,
    View,
    assign,
    believed,
    counted,
    gain,
    redrawn,
    total,
    understood,
)
from tests.envs.games import played

TASK = {
    "papers": ["Sparse Search", "Causal Vision", "Neural Parsing"],
    "reviewers": ["Ada", "Ines", "Kofi"],
    "table": [[90, 10, 20], [80, 70, 0], [30, 60, 99]],
    "seen": [[[1, 0, 0], [1, 0, 0], [0, 0, 0]], [[0, 0, 1], [0, 1, 0], [0, 0, 1]]],
    "scales": [2.0, 3.0],
}
BEST = "propose Sparse Search: Ada; Causal Vision: Ines; Neural Parsing: Kofi"


def table(**kwargs: object) -> object:
    game = agentgym.make("Assignment-v0", **kwargs)
    game.reset(seed=0, options={"task": TASK})
    return game


def test_the_solver_finds_what_enumeration_finds() -> None:
    rng = np.random.default_rng(0)
    for size in (1, 2, 3, 5, 6):
        for _ in range(20):
            values = rng.integers(-50, 100, size=(size, size)).tolist()
            plan = assign(values)
            assert sorted(plan) == list(range(size))
            assert total(values, plan) == max(total(values, each) for each in permutations(range(size)))


def test_each_sees_its_part_in_its_own_scale() -> None:
    game = table()
    mine, theirs = (game.observe(player)["text"] for player in game.agents)
    assert "Sparse Search: Ada 180\nCausal Vision: Ada 160\nNeural Parsing: nothing seen" in mine
    assert "Sparse Search: Kofi 60\nCausal Vision: Ines 210\nNeural Parsing: Kofi 297" in theirs
    assert "297" not in mine
    assert "180" not in theirs


def test_an_agreement_pays_its_share_of_the_best_and_unseen_pairs_count_fifty() -> None:
    game = table()
    assert counted(game._state.problem) == [[90, 50, 20], [80, 70, 50], [50, 50, 99]]
    game.step("say Ada is my best.")
    assert '> player_0: "Ada is my best."' in game.observe("player_1")["text"]
    game.step("propose sparse serch: ines, Causal Vision: Ada, Neural Parsing: Kofi saying Like this?")
    assert (
        "player_1 proposes: Sparse Search: Ines; Causal Vision: Ada; Neural Parsing: Kofi."
        in (game.observe("player_0")["text"])
    )
    game.step("accept")
    assert game.ended
    assert game.rewards == dict.fromkeys(game.possible_agents, (50 + 80 + 99) / 259)
    assert not any(info["success"] for info in game.infos.values())
    assert game.infos["player_0"]["metrics"] == {"score": 229 / 259, "points": 229.0, "agreed": 1.0, "messages": 2.0}
    game = table()
    game.step(BEST)
    game.step("accept")
    assert game.rewards["player_1"] == 1.0
    assert all(info["success"] for info in game.infos.values())


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("accept", "no proposal stands"),
        ("propose Sparse Search: Ada", "missing: Causal Vision, Neural Parsing"),
        ("propose Sparse Search: Ada; Causal Vision: Ada; Neural Parsing: Kofi", "Ada is named twice"),
        ("propose Sparse Search: Bob; Causal Vision: Ada; Neural Parsing: Kofi", "is not '<paper>: <reviewer>'"),
        ("propose Ada", "is not '<paper>: <reviewer>'"),
    ],
)
def test_what_cannot_be_done_is_refused_and_says_why(action: str, reason: str) -> None:
    game = table()
    before = game.state_key()
    twin = game.fork()
    twin.step(action)
    assert reason in twin.infos["player_0"]["error"]
    assert game.state_key() == before


def test_a_proposal_must_be_answered_before_anything_else() -> None:
    game = table()
    game.step(BEST)
    game.step("say Wait.")
    assert "must accept or reject it first" in game.infos["player_1"]["error"]
    game.step("reject saying Not yet.")
    assert '> player_1: "Not yet."' in game.observe("player_0")["text"]
    assert "No proposal stands." in game.observe("player_0")["text"]
    assert not game.ended


def test_talk_alone_wins_nothing() -> None:
    game = table(moves=2)
    for _ in range(4):
        game.step("say This is only talk.")
    assert game.ended
    assert set(game.rewards.values()) == {0.0}
    assert game.infos["player_0"]["metrics"]["agreed"] == 0.0


def test_numbers_are_understood_in_more_than_one_wording() -> None:
    view = View(tuple(TASK["papers"]), tuple(TASK["reviewers"]), ((-1,) * 3,) * 3)
    assert understood(view, "Sparse Search: Ada 120, Kofi 33; Neural Parsing: Ines 7") == {
        (0, 0): 120.0,
        (0, 2): 33.0,
        (2, 1): 7.0,
    }
    assert understood(view, "For CAUSAL VISION I read ines = 80 and kofi (12).") == {(1, 1): 80.0, (1, 2): 12.0}
    assert understood(view, "I have 99 problems, and Ada is none of them.") == {}


def test_two_scales_become_one() -> None:
    game = agentgym.make("Assignment-v0", split="val")
    game.reset(seed=0, options={"task": 0})
    for _ in range(2):
        game.step(game.expert_action(game.agent_selection))
    problem = game._state.problem
    both = [
        (row, column)
        for row, column in np.ndindex(8, 8)
        if problem.seen[0][row][column] or problem.seen[1][row][column]
    ]
    beliefs = believed(game._known("player_0"))
    errors = [abs(beliefs[row][column] - problem.table[row][column]) for row, column in both]
    assert max(errors) < 5


def test_imagined_tables_look_the_same() -> None:
    game = agentgym.make("Assignment-v0")
    game.reset(seed=3)
    problem: Problem = game._state.problem
    other = redrawn(problem, 1, np.random.default_rng(0))
    assert other.table != problem.table
    game._state.problem = other
    twin = agentgym.make("Assignment-v0")
    twin.reset(seed=3)
    assert game.observe("player_1")["text"] == twin.observe("player_1")["text"]
    assert game.observe("player_0")["text"] != twin.observe("player_0")["text"]


def test_talking_pays_in_every_task_and_tasks_vary() -> None:
    game = agentgym.make("Assignment-v0")
    problems = [game._problem(task) for task in list(game.tasks("test"))[:40]]
    assert min(map(gain, problems)) >= GAIN
    assert len({problem.papers for problem in problems}) == 40


@pytest.mark.parametrize(
    "change",
    [
        {"papers": ["A", "B"]},
        {"reviewers": ["Ada", "ada", "Kofi"]},
        {"papers": ["A: B", "C", "D"]},
        {"table": [[1, 2, 3], [1, 2, 3], [1, 2]]},
        {"scales": [0.5, 2]},
    ],
)
def test_tables_that_do_not_fit_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(TaskError):
        agentgym.make("Assignment-v0").reset(options={"task": {**TASK, **change}})


def test_options_are_checked() -> None:
    for wrong in ({"size": 2}, {"size": True}, {"moves": 1}):
        with pytest.raises(ConfigError, match="must be a whole number"):
            agentgym.make("Assignment-v0", **wrong)
    game = agentgym.make("Assignment-v0", size=3)
    game.reset(seed=0)
    assert len(game._state.problem.papers) == 3


def test_strength_comes_from_talking() -> None:
    game = agentgym.make("Assignment-v0", split="val")
    means = {}
    for level in game.opponents:
        scores = []
        for task in range(10):
            game.reset(seed=task, options={"task": task})
            scores.append(played(game, dict.fromkeys(game.possible_agents, level), task)["player_0"])
        means[level] = np.mean(scores)
    assert means["random"] < means["simple"] < 0.95 < means["strong"]
    game.reset(seed=1, options={"task": 1})
    assert played(game, {"player_0": "strong", "player_1": "accept"})["player_0"] > 0.5
