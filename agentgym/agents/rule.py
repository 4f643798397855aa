"""Rule-based players: fixed policies over the text of one benchmark, as its authors published them."""

from __future__ import annotations

import re
from typing import Any

import gymnasium as gym
import numpy as np

from agentgym.agents.base import Info, world
from agentgym.core import ConfigError, Reply

PRODUCT = re.compile(r"click\[([a-z0-9]{10})\]", re.IGNORECASE)
BUY = "click[buy now]"


class ShopRule:
    """WebShop's rule baseline (Yao et al. 2022, arXiv:2207.01206): search the instruction, buy the first result."""

    def act(self, observation: str, instruction: str, admissible: list[str]) -> str:
        """The next action, from the page and the actions on it."""
        clicks = {action.lower() for action in admissible}
        if BUY in clicks:
            return BUY
        page = observation.lower()
        places = {action: page.find(match[1]) for action in sorted(clicks) if (match := PRODUCT.fullmatch(action))}
        shown = {action: place for action, place in places.items() if place >= 0}
        if shown:
            return min(shown, key=lambda action: shown[action])
        return f"search[{' '.join(re.sub(r'[^0-9A-Za-z.]+', ' ', instruction).split())}]"


RULES = {"WebShop": ShopRule, "WebShopOriginal": ShopRule}  # by the world's name without its version


class RuleAgent:
    """Plays the published rule of the world, from its text and its admissible actions alone."""

    name = "rule"
    reply: Reply | None = None

    def begin(self, env: gym.Env[Any, Any], observation: str, info: Info, rng: np.random.Generator) -> None:
        """Look up the world's rule.

        Raises:
            ConfigError: if it has none.
        """
        self._world = world(env)
        name = self._world.card.name
        rule = RULES.get(name.partition("-v")[0])
        if rule is None:
            raise ConfigError(f"there is no rule-based player for {name}; worlds that have one: {', '.join(RULES)}")
        self._rule = rule()

    def act(self, observation: str, info: Info) -> str:
        """The rule's next action."""
        return self._rule.act(observation, info["instruction"], self._world.admissible_actions() or [])
