"""How `copy.deepcopy` and `pickle` copy an environment: by its arguments, and the snapshot of its episode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from gymnasium.utils import seeding

from agentgym.core.snapshot import Snapshot


class Copied:
    """The part of a world that copies it; a world has `snapshot`, `restore` and `fork`."""

    _constructor_arguments: Mapping[str, Any]
    _task: Any
    _failure: str
    fork: Any
    snapshot: Any

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A fork; before the first reset and after a failure, a new environment with the same arguments."""
        twin: Self = self.fork() if self._begun else type(self)(**self._constructor_arguments)
        memo[id(self)] = twin
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is pickled: by its arguments and, where an episode has begun and nothing failed, its snapshot."""
        return _made_again, (type(self), dict(self._constructor_arguments), self.snapshot() if self._begun else None)

    @property
    def _begun(self) -> bool:
        return self._task is not None and not self._failure


def _made_again(kind: type[Any], arguments: Mapping[str, Any], saved: Snapshot | None) -> Any:
    """The environment that was pickled."""
    made = kind(**arguments)
    if saved is not None:
        made._np_random = np.random.Generator(type(seeding.np_random(0)[0].bit_generator)(0))
        made.restore(saved)
    return made
