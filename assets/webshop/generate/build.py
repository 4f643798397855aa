"""Write the catalogue: `python -m agentgym.assets.webshop.generate.build [--check]`.

The same sources give the same bytes in any process: every family has its own stream, keyed by the words of its
type and its place in it, so that a change to one word table leaves all other families as they were.
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

from agentgym.assets.webshop.generate.demand import families_of
from agentgym.assets.webshop.generate.families import Family, draw_family
from agentgym.assets.webshop.generate.fits import FITS
from agentgym.assets.webshop.generate.model import Category, Draw, Kind
from agentgym.assets.webshop.generate.tables import CATEGORIES

SEED = 20260
FAMILIES = 1200
HOME = Path(__file__).resolve().parent.parent

_CHECKSUM_MODULE = '''"""Written by `generate.build`: what the shipped catalogue must hash to."""

CHECKSUM = "{digest}"
"""SHA-256 of `catalogue.json.gz`."""
'''


def _key(text: str) -> int:
    """A number that depends on the text alone, in any process."""
    return zlib.crc32(text.encode())


def _asin(query: str, place: int, version: int) -> str:
    """Ten letters and digits, in the look of the marketplace's ids."""
    alphabet = "0123456789BCDFGHJKLMNPQRSTVWXYZ"
    draw = Draw(SEED, _key(query), place, version, 1)
    return "B0" + draw.pick("789CDB") + "".join(draw.pick(alphabet) for _ in range(7))


def _families(category: Category, kind: Kind, count: int) -> Iterator[Family]:
    """The families of one kind; one whose titles start as another's is drawn again."""
    heads: set[str] = set()
    for place in range(count):
        for attempt in range(100):
            family = draw_family(category, kind, place, Draw(SEED, _key(kind.query), place, 2, attempt))
            if family is not None and family["head"] not in heads:
                break
        else:
            raise RuntimeError(f"the tables of {kind.query!r} are too small for {count} different families")
        assert family is not None
        heads.add(family["head"])
        for version, item in enumerate(family["items"]):
            item.insert(0, _asin(kind.query, place, version))
        yield family


def generate() -> list[Family]:
    """All families, in an order that mixes the departments."""
    counts = families_of([kind.query for category in CATEGORIES for kind in category.kinds], FAMILIES)
    families = [
        family
        for category in CATEGORIES
        for kind in category.kinds
        for family in _families(category, kind, counts[kind.query])
    ]
    asins = [item[0] for family in families for item in family["items"]]
    if len(set(asins)) < len(asins):
        raise RuntimeError("two products have one id; change the seed")
    return Draw(SEED).sample(families, len(families))


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


def _title_name(category: Category, kind: Kind, title: str) -> dict[str, str]:
    """How people speak of a kind by one of the nouns of its titles."""
    noun = f"{kind.audience} {title.lower()}".strip()
    plural = re.search("[^su]s$", noun) is not None
    number = _name(category, kind)["number"]
    if number != "mass":
        paired = category.setting == "shoes" or kind.noun in _PAIRS
        number = ("pair" if paired else "many") if plural else "one"
    return {"number": number, "setting": category.setting, "noun": noun}


def phrasing() -> dict[str, dict[str, object]]:
    """What the instruction writer needs: how each attribute joins a noun, and how people speak of each name.

    The nouns of titles stand behind the name of their kind and a bar.
    """
    attributes: dict[str, object] = {}
    names: dict[str, object] = {}
    for category in CATEGORIES:
        for kind in category.kinds:
            for name in (n.strip().lstrip("!") for g in kind.attributes.split(",") for n in g.split("|")):
                attributes[name] = category.shape(name)
            names[kind.query] = _name(category, kind)
            for title in kind.titles.split("; "):
                names[f"{kind.query}|{title.lower()}"] = _title_name(category, kind, title)
    attributes |= dict.fromkeys((name for row in FITS.values() for name in row.split(", ")), "fits")
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
    families = generate()
    catalog, phrases = encode(families), encode(phrasing())
    packed, pairs = HOME / "catalogue.json.gz", HOME / "phrasing.json"
    if check:
        same = gzip.decompress(packed.read_bytes()) == catalog and pairs.read_bytes() == phrases
        sys.stdout.write("the shipped files match\n" if same else "the shipped files differ: run the build again\n")
        return 0 if same else 1
    data = compress(catalog)
    packed.write_bytes(data)
    pairs.write_bytes(phrases)
    digest = hashlib.sha256(data).hexdigest()
    (HOME / "checksum.py").write_text(_CHECKSUM_MODULE.format(digest=digest))
    sys.stdout.write(f"{len(families)} families, {len(data)} bytes, sha256 {digest}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
