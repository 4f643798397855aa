"""Environments in other processes play as they do here, and what goes wrong there ends one episode and no more."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentgym.core import AgentGymError, ConfigError
from agentgym.rollout import Branching, EnvPool, EpisodeSpec, Workers, collect
from tests.rollout.players import Scripted, echo
from tests.rollout.troubles import Held, Nonsense, Rusty, Trouble, Unsaved
from tests.rollout.worlds import ID, WORDS


def starts(count: int) -> list[EpisodeSpec]:
    return [EpisodeSpec(place, place, place, (1, place)) for place in range(count)]


def bad(kind: str, *places: int) -> functools.partial[Trouble]:
    return functools.partial(Trouble, kind=kind, places=places)


@pytest.fixture
def made() -> Iterator[list[EnvPool]]:
    worlds: list[EnvPool] = []
    yield worlds
    for world in worlds:
        world.close()


def test_other_processes_play_the_same(made: list[EnvPool]) -> None:
    world = EnvPool("FrozenLake-v0", workers=Workers(processes=2))
    made.append(world)
    begins = [EpisodeSpec(task, task, 0 if task < 0 else task // 2, (3, task)) for task in (5, 5, 9, 9, 11)]
    begins = [EpisodeSpec(start.task, start.task, start.task, (3, place)) for place, start in enumerate(begins)]

    def wander(prompt: str, rng: object) -> str:
        return ("left", "down", "right", "up")[int(rng.integers(4))]  # type: ignore[attr-defined]

    here = collect(EnvPool("FrozenLake-v0"), Scripted(wander, 10**6), begins, keys=True, digests=True, references=True)
    there = collect(world, Scripted(wander, 10**6), begins, keys=True, digests=True, references=True)
    assert here == there
    assert all(turn.state_key and turn.digest for episode in here for turn in episode.turns)
    assert world.respawns == 0
    assert world.seconds > 0


@pytest.mark.parametrize(
    ("kind", "options", "reason"),
    [
        ("hang", {"timeout": 1.0}, "did not answer within 1 seconds"),
        ("crash", {}, "ended with exit status 3"),
        ("hog", {"memory": 400.0}, "MiB, the limit is 400 MiB"),
    ],
)
def test_what_breaks_its_process_fails_alone(
    made: list[EnvPool], kind: str, options: dict[str, float], reason: str
) -> None:
    world = EnvPool(ID, wrappers=[bad(kind, 3)], workers=Workers(processes=2, **options))
    made.append(world)
    episodes = collect(world, Scripted(echo), starts(8))
    assert [episode.number for episode in episodes if episode.failed] == [3]
    assert reason in episodes[3].failure
    assert [turn.stop for turn in episodes[3].turns] == ["", "failure"]
    assert all(episode.success for episode in episodes if episode.number != 3)  # place 1, 5 and 7 were brought back
    assert world.respawns == (2 if kind == "hog" else 1)
    assert all(episode.success for episode in collect(world, Scripted(echo), starts(3)))


def test_what_was_answered_before_a_process_broke_is_played_again_too(made: list[EnvPool]) -> None:
    world = EnvPool(ID, wrappers=[bad("crash", 30)], workers=Workers(processes=1))
    made.append(world)
    begins = [EpisodeSpec(task, task, place, (1, place)) for place, task in enumerate((27, 28, 29, 30, 31))]
    there = collect(world, Scripted(echo), begins)
    here = collect(EnvPool(ID), Scripted(echo), begins)
    assert [episode.failed for episode in there] == [False, False, False, True, False]
    assert [there[place].turns for place in (0, 1, 2, 4)] == [here[place].turns for place in (0, 1, 2, 4)]


def test_a_process_that_does_not_start_again_fails_its_own_episodes(made: list[EnvPool], tmp_path: Path) -> None:
    rusty = Rusty(tmp_path / "starts", (1,), "crash", (1,))
    world = EnvPool(ID, wrappers=[rusty], workers=Workers(processes=1), contain=True)
    made.append(world)
    episodes = collect(world, Scripted(echo), starts(4))
    assert [episode.number for episode in episodes if not episode.failed] == [2, 3]
    assert "did not start: its process ended with exit status 5" in episodes[0].failure
    assert "ended with exit status 3" in episodes[1].failure
    assert len((tmp_path / "starts").read_text()) == 3


def test_processes_that_never_start_again_end_the_run_soon(made: list[EnvPool], tmp_path: Path) -> None:
    rusty = Rusty(tmp_path / "starts", tuple(range(1, 99)), "crash", (1,))
    world = EnvPool(ID, wrappers=[rusty], workers=Workers(processes=1), contain=True)
    made.append(world)
    with pytest.raises(AgentGymError, match="did not start: its process ended with exit status 5"):
        collect(world, Scripted(echo), starts(16))
    assert len((tmp_path / "starts").read_text()) == 1 + 4


def test_an_answer_that_cannot_be_sent_is_contained(made: list[EnvPool]) -> None:
    wrong = functools.partial(Nonsense, kind="unknown class", places=(1,))
    world = EnvPool(ID, wrappers=[wrong], workers=Workers(processes=1), contain=True)
    made.append(world)
    episodes = collect(world, Scripted(echo), starts(3))
    assert [episode.success for episode in episodes] == [True, False, True]
    assert "it raised" in episodes[1].failure
    assert "pickle" in episodes[1].failure


def test_a_process_that_leaks_is_replaced_between_episodes(made: list[EnvPool]) -> None:
    world = EnvPool(ID, wrappers=[bad("leak", *range(64))], workers=Workers(processes=1, memory=400.0))
    made.append(world)
    for _ in range(4):
        assert all(episode.success for episode in collect(world, Scripted(echo), starts(2)))
    assert world.respawns >= 1


def test_a_bug_of_an_environment_is_raised_here(made: list[EnvPool]) -> None:
    world = EnvPool(ID, wrappers=[bad("bug", 2)], workers=Workers(processes=2))
    made.append(world)
    with pytest.raises(ZeroDivisionError, match="a bug in the world"):
        collect(world, Scripted(echo), starts(4))
    assert all(episode.success for episode in collect(world, Scripted(echo), starts(2)))


def test_episodes_branch_across_processes(made: list[EnvPool]) -> None:
    world = EnvPool(ID, workers=Workers(processes=2))
    made.append(world)
    begins = [EpisodeSpec(7, 1, 0, (2, member)) for member in range(4)]

    def guess(prompt: str, rng: object) -> str:
        return WORDS[int(rng.integers(4))]  # type: ignore[attr-defined]

    plan = Branching(turns=(1,))
    here = collect(EnvPool(ID), Scripted(guess), begins, strategy=plan, digests=True)
    assert collect(world, Scripted(guess), begins, strategy=plan, digests=True) == here


@pytest.mark.parametrize(
    ("workers", "kind", "contain", "reason"),
    [
        (Workers(processes=1), "crash", False, "ended with exit status 3"),
        (Workers(processes=1), "crash", True, "ended with exit status 3"),
        (Workers(processes=1), "bug", True, "ZeroDivisionError: no state"),
        (None, "bug", True, "ZeroDivisionError: no state"),
    ],
)
def test_who_breaks_when_it_is_copied_fails_with_its_copies_alone(
    made: list[EnvPool], workers: Workers | None, kind: str, contain: bool, reason: str
) -> None:
    world = EnvPool(ID, wrappers=[functools.partial(Unsaved, kind=kind, places=(7,))], workers=workers, contain=contain)
    made.append(world)
    begins = [EpisodeSpec(task, 1, task, (2, task, member)) for task in (7, 8) for member in range(4)]
    episodes = collect(world, Scripted(echo), begins, strategy=Branching(turns=(1,)))
    assert [episode.failed for episode in episodes] == [True] * 4 + [False] * 4
    assert {episode.failure_kind for episode in episodes[:4]} == {"environment"}
    assert all(reason in episode.failure for episode in episodes[:4])
    assert all(episode.success for episode in episodes[4:])
    assert {episode.parent is not None for episode in episodes[4:]} == {True, False}
    again = collect(world, Scripted(echo), begins[4:], strategy=Branching(turns=(1,)))
    assert [episode.turns for episode in again] == [episode.turns for episode in episodes[4:]]


@pytest.mark.parametrize("options", [{"processes": 0}, {"timeout": 0.0}, {"timeout": float("nan")}, {"memory": -1.0}])
def test_options_out_of_range_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(options))):
        Workers(**options)  # type: ignore[arg-type]


def test_who_is_not_listened_to_is_not_late(made: list[EnvPool], tmp_path: Path) -> None:
    """What is told without waiting is answered while the caller does something else, however long that takes."""
    held = functools.partial(Held, file=tmp_path / "open", places=(1,))
    world = EnvPool(ID, wrappers=[held], workers=Workers(processes=2, timeout=1.0, episode_timeout=1.5))
    made.append(world)
    begins = starts(2)
    for place, spec in enumerate(begins):
        world.send(place, spec)
    begun: list[Any] = []
    while len(begun) < 2:
        begun += world.heard(0.1)
    assert sorted(place for place, _ in begun) == [0, 1]
    for place in (0, 1):
        world.send(place, {"player_0": "red"})
    first: list[Any] = []
    while len(first) < 2:
        first += world.heard(0.1)
    for place in (0, 1):
        world.send(place, {"player_0": "red"})
    while not (ready := world.heard(0.1)):
        pass
    assert [place for place, _ in ready] == [0], "place 1 does not hold it up"
    time.sleep(2.0)  # more than the limits
    (tmp_path / "open").touch()
    ((place, step),) = world.heard(0.9)
    assert place == 1
    assert not step.results["player_0"].info["failure"]
    assert world.respawns == 0
