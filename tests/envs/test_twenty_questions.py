"""Twenty Questions: facts, the many ways to ask for them, guesses, players, and questions that must not pay."""

import itertools
import re

import gymnasium as gym
import pytest

import agentgym  # noqa: F401  (registers the ids)
from agentgym.assets import things
from agentgym.core import ConfigError, DataError, TaskError
from agentgym.envs.games import _things as game
from agentgym.envs.games._asking import complaint, gist
from tests.envs.asking import natural_questions, shares

IMPLIED = (
    ("mammal", "animal"), ("bird", "animal"), ("fish", "animal"), ("house", "car"), ("car", "person"),
    ("person", "bread"), ("fourlegs", "legs"), ("ball", "round"), ("aircraft", "vehicle"), ("rails", "vehicle"),
    ("boat", "vehicle"), ("fruit", "edible"), ("flower", "plant"),
)  # fmt: skip
EXCLUDED = (
    ("small", "bread"), ("small", "heavy"), ("animal", "plant"), ("animal", "manmade"), ("mammal", "eggs"),
    ("alive", "manmade"), ("animal", "metal"), ("edible", "drink"), ("fur", "feathers"),
)  # fmt: skip
SPEC = {"thing": "violin", "questions": 20}


def make(**kwargs):
    return gym.make("AgentGym/TwentyQuestions-v0", **kwargs).unwrapped


def ask(thing, text):
    env = make()
    env.reset(options={"task": SPEC | {"thing": thing}})
    said, *_, info = env.step(text)
    assert info["action_valid"], said
    return said.split("\n")[0]


