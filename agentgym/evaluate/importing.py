"""Published trajectories as records: AgentTraj-L of AgentGym, the expert data of ETO, results of tau-bench."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import agentgym
from agentgym.agents.prompt import extract_action
from agentgym.core import DataError, ToolCall, fingerprint, unknown
from agentgym.core.env import PLAYER
from agentgym.core.files import parse_object
from agentgym.core.lines import read_lines
from agentgym.evaluate.episode_record import AnswerRecord, EpisodeRecord, PlayerRecord, TurnRecord
from agentgym.evaluate.planning import RunConfig
from agentgym.evaluate.store import RunFolder
from agentgym.evaluate.trajectories import IMPORTED

Item = Mapping[str, Any]
WON = 1.0 - 1e-6  # a reward from which tau-bench, AgentGym and ETO call an episode successful


@dataclass(frozen=True)
class Source:
    """What an item of a published file says, before it is an episode."""

    world: str
    task_id: str
    reward: float
    turns: list[TurnRecord]
    final: str
    trial: int | None = None


class Unrated(Exception):
    """An item that has no reward on record, as its episode was never finished."""


def import_run(file: str | Path, form: str, out: str | Path) -> tuple[list[EpisodeRecord], int]:
    """Read published trajectories into the folder of a run.

    Nothing is played: the worlds are called `imported:...`, and `agentgym replay` refuses them. What was shown before
    the first observation (instructions, a system message) stands before it.

    Args:
        file: A JSON list, one JSON object, or JSON lines.
        form: A name of `SOURCES`.
        out: Folder of the run; a folder that holds another is refused.

    Returns:
        The episodes, and how many items were left out since they have no reward on record.

    Raises:
        UnknownName: if there is no such format.
        DataError: if the file cannot be read, or an item is of another format; then nothing is written.
        ConfigError: if the folder holds another run.
    """
    if form not in SOURCES:
        raise unknown("format of import", form, SOURCES)
    path = Path(file)
    items = _items(path)
    found: list[EpisodeRecord] = []
    seen: Counter[tuple[str, str]] = Counter()
    unrated = 0
    for number, item in enumerate(items, 1):
        try:
            source = SOURCES[form](item)
        except Unrated:
            unrated += 1
            continue
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            raise DataError(f"{path}, item {number} is no trajectory of {form}: {reason}") from None
        key = source.world, source.task_id
        found.append(_episode(source, seen[key] if source.trial is None else source.trial))
        seen[key] += 1
    if not found:
        raise DataError(f"{path} holds no trajectory that has ended ({unrated} have no reward on record)")
    with RunFolder(out, asdict(_config(path, form, found))) as folder:
        known = folder.records.keys()
        folder.append("episodes", *(each.record() for each in found if each.key not in known))
    return found, unrated


def _config(path: Path, form: str, found: Sequence[EpisodeRecord]) -> RunConfig:
    """What the folder says of itself, in the entries of an evaluation."""
    tasks = list(dict.fromkeys(each.task_id for each in found))
    return RunConfig(
        env=f"{IMPORTED}:{form}",
        env_kwargs={"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()},
        split=IMPORTED,
        agent=IMPORTED,
        agent_options={},
        episodes=len(tasks),
        trials=max(Counter(each.task_id for each in found).values()),
        seed=0,
        version=agentgym.__version__,
        tasks=fingerprint(tasks),
    )


def _items(path: Path) -> list[Item]:
    """The objects of a file, whichever way it lists them."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}); give a file of trajectories") from None
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return read_lines(path, parse_object)
    items = whole if isinstance(whole, list) else [whole]
    if not items or not all(isinstance(item, dict) for item in items):
        raise DataError(f"{path} must hold a list of trajectories, each a JSON object")
    return items


def _episode(source: Source, trial: int) -> EpisodeRecord:
    player = PlayerRecord(
        IMPORTED,
        success=source.reward >= WON,
        score=source.reward,
        progress=min(max(source.reward, 0.0), 1.0),
        final_observation=source.final,
    )
    return EpisodeRecord(
        env=f"{IMPORTED}:{source.world}",
        env_kwargs={},
        split=IMPORTED,
        task_id=source.task_id,
        seed=0,
        stop="terminated",
        players={PLAYER: player},
        turns=source.turns,
        trial=trial,
    )


