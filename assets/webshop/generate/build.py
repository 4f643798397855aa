"""Write the catalogue: `python -m agentgym.assets.webshop.generate.build [--check]`.

The same sources give the same bytes in any process: every product has its own stream, keyed by the words of its
type and its place in it, so that a change to one word table leaves all other products as they were.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

from agentgym.assets.webshop.generate.draft import Draft, draw_draft
from agentgym.assets.webshop.generate.model import Category, Draw, Kind
from agentgym.assets.webshop.generate.prose import write_bullets, write_description
from agentgym.assets.webshop.generate.reviews import write_reviews
from agentgym.assets.webshop.generate.tables import CATEGORIES
from agentgym.assets.webshop.generate.titles import write_title

SEED = 20260
COUNT = 1000
HOME = Path(__file__).resolve().parent.parent

_CHECKSUM_MODULE = '''"""Written by `generate.build`: what the shipped catalogue must hash to."""

CHECKSUM = "{digest}"
"""SHA-256 of `catalogue.json.gz`."""
'''

Record = dict[str, object]


def _key(text: str) -> int:
    """A number that depends on the text alone, in any process."""
    return zlib.crc32(text.encode())


def _identity(draft: Draft) -> tuple[object, ...]:
    """What two products must not share."""
    options = tuple((name, tuple(values)) for name, values in sorted(draft.options.items()))
    return (draft.kind.query, draft.brand, tuple(sorted(draft.attributes)), options)


def _asin(query: str, place: int) -> str:
    """Ten letters and digits, in the look of the marketplace's ids."""
    alphabet = "0123456789BCDFGHJKLMNPQRSTVWXYZ"
    draw = Draw(SEED, _key(query), place, 1)
    return "B0" + draw.pick("789CDB") + "".join(draw.pick(alphabet) for _ in range(7))


def _price_text(prices: tuple[float, float]) -> str:
    low, high = prices
    return f"${low:.2f}" if low >= high else f"${low:.2f} to ${high:.2f}"


def _record(draft: Draft, asin: str, title: str, draw: Draw) -> Record:
    """The product in the field names of the published catalogue."""
    bullets = write_bullets(draft, draw)
    description = write_description(draft, " ".join((title, *bullets)).lower(), draw)
    reviews = write_reviews(draft, draw)
    stars = [int(str(r["stars"])) for r in reviews]
    return {
        "asin": asin,
        "name": title,
        "category": draft.category.department,
        "query": draft.kind.query,
        "product_category": f"{draft.category.path} › {draft.kind.path}",
        "Brand": draft.brand,
        "pricing": _price_text(draft.prices),
        "attributes": list(draft.attributes),
        "customization_options": {n: [{"value": v} for v in values] for n, values in draft.options.items()},
        "small_description": bullets,
        "full_description": description,
        "average_rating": round(sum(stars) / len(stars), 1) if stars else None,
        "customer_reviews": reviews,
    }


def _products(category: Category, kind: Kind, count: int, titles: set[str]) -> Iterator[Record]:
    """`count` different products of one kind; a draw that repeats a product or a title is drawn again."""
    seen: set[tuple[object, ...]] = set()
    brands = Draw(SEED, _key(kind.query)).sample(category.brands, len(category.brands))
    for place in range(count):
        for attempt in range(1000):
            draw = Draw(SEED, _key(kind.query), place, 2, attempt)
            draft = draw_draft(category, kind, brands[place % len(brands)], draw)
            title = write_title(draft, draw)
            if _identity(draft) not in seen and title.lower() not in titles:
                break
        else:
            raise RuntimeError(f"the tables of {kind.query!r} are too small for {count} different products")
        seen.add(_identity(draft))
        titles.add(title.lower())
        yield _record(draft, _asin(kind.query, place), title, draw)


def generate() -> list[Record]:
    """All products, in an order that mixes the departments."""
    kinds = [(category, kind) for category in CATEGORIES for kind in category.kinds]
    share, extra = divmod(COUNT, len(kinds))
    titles: set[str] = set()
    records = [
        record
        for i, (category, kind) in enumerate(kinds)
        for record in _products(category, kind, share + (i < extra), titles)
    ]
    return Draw(SEED).sample(records, len(records))


_PAIRS = frozenset(
    ("jeans", "shorts", "joggers", "boxer briefs", "leggings", "pants", "sunglasses", "headphones", "earbuds")
)


def _name(category: Category, kind: Kind) -> dict[str, str]:
    """How people speak of a kind: its number, the setting they would mention, and its singular if it has one."""
    title = kind.titles.split("; ")[0].lower()
    if kind.mass or kind.query.endswith("candy"):
        number, noun = "mass", kind.query
    elif kind.plural:
        paired = category.setting == "shoes" or kind.noun in _PAIRS
        number, noun = "pair" if paired else "many" if kind.query.endswith("s") else "one", kind.query
    else:
        number, noun = "one", f"{kind.audience} {title}".strip() if re.search("[^s]s$", kind.query) else kind.query
    return {"number": number, "setting": category.setting, "noun": noun}


def phrasing() -> dict[str, dict[str, object]]:
    """What the instruction writer needs: how each attribute joins a noun, and how people speak of each name."""
    attributes: dict[str, object] = {}
    names: dict[str, object] = {}
    for category in CATEGORIES:
        for kind in category.kinds:
            for name in (n.strip().lstrip("!") for g in kind.attributes.split(",") for n in g.split("|")):
                attributes[name] = category.shape(name)
            names[kind.query] = _name(category, kind)
    return {"attributes": dict(sorted(attributes.items())), "names": dict(sorted(names.items()))}


def encode(content: object) -> bytes:
    """Compact UTF-8 JSON with a final newline."""
    return (json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def compress(content: bytes) -> bytes:
    """Gzip without name or time, so that equal content gives equal bytes under one zlib."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as file:
        file.write(content)
    return buffer.getvalue()


def main(arguments: list[str] | None = None) -> int:
    """Write the files, or with `--check` compare them with a rebuild; 1 if they differ."""
    parser = argparse.ArgumentParser(description="Write the catalogue of the shop from its word tables.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the shipped files differ")
    check = parser.parse_args(arguments).check
    catalogue, phrases = encode(generate()), encode(phrasing())
    packed, pairs = HOME / "catalogue.json.gz", HOME / "phrasing.json"
    if check:
        same = gzip.decompress(packed.read_bytes()) == catalogue and pairs.read_bytes() == phrases
        sys.stdout.write("the shipped files match\n" if same else "the shipped files differ: run the build again\n")
        return 0 if same else 1
    data = compress(catalogue)
    packed.write_bytes(data)
    pairs.write_bytes(phrases)
    digest = hashlib.sha256(data).hexdigest()
    (HOME / "checksum.py").write_text(_CHECKSUM_MODULE.format(digest=digest))
    sys.stdout.write(f"{COUNT} products, {len(data)} bytes, sha256 {digest}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
