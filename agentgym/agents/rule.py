"""Rule-based players: fixed policies over the text of one benchmark, as its authors published them."""

from __future__ import annotations

import re

import numpy as np

from agentgym.agents.policy import ActionPolicy, View
from agentgym.core import ConfigError

PRODUCT = re.compile(r"click\[([a-z0-9]{10})\]", re.IGNORECASE)
BUY = "click[buy now]"


class ShopRule:
    """WebShop's rule baseline (Yao et al. 2022, arXiv:2207.01206): search the instruction, buy the first result."""

    def act(self, observation: str, instruction: str, admissible: list[str]) -> str:
        """The next action.

        Args:
            observation: The page.
            instruction: What is to be bought.
            admissible: The actions on the page.
        """
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


class RulePolicy(ActionPolicy):
    """Plays the published rule of the world, from its text and its admissible actions alone."""

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The rule's next action.

        Args:
            view: What the player is given.
            rng: Not used.

        Raises:
            ConfigError: if the world has no rule.
        """
        rule = RULES.get(view.env_id.rpartition("/")[2].partition("-v")[0])
        if rule is None:
            raise ConfigError(
                f"there is no rule-based player for {view.env_id}; worlds that have one: {', '.join(RULES)}"
            )
        return rule().act(view.observation, view.info["instruction"], view.ask("admissible_actions") or [])
