"""Macros: actions that hold on other pages, how they are played, and what the oracle makes of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import agentgym
from agentgym.core import Call, Command, ConfigError, Grammar, Outcome, Task
from agentgym.wrappers import ChoiceByNumber, Macros, ReAct, SeveralActions
from agentgym.wrappers.actions.portable import located, portable
from tests.core.worlds import Count, count_card

PAGE = '[3] heading "Home"\n  [4] link "Notes"\n[5] link "Contacts"\n[6] link "Notes"\n[7] textbox "Search" = "a"'
LOOK_UP = ['click <link "Contacts">', 'fill <searchbox "Search"> <text>', 'click <button "Search">']


@dataclass
class Screen:
    """Which screen is in front, what was typed, and the number of its first element."""

    name: str = "home"
    typed: str = ""
    first: int = 1
    did: list[str] = field(default_factory=list)


class Menus(Count):
    """A phone of two screens, whose elements have other numbers after every action: look somebody up, then stop."""

    card = count_card("Menus", events={}, metrics={}, costs={})
    grammar = Grammar(
        [
            Command("click [<id>]", "touch it.", ("click [3]",)),
            Command('fill [<id>] "<text>"', "type.", ('fill [3] "Ann"',)),
            Command("stop", "end.", ("stop",)),
        ]
    )
    observation_length = 2_000
    action_length = 200

    def _reset(self, task: Task) -> str:
        self.target = task.spec["target"]
        self._state: Any = Screen()
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        state = self._state
        names = dict(line.strip()[1:].split("] ", 1) for line in self._view().splitlines())
        touched = names.get(call.slots.get("id", ""), "")
        if call.name != "stop" and not touched:
            return self.refuse(f"there is no element {call['id']}.")
        state.first += 10
        if touched == 'link "Contacts"':
            state.name = "contacts"
        elif call.name == "fill":
            state.typed = call["text"]
        elif touched == 'button "Search"':
            state.did.append(state.typed)
        right = state.did == [f"Person {self.target}"]
        return Outcome(self._view(), terminated=call.name == "stop", success=call.name == "stop" and right)

    def _view(self) -> str:
        home = ('link "Notes"', 'link "Contacts"')
        names = home if self._state.name == "home" else ('searchbox "Search"', 'button "Search"')
        return "\n".join(f"[{number}] {name}" for number, name in enumerate(names, self._state.first))

    def _oracle(self) -> str:
        state = self._state
        if state.name == "home":
            return f"click [{state.first + 1}]"
        if not state.typed:
            return f'fill [{state.first}] "Person {self.target}"'
        return "stop" if state.did else f"click [{state.first + 1}]"

    def _admissible(self) -> list[str]:
        return ["stop"]

    def _key_state(self) -> Any:
        return vars(self._state)


if Menus.card.id not in gym.registry:
    gym.register(id=Menus.card.id, entry_point="tests.wrappers.test_macros:Menus")


def menus(**arguments: Any) -> Macros:
    return Macros(gym.make(Menus.card.id), **(arguments or {"macros": [LOOK_UP]}))


def test_numbers_become_names_and_texts_are_left_open() -> None:
    assert portable("click [5]", PAGE) == ('click <link "Contacts">', ())
    assert portable('fill [7]  "Ann \\"A\\" Lee"', PAGE) == ('fill <textbox "Search"> <text>', ('"Ann \\"A\\" Lee"',))
    assert portable("get 2 oak log", "no outline") == ("get 2 oak log", ())
    assert portable("press Enter", PAGE) == ("press Enter", ())


@pytest.mark.parametrize("action", ["click [6]", "click [9]", "click('5')", "say <b>", "a\nb", " "])
def test_what_a_name_does_not_tell_is_not_portable(action: str) -> None:
    """The second of two elements alike, one that is not there, a number outside brackets, marks, lines, nothing."""
    assert portable(action, PAGE) is None


def test_a_step_finds_its_element_on_another_page() -> None:
    other = '[90] textbox "Search"\n[91] link "Contacts"'
    assert located('click <link "Contacts">', other, []) == "click [91]"
    assert located('fill <textbox "Search"> <text>', other, ['"Bo"']) == 'fill [90] "Bo"'
    assert located('click <link "Files">', other, []) is None


def test_a_macro_plays_its_steps_with_the_text_given_and_shows_the_last_page() -> None:
    env = menus()
    text, info = env.reset(seed=0)
    assert 'macro 1 "<text>" plays: click link "Contacts"; fill searchbox "Search" <text>;' in text
    assert info["macro"] == 0
    text, _, terminated, _, info = env.step('macro 1 "Ann Lee"')
    played = ["click [2]", 'fill [11] "Ann Lee"', "click [22]"]
    assert info["action"].splitlines() == played
    assert text == "\n".join([*(f"> {action}" for action in played), '[31] searchbox "Search"', '[32] button "Search"'])
    assert (info["macro"], info["action_valid"], terminated) == (1, True, False)
    assert env.unwrapped._state.did == ["Ann Lee"]  # type: ignore[attr-defined]
    assert env.step("click [32]")[4]["macro"] == 0


def test_a_macro_ends_where_an_element_is_not_in_view() -> None:
    env = menus()
    env.reset(seed=0)
    env.step("click [2]")
    text, _, _, _, info = env.step('macro 1 "Ann"')
    assert not info["action_valid"]
    assert info["error"].startswith('The macro ends here, for there is no such element in view: click link "Contacts"')
    assert 'Not played: fill searchbox "Search" <text>; click button "Search"' in text
    assert '[11] searchbox "Search"' in text, "the page in view is shown"
    assert env.unwrapped._state.did == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("macro 1", "'macro 1' is not an action here. Actions: macro 1 <texts>"),
        ('macro 1 "a" "b"', 'Macro 1 takes 1 texts in double quotes, got 2: macro 1 "<text>".'),
    ],
)
def test_texts_are_counted(said: str, why: str) -> None:
    env = menus()
    env.reset(seed=0)
    info = env.step(said)[4]
    assert (info["action_valid"], info["macro"], info["error"]) == (False, 0, why)


def test_every_example_parses_and_the_manual_tells_the_macros() -> None:
    env = menus(macros=[LOOK_UP, ["stop", "stop"]])
    assert all(isinstance(env.parse(example), Call) for example in env.examples)
    assert "macro 2" in env.manual
    assert 'macro 1 "text"' in env.manual


def test_the_oracle_plays_the_longest_macro_that_its_next_actions_are() -> None:
    env = menus(macros=[LOOK_UP[:2], LOOK_UP, [*LOOK_UP, 'click <link "Notes">']])
    env.reset(seed=3)
    target = env.unwrapped.target  # type: ignore[attr-defined]
    before = agentgym.snapshot(env)
    assert env.oracle_action() == f'macro 2 "Person {target}"'
    assert agentgym.snapshot(env).digest() == before.digest(), "looking ahead leaves no trace"
    env.step(env.oracle_action())
    assert env.oracle_action() == "stop"
    assert env.step("stop")[4]["success"]


def test_the_oracle_speaks_through_a_format_around_macros() -> None:
    env = ReAct(menus())
    env.reset(seed=0)
    assert "Action: macro 1" in env.oracle_action()
    assert env.step(env.oracle_action())[4]["macro"] == 1


def test_macros_and_several_actions_stand_in_one_line() -> None:
    env = SeveralActions(menus())
    env.reset(seed=0)
    assert env.step('macro 1 "Ann" || stop')[2]


def test_a_fork_goes_on_from_the_page_in_view() -> None:
    env = menus(macros=[LOOK_UP[1:]])
    env.reset(seed=0)
    env.step("click [2]")
    twin = agentgym.fork(env)
    assert twin.step('macro 1 "Ann"')[4]["action"] == env.step('macro 1 "Ann"')[4]["action"] != ""


def test_a_file_holds_them(tmp_path: Path) -> None:
    file = tmp_path / "macros.json"
    file.write_text(json.dumps({"world": Menus.card.id, "macros": [LOOK_UP]}))
    assert menus(file=str(file)).macros == (tuple(LOOK_UP),)
    file.write_text(json.dumps({"macros": [LOOK_UP]}))
    with pytest.raises(agentgym.core.DataError, match="world"):
        menus(file=str(file))


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"macros": [LOOK_UP], "file": "x"}, "either macros or a file"),
        ({"macros": []}, "1 to 32 lists"),
        ({"macros": [["stop"]]}, "2 to 16 steps"),
        ({"macros": ["stop stop"]}, "2 to 16 steps"),
        ({"macros": [["stop", "a\nb"]]}, "one line"),
        ({"macros": [["stop", "fly"]]}, "'fly' of macro 1 is no action here"),
    ],
)
def test_what_are_no_macros_is_refused(arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigError, match=why) as caught:
        menus(**arguments)
    assert "\n" not in str(caught.value)


def test_worlds_and_orders_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ConfigError, match="macros inside already"):
        Macros(menus(), macros=[["stop", "stop"]])
    with pytest.raises(ConfigError, match="further inside"):
        Macros(ChoiceByNumber(agentgym.make("FrozenLake-v0")), macros=[["left", "left"]])
    with pytest.raises(ConfigError, match="AgentGym/Office-v0 call tools"):
        Macros(agentgym.make("Office-v0"), macros=[["left", "left"]])
