"""OpenSpiel's games: every loadable one through its words, native games against them, secrets, seeds and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import agentgym
from agentgym.core.errors import ConfigError, UnknownName
from agentgym.envs.multiagent._kuhn import DEALS
from agentgym.envs.multiagent._open_spiel.rules import rules
from agentgym.envs.multiagent._open_spiel.shown import board, ranged
from tests.envs.games import played

pyspiel = pytest.importorskip("pyspiel", reason='OpenSpiel is not installed: pip install "agentgym-suite[worlds]"')
LONG = {"bridge", "bridge_uncontested_bidding", "tiny_bridge_2p", "colored_trails"}  # seconds to load or to settle
NEVER = {"crossword", "morpion_solitaire"}
NAMES = [
    kind.short_name
    for kind in pyspiel.registered_games()
    if kind.default_loadable and kind.dynamics != pyspiel.GameType.Dynamics.MEAN_FIELD and kind.short_name not in NEVER
]
SAMPLE = [
    "tic_tac_toe", "chess", "backgammon", "kuhn_poker", "hanabi", "battleship", "blotto", "goofspiel", "gin_rummy",
    "phantom_ttt", "negotiation", "2048", "snake", "tarok", "tiny_hanabi", "twixt",
]  # fmt: skip


def table(game: str, seed: int = 1, **kwargs: Any) -> Any:
    world = agentgym.make("OpenSpiel-v0", game=game, **kwargs)
    world.reset(seed=0, options={"task": {"seed": seed}})
    return world


def walk(name: str, moves: int) -> tuple[str, str]:
    """Play a game by words only, each compared with the engine's reading of it.

    Returns:
        The engine's state as the words led to it, and as the numbers of the same moves do.
    """
    world, rng = table(name), np.random.default_rng(0)
    while not world.ended and moves:
        player = world.agent_selection
        place = world.possible_agents.index(player)
        node = world._node.clone()
        legal = world.admissible_actions(player)
        assert len(legal) == len(node.legal_actions()) == len(set(legal))
        words = legal[int(rng.random() * len(legal))]
        act = world._moves()[words]
        assert " ".join(node.action_to_string(place, act).split()) == words
        before = list(node.returns())
        assert "\x1b" not in world.observe(player)["text"]
        world.step(words)
        moves -= 1
        assert world._state.history[len(node.history())] == act
        if world.agents and player in world.infos:
            assert world.infos[player]["action_valid"], words
        after = list(world._node.returns())
        for each, old, new in zip(world.possible_agents, before, after, strict=True):
            assert world.rewards[each] == pytest.approx(new - old)
    assert world._state.history
    return str(world._node), str(world.engine.replayed(world._state.history, world._state.seed))


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample_of_games_is_played_by_words(name: str) -> None:
    by_words, by_numbers = walk(name, 25)
    assert by_words == by_numbers


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_every_loadable_game_is_played_by_words(name: str) -> None:
    by_words, by_numbers = walk(name, 8 if name in LONG else 150)
    assert by_words == by_numbers


def test_every_loadable_game_has_rules() -> None:
    assert [name for name in NAMES if not rules(name)] == []


def test_words_are_read_as_openspiel_reads_them() -> None:
    """`string_to_action` of the package agrees with ours, where the package implements it for such words."""
    for name in ("tic_tac_toe", "kuhn_poker", "breakthrough", "chess", "liars_dice"):
        world = table(name)
        node, place = world._node, world.possible_agents.index(world.agent_selection)
        for words, act in world._moves().items():
            assert node.string_to_action(place, words) == act


def returns(
    world: Any, node: Any, native: Callable[[str, str], str], rng: np.random.Generator, draws: Any = ()
) -> tuple[list[float], list[float]]:
    """What a native game and OpenSpiel's pay after random play side by side, with equal legal moves and movers.

    `native` puts an action of the native game, said by a player, into OpenSpiel's words; `draws` is what chance brings.
    """
    draws = iter(draws)
    totals = dict.fromkeys(world.possible_agents, 0.0)
    while not node.is_terminal():
        if node.is_chance_node():
            node.apply_action(next(draws))
            continue
        player = world.agent_selection
        assert not world.ended
        assert player == world.possible_agents[node.current_player()]
        theirs = {node.action_to_string(act): act for act in node.legal_actions()}
        ours = {native(player, words): words for words in world.admissible_actions(player)}
        assert sorted(ours) == sorted(theirs)
        words = sorted(theirs)[int(rng.random() * len(theirs))]
        node.apply_action(theirs[words])
        world.step(ours[words])
        for each, reward in world.rewards.items():
            totals[each] += reward
    assert world.ended
    return list(totals.values()), list(node.returns())


def test_native_tic_tac_toe_is_openspiels() -> None:
    def native(player: str, words: str) -> str:
        cell = int(words.split()[-1]) - 1
        return f"{'xo'[player == 'player_1']}({cell // 3},{cell % 3})"

    rng = np.random.default_rng(1)
    for _ in range(30):
        world = agentgym.make("TicTacToe-v0")
        world.reset(seed=0, options={"task": {"board": "........."}})
        ours, theirs = returns(world, pyspiel.load_game("tic_tac_toe").new_initial_state(), native, rng)
        assert ours == theirs


def test_native_connect_four_is_openspiels() -> None:
    def native(player: str, words: str) -> str:
        return f"{'xo'[player == 'player_1']}{int(words.split()[-1]) - 1}"

    rng = np.random.default_rng(2)
    for _ in range(15):
        world = agentgym.make("ConnectFour-v0")
        world.reset(seed=0, options={"task": {"columns": ""}})
        ours, theirs = returns(world, pyspiel.load_game("connect_four").new_initial_state(), native, rng)
        assert ours == theirs


def test_native_kuhn_poker_is_openspiels() -> None:
    rng = np.random.default_rng(3)
    for deal in DEALS:
        for _ in range(6):
            world = agentgym.make("KuhnPoker-v0")
            world.reset(options={"task": {"deals": [deal]}})
            node = pyspiel.load_game("kuhn_poker").new_initial_state()
            cards = ["JQK".index(card) for card in deal]
            ours, theirs = returns(world, node, lambda player, words: words.capitalize(), rng, cards)
            assert ours == theirs


def test_native_leduc_holdem_is_openspiels() -> None:
    names = {"fold": "Fold", "check": "Call", "call": "Call", "raise": "Raise"}
    rng = np.random.default_rng(4)
    for seed in range(40):
        drawn = agentgym.make("LeducHoldem-v0").tasks("train")[seed].spec["deals"][0]
        world = agentgym.make("LeducHoldem-v0")
        world.reset(options={"task": {"deals": [drawn]}})
        cards = [2 * "JQK".index(card[0]) + "hs".index(card[1]) for card in drawn.split()]
        node = pyspiel.load_game("leduc_poker").new_initial_state()
        ours, theirs = returns(world, node, lambda player, words: names[words], rng, cards)
        assert ours == theirs


def test_a_player_sees_no_more_than_openspiel_tells_it() -> None:
    world = table("kuhn_poker", seed=4)
    deal = world._state.history[:2]
    one, other = (world.observe(player)["text"] for player in world.possible_agents)
    assert world._node.information_state_string(0) in one
    assert world._node.information_state_string(1) in other
    assert one.splitlines()[3] == str(deal[0])
    bids = table("goofspiel(imp_info=True,num_cards=4,points_order=random)")
    bids.step("[P0]Bid: 4")
    assert "Bid: 4" not in bids.observe("player_1")["text"].split("legal moves")[0].split("it is Goofspiel")[-1]
    assert all("action" not in str(event) for event in bids.infos["player_1"]["events"])


def test_deals_follow_the_task_and_not_the_seed_of_reset() -> None:
    deals = set()
    for seed in range(12):
        world = table("leduc_poker", seed=seed)
        deals.add(tuple(world._state.history))
        again = agentgym.make("OpenSpiel-v0", game="leduc_poker")
        again.reset(seed=99, options={"task": {"seed": seed}})
        assert again._state.history == world._state.history
    assert len(deals) > 6


def test_openings_make_games_without_chance_different() -> None:
    starts = {tuple(table("tic_tac_toe", seed=seed, opening=2)._state.history) for seed in range(20)}
    assert len(starts) > 10
    assert table("nim(pile_sizes=1;2)", opening=64)._state.history


def test_games_that_throw_their_own_dice_are_repeated_exactly() -> None:
    for name in ("negotiation", "tarok"):
        one, other = table(name, seed=3), table(name, seed=3)
        for _ in range(4):
            words = one.admissible_actions(one.agent_selection)[-1]
            assert words == other.admissible_actions(other.agent_selection)[-1]
            one.step(words)
            other.step(words)
            assert one.observe("player_0") == other.observe("player_0")
        twin = one.fork()
        assert twin.observe("player_1") == one.observe("player_1")
        assert str(table(name, seed=4)._node) != str(table(name, seed=3)._node)


def test_success_is_what_the_game_says() -> None:
    world = table("tic_tac_toe")
    for words in ("x(0,0)", "o(1,0)", "play x(0,1)", "O(1,1)", "#2"):
        world.step(words)
    assert world.infos["player_0"]["success"]
    assert not world.infos["player_1"]["success"]
    together = table("tiny_hanabi", seed=2)
    while not together.ended:
        together.step(together.admissible_actions(together.agent_selection)[0])
    total = together._node.returns()[0]
    assert together.infos["player_0"]["success"] == together.infos["player_1"]["success"] == (total >= 10)


def test_search_beats_what_is_weaker() -> None:
    points = {"simple": 0.0, "strong": 0.0}
    for better, worse in (("simple", "random"), ("strong", "simple")):
        for seed in range(10):
            for mine, other in (("player_0", "player_1"), ("player_1", "player_0")):
                world = table("connect_four", seed=seed, opening=2)
                points[better] += played(world, {mine: better, other: worse}, seed)[mine]
    assert points["simple"] > 8
    assert points["strong"] > 8


@pytest.mark.parametrize(
    ("game", "error", "words"),
    [
        ("chesss", UnknownName, "did you mean 'chess'"),
        ("mfg_garnet", ConfigError, "mean-field"),
        ("crossword", ConfigError, "structured data"),
        ("hex(size=5)", UnknownName, "parameter of hex"),
        ("hex(board_size=big)", ConfigError, "must be like its default"),
        ("kuhn_poker(players=99)", ConfigError, "2 to 10 players"),
        ("hex(board_size=5", ConfigError, "must have the form"),
        ("misere", ConfigError, "needs the parameter game"),
        ("", ConfigError, "must be the name"),
    ],
)
def test_games_that_cannot_be_played_are_refused_in_one_line(game: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        agentgym.make("OpenSpiel-v0", game=game)
    assert "\n" not in str(caught.value)


def test_moves_that_are_not_legal_are_refused() -> None:
    world = table("tic_tac_toe")
    world.step("x(9,9)")
    assert "not a legal move" in world.infos["player_0"]["error"]
    world.step("#77")
    assert "not the number of a legal move" in world.infos["player_0"]["error"]
    assert world._state.history == []


def test_a_move_needs_not_say_whose_it_is() -> None:
    for said, card in (("Bid: 3", 2), ("play [P0]Bid: 3", 2), ("bid: 4.", 3)):
        world = table("goofspiel(num_cards=4)")
        world.step(said)
        assert world._state.history[-1:] == [card], said
    world = table("goofspiel(num_cards=4)")
    world.step("[P1]Bid: 3")
    assert "not a legal move" in world.infos["player_0"]["error"]


def test_chess_is_a_board_with_the_side_to_move() -> None:
    world = table("chess")
    text = world.observe("player_1")["text"]
    assert "8 r n b q k b n r\n7 p p p p p p p p\n6 . . . . . . . .\n" in text
    assert "2 P P P P P P P P\n1 R N B Q K B N R\n  a b c d e f g h\n" in text
    assert "White is to move. May still castle: White short, White long, Black short, Black long." in text
    world.step("e4")
    assert "4 . . . . P . . .\n" in world.observe("player_0")["text"]
    assert "Black is to move." in world.observe("player_0")["text"]


@pytest.mark.parametrize(
    "text", ["x.o\n...\n..x", "8/8", "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", "", "a/b/c/d/e/f/g/h"]
)
def test_what_is_no_board_stays_as_it_is(text: str) -> None:
    assert board(text) == text


def test_amounts_in_a_row_are_a_range() -> None:
    assert ranged(["Bid: 1", "Bid: 2", "Bid: 3", "Bid: 4", "Bid: 6", "pass"]) == ["Bid: 1 to 4", "Bid: 6", "pass"]
    assert ranged(["e1", "e2", "e3", "e4"]) == ["e1", "e2", "e3", "e4"]
    assert ranged([f"Place(num={count})" for count in range(9)]) == ["Place(num=0 to 8)"]
    offers = [f"Offer: Book: {book}, Hat: {hat}" for hat in range(3) for book in range(2)]
    assert ranged(["Agree", *offers]) == ["Agree", "Offer: Book: 0 to 1, Hat: 0 to 2"]
    assert ranged(offers[1:]) == offers[1:]  # one is not legal, so a range would say too much
    world = table("oshi_zumo")
    assert "Your legal moves: [P0]Bid: 0 to 50\n" in world.observe("player_0")["text"]
    world.step("[P0]Bid: 7")
    assert world._state.history == [7]


@pytest.mark.parametrize("game", ["chess", "tic_tac_toe", "oshi_zumo", "go_fish", "kuhn_poker"])
def test_the_example_is_a_move_of_that_very_game(game: str) -> None:
    world = table(game)
    by_number, by_words, bare = world.grammar.examples
    assert by_words == f"play {bare}"
    assert by_number[1:].isdecimal()
    assert "Bid: 3" not in bare
    if game in ("chess", "tic_tac_toe", "oshi_zumo"):
        world.step(bare)
        assert not world.infos["player_0"]["error"]
