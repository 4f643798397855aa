"""Questions about papers and the papers they cite."""

from __future__ import annotations

from agentgym.envs._kit.tools import EXACT, Program
from agentgym.envs.tools._academia.slots import (
    BOOK,
    PAPERS,
    at_least,
    best,
    cited_papers,
    column,
    days,
    frequent,
    mean,
    papers,
    references,
    several,
)  # fmt: skip


@BOOK.ask(
    "list", 1,
    'Who wrote the paper "{paper}"?',
    'List the authors of "{paper}".',
    'Which people signed "{paper}" as its authors?',
)  # fmt: skip
def _authors_of(paper: str) -> Program:
    yield PAPERS
    return (yield ("paperNodeCheck", {"node": paper}))["authors"]


@BOOK.ask(
    "date", 1,
    'On what day was "{paper}" published?',
    'When did the paper "{paper}" appear?',
    'Give the day of publication of "{paper}".',
)  # fmt: skip
def _date_of(paper: str) -> Program:
    yield PAPERS
    return (yield ("paperNodeCheck", {"node": paper}))["date"]


@BOOK.ask(
    "name", 1,
    'In which venue was "{paper}" published?',
    'Where did the paper "{paper}" appear?',
    'Name the venue of "{paper}".',
)  # fmt: skip
def _venue_of(paper: str) -> Program:
    yield PAPERS
    return (yield ("paperNodeCheck", {"node": paper}))["venue"]


@BOOK.ask(
    "number", 1,
    'How many papers does "{paper}" cite?',
    'How long is the reference list of "{paper}"?',
    'Count the references of the paper "{paper}" in PaperNet.',
)  # fmt: skip
def _references_of(paper: str) -> Program:
    yield PAPERS
    return several(len((yield from references(paper))))


@BOOK.ask(
    "number", 2,
    'How many citations do "{paper}" and "{other_paper}" have together?',
    'Add up the citations of "{paper}" and of "{other_paper}".',
    'What is the sum of the citation counts of "{paper}" and "{other_paper}"?',
)  # fmt: skip
def _citations_together(paper: str, other_paper: str) -> Program:
    yield PAPERS
    return several(sum([row["n_citation"] for row in (yield from papers([paper, other_paper]))]))


@BOOK.ask(
    "number", 2,
    'How many days lie between the publication of "{paper}" and that of "{other_paper}"?',
    'By how many days do the dates of "{paper}" and "{other_paper}" differ?',
    'Count the days from the earlier to the later of the papers "{paper}" and "{other_paper}".',
)  # fmt: skip
def _days_between(paper: str, other_paper: str) -> Program:
    yield PAPERS
    first, second = yield from papers([paper, other_paper])
    return days(first["date"], second["date"])


@BOOK.ask(
    "name", 2,
    'In which venue did the earlier one of "{paper}" and "{other_paper}" appear?',
    'Of the papers "{paper}" and "{other_paper}", take the older. What is its venue?',
    'Name the venue of whichever of "{paper}" and "{other_paper}" was published first.',
)  # fmt: skip
def _venue_of_earlier(paper: str, other_paper: str) -> Program:
    yield PAPERS
    rows = {row["title"]: row for row in (yield from papers([paper, other_paper]))}
    return rows[best(column(rows.values(), "date"), -1)]["venue"]


@BOOK.ask(
    "name", 2,
    'Who is the first author of the more cited one of "{paper}" and "{other_paper}"?',
    'Of "{paper}" and "{other_paper}", take the paper with more citations. Who signed it first?',
    'Name the first author of whichever of "{paper}" and "{other_paper}" has been cited more often.',
)  # fmt: skip
def _first_author_of_more_cited(paper: str, other_paper: str) -> Program:
    yield PAPERS
    rows = {row["title"]: row for row in (yield from papers([paper, other_paper]))}
    return rows[best(column(rows.values(), "n_citation"))]["authors"][0]


