"""What a shopper thinks of one product: how likely it is the wanted one, and how good a purchase."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

from agentgym.envs.web._shop.products import Product

# How much less likely a product is the wanted one.
PLACE = 0.5  # standing twice as deep in the results
LACKS = 0.4  # not having shown a demand that unread pages may show
ABSENT = 4.0  # not speaking of a demand where its kin speak of their facts
TOO_DEAR = 3.0  # what a price above the cap takes from a purchase, in demands
UNNAMED = 2.0  # having an option the instruction speaks of, without the value it names


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the pages seen so far say of a product. All counts are of demands: phrases and words asked for.

    Attributes:
        product: The product.
        place: Its place in the results, from 0.
        opened: Whether its page was opened.
        unread: Sub-pages worth a look; none once the page of attributes was read, which holds what others only may.
        choices: For each option of the opened product the value the instruction names, where it names one.
        met: Demands that it meets.
        lacks: Demands that it has not shown to meet, and that unread pages may show.
        absent: Demands that it denies, that its open page does not offer, or of which its kin's features say nothing.
        small_talk: Those of `absent` of which no page says anything.
        ruled_out: Whether its price, its options or a denial rule it out.
        faults: What counts against a purchase besides.
    """

    product: Product
    place: int
    opened: bool
    unread: tuple[str, ...]
    choices: dict[str, str]
    met: int
    lacks: int
    absent: int
    small_talk: int
    ruled_out: bool
    faults: float

    @property
    def belief(self) -> float:
        """How likely it is the wanted product, compared with others."""
        against = PLACE * log2(1 + self.place) + LACKS * self.lacks + ABSENT * (self.absent - self.small_talk)
        return -against - 0.5 * self.small_talk - UNNAMED * self.faults

    @property
    def worth(self) -> float:
        """How good a purchase it is, if nothing more is read."""
        return self.met - self.faults + 0.3 * self.lacks - 0.1 * log2(1 + self.place)
