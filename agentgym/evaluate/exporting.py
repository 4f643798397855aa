"""Recorded episodes in the formats of other libraries."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentgym.core import ConfigError, DataError, require, unknown
from agentgym.core.files import write_apart
from agentgym.evaluate.episode_record import EpisodeRecord, SegmentRecord
from agentgym.evaluate.trajectories import IMPORTED, Manuals, Trajectory, read_run
from agentgym.evaluate.trust import check_trust

Row = dict[str, Any]
ENDINGS = (".jsonl", ".parquet")


@dataclass(frozen=True)
class Exported:
    """What came of an export.

    Attributes:
        path: The file.
        rows: In it.
        episodes: Which they are of.
        failed: Episodes left out since the world failed or nobody answered for the agent. Of a game, each player's side
            is one.
        filtered: Episodes left out as the filters say.
    """

    path: Path
    rows: int
    episodes: int
    failed: int
    filtered: int


def export(
    run: str | Path,
    form: str,
    out: str | Path,
    *,
    success: bool = False,
    min_score: float | None = None,
    limit: int | None = None,
    trust: bool = False,
) -> Exported:
    """Write the episodes of a run in the format of another library.

    A game of several players is an episode for each of them, as that player saw it.
    What agents were told of a world is not on record, so the world is made again. Where the run holds the ids that a
    local model read and said (`keep_tokens`, or a recording endpoint), `hf`, `trl` and `verl` have columns of them.

    Args:
        run: See `read_run`.
        form: A name of `FORMATS`.
        out: The file: JSON lines if it ends in `.jsonl`, parquet if it ends in `.parquet`.
        success: Only successful episodes.
        min_score: Only those whose return is at least this.
        limit: Only the first so many of those that are left.
        trust: Whether modules, functions and data from outside the suite may be used that the run names.

    Raises:
        UnknownName: if there is no such format.
        ConfigError: if `out` has another ending, `limit` is below 1, or the run names such without being trusted.
        DataError: if the run holds no episodes, or none passes the filters.
        MissingExtra: if parquet is asked for without pyarrow.
    """
    if form not in FORMATS:
        raise unknown("format of export", form, FORMATS)
    path = Path(out)
    if path.suffix not in ENDINGS:
        raise ConfigError(f"{path} must end in .jsonl or .parquet, which says how it is written")
    if limit is not None and limit < 1:
        raise ConfigError(f"limit must be at least 1, got {limit}")
    everything = read_run(run)
    sides = [side for episode in everything for side in _sides(episode)]
    scored = [side for side in sides if side is not None and side.turns]
    kept = [episode for episode in scored if _passes(episode, success, min_score)][:limit]
    if not kept:
        raise DataError(f"no episode of {run} passes: {len(everything)} are on record, {len(scored)} of them scored")
    if not trust:
        check_trust([episode for episode in kept if not episode.env.startswith(f"{IMPORTED}:")], run)
    manuals = Manuals()
    known = any(episode.only.tokens is not None for episode in kept)
    found = (replace(manuals.trajectory(each), tokens=(each.only.tokens or ()) if known else None) for each in kept)
    rows = [row for trajectory in found for row in FORMATS[form](trajectory)]
    write_apart(path, _parquet(rows) if path.suffix == ".parquet" else _lines(rows))
    return Exported(path, len(rows), len(kept), len(sides) - len(scored), len(scored) - len(kept))


def _sides(episode: EpisodeRecord) -> list[EpisodeRecord | None]:
    """An episode of one player, or a game as each of its players saw it; None for those whom it does not count for."""
    if len(episode.players) == 1:
        return [episode if episode.scored else None]
    return [episode.side(player) if episode.scored_for(player) else None for player in episode.players]


def _passes(episode: EpisodeRecord, success: bool, min_score: float | None) -> bool:
    return (episode.success or not success) and (min_score is None or episode.score >= min_score)


def _lines(rows: Sequence[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _parquet(rows: Sequence[Row]) -> bytes:
    arrow = require("pyarrow", extra="parquet", purpose="a file in parquet")
    parquet = require("pyarrow.parquet", extra="parquet", purpose="a file in parquet")
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = {name: [row.get(name) for row in rows] for name in names}
    if "tools" in table:  # schemas of different tools are of no one type
        table["tools"] = [
            each if each is None or isinstance(each, str) else json.dumps(each) for each in table["tools"]
        ]
    file = io.BytesIO()
    parquet.write_table(arrow.table(table), file)
    return file.getvalue()


def openai(found: Trajectory) -> Iterator[Row]:
    """A line of OpenAI's fine-tuning files for chat models, which is also TRL's conversational language modeling."""
    tools = {"tools": found.tools, "parallel_tool_calls": False} if found.tools else {}
    yield {"messages": found.messages, **tools}


def sharegpt(found: Trajectory) -> Iterator[Row]:
    """ShareGPT's conversations with the roles that LLaMA-Factory reads, `system` and `tools` beside them."""
    system = "".join(message["content"] for message in found.messages if message["role"] == "system")
    roles = {"user": "human", "assistant": "gpt", "tool": "observation"}
    talk: list[dict[str, str]] = []
    for message in found.messages:
        if message["role"] == "system" or (message["role"] == "tool" and talk[-1]["from"] == "observation"):
            continue  # several calls, which are one message here, have one answer
        if "tool_calls" in message:
            functions = [call["function"] for call in message["tool_calls"]]
            made = [{"name": each["name"], "arguments": json.loads(each["arguments"])} for each in functions]
            talk.append({"from": "function_call", "value": json.dumps(made if len(made) > 1 else made[0])})
        else:
            talk.append({"from": roles[message["role"]], "value": message["content"]})
    yield {"conversations": talk, "system": system, "tools": json.dumps(found.tools) if found.tools else ""}


