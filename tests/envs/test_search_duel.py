"""Search duel: libraries and their questions, the check of questions, both parts by hand, and graded players."""

from __future__ import annotations

import re
from typing import Any

import pytest

import agentgym
from agentgym.core.errors import ConfigError, TaskError
from agentgym.envs.multiagent._search_duel.land import RELATIONS
from agentgym.envs.multiagent._search_duel.library import Question, asked, chain, library_of
from agentgym.envs.multiagent._search_duel.players import followed, longest, question_of
from tests.envs.games import played

LIBRARY = library_of(6)


def fact_at(noun: str, place_is_head: bool = True) -> Any:
    """Some fact of a relation, said in the document of its head or of its tail."""
    return next(
        fact
        for fact in LIBRARY.facts.values()
        if fact.relation == noun and (fact.place == fact.head) == place_is_head and fact.tail != fact.head
    )


def duel(answers: list[str], **kwargs: Any) -> Any:
    game = agentgym.make("SearchDuel-v0", **kwargs)
    game.reset(seed=0, options={"task": {"library": 6, "answers": answers}})
    return game


def test_a_library_says_every_fact_once_and_in_many_words() -> None:
    said = [fact for sentence in LIBRARY.sentences for fact in sentence.facts]
    assert len(said) == len(set(said)) == len(LIBRARY.facts) > 600
    assert len({fact.relation for fact in said}) == len(RELATIONS) == 18
    for number, title in enumerate(LIBRARY.titles):
        for at in LIBRARY.document(number):
            for fact in LIBRARY.sentences[at].facts:
                assert fact.place == title
                assert fact.head in LIBRARY.sentences[at].text
                assert fact.tail in LIBRARY.sentences[at].text
    married = {fact.head: fact.tail for fact in said if fact.relation == "spouse"}
    assert all(married[other] == one for one, other in married.items())
    assert library_of(7).titles != LIBRARY.titles


def test_questions_are_read_in_several_forms() -> None:
    fact = fact_at("founder")
    for words in (
        f"What is the year of birth of the founder of {fact.head}?",
        f"what was the birth year of the creator of {fact.head.lower()}",
        f"the year of birth of the founder of the {fact.head}",
    ):
        assert asked(LIBRARY, words) == Question(("year of birth", "founder"), fact.head)
    assert "is not the title" in str(asked(LIBRARY, "the founder of Nowhere"))
    assert "the <relation> of" in str(asked(LIBRARY, "Why?"))
    book = fact_at("author").head
    assert asked(LIBRARY, f"Who is the author of {book}?") == Question(("author",), book)


def test_the_manual_names_every_relation_with_the_kind_that_has_it() -> None:
    manual = agentgym.make("SearchDuel-v0").manual
    listed = manual.partition("The relations, in these words or plain synonyms, are ")[2].partition(". ")[0]
    told = [name for part in listed.split("; ") for name in re.sub(r" of an? \w+$", "", part).split(", ")]
    assert sorted(told) == sorted(relation.noun for relation in RELATIONS)
    for part in listed.split("; "):
        names, _, kind = part.rpartition(" of a ")
        heads = {LIBRARY.kinds[fact.head] for fact in LIBRARY.facts.values() if fact.relation in names.split(", ")}
        assert heads == {kind}
    assert "only an example" in manual


def test_chains_are_followed_and_circles_are_none() -> None:
    fact = fact_at("spouse")
    circle = Question(("spouse", "spouse"), fact.head)
    assert chain(LIBRARY, circle) == "it goes in a circle"
    assert "has no mayor" in str(chain(LIBRARY, Question(("mayor",), fact.head)))
    firm = fact_at("founder")
    facts = chain(LIBRARY, Question(("birthplace", "founder"), firm.head))
    assert [each.relation for each in facts] == ["founder", "birthplace"]
    assert facts[0].tail == facts[1].head
    assert followed(facts[:1], Question(("birthplace", "founder"), firm.head)) == (firm.tail, 1)


def test_the_longest_chain_ends_in_the_answer() -> None:
    facts = tuple(LIBRARY.facts.values())
    path = longest(facts, fact_at("headquarters").tail, 4)
    assert len(path) == 4
    assert chain(LIBRARY, question_of(path)) == path


