"""What a policy is shown in each turn: the whole conversation, a window of it, one turn, or what a rule writes.

A mode answers one question: at which turn does the conversation that is shown begin, and with which words before it?
As long as the answer stays the same, a prompt extends the one before and costs only what is new. When it changes, the
conversation is opened anew, and a new segment begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from agentgym.core import ConfigError
from agentgym.core.errors import import_named


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the conversation that is shown begins.

    Attributes:
        first: Its first turn.
        head: Words before the observation of that turn.
        whole: Whether these words hold the observation already.
    """

    first: int
    head: str
    whole: bool = False


@dataclass(slots=True)
class Record:
    """What has been seen and said so far, as a context mode reads it.

    Attributes:
        reminder: The task and how actions are written, in words; part of the first observation as well.
        seen: Observations, the current one last.
        said: Answers, one fewer.
        actions: What was played of each.
    """

    reminder: str
    seen: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)


def without_turns(record: Record, first: int) -> Frame:
    """A conversation without its oldest turns: the task is repeated and the gap named.

    Args:
        record: The episode so far.
        first: How many are left out, at least one.
    """
    return Frame(first, f"{record.reminder}\n[{first} {'turn' if first == 1 else 'turns'} left out here]\n")


class Context:
    """Base of the modes."""

    def frame(self, record: Record, before: Frame) -> Frame:
        """Where the next prompt begins.

        Args:
            record: The episode so far.
            before: The answer of the turn before; `Frame(0, "")` at the first.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement frame(record, before)")

    def parts(self, said: str) -> dict[str, tuple[int, int]]:
        """Named parts of an answer as places of its first character and one past its last.

        A part called `action` is all that the world hears; without one it hears the whole answer.
        """
        return {}


@dataclass(frozen=True)
class Growing(Context):
    """The whole conversation; it ends the episode when it outgrows the policy's context."""

    def frame(self, record: Record, before: Frame) -> Frame:
        """Always the same beginning: what was `before`, whatever the `record` holds."""
        return before


WHOLE = Growing()


@dataclass(frozen=True)
class Window(Context):
    """The last turns. Once earlier ones are left out, the task is repeated and the gap named.

    Attributes:
        turns: Earlier turns that are shown, besides the current observation.
    """

    turns: int

    def __post_init__(self) -> None:
        if self.turns < 1:
            raise ConfigError(f"a window shows at least 1 earlier turn, got {self.turns}; use SingleTurn() for none")

    def frame(self, record: Record, before: Frame) -> Frame:
        """The window moves by one turn as soon as it is full.

        Args:
            record: The episode so far; its last `turns` answers stay.
            before: Kept while no turn has to be left out.
        """
        first = max(0, len(record.said) - self.turns)
        return before if first == 0 else without_turns(record, first)


@dataclass(frozen=True)
class SingleTurn(Context):
    """The task and the current observation: every turn is a problem of its own."""

    def frame(self, record: Record, before: Frame) -> Frame:
        """Every turn begins anew.

        Args:
            record: The episode so far, of which the reminder of the task stays.
            before: What the first turn, before anything was said, begins with.
        """
        return Frame(len(record.said), f"{record.reminder}\n") if record.said else before


@dataclass(frozen=True)
class Explicit(Context):
    """A rule says where a new segment begins, such as after a summary or at the next sub-goal.

    Attributes:
        rule: From the record to None (go on), or to the words with which the current turn opens a new conversation. A
            function, or its name as `module:function`.
    """

    rule: Callable[[Record], str | None] | str

    def __post_init__(self) -> None:
        if isinstance(self.rule, str):
            object.__setattr__(self, "rule", _named(self.rule))
        if not callable(self.rule):
            raise ConfigError(f"rule must be a function or its name as module:function, got {self.rule!r}")

    def frame(self, record: Record, before: Frame) -> Frame:
        """As the rule says; the first turn always opens with the observation alone.

        Args:
            record: The episode so far, which the rule is asked about.
            before: Kept where the rule says None.
        """
        assert callable(self.rule)
        head = self.rule(record) if record.said else None
        return before if head is None else Frame(len(record.said), head)


@dataclass(frozen=True)
class WorkspaceContext(Context):
    """The policy keeps notes, and of the past sees nothing else (MEM1, Zhou et al. 2025, arXiv:2506.15841).

    What an answer says between `<TAG>` and `</TAG>` replaces the notes; an answer without them leaves them as they
    were. The rest of the answer is the action. The two are marked in the turn as `TAG` and `action`.

    Attributes:
        tag: Name of the notes.
    """

    tag: str = "notes"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", self.tag) or self.tag == "action":
            raise ConfigError(f"tag must be a lower-case word other than 'action', got {self.tag!r}")

    def frame(self, record: Record, before: Frame) -> Frame:
        """Every turn begins anew, with the newest notes.

        Args:
            record: The episode so far; the newest answer that has notes is looked for from its end.
            before: What the first turn, before anything was said, begins with.
        """
        if not record.said:
            return before
        for said in reversed(record.said):
            place = self.parts(said).get(self.tag)
            if place:
                notes = said[slice(*place)]
                return Frame(len(record.said), f"{record.reminder}\n{notes}\n")
        return Frame(len(record.said), f"{record.reminder}\n")

    def parts(self, said: str) -> dict[str, tuple[int, int]]:
        """The notes with their tags, and what stands after them, or before if nothing does."""
        begin, close = said.find(f"<{self.tag}>"), said.rfind(f"</{self.tag}>")
        if not 0 <= begin < close:
            return {}
        end = close + len(self.tag) + 3
        before, after = _stripped(said, 0, begin), _stripped(said, end, len(said))
        action = after if after[1] > after[0] else before
        return {self.tag: (begin, end), "action": action}


def _stripped(text: str, begin: int, end: int) -> tuple[int, int]:
    """The same range without white space at its ends."""
    inside = text[begin:end]
    bare = inside.strip()
    start = begin + len(inside) - len(inside.lstrip()) if bare else begin
    return start, start + len(bare)


def _named(name: str) -> Any:
    module, found, function = name.partition(":")
    if not found:
        raise ConfigError(f"a function is named as module:function, got {name!r}")
    try:
        return getattr(import_named(module), function)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"there is no function {name!r}: {error}") from None


CONTEXTS: dict[str, type[Context]] = {
    "growing": Growing,
    "window": Window,
    "single_turn": SingleTurn,
    "explicit": Explicit,
    "workspace": WorkspaceContext,
}
