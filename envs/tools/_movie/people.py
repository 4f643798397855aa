"""Questions about people and those who work behind the camera."""

from __future__ import annotations

from collections import Counter

from agentgym.envs._kit.tools import EXACT, Program, Unfit, best, one
from agentgym.envs._kit.tools.questions import by_itself
from agentgym.envs.tools._movie.slots import (
    BOOK,
    about,
    day,
    directed,
    doing,
    each_details,
    leader,
    life,
    of_film,
    of_person,
    person_id,
    shared,
    some,
    values,
    years_between,
)


@BOOK.ask(
    "date", 3,
    'When was the director of "{film}" born?',
    'What is the birthday of the person who directed "{film}"?',
    'Give the date of birth of the director of the film "{film}".',
)  # fmt: skip
def _birthday_of_director(film: str) -> Program:
    return (yield from of_person("details", (yield from leader(film))["id"]))["birthday"]


@BOOK.ask(
    "name", 3,
    'What is the place of birth of the director of "{film}", with its country as it is told?',
    'Where was the person born who directed "{film}"? Give city and country as the tools write them.',
    'In which place, written as city and country, did the life of the director of "{film}" begin?',
)  # fmt: skip
def _birthplace_of_director(film: str) -> Program:
    return (yield from of_person("details", (yield from leader(film))["id"]))["place_of_birth"]


@BOOK.ask(
    "name", 3,
    'What is the IMDb id of the director of "{film}"?',
    'Under which id does IMDb list the person who directed "{film}"?',
    'Look up the director of the film "{film}": what is the id at IMDb?',
)  # fmt: skip
def _imdb_of_director(film: str) -> Program:
    return (yield from of_person("external_ids", (yield from leader(film))["id"]))["imdb_id"]


@BOOK.ask(
    "name", 3,
    'What is the Instagram id of the person who plays {role} in "{film}"?',
    'Under which name can the actor of {role} in "{film}" be found at Instagram?',
    'Somebody appears as {role} in "{film}". What is that actor called at Instagram?',
)  # fmt: skip
def _instagram_of_part(film: str, role: str) -> Program:
    row = one([row for row in (yield from about("cast", film)) if row["character"] == role])
    return (yield from of_person("external_ids", row["id"]))["instagram_id"]


@BOOK.ask(
    "name", 2,
    'Who is the youngest of {person}, {other_person}, {third_person} and {fourth_person}?',
    'Of {person}, {other_person}, {third_person} and {fourth_person}, who was born last?',
    'Compare the birthdays of {person}, {other_person}, {third_person} and {fourth_person}: whose is the latest?',
)  # fmt: skip
def _youngest(person: str, other_person: str, third_person: str, fourth_person: str) -> Program:
    found = {}
    for name in (person, other_person, third_person, fourth_person):
        found[name] = (yield from life("details", name))["birthday"]
    return best(found)


@BOOK.ask(
    "number", 2,
    'How many days lie between the birthdays of {person} and {other_person}?',
    'By how many days do the dates of birth of {person} and {other_person} differ?',
    'Count the days from the birth of the older to that of the younger of {person} and {other_person}.',
)  # fmt: skip
def _days_between_births(person: str, other_person: str) -> Program:
    first = day((yield from life("details", person))["birthday"])
    return abs((first - day((yield from life("details", other_person))["birthday"])).days)


@BOOK.ask(
    "list", 3,
    'Which of {person}, {other_person}, {third_person} and {fourth_person} were born in {country}?',
    'Of {person}, {other_person}, {third_person} and {fourth_person}, name those with a place of birth in {country}.',
    'Name whoever of {person}, {other_person}, {third_person} and {fourth_person} comes from {country} by birth.',
)  # fmt: skip
def _born_in(person: str, other_person: str, third_person: str, fourth_person: str, country: str) -> Program:
    found = []
    for name in (person, other_person, third_person, fourth_person):
        if (yield from life("details", name))["place_of_birth"].endswith(f", {by_itself(country)}"):
            found.append(name)
    return found


@BOOK.ask(
    "name", 2,
    'Who composed the music of "{film}"?',
    'Name the composer of the original music of "{film}".',
    'By whom is the music of the film "{film}"?',
)  # fmt: skip
def _composer(film: str) -> Program:
    return one(doing((yield from about("crew", film)), "Original Music Composer"))["name"]


@BOOK.ask(
    "list", 3,
    'Which other films did the director of "{film}" direct?',
    'Name the films, other than "{film}", that were directed by its director.',
    'The person who directed "{film}" directed further films. Which are they?',
)  # fmt: skip
def _other_films_of_director(film: str) -> Program:
    rows = doing((yield from of_person("crew", (yield from leader(film))["id"])), "Director")
    return [row["title"] for row in rows if row["title"] != film]


