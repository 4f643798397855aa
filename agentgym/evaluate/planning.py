"""What an evaluation plays: its arguments checked, its episodes listed, and all that decides its transcripts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import agentgym
from agentgym.agents import agent_home, agent_kind, check_options, episode_seed
from agentgym.agents.asked import asked_words, prompt_record
from agentgym.core import ConfigError, fingerprint, full_id
from agentgym.core.checks import keep_counts
from agentgym.evaluate.examples import expert_shots
from agentgym.evaluate.limits import EpisodeLimits
from agentgym.evaluate.playing import EpisodeJob, Holders
from agentgym.evaluate.worlds import resolve
from agentgym.rollout import EnvPool
from agentgym.rollout.evaluation import evaluation_spec
from agentgym.rollout.wrapping import PICTURES, wrap_list, wrap_tables

DEFAULT_EPISODES = 200
RUNS = Path("runs/eval")


@dataclass(frozen=True)
class RunConfig:
    """What decides the transcripts of a run.

    Attributes:
        env, env_kwargs, split: The world, as `module:id`, its other options, and where its tasks come from.
        agent, agent_options: Who plays.
        episodes: The first so many tasks of the split are played.
        trials: Times each is played.
        seed: Of the run; every episode's is derived from it.
        version: Of AgentGym.
        tasks: Fingerprint of the task ids.
        wrappers: Tables of the wrappers around the world, those first that an agent of a run brings along.
        prompt: What is out of the usual in how the agent is asked, with a `hash` of it; see `prompt_record`.
        sandbox: Which sandbox the agent's programs run in; "" where it writes none. A run goes on in the same one.
    """

    env: str
    env_kwargs: Mapping[str, Any]
    split: str
    agent: str
    agent_options: Mapping[str, Any]
    episodes: int
    trials: int
    seed: int
    version: str
    tasks: str
    wrappers: Sequence[Mapping[str, Any]] = ()
    prompt: Mapping[str, Any] = field(default_factory=dict)
    sandbox: str = ""

    def agreement(self) -> dict[str, Any]:
        """What must be equal for a run to be continued: all but the agent's incidental options."""
        incidental = agent_kind(self.agent).incidental
        options = {key: value for key, value in self.stored_options.items() if key not in incidental}
        agreed = {**asdict(self), "agent_options": options, "wrappers": [dict(table) for table in self.wrappers]}
        return agreed if self.sandbox else {key: value for key, value in agreed.items() if key != "sandbox"}

    @property
    def stored_options(self) -> dict[str, Any]:
        """The agent's options as they may be written down."""
        return agent_kind(self.agent).stored(self.agent_options)

    @property
    def folder(self) -> Path:
        """Where the run is kept unless said otherwise; other options, another folder."""
        agreed = self.agreement()
        options = {key: agreed[key] for key in ("env_kwargs", "agent_options", "wrappers", "prompt") if agreed[key]}
        mark = f"-{fingerprint(options)[:8]}" if options else ""
        world_name = self.env.rpartition("/")[2]
        name = f"{world_name}-{self.agent}-{self.split}-{self.episodes}x{self.trials}-seed{self.seed}{mark}"
        return RUNS / re.sub(r"[^\w.-]", "_", name)

    @property
    def asked(self) -> list[str]:
        """How the agent is asked beside its options, where that is out of the usual, in a few words."""
        shots = max(map(len, self.prompt.get("shots", {}).values()), default=0)
        return asked_words({}, self.prompt.get("wrap", ()), shots)


@dataclass(frozen=True)
class Wanted:
    """The arguments of `evaluate` that decide what is played, as they were given; see there."""

    env_id: str
    agent: str
    split: str = "test"
    episodes: int | None = None
    trials: int = 1
    seed: int = 0
    agent_options: Mapping[str, Any] | None = None
    env_kwargs: Mapping[str, Any] | None = None
    wrap: Sequence[str | Mapping[str, Any]] = ()
    shots: int = 0

    def __post_init__(self) -> None:
        keep_counts(self, episodes=1, trials=1, seed=0, shots=0)


