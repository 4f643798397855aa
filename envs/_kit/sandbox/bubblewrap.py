"""The sandbox of bubblewrap: namespaces, a read-only view of the system's programs, seccomp, Landlock."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from agentgym.core.errors import MissingExtra
from agentgym.envs._kit.sandbox import seccomp
from agentgym.envs._kit.sandbox.cgroups import Group, Groups
from agentgym.envs._kit.sandbox.fork_server import ForkServer, SocketTube
from agentgym.envs._kit.sandbox.job import Limits
from agentgym.envs._kit.sandbox.keeper import STARTING, Keeper, NotStarted, ProcessTube, Tube
from agentgym.envs._kit.sandbox.packages import PLACE, Packages

NAME = "bubblewrap"
INSTALL = "apt-get install bubblewrap"
KEEPER, SERVER = Path(__file__).with_name("inside.py"), Path(__file__).with_name("inside_server.py")
FIRST_ACCOUNT, ACCOUNTS = 61_000, 4_000  # numbers of users that no system gives to anybody
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
PARTS = ("bin", "lib", "lib64")  # of an interpreter that stands by itself: what it runs, not what lies beside it
INSTALLED = "lib*/python3*/*-packages"  # below a prefix: packages, this one among them
DEVICES = ("null", "zero", "full", "random", "urandom")
SETTINGS = {
    "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/work", "TMPDIR": "/tmp", "LANG": "C.UTF-8", "TZ": "UTC",
    "PYTHONHASHSEED": "0", "PYTHONIOENCODING": "utf8",
}  # fmt: skip
USER = 1000  # the number that everybody but the superuser has inside
NAMED = {  # lists in which the number of a run's user has the same name every time
    "/etc/passwd": "user:x:{0}:{0}::/work:/bin/bash\nroot:x:0:0::/root:/bin/sh\n",
    "/etc/group": "user:x:{0}:\nroot:x:0:\n",
}
SMALLEST = 1 << 20  # bytes of the folders of a server, in which packages may leave something when they are imported
ENDING = 3.0  # seconds that are waited for the end of a keeper
OVERHEAD = 64 << 20  # bytes of a group beyond a run's limit: the keeper, and what the kernel keeps for it
NEEDED = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")  # with which the keeper gives up everything, these included
MAKING = (*NEEDED, "CAP_SYS_ADMIN")  # with which a server makes namespaces and mounts
LATER = "{account}"  # as the server has it in the lists, until the number of a run's user is known
_numbers = itertools.count()


class Bubblewrap:
    """Starts keepers in bubblewrap.

    The superuser needs no user namespace: the keeper gives its rights up for the number of a user that nobody has, one
    of its own for each, so that what the kernel counts by user is counted for each run. Anybody else gets a user
    namespace, in which the program has no capability either.

    A keeper is forked by a server that was started once and has imported what programs find imported; it gets
    namespaces of its own and gives everything up before it hears of a job. Where the system does not let the server
    make them, which is tried once, each keeper is started in a bubblewrap of its own, with the same walls, and takes
    ten times as long.

    Args:
        python: The interpreter inside; by default the one that runs this, without its packages.
        account: Number of a user as whom bubblewrap itself is started, if this is the superuser; None to stay.
        forks: Whether keepers are forked by a server; None to find out whether they can be.

    Attributes:
        forks: As above, found out.

    Raises:
        MissingExtra: if there is no bubblewrap, or it cannot make a sandbox here.
    """

    name = NAME

    def __init__(self, python: str = "", account: int | None = None, forks: bool | None = None) -> None:
        found = shutil.which("bwrap")
        if found is None:
            raise MissingExtra(f"there is no bubblewrap here: run  {INSTALL}")
        self.program, self.account = found, account
        self.filter = seccomp.program()
        self.python = os.path.realpath(python or getattr(sys, "_base_executable", sys.executable))
        self.prefix = str(Path(self.python).parents[1])
        self.superuser = os.geteuid() == 0 and account is None
        self._groups = Groups()
        self._servers: dict[Packages | None, ForkServer] = {}
        self._owner, self._lock = os.getpid(), threading.Lock()
        atexit.register(self.close)
        self.forks = self._can_fork() if forks is None else forks

    def start(self, limits: Limits) -> Keeper:
        """A keeper that waits for one job within these limits.

        Raises:
            NotStarted: if bubblewrap cannot be started.
        """
        account = FIRST_ACCOUNT + (os.getpid() * 64 + next(_numbers)) % ACCOUNTS if self.superuser else USER
        group = self._groups.take(limits.memory + OVERHEAD, limits.processes + 4)
        try:
            make: Callable[[Limits, int, Group], Tube] = self._forked if self.forks else self._started
            return Keeper(self.name, make(limits, account, group))
        except NotStarted:
            self._groups.give_back(group)
            raise

    def close(self) -> None:
        """End the servers, and with them all keepers that they made; a later start begins anew."""
        if self._owner != os.getpid():  # a fork of the process that made them, which may have been made in mid-call
            return
        with self._lock:
            while self._servers:
                self._servers.popitem()[1].close()
            self._groups.close()

    def _can_fork(self) -> bool:
        """Whether the system lets a server make namespaces; a keeper is made to see."""
        self.forks = True
        keeper = self.start(Limits())
        try:
            keeper.wait()
        except NotStarted:
            self.close()
            return False
        finally:
            keeper.tube.close()
            keeper.tube.wait(ENDING)
            keeper.tube.ended()
        return True

    def _forked(self, limits: Limits, account: int, group: Group) -> SocketTube:
        """A keeper that a server forks; another server takes the place of one that has ended."""
        request = {"account": account if self.superuser else 0, "disk": limits.disk}
        with self._lock:
            if limits.packages in self._servers:
                with contextlib.suppress(OSError):
                    return self._servers[limits.packages].fork(request, group)
                self._servers.pop(limits.packages).close()
            server = self._servers[limits.packages] = self._server(limits.packages)
            try:
                return server.fork(request, group)
            except OSError as error:
                raise NotStarted(f"the server of bubblewrap was gone at once: {error}") from error

    def _server(self, packages: Packages | None) -> ForkServer:
        """A server whose keepers may import these packages."""
        filter_ = _filled(self.filter)
        lists = [_filled(each.format(LATER if self.superuser else USER).encode()) for each in NAMED.values()]
        words = [*self._namespaces(MAKING), *self._view(packages, SMALLEST, lists), "--"]
        words += [*self._interpreter("/server.py"), str(filter_)]
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(STARTING)  # a server that hears nothing any more is gone
        try:
            process = self._popen(words, (filter_, *lists), stdin=theirs.fileno(), stdout=subprocess.DEVNULL)
        except NotStarted:
            ours.close()
            raise
        finally:
            theirs.close()
            for each in (filter_, *lists):
                os.close(each)
        return ForkServer(process, ours, self._groups.give_back)

    def _started(self, limits: Limits, account: int, group: Group) -> ProcessTube:
        """A keeper in a bubblewrap of its own."""
        filter_, said = _filled(self.filter), os.memfd_create("status")  # no pipe: bubblewrap would hang if it broke
        lists = [_filled(each.format(account).encode()) for each in NAMED.values()]
        words = [*self._namespaces(NEEDED), "--seccomp", str(filter_), "--json-status-fd", str(said)]
        words += [*([] if self.superuser else ["--disable-userns"]), *self._view(limits.packages, limits.disk, lists)]
        words += ["--", *self._interpreter("/keeper.py"), *([str(account)] if self.superuser else [])]
        pipe = subprocess.PIPE
        try:
            process = self._popen(words, (filter_, said, *lists), stdin=pipe, stdout=pipe)
            return ProcessTube(process, said, group, self._groups.give_back)
        except NotStarted:
            os.close(said)
            raise
        finally:
            for each in (filter_, *lists):
                os.close(each)

    def _popen(self, words: list[str], passed: tuple[int, ...], *, stdin: int, stdout: int) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [self.program, *words], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, env={}, bufsize=0,
                pass_fds=passed, user=self.account, group=self.account,
                extra_groups=None if self.account is None else [],
            )  # fmt: skip
        except OSError as error:
            raise NotStarted(f"bubblewrap was not started: {error}") from error

    def _interpreter(self, file: str) -> list[str]:
        return [self.python, "-S", "-s", "-P", "-B", "-X", "frozen_modules=on", file]

    def _namespaces(self, kept: tuple[str, ...]) -> list[str]:
        """Namespaces of bubblewrap, and which capabilities are kept of the superuser's."""
        own = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        if self.superuser:
            return [*own, "--cap-drop", "ALL", *(word for name in kept for word in ("--cap-add", name))]
        return ["--unshare-user", "--uid", str(USER), "--gid", str(USER), *own, "--cap-drop", "ALL"]

    def _view(self, packages: Packages | None, disk: int, lists: list[int]) -> list[str]:
        """What there is to see: programs to read, two folders in memory to write, a few devices."""
        words = ["--as-pid-1", "--new-session", "--hostname", "sandbox", "--clearenv"]
        for name, value in {**SETTINGS, **(packages.environment() if packages else {})}.items():
            words += ["--setenv", name, value]
        words += self._programs()
        words += ["--perms", "0755", "--dir", "/etc"]
        for place in ("/etc/ld.so.cache", "/etc/alternatives"):
            words += ["--ro-bind-try", place, place]
        for place, each in zip(NAMED, lists, strict=True):
            words += ["--perms", "0644", "--file", str(each), place]
        words += ["--perms", "0755", "--dir", PLACE] if packages else []
        for source, place in packages.shown() if packages else ():
            words += ["--ro-bind", source, place]
        for place in packages.emptied() if packages else ():
            words += ["--size", "4096", "--tmpfs", place, "--remount-ro", place]
        for file, place in ((KEEPER, "/keeper.py"), (SERVER, "/server.py")):
            words += ["--ro-bind", str(file), place]
        words += ["--proc", "/proc", "--size", "65536", "--tmpfs", "/dev"]
        for name in DEVICES:
            words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
        for name, target in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
            words += ["--symlink", f"/proc/self/{target}", f"/dev/{name}"]
        for place in ("/work", "/tmp"):
            words += ["--perms", "1777", "--size", str(disk), "--tmpfs", place]
        return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/work"]

    def _programs(self) -> list[str]:
        """The system's programs and the interpreter, read-only, without what was installed for it."""
        words = []
        for place in SYSTEM:
            if os.path.islink(place):
                words += ["--symlink", os.readlink(place), place]
            elif os.path.isdir(place):
                words += ["--ro-bind", place, place]
        if not self.prefix.startswith("/usr"):
            for folder in (*[*reversed(Path(self.prefix).parents)][1:], Path(self.prefix)):
                words += ["--perms", "0755", "--dir", str(folder)]
            for part in (f"{self.prefix}/{name}" for name in PARTS):
                words += ["--ro-bind-try", part, part]
        for root in dict.fromkeys((self.prefix, "/usr", "/usr/local")):
            for installed in sorted(map(str, Path(root).glob(INSTALLED))):
                words += ["--size", "4096", "--tmpfs", installed, "--remount-ro", installed]
        return words


def _filled(data: bytes) -> int:
    """The end of a pipe from which these bytes can be read; a few thousand fit into one."""
    end, start = os.pipe()
    os.write(start, data)
    os.close(start)
    return end
