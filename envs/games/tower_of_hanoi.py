"""The Tower of Hanoi in words: move disks between pegs, never a larger one onto a smaller."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from operator import eq
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.checks import check_whole
from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, expert_is_oracle, named_level, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _boards
from agentgym.envs.games._cards.planning import TOWER_OF_HANOI

LEVELS = {
    "easy": {"disks": 3, "pegs": 3},
    "medium": {"disks": 4, "pegs": 3},
    "hard": {"disks": 6, "pegs": 3},
    "expert": {"disks": 8, "pegs": 3},
}
MOST_DISKS = {3: 8, 4: 6}  # by pegs
PEGS = "ABCD"
PLACES = {peg.lower(): place for place, peg in enumerate(PEGS)}
STREAM = 0x4A01  # apart from np_random of an equal seed

Places = tuple[int, ...]


@dataclass(slots=True)
class State:
    """The peg of each disk, from the smallest disk to the largest."""

    places: Places


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `TowerOfHanoiEnv`."""

    level: str = named_level("medium", LEVELS, of="TowerOfHanoi")
    disks: int = whole(None, 3, max(MOST_DISKS.values()))
    pegs: int = whole(None, 3, 4)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole("disks", self.disks, 3, MOST_DISKS[self.pegs])


@cache
def _grammar(pegs: int) -> Grammar:
    """The grammar of a task with so many pegs."""
    names = tuple(PEGS[:pegs].lower())
    command = Command(
        "move <peg> to <other peg>",
        "move the top disk of a peg to another peg.",
        examples=("move A to C",),
        variants=(
            "move from <peg> to <other peg>", "move <peg>-><other peg>", "move <peg> <other peg>",
            "<peg> to <other peg>", "<peg>-><other peg>", "move top disk from <peg> to <other peg>",
            "move the top disk from <peg> to <other peg>",
        ),
        choices={"peg": names, "other_peg": names},
    )  # fmt: skip
    return Grammar(
        [command],
        rules="Move the disks until they lie as the goal says. Pegs are listed with their disks from the bottom to the "
        f"top; larger numbers are larger disks, and - is an empty peg. The pegs are {', '.join(PEGS[:pegs])}. Only the "
        "top disk of a peg moves, and never onto a smaller one.",
    )


