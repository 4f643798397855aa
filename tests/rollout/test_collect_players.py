"""Each player of a game has an episode of its own, with what its own words earned it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pettingzoo
import pytest

from agentgym.agents import Prompt
from agentgym.core import ConfigError, TaskError, catalog, register
from agentgym.core.catalog import _CARDS
from agentgym.rollout import Branching, EnvPool, Episode, EpisodeSpec, Role, SingleTurn, collect
from tests.rollout.games import PENNIES, ROUNDS
from tests.rollout.players import Scripted

PLAYERS = ("player_0", "player_1")


@pytest.fixture(scope="module")
def pennies() -> Iterator[str]:
    register(PENNIES)
    yield PENNIES.id
    del _CARDS[PENNIES.id]
    assert PENNIES.id not in catalog()


def starts(count: int, first: int = 0) -> list[EpisodeSpec]:
    return [EpisodeSpec(place, place, place, (8, place)) for place in range(first, first + count)]


def cells(prompt: str, rng: np.random.Generator) -> str:
    """A free cell, as the board in the newest observation shows it; sometimes one that is taken."""
    return str(1 + int(rng.integers(9)))


def scripted(answer: Callable[[str, np.random.Generator], str] = cells) -> Scripted:
    return Scripted(answer, context_limit=10**6)


def test_players_take_turns_and_are_recorded_apart() -> None:
    world = EnvPool("TicTacToe-v0")
    done: list[int] = []
    episodes = collect(
        world, {player: Role(scripted()) for player in PLAYERS}, starts(5), on_episode=done.append, keys=True
    )
    assert sum(done) == 5
    assert [episode.player for episode in episodes] == ["player_0"] * 5 + ["player_1"] * 5
    assert [episode.number for episode in episodes] == list(range(10))
    assert [episode.group for episode in episodes] == list(range(5)) * 2
    for first, second in zip(episodes[:5], episodes[5:], strict=True):
        assert first.role == first.player
        assert first.total_return == -second.total_return
        assert first.success == (first.total_return == 1.0)
        assert {first.stop, second.stop} <= {"terminated", "truncated"}
        for episode in (first, second):
            (segment,) = episode.segments
            assert [span.turn for span in segment.spans] == list(range(len(episode.turns)))
            assert all(turn.state_key for turn in episode.turns)
            assert [turn.stop == "" for turn in episode.turns] == [True] * (len(episode.turns) - 1) + [False]
            assert episode.total_return == sum(turn.reward for turn in episode.turns)


def test_a_game_replays_from_its_players_words() -> None:
    """The world itself, told what the players said in turn, shows each player what its episode recorded."""
    world = EnvPool("TicTacToe-v0")
    episodes = collect(world, {player: Role(scripted()) for player in PLAYERS}, starts(4))
    env = pettingzoo.make("aec", "AgentGym/TicTacToe-v0")
    for number in range(4):
        mine = {player: iter(episodes[number + 4 * place].turns) for place, player in enumerate(PLAYERS)}
        env.reset(seed=number, options={"task": episodes[number].task_id})
        earned = dict.fromkeys(PLAYERS, 0.0)
        while not env.ended:
            player = env.agent_selection
            turn = next(mine[player])
            assert env.observe(player)["text"] == turn.observation
            env.step(turn.action)
            for other, reward in env.rewards.items():
                earned[other] += reward
            assert turn.valid == (env.infos[player]["action_valid"])
        assert all(next(rest, None) is None for rest in mine.values())
        assert [earned[player] for player in PLAYERS] == [
            episodes[number + 4 * place].total_return for place in range(2)
        ]


def test_scripts_play_the_other_players_with_dice_of_their_own() -> None:
    world = EnvPool("TicTacToe-v0")
    group = [EpisodeSpec(3, 3, 0, (2, member)) for member in range(12)]
    mover = {"player_0": Role(scripted(lambda prompt, rng: "1")), "player_1": "random"}
    episodes = collect(world, mover, group)
    assert {episode.player for episode in episodes} == {"player_0"}
    assert len({tuple(turn.observation for turn in episode.turns) for episode in episodes}) > 1
    assert collect(world, mover, group) == episodes
    strong = collect(world, {"player_0": "strong", "player_1": Role(scripted())}, starts(20))
    assert not any(sum(turn.reward for turn in episode.turns) > 0 for episode in strong)  # a draw is a success


def test_who_else_is_in_the_batch_changes_nothing() -> None:
    world = EnvPool("TicTacToe-v0")
    cast = {player: Role(scripted()) for player in PLAYERS}
    together = collect(world, cast, starts(6))
    assert [episode.turns for episode in collect(world, cast, starts(6), max_concurrent=2)] == [
        episode.turns for episode in together
    ]


def test_players_that_act_at_once_do_so(pennies: str) -> None:
    def flip(prompt: str, rng: np.random.Generator) -> str:
        return ("heads", "tails")[int(rng.integers(2))]

    one, two = scripted(flip), scripted(flip)
    episodes = collect(EnvPool(pennies), {"player_0": Role(one), "player_1": Role(two)}, starts(4))
    assert one.batches == two.batches == [4] * ROUNDS
    for first, second in zip(episodes[:4], episodes[4:], strict=True):
        equal = [a.action == b.action for a, b in zip(first.turns, second.turns, strict=True)]
        assert [turn.reward for turn in first.turns] == [1.0 if same else -1.0 for same in equal]
        assert first.success == (sum(equal) > ROUNDS / 2) != second.success
        assert first.stop == second.stop == "terminated"


def test_a_game_that_breaks_is_marked_for_every_player(pennies: str) -> None:
    world = EnvPool(pennies)
    cast = {"player_0": Role(scripted(lambda prompt, rng: "tails")), "player_1": "heads"}
    episodes = collect(world, cast, starts(3, first=4))
    assert [episode.stop for episode in episodes] == ["terminated", "failure", "terminated"]
    assert episodes[1].failure == "the table broke"
    assert len(episodes[1].turns) == 2


def test_frozen_players_contexts_and_full_contexts() -> None:
    world = EnvPool("TicTacToe-v0")
    cast = {
        "player_0": Role(scripted(), trainable=False),
        "player_1": Role(scripted(), prompt=Prompt(context=SingleTurn())),
    }
    episodes = collect(world, cast, starts(3))
    assert all(episode.segments == [] for episode in episodes[:3])
    assert all(len(episode.segments) == len(episode.turns) for episode in episodes[3:])
    small = Scripted(cells, context_limit=420)
    cut = collect(world, {"player_0": Role(small), "player_1": Role(scripted())}, starts(3))
    assert {episode.stop for episode in cut} == {"context"}
    assert all(len(episode.segments[0]) <= 420 for episode in cut[:3])


@pytest.mark.parametrize(
    ("cast", "complaint"),
    [
        ({"player_0": Role(scripted())}, "nobody plays player_1.*random, simple, strong"),
        ({"player_0": Role(scripted()), "player_1": "fierce"}, "no opponent 'fierce'"),
        ({"player_0": Role(scripted()), "player_1": "random", "player_2": "random"}, "no player 'player_2'"),
    ],
)
def test_casts_without_sense_are_refused(cast: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        collect(EnvPool("TicTacToe-v0"), cast, starts(1))


def test_one_policy_holds_every_place_and_scripts_alone_leave_nothing() -> None:
    world = EnvPool("TicTacToe-v0")
    assert [episode.player for episode in collect(world, scripted(), starts(2))] == [
        *["player_0"] * 2,
        *["player_1"] * 2,
    ]
    assert collect(world, dict.fromkeys(PLAYERS, "random"), starts(2)) == []


def test_mixed_groups_and_branches_are_refused() -> None:
    with pytest.raises(ConfigError, match="Branching is for environments of one player"):
        collect(EnvPool("TicTacToe-v0"), scripted(), starts(1), strategy=Branching(every=1))
    mixed: list[EpisodeSpec] = [EpisodeSpec(0, 0, 0, (1,)), EpisodeSpec(1, 0, 0, (2,))]
    with pytest.raises(TaskError, match="group 0"):
        collect(EnvPool("TicTacToe-v0"), {"player_0": Role(scripted()), "player_1": "random"}, mixed)


def test_records_name_the_player() -> None:
    (episode,) = collect(EnvPool("TicTacToe-v0"), {"player_0": Role(scripted()), "player_1": "random"}, starts(1))
    assert isinstance(episode, Episode)
    assert episode.record()["player"] == "player_0"


def test_players_at_once_of_one_policy_answer_in_one_batch(pennies: str) -> None:
    """What is said is what they say apart; one policy is asked once a round for all of them, whoever has left."""
    world = EnvPool(pennies)

    def side(prompt: str, rng: np.random.Generator) -> str:
        return "heads" if rng.random() < 0.5 else "tails"

    one = scripted(side)
    together = collect(world, {player: Role(one) for player in PLAYERS}, starts(7))
    apart = collect(world, {player: Role(scripted(side)) for player in PLAYERS}, starts(7))
    assert [[turn.action for turn in episode.turns] for episode in together] == [
        [turn.action for turn in episode.turns] for episode in apart
    ]
    assert [episode.total_return for episode in together] == [episode.total_return for episode in apart]
    assert [episode.stop for episode in together].count("failure") == 2, "task 5 breaks for both players"
    assert one.batches == [14, 14, 12], "both players of all episodes, of which one leaves in the second round"
