"""Transcripts in a page: kept as data that no browser reads as markup, and drawn when they are opened."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from agentgym.core.text import clean
from agentgym.evaluate import EpisodeRecord, TurnRecord

COLUMNS = (
    "run", "task", "kind", "trial", "seed", "outcome", "score", "turns", "refused", "tokens", "stop", "failure",
)  # fmt: skip


@dataclass(frozen=True)
class Viewer:
    """A list of episodes with search and filters, beside the transcript that is open.

    Attributes:
        runs: Names of the runs.
        episodes: The number of a run, and an episode of it; episode n is found at `#e<n>` of the page.
        pictures: PNG files as addresses of the kind `data:`, by the number of an episode and of a turn; the turn after
            the last is the end.
    """

    runs: Sequence[str]
    episodes: Sequence[tuple[int, EpisodeRecord]]
    pictures: Mapping[int, Mapping[int, str]]

    @property
    def index(self) -> Markup:
        """What the list is made of."""
        rows = [_row(run, episode) for run, episode in self.episodes]
        return embedded({"runs": list(self.runs), "columns": list(COLUMNS), "rows": rows})

    @property
    def talks(self) -> list[Markup]:
        """The transcripts, each for itself, so that a page opens without reading them."""
        return [
            embedded(_talk(episode, self.pictures.get(number, {}))) for number, (_, episode) in enumerate(self.episodes)
        ]

    @property
    def kinds(self) -> list[str]:
        """Kinds of task, in alphabetical order."""
        return sorted({episode.task_kind for _, episode in self.episodes} - {""})


def embedded(value: Any) -> Markup:
    """Data as JSON that stands safely in a `script` element: no `<`, no character that is no plain text.

    Args:
        value: JSON-safe data; a number that JSON lacks becomes null.
    """
    return Markup(json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"))


def outcome(episode: EpisodeRecord) -> str:
    """`won`, `lost`, or `left out` where no figure is of the episode."""
    if not episode.scored:
        return "left out"
    return "won" if episode.success else "lost"


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {clean(str(key)): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value


def _row(run: int, episode: EpisodeRecord) -> list[Any]:
    """The entries of `COLUMNS`."""
    return [
        run,
        episode.task_id,
        episode.task_kind,
        episode.trial,
        str(episode.seed),  # of 64 bits, more than a number of JavaScript holds
        outcome(episode),
        round(episode.score, 6),
        len(episode.turns),
        sum(not turn.valid for turn in episode.turns),
        episode.prompt_tokens + episode.completion_tokens,
        episode.stop,
        episode.failure_kind,
    ]


def _talk(episode: EpisodeRecord, pictures: Mapping[int, str]) -> dict[str, Any]:
    turns = [_turn(turn, pictures.get(number, "")) for number, turn in enumerate(episode.turns)]
    final, end = episode.only.final_observation, {"failure": episode.failure, "picture": pictures.get(len(turns), "")}
    return {"turns": turns, "final": final, **{key: value for key, value in end.items() if value}}


def _turn(turn: TurnRecord, picture: str) -> dict[str, Any]:
    """What the page shows of a turn; what is empty is left away."""
    shown: dict[str, Any] = {"seen": turn.observation if turn.shown is None else turn.shown, "action": turn.action}
    if turn.said is not None and turn.said.strip() != turn.action.strip():
        shown["said"] = turn.said
    if not turn.valid:
        shown["refused"] = turn.error or "refused"
    others = {
        "reward": turn.reward,
        "thought": turn.reasoning,
        "finish": turn.finish_reason,
        "refusal": turn.answer.refusal if turn.answer else "",
        "read": turn.answer.prompt_tokens if turn.answer else 0,
        "wrote": turn.answer.completion_tokens if turn.answer else 0,
        "picture": picture,
    }
    return {**shown, **{name: value for name, value in others.items() if value}}
