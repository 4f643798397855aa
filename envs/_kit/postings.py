"""Builds the inverted index that `search.py` reads: one pass over the texts, memory bounded by the vocabulary.

Texts are counted in batches; each batch leaves its (term, document, count) triples sorted by term. At the end the
batches are merged over ranges of terms and every count becomes the term's BM25 contribution to the document's score.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agentgym.envs._kit.english import term_of, words_of

K1 = 0.9  # Pyserini's defaults, under which the published WebShop results were made
B = 0.4
FORMAT = 1
META = "index.json"
BATCH_WORDS = 3_000_000  # words counted at once: about 150 MB of temporary arrays
MERGE_POSTINGS = 4_000_000  # postings merged at once: about 100 MB of temporary arrays
KNOWN_WORDS = 500_000  # how many spellings are remembered with their term, so that memory stays bounded
STOPPED = -1

# The arrays of an index, all little-endian: name, type, what an entry is.
ARRAYS: dict[str, str] = {
    "documents": "<u4",  # document of each posting, ascending within a term
    "impacts": "<f4",  # what the term adds to that document's score
    "starts": "<i8",  # first posting of each term, and the total at the end
    "peaks": "<f4",  # largest impact of each term
    "term_bytes": "u1",  # the terms in UTF-8, sorted, one after another
    "term_ends": "<i8",  # where each of them ends
    "term_numbers": "<u4",  # and which term it is, in the order of `starts`
}
Arrays = dict[str, NDArray]


@dataclass(frozen=True)
class _Batch:
    """Counted triples of some texts: `terms` and `firsts` say where each term's postings lie in the other two."""

    terms: NDArray[np.int64]
    firsts: NDArray[np.int64]  # one longer than terms
    documents: NDArray[np.uint32]
    counts: NDArray[np.uint16]


def lucene_length(length: NDArray[np.int64]) -> NDArray[np.int64]:
    """Document lengths as Lucene keeps them in one byte: exact below 40, then with four significant bits."""
    over = np.maximum(length - 24, 0)  # the coding is exact up to 24 and a small float beyond
    shift = np.maximum(np.frexp(over)[1] - 4, 0)
    return np.where(length < 40, length, ((over >> shift) << shift) + 24)


class _Vocabulary(dict[str, int]):
    """Spelling to term number, found on first sight; `terms` numbers the terms in the order of their first use."""

    def __init__(self) -> None:
        super().__init__()
        self.terms: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        term = term_of(word)
        number = self.terms.setdefault(term, len(self.terms)) if term else STOPPED
        if len(self) >= KNOWN_WORDS:
            self.clear()
        self[word] = number
        return number


def _count(numbers: array[int], lengths: array[int], first_document: int) -> _Batch:
    """Sort and count the term numbers of consecutive documents."""
    documents = np.repeat(np.arange(len(lengths), dtype=np.int64), np.frombuffer(lengths, dtype=np.int64))
    keys = (np.frombuffer(numbers, dtype=np.int64) << 32) | documents
    keys, counts = np.unique(keys[keys >= 0], return_counts=True)
    terms, firsts = np.unique(keys >> 32, return_index=True)
    return _Batch(
        terms,
        np.append(firsts, len(keys)),
        ((keys & 0xFFFFFFFF) + first_document).astype(np.uint32),
        np.minimum(counts, np.iinfo(np.uint16).max).astype(np.uint16),
    )