class TowerOfHanoiEnv(LanguageEnv):
    """Move all disks to the pegs where they belong.

    Description: disks of different sizes lie on pegs. One disk a turn moves, always the top one of its peg, and never
    onto a smaller one. Start and goal are random: any legal arrangement may be either, as long as the largest disk has
    to change its peg. A task specification gives the classic task of moving a whole tower.

    Observation: a sentence on the last move, then a line per peg with its disks from the bottom to the top, and the
    goal in the same form on one line: `A: 3 1`, `B: 2`, `C: -`, `Goal: A: - | B: - | C: 3 2 1`.

    Actions: `move A to C` moves the top disk of A; also `move from A to C`, `move A C`, `A to C`, `A -> C`. A move from
    an empty peg, to a peg that is not there, or onto a smaller disk is refused.

    Reward: 1 when all disks lie as the goal says (success), otherwise 0. The episode ends then, or after twice as many
    turns as a whole tower of so many disks takes on three pegs, and six more: 20, 36, 132 and 516 for 3, 4, 6 and 8
    disks.

    Splits: `train` without end, `val` and `test` 200 pairs of start and goal each.

    Oracle: breadth-first search back from the goal, so a shortest solution from wherever the player stands. Expert: the
    same, for nothing is hidden.

    Args:
        level: Named difficulty: `easy` (3 disks), `medium` (4), `hard` (6), `expert` (8), all on three pegs. `disks`
            and `pegs` replace what it says.
        disks: Disks, 3 to 8, on four pegs to 6.
        pegs: Pegs, 3 or 4.

    Source: Lucas 1883; shortest ways between any two arrangements: Romik 2006, SIAM Journal on Discrete Mathematics 20.
    """

    card = TOWER_OF_HANOI
    config = Config()
    task_stream = STREAM
    grammar = _grammar(3)
    task_schema: ClassVar[Spec] = object_schema(
        {
            name: {
                "type": "array",
                "minItems": 3,
                "maxItems": 4,
                "items": {"type": "array", "maxItems": 8, "items": {"type": "integer", "minimum": 1, "maximum": 8}},
                "description": "the disks of each peg, from the bottom to the top",
            }
            for name in ("start", "goal")
        }
    )
    _state: State

    def _configured(self) -> None:
        self.grammar = _grammar(self.config.pegs)

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """Two arrangements, of which every one is legal; the largest disk must move.

        Args:
            config: How many pegs and disks.
            rng: Draws the peg of each disk at the start and in the end.
        """
        pegs = config.pegs
        start, goal = rng.integers(pegs, size=(2, config.disks)).tolist()
        goal[-1] = (start[-1] + 1 + int(rng.integers(pegs - 1))) % pegs
        return {"start": _stacks(start, pegs), "goal": _stacks(goal, pegs)}

    def check_task(self, spec: Spec) -> None:
        """Start and goal must be different legal arrangements of the same disks on the same pegs."""
        start, goal = spec["start"], spec["goal"]
        disks = sorted(disk for peg in start for disk in peg)
        if len(start) != len(goal) or disks != sorted(disk for peg in goal for disk in peg):
            raise TaskError(f"start and goal have the same pegs and disks, got {start} and {goal}")
        if disks != list(range(1, len(disks) + 1)) or not 1 <= len(disks) <= MOST_DISKS[len(start)]:
            most = MOST_DISKS[len(start)]
            raise TaskError(f"the disks are numbered 1 to at most {most} on {len(start)} pegs, each once, got {disks}")
        if any(peg != sorted(peg, reverse=True) for peg in (*start, *goal)):
            raise TaskError(f"no disk lies on a smaller one: a peg lists larger disks first, got {start} and {goal}")
        if start == goal:
            raise TaskError(f"start and goal are the same: {start}")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        goal = " | ".join(_lines(_places(spec["goal"]), len(spec["goal"])))
        return (
            f"Move the disks until they lie so, from the bottom to the top: {goal}. One disk moves at a time, from the "
            "top of its peg, and never onto a smaller one."
        )

    def _turn_limit(self, task: Task) -> int:
        return 4 + 2 ** (1 + sum(map(len, task.spec["start"])))

    def _reset(self, task: Task) -> str:
        self._count = len(task.spec["start"])
        self.grammar = _grammar(self._count)
        self._goal = _places(task.spec["goal"])
        self._aim = "Goal: " + " | ".join(_lines(self._goal, self._count))
        self._state = State(_places(task.spec["start"]))
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        places = self._state.places
        origin, target = PLACES[call["peg"]], PLACES[call["other_peg"]]
        if origin not in places:
            return self.refuse(f"Peg {PEGS[origin]} is empty.")
        if origin == target:
            return self.refuse(f"A disk moves to another peg, not from {PEGS[origin]} to {PEGS[origin]}.")
        disk = places.index(origin)
        if target in places[:disk]:
            top = places.index(target) + 1
            return self.refuse(f"Disk {disk + 1} is larger than disk {top}, the top of {PEGS[target]}.")
        after = self._state.places = (*places[:disk], target, *places[disk + 1 :])
        won = after == self._goal
        home = sum(map(eq, after, self._goal))
        told = f"You move disk {disk + 1} from {PEGS[origin]} to {PEGS[target]}."
        return Outcome(
            f"{told}{' All disks lie as the goal says.' if won else ''}\n{self._view()}",
            reward=float(won),
            terminated=won,
            success=won,
            progress=home / len(after),
        )

    def _view(self) -> str:
        return "\n".join(_lines(self._state.places, self._count)) + f"\n{self._aim}"

    def _admissible(self) -> list[str]:
        return [_say(move) for move in _moves(self._state.places, self._count)]

    def _oracle(self) -> str:
        return _say(_ways(self._goal, self._count)[self._state.places])

    _expert = expert_is_oracle

    def _reference(self) -> list[str]:
        """A shortest solution."""
        ways, places = _ways(self._goal, self._count), _places(self.task.spec["start"])
        said = []
        while places != self._goal:
            move = ways[places]
            said.append(_say(move))
            places = _moves(places, self._count)[move]
        return said

    def _picture(self) -> NDArray[np.uint8]:
        """The pegs from the side, the goal as golden outlines.

        The picture is uint8 of shape (48 * (disks + 2), 192 * pegs, 3).
        """
        places, goal, pegs = self._state.places, self._goal, self._count
        disks, cell = len(places), _boards.CELL
        rows = disks + 2
        frame = np.full((rows * cell, pegs * 4 * cell, 3), _boards.PAPER, np.uint8)
        frame[-cell // 2 :] = _boards.WOOD_DARK
        for peg in range(pegs):
            middle = (4 * peg + 2) * cell
            frame[cell // 2 : -cell // 2, middle - 4 : middle + 4] = _boards.WOOD
        for arrangement, outline in ((places, False), (goal, True)):
            heights = [0] * pegs
            for disk in range(disks - 1, -1, -1):
                peg = arrangement[disk]
                heights[peg] += 1
                bottom = rows * cell - cell // 2 - (heights[peg] - 1) * cell
                reach = cell // 2 + (3 * cell // 2 - 8) * disk // max(1, disks - 1)
                middle = (4 * peg + 2) * cell
                part = frame[bottom - cell + 2 : bottom - 2, middle - reach : middle + reach]
                if outline:
                    for edge in (part[:4], part[-4:], part[:, :4], part[:, -4:]):
                        edge[:] = _boards.GOLD
                else:
                    part[:] = _boards.BLUE
                    _boards.number(
                        frame[bottom - cell : bottom, middle - cell // 2 : middle + cell // 2], disk + 1, _boards.PAPER
                    )
        return frame


def _stacks(places: list[int], pegs: int) -> list[list[int]]:
    return [[disk + 1 for disk in range(len(places) - 1, -1, -1) if places[disk] == peg] for peg in range(pegs)]


def _places(stacks: list[list[int]]) -> Places:
    found = {disk: peg for peg, stack in enumerate(stacks) for disk in stack}
    return tuple(found[disk] for disk in sorted(found))


@lru_cache(maxsize=8192)
def _lines(places: Places, pegs: int) -> tuple[str, ...]:
    stacks = _stacks(list(places), pegs)
    return tuple(f"{PEGS[peg]}: {' '.join(map(str, stack)) or '-'}" for peg, stack in enumerate(stacks))


def _say(move: tuple[int, int]) -> str:
    return f"move {PEGS[move[0]]} to {PEGS[move[1]]}"


@lru_cache(maxsize=8192)
def _moves(places: Places, pegs: int) -> Mapping[tuple[int, int], Places]:
    """The legal moves of an arrangement and what each leads to."""
    return dict(_stepped(places, pegs))


def _stepped(places: Places, pegs: int) -> Iterator[tuple[tuple[int, int], Places]]:
    covered: set[int] = set()  # pegs with a smaller disk on them
    for disk, peg in enumerate(places):
        if peg not in covered:
            for target in range(pegs):
                if target != peg and target not in covered:
                    yield (peg, target), (*places[:disk], target, *places[disk + 1 :])
            covered.add(peg)


@lru_cache(maxsize=8)
def _ways(goal: Places, pegs: int) -> Mapping[Places, tuple[int, int]]:
    """For every other arrangement, the first move of a shortest way to the goal."""
    found: dict[Places, tuple[int, int]] = {}
    queue = deque([goal])
    while queue:
        here = queue.popleft()
        for (origin, target), before in _stepped(here, pegs):
            if before not in found and before != goal:
                found[before] = (target, origin)
                queue.append(before)
    return found
