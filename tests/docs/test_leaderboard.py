"""The leaderboard's table is that of its record, its caps stand on the page, and what is missing is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentgym.core import EnvCard
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
        assert f"{asked} in {count} of {len(CARDS)} environments" in text


def test_the_page_says_the_caps() -> None:
    text = " ".join(PAGE.read_text(encoding="utf8").split())
    caps = leaderboard.CAPS
    assert f"{caps['episodes']} tasks of each environment, {caps['turns']} turns each" in text
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


def test_the_command_goes_on_world_by_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut off in the middle of a world, it has written down those before, and plays that one and the rest."""
    asked: list[tuple[str, str]] = []
    cut_off_at = 2

    def measure(card: EnvCard, how: str, runs: Path) -> dict[str, Any]:
        asked.append((card.name, how))
        if len(asked) == cut_off_at:
            raise KeyboardInterrupt
        return {"reason": f"number {len(asked)}"}

    monkeypatch.setattr(leaderboard, "RECORD", tmp_path / "record.json")
    monkeypatch.setattr(leaderboard, "measure", measure)
    command = ["--worlds", "FrozenLake-v0,KuhnPoker-v0"]
    with pytest.raises(KeyboardInterrupt):
        leaderboard.main(command)
    assert leaderboard.read()["worlds"] == {"FrozenLake-v0": {"zero-shot": {"reason": "number 1"}}}
    cut_off_at = 0
    assert leaderboard.main(command) == 0
    assert asked == [
        ("FrozenLake-v0", "zero-shot"),
        ("KuhnPoker-v0", "zero-shot"),
        ("KuhnPoker-v0", "zero-shot"),
        ("FrozenLake-v0", "one example"),
        ("KuhnPoker-v0", "one example"),
    ]
    assert leaderboard.main(command) == 0
    assert len(asked) == 5, "nothing is left to play"
    assert leaderboard.main([*command[:-1], "LightsOut-v0", "--minutes", "0"]) == 1
    assert len(asked) == 5
    monkeypatch.setitem(leaderboard.CAPS, "turns", 11)
    assert leaderboard.read()["worlds"] == {}, "with other caps all is played anew"
