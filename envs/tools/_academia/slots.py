"""The arguments of questions about papers: how each is written, read and drawn; and what programs look up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

import numpy as np

from agentgym.envs._kit.tools import EXACT, Book, Program, Slot, Unfit, pick, questions
from agentgym.envs.tools._academia.network import network, plain
from agentgym.envs.tools._academia.tools import Desk
from agentgym.envs.tools._academia.words import SECTIONS

TITLE, PERSON = '[^"]+', r"\w+ \w+"
COLLABORATORS = (4, 26)  # least and most of an author that is asked about
PAPERS: tuple[str, dict[str, Any]] = ("loadPaperNet", {})  # calls that come first
AUTHORS: tuple[str, dict[str, Any]] = ("loadAuthorNet", {})
Row = dict[str, Any]


def _number(said: Mapping[str, Any], slot: str = "paper") -> int:
    return network().paper_numbers[plain(said[slot])]


def _author_number(said: Mapping[str, Any]) -> int:
    return network().author_numbers[plain(said["author"])]


def _paper(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    """A paper with references."""
    known = network()
    number = int(rng.integers(len(known.titles)))
    return known.titles[number] if len(known.references[number]) > 1 else None


def _later(titles: Iterable[str], said: Mapping[str, Any]) -> list[str]:
    """Titles that come after the first paper's in the alphabet: a pair is asked about in one order only."""
    return [title for title in titles if title > said["paper"]]


