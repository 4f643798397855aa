"""Figures about the catalogue and a sample to read: `python -m agentgym.assets.webshop.generate.report --sample 30`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from agentgym.assets.webshop import attribute_pool, load_catalog
from agentgym.assets.webshop.instructions import phrase

PHRASINGS = 5000

Record = dict[str, Any]


def sample_instruction(record: Mapping[str, Any], rng: np.random.Generator) -> str:
    """An instruction for a product: up to three attributes, one value of each option, a cap above the price.

    Args:
        record: A product of the catalog.
        rng: Where chance comes from.
    """
    attributes = list(record["attributes"])
    wanted = [attributes[i] for i in sorted(rng.permutation(len(attributes))[: int(rng.integers(1, 4))])]
    options = {n: v[int(rng.integers(len(v)))]["value"] for n, v in record["customization_options"].items()}
    price = float(record["pricing"].split("$")[-1])
    cap = 10.0 * (int(price // 10) + int(rng.integers(1, 5)))
    return phrase(rng, name=record["query"], attributes=wanted, options=options, price_upper=cap)


def four_grams(texts: Sequence[str]) -> set[tuple[str, ...]]:
    """The distinct runs of four words."""
    return {tuple(words[i : i + 4]) for words in map(str.split, texts) for i in range(len(words) - 3)}


def statistics(records: Sequence[Record], seed: int = 0) -> dict[str, object]:
    """How varied the catalogue and its instructions are; the keys say what is counted.

    Args:
        records: The products.
        seed: Of the instructions drawn.
    """
    rng = np.random.default_rng(seed)
    texts = [sample_instruction(records[i % len(records)], rng) for i in range(PHRASINGS)]
    figures: dict[str, object] = {
        "products": len(records),
        "distinct titles": len({r["name"].lower() for r in records}),
        "distinct attributes": len(attribute_pool(records)),
        "brands": len({r["Brand"] for r in records}),
        "product types (queries)": len({r["query"] for r in records}),
        "categories": len({r["product_category"].rsplit(" › ", 1)[0] for r in records}),
        "category paths": len({r["product_category"] for r in records}),
        "option names": len({n for r in records for n in r["customization_options"]}),
        "option values": len({v["value"] for r in records for vs in r["customization_options"].values() for v in vs}),
        "option combinations": sum(
            int(np.prod([len(v) for v in r["customization_options"].values()], dtype=int)) for r in records
        ),
        "distinct bullets": len({b for r in records for b in r["small_description"]}),
        "reviews": sum(len(r["customer_reviews"]) for r in records),
        "distinct review texts": len({v["review"] for r in records for v in r["customer_reviews"]}),
        f"distinct instructions of {PHRASINGS}": len(set(texts)),
        f"instruction 4-grams of {PHRASINGS}": len(four_grams(texts)),
        "mean words per instruction": round(sum(len(t.split()) for t in texts) / len(texts), 1),
    }
    for department in sorted({r["category"] for r in records}):
        prices = [float(r["pricing"].split("$")[1].split(" ")[0]) for r in records if r["category"] == department]
        quantiles = np.quantile(prices, [0.05, 0.25, 0.5, 0.75, 0.95])
        figures[f"dollars at 5/25/50/75/95 %, {department}"] = " ".join(f"{q:.2f}" for q in quantiles)
    return figures


def describe(record: Record, instruction: str) -> Iterator[str]:
    """A product as lines to read.

    Args:
        record: The product.
        instruction: An instruction that asks for it.
    """
    yield f"== {record['asin']}  {record['query']}  [{record['product_category']}]"
    yield record["name"]
    yield f"   {record['pricing']}  stars {record['average_rating']}  {', '.join(record['attributes'])}"
    for name, values in record["customization_options"].items():
        yield f"   {name}: {', '.join(v['value'] for v in values)}"
    yield from (f"   * {bullet}" for bullet in record["small_description"])
    yield f"   {record['full_description']}"
    for review in record["customer_reviews"][:4]:
        yield f"   ({review['stars']}) {review['title']}: {review['review']} - {review['reviewer']}"
    yield f"   > {instruction}"


def main(arguments: list[str] | None = None) -> int:
    """Write the figures, then a sample of products with an instruction each."""
    parser = argparse.ArgumentParser(description="Figures about the shop's catalogue and a sample to read.")
    parser.add_argument("--sample", type=int, default=30, help="how many products to print")
    parser.add_argument("--seed", type=int, default=0, help="seed of the sample and of the phrasings")
    options = parser.parse_args(arguments)
    records = load_catalog()
    for name, figure in statistics(records, options.seed).items():
        sys.stdout.write(f"{name}: {figure}\n")
    rng = np.random.default_rng(options.seed)
    for place in rng.permutation(len(records))[: options.sample]:
        record = records[int(place)]
        sys.stdout.write("\n".join(describe(record, sample_instruction(record, rng))) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
