"""Wrappers that do in a process what worlds should not."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

LEAKED: list[Any] = []


class Trouble(gym.Wrapper[str, str, str, str]):
    """In the second turn of some tasks it hangs, ends the process, grabs memory, leaks or raises.

    Args:
        env: The echo world.
        kind: `hang`, `crash`, `hog`, `leak` or `bug`.
        places: Tasks in which it does so.
    """

    def __init__(self, env: gym.Env[str, str], kind: str, places: tuple[int, ...]):
        super().__init__(env)
        self.kind, self.places = kind, places

    def step(self, action: str) -> Any:
        inner: Any = self.env.unwrapped
        if inner.turn == 1 and inner.task.spec["place"] in self.places:
            if self.kind == "hang":
                time.sleep(60)
            elif self.kind == "crash":
                os._exit(3)
            elif self.kind == "hog":
                LEAKED.append(np.ones(60_000_000))
                time.sleep(2)
            elif self.kind == "leak":
                LEAKED.append(np.ones(12_000_000))
            else:
                raise ZeroDivisionError("a bug in the world")
        return self.env.step(action)


class Unsaved(gym.Wrapper[str, str, str, str]):
    """Of some tasks no snapshot can be taken: that ends the process, or raises.

    Args:
        env: The echo world.
        kind: `crash` or `bug`.
        places: Tasks in which it does so.
    """

    def __init__(self, env: gym.Env[str, str], kind: str, places: tuple[int, ...]):
        super().__init__(env)
        self.kind, self.places = kind, places

    def get_state(self) -> dict[str, Any]:
        inner: Any = self.env.unwrapped
        if inner.task.spec["place"] in self.places:
            if self.kind == "crash":
                os._exit(3)
            raise ZeroDivisionError("no state")
        return {}

    def set_state(self, state: dict[str, Any]) -> None:
        assert state == {}


class Nonsense(gym.Wrapper[str, str, str, str]):
    """In the second turn of some tasks it answers what cannot be scored, or cannot be sent.

    Args:
        env: The echo world.
        kind: `reward`, `huge reward`, `metric`, `progress`, `deep`, `nested` or `unknown class`; or `construction`,
            which fails.
        places: Tasks in which it does so.
    """

    def __init__(self, env: gym.Env[str, str], kind: str, places: tuple[int, ...]):
        super().__init__(env)
        self.kind, self.places = kind, places
        if kind == "construction":
            raise ZeroDivisionError("1 / 0")

    def step(self, action: str) -> Any:
        inner: Any = self.env.unwrapped
        told: tuple[Any, ...] = self.env.step(action)
        if inner.turn != 2 or inner.task.spec["place"] not in self.places:
            return told
        words, reward, terminated, truncated, info = told
        if self.kind == "reward":
            reward = ["much"]
        elif self.kind == "progress":
            info["progress"] = "half"
        elif self.kind == "huge reward":
            reward = 1e308
        elif self.kind == "metric":
            info["metrics"] = {"seen": float("nan")}
        elif self.kind in ("deep", "nested"):
            for _ in range(100_000 if self.kind == "deep" else 300):
                info["metrics"] = {"inner": info["metrics"]}
        else:
            info["metrics"] = type("Unknown", (dict,), {})(info["metrics"])
        return words, reward, terminated, truncated, info


class Rusty:
    """Puts `Trouble` around an environment, where it arrives: some of the processes it is sent to end before.

    Args:
        file: One character for each process it was sent to.
        bad: Which of them end, counted from 0.
        kind: See `Trouble`.
        places: See `Trouble`.
    """

    def __init__(self, file: Path, bad: tuple[int, ...], kind: str, places: tuple[int, ...]):
        self.given = (file, bad, kind, places)

    def __call__(self, env: gym.Env[str, str]) -> Trouble:
        """Wrap it."""
        return Trouble(env, *self.given[2:])

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, self.given


def _arrived(file: Path, bad: tuple[int, ...], kind: str, places: tuple[int, ...]) -> Rusty:
    with file.open("a") as counted:
        counted.write(".")
    if len(file.read_text()) - 1 in bad:
        os._exit(5)
    return Rusty(file, bad, kind, places)


class Held(gym.Wrapper[str, str, str, str]):
    """In the second turn of some tasks it answers only when there is a file.

    Args:
        env: The echo world.
        file: Its path.
        places: Tasks in which it waits.
    """

    def __init__(self, env: gym.Env[str, str], file: Path, places: tuple[int, ...]):
        super().__init__(env)
        self.file, self.places = file, places

    def step(self, action: str) -> Any:
        inner: Any = self.env.unwrapped
        while inner.turn == 1 and inner.task.spec["place"] in self.places and not self.file.exists():
            time.sleep(0.01)
        return self.env.step(action)
