"""Exact values of small two-player games with hidden information: expectation, best response, exploitability, CFR."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol, TypeAlias

CHANCE = -1
Policy: TypeAlias = Callable[[Any], Mapping[Any, float]]  # information set to the probability of each action


class GameTree(Protocol):
    """A zero-sum game of two players in extensive form; nodes are hashable and mean nothing to the solver."""

    @property
    def root(self) -> Hashable:
        """The node before anything has happened."""

    def player(self, node: Any) -> int | None:
        """Who acts at a node: 0, 1, `CHANCE`, or None where the game is over."""

    def moves(self, node: Any) -> Sequence[tuple[Any, Any, float]]:
        """Action, next node and, for chance, probability (elsewhere anything)."""

    def known(self, node: Any) -> Hashable:
        """The information set of a player's node: all that the player who acts has seen."""

    def payoff(self, node: Any) -> float:
        """What player 0 gets, and player 1 loses, where the game is over."""


def expected(tree: GameTree, policies: Sequence[Policy]) -> float:
    """What player 0 may expect when each player follows a policy.

    Args:
        tree: The game.
        policies: Of player 0 and of player 1.
    """

    def value(node: Any) -> float:
        player = tree.player(node)
        if player is None:
            return tree.payoff(node)
        if player == CHANCE:
            return sum(chance * value(after) for _, after, chance in tree.moves(node))
        shares = policies[player](tree.known(node))
        return sum(
            shares.get(action, 0.0) * value(after) for action, after, _ in tree.moves(node) if shares.get(action)
        )

    return value(tree.root)


class BestResponse:
    """The best answer of a player to the other's policy, and what it earns.

    Args:
        tree: The game.
        player: Who answers: 0 or 1.
        other: The policy of the other player.
    """

    def __init__(self, tree: GameTree, player: int, other: Policy):
        self._tree = tree
        self._player = player
        self._other = other
        self._sets: dict[Hashable, list[tuple[Any, float]]] = {}
        self._choice: dict[Hashable, Any] = {}
        self._collect(tree.root, 1.0)

    def _collect(self, node: Any, reach: float) -> None:
        """Note the nodes of each of the player's information sets, with the chance that others lead there."""
        player = self._tree.player(node)
        if player is None:
            return
        if player == self._player:
            self._sets.setdefault(self._tree.known(node), []).append((node, reach))
        for _, after, share in self._weighted(node, player):
            if share:
                self._collect(after, reach * share)

    def _weighted(self, node: Any, player: int) -> list[tuple[Any, Any, float]]:
        moves = self._tree.moves(node)
        if player == CHANCE:
            return list(moves)
        if player == self._player:
            return [(action, after, 1.0) for action, after, _ in moves]
        shares = self._other(self._tree.known(node))
        return [(action, after, shares.get(action, 0.0)) for action, after, _ in moves]

    def _value(self, node: Any) -> float:
        """What the answering player gets from a node on."""
        player = self._tree.player(node)
        if player is None:
            return self._tree.payoff(node) * (1 - 2 * self._player)
        if player == self._player:
            best = self.choose(self._tree.known(node))
            return next(self._value(after) for action, after, _ in self._tree.moves(node) if action == best)
        return sum(share * self._value(after) for _, after, share in self._weighted(node, player) if share)

    def choose(self, known: Hashable) -> Any:
        """The best action in an information set, the first of equals."""
        if known not in self._choice:
            worth: dict[Any, float] = {}
            for node, reach in self._sets[known]:
                for action, after, _ in self._tree.moves(node):
                    worth[action] = worth.get(action, 0.0) + reach * self._value(after)
            self._choice[known] = max(worth, key=lambda action: worth[action])
        return self._choice[known]

    @cached_property
    def value(self) -> float:
        """What the best answer earns its player."""
        return self._value(self._tree.root)


def exploitability(tree: GameTree, policy: Policy) -> float:
    """Mean of what best answers earn against a policy as either player, in units of payoff; 0 at an equilibrium.

    Args:
        tree: The game.
        policy: Chance of each action by information set, for both players.
    """
    return sum(BestResponse(tree, player, policy).value for player in (0, 1)) / 2


def equilibrium(tree: GameTree, rounds: int) -> dict[Hashable, dict[Any, float]]:
    """An approximate equilibrium by CFR+ (Tammelin 2014), with linear averaging; deterministic.

    Args:
        tree: The game.
        rounds: Passes over the whole tree; the exploitability falls about as their inverse.
    """
    regrets: dict[Hashable, dict[Any, float]] = {}
    sums: dict[Hashable, dict[Any, float]] = {}

    def shares(known: Hashable, actions: list[Any]) -> dict[Any, float]:
        """Regret matching in the information set `known`: `actions` in proportion to their regrets, or all alike."""
        gained = regrets.setdefault(known, dict.fromkeys(actions, 0.0))
        total = sum(gained.values())
        return {action: gained[action] / total if total else 1 / len(actions) for action in actions}

    def walk(node: Any, learner: int, mine: float, others: float, weight: int) -> float:
        """The value of a node to the learner; adds to the regrets and to the average of its information sets.

        Args:
            node: Where the game is.
            learner: Player whose policy is improved in this pass, 0 or 1.
            mine: Chance that the learner's own moves lead here.
            others: Chance that the other player's and the moves of chance do.
            weight: Of this round in the average: its number, from 1.
        """
        player = tree.player(node)
        if player is None:
            return tree.payoff(node) * (1 - 2 * learner)
        moves = tree.moves(node)
        if player == CHANCE:
            return sum(chance * walk(after, learner, mine, others * chance, weight) for _, after, chance in moves)
        known = tree.known(node)
        share = shares(known, [action for action, _, _ in moves])
        if player != learner:
            return sum(share[a] * walk(after, learner, mine, others * share[a], weight) for a, after, _ in moves)
        values = {a: walk(after, learner, mine * share[a], others, weight) for a, after, _ in moves}
        mean = sum(share[action] * values[action] for action in values)
        played = sums.setdefault(known, dict.fromkeys(values, 0.0))
        for action, value in values.items():
            pending[known, action] = pending.get((known, action), 0.0) + others * (value - mean)
            played[action] += weight * mine * share[action]
        return mean

    for count in range(1, rounds + 1):
        for learner in (0, 1):
            pending: dict[tuple[Hashable, Any], float] = {}
            walk(tree.root, learner, 1.0, 1.0, count)
            for (known, action), regret in pending.items():
                regrets[known][action] = max(0.0, regrets[known][action] + regret)
    return {
        known: {action: part / sum(played.values()) for action, part in played.items()}
        for known, played in sums.items()
        if sum(played.values())
    }
