"""Wrappers by name, as recipes and runs write them."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from typing import Any

from agentgym.core import unknown


def named_wrapper(table: Any) -> functools.partial[Any]:
    """A wrapper with its arguments, to be put around an environment.

    Args:
        table: The `name` of a wrapper of `agentgym.wrappers`, and its arguments.

    Raises:
        UnknownName: if there is no such wrapper.
    """
    shelf = importlib.import_module("agentgym.wrappers")
    if not isinstance(table, Mapping) or table.get("name") not in shelf.__all__:
        raise unknown("world.wrappers", str(table.get("name") if isinstance(table, Mapping) else table), shelf.__all__)
    arguments = {key: value for key, value in table.items() if key != "name"}
    return functools.partial(getattr(shelf, table["name"]), **arguments)
