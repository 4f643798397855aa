"""What can be done in a state, and which moves of the package's that takes."""

from __future__ import annotations

from agentgym.core.grammar import Call, shorten
from agentgym.envs.text._babyai.board import NOBODY, Board, State
from agentgym.envs.text._babyai.views import (
    DOOR,
    DROP,
    EMPTY,
    FORWARD,
    LEFT,
    MIDDLE,
    PICK_UP,
    RIGHT,
    SIDE,
    TOGGLE,
    Sight,
    approach,
    arrive,
    free,
    is_open_door,
)  # fmt: skip

Moves = tuple[int, ...]
PRIMITIVES = {"turn left": LEFT, "turn right": RIGHT, "move forward": FORWARD, "pick up": PICK_UP, "drop": DROP,
              "toggle": TOGGLE}  # fmt: skip
CHECK = "check available actions"


class Choices:
    """The actions of a state.

    Args:
        board: The level.
        state: The state.
    """

    def __init__(self, board: Board, state: State):
        self._board, self._state = board, state
        self._view = board.view(state)
        self._sights = {sight.label: sight for sight in self._view.sights}

    def moves(self, call: Call) -> Moves | str:
        """The moves that an action takes, or why it is not possible now.

        Args:
            call: The action.
        """
        if call.name in PRIMITIVES:
            return self._objection(call.name) or (PRIMITIVES[call.name],)
        said = " ".join(str(call["object" if call.name in ("go to", "fetch") else "door"]).lower().split())
        sight = self._sights.get(said)
        if sight is None:
            seen = ", ".join(self._sights) or "nothing"
            return f"You do not see {shorten(said)!r}. You see: {seen}."
        if call.name == "go to":
            return self._go_to(sight)
        if call.name == "fetch":
            return self._fetch(sight)
        return self._go_through(sight) if call.name == "go through" else self._enter(sight)

    def actions(self) -> list[str]:
        """Every action that is possible now."""
        return [*self._listed(), CHECK]

    def spoken(self, plan: list[int]) -> str:
        """The longest action that does the first moves of a plan.

        Args:
            plan: Moves, at least one.
        """
        fitting = [(len(moves), words) for words, moves in self._listed().items() if tuple(plan[: len(moves)]) == moves]
        return max(fitting, key=lambda each: each[0])[1]

    def _listed(self) -> dict[str, Moves]:
        found: dict[str, Moves] = {name: (move,) for name, move in PRIMITIVES.items() if not self._objection(name)}
        for sight in self._view.sights:
            for words, moves in (
                (f"go to {sight.label}", self._go_to(sight)),
                (f"pick up {sight.label}", self._fetch(sight)),
                (f"go through {sight.label}", self._go_through(sight)),
                (f"toggle and go through {sight.label}", self._enter(sight)),
            ):
                if not isinstance(moves, str):
                    found[words] = moves
        return found

    def _objection(self, name: str) -> str:
        """Why a primitive action is not possible now; empty if it is."""
        front = self._view.front
        if name == "move forward" and not free(front):
            return "There is a barrier in front of you, you can't move forward."
        if name == "pick up":
            if self._carried:
                return f"You cannot pick up anything, as you are carrying a {self._carried}."
            return "" if EMPTY < front < DOOR and self._is_thing(front) else "There is nothing to pick up before you."
        if name == "drop":
            if not self._carried:
                return "You cannot drop the object, as you are not carrying anything."
            if front != EMPTY:
                return "You cannot drop the object, as there is already an object in front of you."
        if name == "toggle":
            return self._untoggled(front)
        return ""

    def _untoggled(self, front: int) -> str:
        number = self._board.door_ahead(self._state)
        if number is not None:
            return self._locked(number, "toggle the door")
        opens = self._is_thing(front) and any(
            sight.right == 0 and sight.ahead == 1 and sight.name.endswith("box") for sight in self._view.sights
        )
        return "" if opens else "There is no door or box in front of you to toggle."

    @property
    def _carried(self) -> str:
        return self._board.carried(self._state)

    @staticmethod
    def _is_thing(code: int) -> bool:
        return 1 < code < DOOR

    def _locked(self, door: int, what: str) -> str:
        """Why a door does not open; empty if it does."""
        if self._state.doors[door] != 2:
            return ""
        held = self._state.held
        key = self._board.things[held] if held != NOBODY else None
        if key is None or key.type != "key":
            return f"You cannot {what}, as you are not carrying a key."
        if key.color != self._board.doors[door].color:
            return f"You cannot {what}, as the color of the key you are carrying does not match the color of door."
        return ""

    def _way(self, sight: Sight) -> Moves | None:
        return approach(self._view.codes, _place(sight))

    def _go_to(self, sight: Sight) -> Moves | str:
        way = self._way(sight)
        if way is None:
            return f"You cannot go to {sight.label}, as there is no path leading to it."
        return way or f"No change in state. You are in front of {sight.label}."

    def _fetch(self, sight: Sight) -> Moves | str:
        if sight.code >= DOOR:
            return f"You cannot pickup {sight.label}, as it is a door."
        if self._carried:
            return f"You cannot pickup {sight.label}, as you are carrying a {self._carried}."
        way = self._way(sight)
        return (
            f"You cannot pickup {sight.label}, as there is no path leading to it." if way is None else (*way, PICK_UP)
        )

    def _go_through(self, sight: Sight) -> Moves | str:
        if sight.code < DOOR:
            return f"You cannot go through {sight.label}, as it is no door."
        if not is_open_door(sight.code):
            return f"You cannot go through {sight.label}, as it is closed. You should toggle it first."
        way = arrive(self._view.codes, _place(sight))
        return f"You cannot go through {sight.label}, as there is no path leading to it." if way is None else way

    def _enter(self, sight: Sight) -> Moves | str:
        what = f"toggle and go through {sight.label}"
        if sight.code < DOOR:
            return f"You cannot {what}, as it is no door."
        if is_open_door(sight.code):
            return f"You cannot {what}, as it is open. You can go through it."
        number = self._board.door_in(self._board.cell_ahead(self._state, sight.ahead, sight.right))
        assert number is not None
        locked = self._locked(number, what)
        if locked:
            return locked
        way = self._way(sight)
        return f"You cannot {what}, as there is no path leading to it." if way is None else (*way, TOGGLE, FORWARD)


def _place(sight: Sight) -> int:
    """Where in the view a thing stands."""
    return (SIDE - 1 - sight.ahead) * SIDE + MIDDLE + sight.right
