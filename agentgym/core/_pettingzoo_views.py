"""The other view of a game: turns for libraries that step all players at once, rounds one player after the other."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec

from agentgym.core.catalog import EnvCard, card
from agentgym.core.game import MODERATOR, Info, Observation
from agentgym.core.pettingzoo_envs import LanguageAEC, LanguageParallel


def load(known: EnvCard) -> Any:
    """The class that a card names."""
    module, _, name = known.entry_point.partition(":")
    return getattr(importlib.import_module(module), name)


def parallel_view(name: str, **kwargs: Any) -> ParallelView:
    """The parallel view of a game of turns: `name` is its id, and `kwargs` are options of its class."""
    return ParallelView(load(card(name))(**kwargs))


def aec_view(name: str, **kwargs: Any) -> AECEnv[str, Observation, str | None]:
    """The AEC view of a simultaneous game: PettingZoo's own conversion, which asks one after the other.

    Args:
        name: The game's id.
        kwargs: Options of its class.
    """
    world: LanguageParallel = load(card(name))(**kwargs)
    return parallel_to_aec(world)


class ParallelView(ParallelEnv[str, Observation, str]):
    """A game of turns whose players all answer at once: each step plays the action of the player to move.

    Another player says nothing: None, the empty string, or no entry. What it says otherwise is not played, and its
    `info["error"]` and observation say whose turn it is. A missing action of the player to move counts as the empty
    one, which the game refuses.

    Args:
        world: The game.
    """

    def __init__(self, world: LanguageAEC):
        self.world = world
        self.possible_agents = world.possible_agents
        self.metadata = world.metadata
        self.render_mode = world.render_mode

    @property
    def agents(self) -> list[str]:
        """Players still in."""
        return self.world.agents

    def observation_space(self, agent: str) -> Any:
        """The game's own, the same object on every call."""
        return self.world.observation_space(agent)

    def action_space(self, agent: str) -> Any:
        """The game's own, the same object on every call."""
        return self.world.action_space(agent)

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        """Begin a game, with `seed` and `options` as `LanguageAEC.reset` takes them."""
        self.world.reset(seed, options)
        return {player: self.world.observe(player) for player in self.agents}, dict(self.world.infos)

    def step(
        self, actions: Mapping[str, str | None]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Info]]:
        """Play the action of the player to move.

        Returns:
            Observations, rewards, terminations, truncations and infos of the players that were in before the step.
        """
        world = self.world
        if not world.agents:
            raise ResetNeeded(f"{world.card.id}: nobody is left at the table; call reset()")
        mover = world.agent_selection
        early = [player for player, said in actions.items() if said and player != mover]
        for player in early:
            world.action_space(player)  # an unknown player is named
        world.step(actions.get(mover) or "")
        observations = {player: world.observe(player) for player in world.agents}
        reason = f"it was the turn of {mover}, so your action was not played."
        for player in early:
            if player in observations:
                observations[player] = {"text": f"{MODERATOR}Refused: {reason}\n{observations[player]['text']}"}
                world.infos[player] |= {"action_valid": False, "error": reason}
        given = (dict(world.rewards), dict(world.terminations), dict(world.truncations), dict(world.infos))
        while world.agents and (world.terminations[world.agent_selection] or world.truncations[world.agent_selection]):
            world.step(None)
        return observations, *given

    def render(self) -> Any:
        """What everybody can see, as the game renders it."""
        return self.world.render()

    def close(self) -> None:
        """Nothing to release."""
        self.world.close()
