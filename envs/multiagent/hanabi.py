"""Hanabi: two to five players build fireworks together from hands that only the others see."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import TaskError, unknown
from agentgym.core.generated import EnvConfig, checked, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._cards.chance import HANABI
from agentgym.envs.multiagent._hanabi.cards import (
    ANY_RANK,
    COLORS,
    RANKS,
    deck,
    describe,
    name,
    number,
    redraw,
    still_needed,
)
from agentgym.envs.multiagent._hanabi.players import Known, random_opponent, simple_opponent, strong_opponent
from agentgym.envs.multiagent._scripted import StrongExpert, graded

PLAYERS = range(2, 6)
LEVELS: Mapping[str, Mapping[str, int]] = {
    "small": {"colors": 2, "hand": 2, "clues": 3, "lives": 1},
    "full": {"colors": 5, "hand": 5, "clues": 8, "lives": 3},
}
CROWDED, FEWER = 4, 4  # from so many players on, hands of a full game have so many cards
NUMBERED = re.compile(
    r"(?:my |your )?(?:card|number|slot) (?:number )?#?(?=\d)|#(?=\d)", re.IGNORECASE
)  # `play card 1`
STREAM = 0x4A9AB1  # apart from np_random of an equal seed


@dataclass(slots=True)
class State:
    """The table.

    Attributes:
        deck: Cards left, the next one first.
        hands: Cards of each player, the oldest first.
        told: Of each of them, what clues left possible (colors and ranks as bits) and whether it was the newest card
            that the last clue to its owner touched.
        fireworks: Height of each color.
        discards: Cards discarded or played in vain.
        clues, lives: What is left of both.
        mover: The number of the player to act.
        last: Turns left once the deck is empty, before that -1.
    """

    deck: list[int]
    hands: list[list[int]]
    told: list[list[tuple[int, int, bool]]]
    fireworks: list[int]
    discards: list[int]
    clues: int
    lives: int
    mover: int
    last: int


def _level(name: str, value: Any) -> str:
    if value not in LEVELS:
        raise unknown("level of Hanabi", value, LEVELS)
    return str(value)


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `Hanabi`."""

    level: str = checked("full", _level)
    players: int = whole(2, PLAYERS[0], PLAYERS[-1])


