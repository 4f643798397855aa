"""SearchQA: answer a question by searching an encyclopaedia, or passages of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from agentgym.core.errors import ConfigError, TaskError, unknown
from agentgym.core.generated import checked, object_schema
from agentgym.core.grammar import Command, Grammar
from agentgym.core.outcome import Outcome
from agentgym.core.rng import stream
from agentgym.core.tasks import FiniteTaskSet, GeneratedTasks, Spec, Task, TaskSet
from agentgym.envs._kit.encyclopedia.rng import BlockRandom
from agentgym.envs._kit.retrieval.corpora import Passage
from agentgym.envs._kit.retrieval.files import StoredQuestions, open_questions
from agentgym.envs._kit.retrieval.scoring import exact_match, f1, normalized
from agentgym.envs.tools import SEARCH_QA
from agentgym.envs.tools._search.facts import open_facts
from agentgym.envs.tools._search.programs import Look, Unfit, program
from agentgym.envs.tools._search.questions import HOPS, KINDS, Draw, fits
from agentgym.envs.tools._search.reader import follow, queries
from agentgym.envs.tools._search.wording import read
from agentgym.envs.tools._search.world import SEARCH, SearchConfig, SearchEnv, SearchState, path_of

ANSWER = Command(
    "answer[<answer>]",
    "give the answer, in as few words as possible; this ends the episode.",
    examples=("answer[Lima]", "answer[1867]"),
    variants=("finish[<answer>]",),
)
SPLITS = ("val", "test", "train")
MOST_SAID = 1_000  # characters of a passage that is given as the answer
TEXT = {"type": "string", "minLength": 1, "maxLength": 1_000}
TEXTS = {"type": "array", "items": {"type": "string", "maxLength": 1_000}, "maxItems": 100}


def _some(name: str, value: Any, choices: tuple[Any, ...]) -> tuple[Any, ...]:
    """Some of a few values, in their order."""
    if not isinstance(value, (list, tuple)) or not value or any(each not in choices for each in value):
        raise ConfigError(f"{name} must be a list of some of {list(choices)}, got {value!r:.80}")
    return tuple(each for each in choices if each in value)


def _lengths(name: str, value: Any) -> tuple[int, ...]:
    return _some(name, value, tuple(range(1, HOPS + 1)))


def _kinds(name: str, value: Any) -> tuple[str, ...]:
    return _some(name, value, KINDS)


@dataclass(frozen=True)
class Config(SearchConfig):
    """The keyword arguments of `SearchQAEnv`."""

    questions: str | None = checked(None, path_of)
    hops: tuple[int, ...] | None = checked(None, _lengths)
    kinds: tuple[str, ...] | None = checked(None, _kinds)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.questions is not None and (self.hops or self.kinds):
            raise ConfigError("hops and kinds are of generated questions; leave them out, or questions")
        if self.corpus is not None and self.questions is None:
            raise ConfigError("a corpus of one's own needs questions about it: give questions=<path> too")


class SearchQAEnv(SearchEnv):
    """Answer a question with a search engine.

    Description: a generated encyclopaedia of 10,000 articles on invented places, people, works, living things, wars and
    institutions, whose facts agree from article to article and are nowhere else to be read. Questions are chains of
    one to four look-ups, comparisons of two or several things, orders and spans in time, and counts; some hundred and
    fifty facts, each asked for in two ways or more. The answer never stands in the question.

    Observation: the question, then the results of a search, `Doc 1(Title: T) text`, the best first.

    Actions: `search[<query>]`, a bag of words; `answer[<answer>]`. With `judge_action` also `judge[yes]` and
    `judge[no]` after a search. With `backend="self"` and no model, `information[<text>]` after a search: the agent
    writes what it remembers. The wrapper `CommandTags` makes these the tags of Search-R1.

    Reward: 1 for an answer that equals a right one when case, punctuation and articles are dropped (success), 0
    otherwise; the episode ends. `progress` is the share of the supporting passages that were shown. Terms in
    `info["metrics"]`, one key each: `exact_match`, `f1`, `retrieval`, `format`, `judge`.

    Splits: `train` without end, `val` and `test` 200 questions each. The article that decides a question of `val` or
    `test` belongs to that split alone: no question of `train` leads through it. No question is asked twice, in whatever
    words. With `questions`, the splits are those of the file.

    Oracle: searches for each supporting title and gives the answer. Expert: reads the question, searches for one
    article after the other, and reads the facts in their sentences; where it can, it judges what it found by whether
    that led it on.

    Args:
        articles: Of the encyclopaedia, 10,000 to 30,000.
        corpus: Path of passages in place of it: JSON lines or a JSON list, see `agentgym.envs._kit.retrieval.files`.
        questions: Path of questions in place of the generated ones, in the form of HotpotQA, 2WikiMultihopQA, Natural
            Questions (its own, that of NQ-open or of DPR), MuSiQue or Search-R1.
        hops: Of generated questions, how many articles must be read one after the other: a list of some of 1 to 4.
        kinds: Of generated questions: a list of some of `bridge`, `comparison`, `temporal` and `counting`.
        backend: Who answers searches: `bm25`, `dense` (nearest vectors, by hnswlib), `self` (a model, or the agent,
            from memory), or an object with `search(query, k, place)`.
        embed: Function of a list of texts that gives their vectors, for `dense`.
        model: A `TextModel` that answers searches, for `self`; without it the agent does.
        noise: Share of results that are dropped or replaced.
        noise_seed: Of the stream that says which.
        results: Passages a search shows at most.
        budget: Searches of an episode.
        judge_action: Whether results can be judged.

    Source: Search-R1 (Jin et al. 2025, arXiv:2503.09516) with the step of verl-agent: any answer ends. Judging: ReSeek
    (Li et al. 2025, arXiv:2510.00568), whose process reward is that of `judge`: 1 if a supporting passage was
    shown and the verdict is yes, or neither; otherwise -1. Self-search: SSRL (Fan et al. 2025, arXiv:2508.10874).
    Differences: a generated encyclopaedia in place of Wikipedia of 2018, BM25 in place of embeddings.
    """

    card = SEARCH_QA
    config = Config()
    grammar = Grammar(
        [SEARCH, ANSWER],
        rules="Answer the question. Search for what you need to know, one thing after the other; give a short answer.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "question": {**TEXT, "description": "in words"},
            "answers": {**TEXTS, "minItems": 1, "description": "ways to write the right answer"},
            "supports": {**TEXTS, "description": "titles of the passages that lead to it"},
            "kind": {"type": "string", "maxLength": 100, "description": "such as bridge or comparison"},
            "hops": {"type": "integer", "minimum": 1, "maximum": 100, "description": "passages one after the other"},
            "decides": {"type": "string", "maxLength": 1_000, "description": "title of the one that holds the answer"},
            "key": {"type": "string", "maxLength": 4_000, "description": "what is asked, whatever the words"},
        },
        optional=("supports", "kind", "hops", "decides", "key"),
    )

    @classmethod
    def generate_from_seed(cls, config: Config, seed: int) -> Spec:
        """A question about the encyclopaedia.

        Args:
            config: How many articles there are, and the hops and kinds of question that are wanted; None for any.
            seed: Names the stream of what is drawn. Wishes do not move its question to another split.

        Raises:
            TaskError: if there is no question of these hops and kinds.
        """
        facts, hops, kinds = open_facts(config.articles), config.hops or (), config.kinds or ()
        words = stream("search_qa.question", seed).integers(2**32, size=4).tolist()
        spec = Draw(facts, BlockRandom(words, 64)).question()
        if not (hops and spec["hops"] not in hops) and not (kinds and spec["kind"] not in kinds):
            return spec
        # The seed stays in the split that it was listed for, so the panels keep their size.
        split = next((split for split in SPLITS if fits(split, spec)), "")
        words = stream("search_qa.narrowed", seed).integers(2**32, size=4).tolist()
        found = Draw(facts, BlockRandom(words, 64)).narrowed(hops, kinds, split)
        if found is None:
            raise TaskError(f"there are no questions of kind {kinds or KINDS} over {hops or 'any number of'} hops")
        return found

    @classmethod
    def make_tasks(cls, config: Config) -> GeneratedTasks | None:
        """Generated questions, unless the user brings questions."""
        return super().make_tasks(config) if config.questions is None else None

    def tasks(self, split: str) -> TaskSet:
        """The questions of a split."""
        if self.config.questions is None:
            return super().tasks(split)
        return _panel(Path(self.config.questions), split)

    @staticmethod
    def fits(config: Config, split: str, spec: Spec) -> bool:
        """Whether the question of `spec` may stand in `split`, whatever the `config`; see `questions.fits`."""
        return fits(split, spec)

    @staticmethod
    def content_key(spec: Spec) -> str:
        """What is asked, whatever the words."""
        return str(spec.get("key") or normalized(spec["question"]))

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The question."""
        return f"Question: {spec['question']}"

    def check_task(self, spec: Spec) -> None:
        """The answers must be words."""
        if not all(normalized(answer) for answer in spec["answers"]):
            raise TaskError(f"an answer must hold a letter or digit beside articles, got {spec['answers']!r:.80}")

    def _kind(self, spec: Spec) -> str:
        return str(spec.get("kind", ""))

    def _reset(self, task: Task) -> str:
        self._answers = task.spec["answers"]
        self._supports = [frozenset([normalized(title)]) for title in task.spec.get("supports", ())]
        self._question = read(task.spec["question"]) if self.config.questions is None else None
        self._state = SearchState()
        return task.instruction

    def _answered(self, said: str) -> Outcome:
        right = exact_match(said, self._answers)
        terms = self._terms(
            exact_match=float(right), f1=f1(said, self._answers), hops=float(self.task.spec.get("hops", 1))
        )
        text = "That is right." if right else "That is not right."
        return Outcome(
            text, reward=float(right), terminated=True, success=right, metrics=terms,
            events=({"type": "answer", "answer": said},),
        )  # fmt: skip

    def _oracle(self) -> str:
        titles, shown = self.task.spec.get("supports", ()), self._state
        if shown.query:
            return f"information[{shown.query}]"
        if len(shown.queries) < min(len(titles), self.config.budget):
            return f"search[{titles[len(shown.queries)]}]"
        return f"answer[{self._answers[0]}]"

    def _expert(self) -> str:
        """The next search or the answer, from what was read; without a plan, the first title that was found."""
        state = self._state
        if state.query:
            return f"information[{state.query}]"
        spent = len(state.queries) >= self.config.budget
        if self._question is None:
            return f"answer[{self._first_title()}]" if state.seen or spent else f"search[{self._plain()}]"
        if self.config.judge_action and state.useful is not None:
            before = len(state.seen) - self.config.results
            return f"judge[{'yes' if self._next(before) != self._next(len(state.seen)) else 'no'}]"
        step = self._next(len(state.seen))
        if not isinstance(step, Look):
            return f"answer[{step[0]}]"
        tried = self._tried(step)
        return f"answer[{self._first_title()}]" if spent or tried is None else f"search[{tried}]"

    def _next(self, seen: int) -> Look | list[str]:
        """What the first passages that were shown leave to be looked for, or the answers that they tell."""
        assert self._question is not None
        try:
            return follow(program(self._question), [Passage(*each) for each in self._state.seen[: max(0, seen)]])
        except Unfit:
            return [self._first_title()]

    def _tried(self, look: Look) -> str | None:
        """The next query for a thing that was not found yet; None if all were tried."""
        made = set(self._state.queries)
        return next((query for query in queries(look) if query not in made), None)

    def _plain(self) -> str:
        return " ".join(self.task.spec["question"].replace("[", " ").replace("]", " ").split())

    def _first_title(self) -> str:
        return self._state.seen[0][0] or "unknown" if self._state.seen else "unknown"

    def _shortcut(self, name: str) -> str:
        """Searches for the question as it stands, and answers with what is found first, or with what it asks about."""
        state = self._state
        if state.query:
            return f"information[{state.query}]"
        if not state.queries:
            return f"search[{self._plain()}]"
        if name == "title":
            return f"answer[{self._first_title()}]"
        found = state.seen[0][1] if state.seen else self._plain()
        return f"answer[{' '.join(found.replace('[', ' ').replace(']', ' ').split())[:MOST_SAID]}]"

    def _reference(self) -> Any:
        """The right answers, and the titles of the supporting passages."""
        return {"answers": list(self._answers), "supports": list(self.task.spec.get("supports", ()))}


@lru_cache(maxsize=16)
def _panel(path: Path, split: str) -> FiniteTaskSet:
    """The questions of a file that stand in a split."""
    stored: StoredQuestions = open_questions(path)
    if split not in stored.splits:
        raise unknown("split", split, stored.splits)

    def make(name: str) -> Task:
        spec = stored.get(name)
        return Task(name, split, SearchQAEnv.instruction(spec), spec)

    return FiniteTaskSet(split, stored.splits[split], make)
