"""Story files: those that Jericho can score, with their walkthroughs, in the splits of a folder."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from agentgym.core.errors import DataError
from agentgym.envs.text._jericho.engine import package

SPLITS = ("train", "val", "test")
ENDING = re.compile(r"\.z[1-8]", re.IGNORECASE)
HEADER = 64  # bytes of the header of a story, which begins with its version
TEXT_WORLD = "tw-"  # how a file must begin for Jericho to know it as TextWorld's


@dataclass(frozen=True)
class Story:
    """A story file.

    Attributes:
        path: Of the file.
        name: Jericho's name of it, or that of the file without its ending.
        content: Its MD5, by which Jericho knows it.
        walkthrough: Lines that win it; empty where none is known.
    """

    path: Path
    name: str
    content: str
    walkthrough: tuple[str, ...]


@dataclass(frozen=True)
class Library:
    """Stories by id, and the ids of each split."""

    stories: dict[str, Story]
    splits: dict[str, tuple[str, ...]]


@lru_cache(maxsize=16)
def library(path: Path) -> Library:
    """The stories of a file, or of a folder with `train`, `val` and `test`.

    Args:
        path: Of either.

    Raises:
        DataError: if there is none, or one that Jericho cannot score.
    """
    if path.is_file():
        story = read(path)
        return Library({path.name: story}, dict.fromkeys(SPLITS, (path.name,)))
    found: dict[str, Story] = {}
    splits: dict[str, tuple[str, ...]] = {}
    for split in SPLITS:
        files = sorted(each for each in (path / split).glob("*") if ENDING.fullmatch(each.suffix))
        if not files:
            raise DataError(
                f"{path} is no story: give a file such as zork1.z5, or a folder that holds some in each of "
                f"{', '.join(SPLITS)}; there is none in {split}"
            )
        splits[split] = tuple(f"{split}/{each.name}" for each in files)
        found |= {name: read(each) for name, each in zip(splits[split], files, strict=True)}
    return Library(found, splits)


def read(path: Path) -> Story:
    """A story file that Jericho can score.

    Args:
        path: Of the file.

    Raises:
        DataError: if it is no story, or one whose score and end Jericho does not know.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(f"the story {path} cannot be read ({error.strerror})") from None
    if not ENDING.fullmatch(path.suffix) or len(data) < HEADER or not 1 <= data[0] <= 8:
        raise DataError(f"{path} is no story of the Z-machine, whose files end in .z1 to .z8")
    content = hashlib.md5(data, usedforsecurity=False).hexdigest()
    known: dict[str, Any] = package().defines.BINDINGS_DICT.get(content, {})
    if known:
        way = tuple(line.strip() for line in known["walkthrough"].split("/") if line.strip())
        return Story(path, known["name"], content, way)
    if not path.name.startswith(TEXT_WORLD):
        raise DataError(
            f"Jericho does not know the score and the end of {path}: it plays the stories that it lists, in exactly "
            f"their versions, and those of TextWorld, whose files begin with {TEXT_WORLD!r}"
        )
    return Story(path, path.stem, content, _of_text_world(path.with_suffix(".json")))


def _of_text_world(facts: Path) -> tuple[str, ...]:
    """The walkthrough in the file that TextWorld writes beside a story; empty where there is none.

    Raises:
        DataError: if it is not TextWorld's.
    """
    if not facts.is_file():
        return ()
    try:
        told = json.loads(facts.read_text(encoding="utf-8"))["metadata"]["walkthrough"]
        return tuple(str(line) for line in told)
    except (OSError, ValueError, RecursionError, KeyError, TypeError) as error:
        raise DataError(f"{facts} is not what TextWorld writes beside a story ({error!r}); remove it") from None
