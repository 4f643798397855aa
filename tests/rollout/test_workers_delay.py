"""Where tools take time, environments in processes of their own wait at the same time."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from agentgym.rollout import EnvPool, EpisodeSpec, Workers, collect
from tests.rollout.players import Scripted

DELAY, EPISODES, TURNS = 0.5, 8, 4
CALL = json.dumps({"name": "get_user_current_date", "arguments": {}})


def seconds(workers: Workers | None) -> float:
    """What the episodes take, with everything started that they need."""
    player: Any = Scripted(lambda prompt, rng: CALL, context_limit=100_000)
    player.max_new_tokens = 200
    specs = [EpisodeSpec(place, place, place, (place,)) for place in range(EPISODES)]
    pool = EnvPool("Todo-v0", split="val", workers=workers, delay=DELAY)
    try:
        collect(pool, player, specs, horizon=1)
        began = time.perf_counter()
        played = collect(pool, player, specs, horizon=TURNS)
        taken = time.perf_counter() - began
    finally:
        pool.close()
    assert [len(episode.turns) for episode in played] == [TURNS] * EPISODES
    assert all(turn.valid for episode in played for turn in episode.turns)
    return taken


@pytest.mark.full
def test_rollouts_overlap_the_delay_of_tools() -> None:
    one, many = seconds(Workers(processes=1)), seconds(Workers(processes=4))
    assert one >= DELAY * EPISODES * TURNS
    assert many < one / 2
