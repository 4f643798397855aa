"""Reading the published WebShop files: every rule of the format, the cache folder, and what damage does."""

from __future__ import annotations

import json
import multiprocessing
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentgym.assets import cache
from agentgym.assets.webshop import load_catalog
from agentgym.core.errors import ConfigError, DataError
from agentgym.envs._kit import json_stream
from agentgym.envs._kit.json_stream import stream_list, stream_object
from agentgym.envs._kit.store import RecordStore, RecordWriter
from agentgym.envs.web._shop import published
from agentgym.envs.web._shop.in_memory import MemoryCatalog
from agentgym.envs.web._shop.loading import (
    ShopFiles,
    StoredCatalog,
    product_from_values,
    product_to_values,
)
from agentgym.envs.web._shop.published import product_from_record, published_order, search_text
from tests.core.processes import in_fresh_process


def record(asin: str, **changes: Any) -> dict[str, Any]:
    """A product as `items_shuffle.json` has it."""
    return {
        "asin": asin,
        "name": f"Trail Shoe {asin}",
        "category": "fashion",
        "query": " Trail Shoes ",
        "product_category": "Clothing › Shoes ›Running",
        "full_description": "A light shoe.",
        "small_description": ["Rubber sole", "Machine wash"],
        "pricing": "$19.99",
        "customization_options": {
            "Size": [{"value": " 7 Wide/Narrow ", "image": None}, {"value": "8"}],
            "Color": [{"value": "Navy Blue", "image": "x"}],
            "Style": None,
        },
        "images": ["x"],
        "brand": "Visit the Trail Store",
    } | changes


ITEMS = [
    record("B000000001"),
    record("nan"),
    record("B00000000002"),
    record("B000000003", pricing="$1,016.05 - $1,040.98", customization_options=None, small_description="One bullet"),
    record("B000000001", name="A second record of the first"),
    record("B000000004", pricing="", name="Lamp", query="LAMP", customization_options={"Color": []}),
    record("B000000005", name="Ünïcode ☂ lamp", pricing=None, customization_options={}),
]
ANNOTATIONS = {
    "B000000001": {
        "attributes": ["rubber sole", "machine wash"],
        "instruction": "Find me trail shoes",
        "instruction_attributes": ["rubber sole"],
    },
    "B000000003": {"attributes": [], "instruction": "Find me a shoe", "instruction_attributes": ["light"]},
    "B000000004": {"attributes": ["led"], "instruction": "Find me a lamp", "instruction_attributes": ["led"]},
    "B000000005": {"instruction": None},
    "B999999999": {"attributes": ["not sold"]},
}
HUMAN = {
    "B000000005": [
        {"instruction": "an umbrella lamp.", "instruction_attributes": ["led"], "instruction_options": {"a": "b"}}
    ],
    "B000000001": [
        {
            "instruction": "i want shoes...",
            "instruction_attributes": ["rubber sole"],
            "instruction_options": ["navy blue"],
        },
        {"instruction": "asks for nothing", "instruction_attributes": [], "instruction_options": []},
        {"instruction": "size 8 please", "instruction_attributes": ["light", "wide"], "instruction_options": []},
    ],
    "B999999999": [{"instruction": "not sold", "instruction_attributes": ["x"], "instruction_options": []}],
}
REVIEWS = [
    {
        "asin": "B000000001",
        "average_rating": 4.5,
        "reviews": [{"title": "Good", "stars": "4.0", "review": "Fits."}, {"title": "Bad", "score": 1}],
    }
]


@pytest.fixture
def files(tmp_path: Path) -> ShopFiles:
    paths = []
    for name, content in (("items", ITEMS), ("notes", ANNOTATIONS), ("human", HUMAN), ("reviews", REVIEWS)):
        paths.append(tmp_path / f"{name}.json")
        paths[-1].write_text(json.dumps(content), encoding="utf-8")
    return ShopFiles(*paths)


@pytest.fixture
def shop(files: ShopFiles, tmp_path: Path) -> StoredCatalog:
    return StoredCatalog.open(files, tmp_path / "cache")


def test_which_records_are_sold(shop: StoredCatalog) -> None:
    assert [shop.get(place).asin for place in range(len(shop))] == [f"B00000000{number}" for number in (1, 3, 4, 5)]
    assert shop.get(0).title == "Trail Shoe B000000001"
    assert [shop.position(asin) for asin in ("B000000001", "B000000005", "nan", "", "B" * 99, "B000000001\0", "é")] == [
        0, 3, None, None, None, None, None,
    ]  # fmt: skip
    for beyond in (-1, 4):
        with pytest.raises(IndexError):
            shop.get(beyond)


