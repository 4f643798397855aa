"""The sandbox of bubblewrap: namespaces, a read-only view of the system's programs, seccomp, Landlock."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

from agentgym.core.errors import MissingExtra
from agentgym.envs._kit.sandbox import seccomp
from agentgym.envs._kit.sandbox.cgroups import Group
from agentgym.envs._kit.sandbox.job import Limits
from agentgym.envs._kit.sandbox.keeper import Keeper, NotStarted, ProcessTube
from agentgym.envs._kit.sandbox.packages import PLACE

NAME = "bubblewrap"
INSTALL = "apt-get install bubblewrap"
KEEPER = Path(__file__).with_name("inside.py")
FIRST_ACCOUNT, ACCOUNTS = 61_000, 4_000  # numbers of users that no system gives to anybody
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
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
OVERHEAD = 64 << 20  # bytes of a group beyond a run's limit: the keeper, and what the kernel keeps for it
NEEDED = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")  # with which the keeper gives up everything, these included
_numbers = itertools.count()


class Bubblewrap:
    """Starts keepers in bubblewrap.

    The superuser needs no user namespace: the keeper gives its rights up for the number of a user that nobody has, one
    of its own for each, so that what the kernel counts by user is counted for each run. Anybody else gets a user
    namespace, in which the program has no capability either.

    Args:
        python: The interpreter inside; by default the one that runs this, without its packages.
        account: Number of a user as whom bubblewrap itself is started, if this is the superuser; None to stay.

    Raises:
        MissingExtra: if there is no bubblewrap, or it cannot make a sandbox here.
    """

    name = NAME

    def __init__(self, python: str = "", account: int | None = None) -> None:
        found = shutil.which("bwrap")
        if found is None:
            raise MissingExtra(f"there is no bubblewrap here: run  {INSTALL}")
        self.program, self.account = found, account
        self.filter = seccomp.program()
        self.python = os.path.realpath(python or getattr(sys, "_base_executable", sys.executable))
        self.prefix = str(Path(self.python).parents[1])
        self.superuser = os.geteuid() == 0 and account is None

    def start(self, limits: Limits) -> Keeper:
        """A keeper that waits for one job within these limits.

        Raises:
            NotStarted: if bubblewrap cannot be started.
        """
        number = next(_numbers)
        account = FIRST_ACCOUNT + (os.getpid() * 64 + number) % ACCOUNTS if self.superuser else USER
        given = _filled(self.filter)
        said = os.memfd_create("status")  # no pipe: bubblewrap would hang half-way if it broke
        lists = [_filled(each.format(account).encode()) for each in NAMED.values()]
        command = [
            self.program, *self._namespaces(), "--seccomp", str(given), "--json-status-fd", str(said),
            *self._view(limits, lists), "--", self.python, "-S", "-s", "-P", "-B", "-X", "frozen_modules=on",
            "/keeper.py",
        ]  # fmt: skip
        if self.superuser:
            command.append(str(account))
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={}, bufsize=0,
                pass_fds=(given, said, *lists), user=self.account, group=self.account,
                extra_groups=None if self.account is None else [],
            )  # fmt: skip
        except OSError as error:
            os.close(said)
            raise NotStarted(f"bubblewrap was not started: {error}") from error
        finally:
            for each in (given, *lists):
                os.close(each)
        group = Group(number, limits.memory + OVERHEAD, limits.processes + 4)
        return Keeper(self.name, ProcessTube(process, said, group))

    def _namespaces(self) -> list[str]:
        own = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        if self.superuser:
            return [*own, "--cap-drop", "ALL", *(word for name in NEEDED for word in ("--cap-add", name))]
        return ["--unshare-user", "--disable-userns", "--uid", str(USER), "--gid", str(USER), *own, "--cap-drop", "ALL"]

    def _view(self, limits: Limits, lists: list[int]) -> list[str]:
        """What there is to see: programs to read, two folders in memory to write, a few devices."""
        words = ["--as-pid-1", "--new-session", "--hostname", "sandbox", "--clearenv"]
        packages = limits.packages
        for name, value in {**SETTINGS, **(packages.environment() if packages else {})}.items():
            words += ["--setenv", name, value]
        for place in SYSTEM:
            if os.path.islink(place):
                words += ["--symlink", os.readlink(place), place]
            elif os.path.isdir(place):
                words += ["--ro-bind", place, place]
        if not self.prefix.startswith("/usr"):
            for parent in [*reversed(Path(self.prefix).parents)][1:]:
                words += ["--perms", "0755", "--dir", str(parent)]
            words += ["--ro-bind", self.prefix, self.prefix]
        words += ["--perms", "0755", "--dir", "/etc"]
        for place in ("/etc/ld.so.cache", "/etc/alternatives"):
            words += ["--ro-bind-try", place, place]
        for place, each in zip(NAMED, lists, strict=True):
            words += ["--perms", "0644", "--ro-bind-data", str(each), place]
        words += ["--perms", "0755", "--dir", PLACE] if packages else []
        for source, place in packages.shown() if packages else ():
            words += ["--ro-bind", source, place]
        for place in packages.emptied() if packages else ():
            words += ["--size", "4096", "--tmpfs", place, "--remount-ro", place]
        words += ["--ro-bind", str(KEEPER), "/keeper.py", "--proc", "/proc", "--size", "65536", "--tmpfs", "/dev"]
        for name in DEVICES:
            words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
        for name, target in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
            words += ["--symlink", f"/proc/self/{target}", f"/dev/{name}"]
        for place in ("/work", "/tmp"):
            words += ["--perms", "1777", "--size", str(limits.disk), "--tmpfs", place]
        return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/work"]


def _filled(data: bytes) -> int:
    """The end of a pipe from which these bytes can be read; a few thousand fit into one."""
    end, start = os.pipe()
    os.write(start, data)
    os.close(start)
    return end
