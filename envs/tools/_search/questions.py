"""Questions drawn from the facts: chains of look-ups, comparisons, orders in time, counts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agentgym.assets.wiki.questions import Asked, load_questions
from agentgym.envs._kit.encyclopedia.rng import BlockRandom
from agentgym.envs._kit.retrieval.scoring import normalized
from agentgym.envs.tools._search.facts import Facts
from agentgym.envs.tools._search.programs import (
    Between,
    Count,
    Least,
    Name,
    Noun,
    Of,
    Question,
    Unfit,
    Which,
    depth,
    figure_of,
    kinds_of,
    program,
    written,
)
from agentgym.envs.tools._search.wording import say

HOPS = 4
TRIES, MANY = 400, 20_000
KINDS = ("bridge", "comparison", "temporal", "counting")
SHARES = (("bridge", 0.5), ("pair", 0.7), ("order", 0.82), ("between", 0.94), ("count", 1.0))  # summed up
TOO_FEW = ("country", "continent", "region")  # kinds of which there are so few that naming one is a good guess
HELD = (26, 52)  # of 256 by the hash of an article's title: below the first `val`, below the second `test`
YEAR_SLOTS = ("year", "born", "founded", "built", "launched", "begin")


def part_of(title: str) -> str:
    """The split to which an article belongs, whatever the encyclopaedia's size."""
    share = hashlib.sha256(title.encode()).digest()[0]
    return "val" if share < HELD[0] else "test" if share < HELD[1] else "train"


def fits(split: str, spec: Mapping[str, Any]) -> bool:
    """Whether a question may stand in a split.

    In `val` and `test` the article that decides the answer belongs to the split; no question of `train` leads through
    an article that is held out. So what decides a held-out question is nothing that train questions ask about.

    Args:
        split: Name of the split.
        spec: The question.
    """
    if split == "train":
        return all(part_of(title) == "train" for title in spec["supports"])
    return part_of(spec["decides"]) == split