def trl(found: Trajectory) -> Iterator[Row]:
    """TRL's conversational prompt and completion, a row for each answer, so that nothing else is learned from.

    Ids are those that TRL's own rollouts give: `prompt_ids`, `completion_ids` and `logprobs` of the completion.
    """
    tools = {"tools": found.tools} if found.tools else {}
    places = [place for place, message in enumerate(found.messages) if message["role"] == "assistant"]
    for number, place in enumerate(places):
        ids = _answer_ids(found.tokens, number)
        yield {"prompt": found.messages[:place], "completion": [found.messages[place]], **tools, **ids}


def _answer_ids(tokens: Sequence[SegmentRecord] | None, number: int) -> Row:
    """The ids before and of an answer; nothing where there are none on record."""
    if tokens is None:
        return {}
    for segment in tokens:
        for turn, start, end in segment.spans:
            if turn == number:
                said = {"completion_ids": segment.token_ids[start:end], "logprobs": segment.logprobs[start:end]}
                return {"prompt_ids": segment.token_ids[:start], **said}
    return {"prompt_ids": [], "completion_ids": [], "logprobs": []}


def verl(found: Trajectory) -> Iterator[Row]:
    """verl's columns: the prompt that its rollouts begin with, and `messages` for its multi-turn fine-tuning.

    The reward is the world's: `ground_truth` names the task, and what the agent scored stands in `extra_info`. Where
    ids are known there is a row for each part of the conversation that was read without a break, with what verl calls
    `prompt_ids`, `response_ids`, `response_mask` and `rollout_log_probs`.
    """
    episode = found.episode
    first = next(place for place, message in enumerate(found.messages) if message["role"] == "assistant")
    about = _about(episode)
    row = {
        "data_source": episode.env.partition(":")[2],
        "prompt": found.messages[:first],
        "ability": found.kind,
        "reward_model": {"style": "rule", "ground_truth": episode.task_id},
        "extra_info": {"index": f"{episode.task_id}/{episode.trial}", **about},
        "messages": found.messages,
    }
    if found.tokens is None:
        yield row
    for segment in found.tokens or ():
        begins = segment.spans[0][1]
        yield {
            **row,
            "prompt_ids": segment.token_ids[:begins],
            "response_ids": segment.token_ids[begins:],
            "response_mask": segment.sampled_mask[begins:],
            "rollout_log_probs": segment.logprobs[begins:],
        }
    if found.tokens is not None and not found.tokens:
        yield {**row, "prompt_ids": [], "response_ids": [], "response_mask": [], "rollout_log_probs": []}


def hf(found: Trajectory) -> Iterator[Row]:
    """All that is on record: the conversation, what each answer earned, and how it ended."""
    episode = found.episode
    yield {
        "messages": found.messages,
        "tools": json.dumps(found.tools),
        "actions": [turn.action for turn in episode.turns],
        "rewards": [turn.reward for turn in episode.turns],
        "valid": [turn.valid for turn in episode.turns],
        "reasoning": [turn.reasoning or "" for turn in episode.turns],
        "final_observation": episode.only.final_observation,
        "env": episode.env.partition(":")[2],
        "kind": found.kind,
        **_about(episode),
        "progress": episode.progress,
        "stop": episode.stop,
        **({} if found.tokens is None else {"segments": [_segment(each) for each in found.tokens]}),
    }


def _segment(segment: SegmentRecord) -> Row:
    """A part of the conversation as ids, with a mask of those that the model chose."""
    ids = {"input_ids": segment.token_ids, "loss_mask": segment.sampled_mask, "logprobs": segment.logprobs}
    return {**ids, "turns": [turn for turn, _, _ in segment.spans]}


def _about(episode: EpisodeRecord) -> Row:
    return {
        "split": episode.split,
        "task_id": episode.task_id,
        "trial": episode.trial,
        "seed": episode.seed,
        "agent": episode.only.agent,
        "player": next(iter(episode.players)),
        "success": episode.success,
        "score": float(episode.score),
    }


FORMATS: Mapping[str, Callable[[Trajectory], Iterator[Row]]] = {
    "openai": openai,
    "sharegpt": sharegpt,
    "hf": hf,
    "trl": trl,
    "verl": verl,
}
