"""An answer as a stream of events, of which each is sent as soon as its words are sure to stay."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from agentgym.agents.chat_messages import CALL
from agentgym.serve.completions import Choice, Question, event, write_choice, write_rest
from agentgym.serve.errors import FAILED, Refused

UNFINISHED = "\ufffd"  # what tokens spell that end within a character
THOUGHT, END_OF_THOUGHT = "<think>", "</think>"


def settled(text: str, stop: Sequence[str], calling: bool) -> str:
    """The beginning of an answer under way that stays as it is, whatever follows.

    Args:
        text: What has been said so far.
        stop: Texts before which the answer ends.
        calling: Whether tools may be called: a call is no words, and white space around it is taken away.
    """
    found = [text.find(each) for each in stop if each in text]
    text = text[: min(found)] if found else _without_beginning(text.rstrip(UNFINISHED), stop)
    if calling:
        if text[:1].isspace():
            return ""
        text = _without_beginning(text.partition(CALL)[0], [CALL]).rstrip()
    if text.startswith(THOUGHT):  # its end is written behind a thought that goes on
        text = _without_beginning(text.removesuffix(END_OF_THOUGHT), [END_OF_THOUGHT])
    return text


def _without_beginning(text: str, ends: Sequence[str]) -> str:
    """A text without what may be the beginning of one of several texts."""
    held = 0
    for each in ends:
        longest = min(len(each) - 1, len(text))
        held = max(held, next((size for size in range(longest, 0, -1) if text.endswith(each[:size])), 0))
    return text[: len(text) - held]


class AnswerStream:
    """The events of an answer under way.

    Args:
        question: What was asked.
        head: What all events begin with: `id`, `created`, `model`.
        beside: What the first one tells as well, such as the ids that were read.
        spell: The words of token ids.
        weights: What names the weights that sample at the moment.
    """

    def __init__(
        self,
        question: Question,
        head: Mapping[str, Any],
        beside: Mapping[str, Any],
        spell: Callable[[Sequence[int]], str],
        weights: Callable[[], str],
    ):
        self._question, self._head, self._spell, self._weights = question, dict(head), spell, weights
        self._sent = [""] * question.n
        self._told: asyncio.Queue[str | Refused | None] = asyncio.Queue()
        self._first: str | Refused | None = None
        self._beside = dict(beside)
        self._begun = False

    def hear(self, number: int, ids: Sequence[int]) -> None:
        """Take a token up.

        Args:
            number: Of the choice.
            ids: What has been said in it so far.
        """
        self._head.setdefault("system_fingerprint", self._weights())
        text = self._question.forced + self._spell(ids)
        ready, sent = settled(text, self._question.stop, bool(self._question.tools)), self._sent[number]
        if len(ready) > len(sent) and ready.startswith(sent):
            self._sent[number] = ready
            self._tell({"choices": [_part(number, {"content": ready[len(sent) :]})]})

    def end(self, choices: Sequence[Choice], usage: Mapping[str, int], weights: str) -> None:
        """Tell what is not told yet.

        Args:
            choices: The whole answers, which are on record.
            usage: Numbers of tokens.
            weights: What names the weights that sampled.
        """
        self._head.setdefault("system_fingerprint", weights)
        for number, (choice, sent) in enumerate(zip(choices, self._sent, strict=True)):
            if not choice.text.startswith(sent):
                self.fail(Refused(FAILED, "the answer has become another one than what was sent of it; do not stream"))
                return
            for part in write_rest(write_choice(number, choice, str(self._head["id"])), sent):
                self._tell({"choices": [part]})
        if self._question.usage:
            self._tell({"choices": [], "usage": dict(usage)})
        self._told.put_nowait("data: [DONE]\n\n")
        self._told.put_nowait(None)

    def fail(self, refused: Refused) -> None:
        """End with an error."""
        self._told.put_nowait(refused)
        self._told.put_nowait(None)

    async def wait(self) -> None:
        """Wait for the first event.

        Raises:
            Refused: if the answer failed before there was one, so that the client gets a status of HTTP.
        """
        self._first = await self._told.get()
        if isinstance(self._first, Refused):
            raise self._first

    async def events(self) -> AsyncIterator[str]:
        """What is sent, to the end of the answer."""
        told = self._first
        while told is not None:
            if isinstance(told, Refused):
                told = event({"error": {"message": str(told), "type": "server_error", "code": told.status}})
            yield told
            told = await self._told.get()

    def _tell(self, part: Mapping[str, Any]) -> None:
        if not self._begun:
            self._begun = True
            roles = [_part(number, {"role": "assistant", "content": ""}) for number in range(self._question.n)]
            for place, role in enumerate(roles):
                self._put({"choices": [role], **(self._beside if place == 0 else {})})
        self._put(part)

    def _put(self, part: Mapping[str, Any]) -> None:
        self._told.put_nowait(event({**self._head, "object": "chat.completion.chunk", **part}))


def _part(number: int, delta: Mapping[str, Any]) -> dict[str, Any]:
    return {"index": number, "delta": dict(delta), "finish_reason": None, "logprobs": None}
