"""Lets a checkout work where it stands: four sub-packages are folders beside `agentgym/`, not inside it.

An installation maps them (`setup.py`). Python that finds the package in a checkout first, because it was started there
or has it on its path, would import `agentgym` and then look in vain for `agentgym.envs`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

ROOMS = frozenset({"agentgym.envs", "agentgym.wrappers", "agentgym.assets", "agentgym.baselines"})
CHECKOUT = Path(__file__).resolve().parent.parent


class _CheckoutFinder:  # no MetaPathFinder: its module loads ten others, on every import of the package
    """Finds the four sub-packages, and nothing else, beside the package."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The specification of `fullname` where that is one of `ROOMS`; None for every other module.

        The import system also gives `path`, the package's folders, and `target`, a module that is loaded again; neither
        changes where a room lies.
        """
        if fullname not in ROOMS:
            return None
        folder = CHECKOUT / fullname.rpartition(".")[2]
        spec = PathFinder.find_spec(folder.name, [str(CHECKOUT)])
        if spec is None or spec.origin is None:
            return None
        from importlib.util import spec_from_file_location

        return spec_from_file_location(fullname, spec.origin, submodule_search_locations=[str(folder)])


if not (Path(__file__).parent / "envs").exists() and (CHECKOUT / "pyproject.toml").exists():
    sys.meta_path.insert(0, _CheckoutFinder())
