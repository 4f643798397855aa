"""A model behind an OpenAI-compatible address that makes the calls it is given, one a request."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import agentgym
from tests.agents.server import Answer, ChatServer, call, completion

Call = dict[str, Any]


def oracle_calls(world: str, seed: int, split: str = "test", **arguments: Any) -> tuple[list[Call], list[str], float]:
    """What the oracle of a world calls in a task, what it is shown, and its return."""
    env = agentgym.make(world, split=split, **arguments)
    seen, _ = env.reset(seed=seed, options={"task": seed})
    shown, calls, total, ended = [str(seen)], [], 0.0, False
    while not ended:
        action = env.unwrapped.oracle_action()
        calls.append(json.loads(action) if env.unwrapped.tools else {"name": "act", "arguments": {"action": action}})
        seen, reward, terminated, truncated, _ = env.step(action)
        shown.append(str(seen))
        total, ended = total + float(reward), terminated or truncated
    return calls, shown, total


@contextmanager
def calling(calls: Sequence[Call]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Serve calls; gives the address, and the list of what was asked, which grows."""
    asked: list[dict[str, Any]] = []

    def answer(number: int, request: dict[str, Any]) -> Answer:
        asked.append(request["body"])
        if number > len(calls):
            return completion("done")
        made = call(calls[number - 1]["arguments"], calls[number - 1]["name"], number)
        return completion(None, ends="tool_calls", tool_calls=[made])

    with ChatServer(answer) as server:
        yield server.base_url, asked
