"""Jericho: interactive fiction from story files of the user's, in the package's own interpreter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, object_schema, path_to
from agentgym.core.grammar import Call, Command, Grammar, Invalid
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, TaskSet
from agentgym.envs._kit.engine_world import EngineEnv
from agentgym.envs.text import JERICHO
from agentgym.envs.text._jericho.engine import Episode, package
from agentgym.envs.text._jericho.stories import library

TURNS = 100  # at least; where a walkthrough is longer than half of it, twice the walkthrough
LONGEST = 100  # characters of a line: buffers of stories hold about as much
PLAIN = re.compile(r"[ -.0-\[\]-~]+")  # printable ASCII without slash and backslash, the marks of paths and of hot keys
CLAUSE = re.compile(r"[.,;:!?]|\bthen\b")  # what stands between two commands of a line
PROGRAM = (  # beginnings of commands about the program, which stand alone: stories know six or nine letters of a word
    "save", "restor", "restar", "quit", "script", "unscri", "noscri", "transc", "record", "replay", "undo",
)  # fmt: skip
DEBUGGING = ("tw-", "$", "#", "random", "purloi", "abstra", "gonear", "showobj", "showverb", "showheap", "showme")
USUAL = (  # what the random player says, as in Jericho's own
    "north", "south", "east", "west", "up", "down", "look", "inventory", "take all", "drop all", "yes",
)  # fmt: skip
RULES = (
    "You are in a story that answers what you say, a line at a time, as `open mailbox` or `go north`. Explore, and "
    "find out what is to be done: the story counts points for it. A line of two or three words is understood best."
)


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `JerichoEnv`."""

    story: Path = path_to("a file or a folder", required=True)


@dataclass(slots=True)
class State:
    """What the story said last."""

    score: int
    max_score: int
    moves: int
    recognized: bool


