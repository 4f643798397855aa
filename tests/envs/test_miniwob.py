"""The MiniWoB++ world: pages, seeds, rewards, panels, players and the generated forms."""

from __future__ import annotations

import gc
import os
import time

import numpy as np
import pytest

from agentgym.core import ConfigError, TaskError
from agentgym.envs.web._browser import context_pool
from agentgym.envs.web._miniwob.scoring import solved
from tests.envs.browsing import needs_browser, own

pytest.importorskip("miniwob", reason="the package miniwob is not installed: pip install miniwob")
from agentgym.envs.web._miniwob.pages import form_names, page_names, registered_names
from agentgym.envs.web.miniwob import MiniWoBEnv

pytestmark = needs_browser
QUICK = ("click-button", "enter-text", "choose-date", "click-tab-2", "drag-items", "email-inbox-reply", "use-slider",
         "click-pie", "hot-cold", "text-editor", "highlight-text", "generated-form-20")  # fmt: skip


@pytest.fixture(scope="module")
def world():
    env = MiniWoBEnv(split="browsergym")
    yield env
    env.close()


def begin(env, page, seed=7, **options):
    return env.reset(seed=0, options={"task": {"page": page, "seed": seed}, **options})


def play(env, page, seed=7):
    """The transcript of the scripted player."""
    text, info = begin(env, page, seed)
    told = [text]
    while not env.ended:
        action = env.oracle_action()
        text, reward, _, _, info = env.step(action)
        told += [action, text, reward]
    return told, info


def test_every_page_and_the_125_of_browsergym():
    assert len(page_names()) == 130
    assert len(registered_names()) == 125
    env = MiniWoBEnv(split="browsergym")
    panel = env.tasks("browsergym")
    assert len(panel) == 625
    assert {str(task.spec["page"]) for task in panel} == set(registered_names())
    assert env.tasks("train").by_id("click-button/100").spec == {"page": "click-button", "seed": 100}
    for bad in ("click-button/0", "click-button/1000000", "no-page/100", "click-button", "click-button/1e3"):
        with pytest.raises(TaskError):
            env.tasks("train").by_id(bad)


@pytest.mark.parametrize("page", QUICK)
def test_players_solve_their_pages(world, page):
    _, info = play(world, page)
    assert info["success"], info
    assert info["metrics"]["raw_reward"] >= 0.9


@pytest.mark.full
@pytest.mark.parametrize("page", [*registered_names(), *form_names()])
def test_every_page_is_solved_and_a_page_used_again_is_as_good_as_new(world, page):
    seed = next(int(task.spec["seed"]) for task in world.tasks("test") if task.spec["page"] == page)
    other = next(int(task.spec["seed"]) for task in world.tasks("val") if task.spec["page"] == page)
    play(world, page, other)
    again, info = play(world, page, seed)
    assert info["success"]
    world.context.shown = ""  # so that it is loaded anew
    assert play(world, page, seed)[0] == again


@pytest.mark.parametrize("page", ["click-button", "enter-text", "use-slider", "email-inbox", "generated-form-40"])
def test_a_page_used_again_is_as_good_as_new(world, page):
    play(world, page, 3)
    again = play(world, page, 4)
    world.context.shown = ""
    assert play(world, page, 4) == again
    assert play(world, page, 5)[0][0] != again[0][0]


def test_the_page_gets_the_seed_as_miniwob_gives_it(world):
    """The page's own generator, seeded as MiniWoB++ seeds it, asks the same."""
    begin(world, "click-button", 3)
    drawn = world.context.active.evaluate_in_page("Math.seedrandom(3); core.startEpisodeReal(); core.getUtterance()")
    assert drawn == world.task.instruction


def test_partial_rewards_are_kept_and_are_no_success(world):
    text, _ = begin(world, "find-greatest", 3)
    wrong = min((line for line in text.split("\n") if "clickable" in line), key=lambda line: int(line.split('"')[1]))
    world.step(f"click [{own(text, wrong.strip())}]")
    _, reward, terminated, _, info = world.step(f"click [{own(text, 'Submit')}]")
    assert (reward, terminated, info["success"]) == (0.1, True, False)
    assert info["metrics"]["raw_reward"] == 0.1
    assert not solved("click-checkboxes", 0.8)
    assert solved("bisect-angle", 0.95)
    assert not solved("bisect-angle", 0.8)


