"""Formats of replies: what each reads, what it refuses and what it says then."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym import wrappers
from agentgym.core import Call, Invalid, LanguageEnv, Tool, ToolGrammar
from tests.core.worlds import Count
from tests.wrappers.stacks import FEW, NOISE

PLAYED = [
    ("ReAct", {}, "Thought: go\n\nAction:\nright", "right"),
    ("ReAct", {}, "thought: go\naction: up\nObservation: You win.\nAction: down", "up"),
    ("ReAct", {}, "Action: up\nAction: down", "down"),
    ("ReAct", {"several": "refuse"}, "Action: up\nAction: down", "Only one 'Action' is allowed per response."),
    ("ReAct", {}, "right", 'there is no "Action:" in the reply'),
    ("ReAct", {"bare": True}, "right", "right"),
    ("ReAct", {"bare": True}, "I go right", "I go right"),
    ("ReAct", {"bare": True}, "I go right or down", 'there is no "Action:" in the reply'),
    ("ReAct", {}, "Action:", "names no action"),
    ("ReAct", {}, "  \n ", "the reply is empty"),
    ("ReAct", {}, "Action: up" + " " * 30_000, "the reply has 30010 characters"),
    ("Tags", {}, "<think>a</think><action>down</action>", "down"),
    ("Tags", {}, "<THINK>a</THINK>\n<Action> down </Action>", "down"),
    ("Tags", {}, f"{'İ' * 40}<think>{'İ' * 40}</think><action>down</action>", "down"),  # it grows in lower case
    ("Tags", {}, "<action>up</action><think>a</think>", "lacks <action>...</action> after the thought"),
    ("Tags", {}, "<think><action>up</action></think><action>down</action>", "down"),
    ("Tags", {}, "<action>down</action>", "lacks <think>...</think>"),
    ("Tags", {"need_thought": False}, "<action>down</action>", "down"),
    ("Tags", {"allow_cjk": False}, "<think>右へ</think><action>down</action>", "Chinese, Japanese or Korean"),
    ("Tags", {"allow_cjk": True}, "<think>右へ</think><action>down</action>", "down"),
    ("Tags", {"action": "answer"}, "<think>a</think><answer>left</answer>", "left"),
    ("JsonReply", {}, '{"thoughts": "a", "action": "left"}', "left"),
    ("JsonReply", {}, '```json\n{"thoughts": "a", "action": "left"}\n```', "left"),
    ("JsonReply", {}, '{"action": 4}', "whose 'action' is text"),
    ("JsonReply", {}, '{"action": "left"', "the reply is no JSON"),
    ("JsonReply", {}, '{"action": NaN}', "the reply is no JSON"),
    ("JsonReply", {}, '{"action": "left", "sure": 1e400}', "1e400 is no number that can be kept"),
    ("JsonCalls", {}, '{"thought": "a", "function_name": "left", "arguments": {}}', "left"),
    ("JsonCalls", {}, '{"name": "left", "arguments": []}', "left"),
    ("JsonCalls", {}, '{"function_name": "left", "arguments": {"far": 1}}', "has no argument 'far'"),
    ("JsonCalls", {}, '{"function_name": "jump"}', "there is no function 'jump'"),
    ("JsonCalls", {}, '{"function_name": 3}', "the call names no function"),
    ("JsonCalls", {}, '{"function_name": "left", "arguments": 3}', "must be a JSON object"),
    ("JsonCalls", {}, "[1]", "no JSON object"),
    ("NativeCalls", {}, 'Go.\n<tool_call>\n{"name": "up", "arguments": {}}\n</tool_call>', "up"),
    ("NativeCalls", {}, '{"content": null, "tool_calls": [{"function": {"name": "up", "arguments": "{}"}}]}', "up"),
    ("NativeCalls", {}, '{"name": "up", "arguments": {}}', "up"),
    ("NativeCalls", {}, '[{"name": "up", "arguments": {}}]', "up"),
    ("NativeCalls", {}, '[{"name": "up"}, {"name": "up"}]', "one action is"),
    ("NativeCalls", {}, "[1]", "calls no function"),
    ("NativeCalls", {}, "[]", "calls no function"),
    ("NativeCalls", {}, '{"content": "I win", "tool_calls": []}', "calls no function"),
    ("NativeCalls", {}, "I win", "calls no function"),
    ("NativeCalls", {}, "<tool_call>{</tool_call>", "the tool call is no JSON"),
    (
        "NativeCalls",
        {},
        2 * '<tool_call>{"name": "up", "arguments": {}}</tool_call>',
        "only one action is allowed a turn",
    ),
    ("NativeCalls", {"most": 2}, 2 * '<tool_call>{"name": "up", "arguments": {}}</tool_call>', "up\nup"),
    ("CodeBlocks", {}, "Go.\n```python\nup()\n```", "up"),
    ("CodeBlocks", {}, "up()", "up"),
    ("CodeBlocks", {}, "```\nup()\n```", "up"),
    ("CodeBlocks", {}, "```python\nup()\n", "up"),
    ("CodeBlocks", {}, "```python\nup(); down()\n```", "only one action is allowed a turn"),
    ("CodeBlocks", {"most": 2}, "```python\nup(); down()\n```", "up\ndown"),
    ("CodeBlocks", {}, "```python\nx = 1\n```", "line 1 is no call"),
    ("CodeBlocks", {}, "```python\n# only words\n```", "the code calls no function"),
    ("CodeBlocks", {}, "__import__('os').system('ls')", "line 1 is no call of a function of this world"),
    ("CodeBlocks", {}, "open('/etc/passwd')", "there is no function 'open'"),
    ("CodeBlocks", {}, "up(*[1])", "does not fit up()"),
    ("CodeBlocks", {}, "up(**{})", "does not fit up()"),
    ("CodeBlocks", {}, "up(" * 60, "nests brackets more than 40 deep"),
    ("CodeBlocks", {}, "up(\x00)", "the code cannot be read"),
    ("CodeBlocks", {}, "up)", "the code cannot be read"),
    ("Fenced", {}, "In summary, the next action I will perform is ```up```", "up"),
    ("Fenced", {}, "First ```down``` no, ```up```.", "up"),
    ("Fenced", {}, "up", "no action between triple backticks"),
    ("Fenced", {"language": "sql"}, "I ask:\n```sql\nup\n```", "up"),
    ("Fenced", {"language": "sql"}, "```sql\ndown\n```\nor\n```sql\nup", "up"),
    ("Fenced", {"language": "sql"}, "```up```", "opens no ```sql"),
    ("Marked", {}, "I go. <|ACTION|>up<|END|>", "up"),
    ("Marked", {}, "<|ACTION|> up\n<|END|> or <|ACTION|>down<|END|>", "up"),
    ("Marked", {}, "<|ACTION|>up", "no action from <|ACTION|> to <|END|>"),
    ("Marked", {}, "up", "no action from <|ACTION|> to <|END|>"),
    ("Marked", {"bare": True}, "up", "up"),
    ("Marked", {"bare": True}, "<|ACTION|>up", "no action from <|ACTION|> to <|END|>"),
    ("Marked", {"begin": "[[", "end": "]]"}, "So [[up]].", "up"),
]


@pytest.mark.parametrize(("kind", "arguments", "reply", "expected"), PLAYED)
def test_what_is_read(kind: str, arguments: dict[str, Any], reply: str, expected: str) -> None:
    env = getattr(wrappers, kind)(agentgym.make("FrozenLake-v0", slippery=False), **arguments)
    env.reset(seed=1)
    before, turn = env.unwrapped.state_key(), env.unwrapped.turn
    text, _, _, _, info = env.step(reply)
    if info["format_valid"]:
        assert info["action"] == expected
        assert env.unwrapped.turn == turn + len(expected.splitlines())
        return
    assert expected.lower() in info["error"].lower()
    assert info["error"] in text
    assert "\n" not in info["error"]
    assert not info["action_valid"]
    assert info["action"] == ""
    assert (env.unwrapped.state_key(), env.unwrapped.turn) == (before, turn + 1)
    assert isinstance(env.parse(reply), Invalid)


def test_thoughts_are_kept_apart() -> None:
    replies = {
        "ReAct": "Thought: I go.\nAction: up",
        "Tags": "<think> I go. </think><action>up</action>",
        "JsonReply": '{"thoughts": "I go.", "action": "up"}',
        "JsonCalls": '{"thought": "I go.", "function_name": "up", "arguments": {}}',
        "NativeCalls": 'I go.\n<tool_call>{"name": "up", "arguments": {}}</tool_call>',
        "CodeBlocks": "```python\n# I go.\nup()\n```",
        "Fenced": "I go. ```up```",
        "Marked": "I go. <|ACTION|>up<|END|>",
    }
    for kind, reply in replies.items():
        env = getattr(wrappers, kind)(agentgym.make("FrozenLake-v0"))
        env.reset(seed=0)
        assert env.step(reply)[4]["thought"] == "I go.", kind


KINDS = ("ReAct", "Tags", "JsonReply", "JsonCalls", "NativeCalls", "CodeBlocks", "Fenced", "Marked")


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("kind", KINDS)
def test_the_expert_wins_alike_in_every_format(kind: str, name: str) -> None:
    """What `expert_action` says in a format is read back as the very action."""
    bare, env = agentgym.make(name), getattr(wrappers, kind)(agentgym.make(name))
    bare.reset(seed=4)
    env.reset(seed=4)
    while not env.ended:
        action = bare.unwrapped.expert_action()
        expected = bare.step(action)
        got = env.step(env.expert_action())
        assert got[0] == expected[0]
        assert got[1:4] == expected[1:4]
        assert got[4]["action_valid"] == expected[4]["action_valid"]
    assert bare.unwrapped.ended


@pytest.mark.parametrize("name", ["Household-v1", "TextCraft-v1", "WebShop-v1"])
@pytest.mark.parametrize("kind", ["JsonCalls", "NativeCalls"])
def test_manuals_of_functions_do_not_tell_to_write_thoughts_as_actions(name: str, kind: str) -> None:
    bare = agentgym.make(name)
    env = getattr(wrappers, kind)(agentgym.make(name))
    assert "<thought>" in bare.unwrapped.manual
    assert "<thought>" not in env.manual
    assert "think:" not in env.reset(seed=0)[0] + env.manual
    assert bare.unwrapped.grammar.rules in env.manual


def test_calls_fill_the_words_and_nothing_else() -> None:
    env = wrappers.JsonCalls(agentgym.make("Household-v1"))
    env.reset(seed=0)

    def read(arguments: Any) -> str:
        _, _, _, _, info = env.step(json.dumps({"function_name": "take", "arguments": arguments}))
        return info["action"] or info["error"]

    assert read({"object": "mug 1", "receptacle": "desk 1"}) == "take mug 1 from desk 1"
    assert read(["mug 1", "desk 1"]) == "take mug 1 from desk 1"
    assert read(json.dumps({"object": "mug 1", "receptacle": "desk 1"})) == "take mug 1 from desk 1"
    assert "lacks the argument 'receptacle'" in read({"object": "mug 1"})
    assert "takes 2 arguments, got 3" in read(["a", "b", "c"])
    assert "must be text, got dict" in read([{}, "b"])
    assert "must be one line of text" in read(["a\nb", "b"])
    assert "must be one line of text" in read([" ", "b"])


class ToolCount(Count):
    """The counting world with a tool call as its action."""

    grammar = ToolGrammar(
        [
            Tool(
                "add",
                "Add a number.",
                {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
                ({"number": 2},),
            )
        ]
    )


def test_formats_over_tool_worlds() -> None:
    """Where actions are tool calls, functions are the tools, with their types."""
    for kind, reply in {
        "JsonCalls": '{"function_name": "add", "arguments": {"number": 2}}',
        "NativeCalls": '<tool_call>{"name": "add", "arguments": {"number": 2}}</tool_call>',
        "CodeBlocks": "add(number=2)",
        "JsonReply": '{"action": {"name": "add", "arguments": {"number": 2}}}',
        "ReAct": 'Action: {"name": "add", "arguments": {"number": 2}}',
        "CommandTags": "<add>2</add>",
    }.items():
        env = getattr(wrappers, kind)(ToolCount())
        text, _ = env.reset(seed=0)
        read = env.parse(reply)
        if kind == "CommandTags":  # a tag holds text; the tool asks for a number and says so
            assert isinstance(read, Invalid)
            assert "integer" in read.reason
            continue
        assert read == Call("add", {"number": 2}), kind
        assert all(isinstance(env.parse(example), Call) for example in env.examples)
        assert env.tools[0]["function"]["parameters"]["properties"] == {"number": {"type": "integer"}}
        assert env.line in text


def test_memory_over_tool_worlds() -> None:
    """There the memory's commands are tools, with their types."""
    env = wrappers.NativeCalls(wrappers.MemoryTools(ToolCount()))
    text, _ = env.reset(seed=0)
    assert "Functions: add(number), memory_add(text), memory_update(number, text)" in text
    assert [tool["function"]["name"] for tool in env.tools][:2] == ["add", "memory_add"]
    assert all(isinstance(env.parse(example), Call) for example in env.examples)
    info = env.step('<tool_call>{"name": "memory_add", "arguments": {"text": "two"}}</tool_call>')[4]
    assert (info["memory"], info["action_valid"]) == (["two"], True)
    info = env.step('<tool_call>{"name": "memory_delete", "arguments": {"number": "1"}}</tool_call>')[4]
    assert "must be of type integer" in info["error"]
    assert env.step('<tool_call>{"name": "add", "arguments": {"number": 1}}</tool_call>')[4]["costs"] == {"effort": 1.0}
    bare = wrappers.MemoryTools(ToolCount())
    assert "tools: add, memory_add, memory_update" in bare.reset(seed=0)[0]


