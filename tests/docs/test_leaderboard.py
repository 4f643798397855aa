"""The leaderboard's table is that of its record, its caps stand on the page, and what is missing is found."""

from __future__ import annotations

from pathlib import Path

from agentgym.envs import CARDS
from docs import leaderboard
from docs.worlds import title

PAGE = Path(leaderboard.__file__).with_name("leaderboard.md")


def test_every_world_has_a_row_and_every_figure_is_that_of_the_record() -> None:
    text, record = leaderboard.board(CARDS), leaderboard.read()
    assert text.count("](worlds/") == len(CARDS)
    played = dict.fromkeys(leaderboard.SHOTS, 0)
    for name, found in record["worlds"].items():
        (card,) = [card for card in CARDS if card.name == name]
        (row,) = [line for line in text.split("\n") if line.startswith(f"| [{title(card)}](")]
        for asked, entry in found.items():
            assert asked in leaderboard.SHOTS
            if "reason" in entry:
                assert f"{title(card)}, {asked}: " in text
                continue
            played[asked] += 1
            assert 1 <= entry["scored"] <= entry["episodes"] <= leaderboard.CAPS["episodes"]
            assert 0 <= entry["success"] <= 1
            assert f"{entry['success']:.2f}, progress {entry['progress']:.2f}" in row
    for asked, count in played.items():
        assert f"{asked} in {count} of {len(CARDS)} worlds" in text


def test_the_page_says_the_caps() -> None:
    text = " ".join(PAGE.read_text(encoding="utf8").split())
    caps = leaderboard.CAPS
    assert f"{caps['episodes']} tasks of each world, {caps['turns']} turns each" in text
    assert f"{caps['answer_tokens']} tokens an answer, {caps['prompt_tokens']:,} tokens of prompt" in text
    assert leaderboard.COMMAND in text


def test_what_is_not_on_record_is_played_zero_shot_first() -> None:
    cards = [card for card in CARDS if card.name in ("FrozenLake-v0", "ALFWorld-v0")]
    record = {"worlds": {"FrozenLake-v0": {"zero-shot": {"reason": "x"}}}}
    assert [(asked, card.name) for asked, card in leaderboard.missing(record, cards)] == [
        ("zero-shot", "ALFWorld-v0"),
        ("one example", "FrozenLake-v0"),
        ("one example", "ALFWorld-v0"),
    ]
