"""Questions about films: their figures, dates, companies, countries, keywords, titles and languages."""

from __future__ import annotations

from agentgym.envs._kit.tools import EXACT, Program, best, one, several
from agentgym.envs._kit.tools.questions import by_itself
from agentgym.envs.tools._movie.slots import BOOK, about, day, details, shared, some, values


@BOOK.ask(
    "date", 2,
    'When was "{film}" first released?',
    'What is the release date of the film "{film}"?',
    'On which day did "{film}" come out?',
    'The film known as "{film}": what is its release date?',
)  # fmt: skip
def _release_date(film: str) -> Program:
    return (yield from about("details", film))["release_date"]


@BOOK.ask(
    "number", 2,
    'What was the budget of "{film}", in dollars?',
    'How many dollars did it cost to make "{film}"?',
    'How large was the budget of the film "{film}"? Give it in dollars.',
)  # fmt: skip
def _budget(film: str) -> Program:
    return (yield from about("details", film))["budget"]


@BOOK.ask(
    "number", 2,
    'By how many dollars do the revenue and the budget of "{film}" differ?',
    'How many dollars lie between what "{film}" cost and what it took in?',
    'Compare budget and revenue of "{film}". What is the difference in dollars, without a sign?',
)  # fmt: skip
def _profit(film: str) -> Program:
    told = yield from about("details", film)
    return abs(told["revenue"] - told["budget"])


@BOOK.ask(
    "number", 2,
    'How many times its budget did "{film}" take in? Give two decimals.',
    'Divide the revenue of "{film}" by its budget. What do you get, to two decimals?',
    'What is the ratio of revenue to budget of the film "{film}", to two decimals?',
)  # fmt: skip
def _return_on_budget(film: str) -> Program:
    told = yield from about("details", film)
    return round(told["revenue"] / told["budget"], EXACT)


@BOOK.ask(
    "name", 2,
    'Which of "{film}", "{other_film}", "{third_film}" and "{fourth_film}" has the highest rating?',
    'Compare the ratings of "{film}", "{other_film}", "{third_film}" and "{fourth_film}": which film leads?',
    'Of "{film}", "{other_film}", "{third_film}" and "{fourth_film}", which is rated best?',
)  # fmt: skip
def _best_rated(film: str, other_film: str, third_film: str, fourth_film: str) -> Program:
    known = yield from details(film, other_film, third_film, fourth_film)
    return best({title: told["vote_average"] for title, told in known.items()})


@BOOK.ask(
    "name", 2,
    'Which of "{film}", "{other_film}", "{third_film}" and "{fourth_film}" came out first?',
    'Of the films "{film}", "{other_film}", "{third_film}" and "{fourth_film}", name the oldest by release date.',
    'Put "{film}", "{other_film}", "{third_film}" and "{fourth_film}" in the order of release: which is the earliest?',
)  # fmt: skip
def _earliest(film: str, other_film: str, third_film: str, fourth_film: str) -> Program:
    known = yield from details(film, other_film, third_film, fourth_film)
    return best({title: told["release_date"] for title, told in known.items()}, -1)


@BOOK.ask(
    "name", 3,
    'Which of "{film}", "{other_film}", "{third_film}" and "{fourth_film}" took in most for each dollar of its budget?',
    'For which of "{film}", "{other_film}", "{third_film}", "{fourth_film}" is revenue divided by budget the greatest?',
    'Of "{film}", "{other_film}", "{third_film}" and "{fourth_film}", which has the best ratio of revenue to budget?',
)  # fmt: skip
def _best_return(film: str, other_film: str, third_film: str, fourth_film: str) -> Program:
    known = yield from details(film, other_film, third_film, fourth_film)
    return best({title: told["revenue"] / told["budget"] for title, told in known.items()})


@BOOK.ask(
    "number", 2,
    'How many days lie between the releases of "{film}" and "{other_film}"?',
    'How many days apart were "{film}" and "{other_film}" released?',
    'Count the days from the release of the earlier to that of the later of "{film}" and "{other_film}".',
)  # fmt: skip
def _days_apart(film: str, other_film: str) -> Program:
    one_told, other = list((yield from details(film, other_film)).values())
    return abs((day(one_told["release_date"]) - day(other["release_date"])).days)


@BOOK.ask(
    "number", 2,
    'How many dollars did "{film}", "{other_film}" and "{third_film}" take in together?',
    'Add up the revenue of "{film}", "{other_film}" and "{third_film}". How many dollars is that?',
    'What is the total revenue of the three films "{film}", "{other_film}" and "{third_film}", in dollars?',
)  # fmt: skip
def _total_revenue(film: str, other_film: str, third_film: str) -> Program:
    known = yield from details(film, other_film, third_film)
    return sum(told["revenue"] for told in known.values())


