"""MaskedSpans: fill in what is masked in a passage by searching others."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from agentgym.core.errors import TaskError
from agentgym.core.generated import object_schema, whole
from agentgym.core.grammar import Command, Grammar
from agentgym.core.outcome import Outcome
from agentgym.core.rng import stream
from agentgym.core.tasks import Spec, Task
from agentgym.envs._kit.encyclopedia.rng import BlockRandom
from agentgym.envs._kit.retrieval.corpora import Passage
from agentgym.envs._kit.retrieval.scoring import exact_match, normalized, recall
from agentgym.envs.tools import MASKED_SPANS
from agentgym.envs.tools._search import spans
from agentgym.envs.tools._search.questions import part_of
from agentgym.envs.tools._search.world import SEARCH, SearchConfig, SearchEnv, SearchState, corpus_of

PARTS = {0: "val", 1: "test"}  # the split of a seed by its last digit; all others are of `train`
MOST = 8
MOST_SAID = 1_600  # characters of an answer that is made of passages
ANSWER = Command(
    "answer[<answer>]",
    "say what the masks stand for, in their order, with semicolons between; this ends the episode.",
    examples=("answer[Lima; 1867]", "answer[Marie Curie]"),
    variants=("finish[<answer>]",),
)
TEXT = {"type": "string", "minLength": 1, "maxLength": 12_000}
NAMES = {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 400}, "maxItems": 20}


@dataclass(frozen=True)
class Config(SearchConfig):
    """The keyword arguments of `MaskedSpansEnv`."""

    masks: int = whole(2, 1, MOST)


class MaskedSpansEnv(SearchEnv):
    """Fill in the masked spans of a passage.

    Description: a passage of a corpus in which some names, dates and numbers are masked, each wherever it stands. The
    passage itself is left out of all results; each masked span stands in another passage that names the same subject.
    The corpus is the generated encyclopaedia of SearchQA, or one of your own.

    Observation: title and text with `[MASK 1]`, `[MASK 2]`, then the results of a search, `Doc 1(Title: T) text`.

    Actions: `search[<query>]`; `answer[<span>; <span>]` with as many spans as there are masks, in their order. Options
    add those of SearchQA.

    Reward: the share of the spans that are right when case, punctuation and articles are dropped; success if all are.
    The episode ends with the answer. `progress` is the share of the spans for which a passage that tells them was
    shown. Terms in `info["metrics"]`, one key each: `matched`, `recall`, `retrieval`, `format`, `judge`.

    Splits: `train` without end, `val` and `test` 200 passages each; no article is asked about in two splits.

    Oracle: searches for a passage that tells each span. Expert: searches for the title and for the words around each
    mask, and fills in the spans whose surroundings are most like those of the mask.

    Args:
        articles: As in SearchQA.
        corpus: Path of passages as in SearchQA.
        masks: Spans that are masked, 1 to 8.
        backend: As in SearchQA.
        embed: As in SearchQA.
        model: As in SearchQA.
        noise: As in SearchQA.
        noise_seed: As in SearchQA.
        results: As in SearchQA.
        budget: As in SearchQA.
        judge_action: As in SearchQA.

    Source: MaskSearch (Wu et al. 2025, arXiv:2505.20285), retrieval-augmented mask prediction, whose curriculum is the
    number of masks; scored there by recall and by a model. Differences: spans are found by rules, each is checked to
    stand in another passage, and the passage itself cannot be found.
    """

    card = MASKED_SPANS
    config = Config()
    grammar = Grammar(
        [SEARCH, ANSWER],
        rules="Find out what the masks in the passage stand for. The passage itself cannot be found; others tell it.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "title": {"type": "string", "minLength": 1, "maxLength": 400, "description": "of the passage"},
            "text": {**TEXT, "description": "with [MASK 1], [MASK 2] and so on"},
            "spans": {**NAMES, "minItems": 1, "description": "what the masks stand for, in order"},
            "supports": {
                "type": "array",
                "items": NAMES,
                "maxItems": 20,
                "description": "titles for each",
            },
        },
        optional=("supports",),
    )

    @classmethod
    def generate_from_seed(cls, config: Config, seed: int) -> Spec:
        """A passage of the part that belongs to the seed.

        Args:
            config: The articles, and how many masks.
            seed: Its last digit says of which split the article is; all of it names the stream of what is drawn.
        """
        part = PARTS.get(seed % 10, "train")
        words = stream("masked_spans.passage", seed).integers(2**32, size=4).tolist()
        wanted: Callable[[str], bool] = lambda title: part_of(title) == part  # noqa: E731
        return spans.draw(corpus_of(config), BlockRandom(words, 64), config.masks, wanted)

    @staticmethod
    def fits(config: Config, split: str, spec: Spec) -> bool:
        """Whether the article of `spec` belongs to `split`, whatever the `config`."""
        return part_of(spec["title"]) == split

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The passage."""
        return f"Fill in the masks.\nTitle: {spec['title']}\n{spec['text']}"

    def check_task(self, spec: Spec) -> None:
        """Every span needs a mask, must be words, and may hold no semicolon."""
        for number, span in enumerate(spec["spans"], 1):
            if f"[MASK {number}]" not in spec["text"]:
                raise TaskError(f"the text has no [MASK {number}], but {len(spec['spans'])} spans are given")
            if not normalized(span) or spans.SEPARATOR in span:
                raise TaskError(f"a span must hold a letter or digit and no semicolon, got {span!r:.80}")
        if len(spec.get("supports", spec["spans"])) != len(spec["spans"]):
            raise TaskError("supports must hold a list of titles for each span, or be left out")

    def _reset(self, task: Task) -> str:
        spec = task.spec
        self._spans = spec["spans"]
        self._supports = [frozenset(map(normalized, titles)) for titles in spec.get("supports", ())]
        self._whole = spec["text"]
        for number, span in enumerate(self._spans, 1):
            self._whole = self._whole.replace(f"[MASK {number}]", span)
        self._state = SearchState()
        return task.instruction

    def _hidden(self, passage: Passage) -> bool:
        return passage.title == self.task.spec["title"] and passage.text == self._whole

    def _answered(self, said: str) -> Outcome:
        given = [part.strip() for part in said.split(spans.SEPARATOR)]
        if len(given) != len(self._spans):
            masks = len(self._spans)
            return self.refuse(f"There are {masks} masks, and {len(given)} spans were given; put ';' between spans.")
        pairs = list(zip(given, self._spans, strict=True))
        right = sum(exact_match(one, [span]) for one, span in pairs)
        share = right / len(pairs)
        terms = self._terms(matched=share, recall=sum(recall(one, span) for one, span in pairs) / len(pairs))
        return Outcome(
            f"{right} of {len(pairs)} spans are right.", reward=share, terminated=True, success=right == len(pairs),
            metrics=terms, events=({"type": "answer", "answer": said},),
        )  # fmt: skip

    def _any_answer(self, rng: Any) -> str:
        return spans.SEPARATOR.join(super(MaskedSpansEnv, self)._any_answer(rng) for _ in self._spans)

    def _oracle(self) -> str:
        titles, state = [each[0] for each in self.task.spec.get("supports", ()) if each], self._state
        if state.query:
            return f"information[{self.task.spec['title']}]"
        if len(state.queries) < min(len(titles), self.config.budget):
            return f"search[{titles[len(state.queries)]}]"
        return f"answer[{'; '.join(self._spans)}]"

    def _expert(self) -> str:
        spec, state = self.task.spec, self._state
        if state.query:
            return f"information[{spec['title']}]"
        title = spec["title"].replace("[", " ").replace("]", " ")
        near = (spans.context(spec["text"], number) for number in range(1, len(self._spans) + 1))
        wanted = [title, *(f"{title} {words}" for words in near)]
        if len(state.queries) < min(len(wanted), self.config.budget):
            return f"search[{wanted[len(state.queries)]}]"
        return f"answer[{'; '.join(spans.guess(spec, [Passage(*each) for each in state.seen]))}]"

    def _shortcut(self, name: str) -> str:
        """Searches for the title, and fills every mask with a title that was found, or with a whole passage."""
        state, title = self._state, self.task.spec["title"].replace("[", " ").replace("]", " ")
        if state.query:
            return f"information[{title}]"
        if not state.queries:
            return f"search[{title}]"
        at = 0 if name == "title" else 1
        found = [each[at] for each in state.seen] or [title]
        said = [found[number % len(found)][: MOST_SAID // MOST] for number in range(len(self._spans))]
        plain = [re.sub(rf"[\[\]{spans.SEPARATOR}]", " ", text) for text in said]
        return f"answer[{f'{spans.SEPARATOR} '.join(' '.join(text.split()) for text in plain)}]"

    def _reference(self) -> Any:
        """What the masks stand for, in order."""
        return list(self._spans)
