"""Candidates by number: who proposes, what counts as one, and that state, spec and checkers hold."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import agentgym
from agentgym.core import ConfigError, Message, Reply
from agentgym.wrappers import CandidateSelect, ReadableActions
from agentgym.wrappers.numeric.candidates import OTHERS, distinct
from agentgym.wrappers.selfplay import SelfPlay
from tests.agents.pretrained import need_smollm2

HERE = "tests.wrappers.test_candidates"


class Sayings:
    """A model that says one of some lines, by its seed; keeps what it was asked."""

    def __init__(self, lines: Sequence[str]):
        self.lines, self.asked = list(lines), []  # type: ignore[var-annotated]

    def complete(self, messages: Sequence[Message], *, seed: int = 0, max_tokens: int = 512) -> Reply:
        self.asked.append([dict(message) for message in messages])
        return Reply(self.lines[seed % len(self.lines)], 10, 2, 0.5)


def sayings(lines: Sequence[str]) -> Sayings:
    return Sayings(lines)


def lake(lines: Sequence[str] | None = None, **kwargs: Any) -> CandidateSelect:
    env = agentgym.make("FrozenLake-v0", slippery=False)
    if lines is None:
        return CandidateSelect(env, **kwargs)
    return CandidateSelect(env, model=f"{HERE}:sayings", arguments={"lines": list(lines)}, **kwargs)


def test_what_differs_in_case_and_spaces_alone_is_one() -> None:
    assert distinct(["go  Left", "go left", "up", "up ", "down", "right"], 3) == ["go  Left", "up", "down"]
    assert distinct([], 3) == []


def test_a_model_proposes_what_the_world_reads_and_the_index_plays_it() -> None:
    env = lake(["left", "down", "I would rather stay"], candidates=2, tries=40)
    _, info = env.reset(seed=0, options={"task": 0})
    assert sorted(info["candidates"]) == ["down", "left"], "what the world does not read is no candidate"
    assert info["action_mask"].tolist() == [True, True, False]
    spent = info["proposals"]
    assert spent["asked"] >= 2
    assert (spent["tokens"], spent["cost"]) == (12 * spent["asked"], 0.5 * spent["asked"])
    asked = env._model.asked  # type: ignore[union-attr]
    assert env.unwrapped.manual in asked[0][0]["content"]  # type: ignore[attr-defined]
    assert OTHERS.format(info["candidates"][0]) in asked[-1][-1]["content"], "it is told what it has named"
    plain = agentgym.make("FrozenLake-v0", slippery=False)
    plain.reset(seed=0, options={"task": 0})
    place = info["candidates"].index("down")
    assert env.step(place)[0] == plain.step("down")[0]


def test_where_nothing_is_read_the_first_answer_is_said_and_refused() -> None:
    env = lake(["I would rather stay"], candidates=3)
    _, info = env.reset(seed=0)
    assert info["candidates"] == ["I would rather stay"]
    _, reward, *_, info = env.step(0)
    assert (reward, info["action_valid"]) == (0.0, False)


def test_silence_leaves_the_no_op_alone() -> None:
    env = lake([""], candidates=3)
    _, info = env.reset(seed=0)
    assert info["candidates"] == []
    assert info["action_mask"].tolist() == [False, False, False, True]


def test_the_world_proposes_without_a_model_and_the_same_again() -> None:
    one, other = lake(candidates=4, tries=60), lake(candidates=4, tries=60)
    for env in (one, other):
        env.reset(seed=3, options={"task": 1})
    assert one.action_texts() == other.action_texts()
    assert len(set(one.action_texts())) == 5, "four directions and the no-op"
    saved = agentgym.snapshot(one)
    first = one.step(0)[4]["candidates"]
    agentgym.restore(one, saved)
    assert one.step(0)[4]["candidates"] == first


@pytest.mark.filterwarnings("ignore:.*")
@pytest.mark.parametrize("game", ["Werewolf-v1", "Commons-v1", "KuhnPoker-v0"])
def test_gymnasiums_checker_takes_a_player_of_a_game(game: str) -> None:
    env = ReadableActions(CandidateSelect(SelfPlay(game, opponent="simple"), candidates=4), dim=64)
    check_env(env, skip_render_check=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = gym.make(env.spec) if env.spec else env
    assert again.action_space == env.action_space


def test_recorded_proposals_are_replayed_without_the_model(tmp_path: Any) -> None:
    cassette = str(tmp_path / "said.jsonl")
    first = lake(["left", "down", "up"], candidates=2, cassette=cassette, record=True)
    _, info = first.reset(seed=0, options={"task": 2})
    again = CandidateSelect(agentgym.make("FrozenLake-v0", slippery=False), 2, model="no.such:thing", cassette=cassette)
    assert again.reset(seed=0, options={"task": 2})[1]["candidates"] == info["candidates"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: lake(candidates=1), "candidates must be a whole number from 2"),
        (lambda: lake(candidates=3, tries=2), "tries must be a whole number from 3"),
        (lambda: lake(record=True), "needs the path of a cassette"),
        (lambda: lake(arguments={"lines": []}), "have no effect without a model"),
        (lambda: CandidateSelect(lake()), "the action space of .* is Discrete"),
        (lambda: CandidateSelect(agentgym.make("FrozenLake-v0"), model="no.such:thing"), "cannot be found"),
    ],
)
def test_bad_arguments_are_one_line(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        make()


@pytest.mark.full
def test_maskable_ppo_learns_over_candidates() -> None:
    """On firm ice three of four directions are proposed in each state; a policy that chooses gets across."""
    contrib = pytest.importorskip("sb3_contrib", reason="the extra `sb3` is not installed")
    from stable_baselines3.common.env_util import make_vec_env

    from agentgym.baselines.bridges.sb3 import measure
    from agentgym.baselines.bridges.sb3.maskable_ppo import ENVS, SLOTS
    from agentgym.baselines.bridges.sb3.worlds import FixedPanel

    def world() -> Any:
        made = agentgym.make("FrozenLake-v0", split="val", size=3, slippery=False)
        return FixedPanel(ReadableActions(CandidateSelect(made, candidates=3), dim=128, ngrams=1, places=True), 4)

    model = contrib.MaskablePPO(env=make_vec_env(world, n_envs=ENVS, seed=0), seed=0, device="cpu", **SLOTS)
    before = float(np.mean(measure.returns(model, world(), 4, masked=True, rounds=10)))
    model.learn(8_192)
    after = float(np.mean(measure.returns(model, world(), 4, masked=True, rounds=10)))
    assert after > before + 0.2


@pytest.mark.full
def test_smollm2_proposes_for_a_werewolf() -> None:
    need_smollm2()
    game = SelfPlay("Werewolf-v1", opponent="simple", player="player_0")
    env = CandidateSelect(
        game, 3, tries=6, model="agentgym.agents.local_text_model:local_text_model",
        arguments={"model": "smollm2", "device": "cpu"}, max_tokens=24,
    )  # fmt: skip
    _, info = env.reset(seed=0, options={"task": 0})
    assert info["proposals"]["asked"] >= 1
    assert info["proposals"]["tokens"] > 500, "the manual is read"
    assert info["candidates"], "it said something"
    assert env.step(0)[4]["candidates"] != info["candidates"]
