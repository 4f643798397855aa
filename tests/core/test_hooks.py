"""A world implements hooks; a name that the core uses otherwise must not mean two things, nor a constructor be new."""

from __future__ import annotations

import importlib
from dataclasses import replace

import pytest

from agentgym.core import (
    AgentGymError,
    ConfigError,
    JointOutcome,
    LanguageEnv,
    MissingExtra,
    Outcome,
    UnknownName,
    catalog,
)
from agentgym.core.hooks import clashes
from agentgym.envs.multiagent.tic_tac_toe import TicTacToe
from tests.core.worlds import Count

CARDS = catalog()
CHOOSING = {"TexasHoldem"}  # makes one of two worlds; a world has `config` and `_configured`, no constructor


@pytest.mark.parametrize("name", sorted(CARDS))
def test_no_world_overrides_anything_but_a_hook(name: str) -> None:
    module, _, entry = CARDS[name].entry_point.partition(":")
    try:
        world = getattr(importlib.import_module(module), entry)
    except MissingExtra as error:
        pytest.skip(str(error))
    assert clashes(world) == []
    own = [each for each in world.__mro__ if each.__module__.startswith("agentgym.envs.")]
    assert [each.__name__ for each in own if "__init__" in vars(each)] == []
    assert {each.__name__ for each in own if "__new__" in vars(each)} <= CHOOSING


def test_overridden_rules_and_assigned_names_are_found() -> None:
    class Clashing(Count):
        """Overrides a rule and takes a name of the core for itself."""

        def _settle(self, outcome: Outcome) -> None:
            self._turn = 3

        def _view(self) -> str:
            self.own = 1
            return ""

    class Refusing(Count):
        """Refuses in its own way instead of by the hooks."""

        def refuse(self, reason: str) -> Outcome:
            return Outcome(reason, valid=False, error=reason)

    assert clashes(Refusing) == ["Refusing.refuse"]
    assert clashes(Clashing) == ["Clashing._settle", "Clashing._turn"]
    assert clashes(Count) == []
    assert clashes(LanguageEnv) == []


@pytest.mark.parametrize(
    ("hook", "answer", "said"),
    [
        ("_step", None, "_step must return a JointOutcome, got NoneType"),
        ("_step", Outcome("text"), "_step must return a JointOutcome, got Outcome"),
        ("_step", JointOutcome({"player_2": 1.0}), "unknown player of .* in what _step returned 'player_2'"),
        ("_step", JointOutcome(over=True, winners=["player_9"]), "unknown player of .* returned 'player_9'"),
        ("_to_move", 0, r"_to_move must name a player still in \(player_0, player_1\), got 0"),
    ],
)
def test_what_a_game_cannot_mean_is_told_in_one_line(hook: str, answer: object, said: str) -> None:
    game = type("Wrong", (TicTacToe,), {hook: lambda *_: answer})()

    def play() -> None:
        game.reset(seed=0)
        game.step("place 5")

    with pytest.raises(AgentGymError, match=said) as caught:
        play()
    assert "\n" not in str(caught.value)


def test_a_step_without_an_outcome_and_a_card_of_another_interface_are_told() -> None:
    silent = type("Silent", (Count,), {"_step": lambda *_: None})()
    silent.reset(seed=0)
    with pytest.raises(AgentGymError, match="_step must return an Outcome, got NoneType"):
        silent.step("add 2")
    with pytest.raises(ConfigError, match=r"Odd is a game with api='aec'; its card .* says 'parallel'"):
        type("Odd", (TicTacToe,), {"card": replace(TicTacToe.card, api="parallel")})
    with pytest.raises(UnknownName, match=r"unknown api of .* 'sequential'"):
        replace(TicTacToe.card, api="sequential")


def test_refusals_have_a_price_words_and_the_metrics_as_they_stand() -> None:
    class Priced(Count):
        """Answers every refusal in words of its own, at a price, and measures its total."""

        card = replace(Count.card, metrics={"total": "the sum so far"})

        def _metrics(self) -> dict[str, float]:
            return {"total": float(self._state.total)}

        def _refusal(self, reason: str) -> str:
            return f"No: {reason}"

        def _refusal_reward(self) -> float:
            return -0.25

    assert clashes(Priced) == []
    env = Priced()
    assert env.reset(seed=0)[1]["metrics"] == {"total": 0.0}
    taken = env.step("add 2")[-1]
    text, reward, _, _, info = env.step("nonsense")
    assert taken["metrics"] == info["metrics"] == {"total": 2.0}
    assert text == f"No: {info['error']}"
    assert (reward, info["action_valid"]) == (-0.25, False)


def test_a_world_is_asked_once_to_make_what_depends_on_its_config_alone() -> None:
    seen = []

    class Ready(Count):
        """Notes what stands when it is asked."""

        def _configured(self) -> None:
            seen.append((self.config, self.possible_agents, self.max_turns, self.task_schema))

    class ReadyGame(TicTacToe):
        """The same of a game."""

        def _configured(self) -> None:
            seen.append((self.config, self.possible_agents, self.max_turns, self.state_space.max_length))

    world, game = Ready(max_turns=3), ReadyGame(max_cycles=2)
    assert seen == [
        (world.config, ["player_0"], 3, world.task_schema),
        (game.config, ["player_0", "player_1"], 4, 2 * game.observation_length),
    ]
    assert clashes(Ready) == clashes(ReadyGame) == []
