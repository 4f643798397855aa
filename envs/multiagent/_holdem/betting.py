"""The betting of a hand of hold'em at a table: who acts, what may be done, side pots, and who is paid what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

FOLD, CALL, RAISE = "f", "c", "r"  # a call of nothing is a check; a raise is followed by what it goes up to
SMALL, BIG = 1, 2
SIZES, CAPS = (2, 2, 4, 4), (3, 4, 4, 4)  # limit: by how much a raise goes up, and how many a round may see
ROUNDS = 4
BOTTOMLESS = 10**6  # chips of players that never run out


@dataclass(frozen=True, slots=True)
class Table:
    """What a hand begins with.

    Attributes:
        stacks: Chips of each seat; 0 for a seat that is out of the match.
        button: The seat with the button.
        limit: Whether raises have a fixed size and are capped.
    """

    stacks: tuple[int, ...]
    button: int
    limit: bool

    def after(self, seat: int) -> list[int]:
        """All seats in the order of play, beginning left of one."""
        count = len(self.stacks)
        return [(seat + step) % count for step in range(1, count + 1)]

    @property
    def blinds(self) -> tuple[int, int]:
        """The seats of the small and the big blind; of two players the one with the button has the small."""
        seats = [seat for seat in self.after(self.button) if self.stacks[seat]]
        return (seats[-1], seats[0]) if len(seats) == 2 else (seats[0], seats[1])


@dataclass(frozen=True, slots=True)
class Betting:
    """How the betting of a hand stands.

    Attributes:
        table: What it began with.
        round: The round being bet, from 0.
        mover: The seat to act; meaningless once the hand is over.
        put: What each seat has put in, in all rounds.
        base: What a seat that was not out of chips had put in when the round began.
        level: What each must have put in to stay.
        step: The least by which a raise must go up.
        raises: Raises of this round.
        acted: Whether each seat has acted since the last full raise of the round.
        folded: Whether each seat has folded, or is out of the match.
        leader: The seat that raised last in the round of the last raise; -1 where there was none.
        over: Whether nobody acts any more.
    """

    table: Table
    round: int
    mover: int
    put: tuple[int, ...]
    base: int
    level: int
    step: int
    raises: int
    acted: tuple[bool, ...]
    folded: tuple[bool, ...]
    leader: int = -1
    over: bool = False

    def left(self, seat: int) -> int:
        """The chips before a seat."""
        return self.table.stacks[seat] - self.put[seat]

    @property
    def owed(self) -> int:
        """What it costs the seat to act to call; all it has, if that is less."""
        return min(self.level - self.put[self.mover], self.left(self.mover))

    @property
    def live(self) -> list[int]:
        """Seats that have not folded."""
        return [seat for seat, folded in enumerate(self.folded) if not folded]

    def raises_to(self) -> tuple[int, int] | None:
        """What the seat to act may raise to, least and most, in chips of this round; None if it may not raise.

        An all-in of less than a full raise is possible, and does not let those raise again who have acted.
        """
        seat = self.mover
        most = self.table.stacks[seat]
        if most <= self.level or not any(self.left(other) for other in self.live if other != seat):
            return None
        if self.acted[seat] and self.level - self.put[seat] < self.step:
            return None
        least = min(self.level + self.step, most)
        if self.table.limit:
            return None if self.raises >= CAPS[self.round] else (least - self.base, least - self.base)
        return least - self.base, most - self.base


class Pot(NamedTuple):
    """A pot: its chips, and the seats that may win it."""

    chips: int
    seats: tuple[int, ...]


def begin(table: Table) -> Betting:
    """The betting after the blinds."""
    small, big = table.blinds
    put = [0] * len(table.stacks)
    put[small], put[big] = min(SMALL, table.stacks[small]), min(BIG, table.stacks[big])
    nobody = (False,) * len(put)
    out = tuple(stack == 0 for stack in table.stacks)
    return _onward(Betting(table, 0, big, tuple(put), 0, BIG, BIG, 0, nobody, out))


@lru_cache(maxsize=1 << 14)
def betting(table: Table, history: tuple[str, ...]) -> Betting:
    """How the betting stands after some actions: `f`, `c`, and `r` with what it raises to in the round.

    Args:
        table: What the hand began with.
        history: The actions of all rounds in a row, each possible when it was its turn.
    """
    return apply(betting(table, history[:-1]), history[-1]) if history else begin(table)


def apply(now: Betting, act: str) -> Betting:
    """The betting after an action of the seat to act, which must be possible.

    Args:
        now: Before it.
        act: `f`, `c`, or `r` with what it raises to in the round.
    """
    seat, put = now.mover, list(now.put)
    acted = tuple(has or who == seat for who, has in enumerate(now.acted))
    if act == FOLD:
        folded = tuple(has or who == seat for who, has in enumerate(now.folded))
        return _onward(replace(now, folded=folded, acted=acted))
    if act == CALL:
        put[seat] += now.owed
        return _onward(replace(now, put=tuple(put), acted=acted))
    put[seat] = level = now.base + int(act[1:])
    now = replace(now, put=tuple(put), raises=now.raises + 1, leader=seat)
    if level - now.level < now.step:  # all in
        return _onward(replace(now, level=level, acted=acted))
    step = now.step if now.table.limit else level - now.level
    return _onward(replace(now, level=level, step=step, acted=tuple(who == seat for who in range(len(put)))))


def _onward(now: Betting) -> Betting:
    """The turn goes to the next seat that has something to decide, if need be in the next round."""
    live = now.live
    if len(live) == 1:
        return replace(now, over=True)
    able = [seat for seat in now.table.after(now.mover) if seat in live and now.left(seat)]
    waiting = [seat for seat in able if not now.acted[seat] or now.put[seat] < now.level]
    if len(able) == 1 and now.put[able[0]] >= max(now.put[other] for other in live if other != able[0]):
        waiting = []
    if waiting:
        return replace(now, mover=waiting[0])
    following = now.round + 1
    if len(able) < 2 or following == ROUNDS:
        return replace(now, round=ROUNDS, over=True)
    first = next(seat for seat in now.table.after(now.table.button) if seat in able)
    step = SIZES[following] if now.table.limit else BIG
    nobody = (False,) * len(now.put)
    return replace(now, round=following, mover=first, base=now.level, step=step, raises=0, acted=nobody, leader=-1)


def returned(now: Betting) -> tuple[int, int]:
    """The seat whose last chips nobody could or would call, and how many they are; (-1, 0) if there are none."""
    most, second = sorted(now.put, reverse=True)[:2]
    return (now.put.index(most), most - second) if most > second else (-1, 0)


def pots(now: Betting) -> list[Pot]:
    """The main pot and the side pots of a hand, without chips that go back; those of equal seats are one."""
    put = list(now.put)
    seat, back = returned(now)
    if back:
        put[seat] -= back
    found: list[Pot] = []
    below = 0
    for level in sorted({put[seat] for seat in now.live}):
        chips = sum(min(each, level) - min(each, below) for each in put)
        seats = tuple(seat for seat in now.live if put[seat] >= level)
        if chips:
            found.append(Pot(chips, seats))
        below = level
    extra = sum(max(0, each - below) for each in put)  # of folded seats that had put in more than those that stayed
    if extra:
        found[-1] = Pot(found[-1].chips + extra, found[-1].seats)
    return found


def paid(now: Betting, worth: Callable[[int], int]) -> list[int]:
    """By seat, what it gets out of a finished hand; the chips that cannot be shared go to the left of the button.

    Args:
        now: The hand.
        worth: Of the cards of a seat, the larger the better; asked for where more than one seat may win.
    """
    got = [0] * len(now.put)
    seat, back = returned(now)
    if back:
        got[seat] += back
    order = now.table.after(now.table.button)
    for pot in pots(now):
        winners = best_of(pot.seats, worth)
        share, odd = divmod(pot.chips, len(winners))
        for number, winner in enumerate(each for each in order if each in winners):
            got[winner] += share + (number < odd)
    return got


def best_of(seats: Sequence[int], worth: Callable[[int], int]) -> list[int]:
    """Those of some seats whose cards are worth most.

    Args:
        seats: Who may win.
        worth: Of the cards of a seat.
    """
    if len(seats) == 1:
        return list(seats)
    values = {seat: worth(seat) for seat in seats}
    return [seat for seat in seats if values[seat] == max(values.values())]


def showdown(now: Betting) -> list[int]:
    """The seats that show their cards, in order: who raised last in the last round, else from left of the button."""
    if len(now.live) < 2:
        return []
    begins = now.leader - 1 if now.leader in now.live else now.table.button
    return [seat for seat in now.table.after(begins) if seat in now.live]


def next_button(stacks: Sequence[int], button: int) -> int:
    """The next seat with chips, left of the `button`; `stacks` are the chips of all seats, not all 0."""
    count = len(stacks)
    return next(seat for step in range(1, count + 1) if stacks[seat := (button + step) % count])


def seats_in(stacks: Iterable[int]) -> list[int]:
    """Seats that have chips."""
    return [seat for seat, stack in enumerate(stacks) if stack]