class PostingsBuilder:
    """Collects the texts of an index; with a folder, batches and results live on disk instead of in memory."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.lengths = array("q")  # terms per document, stop words not counted
        self._vocabulary = _Vocabulary()
        self._batches: list[_Batch] = []
        self._spilled: list[Path] = []

    def add(self, texts: Iterable[str]) -> None:
        """Read all texts; documents are numbered in this order."""
        numbers, lengths = array("q"), array("q")
        look_up = self._vocabulary.__getitem__
        for text in texts:
            before = len(numbers)
            numbers.extend(map(look_up, words_of(text)))
            lengths.append(len(numbers) - before)
            if len(numbers) >= BATCH_WORDS:
                self._close_batch(numbers, lengths)
                numbers, lengths = array("q"), array("q")
        self._close_batch(numbers, lengths)

    def _close_batch(self, numbers: array[int], lengths: array[int]) -> None:
        batch = _count(numbers, lengths, len(self.lengths))
        totals = np.zeros(len(lengths), dtype=np.int64)
        np.add.at(totals, batch.documents - np.uint32(len(self.lengths)), batch.counts)
        self.lengths.extend(totals.tolist())
        self._batches.append(_Batch(*(self._kept(part) for part in vars(batch).values())))

    def _kept(self, part: NDArray) -> NDArray:
        if self.folder is None:
            return part
        path = self.folder / f"batch-{len(self._spilled)}.npy"
        self._spilled.append(path)
        np.save(path, part)
        return np.load(path, mmap_mode="r")

    def finish(self) -> Arrays | None:
        """Merge the batches; the arrays of the index, or None where they were written to the folder."""
        frequency = np.zeros(len(self._vocabulary.terms), dtype=np.int64)
        for batch in self._batches:
            frequency[batch.terms] += np.diff(batch.firsts)
        starts = np.concatenate([[0], np.cumsum(frequency)])
        parts = self._merged(frequency, starts)
        if self.folder is None:
            blocks = list(parts)
            merged = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
            return {name: values.astype(ARRAYS[name]) for name, values in (merged | self._dictionary(starts)).items()}
        for name, values in self._dictionary(starts).items():
            values.astype(ARRAYS[name]).tofile(self.folder / name)
        for name in ("documents", "impacts", "peaks"):
            (self.folder / name).touch()
        for block in parts:
            for name, values in block.items():
                with (self.folder / name).open("ab") as file:
                    values.astype(ARRAYS[name]).tofile(file)
        self._batches.clear()
        for path in self._spilled:
            path.unlink()
        self._write_meta(int(starts[-1]))
        return None

    def _dictionary(self, starts: NDArray[np.int64]) -> Arrays:
        spelled = sorted(
            (term.encode(errors="surrogatepass"), number) for term, number in self._vocabulary.terms.items()
        )
        return {
            "starts": starts,
            "term_bytes": np.frombuffer(b"".join(term for term, _ in spelled), dtype=np.uint8),
            "term_ends": np.fromiter(accumulate(len(term) for term, _ in spelled), dtype=np.int64, count=len(spelled)),
            "term_numbers": np.fromiter((number for _, number in spelled), dtype=np.int64, count=len(spelled)),
        }

    def _write_meta(self, postings: int) -> None:
        assert self.folder is not None
        sizes = {name: (self.folder / name).stat().st_size for name in ARRAYS}
        meta = {
            "format": FORMAT,
            "k1": K1,
            "b": B,
            "documents": len(self.lengths),
            "postings": postings,
            "sizes": sizes,
        }
        (self.folder / META).write_text(json.dumps(meta), encoding="utf-8")  # last: its presence says "complete"

    def _merged(self, frequency: NDArray[np.int64], starts: NDArray[np.int64]) -> Iterator[Arrays]:
        """Documents, impacts and peaks, range of terms after range of terms."""
        lengths = np.frombuffer(self.lengths, dtype=np.int64)
        used = max(1, int(np.count_nonzero(lengths)))  # like Lucene, documents without a word do not count
        average = max(1.0, float(lengths.sum())) / used
        norms = K1 * (1 - B + B * lucene_length(lengths) / average)
        idf = np.log1p((used - frequency + 0.5) / (frequency + 0.5))
        first = 0
        while True:
            last = int(np.searchsorted(starts, starts[first] + MERGE_POSTINGS, side="right")) - 1
            last = min(max(last, first + 1), len(frequency))
            documents, counts = self._range(first, last, starts)
            impacts = np.repeat(idf[first:last], frequency[first:last])
            impacts = (impacts * counts / (counts + norms[documents])).astype(np.float32)
            edges = (starts[first:last] - starts[first]).astype(np.int64)
            peaks = np.maximum.reduceat(impacts, edges) if last > first else np.empty(0, np.float32)
            yield {"documents": documents, "impacts": impacts, "peaks": peaks}
            first = last
            if first >= len(frequency):
                return

    def _range(
        self, first: int, last: int, starts: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
        """The postings of the terms from `first` to before `last`, by term and then by document."""
        size = int(starts[last] - starts[first])
        documents, counts = np.empty(size, np.uint32), np.empty(size, np.float64)
        free = starts[first:last] - starts[first]  # where the next posting of each term goes
        for batch in self._batches:  # in document order, so each term's documents stay ascending
            low, high = np.searchsorted(batch.terms, [first, last])
            firsts = np.asarray(batch.firsts[low : high + 1])
            sizes, terms = np.diff(firsts), np.asarray(batch.terms[low:high]) - first
            places = np.repeat(free[terms] - (firsts[:-1] - firsts[0]), sizes) + np.arange(firsts[-1] - firsts[0])
            documents[places] = batch.documents[firsts[0] : firsts[-1]]
            counts[places] = batch.counts[firsts[0] : firsts[-1]]
            free[terms] += sizes
        return documents, counts
