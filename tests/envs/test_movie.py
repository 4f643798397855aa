"""Movie: a catalog that hangs together, answers computed a second time from it, the published tools, refusals."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import Any

import numpy as np
import pytest
from rapidfuzz import fuzz, process

import agentgym
from agentgym.envs._kit.tools import ToolError
from agentgym.envs._kit.tools.question_world import solve
from agentgym.envs.tools._movie.catalog import ACTOR, DIRECTOR, FILMS, JOBS, WRITER, catalog
from agentgym.envs.tools._movie.facts import cast, crew, film_facts, genres, parts, person_facts, work
from agentgym.envs.tools._movie.tools import LONGEST_HINT, TOOLBOX, Desk
from agentgym.envs.tools._movie.words import INDUSTRIES
from agentgym.envs.tools.movie import MovieEnv

BY_FILM, BY_PERSON = ["movie_id"], ["person_id"]
PUBLISHED = {  # tools of AgentBoard's movie environment with their arguments
    "get_search_movie": ["movie_name"],
    "get_movie_details": BY_FILM,
    "get_movie_production_companies": BY_FILM,
    "get_movie_production_countries": BY_FILM,
    "get_movie_cast": BY_FILM,
    "get_movie_crew": BY_FILM,
    "get_movie_keywords": BY_FILM,
    "get_movie_alternative_titles": BY_FILM,
    "get_movie_translation": BY_FILM,
    "get_search_person": ["person_name"],
    "get_person_details": BY_PERSON,
    "get_person_cast": BY_PERSON,
    "get_person_crew": BY_PERSON,
    "get_person_external_ids": BY_PERSON,
    "check_valid_actions": [],
    "finish": ["answer"],
}


def said(tool: str, /, **arguments: Any) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


def asked(template: str) -> Iterator[tuple[dict[str, Any], Any]]:
    """Arguments and answer of some problems of a template, one after the other."""
    found = [solve(MovieEnv.world, seed, template, 0) for seed in range(400, 412)]
    assert sum(problem is not None for problem in found) >= 4
    for problem in found:
        if problem is not None:
            yield dict(problem.arguments), problem.trace.answer


def film(title: str) -> int:
    (number,) = [number for number, known in enumerate(catalog().titles) if known == title]
    return number


def person(name: str) -> int:
    return catalog().names.index(name)


def films_of(name: str, job: int) -> list[int]:
    """Films of somebody, found in the credits from the side of the films."""
    credits, number = catalog().credits[job], person(name)
    return [int(each) for each, who in zip(credits.film, credits.person, strict=True) if who == number]


def released(number: int) -> date:
    return date.fromordinal(int(catalog().released[number]))


def test_the_published_tools_are_there() -> None:
    for name, arguments in PUBLISHED.items():
        (schema,) = [tool["function"] for tool in TOOLBOX.grammar.tools if tool["function"]["name"] == name]
        assert set(arguments) <= set(schema["parameters"]["properties"]), name


def test_the_catalog_is_large_and_its_names_are_its_own() -> None:
    known = catalog()
    assert len(known.titles) == FILMS >= 5000
    titles = [title.casefold() for title in known.titles] + [t.casefold() for row in known.other_titles for t in row]
    assert len(set(titles)) == len(titles)
    assert len(set(known.names)) == len(known.names)
    assert len(set(known.company_names)) == len(known.company_names)
    for ids in (known.film_ids, known.person_ids):
        assert len(set(ids)) == len(ids)
        assert {len(each) for each in ids} == {6}
        assert ids != sorted(ids)


def test_films_are_made_by_people_of_their_country_and_time() -> None:
    known = catalog()
    for job, credits in zip(JOBS, known.credits, strict=True):
        each_film = np.bincount(credits.film, minlength=FILMS)
        assert each_film.min() >= 1, job
        assert each_film.max() <= job.most
        age = (known.released[credits.film] - known.birthdays[credits.person]) / 365.25
        assert 17 < age.min() < age.max() < 90
        assert (known.industry[credits.film] == known.born_in[credits.person]).all()
        films = np.bincount(credits.person)
        assert films.max() <= 20
        assert films[films > 0].mean() > 3
    assert (np.diff(known.released) >= 0).all()
    own = {*zip(known.credits[DIRECTOR].film.tolist(), known.credits[DIRECTOR].person.tolist(), strict=True)}
    scripts = zip(known.credits[WRITER].film.tolist(), known.credits[WRITER].person.tolist(), strict=True)
    assert 0.2 < len(own & {*scripts}) / FILMS < 0.4


def test_both_sides_of_a_credit_agree() -> None:
    for number in range(0, FILMS, 97):
        for who, role in cast(number):
            assert (number, role) in parts(who)
        for who, job in crew(number):
            assert (number, job) in work(who)
        assert 3 <= len(cast(number)) <= 10
        assert len(crew(number)) <= 10


def test_smaller_facts_are_in_order() -> None:
    for number in range(0, FILMS, 61):
        facts = film_facts(number)
        assert facts.releases[0] == (INDUSTRIES[catalog().industry[number]].code, released(number).isoformat())
        assert [day for _, day in facts.releases] == sorted(day for _, day in facts.releases)
        assert len(dict(facts.releases)) == len(facts.releases) >= 3
        assert facts.countries[0] == INDUSTRIES[catalog().industry[number]].code
        assert 1 <= len(facts.keywords) == len(set(facts.keywords)) <= 8
        assert 1 <= len(genres(number)) == len(set(genres(number))) <= 3
    imdb = [person_facts(number).imdb for number in range(len(catalog().names))]
    assert max(Counter(imdb).values()) <= 2


def test_a_film_is_found_by_any_of_its_titles() -> None:
    desk, known = Desk(0), catalog()
    wanted = TOOLBOX.run("get_search_movie", desk, {"movie_name": known.titles[77]})
    assert wanted["id"] == known.film_ids[77]
    for title in [*known.other_titles[77], known.titles[77].upper(), f"  {known.titles[77]} "]:
        assert TOOLBOX.run("get_search_movie", desk, {"movie_name": title}) == wanted


def test_a_search_without_a_hit_compares_few_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest of some 18,000 titles is looked for once, in compiled code, by the beginning of what was said."""
    asked = []

    def extract(query: str, choices: Any, **kwargs: Any) -> Any:
        asked.append((len(query), len(choices), kwargs["scorer"]))
        return found(query, choices, **kwargs)

    found = process.extractOne
    monkeypatch.setattr(process, "extractOne", extract)
    with pytest.raises(ToolError, match="check the spelling"):
        TOOLBOX.run("get_search_movie", Desk(0), {"movie_name": "The Golden River of Number " * 4_000})
    assert asked == [(LONGEST_HINT, len(catalog().film_by_title), fuzz.ratio)]


