"""Answers to the tool benches: every right way to say one is taken, no question has two, and none is lost unsaid."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

import agentgym
from agentgym.envs._kit.tools import Unfit
from agentgym.envs._kit.tools.answers import right
from agentgym.envs._kit.tools.question_world import Problem, solve
from agentgym.envs.code._math.book import BOOK as MATH
from agentgym.envs.code._shell.book import BOOK as SHELL
from agentgym.envs.tools._office.apps.toolbox import TOOLBOX as OFFICE
from agentgym.envs.tools._office.desk import Desk, compared
from agentgym.envs.tools._office.people.circle import APPS, CIRCLES
from agentgym.envs.tools._sheet.slots import cents
from agentgym.envs.tools._weather.climate import FIRST, series
from agentgym.envs.tools._weather.places import places
from agentgym.envs.tools.movie import MovieEnv
from agentgym.envs.tools.office import OfficeEnv
from agentgym.envs.tools.sheet import SheetEnv
from agentgym.envs.tools.todo import TodoEnv
from agentgym.envs.tools.weather import WeatherEnv

LABELS = {place.label: place for place in places()}


def asked(world: Any, template: str, seeds: range, wording: int = 0) -> Iterator[Problem]:
    """The problems that some seeds make of a template."""
    for seed in seeds:
        problem = solve(world, seed, template, wording)
        if problem is not None:
            yield problem


def finished(name: str, problem: Problem, seed: int, answer: Any) -> bool:
    """Whether an answer solves the task of a problem, given at once."""
    env = agentgym.make(name, split="train").unwrapped
    env.reset(options={"task": {"seed": seed, "template": problem.template.name, "wording": 0}})
    return bool(env.step(json.dumps({"name": "finish", "arguments": {"answer": answer}}))[4]["success"])


def test_a_place_is_named_with_or_without_its_country() -> None:
    seed = next(seed for seed in range(400, 440) if solve(WeatherEnv.world, seed, "hottest_of_places", 0))
    problem = solve(WeatherEnv.world, seed, "hottest_of_places", 0)
    assert problem is not None
    name, code = problem.trace.answer.split(", ")
    assert f'"{name}, {code}"' in problem.question, "as the question writes it"
    for answer in (f"{name}, {code}", name, f" {name.upper()},  {code.lower()}"):
        assert finished("Weather-v0", problem, seed, answer), answer
    for answer in (f"{name}, XX", code, f"{name},", f"{name}, {code}, {code}"):
        assert not finished("Weather-v0", problem, seed, answer), answer


def test_places_of_a_list_are_named_with_or_without_their_country() -> None:
    gold, forms = ["Cali, CO", "Pasto, CO"], WeatherEnv.world.forms
    for answer in (["Pasto", "Cali"], ["Cali, CO", "pasto"], gold):
        assert right("list", answer, gold, forms), answer
    for answer in (["Cali"], ["Cali", "Cali, CO"], ["Cali", "Cali", "Pasto"], ["Cali", "Pasto, VE"], []):
        assert not right("list", answer, gold, forms), answer


def test_a_thing_is_named_with_or_without_its_article() -> None:
    forms = TodoEnv.world.forms
    assert right("name", "Torch", "a torch", forms)
    assert right("list", ["contract", "a torch", "gloves"], ["a torch", "gloves", "the contract"], forms)
    assert not right("name", "the torch", "a torch", forms)
    assert not right("name", "a Order the oven", "Order the oven", forms)


def test_the_first_day_of_a_period_is_compared_with_the_day_before_it() -> None:
    first = 0
    for problem in asked(WeatherEnv.world, "greatest_rise", range(400, 470)):
        known = series(problem.begin.seed, LABELS[problem.arguments["place"]].number).mean
        begin, end = ((date.fromisoformat(problem.arguments[key]) - FIRST).days for key in ("day", "last_day"))
        rises = {day: known[day] - known[day - 1] for day in range(begin, end + 1)}
        answer = (date.fromisoformat(problem.trace.answer) - FIRST).days
        assert rises[answer] == max(rises.values())
        first += answer == begin
    assert first, "on some seed the rise to the first day is the greatest"


@pytest.mark.parametrize("template", ["places_near", "nearest_high_place", "same_latitude", "same_elevation"])
def test_a_place_is_not_its_own_neighbor_in_any_words(template: str) -> None:
    for wording in WeatherEnv.world.book.templates[template].wordings:
        assert re.search(r"[Ll]eav(e|ing) out|\bother\b|another|aside", wording), wording


@pytest.mark.parametrize(
    ("env", "templates"),
    [
        (WeatherEnv, ("places_above", "coldest_in_country", "farthest_in_country")),
        (MovieEnv, ("release_in", "days_between_countries", "later_countries", "born_in")),
    ],
    ids=["Weather", "Movie"],
)
def test_countries_with_an_article_have_it(env: Any, templates: tuple[str, ...]) -> None:
    for template in templates:
        problems = [problem for wording in range(3) for problem in asked(env.world, template, range(60), wording)]
        united = [problem for problem in problems if re.search("United|Netherlands", problem.question)]
        assert united
        for problem in united:
            assert not re.search("(?<!the )(United|Netherlands)", problem.question)
            assert env.world.book.read(problem.question)[0][1] == dict(problem.arguments), "the expert reads it"


@pytest.mark.parametrize("env", [WeatherEnv, SheetEnv, TodoEnv, OfficeEnv])
def test_numbers_that_do_not_end_say_how_many_decimals_are_wanted(env: Any) -> None:
    for template in env.world.book.templates.values():
        if template.answer in ("number", "reading"):
            for problem in asked(env.world, template.name, range(400, 404)):
                cut = round(problem.trace.answer, 2)
                assert problem.trace.answer == pytest.approx(cut, abs=1e-9) or "decimals" in problem.question


def test_either_rounding_of_a_half_is_right() -> None:
    """A mean of 79.125 is 79.12 to some and 79.13 to others."""
    halves = 0
    for problem in asked(SheetEnv.world, "mean_of_group", range(400, 560)):
        gold = problem.trace.answer
        thousandths = round(gold * 1000)
        if thousandths % 10 == 5 and thousandths == pytest.approx(gold * 1000):
            halves += 1
            for answer in ((thousandths - 5) / 1000, (thousandths + 5) / 1000):
                assert right("number", answer, gold), (gold, answer)
    assert halves
    for problem in asked(OfficeEnv.world, "percent_done", range(0, 40 * CIRCLES, CIRCLES)):
        exact = problem.trace.answer
        assert right("number", int(exact * 100 + 0.5) / 100, exact)


@pytest.mark.parametrize("half", [79.125, -0.005, 13.995])
def test_a_cell_that_may_be_rounded_two_ways_makes_no_task(half: float) -> None:
    with pytest.raises(Unfit):
        cents(half)
    assert cents(half + 0.001) == round(half + 0.001, 2)


def test_a_quarter_of_a_bill_is_never_half_a_cent() -> None:
    asked_for = [
        arguments["amount"]
        for problem in asked(OfficeEnv.world, "split_bill", range(0, 60 * CIRCLES, CIRCLES))
        for name, arguments in problem.trace.calls
        if name == "payments_request"
    ]
    bills = [
        call
        for problem in asked(OfficeEnv.world, "split_bill", range(0, 60 * CIRCLES, CIRCLES))
        for call in problem.trace.texts
        if "Amount due" in call
    ]
    assert asked_for
    assert bills
    for text in bills:
        amount = re.search(r"\$(\d+\.\d\d)", text)
        assert amount
        assert int(amount[1].replace(".", "")) % 4 != 2


@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_the_end_of_the_last_line_makes_no_other_text(end: str) -> None:
    def after(end: str) -> Any:
        desk = Desk(0, 0, opened=list(APPS))
        OFFICE.run("files_create", desk, {"path": "/a/b.txt", "content": f"one\ntwo{end}"})
        made = OFFICE.run("notes_create", desk, {"title": "T", "body": f"one\ntwo{end}"})
        OFFICE.run("mail_send", desk, {"to": ["a@b.example"], "subject": "S", "body": f"one\ntwo{end}"})
        first = compared(desk)
        OFFICE.run("notes_update", desk, {"note_id": made["note_id"], "body": f"three{end}"})
        return first, compared(desk)

    assert after(end) == after("")


@pytest.mark.parametrize(("name", "env"), [("Weather-v0", WeatherEnv), ("Todo-v0", TodoEnv), ("Sheet-v0", SheetEnv)])
def test_finish_without_an_answer_is_refused_where_one_is_asked_for(name: str, env: Any) -> None:
    made = agentgym.make(name, split="train").unwrapped
    for template in env.world.book.templates.values():
        seed = next(seed for seed in range(400, 440) if solve(env.world, seed, template.name, 0))
        made.reset(options={"task": {"seed": seed, "template": template.name, "wording": 0}})
        _, _, terminated, _, info = made.step('{"name": "finish", "arguments": {}}')
        if template.answer == "state":
            assert terminated
        else:
            assert not terminated
            assert info["error"].startswith("The question wants an answer, and none was given. ")


@pytest.mark.parametrize("book", [MATH.problems, SHELL.templates], ids=["PythonMath", "Shell"])
def test_no_number_of_a_question_is_made_an_ordinal(book: Any) -> None:
    """A "3th" is no English; words such as "11th" only stand where no other ending can be needed."""
    for each in book.values():
        for wording in each.wordings:
            for slot in re.findall(r"\{(\w+)\}(?:th|st|nd|rd)\b", wording):
                low, high = each.slots[slot].low, each.slots[slot].high
                assert all(number % 10 not in (1, 2, 3) or 10 < number % 100 < 14 for number in range(low, high + 1))
