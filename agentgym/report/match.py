"""The page of a match."""

from __future__ import annotations

from agentgym.evaluate import EpisodeRecord, Estimate, MatchResult, TurnRecord
from agentgym.evaluate.figures import Figures
from agentgym.evaluate.metrics import left_out_words
from agentgym.report.page import Cell, Exchange, Page, Section, Table, Tile, TranscriptView

SHOWN, TALKS = 4, 16  # games of the page, and conversations of them at most


def match_page(result: MatchResult) -> Page:
    """The figures of each agent, and some games as each player saw them.

    Args:
        result: The match.
    """
    name = result.env_id.removeprefix("AgentGym/")
    failed = sum(result.failures.values())
    why = f"{failed} failed, most often: {next(iter(result.failures))[1]}" if failed else "none failed"
    overall = [row for row in result.figures if row.overall]
    tiles = [
        *(Tile(_share(row.success), row.agent, _noted(row, f"success, score {_number(row.score)}")) for row in overall),
        Tile(f"{len(result.games):,}", "games", why),
    ]
    metrics = result.metrics
    rows: list[list[str | Cell]] = [
        [
            f"{row.agent} as {row.held}",
            Cell(f"{row.scored} of {row.games}", _beside(row)),
            _share(row.success),
            _number(row.score),
            *(_number(row.metrics[metric]) if metric in row.metrics else "" for metric in metrics),
            f"{100 * row.valid_actions:.1f} %",
            f"{row.turns:.1f}",
            f"{row.prompt_tokens + row.completion_tokens:,}",
            f"{row.cost:.4f}",
        ]
        for row in result.figures
    ]
    columns = ["agent", "scored", "success", "score", *metrics, "valid actions", "turns", "tokens", "dollars"]
    caption = (
        "Means over tasks with 95 % intervals; metrics at the end of the games that came to it. A game that the world "
        "or a service failed is left out; one that an agent could not go on with is lost for it, and left out for the "
        "others."
    )
    shown = [game for game in result.games if game.scored][:SHOWN]
    talks = [_talk(game, player) for game in shown for player in game.players][:TALKS]
    sections = [
        Section(
            "Figures",
            [],
            [Table(columns, rows, caption, strong=[n for n, row in enumerate(rows) if " as " not in str(row[0])])],
        ),
        Section("Games", ["The first games, as each player saw them and with all that it said."], [talks]),
    ]
    return Page(f"Match: {name}", f"{' and '.join(result.agents)} in {name}, {result.split}.", tiles, sections)


def _beside(row: Figures) -> str:
    """Which games the figures of a row are not of, and which the metrics are not of besides."""
    not_ended = f"{row.lost} not ended" if row.lost else ""
    return ", ".join(filter(None, (left_out_words(row.left_out), not_ended)))


def _noted(row: Figures, note: str) -> str:
    """A note to a figure, with the share of the games that the figure is not of."""
    return ", ".join(filter(None, (note, left_out_words(row.left_out))))


def _talk(game: EpisodeRecord, player: str) -> TranscriptView:
    one = game.players[player]
    verdict = "success" if one.success else "no success"
    if player == game.stopped_by:
        verdict = "could not go on"
    part = f", {one.role}" if one.role not in ("", "player") else ""
    title = f"task {game.task_id}, trial {game.trial}: {player}{part} ({one.agent}), score {one.score:g}"
    exchanges = [_exchange(turn, "" if place else one.system) for place, turn in enumerate(game.turns_of(player))]
    final = "\n".join(filter(None, (one.final_observation, game.failure)))
    return TranscriptView(title, verdict, one.success, exchanges, final)


def _exchange(turn: TurnRecord, system: str) -> Exchange:
    """A turn: before the first, the system message; a model's whole answer, and what of it the game heard."""
    seen = f"[system]\n{system}\n\n{turn.observation}" if system else turn.observation
    said = turn.action
    if turn.said is not None and turn.said != turn.action:
        said = f"{turn.said}\n[action] {turn.action}"
    if turn.reasoning:
        said = f"[thought] {turn.reasoning}\n{said}"
    return Exchange(seen, said, turn.valid, turn.reward)


def _share(estimate: Estimate) -> str:
    return f"{100 * estimate.value:.1f} % ({100 * estimate.low:.1f} to {100 * estimate.high:.1f})"


def _number(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"
