"""Who answers a search: BM25, nearest vectors, a language model from what it remembers, or any of them with noise."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from agentgym.assets.cache import derived_folder
from agentgym.core.errors import ConfigError, Unanswerable, require
from agentgym.core.rng import stream, stream_seed
from agentgym.core.text_model import TextModel
from agentgym.envs._kit.retrieval.corpora import Corpus, Passage, StoredCorpus

Embed = Callable[[Sequence[str]], Any]  # texts to an array of shape (texts, dimensions)
BATCH = 256  # texts embedded at once
NEIGHBORS, BUILD_WIDTH, SEARCH_WIDTH = 16, 200, 128  # of the graph (M, ef_construction, ef)
SPARE = 4  # more results than asked for, so that noise has something to replace by
REMEMBERED = 1_024  # answers of a model
RECALLED = (
    "You are a search engine. Write what an encyclopedia says that answers the query, in at most 80 words. "
    "Write nothing else."
)


class SearchBackend(Protocol):
    """What answers queries; equal queries at one place get equal answers."""

    def search(self, query: str, k: int, place: str) -> Sequence[Passage]:
        """Up to `k` passages, best first.

        Args:
            query: Any text.
            k: How many are wanted.
            place: The task under way; answers that are drawn depend on it.
        """


class Bm25Backend:
    """The words of the query, by BM25. The index is built here, so that no search of an episode waits for it.

    Args:
        corpus: What is searched.
    """

    def __init__(self, corpus: Corpus):
        corpus.ready()
        self._corpus = corpus

    def search(self, query: str, k: int, place: str = "") -> list[Passage]:
        """The `k` passages that share most with `query`, whatever the `place`; see `SearchBackend`."""
        return [self._corpus.get(number) for number in self._corpus.rank(query, k)]


class DenseBackend:
    """The passages whose vectors are nearest to that of the query, by the cosine, through hnswlib's graph.

    One thread builds and searches the graph, so equal vectors give equal results. For a corpus on disk the graph is
    kept beside it, under a name that depends on what `embed` makes of a probe.

    Args:
        corpus: What is searched.
        embed: Texts to an array of shape (texts, dimensions); titles and texts are joined by a line break.

    Raises:
        MissingExtra: if hnswlib is not installed.
        ConfigError: if `embed` gives something else.
    """

    def __init__(self, corpus: Corpus, embed: Embed):
        self._corpus, self._embed = corpus, embed
        self._library = require("hnswlib", extra="dense", purpose="searching by vectors")
        probe = self._vectors(["A probe, to tell embeddings apart."])
        self._graph = self._library.Index(space="cosine", dim=probe.shape[1])
        if isinstance(corpus, StoredCorpus):
            name = f"vectors-{hashlib.blake2b(probe.tobytes(), digest_size=8).hexdigest()}"
            folder = derived_folder(corpus.folder.parent / f"{corpus.folder.name}-dense", name, self._save)
            self._graph.load_index(str(folder / "graph"), max_elements=len(corpus))
        else:
            self._build()
        self._graph.set_num_threads(1)
        self._graph.set_ef(SEARCH_WIDTH)

    def search(self, query: str, k: int, place: str = "") -> list[Passage]:
        """The `k` passages nearest to `query`, whatever the `place`; see `SearchBackend`."""
        labels, _ = self._graph.knn_query(self._vectors([query]), k=min(k, len(self._corpus)))
        return [self._corpus.get(int(number)) for number in labels[0]]

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = np.asarray(self._embed(texts), dtype=np.float32)
        if found.ndim != 2 or len(found) != len(texts) or not np.isfinite(found).all():
            raise ConfigError(f"embed must give finite vectors, shape ({len(texts)}, dimensions); got {found.shape}")
        return found

    def _build(self) -> None:
        size = len(self._corpus)
        self._graph.init_index(max_elements=size, M=NEIGHBORS, ef_construction=BUILD_WIDTH, random_seed=0)
        self._graph.set_num_threads(1)
        for first in range(0, size, BATCH):
            numbers = np.arange(first, min(first + BATCH, size))
            texts = ["\n".join(self._corpus.get(int(number))) for number in numbers]
            self._graph.add_items(self._vectors(texts), numbers)

    def _save(self, folder: Path) -> None:
        self._build()
        self._graph.save_index(str(folder / "graph"))


class ModelBackend:
    """A language model that writes from memory what a search would find: self-search.

    Args:
        model: Asked once for each query at a place.

    Source: SSRL (Fan et al. 2025, arXiv:2508.10874), in which that model is the policy itself.
    """

    def __init__(self, model: TextModel):
        self._model = model
        self._told = lru_cache(maxsize=REMEMBERED)(self._asked)

    def search(self, query: str, k: int, place: str = "") -> list[Passage]:
        """What the model writes on `query` at `place`, as one passage.

        None if it writes nothing or refuses the query; `k` has no effect, because there is never more than one.
        """
        text = self._told(query, place)
        return [Passage("From memory", text)] if text else []

    def _asked(self, query: str, place: str) -> str:
        messages = [{"role": "system", "content": RECALLED}, {"role": "user", "content": query}]
        try:
            reply = self._model.complete(messages, seed=stream_seed("search.recall", place, query), max_tokens=256)
        except Unanswerable:  # the query is the agent's, and its words void nothing
            return ""
        return " ".join(reply.text.split())


class NoisyBackend:
    """Another back end whose results are dropped or replaced now and then, by a stream of the task and the query.

    Half of what is hit is dropped, half is replaced by a passage that ranks behind what was asked for.

    Args:
        inner: The back end.
        share: Of the results that are hit, 0 to 1.
        seed: Of the stream.
    """

    def __init__(self, inner: SearchBackend, share: float, seed: int = 0):
        self._inner, self._share, self._seed = inner, share, seed

    def search(self, query: str, k: int, place: str = "") -> list[Passage]:
        """What the other back end finds for `query`, less what the noise takes; see `SearchBackend`.

        Args:
            query: Passed on; the noise is drawn for it.
            k: Most passages; the other back end is asked for more, to replace some.
            place: Passed on; the noise is drawn for it.
        """
        found = list(self._inner.search(query, SPARE * k, place))
        rng = stream("search.noise", self._seed, place, query)
        kept, spare = [], found[k:]
        for passage in found[:k]:
            hit, drop = rng.random(2)
            if hit >= self._share:
                kept.append(passage)
            elif drop < 0.5 and spare:
                kept.append(spare.pop(int(rng.integers(len(spare)))))
        return kept


def check_backend(name: str, value: Any) -> Any:
    """A name of a back end, or an object that searches.

    Args:
        name: What the value is called.
        value: What was given.

    Raises:
        ConfigError: if it is neither.
    """
    if value in ("bm25", "dense", "self") or callable(getattr(value, "search", None)):
        return value
    wanted = "'bm25', 'dense', 'self' or an object with search(query, k, place)"
    raise ConfigError(f"{name} must be {wanted}, got {value!r}")


__all__ = ["Bm25Backend", "DenseBackend", "ModelBackend", "NoisyBackend", "SearchBackend", "check_backend"]
