"""Plans over a household whose contents are known: the cheapest of the sensible ways to each goal, in every order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from agentgym.envs.text._household.engine import done, ready
from agentgym.envs.text._household.game import LOOK, NOTHING, TREATMENTS, TWO, Game, Goal, State, bits


@dataclass(slots=True)
class Walk:
    """A sequence of commands and what it does to the agent's place, its hand and the doors."""

    game: Game
    at: int
    held: int
    opened: int
    commands: tuple[str, ...] = ()
    put_down: tuple[tuple[int, int], ...] = ()  # objects and where the walk itself has left them

    def copy(self) -> Walk:
        """An independent copy."""
        return Walk(self.game, self.at, self.held, self.opened, self.commands, self.put_down)

    def say(self, command: str) -> None:
        """Add a command."""
        self.commands = (*self.commands, command)

    def go(self, receptacle: int) -> None:
        """Stand at a receptacle."""
        if self.game.spots[receptacle] != self.at:
            self.at = self.game.spots[receptacle]
            self.say(f"go to {self.game.receptacles[receptacle]}")

    def reach(self, receptacle: int) -> None:
        """Stand at a receptacle whose inside is open."""
        self.go(receptacle)
        if (self.game.openable & ~self.opened) >> receptacle & 1:
            self.opened |= 1 << receptacle
            self.say(f"open {self.game.receptacles[receptacle]}")

    def take(self, thing: int, receptacle: int) -> None:
        """Take `thing`, a number of an object, out of `receptacle`, a number too, going there and opening it first."""
        self.reach(receptacle)
        self.held = thing
        self.say(f"take {self.game.objects[thing]} from {self.game.receptacles[receptacle]}")

    def put(self, receptacle: int) -> None:
        """Put what is held into a receptacle."""
        self.reach(receptacle)
        self.say(f"move {self.game.objects[self.held]} to {self.game.receptacles[receptacle]}")
        self.put_down = (*self.put_down, (self.held, receptacle))
        self.held = NOTHING

    def treat(self, verb: str, receptacle: int) -> None:
        """Clean, heat or cool what is held: `verb` says which, `receptacle` is the number of a station for it."""
        self.go(receptacle)
        self.say(f"{verb} {self.game.objects[self.held]} with {self.game.receptacles[receptacle]}")


def plan(game: Game, state: State) -> tuple[str, ...]:
    """The shortest list of commands found that does what can be done for the goals; empty if nothing can be.

    `game` has the goals, and `state` may be a belief: objects that are not in it are not known. For one goal the search
    covers every object, station and place, so that its plan is shortest unless something useless is in the hand;
    several goals are fulfilled one after the other, in the best order, the one that ends with an object in the hand
    last.
    """
    begin = Walk(game, state.at, state.held, state.opened)
    open_goals = [goal for goal in game.goals if not done(game, state, goal)]
    best: tuple[str, ...] = ()
    most = 0
    for order in permutations(open_goals):
        if any(goal.type == LOOK for goal in order[:-1]):
            continue
        walk, fulfilled = begin, 0
        for goal in order:
            found = _shortest(_ways(game, state, walk, goal))
            if found is not None:
                walk, fulfilled = found, fulfilled + 1
        if (fulfilled, -len(walk.commands)) > (most, -len(best)):
            most, best = fulfilled, walk.commands
    return best


def _shortest(ways: Iterator[Walk]) -> Walk | None:
    return min(ways, key=lambda walk: len(walk.commands), default=None)


def _ways(game: Game, state: State, walk: Walk, goal: Goal) -> Iterator[Walk]:
    """Every way to fulfil a goal after `walk`, or to bring one of two objects if only one is known."""
    if walk.held != NOTHING and not goal.objects >> walk.held & 1:
        freed = _put_away(game, walk)
        if freed is None:
            return
        walk = freed
    if goal.type == TWO:
        for receptacle in goal.receptacles:
            yield from _bring_two(game, state, walk, goal, receptacle)
        return
    for fetched in _fetched(game, state, walk, goal.objects):
        if goal.type == LOOK:
            yield from _under_lamp(game, state, fetched, goal)
            continue
        for treated in _treated(game, state, fetched, goal):
            for receptacle in goal.receptacles:
                if game.accepts[receptacle] >> treated.held & 1:
                    placed = treated.copy()
                    placed.put(receptacle)
                    yield placed


def _put_away(game: Game, walk: Walk) -> Walk | None:
    """The nearest place for what is in the hand."""

    def ways() -> Iterator[Walk]:
        for receptacle, accepted in enumerate(game.accepts):
            if accepted >> walk.held & 1:
                freed = walk.copy()
                freed.put(receptacle)
                yield freed

    return _shortest(ways())


def _fetched(game: Game, state: State, walk: Walk, objects: int) -> Iterator[Walk]:
    """One of the objects in the hand: the one that is there, otherwise each that is known and can be taken."""
    if walk.held != NOTHING:
        yield walk
        return
    for receptacle, inside in enumerate(state.inside):
        for thing in bits(inside & objects & game.able["pickupable"]):
            fetched = walk.copy()
            fetched.take(thing, receptacle)
            yield fetched
    for thing, receptacle in walk.put_down:
        if objects >> thing & 1:
            fetched = walk.copy()
            fetched.take(thing, receptacle)
            yield fetched


def _treated(game: Game, state: State, walk: Walk, goal: Goal) -> Iterator[Walk]:
    verb = TREATMENTS.get(goal.type)
    if verb is None or ready(state, goal) >> walk.held & 1:
        yield walk
        return
    for receptacle in bits(game.stations[verb]):
        treated = walk.copy()
        treated.treat(verb, receptacle)
        yield treated


def _under_lamp(game: Game, state: State, walk: Walk, goal: Goal) -> Iterator[Walk]:
    """Beside a lamp that is on; with the object in the hand, if no lamp is known."""
    known = False
    for receptacle, inside in enumerate(state.inside):
        for lamp in bits(inside & goal.lamps):
            known = True
            lit = walk.copy()
            lit.go(receptacle)
            if not state.lit >> lamp & 1:
                lit.say(f"use {game.objects[lamp]}")
            yield lit
    if not known:
        yield walk


def _bring_two(game: Game, state: State, walk: Walk, goal: Goal, receptacle: int) -> Iterator[Walk]:
    """Bring as many objects to a receptacle as it lacks of two; those in it stay."""
    there = state.inside[receptacle] & goal.objects
    missing = 2 - there.bit_count()
    gathered = max((state.inside[index] & goal.objects).bit_count() for index in goal.receptacles)
    elsewhere = goal.objects & ~there & game.accepts[receptacle]
    for first in _fetched(game, state, walk, elsewhere):
        if not elsewhere >> first.held & 1:
            continue
        used = 1 << first.held
        one = first.copy()
        one.put(receptacle)
        others = list(_fetched(game, state, one, elsewhere & ~used)) if missing > 1 else []
        for two in others:
            two.put(receptacle)
            yield two
        if not others and there.bit_count() + 1 > gathered:  # otherwise one object would go to and fro
            yield one