class Hanabi(StrongExpert, LanguageAEC):
    """Hanabi.

    Description: cards have a color and a rank from 1 to 5; of each color there are three 1s, two 2s, 3s and 4s and one
    5. Everybody holds cards that only the others see. Together the players build a firework of each color, from 1 up to
    5. In turn each plays a card, discards one, or spends a clue to tell another which of its cards have a color or a
    rank. A card that does not continue its firework costs a life and is discarded. A discard brings a clue back, and so
    does a 5 that is played. After a play or discard a card is drawn; once the deck is empty everybody has one turn
    more. When the last life is lost, all points are.

    Observation: what was done since the player last acted, fireworks, clues, lives, deck and discards, the cards of the
    others with what they know of them, and what clues say of the player's own. Cards are numbered from 1, the oldest.

    Actions: `play <card>`, `discard <card>` (refused while all clues are there), `clue <seat> <what>` with a color or
    a rank (also `hint`), which must touch a card. After three refused tries in a row a card is discarded, the oldest,
    or where that is refused the first admissible clue in alphabetical order is given.

    Reward: 1 to every player for each card that continues a firework; when the last life is lost every player gets back
    to 0 points. Success: all fireworks are complete. Progress: the share of cards played.

    Splits: `train` without end, `val` and `test` 100 decks each. A task holds the order of the deck.

    Opponents: `random`; `simple` plays what must fit, gives clues to cards that fit and otherwise discards; `strong`
    keeps the convention that the newest card touched by a clue is to be played. Whole teams of equals are compared,
    in the full game; in the small one, where a misread clue costs all points, `strong` is no better than `simple`.
    Expert: as `strong`. Oracle: sees its own cards and plays those that fit, otherwise discards what is not needed, or
    passes the turn with a clue; it does not look at the deck, so it is no upper bound. Scores of the card are of teams
    of equals.

    Args:
        level: `full` (5 colors, 5 cards each or 4 with four or five players, 8 clues, 3 lives) or `small` (2 colors, 2
            cards each, 3 clues, 1 life).
        players: How many play, 2 to 5; 2 by default.

    Source: Hanabi by A. Bauza; N. Bard et al. 2020, The Hanabi challenge (arXiv:1902.00506), with its small game.
    """

    card = HANABI
    config = Config()
    task_stream = STREAM
    default_rule = "discard 1, or the first possible clue in alphabetical order while all clues are there"
    grammar = Grammar(
        [
            Command("play <card>", "add your card with this number to its firework.", ("play 1",)),
            Command("discard <card>", "discard your card with this number; brings a clue back.", ("discard 2",)),
            Command(
                "clue <seat> <what>",
                "spend a clue: tell another player which of its cards have a color or a rank, all of them.",
                ("clue player_1 red", "clue player_1 3"),
                ("hint <seat> <what>",),
                {"what": (*COLORS, "1", "2", "3", "4", "5")},
            ),
        ],
        rules="Build a firework of each color together, from rank 1 up to 5. You see the cards of the others but not "
        "your own. Cards are numbered from 1, the oldest, on; when one leaves a hand those behind it move up, and the "
        "new card is the last. Of each color there are three 1s, two 2s, 3s and 4s and one 5. Each turn: play a card, "
        "discard one, or spend a clue. A card that does not fit costs a life; when the last life is lost, all points "
        "are lost. A discard brings a clue back, and so does a 5 that is played. Once the deck is empty everybody has "
        "one turn more. Every card that fits is a point for all. A clue names one color or one rank that the other "
        "holds at least once, tells all cards of it by their numbers (by that also which are not of it), and "
        "everybody hears it; you cannot give yourself one, and none while no clue is left. Nothing is discarded while "
        "all clues are there.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "players": {"type": "integer", "minimum": PLAYERS[0], "maximum": PLAYERS[-1]},
            "colors": {"type": "integer", "minimum": 1, "maximum": len(COLORS)},
            "hand": {"type": "integer", "minimum": 2, "maximum": 5},
            "clues": {"type": "integer", "minimum": 1, "maximum": 8},
            "lives": {"type": "integer", "minimum": 1, "maximum": 3},
            "deck": {"type": "array", "maxItems": 50, "items": {"type": "string", "maxLength": 8}},
        }
    )
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A deck shuffled by `rng`, for the players and of the colors and hand that the level of `config` has."""
        spec = {"players": config.players, **LEVELS[config.level]}
        if config.players >= CROWDED and config.level == "full":
            spec["hand"] = FEWER
        cards = deck(spec["colors"])
        return {**spec, "deck": [name(cards[int(place)]) for place in rng.permutation(len(cards))]}

    def _player_names(self, config: Config) -> list[str]:
        return [f"player_{place}" for place in range(config.players)]

    def check_task(self, spec: Spec) -> None:
        """The deck holds each card of its colors as often as it should, and is for as many players as there are."""
        if spec["players"] != len(self.possible_agents):
            raise TaskError(
                f"the task is for {spec['players']} players, this game has {len(self.possible_agents)}; make it with "
                f"players={spec['players']}"
            )
        try:
            cards = sorted(number(text) for text in spec["deck"])
        except ValueError as error:
            raise TaskError(f"a card is a color and a rank, such as 'red 3', got {str(error)!r}") from error
        if cards != deck(spec["colors"]):
            hues = ", ".join(COLORS[: spec["colors"]])
            raise TaskError(f"the deck must hold three 1s, two 2s, 3s and 4s and one 5 of each of {hues}")
        if spec["players"] * spec["hand"] >= len(cards):
            raise TaskError("the deck must hold more cards than the hands; take fewer players or smaller hands")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        hues = ", ".join(COLORS[: spec["colors"]])
        return f"Play Hanabi with {spec['players']} players: complete the fireworks {hues} together."

    def _turn_limit(self, task: Task) -> int:
        spec = task.spec
        return 3 * (2 * len(spec["deck"]) + spec["clues"] + spec["colors"] + spec["players"])

    def _reset(self, task: Task) -> None:
        spec = task.spec
        self._most: int = spec["clues"]
        self._colors: int = spec["colors"]
        self._lives: int = spec["lives"]
        cards = [number(text) for text in spec["deck"]]
        size, count = spec["hand"], spec["players"]
        hands = [cards[place * size : (place + 1) * size] for place in range(count)]
        told = [[self._nothing() for _ in hand] for hand in hands]
        self._state = State(cards[size * count :], hands, told, [0] * self._colors, [], self._most, self._lives, 0, -1)

    def _nothing(self) -> tuple[int, int, bool]:
        return (1 << self._colors) - 1, ANY_RANK, False

    def _to_move(self) -> str:
        return self.possible_agents[self._state.mover]

    def _public(self) -> str:
        state = self._state
        fires = ", ".join(f"{COLORS[color]} {height}" for color, height in enumerate(state.fireworks))
        gone = Counter(sorted(state.discards))
        discards = ", ".join(name(card) + (f" x{count}" if count > 1 else "") for card, count in gone.items())
        last = f" The deck is empty: {state.last} turns are left." if state.last >= 0 else ""
        return (
            f"Fireworks: {fires}. Clues: {state.clues} of {self._most}. Lives: {state.lives} of {self._lives}. "
            f"Deck: {len(state.deck)}. Discarded: {discards or 'nothing'}.{last}"
        )

    def _view(self, player: str) -> str:
        state, mine = self._state, self.possible_agents.index(player)
        lines = [self._public()]
        for place, other in enumerate(self.possible_agents):
            if place == mine:
                continue
            cards = [
                f"{at}: {name(card)} ({describe(told, self._colors)})"
                for at, (card, told) in enumerate(zip(state.hands[place], state.told[place], strict=True), 1)
            ]
            lines.append(f"{other} holds (in brackets what it knows): {'; '.join(cards)}.")
        own = [f"{at + 1}: {describe(told, self._colors)}" for at, told in enumerate(state.told[mine])]
        lines.append(f"You know of your cards: {'; '.join(own)}.")
        return "\n".join(lines)

    def _step(self, player: str, call: Call) -> JointOutcome:
        state, mine = self._state, self.possible_agents.index(player)
        if call.name == "clue":
            said = call["seat"].lower()
            to = next((name for name in self.possible_agents if name.lower() == said), "")
            reason = self._clue(player, to, call["what"])
            return self.refuse(reason) if reason else self._turn_ends(0.0)
        said, size = NUMBERED.sub("", call["card"]), len(state.hands[mine])
        if said not in [str(place + 1) for place in range(size)]:
            return self.refuse(f"you hold {size} cards; name one by its number, 1 to {size}.")
        if call.name == "discard" and state.clues == self._most:
            return self.refuse("all clues are there, so nothing may be discarded; play a card or give a clue.")
        place = int(said) - 1
        card = state.hands[mine].pop(place)
        state.told[mine].pop(place)
        points = 0.0
        if call.name == "discard":
            state.discards.append(card)
            state.clues += 1
            self.send_message(f"{player} discards its card {said}: {name(card)}.")
        else:
            points = self._add(player, said, card)
        self.record({"type": call.name, "seat": player, "card": name(card)})
        if state.deck:
            state.hands[mine].append(state.deck.pop(0))
            state.told[mine].append(self._nothing())
        return self._turn_ends(points)

    def _add(self, player: str, said: str, card: int) -> float:
        """Add a card to its firework, or lose a life."""
        state = self._state
        if state.fireworks[card // RANKS] != card % RANKS:
            state.discards.append(card)
            state.lives -= 1
            self.send_message(f"{player} plays its card {said}: {name(card)}. It does not fit; a life is lost.")
            return 0.0
        state.fireworks[card // RANKS] += 1
        back = card % RANKS == RANKS - 1 and state.clues < self._most
        state.clues += back
        self.send_message(
            f"{player} plays its card {said}: {name(card)}. It fits{', and a clue comes back' if back else ''}."
        )
        return 1.0

    def _clue(self, player: str, to: str, what: str) -> str:
        """Give a clue; the reason if it cannot be given."""
        state = self._state
        others = [other for other in self.possible_agents if other != player]
        if not state.clues:
            return "no clue is left; play or discard a card."
        if to not in others:
            return f"a clue goes to another seat: {', '.join(others)}."
        target = self.possible_agents.index(to)
        kind = 0 if what in COLORS else 1
        sign = COLORS.index(what) if kind == 0 else int(what) - 1
        touched = [place for place, card in enumerate(state.hands[target]) if _trait(card, kind) == sign]
        if not touched:
            return f"{to} holds no such card; a clue must touch one."
        for place, facts in enumerate(state.told[target]):
            bits = [facts[0], facts[1]]
            bits[kind] &= 1 << sign if place in touched else ~(1 << sign)
            meant = place == touched[-1] or (facts[2] and place not in touched)
            state.told[target][place] = (bits[0], bits[1], meant)
        state.clues -= 1
        numbers = " and ".join(str(place + 1) for place in touched)
        self.send_message(f"{player} tells {to}: {what} {'are cards' if len(touched) > 1 else 'is card'} {numbers}.")
        self.record({"type": "clue", "seat": player, "to": to, "what": what})
        return ""

    def _turn_ends(self, points: float) -> JointOutcome:
        """Go on to the next player, or end the game."""
        state, players = self._state, self.possible_agents
        state.mover = (state.mover + 1) % len(players)
        score = sum(state.fireworks)
        rewards = dict.fromkeys(players, points) if points else {}
        if not state.lives:
            self.send_message("The last life is lost, and all points with it.")
            return JointOutcome(dict.fromkeys(players, -float(score)), over=True, progress=dict.fromkeys(players, 0.0))
        progress = dict.fromkeys(players, score / (RANKS * self._colors))
        if score == RANKS * self._colors:
            self.send_message("All fireworks are complete.")
            return JointOutcome(rewards, over=True, winners=players, progress=progress)
        if not state.deck:
            state.last = len(players) if state.last < 0 else state.last - 1
        if state.last == 0:
            self.send_message(f"The game ends with {score} points.")
        return JointOutcome(rewards, over=state.last == 0, progress=progress)

    def _admissible(self, player: str) -> list[str]:
        state, known = self._state, self._known(player)
        numbers = range(1, len(known.told) + 1)
        found = [f"play {at}" for at in numbers]
        if state.clues < self._most:
            found += [f"discard {at}" for at in numbers]
        return [*found, *(f"clue {to} {what}" for to, what, *_ in known.given())] if state.clues else found

    def _default(self, player: str) -> str:
        if self._state.clues < self._most:
            return "discard 1"
        return min(f"clue {to} {what}" for to, what, *_ in self._known(player).given())

    def _team(self, player: str) -> str:
        return "all"

    def _known(self, player: str) -> Known:
        state, mine, players = self._state, self.possible_agents.index(player), self.possible_agents
        order = [(mine + step) % len(players) for step in range(1, len(players))]
        return Known(
            told=tuple(state.told[mine]),
            others=tuple((players[place], tuple(state.hands[place]), tuple(state.told[place])) for place in order),
            fireworks=tuple(state.fireworks),
            discards=tuple(state.discards),
            clues=state.clues,
            most=self._most,
            lives=state.lives,
        )

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        state, mine = self._state, self.possible_agents.index(player)
        unseen = sorted([*state.hands[mine], *state.deck])
        hand, rest = redraw(state.told[mine], unseen, rng)
        state.hands = [hand if place == mine else held for place, held in enumerate(state.hands)]
        state.deck = rest

    def _oracle(self, player: str) -> str:
        state = self._state
        hand, known = state.hands[self.possible_agents.index(player)], self._known(player)
        fitting = [place for place, card in enumerate(hand) if known.fits(card)]
        if fitting:
            return f"play {min(fitting, key=lambda place: hand[place] % RANKS) + 1}"
        needed = still_needed(state.fireworks, state.discards)
        seen = Counter(card for _, held, _ in known.others for card in held)
        spare = [at for at, card in enumerate(hand) if card not in needed or seen[card] or hand.count(card) > 1]
        if state.clues < self._most and spare and (state.clues < self._most // 2 or not state.clues):
            return f"discard {spare[0] + 1}"
        if state.clues:
            return min(f"clue {to} {what}" for to, what, *_ in known.given())
        return f"discard {max(range(len(hand)), key=lambda place: hand[place] % RANKS) + 1}"

    def _key_state(self) -> Any:
        state = self._state
        return [
            state.deck, state.hands, state.told, state.fireworks, state.discards, state.clues, state.lives,
            state.mover, state.last,
        ]  # fmt: skip


def _trait(card: int, kind: int) -> int:
    return card % RANKS if kind else card // RANKS
