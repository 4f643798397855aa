"""Panels: stable ids, disjoint splits, checksums."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.core import FiniteTaskSet, GeneratedTasks, Task, TaskError, UnknownName, cut_by_hash
from agentgym.core.tasks import CHAIN, ENDLESS


def finite(ids: Sequence[str] = ("a", "b", "c"), split: str = "val") -> FiniteTaskSet:
    return FiniteTaskSet(split, ids, lambda task_id: Task(task_id, split, f"Do {task_id}.", {"what": task_id}))


def seeded(
    seeds: dict[str, list[int]], content: Callable[[int], int] = lambda seed: seed, made: list[int] | None = None
) -> GeneratedTasks:
    """Tasks whose whole content is a number computed from the seed."""

    def generate(seed: int) -> dict[str, Any]:
        if made is not None:
            made.append(seed)
        return {"number": content(seed)}

    return GeneratedTasks(generate, lambda spec: f"Say {spec['number']}.", lambda spec: str(spec["number"]), seeds)


# Finite panels


def test_a_finite_panel_is_a_sequence() -> None:
    panel = finite()
    assert (panel.size, len(panel)) == (3, 3)
    assert [task.id for task in panel] == ["a", "b", "c"]
    assert panel[0] == panel.by_id("a") == panel[-3] == Task("a", "val", "Do a.", {"what": "a"})


@pytest.mark.parametrize("index", [3, -4, 10**20])
def test_an_index_outside_is_refused(index: int) -> None:
    with pytest.raises(TaskError, match=f"split 'val' has 3 tasks, so there is no task {index}; use 0 to 2"):
        finite()[index]


def test_an_unknown_id_is_refused_with_examples() -> None:
    with pytest.raises(TaskError, match="split 'val' has no task 'd'; its 3 ids begin with 'a', 'b', 'c'"):
        finite().by_id("d")


def test_draws_are_even_and_from_the_handed_generator() -> None:
    drawn = [finite().draw(np.random.default_rng(seed)).id for seed in range(300)]
    assert drawn == [finite().draw(np.random.default_rng(seed)).id for seed in range(300)]
    assert min(drawn.count(name) for name in "abc") > 70


def test_an_empty_panel_says_what_to_run() -> None:
    with pytest.raises(TaskError, match="empty; run `agentgym golden --update`"):
        finite(()).draw(np.random.default_rng(0))


def test_the_checksum_covers_id_instruction_specification_and_order() -> None:
    expected = hashlib.sha256()
    for name in "abc":
        expected.update(json.dumps([name, f"Do {name}.", {"what": name}]).encode())
    assert finite().checksum == expected.hexdigest()
    sums = {finite(ids).checksum for ids in (("a", "b", "c"), ("b", "a", "c"), ("a", "b"))}
    other = FiniteTaskSet("val", ("a", "b", "c"), lambda task_id: Task(task_id, "val", "Do it.", {"what": task_id}))
    assert len({*sums, other.checksum}) == 4


def test_the_checksum_does_not_depend_on_the_order_of_keys() -> None:
    straight = FiniteTaskSet("val", ("a",), lambda _: Task("a", "val", "", {"x": 1, "y": 2}))
    swapped = FiniteTaskSet("val", ("a",), lambda _: Task("a", "val", "", {"y": 2, "x": 1}))
    assert straight.checksum == swapped.checksum


# Endless panels


def test_an_endless_panel_has_no_end() -> None:
    panel = seeded({"val": [], "test": []}).panel("train")
    assert panel.size is None
    for ask in (lambda: len(panel), lambda: iter(panel), lambda: panel.checksum):
        with pytest.raises(TypeError, match="endless"):
            ask()
    assert panel[ENDLESS - 1].id == str(ENDLESS - 1)
    for index in (-1, ENDLESS):
        with pytest.raises(TaskError, match=f"indexed from 0 to {ENDLESS - 1}, got {index}"):
            panel[index]


def test_an_id_gives_back_its_task() -> None:
    panel = seeded({"val": [3]}).panel("train")
    for task in (panel[7], panel[ENDLESS - 1], panel[3], panel.draw(np.random.default_rng(0))):
        assert panel.by_id(task.id) == task


@pytest.mark.parametrize(
    "task_id", ["", "-1", "1.0", " 1", "01", "٣", "²", "1e3", "x", "9" * 5000, str(CHAIN * ENDLESS)]
)
def test_what_is_no_seed_is_refused(task_id: str) -> None:
    with pytest.raises(TaskError, match=r"the ids of an endless split are generator seeds, whole numbers below \d+"):
        seeded({}).panel("train").by_id(task_id)


def test_train_never_gives_what_is_held_out() -> None:
    tasks = seeded({"val": [0, 1], "test": [2]}, content=lambda seed: seed % 10)
    train = tasks.panel("train")
    held_out = {task.spec["number"] for split in ("val", "test") for task in tasks.panel(split)}
    assert held_out == {0, 1, 2}
    rng = np.random.default_rng(0)
    drawn = [train[index] for index in range(30)] + [train.draw(rng) for _ in range(100)]
    assert not {task.spec["number"] for task in drawn} & held_out
    for task_id in ("2", "12", "1000"):
        with pytest.raises(TaskError, match=f"task '{task_id}' is held out for evaluation"):
            train.by_id(task_id)


def test_a_generator_without_other_content_is_reported() -> None:
    with pytest.raises(TaskError, match="nearly every task of 'train' is held out"):
        seeded({"test": [0]}, content=lambda seed: 0).panel("train")[5]


# Seeded panels


def test_finite_splits_list_their_seeds_without_repeated_content() -> None:
    tasks = seeded({"val": [1, 11, 2, 4], "test": [4, 5, 15]}, content=lambda seed: seed % 10)
    assert [task.id for task in tasks.panel("test")] == ["4", "5"]
    assert [task.id for task in tasks.panel("val")] == ["1", "2"]
    assert tasks.panel("val")[0] == Task("1", "val", "Say 1.", {"number": 1})
    assert tasks.panel("val") is tasks.panel("val")


def test_an_unknown_split_is_refused() -> None:
    with pytest.raises(UnknownName, match="unknown split 'tset'; did you mean 'test'"):
        seeded({"test": [1]}).panel("tset")


def test_held_out_content_is_computed_once_and_only_when_needed() -> None:
    made: list[int] = []
    tasks = seeded({"val": [1, 2]}, made=made)
    train = tasks.panel("train")
    assert made == []
    train[5], train[6]
    assert made == [5, 1, 2, 6]


def test_find_gives_disjoint_new_content() -> None:
    tasks = seeded({}, content=lambda seed: seed // 2)
    assert tasks.find({"val": 2, "test": 3}) == {"val": [0, 2], "test": [4, 6, 8]}


def test_find_reports_a_generator_with_too_few_tasks() -> None:
    with pytest.raises(TaskError, match="too few distinct tasks for 3 in split 'test'"):
        seeded({}, content=lambda seed: seed % 4).find({"val": 2, "test": 3})


# Cuts


@given(st.lists(st.text(), unique=True, max_size=60), st.randoms())
def test_cut_by_hash_parts_everything_whatever_the_order(ids: list[str], random: Any) -> None:
    shares = {"train": 0.8, "val": 0.1, "test": 0.1}
    cut = cut_by_hash(ids, shares)
    random.shuffle(ids)
    assert cut_by_hash(ids, shares) == cut
    assert sorted(name for part in cut.values() for name in part) == sorted(ids)
    for split, share in shares.items():
        assert abs(len(cut[split]) - share * len(ids)) <= 1


def test_cut_by_hash_stays_what_it_was() -> None:
    cut = cut_by_hash([str(number) for number in range(20)], {"train": 0.8, "val": 0.1, "test": 0.1})
    assert (cut["val"], cut["test"]) == (["2", "15"], ["6", "5"])
