"""Panels of questions: a question belongs to one split by its own text, whatever generator, options or seed made it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agentgym.assets import records
from agentgym.core.errors import TaskError
from agentgym.core.snapshot import fingerprint, json_key
from agentgym.core.tasks import CHAIN, EndlessTaskSet, FiniteTaskSet, GeneratedTasks, Spec, Task, TaskSet
from agentgym.envs.games._cards.reasoning import REASONING_GYM
from agentgym.envs.games._reasoning import package

SHARES = ("train", "train", "val", "test")  # by the last two bits of a question's fingerprint
STREAM = 0x4EA5  # apart from np_random of an equal seed


def entry(spec: Spec) -> dict[str, Any]:
    """Question, answer and metadata of a specification."""
    return package.entry(spec["generator"], spec["seed"], json_key(spec.get("config", {})))


def instruct(spec: Spec) -> str:
    """The question as the package words it."""
    return str(entry(spec)["question"]).strip("\n")


def content(spec: Spec) -> str:
    """The generator and the question."""
    return fingerprint([spec["generator"], entry(spec)["question"]])


class Questions(GeneratedTasks):
    """Panels by seed, of which only the questions that are asked for are generated: some take a second.

    No list of held-out questions is needed: the fingerprint of a question says which split it belongs to. With n
    generators that take turns, the seeds g, g + n, g + 2n, ... are those of generator g, and task g + k n of `val` and
    `test` is the question number k, counted from 0, of those that belong there and differ from each other.

    Args:
        names: Generators, which take turns.
        options: Their options, as canonical JSON.
        recorded: Whether the seeds of `val` and `test` are those of the shipped lists.
    """

    def __init__(self, names: tuple[str, ...], options: str, recorded: bool):
        config = json.loads(options)

        def generate(seed: int) -> dict[str, Any]:
            rng = np.random.default_rng([seed, STREAM])
            own = int(rng.integers(2**31))
            return {"generator": names[seed % len(names)], "seed": own, **({"config": config} if config else {})}

        seeds = records.seeds(REASONING_GYM.name) if recorded else {"val": [], "test": []}
        super().__init__(generate, instruct, content, seeds, fits=_belongs)
        self._turn = len(names)
        self._found: dict[tuple[str, int], _Found] = {}

    def find(self, sizes: Mapping[str, int]) -> dict[str, list[int]]:
        """Seeds by place in each split."""
        return {split: [self._seek(split, place) for place in range(size)] for split, size in sizes.items()}

    def _seek(self, split: str, place: int) -> int:
        number, first = divmod(place, self._turn)
        found = self._found.setdefault((split, first), _Found(first))
        while len(found.seeds) <= number and not found.exhausted:
            self._extend(split, found)
        if not found.seeds:
            raise TaskError(f"with these options no question belongs to split {split!r}; widen them")
        return found.seeds[number % len(found.seeds)]

    def _extend(self, split: str, found: _Found) -> None:
        last = found.following + CHAIN * self._turn
        for seed in range(found.following, last, self._turn):
            spec = self._generate(seed)
            if self._fits(split, spec) and (asked := content(spec)) not in found.contents:
                found.seeds.append(seed)
                found.contents.add(asked)
                found.following = seed + self._turn
                return
        found.following, found.exhausted = last, True

    def _build(self, split: str) -> TaskSet:
        def task(task_id: str, seed: int) -> Task:
            """The task of this split called `task_id`, a question that the `seed` makes."""
            spec = self._generate(seed)
            return Task(task_id, split, self._instruct(spec), spec)

        def own_task(seed: int) -> Task | None:
            made = task(str(seed), seed)
            return made if _belongs(split, made.spec) else None

        if split == self._endless:
            return EndlessTaskSet(split, own_task)
        listed = self._seeds[split]
        places = [str(place) for place in range(REASONING_GYM.splits[split] or 0)]
        return FiniteTaskSet(
            split,
            places,
            lambda place: task(place, listed[int(place)] if listed else self._seek(split, int(place))),
        )


@dataclass
class _Found:
    """What is known of the seeds of one generator that belong to one split.

    Attributes:
        following: The first seed that was not looked at.
        seeds, contents: Of the questions found, in their order.
        exhausted: Whether no further one was found in a long search.
    """

    following: int
    seeds: list[int] = field(default_factory=list)
    contents: set[str] = field(default_factory=set)
    exhausted: bool = False


def _belongs(split: str, spec: Spec) -> bool:
    return SHARES[int(content(spec), 16) % len(SHARES)] == split
