"""Whatever a session does with its cache, what it sampled has the log-probabilities of a fresh forward pass."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import normalizers

from agentgym.agents import Prompt, cached
from agentgym.agents.context import Record
from agentgym.core import ConfigError
from agentgym.rollout import (
    Branching,
    Context,
    EnvPool,
    Episode,
    EpisodeSpec,
    Explicit,
    Growing,
    SingleTurn,
    Strategy,
    Tree,
    Window,
    collect,
)
from agentgym.train import HuggingFaceEngine, build_decoder
from tests.rollout.worlds import ID
from tests.train.conftest import SHAPE

Make = Callable[..., HuggingFaceEngine]
LOGPROB_TOLERANCE = 1e-4


def summary(record: Record) -> str | None:
    return "red\n" if len(record.said) == 2 else None


MODES: dict[str, tuple[Context, Strategy | None]] = {
    "growing": (Growing(), None),
    "window": (Window(1), None),
    "single": (SingleTurn(), None),
    "explicit": (Explicit(summary), None),
    "branching": (Growing(), Branching(every=1)),
    "branching window": (Window(1), Branching(turns=(1, 2))),
    "entropy": (Growing(), Branching(rise=-10.0)),
    "tree": (Growing(), Tree((1, 2))),
    "tree single": (SingleTurn(), Tree((1, 2))),
}


def fresh(engine: HuggingFaceEngine, ids: list[int]) -> torch.Tensor:
    """Log-probabilities of all next tokens, by a pass over the ids alone; shape (tokens - 1, vocabulary)."""
    with torch.no_grad():
        logits = engine.model(torch.tensor([ids])).logits[0, :-1]
    return torch.log_softmax(logits.float() / engine.temperature, -1)


def play(engine: HuggingFaceEngine, mode: str, groups: int = 4, max_concurrent: int = 128) -> list[Episode]:
    context, strategy = MODES[mode]
    starts = [EpisodeSpec(group, group, group, (9, group, member)) for group in range(groups) for member in range(4)]
    options = {"strategy": strategy} if strategy else {}
    engine.prompt = Prompt(context=context)
    return collect(EnvPool(ID, max_turns=3), engine, starts, max_concurrent=max_concurrent, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", MODES)
def test_sampled_logprobs_are_those_of_a_fresh_pass(make_engine: Make, mode: str) -> None:
    engine = make_engine(temperature=0.8)
    episodes = play(engine, mode)
    assert len({len(segment) for episode in episodes for segment in episode.segments}) > 1
    if MODES[mode][1]:
        assert any(episode.parent for episode in episodes)
    for episode in episodes:
        assert episode.new_segments == len(episode.segments) - 1
        for segment in episode.segments:
            logprobs = fresh(engine, segment.token_ids)
            assert segment.logprobs is not None
            for place, sampled in enumerate(segment.sampled_mask):
                if sampled:
                    wanted = logprobs[place - 1, segment.token_ids[place]].item()
                    assert segment.logprobs[place] == pytest.approx(wanted, abs=LOGPROB_TOLERANCE)


@pytest.mark.parametrize("mode", MODES)
def test_rows_do_not_feel_each_other_in_any_mode(make_engine: Make, mode: str) -> None:
    engine = make_engine()
    together, apart = play(engine, mode), play(engine, mode, max_concurrent=4)
    for one, other in zip(together, apart, strict=True):
        assert [segment.token_ids for segment in one.segments] == [segment.token_ids for segment in other.segments]
        assert one.parent == other.parent


def test_entropies_are_those_of_the_distributions(make_engine: Make) -> None:
    engine = make_engine(temperature=0.8)
    for episode in play(engine, "growing"):
        (segment,) = episode.segments
        logprobs = fresh(engine, segment.token_ids)
        surprise = -(logprobs.exp() * logprobs).sum(-1)
        for turn, span in zip(episode.turns, segment.spans, strict=True):
            wanted = surprise[span.start - 1 : span.end - 1].mean().item()
            assert turn.entropy == pytest.approx(wanted, abs=LOGPROB_TOLERANCE)


def test_what_nobody_sees_is_cut_out_of_the_cache(make_engine: Make) -> None:
    engine = make_engine(max_new_tokens=2)
    talk = engine.open([np.random.default_rng(i) for i in range(4)])
    talk.generate([[5] * 40, [6] * 8, [7] * 8, [8] * 8])
    talk.select_rows([1, 2, 3])
    talk.generate([[9]] * 3)
    (held,) = talk._caches
    assert held.columns < 20
    assert held._cache.get_seq_length() == held.columns
    talk.reset_rows([0, 1, 2])
    talk.generate([[5, 6]] * 3)
    assert held.columns == held._cache.get_seq_length() <= 2 + 1


@settings(deadline=None, max_examples=25)
@given(st.data(), st.sampled_from([cached.TOGETHER, 24]))
def test_any_order_of_operations_leaves_the_cache_true(tokenizer: Any, data: st.DataObject, together: int) -> None:
    """Speak, be silent, drop, copy, rewind and forget: each row answers as if it had read its tokens alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cached, "TOGETHER", together)  # whether rows share one cache or several
        engine = HuggingFaceEngine(build_decoder(SHAPE, tokenizer, 0), tokenizer, max_new_tokens=2)
        talk = engine.open([np.random.default_rng(i) for i in range(3)])
        read: list[list[int]] = [[] for _ in range(3)]  # what each row holds, and what it held before its last answer
        before = [list(row) for row in read]
        made = 3
        for _ in range(data.draw(st.integers(1, 5))):
            asked = data.draw(st.permutations(range(len(read))))[: data.draw(st.integers(1, len(read)))]
            token = st.integers(5, 200) | st.just(7)  # prompts are often equal
            prompts = [data.draw(st.lists(token, min_size=1, max_size=6)) for _ in asked]
            spoken = talk.generate(prompts, asked)
            before = [list(row) for row in read]
            for row, prompt, speech in zip(asked, prompts, spoken, strict=True):
                read[row] += [*prompt, *speech.token_ids]
                logprobs = fresh(engine, read[row])
                for back, (token, value) in enumerate(zip(speech.token_ids[::-1], speech.logprobs[::-1], strict=True)):
                    assert logprobs[len(logprobs) - 1 - back, token].item() == pytest.approx(
                        value, abs=LOGPROB_TOLERANCE
                    )
            rows = data.draw(st.lists(st.integers(0, len(read) - 1), min_size=1, max_size=5))
            first = {row: place for place, row in reversed(list(enumerate(rows)))}
            copies = [place for place, row in enumerate(rows) if first[row] != place]
            talk.select_rows(rows, {place: np.random.default_rng(made + place) for place in copies})
            made += len(copies)
            read, before = [list(read[row]) for row in rows], [list(before[row]) for row in rows]
            if copies:
                talk.rewind(copies)
                for place in copies:
                    read[place] = list(before[place])
            lost = data.draw(st.lists(st.integers(0, len(read) - 1), max_size=2, unique=True))
            if lost:
                talk.reset_rows(lost)
                for place in lost:
                    read[place] = []


