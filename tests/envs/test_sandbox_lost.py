"""A sandbox that is killed in mid-run costs its own episode, and no other one of an evaluation."""

from __future__ import annotations

import json
import os
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from agentgym.agents import ActionPolicy, View
from agentgym.evaluate import evaluate
from agentgym.report.evaluation import evaluation_page
from agentgym.report.page import Table
from agentgym.wrappers import CodeAction
from tests.envs.boxes import sandbox
from tests.envs.lingering import keepers_killed, lingering

WORLD = "AgentGym/PythonMath-v0"
PATIENT = 30.0  # seconds that the program would stay: far longer than a look at the processes


class Doomed(ActionPolicy):
    """Plays as the oracle does, but in one task, in which it says something else.

    Args:
        task: Id of that task.
        words: What it says there.
    """

    def __init__(self, *, task: str, words: str):
        self.task, self.words = task, words

    def act(self, view: View, rng: np.random.Generator) -> str:
        """See the class."""
        return self.words if view.info["task_id"] == self.task else str(view.ask("oracle_action"))


def said(token: str, wrap: tuple[str, ...]) -> str:
    """The reply whose program stays until its sandbox is killed."""
    code = lingering(token, PATIENT)
    return f"```python\n{code}```" if wrap else json.dumps({"name": "python", "arguments": {"code": code}})


@pytest.mark.parametrize("wrap", [(), ("CodeAction",)])
def test_a_killed_sandbox_costs_its_episode_and_no_other(tmp_path: Path, wrap: tuple[str, ...]) -> None:
    sandbox()
    token = f"doomed{os.getpid()}"
    env = gym.make(WORLD, split="val").unwrapped
    task = env.tasks("val")[1].id
    with keepers_killed(token) as killed:
        result = evaluate(
            WORLD, f"{__name__}:Doomed", split="val", episodes=3, workers=0, out=tmp_path, wrap=wrap,
            agent_options={"task": task, "words": said(token, wrap)},
        )  # fmt: skip
    assert len(set(killed)) == 1
    assert [(each.success, each.stop, each.failure_kind) for each in result.episodes] == [
        (True, "terminated", ""), (False, "terminated", ""), (True, "terminated", ""),
    ]  # fmt: skip
    lost = result.episodes[1]
    assert "has ended the sandbox" in lost.only.final_observation
    assert len(lost.turns) == 1
    assert lost.only.score == 0
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf8"))
    assert summary["success"]["value"] == pytest.approx(2 / 3)
    assert summary["left_out"] == 0
    check_named(tmp_path, str(env.metadata["sandbox"]))


def check_named(folder: Path, name: str) -> None:
    """The sandbox is named in the settings of a run, in its summary and on its page."""
    for file in ("run.json", "summary.json"):
        assert json.loads((folder / file).read_text(encoding="utf8"))["sandbox"] == name
    page = evaluation_page([folder])
    tables = [block for section in page.sections for block in section.blocks if isinstance(block, Table)]
    assert ["programs ran in", name] in [list(row) for table in tables for row in table.rows]


def test_where_no_programs_are_written_no_sandbox_is_named(tmp_path: Path) -> None:
    evaluate("FrozenLake-v0", "random", episodes=2, workers=0, out=tmp_path)
    for file in ("run.json", "summary.json"):
        assert "sandbox" not in json.loads((tmp_path / file).read_text(encoding="utf8"))


def test_a_program_that_ends_its_sandbox_ends_the_episode_of_code_actions() -> None:
    """What it had called before stands, and the next episode is as any other."""
    sandbox()
    token = f"ending{os.getpid()}"
    env = CodeAction(gym.make("AgentGym/Todo-v0"))
    env.reset(seed=0)
    with keepers_killed(token) as killed:
        text, reward, over, cut, info = env.step(f"```python\nget_projects()\n{lingering(token, PATIENT)}```")
    assert killed
    assert text == "The program has ended the sandbox that it ran in; the episode is lost."
    assert (reward, over, cut, info["success"], info["failure"], info["program"]) == (0, True, False, False, "", "lost")
    assert [event["tool"] for event in info["events"]] == ["get_projects", "program"]
    assert (env.ended, env.unwrapped.turn) == (True, 2)
    text, reward, over, *_ = env.step("```python\nprint(1)\n```")
    assert (text, reward, over) == ("The episode is over; call reset() to begin another.", 0, True)
    env.reset(seed=0)
    assert env.step("```python\nprint(1)\n```")[0] == "1"
