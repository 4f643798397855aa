"""Recipes of worlds in which programs are run: what each is made of, and how it learns from help."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.agents import ActionPolicy, View
from agentgym.core import ConfigError
from agentgym.rollout import EnvPool, EpisodeSpec, Workers, collect
from agentgym.rollout.strategies import GuidedAttempts
from agentgym.rollout.wrapping import named_wrapper
from agentgym.train import Trainer, load_recipe, recipe_table, run_recipe
from agentgym.train.advantages import DurationWeighted, EarlyCall
from agentgym.train.filters import CleanResample, DropZeroVariance, Overlong
from agentgym.train.regularizers import EntropyFloor
from tests.envs.boxes import sandbox
from tests.rollout.worlds import ID
from tests.train.methods import clumsy, small

HINTS = {"name": "Hints", "fraction": 0.0}


def test_what_the_recipes_are_made_of() -> None:
    rlvr, aspo, open_agentrl = (load_recipe(name) for name in ("agent_rlvr", "aspo", "open_agentrl"))
    assert (rlvr.world.id, aspo.world.id, open_agentrl.world.id) == (
        "RepoRepair-v0", "PythonMath-v0", "PythonMath-v0",
    )  # fmt: skip
    assert isinstance(rlvr.rollout.strategy, GuidedAttempts)
    assert rlvr.masked == ()
    assert isinstance(aspo.advantages[0], EarlyCall)
    assert [type(each) for each in open_agentrl.filters] == [DropZeroVariance, Overlong]
    assert isinstance(open_agentrl.regularizers[0], EntropyFloor)
    assert (open_agentrl.loss.low, open_agentrl.loss.high) == (0.2, 0.28)


def test_resampling_hears_programs_that_raise() -> None:
    recipe = load_recipe("grpo_roc_math")
    assert (recipe.world.id, recipe.method, recipe.rollout.group_size) == ("PythonMath-v0", "GRPO-RoC", 16)
    assert recipe.filters == (CleanResample(keep=8, tool="python", answer="answer"),)


class Script(ActionPolicy):
    """Says what it was given, and then what the oracle says."""

    def __init__(self, *words: str):
        self.words = list(words)

    def act(self, view: View, rng: np.random.Generator) -> str:
        return self.words.pop(0) if self.words else str(view.ask("oracle_action"))


@pytest.mark.parametrize("workers", [None, pytest.param(Workers(1), marks=pytest.mark.full)])
def test_a_turn_tells_of_a_program_that_raised(workers: Workers | None) -> None:
    """From the world through the rollout to the filter: both episodes succeed, and one of them is clean."""
    sandbox()
    raises = json.dumps({"name": "python", "arguments": {"code": "1 / 0"}})
    pool = EnvPool("PythonMath-v0", split="val", workers=workers)
    (messy,), (clean,) = (collect(pool, Script(*said), [EpisodeSpec(0, 0, 0, (0,))]) for said in ([raises], []))
    pool.close()
    assert messy.success
    assert clean.success
    assert [(turn.failed_calls, turn.valid) for turn in messy.turns] == [(1, True), (0, True), (0, True)]
    assert [turn.failed_calls for turn in clean.turns] == [0, 0]
    assert messy.turns[0].record()["failed_calls"] == 1
    assert "failed_calls" not in clean.turns[0].record()
    resample = CleanResample(keep=2, tool="python", answer="answer")
    assert (resample.penalty(messy), resample.penalty(clean)) == (0.5, 0.0)


@pytest.mark.parametrize("wrappers", [[], [{"name": "Hints"}], [{"name": "Hints", "fraction": 0.5}]])
def test_guided_attempts_need_hints_that_wait_for_a_failure(wrappers: list[dict[str, Any]]) -> None:
    with pytest.raises(ConfigError, match="helps through the wrapper Hints"):
        load_recipe("agent_rlvr", {"world.wrappers": wrappers})


@pytest.mark.full
def test_who_failed_is_helped_and_what_is_learned_holds_no_hint() -> None:
    strategy = {"name": "guided_attempts", "attempts": 2, "fraction": 1.0}
    recipe = small(
        "agent_rlvr", world__wrappers=[HINTS], rollout__strategy=strategy, rollout__group_size=2, update__updates=1
    )
    engine = clumsy()
    trainer = Trainer(recipe, engine, EnvPool(ID, wrappers=(named_wrapper(HINTS),)))
    seen: list[Any] = []
    report = trainer._metrics
    trainer._metrics = lambda *args: seen.extend(args[2]) or report(*args)  # type: ignore
    trainer.train()
    learned = [one for own in seen for one in own.episodes]
    again = [one for one in learned if one.parent is not None and one.parent.kind == "trial"]
    assert again
    assert all("Hint: " in turn.observation and turn.off_policy for one in again for turn in one.turns)
    assert not any(turn.off_policy for one in learned if one.parent is None for turn in one.turns)
    for each in learned:
        assert "Hint" not in "".join(engine.tokenizer.decode(segment.token_ids) for segment in each.segments)


def test_the_recipe_of_machine_learning_engineers_weighs_by_duration_and_pays_milestones() -> None:
    recipe = load_recipe("mle")
    assert recipe.world.id == "TinyMLE-v0"
    assert [type(each) for each in recipe.advantages] == [DurationWeighted]
    assert recipe_table("mle")["world"]["wrappers"] == [{"name": "ProgressReward", "scale": 0.2}]
    with pytest.raises(ConfigError, match="does not tell"):
        load_recipe("mle", {"world.id": "PythonMath-v0"})


@pytest.mark.full
def test_scripts_are_written_and_learned_from_by_their_duration(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="the extra mle is not installed")
    sandbox()
    little = {
        "model": {"tiny": {"layers": 1, "width": 32, "context": 4096, "vocabulary": 2048}, "max_new_tokens": 24},
        "clone": {"episodes": 4, "batch": 2, "epochs": 1, "teacher": "oracle", "noise": 0.0},
        "rollout.groups": 2, "rollout.group_size": 2, "rollout.horizon": 3, "update.updates": 2,
        "update.learning_rate": 1e-3, "callback": [],
    }  # fmt: skip
    history = run_recipe(recipe_table("mle", little), tmp_path).history
    assert len(history) == 2
    assert all(update["episodes"] == 4 for update in history)
    assert all(update["counters"]["DurationWeighted"]["duration"] > 0 for update in history)
