"""Episodes that go on while the weights are moved: what overlaps, how old it may be, and what is told of it."""

from __future__ import annotations

import copy
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from agentgym.core import ConfigError
from agentgym.rollout import EnvPool, Episode, EpisodeSpec, Workers
from agentgym.train import HuggingFaceEngine, Trainer, build_trainer, read_lines, read_recipe, run_recipe
from agentgym.train.asynchronous import AsyncTrainer
from agentgym.train.checkpoint import checkpoints
from tests.rollout.troubles import Held
from tests.rollout.worlds import ID

Make = Callable[..., HuggingFaceEngine]
CLOCK = ("seconds", "per_second")
UPDATES, GROUPS, SIZE = 6, 2, 2


def table(**changes: Any) -> dict[str, Any]:
    """A recipe of small rounds; every episode is learned from, so that there are gradient steps to overlap with."""
    made: dict[str, Any] = {
        "world": {"id": ID},
        "model": {"name": "unused"},
        "rollout": {"groups": GROUPS, "group_size": SIZE, "max_concurrent": 3, "max_staleness": 1},
        "advantage": [{"name": "group_relative"}],
        "loss": {"name": "ppo_clip"},
        "regularizer": [{"name": "entropy", "coefficient": 0.1}],
        "update": {"updates": UPDATES, "steps": 2, "micro_tokens": 400, "learning_rate": 1e-2},
    }
    for name, values in changes.items():
        made[name] = {**made[name], **values} if isinstance(made.get(name), dict) else values
    return made


class Watched(AsyncTrainer):
    """Keeps the weights of every version, and what each update learned from."""

    def __init__(self, *parts: Any, **options: Any):
        super().__init__(*parts, **options)
        self.states = {0: copy.deepcopy(self.engine.model.state_dict())}
        self.learned: list[list[Episode]] = []

    def _play(self, starts: Sequence[EpisodeSpec]) -> list[Episode]:
        self.learned.append(super()._play(starts))
        return self.learned[-1]

    def _end_update(self) -> None:
        super()._end_update()
        self.states[self.update] = copy.deepcopy(self.engine.model.state_dict())


def precise(make_engine: Make) -> HuggingFaceEngine:
    """A policy whose answers do not hang on the last bits."""
    engine = make_engine()
    engine.model.double()
    return engine


def figures(trainer: Trainer, name: str) -> list[Any]:
    return [metrics["asynchronous"][name] for metrics in trainer.history]


def numbers(history: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in each.items() if not any(word in k for word in CLOCK)} for each in history]


@pytest.mark.parametrize("bound", [1, 2])
def test_turns_overlap_gradient_steps_and_carry_the_version_that_said_them(make_engine: Make, bound: int) -> None:
    engine = precise(make_engine)
    trainer = Watched(read_recipe(table(rollout={"max_staleness": bound})), engine, EnvPool(ID))
    trainer.train()
    assert sum(figures(trainer, "overlapped")) > 0
    assert max(figures(trainer, "max_staleness")) == bound, "the bound is kept, and made use of"
    assert figures(trainer, "under_way")[-1] == 0, "nothing is begun that no update will learn from"
    assert sum(figures(trainer, "mixed")) > 0
    spare = copy.deepcopy(engine)

    def scores(version: int, prompt: list[int], said: list[int]) -> list[float]:
        spare.model.load_state_dict(trainer.states[version])
        return spare.score([prompt], [said])[0]

    apart = []
    for update, played in enumerate(trainer.learned):
        assert len(played) == GROUPS * SIZE
        for episode in played:
            versions: list[Any] = [turn.version for turn in episode.turns]
            assert versions == sorted(versions)
            assert all(update - bound <= version <= update for version in versions)
            for segment in episode.segments:
                assert segment.logprobs is not None
                for span in segment.spans:
                    version = versions[span.turn]
                    prompt, said = segment.token_ids[: span.start], segment.token_ids[span.start : span.end]
                    noted = segment.logprobs[span.start : span.end]
                    assert noted == pytest.approx(scores(version, prompt, said), abs=1e-9)
                    if version < update:
                        other = scores(version + 1, prompt, said)
                        apart.append(max(abs(one - two) for one, two in zip(noted, other, strict=True)))
    assert min(apart) > 1e-6, "another version would have been told apart"