def test_answers_on_films_by_another_way() -> None:
    known = catalog()
    for arguments, answer in asked("best_rated"):
        assert answer == max(arguments.values(), key=lambda title: known.votes[film(title)])
    for arguments, answer in asked("days_apart"):
        first, other = (released(film(arguments[name])) for name in ("film", "other_film"))
        assert answer == abs((first - other).days)
    for arguments, answer in asked("shared_keywords"):
        words = [set(film_facts(film(arguments[name])).keywords) for name in ("film", "keyword_film")]
        assert set(answer) == words[0] & words[1]
    for arguments, answer in asked("release_of_known_as"):
        (number,) = [n for n, titles in enumerate(known.other_titles) if arguments["known_as"] in titles]
        assert answer == released(number).isoformat()


def test_answers_on_people_by_another_way() -> None:
    known = catalog()
    for arguments, answer in asked("revenue_of_actor"):
        assert answer == sum(int(known.revenue[number]) for number in films_of(arguments["actor"], ACTOR))
    for arguments, answer in asked("films_of_two_actors"):
        both = set(films_of(arguments["actor"], ACTOR)) & set(films_of(arguments["co_actor"], ACTOR))
        assert {film(title) for title in answer} == both
    for arguments, answer in asked("age_at_first_film"):
        first = released(min(films_of(arguments["director"], DIRECTOR)))
        born = date.fromordinal(int(known.birthdays[person(arguments["director"])]))
        birthdays = [(year, born.month, born.day) for year in range(born.year + 1, first.year + 1)]
        assert answer == sum(day <= (first.year, first.month, first.day) for day in birthdays)
    for arguments, answer in asked("favorite_of_director"):
        count = Counter(who for number in films_of(arguments["director"], DIRECTOR) for who, _ in cast(number))
        (top,) = [who for who, films in count.items() if films == max(count.values())]
        assert answer == known.names[top]
    for arguments, answer in asked("mean_minutes_of_director"):
        rows = [n for n in films_of(arguments["director"], DIRECTOR) if released(n).year > arguments["year"]]
        assert answer == pytest.approx(statistics.mean(int(known.minutes[n]) for n in rows), abs=0.0051)
    for arguments, answer in asked("directed_and_written"):
        both = set(films_of(arguments["director"], DIRECTOR)) & set(films_of(arguments["director"], WRITER))
        assert {film(title) for title in answer} == both


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (said("get_search_movie", movie_name="{near}"), "No film is called"),
        (said("get_search_movie", movie_name="x" * 400), "No film is called 'xxxxxxxxxxxxxxxxxxxx"),
        (said("get_search_movie", movie_name=""), "No film is called ''; check the spelling."),
        (said("get_search_movie", movie_name="y" * 401), "get_search_movie: arguments.movie_name must have at most"),
        (said("get_search_person", person_name="Nobody"), "No person is called 'Nobody'; check the spelling."),
        (said("get_search_person", person_name=7), "get_search_person: arguments.person_name must be of type string"),
        (said("get_movie_details", movie_id="12"), "There is no film with the id '12'; get_search_movie gives ids."),
        (said("get_movie_details", movie_id=123456), "get_movie_details: arguments.movie_id must be of type string"),
        (said("get_movie_details"), "get_movie_details: arguments lacks 'movie_id'"),
        (said("get_movie_cast", movie_id="1", top=3), "get_movie_cast: arguments has the unknown key 'top'"),
        (said("get_person_cast", person_id="7" * 300), "There is no person with the id '77777777777777777777'"),
        (said("get_movie_casts", movie_id="1"), "there is no tool 'get_movie_casts'; did you mean 'get_movie_cast'?"),
    ],
)  # fmt: skip
def test_refusals_say_what_to_do(action: str, reason: str) -> None:
    env = agentgym.make("Movie-v0").unwrapped
    env.reset(seed=0)
    before = env.state_key()
    text, _, _, _, info = env.step(action.replace("{near}", catalog().titles[9] + "s"))
    assert text.startswith(reason)
    assert ("nearest" in text) == ("{near}" in action)
    assert (info["action_valid"], env.state_key()) == (False, before)
    assert "\n" not in text
    assert len(text) < 600 if "there is no tool" in text else len(text) < 200
