"""TRL's OpenEnv path: its environments play on our server through OpenEnv's client, where both are installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

WHY = "TRL is not installed: pip install -c constraints.txt '.[trl]'"
pytest.importorskip("trl", reason=WHY)
pytest.importorskip("openenv.core", reason=WHY)
pytest.importorskip("torch", reason=WHY)

import agentgym  # noqa: E402
from agentgym.baselines.bridges import trl_grpo, trl_openenv  # noqa: E402
from tests.baselines.test_bridges_trl import _speaker  # noqa: E402
from tests.serve.conftest import Running, starter  # noqa: E402

LAKE = "FrozenLake-v0"
OPTIONS = ("--env", "size=3", "--env", "slippery=false")


@pytest.fixture(scope="module")
def lake() -> Iterator[Running]:
    with starter() as start:
        yield start(LAKE, *OPTIONS)


def test_the_environment_plays_as_the_world_itself(lake: Running) -> None:
    env = agentgym.make(LAKE, **trl_grpo.Lake.arguments)
    one, other = trl_openenv.environment(lake.url, LAKE)(), trl_openenv.environment(lake.url, LAKE)()
    for task in (3, 4):
        seen, _ = env.reset(seed=task, options={"task": task})
        assert one.reset(task=task, prompt=[]) == other.reset(task=task) == seen
        total, ended = 0.0, False
        while not ended:
            action = env.unwrapped.oracle_action()
            seen, reward, terminated, truncated, _ = env.step(action)
            assert one.act(action) == seen
            total, ended = total + float(reward), terminated or truncated
        assert (one.get_reward(), other.get_reward()) == (total, 0.0) == (1.0, 0.0)
        with pytest.raises(trl_grpo.Played, match="over"):
            one.act("down")


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_the_trainer_plays_on_the_server_and_learns_a_step(
    lake: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    model, tokenizer = _speaker()
    settings = {"max_completion_length": 160, "temperature": 0.7, "use_cpu": True, "bf16": False}
    run = trl_openenv.trainer(lake.url, LAKE, model, 1, str(tmp_path), tokenizer, **settings)
    run.train()
    assert run.state.global_step == 1
    logged = run.state.log_history[0]
    assert "rewards/Served/mean" in logged, sorted(logged)
    assert logged["tools/call_frequency"] > 0, "the model called the tool"
