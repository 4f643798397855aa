"""Players of the shop that do not do the task: they search for the instruction and buy without reading facts.

What they earn says what the shop pays for less than shopping; the card states it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from agentgym.envs.web._shop.contest import keywords
from agentgym.envs.web._shop.markup import visible
from agentgym.envs.web._shop.pages import PER_PAGE
from agentgym.envs.web._shop.wish import read_wish

if TYPE_CHECKING:
    from agentgym.envs.web.webshop import WebShopEnv

MEMORY = 500  # train goals that the memorizer knows


class Shortcut:
    """Decides the next action of one such player from the state of the shop.

    Args:
        shop: The shop, under way.
        name: Which player; one of those that the card names.
    """

    def __init__(self, shop: WebShopEnv, name: str) -> None:
        self.shop = shop
        self.name = name
        self.wish = read_wish(shop.task_instruction)

    def act(self) -> str:
        """The next action."""
        state = self.shop._state
        if not state.found:
            return f"search[{keywords(self.shop.task_instruction)}]"
        place = min(self._place(), len(state.found) - 1)
        if state.page == "results":
            page = place // PER_PAGE + 1
            if page > state.number:
                return "click[next >]"
            return f"click[{self.shop.catalog.get(state.found[place]).asin.lower()}]"
        if self.name not in ("first result", "first affordable"):
            for name, value in self._named().items():
                if state.chosen.get(name) != value:
                    return f"click[{visible(value).lower()}]"
        return "click[buy now]"

    def _place(self) -> int:
        """The place in the results of the product to buy."""
        if self.name.startswith("first result"):
            return 0
        if self.name.startswith("memory"):
            return _remembered_place(self.shop, self.wish.words)
        prices = [self.shop.catalog.get(position).price for position in self.shop._state.found]
        within = [place for place, price in enumerate(prices) if price <= self.wish.cap]
        if self.name.startswith("dearest"):
            return max(within[:PER_PAGE], key=lambda place: prices[place], default=0)
        return within[0] if within else 0

    def _named(self) -> dict[str, str]:
        """For each option of the open product the longest value that the instruction names."""
        options = self.shop._product().options
        fitting = {name: [value for value in values if self.wish.names(value)] for name, values in options.items()}
        return {name: max(values, key=len) for name, values in fitting.items() if values}


@cache
def _memory(world: Any) -> tuple[tuple[frozenset[str], int], ...]:
    """Words of train goals, and the places at which searches for their instructions brought up their products."""
    shop = world(split="train")
    goals = [shop.tasks("train")[index] for index in range(MEMORY)]
    known = []
    for goal in goals:
        found = shop.catalog.search(keywords(goal.instruction), 50)
        position = shop.catalog.position(goal.spec["asin"])
        known.append((frozenset(read_wish(goal.instruction).words), found.index(position) if position in found else 0))
    return tuple(known)


def _remembered_place(shop: WebShopEnv, words: tuple[str, ...]) -> int:
    """The place at which the product of the most similar train goal stood."""
    wanted = frozenset(words)
    world: Any = type(shop)
    known = _memory(world)
    return max(known, key=lambda one: len(one[0] & wanted) / (len(one[0] | wanted) or 1))[1]
