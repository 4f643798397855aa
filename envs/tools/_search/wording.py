"""Questions in words, and back: one table of phrases says them and reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from agentgym.assets.wiki.questions import Asked, Topic, load_questions
from agentgym.envs._kit.encyclopedia.rng import BlockRandom
from agentgym.envs.tools._search.programs import Between, Count, Least, Name, Noun, Of, Question, Which, kinds_of

WHO = ("Who is {x}?", "Name {x}.", "Give the name of {x}.", "Who was {x}?")
WHAT = ("What is {x}?", "Give {x}.", "Tell me {x}.")
NAMED = (*WHAT, "Name {x}.")
PICKED = ("Which of {several} {order}?", "Of {several}, which {order}?", "Name the one of {several} that {order}.")
YEARS = (
    "How many years passed between {one} and {other}?",
    "How many years lie between {one} and {other}?",
    "Give the number of years between {one} and {other}.",
)
COUNTED = ("How many of {several} {count}?", "Of {several}, how many {count}?", "Count {several} that {count}.")
PAIR = "the {plural} {one} and {other}"
CHOSEN = "whichever of {several} {order}"
OF_TWO = {  # how an order is said of a pair
    "the smallest": "the smaller",
    "the largest": "the larger",
    "the shortest": "the shorter",
    "the longest": "the longer",
    "the lowest": "the lower",
    "the highest": "the higher",
    "the fewest": "fewer",
    "the most": "more",
}
SUPERLATIVE = re.compile("|".join(OF_TWO))


def _pattern(form: str) -> re.Pattern[str]:
    """A form as a pattern in which every place is a group."""
    return re.compile(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+)", re.escape(form).replace("\\ ", " ")))


_patterns = cache(_pattern)


@cache
def _facts() -> tuple[Asked, ...]:
    return tuple(fact for topic in load_questions().values() for fact in topic.facts.values())


def _topic(kind: str) -> Topic:
    return load_questions()[kind]


# Saying.


def say(question: Question, rng: BlockRandom) -> str:
    """A question in words.

    Args:
        question: What is asked.
        rng: Chooses among the ways to say it.
    """
    if isinstance(question, Between):
        (one, first), (other, last) = question.events
        said = rng.pick(YEARS).format(one=_event(one, first, rng), other=_event(other, last, rng))
    elif isinstance(question, Count):
        phrase = _topic(kinds_of(question.several)[0]).counts[question.slot][question.above]
        count = phrase.format(n=question.figure)
        said = rng.pick(COUNTED).format(several=_said(question.several, rng), count=count)
    elif isinstance(question.noun, Least):
        said = rng.pick(PICKED).format(several=_several(question.noun, rng), order=_order(question.noun))
    else:
        forms = WHO if kinds_of(question.noun) == ("person",) else NAMED if _is_thing(question.noun) else WHAT
        said = rng.pick(forms).format(x=_said(question.noun, rng))
    return said


def _is_thing(noun: Noun) -> bool:
    return not isinstance(noun, Of) or noun.fact.things


def _said(noun: Noun, rng: BlockRandom) -> str:
    if isinstance(noun, Name):
        return _topic(noun.kind).label.format(name=noun.name)
    if isinstance(noun, Of):
        return rng.pick(noun.fact.phrases).format(x=_said(noun.thing, rng))
    return CHOSEN.format(several=_several(noun, rng), order=_order(noun))


def _event(noun: Noun, slot: str, rng: BlockRandom) -> str:
    return _topic(kinds_of(noun)[0]).events[slot].format(x=_said(noun, rng))


def _several(noun: Least, rng: BlockRandom) -> str:
    if isinstance(noun.several, Of):
        return _said(noun.several, rng)
    one, other = noun.several
    return PAIR.format(plural=_topic(one.kind).plural, one=one.name, other=other.name)


def _order(noun: Least) -> str:
    order = _topic(kinds_of(noun)[0]).orders[noun.slot][noun.last]
    return order if isinstance(noun.several, Of) else _of_two(order)


def _of_two(order: str) -> str:
    """What is said of the first or the last of two; `came first` is said of any number."""
    return SUPERLATIVE.sub(lambda found: OF_TWO[found[0]], order)


# Reading.


def read(text: str) -> Question | None:
    """The question that words ask; None if they ask none of these.

    Where words can be read in several ways, that is meant which takes most of them for phrases and least for names.
    """
    return min(_questions(text), key=_named, default=None)


def _named(asked: Question | Noun) -> int:
    """How many characters stand for names."""
    if isinstance(asked, Which):
        return _named(asked.noun)
    if isinstance(asked, Between):
        return sum(_named(noun) for noun, _ in asked.events)
    if isinstance(asked, Name):
        return len(asked.name)
    if isinstance(asked, Of):
        return _named(asked.thing)
    return _named(asked.several) if isinstance(asked.several, Of) else sum(map(_named, asked.several))


def _questions(text: str) -> Iterator[Question]:
    for form in YEARS:
        for cut in _cuts(form, text, "one", "other"):
            for first in _events(cut["one"]):
                for last in _events(cut["other"]):
                    yield Between((first, last))
    for form in COUNTED:
        for cut in _cuts(form, text, "several", "count"):
            yield from _counts(cut["several"], cut["count"])
    for form in PICKED:
        for cut in _cuts(form, text, "several", "order"):
            yield from (Which(noun) for noun in _leasts(cut["several"], cut["order"]))
    for form in (*WHO, *NAMED):
        match = _patterns(form).fullmatch(text)
        if match:
            yield from (Which(noun) for noun in _nouns(match["x"]))


def _cuts(form: str, text: str, left: str, right: str) -> Iterator[dict[str, str]]:
    """Every way in which two places of a form can share a text."""
    head, _, rest = form.partition("{" + left + "}")
    middle, _, tail = rest.partition("{" + right + "}")
    if text.startswith(head) and text.endswith(tail):
        body = text[len(head) : len(text) - len(tail)]
        for match in re.finditer(f"(?={re.escape(middle)})", body):
            yield {left: body[: match.start()], right: body[match.start() + len(middle) :]}


def _nouns(text: str) -> Iterator[Noun]:
    """The things and values that a phrase may mean, most of all one."""
    head = CHOSEN.partition("{several}")[0]
    if text.startswith(head):
        for cut in _cuts(CHOSEN, text, "several", "order"):
            yield from _leasts(cut["several"], cut["order"])
    yield from _ofs(text, several=False)
    for topic in load_questions().values():
        match = _patterns(topic.label).fullmatch(text)
        if match:
            yield Name(topic.kind, match["name"])


def _ofs(text: str, several: bool) -> Iterator[Of]:
    for fact in _facts():
        if fact.several == several:
            for phrase in fact.phrases:
                match = _patterns(phrase).fullmatch(text)
                if match:
                    yield from (Of(fact, noun) for noun in _nouns(match["x"]) if fact.kind in kinds_of(noun))


def _events(text: str) -> Iterator[tuple[Noun, str]]:
    for topic in load_questions().values():
        for slot, phrase in topic.events.items():
            match = _patterns(phrase).fullmatch(text)
            if match:
                yield from ((noun, slot) for noun in _nouns(match["x"]) if topic.kind in kinds_of(noun))


def _leasts(several: str, order: str) -> Iterator[Least]:
    for topic in load_questions().values():
        pair = _patterns(PAIR.replace("{plural}", topic.plural)).fullmatch(several)
        for slot, phrases in topic.orders.items():
            for last, phrase in enumerate(phrases):
                if pair and order == _of_two(phrase):
                    yield Least((Name(topic.kind, pair["one"]), Name(topic.kind, pair["other"])), slot, bool(last))
                if order == phrase:
                    yield from (
                        Least(of, slot, bool(last)) for of in _ofs(several, True) if topic.kind == of.fact.gives[0]
                    )


def _counts(several: str, count: str) -> Iterator[Count]:
    for topic in load_questions().values():
        for slot, phrases in topic.counts.items():
            for above, phrase in enumerate(phrases):
                match = _patterns(phrase).fullmatch(count)
                if match and match["n"].isascii() and match["n"].isdigit():
                    for of in _ofs(several, True):
                        if topic.kind == of.fact.gives[0]:
                            yield Count(of, slot, bool(above), int(match["n"]))