@BOOK.ask(
    "list", 2,
    'Which keywords do "{paper}" and "{twin}" share?',
    'List the keywords that both "{paper}" and "{twin}" have.',
    'What keywords are given for "{paper}" and also for "{twin}"?',
)  # fmt: skip
def _shared_keywords(paper: str, twin: str) -> Program:
    yield PAPERS
    first, second = yield from papers([paper, twin])
    return [word for word in first["keywords"] if word in second["keywords"]]


@BOOK.ask(
    "list", 2,
    'Who is an author of both "{paper}" and "{kin}"?',
    'Which people wrote "{paper}" as well as "{kin}"?',
    'List the authors that the papers "{paper}" and "{kin}" have in common.',
)  # fmt: skip
def _shared_authors(paper: str, kin: str) -> Program:
    yield PAPERS
    first, second = yield from papers([paper, kin])
    return [name for name in first["authors"] if name in second["authors"]]


@BOOK.ask(
    "list", 2,
    'Which papers are cited by "{paper}" and by "{twin}"?',
    'List the references that "{paper}" and "{twin}" have in common.',
    'What papers stand in the reference lists of both "{paper}" and "{twin}"?',
)  # fmt: skip
def _shared_references(paper: str, twin: str) -> Program:
    yield PAPERS
    first = yield from references(paper)
    second = yield from references(twin)
    return [title for title in first if title in second]


@BOOK.ask(
    "number", 2,
    'How many different papers do "{paper}" and "{twin}" cite, taken together?',
    'Count the papers that "{paper}" or "{twin}" cites, each one once.',
    'If the reference lists of "{paper}" and "{twin}" are merged without repeats, how many entries result?',
)  # fmt: skip
def _references_merged(paper: str, twin: str) -> Program:
    yield PAPERS
    first = yield from references(paper)
    return several(len({*first, *(yield from references(twin))}))


@BOOK.ask(
    "name", 2,
    'What is the oldest paper that "{paper}" cites?',
    'Of all references of "{paper}", which one was published first?',
    'Name the earliest paper in the reference list of "{paper}".',
)  # fmt: skip
def _oldest_reference(paper: str) -> Program:
    yield PAPERS
    return best(column((yield from cited_papers(paper)), "date"), -1)


@BOOK.ask(
    "date", 2,
    'On what day did the newest paper appear that "{paper}" cites?',
    'When was the latest of the references of "{paper}" published?',
    'Give the most recent date of publication among the papers cited by "{paper}".',
)  # fmt: skip
def _newest_reference_date(paper: str) -> Program:
    yield PAPERS
    return max([row["date"] for row in at_least(2, (yield from cited_papers(paper)))])


@BOOK.ask(
    "number", 2,
    'How many days after the newest paper that it cites was "{paper}" published?',
    'Count the days from the latest reference of "{paper}" to the paper itself.',
    'By how many days is "{paper}" younger than the most recent paper in its reference list?',
)  # fmt: skip
def _days_since_reference(paper: str) -> Program:
    yield PAPERS
    own = (yield ("paperNodeCheck", {"node": paper}))["date"]
    return min([days(row["date"], own) for row in (yield from cited_papers(paper))])


@BOOK.ask(
    "name", 2,
    'Which of the papers cited by "{paper}" has the most citations itself?',
    'What is the most cited reference of "{paper}"?',
    'Of everything that "{paper}" cites, which paper has been cited most often?',
)  # fmt: skip
def _most_cited_reference(paper: str) -> Program:
    yield PAPERS
    return best(column((yield from cited_papers(paper)), "n_citation"))


@BOOK.ask(
    "number", 2,
    'How many citations do all references of "{paper}" have in total?',
    'Sum the citation counts of the papers that "{paper}" cites.',
    'Take everything cited by "{paper}". How often have these papers been cited altogether?',
)  # fmt: skip
def _citations_of_references(paper: str) -> Program:
    yield PAPERS
    return sum([row["n_citation"] for row in at_least(2, (yield from cited_papers(paper)))])


