"""The search index against a plain BM25 written from the formula, and what any text may do to it."""

from __future__ import annotations

import json
import math
import os
import shutil
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.core.errors import DataError
from agentgym.envs._kit import english, search
from agentgym.envs._kit.search import SearchIndex
from tests.core.processes import in_fresh_process

WORDS = [f"{first}{second}" for first in "bcdfghklmnprst" for second in ("an", "ero", "ile", "oke", "um")]
SCORE_TOLERANCE = 1e-4  # single-precision sums against double-precision ones


def some_texts(count: int, seed: int = 0) -> list[str]:
    """Texts whose words are as unequally frequent as those of a language."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, len(WORDS) + 1)
    drawn = rng.choice(len(WORDS), (count, 60), p=weights / weights.sum())
    lengths = rng.integers(3, 60, count)
    return [" ".join(WORDS[word] for word in row[:length]) for row, length in zip(drawn, lengths, strict=True)]


def plain_scores(texts: list[str], query: str) -> dict[int, float]:
    """BM25 as published (Robertson et al.; Lucene's form), document by document."""
    bags = [Counter(english.terms_of(text)) for text in texts]
    lengths = [sum(bag.values()) for bag in bags]
    scores: dict[int, float] = {}
    for term, repeats in Counter(english.terms_of(query)).items():
        having = [number for number, bag in enumerate(bags) if term in bag]
        idf = math.log(1 + (len(texts) - len(having) + 0.5) / (len(having) + 0.5))
        for number in having:
            norm = 0.9 * (1 - 0.4 + 0.4 * lengths[number] / (sum(lengths) / len(texts)))
            count = bags[number][term]
            scores[number] = scores.get(number, 0.0) + repeats * idf * count / (count + norm)
    return scores


def assert_ranking(found: list[int], scores: dict[int, float], k: int) -> None:
    assert len(found) == min(k, len(scores))
    assert len(set(found)) == len(found)
    best = sorted(scores.values(), reverse=True)[: len(found)]
    assert [scores[number] for number in found] == pytest.approx(best, rel=SCORE_TOLERANCE)


@pytest.mark.parametrize("prune_above", [0, 10**9])
@pytest.mark.parametrize(
    "query", ["ban", "tum soke rile", "ban cero dile foke gum", " ".join(WORDS), "gum gum gum ban"]
)
def test_ranking_is_bm25(monkeypatch: pytest.MonkeyPatch, prune_above: int, query: str) -> None:
    monkeypatch.setattr(search, "PRUNE_ABOVE", prune_above)
    texts = some_texts(400)
    index = SearchIndex.build(texts)
    for k in (1, 7, 50):
        assert_ranking(index.search(query, k), plain_scores(texts, query), k)


@pytest.mark.parametrize("probe_cost", [0, 1, 12])
def test_pruning_changes_no_result(monkeypatch: pytest.MonkeyPatch, probe_cost: int) -> None:
    texts = some_texts(3_000, seed=1)
    rng = np.random.default_rng(2)
    queries = [" ".join(rng.choice(WORDS, rng.integers(1, 15)).tolist()) for _ in range(60)]
    index = SearchIndex.build(texts)
    monkeypatch.setattr(search, "PRUNE_ABOVE", 10**9)
    plain = [index._ranked(query, 10) for query in queries]
    monkeypatch.setattr(search, "PRUNE_ABOVE", 0)
    monkeypatch.setattr(search, "PROBE_COST", probe_cost)
    assert [index._ranked(query, 10) for query in queries] == plain


def test_pruning_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PRUNE_ABOVE", 0)
    followed = []
    original = search._followed
    monkeypatch.setattr(search, "_followed", lambda *given: followed.append(1) or original(*given))
    rare = [f"{text} zebra quagga" for text in some_texts(60)]
    SearchIndex.build([*some_texts(3_000), *rare]).search("zebra quagga ban bero", 10)
    assert followed


def test_equal_scores_keep_document_order() -> None:
    index = SearchIndex.build(["red shoe", "blue shoe", "red shoe", "red hat", "red shoe"])
    assert index.search("red shoe", 3) == [0, 2, 4]
    assert index.search("shoe") == [0, 1, 2, 4]


def test_repeated_query_words_weigh_more() -> None:
    index = SearchIndex.build(["lamp desk", "lamp", "desk", "chair"])
    assert index.search("lamp lamp desk")[1] == 1
    assert index.search("lamp desk desk")[1] == 2


def test_words_are_stemmed_and_stop_words_ignored() -> None:
    index = SearchIndex.build(["Running Shoes for women's feet", "a lamp", "the 3.5 inch, 1,000 lumen U.S.A lamp_post"])
    assert index.search("run shoe") == [0]
    assert index.search("woman") == []  # Porter stems do not know irregular plurals
    assert index.search("women") == [0]
    assert index.search("the a for and") == []
    assert index.search("3.5") == index.search("1,000") == index.search("u.s.a") == [2]
    assert index.search("5") == []


HOSTILE = [
    "", " ", "\0", "\0red\0shoe\0", "😀", "red😀shoe", "\x1b[31mred\r\n\x07", "'", '"', '"red shoe', "red AND (",
    "title:red", "red~2 sho*", "[a TO z]", "^5 +red -shoe", "../../etc/passwd", "{{7*7}}", "%s%n", "\ud800", "ＲＥＤ",
    "ı İ ß", "red " * 2_500, "x" * 10_000, "'s", "’s", "_" * 50, "a.b.c.d" * 500, "\u202ered", "1" * 400, "<q> red",
]  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_is_only_words(query: str) -> None:
    texts = ["red shoe", "blue hat and not", "TO z", query]
    found = SearchIndex.build(texts).search(query)
    assert_ranking(found, plain_scores(texts, query), 50)


@given(st.text())
def test_any_query_is_answered(query: str) -> None:
    found = SHARED.search(query, 5)
    assert len(found) <= 5
    assert all(0 <= number < len(SHARED) for number in found)


SHARED = SearchIndex.build([*some_texts(50), "a 1 é ß 漢字"])


def test_no_documents_or_no_words() -> None:
    assert SearchIndex.build([]).search("red") == []
    assert SearchIndex.build(["", "the", "?"]).search("red the ?") == []


def test_on_disk_as_in_memory(tmp_path: Path) -> None:
    texts = some_texts(300, seed=3)
    queries = texts[:40]
    memory = SearchIndex.build(texts)
    disk = SearchIndex.build(iter(texts), tmp_path / "index")
    assert len(disk) == len(memory) == 300
    assert [disk.search(query) for query in queries] == [memory.search(query) for query in queries]
    again = SearchIndex.open(tmp_path / "index")
    assert [again.search(query) for query in queries] == [memory.search(query) for query in queries]
    empty = SearchIndex.build([], tmp_path / "empty")
    assert empty.search("red") == []


def test_results_and_files_are_the_same_in_every_process(tmp_path: Path) -> None:
    code = f"""
import sys, json, hashlib, pathlib
from agentgym.envs._kit.search import SearchIndex
texts = json.load(sys.stdin)
path = pathlib.Path({str(tmp_path)!r}) / sys.argv[0] / str(hash("x"))
index = SearchIndex.build(texts, path)
files = {{file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(path.iterdir())}}
print(json.dumps([files, [index.search(text, 20) for text in texts[:30]]]))
"""
    texts = some_texts(200, seed=4)
    outputs = {
        in_fresh_process(code, data=json.dumps(texts).encode(), hash_seed=hash_seed) for hash_seed in ("0", "1", "77")
    }
    assert len(outputs) == 1
    assert json.loads(outputs.pop())[1] == [SearchIndex.build(texts).search(text, 20) for text in texts[:30]]


def test_threads_and_forks_share_an_index(tmp_path: Path) -> None:
    texts = some_texts(500, seed=5)
    index = SearchIndex.build(texts, tmp_path / "index")
    expected = [index.search(text) for text in texts[:100]]
    index = SearchIndex.open(tmp_path / "index")  # nothing remembered
    results: dict[int, list[list[int]]] = {}

    def ask(thread: int) -> None:
        results[thread] = [index.search(text) for text in texts[:100]]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(results[number] == expected for number in range(4))
    if not hasattr(os, "fork"):
        pytest.skip("this system has no fork")
    child = os.fork()
    if child == 0:
        os._exit(0 if [index.search(text) for text in texts[:100]] == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_callers_own_their_results() -> None:
    index = SearchIndex.build(["red shoe", "red hat"])
    index.search("red").clear()
    assert index.search("red") == [0, 1]


def test_misuse_is_refused(tmp_path: Path) -> None:
    index = SearchIndex.build(["red shoe"], tmp_path / "index")
    with pytest.raises(ValueError, match="k must be at least 1"):
        index.search("red", 0)
    with pytest.raises(DataError, match="not empty"):
        SearchIndex.build(["red"], tmp_path / "index")
    index.close()
    with pytest.raises(ValueError, match="closed"):
        index.search("red")
    with pytest.raises(DataError, match="no usable search index"):
        SearchIndex.open(tmp_path / "nothing")


def test_damage_is_noticed(tmp_path: Path) -> None:
    SearchIndex.build(["red shoe", "blue hat"], tmp_path / "sound").close()
    files = sorted(path.name for path in (tmp_path / "sound").iterdir())
    assert search.META in files
    for name in files:
        folder = tmp_path / name
        shutil.copytree(tmp_path / "sound", folder)
        path = folder / name
        path.write_bytes(path.read_bytes()[:-1])
        with pytest.raises(DataError, match="delete the folder and build it again"):
            SearchIndex.open(folder)
        path.unlink()
        with pytest.raises(DataError, match="delete the folder and build it again"):
            SearchIndex.open(folder)


def test_a_killed_build_leaves_no_index(tmp_path: Path) -> None:
    def texts():
        yield from some_texts(10)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SearchIndex.build(texts(), tmp_path)
    with pytest.raises(DataError, match="no usable search index"):
        SearchIndex.open(tmp_path)
