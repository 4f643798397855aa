"""The pages of suites say what their files say."""

from __future__ import annotations

from agentgym.envs import CARDS
from agentgym.evaluate.suites import Suite, SuiteWorld, suite_names
from docs import suites


def test_every_suite_has_a_page_with_its_worlds_and_its_command() -> None:
    shipped = suites.shipped()
    assert [suite.name for suite in shipped] == suite_names()
    for suite in shipped:
        text = suites.page(suite, CARDS)
        assert f"agentgym eval --suite {suite.name} " in text
        assert text.count("](../worlds/") == len(suite.worlds)
        assert all(reason in text for reason in suite.left_out.values())
    assert suites.listed(shipped).count("](suites/") == len(shipped)


def test_a_page_says_what_will_be_played() -> None:
    (card,) = [card for card in CARDS if card.name == "FrozenLake-v0"]
    world = SuiteWorld(f"agentgym:{card.id}", "games", "val", 10**9, {"slippery": False})
    text = suites.page(Suite("mine", "One.", (world,)), [])
    assert f"| FrozenLake | Games | `val` | {card.splits['val']:,} | `slippery=False` |" in text
    assert "](../worlds/" not in text, "a world without a page is named, not linked"
