"""The pocket cube in words: turn the faces of a 2 x 2 x 2 cube until each has one colour."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import permutations, product
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, expert_is_oracle, named_level, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _boards
from agentgym.envs.games._cards.planning import POCKET_CUBE

LEVELS = {"easy": {"scramble": 3}, "medium": {"scramble": 5}, "hard": {"scramble": 8}, "expert": {"scramble": 30}}
FACES = "ULFRBD"
NAMES = {"U": "up", "L": "left", "F": "front", "R": "right", "B": "back", "D": "down"}
TITLES = ("Up (U):    ", "Left (L):  ", "Front (F): ", "Right (R): ", "Back (B):  ", "Down (D):  ")
COLOURS = {  # of the faces when solved
    "W": (245, 245, 245), "O": (230, 126, 34), "G": _boards.GREEN, "R": _boards.RED, "B": _boards.BLUE,
    "Y": _boards.GOLD,
}  # fmt: skip
SOLVED = "".join(colour * 4 for colour in COLOURS)
NET = ((0, 2), (2, 0), (2, 2), (2, 4), (2, 6), (4, 2))  # row and column of each face in the picture
HALF = 7  # quarter turns; no cube needs more than twice as many
TURNS = 20
STREAM = 0xC0BE  # apart from np_random of an equal seed

Vector = tuple[int, int, int]
Turn = Callable[[str], tuple[str, ...]]


@dataclass(slots=True)
class State:
    """The colours of the stickers, four a face, face after face in the order U L F R B D."""

    stickers: str


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `PocketCubeEnv`."""

    level: str = named_level("medium", LEVELS, of="PocketCube")
    scramble: int = whole(None, 2, 100)


