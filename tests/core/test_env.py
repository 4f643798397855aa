"""The contract of `LanguageEnv`, row by row, on small worlds."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from agentgym.core import AgentGymError, ConfigError, EngineFailure, GrammarError, LanguageEnv, TaskError, UnknownName
from agentgym.core.task_request import CUSTOM
from tests.core.worlds import LIMIT, Bare, Count, Replay

INFO_TYPES: dict[str, type] = {
    "task_id": str,
    "split": str,
    "instruction": str,
    "success": bool,
    "progress": float,
    "action_valid": bool,
    "error": str,
    "failure": str,
    "events": list,
    "metrics": dict,
    "costs": dict,
}
FRIENDLY = ["add 1", "undo", "guess x", "half"]
HOSTILE = ["", "   ", "no such thing", "add 9", "undo", "x" * 61, "\ud800", "add \x00", "🙂" * 30, "%s {}", "jam"]


@pytest.fixture
def env() -> Count:
    return Count()


def started(env: Count, target: int = 5, **options: Any) -> Count:
    env.reset(seed=1, options={"task": {"target": target}, **options})
    return env


def standing(env: Count) -> Any:
    """Everything a refused call must leave alone."""
    return env.snapshot().digest(), env.state_key(), env.task


# Construction


def test_unknown_split_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"unknown split of .*Count-v0 'trian'; did you mean 'train'\?"):
        Count(split="trian")


def test_unknown_render_mode_is_refused() -> None:
    with pytest.raises(UnknownName, match="render mode"):
        Count(render_mode="rgb_array")


def test_task_schema_with_an_unchecked_keyword_is_refused_when_the_class_is_made() -> None:
    with pytest.raises(GrammarError, match="task_schema of Loose: the schema keyword 'pattern' is not checked"):
        type("Loose", (Count,), {"task_schema": {"type": "object", "pattern": "x"}})


# Reset


def test_first_observation_holds_the_task_and_the_grammar(env: Count) -> None:
    text, info = env.reset(seed=0, options={"task": "to-4"})
    assert "Count to 4." in text
    assert env.grammar.line in text
    assert (info["task_id"], info["split"], info["instruction"]) == ("to-4", "train", "Count to 4.")


def test_task_by_id_index_and_specification(env: Count) -> None:
    for wanted in ("to-5", 2, -1, np.int64(2), np.uint8(2)):
        assert env.reset(options={"task": wanted})[1]["task_id"] == "to-5"
    _, info = env.reset(options={"task": {"target": 9}})
    assert info["split"] == CUSTOM
    assert env.task.spec == {"target": 9}
    assert info["task_id"] == env.reset(options={"task": {"target": 9}})[1]["task_id"]
    assert info["task_id"] != env.reset(options={"task": {"target": 8}})[1]["task_id"]


def test_specification_is_copied(env: Count) -> None:
    given: dict[str, Any] = {"target": 9, "note": [1]}
    env.reset(options={"task": given})
    given["target"], given["note"][0] = 1, 2
    assert env.task.spec == {"target": 9, "note": [1]}


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("to-99", r"has no task 'to-99'; its 3 ids begin with 'to-3'"),
        ("", "has no task ''"),
        (3, "has 3 tasks, so there is no task 3; use 0 to 2"),
        (-4, "no task -4"),
        (10**30, "no task 1000"),
        (True, "an id, an index or a specification, got bool"),
        (1.0, "got float"),
        (["to-3"], "got list"),
        (np.zeros(2, int), "got ndarray"),
        (b"to-3", "got bytes"),
        ({}, "lacks 'target'"),
        ({"target": "9"}, "must be of type integer, got str"),
        ({"target": True}, "must be of type integer, got bool"),
        ({"target": 9.0}, "must be of type integer, got float"),
        ({"target": 0}, "must be at least 1"),
        ({"target": 101}, "nobody counts to 101"),
        ({"target": 9, "size": 1}, "unknown key 'size'; known: target, note"),
        ({"target": 9, "note": [object()]}, "JSON data, but Object of type object"),
        ({"target": 9, "note": [float("nan")]}, "JSON data, but Out of range float"),
        ({"target": 9, ("a", 1): 2}, "JSON data, but keys must be"),
    ],
)
def test_bad_tasks_are_refused_in_one_line_and_change_nothing(env: Count, wanted: Any, message: str) -> None:
    started(env).step("add 2")
    before = standing(env)
    with pytest.raises(TaskError, match=message) as caught:
        env.reset(seed=7, options={"task": wanted})
    assert "\n" not in str(caught.value)
    assert standing(env) == before
    assert env.step("add 3")[2] is True


def test_a_bottomless_specification_is_refused(env: Count) -> None:
    deep: list[Any] = []
    deep.append(deep)
    with pytest.raises(TaskError, match="JSON data"):
        env.reset(options={"task": {"target": 3, "note": deep}})


@pytest.mark.parametrize("options", [{"tsak": 1}, {"start": 1, "colour": 2}, {1: 2, "x": 3}])
def test_unknown_reset_options_are_refused_and_change_nothing(env: Count, options: dict[Any, Any]) -> None:
    started(env).step("add 2")
    before = standing(env)
    with pytest.raises(ConfigError, match=r"has no reset option .*; it knows: task, broken, start"):
        env.reset(seed=3, options=options)
    assert standing(env) == before


def test_declared_options_reach_the_world_and_end_with_the_episode(env: Count) -> None:
    assert "total is 2" in env.reset(options={"start": 2})[0]
    assert "total is 0" in env.reset()[0]


def test_the_callers_options_are_left_alone(env: Count) -> None:
    options = {"task": "to-3", "start": 1}
    env.reset(options=options)
    assert options == {"task": "to-3", "start": 1}


def test_equal_seeds_draw_equal_tasks_and_the_generator_goes_on_without_one(env: Count) -> None:
    def drawn() -> list[str]:
        return [env.reset(seed=5 if first else None)[1]["task_id"] for first in [True] + 20 * [False]]

    first = drawn()
    assert drawn() == first
    assert len(set(first)) == 3


def test_a_world_without_specifications_says_so() -> None:
    with pytest.raises(TaskError, match="takes no task specifications; give a task id or an index"):
        Bare().reset(options={"task": {}})


# Steps


def test_every_string_is_answered_and_bad_ones_change_only_the_turn(env: Count) -> None:
    for action in HOSTILE[:-1]:
        started(env)
        key, rng = env.state_key(), env.np_random.bit_generator.state
        text, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert info["action_valid"] is False
        assert info["error"]
        assert text.startswith(info["error"])
        assert "The total is 0." in text, "the view is repeated"
        assert (env.turn, env.state_key(), env.np_random.bit_generator.state) == (1, key, rng)


def test_the_length_of_an_action_is_bounded(env: Count) -> None:
    started(env)
    assert env.step("guess " + "x" * 54)[4]["action_valid"]
    assert "61 characters, at most 60" in env.step("guess " + "x" * 55)[4]["error"]


@pytest.mark.parametrize("action", [None, 1, b"add 1", ["add 1"], {"name": "add"}])
def test_a_non_string_raises_a_type_error_and_changes_nothing(env: Count, action: Any) -> None:
    started(env)
    before = standing(env)
    with pytest.raises(TypeError, match=f"an action is a string, got {type(action).__name__}"):
        env.step(action)
    assert standing(env) == before


def test_case_space_and_variants(env: Count) -> None:
    for action in ("add 2", "  ADD\t2 \n", "Add  2"):
        assert started(env).step(action)[4]["metrics"]["total"] == 2.0
    assert started(env).step("say Hello World")[0] == "You said Hello World."


def test_success_ends_and_fills_progress(env: Count) -> None:
    started(env, target=3)
    _, reward, terminated, truncated, info = env.step("add 3")
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert (info["success"], info["progress"]) == (True, 1.0)
    assert env.ended


def test_loss_is_an_end_without_success(env: Count) -> None:
    _, reward, terminated, _, info = started(env, target=2).step("add 3")
    assert (reward, terminated, info["success"]) == (0.0, True, False)


def test_progress_stays_without_news_and_may_fall(env: Count) -> None:
    started(env, target=4)
    assert env.step("add 2")[4]["progress"] == 0.5
    assert env.step("guess x")[4]["progress"] == 0.5
    assert env.step("undo")[4]["progress"] == 0.0


def test_the_turn_limit_truncates(env: Count) -> None:
    started(env)
    for turn in range(1, LIMIT + 1):
        _, _, terminated, truncated, _ = env.step("nonsense")
        assert (env.turn, terminated, truncated) == (turn, False, turn == LIMIT)


def test_success_on_the_last_turn_is_no_truncation() -> None:
    env = started(Count(max_turns=1), target=3)
    assert env.step("add 3")[2:4] == (True, False)


def test_the_callers_turn_limit_replaces_the_worlds(env: Count) -> None:
    short = Count(max_turns=2)
    started(short)
    assert [short.step("guess x")[3] for _ in range(2)] == [False, True]
    assert env.max_turns == LIMIT


def test_after_the_end_step_says_so_and_changes_nothing(env: Count) -> None:
    started(env, target=3).step("add 3")
    before = standing(env)
    for action in ("add 1", "", "jam"):
        text, reward, terminated, truncated, info = env.step(action)
        assert "over; call reset()" in text
        assert (reward, terminated, truncated) == (0.0, True, False)
        assert (info["action_valid"], info["error"], info["success"]) == (False, text, True)
        assert standing(env) == before


def test_step_before_reset_is_refused(env: Count) -> None:
    with pytest.raises(ResetNeeded, match=r"call reset\(\)"):
        env.step("add 1")
    with pytest.raises(ResetNeeded):
        env.snapshot()
    with pytest.raises(ResetNeeded):
        env.oracle_action()
    with pytest.raises(ResetNeeded, match=r"admissible_actions\(\) needs an episode under way; call reset\(\)"):
        env.admissible_actions()


# info


def check_info(env: LanguageEnv, info: dict[str, Any]) -> None:
    assert {key: type(value) for key, value in info.items()} == INFO_TYPES
    assert set(info["metrics"]) == set(env.card.metrics)
    assert set(info["costs"]) == set(env.card.costs)
    assert all(type(value) is float for value in (*info["metrics"].values(), *info["costs"].values()))
    assert all(isinstance(event, dict) and event["type"] in env.card.events for event in info["events"])
    assert json.loads(json.dumps(info, allow_nan=False)) == info


def test_info_has_the_same_keys_of_one_type_everywhere(env: Count) -> None:
    for action in (*FRIENDLY, *HOSTILE):
        _, info = env.reset(seed=0, options={"task": {"target": 9}})
        check_info(env, info)
        _, reward, terminated, truncated, info = env.step(action)
        check_info(env, info)
        assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
        check_info(env, env.step("add 1")[4])


def test_events_metrics_and_costs_report_the_last_action_only(env: Count) -> None:
    info = started(env).step("add 2")[4]
    assert info["events"] == [{"type": "added", "number": 2}]
    assert info["metrics"] == {"total": 2.0, "never": 0.0}
    assert info["costs"] == {"effort": 1.0}
    info = env.step("guess x")[4]
    assert (info["events"], info["metrics"]["total"], info["costs"]) == ([], 0.0, {"effort": 0.0})


def test_no_two_infos_share_mutable_parts(env: Count) -> None:
    infos = [env.reset(seed=0)[1], env.step("add 1")[4], env.step("")[4], env.step("jam")[4], env.step("")[4]]
    parts = [id(part) for info in infos for part in (info, info["events"], info["metrics"], info["costs"])]
    assert len(set(parts)) == len(parts)


# Bugs are not hidden


def test_an_undeclared_metric_is_a_bug(env: Count) -> None:
    with pytest.raises(AssertionError, match="'fame' is not declared in the card"):
        started(env).step("cheat")


def test_success_without_terminated_is_a_bug(env: Count) -> None:
    with pytest.raises(AssertionError, match="success without terminated"):
        started(env).step("brag")


def test_other_exceptions_propagate(env: Count) -> None:
    with pytest.raises(KeyError, match="crash"):
        started(env).step("crash")


# Engine failures


@pytest.mark.parametrize(("action", "reason"), [("jam", "the wheels are stuck"), ("jam silently", "the engine failed")])
def test_a_failure_while_playing_truncates(env: Count, action: str, reason: str) -> None:
    started(env)
    text, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert (info["failure"], info["action_valid"], info["success"]) == (reason, True, False)
    assert reason in text
    assert env.step("add 1")[4]["failure"] == reason, "the reason stays until reset"
    assert env.reset()[1]["failure"] == ""
    assert env.step("add 1")[4]["action_valid"]


@pytest.mark.parametrize("env", [Count(), Replay()], ids=["copy", "replay"])
def test_a_wrapper_that_can_go_no_further_ends_the_episode(env: Count) -> None:
    """Lost, or as after a failure of the engine; whatever is said then is not played."""
    started(env)
    env.end_next("nothing more can be done")
    text, reward, terminated, truncated, info = env.step("add 1")
    assert (text, reward, terminated, truncated) == ("nothing more can be done", 0.0, True, False)
    assert (info["success"], info["failure"], info["action_valid"], env.turn, env.ended) == (False, "", True, 1, True)
    started(env)
    env.end_next(EngineFailure("no power"))
    *_, terminated, truncated, info = env.step("add 1")
    assert (terminated, truncated, info["failure"], env.turn) == (False, True, "no power", 1)
    env.end_next("too late")
    assert env.step("add 1")[4]["failure"] == "no power", "an episode ends once"
    started(env)
    assert not env.step("add 1")[2], "what was asked for in the last episode is forgotten"


def test_a_failure_at_the_beginning_truncates(env: Count) -> None:
    started(env).step("add 2")
    text, info = env.reset(seed=2, options={"task": "to-4", "broken": "no power"})
    assert text == "The environment failed: no power"
    assert (info["failure"], info["task_id"]) == ("no power", "to-4")
    assert env.ended
    assert env.step("add 1")[2:4] == (False, True)
    _, info = env.reset(seed=2)
    assert (info["failure"], env.ended) == ("", False)
    assert env.step("add 1")[4]["metrics"]["total"] == 1.0


# Observations and actions


def test_long_observations_are_cut_in_the_middle(env: Count) -> None:
    text = started(env).step("ramble")[0]
    assert len(text) == env.observation_length
    assert text.startswith("blala")
    assert text.endswith("lala")
    assert "characters cut" in text
    assert env.observation_space.contains(text)


def test_admissible_actions_are_sorted_valid_and_gone_after_the_end(env: Count) -> None:
    started(env)
    actions = env.admissible_actions()
    assert actions == ["add 1", "add 2", "add 3", "roll"]
    for action in actions:
        assert env.fork().step(action)[4]["action_valid"]
    started(env, target=1).step("add 1")
    assert env.admissible_actions() == []


def test_sample_action_depends_on_the_handed_generator_only(env: Count) -> None:
    started(env)
    rng = env.np_random.bit_generator.state
    drawn = [env.sample_action(np.random.default_rng(3)) for _ in range(3)]
    assert len(set(drawn)) == 1
    assert env.np_random.bit_generator.state == rng
    env.step("jam")
    with pytest.raises(ResetNeeded, match="needs an episode under way"):
        env.sample_action(np.random.default_rng(3))


def test_the_oracle_solves_every_task() -> None:
    for split in ("train", "val", "test"):
        env = Count(split=split)
        for index in range(len(env.tasks(split))):
            env.reset(options={"task": index})
            while not env.ended:
                info = env.step(env.oracle_action())[4]
            assert info["success"]


def test_what_a_world_lacks_is_refused_in_words() -> None:
    env = Bare()
    env.reset()
    assert env.admissible_actions() is None
    for call in (
        env.oracle_action,
        env.expert_action,
        env.reference,
        lambda: env.sample_action(np.random.default_rng()),
    ):
        with pytest.raises(AgentGymError, match=r"has no|must implement"):
            call()


def test_reference_is_refused_on_test_only() -> None:
    for split, allowed in (("train", True), ("val", True), ("test", False)):
        env = Count(split=split)
        env.reset(seed=0)
        if allowed:
            assert env.reference() == env.target
        else:
            with pytest.raises(TaskError, match="the reference of a test task is not given out"):
                env.reference()


# Render, parse, spaces


def test_render_shows_the_last_exchange() -> None:
    env = Count(render_mode="ansi")
    assert env.render() == "[AgentGymTests/Count-v0, before the first reset]"
    env.reset(options={"task": "to-5"})
    assert str(env.render()).startswith("[AgentGymTests/Count-v0, task to-5, turn 0 of 6]\nCount to 5.")
    env.step("add 1")
    assert env.render() == "[AgentGymTests/Count-v0, task to-5, turn 1 of 6]\n> add 1\nThe total is 1."
    saved = env.snapshot()
    env.step("jam")
    assert "> jam\nThe environment failed" in str(env.render())
    env.restore(saved)
    assert env.render() == "[AgentGymTests/Count-v0, task to-5, turn 1 of 6]\n> add 1\nThe total is 1."
    assert Count().render() is None


def test_parse_plays_nothing(env: Count) -> None:
    started(env)
    before = standing(env)
    env.parse("add 2")
    env.parse("nonsense")
    assert standing(env) == before


def test_gym_make_brings_the_usual_wrappers_and_no_time_limit() -> None:
    env = gym.make("AgentGymTests/Count-v0", max_turns=2)
    env.reset(seed=0)
    assert env.spec is not None
    assert env.spec.max_episode_steps is None
    assert [env.step("guess x")[3] for _ in range(2)] == [False, True]
    env.close()
    env.close()


def test_a_subclass_without_hooks_is_told_which() -> None:
    class Empty(LanguageEnv):
        card = Bare.card
        grammar = Bare.grammar

    with pytest.raises(NotImplementedError, match=r"Empty must implement generate or tasks\(split\)"):
        Empty().reset()
