"""Snapshots are exact, independent and portable, for worlds that copy and for worlds that replay."""

from __future__ import annotations

import copy
import pickle
import threading
from dataclasses import replace
from typing import Any

import gymnasium as gym
import pytest

import agentgym
from agentgym.core import EngineFailure, Snapshot, SnapshotError
from agentgym.core.outcome import PlayerState
from tests.core.processes import in_fresh_process
from tests.core.worlds import Count, Replay, Sealed

LOOK_AHEAD = 40  # enough equal rolls of a three-sided die to rule out chance
PLAY = ["add 1", "roll", "nonsense", "undo", "roll", "add 1", "roll", "undo"]
WORLDS = pytest.mark.parametrize("kind", [Count, Replay], ids=["copy", "replay"])


def make(kind: type[Count], **kwargs: Any) -> gym.Env[Any, Any]:
    return gym.make(kind.card.id, max_turns=100, **kwargs)


def played(kind: type[Count], turns: int, target: int = 90) -> gym.Env[Any, Any]:
    env = make(kind)
    env.reset(seed=11, options={"task": {"target": target}, "start": 1})
    for action in PLAY[:turns]:
        env.step(action)
    return env


def future(env: gym.Env[Any, Any], actions: list[str] | None = None) -> list[Any]:
    return [env.step(action) for action in actions or PLAY]


@WORLDS
@pytest.mark.parametrize("turns", range(len(PLAY) + 1))
def test_restore_brings_back_the_same_future(kind: type[Count], turns: int) -> None:
    env = played(kind, turns)
    saved = agentgym.snapshot(env)
    expected = future(env)
    agentgym.restore(env, saved)
    assert agentgym.snapshot(env) == saved
    assert future(env) == expected
    env.reset(seed=3, options={"task": "to-4"})
    agentgym.restore(env, saved)
    assert future(env) == expected


@WORLDS
def test_restore_into_an_environment_that_was_never_reset(kind: type[Count]) -> None:
    env = played(kind, 5)
    other = gym.make(kind.card.id, split="test", disable_env_checker=True)
    plain_env = other.unwrapped
    assert isinstance(plain_env, Count)
    plain_env.restore(env.unwrapped.snapshot())  # type: ignore[attr-defined]
    assert future(plain_env) == future(env.unwrapped)
    assert plain_env.max_turns == 100


@WORLDS
def test_restore_in_another_process(kind: type[Count]) -> None:
    env = played(kind, 5)
    code = (
        "import sys, pickle, gymnasium as gym, agentgym, tests.core.worlds\n"
        f"env = gym.make({kind.card.id!r})\n"
        "agentgym.restore(env, pickle.load(sys.stdin.buffer))\n"
        f"sys.stdout.buffer.write(pickle.dumps([env.step(action) for action in {PLAY!r}]))\n"
    )
    saved = pickle.dumps(agentgym.snapshot(env))
    assert pickle.loads(in_fresh_process(code, data=saved, hash_seed="77")) == future(env)


@WORLDS
def test_restored_ends_stay_ends(kind: type[Count]) -> None:
    env = played(kind, 0, target=2)
    env.step("add 1")
    saved = agentgym.snapshot(env)
    env.reset()
    agentgym.restore(env, saved)
    _, reward, terminated, truncated, info = env.step("add 1")
    assert (reward, terminated, truncated, info["success"], info["progress"]) == (0.0, True, False, True, 1.0)


@WORLDS
def test_a_failure_is_part_of_the_snapshot(kind: type[Count]) -> None:
    env = played(kind, 3)
    env.step("jam")
    saved = agentgym.snapshot(env)
    env.reset()
    agentgym.restore(env, saved)
    assert env.step("add 1")[4]["failure"] == "the wheels are stuck"


def test_a_snapshot_does_not_change_when_play_goes_on() -> None:
    env = played(Count, 4)
    saved = agentgym.snapshot(env)
    before = pickle.dumps(saved)
    future(env)
    agentgym.restore(env, saved)
    future(env)
    assert pickle.dumps(saved) == before


