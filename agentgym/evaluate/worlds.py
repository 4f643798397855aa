"""Worlds by name and options, with one clear line for whatever is wrong with either."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gymnasium.envs.registration import load_env_creator

from agentgym.core import AgentGymError, ConfigError, EnvCard, card, unknown
from agentgym.core.generated import check_arguments
from agentgym.core.grammar import shorten
from agentgym.rollout import EnvPool, Workers
from agentgym.rollout.places import REASON
from agentgym.rollout.wrapping import PICTURES, named_wrapper
from agentgym.vector.worker import WorkerError


def resolve(name: str) -> tuple[str, EnvCard]:
    """The id by which any process can make a world, `module:namespace/name`, and its card.

    Args:
        name: `WebShop-v1`, `AgentGym/WebShop-v1`, or `module:id` for a world that `module` registers.

    Raises:
        UnknownName: with the nearest known id.
        ConfigError: if the module cannot be imported.
    """
    known = card(name)
    return f"{name.rpartition(':')[0] or 'agentgym'}:{known.id}", known


def open_pool(
    name: str,
    split: str,
    options: Mapping[str, Any],
    wrappers: Sequence[Mapping[str, Any]] = (),
    formats: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    *,
    workers: Workers | None = None,
    step_timeout: float | None = None,
    contain: bool = False,
    drawn: bool = False,
) -> EnvPool:
    """A pool of equal environments, with every mistake in the options said in one line.

    Args:
        name: See `resolve`.
        split: A split of the card.
        options: Other constructor arguments.
        wrappers: Tables of the wrappers around each, by `name`, the first innermost.
        formats: Tables of the wrappers of each player of a game.
        workers, step_timeout, contain: See `EnvPool`.
        drawn: Whether its environments draw, where the world has pictures: their `render` gives one.

    Raises:
        UnknownName, ConfigError, MissingExtra, DataError: what is wrong and what to do.
    """
    _, known = resolve(name)
    if split not in known.splits:
        raise unknown(f"split of {known.id}", split, known.splits)
    check_options(known, options)
    made = [named_wrapper(table) for table in wrappers]
    own = {player: [named_wrapper(table) for table in tables] for player, tables in (formats or {}).items()}
    seen = PICTURES["name"] in [table["name"] for tables in (wrappers, *(formats or {}).values()) for table in tables]
    if seen and not known.images:
        raise ConfigError(f"{known.id} draws no pictures; leave out pictures (--pictures)")
    try:
        pool = EnvPool(
            known.id,
            wrappers=made,
            workers=workers,
            step_timeout=step_timeout,
            contain=contain,
            formats=own,
            history=True,
            split=split,
            **options,
            **({"render_mode": "rgb_array"} if seen or (drawn and known.images) else {}),
        )
    except (WorkerError, TypeError, ValueError) as error:  # a `WorkerError` is any whose kind this process cannot make
        if isinstance(error, AgentGymError) and not isinstance(error, WorkerError):
            raise
        raise ConfigError(_refused(known, options, error)) from error
    return pool


def _refused(known: EnvCard, options: Mapping[str, Any], error: Exception) -> str:
    """That a constructor took its arguments for wrong, in one line."""
    said = str(error).partition(" was raised from the environment creator")[0].strip().splitlines()
    reason = shorten(said[0], REASON) if said else "it does not say why"
    if not isinstance(error, WorkerError):  # whose message begins with the kind
        reason = f"{type(error).__name__}: {reason}"
    given = f"the options {dict(options)}" if options else "its defaults"
    advice = "give other values" if options else "mend its constructor"
    return f"{known.id} cannot be made with {given}: {reason}; {advice}"


def check_options(known: EnvCard, options: Mapping[str, Any]) -> None:
    """Refuse constructor arguments that a world does not take, and the lack of those it needs.

    Args:
        known: The card of the world.
        options: Constructor arguments by name, without `split` and `render_mode`.

    Raises:
        ConfigError: if an argument without default is missing.
        UnknownName: if the world does not take one, with the nearest that it takes.
    """
    check_arguments(known, options, constructor_options(load_env_creator(known.entry_point)))


def constructor_options(creator: Callable[..., Any]) -> frozenset[str] | None:
    """Keyword arguments a world takes; None if it takes any.

    The reserved ones, which have a place of their own in every command, are left out, save `max_turns`.
    """
    parameters = inspect.signature(creator).parameters.values()
    if any(item.kind is item.VAR_KEYWORD for item in parameters):
        return None
    return frozenset(item.name for item in parameters) - {"split", "render_mode"}
