"""How a model is asked in an evaluation: wrappers, templates, system words, examples, pictures, and their record."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentgym.cli import run as command
from agentgym.core import ConfigError
from agentgym.evaluate import EvaluationResult, evaluate, read_episodes, replay
from agentgym.report.evaluated import read_evaluated
from tests.agents.server import Answer, ChatServer, completion
from tests.agents.tool_world import NAME as DRAWERS

LAKE = {"size": 3, "slippery": False, "max_turns": 3}
TEMPLATE = """{{ manual }}
{% for past in history %}
saw {{ past.observation }} did {{ past.action }}
{% endfor %}
TURN {{ turn }} of {{ player }}, {{ left_out }} left out
{{ observation }}
{{ admissible_actions | join(" or ") }}
{{ how_to_answer }}
"""


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A model that thinks of another action than it says."""

    def answer(number: int, request: dict[str, Any]) -> Answer:
        return completion("<think>Thought: up?\nAction: up</think>Thought: I go.\nAction: right")

    with ChatServer(answer) as chat:
        yield chat


def played(
    server: ChatServer, out: Path, env_kwargs: Any = None, agent_options: Any = None, **asked: Any
) -> EvaluationResult:
    options = {"model": "m", "base_url": server.base_url, "concurrency": 1, **(agent_options or {})}
    return evaluate(
        "FrozenLake-v0", "endpoint", episodes=1, workers=0, out=out, agent_options=options,
        env_kwargs=env_kwargs or LAKE, **asked,
    )  # fmt: skip


def talk(server: ChatServer, number: int = -1) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.requests[number]["body"]["messages"]
    return found


def test_a_wrapper_reads_the_answer_without_its_thoughts(server: ChatServer, tmp_path: Path) -> None:
    result = played(server, tmp_path, wrap=["ReAct"])
    turn = result.episodes[0].turns[0]
    assert turn.action == "Thought: I go.\nAction: right"
    assert turn.valid
    assert turn.said is not None
    assert turn.said.startswith("<think>"), "the thought stays on record"
    assert 'Reply with a thought and one action: "Thought:' in talk(server)[0]["content"]
    assert "The last line of your answer" not in talk(server)[0]["content"], "one way to answer, not two"
    assert all(outcome.same for outcome in replay(tmp_path))


def test_a_format_that_asks_for_the_tags_of_thinking_gets_them(tmp_path: Path) -> None:
    with ChatServer(lambda n, r: completion("<think>hm</think><action>right</action>")) as chat:
        result = played(chat, tmp_path, wrap=["Tags"])
    assert result.episodes[0].turns[0].valid


def test_a_wrapper_that_tells_history_is_read_once(server: ChatServer, tmp_path: Path) -> None:
    played(server, tmp_path, wrap=["ReAct", 'History={"turns": 4}'])
    asked = talk(server)
    assert [message["role"] for message in asked] == ["system", "user"]
    assert asked[1]["content"].count("Turn 2\n> Thought: I go.") == 1
    with pytest.raises(ConfigError, match="window has no effect, as the wrapper History"):
        played(server, tmp_path / "two", wrap=["History"], agent_options={"window": 2})


def test_a_template_is_all_that_is_shown(server: ChatServer, tmp_path: Path) -> None:
    result = played(server, tmp_path, agent_options={"prompt": TEMPLATE, "system": "You play well.", "window": 1})
    system, user = talk(server)
    assert system == {"role": "system", "content": "You play well."}
    words = user["content"]
    assert "TURN 3 of player_0, 1 left out" in words
    assert words.count("did right") == 1, "as many earlier turns as the window has"
    assert "down or left or right or up" in words
    assert words.endswith("nothing else stands on that line.")
    turns = result.episodes[0].turns
    assert turns[2].shown == words
    assert turns[2].observation in words
    assert [turn.action for turn in turns] == ["right"] * 3


def test_system_words_come_before_the_manual(server: ChatServer, tmp_path: Path) -> None:
    played(server, tmp_path, agent_options={"system": "Be bold."})
    assert talk(server)[0]["content"].startswith("Be bold.\n\nWalk over the ice")


