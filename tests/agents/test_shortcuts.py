"""Players that do not do the task: what each does in a world small enough to be followed by hand."""

from __future__ import annotations

import pytest

from agentgym.agents import check_options, make_agent
from agentgym.agents.shortcuts import GENERIC
from agentgym.core import ConfigError, UnknownName
from agentgym.envs import CARDS
from agentgym.rollout import EnvPool, EpisodeSpec, collect

LAKE = "FrozenLake-v0"
FIRM = {"rows": ["SFF", "HHF", "HHG"], "slippery": False}


def said(name: str, env_id: str = LAKE, task: object = 0, turns: int = 4, **kwargs: object) -> list[str]:
    pool = EnvPool(env_id, **kwargs)
    (episode,) = collect(pool, make_agent(f"shortcut:{name}"), [EpisodeSpec(task, 3, 0, (0,))], horizon=turns)
    return [turn.action for turn in episode.turns]


def test_every_name_is_an_agent_and_no_card_takes_one() -> None:
    for name in GENERIC:
        check_options(f"shortcut:{name}", {})
        assert make_agent(f"shortcut:{name}").reads == "view"
        assert not any(name in card.shortcuts for card in CARDS)
    with pytest.raises(ConfigError, match="remembered must be at least 1"):
        make_agent("shortcut:memory", remembered=0)


def test_a_shortcut_that_no_card_names_is_refused_in_one_line() -> None:
    with pytest.raises(UnknownName, match="unknown shortcut 'luck'; expected one of: climber, first, lexical"):
        said("luck")


def test_the_list_is_worked_through_where_nothing_changes() -> None:
    assert said("first", task=FIRM)[0] == "down", "the first in alphabetical order"
    everywhere = said("first", env_id="LightsOut-v0", turns=6)
    assert everywhere[0] == min(everywhere), "the list is sorted, and each answer is another board"


def test_words_of_the_instruction_lead() -> None:
    (opened, *_) = said("lexical", env_id="TextCraft-v1", turns=3)
    assert opened.startswith(("craft", "get"))


def test_the_climber_goes_where_progress_rises_and_does_not_look_at_the_end() -> None:
    assert said("climber", task=FIRM, turns=3) == ["right", "right", "down"], "holes end the episode, and are not taken"


def test_a_script_is_the_same_for_every_task_and_memory_is_of_the_nearest() -> None:
    first, second = (said("script", env_id="TextCraft-v1", task=place, turns=3, split="test") for place in (0, 1))
    assert first == second
    goal = said("memory", env_id="TextCraft-v1", task=0, turns=40, split="train")
    assert goal[-1].startswith("craft"), "the task itself is among those that are remembered"


def test_a_memory_is_of_the_world_as_it_was_made() -> None:
    three, four = (said("script", env_id="TowerOfHanoi-v0", task=0, turns=3, disks=disks) for disks in (3, 4))
    assert three != four
