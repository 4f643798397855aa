"""Two renderings of a turn: what a policy was asked, and what it is learned under."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agentgym.core import ConfigError
from agentgym.rollout import Branching, EnvPool, EpisodeSpec, Role, SingleTurn, collect
from agentgym.rollout.conversation import without_hint
from agentgym.rollout.wrapping import named_wrapper
from tests.rollout.players import END, Scripted, echo
from tests.rollout.worlds import ID, TURNS

SPECS = [EpisodeSpec(place, place, place, (1, place)) for place in range(3)]


def read_of(episode: Any) -> str:
    """What stands in the segments of an episode, given tokens and said ones."""
    return "|".join("".join(map(chr, segment.token_ids)).replace(chr(END), ".") for segment in episode.segments)


@pytest.mark.parametrize("context", [None, SingleTurn()])
def test_what_is_learned_is_what_an_unaided_policy_would_have_read(context: Any) -> None:
    def heard(prompt: str, rng: np.random.Generator) -> str:
        return echo(prompt.replace("trust what you see\n", ""), rng)

    policy = Scripted(heard)
    if context is not None:
        policy.prompt = type(policy.prompt)(context=context)
    helped = collect(EnvPool(ID), Role(policy, guidance="trust what you see", plain=True), SPECS)
    assert all("trust what you see" in read for read in policy.read[:3])
    bare = collect(EnvPool(ID), Role(policy), SPECS)
    asked = collect(EnvPool(ID), Role(policy, guidance="trust what you see"), SPECS)
    for one, other, third in zip(helped, bare, asked, strict=True):
        assert read_of(one) == read_of(other)
        assert "trust" in read_of(third)
        assert [turn.action for turn in one.turns] == [turn.action for turn in other.turns]
        assert [turn.off_policy for turn in one.turns] == [True] * TURNS
        assert not any(turn.off_policy for each in (other, third) for turn in each.turns)
        assert one.new_segments == other.new_segments
        assert [segment.sampled_mask for segment in one.segments] == [each.sampled_mask for each in other.segments]


def test_hints_are_left_out_of_what_is_learned_and_turns_that_saw_one_are_marked() -> None:
    policy = Scripted(lambda prompt, rng: "red")
    wrap = (named_wrapper({"name": "Hints", "fraction": 0.5}),)
    pool = EnvPool(ID, wrappers=wrap)
    (helped,) = collect(pool, Role(policy, plain=True), SPECS[:1])
    hinted = ["Hint" in turn.observation for turn in helped.turns]
    assert hinted == [False, True, False]
    assert [turn.off_policy for turn in helped.turns] == [False, True, True]  # the last one still remembers the hint
    assert "Hint" not in read_of(helped)
    (asked,) = collect(pool, Role(policy), SPECS[:1])
    assert "Hint" in read_of(asked)


def test_a_hint_is_taken_out_at_the_end_alone() -> None:
    assert without_hint("a\nHint: b", {"hint": "Hint: b"}) == "a"
    assert without_hint("Hint: b\na", {"hint": "Hint: b"}) == "Hint: b\na"
    assert without_hint("a\n", {"hint": ""}) == "a\n"


def test_who_is_not_learned_from_or_branches_has_one_rendering() -> None:
    with pytest.raises(ConfigError, match="not learned from"):
        Role(Scripted(echo), trainable=False, plain=True)
    group = [EpisodeSpec(0, 0, 0, (1, place)) for place in range(2)]
    with pytest.raises(ConfigError, match="Branching copies conversations"):
        collect(EnvPool(ID), Role(Scripted(echo), plain=True), group, strategy=Branching(every=1))


def test_reset_options_reach_the_wrapper_and_are_equal_in_a_group() -> None:
    pool = EnvPool(ID, wrappers=(named_wrapper({"name": "Hints", "fraction": 0.0}),))
    role = Role(Scripted(lambda prompt, rng: "red"))
    specs = [EpisodeSpec(0, 0, group, (1, group), {"hint_fraction": share}) for group, share in ((0, 1.0), (1, 0.0))]
    all_of, none_of = collect(pool, role, specs)
    assert ["Hint" in turn.observation for turn in all_of.turns] == [True] * TURNS
    assert ["Hint" in turn.observation for turn in none_of.turns] == [False] * TURNS
    with pytest.raises(Exception, match="a group begins in one way"):
        collect(pool, role, [EpisodeSpec(0, 0, 0, (1, k), {"hint_fraction": k}) for k in range(2)])