def test_examples_are_turns_before_the_task(server: ChatServer, tmp_path: Path) -> None:
    result = played(server, tmp_path / "one", wrap=["ReAct"], shots=2)
    asked = talk(server, 0)
    assert [message["role"] for message in asked[:3]] == ["system", "user", "assistant"]
    assert asked[1]["content"].startswith("[Example 1 of 2]\n")
    assert asked[2]["content"].startswith("Thought: This is the next step.\nAction: ")
    assert "You are at the goal" in asked[-1]["content"]
    assert asked[-1]["content"].partition("[Your task]\n")[2] == result.episodes[0].turns[0].observation
    shots = result.config.prompt["shots"]["player_0"]
    assert [shot["seen"][0] in message["content"] for shot, message in zip(shots[:1], asked[1:2], strict=True)] == [
        True
    ]
    again = played(server, tmp_path / "two", wrap=["ReAct"], shots=2, seed=1)
    assert again.config.prompt["shots"] != result.config.prompt["shots"], "the seed draws others"
    test = {turn.observation for episode in result.episodes for turn in episode.turns}
    assert not test & {seen for shot in shots for seen in shot["seen"]}


def test_examples_in_a_template(server: ChatServer, tmp_path: Path) -> None:
    text = "{% for shot in shots %}{{ shot.seen[0] }} > {{ shot.said[0] }}\n{% endfor %}NOW {{ observation }}"
    result = played(server, tmp_path / "a", agent_options={"prompt": text}, shots=1)
    (shot,) = result.config.prompt["shots"]["player_0"]
    assert talk(server)[-1]["content"].startswith(f"{shot['seen'][0]} > {shot['said'][0]}\nNOW ")
    with pytest.raises(ConfigError, match=r"let it take \{\{ shots \}\}"):
        played(server, tmp_path / "b", agent_options={"prompt": "{{ observation }}"}, shots=1)


def test_native_calls_in_examples(tmp_path: Path) -> None:
    from tests.evaluate.test_examples import with_train

    with with_train(), ChatServer(lambda n, r: completion('{"name": "look", "arguments": {"drawer": 1}}')) as chat:
        evaluate(
            DRAWERS, "endpoint", episodes=1, workers=0, out=tmp_path, shots=1,
            agent_options={"model": "m", "base_url": chat.base_url, "tools": True},
        )  # fmt: skip
        asked = talk(chat, 0)
    assert [message["role"] for message in asked] == ["system", "user", "assistant", "tool", "user"]
    call = asked[2]["tool_calls"][0]
    assert call["function"]["name"] == "look"
    assert asked[3] == {"role": "tool", "tool_call_id": call["id"], "content": "A coin!\n\n[Your task]"}


def test_the_oldest_turns_are_left_out_first(tmp_path: Path) -> None:
    with ChatServer(lambda n, r: completion("right " * 60 + "\nright")) as chat:
        played(chat, tmp_path / "all", {**LAKE, "max_turns": 6})
        whole = talk(chat)
        played(chat, tmp_path / "cut", {**LAKE, "max_turns": 6}, {"max_prompt_tokens": 900})
        cut = talk(chat)
        with pytest.raises(ConfigError, match=r"turn 1 of task \w+ shows \d+ tokens .* more than the 50 that a prompt"):
            played(chat, tmp_path / "no", agent_options={"max_prompt_tokens": 50})
    assert len(cut) < len(whole)
    assert cut[0] == whole[0], "the manual stays"
    assert "left out here]" in cut[1]["content"]
    assert "Walk over the frozen lake" in cut[1]["content"], "so does the task"
    assert cut[-1] == whole[-1]


def test_pictures_are_shown_where_the_world_draws_them(server: ChatServer, tmp_path: Path) -> None:
    result = played(server, tmp_path / "lake", agent_options={"pictures": True}, wrap=["ReAct"])
    words, picture = talk(server)[1]["content"]
    assert words["type"] == "text"
    assert base64.b64decode(picture["image_url"]["url"].partition(",")[2]).startswith(b"\x89PNG")
    assert all(outcome.same for outcome in replay(tmp_path / "lake"))
    assert result.config.prompt["pictures"] is True
    with pytest.raises(ConfigError, match="TextCraft-v1 draws no pictures; leave out pictures"):
        evaluate("TextCraft-v1", "endpoint", episodes=1, agent_options={"model": "m", "pictures": True})