def test_the_task_part_is_rebuilt_exactly_when_task_or_options_differ() -> None:
    env = Count()
    env.reset(options={"task": "to-5", "start": 1})
    saved, task = env.snapshot(), env.task
    begun = env.begun
    env.step("add 1")
    env.restore(saved)
    assert env.begun == begun
    env.tasks = lambda split: FixedPanel(task)  # type: ignore[method-assign, assignment]
    env.reset(options={"start": 3})
    assert env.task is task
    env.restore(saved)
    assert (env.start, env.begun) == (1, begun + 2)


def test_the_task_part_is_rebuilt_after_a_failed_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    env = Count()
    env.reset(options={"task": "to-5"})
    saved, task = env.snapshot(), env.task
    with monkeypatch.context() as patch:
        patch.setattr(env, "tasks", lambda split: FixedPanel(task))
        patch.setattr(env, "_reset", fail)
        assert env.reset()[1]["failure"] == "no power"
    begun = env.begun
    env.restore(saved)
    assert (env.begun, env.step("add 1")[4]["failure"]) == (begun + 1, "")


def fail(task: Any) -> str:
    raise EngineFailure("no power")


class FixedPanel:
    """Hands out one task object again and again, as panels that remember their tasks do."""

    def __init__(self, task: Any):
        self.draw = lambda rng: task


@WORLDS
def test_a_fork_and_its_origin_are_independent(kind: type[Count]) -> None:
    env = played(kind, 4)
    expected = future(agentgym.fork(env))
    twin = agentgym.fork(env)
    env.step("add 3")
    env.step("roll")
    assert future(twin) == expected
    other = agentgym.fork(env)
    here = agentgym.snapshot(env)
    future(other)
    other.reset(seed=5)
    other.unwrapped.np_random.random(7)
    assert agentgym.snapshot(env) == here


@WORLDS
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_copy_is_another_environment_in_the_same_state(kind: type[Count], copied: Any) -> None:
    env = played(kind, 5)
    twin = copied(env)
    assert agentgym.snapshot(twin) == agentgym.snapshot(env)
    expected = future(env)
    assert future(twin) == expected
    fresh = copied(make(kind))
    fresh.reset(seed=11, options={"task": {"target": 90}, "start": 1})
    assert fresh.unwrapped.max_turns == 100


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_a_game_is_copied_too(copied: Any) -> None:
    game = agentgym.make("KuhnPoker-v0")
    game.reset(seed=4)
    game.step(game.unwrapped.admissible_actions(game.agent_selection)[0])
    twin = copied(game)
    assert twin.unwrapped.snapshot() == game.unwrapped.snapshot()
    game.step(game.unwrapped.admissible_actions(game.agent_selection)[0])
    assert twin.unwrapped.snapshot() != game.unwrapped.snapshot()


