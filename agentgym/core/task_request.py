"""Which task `reset(options=...)` asks for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.hooks import WorldHooks
from agentgym.core.schema import violation
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Task

CUSTOM = "custom"  # the split of a task that the caller specified


def requested_task(world: WorldHooks, options: Mapping[str, Any] | None) -> tuple[Task | None, dict[str, Any]]:
    """The task that reset options name, if they name one, and the other options.

    Args:
        world: Whose options they are.
        options: What `reset` was given.

    Raises:
        TaskError: if the task cannot be played.
        ConfigError: if the options are no mapping, or the world has no such option.
    """
    if options is not None and not isinstance(options, Mapping):
        raise ConfigError(
            f"{world.card.id}: reset options are a mapping such as {{'task': 0}}, got {type(options).__name__}"
        )
    extra = dict(options or {})
    wanted = extra.pop("task", None)
    strange = sorted(map(str, extra.keys() - world.reset_options))
    if strange:
        known = ", ".join(["task", *sorted(world.reset_options)])
        raise ConfigError(f"{world.card.id} has no reset option {strange[0]!r}; it knows: {known}")
    world._check_options(extra)
    if wanted is None:
        return None, extra
    if isinstance(wanted, str):
        return world.tasks(world.split).by_id(wanted), extra
    if isinstance(wanted, Mapping):
        return specified_task(world, wanted), extra
    if isinstance(wanted, (int, np.integer)) and not isinstance(wanted, bool):
        return world.tasks(world.split)[int(wanted)], extra
    raise TaskError(f"a task is an id, an index or a specification, got {type(wanted).__name__}")


def specified_task(world: WorldHooks, wanted: Mapping[str, Any]) -> Task:
    """The task of a specification, which the world need not play for it.

    Args:
        world: Whose task it is to be.
        wanted: The specification.

    Raises:
        TaskError: if it is no JSON, does not fit `task_schema`, or `check_task` refuses it.
    """
    try:
        spec = json.loads(json.dumps(dict(wanted), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise TaskError(f"{world.card.id}: a task specification is JSON data, but {error}") from None
    wrong = violation(spec, world.task_schema, where="the task specification")
    if wrong:
        raise TaskError(f"{world.card.id}: {wrong}")
    world.check_task(spec)
    return Task(custom_id(spec), CUSTOM, world.instruction(spec), spec)


def custom_id(spec: Mapping[str, Any]) -> str:
    """The id of a task that a specification asks for.

    Args:
        spec: The specification, JSON-safe.
    """
    return f"{CUSTOM}-{fingerprint(spec)[:12]}"