def test_native_tools_are_json_schema() -> None:
    env = wrappers.NativeCalls(wrappers.MemoryTools(agentgym.make("CraftTree-v0")))
    names = [tool["function"]["name"] for tool in env.tools]
    assert {"move", "mine", "memory_add", "memory_search"} <= set(names)
    move = env.tools[names.index("move")]["function"]["parameters"]
    assert move["required"] == ["direction"]
    assert "north" in move["properties"]["direction"]["enum"]


def test_what_inner_wrappers_say_stays_where_words_become_calls() -> None:
    """The first line is the format's own; the turn limit, the rules and the memory inside are still told."""
    rules = {"work": "F get"}
    inside = wrappers.LTLMonitor(wrappers.Horizon(agentgym.make("TextCraft-v1"), turns=4), rules=rules)
    env = wrappers.CodeBlocks(wrappers.MemoryTools(inside))
    text, _ = env.reset(seed=0)
    last = text.splitlines()[-4:]
    assert last[0].startswith("Functions: get(number, item), craft(item, ingredients), inventory(), memory_add(text)")
    assert last[1] == "You have 4 turns."
    assert last[2].endswith("work: F get.")
    assert last[3] == env.instructions
    for told in last[1:]:
        assert told in env.manual
    assert "Actions:" not in text
    with pytest.raises(agentgym.core.ConfigError, match="SeveralActions splits words"):
        wrappers.JsonCalls(wrappers.SeveralActions(agentgym.make("TextCraft-v1")))