@BOOK.ask(
    "list", 2,
    'Which films did {director} both direct and write?',
    'Name the films on which {director} worked as director and as writer.',
    'For which of the films that {director} directed is {director} a writer as well?',
)  # fmt: skip
def _directed_and_written(director: str) -> Program:
    rows = yield from life("crew", director)
    mine = values(doing(rows, "Director"), "title")
    return some(shared(mine, values(doing(rows, "Writer"), "title")), mine)


@BOOK.ask(
    "name", 4,
    'Which film directed by {director} took in the most?',
    'Of the films that {director} directed, which has the greatest revenue?',
    'Name the film with the highest revenue among those under the direction of {director}.',
)  # fmt: skip
def _top_film_of_director(director: str) -> Program:
    known = yield from each_details((yield from directed(director)))
    return best({title: told["revenue"] for title, told in known.items()})


@BOOK.ask(
    "number", 4,
    'What were the budgets of all films directed by {director} together, in dollars?',
    'Sum the budgets of the films that {director} directed. How many dollars is that?',
    'How many dollars did it cost in all to make the films under the direction of {director}?',
)  # fmt: skip
def _budget_of_director(director: str) -> Program:
    known = yield from each_details((yield from directed(director)))
    return sum(told["budget"] for told in known.values())


@BOOK.ask(
    "number", 4,
    'What is the mean duration of the films directed by {director} after {year}, in minutes to two decimals?',
    'Of the films that {director} directed and that came out after {year}, what is the mean duration? Two decimals.',
    'How many minutes do films directed by {director} and released later than {year} take on average? Two decimals.',
)  # fmt: skip
def _mean_minutes_of_director(director: str, year: int) -> Program:
    known = yield from each_details((yield from directed(director)))
    found = [told["runtime"] for told in known.values() if day(told["release_date"]).year > year]
    if not found:
        raise Unfit
    return round(sum(found) / len(found), EXACT)


@BOOK.ask(
    "name", 4,
    'Which genre is the most frequent among the films directed by {director}?',
    'Count the genres of all films that {director} directed: which occurs most often?',
    'To what genre do most films under the direction of {director} belong?',
)  # fmt: skip
def _genre_of_director(director: str) -> Program:
    known = yield from each_details((yield from directed(director)))
    return best(Counter(genre for told in known.values() for genre in told["genres"]))


@BOOK.ask(
    "list", 4,
    'Which composers worked with {director} on films that {director} directed? Name each once.',
    'Name everybody who composed the music of a film directed by {director}, without repeats.',
    'By which composers is the music of the films under the direction of {director}?',
)  # fmt: skip
def _composers_of_director(director: str) -> Program:
    found = []
    for row in (yield from directed(director)):
        found += doing((yield from of_film("crew", row["id"])), "Original Music Composer")
    return values(found, "name")


@BOOK.ask(
    "name", 4,
    'Who plays in the most films directed by {director}?',
    'Of all actors, who appears in the largest number of films under the direction of {director}?',
    'With which actor did {director} make the most films as director?',
)  # fmt: skip
def _favorite_of_director(director: str) -> Program:
    found: Counter[str] = Counter()
    for row in (yield from directed(director)):
        found.update(values((yield from of_film("cast", row["id"])), "name"))
    return best(found)


@BOOK.ask(
    "number", 4,
    'How many full years old was {director} at the release of the first film that {director} directed?',
    'At what age, in full years, did {director} see the release of the first film that {director} directed?',
    'Take the earliest film directed by {director}: how old was {director} on its release date, in full years?',
)  # fmt: skip
def _age_at_first_film(director: str) -> Program:
    key = yield from person_id(director)
    born = (yield from of_person("details", key))["birthday"]
    known = yield from each_details(doing((yield from of_person("crew", key)), "Director"))
    return years_between(born, min(told["release_date"] for told in known.values()))


@BOOK.ask(
    "date", 4,
    'When was the first film released that has {crew_member} in its crew?',
    'Of all films that {crew_member} worked on behind the camera, what is the earliest release date?',
    'On which day did the earliest film of {crew_member} as a member of the crew come out?',
)  # fmt: skip
def _first_work(crew_member: str) -> Program:
    known = yield from each_details((yield from life("crew", crew_member)))
    return min(told["release_date"] for told in known.values())


@BOOK.ask(
    "name", 4,
    'Which keyword occurs most often among the films that {crew_member} worked on behind the camera?',
    'Take the keywords of all films with {crew_member} in the crew: which one is the most frequent?',
    'Count the keywords of the films of {crew_member} as a member of the crew. Which comes up most?',
)  # fmt: skip
def _keyword_of_work(crew_member: str) -> Program:
    found: Counter[str] = Counter()
    for key in values((yield from life("crew", crew_member)), "id"):
        found.update((yield from of_film("keywords", key)))
    return best(found)
