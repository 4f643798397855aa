"""ScienceWorld itself: thirty science tasks in the original simulator."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from agentgym.core.errors import ConfigError, TaskError, unknown
from agentgym.core.generated import EnvConfig, checked, object_schema
from agentgym.core.grammar import Call, Grammar, Invalid
from agentgym.core.outcome import Outcome
from agentgym.core.prose import extract, unquoted
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, TaskSet
from agentgym.core.text import objection
from agentgym.envs._kit.engine_world import EngineEnv, check_spelling, chosen_names
from agentgym.envs.text import SCIENCE_WORLD
from agentgym.envs.text._science_world import engine
from agentgym.envs.text._science_world.grammar import COMMANDS, MENU, RULES
from agentgym.envs.text._science_world.tasks import LIMITS, NAMES, TASKS, ids

SIMPLIFICATIONS = (
    "teleportAction", "openDoors", "selfWateringFlowerPots", "noElectricalAction", "openContainers",
)  # fmt: skip
EASY = "easy"  # the simulator's name for the first four, three in tasks with electricity
ELECTRICAL = "noElectricalAction"
NONE_DONE = engine.Goals(0, 0, 0, 0)


def _needs_wires(task: str) -> bool:
    return "power-component" in task or "conductivity" in task


def _chosen_tasks(name: str, given: str | Iterable[str]) -> tuple[str, ...]:
    by_number = {number: task for task, (number, _, _) in TASKS.items()}
    return chosen_names(name, given, "task of ScienceWorld", NAMES, by_number)


def _chosen_simplifications(name: str, given: str | Iterable[str]) -> str:
    wanted = tuple(part for part in given.split(",") if part) if isinstance(given, str) else tuple(given)
    for each in wanted:
        if each not in (EASY, *SIMPLIFICATIONS):
            raise unknown("simplification", each, [EASY, *SIMPLIFICATIONS])
    if EASY in wanted and len(set(wanted)) > 1:
        raise ConfigError(f"{name}: 'easy' stands alone, got {', '.join(wanted)}")
    return EASY if EASY in wanted else ",".join(each for each in SIMPLIFICATIONS if each in wanted)


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `ScienceWorldEnv`."""

    tasks: tuple[str, ...] = checked(NAMES, _chosen_tasks)
    simplifications: str = checked("", _chosen_simplifications)

    def __post_init__(self) -> None:
        super().__post_init__()
        wired = [task for task in self.tasks if _needs_wires(task)]
        if ELECTRICAL in self.simplifications.split(",") and wired:
            raise ConfigError(f"{ELECTRICAL} makes {wired[0]} impossible; leave it out, or name other tasks")


def _simplifications(spec: Spec) -> str:
    return Config(tasks=(spec["task"],), simplifications=spec["simplifications"]).simplifications


@dataclass(slots=True)
class State:
    """What is known of the episode on this side of the bridge."""

    score: int = 0
    menu: int = 0  # actions to choose from, where the last request was ambiguous
    goals: engine.Goals = NONE_DONE


