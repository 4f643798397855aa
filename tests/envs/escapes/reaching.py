"""Attempts to see or to change what is outside: files, the network, other processes, the kernel.

Each function runs inside, as the source that it is: it imports what it needs and knows nothing of this module. It is
given `host`, what an attacker may know of the machine, and returns how it got out, or None.
"""

from __future__ import annotations


def reads_a_file_outside(host):
    return open(host["canary"]).read()


def reads_it_through_dots(host):
    return open("/work/../../../../.." + host["canary"]).read()


def reads_it_through_a_link(host):
    import os

    os.symlink(host["canary"], "link")
    return open("link").read()


def reads_it_through_the_first_process(host):
    return open("/proc/1/root" + host["canary"]).read()


def reads_it_through_its_own_root(host):
    return open("/proc/self/root" + host["canary"]).read()


def links_hard_to_it(host):
    import os

    os.link(host["canary"], "hard")
    return open("hard").read()


def lists_the_checkout(host):
    import os

    return os.listdir(host["checkout"])


def imports_an_installed_package(host):
    import glob
    import importlib
    import sys

    sys.path += [
        place for root in {sys.prefix, "/usr", "/usr/local"} for place in glob.glob(f"{root}/lib*/python3*/*-packages")
    ]
    found = []
    for name in ("agentgym", "numpy", "pip", "setuptools", "apt_pkg"):
        try:
            found.append(importlib.import_module(name).__name__)
        except ImportError:
            pass
    return found


def reads_passwords(host):
    return open("/etc/shadow").read()


def reads_the_environment_outside(host):
    return open(f"/proc/{host['pid']}/environ").read()


def writes_to_programs(host):
    import os
    import sys

    for place in ("/usr", "/usr/bin", "/bin", "/lib", "/etc", "/", "/opt", "/dev", sys.base_prefix, "/sys", "/proc"):
        try:
            with open(os.path.join(place, "escaped"), "w") as file:
                file.write("x")
            return place
        except OSError:
            pass


def changes_the_keeper(host):
    with open("/keeper.py", "a") as file:
        file.write("#")
    return "/keeper.py"


def makes_the_view_writable(host):
    import os

    for place in ("/", "/usr", "/keeper.py", "/etc"):
        try:
            os.chmod(place, 0o777)
            return place
        except OSError:
            pass


def opens_devices(host):
    import os

    for name in ("mem", "kmem", "port", "kmsg", "sda", "vda", "nvme0n1", "loop-control", "fuse", "kvm", "net/tun"):
        try:
            os.open(f"/dev/{name}", os.O_RDONLY)
            return name
        except OSError:
            pass


def makes_a_device(host):
    import os
    import stat

    os.mknod("disk", stat.S_IFBLK | 0o600, os.makedev(254, 0))
    return os.open("disk", os.O_RDONLY) and "a disk"


def has_open_files(host):
    import os

    found = []
    for number in range(3, 2048):
        try:
            os.fstat(number)
            found.append(number)
        except OSError:
            pass
    return found


def unpacks_an_archive_over_it(host):
    import io
    import tarfile

    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in ("../../../../../.." + host["canary"], host["canary"]):
            entry = tarfile.TarInfo(name)
            entry.size = 7
            archive.addfile(entry, io.BytesIO(b"escaped"))
    packed.seek(0)
    with tarfile.open(fileobj=packed) as archive:
        archive.extractall(".")
    return None  # whether it was changed is seen outside


def reaches_this_machine(host):
    import socket

    return socket.create_connection(("127.0.0.1", host["port"]), 1).recv(64)


def reaches_the_metadata_address(host):
    import socket

    return socket.create_connection(("169.254.169.254", 80), 1) and "connected"


def reaches_the_internet(host):
    import socket

    for place in (("8.8.8.8", 53), ("1.1.1.1", 443), ("2606:4700:4700::1111", 443)):
        try:
            return socket.create_connection(place, 1) and str(place)
        except OSError:
            pass


def asks_for_a_name(host):
    import socket

    return socket.getaddrinfo("example.org", 80)


def sends_a_datagram(host):
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        return out.sendto(b"x", ("127.0.0.1", host["port"]))


def opens_strange_sockets(host):
    import socket

    kinds = [(socket.AF_INET, socket.SOCK_RAW, 1), (socket.AF_PACKET, socket.SOCK_RAW, 0), (16, socket.SOCK_RAW, 0)]
    for kind in [*kinds, (38, socket.SOCK_SEQPACKET, 0), (40, socket.SOCK_STREAM, 0), (socket.AF_INET6, 1, 0)]:
        try:
            return socket.socket(*kind) and str(kind)
        except OSError:
            pass


def listens(host):
    import socket

    with socket.socket() as door:
        door.bind(("0.0.0.0", 0))
        door.listen()
        return "a port"


def reaches_a_socket_file(host):
    import socket

    with socket.socket(socket.AF_UNIX) as out:
        out.connect(host["socket"])
        return out.recv(64)


def reaches_an_abstract_socket(host):
    import socket

    with socket.socket(socket.AF_UNIX) as out:
        out.connect("\0" + host["abstract"])
        return out.recv(64)


def reaches_the_docker_daemon(host):
    import socket

    for place in ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock"):
        try:
            with socket.socket(socket.AF_UNIX) as out:
                out.connect(place)
                return place
        except OSError:
            pass


