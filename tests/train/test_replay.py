"""What is remembered, where it comes back, and that a checkpoint holds all of it."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from agentgym.core import ConfigError
from agentgym.rollout import Episode
from agentgym.rollout.episode import Parent
from agentgym.train.advantages import GroupRelative
from agentgym.train.replay import Archive, SuccessReplay, pack_episode, unpack_episode
from tests.train.making import episode, values


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def group(task: str, number: int, *rewards: float) -> list[Episode]:
    return [replace(episode([reward], number), task_id=task) for reward in rewards]


def test_a_stored_success_takes_the_place_of_one_failure() -> None:
    replay = SuccessReplay()
    first = group("a", 0, 0.0, 1.0) + group("b", 1, 0.0, 0.0)
    assert replay.mix(first, rng()) == first  # nothing was stored before
    second = group("b", 0, 0.0, 0.0) + group("a", 5, 0.0, 0.0, 0.0)
    mixed = replay.mix(second, rng())
    assert mixed[:2] == second[:2]  # task b was never solved
    assert [made.success for made in mixed[2:]].count(True) == 1
    (swapped,) = [made for made in mixed if made.success]
    assert swapped.group == 5
    assert swapped.segments is first[1].segments
    assert not any(values(GroupRelative()(second), second))  # dead without replay
    assert all(values(GroupRelative()(mixed), mixed)[2:])


def test_a_group_that_can_help_itself_is_left_alone() -> None:
    replay = SuccessReplay()
    replay.mix(group("a", 0, 1.0), rng())
    again = group("a", 0, 0.0, 1.0)
    assert replay.mix(again, rng()) == again


@pytest.mark.parametrize("whose", [{"world": "Sokoban-v0"}, {"player": "player_1"}, {"role": "planner"}])
def test_nobody_is_handed_the_success_of_another(whose: dict[str, str]) -> None:
    replay = SuccessReplay()
    replay.mix([replace(group("a", 0, 1.0)[0], **whose)], rng())
    lost = group("a", 5, 0.0, 0.0)
    for memory in (replay, SuccessReplay()):
        memory.load(json.loads(json.dumps(replay.state())))
        assert memory.mix(lost, rng()) == lost
    both = [replace(each, **whose) for each in group("a", 6, 0.0, 0.0)] + group("a", 7, 1.0)
    mixed = replay.mix(both, rng())
    (swapped,) = [made for made in mixed[:2] if made.success]
    assert {name: getattr(swapped, name) for name in whose} == whose
    assert swapped.group == 6
    assert mixed[2] == both[2]
    assert len(replay.state()) == 2  # of the same task, one of each


def test_the_oldest_task_is_forgotten_and_the_newest_success_kept() -> None:
    replay = SuccessReplay(size=2)
    for task in ("a", "b", "a", "c"):
        replay.mix(group(task, 0, 1.0), rng())
    assert [record["task_id"] for record in replay.state()] == ["a", "c"]


def test_memory_survives_as_json() -> None:
    replay = SuccessReplay()
    stored = group("a", 0, 1.0)
    stored[0].turns[0].annotations["progress"] = 0.5
    replay.mix(stored, rng())
    twin = SuccessReplay()
    twin.load(json.loads(json.dumps(replay.state())))
    failed = group("a", 3, 0.0, 0.0)
    mixed = [[pack_episode(made) for made in each.mix(failed, rng(1))] for each in (twin, replay)]
    assert mixed[0] == mixed[1]
    assert twin.state() == replay.state()


def test_an_episode_is_packed_whole_but_for_notes() -> None:
    made = episode(
        [0.5, 1.0], annotations={"gain": [1.0, 2.0]}, parent=Parent(3, 1, "branch"), role="planner", bonus=-0.5
    )
    made.turns[0] = replace(made.turns[0], marks={"thought": (0, 2)}, messages=({"role": "user", "content": "x"},))
    made.segments[0].annotations["value"] = [0.0] * len(made.segments[0])
    back = unpack_episode(json.loads(json.dumps(pack_episode(made))))
    for part in (*made.turns, *made.segments):
        part.annotations.clear()
    assert back == made


def test_the_archive_grows_and_forgets() -> None:
    archive = Archive(size=3)
    first, second = group("a", 0, 1.0, 1.0), group("b", 0, 1.0, 1.0)
    assert archive.mix(first, rng()) == first
    assert archive.mix(second, rng()) == [first[1], *second]
    twin = Archive(size=3)
    twin.load(json.loads(json.dumps(archive.state())))
    assert twin.mix([], rng()) == archive.mix([], rng())


@pytest.mark.parametrize("kind", [SuccessReplay, Archive])
def test_a_size_is_needed(kind: type) -> None:
    with pytest.raises(ConfigError, match="size"):
        kind(size=0)
