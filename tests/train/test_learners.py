"""Learners: what they write by hand where it can be, that they learn, that a checkpoint holds all of them."""

from __future__ import annotations

import copy
import io
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from agentgym.core import ConfigError
from agentgym.rollout import EnvPool, Episode, demonstrate
from agentgym.rollout.counters import take_counts
from agentgym.train import HuggingFaceEngine, tokenize
from agentgym.train.advantages import GAE, GroupRelative, StepRelative
from agentgym.train.batch import pad
from agentgym.train.filters import ranked_pairs
from agentgym.train.learners import LEARNERS, Critic, Implicit, Information, Progress
from agentgym.train.learners._heads import hidden_states
from agentgym.train.token_logprobs import token_logprobs
from tests.rollout.worlds import ID
from tests.train.making import CPU, by_turn, samples_of

Make = Callable[..., HuggingFaceEngine]


@pytest.fixture
def engine(make_engine: Make) -> HuggingFaceEngine:
    return make_engine()


def played(engine: HuggingFaceEngine, stop: str = "terminated") -> list[Episode]:
    """Demonstrations of four tasks, two of each, one perfect and one clumsy, as if the engine had sampled them."""
    episodes = []
    for noise in (0.0, 0.8):
        shown = demonstrate(EnvPool(ID), [1, 6, 11, 28], noise=noise, seed=3)
        tokenize(shown, engine.chat, engine.context_limit)
        for group, made in enumerate(shown):
            (segment,) = made.segments
            segment.logprobs = [0.0] * len(segment)
            logprobs, _ = token_logprobs(
                engine.model, pad(samples_of([made], GroupRelative("none", "none")([made])), CPU), 1.0
            )
            segment.logprobs = logprobs[0].tolist()
            made.group, made.stop = group, stop  # type: ignore[assignment]
            episodes.append(made)
    return episodes


def untaught(engine: HuggingFaceEngine, learner: Any, episodes: list[Episode]) -> Any:
    """Fit something that must not touch the policy."""
    before = copy.deepcopy(engine.model.state_dict())
    figures = learner.fit(episodes)
    learner.annotate(episodes)
    assert all(torch.equal(value, before[name]) for name, value in engine.model.state_dict().items())
    assert all(weight.grad is None for weight in engine.model.parameters())
    return figures


def test_hidden_states_are_those_of_the_model(engine: HuggingFaceEngine) -> None:
    segments = [made.segments[0] for made in played(engine)]
    states = hidden_states(engine, segments)
    for segment, mine in zip(segments, states, strict=True):
        ids = torch.tensor([segment.token_ids])
        with torch.no_grad():
            alone = engine.model(input_ids=ids, output_hidden_states=True).hidden_states[-1][0]
        assert torch.allclose(mine, alone, atol=1e-5)


@pytest.mark.parametrize("level", ["token", "turn", "action"])
def test_a_critic_never_judges_what_it_was_fitted_to(engine: HuggingFaceEngine, level: Any) -> None:
    """The groups are dealt to two heads; what one of them earned moves only the head that judges the other."""
    episodes = played(engine)
    critic = Critic(level, gamma=0.9).build(engine, 0)
    critic.annotate(episodes)
    assert not any(any(made.segments[0].annotations["value"]) for made in episodes)  # it begins with no expectation
    annotations = []
    for luck in (0.0, 5.0):
        copies = [replace(made, bonus=luck if made.group in (0, 2) else 0.0) for made in episodes]
        twin = copy.deepcopy(critic)
        untaught(engine, twin, copies)
        annotations.append([list(made.segments[0].annotations["value"]) for made in copies])
    for made, before, after in zip(episodes, *annotations, strict=True):
        assert (before == after) == (made.group in (0, 2))


