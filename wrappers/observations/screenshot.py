"""`Screenshot`: text and picture as one observation."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from agentgym.core import ConfigError
from agentgym.wrappers.base import Info, TextWrapper

Image = NDArray[np.uint8]


class Screenshot(TextWrapper):
    """Makes observations `{"text": ..., "image": ...}` for agents that see.

    The picture is what `render` draws, scaled to fit (nearest neighbour) into a black frame of a fixed size, since a
    space has one shape. It goes outside everything that reads text.

    Changes: the observation space is `Dict(text=UnicodeText, image=Box(0, 255, (height, width, 3), uint8))`.

    Args:
        env: A world with pictures, made with `render_mode="rgb_array"`.
        height, width: Size of the picture in pixels.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import Screenshot
    >>> env = Screenshot(gym.make("AgentGym/FrozenLake-v0", render_mode="rgb_array"), height=96, width=96)
    >>> seen, info = env.reset(seed=0)
    >>> sorted(seen), seen["image"].shape
    (['image', 'text'], (96, 96, 3))
    """

    def __init__(self, env: gym.Env[Any, Any], *, height: int = 256, width: int = 256):
        super().__init__(env, height=height, width=width)
        for name, value in (("height", height), ("width", width)):
            if not isinstance(value, int) or not 8 <= value <= 4_096:
                raise ConfigError(f"{name} must be a whole number from 8 to 4096, got {value!r}")
        world = self.world.card
        if not world.images:
            raise ConfigError(f"Screenshot needs pictures; {world.id} draws none")
        if env.render_mode != "rgb_array":
            raise ConfigError(f"Screenshot needs gymnasium.make({world.id!r}, render_mode='rgb_array')")
        self.height, self.width = height, width
        image = gym.spaces.Box(0, 255, (height, width, 3), np.uint8)
        self.observation_space = gym.spaces.Dict({"text": env.observation_space, "image": image})

    def begin(self, observation: str, info: Info, note: Any) -> dict[str, Any]:
        """The first `observation` and its picture, uint8 RGB; neither `info` nor `note` is read."""
        return {"text": observation, "image": self._image()}

    def show(self, observation: str, info: Info, note: Any) -> dict[str, Any]:
        """The `observation` and its picture, uint8 RGB; neither `info` nor `note` is read."""
        return {"text": observation, "image": self._image()}

    def _fit(self, text: str) -> str:
        space = self.observation_space["text"]  # type: ignore[index]
        return text if len(text) <= space.max_length else space.fit(text)

    def _image(self) -> Image:
        drawn: Any = self.env.render()
        scale = min(self.height / drawn.shape[0], self.width / drawn.shape[1])
        rows, columns = (max(1, int(side * scale)) for side in drawn.shape[:2])
        frame = np.zeros((self.height, self.width, 3), np.uint8)
        row = np.minimum((np.arange(rows) / scale).astype(int), drawn.shape[0] - 1)
        column = np.minimum((np.arange(columns) / scale).astype(int), drawn.shape[1] - 1)
        top, left = (self.height - rows) // 2, (self.width - columns) // 2
        frame[top : top + rows, left : left + columns] = drawn[row][:, column]
        return frame
