"""`LanguageEnv`: a world of one player as a Gymnasium environment whose observations and actions are text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from agentgym.core.checks import check_action
from agentgym.core.env import PLAYER, BaseEnv
from agentgym.core.errors import ActionStopsEngine, AgentGymError, EngineFailure
from agentgym.core.generated import made_config
from agentgym.core.grammar import Call
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import Snapshot
from agentgym.core.spaces import UnicodeText
from agentgym.core.tasks import Task


class LanguageEnv(BaseEnv, gym.Env[str, str]):
    """Base of every world of one player; the rules are those of `BaseEnv`.

    `reset(seed, options)`: `options["task"]` is a task id of the split, an index into it, or a specification that
    fits `task_schema`; without it one is drawn from the split. `reset_options` names what else a world understands.

    `step(action)`: any string is answered. What is no action, or not possible now, changes nothing but the turn: the
    text and `info["error"]` say what is wrong, `info["action_valid"]` is False. After the end `step` says so, with
    reward 0. A non-string raises `TypeError`.

    `info` has the same keys, each of one type, at reset and at every step; see docs/contract.md.

    Args:
        split: Where tasks are drawn from: a split of the card.
        max_turns: Turn limit in place of the world's own; a task that has a number of tries gives no more of them.
        render_mode: `ansi` (the last exchange as text), `human` (the same on the terminal, after every step),
            `rgb_array` where the card has images, `html` (a page) where `metadata["render_modes"]` names it, or None.
        config: The fields of the world's own config.
    """

    def __init__(
        self, *, split: str = "train", max_turns: int | None = None, render_mode: str | None = None, **config: Any
    ):
        self.config = made_config(self, config)
        self._action = self._text = ""
        self._end: str | EngineFailure | None = None
        self._make_spaces()
        self._configure((PLAYER,), split, max_turns, render_mode)
        self._configured()

    # Hooks.

    def _reset(self, task: Task) -> str:
        """Set `self._state` to the start of `task`; return what the agent sees. May draw from `np_random`.

        Everything else it sets must depend on `task` and `self.options` alone: `restore` calls it to rebuild that part.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement _reset(task)")

    def _step(self, call: Call) -> Outcome:
        """Do what a well-formed action asks, or refuse it with `refuse`, leaving the state alone."""
        raise NotImplementedError(f"{type(self).__name__} must implement _step(call)")

    def _view(self) -> str:
        """What the agent sees without acting, repeated after a refused action; empty if nothing needs repeating."""
        return ""

    def _picture(self) -> NDArray[np.uint8]:
        """What the agent sees as a picture, shape (height, width, 3), where the card has images."""
        raise NotImplementedError(f"{type(self).__name__} must implement _picture()")

    def _metrics(self) -> Mapping[str, float] | None:
        """The metrics as they stand, for every outcome that names none, those of refused actions included."""
        return None

    def _refusal(self, reason: str) -> str:
        """What the agent is told of a refused action: the reason, which must be in it, and by default the view."""
        view = self._view()
        return f"{reason}\n{view}" if view else reason

    def _refusal_reward(self) -> float:
        """The reward of a refused action, its price; never above 0."""
        return 0.0

    def _idle_reward(self) -> float:
        """The reward of a turn in which the agent does nothing in the world, as when it writes a note."""
        return 0.0

    # What a world calls.

    def refuse(self, reason: str) -> Outcome:
        """The outcome of an action that is malformed or not possible now, which changes nothing.

        Args:
            reason: A sentence that says what is wrong and how to say it right.
        """
        return Outcome(self._refusal(reason), self._refusal_reward(), valid=False, error=reason)

    # Gymnasium.

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode; see the class for `options`.

        Args:
            seed: Seed of the environment's generator; None goes on with the one it has.
            options: Reset options.

        Returns:
            The first observation, which holds the task and the grammar in one line, and `info`.

        Raises:
            TaskError: if the task cannot be played.
            ConfigError: if an option is unknown.
        """
        text = self._begin_episode(seed, options)
        self._end = None
        if not isinstance(text, Outcome):
            text = Outcome(f"{text}\n{self.grammar.line}")
        return self._show("", text.text), self._info(self._players[PLAYER], text)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play one action; see the class.

        Returns:
            Observation, reward, terminated, truncated, info.
        """
        check_action(action)
        if self._task is None:
            raise ResetNeeded(f"{self.card.id}: call reset() before step()")
        player = self._players[PLAYER]
        if player.terminated or player.truncated:
            outcome = self._after_end()
            text = outcome.text
        elif self._end is not None:
            outcome = self._ended_here(self._end)
            text = self._show(action, outcome.text)
        else:
            outcome = self._play_turn(PLAYER, action)
            text = self._show(action, outcome.text)
        return text, float(outcome.reward), player.terminated, player.truncated, self._info(player, outcome)

    def end_next(self, why: str | EngineFailure) -> None:
        """Let the next `step` end the episode, whatever is said: for a wrapper that can carry out no more of it.

        Args:
            why: The words in which a lost episode ends, without reward; or what broke, if that was no fault of the
                agent's: then it ends as after every failure of the environment, truncated and with `info["failure"]`.
        """
        self._end = why

    def _ended_here(self, why: str | EngineFailure) -> Outcome:
        """The turn in which a wrapper has the episode end."""
        self._end = None
        self._turn += 1
        self._players[PLAYER].begin_turn()
        if isinstance(why, EngineFailure):
            failed: Outcome = self._note_failure(why)
            return failed
        outcome = Outcome(why, terminated=True)
        self._settle(outcome)
        return outcome

    def _rendered(self, head: str) -> str:
        action = f"> {self._action}\n" if self._turn else ""
        return f"{head}\n{action}{self._text}"

    # Questions about the next action.

    def admissible_actions(self) -> list[str] | None:
        """Sorted actions, each valid now; empty after the end; None if they cannot be listed. Computed on each call."""
        return [] if self.ended else self._actions_of(PLAYER)

    def sample_action(self, rng: np.random.Generator) -> str:
        """The random baseline: a plausible action drawn from `rng`, always available before the end."""
        return self._advise("sample", PLAYER, rng)

    def oracle_action(self) -> str:
        """The next action of a player that may read the hidden state, never the generator."""
        return self._advise("oracle", PLAYER)

    def expert_action(self) -> str:
        """The next action of a good player that knows only what the agent has seen."""
        return self._advise("expert", PLAYER)

    def shortcut_action(self, name: str) -> str:
        """The next action of a player that does not do the task, one of `card.shortcuts`.

        Args:
            name: Which one.

        Raises:
            UnknownName: if the card names no such shortcut.
        """
        return self._advise("shortcut", PLAYER, self._known_shortcut(name))

    def preview_action(self, action: str, seed: int) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """What `step(action)` would give in a re-seeded fork; this episode stays as it is.

        Args:
            action: What would be said.
            seed: Of the fork's generator.

        Returns:
            Observation, reward, terminated, truncated, info.
        """
        return self.fork(reseed=seed).step(action)

    # What the core asks of an interface.

    def _player_arguments(self, player: str) -> tuple[str, ...]:
        return ()

    def _apply(self, calls: Mapping[str, Call]) -> Outcome:
        try:
            outcome = self._step(calls[PLAYER])
        except ActionStopsEngine as stop:
            said = f"The engine stops at this action, each time that it is played; the episode is lost ({stop})."
            return Outcome(said, terminated=True)
        if not isinstance(outcome, Outcome):
            raise AgentGymError(f"{self.card.id}: _step must return an Outcome, got {type(outcome).__name__}")
        return outcome

    def _settle(self, outcome: Outcome) -> None:
        if outcome.metrics is None:
            outcome.metrics = self._metrics()
        self._settle_player(self._players[PLAYER], outcome.terminated, outcome.success, outcome.progress)

    def _tell_failure(self, text: str) -> Outcome:
        return Outcome(text)

    def _show(self, action: str, text: str) -> str:
        self._action = action
        self._text = text if len(text) <= self.observation_length else self._observed.fit(text)
        if self.render_mode == "human":
            self.render()
        return self._text

    def _make_spaces(self) -> None:
        self.observation_space = self._observed = UnicodeText(self.observation_length)
        self.action_space = UnicodeText(self.action_length)

    def _last_exchange(self) -> tuple[str, str]:
        return self._action, self._text

    def _restore_interface(self, saved: Snapshot) -> None:
        self._action, self._text = saved.exchange