def test_fields(shop: StoredCatalog) -> None:
    shoe, ranged, lamp, umbrella = (shop.get(place) for place in range(4))
    assert (shoe.query, shoe.path, shoe.brand) == (
        "trail shoes",
        ("Clothing", "Shoes", "Running"),
        "Visit the Trail Store",
    )
    assert shoe.options == {"size": ("7 wide | narrow", "8"), "color": ("navy blue",)}
    assert (shoe.price, shoe.price_text) == (19.99, "$19.99")
    assert (shoe.attributes, ranged.attributes, umbrella.attributes) == (
        ("rubber sole", "machine wash"),
        (),
        ("DUMMY_ATTR",),
    )
    assert (shoe.rating, ranged.rating) == ("4.5", "N.A.")
    assert [(review.rating, review.title, review.text) for review in shoe.reviews] == [
        (4, "Good", "Fits."),
        (1, "Bad", ""),
    ]
    assert ranged.price_text == "$1016.05 to $1040.98"
    assert 1016.05 <= ranged.price <= 1040.98
    assert ranged.bullets == ("One bullet",)
    assert (lamp.price, lamp.price_text, lamp.options) == (100.0, "$100.0", {"color": ()})
    assert umbrella.title == "Ünïcode ☂ lamp"


def test_search_reads_title_description_first_bullet_and_options(shop: StoredCatalog) -> None:
    assert search_text(shop.get(0)) == (
        "trail shoe b000000001 a light shoe. rubber sole size: 7 wide | narrow, 8, and color: navy blue"
    )
    assert sorted(shop.search("rubber", 50)) == [0, 2, 3]
    assert shop.search("machine", 50) == []
    assert shop.search("navy", 50) == [0]
    assert shop.search("ünïcode", 50) == [3]


def test_human_goals(shop: StoredCatalog) -> None:
    first, second, third = shop.human_goals()
    assert (first.asin, second.asin, third.asin) == ("B000000001", "B000000001", "B000000005")  # order of the products
    assert first.instruction == f"i want shoes, and price lower than {first.price_upper:.2f} dollars"
    assert (first.attributes, first.options, second.attributes) == (("rubber sole",), ("navy blue",), ("light", "wide"))
    assert first.price_upper in (30.0, 40.0, 50.0)
    assert (first.query, first.path, first.name) == (shop.get(0).query, shop.get(0).path, shop.get(0).title)
    assert third.options == {"a": "b"}
    assert third.instruction.startswith("an umbrella lamp, and price")
    assert shop.human_goals()[-1] == third
    assert shop.human_goals()[1:] == [second, third]
    with pytest.raises(IndexError, match="there are 3"):
        shop.human_goals()[3]


def test_synthetic_goals(shop: StoredCatalog) -> None:
    goals = list(shop.synthetic_goals())
    assert [(goal.asin, goal.options) for goal in goals] == [
        ("B000000001", {"color": "navy blue", "size": "7 wide | narrow"}),
        ("B000000001", {"color": "navy blue", "size": "8"}),
        ("B000000003", {}),
    ]  # the lamp's colour has no value to ask for, so there is no goal for it
    cap = goals[0].price_upper
    assert goals[1].price_upper == cap
    assert goals[1].instruction == (
        f"Find me trail shoes with color: navy blue, and size: 8, and price lower than {cap:.2f} dollars"
    )
    assert (goals[2].instruction, goals[2].price_upper) == ("Find me a shoe", 1_000_000.0)  # above the price grid


def test_price_caps_follow_the_published_law() -> None:
    caps = {published.price_cap(19.99, published.draws("goal", str(number))) for number in range(60)}
    assert caps == {30.0, 40.0, 50.0}
    assert published.price_cap(970.0, published.draws("x")) == 990.0
    assert published.price_cap(980.0, published.draws("x")) == 1_000_000.0


