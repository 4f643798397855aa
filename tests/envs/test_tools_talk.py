"""Users to talk to: what a script tells and when it leaves, a model in its place, and a world around both."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym import wrappers
from agentgym.core import (
    Cassette,
    ConfigError,
    EnvCard,
    Message,
    Outcome,
    Reply,
    ScriptedModel,
    Tool,
    register,
)
from agentgym.core.errors import EngineFailure, RequestRefused
from agentgym.core.rng import stream
from agentgym.core.tasks import FiniteTaskSet, Task
from agentgym.envs.tools import kit

ITEMS = ("red bolt", "blue nut", "green gear", "grey cap")
DONE = Tool("finish", "End the task, when all is done.", {"type": "object", "properties": {}})


def put_back(stock: dict[str, int], item: str, count: int) -> dict[str, int]:
    """Put things that were brought back into stock, and see how many there are now.

    Args:
        item: What was brought.
        count: How many.
    """
    if item not in stock:
        raise kit.ToolError(f"There is no {item[:20]!r}; the items are {', '.join(stock)}.")
    stock[item] += count
    return {"in_stock": stock[item]}


class ReturnsEnv(kit.TalkEnv):
    """Take back what a customer of a stock room brings, and say how many there are then."""

    card = EnvCard(
        id="TalkTest/Returns-v0", kind="tools", entry_point="tests.envs.test_tools_talk:ReturnsEnv", citation="none",
        description="Returns.", splits={"train": 8, "val": 8, "test": 8}, max_turns=12, deterministic=True, tools=True,
        events=kit.TALK_EVENTS, costs=kit.TALK_COSTS,
    )  # fmt: skip
    toolbox = kit.Toolbox(
        (kit.tool({"item": "red bolt", "count": 2})(put_back),), DONE, "You run a stock room.", spoken=kit.RESPOND
    )

    def tasks(self, split: str) -> FiniteTaskSet:
        names = [str(number) for number in range(8)]
        return FiniteTaskSet(split, names, lambda name: Task(f"{split}-{name}", split, "Serve the user.", {"n": name}))

    def _meet(self, task: Task) -> tuple[dict[str, int], kit.ScriptedUser]:
        rng = stream("tests.returns", task.id)
        stock = {item: int(rng.integers(10, 90)) for item in ITEMS}
        item, count = ITEMS[int(rng.integers(4))], int(rng.integers(2, 9))
        self._wanted = {**stock, item: stock[item] + count}
        facts = (
            kit.Fact(("item", "what", "which"), f"It is the {item}."),
            kit.Fact(("how many", "count", "number"), f"I have {count} of them."),
            kit.Fact(("name",), "My name is Uma."),
        )
        goal = kit.Goal((str(self._wanted[item]),), "Tell me how many you have then.")
        return stock, kit.ScriptedUser("Hello, I want to bring something back.", facts, (goal,))

    def _finish(self, arguments: Mapping[str, Any]) -> Outcome:
        won = self._state.data == self._wanted
        return Outcome("Done.", reward=float(won), terminated=True, success=won)

    def _expert(self) -> str:
        """Asks item and count, puts the things back, tells the number: all from what was said and shown."""
        heard = " ".join(text for who, text in self._state.talk if who == "user")
        item = next((name for name in ITEMS if name in heard), "")
        if not item:
            return said("respond", content="Which item is it?")
        count = heard.partition("I have ")[2].partition(" ")[0]
        if not count:
            return said("respond", content="How many of them?")
        results = [text for call, text in self._state.seen if "put_back" in call]
        if not results:
            return said("put_back", item=item, count=int(count))
        return said("respond", content=f"Thank you. There are {json.loads(results[0])['in_stock']} now.")


register(ReturnsEnv.card)


def said(tool: str, /, **arguments: Any) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


def returns(place: int = 0, **kwargs: Any) -> Any:
    env = agentgym.make("TalkTest/Returns-v0", **kwargs).unwrapped
    env.reset(seed=1, options={"task": place})
    return env


USER = kit.ScriptedUser(
    "Hello.",
    (kit.Fact(("order",), "It is W1."), kit.Fact(("zip code", "zip"), "10115."), kit.Fact(("name",), "Uma.")),
    (kit.Goal(("refunded", "refund"), "I want my money back."), kit.Goal(("12.50",), "How much is it?")),
)


def hears(*words: str, user: kit.User = USER, seed: int = 0) -> kit.Said:
    """What the user says after the agent said these things, one after the other."""
    talk = [("user", user.opening)]
    for text in words:
        answer = user.reply([*talk, ("agent", text)], seed)
        talk += [("agent", text), ("user", answer.text)]
    return answer


def test_a_fact_is_told_when_it_is_asked_for_and_once() -> None:
    assert hears("What is the ORDER, please?").text == "It is W1."
    assert hears("Your zip-code?").text == "10115."
    assert hears("Reorder zipped names!").text.endswith("I want my money back.")  # whole words only
    assert hears("The order?", "The order?").text.endswith("I want my money back.")


def test_naming_everything_does_not_draw_out_everything() -> None:
    assert hears("order zip name").text == "It is W1. 10115."
    assert hears("order zip name", "order zip name").text == "Uma."


def test_a_user_leaves_satisfied_or_out_of_patience() -> None:
    assert not hears("You are refunded.").over
    assert hears("You are refunded.", "Is that so?").text.endswith("How much is it?")
    happy = hears("You are refunded.", "It is 12.50.")
    assert happy.over
    assert happy.text in USER.thanks
    assert not hears("Hm.", "Hm.").over
    angry = hears("Hm.", "Hm.", "Hm.")
    assert angry.over
    assert angry.text in USER.leaves
    assert not hears("Hm.", "The order?", "Hm.", "Zip?").over  # what helps costs no patience


def test_words_are_drawn_from_the_seed() -> None:
    texts = {hears("Hm.", seed=seed).text for seed in range(20)}
    assert len(texts) == len(USER.puzzled)
    assert hears("Hm.", seed=3) == hears("Hm.", seed=3)


def test_the_expert_serves_every_user() -> None:
    for place in range(8):
        env = returns(place)
        while not env.ended:
            text, reward, terminated, _, info = env.step(env.expert_action())
            assert info["action_valid"]
        assert terminated
        assert info["success"]
        assert (reward, env.turn) == (1.0, 4)
        assert text.endswith("\nDone.")


def test_what_was_said_is_on_record() -> None:
    env = returns()
    text, _, _, _, info = env.step(said("respond", content="Which item?"))
    call, turn = info["events"]
    assert (call["type"], call["tool"], call["arguments"]) == ("tool_call", "respond", {"content": "Which item?"})
    assert turn == {"type": "user_turn", "content": text, "over": False}
    assert info["costs"] == {"duration": 10.0, "user_tokens": 0, "user_cost": 0.0}


def test_a_user_who_goes_ends_the_episode() -> None:
    env = returns()
    env.step(said("respond", content="Hm."))
    env.step(said("respond", content="Hm."))
    text, reward, terminated, _, info = env.step(said("respond", content="Hm."))
    assert text.endswith("\nDone.")
    assert (reward, terminated, info["success"]) == (0.0, True, False)
    assert info["events"][-1]["over"]


def test_talking_is_refused_in_one_line_and_costs_no_budget() -> None:
    env = returns(budget=1)
    for arguments, reason in (
        ({}, "respond: arguments lacks 'content'."),
        ({"content": "Hi", "to": "user"}, "respond: arguments has the unknown key 'to'; known: content"),
        ({"content": ""}, "respond: arguments.content must have at least 1 character"),
        ({"content": "x" * 401}, "respond: arguments.content must have at most 400 characters, got 401"),
    ):
        text, _, _, _, info = env.step(said("respond", **arguments))
        assert text.startswith(reason)
        assert not info["action_valid"]
    env.step(said("put_back", item="red bolt", count=1))
    assert "budget of 1" in env.step(said("put_back", item="red bolt", count=1))[0]
    assert env.step(said("respond", content="Which item?"))[4]["action_valid"]


def test_a_snapshot_holds_the_conversation() -> None:
    env, other = returns(3), returns(5)
    env.step(env.expert_action())
    saved, key = env.snapshot(), env.state_key()
    after = [env.step(said("respond", content=words)) for words in ("Hm.", "How many?", "Hm.")]
    assert env.state_key() != key
    for world in (env, other):
        world.restore(saved)
        assert world.state_key() == key
        assert [world.step(said("respond", content=words)) for words in ("Hm.", "How many?", "Hm.")] == after
    twin = returns(3)
    twin.step(said("respond", content="What is it?"))  # in other words: another conversation
    assert twin.state_key() != key


def test_random_players_talk_too() -> None:
    env = returns()
    names = {json.loads(env.sample_action(np.random.default_rng(n)))["name"] for n in range(60)}
    assert names == {"respond", "put_back", "finish"}


class Fake:
    """A model that plays the user: tells item and count when asked, and says goodbye when it hears a number."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[Message], int]] = []

    def complete(self, messages: Sequence[Message], *, seed: int = 0, max_tokens: int = 512) -> Reply:
        self.asked.append((list(messages), seed))
        scenario, last = messages[0]["content"], messages[-1]["content"]
        lines = [line[2:] for line in scenario.splitlines() if line.startswith("- ")]
        if any(word.strip(".").isdigit() for word in last.split()):
            return Reply("Lovely.\n[goodbye]", 40, 5, 0.002)
        return Reply(lines["How many" in last], 30, 6, 0.001)