def test_command_tags_take_the_first_block() -> None:
    env = wrappers.CommandTags(agentgym.make("WebShop-v1"), tags={"query": "search"})
    text, _ = env.reset(seed=0)
    assert "<query>words</query>" in text
    info = env.step("Let me see. <query>red shoes</query> <query>blue shoes</query>")[4]
    assert info["action"] == "search[red shoes]"
    assert "none of the tags" in env.step("<search>red shoes</search>")[4]["error"]
    with pytest.raises(LookupError, match="unknown command with one slot or none"):
        wrappers.CommandTags(agentgym.make("WebShop-v1"), tags={"query": "find"})


def test_several_actions_stop_where_one_is_refused() -> None:
    env = wrappers.SeveralActions(agentgym.make("TextCraft-v1"), most=3)
    env.reset(seed=0)
    text, _, _, _, info = env.step("get 1 stone || fly || inventory")
    assert text.startswith("> get 1 stone\nGot 1 stone\n> fly\n")
    assert text.endswith("Not played: inventory")
    assert not info["action_valid"]
    assert [event["type"] for event in info["events"]] == ["get"]
    assert env.unwrapped.turn == 2
    assert "holds 4 actions" in env.step("a || b || c || d")[4]["error"]
    assert "is empty" in env.step("inventory ||")[4]["error"]


