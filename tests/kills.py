"""Commands that are killed at random moments and started again: nothing is lost or doubled, and the end is the same.

python -m tests.kills train 100        # or eval, tournament, reproduce; kills that are survived, then the time
"""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from agentgym.core.rng import stream

LAKE, KUHN = "FrozenLake-v0", "KuhnPoker-v0"
EPISODES, DEALS = 40, 8
CLOCK = ("seconds", "per_second")
TRAINING: Mapping[str, Any] = {
    "model.tiny": {"layers": 1, "width": 32, "heads": 2, "vocabulary": 400},
    "clone.episodes": 32,
    "clone.batch": 8,
    "rollout.groups": 2,
    "rollout.group_size": 4,
    "update.updates": 7,
    "update.learning_rate": 1e-3,
    "replay": {"name": "success"},
    "callback": [],
    "checkpoint.every": 2,
}
CLAIM = """
claim = "More demonstrations help."
source = "common sense"

[common]
"model.tiny" = { layers = 1, width = 32, heads = 2, vocabulary = 400 }
"clone.episodes" = 16
"clone.batch" = 8
"rollout.groups" = 2
"rollout.group_size" = 2
"update.updates" = 3
"update.learning_rate" = 1e-3
"callback" = []
"checkpoint.every" = 1

[arms.plain]
recipe = "grpo"

[arms.live]
recipe = "grpo"
filter = ["drop_zero_variance"]

[[checks]]
metric = "dead_share_learned"
larger = "plain"
smaller = "live"
by = -0.5
"""


def train(folder: Path) -> None:
    """A training of 7 updates with a checkpoint after every second."""
    import torch

    from agentgym.train import recipe_table, run_recipe

    torch.set_num_threads(1)
    run_recipe(recipe_table("grpo", TRAINING), folder)


def evaluation(folder: Path) -> None:
    """An evaluation of 40 episodes."""
    from agentgym.evaluate import evaluate

    evaluate(LAKE, episodes=EPISODES, workers=1, out=folder)


def tournament(folder: Path) -> None:
    """A tournament of 64 games."""
    from agentgym.evaluate.tournament import tournament as play

    play(KUHN, ["random", "simple"], deals=DEALS, out=folder)


def reproduction(folder: Path) -> None:
    """A claim with two arms and two seeds, in two processes."""
    from agentgym.reproduce import load_claim, reproduce

    file = folder.with_name("claim.toml")
    file.write_text(CLAIM, encoding="utf8")
    reproduce(load_claim(str(file)), 2, folder, command="reproduce", workers=2)


KINDS: Mapping[str, Callable[[Path], None]] = {
    "train": train,
    "eval": evaluation,
    "tournament": tournament,
    "reproduce": reproduction,
}


def soak(kind: str, kills: int, *, seed: int = 0) -> int:
    """Kill a command at random moments, start it again each time, and compare its end with that of an unbroken one.

    Args:
        kind: One of `KINDS`.
        kills: How many kills the command survives; when it ends, it begins in a new folder.
        seed: Of the moments.

    Returns:
        Runs that ended and were compared.

    Raises:
        AssertionError: if a record was lost, doubled or changed.
    """
    rng = stream("tests.kills", seed)
    context = multiprocessing.get_context("forkserver")  # a warm process to fork from: a start costs no imports
    context.set_forkserver_preload(["tests.kills", "agentgym.train", "agentgym.reproduce"])
    with TemporaryDirectory() as place:
        whole = Path(place) / "whole" / "run"
        whole.parent.mkdir()
        _play(context, int)  # starts what the others are forked from
        duration = _play(context, KINDS[kind], whole)
        wanted, killed, ended = result(kind, whole), 0, 0
        while killed < kills or not ended:
            folder = Path(place) / f"broken-{ended}" / "run"
            folder.parent.mkdir()
            finished, kept = False, dict[str, bytes]()
            while not finished:
                process = context.Process(target=KINDS[kind], args=(folder,))
                process.start()
                process.join(rng.uniform(0, duration) if killed < kills else None)
                finished = process.exitcode is not None
                if not finished:
                    process.kill()
                    process.join()
                    killed += 1
                assert process.exitcode in (0, -9), f"{kind} failed when it was started again"
                kept = _check_kept(folder, kept)
                process.close()
            assert result(kind, folder) == wanted, f"{kind} in {folder} ended otherwise than unbroken"
            ended += 1
    return ended


def _play(context: Any, work: Callable[..., Any], *arguments: Any) -> float:
    """Do something in a process, undisturbed; seconds that took."""
    began = time.perf_counter()
    process = context.Process(target=work, args=arguments)
    process.start()
    process.join()
    assert process.exitcode == 0
    return time.perf_counter() - began


def _check_kept(folder: Path, kept: Mapping[str, bytes]) -> dict[str, bytes]:
    """What was on disk before is still there, or, in a training, is done again from the checkpoint on."""
    if not (folder / "recipe.json").exists() and folder.exists():
        for name, lines in kept.items():
            assert (folder / name).read_bytes().startswith(lines), f"{folder / name} has lost records"
    return {file.name: _whole_lines(file.read_bytes()) for file in folder.glob("*.jsonl")}


def _whole_lines(content: bytes) -> bytes:
    return content[: content.rfind(b"\n") + 1]


def result(kind: str, folder: Path) -> dict[str, Any]:
    """What a command has left, without what depends on the clock, and each file of lines without a doubled one.

    Args:
        kind: One of `KINDS`.
        folder: What it wrote.
    """
    if kind == "reproduce":
        record = json.loads((folder / "claim.json").read_text())
        runs = [each for each in sorted((folder / "runs").iterdir()) if (each / "episodes.jsonl").exists()]
        return {"record": _timeless({**record, "machine": ""}), **{each.name: result("train", each) for each in runs}}
    found: dict[str, Any] = {}
    for file in sorted(folder.glob("*.jsonl")):
        lines = [_without_clock(json.loads(line)) for line in file.read_bytes().splitlines()]
        found[file.name] = sorted(lines) if kind == "eval" else lines
    if kind == "train":
        checkpoints = sorted(folder.glob("checkpoint-*"))
        found["checkpoints"] = [each.name for each in checkpoints]
        found["weights"] = (checkpoints[-1] / "model.safetensors").read_bytes()
    else:
        (lines,) = found.values()
        assert len(set(lines)) == len(lines) == (EPISODES if kind == "eval" else 8 * DEALS)
    return found


def _without_clock(record: Mapping[str, Any]) -> str:
    return json.dumps({key: value for key, value in record.items() if not any(word in key for word in CLOCK)})


def _timeless(record: Any) -> Any:
    """A record of any depth, without what depends on the clock."""
    if isinstance(record, dict):
        return {key: _timeless(value) for key, value in record.items() if not any(word in key for word in CLOCK)}
    return [_timeless(value) for value in record] if isinstance(record, list) else record
