"""Running code in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def in_fresh_process(code: str, *, data: bytes = b"", hash_seed: str = "0") -> bytes:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout
