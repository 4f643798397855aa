"""Buying and selling one used thing: what is sold, at what limits, and scripted buyers and sellers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

GOODS: dict[str, tuple[int, int]] = {  # what a used one goes for, in dollars, from worn to as new
    "mountain bike": (120, 480), "city bike": (60, 260), "child's bike": (25, 110), "road bike": (180, 900),
    "acoustic guitar": (60, 340), "digital piano": (180, 760), "violin": (120, 620), "record player": (45, 240),
    "bookcase": (20, 140), "oak desk": (60, 320), "office chair": (25, 210), "leather sofa": (140, 820),
    "dining table": (70, 420), "bunk bed": (80, 330), "chest of drawers": (35, 220), "floor lamp": (10, 80),
    "laptop": (160, 840), "tablet": (70, 390), "phone": (80, 560), "monitor": (45, 260),
    "printer": (20, 120), "game console": (90, 380), "camera": (110, 720), "telescope": (70, 430),
    "washing machine": (90, 390), "refrigerator": (110, 520), "coffee machine": (35, 310), "sewing machine": (50, 270),
    "lawn mower": (45, 290), "cordless drill": (20, 130), "ladder": (25, 120), "tool chest": (40, 230),
    "tent": (35, 280), "kayak": (150, 740), "surfboard": (90, 460), "pair of skis": (50, 370),
    "pram": (40, 360), "car seat": (20, 150), "dollhouse": (25, 160), "model railway": (60, 450),
    "trailer": (200, 880), "motor scooter": (380, 1900), "small car": (1400, 7200), "camper van": (5200, 26000),
    "aquarium": (30, 240), "dog kennel": (20, 130), "greenhouse": (120, 690), "garden bench": (25, 170),
}  # fmt: skip
CONDITIONS = ("nearly new", "well kept", "in fair condition", "with a few scratches", "used daily", "in need of care")
REASONS = ("before a move", "by its first owner", "from an estate", "after a long summer", "to make room")
EDGE = 0.7  # a limit lies in the nearer part of this size of what such things go for


@dataclass(frozen=True, slots=True)
class Known:
    """What a player knows.

    Attributes:
        sells: Whether it is the seller.
        limit: The least it may take, or the most it may pay, without a loss.
        low, high: What such things go for.
        left: Moves of both that are left, this one included.
        moves: Moves of both in a whole negotiation.
        mine: Prices it has named, latest last.
        theirs: Prices the other has named, latest last.
        open: Whether the other's latest price can be accepted.
    """

    sells: bool
    limit: int
    low: int
    high: int
    left: int
    moves: int
    mine: tuple[int, ...]
    theirs: tuple[int, ...]
    open: bool

    def gain(self, price: int) -> int:
        """What a price is worth to the player, in dollars over its limit."""
        return price - self.limit if self.sells else self.limit - price

    def asking(self, share: float) -> int:
        """A price between the player's limit (0) and the far end of what such things go for (1)."""
        far = max(self.high, self.limit) if self.sells else min(self.low, self.limit)
        return round(self.limit + (far - self.limit) * share)


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Names any price that such things go for, and now and then accepts, talks or waits.

    Of `known` it uses what such things go for and whether it can accept; the rest is thrown with `rng`.
    """
    luck = rng.random()
    if known.open and luck < 0.1:
        return "accept"
    if luck < 0.2:
        return ("pass", "say It is a fair price.", "say What is your best price?")[int(rng.integers(3))]
    return f"offer {int(rng.integers(known.low, known.high + 1))}"


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """Begins at the far end and gives way evenly to its limit, whatever the other does.

    The price follows from `known`; `rng` picks the words with it.
    """
    price = known.asking(min(1.0, (known.left - 1) / (known.moves - 1)))
    if known.open and known.gain(known.theirs[-1]) >= max(0, known.gain(price)):
        return "accept"
    if known.left == 1:
        return "pass"
    words = ("", " saying That is what I can do.", " saying I came your way, now you come mine.")
    return f"offer {price}{words[int(rng.integers(len(words)))]}"


def strong_opponent(known: Known, rng: np.random.Generator) -> str:
    """Gives way late, guesses from the other's prices how far it will come, and takes any gain in the end.

    The price follows from `known`; `rng` picks the words with it.
    """
    offered = known.gain(known.theirs[-1]) if known.open else 0
    if known.left <= 2:
        if offered > 0:
            return "accept"
        if known.left == 1:
            return "pass"
    late = known.left <= 3
    aim = known.gain(known.asking(0.04 if late else 1 - 0.7 * (1 - (known.left - 2) / known.moves) ** 4))
    reach = expected_reach(known)
    if reach is not None:
        aim = min(max(aim, known.gain(reach)), known.gain(known.asking(1)))
    aim = max(aim, offered) if late else aim
    if not late and offered > 0 and offered >= aim:
        return "accept"
    price = known.limit + aim if known.sells else known.limit - aim
    return f"offer {price}{_words(known, price, rng)}"


def expected_reach(known: Known) -> int | None:
    """The price the other will come to if it goes on giving way as it did; None before it has named two."""
    if len(known.theirs) < 2:
        return None
    step = (known.theirs[-1] - known.theirs[0]) / (len(known.theirs) - 1)
    if (step > 0) != known.sells or step == 0:
        return None
    return round(known.theirs[-1] + step * (known.left // 2))


def _words(known: Known, price: int, rng: np.random.Generator) -> str:
    """Words for a price that was not named before; they give away no limit."""
    if price in known.mine:
        return ""
    if known.sells:
        words = (
            f"It is worth every dollar of {price}.",
            f"Others have asked about it. {price}, and it is yours.",
            f"They go for up to {known.high}, so {price} is fair.",
        )
    else:
        words = (
            f"I can pay {price} today, in cash.",
            f"I have seen them from {known.low}. {price} is a good offer.",
            f"For {price} I will come and fetch it.",
        )
    return f" saying {words[int(rng.integers(len(words)))]}"


def drawn(rng: np.random.Generator) -> dict[str, int | str]:
    """A thing for sale and the two limits: the seller's in the lower part of its prices, the buyer's in the upper."""
    names = list(GOODS)
    name = names[int(rng.integers(len(names)))]
    cheap, dear = GOODS[name]
    low = round(cheap * (1 + rng.random()))
    high = round(max(dear * (0.55 + 0.45 * rng.random()), low * 1.6))
    span = (high - low) * EDGE
    return {
        "thing": name,
        "condition": CONDITIONS[int(rng.integers(len(CONDITIONS)))],
        "reason": REASONS[int(rng.integers(len(REASONS)))],
        "low": low,
        "high": high,
        "cost": low + int(rng.integers(round(span) + 1)),
        "value": high - int(rng.integers(round(span) + 1)),
    }
