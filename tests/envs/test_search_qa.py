"""SearchQA: questions and their words, what gives answers away, splits, back ends, judging, files of a user."""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import pytest

import agentgym
from agentgym import wrappers
from agentgym.assets.wiki.questions import load_questions
from agentgym.core import ConfigError, ScriptedModel, TaskError
from agentgym.envs._kit.encyclopedia.rng import BlockRandom
from agentgym.envs._kit.retrieval import corpora
from agentgym.envs._kit.retrieval.corpora import Encyclopedia, Passage, open_encyclopedia
from agentgym.envs._kit.retrieval.scoring import exact_match, normalized
from agentgym.envs.tools._search import world
from agentgym.envs.tools._search.facts import open_facts
from agentgym.envs.tools._search.programs import Least, Name, Of, Which, written
from agentgym.envs.tools._search.questions import answered, part_of
from agentgym.envs.tools._search.wording import read, say

FACTS = open_facts(10_000)
MOST_BY_CONSTANT, MOST_BY_MEMORY, MOST_BY_TITLE = 0.06, 0.06, 0.03  # success of players that read nothing
OWN = {"question": "Who wrote the Odd Ode?", "answers": ["Ann Other", "Anna Other"], "supports": ["Odd Ode"]}


def make(**kwargs: Any) -> Any:
    return gym.make("AgentGym/SearchQA-v0", **kwargs).unwrapped


@pytest.fixture(scope="module")
def env() -> Any:
    return make(split="val")


@pytest.fixture(scope="module")
def held_out(env: Any) -> list[dict[str, Any]]:
    return [env.tasks(split)[place].spec for split in ("val", "test") for place in range(200)]


@pytest.fixture(scope="module")
def trained() -> list[dict[str, Any]]:
    panel = make(split="train").tasks("train")
    return [panel[place].spec for place in range(400)]


def play(env: Any, agent: str, task: Any) -> dict[str, Any]:
    env.reset(seed=0, options={"task": task})
    while not env.ended:
        *_, info = env.step(getattr(env, f"{agent}_action")())
    return info


# Questions


def test_questions_are_of_all_kinds_and_lengths(held_out: list[dict[str, Any]]) -> None:
    kinds, hops = Counter(spec["kind"] for spec in held_out), Counter(spec["hops"] for spec in held_out)
    assert set(kinds) == {"bridge", "comparison", "temporal", "counting"}
    assert min(kinds.values()) >= 8
    assert set(hops) == {1, 2, 3, 4}
    assert min(hops.values()) >= 40
    programs = {(spec["key"].split(":")[0], spec["key"].split(".", 1)[-1]) for spec in held_out}
    assert len(programs) > 300


def test_the_article_that_decides_tells_the_answer(held_out: list[dict[str, Any]]) -> None:
    corpus, seen = open_encyclopedia(10_000), 0
    for spec in held_out:
        for title in spec["supports"]:
            assert FACTS.number(title) is not None
        if spec["kind"] == "bridge":
            thing = FACTS.number(spec["decides"])
            assert thing is not None
            assert f" {normalized(spec['answers'][0])} " in f" {normalized(corpus.get(thing).text.replace('–', ' '))} "
            seen += 1
    assert seen > 100


def test_facts_by_another_way() -> None:
    """Counts computed from the facts themselves, without the programs."""
    world, counted = open_encyclopedia(10_000).book.world, 0
    for war in world.of["war"]:
        battles = world.facts[war]["battles"]
        assert isinstance(battles, tuple)
        question = read(f"How many of the battles of the {world.names[war]} were fought before 1800?")
        if question is None or FACTS.number(world.names[war]) != war or not 1 < len(battles) <= 4:
            continue
        if any(FACTS.number(world.names[each]) != each for each in battles):
            continue
        answer, _ = answered(question, FACTS)
        assert answer == [str(sum(int(str(world.facts[each]["year"])) < 1800 for each in battles))]
        counted += 1
    assert counted > 3


