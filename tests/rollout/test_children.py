"""Parts open conversations of their own within a turn, hear what came of them, and share what they come to."""

from __future__ import annotations

import numpy as np
import pytest

from agentgym.agents import Prompt
from agentgym.core import ConfigError
from agentgym.rollout import Branching, Delegation, EnvPool, Episode, EpisodeSpec, Parent, Role, SingleTurn, collect
from tests.rollout.players import Scripted
from tests.rollout.worlds import ID, TURNS, WORDS

LINES = "<\x00>"


def ask_first(prompt: str, rng: np.random.Generator) -> str:
    """Hands the word that is shown over, and says what comes back."""
    shown = prompt.strip(LINES)
    if "helper: " in shown:
        return shown.rpartition("helper: ")[2].split("\n")[0]
    return f"delegate: {word_in(shown)}"


def word_in(shown: str) -> str:
    """The word that the world shows, on a line of its own."""
    return next(line for line in shown.split("\n") if line in WORDS)


def think(prompt: str, rng: np.random.Generator) -> str:
    """A turn of thought, and then the last word of what was asked."""
    if "Go on" in prompt:
        return "answer: red"
    return f"I read {prompt.strip(LINES).split(chr(10))[0]}"


def scripted(answer: object) -> Scripted:
    policy = Scripted(answer)  # type: ignore[arg-type]
    policy.max_new_tokens = 40
    return policy


def starts(count: int, size: int = 1) -> list[EpisodeSpec]:
    return [EpisodeSpec(place, place, place, (1, place, member)) for place in range(count) for member in range(size)]


def split(episodes: list[Episode]) -> tuple[list[Episode], list[Episode]]:
    parents = [episode for episode in episodes if episode.parent is None]
    return parents, episodes[len(parents) :]


def test_a_conversation_without_a_world_answers_within_the_turn() -> None:
    helper = scripted(think)
    pool = EnvPool(ID)
    role = Role(scripted(ask_first), delegation=Delegation("helper", Role(helper), turns=3))
    parents, children = split(collect(pool, role, starts(4), horizon=10))
    assert [episode.number for episode in parents + children] == list(range(8))
    for number, (parent, child) in enumerate(zip(parents, children, strict=True)):
        first = word_in(parent.turns[0].observation)
        assert [turn.action for turn in parent.turns][:2] == [f"delegate: {first}", "red"]
        assert parent.turns[1].observation == "helper: red"  # one turn of the world, in two turns of the parent
        assert parent.turns[0].reward == 0
        assert (parent.turns[1].reward > 0) == (first == "red")
        assert len(parent.turns) == TURNS + 1  # later words are handed over no more, and the world refuses them
        assert [turn.valid for turn in parent.turns] == [True, True, False, False]
        assert child.parent == Parent(number, 0, "child")
        assert (child.role, child.group, child.player) == ("helper", parent.group, "")
        assert [turn.action for turn in child.turns] == [f"I read {first}", "answer: red"]
        assert child.stop == "terminated"
        assert child.total_return == child.turns[-1].reward == parent.total_return
    assert helper.batches == [4, 4]  # all that are asked for at once are played together
    assert all(role.delegation.told in read for read in role.policy.read)  # type: ignore[union-attr, attr-defined]


def test_tokens_of_parent_and_child_stand_apart_each_with_a_mask_of_its_own() -> None:
    role = Role(scripted(ask_first), delegation=Delegation("helper", Role(scripted(think)), turns=3))
    (parent,), (child,) = split(collect(EnvPool(ID), role, starts(1), horizon=10))
    (segment,) = parent.segments
    said = [role.policy.text(segment.token_ids[span.start : span.end]) for span in segment.spans]  # type: ignore[attr-defined]
    assert said == [turn.action for turn in parent.turns]
    (own,) = child.segments
    assert [role.policy.text(own.token_ids[span.start : span.end]) for span in own.spans] == [  # type: ignore[attr-defined]
        turn.action for turn in child.turns
    ]
    assert sum(own.sampled_mask) == sum(len(turn.action) + 1 for turn in child.turns)
    text = role.policy.text(segment.token_ids)  # type: ignore[attr-defined]
    assert "helper: red" in text
    assert "I read" not in text  # what the child went through is in no context but its own


def test_another_instance_of_the_same_world_has_the_task_and_tells_words_alone() -> None:
    def say(prompt: str, rng: np.random.Generator) -> str:
        return word_in(prompt.strip(LINES))

    delegation = Delegation("helper", Role(scripted(say)), turns=2, world="same", paid="own")
    role = Role(scripted(ask_first), delegation=delegation)
    parents, children = split(collect(EnvPool(ID), role, starts(5), horizon=9))
    for parent, child in zip(parents, children, strict=True):
        assert child.task_id == parent.task_id
        assert child.stop == "truncated"  # two turns of three
        assert len(child.turns) == 2
        assert parent.turns[1].observation == f"helper: {child.turns[-1].action}"
        assert child.total_return == pytest.approx(2 / 3)  # by its own world


