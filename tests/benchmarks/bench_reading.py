"""Measures the defence of every grammar: what reading the worst action of 2,048 characters costs.

    python tests/benchmarks/bench_reading.py [ID ...]

Of every world that this process plays by itself. Each attack of the conformance suite (every word and slot of the
grammar, repeated in every place) is read once, and the ten slowest again, three times each; the figure is the slowest
of their best. Ends with an error if a world needs more than `MOST` milliseconds: it is no speed but a defence.
"""

from __future__ import annotations

import sys
import time

import agentgym
from agentgym.conformance.reading import LENGTH, attacks
from agentgym.core import EnvCard, drive
from agentgym.envs import CARDS

MOST = 10.0  # milliseconds of processor time
AGAIN, TIMES = 10, 3


def slowest(card: EnvCard) -> tuple[float, int]:
    """Milliseconds of processor time that the costliest attack on a world's reading takes, and how many were tried."""
    driver = drive(agentgym.make(card.id))
    try:
        driver.reset(seed=0)
        player = driver.to_act[0]
        length = min(LENGTH, driver.world.action_length)

        def cost(text: str) -> float:
            begin = time.process_time()
            driver.world.parse(text, player)
            return time.process_time() - begin

        texts = [attack(length) for group in attacks(driver.world) for attack in group]
        worst = sorted(texts, key=cost, reverse=True)[:AGAIN]
        return 1000 * max(min(cost(text) for _ in range(TIMES)) for text in worst), len(texts)
    finally:
        driver.world.close()


def main() -> None:
    """Print one row for each world, the slowest last."""
    asked = set(sys.argv[1:])
    cards = [card for card in CARDS if card.snapshot == "copy" and not card.requires and not card.program]
    unknown = asked - {card.id for card in cards}
    if unknown:
        sys.exit(f"{', '.join(sorted(unknown))}: no world that plays by itself; known: agentgym list")
    measured = {card.id: slowest(card) for card in cards if not asked or card.id in asked}
    print(f"| {'world':32} | attacks | slowest, ms |")
    print(f"|{'-' * 34}|--------:|------------:|")
    for name, (cost, count) in sorted(measured.items(), key=lambda item: item[1]):
        print(f"| {name:32} | {count:7,} | {cost:11.2f} |")
    over = [name for name, (cost, _) in measured.items() if cost > MOST]
    if over:
        sys.exit(f"over {MOST:g} ms: {', '.join(over)}; make the grammar linear (agentgym/conformance/reading.py)")


if __name__ == "__main__":
    main()
