"""Which system calls a sandboxed program may not make, as a filter for the kernel and as a profile for Docker.

The list is of what is refused. What it names is administration (mounts, namespaces, modules, clocks), reaching into
other processes, kernel memory that no limit counts, and every kind of socket but those between processes.
"""

from __future__ import annotations

import errno
import platform
import struct
from typing import Any

from agentgym.core.errors import MissingExtra

MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}  # audit number, column below
NUMBERS: dict[str, tuple[int, int]] = {  # system call: its number on x86-64 and on 64-bit ARM; -1 where it has none
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440), "process_mrelease": (448, 448),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "unshare": (272, 97),
    "setns": (308, 268), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "quotactl": (179, 60), "quotactl_fd": (443, 443), "swapon": (167, 224), "swapoff": (168, 225),
    "reboot": (169, 142), "sethostname": (170, 161), "setdomainname": (171, 162), "acct": (163, 89),
    "syslog": (103, 116), "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266),
    "adjtimex": (159, 171), "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "open_by_handle_at": (304, 265), "name_to_handle_at": (303, 264), "fanotify_init": (300, 262),
    "lookup_dcookie": (212, 18), "vhangup": (153, 58), "personality": (135, 92), "iopl": (172, -1),
    "ioperm": (173, -1), "modify_ldt": (154, -1), "uselib": (134, -1), "ustat": (136, -1), "_sysctl": (156, -1),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "shmat": (30, 196),
    "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180), "mlock": (149, 228), "mlock2": (325, 284),
    "mlockall": (151, 230), "remap_file_pages": (216, 234), "move_pages": (279, 239), "migrate_pages": (256, 238),
    "mbind": (237, 235), "set_mempolicy": (238, 237), "sched_setscheduler": (144, 119), "sched_setattr": (314, 274),
    "mknod": (133, -1), "mknodat": (259, 33), "vmsplice": (278, 75), "clone3": (435, 435), "clone": (56, 220),
    "socket": (41, 198), "socketpair": (53, 199), "prlimit64": (302, 261), "ioctl": (16, 29),
}  # fmt: skip
UNKNOWN = ("clone3",)  # answered as if the kernel had none: the C library then takes the older call, which is looked at
NEW_NAMESPACES = 0x7E020080  # CLONE_NEWTIME to CLONE_NEWNET in the flags of clone
AF_UNIX = 1
PUSHES = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX, which type into a terminal
X32 = 0x40000000

LOAD, JUMP_EQUAL, JUMP_SET, JUMP_LEAST, RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
NUMBER_AT, MACHINE_AT = 0, 4


def _argument(place: int) -> int:
    """Where the lower half of an argument stands in what a filter is shown."""
    return 16 + 8 * place


def _refusal(name: str) -> int:
    return ERROR | (errno.ENOSYS if name in UNKNOWN else errno.EPERM)


def _looked_at(name: str, number: int) -> list[tuple[int, int, int, int]]:
    """The part of the filter for a call of which only some are refused; the number is loaded when it begins."""
    refuse = (RETURN, 0, 0, _refusal(name))
    if name == "clone":
        body = [(LOAD, 0, 0, _argument(0)), (JUMP_SET, 0, 1, NEW_NAMESPACES), refuse]
    elif name == "prlimit64":  # of another process
        body = [(LOAD, 0, 0, _argument(0)), (JUMP_EQUAL, 1, 0, 0), refuse]
    elif name in ("socket", "socketpair"):
        body = [(LOAD, 0, 0, _argument(0)), (JUMP_EQUAL, 1, 0, AF_UNIX), refuse]
    elif name == "ioctl":
        body = [
            (LOAD, 0, 0, _argument(1)), (JUMP_EQUAL, 1, 0, PUSHES[0]), (JUMP_EQUAL, 0, 1, PUSHES[1]), refuse,
        ]  # fmt: skip
    else:
        return [(JUMP_EQUAL, 0, 1, number), refuse]
    return [(JUMP_EQUAL, 0, len(body) + 1, number), *body, (RETURN, 0, 0, ALLOW)]


def program(machine: str = "") -> bytes:
    """The filter as the kernel reads it, a Berkeley packet filter.

    Args:
        machine: As `platform.machine()` says; empty for this one.

    Raises:
        MissingExtra: for a processor whose numbers are not known here.
    """
    named = machine or platform.machine()
    if named not in MACHINES:
        raise MissingExtra(f"bubblewrap is used on {' and '.join(MACHINES)}, this is {named}: install Docker instead")
    audit, column = MACHINES[named]
    steps = [(LOAD, 0, 0, MACHINE_AT), (JUMP_EQUAL, 1, 0, audit), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER_AT)]
    if column == 0:
        steps += [(JUMP_LEAST, 0, 1, X32), (RETURN, 0, 0, KILL)]
    for name, numbers in NUMBERS.items():
        if numbers[column] >= 0:
            steps += _looked_at(name, numbers[column])
    steps.append((RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("<HBBI", *step) for step in steps)


def profile() -> dict[str, Any]:
    """The same for Docker, which knows system calls by name."""
    whole = [name for name in NUMBERS if name not in (*UNKNOWN, "clone", "prlimit64", "socket", "socketpair", "ioctl")]
    refused: dict[str, Any] = {"action": "SCMP_ACT_ERRNO", "errnoRet": errno.EPERM}
    return {
        "defaultAction": "SCMP_ACT_ALLOW",
        "archMap": [
            {"architecture": "SCMP_ARCH_X86_64", "subArchitectures": []},
            {"architecture": "SCMP_ARCH_AARCH64", "subArchitectures": []},
        ],
        "syscalls": [
            {"names": whole, **refused},
            {"names": list(UNKNOWN), "action": "SCMP_ACT_ERRNO", "errnoRet": errno.ENOSYS},
            {"names": ["prlimit64"], "args": [{"index": 0, "value": 0, "op": "SCMP_CMP_NE"}], **refused},
            {"names": ["socket", "socketpair"], **refused,
             "args": [{"index": 0, "value": AF_UNIX, "op": "SCMP_CMP_NE"}]},
            *({"names": ["ioctl"], "args": [{"index": 1, "value": push, "op": "SCMP_CMP_EQ"}], **refused}
              for push in PUSHES),
            *({"names": ["clone"], "args": [{"index": 0, "value": 1 << bit, "valueTwo": 1 << bit,
                                             "op": "SCMP_CMP_MASKED_EQ"}], **refused}
              for bit in range(32) if NEW_NAMESPACES >> bit & 1),
        ],
    }  # fmt: skip
