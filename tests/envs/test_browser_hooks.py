"""Hooks of a browser world: pages changed before the agent sees them, and tasks proposed from what was seen."""

from __future__ import annotations

import json

import numpy as np
import pytest

from agentgym.core import AgentGymError
from agentgym.core.text_model import ScriptedModel
from agentgym.envs.web.browser import ModelProposer, RuleProposer, Sketch, StartPageEnv, explore
from tests.envs.browsing import PagesEnv, needs_browser, own

PAGES = {
    "/": '<title>Home</title><a href="/tea">Tea</a><a href="/ink">Ink</a>',
    "/tea": "<title>Tea</title><table><tr><th>Price<td>4 crowns<tr><th>Weight<td>90 g</table><a href=/>Home</a>",
    "/ink": "<title>Ink</title><p>Blue.<a href=/>Home</a>",
}
SEEN = [
    Sketch("http://a.test/", "Home", ('[1] link "Tea"',)),
    Sketch("http://a.test/tea", "Tea", ('[3] row "Price | 4 crowns"', '[4] row "Size | 2"', '[5] row "Size | 3"')),
    Sketch("http://a.test/x", "Twin", ('[1] row "Age | 3"',)),
    Sketch("http://a.test/y", "Twin", ()),
]


class Injected(PagesEnv):
    """A shop whose pages carry a sentence that the site never sent."""

    def _change(self, text):
        return text.replace('link "Tea"', 'link "Tea" (free today)')


@needs_browser
def test_a_page_is_changed_before_the_agent_sees_it():
    env = Injected(PAGES)
    text, _ = env.reset(seed=0)
    assert "free today" in text
    assert "free today" in env.step("click [999]")[0]
    assert "free today" not in env.context.active.evaluate("document.body.textContent")
    assert "4 crowns" in env.step(f"click [{own(text, 'Tea')}]")[0]
    env.close()


def test_rules_propose_what_the_pages_answer():
    tasks = RuleProposer().propose("http://a.test/", SEEN, np.random.default_rng(0))
    assert sorted(json.dumps(task["checks"]) for task in tasks) == [
        '[{"answer": "4 crowns"}]', '[{"url": "http://a.test/tea"}]',
    ]  # fmt: skip
    assert len(RuleProposer(most=1).propose("http://a.test/", SEEN, np.random.default_rng(0))) == 1


def test_a_model_may_propose():
    asked = []

    def answer(messages, seed):
        asked.append(messages[0]["content"])
        return 'Tasks: [{"instruction": "Say the price.", "checks": [{"answer": "4 crowns"}]}]'

    [task] = ModelProposer(ScriptedModel(answer)).propose("http://a.test/", SEEN, np.random.default_rng(0))
    assert task["start_url"] == "http://a.test/"
    assert "4 crowns" in asked[0]
    for said in (
        "none",
        "[1]",
        '[{"instruction": "x", "checks": []}]',
        '[{"instruction": "x", "checks": [{"code": "1"}]}]',
    ):
        with pytest.raises(AgentGymError, match="JSON list of tasks"):
            ModelProposer(ScriptedModel(lambda messages, seed, said=said: said)).propose(
                "http://a.test/", SEEN, np.random.default_rng(0)
            )


@needs_browser
def test_what_is_proposed_can_be_played_and_judged(tmp_path):
    env = PagesEnv(PAGES)
    env.reset(seed=0)
    seen = explore(env, 12, np.random.default_rng(1))
    env.close()
    assert {sketch.title for sketch in seen} == {"Home", "Tea", "Ink"}
    tasks = RuleProposer().propose("http://a.test/", seen, np.random.default_rng(0))
    assert len(tasks) == 4
    folder = tmp_path / "site"
    folder.mkdir()
    for path, page in PAGES.items():
        (folder / (path.strip("/") or "index.html")).write_text(page)
    (tmp_path / "tasks.json").write_text(
        json.dumps({"folders": {"a.test": "site"}, "tasks": [{"id": str(n), **task} for n, task in enumerate(tasks)]})
    )
    world = StartPageEnv(tasks=str(tmp_path / "tasks.json"))
    [price] = [task for task in tasks if {"answer": "4 crowns"} in task["checks"]]
    world.reset(seed=0, options={"task": price})
    assert world.step("stop 4 crowns")[4]["success"]
    world.reset(seed=0, options={"task": price})
    assert not world.step("stop 5 crowns")[4]["success"]
    world.close()
