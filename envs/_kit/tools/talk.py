"""A user as a player: a tool world in which the agent talks to somebody simulated, and acts for them with tools.

What a user says is a function of what was said before and a seed, so a conversation is plain data in the state and
every snapshot of it is exact. A scripted user tells what it is asked for and is satisfied by what it is told; a
language model may play the same person from the script put into words.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

from agentgym.core.checks import check_model
from agentgym.core.errors import EngineFailure
from agentgym.core.generated import checked
from agentgym.core.grammar import Call
from agentgym.core.outcome import Outcome
from agentgym.core.rng import stream, stream_seed
from agentgym.core.tasks import Task
from agentgym.core.text_model import Message, TextModel
from agentgym.core.tool_grammar import Tool
from agentgym.core.verdict import Silent, ask_verdict
from agentgym.envs._kit.tools.functions import LONGEST_TEXT, Toolbox
from agentgym.envs._kit.tools.questions import written
from agentgym.envs._kit.tools.world import ToolConfig, ToolEnv, ToolState

AGENT, USER = "agent", "user"
SECONDS = 10.0  # virtual, of a turn of the user
LONGEST_REPLY, TOKENS = 600, 200  # characters of what a user says; tokens of what a model may say for it
STOP = "[goodbye]"  # with which a model ends the conversation
GREETING, SILENCE = "Hello.", "(The user says nothing.)"
OTHER = 2**31  # between the seeds of two questions about the same
NOT_WORDS = re.compile(r"[^\w]+")
PROMPT = """You are a person who talks to an assistant; you are not the assistant. This is about you:

{scenario}

