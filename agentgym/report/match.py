"""The page of a match."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym.evaluate import EpisodeRecord, Estimate, MatchResult
from agentgym.evaluate.figures import ALL, Figures
from agentgym.evaluate.metrics import left_out_words
from agentgym.report.page import Cell, Page, Section, Table, Tile, number
from agentgym.report.viewer import Viewer

SHOWN = 2_000  # sides of games that a page holds; more make it slow to open


def match_page(result: MatchResult) -> Page:
    """The figures of each agent, and the games as each player saw them.

    Args:
        result: The match.
    """
    name = result.env_id.removeprefix("AgentGym/")
    failed = sum(result.failures.values())
    why = f"{failed} failed, most often: {next(iter(result.failures))[1]}" if failed else "none failed"
    overall = [row for row in result.figures if row.overall]
    tiles = [
        *(
            Tile(number(100 * row.success.value, ".1f", " %"), f"success of {row.agent}", _beside_tile(row))
            for row in overall
        ),
        Tile(f"{len(result.games):,}", "games", why),
    ]
    metrics = result.metrics
    rows: list[list[str | Cell]] = [
        [
            row.agent if row.held == ALL else f"{row.agent} as {row.held}",
            Cell(f"{row.scored} of {row.games}", _beside(row)),
            _share(row.success),
            _number(row.score),
            *(_number(row.metrics[metric]) if metric in row.metrics else "" for metric in metrics),
            number(100 * row.valid_actions, ".1f", " %"),
            number(row.turns, ".1f"),
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
    sections = [
        Section(
            "Figures",
            [],
            [Table(columns, rows, caption, strong=[place for place, row in enumerate(result.figures) if row.overall])],
        ),
        games_section(result.games),
    ]
    return Page(f"Match: {name}", f"{' and '.join(result.agents)} in {name}, {result.split}.", tiles, sections)


def games_section(games: Sequence[EpisodeRecord]) -> Section:
    """The games to read, each as every one of its players saw it, with search and filters.

    Args:
        games: All there are; of more than a page holds, the first are shown, and the page says so.
    """
    most = max(1, SHOWN // max((len(game.players) for game in games), default=1))
    which = "All games" if len(games) <= most else f"The first {most:,} of {len(games):,} games"
    text = f"{which}, each as every player saw it, with all that it said. Search goes through what was seen and said."
    return Section("Games", [text], [Viewer.of_games(games[:most])] if games else [])


def _beside(row: Figures) -> str:
    """Which games the figures of a row are not of, and which the metrics are not of besides."""
    not_ended = f"{row.lost} not ended" if row.lost else ""
    return ", ".join(filter(None, (left_out_words(row.left_out), not_ended)))


def _beside_tile(row: Figures) -> str:
    """The interval of a success and the score, with the share of the games that they are not of."""
    success = number(100 * row.success.low, ".1f", f" to {100 * row.success.high:.1f} %")
    return ", ".join(filter(None, (success, f"score {_number(row.score)}", left_out_words(row.left_out))))


def _share(estimate: Estimate) -> str:
    return number(100 * estimate.value, ".1f", f" % ({100 * estimate.low:.1f} to {100 * estimate.high:.1f})")


def _number(estimate: Estimate) -> str:
    return number(estimate.value, ".3f", f" ({estimate.low:.3f} to {estimate.high:.3f})")
