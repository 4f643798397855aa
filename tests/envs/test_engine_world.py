"""What engine worlds share, on an engine of a few lines: replay, gold paths, names and values that users choose."""

from __future__ import annotations

import pytest

from agentgym.core import ConfigError, TaskError, UnknownName
from agentgym.envs._kit.engine_pool import EnginePool
from agentgym.envs._kit.engine_world import EngineEnv, EngineEpisode, check_spelling, chosen_names

GOLD = ["left", "left", "right"]


class Track:
    """A world: a number that goes up and down."""

    alive = True

    def begin(self, start):
        self.place = start

    def step(self, action):
        self.place += {"left": -1, "right": 1}.get(action, 0)
        return self.place


class Walk(EngineEpisode):
    @property
    def pool(self):
        return POOL

    def load(self, world):
        world.begin(*self.spec)

    def gold(self):
        return list(GOLD)


POOL = EnginePool(Track, 1)


def walking(*played):
    """An environment at the end of a walk; of the base class only what needs no task."""
    env = object.__new__(EngineEnv)
    env._start_episode(Walk(5))
    with env._episode.world(begin=True) as world:
        env._episode.load(world)
    for action in played:
        env._episode.step(action)
    return env


def test_an_episode_whose_world_was_taken_is_played_again():
    one, two = Walk(5), Walk(50)
    for walk in (one, two):
        with walk.world(begin=True) as world:
            walk.load(world)
    assert [one.step("left"), two.step("right"), one.step("left"), two.step("right")] == [4, 51, 3, 52]
    assert (one.played, two.played) == (["left", "left"], ["right", "right"])
    assert len(POOL) == 1


@pytest.mark.parametrize(
    ("played", "following"),
    [
        ([], "left"),
        (["left"], "left"),
        (["look", "left", "look"], "left"),
        (["left", "right", "left"], "right"),
        (GOLD, ""),
        ([*GOLD, "left"], ""),
    ],
)
def test_the_oracle_goes_on_where_the_gold_path_was_left(played, following):
    env = walking(*played)
    assert env._next_of_gold() == following
    assert env._key_state() == list(played)
    assert env._reference() == GOLD
    assert env._reference() is not env._gold_path()


def test_a_new_episode_forgets_the_gold_path_of_the_last():
    env = walking()
    env._gold_path().append("more")
    env._start_episode(Walk(6))
    assert env._gold_path() == GOLD


def test_names_are_chosen_in_the_order_of_all():
    assert chosen_names("games", "coin", "game of X", ["twc", "coin"]) == ("coin",)
    assert chosen_names("games", iter(["coin", "twc", "1"]), "game of X", ["twc", "coin"], {"1": "twc"}) == (
        "twc",
        "coin",
    )
    with pytest.raises(UnknownName, match="unknown game of X 'coins'; did you mean 'coin'"):
        chosen_names("games", ["coins"], "game of X", ["twc", "coin"])
    with pytest.raises(ConfigError, match="games must name at least one game, got none"):
        chosen_names("games", [], "game of X", ["twc", "coin"])


def test_values_of_a_specification_are_written_as_the_option_writes_them():
    check_spelling("params", "a=1", lambda: "a=1")
    with pytest.raises(TaskError, match="params must be written as 'a=1', got 'a=01'"):
        check_spelling("params", "a=01", lambda: "a=1")

    def refuse():
        raise ConfigError("a must be a whole number")

    with pytest.raises(TaskError, match="a must be a whole number"):
        check_spelling("params", "a=x", refuse)
