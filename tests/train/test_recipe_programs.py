"""Recipes of worlds in which programs are run: what each is made of, and how it learns from help."""

from __future__ import annotations

from typing import Any

import pytest

from agentgym.core import ConfigError
from agentgym.rollout import EnvPool
from agentgym.rollout.strategies import GuidedAttempts
from agentgym.rollout.wrapping import named_wrapper
from agentgym.train import Trainer, load_recipe
from agentgym.train.advantages import EarlyCall
from agentgym.train.filters import DropZeroVariance, Overlong
from agentgym.train.regularizers import EntropyFloor
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
