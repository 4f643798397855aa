"""What a policy is shown: prompts that extend the one before share a segment, others begin one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym.agents import Prompt
from agentgym.agents.context import CONTEXTS, Frame, Record
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
    Window,
    WorkspaceContext,
    collect,
)
from tests.rollout.players import Scripted
from tests.rollout.worlds import ID, TURNS, WORDS

Answer = Callable[[str, np.random.Generator], str]


def second(record: Record) -> str | None:
    """A new segment at turn 1."""
    return f"So far: {' '.join(record.said)}.\n" if len(record.said) == 1 else None


MODES: tuple[Context, ...] = (Growing(), Window(1), Window(2), SingleTurn(), Explicit(second))


def shown(prompt: str, rng: np.random.Generator) -> str:
    """The word of the current observation, which is the last one that is shown."""
    return next(word for word in reversed(prompt.strip("<>\x00").replace("\n", " ").split()) if word in WORDS)


def guess(prompt: str, rng: np.random.Generator) -> str:
    return WORDS[int(rng.integers(4))]


def play(context: Context, answer: Answer = guess, **options: object) -> tuple[Episode, Scripted]:
    player = Scripted(answer, prompt=Prompt(context=context))
    (episode,) = collect(EnvPool(ID), player, [EpisodeSpec(27, 5, 0, (1,))], **options)  # type: ignore[arg-type]
    return episode, player


def test_growing_is_one_segment() -> None:
    episode, _ = play(Growing())
    assert (len(episode.segments), episode.new_segments) == (1, 0)
    assert all(turn.messages == () for turn in episode.turns)


def test_a_window_shows_the_task_again_and_names_the_gap() -> None:
    episode, player = play(Window(1))
    assert (len(episode.segments), episode.new_segments) == (2, 1)
    first, second_turn, last = player.read
    assert second_turn.startswith(first)
    said = episode.turns[1].action
    seen = [turn.observation for turn in episode.turns]
    task = "Say what is shown.\nActions: red, green, blue, pink\n[1 turn left out here]\n"
    assert last == f"<{task}{seen[1]}>{said}\0<{seen[2]}>"
    assert [message["role"] for message in episode.turns[2].messages] == ["user", "assistant", "user"]
    assert episode.turns[2].messages[1]["content"] == said


def test_single_turns_show_the_task_and_the_observation() -> None:
    episode, player = play(SingleTurn())
    assert (len(episode.segments), episode.new_segments) == (TURNS, TURNS - 1)
    assert [len(segment.spans) for segment in episode.segments] == [1] * TURNS
    assert player.read[1] == f"<Say what is shown.\nActions: red, green, blue, pink\n{episode.turns[1].observation}>"


def test_explicit_segments_begin_where_the_rule_says() -> None:
    episode, player = play(Explicit("tests.agents.test_context:second"))
    assert [[span.turn for span in segment.spans] for segment in episode.segments] == [[0], [1, 2]]
    assert player.read[1].startswith(f"<So far: {episode.turns[0].action}.\n")
    assert player.read[2].startswith(player.read[1])


def test_a_workspace_carries_notes_and_hears_only_the_action() -> None:
    def note(prompt: str, rng: np.random.Generator) -> str:
        return f"<notes>{prompt.count('x') * 'x'}x</notes> {guess(prompt, rng)}"

    player = Scripted(note, prompt=Prompt(context=WorkspaceContext()))
    player.max_new_tokens = 60
    (episode,) = collect(EnvPool(ID), player, [EpisodeSpec(27, 5, 0, (1,))])
    assert all(turn.valid for turn in episode.turns)
    assert "<notes>xx</notes>" in player.read[2]
    assert player.read[2].count("notes>") == 2
    for turn, segment in zip(episode.turns, episode.segments, strict=True):
        (span,) = segment.spans
        said = "".join(map(chr, segment.token_ids[span.start : span.end]))
        assert {name: said[slice(*place)] for name, place in turn.marks.items()} == {
            "notes": said.partition(" ")[0],
            "action": turn.action,
        }


@pytest.mark.parametrize("said", ["red", "<notes>red", "</notes>red<notes>", "", "<notes></notes>"])
def test_answers_without_notes_are_actions(said: str) -> None:
    assert WorkspaceContext().parts(said).get("action", (0, 0))[0] <= len(said)
    record = Record("task", ["a", "b"], [said])
    assert WorkspaceContext().frame(record, Frame(0, "")).first == 1


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(MODES), st.integers(0, 63), st.integers(0, 1000), st.booleans(), st.booleans())
def test_the_mask_is_one_exactly_on_sampled_tokens(
    context: Context, task: int, dice: int, long: bool, branch: bool
) -> None:
    """In every mode and after branching, what the policy said is sampled, in order, and all else is given."""
    said: list[str] = []

    def speak(prompt: str, rng: np.random.Generator) -> str:
        word = guess(prompt, rng) + ("-----" if long and rng.random() < 0.5 else "")
        said.append(word)
        return word

    starts = [EpisodeSpec(task, 1, 0, (dice, member)) for member in range(4)]
    strategy = {"strategy": Branching(every=1)} if branch else {}
    episodes = collect(EnvPool(ID), Scripted(speak, prompt=Prompt(context=context)), starts, **strategy)  # type: ignore[arg-type]
    for episode in episodes:
        spans = [(segment, span) for segment in episode.segments for span in segment.spans]
        assert [span.turn for _, span in spans] == list(range(len(episode.turns)))
        for segment, span in spans:
            text = "".join(map(chr, segment.token_ids[span.start : span.end]))
            action = episode.turns[span.turn].action
            assert text == (action + "\0")[: Scripted.max_new_tokens]
            assert action in said
        for segment in episode.segments:
            inside = {place for span in segment.spans for place in range(span.start, span.end)}
            assert [place in inside for place in range(len(segment))] == [mask == 1 for mask in segment.sampled_mask]
            assert segment.loss_weight == [float(mask) for mask in segment.sampled_mask]
            assert segment.logprobs is not None
            assert [value == 0.0 for value in segment.logprobs] == [mask == 0 for mask in segment.sampled_mask]


def test_a_reopened_prompt_that_does_not_fit_ends_the_episode() -> None:
    player = Scripted(guess, prompt=Prompt(context=Window(1)))
    world = EnvPool(ID)
    player.context_limit = len(world.driver().env.reset(options={"task": 27})[0]) + 2 + 8 + 14
    (episode,) = collect(world, player, [EpisodeSpec(27, 5, 0, (1,))])
    assert (episode.stop, len(episode.turns)) == ("context", 2)
    assert all(len(segment) <= player.context_limit for segment in episode.segments)


def test_a_horizon_truncates() -> None:
    episode, _ = play(Growing(), shown, horizon=2)
    assert (episode.stop, len(episode.turns), episode.success) == ("truncated", 2, False)
    episode, _ = play(Growing(), shown, horizon=TURNS)
    assert episode.stop == "terminated"
    with pytest.raises(ConfigError, match="horizon"):
        play(Growing(), horizon=0)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Window(0), "at least 1"),
        (lambda: WorkspaceContext("Two Words"), "lower-case"),
        (lambda: WorkspaceContext("action"), "lower-case"),
        (lambda: Explicit("nowhere"), "module:function"),
        (lambda: Explicit("nowhere.at:all"), "no function"),
        (lambda: Explicit(3), "must be a function"),  # type: ignore[arg-type]
    ],
)
def test_modes_without_sense_are_refused(make: Callable[[], Context], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        make()


def test_every_mode_has_a_name() -> None:
    assert set(CONTEXTS.values()) == {Growing, Window, SingleTurn, Explicit, WorkspaceContext}
