"""Questions about actors, their parts and the films they play in."""

from __future__ import annotations

from agentgym.envs._kit.tools import EXACT, Program, best, one, several
from agentgym.envs.tools._movie.slots import (
    BOOK,
    about,
    day,
    each_details,
    leader,
    life,
    of_person,
    shared,
    some,
    values,
    years_between,
)


@BOOK.ask(
    "name", 2,
    'Which character does {actor} play in "{film}"?',
    'In "{film}", what is the name of the character played by {actor}?',
    'Name the part that {actor} has in the film "{film}".',
)  # fmt: skip
def _part_of_actor(film: str, actor: str) -> Program:
    return one([row["character"] for row in (yield from about("cast", film)) if row["name"] == actor])


@BOOK.ask(
    "name", 2,
    'Who plays {role} in "{film}"?',
    'In the film "{film}", which actor has the part of {role}?',
    'Name the person who appears as {role} in "{film}".',
)  # fmt: skip
def _actor_of_part(film: str, role: str) -> Program:
    return one([row["name"] for row in (yield from about("cast", film)) if row["character"] == role])


@BOOK.ask(
    "list", 3,
    'Who plays in both "{film}" and "{kin_film}"?',
    'Name everybody in the cast of "{film}" who is also in the cast of "{kin_film}".',
    'Which actors do the films "{film}" and "{kin_film}" have in common?',
)  # fmt: skip
def _shared_cast(film: str, kin_film: str) -> Program:
    first = values((yield from about("cast", film)), "name")
    return shared(first, values((yield from about("cast", kin_film)), "name"))


@BOOK.ask(
    "number", 3,
    'How many different people play in "{film}" or "{kin_film}"?',
    'Count everybody who is in the cast of at least one of "{film}" and "{kin_film}", each once.',
    'Put the casts of "{film}" and "{kin_film}" together: how many people are they, without repeats?',
)  # fmt: skip
def _size_of_casts(film: str, kin_film: str) -> Program:
    rows = (yield from about("cast", film)) + (yield from about("cast", kin_film))
    return several(len(values(rows, "id")))


@BOOK.ask(
    "name", 4,
    'Which film with {actor} in its cast has the highest rating?',
    'Of all films that {actor} plays in, which is rated best?',
    'Name the best rated film among those in which {actor} has a part.',
)  # fmt: skip
def _best_film_of_actor(actor: str) -> Program:
    known = yield from each_details((yield from life("cast", actor)))
    return best({title: told["vote_average"] for title, told in known.items()})


@BOOK.ask(
    "number", 4,
    'How many dollars did the films with {actor} take in altogether?',
    'Add up the revenue of every film that {actor} plays in, in dollars.',
    'What is the total revenue, in dollars, of the films in which {actor} has a part?',
)  # fmt: skip
def _revenue_of_actor(actor: str) -> Program:
    known = yield from each_details((yield from life("cast", actor)))
    return sum(told["revenue"] for told in known.values())


@BOOK.ask(
    "number", 4,
    'What is the mean rating of the films that {actor} plays in? Give two decimals.',
    'Average the ratings of all films with {actor} in the cast, to two decimals.',
    'On average, how well are the films rated in which {actor} has a part? Two decimals.',
)  # fmt: skip
def _mean_rating_of_actor(actor: str) -> Program:
    known = yield from each_details((yield from life("cast", actor)))
    return round(sum(told["vote_average"] for told in known.values()) / len(known), EXACT)


@BOOK.ask(
    "list", 3,
    'In which films do {actor} and {co_actor} both play?',
    'Name the films that have {actor} as well as {co_actor} in the cast.',
    'Which films bring {actor} and {co_actor} together on the screen?',
)  # fmt: skip
def _films_of_two_actors(actor: str, co_actor: str) -> Program:
    first = values((yield from life("cast", actor)), "title")
    return shared(first, values((yield from life("cast", co_actor)), "title"))


@BOOK.ask(
    "list", 4,
    'Which films of the genre {genre} does {actor} play in?',
    'Name the films with {actor} in the cast that belong to the genre {genre}.',
    'Of the films of {actor} as an actor, which have {genre} among their genres?',
)  # fmt: skip
def _films_of_actor_in_genre(actor: str, genre: str) -> Program:
    known = yield from each_details((yield from life("cast", actor)))
    return some([title for title, told in known.items() if genre in told["genres"]], known)


@BOOK.ask(
    "list", 4,
    'Which films with {actor} in the cast were released after the year {year}?',
    'Name the films in which {actor} plays and that came out later than {year}.',
    'What films of {actor} as an actor have a release date after the end of {year}?',
)  # fmt: skip
def _later_films_of_actor(actor: str, year: int) -> Program:
    known = yield from each_details((yield from life("cast", actor)))
    return some([title for title, told in known.items() if day(told["release_date"]).year > year], known)


@BOOK.ask(
    "number", 4,
    'How many full years old was {actor} when "{film}" was released?',
    'What was the age of {actor}, in full years, on the day of the release of "{film}"?',
    'On the release date of "{film}", how old was {actor}? Count full years.',
)  # fmt: skip
def _age_at_release(film: str, actor: str) -> Program:
    row = one([row for row in (yield from about("cast", film)) if row["name"] == actor])
    born = (yield from of_person("details", row["id"]))["birthday"]
    return years_between(born, (yield from about("details", film))["release_date"])


@BOOK.ask(
    "name", 4,
    'Who is the oldest person in the cast of "{film}"?',
    'Of all who play in "{film}", who was born first?',
    'Name the member of the cast of "{film}" with the earliest birthday.',
)  # fmt: skip
def _oldest_in_cast(film: str) -> Program:
    found = {}
    for row in (yield from about("cast", film)):
        found[row["name"]] = (yield from of_person("details", row["id"]))["birthday"]
    return best(found, -1)


@BOOK.ask(
    "name", 4,
    'Who in the cast of "{film}" plays in the most films altogether?',
    'Of the actors of "{film}", who has the longest list of films as an actor?',
    'Count the films in which each member of the cast of "{film}" plays: who has the most?',
)  # fmt: skip
def _busiest_in_cast(film: str) -> Program:
    found = {}
    for row in (yield from about("cast", film)):
        found[row["name"]] = len((yield from of_person("cast", row["id"])))
    return best(found)


@BOOK.ask(
    "list", 4,
    'Who in the cast of "{film}" has an account at Instagram and none at Twitter?',
    'Name the actors of "{film}" with an Instagram id but without a Twitter id.',
    'Which members of the cast of "{film}" can be found at Instagram and not at Twitter?',
)  # fmt: skip
def _only_at_instagram(film: str) -> Program:
    found = []
    for row in (yield from about("cast", film)):
        told = yield from of_person("external_ids", row["id"])
        if told["instagram_id"] and not told["twitter_id"]:
            found.append(row["name"])
    return found


@BOOK.ask(
    "name", 4,
    'Who directed the latest film that {actor} plays in?',
    'Of the films with {actor} in the cast, take the one released last: who is its director?',
    'Name the director of the most recent film in which {actor} has a part.',
)  # fmt: skip
def _director_of_latest(actor: str) -> Program:
    known = yield from each_details((yield from life("cast", actor)))
    return (yield from leader(best({title: told["release_date"] for title, told in known.items()})))["name"]
