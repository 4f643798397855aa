"""The kit of retrieval: published scores, forms of passages and questions, corpora on disk."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.core import ConfigError, DataError
from agentgym.envs._kit.retrieval.backends import DenseBackend
from agentgym.envs._kit.retrieval.corpora import Passage, StoredCorpus
from agentgym.envs._kit.retrieval.files import open_corpus, open_questions, passages_of, question_of
from agentgym.envs._kit.retrieval.scoring import exact_match, f1, normalized, recall


def test_answers_are_normalized_as_published() -> None:
    assert normalized("  The  Cat's\tMAT, an end. ") == "cats mat end"
    assert exact_match("A.N. Other", ["nobody", "an Other"])
    assert exact_match("12,345", ["12345"])
    assert not exact_match("Ann", ["Ann Other"])


def test_shared_words() -> None:
    assert f1("Ann Other of Lowtown", ["Ann Other"]) == pytest.approx(2 * 2 / 6)
    assert f1("yes it is", ["yes"]) == 0.0
    assert f1("x", ["y", "x"]) == 1.0
    assert recall("ann of x", "Ann Other") == 0.5


WORDS = "<P> Low Hill is <B> 12 metres </B> high . </P>"
TAGS = ("<P>", "<B>", "</B>", "</P>")
TOKENS = [{"token": word, "html_token": word in TAGS} for word in WORDS.split(" ")]
NOTES = [
    {"yes_no_answer": "NONE", "short_answers": [{"start_token": 4, "end_token": 7}]},
    {"yes_no_answer": "NONE", "short_answers": [{"start_token": 5, "end_token": 6}]},
    {"yes_no_answer": "NONE", "short_answers": []},
]
NATURAL = {  # the simplified form, the original one, and that of columns
    "simplified": {"question_text": "how high is low hill", "document_title": "Low Hill", "document_text": WORDS,
                   "annotations": NOTES},
    "original": {"question_text": "how high is low hill", "document_title": "Low Hill", "document_tokens": TOKENS,
                 "annotations": NOTES},
    "columns": {
        "question": {"text": "how high is low hill"},
        "document": {
            "title": "Low Hill",
            "tokens": {"token": WORDS.split(" "), "is_html": [each["html_token"] for each in TOKENS]},
        },
        "annotations": {
            "yes_no_answer": [-1, -1, -1],
            "short_answers": [
                {"start_token": [4], "end_token": [7], "text": ["12 metres"]},
                {"start_token": [5], "end_token": [6], "text": ["12"]},
                {"start_token": [], "end_token": [], "text": []},
            ],
        },
    },
}  # fmt: skip
DPR = {
    "question": "how high is low hill", "answers": ["12 metres"],
    "positive_ctxs": [{"title": "Low Hill", "text": "12 metres."}, {"title": "Hills", "text": "Low Hill: 12 metres."}],
    "negative_ctxs": [], "hard_negative_ctxs": [{"title": "High Hill", "text": "It is high."}],
}  # fmt: skip


@pytest.mark.parametrize("form", NATURAL)
def test_natural_questions_in_their_own_forms(form: str) -> None:
    found = question_of(NATURAL[form])
    assert found is not None
    assert found["question"] == "how high is low hill"
    assert found["answers"] == ["12 metres", "12"]
    assert (found["supports"], found["hops"]) == (["Low Hill"], 1)
    assert list(passages_of(NATURAL[form])) == [Passage("Low Hill", "Low Hill is 12 metres high .")]


@pytest.mark.parametrize(
    ("said", "answers"), [("YES", ["yes"]), ("NO", ["no"]), (1, ["yes"]), (-1, None), ("NONE", None)]
)
def test_natural_questions_answered_with_yes_or_not_at_all(said: object, answers: list[str] | None) -> None:
    found = question_of({**NATURAL["simplified"], "annotations": [{"yes_no_answer": said, "short_answers": []}]})
    assert (None if found is None else found["answers"]) == answers


def test_dpr_lists_passages_for_and_against() -> None:
    found = question_of(DPR)
    assert found is not None
    assert (found["answers"], found["supports"]) == (["12 metres"], ["Low Hill"])
    assert [passage.title for passage in passages_of(DPR)] == ["Low Hill", "Hills", "High Hill"]


@pytest.mark.parametrize(
    ("record", "wanted"),
    [
        ({"title": "A", "text": "b c"}, [("A", "b c")]),
        ({"contents": '"A"\nb c'}, [("A", "b c")]),
        ({"wikipedia_title": "A", "text": ["b. ", "c."]}, [("A", "b. c.")]),
        ({"question": "q", "context": [["A", ["b.", " c."]], ["D", ["e"]]]}, [("A", "b. c."), ("D", "e")]),
        ({"context": {"title": ["A"], "sentences": [["b.", " c."]]}}, [("A", "b. c.")]),
        ({"paragraphs": [{"title": "A", "paragraph_text": "b"}]}, [("A", "b")]),
        ({"title": "A"}, []),
    ],
)
def test_passages_in_published_forms(record: dict[str, object], wanted: list[tuple[str, str]]) -> None:
    assert list(passages_of(record)) == [Passage(*each) for each in wanted]


@pytest.mark.parametrize(
    ("record", "answers", "supports"),
    [
        ({"question": "q", "answer": "a", "supporting_facts": [["T", 0], ["T", 2], ["U", 1]]}, ["a"], ["T", "U"]),
        ({"question": "q", "answer": "a", "supporting_facts": {"title": ["T"], "sent_id": [0]}}, ["a"], ["T"]),
        ({"question": "q", "golden_answers": ["a", "b"]}, ["a", "b"], []),
        ({"question": "q", "answer": ["a"]}, ["a"], []),
        (  # 2WikiMultihopQA
            {"question": "q", "answer": "a", "type": "compositional", "evidences": [["T", "born", "U"]],
             "supporting_facts": [["T", 0], ["U", 0]]}, ["a"], ["T", "U"],
        ),
        (
            {
                "question": "q", "answer": "a", "answer_aliases": ["b"],
                "paragraphs": [{"title": "T", "is_supporting": True}, {"title": "U", "is_supporting": False}],
            },
            ["a", "b"], ["T"],
        ),
    ],
)  # fmt: skip
def test_questions_in_published_forms(record: dict[str, object], answers: list[str], supports: list[str]) -> None:
    found = question_of(record)
    assert found is not None
    assert (found["answers"], found["supports"]) == (answers, supports)


def test_what_is_no_question_is_none() -> None:
    assert question_of({"question": "q", "answer": ""}) is None
    assert question_of({"question": 3, "answer": "a"}) is None


def test_a_corpus_is_built_once_and_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "p.jsonl"
    rows = [{"title": f"T{number}", "text": f"word{number} common"} for number in range(50)]
    path.write_text("\n".join(json.dumps(row) for row in [*rows, rows[3]]), encoding="utf8")
    corpus = open_corpus(path)
    assert len(corpus) == 50
    assert corpus.get(corpus.rank("word7", 1)[0]) == Passage("T7", "word7 common")
    before = sorted((tmp_path / "cache").rglob("*"))
    open_corpus.cache_clear()
    assert open_corpus(path).rank("word7", 1) == corpus.rank("word7", 1)
    assert sorted((tmp_path / "cache").rglob("*")) == before


@pytest.mark.parametrize(
    ("text", "said"),
    [("{}\n{]", "line 2 of passages is no JSON"), ("3", "should be an object"), ('{"a": 1}', "holds no passages")],
)
def test_bad_files_of_passages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str) -> None:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "p.jsonl"
    path.write_text(text, encoding="utf8")
    with pytest.raises(DataError, match=said):
        open_corpus(path)


def test_bad_files_of_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "q"}', encoding="utf8")
    with pytest.raises(DataError, match="holds no questions"):
        open_questions(path)
    with pytest.raises(DataError, match="cannot read"):
        open_questions(tmp_path / "none.jsonl")


# Nearest vectors


def letters(texts: Sequence[str]) -> Any:
    """An embedding: how often each letter and digit stands in a text."""
    rows = np.full((len(texts), 36), 1e-3, dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        for letter in text.lower():
            if letter.isascii() and letter.isalnum():
                row[int(letter, 36)] += 1
    return rows


def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int = 300) -> StoredCorpus:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))
    rng = np.random.default_rng(0)
    rows = [
        {"title": f"T{number}", "text": "".join(map(chr, rng.integers(97, 123, 40).tolist()))}
        for number in range(count)
    ]
    (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf8")
    open_corpus.cache_clear()
    return open_corpus(tmp_path / "p.jsonl")


def test_the_graph_of_a_stored_corpus_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("hnswlib", reason="the extra `dense` is not installed")
    corpus = stored(tmp_path, monkeypatch)
    embedded: list[int] = []

    def counted(texts: Sequence[str]) -> Any:
        embedded.append(len(texts))
        return letters(texts)

    first = DenseBackend(corpus, counted)
    assert sum(embedded) == len(corpus) + 1, "every passage, and the probe that names the graph"
    (kept,) = (tmp_path / "cache").rglob("graph")
    when = kept.stat().st_mtime_ns
    embedded.clear()
    again = DenseBackend(open_corpus(tmp_path / "p.jsonl"), counted)
    assert embedded == [1], "of an opened graph nothing but the probe is embedded"
    assert kept.stat().st_mtime_ns == when
    queries = [corpus.get(number).text for number in range(0, 300, 30)]
    assert [first.search(query, 3) for query in queries] == [again.search(query, 3) for query in queries]
    DenseBackend(corpus, lambda texts: letters(texts)[:, ::-1] ** 2)
    assert len(list((tmp_path / "cache").rglob("graph"))) == 2, "another embedding has a graph of its own"


def test_the_graph_finds_the_nearest_by_cosine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against all of them compared one by one."""
    pytest.importorskip("hnswlib", reason="the extra `dense` is not installed")
    corpus = stored(tmp_path, monkeypatch)
    engine = DenseBackend(corpus, letters)
    vectors = letters(["\n".join(corpus.get(number)) for number in range(len(corpus))])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    hits = 0
    for number in range(0, 300, 10):
        query = corpus.get(number).text[:25]
        (own,) = letters([query])
        wanted = [corpus.get(int(place)) for place in np.argsort(-vectors @ (own / np.linalg.norm(own)))[:3]]
        hits += sum(passage in wanted for passage in engine.search(query, 3))
    assert hits >= 85, "of 90"


@pytest.mark.parametrize("wrong", [[[1.0, 2.0]] * 3, [1.0, 2.0], [[float("nan"), 1.0]]])
def test_what_is_no_vector_of_each_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: Any) -> None:
    pytest.importorskip("hnswlib", reason="the extra `dense` is not installed")
    with pytest.raises(ConfigError, match="embed must give finite vectors"):
        DenseBackend(stored(tmp_path, monkeypatch, 3), lambda texts: wrong)