def agenttraj(item: Item) -> Source:
    """An item of AgentTraj-L (Xi et al. 2024): `item_id`, and `conversations` of `from`, `value` and `loss`.

    What the agent is told first is answered by an acknowledgment with `loss` false. The collection holds what reached
    the threshold of its environment, and no rewards: where `reward` is missing, it is 1.
    """
    name, talk = _text(item["item_id"]), item["conversations"]
    turns, final = _dialogue(talk, told_first=lambda message: message.get("loss") is False)
    return _rated("agenttraj/" + (name.rpartition("_")[0] or name), name, item.get("reward", 1.0), turns, final)


def eto(item: Item) -> Source:
    """An item of ETO (Song et al. 2024): `conversations` of `from` and `value` that begin with instructions and `OK`.

    The expert data have `id` or `game_file`, and `reward` for WebShop alone: the others are solved. The files of its
    own runs have `meta` with the reward, which is null where the episode never ended.
    """
    meta = item.get("meta", item)
    name = _text(item.get("id", meta.get("id", meta.get("game_file", item.get("game_file")))))
    turns, final = _dialogue(item["conversations"], told_first=lambda message: message["value"].strip() == "OK")
    return _rated("eto", name, meta.get("reward", None if "meta" in item else 1.0), turns, final)


def tau_bench(item: Item) -> Source:
    """A result of tau-bench (Yao et al. 2024): `task_id`, `trial`, `reward`, and `traj`, the messages of the agent."""
    turns: list[TurnRecord] = []
    waiting: list[str] = []
    for message in item["traj"]:
        content = message.get("content") or ""
        if not isinstance(content, str):
            raise ValueError(f"content must be a text, got {content!r}")
        if message["role"] != "assistant":
            waiting.append(content)
            continue
        calls = [ToolCall(call["id"], **call["function"]) for call in message.get("tool_calls") or ()]
        asked = tuple({"id": call.id, "name": call.name, "arguments": call.arguments} for call in calls)
        answer = AnswerRecord(0, 0, 0, 0.0, "", asked, 0.0, 1) if asked else None
        action = calls[0].action if calls else content
        turns.append(_turn("\n\n".join(waiting), action, content, answer))
        waiting = []
    source = _rated("tau-bench", str(int(item["task_id"])), item["reward"], turns, "\n\n".join(waiting))
    return Source(source.world, source.task_id, source.reward, turns, source.final, int(item["trial"]))


def _dialogue(talk: Sequence[Any], told_first: Callable[[Mapping[str, Any]], bool]) -> tuple[list[TurnRecord], str]:
    """The turns of a conversation of `human` and `gpt`; an acknowledgment of what is told first is no turn."""
    turns: list[TurnRecord] = []
    waiting: list[str] = []
    for message in talk:
        value, speaker = _text(message["value"]), message["from"]
        if speaker == "human":
            waiting.append(value)
        elif speaker != "gpt":
            raise ValueError(f"a message is from {speaker!r}, expected 'human' or 'gpt'")
        elif turns or not told_first(message):
            turns.append(_turn("\n\n".join(waiting), extract_action(value), value, None))
            waiting = []
    return turns, "\n\n".join(waiting)


def _turn(observation: str, action: str, said: str, answer: AnswerRecord | None) -> TurnRecord:
    return TurnRecord(PLAYER, observation, action, said=said, answer=answer)


def _rated(world: str, name: str, reward: Any, turns: list[TurnRecord], final: str) -> Source:
    """The source, the reward paid with its last turn."""
    if reward is None:
        raise Unrated
    if isinstance(reward, str) or not math.isfinite(reward):
        raise ValueError(f"reward must be a number, got {reward!r}")
    if not turns:
        raise ValueError("the agent says nothing in it")
    paid = replace(turns[-1], reward=float(reward))
    return Source(world, name, float(reward), [*turns[:-1], paid], final)


def _text(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise ValueError(f"expected a text, got {value!r}")
    return value


SOURCES: Mapping[str, Callable[[Item], Source]] = {"agenttraj": agenttraj, "eto": eto, "tau-bench": tau_bench}
