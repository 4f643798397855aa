"""PoAct: the switch between planning, thinking and coding, the functions that are shown, and what a turn took."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from agentgym.agents import PoActPolicy, View, agent_home, make_agent
from agentgym.agents.poact import CONTROL, STEPS, bm25, described, retrieved
from agentgym.cli import run
from agentgym.core import ConfigError
from agentgym.evaluate import EvaluationResult, evaluate
from agentgym.wrappers import CodeAction, ReAct
from tests.agents.server import Answer, ChatServer, completion
from tests.envs.boxes import sandbox

WORLD = "AgentGym/Office-v0"
LISTED = re.compile(r"^- (\w+)\(", re.MULTILINE)


def tool(name: str, description: str, **slots: str) -> dict[str, Any]:
    properties = {each: {"type": "string", "description": said} for each, said in slots.items()}
    parameters = {"type": "object", "properties": properties, "required": list(slots)[:1]}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


TOOLS = [
    tool("mail_list", "List mails, the newest first.", folder="Which folder."),
    tool("mail_send", "Send a mail.", to="Addresses.", body="Its text."),
    tool("music_play", "Play a song.", song="Which."),
    tool("notes_show", "Get a note with its text.", note="Its id."),
    tool("finish", "End the task.", answer="The answer."),
]


def names(tools: list[Any]) -> list[str]:
    return [each["function"]["name"] for each in tools]


def test_functions_are_chosen_by_words() -> None:
    assert names(retrieved(TOOLS, "Play the songs that I like", [], 1)) == ["music_play", "finish"]
    assert names(retrieved(TOOLS, "Which mails are the newest?", [], 1)) == ["mail_list", "finish"]
    assert names(retrieved(TOOLS, "Which mails are the newest?", ["x = notes_show(note=1)"], 1)) == [
        "mail_list", "notes_show", "finish",
    ]  # fmt: skip
    assert names(retrieved(TOOLS, "anything", [], 9)) == names(TOOLS)


def test_scores_by_hand() -> None:
    """Two texts of one and three words: a word of the first alone has the rarity ln(1 + 1.5 / 1.5)."""
    first, second = bm25(["mail", "note note song"], "mails")
    assert second == 0
    assert first == pytest.approx(np.log(2) * 2.5 / (1 + 1.5 * (0.25 + 0.75 / 2)))
    assert bm25(["note", "note note"], "notes notes")[0] == bm25(["note", "note note"], "note")[0]
    assert bm25(["a b", "c d"], "nothing of it") == [0, 0]


def test_a_function_is_described_with_what_must_be_given() -> None:
    said = "- mail_send(to, body=None): Send a mail.\n    to: Addresses.\n    body: Its text."
    assert described(TOOLS[1]) == said


def last(request: dict[str, Any]) -> str:
    return str(request["body"]["messages"][-1]["content"])


def step_of(request: dict[str, Any]) -> str:
    """What a question asks for: a choice, or one of the steps."""
    found = [name for name, words in {"CHOICE": CONTROL, **STEPS}.items() if last(request).endswith(words)]
    assert len(found) == 1
    return found[0]


def scripted(said: dict[str, list[str]]) -> Callable[[int, dict[str, Any]], Answer]:
    """Answers each kind of question by its next words; the last ones again and again."""
    left = {kind: list(words) for kind, words in said.items()}

    def answer(number: int, request: dict[str, Any]) -> Answer:
        words = left[step_of(request)]
        return completion(words.pop(0) if len(words) > 1 else words[0])

    return answer


def view(seen: list[str], said: list[str]) -> View:
    return View("x", "player_0", seen[-1], {"instruction": "Play my song"}, "", TOOLS, seen, said, lambda *_: None)


def acted(said: dict[str, list[str]], *turns: View, **options: Any) -> tuple[list[Any], list[dict[str, Any]]]:
    """The replies of a policy to some views, and the questions that it asked."""
    with ChatServer(scripted(said)) as chat:
        policy = make_agent("poact", model="m", base_url=chat.base_url, **options)
        assert isinstance(policy, PoActPolicy)
        session = policy.open([np.random.default_rng(0)])
        found = [session.generate([each])[0] for each in turns]
    return found, chat.requests


def test_the_policy_switches_until_there_is_a_program() -> None:
    said = {"CHOICE": ["Plan.", "**THINK**", "code"], "PLAN": ["1. notes_show"], "THINK": ["Hm. ```x```"],
            "CODE": ["```python\nfinish()\n```"]}  # fmt: skip
    (made,), asked = acted(said, view(["Play my song\nFunctions: all of them"], []), shown=1, notes=3)
    assert [step_of(each) for each in asked] == ["CHOICE", "PLAN", "CHOICE", "THINK", "CHOICE", "CODE"]
    assert made.text == "Plan: 1. notes_show\n\nThought: Hm. x\n\n```python\nfinish()\n```"
    assert (made.reply.prompt_tokens, made.reply.completion_tokens, made.reply.tries) == (60, 12, 1)
    shown = [LISTED.findall(each["body"]["messages"][0]["content"]) for each in asked]
    assert shown[0] == shown[1] == ["music_play", "finish"]
    assert shown[2:] == [["music_play", "notes_show", "finish"]] * 4, "with what the notes name"
    assert all("Functions: all of them" not in json.dumps(each["body"]) for each in asked)
    assert "Plan: 1. notes_show" in last(asked[-1])
    assert len({each["body"]["seed"] for each in asked}) == 6


def test_later_turns_show_what_was_said_and_seen() -> None:
    said = {"CHOICE": ["PLAN", "CODE"], "PLAN": ["ask"], "CODE": ["```python\nmail_list()\n```", "```python\nx\n```"]}
    first = view(["Play my song\nFunctions: all"], [])
    second = view(["Play my song\nFunctions: all", "seven notes"], ["Plan: ask\n\n```python\nmail_list()\n```"])
    _, asked = acted(said, first, second, shown=1)
    messages = asked[-1]["body"]["messages"]
    assert [each["role"] for each in messages] == ["system", "user", "assistant", "user"]
    assert messages[1]["content"] == "Play my song"
    assert messages[2]["content"].startswith("Plan: ask")
    assert messages[3]["content"].startswith("seven notes\n\n")
    listed = LISTED.findall(messages[0]["content"])
    assert listed == ["mail_list", "music_play", "finish"], "what fits, what was called, and what ends the task"


@pytest.mark.parametrize(("notes", "asked"), [(0, ["CODE"]), (1, ["CHOICE", "THINK", "CODE"])])
def test_notes_are_limited(notes: int, asked: list[str]) -> None:
    said = {"CHOICE": ["THINK"], "THINK": ["hm"], "CODE": ["x"]}
    _, questions = acted(said, view(["Play my song"], []), notes=notes)
    assert [step_of(each) for each in questions] == asked


def test_who_chooses_nothing_writes_a_program() -> None:
    _, asked = acted({"CHOICE": ["I am not sure"], "CODE": ["x"]}, view(["Play my song"], []))
    assert [step_of(each) for each in asked] == ["CHOICE", "CODE"]


def test_a_service_that_fails_is_no_end_of_the_run() -> None:
    with ChatServer(lambda number, request: Answer({"error": "no"}, status=400)) as chat:
        policy = make_agent("poact", model="m", base_url=chat.base_url)
        made = policy.open([np.random.default_rng(0)]).generate([view(["Play my song"], [])])[0]
    assert made.error is not None
    assert made.text == ""


def test_options_without_meaning_are_refused() -> None:
    for wrong in ({"shown": 0}, {"notes": -1}, {"max_tokens": 0}):
        with pytest.raises(ConfigError, match="poact needs"):
            make_agent("poact:m", base_url="http://localhost:1/v1", **wrong)
    assert agent_home("poact:m").wrappers == ({"name": "CodeAction"},)
    assert agent_home("endpoint:m").wrappers == ()


def gold() -> tuple[list[dict[str, Any]], Any]:
    """The gold calls of the first task, and its answer."""
    env = gym.make(WORLD, split="val").unwrapped
    env.reset(options={"task": 0})
    reference = env.reference()
    calls = [json.loads(call) for call in reference["calls"]]
    return calls, reference["answer"] if reference["answer"] is not None else "done"


def played(agent: str, script: Callable[[int, dict[str, Any]], Answer], out: Path, **more: Any) -> tuple[
    EvaluationResult, list[dict[str, Any]]
]:  # fmt: skip
    with ChatServer(script) as chat:
        options = {"model": "m", "base_url": chat.base_url, "concurrency": 1}
        result = evaluate(WORLD, agent, split="val", episodes=1, workers=0, out=out, agent_options=options, **more)
    return result, chat.requests


def test_it_solves_a_task_of_the_office_with_fewer_words_than_react(tmp_path: Path) -> None:
    """Both say what the gold calls say; what they had to read for it is compared."""
    sandbox()
    calls, answer = gold()
    names = [call["name"] for call in calls if call["name"] != "finish"]
    lines = [f"{call['name']}(**{call['arguments']!r})" for call in calls if call["name"] != "finish"]
    program = "\n".join(["```python", *lines, f"finish(answer={answer!r})", "```"])
    said = {"CHOICE": ["PLAN", "CODE"], "PLAN": [f"1. {', '.join(dict.fromkeys(names))}"], "CODE": [program]}
    mine, asked = played("poact", scripted(said), tmp_path / "poact")
    (episode,) = mine.episodes
    assert episode.success, episode.only.final_observation
    assert len(asked) == 4
    assert episode.prompt_tokens == 40, "of every question, not only of the last"
    assert mine.config.wrappers[0]["name"] == "CodeAction"
    listed = set(LISTED.findall(asked[-1]["body"]["messages"][0]["content"]))
    everything = len(CodeAction(gym.make(WORLD)).tools)
    assert set(names) | {"finish"} <= listed
    assert len(listed) < everything / 3

    actions = [*(json.dumps(call) for call in calls if call["name"] != "finish"),
               json.dumps({"name": "finish", "arguments": {"answer": answer}})]  # fmt: skip
    replies = [ReAct(gym.make(WORLD)).format_reply([action]) for action in actions]
    theirs, questions = played(
        "endpoint", lambda number, request: completion(replies[number - 1]), tmp_path / "react", wrap=["ReAct"]
    )
    assert theirs.episodes[0].success
    read = [sum(len(json.dumps(each["body"]["messages"])) for each in some) for some in (asked, questions)]
    assert read[0] < read[1]


def test_worlds_without_tools_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="has words"):
        evaluate("FrozenLake-v0", "poact:m", episodes=1, workers=0, out=tmp_path)


def test_the_command_line_plays_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sandbox()
    said = {"CHOICE": ["CODE"], "CODE": ["```python\nfinish(answer='no idea')\n```"]}
    with ChatServer(scripted(said)) as chat:
        words = ["eval", "Office-v0", "--agent", "poact", "--model", "m", "--base-url", chat.base_url, "--split", "val"]
        assert run([*words, "--episodes", "2", "--max-turns", "3", "--out", str(tmp_path)]) == 0
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf8"))
    assert (summary["agent"], summary["success"]["value"], summary["left_out"]) == ("poact", 0.0, 0)
    assert summary["prompt_tokens"] == 10 * len(chat.requests)
    assert summary["retries"] == 0
    assert "poact" in capsys.readouterr().out
