"""ColorGrid: a leader knows which colour counts, a follower has to see it from what the leader takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, object_schema, switch, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageParallel
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._cards.social import COLOR_GRID
from agentgym.envs.multiagent._color_grid import (
    COLORS,
    LETTERS,
    MOVES,
    Known,
    random_opponent,
    reached,
    simple_opponent,
    strong_opponent,
)
from agentgym.envs.multiagent._paint import paint
from agentgym.envs.multiagent._scripted import graded

STREAM = 0xC016
SIZES = range(6, 65)
DENSITY = 0.10  # share of the cells that hold a block, all colours together
SWITCHES = 2 / 3  # probability per step that the goal switches, times the board's size
PAR = 0.1  # points a step of both together that make a success
TILES = {
    ".": (235, 235, 235),
    "R": (205, 60, 50),
    "B": (50, 90, 210),
    "G": (60, 160, 70),
    "L": (20, 20, 20),
    "F": (240, 170, 40),
}


@dataclass(slots=True)
class State:
    """Blocks by colour, where leader and follower are, the rewarded colour, and what was taken."""

    board: str  # rows from y = 0, a letter a cell; the players are not on it
    blocks: list[list[int]]
    places: list[int]
    goal: int
    shown: int = -1  # what the leader took last
    time: int = 0
    points: int = 0
    taken: list[int] = field(default_factory=lambda: [0, 0])  # blocks of the right colour, by player
    wrong: list[int] = field(default_factory=lambda: [0, 0])
    switched: int = 0  # when the goal switched last, -1 once the follower took the new colour
    adapting: list[int] = field(default_factory=list)  # steps that took the follower


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `ColorGrid`."""

    size: int = whole(32, SIZES[0], SIZES[-1])
    horizon: int = whole(1000, 1, 1000, shapes_tasks=False)
    nonstationary: bool = switch(True, shapes_tasks=False)
    told: bool = switch(False, shapes_tasks=False)
    sharing: bool = switch(True, shapes_tasks=False)
    penalty: bool = switch(True, shapes_tasks=False)
    disjoint: bool = switch(False)


def _grammar(others: str) -> Grammar:
    """The four moves, and rules that say what a block of another colour than the goal counts.

    Args:
        others: Such as `the others -1`.
    """
    moves = [
        Command(move, f"take a step {move}.", examples=(move,), variants=(f"move {move}", f"go {move}", str(number)))
        for number, move in enumerate(MOVES)
    ]
    return Grammar(
        moves,
        rules="Blocks R (red), B (blue) and G (green) are taken by stepping on them. One colour counts 1 point, "
        f"{others}, and now and then another colour becomes the one that counts. The leader L is told which it is.",
    )


