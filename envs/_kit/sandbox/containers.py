"""A container in which command after command runs, and images built from a user's own folders."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentgym.core.errors import EngineFailure, require
from agentgym.envs._kit.sandbox.images import PLACE, connect, created, packed, taken
from agentgym.envs._kit.sandbox.tool import Lost

PURPOSE = "what runs in an image of Docker"
BUILT = "agentgym-built"  # the name of images that are built here; the tag is what they are built from
KEPT = 1 << 20  # bytes that are read of what a command writes, from its end
GRACE, LOOK = 5.0, 0.01  # seconds that a command may take over its limit, and between looks at whether it is over
STOPPED = 124  # exit status where the time was over
RUN = f"""rm -f {PLACE}/status; set -m
bash -c 'trap "pwd -P > {PLACE}/folder" EXIT; cd -- "$2" || cd /; eval "$1"' bash "$1" "$2" \\
    > {PLACE}/output 2>&1 < /dev/null & command=$!
(read -rt "$3" <> <(:); : > {PLACE}/late; kill -9 -- "-$command") & watch=$!
wait "$command"; code=$?
kill -9 -- "-$watch"
[ ! -f {PLACE}/late ] || code={STOPPED}
rm -f {PLACE}/late
echo "$code" > {PLACE}/status
tail -c {KEPT} {PLACE}/output > {PLACE}/shown
"""


@dataclass(frozen=True)
class Said:
    """What a command in a container left.

    Attributes:
        output: Standard output and standard error, cut at the limit.
        code: Exit status; 124 if it was stopped because its time was over.
        folder: In which it ended.
        over: Whether the container did not come back, with what was in it.
    """

    output: str
    code: int
    folder: str
    over: bool = False


@dataclass
class Container:
    """A container without a network, under way; programs that a command leaves running run on.

    Attributes:
        held: Docker's object.
        errors: Docker's errors.
        spoiled: Whether a player's command has run in it: who takes bash or all processes away makes the daemon refuse
            whatever comes next, which is then the player's doing (`Lost`) and no failure of the engine.
    """

    held: Any
    errors: Any
    spoiled: bool = False

    @property
    def folder(self) -> str:
        """Where commands begin, as the image says."""
        return str(self.held.attrs["Config"].get("WorkingDir") or "/")

    def put(self, given: Mapping[str, bytes], place: str = PLACE) -> None:
        """Lay files below a folder.

        Args:
            given: Contents by path.
            place: The folder, as an absolute path.

        Raises:
            Lost: if the daemon refuses it after a player's command.
        """
        with self._failing("files could not be laid in a container"):
            self.held.put_archive("/", packed(given, place))

    def run(
        self,
        command: str,
        folder: str,
        seconds: float,
        settings: Mapping[str, str] | None = None,
        *,
        by_player: bool = False,
    ) -> Said:
        """Run a command in bash, as the image's user.

        Args:
            command: One or several lines of bash.
            folder: In which it begins.
            seconds: Real time after which it is ended.
            settings: Variables of its environment.
            by_player: Whether a player has chosen it.

        Raises:
            Lost: if the daemon refuses something after a player's command.
        """
        client = self.held.client.api
        with self._failing("a command could not be run in a container"):
            words = ["bash", "-c", RUN, "bash", command, folder, f"{seconds:g}"]
            made = client.exec_create(self.held.id, words, environment=dict(settings or {}))["Id"]
            client.exec_start(made, detach=True)
            self.spoiled |= by_player
            # Looked at again and again, for Docker's wait is for containers, and not for a command in one; the event of
            # its end comes by a stream that the client reads without a limit in time.
            for _ in range(int((seconds + GRACE) / LOOK)):
                if not client.exec_inspect(made)["Running"]:
                    break
                time.sleep(LOOK)
            else:
                return Said("", STOPPED, folder, over=True)
            output, status, ended = (self.read(f"{PLACE}/{name}") for name in ("shown", "status", "folder"))
        if status is None or not status.strip().isdigit():
            return Said("", STOPPED, folder, over=True)
        said = (output or b"").decode("utf8", "replace")
        return Said(said, int(status), (ended or folder.encode()).decode("utf8", "replace").rstrip("\n") or folder)

    def read(self, path: str) -> bytes | None:
        """The content of a file; None if it is not there."""
        return taken(self.held, path, self.errors)

    @contextlib.contextmanager
    def _failing(self, what: str) -> Iterator[None]:
        with _failing(self.errors, what):
            try:
                yield
            except self.errors.APIError:  # the daemon is there, and says that the container will not
                if self.spoiled:
                    raise Lost from None
                raise


@contextlib.contextmanager
def open_container(image: str) -> Iterator[Container]:
    """A new container of an image, which is taken away afterwards with all that runs in it.

    Args:
        image: Its name; it is pulled if the daemon does not have it.

    Raises:
        MissingExtra: if no daemon answers.
        EngineFailure: if the image cannot be had, or the container cannot be run.
    """
    errors = require("docker.errors", extra="docker", purpose=PURPOSE)
    held = created(image, "sleep infinity")
    try:
        with _failing(errors, f"the container of {image} failed"):
            held.put_archive("/", packed({}))
            held.start()
        yield Container(held, errors)
    finally:
        with contextlib.suppress(errors.DockerException):
            held.remove(force=True)


def build_image(folder: Path, files: tuple[str, ...]) -> str:
    """The image that a folder's Dockerfile describes, built unless the daemon has it.

    Args:
        folder: With a file `Dockerfile`; what it copies comes from there.
        files: Paths below it of what the image may depend on; it is built anew where one has changed.

    Returns:
        Its name.

    Raises:
        EngineFailure: if it cannot be built.
    """
    client = connect("", os.getpid())
    errors = require("docker.errors", extra="docker", purpose=PURPOSE)
    seen = hashlib.sha256()
    for path in files:
        data = (folder / path).read_bytes()
        seen.update(f"{path} {len(data)}\n".encode() + data)
    name = f"{BUILT}:{seen.hexdigest()[:24]}"
    with _failing(errors, f"the image of {folder} cannot be built"):
        try:
            client.images.get(name)
        except errors.ImageNotFound:
            client.images.build(path=str(folder), tag=name, rm=True, forcerm=True)
    return name


@contextlib.contextmanager
def _failing(errors: Any, what: str) -> Iterator[None]:
    """Make an error of Docker's, or of its connection, a failure of the engine."""
    try:
        yield
    except (errors.DockerException, OSError) as error:
        raise EngineFailure(f"{what}: {' '.join(str(error).split())[-200:]}") from error
