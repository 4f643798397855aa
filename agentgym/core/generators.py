"""Python's and NumPy's global generators, which belong to the program that plays an environment."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np


@contextmanager
def generators_kept() -> Iterator[None]:
    """Leave the global generators as they were, whatever is drawn inside; some packages draw when they are imported."""
    python, numpy_state = random.getstate(), np.random.get_state(legacy=False)
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy_state)
