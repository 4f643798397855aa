"""Liar's dice: bids on the dice of all players that rise until one is doubted; a match of several rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, TypeAlias

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.game import Opponent
from agentgym.core.generated import EnvConfig, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent import _dice_table as table
from agentgym.envs.multiagent import _liars_dice as pair
from agentgym.envs.multiagent._cards.chance import LIARS_DICE
from agentgym.envs.multiagent._scripted import StrongExpert, graded

PLAYERS, DICE = range(2, 7), range(1, 6)
FACES = range(3, 7)
ROUNDS = range(4, 101)
NUMBERS = {2: "two"}  # as messages write them
PAIR = (2, 1)  # two players with one die each, whose game is solved
STREAM = 0xD1CE  # apart from np_random of an equal seed
Shares: TypeAlias = Mapping[int, float]


@dataclass(slots=True)
class State:
    """The match.

    Attributes:
        throws: The dice of all players in each round, those of player_0 first, such as `26`.
        round: The round being played, from 0.
        bids: The bids made in it, as bits, bit 0 the lowest bid.
        chips: By player, rounds won less lost.
    """

    throws: list[str]
    round: int
    bids: int
    chips: list[int]


def _words(bid: int, faces: int) -> str:
    return f"bid {bid // faces + 1} {bid % faces + 1}"


def _spoken(act: int, faces: int, top: int) -> str:
    return "liar" if act == top else _words(act, faces)


def _scripted(solved: Callable[[pair.Known], Shares], general: Callable[[table.Seen], Shares]) -> Opponent:
    """A player that draws its action from a policy: of one die against one, or of a table."""

    def act(known: pair.Known | table.Seen, rng: np.random.Generator) -> str:
        """A bid or a challenge at what is `known`, drawn by `rng` as likely as the policy says, as it is said."""
        if isinstance(known, pair.Known):
            shares, top = solved(known), 2 * known.faces
        else:
            shares, top = general(known), known.top
        sums = np.cumsum(list(shares.values()))
        place = int(np.searchsorted(sums[:-1], rng.random(), side="right"))
        return _spoken(list(shares)[place], known.faces, top)

    return act


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `LiarsDice`."""

    rounds: int = whole(10, ROUNDS[0], ROUNDS[-1])
    faces: int = whole(6, FACES[0], FACES[-1])
    players: int = whole(2, PLAYERS[0], PLAYERS[-1])
    dice: int = whole(1, DICE[0], DICE[-1])