class JerichoEnv(EngineEnv):
    """Interactive fiction in the interpreter of Jericho.

    Description: one of the 57 stories whose score and end Jericho knows (Zork, Trinity, Anchorhead and so on), from a
    file of yours in exactly the version that it lists, or a story of TextWorld, whose file must begin with `tw-` as
    `tw-make` names it. No story comes along.

    Observation: what the story answers.

    Actions: any line, in any words, of at most 100 printable ASCII characters. Refused, and not said to the story, are
    lines with a slash or a backslash, and commands about the program in place of the story, such as `save`, `restart`,
    `undo`, `quit` and the debugging verbs of TextWorld. What the story does not understand is valid: it may have passed
    a turn. The metric `recognized` tells of it.

    Reward: the change of the story's score. The episode ends when the story is won (success) or lost, or after 100
    turns, as in the package's paper, with a walkthrough of more than 50 lines after twice as many. `progress` is the
    share of the greatest score.

    Splits: with a folder the stories in its `train`, `val` and `test`. A single file is the task of all three, so
    nothing is held out. A specification also takes a `seed` for the story's chance; 0 is that of the walkthrough.

    Oracle: Jericho's walkthrough of the story, or TextWorld's, in the file that it writes beside a story. It is
    followed line by line, so it wins from the beginning only. There is no expert.

    Admissible actions: those that change something, in the manner of Jericho: its templates filled with names of
    things, tried in a copy of the interpreter. The names are words of the scene, of what is carried and of the object
    tree that the story's dictionary knows as things, and that can be examined; Jericho asks a model of spaCy which
    words are nouns, which would be downloaded. So the two lists differ. It takes a tenth of a second to many.

    Limits: exactly `jericho` 3.3.1, on Linux and macOS. Each interpreter is a process with at most eight for a Python
    process; further environments take turns, and a story that was taken away is played again. It may open no file once
    a story is loaded; one that halts, ends its process, or does not answer within five minutes ends the episode as a
    failure, and the next reset takes another process. A snapshot replays the episode: some 10 ms for the story and 0.2
    ms a line. Two histories have two state keys, even where they lead to one state. Stories with a clock read that of
    the machine. Jericho's walkthroughs of other stories than TextWorld's have not been tried here, for want of the
    files.

    Args:
        story: A story file, or a folder that holds `train`, `val` and `test` with some in each.

    Raises:
        MissingExtra: if `jericho` is not installed (extra `worlds`), or in another version.
        DataError: if the file is no story, or none that Jericho can score.

    Source: Jericho (Hausknecht et al. 2020, arXiv:1909.05398), package `jericho` 3.3.1, GPL-2.0-or-later.
    """

    card = JERICHO
    config = Config(story=Path("zork1.z5"))
    grammar = Grammar(
        [Command("<line>", "say it to the story.", ("open mailbox", "go north"), name="say", free="line")], rules=RULES
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "story": {"type": "string", "maxLength": 300},
            "seed": {"type": "integer", "minimum": 0, "maximum": 2**15 - 1},
        }
    )
    admissible_complete = False
    _state: State
    _episode: Episode

    def _configured(self) -> None:
        package()
        self._library = library(self.config.story)

    def tasks(self, split: str) -> TaskSet:
        """The stories of a split."""
        return FiniteTaskSet(split, self._library.splits[split], lambda task_id: self._task_of(task_id, split))

    def _task_of(self, task_id: str, split: str) -> Task:
        spec = {"story": task_id, "seed": 0}
        return Task(task_id, split, self.instruction(spec), spec)

    def instruction(self, spec: Spec) -> str:
        """The name of the story."""
        return f"Play the story {self._library.stories[spec['story']].name}, win as many points as you can, and end it."

    def check_task(self, spec: Spec) -> None:
        """The story must be there."""
        if spec["story"] not in self._library.stories:
            raise TaskError(f"{self.card.id}: {self.config.story} has no story {spec['story'][:200]!r}")

    def content_key(self, spec: Spec) -> str:  # type: ignore[override]  # the file has the content
        """The content of the file, and the seed."""
        return fingerprint([self._library.stories[spec["story"]].content, spec["seed"]])

    def _kind(self, spec: Spec) -> str:
        """The story."""
        return self._library.stories[spec["story"]].name

    def _turn_limit(self, task: Task) -> int:
        return max(TURNS, 2 * len(self._library.stories[task.spec["story"]].walkthrough))

    def parse(self, action: str, player: str | None = None) -> Call | Invalid:
        """Any line, but for what is not of the story.

        Args:
            action: The line.
            player: Not needed: the story has one.
        """
        call = super().parse(action, player)
        if isinstance(call, Invalid):
            return call
        line = " ".join(call["line"].split())
        if len(line) > LONGEST or not PLAIN.fullmatch(line):
            return Invalid(
                f"a line has at most {LONGEST} characters, plain letters, digits and signs without slash and backslash"
            )
        for clause in CLAUSE.split(line.lower()):
            if _about_program(clause.split()):
                return Invalid(f"{clause.strip()!r} is about the program, not the story; say what you do in the story.")
        return Call(call.name, {"line": line}, call.said)

    def _reset(self, task: Task) -> str:
        story = self._library.stories[task.spec["story"]]
        way = [line for line in story.walkthrough if isinstance(self.parse(line), Call)]
        self._start_episode(Episode(str(story.path.resolve()), task.spec["seed"], way))
        told = self._episode.begin()
        self._note(told)
        return f"{task.instruction}\n\n{_plain(told['words'])}"

    def _step(self, call: Call) -> Outcome:
        before = self._state.score
        told = self._episode.step(call["line"])
        self._note(told)
        state = self._state
        return Outcome(
            _plain(told["words"]),
            float(state.score - before),
            terminated=told["won"] or told["lost"],
            success=told["won"],
            progress=min(1.0, max(0.0, state.score / state.max_score)) if state.max_score else 0.0,
        )

    def _note(self, told: dict[str, Any]) -> None:
        """Keep what the story said."""
        self._state = State(told["score"], told["max_score"], told["moves"], told["recognized"])

    def _metrics(self) -> dict[str, float]:
        state = self._state
        return {
            "score": float(state.score),
            "max_score": float(state.max_score),
            "moves": float(state.moves),
            "recognized": float(state.recognized),
        }

    def _admissible(self) -> list[str] | None:
        found = self._episode.candidates()
        return None if found is None else [line for line in found if isinstance(self.parse(line), Call)]

    def _sample(self, rng: np.random.Generator) -> str:
        return USUAL[int(rng.integers(len(USUAL)))]

    def _oracle(self) -> str:
        return self._next_of_gold() or "look"


def _about_program(words: list[str]) -> bool:
    """Whether a command is none of the story: it saves, ends, records or inspects the program."""
    first = words[0].strip("\"'") if words else ""
    alone = len(words) < 2 or words[1] in ("on", "off")
    return first.startswith(DEBUGGING) or (alone and (first == "q" or first.startswith(PROGRAM)))


def _plain(text: str) -> str:
    """What the story says, without spaces at the ends of lines and runs of empty lines."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    return "\n".join(line for place, line in enumerate(lines) if line or lines[place - 1])