def test_draws_are_the_same_in_every_process(files: ShopFiles, tmp_path: Path, shop: StoredCatalog) -> None:
    code = f"""
from pathlib import Path
from agentgym.envs.web._shop.loading import ShopFiles, StoredCatalog
names = [Path({str(tmp_path)!r}) / f"{{name}}.json" for name in ("items", "notes", "human", "reviews")]
shop = StoredCatalog.open(ShopFiles(*names), Path({str(tmp_path)!r}) / "other")
print([shop.get(1).price, [goal.price_upper for goal in [*shop.human_goals(), *shop.synthetic_goals()]]])
"""
    expected = [shop.get(1).price, [goal.price_upper for goal in [*shop.human_goals(), *shop.synthetic_goals()]]]
    assert in_fresh_process(code, hash_seed="5").decode().strip() == str(expected)
    shutil.rmtree(tmp_path / "other")
    assert in_fresh_process(code, hash_seed="6").decode().strip() == str(expected)


def test_published_order_is_the_released_shuffle() -> None:
    for count in (0, 1, 5, 6_910, 12_087):
        order = list(range(count))
        random.Random(233).shuffle(order)
        assert published_order(count) == order


def test_optional_files_and_limit(files: ShopFiles, tmp_path: Path) -> None:
    bare = StoredCatalog.open(ShopFiles(files.items, files.annotations), tmp_path / "cache")
    assert (len(bare), len(bare.human_goals()), len(bare.synthetic_goals()), bare.get(0).rating) == (4, 0, 3, "N.A.")
    first = StoredCatalog.open(ShopFiles(files.items, files.annotations, limit=4), tmp_path / "cache")
    assert len(first) == 2  # counted before records are left out, as the released software does
    with pytest.raises(ConfigError, match="limit must be at least 1"):
        ShopFiles(files.items, files.annotations, limit=0)


def test_progress_is_told(files: ShopFiles, tmp_path: Path) -> None:
    files.items.write_text(json.dumps([record(f"B{number:09d}") for number in range(2_500)]))
    told: list[int] = []
    StoredCatalog.open(files, tmp_path / "cache", told.append)
    assert told == [1_000, 2_000]


def test_generated_records_give_the_same_products_in_memory_and_on_disk(tmp_path: Path) -> None:
    records = load_catalog()[:120]
    memory = MemoryCatalog.from_records(records)
    assert len(memory) == 120
    for place in range(120):
        product = memory.get(place)
        assert product_from_values(json.loads(json.dumps(product_to_values(product)))) == product
        assert memory.position(product.asin) == place
        assert place in memory.search(product.title, 50)
    items, notes = tmp_path / "items.json", tmp_path / "notes.json"
    items.write_text(json.dumps(records))
    notes.write_text(json.dumps({item["asin"]: {"attributes": item["attributes"]} for item in records}))
    reviews = [
        {"asin": item["asin"], **{name: item[name] for name in ("average_rating", "customer_reviews")}}
        for item in records
    ]
    (tmp_path / "reviews.json").write_text(json.dumps(reviews))
    disk = StoredCatalog.open(ShopFiles(items, notes, reviews=tmp_path / "reviews.json"), tmp_path / "cache")
    assert [disk.get(place) for place in range(120)] == [memory.get(place) for place in range(120)]
    titles = [memory.get(place).title for place in range(0, 120, 7)]
    assert [disk.search(title, 50) for title in titles] == [memory.search(title, 50) for title in titles]


def test_memory_catalogue_refuses_negative_positions_and_keeps_the_first_record() -> None:
    memory = MemoryCatalog.from_records([{**item, "attributes": ["x"]} for item in ITEMS])
    assert (len(memory), memory.get(0).title, memory.position("nan")) == (4, "Trail Shoe B000000001", None)
    with pytest.raises(IndexError):
        memory.get(-1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": None}, "'name' should be text, found None"),
        ({"full_description": 3}, "'full_description' should be text"),
        ({"small_description": [None]}, "'small_description' should be a list of texts"),
        ({"pricing": "ask us"}, "'pricing' should be a price"),
        ({"pricing": "$1.2.3"}, "'pricing' should be a price"),
        ({"pricing": 5.0}, "'pricing' should be a price"),
        ({"customization_options": {"Color": ["red"]}}, "'customization_options' should be option names"),
        ({"customization_options": ["red"]}, "'customization_options' should be option names"),
    ],
)
def test_a_wrong_field_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=f"product 'B000000001': the field {message}"):
        product_from_record(record("B000000001", **changes), {}, {})