class ScienceWorldEnv(EngineEnv):
    """ScienceWorld's thirty tasks in its own simulator.

    Description: a house with a kitchen, a workshop, a foundry, a greenhouse and more, in which substances melt and
    boil, currents flow, plants grow and animals are born. The tasks come from a primary school's science lessons:
    states of matter, measuring, electricity, living things, growing, mixing, life spans, planes, heredity.

    Observation: the simulator's text. The first one holds the task and what is to be seen.

    Actions: the simulator's commands, such as `open door to kitchen`, `use thermometer on water`, `focus on water`,
    `wait`. Things go by any words that are unique where you stand; where they are not, a numbered menu follows, which
    the number alone answers and anything else cancels. What the simulator's parser does not know is refused.

    Reward: the change of the clipped score, in hundredths, so that an episode returns 0 to 1. The episode ends when the
    task is done (success, score 100), when it fails, as by a wrong focus (raw score -100), or after 100 turns. Where
    gold paths may take more it ends later: after 300 turns in tasks 1-1 to 1-4, 2-3, 5-1 and 5-2, after 1,000 in 9-1 to
    9-3, 10-1 and 10-2, where paths of up to 800 turns were seen. The package's own limit is 100 for all:
    `max_turns=100`.

    Metrics: `raw_score`, `score` (clipped below at 0), and how many sub-goals are done: `goals` of those in order,
    `optional_goals`. `progress` is the clipped score's share.

    Splits: the official ones: `train` 3,592, `val` (there called dev) 1,796, `test` 1,819 of the 7,207 variations. A
    task's id is its name and variation, such as `boil/21`; `task_kind` is the name.

    Oracle: the simulator's gold path, which is looked for when it is first asked for and takes up to a second. Where
    that path names the wrong answer box at its end, as in a few crossings of plants and tests of conductivity, the
    oracle names the right one. There is no expert.

    Limits: needs Java 11 or newer, and exactly `scienceworld` 1.2.3. One Java process for each Python process, ended
    with it, with at most eight worlds in it, some 450 MB; further environments take turns, and a world that was taken
    away is played again. A reset takes some 80 ms, an action some 3 ms, the list of admissible actions some 100 ms.
    The simulator cannot be copied, so a snapshot replays the episode, at the cost of a reset and of every action that
    was played. In the package, equal actions give different episodes, because its sets of things follow memory
    addresses; here its class of things is given the hash code that its equality lacks, and sets follow the numbers of
    things. Its list of valid actions names things in closed containers, which its parser then does not know; they are
    left out. Two histories have two state keys, even where they lead to one state.

    Args:
        tasks: Names of tasks, or their numbers in the paper such as `1-1`; one or several. All by default.
        simplifications: Of `teleportAction`, `openDoors`, `selfWateringFlowerPots`, `noElectricalAction`,
            `openContainers`, as a list or with commas; or `easy`, the simulator's name for the first four.

    Raises:
        MissingExtra: if `scienceworld` is not installed (extra `worlds`), or in another version.

    Source: ScienceWorld (Wang et al. 2022, arXiv:2203.07540), package `scienceworld` 1.2.3, Apache License 2.0.
    """

    card = SCIENCE_WORLD
    config = Config()
    grammar = Grammar(COMMANDS, rules=RULES)
    task_schema: ClassVar[Spec] = object_schema(
        {
            "task": {"type": "string", "enum": list(NAMES)},
            "variation": {"type": "integer", "minimum": 0},
            "simplifications": {"type": "string", "maxLength": 200},
        }
    )
    _state: State

    def _configured(self) -> None:
        engine.package()

    def tasks(self, split: str) -> TaskSet:
        """The tasks of a split, in the paper's order."""
        return FiniteTaskSet(split, ids(split, self.config.tasks), lambda task_id: self._task_of(task_id, split))

    def _task_of(self, task_id: str, split: str) -> Task:
        task, _, number = task_id.partition("/")
        simplifications = self.config.simplifications
        spec = {"task": task, "variation": int(number), "simplifications": simplifications}
        return Task(task_id, split, self.instruction(spec), spec)

    def instruction(self, spec: Spec) -> str:
        """The task's title; the simulator has the words, which stand in the first observation."""
        return f"{TASKS[spec['task']][1]}."

    def check_task(self, spec: Spec) -> None:
        """The variation must exist, and the simplifications must fit."""
        size = TASKS[spec["task"]][2]
        if spec["variation"] >= size:
            raise TaskError(f"{spec['task']} has variations 0 to {size - 1}, got {spec['variation']}")
        check_spelling("simplifications", spec["simplifications"], lambda: _simplifications(spec))

    def _kind(self, spec: Spec) -> str:
        """The name of the task."""
        return str(spec["task"])

    def _turn_limit(self, task: Task) -> int:
        return LIMITS[task.spec["task"]]

    def parse(self, action: str, player: str | None = None) -> Call | Invalid:
        """As everywhere; a number alone answers a menu. What is known as a command the simulator reads itself.

        Args:
            action: A command, or a number of at most three digits.
            player: Not needed: the world has one.
        """
        if len(action) <= self.action_length and not objection(action):
            number = unquoted(extract(action, self.grammar.first_words))
            if number.isascii() and number.isdigit() and len(number) < 4:
                return Call(MENU, {"number": number})
        call = super().parse(action, player)
        if isinstance(call, Invalid) or call.name == MENU:
            return call
        return Call(call.name, {"said": " ".join(call.said.split()).lower()})

    def _reset(self, task: Task) -> str:
        spec = task.spec
        episode = engine.Episode(spec["task"], spec["variation"], spec["simplifications"])
        self._start_episode(episode)
        description, view, goals = episode.begin()
        self._state = State(goals=goals)
        self._reword(description)
        return f"{description}\n\n{view}"

    def _step(self, call: Call) -> Outcome:
        state = self._state
        if call.name == MENU:
            if not state.menu:
                return self.refuse("There is no menu to choose from; say what you want to do.")
            words = str(call["number"])
        else:
            words = str(call["said"])
        answer = self._episode.step(words)
        if answer.text == engine.UNKNOWN:
            self._episode.played.pop()  # the simulator did nothing
            return self.refuse(engine.UNKNOWN)
        return self._outcome(words, answer)

    def _outcome(self, words: str, answer: engine.Answer) -> Outcome:
        state = self._state
        text = answer.text.strip()
        if state.menu and not text:
            text = f"{words!r} is no number of the menu. Action cancelled."
        ambiguous = engine.AMBIGUOUS in text
        state.menu = sum("\t" in line for line in text.splitlines()) if ambiguous else 0
        before, state.score = max(0, state.score), round(100 * answer.score)
        if state.score != before:
            with self._episode.world() as world:
                state.goals = world.goals()
        failed = state.score < 0
        won = answer.completed and state.score == 100
        gain = (max(0, state.score) - before) / 100
        done = max(0, state.score) / 100
        return Outcome(text, gain, failed or answer.completed, won, progress=done)

    def _metrics(self) -> dict[str, float]:
        state = self._state
        return {
            "raw_score": float(state.score),
            "score": float(max(0, state.score)),
            "goals": float(state.goals.ordered),
            "optional_goals": float(state.goals.optional),
        }

    def _admissible(self) -> list[str]:
        with self._episode.world() as world:
            valid: list[str] = world.valid()
        return valid

    def _sample(self, rng: np.random.Generator) -> str:
        """A command with things that are here; the number of a menu."""
        if self._state.menu:
            return str(int(rng.integers(self._state.menu)))
        commands = [command for command in COMMANDS if command.name != MENU]
        command = commands[int(rng.integers(len(commands)))]
        with self._episode.world() as world:
            things = world.objects()
        said = command.form
        for slot in ("<object>", "<other>", "<place>"):
            said = said.replace(slot, things[int(rng.integers(len(things)))])
        return said

    def _oracle(self) -> str:
        return self._next_of_gold() or "wait1"
