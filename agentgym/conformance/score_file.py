"""Writes what agents score in a world into the file that its card reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from agentgym.conformance.env_under_test import open_env
from agentgym.conformance.gamers import generic_scores
from agentgym.conformance.scores import measure_scores
from agentgym.core import ConfigError, EnvCard, Score, card
from agentgym.core.scores import package_of, read_scores, score_file
from agentgym.vector.pool import WorkerPool

PANELS = ("val", "test")


def update_scores(env_id: str) -> Path:
    """Measure random, do-nothing, expert and oracle agents and shortcuts over whole panels, and write what they score.

    Of a panel of more than a thousand tasks in a world whose steps another program answers, 64 are played, spread
    evenly; the shortcuts that any world can be tried with play 20 of `test`.

    Splits and further agents that stand in the file, such as an exploit that a world means to pay, are measured anew.

    Args:
        env_id: An id, with its module prefix if it is a third party's.

    Returns:
        The file, `scores.json` in the package of the world.

    Raises:
        ConfigError: if the world needs data of its user, or its module stands in no package.
    """
    with open_env(env_id) as env:  # it imports the module that registers the id
        world = env.card
    path = _path(world)
    known = read_scores(package_of(world.entry_point)).get(world.id, {})
    with open_env(env_id, full=True) as env:
        generic = generic_scores(env)
    found = {}
    for split in dict.fromkeys((*known, *(panel for panel in PANELS if panel in world.splits))):
        own = tuple(agent for agent in known.get(split, ()) if agent not in generic)
        found[split] = measure_scores(env_id, split, None, own)
    if generic:
        found["test"] = {**found["test"], **generic}
    write_scores(path, {**read_scores(package_of(world.entry_point)), world.id: found})
    return path


def update_shortcuts(env_id: str) -> Path | None:
    """Measure only the shortcuts that any world can be tried with, and write what they score beside the rest.

    Args:
        env_id: An id, with its module prefix if it is a third party's.

    Returns:
        The file; None for a world in which none can be tried.

    Raises:
        ConfigError: if its module stands in no package.
    """
    with open_env(env_id, full=True) as env:
        world, found = env.card, generic_scores(env)
    if not found:
        return None
    table = read_scores(package_of(world.entry_point))
    splits = dict(table.get(world.id, {}))
    splits["test"] = {**splits.get("test", {}), **found}
    write_scores(_path(world), {**table, world.id: splits})
    read_scores.cache_clear()
    return _path(world)


def update_scores_apart(env_id: str) -> Path | None:
    """`update_scores` in a process of its own, for this one remembers panels that were written anew.

    Returns:
        The file; None for a world that needs data of its user, whose scores are those of the original data.
    """
    world = card(env_id)
    if world.requires:
        return None
    with WorkerPool(_Scores, 1) as pool:
        pool.run("update", [env_id], lambda path: None)
    return _path(world)


class _Scores:
    """Updates scores in another process."""

    def update(self, env_id: str) -> Path:
        return update_scores(env_id)

    def close(self) -> None:
        """It holds nothing."""


def write_scores(path: Path, scores: Mapping[str, Mapping[str, Mapping[str, Score]]]) -> None:
    """Write a file of scores, by id, split and agent: one line a split, ids in alphabetical order.

    Args:
        path: The file.
        scores: By id, split and agent.
    """
    worlds = []
    for env_id in sorted(scores):
        rows = [
            f"  {json.dumps(split)}: {json.dumps({agent: score._asdict() for agent, score in row.items()})}"
            for split, row in scores[env_id].items()
        ]
        worlds.append(f" {json.dumps(env_id)}: {{\n" + ",\n".join(rows) + "\n }")
    path.write_text("{\n" + ",\n".join(worlds) + "\n}\n", encoding="utf8")


def _path(world: EnvCard) -> Path:
    package = package_of(world.entry_point)
    if world.requires:
        raise ConfigError(f"{world.id} needs {', '.join(world.requires)}; its scores are those of the original data")
    if not package:
        raise ConfigError(f"the module of {world.id} stands in no package; give its card scores={{...}}")
    return Path(str(score_file(package)))