class PocketCubeEnv(LanguageEnv):
    """Turn the faces of a 2 x 2 x 2 cube until each has one colour.

    Description: a cube of eight corners, seen from all sides. Each task is a cube held in a random way and scrambled by
    turning, so it can be solved; it is never solved at the start.

    Observation: a sentence on the last turn and a line per face with its upper and its lower row, such as `Front (F):
    [G, R] [G, R]`. Left, front, right and back are seen with the up face above, the up face with the front below it,
    the down face with the front above it. Colours: W white, O orange, G green, R red, B blue, Y yellow.

    Actions: a face to turn clockwise by a quarter, as seen from outside: `U`, `D`, `L`, `R`, `F`, `B`; or
    counterclockwise: `U'`, `D'`, `L'`, `R'`, `F'`, `B'`; also `turn U`, `rotate U`, `U prime`, `Ui`.

    Reward: 1 when every face has one colour, however the cube is held (success), otherwise 0. The episode ends then, or
    after 20 turns.

    Splits: `train` without end, `val` and `test` 200 cubes each.

    Oracle: a table of all cubes up to 7 quarter turns from solved, searched breadth first from the cube: a shortest
    solution, of at most 14 turns. Expert: the same, for nothing is hidden.

    Args:
        level: Named difficulty: scrambled by 3 turns (`easy`), 5 (`medium`), 8 (`hard`) or 30 (`expert`, practically
            any cube). `scramble` replaces what it says.
        scramble: Random quarter turns that make the cube, none of the same face as the one before, 2 to 100.

    Source: the cube and its view as in published agent suites; diameter of 14 quarter turns: Cooperman, Finkelstein
    and Sarawagi 1990.
    """

    card = POCKET_CUBE
    config = Config()
    task_stream = STREAM
    grammar = Grammar(
        [
            Command(
                face + prime,
                f"turn the {NAMES[face]} face ({face}) a quarter {way}, as you look at it from outside.",
                examples=(face + prime,),
                variants=tuple(
                    lead + face + tail
                    for lead, tail in product(("", "turn ", "rotate ", "move "), tails)
                    if lead or tail != prime
                ),
                name=face + prime,
            )
            for prime, way, tails in (("", "clockwise", ("",)), ("'", "counterclockwise", ("'", "’", " prime", "i")))
            for face in FACES
        ],
        rules="Turn the faces of the 2 x 2 x 2 cube until each of the six has one colour: all four stickers alike. "
        "Each line shows a face as `[a, b] [c, d]`, its upper row and then its lower row. Front, right, back and left "
        "are looked at from outside with the up face above; the up face with the front below it, the down face with "
        "the front above it. Colours: W white, O orange, G green, R red, B blue, Y yellow. A turn carries the four "
        "stickers of its face around, and with them the nearest two stickers of each of the four faces beside it: U "
        "moves the upper row of the front to the left, of the left to the back, of the back to the right and of the "
        "right to the front.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "faces": {
                "type": "array",
                "minItems": 6,
                "maxItems": 6,
                "items": {"type": "string", "minLength": 4, "maxLength": 4},
                "description": "stickers of the faces U L F R B D, upper row first, of the letters W O G R B Y",
            }
        }
    )
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A cube scrambled by as many turns as `config` says, drawn by `rng`."""
        return {"faces": _generate(rng, config.scramble)}

    def check_task(self, spec: Spec) -> None:
        """The stickers must be those of a cube that turning can solve and that is not solved."""
        stickers = "".join(spec["faces"])
        if sorted(stickers) != sorted(SOLVED):
            raise TaskError(f"a cube has four stickers of each of {', '.join(COLOURS)}, got {spec['faces']}")
        if _plain(stickers) == len(FACES):
            raise TaskError(f"the cube is solved already: {spec['faces']}")
        if solve(stickers) is None:
            raise TaskError(f"turning cannot solve the cube {spec['faces']}: its corners are not those of a whole cube")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return INSTRUCTION

    def _reset(self, task: Task) -> str:
        self._state = State("".join(task.spec["faces"]))
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        after = self._state.stickers = "".join(_turns()[call.name](self._state.stickers))
        plain = _plain(after)
        won = plain == len(FACES)
        return Outcome(
            f"You turn {call.name}.{' Every face has one colour.' if won else ''}\n{self._view()}",
            reward=float(won),
            terminated=won,
            success=won,
            progress=plain / len(FACES),
        )

    def _view(self) -> str:
        stickers = self._state.stickers
        return "\n".join(
            [
                f"{title}[{stickers[at]}, {stickers[at + 1]}] [{stickers[at + 2]}, {stickers[at + 3]}]"
                for title, at in zip(TITLES, range(0, 24, 4), strict=True)
            ]
        )

    def _admissible(self) -> list[str]:
        return list(_turns())

    def _oracle(self) -> str:
        return (solve(self._state.stickers) or ("U",))[0]

    _expert = expert_is_oracle

    def _reference(self) -> list[str]:
        """A solution with the fewest quarter turns."""
        return list(solve("".join(self.task.spec["faces"])) or ())

    def _picture(self) -> NDArray[np.uint8]:
        """The cube unfolded, uint8 of shape (288, 384, 3)."""
        frame = np.full((6 * _boards.CELL, 8 * _boards.CELL, 3), _boards.INK, np.uint8)
        for place, colour in enumerate(self._state.stickers):
            row, column = NET[place // 4]
            _boards.fill(_boards.tile(frame, row + place % 4 // 2, column + place % 2), COLOURS[colour], 3)
        return frame


INSTRUCTION = (
    "Turn the faces of the 2 x 2 x 2 cube until each of the six has one colour. U turns the up face a quarter "
    "clockwise as seen from outside, U' counterclockwise; so do L, F, R, B and D for left, front, right, back and "
    "down. A line shows a face by its upper row and its lower row; the letters are colours: W white, O orange, G "
    "green, R red, B blue, Y yellow."
)


def _generate(rng: np.random.Generator, scramble: int) -> list[str]:
    """A solved cube, held anyhow, after random turns of the faces U, R and F; drawn again if they lead back."""
    while True:
        stickers = "".join(_holds()[int(rng.integers(24))][0](SOLVED))
        face = int(rng.integers(3))
        for die in rng.integers(4, size=scramble).tolist():
            face = (face + 1 + die // 2) % 3
            stickers = "".join(_turns()["URF"[face] + ("", "'")[die % 2]](stickers))
        if _plain(stickers) < len(FACES):
            return [stickers[at : at + 4] for at in range(0, 24, 4)]


def _plain(stickers: str) -> int:
    """How many faces have one colour."""
    return sum([stickers[at] * 4 == stickers[at : at + 4] for at in range(0, 24, 4)])


# Geometry: x to the right, y up, z to the front. A sticker is a corner's place and the direction it faces.
AXES: Mapping[str, tuple[Vector, Vector, Vector]] = {  # direction of a face, and of right and down as it is seen
    "U": ((0, 1, 0), (1, 0, 0), (0, 0, 1)),
    "L": ((-1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "F": ((0, 0, 1), (1, 0, 0), (0, -1, 0)),
    "R": ((1, 0, 0), (0, 0, -1), (0, -1, 0)),
    "B": ((0, 0, -1), (-1, 0, 0), (0, -1, 0)),
    "D": ((0, -1, 0), (1, 0, 0), (0, 0, -1)),
}


@cache
def _stickers() -> tuple[tuple[Vector, Vector], ...]:
    """Place and direction of each sticker."""
    found = []
    for out, right, down in AXES.values():
        for below, beside in product((-1, 1), repeat=2):
            place = tuple(out[i] + beside * right[i] + below * down[i] for i in range(3))
            found.append((place, out))
    return tuple(found)  # type: ignore[arg-type]


def _moved(move: Callable[[Vector, Vector], tuple[Vector, Vector]]) -> Turn:
    """The function that carries each sticker where `move` says."""
    known = _stickers()
    source = [0] * 24
    for index, (place, out) in enumerate(known):
        source[known.index(move(place, out))] = index
    return itemgetter(*source)


def _quarter(about: Vector, v: Vector) -> Vector:
    """A vector turned clockwise by a quarter, as seen from where `about` points to."""
    along = sum(a * b for a, b in zip(about, v, strict=True))
    cross = (
        about[1] * v[2] - about[2] * v[1],
        about[2] * v[0] - about[0] * v[2],
        about[0] * v[1] - about[1] * v[0],
    )
    return tuple(along * a - c for a, c in zip(about, cross, strict=True))  # type: ignore[return-value]


@cache
def _turns() -> Mapping[str, Turn]:
    """The function of each quarter turn."""
    found: dict[str, Turn] = {}
    for face, (axis, _, _) in AXES.items():

        def turn(place: Vector, out: Vector, axis: Vector = axis) -> tuple[Vector, Vector]:
            """Where a quarter turn about `axis` takes the sticker at `place` that faces `out`; the other half stays."""
            if sum(a * b for a, b in zip(axis, place, strict=True)) < 0:
                return place, out
            return _quarter(axis, place), _quarter(axis, out)

        once = _moved(turn)
        found[face] = once
        found[face + "'"] = _composed(once, once, once)
    return found


def _composed(*turns: Turn) -> Turn:
    """One function that does several, one after the other."""
    places: Any = tuple(range(24))
    for turn in turns:
        places = turn(places)
    return itemgetter(*places)


@cache
def _holds() -> tuple[tuple[Turn, Mapping[str, str]], ...]:
    """The 24 ways to hold a cube: how the stickers go there, and which face it was that has become U, R and F."""
    found = []
    directions = {axis: face for face, (axis, _, _) in AXES.items()}
    for order in permutations(range(3)):
        for signs in product((-1, 1), repeat=3):
            odd = sum(order[i] > order[j] for i in range(3) for j in range(i + 1, 3)) % 2
            if (-1) ** odd * signs[0] * signs[1] * signs[2] < 0:
                continue  # a mirror image

            def held(v: Vector, order: Any = order, signs: Any = signs) -> Vector:
                """The vector `v` of the cube held another way: its axes in this `order`, with these `signs`."""
                return tuple(signs[i] * v[order[i]] for i in range(3))

            turn = _moved(lambda place, out, held=held: (held(place), held(out)))  # type: ignore[misc]
            found.append((turn, {directions[held(axis)]: face for axis, face in directions.items()}))
    return tuple(found)


@cache
def _table() -> Mapping[str, str]:
    """Every cube up to 7 quarter turns from solved, with the corner down, left and back in place: the first turn."""
    turns = {name: turn for name, turn in _turns().items() if name[0] in "URF"}
    inverse = {name: name[0] + ("" if name.endswith("'") else "'") for name in turns}
    found, edge = {SOLVED: ""}, [SOLVED]
    for _ in range(HALF):
        fresh = []
        for stickers in edge:
            for name, turn in turns.items():
                before = "".join(turn(stickers))
                if before not in found:
                    found[before] = inverse[name]
                    fresh.append(before)
        edge = fresh
    return found


@lru_cache(maxsize=4096)
def solve(stickers: str) -> tuple[str, ...] | None:
    """The fewest quarter turns that solve a cube, never of the faces at one of its corners; None if none do."""
    corner = [_stickers().index(((-1, -1, -1), AXES[face][0])) for face in "DLB"]
    colours = [SOLVED[place] for place in corner]
    for hold, was in _holds():
        held = "".join(hold(stickers))
        if [held[place] for place in corner] == colours:
            way = _way(held)
            return None if way is None else tuple(was[turn[0]] + turn[1:] for turn in way)
    return None


def _way(held: str) -> list[str] | None:
    """Breadth first to the table, then down in it."""
    turns, table = {name: turn for name, turn in _turns().items() if name[0] in "URF"}, _table()
    came: dict[str, tuple[str, str]] = {held: ("", "")}
    edge = [held]
    for _ in range(HALF + 1):
        met = next((here for here in edge if here in table), None)
        if met is not None:
            return _led(came, met, turns)
        fresh = []
        for here in edge:
            for name, turn in turns.items():
                after = "".join(turn(here))
                if after not in came:
                    came[after] = (here, name)
                    fresh.append(after)
        edge = fresh
    return None


def _led(came: Mapping[str, tuple[str, str]], met: str, turns: Mapping[str, Turn]) -> list[str]:
    """The turns that led to a cube of the table, and those that lead on from it."""
    way, here = [], met
    while came[here][1]:
        here, name = came[here]
        way.append(name)
    way.reverse()
    while met != SOLVED:
        way.append(_table()[met])
        met = "".join(turns[way[-1]](met))
    return way
