"""The kit of tool worlds: schemas of functions, refusals that teach, budget, formats, typed answers, the book."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

import agentgym
from agentgym import wrappers
from agentgym.core import Call, ConfigError, EnvCard, GrammarError, Outcome, Tool, register
from agentgym.core.grammar import Invalid
from agentgym.core.tasks import FiniteTaskSet, Task
from agentgym.envs._kit.tool_records import COSTS, EVENTS
from agentgym.envs._kit.tools import Book, Slot, Toolbox, ToolEnv, ToolError, ToolState, listed_tools, tool
from agentgym.envs._kit.tools.answers import misfit, right
from agentgym.envs._kit.tools.questions import play, proceed, render, written

WORLDS = ("Todo-v0", "Sheet-v0", "Academia-v0", "Weather-v0", "Movie-v0", "Office-v0")  # those with a book of templates
HARM = {  # a call that no question asks for, on an object of the data
    "Todo-v0": lambda desk: said("delete_task", task_id=desk.all_tasks()[0].id),
    "Sheet-v0": lambda desk: said("del_sheet", name=next(iter(desk.workbook.sheets))),
    "Office-v0": lambda desk: said(
        "contacts_delete",
        contact_id=next(row[0] for row in desk.base.rows["contacts"].values() if row[1] == desk.person),
    ),
}
FORMATS = ("ReAct", "Tags", "JsonReply", "JsonCalls", "NativeCalls", "CodeBlocks", "Fenced")


@tool({"code": "A1", "count": 2}, seconds=2.0)
def take(shelf: dict[str, int], code: str, count: int = 1) -> dict[str, int]:
    """Take things from
    the shelf.

    This sentence is for programmers.

    Args:
        code: Of the thing,
            as on the label.
        count: How many.
    """
    if shelf.get(code, 0) < count:
        raise ToolError(f"There are only {shelf.get(code, 0)} of {code!r}; take fewer.")
    shelf[code] -= count
    return {"left": shelf[code]}


@tool(name="look")
def look_at(shelf: dict[str, int], order: Literal["up", "down"] | None = None, only: list[str] | None = None) -> Any:
    """See what is there."""
    return sorted(shelf.items(), reverse=order == "down")


FINISH = Tool("finish", "End.", {"type": "object", "properties": {"answer": {}}, "required": ["answer"]})
BOX = Toolbox((take, look_at), FINISH, "Take all of A1.")
CARD = EnvCard(
    id="ToolTest/Shelf-v0", kind="tools", entry_point="tests.envs.test_tools:ShelfEnv", description="A shelf.",
    citation="none", splits={"train": 1, "val": 1, "test": 1}, max_turns=9, deterministic=True, tools=True,
    events=EVENTS, costs=COSTS,
)  # fmt: skip


class ShelfEnv(ToolEnv):
    """A shelf with three things."""

    card = CARD
    toolbox = BOX
    altered: ClassVar[str] = ""

    def tasks(self, split: str) -> FiniteTaskSet:
        return FiniteTaskSet(split, ["0"], lambda name: Task(name, split, "Take all of A1.", {"n": name}))

    def _reset(self, task: Task) -> str:
        self._state = ToolState({"A1": 3, "B2": 1})
        return task.instruction

    def _altered(self, call: Call, text: str) -> str:
        return text + self.altered

    def _finish(self, arguments: Any) -> Outcome:
        won = self._state.data["A1"] == 0
        return Outcome("Done.", reward=float(won), terminated=True, success=won)


register(CARD)


def shelf(**kwargs: Any) -> ShelfEnv:
    env = ShelfEnv(**kwargs)
    env.reset(seed=0)
    return env


def said(tool: str, /, **arguments: Any) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


def test_a_function_becomes_a_schema() -> None:
    assert take.tool.description == "Take things from the shelf."
    assert take.tool.parameters["required"] == ["code"]
    properties = take.tool.parameters["properties"]
    assert properties["code"]["type"] == "string"
    assert properties["code"]["description"] == "Of the thing, as on the label."
    assert properties["count"]["type"] == "integer"
    only = look_at.tool.parameters["properties"]["only"]
    assert (look_at.name, only["type"], only["items"]["type"]) == ("look", ["array", "null"], "string")


def test_a_parameter_without_a_json_type_is_refused() -> None:
    def bare(shelf: Any, x) -> None:  # type: ignore[no-untyped-def]
        """No type."""

    def strange(shelf: Any, x: complex) -> None:
        """A type that JSON lacks."""

    with pytest.raises(ConfigError, match="needs a type"):
        tool()(bare)
    with pytest.raises(ConfigError, match="has no JSON Schema"):
        tool()(strange)


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (said("tak", code="A1"), "there is no tool 'tak'; did you mean 'take'?"),
        (said("x" * 900, code="A1"), "there is no tool 'xxx"),
        (said("take"), "take: arguments lacks 'code'"),
        (said("take", code="A1", size=2), "take: arguments has the unknown key 'size'; known: code, count"),
        (said("take", code=7), "take: arguments.code must be of type string, got int"),
        (said("take", code="A1", count="2"), "take: arguments.count must be of type integer, got str"),
        (said("take", code="A" * 900), "take: arguments.code must have at most 400 characters, got 900"),
        (said("take", code="A1", count=10**300), "take: arguments.count must be at most 1000000000, got 1000"),
        (said("take", **{"code": "A1", "k" * 900: 1}), "take: arguments has the unknown key 'kkk"),
        (said("take", code="A1", count=5), "There are only 3 of 'A1'; take fewer."),
        ("take A1", "the action is no JSON"),
    ],
)
def test_a_refusal_teaches_in_one_short_line(action: str, reason: str) -> None:
    env = shelf()
    before = env.state_key()
    text, reward, _, _, info = env.step(action)
    assert text.startswith(reason)
    assert (info["action_valid"], reward, env.state_key()) == (False, 0.0, before)
    assert "\n" not in text
    assert len(text) < 300


def test_calls_change_the_data_and_are_told() -> None:
    env = shelf()
    text, _, _, _, info = env.step(said("take", code="A1", count=2))
    assert text == '{"left": 1}'
    assert info["events"] == [{"type": "tool_call", "tool": "take", "arguments": {"code": "A1", "count": 2}}]
    assert info["costs"] == {"duration": 2.0}
    saved = env.snapshot()
    env.step(said("take", code="A1"))
    assert env.step(said("finish", answer=""))[4]["success"]
    env.restore(saved)
    assert not env.step(said("finish", answer=""))[4]["success"]


def test_a_budget_leaves_only_the_final_call() -> None:
    env = shelf(budget=2)
    env.step(said("take", code="C"))  # refused: costs nothing
    for _ in range(2):
        assert env.step(said("take", code="A1"))[4]["action_valid"]
    assert env.step(said("look"))[0] == "The budget of 2 tool calls is spent; only finish is left to call."
    assert env.step(said("finish", answer=""))[2]
    with pytest.raises(ConfigError, match="budget must be a whole number"):
        ShelfEnv(budget=0)


def test_a_world_without_its_end_is_refused_when_it_is_made() -> None:
    class Endless(ToolEnv):
        card = CARD
        toolbox = BOX

    with pytest.raises(TypeError, match="_finish"):
        Endless()


def test_a_delay_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    env = shelf(delay=0.25)
    env.step(said("look"))
    env.step(said("nothing"))
    assert slept == [0.25]
    assert shelf().step(said("look"))[0]
    assert slept == [0.25]


def test_results_can_be_altered() -> None:
    class Noisy(ShelfEnv):
        altered = " <-- buy now"

    env = Noisy()
    env.reset(seed=0)
    assert env.step(said("look"))[0].endswith("]] <-- buy now")
    assert all(isinstance(env.parse(env.sample_action(np.random.default_rng(n))), Call) for n in range(30))


def test_players_may_have_tools_of_their_own() -> None:
    part = BOX.only(["take"], "Only take.")
    assert part.names == ["take", "finish"]
    assert part.grammar.manual.startswith("Only take.")
    assert isinstance(part.grammar.parse(said("look")), Invalid)
    with pytest.raises(GrammarError, match="worked example"):
        BOX.only(["look"])


def test_a_list_of_tools_with_callables() -> None:
    entry = {"name": "add", "description": "Add.", "inputSchema": {"type": "object", "properties": {}}}
    (made,) = listed_tools([entry], {"add": lambda data: data + 1})
    assert made.run(1) == 2
    chat = {"type": "function", "function": {"name": "add", "description": "Add.", "parameters": {"type": "object"}}}
    assert listed_tools([chat], {"add": print})[0].name == "add"
    with pytest.raises(ConfigError, match="no callable is given for the tool 'add'"):
        listed_tools([entry], {"sub": print})
    with pytest.raises(ConfigError, match="a name and an inputSchema"):
        listed_tools([{"name": "add"}], {"add": print})


# Formats


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", [*WORLDS, "SQL-v0"])
def test_the_expert_wins_in_every_format(kind: str, name: str) -> None:
    bare, env = agentgym.make(name, split="val"), getattr(wrappers, kind)(agentgym.make(name, split="val"))
    for place in (0, 1, 2):
        bare.reset(seed=4, options={"task": place})
        env.reset(seed=4, options={"task": place})
        assert all(isinstance(env.parse(example), Call) for example in env.examples)
        while not env.ended:
            assert env.step(env.expert_action())[:4] == bare.step(bare.unwrapped.expert_action())[:4]
        assert bare.unwrapped.ended


# Answers and questions


@pytest.mark.parametrize(
    ("kind", "answer", "gold", "verdict"),
    [
        ("number", 3, 3, True),
        ("number", "3.0", 3, True),
        ("number", 33.33, 33.333333, True),
        ("number", 33.3, 33.333333, False),
        ("number", True, 1, None),
        ("number", "three", 3, None),
        ("number", 10**20, 3, None),
        ("reading", -3.004, -3, True),
        ("reading", "-3", 3, False),
        ("reading", "cold", -3, None),
        ("date", " 2015-06-01 ", "2015-06-01", True),
        ("date", "June 1", "2015-06-01", None),
        ("name", "  order THE oven ", "Order the oven", True),
        ("name", ["Order the oven"], "Order the oven", None),
        ("text", " 555-1234", "555-1234", True),
        ("text", 555, "555-1234", None),
        ("texts", ["pdf", "zip"], ["zip", "pdf"], True),
        ("texts", "pdf", ["pdf"], None),
        ("list", ["b", "A"], ["a", "b"], True),
        ("list", ["a", "a"], ["a", "b"], False),
        ("list", "a, b", ["a", "b"], None),
    ],
)
def test_answers_are_typed(kind: str, answer: Any, gold: Any, verdict: bool | None) -> None:
    """None: the answer is of another type, and refused with a line that says so."""
    wrong = misfit(kind, answer)
    assert bool(wrong) == (verdict is None)
    assert len(wrong) < 120
    if verdict is not None:
        assert right(kind, answer, gold) is verdict


def test_a_half_may_be_rounded_either_way() -> None:
    """The mean of these wind speeds is 24.425 exactly."""
    env: Any = agentgym.make("Weather-v0", split="test")
    for answer, verdict in ((24.42, True), (24.43, True), (24.425, True), (24.41, False), (24.44, False)):
        env.reset(options={"task": 99})
        assert "mean of the hourly wind speeds of 2022-01-02" in env.unwrapped.task.instruction
        assert env.step(said("finish", answer=answer))[4]["success"] is verdict


def test_a_program_is_played_and_followed() -> None:
    def program(code: str) -> Iterator[Any]:
        rows = yield ("look", {})
        count = dict(rows)[code]
        yield ("take", {"code": code, "count": count})
        return count

    trace = play(program("A1"), BOX, {"A1": 3})
    assert trace.answer == 3
    assert trace.texts == ('[["A1", 3]]', '{"left": 0}')
    seen = [(written(("look", {"order": "up"})), "[]")]  # a call of its own, passed over
    assert proceed(program("A1"), seen) == (("look", {}), None)
    seen.append((written(("look", {})), render([["A1", 1]])))  # what was seen counts, not what is there
    assert proceed(program("A1"), seen) == (("take", {"code": "A1", "count": 1}), None)


def test_a_book_refuses_what_it_could_not_read() -> None:
    book = Book({"code": Slot("[A-Z]", str, lambda rng, data, found: "A")})
    with pytest.raises(GrammarError, match="same known slots"):
        book.ask("number", 1, "How many {code}?", "How many?")(lambda code: iter(()))
    with pytest.raises(GrammarError, match="unknown type"):
        book.ask("opinion", 1, "How many {code}?")(lambda code: iter(()))


@dataclass
class Asked:
    """What a panel asks, for the figures below."""

    questions: set[str]
    keys: set[str]


@pytest.mark.full
@pytest.mark.parametrize("name", WORLDS)
def test_no_two_splits_share_a_question(name: str) -> None:
    """Neither in the same words nor in others; a question is its template with its arguments, whatever the data."""
    env = agentgym.make(name).unwrapped
    asked = {}
    for split, count in (("train", 400), ("val", 200), ("test", 200)):
        tasks = [env.tasks(split)[place] for place in range(count)]
        keys = {env.content_key(task.spec) for task in tasks}
        asked[split] = Asked({task.instruction for task in tasks}, keys)
        assert split == "train" or len(keys) == count
    for one, other in (("train", "val"), ("train", "test"), ("val", "test")):
        assert not asked[one].questions & asked[other].questions
        assert not asked[one].keys & asked[other].keys


@pytest.mark.parametrize("name", WORLDS)
def test_templates_differ_in_their_programs_and_questions_in_their_words(name: str) -> None:
    env = agentgym.make(name).unwrapped
    book = env.world.book
    assert len(book.templates) >= 40
    assert all(len(set(template.wordings)) >= 3 for template in book.templates.values())
    assert {template.answer for template in book.templates.values()} >= {"number", "name", "list", "date"}
    assert any(template.answer == "state" for template in book.templates.values()) == (name in HARM)
    assert {template.hops for template in book.templates.values()} == {1, 2, 3, 4}
    codes = {template.program.__code__.co_code + repr(template.program.__code__.co_consts).encode() + repr(
        template.program.__code__.co_names).encode() for template in book.templates.values()}  # fmt: skip
    assert len(codes) >= 40
    words = [env.tasks(split)[place].instruction.split() for split in ("val", "test") for place in range(200)]
    assert len({tuple(said[at : at + 4]) for said in words for at in range(len(said) - 3)}) > 3_000


@pytest.mark.parametrize("name", WORLDS)
def test_every_question_is_read_in_one_way(name: str) -> None:
    """The expert reads template and arguments out of the words; so may anybody, and nothing is ambiguous."""
    env = agentgym.make(name, split="test").unwrapped
    for place in range(200):
        env.reset(seed=0, options={"task": place})
        problem = env._problem
        assert env.world.book.read(problem.question) == [(problem.template, dict(problem.arguments))]


@pytest.mark.parametrize("name", WORLDS)
def test_the_answer_is_not_told_before_it_is_found(name: str) -> None:
    """Not in the first observation, nor in any `info`; and without a look-up no answer in a fixed place is right."""
    env = agentgym.make(name, split="val").unwrapped
    same: dict[tuple[str, str], int] = {}
    for place in range(200):
        text, info = env.reset(seed=0, options={"task": place})
        answer = env.reference()["answer"]
        kind = env._problem.template.answer
        if kind in ("name", "date"):
            known = any(str(value).startswith(answer) for value in env._problem.arguments.values())
            assert known or str(answer) not in text + json.dumps(info), (place, answer)
        same[kind, str(answer)] = same.get((kind, str(answer)), 0) + (kind != "state")
    assert max(same.values()) <= 8  # saying the most frequent answer of each type every time


@pytest.mark.parametrize("name", HARM)
def test_changing_what_was_not_asked_fails_a_question(name: str) -> None:
    """An answer that is right counts only where the data were left as they were."""
    env = agentgym.make(name, split="val").unwrapped
    asked = [env._problem_of(env.tasks("val")[place].spec).template.answer for place in range(50)]
    place = next(place for place, kind in enumerate(asked) if kind != "state")
    env.reset(seed=0, options={"task": place})
    while json.loads(action := env.oracle_action())["name"] != "finish":
        assert env.step(action)[4]["progress"] > 0
    saved = env.snapshot()
    assert env.step(action)[1] == 1.0
    env.restore(saved)
    assert env.step(HARM[name](env._state.data))[4]["action_valid"]
    assert env.step(action)[1] == 0.0
