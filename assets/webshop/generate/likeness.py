"""How near the shop's instructions come to people's: `python -m agentgym.assets.webshop.generate.likeness FILE`.

FILE holds instructions that people wrote, a JSON list of texts such as `human_goals.json` of WebShop. Compared are the
words before the price clause, which the published software puts behind people's instructions as this shop does behind
its own. The classifier is multinomial naive Bayes over words with add-one smoothing and equal priors, fitted on four
fifths of the instructions of both kinds, its accuracy measured on the other fifth, five times over. Instructions that
come twice stay on both sides. It is fitted as well on instructions in which the words of products are
masked: what is left is how people ask, without what they ask for.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log
from pathlib import Path
from typing import Any

import numpy as np

SAMPLE = 5000
FOLDS = 5
_WORD = re.compile(r"[a-z0-9]+(?:[.'/&%-][a-z0-9]+)*")
_PRICE = re.compile(r", and price lower than [\d.]+ dollars$")


def words_of(instruction: str) -> list[str]:
    """The words of an instruction in lower case, without its price clause."""
    return _WORD.findall(_PRICE.sub("", instruction).lower())


def figures(instructions: Sequence[str]) -> dict[str, float]:
    """Word types, the share of them that occur once, and words per instruction: mean, and 5, 50 and 95 % quantiles."""
    counts = Counter(word for text in instructions for word in words_of(text))
    lengths = np.array([len(words_of(text)) for text in instructions])
    low, middle, high = (float(value) for value in np.quantile(lengths, [0.05, 0.5, 0.95]))
    once = sum(count == 1 for count in counts.values())
    return {
        "types": len(counts),
        "once": round(once / len(counts), 3),
        "mean": round(float(lengths.mean()), 2),
        "q05": low,
        "q50": middle,
        "q95": high,
    }


def told_apart(one: Sequence[str], other: Sequence[str], seed: int = 0) -> float:
    """Share of instructions that naive Bayes gives to the right side, on folds that it was not fitted on.

    Args:
        one: Instructions of one kind.
        other: As many of another.
        seed: Of the folds.
    """
    texts = [words_of(text) for text in (*one, *other)]
    sides = [0] * len(one) + [1] * len(other)
    folds = np.random.default_rng(seed).permutation(len(texts)) % FOLDS
    right = 0
    for fold in range(FOLDS):
        counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        for text, side, its in zip(texts, sides, folds, strict=True):
            if its != fold:
                counts[side].update(text)
        weights = _log_ratios(*counts)
        for text, side, its in zip(texts, sides, folds, strict=True):
            if its == fold:
                right += (sum(weights.get(word, 0.0) for word in text) > 0) == bool(side)
    return right / len(texts)


def _log_ratios(one: Counter[str], other: Counter[str]) -> dict[str, float]:
    """For each word the logarithm of how much likelier it is on the other side."""
    known = one.keys() | other.keys()
    sizes = sum(one.values()) + len(known), sum(other.values()) + len(known)
    return {word: log((other[word] + 1) / sizes[1]) - log((one[word] + 1) / sizes[0]) for word in known}


def _small_words() -> frozenset[str]:
    """Function words, and words of an instruction that say nothing about the product."""
    folder = Path(__file__).parents[1] / "words"
    lines = [line for name in ("function_words", "talk") for line in (folder / f"{name}.txt").read_text().splitlines()]
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def masked(instructions: Sequence[str]) -> list[str]:
    """The instructions with `thing` for every word that is neither a function word nor talk, and `9` for numbers."""
    kept = _small_words()
    return [
        " ".join(word if word in kept else "9" if word[0].isdigit() else "thing" for word in words_of(text))
        for text in instructions
    ]


def read_people(path: Path, count: int = SAMPLE, seed: int = 0) -> list[str]:
    """A sample of the instructions that people wrote.

    Args:
        path: A JSON list of texts.
        count: How many.
        seed: Of the sample.
    """
    texts: list[str] = json.loads(path.read_text(encoding="utf8"))
    return [texts[int(place)] for place in np.random.default_rng(seed).permutation(len(texts))[:count]]


def report(people: Sequence[str], ours: Sequence[str]) -> Iterable[str]:
    """The figures as lines.

    Args:
        people: Instructions that people wrote.
        ours: As many of the shop's.
    """
    yield f"people: {figures(people)}"
    yield f"shop: {figures(ours)}"
    yield f"naive Bayes tells them apart in {told_apart(people, ours):.3f} (held-out folds)"
    yield f"with the words of products masked in {told_apart(masked(people), masked(ours)):.3f}"


def main(arguments: Sequence[str]) -> int:
    """Print the figures for the first `SAMPLE` train goals of the shop."""
    import gymnasium

    if len(arguments) != 1:
        sys.stderr.write("give the file of people's instructions, a JSON list of texts\n")
        return 2
    shop: Any = gymnasium.make("agentgym:AgentGym/WebShop-v1", split="train").unwrapped
    panel = shop.tasks("train")
    ours = [panel[index].instruction for index in range(SAMPLE)]
    sys.stdout.write("\n".join(report(read_people(Path(arguments[0])), ours)) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
