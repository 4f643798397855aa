"""Writes WebShop files of any size in the published format, with word statistics like those of a real shop.

Search speed hangs on how often the words of a query occur, so the texts are not drawn uniformly: word frequencies
follow Zipf's law over a vocabulary of some hundred thousand words whose common part is taken from real shopping
instructions, and the words of a product's title come from one real instruction, so that queries have near matches.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, TextIO

import numpy as np

_FUNCTION_WORDS = """
the and of to a in for is with it your on that are this you be or can from as will not have by an if at but no these
into their there then they was such more all our has so made
"""
FUNCTION_WORDS = _FUNCTION_WORDS.split()
COLORS = ["Black", "White", "Navy Blue", "Red", "Grey", "Beige", "Green", "Pink", "Light Brown", "Silver/Gold"]
SIZES = ["Small", "Medium", "Large", "X-Large", "XX-Large", "5.5", "6", "7 Wide", "12 Ounce (Pack of 6)", "27 x 40 in"]
SYLLABLES = ["ba", "co", "den", "fi", "gor", "ha", "lin", "mo", "nex", "pra", "qui", "ros", "sta", "tor", "ul", "vey"]
DEPARTMENTS = ["beauty", "electronics", "fashion", "garden", "grocery"]
BATCH = 2_000
ZIPF_EXPONENT = 1.05
ZIPF_SHIFT = 2.7  # Mandelbrot's correction for the commonest words
MADE_WORDS = 400_000


def made_word(number: int) -> str:
    """The `number`-th word of an endless vocabulary of pronounceable words."""
    syllables = []
    number += len(SYLLABLES) ** 2
    while number:
        number, digit = divmod(number, len(SYLLABLES))
        syllables.append(SYLLABLES[digit])
    return "".join(syllables)


class Texts:
    """Draws words by Zipf's law and topics from real instructions."""

    def __init__(self, instructions: list[str], rng: np.random.Generator) -> None:
        skip = set(FUNCTION_WORDS) | {"i", "am", "im", "looking", "want", "need", "would", "like", "find", "me", "my"}
        self.topics = [words for text in instructions if len(words := re.findall(r"[\w-]+", text.lower())) >= 4]
        self.topics = [[word for word in words if word not in skip] or words for words in self.topics]
        common = [word for word, _ in Counter(word for words in self.topics for word in words).most_common()]
        made = [made_word(number) for number in range(MADE_WORDS)]
        mixed = [word for pair in zip(common[200:], made, strict=False) for word in pair]
        vocabulary = FUNCTION_WORDS + common[:200] + mixed + made[len(mixed) // 2 :]
        weights = (np.arange(len(vocabulary)) + 1 + ZIPF_SHIFT) ** -ZIPF_EXPONENT
        self.vocabulary = np.array(vocabulary, dtype=object)
        self.cumulative = np.cumsum(weights / weights.sum())
        self.rng = rng

    def words(self, count: int) -> list[str]:
        """`count` words drawn by Zipf's law."""
        ranks = np.searchsorted(self.cumulative, self.rng.random(count)).clip(max=len(self.vocabulary) - 1)
        drawn: list[str] = self.vocabulary[ranks].tolist()
        return drawn


def product_record(number: int, topic: list[str], words: list[str], draws: list[int]) -> dict[str, Any]:
    """One product: `words` are its Zipf words, `draws` eight integers that decide everything else."""
    brand, description_length = words[0].title(), 60 + draws[0] % 41
    topic_part = [topic[(draws[1] + step) % len(topic)] for step in range(min(len(topic), 6 + draws[2] % 5))]
    title = " ".join([brand, *topic_part, *words[1:10], f"{words[10][:2].upper()}-{number % 99_991}"])
    body = words[11 : 11 + description_length]
    body[:: 7 + draws[3] % 4] = topic_part[:1] * len(body[:: 7 + draws[3] % 4])
    bullets = [" ".join(words[start : start + 14]).capitalize() for start in range(111, 181, 14)]
    low = 5 + draws[4] % 20_000 / 100
    colors = [{"value": COLORS[(draws[5] + step) % len(COLORS)], "image": None} for step in range(draws[5] % 4)]
    sizes = [{"value": SIZES[(draws[6] + step) % len(SIZES)], "image": None} for step in range(draws[6] % 5)]
    options = {name: values for name, values in (("Color", colors), ("Size", sizes)) if values}
    return {
        "asin": f"B{number:09d}",
        "name": title,
        "brand": f"Visit the {brand} Store",
        "category": DEPARTMENTS[draws[7] % len(DEPARTMENTS)],
        "query": " ".join(topic_part[:2]),
        "product_category": f"{topic_part[0].title()} › {topic_part[-1].title()} › {brand}",
        "full_description": " ".join(body),
        "small_description": bullets,
        "pricing": "" if draws[4] % 50 == 0 else f"${low:,.2f}" if draws[4] % 9 else f"${low:,.2f} - ${low * 1.5:,.2f}",
        "customization_options": options or None,
        "images": ["https://images.example/none.jpg"],
    }


def annotation(number: int, topic: list[str]) -> dict[str, Any]:
    """What the attribute file says of a product; one in ten has an instruction for synthetic goals."""
    attributes = [" ".join(topic[start : start + 2]) for start in range(0, min(len(topic), 6), 2)]
    if number % 10:
        return {"attributes": attributes}
    instruction = f"Find me {', '.join(attributes[:2])} {topic[-1]}"
    return {"attributes": attributes, "instruction": instruction, "instruction_attributes": attributes[:2]}


def _write_batch(texts: Texts, first: int, count: int, items: TextIO, annotations: TextIO) -> None:
    words = texts.words(count * 181)
    topics = texts.rng.integers(len(texts.topics), size=count).tolist()
    draws = texts.rng.integers(1 << 30, size=(count, 8)).tolist()
    for offset in range(count):
        number, topic = first + offset, texts.topics[topics[offset]]
        comma = ",\n" if number else ""
        record = product_record(number, topic, words[offset * 181 : (offset + 1) * 181], draws[offset])
        items.write(comma + json.dumps(record, ensure_ascii=False))
        annotations.write(f"{comma}{json.dumps(record['asin'])}: {json.dumps(annotation(number, topic))}")


def write_shop(folder: Path, products: int, instructions: list[str], seed: int = 0) -> tuple[Path, Path, Path]:
    """Write items, annotations and human instructions of `products` products; returns the three paths."""
    folder.mkdir(parents=True, exist_ok=True)
    items, notes, human = (folder / f"{name}.json" for name in ("items_shuffle", "items_ins_v2", "items_human_ins"))
    texts = Texts(instructions, np.random.default_rng(seed))
    with items.open("w", encoding="utf-8") as item_file, notes.open("w", encoding="utf-8") as note_file:
        item_file.write("[")
        note_file.write("{")
        for first in range(0, products, BATCH):
            _write_batch(texts, first, min(BATCH, products - first), item_file, note_file)
        item_file.write("]\n")
        note_file.write("}\n")
    by_asin: dict[str, list[dict[str, Any]]] = {}
    for number, text in enumerate(instructions):
        asin = f"B{number * max(1, products // len(instructions)) % products:09d}"
        words = text.split()
        record = {
            "asin": asin,
            "instruction": text,
            "instruction_attributes": words[-1:],
            "instruction_options": ["black"],
        }
        by_asin.setdefault(asin, []).append(record)
    human.write_text(json.dumps(by_asin), encoding="utf-8")
    return items, notes, human
