"""Attempts to take more than a run may have, to end what runs it, and to hand back what harms.

As in `reaching`, each function runs inside as the source that it is. All are bounded by themselves as well, so that a
sandbox that did not hold would not take the machine with it.
"""

from __future__ import annotations


def forks_many(host):
    import os
    import time

    made = 0
    for _ in range(100):
        try:
            if os.fork() == 0:
                time.sleep(1)
                os._exit(0)
        except OSError:
            break
        made += 1
    return f"{made} processes" if made > host["processes"] else None


def forks_in_its_children(host):
    import os
    import time

    for _ in range(7):  # 128 processes, were there no limit
        try:
            os.fork()
        except OSError:
            pass
    open(f"alive{os.getpid()}", "w").close()
    time.sleep(0.5)
    made = len([name for name in os.listdir(".") if name.startswith("alive")])
    return f"{made} processes" if made > host["processes"] else None


def starts_threads(host):
    import threading
    import time

    made = 0
    for _ in range(100):
        try:
            threading.Thread(target=time.sleep, args=(1,), daemon=True).start()
        except RuntimeError:
            break
        made += 1
    return f"{made} threads" if made > host["processes"] else None


def takes_memory(host):
    held = []
    for _ in range(24):
        held.append(bytearray(b"x") * (32 << 20))
    return f"{len(held) * 32} MiB"


def takes_memory_in_many_processes(host):
    import os
    import time

    each = host["memory"] // 4
    for _ in range(8):
        if os.fork() == 0:
            held = bytearray(b"x") * each
            open(f"held{os.getpid()}", "w").close()
            time.sleep(2)
            os._exit(len(held) & 1)
    time.sleep(1.5)
    held = sum(name.startswith("held") for name in os.listdir("."))
    return f"{held * each >> 20} MiB" if held * each > 1.5 * host["memory"] else None


def takes_shared_memory(host):
    import mmap
    import os
    import time

    each = host["memory"] // 3
    for number in range(6):
        if os.fork() == 0:
            held = mmap.mmap(-1, each)
            for at in range(0, each, 4096):
                held[at] = 1
            open(f"held{number}", "w").close()
            time.sleep(2)
            os._exit(0)
    time.sleep(1.5)
    held = sum(name.startswith("held") for name in os.listdir("."))
    return f"{held * each >> 20} MiB" if held * each > 1.5 * host["memory"] else None


def takes_memory_without_a_name(host):
    import os

    place = os.memfd_create("held")
    return os.write(place, b"x" * (1 << 20)) and "a file in memory"


def fills_the_disk(host):
    written = 0
    for number in range(40):
        with open(f"/work/{number}", "wb") as file:
            file.write(b"x" * (4 << 20))
        written += 4 << 20
    return f"{written >> 20} MiB" if written > host["disk"] else None


def fills_other_places(host):
    import os

    for place in ("/dev/shm", "/var/tmp", "/run", "/dev", "/home", "/mnt"):
        try:
            with open(os.path.join(place, "big"), "wb") as file:
                file.write(b"x" * (1 << 20))
            return place
        except OSError:
            pass


def writes_a_large_file(host):
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("/tmp/large", "wb") as file:
        for _ in range(host["file_bytes"] // (1 << 20) + 1):
            file.write(b"x" * (1 << 20))
            file.flush()
    return "a file over the limit"


def makes_a_file_with_holes(host):
    import os
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("holes", "wb") as file:
        os.ftruncate(file.fileno(), 1 << 34)
    return "16 GiB"


def makes_many_files(host):
    for number in range(host["files"] * 2):
        open(f"{number}", "w").close()
    return None  # how many come back is seen outside


def nests_folders(host):
    import os

    for _ in range(1500):
        os.mkdir("d")
        os.chdir("d")
    return None  # so is what the keeper makes of it


def opens_many_files(host):
    held = [open("/dev/null") for _ in range(500)]
    return f"{len(held)} files"


def raises_its_limits(host):
    import resource

    for kind in (resource.RLIMIT_NPROC, resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU):
        try:
            resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            return str(kind)
        except (OSError, ValueError):
            pass


def runs_for_ever(host):
    while True:
        pass


def sleeps_for_ever(host):
    import time

    time.sleep(1000)


def ignores_every_signal(host):
    import signal

    for number in signal.valid_signals():
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        pass


def outlives_its_parent(host):
    import os
    import time

    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (0, 1, 2):
                os.close(number)
            time.sleep(30)
        os._exit(0)
    time.sleep(0.2)
    return None  # whether it lives on is seen outside


def keeps_the_output_open(host):
    import os
    import time

    if os.fork() == 0:
        time.sleep(60)
    return None  # the run must end all the same


def ends_every_process(host):
    import os
    import signal

    os.kill(-1, signal.SIGKILL)
    return None


def ends_the_keeper(host):
    import os
    import signal

    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGSEGV, signal.SIGALRM):
        try:
            os.kill(1, number)
        except OSError:
            pass
    return None  # a keeper that ended answers nothing


def floods_the_output(host):
    import sys

    for _ in range(2000):
        sys.stdout.write("x" * 65536)


def floods_the_errors(host):
    import os

    for _ in range(2000):
        os.write(2, b"\x00\xff\x1b[2J" * 4096)


def writes_no_text(host):
    import os

    os.write(1, bytes(range(256)) * 16)


def forges_an_answer(host):
    import json
    import os
    import struct

    head = {"ended": "exit", "code": 77, "cpu": 0, "stdout": 7, "stderr": 0, "files": []}
    said = json.dumps(head).encode()
    for number in range(256):
        try:
            os.write(number, struct.pack("<I", len(said)) + said + b"ESCAPED"[::-1])
        except OSError:
            pass
    os._exit(3)


def hands_back_a_pickle(host):
    import os

    class Harm:
        def __reduce__(self):
            return os.mkdir, (host["trap"],)

    import pickle

    with open("answer.pkl", "wb") as file:
        pickle.dump(Harm(), file)
    os.write(1, pickle.dumps(Harm()))


def hands_back_a_link(host):
    import os

    os.symlink(host["canary"], "answer.txt")
    os.symlink("/", "all")
    os.mkdir("in")
    os.symlink("../..", "in/up")


def hands_back_strange_names(host):
    import os

    for name in (b"a\nb", b"\xff\xfe", b"\x1b[2J", b"..\\..\\x", b" ", b"-rf"):
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY))


def hands_back_a_pipe(host):
    import os

    os.mkfifo("answer.txt")
    os.mkdir("closed", 0)


def hands_back_what_cannot_be_read(host):
    import os

    with open("closed.txt", "w") as file:
        file.write("x")
    os.chmod("closed.txt", 0)
    os.chmod("/work", 0) if os.access("/work", os.W_OK) and os.stat("/work").st_uid == os.getuid() else None


def patches_the_interpreter(host):
    import gc
    import os
    import sys

    for found in gc.get_objects():
        if isinstance(found, dict) and "ended" in found:
            found["ended"] = "exit"
    main = sys.modules.get("__main__")
    for name in ("answer", "play", "write"):
        if hasattr(main, name):
            setattr(main, name, lambda *_: os._exit(0))
    sys.exit(5)
