"""All that changes in a game of Werewolf, what a player knows of it, and how it could be otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from agentgym.envs.multiagent._werewolf.village import (
    DAWN,
    DOCTOR,
    NIGHT,
    SEER,
    VERBS,
    WITCH,
    WOLF,
    WOLVES,
    Known,
)  # fmt: skip

REDRAWN = 200  # deals tried for one that a player could be in


@dataclass(slots=True)
class State:
    """The game; players are numbers.

    Attributes:
        roles: What each player is.
        day, phase: Where the game stands; day 1 begins with the first night.
        queue: Players that have still to act in this phase, in order.
        living: Whether each player is alive.
        moves: What was done in this phase: player, word, target or -1.
        victim: Whom the wolves attack tonight, and the doctor did not save; -1 for nobody.
        checks: What the seer learnt: whom, and whether a wolf.
        guards: Day and player of what the doctor guarded.
        healed: Whom the witch healed; -1 for nobody.
        potions: Whether the witch has her healing potion and her poison.
        speeches: Day, speaker, words.
        votes: Day, voter, target or -1.
        killed, voted: Day and player of each death at night and by vote.
        quiet: Days on whose night nobody died.
        over: Whether it is decided.
        round: Which round of the talk it is, from 1.
    """

    roles: list[str]
    day: int
    phase: str
    queue: list[int]
    living: list[bool]
    moves: list[list[Any]]
    victim: int
    checks: list[list[Any]]
    guards: list[list[int]]
    healed: int
    potions: list[bool]
    speeches: list[list[Any]]
    votes: list[list[int]]
    killed: list[list[int]]
    voted: list[list[int]]
    quiet: list[int]
    over: bool
    round: int


def known(state: State, me: int) -> Known:
    """What the player `me` knows of a `state`: what is public, and what its role has shown it."""
    role = state.roles[me]
    pack = tuple(player for player, each in enumerate(state.roles) if each == WOLF) if role == WOLF else ()
    named = tuple(target for _, word, target in state.moves if word == "kill") if role == WOLF else ()
    safe = []
    if role == DOCTOR and WITCH not in state.roles:  # a quiet night means that the guard was needed
        safe = [player for day, player in state.guards if day in state.quiet]
    if role == WITCH and state.healed >= 0:
        safe = [state.healed]
    told = role == WITCH and state.phase == DAWN and state.potions[0]
    return Known(
        me=me, role=role, day=state.day, phase=state.phase,
        living=tuple(player for player, living in enumerate(state.living) if living),
        players=len(state.roles), wolves=WOLVES[len(state.roles)], pack=pack, named=named,
        checks=tuple((whom, wolf) for whom, wolf in state.checks) if role == SEER else (),
        safe=tuple(safe), victim=state.victim if told else -1, poison=state.potions[1] and role == WITCH,
        speeches=tuple((day, speaker, words) for day, speaker, words in state.speeches),
        votes=tuple((day, voter, target) for day, voter, target in state.votes),
        killed=tuple((day, player) for day, player in state.killed),
        voted=tuple((day, player) for day, player in state.voted),
        poisoner=WITCH in state.roles,
    )  # fmt: skip


def redraw(state: State, me: int, rng: np.random.Generator) -> None:
    """Deal the roles of the others anew as they could be for a player, with what was done at night to match.

    Args:
        state: What changes; it stays as it is if the game is over or none of `REDRAWN` deals fits.
        me: The player who is to see no difference.
        rng: Draws the deals and the moves that go with one.
    """
    if state.over:
        return
    others = [player for player in range(len(state.roles)) if player != me]
    fixed = [player for player in others if WOLF in (state.roles[me],) and state.roles[player] == WOLF]
    free = [player for player in others if player not in fixed]
    for _ in range(REDRAWN):
        roles = list(state.roles)
        for player, place in zip(free, rng.permutation(len(free)), strict=True):
            roles[player] = state.roles[free[place]]
        if _possible(state, me, roles):
            _take(state, me, roles, rng)
            return


def _possible(state: State, me: int, roles: list[str]) -> bool:
    """Whether a deal fits what the player knows and that the game went on so far."""
    wolves = {player for player, role in enumerate(roles) if role == WOLF}
    seen = state.roles[me] == SEER and any((whom in wolves) != wolf for whom, wolf in state.checks)
    attacked = {player for _, player in state.killed} if WITCH not in roles else set()
    attacked |= {state.victim, state.healed}
    if seen or attacked & wolves:
        return False
    alive = set(range(len(roles)))
    for _, dead in sorted(state.killed + state.voted):  # within a day the order of the two does not matter here
        alive.discard(dead)
        if not 0 < len(alive & wolves) < len(alive - wolves):
            return False
    return True


def _take(state: State, me: int, roles: list[str], rng: np.random.Generator) -> None:
    """Let a deal be true."""
    count = len(roles)

    def someone(but: set[int]) -> int:
        choices = [player for player in range(count) if player not in but and state.living[player]]
        return choices[int(rng.integers(len(choices)))]

    before, state.roles = state.roles, roles
    wolves = {player for player, role in enumerate(roles) if role == WOLF}
    for place, (player, _, _) in enumerate(state.moves):
        if state.phase == NIGHT and player != me and before[player] != roles[player]:
            word = VERBS.get(roles[player], "sleep")
            barred = wolves if word == "kill" else {player}
            state.moves[place] = [player, word, -1 if word == "sleep" else someone(barred)]
    if before[me] != SEER:
        state.checks = [[whom, whom in wolves] for whom, _ in state.checks if roles[whom] != SEER]
