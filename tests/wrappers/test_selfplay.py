"""One player of a game as a Gymnasium world: rivals, roles, earlier selves, and exact copies."""

from __future__ import annotations

import importlib
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import agentgym
from agentgym.core import Call, Command, ConfigError, Grammar, Invalid, UnknownName, register
from agentgym.core.hooks import clashes
from agentgym.envs.multiagent.tic_tac_toe import TicTacToe
from agentgym.wrappers.selfplay import SelfPlay

GAMES = ["TicTacToe-v0", "ConnectFour-v0", "KuhnPoker-v0"]


class Sided(TicTacToe):
    """A game whose second player has words and rules of its own."""

    card = replace(TicTacToe.card, id="AgentGymTests/Sided-v0", entry_point=f"{__name__}:Sided")
    second = Grammar(
        [Command("ring <cell>", "mark a free cell.", ("ring 5",), choices={"cell": tuple("123456789")}, name="place")],
        rules="You have rings.",
    )

    def player_grammar(self, player: str) -> Any:
        return self.grammar if player == "player_0" else self.second

    def _admissible(self, player: str) -> list[str]:
        listed = super()._admissible(player)
        return listed if player == "player_0" else [each.replace("place", "ring") for each in listed]


def first(text: str, actions: list[str] | None, rng: np.random.Generator) -> str:
    """A policy: the first admissible action."""
    assert actions
    return actions[0]


def play(env: SelfPlay, seed: int, **options: Any) -> tuple[list[Any], float, bool]:
    """An episode of random actions: every answer, the return, and whether the player succeeded."""
    rng = np.random.default_rng(seed)
    answers: list[Any] = [env.reset(seed=seed, options=options)]
    total = 0.0
    while not env.ended:
        answers.append(env.step(env.sample_action(rng)))
        total += answers[-1][1]
    return answers, total, answers[-1][4]["success"]


@pytest.mark.parametrize("name", GAMES)
def test_gymnasiums_checker_has_nothing_to_say(name: str) -> None:
    env = gym.make("agentgym.wrappers.selfplay:AgentGym/SelfPlay-v0", game=name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)


@pytest.mark.parametrize("name", GAMES)
def test_equal_seeds_give_equal_episodes_and_another_object_plays_the_same(name: str) -> None:
    one, other = SelfPlay(name, opponent=["random", "simple"]), SelfPlay(name, opponent=["random", "simple"])
    for seed in (0, 1):
        assert play(one, seed) == play(other, seed)


@pytest.mark.parametrize("name", GAMES)
def test_copies_are_exact_and_independent(name: str) -> None:
    env = SelfPlay(name, opponent="random")
    env.reset(seed=3)
    rng = np.random.default_rng(0)
    action = env.sample_action(rng)
    saved, key = agentgym.snapshot(env), env.state_key()
    twin = agentgym.fork(env)
    assert twin.game is not env.game
    assert twin.state_key() == key
    there = twin.step(action)
    assert env.state_key() == key
    here = env.step(action)
    assert here == there
    after = env.snapshot().digest()
    while not twin.ended:
        twin.step(twin.sample_action(rng))
    assert env.snapshot().digest() == after
    agentgym.restore(env, saved)
    assert env.state_key() == key
    assert env.step(action) == here
    fresh = SelfPlay(name, opponent="random")
    fresh.reset(seed=9)
    fresh.restore(saved)
    assert fresh.step(action) == here


def test_a_reseeded_fork_meets_other_dice() -> None:
    env = SelfPlay("ConnectFour-v0", opponent="random", player="player_0")
    env.reset(seed=0)
    action = env.expert_action()
    replies = {env.fork(reseed).step(action)[0] for reseed in range(8)}
    assert len(replies) > 1
    assert len({env.fork().step(action)[0] for _ in range(3)}) == 1


