"""Wrappers around the players of a game: what each reads, sees and is told, refusals as tries, and exact copies."""

from __future__ import annotations

import json
import pickle
import warnings
from functools import partial
from typing import Any

import numpy as np
import pytest
from gymnasium.wrappers import TimeLimit
from pettingzoo.test import api_test, parallel_api_test
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

import agentgym
from agentgym import wrappers
from agentgym.core import Call, ConfigError, Driver, SnapshotError, UnknownName, drive
from agentgym.wrappers._game_player import GamePlayer
from agentgym.wrappers.games import wrap_game
from agentgym.wrappers.players import PlayerWrappers, wrap_players
from tests.wrappers.stacks import CHOICES, NOISE

GAMES = ("KuhnPoker-v0", "Werewolf-v1", "Commons-v1")  # in turn, in turn with free text, all at once
FORMATS = ("ReAct", "Tags", "JsonReply", "JsonCalls", "NativeCalls", "CodeBlocks", "Fenced", "Marked", "CommandTags")
SERVE = tuple(sorted(kind for kind in CHOICES if getattr(wrappers, kind).serves_games))
STEPPERS: list[tuple[str, dict[str, Any]]] = [
    ("SeveralActions", {}), ("Trials", {}), ("Retries", {}), ("Horizon", {"turns": 3}), ("StepCost", {}),
    ("FormatReward", {}), ("ProgressReward", {}), ("LTLMonitor", {"rules": {"a": "G valid"}}),
    ("NativeCalls", {"most": 2}), ("CodeBlocks", {"most": 2}), ("Hints", {"kind": "plan"}),
    ("EventLog", {"path": "x.jsonl"}), ("JudgeReward", {"model": "x:y"}), ("PotentialShaping", {}),
    ("SubgoalReward", {"subgoals": {"a": {"type": "bet"}}}), ("CodeAction", {}),
    ("Macros", {"macros": [["call", "call"]]}), ("WithholdReward", {}),
]  # fmt: skip


def make(name: str, **options: Any) -> Any:
    return agentgym.make(name, **options)


def fitting(game: Any, player: str, rng: np.random.Generator, most: int = 4) -> list[Any]:
    """Up to `most` wrappers drawn at random that fit the player, innermost first."""
    chosen: list[Any] = []
    for _ in range(int(rng.integers(1, most + 1))):
        kind = SERVE[int(rng.integers(len(SERVE)))]
        variants = CHOICES[kind]
        wrap = partial(getattr(wrappers, kind), **variants[int(rng.integers(len(variants)))](game.card))
        try:
            PlayerWrappers(drive(game), player, [*chosen, wrap])
        except ConfigError:
            continue
        chosen.append(wrap)
    return chosen


def seen(driver: Driver, players: Any = None) -> list[str]:
    """What players still in see now, as text that differs if anything does."""
    lines = []
    for player in driver.active if players is None else players:
        result = driver.result(player)
        told = [result.observation, result.reward, result.terminated, result.truncated, dict(result.info)]
        lines.append(json.dumps([player, *told], sort_keys=True, allow_nan=False))
    return lines


def replies(driver: Driver, rng: np.random.Generator) -> dict[str, str]:
    """A reply of each player to act: mostly sensible, sometimes in the game's own words, hostile or missing."""
    said = {}
    for player in driver.to_act:
        dice = rng.random()
        if dice < 0.25:
            said[player] = NOISE[int(rng.integers(len(NOISE)))]
        elif dice < 0.35:
            said[player] = drive(driver.world).sample_action(player, rng)
        elif dice < 0.95:
            said[player] = driver.sample_action(player, rng)
    return said


def step(driver: Driver, actions: dict[str, str]) -> list[str]:
    """What the players that were in see after a step."""
    players = driver.active
    driver.step(actions)
    return seen(driver, players)


