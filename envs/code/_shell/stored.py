"""Bytes of archives and objects that are the same on every machine: deflate with stored blocks, gzip, tar.

Compressing them would give other bytes with another version of the library; a stored block has one form.
"""

from __future__ import annotations

import io
import struct
import tarfile
import zlib
from collections.abc import Mapping

BLOCK = 65_535  # the most that a stored block holds
MOST = 16 << 20  # bytes that an archive of a player may unpack to


def deflated(data: bytes) -> bytes:
    """A raw deflate stream of stored blocks."""
    parts = [data[at : at + BLOCK] for at in range(0, len(data), BLOCK)] or [b""]
    made = [
        struct.pack("<BHH", at == len(parts) - 1, len(part), len(part) ^ 0xFFFF) + part for at, part in enumerate(parts)
    ]
    return b"".join(made)


def zlibbed(data: bytes) -> bytes:
    """A zlib stream, as Git keeps its objects."""
    return b"\x78\x01" + deflated(data) + struct.pack(">I", zlib.adler32(data))


def gzipped(data: bytes) -> bytes:
    """A gzip file without name and time."""
    head = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"
    return head + deflated(data) + struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)


def tarred(members: Mapping[str, bytes], when: int = 0) -> bytes:
    """A tar archive of files.

    Args:
        members: Content by path.
        when: Their time.
    """
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(data), 0o644, when
            archive.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


def unzipped(data: bytes) -> bytes | None:
    """What a gzip file holds; None if it is none, or holds too much."""
    found = b""
    try:
        while data:
            reader = zlib.decompressobj(31)
            found += reader.decompress(data, MOST - len(found) + 1)
            if len(found) > MOST or not reader.eof:
                return None
            data = reader.unused_data
    except zlib.error:
        return None
    return found


def members(data: bytes) -> dict[str, bytes] | None:
    """The files in a tar archive, packed or not, by path without `./`; None if it is none, or holds too much."""
    plain = unzipped(data) if data[:2] == b"\x1f\x8b" else data
    found, left = {}, MOST
    try:
        with tarfile.open(fileobj=io.BytesIO(plain or b""), mode="r:") as archive:
            for entry in archive:
                if entry.isfile():
                    left -= entry.size  # which a sparse file only says
                    if left < 0:
                        return None
                    opened = archive.extractfile(entry)
                    found[entry.name.removeprefix("./")] = opened.read() if opened else b""
    except (tarfile.TarError, ValueError, OverflowError, EOFError, OSError):
        return None
    return found