def traces_the_first_process(host):
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    return "attached" if libc.ptrace(16, 1, 0, 0) == 0 else None


def traces_its_own_child(host):
    import ctypes
    import os
    import signal
    import time

    child = os.fork()
    if not child:
        time.sleep(2)
        os._exit(0)
    libc = ctypes.CDLL(None, use_errno=True)
    attached = libc.ptrace(16, child, 0, 0) == 0
    os.kill(child, signal.SIGKILL)  # else it stays stopped, and holds the output open
    os.waitpid(child, 0)
    return "attached" if attached else None


def reads_the_memory_of_the_keeper(host):
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(8)

    class Part(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    mine, other = Part(ctypes.addressof(buffer), 8), Part(ctypes.addressof(buffer), 8)
    got = libc.process_vm_readv(1, ctypes.byref(mine), 1, ctypes.byref(other), 1, 0)
    return f"{got} bytes" if got > 0 else None


def opens_the_memory_of_the_keeper(host):
    return open("/proc/1/mem", "r+b") and "open"


def takes_a_file_of_the_keeper(host):
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    got = libc.syscall(438, os.pidfd_open(1), 1, 0)
    return f"descriptor {got}" if got >= 0 else None


def opens_the_output_of_the_keeper(host):
    import os

    for number in range(10):
        try:
            return os.open(f"/proc/1/fd/{number}", os.O_WRONLY) and f"descriptor {number}"
        except OSError:
            pass


def signals_whoever_asked(host):
    import os

    os.kill(host["pid"], 0)
    return host["pid"]


def signals_a_group_outside(host):
    import os

    os.killpg(host["group"], 0)
    return host["group"]


def limits_the_keeper(host):
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    limit = (ctypes.c_uint64 * 2)(1, 1)
    return "limited" if libc.prlimit(1, 0, ctypes.byref(limit), None) == 0 else None


def makes_namespaces(host):
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    for flag in (0x10000000, 0x00020000, 0x20000000, 0x40000000):
        if libc.unshare(flag) == 0:
            return hex(flag)


def clones_into_namespaces(host):
    import ctypes
    import os
    import platform

    libc = ctypes.CDLL(None, use_errno=True)
    call = {"x86_64": 56, "aarch64": 220}[platform.machine()]
    got = libc.syscall(call, 0x10000000 | 17, 0, 0, 0, 0)
    if got == 0:
        os._exit(0)
    return "a user namespace" if got > 0 else None


def enters_namespaces(host):
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    for name in ("mnt", "net", "pid", "user"):
        for process in (1, host["pid"]):
            try:
                if libc.setns(os.open(f"/proc/{process}/ns/{name}", os.O_RDONLY), 0) == 0:
                    return name
            except OSError:
                pass


def mounts(host):
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"none", b"/work", b"tmpfs", 0, None) == 0 or libc.umount2(b"/work", 2) == 0:
        return "mounted"
    return "remounted" if libc.mount(None, b"/", None, 32, None) == 0 else None


def changes_the_root(host):
    import os

    os.chroot("/work")
    return "chroot"


def becomes_the_superuser(host):
    import os

    for take in (os.setuid, os.seteuid, os.setgid):
        try:
            take(0)
            return take.__name__
        except OSError:
            pass
    return "uid 0" if os.geteuid() == 0 else None


def runs_setuid_programs(host):
    import subprocess

    for words in (["su", "-c", "id -u"], ["mount", "-t", "tmpfs", "none", "/work"], ["sudo", "-n", "id", "-u"]):
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=2, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.SubprocessError):
            continue
        if done.returncode == 0:
            return words[0]


def has_capabilities(host):
    lines = dict(line.split(":\t") for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
    held = {name: lines[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb") if int(lines[name], 16)}
    return held or (None if lines["NoNewPrivs"] == "1" else "new privileges")


def turns_the_knobs_of_the_kernel(host):
    for place, text in (
        ("/proc/sys/kernel/core_pattern", "|/work/x"), ("/proc/sysrq-trigger", "h"), ("/proc/sys/kernel/hostname", "x"),
        ("/proc/self/uid_map", "0 0 1"), ("/proc/1/oom_score_adj", "0"), ("/sys/fs/cgroup/pids/x", "x"),
        ("/sys/fs/cgroup/cgroup.procs", "1"),
    ):  # fmt: skip
        try:
            with open(place, "w") as file:
                file.write(text)
            return place
        except OSError:
            pass


def calls_the_kernel(host):
    """Each call is made with arguments that it would refuse as such: only a filter answers that it is forbidden."""
    import ctypes
    import errno
    import platform

    if platform.machine() != "x86_64":
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    for number in (321, 298, 323, 425, 250, 248, 246, 175, 304, 303, 169, 167, 227, 144, 135, 319, 29, 428, 430, 442):
        if libc.syscall(number, -1, -1, -1, -1, -1, -1) >= 0 or ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS):
            return f"system call {number}: {errno.errorcode.get(ctypes.get_errno())}"


def types_into_a_terminal(host):
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    for number in (0, 1, 2):
        if libc.ioctl(number, 0x5412, b"x") == 0:
            return f"descriptor {number}"


def sets_the_name_of_the_machine(host):
    import ctypes
    import time

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.sethostname(b"escaped", 7) == 0:
        return "the name"
    try:
        time.clock_settime(time.CLOCK_REALTIME, 0)
        return "the clock"
    except OSError:
        return None
