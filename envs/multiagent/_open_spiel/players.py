"""Players of any of OpenSpiel's games: random, one move ahead, and tree search, over what a player may know."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from agentgym.envs.multiagent._open_spiel.engine import Engine, Node, load, spiel, thrown

AHEAD = 16  # games played out by the player that looks one move ahead
WORLDS = 12  # guesses at what is hidden among which a search takes turns
TRIED = 3_000  # states looked at for one guess
SEARCH = range(16, 257)  # simulations of a tree search, fewer the longer a game is
EFFORT = 60_000  # moves a tree search may look at, roughly


@dataclass(frozen=True, slots=True)
class Known:
    """What a player knows.

    Attributes:
        text: The game.
        place: The player, from 0.
        history: All that happened, in a game that hides nothing and throws no dice of its own; otherwise empty.
        marks: Names of what the player saw, one after another, in a game that hides something.
        moves: Its legal moves, by their words.
    """

    text: str
    place: int
    history: tuple[int, ...]
    marks: tuple[str, ...]
    moves: dict[str, int]


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Any legal move in `known`, each as likely by `rng`."""
    return _drawn(list(known.moves), rng)


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """Plays the game out at random after each of its moves, `AHEAD` times in all, and takes the best on average.

    Args:
        known: What the player knows; where it sees not all, it plays out guesses that fit.
        rng: Draws guesses and games; where there is no guess, the move.
    """
    nodes = _nodes(known, rng)
    if not nodes or len(known.moves) == 1:
        return random_opponent(known, rng)
    words = list(known.moves)
    sums, counts = [0.0] * len(words), [0] * len(words)
    first = int(rng.random() * len(words))
    for turn in range(max(AHEAD, min(len(words), 2 * AHEAD))):
        choice = (first + turn) % len(words)
        node = nodes[turn // len(words) % len(nodes)].clone()
        node.apply_action(known.moves[words[choice]])
        sums[choice] += played_out(node, rng)[known.place]
        counts[choice] += 1
    return words[max(range(len(words)), key=lambda at: (sums[at] / counts[at] if counts[at] else -math.inf, -at))]


def strong_opponent(known: Known, rng: np.random.Generator) -> str:
    """Tree search: UCT where all is seen, and over guesses at the hidden, one tree a player, where it is not.

    Args:
        known: What the player knows.
        rng: Draws guesses and games; where there is no guess, the move.
    """
    nodes = _nodes(known, rng)
    if not nodes or len(known.moves) == 1:
        return random_opponent(known, rng)
    engine = load(known.text)
    if not engine.hidden:
        return sought(engine, nodes[0], rng)
    best = Search(engine, rng).best(nodes, simulations(known.text))
    return next(words for words, action in known.moves.items() if action == best)


def sought(engine: Engine, node: Node, rng: np.random.Generator) -> str:
    """The move of OpenSpiel's own UCT search from a state that is known.

    Args:
        engine: The game.
        node: The state, which is left as it is.
        rng: Gives the seeds of the search and of its games.

    Returns:
        The move in words.
    """
    module = spiel()
    evaluator = module.RandomRolloutEvaluator(1, int(rng.random() * 2**31))
    bot = module.MCTSBot(
        engine.game, evaluator, 1.4, simulations(engine.text), 64, True, int(rng.random() * 2**31), False
    )
    action = bot.step(node)
    return next(words for words, each in engine.moves(node).items() if each == action)


@lru_cache(maxsize=64)
def simulations(text: str) -> int:
    """How many simulations a search may make: `EFFORT` over the length and width of one game at random."""
    engine, rng = load(text), np.random.default_rng(0)
    node, wide, long = engine.start(0), 1, 1
    while not node.is_terminal() and long < engine.longest:
        actions = [] if node.is_chance_node() else node.legal_actions()
        wide += len(actions)
        long += bool(actions)
        node.apply_action(actions[int(rng.random() * len(actions))] if actions else thrown(node, rng.random()))
    return max(SEARCH[0], min(SEARCH[-1], EFFORT // max(long * 4, wide)))


def played_out(node: Node, rng: np.random.Generator) -> list[float]:
    """Returns of all players after random play to the end, by `rng`; `node` is used up."""
    while not node.is_terminal():
        if node.is_chance_node():
            node.apply_action(thrown(node, rng.random()))
        else:
            actions = node.legal_actions()
            node.apply_action(actions[int(rng.random() * len(actions))])
    return list(node.returns())


def guessed(known: Known, rng: np.random.Generator, mover: int | None = None) -> list[int] | None:
    """A history in which a player would have seen what it saw; None if none is found among `TRIED` states.

    It is found by search in random order, step by step along what the player saw, so likely histories are found more
    often than others, but not exactly as often as they are likely.

    Args:
        known: What the player knows, in a game that hides something.
        rng: Draws the order of the search.
        mover: The player that is to move at its end; None for the player itself.
    """
    engine = load(known.text)
    last = len(known.marks) - 1
    mover = known.place if mover is None else mover
    start = engine.game.new_initial_state()
    if engine.mark(start, known.place) != known.marks[0]:
        return None
    stack: list[tuple[Node, int, list[int], Iterator[int]]] = [(start, 0, [], _shuffled(start, rng))]
    for _ in range(TRIED):
        if not stack:
            return None
        node, seen, history, left = stack[-1]
        if seen == last and not node.is_terminal() and node.current_player() == mover:
            return history
        action = next(left, None)
        if action is None:
            stack.pop()
            continue
        child = node.clone()
        child.apply_action(action)
        mark = engine.mark(child, known.place)
        now = seen + 1 if seen < last and mark == known.marks[seen + 1] else seen
        if mark == known.marks[now]:
            stack.append((child, now, [*history, action], _shuffled(child, rng)))
    return None


def _shuffled(node: Node, rng: np.random.Generator) -> Iterator[int]:
    """The actions of a node in random order; chance outcomes in an order that prefers likely ones."""
    if node.is_terminal():
        return iter(())
    if not node.is_chance_node():
        actions = node.legal_actions()
        return iter(actions[place] for place in rng.permutation(len(actions)))
    outcomes = node.chance_outcomes()
    keys = [-math.log(1.0 - rng.random()) / chance if chance else math.inf for _, chance in outcomes]
    return iter(outcomes[place][0] for place in sorted(range(len(keys)), key=keys.__getitem__))


def _nodes(known: Known, rng: np.random.Generator) -> list[Node]:
    """States in which the player may be: the state itself where all is seen, otherwise guesses; empty if none is found.

    Of games that throw their own dice nothing can be tried out without seeing dice to come, so there are none.
    """
    engine = load(known.text)
    if engine.sampled:
        return []
    if not engine.hidden:
        return [engine.replayed(list(known.history), 0)]
    nodes = []
    for _ in range(WORLDS):
        history = guessed(known, rng)
        if history is None:
            break
        nodes.append(engine.replayed(history, 0))
    return nodes


def _drawn(choices: list[str], rng: np.random.Generator) -> str:
    return choices[int(rng.random() * len(choices))]


@dataclass(slots=True)
class Leaf:
    """What a search knows of one situation of one player: visits and summed returns of each move."""

    visits: dict[int, int] = field(default_factory=dict)
    sums: dict[int, float] = field(default_factory=dict)


class Search:
    """Information-set tree search with one tree for each player (Cowling, Powley, Whitehouse 2012).

    A situation is what the player to move sees, so a search cannot tell apart what that player cannot.
    """

    def __init__(self, engine: Engine, rng: np.random.Generator):
        self._engine = engine
        self._rng = rng
        self._leaves: dict[tuple[int, str], Leaf] = {}
        self._low, self._high = math.inf, -math.inf

    def best(self, nodes: list[Node], budget: int) -> int:
        """The move visited most often after `budget` simulations from the given states in turn.

        Args:
            nodes: States that look the same to the player to move; they are left as they are.
            budget: Simulations in all.
        """
        for turn in range(budget):
            self._simulate(nodes[turn % len(nodes)].clone())
        place = nodes[0].current_player()
        leaf = self._leaves[place, self._engine.view(nodes[0], place)]
        return max(sorted(leaf.visits), key=lambda action: leaf.visits[action])

    def _simulate(self, node: Node) -> None:
        path: list[tuple[Leaf, int, int]] = []
        fresh = False
        while not node.is_terminal() and not fresh:
            if node.is_chance_node():
                node.apply_action(thrown(node, self._rng.random()))
                continue
            place = node.current_player()
            leaf = self._leaves.setdefault((place, self._engine.view(node, place)), Leaf())
            action, fresh = self._chosen(leaf, node.legal_actions())
            path.append((leaf, place, action))
            node.apply_action(action)
        returns = played_out(node, self._rng)
        self._low, self._high = min(self._low, *returns), max(self._high, *returns)
        for leaf, place, action in path:
            leaf.visits[action] = leaf.visits.get(action, 0) + 1
            leaf.sums[action] = leaf.sums.get(action, 0.0) + returns[place]

    def _chosen(self, leaf: Leaf, actions: list[int]) -> tuple[int, bool]:
        """A move by upper confidence bounds, and whether it was never tried."""
        new = [action for action in actions if action not in leaf.visits]
        if new:
            return new[int(self._rng.random() * len(new))], True
        breadth = max(self._high - self._low, 1e-9)
        total = math.log(sum(leaf.visits[action] for action in actions))
        visits, sums = leaf.visits, leaf.sums
        return max(
            actions,
            key=lambda act: sums[act] / visits[act] + 0.7 * breadth * math.sqrt(total / visits[act]),
        ), False
