"""What stands in a home: archives, one in another, damaged ones, and a repository with branches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from agentgym.envs.code._shell import words
from agentgym.envs.code._shell.contents import any_of, some, token
from agentgym.envs.code._shell.machine import BEGINNING
from agentgym.envs.code._shell.repository import Repository
from agentgym.envs.code._shell.stored import gzipped, tarred

if TYPE_CHECKING:
    from agentgym.envs.code._shell.home import Home

DAY = 86_400


def _sheet(rng: np.random.Generator, size: int) -> bytes:
    lines = [f"{any_of(rng, words.NOUNS)}: {rng.integers(2, 900)}" for _ in range(size)]
    return "\n".join([f"serial {token(rng, 9)}", *lines, ""]).encode()


def put_archives(home: Home, rng: np.random.Generator) -> None:
    """Archives in `downloads` of `home`: packed folders, one archive in another, packed texts, some of them cut short.

    Args:
        home: Gets the files.
        rng: Draws names, contents, and where an archive is cut.
    """
    when = BEGINNING - 90 * DAY
    names = some(rng, words.SUBJECTS, 7)
    for name in names[:3]:
        files = {f"{name}/{noun}.txt": _sheet(rng, int(rng.integers(3, 30))) for noun in some(rng, words.NOUNS, 6)}
        for noun in some(rng, words.NOUNS, 3):
            files[f"{name}/parts/{noun}.csv"] = _sheet(rng, int(rng.integers(3, 30)))
        packed = tarred(files, when)
        home.put(f"downloads/{name}.tar.gz", gzipped(packed))
    inner = tarred({f"{noun}.txt": _sheet(rng, int(rng.integers(3, 30))) for noun in some(rng, words.NOUNS, 4)}, when)
    files = {"readme.txt": _sheet(rng, 3), f"{names[3]}-inner.tar.gz": gzipped(inner)}
    home.put(f"downloads/{names[3]}-nested.tar", tarred(files, when))
    for name in names[4:]:
        whole = gzipped(_sheet(rng, int(rng.integers(30, 90))))
        broken = whole[: int(rng.integers(30, len(whole) - 30))] if rng.random() < 0.6 else whole
        home.put(f"downloads/{name}.txt.gz", broken)


def put_repository(home: Home, rng: np.random.Generator) -> None:
    """A repository with a history of eight commits or more, and three branches that touch other files.

    Args:
        home: Gets it in `repositories`, and its files and `.git` below `repos`.
        rng: Draws names, people, times and what each commit changes.
    """
    name, made = any_of(rng, words.PROJECTS), Repository()
    place = f"repos/{name}"
    nouns = some(rng, words.NOUNS, 16)
    people = some(rng, words.PEOPLE, 3)
    when = BEGINNING - int(rng.integers(100, 300)) * DAY
    files = {"README.md": f"# {name}\n".encode()}
    subjects = iter(some(rng, [f"{verb.capitalize()} the {noun}" for verb in words.VERBS for noun in nouns], 40))

    def commit(branch: str, changed: dict[str, bytes]) -> None:
        """Add a commit to a `branch` some hours or days after the last one, in which these files are `changed`."""
        nonlocal when
        when += int(rng.integers(3_600, 8 * DAY))
        made.commit(branch, changed, any_of(rng, people), next(subjects), when)

    commit("main", files)
    for at in range(int(rng.integers(6, 10))):
        path = any_of(rng, (f"{nouns[at % 5]}.txt", f"docs/{nouns[at % 5]}.md", f"lib/{nouns[5 + at % 3]}.cfg"))
        files = {**files, path: _sheet(rng, int(rng.integers(3, 20)))}
        commit("main", files)
    gone = any_of(rng, [path for path in files if path != "README.md"])
    files = {path: data for path, data in files.items() if path != gone}
    commit("main", files)
    for at, branch in enumerate(some(rng, words.FUNCTIONS, 3)):
        label = f"{any_of(rng, ('feature', 'fix', 'draft'))}/{branch}-{any_of(rng, words.THINGS)}"
        back = made.history("main")[at % 2]
        made.refs[f"refs/heads/{label}"] = back.id
        own = dict(back.files)
        for more in range(int(rng.integers(1, 4))):
            own[f"extra/{nouns[8 + at * 2 + more % 2]}.txt"] = _sheet(rng, int(rng.integers(2, 9)))
            commit(label, dict(own))
    home.repositories[place] = made
    home.folder(f"{place}/.git")
    for path, entry in made.written().items():
        target = f"{place}/{path[3:]}" if path.startswith("../") else f"{place}/.git/{path}"
        home.folder(target.rpartition("/")[0])
        home.files[target] = entry
