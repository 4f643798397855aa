"""BabyAI: the package's own levels and missions, told in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import AgentGymError, ConfigError, TaskError, unknown
from agentgym.core.generated import EnvConfig, checked, object_schema, one_of
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.text import BABYAI
from agentgym.envs.text._babyai.actions import Choices
from agentgym.envs.text._babyai.board import Board, State, board
from agentgym.envs.text._babyai.levels import BALROG, LEVELS, package
from agentgym.envs.text._babyai.plan import plan
from agentgym.envs.text._babyai.views import View
from agentgym.envs.text._babyai.words import balrog, describe

RULES = (
    "Do what the mission says, in its order: what stands after `then` comes second, what stands after `after you` "
    "comes first. You see seven by seven cells, most of them ahead of you; walls and doors that are not open hide what "
    "is behind them. You carry one thing at a time. A locked door opens with a key of its color."
)
MOVES = ("turn left", "turn right", "move forward", "pick up", "drop", "toggle")  # by the package's numbers
BALROG_MOVES = ("turn left", "turn right", "go forward", "pick up", "drop", "toggle")
KEY_MAY_BE_LOST = ("Unlock", "GoToImpUnlock")  # the package may put the key into rooms behind its own door
TILE = 16  # pixels of a cell, as in BALROG
WORDS = Grammar(
    [
        Command("turn left", "turn to the left.", examples=("turn left",), name="turn left"),
        Command("turn right", "turn to the right.", examples=("turn right",), name="turn right"),
        Command("move forward", "go one cell ahead if it is free.", examples=("move forward",),
                variants=("go forward",), name="move forward"),
        Command("go to <object>", "go to where you face a thing or door that you see.",
                examples=("go to red ball 1", "go to grey closed door 1"), name="go to"),
        Command("pick up <object>", "go to a thing that you see and take it.", examples=("pick up blue key 1",),
                variants=("pickup <object>",), name="fetch"),
        Command("pick up", "take what is in front of you.", variants=("pickup",), examples=("pick up",),
                name="pick up"),
        Command("go through <door>", "go to the cell of an open door.", examples=("go through green open door 1",),
                name="go through"),
        Command("toggle and go through <door>", "go to a door, open it and enter its cell.",
                examples=("toggle and go through yellow locked door 1",), name="enter"),
        Command("toggle", "open or close the door, or open the box, in front of you.", examples=("toggle",)),
        Command("drop", "put what you carry into the free cell in front of you.", examples=("drop",)),
        Command("check available actions", "list what you can do now; it takes no move.",
                examples=("check available actions",), name="check"),
    ],
    rules=RULES,
)  # fmt: skip
SIX = Grammar(
    [
        Command("turn left", "turn to the left.", examples=("turn left",), name="turn left"),
        Command("turn right", "turn to the right.", examples=("turn right",), name="turn right"),
        Command("go forward", "take one step forward.", examples=("go forward",), variants=("move forward",),
                name="move forward"),
        Command("pick up", "pick up the thing in front of you.", examples=("pick up",), variants=("pickup",),
                name="pick up"),
        Command("drop", "drop what you carry.", examples=("drop",)),
        Command("toggle", "open or close the door, or open the box, in front of you.", examples=("toggle",)),
    ],
    rules=RULES,
)  # fmt: skip


def _levels(name: str, wanted: str | Sequence[str]) -> tuple[str, ...]:
    chosen = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    if not chosen:
        raise ConfigError(f"{name} is empty; name at least one level, or leave it out for all")
    for each in chosen:
        if each not in (*LEVELS, *BALROG):
            raise unknown("level of BabyAI", each, [*LEVELS, *BALROG])
    return chosen


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `BabyAIEnv`."""

    style: str = one_of("words", ("words", "balrog"))
    levels: tuple[str, ...] | None = checked(None, _levels)

    def named(self) -> tuple[str, ...]:
        """The levels that are played."""
        return self.levels or (BALROG if self.style == "balrog" else LEVELS)


