"""The shipped catalogue: its size, its variety, the agreement of its words, and that its generator rewrites it."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from collections import Counter
from importlib import resources
from itertools import pairwise
from typing import Any

import pytest

import agentgym.assets.webshop as webshop
from agentgym.assets.webshop.facts import read_line
from agentgym.assets.webshop.generate import build
from agentgym.assets.webshop.generate.model import words_of
from agentgym.assets.webshop.generate.options import draw_options
from agentgym.assets.webshop.generate.report import statistics
from agentgym.assets.webshop.generate.tables import CATEGORIES
from agentgym.assets.webshop.generate.titles import headline
from agentgym.core.errors import DataError
from tests.clock import own_seconds

pytestmark = pytest.mark.xdist_group("catalogue")  # one process, so that the catalogue is made once

MAX_BYTES = 4_000_000
LOAD_SECONDS = 1.5  # measured 0.23; the margin is for busy cores
PRODUCTS, FAMILIES = 14_400, 1200
PRICE = re.compile(r"\$\d+\.\d\d")
DEPARTMENTS = {"fashion", "beauty", "electronics", "garden", "grocery"}

Record = dict[str, Any]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    return webshop.load_catalog()


@pytest.fixture(scope="module")
def rebuilt() -> bytes:
    return build.encode(build.generate())


def shown(record: Record) -> str:
    return " ".join((record["name"], *record["small_description"], record["full_description"])).lower()


def values(record: Record) -> dict[str, list[str]]:
    return {name: [v["value"] for v in contents] for name, contents in record["customization_options"].items()}


def test_there_are_ten_thousand_products_in_a_small_file(records: list[Record]) -> None:
    assert len(records) == PRODUCTS == FAMILIES * webshop.FAMILY
    assert len(resources.files(webshop).joinpath("catalogue.json.gz").read_bytes()) < MAX_BYTES


def test_a_rebuild_gives_the_same_bytes(rebuilt: bytes) -> None:
    shipped = gzip.decompress(resources.files(webshop).joinpath("catalogue.json.gz").read_bytes())
    assert shipped == rebuilt
    assert resources.files(webshop).joinpath("phrasing.json").read_bytes() == build.encode(build.phrasing())


def test_the_build_does_not_depend_on_the_hash_seed() -> None:
    command = [sys.executable, "-m", "agentgym.assets.webshop.generate.build", "--check"]
    done = subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": "4242"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_check_notices_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "generate", lambda: [{"asin": "B000000000"}])
    assert build.main(["--check"]) == 1


def test_compression_carries_no_time_and_no_name() -> None:
    packed = build.compress(b"goods")
    assert packed == build.compress(b"goods")
    assert packed[4:8] == b"\0\0\0\0", "the time field is zero"
    assert packed[3] == 0, "no optional header fields"


@pytest.fixture(scope="module")
def families(records: list[Record]) -> list[list[Record]]:
    size = webshop.FAMILY
    return [records[start : start + size] for start in range(0, len(records), size)]


def test_no_two_products_are_the_same(records: list[Record]) -> None:
    assert len({r["asin"] for r in records}) == PRODUCTS
    facts = {
        json.dumps(
            [r["query"], r["name"].split(",")[0], sorted(r["attributes"]), r["customization_options"], r["pricing"]]
        )
        for r in records
    }
    assert len(facts) == PRODUCTS


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[\w'-]+", text.lower()))


def test_versions_of_a_family_share_all_words_that_a_search_reads(families: list[list[Record]]) -> None:
    for family in families:
        searched = []
        for r in family:
            offered = " ".join(f"{name} {' '.join(vs)}" for name, vs in values(r).items())
            read = words(" ".join((r["name"], r["full_description"], r["small_description"][0], offered)))
            searched.append(read)
        assert all(read == searched[0] for read in searched), family[0]["name"]


def test_versions_differ_in_facts_and_each_fact_is_listed_by_half(families: list[list[Record]]) -> None:
    for family in families:
        counts = Counter(attribute for r in family for attribute in r["attributes"])
        contested = [name for name, count in counts.items() if count < len(family)]
        assert len(contested) == 4
        assert {counts[name] for name in contested} == {6}
        prices = sorted(float(r["pricing"].strip("$")) for r in family)
        assert all(two - one > 1 for one, two in pairwise(prices)), "a whole number of dollars lies between"
        for name in family[0]["customization_options"]:
            offers = {tuple(values(r)[name]) for r in family}
            assert len(offers) > 1, (family[0]["name"], name)


def test_pages_list_the_facts_that_hold_and_deny_the_others(families: list[list[Record]]) -> None:
    for family in families:
        counts = Counter(attribute for r in family for attribute in r["attributes"])
        contested = [name for name, count in counts.items() if count < len(family)]
        for r in family:
            for fact in contested:
                told = {read_line(line, fact) for line in r["small_description"]} - {None}
                assert told == {fact in r["attributes"]}, (r["name"], fact)


def test_variety(records: list[Record]) -> None:
    figures = statistics(records)
    for name, least in {
        "distinct attributes": 300,
        "brands": 600,
        "product types (queries)": 330,
        "option values": 2000,
        "distinct bullets": 7500,
        "distinct review texts": 2500,
    }.items():
        assert figures[name] >= least, f"{name}: {figures[name]}"  # type: ignore[operator]
    assert len(CATEGORIES) >= 24
    assert {r["category"] for r in records} == DEPARTMENTS
    families = Counter(r["query"] for r in records)
    assert min(families.values()) >= webshop.FAMILY, "every type has a family"
    assert families["hair extensions"] > 5 * families["patio umbrella"], "as many as people ask for"


def test_categories_differ_in_attributes_options_and_prices(records: list[Record]) -> None:
    paths = {kind.query: category.path for category in CATEGORIES for kind in category.kinds}
    pools: dict[str, set[str]] = {}
    prices: dict[str, list[float]] = {}
    for r in records:
        pools.setdefault(paths[r["query"]], set()).update(r["attributes"])
        prices.setdefault(paths[r["query"]], []).append(float(r["pricing"].split("$")[1].split(" ")[0]))
    assert len({frozenset(pool) for pool in pools.values()}) == len(CATEGORIES)
    medians = sorted(sorted(p)[len(p) // 2] for p in prices.values())
    assert medians[-1] > 8 * medians[0]


def test_records_have_the_fields_of_the_published_catalogue(records: list[Record]) -> None:
    for r in records:
        assert re.fullmatch(r"[A-Z0-9]{10}", r["asin"])
        assert PRICE.fullmatch(r["pricing"])
        assert r["query"] == r["query"].lower()
        assert len(r["product_category"].split(" › ")) >= 3
        assert 2 <= len(r["attributes"]) <= 5
        assert len(set(r["attributes"])) == len(r["attributes"])
        assert 6 <= len(r["small_description"]) <= 11
        assert len(set(r["small_description"])) == len(r["small_description"])
        assert len(r["name"]) <= 200
        assert r["name"].startswith(r["Brand"])
        sentences = re.findall(r"[.?!](?: |$)", r["full_description"])
        assert 2 <= len(sentences) <= 12
        for contents in values(r).values():
            assert contents
            assert len(set(contents)) == len(contents)


def test_prices_end_like_prices(records: list[Record]) -> None:
    endings = Counter(r["pricing"][-2:] for r in records)
    assert set(endings) <= {f"{round(100 * e):02d}" for e in (0.99, 0.95, 0.49, 0.97, 0.98, 0.88, 0.89, 0.79, 0.0, 0.5)}
    assert endings.most_common(1)[0][0] == "99"


def test_no_exclusive_features_meet(records: list[Record]) -> None:
    kinds = {kind.query: kind for category in CATEGORIES for kind in category.kinds}
    for r in records:
        held = {*r["attributes"], *r["customization_options"]}
        for row in kinds[r["query"]].clashes:
            both = held & set(row.split(", "))
            assert len(both) <= 1 or both <= set(r["customization_options"]), f"{r['name']}: {both}"


def test_clashes_name_things_that_exist() -> None:
    for category in CATEGORIES:
        for kind in category.kinds:
            known = {n.strip().lstrip("!") for g in kind.attributes.split(",") for n in g.split("|")}
            known |= {d.lower() for d in kind.details} | {t.lower() for t in kind.titles.split("; ")}
            known |= set(kind.options) | {u.lower() for u in kind.uses.split(", ")}
            for row in kind.clashes:
                assert set(row.split(", ")) <= known, f"{kind.query}: {set(row.split(', ')) - known}"


def test_texts_have_no_slots_doubled_words_or_wrong_articles(records: list[Record]) -> None:
    wrong = re.compile(
        r"[{}\[\]]|> |  | ,|\b(?![Pp][Oo][Mm])(\w+) \1\b|\b[Aa] [aeio](?!ne)\w|\b[Aa]n [bcdfgjklmnpqrtvwxz]\w"
    )
    for r in records:
        for text in (
            r["name"],
            r["full_description"],
            *r["small_description"],
            *(v["review"] for v in r["customer_reviews"]),
        ):
            assert not wrong.search(text), text


def test_reviews_are_in_range_and_fit_the_stars(records: list[Record]) -> None:
    counts = Counter(len(r["customer_reviews"]) for r in records)
    assert set(counts) == set(range(6))
    for r in records:
        stars = [v["stars"] for v in r["customer_reviews"]]
        assert all(1 <= s <= 5 for s in stars)
        assert r["average_rating"] == (round(sum(stars) / len(stars), 1) if stars else None)
    kinds = {kind.query: kind for category in CATEGORIES for kind in category.kinds}
    for r in records:
        praise = {p.partition("> ")[2] or p for p in kinds[r["query"]].praise}
        for v in r["customer_reviews"]:
            if v["stars"] <= 2:
                assert not any(p in v["review"] for p in praise if "{" not in p)


def test_loading_is_quick_and_gives_fresh_records(records: list[Record]) -> None:
    assert own_seconds(webshop.load_catalog) < LOAD_SECONDS
    again = webshop.load_catalog()
    assert again == records
    again[0]["name"] = "changed"
    assert webshop.load_catalog()[0]["name"] == records[0]["name"]


class _Shelf:
    """A stand-in for the installed files that holds what a test puts there."""

    def __init__(self, data: bytes | None) -> None:
        self.data = data

    def joinpath(self, name: str) -> _Shelf:
        return self

    def read_bytes(self) -> bytes:
        if self.data is None:
            raise FileNotFoundError(name_of_file)
        return self.data


name_of_file = "catalogue.json.gz"


@pytest.mark.parametrize(("data", "message"), [(None, "is missing"), (b"not the file", "has SHA-256")])
def test_a_damaged_installation_is_named(data: bytes | None, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webshop.resources, "files", lambda package: _Shelf(data))
    with pytest.raises(DataError, match=message):
        webshop.load_catalog()


def test_a_file_that_matches_but_cannot_be_read_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import hashlib

    data = b"\x1f\x8b broken"
    monkeypatch.setattr(webshop.resources, "files", lambda package: _Shelf(data))
    monkeypatch.setattr(webshop, "CHECKSUM", hashlib.sha256(data).hexdigest())
    with pytest.raises(DataError, match="cannot be read"):
        webshop.load_catalog()


def test_attribute_pool_counts(records: list[Record]) -> None:
    pool = webshop.attribute_pool(records)
    assert sum(pool.values()) == sum(len(r["attributes"]) for r in records)
    assert list(pool) == sorted(pool)


def test_slots_agree_in_number() -> None:
    assert words_of("jeans", True, "X")["This"] == "These jeans"
    assert words_of("lamp", False, "X")["has"] == "has"
    assert words_of("jeans", True, "X")["s"] == ""


def test_headlines_are_in_title_case() -> None:
    assert headline("easy to clean") == "Easy to Clean"
    assert headline("usb port") == "USB Port"
    assert headline("WiFi camera") == "WiFi Camera"
    assert headline("10000 mah") == "10000 mAh"
    assert headline("8 ounce (pack of 2)") == "8 Ounce (Pack of 2)"


def test_sizes_come_as_a_run_without_gaps() -> None:
    from agentgym.assets.webshop.generate.model import Draw

    order = ["x-small", "small", "medium", "large", "x-large", "xx-large", "3x-large", "4x-large"]
    for key in range(200):
        run = draw_options({"size": "alpha"}, (), Draw(key)).get("size", [])
        assert run == order[order.index(run[0]) : order.index(run[0]) + len(run)] if run else True