@BOOK.ask(
    "number", 2,
    'On average, how many words do the abstracts of the papers cited by "{paper}" have? Give two decimals.',
    'What is the mean length of the abstracts, in words, over the references of "{paper}"? Give two decimals.',
    'Compute the average number of abstract words of all papers that "{paper}" cites, to two decimals.',
)  # fmt: skip
def _mean_abstract_of_references(paper: str) -> Program:
    yield PAPERS
    return mean([row["abstract_words"] for row in (yield from cited_papers(paper))])


@BOOK.ask(
    "number", 2,
    'How many years older than "{paper}" are the papers it cites, on average? Subtract years; give two decimals.',
    'What is the mean age of the references of "{paper}", its year minus theirs? Give two decimals.',
    'By how many years, on average and to two decimals, does the year of "{paper}" exceed those of its references?',
)  # fmt: skip
def _mean_age_of_references(paper: str) -> Program:
    yield PAPERS
    own = (yield ("paperNodeCheck", {"node": paper}))["year"]
    return mean([own - row["year"] for row in (yield from cited_papers(paper))])


@BOOK.ask(
    "number", 2,
    'What percentage of the papers cited by "{paper}" appeared in journals? Give two decimals.',
    'Of the references of "{paper}", how many percent are journal papers by their document type? Give two decimals.',
    'Which share of the reference list of "{paper}", in percent to two decimals, are papers of type Journal?',
)  # fmt: skip
def _percent_journals(paper: str) -> Program:
    yield PAPERS
    kinds = [row["doc_type"] for row in at_least(5, (yield from cited_papers(paper)))]
    return round(100 * kinds.count("Journal") / len(kinds), EXACT)


@BOOK.ask(
    "list", 2,
    'Which papers of the year {year} does "{paper}" cite?',
    'List the references of "{paper}" that were published in {year}.',
    'What papers from {year} stand in the reference list of "{paper}"?',
)  # fmt: skip
def _references_of_year(paper: str, year: int) -> Program:
    yield PAPERS
    return [row["title"] for row in (yield from cited_papers(paper)) if row["year"] == year]


@BOOK.ask(
    "list", 2,
    'Which references of "{paper}" have the keyword "{keyword}"?',
    'List the papers with the keyword "{keyword}" that "{paper}" cites.',
    'In the reference list of "{paper}", what papers are about "{keyword}" by their keywords?',
)  # fmt: skip
def _references_with_keyword(paper: str, keyword: str) -> Program:
    yield PAPERS
    return [row["title"] for row in (yield from cited_papers(paper)) if keyword in row["keywords"]]


@BOOK.ask(
    "number", 2,
    'How many words do the abstracts of those references of "{paper}" have in all that appeared in "{venue}"?',
    'Sum the abstract words of all papers from "{venue}" that "{paper}" cites.',
    'Take the papers that "{paper}" cites from the venue "{venue}". How long are their abstracts together, in words?',
)  # fmt: skip
def _abstracts_of_venue(paper: str, venue: str) -> Program:
    yield PAPERS
    return sum([row["abstract_words"] for row in (yield from cited_papers(paper)) if row["venue"] == venue])


@BOOK.ask(
    "name", 2,
    'In which venue did most of the papers cited by "{paper}" appear, more than in any other?',
    'Which venue is the most frequent among the references of "{paper}"?',
    'Name the venue that "{paper}" cites papers from most often.',
)  # fmt: skip
def _venue_of_references(paper: str) -> Program:
    yield PAPERS
    return frequent([row["venue"] for row in (yield from cited_papers(paper))])


@BOOK.ask(
    "name", 2,
    'Which keyword occurs most often among the papers that "{paper}" cites?',
    'What keyword do the references of "{paper}" share more than any other?',
    'Over all references of "{paper}", name the most frequent keyword.',
)  # fmt: skip
def _keyword_of_references(paper: str) -> Program:
    yield PAPERS
    return frequent([word for row in (yield from cited_papers(paper)) for word in row["keywords"]])