def test_a_bound_of_nothing_plays_the_rounds_of_a_synchronous_run(make_engine: Make) -> None:
    alone = Trainer(
        read_recipe({**table(), "rollout": {"groups": 2, "group_size": 2}}), precise(make_engine), EnvPool(ID)
    )
    recipe = read_recipe(table(rollout={"max_staleness": 0}))
    trainer = Watched(recipe, precise(make_engine), EnvPool(ID))
    for _ in range(3):
        alone.train_step()
        trainer.train_step()
        assert trainer.history[-1]["asynchronous"]["max_staleness"] == 0
        assert trainer.history[-1]["asynchronous"]["overlapped"] == 0
    told = [{k: v for k, v in each.items() if k != "asynchronous"} for each in numbers(trainer.history)]
    for mine, other in zip(told, numbers(alone.history), strict=True):
        assert mine.pop("stops") == other.pop("stops")
        assert mine == pytest.approx(other, rel=1e-6, abs=1e-9)


def test_with_worlds_of_this_process_a_seed_says_everything(make_engine: Make) -> None:
    one, two = (Watched(read_recipe(table()), make_engine(), EnvPool(ID)) for _ in range(2))
    assert numbers(one.train()) == numbers(two.train())
    assert [each.record() for each in one.learned[-1]] == [each.record() for each in two.learned[-1]]


def test_a_slow_world_holds_up_nobody_until_its_group_would_be_too_old(make_engine: Make, tmp_path: Path) -> None:
    """The first group waits in its second turn: an update goes without it, the next one has to wait for it."""
    recipe = read_recipe(table(rollout={"groups": 1}, update={"updates": 3, "steps": 1}))
    gate = tmp_path / "open"
    first = int(Watched(recipe, make_engine(), EnvPool(ID))._draw()[1][0].task)
    pool = EnvPool(ID, wrappers=[partial(Held, file=gate, places=(first,))], workers=Workers(processes=3))
    trainer = Watched(recipe, make_engine(), pool)
    go_on = trainer._rollouts.go_on

    def opening(seconds: float = 0.0) -> None:
        if trainer.update == 1 and any(group.whole for group in trainer._groups.values()):
            gate.touch()
        go_on(seconds)

    trainer._rollouts.go_on = opening  # type: ignore[method-assign]
    try:
        trainer.train_step()
        assert not gate.exists()
        assert {episode.task_id for episode in trainer.learned[0]} != {str(first)}
        trainer.train_step()
    finally:
        gate.touch()
        pool.close()
    assert {episode.task_id for episode in trainer.learned[1]} == {str(first)}
    assert [turn.version for turn in trainer.learned[1][0].turns] == [0, 0, 1]
    assert figures(trainer, "awaited") == [0, 1]
    assert figures(trainer, "max_staleness")[1] == 1


PROGRAM = """
import json, sys
import torch
import tests.rollout.worlds
from agentgym.train import run_recipe
torch.set_num_threads(1)
run_recipe(json.loads(sys.argv[1]), sys.argv[2], tell=lambda phase, done, *_: print(phase, done, flush=True))
"""
TINY = {"tiny": {"layers": 1, "width": 32, "heads": 2, "vocabulary": 512}, "max_new_tokens": 3}


