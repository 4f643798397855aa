"""How a conversation becomes tokens: the tokenizer's own chat template, rendered once and cut into increments.

Most templates write a conversation as turns that stay as they were: it then grows by increments that never touch
earlier tokens. Some write the past anew, such as those that leave earlier thoughts out; they are rendered whole in
every turn (`agentgym.agents.chat_rewriting`). `chat_format` tells which kind a tokenizer has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from jinja2 import TemplateError

from agentgym.core import ConfigError
from agentgym.core.call_forms import has_native_call

REMEMBERED = 2_048  # texts whose tokens are kept: members of a group often see the same
SEEN, SAID, THOUGHT = (
    "\u2402\u2403",
    "\u2404\u2405",
    "\u2406\u2407",
)  # a rendering is cut at them
DAY = {"%Y": "2025", "%y": "25", "%m": "01", "%B": "January", "%b": "Jan", "%d": "01", "%A": "Wednesday", "%H": "00"}
# What templates that name the day are told, for equal seeds to give equal prompts: the first day of 2025.
CALENDAR = "".join(f"|replace('{code}', '{value}')" for code, value in DAY.items())
CALENDAR = f"{{%- macro strftime_now(form) -%}}{{{{ form{CALENDAR} }}}}{{%- endmacro -%}}"
THINKING = "<think>"
THOUGHTS = (  # what stands around a thought, in the templates of several makers
    ("<think>\n", "\n</think>\n\n"), ("<|channel>thought\n", "<channel|>"), ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("[THINK]", "[/THINK]"), ("<seed:think>", "</seed:think>"),
)  # fmt: skip
ANSWERS, MESSAGE = "<|start|>assistant", "<|message|>"  # of templates in which an answer has channels: what begins one
FINAL = f"<|channel|>final{MESSAGE}"  # where the last of them begins
SYSTEM = "\u2409\u240a"  # a system message that is tried
TOOL = "agentgym_tool"  # a name that no template writes by itself
TOOLS = [{"type": "function", "function": {"name": TOOL, "description": "", "parameters": {}}}]
Answers = Sequence[tuple[Sequence[int], bool]]
"""Answers: their tokens, and whether the last one ends them."""


class ChatFormat:
    """Prompts of a growing conversation as increments that never touch earlier tokens.

    The template is rendered for a stand-in conversation and cut around the stand-ins. What lies between an answer and
    the next one is constant text around the observation, so a conversation grows by `encode_next(observation)` and what
    the policy sampled stays as it was sampled. What a world says is text: where it spells a special token, the text is
    cut within it before it is tokenized, so it reads the same and ends no turn.

    Args:
        tokenizer: A Hugging Face tokenizer with a chat template.
        stops: Tokens at which the model stops by itself, besides the tokenizer's end token.

    Attributes:
        closing: The tokens that end an answer.
        end: The last of them.
        ends: All tokens at which an answer ends.
        rewrites: Whether the template writes earlier turns anew, so that prompts do not always extend one another.

    Raises:
        ConfigError: if there is no template, no end token, or the template drops what is said or never ends an answer.
    """

    rewrites = False

    def __init__(self, tokenizer: Any, stops: Iterable[int] = ()):
        if getattr(tokenizer, "chat_template", None) is None:
            whose = f"the tokenizer of {tokenizer.name_or_path}" if tokenizer.name_or_path else "the tokenizer"
            raise ConfigError(f"{whose} has no chat template; use an instruction-tuned model, or set one")
        if tokenizer.eos_token_id is None:
            raise ConfigError("the tokenizer has no end token (eos_token), so no answer could end")
        self.tokenizer = tokenizer
        self._special = [token.content for token in tokenizer.added_tokens_decoder.values() if token.special]
        self._forged = _within(self._special)
        self._told = ""  # the plain words that a template writes before every answer
        self._parts = False  # whether it takes a message as a list of parts alone
        self._channels = False  # whether an answer has channels
        self._calls = False  # whether calls of tools are told with their special tokens
        own = tokenizer.chat_template if isinstance(tokenizer.chat_template, str) else str(tokenizer.chat_template)
        self._thoughts = [pair for pair in THOUGHTS[1:] if pair[0].strip() in own or pair[1].strip() in own]
        self._tokens = lru_cache(REMEMBERED)(self._tokenize_around)
        self._spelled = lru_cache(REMEMBERED)(self._spell)
        self._words = lru_cache(REMEMBERED)(self._decode)
        self._begun = lru_cache(REMEMBERED)(self._begin)
        user, said = {"role": "user", "content": SEEN}, {"role": "assistant", "content": SAID}
        self._parts = self._needs_parts(user)
        self._first = self._cut([user], generation=True)
        begun, second = SEEN.join(self._first), self._render([user, said, user], generation=True)
        answered = self._render([user, said], generation=False)
        text = second if SAID in second else answered
        if SAID not in text:
            raise ConfigError("the chat template drops what the model has said; it could not be taught or read")
        before = text[: text.find(SAID)]
        lead = before[len(begun) :] if before.startswith(begun) else ""
        self._opened = begun[len(begun.rstrip().removesuffix(THINKING)) :] if begun.rstrip().endswith(THINKING) else ""
        if not before.startswith(begun) and self._opened:
            lead = "\n</think>\n\n"
        self._channels = lead.endswith(FINAL)
        between = text[text.find(SAID) + len(SAID) :].partition(SEEN)[0]
        stops = {tokenizer.eos_token_id, *stops}
        closing = tokenizer.eos_token if self._channels else self._closing(between, stops)
        self.closing = list(self._tokenize(closing))
        self.end: int = self.closing[-1]
        self.ends = frozenset({self.end, *stops})
        self._close = closing
        self._lead, self._next = lead, ("", "")
        self._told = "" if "</think>" in lead else self._plain(self._tokenize(lead)) if lead else ""
        whole = begun + lead + SAID + closing
        if second.startswith(whole):
            self._next = self._split(second[len(whole) :])

    def _needs_parts(self, user: Mapping[str, Any]) -> bool:
        try:
            return SEEN not in self._render([dict(user)], generation=True)
        except (TemplateError, TypeError):  # a message is a list of parts, each with its type
            return True

    def grows(self) -> bool:
        """Whether the template leaves everything as it was read and said: thoughts, rules and tools included.

        Some show the system message or the tools beside the newest observation alone.
        """
        if self._channels:
            return False  # the channels of thoughts are left out
        user = {"role": "user", "content": SEEN}
        answers = [SAID, *(f"{begin}{THOUGHT}{end}{SAID}" for begin, end in (THOUGHTS[0], *self._thoughts))]
        for system, tools in (("", None), (SYSTEM, None), ("", TOOLS), (SYSTEM, TOOLS)):
            try:
                begun = SEEN.join(self._begin(system, json.dumps(tools or []))) + self._lead
            except ConfigError:
                continue  # it takes no such thing, and says so when it is asked to
            opened = [{"role": "system", "content": system}, user] if system else [user]
            for said in answers:
                later = self._render(
                    [*opened, {"role": "assistant", "content": said}, user], generation=True, tools=tools
                )
                if not later.startswith(begun + said + self._close):
                    return False
        return True

    def encode_first(self, observation: str, system: str = "", tools: Sequence[Mapping[str, Any]] = ()) -> list[int]:
        """The first prompt: everything up to where the answer begins.

        Args:
            observation: What the user says.
            system: The system message; "" for none.
            tools: JSON-Schema tools of which the template tells the model.

        Raises:
            ConfigError: if the template refuses or drops a system message.
        """
        begun = self._begun(system, json.dumps(list(tools))) if system or tools else self._first
        return self._encode(begun, observation, system.strip())

    def encode_next(self, observation: str, *, closed: bool) -> list[int]:
        """What comes after an answer and before the next; with the end token if the answer was cut off.

        Args:
            observation: What the user says.
            closed: Whether the answer ended with the end token.
        """
        return ([] if closed else self.closing) + self._encode(self._next, observation)

    def encode_conversation(
        self, seen: Sequence[str], said: Answers, system: str = "", tools: Sequence[Mapping[str, Any]] = ()
    ) -> list[int]:
        """A conversation that begins anew, up to where the next answer begins.

        Args:
            seen: What the user says, one more than answers.
            said: The answers.
            system: The system message; "" for none.
            tools: What the template tells the model of.
        """
        ids = self.encode_first(seen[0], system, tools)
        for (tokens, closed), after in zip(said, seen[1:], strict=True):
            ids += [*tokens, *self.encode_next(after, closed=closed)]
        return ids

    def encode_more(
        self, seen: Sequence[str], said: Answers, system: str = "", tools: Sequence[Mapping[str, Any]] = ()
    ) -> list[int] | None:
        """What follows the newest answer.

        Args:
            seen, said, system, tools: The conversation, as `encode_conversation` takes it.

        Returns:
            Its tokens; None if the template writes what comes before anew, so that the conversation begins again.
        """
        return self.encode_next(seen[-1], closed=said[-1][1])

    def check_tools(self) -> None:
        """Refuse a template that says nothing of tools; from now on a call in a form of its own is told as it is said.

        Such forms have special tokens (`agentgym.core.call_forms`), which are otherwise no part of what is said.

        Raises:
            ConfigError: if it is one.
        """
        if not any(TOOL in part for part in self._begun("", json.dumps(TOOLS))):
            raise ConfigError("the model's chat template tells it nothing of tools; leave out tools (--tools)")
        self._calls = True

    def encode_action(self, text: str) -> list[int]:
        """A teacher's answer with its end, and before it what the template writes where nothing was thought.

        Raises:
            ConfigError: if the tokenizer cannot represent the text, so that the answer would say something else.
        """
        return [*(self._tokenize(self._lead) if self._lead else ()), *self._spelled(text), *self.closing]

    def text(self, token_ids: Sequence[int]) -> str:
        """What a policy said, without special tokens but those of a call in a form of its own.

        Nor with what the template writes before every answer; where answers have channels, the last of them alone.
        """
        return self._words(tuple(token_ids))

    def _decode(self, token_ids: tuple[int, ...]) -> str:
        if self._calls and (call := self._native_call(self._verbatim(token_ids))):
            return call
        if self._channels:
            _, found, final = self._verbatim(token_ids).rpartition(FINAL)
            if found:
                cut = self._forged.search(final) if self._forged else None
                return final[: cut.start()] if cut else final
        said, thought = self._without_thought(token_ids)
        said = said.removeprefix(self._told)
        return f"{THINKING}{thought}</think>{said}" if thought is not None else said

    def _native_call(self, verbatim: str) -> str:
        """A call in a form of its own, with its special tokens and what was thought before; "" if it is none."""
        ends = [end.strip() for _, end in self._thoughts] + [ANSWERS] * self._channels
        thought, mark, call = next(filter(all, map(verbatim.rpartition, ends)), ("", "", verbatim))
        for token in map(self.tokenizer.convert_ids_to_tokens, self.ends):
            call = call.removesuffix(token)
        if not has_native_call(call):
            return ""
        thought = self._unmarked(thought.rpartition(MESSAGE)[2])
        return f"{THINKING}{thought}</think>{call}" if mark else call

    def _without_thought(self, token_ids: Sequence[int]) -> tuple[str, str | None]:
        """The words of an answer and the thought before them, where the template marks thoughts in a way of its own."""
        verbatim = self._verbatim(token_ids) if self._thoughts else ""
        for begin, end in self._thoughts:
            _, opened, rest = verbatim.partition(begin.strip())
            if opened:
                thought, closed, words = rest.rpartition(end.strip())
                return self._unmarked(words if closed else ""), self._unmarked(thought if closed else rest)
        return self._plain(token_ids), None

    def _unmarked(self, text: str) -> str:
        """A text without special tokens."""
        for token in self._special:
            text = text.replace(token, "")
        return text

    def _plain(self, token_ids: Sequence[int]) -> str:
        said: str = self.tokenizer.decode(token_ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return said

    def _verbatim(self, token_ids: Sequence[int]) -> str:
        """What tokens spell, special ones included."""
        said: str = self.tokenizer.decode(token_ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return said

    def _spell(self, text: str) -> tuple[int, ...]:
        ids = self._tokenize(text)
        back = self._plain(ids)
        if back != text:
            raise ConfigError(
                f"the tokenizer cannot represent the action {text!r}: it reads back as {back!r}; use a tokenizer whose "
                "vocabulary covers every byte, and no special token as an action"
            )
        return ids

    def _tokenize(self, text: str) -> tuple[int, ...]:
        return tuple(self.tokenizer.encode(text, add_special_tokens=False))

    def _tokenize_around(self, head: str, observation: str, tail: str, system: str) -> tuple[int, ...]:
        """The tokens of a prompt, in which `observation` and `system`, a part of `head`, hold no special ones."""
        whole, cuts = head + observation + tail, []
        for start, foreign in ((head.find(system), system), (len(head), observation)):
            cuts += [start + found.start() + 1 for found in self._forged.finditer(foreign)] if self._forged else []
        ids: list[int] = []
        for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
            ids += self._tokenize(whole[begin:end])
        return tuple(ids)

    def _encode(self, parts: tuple[str, str], observation: str, system: str = "") -> list[int]:
        return list(self._tokens(parts[0], observation, parts[1], system))

    def _render(self, messages: Sequence[Mapping[str, Any]], *, generation: bool, tools: Any = None) -> str:
        if self._parts:
            messages = [{**each, "content": [{"type": "text", "text": each["content"]}]} for each in messages]
        template: str = self.tokenizer.get_chat_template(tools=tools)
        if "strftime_now" in template:
            template = CALENDAR + template
        text: str = self.tokenizer.apply_chat_template(
            messages, tools=tools, chat_template=template, tokenize=False, add_generation_prompt=generation
        )
        return text

    def _begin(self, system: str, tools: str) -> tuple[str, str]:
        """What stands around the first observation after a system message and a JSON list of tools."""
        messages = [{"role": "system", "content": system}] if system else []
        messages.append({"role": "user", "content": SEEN})
        try:
            head, tail = self._cut(messages, generation=True, tools=json.loads(tools) or None)
        except TemplateError as error:  # some templates refuse a system message
            raise ConfigError(f"the model's chat template refuses a system message: {error}") from None
        if system.strip() not in head:
            raise ConfigError("the chat template changes or drops the system message; use another model or prompt")
        return head, tail

    def _cut(self, messages: list[dict[str, str]], *, generation: bool, tools: Any = None) -> tuple[str, str]:
        return self._split(self._render(messages, generation=generation, tools=tools))

    def _closing(self, between: str, stops: set[int]) -> str:
        """The beginning of what lies between an answer and the next observation that ends the answer."""
        known = {self.tokenizer.convert_ids_to_tokens(stop) for stop in stops}
        places = sorted((between.find(token), token) for token in self._special if token in between)
        for place, token in places:
            if token in known or not between[:place].strip():
                stop = next(((at, each) for at, each in places if each in known), (place, token))
                return between[: stop[0] + len(stop[1])]
        raise ConfigError(
            f"the chat template does not end an answer with the end token {self.tokenizer.eos_token!r}; "
            "set tokenizer.eos_token to the token it uses"
        )

    @staticmethod
    def _split(text: str) -> tuple[str, str]:
        head, found, tail = text.partition(SEEN)
        if not found:
            raise ConfigError("the chat template changes or drops what the user says; observations could not be read")
        return head, tail


def _within(tokens: Iterable[str]) -> re.Pattern[str] | None:
    """Finds where any of these texts begins, overlapping ones too; None if there are none that can be cut."""
    spelled = sorted((re.escape(text) for text in tokens if len(text) > 1), key=len, reverse=True)
    return re.compile(f"(?={'|'.join(spelled)})") if spelled else None