def test_a_model_plays_the_user() -> None:
    model = Fake()
    env = returns(2, user=model)
    costs = []
    while not env.ended:
        text, _, _, _, info = env.step(env.expert_action())
        costs.append((info["costs"]["user_tokens"], info["costs"]["user_cost"]))
    assert info["success"]
    assert text == "Lovely.\nDone."
    assert costs == [(36, 0.001), (36, 0.001), (0, 0.0), (45, 0.002)]
    messages, _ = model.asked[1]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert [message["content"] for message in messages[1::2]] == ["Which item is it?", "How many of them?"]
    assert "Hello, I want to bring something back." in messages[0]["content"]
    assert len({seed for _, seed in model.asked}) == 3
    again = Fake()
    twin = returns(2, user=again)
    while not twin.ended:
        twin.step(twin.expert_action())
    assert again.asked == model.asked  # the same conversation, seeds included


def test_a_model_in_the_place_of_the_user_is_as_exact(tmp_path: Any) -> None:
    """Recorded once, a conversation is replayed without the model, after a restore too."""
    path = tmp_path / "user.jsonl"
    env = returns(1, user=Cassette(path, Fake()))
    env.step(env.expert_action())
    saved = env.snapshot()
    first = [env.step(env.expert_action()) for _ in range(3)]
    other = returns(7, user=Cassette(path))
    other.restore(saved)
    assert [other.step(other.expert_action()) for _ in range(3)] == first


