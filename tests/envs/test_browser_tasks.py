"""Tasks from a file on sites of one's own, and the judges that decide them."""

from __future__ import annotations

import json

import pytest

from agentgym.core import AgentGymError, DataError, TaskError
from agentgym.core.text_model import ScriptedModel
from agentgym.envs.web._browser.fixture import task_file
from agentgym.envs.web._browser.judge import Evidence, ModelJudge, RuleJudge
from agentgym.envs.web.browser import StartPageEnv
from tests.envs.browsing import needs_browser, own


def evidence(**given):
    facts = {
        "instruction": "do",
        "answer": "",
        "infeasible": False,
        "url": "http://a.test/x/?q=1&z=2",
        "text": "Hello  World",
    }
    return Evidence(**{**facts, **given})


@pytest.mark.parametrize(
    ("checks", "given", "right"),
    [
        ([], {}, False),
        ([{"answer": "42"}], {"answer": ' "42" '}, True),
        ([{"answer": "42"}], {"answer": "it is 42"}, False),
        ([{"answer_includes": ["it", "42"]}], {"answer": "It is 42"}, True),
        ([{"answer_includes": ["4"]}], {"answer": "42"}, False),
        ([{"answer_includes": ["4"]}], {"answer": "4 pieces"}, True),
        ([{"url": "http://a.test/x?q=1"}], {}, True),
        ([{"url": "http://a.test/x?q=2"}], {}, False),
        ([{"url": "http://a.test/"}], {}, False),
        ([{"page_includes": ["hello world"]}], {}, True),
        (
            [{"event": {"type": "download", "name": "a"}}],
            {"events": ({"type": "download", "name": "a", "bytes": 3},)},
            True,
        ),
        ([{"event": {"type": "download", "name": "b"}}], {"events": ({"type": "download", "name": "a"},)}, False),
        ([{"answer": ""}], {"infeasible": True}, False),
        ([{"infeasible": True}], {"infeasible": True}, True),
        ([{"infeasible": True}], {"answer": "N/A"}, False),
        ([{"answer": "42"}, {"page_includes": ["bye"]}], {"answer": "42"}, False),
    ],
)
def test_rules(checks, given, right):
    assert RuleJudge(checks).judge(evidence(**given)) is right


def test_a_model_may_judge():
    asked = []

    def answer(messages, seed):
        asked.append(messages[0]["content"])
        return 'Sure: {"done": true}'

    assert ModelJudge(ScriptedModel(answer)).judge(evidence(answer="42"))
    assert "42" in asked[0]
    assert "Hello" in asked[0]
    with pytest.raises(AgentGymError, match="gave no"):
        ModelJudge(ScriptedModel(lambda messages, seed: "yes")).judge(evidence())


def test_bad_task_files_are_refused_in_one_line(tmp_path):
    path = tmp_path / "tasks.json"
    good = {"start_url": "http://a.test/", "instruction": "x", "checks": []}
    for content, words in (
        ("{", "no JSON"),
        ("{}", "tasks"),
        (json.dumps({"tasks": [{"id": "1"}]}), "start_url"),
        (json.dumps({"hosts": ["a.test"], "tasks": [{"id": "1", **good}, {"id": "1", **good}]}), "id of its own"),
        (json.dumps({"folders": {"a.test": "none"}, "tasks": [{"id": "1", **good}]}), "does not exist"),
        (
            json.dumps({"hosts": ["a.test"], "tasks": [{"id": "1", **good}, {"id": "2", "split": "dev", **good}]}),
            "split",
        ),
    ):
        path.write_text(content)
        (tmp_path / f"{len(content)}.json").write_text(content)
        with pytest.raises(DataError, match=words) as caught:
            StartPageEnv(tasks=str(tmp_path / f"{len(content)}.json"))
        assert "\n" not in str(caught.value)
    with pytest.raises(DataError, match="cannot be read"):
        StartPageEnv(tasks=str(tmp_path / "missing.json"))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"observe": "pixels"}, "unknown way to observe a page 'pixels'; expected one of: dom, outline, text"),
        ({"picture": None}, "unknown picture of a page None; expected one of: marks, page"),
        ({"viewport": (50, 600)}, "a viewport is 100 to 4096 pixels wide and high, got 50x600"),
        ({"viewport": 600}, "viewport is two numbers, the width and height in pixels, got 600"),
        ({"judge": "strict"}, "judge must be a judge with judge"),
        ({"model": "small"}, "model must be a text model with complete"),
        ({"tasks": None}, "tasks must be the path of a task file, got None"),
    ],
)
def test_wrong_options_are_refused_in_one_line(tmp_path, wrong, said):
    with pytest.raises(AgentGymError, match=said) as caught:
        StartPageEnv(**{**task_file(tmp_path), **wrong})
    assert "\n" not in str(caught.value)


@needs_browser
def test_a_task_is_played_and_judged(tmp_path):
    env = StartPageEnv(**task_file(tmp_path), split="train")
    task = next(task for task in env.tasks("train") if task.id.endswith("-0"))
    text, _ = env.reset(seed=0, options={"task": task.id})
    name = task.id.split("-")[0]
    number = own(text, 'link "' + name + '"')
    text, *_ = env.step(f"click [{number}]")
    seats = text.split(" seats")[0].split()[-1]
    _, reward, terminated, _, info = env.step(f"stop [{seats}]")
    assert (reward, terminated, info["success"]) == (1.0, True, True)
    env.reset(seed=0, options={"task": task.id})
    assert env.step("stop [1000]")[1] == 0.0
    env.reset(
        seed=0,
        options={
            "task": {"start_url": "http://rooms.test/elm.html", "instruction": "Look.", "checks": [{"answer": "yes"}]}
        },
    )
    assert env.step("stop [Yes]")[4]["success"]
    with pytest.raises(TaskError, match="not on an allowed host"):
        env.reset(options={"task": {"start_url": "http://evil.test/", "instruction": "x", "checks": []}})
    env.close()
