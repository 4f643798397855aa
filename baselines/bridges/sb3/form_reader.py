"""A form in a page as numbers: what each action has in common with what the instruction asks, and what is done already.

The encoding is shallow, as in QWeb (Gur et al. 2019, arXiv:1812.09195): an instruction is a list of
fields, a page a list of elements, and what a network sees of an element and a field is how far their words overlap.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from agentgym.wrappers.numeric.actions import NOTHING, IndexedActions

ROLES = ("button", "checkbox", "radio", "textbox", "combobox")
CONTROLS = {"click": ("button", "checkbox", "radio"), "fill": ("textbox",), "select": ("combobox",)}
FEATURES = len(CONTROLS) + len(ROLES) + 10  # of a slot; the last is its share of its element's actions
LINE = re.compile(r'(?P<indent> *)\[(?P<number>\d+)\] (?P<role>\w+)(?: "(?P<name>[^"]*)")?(?P<rest>.*)')
ACTION = re.compile(r'(?P<verb>\w+) \[(?P<number>\d+)\](?: "(?P<value>.*)")?')
QUOTED = re.compile(r'"([^"]*)"')
VALUE = re.compile(r'\bvalue="([^"]*)"')


@dataclass(frozen=True)
class Element:
    """An element of a form.

    Attributes:
        role, name: As the page's outline says them.
        words: Of its name, and of the group that it stands in.
        holds: The words that it stands for as it is: of what is written or chosen in it too; none where it is empty, or
            a list shows its first option.
        options: Of a list.
    """

    role: str
    name: str
    words: frozenset[str]
    holds: frozenset[str]
    options: tuple[str, ...] = ()


def words(text: str) -> frozenset[str]:
    """The words of a text, without their case.

    Args:
        text: Any.
    """
    return frozenset(text.lower().split())


def fields(instruction: str) -> list[frozenset[str]]:
    """The fields of an instruction: the words in quotes of each of its parts.

    Args:
        instruction: Such as `Tick "Gift", enter "Ada" for "First name", and press Submit.`
    """
    found = [words(" ".join(QUOTED.findall(part))) for part in instruction.split(", ")]
    return [field for field in found if field]


def elements(outline: str) -> dict[str, Element]:
    """The elements of a page by number.

    Args:
        outline: As `MiniWoB-v1` shows the page.
    """
    found: dict[str, Element] = {}
    group, depth = frozenset[str](), 0
    for line in outline.split("\n"):
        match = LINE.match(line)
        if match is None:
            continue
        role, name, rest, indent = match["role"], match["name"] or "", match["rest"], len(match["indent"])
        if indent <= depth:
            group = frozenset()
        if role == "group":
            group, depth = words(name), indent
        own = words(name) | group
        value = VALUE.search(rest)
        ticked = role in ("checkbox", "radio") and " checked" in rest and "not checked" not in rest
        options = tuple(QUOTED.findall(rest.partition("options: ")[2]))
        written = value[1] if value and value[1] not in options[:1] else ""
        holds = own | words(written) if written else own if ticked else frozenset[str]()
        found[match["number"]] = Element(role, name, own, holds, options)
    return found


def values(instruction: str) -> list[str]:
    """What an instruction asks to be written: of each of its parts the first words in quotes, where there are two.

    Args:
        instruction: As for `fields`.
    """
    quoted = [QUOTED.findall(part) for part in instruction.split(", ")]
    return list(dict.fromkeys(each[0] for each in quoted if len(each) == 2))


def overlap(field: frozenset[str], other: frozenset[str]) -> float:
    """How much two sets of words have in common: 1 where they are the same, 0 where they share none.

    Args:
        field: Of an instruction.
        other: Of an element.
    """
    return len(field & other) / len(field | other)


class FormActions(IndexedActions):
    """What can be done to a form by number: its controls in the order of the page, as in QWeb.

    A button, a box and a choice are clicked, a list takes each of its options, a text each value of the instruction.

    Args:
        env: `MiniWoB-v1`.
        size: How many actions can be numbered; those beyond are left out.
    """

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As the world's; `info["action_mask"]` is the mask.

        Args:
            seed: Seed of the world's generator; None goes on with the one it has.
            options: Reset options of the world.
        """
        self._shown, info = self.env.reset(seed=seed, options=options)
        self._values = values(str(info["instruction"]))
        return self._shown, self._refreshed(info)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play the action of an index."""
        self._shown, reward, terminated, truncated, info = self.env.step(self._texts[self._index(action)])
        return self._shown, float(reward), terminated, truncated, self._refreshed(info)

    def _list(self) -> None:
        found = [
            action for number, each in elements(self._shown).items() for action in _actions(number, each, self._values)
        ]
        count = min(len(found), self.size)
        self._texts = found[:count] + [NOTHING] * (self.size + 1 - count)
        self._mask[:count], self._mask[count:] = True, False


def _actions(number: str, element: Element, texts: Sequence[str]) -> list[str]:
    verb = next((verb for verb, roles in CONTROLS.items() if element.role in roles), None)
    if verb in (None, "click"):
        return [f"click [{number}]"] if verb else []
    return [f'{verb} [{number}] "{each}"' for each in (element.options if verb == "select" else texts)]


class FormReader(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Observations as one float32 Box in [0, 1] of `FEATURES` numbers for each numbered action, end to end.

    Of each action: its verb and its element's role, one-hot; the largest overlap of its words and its element's with a
    field, and whether they are the same; whether that field is done already; whether its element is empty, or holds
    what nobody asked for; then, the same for all, the share of the fields that are done, whether all are, whether one
    alone is not, and whether any element holds what nobody asked for; and last 1 divided by how many actions its
    element has, by which elements can be explored alike, or 0 where it cannot be played.

    Args:
        env: `FormActions` over a form of `MiniWoB-v1`.
    """

    def __init__(self, env: gym.Env[str, Any]):
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self.size = int(env.action_space.n)  # type: ignore[attr-defined]
        self.observation_space = gym.spaces.Box(0.0, 1.0, (self.size * FEATURES,), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """As the world's, read as described above.

        Args:
            seed: Seed of the world's generator; None goes on with the one it has.
            options: Reset options of the world.
        """
        text, info = self.env.reset(seed=seed, options=options)
        return self._read(text, info), info

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play the action of an index."""
        text, reward, terminated, truncated, info = self.env.step(action)
        return self._read(text, info), float(reward), terminated, truncated, info

    def _read(self, text: str, info: Mapping[str, Any]) -> NDArray[np.float32]:
        said: Sequence[str] = self.env.get_wrapper_attr("action_texts")()
        asked, page = fields(str(info["instruction"])), elements(text)
        done = [any(field == each.holds for each in page.values()) for field in asked]
        left = len(asked) - sum(done)
        rows = np.zeros((self.size, FEATURES), np.float32)
        stray = {number for number, each in page.items() if each.holds and each.holds not in asked}
        rows[:, -5:-1] = sum(done) / max(1, len(asked)), left == 0, left == 1, bool(stray)
        places: defaultdict[str, list[int]] = defaultdict(list)
        for place, (row, action) in enumerate(zip(rows, said, strict=True)):
            match = ACTION.match(action)
            element = page.get(match["number"]) if match else None
            if match is None or element is None:
                continue
            row[[*CONTROLS].index(match["verb"])] = row[len(CONTROLS) + ROLES.index(element.role)] = 1
            own = element.words | words(match["value"] or "")
            shares = [overlap(field, own) for field in asked]
            best = max(range(len(asked)), key=shares.__getitem__, default=None)
            if best is not None:
                row[-10:-6] = shares[best], shares[best] == 1, done[best], not element.holds
            row[-6], row[-1] = match["number"] in stray, 1
            places[match["number"]].append(place)
        for each in places.values():
            rows[each, -1] = 1 / len(each)
        rows[-1, -1] = not places
        return rows.ravel()