@pytest.mark.parametrize("silent", [0, 1])
def test_what_all_conversations_begin_with_is_read_once(
    make_engine: Make, monkeypatch: pytest.MonkeyPatch, silent: int
) -> None:
    """A manual of 60 tokens and observations of their own, two of them equal, with and without a row that waits."""
    engine = make_engine(temperature=0.8)
    widths: list[tuple[int, ...]] = []
    forward = engine.model.forward

    def count(*args: Any, **kwargs: Any) -> Any:
        widths.append(tuple(kwargs["input_ids"].shape))
        return forward(*args, **kwargs)

    monkeypatch.setattr(engine.model, "forward", count)
    manual = np.random.default_rng(0).integers(5, 200, 60).tolist()
    prompts = [[*manual, 7], [*manual, 8, 9, 10], [*manual, 8, 9], [*manual, 8, 9], [*manual, 11, 8, 9, 12]]
    talk = engine.open([np.random.default_rng(i) for i in range(len(prompts) + silent)])
    said = talk.generate(prompts, range(len(prompts)) if silent else None)
    assert widths[0] == (1, 60)
    assert widths[1] == (4 + silent, 4)  # the fifth text is one of the others
    said = [*said, *talk.generate([[9, 9]] * len(prompts), range(len(prompts)))]
    monkeypatch.undo()
    for row, prompt in enumerate(prompts):
        first, second = said[row], said[row + len(prompts)]
        ids = [*prompt, *first.token_ids, 9, 9, *second.token_ids]
        wanted = fresh(engine, ids)
        for answer, end in ((first, len(prompt) + len(first.token_ids)), (second, len(ids))):
            begin = end - len(answer.token_ids)
            for place, (token, value) in enumerate(zip(answer.token_ids, answer.logprobs, strict=True), begin - 1):
                assert value == pytest.approx(wanted[place, token].item(), abs=LOGPROB_TOLERANCE)


