"""NumberLine: rewards, ends of the line, splits, options, and what the original's reward pays an agent that dawdles."""

import gymnasium as gym
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.core import ConfigError, TaskError, UnknownName

TASK = {"highest": 5, "start": 1, "target": 4}


def make(**kwargs):
    return gym.make("AgentGym/NumberLine-v0", **kwargs).unwrapped


def test_the_view_is_the_originals_and_rewards_tell_nearer_from_farther():
    env = make()
    text, _ = env.reset(options={"task": TASK})
    assert "Target number: 4. Current number: 1" in text
    assert [env.step(action)[1] for action in ("+", "minus", "down", "-")] == [0.0, -1.0, -1.0, -1.0]
    assert env._state.number == 0
    text, reward, *_ = env.step("subtract 1")
    assert text.startswith("The line ends here; you stay where you are.")
    assert reward == -1.0
    for _ in range(3):
        env.step("add 1")
    text, reward, terminated, truncated, info = env.step("up")
    assert (reward, terminated, truncated, info["success"], info["progress"]) == (1.0, True, False, True, 1.0)
    assert text == "You step to 4. That is the target.\nTarget number: 4. Current number: 4"


def test_dawdling_is_truncated_after_ten_turns_and_pays_less_than_nothing():
    env = make()
    env.reset(options={"task": TASK})
    steps = [env.step("+-"[turn % 2]) for turn in range(10)]
    assert steps[-1][2:4] == (False, True)
    assert sum(step[1] for step in steps) == -5.0


def test_the_panels_are_all_pairs_cut_in_three():
    for level, highest in (("original", 5), ("hundred", 100)):
        env = make(level=level)
        panels = [list(env.tasks(split)) for split in ("train", "val", "test")]
        pairs = {(task.spec["start"], task.spec["target"]) for panel in panels for task in panel}
        assert len(pairs) == sum(map(len, panels)) == highest * (highest + 1)
        assert len(panels[1]) == round(0.9 * len(pairs)) - round(0.8 * len(pairs))


def test_longer_lines_have_more_turns_and_the_expert_walks_straight():
    env = make(highest=30, split="val")
    for place in range(len(env.tasks("val"))):
        env.reset(options={"task": place})
        assert env.max_turns == 60
        distance = abs(env.task.spec["start"] - env.task.spec["target"])
        while not env.ended:
            *_, info = env.step(env.expert_action())
        assert info["success"]
        assert env.turn == distance


@pytest.mark.parametrize("change", [{"start": 4}, {"target": 6}, {"highest": 3}, {"start": -1}, {"start": "1"}])
def test_lines_that_cannot_be_played_are_refused(change):
    with pytest.raises(TaskError):
        make().reset(options={"task": TASK | change})


def test_impossible_options_are_refused():
    with pytest.raises(ConfigError, match="highest must be a whole number from 4 to 1000, got True"):
        make(highest=True)
    with pytest.raises(UnknownName, match="unknown level of NumberLine 'hundrd'; did you mean 'hundred'"):
        make(level="hundrd")
