"""What the shopper wants: one immutable record per goal, in the terms of the published WebShop reward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agentgym.core.errors import TaskError
from agentgym.envs.web._shop.products import Product


@dataclass(frozen=True, slots=True)
class Goal:
    """One shopping goal (WebShop, Yao et al. 2022, section 3).

    Attributes:
        asin: The product the goal was written for.
        instruction: The goal in words; all that the agent sees of it.
        attributes: Hidden short properties the product should have; at least one.
        options: Option name to the wanted value. The original's human goals name values only; for these it is a tuple.
        price_upper: The highest accepted price in dollars; 1,000,000 where the instruction names no cap.
        query: The search phrase of the goal's own product.
        path: The category path of the goal's own product, from broad to narrow.
        name: The title of the goal's own product.
        brand: The maker that the instruction names, empty where it names none.

    Raises:
        TaskError: if there is no attribute, or the cap is not above zero.
    """

    asin: str
    instruction: str
    attributes: tuple[str, ...]
    options: Mapping[str, str] | tuple[str, ...]
    price_upper: float
    query: str
    path: tuple[str, ...]
    name: str
    brand: str = ""

    def __post_init__(self) -> None:
        if not self.attributes:
            raise TaskError(f"the goal for product {self.asin!r} has no attributes; give at least one")
        if not self.price_upper > 0:
            raise TaskError(
                f"the goal for product {self.asin!r} has the price cap {self.price_upper!r}; give dollars above 0, "
                "or 1000000 for no cap"
            )

    @classmethod
    def of(cls, product: Product, spec: Mapping[str, Any]) -> Goal:
        """The goal of a task.

        Args:
            product: The goal's own product.
            spec: The task's specification.
        """
        options = spec["options"]
        return cls(
            asin=product.asin,
            instruction=spec["instruction"],
            attributes=tuple(spec["attributes"]),
            options=dict(options) if isinstance(options, Mapping) else tuple(options),
            price_upper=float(spec["price_upper"]),
            query=product.query,
            path=product.path,
            name=product.title,
            brand=spec.get("brand", ""),
        )
