"""Imports and what is played inside `generators_kept` leave Python's and NumPy's global generators as they were."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym.core.errors import require
from agentgym.core.generators import generators_kept


def drawn() -> tuple[Any, ...]:
    """The state of both, in a form that can be compared."""
    name, keys, *rest = np.random.get_state(legacy=True)
    return random.getstate(), name, keys.tolist(), *rest


def test_what_is_drawn_inside_is_drawn_again_outside() -> None:
    before = drawn()
    with generators_kept():
        inside = random.random(), float(np.random.random()), float(np.random.normal())
        assert drawn() != before
    assert drawn() == before
    assert (random.random(), float(np.random.random()), float(np.random.normal())) == inside


def test_they_are_put_back_after_an_error() -> None:
    before = drawn()
    with pytest.raises(ZeroDivisionError), generators_kept():
        1 / int(random.random() + np.random.random() > 2)
    assert drawn() == before


def test_a_package_that_draws_while_it_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "drawing_package.py").write_text(
        "import random, numpy\nVALUE = random.random() + numpy.random.random()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    before = drawn()
    found = require("drawing_package", extra="dev", purpose="this test")
    sys.modules.pop("drawing_package")
    assert 0 <= found.VALUE <= 2
    assert drawn() == before


PLAY = """
import random, numpy, agentgym
env = agentgym.make("TinyMLE-v0")
before = random.getstate(), str(numpy.random.get_state())
env.reset(seed=0)
while True:
    *_, terminated, truncated, info = env.step(env.unwrapped.oracle_action())
    if terminated or truncated:
        break
assert info["success"]
assert (random.getstate(), str(numpy.random.get_state())) == before, "drawn"
"""


def test_models_are_fitted_in_a_fresh_process_without_a_draw_from_them() -> None:
    pytest.importorskip("sklearn")
    ended = subprocess.run([sys.executable, "-c", PLAY], capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr[-2000:]
