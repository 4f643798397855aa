"""WebShop: find and buy the product that fits an instruction, in a shop of search, results and product pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, ClassVar

import numpy as np

from agentgym.assets.webshop import FAMILY, iterate_catalog
from agentgym.core.catalog import EnvCard
from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import EnvConfig, checked, object_schema, switch, whole
from agentgym.core.grammar import Call, Command, shorten
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.rng import task_generator
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Spec, Task
from agentgym.envs._kit.thoughts import ANSWER, ThinkingGrammar
from agentgym.envs.web import WEBSHOP
from agentgym.envs.web._shop.contest import FAMILIES, draw_goal, keywords, split_of
from agentgym.envs.web._shop.expert import Shopper
from agentgym.envs.web._shop.goals import Goal
from agentgym.envs.web._shop.in_memory import MemoryCatalog
from agentgym.envs.web._shop.loading import Catalog
from agentgym.envs.web._shop.markup import visible
from agentgym.envs.web._shop.pages import PER_PAGE, SUB_PAGES, Pages
from agentgym.envs.web._shop.products import Product
from agentgym.envs.web._shop.profile import (
    CHEAPEST,
    DRAWN,
    PRICES,
    Profile,
    check_profile,
    drawn_profile,
    given_profile,
    way_to_buy,
)
from agentgym.envs.web._shop.proposer import shop_proposer
from agentgym.envs.web._shop.reward import Reward, score
from agentgym.envs.web._shop.shortcuts import Shortcut
from agentgym.envs.web._shop.verdict import shop_judge

__all__ = ["State", "WebShopEnv", "generated_catalog", "shop_judge", "shop_proposer"]

FOUND = 50  # results of one search


@dataclass(slots=True)
class State:
    """Where the shopper is.

    Attributes:
        page: `start`, `results`, `item`, a sub-page, or `done`.
        query: The last search.
        found: Catalogue positions the search gave, best first.
        number: Page of results, from 1.
        product: Catalogue position of the open product, -1 if none was opened since the last search.
        chosen: Option name to chosen value of the open product.
        visited: Asins opened in this episode; `text_rich` shows them as clicked.
        read: What the agent has seen of each asin: `row` (in results), `item` and sub-pages. For the expert.
        paid: What the actions so far have cost.
    """

    page: str = "start"
    query: str = ""
    found: list[int] = field(default_factory=list)
    number: int = 1
    product: int = -1
    chosen: dict[str, str] = field(default_factory=dict)
    visited: list[str] = field(default_factory=list)
    read: dict[str, tuple[str, ...]] = field(default_factory=dict)
    paid: float = 0.0


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `WebShopEnv`."""

    observation_mode: str = field(default="text", compare=False)
    show_attributes: bool = switch(False, shapes_tasks=False)
    profile: Any = checked(None, check_profile, shapes_tasks=False)
    rerank: bool = switch(False, shapes_tasks=False)
    budget: int | None = whole(None, int(CHEAPEST), 1000, shapes_tasks=False)


