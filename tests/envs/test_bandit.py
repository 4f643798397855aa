"""Bandit: payments, names that tell or not, splits without a common name, several pulls."""

from collections import Counter

import gymnasium as gym
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.core import ConfigError, TaskError
from agentgym.envs.games.bandit import RISKY, SAFE

TASK = {"arms": ["librarian", "pirate"], "risky": 1, "pulls": 1, "telling": True}


def make(**kwargs):
    return gym.make("AgentGym/Bandit-v0", **kwargs).unwrapped


def test_the_safe_arm_pays_a_tenth_and_the_risky_one_a_whole_one_time_in_four():
    env, paid = make(), Counter()
    for seed in range(2000):
        env.reset(seed=seed, options={"task": TASK})
        text, reward, terminated, _, info = env.step("pull Pirate")
        assert (terminated, info["success"]) == (True, True)
        assert text == f"Pirate: {reward:g} points"
        paid[reward] += 1
    assert set(paid) == {0.0, 1.0}
    assert paid[1.0] / 2000 == pytest.approx(0.25, abs=4 * (0.1875 / 2000) ** 0.5)
    env.reset(options={"task": TASK})
    text, reward, terminated, _, info = env.step("librarian")
    assert (text, reward, terminated, info["success"]) == ("Librarian: 0.1 points", 0.1, True, False)


def test_the_names_are_many_and_different():
    assert len(SAFE) == len(set(SAFE)) == len(RISKY) == len(set(RISKY)) == 60
    assert not set(SAFE) & set(RISKY)


@pytest.mark.parametrize("level", ["original", "row", "explore"])
def test_no_name_stands_in_two_splits(level):
    env = make(level=level)
    names = {
        split: {name for place in range(60) for name in env.tasks(split)[place].spec["arms"]}
        for split in ("train", "val", "test")
    }
    assert not names["train"] & (names["val"] | names["test"])
    assert not names["val"] & names["test"]


def test_arbitrary_names_say_nothing_and_telling_ones_the_truth():
    daring = Counter()
    for names in ("telling", "arbitrary"):
        env = make(names=names)
        for place in range(300):
            spec = env.tasks("train")[place].spec
            daring[names, spec["arms"][spec["risky"]] in RISKY] += 1
        assert ("say nothing" in env.tasks("train")[0].instruction) == (names == "arbitrary")
    assert daring["telling", True] == 300
    assert 110 < daring["arbitrary", True] < 190


def test_the_expert_explores_where_names_say_nothing():
    env = make(level="explore", split="val")
    for place in range(60):
        env.reset(seed=place, options={"task": place})
        tried = []
        while not env.ended:
            tried.append(env.expert_action())
            *_, info = env.step(tried[-1])
        assert info["success"]
        assert len(tried) == 20
        best = f"pull {env.reference()}"
        first = tried.index(best)
        assert set(tried[first:]) == {best}
        assert len(set(tried[:first])) == first


def test_success_is_more_than_half_of_the_pulls_and_no_pull_is_paid_by_refusals():
    env = make()
    task = TASK | {"pulls": 4}
    for actions, won in (("pirate librarian pirate librarian", False), ("pirate pirate pirate librarian", True)):
        env.reset(options={"task": task})
        for action in actions.split():
            *_, info = env.step(action)
        assert (info["success"], env.ended) == (won, True)
    env.reset(options={"task": task})
    for _ in range(6):
        text, reward, terminated, truncated, info = env.step("choose gambler")
        assert reward == 0.0
    assert (terminated, truncated) == (False, True)
    assert text == (
        "There is no arm 'gambler'; the arms are librarian and pirate.\nArms: librarian and pirate. Pulls left: 4."
    )


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"risky": 2}, "place of an arm"),
        ({"risky": 0}, "names that tell"),
        ({"arms": ["pirate", "pirate"]}, "one name"),
        ({"arms": ["pirate", "king"]}, "must be one of"),
        ({"pulls": 0}, "at least 1"),
    ],
)
def test_bandits_that_cannot_be_played_are_refused(change, wrong):
    with pytest.raises(TaskError, match=wrong):
        make().reset(options={"task": TASK | change})


@pytest.mark.parametrize("wrong", [{"arms": 7}, {"pulls": 0}, {"names": "none"}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError, match=f"{next(iter(wrong))} must be"):
        make(**wrong)