class Draw:
    """Draws questions.

    Args:
        facts: What can be asked for.
        rng: Of the draws.
    """

    def __init__(self, facts: Facts, rng: BlockRandom):
        self._facts, self._rng = facts, rng

    def question(self) -> dict[str, Any]:
        """A question with its answers and the articles that lead there."""
        found = self._drawn(TRIES, lambda question: True, "")
        if found is None:
            raise AssertionError(f"{TRIES} draws in a row made no question")
        return found

    def narrowed(self, hops: Sequence[int], kinds: Sequence[str], split: str) -> dict[str, Any] | None:
        """A question of some lengths and kinds that may stand in a split; None if many draws made none.

        Args:
            hops: How many articles are read one after the other; empty for any number.
            kinds: Bridge, comparison, temporal or counting; empty for any.
            split: As in `fits`; empty for any.
        """
        return self._drawn(
            MANY,
            lambda question: (not hops or depth(question) in hops) and (not kinds or _sort(question) in kinds),
            split,
        )

    def _drawn(self, tries: int, asked: Callable[[Question], bool], split: str) -> dict[str, Any] | None:
        makers: dict[str, Callable[[], Question]] = {
            "bridge": self._bridge, "pair": self._pair, "order": self._order, "between": self._between,
            "count": self._count,
        }  # fmt: skip
        for _ in range(tries):
            draw = self._rng.unit()
            sort = next(sort for sort, share in SHARES if draw < share)
            try:
                question = makers[sort]()
                if asked(question):
                    return self._specified(question, split)
            except Unfit:
                continue
        return None

    def _specified(self, question: Question, split: str) -> dict[str, Any]:
        """The task of a question.

        Raises:
            Unfit: if the question or its words give the answer away, too many articles lead to it, or it may not stand
                in the split.
        """
        answer, looked = answered(question, self._facts)
        decides = answer[0] if self._is_choice(question) else looked[-1]
        if split and not fits(split, {"supports": looked, "decides": decides}):
            raise Unfit
        text = say(question, self._rng)
        hops = depth(question)
        said = f" {normalized(text)} "
        if hops > HOPS or any(f" {normalized(name)} " in said for name in answer):
            raise Unfit
        return {
            "question": text,
            "answers": _forms(question, answer[0]),
            "supports": looked,
            "decides": decides,
            "kind": _sort(question),
            "hops": hops,
            "key": written(question),
        }

    @staticmethod
    def _is_choice(question: Question) -> bool:
        return isinstance(question, Which) and isinstance(question.noun, Least)

    # Parts.

    def _thing(self, kind: str = "") -> int:
        kinds = self._facts.kinds
        things = kinds[kind or self._rng.pick(tuple(kinds))]
        if not things:
            raise Unfit
        return self._rng.pick(things)

    def _named(self, thing: int) -> Name:
        return Name(self._facts.kind(thing), self._facts.name(thing))

    def _walk(self, thing: int, noun: Noun, steps: int, seen: set[int]) -> tuple[int, Noun]:
        """A thing so many facts away, as a phrase; never back to one that was seen."""
        for _ in range(steps):
            ways = [
                fact
                for fact in self._facts.facts_of(thing)
                if fact.things and not fact.several and not seen & set(self._facts.others(thing, fact))
            ]
            if not ways:
                raise Unfit
            fact = self._rng.pick(ways)
            thing = self._facts.others(thing, fact)[0]
            noun = Of(fact, noun)
            seen.add(thing)
        return thing, noun

    def _last(self, thing: int, noun: Noun, seen: set[int]) -> Of:
        """The fact that is asked for at the end of a chain."""
        ways = [fact for fact in self._facts.facts_of(thing) if not fact.several and not _guessed(fact)]
        ways = [fact for fact in ways if not (fact.things and seen & set(self._facts.others(thing, fact)))]
        if not ways:
            raise Unfit
        return Of(self._rng.pick(ways), noun)

    # Kinds of question.

    def _bridge(self) -> Question:
        hops = self._rng.whole(1, HOPS)
        thing = self._thing()
        seen = {thing}
        thing, noun = self._walk(thing, self._named(thing), hops - 1, seen)
        return Which(self._last(thing, noun, seen))

    def _pair(self) -> Question:
        topic = self._rng.pick([each for each in load_questions().values() if each.orders])
        slot, last = self._rng.pick(tuple(topic.orders)), self._rng.chance(0.5)
        one, other = self._thing(topic.kind), self._thing(topic.kind)
        least = Least((self._named(one), self._named(other)), slot, last)
        chosen, _ = answered(Which(least), self._facts)
        thing = self._facts.number(chosen[0])
        assert thing is not None
        seen = {one, other}
        thing, noun = self._walk(thing, least, self._rng.whole(0, 1), seen)
        return Which(self._last(thing, noun, seen))

    def _group(self) -> tuple[Of, str]:
        """Several things of a thing that is named or led to, and a kind of theirs."""
        thing = self._thing()
        seen = {thing}
        thing, noun = self._walk(thing, self._named(thing), self._rng.whole(0, 1), seen)
        ways = [
            fact for fact in self._facts.facts_of(thing) if fact.several and len(self._facts.others(thing, fact)) > 1
        ]
        if not ways:
            raise Unfit
        fact = self._rng.pick(ways)
        return Of(fact, noun), fact.gives[0]

    def _order(self) -> Question:
        several, kind = self._group()
        orders = load_questions()[kind].orders
        if not orders:
            raise Unfit
        least = Least(several, self._rng.pick(tuple(orders)), self._rng.chance(0.5))
        if len(kinds_of(several)) > 1 or self._rng.chance(0.5):
            return Which(least)
        chosen, _ = answered(Which(least), self._facts)
        thing = self._facts.number(chosen[0])
        assert thing is not None
        return Which(self._last(thing, least, {thing}))

    def _between(self) -> Question:
        thing = self._thing()
        noun: Noun = self._named(thing)
        first = (noun, self._event(thing))
        if self._rng.chance(0.7):
            thing, noun = self._walk(thing, noun, self._rng.whole(1, 2), {thing})
        else:
            thing = self._thing()
            noun = self._named(thing)
        return Between((first, (noun, self._event(thing))))

    def _event(self, thing: int) -> str:
        slots = [slot for slot in load_questions()[self._facts.kind(thing)].events if self._facts.told(thing, slot)]
        if not slots:
            raise Unfit
        return self._rng.pick(slots)

    def _count(self) -> Question:
        several, kind = self._group()
        counts = load_questions()[kind].counts
        if not counts:
            raise Unfit
        slot, above = self._rng.pick(tuple(counts)), self._rng.chance(0.5)
        whole = Count(several, slot, above, 0)
        answered(whole, self._facts)
        names, _ = answered(Which(several), self._facts)
        values = sorted(
            int(figure_of([told]))
            for name in names
            if (thing := self._facts.number(name)) is not None and (told := self._facts.told(thing, slot))
        )
        cut = self._rng.whole(1, len(values) - 1)  # so many lie below the figure
        if len(values) < len(names) or values[cut] - values[cut - 1] < 2:
            raise Unfit
        return Count(several, slot, above, self._rng.whole(values[cut - 1] + 1, values[cut] - 1))


def answered(question: Question, facts: Facts) -> tuple[list[str], list[str]]:
    """The answer of a question, and the articles that lead there, in the order in which they are needed.

    Args:
        question: What is asked.
        facts: Where the answer is.

    Raises:
        Unfit: if the facts do not say.
    """
    steps, sent = program(question), None
    looked: dict[str, None] = {}
    while True:
        try:
            asked = steps.send(sent)  # type: ignore[arg-type]  # None is what a generator takes first
        except StopIteration as end:
            return end.value, list(looked)
        looked[asked.name] = None
        sent = facts.look(asked)


def _guessed(fact: Asked) -> bool:
    return bool(set(fact.gives) & set(TOO_FEW))


def _forms(question: Question, answer: str) -> list[str]:
    """The ways in which an answer may be written: a length also with its unit."""
    unit = ""
    if isinstance(question, Which) and isinstance(question.noun, Of):
        asked = question.noun.fact.phrases[0]
        unit = next((word for word in ("kilometres", "metres", "minutes") if f" in {word}" in asked), "")
    elif not isinstance(question, Which):
        unit = "years" if isinstance(question, Between) else ""
    return [answer, f"{answer} {unit}"] if unit else [answer]


def _sort(question: Question) -> str:
    """What kind of question it is: bridge, comparison, temporal or counting."""
    if isinstance(question, Count):
        return "counting"
    if isinstance(question, Between):
        return "temporal"
    noun: Noun = question.noun
    while isinstance(noun, Of):
        noun = noun.thing
    if isinstance(noun, Least):
        return "temporal" if isinstance(noun.several, Of) and noun.slot in YEAR_SLOTS else "comparison"
    return "bridge"
