"""Salient spans of a passage: names, dates, numbers; which of them other passages tell, and a guess at masked ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from agentgym.core.errors import TaskError
from agentgym.envs._kit.encyclopedia.rng import BlockRandom
from agentgym.envs._kit.retrieval.corpora import Corpus, Passage
from agentgym.envs._kit.retrieval.scoring import normalized

MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
DATE = rf"\d{{1,2}} (?:{MONTHS}) \d{{4}}|(?:{MONTHS}) \d{{1,2}}, \d{{4}}|(?:{MONTHS}) \d{{4}}"
NUMBER = r"\d+(?:[.,]\d+)*"
OPENERS = (
    "a about after all among an and as at before besides but by each every for from he her his i if in it its many "
    "most near no of on or she since some that the their they this to until we with"
)
WORD = r"[^\W\d_a-zà-ÿ][\w'’–-]*"
NAME = rf"{WORD}(?: (?:(?:of|de|von|van|la|the) )*{WORD})*"
NO_NAME = rf"(?!(?:{'|'.join(OPENERS.title().split())})\b)"  # a word that begins a sentence is no part of a name
SPAN = re.compile(rf"(?<![\w-])(?:{DATE}|{NUMBER}|{NO_NAME}{NAME})(?![\w])")
SENTENCE = re.compile(r"(?:^|[.!?] )$")
TRIES, CLOSE, SUPPORTS, SEPARATOR = 300, 10, 3, ";"
MOST_DRAWS = 2_000  # of passages until one of the split comes; a tenth of all titles belongs to `val`
REACH = 60  # characters around a candidate
NAMED, OWN, SIDES = 1.0, 0.7, 0.5  # what counts: a passage that names the subject, its title, the words beside
AROUND = 6  # words on each side of a mask that its context is made of
MASKED = re.compile(r"\[MASK \d+\]")


def spans(text: str) -> list[str]:
    """The salient spans of a text, each once, in order: dates, numbers, and names that do not just begin a sentence."""
    found: dict[str, None] = {}
    for match in SPAN.finditer(text):
        span = match[0]
        begins = SENTENCE.search(text[: match.start()]) is not None
        if begins and " " not in span and not span[0].isdigit():
            continue
        if len(span) > 1 and SEPARATOR not in span:
            found[span] = None
    return list(found)


def whole(span: str) -> re.Pattern[str]:
    """A pattern of a span as words of their own."""
    return re.compile(rf"(?<![\w-]){re.escape(span)}(?![\w-])")


def supporting(corpus: Corpus, passage: Passage, span: str) -> list[str]:
    """Titles of other passages that hold both a span and the title of the passage it is from.

    Args:
        corpus: Where they are.
        passage: Where the span is from.
        span: Words.
    """
    title = passage.title.partition(" (")[0]
    if len(normalized(title)) < 3:
        return []
    said, titled = whole(span), whole(title)
    found: dict[str, None] = {}
    for number in corpus.rank(f"{title} {span}", CLOSE):
        other = corpus.get(number)
        full = f"{other.title}. {other.text}"
        if other.title != passage.title and said.search(full) and titled.search(full):
            found[other.title] = None
    return list(found)[:SUPPORTS]


def masked(text: str, hidden: Sequence[str]) -> str:
    """A text in which each span is a mask with its number, wherever it stands.

    Args:
        text: Of the passage.
        hidden: Spans, in the order of their numbers.
    """
    for number, span in enumerate(hidden, 1):
        text = whole(span).sub(f"[MASK {number}]", text)
    return text


def draw(corpus: Corpus, rng: BlockRandom, masks: int, wanted: Any) -> dict[str, Any]:
    """A passage with so many masked spans, each told by another passage.

    Args:
        corpus: Passages.
        rng: Of the draws.
        masks: How many.
        wanted: Given a title, whether its passages may be drawn.

    Raises:
        TaskError: if none is found.
    """
    for _ in range(TRIES):
        passage = _one_of(corpus, rng, wanted)
        chosen: dict[str, list[str]] = {}
        for span in _in_order(passage, rng):
            others = supporting(corpus, passage, span)
            if others:
                chosen[span] = others
            if len(chosen) == masks:
                hidden = sorted(chosen, key=passage.text.find)
                return {
                    "title": passage.title,
                    "text": masked(passage.text, hidden),
                    "spans": hidden,
                    "supports": [chosen[span] for span in hidden],
                }
    raise TaskError(f"{TRIES} passages in a row have no {masks} spans that others tell; ask for fewer masks")


def _one_of(corpus: Corpus, rng: BlockRandom, wanted: Any) -> Passage:
    """A passage that may be drawn."""
    for _ in range(MOST_DRAWS):
        passage = corpus.get(rng.whole(0, len(corpus) - 1))
        if wanted(passage.title):
            return passage
    raise TaskError(
        f"{MOST_DRAWS} draws from {len(corpus)} passages gave none of this split, to which passages belong by their "
        "titles; give a corpus with more titles"
    )


def _in_order(passage: Passage, rng: BlockRandom) -> Iterator[str]:
    """The spans that may be masked, in random order: none that shares a word with the title or lies in another."""
    title = set(normalized(passage.title).split())
    found = [span for span in spans(passage.text) if not title & set(normalized(span).split())]
    found = [span for span in found if normalized(span) and not any(_within(span, other) for other in found)]
    yield from rng.some(found, len(found))


def _within(span: str, other: str) -> bool:
    return span != other and bool(whole(span).search(other))


# Reading.


def context(text: str, number: int) -> str:
    """The words around a mask.

    Args:
        text: The masked passage.
        number: Of the mask.
    """
    before, _, after = text.partition(f"[MASK {number}]")
    words = [*before.split()[-AROUND:], *after.split()[:AROUND]]
    return " ".join(MASKED.sub(" ", " ".join(words)).replace("[", " ").replace("]", " ").split())


def guess(spec: Mapping[str, Any], seen: Iterable[Passage]) -> list[str]:
    """What stands behind the masks, as far as passages that were read tell.

    Candidates are the titles and spans of the passages. They count more in passages that name the subject, as titles of
    these, and the more words around them are those around the mask, those on its two sides most of all; none is taken
    twice.

    Args:
        spec: With the `title`, masked `text` and number of `spans` of a task.
        seen: The passages.
    """
    title = spec["title"].partition(" (")[0]
    places: list[tuple[str, float, str, str]] = []  # candidate, its worth, the text before and behind
    for passage in dict.fromkeys(seen):
        named = float(whole(title).search(f"{passage.title}. {passage.text}") is not None)
        for span in dict.fromkeys([passage.title, *spans(passage.text)]):
            if span != title and not whole(span).search(spec["text"]):
                value = named * (NAMED + OWN * (span == passage.title))
                before, _, after = passage.text.partition(span)
                places.append((span, value, before[-REACH:], after[:REACH]))
    said: list[str] = []
    for number in range(1, len(spec["spans"]) + 1):
        before, _, after = spec["text"].partition(f"[MASK {number}]")
        near = set(normalized(context(spec["text"], number)).split())
        scores: dict[str, float] = {}
        for span, value, left, right in places:
            beside = (_last(left) == _last(before)) + (_first(right) == _first(after))
            alike = len(near & set(normalized(left + right).split())) / (1 + len(near))
            if span not in said:
                scores[span] = max(scores.get(span, 0.0), value + SIDES * beside + alike)
        said.append(max(scores, key=scores.__getitem__, default="unknown"))
    return said


def _last(text: str) -> str:
    return text.split()[-1].lower() if text.split() else ""


def _first(text: str) -> str:
    return text[:1] if text[:1] in ".,;" else text.split()[0].lower() if text.split() else ""
