"""An issue: what somebody sees of the faults of a repository, in their words, and nothing of where they are."""

from __future__ import annotations

import ast
import zlib
from collections.abc import Sequence

import numpy as np

from agentgym.assets.repositories import Repair, Repository, load_answers, load_repository
from agentgym.core.rng import stream

WORDINGS = 64
LONGEST = 400  # characters of a value
TITLES = (
    "{what} is not right", "Wrong result for {what}", "Problem with {what}", "{what}: not what I expected",
    "Bug in {package}: {what}", "In {package}, {what} went wrong", "Something is off with {what}",
    "{what} does not work any more",
)  # fmt: skip
LEADS = (
    "Since the last update of {package} I get results that cannot be right.",
    "I use {package} in a small project, and today a check of mine failed.",
    "I tried what the documentation of {package} describes, and it does something else.",
    "This worked before. Now it does not.",
    "I stumbled over this while I was writing a script with {package}.",
    "Two of us have seen this now, on different machines, always in the same way.",
    "I am not sure whether this is one problem or several.",
    "Here is what I see, cut down as far as I could.",
    "",
)
CODED = (
    "When I run\n\n{code}\n\nI get {got}. I expected {right}.",
    "This is about {what}:\n\n{code}\n\nIt should give {right}, and it gives {got}.",
    "To reproduce:\n\n{code}\n\nActual: {got}\nExpected: {right}",
    "Try this:\n\n{code}\n\nThe answer ought to be {right}. What comes out is {got}.",
    "The last line of\n\n{code}\n\nleads to {got} here; before the update it was {right}.",
    "For {what} the library is wrong. Take\n\n{code}\n\nwhich must be {right} and is {got}.",
)
PLAIN = (
    "As for {what}: I get {got} where {right} would be right.",
    "And {what} comes out wrong, too: {got} instead of {right}.",
    "Something similar happens with {what}, where {right} has become {got}.",
    "There is also {what}. It used to be {right}; it is {got} now.",
)
ENDS = (
    "Could somebody have a look?", "I have not found out why.", "Everything else that I tried looks fine.",
    "I did not see anything about it in the documentation.", "Please keep the rest as it is; other code depends on it.",
    "Happy to test a fix.", "The same input worked in the previous release.", "",
)  # fmt: skip


def _indented(code: str) -> str:
    return "\n".join(f"    {line}" for line in code.splitlines())


def _value(text: str, error: str = "raises ") -> str:
    """A value, or an error, in a sentence."""
    plain = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
    if plain.startswith(error):
        return f"an error ({plain.removeprefix(error)})"
    return "no end: it keeps computing" if plain == "does not end" else f"`{plain}`"


def _helpers(repository: Repository, codes: Sequence[str]) -> str:
    """Functions before the cases that some lines of code call."""
    defined = [node for node in ast.parse(repository.prelude).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    used = [node for node in defined if any(node.name in code for code in codes)]
    return "\n\n".join(ast.unparse(node) for node in used)


def _one_of(rng: np.random.Generator, texts: Sequence[str]) -> str:
    return texts[int(rng.integers(len(texts)))]


def issue(repair: Repair, wording: int) -> str:
    """The text of an issue.

    Args:
        repair: Whose symptoms.
        wording: Any number below `WORDINGS`; each stands for a way to say it.
    """
    repository, answers = load_repository(repair.repository), load_answers(repair.repository)
    rng = stream("code.repair.words", zlib.crc32(repair.name.encode()), wording)
    told = [(repository.cases[at], got, answers[at]) for at, got in repair.quoted]
    if len(told) > 1 and rng.random() < 0.5:
        told = [*told[1:], told[0]]
    parts = [_one_of(rng, LEADS).format(package=repair.repository)]
    coded = []
    for at, (case, got, right) in enumerate(told):
        style = CODED if at == 0 or rng.random() < 0.7 else PLAIN
        coded += [case.code] if style is CODED else []
        known = {"what": case.title, "code": _indented(case.code), "got": _value(got), "right": _value(right)}
        parts.append(_one_of(rng, style).format(**known))
    helpers = _helpers(repository, coded)
    if helpers:
        parts.append(f"with\n\n{_indented(helpers)}")
    parts.append(_one_of(rng, ENDS))
    title = _one_of(rng, TITLES).format(what=told[0][0].title, package=repair.repository)
    return "\n\n".join([title[:1].upper() + title[1:], *(part for part in parts if part)])
