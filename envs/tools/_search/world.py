"""`SearchEnv`: a world whose agent searches passages and then answers once; base of SearchQA and MaskedSpans."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from agentgym.core.checks import check_callable, check_model, check_path
from agentgym.core.errors import ConfigError
from agentgym.core.generated import EnvConfig, checked, share, switch, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.envs._kit.retrieval.backends import (
    Bm25Backend,
    DenseBackend,
    Embed,
    ModelBackend,
    NoisyBackend,
    SearchBackend,
    check_backend,
)
from agentgym.envs._kit.retrieval.corpora import Corpus, Passage, open_encyclopedia
from agentgym.envs._kit.retrieval.files import open_corpus
from agentgym.envs._kit.retrieval.scoring import normalized

LONGEST = 2_000  # characters of a passage that are shown
NOTHING = "No passage shares a word with the query; search for other words."
RECALL = "There is no search engine: write yourself what a passage on this says, with information[...]."
MEMORY = "From memory"
ONE = "A turn takes one action, and no action stands inside another: first one, then the next."
ANOTHER = re.compile(r"\b(?:search|answer|finish|judge|information)\[", re.IGNORECASE)
ARTICLES = (10_000, 30_000)
SHORT = 3  # letters of a word that a random player does not search for
SEARCH = Command(
    "search[<query>]",
    "look for passages that share words with the query.",
    examples=("search[capital of Peru]", "search[Marie Curie born]"),
)
JUDGE = Command(
    "judge[<verdict>]",
    "say whether the last results help to answer: yes keeps them, no sets them aside.",
    examples=("judge[yes]", "judge[no]"),
    choices={"verdict": ("yes", "no")},
)
INFORMATION = Command(
    "information[<text>]",
    "write from memory what a passage on the last query says.",
    examples=("information[Lima is the capital of Peru.]",),
)


def path_of(name: str, value: Any) -> str:
    """The whole path of a file, as a text.

    Args:
        name: What the value is called.
        value: What was given.

    Raises:
        ConfigError: if it is no path.
    """
    return str(check_path(name, value, "a file").expanduser().resolve())


def _embedder(name: str, value: Any) -> Embed:
    return check_callable(name, value, "a function of a list of texts that gives their vectors")


@dataclass(frozen=True)
class SearchConfig(EnvConfig):
    """The keyword arguments of every world of searches."""

    articles: int = whole(10_000, *ARTICLES)
    corpus: str | None = checked(None, path_of)
    backend: Any = checked("bm25", check_backend, shapes_tasks=False)
    embed: Any = checked(None, _embedder, shapes_tasks=False)
    model: Any = checked(None, check_model, shapes_tasks=False)
    noise: float = share(0.0, shapes_tasks=False)
    noise_seed: int = whole(0, 0, 2**31, shapes_tasks=False)
    results: int = whole(3, 1, 20, shapes_tasks=False)
    budget: int = whole(8, 1, 1_000, shapes_tasks=False)
    judge_action: bool = switch(False, shapes_tasks=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.embed is not None) != (self.backend == "dense"):
            raise ConfigError("backend='dense' and embed=<function of texts> belong together; give both, or neither")
        if self.model is not None and self.backend != "self":
            raise ConfigError("model answers searches with backend='self' only; give that too, or leave model out")
        if self.backend == "self" and self.noise:
            raise ConfigError("noise has no effect with backend='self', which searches nothing; leave one out")


@dataclass(slots=True)
class SearchState:
    """All that changes in an episode.

    Attributes:
        queries: Of the searches made, in order.
        seen: Title and text of every passage shown, in order; what the expert knows.
        found: Supporting passages shown, by place in the task.
        query: What the agent has yet to answer itself; empty if nothing.
        useful: Whether the last results held a supporting passage; None if there is nothing to be judged.
    """

    queries: list[str] = field(default_factory=list)
    seen: list[tuple[str, str]] = field(default_factory=list)
    found: list[int] = field(default_factory=list)
    query: str = ""
    useful: bool | None = None


@cache
def grammar_of(world: type[SearchEnv], judge: bool, recall: bool) -> Grammar:
    """The commands of a world, with those that its options add.

    Args:
        world: Its class.
        judge: Whether results can be judged.
        recall: Whether the agent answers its searches itself.
    """
    added = [*([INFORMATION] if recall else []), *([JUDGE] if judge else [])]
    first, *rest = world.grammar.commands
    return Grammar([first, *added, *rest], rules=world.grammar.rules)


@lru_cache(maxsize=4)
def dense(corpus: Corpus, embed: Embed) -> DenseBackend:
    """The vectors of a corpus; computed once in a process for each function.

    Args:
        corpus: What is searched.
        embed: Texts to vectors.
    """
    return DenseBackend(corpus, embed)


class SearchEnv(LanguageEnv, ABC):
    """A world of searches and one answer.

    A subclass sets `_supports` to what shows a supporting passage, and says in `_answered` what an answer is worth.
    """

    config = SearchConfig()
    grammar: Any
    action_length: ClassVar[int] = 2_048
    _state: SearchState
    _supports: Sequence[frozenset[str]] = ()  # for each: titles, normalized, of which one must be shown
    _answers: Sequence[str] = ()  # without supporting titles: a passage that holds one of these

    def _configured(self) -> None:
        self._recalls = self.config.backend == "self" and self.config.model is None
        kind: Any = type(self)  # mypy takes no class for hashable here
        self.grammar = grammar_of(kind, self.config.judge_action, self._recalls)
        self._corpus = corpus_of(self.config)
        if not self._recalls:
            self._engine = self._backend()

    def _backend(self) -> SearchBackend:
        config = self.config
        engine: SearchBackend
        if config.backend == "dense":
            engine = dense(self._corpus, config.embed)
        elif config.backend == "self" and config.model is not None:
            engine = ModelBackend(config.model)
        elif isinstance(config.backend, str):
            engine = Bm25Backend(self._corpus)
        else:
            engine = config.backend
        return NoisyBackend(engine, config.noise, config.noise_seed) if config.noise else engine

    @abstractmethod
    def _answered(self, said: str) -> Outcome:
        """What an answer leads to; the episode ends."""

    def _hidden(self, passage: Passage) -> bool:
        """Whether a passage is left out of all results."""
        return False

    def _step(self, call: Call) -> Outcome:
        state = self._state
        if any(ANOTHER.search(said) for said in call.slots.values()):
            return self.refuse(ONE)
        if call.name == "search":
            return self._search(call["query"])
        if call.name == "answer":
            return self._answered(call["answer"])
        if call.name == "judge":
            return self._judge(call["verdict"])
        if not state.query:
            return self.refuse("There is no query to write information on; use search[...] first.")
        query, state.query = state.query, ""
        return self._shown(query, [Passage(MEMORY, call["text"])])

    def _search(self, query: str) -> Outcome:
        state, budget = self._state, self.config.budget
        if len(state.queries) >= budget:
            return self.refuse(f"The budget of {budget} searches is spent; answer now, with answer[...].")
        state.queries.append(query)
        if self._recalls:
            state.query = query
            return Outcome(RECALL, metrics=self._terms(), events=({"type": "search", "query": query, "titles": []},))
        found = self._engine.search(query, self.config.results + 1, self.task.id)
        return self._shown(query, [each for each in found if not self._hidden(each)][: self.config.results])

    def _shown(self, query: str, found: Sequence[Passage]) -> Outcome:
        """The results of a search, with what they are worth."""
        state = self._state
        new = [place for place in range(self._wanted) if place not in state.found and self._shows(place, found)]
        state.useful = any(self._shows(place, found) for place in range(self._wanted))
        state.found = sorted([*state.found, *new])
        state.seen.extend((passage.title, passage.text) for passage in found)
        told = "\n".join(
            f"Doc {number}(Title: {title}) {text[:LONGEST]}" for number, (title, text) in enumerate(found, 1)
        )
        event = {"type": "search", "query": query, "titles": [passage.title for passage in found]}
        terms = self._terms(retrieval=len(new) / self._wanted if self._wanted else 0.0)
        return Outcome(told or NOTHING, events=(event,), metrics=terms, progress=self._share)

    @property
    def _wanted(self) -> int:
        return len(self._supports) or int(bool(self._answers))

    @property
    def _share(self) -> float:
        return len(self._state.found) / self._wanted if self._wanted else 0.0

    def _shows(self, place: int, found: Sequence[Passage]) -> bool:
        if self._supports:
            return any(normalized(passage.title) in self._supports[place] for passage in found)
        texts = [f" {normalized(passage.text)} " for passage in found if passage.title != MEMORY]
        return any(f" {normalized(answer)} " in text for answer in self._answers for text in texts)

    def _judge(self, verdict: str) -> Outcome:
        useful = self._state.useful
        if useful is None:
            return self.refuse("There are no results to judge; search first, and judge results once.")
        self._state.useful = None
        right = useful == (verdict == "yes")
        text = "You keep the last results." if verdict == "yes" else "You set the last results aside; search on."
        event = {"type": "judge", "verdict": verdict}
        return Outcome(text, events=(event,), metrics=self._terms(judge=1.0 if right else -1.0))

    def _terms(self, **terms: float) -> Mapping[str, float]:
        """The reward terms of a valid action, each under its own key."""
        return {"format": 1.0, "searches": float(len(self._state.queries)), **terms}

    def _key_state(self) -> Any:
        state = self._state
        return [len(state.queries), state.found, state.query, state.useful]

    def _sample(self, rng: np.random.Generator) -> str:
        """Searches for some words of the task, judges, or answers with something that was shown."""
        state, words = self._state, self.task.instruction.split()
        if self._recalls and state.query and rng.random() < 0.8:
            return f"information[{' '.join(words[:6])}]"
        if self.config.judge_action and state.useful is not None and rng.random() < 0.5:
            return f"judge[{('yes', 'no')[int(rng.integers(2))]}]"
        if len(state.queries) < self.config.budget and rng.random() < 0.7:
            long = [word.strip("?.,;:") for word in words if len(word) > SHORT] or words
            return f"search[{' '.join(str(rng.choice(long)) for _ in range(2))}]"
        return f"answer[{self._any_answer(rng)}]"

    def _any_answer(self, rng: np.random.Generator) -> str:
        """Some words that were shown."""
        seen = self._state.seen
        words = (seen[int(rng.integers(len(seen)))][1] if seen else self.task.instruction).split()
        first = int(rng.integers(len(words)))
        return " ".join(words[first : first + 1 + int(rng.integers(2))]).strip(".,;")


def corpus_of(config: SearchConfig) -> Corpus:
    """What is searched: the user's passages, or the encyclopaedia.

    Args:
        config: Of the world.
    """
    return open_encyclopedia(config.articles) if config.corpus is None else open_corpus(Path(config.corpus))
