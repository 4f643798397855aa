"""Load on a server: sessions held, and steps a second from one WebSocket client and from many, beside OpenEnv's server.

    python tests/benchmarks/bench_serve.py [--world ID] [--sessions N] [--clients N] [--seconds S] [--openenv]

Prints a line for each figure. Clients are processes of their own; each sends its sessions' actions in one message
(`batched`), or one action a message (`single`). The sessions that are held stay open all the while. `--openenv` asks
the same of OpenEnv's own server, with the same world behind it, over its own client, where a session is a connection
and a message has one action; that needs `pip install openenv-core`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import agentgym
from agentgym.vector.memory import held_mib

ACTION = "down"  # a wall or a way: the world answers either
STARTS = 600.0  # seconds in which a server has to answer: on a busy machine imports alone take minutes
OPENENV = """
import sys, uvicorn
import agentgym
from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app

class Said(Action):
    action: str

class Seen(Observation):
    text: str
    info: dict

class Played(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True
    def __init__(self):
        super().__init__()
        self._env = agentgym.make(sys.argv[2])
    def reset(self, seed=None, **options):
        text, info = self._env.reset(seed=seed)
        return Seen(text=text, info=info)
    def step(self, action, **options):
        text, reward, terminated, truncated, info = self._env.step(action.action)
        return Seen(text=text, info=info, reward=float(reward), done=terminated or truncated)
    @property
    def state(self): return State()

app = create_fastapi_app(Played, Said, Seen, max_concurrent_envs=4096)
uvicorn.run(app, port=int(sys.argv[1]), log_level="error")
"""


@contextlib.contextmanager
def serving(world: str, sessions: int) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Our server."""
    command = [sys.executable, "-m", "agentgym", "serve", world, "--port", "0", "--sessions", str(2 * sessions + 128)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        yield process, json.loads(process.stderr.readline())["url"]
    finally:
        process.terminate()
        process.wait()


def play(url: str, world: str, width: int, seconds: float, answers: Any) -> None:
    """One client: so many sessions, all of them played by each message."""
    envs = agentgym.connect(url, world, num_envs=width)
    envs.reset(seed=1)
    steps, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        envs.step([ACTION] * width)
        steps += width
    answers.put((steps / (time.perf_counter() - began), steps))
    envs.close()


def waiting(url: str) -> Any:
    """A client of OpenEnv's that waits for its answers; from release 0.2.2 on that is the one that `sync` makes."""
    from openenv.core import GenericEnvClient

    client = GenericEnvClient(base_url=url)
    return client.sync() if hasattr(client, "sync") else client


def play_openenv(url: str, seconds: float, answers: Any) -> None:
    """One client of OpenEnv's: one session, one action a message; episodes that end begin anew, as in ours."""
    with waiting(url) as env:
        env.reset(seed=1)
        steps, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            if env.step({"action": ACTION}).done:
                env.reset()
            steps += 1
        answers.put((steps / (time.perf_counter() - began), steps))


def hold_openenv(url: str, sessions: int, answers: Any, over: Any) -> None:
    """Open sessions until there are so many or no more come, and see at the end which of them still answer."""
    held: list[Any] = []
    began = time.perf_counter()
    with contextlib.suppress(Exception):  # of whatever kind: what counts is how far it came
        while len(held) < sessions:
            client = waiting(url)
            client.connect()
            client.reset(seed=1)
            held.append(client)
    answers.put(len(held) / (time.perf_counter() - began))
    over.wait()
    alive = 0
    for client in held:
        with contextlib.suppress(Exception):
            client.step({"action": ACTION})
            alive += 1
    answers.put(alive)
    answers.close()
    answers.join_thread()
    os._exit(0)  # closing each of them politely takes longer than what is measured


def together(count: int, work: Any, *arguments: Any) -> tuple[float, int]:
    """What so many clients reach at once, a second and in all."""
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    clients = [context.Process(target=work, args=(*arguments, answers)) for _ in range(count)]
    for client in clients:
        client.start()
    got = [answers.get() for _ in clients]
    for client in clients:
        client.join()
    return sum(rate for rate, _ in got), sum(steps for _, steps in got)


def processor_seconds(pid: int) -> float:
    """Processor time of a process and of all that it has started and that still runs."""
    ticks = 0
    known = [pid]
    while known:
        number = known.pop()
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            ticks += int(words[11]) + int(words[12])
            for task in Path(f"/proc/{number}/task").iterdir():
                known += [int(child) for child in (task / "children").read_text().split()]
    return ticks / os.sysconf("SC_CLK_TCK")


def per(steps: int, before: float, pid: int) -> float:
    """Steps a second of processor time since it was `before`; unlike the clock it is the same on a busy machine."""
    return steps / (processor_seconds(pid) - before)


def show(what: str, value: float, unit: str) -> None:
    print(f"{what:60} {value:10,.{0 if value >= 10 else 1}f} {unit}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--world", default="FrozenLake-v0")
    parser.add_argument("--sessions", type=int, default=2048)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--openenv", action="store_true")
    given = parser.parse_args()
    print(f"{given.world}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start")
    with serving(given.world, given.sessions) as (process, url):
        began = time.perf_counter()
        held = agentgym.connect(url, given.world, num_envs=given.sessions)
        held.reset(seed=1)
        rate = given.sessions / (time.perf_counter() - began)
        show(f"sessions opened and reset, {given.sessions} in all", rate, "/s")
        show("memory of the server with its workers", held_mib(process.pid), "MiB")
        began = time.perf_counter()
        for _ in range(3):
            held.step([ACTION] * given.sessions)
        show("steps, 1 client, batched (all)", 3 * given.sessions / (time.perf_counter() - began), "/s")
        for clients, width in ((1, 1), (1, 64), (given.clients, 1), (given.clients, given.sessions // given.clients)):
            name = f"steps, {clients} clients, " + (f"batched ({width})" if width > 1 else "single")
            before = processor_seconds(process.pid)
            rate, steps = together(clients, play, url, given.world, width, given.seconds)
            show(name, rate, "/s")
            show("    the same, a second of the server's processor time", per(steps, before, process.pid), "")
        held.step([ACTION] * given.sessions)  # raises unless they are all still there
        show("sessions held all the while", given.sessions, "")
        held.close()
    if given.openenv:
        beside(given)


@contextlib.contextmanager
def openenv_serving(world: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """OpenEnv's server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-c", OPENENV, str(port), world])
    url = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + STARTS
        while True:
            try:
                urllib.request.urlopen(f"{url}/health", timeout=5).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > until:
                    raise SystemExit("OpenEnv's server does not answer; its output is above") from None
                time.sleep(0.2)
        yield process, url
    finally:
        process.kill()  # with thousands of connections it takes a minute to end by itself
        process.wait()


def beside(given: argparse.Namespace) -> None:
    """The same of OpenEnv's server."""
    name = "OpenEnv's server: "
    context = multiprocessing.get_context("fork")
    answers, over = context.Queue(), context.Event()
    with openenv_serving(given.world) as (process, url):
        holder = context.Process(target=hold_openenv, args=(url, given.sessions, answers, over))
        holder.start()
        show(f"{name}sessions opened and reset", answers.get(), "/s")
        show(f"{name}memory", held_mib(process.pid), "MiB")
        for clients in (1, given.clients):
            before = processor_seconds(process.pid)
            rate, steps = together(clients, play_openenv, url, given.seconds)
            show(f"{name}steps, {clients} clients, single", rate, "/s")
            show("    the same, a second of its processor time", per(steps, before, process.pid), "")
        over.set()
        show(f"{name}sessions held all the while, of {given.sessions}", answers.get(), "")
        holder.join()


if __name__ == "__main__":
    main()
