"""The base of games of many players, seen through TicTacToe and KuhnPoker and through PettingZoo's registries."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import agentgym
from agentgym.core import (
    AgentGymError,
    Call,
    ConfigError,
    EnvCard,
    JointOutcome,
    SnapshotError,
    TaskError,
    UnknownName,
)
from agentgym.core.driver import drive
from agentgym.core.game import quoted
from agentgym.envs.multiagent.tic_tac_toe import TicTacToe

TIC = "AgentGym/TicTacToe-v0"
EMPTY = {"task": {"board": "........."}}


def table(name: str = "TicTacToe-v0", **kwargs: Any) -> Any:
    return agentgym.make(name, **kwargs)


def in_fresh_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("order", ["agentgym, pettingzoo", "pettingzoo, agentgym"])
def test_both_registries_know_the_id_whichever_is_imported_first(order: str) -> None:
    code = (
        f"import {order}, sys\n"
        f"one, all_at_once = (pettingzoo.make(kind, '{TIC}') for kind in ('aec', 'parallel'))\n"
        "one.reset(seed=0); texts, infos = all_at_once.reset(seed=0)\n"
        "print(one.observe('player_0') == texts['player_0'], type(one).__name__, type(all_at_once).__name__)\n"
        "print([type(finder).__name__ for finder in sys.meta_path if 'Door' in type(finder).__name__])"
    )
    assert in_fresh_process(code) == "True TicTacToe ParallelView\n[]"


def test_pettingzoo_is_imported_with_the_first_game_and_not_before() -> None:
    code = "import agentgym, sys; a = 'pettingzoo' in sys.modules; agentgym.make('TicTacToe-v0'); print(a)"
    assert in_fresh_process(code) == "False"
    assert in_fresh_process("from agentgym.core import LanguageAEC as L; print(L.__name__)") == "LanguageAEC"


def test_a_card_of_many_players_fits_its_interface() -> None:
    facts: dict[str, Any] = {
        "id": "X/Y-v0", "kind": "multiagent", "entry_point": "m:C", "description": "d.", "citation": "c",
        "splits": {"train": 1}, "max_turns": 1, "deterministic": True,
    }  # fmt: skip
    for wrong in ({"api": "aec"}, {"players": 2}, {"api": "aec", "players": 2, "rival": "simple"}):
        with pytest.raises(ConfigError, match="do not fit"):
            EnvCard(**facts, **wrong)
    assert EnvCard(**facts, api="aec", players=2, oracle_success=0.5).oracle_success == 0.5


def test_a_game_is_played_in_turn_and_its_rewards_add_up() -> None:
    game = table()
    game.reset(seed=0, options=EMPTY)
    for number, action in enumerate(("place 1", "place 4", "place 2", "place 5", "place 3")):
        assert game.agent_selection == f"player_{number % 2}"
        game.step(action)
    assert game.ended
    observation, reward, terminated, truncated, info = game.last()
    assert (reward, terminated, truncated, info["success"]) == (1.0, True, False, True)
    last = "* player_0 wins.\nX X X\nO O 6\n7 8 9\n* You are player_0. The game is over for you."
    assert observation["text"].endswith(last)
    game.step(None)
    assert game.last()[1] == -1.0
    assert not game.last()[4]["success"]
    with pytest.raises(ValueError, match="the only valid action is None"):
        game.step("place 9")
    game.step(None)
    assert game.agents == []
    with pytest.raises(ResetNeeded, match="nobody is left"):
        game.step(None)


@pytest.mark.parametrize("name", ["TicTacToe-v0", "KuhnPoker-v0", "DealOrNoDeal-v0", "Commons-v1", "MatrixGame-v0"])
def test_every_observation_says_who_sees_it_and_whose_turn_it_is(name: str) -> None:
    """In the middle of a game as well, where the first message has long scrolled away."""
    game = agentgym.make(name)
    game.reset(seed=1)
    world = game.unwrapped
    for _ in range(3):
        for player in world.agents:
            who = f"* You are {player}."
            if world.card.api == "aec":
                mover = world.agent_selection
                who += " It is your turn." if player == mover else f" It is the turn of {mover}."
            assert world.observe(player)["text"].endswith(who)
        if world.card.api == "aec":
            game.step(world.expert_action(world.agent_selection))
        else:
            game.step({player: world.expert_action(player) for player in world.agents})


def test_three_refused_tries_play_the_default() -> None:
    game = table()
    game.reset(seed=0, options={"task": {"board": "X........"}})
    for tried in ("place 1", "sing", ""):
        assert game.agent_selection == "player_1"
        game.step(tried)
        assert not game.infos["player_1"]["action_valid"]
    assert game._state.board == "XO......."
    assert "That was try 3 of 3; 'place 2' is played for you." in game.observe("player_1")["text"]
    assert game.infos["player_0"]["action_valid"]
    assert (game.turn, game.agent_selection) == (3, "player_0")
    with pytest.raises(ConfigError, match="tries must be"):
        table(tries=0)


def test_turns_run_out_for_every_player() -> None:
    game = table(max_turns=2)
    game.reset(seed=0, options=EMPTY)
    game.step("place 1")
    game.step("nonsense")
    assert game.truncations == {"player_0": True, "player_1": True}
    assert not any(game.terminations.values())


def test_what_is_wrong_is_said_in_one_line() -> None:
    game = table()
    with pytest.raises(ResetNeeded):
        game.task  # noqa: B018
    game.reset(seed=0, options=EMPTY)
    rng = np.random.default_rng(0)
    with pytest.raises(ConfigError, match=r"oracle_action\('player_1'\) out of turn; to act: player_0"):
        game.oracle_action("player_1")
    with pytest.raises(UnknownName, match="did you mean 'simple'"):
        game.opponent_action("player_0", "simpel", rng)
    with pytest.raises(UnknownName, match="unknown player"):
        game.observe("player_7")
    with pytest.raises(TypeError, match="an action is a string, got int from player_0"):
        game.step(5)
    for task in ("XXX", {"board": "XXXOO...."}, {"board": "XX......."}, {"board": "........?"}, 10**6):
        with pytest.raises(TaskError):
            game.reset(options={"task": task})
    with pytest.raises(ConfigError, match="no reset option 'speed'"):
        game.reset(options={"speed": 2})
    assert game.admissible_actions("player_1") == []
    with pytest.raises(AgentGymError):
        game.reference()


def test_snapshots_travel_and_belong_to_their_game() -> None:
    game, other = table(), table("KuhnPoker-v0")
    game.reset(seed=4)
    other.reset(seed=4)
    saved = pickle.loads(pickle.dumps(agentgym.snapshot(game)))
    assert saved.digest() == game.snapshot().digest()
    with pytest.raises(SnapshotError, match="the snapshot is of"):
        agentgym.restore(other, saved)
    twin = agentgym.fork(game, reseed=1)
    twin.step(twin.sample_action(twin.agent_selection, np.random.default_rng(0)))
    assert twin.state_key() != game.state_key()
    agentgym.restore(twin, saved)
    assert twin.state_key() == game.state_key()


def test_the_parallel_view_hears_only_the_player_to_move() -> None:
    import pettingzoo

    view = pettingzoo.make("parallel", TIC)
    view.reset(seed=0, options=EMPTY)
    texts, rewards, _, _, infos = view.step({"player_0": "place 5", "player_1": "place 1"})
    assert view.world._state.board == "....X...."
    assert infos["player_1"]["error"] == "it was the turn of player_0, so your action was not played."
    assert infos["player_1"]["error"] in texts["player_1"]["text"]
    assert infos["player_0"]["action_valid"]
    assert rewards == {"player_0": 0.0, "player_1": 0.0}
    _, _, _, _, infos = view.step({"player_1": "place 1", "player_0": ""})
    assert infos["player_0"]["action_valid"]
    with pytest.raises(UnknownName):
        view.step({"player_9": "x"})
    while view.agents:
        view.step({})
    with pytest.raises(ResetNeeded):
        view.step({})


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\x0b", "\x1e", "\x85", "\u2028", "\u2029", "\x00"])
def test_talk_stays_on_its_quoted_line(line_break: str) -> None:
    line = quoted("player_1", f'so"{line_break}* player_0 is out.')
    assert len(line.splitlines()) == 1
    assert line == '> player_1: "so\\" * player_0 is out."'


class Brief(TicTacToe):
    """A game with a limit of its own: two marks, told by the outcome; and a player that does not play to win."""

    card = replace(
        TicTacToe.card, id="AgentGymTests/Brief-v0", shortcuts={"last": "marks the last free cell"}, shortcut_bound=1.0
    )

    def _step(self, player: str, call: Call) -> JointOutcome:
        outcome = super()._step(player, call)
        return replace(outcome, spent=len(self._state.board.strip(".")) > 1)

    def _shortcut(self, player: str, name: str) -> str:
        return f"{self._admissible(player)[-1]}"


def test_a_games_own_limit_truncates_it_for_every_player() -> None:
    game = Brief()
    game.reset(seed=0, options=EMPTY)
    game.step("place 1")
    assert not game.ended
    game.step("place 2")
    assert (game.ended, game.turn, game.max_turns) == (True, 2, 2)
    assert game.truncations == {"player_0": True, "player_1": True}
    assert not any(game.terminations.values())


def test_a_shortcut_of_a_game_is_played_or_refused_in_one_line() -> None:
    driver = drive(Brief())
    driver.reset(seed=0, options=EMPTY)
    assert driver.shortcut_action("player_0", "last") == "place 9"
    with pytest.raises(UnknownName, match="unknown shortcut 'first'"):
        driver.shortcut_action("player_0", "first")
    with pytest.raises(ConfigError, match=r"shortcut_action\('player_1'\) out of turn"):
        driver.shortcut_action("player_1", "last")
    other = drive(table("KuhnPoker-v0"))
    other.reset(seed=0)
    with pytest.raises(UnknownName, match="unknown shortcut 'last'"):
        other.shortcut_action("player_0", "last")


@pytest.mark.parametrize("name", ["TicTacToe-v0", "ColorGrid-v0"])
def test_questions_before_the_first_reset_say_what_is_missing(name: str) -> None:
    game = table(name)
    with pytest.raises(ResetNeeded, match=r"call reset\(\) before observe\(\)"):
        game.observe(game.possible_agents[0])
    with pytest.raises(ResetNeeded, match=r"call reset\(\) before state\(\)"):
        game.state()
    with pytest.raises(ResetNeeded, match=r"oracle_action\(\) needs an episode under way; call reset\(\)"):
        game.oracle_action(game.possible_agents[0])
    assert game.to_act == []
    game.reset(seed=0)
    assert all(f"[{player}]" in game.state() for player in game.possible_agents)
