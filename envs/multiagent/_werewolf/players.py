"""Scripted players of Werewolf: one that babbles, one that follows accusations, one that reasons about everybody."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from agentgym.envs.multiagent._choices import quick_pick
from agentgym.envs.multiagent._werewolf.talk import claims
from agentgym.envs.multiagent._werewolf.village import (
    DAWN,
    DOCTOR,
    NIGHT,
    SEER,
    TALK,
    WITCH,
    WOLF,
    Known,
    packs,
)  # fmt: skip

LIE = 0.03  # how likely a villager is thought to claim the seer's place
COVER = 0.25  # how likely a wolf is thought to vote for a wolf, compared with another
QUIET = ("I have nothing to tell yet.", "I will listen and watch the votes.", "Seer, tell us in time.")
DIGITS = 9  # to which doubts are compared: sums of equal parts differ in the last place
TRUST = 0.9  # the share of certainty at which the strong player says so


def name(player: int) -> str:
    """A player's name."""
    return f"player_{player}"


def _said(lines: Sequence[str], rng: np.random.Generator) -> str:
    return f"say {quick_pick(lines, rng)}"


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Does anything, drawn with `rng`, that fits the phase and the role in `known`."""
    if known.phase == TALK:
        whom = name(quick_pick(known.others, rng))
        return _said((f"I suspect {whom}.", f"I think {whom} is good.", "I know nothing.", "Let us think."), rng)
    if known.phase in (NIGHT, DAWN):
        return _night(known, quick_pick(_targets(known) or [known.me], rng), rng.random() < 0.5)
    return f"vote {name(quick_pick(known.others, rng))}" if rng.random() < 0.9 else "vote pass"


def _targets(known: Known) -> list[int]:
    """Whom the night action of the player may name."""
    if known.role == DOCTOR:
        return list(known.living)
    return [player for player in known.others if player not in known.pack]


def _night(known: Known, target: int, heal: bool = False) -> str:
    """The night action of the player's role."""
    if known.phase == DAWN:
        if known.role == WITCH and known.victim >= 0 and heal:
            return "heal"
        return "sleep"
    verb = {WOLF: "kill", SEER: "see", DOCTOR: "save"}.get(known.role)
    return f"{verb} {name(target)}" if verb else "sleep"


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """Tells what the seer saw, and votes for whoever is accused most today; a wolf spares its own.

    Who is accused follows from `known`; `rng` draws among equals, and whom to suspect.
    """
    if known.phase in (NIGHT, DAWN):
        seen = {player for player, _ in known.checks}
        fresh = [player for player in _targets(known) if player not in seen] or _targets(known) or [known.me]
        return _night(known, quick_pick(fresh, rng), True)
    found = [player for player, wolf in known.checks if wolf and player in known.living]
    blamed = [player for player in known.others if player not in known.pack] or known.others
    if known.phase == TALK:
        if found:
            return f"say I am the seer. {name(found[0])} is a werewolf."
        whom = name(quick_pick(blamed, rng))
        return _said((f"I suspect {whom}.", f"I distrust {whom}.", "I have seen nothing."), rng)
    if found:
        return f"vote {name(found[0])}"
    counts = Counter(
        whom
        for day, _, words in known.speeches
        if day == known.day
        for kind, whom in claims(words)
        if kind in ("wolf", "suspect") and whom in blamed
    )
    if not counts:
        return f"vote {name(quick_pick(blamed, rng))}"
    most = max(counts.values())
    return f"vote {name(quick_pick([player for player in sorted(counts) if counts[player] == most], rng))}"


def strong_opponent(known: Known, rng: np.random.Generator) -> str:
    """Weighs every set of wolves by what was claimed and how all voted, and acts on it; a wolf plays a villager.

    A seer tells what it saw once it has found a wolf or is suspected, the doctor guards who claims to be the seer, and
    wolves hunt that player first, meet its accusations by a claim of their own, and vote as the village is likely to.

    Args:
        known: What the player knows.
        rng: Draws among players that are as likely wolves, and words.
    """
    if known.phase in (NIGHT, DAWN):
        return _strong_night(known, rng)
    doubts = suspicion(known)
    if known.pack:
        return _strong_wolf(known, doubts, rng)
    ranked = _ranked(known.others, doubts, rng)
    if known.phase == TALK:
        return _strong_talk(known, doubts, ranked, rng)
    return f"vote {name(ranked[0])}"


