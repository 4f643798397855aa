"""Environments in other processes: hanging, dying, growing, failing, raising."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import agentgym
from agentgym.core import ConfigError, TaskError
from agentgym.vector import LocalVectorEnv, ProcessVectorEnv
from agentgym.vector.memory import held_mib
from agentgym.vector.worker import WorkerError
from tests.processes import ends
from tests.vector.worlds import Fragile

LIMIT = 120  # MiB; a worker holds about 45
PROMPT = 60.0  # seconds within which everything here must be over; the hanging world would take 600


@contextmanager
def fragile(count: int = 2, **kwargs: Any) -> Iterator[Any]:
    """A vector of fragile worlds, closed afterwards; no process of it is left."""
    began = time.monotonic()
    envs = agentgym.make_vec(Fragile.card.id, count, vectorization_mode="async", **kwargs)
    try:
        yield envs
        pids = envs.call("unwrapped") and [worker.process.pid for worker in envs._workers]
    finally:
        envs.close()
    assert time.monotonic() - began < PROMPT
    for pid in pids:
        assert not Path(f"/proc/{pid}").exists()


def test_a_hanging_environment_is_ended_and_begins_anew() -> None:
    with fragile(step_timeout=1.0) as envs:
        envs.reset(seed=3)
        texts, rewards, terminated, truncated, infos = envs.step(["hang", "add 1"])
        assert truncated.tolist() == [True, False]
        assert terminated.tolist() == [False, False]
        assert rewards.tolist() == [0.0, 0.0]
        assert infos["final_obs"][0] == "The environment failed: it did not answer within 1 seconds"
        assert infos["final_info"]["failure"].tolist() == ["it did not answer within 1 seconds", None]
        assert not infos["final_info"]["success"][0]
        assert texts[0].startswith("Count to")
        assert "The total is 1." in texts[1]
        assert infos["failure"].tolist() == ["", ""]
        assert envs.respawns.tolist() == [1, 0]
        texts, *_ = envs.step(["add 1", "add 1"])
        assert "The total is 1." in texts[0]
        assert "The total is 2." in texts[1]


@pytest.mark.parametrize(("word", "reason"), [("die", "ended by SIGKILL"), ("exit", "exit status 7")])
@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_crash_ends_the_episode_in_every_mode(word: str, reason: str, mode: AutoresetMode) -> None:
    with fragile(autoreset_mode=mode) as envs:
        envs.reset(seed=3)
        texts, _, _, truncated, infos = envs.step(["add 1", word])
        assert truncated.tolist() == [False, True]
        final = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
        assert reason in final["failure"][1]
        assert set(final) >= {"task_id", "success", "progress", "action_valid", "metrics", "costs", "events"}
        assert final["metrics"]["total"][1] == 0.0
        shown = infos["final_obs"][1] if mode is AutoresetMode.SAME_STEP else texts[1]
        assert shown.startswith("The environment failed: its process")
        if mode is AutoresetMode.DISABLED:
            assert envs.live.tolist() == [True, False]
            texts, *_ = envs.step(["add 1", None])
            assert texts[1] == shown
            texts, _ = envs.reset(options={"reset_mask": np.array([False, True])})
        elif mode is AutoresetMode.NEXT_STEP:
            texts, *_ = envs.step(["add 1", "this is not read"])
        assert texts[1].startswith("Count to")
        assert envs.live.all()


@pytest.mark.full
def test_seeds_after_a_crash_follow_from_the_last_seed() -> None:
    def tasks_after_crash() -> list[str]:
        with fragile(1) as envs:
            envs.reset(seed=11)
            found = []
            for _ in range(8):
                envs.step(["die"])
                found.append(envs.step(["add 1"])[4]["task_id"][0])
            return found

    first = tasks_after_crash()
    assert first == tasks_after_crash()
    assert len(set(first)) > 1


def test_all_that_a_hanging_environment_started_is_ended(tmp_path: Path) -> None:
    note = tmp_path / "child"
    with fragile(1, step_timeout=1.0, note=str(note)) as envs:
        envs.reset(seed=0)
        assert envs.step(["spawn and hang"])[3].all()
        assert ends(int(note.read_text()), PROMPT / 2)


def test_memory_that_grows_within_an_episode_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentgym.vector.process.WATCH", 0.02)
    with fragile(memory_limit=LIMIT, step_timeout=10.0) as envs:
        envs.reset(seed=0)
        envs.step(["add 1", "grow 1"])
        for _ in range(3):  # the look may come before the memory does
            time.sleep(0.05)
            *_, truncated, infos = envs.step(["roll", "grow 100"])
            if truncated[1]:
                break
        assert "MiB, the limit is 120 MiB" in infos["final_info"]["failure"][1]
        assert envs.respawns.tolist() == [0, 1]


def test_a_process_over_the_limit_at_its_episodes_end_is_replaced_and_its_dice_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("agentgym.vector.process.WATCH", PROMPT)  # or it might be caught while it grows

    def transcript(word: str) -> tuple[list[str], int]:
        with fragile(1, memory_limit=LIMIT) as envs:
            envs.reset(seed=5)
            _, _, terminated, _, infos = envs.step([word])
            assert terminated.all()
            assert infos["final_info"]["failure"][0] == ""
            found = [infos["task_id"][0]]
            for _ in range(6):
                *_, infos = envs.step(["roll"])
                found.append((infos["task_id"][0], infos["metrics"]["total"][0]))
            return found, int(envs.respawns[0])

    light, heavy = transcript("half"), transcript("grow and win")
    assert heavy[0] == light[0]
    assert (light[1], heavy[1]) == (0, 1)


def test_a_reset_that_fails_says_so_and_truncates_the_first_step() -> None:
    with fragile(1, fail="reset", autoreset_mode=AutoresetMode.NEXT_STEP) as envs:
        texts, infos = envs.reset(seed=0)
        assert texts == ("The environment failed: its process ended with exit status 3",)
        assert infos["failure"].tolist() == ["its process ended with exit status 3"]
        texts, rewards, terminated, truncated, infos = envs.step(["add 1"])
        assert (rewards[0], terminated[0], truncated[0]) == (0.0, False, True)
        assert infos["failure"][0] == "its process ended with exit status 3"
        with pytest.raises(ConfigError, match=r"environments \[0\] are gone; reset them first"):
            envs.call("unwrapped")
        envs._workers[0] = type("Gone", (), {"process": type("P", (), {"pid": 0, "wait": int}), "end": int})()  # type: ignore[assignment]
        envs._workers[0] = None
        envs.call = lambda name: ()  # the helper's last look has nothing to see
        envs._workers.clear()


def test_an_engine_failure_is_the_worlds_own_affair() -> None:
    with fragile(1, fail="engine") as envs:
        _, infos = envs.reset(seed=0)
        assert infos["failure"].tolist() == ["the engine is cold"]
        assert envs.respawns.tolist() == [0]
        assert envs.step(["add 1"])[3].tolist() == [True]


def test_errors_of_the_world_are_raised_here_with_their_trace() -> None:
    with fragile() as envs:
        envs.reset(seed=0)
        with pytest.raises(ZeroDivisionError, match="nothing to divide by") as caught:
            envs.step(["bug", "add 1"])
        assert "environment 0" in caught.value.__notes__[0]
        assert "worlds.py" in caught.value.__notes__[0]
        with pytest.raises(WorkerError, match="Odd: 1 and 2"):
            envs.step(["add 1", "odd bug"])
        with pytest.raises(TaskError, match="no task 'to-99'"):
            envs.reset(options={"task": "to-99"})
        with pytest.raises(ConfigError, match="no reset option 'wind'"):
            envs.reset(options={"wind": 1})
        texts, _ = envs.reset(seed=0)
        assert all(text.startswith("Count to") for text in texts)


def test_what_cannot_be_made_is_an_error_at_once() -> None:
    with pytest.raises(ValueError, match="the engine is not installed"):
        agentgym.make_vec(Fragile.card.id, 2, vectorization_mode="async", fail="constructor")
    with pytest.raises(ConfigError, match="must be picklable to reach another process"):
        agentgym.make_vec(Fragile.card.id, 2, vectorization_mode="async", wrappers=[lambda env: env])


@pytest.mark.parametrize(("name", "value"), [("step_timeout", 0), ("step_timeout", -1.0), ("memory_limit", 0)])
def test_limits_are_above_zero(name: str, value: float) -> None:
    with pytest.raises(ConfigError, match=f"{name} must be above 0"):
        agentgym.make_vec(Fragile.card.id, 2, vectorization_mode="async", **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["step_timeout", "memory_limit"])
def test_limits_have_no_effect_in_this_process_and_say_so(name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} has no effect on environments in this process"):
        agentgym.make_vec("FrozenLake-v0", 2, **{name: 5.0})  # type: ignore[arg-type]


def test_wrappers_reach_the_other_processes() -> None:
    limit = functools.partial(gym.wrappers.TimeLimit, max_episode_steps=2)
    with fragile(wrappers=[limit], autoreset_mode=AutoresetMode.DISABLED) as envs:
        envs.reset(seed=0)
        assert not envs.step(["add 1", "add 1"])[3].any()
        assert envs.step(["half", "guess x"])[3].tolist() == [False, True] or envs.live.sum() == 0
        assert envs.call("_max_episode_steps") == (2, 2)
        envs.set_attr("note", ["a", "b"])
        assert envs.get_attr("note") == ("a", "b")


def test_interrupted_questions_are_not_answered_later(monkeypatch: pytest.MonkeyPatch) -> None:
    import agentgym.vector.process as module

    with fragile() as envs:
        envs.reset(seed=0)
        with monkeypatch.context() as patch:

            def interrupted(*args: Any) -> list[Any]:
                raise KeyboardInterrupt

            patch.setattr(module, "wait", interrupted)
            with pytest.raises(KeyboardInterrupt):
                envs.step(["add 3", "add 3"])
        texts, infos = envs.reset(seed=0)
        assert infos["failure"].tolist() == ["", ""]
        texts, *_ = envs.step(["add 1", "add 1"])
        assert all("The total is 1." in text for text in texts)


def test_auto_takes_processes_for_engines_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentgym.vector.card", lambda name: Fragile.card)
    engines = agentgym.make_vec(Fragile.card.id, 1)
    assert isinstance(engines, ProcessVectorEnv)
    engines.close()
    monkeypatch.undo()
    assert isinstance(agentgym.make_vec("TextCraft-v1", 1), LocalVectorEnv)
    assert isinstance(agentgym.make_vec("gymnasium:CartPole-v1", 2), LocalVectorEnv)


def test_memory_counts_what_a_process_started() -> None:
    assert held_mib(os.getpid()) > 10
    assert held_mib(2**22 + 1) == 0.0