def test_every_wording_is_read_as_the_same_question(trained: list[dict[str, Any]]) -> None:
    several = 0
    for number, spec in enumerate(trained[:150]):
        question = read(spec["question"])
        assert question is not None
        assert written(question) == spec["key"]
        said = {say(question, BlockRandom([number, way], 64)) for way in range(4)}
        assert {written(other) for other in map(read, said) if other is not None} == {spec["key"]}
        assert answered(question, FACTS)[0][0] == spec["answers"][0]
        several += len(said) > 1
    assert several > 140


def test_two_things_are_compared_and_no_superlative_is_said_of_them() -> None:
    topics = [topic for topic in load_questions().values() if topic.orders]
    said = set()
    for topic in topics:
        pair = Name(topic.kind, "Aa"), Name(topic.kind, "Bb")
        for slot, last in itertools.product(topic.orders, (False, True)):
            question = Which(Least(pair, slot, last))
            text = say(question, BlockRandom([0], 64))
            assert read(text) == question, text
            assert not re.search(r"\bthe \w+est\b|\bthe most\b", text), text
            said.add(text)
    several = Which(Least(Of(load_questions()["river"].facts["towns"], Name("river", "Aa")), "population", True))
    assert "the largest population" in say(several, BlockRandom([0], 64))
    assert len(said) == sum(2 * len(topic.orders) for topic in topics)


@pytest.mark.full
@pytest.mark.parametrize(
    ("hops", "kinds"),
    [
        ([1], ["bridge"]),
        pytest.param([3, 2], None, marks=pytest.mark.full),
        pytest.param(None, ["temporal", "counting"], marks=pytest.mark.full),
    ],
)
def test_questions_of_some_lengths_and_kinds(hops: list[int] | None, kinds: list[str] | None) -> None:
    """The panels keep to their splits, and nearly to their size; questions of the default are what they were."""
    env = make(split="val", hops=hops, kinds=kinds)
    usual = make(split="val")
    for split in ("val", "train"):
        specs = [env.tasks(split)[place].spec for place in range(20)]
        assert {spec["hops"] for spec in specs} <= set(hops or range(5))
        assert not kinds or {spec["kind"] for spec in specs} <= set(kinds)
        assert all(part_of(spec["decides"]) == split for spec in specs)
        for place in range(20):
            seed = int(env.tasks(split)[place].id)
            default = type(usual).generate_from_seed(usual.config, seed)
            if default["hops"] in (hops or range(5)) and default["kind"] in (kinds or ["bridge", default["kind"]]):
                assert env.tasks(split)[place].spec == default
    assert len(env.tasks("val")) >= 150
    for place in range(0, 20, 5):
        assert play(env, "expert", place)["success"]


# What gives answers away


def test_no_question_holds_its_answer_and_nothing_else_tells_it(env: Any, held_out: list[dict[str, Any]]) -> None:
    for spec in held_out:
        assert f" {normalized(spec['answers'][0])} " not in f" {normalized(spec['question'])} "
    for place in range(0, 200, 10):
        text, info = env.reset(seed=0, options={"task": place})
        wanted = f" {normalized(env.reference()['answers'][0])} "
        shown = [text, json.dumps({**info, "task_id": ""}), env.step("search[zzzz qqqq]")[0], env.step("nonsense")[0]]
        assert all(wanted not in f" {normalized(told)} " for told in shown if len(wanted) > 4)


def test_players_that_read_nothing_do_not_pass(held_out: list[dict[str, Any]], trained: list[dict[str, Any]]) -> None:
    """The best constant answer; the answer of the most similar question of train; the first title of a search."""
    answers = [normalized(spec["answers"][0]) for spec in held_out]
    assert Counter(answers).most_common(1)[0][1] / len(answers) <= MOST_BY_CONSTANT
    known = [(set(normalized(spec["question"]).split()), spec["answers"][0]) for spec in trained]
    corpus, remembered, titled = open_encyclopedia(10_000), 0, 0
    for spec in held_out:
        words = set(normalized(spec["question"]).split())
        _, said = max(known, key=lambda each: len(words & each[0]) / len(words | each[0]))
        remembered += exact_match(said, spec["answers"])
        titled += exact_match(corpus.get(corpus.rank(spec["question"], 1)[0]).title, spec["answers"])
    assert remembered / len(held_out) <= MOST_BY_MEMORY
    assert titled / len(held_out) <= MOST_BY_TITLE


