"""Conversations that a part opens within its turn: what it asks for, how they are played, what they earn.

    parent  > delegate: which of the doors is red?
    child   >   ... turns of its own, in a world of its own or in none ...
    parent  < helper: the left one
    parent  > open the left door

The child begins with nothing but the request, so what it reads and says fills no context but its own. Its turns count
against the turn limit of the parent, which also leaves room for the parent's own action. It is returned as an episode
with a `Parent` of the kind `child`, whose tokens are learned from like those of a role, and it is paid for what its
parent came to in the end, as every worker of MATPO is (Mo et al. 2025, arXiv:2510.04678, where one model plays planner
and workers, and the outcome of the planner is that of every worker that it called), or by its own world.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agentgym.core.rng import stream_seed
from agentgym.rollout.episode import Episode, Parent
from agentgym.rollout.records import EpisodeSpec, RecordOptions
from agentgym.rollout.roles import assign_roles
from agentgym.rollout.run import Rollout
from agentgym.rollout.running import Opened, Request, RunningEpisode
from agentgym.rollout.talk import answered

NOBODY = "(no answer)"


def requests(run: Rollout, running: RunningEpisode, part: int, players: Iterable[str]) -> dict[str, Request]:
    """What parts that have just spoken hand over in place of acting, by player.

    What would exceed the number of conversations that the part may open, or the turn limit, is no request: it is heard
    as what it would be without any child.

    Args:
        run: What the episodes of a call share.
        running: The episode.
        part: Which role of each player has spoken.
        players: Who.
    """
    found = {}
    for player in players:
        side = running.sides[player]
        conversation = side.conversations[part]
        delegation = conversation.role.delegation
        if delegation is None or conversation.said is None:
            continue
        words = conversation.words.strip()
        asked = words[len(delegation.call) :].strip() if words.lower().startswith(delegation.call.lower()) else ""
        opened = sum((each.player, each.part) == (player, part) for each in running.opened)
        turns = delegation.turns
        if run.horizon is not None:  # the call under way, and an action afterwards
            turns = min(turns, run.horizon - side.spent - side.acting.turns - (conversation is not side.acting) - 1)
        if asked and opened < delegation.most and turns > 0:
            found[player] = Request(player, part, delegation, asked, turns, opened)
    return found


def open_conversations(run: Rollout, asked: Sequence[tuple[RunningEpisode, Request]]) -> list[RunningEpisode | None]:
    """Play the conversations that parts of several episodes ask for, equal ones together.

    Args:
        run: What the episodes share.
        asked: Which episode asks for what.

    Returns:
        The children, in order; None where nobody was left to answer.
    """
    alike: dict[tuple[int, int], list[int]] = {}
    for number, (_, request) in enumerate(asked):
        alike.setdefault((id(request.delegation), request.turns), []).append(number)
    found: list[RunningEpisode | None] = [None] * len(asked)
    for numbers in alike.values():
        delegation, turns = asked[numbers[0]][1].delegation, asked[numbers[0]][1].turns
        pool = run.pool.twin if delegation.world == "same" else delegation.world or run.talk
        specs = [_spec(*asked[number], place) for place, number in enumerate(numbers)]
        played = run.plays(
            pool,
            assign_roles({delegation.name: delegation.role}, pool),
            specs,
            max_concurrent=len(specs),
            horizon=turns,
            options=RecordOptions(keys=run.options.keys),
            keep_failures=run.keep_failures,
        )
        for child in played:
            found[numbers[child.number]] = child
    return found


def _spec(running: RunningEpisode, request: Request, place: int) -> EpisodeSpec:
    """Where a child begins: its draws are its own, whoever else is played."""
    parent = running.spec
    sample = (*parent.sample, "child", request.player, request.part, request.number)
    same = request.delegation.world == "same"
    return EpisodeSpec(
        parent.task if same else None,
        parent.seed if same else stream_seed("rollout.child", sample),
        place,
        sample,
        parent.options if same else {},
        request.words,
    )


def outcome(request: Request, child: RunningEpisode | None) -> str:
    """What a parent hears of a child: its answer or last words, and of another world also what these led to.

    Of another instance of the parent's own world it hears words alone: what it says there is not tried out for it.

    Args:
        request: What was asked.
        child: What came of it.
    """
    episode = None if child is None else child.first.acting.episode
    if episode is None or episode.failed or not episode.turns:
        return f"{request.delegation.name}: {NOBODY}"
    said = episode.turns[-1].action.strip()
    told = answered(said) or said
    if request.delegation.world not in (None, "same"):
        told = f"{told}\n{episode.final}"
    return f"{request.delegation.name}: {told}"


def children_of(played: Sequence[RunningEpisode], first: int) -> list[Episode]:
    """The episodes of all conversations that parts have opened, those of their own children after each.

    Args:
        played: Episodes that are over, whose own numbers stand.
        first: Number of the first child.
    """
    found: list[Episode] = []

    def visit(running: RunningEpisode) -> None:
        for opened in running.opened:
            if opened.running is None:
                continue
            parent = running.sides[opened.player].conversations[opened.part].episode
            child = opened.running.first.acting.episode
            child.number, child.group, child.player = first + len(found), parent.group, parent.player
            child.parent, child.reference = Parent(parent.number, opened.turn, "child"), parent.reference
            _pay(child, parent, opened)
            if not opened.delegation.role.trainable:
                child.segments = []
            found.append(child)
            visit(opened.running)

    for running in played:
        visit(running)
    return found


def _pay(child: Episode, parent: Episode, opened: Opened) -> None:
    """Give a child what its parent came to; one whose parent's world failed is left out with it."""
    paid = opened.delegation.paid
    if paid == "own" or child.failed or not child.turns:
        return
    if parent.failed:
        child.stop, child.failure, child.failure_kind = "failure", parent.failure, parent.failure_kind
        return
    if paid == "parent":
        child.turns = [replace(turn, reward=0.0) for turn in child.turns]
        child.success = parent.success
    last = child.turns[-1]
    child.turns[-1] = replace(last, reward=last.reward + parent.total_return)
