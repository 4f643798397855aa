"""`CodeAction`: calls of a program are the world's steps, and nothing but what it prints comes back."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest

import agentgym
from agentgym import wrappers
from agentgym.core import Call, ConfigError, EngineFailure, Invalid, interpreter
from agentgym.core.interpreter import Ran
from agentgym.envs import CARDS
from agentgym.wrappers.actions.code_action import LOST, OVER, CodeAction, _Calls
from tests.envs.boxes import sandbox

WORLD = "AgentGym/Todo-v0"


@pytest.fixture
def env():
    sandbox()
    return CodeAction(gym.make(WORLD))


def block(code: str) -> str:
    return f"```python\n{code}\n```"


def test_calls_are_played_in_the_world(env) -> None:
    env.reset(seed=3)
    code = "found = get_projects()\nfor one in found[:2]:\n    print(len(get_tasks(project_id=one['id'])))"
    text, reward, over, cut, info = env.step("I look.\n" + block(code))
    bare = gym.make(WORLD)
    bare.reset(seed=3)
    said = [bare.step('{"name": "get_projects", "arguments": {}}')]
    for one in json.loads(said[0][0])[:2]:
        said.append(bare.step(json.dumps({"name": "get_tasks", "arguments": {"project_id": one["id"]}})))
    assert text.split() == [str(len(json.loads(answer[0]))) for answer in said[1:]]
    assert env.unwrapped.state_key() == bare.unwrapped.state_key()
    assert env.unwrapped.turn == 3
    assert info["events"] == [event for answer in said for event in answer[4]["events"]]
    assert info["costs"]["duration"] == pytest.approx(sum(answer[4]["costs"]["duration"] for answer in said))
    assert (info["thought"], info["program"], info["action_valid"]) == ("I look.", "exit", True)
    assert info["sandbox"] in ("bubblewrap", "docker")
    assert info["action"].count("\n") == 2
    assert (reward, over, cut) == (0.0, False, False)


def test_the_expert_solves_the_world(env) -> None:
    for seed in range(2):
        env.reset(seed=seed)
        while not env.ended:
            *_, info = env.step(env.expert_action())
        assert info["success"]


def test_a_program_may_solve_it_at_once(env) -> None:
    env.reset(seed=1)
    gold = [json.loads(call) for call in env.unwrapped.reference()["calls"]]
    lines = [f"{call['name']}(**{call['arguments']!r})" for call in gold]
    answer = env.unwrapped.reference()["answer"]
    text, reward, over, _, info = env.step(block("\n".join([*lines, f"finish(answer={answer or 'done'!r})", "1 / 0"])))
    assert (text, reward, over, info["success"]) == ("That is right.", 1.0, True, True)
    assert "1 / 0" not in text, "the program ends where the episode ends"
    assert env.step(block("print(1)"))[1:3] == (0.0, True)


def test_a_program_is_read_without_being_run(env) -> None:
    env.reset(seed=0)
    assert env.parse_reply("I look.\n" + block("print(1)")) == (["print(1)"], "I look.")
    assert isinstance(env.parse_reply(block("")), Invalid)
    assert isinstance(env.parse(block("print(1)")), Call)
    assert env.unwrapped.turn == 0


def test_a_refused_call_raises_and_costs_a_turn(env) -> None:
    env.reset(seed=0)
    code = (
        "for call in (lambda: get_tasks(project_id='x'), lambda: get_tasks(), lambda: get_tasks(1, project_id='2'),\n"
        "             lambda: get_tasks('a', 'b'), lambda: get_projects(x='\\u202e')):\n"
        "    try:\n"
        "        call()\n"
        "    except ToolError as error:\n"
        "        print(error)\n"
    )
    text, *_, info = env.step(block(code))
    assert [line.split()[0] for line in text.splitlines()] == ["Project", "the", "the", "the", "the"]
    assert env.unwrapped.turn == 5
    assert not info["action_valid"]
    assert "ToolError: Project x does not exist" in env.step(block("get_tasks(project_id='x')"))[0]


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("x = 1", "The program printed nothing."),
        ("print('hi')", "hi"),
        ("1 / 0", "ZeroDivisionError"),
        ("for", "Syntax"),
    ],
)
def test_a_program_that_calls_nothing_costs_a_turn(env, code, shown) -> None:
    env.reset(seed=0)
    before = env.unwrapped.state_key()
    text, *_, info = env.step(block(code))
    assert shown in text
    assert (env.unwrapped.turn, env.unwrapped.state_key(), info["action_valid"]) == (1, before, True)


@pytest.mark.parametrize("reply", ["", "   ", block(""), block("\x00"), "x" * 40_000])
def test_a_reply_without_a_program_is_refused(env, reply) -> None:
    env.reset(seed=0)
    *_, info = env.step(reply)
    assert (info["action_valid"], info["format_valid"], info["program"], env.unwrapped.turn) == (False, False, "", 1)
    assert isinstance(env.parse(reply), Invalid)
    assert env.parse(block("print(1)")) == Call("program", {"code": "print(1)"})


def test_calls_are_limited() -> None:
    sandbox()
    env = CodeAction(gym.make(WORLD), most=3)
    env.reset(seed=0)
    text = env.step(block("for n in range(10):\n    print(n)\n    get_projects()"))[0]
    assert text.split() == ["0", "1", "2", "3"]
    assert env.unwrapped.turn == 3


def test_turns_run_out_inside_a_program() -> None:
    sandbox()
    env = CodeAction(gym.make(WORLD, max_turns=4))
    env.reset(seed=0)
    _, _, over, cut, _ = env.step(block("while True:\n    get_projects()"))
    assert (over, cut, env.unwrapped.turn) == (False, True, 4)


def test_snapshots_and_forks_hold(env) -> None:
    env.reset(seed=2)
    env.step(block("x = get_projects()"))
    saved = agentgym.snapshot(env)
    code = block("for one in get_projects():\n    print(one['name'], len(get_tasks(one['id'])))")
    first = env.step(code)
    agentgym.restore(env, saved)
    assert env.step(code) == first
    agentgym.restore(env, saved)
    twin = agentgym.fork(env)
    assert twin.step(code) == first
    assert env.unwrapped.turn == 1, "the fork's program called the fork's world"


def test_it_stands_around_the_world_with_programs() -> None:
    sandbox()
    env = CodeAction(gym.make("AgentGym/PythonMath-v0"))
    env.reset(seed=0)
    text, *_ = env.step(block("print(python(code='print(6 * 7)')['output'])"))
    assert text == "42"


def test_worlds_of_words_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"AgentGym/FrozenLake-v0 has words"):
        CodeAction(gym.make("AgentGym/FrozenLake-v0"))
    sandbox()
    with pytest.raises(ConfigError, match="already reads the replies"):
        wrappers.ReAct(CodeAction(gym.make(WORLD)))


@pytest.mark.parametrize(
    "said",
    ["", "[]", "{}", '{"name": 1, "args": [], "kwargs": {}}', '{"name": "x", "args": [], "kwargs": {}}', "[" * 9_000,
     '{"name": "get_tasks", "args": {}, "kwargs": []}', '{"name": "get_tasks", "args": [1, 2, 3], "kwargs": {}}',
     '{"name": "get_tasks", "args": [null], "kwargs": {}}',
     f'{{"name": "get_tasks", "args": [{"[" * 600}{"]" * 600}], "kwargs": {{}}}}'],
)  # fmt: skip
def test_a_forged_call_is_refused(env, said) -> None:
    env.reset(seed=0)
    before = env.unwrapped.state_key()
    calls = _Calls(env)
    assert "error" in json.loads(calls.answer(said))
    assert (env.unwrapped.state_key(), env.unwrapped.turn) == (before, 1)


def test_a_call_after_the_end_ends_the_program(env) -> None:
    env.reset(seed=0)
    calls = _Calls(env)
    assert calls.answer('{"name": "finish", "args": ["nothing"], "kwargs": {}}')
    env.reset(seed=0)
    env.step(block("finish(answer=['no such task'])"))
    assert calls.answer('{"name": "get_projects", "args": [], "kwargs": {}}') == OVER


def test_a_sandbox_that_cannot_be_started_is_a_failure_of_the_environment(env) -> None:
    """It is left out of what is scored, not charged to the player, and the next episode goes on."""

    def fails(code, functions, answer):
        raise EngineFailure("there is no sandbox any more")

    run, env._run = env._run, fails
    env.reset(seed=0)
    text, reward, over, cut, info = env.step(block("print(1)"))
    assert text == "The environment failed: there is no sandbox any more"
    assert (reward, over, cut, info["success"]) == (0.0, False, True, False)
    assert (info["failure"], info["program"], info["events"]) == ("there is no sandbox any more", "", [])
    assert env.ended
    assert env.step(block("print(1)"))[1:4] == (0.0, False, True)
    env._run = run
    env.reset(seed=0)
    assert env.step(block("print(1)"))[0] == "1"


def test_a_wrapper_in_between_sees_the_end() -> None:
    """The loss reaches everybody as the end of an episode does, and nothing of it is left for the next one."""
    sandbox()
    env = CodeAction(wrappers.Horizon(gym.make(WORLD), turns=5))
    env._run = lambda code, functions, answer: Ran("", "gone", "lost", "x")
    env.reset(seed=0)
    text, _, over, cut, info = env.step(block("print(1)"))
    assert (text, over, cut, info["failure"]) == (LOST, True, False, "")
    assert (env.unwrapped.ended, env.unwrapped.turn) == (True, 1)
    saved = agentgym.snapshot(env)
    assert agentgym.fork(env).ended
    env.reset(seed=0)
    assert not env.ended
    agentgym.restore(env, saved)
    assert env.ended


@pytest.mark.parametrize(("code", "failed"), [("1 / 0", True), ("for", True), ("print(1)", False)])
def test_a_program_that_raises_is_an_event(env, code, failed) -> None:
    env.reset(seed=0)
    *_, info = env.step(block(f"get_projects()\n{code}"))
    told = [(event["tool"], event.get("failed", False)) for event in info["events"]]
    calls = [] if code == "for" else [("get_projects", False)]
    assert told == [*calls, *([("program", True)] if failed else [])]


TOOL_WORLDS = [card.id for card in CARDS if card.tools and card.api == "gymnasium" and not card.requires]


def test_there_are_many_worlds_of_tools() -> None:
    assert len(TOOL_WORLDS) >= 8
    for name in TOOL_WORLDS:
        assert "tool_call" in agentgym.catalog()[name].events, "what a program that failed is told as"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.full] * (name != WORLD)) for name in TOOL_WORLDS]
)
def test_any_world_of_tools_is_answered_by_programs(name) -> None:
    """The oracle's first call in a program does what it does without one."""
    sandbox()
    bare = gym.make(name)
    env = CodeAction(gym.make(name))
    bare.reset(seed=0)
    env.reset(seed=0)
    bare.step(bare.unwrapped.oracle_action())
    *_, info = env.step(env.oracle_action())
    assert (info["program"], info["action_valid"], info["failure"]) == ("exit", True, "")
    assert info["sandbox"] == env.metadata["sandbox"]
    assert env.unwrapped.state_key() == bare.unwrapped.state_key()
    assert env.unwrapped.turn == bare.unwrapped.turn == 1


def test_without_a_source_nothing_is_run(monkeypatch) -> None:
    monkeypatch.setattr(interpreter, "_source", "")
    with pytest.raises(interpreter.MissingExtra, match="import agentgym"):
        interpreter.find_interpreter()
