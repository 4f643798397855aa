"""Matrix games: what makes each kind that kind, the fair payoff by hand, talk and choice kept apart."""

from __future__ import annotations

import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError
from agentgym.envs.multiagent._matrix import KINDS, Known, drawn, fair, leading, promised, reply

PRISONER = [[3, 0], [5, 1]]
DILEMMA = {"kind": "prisoners_dilemma", "names": "oak elm ash", "player_0": PRISONER, "player_1": PRISONER}


def table(task: dict[str, object] = DILEMMA, **kwargs: object) -> object:
    game = agentgym.make("MatrixGame-v0", **kwargs)
    game.reset(seed=0, options={"task": task})
    return game


def both(game: object, one: str, other: str) -> object:
    return game.step({"player_0": one, "player_1": other})


def shape(one: tuple[tuple[int, ...], ...]) -> tuple[int, int, int, int]:
    """Payoffs of the row player with the move first that is better if both make it."""
    best = 0 if one[0][0] > one[1][1] else 1
    return one[best][best], one[best][1 - best], one[1 - best][best], one[1 - best][1 - best]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_what_it_is_called(kind: str) -> None:
    for seed in range(60):
        one, other = drawn(kind, np.random.default_rng(seed))
        size = range(len(one))
        if kind in ("matching_pennies", "rock_paper_scissors"):
            assert all(one[a][b] == -other[b][a] for a in size for b in size)
            assert fair(one, other) == 0
            continue
        reward, sucker, temptation, punishment = shape(one)
        if kind == "prisoners_dilemma":
            assert temptation > reward > punishment > sucker
            assert 2 * reward > temptation + sucker
            assert fair(one, other) == reward
        elif kind == "stag_hunt":
            assert reward > temptation > punishment > sucker
        elif kind == "chicken":
            assert temptation > reward > sucker > punishment
        elif kind == "coordination":
            assert reward == punishment or sucker == temptation < min(reward, punishment)
        else:
            assert max(one[0][0], one[1][1]) > min(one[0][0], one[1][1]) > max(one[0][1], one[1][0])
            assert (one[0][0] > one[1][1]) != (other[0][0] > other[1][1])


def test_the_fair_payoff_may_need_two_outcomes() -> None:
    assert fair(((3, 0), (0, 2)), ((2, 0), (0, 3))) == 2.5
    assert fair(((0, 7), (2, 6)), ((0, 7), (2, 6))) == 6
    assert fair(((3, 0), (5, 1)), ((3, 0), (5, 1))) == 3


def test_rounds_are_paid_by_the_table() -> None:
    game = table(rounds=2)
    both(game, "say Let us both take oak.", "pass")
    assert '> player_0: "Let us both take oak."' in game.observe("player_1")["text"]
    _, rewards, *_ = both(game, "choose oak", "choose ELM")
    assert rewards == {"player_0": 0.0, "player_1": 5.0}
    assert "player_1 chose elm and is paid 5." in game.observe("player_0")["text"]
    both(game, "pass", "pass")
    _, rewards, terminations, _, infos = both(game, "choose oak", "choose oak")
    assert rewards == {"player_0": 3.0, "player_1": 3.0}
    assert all(terminations.values())
    assert infos["player_0"]["metrics"] == {"mean": 1.5, "fair": 3.0}
    assert not infos["player_0"]["success"]
    assert infos["player_1"]["success"]


def test_both_succeed_by_working_together() -> None:
    game = table(rounds=2, chat=False)
    both(game, "choose oak", "choose oak")
    *_, infos = both(game, "choose oak", "choose oak")
    assert all(info["success"] for info in infos.values())


def test_talk_and_choice_have_their_times() -> None:
    game = table()
    *_, infos = both(game, "choose oak", "pass")
    assert "time to talk" in infos["player_0"]["error"]
    *_, infos = both(game, "say Oh.", "choose ash")
    assert "time to choose one of: oak, elm" in infos["player_0"]["error"]
    assert "choose one of: oak, elm" in infos["player_1"]["error"]
    assert game._state.past == [[0, 0]]


