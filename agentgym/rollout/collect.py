"""Playing many episodes at once, in lockstep, and letting each leave as it ends."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import gymnasium as gym
import numpy as np

from agentgym.core import ConfigError, TaskError, full_id
from agentgym.rollout.episode import Episode, Segment, Stop, Turn
from agentgym.rollout.policy import Policy, Speech

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Start:
    """Where an episode begins.

    Attributes:
        task: A task id or an index into the split.
        seed: Seed of the world's dice.
        group: Starts of one group must name the same task and seed.
        sample: Seed of the policy's dice; members of a group differ in it.
    """

    task: str | int
    seed: int
    group: int
    sample: tuple[int, ...]


class World:
    """Equal environments of one id, made when needed and used again.

    Args:
        name: An id, with or without the namespace.
        knobs: Constructor arguments, `split` among them.

    Attributes:
        size: Number of tasks of the split; None if it is endless.
        seconds: Wall-clock seconds that `collect` has spent inside the environments.
    """

    def __init__(self, name: str, **knobs: Any):
        self.id = full_id(name)
        self.knobs = knobs
        self.seconds = 0.0
        self._envs: list[gym.Env[str, str]] = [self._make()]
        inner: Any = self._envs[0].unwrapped
        self.size: int | None = inner.tasks(inner.split).size

    def envs(self, count: int) -> list[gym.Env[str, str]]:
        """The first `count` environments."""
        self._envs += [self._make() for _ in range(count - len(self._envs))]
        return self._envs[:count]

    def _make(self) -> gym.Env[str, str]:
        return gym.make(self.id, disable_env_checker=True, **self.knobs)

    def close(self) -> None:
        """Close every environment."""
        for env in self._envs:
            env.close()
        self._envs = [self._make()]


class _Game:
    """One episode under way: its environment, its record and what the policy reads next."""

    def __init__(self, env: gym.Env[str, str], start: Start):
        self.env = env
        self.observation, info = env.reset(seed=start.seed, options={"task": start.task})
        self.episode = Episode(info["task_id"], info["split"], start.seed, start.group)
        self.segment = Segment()
        self.prompt: list[int] = []
        if info["failure"]:
            self._end("failure", info)

    @property
    def over(self) -> bool:
        return self.episode.stop != ""

    def ask(self, policy: Policy, said: Speech | None) -> None:
        """Prepare the next prompt, or end the episode if it does not fit."""
        if said is None:
            self.prompt = policy.opening(self.observation)
        else:
            self.prompt = policy.following(self.observation, closed=said.closed)
        if len(self.segment) + len(self.prompt) + policy.max_new_tokens <= policy.context_limit:
            return
        if said is None:
            raise ConfigError(
                f"the first prompt of task {self.episode.task_id} has {len(self.prompt)} tokens, which with "
                f"{policy.max_new_tokens} new ones exceeds the context of {policy.context_limit}; use a longer context"
            )
        self.episode.stop = "context"
        self.episode.final = self.observation

    def play(self, said: Speech, version: int) -> None:
        """Let the environment answer what the policy said."""
        turn = len(self.episode.turns)
        self.segment.read(self.prompt)
        self.segment.say(turn, said.token_ids, said.logprobs)
        seen = self.observation
        self.observation, given, terminated, truncated, info = self.env.step(said.text)
        reward = float(given)
        if not math.isfinite(reward):
            raise ConfigError(f"{self.env.spec and self.env.spec.id} gave the reward {reward}; rewards must be finite")
        stop: Stop | Literal[""] = ""
        if terminated or truncated:
            stop = "failure" if info["failure"] else "terminated" if terminated else "truncated"
            self._end(stop, info)
        self.episode.turns.append(Turn(seen, said.text, reward, info["action_valid"], stop, version))

    def _end(self, stop: Stop, info: dict[str, Any]) -> None:
        self.episode.stop = stop
        self.episode.success = info["success"]
        self.episode.failure = info["failure"]
        self.episode.final = self.observation


def collect(
    world: World,
    policy: Policy,
    starts: Sequence[Start],
    *,
    live: int = 128,
    on_episode: Progress | None = None,
) -> list[Episode]:
    """Play one episode from every start.

    Up to `live` episodes advance together: the policy answers all of them in one batch, then every world steps. An
    episode that ends leaves the batch, so the cost of a turn is that of the episodes still under way. What a policy
    samples depends on its own start alone, never on who else is in the batch.

    Args:
        world: Where to play.
        policy: Who plays.
        starts: Where each episode begins.
        live: Most episodes under way at once.
        on_episode: Called with the number of episodes that have just ended.

    Returns:
        The episodes in the order of `starts`; those with `stop == "failure"` are for the caller to count and leave out.

    Raises:
        TaskError: if two starts of a group differ in task, seed or first observation.
        ConfigError: if a first prompt does not fit into the context, or a reward is no finite number.
    """
    _check_groups(starts)
    episodes: list[Episode] = []
    for first in range(0, len(starts), live):
        wave = starts[first : first + live]
        began = time.perf_counter()
        games = [_Game(env, start) for env, start in zip(world.envs(len(wave)), wave, strict=True)]
        world.seconds += time.perf_counter() - began
        _check_beginnings(games)
        _play_out(world, games, policy, wave, on_episode)
        episodes += [game.episode for game in games]
    return episodes


def _play_out(
    world: World, games: list[_Game], policy: Policy, starts: Sequence[Start], on_episode: Progress | None
) -> None:
    """Advance all games until the last has ended."""
    broken = sum(game.over for game in games)
    under_way = [game for game in games if not game.over]
    dialogue = policy.open(
        [np.random.default_rng(start.sample) for start, game in zip(starts, games, strict=True) if not game.over]
    )
    for game in under_way:
        game.episode.segments.append(game.segment)
        game.ask(policy, None)
    if broken and on_episode:
        on_episode(broken)
    while under_way:
        speeches = dialogue.speak([game.prompt for game in under_way])
        began = time.perf_counter()
        for game, said in zip(under_way, speeches, strict=True):
            game.play(said, policy.version)
        world.seconds += time.perf_counter() - began
        for game, said in zip(under_way, speeches, strict=True):
            if not game.over:
                game.ask(policy, said)
        rows = [row for row, game in enumerate(under_way) if not game.over]
        if len(rows) < len(under_way):
            if on_episode:
                on_episode(len(under_way) - len(rows))
            under_way = [under_way[row] for row in rows]
            dialogue.keep(rows)


def _check_groups(starts: Sequence[Start]) -> None:
    first: dict[int, Start] = {}
    for start in starts:
        twin = first.setdefault(start.group, start)
        if (twin.task, twin.seed) != (start.task, start.seed):
            raise TaskError(
                f"group {start.group} holds task {twin.task} with seed {twin.seed} and task {start.task} with seed "
                f"{start.seed}; a group is one task and one seed"
            )


def _check_beginnings(games: Sequence[_Game]) -> None:
    """Equal task and seed must mean an equal beginning, or a group would compare different problems."""
    first: dict[int, _Game] = {}
    for game in games:
        if game.over:
            continue
        twin = first.setdefault(game.episode.group, game)
        if (twin.observation, twin.episode.task_id) != (game.observation, game.episode.task_id):
            raise TaskError(
                f"task {game.episode.task_id} with seed {game.episode.seed} began in two ways; the world is not "
                "reproducible, run `agentgym check` on it"
            )
