"""Hold'em at a table, the rules: betting and pots against the ACPC engine of OpenSpiel and against plain readings."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from agentgym.core.rng import stream
from agentgym.envs.multiagent._holdem import betting as bets
from agentgym.envs.multiagent._holdem.betting import BIG, BOTTOMLESS, CALL, FOLD, Betting, Pot, Table
from agentgym.envs.multiagent._holdem.ranking import DECK, NUMBERS, worth
from agentgym.envs.multiagent._holdem.seats import Seen, random_seat

RANKS = "23456789TJQKA"
FIRST = {2: "1 2 2 2", 3: "3 1 1 1", 4: "3 1 1 1", 5: "3 1 1 1", 6: "3 1 1 1"}


def _plain(five: tuple[str, ...]) -> tuple[int, ...]:
    """What five cards are worth, by counting: the category, then ranks by how many there are."""
    ranks = sorted((RANKS.index(card[0]) for card in five), reverse=True)
    groups = sorted(((count, rank) for rank, count in Counter(ranks).items()), reverse=True)
    shape, order = [count for count, _ in groups], [rank for _, rank in groups]
    flush, run = len({card[1] for card in five}) == 1, len(order) == 5 and ranks[0] - ranks[4] == 4
    if ranks == [12, 3, 2, 1, 0]:
        run, order = True, [3]
    if run:
        return (8 if flush else 4, order[0])
    named = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1, (1, 1, 1, 1, 1): 0}
    category = named[tuple(shape)]
    return (5 if flush and category < 5 else category, *order)


def test_hands_are_ranked_as_plain_counting_ranks_them() -> None:
    rng = stream("tests.holdem.ranking")
    found = []
    for _ in range(3000):
        cards = [DECK[int(place)] for place in rng.permutation(52)[:7]]
        best = max(_plain(five) for five in combinations(cards, 5))
        found.append((worth(NUMBERS[card] for card in cards), best))
    for (mine, plain), (other, rest) in combinations(found[:400], 2):
        assert (mine > other) == (plain > rest)
        assert (mine == other) == (plain == rest)
    by_plain = sorted(found, key=lambda each: each[1])
    assert [mine for mine, _ in by_plain] == sorted(mine for mine, _ in found)


def _layers(now: Betting, values: dict[int, int]) -> list[Fraction]:
    """What each seat gets, chip by chip: each layer of one chip goes to the best of those that have put it in."""
    got = [Fraction(0)] * len(now.put)
    for level in range(1, max(now.put) + 1):
        inside = [seat for seat, put in enumerate(now.put) if put >= level]
        may = [seat for seat in inside if not now.folded[seat]]
        if not may:  # only folded seats went so high: those who stayed share it as the layer below
            may = [seat for seat in now.live if now.put[seat] == max(now.put[each] for each in now.live)]
        if len(inside) == 1:
            may = inside
        best = [seat for seat in may if values[seat] == max(values[each] for each in may)]
        for seat in best:
            got[seat] += Fraction(len(inside), len(best))
    return got


def _finished(table: Table, rng: np.random.Generator) -> Betting:
    """A hand that random players have bet to its end."""
    history: tuple[str, ...] = ()
    now = bets.betting(table, history)
    while not now.over:
        history = (*history, random_seat(Seen((), (), table, history, now.mover), rng))
        now = bets.betting(table, history)
    return now


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("limit", [True, False], ids=["limit", "no_limit"])
def test_chips_are_conserved_and_pots_are_those_of_plain_layers(players: int, limit: bool) -> None:
    """Six hundred hands a table, with any stacks, some of them too short for the blinds."""
    rng = stream("tests.holdem.pots", players, int(limit))
    split = 0
    for number in range(600):
        stacks = tuple(int(stack) for stack in rng.integers(1 if number % 3 else 0, 60, size=players))
        if limit:
            stacks = (BOTTOMLESS,) * players
        elif sum(stack > 0 for stack in stacks) < 2:
            continue
        button = int(rng.choice([seat for seat, stack in enumerate(stacks) if stack]))
        now = _finished(Table(stacks, button, limit), rng)
        values = {seat: int(rng.integers(4)) for seat in range(players)}
        got = bets.paid(now, values.__getitem__)
        assert sum(got) == sum(now.put)
        assert all(0 <= put <= stack for put, stack in zip(now.put, stacks, strict=True))
        pots = bets.pots(now)
        fair = _layers(now, values)
        split += len(pots) > 1
        for seat, (chips, wanted) in enumerate(zip(got, fair, strict=True)):
            assert abs(chips - wanted) < max(1, len(pots)), (now, values, seat)
        assert sum(pot.chips for pot in pots) + bets.returned(now)[1] == sum(now.put)
    assert limit or split > 30 or players == 2


@pytest.mark.parametrize("players", range(2, 7))
def test_no_limit_goes_as_in_the_engine_of_openspiel(players: int) -> None:
    """Who acts, what is possible and what is paid, against `universal_poker` (the engine of the ACPC).

    That engine lets everyone raise again after an all-in of less than a full raise, and from less, so after one in a
    round what is possible here must be possible there.
    """
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    rng = stream("tests.holdem.acpc", players)
    for _ in range(40):
        stacks = tuple(int(stack) for stack in rng.integers(3, 80, size=players))
        blinds = " ".join(["1", "2", *["0"] * (players - 2)])
        engine = pyspiel.load_game(
            f"universal_poker(betting=nolimit,numPlayers={players},numRounds=4,blind={blinds},"
            f"firstPlayer={FIRST[players]},numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,"
            f"stack={' '.join(map(str, stacks))},bettingAbstraction=fullgame)"
        )
        table = Table(stacks, 0 if players == 2 else players - 1, False)
        node, history, short = engine.new_initial_state(), (), -1
        while not node.is_terminal():
            if node.is_chance_node():
                node.apply_action(int(rng.choice(node.legal_actions())))
                continue
            now = bets.betting(table, history)
            assert not now.over
            assert now.mover == node.current_player()
            theirs, span = node.legal_actions(), now.raises_to()
            raises = [act for act in theirs if act > 1]
            assert (0 in theirs) == (now.owed > 0)
            if short != now.round:
                mine = [] if span is None else [*range(span[0] + now.base, span[1] + now.base + 1)]
                assert raises == mine, (now, history)
            elif span is not None:
                assert set(range(span[0] + now.base, span[1] + now.base + 1)) <= set(raises), (now, history)
            elif raises:
                assert now.acted[now.mover]
                assert now.level - now.put[now.mover] < now.step
            act = random_seat(Seen((), (), table, history, now.mover), rng)
            node.apply_action({FOLD: 0, CALL: 1}.get(act) if act in (FOLD, CALL) else int(act[1:]) + now.base)
            if act[0] == "r" and int(act[1:]) + now.base - now.level < now.step:
                short = now.round
            history = (*history, act)
        now = bets.betting(table, history)
        assert now.over
        words = dict(line.split(":", 1) for line in str(node).splitlines() if ":" in line and "Cards" in line)
        board = (
            next(line.split()[1] for line in f"{node}\n".splitlines() if line.startswith("BoardCards"))
            if (now.round == bets.ROUNDS)
            else ""
        )
        values = {
            seat: worth(NUMBERS[card] for card in _cards(words[f"P{seat} Cards"].strip() + board))
            for seat in range(players)
        }
        got = [chips - put for chips, put in zip(bets.paid(now, values.__getitem__), now.put, strict=True)]
        for mine, wanted in zip(got, node.returns(), strict=True):
            assert abs(mine - wanted) < max(1, len(bets.pots(now))), (now, str(node))


def _cards(text: str) -> list[str]:
    return [text[place : place + 2] for place in range(0, len(text), 2)]


def test_blinds_and_who_acts_first() -> None:
    two = bets.begin(Table((50, 50), 0, False))
    assert (two.put, two.mover) == ((1, 2), 0), "the button has the small blind and acts first"
    assert bets.betting(two.table, (CALL, CALL)).mover == 1, "and last after the flop"
    four = bets.begin(Table((50, 50, 50, 50), 1, False))
    assert (four.put, four.mover) == ((0, 0, 1, 2), 0)
    assert Table((50, 50, 50, 50), 1, False).blinds == (2, 3)
    gone = Table((50, 0, 50, 0), 0, False)
    assert gone.blinds == (0, 2), "when two are left the button has the small blind"
    assert bets.begin(gone).mover == 0


def test_an_all_in_of_less_than_a_raise_does_not_open_the_betting_again() -> None:
    table = Table((100, 100, 13), 0, False)  # seat 1 small blind, seat 2 big blind
    now = bets.betting(table, ("r10", "c", "r13"))
    assert (now.mover, now.level, now.owed) == (0, 13, 3)
    assert now.raises_to() is None, "seat 0 has raised and faces less than a full raise"
    assert bets.betting(table, ("r10", "c", "r13", "c")).raises_to() is None
    wide = bets.betting(Table((100, 100, 100), 0, False), ("r10", "c", "r18"))
    assert wide.raises_to() == (26, 100)


def test_side_pots_and_what_goes_back() -> None:
    table = Table((10, 30, 100, 100), 3, False)  # seat 0 small blind, seat 1 big blind
    now = bets.betting(table, ("r60", FOLD, CALL, CALL))
    assert now.over
    assert now.put == (10, 30, 60, 0)
    assert bets.returned(now) == (2, 30)
    assert bets.pots(now) == [Pot(30, (0, 1, 2)), Pot(40, (1, 2))]
    assert bets.paid(now, {0: 9, 1: 5, 2: 1}.__getitem__) == [30, 40, 30, 0]
    assert bets.paid(now, {0: 1, 1: 5, 2: 5}.__getitem__) == [0, 35, 65, 0]


def test_chips_left_over_go_to_the_first_left_of_the_button() -> None:
    table = Table((20, 20, 20), 0, False)
    now = bets.betting(table, ("r5", FOLD, CALL, *[CALL] * 6))
    assert now.over
    assert sum(now.put) == 11
    assert bets.paid(now, {0: 7, 2: 7}.__getitem__) == [5, 0, 6]


def test_who_raised_last_shows_first() -> None:
    table = Table((50, 50, 50), 0, False)
    calls = [CALL] * 3
    assert bets.showdown(bets.betting(table, (*calls, *calls, *calls, *calls))) == [1, 2, 0]
    raised = bets.betting(table, (*calls, *calls, *calls, CALL, CALL, "r4", CALL, CALL))
    assert bets.showdown(raised) == [0, 1, 2]
    assert bets.showdown(bets.betting(table, (*calls, *calls, *calls, CALL, "r4", FOLD, FOLD))) == []


def test_limited_raises_are_fixed_and_capped() -> None:
    table = Table((BOTTOMLESS,) * 3, 0, True)
    now = bets.begin(table)
    for wanted in (4, 6, 8):
        assert now.raises_to() == (wanted, wanted)
        now = bets.apply(now, f"r{wanted}")
    assert now.raises_to() is None
    river = bets.betting(table, (CALL, CALL, CALL) * 3)
    assert river.raises_to() == (4, 4)
    assert river.round == 3
    assert bets.betting(table, (CALL, CALL, CALL)).step == BIG
