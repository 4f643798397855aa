"""Recorded episodes as conversations: who said what, which tools were called, and what it paid."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypedDict

from agentgym.agents.chat import shown_call
from agentgym.agents.prompt import Prompt
from agentgym.core import DataError, ToolCall, full_id
from agentgym.core.env import PLAYER
from agentgym.core.files import parse_object, read_object
from agentgym.core.kinds import check_kind
from agentgym.core.lines import read_lines
from agentgym.core.snapshot import json_key
from agentgym.evaluate.episode_record import AnswerRecord, EpisodeRecord, PlayerRecord, SegmentRecord, TurnRecord
from agentgym.evaluate.store import EPISODES, GAMES, read_episodes
from agentgym.evaluate.worlds import open_pool, resolve
from agentgym.rollout.episode import Turn
from agentgym.rollout.recordings import OUTCOMES, TURNS, read_recordings

IMPORTED = "imported"  # namespace of the worlds of episodes that were not played here
RECORDED = "recorded"  # the agent of a recording endpoint, and what its worlds are called by
RECIPE, SHADED, SUITE = "recipe.json", "shaded.jsonl", "suite.json"
CHAT_AGENTS = ("endpoint", "hf")  # those that are asked to think first and act in the last line


@dataclass(frozen=True)
class Trajectory:
    """One episode as a conversation.

    Attributes:
        episode: What is on record of it.
        messages: From the system message, if there is one, to the last answer: `role` and `content`, of answers that
            called tools `tool_calls`, of what a tool said `tool_call_id`.
        tools: What the agent could call, in JSON Schema.
        kind: Family of the world; "" if it is none of the catalog.
        tokens: What a local model read and said, as ids; empty where they are not on record, None where they are on
            record of no episode of the run.
    """

    episode: EpisodeRecord
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    kind: str
    tokens: Sequence[SegmentRecord] | None = None


class _TurnOfTraining(TypedDict):
    observation: str
    action: str
    reward: float
    valid: bool


class _Trained(TypedDict):
    split: str
    task_id: str
    seed: int
    success: bool
    score: float
    stop: str
    failure: str
    final: str
    turns: Sequence[_TurnOfTraining]


class _Options(TypedDict, total=False):
    env_kwargs: Mapping[str, Any]
    wrappers: Sequence[Any]


class _World(_Options):
    id: str


class _Recipe(TypedDict):
    world: _World


def read_run(path: str | Path) -> list[EpisodeRecord]:
    """The episodes of a run.

    Args:
        path: The folder of an evaluation, of a suite, of a training (of which the record holds the best and the worst
            episode of an update), or of `agentgym record` (whose sessions are those that have ended), or a file of
            episodes.

    Raises:
        DataError: if it is none of these, holds no episode, or a line is damaged.
    """
    path = Path(path)
    if (path / SUITE).is_file():
        files = sorted(file for name in (EPISODES, GAMES) for file in path.glob(f"*/{name}"))
        found = [episode for file in files for episode in read_episodes(file)]
    elif (path / RECIPE).is_file():
        found = read_training(path, SHADED)
    elif (path / TURNS).is_file():
        found = _of_recordings(path)
    else:
        found = read_episodes(path)
    if not found:
        raise DataError(f"{path} holds no episode yet; give the folder of a run that has played some")
    return found


def read_training(path: Path, name: str = EPISODES) -> list[EpisodeRecord]:
    """The episodes of a training, in the order of writing.

    Args:
        path: The folder of the run.
        name: Of the file: all of them, or `SHADED` for the best and the worst of each update.

    Raises:
        DataError: if a file is damaged.
    """
    recipe = read_object(path / RECIPE)
    check_kind(recipe, _Recipe, f"recipe in {path / RECIPE}")
    lines = read_lines(path / name, _trained) if (path / name).exists() else []
    return [_of_training(record, recipe["world"], str(path)) for record in lines]


def _trained(line: bytes) -> dict[str, Any]:
    record = parse_object(line)
    check_kind(record, _Trained, "episode of a training")
    return record


def _of_recordings(path: Path) -> list[EpisodeRecord]:
    """The sessions of a recording endpoint that have ended.

    What their programs were told beside the newest message is not on record in words; it is in the tokens.
    """
    seen: Counter[tuple[str, str, str]] = Counter()
    found = []
    for episode in read_recordings(path) if (path / OUTCOMES).is_file() else []:
        tokens = [SegmentRecord.of(segment) for segment in episode.segments]
        score = episode.total_return
        player = PlayerRecord(
            RECORDED, success=episode.success, score=score, progress=episode.progress, tokens=tokens or None
        )
        key = episode.world, episode.split, episode.task_id
        found.append(
            EpisodeRecord(
                env=f"{IMPORTED}:{RECORDED}/{episode.world}",
                env_kwargs={},
                split=episode.split,
                task_id=episode.task_id,
                seed=episode.seed,
                stop=episode.stop or "terminated",
                players={PLAYER: player},
                turns=[_of_session(turn) for turn in episode.turns],
                trial=seen[key],
            )
        )
        seen[key] += 1
    return found


def _of_session(turn: Turn) -> TurnRecord:
    calls = turn.reply.calls if turn.reply else ()
    return TurnRecord(
        PLAYER,
        turn.observation,
        calls[0].action if calls else turn.action,
        turn.reward,
        said=turn.action,
        finish_reason=turn.finish_reason or None,
        answer=AnswerRecord(0, 0, 0, 0.0, "", tuple(asdict(call) for call in calls), 0.0, 1) if calls else None,
    )


def _of_training(record: Mapping[str, Any], world: Mapping[str, Any], run: str) -> EpisodeRecord:
    """The record of an episode that a training has kept."""
    player = PlayerRecord(
        f"run:{run}",
        success=record["success"],
        score=record["score"],
        progress=float(record["success"]),
        final_observation=record["final"],
    )
    told = ("observation", "action", "reward", "valid")
    module, _, name = world["id"].rpartition(":")  # which is not imported here
    return EpisodeRecord(
        env=f"{module or 'agentgym'}:{full_id(name)}",
        env_kwargs=world.get("env_kwargs", {}),
        split=record["split"],
        task_id=record["task_id"],
        seed=record["seed"],
        stop=record["stop"],
        players={PLAYER: player},
        turns=[TurnRecord(PLAYER, **{name: turn[name] for name in told}) for turn in record["turns"]],
        wrappers=tuple(world.get("wrappers", ())),
        failure=record["failure"],
    )


class Manuals:
    """What agents are told of worlds, each of which is made once for it and closed again."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, list[dict[str, Any]], str, str]] = {}

    def trajectory(self, episode: EpisodeRecord) -> Trajectory:
        """An episode as a conversation.

        Raises:
            AgentGymError: if the world that it was played in cannot be made.
        """
        manual, tools, read, kind = self._of(episode)
        native = any(_called(turn, number, calls=bool(tools)) for number, turn in enumerate(episode.turns))
        asked = episode.only.agent.partition(":")[0] in CHAT_AGENTS
        prompt = Prompt(manual=bool(manual), answer="last_line" if asked else "whole")
        system = prompt.system_message(manual, calls=bool(tools), native=native, reads_replies=read)
        system = episode.only.system or system  # as it was said to a model
        return Trajectory(episode, [*_opening(system), *_messages(episode.turns, calls=bool(tools))], tools, kind)

    def _of(self, episode: EpisodeRecord) -> tuple[str, list[dict[str, Any]], str, str]:
        if episode.env.startswith(f"{IMPORTED}:"):
            return "", [], "", ""
        ((player, one),) = episode.players.items()
        own = [dict(table) for table in one.wrappers]
        key = json_key([episode.env, episode.split, dict(episode.env_kwargs), list(episode.wrappers), player, own])
        if key not in self._known:
            formats = {player: own} if own else None
            pool = open_pool(episode.env, episode.split, episode.env_kwargs, episode.wrappers, formats)
            try:
                told = pool.briefings[player]
            finally:
                pool.close()
            tools = [dict(tool) for tool in told.tools]
            self._known[key] = (told.manual, tools, told.reads_replies, resolve(episode.env)[1].kind)
        return self._known[key]


