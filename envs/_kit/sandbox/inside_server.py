"""The fork server: the first process of a bubblewrap that is started once, and makes a sandbox for each run.

Like `inside.py` this file runs inside, under the interpreter of the sandbox and without the rest of the package. It has
imported what programs find imported, and waits. For each request it forks a process into namespaces of its own, with
its own numbers of processes, mounts, network, names and memory of System V; that one lays empty folders over those that
can be written, takes every right from itself, closes the calls of the kernel, and becomes the keeper of one run. The
server never meets a program: it hears from its own side alone, and what it forks cannot see it, signal it or write
where it reads.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import signal
import socket
import struct
import sys
from typing import Any

NEW_MOUNTS, NEW_NAMES, NEW_IPC = 0x20000, 0x4000000, 0x8000000  # flags of unshare
NEW_USER, NEW_PROCESSES, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
READ_ONLY, NO_SUID, NO_DEVICES, NO_PROGRAMS, AGAIN = 1, 2, 4, 8, 32  # flags of mount
BIND, ALL_BELOW, PRIVATE = 4096, 16384, 1 << 18
LEAVE_WHEN_UNUSED = 2  # of umount2
CLOSE_CALLS, BY_FILTER = 22, 2  # of prctl
NO_NEW_PRIVILEGES = 38
NAMED, LATER = ("/etc/passwd", "/etc/group"), "{account}"  # lists with a mark in place of the number of a run's user
LONGEST_REQUEST = 4096

libc = ctypes.CDLL(None, use_errno=True)
keeper: Any = None


def main(words: list[str]) -> None:
    """Wait for requests, each with one end of a socket, until nobody can send any more.

    Args:
        words: The place of the filter among the files that are open.
    """
    global keeper
    if os.getpid() != 1:
        sys.exit("the server makes sandboxes inside of one, so it must be its first process; start it in one")
    calls = whole(int(words[0]))
    lists = {place: whole(os.open(place, os.O_RDONLY)).decode() for place in NAMED}
    sys.path.insert(0, "/")
    keeper = importlib.import_module("keeper")
    sys.path.pop(0)
    del sys.modules["keeper"]  # programs find the standard library, and nothing of ours
    keeper.warm()
    signal.signal(signal.SIGCHLD, take_away)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    for each in (libc, keeper.libc):  # what is looked up once here need not be in each of those that are forked
        _ = (each.mount, each.umount2, each.prctl, each.syscall, each.unshare)
    gc.collect()
    gc.freeze()
    own = socket.socket(fileno=os.dup(0))
    while True:
        said, ends, _, _ = socket.recv_fds(own, LONGEST_REQUEST, 1)
        if not said:
            return
        (end,) = ends
        try:
            if os.fork() == 0:
                begin(json.loads(said), end, calls, lists)
        except OSError as error:  # too many processes, or no memory: the next one may find better times
            os.write(end, f"failed {error}\n".encode())
        os.close(end)


def take_away(*_: Any) -> None:
    """Take away processes that have ended: those that were forked, and those that their parents have left behind."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def whole(place: int) -> bytes:
    """All that can be read from an open file."""
    with os.fdopen(place, "rb") as file:
        return file.read()


