"""Full-text search over the documents of a world: BM25, in memory or on disk, for a thousand or a million texts.

bm25s (Lù 2024, arXiv:2407.03618) builds and stores the index: for each term, the documents it occurs in and what it
adds to their scores. It has k1 = 0.9 and b = 0.4 over Porter stems, the defaults of the Lucene index that the published
WebShop results were made with. Retrieval is a thresholded top-k over these arrays, because summing a score for every
document, as the library does, is too slow for a million of them.

A query is a bag of words: no character has a meaning, and no query raises. Equal scores are ordered by document number,
so results are the same in every process.
"""

from __future__ import annotations

import json
import threading
from array import array
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import bm25s
import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import DataError
from agentgym.envs._kit.english import terms_of

K1, B = 0.9, 0.4
FORMAT = 2
META = "index.json"
REMEMBERED_QUERIES = 1_024  # about 2 MB of results
REMEMBERED_TERMS = 16_384
PROBE_COST = 12  # one binary search in a posting list costs about as much as adding this many postings
PRUNE_ABOVE = 20_000  # with fewer postings than this, bounds cost more than they save
SLACK = 1e-4  # relative room for single-precision sums in the pruning bounds; scores themselves are not affected


class _Term(NamedTuple):
    """One query term: where it occurs, what it adds there, and the most it adds anywhere."""

    documents: NDArray[np.int32]
    impacts: NDArray[np.float32]
    peak: float

    def repeated(self, times: int) -> _Term:
        """The term of a query that says it so often."""
        return _Term(self.documents, self.impacts * np.float32(times), self.peak * times)


