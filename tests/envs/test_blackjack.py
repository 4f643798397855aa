"""Blackjack: hands, the dealer's known odds, basic strategy, the optimum behind the card's figure, and forfeits."""

from collections import Counter

import gymnasium as gym
import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, TaskError
from agentgym.envs.games.blackjack import BUST, RANKS, count, dealer_ends, optimum

CARD = agentgym.card("Blackjack-v0")


def make(**kwargs):
    return gym.make("AgentGym/Blackjack-v0", **kwargs).unwrapped


def deal(player, dealer, hit_soft_17=False):
    return {"player": player.split(), "dealer": dealer, "hit_soft_17": hit_soft_17}


@pytest.mark.parametrize(
    ("cards", "total", "soft"),
    [("A 7", 18, True), ("A A", 12, True), ("A K", 21, True), ("A 7 9", 17, False), ("A A A 9", 12, False),
     ("Q 5 A", 16, False), ("9 8", 17, False), ("A 5 5", 21, True)],
)  # fmt: skip
def test_an_ace_counts_eleven_where_that_fits(cards, total, soft):
    assert count(cards.split()) == (total, soft)


@pytest.mark.parametrize(
    ("up", "bust"), [(2, 0.3536), (5, 0.4164), (6, 0.4232), (7, 0.2623), (9, 0.2284), (10, 0.2121)]
)
def test_the_dealer_goes_over_as_often_as_published_for_an_infinite_deck(up, bust):
    ends = dict(dealer_ends(up, False, 1, False))
    assert sum(ends.values()) == pytest.approx(1.0)
    assert ends[BUST] == pytest.approx(bust, abs=6e-5)


def test_the_dealer_on_a_soft_17_draws_in_casinos_only():
    assert dict(dealer_ends(17, True, 3, False)) == {17: 1.0}
    assert dict(dealer_ends(17, True, 3, True))[18] > 0
    assert dict(dealer_ends(17, False, 3, True)) == {17: 1.0}


@pytest.mark.parametrize(
    ("player", "dealer", "action"),
    [("10 2", "2", "hit"), ("10 2", "4", "stand"), ("10 3", "2", "stand"), ("10 6", "K", "hit"), ("9 7", "6", "stand"),
     ("10 7", "A", "stand"), ("A 6", "6", "hit"), ("A 7", "9", "hit"), ("A 7", "2", "stand"), ("A 8", "10", "stand"),
     ("5 6", "6", "hit"), ("A K", "A", "stand")],
)  # fmt: skip
def test_the_best_play_is_basic_strategy(player, dealer, action):
    env = make()
    env.reset(options={"task": deal(player, dealer)})
    assert env.oracle_action() == env.expert_action() == action


def test_the_cards_oracle_success_is_the_mean_optimum_of_the_test_panel():
    chances = [optimum(task.spec).win for task in make().tasks("test")]
    assert np.mean(chances) == pytest.approx(CARD.oracle_success, abs=5e-5)


def test_held_out_deals_are_worth_the_same():
    env = make()
    worth = {split: [optimum(task.spec).reward for task in env.tasks(split)] for split in ("val", "test")}
    assert [len(rewards) for rewards in worth.values()] == [110, 110]
    assert abs(np.mean(worth["val"]) - np.mean(worth["test"])) < 0.01
    assert np.abs(np.sort(worth["val"]) - np.sort(worth["test"])).mean() < 0.03


def test_played_hands_win_as_often_as_computed():
    env = make()
    for task in (deal("10 6", "K"), deal("A 7", "9"), deal("5 4", "6")):
        results = Counter()
        for seed in range(1500):
            env.reset(seed=seed, options={"task": task})
            while not env.ended:
                _, reward, _, _, info = env.step(env.oracle_action())
            results[reward] += 1
            assert info["success"] == (reward == 1.0)
        best = optimum(task)
        assert results[1.0] / 1500 == pytest.approx(best.win, abs=4 * (0.25 / 1500) ** 0.5)
        assert (results[1.0] - results[-1.0]) / 1500 == pytest.approx(best.reward, abs=4 * 1500**-0.5)


def test_a_natural_beats_another_21_and_draws_with_its_like():
    env = make()
    seen = set()
    for seed in range(300):
        env.reset(seed=seed, options={"task": deal("A K", "10")})
        text, reward, *_ = env.step("stand")
        assert "You have a natural 21." in text
        assert reward == (0.0 if "The dealer has 10, A: a natural 21." in text else 1.0)
        seen.add(reward)
    assert seen == {0.0, 1.0}
    for seed in range(400):
        env.reset(seed=seed, options={"task": deal("5 6", "A")})
        if "have 21" in env.step("hit")[0]:
            text, reward, *_ = env.step("stand")
            assert reward == (-1.0 if "natural" in text else 0.0 if ": 21." in text else 1.0)
            seen.add(text.split("You have")[1])
    assert {" 21. You lose.", " 21. You win.", " 21. It is a draw."} <= seen


def test_views_and_going_over():
    env = make()
    text, _ = env.reset(seed=0, options={"task": deal("A 7", "K")})
    assert "Dealer's card: K. Player's cards: A, 7.\n" in text
    for seed in range(20):
        env.reset(seed=seed, options={"task": deal("K Q", "6")})
        text, reward, terminated, _, info = env.step("hit")
        rank = info["events"][0]["rank"]
        assert terminated == (rank != "A")
        assert text.startswith(f"You draw {rank} and have {20 + min(RANKS.index(rank) + 1, 10)}")
        assert reward == (0.0 if rank == "A" else -1.0)


def test_stalling_forfeits_the_hand():
    env = make()
    env.reset(options={"task": deal("2 3", "K")})
    rewards = [env.step("wait")[1] for _ in range(25)]
    assert rewards == [0.0] * 24 + [-1.0]
    assert env.ended
    env.reset(seed=0, options={"task": deal("2 3", "K")})
    for _ in range(24):
        env.step("")
    text, reward, terminated, truncated, _ = env.step("hit")
    assert (reward, terminated, truncated) == (-1.0, False, True)
    assert "forfeited" in text


@pytest.mark.parametrize("change", [{"player": ["A"]}, {"player": ["A", "1"]}, {"dealer": "11"}, {"hit_soft_17": 1}])
def test_deals_that_cannot_be_played_are_refused(change):
    with pytest.raises(TaskError):
        make().reset(options={"task": deal("A 7", "K") | change})


def test_impossible_options_are_refused():
    with pytest.raises(ConfigError, match="hit_soft_17 must be True or False, got 1"):
        make(hit_soft_17=1)
