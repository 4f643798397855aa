"""The expert: it reads where things are said to be, knows where people keep them, and learns what this family does.

The shortcuts stand here as well: they look through the rooms in a fixed order and read no more than the goal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from agentgym.assets.household import phrases, tables
from agentgym.envs.text._household.engine import done
from agentgym.envs.text._household.game import NOTHING, TWO, Game, State, bits
from agentgym.envs.text._household.planner import plan

UNUSUAL = 0.05  # weight of a place where a thing may be, but is not usually kept
SAID = 20.0  # weight of a place that the task names
Weights = Callable[[Game, State, str], Mapping[str, float]]  # of the kinds of receptacles, for a kind of object


def next_action(game: Game, state: State) -> str:
    """Act on what is known; otherwise look where the wanted things are most likely for the least effort.

    Args:
        game: What is played.
        state: The true state, of which only what the agent has seen is read.
    """
    return _act_on(game, known(state), _learned, reads=True)


def usual_order(game: Game, state: State) -> str:
    """The shortcut that reads no more than what is wanted and where to: it looks where things are kept in `train`.

    `game` and `state` are read as by `next_action`.
    """
    return _act_on(game, known(state), _usual, reads=False)


def listed_order(game: Game, state: State) -> str:
    """The shortcut that looks into one receptacle after the other as they were listed.

    `game` and `state` are read as by `next_action`.
    """
    belief = known(state)
    commands = plan(game, belief)
    if commands:
        return commands[0]
    unseen = [index for index in range(len(game.receptacles)) if not belief.seen >> index & 1]
    return _look_into(game, belief, unseen[0]) if unseen else "look"


def known(state: State) -> State:
    """The state as far as the agent was shown it: only the agent moves things, so what it saw still holds."""
    belief = state.copy()
    belief.inside = [inside if state.seen >> index & 1 else 0 for index, inside in enumerate(state.inside)]
    return belief


def _act_on(game: Game, belief: State, weights: Weights, reads: bool) -> str:
    commands = plan(game, belief)
    return commands[0] if commands else _explore(game, belief, weights, reads)


def _explore(game: Game, belief: State, weights: Weights, reads: bool) -> str:
    """Look into the place of most promise for each turn that it takes.

    Args:
        game: The game.
        belief: The state as far as it is known.
        weights: How likely each kind of receptacle is.
        reads: Whether places that the task names come first.
    """
    unseen = [index for index in range(len(game.receptacles)) if not belief.seen >> index & 1]
    if not unseen:
        return "look"
    kinds, promise = game.receptacle_kinds, [0.0] * len(game.receptacles)
    for thing, told in _wanted(game, belief):
        likely = weights(game, belief, thing)
        for index in unseen:
            promise[index] += likely.get(kinds[index], 0.0) / kinds.count(kinds[index])
            promise[index] += SAID * (reads and index in told)
    return _look_into(
        game, belief, max(unseen, key=lambda index: (promise[index] / _effort(game, belief, index), -index))
    )


def _look_into(game: Game, belief: State, target: int) -> str:
    """The next step towards seeing what is in a receptacle."""
    name = game.receptacles[target]
    if game.spots[target] != belief.at:
        return f"go to {name}"
    return f"open {name}" if (game.openable & ~belief.opened) >> target & 1 else f"examine {name}"


def _wanted(game: Game, belief: State) -> list[tuple[str, tuple[int, ...]]]:
    """Kinds of which an unfulfilled goal knows too few, each with where the task says that it is."""
    seen = 0 if belief.held == NOTHING else 1 << belief.held
    for inside in belief.inside:
        seen |= inside
    kinds: list[tuple[str, tuple[int, ...]]] = []
    for goal in game.goals:
        if done(game, belief, goal):
            continue
        wishes = ((goal.objects, 2 if goal.type == TWO else 1, goal.told), (goal.lamps, 1, ()))
        for objects, needed, told in wishes:
            if objects and (objects & seen).bit_count() < needed:
                kinds += [(kind, told) for kind in sorted({game.object_kinds[thing] for thing in bits(objects)})]
    return kinds


def _usual(game: Game, belief: State, thing: str) -> dict[str, float]:
    """Where people keep a thing: its usual weight for each kind of receptacle, of 1 in all."""
    usual = tables().usual.get(thing, {})
    weights = {kind: UNUSUAL for kind, held in tables().contains.items() if thing in held}
    return weights | {kind: weight / sum(usual.values()) for kind, weight in usual.items()}


def _learned(game: Game, belief: State, thing: str) -> dict[str, float]:
    """Where a thing is likely: as is usual, and where this family was seen to keep things of the same group."""
    weights = _usual(game, belief, thing)
    group = phrases().group_of.get(thing, thing)
    for index, inside in enumerate(belief.inside):
        kind = game.receptacle_kinds[index]
        alike = sum(phrases().group_of.get(game.object_kinds[each]) == group for each in bits(inside))
        if kind in weights:
            weights[kind] += alike
    return weights


def _effort(game: Game, belief: State, receptacle: int) -> int:
    """Turns until its contents are seen."""
    away = game.spots[receptacle] != belief.at
    return away + 1 if game.openable >> receptacle & 1 else 1