def plan(wanted: Wanted, limits: EpisodeLimits) -> tuple[RunConfig, list[EpisodeJob], EnvPool]:
    """Check the arguments of `evaluate`, and list the episodes: all tasks once, then all once more, and so on.

    Args:
        wanted: The arguments.
        limits: Of the environment.

    Returns:
        What is played, its episodes, and the world, which is open.
    """
    agent_options = json_safe(wanted.agent_options or {}, "agent_options")
    env_kwargs = json_safe(wanted.env_kwargs or {}, "env_kwargs")
    wrap = wrap_tables(json_list(wanted.wrap))
    check_options(wanted.agent, agent_options)
    home = agent_home(wanted.agent)
    if home.id and full_id(home.id) == resolve(wanted.env_id)[1].id:
        env_kwargs = {**home.options, **env_kwargs}
    wrappers = (*home.wrappers, *wrap, *([PICTURES] if agent_options.get("pictures") else []))
    pool = limits.open(wanted.env_id, wanted.split, env_kwargs, wrappers)
    try:
        ids = _tasks(wanted, pool, agent_options)
        shots = None
        if wanted.shots:
            shots = expert_shots(
                wanted.env_id, wanted.shots, split=wanted.split, seed=wanted.seed, limits=limits,
                env_kwargs=env_kwargs, wrappers=wrappers,
            )  # fmt: skip
    except BaseException:
        pool.close()
        raise
    config = RunConfig(
        env=resolve(wanted.env_id)[0],
        env_kwargs=env_kwargs,
        split=wanted.split,
        agent=wanted.agent,
        agent_options=agent_options,
        episodes=len(ids),
        trials=wanted.trials,
        seed=wanted.seed,
        version=agentgym.__version__,
        tasks=fingerprint(ids),
        wrappers=wrappers,
        prompt=prompt_record(agent_options, wrap, shots),
        sandbox=pool.sandbox,
    )
    keys = [(name, trial) for trial in range(wanted.trials) for name in ids]
    return config, episode_jobs(keys, wanted.seed, [{pool.players[0]: wanted.agent}] * len(keys)), pool


def episode_jobs(keys: Sequence[tuple[str, int]], seed: int, holders: Sequence[Holders]) -> list[EpisodeJob]:
    """One job for each task and trial, in order.

    Args:
        keys: Tasks and trials.
        seed: Of the run.
        holders: Who plays each.
    """
    jobs = []
    for place, ((task, trial), who) in enumerate(zip(keys, holders, strict=True)):
        spec = evaluation_spec(task, episode_seed(seed, task, trial), place)
        jobs.append(EpisodeJob((task, trial), spec, who, tuple(who.values()), trial))
    return jobs


def _tasks(wanted: Wanted, pool: EnvPool, agent_options: Mapping[str, Any]) -> list[str]:
    """The tasks that are played, if the world can be played as it is asked for."""
    if len(pool.players) > 1:
        raise ConfigError(f"{pool.id} is a game of several players; call evaluate_player or match")
    found = first_tasks(pool, wanted.split, wanted.episodes, DEFAULT_EPISODES, "episodes")
    check_window(pool, pool.players[0], agent_options)
    return found


def first_tasks(pool: EnvPool, split: str, count: int | None, default: int, episodes: str) -> list[str]:
    """The first tasks of a split.

    Args:
        pool: The world.
        split: Its split.
        count: How many; None for the default, or all of a smaller split.
        default: How many by default.
        episodes: What messages call episodes.

    Raises:
        ConfigError: if the split has fewer.
    """
    if pool.size == 0:
        raise ConfigError(f"split {split!r} of {pool.id} is empty; play another split")
    if pool.size is not None and (count or 0) > pool.size:
        several = f"at most {pool.size} {episodes}, and for several trials of each"
        raise ConfigError(f"split {split!r} of {pool.id} has {pool.size} tasks; ask for {several}")
    return pool.task_ids(count or min(default, pool.size or default))


def check_window(pool: EnvPool, player: str, agent_options: Mapping[str, Any]) -> None:
    """Refuse a window of a conversation that a wrapper tells over by itself.

    Args:
        pool: The world.
        player: Who the agent is.
        agent_options: Of the agent.

    Raises:
        ConfigError: if there is one.
    """
    historian = pool.briefings[player].repeats_history
    if historian and agent_options.get("window") is not None:
        raise ConfigError(f"window has no effect, as the wrapper {historian} says what is shown of earlier turns")


def json_list(given: Sequence[Any]) -> list[Any]:
    """A copy of a list as it comes back from a record; see `json_safe`."""
    return list(json_safe({"wrap": wrap_list(given)}, "wrap")["wrap"])


def json_safe(options: Mapping[str, Any], what: str) -> dict[str, Any]:
    """A copy of options as they come back from a record.

    Args:
        options: The options.
        what: Their name, for the message.

    Raises:
        ConfigError: if they are no plain data.
    """
    try:
        return dict(json.loads(json.dumps(dict(options))))
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{what} must be plain JSON data, so that the run can be continued: {error}") from None
