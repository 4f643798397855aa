"""`MemoryTools`: notes that the agent adds, updates, deletes and searches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium as gym
from rapidfuzz import fuzz

from agentgym.core import Call, Command, ConfigError, Grammar, Invalid, Tool, ToolGrammar
from agentgym.core.checks import check_action, check_count
from agentgym.core.grammar import ActionGrammar, shorten
from agentgym.wrappers.base import WORDS, Info, TextWrapper
from agentgym.wrappers.refusal import CarriedOut, Refusal

FOUND = 5  # notes that a search shows
NOTE = 500  # characters of a note
TEXT = {"type": "string", "minLength": 1, "maxLength": NOTE}
NUMBER = {"type": "integer", "minimum": 1}
IN_WORDS = Grammar(
    [
        Command(
            "memory add <text>", "write a note", ("memory add the key is in drawer 2",), name="memory_add", free="line"
        ),
        Command(
            "memory update <number> <text>", "write a note anew", ("memory update 1 the key is in my hand",),
            name="memory_update",
            free="line",
        ),
        Command("memory delete <number>", "strike out a note", ("memory delete 1",), name="memory_delete"),
        Command("memory search <words>", "find notes", ("memory search key",), name="memory_search", free="line"),
        Command("memory keep", "leave the notes as they are", ("memory keep",), name="memory_keep"),
    ]
)  # fmt: skip


def _tool(name: str, help: str, example: Mapping[str, Any], **slots: Any) -> Tool:
    schema = {"type": "object", "properties": slots, "required": list(slots), "additionalProperties": False}
    return Tool(f"memory_{name}", help, schema, (example,))


AS_TOOLS = ToolGrammar(
    [
        _tool("add", "Write a note.", {"text": "the key is in drawer 2"}, text=TEXT),
        _tool("update", "Write a note anew.", {"number": 1, "text": "I have the key"}, number=NUMBER, text=TEXT),
        _tool("delete", "Strike out a note.", {"number": 1}, number=NUMBER),
        _tool("search", "Find notes.", {"words": "key"}, words=TEXT),
        _tool("keep", "Leave the notes as they are.", {}),
    ]
)


class MemoryTools(TextWrapper):
    """Gives the agent notes: `memory add`, `update`, `delete`, `search` and `keep`, which does nothing.

    In worlds whose actions are tool calls these are tools, `memory_add` and so on. Using the memory costs a turn and
    does nothing else in the world (worlds that go on by themselves go on); in a game it is one of the player's tries.
    A search shows the five notes that resemble the words most. With `lasting`, notes stay from episode to episode until
    a seeded reset, and an episode begins with a list of them.

    Changes: actions (five more), first observation, `manual`, `tools`; `info` gains `memory` (list of str: the notes).

    Args:
        env: A world that answers text.
        capacity: Most notes; adding one more is refused.
        lasting: Whether notes outlive the episode.

    Source: Yan et al., Memory-R1 (add, update, delete, no-op), 2025; the lasting memory of AGILE, NeurIPS 2024.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import MemoryTools
    >>> env = MemoryTools(gym.make("AgentGym/TextCraft-v1"))
    >>> text, info = env.reset(seed=0)
    >>> text, *_, info = env.step("memory add planks come from logs")
    >>> print(text)
    Note 1 is written.
    >>> print(env.step("memory search plank")[0])
    1. planks come from logs
    """

    _reads: ClassVar[int] = WORDS
    saved_attributes: ClassVar[tuple[str, ...]] = ("_notes",)

    def __init__(self, env: gym.Env[Any, Any], *, capacity: int = 32, lasting: bool = False):
        capacity = check_count("capacity", capacity)
        super().__init__(env, extra_length=4_096 + capacity * (NOTE + 8), capacity=capacity, lasting=lasting)
        self.capacity, self.lasting = capacity, lasting
        self._notes: list[str] = []
        self._own: ActionGrammar = AS_TOOLS if self.world.tools else IN_WORDS
        names = {call.name for example in self._own.examples if isinstance(call := self._own.parse(example), Call)}
        for example in self._own.examples:
            read = self.inner.parse(example)
            if isinstance(read, Call) and read.name in names:
                raise ConfigError(f"{self.world.card.id} has a memory inside already; leave MemoryTools out")

    @property
    def commands(self) -> str:
        """The actions inside, and those of the memory."""
        own = self._own.line.rpartition("tools: ")[2] if self.world.tools else self._own.line.removeprefix("Actions: ")
        return f"{super().commands}, {own}"

    @property
    def manual(self) -> str:
        """The manual inside, and the commands of the memory."""
        return f"{self.inner.manual}\n\nYou have a memory of up to {self.capacity} notes. {self._own.manual}"

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools inside, and the memory's where actions are tool calls."""
        return [*self.inner.tools, *self._own.tools]

    def parse(self, action: str) -> Call | Invalid:
        """Read an action without playing it."""
        own = self._memory(action)
        return self.inner.parse(action) if own is None else own

    def prepare(self, seed: int | None, options: Mapping[str, Any] | None) -> tuple[Mapping[str, Any] | None, Any]:
        """The `options` as they are; the note is whether there is a `seed`."""
        return options, seed is not None

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first observation with the notes that last.

        Args:
            observation: What is seen inside.
            info: Gains `memory`.
            note: Whether there is a seed, with which also lasting notes are gone.
        """
        self._notes = [] if note or not self.lasting else list(self._notes)
        text = self._introduce(observation, info)
        info["memory"] = list(self._notes)
        return self._fit(f"{text}\nYour notes:\n{_listed(self._notes)}") if self._notes else text

    def read(self, reply: str) -> tuple[Any, Any]:
        """An action of the world; one of the memory is carried out here."""
        check_action(reply)
        own = None if isinstance(reply, Refusal) else self._memory(reply)
        if own is None:
            return reply, None
        done = own if isinstance(own, Invalid) else self._do(own)
        return Refusal(done.reason, reply) if isinstance(done, Invalid) else CarriedOut(done, reply), None

    def show(self, observation: str, info: Info, note: Any) -> str:
        """The observation as it is; `info` holds the notes."""
        info["memory"] = list(self._notes)
        return observation

    def _memory(self, action: str) -> Call | Invalid | None:
        """The memory command that an action is, or what is wrong with it; None if it is for the world."""
        low = action.lower().lstrip()
        if len(action) > self.world.action_length or "memory" not in low:
            return None
        read = self._own.parse(action)
        if isinstance(read, Call):
            return read
        meant = '"memory_' in low if self.world.tools else low.startswith("memory")
        return read if meant and isinstance(self.inner.parse(action), Invalid) else None

    def _do(self, call: Call) -> str | Invalid:
        """Carry out a command; the result in words."""
        what = call.name.removeprefix("memory_")
        text = " ".join(str(call.slots.get("text", "")).split())
        if len(text) > NOTE:
            return Invalid(f"a note has at most {NOTE} characters, this one {len(text)}.")
        if what == "add":
            if len(self._notes) == self.capacity:
                return Invalid(f"the memory is full with {self.capacity} notes; update or delete one.")
            self._notes.append(text)
            return f"Note {len(self._notes)} is written."
        if what == "search":
            return self._search(str(call["words"]))
        if what == "keep":
            return "The notes stay as they are."
        said = str(call["number"])
        number = int(said) if said.isascii() and said.isdigit() and len(said) < 9 else 0
        if not 1 <= number <= len(self._notes):
            return Invalid(f"there is no note {shorten(said)}; there are {len(self._notes)} notes.")
        if what == "update":
            self._notes[number - 1] = text
            return f"Note {number} is written anew."
        del self._notes[number - 1]
        return f"Note {number} is struck out; the later ones move up."

    def _search(self, words: str) -> str:
        scored = [
            (fuzz.partial_token_set_ratio(words.lower(), note.lower()), -at) for at, note in enumerate(self._notes)
        ]
        best = sorted((score, at) for score, at in scored if score >= 50)[: -FOUND - 1 : -1]
        if not best:
            return "No note resembles that."
        return "\n".join(f"{1 - at}. {self._notes[-at]}" for _, at in best)


def _listed(notes: list[str]) -> str:
    return "\n".join(f"{number}. {note}" for number, note in enumerate(notes, 1))
