"""The arguments of questions about films: how each is written, read and drawn; and what programs look up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

import numpy as np

from agentgym.envs._kit.tools import Book, Program, Slot, Unfit, one, pick
from agentgym.envs._kit.tools.questions import in_a_sentence
from agentgym.envs.tools._movie.catalog import ACTOR, DIRECTOR, FILMS, PEOPLE, catalog
from agentgym.envs.tools._movie.facts import (
    MARKET,
    cast,
    companies,
    crew,
    film_facts,
    genres,
    parts,
    work,
)
from agentgym.envs.tools._movie.tools import Desk
from agentgym.envs.tools._movie.words import GENRES, INDUSTRIES

TITLE, NAME, WORDS, YEAR = '[^"]+', r"[A-Z][A-Za-z]+(?: [A-Z]\.)? [A-Z][A-Za-z]+", "[A-Za-z ]+", r"\d{4}"
DRAWS, FEW = 60, 3  # tries to find something related; credits of somebody who is asked about
Said = Mapping[str, Any]
Row = dict[str, Any]


def _film_said(said: Said, name: str = "film") -> int:
    """The number of a film that was drawn before."""
    return catalog().film_by_title[said[name].casefold()]


def _person_said(said: Said, name: str) -> int:
    return catalog().person_by_name[said[name].casefold()]


def _film(rng: np.random.Generator, desk: Desk, said: Said) -> str:
    drawn = (catalog().titles[int(rng.integers(FILMS))] for _ in range(DRAWS))
    return next(title for title in drawn if title not in said.values())


def _like(shared: Callable[[int], Iterable[Any]]) -> Slot:
    """A film that shares something with the one that was drawn before."""

    def draw(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
        """A film that `rng` draws and that shares something with the film that was `said`, whatever the `desk`."""
        film = _film_said(said)
        wanted = set(shared(film))
        drawn = (int(rng.integers(FILMS)) for _ in range(DRAWS))
        found = next((each for each in drawn if each != film and wanted & set(shared(each))), None)
        return None if found is None else catalog().titles[found]

    return Slot(TITLE, str, draw)


def _kin_film(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
    """Another film with somebody of the cast of the one that was drawn before."""
    film = _film_said(said)
    person, _ = pick(rng, cast(film))
    other = pick(rng, [each for each, _ in parts(person) if each != film])
    return None if other is None else catalog().titles[other]


def _somebody(job: int) -> Slot:
    """Somebody with several films in a job; of the film that was drawn before if there was one."""

    def draw(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
        """A person that `rng` draws: of the film if one was `said`, otherwise one of several credits, on any `desk`."""
        known = catalog()
        credits = known.credits[job]
        if "film" in said:
            return known.names[int(credits.person[pick(rng, credits.of_film(_film_said(said)))])]
        drawn = (int(credits.person[int(rng.integers(len(credits.person)))]) for _ in range(DRAWS))
        found = next((each for each in drawn if len(credits.of_person(each)) >= FEW), None)
        return None if found is None else known.names[found]

    return Slot(NAME, str, draw)


def _co_actor(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
    """Somebody who plays in a film with the actor that was drawn before."""
    person = _person_said(said, "actor")
    film, _ = pick(rng, parts(person))
    other = pick(rng, [each for each, _ in cast(film) if each != person])
    return None if other is None else catalog().names[other]


def _crew_member(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
    """Somebody who works behind the camera, on the film that was drawn before if there was one."""
    if "film" in said:
        return catalog().names[pick(rng, crew(_film_said(said)))[0]]
    drawn = (int(rng.integers(PEOPLE)) for _ in range(DRAWS))
    found = next((each for each in drawn if len(work(each)) >= FEW), None)
    return None if found is None else catalog().names[found]


def _person(rng: np.random.Generator, desk: Desk, said: Said) -> str:
    drawn = (catalog().names[int(rng.integers(PEOPLE))] for _ in range(DRAWS))
    return next(name for name in drawn if name not in said.values())


def _role(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
    return pick(rng, [role for _, role in cast(_film_said(said))])


def _country(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
    """A country where the film that was drawn before was released; otherwise one that makes films."""
    if "film" not in said:
        return pick(rng, [in_a_sentence(each.country) for each in INDUSTRIES])
    names = [in_a_sentence(MARKET[code]) for code, _ in film_facts(_film_said(said)).releases]
    return pick(rng, [name for name in names if name != said.get("country")])


def _known_as(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
    """A title by which some film is known elsewhere."""
    return pick(rng, pick(rng, catalog().other_titles))


def _film_of(rng: np.random.Generator, said: Said) -> Any:
    """A film of the person who was drawn before."""
    if "actor" in said:
        return pick(rng, [film for film, _ in parts(_person_said(said, "actor"))])
    name = "director" if "director" in said else "crew_member"
    return pick(rng, [film for film, _ in work(_person_said(said, name))])


def _genre(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
    film = _film_of(rng, said)
    return None if film is None else GENRES[pick(rng, genres(film))][0]


def _year(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
    film = _film_of(rng, said)
    return None if film is None else date.fromordinal(int(catalog().released[film])).year


def _keyword(rng: np.random.Generator, desk: Desk, said: Said) -> Any:
    """A keyword of one of the films that were drawn before."""
    names = [name for name in said if name.endswith("film")]
    return pick(rng, film_facts(_film_said(said, pick(rng, names))).keywords)


SLOTS: Mapping[str, Slot] = {
    "film": Slot(TITLE, str, _film),
    "other_film": Slot(TITLE, str, _film),
    "third_film": Slot(TITLE, str, _film),
    "fourth_film": Slot(TITLE, str, _film),
    "kin_film": Slot(TITLE, str, _kin_film),
    "genre_film": _like(genres),
    "company_film": _like(companies),
    "keyword_film": _like(lambda film: film_facts(film).keywords),
    "actor": _somebody(ACTOR),
    "co_actor": Slot(NAME, str, _co_actor),
    "director": _somebody(DIRECTOR),
    "crew_member": Slot(NAME, str, _crew_member),
    "person": Slot(NAME, str, _person),
    "other_person": Slot(NAME, str, _person),
    "third_person": Slot(NAME, str, _person),
    "fourth_person": Slot(NAME, str, _person),
    "role": Slot(NAME, str, _role),
    "country": Slot(WORDS, str, _country),
    "other_country": Slot(WORDS, str, _country),
    "known_as": Slot(TITLE, str, _known_as),
    "genre": Slot(WORDS, str, _genre),
    "year": Slot(YEAR, int, _year),
    "keyword": Slot(TITLE, str, _keyword),
}
BOOK = Book(SLOTS)


# What programs look up. Each yields the calls it needs and returns what it found.


def film_id(title: str) -> Program:
    """The id of the film of a title."""
    return (yield ("get_search_movie", {"movie_name": title}))["id"]


def of_film(what: str, key: str) -> Program:
    """What a tool tells of a film, without its id.

    Args:
        what: The end of the tool's name, such as `cast`.
        key: The film's id.
    """
    answer = yield (f"get_movie_{what}", {"movie_id": key})
    return answer if what == "details" else next(value for name, value in answer.items() if name != "id")


def about(what: str, title: str) -> Program:
    """What a tool tells of the film of a title.

    Args:
        what: As in `of_film`.
        title: Of the film.
    """
    return (yield from of_film(what, (yield from film_id(title))))


def details(*titles: str) -> Program:
    """Details of films by title."""
    found = {}
    for title in titles:
        found[title] = yield from about("details", title)
    return found


def each_details(rows: Iterable[Row]) -> Program:
    """Details of films that a person has credits for, each once, by title."""
    found = {}
    for key in dict.fromkeys(row["id"] for row in rows):
        told = yield from of_film("details", key)
        found[told["title"]] = told
    return found


def person_id(name: str) -> Program:
    """The id of the person of a name."""
    return (yield ("get_search_person", {"person_name": name}))["id"]


def of_person(what: str, key: str) -> Program:
    """What a tool tells of a person.

    Args:
        what: The end of the tool's name: `details`, `cast`, `crew` or `external_ids`.
        key: The person's id.
    """
    answer = yield (f"get_person_{what}", {"person_id": key})
    return answer.get(what, answer)


def life(what: str, name: str) -> Program:
    """What a tool tells of the person of a name.

    Args:
        what: As in `of_person`.
        name: Of the person.
    """
    return (yield from of_person(what, (yield from person_id(name))))


def leader(title: str) -> Program:
    """The director of a film, as its crew lists them."""
    return one(doing((yield from about("crew", title)), "Director"))


def directed(name: str) -> Program:
    """The films that somebody directed."""
    return doing((yield from life("crew", name)), "Director")


# What they do with it.


def doing(rows: Iterable[Row], job: str) -> list[Row]:
    """The credits of one job: those of `rows`, as a crew lists them, whose `job` is just this."""
    return [row for row in rows if row["job"] == job]


def values(rows: Iterable[Row], name: str) -> list[Any]:
    """The value that each of `rows` has under `name`, each once, in the order of the rows."""
    return list(dict.fromkeys(row[name] for row in rows))


def shared(one_list: Iterable[Any], other_list: Iterable[Any]) -> list[Any]:
    """What stands in both, in the order of `one_list`; `other_list` is only looked up."""
    other = set(other_list)
    return [each for each in one_list if each in other]


def some(found: list[Any], whole: Iterable[Any]) -> list[Any]:
    """What was `found`, a part of `whole`; where it is all of that, nobody need look, and the question is not asked."""
    if len(found) == len(list(whole)):
        raise Unfit
    return found


def day(text: str) -> date:
    """A date as the tools write it."""
    return date.fromisoformat(text)


def years_between(first: str, last: str) -> int:
    """Full years from `first` to `last`, days as YYYY-MM-DD, as ages are counted."""
    one_day, other = day(first), day(last)
    return other.year - one_day.year - ((other.month, other.day) < (one_day.month, one_day.day))
