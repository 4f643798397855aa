"""WikiNav: an encyclopaedia whose facts agree, passages that stand on one page, walks and their ends."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

import gymnasium as gym
import numpy as np
import pytest

from agentgym.assets import wiki
from agentgym.core import ConfigError, DataError, TaskError
from agentgym.envs._kit.encyclopedia.book import FAR, Book, open_book
from agentgym.envs._kit.encyclopedia.categories import century
from agentgym.envs._kit.encyclopedia.prose import ARTICLE, MARK, plain
from agentgym.envs.web._wiki.pages import in_html, in_words, page_of, path
from agentgym.envs.web._wiki.passages import GAP, overlap, passages, text, words
from agentgym.envs.web._wiki.reader import read_query
from agentgym.envs.web._wiki.trivia import SAID, clues

BOOK = open_book(10_000, 40)
WORLD = BOOK.world
SOME = [int(page) for page in np.random.default_rng(7).choice(BOOK.size, 250, replace=False)]


def make(**kwargs):
    return gym.make("AgentGym/WikiNav-v0", **kwargs).unwrapped


@pytest.fixture(scope="module")
def env():
    return make(split="val")


def play(env, agent, task):
    env.reset(seed=0, options={"task": task})
    while not env.ended:
        *_, info = env.step(getattr(env, f"{agent}_action")())
    return info


def name(page):
    return WORLD.titles[page]


# The encyclopaedia


def test_it_has_more_than_ten_thousand_pages_of_many_kinds():
    kinds = Counter(WORLD.kinds)
    assert BOOK.articles == 10_000
    assert BOOK.size > 10_500
    assert len(kinds) == 39
    assert min(kinds.values()) >= 3
    assert max(kinds.values()) < 3000
    assert len(set(map(str.lower, WORLD.titles))) == BOOK.articles
    assert sum(BOOK.depth[: BOOK.articles] == FAR) < 100


def test_the_graph_is_what_the_pages_say():
    for page in SOME:
        links = BOOK.article(page).links
        assert len(set(links)) == len(links) <= 40
        assert set(links) == set(BOOK.links(page)), BOOK.title(page)
        assert page not in links
        shown = [int(match[1]) for _, said in BOOK.article(page).sections for match in MARK.finditer(" ".join(said))]
        assert [*shown, *BOOK.article(page).categories] == list(range(1, len(links) + 1))


def test_distances_are_shortest_ways():
    target = SOME[0]
    far = BOOK.distance_to(target)
    for page in SOME:
        if page != target:
            nearest = min(int(far[other]) for other in BOOK.links(page))
            assert int(far[page]) == min(FAR, nearest + 1)
    assert far[target] == 0
    assert all(page in BOOK.links(other) for page in SOME[:40] for other in BOOK.leads_here(page))


def test_facts_agree_across_pages():
    for person in WORLD.of["person"]:
        facts = WORLD.facts[person]
        born, died = int(facts["born"]), int(facts["died"])
        assert born + 30 < died <= 1999
        assert facts["country"] == WORLD.facts[facts["birthplace"]]["country"]
        spouse = facts.get("spouse")
        assert spouse is None or WORLD.facts[spouse]["spouse"] == person
        for work in facts.get("works", ()):
            assert person in WORLD.facts[work].values()
            assert born < int(WORLD.facts[work]["year"]) <= died
        for pupil in facts.get("pupils", ()):
            assert WORLD.facts[pupil]["teacher"] == person
            assert int(WORLD.facts[pupil]["born"]) > born
    for battle in WORLD.of["battle"]:
        war = WORLD.facts[WORLD.facts[battle]["war"]]
        assert int(war["begin"]) <= int(WORLD.facts[battle]["year"]) <= int(war["end"])
        assert {WORLD.facts[battle]["winner"], WORLD.facts[battle]["enemy"]} == set(war["sides"])
    for kind in ("animal", "plant"):
        for species in WORLD.of[kind]:
            genus = WORLD.facts[species]["genus"]
            assert WORLD.facts[species]["family"] == WORLD.facts[genus]["family"]


def test_the_language_is_sound():
    for page in SOME:
        article = BOOK.article(page)
        for _, said in article.sections:
            for sentence in map(plain, said):
                assert not re.search(r"[{}@\[\]|]|  ", sentence), sentence
                assert not ARTICLE.search(sentence), sentence
    written = {sentence for page in SOME if page < BOOK.articles for sentence in text(BOOK, page).split(". ")}
    assert len(written) > 1000


def test_equal_seeds_write_equal_books():
    other = Book(1000, 40)
    again = Book(1000, 40)
    for page in range(0, other.size, 29):
        assert other.article(page) == again.article(page)
    assert 1000 <= other.articles < 1020


def test_a_page_is_cut_to_its_number_of_links():
    small = Book(1000, 32)
    assert max(len(small.article(page).links) for page in range(small.size)) <= 32
    assert all(set(small.article(page).links) == set(small.links(page)) for page in range(0, small.size, 7))


def test_sentences_are_checked(monkeypatch):
    with pytest.raises(DataError, match="must have the slots"):
        wiki._statement("here", ["{a} is {b}.", "{a} is."])
    monkeypatch.setitem(wiki.CHECKSUMS, "words.txt", "0")
    wiki.load_words.cache_clear()
    with pytest.raises(DataError, match="install agentgym again"):
        wiki.load_words()
    monkeypatch.undo()


def test_centuries():
    assert [century(year) for year in (1600, 1601, 1999)] == ["16th century", "17th century", "20th century"]


# Passages


def test_a_passage_stands_on_its_page_only_and_does_not_name_it():
    for page in SOME[:60]:
        if page >= BOOK.articles:
            continue
        for passage in passages(BOOK, page):
            assert passage in text(BOOK, page)
            assert overlap(BOOK, page, passage) == 1.0
            shared = any(BOOK.title(other).startswith(WORLD.names[page]) for other in BOOK.links(page))  # a ship, say
            assert shared or not re.search(rf"(?<!\w){re.escape(WORLD.names[page])}(?!\w)", passage)
    whole = {page: text(BOOK, page) for page in range(0, BOOK.articles, 9)}
    for page in list(whole)[:25]:
        for passage in passages(BOOK, page):
            assert [other for other, said in whole.items() if passage in said] == [page]


@pytest.mark.full
def test_every_passage_of_the_panels_stands_on_one_page():
    whole = [text(BOOK, page) for page in range(BOOK.articles)]
    for split in ("val", "test"):
        for task in make().tasks(split):
            quoted = task.instruction.split('"', 1)[1][:-1]
            assert [name(page) for page, said in enumerate(whole) if quoted in said] == [task.spec["target"]]


@pytest.mark.full
def test_splits_share_no_article(env):
    asked = {split: {task.spec["target"] for task in env.tasks(split)} for split in ("val", "test")}
    asked["train"] = {env.tasks("train")[place].spec["target"] for place in range(250)}
    assert not asked["val"] & asked["test"]
    assert not asked["train"] & (asked["val"] | asked["test"])
    assert {int(BOOK.depth[BOOK.find(title)]) for title in asked["train"]} == {2, 3, 4, 5}


def test_options_change_the_tasks_and_bad_ones_are_refused():
    near = make(hops=2, split="train")
    assert {int(BOOK.depth[BOOK.find(near.tasks("train")[place].spec["target"])]) for place in range(30)} == {2}
    for wrong in ({"hops": 1}, {"pages": 10}, {"links": 5}, {"hops": 2.5}, {"pages": True}):
        with pytest.raises(ConfigError, match="must be a whole number from"):
            make(**wrong)


# Walks


@pytest.mark.parametrize("task", range(8))
def test_the_oracle_takes_a_shortest_way(env, task):
    info = play(env, "oracle", task)
    assert info["success"]
    assert info["metrics"]["opened"] == info["metrics"]["hops"] + 1 == env.turn
    assert env.task_kind == f"{info['metrics']['hops']:.0f} hops"
    assert info["metrics"]["overlap"] == 1.0


def test_the_oracle_finds_back_from_anywhere(env):
    env.reset(seed=0, options={"task": 3})
    rng = np.random.default_rng(3)
    for _ in range(8):
        env.step(f"link[{rng.integers(len(BOOK.article(env._here).links)) + 1}]")
    while not env.ended:
        *_, info = env.step(env.oracle_action())
    assert info["success"]


def test_the_expert_knows_only_what_it_has_opened(env, monkeypatch):
    opened = set()
    kept = BOOK.article

    def watched(page):
        opened.add(page)
        return kept(page)

    env.reset(seed=0, options={"task": 4})
    monkeypatch.setattr(BOOK, "article", watched)
    while not env.ended:
        opened.clear()
        action = env.expert_action()
        assert opened <= set(env._state.opened)
        env.step(action)


def test_a_query_is_read():
    query = read_query(f"{GAP} (1812–1861) was a poet from Nivuna, known for ballads. He died in Gokgrad in 1861.")
    assert max(query.kinds, key=query.kinds.get) == "person"
    assert {"19th century", "1810s"} <= query.times


def test_links_by_number_and_by_words_lead_to_the_same_page(env):
    env.reset(seed=0, options={"task": 0})
    first = env.step("link[1]")[0]
    env.step("back")
    assert env.step("click[ geography ]")[0] == first
    assert env._state.trail[-1] == page_of(BOOK, "Category:_Geography")
    assert "Page: Category: Geography" in first


@pytest.mark.parametrize("said", ["link[0]", "link[99]", "link[Nowhere]", "link[٣]", "link[-1]", "link[999999999999]"])
def test_what_is_no_link_is_refused(env, said):
    env.reset(seed=0, options={"task": 0})
    text, reward, terminated, _, info = env.step(said)
    assert not info["action_valid"]
    assert "its links are 1 to 8" in text
    assert (reward, terminated) == (0.0, False)
    assert env._state.opened == [BOOK.root]


def test_there_is_no_way_back_from_the_first_page(env):
    env.reset(seed=0, options={"task": 0})
    assert "first page" in env.step("back")[4]["error"]


def test_stopping_elsewhere_pays_nothing_and_says_so(env):
    env.reset(seed=0, options={"task": 0})
    env.step("link[1]")
    text, reward, terminated, _, info = env.step("stop")
    assert (reward, terminated, info["success"]) == (0.0, True, False)
    assert "not the article" in text
    assert 0 <= info["metrics"]["overlap"] < 1


def test_repeating_and_wandering_pay_nothing(env):
    for actions in (["link[1]"], ["link[1]", "back"], ["link[1]", "link[2]", "link[3]"]):
        env.reset(seed=0, options={"task": 1})
        paid = 0.0
        while not env.ended:
            paid += env.step(actions[env.turn % len(actions)])[1]
        assert paid == 0.0
        assert env.turn == 30


def test_tasks_of_ones_own():
    env = make()
    env.reset(
        seed=0, options={"task": {"target": "Buoma Haruva" if BOOK.find("Buoma Haruva") else name(5), "passage": 0}}
    )
    with pytest.raises(TaskError, match="no article"):
        env.reset(seed=0, options={"task": {"target": "Atlantis", "passage": 0}})
    lost = next(page for page in range(BOOK.articles) if BOOK.depth[page] == FAR)
    with pytest.raises(TaskError, match="no links lead"):
        env.reset(seed=0, options={"task": {"target": name(lost), "passage": 0}})


# Pages


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.open = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "link"):
            self.open.append(tag)
        self.found += [value for key, value in attrs if tag == "a" and key == "href"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_site_shows_the_same_links_in_the_same_order():
    for page in SOME[:80]:
        reader = Links()
        reader.feed(in_html(BOOK, page))
        assert reader.found == [path(BOOK, other) for other in BOOK.article(page).links]
        assert not reader.open[1:]
        assert in_words(BOOK, page).count("[") == len(reader.found)
    from urllib.parse import unquote

    for page in (*SOME, BOOK.root):
        assert page_of(BOOK, unquote(path(BOOK, page)).removeprefix("/wiki/")) == page
    assert page_of(BOOK, "Category:_Nothing") is None


# Trivia


@pytest.fixture(scope="module")
def quiz():
    return make(split="val", ask="trivia")


def test_a_question_tells_facts_that_one_article_alone_has_and_none_of_its_name():
    asked = [page for page in SOME if page < BOOK.articles and clues(BOOK, page)]
    assert len(asked) > 150
    for page in asked:
        facts = dict(BOOK.article(page).table)
        for clue in clues(BOOK, page):
            assert clue.startswith(f"This {WORLD.kinds[page]} ")
            told = [label for label, value in facts.items() if SAID[label].format(value) in clue]
            assert told, clue
            assert all(set(words(facts[label])).isdisjoint(words(name(page))) for label in told)
    for page in asked[:5]:
        alike = [other for other in range(BOOK.articles) if WORLD.kinds[other] == WORLD.kinds[page]]
        for clue in clues(BOOK, page):
            told = [line for line in BOOK.article(page).table if SAID[line[0]].format(line[1]) in clue]
            assert [other for other in alike if set(told) <= set(BOOK.article(other).table)] == [page]


def test_every_line_of_a_table_can_be_asked():
    assert {label for form in wiki.load_forms().values() for label, _ in form.table} == set(SAID)


def test_trivia_is_asked_in_place_of_a_passage_and_won_by_the_oracle(quiz):
    text, info = quiz.reset(seed=0, options={"task": 3})
    assert 'Find the article that this question is about: "This ' in text
    assert "A question of a quiz" in quiz.manual
    assert "A passage" not in quiz.manual
    assert quiz.task.spec["target"] not in info["instruction"]
    for task in range(12):
        assert play(quiz, "oracle", task)["success"]


def test_the_reader_finds_what_some_questions_ask(quiz):
    won = [play(quiz, "expert", task)["success"] for task in range(24)]
    assert sum(won) >= 6


def test_trivia_keeps_articles_of_different_splits_apart():
    held = {
        split: {task.spec["target"] for task in make(split=split, ask="trivia").tasks(split)}
        for split in ("val", "test")
    }
    assert all(held.values())
    assert not held["val"] & held["test"]


def test_what_no_question_asks_is_refused(quiz):
    mute = next(page for page in range(BOOK.articles) if BOOK.depth[page] < FAR and not clues(BOOK, page))
    with pytest.raises(TaskError, match="tell it from no other article"):
        quiz.reset(options={"task": {"target": name(mute), "passage": 0}})
