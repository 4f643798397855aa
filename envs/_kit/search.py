"""Full-text search over the documents of a world: BM25 ranking, in memory or on disk, of a thousand or a million texts.

Scores are BM25 with k1 = 0.9 and b = 0.4 over Porter stems, with Lucene's document lengths, so that rankings follow
those of the Lucene index the published WebShop results were made with. A query is a bag of words: no character has a
meaning, and no query raises. Equal scores are ordered by document number: results are the same in every process.
"""

from __future__ import annotations

import json
import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import DataError
from agentgym.envs._kit.english import cached_term_of, words_of
from agentgym.envs._kit.postings import ARRAYS, FORMAT, K1, META, Arrays, B, PostingsBuilder

REMEMBERED_QUERIES = 1_024  # about 2 MB of results
REMEMBERED_TERMS = 16_384
PROBE_COST = 12  # one binary search in a posting list costs about as much as adding this many postings
PRUNE_ABOVE = 20_000  # with fewer postings than this, bounds cost more than they save
SLACK = 1e-4  # relative room for single-precision sums in the pruning bounds; scores themselves are not affected


class _Term(NamedTuple):
    """One query term: where it occurs, what it adds there, the most it adds anywhere, how often it was asked for."""

    documents: NDArray[np.uint32]
    impacts: NDArray[np.float32]
    peak: float
    repeats: int = 1


class SearchIndex:
    """A read-only index over numbered documents.

    Safe to share between threads, and between processes after a fork: the arrays are never written, and each thread
    sums scores in its own buffer (four bytes per document). On disk the index is memory-mapped, so processes that open
    the same folder share its pages. Recent queries are remembered; results do not depend on what was asked before.
    """

    def __init__(self, arrays: Arrays, documents: int) -> None:
        self._arrays: Arrays | None = arrays
        self._documents = documents
        self._local = threading.local()
        self._term = lru_cache(REMEMBERED_TERMS)(self._find)
        self._remembered = lru_cache(REMEMBERED_QUERIES)(self._ranked)

    @classmethod
    def build(cls, texts: Iterable[str], path: Path | None = None) -> SearchIndex:
        """Index `texts` in one pass; document i is the i-th text.

        Args:
            texts: Any iterable, read once and never held as a whole.
            path: Folder for the index, empty or not there yet; without it the index stays in memory. An index is
                complete when its `index.json` is there, which is written last.

        Raises:
            DataError: if `path` is not an empty folder.
        """
        if path is not None:
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()):
                raise DataError(f"cannot build a search index in {path}: the folder is not empty; give an empty one")
        builder = PostingsBuilder(path)
        builder.add(texts)
        arrays = builder.finish()
        if path is not None:
            return cls.open(path)
        assert arrays is not None
        return cls(arrays, len(builder.lengths))

    @classmethod
    def open(cls, path: Path) -> SearchIndex:
        """Open an index that `build` left in a folder.

        Raises:
            DataError: if the folder holds no complete index of this version.
        """
        try:
            meta = json.loads((path / META).read_text(encoding="utf-8"))
            found = {name: (path / name).stat().st_size for name in ARRAYS}
            expected = {"format": FORMAT, "k1": K1, "b": B, "sizes": found}
            if {key: meta[key] for key in expected} != expected:
                raise ValueError("its files are of another version or size")
            documents = int(meta["documents"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"no usable search index in {path} ({error}); delete the folder and build it again"
            ) from None
        return cls({name: _mapped(path / name, kind) for name, kind in ARRAYS.items()}, documents)

    def __len__(self) -> int:
        return self._documents

    def close(self) -> None:
        """Let go of the index's memory and files; searching afterwards raises ValueError."""
        self._arrays = None
        self._local = threading.local()
        self._term.cache_clear()
        self._remembered.cache_clear()

    def search(self, query: str, k: int = 50) -> list[int]:
        """The numbers of the `k` best documents, best first; fewer where fewer share a word with the query.

        Raises:
            ValueError: if `k` is below 1 or the index is closed.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, got {k}")
        if self._arrays is None:
            raise ValueError("the search index is closed; open it again")
        return list(self._remembered(query, k))

    def _find(self, term: str) -> _Term | None:
        """Look a term up by binary search among the sorted terms."""
        assert self._arrays is not None
        text, ends = self._arrays["term_bytes"], self._arrays["term_ends"]
        wanted = term.encode(errors="surrogatepass")

        def spelled(rank: int) -> bytes:
            return text[ends[rank - 1] if rank else 0 : ends[rank]].tobytes()

        rank = bisect_left(range(len(ends)), wanted, key=spelled)
        if rank == len(ends) or spelled(rank) != wanted:
            return None
        number = int(self._arrays["term_numbers"][rank])
        first, last = self._arrays["starts"][number : number + 2].tolist()
        peak = float(self._arrays["peaks"][number])
        return _Term(self._arrays["documents"][first:last], self._arrays["impacts"][first:last], peak)

    def _terms(self, query: str) -> list[_Term]:
        """The query's known terms, those that can add most first: the order in which scores are summed."""
        counts = Counter(filter(None, map(cached_term_of, words_of(query))))
        known = [(found, repeats) for term, repeats in counts.items() if (found := self._term(term)) is not None]
        terms = [
            _Term(term.documents, term.impacts * np.float32(repeats), term.peak * repeats, repeats)
            if repeats > 1
            else term
            for term, repeats in known
        ]
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


def _mapped(path: Path, kind: str) -> NDArray:
    if path.stat().st_size == 0:  # an index without a term; an empty file cannot be mapped
        return np.empty(0, dtype=kind)
    return np.asarray(np.memmap(path, dtype=kind, mode="r"))


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
            wanted = candidates.astype(np.uint32)
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
