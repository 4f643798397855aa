"""The split `browsergym` of MiniWoB++ against the package whose benchmark it is."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from agentgym.core import TaskError
from tests.envs.browsing import needs_browser

pytest.importorskip("miniwob", reason="the package miniwob is not installed: pip install miniwob")
from agentgym.envs.web._miniwob.pages import registered_names
from agentgym.envs.web._miniwob.panels import page_seeds
from agentgym.envs.web.miniwob import MiniWoBEnv

# What browsergym-miniwob 0.14.3 gives as the goals of its five tasks of each page, in a digest.
GOALS: dict[str, str] = json.loads(Path(__file__).with_name("browsergym_goals.json").read_text(encoding="utf8"))
QUICK = ("book-flight", "choose-list", "click-checkboxes-soft", "email-inbox-nl-turk", "enter-date", "use-slider-2")


@pytest.fixture(scope="module")
def world():
    env = MiniWoBEnv(split="browsergym")
    yield env
    env.close()


def test_pages_and_seeds_are_those_of_the_package(world):
    numbers = np.random.RandomState(42)
    wanted = []
    for page in sorted(GOALS):  # the package's order is that of its table, which is sorted by name
        for task_seed in numbers.randint(low=0, high=2 ^ 32, size=5):
            wanted.append((page, np.random.RandomState(task_seed).randint(0, 1_000_000)))
    panel = [world.tasks("browsergym")[place] for place in range(625)]
    assert [(task.spec["page"], task.spec["seed"]) for task in panel] == wanted
    assert len({task.id for task in panel}) == 625
    again = world.tasks("browsergym").by_id("bisect-angle/345353/2")
    assert again.spec == {"page": "bisect-angle", "seed": 345353}


def test_no_seed_of_the_benchmark_is_in_train(world):
    train = world.tasks("train")
    held = page_seeds()
    assert {int(task.spec["seed"]) for task in world.tasks("browsergym")} <= held
    pages = len(registered_names()) + 6
    for seed in sorted(held):  # the tasks around the place where it would stand
        near = [int(train[pages * place].spec["seed"]) for place in range(seed - 100 - len(held), seed - 98)]
        assert near == sorted(set(near))
        assert set(range(near[0], near[-1] + 1)) - set(near) == {other for other in held if near[0] < other < near[-1]}
    with pytest.raises(TaskError, match="held out"):
        train.by_id(f"click-button/{min(held)}")
    drawn = {int(train.draw(np.random.default_rng(number)).spec["seed"]) for number in range(300)}
    assert not drawn & held


@needs_browser
def test_the_benchmark_has_ten_turns_and_pays_for_every_reward_above_zero(world):
    name = next(task.id for task in world.tasks("browsergym") if task.spec["page"] == "find-greatest")
    spec = dict(world.tasks("browsergym").by_id(name).spec)
    raw = set()
    for place in range(3):
        for task, turns in ((name, 10), (spec, 40)):
            world.reset(seed=0, options={"task": task})
            assert world.max_turns == turns
            world.step(f"click [{_cards(world)[place]}]")
            _, reward, ended, _, info = world.step(f"click [{_numbers(world, 'Submit')[0]}]")
            assert ended
            raw.add(reward)
            assert info["success"] == (reward > 0 if turns == 10 else reward == 1)
    assert any(0 < reward < 1 for reward in raw), "a card that pays a little was tried"
    assert 1.0 in raw


def _numbers(world, words):
    return [line[1:].split("]")[0] for _, line, _, _ in world.page.lines if words in line]


def _cards(world):
    return [own for own in _numbers(world, "clickable") if own not in _numbers(world, "Submit")]


@needs_browser
@pytest.mark.parametrize(
    "page", [name if name in QUICK else pytest.param(name, marks=pytest.mark.full) for name in sorted(GOALS)]
)
def test_goals_are_those_of_the_package(world, page):
    told = []
    for task in world.tasks("browsergym"):
        if task.spec["page"] == page:
            world.reset(seed=0, options={"task": task.id})
            told.append(" ".join(world.task.instruction.split()))
    assert hashlib.sha256("\n".join(told).encode()).hexdigest()[:16] == GOALS[page], told
