"""Lockstep collection: who is in the batch, why an episode ended, and what a group must share."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from agentgym.agents import ContextOverflow
from agentgym.core import ConfigError, TaskError, UnknownName, card, snapshot
from agentgym.rollout import EnvPool, Episode, EpisodeSpec, collect, demonstrate
from agentgym.wrappers import History, ReAct
from tests.rollout.players import Scripted, echo
from tests.rollout.worlds import ID, TURNS, WORDS


def starts(count: int) -> list[EpisodeSpec]:
    return [EpisodeSpec(place, place, place, (1, place)) for place in range(count)]


def test_a_perfect_player_is_recorded_token_by_token() -> None:
    (episode,) = collect(EnvPool(ID), Scripted(echo), [EpisodeSpec(27, 5, 0, (1,))])
    assert (episode.task_id, episode.split, episode.seed, episode.group) == ("27", "train", 5, 0)
    assert (episode.stop, episode.success, episode.final) == ("terminated", True, "over")
    assert episode.total_return == pytest.approx(1.0)
    assert [turn.stop for turn in episode.turns] == ["", "", "terminated"]
    assert {turn.version for turn in episode.turns} == {7}
    (segment,) = episode.segments
    said = ["".join(map(chr, segment.token_ids[span.start : span.end])).strip("\0") for span in segment.spans]
    assert said == [turn.action for turn in episode.turns]
    assert sum(segment.sampled_mask) == sum(len(word) + 1 for word in said)


def test_finished_episodes_leave_the_batch_and_order_is_kept() -> None:
    player = Scripted(echo)
    world = EnvPool(ID, jam=(1, 4))  # these two end after their second turn
    episodes = collect(world, player, starts(6))
    assert player.batches == [6, 6, 4]
    assert [episode.task_id for episode in episodes] == [str(place) for place in range(6)]


def test_at_most_live_episodes_are_under_way() -> None:
    player = Scripted(echo)
    done: list[int] = []
    collect(EnvPool(ID), player, starts(10), max_concurrent=4, on_episode=done.append)
    assert player.batches == [4] * TURNS + [4] * TURNS + [2] * TURNS
    assert sum(done) == 10


def test_environment_failures_are_marked_and_not_successes() -> None:
    done: list[int] = []
    episodes = collect(EnvPool(ID, jam=(1,), dead=(2,)), Scripted(echo), starts(4), on_episode=done.append)
    assert [episode.stop for episode in episodes] == ["terminated", "failure", "failure", "terminated"]
    assert [episode.failed for episode in episodes] == [False, True, True, False]
    assert [episode.failure for episode in episodes] == ["", "jammed", "would not start", ""]
    assert episodes[1].turns[-1].stop == "failure"
    assert episodes[2].turns == []
    assert episodes[2].segments == []
    assert sum(done) == 4


def test_turns_run_out_as_truncated() -> None:
    episodes = collect(EnvPool(ID, max_turns=2), Scripted(echo), starts(2))
    assert {episode.stop for episode in episodes} == {"truncated"}


def test_a_conversation_that_outgrows_the_context_stops_there() -> None:
    player = Scripted(lambda prompt, rng: "red", context_limit=60)
    first = len(player.encode_first(EnvPool(ID).driver().env.reset(options={"task": 0})[0]))
    player.context_limit = first + 8 + 4
    (episode,) = collect(EnvPool(ID), player, starts(1))
    assert episode.stop == "context"
    assert len(episode.turns) == 1
    assert episode.final == WORDS[0]
    assert len(episode.segments[0]) <= player.context_limit


def test_a_first_prompt_that_does_not_fit_is_one_clear_error() -> None:
    with pytest.raises(ContextOverflow, match="exceeds the context of 10"):
        collect(EnvPool(ID), Scripted(echo, context_limit=10), starts(1))


def test_a_cut_off_answer_gets_its_end_token_as_given() -> None:
    (episode,) = collect(EnvPool(ID), Scripted(lambda prompt, rng: "much too long"), starts(1))
    segment = episode.segments[0]
    end = segment.spans[0].end
    assert segment.token_ids[end] == 0
    assert segment.sampled_mask[end] == 0
    assert not episode.turns[0].valid


def test_sampling_depends_on_the_own_start_alone() -> None:
    def play(order: list[int], live: int) -> dict[str, list[str]]:
        player = Scripted(lambda prompt, rng: WORDS[int(rng.integers(4))])
        chosen = [starts(8)[place] for place in order]
        return {
            e.task_id: [turn.action for turn in e.turns]
            for e in collect(EnvPool(ID), player, chosen, max_concurrent=live)
        }

    assert play([0, 1, 2, 3, 4, 5, 6, 7], 8) == play([5, 2, 7, 0, 1, 3, 6, 4], 3)


@pytest.mark.parametrize("other", [EpisodeSpec(1, 0, 0, (2,)), EpisodeSpec(0, 1, 0, (2,))])
def test_a_group_is_one_task_and_one_seed(other: EpisodeSpec) -> None:
    with pytest.raises(TaskError, match="group 0"):
        collect(EnvPool(ID), Scripted(echo), [EpisodeSpec(0, 0, 0, (1,)), other])


def test_a_group_that_begins_in_two_ways_is_refused() -> None:
    with pytest.raises(TaskError, match="began in two ways"):
        collect(EnvPool(ID, drift=True), Scripted(echo), [EpisodeSpec(0, 0, 0, (1,)), EpisodeSpec(0, 0, 0, (2,))])


def test_a_reward_that_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    world = EnvPool(ID)
    env = world.driver().env
    step = env.step
    monkeypatch.setattr(env, "step", lambda action: (step(action)[0], float("nan"), *step(action)[2:]))
    with pytest.raises(ConfigError, match="finite"):
        collect(world, Scripted(echo), starts(1))


def test_environments_are_made_once() -> None:
    world = EnvPool(ID)
    assert world.drivers(3)[:2] == world.drivers(2)
    assert world.size == 64
    assert EnvPool("FrozenLake-v0").size is None
    world.close()


def test_demonstrations_are_as_noisy_as_asked() -> None:
    def share_right(noise: float) -> float:
        episodes = demonstrate(EnvPool(ID), range(60), noise=noise, seed=3)
        turns = [(turn.action, turn.observation) for episode in episodes for turn in episode.turns]
        return sum(seen.startswith(said) for said, seen in turns) / len(turns)

    assert share_right(0.0) == 1.0
    assert share_right(1.0) == pytest.approx(0.25, abs=0.12)
    assert share_right(0.4) == pytest.approx(0.7, abs=0.12)


def test_demonstrations_repeat_and_leave_failures_out() -> None:
    def once() -> list[Episode]:
        return demonstrate(EnvPool("FrozenLake-v0"), range(5), noise=0.5, seed=1)

    assert once() == once()
    assert all(turn.version is None for episode in once() for turn in episode.turns)
    kept = demonstrate(EnvPool(ID, jam=(1,), dead=(2,)), range(4), noise=0.0, seed=0)
    assert [episode.task_id for episode in kept] == ["0", "3"]


def test_an_oracle_teaches_as_well_as_an_expert() -> None:
    house = EnvPool("Household-v1")
    turns = {}
    for teacher in ("expert", "oracle"):
        shown = demonstrate(house, range(3), noise=0.0, seed=0, teacher=teacher)
        assert all(episode.success for episode in shown) or teacher == "expert"
        turns[teacher] = sum(len(episode.turns) for episode in shown)
    assert turns["oracle"] < turns["expert"], "who knows where things are looks for nothing"
    with pytest.raises(UnknownName, match="did you mean 'oracle'"):
        demonstrate(EnvPool(ID), [0], noise=0.0, seed=0, teacher="orcale")


@pytest.mark.parametrize("noise", [-0.1, 1.1, float("nan")])
def test_noise_is_a_probability(noise: float) -> None:
    with pytest.raises(ConfigError, match="noise"):
        demonstrate(EnvPool(ID), [0], noise=noise, seed=0)


def test_only_worlds_with_an_expert_are_demonstrated() -> None:
    class Foreign(gym.Env[str, str]):
        def tasks(self, split: str) -> object:
            return self

        split, size = "train", 3

    gym.register(id="AgentGymTests/Foreign-v0", entry_point=Foreign)
    try:
        with pytest.raises(ConfigError, match="no expert"):
            demonstrate(EnvPool("AgentGymTests/Foreign-v0"), [0], noise=0, seed=0)
    finally:
        del gym.registry["AgentGymTests/Foreign-v0"]


def test_generators_are_numpy_generators() -> None:
    kinds = set()

    def note(prompt: str, rng: np.random.Generator) -> str:
        kinds.add(type(rng))
        return "red"

    collect(EnvPool(ID), Scripted(note), starts(1))
    assert kinds == {np.random.Generator}


class Historian(gym.Wrapper[str, str, str, str]):
    """What wrappers that show history say of themselves."""

    keeps_history = True


class Painter(gym.ObservationWrapper[dict[str, str], str, str]):
    """Shows numbers beside the text."""

    def observation(self, observation: str) -> dict[str, str]:
        return {"text": observation, "numbers": "1 2"}


def test_wrappers_that_keep_history_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"Historian keeps history.*choose a context mode"):
        EnvPool(ID, wrappers=[Historian, gym.wrappers.OrderEnforcing])


def test_observations_that_are_no_text_are_refused() -> None:
    with pytest.raises(ConfigError, match="shows a dict, and policies read text"):
        collect(EnvPool(ID, wrappers=[Painter]), Scripted(echo), starts(1))


def test_keys_digests_and_answers_are_there_when_asked_for() -> None:
    world = EnvPool("FrozenLake-v0", split="val")
    plain = collect(world, Scripted(echo), starts(2))
    full = collect(world, Scripted(echo), starts(2), keys=True, digests=True, references=True)
    env = EnvPool("FrozenLake-v0", split="val").driver().env
    for before, episode in zip(plain, full, strict=True):
        assert before.reference is None
        assert not any(turn.state_key or turn.digest for turn in before.turns)
        env.reset(seed=episode.seed, options={"task": episode.task_id})
        inner: Any = env.unwrapped
        gold = inner.reference()
        assert episode.reference == (gold if isinstance(gold, str) else json.dumps(gold, sort_keys=True))
        for turn in episode.turns:
            assert turn.state_key == inner.state_key()
            assert turn.digest == snapshot(env).digest()
            env.step(turn.action)


def test_the_answers_of_test_tasks_stay_hidden() -> None:
    with pytest.raises(TaskError, match="not given out"):
        collect(EnvPool("FrozenLake-v0", split="test"), Scripted(echo), starts(1), references=True)


def test_reward_terms_are_kept() -> None:
    world, player = EnvPool("WebShop-v1"), Scripted(lambda prompt, rng: "search[red shoes]", 10**6)
    with pytest.raises(ConfigError, match=r"says at most 8 tokens a turn.*raise max_new_tokens"):
        collect(world, player, starts(1))
    player.max_new_tokens = 40
    (episode,) = collect(world, player, starts(1), horizon=2)
    assert len(episode.turns) == 2
    assert all(set(turn.rewards) == set(card("WebShop-v1").metrics) for turn in episode.turns)


def test_wrappers_say_how_to_act_and_what_was_thought() -> None:
    world = EnvPool(ID, wrappers=[ReAct])
    assert world.line != EnvPool(ID).line
    assert world.manual != EnvPool(ID).manual

    def reply(prompt: str, rng: np.random.Generator) -> str:
        shown = "red" if "red" in prompt.split("\n")[0] else "blue"
        return f"Thought: it says so.\nAction: {shown}"

    player = Scripted(reply, 10**5)
    player.max_new_tokens = 60
    (episode,) = collect(world, player, starts(1), keys=True)
    (segment,) = episode.segments
    assert episode.turns[0].valid
    for turn, span in zip(episode.turns, segment.spans, strict=True):
        said = segment.token_ids[span.start : span.end]
        marked = {name: player.text(said[slice(*place)]) for name, place in turn.marks.items()}
        assert marked == {"thought": "it says so.", "action": reply(turn.observation, None).rpartition(" ")[2]}  # type: ignore[arg-type]
    (shown,) = demonstrate(world, [0], noise=0.0, seed=0)
    assert shown.success
    assert all("Action: " in turn.action for turn in shown.turns)


def test_the_history_wrapper_is_refused() -> None:
    with pytest.raises(ConfigError, match="History keeps history"):
        EnvPool(ID, wrappers=[History])