class SearchIndex:
    """A read-only index over numbered documents.

    Safe to share between threads, and between processes after a fork: the arrays are never written, and each thread
    sums scores in its own buffer (four bytes per document). On disk the index is memory-mapped, so processes that open
    the same folder share its pages. Recent queries are remembered; results do not depend on what was asked before.
    """

    def __init__(self, library: Any, documents: int) -> None:
        self._library = library  # None where no document has a word
        self._closed = False
        self._documents = documents
        self._local = threading.local()
        self._term = lru_cache(REMEMBERED_TERMS)(self._find)
        self._remembered = lru_cache(REMEMBERED_QUERIES)(self._ranked)

    @classmethod
    def build(cls, texts: Iterable[str], path: Path | None = None) -> SearchIndex:
        """Index `texts` in one pass; document i is the i-th text.

        Args:
            texts: Any iterable, read once and never held as a whole; what is held is four bytes a word.
            path: Folder for the index, empty or not there yet; without it the index stays in memory. An index is
                complete when its `index.json` is there, which is written last.

        Raises:
            DataError: if `path` is not an empty folder.
        """
        if path is not None:
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()):
                raise DataError(f"cannot build a search index in {path}: the folder is not empty; give an empty one")
        vocabulary: dict[str, int] = {}
        numbered = [
            array("i", (vocabulary.setdefault(term, len(vocabulary)) for term in terms_of(text))) for text in texts
        ]
        library = bm25s.BM25(k1=K1, b=B, method="lucene")
        if vocabulary:
            library.index((numbered, vocabulary), create_empty_token=False, show_progress=False)
        index = cls(library if vocabulary else None, len(numbered))
        if path is None:
            return index
        if vocabulary:
            library.save(str(path), show_progress=False)
        (path / META).write_text(json.dumps(_meta(path, len(numbered))), encoding="utf-8")
        return cls.open(path)

    @classmethod
    def open(cls, path: Path) -> SearchIndex:
        """Open an index that `build` left in a folder.

        Raises:
            DataError: if the folder holds no complete index of this version.
        """
        try:
            meta = json.loads((path / META).read_text(encoding="utf-8"))
            if meta != _meta(path, meta["documents"]):
                raise ValueError("its files are of another version or size")
            library = bm25s.BM25.load(str(path), mmap=True, show_progress=False) if len(meta["sizes"]) else None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"no usable search index in {path} ({error}); delete the folder and build it again"
            ) from None
        return cls(library, int(meta["documents"]))

    def __len__(self) -> int:
        return self._documents

    def close(self) -> None:
        """Let go of the index's memory and files; searching afterwards raises ValueError."""
        self._library = None
        self._closed = True
        self._local = threading.local()
        self._term.cache_clear()
        self._remembered.cache_clear()

    def search(self, query: str, k: int = 50) -> list[int]:
        """The numbers of the `k` documents that fit `query` best, best first; fewer where fewer share a word with it.

        Raises:
            ValueError: if `k` is below 1 or the index is closed.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        if self._closed:
            raise ValueError("the search index is closed; open it again")
        return list(self._remembered(query, k))

    def _find(self, term: str) -> _Term | None:
        if self._library is None or term not in self._library.vocab_dict:
            return None
        number, scores = self._library.vocab_dict[term], self._library.scores
        first, last = scores["indptr"][number : number + 2].tolist()
        impacts = np.asarray(scores["data"][first:last])
        return _Term(np.asarray(scores["indices"][first:last]), impacts, float(impacts.max()))

    def _terms(self, query: str) -> list[_Term]:
        """The query's known terms, those that can add most first: the order in which scores are summed."""
        terms = []
        for word, repeats in Counter(terms_of(query)).items():
            term = self._term(word)
            if term is not None:
                terms.append(term if repeats == 1 else term.repeated(repeats))
        return sorted(terms, key=lambda term: -term.peak)

    def _ranked(self, query: str, k: int) -> tuple[int, ...]:
        terms = self._terms(query)
        if not terms:
            return ()
        scores = self._scores()
        candidates = _best_candidates(terms, scores, k)
        order = np.argsort(-scores[candidates], kind="stable")  # candidates ascend, so ties keep document order
        return tuple(candidates[order[:k]].tolist())

    def _scores(self) -> NDArray[np.float32]:
        """This thread's score buffer, all zero; its length is rounded up to a multiple of eight."""
        scores: NDArray[np.float32] | None = getattr(self._local, "scores", None)
        if scores is None:
            scores = self._local.scores = np.zeros(-(-self._documents // 8) * 8, dtype=np.float32)
        else:
            scores.fill(0)
        return scores


def _meta(path: Path, documents: int) -> dict[str, Any]:
    """What `index.json` says of the files beside it."""
    sizes = {file.name: file.stat().st_size for file in sorted(path.iterdir()) if file.name != META}
    return {"format": FORMAT, "k1": K1, "b": B, "documents": documents, "sizes": sizes}


def _best_candidates(terms: list[_Term], scores: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Sum scores and return documents, ascending, among which are the `k` best with their full scores.

    This is MaxScore (Turtle and Flood 1995): once the terms still to come cannot together lift an unseen document
    among the best k, only documents already seen are followed, and of those only the ones that can still make it.
    The result is exact; pruning only saves work.
    """
    total = sum(len(term.documents) for term in terms)
    if total < PRUNE_ABOVE:
        for term in terms:
            np.add.at(scores, term.documents, term.impacts)
        return _at_least(_kth_best(scores, 0.0, k), scores)
    rest = [*np.cumsum([term.peak for term in reversed(terms)])[::-1].tolist(), 0.0]
    threshold = 0.0  # at least k documents score this much already
    for place, term in enumerate(terms):
        bound = threshold * (1 - SLACK) - rest[place] * (1 + SLACK)
        if bound > 0 and np.count_nonzero(scores >= bound) * PROBE_COST < len(term.documents):
            return _followed(_at_least(bound, scores), terms[place:], rest[place:], scores, threshold, k)
        np.add.at(scores, term.documents, term.impacts)
        threshold = _kth_best(scores.take(term.documents), threshold, k)
    return _at_least(threshold, scores)


def _at_least(bound: float, scores: NDArray[np.float32]) -> NDArray[np.int64]:
    """The documents, ascending, that have reached `bound` and share a word with the query."""
    reached = scores >= max(bound, float(np.finfo(np.float32).tiny))
    words = np.flatnonzero(reached.view(np.uint64))  # eight documents at a time: few of them have reached it
    rows, columns = np.nonzero(reached.reshape(-1, 8)[words])
    return words[rows] * 8 + columns


def _followed(
    candidates: NDArray[np.int64],
    terms: list[_Term],
    rest: list[float],
    scores: NDArray[np.float32],
    threshold: float,
    k: int,
) -> NDArray[np.int64]:
    """Add the remaining terms to the candidates, dropping those that can no longer be among the best k."""
    for place, term in enumerate(terms):
        if len(candidates) * PROBE_COST < len(term.documents):
            wanted = candidates.astype(np.int32)
            places = np.searchsorted(term.documents, wanted)
            places[places == len(term.documents)] = 0
            hits = term.documents[places] == wanted
            scores[candidates[hits]] += term.impacts[places[hits]]
        else:
            np.add.at(scores, term.documents, term.impacts)
        reached = scores.take(candidates)
        threshold = _kth_best(reached, threshold, k)
        candidates = candidates[reached >= threshold * (1 - SLACK) - rest[place + 1] * (1 + SLACK)]
    return candidates


def _kth_best(reached: NDArray[np.float32], threshold: float, k: int) -> float:
    """The k-th largest of these scores if it is above the threshold, else the threshold."""
    above = reached[reached > threshold]
    if len(above) < k:
        return threshold
    above.partition(len(above) - k)
    return float(above[len(above) - k])
