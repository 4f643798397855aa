"""A role's side of an episode under way: what it is shown, in which form, and what is kept of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Protocol

from agentgym.agents.chat import said_message
from agentgym.agents.constraint import AdmissibleOnly, PromptTokens
from agentgym.agents.context import Frame, Record, without_turns
from agentgym.agents.pictures import picture_name
from agentgym.agents.policy import ContextOverflow, Generation, View
from agentgym.agents.shots import encode_shots
from agentgym.core import ConfigError, ToolCall
from agentgym.core.rng import stream
from agentgym.rollout.episode import Episode, Parent, Segment, Stop, Turn
from agentgym.rollout.marks import marks, mean_entropy, quoted
from agentgym.rollout.places import Briefing
from agentgym.rollout.records import failed_calls
from agentgym.rollout.roles import Role
from agentgym.rollout.strategies import Point
from agentgym.rollout.wording import estimated_tokens, example_messages, templated

BEGINNING = Frame(0, "")
NOBODY: Mapping[str, Role] = {}


class PlayedGame(Protocol):
    """Where a game is played, as a conversation asks it; an `EnvPool`, or what stands in its place."""

    @property
    def id(self) -> str:
        """Of the environment."""

    @property
    def briefings(self) -> Mapping[str, Briefing]:
        """By player, what it is told beside observations."""

    def ask(self, place: int, player: str, name: str, *arguments: Any) -> Any:
        """Call a method that is asked of a player, as `EnvPool.ask` does.

        Args:
            place: Which of the games played side by side.
            player: Whom it is about.
            name: The method.
            arguments: What it takes besides.
        """


@dataclass(frozen=True, slots=True)
class Told:
    """Where a player is, and so what it is told beside observations."""

    player: str
    pool: PlayedGame
    place: int

    def at(self, place: int) -> Told:
        """The same in another place."""
        return replace(self, place=place)

    def view(self, observation: str, info: Mapping[str, Any], record: Record) -> View:
        """What its player is given when it is to act.

        Args:
            observation: What it sees.
            info: Its `info`.
            record: What it has seen and said.
        """
        ask, told = partial(self.pool.ask, self.place, self.player), self.briefing
        return View(
            self.pool.id, self.player, observation, info, told.manual, told.tools, record.seen, record.said, ask
        )

    @property
    def briefing(self) -> Briefing:
        """What the player is told beside observations."""
        return self.pool.briefings[self.player]


def without_hint(observation: str, info: Mapping[str, Any]) -> str:
    """What was seen without the hint that a wrapper put at its end.

    Args:
        observation: With the hint.
        info: Where the wrapper says it.
    """
    hint = info.get("hint", "")
    return observation.removesuffix(f"\n{hint}") if hint else observation


class Conversation:
    """A role's side of an episode: what it is shown, in which form, and what is kept of it.

    Args:
        name: Of the role.
        role: Who speaks.
        told: What its player is told.
        reminder: The task and how actions are written.
        episode: The record.
        account: What is told of earlier attempts at the task.
        callees: Roles that speak before it, by name, of which it is told how to call them.

    Attributes:
        system: The system message; "" for none.
        input: What the policy reads next: tokens since it last spoke, messages, or a `View`.
        fresh: Whether the input opens the conversation anew.
        said: What it answered in the turn under way.
        version: Of the policy's weights that said it; they may have moved since, while the world took its time.
        caller: Name of the later role that has called it in the turn under way; "" if it speaks of itself.
        stands: Turns for which what it said last has stood.
    """

    def __init__(
        self,
        name: str,
        role: Role,
        told: Told,
        reminder: str,
        episode: Episode,
        account: str = "",
        callees: Mapping[str, Role] = NOBODY,
    ):
        self.name, self.role, self.told, self.episode = name, role, told, episode
        self.policy: Any = role.policy
        self.prompt = role.prompt or role.policy.prompt
        briefing = told.briefing
        self._calls = bool(briefing.tools)
        self._native = bool(getattr(role.policy, "calls", False))
        self._form: dict[str, Any] = {
            "calls": self._calls,
            "native": self._native,
            "reads_replies": briefing.reads_replies,
        }
        self.system = self.prompt.system_message(briefing.manual, **self._form)
        self._shots = () if self.prompt.template else self.prompt.shots.get(told.player, ())
        delegation = role.delegation.told if role.delegation else ""
        calls = [f"To have {name} speak again, say: {each.call}" for name, each in callees.items() if each.call]
        before = (role.instruction, *calls, delegation, role.guidance or self.prompt.guidance, account)
        self._before_all = "".join(f"{text}\n" for text in before if text)
        self._account = account
        self.record = Record(self._before_all + reminder)
        episode.opening, episode.reminder = self._before_all, self.record.reminder
        self.caller, self.stands = "", 0
        self.input: Any = None
        self.fresh = True
        self.said: Generation | None = None
        self.version: int | None = role.policy.version
        self._answers: list[Generation] = []
        self._images: list[bytes | None] = []
        self._frame = self._before = BEGINNING
        self._segments = episode.segments
        self._plain: Conversation | None = None
        if role.plain:  # two conversations: the one that is asked here, and the one that is learned under
            unaided = replace(role, guidance="", plain=False)
            self._plain = Conversation(name, unaided, told, reminder, episode, account, callees)
            self._segments = []

    def ask(self, observation: str, info: Mapping[str, Any], image: bytes | None = None) -> bool:
        """Prepare the next input; whether it and an answer fit into the policy's context.

        Args:
            observation: What the player sees, and what earlier roles made of it.
            info: Its `info`.
            image: A picture beside the observation, for policies that read messages; `collect` refuses the others.

        Raises:
            ContextOverflow: if not even the first input fits, and it is not the account of earlier attempts that is
                long.
        """
        if self._plain is not None and not self._plain.ask(without_hint(observation, info), info, image):
            return False
        record = self.record
        record.seen.append(observation)
        self._images.append(image)
        if self.policy.reads == "view":
            self.input = self.told.view(observation, info, record)
            return True
        self._before = self._frame
        self._frame = self._next_frame(info)
        self.fresh = not self._answers or self._frame != self._before
        if self.policy.reads == "messages":
            self.input = self._messages(self._frame)
            return True
        self.input, held = (None, 0) if self.fresh else self._more()
        if self.input is None:
            self.fresh, self.input = True, self._render(self._frame)
        if isinstance(getattr(self.policy, "constraint", None), AdmissibleOnly):
            self.input = PromptTokens(self.input, self._admissible())
        if held + len(self.input) + self.policy.max_new_tokens <= self.policy.context_limit:
            return True
        if not self._answers and not self._account:
            raise ContextOverflow(
                f"the first prompt of task {self.episode.task_id} has {len(self.input)} tokens, which with "
                f"{self.policy.max_new_tokens} new ones exceeds the context of {self.policy.context_limit}; use a "
                "longer context"
            )
        return False

    @property
    def whole_input(self) -> Any:
        """The input for who has read nothing of the conversation yet: all that comes before it is there as well."""
        if self.policy.reads != "tokens" or self.fresh:
            return self.input
        whole = [*self._segments[-1].token_ids, *self.input]
        return PromptTokens(whole, self.input.actions) if isinstance(self.input, PromptTokens) else whole

    @property
    def words(self) -> str:
        """What the others, or the world, hear of the answer."""
        assert self.said is not None
        calls = self._calls_of(self.said)
        if calls:  # one is played; of several, which no turn takes, the world says so
            return calls[0].action if len(calls) == 1 else f"[{', '.join(call.action for call in calls)}]"
        place = self.prompt.context.parts(self.said.text).get("action")
        text = self.said.text[slice(*place)] if place else self.said.text
        briefing = self.told.briefing
        return self.prompt.action(
            text, calls=self._calls, reads_replies=briefing.reads_replies, first_words=briefing.first_words
        )

    @property
    def heard(self) -> str:
        """What later roles hear of it: the answer under way, or the last one, which stands."""
        return self.words if self.said is not None else self.record.actions[-1]

    @property
    def due(self) -> bool:
        """Whether it is to speak in this turn without being called."""
        return not self._answers or 0 < self.role.every <= self.stands

    @property
    def has_tools(self) -> bool:
        """Whether the player's actions are tool calls."""
        return self._calls

    @property
    def surprise(self) -> float | None:
        """Mean entropy of the answer under way."""
        return mean_entropy(self.said)

    def point(self, turn: int, sample: tuple[int | str, ...]) -> Point:
        """The answer under way as a place to branch from.

        Args:
            turn: Its turn.
            sample: Coordinates of what is said in the episode.
        """
        assert self.said is not None
        first = self._answers[0] if self._answers else self.said
        draw = float(stream("rollout.branch_chance", *sample, turn).random())
        return Point(turn, self.surprise, mean_entropy(first), self.said.entropies or (), first.entropies or (), draw)

    @property
    def turns(self) -> int:
        """Turns taken, the one under way included."""
        return len(self._answers) + (self.said is not None)

    def settle(
        self, reward: float, info: Mapping[str, Any], stop: Stop | Literal[""], *, key: str, digest: str, whole: bool
    ) -> None:
        """Take the turn down, now that all that it earned is known.

        Args:
            reward: What it earned.
            info: What the world said of it.
            stop: Why the episode ended with it; "" if it went on.
            key, digest: Of the state before it, if asked for.
            whole: Whether the record keeps all of `info`.
        """
        assert self.said is not None
        said, episode, number, words = self.said, self.episode, len(self._answers), self.words
        shown: tuple[dict[str, str], ...] = ()
        if self.fresh and (number or self._frame.whole) and self.policy.reads != "view":
            shown = tuple(self._messages(self._frame, whole=False))
        spans: dict[str, tuple[int, int]] = {}
        if self.policy.reads == "tokens":
            self._keep_tokens(number, said)
            parts = self.prompt.context.parts(said.text) or quoted(said.text, info)
            spans = marks(self.policy, said, parts)
        image = self._images[-1]
        images: tuple[str, ...] = ()
        if image is not None:
            name = picture_name(image)
            episode.pictures[name], images = image, (name,)
        turn = Turn(
            self.record.seen[-1],
            words,
            reward,
            info["action_valid"],
            stop,
            self.version,
            dict(info.get("metrics", ())),
            key,
            digest,
            shown,
            images,
            terms=dict(info.get("reward_terms", ())),
            policy=self.role.speaker or self.name,
            failure=info["failure"],
            marks=spans,
            off_policy=said.off_policy or self._helped(),
            entropy=self.surprise,
            finish_reason=self._finish_reason(said),
            failed_calls=len(failed_calls(info)),
            said=said.text if whole else "",
            info=info if whole else None,
            reply=said.reply if whole else None,
            caller=self.caller,
        )
        episode.turns.append(turn)
        self.caller, self.stands = "", 1
        for conversation in filter(None, (self, self._plain)):
            conversation._answers.append(said)
            conversation.record.said.append(said.text)
            conversation.record.actions.append(words)
        self.said = None

    def stand(self, reward: float, info: Mapping[str, Any], stop: Stop | Literal[""]) -> None:
        """Let what it said last stand for another turn, and be paid for it.

        Args:
            reward, info, stop: As in `settle`.
        """
        last = self.episode.turns[-1]
        terms = {**last.terms}
        for name, paid in info.get("reward_terms", {}).items():
            terms[name] = terms.get(name, 0.0) + paid
        self.episode.turns[-1] = replace(
            last, reward=last.reward + reward, stop=stop, rewards=dict(info.get("metrics", ())), terms=terms,
            failure=info["failure"],
        )  # fmt: skip
        self.stands += 1

    def _keep_tokens(self, number: int, said: Generation) -> None:
        """Append what was read and said in a turn, as it was asked and as it is learned under."""
        if self.fresh:
            self._segments.append(Segment())
            self.episode.new_segments += number > 0 and self._plain is None
        self._segments[-1].read(self.input)
        self._segments[-1].say(number, said.token_ids, said.logprobs)
        if self._plain is not None:
            self._plain._keep_tokens(number, said)

    def _helped(self) -> bool:
        """Whether the turn was asked otherwise than it is learned under."""
        return self._plain is not None and (bool(self.role.guidance) or self.record.seen != self._plain.record.seen)

    def branch(self, place: int, number: int, parent: Parent) -> Conversation:
        """A copy as it was before the turn under way.

        Args:
            place: Where its environment is.
            number: Of its episode.
            parent: Where its episode came from.
        """
        old = self.episode
        episode = Episode(old.task_id, old.split, old.seed, old.group, player=old.player, role=old.role)
        episode.number, episode.parent = number, parent
        episode.reference, episode.new_segments = old.reference, old.new_segments
        episode.turns = [turn.copy() for turn in old.turns]
        episode.segments = [segment.copy() for segment in old.segments]
        episode.pictures = old.pictures.copy()
        twin = Conversation(self.name, self.role, self.told.at(place), "", episode, self._account)
        twin.record = replace(
            self.record, seen=self.record.seen[:-1], said=self.record.said.copy(), actions=self.record.actions.copy()
        )
        twin._answers, twin._images = self._answers.copy(), self._images[:-1]
        twin._frame, twin.stands, episode.reminder = self._before, self.stands, self.record.reminder
        return twin

    def _next_frame(self, info: Mapping[str, Any]) -> Frame:
        """What is shown now, without the oldest turns where it would be too long.

        Raises:
            ContextOverflow: if it is too long without all earlier turns; ConfigError if that is so at the first.
        """
        record, prompt = self.record, self.prompt
        newest = len(record.said)
        anew = bool(prompt.template or self.told.briefing.repeats_history)
        frame = self._anew(info) if anew else prompt.context.frame(record, self._before)
        first, most = frame.first, prompt.most_tokens
        if most is None:
            return frame
        if prompt.template:
            first = prompt.context.frame(record, BEGINNING).first
        while (size := self._size(frame)) > most:
            if first == newest or self.told.briefing.repeats_history:
                raise (ContextOverflow if newest else ConfigError)(
                    f"turn {newest + 1} of task {self.episode.task_id} shows {size} tokens without any earlier turn, "
                    f"more than the {most} that a prompt may have; allow more"
                )
            first += 1
            frame = self._anew(info, first) if anew else without_turns(record, first)
        return frame

    def _anew(self, info: Mapping[str, Any], first: int | None = None) -> Frame:
        """A conversation that begins with the newest observation: a template's message, or what a wrapper repeats."""
        record, prompt, told = self.record, self.prompt, self.told
        if not prompt.template:
            return Frame(len(record.said), self._before_all)
        known = {"instruction": info["instruction"], "player": told.player}
        known["how_to_answer"] = prompt.how_to_answer(**self._form)
        if first is None:
            first = 0 if told.briefing.repeats_history else prompt.context.frame(record, BEGINNING).first
        text = templated(prompt, told.briefing, record, first, known, self._admissible)
        return Frame(len(record.said), self._before_all + text, whole=True)

    def _admissible(self) -> Sequence[str] | None:
        """What the player may do now, in the words of its wrappers; None if that cannot be listed."""
        found: Sequence[str] | None = self.told.pool.ask(self.told.place, self.told.player, "admissible_actions")
        return found

    def _size(self, frame: Frame) -> int:
        """Tokens of what is shown; where they cannot be counted, about how many they are."""
        if self.policy.reads == "messages":
            return estimated_tokens(self._messages(frame))
        if self._answers and frame == self._before:
            new, held = self._more()
            if new is not None:
                return held + len(new)
        return len(self._render(frame))

    def _first_words(self, frame: Frame) -> str:
        """The first message of the task: words before an observation, and that observation."""
        if frame.whole:
            return frame.head
        head = self._before_all if frame == BEGINNING else frame.head
        return head + self.record.seen[frame.first]

    def _more(self) -> tuple[list[int] | None, int]:
        """What this turn adds to the conversation under way, and how much of it there is; None if it begins anew."""
        held = len(self._segments[-1])
        if not self.policy.rewrites:
            return self.policy.encode_next(self.record.seen[-1], closed=self._answers[-1].closed), held
        return self.policy.encode_more(*self._shown(self._before)), held

    def _render(self, frame: Frame) -> list[int]:
        """The conversation from where it begins; where it is not written anew, earlier answers are as sampled."""
        ids: list[int] = self.policy.encode_conversation(*self._shown(frame))
        return ids

    def _shown(self, frame: Frame) -> tuple[list[str], list[tuple[Sequence[int], bool]], str, Sequence[Any]]:
        """Observations, answers, system message and tools of the conversation, from where it begins."""
        examples, words = encode_shots(self._shots)
        said: list[tuple[Sequence[int], bool]] = [(self.policy.encode_action(action), True) for _, action in examples]
        said += [(each.token_ids, each.closed) for each in self._answers[frame.first :]]
        seen = [*(shown for shown, _ in examples), words + self._first_words(frame)]
        seen += self.record.seen[frame.first + 1 :]
        tools = self.told.briefing.tools if self._native else ()
        return seen, said, self.system, tools

    def _finish_reason(self, said: Generation) -> str:
        """Why a model stopped, "" for what is none."""
        if self.policy.reads == "tokens":
            return "stop" if said.closed or said.stopped else "length"
        return said.reply.finish_reason if said.reply else ""

    def _calls_of(self, said: Generation) -> tuple[ToolCall, ...]:
        """The calls that an answer makes through the interface for them."""
        return said.reply.calls if self._native and said.reply else ()

    def _messages(self, frame: Frame, *, whole: bool = True) -> list[dict[str, Any]]:
        """The conversation as messages; unless `whole`, without system message, examples and pictures."""
        first, seen = frame.first, self.record.seen
        messages: list[dict[str, Any]] = [{"role": "system", "content": self.system}] if self.system and whole else []
        examples, words = example_messages(self._shots if whole else (), native=self._native)
        messages += examples
        for turn in range(first, len(seen)):
            calls: tuple[ToolCall, ...] = ()
            if turn > first:
                said = self._answers[turn - 1]
                calls = self._calls_of(said)
                messages.append(said_message(said.text, said.reply, calls))
            shown = seen[turn] if turn > first else words + self._first_words(frame)
            if not calls:
                messages.append({"role": "user", "content": shown})
            for call in calls:  # servers want an answer to each
                messages.append({"role": "tool", "tool_call_id": call.id, "content": shown})
            image = self._images[turn]
            if whole and image is not None:
                if calls:  # a tool answers in words
                    messages.append({"role": "user", "content": ""})
                messages[-1]["image"] = image
        if self._native:
            messages[0]["tools"] = self.told.briefing.tools
        return messages