class BabyAIEnv(LanguageEnv):
    """Follow an instruction in a grid of rooms, in the original levels.

    Description: BabyAI of the package `minigrid` 3: rooms with doors, keys, balls and boxes of six colors, and a
    mission such as `go to the red ball`, `pick up a key, then open the door on your left`, `put the blue box next to a
    key after you go to the grey door`. The level of a task is that of the package after `reset(seed=seed)`; every move
    is the package's, and so is the verdict on the mission.

    Observation: what stands in the 7 x 7 cells before you, the nearest first, each with its color, its number among its
    like, steps ahead and steps to a side; the first wall or box straight ahead; what you carry. With `style="balrog"`
    BALROG's lines, to the letter: walls in three directions and things from left to right. The first observation holds
    the mission, in the package's words, order and all.

    Actions: primitive ones, `turn left`, `turn right`, `move forward`, `pick up`, `drop`, `toggle`, and those that
    stand for several: `go to red ball 1`, `pick up red ball 1`, `go through red open door 1`,
    `toggle and go through red closed door 1`; `pickup` is `pick up`. `check available actions` lists what can be done.
    A longer action takes the shortest way within the view, around everything in it, and stops where a move changes
    nothing. `style="balrog"` has the six primitive actions alone, and never refuses one of them.

    Reward: the package's: 1 - 0.9 x moves / limit when the mission is accomplished, else 0. The limit is the level's,
    from 36 to some thousands of moves. The episode ends with the mission accomplished (success), with the wrong door or
    thing in levels that forbid it, and is truncated when the moves, or as many turns, are used up.

    Metrics: `steps`, the moves of the package's; `progression`, BALROG's: 100 for success, else 0. `progress` is the
    share of the mission's parts that are done, with `style="balrog"` nothing before success.

    Splits: `train` without end; `val` and `test` 80 tasks each, the 40 levels in turn. As published, a task's id is
    level + 40 x seed, both counted from 0. With `levels` or `style="balrog"` the levels take turns likewise. In
    `OpenDoorsOrderN4Debug` the package fails every mission of two doors at the first of them; such tasks are in no
    split.

    Oracle: the package's bot, which explores; where it fails, as it does where a key is in a box, a planner of our own
    that knows all that is hidden. Expert: the same two, the planner with what has been seen.

    Limits: a level is made in some milliseconds, up to half a second where a mission is hard to find. Of the published
    words, `go to goal` is left out: no level has a goal. Snapshots are copies. The package is under the Apache licence.

    Args:
        style: `words`, those of AgentGym's first release, or `balrog`: BALROG's words, its six actions and its five
            tasks.
        levels: Names of levels: `GoToRedBallGrey` to `BossLevelNoUnlock` as in the package, or BALROG's `goto`,
            `pickup`, `open`, `putnext`, `pick_up_seq_go_to`. None for all 40, with `style="balrog"` the five.

    Raises:
        MissingExtra: if `minigrid` is not installed (extra `worlds`).

    Source: BabyAI (Chevalier-Boisvert et al. 2019, arXiv:1810.08272); Minigrid (Chevalier-Boisvert et al. 2023,
    arXiv:2306.13831); words of AgentGym (Xi et al. 2024, arXiv:2406.04151) and, after BabyAI-Text (Carta et al. 2023,
    arXiv:2302.02662), of BALROG (Paglieri et al. 2024, arXiv:2411.13543).
    """

    card = BABYAI
    config = Config()
    grammar = WORDS
    task_schema: ClassVar[Spec] = object_schema(
        {"level": {"type": "string", "maxLength": 40}, "seed": {"type": "integer", "minimum": 0, "maximum": 2**53}}
    )
    _state: State
    _board: Board

    def _configured(self) -> None:
        package()
        self._plain = self.config.style == "balrog"
        if self._plain:
            self.grammar = SIX
        self._plans: dict[bool, dict[State, list[int]]] = {}

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """The levels of `config` in turn, as the `seed` counts on."""
        names = config.named()
        return {"level": names[seed % len(names)], "seed": seed // len(names)}

    @staticmethod
    def fits(config: Config, split: str, spec: Spec) -> bool:
        """Leave out missions that the package fails at the first of two doors, and keys that lie behind their own.

        Args:
            config, split: Not read: such missions are in no split.
            spec: A level and its seed.
        """
        if spec["level"] in KEY_MAY_BE_LOST:
            made = board(spec["level"], spec["seed"])
            return bool(plan(made, made.start, hidden=True))
        return spec["level"] != "OpenDoorsOrderN4Debug" or " open " not in BabyAIEnv.instruction(spec)

    def check_task(self, spec: Spec) -> None:
        """The level must be one."""
        if spec["level"] not in (*LEVELS, *BALROG):
            raise TaskError(str(unknown("level of BabyAI", spec["level"], [*LEVELS, *BALROG])))

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The mission, as the package words it."""
        return board(spec["level"], spec["seed"]).mission

    def _kind(self, spec: Spec) -> str:
        """The level."""
        return str(spec["level"])

    def _turn_limit(self, task: Task) -> int:
        return board(task.spec["level"], task.spec["seed"]).most_steps

    def _reset(self, task: Task) -> str:
        self._board = board(task.spec["level"], task.spec["seed"])
        self._state = self._board.start
        goal = "Your goal is to" if self._plain else "Your goal:"
        return f"{goal} {task.instruction}\n{self._view()}"

    def _choices(self) -> Choices:
        return Choices(self._board, self._state)

    def _seen(self) -> View:
        return self._board.view(self._state)

    def _view(self) -> str:
        told = balrog if self._plain else describe
        return told(self._seen(), self._board.carried(self._state))

    def _metrics(self) -> dict[str, float]:
        return {"steps": float(self._state.steps)}

    def _step(self, call: Call) -> Outcome:
        if call.name == "check":
            listed = ", ".join(self._choices().actions())
            return Outcome(f"You can take the following actions: {listed}")
        moves: Sequence[int] | str
        moves = (BALROG_PRIMITIVES[call.name],) if self._plain else self._choices().moves(call)
        if isinstance(moves, str):
            return self.refuse(moves)
        result = self._board.play(self._state, moves)
        self._state = result.state
        told = [self._view()]
        if result.over:
            told.append("The task is completed." if result.won else "The task has failed.")
        return Outcome(
            "\n".join(told),
            result.reward,
            terminated=result.over,
            success=result.won,
            progress=float(result.won) if self._plain else self._board.done(self._state),
            metrics={**self._metrics(), "progression": 100.0 * result.won},
            spent=result.spent,
        )

    def _key_state(self) -> Any:
        """All but what the expert has seen."""
        now = self._state
        return [now.cell, now.facing, now.held, now.steps, now.places, now.doors, now.mission]

    def _admissible(self) -> list[str]:
        return list(BALROG_MOVES) if self._plain else self._choices().actions()

    def _oracle(self) -> str:
        return self._planned(hidden=True)

    def _expert(self) -> str:
        return self._planned(hidden=False)

    def _planned(self, hidden: bool) -> str:
        """The next action of a plan, which is kept until the episode leaves it."""
        kept = self._plans.get(hidden, {})
        if self._state not in kept:
            made = plan(self._board, self._state, hidden)
            moves = [move for _, move in made]
            kept = self._plans[hidden] = {state: moves[place:] for place, (state, _) in enumerate(made)}
        moves = kept.get(self._state, [])
        if not moves:
            return "turn left"  # nothing that could be done accomplishes the mission any more
        return BALROG_MOVES[moves[0]] if self._plain else self._choices().spoken(moves)

    def _reference(self) -> list[str]:
        """A plan from the beginning, move by move."""
        names = BALROG_MOVES if self._plain else MOVES
        made = plan(self._board, self._board.start, hidden=True)
        if not made:
            raise AgentGymError(f"no plan was found for {self.task.id}")
        return [names[move] for _, move in made]

    def _picture(self) -> NDArray[np.uint8]:
        """The package's picture of the view, uint8 of shape (112, 112, 3)."""
        return self._board.picture(self._state, TILE)


BALROG_PRIMITIVES = {command.name: number for number, command in enumerate(SIX.commands)}
