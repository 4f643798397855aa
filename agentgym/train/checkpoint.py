"""Checkpoints that appear whole or not at all, and runs that go on as if nothing had happened.

A checkpoint is a folder `checkpoint-000020` in the run's: the model and tokenizer as `transformers` writes them, for
use elsewhere, and `state.pt` with the trained weights, a reference that was renewed, optimizer, learners, replay, task
sampler, earlier selves, regularizers, generator of torch and the lengths of the run's JSON lines. `manifest.json`,
written last, holds a checksum of every file. The two newest are kept, so a checkpoint that was damaged on disk leaves
one to fall back on.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from agentgym.agents.pretrained import save_engine
from agentgym.core import DataError
from agentgym.train.distributed import FSDP
from agentgym.train.run_dir import read_lines

if TYPE_CHECKING:
    from agentgym.train.trainer import Trainer

KEPT = 2
MANIFEST, STATE = "manifest.json", "state.pt"


def save(trainer: Trainer) -> Path | None:
    """Write the trainer's whole state into its run's folder; the folder's name appears when it is complete.

    Where several processes train, all call it, for each may hold a part of the model; the first writes.

    Returns:
        The folder; None in the other processes.

    Raises:
        DataError: if it cannot be written, such as on a full disk; earlier checkpoints stay as they were.
    """
    model = _whole_model(trainer)
    state = state_of(trainer)
    if trainer.distributed.rank:
        return None
    run = trainer.folder
    target = run / f"checkpoint-{trainer.update:06d}"
    partial = run / f".{target.name}.partial"
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        save_engine(trainer.engine, partial, model)
        torch.save(state, partial / STATE)
        sums = {file.name: _checksum(file) for file in sorted(partial.iterdir())}
        (partial / MANIFEST).write_text(json.dumps(sums, indent=1), encoding="utf8")
        for file in partial.iterdir():
            _sync(file)
        if target.exists():
            shutil.rmtree(target)
        partial.rename(target)
        _sync(run)
    except (OSError, RuntimeError) as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise DataError(f"the checkpoint {target} could not be written ({error}); the one before it stands") from error
    for old in checkpoints(run)[:-KEPT]:
        shutil.rmtree(old)
    return target


def checkpoints(run: Path) -> list[Path]:
    """The complete checkpoints of a run, oldest first."""
    return sorted(path for path in run.glob("checkpoint-*") if (path / MANIFEST).is_file())


def resume(trainer: Trainer, checkpoint: Path) -> None:
    """Bring a fresh trainer of the same recipe to where a checkpoint was taken, and its run's records with it.

    Args:
        trainer: A trainer that has taken no step.
        checkpoint: A folder that `save` wrote.

    Raises:
        DataError: if a file of the checkpoint is damaged or missing.
    """
    verify(checkpoint)
    state = torch.load(checkpoint / STATE, map_location=trainer.engine.model.device, weights_only=True)
    weights = dict(trainer.engine.model.named_parameters())
    with torch.no_grad():
        for name, value in state["weights"].items():
            weights[name].copy_(trainer.distributed.own_part(value, weights[name]))
    trainer.update = state["update"]
    trainer.stopped = state["stopped"]
    trainer.engine.version = state["version"]
    moments = state["optimizer"]["state"]
    for number, weight in enumerate(trainer.params):
        for name, value in moments.get(number, {}).items():
            moments[number][name] = trainer.distributed.own_part(value, weight)
    trainer.optimizer.load_state_dict(state["optimizer"])
    trainer.tasks.load(state["tasks"])
    if trainer.opponent is not None:
        trainer.opponent.load(state["opponent"])
    if trainer.replay is not None:
        trainer.replay.load(state["replay"])
    if state["reference"] is not None:
        renewed = dict(trainer.reference.named_parameters())
        for name, value in state["reference"].items():
            renewed[name].copy_(value)
    for name in ("learners", "memories"):
        for part, kept in zip(getattr(trainer, name), state[name], strict=True):
            part.load(kept)
    torch.set_rng_state(state["torch_rng"].cpu())
    if trainer.run:
        trainer.run.cut(state["lengths"])
    trainer.distributed.max_of(0)  # the others read what the first has cut
    path = checkpoint.parent / "updates.jsonl"
    trainer.history = read_lines(path) if path.exists() else []


def state_of(trainer: Trainer) -> dict[str, Any]:
    """All that changes during a run."""
    whole = trainer.distributed.full_tensor
    optimizer = trainer.optimizer.state_dict()
    optimizer["state"] = {
        number: {name: whole(value) for name, value in moments.items()}
        for number, moments in optimizer["state"].items()
    }
    weights = {name: whole(weight) for name, weight in trainer.engine.model.named_parameters() if weight.requires_grad}
    renewed = dict(trainer.reference.named_parameters()) if trainer.recipe.update.ref_sync_every else {}
    return {
        "update": trainer.update,
        "stopped": trainer.stopped,
        "version": trainer.engine.version,
        "weights": weights,
        "reference": {name: renewed[name] for name in weights} if renewed else None,
        "optimizer": optimizer,
        "tasks": trainer.tasks.state(),
        "opponent": trainer.opponent.state() if trainer.opponent is not None else None,
        "replay": trainer.replay.state() if trainer.replay is not None else None,
        "learners": [learner.state() for learner in trainer.learners],
        "memories": [part.state() for part in trainer.memories],
        "torch_rng": torch.get_rng_state(),
        "lengths": trainer.run.lengths() if trainer.run else {},
    }


def _whole_model(trainer: Trainer) -> dict[str, torch.Tensor] | None:
    """The whole model's weights by name, tied ones once; None where this process has all of it anyway."""
    if not isinstance(trainer.distributed, FSDP):
        return None
    found: dict[int, torch.Tensor] = {}
    named = trainer.engine.model.state_dict(keep_vars=True)
    for weight in named.values():
        if id(weight) not in found:
            found[id(weight)] = trainer.distributed.full_tensor(weight)
    return {name: found[id(weight)] for name, weight in named.items()}


def verify(checkpoint: Path) -> None:
    """Compare every file with the checksum it was written with.

    Raises:
        DataError: naming the first file that differs, and the checkpoint to fall back on.
    """
    others = [path.name for path in checkpoints(checkpoint.parent) if path != checkpoint]
    advice = f"remove {checkpoint.name} to go on from {others[-1]}" if others else "begin the run anew"
    try:
        sums = json.loads((checkpoint / MANIFEST).read_text(encoding="utf8"))
        for name, wanted in sums.items():
            if _checksum(checkpoint / name) != wanted:
                raise DataError(f"{checkpoint / name} is damaged; {advice}")
    except (OSError, ValueError) as error:
        raise DataError(f"{checkpoint} is no complete checkpoint ({error}); {advice}") from None


def _checksum(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