def _ranked(players: Sequence[int], doubts: Mapping[int, float], rng: np.random.Generator) -> list[int]:
    """Players by how likely each is a wolf, the likeliest first; chance orders equals, not their numbers."""
    shuffled = [players[int(place)] for place in rng.permutation(len(players))]
    return sorted(shuffled, key=lambda player: -round(doubts[player], DIGITS))


def suspicion(known: Known) -> dict[int, float]:
    """How likely each player is a wolf in the eyes of somebody who knows what `known` says, its pack left out."""
    outside = known if not known.pack else _outsider(known)
    every = packs(outside)
    tally = Counter((voter, target) for _, voter, target in known.votes if target >= 0)
    told = _told(known)
    weights = [math.exp(_fit(known, set(pack), tally, told)) for pack in every]
    total = math.fsum(weights) or 1.0
    return {
        player: math.fsum(weight for pack, weight in zip(every, weights, strict=True) if player in pack) / total
        for player in range(known.players)
    }


def _outsider(known: Known) -> Known:
    """What a villager without secrets knows in the place of a wolf."""
    fields = {field: getattr(known, field) for field in known.__dataclass_fields__}
    return Known(**fields | {"pack": (), "me": -1, "checks": (), "safe": (), "named": (), "role": ""})


def _told(known: Known) -> dict[int, dict[int, bool]]:
    """For each player that claims to be the seer, what it says of others: whether they are wolves."""
    told: dict[int, dict[int, bool]] = {}
    for _, speaker, words in known.speeches:
        said = claims(words)
        if ("seer", -1) in said or speaker in told:
            seen = told.setdefault(speaker, {})
            seen.update({whom: kind == "wolf" for kind, whom in said if kind in ("wolf", "good") and whom != speaker})
    return told


def _fit(known: Known, pack: set[int], tally: Counter[tuple[int, int]], told: dict[int, dict[int, bool]]) -> float:
    """Logarithm of how well a set of wolves explains votes and claims."""
    fit = 0.0
    for (voter, target), times in tally.items():
        if voter in pack:
            fit += times * math.log(COVER if target in pack else 1.0)
        elif target in pack:
            fit += times * 0.25  # the village votes somewhat better than at random
    true = [player for player in told if player not in pack and (known.role != SEER or player == known.me)]
    honest = 0.0
    for player in true:  # at most one of them is the seer, whose word is true; the others lied without need
        right = all((whom in pack) == wolf for whom, wolf in told[player].items())
        honest = max(honest, 1.0 if right else LIE)
    if true:
        fit += math.log(honest) + (len(true) - 1) * math.log(LIE)
    fit += sum(math.log(0.3) for player in told if player in pack)  # a wolf may claim it too
    return fit


def _strong_night(known: Known, rng: np.random.Generator) -> str:
    if known.phase == DAWN:
        if known.role == WITCH and known.victim >= 0:
            return "heal"
        if known.role == WITCH and known.poison:
            doubts = suspicion(known)
            worst = _ranked(known.others, doubts, rng)[0]
            if doubts[worst] >= TRUST:
                return f"poison {name(worst)}"
        return "sleep"
    if known.role not in (WOLF, SEER, DOCTOR):
        return "sleep"
    choices = _targets(known) or [known.me]
    told = _told(known)
    doubts = suspicion(known)
    if known.role == WOLF:
        if known.named:
            return _night(known, known.named[-1])
        seers = [player for player in choices if player in told]
        hunted = seers or [
            player for player in choices if doubts[player] <= min(doubts[each] for each in choices) + 0.05
        ]
        return _night(known, quick_pick(hunted, rng))
    if known.role == SEER:
        seen = {player for player, _ in known.checks}
        fresh = [player for player in choices if player not in seen] or choices
        most = max(doubts[player] for player in fresh)
        return _night(known, quick_pick([player for player in fresh if doubts[player] >= most - 0.02], rng))
    trusted = [player for player in choices if player in told and doubts[player] < 0.5]
    return _night(known, trusted[0] if trusted else known.me)


