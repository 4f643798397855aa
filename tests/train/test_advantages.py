"""Every advantage recomputed by hand, told apart from its neighbours, and held to what must not change it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym.core import ConfigError
from agentgym.rollout import Episode
from agentgym.train.advantages import (
    GAE,
    GiGPOStep,
    GroupRelative,
    InvalidActionPenalty,
    RootRelative,
    StepRelative,
    WhitenedReturn,
)
from agentgym.train.batch import REFERENCE
from agentgym.train.interfaces import Advantage
from agentgym.train.tree_advantages import TreeRelative
from tests.train.making import by_turn, episode, random_episodes, values

# Two groups: the returns of the first are 1, 0, 0; those of the second 3, 3, 0.
RETURNS = [(1.0, 0), (0.0, 0), (0.0, 0), (3.0, 1), (3.0, 1), (0.0, 1)]


def two_groups() -> list[Episode]:
    return [episode([0.0, earned], group) for earned, group in RETURNS]


def plain_std(numbers: list[float]) -> float:
    mean = sum(numbers) / len(numbers)
    return math.sqrt(sum((number - mean) ** 2 for number in numbers) / len(numbers))


FIRST, SECOND = math.sqrt(2) / 3, math.sqrt(2)  # standard deviations of the two groups
BATCH_MEAN, BATCH_STD = 7 / 6, plain_std([earned for earned, _ in RETURNS])
BY_HAND: dict[str, tuple[Advantage, list[float]]] = {
    "reinforce": (GroupRelative(baseline="none", scale="none"), [1, 0, 0, 3, 3, 0]),
    "reinforce++": (
        WhitenedReturn(),
        [(earned - BATCH_MEAN) / BATCH_STD for earned, _ in RETURNS],
    ),
    "rloo": (GroupRelative(baseline="leave_one_out", scale="none"), [1, -0.5, -0.5, 1.5, 1.5, -3]),
    "grpo": (
        GroupRelative(),
        [2 / 3 / FIRST, -1 / 3 / FIRST, -1 / 3 / FIRST, 1 / SECOND, 1 / SECOND, -2 / SECOND],
    ),
    "dr_grpo": (GroupRelative(scale="none"), [2 / 3, -1 / 3, -1 / 3, 1, 1, -2]),
    "lite_ppo": (
        GroupRelative(scale="batch"),
        [difference / BATCH_STD for difference in (2 / 3, -1 / 3, -1 / 3, 1, 1, -2)],
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_group_estimators_by_hand(name: str) -> None:
    term, expected = BY_HAND[name]
    episodes = two_groups()
    credit = term(episodes)
    assert values(credit, episodes) == pytest.approx(expected)
    for place, made in enumerate(episodes):  # all tokens of all turns share it
        assert by_turn(credit, made, place) == [[pytest.approx(expected[place])] * 2] * 2


@pytest.mark.parametrize("name", BY_HAND)
@pytest.mark.parametrize("other", BY_HAND)
def test_no_two_group_estimators_agree(name: str, other: str) -> None:
    mine, its = (values(BY_HAND[each][0](two_groups()), two_groups()) for each in (name, other))
    assert (name == other) == np.allclose(mine, its)


def test_long_episodes_weigh_more_in_the_mean_of_reinforce_pp() -> None:
    """Returns 1 and 0 with 1 and 3 tokens: mean 1/4 over tokens, where a mean over episodes is 1/2."""
    short, long = episode([1.0], tokens=1), episode([0.0], tokens=3)
    credit = values(WhitenedReturn()([short, long]), [short, long])
    assert credit == pytest.approx([0.75 / math.sqrt(3 / 16), -0.25 / math.sqrt(3 / 16)])
    assert values(GroupRelative(baseline="batch", scale="batch")([short, long]), [short, long]) == [1, -1]


@pytest.mark.parametrize("split", [False, True])
def test_divergence_reaches_the_tokens_before_it(split: bool) -> None:
    """Only the last token of two turns diverges, by 2 nats: all four owe 0.5 * 2, the other episode owes nothing."""
    strayed, faithful = episode([0.0, 1.0], split=split), episode([0.0, 1.0], split=split)
    for one in (strayed, faithful):
        for segment in one.segments:
            assert segment.logprobs is not None
            segment.annotations[REFERENCE] = list(segment.logprobs)
    strayed.segments[-1].annotations[REFERENCE][-1] -= 2.0
    credit = WhitenedReturn(kl_coefficient=0.5)([strayed, faithful])
    assert by_turn(credit, strayed, 0) == [[-1, -1], [-1, -1]]  # returns 0 and 1, standardized
    assert by_turn(credit, faithful, 1) == [[1, 1], [1, 1]]
    strayed.segments[-1].annotations[REFERENCE][-1] += 2.0
    strayed.segments[0].annotations[REFERENCE][3] -= 2.0  # the first token said: what follows owes nothing
    own = by_turn(WhitenedReturn(kl_coefficient=0.5)([strayed, faithful]), strayed, 0)
    assert own[0][0] < 0 < own[0][1] == own[1][0] == own[1][1]


def test_the_price_of_divergence_cannot_be_negative() -> None:
    with pytest.raises(ConfigError, match="kl_coefficient of WhitenedReturn must be at least 0, got -1"):
        WhitenedReturn(kl_coefficient=-1)


def test_discounting_prefers_the_shorter_way() -> None:
    quick, slow = episode([1.0]), episode([0.0, 0.0, 1.0])
    assert values(GroupRelative(scale="none")([quick, slow]), [quick, slow]) == [0, 0]
    assert values(GroupRelative(scale="none", gamma=0.5)([quick, slow]), [quick, slow]) == pytest.approx(
        [0.375, -0.375]
    )


def test_bonus_counts_and_roles_are_compared_apart() -> None:
    episodes = [episode([1.0], bonus=-1.0), episode([1.0])]
    assert values(GroupRelative(scale="none")(episodes), episodes) == [-0.5, 0.5]
    episodes = [episode([reward], role=role) for reward, role in ((1.0, "a"), (0.0, "a"), (5.0, "b"), (5.0, "b"))]
    assert values(GroupRelative(scale="none")(episodes), episodes) == [0.5, -0.5, 0, 0]


def test_a_lone_episode_and_a_dead_group_get_nothing() -> None:
    episodes = [episode([1.0], 0), episode([2.0], 1), episode([2.0], 1)]
    for term in (
        GroupRelative(),
        GroupRelative(scale="none"),
        GroupRelative(baseline="leave_one_out", scale="none"),
        GroupRelative(scale="batch"),
    ):
        assert values(term(episodes), episodes) == [0, 0, 0]


def anchored() -> list[Episode]:
    """Start S in both; the first then meets A twice, the second once."""
    return [
        episode([0.0, 0.0, 1.0], keys=["S", "A", "A"]),
        episode([0.0, 0.0], keys=["S", "A"]),
        episode([0.5], group=1, keys=["S"]),  # another group: no anchor of the others
    ]


def test_gigpo_by_hand() -> None:
    # Returns-to-go at gamma 0.5: first 0.25, 0.5, 1; second 0, 0. S: 0.25 and 0. A: 0.5, 1, 0; mean 0.5.
    episodes = anchored()
    plain = GiGPOStep(gamma=0.5, scale="none")(episodes)
    assert by_turn(plain, episodes[0], 0) == [[0.125] * 2, [0.0] * 2, [0.5] * 2]
    assert by_turn(plain, episodes[1], 1) == [[-0.125] * 2, [-0.5] * 2]
    assert by_turn(plain, episodes[2], 2) == [[0.0] * 2]  # seen once
    spread = math.sqrt(1 / 6)
    scaled = GiGPOStep(gamma=0.5)(episodes)
    assert by_turn(scaled, episodes[0], 0) == [[1.0] * 2, [0.0] * 2, [pytest.approx(0.5 / spread)] * 2]


def test_gigpo_tells_apart_turns_that_grpo_does_not() -> None:
    episodes = anchored()[:2]
    grpo = GroupRelative()(episodes)
    assert len({token for turn in by_turn(grpo, episodes[0]) for token in turn}) == 1
    assert len({token for turn in by_turn(GiGPOStep()(episodes), episodes[0]) for token in turn}) == 3


def test_a_refused_action_is_priced_on_its_own_turn() -> None:
    episodes = [episode([0.0, 0.0, 1.0], valid=[True, False, True]), episode([1.0])]
    credit = InvalidActionPenalty()(episodes)
    assert by_turn(credit, episodes[0], 0) == [[0.0] * 2, [-1.0] * 2, [0.0] * 2]
    assert by_turn(credit, episodes[1], 1) == [[0.0] * 2]
    assert by_turn(GroupRelative()(episodes), episodes[0], 0) == [[0.0] * 2] * 3  # equal returns: nothing else speaks


def test_step_rewards_by_hand() -> None:
    episodes = [
        episode([0.0, 1.0], annotations={"gain": [0.1, 0.3]}),
        episode([0.0], annotations={"gain": [0.2]}),
    ]
    spread = plain_std([0.1, 0.3, 0.2])
    own = StepRelative("gain", gamma=0)(episodes)
    assert by_turn(own, episodes[0]) == [[pytest.approx(-0.1 / spread)] * 2, [pytest.approx(0.1 / spread)] * 2]
    assert by_turn(own, episodes[1], 1) == [[pytest.approx(0, abs=1e-9)] * 2]
    summed = StepRelative("gain", gamma=0.5)(episodes)  # standardized first, then summed: -0.1 + 0.5 * 0.1
    assert by_turn(summed, episodes[0])[0] == [pytest.approx(-0.05 / spread)] * 2
    assert by_turn(StepRelative("gain", gamma=0, scale="none")(episodes), episodes[0])[1] == [pytest.approx(0.1)] * 2


def valued(stop: str = "terminated") -> Episode:
    """Two turns of two tokens with the values 0.5, 0.6 and 0.2, 0.4, then 0.8; rewards 0 and 1."""
    made = episode([0.0, 1.0], stop=stop)
    (segment,) = made.segments
    annotations = [0.0] * len(segment)
    for span, pair in zip(segment.spans, ([0.5, 0.6], [0.2, 0.4]), strict=True):
        annotations[span.start : span.end] = pair
    segment.annotations["value"] = annotations
    made.turns[-1].annotations["bootstrap"] = 0.8
    return made


def test_gae_over_tokens_by_hand() -> None:
    # gamma 0.9, lam 0.5; deltas from the last token: 1 - 0.4, 0.9*0.4 - 0.2, 0.9*0.2 - 0.6, 0.9*0.6 - 0.5.
    d4, d3, d2, d1 = 0.6, 0.16, -0.42, 0.04
    a4 = d4
    a3 = d3 + 0.45 * a4
    a2 = d2 + 0.45 * a3
    a1 = d1 + 0.45 * a2
    found = by_turn(GAE("token", gamma=0.9, lam=0.5)([valued()]), valued())
    assert found == [pytest.approx([a1, a2]), pytest.approx([a3, a4])]


def test_gae_over_turns_by_hand() -> None:
    last = 1 - 0.2
    first = 0.9 * 0.2 - 0.5 + 0.45 * last
    found = by_turn(GAE("turn", gamma=0.9, lam=0.5)([valued()]), valued())
    assert found == [pytest.approx([first] * 2), pytest.approx([last] * 2)]


def test_gae_over_actions_by_hand() -> None:
    # Within an action the discount is 1, between actions 0.9.
    a4 = 1 - 0.4
    a3 = (0.4 - 0.2) + 0.5 * a4
    a2 = (0.9 * 0.2 - 0.6) + 0.45 * a3
    a1 = (0.6 - 0.5) + 0.5 * a2
    found = by_turn(GAE("action", gamma=0.9, lam=0.5)([valued()]), valued())
    assert found == [pytest.approx([a1, a2]), pytest.approx([a3, a4])]


def test_action_decomposition_does_not_count_tokens() -> None:
    """POAD: with a critic that knows nothing, how long an action is does not change what the first one is worth."""

    def worth(level: Any, tokens: int) -> float:
        made = episode([0.0, 1.0], tokens=tokens)
        made.segments[0].annotations["value"] = [0.0] * len(made.segments[0])
        return by_turn(GAE(level, gamma=0.9, lam=1.0)([made]), made)[0][0]

    assert worth("action", 2) == pytest.approx(worth("action", 5)) == pytest.approx(0.9)
    assert worth("token", 5) < worth("token", 2) < 0.9


@pytest.mark.parametrize("level", ["token", "turn", "action"])
def test_what_was_cut_off_is_continued_by_the_critic(level: Any) -> None:
    term = GAE(level, gamma=0.9, lam=0.5)
    ended, cut, full = (by_turn(term([valued(stop)]), valued()) for stop in ("terminated", "truncated", "context"))
    assert cut == full
    assert np.array(cut[-1][-1]) - ended[-1][-1] == pytest.approx(0.9 * 0.8)


def test_with_lam_1_and_no_discount_the_advantage_is_return_minus_value() -> None:
    made = valued()
    found = by_turn(GAE("token", gamma=1.0, lam=1.0)([made]), made)
    assert found == [pytest.approx([1 - 0.5, 1 - 0.6]), pytest.approx([1 - 0.2, 1 - 0.4])]


def test_gae_reads_the_rewards_it_is_told_to() -> None:
    made = valued()
    for turn, annotation in zip(made.turns, (0.3, 0.7), strict=True):
        turn.annotations["progress"] = annotation
    found = by_turn(GAE("token", lam=1.0, reward="progress")([made]), made)
    assert found[0][0] == pytest.approx(1.0 - 0.5)
    assert found[1][0] == pytest.approx(0.7 - 0.2)


def test_missing_notes_and_keys_are_named() -> None:
    with pytest.raises(ConfigError, match="keys=True"):
        GiGPOStep()([episode([1.0])])
    with pytest.raises(ConfigError, match="'implicit'"):
        StepRelative("implicit")([episode([1.0])])
    with pytest.raises(ConfigError, match="critic"):
        GAE()([episode([1.0])])
    cut = episode([1.0], stop="truncated")
    cut.segments[0].annotations["value"] = [0.0] * len(cut.segments[0])
    with pytest.raises(ConfigError, match="bootstrap"):
        GAE()([cut])


@pytest.mark.parametrize(
    "make",
    [
        lambda: GroupRelative(baseline="none"),
        lambda: GroupRelative(baseline="batch"),
        lambda: GroupRelative(gamma=1.5),
        lambda: GiGPOStep(gamma=-0.1),
        lambda: GAE(lam=2.0),
        lambda: StepRelative(gamma=float("nan")),
    ],
)
def test_options_without_meaning_are_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(ConfigError):
        make()


ALL: dict[str, Any] = {
    **{name: term for name, (term, _) in BY_HAND.items()},
    "discounted": GroupRelative(gamma=0.9),
    "gigpo_step": GiGPOStep(),
    "state_group_plain": GiGPOStep(scale="none"),
    "step_relative": StepRelative(),
    "tree_relative": TreeRelative(),
    "root_relative": RootRelative(),
    "gae_token": GAE("token", gamma=0.9),
    "gae_turn": GAE("turn"),
    "gae_action": GAE("action"),
}


def with_values(episodes: list[Episode], level: float = 0.0) -> list[Episode]:
    for made in episodes:
        for segment in made.segments:
            segment.annotations["value"] = [level] * len(segment)
    return episodes


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=25, deadline=None)
@given(
    reward=st.one_of(st.floats(0.01, 10), st.floats(-10, -0.01)),
    lengths=st.lists(st.integers(1, 3), min_size=2, max_size=6),
    winner=st.integers(0, 5),
)
def test_a_terminal_reward_is_never_without_advantage(
    name: str, reward: float, lengths: list[int], winner: int
) -> None:
    winner %= len(lengths)
    episodes = with_values(
        [
            episode(
                [0.0] * (turns - 1) + [reward if place == winner else 0.0],
                keys=["start", *(f"state {turn}" for turn in range(1, turns))],
            )
            for place, turns in enumerate(lengths)
        ]
    )
    credit = ALL[name](episodes)
    earned = np.concatenate([np.array(turn) for turn in by_turn(credit, episodes[winner], winner)])
    assert earned.any()
    assert np.sign(earned[np.flatnonzero(earned)[0]]) == np.sign(reward)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), shuffled=st.randoms())
def test_advantages_do_not_feel_the_order(name: str, seed: int, shuffled: Any) -> None:
    episodes = with_values(random_episodes(seed, 8), 0.25)
    order = list(range(8))
    shuffled.shuffle(order)
    straight = ALL[name](episodes)
    mixed = ALL[name]([episodes[place] for place in order])
    for there, place in enumerate(order):
        for mine, its in zip(straight[place], mixed[there], strict=True):
            assert mine == pytest.approx(its, abs=1e-9)


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000))
def test_given_tokens_change_no_advantage(name: str, seed: int) -> None:
    """Tokens that follow the last turn, and what given tokens are, do not matter."""
    episodes = with_values(random_episodes(seed, 8), 0.25)
    longer = with_values([replace(made, segments=[part.copy() for part in made.segments]) for made in episodes], 0.25)
    for made in longer:
        for segment in made.segments:
            segment.read([3, 3, 3])
            segment.token_ids[0] = 99
            segment.annotations["value"] = [0.25] * len(segment)
    for mine, its in zip(ALL[name](episodes), ALL[name](longer), strict=True):
        for row, other in zip(mine, its, strict=True):
            assert (other[: len(row)] == row).all()
            assert not other[len(row) :].any()
