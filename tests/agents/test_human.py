"""A person who types."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from agentgym.agents import HumanPolicy, Quit, Script, Undo, View
from agentgym.agents.human import Said
from agentgym.agents.reading import Item, in_reading_order, page_items
from agentgym.core import TaskError
from agentgym.rollout import EnvPool, EpisodeSpec


def keyboard(
    *lines: str, world: str = "FrozenLake-v0", script: Script | None = None, undo: bool = False
) -> tuple[Callable[[], str], list[str]]:
    """A person with these lines to say, and what the program told them."""
    left, told = list(lines), []

    def ask(view: View) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    policy, pool = HumanPolicy(ask, told.append, script, undo=undo), EnvPool(world)
    (step,) = pool.begin([EpisodeSpec(None, 0, 0, (0,))])
    shown, player = step.results["player_0"], "player_0"
    ask_world = partial(pool.ask, 0, player)
    view = View(pool.id, player, shown.observation, shown.info, pool.manual, pool.tools, [], [], ask_world)
    return lambda: policy.act(view, np.random.default_rng(0)), told


def test_lines_are_actions_as_they_are() -> None:
    act, told = keyboard("left", " go up ")
    assert [act(), act()] == ["left", " go up "]
    assert told == []


def test_empty_lines_and_arrow_keys_are_no_actions() -> None:
    act, told = keyboard("", "   ", "\x1b[A", "\x1bOB\x1b[1;5C", "\t", "up\x1b[D")
    assert act() == "up"
    assert told == []


def test_commands_to_the_program_are_no_actions() -> None:
    act, told = keyboard(":actions", ":HELP", "  :help", ":dance", "up")
    assert act() == "up"
    assert told[0] == ":1 down\n:2 left\n:3 right\n:4 up"
    assert told[1] == told[2]
    assert "take a step left" in told[1]
    assert told[3].startswith("There is no :dance.")


def test_an_action_is_taken_by_its_number() -> None:
    act, told = keyboard(":0", ":5", ":3")
    assert act() == "right"
    assert [text.partition(";")[0] for text in told] == ["There is no action 0", "There is no action 5"]


def test_a_hint_is_what_the_expert_would_say() -> None:
    act, told = keyboard(":hint", "up")
    assert act() == "up"
    assert told == ["The expert would say: up"]


def test_taking_back_needs_something_and_a_world_that_can() -> None:
    act, told = keyboard(":undo", "left")
    assert act() == "left"
    assert told[0].startswith("Nothing can be taken back here")
    script = Script()
    act, told = keyboard(":undo", "left", ":undo", script=script, undo=True)
    assert act() == "left"
    assert told == ["There is nothing to take back yet."]
    with pytest.raises(Undo):
        act()
    script.take_back()
    assert not script.replaying


def test_what_was_said_is_said_again_to_the_same_world_only() -> None:
    script = Script()
    act, _ = keyboard("left", "up", script=script)
    act()
    script.place = 0
    assert act() == "left", "said again without being asked"
    assert act() == "up"
    script.lines[0] = Said("player_0", "another observation", "left")
    script.place = 0
    with pytest.raises(TaskError, match="is not reproducible"):
        act()


def test_pages_are_numbered_as_they_are_read() -> None:
    observation = "Instruction: [SEP] red hat [SEP] Next > [SEP] B01 [SEP] a hat [SEP] red"
    actions = ["click[b01]", "click[next >]", "click[red]", "search[x]"]
    assert page_items(observation, actions) == [
        Item("Instruction:"), Item("red hat"), Item("Next >", "click[next >]"), Item("B01", "click[b01]"),
        Item("a hat"), Item("red", "click[red]"),
    ]  # fmt: skip
    assert in_reading_order(observation, actions) == ["click[next >]", "click[b01]", "click[red]", "search[x]"]
    assert in_reading_order("no page", actions) == actions
    assert in_reading_order("no page", None) == []


@pytest.mark.parametrize("lines", [(":quit",), (":q", "left"), ()])
def test_leaving(lines: tuple[str, ...]) -> None:
    act, _ = keyboard(*lines)
    with pytest.raises(Quit):
        act()