def _strong_talk(known: Known, doubts: dict[int, float], ranked: list[int], rng: np.random.Generator) -> str:
    if known.role == SEER and known.checks:
        found = any(wolf for player, wolf in known.checks)
        if found or len(known.checks) > 1 or _pressed(known, known.me):
            told = [f"{name(player)} is {'a werewolf' if wolf else 'not a werewolf'}." for player, wolf in known.checks]
            return f"say I am the seer. {' '.join(told)}"
    worst = ranked[0]
    if doubts[worst] >= 0.5:
        return _said((f"I suspect {name(worst)}; vote {name(worst)}.", f"I suspect {name(worst)} most."), rng)
    return _said(QUIET, rng)


def _pressed(known: Known, player: int) -> bool:
    """Whether somebody blames a player today."""
    return any(
        kind in ("wolf", "suspect") and whom == player
        for day, _, words in known.speeches
        if day == known.day
        for kind, whom in claims(words)
    )


def _strong_wolf(known: Known, doubts: dict[int, float], rng: np.random.Generator) -> str:
    """A wolf by day."""
    prey = [player for player in known.others if player not in known.pack]
    told = _told(known)
    ranked = _ranked(prey, doubts, rng)
    if known.phase == TALK:
        accusers = [player for player, seen in told.items() if player in prey and seen.get(known.me)]
        if accusers:
            return f"say That is a lie: I am the seer. {name(accusers[0])} is a werewolf."
        if doubts[ranked[0]] >= 0.5:
            return f"say I suspect {name(ranked[0])}."
        return _said(
            ("I have nothing to tell yet.", "I will listen and watch the votes.", "Seer, tell us in time."), rng
        )
    lost = max(doubts[player] for player in known.pack) > TRUST  # a mate that nobody can save is given up
    mates = [player for player in known.pack if player != known.me and player in known.living]
    if lost and mates and len(known.living) > 5 and doubts[mates[0]] > TRUST:
        return f"vote {name(mates[0])}"
    blamed = Counter(
        whom
        for day, speaker, words in known.speeches
        if day == known.day and speaker not in known.pack
        for kind, whom in claims(words)
        if kind in ("wolf", "suspect") and whom in prey
    )
    return f"vote {name(max(ranked, key=lambda player: round(blamed[player] + 2 * doubts[player], DIGITS)))}"


def omniscient(known: Known, roles: Sequence[str], moves: Sequence[Sequence[object]]) -> str:
    """A player that knows all roles, and what was done tonight.

    Args:
        known: What the player knows beside that.
        roles: The role of each player.
        moves: What was done in this phase: player, word, target or -1.
    """
    order = {SEER: 0, DOCTOR: 1, WITCH: 2}
    wolves = [player for player in known.others if roles[player] == WOLF]
    prey = sorted(
        (player for player in known.others if roles[player] != WOLF), key=lambda player: order.get(roles[player], 3)
    )
    if known.phase == NIGHT:
        named = [int(str(target)) for _, word, target in moves if word == "kill"]
        mine = {WOLF: prey, SEER: wolves or known.others, DOCTOR: named[-1:] or prey or [known.me]}.get(known.role)
        return _night(known, mine[0] if mine else known.me)
    if known.phase == DAWN:
        if known.role == WITCH and known.victim >= 0:
            return "heal"
        return f"poison {name(wolves[0])}" if known.role == WITCH and known.poison and wolves else "sleep"
    blamed = prey if known.role == WOLF else wolves
    if known.phase == TALK:
        return f"say I am the seer. {name(blamed[0])} is a werewolf." if blamed else "pass"
    return f"vote {name(blamed[0])}" if blamed else "vote pass"
