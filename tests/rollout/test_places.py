"""An environment whose words cannot be used fails its episode and no other, in this process as in others."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest

from agentgym.core import AgentGymError, EndlessTaskSet, Task
from agentgym.rollout import EnvPool, EpisodeSpec, Workers, collect
from tests.rollout.players import Scripted, echo
from tests.rollout.troubles import Nonsense
from tests.rollout.worlds import ID
from tests.vector.attacks import NAME, RAISES, Besieged, attack, registered


@pytest.fixture(autouse=True)
def worlds() -> Iterator[None]:
    with registered():
        yield


@pytest.fixture(params=[0, 1])
def workers(request: pytest.FixtureRequest) -> Workers | None:
    return Workers(processes=1) if request.param else None


@pytest.mark.parametrize(
    ("kind", "reason"),
    [("reward", "it raised TypeError"), ("progress", "it raised TypeError"), ("deep", "it raised RecursionError")],
)
def test_an_answer_that_cannot_be_looked_at_fails_alone(workers: Workers | None, kind: str, reason: str) -> None:
    assert reason in failure_beside_successes(kind, workers)


def failure_beside_successes(kind: str, workers: Workers | None = None) -> str:
    """Why the second of three episodes failed, whose answers are of a kind; the others are successes."""
    wrong = functools.partial(Nonsense, kind=kind, places=(1,))
    world = EnvPool(ID, wrappers=[wrong], workers=workers, contain=True)
    try:
        episodes = collect(world, Scripted(echo), [EpisodeSpec(place, place, place, (1, place)) for place in range(3)])
    finally:
        world.close()
    assert [episode.success for episode in episodes] == [True, False, True]
    return str(episodes[1].failure)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("huge reward", "rewards must be finite, and at most 1e+100"),
        ("metric", "says seen is nan; it must be finite"),
        ("nested", "nests more than 100 levels deep"),
    ],
)
def test_an_answer_that_cannot_be_added_up_or_recorded_fails_alone(kind: str, reason: str) -> None:
    assert reason in failure_beside_successes(kind)


def test_a_task_that_cannot_be_made_has_an_id_and_a_failed_episode(workers: Workers | None) -> None:
    world = EnvPool(NAME, workers=workers, contain=True, kinds="raise|fine", where="task")
    try:
        ids = world.task_ids()
        assert ids == ["raise", "fine"]
        steps = world.begin([EpisodeSpec(name, 0, place, (1, place)) for place, name in enumerate(ids)])
    finally:
        world.close()
    bad, good = (step.results["player_0"].info["failure"] for step in steps)
    assert (RAISES["raise"] in bad, good) == (True, "")


def test_a_task_of_an_endless_split_that_cannot_be_made_has_an_id_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def tasks(world: Besieged, split: str) -> EndlessTaskSet:
        return EndlessTaskSet(split, lambda seed: Task(str(seed), split, "Go.", {"part": 6 // (seed - 2)}))

    monkeypatch.setattr(Besieged, "tasks", tasks)
    world = EnvPool(NAME, contain=True)
    ids = world.task_ids(4)
    assert ids == ["0", "1", "2", "3"]
    steps = world.begin([EpisodeSpec(name, 0, place, (1, place)) for place, name in enumerate(ids)])
    assert [bool(step.results["player_0"].info["failure"]) for step in steps] == [False, False, True, False]
    with pytest.raises(ZeroDivisionError):
        EnvPool(NAME).task_ids(4)


def test_a_panel_that_raises_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    world = EnvPool(NAME, contain=True)
    monkeypatch.setattr(Besieged, "tasks", lambda world, split: attack("raise", ""))
    with pytest.raises(
        AgentGymError, match=r"Besieged-v0 cannot be played: asked for its split 'train', it raised Zero"
    ):
        world.task_ids()


def test_a_world_that_cannot_be_made_is_one_clear_error(workers: Workers | None) -> None:
    wrong = functools.partial(Nonsense, kind="construction", places=())
    with pytest.raises(AgentGymError, match=r"^AgentGymTests/Echo-v0 cannot be played: it raised ZeroDivisionError: 1"):
        EnvPool(ID, wrappers=[wrong], workers=workers, contain=True)
