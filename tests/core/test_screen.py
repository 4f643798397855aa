"""`human` rendering: text on the terminal after every reset and step, natively, and in PettingZoo's own test."""

from __future__ import annotations

import io
import sys
import warnings
from typing import Any

import gymnasium as gym
import pytest
from pettingzoo.test import render_test

import agentgym
from agentgym.core._pettingzoo_views import aec_view, parallel_view
from agentgym.core.screen import CLEAR, refresh


def chain(env: gym.Env[Any, Any]) -> list[str]:
    """Class names from the outermost wrapper to the world."""
    return [type(env).__name__, *(chain(env.env) if isinstance(env, gym.Wrapper) else [])]


@pytest.mark.parametrize("name", ["FrozenLake-v0", "Wordle-v0", "Household-v1", "CraftTree-v0"])
def test_gymnasium_makes_it_without_a_warning_or_a_wrapper(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make(f"AgentGym/{name}", render_mode="human")
    assert chain(env) == chain(gym.make(f"AgentGym/{name}"))
    assert capsys.readouterr().out == ""
    text, info = env.reset(seed=0)
    head = f"[AgentGym/{name}, task {info['task_id']}, turn"
    told = capsys.readouterr().out
    assert told.startswith(f"{head} 0 of ")
    assert told.endswith(f"{text}\n")
    for turn in (1, 2):
        text = env.step("sing")[0]
        told = capsys.readouterr().out
        assert told.startswith(f"{head} {turn} of ")
        assert told.endswith(f"> sing\n{text}\n")
    assert env.render() is None


@pytest.mark.parametrize("name", ["KuhnPoker-v0", "ColorGrid-v0", "Overcooked-v0"])
def test_a_game_prints_after_reset_and_every_step(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    game, quiet = (agentgym.make(name, render_mode=mode) for mode in ("human", "ansi"))
    for each in (game, quiet):
        each.reset(seed=0)
    assert capsys.readouterr().out == f"{quiet.render()}\n"
    for each in (game, quiet):
        each.play({player: each.expert_action(player) for player in each.to_act})
    assert capsys.readouterr().out == f"{quiet.render()}\n"


@pytest.mark.parametrize("name", ["KuhnPoker-v0", "ColorGrid-v0"])
def test_pettingzoos_own_test_renders_every_mode(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    made: list[str | None] = []

    def make(render_mode: str) -> Any:
        made.append(render_mode)
        of_turns = agentgym.card(name).api == "aec"
        return (agentgym.make if of_turns else aec_view)(name, render_mode=render_mode)

    render_test(make)
    assert made == ["human", *agentgym.make(name).metadata["render_modes"]]
    assert made[1] == "human"
    assert capsys.readouterr().out.count(f"[AgentGym/{name}, task ") >= 10


def test_the_parallel_view_prints_as_its_game_does(capsys: pytest.CaptureFixture[str]) -> None:
    view = parallel_view("KuhnPoker-v0", render_mode="human")
    assert "human" in view.metadata["render_modes"]
    view.reset(seed=0)
    assert capsys.readouterr().out.count("turn 0 of") == 1
    view.step({view.world.agent_selection: "sing"})
    assert capsys.readouterr().out.count("turn 1 of") == 1


def test_a_terminal_is_cleared_and_control_characters_do_not_reach_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        """Says that it is one."""

        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    refresh("one\x1b[31m")
    refresh("two")
    shown = screen.getvalue().split(CLEAR)
    assert shown[0] == ""
    assert "\x1b" not in shown[1]
    assert shown[1].startswith("one")
    assert shown[2] == "two\n"