def play(driver: Driver, steps: int, rng: np.random.Generator) -> tuple[list[dict[str, str]], list[str]]:
    said, lines = [], []
    for _ in range(steps):
        if driver.ended:
            break
        said.append(replies(driver, rng))
        lines += step(driver, said[-1])
    return said, lines


def follow(driver: Driver, said: list[dict[str, str]]) -> list[str]:
    return [line for actions in said for line in step(driver, actions)]


CASES = [(kind, name) for kind in FORMATS for name in GAMES if (kind, name) != ("CommandTags", GAMES[0])]
CASES += [("ChoiceByNumber", GAMES[0]), ("ChoiceByNumber", GAMES[2])]  # the experts of Werewolf say what no list holds


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_the_experts_play_alike_in_every_format(kind: str, name: str) -> None:
    """What an expert says in a player's format is read back as the very action; after the first all texts are equal."""
    bare = drive(make(name))
    formatted = wrap_players(make(name), {player: [getattr(wrappers, kind)] for player in bare.players})
    bare.reset(seed=4)
    formatted.reset(seed=4)
    acted: set[str] = set()
    for _ in range(60):
        if bare.ended:
            break
        assert formatted.to_act == bare.to_act
        for player in bare.to_act:
            text, here = bare.result(player).observation, formatted.result(player)
            if player in acted and kind != "ChoiceByNumber":
                assert here.observation == text
            for line in (formatted.told("line", player), bare.result(player).info["instruction"]):
                assert player in acted or line in here.observation
        actions = {player: bare.expert_action(player) for player in bare.to_act}
        said = {player: formatted.expert_action(player) for player in bare.to_act}
        assert all(said[player] != actions[player] for player in said)
        acted.update(actions)
        bare.step(actions)
        formatted.step(said)
        assert formatted.rewards == bare.rewards
        for player in bare.players:
            info = formatted.result(player).info
            assert bare.result(player).info.items() <= info.items()
            assert info["action"] == actions.get(player, info["action"])
    assert formatted.ended == bare.ended


def test_a_refusal_of_a_format_is_one_of_the_games_tries() -> None:
    driver = wrap_players(make("KuhnPoker-v0"), {"player_0": [wrappers.ReAct]})
    driver.reset(seed=0, options={"task": 0})
    player = driver.to_act[0]
    while player != "player_0":
        driver.step({player: driver.expert_action(player)})
        player = driver.to_act[0]
    for number in (1, 2):
        driver.step({"player_0": "bet"} if number == 1 else {})
        result = driver.result("player_0")
        reason = 'There is no "Action:" in the reply' if number == 1 else "The reply is empty"
        assert result.info["error"].startswith(reason)
        assert (result.info["action_valid"], result.info["format_valid"]) == (False, False)
        assert f"* Refused: {result.info['error']}\n* That was try {number} of 3." in result.observation
        assert driver.to_act == ["player_0"]
    driver.step({"player_0": "Action: fly"})
    result = driver.result("player_0")
    assert (result.info["action_valid"], result.info["format_valid"], result.info["action"]) == (False, True, "fly")
    assert "That was try 3 of 3; 'pass' is played for you." in result.observation


def test_in_a_simultaneous_game_a_refusal_becomes_the_default() -> None:
    driver = wrap_players(make("Commons-v1"), {"player_1": [wrappers.JsonReply, wrappers.History]})
    driver.reset(seed=0)
    driver.step({player: driver.expert_action(player) for player in driver.to_act if player != "player_1"})
    result = driver.result("player_1")
    assert "* Refused: The reply is empty. Reply with one JSON object" in result.observation
    assert "counts as your action." in result.observation
    assert [driver.result(player).info["action_valid"] for player in driver.players].count(False) == 1


