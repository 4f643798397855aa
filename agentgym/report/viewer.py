"""Transcripts in a page: kept as data that no browser reads as markup, and drawn when they are opened."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from agentgym.core.text import clean
from agentgym.evaluate import EpisodeRecord, PlayerRecord, TurnRecord

COLUMNS = (
    "run", "task", "kind", "trial", "seed", "outcome", "score", "turns", "refused", "tokens", "stop", "failure",
    "player", "agent", "system",
)  # fmt: skip


@dataclass(frozen=True)
class Viewer:
    """A list of episodes with search and filters, beside the transcript that is open.

    Attributes:
        runs: Names of the runs.
        episodes: The number of a run, and an episode of it; episode n is found at `#e<n>` of the page.
        pictures: PNG files as addresses of the kind `data:`, by the number of an episode and of a turn; the turn after
            the last is the end.
        players: By episode, whose side of a game it is; empty where all episodes are of one player.
    """

    runs: Sequence[str]
    episodes: Sequence[tuple[int, EpisodeRecord]]
    pictures: Mapping[int, Mapping[int, str]] = field(default_factory=dict)
    players: Sequence[str] = ()

    @classmethod
    def of_games(cls, games: Sequence[EpisodeRecord]) -> Viewer:
        """The games of several players, each as every one of its players saw it.

        Args:
            games: The games.
        """
        sides = [(game, player) for game in games for player in game.players]
        return cls([""], [(0, game) for game, _ in sides], players=[player for _, player in sides])

    @property
    def index(self) -> Markup:
        """What the list is made of."""
        systems = list(dict.fromkeys(one.system for _, one in self._shown))
        rows = [
            [*_row(run, episode, name), name, one.agent if name else "", systems.index(one.system)]
            for (run, episode), (name, one) in zip(self.episodes, self._shown, strict=True)
        ]
        told = {"runs": list(self.runs), "columns": list(COLUMNS), "rows": rows, "systems": systems}
        return embedded(told)

    @property
    def _shown(self) -> list[tuple[str, PlayerRecord]]:
        """By episode, the name of the player in a game, and its record."""
        if not self.players:
            return [("", episode.only) for _, episode in self.episodes]
        return [(name, episode.players[name]) for name, (_, episode) in zip(self.players, self.episodes, strict=True)]

    @property
    def talks(self) -> list[Markup]:
        """The transcripts, each for itself, so that a page opens without reading them."""
        return [
            embedded(_talk(episode.side(name) if name else episode, self.pictures.get(number, {})))
            for number, ((_, episode), (name, _)) in enumerate(zip(self.episodes, self._shown, strict=True))
        ]

    @property
    def sides(self) -> list[str]:
        """The players whose sides are shown, in the order of the games."""
        return list(dict.fromkeys(self.players))

    @property
    def agents(self) -> list[str]:
        """Who holds them."""
        return list(dict.fromkeys(one.agent for name, one in self._shown if name))

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


def _row(run: int, whole: EpisodeRecord, player: str) -> list[Any]:
    """The entries of `COLUMNS` but for the last three; of a game, as a player of it saw it."""
    episode = whole.side(player) if player else whole
    counts = whole.scored_for(player) if player else whole.scored
    return [
        run,
        episode.task_id if episode.fixture is None else episode.name,
        episode.task_kind,
        episode.trial,
        str(episode.seed),  # of 64 bits, more than a number of JavaScript holds
        outcome(episode) if counts else "left out",
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
        "seconds": round(turn.answer.seconds, 3) if turn.answer else 0,
        "cost": turn.answer.cost if turn.answer else 0,
        "tries": turn.answer.tries if turn.answer and turn.answer.tries > 1 else 0,
        "picture": picture,
    }
    return {**shown, **{name: value for name, value in others.items() if value}}