@pytest.mark.parametrize("entry", [{"name": "no asin"}, {"asin": None}, {"asin": ""}, "text", None])
def test_a_record_without_asin_is_refused(files: ShopFiles, tmp_path: Path, entry: Any) -> None:
    files.items.write_text(json.dumps([entry]))
    with pytest.raises(DataError, match="a product without an asin"):
        StoredCatalog.open(files, tmp_path / "cache")


@pytest.mark.parametrize("name", ["items", "notes", "human", "reviews"])
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (None, "give the path of a readable data file"),
        (b"", "found the end"),
        (b"\xff\xfe\x00", "expected"),
        (b"[1, 2", "."),
        (b'{"a": {}', "."),
        (b"<html>", "expected"),
        (b"[" * 100_000, "expected|more than 1000 brackets are open"),
    ],
)
def test_a_missing_or_damaged_file_is_one_clear_line(
    files: ShopFiles, tmp_path: Path, name: str, damage: bytes | None, message: str
) -> None:
    path = tmp_path / f"{name}.json"
    path.unlink() if damage is None else path.write_bytes(damage)
    with pytest.raises(DataError, match=message) as caught:
        StoredCatalog.open(files, tmp_path / "cache")
    assert "\n" not in str(caught.value)
    assert not [left for left in (tmp_path / "cache").glob("*") if left.is_dir()]


def test_a_file_cut_short_says_how_far_it_was_good(files: ShopFiles, tmp_path: Path) -> None:
    text = files.items.read_text()
    files.items.write_text(text[: text.rindex('"asin"')])
    with pytest.raises(DataError, match=r"items\.json is no JSON list of products: after 6 good ones"):
        StoredCatalog.open(files, tmp_path / "cache")


@pytest.mark.parametrize("chunk", [1, 2, 7, 64, 1 << 20])
def test_streaming_reads_what_json_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(json_stream, "CHUNK", chunk)
    values = [1, -2.5e10, 'a"\\é☂\ud83d\ude00]', None, True, [[]], {"x": [{}]}, 2**63 - 1, "", {}]
    path = tmp_path / "x.json"
    for text in (
        json.dumps(values),
        json.dumps(values, indent=3, ensure_ascii=True) + "\n \t",
        "\ufeff[]",
        " [ ] ",
        "[7]",
    ):
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        assert list(stream_list(path, "things")) == json.loads(text.lstrip("\ufeff"))
    mapping = {"a": 1, "": [2], 'é"': {"b": None}, "d": 12.5}
    path.write_text(json.dumps(mapping, indent=1), encoding="utf-8")
    assert dict(stream_object(path, "things")) == mapping


@pytest.mark.parametrize(
    "text", ["[1,]", "[,1]", "[1 2]", "[1]]", "[1] x", "{}", "[1", "[", "", "[nope]", '["a]', "[1.]", "12"]
)
def test_streaming_refuses_what_is_no_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(json_stream, "CHUNK", 2)
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(DataError, match="is no JSON list of things"):
        list(stream_list(path, "things"))