def test_long_prompts_are_read_in_pieces(make_engine: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said after them is the same, whether there is a conversation before or not."""
    rng = np.random.default_rng(0)
    turns = [[rng.integers(5, 200, size).tolist() for size in sizes] for sizes in ((41, 17, 3), (2, 29, 30))]

    def talk(most: int) -> tuple[list[Any], int]:
        engine, widths = make_engine(temperature=0.8), []
        forward = engine.model.forward

        def count(*args: Any, **kwargs: Any) -> Any:
            widths.append(kwargs["input_ids"].numel())
            return forward(*args, **kwargs)

        monkeypatch.setattr(cached, "READ_AT_ONCE", most)
        monkeypatch.setattr(engine.model, "forward", count)
        session = engine.open([np.random.default_rng(i) for i in range(3)])
        return [answer for prompts in turns for answer in session.generate(prompts)], max(widths)

    (whole, widest), (pieces, narrow) = talk(8_192), talk(12)
    assert widest == 3 * 41
    assert narrow <= 12
    for mine, its in zip(pieces, whole, strict=True):
        assert mine.token_ids == its.token_ids
        assert mine.logprobs == pytest.approx(its.logprobs, abs=LOGPROB_TOLERANCE)


def test_scores_are_those_of_a_fresh_pass(make_engine: Make) -> None:
    engine = make_engine(temperature=0.7)
    rng = np.random.default_rng(0)
    prompts = [rng.integers(5, 200, size=size).tolist() for size in (3, 9, 1, 5)]
    after = [rng.integers(5, 200, size=size).tolist() for size in (4, 0, 7, 1)]
    scores = engine.score(prompts, after)
    assert [len(row) for row in scores] == [4, 0, 7, 1]
    for prompt, ids, row in zip(prompts, after, scores, strict=True):
        logprobs = fresh(engine, [*prompt, *ids])
        wanted = [logprobs[len(prompt) - 1 + place, token].item() for place, token in enumerate(ids)]
        assert row == pytest.approx(wanted, abs=LOGPROB_TOLERANCE)
    assert engine.score([], []) == []


def test_scoring_in_small_batches_changes_nothing(make_engine: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = make_engine()
    prompts, after = [[5, 6, 7]] * 9, [[8] * size for size in range(9)]
    whole = engine.score(prompts, after)
    monkeypatch.setattr("agentgym.agents.engine.SCORED", 20)
    for one, other in zip(engine.score(prompts, after), whole, strict=True):
        assert one == pytest.approx(other, abs=LOGPROB_TOLERANCE)


@pytest.mark.parametrize(
    ("prompts", "after", "complaint"),
    [([[5]], [], "give one each"), ([[]], [[5]], "empty"), ([[5] * 100], [[5] * 100], "the context is 128")],
)
def test_what_cannot_be_scored_is_refused(
    make_engine: Make, prompts: list[list[int]], after: list[list[int]], complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        make_engine().score(prompts, after)


def test_a_constraint_binds_what_is_said_and_not_its_logprobs(make_engine: Make) -> None:
    engine = make_engine(max_new_tokens=3)
    word, end = engine.encode_action("red")[0], engine.chat.end
    read: list[tuple[int, ...]] = []

    def red(prompt: Any, said: Any) -> list[int] | None:
        read.append(tuple(prompt))
        return [end] if said else [word]

    engine.constraint = red
    episodes = play(engine, "growing", groups=2)
    assert set(read) > {tuple(engine.encode_first(episodes[0].turns[0].observation))}
    for episode in episodes:
        assert all(turn.off_policy for turn in episode.turns)
        (segment,) = episode.segments
        logprobs = fresh(engine, segment.token_ids)
        for span in segment.spans:
            assert segment.token_ids[span.start : span.end] == [word, end]
            assert segment.logprobs is not None
            assert segment.logprobs[span.start] == pytest.approx(
                logprobs[span.start - 1, word].item(), abs=LOGPROB_TOLERANCE
            )
    engine.constraint = lambda prompt, said: None
    assert not any(turn.off_policy for episode in play(engine, "growing", groups=1) for turn in episode.turns)
    engine.constraint = lambda prompt, said: []
    with pytest.raises(ConfigError, match="allows no token"):
        play(engine, "growing", groups=1)


def test_actions_that_cannot_be_said_are_refused_before_playing(tokenizer: Any, make_engine: Make) -> None:
    narrow = copy.deepcopy(tokenizer)
    narrow.backend_tokenizer.normalizer = normalizers.Replace("g", "j")
    engine = HuggingFaceEngine(make_engine().model, narrow)
    with pytest.raises(ConfigError, match=r"cannot represent the action 'go right': it reads back as 'jo rijht'"):
        engine.encode_action("go right")
    assert engine.text(engine.encode_action("up")) == "up"
    world = EnvPool(ID)
    (player,) = world.players
    world.briefings = {player: replace(world.briefings[player], examples=("green",))}
    with pytest.raises(ConfigError, match="cannot represent the action 'green'"):
        collect(world, engine, [EpisodeSpec(0, 0, 0, (1,))])
    world.briefings = {player: replace(world.briefings[player], examples=("up up up",))}
    with pytest.raises(ConfigError, match="raise max_new_tokens"):
        collect(world, make_engine(max_new_tokens=1), [EpisodeSpec(0, 0, 0, (1,))])