def test_memory_is_carried_out_and_costs_a_try() -> None:
    driver = wrap_players(make("KuhnPoker-v0"), {"player_0": [wrappers.MemoryTools, wrappers.ReAct]})
    driver.reset(seed=1)
    while driver.to_act != ["player_0"]:
        driver.step({player: driver.expert_action(player) for player in driver.to_act})
    driver.step({"player_0": "Action: memory add player_1 bluffs"})
    result = driver.result("player_0")
    assert result.observation.startswith("Note 1 is written.\n* That was try 1 of 3.\n")
    assert (result.info["memory"], result.info["action_valid"], result.info["error"]) == (["player_1 bluffs"], True, "")
    assert driver.to_act == ["player_0"]
    assert "memory add <text>" in driver.told("line", "player_0")
    assert "memory" not in driver.told("line", "player_1")


def test_a_history_holds_what_the_player_saw_when_it_acted() -> None:
    driver = wrap_players(make("KuhnPoker-v0"), {"player_0": [wrappers.History], "player_1": [wrappers.History]})
    plain = drive(make("KuhnPoker-v0"))
    driver.reset(seed=3)
    plain.reset(seed=3)
    shown: dict[str, list[str]] = {player: [] for player in plain.players}
    said: dict[str, list[str]] = {player: [] for player in plain.players}
    while not plain.ended:
        [player] = plain.to_act
        shown[player].append(plain.result(player).observation)
        turns = [
            f"Turn {at}\n> {one}\n{text}"
            for at, (one, text) in enumerate(zip(said[player], shown[player][1:], strict=True), 1)
        ]
        assert driver.result(player).observation == "\n\n".join([shown[player][0], *turns])
        said[player].append(plain.expert_action(player))
        plain.step({player: said[player][-1]})
        driver.step({player: said[player][-1]})
        for other in plain.players:  # looking while others act leaves no trace
            driver.result(other)


@pytest.mark.parametrize("seed", range(60))
def test_random_wrappers_around_every_player(seed: int) -> None:
    """Equal drivers, snapshots, forks and other processes' copies go on alike, whoever looks in between."""
    rng = np.random.default_rng([seed, 31])
    name = GAMES[seed % len(GAMES)]
    game = make(name)
    formats = {player: fitting(game, player, rng) for player in game.possible_agents if rng.random() < 0.8}
    driver, again = wrap_players(game, formats), wrap_players(make(name), formats)
    driver.reset(seed=seed)
    again.reset(seed=seed)
    assert seen(driver) == seen(again)
    kinds = {
        player: {key: type(value) for key, value in driver.result(player).info.items()} for player in driver.players
    }
    begun, first = play(driver, int(rng.integers(8)), rng)
    for actions in begun:  # nobody looks here
        again.step(actions)
    assert again.state_key() == driver.state_key()
    assert again.snapshot().digest() == driver.snapshot().digest()
    saved, twin, key = pickle.loads(pickle.dumps(driver.snapshot())), driver.fork(), driver.state_key()
    assert seen(twin) == seen(driver)
    said, lines = play(driver, 10, rng)
    for player in driver.players:
        result = driver.result(player)
        assert driver.observation_space(player).contains(result.observation)
        assert {key: type(value) for key, value in result.info.items()} == kinds[player]
        assert result.info["action_valid"] == (result.info["error"] == "")
    for other in (again, twin):
        assert follow(other, said) == lines
    driver.restore(saved)
    assert driver.state_key() == key
    assert driver.snapshot().digest() == saved.digest()
    assert follow(driver, said) == lines
    fresh = wrap_players(make(name), formats)
    fresh.reset(seed=99)
    fresh.restore(saved)
    assert follow(fresh, said) == lines
    driver.reset(seed=seed)
    assert follow(driver, begun) == first