def _other_paper(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    known = network()
    return pick(rng, _later((known.titles[number] for number in rng.integers(len(known.titles), size=4)), said))


def _cited(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    known = network()
    return known.titles[pick(rng, known.references[_number(said)])]


def _kin(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    """Another paper of one of the authors."""
    known = network()
    author = pick(rng, known.authors[_number(said)])
    return pick(rng, _later((known.titles[paper] for paper in known.papers[author]), said))


def _twin(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    """Another paper that cites something that the paper cites."""
    known = network()
    shared = pick(rng, known.references[_number(said)])
    return pick(rng, _later((known.titles[paper] for paper in known.cited_by[shared]), said))


def _of_reference(read: Callable[[np.random.Generator, int], Any]) -> Callable[..., Any]:
    """Draws something that at least one paper cited by the paper has."""

    def drawn(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
        """What `read` finds with `rng` at a paper cited by the one that was `said`, whatever the `desk`."""
        return read(rng, pick(rng, network().references[_number(said)]))

    return drawn


def _author(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    known = network()
    number = int(rng.integers(len(known.names)))
    fits = COLLABORATORS[0] <= len(known.collaborators(number)) <= COLLABORATORS[1]
    return known.names[number] if fits else None


def _partner(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    """A collaborator, the likelier the more papers they have together."""
    known, author = network(), _author_number(said)
    others = [other for paper in known.papers[author] for other in known.authors[paper] if other != author]
    return known.names[pick(rng, others)]


def _near(rng: np.random.Generator, desk: Desk, said: Mapping[str, Any]) -> Any:
    """A collaborator of a collaborator, after the author in the alphabet."""
    known, author = network(), _author_number(said)
    between = pick(rng, known.collaborators(author))
    names = [known.names[other] for other in known.collaborators(between)]
    return pick(rng, [name for name in names if name > said["author"]])


SLOTS: Mapping[str, Slot] = {
    "paper": Slot(TITLE, str, _paper),
    "other_paper": Slot(TITLE, str, _other_paper),
    "cited": Slot(TITLE, str, _cited),
    "kin": Slot(TITLE, str, _kin),
    "twin": Slot(TITLE, str, _twin),
    "keyword": Slot(TITLE, str, _of_reference(
        lambda rng, number: network().words[pick(rng, network().keywords[number])])),
    "venue": Slot(TITLE, str, _of_reference(lambda rng, number: network().venues[network().venue[number]][0])),
    "year": Slot(r"\d{4}", int, _of_reference(lambda rng, number: date.fromordinal(int(network().days[number])).year)),
    "section": Slot("|".join(SECTIONS), str, lambda rng, desk, said: pick(rng, SECTIONS)),
    "author": Slot(PERSON, str, _author),
    "partner": Slot(PERSON, str, _partner),
    "near": Slot(PERSON, str, _near),
}  # fmt: skip
BOOK = Book(SLOTS)


# What programs look up. Each yields the calls it needs and returns what it found.


def paper(title: str) -> Program:
    """What is known of a paper, with its title."""
    return {"title": title, **(yield ("paperNodeCheck", {"node": title}))}


def papers(titles: Iterable[str]) -> Program:
    """What is known of several papers."""
    found: list[Row] = []
    for title in titles:
        found.append((yield from paper(title)))
    return found


def references(title: str) -> Program:
    """Titles of what a paper cites."""
    return (yield ("neighbourCheck", {"graph": "PaperNet", "node": title}))


def cited_papers(title: str) -> Program:
    """What is known of the papers that a paper cites."""
    return (yield from papers((yield from references(title))))


def citations(title: str) -> Program:
    """How a paper cites each of its references: `title`, `mentions`, `section`."""
    found: list[Row] = []
    for cited in (yield from references(title)):
        found.append({"title": cited, **(yield ("paperEdgeCheck", {"node1": title, "node2": cited}))})
    return found


def org(name: str) -> Program:
    """The organization of an author."""
    return (yield ("authorNodeCheck", {"node": name}))["org"]


def orgs(names: Iterable[str]) -> Program:
    """Organization by author."""
    found: dict[str, str] = {}
    for name in names:
        found[name] = yield from org(name)
    return found


def collaborators(name: str) -> Program:
    """Names of an author's collaborators."""
    return (yield ("neighbourCheck", {"graph": "AuthorNet", "node": name}))


def joint(name: str, other: str) -> Program:
    """Titles of the papers that the authors `name` and `other`, who must be collaborators, wrote together."""
    return (yield ("authorEdgeCheck", {"node1": name, "node2": other}))["papers"]


def joint_papers(name: str, other: str) -> Program:
    """What is known of the papers that the authors `name` and `other` wrote together, one row for each paper."""
    return (yield from papers((yield from joint(name, other))))


def shared_work(name: str) -> Program:
    """Titles of joint papers, by collaborator."""
    found: dict[str, list[str]] = {}
    for other in (yield from collaborators(name)):
        found[other] = yield from joint(name, other)
    return found


def work(name: str) -> Program:
    """What is known of all papers that an author wrote with others."""
    found = yield from shared_work(name)
    return (yield from papers(sorted({title for titles in found.values() for title in titles})))


# What they do with it.


best = partial(questions.best, among=2)
several = partial(questions.several, least=4)  # small counts are guessed too easily


def column(rows: Iterable[Row], key: str) -> dict[str, Any]:
    """One thing that is known of several papers: by title, what each of `rows` holds under `key`, say `n_citation`."""
    return {row["title"]: row[key] for row in rows}


def frequent(values: Iterable[str]) -> str:
    """What occurs most often; it must do so more than once."""
    counts = Counter(values)
    found = best(counts)
    if counts[found] < 2:
        raise Unfit
    return found


def at_least(count: int, found: Sequence[Any]) -> Any:
    """What was `found`, unchanged, if it is `count` things or more; otherwise the question is not asked."""
    if len(found) < count:
        raise Unfit
    return found


def mean(values: Sequence[float]) -> float:
    """The mean; answers may round it to two decimals."""
    return round(sum(values) / len(at_least(2, values)), EXACT)


def days(first: str, second: str) -> int:
    """Days from the earlier to the later of two dates, `first` and `second` as YYYY-MM-DD in either order."""
    return abs((date.fromisoformat(first) - date.fromisoformat(second)).days)
