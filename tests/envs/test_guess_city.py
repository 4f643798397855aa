"""Guess My City: facts, the many ways to ask, what is never told, guesses, and players."""

import itertools
import re

import gymnasium as gym
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.assets import cities
from agentgym.core import ConfigError, DataError, TaskError
from agentgym.envs.games._asking import words
from agentgym.envs.games._city import facts, reading, wording
from agentgym.envs.games._city.player import questions
from tests.envs.asking import natural_questions, shares

SPEC = {"city": "Paris", "questions": 20, "closed": False}


def make(**kwargs):
    return gym.make("AgentGym/GuessCity-v0", **kwargs).unwrapped


def ask(city, text):
    env = make()
    env.reset(options={"task": SPEC | {"city": city}})
    said, *_, info = env.step(text)
    assert info["action_valid"], said
    return said.split("\n")[0]


def test_the_tables_are_whole():
    table = cities.load_cities()
    assert (len(table), len(cities.load_countries())) == (290, 79)
    assert {city.country.name for city in table} == set(cities.load_countries())
    names = [name for city in table for name in (city.name, *city.others)]
    assert len(set(names)) == len(names)
    capitals = [city.country.name for city in table if city.capital]
    assert len(set(capitals)) == len(capitals)
    for city in table:
        assert -60 < city.latitude < 70
        assert city.landmarks
        assert city.known
        assert city.food
        assert all(1896 <= year <= 2026 for year in city.olympics)


def test_each_way_to_ask_is_read_as_its_fact():
    for topic, ways in facts.TOPICS.items():
        for way in ways:
            assert reading.read(way) == reading.Reading("topic", topic), way
    for value, ways in wording.PLAIN.items():
        for way in ways:
            assert reading.read(way) == reading.Reading("yes", value), way
    strange = []
    for kind, value, spellings in reading.values():
        for way, spelling in itertools.product(wording.STATEMENTS[kind], spellings):
            if reading.read(way.format(spelling)) != reading.Reading(kind, value):
                strange.append(way.format(spelling))
    assert strange == ["is it on the Singapore"]  # the country before its river
    for fact in cities.load_facts():
        kind = "region" if fact.key.startswith("region ") else "fact"
        for way in (fact.text, *fact.same):
            assert reading.read(way) == reading.Reading(kind, fact.key.removeprefix("region ")), way
    for asked, ways in cities.load_ways().items():
        for way in ways:
            assert reading.read(way) == reading.Reading(*asked.split(" ", 1)), way


@pytest.mark.parametrize(
    ("city", "text", "answer"),
    [
        ("Paris", "What language do they speak?", "French."),
        ("Brussels", "ask Which languages do people speak there?", "French and Dutch."),
        ("Paris", "Is it in Europe?", "Yes."),
        ("Paris", "Is it a European city?", "Yes."),
        ("Lima", "Is it in France?", "No."),
        ("Paris", "What river flows through it?", "The river Seine."),
        ("Singapore", "What river flows through it?", "A river of its own name runs through it."),
        ("Tokyo", "Do people drive on the left?", "Yes."),
        ("Madrid", "Is it on the coast?", "No."),
        ("Athens", "Has it ever hosted the Olympics?", "Yes."),
        ("Athens", "When did it host the Olympics?", "It held the Olympic Games in 1896 and 2004."),
        ("Oslo", "Is it north of Rome?", "Yes."),
        ("Sydney", "Is it north of the equator?", "No."),
        ("Lyon", "Is it bigger than Paris?", "No."),
        ("Rome", "Was it founded before 1000?", "Yes."),
        ("Boston", "Was it founded after 300 BC?", "Yes."),
        ("Lima", "Do more than 5 million people live there?", "Yes."),
        ("Reykjavik", "Does it have a population under 500,000 people?", "Yes."),
        ("La Paz", "Is it higher than 3000 metres?", "Yes."),
        ("Paris", "Is the Eiffel Tower there?", "Yes."),
        ("Rome", "Is the Eiffel Tower there?", "No."),
        ("Naples", "Is it known for pizza?", "Yes."),
        ("Paris", "Is it Lima?", "No."),
        ("Prague", "What are its landmarks?", "Its landmarks are Charles Bridge and Astronomical Clock."),
        (
            "Rome",
            "What country is it in?",
            "I will not name the city or its country; ask whether it is in one that you have in mind.",
        ),
        (
            "Rome",
            "What is it called?",
            "I will not name the city or its country; ask whether it is in one that you have in mind.",
        ),
        ("Rome", "Does the city start with the letter R?", "I tell no letters of the name; ask about the city."),
        ("Rome", "What is the mayor's shoe size?", "I do not know."),
        ("Rome", "Was it damaged in the war?", "I do not know."),
        ("Rome", "Isn't it in France?", "Asked without 'not': No."),
        ("Rome", "It isn't a capital, is it?", "Asked without 'not': Yes."),
        ("Rome", "It's in Italy, isn't it?", "Yes."),
        ("Rome", "Is it in France or Spain?", "No, none of them."),
        ("Rome", "Is it in Asia or in Southern Europe?", "Yes, one of them at least."),
        ("Rome", "Is it a capital and on the sea?", "No, not all of that."),
        ("Rome", "Do between 3 and 5 million people live there?", "Yes, all of that."),
        ("Rome", "Is it within 250 km of Florence?", "Yes."),
        ("Rome", "Is it close to Vienna?", "No."),
        ("Rome", "Is it in the same country as Milan?", "Yes."),
        ("Rome", "Is its country bigger than France?", "No."),
        ("Rome", "Does the country have more than 50 million people?", "Yes."),
        ("Rome", "Is it higher than 2,000 m?", "No."),
        ("Rome", "Was it founded in the 8th century BC?", "Yes, all of that."),
        ("Lima", "Is it in Latin America?", "Yes."),
        ("Stockholm", "Is it in Northern Europe?", "Yes."),
        ("Rome", "Is the country landlocked?", "No."),
        ("Madrid", "Is the city landlocked?", "Yes."),
        ("Madrid", "Is it on an island?", "No."),
        ("Kyoto", "Is its country an island?", "Yes."),
    ],
)
def test_answers_are_the_tables_however_one_asks(city, text, answer):
    assert ask(city, text) == answer


