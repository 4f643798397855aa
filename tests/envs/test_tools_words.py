"""Questions of the tool benches in all their words, and what their first observation may not tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import agentgym
from agentgym.envs._kit.tools.answers import ASKED, LISTS, NAMES
from agentgym.envs._kit.tools.question_world import Problem, solve

WORLDS = ("Todo-v0", "Sheet-v0", "Academia-v0", "Weather-v0", "Movie-v0", "Office-v0")
SEEDS = range(40)  # tried for a template before it counts as one that makes no problem


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
