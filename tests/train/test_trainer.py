"""Learning as a test, and what a run promises: equal numbers, nothing lost, nothing ineffective."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from agentgym.core import AgentGymError, ConfigError, DataError
from agentgym.rollout import EnvPool, Episode, collect, demonstrate
from agentgym.train import (
    CloneConfig,
    HuggingFaceEngine,
    Run,
    Trainer,
    clone,
    evaluate_policy,
    load_engine,
    read_lines,
    read_recipe,
    tokenize,
)
from agentgym.train.callbacks import EarlyStop
from agentgym.train.config import WorldConfig
from agentgym.train.run import trainable
from agentgym.train.trainer import _whole_groups
from tests.rollout.worlds import ID, SIZE

Make = Callable[..., HuggingFaceEngine]
CLOCK = {"seconds", "seconds_world", "seconds_generation", "seconds_update"}
CLOCK |= {"episodes_per_second", "sampled_tokens_per_second"}


def trainer(
    engine: HuggingFaceEngine, *, world: EnvPool | None = None, run: Run | None = None, **settings: Any
) -> Trainer:
    """GRPO on the echo world; `settings` go into the tables of their name, plain ones into `update`."""
    table: dict[str, Any] = {
        "world": {"id": ID},
        "model": {"name": "unused"},
        "rollout": {"groups": 4, "group_size": 4},
        "advantage": [{"name": "group_relative"}],
        "loss": {"name": "ppo_clip"},
        "update": {"updates": 2, "steps": 2},
    }
    on_update = settings.pop("on_update", None)
    for key, value in settings.items():
        if isinstance(value, dict) and key in ("rollout", "update"):
            table[key] |= value
        else:
            table[key] = value
    return Trainer(read_recipe(table), engine, world or EnvPool(ID), run=run, on_update=on_update)


ON_POLICY: dict[str, Any] = {"loss": "policy_gradient"}


def cloned(make_engine: Make, noise: float, epochs: int, **options: Any) -> HuggingFaceEngine:
    engine = make_engine(**options)
    episodes = demonstrate(EnvPool(ID), range(SIZE), noise=noise, seed=1)
    segments = tokenize(episodes, engine.chat, engine.context_limit)
    clone(engine, segments, CloneConfig(SIZE, epochs=epochs, batch=8, learning_rate=1e-2))
    return engine


def success(engine: HuggingFaceEngine) -> float:
    episodes = evaluate_policy(engine, EnvPool(ID, split="test"), range(SIZE), seed=5)
    return sum(episode.success for episode in episodes) / SIZE


def weights(engine: HuggingFaceEngine) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in engine.model.parameters()])


def numbers(history: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in metrics.items() if key not in CLOCK} for metrics in history]


def test_cloning_then_improving_reaches_near_optimal(make_engine: Make) -> None:
    """The untrained model knows nothing, the clone is as clumsy as its teacher, GRPO is neither."""
    assert success(make_engine()) == 0.0
    engine = cloned(make_engine, noise=0.5, epochs=24)
    before = success(engine)
    assert 0.05 < before < 0.65
    rate = {"linear": [3e-3, 0.0], "over": 90}
    update = {"updates": 90, "steps": 2, "learning_rate": rate}
    history = trainer(engine, rollout={"groups": 8, "group_size": 8}, update=update).train()
    assert success(engine) > 0.95
    assert history[-1]["return"] > history[0]["return"]
    assert engine.version == 90


def test_the_reference_stays_or_follows(make_engine: Make) -> None:
    """The divergence from it is 0 before the first step of a round exactly where it is the policy itself."""
    pull = [{"name": "kl", "coefficient": 0.1}]
    update = {"updates": 5, "steps": 1}
    means = {}
    for every in (0, 2):
        learner = trainer(
            cloned(make_engine, noise=0.5, epochs=4),
            regularizer=pull,
            update={**update, "ref_sync_every": every},
            **ON_POLICY,
        )
        means[every] = [round(each["kl_reference"], 9) for each in learner.train()]
    assert [mean > 0 for mean in means[0]] == [False, True, True, True, True]
    assert [mean > 0 for mean in means[2]] == [False, True, False, True, False]


def test_equal_seeds_give_equal_numbers(make_engine: Make) -> None:
    def once(seed: int) -> tuple[list[dict[str, Any]], torch.Tensor]:
        engine = cloned(make_engine, noise=0.5, epochs=1)
        return numbers(trainer(engine, seed=seed).train()), weights(engine)

    first, second, other = once(0), once(0), once(1)
    assert first[0] == second[0]
    assert torch.equal(first[1], second[1])
    assert first[0] != other[0]


def test_dead_groups_are_counted_and_teach_nothing(make_engine: Make) -> None:
    engine = make_engine()  # never says a word of the world, so every return is 0
    before = weights(engine)
    (metrics,) = trainer(engine, rollout={"group_size": 2}, update={"updates": 1}).train()
    assert (metrics["groups"], metrics["dead_groups"], metrics["steps"]) == (4, 4, 0)
    assert metrics["loss"] is None
    assert metrics["group_variance"] == 0
    assert torch.equal(weights(engine), before)


def test_a_first_step_is_on_policy(make_engine: Make) -> None:
    engine = cloned(make_engine, noise=0.5, epochs=2)
    (metrics,) = trainer(engine, **ON_POLICY, rollout={"groups": 8}, update={"updates": 1, "steps": 1}).train()
    assert metrics["steps"] == 1
    assert abs(metrics["kl_sampler"]) < 1e-6
    assert metrics["clip_fraction"] == 0
    assert metrics["entropy"] > 0


def test_environment_failures_are_counted_and_excluded(make_engine: Make) -> None:
    engine = cloned(make_engine, noise=0.5, epochs=2)
    drawn = [int(start.task) for start in trainer(engine)._starts(0, 4)[::4]]
    world = EnvPool(ID, dead=tuple(drawn[:2]))
    metrics = trainer(engine, world=world, update={"updates": 1}).train()[0]
    lost = sum(drawn.count(place) for place in set(drawn[:2])) * 4
    assert metrics["stops"]["failure"] == lost
    assert metrics["episodes"] == 16 - lost
    assert metrics["groups"] == (16 - lost) // 4
    with pytest.raises(ConfigError, match="failed in all"):
        trainer(engine, world=EnvPool(ID, dead=tuple(range(SIZE)))).train()


def test_an_evaluation_counts_where_the_world_failed_and_has_no_figure_without_episodes(make_engine: Make) -> None:
    engine = cloned(make_engine, noise=0.5, epochs=2)
    panel = [{"name": "evaluate", "split": "train", "every": 1, "tasks": 4, "temperature": 0.01}]
    found = []
    for dead in ((), (0, 1), (0, 1, 2, 3)):
        world = {"id": ID, "env_kwargs": {"dead": dead}}
        taught = trainer(engine, world=EnvPool(ID), callback=panel)
        plan = replace(taught.recipe.plans[0], world=WorldConfig(**world))
        found.append(taught.recipe.callbacks[0].play(taught, plan))
    whole, half, none = found
    assert (whole["eval_left_out"], half["eval_left_out"], none["eval_left_out"]) == (0, 2, 4)
    assert half["eval_success"] in (0.0, 0.5, 1.0)  # of the two that were played
    assert (none["eval_success"], none["eval_return"]) == (None, None)


def test_a_group_left_with_one_episode_is_not_compared() -> None:
    episodes = [Episode(str(group), "train", 0, group) for group in (0, 0, 1, 2, 2)]
    assert [episode.group for episode in _whole_groups(episodes, 2)] == [0, 0, 2, 2]
    assert len(_whole_groups(episodes, 1)) == 5


def test_starts_are_a_function_of_seed_and_update(make_engine: Make) -> None:
    one, two = trainer(make_engine()), trainer(make_engine())
    first = one._starts(0, 4)
    assert first == two._starts(0, 4)
    assert first != one._starts(1, 4)
    two.update = 1
    later = two._starts(0, 4)
    assert first != later
    assert len({start.sample for start in first + later}) == 32


def test_evaluation_meets_the_same_dice_and_changes_nothing(make_engine: Make) -> None:
    engine = cloned(make_engine, noise=0.5, epochs=1)
    before = weights(engine)
    twice = [evaluate_policy(engine, EnvPool(ID, split="test"), range(9), seed=2) for _ in range(2)]
    assert twice[0] == twice[1]
    assert torch.equal(weights(engine), before)
    assert twice[0] != evaluate_policy(engine, EnvPool(ID, split="test"), range(9), seed=3)


def test_every_update_is_on_disk_before_the_next(make_engine: Make, tmp_path: Path) -> None:
    engine = cloned(make_engine, noise=0.5, epochs=1)

    def interrupt(metrics: dict[str, Any]) -> None:
        if metrics["update"] == 2:
            raise KeyboardInterrupt

    run = Run(tmp_path / "run")
    rollout, update = {"groups": 2, "group_size": 2}, {"updates": 9, "steps": 1}
    with pytest.raises(KeyboardInterrupt):
        trainer(
            engine, run=run, rollout=rollout, update=update, checkpoint={"every": 2}, on_update=interrupt, **ON_POLICY
        ).train()
    assert [metrics["update"] for metrics in read_lines(run.path / "updates.jsonl")] == [0, 1, 2]
    episodes = read_lines(run.path / "episodes.jsonl")
    assert [episode["update"] for episode in episodes] == [0] * 4 + [1] * 4 + [2] * 4
    assert load_engine(run.path / "checkpoint-000002").version == 2


def test_a_checkpoint_plays_as_the_engine_it_was_saved_from(make_engine: Make, tmp_path: Path) -> None:
    engine = cloned(make_engine, noise=0.5, epochs=1, temperature=0.8)
    run = Run(tmp_path)
    run.save(engine, "model")
    run.save(engine, "model")  # replaces the first
    twin = load_engine(tmp_path / "model")
    assert {path.name for path in tmp_path.iterdir()} == {"model", "run.lock"}
    assert twin.temperature == 0.8
    assert twin.encode_first("red\nActions: red") == engine.encode_first("red\nActions: red")
    episodes = [evaluate_policy(each, EnvPool(ID, split="test"), range(9), seed=2) for each in (engine, twin)]
    assert episodes[0] == episodes[1]


def test_a_half_written_checkpoint_never_takes_the_name(
    make_engine: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, run = make_engine(), Run(tmp_path)
    run.save(engine, "model")
    monkeypatch.setattr(engine.tokenizer, "save_pretrained", lambda path: (_ for _ in ()).throw(OSError("disk full")))
    engine.version = 9
    with pytest.raises(DataError, match=r"model could not be written .*disk full"):
        run.save(engine, "model")
    assert load_engine(tmp_path / "model").version == 0


def test_broken_files_are_clear_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no file"):
        read_lines(tmp_path / "updates.jsonl")
    (tmp_path / "a.jsonl").write_text('{"update": 0}\n{"upd')
    assert read_lines(tmp_path / "a.jsonl") == [{"update": 0}]  # the last line was cut off by a kill
    (tmp_path / "a.jsonl").write_text('{"upd\n{"update": 0}\n')
    with pytest.raises(DataError, match="line 1"):
        read_lines(tmp_path / "a.jsonl")
    with pytest.raises(DataError, match="no complete checkpoint"):
        load_engine(tmp_path)
    with pytest.raises(ConfigError, match="earlier run"):
        Run(tmp_path)


def test_metrics_are_json_without_nan(tmp_path: Path) -> None:
    run = Run(tmp_path)
    with pytest.raises(ValueError, match="JSON"):
        run.append("updates", {"loss": float("nan")})
    run.append("updates", {"loss": None})
    assert json.loads((tmp_path / "updates.jsonl").read_text()) == {"loss": None}


def test_a_model_gone_wrong_stops_the_run(make_engine: Make) -> None:
    engine = make_engine()
    segments = tokenize(demonstrate(EnvPool(ID), range(4), noise=0, seed=0), engine.chat, engine.context_limit)
    with torch.no_grad():
        next(engine.model.parameters()).fill_(float("nan"))
    with pytest.raises(ConfigError, match="gradient norm is nan"):
        clone(engine, segments, CloneConfig(4))


def test_cloning_needs_something_to_clone(make_engine: Make) -> None:
    with pytest.raises(ConfigError, match="no segments"):
        clone(make_engine(), [], CloneConfig(1))


def test_what_is_kept_on_disk_needs_a_place(make_engine: Make) -> None:
    with pytest.raises(ConfigError, match="no folder"):
        trainer(make_engine(), callback=["tensorboard"]).train()


def test_collect_versions_follow_the_updates(make_engine: Make) -> None:
    engine = make_engine()
    taught = trainer(engine)
    taught.train()
    (episode,) = collect(EnvPool(ID), engine, taught._starts(0, 1)[:1])
    assert {turn.version for turn in episode.turns} == {2}


def test_a_constant_aggregate_does_not_favour_short_episodes(make_engine: Make) -> None:
    """Dr. GRPO's mean divides by a budget, so the gradient is that of GRPO times a constant where lengths are equal."""
    norms = {}
    for how in ("episode", "token", "constant"):
        engine = cloned(make_engine, noise=0.5, epochs=4)
        (metrics,) = trainer(
            engine, rollout={"groups": 8}, update={"updates": 1, "steps": 1, "loss_aggregation": how}, **ON_POLICY
        ).train()
        norms[how] = metrics["grad_norm"]
    assert len(set(norms.values())) == 3
    assert norms["constant"] < norms["episode"]  # no answer uses all of its budget


