"""A checkpoint holds tensors and plain values; code that one names is not run."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the extra train is not installed")
PATIENCE = 300  # seconds
RECIPE = (
    "--model.tiny", "{ layers = 1, width = 32, heads = 2, vocabulary = 400, context = 1024 }", "--clone.episodes", "8",
    "--clone.batch", "8", "--rollout.groups", "2", "--rollout.group_size", "2", "--update.updates", "1",
    "--checkpoint.every", "1", "--callback", "[]",
)  # fmt: skip


class Harm:
    """What its pickle does when it is loaded."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch harmed",)


def train(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "agentgym", "train", "grpo", *RECIPE, "--out", "run"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.mark.full
def test_a_checkpoint_that_names_code_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where its checksums are right."""
    monkeypatch.chdir(tmp_path)
    done = train(tmp_path)
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "run").glob("checkpoint-*")
    content = pickle.dumps(Harm())
    (folder / "state.pt").write_bytes(content)
    sums = json.loads((folder / "manifest.json").read_text())
    sums["files"]["state.pt"] = hashlib.sha256(content).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(sums))
    refused = train(tmp_path)
    assert refused.returncode == 2
    assert "state.pt holds more than tensors and plain values, so no training wrote it" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not (tmp_path / "harmed").exists()
    pickle.loads(content)  # what was refused does harm where it is loaded
    assert Path("harmed").exists()
