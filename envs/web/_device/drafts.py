"""What a template of a device makes: the words of a task, what must have changed, and how it can be done."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agentgym.envs.web._sites.database import Row, Store
from agentgym.envs.web._sites.device.content import original
from agentgym.envs.web._sites.phrasings import phrased
from agentgym.envs.web._sites.plans import Step

HINTS = {
    "number": "Answer with the number alone.",
    "name": "Answer with the name alone.",
    "text": "Answer with the words as they stand there, and nothing else.",
    "phone": "Answer with the phone number alone, such as 555-12345.",
    "date": "Answer with the date alone, such as 2026-03-20.",
    "time": "Answer with the time alone, such as 18:30.",
    "size": "Answer with the size as the device writes it, such as 120 MB.",
}


@dataclass
class Draft:
    """A task before it is worded.

    Attributes:
        kind: A key of `phrasings.FRAMES`: `information` or `content`.
        words: Ways to say what stands in a frame.
        plan: Steps that do it; `["open", app]` opens an app from anywhere.
        goals: What must have changed; see `judge`.
        answer: What must be said at the end; empty for nothing.
        hint: A key of `HINTS`; empty for none.
    """

    kind: str
    words: Sequence[str]
    plan: list[Step]
    goals: list[Mapping[str, Any]] = field(default_factory=list)
    answer: str = ""
    hint: str = ""


class Ask:
    """What a template draws from: the device of an owner as an episode finds it.

    Args:
        rng: Of the task.
        owner: Whose device.
    """

    def __init__(self, rng: np.random.Generator, owner: int):
        self._rng = rng
        self.store = Store(original(owner))

    def pick(self, choices: Sequence[Any]) -> Any:
        """One of a sequence."""
        return choices[int(self._rng.integers(len(choices)))]

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`."""
        return int(self._rng.integers(low, high + 1))

    def row(self, query: str, *given: Any) -> Row:
        """One of the rows that `query` finds in the device's database, drawn; `given` fill its question marks."""
        found: Row = self.pick(self.store.all(query, *given))
        return found


Template = Callable[[Ask], Draft]


def told(words: Sequence[str], plan: list[Step], answer: Any, hint: str) -> Draft:
    """A task of information.

    Args:
        words: Ways to say what is asked for: noun phrases, or questions such as `how many there are`.
        plan: How to find it.
        answer: What is right.
        hint: A key of `HINTS`.
    """
    return Draft("information", words, plan, [], str(answer), hint)


def done(words: Sequence[str], plan: list[Step], *goals: Mapping[str, Any]) -> Draft:
    """A task that changes something.

    Args:
        words: Ways to say what to do.
        plan: How.
        goals: What must have changed, and nothing else.
    """
    return Draft("content", words, plan, list(goals))


def click(role: str, name: str) -> Step:
    """A step: click what has a role and a name.

    Args:
        role: Such as `button`.
        name: As the outline has it.
    """
    return ["click", f"{role} {json.dumps(name, ensure_ascii=False)}"]


def link(name: str) -> Step:
    """A step: follow a link."""
    return click("link", name)


def press(name: str) -> Step:
    """A step: press a button."""
    return click("button", name)


def fill(name: str, text: str, role: str = "textbox") -> Step:
    """A step: put a text into a field.

    Args:
        name: The field's label.
        text: What to put there.
        role: `textbox`, `searchbox` or `spinbutton`.
    """
    return ["fill", f"{role} {json.dumps(name, ensure_ascii=False)}", text]


def choose(name: str, option: str) -> Step:
    """A step: choose in a list.

    Args:
        name: The list's label.
        option: What to choose.
    """
    return ["select", f"combobox {json.dumps(name, ensure_ascii=False)}", option]


def searched(app: str, field_: str, words: str, found: str) -> list[Step]:
    """Steps: open an app, search, and open what is found.

    Args:
        app: Its name.
        field_: Label of the field for words.
        words: What to search for.
        found: Name of the link to follow.
    """
    return [["open", app], fill(field_, words, "searchbox"), press("Search"), link(found)]


def contact(name: str) -> list[Step]:
    """Steps to the page of a contact."""
    return searched("Contacts", "Search contacts", name, name)


def talk(name: str) -> list[Step]:
    """Steps to the conversation with somebody."""
    return searched("Messages", "Search messages", name, name)


def event(title: str) -> list[Step]:
    """Steps to the page of an event whose title no other has."""
    return searched("Calendar", "Search events", title, title)


def file(name: str) -> list[Step]:
    """Steps to the page of a file."""
    return searched("Files", "Search files", name, name)


def note(title: str) -> list[Step]:
    """Steps to the page of a note."""
    return searched("Notes", "Search notes", title, title)


def write(name: str, text: str) -> list[Step]:
    """Steps that send somebody a message.

    Args:
        name: Of a contact.
        text: What to write.
    """
    return [["open", "Messages"], link("New message"), fill("To", name), fill("Message", text), press("Send")]


def sent(ask: Ask, phone: str, text: str) -> list[Mapping[str, Any]]:
    """Goals: a message went to a number, in a new conversation if there was none.

    Args:
        ask: The device.
        phone: The number.
        text: What the message says.
    """
    thread = ask.store.value("SELECT id FROM threads WHERE phone = ?", phone)
    goals: list[Mapping[str, Any]] = []
    if thread is None:
        thread = ask.store.value("SELECT max(id) FROM threads") + 1
        goals.append({"table": "threads", "change": "add", "id": 0, "has": {"phone": phone}})
    has = {"thread": thread, "mine": 1, "body": text}
    return [*goals, {"table": "messages", "change": "add", "id": 0, "has": has}]


def record(name: str, owner: int, draft: Draft, way: int, frame: int) -> dict[str, Any]:
    """The specification of a task.

    Args:
        name: Of the template.
        owner: Whose device.
        draft: What the template made.
        way: Which of the draft's ways to say it, modulo their number.
        frame: Which of the ten phrasings.
    """
    said = phrased(draft.kind, draft.words[way % len(draft.words)], frame)
    return {
        "template": name, "owner": owner, "instruction": f"{said} {HINTS.get(draft.hint, '')}".strip(),
        "answer": draft.answer, "goals": draft.goals, "plan": draft.plan,
    }  # fmt: skip
