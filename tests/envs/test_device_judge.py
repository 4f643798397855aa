"""A judge of steps on a device reads what was asked, seen and done; how far it is right is counted where it pays."""

from __future__ import annotations

import pytest

from agentgym.core.verdict import quoted
from agentgym.envs.web._device.step_judge import device_judge

TASK = 'Find out what "Ada Eriksen" in Contacts has as "Phone". Stop with the answer alone.'
DESKTOP = """[1] button "Show desktop"
[2] link "Contacts"
[3] link "Notes"
[4] button "Search"
[5] searchbox "Search contacts\""""
PAGE = """[6] link "Ada Eriksen"
[7] heading "Ada Eriksen" level=1
[8] "Phone"
[9] "555-23498\""""


def grade(*done: tuple[str, str], first: str = DESKTOP) -> int:
    """What the judge gives for the last of some actions, each with the screen after it."""
    turns = [f"Player: {quoted(said)}\nWorld: {quoted(seen)}" for said, seen in done]
    record = "\n\n".join([f"World: {quoted(first)}", *turns])
    shown = [{"role": "user", "content": f"Task: {TASK}\n\nRecord:\n{record}"}]
    said = device_judge().complete(shown, seed=0, max_tokens=64).text
    return int(said.rpartition("Score: ")[2])


@pytest.mark.parametrize(
    ("done", "score"),
    [
        ([("click [1]", DESKTOP)], 10),
        ([("click [2]", DESKTOP)], 10),
        ([("click [3]", DESKTOP)], 0),
        ([("wait", DESKTOP)], 0),
        ([("contacts, please", DESKTOP)], 0),
        ([("click [2]", DESKTOP), ("click [2]", DESKTOP)], 0),
        ([('fill [5] "Ada Eriksen"', DESKTOP)], 10),
        ([('fill [5] "somebody"', DESKTOP)], 0),
        ([('fill [5] "Ada Eriksen"', DESKTOP), ("click [4]", PAGE)], 10),
        ([("click [4]", DESKTOP)], 0),
        ([("click [2]", PAGE), ("click [6]", PAGE), ("stop [555-23498]", "Stopped.")], 10),
        ([("click [2]", DESKTOP), ("stop [555-23498]", "Stopped.")], 0),
        ([("stop", "Stopped.")], 0),
    ],
)
def test_a_step_is_good_where_it_touches_what_the_task_names(done: list[tuple[str, str]], score: int) -> None:
    assert grade(*done) == score
