"""Scripted players of SearchDuel: what they know, how they search for chains of facts, ask and answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agentgym.envs.multiagent._choices import quick_pick
from agentgym.envs.multiagent._search_duel.land import RELATIONS, Fact
from agentgym.envs.multiagent._search_duel.library import Library, Question

BY_NOUN = {relation.noun: relation for relation in RELATIONS}
IDLE = ("old ballad", "guidebook", "school drawing", "street name", "bundle of papers")


@dataclass(frozen=True, slots=True)
class Known:
    """What a player knows.

    Attributes:
        asks: Whether it is the proposer of this round.
        answer: The answer to ask for; empty for the solver.
        question: The question to answer; None for the proposer.
        facts: What the sentences that it has read say.
        titles: Titles that it has read, in order.
        opened: Documents that it has opened.
        searched: Words that it has searched for, in order.
        left: Actions left in the round, this one included.
        hops: Most relations of a question.
    """

    asks: bool
    answer: str
    question: Question | None
    facts: tuple[Fact, ...]
    titles: tuple[str, ...]
    opened: tuple[str, ...]
    searched: tuple[str, ...]
    left: int
    hops: int


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Reads at random, and asks or answers at random.

    The titles are those read, as `known` says; the rest is drawn with `rng`.
    """
    titles = known.titles or ("the long drought",)
    luck = rng.random()
    if luck < 0.2 and known.asks and known.titles:
        return f"ask What is the {quick_pick(tuple(BY_NOUN), rng)} of {quick_pick(titles, rng)}?"
    if luck < 0.2 and not known.asks:
        return f"answer {quick_pick(titles, rng)}"
    if luck < 0.6 and known.titles:
        return f"open {quick_pick(titles, rng)}"
    return f"search {quick_pick((*titles, *IDLE), rng)}"


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """Asks for one fact about the answer, and answers by opening the documents that the question names.

    What to read next follows from `known`; `rng` draws between facts to ask for, and guesses an answer in the end.
    """
    if known.asks:
        return _simple_question(known, rng)
    question = known.question
    assert question is not None, "a solver has a question"
    here, missing = followed(known.facts, question)
    if missing == 0:
        return f"answer {here}"
    if here not in known.opened and known.left > 1:
        return f"open {here}"
    if here not in known.searched and known.left > 1:
        return f"search {here}"
    return f"answer {_guess(known, question, rng)}"


def _simple_question(known: Known, rng: np.random.Generator) -> str:
    fitting = [fact for fact in known.facts if fact.tail == known.answer]
    if fitting:
        fact = fitting[int(rng.random() * len(fitting))]
        return f"ask {Question((fact.relation,), fact.head).text}"
    if known.answer not in known.searched:
        return f"search {known.answer}"
    if known.answer not in known.opened and not known.answer.isdecimal():
        return f"open {known.answer}"
    unread = [title for title in known.titles if title not in known.opened]
    return f"open {unread[0]}" if unread and known.left > 1 else "give up"


def strong_opponent(known: Known, rng: np.random.Generator) -> str:
    """Builds the longest chain of facts it can find, and follows chains by asking the search for each step.

    What to do follows from `known`; only an answer that is guessed in the end is drawn with `rng`.
    """
    if known.asks:
        return _hard_question(known)
    question = known.question
    assert question is not None, "a solver has a question"
    here, missing = followed(known.facts, question)
    if missing == 0:
        return f"answer {here}"
    if known.left > 1:
        relation = BY_NOUN[question.relations[missing - 1]]
        for words in (" ".join((here, relation.noun, *relation.others)), f"{here} {_words(relation.phrases)}"):
            if words not in known.searched:
                return f"search {words}"
            if here not in known.opened:
                return f"open {here}"
    return f"answer {_guess(known, question, rng)}"


def _words(phrases: Sequence[str]) -> str:
    """The words of phrases without their slots."""
    return " ".join(" ".join(phrases).replace("{h}", "").replace("{t}", "").replace(".", "").split())


def followed(facts: Sequence[Fact], question: Question) -> tuple[str, int]:
    """How far known facts lead: the thing reached, and how many relations are left.

    Args:
        facts: What is known.
        question: Whose relations are followed from its anchor, the last of them first.
    """
    steps = {(fact.head, fact.relation): fact.tail for fact in facts}
    here, missing = question.anchor, len(question.relations)
    while missing and (here, question.relations[missing - 1]) in steps:
        here = steps[here, question.relations[missing - 1]]
        missing -= 1
    return here, missing


def _guess(known: Known, question: Question, rng: np.random.Generator) -> str:
    """Something read about of which the outermost relation could be true."""
    kind = BY_NOUN[question.relations[0]].tail
    fitting = sorted({fact.tail for fact in known.facts if BY_NOUN[fact.relation].tail == kind})
    return quick_pick(fitting or list(known.titles) or ["unknown"], rng)


def longest(facts: Sequence[Fact], answer: str, hops: int) -> list[Fact]:
    """The longest chain, of at most `hops` facts, that ends in `answer` and goes in no circle; the first fact first.

    All of it is taken from `facts`; empty if none ends there. Of equally long ones it prefers facts that do not stand
    in the document of the thing they are about.
    """
    into: dict[str, list[Fact]] = {}
    for fact in sorted(set(facts), key=lambda fact: (fact.place != fact.head, fact.head, fact.relation)):
        into.setdefault(fact.tail, []).append(fact)
    best: list[Fact] = []
    stack: list[list[Fact]] = [[fact] for fact in into.get(answer, ())]
    while stack and len(best) < hops:
        path = stack.pop()
        if len(path) > len(best):
            best = path
        stops = {path[0].head, *(fact.tail for fact in path)}
        stack += [[fact, *path] for fact in into.get(path[0].head, ()) if fact.head not in stops]
    return best


def question_of(facts: Sequence[Fact]) -> Question:
    """The question that a chain of facts answers."""
    return Question(tuple(fact.relation for fact in reversed(facts)), facts[0].head)


def _hard_question(known: Known) -> str:
    path = longest(known.facts, known.answer, known.hops)
    if len(path) == known.hops or (path and known.left == 1):
        return f"ask {question_of(path).text}"
    for stop in [*(fact.head for fact in path), known.answer, *(fact.head for fact in known.facts)]:
        if stop not in known.searched:
            return f"search {stop}"
        if stop not in known.opened and not stop.isdecimal():
            return f"open {stop}"
    return f"ask {question_of(path).text}" if path else "give up"


def omniscient(known: Known, library: Library) -> str:
    """A player that knows the library: it reads just what its question needs, and answers at once.

    Args:
        known: What the player knows beside it.
        library: The library of the game; the longest chain is sought among all its facts.
    """
    if known.question is not None:
        here = known.question.anchor
        for noun in reversed(known.question.relations):
            here = library.facts[here, noun].tail
        return f"answer {here}"
    path = longest(tuple(library.facts.values()), known.answer, known.hops)
    read = set(known.facts)
    for fact in path:
        if fact not in read:
            return f"open {fact.place}"
    return f"ask {question_of(path).text}"
