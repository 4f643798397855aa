"""The page of a tournament."""

from __future__ import annotations

from agentgym.evaluate.metrics import Estimate, left_out_words
from agentgym.evaluate.ratings import HEADS, RETURN, WORDS, shown
from agentgym.evaluate.tournament import Tournament
from agentgym.report.match import games_section
from agentgym.report.page import Cell, Page, Section, Table, Tile


def tournament_page(result: Tournament) -> Page:
    """Standings, the matrix of payoffs and the games to read."""
    best = result.standings[0]
    name = result.env_id.removeprefix("AgentGym/")
    together = result.rated_by == RETURN
    head = HEADS[result.rated_by]
    value, interval = shown(result.rated_by, best.rating)
    tiles = [
        Tile(
            best.name,
            "first place",
            ", ".join(filter(None, (f"{head} {value} ({interval})", left_out_words(best.left_out)))),
        ),
        Tile(f"{len(result.games):,}", "games", _failures(result)),
        Tile(str(result.deals), "deals", "each played as every side"),
    ]
    metrics = list(dict.fromkeys(metric for each in result.standings for metric in each.metrics))
    standings: list[list[str | Cell]] = [
        [
            each.name,
            *shown(result.rated_by, each.rating),
            f"{100 * each.points:.1f} %",
            f"{each.payoff:+.3f}",
            *(_figure(each.metrics.get(metric)) for metric in metrics),
            Cell(str(each.games), left_out_words(each.left_out)),
            str(each.lost),
            f"{each.tokens:,}",
        ]
        for each in result.standings
    ]
    matrix: list[list[str | Cell]] = []
    for row in result.players:
        cells: list[str | Cell] = []
        for column in result.players:
            payoff = result.payoffs[row][column]
            shown_payoff = f"{payoff.value:+.3f} ({payoff.low:+.3f} to {payoff.high:+.3f})"
            cells.append(Cell(shown_payoff, left_out_words(result.left_out(row, column))))
        matrix.append([row, *cells])
    return Page(
        f"Tournament: {name}",
        f"{len(result.players)} players of {name}, each with each on the same deals as every side.",
        tiles,
        [
            Section(
                "Standings",
                [],
                [
                    Table(
                        ["player", head, "95 %", "points", "payoff", *metrics, "games", "lost early", "tokens"],
                        standings,
                        f"{WORDS[result.rated_by]} Points and payoff are {'beside' if together else 'against'} all "
                        "others.",
                    )
                ],
            ),
            _among_themselves(result),
            Section(
                "Cross-play",
                ["Mean return of the row's player as one side, with the column's player as all others."],
                [Table(["", *result.players], matrix, "95 % bootstrap intervals over deals.")],
            ),
            games_section(result.games),
        ],
    )


def _figure(found: Estimate | None) -> str:
    """A metric with its interval; nothing where it was not measured."""
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})" if found else ""


def _among_themselves(result: Tournament) -> Section:
    """What a group of one kind achieves, where the game measures that."""
    found = result.among_themselves
    metrics = list(dict.fromkeys(name for each in found.values() for name in each))
    rows: list[list[str | Cell]] = [
        [
            Cell(name, left_out_words(result.left_out(name, name))),
            *(_figure(each.get(one)) for one in metrics),
        ]
        for name, each in found.items()
        if each
    ]
    caption = "The game's own metrics where one player held every position, with 95 % intervals over deals."
    return Section("Each among its own kind", [], [Table(["player", *metrics], rows, caption)] if rows else [])


def _failures(result: Tournament) -> str:
    """How many games failed, how many are scored for that, and why most of them failed."""
    failed, total = sum(result.failures.values()), len(result.games)
    if not failed:
        return "none failed"
    why = next(iter(result.failures))
    return f"{failed} ({failed / total:.1%}) failed and {total - result.scored} are not scored, most often: {why}"
