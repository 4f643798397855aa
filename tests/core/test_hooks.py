"""A world implements hooks; a name that the core uses otherwise must not mean two things, nor a constructor be new."""

from __future__ import annotations

import importlib
from dataclasses import replace

import pytest

from agentgym.core import LanguageEnv, MissingExtra, Outcome, catalog
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
