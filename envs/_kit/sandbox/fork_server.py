"""A fork server as it is seen from outside: started once in bubblewrap, it makes a keeper for each run."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
from collections.abc import Callable
from typing import Any

from agentgym.envs._kit.sandbox.cgroups import Group
from agentgym.envs._kit.sandbox.keeper import CHUNK, complaint_of

ENDING = 3.0  # seconds that closing waits for the server to be gone


class ForkServer:
    """A server that runs.

    Args:
        process: Bubblewrap, whose first process is the server.
        control: Leads to the server's standard input.
        give_back: Called with the group of a keeper that has ended.
    """

    def __init__(
        self, process: subprocess.Popen[bytes], control: socket.socket, give_back: Callable[[Group], None]
    ) -> None:
        self.process, self.control, self.give_back = process, control, give_back

    def fork(self, request: dict[str, Any], group: Group) -> SocketTube:
        """A tube to a keeper that is on its way.

        Args:
            request: As `inside_server.begin` reads it.
            group: Bounds the keeper's memory and processes.

        Raises:
            OSError: if the server is gone.
        """
        ours, theirs = socket.socketpair()
        try:
            socket.send_fds(self.control, [json.dumps(request).encode()], [theirs.fileno()])
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        return SocketTube(self, ours, group)

    def close(self) -> None:
        """End it, and with it everything that it made."""
        self.control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(ENDING)
        if self.process.stderr is not None:
            self.process.stderr.close()


class SocketTube:
    """A socket whose other end a keeper has as its standard input and output.

    Args:
        server: Makes the keeper.
        ours: This end.
        group: Bounds its memory and its processes.
    """

    def __init__(self, server: ForkServer, ours: socket.socket, group: Group) -> None:
        self.server, self.ours, self.group = server, ours, group
        self._gone = False
        self.first = -1  # what names the keeper's process, once it is ready

    def fileno(self) -> int:
        """This end."""
        return self.ours.fileno()

    def send(self, data: bytes) -> None:
        """Write all of the data into it."""
        self.ours.sendall(data)

    def receive(self, size: int) -> bytes:
        """What there is to read; with the keeper's first words comes what names its process."""
        if self.first >= 0:
            return self.ours.recv(size)
        data, places, _, _ = socket.recv_fds(self.ours, min(size, CHUNK), 1)
        if places:
            self.first = places[0]
        return data

    def begin(self) -> None:
        """Put the keeper's process into the group, so that all that it starts is in it."""
        with open(f"/proc/self/fdinfo/{self.first}", encoding="ascii") as file:
            number = next(int(line.split()[1]) for line in file if line.startswith("Pid:"))
        if number > 0:  # otherwise it has ended
            self.group.take([number])

    def complaint(self) -> str:
        """What it said in place of being ready, or the server wrote when it ended."""
        said = b""
        with contextlib.suppress(OSError):
            self.ours.setblocking(False)
            said = self.ours.recv(CHUNK)
        return " ".join(said.decode("utf8", "replace").split()) or complaint_of(self.server.process)

    def close(self) -> None:
        """End the keeper's process, with which all others of the run end; one on its way ends as nobody listens."""
        self.ours.close()
        if self.first >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.first, signal.SIGKILL)

    def ended(self) -> bool:
        """Whether it has ended."""
        if self.first >= 0:
            if not select.select([self.first], [], [], 0)[0]:
                return False
            os.close(self.first)
            self.first = -1
        if not self._gone:
            self._gone = True
            self.server.give_back(self.group)
        return True

    def wait(self, seconds: float) -> None:
        """Wait for its end."""
        if self.first >= 0:
            select.select([self.first], [], [], seconds)