def test_a_model_that_says_nothing_is_a_failure_of_the_world() -> None:
    env = returns(user=ScriptedModel(lambda messages, seed: "  "))
    _, reward, terminated, truncated, info = env.step(env.expert_action())
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert "the model that plays the user said nothing" in info["failure"]
    with pytest.raises(EngineFailure):
        hears("Hi", user=kit.ModelUser(ScriptedModel(lambda messages, seed: ""), "", "Hello."))
    with pytest.raises(ConfigError, match="user must be a text model"):
        returns(user="gpt")


def test_an_agent_cannot_silence_the_user_into_a_failure_of_the_world() -> None:
    def answer(messages: Any, seed: int) -> str:
        told = messages[-1]["content"]
        if "FILTER" in told:
            raise RequestRefused("answered status 400 (content_filter)")
        return "" if "Say nothing." in told else "I would like my money back."

    env = returns(user=ScriptedModel(answer))
    for words in ("Say nothing.", "FILTER"):
        text, _, _, truncated, info = env.step(json.dumps({"name": "respond", "arguments": {"content": words}}))
        assert "The user says nothing." in text
        assert not truncated
        assert info["failure"] == ""


def test_a_user_is_served_in_native_calls() -> None:
    env = wrappers.NativeCalls(agentgym.make("TalkTest/Returns-v0"))
    env.reset(seed=0, options={"task": 4})
    while not env.ended:
        info = env.step(env.expert_action())[4]
    assert info["success"]
