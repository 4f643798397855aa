"""Examples as turns, and on record."""

from __future__ import annotations

import json

from agentgym.agents.shots import Shot, encode_shots, shots_from_record, shots_record

ONE, TWO = Shot(("a", "b", "won"), ("x", "y")), Shot(("c", "lost"), ("z",))


def test_examples_are_turns_and_the_last_words_lead_to_the_task() -> None:
    turns, words = encode_shots([ONE, TWO])
    assert turns == [
        ("[Example 1 of 2]\na", "x"),
        ("b", "y"),
        ("won\n\n[Example 2 of 2]\nc", "z"),
    ]
    assert words == "lost\n\n[Your task]\n"
    assert encode_shots([TWO]) == ([("[Example]\nc", "z")], "lost\n\n[Your task]\n")
    assert encode_shots([]) == ([], "")


def test_they_come_back_from_a_record() -> None:
    shots = {"player_0": (ONE, TWO), "player_1": ()}
    assert shots_from_record(json.loads(json.dumps(shots_record(shots)))) == shots
