"""Replies that are JSON: an action in an object, a function call, or the tool calls of chat APIs."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core import ConfigError, Invalid, json_text, unknown
from agentgym.core.checks import check_count
from agentgym.core.grammar import shorten
from agentgym.wrappers.actions._format import SEVERAL, THOUGHT, ReplyFormat
from agentgym.wrappers.actions._signatures import (
    Signature,
    arguments,
    check_signatures,
    signatures,
    words,
)
from agentgym.wrappers.actions.several import SeveralActions
from agentgym.wrappers.base import Info, TextWrapper

OPEN, CLOSE = "<tool_call>", "</tool_call>"


def read_json(text: str) -> Any:
    """The value of a JSON text, or `Invalid`; numbers that are not finite are no JSON."""
    try:
        return json_text.read_json(text, finite=True)
    except ValueError as error:
        return Invalid(f"the reply is no JSON ({shorten(str(error))})")


def unfenced(reply: str) -> str:
    """The reply without a code fence around it."""
    text = reply.strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        return text[text.index("\n") : -3].strip()
    return text


class JsonReply(ReplyFormat):
    """Replies that are one JSON object with a thought and an action in words.

    Changes: first observation and `manual` (how to reply), actions (whole replies), `info` (see `ReplyFormat`). Reward
    and ends are the world's; a malformed reply costs a turn.

    Args:
        env: A world that answers text.
        thought, action: The two keys.

    Source: the prompts of gym-cards; Zhai et al., Fine-Tuning Large Vision-Language Models as Decision-Making Agents
    via Reinforcement Learning, NeurIPS 2024.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import JsonReply
    >>> env = JsonReply(gym.make("AgentGym/FrozenLake-v0"))
    >>> text, info = env.reset(seed=0)
    >>> info = env.step('{"thoughts": "The goal lies below.", "action": "down"}')[4]
    >>> info["action"], info["action_valid"]
    ('down', True)
    """

    def __init__(self, env: gym.Env[Any, Any], *, thought: str = "thoughts", action: str = "action"):
        super().__init__(env, thought=thought, action=action)
        if not (isinstance(thought, str) and isinstance(action, str) and thought != action):
            raise ConfigError(
                f"the keys of thought and action must be two different words, got {thought!r}, {action!r}"
            )
        self.thought, self.action = thought, action

    @property
    def instructions(self) -> str:
        """The form of a reply."""
        shown = json.dumps({self.thought: "your reasoning", self.action: "one action"})
        return f"Reply with one JSON object: {shown}."

    def format_reply(self, actions: Sequence[str], thought: str = THOUGHT) -> str:
        """The reply that plays the only one of `actions`, with a `thought` under its key."""
        return json.dumps({self.thought: thought, self.action: actions[0]}, ensure_ascii=False)

    def parse_reply(self, reply: str) -> tuple[list[str], str] | Invalid:
        """The action of the object."""
        said = read_json(unfenced(reply))
        if isinstance(said, Invalid):
            return Invalid(f"{said.reason}. {self.instructions}")
        action = said.get(self.action) if isinstance(said, dict) else None
        if isinstance(action, dict):
            action = json.dumps(action, ensure_ascii=False)  # a tool call need not stand in a string
        if not isinstance(action, str):
            return Invalid(f"the reply must be a JSON object whose {self.action!r} is text. {self.instructions}")
        thought = said.get(self.thought, "")
        return [action], thought if isinstance(thought, str) else json.dumps(thought)


class _Functions(ReplyFormat):
    """Base of formats that call a function for each command: the one line and the manual show functions, not words."""

    calls_functions: ClassVar[bool] = True

    def __init__(self, env: gym.Env[Any, Any], **given: Any):
        super().__init__(env, **given)
        check_signatures(self)
        layer = self.inner
        while isinstance(layer, TextWrapper):
            if layer._names_actions:
                name, mine = type(layer).__name__, type(self).__name__
                raise ConfigError(f"{name} names actions in words, {mine} wants calls; put {name} around {mine}")
            if isinstance(layer, SeveralActions):
                raise ConfigError(f"SeveralActions splits words, {type(self).__name__} calls functions; leave it out")
            layer = layer.inner

    @property
    def commands(self) -> str:
        """The functions."""
        return f"Functions: {', '.join(one.shown() for one in signatures(self.inner_grammars))}"

    @property
    def manual(self) -> str:
        """The world's rules, the functions, each with a call, and a few examples as whole replies."""
        lines = [rules for grammar in self.inner_grammars if (rules := getattr(grammar, "rules", ""))]
        lines += [*self.inner_notes, "", f"{self.instructions} The functions:"]
        known = signatures(self.inner_grammars)
        calls = dict(reversed([arguments(self.inner, known, example) for example in self.inner_examples]))
        for one in known:
            choices = "".join(
                f" {slot.name} is one of: {', '.join(map(str, slot.schema['enum']))}."
                for slot in one.slots
                if "enum" in slot.schema
            )
            example = f" For example: {self.called(one, calls[one])}" if one in calls else ""
            lines.append(f"- {one.shown()}: {one.help.rstrip('.')}.{choices}{example}")
        shown = "".join(f"\n\n{example}" for example in self.examples)
        return "\n".join([*lines, *(("", f"Whole replies:{shown}") if shown else ())]).strip()

    @abstractmethod
    def called(self, one: Signature, given: Mapping[str, Any]) -> str:
        """A call as it stands in a reply.

        Args:
            one: The function.
            given: Its arguments by name.
        """

    def call(self, action: str) -> str:
        """A bare action as a call."""
        return self.called(*arguments(self.inner, signatures(self.inner_grammars), action))

    @property
    def tools(self) -> list[dict[str, Any]]:
        """One JSON-Schema tool a command, in the form chat APIs take."""
        return [one.tool() for one in signatures(self.inner_grammars)]

    def show(self, observation: str, info: Info, note: Any) -> str:
        """The observation; where the world explains its words, the functions stand instead.

        Args:
            observation: What is seen inside.
            info: Also its `error` names functions in place of words.
            note: As of `ReplyFormat.show`.
        """
        text = super().show(observation, info, note)
        if info["action_valid"]:
            return text
        old, new = self.world.grammar.line, f"{self.commands}. {self.instructions}"
        info["error"] = info["error"].replace(old, new)
        return self._fit(text.replace(old, new))


