"""The level of BALROG's five tasks: BabyAI-Text's mixed one, drawn in the same order, without distractors.

Importing this module needs the package `minigrid`; `levels.new_level` does it when it is asked for such a level.
"""

from __future__ import annotations

from typing import Any

from minigrid.core.roomgrid import RoomGrid
from minigrid.envs.babyai.core.levelgen import LevelGen
from minigrid.envs.babyai.core.verifier import (
    AfterInstr,
    BeforeInstr,
    GoToInstr,
    ObjDesc,
    OpenInstr,
    PickupInstr,
    PutNextInstr,
)

HELD_OUT = ("yellow box", "red key", "red door", "green ball", "grey door")  # never named by a mission
DOORS = ("yellow", "green", "blue", "purple")  # colors of locked doors


class Mixed(LevelGen):
    """One room, or two with a locked door between them; a mission of one kind."""

    def __init__(self, task: str):
        self.kind = task
        super().__init__(
            room_size=8, num_rows=1, num_cols=1 + (task == "open"), num_dists=0, locations=False,
            unblocking=False, implicit_unlock=False,
        )  # fmt: skip

    def gen_mission(self) -> None:
        while True:
            RoomGrid._gen_grid(self, self.width, self.height)
            self.instrs = self._locked() if self.kind == "open" else self._things()
            named = self.instrs.surface(self)
            if self._reachable and not any(held_out in named for held_out in HELD_OUT):
                break

    def _locked(self) -> Any:
        color = self._rand_elem(DOORS)
        while True:
            column, row, side = self._rand_int(0, 2), self._rand_int(0, 1), self._rand_int(0, 4)
            room = self.get_room(column, row)
            if room.neighbors[side] is not None:
                break
        self.add_door(column, row, side, color=color, locked=True)
        while True:
            column, row = self._rand_int(0, 2), self._rand_int(0, 1)
            if self.get_room(column, row) is not room:
                break
        self.add_object(column, row, "key", color)
        self.connect_all()
        self.place_agent()
        while self.room_from_pos(*self.agent_pos) is room:
            self.place_agent()
        self._reachable = self.check_objs_reachable(raise_exc=False)
        return OpenInstr(ObjDesc("door", self._rand_elem([None, color])))

    def _things(self) -> Any:
        self.place_agent()
        count = 1 if self.kind in ("goto", "pickup") else 2
        things = self.add_distractors(num_distractors=count, all_unique=False)
        self._reachable = self.check_objs_reachable(raise_exc=False)
        first = self._rand_elem(things)
        one = ObjDesc(first.type, first.color)
        if count == 1:
            return (GoToInstr if self.kind == "goto" else PickupInstr)(one)
        second = self._rand_elem(things)
        if len(one.find_matching_objs(self)[0]) < 2:
            while (second.type, second.color) == (first.type, first.color):
                second = self._rand_elem(things)
        other = ObjDesc(second.type, second.color)
        if self.kind == "putnext":
            return PutNextInstr(one, other)
        first_then = self._rand_elem(["Before", "After"]) == "Before"
        pick, go = PickupInstr(one), GoToInstr(other)
        return BeforeInstr(pick, go) if first_then else AfterInstr(go, pick)
