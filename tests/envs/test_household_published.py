"""Household as the world of published ALFWorld trajectories: rebuilt from what they tell, and played again."""

from __future__ import annotations

import gymnasium as gym

import agentgym  # noqa: F401  (registers the ids)
from agentgym.wrappers import ReAct
from tests.envs.published import dialogue_of, household_of, lines_of, published

SLIPS = {  # where a prompt of ReAct, written or cut by hand, says what no engine says, and what is said here
    ("put_0", "go to cabinet 1"): "On the cabinet 1, you see a cloth 1, a soapbar 1, and a soapbottle 1.",
    (
        "heat_0",
        "open fridge 1",
    ): "Nothing happens.\nYou are not at the fridge 1; go to it first.",  # it did not go there
    ("cool_0", "take pan 1 from stoveburner 3"): "You pick up the pan 1 from the stoveburner 3.",  # without an answer
}


def test_react_s_prompts_play_again_word_for_word():
    """36 prompts (Yao et al. 2023): every action is understood, every thought answered, every task solved."""
    actions = thoughts = 0
    slips = set()
    for name, text in published("react/alfworld_3prompts.json").items():
        kind = name.split("_")[1]
        first, turns = lines_of(text)
        env = gym.make("AgentGym/Household-v1", wording="react")
        task = household_of(first, [answer for _, answer in turns], kind)
        assert env.reset(seed=0, options={"task": task})[0].startswith(f"{first}\nActions: ")
        for action, answer in turns:
            said, _, _, _, info = env.step(action)
            if action.startswith("think:"):
                assert said == "OK."
                thoughts += 1
                continue
            actions += 1
            if said.partition("\n")[0] != answer:
                slips.add((name.partition("_")[2], action))
                assert said == SLIPS[name.partition("_")[2], action]
        assert info["success"], name
    assert (actions, thoughts) == (396, 91)
    assert slips == SLIPS.keys()


def test_eto_s_example_plays_again_through_react():
    for messages in published("eto/alfworld_icl.json"):
        first, turns = dialogue_of(messages)
        env = ReAct(gym.make("AgentGym/Household-v1", wording="react"))
        task = household_of(first.replace("\n\n", "\n"), [answer for _, answer in turns], "put")
        env.reset(seed=0, options={"task": task})
        for reply, answer in turns[:-1]:
            said, _, _, _, info = env.step(reply)
            assert said == answer
            assert info["thought"] == reply.partition("\n")[0].removeprefix("Thought: ")
        said, _, _, _, info = env.step(turns[-1][0])
        assert said == "You put the toiletpaper 1 in/on the toiletpaperhanger 1."
        assert info["success"]