Say one short message at a time, in the first person. Tell only what you are asked for, one thing after the other, and \
nothing that is not written above: if you do not know, say so. You began with: "{opening}". When you have been told \
all that you want to know, or if you lose patience, say goodbye and end the message with {stop}"""

RESPOND = Tool(
    "respond",
    "Say something to the user; the result is the reply.",
    {
        "type": "object",
        "properties": {"content": {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT}},
        "required": ["content"],
        "additionalProperties": False,
    },
    ({"content": "What can I do for you?"},),
)

Talk = Sequence[tuple[str, str]]  # who said what: `AGENT` or `USER`, and the text


@dataclass(frozen=True)
class Said:
    """A turn of a user.

    Attributes:
        text: What it says.
        over: Whether it ends the conversation.
        tokens: Read and written by the model that plays it.
        cost: US dollars.
    """

    text: str
    over: bool = False
    tokens: int = 0
    cost: float = 0.0


class User(Protocol):
    """Somebody to talk to. Equal conversations and seeds should give equal replies."""

    @property
    def opening(self) -> str:
        """What it says before the agent says anything."""

    def reply(self, talk: Talk, seed: int) -> Said:
        """What it says next.

        Args:
            talk: The conversation, its opening first and the agent's words last.
            seed: Of its choice of words.
        """


@dataclass(frozen=True)
class Fact:
    """Something that a user knows.

    Attributes:
        asked: Words or phrases; whoever says one of them asks for it.
        says: How the user tells it.
    """

    asked: tuple[str, ...]
    says: str


@dataclass(frozen=True)
class Goal:
    """Something that a user wants to be told.

    Attributes:
        told: Words or phrases; whoever says one of them has told it.
        wants: The wish in words, as the user says it.
    """

    told: tuple[str, ...]
    wants: str


@dataclass(frozen=True)
class ScriptedUser:
    """A user by rule: tells what it is asked for, and leaves when it was told what it wants or lost patience.

    Attributes:
        opening: What it says first.
        facts: What it knows, told when asked for.
        goals: What it wants to be told.
        patience: Turns of the agent that neither ask for something new nor tell something wanted, until it leaves.
        at_once: Facts that it tells in one reply at most, so that naming everything does not draw out everything.
        puzzled, thanks, leaves: Ways to say that it was not asked anything it knows, that it is done, that it goes.
    """

    opening: str
    facts: tuple[Fact, ...]
    goals: tuple[Goal, ...]
    patience: int = 3
    at_once: int = 2
    puzzled: tuple[str, ...] = ("I am not sure what you mean.", "Sorry, I do not follow.", "What do you need from me?")
    thanks: tuple[str, ...] = ("Thank you, that is all.", "Great, thanks for your help. Bye!")
    leaves: tuple[str, ...] = ("This leads nowhere. Goodbye.", "I will try somewhere else. Bye.")

    @property
    def scenario(self) -> str:
        """The script in words, for a language model that plays the user."""
        known = "\n".join(f"- {fact.says}" for fact in self.facts)
        wanted = "\n".join(f"- {goal.wants}" for goal in self.goals)
        return f"What you know:\n{known}\nWhat you want:\n{wanted}"

    def reply(self, talk: Talk, seed: int) -> Said:
        """What it says next: the conversation is gone through from its beginning.

        Args:
            talk: The conversation.
            seed: Of its choice of words.
        """
        facts, goals, patience = list(self.facts), list(self.goals), self.patience
        told: list[Fact] = []
        for who, text in talk:
            if who != AGENT:
                continue
            told = [fact for fact in facts if _names(text, fact.asked)][: self.at_once]
            facts = [fact for fact in facts if fact not in told]
            left = [goal for goal in goals if not _names(text, goal.told)]
            patience -= not told and len(left) == len(goals)
            goals = left
        rng = stream("tools.user", seed)
        if not goals:
            return Said(self.thanks[int(rng.integers(len(self.thanks)))], over=True)
        if patience <= 0:
            return Said(self.leaves[int(rng.integers(len(self.leaves)))], over=True)
        if told:
            return Said(" ".join(fact.says for fact in told))
        return Said(f"{self.puzzled[int(rng.integers(len(self.puzzled)))]} {goals[0].wants}")


def _names(text: str, phrases: Sequence[str]) -> bool:
    """Whether one of the phrases stands in a text as whole words, whatever their case."""
    said = f" {NOT_WORDS.sub(' ', text.casefold()).strip()} "
    return any(f" {NOT_WORDS.sub(' ', phrase.casefold()).strip()} " in said for phrase in phrases)


@dataclass(frozen=True)
class ModelUser:
    """A user played by a language model.

    Attributes:
        model: Any text model; a cassette records and replays it.
        scenario: What the user knows and wants, in words.
        opening: What it says first; no model is asked for it.
    """

    model: TextModel
    scenario: str
    opening: str

    def reply(self, talk: Talk, seed: int) -> Said:
        """What the model says for the user.

        Args:
            talk: The conversation.
            seed: Of sampling.

        Raises:
            EngineFailure: if the model says nothing, to a mere greeting neither. Where the agent's words are what keeps
                it from answering, the user says nothing, and the episode goes on.
        """
        system = {"role": "system", "content": PROMPT.format(scenario=self.scenario, opening=self.opening, stop=STOP)}
        said = [{"role": "user" if who == AGENT else "assistant", "content": text} for who, text in talk[1:]]

        def about(of_agent: bool) -> list[Message]:
            return [system, *(said if of_agent else [{"role": "user", "content": GREETING}])]

        try:
            seeds = [seed, seed + OTHER]
            found = ask_verdict(self.model, about, _words, seeds=seeds, what="words", max_tokens=TOKENS)
        except Silent:
            raise EngineFailure("the model that plays the user said nothing; it must say a message") from None
        answer = SILENCE if found.value is None else found.value
        over = STOP in answer
        text = " ".join(answer.replace(STOP, " ").split())[:LONGEST_REPLY]
        return Said(text or "Goodbye.", over, found.tokens, found.cost)


def _words(text: str) -> str | None:
    return text if text.strip() else None


@dataclass(slots=True)
class TalkState(ToolState):
    """What changes in an episode with a user.

    Attributes:
        talk: The conversation, who and what.
    """

    talk: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class TalkConfig(ToolConfig):
    """The keyword arguments of every world with a user."""

    user: TextModel | None = checked(None, check_model, shapes_tasks=False)


class TalkEnv(ToolEnv):
    """A tool world with a user to talk to; base of each.

    A subclass sets `toolbox`, whose `spoken` is `RESPOND`; says in `_meet` what the data of a task are and who the user
    is; and in `_finish` what the end is worth. That is called with no arguments when the user ends the conversation,
    and must then end the episode. Talking is not a call that the budget counts.

    Args:
        budget: Tool calls that may be made; then only the final one is taken. None: no limit but the turns.
        delay: Real seconds that every tool call sleeps, for rollouts that are to overlap.
        user: A language model (`core.TextModel`) that plays the user in place of the script.
    """

    toolbox: ClassVar[Toolbox]
    config = TalkConfig()
    _state: TalkState

    @abstractmethod
    def _meet(self, task: Task) -> tuple[Any, ScriptedUser]:
        """The data of a task, and its user."""

    def _reset(self, task: Task) -> str:
        data, script = self._meet(task)
        model = self.config.user
        self._user: User = script if model is None else ModelUser(model, script.scenario, script.opening)
        self._state = TalkState(data, talk=[(USER, script.opening)])
        return f"{task.instruction}\n\nUser: {script.opening}"

    def _step(self, call: Call) -> Outcome:
        return self._respond(call) if call.name == RESPOND.name else super()._step(call)

    def _respond(self, call: Call) -> Outcome:
        """Say something to the user, and hear the reply."""
        state = self._state
        talk = [*state.talk, (AGENT, call["content"])]
        said = self._user.reply(talk, stream_seed("tools.talk", self.task.id, len(talk)))
        text = self._altered(call, said.text)
        state.talk = [*talk, (USER, said.text)]
        state.seen.append((written((call.name, dict(call.slots))), text))
        events = (
            {"type": "tool_call", "tool": call.name, "arguments": call.slots},
            {"type": "user_turn", "content": said.text, "over": said.over},
        )
        costs: Mapping[str, float] = {"duration": SECONDS, "user_tokens": said.tokens, "user_cost": said.cost}
        if not said.over:
            return Outcome(text, events=events, costs=costs, progress=self._progressed(text))
        end = self._finish({})
        if not end.terminated:
            raise AssertionError(f"{self.card.id}: _finish must end the episode when the user has gone")
        return replace(end, text=f"{text}\n{end.text}", events=(*events, *end.events), costs=costs)

    def _key_state(self) -> Any:
        return [super()._key_state(), self._state.talk]
