"""WebShop's rule baseline on the page texts of the benchmark."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentgym.agents.rule import ShopRule
from agentgym.evaluate import evaluate

GOAL = "i need a black shirt [long sleeve], and price lower than 50.00 dollars"
CLICKS = ["click[back to search]", "click[next >]"]
START = f"WebShop [SEP] Instruction: [SEP] {GOAL} [SEP] Search"
RESULTS = (
    f"Instruction: [SEP] {GOAL} [SEP] Back to Search [SEP] Page 1 (Total results: 50) [SEP] Next > "
    "[SEP] B09ZZZZZZZ [SEP] Shirt [SEP] $10.99 [SEP] B01AAAAAAA [SEP] Shoe [SEP] $16.05 to $40.98"
)
ITEM = f"Instruction: [SEP] {GOAL} [SEP] Back to Search [SEP] < Prev [SEP] Shirt [SEP] Price: $10.99 [SEP] Buy Now"


@pytest.mark.parametrize(
    ("page", "admissible", "action"),
    [
        (START, ["search[shirt]"], "search[i need a black shirt long sleeve and price lower than 50.00 dollars]"),
        (RESULTS, [*CLICKS, "click[b01aaaaaaa]", "click[b09zzzzzzz]"], "click[b09zzzzzzz]"),
        (ITEM, ["click[buy now]", "click[description]", "click[< prev]"], "click[buy now]"),
    ],
)
def test_search_then_the_first_result_then_buy(page: str, admissible: list[str], action: str) -> None:
    assert ShopRule().act(page, GOAL, admissible) == action


def test_products_that_are_not_shown_are_not_opened() -> None:
    assert ShopRule().act(START, GOAL, ["click[b01aaaaaaa]"]).startswith("search[")


@pytest.mark.parametrize("mode", ["text", "text_rich", "html"])
def test_in_the_shop_itself(tmp_path: Path, mode: str) -> None:
    """Three valid turns in every mode: search, the product listed first, buy."""
    options = {"observation_mode": mode}
    result = evaluate("WebShop-v1", "rule", split="train", episodes=5, workers=1, out=tmp_path, env_kwargs=options)
    assert result.summary.valid_actions == 1.0
    assert result.summary.score.value > 0
    for episode in result.episodes:
        search, click, buy = (turn.action for turn in episode.turns)
        first = re.search(r"\bB[0-9A-Z]{9}\b", episode.turns[1].observation)
        assert first is not None
        assert search.startswith("search[")
        assert click == f"click[{first[0].lower()}]"
        assert buy == "click[buy now]"
