"""Sessions of a recording endpoint: what was sampled in each, and which later request holds it."""

from __future__ import annotations

import asyncio
import hashlib
import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agentgym.agents.chat_messages import MessageFormat
from agentgym.agents.policy import Generation
from agentgym.core import ConfigError
from agentgym.rollout.record_folder import RecordFolder
from agentgym.serve.completions import Choice, Question, read_calls
from agentgym.serve.errors import BAD_REQUEST, CONFLICT, FULL, Refused
from agentgym.serve.upstream import NO_IDS, UpstreamReply

TURNS, OUTCOMES = "turns", "outcomes"


@dataclass(frozen=True)
class SampledAnswer:
    """An answer that was sampled.

    Attributes:
        number: Its place among the answers of the session.
        request: The request that it answered, in the order of the session.
        before: Digest of the messages that it answered.
        said: Digest of its message.
        given: The ids with which it begins and which were not sampled.
        ids: The sampled ids.
        closed: Whether the last of them ends it.
        length: How many ids had been read and said when it ended.
        whole: Digest of these.
    """

    number: int
    request: int
    before: bytes
    said: bytes
    given: Sequence[int]
    ids: Sequence[int]
    closed: bool
    length: int
    whole: bytes


@dataclass(frozen=True)
class Matched:
    """What a conversation holds of a session.

    Attributes:
        found: By place, in order, the answers that were sampled in the session.
        unknown: How many of its assistant's messages are none.
        before: Digest of the conversation.
    """

    found: Mapping[int, SampledAnswer]
    unknown: int
    before: bytes


@dataclass(frozen=True)
class Asked:
    """A question in tokens.

    Attributes:
        prompt: The ids that the model reads.
        given: How many of them, at the end, begin the answer.
        extends: Number of the answer whose ids the prompt begins with; None where a segment begins.
        why: Why it begins; "" where it does not.
        before: Digest of its messages.
        continues: Numbers of the answers among them.
    """

    prompt: Sequence[int]
    given: int
    extends: int | None
    why: str
    before: bytes
    continues: tuple[int, ...]


@dataclass
class Recorded:
    """A session.

    Attributes:
        name, owner: Its name, and the client.
        answers: What was sampled in it, in order.
        ended: Whether its outcome is known; it answers no more.
        requests: How many it has had.
        turn: Held while it answers: one request after the other, and its outcome after them.
    """

    name: str
    owner: str
    answers: list[SampledAnswer] = field(default_factory=list)
    ended: bool = False
    requests: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False, compare=False)
    _alike: dict[bytes, list[SampledAnswer]] = field(default_factory=dict, repr=False, compare=False)
    _exact: dict[tuple[bytes, bytes], SampledAnswer] = field(default_factory=dict, repr=False, compare=False)

    def add(self, answer: SampledAnswer) -> None:
        """Take up what was sampled."""
        self.answers.append(answer)
        self._alike.setdefault(answer.said, []).append(answer)
        self._exact.setdefault((answer.before, answer.said), answer)

    def end(self) -> None:
        """Forget what was sampled; there is nothing more to come."""
        self.ended, self.answers = True, []
        self._alike.clear()
        self._exact.clear()

    def match(self, messages: Sequence[Mapping[str, Any]]) -> Matched:
        """Which answers a conversation holds.

        A message is an answer if it says the same and makes the same calls, white space around it aside. Of several,
        the one is taken that answered the same conversation. Where none did, as in a history without its beginning, it
        is the newest of an earlier request than the answer that follows in the conversation: of one request's choices a
        program goes on with one.

        Args:
            messages: Of the conversation.
        """
        running, before, said = hashlib.sha256(), [], []
        for message in messages:
            text = _spelled(message)
            before.append(running.digest())
            said.append(hashlib.sha256(text).digest())
            running.update(text)
        found: dict[int, SampledAnswer] = {}
        unknown, latest = 0, self.requests
        for place in reversed(range(len(messages))):
            if messages[place]["role"] != "assistant":
                continue
            answer = self._exact.get((before[place], said[place]))
            if answer is None:
                alike = self._alike.get(said[place], [])
                earlier = bisect_left(alike, latest, key=lambda each: each.request)
                answer = alike[earlier - 1] if earlier else None
            if answer is None:
                unknown += 1
            else:
                found[place] = answer
                latest = min(latest, answer.request)
        return Matched(dict(sorted(found.items())), unknown, running.digest())