def begin(request: dict[str, Any], end: int, calls: bytes, lists: dict[str, str]) -> None:
    """In a new process: become the keeper of one run, or say why not; never returns.

    Args:
        request: `account`, the number of the user who plays the run, 0 for a namespace of users instead, and
            `disk`, the bytes of each of its folders.
        end: The open end of a socket to whoever asked.
        calls: The filter of calls of the kernel.
        lists: The text of `/etc/passwd` and `/etc/group` by path.
    """
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(end, 0)
        os.dup2(end, 1)
        os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
        os.closerange(3, 1024)  # the way to the server among them
        account = request["account"]
        user, group = map_of(os.getuid()), map_of(os.getgid())
        spaces = NEW_MOUNTS | NEW_NAMES | NEW_IPC | NEW_PROCESSES | NEW_NETWORK
        done(libc.unshare(spaces if account else spaces | NEW_USER), "no namespaces")
        if not account:
            put("/proc/self/setgroups", "deny")
            put("/proc/self/uid_map", user)
            put("/proc/self/gid_map", group)
        if os.fork():
            os._exit(0)
        mount_own(request["disk"], account, lists)
        if account:
            keeper.become(account)
        else:
            put("/proc/sys/user/max_user_namespaces", "0")
            keeper.drop_bounds()
            keeper.give_up_capabilities()
        close_calls(calls)
        keeper.keep(ready)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.write(1, f"failed {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(1)


def done(result: int, what: str) -> None:
    """Raise what the C library says if `result`, that of a call of it, is not 0; `what` says what has failed."""
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def map_of(number: int) -> str:
    """The user or group of this number, and nobody else."""
    return f"{number} {number} 1"


def put(path: str, text: str) -> None:
    """Write `text` into a file of the kernel, at `path` below `/proc`."""
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def mount(kind: str, place: str, flags: int, options: str = "", source: str = "") -> None:
    """Mount something; see mount(2).

    Args:
        kind: Type of the file system; empty for none.
        place: The folder or file at which it is seen.
        flags: Those of the kernel, added up.
        options: What the file system takes besides, such as `size=16384`.
        source: What is mounted; empty for `kind`.
    """
    said = (ctypes.c_char_p(text.encode()) for text in (source or kind, place, kind))
    done(libc.mount(*said, ctypes.c_ulong(flags), ctypes.c_char_p(options.encode())), f"mount {place}")


def mount_own(disk: int, account: int, lists: dict[str, str]) -> None:
    """What a run has for itself: its processes, two empty folders, and the name of its user.

    Args:
        disk: Most bytes in each of the two folders.
        account: Number of the user; 0 if no other user is taken, and then the lists stay as they are.
        lists: Texts by path, laid over these paths with the user's number filled in.
    """
    mount("", "/", ALL_BELOW | PRIVATE)
    mount("proc", "/proc", NO_SUID | NO_DEVICES | NO_PROGRAMS | (READ_ONLY if account else 0))
    if account:
        mount("tmpfs", "/tmp", NO_SUID | NO_DEVICES, "mode=0755,size=16384")
        for place, text in lists.items():
            source = f"/tmp/{os.path.basename(place)}"
            made = os.open(source, os.O_WRONLY | os.O_CREAT, 0o644)
            os.write(made, text.replace(LATER, str(account)).encode())
            os.close(made)
            mount("", place, BIND, source=source)
            mount("", place, BIND | AGAIN | READ_ONLY | NO_SUID | NO_DEVICES, source=source)
        done(libc.umount2(b"/tmp", LEAVE_WHEN_UNUSED), "unmount /tmp")
    for place in ("/work", "/tmp"):
        mount("tmpfs", place, NO_SUID | NO_DEVICES, f"mode=1777,size={disk}")
    os.chdir("/work")


def close_calls(calls: bytes) -> None:
    """Let the kernel refuse what the filter names, to this process and to all that it starts."""
    steps = ctypes.create_string_buffer(calls, len(calls))
    program = ctypes.create_string_buffer(struct.pack("HP", len(calls) // 8, ctypes.addressof(steps)))
    done(libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no end to new privileges")
    done(libc.prctl(CLOSE_CALLS, BY_FILTER, ctypes.byref(program), 0, 0), "no filter")


def ready(line: bytes) -> None:
    """Say that the keeper waits for a job, and hand over what names its process to whoever asks for the run."""
    own = os.pidfd_open(os.getpid())
    socket.send_fds(socket.socket(fileno=os.dup(1)), [line], [own])
    os.close(own)


if __name__ == "__main__":
    main(sys.argv[1:])
