"""Pictures of recorded episodes: the world plays them again and draws what it shows."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace

from agentgym.core import DataError
from agentgym.evaluate import EpisodeRecord
from agentgym.evaluate.trust import check_trust
from agentgym.report.evaluated import Evaluated
from agentgym.rollout import EnvPool, EpisodeSpec, RecordOptions, Workers
from agentgym.rollout.env_pool import STEP_TIMEOUT
from agentgym.rollout.wrapping import PICTURES, named_wrapper

FRAMES = 8  # pictures of an episode, evenly spread, the first and the last among them
PICTURED = 50  # episodes of a run, from the first on
SIDE = 240  # pixels
PLAIN = RecordOptions()


def draws(run: Evaluated) -> bool:
    """Whether the world of a run is one of this package's that draws pictures."""
    return run.card is not None and run.card.images


def pictures(run: Evaluated, *, trust: bool = False) -> dict[tuple[str, int], dict[int, str]]:
    """Pictures of the first episodes of a run.

    Args:
        run: Of a world that draws.
        trust: Whether its files may name functions and data from outside the suite, which are called and read.

    Returns:
        By task and trial and by the number of a turn: what was shown before it, as a PNG file in an address of the kind
        `data:`.

    Raises:
        ConfigError: if the files name such without being trusted.
        DataError: if the world no longer answers as on record.
        AgentGymError: if it cannot be made.
    """
    config = run.config
    if not trust:
        made = replace(run.episodes[0], env=config.env, env_kwargs=config.env_kwargs, wrappers=config.wrappers)
        check_trust([made], run.folder)
    shot = {**PICTURES, "height": SIDE, "width": SIDE}
    worn = [table for table in config.wrappers if table["name"] != PICTURES["name"]]
    pool = EnvPool(
        config.env.rpartition(":")[2],
        wrappers=[named_wrapper(table) for table in (*worn, shot)],
        history=True,
        workers=Workers(1, STEP_TIMEOUT),
        contain=True,
        split=config.split,
        render_mode="rgb_array",
        **config.env_kwargs,
    )
    try:
        drawn = [each for each in run.episodes if each.failure_kind != "environment"][:PICTURED]
        return {(each.task_id, each.trial): _frames(pool, each) for each in drawn}
    finally:
        pool.close()


def _frames(pool: EnvPool, episode: EpisodeRecord) -> dict[int, str]:
    (player,) = pool.players
    wanted = set(_spread(len(episode.turns) + 1))
    step = pool.begin([EpisodeSpec(episode.task_id, episode.seed, 0, ())], PLAIN)[0]
    frames: dict[int, str] = {}
    seen = [*(turn.observation for turn in episode.turns), episode.only.final_observation]
    for number, observation in enumerate(seen):
        if step.results[player].observation != observation:
            raise DataError(
                f"task {episode.task_id}, trial {episode.trial}: turn {number + 1} shows another observation than on "
                "record, so there are no pictures of it; leave out --pictures, or play the run again"
            )
        if number in wanted:
            frames[number] = _address(step.images, player)
        if number < len(episode.turns):
            step = pool.act([(0, {player: episode.turns[number].action})], PLAIN)[0]
    return frames


def _spread(count: int) -> Sequence[int]:
    """At most `FRAMES` numbers below `count`, evenly spread, the first and the last among them."""
    if count <= FRAMES:
        return range(count)
    return [round(place * (count - 1) / (FRAMES - 1)) for place in range(FRAMES)]


def _address(images: Mapping[str, bytes], player: str) -> str:
    return "data:image/png;base64," + base64.b64encode(images[player]).decode("ascii")
