"""Games with people in them, who may take back what they did.

What is taken back is undone by playing the episode again up to there: from equal seeds and actions an episode is equal
to the byte, its scripted opponents included, so the world returns to the state in which it was, and the record of the
episode holds what counted in the end and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agentgym.agents.human import Script, Undo
from agentgym.core import card
from agentgym.rollout.collect import play
from agentgym.rollout.env_pool import EnvPool
from agentgym.rollout.records import EpisodeSpec, RecordOptions
from agentgym.rollout.roles import Cast
from agentgym.rollout.run import Watch
from agentgym.rollout.running import RunningEpisode

INFOS = RecordOptions(infos=True)


def can_take_back(pool: EnvPool, cast: Cast) -> bool:
    """Whether an episode can be returned to an earlier state: the world can, and no model would have to speak again.

    Args:
        pool: Where it is played.
        cast: Who plays.
    """
    roles = [role for parts in cast.roles.values() for role in parts.values()]
    return card(pool.id).snapshot != "none" and all(role.policy.reads == "view" for role in roles)


def play_with_people(
    pool: EnvPool,
    cast: Cast,
    spec: EpisodeSpec,
    script: Script,
    *,
    on_step: Watch | None = None,
    on_undo: Callable[[], None] | None = None,
) -> RunningEpisode:
    """Play one episode in which people take part.

    Args:
        pool: Where to play.
        cast: Who plays; the people share `script`.
        spec: Where the episode begins. A task that is left open is drawn with the seed, and then played by its name,
            as the record of the episode names it.
        script: What the people have said; a script that holds something already is said again first.
        on_step: Called after the reset and after each step, save those that are only played again.
        on_undo: Called when something was taken back, before it is played again up to there.

    Returns:
        The episode, with all infos.

    Raises:
        Quit: when a person leaves.
        TaskError: if the world answers otherwise when it is played again.
    """

    if spec.task is None:
        (drawn,) = pool.begin([spec])
        spec = replace(spec, task=drawn.results[pool.players[0]].info["task_id"])

    def watch(running: RunningEpisode) -> None:
        if on_step and not script.replaying:
            on_step(running)

    while True:
        script.place = 0
        try:
            (played,) = play(pool, cast, [spec], on_step=watch, options=INFOS, keep_failures=True)
        except Undo:
            script.take_back()
            if on_undo:
                on_undo()
        else:
            return played
