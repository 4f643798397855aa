"""Overcooked in words: two cooks fill pots, plate and serve soups in the five standard kitchens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import TaskError, unknown
from agentgym.core.generated import EnvConfig, object_schema, one_of, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageParallel
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, cut_by_hash
from agentgym.envs.multiagent._cards.social import OVERCOOKED
from agentgym.envs.multiagent._overcooked.cooks import (
    ACTIONS,
    FULL,
    Known,
    random_opponent,
    simple_opponent,
    strong_opponent,
)
from agentgym.envs.multiagent._overcooked.kitchen import FACES, LAYOUTS, NAMES, Kitchen, kitchen
from agentgym.envs.multiagent._paint import paint
from agentgym.envs.multiagent._scripted import StrongExpert, graded

SHARES = {"train": 0.6, "val": 0.13, "test": 0.27}
HORIZONS = range(1, 1001)
SOUP, ONION_IN, DISH_TAKEN, SOUP_TAKEN = 20.0, 3.0, 3.0, 5.0  # rewards of the original; the last three are shaping
COOKING = 20  # steps
PAR_STEPS = 50  # one soup in so many steps is enough
HELP = {
    "north": "turn north (up), and step there if it is floor",
    "south": "turn south (down), and step there if it is floor",
    "east": "turn east (right), and step there if it is floor",
    "west": "turn west (left), and step there if it is floor",
    "stay": "do nothing",
    "interact": "use what you face: take, put down, fill a pot, plate a soup, serve",
}
COLORS = {
    " ": (230, 220, 200),
    "X": (150, 110, 70),
    "P": (60, 60, 60),
    "O": (235, 200, 70),
    "D": (245, 245, 245),
    "S": (150, 200, 150),
    "1": (70, 110, 220),
    "2": (60, 170, 90),
    "o": (200, 150, 60),
    "d": (205, 205, 225),
    "s": (220, 120, 50),
}


@dataclass(slots=True)
class State:
    """Where the cooks are and look, what they hold, what lies on counters, and each pot."""

    cells: list[int]
    faces: list[int]
    held: list[str]  # empty, onion, dish, or soup of so many onions, such as "soup 3"
    counters: dict[int, str]
    onions: list[int]  # in each pot
    left: list[int]  # steps until each pot's soup is done, -1 if it does not cook
    soups: int = 0
    time: int = 0
    jammed: bool = False


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `Overcooked`."""

    horizon: int = whole(400, 1, HORIZONS[-1], shapes_tasks=False)
    start: str = one_of("auto", ("auto", "hand"), shapes_tasks=False)