def test_refilling_replaces_groups_that_a_filter_dropped(make_engine: Make) -> None:
    """Dynamic sampling: more is played, until as many groups as planned are alive."""
    rollout, update = {"groups": 8, "group_size": 2}, {"updates": 1}
    plain = trainer(cloned(make_engine, 0.5, 4), filter=["drop_zero_variance"], rollout=rollout, update=update)
    filled = trainer(
        cloned(make_engine, 0.5, 4), filter=["drop_zero_variance"], rollout={**rollout, "refill": 20}, update=update
    )
    (few,), (many,) = plain.train(), filled.train()
    assert few["dead_groups"] > 0
    assert few["kept"] == 2 * (few["groups"] - few["dead_groups"])
    assert many["groups"] > few["groups"]
    assert many["kept"] == 16


def test_schedules_reach_what_they_steer(make_engine: Make) -> None:
    engine = cloned(make_engine, noise=0.5, epochs=4)
    taught = trainer(
        engine,
        rollout={"horizon": {"steps": [[0, 1], [1, 3]]}, "temperature": {"linear": [1.0, 0.5], "over": 1}},
        update={"learning_rate": {"cosine": [1e-3, 0.0], "over": 1}},
    )
    first = taught.train_step()
    assert first["turns"] == 1
    assert taught.optimizer.param_groups[0]["lr"] == 1e-3
    before = weights(engine)
    second = taught.train_step()
    assert second["turns"] > 1
    assert engine.temperature == 0.5
    assert torch.equal(weights(engine), before)  # the rate has fallen to 0