@BOOK.ask(
    "number", 2,
    'By how many minutes do "{film}" and "{other_film}" differ in length?',
    'How many minutes is the longer of "{film}" and "{other_film}" longer than the other?',
    'What is the difference between the durations of "{film}" and "{other_film}", in minutes?',
)  # fmt: skip
def _minutes_apart(film: str, other_film: str) -> Program:
    one_told, other = list((yield from details(film, other_film)).values())
    return abs(one_told["runtime"] - other["runtime"])


@BOOK.ask(
    "number", 2,
    'What is the mean rating of "{film}", "{other_film}" and "{third_film}"? Give two decimals.',
    'Average the ratings of "{film}", "{other_film}" and "{third_film}" to two decimals.',
    'How well are "{film}", "{other_film}" and "{third_film}" rated on average, to two decimals?',
)  # fmt: skip
def _mean_rating(film: str, other_film: str, third_film: str) -> Program:
    known = yield from details(film, other_film, third_film)
    return round(sum(told["vote_average"] for told in known.values()) / 3, EXACT)


@BOOK.ask(
    "list", 2,
    'What are the genres of "{film}" and "{other_film}", taken together and each named once?',
    'Name every genre that "{film}" or "{other_film}" belongs to.',
    'Which genres does at least one of "{film}" and "{other_film}" have?',
)  # fmt: skip
def _genres_of_either(film: str, other_film: str) -> Program:
    known = yield from details(film, other_film)
    return list(dict.fromkeys(genre for told in known.values() for genre in told["genres"]))


@BOOK.ask(
    "list", 2,
    'Which genres of "{film}" does "{genre_film}" not have?',
    'Name the genres that "{film}" belongs to, but "{genre_film}" does not.',
    'What genres of "{film}" are missing from "{genre_film}"?',
)  # fmt: skip
def _genres_of_one(film: str, genre_film: str) -> Program:
    one_told, other = list((yield from details(film, genre_film)).values())
    return [genre for genre in one_told["genres"] if genre not in other["genres"]]


@BOOK.ask(
    "list", 2,
    'Which companies produced "{film}"?',
    'Name the production companies of the film "{film}".',
    'By what companies was "{film}" made?',
)  # fmt: skip
def _companies(film: str) -> Program:
    return values((yield from about("production_companies", film)), "name")


@BOOK.ask(
    "list", 3,
    'Which companies produced both "{film}" and "{company_film}"?',
    'Name the production companies that "{film}" and "{company_film}" have in common.',
    'What companies had a hand in "{film}" as well as in "{company_film}"?',
)  # fmt: skip
def _shared_companies(film: str, company_film: str) -> Program:
    first = values((yield from about("production_companies", film)), "name")
    return shared(first, values((yield from about("production_companies", company_film)), "name"))


@BOOK.ask(
    "list", 3,
    'From which countries (two-letter codes) do the companies that produced "{film}" come, each named once?',
    'Name the codes of the countries of origin of all production companies of "{film}", each once.',
    'The companies behind "{film}": what are the codes of their countries of origin, without repeats?',
)  # fmt: skip
def _company_countries(film: str) -> Program:
    return values((yield from about("production_companies", film)), "origin_country")


@BOOK.ask(
    "list", 2,
    'In which countries was "{film}" or "{other_film}" produced? Name each country once.',
    'Name every production country of "{film}" and of "{other_film}", without repeats.',
    'Which countries took part in making at least one of "{film}" and "{other_film}"?',
)  # fmt: skip
def _countries_of_either(film: str, other_film: str) -> Program:
    rows = (yield from about("production_countries", film)) + (yield from about("production_countries", other_film))
    return values(rows, "name")


@BOOK.ask(
    "list", 3,
    'Which keywords do "{film}" and "{keyword_film}" share?',
    'Name the keywords that belong to "{film}" as well as to "{keyword_film}".',
    'What keywords have "{film}" and "{keyword_film}" in common?',
)  # fmt: skip
def _shared_keywords(film: str, keyword_film: str) -> Program:
    return shared((yield from about("keywords", film)), (yield from about("keywords", keyword_film)))


@BOOK.ask(
    "list", 3,
    'Which keywords of "{film}" does "{keyword_film}" lack?',
    'Name the keywords that "{film}" has and "{keyword_film}" has not.',
    'What keywords stand with "{film}" but not with "{keyword_film}"?',
)  # fmt: skip
def _keywords_of_one(film: str, keyword_film: str) -> Program:
    mine, other = (yield from about("keywords", film)), (yield from about("keywords", keyword_film))
    return some([word for word in mine if word not in other], mine)


