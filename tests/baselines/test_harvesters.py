"""Greed ruins the commons in its first month; whoever heeds the universalized sentence keeps it for all months."""

from __future__ import annotations

from typing import Any

import numpy as np

import agentgym
from agentgym.baselines.harvesters import greedy, heeding
from agentgym.evaluate.tournament import tournament


def group(play: Any, **env_kwargs: Any) -> dict[str, float]:
    """The metrics of a group of one kind."""
    game: Any = agentgym.make("Commons-v1", split="test", vary=False, **env_kwargs)
    seen, _ = game.reset(seed=0, options={"task": 0})
    rng = np.random.default_rng(0)
    metrics: dict[str, float] = {}
    while game.agents:
        said = {who: play(seen[who]["text"], game.admissible_actions(who), rng) for who in game.agents}
        seen, _, _, _, infos = game.step(said)
        metrics = infos["player_0"]["metrics"]
    return metrics


def test_the_sentence_toggles_and_decides() -> None:
    assert group(greedy)["survived"] == group(greedy, universalize=True)["survived"] == 0
    assert group(heeding)["survived"] == 0
    kept = group(heeding, universalize=True)
    assert (kept["survived"], kept["efficiency"], kept["equality"]) == (12, 1.0, 1.0)


def test_a_tournament_tells_what_each_achieves_among_its_own_kind() -> None:
    mine = "agentgym.baselines.harvesters:greedy"
    found = tournament("Commons-v1", [mine, "strong"], deals=2, env_kwargs={"months": 2, "rounds": 0, "vary": False})
    own = found.among_themselves
    assert {metric: own[mine][metric].value for metric in ("survived", "gain")} == {"survived": 0.0, "gain": 20.0}
    assert own["strong"]["survived"].value == 2
    assert own["strong"]["equality"].value == 1.0
    assert set(own["strong"]) == {"survived", "gain", "equality", "efficiency", "share", "overuse"}
