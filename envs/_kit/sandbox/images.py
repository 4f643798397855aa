"""Scripts in images that others have built, by Docker's SDK: what instances of published benchmarks run in."""

from __future__ import annotations

import contextlib
import io
import os
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from agentgym.core.errors import EngineFailure, MissingExtra, require

MEMORY, PROCESSES = 4 << 30, 512
LONGEST_OUTPUT = 4_000_000  # bytes that are read of what a script writes
LOGGED = {"max-size": "16m", "max-file": "2"}  # how much of it the daemon keeps: the end
LARGEST_TAKEN = 1 << 30  # bytes of a file that is handed back
PLACE = "/agentgym"  # where a container finds what it is given
OWNER = "agentgym.owner"  # label of a container: which process has made it


@dataclass(frozen=True)
class Left:
    """What a script in a container left.

    Attributes:
        code: Exit status; -1 if it was stopped because its time was over.
        output: Standard output and standard error.
        files: Contents of the files that were asked for and are there, by path.
    """

    code: int
    output: str
    files: Mapping[str, bytes]


@cache
def connect(address: str, process: int) -> Any:
    """A client of the daemon; each process has its own, for a connection is not shared.

    Args:
        address: Of the daemon; empty for what `DOCKER_HOST` says.
        process: Number of this process.

    Raises:
        MissingExtra: if the package is not installed, or no daemon answers.
    """
    docker = require("docker", extra="docker", purpose="what runs in an image of Docker")
    try:
        client = docker.DockerClient(base_url=address) if address else docker.from_env()
        client.ping()
    except docker.errors.DockerException as error:
        said = " ".join(str(error).split())[:120]
        raise MissingExtra(f"no daemon of Docker answers ({said}): start it, or set DOCKER_HOST") from error
    remove_orphans(client, docker.errors)
    return client


def owner(process: int) -> str:
    """What names a process for good: its namespace of processes, number and beginning; empty where it cannot be told.

    Args:
        process: Its number.
    """
    try:
        began = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()[19]
        return f"{os.readlink('/proc/self/ns/pid')} {process} {began.decode()}"
    except (OSError, IndexError):
        return ""


def remove_orphans(client: Any, errors: Any) -> None:
    """Take away the containers of processes of this machine that have ended without doing so, killed for instance.

    Args:
        client: Docker's.
        errors: Docker's errors.
    """
    here = owner(os.getpid()).partition(" ")[0]
    with contextlib.suppress(errors.DockerException):  # tidying up for others; what is asked for next tells its errors
        for held in client.containers.list(all=True, filters={"label": OWNER}):
            named = held.labels[OWNER]
            place, _, rest = named.partition(" ")
            number = rest.partition(" ")[0]
            if here and place == here and number.isdecimal() and owner(int(number)) != named:
                with contextlib.suppress(errors.DockerException):
                    held.remove(force=True)


def check_daemon() -> None:
    """See that a daemon answers.

    Raises:
        MissingExtra: if none does.
    """
    connect("", os.getpid())


def run_in_image(
    image: str, script: str, given: Mapping[str, bytes], seconds: float, wanted: tuple[str, ...] = ()
) -> Left:
    """Run a script of bash in a new container without a network, which is taken away afterwards.

    Args:
        image: Its name; it is pulled if the daemon does not have it.
        script: What bash runs, as the image's user.
        given: Contents of files that it finds below `PLACE`, by path.
        seconds: Real time after which it is ended.
        wanted: Absolute paths of files that are handed back.

    Raises:
        MissingExtra: if no daemon answers.
        EngineFailure: if the image cannot be had, or the container cannot be run.
    """
    errors = require("docker.errors", extra="docker", purpose="what runs in an image of Docker")
    container = created(image, script)
    try:
        container.put_archive("/", packed(given))
        container.start()
        try:
            code = int(container.wait(timeout=seconds)["StatusCode"])
        except errors.DockerException:
            raise
        except OSError:  # of the connection on which the answer did not come in time
            container.kill()
            code = -1
        output = container.logs(stdout=True, stderr=True)[-LONGEST_OUTPUT:].decode("utf8", "replace")
        found = {path: data for path in wanted if (data := taken(container, path, errors)) is not None}
    except errors.DockerException as error:
        raise EngineFailure(f"the container of {image} failed: {' '.join(str(error).split())[:200]}") from error
    finally:
        with contextlib.suppress(errors.DockerException):
            container.remove(force=True)
    return Left(code, output, found)


def created(image: str, script: str) -> Any:
    """A container that was not started yet, without a network or capabilities.

    Args:
        image: Its name; it is pulled if the daemon does not have it.
        script: What bash runs in it, as the image's user.

    Raises:
        MissingExtra: if no daemon answers.
        EngineFailure: if the image cannot be had.
    """
    client = connect("", os.getpid())
    errors = require("docker.errors", extra="docker", purpose="what runs in an image of Docker")
    types = require("docker.types", extra="docker", purpose="what runs in an image of Docker")
    try:
        try:
            client.images.get(image)
        except errors.ImageNotFound:
            client.images.pull(image)
        return client.containers.create(
            image, ["-c", script], entrypoint="bash", network_mode="none", cap_drop=["ALL"], mem_limit=MEMORY,
            memswap_limit=MEMORY, pids_limit=PROCESSES, security_opt=["no-new-privileges"],
            log_config=types.LogConfig(type="json-file", config=LOGGED), labels={OWNER: owner(os.getpid())},
        )  # fmt: skip
    except errors.DockerException as error:
        raise EngineFailure(f"the image {image} cannot be run: {' '.join(str(error).split())[:200]}") from error


def packed(given: Mapping[str, bytes], place: str = PLACE) -> bytes:
    """An archive of files below a folder, which everybody may write to.

    Args:
        given: Contents by path.
        place: The folder, as an absolute path.
    """
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        folder = tarfile.TarInfo(place.lstrip("/"))
        folder.type, folder.mode = tarfile.DIRTYPE, 0o777
        archive.addfile(folder)
        for path, data in given.items():
            entry = tarfile.TarInfo(f"{place.lstrip('/')}/{path}")
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    return written.getvalue()


def taken(container: Any, path: str, errors: Any) -> bytes | None:
    """The content of a file of a container.

    Args:
        container: Docker's object.
        path: Of the file, as an absolute path.
        errors: Docker's errors.

    Returns:
        None if it is not there, or too large.
    """
    try:
        stream, known = container.get_archive(path)
    except errors.NotFound:
        return None
    if known["size"] > LARGEST_TAKEN:
        return None
    with tarfile.open(fileobj=io.BytesIO(b"".join(stream))) as archive:
        file = archive.extractfile(archive.getmembers()[0])
        return None if file is None else file.read()
