"""Installed packages that programs in a sandbox may import: which files are shown, and where."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

PLACE = "/packages"  # where a sandbox shows them, read-only
WARM = "SANDBOX_PACKAGES"  # in the settings of a keeper: modules to import before it has a job
NOT_SHOWN = (".dist-info", ".egg-info", ".pth", "__pycache__")


@dataclass(frozen=True)
class Packages:
    """Installed distributions.

    Attributes:
        distributions: Their names; what they depend on is not added.
        warm: Modules that a keeper imports while it waits, so that programs find them imported.
        hidden: Folders of them that are shown empty, below the folder in which packages are installed.
        settings: Names and values of the environment in which they are imported.
    """

    distributions: tuple[str, ...]
    warm: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()

    def environment(self) -> Mapping[str, str]:
        """What is added to the settings of a keeper."""
        return {**dict(self.settings), WARM: " ".join(self.warm)}

    def shown(self) -> list[tuple[str, str]]:
        """Each file or folder on this machine, and where a sandbox shows it.

        Raises:
            PackageNotFoundError: if a distribution is not installed.
        """
        found: dict[str, str] = {}
        for name in self.distributions:
            distribution = metadata.distribution(name)
            for file in distribution.files or ():
                top = file.parts[0]
                if top != ".." and not top.endswith(NOT_SHOWN) and (len(file.parts) > 1 or file.suffix == ".py"):
                    found[top] = os.path.realpath(str(Path(str(distribution.locate_file(top)))))
        return [(source, f"{PLACE}/{top}") for top, source in sorted(found.items())]

    def emptied(self) -> list[str]:
        """Where a sandbox shows an empty folder instead of what is there."""
        return [f"{PLACE}/{folder}" for folder in self.hidden]
