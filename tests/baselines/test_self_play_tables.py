"""Self-play with tables: exploitability against known values, decisions read off play, and what was published."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.baselines.bridges import self_play_tables
from agentgym.baselines.kuhn import PLACES, counted, decided, exploitability, value

RUN = "python -m agentgym.baselines.bridges.self_play_tables"


def equilibrium(bluff: float) -> dict[str, float]:
    """The equilibria of Kuhn 1950, one for each rate of bluffing up to a third."""
    third = 1 / 3
    return dict.fromkeys(PLACES, 0.0) | {
        "J": bluff, "K": 3 * bluff, "Qpb": bluff + third, "Kpb": 1.0,
        "Jp": third, "Kp": 1.0, "Qb": third, "Kb": 1.0,
    }  # fmt: skip


def test_exploitability_is_nought_in_every_equilibrium_and_as_known_for_coins() -> None:
    for bluff in (0.0, 0.2, 1 / 3):
        policy = equilibrium(bluff)
        assert exploitability(policy) == pytest.approx(0, abs=1e-12)
        assert value(policy, policy) == pytest.approx(-1 / 18)
    coins = dict.fromkeys(PLACES, 0.5)
    assert exploitability(coins) == pytest.approx(11 / 24)
    assert exploitability(coins | {"Kb": 0.0}) > exploitability(coins)  # to fold the best card


def test_decisions_are_read_off_a_record_and_refused_ones_left_out() -> None:
    def turn(betting: str, card: str, action: str, valid: bool = True) -> dict[str, Any]:
        seen = f"* Hand 2 of 4 begins.\nHand 2 of 4. Betting: {betting}. Chips so far: player_0 +1, player_1 -1.\n"
        return {"observation": f"{seen}Your card: {card}.\n* It is your turn.", "action": action, "valid": valid}

    turns = [
        turn("none yet", "jack", "bet"),
        turn("player_1 pass, player_0 bet", "king", " Call"),
        turn("player_0 bet", "queen", "bat", valid=False),
        turn("player_0 bet", "queen", "fold"),
    ]
    decisions = decided({"turns": turns})
    assert decisions == [("J", True), ("Kpb", True), ("Qb", False)]
    shares, rarest = counted([*decisions, ("J", False)])
    assert shares["J"] == 0.5
    assert shares["Kpb"] == 1.0
    assert shares["Qb"] == 0.0
    assert shares["K"] == 0.5  # nobody was there
    assert rarest == 0


def test_every_decision_is_paid_what_its_hand_brought() -> None:
    game, rng = agentgym.make("KuhnPoker-v0", hands=4), np.random.default_rng(0)
    for _ in range(5):
        played = self_play_tables.hands(game, dict.fromkeys(PLACES, 0.5), rng)
        assert 8 <= len(played) <= 12
        assert {abs(won) for *_, won in played} <= {1.0, 2.0}
        assert {place for place, *_ in played} <= set(PLACES)


def published(name: str) -> dict[str, Any]:
    folder = files("agentgym.baselines") / "results" / "self_play"
    record: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf8"))
    assert record["command"].startswith(f"{RUN} {name}")
    assert (folder / f"{name}.svg").read_text(encoding="utf8").startswith("<svg")
    steps = [point[0] for point in record["points"]]
    assert steps[0] == 0
    assert steps == sorted(set(steps))
    assert all(len(point) == len(record["columns"]) for point in record["points"])
    return record


def test_the_published_kuhn_policy_is_what_its_record_says() -> None:
    record = published("kuhn")
    assert record["coins"] == pytest.approx(11 / 24, abs=1e-4)
    assert exploitability(record["last"]["bets"]) == pytest.approx(record["last"]["exploitability"], abs=1e-3)
    assert record["last"]["exploitability"] < 0.08


def test_kuhn_is_learned_anew() -> None:
    first, *_, last = self_play_tables.kuhn(1, 10)["points"]
    assert first[-1] == pytest.approx(11 / 24, abs=1e-4)
    assert last[-1] < 0.3


def test_the_published_player_of_tic_tac_toe_never_loses() -> None:
    record = published("tic_tac_toe")
    assert record["points"][0][-1] > 0.7
    assert record["points"][-1][-1] == 0
    for split in ("train", "val", "test"):
        assert record[split]["lost"] == record[split]["starts_some_opponent_wins"] == 0


def test_tic_tac_toe_is_learned_anew_and_every_line_of_play_is_looked_at() -> None:
    game, rng, worths = agentgym.make("TicTacToe-v0"), np.random.default_rng(1), self_play_tables.Worths()
    assert self_play_tables.beatable(worths, "val") > 64
    for _ in range(3_000):
        worths.play(game, rng)
    worths.learn()
    assert self_play_tables.beatable(worths, "val") <= 3
    assert self_play_tables.lost(worths, rng, "val", 1)[0] <= 3