def test_nobody_hears_what_is_being_chosen() -> None:
    """All act at once, so what the other does in a step cannot change what a player saw before it."""
    game = table()
    both(game, "pass", "pass")
    twin = game.fork()
    assert game.observe("player_1") == twin.observe("player_1")
    both(game, "choose oak", "choose oak")
    both(twin, "choose elm", "choose oak")
    assert game.observe("player_1") != twin.observe("player_1")


def test_fictitious_play_and_the_plan_against_it() -> None:
    chicken = ((3, 1), (4, 0))
    assert reply([], chicken) == 0
    assert reply([(0, 0), (0, 0), (0, 0)], chicken) == 1
    known = Known(chicken, chicken, ("oak", "elm"), (), 6, False, "")
    assert leading(known) == 1


@pytest.mark.parametrize(
    ("said", "move"), [("I will choose elm.", 1), ("Oak or elm?", None), ("Hm.", None), ("OAK!", 0)]
)
def test_promises_are_heard_where_they_name_one_move(said: str, move: int | None) -> None:
    known = Known(((3, 1), (4, 0)), ((3, 1), (4, 0)), ("oak", "elm"), (), 6, False, said)
    assert promised(known) == move


def test_the_strong_meet_where_replies_to_frequencies_do_not() -> None:
    """Two strong players earn at least as much together as two simple ones, over coordination games and dilemmas."""
    totals = {"simple": 0.0, "strong": 0.0}
    game = agentgym.make("MatrixGame-v0", split="val")
    picked = [task for task in game.tasks("val") if task.spec["kind"] in ("stag_hunt", "battle_of_the_sexes")][:12]
    for level in totals:
        for task in picked:
            game.reset(seed=0, options={"task": task.id})
            rng = np.random.default_rng(0)
            while not game.ended:
                _, rewards, *_ = game.step({player: game.opponent_action(player, level, rng) for player in game.agents})
                totals[level] += sum(rewards.values())
    assert totals["strong"] > totals["simple"]


@pytest.mark.parametrize(
    "change", [{"player_0": [[1, 2], [3, 4, 5]]}, {"player_1": [[1, 2, 3], [1, 2, 3], [1, 2, 3]]}, {"kind": "go"}]
)
def test_tables_that_do_not_fit_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(TaskError):
        table({**DILEMMA, **change})


def test_rounds_are_checked() -> None:
    for rounds in (1, 3, 102, True):
        with pytest.raises(ConfigError, match="rounds must be"):
            agentgym.make("MatrixGame-v0", rounds=rounds)


def test_the_kind_is_not_told() -> None:
    game = agentgym.make("MatrixGame-v0", split="val")
    kinds = {task.spec["kind"] for task in game.tasks("val")}
    assert kinds == set(KINDS)
    assert "dilemma" not in table().observe("player_0")["text"]


@pytest.mark.parametrize("kind", ["chicken", "stag_hunt"])
def test_a_kind_can_be_asked_for(kind: str) -> None:
    game = agentgym.make("MatrixGame-v0", kind=kind, split="train")
    assert {game.tasks("train")[place].spec["kind"] for place in range(20)} == {kind}
    with pytest.raises(ConfigError, match="kind must be one of 'prisoners_dilemma'"):
        agentgym.make("MatrixGame-v0", kind="go")


def test_what_is_to_be_said_is_told_in_the_words_of_the_table() -> None:
    game = table(DILEMMA)
    first, second = DILEMMA["names"].split()[:2]
    text = game.observe("player_0")["text"]
    assert f"such as `say I will choose {first}.`" in text
    mine, theirs = DILEMMA["player_0"][0][1], DILEMMA["player_1"][1][0]
    assert f"- you choose {first}, the other chooses {second}: you get {mine}, the other gets {theirs}\n" in text
    game.step(dict.fromkeys(game.agents, "pass"))
    assert f"Say `choose {first}` or `choose {second}`." in game.observe("player_1")["text"]