def test_choosing_by_number_reaches_every_action() -> None:
    env = wrappers.ChoiceByNumber(agentgym.make("TextCraft-v1"))
    env.reset(seed=0)
    listed = env.unwrapped.admissible_actions()
    assert listed is not None
    for number, action in enumerate(listed, 1):
        twin = agentgym.fork(env)
        assert twin.step(str(number))[4]["action"] == action
    assert f"There is no action {len(listed) + 1}" in env.step(str(len(listed) + 1))[4]["error"]
    assert "There is no action 0" in env.step("0")[4]["error"]
    assert "is no number" in env.step("one")[4]["error"]
    assert sorted(env.admissible_actions() or [], key=int) == [str(number) for number in range(1, len(listed) + 1)]


def test_nearest_takes_what_is_close_and_leaves_what_is_not() -> None:
    env = wrappers.NearestAdmissible(agentgym.make("TextCraft-v1"))
    env.reset(seed=0)
    text, _, _, _, info = env.step("inventry")
    assert (info["read_as"], info["action_valid"]) == ("inventory", True)
    assert text.startswith("(Read as: inventory)\n")
    info = env.step("sing a song for the moon")[4]
    assert (info["read_as"], info["action_valid"], info["similarity"]) == ("", False, 1.0)
    assert env.step("INVENTORY")[4]["read_as"] == ""


