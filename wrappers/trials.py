"""`Trials`: several attempts at one task, with reflection between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np

from agentgym.core import Call, Invalid, UnicodeText
from agentgym.core.checks import check_action, check_count
from agentgym.core.text import clean
from agentgym.wrappers.base import FREE, Answer, Info, TextWrapper
from agentgym.wrappers.refusal import Refusal

ASK = (
    "Attempt {} of {} is over, without success. In a few sentences: what went wrong, and what will you do differently?"
)
STOCK = "I will look more closely before I act."  # what players without words say when asked to reflect


class Trials(TextWrapper):
    """One episode is up to `trials` attempts at the same task; it ends with the first success or the last attempt.

    With `until_success=False` it ends with the last attempt alone, so that it shows what each attempt made of the ones
    before: the curve of learning in context.

    After a failed attempt, at its end or its turn limit, the agent is asked to reflect; what it answers is shown at
    the start of every later attempt. With `reflect=False` the next attempt begins at once, and what is learned must be
    carried by the policy's own memory of the episode. Dice go on from attempt to attempt.

    Changes: observations (attempts follow each other; reflections); a reply to the question is no action but text, and
    an empty one is refused and counts as no reflection; `terminated` and `truncated` are those of the last attempt;
    `info` gains `trial` (int, from 1), `reflecting` (bool), `reflections` (list of str) and `trial_returns` (list of
    float) and `trial_successes` (list of bool), one for each attempt begun.

    Args:
        env: A world that answers text, in the format its actions have.
        trials: Most attempts, at least 2.
        reflect: Whether to ask between attempts; after one that succeeded nothing is asked.
        until_success: Whether a success ends the episode.
        length: Most characters of a reflection; a longer one is cut in the middle.

    Source: Shinn et al., Reflexion, NeurIPS 2023; without reflection, Elawady et al., ReLIC, 2024.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import Horizon, Trials
    >>> env = Trials(Horizon(gym.make("AgentGym/TextCraft-v1"), turns=1), trials=2)
    >>> text, info = env.reset(seed=0)
    >>> text, reward, terminated, truncated, info = env.step("inventory")
    >>> terminated or truncated, info["reflecting"]
    (False, True)
    >>> text, *_ = env.step("I should have gathered something.")
    >>> print(text.splitlines()[:3])
    ['Attempt 2 of 2.', 'After attempt 1 you said: I should have gathered something.', '']
    """

    serves_games: ClassVar[bool] = False
    _reads: ClassVar[int] = FREE
    saved_attributes: ClassVar[tuple[str, ...]] = (
        "_trial", "_reflections", "_returns", "_successes", "_reflecting", "_options",
    )  # fmt: skip

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        trials: int = 3,
        reflect: bool = True,
        length: int = 1_000,
        until_success: bool = True,
    ):
        trials = check_count("trials", trials, 2)
        length = check_count("length", length, 16)
        super().__init__(
            env, extra_length=8_192 + trials * (length + 64), trials=trials, reflect=reflect, length=length,
            until_success=until_success,
        )  # fmt: skip
        self.trials, self.reflect, self.length, self.until_success = trials, reflect, length, until_success
        self.action_space = UnicodeText(max(length, env.action_space.max_length))  # type: ignore[attr-defined]
        self._trial, self._reflecting = 1, False
        self._reflections: list[str] = []
        self._returns: list[float] = []
        self._successes: list[bool] = []
        self._options: dict[str, Any] = {}

    @property
    def instructions(self) -> str:
        """What the agent should know about attempts."""
        return f"You have {'up to ' if self.until_success else ''}{self.trials} attempts at this task."

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said inside, and how often the task can be tried."""
        return (*self.inner_notes, self.instructions)

    @property
    def manual(self) -> str:
        """The manual inside, and how attempts work."""
        asked = (
            " After a failed attempt you are asked what went wrong; answer in a few sentences." if self.reflect else ""
        )
        return f"{self.inner.manual}\n\n{self.instructions}{asked}"

    @property
    def ended(self) -> bool:
        """Whether the episode is over."""
        return self.inner.ended and not self._reflecting

    def parse(self, action: str) -> Call | Invalid:
        """Read a reply without playing it; between attempts any text is a reflection."""
        if not self._reflecting:
            return self.inner.parse(action)
        return Call("reflect", {"text": action.strip()}) if action.strip() else Invalid("the reflection is empty.")

    def admissible_actions(self) -> list[str] | None:
        """Replies that are valid now; None while the agent is asked to reflect."""
        return None if self._reflecting else self.inner.admissible_actions()

    def sample_action(self, rng: np.random.Generator) -> str:
        """A plausible reply at random; a stock sentence while asked to reflect."""
        return STOCK if self._reflecting else self.inner.sample_action(rng)

    def oracle_action(self) -> str:
        """The oracle's next reply; a stock sentence while asked to reflect."""
        return STOCK if self._reflecting else self.inner.oracle_action()

    def expert_action(self) -> str:
        """The expert's next reply; a stock sentence while asked to reflect."""
        return STOCK if self._reflecting else self.inner.expert_action()

    def prepare(self, seed: int | None, options: Mapping[str, Any] | None) -> tuple[Mapping[str, Any] | None, Any]:
        """The `options` as they are, whatever the `seed`; the note is those of every later attempt, without `task`."""
        return options, {key: value for key, value in (options or {}).items() if key != "task"}

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first observation of the first attempt.

        Args:
            observation: What is seen inside.
            info: Gains what the class names.
            note: Options of every later attempt.
        """
        self._options = note
        self._trial, self._reflecting, self._reflections, self._returns = 1, False, [], [0.0]
        self._successes = [False]
        self._noted(info)
        return self._introduce(observation, info)

    def step(self, action: str) -> Answer:
        """Play a reply, or take a reflection and begin the next attempt."""
        check_action(action)
        if self._reflecting:
            return self._reflected(action)
        over = self.inner.ended
        text, reward, terminated, truncated, info = self._step_inner(action)
        if over:
            return text, reward, terminated, truncated, self._noted(info)
        self._returns[-1] += float(reward)
        self._successes[-1] = bool(info["success"])
        won = self.until_success and info["success"]
        last = won or info["failure"] or self._trial == self.trials
        if not (terminated or truncated) or last or not self.inner.ended:
            return text, reward, terminated, truncated, self._noted(info)
        if self.reflect and not info["success"]:
            self._reflecting = True
            told = f"{text}\n\n{ASK.format(self._trial, self.trials)}"
            return self._fit(told), reward, False, False, self._noted(info)
        return self._again(f"{text}\n\n", reward, info)

    def _reflected(self, said: str) -> Answer:
        """Keep a reflection; the next attempt begins."""
        reason = (said.reason if isinstance(said, Refusal) else "") or "The reflection is empty."
        text = UnicodeText(self.length).fit(clean(" ".join(said.split())))
        self._reflecting = False
        self._reflections.append(text)
        told, reward, terminated, truncated, info = self._again("", 0.0, None)
        if not text:
            told, reason = self._fit(f"{reason}\n{told}"), reason
            info.update(action_valid=False, error=reason)
        return told, reward, terminated, truncated, info

    def _again(self, before: str, reward: float, ended: Info | None) -> Answer:
        """Begin the next attempt at the same task."""
        task = self.world.task
        named = task.spec if task.split == "custom" else task.id
        text, info = self.env.reset(options={**self._options, "task": named})
        self._trial += 1
        self._returns.append(0.0)
        self._successes.append(False)
        if ended is not None:  # what the last action did still counts for this step
            kept = ("action_valid", "error", "events", "metrics", "costs", "reward_terms")
            info.update({key: ended[key] for key in kept if key in ended})
        earlier = [
            f"After attempt {number} you said: {said}" for number, said in enumerate(self._reflections, 1) if said
        ]
        head = "\n".join([f"Attempt {self._trial} of {self.trials}.", *earlier])
        failed = bool(info["failure"])
        return self._fit(f"{before}{head}\n\n{text}"), reward, False, failed, self._noted(info)

    def _noted(self, info: Info) -> Info:
        info["trial"], info["reflecting"] = self._trial, self._reflecting
        info["reflections"], info["trial_returns"] = list(self._reflections), list(self._returns)
        info["trial_successes"] = list(self._successes)
        return info
