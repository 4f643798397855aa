"""The files of a base image made of this machine's own: an interpreter, a shell, common programs, what they load."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

PROGRAMS = (
    "awk", "base64", "basename", "bash", "bzip2", "cat", "chmod", "cksum", "cmp", "comm", "cp", "cut", "date", "dd",
    "diff", "dirname", "du", "echo", "egrep", "env", "expr", "false", "fgrep", "find", "fold", "git", "grep", "gunzip",
    "gzip", "head", "id", "join", "kill", "ln", "ls", "md5sum", "mkdir", "mktemp", "mv", "nl", "od", "paste", "patch",
    "printf", "ps", "pwd", "readlink", "realpath", "rev", "rm", "rmdir", "sed", "seq", "sh", "sha256sum", "shuf",
    "sleep", "sort", "split", "stat", "tac", "tail", "tar", "tee", "test", "touch", "tr", "true", "truncate", "uniq",
    "unxz", "wc", "which", "whoami", "xargs", "xz", "yes", "zcat",
)  # fmt: skip
LEFT_OUT = {"site-packages", "__pycache__", "test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3"}
LIBRARY = re.compile(r"(?:=> )?(/\S+) \(0x")
FOLDERS = ("tmp", "proc", "dev", "sys", "etc")


def machine_files() -> bytes:
    """A tar archive that Docker can import."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in FOLDERS:
            entry = tarfile.TarInfo(name)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if name == "tmp" else 0o755
            archive.addfile(entry)
        for link, target in _links():
            entry = tarfile.TarInfo(link)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
        for source, place in dict.fromkeys(_files()):
            archive.add(source, place.lstrip("/"), recursive=False, filter=_anonymous)
    return packed.getvalue()


def _links() -> Iterator[tuple[str, str]]:
    """The links by which the machine's top folders lead into /usr."""
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        if os.path.islink(f"/{name}"):
            yield name, os.readlink(f"/{name}")


def _files() -> Iterator[tuple[str, str]]:
    """Each file, and where it is put."""
    loaded: list[str] = []
    for name in PROGRAMS:
        found = shutil.which(name, path="/usr/local/bin:/usr/bin:/bin")
        if found:
            real = os.path.realpath(found)
            loaded.append(real)
            yield real, f"/usr/bin/{name}"
    for folder in ("/usr/lib/git-core",):
        yield from ((str(path), str(path)) for path in Path(folder).rglob("*") if path.is_file())
    python = Path(os.path.realpath(getattr(sys, "_base_executable", sys.executable)))
    loaded.append(str(python))
    yield str(python), "/usr/local/bin/python3"
    library = Path(sys.base_prefix) / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    for folder, inner, names in os.walk(library):
        inner[:] = sorted(set(inner) - LEFT_OUT)
        for name in sorted(names):
            path = Path(folder) / name
            if path.suffix == ".so":
                loaded.append(str(path))
            if path.suffix in (".py", ".so", ".txt"):
                yield str(path), f"/usr/local/lib/{library.name}/{path.relative_to(library)}"
    yield from ((os.path.realpath(path), path) for path in _libraries(loaded))


def _libraries(programs: list[str]) -> list[str]:
    """The shared libraries that some programs load."""
    said = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=False).stdout
    found = {match[1] for match in map(LIBRARY.search, said.splitlines()) if match}
    return sorted(f"/usr{path}" if path.startswith("/lib") and os.path.islink("/lib") else path for path in found)


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """The entry without owner, time and the rights to become somebody else."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o755 if entry.mode & 0o111 else 0o644
    return entry
