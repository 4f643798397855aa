"""Who plays in the checks: the scripted agents that everybody has, and players that try what no agent should."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from agentgym.agents.policy import ActionPolicy, View
from agentgym.agents.scripted import ExpertPolicy, NothingPolicy, OpponentPolicy, OraclePolicy, RandomPolicy
from agentgym.agents.shortcuts import REMEMBERED, shortcut_policy
from agentgym.conformance.texts import CLUMSY, HOSTILE, RUNNABLE, spoiled
from agentgym.core import Driver, EnvCard, StepResult

LEVEL = "level:"  # an agent that is a scripted opponent, such as `level:simple`
SHORTCUT = "shortcut:"  # an agent that does not do the task, such as `shortcut:memory`
SLOW = 8  # train tasks that are remembered where another program answers each step


class _Admissible(RandomPolicy):
    """Draws from the admissible list, or samples where there is none."""

    def act(self, view: View, rng: np.random.Generator) -> str:
        """An action that this `view` lists, drawn by `rng`; a plausible one where none is listed."""
        actions: list[str] | None = view.ask("admissible_actions")
        return actions[int(rng.integers(len(actions)))] if actions else super().act(view, rng)


class _Sampling(ActionPolicy):
    """Draws from the action space of an environment that keeps no contract."""

    def __init__(self, space: Any):
        self._space = space

    def act(self, view: View, rng: np.random.Generator) -> Any:
        """A member of the action space, which draws with a generator of its own: neither `view` nor `rng` is used."""
        return self._space.sample()


class _Hostile(RandomPolicy):
    """Draws from texts in every second turn, and samples in the others."""

    def __init__(self, texts: Sequence[str]):
        self._texts = texts

    def act(self, view: View, rng: np.random.Generator) -> str:
        """A plausible action of this `view` in every second turn, otherwise a hostile text drawn by `rng`."""
        return super().act(view, rng) if len(view.said) % 2 else self._texts[int(rng.integers(len(self._texts)))]


class _Clumsy(RandomPolicy):
    """Samples in every second turn, and says texts in between; they never change, for golden records hold them."""

    def act(self, view: View, rng: np.random.Generator) -> str:
        """By turns of this `view` a text that is nearly an action, and a plausible action drawn by `rng`."""
        turn = len(view.said)
        return CLUMSY[turn // 2 % len(CLUMSY)] if turn % 2 else super().act(view, rng)


class _Repeating(RandomPolicy):
    """Says its first samples in turn for ever."""

    def __init__(self, period: int):
        self._period = period

    def act(self, view: View, rng: np.random.Generator) -> str:
        """Plausible actions drawn by `rng` in the first period, and from then on those that this `view` shows again."""
        turn = len(view.said)
        return super().act(view, rng) if turn < self._period else view.said[turn % self._period]


class _Reciting(ActionPolicy):
    """Says given actions in turn for ever.

    Args:
        actions: What it says.
    """

    def __init__(self, actions: Sequence[str]):
        self._actions = actions

    def act(self, view: View, rng: np.random.Generator) -> str:
        """The next one, by the number of turns in this `view`; nothing is drawn from `rng`."""
        return self._actions[len(view.said) % len(self._actions)]


ALIKE: Mapping[str, ActionPolicy] = {
    "random": RandomPolicy(),
    "admissible": _Admissible(),
    "nothing": NothingPolicy(),
    "oracle": OraclePolicy(),
    "expert": ExpertPolicy(),
    "repeat": _Repeating(1),
    "oscillate": _Repeating(2),
    "clumsy": _Clumsy(),
}


def keeps_contract(driver: Driver) -> bool:
    """Whether the environment is a world of this suite's contract, and not just any Gymnasium environment."""
    return isinstance(getattr(driver.world, "card", None), EnvCard)


def policy(agent: str, driver: Driver, player: str, rng: np.random.Generator) -> ActionPolicy:
    """An agent of one player for one episode; an environment without the contract is sampled whatever the name.

    Args:
        agent: One of `ALIKE`, `hostile` (every second turn a hostile text), `spam` (the worked examples in turn),
            `level:` and a scripted opponent, or `shortcut:` and a player that does not do the task.
        driver: The environment, after its reset.
        player: Whom it plays for.
        rng: Its own generator.
    """
    if not keeps_contract(driver):
        space = driver.action_space(player)
        space.seed(int(rng.integers(2**31)))
        return _Sampling(space)
    if agent.startswith(LEVEL):
        return OpponentPolicy(agent.removeprefix(LEVEL))
    if agent.startswith(SHORTCUT):
        return shortcut_policy(agent.removeprefix(SHORTCUT), SLOW if driver.world.card.program else REMEMBERED)
    if agent == "hostile":
        return _Hostile([*HOSTILE, *RUNNABLE, *spoiled(driver.world)])
    if agent == "spam":
        return _Reciting(driver.told("examples", player))
    return ALIKE[agent]


class PlayerAgent:
    """One player's side of an episode: who plays it, and what it has seen and said.

    Args:
        driver: The environment, after its reset.
        player: Its name.
        agent: Who plays, as `policy` names it.
        rng: The agent's own generator.
    """

    def __init__(self, driver: Driver, player: str, agent: str, rng: np.random.Generator):
        self._player, self._rng = player, rng
        self._policy = policy(agent, driver, player, rng)
        world = keeps_contract(driver)
        self._id = driver.world.card.id if world else ""
        self._manual, self._tools = driver.told("manual", player), driver.told("tools", player)
        self._seen: list[Any] = []
        self._said: list[Any] = []
        self._ask = partial(_ask, driver, player)

    def act(self, result: StepResult) -> Any:
        """The next action.

        Args:
            result: What the player got last.
        """
        self._seen.append(result.observation)
        told = (self._manual, self._tools, self._seen, self._said, self._ask)
        action = self._policy.act(View(self._id, self._player, result.observation, result.info, *told), self._rng)
        self._said.append(action)
        return action


def _ask(driver: Driver, player: str, name: str, *arguments: Any) -> Any:
    return driver.ask(name, player, *arguments)
