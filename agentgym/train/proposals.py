"""The task sampler `proposed`: tasks that a proposer makes of what it saw of the world, in place of the world's own.

    [rollout.tasks]
    name = "proposed"
    proposer = "agentgym.envs.web.webshop:shop_proposer"     # a function that makes one, or `model`
    tasks = 200

What is proposed, by whom and when, and why the world refused it if it did, stands in `proposals.jsonl` in the folder of
the run. What is drawn is a function of the recipe's seed, of the world and, where they learn from it, of how earlier
tasks went; so a run that was cut off proposes the same again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agentgym.core import (
    AgentGymError,
    BudgetSpent,
    ConfigError,
    EndpointError,
    LanguageEnv,
    TaskError,
    fingerprint,
)
from agentgym.core.proposals import TaskProposer, Tried
from agentgym.core.task_request import specified_task
from agentgym.rollout import EnvPool, Episode
from agentgym.train.interfaces import TaskName, TaskSampler
from agentgym.train.named_models import NamedHelper
from agentgym.train.proposers import ModelProposer

FILE = "proposals"
LOOKS = 50  # times that a proposer may look around until there are enough tasks
FRUITLESS = 5  # of them in a row, those that bring nothing new
PROPOSERS = {"model": ModelProposer}


@dataclass
class Proposed(TaskSampler):
    """Tasks that a proposer makes of what it saw of the world, each as likely as every other.

    No task of the world's own panel is played, by a teacher neither. A proposal is left out and counted where the world
    refuses it, where it was made before, and where a panel for evaluation holds the same (`content_key`). So is a look
    around that nothing came of, such as one after which a model answers no list.

    Source: Zhou et al. 2024, arXiv:2412.13194 (Proposer-Agent-Evaluator).

    Args:
        proposer: `module:function` of a function that makes an `agentgym.core.TaskProposer`; or `model`, which asks
            a language model in any world (`agentgym.train.proposers`).
        arguments: Keyword arguments for that function.
        model: `module:function` of a function that makes a text model, which the proposer is given as `model`; "" for
            none.
        model_arguments: Keyword arguments for that one.
        cassette: Path of a file in which the model's answers are kept, so that they are the same when a run goes on.
        tasks: How many there are to draw from: the newest so many.
        renew: Draws, which is one a round and world, after which as many new ones are proposed; 0 keeps the first.
    """

    proposer: str
    arguments: dict[str, Any] = field(default_factory=dict)
    model: str = ""
    model_arguments: dict[str, Any] = field(default_factory=dict)
    cassette: str | None = None
    tasks: int = 64
    renew: int = 0

    def __post_init__(self) -> None:
        if self.tasks < 1 or self.renew < 0:
            raise ConfigError(
                f"rollout.tasks 'proposed' needs tasks of at least 1 and renew of at least 0, got {self.tasks} and "
                f"{self.renew}"
            )
        self._helper()
        self._pool: EnvPool | None = None
        self._maker: TaskProposer | None = None
        self._held_out: frozenset[str] | None = None
        self._specs: list[dict[str, Any]] = []
        self._places: dict[str, int] = {}
        self._tried: dict[int, tuple[int, float]] = {}
        self._draws = 0

    @property
    def asks_model(self) -> bool:
        """See `TaskSampler`."""
        return bool(self.model)

    def enter(self, pool: EnvPool) -> None:
        """See `TaskSampler`; the proposer looks around in an environment of its own."""
        self._pool = pool

    def draw(self, rng: np.random.Generator, count: int, size: int | None) -> list[int]:
        """Indices of proposed tasks, numbered as they were proposed; new ones are asked for first when they are due.

        Args:
            rng: The generator of this draw, which the proposer draws from as well.
            count: How many, with repeats.
            size: Of no account: proposed tasks are of no split.
        """
        due = self.renew and self._draws and self._draws % self.renew == 0
        self._draws += 1
        if due or not self._specs:
            self._propose(rng)
        first = max(0, len(self._specs) - self.tasks)
        return [first + int(place) for place in rng.integers(len(self._specs) - first, size=count)]

    def demonstrated(self, rng: np.random.Generator, count: int, size: int | None) -> list[int]:
        """Indices of tasks that a teacher shows: proposed ones as well.

        Args:
            rng, count, size: See `draw`.
        """
        return self.draw(rng, count, size)

    def name(self, place: int) -> TaskName:
        """See `TaskSampler`."""
        return dict(self._specs[place])

    def place(self, name: Any) -> int:
        """See `TaskSampler`."""
        return self._places[fingerprint(name)]

    def record(self, episodes: Sequence[Episode], places: Sequence[int]) -> None:
        """Keep what was earned in each task: a proposer may make of it what comes next.

        Args:
            episodes: Episodes that have ended.
            places: The index of each one's task, as `draw` gave it.
        """
        for episode, place in zip(episodes, places, strict=True):
            tries, total = self._tried.get(place, (0, 0.0))
            self._tried[place] = tries + 1, total + episode.total_return

    def state(self) -> dict[str, Any]:
        """The tasks, what they earned, and how often was drawn."""
        tried = [[place, tries, total] for place, (tries, total) in self._tried.items()]
        return {"specs": [dict(spec) for spec in self._specs], "tried": tried, "draws": self._draws}

    def load(self, state: dict[str, Any]) -> None:
        """See `TaskSampler`."""
        self._specs = [dict(spec) for spec in state["specs"]]
        self._places = {fingerprint(spec): place for place, spec in enumerate(self._specs)}
        self._tried = {int(place): (int(tries), float(total)) for place, tries, total in state["tried"]}
        self._draws = state["draws"]

    # Proposing.

    def _propose(self, rng: np.random.Generator) -> None:
        """Let the proposer look around until there are enough new tasks, or until nothing new comes of it.

        Raises:
            ConfigError: if the world accepts none of its tasks.
        """
        if self._pool is None:
            raise ConfigError("rollout.tasks 'proposed' draws from a world that it must enter first")
        world = self._pool.bare()
        try:
            wanted, fruitless, refusal = len(self._specs) + self.tasks, 0, ""
            for look in range(LOOKS):
                before = len(self._specs)
                for spec in self._look(world, rng, look):
                    if len(self._specs) == wanted:
                        break
                    refusal = self._take(world, spec, look) or refusal
                fruitless = fruitless + 1 if len(self._specs) == before else 0
                if len(self._specs) == wanted or fruitless == FRUITLESS:
                    break
        finally:
            world.close()
        if not self._specs:
            why = f"; the last was refused: {refusal}" if refusal else ", for it proposed none"
            raise ConfigError(
                f"the proposer {self.proposer!r} brought no task that {self._pool.id} can play in {look + 1} "
                f"looks around{why}"
            )

    def _look(self, world: LanguageEnv, rng: np.random.Generator, look: int) -> Sequence[Mapping[str, Any]]:
        """What is proposed after one look around; nothing, and a line that says why, where nothing came of it."""
        if self._maker is None:
            self._maker = self._helper().made()
            assert self._maker is not None
        newest = list(self._tried)[-self.tasks :]
        tried = [Tried(self._specs[at], self._tried[at][0], self._tried[at][1] / self._tried[at][0]) for at in newest]
        try:
            found = self._maker.propose(world, rng, tried)
        except (EndpointError, BudgetSpent):
            raise  # nobody answers: no proposal is to blame
        except AgentGymError as error:
            self.count(looks=1, looks_without_proposals=1)
            self.note(FILE, proposer=self.proposer, look=look, task=None, instruction="", refused=str(error))
            return []
        self.count(looks=1)
        return found

    def _take(self, world: LanguageEnv, spec: Mapping[str, Any], look: int) -> str:
        """Add a proposal, or say why it is left out."""
        refused, kept, words = "", None, ""
        try:
            task = specified_task(world, spec)
            kept, words = dict(task.spec), task.instruction
            if fingerprint(kept) in self._places:
                refused = "it was proposed before"
            elif world.content_key(kept) in self._keys(world):
                refused = "a panel for evaluation holds the same"
        except TaskError as error:
            refused = str(error)
        self.count(proposed=1, refused=bool(refused))
        shown = kept if kept is not None else _plain(spec)
        self.note(FILE, proposer=self.proposer, look=look, task=shown, instruction=words, refused=refused)
        if not refused and kept is not None:
            self._places[fingerprint(kept)] = len(self._specs)
            self._specs.append(kept)
        return refused

    def _keys(self, world: LanguageEnv) -> frozenset[str]:
        """Content keys of the tasks of the panels for evaluation."""
        if world.seeded is not None:
            return world.seeded.held_out
        if self._held_out is None:
            others = [split for split, size in world.card.splits.items() if split != world.split and size is not None]
            self._held_out = frozenset(world.content_key(task.spec) for split in others for task in world.tasks(split))
        return self._held_out

    def _helper(self) -> NamedHelper:
        """What makes the proposer."""
        return NamedHelper(
            self.proposer, PROPOSERS, "the proposer", "rollout.tasks 'proposed'", self.arguments, self.model,
            self.model_arguments, self.cassette,
        )  # fmt: skip


def _plain(spec: Any) -> str:
    """A proposal that is no specification, in words."""
    return repr(spec)[:1000]
