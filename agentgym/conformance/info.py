"""The check of `info`: its contract, its types, and that nothing of it is shared."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from agentgym.conformance.env_under_test import EnvUnderTest
from agentgym.conformance.errors import Violation
from agentgym.conformance.play import Play, act, begin, difference, line, transcribe
from agentgym.core import EnvCard

INFO: dict[str, type] = {
    "task_id": str, "split": str, "instruction": str, "success": bool, "progress": float, "action_valid": bool,
    "error": str, "failure": str, "events": list, "metrics": dict, "costs": dict,
}  # fmt: skip


def info(env: EnvUnderTest) -> str:
    """A5: `info` has the same keys, one type each, is JSON-safe, shares no object with other calls or the world."""
    types: dict[str, type] = {}
    seen: dict[int, str] = {}
    for where, _, result in env.results:
        if env.is_world:
            _contract(env.card, result.info, where)
        _regular(result.info, types, where)
        for path, part in _containers(result.info, "info"):
            if id(part) in seen:
                raise Violation(
                    f"{where}: {path} is the very object returned as {seen[id(part)]}.",
                    "build every dict and list of info anew on each call.",
                )
            seen[id(part)] = f"{path} at {where}"
    _vandalise(env)
    return f"{len(types)} keys, {len(seen)} objects, none returned twice"


def _contract(card: EnvCard, given: Mapping[str, Any], where: str) -> None:
    missing, extra = sorted(set(INFO) - set(given)), sorted(set(given) - set(INFO))
    if missing or extra:
        raise Violation(
            f"{where}: info lacks {missing} and has the unknown {extra}.",
            "leave info to the base class; a world adds metrics, costs and events that its card declares.",
        )
    for key, kind in INFO.items():
        if type(given[key]) is not kind:
            raise Violation(
                f"{where}: info[{key!r}] is {given[key]!r:.60} of type {type(given[key]).__name__}.",
                f"give a {kind.__name__}.",
            )
    if not 0.0 <= given["progress"] <= 1.0:
        raise Violation(f"{where}: progress is {given['progress']}.", "give the share of the task done, 0 to 1.")
    for key, declared in (("metrics", card.metrics), ("costs", card.costs)):
        if set(given[key]) != set(declared) or any(type(value) is not float for value in given[key].values()):
            raise Violation(f"{where}: {key} is {given[key]}.", f"give floats for {sorted(declared)}.")
    for event in given["events"]:
        if event.get("type") not in card.events:
            raise Violation(
                f"{where}: the event {event} is of no declared type.",
                f"declare its type in the card's events; declared: {sorted(card.events)}.",
            )


def _regular(given: Mapping[str, Any], types: dict[str, type], where: str) -> None:
    try:
        back = json.loads(json.dumps(given, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise Violation(f"{where}: info is no JSON ({error}).", "use text, numbers, lists and dicts.") from None
    if back != given:
        raise Violation(f"{where}: info changes when sent as JSON: {given!r:.200}.", "use lists and text keys.")
    if types and set(types) != set(given):
        raise Violation(
            f"{where}: the keys of info are {sorted(given)}, before they were {sorted(types)}.",
            "give the same keys at reset and at every step.",
        )
    for key, value in given.items():
        if types.setdefault(key, type(value)) is not type(value):
            raise Violation(
                f"{where}: info[{key!r}] was of type {types[key].__name__}, now it is {type(value).__name__}.",
                "keep one type per key; vector environments batch by the first value they see.",
            )
        if key.startswith("_"):
            raise Violation(f"{where}: the info key {key!r} is reserved.", "begin no key with an underscore.")


def _containers(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield path, value
        for key, item in value.items():
            yield from _containers(item, f"{path}[{key!r}]")
    elif isinstance(value, (list, set, bytearray, np.ndarray)):
        yield path, value
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from _containers(item, f"{path}[{index}]")


def _vandalise(env: EnvUnderTest) -> None:
    """Destroy each info after it was returned; an environment that kept the object will answer otherwise."""
    play = Play("random", 7, limit=40)
    expected = transcribe(env.drive(), play)
    driver, told = env.drive(), []
    for actions in ({}, *expected.actions):
        step = act(driver, actions) if actions else begin(driver, play)
        told.append(line(step))
        for result in step.results.values():
            for _, part in list(_containers(result.info, "info")):
                if isinstance(part, (dict, list, set, bytearray)):
                    part.clear()
                elif part.flags.writeable:
                    part[...] = 0
    wrong = difference(expected.lines, told)
    if wrong:
        raise Violation(
            f"after the caller changed the info it was given, {wrong}",
            "return copies: info must not be, or hold, an object that the environment keeps.",
        )
