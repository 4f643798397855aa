"""In a fresh process: what a golden record holds of a world, checksums of panels and hashes of transcripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import agentgym
from agentgym.conformance.play import Play, transcribe
from agentgym.conformance.players import LEVEL, keeps_contract
from agentgym.core import ConfigError, drive
from agentgym.core.errors import engine_versions
from agentgym.core.hooks import implements

AGENTS = ("random", "clumsy", "oracle", "expert")
PLACES = (0, 1)  # tasks of each split that are transcribed
LIMIT = 50  # steps of a golden transcript

Record = dict[str, Any]


def record(env_id: str, kwargs: Mapping[str, Any]) -> Record:
    """The checksums of finite panels, the hashes of golden transcripts, and the versions of the engines behind them.

    Args:
        env_id: An id with its module prefix.
        kwargs: Constructor arguments.
    """
    world = _bare(env_id, kwargs)
    checksums = {split: world.tasks(split).checksum for split, size in world.card.splits.items() if size is not None}
    agents = [agent for agent in AGENTS if agent not in ("oracle", "expert") or implements(world, f"_{agent}")]
    agents += [f"{LEVEL}{level}" for level in world.card.opponents]
    transcripts = {}
    for split in world.card.splits:
        driver = drive(agentgym.make(env_id, **kwargs, split=split))
        size = world.tasks(split).size
        for place in PLACES:
            if size is None or place < size:
                for agent in agents:
                    play = Play(agent, place, task=place, limit=LIMIT)
                    transcripts[f"{agent}/{split}/{place}"] = transcribe(driver, play).sha256
        driver.close()
    engines = engine_versions(world.card.id)
    return {"checksums": checksums, "transcripts": transcripts, **({"engines": engines} if engines else {})}


def find_seeds(env_id: str, kwargs: Mapping[str, Any]) -> dict[str, list[int]] | None:
    """Seed lists for the finite splits of a generated world; None for other worlds.

    Args:
        env_id: An id with its module prefix.
        kwargs: Constructor arguments.
    """
    world = _bare(env_id, kwargs)
    sizes = {split: size for split, size in world.card.splits.items() if size is not None}
    return None if world.seeded is None else world.seeded.find(sizes)


def _bare(env_id: str, kwargs: Mapping[str, Any]) -> Any:
    driver = drive(agentgym.make(env_id, **kwargs))
    if not keeps_contract(driver):
        raise ConfigError(f"{env_id} is no world of agentgym.core; only those have golden records")
    return driver.world
