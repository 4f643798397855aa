"""Small files in the published WebShop formats, made from the generated catalogue, to test what reads the originals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.assets.webshop import load_catalog
from agentgym.assets.webshop.instructions import phrase

PRODUCTS = 300
PLAIN = ("size", "scent", "flavor name")  # options whose values the published reward compares without its colour rule


def published_files(folder: str | Path) -> dict[str, str]:
    """Write 300 products with attributes and one human instruction each; return the arguments of `WebShopOriginal`."""
    folder = Path(folder)
    rng = np.random.default_rng(0)
    items: list[dict[str, Any]] = []
    annotations: dict[str, Any] = {}
    human: dict[str, Any] = {}
    records = [record for record in load_catalog()[::7] if len(record["customization_options"]) > 1]
    for record in records[:PRODUCTS]:
        asin, attributes = record["asin"], record["attributes"][:2]
        options = {
            name: choices[int(rng.integers(len(choices)))]["value"]
            for name, choices in record["customization_options"].items()
            if name in PLAIN
        }
        words = phrase(rng, name=record["query"], attributes=attributes, options=options, price_upper=None)
        items.append({key: value for key, value in record.items() if key != "attributes"})
        annotations[asin] = {
            "attributes": record["attributes"],
            "instruction": f"Find me {' '.join(attributes)} {record['query']}",
            "instruction_attributes": attributes,
        }
        human[asin] = [
            {
                "asin": asin,
                "instruction": words,
                "instruction_attributes": attributes,
                "instruction_options": list(options.values()),
            }
        ]
    contents = {"products": items, "attributes": annotations, "goals": human}
    names = {"products": "items_shuffle.json", "attributes": "items_ins_v2.json", "goals": "items_human_ins.json"}
    for kind, content in contents.items():
        (folder / names[kind]).write_text(json.dumps(content), encoding="utf8")
    return {kind: str(folder / name) for kind, name in names.items()}