class Overcooked(StrongExpert, LanguageParallel):
    """Overcooked.

    Description: two cooks share a kitchen. Three onions in a pot make a soup, which cooks for 20 steps; a cook with a
    dish takes it out, and serves it at the window. Both act at once. Turning to a cell that is no floor only turns the
    cook. What both do with their hands is settled first, player_0 before player_1, then they walk; if they would enter
    one cell, or change places, neither moves. A task is one of the five standard kitchens with the cells where the
    cooks start, each in a room of its own where the kitchen has two.

    Observation: what the player used or served in the last step; the kitchen (`X` counter, `P` pot, `O` onions, `D`
    dishes, `S` serving window, `.` floor, `1` player_0, `2` player_1); where both cooks are, what they face and hold;
    pots, things on counters, soups served and steps left. Nothing is hidden.

    Actions: `north`, `south`, `east`, `west`, `stay`, `interact` (also `up`, `down`, `right`, `left`, `wait`, `use`).
    What is refused counts as `stay`.

    Reward: to both, 20 for each soup of three onions that is served; other soups give 0. The metric `shaped` holds the
    original's shaping: 3 for an onion put into a pot, 3 for a dish taken when it is of use, 5 for a soup taken. The
    game ends after `horizon` steps; both succeed if they served one soup for every 50 steps, 8 in 400.

    Splits: every kitchen with every pair of starting cells from which all can be reached, cut 60/13/27 by
    stable hash.

    Opponents (partners of graded skill): `random`; `simple` does every other thing at random; `strong` always does the
    most pressing thing that the other is not doing, and hands things over counters where neither can do all. Expert
    and oracle: as `strong`, which is greedy and no optimum.

    Args:
        horizon: Steps of a game, 1 to 1000; 400 as published.
        start: `auto`: a pot begins to cook with its third onion; `hand`: a cook with empty hands starts it with
            `interact`, whatever is in it.

    Errors: `ConfigError` for an option outside its range, `TaskError` for cells where no cook can start.

    Source: Carroll et al. 2019, On the Utility of Learning about Humans for Human-AI Coordination (arXiv:1910.05789).
    """

    card = OVERCOOKED
    config = Config()
    default_rule = "stay"
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 8}
    grammar = Grammar(
        [
            Command(name, f"{HELP[name]}.", examples=(name,), variants=variants)
            for name, variants in zip(
                ACTIONS, (("up",), ("down",), ("right",), ("left",), ("wait",), ("use",)), strict=True
            )
        ],
        rules="Put three onions into a pot P, take the soup out with a dish when it is done, and serve it at the "
        "window S. Onions are taken at O and dishes at D with empty hands; a counter X holds one thing. You use the "
        "cell that you face.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "layout": {"type": "string", "enum": list(LAYOUTS)},
            "starts": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer", "minimum": 0}},
        }
    )
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)
    _state: State

    def _configured(self) -> None:
        self._by_hand = self.config.start == "hand"

    def tasks(self, split: str) -> FiniteTaskSet:
        """Kitchens and starting cells of a split."""
        if split not in SHARES:
            raise unknown("split", split, SHARES)
        return _panels()[split]

    def check_task(self, spec: Spec) -> None:
        """The cooks must start on two floor cells, in both rooms of a kitchen that has two."""
        place, starts = kitchen(spec["layout"]), spec["starts"]
        if tuple(starts) not in _starts(place):
            raise TaskError(
                f"in {place.name} two cooks cannot start in the cells {starts}; give two floor cells, one in each "
                f"room, such as {list(place.starts)}"
            )

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return (
            f"Cook and serve, the two of you, as many soups of three onions as you can in the kitchen "
            f"{spec['layout'].replace('_', ' ')}; each brings {SOUP:.0f} points."
        )

    def _turn_limit(self, task: Task) -> int:
        return self.config.horizon

    def _reset(self, task: Task) -> None:
        self._kitchen = kitchen(task.spec["layout"])
        pots = len(self._kitchen.pots)
        self._state = State(list(task.spec["starts"]), [0, 0], ["", ""], {}, [0] * pots, [-1] * pots)

    def _brief(self, player: str) -> str:
        number = self.possible_agents.index(player) + 1
        return f"{self.task.instruction}\nYou are {player}, cook {number}. The game has {self.config.horizon} steps."

    def _step_all(self, calls: Mapping[str, Call]) -> JointOutcome:
        state, asked = self._state, [call.name for call in calls.values()]
        served, shaped = 0, 0.0
        for cook, player in enumerate(calls):
            if asked[cook] == "interact":
                done, bonus = self._use(cook, player)
                served, shaped = served + done, shaped + bonus
        self._move(asked)
        state.left = [left - 1 if left > 0 else left for left in state.left]
        state.soups += served
        state.time += 1
        self.set_metric("shaped", shaped)
        self.set_metric("soups", state.soups)
        rewards = dict.fromkeys(calls, SOUP * served)
        par = max(1, self.config.horizon // PAR_STEPS)
        progress = dict.fromkeys(calls, min(1.0, state.soups / par))
        if state.time < self.config.horizon:
            return JointOutcome(rewards, progress=progress)
        return JointOutcome(rewards, over=True, winners=list(calls) if state.soups >= par else [], progress=progress)

    def _use(self, cook: int, player: str) -> tuple[int, float]:
        """Settle one `interact`: soups of value served, and shaping reward."""
        state, place = self._state, self._kitchen
        faced, held = self._faced(cook), state.held[cook]
        sign = place.cells[faced]
        if sign == "X" and bool(held) != (faced in state.counters):
            if held:
                state.counters[faced], state.held[cook] = held, ""
            else:
                state.held[cook] = state.counters.pop(faced)
            return self._did(player, f"puts {_a(held)} down" if held else f"takes {_a(state.held[cook])}", faced)
        if sign == "O" and not held:
            state.held[cook] = "onion"
            return self._did(player, "takes an onion", faced)
        if sign == "D" and not held:
            useful = "dish" not in state.counters.values() and state.held.count("dish") < sum(map(bool, state.onions))
            state.held[cook] = "dish"
            return self._did(player, "takes a dish", faced, DISH_TAKEN if useful else 0.0)
        if sign == "S" and held.startswith("soup"):
            state.held[cook] = ""
            worth = int(held == f"soup {FULL}")
            self.record({"type": "serve", "seat": player, "onions": int(held[5:])})
            return worth, self._did(player, f"serves {_a(held)}", faced)[1]
        if sign == "P":
            return self._use_pot(cook, player, faced)
        self.send_message("Your interact does nothing.", [player])
        return 0, 0.0

    def _use_pot(self, cook: int, player: str, faced: int) -> tuple[int, float]:
        state, held, pot = self._state, self._state.held[cook], self._kitchen.pots.index(faced)
        if held == "onion" and state.onions[pot] < FULL and state.left[pot] < 0:
            state.held[cook] = ""
            state.onions[pot] += 1
            if state.onions[pot] == FULL and not self._by_hand:
                state.left[pot] = COOKING
            return self._did(player, "puts an onion into the pot", faced, ONION_IN)
        if held == "dish" and state.left[pot] == 0:
            state.held[cook] = f"soup {state.onions[pot]}"
            state.onions[pot], state.left[pot] = 0, -1
            return self._did(player, "takes the soup", faced, SOUP_TAKEN)
        if not held and self._by_hand and state.onions[pot] and state.left[pot] < 0:
            state.left[pot] = COOKING
            return self._did(player, "starts the pot", faced)
        self.send_message("Your interact does nothing.", [player])
        return 0, 0.0

    def _did(self, player: str, what: str, faced: int, bonus: float = 0.0) -> tuple[int, float]:
        self.send_message(f"{player} {what} at {self._kitchen.place(faced)}.")
        return 0, bonus

    def _move(self, asked: list[str]) -> None:
        """Turn both cooks and let them walk, unless they would stand in each other's way."""
        state, place = self._state, self._kitchen
        wished = list(state.cells)
        for cook, name in enumerate(asked):
            if name in FACES:
                state.faces[cook] = FACES.index(name)
                faced = self._faced(cook)
                if place.cells[faced] == " ":
                    wished[cook] = faced
        state.jammed = wished[0] == wished[1] or (wished[0] == state.cells[1] and wished[1] == state.cells[0])
        if state.jammed:
            self.send_message("You stand in each other's way; neither moves.")
        else:
            state.cells = wished

    def _faced(self, cook: int) -> int:
        ahead = self._kitchen.ahead[self._state.cells[cook]]
        assert ahead is not None, "cooks stand on the floor"
        return ahead[self._state.faces[cook]]

    def _rows(self, floor: str) -> list[str]:
        place = self._kitchen
        cells = list(place.cells.replace(" ", floor))
        for cook, cell in enumerate(self._state.cells):
            cells[cell] = "12"[cook]
        text = "".join(cells)
        return [text[begin : begin + place.width] for begin in range(0, len(text), place.width)]

    def _public(self) -> str:
        return self._told(None)

    def _view(self, player: str) -> str:
        return self._told(self.possible_agents.index(player))

    def _told(self, me: int | None) -> str:
        state, place = self._state, self._kitchen
        lines = self._rows(".")
        for cook in (0, 1) if me != 1 else (1, 0):
            name = "You" if cook == me else f"{self.possible_agents[cook]}"
            faced = self._faced(cook)
            sign = "floor" if place.cells[faced] == " " else NAMES[place.cells[faced]]
            lines.append(
                f"{name}: {place.place(state.cells[cook])}, facing {FACES[state.faces[cook]]} ({sign}), "
                f"holding {_a(state.held[cook])}."
            )
        for pot, cell in enumerate(place.pots):
            lines.append(f"Pot at {place.place(cell)}: {_boiling(state.onions[pot], state.left[pot])}.")
        if state.counters:
            things = (f"{_a(item)} at {place.place(cell)}" for cell, item in sorted(state.counters.items()))
            lines.append(f"On counters: {'; '.join(things)}.")
        lines.append(f"Soups served: {state.soups}. Steps left: {self.config.horizon - state.time}.")
        return "\n".join(lines)

    def _picture(self) -> NDArray[np.uint8]:
        """Held things are shown by a small square on the cook."""
        place, state, side = self._kitchen, self._state, 32
        picture = paint(self._rows(" "), COLORS, side)
        shown = list(zip(state.cells, state.held, strict=True)) + list(state.counters.items())
        shown += [(cell, "soup" if state.left[pot] == 0 else "onion" * state.onions[pot])
                  for pot, cell in enumerate(place.pots)]  # fmt: skip
        for cell, item in shown:
            if item:
                top, left = cell // place.width * side + side // 4, cell % place.width * side + side // 4
                picture[top : top + side // 2, left : left + side // 2] = COLORS[item[0]]
        return picture

    def _admissible(self, player: str) -> list[str]:
        return list(ACTIONS)

    def _default(self, player: str) -> str:
        return "stay"

    def _known(self, player: str) -> Known:
        state = self._state
        return Known(
            kitchen=self._kitchen,
            me=self.possible_agents.index(player),
            cells=(state.cells[0], state.cells[1]),
            faces=(state.faces[0], state.faces[1]),
            held=(state.held[0], state.held[1]),
            counters=dict(state.counters),
            pots=tuple(zip(state.onions, state.left, strict=True)),
            time=state.time,
            jammed=state.jammed,
            by_hand=self._by_hand,
        )

    def _oracle(self, player: str) -> str:
        return strong_opponent(self._known(player))


def _a(item: str) -> str:
    """A thing in words."""
    if item.startswith("soup"):
        return f"a soup of {item[5:]} onion{'s' if item[5:] != '1' else ''}"
    return {"": "nothing", "onion": "an onion", "dish": "a dish"}[item]


def _boiling(onions: int, left: int) -> str:
    if left == 0:
        return f"{_a(f'soup {onions}')}, done"
    if left > 0:
        return f"{_a(f'soup {onions}')}, done in {left} step{'s' if left > 1 else ''}"
    return f"{onions} of {FULL} onions" if onions else "empty"


@lru_cache(maxsize=8)
def _starts(place: Kitchen) -> dict[tuple[int, int], None]:
    """Pairs of different floor cells, in different rooms where there are two, in order."""
    floor, rooms = place.floor, {place.rooms[cell] for cell in place.floor}
    return {
        (one, other): None
        for one in floor
        for other in floor
        if one != other and (len(rooms) == 1 or place.rooms[one] != place.rooms[other])
    }


@lru_cache(maxsize=1)
def _panels() -> dict[str, FiniteTaskSet]:
    ids = [f"{name}-{one}-{other}" for name in LAYOUTS for one, other in _starts(kitchen(name))]

    def panel(split: str, names: list[str]) -> FiniteTaskSet:
        """The tasks of a `split`; their `names` are layout and first cells."""

        def make(task_id: str) -> Task:
            layout, one, other = task_id.split("-")
            spec = {"layout": layout, "starts": [int(one), int(other)]}
            return Task(task_id, split, Overcooked.instruction(spec), spec)

        return FiniteTaskSet(split, names, make)

    return {split: panel(split, names) for split, names in cut_by_hash(ids, SHARES).items()}
