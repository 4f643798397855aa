"""Agents of AgentGym (Xi et al. 2024): the replies that its prompts ask for are read, its lists name tasks in order.

The files are those of its repository, under `agentgym/` in the folder of `tests.envs.published`: `mappings_train.json`,
`mappings_test.json` (of `agentenv-alfworld/configs`), `alfworld.py`, `webshop.py`, `textcraft.py` (of
`agentenv/agentenv/envs`, which are read as text and never run).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.core import Call
from agentgym.envs.text.alfworld import _listed, _names
from agentgym.wrappers import AdmissibleInText, ReAct
from tests.envs.published import FOLDER, TYPES, published

NOT_HERE = {"toggle mug 1"}  # which ALFWorld does not have either: there it is `use`


def source(name: str) -> ast.Module:
    path = FOLDER / "agentgym" / name
    if not path.exists():
        pytest.skip(f"the published file agentgym/{name} is not in {FOLDER}")
    return ast.parse(path.read_text(encoding="utf8"))


def table(tree: ast.Module, name: str) -> Any:
    """A table of constants that is set under a name in some class."""
    return next(
        ast.literal_eval(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name
    )


def prompts(tree: ast.Module) -> Iterator[str]:
    """The long texts of a file that ask for a thought and an action."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "Thought:\n" in node.value:
            yield node.value


def read(world_id: str, action: str, **kwargs: Any) -> bool:
    """Whether an action is understood, alone and in a reply of the form that the prompts ask for."""
    env = ReAct(gym.make(f"AgentGym/{world_id}", **kwargs), several="refuse", bare=True)
    known = isinstance(env.unwrapped.parse(action), Call)
    for reply in (f"Thought:\nI go on.\n\nAction:\n{action}", f"Action:\n{action}", action):
        found = env.parse_reply(reply)
        understood = isinstance(found, tuple) and isinstance(env.unwrapped.parse(found[0][0].strip()), Call)
        assert understood == known, reply
    return known


def test_the_lists_name_tasks_of_the_six_kinds_in_the_order_of_data_idx() -> None:
    lists = {name: published(f"agentgym/mappings_{name}.json") for name in ("train", "test")}
    assert [len(entries) for entries in lists.values()] == [2420, 200]
    assert [entry["item_id"] for entries in lists.values() for entry in entries] == list(range(2620))
    names = {name: _names(FOLDER / f"agentgym/mappings_{name}.json") for name in lists}
    assert len({*names["train"], *names["test"]}) == 2620
    assert {name.partition("-")[0] for each in names.values() for name in each} <= set(TYPES.values())
    for each in names.values():
        games = tuple(f"train/{name}" for name in each)
        assert tuple(sorted(games)) != games
        assert _listed("the list", each, "train", tuple(sorted(games))) == games


def test_what_its_functions_say_in_the_household_is_understood() -> None:
    tree = source("alfworld.py")
    names, between = table(tree, "function_to_name"), table(tree, "conjunction_words")
    arguments = table(tree, "valid_functions_args")
    said = []
    for function, words in names.items():
        given = ["mug 1" if name == "obj" else "desk 1" for name in arguments[function]]
        if len(given) == 2:
            said.append(f"{words} {given[0]} {between[function]} {given[1]}")
        else:
            said.append(" ".join([words, *given]))
    said.append("examine desk 1")
    assert len(said) == 14
    assert {action for action in said if not read("Household-v1", action, wording="react")} == NOT_HERE
    assert any("Action:\nyour next action" in text for text in prompts(tree))


def test_its_examples_of_getting_and_crafting_are_understood() -> None:
    (text,) = {text for text in prompts(source("textcraft.py")) if "Example of get" in text}
    examples = re.findall(r"Example\d? of \w+: (.*?)(?= - |\n)", text)
    assert examples == [
        "get 1 lapis lazuli",
        "craft 1 blue dye using 1 lapis lazuli",
        "craft 1 golden carrot using 8 gold nugget, 1 carrot",
    ]
    assert all(read("TextCraft-v1", action) for action in examples)


def test_its_reply_in_the_shop_is_understood() -> None:
    (text,) = {text for text in prompts(source("webshop.py")) if "search[keywords]" in text}
    reply = text.partition("following format:\n\n")[2]
    assert reply.startswith("Thought:\nI think")
    env = ReAct(gym.make("AgentGym/WebShop-v1"), several="refuse", bare=True)
    found = env.parse_reply(reply)
    assert isinstance(found, tuple)
    assert found[0][0].strip() == "click[something]"
    assert all(read("WebShop-v1", action) for action in ("search[keywords]", "click[value]"))


def test_its_line_of_available_actions_is_shown() -> None:
    assert any(
        isinstance(node, ast.Constant) and node.value == "\nAVAILABLE ACTIONS: "
        for node in ast.walk(source("alfworld.py"))
    )
    env = AdmissibleInText(gym.make("AgentGym/Household-v1", wording="react"), style="agentgym", first_only=True)
    text, _ = env.reset(seed=0)
    assert text.rpartition("\nAVAILABLE ACTIONS: ")[2] == ",".join(env.unwrapped.admissible_actions())
