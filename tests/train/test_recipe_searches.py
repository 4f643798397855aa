"""Recipes for the worlds of tools and searches: what they pay for, what is masked, which axes they stand for."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from agentgym.cli import run
from agentgym.core import ConfigError, UnknownName
from agentgym.rollout import EntropyBranching, EnvPool, EpisodeSpec, collect
from agentgym.train import load_recipe, read_recipe, recipe_names, recipe_table
from agentgym.train.recipe import AXES
from tests.rollout.players import END, Scripted
from tests.train.making import by_turn, episode

OF_SEARCHES = {"reseek": ["judge"], "deep_dxsearch": ["format", "retrieval"], "ssrl": ["format"]}
CALLS = (
    {"name": "get_user_current_date", "arguments": {}},
    {"name": "get_latitude_longitude", "arguments": {"name": "Lima"}},
    {"name": "no_such_tool", "arguments": {}},
)


@pytest.mark.parametrize("name", OF_SEARCHES)
def test_each_term_of_the_world_is_compared_apart_and_counted(name: str) -> None:
    recipe = load_recipe(name)
    paid = [term for term in recipe.advantages if term.reward]
    assert [term.reward for term in paid] == OF_SEARCHES[name]
    rows = [episode([0.0, 1.0], 0), episode([0.0, 0.0], 0)]
    for place, term in enumerate(paid):
        for one, told in zip(rows, ([1.0, 0.0], [-1.0, 0.0]), strict=True):
            for turn, value in zip(one.turns, told, strict=True):
                turn.rewards[term.reward] = value * (place + 1)
    for place, term in enumerate(paid):
        credit = term(rows)
        assert by_turn(credit, rows[0])[0][0] == pytest.approx(np.sqrt(2))
        assert by_turn(credit, rows[0])[1][0] == pytest.approx(0.0), "the outcome is no part of the term"
        assert term.take_counts() == {term.reward: 0.0}
        assert term([rows[0]])
        assert term.take_counts() == {term.reward: place + 1.0}


@pytest.mark.parametrize("name", OF_SEARCHES)
def test_a_world_without_the_term_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="does not tell"):
        read_recipe(recipe_table(name, {"world.id": "Household-v1"}))


def test_what_the_recipes_ask_of_their_worlds() -> None:
    assert load_recipe("reseek").world.env_kwargs["judge_action"] is True
    assert load_recipe("ssrl").world.env_kwargs["backend"] == "self"
    assert load_recipe("mask_search").world.env_kwargs["masks"] == 1
    assert load_recipe("arpo").rollout.strategy == EntropyBranching()
    assert recipe_table("loop_todo") == recipe_table("loop", {"world.id": "Todo-v0"})


def test_every_axis_has_a_recipe_on_search_qa(capsys: pytest.CaptureFixture[str]) -> None:
    found = {load_recipe(name).axis: name for name in recipe_names() if load_recipe(name).axis}
    assert set(found) == set(AXES[1:])
    assert {load_recipe(name).world.id for name in found.values()} == {"SearchQA-v0"}
    assert run(["recipes", "--axis"]) == 0
    told = capsys.readouterr().out
    assert all(axis in told for axis in found)
    assert "sokoban" not in told
    with pytest.raises(UnknownName, match="axis"):
        load_recipe("grpo", {"axis": "rewards"})


def test_results_of_tools_are_masked() -> None:
    """A property of every token of random episodes: what the policy said is learned, and what tools answered is not."""

    def call(prompt: str, rng: np.random.Generator) -> str:
        return json.dumps(CALLS[int(rng.integers(len(CALLS)))])

    player: Any = Scripted(call, context_limit=100_000)
    player.max_new_tokens = 200
    starts = [EpisodeSpec(place, place, place, (place,)) for place in range(6)]
    results = 0
    for played in collect(EnvPool("Weather-v0", split="train"), player, starts, horizon=6):
        read, said = "", ""
        for segment in played.segments:
            for token, mask, weight in zip(segment.token_ids, segment.sampled_mask, segment.loss_weight, strict=True):
                assert weight == mask
                if token == END:
                    assert mask
                    said += "\n"
                elif mask:
                    said += chr(token)
                else:
                    read += chr(token)
        assert said.splitlines() == [turn.action for turn in played.turns]
        for turn in played.turns[1:]:
            assert turn.observation in read
            results += bool(re.match(r'"\d{4}-\d\d-\d\d"|\{"results"', turn.observation))
        assert "get_latitude_longitude" not in read.split("Actions:", 1)[0]
    assert results > 6