@BOOK.ask(
    "name", 2,
    'Which of "{film}", "{other_film}", "{third_film}" and "{fourth_film}" has the keyword "{keyword}"?',
    'One of "{film}", "{other_film}", "{third_film}" and "{fourth_film}" goes under the keyword "{keyword}". Which?',
    'Find the film with the keyword "{keyword}" among "{film}", "{other_film}", "{third_film}" and "{fourth_film}".',
)  # fmt: skip
def _film_of_keyword(film: str, other_film: str, third_film: str, fourth_film: str, keyword: str) -> Program:
    found = []
    for title in (film, other_film, third_film, fourth_film):
        if keyword in (yield from about("keywords", title)):
            found.append(title)
    return one(found)


@BOOK.ask(
    "list", 2,
    'By which other titles is "{film}" known?',
    'Name all alternative titles of the film "{film}".',
    'Under what titles does "{film}" go in other countries?',
)  # fmt: skip
def _other_titles(film: str) -> Program:
    return values((yield from about("alternative_titles", film)), "title")


@BOOK.ask(
    "date", 2,
    'Some country knows a film as "{known_as}". When was it first released?',
    'A film has the alternative title "{known_as}". What is its release date?',
    'What is the release date of the film that is called "{known_as}" in some country?',
)  # fmt: skip
def _release_of_known_as(known_as: str) -> Program:
    return (yield from about("details", known_as))["release_date"]


@BOOK.ask(
    "name", 1,
    'What is the proper title of the film that is known as "{known_as}" in some country?',
    'A film goes by "{known_as}" elsewhere. What is it called at home?',
    'Which film has the alternative title "{known_as}"?',
)  # fmt: skip
def _title_of_known_as(known_as: str) -> Program:
    return (yield ("get_search_movie", {"movie_name": known_as}))["title"]


@BOOK.ask(
    "list", 2,
    'Into which languages has the description of "{film}" been translated, English included? Use English names.',
    'Name, in English, the languages in which there is a description of "{film}".',
    'In what languages can one read about "{film}" in the list of its translations? Give their English names.',
)  # fmt: skip
def _languages(film: str) -> Program:
    return values((yield from about("translation", film)), "english_name")


@BOOK.ask(
    "list", 3,
    'Which languages have a description of "{film}", but none of "{other_film}"? Use English names.',
    'Name, in English, the languages into which "{film}" has been translated and "{other_film}" has not.',
    'In what languages is there a description of "{film}" and none of "{other_film}"? Give their English names.',
)  # fmt: skip
def _languages_of_one(film: str, other_film: str) -> Program:
    mine = values((yield from about("translation", film)), "english_name")
    other = values((yield from about("translation", other_film)), "english_name")
    return some([language for language in mine if language not in other], mine)


@BOOK.ask(
    "date", 2,
    'When was "{film}" released in {country}?',
    'On which day did "{film}" come to the cinemas of {country}?',
    'Give the release date of "{film}" in {country}.',
)  # fmt: skip
def _release_in(film: str, country: str) -> Program:
    rows = yield from about("release_dates", film)
    return one([row["release_date"] for row in rows if row["country"] == by_itself(country)])


@BOOK.ask(
    "number", 3,
    'How many days lie between the releases of "{film}" in {country} and in {other_country}?',
    'How many days apart did "{film}" come out in {country} and in {other_country}?',
    'Compare the release dates of "{film}" in {country} and {other_country}: how many days are between them?',
)  # fmt: skip
def _days_between_countries(film: str, country: str, other_country: str) -> Program:
    known = {row["country"]: day(row["release_date"]) for row in (yield from about("release_dates", film))}
    return abs((known[by_itself(country)] - known[by_itself(other_country)]).days)


@BOOK.ask(
    "name", 2,
    'Which country was the last to release "{film}"?',
    'In what country did "{film}" come out latest of all?',
    'Name the country with the latest release of the film "{film}".',
)  # fmt: skip
def _last_country(film: str) -> Program:
    return best({row["country"]: row["release_date"] for row in (yield from about("release_dates", film))})


@BOOK.ask(
    "list", 3,
    'Which countries released "{film}" later than {country} did?',
    'Name the countries where "{film}" came out after its release in {country}.',
    'Where was "{film}" released after {country}? Name the countries.',
)  # fmt: skip
def _later_countries(film: str, country: str) -> Program:
    known = {row["country"]: row["release_date"] for row in (yield from about("release_dates", film))}
    return [name for name, told in known.items() if told > known[by_itself(country)]]


@BOOK.ask(
    "number", 3,
    'How many countries released "{film}" or "{other_film}"? Count each country once.',
    'In how many different countries did at least one of "{film}" and "{other_film}" come out?',
    'Count the countries where "{film}" or "{other_film}" was released, without repeats.',
)  # fmt: skip
def _countries_of_release(film: str, other_film: str) -> Program:
    rows = (yield from about("release_dates", film)) + (yield from about("release_dates", other_film))
    return several(len(values(rows, "country")))
