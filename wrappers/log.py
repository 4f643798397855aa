"""What happened and what it cost: `EventLog` and `CostMeter`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import gymnasium as gym

from agentgym.core import ConfigError
from agentgym.core.snapshot import copy_state
from agentgym.wrappers._tokens import token_spans
from agentgym.wrappers.base import Info, TextWrapper
from agentgym.wrappers.observations.truncate import WORDS


class EventLog(TextWrapper):
    """Keeps the events of the episode with their turns, counts them, and, if asked, writes them to a file.

    `env.get_wrapper_attr("events")` is the log: a list of the world's event records, each with its `turn`, its
    `task_id` and whether the action was valid, which is why it stands inside what plays several actions for one reply,
    and refuses to stand around it. With `path`, the log of an episode is appended to a JSONL file when the
    episode is over or another one begins.

    Changes: `info["event_counts"]` (dict of int): how often each type that the card declares has occurred so far, and
    `refused`, the number of refused actions.

    Args:
        env: A world.
        path: File that logs are appended to; its folder must exist. None for a player of a game.

    Raises:
        ConfigError: if the folder does not exist, or a wrapper inside plays several actions for one reply.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import EventLog
    >>> env = EventLog(gym.make("AgentGym/WebShop-v1"))
    >>> text, info = env.reset(seed=0)
    >>> info = env.step("search[red shoes]")[4]
    >>> info["event_counts"]["search"], env.events[0]["turn"], env.events[0]["query"]
    (1, 1, 'red shoes')
    """

    _needs_text: ClassVar[bool] = False
    names_files: ClassVar[frozenset[str]] = frozenset({"path"})
    saved_attributes: ClassVar[tuple[str, ...]] = ("events", "_refused", "_written")
    unkeyed_attributes: ClassVar[frozenset[str]] = frozenset(saved_attributes)

    def __init__(self, env: gym.Env[Any, Any], *, path: str | None = None):
        super().__init__(env, path=path)
        if path is not None and not Path(path).parent.is_dir():
            raise ConfigError(f"the folder of the log {path} does not exist; make it first")
        layer: Any = self.inner
        while isinstance(layer, TextWrapper):
            if layer.plays_several:
                raise ConfigError(
                    f"EventLog must stand inside {type(layer).__name__}, which may play several actions for one reply: "
                    "each event is logged with the turn of its own action"
                )
            layer = layer.inner
        if path is not None:
            self._refuse_games("writes a file with path")
        self.path = path
        self.events: list[dict[str, Any]] = []
        self._refused, self._written = 0, False

    def prepare(self, seed: int | None, options: Mapping[str, Any] | None) -> tuple[Mapping[str, Any] | None, Any]:
        """Write what is not written yet of the episode before; `seed` and `options` stay as they are."""
        self._write()
        return options, None

    def begin(self, observation: Any, info: Info, note: Any) -> Any:
        """The first `observation` as it is; the log is empty, and so are its counts in `info`. No `note` is needed."""
        self.events, self._refused, self._written = [], 0, False
        info["event_counts"] = self._counts()
        return observation

    def read(self, reply: Any) -> tuple[Any, Any]:
        """The reply as it is; the note is that something was read."""
        return reply, True

    def show(self, observation: Any, info: Info, note: Any) -> Any:
        """The observation as it is; the events are logged and counted.

        Args:
            observation: What is seen inside.
            info: Its `events` are logged; gains `event_counts`.
            note: None if the episode was over before, so that nothing has happened.
        """
        if note is not None:
            for event in info["events"]:
                mine = {"turn": self.world.turn, "task_id": info["task_id"], "valid": info["action_valid"]}
                self.events.append({**copy_state(event), **mine})
            self._refused += not info["action_valid"]
        info["event_counts"] = self._counts()
        if self.inner.ended:
            self._write()
        return observation

    def close(self) -> None:
        """Write what is not written yet."""
        self._write()
        super().close()

    def _counts(self) -> dict[str, int]:
        counts = dict.fromkeys(self.world.card.events, 0)
        for event in self.events:
            counts[event["type"]] = counts.get(event["type"], 0) + 1
        return {**counts, "refused": self._refused}

    def _write(self) -> None:
        if self.path is None or self._written or not self.events:
            return
        with Path(self.path).open("a", encoding="utf8") as file:
            file.writelines(json.dumps(event) + "\n" for event in self.events)
        self._written = True


class CostMeter(TextWrapper):
    """Counts what an episode costs: turns, tokens read and written, dollars, and the costs that the card declares.

    A chat agent reads the whole conversation anew at every turn: `read_tokens` counts that, `observation_tokens` only
    what was new. Dollars are `read_tokens` and `action_tokens` at the given prices.

    Changes: `info["meter"]` (dict of float, sums since the reset): `turns`, `observation_tokens`, `action_tokens`,
    `read_tokens`, `dollars`, and `cost_<key>` for each cost of the card.

    Args:
        env: A world that answers text.
        tokenizer: A function or a file as in `Truncate`; by default words and punctuation marks are counted.
        read_price, write_price: US dollars for a million tokens.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import CostMeter
    >>> env = CostMeter(gym.make("AgentGym/TextCraft-v1"), write_price=10)
    >>> text, info = env.reset(seed=0)
    >>> meter = env.step("get 2 oak log")[4]["meter"]
    >>> meter["turns"], meter["action_tokens"], meter["observation_tokens"] - info["meter"]["observation_tokens"]
    (1.0, 4.0, 4.0)
    >>> meter["dollars"]
    4e-05
    """

    names_files: ClassVar[frozenset[str]] = frozenset({"tokenizer"})
    saved_attributes: ClassVar[tuple[str, ...]] = ("_meter",)
    unkeyed_attributes: ClassVar[frozenset[str]] = frozenset(saved_attributes)

    def __init__(
        self, env: gym.Env[Any, Any], *, tokenizer: str = WORDS, read_price: float = 0.0, write_price: float = 0.0
    ):
        super().__init__(env, tokenizer=tokenizer, read_price=read_price, write_price=write_price)
        for name, price in (("read_price", read_price), ("write_price", write_price)):
            if isinstance(price, bool) or not isinstance(price, (int, float)) or not 0 <= price < float("inf"):
                raise ConfigError(f"{name} must be a number of dollars of at least 0, got {price!r}")
        self._spans = token_spans(tokenizer)
        self.read_price, self.write_price = float(read_price), float(write_price)
        self._meter: dict[str, float] = {}

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first observation as it is, whose tokens are all that the meter shows.

        Args:
            observation: What is seen inside.
            info: Gains `meter`.
            note: Not needed.
        """
        names = ["turns", "observation_tokens", "action_tokens", "read_tokens", "dollars"]
        self._meter = dict.fromkeys([*names, *(f"cost_{key}" for key in self.world.card.costs)], 0.0)
        self._meter["observation_tokens"] = float(len(self._spans(observation)))
        info["meter"] = dict(self._meter)
        return observation

    def read(self, reply: Any) -> tuple[Any, Any]:
        """The reply as it is; the note is its number of tokens."""
        return reply, len(self._spans(str(reply)))

    def show(self, observation: str, info: Info, note: Any) -> str:
        """The observation as it is, counted.

        Args:
            observation: What is seen inside.
            info: Its `costs` are added; gains `meter`.
            note: Tokens of the reply; None if the episode was over before, which costs nothing.
        """
        if note is not None:
            self._count(note, len(self._spans(observation)), info)
        info["meter"] = dict(self._meter)
        return observation

    def _count(self, written: int, seen: int, info: Info) -> None:
        meter = self._meter
        meter["turns"] += 1
        meter["read_tokens"] += meter["observation_tokens"] + meter["action_tokens"]
        meter["action_tokens"] += written
        meter["observation_tokens"] += seen
        for key, value in info["costs"].items():
            meter[f"cost_{key}"] += value
        meter["dollars"] = (meter["read_tokens"] * self.read_price + meter["action_tokens"] * self.write_price) / 1e6
