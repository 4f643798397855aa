"""Every world has a picture, also one that cannot be played here."""

from __future__ import annotations

from importlib.util import find_spec
from xml.etree import ElementTree

import pytest

from agentgym.core import card
from agentgym.ui.pictures import PNG, SVG, Pictures


def words(picture: bytes) -> str:
    return " ".join("".join(each.itertext()) for each in ElementTree.fromstring(picture))


def test_a_world_that_draws_is_drawn_and_another_told() -> None:
    pictures = Pictures()
    drawn = pictures.of(card("FrozenLake-v0"))
    assert drawn.kind == PNG
    assert drawn.file.startswith(b"\x89PNG")
    assert pictures.of(card("FrozenLake-v0")) is drawn, "once"
    told = pictures.of(card("KuhnPoker-v0"))
    assert told.kind == SVG
    assert "Play a match of Kuhn poker" in words(told.file)


def test_what_a_world_needs_stands_in_its_picture() -> None:
    assert "data of your own" in words(Pictures().of(card("Browser-v0")).file)
    if find_spec("nle") is None:
        assert "pip install" in words(Pictures().of(card("NetHack-v0")).file)


def test_no_browser_is_started_for_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTGYM_BROWSER", "/bin/false")
    shown = card("WikiNavBrowser-v0")
    assert shown.description.split()[0] in words(Pictures().of(shown).file)
