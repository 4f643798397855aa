"""Games of many seats in PettingZoo's two registries, entered when PettingZoo is imported and not before."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from agentgym.core.catalog import EnvCard

if TYPE_CHECKING:
    from importlib.abc import Loader
else:
    Loader = object  # importlib.abc would load ten modules on every import of the package

PETTINGZOO = "pettingzoo"
_WAITING: list[EnvCard] = []


def enter(card: EnvCard) -> None:
    """Enter a game under its id as AEC and as parallel environment: now, or as soon as PettingZoo is imported.

    PettingZoo takes as long to import as the rest of AgentGym, so worlds with one seat do not pay for it.
    """
    module = sys.modules.get(PETTINGZOO)
    if hasattr(module, "register"):
        _register(module, card)
        return
    _WAITING.append(card)
    if not any(isinstance(finder, _Doorkeeper) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Doorkeeper())


def _register(pettingzoo: Any, card: EnvCard) -> None:
    native, view = ("aec", "parallel") if card.api == "aec" else ("parallel", "aec")
    registries = {"aec": pettingzoo.aec_registry, "parallel": pettingzoo.parallel_registry}
    if card.id in registries[native]:
        return
    pettingzoo.register(native, card.id, card.entry_point)
    pettingzoo.register(view, card.id, f"agentgym.core._views:{view}_view", kwargs={"name": card.id})


class _Doorkeeper:
    """Stands first in line until PettingZoo is imported, lets the others find it, and enters the games behind it.

    It stays when somebody only asks whether PettingZoo is installed, as TorchRL does, and goes when it is loaded.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification that the other finders give, with a loader that enters the games when it has loaded."""
        if fullname != PETTINGZOO:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and spec.loader is not None:
            spec.loader = _Entering(spec.loader)
        return spec


class _Entering(Loader):
    def __init__(self, loader: Loader):
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        assert spec is not None
        spec.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Doorkeeper)]
        while _WAITING:
            _register(module, _WAITING.pop())
