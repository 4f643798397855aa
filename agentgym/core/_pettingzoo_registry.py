"""Games of several players in PettingZoo's two registries: registered when PettingZoo is imported, not before."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.abc import Loader

    from agentgym.core.catalog import EnvCard
else:
    Loader = object  # importlib.abc would load ten modules on every import of the package

PETTINGZOO = "pettingzoo"
_PENDING: list[EnvCard] = []


def register_game(card: EnvCard) -> None:
    """Register a game under its id as AEC and as parallel environment: now, or as soon as PettingZoo is imported.

    PettingZoo takes as long to import as the rest of AgentGym, so worlds of one player do not pay for it.
    """
    module = sys.modules.get(PETTINGZOO)
    if hasattr(module, "register"):
        _register(module, card)
        return
    _PENDING.append(card)
    if not any(isinstance(finder, _RegistryFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _RegistryFinder())


def _register(pettingzoo: Any, card: EnvCard) -> None:
    native, view = ("aec", "parallel") if card.api == "aec" else ("parallel", "aec")
    registries = {"aec": pettingzoo.aec_registry, "parallel": pettingzoo.parallel_registry}
    if card.id in registries[native]:
        return
    pettingzoo.register(native, card.id, card.entry_point)
    pettingzoo.register(view, card.id, f"agentgym.core._pettingzoo_views:{view}_view", kwargs={"name": card.id})


class _RegistryFinder:
    """Import finder that waits for PettingZoo, lets the other finders find it, and registers the games behind it.

    It stays when a program only asks whether PettingZoo is installed, as TorchRL does, and leaves when it is loaded.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification that the other finders give, with a loader that enters the games when it has loaded.

        None where `fullname` is not PettingZoo; `path` and `target`, which the import system gives too, are not read.
        """
        if fullname != PETTINGZOO:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and spec.loader is not None:
            spec.loader = _RegisteringLoader(spec.loader)
        return spec


class _RegisteringLoader(Loader):
    def __init__(self, loader: Loader):
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        assert spec is not None
        spec.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _RegistryFinder)]
        while _PENDING:
            _register(module, _PENDING.pop())
