"""Text observations as boxes of numbers: hashed words, embeddings, token ids."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from agentgym.core import ConfigError, UnicodeText
from agentgym.core.checks import check_whole
from agentgym.core.errors import import_named
from agentgym.wrappers.numeric.hashing import LARGEST, HashedWords, Vector, _features

REMEMBERED = 1_024  # texts whose embedding is kept
PADDING = 0


class NumericText(gym.ObservationWrapper[Any, Any, Any]):
    """What all numeric forms of a text observation share."""

    def __init__(self, env: gym.Env[str, Any]):
        super().__init__(env)
        if not isinstance(env.observation_space, UnicodeText):
            raise ConfigError(
                f"{type(self).__name__} reads text, but the observation space of {env} is {env.observation_space}; "
                "wrap the world before other forms of observation"
            )

    def get_state(self) -> Mapping[str, Any]:
        """Nothing: the numbers depend on the text alone."""
        return {}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take back what `get_state` gave."""


class HashedText(NumericText, RecordConstructorArgs):
    """Observations as hashed words, float32 of shape `(dim,)` in [0, 1]; see `HashedWords`.

    Args:
        env: A world, or a wrapper, whose observations are text.
        dim: Length of the vector, 2 to 1,048,576.
        ngrams: Longest run of words that is a feature, 1 to 5.
        places: Whether each word counts once more with its line and its place in the line, as maps need.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import HashedText, VocabularyActions
    >>> env = HashedText(VocabularyActions(gym.make("AgentGym/FrozenLake-v0")), dim=64)
    >>> vector, info = env.reset(seed=0)
    >>> env.observation_space, env.observation_space.contains(vector)
    (Box(0.0, 1.0, (64,), float32), True)
    """

    def __init__(self, env: gym.Env[str, Any], dim: int = 512, ngrams: int = 2, places: bool = False):
        RecordConstructorArgs.__init__(self, dim=dim, ngrams=ngrams, places=places)
        super().__init__(env)
        self._hash = HashedWords(dim, ngrams, places)
        self.observation_space = gym.spaces.Box(0.0, 1.0, (dim,), np.float32)

    def observation(self, observation: str) -> Vector:
        """The vector of a text."""
        return self._hash(observation)


class EmbeddedText(NumericText, RecordConstructorArgs):
    """Observations through an embedding function, scaled to unit length: float32 of shape `(dim,)` in [-1, 1].

    Args:
        env: A world, or a wrapper, whose observations are text.
        function: `module:name` of a function that turns a string into a sequence of `dim` finite numbers, the same
            numbers for the same string. A vector of zeros stays as it is. The last 1,024 texts are remembered.

    Raises:
        ConfigError: if there is no such function, or what it returns is no such sequence.

    >>> import gymnasium as gym, agentgym
    >>> import sys, types
    >>> from agentgym.wrappers import EmbeddedText
    >>> module = sys.modules["marks"] = types.ModuleType("marks")  # in place of a file marks.py
    >>> module.count = lambda text: [text.count(mark) for mark in "PGO_"]
    >>> env = EmbeddedText(gym.make("AgentGym/FrozenLake-v0"), function="marks:count")
    >>> env.reset(seed=0)[0].shape
    (4,)
    """

    def __init__(self, env: gym.Env[str, Any], function: str):
        RecordConstructorArgs.__init__(self, function=function)
        super().__init__(env)
        self._name = function
        self._function = lru_cache(maxsize=REMEMBERED)(load_function(function))
        self._dim = 0
        self._dim = len(self.observation("The door is open."))
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (self._dim,), np.float32)

    def observation(self, observation: str) -> Vector:
        """The unit vector of a text."""
        given = np.asarray(self._function(observation), np.float64)
        if given.ndim != 1 or not len(given) or (self._dim and len(given) != self._dim):
            wanted = f"{self._dim} numbers" if self._dim else "a sequence of numbers"
            raise ConfigError(f"{self._name} must give {wanted}, it gave an array of shape {given.shape}")
        if not np.isfinite(given).all():
            raise ConfigError(f"{self._name} gave a number that is not finite for {observation[:60]!r}")
        length = float(np.linalg.norm(given))
        return np.clip(given / length if length else given, -1.0, 1.0).astype(np.float32)


class TokenIds(NumericText, RecordConstructorArgs):
    """Observations as token ids, int64 of shape `(length,)`, 0 after the end.

    A longer text loses its middle, as everywhere in the suite. Without a tokenizer the tokens are words and signs, and
    an id is 1 + CRC-32 modulo (vocabulary - 1).

    Args:
        env: A world, or a wrapper, whose observations are text.
        length: How many ids, 2 to 1,048,576.
        vocabulary: Ids are below this, 2 to 1,048,576.
        tokenizer: `module:name` of a function that turns a string into ids from 1 to `vocabulary` - 1.

    Raises:
        ConfigError: if there is no such function, or it gives something else.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import TokenIds
    >>> env = TokenIds(gym.make("AgentGym/FrozenLake-v0"), length=128)
    >>> ids, info = env.reset(seed=0)
    >>> env.observation_space, ids.shape
    (Box(0, 4095, (128,), int64), (128,))
    """

    def __init__(self, env: gym.Env[str, Any], length: int = 256, vocabulary: int = 4096, tokenizer: str | None = None):
        RecordConstructorArgs.__init__(self, length=length, vocabulary=vocabulary, tokenizer=tokenizer)
        super().__init__(env)
        length = check_whole("length", length, 2, LARGEST)
        vocabulary = check_whole("vocabulary", vocabulary, 2, LARGEST)
        self.length, self.vocabulary = length, vocabulary
        self._name = tokenizer
        self._tokenizer = None if tokenizer is None else load_function(tokenizer)
        self.observation_space = gym.spaces.Box(0, vocabulary - 1, (length,), np.int64)

    def observation(self, observation: str) -> NDArray[np.int64]:
        """The ids of a text."""
        ids = self._ids(observation)
        if len(ids) > self.length:
            half = self.length // 2
            ids = np.concatenate([ids[: self.length - half], ids[len(ids) - half :]])
        filled = np.full(self.length, PADDING, np.int64)
        filled[: len(ids)] = ids
        return filled

    def _ids(self, text: str) -> NDArray[np.int64]:
        if self._tokenizer is None:
            lines = [_features(line, self.vocabulary - 1, 1, -1) for line in text.split("\n")]
            return np.concatenate(lines) + 1
        given = np.asarray(self._tokenizer(text))
        if given.size == 0:
            return np.empty(0, np.int64)
        if given.ndim != 1 or given.dtype.kind not in "iu" or given.min() < 1 or given.max() >= self.vocabulary:
            raise ConfigError(
                f"{self._name} must give whole numbers from 1 to {self.vocabulary - 1}, it gave {given[:8]!r}"
            )
        return given.astype(np.int64)


def load_function(name: str) -> Callable[[str], Sequence[float]]:
    """The function that `module:name` names.

    Raises:
        ConfigError: if there is none.
    """
    if not isinstance(name, str) or name.count(":") != 1:
        raise ConfigError(f"a function is named 'module:name', so that an environment can be rebuilt; got {name!r}")
    module, _, attribute = name.partition(":")
    try:
        found = getattr(import_named(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"the function {name!r} cannot be imported: {error}") from None
    if not callable(found):
        raise ConfigError(f"{name!r} is a {type(found).__name__}, not a function")
    function: Callable[[str], Sequence[float]] = found
    return function