class LiarsDice(StrongExpert, LanguageAEC):
    """Liar's dice.

    Description: in each round all players throw their dice, one each by default, and see their own only. In turn they
    bid how many of all dice show a face; the highest face counts as any. A bid must be higher than the last: more dice,
    or as many of a higher face. Instead of bidding a player may call the last bid a lie: then the dice are shown, and
    of the two, who bid and who doubted, the one who was wrong loses the round to the other. A match is several rounds;
    player_0 bids first in the first, player_1 in the second, and so on. A task holds the throws of all its rounds, so
    that players can meet on it once in every order.

    Observation: what was bid and shown since the player last acted, the last bid, the rounds won less lost so far, and
    the player's dice. Those of the others are shown at the end of a round only.

    Actions: `bid <count> <face>` (also `<count>-<face>`) and `liar`. After three refused tries in a row the lowest bid
    that is left is made, or `liar` said if none is.

    Reward: 1 to the winner of a round, -1 to the loser and 0 to players that neither bid last nor doubted. At the end
    of the match the player with most rounds won less lost has succeeded; if several have as many nobody has, and the
    metric `draw` is 1.

    Splits: `train` without end, `val` and `test` 200 matches each.

    Opponents: `random`; `simple` makes the lowest bid that its own dice make true, and doubts when there is none;
    `strong` with two players of one die each plays an equilibrium of the round found by CFR+ over all its histories,
    against which the best answers earn 0.03 a round on the mean of both players with six faces. It is computed when it
    is first asked, in about a second. With more players or dice `strong` weighs how likely the last bid and each higher
    one are to be true, given its own dice and the faces that others bid, and by how much they invite doubt. Expert: as
    `strong`, its draws made of the task. Oracle: sees all dice; doubts a false bid, otherwise makes the highest true
    bid, and the lowest false one where no true one is left. Scores of the card are against `simple`, half of the
    matches as either player.

    Args:
        rounds: Rounds of a match, 4 to 100; 10 by default.
        faces: Faces of the dice, 3 to 6; 6 by default. With any other than the default of this and the next two, panels
            are drawn from the same seeds.
        players: How many play, 2 to 6; 2 by default.
        dice: How many dice each has, 1 to 5; 1 by default.

    Source: OpenSpiel's `liars_dice` (Lanctot et al. 2019, arXiv:1908.09453); CFR+ after O. Tammelin 2014.
    """

    card = LIARS_DICE
    config = Config()
    task_stream = STREAM
    default_rule = "the lowest bid that is left, or liar if none is"
    grammar = Grammar(
        [
            Command(
                "bid <count> <face>",
                "say that at least so many of the two dice show the face.",
                examples=("bid 1 3", "bid 2 1"),
                variants=("<count>-<face>",),
                choices={"count": ("1", "2"), "face": ("1", "2", "3", "4", "5", "6")},
            ),
            Command(
                "liar",
                "doubt the last bid; the dice are shown.",
                examples=("liar",),
                variants=("doubt", "challenge", "call", "call liar"),
            ),
        ],
        rules="Each round, both throw one die and see only their own. The highest face of the dice (6, unless the task "
        "says otherwise) counts as any face. In turn, bid how many of the two dice (1 or 2) show a face; each bid must "
        "be higher: more dice, or as many of a higher face. Or call the last bid a lie: if it was true you lose the "
        "round, otherwise the other does. Win more rounds than the other over the match.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "players": {"type": "integer", "minimum": PLAYERS[0], "maximum": PLAYERS[-1]},
            "dice": {"type": "integer", "minimum": DICE[0], "maximum": DICE[-1]},
            "faces": {"type": "integer", "minimum": FACES[0], "maximum": FACES[-1]},
            "throws": {
                "type": "array",
                "minItems": 1,
                "maxItems": ROUNDS[-1],
                "items": {"type": "string", "maxLength": PLAYERS[-1] * DICE[-1]},
            },
        },
        optional=("players", "dice"),
    )
    OPPONENTS = graded(
        _scripted(pair.uniform, table.uniform),
        _scripted(pair.naive, table.naive),
        _scripted(pair.balanced, table.careful),
    )
    _state: State

    def _configured(self) -> None:
        self._all = self.config.players * self.config.dice
        if (self.config.players, self.config.dice) != PAIR:
            self.grammar = _grammar(self.config.players, self.config.dice, self.config.faces)

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """The throws of all rounds.

        Args:
            config: Players, dice of each, faces and rounds. The usual two with one die each are left out of the task.
            rng: Throws the dice.
        """
        throws = _throws(config.faces, config.players * config.dice, config.rounds, rng)
        table_of = {"players": config.players, "dice": config.dice}
        return {**({} if (config.players, config.dice) == PAIR else table_of), "faces": config.faces, "throws": throws}

    def _player_names(self, config: Config) -> list[str]:
        return [f"player_{place}" for place in range(config.players)]

    def check_task(self, spec: Spec) -> None:
        """The table is that of the game, and every throw has as many faces of the dice as there are dice."""
        for option, least in (("players", PAIR[0]), ("dice", PAIR[1])):
            given, mine = spec.get(option, least), getattr(self.config, option)
            if given != mine:
                raise TaskError(
                    f"the task is for {option}={given}, this game has {option}={mine}; make it with {option}={given}"
                )
        faces, many = "123456"[: spec["faces"]], NUMBERS.get(self._all, str(self._all))
        if spec["faces"] != self.config.faces and (self.config.players, self.config.dice) != PAIR:
            raise TaskError(
                f"the task is for faces={spec['faces']}, this game has faces={self.config.faces}; make it with "
                f"faces={spec['faces']}"
            )
        for place, throw in enumerate(spec["throws"]):
            if len(throw) != self._all or not set(throw) <= set(faces):
                example = (faces * self._all)[: self._all]
                raise TaskError(
                    f"throw {place} must be {many} of the faces {faces}, such as {example!r}, got {throw!r}"
                )

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        rounds, players, dice = len(spec["throws"]), spec.get("players", PAIR[0]), spec.get("dice", PAIR[1])
        many = f"{rounds} round{'s' if rounds > 1 else ''}"
        of = "" if players == PAIR[0] else f" of {players} players"
        held = "one die" if dice == 1 else f"{dice} dice"
        than = "the other" if players == PAIR[0] else "any other"
        return (
            f"Play a match of liar's dice{of} over {many} with {held} of {spec['faces']} faces each and win more "
            f"rounds than {than}."
        )

    def _turn_limit(self, task: Task) -> int:
        return 3 * (self._all * task.spec["faces"] + 1) * len(task.spec["throws"])

    def _reset(self, task: Task) -> None:
        self._faces: int = task.spec["faces"]
        self._top = self._all * self._faces
        self._state = State(list(task.spec["throws"]), 0, 0, [0] * self.config.players)
        self._throw()

    def _throw(self) -> None:
        """Say that a round begins, and to each player what it has thrown."""
        state = self._state
        first = self.possible_agents[state.round % self.config.players]
        self.send_message(f"Round {state.round + 1} of {len(state.throws)} begins; {first} bids first.")
        for player in self.possible_agents:
            shown = " ".join(map(str, self._dice(player)))
            self.send_message(f"You throw {f'a {shown}' if self.config.dice == 1 else shown}.", [player])

    def _dice(self, player: str) -> tuple[int, ...]:
        """What a player has thrown."""
        first = self.possible_agents.index(player) * self.config.dice
        return tuple(int(die) for die in self._state.throws[self._state.round][first : first + self.config.dice])

    def _place(self, after: int) -> int:
        """The number of the player that acts after so many bids of the round."""
        return (self._state.round + after) % self.config.players

    def _to_move(self) -> str:
        return self.possible_agents[self._place(self._state.bids.bit_count())]

    def _public(self) -> str:
        state = self._state
        score = ", ".join(f"{who} {won:+d}" for who, won in zip(self.possible_agents, state.chips, strict=True))
        if state.round == len(state.throws):
            return f"The match is over; {score}."
        made = [_words(bid, self._faces)[4:] for bid in range(self._top) if state.bids >> bid & 1]
        bids = ", ".join("-".join(bid.split()) for bid in made) or "none yet"
        return f"Round {state.round + 1} of {len(state.throws)}. Bids (count-face): {bids}. Won less lost: {score}."

    def _view(self, player: str) -> str:
        if self._state.round == len(self._state.throws):
            return self._public()
        word = "die" if self.config.dice == 1 else "dice"
        return f"{self._public()}\nYour {word}: {' '.join(map(str, self._dice(player)))}."

    def _step(self, player: str, call: Call) -> JointOutcome:
        state = self._state
        if call.name == "liar":
            return self._show(player) if state.bids else self.refuse("there is no bid to doubt yet; bid.")
        if not (call["count"].isdecimal() and call["face"].isdecimal()):
            return self.refuse(
                f"count and face are whole numbers, such as {_words(state.bids.bit_length(), self._faces)}."
            )
        count, face = int(call["count"]), int(call["face"])
        if not 1 <= count <= self._all:
            return self.refuse(f"there are {self._all} dice; bid from 1 to {self._all} of them.")
        if not 1 <= face <= self._faces:
            return self.refuse(f"the dice have {self._faces} faces; bid one of those.")
        bid = (count - 1) * self._faces + face - 1
        lowest = state.bids.bit_length()
        if bid < lowest:
            higher = f"{_words(lowest, self._faces)} or more, or say liar" if lowest < self._top else "say liar"
            return self.refuse(f"a bid must be higher than the last; {higher}.")
        state.bids |= 1 << bid
        dice = "die shows" if count == 1 else "dice show"
        self.send_message(f"{player} bids that at least {count} {dice} {face}.")
        self.record({"type": "bid", "seat": player, "count": count, "face": face})
        return JointOutcome()

    def _show(self, player: str) -> JointOutcome:
        """End the round with the dice on the table, and the match after its last."""
        state, players = self._state, self.possible_agents
        shown = [f"{' '.join(map(str, self._dice(who)))} ({who})" for who in players]
        doubter, bidder = players.index(player), self._place(state.bids.bit_count() - 1)
        true = self._true(state.bids.bit_length() - 1)
        won, lost = (bidder, doubter) if true else (doubter, bidder)
        self.send_message(f"{player} says liar. The dice are {', '.join(shown[:-1])} and {shown[-1]}.")
        self.send_message(f"The bid was {'true' if true else 'a lie'}.")
        self.send_message(f"{players[won]} wins the round{f' from {players[lost]}' if len(players) > 2 else ''}.")
        self.record({"type": "round", "winner": players[won], "true": true})
        state.chips = [held + (place == won) - (place == lost) for place, held in enumerate(state.chips)]
        state.round, state.bids = state.round + 1, 0
        rewards = {players[won]: 1.0, players[lost]: -1.0}
        if state.round < len(state.throws):
            self._throw()
            return JointOutcome(rewards, progress=dict.fromkeys(players, state.round / len(state.throws)))
        winners = [who for who, held in zip(players, state.chips, strict=True) if held == max(state.chips)]
        if len(winners) > 1:
            winners = []
            self.send_message("The match is a draw.")
            self.set_metric("draw", 1.0)
        return JointOutcome(rewards, over=True, winners=winners, progress=dict.fromkeys(players, 1.0))

    def _true(self, bid: int) -> bool:
        """Whether a bid is true of the dice of the round."""
        return table.is_true(bid, self._faces, map(int, self._state.throws[self._state.round]))

    def _admissible(self, player: str) -> list[str]:
        bids = self._state.bids
        higher = [_words(bid, self._faces) for bid in range(bids.bit_length(), self._top)]
        return [*higher, "liar"] if bids else higher

    def _default(self, player: str) -> str:
        lowest = self._state.bids.bit_length()
        return _spoken(min(lowest, self._top), self._faces, self._top)

    def _known(self, player: str) -> pair.Known | table.Seen:
        dice = self._dice(player)
        if (self.config.players, self.config.dice) == PAIR:
            return pair.Known(self._faces, dice[0], self._state.bids)
        return table.Seen(self._faces, self.config.players, dice, self._state.bids)

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        state = self._state
        if state.round == len(state.throws):
            return
        first = self.possible_agents.index(player) * self.config.dice
        mine = range(first, first + self.config.dice)
        throw = "".join(
            die if place in mine else str(int(rng.integers(self._faces)) + 1)
            for place, die in enumerate(state.throws[state.round])
        )
        later = _throws(self._faces, self._all, len(state.throws) - state.round - 1, rng)
        state.throws = [*state.throws[: state.round], throw, *later]

    def _decision(self, player: str) -> tuple[int, ...]:
        return (self._state.round, self._state.bids)

    def _oracle(self, player: str) -> str:
        state = self._state
        low = state.bids.bit_length()
        if state.bids and not self._true(low - 1):
            return "liar"
        left = [bid for bid in range(low, self._top) if self._true(bid)]
        return _spoken(left[-1] if left else low, self._faces, self._top)

    def _key_state(self) -> Any:
        state, players = self._state, self.config.players
        chips: Any = state.chips[0] if players == PAIR[0] else state.chips  # of two, one's tell the other's
        return [state.throws[state.round :], state.bids, chips, state.round % players, len(state.throws)]


@lru_cache(maxsize=32)
def _grammar(players: int, dice: int, faces: int) -> Grammar:
    """The commands of a table of more players or dice."""
    whole_table, each = players * dice, "one die" if dice == 1 else f"{dice} dice"
    bid, liar = LiarsDice.grammar.commands
    told = (
        f"<count> is a whole number from 1 to {whole_table}, <face> one from 1 to {faces}: say that at least so many "
        f"of all {whole_table} dice show the face."
    )
    rules = (
        f"Each round, all {players} players throw {each} and see only their own. The highest face of the dice "
        f"({faces}) counts as any face. In turn, bid how many of all {whole_table} dice show a face; each bid must be "
        "higher: more dice, or as many of a higher face. Or call the last bid a lie: if it was true you lose the round "
        "to the player who bid, otherwise that player loses it to you; the others neither win nor lose. The match is "
        "won by the player with most rounds won less lost."
    )
    return Grammar([replace(bid, help=told, choices={}), liar], rules=rules)


def _throws(faces: int, dice: int, count: int, rng: np.random.Generator) -> list[str]:
    return ["".join(str(die + 1) for die in throw) for throw in rng.integers(faces, size=(count, dice)).tolist()]
