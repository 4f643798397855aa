"""A model behind a recording endpoint plays one episode of a served world, which tells what it earned.

    python -m agentgym.baselines.record_episode http://127.0.0.1:8000 http://127.0.0.1:8001 [TOKENS]

It is the client of `compose.yaml`, and an agent program in little: it knows nothing of models or of training.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import agentgym

WORLD, TURNS = "FrozenLake-v0", 3


def post(url: str, body: dict[str, Any], token: str | None) -> Any:
    """What a server answers to an object of JSON.

    Args:
        url: Where.
        body: What is sent.
        token: Of the client; None for a server without tokens.
    """
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    with urlopen(Request(url, json.dumps(body).encode(), headers), timeout=300) as answer:
        return json.load(answer)


def play(worlds: str, recorder: str, token: str | None) -> dict[str, Any]:
    """Play an episode; what the recording endpoint wrote down as its outcome.

    Args:
        worlds: Address of the server of worlds.
        recorder: Address of the recording endpoint, which knows that server.
        token: Of the client at both; None where they have none.
    """
    session = f"{recorder}/sessions/{secrets.token_hex(8)}"
    env = agentgym.connect(worlds, WORLD, token=token, max_turns=TURNS)
    seen, _ = env.reset(seed=0, options={"task": 0})
    messages, ended = [], False
    while not ended:
        messages.append({"role": "user", "content": seen})
        asked = {"model": "any", "messages": messages, "max_tokens": 8}
        said = post(f"{session}/v1/chat/completions", asked, token)["choices"][0]["message"]["content"]
        messages.append({"role": "assistant", "content": said})
        seen, _, terminated, truncated, _ = env.step(said)
        ended = terminated or truncated
    outcome: dict[str, Any] = post(f"{session}/outcome", {"world": env.session}, token)
    env.close()
    return outcome


def main(arguments: Sequence[str] | None = None) -> int:
    """Play an episode and print its outcome as a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worlds", help="the server of worlds")
    parser.add_argument("recorder", help="the recording endpoint")
    parser.add_argument("tokens", nargs="?", type=Path, help="a file whose first line is the client's token")
    given = parser.parse_args(arguments)
    token = None if given.tokens is None else given.tokens.read_text(encoding="ascii").split()[0]
    sys.stdout.write(json.dumps(play(given.worlds.rstrip("/"), given.recorder.rstrip("/"), token)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
