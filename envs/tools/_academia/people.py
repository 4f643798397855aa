"""Questions that AuthorNet answers: authors, their organizations, and who wrote with whom."""

from __future__ import annotations

from agentgym.envs._kit.tools import EXACT, Program
from agentgym.envs.tools._academia.slots import (
    AUTHORS,
    BOOK,
    at_least,
    best,
    collaborators,
    frequent,
    joint,
    org,
    orgs,
    several,
    shared_work,
)  # fmt: skip


@BOOK.ask(
    "name", 1,
    "Which organization does {author} belong to?",
    "Where does {author} work?",
    "Name the organization of the author {author}.",
)  # fmt: skip
def _org_of(author: str) -> Program:
    yield AUTHORS
    return (yield from org(author))


@BOOK.ask(
    "number", 1,
    "How many collaborators does {author} have?",
    "With how many different people has {author} written papers?",
    "Count the neighbors of {author} in AuthorNet.",
)  # fmt: skip
def _collaborators_of(author: str) -> Program:
    yield AUTHORS
    return several(len((yield from collaborators(author))))


@BOOK.ask(
    "list", 1,
    "Which papers have {author} and {partner} written together?",
    "List the joint papers of {author} and {partner}.",
    "What are the titles of all papers that {author} wrote with {partner}?",
)  # fmt: skip
def _joint_papers_of(author: str, partner: str) -> Program:
    yield AUTHORS
    return (yield from joint(author, partner))


@BOOK.ask(
    "list", 2,
    "Which collaborators do {author} and {near} share?",
    "List the people who have written papers with {author} and also with {near}.",
    "Who is a collaborator of both {author} and {near}?",
)  # fmt: skip
def _shared_collaborators(author: str, near: str) -> Program:
    yield AUTHORS
    first = yield from collaborators(author)
    second = yield from collaborators(near)
    return [name for name in first if name in second]


@BOOK.ask(
    "number", 2,
    "How many people have written with {author} or with {near}? Leave these two out and count each person once.",
    "Merge the collaborators of {author} and of {near}, without repeats and without these two. How many are they?",
    "Apart from {author} and {near} themselves, how many different people are collaborators of at least one of them?",
)  # fmt: skip
def _collaborators_merged(author: str, near: str) -> Program:
    yield AUTHORS
    first = yield from collaborators(author)
    return several(len({*first, *(yield from collaborators(near))} - {author, near}))


@BOOK.ask(
    "list", 2,
    "Which collaborators of {author} belong to the same organization as {author}?",
    "List the people at {author}'s own organization with whom {author} has written papers.",
    "Who works at the organization of {author} and has a joint paper with {author}?",
)  # fmt: skip
def _colleagues(author: str) -> Program:
    yield AUTHORS
    own = yield from org(author)
    return [name for name, other in (yield from orgs((yield from collaborators(author)))).items() if other == own]


@BOOK.ask(
    "list", 2,
    "Which collaborators of {author} belong to another organization than {author}?",
    "List the people from outside {author}'s organization who have written with {author}.",
    "Who has a joint paper with {author} but works somewhere else?",
)  # fmt: skip
def _outsiders(author: str) -> Program:
    yield AUTHORS
    own = yield from org(author)
    return [name for name, other in (yield from orgs((yield from collaborators(author)))).items() if other != own]


@BOOK.ask(
    "number", 2,
    "What percentage of the collaborators of {author} belong to the organization of {author}? Give two decimals.",
    "Of all people who have written with {author}, how many percent work where {author} works? Give two decimals.",
    "Which share of {author}'s collaborators, in percent to two decimals, are at {author}'s own organization?",
)  # fmt: skip
def _percent_colleagues(author: str) -> Program:
    yield AUTHORS
    own = yield from org(author)
    found = list(at_least(6, (yield from orgs((yield from collaborators(author))))).values())
    return round(100 * found.count(own) / len(found), EXACT)


@BOOK.ask(
    "name", 2,
    "With whom has {author} written the most papers?",
    "Who is {author}'s most frequent collaborator?",
    "Name the person who shares more papers with {author} than anybody else.",
)  # fmt: skip
def _closest_collaborator(author: str) -> Program:
    yield AUTHORS
    found = yield from shared_work(author)
    return best({name: len(titles) for name, titles in found.items()})