def test_another_world_has_tasks_of_its_own_and_tells_what_words_led_to() -> None:
    world = EnvPool("FrozenLake-v0", split="train")
    lake = Role(scripted(lambda prompt, rng: "left"))
    delegation = Delegation("helper", lake, turns=1, world=world, paid="both")
    role = Role(scripted(ask_first), delegation=delegation)
    parents, children = split(collect(EnvPool(ID), role, starts(3), horizon=9))
    again = split(collect(EnvPool(ID), role, starts(3), horizon=9, max_concurrent=1))[1]
    assert [child.turns[0].observation for child in children] == [child.turns[0].observation for child in again]
    assert len({child.task_id for child in children}) > 1
    for parent, child in zip(parents, children, strict=True):
        assert parent.turns[1].observation == f"helper: left\n{child.final}"


def test_turns_of_children_count_against_the_limit() -> None:
    def talk(prompt: str, rng: np.random.Generator) -> str:
        return "hm"

    def always(prompt: str, rng: np.random.Generator) -> str:
        return "red" if "helper: " in prompt else "delegate: what now"

    for horizon in range(1, 12):
        delegation = Delegation("helper", Role(scripted(talk)), turns=3, most=5)
        role = Role(scripted(always), delegation=delegation)
        parents, children = split(collect(EnvPool(ID), role, starts(2), horizon=horizon))
        for parent in parents:
            own = [child for child in children if child.parent and child.parent.episode == parent.number]
            assert len(parent.turns) + sum(len(child.turns) for child in own) == horizon
    unlimited = Delegation("helper", Role(scripted(talk)), turns=3, most=5)
    parents, children = split(collect(EnvPool(ID), Role(scripted(always), delegation=unlimited), starts(1)))
    assert len(parents[0].turns) + sum(len(child.turns) for child in children) == TURNS  # the world's own limit


def test_a_child_may_hand_over_in_its_turn() -> None:
    def pass_on(prompt: str, rng: np.random.Generator) -> str:
        if "helper: " in prompt:
            return "answer: " + prompt.strip(LINES).rpartition("helper: ")[2]
        return "delegate: " + prompt.strip(LINES).split("\n")[-2]

    last = Delegation("helper", Role(scripted(lambda prompt, rng: "answer: blue")))
    middle = Role(scripted(pass_on), delegation=last)
    role = Role(scripted(ask_first), delegation=Delegation("helper", middle, turns=6))
    (parent,), (child, grandchild) = split(collect(EnvPool(ID), role, starts(1), horizon=12))
    assert child.parent == Parent(parent.number, 0, "child")
    assert grandchild.parent == Parent(child.number, 0, "child")
    assert parent.turns[1].observation == "helper: blue"
    assert grandchild.total_return == child.total_return == parent.total_return


def test_roles_that_do_not_act_hand_over_too() -> None:
    def obey(prompt: str, rng: np.random.Generator) -> str:
        return prompt.strip(LINES).rpartition("plan: ")[2]

    plan = Role(scripted(ask_first), prompt=None, delegation=Delegation("helper", Role(scripted(think)), most=9))
    episodes = collect(EnvPool(ID), {"plan": plan, "act": Role(scripted(obey))}, starts(2), horizon=30)
    acting = [episode for episode in episodes if episode.role == "act"]
    planning = [episode for episode in episodes if episode.role == "plan"]
    helping = [episode for episode in episodes if episode.role == "helper"]
    assert [len(episode.turns) for episode in acting] == [TURNS] * 2
    assert [len(episode.turns) for episode in planning] == [2 * TURNS] * 2
    assert len(helping) == 2 * TURNS
    assert all(turn.action == "red" for episode in acting for turn in episode.turns)
    assert {episode.parent.episode for episode in helping if episode.parent} == {each.number for each in planning}
    assert [episode.parent.turn for episode in helping[:TURNS] if episode.parent] == [0, 2, 4]


def test_who_does_not_learn_has_no_tokens_and_contexts_begin_anew() -> None:
    frozen = Role(scripted(think), trainable=False)
    role = Role(scripted(ask_first), delegation=Delegation("helper", frozen))
    assert not split(collect(EnvPool(ID), role, starts(1), horizon=9))[1][0].segments
    short = Role(scripted(ask_first), prompt=Prompt(context=SingleTurn()), delegation=Delegation("helper", frozen))
    (parent,), _ = split(collect(EnvPool(ID), short, starts(1), horizon=9))
    assert parent.turns[1].action == "red"
    assert len(parent.segments) == len(parent.turns)


def test_a_child_of_a_world_that_broke_is_left_out_with_it() -> None:
    pool = EnvPool(ID, jam=(0,))
    role = Role(scripted(lambda prompt, rng: "red" if "helper: " in prompt or "red" in prompt else "delegate: this"),
                delegation=Delegation("helper", Role(scripted(lambda prompt, rng: "answer: red")), most=3))  # fmt: skip
    (parent,), children = split(collect(pool, role, starts(1), horizon=20))
    assert parent.failed
    assert all(child.failed and child.failure == parent.failure for child in children)


def test_delegations_that_make_no_sense_are_refused() -> None:
    role = Role(scripted(think))
    for options, complaint in (
        ({"turns": 0}, "must be at least 1"),
        ({"most": 0}, "must be at least 1"),
        ({"call": " "}, "words for its call"),
        ({"paid": "own"}, "earns nothing"),
    ):
        with pytest.raises(ConfigError, match=complaint) as refused:
            Delegation("helper", role, **options)
        assert "\n" not in str(refused.value)
    asking = Role(scripted(ask_first), delegation=Delegation("helper", role))
    with pytest.raises(ConfigError, match="copies turns"):
        collect(EnvPool(ID), asking, starts(1, 4), strategy=Branching(every=1))
