"""How far a task on a device is done, step by step: told where it is trained on, and on `test` at the end alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the package starlette is not installed: pip install starlette")
import agentgym
from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs.web._sites.device.screens import APPS
from agentgym.envs.web._sites.plans import reached
from agentgym.envs.web.device import DeviceConfig, DeviceEnv
from agentgym.wrappers import PotentialShaping
from tests.envs.browsing import needs_browser

DEVICES = ("Phone-v0", "Desktop-v0")
TWO_SETTINGS = {
    "template": "mine", "owner": 0, "instruction": "Turn two switches.", "answer": "",
}  # fmt: skip


def test_the_share_of_a_plan_is_what_was_done_last() -> None:
    plan = [["open", "a"], ["click", "b"], ["open", "a"], ["stop", ""]]
    assert reached(plan, []) == 0
    assert reached(plan, [["open", "a"]]) == 1
    assert reached(plan, [["wait", ""], ["open", "a"], ["click", "b"]]) == 2
    assert reached(plan, plan[:3]) == 3
    assert reached(plan, [*plan[:2], ["wait", ""]]) == 0, "what leads away counts for nothing"


@needs_browser
@pytest.mark.parametrize("plan", [[], [[]], [["open"]], [["stop", ""], []]])
def test_a_plan_has_steps_each_with_what_it_is_done_to(plan: list[list[str]]) -> None:
    env = agentgym.make("Phone-v0", split="train").unwrapped
    with pytest.raises(TaskError, match="plan"):
        env.reset(seed=0, options={"task": {**TWO_SETTINGS, "plan": plan, "goals": []}})
    env.reset(seed=0, options={"task": {**TWO_SETTINGS, "plan": [["open", "no such app"]], "goals": []}})
    *_, info = env.step("wait")
    assert (info["progress"], info["failure"]) == (0.0, "")
    env.close()


def test_tasks_need_the_apps_that_were_asked_for() -> None:
    def needed(apps: Any, seed: int) -> set[str]:
        spec = DeviceEnv.generate(DeviceConfig(apps=apps), np.random.default_rng(seed))
        return {step[1] for step in spec["plan"] if step[0] == "open"}

    for app in APPS:
        assert all(needed([app], seed) == {app} for seed in range(3))
    others = [app for app in APPS if app != "Messages"]
    assert all("Messages" not in needed(others, seed) for seed in range(20))
    assert set().union(*(needed(APPS, seed) for seed in range(60))) == set(APPS)
    with pytest.raises(UnknownName, match=r"app of a device 'Contact'; did you mean 'Contacts'"):
        DeviceConfig(apps=["Contact"])
    for wrong in ("Contacts", [], 3):
        with pytest.raises(ConfigError, match="apps is a list of apps, from Settings, Files"):
            DeviceConfig(apps=wrong)


@needs_browser
@pytest.mark.parametrize("device", DEVICES)
def test_each_step_that_leads_to_the_end_is_paid_and_one_that_leads_away_costs(device: str) -> None:
    env = PotentialShaping(agentgym.make(device, split="train", apps=["Settings"]))
    try:
        _, info = env.reset(seed=3)
        assert info["progress"] == 0
        world: Any = env.unwrapped
        paid = [env.step(action)[1] for action in (world.oracle_action(), "wait")]
        assert paid == pytest.approx([1 / len(world._plan()), -1 / len(world._plan())])
        while not info["success"]:
            _, reward, *_, info = env.step(world.oracle_action())
            assert reward >= 0
            paid.append(reward)
        assert reward > 0, "that it was done right counts, not that the way is over"
        assert sum(paid) == pytest.approx(1)
    finally:
        env.close()


@needs_browser
@pytest.mark.parametrize("device", DEVICES)
def test_what_was_changed_stays_done_wherever_one_goes(device: str) -> None:
    """A change that was asked for is part of the way, however it was made; one that was not takes away again."""
    world: Any = agentgym.make(device, split="train").unwrapped
    store = world._build(0).store
    switches = [row for row in store.all("SELECT * FROM settings ORDER BY id") if row["value"] in ("on", "off")]
    first, second, third = switches[:3]
    other = {"on": "off", "off": "on"}
    goals = [
        {"table": "settings", "change": "set", "id": row["id"], "has": {"value": other[row["value"]]}}
        for row in (first, second)
    ]
    spec = {**TWO_SETTINGS, "goals": goals, "plan": [["open", "Settings"], ["stop", ""]]}
    try:
        world.reset(seed=0, options={"task": spec})
        shares = []
        for row in (first, second, third):
            statement = "UPDATE settings SET value = ? WHERE id = ?"
            world._device.store.do(statement, other[row["value"]], row["id"])
            shares.append(world.step("wait")[4]["progress"])
        steps = len(world._plan())
        left = (steps - 1) / steps
        assert shares == pytest.approx([left / 2, left, left / 2])
    finally:
        world.close()


@needs_browser
@pytest.mark.parametrize("device", DEVICES)
def test_on_test_the_share_is_told_with_the_end_alone(device: str) -> None:
    world: Any = agentgym.make(device, split="test").unwrapped
    try:
        _, info = world.reset(seed=0, options={"task": 0})
        while not info["success"]:
            assert info["progress"] == 0
            *_, info = world.step(world.oracle_action())
        assert info["progress"] == 1
    finally:
        world.close()
