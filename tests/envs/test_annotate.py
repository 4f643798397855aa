"""Plans of what was done in a browser, and tasks of chosen sites."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the package starlette is not installed: pip install starlette")
from agentgym.core import AgentGymError
from agentgym.core.plans import PlanStep
from agentgym.envs.web._sites.annotate import PageAnnotator
from agentgym.envs.web.web_suite import SITES, SuiteConfig, WebSuiteEnv, page_annotator
from agentgym.train import read_lines, recipe_table, run_recipe
from tests.envs.browsing import needs_browser

FORM = """Page: "Write" http://forum.test/write
[3] navigation "Site"
  [4] link "Home"
[7] textbox "Title" required
  [8] textbox "Body"
  [9] combobox "Flair"
[10] button "Send"
"""


def test_a_step_is_a_page_or_a_form_by_the_names_that_the_page_shows() -> None:
    trace = [
        ("Page: home", "goto http://forum.test/write"),
        (FORM, 'fill [7] "Only here"'),
        (FORM, 'fill [7] "Only there"'),
        (FORM, 'fill [8] "hello"'),
        (FORM, 'select [9] "Help"'),
        (FORM, "click [10]"),
        (FORM, "click [4]"),
        (FORM, "scroll down"),
        (FORM, "no command"),
        (FORM, "stop [412]"),
    ]
    assert isinstance(page_annotator(), PageAnnotator)
    assert page_annotator().steps("Write a post.", trace) == [
        PlanStep("open http://forum.test/write", 0),
        PlanStep('fill in textbox "Title", textbox "Body", combobox "Flair", then click button "Send"', 1),
        PlanStep('click link "Home"', 6),
        PlanStep("scroll down", 7),
        PlanStep("no command", 8),
        PlanStep("say what was found, if anything was asked, and stop", 9),
    ]
    assert PageAnnotator().steps("", trace[1:3]) == [PlanStep('fill in textbox "Title"', 0)]
    assert PageAnnotator().steps("", [(FORM, "infeasible [no]")]) == [PlanStep("say that it cannot be done", 0)]


def test_sites_of_the_suite_are_named() -> None:
    assert SuiteConfig().sites == tuple(SITES)
    assert SuiteConfig(sites=["map", "forum", "map"]).sites == ("forum", "map")
    with pytest.raises(AgentGymError, match=r"site of WebSuite.*'maps'.*did you mean 'map'"):
        SuiteConfig(sites=["maps"])
    for wrong in ("map", [], 3):
        with pytest.raises(AgentGymError, match="sites is a list of sites, from forum, forge, tracker"):
            SuiteConfig(sites=wrong)


@pytest.mark.full
@pytest.mark.parametrize("site", SITES)
def test_tasks_are_about_the_sites_that_were_asked_for(site: str) -> None:
    drawn = [WebSuiteEnv.generate(SuiteConfig(sites=[site]), np.random.default_rng(seed)) for seed in range(6)]
    assert {tuple(spec["sites"]) for spec in drawn} == {(site,)}
    others = tuple(each for each in SITES if each != site)
    drawn = [WebSuiteEnv.generate(SuiteConfig(sites=others), np.random.default_rng(seed)) for seed in range(6)]
    assert all(site not in spec["sites"] for spec in drawn)
    assert {each for spec in drawn for each in spec["sites"]} <= set(others)


@pytest.mark.full
@needs_browser
def test_plan_and_act_is_taught_plays_and_learns_on_the_sites(tmp_path: Path) -> None:
    """The recipe in little: plans of pages from the oracle's way, a round of play, and the map that nobody has seen."""
    table = recipe_table(
        "plan_and_act",
        {
            "model.tiny.layers": 1, "model.tiny.width": 32, "clone.episodes": 4, "clone.batch": 4, "rollout.groups": 1,
            "rollout.group_size": 2, "rollout.horizon": 2, "update.updates": 2, "update.steps": 1,
            "callback.0.every": 2, "callback.0.tasks": 2,
        },
    )  # fmt: skip
    trainer = run_recipe(table, tmp_path)
    notes = read_lines(tmp_path / "plans.jsonl")
    assert [note["refused"] for note in notes] == [""] * 4
    assert all(note["steps"][-1].startswith(("say what was found", "fill in")) for note in notes)
    assert [update["roles"]["plan"]["turns"] for update in trainer.history] == [
        update["roles"]["act"]["turns"] for update in trainer.history
    ]
    assert trainer.history[-1]["eval_left_out"] == 0
    assert set(trainer.history[-1]["eval_roles"]) == {"plan", "act"}
