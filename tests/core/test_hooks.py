"""A world implements hooks; a name that the core uses otherwise must not mean two things."""

from __future__ import annotations

import importlib

import pytest

from agentgym.core import LanguageEnv, MissingExtra, Outcome, catalog
from agentgym.core.hooks import clashes
from tests.core.worlds import Count

CARDS = catalog()


@pytest.mark.parametrize("name", sorted(CARDS))
def test_no_world_overrides_anything_but_a_hook(name: str) -> None:
    module, _, entry = CARDS[name].entry_point.partition(":")
    try:
        world = getattr(importlib.import_module(module), entry)
    except MissingExtra as error:
        pytest.skip(str(error))
    assert clashes(world) == []


def test_overridden_rules_and_assigned_names_are_found() -> None:
    class Clashing(Count):
        """Overrides a rule and takes a name of the core for itself."""

        def _settle(self, outcome: Outcome) -> None:
            self._turn = 3

        def _view(self) -> str:
            self.own = 1
            return ""

    assert clashes(Clashing) == ["Clashing._settle", "Clashing._turn"]
    assert clashes(Count) == []
    assert clashes(LanguageEnv) == []
