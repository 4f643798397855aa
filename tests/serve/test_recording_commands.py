"""The commands `agentgym record --upstream` and `agentgym train record_grpo`, as their users start them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openai
import pytest
import requests

import agentgym
from agentgym.rollout.recordings import read_recordings
from tests.serve.conftest import starter
from tests.serve.test_record_app import TOKEN, Endpoint, check_exact, start, tokenizer

__all__ = ["start", "tokenizer"]

GROUPS, SIZE, UPDATES = 2, 2, 2
LAKE = {"size": 3, "slippery": False}
LITTLE = {
    "world.id": "FrozenLake-v0",
    "world.env_kwargs": "{ size = 3, slippery = false }",
    "rollout.groups": GROUPS,
    "rollout.group_size": SIZE,
    "update.updates": UPDATES,
    "model.tiny": "{ layers = 1, width = 32, heads = 2, context = 512 }",
    "clone.episodes": 40,
    "records.port": 0,
}


@dataclass
class Command:
    """A command that runs, and the lines of its log."""

    process: subprocess.Popen[str]

    def lines(self) -> Iterator[dict[str, Any]]:
        """Its events, as they come."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            if line.startswith("{"):
                yield json.loads(line)

    def wait(self, event: str) -> dict[str, Any]:
        """The next event of a kind."""
        said = []
        for line in self.lines():
            said.append(line)
            if line["event"] == event:
                return line
        raise AssertionError(f"it ended before {event}: {said}")


@contextmanager
def running(*arguments: str, **variables: str) -> Iterator[Command]:
    """A command in a process of its own."""
    command = [sys.executable, "-m", "agentgym", *arguments]
    environment = {**os.environ, **variables}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        yield Command(process)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.full
def test_what_another_server_answers_is_recorded_by_the_command(start: Any, tmp_path: Path) -> None:
    endpoint: Endpoint = start()
    upstream, out = f"{endpoint.url}/sessions/up/v1", tmp_path / "relayed"
    options = (
        "--upstream",
        upstream,
        "--model",
        "there",
        "--out",
        str(out),
        "--upstream-key-env",
        "KEY",
        "--port",
        "0",
    )
    with running("record", *options, KEY=TOKEN) as command:
        url = command.wait("listening")["url"]
        client = openai.OpenAI(base_url=f"{url}/sessions/a/v1", api_key="any", max_retries=0)
        messages: list[Any] = [{"role": "user", "content": "one"}]
        for turn in range(2):
            said = client.chat.completions.create(model="any", messages=messages).choices[0].message.content
            messages += [{"role": "assistant", "content": said}, {"role": "user", "content": f"no {turn}"}]
        outcome = {"task": "1", "reward": 1.0, "success": True}
        assert requests.post(f"{url}/sessions/a/outcome", json=outcome, timeout=60).status_code == 200
    assert len(endpoint.sampled) == 2
    (episode,) = read_recordings(out)
    check_exact(endpoint, [episode])
    assert TOKEN not in "".join(path.read_text() for path in out.iterdir() if path.suffix in (".json", ".jsonl"))


def play(url: str, worlds: str, session: str, task: int) -> float:
    """A program that plays a served world with what answers at an address; the world tells what came of it."""
    client = openai.OpenAI(base_url=f"{url}/sessions/{session}/v1", api_key="any", max_retries=0)
    env = agentgym.connect(worlds, "FrozenLake-v0", split="train")
    seen, _ = env.reset(seed=task, options={"task": task})
    messages: list[Any] = []
    total, ended = 0.0, False
    while not ended:
        messages.append({"role": "user", "content": seen})
        said = client.chat.completions.create(model="any", messages=messages).choices[0].message.content
        messages.append({"role": "assistant", "content": said})
        seen, reward, terminated, truncated, _ = env.step(said)
        total, ended = total + reward, terminated or truncated
    answer = requests.post(f"{url}/sessions/{session}/outcome", json={"world": env.session}, timeout=300)
    assert answer.status_code == 200, answer.text
    assert answer.json()["reward"] == total
    env.close()
    return total


def play_round(url: str, worlds: str, number: int) -> None:
    """As many sessions as an update takes, all at once."""
    jobs = [(f"r{number}-{task}-{k}", number * GROUPS + task) for task in range(GROUPS) for k in range(SIZE)]
    with ThreadPoolExecutor(len(jobs)) as threads:
        list(threads.map(lambda job: play(url, worlds, *job), jobs))


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_a_run_learns_from_programs_that_play_a_served_world_and_goes_on_after_it_was_killed(tmp_path: Path) -> None:
    out = tmp_path / "run"
    with starter() as begin:
        worlds = begin("FrozenLake-v0", "--env", "size=3", "--env", "slippery=false").url
        words = [word for name, value in LITTLE.items() for word in (f"--{name}", str(value))]
        arguments = ("train", "record_grpo", "--out", str(out), "--records.world", worlds, *words)
        with running(*arguments) as command:
            url = command.wait("listening")["url"]
            play_round(url, worlds, 0)
            assert command.wait("update")["update"] == 1
            play(url, worlds, "half", GROUPS)  # the beginning of the next round
            command.process.kill()
        with running(*arguments) as command:
            url = command.wait("listening")["url"]
            play(url, worlds, "other-half", GROUPS)  # the same task, so that the two are a group
            for k in range(SIZE):
                play(url, worlds, f"last-{k}", GROUPS + 1)
            assert command.wait("update")["update"] == UPDATES
            told, _ = command.process.communicate(timeout=300)
            assert command.process.returncode == 0
    assert "what it learned is in" in told
    updates = [json.loads(line) for line in (out / "updates.jsonl").read_text().splitlines()]
    assert [each["update"] for each in updates] == [0, 1]
    episodes = read_recordings(out / "records")
    assert len(episodes) == UPDATES * GROUPS * SIZE
    spoke = [{turn.version for turn in episode.turns} for episode in episodes]
    assert spoke == [{0}] * (GROUPS * SIZE) + [{1}] * (GROUPS * SIZE)
    assert {episode.task_id for episode in episodes} == {
        agentgym.make("FrozenLake-v0", **LAKE).unwrapped.tasks("train")[place].id for place in range(UPDATES * GROUPS)
    }
