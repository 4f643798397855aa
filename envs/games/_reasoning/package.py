"""The generators of the package: which of them are offered, and their questions by seed."""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from functools import cache, lru_cache
from typing import Any

from agentgym.core.errors import ConfigError, require, unknown
from agentgym.envs.games._cards.reasoning import REASONING_GYM

EXCLUDED = {
    **dict.fromkeys(
        ("isomorphic_strings", "knight_swap", "polynomial_multiplication", "ransom_note", "word_ladder"),
        "its questions follow the order of a set of strings, which differs between processes",
    ),
    **dict.fromkeys(
        ("intermediate_integration", "simple_integration"), "its scorer evaluates the answer as Python code"
    ),
    "codeio": "it runs programs out of a data file, which the package itself warns of",
    "composite": "it is a mixture of generators; give their names as a list instead",
    "list_functions": "it draws from Python's shared random module, so equal seeds give different questions",
    "pool_matrix": "it seeds numpy's shared random generator",
}
VERSION = "0.1.25"
NOISY = frozenset({"bf"})  # its compiler prints a dot each time
OPEN = frozenset({"boxnet", "graph_color", "propositional_logic", "rubiks_cube", "rush_hour"})  # no reference answer


@contextmanager
def _alone() -> Iterator[None]:
    """Keep what the package's own dependencies do when imported within bounds.

    One draws from the shared generator; another brings matplotlib, which would make folders in the user's home.
    """
    shared = sys.modules["random"]
    before = shared.getstate()
    ours = "matplotlib" not in sys.modules and "MPLCONFIGDIR" not in os.environ
    if ours:
        os.environ["MPLCONFIGDIR"] = os.path.join(tempfile.gettempdir(), "agentgym-matplotlib")
    try:
        yield
    finally:
        shared.setstate(before)
        if ours:
            del os.environ["MPLCONFIGDIR"]


@cache
def registry() -> Mapping[str, Any]:
    """Class and configuration class of each generator.

    Raises:
        MissingExtra: if the package is not installed, or in another version.
    """
    with _alone():
        # Its import fills the registry.
        require("reasoning_gym", extra="worlds", purpose=REASONING_GYM.id, version=VERSION)
    found: Mapping[str, Any] = require("reasoning_gym.factory", extra="worlds", purpose=REASONING_GYM.id).DATASETS
    return found


def choose(wanted: str | Sequence[str]) -> tuple[str, ...]:
    """The generators meant, in alphabetical order.

    Raises:
        ConfigError: if one of them is excluded, with the reason.
        UnknownName: if there is no such generator.
    """
    known = registry()
    if wanted == "all":
        return tuple(sorted(set(known) - set(EXCLUDED) - OPEN))
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    if not names:
        raise ConfigError("generators must be 'all', a name or a list of names, got an empty list")
    for name in names:
        if name not in known:
            raise unknown("generator", name, sorted(set(known) - set(EXCLUDED)))
        if name in EXCLUDED:
            raise ConfigError(f"the generator {name!r} is left out: {EXCLUDED[name]}")
    return tuple(sorted(set(names)))


@lru_cache(maxsize=512)
def dataset(name: str, seed: int, options: str) -> Any:
    """The package's dataset of one question.

    Args:
        name: A generator.
        seed: Its seed.
        options: Its other options, as canonical JSON.

    Raises:
        ConfigError: if the generator refuses the options.
    """
    kind, config = registry()[name]
    try:
        return kind(config(**{**json.loads(options), "seed": seed, "size": 1}))
    except (TypeError, AssertionError, ValueError) as error:
        raise ConfigError(f"the generator {name!r} refuses the options {options}: {error}") from None


@lru_cache(maxsize=512)
def entry(name: str, seed: int, options: str) -> dict[str, Any]:
    """Question, answer and metadata; to be read only.

    Args:
        name, seed, options: The question, as in `dataset`.

    Raises:
        ConfigError: if the generator refuses the options.
    """
    try:
        with redirect_stdout(io.StringIO()) if name in NOISY else nullcontext():
            found: dict[str, Any] = dataset(name, seed, options)[0]
    except (TypeError, AssertionError, ValueError, LookupError) as error:
        raise ConfigError(f"the generator {name!r} cannot make a question with {options}: {error}") from None
    return found