def test_a_duel_by_hand() -> None:
    one, other = fact_at("founder"), fact_at("mayor", place_is_head=False)
    game = duel([one.tail, other.tail])
    assert one.tail in game.observe("player_0")["text"]
    assert one.tail not in game.observe("player_1")["text"]
    game.step(f"open {one.head.upper()}")
    assert one.tail in game.observe("player_0")["text"]
    assert one.tail not in game.observe("player_1")["text"]
    game.step(f"ask Who is the founder of {one.head}?")
    assert game.infos["player_0"]["metrics"]["hops"] == 1
    text = game.observe("player_1")["text"]
    assert f"What is the founder of {one.head}?" in text
    game.step(f"search founder {one.head}")
    game.step(f"answer  {one.tail.lower()}.")
    assert game.rewards == {"player_0": 0.0, "player_1": 1.0}
    assert game.agent_selection == "player_1"
    game.step(f"open {other.tail}")
    game.step(f"ask What is the mayor of {other.head}?")
    game.step("answer nobody")
    assert game.ended
    assert game.rewards == {"player_0": 0.0, "player_1": 1.0}
    assert game.infos["player_1"]["success"]
    assert not game.infos["player_0"]["success"]


@pytest.mark.parametrize("kind", ["unread", "elsewhere", "circle"])
def test_a_void_question_pays_nobody(kind: str) -> None:
    fact = fact_at("spouse")
    game = duel([fact.tail, fact.tail])
    if kind != "unread":
        game.step(f"open {fact.place}")
    words = {
        "unread": f"the spouse of {fact.head}",
        "elsewhere": f"the spouse of {fact.tail}",
        "circle": f"the spouse of the spouse of {fact.tail}",
    }
    game.step(f"ask {words[kind]}")
    assert not any(game.rewards.values())
    assert game._state.round == 1
    assert "Your question is void" in "\n".join(game._players["player_0"].messages)
    assert "sentence that you were shown" not in "\n".join(game._players["player_1"].messages)


def test_parts_and_budgets_are_kept() -> None:
    fact = fact_at("founder")
    game = duel([fact.tail, fact.tail], reads=3, solves=2, hops=1)
    for action, words in (
        ("answer x", "you are the proposer"),
        ("open Nowhere", "there is no document"),
        ("ask why", "ask like"),
    ):
        game.step(action)
        assert words in game.infos["player_0"]["error"]
        game._players["player_0"].refused = 0
    game.step(f"ask the birthplace of the founder of {fact.head}")
    assert "at most 1 relations" in game.infos["player_0"]["error"]
    for _ in range(3):
        game.step("search river")
    assert game._state.round == 1
    game.step(f"open {fact.place}")
    game.step(f"ask the founder of {fact.head}")
    game.step("ask the founder of it")
    assert "you are the solver" in game.infos["player_0"]["error"]
    game.step("search a")
    game.step("search b")
    assert game.ended
    assert game.infos["player_1"]["success"]


def test_nobody_wins_if_both_give_up() -> None:
    fact = fact_at("founder")
    game = duel([fact.tail, fact.tail])
    game.step("give up")
    game.step("give up")
    assert game.ended
    assert game.infos["player_0"]["metrics"]["draw"] == 1


def test_splits_use_different_libraries() -> None:
    used = {
        split: {agentgym.make("SearchDuel-v0").tasks(split)[place].spec["library"] for place in range(40)}
        for split in ("train", "val", "test")
    }
    assert used["val"] == {6, 7}
    assert used["test"] == {8, 9}
    assert max(used["train"]) < 6


def test_levels_are_graded() -> None:
    game = agentgym.make("SearchDuel-v0", split="val")
    for better, worse in (("simple", "random"), ("strong", "simple"), ("oracle", "simple")):
        lead = 0.0
        for task in range(16):
            for mine, other in (("player_0", "player_1"), ("player_1", "player_0")):
                game.reset(seed=task, options={"task": task})
                returns = played(game, {mine: better, other: worse}, task)
                lead += returns[mine] - returns[other]
        assert lead > 4, (better, worse)


def test_reading_and_asking_nonsense_earns_nothing() -> None:
    game = agentgym.make("SearchDuel-v0", split="val")
    for said in ("search river", "ask the mayor of it", ""):
        game.reset(seed=1, options={"task": 1})
        assert played(game, {"player_0": said, "player_1": "simple"})["player_0"] == 0


def test_options_and_tasks_are_checked() -> None:
    for wrong in ({"reads": 1}, {"solves": 31}, {"hops": 0}):
        with pytest.raises(ConfigError):
            agentgym.make("SearchDuel-v0", **wrong)
    with pytest.raises(TaskError, match="no fact of library 6"):
        duel(["Nobody", "Nothing"])