def test_nearest_leaves_free_text_alone_where_the_list_is_not_complete() -> None:
    env = wrappers.NearestAdmissible(agentgym.make("WebShop-v1"), cutoff=0.1)
    assert not env.unwrapped.admissible_complete  # type: ignore[attr-defined]
    env.reset(seed=0)
    assert env.step("search[a thing that nobody sells]")[4]["read_as"] == ""


def test_retries_end_the_episode_or_play_the_default() -> None:
    env = wrappers.Retries(agentgym.make("TextCraft-v1"), tries=2)
    env.reset(seed=0)
    assert env.step("fly")[4]["tries_left"] == 1
    assert env.step("inventory")[4]["tries_left"] == 2
    env.step("fly")
    text, reward, terminated, truncated, info = env.step("fly")
    assert (terminated, truncated, info["success"], env.ended, env.admissible_actions()) == (
        True,
        False,
        False,
        True,
        [],
    )
    assert "no try is left" in text
    text, reward, terminated, truncated, info = env.step("inventory")
    assert (text, reward, terminated) == ("The episode is over; call reset() to begin another.", 0.0, True)
    with pytest.raises(TypeError):
        env.step(3)  # type: ignore[arg-type]
    env = wrappers.Retries(agentgym.make("TextCraft-v1"), tries=1, default="get 1 stone")
    env.reset(seed=0)
    text, _, terminated, _, info = env.step("fly")
    assert text.endswith("so this is played instead: get 1 stone\nGot 1 stone")
    assert not terminated
    assert not info["action_valid"]
    assert [event["type"] for event in info["events"]] == ["get"]


@pytest.mark.parametrize("kind", ["ReAct", "Tags", "JsonReply", "JsonCalls", "NativeCalls", "CodeBlocks", "Fenced"])
def test_a_broken_policy_meets_the_turn_limit(kind: str) -> None:
    env = getattr(wrappers, kind)(agentgym.make("TextCraft-v1", max_turns=len(NOISE)))
    env.reset(seed=0)
    ends = [env.step(noise)[3] for noise in NOISE]
    assert ends == [False] * (len(NOISE) - 1) + [True] or env.ended


def test_admissible_replies_are_accepted() -> None:
    for kind in ("ReAct", "Tags", "JsonCalls", "NativeCalls", "CodeBlocks", "Fenced", "SeveralActions"):
        env = getattr(wrappers, kind)(agentgym.make("Household-v1"))
        env.reset(seed=2)
        actions = env.admissible_actions()
        assert actions == sorted(set(actions))
        for action in actions[:: max(1, len(actions) // 6)]:
            assert agentgym.fork(env).step(action)[4]["action_valid"], (kind, action)
        assert env.sample_action(np.random.default_rng(0)) in actions


def test_a_step_before_reset_is_an_error() -> None:
    for kind in ("ReAct", "CodeBlocks", "SeveralActions", "ChoiceByNumber", "Trials", "MemoryTools"):
        with pytest.raises(Exception, match="reset"):
            getattr(wrappers, kind)(agentgym.make("FrozenLake-v0")).step("left")


def test_the_world_is_reached() -> None:
    env = wrappers.ReAct(agentgym.make("FrozenLake-v0"))
    assert isinstance(env.world, LanguageEnv)
    assert env.inner is env.world