@pytest.mark.parametrize("name", GAMES)
def test_prompts_and_questions_are_in_the_players_words(name: str) -> None:
    game = make(name)
    player, other = game.possible_agents[:2]
    driver = wrap_players(game, {player: [wrappers.AdmissibleInText, partial(wrappers.Tags, action="answer")]})
    driver.reset(seed=0)
    for _ in range(30):
        if player in driver.to_act:
            break
        driver.step({each: driver.expert_action(each) for each in driver.to_act})
    rng = np.random.default_rng(0)
    assert "<answer>" in driver.told("line", player)
    assert "<answer>" not in driver.told("line", other)
    for example in driver.told("examples", player):
        assert example in driver.told("manual", player)
        assert isinstance(driver.ask("parse", player, example), Call)
    asked = [
        driver.sample_action(player, rng),
        driver.expert_action(player),
        *(driver.admissible_actions(player) or []),
    ]
    asked += [driver.opponent_action(player, level, rng) for level in game.opponents]
    for reply in asked:
        assert reply.startswith("<think>")
        assert isinstance(driver.ask("parse", player, reply), Call)
    assert driver.told("role", player) == game.role(player)
    assert driver.told("tools", player) == game.tools
    assert "\nPossible actions: " in driver.result(player).observation
    for waiting in set(driver.players) - set(driver.to_act):
        assert driver.admissible_actions(waiting) == []


def test_waiting_players_are_not_asked() -> None:
    """Hints and lists name what can be done only to the player whose turn it is."""
    both = [wrappers.Hints, wrappers.AdmissibleInText]
    driver = wrap_players(make("KuhnPoker-v0"), {"player_0": both, "player_1": both})
    driver.reset(seed=0, options={"hint_fraction": 1.0})
    while not driver.ended:
        [mover] = driver.to_act
        for player in driver.players:
            hint = driver.result(player).info["hint"]
            assert hint == (f"Hint: {drive(driver.world).expert_action(mover)}" if player == mover else "")
            assert ("Possible actions:" in driver.result(player).observation) == (player == mover)
        driver.step({mover: driver.expert_action(mover)})


@pytest.mark.parametrize(("kind", "arguments"), STEPPERS, ids=[kind for kind, _ in STEPPERS])
def test_what_steps_the_world_itself_refuses_games_in_one_line(kind: str, arguments: dict[str, Any]) -> None:
    wrap = partial(getattr(wrappers, kind), **arguments)
    with pytest.raises(ConfigError, match=f"^{kind} .* so it serves worlds of one player") as caught:
        wrap_players(make("KuhnPoker-v0"), {"player_0": [wrap]})
    assert "\n" not in str(caught.value)
    assert "AgentGym/KuhnPoker-v0" in str(caught.value)


def test_every_wrapper_either_serves_games_or_says_that_it_does_not() -> None:
    refuse = {kind for kind, arguments in STEPPERS if not getattr(wrappers, kind).serves_games}
    assert refuse | set(SERVE) == set(CHOICES)
    for kind in SERVE:
        assert getattr(wrappers, kind).step is wrappers.base.TextWrapper.step, f"{kind} steps the world itself"
        assert getattr(wrappers, kind).reset is wrappers.base.TextWrapper.reset


def test_wrong_wrappers_and_players_are_named() -> None:
    with pytest.raises(ConfigError, match="is no text wrapper; only those can stand around a player of a game"):
        wrap_players(make("KuhnPoker-v0"), {"player_0": [lambda env: TimeLimit(env, 5)]})
    with pytest.raises(ConfigError, match="is no text wrapper"):
        wrap_players(make("KuhnPoker-v0"), {"player_0": [lambda env: wrappers.ReAct(TimeLimit(env, 5))]})
    with pytest.raises(UnknownName, match="player_7"):
        wrap_players(make("KuhnPoker-v0"), {"player_7": [wrappers.ReAct]})
    with pytest.raises(ConfigError, match="use ReAct or Tags, not both"):
        wrap_players(make("KuhnPoker-v0"), {"player_0": [wrappers.ReAct, wrappers.Tags]})
    with pytest.raises(ConfigError, match="wrap_game wraps games"):
        wrap_game(make("FrozenLake-v0"), {})
    driver = wrap_players(make("KuhnPoker-v0"), {"player_0": [wrappers.ReAct], "player_1": [wrappers.ReAct]})
    driver.reset(seed=0)
    with pytest.raises(TypeError, match="an action is a string, got int"):
        driver.step(dict.fromkeys(driver.players, 3))  # type: ignore[arg-type]
    other = wrap_players(make("KuhnPoker-v0"), {"player_0": [wrappers.Tags], "player_1": [wrappers.ReAct]})
    other.reset(seed=0)
    with pytest.raises(SnapshotError, match="taken with the wrappers"):
        other.restore(driver.snapshot())
    with pytest.raises(SnapshotError, match="around the players"):
        wrap_players(make("KuhnPoker-v0"), {"player_0": [wrappers.Tags]}).restore(driver.snapshot())


