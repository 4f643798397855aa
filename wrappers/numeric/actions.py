"""Actions by number: slots of the admissible list, or a fixed list of known commands, both with masks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from agentgym.core import ConfigError, LanguageEnv, UnicodeText
from agentgym.core.checks import check_whole
from agentgym.core.grammar import SLOT
from agentgym.core.rng import stream

Mask = NDArray[np.bool_]
NOTHING = ""  # no world accepts the empty string: it costs a turn and changes nothing else
MOST = 65_536  # slots or commands


class IndexedActions(gym.Wrapper[Any, Any, Any, Any], ABC):
    """What both numberings of actions share: indices, the mask of those that can be played now, and doing nothing.

    The action space is `Discrete(n + 1)`. The last index is the no-op: it says nothing, which every world refuses, so
    that only the turn passes. Its mask is set exactly when no other index can be played (the world has ended, or lists
    nothing), so a mask is never empty. An index whose mask is not set may be played all the same: the world answers as
    to any action that is not possible.
    """

    def __init__(self, env: gym.Env[Any, str], size: int):
        super().__init__(env)
        self._require_text()
        self.size = size
        self.action_space = gym.spaces.Discrete(size + 1)
        self._texts: list[str] = [NOTHING] * (size + 1)
        self._mask: Mask = np.zeros(size + 1, np.bool_)
        self._mask[-1] = True

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As the world's; `info["action_mask"]` is the mask, bool of shape `(n + 1,)`.

        Args:
            seed: Seed of the world's generator; None goes on with the one it has.
            options: Reset options of the world.
        """
        observation, info = self.env.reset(seed=seed, options=options)
        return observation, self._refreshed(info)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play the action of an index.

        Raises:
            TypeError: if `action` is no whole number.
            ConfigError: if it is none of the action space.
        """
        text = self._texts[self._index(action)]
        observation, reward, terminated, truncated, info = self.env.step(text)
        return observation, float(reward), terminated, truncated, self._refreshed(info)

    def action_masks(self) -> Mask:
        """Which indices can be played now, bool of shape `(n + 1,)`, never all False; the name is sb3-contrib's."""
        return self._mask.copy()

    def action_texts(self) -> list[str]:
        """What each index would say now; empty for the no-op and for slots that hold nothing."""
        return list(self._texts)

    def get_state(self) -> Mapping[str, Any]:
        """What changes while an episode is played: the texts and the mask."""
        return {"texts": list(self._texts), "mask": self._mask.copy()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take back what `get_state` gave."""
        self._texts, self._mask = list(state["texts"]), np.array(state["mask"], np.bool_)

    @abstractmethod
    def _list(self) -> None:
        """Set the texts and the mask of all indices but the last from what is admissible now."""

    def _refreshed(self, info: dict[str, Any]) -> dict[str, Any]:
        self._list()
        self._mask[-1] = not self._mask[:-1].any()
        return {**info, "action_mask": self._mask.copy()}

    def _index(self, action: Any) -> int:
        if isinstance(action, np.ndarray) and action.shape == ():
            action = action[()]
        if isinstance(action, bool) or not isinstance(action, (int, np.integer)):
            raise TypeError(f"an action is a whole number from 0 to {self.size}, got {action!r}")
        if not 0 <= action <= self.size:
            raise ConfigError(f"an action is a number from 0 to {self.size}, got {action}")
        return int(action)

    def _require_text(self) -> None:
        if not isinstance(self.env.action_space, UnicodeText):
            raise ConfigError(
                f"{type(self).__name__} numbers the actions of a world whose actions are text, "
                f"but the action space of {self.env} is {self.env.action_space}; wrap the world before other numberings"
            )

    def _admissible(self) -> list[str] | None:
        actions: list[str] | None = self.env.get_wrapper_attr("admissible_actions")()
        return actions


class SlotActions(IndexedActions, RecordConstructorArgs):
    """The admissible list by number: index i plays the i-th of the sorted admissible actions of the present state.

    What a slot says changes from state to state; `ReadableActions` lets the policy read it.

    Args:
        env: A world that lists its admissible actions.
        slots: How many actions can be numbered, 1 to 65,536; the no-op comes on top.
        overflow: What to do with a list longer than that: `raise`, or `cut` what does not fit and count it in
            `info["slots_cut"]`.

    Raises:
        ConfigError: if the world lists no actions, or lists too many for its slots.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import SlotActions
    >>> env = SlotActions(gym.make("AgentGym/TextCraft-v1"), slots=20)
    >>> text, info = env.reset(seed=0)
    >>> env.action_space, int(env.action_masks().sum()) == len(env.unwrapped.admissible_actions())
    (Discrete(21), True)
    """

    def __init__(self, env: gym.Env[Any, str], slots: int = 64, overflow: str = "raise"):
        RecordConstructorArgs.__init__(self, slots=slots, overflow=overflow)
        slots = check_whole("slots", slots, 1, MOST)
        if overflow not in ("raise", "cut"):
            raise ConfigError(f"overflow must be 'raise' or 'cut', got {overflow!r}")
        super().__init__(env, slots)
        base = env.unwrapped
        if isinstance(base, LanguageEnv) and type(base)._admissible is LanguageEnv._admissible:
            raise ConfigError(f"{base.card.id} lists no actions, so they have no slots; use VocabularyActions")
        self.overflow = overflow
        self._cut = 0

    def _refreshed(self, info: dict[str, Any]) -> dict[str, Any]:
        return {**super()._refreshed(info), "slots_cut": self._cut}

    def _list(self) -> None:
        actions = self._admissible()
        if actions is None:
            raise ConfigError(f"{self.env.unwrapped} cannot list its actions in this state; use VocabularyActions")
        self._cut = max(0, len(actions) - self.size)
        if self._cut and self.overflow == "raise":
            raise ConfigError(
                f"{len(actions)} actions are admissible but there are {self.size} slots; give more slots, or "
                "overflow='cut' to leave out the last in alphabetical order"
            )
        count = min(len(actions), self.size)
        self._texts = actions[:count] + [NOTHING] * (self.size + 1 - count)
        self._mask[:count], self._mask[count:] = True, False


class VocabularyActions(IndexedActions, RecordConstructorArgs):
    """A fixed list of commands by number: an index means the same in every state.

    The mask is set for commands that the world lists as admissible. Where it says that its list may be incomplete, or
    gives none, it is set as well for every command that its grammar reads, since what is not listed may be possible.

    Args:
        env: A world whose actions are text.
        commands: The commands in order, without repetition; by default the commands of the grammar that have no slots.
            `known_actions` collects those that a world lists during random play.

    Raises:
        ConfigError: if there are no commands, a command repeats, or the grammar cannot read one.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import VocabularyActions
    >>> env = VocabularyActions(gym.make("AgentGym/FrozenLake-v0"))
    >>> text, info = env.reset(seed=0)
    >>> env.action_space, env.action_texts()
    (Discrete(5), ['left', 'down', 'right', 'up', ''])
    >>> env.action_masks().tolist()
    [True, True, True, True, False]
    """

    def __init__(self, env: gym.Env[Any, str], commands: Sequence[str] | None = None):
        RecordConstructorArgs.__init__(self, commands=None if commands is None else list(commands))
        base = env.unwrapped
        grammar = getattr(base, "grammar", None)
        if commands is None:
            forms = [command.form for command in getattr(grammar, "commands", ())]
            commands = [form for form in forms if not SLOT.search(form)]
            if len(commands) < len(forms) or not commands:
                raise ConfigError(
                    f"the actions of {base} are more than a few fixed words; give the commands, such as "
                    "known_actions(env) collects them"
                )
        chosen = list(commands)
        if not chosen or len(chosen) > MOST:
            raise ConfigError(f"a vocabulary has 1 to {MOST} commands, got {len(chosen)}")
        if len(set(chosen)) < len(chosen):
            twice = next(command for command in chosen if chosen.count(command) > 1)
            raise ConfigError(f"a vocabulary names each command once, {twice!r} comes twice")
        super().__init__(env, len(chosen))
        if isinstance(base, LanguageEnv):
            for command in chosen:
                read = base.parse(command)
                if hasattr(read, "reason"):
                    raise ConfigError(f"{base.card.id} does not read the command {command!r}: {read.reason}")
        self._texts = [*chosen, NOTHING]
        self._places = {command: place for place, command in enumerate(chosen)}
        self._complete = bool(getattr(base, "admissible_complete", False))

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take back what `get_state` gave; the commands stay those of this wrapper."""
        self._mask = np.array(state["mask"], np.bool_)

    def _list(self) -> None:
        actions = self._admissible()
        if actions is None or (actions and not self._complete):
            self._mask[:] = True
            return
        self._mask[:] = False
        for action in actions:
            place = self._places.get(action)
            if place is not None:
                self._mask[place] = True


def known_actions(env: gym.Env[Any, Any], episodes: int = 20, seed: int = 0) -> list[str]:
    """Every action that a world lists while episodes are played at random, sorted: a vocabulary for a fixed panel.

    Args:
        env: A world that lists its admissible actions.
        episodes: How many episodes are played.
        seed: Seed of the episodes and of the player.

    Raises:
        ConfigError: if the world lists nothing.
    """
    episodes = check_whole("episodes", episodes, 1, 1_000_000)
    rng = stream("wrappers.known_actions", seed)
    known: set[str] = set()
    for episode in range(episodes):
        env.reset(seed=seed + episode)
        ended = False
        while not ended:
            listed = env.get_wrapper_attr("admissible_actions")()
            if not listed:
                break
            known.update(listed)
            _, _, terminated, truncated, _ = env.step(listed[int(rng.integers(len(listed)))])
            ended = terminated or truncated
    if not known:
        raise ConfigError(f"{env.unwrapped} lists no actions; write the commands yourself")
    return sorted(known)