def _opening(system: str) -> list[dict[str, Any]]:
    return [{"role": "system", "content": system}] if system else []


def _messages(turns: Sequence[TurnRecord], *, calls: bool) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    called: list[ToolCall] = []
    for number, turn in enumerate(turns):
        if not called:
            messages.append({"role": "user", "content": turn.observation})
        for call in called:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": turn.observation})
        said = turn.action if turn.said is None else turn.said
        called = _called(turn, number, calls=calls)
        if called:
            listed = [shown_call(call) for call in called]
            messages.append({"role": "assistant", "content": turn.said or "", "tool_calls": listed})
        else:
            messages.append({"role": "assistant", "content": said})
    return messages


def _called(turn: TurnRecord, number: int, *, calls: bool) -> list[ToolCall]:
    """The calls of a turn: those of a chat model, or what an agent without words did in a world of tool calls."""
    if turn.answer is not None and turn.answer.calls:
        return [ToolCall(**call) for call in turn.answer.calls]
    if not calls or turn.said is not None:
        return []
    try:
        action = parse_object(turn.action)
    except DataError:  # no call at all, which the world has refused
        return []
    if not isinstance(action.get("name"), str):
        return []
    return [ToolCall(f"call_{number}", action["name"], json.dumps(action.get("arguments", {})))]
