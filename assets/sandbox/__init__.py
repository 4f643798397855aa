"""What the sandbox of Docker is built from.

Licence: written for this project, under the MIT licence. The base image is not shipped; it is the machine's.
"""

from __future__ import annotations

import hashlib
from importlib import resources

from agentgym.core.errors import DataError

__all__ = ["CHECKSUMS", "dockerfile"]

CHECKSUMS = {"Dockerfile": "343a03c1f364b72f6e32e2cb7965ccc87331ac4e702bca05b87d58cc469d6b9d"}
"""SHA-256 of each file; `sha256sum assets/sandbox/Dockerfile` computes it anew."""


def dockerfile() -> str:
    """The Dockerfile of the image in which programs run.

    Raises:
        DataError: if it is not the one that was shipped.
    """
    data = resources.files(__package__).joinpath("Dockerfile").read_bytes()
    if hashlib.sha256(data).hexdigest() != CHECKSUMS["Dockerfile"]:
        raise DataError("the Dockerfile of the sandbox was changed; install the package anew, or set CHECKSUMS")
    return data.decode()
