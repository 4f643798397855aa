"""What the tests of games of many players share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def played(game: Any, held: Mapping[str, str], seed: int = 0) -> dict[str, float]:
    """Returns of a game under way; each player is held by a scripted opponent, `oracle`, `expert`, or says one text."""
    rng = np.random.default_rng(seed)
    returns = dict.fromkeys(game.possible_agents, 0.0)
    while not game.ended:
        player = game.agent_selection
        who = held[player]
        if who in game.opponents:
            action = game.opponent_action(player, who, rng)
        elif who in ("oracle", "expert"):
            action = getattr(game, f"{who}_action")(player)
        else:
            action = who
        game.step(action)
        for each, reward in game.rewards.items():
            returns[each] += reward
    return returns


def leads(game: Any, better: str, worse: str, tasks: int) -> list[float]:
    """Returns of one better player among worse ones, from every place in turn.

    Args:
        game: A game whose deals are drawn from a panel.
        better, worse: Levels of its scripted players.
        tasks: How many deals of the panel are played.
    """
    found = []
    for task in range(tasks):
        mine = game.possible_agents[task % len(game.possible_agents)]
        game.reset(seed=task, options={"task": task})
        found.append(played(game, dict.fromkeys(game.possible_agents, worse) | {mine: better}, seed=task)[mine])
    return found