def test_a_player_of_a_game_has_no_step_of_its_own() -> None:
    player: Any = wrappers.ReAct(GamePlayer(drive(make("KuhnPoker-v0")), "player_0"))
    for call in (player.reset, partial(player.step, "bet")):
        with pytest.raises(ConfigError, match="play the game through wrap_players or wrap_game"):
            call()


def test_a_world_for_one_player_is_wrapped_as_always() -> None:
    driver = wrap_players(make("FrozenLake-v0"), {"player_0": [wrappers.ReAct, partial(wrappers.History, turns=1)]})
    alone: Any = wrappers.History(wrappers.ReAct(make("FrozenLake-v0")), turns=1)
    driver.reset(seed=0)
    text, _ = alone.reset(seed=0)
    while not driver.ended:
        assert driver.result("player_0").observation == text
        reply = alone.expert_action()
        assert driver.expert_action("player_0") == reply
        driver.step({"player_0": reply})
        text, *_ = alone.step(reply)


def test_pettingzoo_finds_nothing_wrong_with_wrapped_games() -> None:
    with warnings.catch_warnings(record=True) as doubts:
        warnings.simplefilter("always")
        poker = wrap_game(make("KuhnPoker-v0"), {"player_0": [wrappers.ReAct], "player_1": [wrappers.ChoiceByNumber]})
        api_test(poker, num_cycles=60)  # type: ignore[arg-type]
        commons = wrap_game(make("Commons-v1"), {"player_0": [wrappers.Fenced, wrappers.History]})
        parallel_api_test(commons, num_cycles=60)  # type: ignore[arg-type]
    of_text = ("is not a NumPy array", "probably should be gymnasium.spaces.box", "different observation space sizes")
    said = {str(each.message) for each in doubts}
    assert [text for text in said if not any(known in text for known in of_text)] == [], "spaces are of text, no more"


@pytest.mark.parametrize("name", GAMES)
def test_wrapped_games_speak_as_their_drivers_do(name: str) -> None:
    """The game with PettingZoo's interface and the driver show and read the same."""
    formats = {
        player: [wrappers.ReAct, wrappers.History] if number % 2 else [wrappers.MemoryTools, wrappers.JsonReply]
        for number, player in enumerate(make(name).possible_agents[:3])
    }
    driver, game = wrap_players(make(name), formats), wrap_game(make(name), formats)
    driver.reset(seed=5)
    game.reset(seed=5)
    rng = np.random.default_rng(5)
    for _ in range(25):
        if driver.ended:
            break
        for player in driver.to_act:
            assert game.observation_space(player).contains(game.observe(player) if name != GAMES[2] else {"text": ""})
            assert game.told("line", player) == driver.told("line", player)
            assert game.ask("expert_action", player) == driver.expert_action(player)
        said = replies(driver, rng)
        if name == GAMES[2]:
            driver.step(said)
            observations, rewards, *_, infos = game.step(said)  # type: ignore[call-arg, misc]
            texts = {player: text["text"] for player, text in observations.items()}
        else:
            [player] = driver.to_act
            driver.step(said)
            game.step(said.get(player, ""))  # type: ignore[arg-type]
            texts = {each: game.observe(each)["text"] for each in game.agents}
            rewards, infos = game.rewards, game.infos
        for player, text in texts.items():
            result = driver.result(player)
            assert (text, rewards[player], infos[player]) == (result.observation, result.reward, result.info)


