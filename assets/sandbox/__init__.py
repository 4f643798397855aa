"""What the sandbox of Docker is built from.

Licence: written for this project, under the MIT licence. The base image is not shipped; it is the machine's.
"""

from __future__ import annotations

import hashlib
from importlib import resources

from agentgym.core.errors import DataError

__all__ = ["CHECKSUMS", "dockerfile"]

CHECKSUMS = {"Dockerfile": "6e7e7fd4baad27fe5d717c46d1640eacf4c2527867df2d7d5c6fba6cabcb58fd"}
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
