"""Figures of a match: what each agent achieved, as all players it held and as each of them, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from agentgym.evaluate.episode_record import EpisodeRecord, PlayerRecord
from agentgym.evaluate.metrics import Estimate, mean_score, share_left_out, success_rate

ALL = "all"
NOTHING = Estimate(math.nan, math.nan, math.nan)
Found = list[tuple[EpisodeRecord, str, PlayerRecord]]


@dataclass(frozen=True)
class Figures:
    """What an agent achieved.

    Attributes:
        agent: Its label.
        held: The player or the role that the figures are of; "all" where it held several.
        overall: Whether they are of all that it held.
        games: Games in which it played.
        scored: Those that the success and score are of: the world and the agents' services did not fail, and no other
            agent ended the game.
        lost: Those of the scored ones that it could not play to the end.
        success, score: Means over tasks, with 95 % intervals; see `success_rate` and `mean_score`.
        metrics: The game's own, at the end of the games that came to it; the same.
        valid_actions: Share of its actions that the game took; NaN if it never acted.
        turns: Mean number of its turns in a game.
        prompt_tokens, completion_tokens, cost: Totals over all games; US dollars.
    """

    agent: str
    held: str
    overall: bool
    games: int
    scored: int
    lost: int
    success: Estimate
    score: Estimate
    metrics: Mapping[str, Estimate]
    valid_actions: float
    turns: float
    prompt_tokens: int
    completion_tokens: int
    cost: float

    @property
    def left_out(self) -> float:
        """Share of the games that no success and no score is of."""
        return share_left_out(self.scored, self.games)


def figures(games: Sequence[EpisodeRecord], agents: Sequence[str]) -> list[Figures]:
    """The figures of each agent, then those of the players and roles that it held, where there are several.

    Args:
        games: The games.
        agents: Labels, in the order of the result.
    """
    rows = []
    for agent in agents:
        found = [(game, who, one) for game in games for who, one in game.players.items() if one.agent == agent]
        players = dict.fromkeys(who for _, who, _ in found)
        rows.append(_figures(agent, ALL if len(players) > 1 else next(iter(players)), found, overall=True))
        roles = dict.fromkeys(one.role for *_, one in found if one.role)
        for several, part in ((players, _player), (roles, _role)):
            if len(several) > 1:
                rows += [
                    _figures(agent, name, [each for each in found if part(each) == name]) for name in sorted(several)
                ]
    return rows


def _player(found: tuple[EpisodeRecord, str, PlayerRecord]) -> str:
    return found[1]


def _role(found: tuple[EpisodeRecord, str, PlayerRecord]) -> str:
    return found[2].role


def _figures(agent: str, held: str, found: Found, *, overall: bool = False) -> Figures:
    scored = [each for each in found if each[0].scored_for(each[1])]
    whole = [each for each in found if each[0].ended]
    turns = [turn for game, who, _ in scored for turn in game.turns_of(who)]
    success = _by_task(scored, lambda one: one.success)
    names = dict.fromkeys(name for *_, one in whole for name in one.metrics)
    return Figures(
        agent=agent,
        held=held,
        overall=overall,
        games=len({(game.task_id, game.trial) for game, *_ in found}),
        scored=len({(game.task_id, game.trial) for game, *_ in scored}),
        lost=len({(game.task_id, game.trial) for game, *_ in scored if not game.ended}),
        success=success_rate([[value > 0 for value in values] for values in success]) if scored else NOTHING,
        score=_mean(scored, lambda one: one.score),
        metrics={
            name: _mean(
                [each for each in whole if name in each[2].metrics],
                lambda one, name=name: one.metrics[name],  # type: ignore[misc]
            )
            for name in names
        },
        valid_actions=sum(turn.valid for turn in turns) / len(turns) if turns else math.nan,
        turns=len(turns) / len(scored) if scored else math.nan,
        prompt_tokens=sum(one.prompt_tokens for *_, one in found),
        completion_tokens=sum(one.completion_tokens for *_, one in found),
        cost=math.fsum(one.cost for *_, one in found),
    )


def _mean(found: Found, value: Callable[[PlayerRecord], float]) -> Estimate:
    return mean_score(_by_task(found, value)) if found else NOTHING


def _by_task(found: Found, value: Callable[[PlayerRecord], float]) -> list[list[float]]:
    """The values by task, in alphabetical order."""
    by_task: dict[str, list[float]] = {}
    for game, _, one in found:
        by_task.setdefault(game.task_id, []).append(value(one))
    return [by_task[task] for task in sorted(by_task)]
