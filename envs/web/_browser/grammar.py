"""The browser's action grammar: what the agent is told, and what is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agentgym.core.grammar import Call, Invalid
from agentgym.core.prose import NONE, FirstWords, extract, peelings
from agentgym.core.text import objection
from agentgym.envs.web._browser.action_parsers import read, read_calls

# Name of the call, form, what it does, examples.
COMMANDS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("click", "click [<id>]", "click an element; also dblclick and right_click", ("click [12]", "right_click [3]")),
    ("fill", 'fill [<id>] "<text>"', "put a text into a field in place of what it holds", ('fill [7] "red shoes"',)),
    ("type", 'type [<id>] "<text>"', "type at the end of a field, key by key; without an element, where the focus is",
     ('type [7] " and socks"', 'type "hello"')),
    ("press", "press <keys>", "press a key or a combination, on an element if one is named",
     ("press Enter", "press Control+a", "press [7] ArrowDown")),
    ("select", 'select [<id>] "<option>"', "choose in a list, several options separated by commas",
     ('select [5] "Blue"', 'select [5] "Blue", "Red"')),
    ("check", "check [<id>]", "tick a box", ("check [4]",)),
    ("uncheck", "uncheck [<id>]", "untick a box", ("uncheck [4]",)),
    ("hover", "hover [<id>]", "move the mouse over an element", ("hover [9]",)),
    ("focus", "focus [<id>]", "move the focus to an element", ("focus [7]",)),
    ("clear", "clear [<id>]", "empty a field", ("clear [7]",)),
    ("scroll", "scroll <direction>", "scroll the page, or an element that scrolls, by most of a screen",
     ("scroll down", "scroll [8] up")),
    ("drag", "drag [<id>] [<id>]", "drag an element onto another, or to a place in pixels",
     ("drag [3] [5]", "drag [3] 40,60")),
    ("upload", 'upload [<id>] "<file>"', "give a file field one of the files you have", ('upload [6] "receipt.txt"',)),
    ("mouse", "click_at <x>,<y>", "click at a place; also dblclick_at, right_click_at, move_to, mouse_down, mouse_up",
     ("click_at 40,60", "move_to 10,10", "mouse_down 5,5")),
    ("drag_at", "drag_at <x>,<y> <x>,<y>", "press the button at one place and release it at another",
     ("drag_at 10,20 60,20",)),
    ("wheel", "scroll_at <x>,<y> <dx>,<dy>", "turn the wheel over a place, by pixels", ("scroll_at 50,100 0,200",)),
    ("goto", "goto <url>", "open an address", ("goto http://shop.example/",)),
    ("back", "back", "go back in the history", ("back",)),
    ("forward", "forward", "go forward in the history", ("forward",)),
    ("new_tab", "new_tab", "open a tab, at an address if one is given", ("new_tab", "new_tab http://shop.example/")),
    ("switch_tab", "switch_tab [<number>]", "bring a tab to the front", ("switch_tab [2]",)),
    ("close_tab", "close_tab", "close the tab in front", ("close_tab",)),
    ("wait", "wait", "let a second pass on the page", ("wait",)),
    ("accept", 'accept "<text>"', "answer a dialog of the page with OK, or with a text where it asks for one",
     ("accept", 'accept "Ann"')),
    ("dismiss", "dismiss", "close a dialog of the page without", ("dismiss",)),
    ("say", 'say "<text>"', "tell the user something; the task goes on", ('say "I have found two."',)),
    ("stop", "stop [<answer>]", "end the task with an answer, empty if none is asked for", ("stop [$279.49]", "stop")),
    ("infeasible", "infeasible [<reason>]", "end the task because it cannot be done",
     ("infeasible [no such product]",)),
)  # fmt: skip
DIALECTS = (
    "WebArena's forms (type [7] [text] [1], press [Ctrl+v], go_back, tab_focus [0]) and BrowserGym's calls "
    "(click('12'), fill('7', 'text'), mouse_click(40, 60), tab_focus(0)) are understood as well."
)


@dataclass(frozen=True)
class BrowserGrammar:
    """Actions of a browser agent.

    Args:
        rules: Sentences for the head of the manual.
        dropped: Calls that a world does not have.
        dialogs: Whether the agent answers the dialogs of pages.
        chat: Whether the task goes on after something is said to the user; otherwise that is its answer.
        calls: Most of BrowserGym's calls in one turn.
    """

    rules: str = ""
    dropped: Sequence[str] = ()
    dialogs: bool = False
    chat: bool = False
    calls: int = 1

    @property
    def _commands(self) -> list[tuple[str, str, str, tuple[str, ...]]]:
        return [command for command in COMMANDS if command[0] not in self._absent]

    @property
    def _absent(self) -> tuple[str, ...]:
        return (*self.dropped, *(() if self.dialogs else ("accept", "dismiss")), *(() if self.chat else ("say",)))

    @property
    def _unread(self) -> tuple[str, ...]:
        """Calls that are refused: what is said to the user is always read."""
        return tuple(name for name in self._absent if name != "say")

    @property
    def line(self) -> str:
        """The grammar in one line."""
        return "Actions: " + ", ".join(form for _, form, _, _ in self._commands)

    @property
    def manual(self) -> str:
        """Rules, actions and worked examples."""
        lines = [self.rules, ""] if self.rules else []
        lines.append("Answer with one action a turn, on one line. Elements are named by the numbers in the outline:")
        for _, form, help_, examples in self._commands:
            lines.append(f"- {form}: {help_}. For example: {'; '.join(examples)}")
        if self.calls > 1:
            lines.append(f"An answer may hold up to {self.calls} of BrowserGym's calls, each on a line of its own.")
        return "\n".join([*lines, DIALECTS])

    @property
    def examples(self) -> tuple[str, ...]:
        """Every worked example."""
        return tuple(example for _, _, _, examples in self._commands for example in examples)

    @property
    def tools(self) -> list[dict[str, Any]]:
        """Empty: the actions are words."""
        return []

    @property
    def first_words(self) -> FirstWords:
        """Empty: free text stands in quotes or brackets."""
        return NONE

    def parse(self, action: str) -> Call | Invalid:
        """Read one action, alone or in prose; never raises on a string."""
        several = read_calls(action, self.line, self._unread, self.calls) if self.calls > 1 else None
        if several is not None:
            return several
        whole = read(action, self.line, self._unread)
        if isinstance(whole, Call) or objection(action):
            return whole
        piece = extract(action)
        readings = [read(less, self.line, self._unread) for less in peelings(piece)]
        return next(
            (one for one in readings if isinstance(one, Call)), whole if piece == action.strip() else readings[0]
        )
