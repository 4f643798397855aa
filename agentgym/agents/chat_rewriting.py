"""Chat templates that write the past anew: thoughts are left out, or the newest answer is opened in another way.

Their prompts cannot be cut into increments. Each is rendered whole, and compared as text with what was read and said
before: as long as it begins with that, the conversation goes on and its tokens stay as they were sampled; where it does
not, it begins again, and so does a segment. Tokens are learned from once, after the prompt that they were sampled
after.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jinja2 import TemplateError

from agentgym.agents.chat_format import Answers, ChatFormat
from agentgym.core import ConfigError

PLACE, CUT = "\u2402{}\u2403", "\u2408"  # what stands for an observation; where a special token that was spelled is cut


def chat_format(tokenizer: Any, stops: Iterable[int] = ()) -> ChatFormat:
    """How a tokenizer's conversations become tokens.

    Args:
        tokenizer: A Hugging Face tokenizer with a chat template.
        stops: Tokens at which the model stops by itself, besides the tokenizer's end token.

    Raises:
        ConfigError: see `ChatFormat`.
    """
    stops = tuple(stops)
    plain = ChatFormat(tokenizer, stops)
    return plain if plain.grows() else RewritingFormat(tokenizer, stops)


class RewritingFormat(ChatFormat):
    """Prompts that are rendered whole in every turn; see the module."""

    rewrites = True

    def encode_next(self, observation: str, *, closed: bool) -> list[int]:
        """No such thing here, whatever the `observation` and whether the answer before it was `closed` or not.

        Raises:
            ConfigError: always; `encode_more` says what follows.
        """
        raise ConfigError("the chat template writes earlier turns anew; a conversation does not grow by increments")

    def encode_conversation(
        self, seen: Sequence[str], said: Answers, system: str = "", tools: Sequence[Mapping[str, Any]] = ()
    ) -> list[int]:
        """A conversation as the template writes it: one with answers is written whole, as a function of all turns.

        Args:
            seen: Observations, one more than answers.
            said: The answers between them: their tokens, and whether the last one ends them.
            system: The system message; "" for none.
            tools: JSON-Schema tools of which the template is to tell the model.
        """
        if len(seen) == 1:
            return self.encode_first(seen[0], system, tools)
        return self._ids(self._conversation(len(seen), said, system, tools), seen, system)

    def encode_more(
        self, seen: Sequence[str], said: Answers, system: str = "", tools: Sequence[Mapping[str, Any]] = ()
    ) -> list[int] | None:
        """What follows the newest answer, or None where the template writes what comes before anew.

        Args:
            seen: Observations, one more than answers; the last one is new.
            said: The answers between them. The newest stands in the prompt as it was sampled, and what follows is
                appended to it only if what the template makes of all turns begins with these very words.
            system: The system message; "" for none.
            tools: JSON-Schema tools of which the template tells the model, the same in every turn.
        """
        newest, closed = said[-1]
        verbatim = self._verbatim(newest)
        if closed and verbatim.endswith(self._close):
            verbatim = verbatim.removesuffix(self._close)
        before = self._conversation(len(seen) - 1, said[:-1], system, tools)
        now = self._conversation(len(seen), said, system, tools).replace(CUT, "")
        known = before.replace(CUT, "") + verbatim + self._close
        if not now.startswith(known):
            return None
        return [*(() if closed else self.closing), *self._ids(now[len(known) :], seen)]

    def _conversation(self, shown: int, said: Answers, system: str, tools: Sequence[Mapping[str, Any]]) -> str:
        """The template's text of so many observations, for which stand-ins stand."""
        messages = [{"role": "system", "content": self._harmless(system)}] if system else []
        for turn in range(shown):
            messages.append({"role": "user", "content": PLACE.format(turn)})
            if turn + 1 < shown:
                messages.append({"role": "assistant", "content": self._harmless(self._content(said[turn][0]))})
        try:
            return self._render(messages, generation=True, tools=list(tools) or None)
        except TemplateError as error:
            raise ConfigError(f"the model's chat template refuses a conversation: {error}") from None

    def _content(self, answer: Sequence[int]) -> str:
        """An answer as a message: without what the template writes before it by itself, and thoughts it would drop.

        A thought that the prompt has opened is opened in the message as well.
        """
        if self._thoughts:
            return self._without_thought(answer)[0].removeprefix(self._lead)
        said = self.text(answer).removeprefix(self._lead)
        return self._opened.lstrip() + said if self._opened and "</think>" in said else said

    def _harmless(self, text: str) -> str:
        """A text in which special tokens and stand-ins that it spells will be cut."""
        opens = PLACE[0]
        text = text.replace(CUT, "").replace(opens, f"{opens}{CUT}")
        if self._forged is None:
            return text
        places = [found.start() + 1 for found in self._forged.finditer(text)]
        return CUT.join(text[begin:end] for begin, end in zip([0, *places], [*places, len(text)], strict=True))

    def _ids(self, rendered: str, seen: Sequence[str], system: str = "") -> list[int]:
        """The tokens of a rendered text, with the observations in place of what stands for them."""
        for turn, observation in enumerate(seen):
            rendered = rendered.replace(PLACE.format(turn), self._harmless(observation), 1)
        return [token for piece in rendered.split(CUT) for token in self._tokenize(piece)]
