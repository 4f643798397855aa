"""The expert: it starts knowing nothing but where people keep things, and remembers what it has seen."""

from __future__ import annotations

from agentgym.assets.household import tables
from agentgym.envs.text._household.engine import done
from agentgym.envs.text._household.game import NOTHING, TWO, Game, State, bits
from agentgym.envs.text._household.planner import plan

UNUSUAL = 0.05  # weight of a place where a thing may be, but is not usually kept


def next_action(game: Game, state: State) -> str:
    """Act on what is known; otherwise look where the wanted things are most likely for the least effort."""
    belief = known(state)
    commands = plan(game, belief)
    return commands[0] if commands else _explore(game, belief)


def known(state: State) -> State:
    """The state as far as the agent was shown it: only the agent moves things, so what it saw still holds."""
    belief = state.copy()
    belief.inside = [inside if state.seen >> index & 1 else 0 for index, inside in enumerate(state.inside)]
    return belief


def _explore(game: Game, belief: State) -> str:
    unseen = [index for index in range(len(game.receptacles)) if not belief.seen >> index & 1]
    if not unseen:
        return "look"
    wanted = _wanted(game, belief)
    target = max(unseen, key=lambda index: (_promise(game, wanted, index) / _effort(game, belief, index), -index))
    name = game.receptacles[target]
    if game.spots[target] != belief.at:
        return f"go to {name}"
    return f"open {name}" if (game.openable & ~belief.opened) >> target & 1 else f"examine {name}"


def _wanted(game: Game, belief: State) -> list[str]:
    """Kinds of which an unfulfilled goal knows too few."""
    seen = 0 if belief.held == NOTHING else 1 << belief.held
    for inside in belief.inside:
        seen |= inside
    kinds = []
    for goal in game.goals:
        if not done(game, belief, goal):
            for objects, needed in ((goal.objects, 2 if goal.type == TWO else 1), (goal.lamps, 1)):
                if objects and (objects & seen).bit_count() < needed:
                    kinds += sorted({game.object_kinds[thing] for thing in bits(objects)})
    return kinds


def _promise(game: Game, wanted: list[str], receptacle: int) -> float:
    """How likely a wanted kind is kept there: its weight for the kind of receptacle, shared among those of the kind."""
    kind = game.receptacle_kinds[receptacle]
    promise = 0.0
    for thing in wanted:
        usual = tables().usual.get(thing, {})
        if kind in usual:
            promise += usual[kind] / sum(usual.values()) / game.receptacle_kinds.count(kind)
        elif thing in tables().contains.get(kind, ()):
            promise += UNUSUAL / game.receptacle_kinds.count(kind)
    return promise


def _effort(game: Game, belief: State, receptacle: int) -> int:
    """Turns until its contents are seen."""
    away = game.spots[receptacle] != belief.at
    return away + 1 if game.openable >> receptacle & 1 else 1