def test_no_answer_in_words_names_the_city_or_its_country():
    for place, city in enumerate(cities.load_cities()):
        whole = {name.lower() for name in (city.name, *city.others, city.country.name, *city.country.others)}
        whole.discard("america")  # the name of two continents as well
        for topic in facts.TOPICS:
            said = f" {' '.join(words(facts.tell(place, topic)))} "
            assert not [name for name in whole if f" {' '.join(words(name))} " in said], (city.name, topic, said)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Is it in France or Spain and on the sea?", "one thing at a time"),
        ("Is it neither in France nor in Spain?", "without 'not'"),
        ("Rome Paris", "I cannot answer"),
        ("guess Lima, Chile", "'Lima, Chile' is no city that could be meant"),
        ("guess Atlantis", "'Atlantis' is no city that could be meant"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_the_reason(text, wrong):
    env = make()
    env.reset(options={"task": SPEC})
    said, reward, _, _, info = env.step(text)
    assert wrong in said
    assert (reward, info["action_valid"]) == (0.0, False)


@pytest.mark.parametrize(
    "text",
    [
        "guess sao paulo",
        "Is it São Paulo?",
        "my guess is Sao Paulo",
        "is it the city of Sao Paulo",
        "guess the city of Sao Paulo",
        "guess Sao Paulo, Brazil",
        "Is it Sao Paulo in Brazil?",
        "My guess is: Sao Paulo",
    ],
)
def test_naming_the_city_wins(text):
    env = make()
    env.reset(options={"task": SPEC | {"city": "Sao Paulo"}})
    said, reward, terminated, _, info = env.step(text)
    assert (said, reward, terminated, info["success"]) == ("Yes. You have found it.", 1.0, True, True)


def _said(text):
    found = reading.read(text)
    if isinstance(found, str):
        return None
    if found.kind == "guess":
        return f"= {cities.load_cities()[int(found.value)].name}"
    return f"{'not ' * found.negated}{found.kind} {found.value}".strip()


def test_natural_questions_are_understood():
    natural = natural_questions("cities")
    assert len(natural) == 113
    read = {text: _said(text) for text in natural}
    assert sum(found is None for found in read.values()) < 0.05 * len(natural)
    assert {text: found for text, found in read.items() if found not in (None, natural[text])} == {}


def test_questions_set_aside_are_rarely_refused_and_hardly_ever_misread():
    held = natural_questions("cities", "held")
    assert len(held) == 106
    refused, missed, wrong = shares(held, _said)
    assert refused < 0.05
    assert missed < 0.05
    assert wrong < 0.03


@pytest.mark.parametrize(
    ("city", "text", "answer"),
    [
        ("Rome", "Is it more than 1000 years old?", "Yes."),
        ("Madrid", "Is the city landlocked?", "Yes."),
        ("Amsterdam", "Does the country have a king or queen?", "Yes."),
        ("Kyoto", "Is it a Japanese city?", "Yes."),
        ("Lima", "Does the city have over ten million people?", "Yes."),
        ("Cairo", "What is the climate like?", "By its latitude it lies in the subtropical zone."),
        ("Paris", "Are there any famous landmarks?", "Its landmarks are Eiffel Tower, Louvre, Notre-Dame"),
    ],
)
def test_a_question_is_read_by_its_sense(city, text, answer):
    assert ask(city, text).startswith(answer)


def test_what_a_city_has_without_being_known_for_it_is_not_denied():
    assert reading.read("Does the city have a tram museum?").kind == "unknown"
    assert reading.read("Is it famous for its canals?") == reading.Reading("about", "canal")


def test_the_last_question_loses_and_repeating_pays_nothing():
    env = make()
    env.reset(options={"task": SPEC | {"questions": 3}})
    assert [env.step("What is it known for?")[1] for _ in range(2)] == [0.0, 0.0]
    said, reward, terminated, truncated, _ = env.step("guess Lima")
    assert (said, reward, terminated, truncated) == ("No. No question is left; you have lost.", 0.0, True, False)


def test_the_expert_finds_every_city_with_and_without_open_questions():
    for closed, most in ((False, 3.0), (True, 9.0)):
        env, turns = make(), []
        for city in cities.load_cities():
            env.reset(options={"task": SPEC | {"city": city.name, "closed": closed}})
            while not env.ended:
                *_, info = env.step(env.expert_action())
            assert info["success"], city.name
            turns.append(env.turn)
        assert sum(turns) / len(turns) < most


def test_closed_games_answer_yes_and_no_only():
    env = make(level="closed")
    env.reset(options={"task": SPEC | {"closed": True}})
    assert "Only questions that can be answered with yes or no" in env.step("What language do they speak?")[0]
    assert env.step("Do they speak French?")[0].startswith("Yes.")
    assert not [action for action in env.admissible_actions() if action.startswith("ask What")]
    assert len(questions(False)) > len(questions(True)) > 200


def test_the_panels_are_all_cities_cut_in_three():
    env = make()
    panels = [{task.spec["city"] for task in env.tasks(split)} for split in ("train", "val", "test")]
    assert sum(map(len, panels)) == len(set.union(*panels)) == 290


def test_no_id_names_its_city():
    """Nor what is printed of a task, nor the title under which a person plays it."""
    env = make(split="test", render_mode="ansi")
    names = {name for city in cities.load_cities() for name in (city.name, *city.others)}
    for task in env.tasks("test"):
        assert re.fullmatch("[0-9a-f]{12}", task.id)
        assert not [name for name in names if re.search(rf"\b{re.escape(name)}\b", repr(task))]
        env.reset(options={"task": task.id})
        assert env.render().splitlines()[0].startswith(f"[AgentGym/GuessCity-v0, task {task.id}, turn 0")


def test_cities_and_options_that_cannot_be_played_are_refused(monkeypatch):
    with pytest.raises(TaskError, match="'Atlantis' is not among the cities"):
        make().reset(options={"task": SPEC | {"city": "Atlantis"}})
    with pytest.raises(ConfigError, match="questions must be a whole number from 1 to 100"):
        make(questions=0)
    with pytest.raises(ConfigError, match="closed must be True or False"):
        make(closed=1)
    monkeypatch.setitem(cities.CHECKSUMS, "cities.txt", "0" * 64)
    with pytest.raises(DataError, match=r"cities.txt has SHA-256 .* reinstall agentgym-suite"):
        cities._rows("cities.txt")


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("Does it snow there?", "fact", "snow"),
        ("Is it cold in winter?", "fact", "snow"),
        ("Is the weather hot?", "topic", "climate"),
        ("Is it on the equator?", "topic", "climate"),
        ("Is it known for its food?", "topic", "food"),
        ("Is it a popular tourist destination?", "topic", "landmarks"),
        ("Is it the largest city in its country?", "fact", "largest"),
        ("Was it founded by the Romans?", "topic", "founded"),
        ("Is it an old city?", "topic", "founded"),
        ("Is it near mountains?", "fact", "mountains"),
        ("Are there pyramids nearby?", "about", "pyramid"),
        ("Is it older than 500 years?", "less", "founded 1526"),
        ("Is it an ancient city?", "less", "founded 500"),
    ],
)
def test_what_was_refused_is_read_as_a_fact_or_as_the_nearest_topic(text, kind, value):
    assert reading.read(text) == reading.Reading(kind, value)


@pytest.mark.parametrize("text", ["Does the city start with the letter B?", "What letter does its name begin with?"])
def test_letters_of_the_name_are_not_told(text):
    assert reading.read(text) == reading.LETTERS


def test_a_closed_game_does_not_answer_in_words_what_begins_with_does():
    env = make(level="closed")
    env.reset(options={"task": SPEC | {"closed": True}})
    said, *_, info = env.step("Is it a tourist destination?")
    assert (said.split("\n")[0], info["action_valid"]) == ("I do not know.", True)
    said, *_, info = env.step("What is the climate?")
    assert not info["action_valid"]
    assert "begin with Is" in said