def test_a_critic_reads_a_round_once(engine: HuggingFaceEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its hidden states are those of one pass, whether it is fitted to them or judges by them."""
    episodes = played(engine)
    forward, passes = engine.model.forward, []

    def counted(**given: Any) -> Any:
        passes.append(given["input_ids"].shape)
        return forward(**given)

    monkeypatch.setattr(engine.model, "forward", counted)
    critic = Critic("token").build(engine, 0)
    critic.fit(episodes)
    critic.annotate(episodes)
    assert len(passes) == 1
    values = [made.segments[0].annotations["value"] for made in episodes]
    critic.annotate(episodes)  # nothing is kept for longer than that
    assert len(passes) == 2
    assert [made.segments[0].annotations["value"] for made in episodes] == [pytest.approx(each) for each in values]
    critic.fit(episodes)
    engine.version += 1
    critic.annotate(episodes)  # another policy has other states
    assert len(passes) == 4


def unlike(engine: HuggingFaceEngine) -> list[Episode]:
    """Two perfect and two clumsy episodes of four tasks: no two begin alike."""
    episodes = played(engine)
    return [*episodes[:2], *episodes[6:]]


def doubled(episodes: list[Episode]) -> list[Episode]:
    """Each episode in two groups, so that both heads of a critic meet it."""
    return [
        replace(made, group=2 * place + twin, segments=[part.copy() for part in made.segments])
        for place, made in enumerate(episodes)
        for twin in range(2)
    ]


@pytest.mark.parametrize("level", ["token", "turn"])
def test_a_critic_learns_what_is_still_to_be_earned(engine: HuggingFaceEngine, level: Any) -> None:
    episodes = doubled(unlike(engine))
    critic = Critic(level, learning_rate=1e-2, epochs=60).build(engine, 0)
    for _ in range(4):
        figures = critic.fit(episodes)
    assert figures["critic_explained"] > 0.9
    critic.annotate(episodes)
    for made in episodes:
        first = made.segments[0].spans[0].start
        assert made.segments[0].annotations["value"][first] == pytest.approx(made.total_return, abs=0.15)
    whole = GAE(level, lam=1.0)(episodes)
    assert max(abs(value) for rows in whole for value in rows[0]) < 0.4


@pytest.mark.parametrize("after_cut", ["critic", "nothing"])
def test_the_target_of_a_critic_by_hand(engine: HuggingFaceEngine, after_cut: Any) -> None:
    """Fitted to one episode again and again, the value becomes the discounted return; a cut adds what comes next."""
    episode = played(engine)[0]
    assert [turn.reward for turn in episode.turns] == pytest.approx([1 / 3] * 3)
    pair = doubled([episode])
    critic = Critic("turn", 0.5, after_cut=after_cut, learning_rate=2e-2, epochs=120).build(engine, 0)
    for _ in range(3):
        critic.fit(pair)
    critic.annotate(pair)
    (segment,) = pair[0].segments
    found = [segment.annotations["value"][span.start] for span in segment.spans]
    assert found == pytest.approx([(1 + 0.5 + 0.25) / 3, (1 + 0.5) / 3, 1 / 3], abs=0.02)
    off = [place for place in range(len(segment)) if place not in {span.start for span in segment.spans}]
    assert not any(segment.annotations["value"][place] for place in off)
    cut = replace(pair[0], stop="truncated")
    worth = cut.turns[-1].annotations["bootstrap"] if after_cut == "critic" else 0.0
    (advantage,) = GAE("turn", gamma=0.5, lam=0.0, after_cut=after_cut)([cut])
    assert advantage[0][segment.spans[-1].start] == pytest.approx(1 / 3 + 0.5 * worth - found[-1])


def test_progress_divides_the_outcome(engine: HuggingFaceEngine) -> None:
    episodes = unlike(engine)
    progress = Progress(grounding=0.25, learning_rate=3e-3, epochs=60).build(engine, 0)
    untaught(engine, progress, episodes)
    assert progress.fit(episodes)["progress_error"] < 0.02
    progress.annotate(episodes)
    for made in episodes:
        contributions = [turn.annotations["progress"] - 0.25 * turn.valid for turn in made.turns]
        assert sum(contributions) == pytest.approx(made.total_return, abs=0.15)
    fresh = Progress(grounding=0.25).build(engine, 0)
    fresh.annotate(episodes)
    assert [turn.annotations["progress"] for turn in episodes[0].turns] == [0.25] * 3  # nothing known but the grounding


def test_the_first_gradient_of_progress_by_hand(engine: HuggingFaceEngine) -> None:
    """An untaught head says 0 everywhere, so the error of the first step is the mean square of the returns."""
    episodes = played(engine)
    figures = Progress(epochs=1).build(engine, 0).fit(episodes)
    assert figures["progress_error"] == pytest.approx(
        sum(made.total_return**2 for made in episodes) / len(episodes), rel=1e-5
    )


def test_implicit_rewards_by_hand(engine: HuggingFaceEngine) -> None:
    episodes = played(engine)
    implicit = Implicit(beta=0.5, learning_rate=1e-3, epochs=8).build(engine, 0)
    implicit.annotate(episodes)
    assert all(abs(turn.annotations["implicit"]) < 1e-5 for made in episodes for turn in made.turns)  # still the policy
    pairs = ranked_pairs(episodes)
    assert len(pairs) >= 3
    first = copy.deepcopy(implicit).fit(episodes)
    assert first["implicit_pairs"] == len(pairs)
    figures = untaught(engine, implicit, episodes)
    assert figures["implicit_loss"] < math.log(2)
    for made in episodes:
        (segment,) = made.segments
        ids = torch.tensor([segment.token_ids])
        with torch.no_grad():
            ours = torch.log_softmax(implicit.model(input_ids=ids).logits[0].float(), -1)
        for turn, span in zip(made.turns, segment.spans, strict=True):
            gain = sum(
                ours[place - 1, segment.token_ids[place]].item() - segment.logprobs[place]  # type: ignore[index]
                for place in range(span.start, span.end)
            )
            assert turn.annotations["implicit"] == pytest.approx(0.5 * gain, abs=1e-4)
    for better, worse in pairs:
        rewards = [sum(turn.annotations["implicit"] for turn in episodes[place].turns) for place in (better, worse)]
        assert rewards[0] > rewards[1]


def test_the_first_loss_of_an_implicit_model_is_that_of_a_coin(engine: HuggingFaceEngine) -> None:
    figures = Implicit().build(engine, 0).fit(played(engine))
    assert figures["implicit_loss"] == pytest.approx(math.log(2), abs=1e-4)


def test_information_by_hand(engine: HuggingFaceEngine) -> None:
    episodes = [replace(made, reference="red") for made in played(engine)]
    Information().build(engine, 0).annotate(episodes)
    answer = engine.chat.encode_action("red")
    for made in episodes:
        (segment,) = made.segments
        beliefs = []
        for span in segment.spans:
            ids = torch.tensor([segment.token_ids[: span.start] + answer])
            with torch.no_grad():
                logprobs = torch.log_softmax(engine.model(input_ids=ids).logits[0].float(), -1)
            said = [logprobs[span.start - 1 + place, token].item() for place, token in enumerate(answer)]
            beliefs.append(math.exp(sum(said) / len(said)))
        gains = [turn.annotations["information"] for turn in made.turns]
        assert gains[:-1] == pytest.approx([beliefs[1] - beliefs[0], beliefs[2] - beliefs[1]], abs=1e-5)
        assert gains[-1] == pytest.approx(made.total_return)


def test_information_needs_an_answer_and_gains_nothing_without_room(engine: HuggingFaceEngine) -> None:
    episodes = played(engine)
    options = Information()
    learner = options.build(engine, 0)
    with pytest.raises(ConfigError, match="no reference answer"):
        learner.annotate(episodes)
    episodes = [replace(made, reference="red " * 500) for made in episodes]
    learner.annotate(episodes)
    assert all(turn.annotations["information"] == 0 for made in episodes for turn in made.turns[:-1])
    assert take_counts([options]) == {"Information": {"turns": 24, "turns_without_room": 24}}


@pytest.mark.parametrize("name", ["progress", "implicit", "information"])
def test_turn_rewards_reach_turns_that_grpo_treats_alike(engine: HuggingFaceEngine, name: str) -> None:
    episodes = [replace(made, reference="red") for made in played(engine)]
    learner = LEARNERS[name]().build(engine, 0)
    learner.fit(episodes)
    learner.annotate(episodes)
    grpo, steps = GroupRelative()(episodes), StepRelative(name, gamma=0)(episodes)
    assert len({turn[0] for turn in by_turn(grpo, episodes[0])}) == 1
    assert len({turn[0] for turn in by_turn(steps, episodes[0])}) == 3


@pytest.mark.parametrize("name", LEARNERS)
def test_a_checkpoint_holds_all_of_a_learner(make_engine: Make, name: str) -> None:
    """Fit, save, fit again; a fresh learner that loads and fits the same says the same, bit for bit."""
    engine = make_engine()
    episodes = [replace(made, reference="red") for made in played(engine)]
    learner = LEARNERS[name]().build(engine, 1)
    learner.fit(episodes)
    file = io.BytesIO()
    torch.save(learner.state(), file)
    file.seek(0)
    twin = LEARNERS[name]().build(engine, 1)
    twin.load(torch.load(file, weights_only=True))
    annotations = []
    for each in (learner, twin):
        figures = each.fit(episodes)
        each.annotate(episodes)
        said = [dict(turn.annotations) for made in episodes for turn in made.turns]
        annotations.append((figures, said, [dict(made.segments[0].annotations) for made in episodes]))
        for part in (part for made in episodes for part in (*made.turns, *made.segments)):
            part.annotations.clear()
    assert annotations[0] == annotations[1]


@pytest.mark.parametrize("name", LEARNERS)
def test_nothing_to_learn_from_is_no_error(engine: HuggingFaceEngine, name: str) -> None:
    learner = LEARNERS[name]().build(engine, 0)
    assert not any(learner.fit([]).values())  # and no figure is made up
    learner.annotate([])


@pytest.mark.parametrize(
    "make",
    [
        lambda: Critic(epochs=0),
        lambda: Critic(learning_rate=0),
        lambda: Progress(grounding=-1),
        lambda: Implicit(beta=0),
    ],
)
def test_options_without_meaning_are_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(ConfigError):
        make()
