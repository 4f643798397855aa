"""Questions of the tool benches in all their words, and what their first observation may not tell."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import agentgym
from agentgym.core.grammar import Invalid
from agentgym.core.tool_grammar import ToolGrammar
from agentgym.envs._kit.tools.answers import ASKED, FINISH, LISTS, NAMES
from agentgym.envs._kit.tools.question_world import Problem, solve
from agentgym.envs.tools import CARDS

WORLDS = ("Todo-v0", "Sheet-v0", "Academia-v0", "Weather-v0", "Movie-v0", "Office-v0")
SEEDS = range(40)  # tried for a template before it counts as one that makes no problem


def schemas(schema: Any) -> Iterator[Mapping[str, Any]]:
    """A JSON schema and all those within it."""
    if isinstance(schema, Mapping):
        yield schema
        inner = [*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")]
        for each in inner:
            yield from schemas(each)


@pytest.mark.parametrize("name", WORLDS)
def test_every_array_says_of_what_it_is(name: str) -> None:
    """Servers with strict function calls refuse a whole request for one array without `items`."""
    arrays = [
        each
        for tool in made(name).tools
        for each in schemas(tool["function"]["parameters"])
        if "array" in each.get("type", "")
    ]
    assert arrays, "that of the answer at least"
    assert all("items" in each for each in arrays)


def test_an_answer_may_be_a_list_of_texts_alone() -> None:
    grammar = ToolGrammar([FINISH])
    for answer in ("a", 3, ["a", "b"]):
        assert not isinstance(grammar.parse(json.dumps({"name": "finish", "arguments": {"answer": answer}})), Invalid)
    refused = grammar.parse('{"name": "finish", "arguments": {"answer": ["a", {"b": 1}]}}')
    assert isinstance(refused, Invalid)
    assert refused.reason == "finish: arguments.answer[1] must be of type string, got dict."


def made(name: str) -> Any:
    return agentgym.make(name, split="val").unwrapped


def problems(env: Any) -> Iterator[tuple[int, Problem]]:
    """A problem of each template, with the seed of its data."""
    for name in env.world.book.templates:
        yield next((seed, found) for seed in SEEDS if (found := solve(env.world, 1_000 + seed, name, 0)) is not None)


@pytest.mark.full
@pytest.mark.parametrize("name", WORLDS)
def test_a_question_means_the_same_in_all_its_words(name: str) -> None:
    """Each wording with each ending: one reading, the same arguments, the same key, the same gold answer."""
    env = made(name)
    book, texts = env.world.book, 0
    for seed, problem in problems(env):
        template = problem.template
        ways = len(template.wordings) * len(ASKED[template.answer])
        said = [book.word(template, way, problem.arguments) for way in range(ways)]
        assert len(set(said)) == ways, template.name
        for text in said:
            assert book.read(text) == [(template, dict(problem.arguments))], text
        keys = set()
        for way in range(len(template.wordings)):
            spec = {"seed": 1_000 + seed, "template": template.name, "wording": way}
            again = env._problem_of(spec)
            assert (again.trace, again.goal) == (problem.trace, problem.goal)
            keys.add(env.content_key(spec))
        assert len(keys) == 1
        texts += ways
    assert texts > 300


def plain(text: str) -> str:
    """The words of a text, with a space on each side."""
    return f" {' '.join(''.join(letter if letter.isalnum() else ' ' for letter in text).split())} ".casefold()


def hidden(env: Any) -> list[str]:
    """What of an answer nobody may be told before it is found: no argument, no word that questions or tools have."""
    problem, answer = env._problem, env.reference()["answer"]
    if problem.template.answer not in (*LISTS, *NAMES, "date"):
        return []
    given = [plain(str(value)) for value in problem.arguments.values()]
    known = plain(" ".join([*problem.template.wordings, *ASKED[problem.template.answer], env.manual]))
    parts = [plain(str(part)) for part in (answer if isinstance(answer, list) else [answer])]
    return [
        part for part in parts if len(part) > 5 and part not in known
        and not any(part in value or value in part for value in given)
    ]  # fmt: skip


@pytest.mark.parametrize("name", WORLDS)
def test_no_part_of_a_list_or_text_is_told_before_it_is_found(name: str) -> None:
    """Neither in the first observation, nor in `info`, nor in what a refused call is told."""
    env, checked = made(name), 0
    for place in range(0, 200, 4):
        text, info = env.reset(seed=0, options={"task": place})
        refused, *_, after = env.step('{"name": "no_such_tool", "arguments": {}}')
        assert not after["action_valid"]
        shown = [text, json.dumps({**info, "task_id": ""}), refused, json.dumps({**after, "task_id": ""})]
        parts = hidden(env)
        assert all(part not in plain(each) for part in parts for each in shown), (place, parts)
        checked += len(parts)
    assert checked >= 5


SHORTCUTS = [(card.id, name) for card in CARDS if not card.requires for name in card.shortcuts]


def test_every_world_of_tools_names_a_player_that_answers_everything() -> None:
    assert {name for name, shortcut in SHORTCUTS if shortcut == "everything"} == {card.id for card in CARDS}
    for card in CARDS:
        for shortcut in card.shortcuts:
            for split in ("val", "test"):
                assert card.scores[split][f"shortcut:{shortcut}"].success <= (card.shortcut_bound or 0) <= 0.1


@pytest.mark.parametrize(("name", "shortcut"), SHORTCUTS)
def test_a_shortcut_plays_to_the_end_without_doing_the_task(name: str, shortcut: str) -> None:
    """What it says is taken, so that it loses by what it answers and not by how."""
    env, won, places = agentgym.make(name, split="val").unwrapped, 0, range(0, 200, 25)
    for place in places:
        _, info = env.reset(seed=0, options={"task": place})
        while not env.ended:
            *_, info = env.step(env.shortcut_action(shortcut))
            assert info["action_valid"], info["error"]
        won += info["success"]
        assert env.turn <= 7
    assert won <= 1


@pytest.mark.parametrize("name", WORLDS)
def test_progress_rises_by_one_sub_goal_a_gold_result(name: str) -> None:
    """After k of n gold calls it is k / (n + 1); a refused call adds nothing; 1 at the end."""
    env = made(name)
    for place in range(0, 60, 6):
        env.reset(seed=0, options={"task": place})
        gold = env.reference()["calls"]
        for done, call in enumerate(gold, 1):
            *_, info = env.step(call)
            assert info["progress"] == pytest.approx(done / (len(gold) + 1)), (place, done)
        *_, info = env.step('{"name": "no_such_tool", "arguments": {}}')
        assert info["progress"] == pytest.approx(len(gold) / (len(gold) + 1))
        *_, info = env.step(env.oracle_action())
        assert (info["success"], info["progress"]) == (True, 1.0)