def test_an_endpoint_that_takes_no_pictures(tmp_path: Path) -> None:
    refusal = Answer({"error": {"message": "this model reads text"}}, status=400)
    with ChatServer(lambda number, request: refusal) as chat:
        result = played(chat, tmp_path, agent_options={"pictures": True})
    assert "if the model reads no pictures, leave out --pictures" in result.episodes[0].failure


def test_the_prompt_is_on_record_and_in_the_name(server: ChatServer, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"agent_options": {"prompt": TEMPLATE, "system": "Be bold."}, "wrap": ["ReAct"]}
    result = played(server, tmp_path, **asked)
    record = json.loads((tmp_path / "run.json").read_text())
    assert record["prompt"]["prompt"] == TEMPLATE
    assert record["prompt"]["system"] == "Be bold."
    assert record["prompt"]["wrap"] == [{"name": "ReAct"}]
    assert len(record["prompt"]["hash"]) == 12
    mark = record["agent_options"]["prompt"]
    assert mark.startswith("#")
    assert mark not in ("", TEMPLATE)
    assert read_episodes(tmp_path)[0].only.agent_options["prompt"] == mark, "the text stands on record once"
    run = read_evaluated(tmp_path, "run")
    assert run.agent.endswith(" ReAct")
    assert f"prompt={mark}" in run.agent
    assert played(server, tmp_path, **asked).episodes == result.episodes, "asked in the same way it goes on"
    for other, key in (
        (
            {"wrap": ["ReAct"], "agent_options": {"prompt": TEMPLATE + "!", "system": "Be bold."}},
            "agent_options.prompt",
        ),
        ({**asked, "wrap": ["Tags"]}, "prompt.hash"),
        ({**asked, "wrap": []}, "prompt.hash"),
    ):
        with pytest.raises(ConfigError, match=rf"holds a run with {key} \"") as refused:
            played(server, tmp_path, **other)
        assert "\n" not in str(refused.value)


def test_runs_asked_in_different_ways_are_compared(server: ChatServer, tmp_path: Path) -> None:
    plain, other = played(server, tmp_path / "a"), played(server, tmp_path / "b", wrap=["ReAct"])
    short = played(server, tmp_path / "c", wrap=['Horizon={"turns": 2}'])
    one, two, three = (read_evaluated(result.folder, result.folder.name) for result in (plain, other, short))
    assert one.panel == two.panel != three.panel
    assert one.agent != two.agent


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--wrap", "React"], "did you mean 'ReAct'"),
        (["--agent", "random", "--shots", "2"], "random is a program and reads no examples"),
        (["--shots", "2", "--split", "train"], "which is the split that is evaluated"),
        (["--prompt", "none.jinja"], "--prompt none.jinja cannot be read (No such file or directory)"),
        (["--system", "@none.txt"], "--system none.txt cannot be read"),
        (["--prompt", "bad.jinja"], "bad.jinja: the prompt is no Jinja template in line 2"),
        (["--tools"], "has no tools to call"),
        (["--agent", "random", "--prompt", "good.jinja"], "the option 'prompt' has no effect on the agent 'random'"),
        (["--wrap", 'Retries={"tries": 0}'], "tries"),
    ],
)
def test_bad_input_is_one_line(
    server: ChatServer, tmp_path: Path, words: list[str], complaint: str,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.jinja").write_text("{{ observation }}")
    (tmp_path / "bad.jinja").write_text("{{ observation }}\n{% for %}")
    model = [] if "--agent" in words else ["--agent", "endpoint:m", "--base-url", server.base_url]
    assert command(["eval", "FrozenLake-v0", "--episodes", "1", "--workers", "0", *model, *words]) == 2
    said = capsys.readouterr().err
    assert complaint in said
    assert said.count("\n") == 1
