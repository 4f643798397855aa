"""Questions about a desktop that a visitor makes up: played and judged, and longer once the short ones are solved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, Tried
from agentgym.core.task_request import specified_task
from agentgym.envs.web._device.proposer import DeviceProposer, level, said
from agentgym.envs.web.device import device_proposer
from tests.envs.browsing import needs_browser

PAGE = """[94] region "Contacts window"
  [95] "Contacts"
  [99] heading "Ada Eriksen" level=1
  [101] link "Edit contact"
  [104] "Phone"
  [105] "555-23498"
  [108] "Company"
  [109] "none"
  [112] "Group"
  [113] "Friends"
  [116] switch "Favorite" not checked"""


def tried(pages: int, mean: float, tries: int = 4) -> Tried:
    return Tried({"template": "proposed", "plan": [["open", "Contacts"]] * pages + [["stop", ""]]}, tries, mean)


def test_tasks_ask_for_one_page_more_than_is_learned() -> None:
    assert level([], 3) == 1
    assert level([tried(1, 0.4)], 3) == 1
    assert level([tried(1, 1.0, tries=2)], 3) == 1, "two tries are no proof"
    assert level([tried(1, 0.9), tried(1, 0.2)], 3) == 2
    assert level([tried(1, 0.9), tried(2, 0.6)], 3) == 3
    assert level([tried(1, 0.1), tried(2, 0.9)], 3) == 1
    assert level([tried(1, 1.0), tried(2, 1.0), tried(3, 1.0)], 3) == 3


def test_a_page_says_what_stands_in_pairs_below_its_heading() -> None:
    assert said(PAGE) == ("Ada Eriksen", {"Phone": "555-23498", "Group": "Friends"})
    assert said(PAGE + '\n  [117] "odd"') == ("", {})
    assert said(PAGE.replace('"Phone"', '"140 contacts"')) == ("", {}), "a list says nothing of one thing"
    with pytest.raises(ConfigError, match="most from 1 to 3"):
        device_proposer(most=4)
    with pytest.raises(ConfigError, match="is no desktop"):
        DeviceProposer().propose(agentgym.make("TextCraft-v1").unwrapped, np.random.default_rng(0), [])


@pytest.mark.full
@needs_browser
@pytest.mark.parametrize("pages", [1, 2])
def test_what_is_proposed_is_solved_by_the_plan_and_by_nothing_else(pages: int) -> None:
    world: Any = agentgym.make("Desktop-v0", split="train").unwrapped
    before = [tried(1, 1.0)] if pages > 1 else []
    found = DeviceProposer(tasks=2).propose(world, np.random.default_rng(3), before)
    assert found
    for spec in found:
        task = specified_task(world, spec)
        assert sum(step[0] == "open" for step in task.spec["plan"]) == pages
        assert task.spec["answer"] not in task.instruction
    world.reset(seed=0, options={"task": found[0]})
    while not world.ended:
        _, reward, _, _, info = world.step(world.oracle_action())
    assert (reward, info["success"]) == (1.0, True)
    world.reset(seed=0, options={"task": found[0]})
    assert world.step("stop 555-00000")[1] == 0.0
    world.close()


@needs_browser
def test_a_proposer_asks_for_the_apps_that_tasks_may_need() -> None:
    """A specialist is asked for one app, and for several of its pages once it has learned to find one."""
    world: Any = agentgym.make("Desktop-v0", split="train", apps=["Contacts", "Notes"]).unwrapped
    try:
        found = DeviceProposer(tasks=2).propose(world, np.random.default_rng(3), [tried(1, 1.0)])
    finally:
        world.close()
    assert found
    for spec in found:
        opened = [step[1] for step in spec["plan"] if step[0] == "open"]
        first, second = (step for step in spec["plan"] if step[0] == "click")
        assert opened == ["Contacts", "Contacts"]
        assert first != second, "one page would do"


def test_a_proposer_refuses_apps_that_say_nothing_of_a_thing() -> None:
    world: Any = agentgym.make("Desktop-v0", split="train", apps=["Clock"]).unwrapped
    with pytest.raises(ConfigError, match=r"Contacts, Settings, Calendar say, and apps has none"):
        DeviceProposer().propose(world, np.random.default_rng(0), [])
    world.close()