def _spelled(message: Mapping[str, Any]) -> bytes:
    """A message as bytes that are equal for equal ones, and that no other message begins with."""
    told = [message["role"], message["content"].strip(), message.get("tool_calls") or []]
    return json.dumps(told, sort_keys=True).encode("ascii")


def _digest(ids: Sequence[int]) -> bytes:
    return hashlib.sha256(np.asarray(ids, np.int64).tobytes()).digest()


class Recorder:
    """Keeps sessions, and writes down what is sampled in them and what comes of it.

    Args:
        folder: `turns.jsonl` has a line an answer, `outcomes.jsonl` one a session that ended.
        chat: How messages become tokens; None where an upstream has the tokens.
        taken: Names of sessions that the folder holds already.
        most: Sessions at once, and answers of a session.
    """

    def __init__(self, folder: RecordFolder, chat: MessageFormat | None, taken: set[str], most: tuple[int, int]):
        self._folder, self.chat, self._taken, self._most = folder, chat, taken, most
        self.sessions: dict[str, Recorded] = {}

    def session(self, owner: str, name: str) -> Recorded:
        """The session of a name, which begins when it is first asked for.

        Args:
            owner: The client.
            name: Of the session.

        Raises:
            Refused: if it is another client's, has ended, or there is no room.
        """
        found = self.sessions.get(name)
        if name in self._taken or (found is not None and (found.owner != owner or found.ended)):
            raise Refused(CONFLICT, "this session has ended, or is another's; choose another name")
        if found is None:
            if len(self.sessions) >= self._most[0]:
                raise Refused(FULL, f"{self._most[0]} sessions are open, which is the limit; end some by their outcome")
            found = self.sessions[name] = Recorded(name, owner)
        return found

    def check_room(self, session: Recorded, question: Question) -> None:
        """See that a session may have so many answers more.

        Args:
            session: Which.
            question: Whose answers they are.

        Raises:
            Refused: if it may not.
        """
        if len(session.answers) + question.n > self._most[1]:
            raise Refused(FULL, f"a session has at most {self._most[1]} answers; begin another")

    def encode(self, session: Recorded, question: Question) -> Asked:
        """The tokens of a question; what was sampled in the session stands in them as it was sampled.

        Args:
            session: Whose.
            question: What is asked.
        """
        assert self.chat is not None, "an upstream has the tokens"
        self.check_room(session, question)
        matched = session.match(question.messages)
        sampled = {place: ([*each.given, *each.ids], each.closed) for place, each in matched.found.items()}
        try:
            prompt = self.chat.encode_messages(question.messages, sampled, question.tools)
        except ConfigError as error:
            raise Refused(BAD_REQUEST, str(error)) from None
        given = self.chat.spell(question.forced) if question.forced else []
        prompt += given
        return _asked(session, prompt, len(given), matched)

    def take(self, session: Recorded, question: Question, asked: Asked, said: Sequence[Generation], sampler: tuple[int, str]) -> list[Choice]:  # fmt: skip # noqa: E501
        """Write answers down; what the client is told of each.

        Args:
            session: Whose.
            question: What was asked.
            asked: The same in tokens.
            said: The answers.
            sampler: Version and digest of the weights.
        """
        assert self.chat is not None, "an upstream has the tokens"
        choices, lines = [], []
        fresh = _fresh(session, asked)
        session.requests += 1
        for place, generation in enumerate(said):
            ids, logprobs, text, stopped = _until_stop(generation, question.stop, self.chat)
            closed = bool(ids) and ids[-1] in self.chat.ends
            words = text
            calls: list[Any] = []
            if question.tools:
                names = [tool["function"]["name"] for tool in question.tools]
                words, calls = read_calls(question.forced + text, names)
            reason = "tool_calls" if calls else "stop" if closed or stopped else "length"
            tokens = [(self.chat.text([token]), chance) for token, chance in zip(ids, logprobs, strict=True)]
            shown = tokens if question.logprobs else None
            choices.append(Choice(words, calls, reason, shown, ids if question.token_ids else None))
            given = asked.prompt[len(asked.prompt) - asked.given :]
            about = _about(session, question, asked, place, choices[-1])
            session.add(_sampled(about, asked, given, ids, closed))
            lines.append({
                **about, "given": list(fresh), "ids": list(ids), "logprobs": list(logprobs), "version": sampler[0],
                "weights": sampler[1], "off_policy": generation.off_policy,
            })  # fmt: skip
        self._folder.append(TURNS, *lines)
        return choices

    def take_told(self, session: Recorded, question: Question, reply: UpstreamReply, version: int) -> list[Choice]:
        """Write down what an upstream answered; what the client is told of each answer.

        Log-probabilities that are told without regard to the temperature are those of another distribution than the
        one that was sampled from, unless that was 1.

        Args:
            session: Whose.
            question: What was asked.
            reply: The answers.
            version: Of its weights.
        """
        asked = _asked(session, reply.prompt, 0, session.match(question.messages))
        fresh, lines = _fresh(session, asked), []
        session.requests += 1
        for place, each in enumerate(reply.choices):
            about = _about(session, question, asked, place, each.choice)
            session.add(_sampled(about, asked, (), each.ids or (), closed=True))
            ids: dict[str, Any] = {"given": None, "ids": None, "tokens": list(each.texts)}
            if each.ids is not None:
                ids = {"given": list(fresh), "ids": list(each.ids)}
            lines.append({
                **about, **ids, "logprobs": list(each.logprobs), "version": version, "weights": reply.weights,
                "off_policy": question.temperature != 1,
            })  # fmt: skip
        self._folder.append(TURNS, *lines)
        return [each.choice for each in reply.choices]

    def end(self, session: Recorded, outcome: Mapping[str, Any]) -> None:
        """Write down what came of a session, which answers no more.

        Args:
            session: Whose.
            outcome: JSON data, checked.
        """
        line = {"session": session.name, "answers": len(session.answers), **outcome}
        self._folder.append(OUTCOMES, line)
        session.end()
        self._taken.add(session.name)
        del self.sessions[session.name]


