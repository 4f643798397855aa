"""The first half of the demo: how far chance, a rule and full knowledge get in WebShop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agentgym.evaluate import EpisodeRecord, EvaluationResult, evaluate

WORLD, SPLIT = "WebShop-v1", "test"
AGENTS = {
    "random": "The random agent clicks and searches at random",
    "rule": "the rule searches for the instruction, opens the first product and buys it",
    "oracle": "the oracle knows the hidden goal",
}


def shop(goals: int, folder: Path, on_episode: Callable[[str], None]) -> dict[str, EvaluationResult]:
    """Let every agent play the first `goals` test goals.

    Args:
        goals: How many.
        folder: Where the transcripts go; what an earlier demo left there is replaced.
        on_episode: Called with the agent's name after each episode.
    """

    def play(agent: str) -> EvaluationResult:
        def count(episode: EpisodeRecord | None, done: int, total: int) -> None:
            """Tell of an `episode` that has ended; how many are `done` of the `total`, the caller counts itself."""
            if episode:
                on_episode(agent)

        out = folder / f"webshop-{agent}"
        return evaluate(WORLD, agent, split=SPLIT, episodes=goals, workers=1, out=out, fresh=True, on_episode=count)

    return {agent: play(agent) for agent in AGENTS}