def test_roles_swap_unless_a_player_is_named() -> None:
    env = SelfPlay("TicTacToe-v0")
    players = set()
    for seed in range(12):
        text, _ = env.reset(seed=seed)
        assert f"You are {env.player} " in text
        players.add(env.player)
    assert players == {"player_0", "player_1"}
    fixed = SelfPlay("TicTacToe-v0", player="player_1")
    for seed in range(6):
        fixed.reset(seed=seed)
        assert fixed.player == "player_1"
    text, _ = env.reset(seed=0, options={"player": "player_1", "task": {"board": "........."}})
    assert env.player == "player_1"
    assert "* player_0 marks cell" in text


def test_rewards_between_two_actions_are_added_up() -> None:
    env = SelfPlay("KuhnPoker-v0", opponent="simple")
    for seed in range(5):
        _, total, won = play(env, seed)
        chips = env.game._state.chips * (1 if env.player == "player_0" else -1)
        assert total == chips
        assert won == (chips > 0)


def test_refused_actions_are_the_games_business() -> None:
    env = SelfPlay("TicTacToe-v0", opponent="random", player="player_0")
    env.reset(seed=0, options={"task": {"board": "........."}})
    for number in range(3):
        _, _, _, _, info = env.step("sing")
        assert not info["action_valid"]
        assert env.game._state.board.count("X") == number // 2
    with pytest.raises(TypeError):
        env.step(5)  # type: ignore[arg-type]


def test_pools_policies_and_earlier_selves() -> None:
    env = SelfPlay("TicTacToe-v0", opponent=["random", first, f"{__name__}:first"], past=2)
    assert env.pool[0] == "random"
    assert len(env.pool) == 2  # the same policy by name and as itself
    for number in range(3):
        env.add_to_pool(f"step {number}", first)
    assert env.pool[2:] == ("step 1", "step 2")
    met = set()
    for seed in range(30):
        play(env, seed)
        met.add(env.opponent)
    assert met == set(env.pool)
    env.reset(seed=0, options={"opponent": "step 2"})
    assert env.opponent == "step 2"
    with pytest.raises(ConfigError, match="the name is taken"):
        env.add_to_pool("random", first)
    with pytest.raises(UnknownName, match="opponent in the pool"):
        env.reset(options={"opponent": "step 0"})


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ConfigError, match="has one player already"):
        SelfPlay("FrozenLake-v0")
    with pytest.raises(UnknownName, match="did you mean 'strong'"):
        SelfPlay("TicTacToe-v0", opponent="stong")
    with pytest.raises(UnknownName, match="unknown player"):
        SelfPlay("TicTacToe-v0", player="player_5")
    with pytest.raises(ConfigError, match="nobody plays"):
        SelfPlay("TicTacToe-v0", opponent=[])


def test_games_in_which_all_act_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "conformance"))
    importlib.import_module("game_worlds")
    env, other = (SelfPlay("Table/Rounds-v0", opponent="random") for _ in range(2))
    players = set()
    for seed in range(8):
        answers, total, _ = play(env, seed)
        assert (answers, total) == play(other, seed)[:2]
        assert len(answers) == 5 if not env.game.truncations.get("player_0", False) else 6
        players.add(env.player)
    assert players == set(env.game.possible_agents)
    env.reset(seed=1)
    twin = env.fork()
    assert twin.step("show 2") == env.step("show 2")
    assert not env.step("hm")[4]["action_valid"]
    assert twin.turn == 1


def test_the_strong_opponent_is_hard_to_beat() -> None:
    env = SelfPlay("TicTacToe-v0", opponent="strong")
    assert not any(play(env, seed)[1] > 0 for seed in range(20))  # a draw is a success


def test_it_keeps_to_the_hooks_of_a_world() -> None:
    assert clashes(SelfPlay) == []


def test_grammar_manual_and_tools_are_those_of_the_player_that_the_agent_is() -> None:
    register(Sided.card)
    env = SelfPlay(Sided.card.id, opponent="random")
    for player, own, other in (("player_0", "place 5", "ring 5"), ("player_1", "ring 5", "place 5")):
        text, _ = env.reset(seed=0, options={"player": player, "task": {"board": "........."}})
        assert text.count(env.game.player_grammar(player).line) == 1
        assert env.grammar is env.game.player_grammar(player)
        assert env.manual == env.game.player_manual(player)
        assert env.tools == env.game.player_grammar(player).tools
        assert ("You have rings." in env.manual) == (player == "player_1")
        assert isinstance(env.parse(own), Call)
        assert isinstance(env.parse(other), Invalid)
        assert not env.step(other)[4]["action_valid"]
        assert env.step(env.sample_action(np.random.default_rng(0)))[4]["action_valid"]