def test_callbacks_evaluate_stop_and_write_events(make_engine: Make, tmp_path: Path) -> None:
    engine = cloned(make_engine, noise=0.5, epochs=16)
    callbacks = [
        {"name": "evaluate", "every": 2, "tasks": 16},
        {"name": "early_stop", "metric": "eval_success", "above": 0.0},
        {"name": "tensorboard"},
    ]
    taught = trainer(engine, run=Run(tmp_path / "run"), callback=callbacks, update={"updates": 9})
    history = taught.train()
    assert [("eval_success" in metrics) for metrics in history] == [False, True]
    assert taught.stopped.startswith("eval_success reached")
    (events, *_) = sorted((tmp_path / "run" / "tensorboard").iterdir())
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    written = EventAccumulator(str(events)).Reload()
    assert written.Scalars("success")[0].value == pytest.approx(history[0]["success"])


@pytest.mark.parametrize(("bound", "counted"), [("world_steps", "world_steps"), ("tokens", "sampled_tokens")])
def test_a_run_ends_when_its_budget_is_spent(make_engine: Make, bound: str, counted: str) -> None:
    first = trainer(cloned(make_engine, noise=0.5, epochs=1), update={"updates": 9}).train_step()[counted]
    callbacks = [{"name": "budget", bound: first + 1}]
    taught = trainer(cloned(make_engine, noise=0.5, epochs=1), callback=callbacks, update={"updates": 9})
    history = taught.train()
    assert history[0][counted] == first
    assert len(history) == 2, "the round in which it is spent is the last one"
    assert taught.stopped.endswith(" are spent")