def test_a_wrong_click_fails(world):
    text, _ = begin(world, "click-test-2", 1)
    _, reward, terminated, _, info = world.step(f"click [{own(text, 'TWO')}]")
    assert (reward, terminated, info["success"]) == (-1.0, True, False)


def test_no_timer_and_no_rewards_are_shown():
    for observe in ("outline", "text", "dom"):
        env = MiniWoBEnv(observe=observe)
        text, _ = begin(env, "enter-text", 1)
        env.context.active.evaluate_in_page("core.endEpisode(0.37, false)")
        text += env.step("wait")[0]
        text += begin(env, "enter-text", 2)[0]
        for word in ("0.37", "Last reward", "Time left", "START", "Episodes", "10sec"):
            assert word not in text
        env.close()


def test_nothing_ends_by_the_clock(world):
    begin(world, "click-button", 1)
    for _ in range(world.max_turns - 1):
        _, reward, terminated, _, _ = world.step("wait")
        assert (reward, terminated) == (0.0, False)
    assert world.step("wait")[3]


def test_generated_forms_have_their_size_and_their_curriculum(world):
    for name in form_names():
        begin(world, name, 3)
        size = world.context.active.evaluate(
            "document.querySelectorAll('#area input,#area select,#area button').length"
        )
        assert size == int(name.rsplit("-", 1)[1])
    lengths = []
    for filled in (0, 0.5, 1):
        begin(world, "generated-form-40", 3, filled=filled)
        steps = 0
        while not world.ended:
            info = world.step(world.oracle_action())[4]
            steps += 1
        assert info["success"]
        lengths.append(steps)
    assert lengths[0] > lengths[1] > lengths[2] == 1
    for wrong in (2, -0.1, "half"):
        with pytest.raises(ConfigError, match="share from 0 to 1"):
            begin(world, "generated-form-5", 1, filled=wrong)
    with pytest.raises(ConfigError, match="generated forms"):
        begin(world, "click-button", 1, filled=0.5)


def test_leaving_a_form_wrong_fails(world):
    text, _ = begin(world, "generated-form-10", 3)
    _, reward, terminated, _, info = world.step(f"click [{own(text, 'button')}]")
    assert (reward, terminated, info["success"]) == (-1.0, True, False)


def test_what_is_left_out_of_the_actions_is_refused(world):
    begin(world, "click-button", 1)
    for action in ("goto http://miniwob.test/", "new_tab", "stop", "back"):
        assert not world.step(action)[4]["action_valid"]


def test_pages_outside_the_world_are_refused(world):
    for spec in ({"page": "no-such", "seed": 1}, {"page": "click-button", "seed": -1}, {"page": "click-button"}):
        with pytest.raises(TaskError):
            world.reset(options={"task": spec})


def test_random_play_is_the_same_in_every_world(world):
    def wander(env):
        told = [begin(env, "email-inbox", 5)[0]]
        rng = np.random.default_rng(4)
        while not env.ended and len(told) < 12:
            told.append(env.step(env.sample_action(rng))[0])
        return told

    other = MiniWoBEnv()
    begin(other, "click-test", 1)
    assert wander(world) == wander(other)
    other.close()


def test_worlds_take_over_the_pages_of_closed_ones():
    first = MiniWoBEnv()
    begin(first, "click-test", 1)
    name = first.context.id
    first.close()
    assert name in [context.id for context in context_pool._spare]
    second = MiniWoBEnv()
    begin(second, "click-test", 1)
    assert second.context.id == name
    second.close()


def test_a_world_may_be_collected_while_another_asks_for_pages():
    """The garbage collector may run in the thread that holds the lock of the spare pages; it waited for itself."""
    dropped = MiniWoBEnv()
    begin(dropped, "click-test", 1)
    name, alone = dropped.context.id, [dropped]
    alone.append(alone)  # a circle: only the collector finds it
    with context_pool._lock:
        del dropped, alone
        gc.collect()
    patience = time.monotonic() + 60
    while name not in [context.id for context in context_pool._spare]:
        assert time.monotonic() < patience, "its pages never came back"
        time.sleep(0.02)


def test_a_fork_does_not_inherit_the_lock_of_the_spare_pages():
    with context_pool._lock:
        child = os.fork()
        if not child:
            os._exit(not context_pool._lock.acquire(blocking=False))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
