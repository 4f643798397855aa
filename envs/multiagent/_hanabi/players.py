"""Players of Hanabi of graded strength; a team of equals plays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agentgym.envs.multiagent._hanabi.cards import COLORS, RANKS, deck, possible, still_needed


@dataclass(frozen=True, slots=True)
class Known:
    """What a player sees.

    Attributes:
        told: What clues have said of each own card, the oldest first: colors and ranks as bits, and whether the last
            clue that touched it touched no newer card.
        others: Player, cards and what clues said of them, in the order of play from the next player.
        fireworks: Height of each color.
        discards: Cards discarded or played in vain.
        clues, most: Clues left, and the most there may be.
        lives: Mistakes that end the game.
    """

    told: tuple[tuple[int, ...], ...]
    others: tuple[tuple[str, tuple[int, ...], tuple[tuple[int, ...], ...]], ...]
    fireworks: tuple[int, ...]
    discards: tuple[int, ...]
    clues: int
    most: int
    lives: int

    def fits(self, card: int) -> bool:
        """Whether a card could be played now."""
        return self.fireworks[card // RANKS] == card % RANKS

    def mine(self) -> list[list[int]]:
        """What each own card may be: what clues leave, and not all copies of it in sight."""
        seen = Counter(self.discards)
        for _, hand, _ in self.others:
            seen.update(hand)
        for color, height in enumerate(self.fireworks):
            seen.update(range(color * RANKS, color * RANKS + height))
        copies = Counter(deck(len(self.fireworks)))
        return [[card for card in possible(told) if seen[card] < copies[card]] for told in self.told]

    def given(self) -> Iterator[tuple[str, str, list[int], tuple[int, ...], tuple[tuple[int, ...], ...]]]:
        """Every possible clue: player, word, places it touches, and the hand with what was told of it."""
        for player, hand, told in self.others:
            for rank in range(RANKS):
                touched = [place for place, card in enumerate(hand) if card % RANKS == rank]
                if touched:
                    yield player, str(rank + 1), touched, hand, told
            for color in range(len(self.fireworks)):
                touched = [place for place, card in enumerate(hand) if card // RANKS == color]
                if touched:
                    yield player, COLORS[color], touched, hand, told


def random_opponent(known: Known, rng: np.random.Generator) -> str:
    """Any action that is possible by what is `known`, each as likely by `rng`."""
    acts = [f"play {place + 1}" for place in range(len(known.told))]
    if known.clues < known.most:
        acts += [f"discard {place + 1}" for place in range(len(known.told))]
    if known.clues:
        acts += [f"clue {player} {word}" for player, word, *_ in known.given()]
    return acts[int(rng.integers(len(acts)))]


def simple_opponent(known: Known, rng: np.random.Generator) -> str:
    """Plays what must fit; gives clues that say something new of cards that fit; otherwise discards.

    It goes by `known` alone and asks `rng` for nothing.
    """
    sure = _sure(known)
    if sure:
        return sure
    if known.clues:
        best, most = "", 0
        for player, word, touched, hand, told in known.given():
            new = sum(known.fits(hand[place]) and _news(word, told[place]) for place in touched)
            if new > most:
                best, most = f"clue {player} {word}", new
        if best:
            return best
    return _discard(known) or _idle(known)


def strong_opponent(known: Known, rng: np.random.Generator) -> str:
    """Keeps a convention: the newest card that a clue touches is to be played.

    It plays such cards unless they cannot fit, gives clues whose newest card fits, keeps what was touched by no clue
    longest for discarding, and clues that mean nothing go to cards that plainly do not fit. It goes by `known` alone
    and asks `rng` for nothing.
    """
    sure = _sure(known)
    if sure:
        return sure
    mine = known.mine()
    for place in range(len(mine) - 1, -1, -1):
        if known.told[place][2] and any(known.fits(card) for card in mine[place]):
            return f"play {place + 1}"
    if known.clues:
        awaited = {
            card for _, hand, told in known.others for card, (*_, meant) in zip(hand, told, strict=True) if meant
        }
        best, most = "", 0
        for player, word, touched, hand, _ in known.given():
            card = hand[touched[-1]]
            if known.fits(card) and card not in awaited and len(touched) > most:
                best, most = f"clue {player} {word}", len(touched)
        if best:
            return best
    return _discard(known) or _idle(known)


def _sure(known: Known) -> str:
    """Play a card that must fit, the lowest first."""
    best, least = "", RANKS
    for place, cards in enumerate(known.mine()):
        if cards and all(known.fits(card) for card in cards) and min(card % RANKS for card in cards) < least:
            best, least = f"play {place + 1}", min(card % RANKS for card in cards)
    return best


def _news(word: str, told: tuple[int, ...]) -> bool:
    """Whether a clue tells something of a card that it touches."""
    facts = told[0] if word in COLORS else told[1]
    return facts.bit_count() > 1


def _discard(known: Known) -> str:
    """Discard what cannot be needed, else the oldest of the cards of which clues have told least."""
    if known.clues == known.most:
        return ""
    needed, mine = still_needed(known.fireworks, known.discards), known.mine()
    for place, cards in enumerate(mine):
        if not needed & set(cards):
            return f"discard {place + 1}"
    whole = [min(told[0].bit_count() / len(known.fireworks), told[1].bit_count() / RANKS) for told in known.told]
    return f"discard {whole.index(max(whole)) + 1}"


def _idle(known: Known) -> str:
    """A clue that invites nobody to play: its newest card is then known not to fit, or as nearly as can be."""
    best, least = "", float("inf")
    for player, word, touched, _, told in known.given():
        facts = told[touched[-1]]
        after = (1 << COLORS.index(word), facts[1]) if word in COLORS else (facts[0], 1 << int(word) - 1)
        doubt = sum(known.fits(card) for card in possible(after)) / len(possible(after))
        if doubt < least:
            best, least = f"clue {player} {word}", doubt
    return best or "play 1"
