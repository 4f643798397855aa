"""Cards and their registration."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator

import gymnasium as gym
import pytest

import agentgym
from agentgym.core import ConfigError, EnvCard, Score, UnknownName, card, catalog, full_id, register
from agentgym.envs import CARDS
from tests.core.worlds import Count, count_card


@pytest.fixture(autouse=True)
def _own_registries(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test registers is gone after it."""
    module = sys.modules[EnvCard.__module__]  # the name `agentgym.core.catalog` is the function
    monkeypatch.setattr(module, "_CARDS", dict(catalog()))
    before = dict(gym.registry)
    yield
    gym.registry.clear()
    gym.registry.update(before)


def test_a_registered_card_is_listed_and_can_be_made() -> None:
    new = count_card("Count", id="AgentGym/AAA-v0")
    register(new)
    assert next(iter(catalog())) == "AgentGym/AAA-v0"
    assert card("AAA-v0") is card("AgentGym/AAA-v0") is card("agentgym:AgentGym/AAA-v0") is new
    assert isinstance(agentgym.make("AAA-v0").unwrapped, Count)
    register(new)
    assert list(catalog()).count("AgentGym/AAA-v0") == 1


def test_the_spec_says_where_equal_seeds_are_not_enough() -> None:
    said = {name for name, spec in gym.registry.items() if name.startswith("AgentGym/") and spec.nondeterministic}
    assert {"AgentGym/WebArena-v0", "AgentGym/Browser-v0", "AgentGym/Shell-v0"} <= said
    assert said == {card.id for card in CARDS if not card.repeatable}


def test_registering_imports_nothing_of_the_world() -> None:
    register(count_card("Count", id="AgentGym/Absent-v0", entry_point="no.such.module:World"))
    with pytest.raises(ModuleNotFoundError, match="no"):
        agentgym.make("Absent-v0")


def test_one_id_has_one_entry_point() -> None:
    register(count_card("Count", id="AgentGym/AAA-v0"))
    other = count_card("Replay", id="AgentGym/AAA-v0")
    with pytest.raises(ConfigError, match=r"already registered for tests\.core\.worlds:Count; give .*:Replay another"):
        register(other)
    assert card("AAA-v0").entry_point.endswith(":Count")


@pytest.mark.parametrize("api", ["aec", "parallel"])
def test_gymnasium_says_how_a_game_of_several_players_is_made(api: str) -> None:
    register(count_card("Count", id="AgentGym/Table-v0", api=api, players=2))
    assert "AgentGym/Table-v0" in catalog()
    said = (
        "AgentGym/Table-v0 is a game of 2 players, which Gymnasium cannot make: call agentgym.make('AgentGym/Table-v0')"
        f" or pettingzoo.make('{api}', 'AgentGym/Table-v0'); SelfPlay in agentgym.wrappers.selfplay plays one of them"
    )
    for refused in (
        lambda: gym.make("AgentGym/Table-v0"),
        lambda: gym.make("agentgym:AgentGym/Table-v0", split="test"),
        lambda: gym.make_vec("AgentGym/Table-v0", 2),
    ):
        with pytest.raises(ConfigError) as caught:
            refused()
        assert str(caught.value) == said


def test_a_game_in_the_catalog_can_be_made_as_the_error_says() -> None:
    with pytest.raises(ConfigError) as caught:
        gym.make("AgentGym/KuhnPoker-v0")
    calls = re.findall(r"(\w+)\.make\(([^)]*)\)", str(caught.value))
    assert [library for library, _ in calls] == ["agentgym", "pettingzoo"]
    for library, words in calls:
        game = importlib.import_module(library).make(*(word.strip("' ") for word in words.split(",")))
        game.reset(seed=0)
        assert game.agents == ["player_0", "player_1"]


def test_an_unknown_id_names_the_nearest() -> None:
    for wrong, near in (
        ("FrozenLke-v0", "FrozenLake-v0"),
        ("webshop", "WebShop-v1"),
        ("WEBSHOP-V1", "WebShop-v1"),
        ("AgentGym/webshop-v1", "AgentGym/WebShop-v1"),
        ("Other/FrozenLake-v0", "AgentGym/FrozenLake-v0"),
    ):
        with pytest.raises(UnknownName) as caught:
            card(wrong)
        assert str(caught.value) == f"unknown environment {wrong!r}; did you mean {near!r}?"


def test_full_ids() -> None:
    assert full_id("WebShop-v1") == "AgentGym/WebShop-v1"
    for name in ("AgentGym/WebShop-v1", "Other/World-v1", "agentgym:AgentGym/WebShop-v1"):
        assert full_id(name) == name


def test_the_name_is_the_id_without_the_namespace() -> None:
    assert card("FrozenLake-v0").name == "FrozenLake-v0"


def test_a_deterministic_world_is_solvable_by_its_oracle() -> None:
    with pytest.raises(ConfigError, match=r"must have oracle_success 1\.0, got 0\.9"):
        count_card("Count", oracle_success=0.9)


def test_published_panels_are_splits():
    with pytest.raises(UnknownName, match=r"unknown split of .* 'tset'; did you mean 'test'"):
        count_card("Count", published={"tset": 1.0})


def test_the_oracles_success_is_given_certain_or_measured() -> None:
    scores = {"test": {"oracle": Score(0.4, 0.3)}}
    assert count_card("Count", scores=scores).oracle_success == 1.0
    assert count_card("Count", deterministic=False, scores=scores).oracle_success == 0.4
    assert count_card("Count", deterministic=False, scores=scores, oracle_success=0.0).oracle_success == 0.0
    assert count_card("Count", deterministic=False).oracle_success == 1.0
    game = card("Hanabi-v0")
    assert game.oracle_success == game.scores["test"]["oracle"].success < 1.0


def test_required_arguments_need_a_fixture() -> None:
    with pytest.raises(ConfigError, match="needs a fixture that makes data"):
        count_card("Count", requires={"path": "a folder"})
    assert count_card("Count", requires={"path": "a folder"}, fixture="module:function").requires


def test_cards_are_immutable() -> None:
    with pytest.raises(AttributeError):
        card("FrozenLake-v0").max_turns = 1  # type: ignore[misc]


@pytest.mark.parametrize("shown", CARDS, ids=lambda shown: shown.id)
def test_every_card_says_what_it_must(shown: EnvCard) -> None:
    assert shown.id.startswith("AgentGym/")
    assert shown.kind in ("text", "web", "tools", "code", "games", "multiagent", "safety")
    assert f":agentgym.envs.{shown.kind}." in f":{shown.entry_point}"
    assert shown.description.endswith(".")
    assert shown.citation
    assert {"train", "val", "test"} <= set(shown.splits)
    assert shown.max_turns > 0
    if shown.api == "gymnasium":
        assert gym.registry[shown.id].entry_point == shown.entry_point
        assert gym.registry[shown.id].max_episode_steps is None
        assert gym.registry[shown.id].vector_entry_point == f"agentgym.vector.entry_points:{shown.id}"