def test_splits_share_no_question_and_train_leads_through_no_held_out_article(
    held_out: list[dict[str, Any]], trained: list[dict[str, Any]]
) -> None:
    keys = [spec["key"] for spec in held_out]
    assert len(set(keys)) == len(keys)
    assert not set(keys) & {spec["key"] for spec in trained}
    deciding = {spec["decides"] for spec in held_out}
    assert not deciding & {title for spec in trained for title in spec["supports"]}
    assert {part_of(title) for title in deciding} == {"val", "test"}


# Episodes


def test_the_expert_reads_and_the_oracle_knows(env: Any) -> None:
    for place in range(3, 200, 20):
        info = play(env, "oracle", place)
        assert (info["success"], info["progress"], info["metrics"]["exact_match"]) == (True, 1.0, 1.0)
        info = play(env, "expert", place)
        assert info["success"]
        assert info["metrics"]["searches"] >= info["metrics"]["hops"] - 1


def test_results_and_terms_of_a_search(env: Any) -> None:
    env.reset(seed=0, options={"task": {**OWN, "supports": ["Winland"]}})
    text, reward, terminated, _, info = env.step("search[country Winland]")
    assert text.startswith("Doc 1(Title: Winland) ")
    assert text.count("(Title: ") == 3
    assert (reward, terminated, info["progress"]) == (0.0, False, 1.0)
    assert (info["metrics"]["retrieval"], info["metrics"]["format"], info["metrics"]["searches"]) == (1.0, 1.0, 1.0)
    assert env.step("search[country Winland]")[4]["metrics"]["retrieval"] == 0.0
    *_, info = env.step("answer[the other]")
    assert (info["success"], info["metrics"]["exact_match"]) == (False, 0.0)
    assert info["metrics"]["f1"] == pytest.approx(2 / 3)


def test_a_question_of_ones_own(env: Any) -> None:
    assert env.reset(options={"task": OWN})[0].startswith("Question: Who wrote the Odd Ode?\n")
    assert env.step("answer[ann  OTHER!]")[4]["success"]
    with pytest.raises(TaskError, match="letter or digit"):
        env.reset(options={"task": {**OWN, "answers": ["the"]}})


def test_the_budget_is_kept() -> None:
    env = make(split="val", budget=1)
    env.reset(seed=0)
    env.step("search[river]")
    before = env.state_key()
    text, *_, info = env.step("search[lake]")
    assert text == "The budget of 1 searches is spent; answer now, with answer[...]."
    assert (info["action_valid"], info["metrics"]["format"], env.state_key()) == (False, 0.0, before)


def test_the_tags_of_search_r1() -> None:
    env = wrappers.CommandTags(agentgym.make("SearchQA-v0", split="val"))
    env.reset(seed=0, options={"task": {**OWN, "supports": ["Winland"]}})
    text, *_, info = env.step("I should look it up. <search>Winland</search> and then <answer>x</answer>")
    assert text.startswith("Doc 1(Title: ")
    assert (info["action"], info["thought"]) == ("search[Winland]", "I should look it up.")
    *_, info = env.step("<answer>Ann Other</answer>")
    assert info["success"]


def test_verdicts_are_paid_by_the_supporting_passages() -> None:
    env = make(split="val", judge_action=True)
    task = {**OWN, "supports": ["Winland"]}
    for query, verdict, worth in (
        ("country Winland", "yes", 1.0), ("country Winland", "no", -1.0), ("zoo", "yes", -1.0), ("zoo", "no", 1.0),
    ):  # fmt: skip
        env.reset(seed=0, options={"task": task})
        assert not env.step("judge[yes]")[4]["action_valid"]
        env.step(f"search[{query}]")
        *_, info = env.step(f"judge[{verdict}]")
        assert info["metrics"]["judge"] == worth
        assert not env.step("judge[no]")[4]["action_valid"]
    assert "judge" not in make(split="val").manual
    assert not make(split="val").grammar.examples[-1].startswith("judge")


