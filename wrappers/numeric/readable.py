"""A Dict observation in which a policy reads what each numbered action says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from agentgym.core import ConfigError, UnicodeText
from agentgym.core.checks import check_whole
from agentgym.wrappers.numeric.hashing import Counts, HashedWords, Vector, squash, words

Features = dict[str, NDArray[np.float32]]
SURROUNDINGS = 16_384  # of an action in a text, remembered
ROWS = 8_192  # actions whose vector is remembered


class ReadableActions(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Observations as a flat Dict of float32 boxes in [0, 1]; `n` actions, the no-op included.

    | key | shape | holds |
    |---|---|---|
    | `text` | `(dim,)` | the observation |
    | `instruction` | `(dim,)` | the task in words |
    | `memory` | `(dim,)` | all that was seen and done before in this episode |
    | `actions` | `(n * dim,)` | what each index says now, index after index; zeros where it says nothing |
    | `contexts` | `(n * dim,)` | only with `context`: what stands around the objects of the actions |
    | `tried` | `(n,)` | how often the action was played in this episode, n / (n + 1) |
    | `mask` | `(n,)` | `action_masks()` as numbers |

    Texts are hashed by `HashedWords` into one space, so that the product of two of them shows the words they share.
    The object of an action is what stands in its brackets, otherwise all words after the first; `contexts` holds the
    words around each mention of it in the texts of the episode, so that a product's number becomes its description.
    The rows are laid end to end because Stable-Baselines3 takes boxes of two axes for odd pictures.

    Args:
        env: `SlotActions` or `VocabularyActions` over a world, with text observations.
        dim: Length of each vector.
        ngrams: Longest run of words that is a feature, 1 to 5.
        places: Whether words of the observation (key `text`) also count with their line and place.
        context: Words before and words after a mention that `contexts` takes in, within a line.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import ReadableActions, SlotActions
    >>> env = ReadableActions(SlotActions(gym.make("AgentGym/TextCraft-v1"), slots=20), dim=32)
    >>> seen, info = env.reset(seed=0)
    >>> seen["actions"].shape, seen["mask"].shape  # 20 slots and the no-op
    ((672,), (21,))
    """

    def __init__(
        self,
        env: gym.Env[str, Any],
        dim: int = 256,
        ngrams: int = 2,
        places: bool = False,
        context: Sequence[int] = (0, 0),
    ):
        RecordConstructorArgs.__init__(self, dim=dim, ngrams=ngrams, places=places, context=list(context))
        super().__init__(env)
        if not isinstance(env.action_space, gym.spaces.Discrete) or not env.has_wrapper_attr("action_texts"):
            raise ConfigError(f"ReadableActions reads numbered actions; put SlotActions around {env.unwrapped} first")
        if not isinstance(env.observation_space, UnicodeText):
            raise ConfigError(f"ReadableActions reads text, but the observation space is {env.observation_space}")
        if len(context) != 2:
            raise ConfigError(f"context is words before and words after, got {context!r}")
        before, after = context
        before = check_whole("context", before, 0, 1_000)
        after = check_whole("context", after, 0, 1_000)
        self._context = (before, after)
        self._plain = HashedWords(dim, ngrams)
        self._seen_as = HashedWords(dim, ngrams, places)
        self.dim, self.ngrams, self.size = dim, ngrams, int(env.action_space.n)
        shapes = {"text": (dim,), "instruction": (dim,), "memory": (dim,), "actions": (self.size * dim,)}
        if before + after:
            shapes["contexts"] = (self.size * dim,)
        shapes |= {"tried": (self.size,), "mask": (self.size,)}
        self.observation_space = gym.spaces.Dict(
            {key: gym.spaces.Box(0.0, 1.0, shape, np.float32) for key, shape in shapes.items()}
        )
        self._forget()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Features, dict[str, Any]]:
        """As the world's, read as described above.

        Args:
            seed: Seed of the world's generator; None goes on with the one it has.
            options: Reset options of the world.
        """
        text, info = self.env.reset(seed=seed, options=options)
        self._forget()
        return self._read(text, info), info

    def step(self, action: Any) -> tuple[Features, float, bool, bool, dict[str, Any]]:
        """Play the action of an index."""
        said = self.env.get_wrapper_attr("action_texts")()
        text, reward, terminated, truncated, info = self.env.step(action)
        played = said[int(action)]
        self._tried[played] = self._tried.get(played, 0) + 1
        self._memory += self._plain.counts(played)
        return self._read(text, info), float(reward), terminated, truncated, info

    def get_state(self) -> Mapping[str, Any]:
        """What was seen and done in this episode."""
        return {"seen": list(self._seen), "tried": dict(self._tried), "memory": self._memory.copy()}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take back what `get_state` gave."""
        self._forget()
        self._seen.extend(state["seen"])
        self._tried.update(state["tried"])
        self._memory += state["memory"]

    def _forget(self) -> None:
        self._seen: list[str] = []  # distinct texts of the episode in order
        self._tried: dict[str, int] = {}
        self._memory: Counts = np.zeros(self.dim, np.int64)
        self._around: dict[str, tuple[int, Counts]] = {}  # by action: texts gone through, and what was found

    def _read(self, text: str, info: Mapping[str, Any]) -> Features:
        said: list[str] = self.env.get_wrapper_attr("action_texts")()
        features = {
            "text": self._seen_as(text),
            "instruction": self._plain(str(info.get("instruction", ""))),
            "memory": squash(self._memory),
        }
        self._memory += self._plain.counts(text)
        if text not in self._seen:
            self._seen.append(text)
        actions = np.zeros((self.size, self.dim), np.float32)
        contexts = np.zeros((self.size, self.dim), np.float32)
        tried = np.zeros(self.size, np.float32)
        for place, action in enumerate(said):
            if not action:
                continue
            actions[place] = _row(action, self.dim, self.ngrams)
            times = self._tried.get(action, 0)
            tried[place] = times / (times + 1)
            if any(self._context):
                contexts[place] = self._surroundings(action)
        features["actions"] = actions.ravel()
        if any(self._context):
            features["contexts"] = contexts.ravel()
        mask = self.env.get_wrapper_attr("action_masks")()
        return {**features, "tried": tried, "mask": mask.astype(np.float32)}

    def _surroundings(self, action: str) -> Vector:
        """What stands around the object of an action in the texts of the episode."""
        gone, found = self._around.get(action, (0, None))
        if found is None:
            found = np.zeros(self.dim, np.int64)
        if gone < len(self._seen):
            for text in self._seen[gone:]:
                around = _around(text, action, *self._context)
                if around:
                    found = found + self._plain.counts(around)
            self._around[action] = (len(self._seen), found)
        return squash(found)


@lru_cache(maxsize=ROWS)
def _row(action: str, dim: int, ngrams: int) -> Vector:
    vector = HashedWords(dim, ngrams)(action)
    vector.setflags(write=False)
    return vector


@lru_cache(maxsize=SURROUNDINGS)
def _around(text: str, action: str, before: int, after: int) -> str:
    """The words around each mention of an action's object in a text, one line for each mention."""
    wanted = _object(action)
    return "\n".join(" ".join(words) for words in _mentions(text, wanted, before, after)) if wanted else ""


@lru_cache(maxsize=ROWS)
def _object(action: str) -> tuple[str, ...]:
    """The words of what an action is about: inside its brackets, otherwise after its first word."""
    opened, closed = action.find("["), action.rfind("]")
    return tuple(words(action[opened + 1 : closed]) if 0 <= opened < closed else words(action)[1:])


@lru_cache(maxsize=1_024)
def _spoken(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Each line of a text as one string of its words, padded by spaces, and as words."""
    lines = [tuple(words(line)) for line in text.split("\n")]
    return tuple((f" {' '.join(line)} ", line) for line in lines if line)


def _mentions(text: str, wanted: tuple[str, ...], before: int, after: int) -> Iterator[tuple[str, ...]]:
    needle = f" {' '.join(wanted)} "
    for flat, line in _spoken(text):
        place = flat.find(needle)
        while place >= 0:
            start = flat.count(" ", 0, place)
            end = start + len(wanted)
            yield line[max(0, start - before) : start] + line[end : end + after]
            place = flat.find(needle, place + 1)
