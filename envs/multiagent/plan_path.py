"""Plan-Path: two players plan one way over a grid, and the walker goes as far as their plans agree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, object_schema, one_of, share, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageParallel
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._cards.social import PLAN_PATH
from agentgym.envs.multiagent._paint import paint
from agentgym.envs.multiagent._plan_path import (
    FAR,
    Known,
    claimed,
    distances,
    planned,
    random_opponent,
    shortest,
    simple_opponent,
    steps,
    strong_opponent,
)
from agentgym.envs.multiagent._scripted import StrongExpert, graded

STREAM = 0x9A7  # apart from np_random of an equal seed
SIZES = range(4, 17)
LONGEST = 100  # moves of one plan
TURNS = {"whole": 4, "halves": 20}
COLORS = {".": (235, 235, 235), "#": (60, 60, 70), "?": (170, 170, 185), "@": (40, 110, 220), "G": (40, 160, 70)}
WORDS = {"up": "U", "down": "D", "left": "L", "right": "R"}
TOKEN = re.compile(r"up|down|left|right|[udlr]|[\s,;\[\]]+", re.IGNORECASE)


@dataclass(slots=True)
class State:
    """The map, where the walker is, which cells both know, and what was planned last."""

    walls: str  # the true map, row by row
    cell: int
    shared: list[int]  # cells that both know, because the walker came or bumped there
    rest: str  # what is left of the first player's last plan
    doubted: list[int]  # cells before which one plan broke off while the other went on
    told: list[list[int] | None]  # the walls that each player said it sees, read by scripted players only


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `PlanPath`."""

    size: int = whole(10, SIZES[0], SIZES[-1])
    walls: float = share(0.25, 0, 0.4)
    sight: str = one_of("halves", TURNS)


