"""The sandboxes of this machine, for tests: each with the reason to skip where it is not there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from agentgym.core import EngineFailure, MissingExtra
from agentgym.envs._kit.sandbox import Limits, Sandbox, find_backing
from agentgym.envs._kit.sandbox.bubblewrap import Bubblewrap
from agentgym.envs._kit.sandbox.docker import Docker

SYSTEM_PYTHON, SOMEBODY = Path("/usr/bin/python3"), 61_999
BACKINGS = ("bubblewrap", "bubblewrap as a user", "docker")
ANEW = ("bubblewrap, each anew", "bubblewrap as a user, each anew")  # where no server can fork keepers
EACH = (*BACKINGS, *(pytest.param(name, marks=pytest.mark.full) for name in ANEW))


def as_a_user(forks: bool | None = None) -> Bubblewrap:
    """Bubblewrap as somebody who is not the superuser starts it: in a user namespace."""
    if os.geteuid():
        return Bubblewrap(forks=forks)
    if not SYSTEM_PYTHON.exists():
        raise MissingExtra(f"there is no {SYSTEM_PYTHON}, which every user may read")
    return Bubblewrap(python=str(SYSTEM_PYTHON), account=SOMEBODY, forks=forks)


MADE: dict[str, Callable[[], Bubblewrap | Docker]] = {
    "bubblewrap": Bubblewrap, "bubblewrap as a user": as_a_user, "docker": Docker,
    ANEW[0]: lambda: Bubblewrap(forks=False), ANEW[1]: lambda: as_a_user(forks=False),
}  # fmt: skip
_found: dict[str, Bubblewrap | Docker | str] = {}


def backing(name: str) -> Bubblewrap | Docker:
    """A backing that runs programs here; skips the test where it does not."""
    if name not in _found:
        try:
            made = MADE[name]()
            trial = Sandbox(made, Limits(), warm=0)
            assert trial.python("print('hello')").stdout == "hello\n"
            _found[name] = made
        except (MissingExtra, EngineFailure) as error:
            _found[name] = f"{name}: {error}"
    found = _found[name]
    if isinstance(found, str):
        pytest.skip(found)
    return found


def sandbox() -> None:
    """Skips the test where no sandbox is found."""
    try:
        find_backing()
    except MissingExtra as error:
        pytest.skip(str(error))