class JsonCalls(_Functions):
    """Replies that are one JSON object with `thought`, `function_name` and `arguments`.

    `arguments` is an object, or a list of values in the order of the function; `name` is accepted for
    `function_name`. The functions are the commands of the world, or its tools.

    Changes: first observation, `manual` and `tools` (functions instead of words), actions (whole replies), `info` (see
    `ReplyFormat`). Reward and ends are the world's; a malformed call costs a turn.

    Args:
        env: A world whose grammar is a `Grammar` or a `ToolGrammar`.

    Source: the function-calling prompts of Xi et al., AgentGym: Evolving Large Language Model-based Agents across
    Diverse Environments, 2024.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import JsonCalls
    >>> env = JsonCalls(gym.make("AgentGym/Household-v1"))
    >>> text, info = env.reset(seed=0)
    >>> reply = '{"thought": "", "function_name": "take", "arguments": {"object": "mug 1", "receptacle": "desk 1"}}'
    >>> env.step(reply)[4]["action"]
    'take mug 1 from desk 1'
    """

    def __init__(self, env: gym.Env[Any, Any]):
        super().__init__(env)

    @property
    def instructions(self) -> str:
        """The form of a reply."""
        shown = {"thought": "your reasoning", "function_name": "a function", "arguments": {"an argument": "its value"}}
        return f"Reply with one JSON object: {json.dumps(shown)}."

    def called(self, one: Signature, given: Mapping[str, Any]) -> str:
        """A call of the function `one` as it stands in a reply, with the arguments `given` by name."""
        return json.dumps({"function_name": one.name, "arguments": given}, ensure_ascii=False)

    def format_reply(self, actions: Sequence[str], thought: str = THOUGHT) -> str:
        """The reply that plays the only one of `actions`, given in words, with a `thought` before the call."""
        one, given = arguments(self.inner, signatures(self.inner_grammars), actions[0])
        return json.dumps({"thought": thought, "function_name": one.name, "arguments": given}, ensure_ascii=False)

    def parse_reply(self, reply: str) -> tuple[list[str], str] | Invalid:
        """The action of the call."""
        said = read_json(unfenced(reply))
        if isinstance(said, Invalid):
            return Invalid(f"{said.reason}. {self.instructions}")
        if not isinstance(said, dict):
            return Invalid(f"the reply is no JSON object. {self.instructions}")
        action = _called(self, said.get("function_name", said.get("name")), said.get("arguments", {}))
        thought = said.get("thought", "")
        return action if isinstance(action, Invalid) else ([action], thought if isinstance(thought, str) else "")


