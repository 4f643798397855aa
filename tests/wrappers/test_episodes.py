"""Wrappers that shape whole episodes: horizon, hints, trials, memory, logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import agentgym
from agentgym import wrappers
from agentgym.core import ConfigError
from tests.core.worlds import Count


def test_a_horizon_truncates_and_can_be_lengthened() -> None:
    env = wrappers.Horizon(agentgym.make("TextCraft-v1"), turns=2)

    def length() -> int:
        text, _ = env.reset(seed=0)
        assert text.endswith(f"You have {env.turns} turns.")
        for turn in range(1, 100):
            _, _, terminated, truncated, _ = env.step("inventory")
            if truncated:
                assert not terminated
                return turn
        return 0

    assert length() == 2
    env.set_wrapper_attr("turns", 5)
    assert length() == 5
    own = wrappers.Horizon(agentgym.make("TextCraft-v1", max_turns=3), turns=50)
    assert own.reset(seed=0)[0].endswith("You have 3 turns.")


def test_a_horizon_around_trials_holds_for_each() -> None:
    env = wrappers.Horizon(wrappers.Trials(agentgym.make("TextCraft-v1"), trials=2, reflect=False), turns=2)
    env.reset(seed=0)
    assert [env.step("inventory")[4]["trial"] for _ in range(3)] == [1, 2, 2]
    assert env.step("inventory")[3]


def test_hints_name_what_the_player_would_do() -> None:
    env = wrappers.Hints(agentgym.make("FrozenLake-v0", slippery=False), fraction=0.5)
    _, info = env.reset(seed=0)
    given = [info["hint"]]
    while not env.ended:
        expected = env.expert_action()
        assert given[-1] in ("", f"Hint: {expected}")
        given.append(env.step(expected)[4]["hint"])
    shown = [bool(hint) for hint in given[:-1]]
    assert shown == [turn % 2 == 1 for turn in range(len(shown))]
    assert given[-1] == ""


def test_a_plan_solves_a_deterministic_world() -> None:
    env = wrappers.Hints(agentgym.make("TextCraft-v1"), kind="plan", by="oracle")
    for seed in range(5):
        _, info = env.reset(seed=seed)
        plan = info["hint"].removeprefix("Hint: it can be done like this: ").split("; ")
        for action in plan:
            info = env.step(action)[4]
        assert info["success"]
    _, info = env.reset(seed=0, options={"hint_fraction": 0.3})
    assert info["hint_fraction"] == 0.3
    assert info["hint"].endswith("; ...")
    assert env.reset(seed=0, options={"hint_fraction": 0})[1]["hint"] == ""
    with pytest.raises(ConfigError, match="from 0 to 1"):
        env.reset(options={"hint_fraction": 3})


@pytest.mark.parametrize("form", ["", "JsonCalls", "NativeCalls", "ReAct"])
def test_a_plan_over_a_numbered_list_is_in_the_words_of_the_list(form: str) -> None:
    listed = wrappers.ChoiceByNumber(agentgym.make("FrozenLake-v0", slippery=False))
    spoken: Any = getattr(wrappers, form)(listed) if form else listed
    env = wrappers.Hints(spoken, kind="plan", by="oracle")
    text, info = env.reset(seed=0)
    numbers = []
    for words in info["hint"].removeprefix("Hint: it can be done like this: ").split("; "):
        numbers.append(next(line.partition(".")[0] for line in text.splitlines() if line.endswith(f". {words}")))
        text, *_, info = env.step(spoken.format_reply([numbers[-1]]) if form else numbers[-1])
        assert info["action"] == words
    assert info["success"]
    first = spoken.call(numbers[0])
    assert wrappers.Hints(spoken, by="oracle").reset(seed=0)[1]["hint"] == f"Hint: {first}"


def test_hints_fade_and_begin_anew_with_a_seed() -> None:
    env = wrappers.Hints(agentgym.make("FrozenLake-v0"), fade=4, fraction=0.8)
    shares = [env.reset(seed=0)[1]["hint_fraction"], *(env.reset()[1]["hint_fraction"] for _ in range(5))]
    assert shares == pytest.approx([0.8, 0.6, 0.4, 0.2, 0.0, 0.0])
    assert env.reset(seed=0)[1]["hint_fraction"] == 0.8
    env.set_wrapper_attr("fraction", 0.1)
    assert env.reset(seed=0)[1]["hint_fraction"] == 0.1


def test_hints_do_not_touch_the_dice_and_not_the_test_tasks() -> None:
    plain, helped = agentgym.make("FrozenLake-v0"), wrappers.Hints(agentgym.make("FrozenLake-v0"), kind="plan")
    plain.reset(seed=5)
    helped.reset(seed=5)
    while not helped.ended:
        action = helped.expert_action()
        assert plain.step(action)[:4] == helped.step(action)[:4]
    with pytest.raises(ConfigError, match="no hints on test tasks"):
        wrappers.Hints(agentgym.make("FrozenLake-v0", split="test"), by="oracle")


def test_trials_repeat_the_task_and_end_with_success() -> None:
    env = wrappers.Trials(agentgym.make("TextCraft-v1", max_turns=8), trials=3)
    _, info = env.reset(seed=2)
    task = info["task_id"]
    for _ in range(8):
        text, _, terminated, truncated, info = env.step("inventory")
    assert (terminated, truncated, info["reflecting"], info["trial"]) == (False, False, True, 1)
    assert text.endswith("what will you do differently?")
    assert env.admissible_actions() is None
    text, reward, _, _, info = env.step("  I did\nnothing.  ")
    assert (info["reflections"], info["trial"], info["task_id"], reward) == (["I did nothing."], 2, task, 0.0)
    assert text.startswith("Attempt 2 of 3.\nAfter attempt 1 you said: I did nothing.\n\n")
    while not env.ended:
        _, reward, terminated, _, info = env.step(env.expert_action())
    assert terminated
    assert info["success"]
    assert info["trial_returns"] == [0.0, 1.0]


def test_an_empty_reflection_is_refused_and_goes_on() -> None:
    env = wrappers.Trials(agentgym.make("TextCraft-v1", max_turns=1), trials=2)
    env.reset(seed=0)
    env.step("inventory")
    text, _, _, _, info = env.step(" \n")
    assert not info["action_valid"]
    assert text.startswith("The reflection is empty.\nAttempt 2 of 2.\n\n")
    assert env.step("inventory")[3]


def test_trials_of_a_task_that_the_caller_specified() -> None:
    env = wrappers.Trials(agentgym.make("FrozenLake-v0", slippery=False, max_turns=2), trials=2, reflect=False)
    index = {"task": 3}
    _, info = env.reset(seed=0, options=index)
    name = info["task_id"]
    for _ in range(2):
        info = env.step("nonsense")[4]
    assert (info["trial"], info["task_id"]) == (2, name)


def test_trials_of_a_specification() -> None:
    env = wrappers.Trials(Count(max_turns=1), trials=2, reflect=False)
    _, info = env.reset(seed=0, options={"task": {"target": 9}, "start": 2})
    name = info["task_id"]
    text, *_, info = env.step("roll")
    assert (info["trial"], info["task_id"]) == (2, name)
    assert "The total is 2." in text.partition("Attempt 2")[2]


def test_memory_commands() -> None:
    env = wrappers.MemoryTools(agentgym.make("TextCraft-v1"), capacity=2)
    env.reset(seed=0)
    key = env.unwrapped.state_key()  # type: ignore[attr-defined]
    said = [
        ("memory add logs make planks", "Note 1 is written.", True),
        ("MEMORY ADD stone is here", "Note 2 is written.", True),
        ("memory add one more", "The memory is full with 2 notes", False),
        ("memory update 2 stone is far", "Note 2 is written anew.", True),
        ("memory update 3 x", "There is no note 3", False),
        ("memory search plank", "1. logs make planks", True),
        ("memory search zebra", "No note resembles that.", True),
        ("memory keep", "The notes stay as they are.", True),
        ("memory delete 1", "Note 1 is struck out", True),
        ("memory delete one", "There is no note one", False),
        ("memory add " + "x" * 501, "A note has at most 500 characters", False),
        ("memory forget", "is not an action here", False),
    ]
    for turn, (action, answer, valid) in enumerate(said, 1):
        text, reward, _, _, info = env.step(action)
        assert answer in text, action
        assert (info["action_valid"], info["error"] == "", reward) == (valid, valid, 0.0)
        assert env.unwrapped.turn == turn  # type: ignore[attr-defined]
    assert info["memory"] == ["stone is far"]
    assert env.unwrapped.state_key() == key  # type: ignore[attr-defined]
    assert env.state_key() != key


@pytest.mark.parametrize(
    ("name", "options", "price"),
    [("Sudoku-v0", {}, 0.0), ("Maze-v0", {"reward": "moves"}, 0.0), ("Sokoban-v0", {}, -0.1),
     ("SokobanHidden-v0", {}, -0.1), ("Blackjack-v0", {}, 0.0), ("Blackjack-v0", {"max_turns": 1}, -1.0)],
)  # fmt: skip
def test_a_turn_for_the_memory_costs_what_every_turn_costs(name: str, options: dict[str, Any], price: float) -> None:
    env = wrappers.MemoryTools(agentgym.make(name, **options))
    env.reset(seed=0)
    done = env.step("memory add left is a wall")
    assert (done[1], done[4]["action_valid"], done[4]["error"]) == (price, True, "")
    bare = agentgym.make(name, **options)
    bare.reset(seed=0)
    env.reset(seed=0)
    assert env.step("memory delete 7")[1] == bare.step("")[1]  # there is no such note, so that is refused


def test_a_turn_for_the_memory_is_not_fined_as_refused() -> None:
    env = wrappers.MemoryTools(wrappers.FormatReward(agentgym.make("Sudoku-v0"), refused=-0.5))
    env.reset(seed=0)
    assert env.step("memory keep")[1] == 0.0
    assert env.step("memory delete 1")[1] == pytest.approx(-0.6)


def test_memory_lasts_until_a_seeded_reset() -> None:
    env = wrappers.MemoryTools(agentgym.make("TextCraft-v1"), lasting=True)
    env.reset(seed=0)
    env.step("memory add logs make planks")
    text, info = env.reset()
    assert text.endswith("Your notes:\n1. logs make planks")
    assert info["memory"] == ["logs make planks"]
    assert env.reset(seed=0)[1]["memory"] == []
    short = wrappers.MemoryTools(agentgym.make("TextCraft-v1"))
    short.reset(seed=0)
    short.step("memory add x")
    assert short.reset()[1]["memory"] == []


def test_memory_turns_are_not_charged_as_refusals() -> None:
    lake = wrappers.Retries(wrappers.FormatReward(agentgym.make("FrozenLake-v0")), tries=1)
    env = wrappers.ReAct(wrappers.MemoryTools(lake))
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step("Action: memory add x")
    assert (reward, terminated, info["action_valid"], info["tries_left"]) == (0.0, False, True, 1)


def test_the_log_counts_and_writes(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    env = wrappers.EventLog(agentgym.make("TextCraft-v1"), path=str(path))
    env.reset(seed=0)
    for action in ("get 1 stone", "fly", "get 2 stone"):
        info = env.step(action)[4]
    assert info["event_counts"] == {"get": 2, "craft": 0, "refused": 1}
    env.reset(seed=1)
    env.step("get 1 stone")
    env.close()
    env.close()
    written = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(event["type"], event["turn"]) for event in written] == [("get", 1), ("get", 3), ("get", 1)]


SEVERAL: tuple[tuple[str, dict[str, Any]], ...] = (
    ("SeveralActions", {}), ("Macros", {"macros": [["inventory", "get 1 stone"]]}), ("NativeCalls", {"most": 2}),
    ("CodeBlocks", {"most": 2}), ("Retries", {"default": "inventory"}),
)  # fmt: skip


@pytest.mark.parametrize(("kind", "arguments"), SEVERAL)
def test_the_log_stands_inside_what_plays_several_actions(kind: str, arguments: dict[str, Any]) -> None:
    plays_several = getattr(wrappers, kind)(agentgym.make("TextCraft-v1"), **arguments)
    for inside in (plays_several, wrappers.Truncate(plays_several)):
        with pytest.raises(ConfigError, match=f"^EventLog must stand inside {kind}, which may play several"):
            wrappers.EventLog(inside)
    for plain in ("NativeCalls", "CodeBlocks", "Retries"):
        wrappers.EventLog(getattr(wrappers, plain)(agentgym.make("TextCraft-v1")))
    assert getattr(wrappers, kind)(wrappers.EventLog(agentgym.make("TextCraft-v1")), **arguments)


def test_the_log_inside_several_actions_has_the_turn_and_validity_of_each() -> None:
    log = wrappers.EventLog(agentgym.make("TextCraft-v1"))
    env = wrappers.SeveralActions(log)
    env.reset(seed=0)
    for line in ("get 1 stone || get 2 stone", "get 3 stone || fly"):
        info = env.step(line)[4]
    assert [(event["turn"], event["valid"]) for event in log.events] == [(1, True), (2, True), (3, True)]
    assert info["event_counts"] == {"get": 3, "craft": 0, "refused": 1}


def test_the_meter_counts_tokens_costs_and_dollars() -> None:
    env = wrappers.CostMeter(Count(), read_price=2_000_000, write_price=1_000_000)
    text, info = env.reset(seed=0)
    first = len(env._spans(text))
    assert info["meter"]["observation_tokens"] == first
    *_, info = env.step("add 1")
    meter: dict[str, Any] = info["meter"]
    assert (meter["turns"], meter["action_tokens"], meter["read_tokens"]) == (1.0, 2.0, first)
    assert meter["cost_effort"] == 1.0
    assert meter["dollars"] == 2 * first + 2
    env.step("add 1")
    _, _, _, _, info = env.step("add 1")
    assert info["meter"]["turns"] == 3.0
