"""Evaluations as reports read them: what was played, its episodes and figures, and the command that plays it."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict

from agentgym.core import DataError, EnvCard, find_card
from agentgym.core.files import read_object
from agentgym.core.kinds import check_kind, misfit
from agentgym.evaluate import EpisodeRecord, Estimate, RunConfig, Summary, read_episodes, summarize
from agentgym.evaluate.store import EPISODES
from agentgym.evaluate.summary_file import SUMMARY
from agentgym.rollout.wrapping import is_of_the_agent

SETTINGS = "run.json"
OWN = "agentgym:"  # worlds whose cards may be read without importing what a file names


class _Named(TypedDict):
    name: str


class _Prompt(TypedDict, total=False):
    wrap: Sequence[_Named]
    shots: Mapping[str, Sequence[Mapping[str, Any]]]
    system: str


class _BestOf(TypedDict):
    success: Estimate


class _Ranked(TypedDict, total=False):
    best_of: _BestOf


@dataclass(frozen=True)
class Evaluated:
    """A run of `agentgym eval`, read without being held.

    Attributes:
        name: What a page calls it.
        folder: Where it is.
        config: What decided its transcripts.
        episodes: The last transcript of each task and trial, in the order in which the tasks were first recorded.
    """

    name: str
    folder: Path
    config: RunConfig
    episodes: Sequence[EpisodeRecord]

    @cached_property
    def summary(self) -> Summary:
        """Its figures."""
        return summarize(self.episodes, self.config.trials)

    @cached_property
    def best_of(self) -> Estimate | None:
        """Success of the attempts that a ranker picked when the run was summed up; None where there was no ranker.

        Raises:
            DataError: if the summary is damaged.
        """
        file = self.folder / SUMMARY
        told = read_object(file) if file.is_file() else {}
        check_kind(told, _Ranked, f"summary in {file}")
        return Estimate(**told["best_of"]["success"]) if "best_of" in told else None

    @property
    def world(self) -> str:
        """The world's id, without the namespace of this package."""
        return self.config.env.partition(":")[2].removeprefix("AgentGym/")

    @property
    def card(self) -> EnvCard | None:
        """The world's card; None for a world of another package, which a report does not import."""
        module, _, name = self.config.env.rpartition(":")  # of `agentgym:other:id` another module would be imported
        return find_card(name) if f"{module}:" == OWN else None

    @property
    def agent(self) -> str:
        """Who played, with its options."""
        options = [f"{name}={_word(value)}" for name, value in sorted(self.config.agent_options.items())]
        return " ".join([self.config.agent, *options, *self.config.asked])

    @property
    def panel(self) -> tuple[str, ...]:
        """What two runs must have in common to be compared: the world as it was made, and the tasks.

        Wrappers that change words alone are how an agent is asked, and no part of it.
        """
        config = self.config
        wrappers = [dict(table) for table in config.wrappers if not is_of_the_agent(table)]
        options = json.dumps([dict(config.env_kwargs), wrappers], sort_keys=True)
        return (config.env, options, config.split, str(config.episodes), config.tasks, str(config.trials))

    @property
    def missing(self) -> int:
        """Episodes that were asked for and are not on record."""
        return self.config.episodes * self.config.trials - len(self.episodes)

    @cached_property
    def by_task(self) -> dict[str, list[EpisodeRecord]]:
        """The scored episodes of each task."""
        found: dict[str, list[EpisodeRecord]] = {}
        for episode in self.episodes:
            if episode.scored:
                found.setdefault(episode.task_id, []).append(episode)
        return found

    @property
    def left_out(self) -> list[tuple[str, str, int]]:
        """Why episodes are in no figure: who failed, of what, and how often, most first."""
        return _failures(each for each in self.episodes if not each.scored)

    @property
    def failed(self) -> list[tuple[str, str, int]]:
        """Why the agent could not go on in episodes that are scored, most frequent first."""
        return _failures(each for each in self.episodes if each.scored and each.failure_kind)


def read_evaluated(folder: Path, name: str) -> Evaluated:
    """The run in a folder.

    Args:
        folder: Of `agentgym eval`.
        name: What a page calls the run.

    Raises:
        DataError: if the folder holds no such run, it is damaged, or no episode of it has ended.
    """
    settings = read_object(folder / SETTINGS)
    wrong = misfit(settings, RunConfig) or misfit(settings.get("wrappers"), Sequence[_Named])
    wrong = wrong or misfit(settings.get("prompt"), _Prompt)
    if wrong:
        raise DataError(f"{folder / SETTINGS} is not of a run of `agentgym eval`: {wrong}")
    episodes = {(each.task_id, each.trial): each for each in read_episodes(folder)}
    if not episodes:
        raise DataError(f"no episode of the run in {folder} has ended yet")
    return Evaluated(name, folder, RunConfig(**settings), list(episodes.values()))


def is_evaluated(folder: Path) -> bool:
    """Whether a folder holds the files of a run of `agentgym eval`."""
    return (folder / SETTINGS).is_file() and (folder / EPISODES).is_file()


def command(config: RunConfig) -> str:
    """The command that plays a run again, as far as its options can be written on a command line.

    Limits of time and memory, keys and the number of processes change no transcript, so they are not on record. Of a
    template the mark is shown; its text stands in the settings of the run.
    """
    words = ["agentgym", "eval", config.env.removeprefix(f"{OWN}AgentGym/").removeprefix(OWN)]
    system = config.prompt.get("system")
    words += ["--agent", config.agent, "--split", config.split, "--episodes", str(config.episodes)]
    words += ["--trials", str(config.trials), "--seed", str(config.seed)]
    for name, value in config.env_kwargs.items():
        words += ["--max-turns", str(value)] if name == "max_turns" else ["--env", f"{name}={_word(value)}"]
    for name, value in {**config.agent_options, **({"system": system} if system else {})}.items():
        flag = f"--{name.replace('_', '-')}"
        for each in value if isinstance(value, list) else [value]:
            words += [flag] if each is True else [flag, each if isinstance(each, str) else json.dumps(each)]
    for table in config.prompt.get("wrap", ()):
        arguments = {key: value for key, value in table.items() if key != "name"}
        words += ["--wrap", f"{table['name']}={json.dumps(arguments)}" if arguments else table["name"]]
    if shots := config.prompt.get("shots"):
        words += ["--shots", str(max(map(len, shots.values())))]
    return shlex.join(words)


def names(folders: Sequence[Path]) -> list[str]:
    """The last parts of the paths, with as much before them as tells them apart.

    Raises:
        DataError: if a folder is given twice.
    """
    parts = [folder.resolve().parts for folder in folders]
    for depth in range(1, max(map(len, parts)) + 1):
        found = ["/".join(part[-depth:]) for part in parts]
        if len(set(found)) == len(found):
            return found
    raise DataError(f"the run {folders[0]} is given twice")


def _failures(episodes: Any) -> list[tuple[str, str, int]]:
    counts = Counter((each.failure_kind, each.failure) for each in episodes)
    return [(kind, reason, count) for (kind, reason), count in counts.most_common()]


def _word(value: Any) -> str:
    """A value as `--env KEY=VALUE` reads it: a text as it is, unless JSON would read it as something else."""
    if isinstance(value, str):
        try:
            json.loads(value)
        except ValueError:
            return value
    return json.dumps(value, sort_keys=isinstance(value, Mapping))
