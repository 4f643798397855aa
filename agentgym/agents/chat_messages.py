"""Whole conversations of any roles as tokens, in which earlier answers stand with the very ids that were sampled."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import TemplateError

from agentgym.agents.chat_format import ChatFormat
from agentgym.agents.chat_rewriting import CUT
from agentgym.core import ConfigError

PLACE = "\u2404{}\u2405"  # what stands for an answer that was sampled
CALL, END_OF_CALL = "<tool_call>", "</tool_call>"
TOOLS = (
    "You can call tools. To call one, write a JSON object with its name and arguments between tags, such as\n"
    '<tool_call>{"name": "look", "arguments": {"at": "door"}}</tool_call>\nThe tools are:\n'
)


class MessageFormat(ChatFormat):
    """Renders messages of the roles `system`, `user`, `assistant` and `tool` by the tokenizer's template.

    An answer that was sampled goes in as ids. The text around it is tokenized piece by piece, so it is never joined
    with it. Where the template knows no tools, the system message lists them, and what a tool says is a user's message
    in `<tool_response>` tags.

    Args:
        tokenizer: A Hugging Face tokenizer with a chat template.
        stops: Tokens at which the model stops by itself, besides the end token.

    Raises:
        ConfigError: see `ChatFormat`; also where an answer has channels, which cannot stand as it was sampled.
    """

    def __init__(self, tokenizer: Any, stops: Sequence[int] = ()):
        super().__init__(tokenizer, stops)
        if self._channels:
            raise ConfigError("answers of this chat template have channels; record a model whose answers have none")
        try:
            self.check_tools()
            self.knows_tools = True
        except ConfigError:
            self.knows_tools = False

    def encode_messages(
        self,
        messages: Sequence[Mapping[str, Any]],
        sampled: Mapping[int, tuple[Sequence[int], bool]],
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> list[int]:
        """The tokens of a conversation, up to where the next answer begins.

        Args:
            messages: Each with `role` and `content`, both texts; an assistant's may hold `tool_calls`.
            sampled: By place in `messages`, the ids of an answer, and whether the last one ends it.
            tools: JSON-Schema tools that are offered.

        Raises:
            ConfigError: if the template refuses the conversation or drops an answer.
        """
        shown = [self._shown(place, message, place in sampled) for place, message in enumerate(messages)]
        if tools and not self.knows_tools:
            shown = _with_list(shown, self._harmless(TOOLS + "\n".join(map(json.dumps, tools))))
        try:
            text = self._render(shown, generation=True, tools=list(tools) if tools and self.knows_tools else None)
        except (TemplateError, TypeError) as error:
            raise ConfigError(f"the model's chat template refuses the conversation: {error}") from None
        ids: list[int] = []
        for place, (tokens, closed) in sorted(sampled.items()):
            before, found, text = text.partition(PLACE.format(place))
            if not found:
                raise ConfigError("the chat template drops an earlier answer")
            ids += [*self._pieces(before.removesuffix(self._lead) if self._lead else before), *tokens]
            if closed:
                text = text.removeprefix(self._close)
        return ids + self._pieces(text)

    def spell(self, text: str) -> list[int]:
        """The tokens of a text that is given as the beginning of an answer."""
        return list(self._tokenize(text))

    def _shown(self, place: int, message: Mapping[str, Any], sampled: bool) -> dict[str, Any]:
        role, content = str(message["role"]), self._harmless(str(message["content"]))
        if sampled:
            return {"role": role, "content": PLACE.format(place)}
        if role == "tool" and not self.knows_tools:
            return {"role": "user", "content": f"<tool_response>\n{content}\n</tool_response>"}
        for call in message.get("tool_calls") or ():
            said = json.dumps({"name": call["name"], "arguments": call["arguments"]})
            content += self._harmless(f"{CALL}{said}{END_OF_CALL}")
        return {"role": role, "content": content}

    def _harmless(self, text: str) -> str:
        """A text in which special tokens, and what stands for answers, are spelled apart."""
        text = text.replace(CUT, "").replace("\u2404", CUT + "\u2404" + CUT)
        if self._forged is None:
            return text
        places = [found.start() + 1 for found in self._forged.finditer(text)]
        return CUT.join(text[begin:end] for begin, end in zip([0, *places], [*places, len(text)], strict=True))

    def _pieces(self, text: str) -> list[int]:
        return [token for piece in text.split(CUT) for token in self._tokenize(piece)]


def _with_list(shown: list[dict[str, Any]], told: str) -> list[dict[str, Any]]:
    """The messages with a text at the end of the system message, or as one."""
    if shown and shown[0]["role"] == "system":
        return [{"role": "system", "content": f"{shown[0]['content']}\n\n{told}"}, *shown[1:]]
    return [{"role": "system", "content": told}, *shown]