@pytest.mark.full
def test_questions_on_the_largest_encyclopaedia_are_solved() -> None:
    env = make(split="val", articles=30_000)
    assert len(env._corpus) == 30_000
    for place in range(len(env.tasks("val"))):
        assert play(env, "oracle", place)["success"]
        assert play(env, "expert", place)["success"], env.task.spec["question"]


# Back ends


def test_no_search_waits_for_the_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is built when the world is made, and only by a back end that needs it."""
    built: list[int] = []

    class Counted:
        @staticmethod
        def build(texts: Iterator[str]) -> Any:
            built.append(1)
            return SimpleNamespace(search=lambda query, k: [7][:k])

    fresh = Encyclopedia(open_encyclopedia(10_000).book)
    monkeypatch.setattr(corpora, "SearchIndex", Counted)
    monkeypatch.setattr(world, "open_encyclopedia", lambda articles: fresh)
    make(split="val", backend="self")
    assert built == []
    env = make(split="val")
    assert built == [1]
    env.reset(seed=0, options={"task": OWN})
    assert env.step("search[anything]")[0].startswith(f"Doc 1(Title: {fresh.get(7).title})")
    assert built == [1]


def test_a_model_or_the_agent_answers_from_memory() -> None:
    model = ScriptedModel(lambda messages, seed: f"All about {messages[-1]['content']}.")
    env = make(split="val", backend="self", model=model)
    env.reset(seed=0, options={"task": OWN})
    text, *_, info = env.step("search[odd odes]")
    assert text == "Doc 1(Title: From memory) All about odd odes."
    assert info["progress"] == 0.0
    env = make(split="val", backend="self")
    env.reset(seed=0, options={"task": OWN})
    assert not env.step("information[x]")[4]["action_valid"]
    assert "information[...]" in env.step("search[odd odes]")[0]
    assert env.step("information[Ann Other wrote it.]")[0] == "Doc 1(Title: From memory) Ann Other wrote it."
    assert env.step("answer[Ann Other]")[4]["success"]


def test_noise_is_the_same_for_the_same_query_and_comes_from_its_share() -> None:
    plain, noisy, other = (
        make(split="val", **given) for given in ({}, {"noise": 0.6}, {"noise": 0.6, "noise_seed": 1})
    )
    changed, apart = 0, 0
    for query in ("Winland", "river long", "zoo", "university founded"):
        told = []
        for env in (plain, noisy, noisy, other):
            env.reset(seed=0, options={"task": 3})
            told.append(env.step(f"search[{query}]")[0])
        assert told[1] == told[2]
        changed += told[0] != told[1]
        apart += told[1] != told[3]
    assert changed >= 3
    assert apart >= 1


def test_an_object_of_ones_own_searches() -> None:
    class Fixed:
        def search(self, query: str, k: int, place: str) -> list[Passage]:
            return [Passage("Odd Ode", f"{query}, {k}, {len(place) > 0}")]

    env = make(split="val", backend=Fixed())
    env.reset(seed=0, options={"task": OWN})
    text, *_, info = env.step("search[ode]")
    assert text == "Doc 1(Title: Odd Ode) ode, 4, True"
    assert info["progress"] == 1.0


def by_letters(texts: list[str]) -> list[list[float]]:
    """An embedding: how often each pair of letters of the title stands in a text."""
    rows = []
    for text in texts:
        row = [1e-3] * 64
        for one, other in zip(text[:40].lower(), text[1:41].lower(), strict=False):
            row[(ord(one) * 31 + ord(other)) % 64] += 1.0
        rows.append(row)
    return rows


def test_nearest_vectors() -> None:
    pytest.importorskip("hnswlib", reason="the extra `dense` is not installed")
    told = []
    for _ in range(2):
        env = make(split="val", backend="dense", embed=by_letters)
        env.reset(seed=0, options={"task": OWN})
        told.append(env.step("search[Winland]")[0])
    assert told[0] == told[1]
    assert told[0].count("(Title: ") == 3


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"articles": 9_999}, "articles must be"),
        ({"backend": "google"}, "backend must be"),
        ({"backend": "dense"}, "belong together"),
        ({"embed": by_letters}, "belong together"),
        ({"model": ScriptedModel(lambda messages, seed: "")}, "backend='self' only"),
        ({"backend": "self", "noise": 0.1}, "noise has no effect"),
        ({"corpus": "x.jsonl"}, "needs questions"),
        ({"noise": 2}, "noise must be"),
        ({"hops": [5]}, "hops must be a list of some of"),
        ({"hops": []}, "hops must be a list of some of"),
        ({"kinds": "bridge"}, "kinds must be a list of some of"),
        ({"hops": [1], "questions": "x.jsonl"}, "of generated questions"),
    ],
)
def test_impossible_options_are_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        make(**wrong)


# Files of a user

HOTPOT = {
    "_id": "5a", "question": "Where was the author of Odd Ode born?", "answer": "Lowtown", "type": "bridge",
    "supporting_facts": [["Odd Ode", 0], ["Ann Other", 1]],
    "context": [["Odd Ode", ["Odd Ode is by Ann Other.", " It rhymes."]], ["Ann Other", ["Born in Lowtown."]]],
}  # fmt: skip


def test_questions_and_passages_load_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))
    passages = [
        {"id": "1", "contents": '"Low Hill"\nLow Hill is 12 metres high.'},
        {"title": "Zoo", "text": "Many apes."},
    ]
    questions = [
        {**HOTPOT, "split": "test"},
        {"id": "nq", "question": "how high is Low Hill", "golden_answers": ["12 metres", "12 m"], "split": "dev"},
        {"question": "who lives in the zoo", "answer": ["apes"], "split": "train"},
        {"question": "Who lives in the Zoo?", "answer": ["apes"], "split": "test"},
        {"note": "no question"},
    ]
    (tmp_path / "p.jsonl").write_text("\n".join(json.dumps(row) for row in [*passages, HOTPOT]), encoding="utf8")
    (tmp_path / "q.jsonl").write_text("\n".join(json.dumps(row) for row in questions), encoding="utf8")
    files = {"corpus": tmp_path / "p.jsonl", "questions": tmp_path / "q.jsonl"}
    env = make(split="test", **files)
    assert [env.tasks(split).size for split in ("train", "val", "test")] == [1, 1, 1]
    env.reset(seed=0, options={"task": 0})
    assert (env.task.spec["supports"], env.task.spec["hops"]) == (["Odd Ode", "Ann Other"], 2)
    text, *_, info = env.step("search[Odd Ode, and Ann Other]")
    assert text.startswith("Doc 1(Title: Odd Ode) Odd Ode is by Ann Other. It rhymes.")
    assert info["progress"] == 0.0, "on test it is told with the end only"
    assert env.step("answer[nobody]")[4]["progress"] == 1.0
    env = make(split="val", **files)
    env.reset(seed=0)
    text, *_, info = env.step("search[Low Hill high]")
    assert (text.split("\n")[0], info["progress"]) == ("Doc 1(Title: Low Hill) Low Hill is 12 metres high.", 1.0)
    assert env.step("answer[12 m.]")[4]["success"]
    assert play(make(split="train", **files), "oracle", 0)["success"]


def test_the_expert_judges_by_whether_what_it_found_leads_on() -> None:
    env, verdicts = make(split="val", judge_action=True, results=1, budget=6), Counter[float]()
    for place in range(2, 60, 4):
        env.reset(seed=0, options={"task": place})
        while not env.ended:
            action = env.expert_action()
            *_, info = env.step(action)
            assert info["action_valid"], action
            if action.startswith("judge"):
                verdicts[info["metrics"]["judge"]] += 1
    assert verdicts[1.0] > 9 * verdicts[-1.0]
