"""WebShop as the world of published trajectories: their actions are understood, and lead where they led."""

from __future__ import annotations

import json
import re

import gymnasium as gym
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.core import Call
from agentgym.wrappers import ReAct
from tests.envs.published import dialogue_of, published, shop_of

ADAPT = "adapt/ADaPT_maxd3_webshop_gpt-3.5-turbo.json"
NO_ACTIONS = {"type"}  # a command that the published shop does not have either


def shop(folder, pages, instruction, asin, options, **kwargs):
    """`WebShopOriginal` over the products that a trajectory tells of, at its own goal."""
    records = shop_of(pages)
    people = [{"instruction": "a thing", "instruction_attributes": ["a"], "instruction_options": []}] * 12
    files = {
        "products": records,
        "attributes": {record["asin"]: {"attributes": ["any"]} for record in records},
        "goals": {asin: people},
    }
    for kind, content in files.items():
        (folder / f"{kind}.json").write_text(json.dumps(content), encoding="utf8")
    paths = {kind: str(folder / f"{kind}.json") for kind in files}
    env = gym.make("AgentGym/WebShopOriginal-v0", **paths, **kwargs)
    price = float(re.search(r"price lower than ([\d.]+) dollars", instruction)[1])
    task = {"asin": asin, "instruction": instruction, "attributes": ["any"], "options": options, "price_upper": price}
    return env, {"task": task}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))


def test_eto_s_example_plays_again_through_react(tmp_path):
    """The page of the product is that of the trajectory to the letter, its options chosen or not."""
    for messages in published("eto/webshop_icl.json"):
        first, turns = dialogue_of(messages)
        pages = [text.removeprefix("Observation:\n") for text in (first, *(answer for _, answer in turns))]
        instruction = re.search(r"Instruction: \[SEP\] (.*?) \[SEP\]", pages[0])[1]
        clicked = [re.search(r"click\[(.*)\]", reply)[1] for reply, _ in turns[1:]]
        asin, value = clicked[0], clicked[1]
        env, options = shop(tmp_path, pages, instruction, asin, [value])
        env = ReAct(env)
        assert env.reset(seed=0, options=options)[0].startswith(f"{pages[0]}\n")
        for place, (reply, _) in enumerate(turns):
            said, reward, terminated, _, info = env.step(reply)
            assert info["action_valid"], reply
            if place == 0:
                listed = pages[1].partition("Next > [SEP] ")[2].split(" [SEP] ")
                assert {tuple(listed[at : at + 3]) for at in range(0, len(listed), 3)} == {
                    tuple(said.split(" [SEP] ")[at : at + 3]) for at in range(4, len(said.split(" [SEP] ")), 3)
                }
            elif not terminated:
                assert said == pages[place + 1]
        assert (terminated, reward) == (True, 1.0)


@pytest.mark.parametrize(("name", "actions", "thought"), [("prompt1", 7, 2), ("prompt1_actonly", 5, 0)])
def test_react_s_prompts_are_played_with_their_thoughts(tmp_path, name, actions, thought):
    """Their pages have a form of their own, made by the notebook; what they hold and where they lead is the same."""
    cells = ["".join(cell["source"]) for cell in published("react/WebShop.ipynb")["cells"]]
    prompt = next(text for text in cells if f'{name} = """' in text).partition('"""')[2].partition('"""')[0]
    first, *exchanges = prompt.split("Action: ")
    parted = (exchange.partition("\nObservation:") for exchange in exchanges)
    turns = [(action.strip(), answer.strip()) for action, _, answer in parted]
    asin = next(action for action, _ in turns if action.startswith("click[B"))[6:-1]
    values = [action[6:-1] for action, answer in turns if answer.startswith("You have clicked ")]
    env, options = shop(tmp_path, [answer for _, answer in turns], first.splitlines()[2].strip(), asin, values)
    env.reset(seed=0, options=options)
    thoughts = 0
    for action, answer in turns:
        said, reward, terminated, _, info = env.step(action)
        assert info["action_valid"], action
        thoughts += (said, answer) == ("OK.", "OK.")
        for button in re.findall(r"\[([^][]+)\]", answer):
            if button != "Next >":  # there are three products, which fit on a page
                assert f" {button}" in f" {said}"
    assert (len(turns), thoughts) == (actions, thought)
    assert (terminated, reward) == (True, 1.0)


def test_adapt_s_actions_are_understood():
    world = gym.make("AgentGym/WebShop-v1").unwrapped
    said = [one for run in published(ADAPT).values() for one in run.get("action_history", ())]
    for action in said:
        call = world.parse(action)
        assert isinstance(call, Call) == (action.partition("[")[0] not in NO_ACTIONS), action
    assert len(said) == 786