class ColorGrid(LanguageParallel):
    """ColorGrid.

    Description: on a board of 32 by 32 cells lie 34 blocks each of red, blue and green. One colour is the goal: a block
    of it gives 1 point, another -1. A block is taken by entering its cell; at once a new one of its colour appears on a
    free cell at random. After each step the goal switches, with probability 2/3 divided by the board's size, to one of
    the other two colours. player_0 leads and is told the goal; player_1 follows and is told nothing: it has to see from
    what the leader takes what counts. The leader's move is settled first; nobody enters the other's cell or leaves the
    board.

    Observation: who took what in the last step, the board (`R`, `B`, `G` blocks, `L` leader, `F` follower, `.` free;
    up is up, coordinates grow to the right and upwards from 0), own place, and for the leader the goal. With
    `told=True` the follower is told the goal as well. Points are not shown: the follower could read the goal off them.

    Actions: `up`, `down`, `left`, `right` (also `move up`, `0` to `3`). What is refused counts as `up`.

    Reward: to both, the points of both in the step; each one's own part is the metric `own`, and with `sharing=False`
    its reward. With `penalty=False` a block of another colour counts nothing. The game ends after `horizon` steps; both
    succeed if they made 0.1 points a step together. Metrics of the last step: `taken` and `wrong` blocks of the player,
    and `adapting`, the mean number of steps until the follower takes the colour that counts after it came to count.

    Splits: `train` without end, `val` 50 and `test` 100 boards.

    Opponents (whole teams): `random`; `simple`, where the leader takes the nearest block of the goal's colour and the
    follower the nearest of any; `strong`, where both walk around wrong blocks and the follower takes what the leader
    took last. Expert: as `strong`. Oracle: both know the goal. Where the goal goes next, nobody can know.

    Args:
        size: Rows and columns, 6 to 64.
        horizon: Steps of a game, 1 to 1000.
        nonstationary: Whether the goal switches.
        told: Whether the follower is told the goal, too; False is the published asymmetric case.
        sharing: Whether both are paid the points of both.
        penalty: Whether a block of another colour than the goal costs a point.
        disjoint: Whether the leader keeps to the left half, columns 0 to size / 2, and the follower to the rest.

    Errors: `ConfigError` for an option outside its range, `TaskError` for a board that does not fit together.

    Source: ColorGrid, a multi-agent non-stationary environment for goal inference and assistance (arXiv:2501.10593);
    default parameters as published.
    """

    card = COLOR_GRID
    config = Config()
    task_stream = STREAM
    default_rule = "up"
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 8}
    grammar = _grammar("the others -1")
    task_schema: ClassVar[Spec] = object_schema(
        {
            "rows": {"type": "array", "minItems": 6, "maxItems": 64, "items": {"type": "string", "maxLength": 64}},
            "goal": {"type": "string", "enum": list(COLORS)},
            "disjoint": {"type": "boolean"},
        }
    )
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)
    _state: State

    def _configured(self) -> None:
        if not self.config.penalty:
            self.grammar = _grammar("the others nothing")

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """Blocks of each colour, leader and follower on different cells at random, and the first goal.

        Args:
            config: Side of the grid, and whether both begin in halves of their own.
            rng: Draws cells and the goal.
        """
        disjoint, size = config.disjoint, config.size
        count = int(size * size * DENSITY) // 3
        order = [int(place) for place in rng.permutation(size * size)]
        cells = ["."] * (size * size)
        half = size // 2
        leader = next(place for place in order if not disjoint or place % size <= half)
        follower = next(place for place in order if place != leader and (not disjoint or place % size > half))
        free = [place for place in order if place not in (leader, follower)]
        for index, place in enumerate(free[: 3 * count]):
            cells[place] = LETTERS[index % 3]
        cells[leader], cells[follower] = "L", "F"
        rows = ["".join(cells[begin : begin + size]) for begin in range(0, size * size, size)]
        return {"rows": rows, "goal": COLORS[int(rng.integers(3))], "disjoint": disjoint}

    def check_task(self, spec: Spec) -> None:
        """The board must be square, with one leader, one follower, a block of each colour, and free cells."""
        rows = spec["rows"]
        cells = "".join(rows)
        if any(len(row) != len(rows) for row in rows) or set(cells) - set("RBGLF."):
            raise TaskError(f"a board has as many letters R, B, G, L, F or . in a row as rows, got {rows}")
        if cells.count("L") != 1 or cells.count("F") != 1 or not set("RBG") <= set(cells):
            raise TaskError(f"a board has one L, one F and at least one block of each colour, got {rows}")
        if cells.count(".") < len(cells) // 2:
            raise TaskError("at least half of the cells must be free, so that blocks can come back")
        half = len(rows) // 2
        if spec["disjoint"] and not cells.index("L") % len(rows) <= half < cells.index("F") % len(rows):
            raise TaskError(f"with disjoint halves L stands in the columns 0 to {half} and F to the right of them")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        size = len(spec["rows"])
        where = " The leader keeps to the left half, the follower to the right." if spec["disjoint"] else ""
        return (
            f"Take, the two of you, blocks of the colour that counts on a board of {size} by {size} cells, and leave "
            f"the others.{where}"
        )

    def _turn_limit(self, task: Task) -> int:
        return self.config.horizon

    def _reset(self, task: Task) -> None:
        rows = task.spec["rows"]
        size = self._size = len(rows)
        cells = "".join(reversed(rows))  # the text's last row is y = 0
        half = size // 2 if task.spec["disjoint"] else size - 1
        self._columns = ((0, half), (half + 1, size - 1) if task.spec["disjoint"] else (0, size - 1))
        self._state = State(
            board=cells.replace("L", ".").replace("F", "."),
            blocks=[[place for place, sign in enumerate(cells) if sign == letter] for letter in LETTERS],
            places=[cells.index("L"), cells.index("F")],
            goal=COLORS.index(task.spec["goal"]),
        )

    def _brief(self, player: str) -> str:
        part = "lead and are told which colour counts" if self._leads(player) else "follow"
        hint = "" if self._leads(player) or self.config.told else "; see from what the leader takes which colour counts"
        return f"{self.task.instruction}\nYou are {player}: you {part}{hint}. The game has {self.config.horizon} steps."

    def _leads(self, player: str) -> bool:
        return player == self.possible_agents[0]

    def _role(self, player: str) -> str:
        return "leader" if self._leads(player) else "follower"

    def _step_all(self, calls: Mapping[str, Call]) -> JointOutcome:
        state, own = self._state, dict.fromkeys(calls, 0)
        for place, (player, call) in enumerate(calls.items()):
            aim = reached(state.places[place], call.name, self._size, self._columns[place])
            if aim != state.places[1 - place]:
                state.places[place] = aim
                own[player] = self._take(place, player, aim)
            self.set_metric("own", own[player], [player])
        points = sum(own.values())
        state.points += points
        state.time += 1
        if self.config.nonstationary and self.np_random.random() < SWITCHES / self._size:
            state.switched = state.time
            state.goal = (state.goal + int(self.np_random.integers(1, 3))) % 3
            if state.time < self.config.horizon:
                told = None if self.config.told else [self.possible_agents[0]]
                self.send_message(f"Now {COLORS[state.goal]} counts.", told)
        rewards = {player: float(points if self.config.sharing else part) for player, part in own.items()}
        if state.time < self.config.horizon:
            return JointOutcome(rewards)
        for place, player in enumerate(calls):
            self.set_metric("taken", state.taken[place], [player])
            self.set_metric("wrong", state.wrong[place], [player])
        self.set_metric("adapting", sum(state.adapting) / max(1, len(state.adapting)))
        return JointOutcome(
            rewards, over=True, winners=list(calls) if state.points >= PAR * self.config.horizon else []
        )

    def _take(self, place: int, player: str, aim: int) -> int:
        """Take the block that lies where a player stepped, let it come back elsewhere, and count it."""
        state = self._state
        if state.board[aim] == ".":
            return 0
        color = LETTERS.index(state.board[aim])
        back = aim
        first, last = self._columns[place]
        while state.board[back] != "." or back in state.places:
            back = int(self.np_random.integers(self._size)) * self._size + int(self.np_random.integers(first, last + 1))
        state.board = _put(_put(state.board, aim, "."), back, LETTERS[color])
        blocks = state.blocks[color]
        blocks[blocks.index(aim)] = back
        if place == 0:
            state.shown = color
        self.send_message(f"The {self._role(player)} takes a {COLORS[color]} block.")
        self.record({"type": "take", "seat": player, "colour": COLORS[color]})
        right = color == state.goal
        (state.taken if right else state.wrong)[place] += 1
        if right and place == 1 and state.switched >= 0:
            state.adapting.append(state.time - state.switched + 1)
            state.switched = -1
        return 1 if right else -int(self.config.penalty)

    def _public(self) -> str:
        return "\n".join(self._rows())

    def _rows(self) -> list[str]:
        """The board from the top."""
        board, size = self._state.board, self._size
        for place, letter in zip(self._state.places, "LF", strict=True):
            board = _put(board, place, letter)
        return [board[begin : begin + size] for begin in range(size * (size - 1), -1, -size)]

    def _view(self, player: str) -> str:
        lead = self._leads(player)
        y, x = divmod(self._state.places[not lead], self._size)
        goal = f" {COLORS[self._state.goal].capitalize()} counts." if lead or self.config.told else ""
        return f"{self._public()}\nYou are {'L' if lead else 'F'} at ({x}, {y}).{goal}"

    def _picture(self) -> NDArray[np.uint8]:
        return paint(self._rows(), TILES, 16)

    def _admissible(self, player: str) -> list[str]:
        return list(MOVES)

    def _default(self, player: str) -> str:
        return "up"

    def _known(self, player: str) -> Known:
        return self._knowing(player, self._leads(player) or self.config.told)

    def _knowing(self, player: str, goal: bool) -> Known:
        state, mine = self._state, int(not self._leads(player))
        return Known(
            size=self._size,
            blocks=state.blocks,
            me=state.places[mine],
            other=state.places[1 - mine],
            goal=state.goal if goal else -1,
            shown=state.shown,
            columns=self._columns[mine],
        )

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        if not self._leads(player) and not self.config.told:
            self._state.goal = int(rng.integers(3))

    def _key_state(self) -> Any:
        state = self._state
        return [state.board, state.places, state.goal, state.points, state.time]

    def _expert(self, player: str) -> str:
        return strong_opponent(self._known(player))

    def _oracle(self, player: str) -> str:
        return strong_opponent(self._knowing(player, True))


def _put(board: str, place: int, letter: str) -> str:
    return board[:place] + letter + board[place + 1 :]
