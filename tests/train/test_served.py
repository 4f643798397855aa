"""Recipes whose episodes a server plays: versions, what is learned, how old it may be, and a server that is gone."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from starlette.responses import JSONResponse

from agentgym.core import ConfigError, EndpointError
from agentgym.core.errors import UnknownName
from agentgym.rollout import EnvPool, Workers
from agentgym.train import HuggingFaceEngine, read_recipe
from agentgym.train.asynchronous import AsyncTrainer
from agentgym.train.memory import estimate
from agentgym.train.policies import trainable
from agentgym.train.run import build_trainer
from agentgym.train.served import ServedTrainer
from tests.agents.vllm_server import VLLM
from tests.rollout.worlds import ID
from tests.serve.conftest import serving
from tests.train.test_trainer import cloned

Make = Callable[..., HuggingFaceEngine]
NEAR = 1e-4


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., dict[str, Any]]]:
    """Starts a server; what a recipe says of it, and how a test reaches it."""
    running = contextlib.ExitStack()

    def begin(vllm: VLLM) -> dict[str, Any]:
        url = running.enter_context(serving(vllm.app))
        return {"name": "vllm", "base_url": f"{url}/v1", "folder": str(tmp_path / "weights"), "retries": 0}

    with running:
        yield begin


def table(engine: Any, **changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "world": {"id": ID},
        "model": {"name": "unused"},
        "rollout": {"groups": 2, "group_size": 2, "engine": engine},
        "advantage": [{"name": "group_relative"}],
        "loss": {"name": "policy_gradient"},
        "regularizer": [{"name": "entropy", "coefficient": 0.1}],
        "update": {"updates": 3, "learning_rate": 1e-2},
    }
    for name, values in changes.items():
        made[name] = {**made[name], **values} if isinstance(made.get(name), dict) else values
    return made


@pytest.mark.parametrize("lora", [0, 2])
def test_every_update_is_played_by_its_own_weights(make_engine: Make, serve: Any, lora: int) -> None:
    vllm = VLLM(make_engine(0 if lora else 1))
    recipe = read_recipe(table(serve(vllm), model={"lora": lora}))
    played: list[Any] = []

    class Watched(ServedTrainer):
        def _collect(self, rng: Any) -> Any:
            found = super()._collect(rng)
            for episode in found[0]:
                for segment in episode.segments:
                    for span in segment.spans:
                        prompt, said = segment.token_ids[: span.start], segment.token_ids[span.start : span.end]
                        (scored,) = self.engine.score([prompt], [said])
                        assert segment.logprobs is not None
                        assert segment.logprobs[span.start : span.end] == pytest.approx(scored, abs=NEAR)
                played.append((self.update, {turn.version for turn in episode.turns}))
            return found

    engine = trainable(make_engine(0), recipe)
    trainer = Watched(recipe, engine, EnvPool(ID))
    history = trainer.train()
    assert played == [(update, {update}) for update in range(3) for _ in range(4)]
    assert all(abs(metrics["mismatch"]) < NEAR for metrics in history)
    assert all(metrics["grad_norm"] > 0 for metrics in history)
    assert not +vllm.amiss
    asked = sum(vllm.asked.values())
    assert asked == sum(metrics["turns"] * 4 for metrics in history) + 1, "and once to see that the two agree"
    if lora:
        assert [name.split("-")[1] for name in vllm.asked] == ["0", "1", "2"]


def test_the_other_numbers_of_a_server_are_measured_and_corrected(make_engine: Make, serve: Any) -> None:
    """Of one that finds every token 0.3 nats less likely; weights of tokens are cut off at the cap."""

    def doubted(answer: dict[str, Any]) -> dict[str, Any]:
        told = answer["choices"][0]["logprobs"]
        told["token_logprobs"] = [each - 0.3 for each in told["token_logprobs"]]
        return answer

    def trained(spoil: Any) -> dict[str, Any]:
        vllm = VLLM(make_engine(1))
        vllm.spoil = spoil
        update = {"updates": 1, "recompute_logprobs": True, "importance_cap": 1.25}
        changes = {"update": update, "rollout": {"groups": 2, "group_size": 4}, "regularizer": []}
        clumsy = cloned(make_engine, noise=0.8, epochs=2)
        (metrics,) = ServedTrainer(read_recipe(table(serve(vllm), **changes)), clumsy, EnvPool(ID)).train()
        return metrics

    honest, other = trained(lambda answer: answer), trained(doubted)
    assert honest["mismatch"] < NEAR
    assert other["mismatch"] == pytest.approx(0.3, abs=NEAR)
    assert other["kl_sampler"] == pytest.approx(math.exp(0.3) - 1 - 0.3, abs=NEAR)
    assert honest["grad_norm"] > 0
    assert other["grad_norm"] == pytest.approx(1.25 * honest["grad_norm"], rel=1e-3), "exp(0.3) is beyond the cap"


class Red(gym.Wrapper[str, str, str, str]):
    """A bandit of four arms: whatever is shown, one word is worth a third."""

    def step(self, action: str) -> tuple[str, Any, bool, bool, dict[str, Any]]:
        seen, _, terminated, truncated, info = self.env.step(action)
        return seen, float(action == "red") / 3, terminated, truncated, info


def test_a_bandit_is_learned_through_it(make_engine: Make, serve: Any) -> None:
    vllm = VLLM(make_engine(1))
    clumsy = cloned(make_engine, noise=0.8, epochs=6)
    changes: dict[str, Any] = {"rollout": {"groups": 2, "group_size": 8}, "update": {"updates": 7}, "regularizer": []}
    trainer = ServedTrainer(read_recipe(table(serve(vllm), **changes)), clumsy, EnvPool(ID, wrappers=[Red]))
    returns = [metrics["return"] for metrics in trainer.train()]
    assert returns[0] < 0.4, "of four arms"
    assert min(returns[-2:]) > 0.7, returns
    assert not +vllm.amiss


@pytest.mark.parametrize("lora", [0, 2])
def test_episodes_go_on_at_the_server_while_the_weights_are_moved(make_engine: Make, serve: Any, lora: int) -> None:
    vllm = VLLM(make_engine(0 if lora else 1))
    rollout = {"max_staleness": 1, "max_concurrent": 3}
    update = {"updates": 5, "steps": 2, "micro_tokens": 400}
    changes = {"model": {"lora": lora}, "rollout": rollout, "update": update, "loss": {"name": "ppo_clip"}}
    recipe = read_recipe(table(serve(vllm), **changes))
    trainer = AsyncTrainer(recipe, trainable(make_engine(0), recipe), EnvPool(ID))
    learned: list[Any] = []
    play = trainer._play

    def watched(starts: Any) -> Any:
        played = play(starts)
        learned.append((trainer.update, played))
        return played

    trainer._play = watched  # type: ignore[method-assign]
    trainer.train()
    figures = [metrics["asynchronous"] for metrics in trainer.history]
    assert max(each["max_staleness"] for each in figures) == 1
    assert sum(each["overlapped"] for each in figures) > 0
    for update_number, played in learned:
        for episode in played:
            versions: list[Any] = [turn.version for turn in episode.turns]
            assert versions == sorted(versions)
            assert all(update_number - 1 <= version <= update_number for version in versions)
    assert not +vllm.amiss


def test_worlds_in_other_processes_and_a_server(make_engine: Make, serve: Any) -> None:
    vllm = VLLM(make_engine(1))
    recipe = read_recipe(
        table(serve(vllm), rollout={"max_staleness": 1}, loss={"name": "ppo_clip"}, update={"steps": 2})
    )
    pool = EnvPool(ID, workers=Workers(processes=2))
    try:
        assert len(AsyncTrainer(recipe, make_engine(0), pool).train()) == 3
    finally:
        pool.close()
    assert not +vllm.amiss


def test_a_server_on_the_same_device_sleeps_while_the_weights_are_moved(make_engine: Make, serve: Any) -> None:
    vllm = VLLM(make_engine(1))
    slept: list[bool] = []

    class Watched(ServedTrainer):
        def _micro_batches(self, *parts: Any) -> Any:
            slept.append(vllm.asleep)
            return super()._micro_batches(*parts)

    engine = {**serve(vllm), "shares_device": True}
    evaluate = [{"name": "evaluate", "every": 1, "tasks": 2}]
    Watched(read_recipe(table(engine, callback=evaluate)), make_engine(0), EnvPool(ID)).train()
    assert slept == [True] * 3
    assert vllm.orders.count("sleep") == 3
    assert not +vllm.amiss


def test_a_run_that_was_cut_off_goes_on_with_the_weights_of_its_checkpoint(serve: Any, tmp_path: Path) -> None:
    tiny = {"tiny": {"layers": 1, "width": 32, "heads": 2, "vocabulary": 512}, "max_new_tokens": 3}
    whole = build_trainer({**table(None), "model": tiny, "clone": {"episodes": 8, "batch": 8}})
    vllm = VLLM(whole.engine)
    recipe = table(serve(vllm), callback=[{"name": "evaluate", "every": 1, "tasks": 2}])
    recipe |= {"model": tiny, "clone": {"episodes": 8, "batch": 8}, "checkpoint": {"every": 1}}
    first = build_trainer(recipe, tmp_path / "run")
    assert isinstance(first, ServedTrainer)
    first.train_step()
    first.close()
    before = vllm.asked.total()
    again = build_trainer(recipe, tmp_path / "run")
    metrics = again.train()[-1]
    again.close()
    assert again.engine.version == 3
    assert vllm.asked.total() > before
    assert abs(metrics["mismatch"]) < NEAR
    assert not +vllm.amiss


def test_a_server_that_dies_or_answers_amiss_ends_the_run_in_one_line(make_engine: Make, serve: Any) -> None:
    vllm = VLLM(make_engine(1))
    recipe = read_recipe(table(serve(vllm)))
    trainer = ServedTrainer(recipe, make_engine(0), EnvPool(ID))
    trainer.train_step()

    def beyond(answer: dict[str, Any]) -> dict[str, Any]:
        answer["choices"][0]["token_ids"][0] = 10**6
        return answer

    vllm.spoil = beyond
    with pytest.raises(EndpointError, match=r"^http.*1000000 is none of the model's \d+ tokens; check"):
        trainer.train_step()
    vllm.spoil = lambda answer: JSONResponse({"error": {"message": "engine is dead"}}, 500)
    with pytest.raises(EndpointError, match=r"completions answered status 500 .*engine is dead.* \(1 try\)"):
        trainer.train_step()


def test_a_server_that_was_started_again_has_lost_its_adapters(make_engine: Make, serve: Any) -> None:
    vllm = VLLM(make_engine(0))
    recipe = read_recipe(table(serve(vllm), model={"lora": 2}))
    trainer = ServedTrainer(recipe, trainable(make_engine(0), recipe), EnvPool(ID))
    trainer.policies.served.push()  # type: ignore[union-attr]
    vllm.adapters.clear()
    with pytest.raises(EndpointError, match=r"status 404 .*does not exist.*has lost its adapters: start the run again"):
        trainer.train_step()


def test_a_server_is_asked_for_before_anything_that_takes_long(tmp_path: Path) -> None:
    gone = {"name": "vllm", "base_url": "http://127.0.0.1:9/v1", "folder": str(tmp_path), "retries": 0}
    recipe = {**table(gone), "model": {"tiny": {}}, "clone": {"episodes": 10**6}}
    with pytest.raises(EndpointError, match=r"http://127.0.0.1:9/v1/models cannot be reached"):
        build_trainer(recipe)


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"rollout": {"engine": {"name": "vlm"}}}, "unknown rollout.engine 'vlm'; did you mean 'vllm'"),
    ({"rollout": {"engine": "vllm"}}, "rollout.engine 'vllm' needs the setting 'base_url'"),
    ({"policies": {"a": {}}, "players": {"player": "a"}}, r"does not go with \[policies\]"),
    ({"world": {"id": "TicTacToe-v0"}, "rollout": {"opponent": "self_play"}}, "does not go with rollout.opponent"),
    ({"model": {"shard": True}}, "does not go with model.shard"),
    ({"rollout": {"max_staleness": 0}}, "shares_device lets the server sleep .* leave one of the two out"),
]


@pytest.mark.parametrize(("changes", "told"), REFUSED)
def test_what_it_does_not_go_with(changes: dict[str, Any], told: str) -> None:
    engine = {"name": "vllm", "base_url": "http://127.0.0.1:9/v1", "folder": "weights", "shares_device": True}
    with pytest.raises((ConfigError, UnknownName), match=told):
        read_recipe(table(engine, **changes))


def test_a_trainer_of_one_kind_takes_no_recipe_of_another(make_engine: Make) -> None:
    with pytest.raises(ConfigError, match=r"a recipe without rollout\.engine is for Trainer"):
        ServedTrainer(read_recipe(table(None)), make_engine(0), EnvPool(ID))


def test_the_trainer_needs_no_memory_to_play(tmp_path: Path) -> None:
    from tests.agents.pretrained import save_small

    model = {"name": str(save_small(tmp_path / "small"))}
    engine = {"name": "vllm", "base_url": "http://127.0.0.1:9/v1", "folder": "weights"}
    alone, apart = (estimate(read_recipe(table(each, model=model))) for each in (None, engine))
    assert alone.cache > 0 == apart.cache
