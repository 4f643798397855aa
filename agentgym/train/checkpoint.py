"""Checkpoints that appear whole or not at all, and runs that go on as if nothing had happened.

A checkpoint is a folder `checkpoint-000020` in the run's: the model and tokenizer as `transformers` writes them, for
use elsewhere, the prompt with the text that was learned, and `state.pt` with the trained weights, a reference that was
renewed, optimizer, learners, replay, task sampler, artifact, earlier selves, regularizers and generator of torch. Of
several policies the first that learns stands there; each of the others has a folder of its name in `policies/`.
`manifest.json`, written last, holds a checksum of every file and the lengths of the run's JSON lines. The table
`[checkpoint]` of the recipe says how often one is written and how many of the newest are kept; a run goes on from the
newest that is whole.
"""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

import torch

from agentgym.agents.engine import HuggingFaceEngine
from agentgym.agents.pretrained import save_engine
from agentgym.core import DataError
from agentgym.core.files import LOG, check_whole, parse_object, remove, whole_folder
from agentgym.core.kinds import check_kind
from agentgym.train.distributed import SingleProcess
from agentgym.train.run_dir import Run, lines_of, read_lines

if TYPE_CHECKING:
    from agentgym.train.policies import LearningPolicy
    from agentgym.train.trainer import Trainer

STATE, POLICIES = "state.pt", "policies"


def save(trainer: Trainer) -> Path | None:
    """Write the trainer's whole state into its run's folder; the folder's name appears when it is complete.

    Where several processes train, all call it, for each may hold a part of the model; the first writes.

    Returns:
        The folder; None in the other processes.

    Raises:
        DataError: if it cannot be written, such as on a full disk; earlier checkpoints stay as they were.
    """
    model = trainer.distributed.whole_weights(trainer.engine.model)
    state = state_of(trainer)
    if trainer.distributed.rank:
        return None
    run = trainer.run
    assert run is not None, "the first process records"
    target = run.path / f"checkpoint-{trainer.update:06d}"
    with whole_folder(target, {"update": trainer.update, "lines": run.lengths()}) as folder:
        learning = [*trainer.policies]
        save_engine(_worded(trainer, trainer.engine, learning[0].name if learning else None), folder, model)
        for policy in learning[1:]:
            own = folder / POLICIES / policy.name
            own.mkdir(parents=True)
            save_engine(_worded(trainer, policy.engine, policy.name), own)
        torch.save(state, folder / STATE)
    remove_old(target, trainer.recipe.checkpoint.keep)
    return target


def _worded(trainer: Trainer, engine: HuggingFaceEngine, name: str | None) -> HuggingFaceEngine:
    """The engine of a policy, None if nobody learns, as it is asked: with the artifact's text, if it reads that."""
    artifact = trainer.artifact
    if artifact is None or (name is not None and artifact.policies and name not in artifact.policies):
        return engine
    asked = copy.copy(engine)
    asked.prompt = replace(engine.prompt, guidance=artifact.text)
    return asked


def remove_old(latest: Path, keep: int) -> None:
    """Remove the checkpoints before one, but for the last of them.

    Args:
        latest: The checkpoint from which the run goes on; it is kept, and what comes after it as well.
        keep: How many are kept up to it.
    """
    for old in [path for path in checkpoints(latest.parent) if path <= latest][:-keep]:
        remove(old)


def checkpoints(run: Path) -> list[Path]:
    """The checkpoints of a run, oldest first."""
    return sorted(path for path in run.glob("checkpoint-*") if path.is_dir())


def newest(run: Run, every: int) -> Path | None:
    """The newest checkpoint from which a run can go on; None if it has not written one yet.

    Args:
        run: The run.
        every: Updates between its checkpoints.

    Raises:
        DataError: if no checkpoint is whole, or all are gone though the run has recorded more updates than that.
    """
    advice = f"to begin anew, remove {run.path} or give another folder"
    damage = ""
    for candidate in reversed(checkpoints(run.path)):
        try:
            check_whole(candidate)
            run.check_lengths(lines_of(candidate))
            return candidate
        except DataError as error:
            damage = damage or str(error)
            LOG.warning("%s cannot be gone on from: %s", candidate, error)
    if damage:
        raise DataError(f"{run.path} has no whole checkpoint: {damage}; {advice}")
    updates = run.path / "updates.jsonl"
    done = len(read_lines(updates)) if updates.exists() else 0
    if done > every:
        raise DataError(f"{run.path} has recorded {done} updates, but its checkpoints are gone; {advice}")
    return None