def logged(folder: Path) -> list[dict[str, float]]:
    """What one offline run of Weights & Biases holds: the scalars of each step. The file is a log as LevelDB has it."""
    from wandb.proto import wandb_internal_pb2

    (file,) = folder.glob("run-*.wandb")
    data = file.read_bytes()
    place, whole, steps = 7, b"", []
    while place + 7 <= len(data):
        if 32_768 - place % 32_768 < 7:  # no header fits into what is left of the block
            place += 32_768 - place % 32_768
            continue
        _, size, kind = struct.unpack_from("<IHB", data, place)
        whole += data[place + 7 : place + 7 + size]
        place += 7 + size
        if kind in (1, 4):  # a whole record, or the last part of one
            record = wandb_internal_pb2.Record.FromString(whole)
            whole = b""
            if record.WhichOneof("record_type") == "history":
                items = {item.key or ".".join(item.nested_key): item.value_json for item in record.history.item}
                steps.append({key: json.loads(value) for key, value in items.items()})
    return steps


def test_weights_and_biases_holds_each_run_by_itself(
    make_engine: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wandb = pytest.importorskip("wandb", reason="wandb is not installed: pip install 'agentgym-suite[track]'")
    for key, value in {
        "MODE": "offline",
        "SILENT": "true",
        "CONFIG_DIR": str(tmp_path),
        "CACHE_DIR": str(tmp_path),
    }.items():
        monkeypatch.setenv(f"WANDB_{key}", value)
    histories = {}
    for name in ("one", "two"):
        taught = trainer(
            make_engine(), run=Run(tmp_path / name), callback=[{"name": "wandb"}], update={"updates": 2, "steps": 2}
        )
        histories[name] = taught.train()
    assert wandb.run is None
    wandb.teardown()  # its service has written all
    for name, history in histories.items():
        (folder,) = (tmp_path / name / "wandb").glob("offline-run-*")
        assert folder.name.endswith((tmp_path / name / "wandb_id").read_text())
        steps = logged(folder)
        assert [step["_step"] for step in steps] == [0, 1]
        for step, metrics in zip(steps, history, strict=True):
            assert step["success"] == pytest.approx(metrics["success"])
            assert step["stops/terminated"] == metrics["stops"]["terminated"]


def test_patience_counts_measurements_without_a_new_best() -> None:
    stop = EarlyStop(metric="success", patience=2)
    seen: list[dict[str, Any]] = []
    run = SimpleNamespace(update=0, stopped="", history=seen)
    stopped = []
    for success_ in (0.5, 0.6, 0.6, 0.55):
        stop.on_update_end(run, {"success": success_})  # type: ignore[arg-type]
        seen.append({"success": success_})
        stopped.append(run.stopped != "")
    assert stopped == [False, False, False, True]


@pytest.mark.parametrize(
    ("callback", "complaint"),
    [
        ({"name": "early_stop", "metric": "sucess", "above": 2}, "unknown early_stop.metric 'sucess'; did you mean"),
        ({"name": "early_stop", "metric": "stops", "above": 2}, "'stops' is no number; there are: .*success"),
        ({"name": "evaluate", "tasks": SIZE + 1, "every": 3}, f"the split 'val' has {SIZE} tasks"),
    ],
)
def test_what_a_callback_cannot_find_is_said_after_the_first_update(
    make_engine: Make, callback: dict[str, Any], complaint: str
) -> None:
    world = {"id": ID, "env_kwargs": {"drift": False}}  # with arguments, its card does not tell the size
    taught = trainer(make_engine(), world=EnvPool(ID), callback=[callback], update={"updates": 3})
    taught = Trainer(replace(taught.recipe, world=WorldConfig(**world)), taught.engine, taught.world)
    with pytest.raises(AgentGymError, match=complaint):
        taught.train()
    assert taught.update == 1


def test_a_metric_that_was_never_measured_is_said_at_the_end() -> None:
    stop = EarlyStop(metric="kl_reference", above=0.5)
    assert stop.summary([{"kl_reference": None}]) == [
        "early_stop: kl_reference was never measured, so it could stop nothing"
    ]
    assert stop.summary([{"kl_reference": None}, {"kl_reference": 0.1}]) == []


def test_low_rank_adapters_learn_alone(make_engine: Make) -> None:
    engine = cloned(make_engine, noise=0.5, epochs=16)
    table = {"world": {"id": ID}, "model": {"name": "unused", "lora": 4}, "clone": {"episodes": 1}}
    trainable(engine, read_recipe(table))
    taught = trainer(engine, update={"learning_rate": 1e-2})
    before = {name: weight.detach().clone() for name, weight in engine.model.named_parameters()}
    taught.train()
    moved = {name for name, weight in engine.model.named_parameters() if not torch.equal(weight, before[name])}
    assert moved
    assert all("lora" in name for name in moved)
    assert sum(weight.numel() for weight in taught.params) < 0.5 * sum(map(torch.numel, before.values()))