class PlanPath(StrongExpert, LanguageParallel):
    """Plan-Path.

    Description: a walker stands on a grid with walls. Each round both players plan a way for it, from where it stands,
    at the same time; the walker goes the moves with which both plans begin, and stops before a wall or the edge. With
    `sight="halves"` player_0 sees the walls of the left half of the map and player_1 those of the right half, so
    neither can plan alone; with `sight="whole"` both see everything, as in the published task, and need only agree.

    Observation: what each planned in the last round, what was said and how far the walker went; then the map as the
    player knows it: `@` the walker, `G` the goal, `#` a wall, `.` a free cell, `?` a cell the player cannot see. Cells
    that the walker entered, or was stopped by, are known to both. Rows are listed from the top.

    Actions: `plan <moves>` with up to 100 letters U, D, L, R (also the words up, down, left, right; spaces and commas
    are free), `plan <moves> say <words>` to add a message, and `wait`, a plan without moves. What is refused counts as
    `wait`. What the players say to each other is not checked.

    Reward: to both, the share of the first distance to the goal (in steps around the walls) by which the walker came
    nearer in the round, negative if it went away; 1 in all when it reaches the goal, which ends the game with success
    of both. Otherwise the game is cut after 20 rounds, after 4 with `sight="whole"`.

    Splits: `train` without end, `val` and `test` 200 maps each.

    Opponents (whole teams): `random` moves; `simple` plans a shortest way by its own map, with ties drawn, whatever the
    other plans; `strong` tells the other where it sees walls, in words, and plans the first shortest way by all that it
    knows and was told; beside one who tells nothing, player_1 repeats player_0's plan up to the first wall it knows,
    and player_0 goes around where player_1 breaks off. Expert: as `strong`. Oracle: both say the same shortest way.

    Args:
        size: Rows and columns, 4 to 16; 10 as published.
        walls: Share of cells that are walls, 0 to 0.4.
        sight: `halves` or `whole`.

    Errors: `ConfigError` for an option outside its range, `TaskError` for a map without a way.

    Source: the first planning task of AT-GRPO (Stronger Together, arXiv:2510.11062), where a planner and a tool writer
    settle one path on a 10 by 10 grid.
    """

    card = PLAN_PATH
    config = Config()
    task_stream = STREAM
    talk = True
    default_rule = "wait"
    admissible_complete = False
    grammar = Grammar(
        [
            Command(
                "plan <moves> say <words>",
                "plan moves and tell the other something.",
                examples=("plan UUR say I see a wall to the right of the goal",),
                name="speak",
                free="lines",
            ),
            Command(
                "plan <moves>",
                "plan moves from where the walker stands, as letters U (up), D (down), L (left), R (right).",
                examples=("plan RRDDL",),
                variants=("path <moves>", "[<moves>]"),
            ),
            Command("wait", "plan no move.", examples=("wait",), variants=("stay",)),
        ],
        rules="Bring the walker @ to the goal G. Each round both of you plan a way at the same time, and the walker "
        "goes the moves with which both plans begin; it stops before a wall # and before the edge.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "rows": {"type": "array", "minItems": 4, "maxItems": 16, "items": {"type": "string", "maxLength": 16}},
            "sight": {"type": "string", "enum": ["halves", "whole"]},
        }
    )
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A map with a way of at least `size` steps; drawn again until it has one.

        Args:
            config: Side of the map, chance of a wall in a cell, and how far players see.
            rng: Draws walls, start and goal.
        """
        size = config.size
        while True:
            cells = ["#" if wall else "." for wall in rng.random(size * size) < config.walls]
            start, goal = (int(cell) for cell in rng.choice(size * size, 2, replace=False))
            cells[start], cells[goal] = "S", "G"
            if size <= distances("".join(cells), goal)[start] < FAR:
                rows = ["".join(cells[begin : begin + size]) for begin in range(0, len(cells), size)]
                return {"rows": rows, "sight": config.sight}

    def check_task(self, spec: Spec) -> None:
        """The map must be square, made of S, G, `.` and `#`, with one S, one G and a way between them."""
        rows = spec["rows"]
        cells = "".join(rows)
        if any(len(row) != len(rows) for row in rows) or set(cells) - set("SG.#"):
            raise TaskError(f"a map has as many signs S, G, . or # in a row as rows, got {rows}")
        if cells.count("S") != 1 or cells.count("G") != 1:
            raise TaskError(f"a map has exactly one S (start) and one G (goal), got {rows}")
        if distances(cells, cells.index("G"))[cells.index("S")] >= FAR:
            raise TaskError(f"the map has no way from S to G around the walls: {rows}")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        size = len(spec["rows"])
        sight = (
            "Each of you sees the walls of one half of the map."
            if spec["sight"] == "halves"
            else "Both see the whole map."
        )
        return f"Plan, the two of you, one way for the walker to the goal on a map of {size} by {size} cells. {sight}"

    def _turn_limit(self, task: Task) -> int:
        return TURNS[task.spec["sight"]]

    def _reset(self, task: Task) -> None:
        cells = "".join(task.spec["rows"])
        self._size = len(task.spec["rows"])
        self._goal, self._start_cell = cells.index("G"), cells.index("S")
        self._halves: bool = task.spec["sight"] == "halves"
        self._first = distances(cells, self._goal)[self._start_cell]
        walls = cells.replace("S", ".").replace("G", ".")
        self._state = State(walls, self._start_cell, [self._start_cell, self._goal], "", [], [None, None])

    def _brief(self, player: str) -> str:
        part = ""
        if self._halves:
            left, right = self._size // 2, self._size - self._size // 2
            columns = f"{left} columns on the left" if self._leads(player) else f"{right} columns on the right"
            part = f" You see the walls of the {columns} only; the other sees the rest."
        return f"{self.task.instruction}\nYou are {player}.{part}"

    def _leads(self, player: str) -> bool:
        return player == self.possible_agents[0]

    def _objection(self, player: str, call: Call) -> str:
        if call.name == "wait" or _letters(call["moves"]):
            return ""
        return (
            f"{shorten(call['moves'])!r} is no plan; write 1 to {LONGEST} letters U, D, L, R, such as plan RRDDL, "
            "or wait."
        )

    def _step_all(self, calls: Mapping[str, Call]) -> JointOutcome:
        state, before = self._state, self._state.cell
        plans = []
        for player, call in calls.items():
            plan = "" if call.name == "wait" else _letters(call["moves"])
            plans.append(plan)
            self.send_message(f"{player} plans {plan or 'no move'}.")
            if call.name == "speak":
                self.say(player, call["words"])
                self.add_cost("words", len(call["words"].split()), [player])
                cells = claimed(call["words"], self._size)
                if cells is not None:
                    state.told[not self._leads(player)] = list(cells)
        agreed = (place for place, pair in enumerate(zip(*plans, strict=False)) if pair[0] != pair[1])
        common = plans[0][: next(agreed, min(map(len, plans)))]
        taken = self._walk(common)
        state.rest = plans[0][len(taken) :] if taken == common else ""
        if taken == common and plans[0] != plans[1] and common in plans:
            self._doubt(max(plans, key=len)[len(common)])
        nearness = distances(state.walls, self._goal)
        gain = (nearness[before] - nearness[state.cell]) / self._first
        self.record({"type": "walk", "moves": taken, "stopped": taken != common})
        self.set_metric("agreed", len(common) / max(1, *map(len, plans)))
        rewards = dict.fromkeys(calls, gain)
        if state.cell == self._goal:
            self.send_message("The walker is at the goal.")
            return JointOutcome(rewards, over=True, winners=list(calls))
        share = max(0.0, 1 - nearness[state.cell] / self._first)
        return JointOutcome(rewards, progress=dict.fromkeys(calls, share))

    def _walk(self, common: str) -> str:
        """Go the common moves up to the goal, a wall or the edge; the moves taken."""
        state, table = self._state, steps(self._size)
        for taken, move in enumerate(common):
            other = table[state.cell].get(move)
            if other is None or state.walls[other] == "#":
                what = "the edge" if other is None else "a wall"
                self.send_message(f"The walker goes {common[:taken] or 'nowhere'} and stops before {what} on {move}.")
                if other is not None:
                    self._share(other)
                return common[:taken]
            state.cell = other
            self._share(other)
            if other == self._goal:
                return common[: taken + 1]
        self.send_message(
            f"The walker goes {common}." if common else "The plans do not begin alike, so the walker stays."
        )
        return common

    def _share(self, cell: int) -> None:
        if cell not in self._state.shared:
            self._state.shared.append(cell)

    def _doubt(self, move: str) -> None:
        """Note the cell before which the shorter plan broke off."""
        cell = steps(self._size)[self._state.cell].get(move)
        if cell is not None and cell not in self._state.doubted:
            self._state.doubted.append(cell)

    def _public(self) -> str:
        return self._drawn(self._seen("" if self._halves else None))

    def _limits(self) -> str:
        return f"A plan has 1 to {LONGEST} moves."

    def _view(self, player: str) -> str:
        return self._drawn(self._seen(player))

    def _seen(self, player: str | None) -> str:
        """The map as a player knows it; the empty string stands for what both know, None for all."""
        walls = self._state.walls
        if not self._halves or player is None:
            return walls
        left, right = (player == each for each in self.possible_agents)
        cells = list(_curtained(walls, self._size, left, right))
        for cell in self._state.shared:
            cells[cell] = walls[cell]
        return "".join(cells)

    def _marked(self, walls: str) -> list[str]:
        cells = list(walls)
        cells[self._goal] = "G"
        cells[self._state.cell] = "@"
        return ["".join(cells[begin : begin + self._size]) for begin in range(0, len(cells), self._size)]

    def _drawn(self, walls: str) -> str:
        return "\n".join(" ".join(row) for row in self._marked(walls))

    def _picture(self) -> NDArray[np.uint8]:
        return paint(self._marked(self._seen("" if self._halves else None)), COLORS, 32)

    def _admissible(self, player: str) -> list[str]:
        return ["wait", *(f"plan {move}" for move in "UDLR")]

    def _default(self, player: str) -> str:
        return "wait"

    def _sample(self, player: str, rng: np.random.Generator) -> str:
        return random_opponent(self._known(player), rng)

    def _known(self, player: str) -> Known:
        state, leads = self._state, self._leads(player)
        mine, theirs = state.told if leads else reversed(state.told)
        told = None if theirs is None else tuple(theirs)
        return Known(
            walls=self._seen(player),
            cell=state.cell,
            goal=self._goal,
            leads=leads,
            rest=state.rest,
            doubted=tuple(state.doubted),
            told=told,
            telling=self._halves and mine is None,
        )

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        seen = self._seen(player)
        drawn = rng.random(len(seen)) < 0.25
        self._state.walls = "".join(
            (("#" if wall else ".") if sign == "?" else sign) for sign, wall in zip(seen, drawn, strict=True)
        )

    def _key_state(self) -> Any:
        return [self._state.walls, self._state.cell]

    def _oracle(self, player: str) -> str:
        return planned(shortest(self._state.walls, self._state.cell, self._goal))


@lru_cache(maxsize=1024)
def _curtained(walls: str, size: int, left: bool, right: bool) -> str:
    """The map with `?` on the halves that are not to be seen."""
    middle, rows = size // 2, []
    for begin in range(0, len(walls), size):
        rows.append(walls[begin : begin + middle] if left else "?" * middle)
        rows.append(walls[begin + middle : begin + size] if right else "?" * (size - middle))
    return "".join(rows)


@lru_cache(maxsize=1024)
def _letters(text: str) -> str:
    """The moves that a text spells, as letters; empty if it spells none, too many, or anything else."""
    found, end = [], 0
    while match := TOKEN.match(text, end):
        end = match.end()
        word = match[0].lower()
        if word in WORDS or word.upper() in WORDS.values():
            found.append(WORDS.get(word, word.upper()))
    return "".join(found) if end == len(text) and len(found) <= LONGEST else ""
