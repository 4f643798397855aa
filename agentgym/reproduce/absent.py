"""What a claim is on a machine that lacks the engine of a world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agentgym.core import ConfigError, MissingExtra
from agentgym.reproduce.claim import FUNCTION, Claim, matched
from agentgym.rollout import EnvPool


def playable(claim: Claim) -> Claim:
    """A claim without the arms whose worlds cannot be made here, and without the checks that ask for these arms.

    The world of an arm is that of its recipe, or the option `world` of its function.

    Args:
        claim: What is to be tried.

    Returns:
        The claim that can be tried; `absent` says by world in one line what is missing.

    Raises:
        ConfigError: if nothing is left to be compared.
    """
    missing: dict[str, str] = {}
    known: set[str] = set()
    arms = {}
    for name, arm in claim.arms.items():
        world, env_kwargs = _world(arm.table)
        if world and world not in known | set(missing):
            try:
                pool = EnvPool(world, **env_kwargs)
                pool.driver()
                pool.close()
                known.add(world)
            except MissingExtra as error:
                missing[world] = str(error)
        if world not in missing:
            arms[name] = arm
    if not missing:
        return claim
    checks = tuple(check for check in claim.checks if matched(arms, check.larger) and matched(arms, check.smaller))
    if not checks:
        raise ConfigError(f"the claim {claim.name} cannot be tried here: {'; '.join(missing.values())}")
    return replace(claim, arms=arms, checks=checks, absent=missing)


def _world(table: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The world of an arm and what it is made with; "" where a function says nothing of worlds."""
    if FUNCTION in table:
        world = table["options"].get("world", "")
        return (world, {}) if isinstance(world, str) else ("", {})
    return table["world"]["id"], table["world"].get("env_kwargs", {})
