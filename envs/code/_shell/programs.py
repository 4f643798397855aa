"""What stands in a home: source code with remarks, and scripts that wait for signals or work in steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from agentgym.envs.code._shell import words
from agentgym.envs.code._shell.contents import any_of, some, token

if TYPE_CHECKING:
    from agentgym.envs.code._shell.home import Home

WAITING = """#!/bin/bash
# {name}: waits for a signal and then writes what it has to say
cd "$(dirname "$0")" || exit 1
say() {{ echo "$1 $(cksum < {name}.dat | cut -d' ' -f1)" > {name}.out; rm -f {name}.ready; exit {status}; }}
trap 'say {first}' {one}
trap 'say {second}' {two}
touch {name}.ready
for step in $(seq 300); do sleep 0.05; done
rm -f {name}.ready
exit 99
"""
WORKING = """#!/bin/bash
# {name}: reads its numbers and answers with its exit status
cd "$(dirname "$0")" || exit 1
total=0
while read -r number; do total=$(( (total * {factor} + number) % 251 )); done < {name}.dat
[ "$1" = --quiet ] || echo "step $((total * 7 % 97)) of {name}"
exit $((total % 120 + 3))
"""


def _function(rng: np.random.Generator, name: str) -> list[str]:
    """A function of Python with a remark here and there."""
    thing = name.rpartition("_")[2]
    lines = [f"def {name}({thing}, limit={rng.integers(2, 90)}):"]
    if rng.random() < 0.5:
        mark, who = any_of(rng, ("LATER", "RECHECK")), any_of(rng, words.PEOPLE[:8])
        lines.append(f"    # {mark}({who}): {any_of(rng, words.VERBS)} the {any_of(rng, words.NOUNS)}")
    for _ in range(int(rng.integers(1, 6))):
        lines.append(f"    {any_of(rng, words.NOUNS)} = {thing} + {rng.integers(2, 99)}")
    return [*lines, f"    return {thing} % limit", ""]


def put_projects(home: Home, rng: np.random.Generator) -> None:
    """Two trees of source code in `projects` of `home`; `rng` draws functions, remarks and scripts."""
    for project in some(rng, words.PROJECTS, 2):
        names = [f"{verb}_{thing}" for verb, thing in zip(
            some(rng, words.FUNCTIONS, 14), some(rng, words.THINGS, 14), strict=True,
        )]  # fmt: skip
        for file, at in zip(some(rng, words.THINGS, 5), range(0, 14, 3), strict=True):
            lines = [f"import {each}" for each in some(rng, words.MODULES, int(rng.integers(1, 5)))]
            lines += ["", *(line for name in names[at : at + 3] for line in _function(rng, name))]
            called = any_of(rng, names)
            lines.append(f"result = {called}({rng.integers(2, 50)})")
            folder = any_of(rng, ("src", "src/core", "tools"))
            home.put(f"projects/{project}/{folder}/{file}s.py", "\n".join(lines) + "\n")
        for name in some(rng, words.VERBS, 3):
            mode = any_of(rng, (0o755, 0o644, 0o644))
            home.put(f"projects/{project}/scripts/{name}.sh", f"#!/bin/sh\necho {name} {token(rng)}\n", mode)
        text = f"# {project}\n\nKept by {any_of(rng, words.PEOPLE)}.\n"
        text += f"Version {rng.integers(1, 9)}.{rng.integers(0, 30)}\n"
        home.put(f"projects/{project}/README.md", text)


def put_jobs(home: Home, rng: np.random.Generator) -> None:
    """Four scripts in `jobs` of `home`: two wait for a signal, two end with a status; `rng` draws what they answer."""
    names = some(rng, words.VERBS, 4)
    for name in names[:2]:
        one, two = some(rng, words.SIGNALS, 2)
        first, second = token(rng), token(rng)
        status = int(rng.integers(3, 90))
        text = WAITING.format(name=name, first=first, second=second, one=one, two=two, status=status)
        home.put(f"jobs/{name}.sh", text, 0o755)
        home.put(f"jobs/{name}.dat", "\n".join(token(rng, 12) for _ in range(6)) + "\n")
    for name in names[2:]:
        factor = int(rng.integers(3, 40))
        home.put(f"jobs/{name}.sh", WORKING.format(name=name, factor=factor), 0o755)
        home.put(f"jobs/{name}.dat", "".join(f"{rng.integers(1, 900)}\n" for _ in range(int(rng.integers(20, 40)))))