def test_an_endless_value_is_not_read_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "CHUNK", 100)
    monkeypatch.setattr(json_stream, "LONGEST_VALUE", 1_000)
    path = tmp_path / "x.json"
    path.write_text('[1, "' + "x" * 100_000)
    with pytest.raises(DataError, match="after 1 good ones, no end of a value within 1000 bytes"):
        list(stream_list(path, "things"))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (b'["\xff"]', "invalid bytes in UTF8 string"),
        (b"[12345678901234567890]", "integer overflow"),
        (b"[1e400]", "overflow"),
        (b"[NaN]", "invalid char in json text"),
        (b"[" + b'{"a":[' * 600, "more than 1000 brackets are open"),
    ],
)
def test_what_is_no_json_or_fits_no_number_is_said_in_one_line(tmp_path: Path, text: bytes, wrong: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(text)
    with pytest.raises(DataError, match=rf"after 0 good ones, .*{wrong}[^\n]*; check that the file") as caught:
        list(stream_list(path, "things"))
    assert "\n" not in str(caught.value)


def test_many_shallow_values_are_not_deep(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    values = [{"text": "[(:{", "more": [[number]]} for number in range(20_000)]
    path.write_text(json.dumps(values))
    assert list(stream_list(path, "things")) == values


def built(root: Path) -> list[Path]:
    return [path for path in root.iterdir() if path.is_dir()]


def test_the_cache_is_used_until_an_input_changes(
    files: ShopFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "elsewhere"))
    root = tmp_path / "elsewhere" / "webshop"
    told: list[int] = []
    files.items.write_text(json.dumps([record(f"B{number:09d}") for number in range(1_000)]))
    for _ in range(2):
        StoredCatalog.open(files, progress=told.append).close()
    assert told == [1_000]
    assert len(built(root)) == 1
    files.items.write_text(json.dumps([record(f"B{number:09d}") for number in range(1, 1_001)]))
    assert StoredCatalog.open(files).get(0).asin == "B000000001"
    assert len(built(root)) == 2
    monkeypatch.delenv("AGENTGYM_CACHE")
    for home, root in (
        ("", Path.home() / ".cache"),
        ("not/absolute", Path.home() / ".cache"),
        ("/caches", Path("/caches")),
    ):
        monkeypatch.setenv("XDG_CACHE_HOME", home)
        assert cache.cache_root() == root / "agentgym"


@pytest.mark.parametrize(
    "part", ["manifest.json", "products/records", "products/keys.npy", "search/data.csc.index.npy", "synthetic/ends"]
)
@pytest.mark.parametrize("damage", ["missing", "cut", "changed"])
def test_a_damaged_cache_is_built_again(files: ShopFiles, tmp_path: Path, part: str, damage: str) -> None:
    StoredCatalog.open(files, tmp_path / "cache").close()
    (folder,) = built(tmp_path / "cache")
    path = folder / part
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(content[:-1] if damage == "cut" else content[:-1] + bytes([content[-1] ^ 1]))
    shop = StoredCatalog.open(files, tmp_path / "cache")
    assert (len(shop), len(shop.synthetic_goals())) == (4, 3)
    assert path.read_bytes() == content
    assert built(tmp_path / "cache") == [folder]


def test_a_killed_builder_leaves_nothing_in_the_way(files: ShopFiles, tmp_path: Path) -> None:
    left = tmp_path / "cache" / f"{files.cache_name()}.building-killed"
    left.mkdir(parents=True)
    (left / "half").write_text("x")
    assert len(StoredCatalog.open(files, tmp_path / "cache")) == 4
    assert [path.name for path in built(tmp_path / "cache")] == [files.cache_name()]


def _open_and_count(files: ShopFiles, root: Path, builds: Any) -> None:
    def told(_: int) -> None:
        builds.put(1)

    shop = StoredCatalog.open(files, root, told)
    builds.put(("size", len(shop), shop.search("trail shoe", 5)))


def test_two_builders_at_once_build_once(files: ShopFiles, tmp_path: Path) -> None:
    files.items.write_text(json.dumps([record(f"B{number:09d}") for number in range(1_000)]))
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    workers = [
        context.Process(target=_open_and_count, args=(files, tmp_path / "cache", queue), daemon=True) for _ in range(2)
    ]
    for worker in workers:
        worker.start()
    told = [queue.get(timeout=120) for _ in range(3)]
    for worker in workers:
        worker.join(timeout=60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert told.count(1) == 1
    assert [entry for entry in told if entry != 1] == [("size", 1_000, [0, 1, 2, 3, 4])] * 2


def test_a_cache_that_cannot_be_written_says_so(files: ShopFiles, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataError, match="AGENTGYM_CACHE"):
        StoredCatalog.open(files, tmp_path / "file" / "cache")


def test_store_keys_and_damage(tmp_path: Path) -> None:
    with RecordWriter(tmp_path / "store") as writer:
        assert writer.add({"é": 1}, "b")
        assert not writer.add({"é": 2}, "b")
        assert writer.add([None], "ä-longer")
        with pytest.raises(DataError, match="NUL"):
            writer.add(1, "a\0")
    store = RecordStore(tmp_path / "store")
    assert (len(store), store.get(0), store.get(1)) == (2, {"é": 1}, [None])
    assert [store.number(key) for key in ("b", "ä-longer", "a", "c", "")] == [0, 1, None, None, None]
    store.close()
    with pytest.raises(IndexError):
        store.get(0)
    (tmp_path / "store" / "records").write_bytes(b'{"\xc3\xa9":1]\n[null]\n')
    with pytest.raises(DataError, match=r"record 0 of .* is damaged"):
        RecordStore(tmp_path / "store").get(0)
    with RecordWriter(tmp_path / "empty"):
        pass
    assert (len(RecordStore(tmp_path / "empty")), RecordStore(tmp_path / "empty").number("b")) == (0, None)
