"""The tools of the movie world: those of AgentBoard with their names and arguments, and two more of their kind."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from rapidfuzz import fuzz, process

from agentgym.envs._kit.tools import FINISH, Toolbox, ToolError, tool
from agentgym.envs.tools._movie.catalog import JOBS, catalog
from agentgym.envs.tools._movie.facts import (
    MARKET,
    cast,
    companies,
    company_country,
    crew,
    film_facts,
    genres,
    parts,
    person_facts,
    translations,
    work,
)
from agentgym.envs.tools._movie.words import GENRES, INDUSTRIES

READ, FILM, PERSON = 0.5, {"movie_id": "482913"}, {"person_id": "350177"}
LONGEST_HINT, ALIKE = 60, 60  # characters of a name that was not found, percent of likeness of one that is pointed out
RULES = (
    "You answer questions about films and the people who make them with tools. Films and people have ids, which the "
    "searches give; a film is found by its title or by one it is known by elsewhere, without regard to case. Money is "
    "in dollars, durations are in minutes, ratings go up to 10. The release date of a film is that of its first "
    "release anywhere. Look up what you need and end with finish."
)


@dataclass(frozen=True, slots=True)
class Desk:
    """What the tools read: a catalog that is the same in every task. The seed draws the question only."""

    seed: int


def _film(movie_id: str) -> int:
    found = catalog().film_by_id.get(movie_id)
    if found is None:
        raise ToolError(f"There is no film with the id {movie_id[:20]!r}; get_search_movie gives ids.")
    return found


def _person(person_id: str) -> int:
    found = catalog().person_by_id.get(person_id)
    if found is None:
        raise ToolError(f"There is no person with the id {person_id[:20]!r}; get_search_person gives ids.")
    return found


def _search(what: str, said: str, known: dict[str, int]) -> int:
    """The number of what is called so; a name that is nearly right is pointed out."""
    wanted = " ".join(said.casefold().split())
    if wanted in known:
        return known[wanted]
    near = process.extractOne(wanted[:LONGEST_HINT], known.keys(), scorer=fuzz.ratio, score_cutoff=ALIKE)
    hint = f" The nearest name is {near[0]!r}." if near else ""
    raise ToolError(f"No {what} is called {said[:40]!r}; check the spelling.{hint}")


@tool({"movie_name": "The Quiet Harbor"}, seconds=READ)
def get_search_movie(desk: Desk, movie_name: str) -> dict[str, str]:
    """Search for a film by title: id, overview, title.

    Args:
        desk: Of the task; not read, since the same films can be found in every task.
        movie_name: Its title, or one by which it is known in some country.
    """
    known = catalog()
    film = _search("film", movie_name, known.film_by_title)
    return {"id": known.film_ids[film], "overview": film_facts(film).overview, "title": known.titles[film]}


@tool(FILM, seconds=READ)
def get_movie_details(desk: Desk, movie_id: str) -> dict[str, Any]:
    """Get title, budget, genres, revenue, rating, first release, duration and original language of a film.

    Args:
        desk: Of the task; not read, since a film's facts depend on no seed.
        movie_id: Its id.
    """
    film, known = _film(movie_id), catalog()
    return {
        "title": known.titles[film],
        "budget": int(known.budget[film]),
        "genres": [GENRES[number][0] for number in genres(film)],
        "revenue": int(known.revenue[film]),
        "vote_average": int(known.votes[film]) / 1000,
        "release_date": date.fromordinal(int(known.released[film])).isoformat(),
        "runtime": int(known.minutes[film]),
        "original_language": INDUSTRIES[known.industry[film]].language,
    }


@tool(seconds=READ)
def get_movie_production_companies(desk: Desk, movie_id: str) -> dict[str, Any]:
    """Get the production companies of a film with the countries they come from.

    Args:
        desk: Of the task; not read, since the companies of a film depend on no seed.
        movie_id: Its id.
    """
    names = catalog().company_names
    rows = [{"name": names[each], "origin_country": company_country(each)} for each in companies(_film(movie_id))]
    return {"production_companies": rows}


@tool(seconds=READ)
def get_movie_production_countries(desk: Desk, movie_id: str) -> dict[str, Any]:
    """Get the production countries of a film.

    Args:
        desk: Of the task; not read, since the countries of a film depend on no seed.
        movie_id: Its id.
    """
    rows = [{"iso_3166_1": code, "name": MARKET[code]} for code in film_facts(_film(movie_id)).countries]
    return {"production_countries": rows}


@tool(FILM, seconds=READ)
def get_movie_cast(desk: Desk, movie_id: str) -> dict[str, Any]:
    """Get the cast of a film, at most 10: id, name, character.

    Args:
        desk: Of the task; not read, since a film has one cast, whatever the seed.
        movie_id: Its id.
    """
    known = catalog()
    rows = [
        {"id": known.person_ids[person], "name": known.names[person], "character": role}
        for person, role in cast(_film(movie_id))
    ]
    return {"cast": rows}


@tool(seconds=READ)
def get_movie_crew(desk: Desk, movie_id: str) -> dict[str, Any]:
    """Get the crew of a film, at most 10: id, name, job.

    Args:
        desk: Of the task; not read, since a film has one crew, whatever the seed.
        movie_id: Its id.
    """
    known = catalog()
    rows = [
        {"id": known.person_ids[person], "name": known.names[person], "job": job}
        for person, job in crew(_film(movie_id))
    ]
    return {"crew": rows}


@tool(seconds=READ)
def get_movie_keywords(desk: Desk, movie_id: str) -> dict[str, Any]:
    """Get the keywords of a film.

    Args:
        desk: Of the task; not read, since a film has the same keywords in every task.
        movie_id: Its id.
    """
    return {"keywords": list(film_facts(_film(movie_id)).keywords)}


@tool(seconds=READ)
def get_movie_alternative_titles(desk: Desk, movie_id: str) -> dict[str, Any]:
    """Get the titles by which a film is known in other countries.

    Args:
        desk: Of the task; not read, since a film has the same titles in every task.
        movie_id: Its id.
    """
    rows = [{"iso_3166_1": code, "title": title} for code, title in film_facts(_film(movie_id)).known_as]
    return {"id": movie_id, "titles": rows}


@tool(seconds=READ)
def get_movie_translation(desk: Desk, movie_id: str) -> dict[str, Any]:
    """Get the descriptions of a film in other languages.

    Args:
        desk: Of the task; not read, since descriptions are the same in every task.
        movie_id: Its id.
    """
    return {"id": movie_id, "translations": translations(_film(movie_id))}


@tool(seconds=READ)
def get_movie_release_dates(desk: Desk, movie_id: str) -> dict[str, Any]:
    """Get the release dates of a film by country.

    Args:
        desk: Of the task; not read, since releases are the same in every task.
        movie_id: Its id.
    """
    rows = [
        {"iso_3166_1": code, "country": MARKET[code], "release_date": day}
        for code, day in film_facts(_film(movie_id)).releases
    ]
    return {"id": movie_id, "release_dates": rows}


@tool({"person_name": "Lars Holmberg"}, seconds=READ)
def get_search_person(desk: Desk, person_name: str) -> dict[str, str]:
    """Search for a person by name: id and name.

    Args:
        desk: Of the task; not read, since the same people can be found in every task.
        person_name: First and last name, with the letter between them if there is one.
    """
    known = catalog()
    person = _search("person", person_name, known.person_by_name)
    return {"id": known.person_ids[person], "name": known.names[person]}


@tool(PERSON, seconds=READ)
def get_person_details(desk: Desk, person_id: str) -> dict[str, str]:
    """Get name, biography, birthday and place of birth of a person.

    Args:
        desk: Of the task; not read, since a person's facts depend on no seed.
        person_id: The person's id.
    """
    person, known = _person(person_id), catalog()
    facts = person_facts(person)
    jobs = [job.name for job, credits in zip(JOBS, known.credits, strict=True) if credits.of_person(person)]
    said = " and ".join(dict.fromkeys(jobs)) or "Trainee"
    return {
        "name": known.names[person],
        "biography": f"{said} in films of {INDUSTRIES[known.born_in[person]].country}.",
        "birthday": facts.birthday,
        "place_of_birth": facts.place,
    }


@tool(PERSON, seconds=READ)
def get_person_cast(desk: Desk, person_id: str) -> dict[str, Any]:
    """Get the films that a person plays in, by release: id, title, character.

    Args:
        desk: Of the task; not read, since credits are the same in every task.
        person_id: The person's id.
    """
    known = catalog()
    rows = [
        {"id": known.film_ids[film], "title": known.titles[film], "character": role}
        for film, role in parts(_person(person_id))
    ]
    return {"cast": rows}


@tool(seconds=READ)
def get_person_crew(desk: Desk, person_id: str) -> dict[str, Any]:
    """Get the films that a person has worked on behind the camera, by release: id, title, job.

    Args:
        desk: Of the task; not read, since credits are the same in every task.
        person_id: The person's id.
    """
    known = catalog()
    rows = [
        {"id": known.film_ids[film], "title": known.titles[film], "job": job} for film, job in work(_person(person_id))
    ]
    return {"crew": rows}


@tool(seconds=READ)
def get_person_external_ids(desk: Desk, person_id: str) -> dict[str, str | None]:
    """Get the ids of a person at other services; null where there is none.

    Args:
        desk: Of the task; not read, since a person's ids depend on no seed.
        person_id: The person's id.
    """
    facts = person_facts(_person(person_id))
    return {
        "imdb_id": facts.imdb,
        "facebook_id": facts.facebook,
        "instagram_id": facts.instagram,
        "twitter_id": facts.twitter,
    }


@tool({}, seconds=0.0)
def check_valid_actions(desk: Desk) -> list[str]:
    """Get the names of all tools."""
    return TOOLBOX.names


TOOLBOX = Toolbox(
    (
        get_search_movie, get_movie_details, get_movie_production_companies, get_movie_production_countries,
        get_movie_cast, get_movie_crew, get_movie_keywords, get_movie_alternative_titles, get_movie_translation,
        get_movie_release_dates, get_search_person, get_person_details, get_person_cast, get_person_crew,
        get_person_external_ids, check_valid_actions,
    ),
    FINISH,
    RULES,
)  # fmt: skip
