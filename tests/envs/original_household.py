"""The original household engine behind a plain interface, and the comparison of one game in both engines.

Needs `alfworld` and `textworld`. The original spends nearly all its time on deriving the words of its admissible
commands from the grammar, anew for each command at each step. `Original` says the same words from the template, and
compares them with the original's own derivation at every `CHECKED`-th step.
"""

from __future__ import annotations

import contextlib
import io
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

import agentgym  # noqa: F401  (registers the ids)
from agentgym.envs.text.household import load_game

INTRO = "-= Welcome to TextWorld, ALFRED! =-"
CHECKED = 100
SAYS = re.compile(r"\{(\w+)(?:\.name)?\}")


@dataclass(frozen=True)
class Shown:
    """One answer: feedback, reward, whether the game is won, admissible commands."""

    feedback: str
    reward: float
    won: bool
    commands: tuple[str, ...]


def original(path: Path, exact: bool = False) -> Any:
    """The original engine with a game loaded; `exact` leaves its own derivation of commands in place."""
    import textworld
    from alfworld.agents.environment.alfred_tw_env import AlfredDemangler
    from textworld.envs.pddl import PddlEnv

    class Quick(PddlEnv):
        steps = 0

        def _gather_infos(self) -> None:
            self.steps += 1
            if not hasattr(self, "_entity_infos"):
                return
            quick = sorted(set(self._quick()))
            if self.steps % CHECKED == 1:
                super()._gather_infos()
                assert self.state["admissible_commands"] == quick, "the quick words differ from the original's own"
                return
            self.state["won"] = self._pddl_state.check_goal()
            self.state["lost"] = False
            self.state["_valid_actions"] = self._actions
            self.state["_valid_commands"] = self._words
            self.state["admissible_commands"] = quick

        def _quick(self) -> list[str]:
            self._actions = list(self._pddl_state.all_applicable_actions())
            self._words = []
            for action in self._actions:
                names = {slot.name: self._entity_infos[value.name].name for slot, value in action.mapping.items()}
                template = "go to {r}" if action.name == "gotolocation" else action.command_template
                self._words.append(SAYS.sub(lambda found, names=names: names[found[1]], template))
            return self._words

    infos = textworld.EnvInfos(won=True, admissible_commands=True)
    env = AlfredDemangler((PddlEnv if exact else Quick)(infos))
    with contextlib.redirect_stdout(io.StringIO()):
        env.load(str(path))
    return env


class Original:
    """A game in the original engine: `reset()` and `step(command)` give what it showed."""

    def __init__(self, path: Path, exact: bool = False):
        self._env = original(path, exact)

    def reset(self) -> Shown:
        """Begin the game."""
        state = self._env.reset()
        return Shown(state.feedback, 0.0, bool(state["won"]), tuple(state["admissible_commands"]))

    def step(self, command: str) -> Shown:
        """Play one command."""
        state, reward, done = self._env.step(command)
        return Shown(state.feedback, float(reward), bool(done), tuple(state["admissible_commands"]))


class Native:
    """The same game in the native engine, with a turn limit that is never met."""

    def __init__(self, spec: dict[str, Any]):
        self.env = gym.make("AgentGym/Household-v1", max_turns=1_000_000)
        self._spec = spec

    def reset(self) -> Shown:
        """Begin the game."""
        text, info = self.env.reset(options={"task": self._spec})
        return self._shown(text.removesuffix(f"\n{self.env.unwrapped.grammar.line}"), 0.0, info)

    def step(self, command: str) -> Shown:
        """Play one command."""
        text, reward, _, _, info = self.env.step(command)
        return self._shown(text.removesuffix(f"\n{info['error']}") if info["error"] else text, float(reward), info)

    def _shown(self, text: str, reward: float, info: dict[str, Any]) -> Shown:
        listed = sorted(
            self.env.unwrapped._admissible()
        )  # the contract lists nothing after the end, the original goes on
        return Shown(text, reward, info["success"], tuple(listed))


@dataclass(frozen=True)
class Exchange:
    """A command and what the original answered."""

    command: str
    shown: Shown


@dataclass(frozen=True)
class Comparison:
    """One game in both engines: what the original showed, and where the native engine differed."""

    first: Shown
    episodes: tuple[tuple[Exchange, ...], ...]
    differences: tuple[str, ...]


def compare(path: Path, seed: int, limit: int) -> Comparison:
    """Play the same actions in both: an episode of random and stale commands, and one of the oracle with distractions.

    A stale command was listed earlier in the game; most are refused when they are repeated.
    """
    rng = np.random.default_rng(seed)
    ours, theirs = Native(load_game(path)), Original(path)
    differences: list[str] = []
    episodes = []
    for guided in (0.0, 0.7):
        native, shown = ours.reset(), theirs.reset()
        first, listed, played = shown, list(shown.commands), []
        _note(differences, path, "reset", native, shown)
        while len(played) < limit and not shown.won:
            command = _choose(rng, ours, shown, listed, guided)
            native, shown = ours.step(command), theirs.step(command)
            listed += shown.commands
            played.append(Exchange(command, shown))
            _note(differences, path, command, native, shown)
        episodes.append(tuple(played))
    return Comparison(first, tuple(episodes), tuple(differences))


def _choose(rng: np.random.Generator, ours: Native, shown: Shown, listed: list[str], guided: float) -> str:
    if rng.random() < guided:
        return ours.env.unwrapped.oracle_action()
    if rng.random() < 0.15:
        return listed[int(rng.integers(len(listed)))]
    near = [command for command in shown.commands if not command.startswith(("go to", "help", "inventory", "look"))]
    pool = near if near and rng.random() < 0.65 else shown.commands
    return pool[int(rng.integers(len(pool)))]


def _note(differences: list[str], path: Path, command: str, native: Shown, shown: Shown) -> None:
    for part in ("feedback", "reward", "won", "commands"):
        one, other = getattr(native, part), getattr(shown, part)
        if one != other:
            differences.append(f"{path.parts[-3]}, {command}, {part}: native {one!r}, original {other!r}")