class NativeCalls(_Functions):
    """Replies as tool-calling models and chat APIs give them.

    `style` says what the prompt shows; both are read:

    - `hermes`: `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`, as Qwen and Hermes models write;
    - `openai`: the assistant message as JSON, `{"content": ..., "tool_calls": [{"type": "function", "function":
      {"name": ..., "arguments": "..."}}]}`, where `arguments` is JSON in a string.

    Calls alone, `{"name": ..., "arguments": {...}}` or a list of these, are read too: so the agent `endpoint` hands on
    what its model called through the interface of its server.

    `tools` is the list to hand to the chat template or the endpoint.

    Changes: first observation, `manual` and `tools` (functions instead of words), actions (whole replies), `info` (see
    `ReplyFormat`). Several calls of one reply are played in order, each for a turn: texts are joined, rewards and costs
    added, events collected. A malformed call costs a turn.

    Args:
        env: A world whose grammar is a `Grammar` or a `ToolGrammar`.
        style: `hermes` or `openai`.
        most: Most calls in one reply; 1 for a player of a game.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import NativeCalls
    >>> env = NativeCalls(gym.make("AgentGym/TextCraft-v1"))
    >>> text, info = env.reset(seed=0)
    >>> [tool["function"]["name"] for tool in env.tools]
    ['get', 'craft', 'inventory']
    >>> info = env.step('<tool_call>{"name": "get", "arguments": {"number": "1", "item": "oak log"}}</tool_call>')[4]
    >>> info["action"]
    'get 1 oak log'
    """

    def __init__(self, env: gym.Env[Any, Any], *, style: str = "hermes", most: int = 1):
        if style not in ("hermes", "openai"):
            raise unknown("style of tool calls", style, ("hermes", "openai"))
        most = check_count("most", most)
        super().__init__(env, style=style, most=most)
        if most > 1:
            self._refuse_games(SEVERAL)
        self.style, self.most = style, most

    @property
    def instructions(self) -> str:
        """The form of a reply."""
        if self.style == "openai":
            return "Call a function through the tool-call interface."
        return f'Call a function: {OPEN}{{"name": "a function", "arguments": {{"an argument": "its value"}}}}{CLOSE}.'

    def called(self, one: Signature, given: Mapping[str, Any]) -> str:
        """A call of the function `one` between its marks, with the arguments `given` by name."""
        return f"{OPEN}{json.dumps({'name': one.name, 'arguments': given}, ensure_ascii=False)}{CLOSE}"

    def format_reply(self, actions: Sequence[str], thought: str = THOUGHT) -> str:
        """The reply that plays some actions: marked text, or in the style `openai` the message of a chat API.

        Args:
            actions: In words, at most `most`; each becomes a call.
            thought: The text before the calls, or the content of the message.
        """
        calls = [arguments(self.inner, signatures(self.inner_grammars), action) for action in actions]
        if self.style == "openai":
            listed = [
                {"type": "function", "function": {"name": one.name, "arguments": json.dumps(given)}}
                for one, given in calls
            ]
            return json.dumps({"role": "assistant", "content": thought, "tool_calls": listed})
        return "\n".join([thought, *(self.called(one, given) for one, given in calls)])

    def parse_reply(self, reply: str) -> tuple[list[str], str] | Invalid:
        """The actions of the calls, and the text before them."""
        calls = self._blocks(reply) if OPEN in reply else self._message(reply)
        if isinstance(calls, Invalid):
            return calls
        found, thought = calls
        if not found:
            return Invalid(f"the reply calls no function. {self.instructions}")
        actions = [_called(self, name, given) for name, given in found[: self.most + 1]]
        wrong = next((action for action in actions if isinstance(action, Invalid)), None)
        return wrong if wrong else ([action for action in actions if isinstance(action, str)], thought)

    def _blocks(self, reply: str) -> tuple[list[tuple[Any, Any]], str] | Invalid:
        thought, *rest = reply.split(OPEN)
        found = []
        for block in rest:
            said = read_json(block.partition(CLOSE)[0])
            if isinstance(said, Invalid):
                return Invalid(f"{said.reason.replace('reply', 'tool call')}. {self.instructions}")
            if not isinstance(said, dict):
                return Invalid(f"a tool call is no JSON object. {self.instructions}")
            found.append((said.get("name"), said.get("arguments", {})))
        return found, thought

    def _message(self, reply: str) -> tuple[list[tuple[Any, Any]], str] | Invalid:
        said = read_json(unfenced(reply))
        alone = [said] if isinstance(said, dict) and "name" in said else said
        if isinstance(alone, list) and alone and all(isinstance(call, dict) and "name" in call for call in alone):
            return [(call["name"], call.get("arguments", {})) for call in alone], ""
        listed = said.get("tool_calls") if isinstance(said, dict) else None
        if not isinstance(listed, list):
            return Invalid(f"the reply calls no function. {self.instructions}")
        found = []
        for call in listed:
            function = call.get("function") if isinstance(call, dict) else None
            if not isinstance(function, dict):
                return Invalid(f'a tool call lacks its "function". {self.instructions}')
            found.append((function.get("name"), function.get("arguments", {})))
        content = said.get("content")
        return found, content if isinstance(content, str) else ""


def _called(wrapper: ReplyFormat, name: Any, given: Any) -> str | Invalid:
    """The action of a call with any JSON as name and arguments; arguments may be JSON in a string."""
    if not isinstance(name, str):
        return Invalid(f"the call names no function. {wrapper.instructions}")
    if isinstance(given, str):
        given = read_json(given or "{}")
    if not isinstance(given, (dict, list)):
        return Invalid(f"the arguments of {shorten(name)} must be a JSON object. {wrapper.instructions}")
    return words(wrapper, name, given)