def advance(game: Any, rng: np.random.Generator, turns: int) -> list[Any]:
    """What everybody is shown in some turns of a game with PettingZoo's interface, which experts and noise play."""
    told: list[Any] = []
    for _ in range(turns):
        if not game.agents:
            break
        said = {
            player: NOISE[3] if rng.random() < 0.2 else game.ask("expert_action", player)
            for player in game.unwrapped.to_act
        }
        if hasattr(game, "agent_selection"):
            game.step(said.get(game.agent_selection))
            told.append([game.observe(player) for player in game.agents])
        else:
            told.append(game.step(said)[0])
        told.append([dict(game.rewards), dict(game.infos)])
    return told


@pytest.mark.parametrize("name", GAMES)
def test_snapshots_of_wrapped_games_hold_the_players_wrappers(name: str) -> None:
    formats = {
        player: [wrappers.MemoryTools, wrappers.ReAct, wrappers.History] if number % 2 else [wrappers.ChoiceByNumber]
        for number, player in enumerate(make(name).possible_agents[:3])
        if number % 2 or name != GAMES[1]
    }
    game = wrap_game(make(name), formats)
    game.reset(seed=2)
    advance(game, np.random.default_rng(0), 3)
    saved, key = agentgym.snapshot(game), game.state_key()
    assert saved.wrappers
    assert agentgym.snapshot(game).digest() == saved.digest()
    twin, other = agentgym.fork(game), game.fork()
    assert type(twin) is type(other) is type(game)
    here = advance(game, np.random.default_rng(1), 4)
    assert game.state_key() != key
    for copied in (twin, other):
        assert copied.state_key() == key
        assert advance(copied, np.random.default_rng(1), 4) == here
    agentgym.restore(game, pickle.loads(pickle.dumps(saved)))
    assert game.state_key() == key
    assert advance(game, np.random.default_rng(1), 4) == here
    fresh = wrap_game(make(name), formats)
    fresh.reset(seed=7)
    fresh.restore(saved)
    assert advance(fresh, np.random.default_rng(1), 4) == here


def test_a_snapshot_of_a_wrapped_game_fits_no_other_wrappers() -> None:
    game = wrap_game(make("TicTacToe-v0"), {"player_0": [wrappers.History]})
    game.reset(seed=0)
    saved = agentgym.snapshot(game)
    bare = make("TicTacToe-v0")
    bare.reset(seed=0)
    with pytest.raises(SnapshotError, match="taken inside the wrappers"):
        agentgym.restore(bare, saved)
    with pytest.raises(SnapshotError, match="taken inside the wrappers"):
        agentgym.restore(game, agentgym.snapshot(bare))
    other = wrap_game(make("TicTacToe-v0"), {"player_1": [wrappers.History]})
    other.reset(seed=0)
    with pytest.raises(SnapshotError, match="around the players"):
        other.restore(saved)
    another = wrap_game(make("TicTacToe-v0"), {"player_0": [wrappers.ReAct]})
    another.reset(seed=0)
    with pytest.raises(SnapshotError, match="of player_0, not"):
        another.restore(saved)


def test_wrappers_of_pettingzoo_are_kept_in_copies() -> None:
    game: Any = OrderEnforcingWrapper(make("TicTacToe-v0"))
    game.reset(seed=0)
    twin = agentgym.fork(game)
    assert type(twin) is OrderEnforcingWrapper
    assert twin.env is not game.env
    saved = agentgym.snapshot(game)
    game.step(game.admissible_actions(game.agent_selection)[0])
    before = twin.observe(twin.agent_selection)
    agentgym.restore(game, saved)
    assert game.observe(game.agent_selection) == before
