"""A model behind an OpenAI-compatible address that says what the oracle of a world says, known by what it is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from agentgym.baselines.bridges.chat import begun, from_row
from tests.agents.server import Answer, ChatServer, completion, stream

Script = dict[tuple[str, ...], str]  # what the user has said so far, and the reply


def oracle_script(rows: Sequence[Mapping[str, Any]]) -> Script:
    """The oracle's replies in the episodes of some rows."""
    script: Script = {}
    for row in rows:
        env = from_row(dict(row))
        said, ended = [begun(env, row["seed"])], False
        while not ended:
            script[tuple(said)] = env.oracle_action()
            seen, _, terminated, truncated, _ = env.step(script[tuple(said)])
            said, ended = [*said, str(seen)], terminated or truncated
    return script


@contextmanager
def endpoint(script: Script) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Serve a script; gives the address, and the list of what was asked, which grows."""
    asked: list[dict[str, Any]] = []

    def answer(number: int, request: dict[str, Any]) -> Answer:
        body = request["body"]
        asked.append(body)
        reply = script[tuple(each["content"] for each in body["messages"] if each["role"] == "user")]
        return stream(reply) if body.get("stream") else completion(reply)

    with ChatServer(answer) as server:
        yield server.base_url, asked
