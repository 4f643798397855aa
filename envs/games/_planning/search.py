"""A planner for ground STRIPS: relaxed plans lead a greedy search, and what it finds is then made shorter.

The heuristic is that of FF (Hoffmann and Nebel 2001, JAIR 14): the length of a plan in which nothing becomes false. The
search is greedy best-first and evaluates a state when it is taken up; actions that the relaxed plan begins with come
first. Then actions that nothing depends on are dropped (Nakhost and Mueller 2010), and pieces of the plan are planned
again, A* on the same heuristic, for as long as that makes it shorter.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from agentgym.envs.games._planning.strips import Ground, Operator

LIMIT = 20_000  # states taken up before a search gives up
PIECE = 14  # actions of a piece that is planned again
EFFORT = 12_000  # states taken up for a piece times operators of the problem, which is its time


def relaxed(operators: Sequence[Operator], state: int, goal: int) -> tuple[int, int] | None:
    """The heuristic of a state, and the facts that the first actions of its relaxed plan make true.

    Args:
        operators: Ground actions.
        state: The facts that hold.
        goal: The facts that are to hold.

    Returns:
        The length of the relaxed plan and the facts, both 0 in a state in which the goal holds; None if the goal cannot
        be reached even when nothing becomes false.
    """
    if state & goal == goal:
        return 0, 0
    layers, makers = [state], []  # facts by the step they first hold after; the actions that add something by step
    reached, waiting = state, operators
    while reached & goal != goal:
        later, layer, fresh, unreached = [], [], 0, ~reached
        for operator in waiting:
            if operator.needs & unreached:
                later.append(operator)
            elif operator.adds & unreached:
                layer.append(operator)
                fresh |= operator.adds & unreached
        if not fresh:
            return None
        makers.append(layer)
        layers.append(fresh)
        reached |= fresh
        waiting = later
    return _extract(layers, makers, goal)


def _extract(layers: list[int], makers: list[list[Operator]], goal: int) -> tuple[int, int]:
    """The relaxed plan from its end: its length, and what its first actions are to make true."""
    wanted = [facts & goal for facts in layers]
    length = 0
    for step in range(len(layers) - 1, 0, -1):
        left = wanted[step]
        while left:
            best = _maker(makers[step - 1], left & -left, layers, step)
            length += 1
            left &= ~best.adds
            for depth in range(1, step):
                wanted[depth] |= best.needs & layers[depth]
    return length, wanted[1]


def _maker(choices: list[Operator], fact: int, layers: list[int], step: int) -> Operator:
    """Of the actions that make a fact true the one whose needs come earliest."""
    best, least = choices[0], 1 << 30
    for operator in choices:
        if operator.adds & fact:
            cost = 0
            for depth in range(1, step):
                cost += depth * (operator.needs & layers[depth]).bit_count()
            if cost < least:
                best, least = operator, cost
                if not cost:
                    break
    return best


def greedy(problem: Ground, state: int) -> list[Operator] | None:
    """Some plan of a `problem` from a `state`, the start or another; None if none was found within 20,000 states."""
    goal, operators = problem.goal, problem.operators
    if not problem.possible:
        return None
    parents: dict[int, tuple[int, Operator] | None] = {state: None}
    queue = [(0, 0, 0, state)]
    ticket = 0
    for _ in range(LIMIT):
        if not queue:
            return None
        *_, here = heapq.heappop(queue)
        if here & goal == goal:
            return _way(parents, here)
        judged = relaxed(operators, here, goal)
        if judged is None:
            continue
        distance, helpful = judged
        for operator in operators:
            if operator.needs & here == operator.needs:
                after = here & ~operator.deletes | operator.adds
                if after not in parents:
                    parents[after] = (here, operator)
                    ticket += 1  # among equals the oldest first: it keeps to what is near
                    heapq.heappush(queue, (distance, 0 if operator.adds & helpful else 1, ticket, after))
    return None


def astar(operators: Sequence[Operator], state: int, goal: int, below: int, effort: int) -> list[Operator] | None:
    """A plan with fewer than `below` actions by A* on relaxed plans, which may miss the shortest; None if not found.

    Args:
        operators: Ground actions.
        state: Where it begins.
        goal: Facts to reach.
        below: Length that is too long.
        effort: States taken up, at most.
    """
    first = relaxed(operators, state, goal)
    if first is None or first[0] >= below:
        return None
    costs = {state: 0}
    parents: dict[int, tuple[int, Operator] | None] = {state: None}
    queue = [(first[0], 0, 0, state)]
    ticket = 0
    for _ in range(effort):
        if not queue:
            return None
        _, cost, _, here = heapq.heappop(queue)
        cost = -cost
        if here & goal == goal:
            return _way(parents, here)
        if cost > costs[here]:
            continue
        for operator in operators:
            if operator.needs & here == operator.needs:
                after = here & ~operator.deletes | operator.adds
                if cost + 1 < costs.get(after, 1 << 30):
                    judged = relaxed(operators, after, goal)
                    if judged is None or cost + 1 + judged[0] >= below:
                        continue
                    costs[after] = cost + 1
                    parents[after] = (here, operator)
                    ticket -= 1
                    heapq.heappush(queue, (cost + 1 + judged[0], -cost - 1, ticket, after))
    return None


def _way(parents: dict[int, tuple[int, Operator] | None], state: int) -> list[Operator]:
    way = []
    step = parents[state]
    while step is not None:
        state, operator = step
        way.append(operator)
        step = parents[state]
    return way[::-1]


def _run(state: int, plan: Sequence[Operator]) -> list[int]:
    """The states along a plan, the first included."""
    states = [state]
    for operator in plan:
        states.append(states[-1] & ~operator.deletes | operator.adds)
    return states


def _spared(state: int, goal: int, plan: list[Operator]) -> list[Operator]:
    """The plan less actions without which, and without what depends on them, the goal is still reached."""
    place = 0
    while place < len(plan):
        here, kept = _run(state, plan[:place])[-1], plan[:place]
        for operator in plan[place + 1 :]:
            if operator.needs & here == operator.needs:
                kept.append(operator)
                here = here & ~operator.deletes | operator.adds
        if here & goal == goal:
            plan = kept
        else:
            place += 1
    return plan


def _shorter(problem: Ground, state: int, plan: list[Operator]) -> list[Operator]:
    """The plan with pieces planned again wherever that saves actions, until no piece does."""
    size, effort = PIECE, max(30, EFFORT // len(problem.operators))
    place = 0
    while place < len(plan):
        states = _run(state, plan)
        end = min(place + size, len(plan))
        wanted = problem.goal
        for operator in reversed(plan[end:]):
            wanted = wanted & ~operator.adds | operator.needs
        piece = astar(problem.operators, states[place], wanted, end - place, effort)
        if piece is None:
            place += max(1, size // 4)
            continue
        plan = _spared(state, problem.goal, [*plan[:place], *piece, *plan[end:]])
        place = max(0, place - size // 2)
    return plan


def solve(problem: Ground, state: int) -> tuple[Operator, ...] | None:
    """A short plan of a `problem` from a `state`, the start or another; None if the search gave up or there is none."""
    plan = greedy(problem, state)
    if plan is None:
        return None
    return tuple(_shorter(problem, state, _spared(state, problem.goal, plan)))


def shortest(problem: Ground, state: int, effort: int) -> int | None:
    """The least number of actions to the goal, by breadth-first search; None if it sees more than `effort` states.

    The search is in the `problem` from a `state`, the start or another; None also if no actions lead to the goal.
    """
    if state & problem.goal == problem.goal:
        return 0
    seen, frontier, steps = {state}, [state], 0
    while frontier and len(seen) < effort:
        steps += 1
        after = []
        for here in frontier:
            for operator in problem.operators:
                if operator.needs & here == operator.needs:
                    there = here & ~operator.deletes | operator.adds
                    if there not in seen:
                        if there & problem.goal == problem.goal:
                            return steps
                        seen.add(there)
                        after.append(there)
        frontier = after
    return None
