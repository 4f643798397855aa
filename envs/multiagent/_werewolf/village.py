"""The village: how many wolves there are, and what a player knows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

WOLF, SEER, DOCTOR, WITCH, VILLAGER = "werewolf", "seer", "doctor", "witch", "villager"
ROLES = (WOLF, SEER, DOCTOR, WITCH, VILLAGER)
WOLVES = {5: 1, 6: 2, 7: 2, 8: 2, 9: 3}  # by the number of players
VERBS = {WOLF: "kill", SEER: "see", DOCTOR: "save"}
NIGHT, DAWN, TALK, VOTE = "night", "dawn", "talk", "vote"


def cast(players: int, witch: bool) -> list[str]:
    """The roles of a game of so many `players`, in a fixed order, with a `witch` or without: wolves first."""
    good = [SEER, DOCTOR, *([WITCH] if witch else [])]
    wolves = WOLVES[players]
    return [WOLF] * wolves + good + [VILLAGER] * (players - wolves - len(good))


@dataclass(frozen=True, slots=True)
class Known:
    """What a player knows; players are numbers.

    Attributes:
        me, role: The player and its role.
        day, phase: Where the game stands.
        living: Players still alive.
        wolves: Number of wolves at the start.
        pack: All wolves, if the player is one; otherwise empty.
        named: Whom the other wolves named tonight.
        checks: What the seer learnt: whom, and whether a wolf.
        safe: Players that the doctor or witch takes to have been attacked.
        victim: Whom the wolves attack tonight, for a witch at dawn with her healing potion; otherwise -1.
        poison: Whether the witch still has her poison.
        speeches: Day, speaker and words, in order.
        votes: Day, voter and target (-1 for none), in order.
        killed, voted: Who died at night, and who was voted out, with the day.
        poisoner: Whether there is a witch, so that a wolf may die at night.
    """

    me: int
    role: str
    day: int
    phase: str
    living: tuple[int, ...]
    players: int
    wolves: int
    pack: tuple[int, ...]
    named: tuple[int, ...]
    checks: tuple[tuple[int, bool], ...]
    safe: tuple[int, ...]
    victim: int
    poison: bool
    speeches: tuple[tuple[int, int, str], ...]
    votes: tuple[tuple[int, int, int], ...]
    killed: tuple[tuple[int, int], ...]
    voted: tuple[tuple[int, int], ...]
    poisoner: bool

    @property
    def others(self) -> list[int]:
        """The living without the player itself."""
        return [player for player in self.living if player != self.me]


def packs(known: Known) -> list[tuple[int, ...]]:
    """Every set of wolves that fits what the player knows for certain."""
    if known.pack:
        return [known.pack]
    clear = {known.me, *known.safe}
    clear |= set() if known.poisoner else {player for _, player in known.killed}
    clear |= {player for player, wolf in known.checks if not wolf}
    found = {player for player, wolf in known.checks if wolf}
    rest = [player for player in range(known.players) if player not in clear and player not in found]
    fitting = []
    for more in combinations(rest, known.wolves - len(found)):
        pack = tuple(sorted({*found, *more}))
        alive = sum(player in known.living for player in pack)
        if 0 < alive < len(known.living) - alive:
            fitting.append(pack)
    return fitting
