"""What vector environments in this process and in others share: autoreset, live masks, batches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Text
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from numpy.typing import NDArray

from agentgym.core import ConfigError
from agentgym.core.checks import check_action
from agentgym.vector.infos import batch, objects

Flags = NDArray[np.bool_]
Info = dict[str, Any]
Begun = tuple[Any, Info]
Played = tuple[Any, float, bool, bool, Info]
Batch = tuple[Any, NDArray[np.float64], Flags, Flags, Info]


class Shape(NamedTuple):
    """What all environments have in common: spaces, metadata, render mode."""

    observation_space: gym.Space[Any]
    action_space: gym.Space[Any]
    metadata: Mapping[str, Any]
    render_mode: str | None


class BaseVectorEnv(VectorEnv[Any, Any, NDArray[Any]]):
    """`n` equal environments behind Gymnasium's vector interface, with three differences.

    `step(actions, live=mask)` plays only the environments of `mask`, bool of shape `(n,)`. The others keep observation
    and flags, get reward 0 and have no entry in `infos` (`infos["_key"]` is False); their actions are not read and may
    be None. Without a mask every environment is stepped whose episode is under way, or that the mode resets.

    Texts come as tuples of strings; other observations as Gymnasium batches them, in new arrays each time.

    After an episode's end, `NEXT_STEP` lets the environment's next step ignore its action and begin another episode,
    reward 0; `SAME_STEP` begins it at once and puts the last observation and info into `infos["final_obs"]` and
    `infos["final_info"]`; `DISABLED` waits for `reset(options={"reset_mask": mask})`, and a step whose mask names a
    environment that has ended raises `ResetNeeded`. Autoresets go on with the environment's generator.

    `reset(seed, options)`: a seed s gives environment i the seed s + i; a list gives each its own. `options` go to
    every environment, except `reset_mask`, bool of shape `(n,)`, which says who begins anew; the caller's dict is left
    alone.
    """

    def __init__(self, num_envs: int, shape: Shape, autoreset_mode: AutoresetMode, spec: Any):
        self.num_envs = num_envs
        self.autoreset_mode = autoreset_mode
        self.single_observation_space = shape.observation_space
        self.single_action_space = shape.action_space
        self.observation_space = batch_space(shape.observation_space, num_envs)
        self.action_space = batch_space(shape.action_space, num_envs)
        self.metadata = {**shape.metadata, "autoreset_mode": autoreset_mode}
        self.render_mode = shape.render_mode
        self.spec = spec
        self._speaks = isinstance(shape.observation_space, Text)
        self._hears = isinstance(shape.action_space, Text)
        self._begun = np.zeros(num_envs, np.bool_)
        self._terminated = np.zeros(num_envs, np.bool_)
        self._truncated = np.zeros(num_envs, np.bool_)
        self._shown: list[Any] = [None] * num_envs

    # What the two kinds implement.

    def _reset(
        self, indices: Sequence[int], seeds: Sequence[int | None], options: Mapping[str, Any] | None
    ) -> list[Begun]:
        """Reset some environments."""
        raise NotImplementedError

    def _step(self, indices: Sequence[int], actions: Sequence[Any]) -> list[Played]:
        """Step some environments."""
        raise NotImplementedError

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of every environment, or read an attribute; wrappers are searched from the outside in."""
        raise NotImplementedError

    # What they share.

    @property
    def live(self) -> Flags:
        """Which environments have an episode under way, bool of shape `(n,)`."""
        return self._begun & ~self._terminated & ~self._truncated

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The generator of each environment; for environments in other processes, copies."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """The seed of each environment's generator."""
        return self.get_attr("np_random_seed")

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, Info]:
        """Begin episodes; see the class.

        Args:
            seed: One seed, to which environment i adds i, or one for each environment; None goes on with the
                environments' generators.
            options: Go to every environment, save `reset_mask`.

        Raises:
            ConfigError: if the seeds or the mask do not fit the number of environments.
        """
        given = dict(options or {})
        mask = given.pop("reset_mask", None)
        chosen = np.ones(self.num_envs, np.bool_) if mask is None else self._checked(mask, "reset_mask")
        if not chosen.any():
            raise ConfigError("reset_mask names no environment; set at least one entry to True")
        seeds = self._seeds(seed)
        if not (self._begun | chosen).all():
            raise ResetNeeded("the first reset begins every environment; call reset() without reset_mask")
        indices = np.flatnonzero(chosen).tolist()
        begun = self._reset(indices, [seeds[index] for index in indices], given or None)
        self._take(indices, begun)
        return self._observations(), batch(self.num_envs, indices, [info for _, info in begun])

    def step(self, actions: Any, live: Flags | None = None) -> Batch:
        """Play one action in every live environment; see the class.

        Args:
            actions: One for each environment.
            live: Which environments are stepped, bool of shape `(n,)`; by default all that the mode lets.

        Returns:
            Observations, rewards (float64), terminated, truncated (bool), each of length `n`, and infos.

        Raises:
            ConfigError: if actions or mask do not fit the number of environments.
            TypeError: if an action is no string where the environments read text; nothing is stepped.
            ResetNeeded: before the first reset, or if the mask names an environment that must be reset.
        """
        if not self._begun.all():
            raise ResetNeeded("call reset() before step()")
        chosen = self._chosen(live)
        said = self._each(actions)
        over = self._terminated | self._truncated
        fresh = np.flatnonzero(chosen & over).tolist()
        playing = np.flatnonzero(chosen & ~over).tolist()
        if self._hears:
            for index in playing:  # before any environment is stepped
                check_action(said[index], f"environment {index}")
        rewards = np.zeros(self.num_envs, np.float64)
        begun = self._reset(fresh, [None] * len(fresh), None) if fresh else []
        played = self._step(playing, [said[index] for index in playing]) if playing else []
        self._take(fresh, begun)
        for index, (shown, reward, terminated, truncated, _) in zip(playing, played, strict=True):
            self._shown[index], rewards[index] = shown, reward
            self._terminated[index], self._truncated[index] = terminated, truncated
        indices = [*fresh, *playing]
        infos = [*(info for _, info in begun), *(answer[4] for answer in played)]
        flags = self._terminated.copy(), self._truncated.copy()
        final: Info = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            final = self._reset_ended(playing, indices, infos)
        columns = batch(self.num_envs, indices, infos)
        columns.update(final)
        return self._observations(), rewards, *flags, columns

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of every environment."""
        return self.call(name)

    def render(self) -> tuple[Any, ...]:
        """What each environment renders."""
        return self.call("render")

    def _reset_ended(self, playing: Sequence[int], indices: Sequence[int], infos: list[Info]) -> Info:
        """Begin an episode where one has just ended; put the new infos into `infos`, return the final ones."""
        ended = [index for index in playing if self._terminated[index] or self._truncated[index]]
        if not ended:
            return {}
        places = [indices.index(index) for index in ended]
        mask = np.zeros(self.num_envs, np.bool_)
        mask[ended] = True
        columns = {
            "final_obs": objects(self.num_envs, ended, [self._shown[index] for index in ended]),
            "_final_obs": mask,
            "final_info": batch(self.num_envs, ended, [infos[place] for place in places]),
            "_final_info": mask.copy(),
        }
        begun = self._reset(ended, [None] * len(ended), None)
        self._take(ended, begun)
        for place, (_, info) in zip(places, begun, strict=True):
            infos[place] = info
        return columns

    def _take(self, indices: Sequence[int], begun: Sequence[Begun]) -> None:
        for index, (shown, _) in zip(indices, begun, strict=True):
            self._shown[index] = shown
            self._begun[index] = True
            self._terminated[index] = self._truncated[index] = False

    def _observations(self) -> Any:
        if self._speaks:
            return tuple(self._shown)
        empty: Any = create_empty_array(self.single_observation_space, n=self.num_envs, fn=np.zeros)
        return concatenate(self.single_observation_space, self._shown, empty)

    def _chosen(self, live: Flags | None) -> Flags:
        over = self._terminated | self._truncated
        waits = self.autoreset_mode is AutoresetMode.DISABLED
        if live is None:
            return ~over if waits else np.ones(self.num_envs, np.bool_)
        chosen = self._checked(live, "live")
        if waits and (chosen & over).any():
            ended = np.flatnonzero(chosen & over).tolist()
            raise ResetNeeded(
                f"the episodes of environments {ended} are over; reset them with options={{'reset_mask': mask}}"
            )
        return chosen

    def _checked(self, mask: Any, name: str) -> Flags:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            shown = f"{mask.dtype} of shape {mask.shape}" if isinstance(mask, np.ndarray) else type(mask).__name__
            raise ConfigError(f"{name} must be a bool array of shape ({self.num_envs},), got {shown}")
        return mask

    def _each(self, actions: Any) -> Sequence[Any]:
        """The action of each environment."""
        if self._hears:
            if isinstance(actions, str) or not isinstance(actions, (tuple, list, np.ndarray)):
                raise TypeError(f"actions are {self.num_envs} strings, got {type(actions).__name__}")
            said: Any = actions
        else:
            said = list(_iterate(self.action_space, actions))
        if len(said) != self.num_envs:
            raise ConfigError(f"there are {self.num_envs} environments, but {len(said)} actions")
        return said

    def _values(self, values: Any) -> Sequence[Any]:
        """One value for each environment."""
        if not isinstance(values, (list, tuple)):
            return [values] * self.num_envs
        if len(values) != self.num_envs:
            raise ConfigError(f"there are {self.num_envs} environments, but {len(values)} values")
        return values

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + index for index in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ConfigError(f"there are {self.num_envs} environments, but {len(seed)} seeds")
        return list(seed)


def _iterate(space: gym.Space[Any], actions: Any) -> Iterator[Any]:
    return iter(actions) if isinstance(actions, (list, tuple)) else iterate(space, actions)