@BOOK.ask(
    "number", 2,
    "How many different papers has {author} written together with others?",
    "Count the papers that {author} wrote with at least one other person, each paper once.",
    "Over all collaborators of {author}, how many distinct joint papers are there?",
)  # fmt: skip
def _papers_with_others(author: str) -> Program:
    yield AUTHORS
    found = yield from shared_work(author)
    return several(len({title for titles in found.values() for title in titles}))


@BOOK.ask(
    "list", 2,
    "With whom has {author} written exactly one paper?",
    "List the collaborators of {author} who have a single joint paper with {author}.",
    "Who are the people that {author} wrote one paper with, and no more?",
)  # fmt: skip
def _met_once(author: str) -> Program:
    yield AUTHORS
    return [name for name, titles in (yield from shared_work(author)).items() if len(titles) == 1]


@BOOK.ask(
    "list", 2,
    "Which papers of {author} were written with {partner} but without any other of {author}'s collaborators?",
    "List the papers that {author} and {partner} wrote as a pair, nobody else being among the authors.",
    "What papers have {author} and {partner} as their only two authors?",
)  # fmt: skip
def _written_as_a_pair(author: str, partner: str) -> Program:
    yield AUTHORS
    found = yield from shared_work(author)
    others = {title for name, titles in found.items() if name != partner for title in titles}
    return [title for title in found[partner] if title not in others]


@BOOK.ask(
    "name", 3,
    "Leaving out {author}'s own organization, which one do most of {author}'s collaborators belong to?",
    "From which organization, other than that of {author}, does {author} have the most collaborators?",
    "Name the organization outside {author}'s own with the most people who have written with {author}.",
)  # fmt: skip
def _partner_org(author: str) -> Program:
    yield AUTHORS
    own = yield from org(author)
    found = yield from orgs((yield from collaborators(author)))
    return frequent([other for other in found.values() if other != own])


@BOOK.ask(
    "name", 3,
    "Which organization does the person belong to with whom {author} has written the most papers?",
    "Where does {author}'s most frequent collaborator work?",
    "Find the person who shares the most papers with {author}, and name that person's organization.",
)  # fmt: skip
def _org_of_closest(author: str) -> Program:
    yield AUTHORS
    found = yield from shared_work(author)
    return (yield from org(best({name: len(titles) for name, titles in found.items()})))


@BOOK.ask(
    "number", 3,
    "How many collaborators has the person with whom {author} has written the most papers?",
    "Count the collaborators of {author}'s most frequent collaborator.",
    "Take the person with the most papers joint with {author}. With how many people has that person written?",
)  # fmt: skip
def _collaborators_of_closest(author: str) -> Program:
    yield AUTHORS
    found = yield from shared_work(author)
    closest = best({name: len(titles) for name, titles in found.items()})
    return several(len((yield from collaborators(closest))))


@BOOK.ask(
    "name", 2,
    "Which collaborator of {author} has the most collaborators in all?",
    "Of the people who have written with {author}, who has written with the most different people?",
    "Name the best connected collaborator of {author}, by number of neighbors in AuthorNet.",
)  # fmt: skip
def _best_connected(author: str) -> Program:
    yield AUTHORS
    found = {}
    for name in (yield from collaborators(author)):
        found[name] = len((yield from collaborators(name)))
    return best(found)


@BOOK.ask(
    "number", 3,
    "How many people are two steps from {author} in AuthorNet: collaborators of collaborators, but no collaborators?",
    "Count the collaborators of {author}'s collaborators who have not written with {author}; {author} does not count.",
    "Not counting {author}, how many people have written with a collaborator of {author} but never with {author}?",
)  # fmt: skip
def _two_steps_away(author: str) -> Program:
    yield AUTHORS
    first = yield from collaborators(author)
    found: set[str] = set()
    for name in first:
        found.update((yield from collaborators(name)))
    return several(len(found - {author, *first}))


@BOOK.ask(
    "list", 3,
    "Which people who have written with both {author} and {near} belong to {author}'s organization?",
    "List the shared collaborators of {author} and {near} who work where {author} works.",
    "Who is a collaborator of {author} and of {near}, and a colleague of {author} at the same organization?",
)  # fmt: skip
def _shared_colleagues(author: str, near: str) -> Program:
    yield AUTHORS
    own = yield from org(author)
    first = yield from collaborators(author)
    second = yield from collaborators(near)
    return [name for name, other in (yield from orgs([n for n in first if n in second])).items() if other == own]
