"""Files of a user: passages for the index, and questions, in the forms that the published sets come in.

A file holds one JSON object a line, or one JSON list of them (which needs ijson). Passages are read once, into a cache
folder with their index; after that a million of them open at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from agentgym.assets.cache import cache_root, derived_folder, fingerprint
from agentgym.core.errors import DataError
from agentgym.envs._kit.json_stream import stream_list
from agentgym.envs._kit.retrieval.corpora import Passage, StoredCorpus, indexed
from agentgym.envs._kit.retrieval.scoring import normalized
from agentgym.envs._kit.search import SearchIndex
from agentgym.envs._kit.store import RecordStore, RecordWriter

VERSION = "retrieval 2"  # of everything a cache folder holds; a change here rebuilds the folders
TITLES = ("title", "wikipedia_title")
TEXTS = ("text", "contents", "paragraph_text", "passage_text", "sentences")
ANSWERS = ("answer", "answers", "golden_answers", "answer_aliases")
RETRIEVED = ("positive_ctxs", "negative_ctxs", "hard_negative_ctxs")
TAG = re.compile(r"</?[A-Za-z][^>]*>")
SHOWN = 60  # characters of a record in a message
SPLITS = ("train", "val", "test")


def records(path: Path, what: str) -> Iterator[Mapping[str, Any]]:
    """The objects of a file, JSON lines or one JSON list.

    Args:
        path: The file.
        what: What it holds, for messages.

    Raises:
        DataError: while iterating, if it cannot be read or holds something else.
    """
    try:
        with path.open(encoding="utf8") as file:
            listed = file.read(64).lstrip("\ufeff \t\r\n").startswith("[")
            found = stream_list(path, what) if listed else _lines(path, what)
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {path} ({error}); give the path of a UTF-8 file of {what}") from None
    for number, record in enumerate(found, 1):
        if not isinstance(record, Mapping):
            raise DataError(f"{path}, record {number} of {what} should be an object, found {repr(record)[:SHOWN]}")
        yield record


def _lines(path: Path, what: str) -> Iterator[Any]:
    with path.open(encoding="utf8") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    yield json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise DataError(f"{path}, line {number} of {what} is no JSON ({error}); mend the line") from None


def passages_of(record: Mapping[str, Any]) -> Iterator[Passage]:
    """The passages that a record holds: one of a corpus, or those that stand beside a question.

    Corpora: `title` and `text` (text or list of sentences), or `contents`, whose first line is the title (Search-R1,
    Pyserini). Questions: `context`, a list of `[title, sentences]` (HotpotQA, 2WikiMultihopQA) or the columns `title`
    and `sentences`; `paragraphs` with `title` and `paragraph_text` (MuSiQue); `positive_ctxs`, `negative_ctxs` and
    `hard_negative_ctxs` with `title` and `text` (DPR); the article of Natural Questions.
    """
    context, paragraphs = record.get("context"), record.get("paragraphs")
    retrieved = [each for name in RETRIEVED for each in record.get(name) or ()]
    if isinstance(context, Mapping):
        context = list(zip(context.get("title", ()), context.get("sentences", ()), strict=False))
    if isinstance(context, list):
        for pair in context:
            if isinstance(pair, (list, tuple)) and len(pair) == 2:
                yield Passage(str(pair[0]), _joined(pair[1]))
    elif isinstance(paragraphs, list) or retrieved:
        for each in [*(paragraphs or ()), *retrieved]:
            if isinstance(each, Mapping):
                yield from passages_of(each)
    elif words := _words_of(record):
        document = record.get("document")
        title = record.get("document_title") or (document.get("title", "") if isinstance(document, Mapping) else "")
        yield Passage(str(title), " ".join(word for word, is_tag in words if not is_tag))
    else:
        title = next((str(record[name]) for name in TITLES if record.get(name)), "")
        text = next((_joined(record[name]) for name in TEXTS if record.get(name)), "")
        if not title and "contents" in record and "\n" in text:
            title, _, text = text.partition("\n")
        if text.strip():
            yield Passage(title.strip().strip('"'), text.strip())


def _words_of(record: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """The words of an article of Natural Questions and whether each is a tag of its page, in any of its three forms.

    `document_text`, a text whose words stand apart (the simplified form); `document_tokens`, a list of objects (the
    original); `document`, an object with the columns `token` and `is_html` under `tokens`.
    """
    if isinstance(text := record.get("document_text"), str):
        return [(word, TAG.fullmatch(word) is not None) for word in text.split(" ")]
    document = record.get("document")
    columns = document.get("tokens") if isinstance(document, Mapping) else None
    if isinstance(columns, Mapping):
        return list(zip(map(str, columns.get("token", ())), map(bool, columns.get("is_html", ())), strict=False))
    tokens = record.get("document_tokens")
    if isinstance(tokens, list):
        return [(str(each["token"]), bool(each.get("html_token"))) for each in tokens if "token" in each]
    return []


def _short_answers(record: Mapping[str, Any]) -> list[str]:
    """The answers that annotators of Natural Questions marked or said: spans of words, `yes` or `no`."""
    words, given = _words_of(record), record.get("annotations")
    if isinstance(given, Mapping):  # columns
        given = [dict(zip(given, row, strict=False)) for row in zip(*given.values(), strict=False)]
    found: list[str] = []
    for note in given if isinstance(given, list) else ():
        spans = note.get("short_answers") or ()
        if isinstance(spans, Mapping):
            spans = [dict(zip(spans, row, strict=False)) for row in zip(*spans.values(), strict=False)]
        for span in spans:
            first, last = span.get("start_token", 0), span.get("end_token", 0)
            found.append(
                " ".join(word for word, is_tag in words[first:last] if not is_tag) or str(span.get("text", ""))
            )
        said = note.get("yes_no_answer", "NONE")
        if said in (0, 1, "YES", "NO") and not isinstance(said, bool):
            found.append("yes" if said in (1, "YES") else "no")
    return [answer for answer in found if answer.strip()]


def _joined(text: Any) -> str:
    return "".join(map(str, text)).strip() if isinstance(text, list) else str(text)


@lru_cache(maxsize=4)
def open_corpus(path: Path) -> StoredCorpus:
    """The passages of a file, built into a cache folder where it is not there yet.

    Args:
        path: The file; the folder is rebuilt when it changes.

    Raises:
        DataError: if it cannot be read or holds no passages.
    """

    def build(folder: Path) -> None:
        with RecordWriter(folder / "passages") as writer:

            def texts() -> Iterator[str]:
                for record in records(path, "passages"):
                    for passage in passages_of(record):
                        if writer.add(list(passage), fingerprint("\n".join(passage), ())):
                            yield indexed(passage)

            SearchIndex.build(texts(), folder / "search").close()
        if not len(writer):
            raise DataError(f"{path} holds no passages; expected objects with 'title' and 'text', one a line")

    return StoredCorpus(derived_folder(cache_root() / "retrieval", fingerprint(VERSION, [path]), build))


def question_of(record: Mapping[str, Any]) -> dict[str, Any] | None:
    """A question in the form of a task: `question`, `answers`, `supports` (titles), `kind`, `hops`; None if it is none.

    Answers are a text or a list (`answer`, `answers`, `golden_answers`, and `answer_aliases` beside), or the short ones
    in the `annotations` of Natural Questions; a question without any is none. Supporting passages are
    `supporting_facts`, a list of `[title, sentence]` or a column `title`, the `paragraphs` marked `is_supporting`, the
    first of `positive_ctxs` (DPR, which lists passages that hold the answer), or the article of Natural Questions.
    """
    question = record.get("question") or record.get("query") or record.get("question_text")
    if isinstance(question, Mapping):
        question = question.get("text")
    answers: list[str] = _short_answers(record)
    for name in ANSWERS:
        given = record.get(name)
        answers += given if isinstance(given, list) else [] if given in (None, "") else [given]
    told = list(dict.fromkeys(str(answer) for answer in answers if isinstance(answer, (str, int, float))))
    if not isinstance(question, str) or not question.strip() or not told:
        return None
    facts = record.get("supporting_facts", ())
    titles = facts.get("title", ()) if isinstance(facts, Mapping) else [fact[0] for fact in facts if fact]
    marked = [each for each in record.get("paragraphs", ()) if isinstance(each, Mapping) and each.get("is_supporting")]
    marked += [each for each in (record.get("positive_ctxs") or ())[:1] if isinstance(each, Mapping)]
    if _words_of(record):
        marked += [{"title": passage.title} for passage in passages_of(record) if passage.title]
    titles = [
        *titles,
        *(each.get("title", "") for each in marked),
    ]
    return {
        "question": " ".join(question.split()),
        "answers": told,
        "supports": list(dict.fromkeys(map(str, titles))),
        "kind": str(record.get("type", "")),
        "hops": max(1, len(dict.fromkeys(titles))),
    }


class StoredQuestions:
    """The questions of a file, on disk; question i is the i-th that was new."""

    def __init__(self, folder: Path):
        self._store = RecordStore(folder / "questions")
        self.splits: dict[str, list[str]] = json.loads((folder / "splits.json").read_text(encoding="utf8"))

    def get(self, name: str) -> dict[str, Any]:
        """The question of an id.

        Raises:
            KeyError: if there is none.
        """
        number = self._store.number(name)
        if number is None:
            raise KeyError(name)
        found: dict[str, Any] = self._store.get(number)
        return found


@lru_cache(maxsize=4)
def open_questions(path: Path) -> StoredQuestions:
    """The questions of a file, built into a cache folder where it is not there yet.

    A question stands in the split that its record names (`split`), otherwise in that of the hash of its words, eight of
    ten in `train`; one that was there before, in whatever case and punctuation, is left out.

    Args:
        path: The file.

    Raises:
        DataError: if it cannot be read or holds no questions.
    """
    return StoredQuestions(
        derived_folder(cache_root() / "questions", fingerprint(VERSION, [path]), lambda folder: _sort(path, folder))
    )


def _sort(path: Path, folder: Path) -> None:
    splits: dict[str, list[str]] = {split: [] for split in SPLITS}
    with RecordWriter(folder / "questions") as writer:
        for question, split in _asked(path):
            key = fingerprint(normalized(question["question"]), ())
            if writer.add(question, key):
                splits[split or SPLITS[max(0, int(key[:4], 16) % 10 - 7)]].append(key)
    if not len(writer):
        raise DataError(f"{path} holds no questions; expected objects with 'question' and 'answer', one a line")
    (folder / "splits.json").write_text(json.dumps(splits), encoding="utf8")


def _asked(path: Path) -> Iterable[tuple[dict[str, Any], str]]:
    """Each question with the split its record names, if it names one."""
    for record in records(path, "questions"):
        question = question_of(record)
        if question is not None:
            split = {"validation": "val", "dev": "val"}.get(named := str(record.get("split", "")), named)
            yield question, split if split in SPLITS else ""