def test_every_two_things_are_told_apart_by_some_question():
    table = things.load_things()
    assert (len(table), len(things.load_questions())) == (365, 150)
    assert len({thing.true for thing in table}) == len(table)
    names = [name for thing in table for name in (thing.name, *thing.others)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("thing", things.load_things(), ids=lambda thing: thing.name)
def test_facts_do_not_contradict_each_other(thing):
    true = thing.true
    for one, other in IMPLIED:
        assert one not in true or other in true, (one, other)
    for one, other in EXCLUDED:
        assert not {one, other} <= true, (one, other)


def test_each_way_to_ask_is_read_as_its_fact():
    for question in things.load_questions():
        for opposite, texts in ((False, (question.text, *question.same)), (True, question.opposite)):
            for text in texts:
                assert complaint(text) == ""
                assert gist(text), text
                assert game.read(text) == game.Reading("fact", f"{'!' * opposite}{question.key}"), text


def test_each_name_with_an_article_is_a_guess():
    for thing in things.load_things():
        for name in (thing.name, *thing.others):
            article = "an" if name[0] in "aeiou" else "a"
            assert game.read(f"Is it {article} {name}?") == game.Reading("guess", str(game.places()[thing.name]))


@pytest.mark.parametrize(
    ("thing", "text", "answer"),
    [
        ("violin", "ask Is it a musical instrument?", "Yes."),
        ("violin", "Do you blow into it?", "No."),
        ("violin", "Does it usually have some strings?", "Yes."),
        ("violin", "is it natural", "No."),
        ("eagle", "Can it fly??", "Yes."),
        ("penguin", "Is it able to fly?", "No."),
        ("mouse", "Is it smaller than a breadbox?", "Yes."),
        ("elephant", "is it LARGER than a human being", "Yes."),
        ("fork", "Would I find it in the kitchen?", "Yes."),
        ("fork", "Do you eat with it?", "Yes."),
        ("fork", "Can people eat it?", "No."),
        ("carrot", "Is it orange?", "Yes."),
        ("carrot", "Is it an orange?", "No."),
        ("spider", "Is it an insect?", "No."),
        ("whale", "Is it a fish?", "No."),
        ("bat", "Is it a mammal?", "Yes."),
        ("refrigerator", "Does it require electricity?", "Yes."),
        ("bicycle", "Does it have an engine?", "No."),
        ("diamond", "Is it considered valuable?", "Yes."),
        ("violin", "Does it dream of electric sheep?", "I do not know."),
        ("violin", "Does its name start with a V?", "I tell no letters of the name; ask about the thing."),
        ("violin", "Isn't it alive?", "Asked without 'not': No."),
        ("violin", "It has strings, doesn't it?", "Yes."),
        ("violin", "It isn't edible, is it?", "Asked without 'not': No."),
        ("eagle", "Is it a mammal or a bird?", "Yes, one of them at least."),
        ("violin", "Is it a mammal or a bird?", "No, none of them."),
        ("violin", "Is it made of wood and does it have strings?", "Yes, all of that."),
        ("cat", "Is it bigger than a mouse?", "Yes."),
        ("cat", "Is it smaller than an elephant?", "Yes."),
        ("cat", "Is it bigger than a dog?", "I do not know."),
        ("elephant", "Does it weigh more than 20 kilograms?", "Yes."),
        ("mouse", "Does it weigh more than a kilogram?", "No."),
        ("elephant", "Does it weigh more than a ton?", "I do not know."),
        ("cow", "Is it a herbivore?", "Yes."),
        ("hammer", "Is it a herbivore?", "No."),
    ],
)
def test_answers_are_the_tables_however_one_asks(thing, text, answer):
    assert ask(thing, text) == answer


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Is it a mammal or a bird and alive?", "one thing at a time"),
        ("Is it neither red nor green?", "without 'not'"),
        ("What is it?", "I cannot answer 'What is it?'"),
        ("guess unicorn", "'unicorn' is no thing that could be meant"),
        ("it", "I cannot answer"),
        ("?", "I cannot answer"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_the_reason(text, wrong):
    env = make()
    env.reset(options={"task": SPEC})
    said, reward, _, _, info = env.step(text)
    assert wrong in said
    assert said.endswith("Questions left: 19")
    assert (reward, info["action_valid"]) == (0.0, False)


@pytest.mark.parametrize("text", ["guess violin", "Is it a violin?", "my guess is the Violin", "Could it be a violin?"])
def test_naming_the_thing_wins(text):
    env = make()
    env.reset(options={"task": SPEC})
    said, reward, terminated, _, info = env.step(text)
    assert (said, reward, terminated, info["success"]) == ("Yes. You have found it.", 1.0, True, True)


def test_the_last_question_loses_and_repeating_pays_nothing():
    env = make(questions=3)
    env.reset(options={"task": SPEC | {"questions": 3}})
    assert [env.step("Is it alive?")[1] for _ in range(2)] == [0.0, 0.0]
    said, reward, terminated, truncated, info = env.step("guess harp")
    assert (said, reward, terminated, truncated) == ("No. No question is left; you have lost.", 0.0, True, False)
    assert info["events"] == [{"type": "guess", "thing": "harp", "right": False}]


def test_the_expert_finds_every_thing_without_seeing_it():
    env = make()
    turns = []
    for thing in things.load_things():
        env.reset(options={"task": SPEC | {"thing": thing.name}})
        while not env.ended:
            *_, info = env.step(env.expert_action())
        assert info["success"], thing.name
        turns.append(env.turn)
    assert sum(turns) / len(turns) < 11  # log2(365) is 8.5, and naming the thing takes one more


def test_the_expert_goes_on_after_questions_and_guesses_of_others():
    env = make()
    env.reset(options={"task": SPEC})
    for text in ("Is it bigger than a car?", "guess guitar", "What?", "guess harp"):
        env.step(text)
    while not env.ended:
        *_, info = env.step(env.expert_action())
    assert info["success"]


def test_the_panels_are_all_things_cut_in_three():
    env = make()
    panels = [{task.spec["thing"] for task in env.tasks(split)} for split in ("train", "val", "test")]
    assert sum(map(len, panels)) == len(set.union(*panels)) == 365
    for one, other in itertools.combinations(panels, 2):
        assert not one & other


def test_no_id_names_its_thing():
    """Nor what is printed of a task, nor the title under which a person plays it."""
    env = make(split="test", render_mode="ansi")
    names = {name for thing in things.load_things() for name in (thing.name, *thing.others)}
    for task in env.tasks("test"):
        assert re.fullmatch("[0-9a-f]{12}", task.id)
        assert not names & set(re.findall(r"\w+", repr(task)))
        env.reset(options={"task": task.id})
        assert env.render().splitlines()[0].startswith(f"[AgentGym/TwentyQuestions-v0, task {task.id}, turn 0")


def test_things_and_options_that_cannot_be_played_are_refused():
    with pytest.raises(TaskError, match="'unicorn' is not among the things"):
        make().reset(options={"task": SPEC | {"thing": "unicorn"}})
    with pytest.raises(ConfigError, match="questions must be a whole number from 1 to 100"):
        make(questions=0)
    assert make(level="short").tasks("train")[0].spec["questions"] == 12


def test_questions_alike_have_one_gist():
    assert gist("Is it usually found in kitchens?") == gist("Is this thing typically found in the kitchen")
    assert gist("Do you eat with it?") != gist("Do you eat it?")


def _said(text):
    found = game.read(text)
    if isinstance(found, str):
        return None
    if found.kind == "guess":
        return f"= {things.load_things()[int(found.value)].name}"
    said = found.value if found.kind == "fact" else f"{found.kind} {found.value}".strip()
    return f"{'not ' * found.negated}{said}"


def test_natural_questions_are_understood():
    natural = natural_questions("things")
    assert len(natural) == 125
    read = {text: _said(text) for text in natural}
    assert sum(found is None for found in read.values()) < 0.05 * len(natural)
    assert {text: found for text, found in read.items() if found not in (None, natural[text])} == {}


def test_questions_set_aside_are_rarely_refused_and_hardly_ever_misread():
    held = natural_questions("things", "held")
    assert len(held) == 104
    refused, missed, wrong = shares(held, _said)
    assert refused < 0.05
    assert missed < 0.05
    assert wrong < 0.03


@pytest.mark.parametrize(
    ("thing", "text", "answer"),
    [
        ("cat", "Does it have fur or hair?", "Yes."),
        ("cat", "Does the animal have four legs?", "Yes."),
        ("cat", "I think it is a dog, right?", "No."),
        ("door", "Can you open and close it?", "Yes."),
        ("egg", "Would it break if you dropped it?", "Yes."),
        ("hammer", "Do you type on it?", "I do not know."),
        ("hammer", "Is it bigger than a cat?", "No."),
    ],
)
def test_a_question_is_read_by_its_sense(thing, text, answer):
    assert ask(thing, text) == answer


def test_a_fact_of_no_thing_is_refused(monkeypatch):
    lines = [*things._lines("things.txt"), "+fragile: unicorn"]
    monkeypatch.setattr(things, "_lines", lambda name, real=things._lines: lines if "things" in name else real(name))
    with pytest.raises(DataError, match="more facts of 'unicorn'"):
        things.load_things.__wrapped__()


def test_a_damaged_table_is_refused(monkeypatch):
    monkeypatch.setitem(things.CHECKSUMS, "things.txt", "0" * 64)
    with pytest.raises(DataError, match=r"things.txt has SHA-256 .* reinstall agentgym-suite"):
        things._lines("things.txt")