def test_a_game_that_runs_out_of_turns_truncates_the_episode() -> None:
    env = SelfPlay("TicTacToe-v0", opponent="random", player="player_0")
    env.game.max_turns = env.game._turn_limit_given = 3
    env.reset(seed=0, options={"task": {"board": "........."}})
    assert env.step("place 1")[2:4] == (False, False)
    assert env.step("sing")[2:4] == (False, True)
    after = env.step("place 2")
    assert (after[1:4], after[4]["action_valid"]) == ((0.0, False, True), False)
    assert "call reset()" in after[0]


def test_a_refused_reset_leaves_the_episode_alone() -> None:
    env = SelfPlay("TicTacToe-v0", opponent="random")
    env.reset(seed=0)
    before = env.snapshot().digest()
    for options in ({"player": "player_7"}, {"opponent": "nobody"}):
        with pytest.raises(UnknownName):
            env.reset(seed=1, options=options)
    assert env.snapshot().digest() == before


def fold(text: str, actions: list[str] | None, rng: np.random.Generator) -> str:
    """A policy that gives up whenever it can."""
    assert actions
    return "fold" if "fold" in actions else "check"


def stay(actions: list[str]) -> str:
    return "call" if "call" in actions else "check" if "check" in actions else actions[0]


def test_what_is_earned_before_the_first_action_is_paid_with_it() -> None:
    env = SelfPlay("TexasHoldem-v0", opponent=fold, player="player_1", hands=4)
    twin = SelfPlay("TexasHoldem-v0", opponent=fold, player="player_1", hands=4)
    owed = 0
    for seed in range(12):
        env.reset(seed=seed)
        twin.reset(seed=seed + 1)
        owed += env.game._state.chips != 0
        twin.restore(env.snapshot())
        assert twin.state_key() == env.state_key()
        total = copied = 0.0
        while not env.ended:
            action = stay(env.admissible_actions() or [])
            total, copied = total + env.step(action)[1], copied + twin.step(action)[1]
        assert total == copied == -env.game._state.chips
    assert owed


def test_a_game_that_is_over_before_the_agent_acts_is_paid_by_one_step() -> None:
    lost = {"seed": 0, "options": {"task": {"board": "XX.OO...."}}}
    env = SelfPlay("TicTacToe-v0", opponent="strong", player="player_1")
    text, info = env.reset(**lost)
    assert "The game is over for you." in text
    assert (env.ended, info["success"]) == (False, False)
    before, rng = env.snapshot(), np.random.default_rng(0)
    for say in (env.sample_action(rng), env.oracle_action(), env.expert_action(), *(env.admissible_actions() or [])):
        twin = env.fork()
        answer = twin.step(say)
        assert answer[1:4] == (-1.0, True, False)
        assert (answer[4]["success"], answer[4]["action_valid"]) == (False, True)
        assert twin.step(say)[1:4] == (0.0, True, False)
    assert env.snapshot().digest() == before.digest()
    driver = agentgym.core.drive(SelfPlay("TicTacToe-v0", opponent="strong", player="player_1"))
    driver.reset(**lost)
    while not driver.ended:
        driver.step({"player_0": driver.sample_action("player_0", rng)})
    assert driver.rewards == {"player_0": -1.0}


def test_a_game_that_is_cut_off_before_the_agent_acts_is_truncated_by_one_step() -> None:
    env = SelfPlay("TicTacToe-v0", opponent="random", player="player_1")
    env.game.max_turns = env.game._turn_limit_given = 1
    env.reset(seed=0, options={"task": {"board": "." * 9}})
    assert env.step("place 1")[1:4] == (0.0, False, True)
