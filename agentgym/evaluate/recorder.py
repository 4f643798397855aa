"""Makes the record of an episode that has ended."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agentgym.core import BudgetSpent
from agentgym.evaluate.episode_record import AnswerRecord, EpisodeRecord, PlayerRecord, SegmentRecord, TurnRecord
from agentgym.evaluate.fixtures import Fixture
from agentgym.rollout import EnvPool, Episode, RunningEpisode, Turn
from agentgym.rollout.conversation import Conversation

OTHER_SIDES = "the game began with other sides than it was probed with; worlds must draw sides from task and seed alone"


@dataclass(frozen=True)
class AgentSetting:
    """How an agent plays; the entries of the same names in `PlayerRecord`, its options as `agent_options`."""

    options: Mapping[str, Any] = field(default_factory=dict)
    wrappers: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class RecordHeader:
    """Where episodes are played, and by whom; the entries of the same names in `EpisodeRecord`.

    Attributes:
        env, env_kwargs, split, wrappers: The world.
        agents: How each agent plays, by the name that records give it.
    """

    env: str
    env_kwargs: Mapping[str, Any]
    split: str
    agents: Mapping[str, AgentSetting]
    wrappers: Sequence[Mapping[str, Any]] = ()


def record_episode(
    running: RunningEpisode,
    pool: EnvPool,
    header: RecordHeader,
    holders: Mapping[str, str],
    *,
    trial: int = 0,
    fixture: Fixture | None = None,
) -> EpisodeRecord:
    """The record of an episode that has ended, which was played with all infos kept.

    Args:
        running: The episode.
        pool: Where it was played; a game of several players is asked for their roles.
        header: What is known of world and agents.
        holders: By player, the name of its agent in `header`.
        trial: Which repetition of the task.
        fixture: Which game of a tournament it is; one that has other sides in the end has failed.
    """
    first = running.first.acting.episode
    record = EpisodeRecord(
        env=header.env,
        env_kwargs=header.env_kwargs,
        split=header.split,
        task_id=first.task_id,
        task_kind=running.task_kind,
        wrappers=header.wrappers,
        trial=trial,
        seed=first.seed,
        stop=first.stop,
        failure_kind=_who_failed(running, first.failure_kind),
        failure=first.failure,
        stopped_by=running.stopped_by,
        players={
            player: _player(running, pool, player, holders[player], header.agents[holders[player]])
            for player in running.sides
        },
        turns=_turns(running),
        fixture=fixture,
        wall_seconds=round(running.seconds, 6),
    )
    if fixture is not None and record.scored and not fixture.fits(pool, running.place):
        return replace(record, stop="failure", failure_kind="environment", failure=OTHER_SIDES, stopped_by="")
    return record


def _player(running: RunningEpisode, pool: EnvPool, player: str, agent: str, setting: AgentSetting) -> PlayerRecord:
    side, info = running.sides[player], running.results[player].info
    acting, episode = side.acting, side.acting.episode
    has_role = len(running.sides) > 1 and episode.failure_kind != "environment"
    dollars, read, written = _costs(episode)
    return PlayerRecord(
        agent=agent,
        agent_options=setting.options,
        wrappers=setting.wrappers,
        role=str(pool.ask(running.place, player, "role")) if has_role else "",
        success=episode.success and running.stopped_by != player,
        score=math.fsum([*(turn.reward for turn in episode.turns), side.earned]),
        progress=episode.progress,
        metrics=dict(info["metrics"]),
        costs=dict(info["costs"]),
        system=acting.system if _speaks(acting) else "",
        final_observation=episode.final,
        prompt_tokens=read,
        completion_tokens=written,
        cost=dollars,
        tokens=_tokens(acting),
    )


def _tokens(acting: Conversation) -> list[SegmentRecord] | None:
    """What a local model read and said, if that is to be kept."""
    if not getattr(acting.policy, "keep_tokens", False):
        return None
    return [SegmentRecord.of(segment) for segment in acting.episode.segments]


def _turns(running: RunningEpisode) -> list[TurnRecord]:
    """The turns of all players in the order of play, without actions that the world never answered."""
    waiting = {
        player: iter([_turn(player, turn, side.acting) for turn in side.acting.episode.turns])
        for player, side in running.sides.items()
    }
    found = [next(waiting[player], None) for player, _ in running.log]
    return [turn for turn in found if turn is not None]


def _turn(player: str, turn: Turn, acting: Conversation) -> TurnRecord:
    assert turn.info is not None, "the episode was played without RecordOptions(infos=True)"
    info, reply = turn.info, turn.reply
    called = acting.has_tools or bool(reply and reply.calls)  # an answer that called a tool is one in any world
    return TurnRecord(
        player=player,
        observation=turn.observation,
        action=turn.action,
        reward=turn.reward,
        valid=turn.valid,
        error=info["error"],
        events=info["events"],
        metrics=info["metrics"],
        costs=info["costs"],
        said=turn.said if _speaks(acting) else None,
        finish_reason=turn.finish_reason or None,
        reasoning=reply.reasoning or None if reply else None,
        answer=AnswerRecord.of(reply) if reply else None,
        shown=turn.messages[0]["content"] if len(turn.messages) == 1 else None,
        tool_failure=("" if turn.valid else info["error"]) if called else None,
    )


def _speaks(acting: Conversation) -> bool:
    """Whether a model answers, so that its whole answer is kept."""
    return acting.policy.reads != "view"


def _costs(episode: Episode) -> tuple[float, int, int]:
    """US dollars, tokens read and tokens written of all the model's answers in an episode."""
    replies = [turn.reply for turn in episode.turns if turn.reply is not None]
    written = sum(sum(segment.sampled_mask) for segment in episode.segments)
    read = sum(len(segment) for segment in episode.segments) - written
    return (
        math.fsum(reply.cost for reply in replies),
        read + sum(reply.prompt_tokens for reply in replies),
        written + sum(reply.completion_tokens for reply in replies),
    )


def _who_failed(running: RunningEpisode, kind: str) -> str:
    """Who failed, as `EpisodeRecord.failure_kind` says it, given what the runner calls it."""
    if isinstance(running.error, BudgetSpent):
        return "budget"
    return "agent" if kind == "policy" else kind