def _asked(session: Recorded, prompt: Sequence[int] | None, given: int, matched: Matched) -> Asked:
    """A question in tokens; None where nobody tells them."""
    continues = tuple(each.number for each in matched.found.values())
    if prompt is None:
        return Asked((), given, None, NO_IDS, matched.before, continues)
    extends, why = _joined(session, prompt, matched)
    return Asked(prompt, given, extends, why, matched.before, continues)


def _joined(session: Recorded, prompt: Sequence[int], matched: Matched) -> tuple[int | None, str]:
    """Number of the answer that a prompt goes on from, and otherwise why a segment begins."""
    if matched.found:
        last = matched.found[max(matched.found)]
        if not last.length:
            return None, NO_IDS
        if len(prompt) >= last.length and _digest(prompt[: last.length]) == last.whole:
            return last.number, ""
        why = "the conversation before it was changed"
    else:
        why = "no message of the assistant was sampled here" if matched.unknown else "it holds no answer"
    return None, why if session.answers else "first"


def _fresh(session: Recorded, asked: Asked) -> Sequence[int]:
    """The ids of a question that stand behind the answer that it goes on from."""
    return asked.prompt if asked.extends is None else asked.prompt[session.answers[asked.extends].length :]


def _about(session: Recorded, question: Question, asked: Asked, place: int, choice: Choice) -> dict[str, Any]:
    """What is written down of every answer."""
    return {
        "session": session.name,
        "number": len(session.answers),
        "request": session.requests - 1,
        "choice": place,
        "extends": asked.extends,
        "why": asked.why,
        "text": choice.text,
        "tool_calls": choice.calls,
        "seen": question.messages[-1]["content"],
        "continues": list(asked.continues),
        "finish_reason": choice.reason,
        "temperature": question.temperature,
    }


def _sampled(
    about: Mapping[str, Any], asked: Asked, given: Sequence[int], ids: Sequence[int], closed: bool
) -> SampledAnswer:
    message = {"role": "assistant", "content": about["text"], "tool_calls": about["tool_calls"]}
    said, whole = hashlib.sha256(_spelled(message)).digest(), [*asked.prompt, *ids]
    return SampledAnswer(
        about["number"], about["request"], asked.before, said, given, ids, closed, len(whole), _digest(whole)
    )


def _until_stop(
    generation: Generation, stop: Sequence[str], chat: MessageFormat
) -> tuple[tuple[int, ...], tuple[float, ...], str, bool]:
    """The tokens of an answer up to the one that completes a stop text, and the words before that text."""
    text = generation.text
    if not any(each in text for each in stop):
        return generation.token_ids, generation.logprobs, text, False
    low, high = 1, len(generation.token_ids)  # the words of a beginning grow with it, so halving finds the first
    while low < high:
        middle = (low + high) // 2
        if any(each in chat.text(generation.token_ids[:middle]) for each in stop):
            high = middle
        else:
            low = middle + 1
    cut = chat.text(generation.token_ids[:low])
    end = min(cut.find(each) for each in stop if each in cut)
    return generation.token_ids[:low], generation.logprobs[:low], cut[:end], True