def resume(trainer: Trainer, checkpoint: Path) -> None:
    """Bring a fresh trainer of the same recipe to where a checkpoint was taken, and its run's records with it.

    Args:
        trainer: A trainer that has taken no step.
        checkpoint: A folder that `save` wrote and `newest` found whole.

    Raises:
        DataError: if it names code, which is not run.
    """
    try:
        divided = trainer.distributed.divides  # then each reads no more of it than its part
        device = torch.device("cpu") if divided else trainer.engine.model.device
        state = torch.load(checkpoint / STATE, map_location=device, weights_only=True, mmap=divided)
    except pickle.UnpicklingError as error:
        raise DataError(
            f"{checkpoint / STATE} holds more than tensors and plain values, so no training wrote it "
            f"({str(error).splitlines()[0]}); do not use this run"
        ) from None
    trainer.update = state["update"]
    trainer.stopped = state["stopped"]
    states = [state, *state["policies"].values()] if trainer.policies.learning else []
    for policy, own in zip(trainer.policies, states, strict=True):
        _load_policy(policy, own, trainer.distributed)
    for world, own in zip(trainer.worlds, [state, *state["mixture"]], strict=True):
        world.load(own)
    for name in ("replay", "between", "artifact"):
        if getattr(trainer, name) is not None:
            getattr(trainer, name).load(state[name])
    torch.set_rng_state(state["torch_rng"].cpu())
    if trainer.run:
        trainer.run.cut(lines_of(checkpoint))
    trainer.distributed.max_of(0)  # the others read what the first has cut
    path = checkpoint.parent / "updates.jsonl"
    trainer.history = read_lines(path, _update) if path.exists() else []


class _Counted(TypedDict, total=False):
    world_steps: float
    groups_learned: float
    dead_groups_learned: float
    success: float | None
    eval_success: float | None


class _Update(_Counted):
    update: int


def _update(line: bytes) -> dict[str, Any]:
    """A line of `updates.jsonl`."""
    found = parse_object(line)
    check_kind(found, _Update, "update of a training")
    return found


def state_of(trainer: Trainer) -> dict[str, Any]:
    """All that changes during a run."""
    first, *rest = [_policy_state(policy, trainer) for policy in trainer.policies] or [{}]
    return {
        "update": trainer.update,
        "stopped": trainer.stopped,
        **first,
        "policies": {policy.name: own for policy, own in zip([*trainer.policies][1:], rest, strict=True)},
        **trainer.worlds[0].state(),
        "mixture": [world.state() for world in trainer.worlds[1:]],
        "replay": trainer.replay.state() if trainer.replay is not None else None,
        "artifact": trainer.artifact.state() if trainer.artifact is not None else None,
        "between": trainer.between.state() if trainer.between is not None else None,
        "torch_rng": torch.get_rng_state(),
    }


def _policy_state(policy: LearningPolicy, trainer: Trainer) -> dict[str, Any]:
    """All of a policy that changes."""
    whole = trainer.distributed.full_tensor
    optimizer = policy.optimizer.state_dict()
    optimizer["state"] = {
        number: {name: whole(value) for name, value in moments.items()}
        for number, moments in optimizer["state"].items()
    }
    renewed = policy.reference if trainer.recipe.update.ref_sync_every else None
    return {
        "version": policy.engine.version,
        "weights": {
            name: whole(weight) for name, weight in policy.engine.model.named_parameters() if weight.requires_grad
        },
        "reference": {name: whole(each) for name, each in renewed.state().items()} if renewed is not None else None,
        "optimizer": optimizer,
        "masters": {number: whole(master) for number, master in policy.optimizer.masters.items()},
        "learners": [learner.state() for learner in policy.learners],
        "memories": [part.state() for part in policy.memories],
    }


def _load_policy(policy: LearningPolicy, state: dict[str, Any], distributed: SingleProcess) -> None:
    """Bring a fresh policy to where `_policy_state` was taken."""
    weights = dict(policy.engine.model.named_parameters())
    with torch.no_grad():
        for name, value in state["weights"].items():
            weights[name].copy_(distributed.own_part(value, weights[name]))
    policy.engine.version = state["version"]
    moments = state["optimizer"]["state"]
    for number, weight in enumerate(policy.params):
        for name, value in moments.get(number, {}).items():
            moments[number][name] = distributed.own_part(value, weight)
    policy.optimizer.load_state_dict(state["optimizer"])
    policy.optimizer.load_masters(
        {number: distributed.own_part(value, policy.params[number]) for number, value in state["masters"].items()}
    )
    if state["reference"] is not None:
        assert policy.reference is not None
        own = {name: distributed.own_part(value, weights[name]) for name, value in state["reference"].items()}
        policy.reference.load(own)
    for name in ("learners", "memories"):
        for part, kept in zip(getattr(policy, name), state[name], strict=True):
            part.load(kept)