class WebShopEnv(LanguageEnv):
    """Buy the product that fits an instruction.

    Description: a shop of 14,400 generated products in marketplace style, in families of twelve versions of one
    product, which share their words and differ in facts. The instruction names a kind of product and what its family
    contests: attributes, values of options (color, size, flavor), a device it must fit; and always a price cap.

    Observation: the page, in one of three modes rendered from one set of templates: `text` (visible strings joined by
    ` [SEP] `), `text_rich` (`[button] X [button_]`), `html`.

    Actions: `search[<words>]` from any page; `click[<button>]` for whatever the page shows: `back to search`, `next >`,
    `< prev`, a product's id, an option's value, `description`, `features`, `reviews`, `attributes` (where shown),
    `buy now`. A search gives at most 50 products, 10 a page. `think[<thought>]` is answered `OK.`: it changes nothing
    in the shop and takes a turn, as in ReAct's published runs.

    Reward: paid once, at `buy now`: `r_type * (attributes met + options met + [price <= cap]) / (all of them + 1)`.
    An attribute counts if the product lists it as a fact; that its pages mention or deny it does not. A maker whom the
    instruction names is one attribute more. A product of another kind has an `r_type` of 0.5 at most. Success is a
    reward of 1. The terms stand in `info["metrics"]`. The episode ends at the purchase or after 30 turns.

    Splits: `train` without end, `val` 300 goals, `test` 500, disjoint by product and by family.

    Oracle: searches for the title of the goal's product, chooses its options, buys. Expert: searches, compares what it
    reads with the instruction, listed facts and denials, and buys what fits best.

    Differences from the published environment, all deliberate: a generated catalogue; an attribute counts only if it is
    listed (there, any mention or a similar one does); an option counts only if its value was chosen under its name
    (there, `large` satisfies `x-large`); the kind counts (there, a department in common is enough); prices do not
    depend on load order; the page after the purchase shows the score and nothing of the hidden goal; `search[<a> ...]`
    and its like, which listed products by hidden attribute, are plain words; turns are limited.
    `AgentGym/WebShopOriginal-v0` keeps the published reward and reads the published files.

    Args:
        observation_mode: `text`, `text_rich` or `html`.
        show_attributes: Whether products have an `attributes` page that lists their attributes.
        profile: Who shops: `drawn` for each goal, or a mapping with any of `bought` (ids of products), `brands` and
            `spends` (dollars); told at the start of an episode. None for nobody in particular.
        rerank: Whether the results of a search come in the order of the profile: liked brands, kinds, departments and
            features of what was bought, and usual prices first.
        budget: What the actions of an episode may cost together, 3 or more, told with every page: a search 2, any
            other page 1, the choice of an option, a thought and the purchase nothing. One that costs more than is left
            is refused, and the episode ends when what is left leads to no purchase. What was spent stands in
            `info["costs"]`.

    Source: WebShop (Yao et al. 2022, arXiv:2207.01206); profile, order and budget after UA² in the retrofitted WebShop.
    """

    card: ClassVar[EnvCard] = WEBSHOP
    config = Config()
    grammar = ThinkingGrammar(
        [
            Command(
                "search[<words>]",
                "search the shop; works on every page and gives up to 50 products, 10 a page.",
                examples=("search[long sleeve red shirt]",),
            ),
            Command(
                "click[<button>]",
                "press a button or link of the page, named as the page shows it: a product id, an option value, "
                "back to search, next >, < prev, description, features, reviews, buy now.",
                examples=("click[buy now]", "click[< prev]", "click[x-large]"),
            ),
        ],
        rules="You are shopping. Find the product that fits the instruction, choose the options asked for, and buy it.",
        mark="think[",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "asin": {"type": "string", "minLength": 1, "maxLength": 20},
            "instruction": {"type": "string", "minLength": 1, "maxLength": 2000},
            "attributes": {"type": "array", "minItems": 1, "maxItems": 20, "items": {"type": "string", "minLength": 1}},
            "options": {"type": "object", "additionalProperties": {"type": "string"}},
            "price_upper": {"type": "number", "minimum": 0.01},
            "brand": {"type": "string", "minLength": 1, "maxLength": 200},
        },
        optional=("brand",),
    )
    admissible_complete: ClassVar[bool] = False  # searches have no list
    original_reward: ClassVar[bool] = False
    _state: State
    _shopper: Profile | None

    def _configured(self) -> None:
        shows = self.config.show_attributes
        self._pages = Pages(self.config.observation_mode, show_attributes=shows)
        self._sub_pages = SUB_PAGES if shows else tuple(name for name in SUB_PAGES if name != "attributes")
        self.catalog = self._open_catalog()
        given = self.config.profile
        if self.config.rerank and given is None:
            raise ConfigError(f"rerank orders results for a shopper: give a profile, such as {DRAWN!r}")
        self._shopper = None if given in (None, DRAWN) else given_profile(given, self.catalog)

    @classmethod
    def generate_from_seed(cls, config: Config, seed: int) -> Spec:
        """A goal for a product of the family of the `seed`, whatever the `config`: see `draw_goal`."""
        return draw_goal(generated_catalog(), seed % FAMILIES, task_generator(seed, cls.task_stream))

    @staticmethod
    def fits_seed(config: Config, split: str, seed: int) -> bool:
        """Whether the family of the `seed` belongs to the `split`, with all its products; `config` is not read."""
        return split_of(seed % FAMILIES) == split

    def _open_catalog(self) -> Catalog:
        return generated_catalog()

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The product with the attributes and options asked for, whatever the words and the price cap."""
        return fingerprint([spec["asin"], sorted(spec["attributes"]), sorted(spec["options"].items())])

    def check_task(self, spec: Spec) -> None:
        """The product must be in the catalogue, offer the options, and be of the brand if one is named."""
        position = self.catalog.position(spec["asin"])
        if position is None:
            raise TaskError(f"{self.card.id}: no product {shorten(spec['asin'])!r} is in the catalogue")
        product = self.catalog.get(position)
        offered, brand = product.options, spec.get("brand", product.brand)
        if brand != product.brand:
            raise TaskError(f"{self.card.id}: {spec['asin']} is made by {product.brand!r}, not by {shorten(brand)!r}")
        for name, value in spec["options"].items():
            if value not in offered.get(name, ()):
                have = ", ".join(offered) or "none"
                raise TaskError(
                    f"{self.card.id}: {spec['asin']} has no option {shorten(name)!r} with value {shorten(value)!r}; "
                    f"its options are: {have}"
                )

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return str(spec["instruction"])

    def _reset(self, task: Task) -> str:
        self._goal = self._goal_of(task.spec)
        self._state = State()
        if self.config.profile == DRAWN:
            self._shopper = drawn_profile(self._goal.asin, self.catalog)
        told = f"{self._shopper.told()}\n" if self._shopper is not None else ""
        return told + self._view()

    def _goal_of(self, spec: Spec) -> Goal:
        position = self.catalog.position(spec["asin"])
        if position is None:
            raise TaskError(f"{self.card.id}: no product {spec['asin']!r} is in the catalogue")
        return Goal.of(self.catalog.get(position), spec)

    # Playing.

    def _step(self, call: Call) -> Outcome:
        if call.name == "search":
            return self._paid(PRICES["search"], lambda: self._search(call["words"]))
        if call.name == "think":
            return Outcome(ANSWER)
        button = visible(call["button"]).lower()
        buttons = self._buttons()
        if button not in buttons:
            return self.refuse(_no_such_button(button, buttons))
        kind, value = buttons[button]
        price = 0.0 if kind in FREE else PRICES["load"]
        return self._paid(price, lambda: CLICKS[kind](self, value))

    def _paid(self, price: float, act: Callable[[], Outcome]) -> Outcome:
        """Do what has a price, if the budget has it."""
        state, budget = self._state, self.config.budget
        if budget is not None and state.paid + price > budget:
            return self.refuse(f"This costs {price:g}, and {budget - state.paid:g} of the budget is left.")
        state.paid += price
        outcome = act()
        outcome.costs = {"cost": price}
        outcome.spent = budget is not None and state.paid + way_to_buy(state.page, state.found) > budget
        return outcome

    def _search(self, words: str) -> Outcome:
        state = self._state
        state.query = " ".join(words.lower().split())
        state.found = self.catalog.search(state.query, FOUND)
        if self.config.rerank and self._shopper is not None:
            state.found = self._shopper.reordered(state.found, self.catalog)
        state.page, state.number, state.product, state.chosen = "results", 1, -1, {}
        return self._shown({"type": "search", "query": state.query, "results": len(state.found)})

    def _click_back(self, _: str) -> Outcome:
        state = self._state
        state.page, state.query, state.found, state.number, state.product, state.chosen = "start", "", [], 1, -1, {}
        return self._shown({"type": "navigate", "page": "start"})

    def _click_results(self, _: str) -> Outcome:
        self._state.page = "results"
        return self._shown({"type": "navigate", "page": f"results {self._state.number}"})

    def _click_turn(self, step: int) -> Outcome:
        self._state.number += step
        return self._shown({"type": "navigate", "page": f"results {self._state.number}"})

    def _click_product(self, position: int) -> Outcome:
        state = self._state
        state.page, state.product, state.chosen = "item", position, {}
        asin = self._product().asin
        if asin not in state.visited:
            state.visited.append(asin)
        return self._shown({"type": "navigate", "page": f"item {asin}"})

    def _click_option(self, name_and_value: tuple[str, str]) -> Outcome:
        name, value = name_and_value
        self._state.chosen[name] = value
        return self._shown({"type": "choose", "option": name, "value": value})

    def _click_page(self, name: str) -> Outcome:
        self._state.page = name
        return self._shown({"type": "navigate", "page": name})

    def _click_buy(self, _: str) -> Outcome:
        product, chosen = self._product(), self._state.chosen
        reward = score(product, self._goal, chosen, original=self.original_reward)
        self._state.page = "done"
        event = {"type": "purchase", "asin": product.asin, "options": dict(chosen), "price": product.price}
        return Outcome(
            self._pages.done(reward.total),
            reward=reward.total,
            terminated=True,
            success=reward.total == 1.0,
            progress=reward.total,
            events=(event,),
            metrics=_metrics(reward),
        )

    def _shown(self, event: Mapping[str, Any]) -> Outcome:
        return Outcome(self._view(), events=(event,))

    def _view(self) -> str:
        budget, page = self.config.budget, self._page_in_words()
        return page if budget is None else f"{page}\nBudget: {budget - self._state.paid:g} of {budget} is left."

    def _page_in_words(self) -> str:
        state, pages, instruction = self._state, self._pages, self.task_instruction
        if state.page == "start":
            return pages.start(instruction)
        if state.page == "results":
            products = [self.catalog.get(position) for position in self._on_page()]
            self._remember((product.asin for product in products), "row")
            return pages.results(instruction, state.query, state.number, len(state.found), products, state.visited)
        product = self._product()
        self._remember((product.asin,), state.page)
        if state.page == "item":
            return pages.item(instruction, product, state.chosen)
        return pages.sub_page(instruction, product, state.page)

    @property
    def task_instruction(self) -> str:
        """The instruction of the goal being played."""
        return self._goal.instruction

    def _remember(self, asins: Iterable[str], what: str) -> None:
        read = self._state.read
        for asin in asins:
            seen = read.get(asin, ())
            if what not in seen:
                read[asin] = (*seen, what)

    def _product(self) -> Product:
        return self.catalog.get(self._state.product)

    def _on_page(self) -> list[int]:
        return self._state.found[(self._state.number - 1) * PER_PAGE : self._state.number * PER_PAGE]

    def _buttons(self) -> dict[str, tuple[str, Any]]:
        """What can be clicked: name in lower case, to the kind of click and its value; in the order of the page."""
        state = self._state
        if state.page in ("start", "done"):
            return {}
        buttons: dict[str, tuple[str, Any]] = {"back to search": ("back", "")}
        if state.page == "results":
            if state.number > 1:
                buttons["< prev"] = ("turn", -1)
            if state.number * PER_PAGE < len(state.found):
                buttons["next >"] = ("turn", 1)
            for position in self._on_page():
                buttons[self.catalog.get(position).asin.lower()] = ("product", position)
            return buttons
        if state.page != "item":
            buttons["< prev"] = ("page", "item")
            return buttons
        buttons["< prev"] = ("results", "")
        for name, values in self._product().options.items():
            for value in values:
                self._add_option(buttons, name, value)
        for name in self._sub_pages:
            buttons[name] = ("page", name)
        buttons["buy now"] = ("buy", "")
        return buttons

    def _add_option(self, buttons: dict[str, tuple[str, Any]], name: str, value: str) -> None:
        """The button of an option value. Where two options share a value, it sets the first that has another value."""
        button = visible(value).lower()
        taken = buttons.get(button)
        if taken is None or (taken[0] == "option" and self._state.chosen.get(taken[1][0]) == taken[1][1]):
            buttons[button] = ("option", (name, value))

    # Players and state.

    def in_own_words(self, action: str) -> str:
        """The next action of this world towards a search or a click of the shop in text: itself."""
        return action

    def _admissible(self) -> list[str]:
        clicks = [f"click[{button}]" for button in self._buttons()]
        return clicks or [f"search[{keywords(self.task_instruction)}]"]

    def _sample(self, rng: np.random.Generator) -> str:
        if self._state.page != "start":
            clicks = list(self._buttons())
            return f"click[{clicks[int(rng.integers(len(clicks)))]}]"
        words = keywords(self.task_instruction).split()
        begin = int(rng.integers(len(words)))
        return f"search[{' '.join(words[begin : begin + int(rng.integers(1, 6))])}]"

    def _oracle(self) -> str:
        state, target = self._state, self.catalog.position(self._goal.asin)
        assert target is not None
        if state.page in self._sub_pages and state.product == target:
            return "click[< prev]"
        if state.page == "item" and state.product == target:
            for name, value in self._wanted_options().items():
                if state.chosen.get(name) != value:
                    return f"click[{visible(value).lower()}]"
            return "click[buy now]"
        if state.page == "results" and target in self._on_page():
            return f"click[{self._goal.asin.lower()}]"
        if state.page == "results" and target in state.found:
            return "click[next >]" if state.found.index(target) >= state.number * PER_PAGE else "click[< prev]"
        return f"search[{_query_for(self.catalog, target)}]"

    def _wanted_options(self) -> Mapping[str, str]:
        """The goal's options as the goal's product spells them."""
        assert isinstance(self._goal.options, Mapping)
        return self._goal.options

    def _expert(self) -> str:
        turns = self.max_turns - self.turn
        return Shopper(self.task_instruction, self.catalog, self._state, turns, self._sub_pages).act()

    def _shortcut(self, name: str) -> str:
        return Shortcut(self, name).act()

    def _reference(self) -> dict[str, Any]:
        """The product and options to buy, and what they must fulfil."""
        goal = self._goal
        options = dict(goal.options) if isinstance(goal.options, Mapping) else list(goal.options)
        return {
            "asin": goal.asin,
            "options": options,
            "attributes": list(goal.attributes),
            "price_upper": goal.price_upper,
        }

    def _key_state(self) -> Any:
        state = self._state
        where = [state.page, state.query, state.found, state.number, state.product, state.chosen, state.visited]
        return [*where, state.paid] if self.config.budget is not None else where


CLICKS: dict[str, Callable[[WebShopEnv, Any], Outcome]] = {
    "back": WebShopEnv._click_back,
    "results": WebShopEnv._click_results,
    "turn": WebShopEnv._click_turn,
    "product": WebShopEnv._click_product,
    "option": WebShopEnv._click_option,
    "page": WebShopEnv._click_page,
    "buy": WebShopEnv._click_buy,
}


FREE = ("option", "buy")  # clicks that load no page


def _metrics(reward: Reward) -> dict[str, float]:
    return {
        "r_type": reward.type,
        "r_att": reward.attributes,
        "r_option": reward.options,
        "r_price": reward.price,
    }


def _no_such_button(button: str, buttons: Mapping[str, Any]) -> str:
    if not buttons:
        return f"There is no {shorten(button)!r} to click: this page has only a search box. Use search[<words>]"
    shown = list(buttons)
    more = f" and {len(shown) - 40} more" if len(shown) > 40 else ""
    return f"There is no {shorten(button)!r} to click on this page. It has: {', '.join(shown[:40])}{more}"


@lru_cache(maxsize=4096)
def _query_for(catalog: Catalog, target: int) -> str:
    """A search that finds a product: its title, or as much of its text as puts it among the results."""
    product = catalog.get(target)
    texts = [product.title, *product.bullets[:1], " ".join(" ".join(values) for values in product.options.values())]
    for end in range(1, len(texts) + 1):
        query = keywords(visible(" ".join(texts[:end])))[:1500]
        if target in catalog.search(query, FOUND):
            return query
    raise TaskError(f"no search finds product {product.asin!r}; it cannot be bought")


@cache
def generated_catalog() -> Catalog:
    """The generated products with their search index, read once per process."""
    return MemoryCatalog.from_records(iterate_catalog(), FAMILY)