@pytest.mark.full
def test_a_killed_run_begins_again_what_was_under_way_and_loses_no_record(tmp_path: Path) -> None:
    run = tmp_path / "run"
    recipe = {**table(), "model": TINY, "clone": {"episodes": 16, "batch": 8}, "checkpoint": {"every": 2}}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, json.dumps(recipe), str(run)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    ) as process:
        assert process.stdout is not None
        assert any(line.strip() == "updates 3" for line in process.stdout)
        process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    state = torch.load(checkpoints(run)[-1] / "state.pt", weights_only=True)
    begun = [spec["seed"] for specs in state["ahead"].values() for spec in specs]
    assert begun, "something was under way"
    trainer = run_recipe(recipe, run)
    assert [line["update"] for line in read_lines(run / "updates.jsonl")] == list(range(UPDATES))
    episodes = read_lines(run / "episodes.jsonl")
    assert [sum(each["update"] == update for each in episodes) for update in range(UPDATES)] == [
        GROUPS * SIZE
    ] * UPDATES
    later = [each["seed"] for each in episodes if each["update"] >= state["update"]]
    assert set(begun) <= set(later)
    earlier = [each["seed"] for each in episodes if each["update"] < state["update"]]
    assert not set(begun) & set(earlier), "no group is learned from twice"
    assert max(figures(trainer, "max_staleness")) <= 1


def test_the_run_of_a_recipe_is_asynchronous_if_it_says_so(tmp_path: Path) -> None:
    recipe = {**table(), "model": TINY, "clone": {"episodes": 16, "batch": 8}}
    trainer = build_trainer(recipe)
    assert isinstance(trainer, AsyncTrainer)
    assert trainer.player.model is not trainer.engine.model


REINFORCE = {"loss": {"name": "policy_gradient"}, "update": {"updates": 2, "steps": 1}}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"rollout": {"max_staleness": -1}}, r"rollout.max_staleness must be at least 0 updates, got -1"),
        ({"rollout": {"temperature": {"linear": [1.0, 0.5], "over": 2}}}, r"not go with a schedule of rollout.temp"),
        ({"rollout": {"strategy": {"name": "branching", "every": 1}}}, r"does not go with the strategy Branching"),
        ({"mixture": [{"id": ID}]}, r"does not go with \[mixture\]"),
        ({"world": {"id": "TicTacToe-v0"}}, r"does not go with a game of several players"),
        (REINFORCE, r"the loss PolicyGradientLoss is for the policy's own samples, .*update.importance_cap"),
    ],
)
def test_what_it_does_not_go_with(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        read_recipe(table(**changes))


def test_losses_that_are_corrected_or_of_this_version_alone_are_fine(make_engine: Make) -> None:
    read_recipe(table(loss={"name": "policy_gradient"}, update={"steps": 1}, rollout={"max_staleness": 0}))
    read_recipe(table(update={"steps": 1}))  # ratios are not all 1 where earlier weights spoke
    corrected = {"steps": 1, "updates": 3, "recompute_logprobs": True, "importance_cap": 2.0}
    trainer = Watched(
        read_recipe(table(loss={"name": "policy_gradient"}, update=corrected)), make_engine(), EnvPool(ID)
    )
    trainer.train()
    assert max(figures(trainer, "max_staleness")) == 1
    pairs: list[tuple[type[Trainer], dict[str, Any]]] = [(AsyncTrainer, {}), (Trainer, {"max_staleness": 1})]
    for kind, rollout in pairs:
        with pytest.raises(ConfigError, match=r"with rollout.max_staleness is for AsyncTrainer"):
            kind(read_recipe({**table(), "rollout": rollout}), make_engine(), EnvPool(ID))


def test_weights_that_do_not_move_are_shared(make_engine: Make) -> None:
    engine = make_engine()
    frozen = engine.model.get_input_embeddings().weight.requires_grad_(False)
    trainer = Watched(read_recipe(table(update={"updates": 2})), engine, EnvPool(ID))
    assert trainer.player.model.get_input_embeddings().weight is frozen
    trainer.train()
    pairs = list(zip(engine.model.parameters(), trainer.player.model.parameters(), strict=True))
    assert [mine is copied for mine, copied in pairs].count(True) == 1
    assert all(torch.equal(mine, copied) for mine, copied in pairs), "the newest weights play"
    assert not torch.equal(pairs[-1][0], trainer.states[0][[*trainer.states[0]][-1]])
