"""Values that JSON does not know, on their way to a client."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """A value as JSON data: an array as its type, its shape and its bytes in base 64, of whatever dimension."""
    if isinstance(value, np.ndarray):
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
        return {"array": data, "dtype": value.dtype.str, "shape": list(value.shape)}
    return value


def unplain(value: Any) -> Any:
    """What `plain` was given; of an array, a copy."""
    if isinstance(value, dict) and "array" in value:
        flat = np.frombuffer(base64.b64decode(value["array"]), np.dtype(value["dtype"]))
        return flat.reshape(value["shape"]).copy()
    return value
