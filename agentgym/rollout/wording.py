"""What a role is shown in a turn, in words: examples, a template's message, and how long it all is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from agentgym.agents.context import Record
from agentgym.agents.prompt import Prompt
from agentgym.agents.shots import Shot, encode_shots
from agentgym.agents.template import render, used_variables
from agentgym.core import ToolCall
from agentgym.core.json_text import read_json
from agentgym.rollout.places import Briefing

BYTES_A_TOKEN = 3  # of UTF-8, where no tokenizer is at hand: English and code have three to five
A_MESSAGE = 4  # tokens that a chat template adds to a message


def estimated_tokens(messages: Sequence[Mapping[str, Any]]) -> int:
    """About how many tokens messages are: one for every three bytes of their words, and four a message.

    Pictures are not counted.

    Args:
        messages: A conversation.
    """
    words = [str(message["content"]) for message in messages]
    words += [json.dumps(message["tool_calls"]) for message in messages if "tool_calls" in message]
    return sum(-(-len(each.encode()) // BYTES_A_TOKEN) for each in words) + A_MESSAGE * len(messages)


def templated(
    prompt: Prompt,
    briefing: Briefing,
    record: Record,
    first: int,
    told: Mapping[str, Any],
    admissible: Callable[[], Sequence[str] | None],
) -> str:
    """The message that a template makes of an episode so far.

    Args:
        prompt: With a template.
        briefing: What the player is told beside observations.
        record: What it has seen and said.
        first: The first turn of the history.
        told: `instruction`, `player` and `how_to_answer`.
        admissible: Lists the actions that are possible now; called only if the template takes them.
    """
    used = used_variables(prompt.template)
    turns = zip(record.seen[first:-1], record.said[first:], record.actions[first:], strict=True)
    values: dict[str, Any] = {
        **told,
        "manual": briefing.manual,
        "observation": record.seen[-1],
        "history": [{"observation": seen, "said": said, "action": action} for seen, said, action in turns],
        "left_out": first,
        "turn": len(record.seen),
        "shots": [{"seen": shot.seen, "said": shot.said} for shot in prompt.shots.get(told["player"], ())],
    }
    if "admissible_actions" in used:
        values["admissible_actions"] = admissible()
    return render(prompt.template, {name: value for name, value in values.items() if name in used})


def example_messages(shots: Sequence[Shot], *, native: bool) -> tuple[list[dict[str, Any]], str]:
    """Examples as messages, and the words with which the first message of the task begins.

    Args:
        shots: The examples.
        native: Whether answers are calls through an interface of their own.
    """
    turns, words = encode_shots(shots)
    messages: list[dict[str, Any]] = []
    for number, (shown, said) in enumerate(turns):
        messages.append({"role": "user", "content": shown})
        call = _call(said, number) if native else None
        if call is None:
            messages.append({"role": "assistant", "content": said})
        else:
            messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
    if messages and "tool_calls" in messages[-1]:
        messages.append({"role": "user", "content": words.rstrip()})
        words = ""
    return _answered(messages), words


def _call(action: str, number: int) -> dict[str, Any] | None:
    """An action as a call, where it is one."""
    try:
        made = read_json(action)
    except ValueError:
        return None
    if not isinstance(made, dict) or not isinstance(made.get("name"), str):
        return None
    call = ToolCall(f"example_{number}", made["name"], json.dumps(made.get("arguments", {})))
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _answered(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with what follows a call as its answer, as servers want it."""
    for before, message in pairwise(messages):
        if "tool_calls" in before:
            message |= {"role": "tool", "tool_call_id": before["tool_calls"][0]["id"]}
    return messages
