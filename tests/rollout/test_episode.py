"""Segments grow by what was read and said, and the mask is born with the tokens."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.rollout import Episode, Parent, Segment, Span, Turn

pieces = st.lists(st.tuples(st.booleans(), st.lists(st.integers(0, 99), max_size=5)), max_size=8)


@given(pieces)
def test_the_mask_is_one_exactly_on_what_was_said(parts: list[tuple[bool, list[int]]]) -> None:
    segment, expected = Segment(), []
    for turn, (said, ids) in enumerate(parts):
        if said:
            segment.say(turn, ids, [-1.0] * len(ids))
        else:
            segment.read(ids)
        expected += [(token, int(said)) for token in ids]
    assert list(zip(segment.token_ids, segment.sampled_mask, strict=True)) == expected
    assert segment.loss_weight == [float(mask) for mask in segment.sampled_mask]
    assert segment.logprobs == [-float(mask) for mask in segment.sampled_mask]
    inside = {place for span in segment.spans for place in range(span.start, span.end)}
    assert inside == {place for place, mask in enumerate(segment.sampled_mask) if mask}


def test_a_teacher_has_no_logprobs_and_does_not_mix_with_a_policy() -> None:
    teacher = Segment(logprobs=None)
    teacher.read([1, 2])
    teacher.say(0, [3], None)
    assert teacher.logprobs is None
    assert teacher.spans == [Span(0, 2, 3)]
    with pytest.raises(ValueError, match="one player"):
        teacher.say(1, [4], [-1.0])
    with pytest.raises(ValueError, match="one player"):
        Segment().say(0, [4], None)


def test_every_said_token_needs_a_logprob() -> None:
    with pytest.raises(ValueError, match="2 tokens were said with 1"):
        Segment().say(0, [1, 2], [-1.0])


def test_the_record_is_json_and_holds_the_words() -> None:
    turns = [Turn("see", "go", 0.25, True), Turn("see more", "stop", 0.5, False, "terminated", 3)]
    episode = Episode("9", "train", 1, 0, turns, stop="terminated", success=True, final="end")
    record = json.loads(json.dumps(episode.record()))
    assert record["score"] == 0.75
    assert record["turns"][1] == {
        "observation": "see more", "action": "stop", "reward": 0.5, "valid": False, "stop": "terminated", "version": 3,
    }  # fmt: skip
    assert "segments" not in record


def test_a_record_says_what_was_set_and_the_bonus_is_no_score() -> None:
    turn = Turn("see", "go", 0.5, True, state_key="k", entropy=0.0, off_policy=True, marks={"action": (0, 2)})
    episode = Episode("9", "train", 1, 0, [turn], stop="truncated", parent=Parent(3, 1, "branch"), number=4, bonus=-0.2)
    record = json.loads(json.dumps(episode.record()))
    assert record["turns"][0]["state_key"] == "k"
    assert record["turns"][0]["entropy"] == 0.0
    assert record["turns"][0]["off_policy"] is True
    assert record["parent"] == {"episode": 3, "turn": 1, "kind": "branch"}
    assert (record["number"], record["bonus"]) == (4, -0.2)
    assert "role" not in record
    assert (episode.total_return, episode.learned_return) == (0.5, pytest.approx(0.3))


def test_copies_share_nothing_that_changes() -> None:
    segment = Segment()
    segment.read([1])
    segment.say(0, [2], [-0.5])
    twin = segment.copy()
    twin.say(1, [3], [-0.5])
    assert (len(segment), len(twin), len(segment.spans)) == (2, 3, 1)
    turn = Turn("see", "go", 0.5, True, annotations={"a": 1.0})
    turn.copy().annotations["a"] = 2.0
    assert turn.annotations == {"a": 1.0}