@WORLDS
def test_a_copied_generator_throws_the_same_dice_and_a_reseeded_one_others(kind: type[Count]) -> None:
    env = played(kind, 2)
    rolls = ["roll", "undo"] * (LOOK_AHEAD // 2)

    def thrown(twin: gym.Env[Any, Any]) -> list[str]:
        return [text for text, *_ in future(twin, rolls)]

    before = agentgym.snapshot(env)
    assert thrown(agentgym.fork(env)) == thrown(agentgym.fork(env))
    assert thrown(agentgym.fork(env, reseed=1)) == thrown(agentgym.fork(env, reseed=1))
    assert len({tuple(thrown(agentgym.fork(env, reseed=seed))) for seed in (None, 1, 2, 3)}) == 4
    assert agentgym.snapshot(env) == before


def test_replay_remembers_what_was_not_refused_and_its_turn() -> None:
    env = played(Replay, 6)
    saved = agentgym.snapshot(env)
    assert saved.state is None
    assert [(turn, actions) for turn, actions, _ in saved.calls or ()] == [
        (turn, {"player_0": action}) for turn, action in enumerate(PLAY[:6], 1) if action != "nonsense"
    ]
    assert played(Count, 6).unwrapped.snapshot().calls is None  # type: ignore[attr-defined]


def test_an_engine_that_fails_in_replay_is_reported() -> None:
    env = played(Replay, 2)
    saved = agentgym.snapshot(env)
    jammed = ((1, {"player_0": "jam"}, saved.rng),)
    for wrong in (saved._replace(calls=jammed), saved._replace(options={"broken": "no power"})):
        with pytest.raises(SnapshotError, match=r"the engine failed while the episode was replayed: (the|no)"):
            agentgym.restore(env, wrong)


def test_a_replaying_world_forks_with_the_arguments_it_was_made_with() -> None:
    env = Replay(split="val", max_turns=4)
    env.reset(seed=0)
    env.step("add 1")
    twin = env.fork()
    assert (twin.split, twin.max_turns, twin.snapshot()) == ("val", 4, env.snapshot())
    twin.step("add 1")
    assert (twin.turn, env.turn) == (2, 1)


def test_worlds_that_cannot_be_copied_say_so() -> None:
    env = Sealed()
    env.reset(seed=0)
    for ask in (env.snapshot, env.fork, lambda: agentgym.snapshot(env), lambda: agentgym.fork(env)):
        with pytest.raises(SnapshotError, match="Sealed-v0 cannot be copied"):
            ask()


def test_snapshots_of_other_worlds_are_refused() -> None:
    env = Count()
    env.reset(seed=0)
    before = env.snapshot()
    with pytest.raises(SnapshotError, match=r"the snapshot is of .*Replay-v0, this is .*Count-v0"):
        env.restore(played(Replay, 1).unwrapped.snapshot())  # type: ignore[attr-defined]
    assert env.snapshot() == before


def test_digests_cover_all_but_the_last_exchange() -> None:
    env = played(Count, 4)
    saved: Snapshot = env.unwrapped.snapshot()  # type: ignore[attr-defined]
    changed: dict[str, Any] = {
        "state": None,
        "options": {},
        "rng": {},
        "turn": 9,
        "max_turns": 1,
        "players": {"player_0": PlayerState(terminated=True)},
        "agents": (),
        "interface": {"rewards": {}},
        "failure": "x",
        "calls": (),
        "rng_at_reset": {},
        "env_id": "x",
        "task": replace(saved.task, id="x"),
        "wrappers": (("w", {}),),
    }
    digests = {saved.digest(), *(saved._replace(**{name: value}).digest() for name, value in changed.items())}
    assert len(digests) == len(changed) + 1
    assert saved._replace(exchange=("x", "y")).digest() == saved.digest()
    assert set(Snapshot._fields) == {*changed, "exchange"}
    assert saved._replace(turn=9).digest(turn=False) == saved.digest(turn=False)


@WORLDS
def test_state_keys_ignore_turn_and_generator_and_nothing_else(kind: type[Count]) -> None:
    env = played(Count, 0).unwrapped
    assert isinstance(env, Count)
    first = env.state_key()
    env.step("nonsense")
    env.np_random.random()
    assert env.state_key() == first
    env.step("add 1")
    second = env.state_key()
    env.step("undo")
    assert env.state_key() == first
    env.step("jam")
    third = env.state_key()
    env.reset(options={"task": {"target": 90}, "start": 2})
    fourth = env.state_key()
    env.reset(options={"task": {"target": 91}, "start": 1})
    assert len({first, second, third, fourth, env.state_key()}) == 5


# Wrappers


class Plain(gym.Wrapper[Any, Any, Any, Any]):
    """Keeps plain data as attributes; needs no methods."""

    def __init__(self, env: gym.Env[Any, Any]):
        super().__init__(env)
        self.heard: list[str] = []
        self.decorate = str.upper

    def step(self, action: str) -> Any:
        text, *rest = self.env.step(action)
        self.heard.append(text)
        return (f"{len(self.heard)} {text}", *rest)


class Telling(gym.Wrapper[Any, Any, Any, Any]):
    """Keeps something that is no plain data and says what matters of it."""

    def __init__(self, env: gym.Env[Any, Any]):
        super().__init__(env)
        self.counter = iter(range(1000))
        self.lock = threading.Lock()

    def step(self, action: str) -> Any:
        text, *rest = self.env.step(action)
        return (f"{next(self.counter)} {text}", *rest)

    def get_state(self) -> dict[str, int]:
        at = next(self.counter)
        self.counter = iter(range(at, 1000))
        return {"at": at}

    def set_state(self, state: dict[str, int]) -> None:
        self.counter = iter(range(state["at"], 1000))


class Silent(gym.Wrapper[Any, Any, Any, Any]):
    """Keeps something that is no plain data and says nothing."""

    def __init__(self, env: gym.Env[Any, Any]):
        super().__init__(env)
        self.lock = threading.Lock()


def wrapped(turns: int) -> gym.Env[Any, Any]:
    env = Plain(Telling(gym.wrappers.TimeLimit(make(Count), 90)))
    env.reset(seed=11, options={"task": {"target": 90}, "start": 1})
    for action in PLAY[:turns]:
        env.step(action)
    return env


def test_wrappers_are_saved_restored_and_forked() -> None:
    env = wrapped(4)
    saved = agentgym.snapshot(env)
    assert [name.rpartition(":")[2] for name, _ in saved.wrappers][:3] == ["Plain", "Telling", "TimeLimit"]
    twin = agentgym.fork(env)
    expected = future(env)
    assert future(twin) == expected
    agentgym.restore(env, saved)
    assert future(env) == expected
    fresh = wrapped(0)
    agentgym.restore(fresh, pickle.loads(pickle.dumps(saved)))
    assert future(fresh) == expected


def test_a_forks_wrappers_are_its_own() -> None:
    env = wrapped(3)
    before = agentgym.snapshot(env)
    twin = agentgym.fork(env)
    future(twin)
    assert agentgym.snapshot(env) == before
    assert twin.unwrapped is not env.unwrapped
    assert isinstance(twin, Plain)
    assert isinstance(twin.env, Telling)


def test_a_wrapper_that_hides_its_state_is_refused_in_one_line() -> None:
    env = Silent(make(Count))
    env.reset(seed=0)
    message = "the wrapper Silent keeps lock in a lock, which is no plain data; give the wrapper get_state"
    for ask in (agentgym.snapshot, agentgym.fork):
        with pytest.raises(SnapshotError, match=message) as caught:
            ask(env)
        assert "\n" not in str(caught.value)


def test_snapshots_are_refused_by_other_wrappers() -> None:
    saved = agentgym.snapshot(wrapped(2))
    env = Plain(make(Count))
    env.reset(seed=0)
    before = agentgym.snapshot(env)
    with pytest.raises(SnapshotError, match="the snapshot was taken inside the wrappers"):
        agentgym.restore(env, saved)
    assert agentgym.snapshot(env) == before


def test_other_environments_are_refused() -> None:
    for ask in (agentgym.snapshot, agentgym.fork):
        with pytest.raises(SnapshotError, match=r"CartPoleEnv is no AgentGym environment"):
            ask(gym.make("CartPole-v1"))


@WORLDS
def test_a_failed_world_is_named_by_its_failure(kind: type[Count]) -> None:
    """What the engine left behind is no state: a snapshot that is played again does not have it."""
    env, twin = played(kind, 1).unwrapped, played(kind, 0).unwrapped
    assert isinstance(env, Count)
    assert isinstance(twin, Count)
    env.step("jam")
    saved = env.snapshot()
    twin.restore(saved)
    assert twin.state_key() == env.state_key()
    assert twin.snapshot().digest() == saved.digest()
    env.restore(saved)
    assert env.state_key() == twin.state_key()
