"""The sandbox of Docker: a container for each run, made ahead from an image of our own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tarfile
from pathlib import Path
from typing import Any

from agentgym.assets.sandbox import dockerfile
from agentgym.core.errors import MissingExtra, require
from agentgym.envs._kit.sandbox import seccomp
from agentgym.envs._kit.sandbox.bubblewrap import NAMED, SETTINGS
from agentgym.envs._kit.sandbox.job import Limits
from agentgym.envs._kit.sandbox.keeper import Keeper, NotStarted
from agentgym.envs._kit.sandbox.machine_files import machine_files

NAME = "docker"
VARIABLE = "AGENTGYM_SANDBOX_IMAGE"
IMAGE, MACHINE_IMAGE = "agentgym-sandbox", "agentgym-sandbox-base"
KEEPER = Path(__file__).with_name("inside.py")
ACCOUNT = "61000:61000"  # a user that no image has
HEADER = 8  # bytes before each piece of what a container writes
STDOUT = 1
OVERHEAD = 64 << 20  # bytes beyond a run's limit: the keeper


class Docker:
    """Starts keepers in containers: no network, a read-only root, no capability, a user that is nobody.

    Args:
        address: Of the daemon, such as `unix:///path/d.sock`; empty for what `DOCKER_HOST` says.
        base: Image to build ours on, with `python3` in it; empty for what `AGENTGYM_SANDBOX_IMAGE` says, or the one of
            the Dockerfile.

    Raises:
        MissingExtra: if the package is not installed, the daemon does not answer, or the image cannot be built.
    """

    name = NAME

    def __init__(self, address: str = "", base: str = "") -> None:
        docker = require("docker", extra="docker", purpose="the sandbox of Docker")
        self._error = docker.errors.DockerException
        try:
            self.client = docker.DockerClient(base_url=address) if address else docker.from_env()
            self.client.ping()
        except self._error as error:
            raise MissingExtra(
                f"no daemon of Docker answers ({str(error)[:120]}): start it, or set DOCKER_HOST"
            ) from error
        self.image = self._built(base or os.environ.get(VARIABLE, ""))

    def start(self, limits: Limits) -> Keeper:
        """A keeper that waits for one job within these limits.

        Raises:
            NotStarted: if the container cannot be started.
        """
        api = self.client.api
        settings = {**SETTINGS, **(limits.packages.environment() if limits.packages else {})}
        try:
            made = api.create_container(
                self.image, stdin_open=True, tty=False, user=ACCOUNT, working_dir="/work", environment=settings,
                network_disabled=True, hostname="sandbox", host_config=self._confined(limits),
            )["Id"]  # fmt: skip
            attached = api.attach_socket(made, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
            api.start(made)
        except self._error as error:
            raise NotStarted(f"Docker started no container: {str(error)[:200]}") from error
        return Keeper(self.name, Container(api, made, attached, self._error))

    def _confined(self, limits: Limits) -> Any:
        """What the container may use."""
        memory = {"mem_limit": limits.memory + OVERHEAD, "memswap_limit": limits.memory + OVERHEAD}
        kept = f"rw,exec,nosuid,nodev,size={limits.disk},mode=1777"  # a mount of type tmpfs would never run a script
        held: list[dict[str, Any]] = []
        packages = limits.packages
        for source, place in packages.shown() if packages else ():
            held.append({"Target": place, "Source": source, "Type": "bind", "ReadOnly": True})
        for place in packages.emptied() if packages else ():
            held.append({"Target": place, "Type": "tmpfs", "TmpfsOptions": {"SizeBytes": 4096}, "ReadOnly": True})
        return self.client.api.create_host_config(
            network_mode="none", read_only=True, mounts=held, tmpfs={"/work": kept, "/tmp": kept}, cap_drop=["ALL"],
            pids_limit=limits.processes + 4,
            security_opt=["no-new-privileges", f"seccomp={json.dumps(seccomp.profile())}"], ipc_mode="none",
            log_config={"Type": "none"}, **memory,
        )  # fmt: skip

    def _base(self) -> str:
        """The base that the Dockerfile names, or one of this machine's own files where it cannot be had."""
        named = re.search(r"^ARG BASE=(\S+)", dockerfile(), re.MULTILINE)
        assert named is not None
        for known in (named[1], MACHINE_IMAGE):
            with contextlib.suppress(self._error):
                return str(self.client.images.get(known).id)
        with contextlib.suppress(self._error):
            return str(self.client.images.pull(named[1]).id)
        self.client.api.import_image_from_data(machine_files(), repository=MACHINE_IMAGE, tag="latest")
        return MACHINE_IMAGE

    def _built(self, base: str) -> str:
        """The image, built from the Dockerfile with the keeper in it."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            folder = tarfile.TarInfo("root/work")
            folder.type, folder.mode = tarfile.DIRTYPE, 0o1777
            archive.addfile(folder)
            lists = [(f"root{place}", text.format(ACCOUNT.partition(":")[0]).encode()) for place, text in NAMED.items()]
            for name, data in (("Dockerfile", dockerfile().encode()), ("root/keeper.py", KEEPER.read_bytes()), *lists):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode = len(data), 0o644
                archive.addfile(entry, io.BytesIO(data))
        packed.seek(0)
        given = {"BASE": base or self._base()}
        try:
            image, _ = self.client.images.build(
                fileobj=packed, custom_context=True, tag=IMAGE, buildargs=given, rm=True
            )
        except self._error as error:
            said = str(error)[:160]
            raise MissingExtra(
                f"the image of the sandbox cannot be built ({said}): set {VARIABLE} to an image with python3"
            ) from error
        return str(image.id)


class Container:
    """The streams of a container; what it writes comes in pieces with a header each."""

    def __init__(self, api: Any, name: str, attached: Any, error: type[Exception]) -> None:
        self.api, self.name, self.error = api, name, error
        self.attached = attached
        self.socket = getattr(attached, "_sock", attached)
        self.socket.settimeout(None)
        self._left, self._stream = 0, STDOUT
        self._gone = False

    def fileno(self) -> int:
        """What can be waited for."""
        return int(self.socket.fileno())

    def send(self, data: bytes) -> None:
        """Hand it all of the data."""
        self.socket.sendall(data)

    def receive(self, size: int) -> bytes:
        """Some bytes of what it writes; none at the end, and none yet where a header came alone."""
        if not self._left:
            head = b""
            while len(head) < HEADER:
                part = self.socket.recv(HEADER - len(head))
                if not part:
                    return b""
                head += part
            self._stream, self._left = head[0], int.from_bytes(head[4:], "big")
        part = self.socket.recv(min(size, self._left))
        self._left -= len(part)
        return part if self._stream == STDOUT or not part else self.receive(size)

    def begin(self) -> None:
        """It is ready; the daemon has set its limits."""

    def complaint(self) -> str:
        """Why it did not start."""
        with contextlib.suppress(self.error):
            return str(self.api.inspect_container(self.name)["State"])
        return "the container is gone"

    def close(self) -> None:
        """End it and take it away."""
        if not self._gone:
            self._gone = True
            with contextlib.suppress(OSError):
                self.socket.close()
            with contextlib.suppress(self.error):
                self.api.remove_container(self.name, force=True)

    def ended(self) -> bool:
        """Whether it is gone."""
        return self._gone

    def wait(self, seconds: float) -> None:
        """Taking it away has waited."""
