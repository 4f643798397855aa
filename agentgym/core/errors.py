"""Typed errors. Each message says what was wrong, what was expected and what to do, in one line."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Iterable
from functools import cache
from importlib import metadata
from types import ModuleType
from typing import Any

from agentgym.core.generators import generators_kept

LISTED = 20  # names that an error lists at most


class AgentGymError(Exception):
    """Base of every error AgentGym raises on purpose; the command line prints its message and nothing else."""


class UnknownName(AgentGymError, LookupError):
    """A name (an id, a split, an agent, a wrapper) is not among the known ones."""

    def __str__(self) -> str:
        return str(self.args[0])


class TaskError(AgentGymError, ValueError):
    """A task id, index or specification does not name a playable task."""


class ConfigError(AgentGymError, ValueError):
    """A constructor argument, an option or a recipe key is wrong, contradictory or without effect."""


class DataError(AgentGymError):
    """A data file is missing, corrupt or of another format than expected."""


class GrammarError(AgentGymError, ValueError):
    """A grammar contradicts itself, for example by an example that does not parse."""


class SnapshotError(AgentGymError):
    """A state cannot be copied, or a snapshot belongs to another environment."""


class EndpointError(AgentGymError):
    """A model endpoint did not answer, or answered something that is no completion."""


class Unanswerable(AgentGymError):
    """A model is there, but will not or cannot answer this conversation, whatever the reason: it is too long, or it is
    refused for what it says. Asked again it would be so again; about another conversation it may answer."""


class RequestRefused(EndpointError, Unanswerable):
    """A model endpoint refused a question as it was put, with status 400, 413 or 422."""


class ContentRefused(RequestRefused):
    """A model endpoint refused a question for what it says. Once a player has spoken, that is its own doing: its
    episode ends there, lost, with the stop `refused`. Before that it is an outage."""


class BudgetSpent(AgentGymError):
    """The tokens or dollars that were allowed are spent; what was played until then is kept."""


class MissingExtra(AgentGymError, ImportError):
    """An optional dependency is not installed; the message names the `pip install` to run."""


class EngineFailure(Exception):
    """Raised by a world's hooks when its engine (a browser, a game server, a sandbox) failed.

    The base class turns it into `truncated`, reward 0 and `info["failure"]`; it never reaches the caller.
    """


class ActionStopsEngine(Exception):
    """Raised by `_step` of a world for one player: its engine fails at this action whenever it is played from here.

    The base class turns it into the end of an episode that is lost. Were it an `EngineFailure`, a player that loses
    could have the episode left out of the figures.
    """


class HostWarning(RuntimeWarning):
    """About the machine on which a world runs, such as a sandbox that it cannot give; not about the world."""


def unknown(kind: str, name: object, known: Iterable[str]) -> UnknownName:
    """The error for a name that is not known, with the nearest known one, upper and lower case alike, as a suggestion.

    Args:
        kind: What is named, in words, such as `split`.
        name: What was given.
        known: The names that would do.
    """
    choices = sorted(known)
    folded = {choice.casefold(): choice for choice in reversed(choices)}
    close = difflib.get_close_matches(str(name).casefold(), folded, n=1)
    shown = [*choices[:LISTED], f"... ({len(choices)} in all)"] if len(choices) > LISTED else choices
    hint = f"did you mean {folded[close[0]]!r}?" if close else f"expected one of: {', '.join(shown) or 'none is known'}"
    return UnknownName(f"unknown {kind} {name!r}; {hint}")


def import_named(module: str) -> ModuleType:
    """The module of a name that somebody wrote down.

    Args:
        module: Its name.

    Raises:
        ModuleNotFoundError: if there is none, or no module can have this name.
    """
    if not module or module.startswith("."):  # of which `import_module` says other things
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)
    return importlib.import_module(module)


def named_function(reference: str, purpose: str) -> Callable[..., Any]:
    """The function that somebody wrote down as `module:function`.

    Args:
        reference: Its name.
        purpose: What it is for, as the message begins.

    Raises:
        ConfigError: if there is none, or what is there cannot be called.
    """
    module, colon, name = reference.partition(":") if isinstance(reference, str) else ("", "", "")
    if not (module and colon and name):
        raise ConfigError(f"{purpose} is named as 'module:function', got {str(reference)[:60]!r}")
    try:
        found = getattr(import_named(module), name)
    except (ModuleNotFoundError, AttributeError) as error:
        raise ConfigError(f"{purpose} {reference!r} cannot be found: {error}") from None
    if not callable(found):
        raise ConfigError(f"{purpose} {reference!r} is no function but a {type(found).__name__}")
    function: Callable[..., Any] = found
    return function


_engines: dict[str, dict[str, str]] = {}  # by purpose, the versions that were asked for and found


def require(module: str, *, extra: str, purpose: str, version: str = "") -> ModuleType:
    """Import an optional dependency, or say in one line which extra brings it; global generators stay as they are.

    Args:
        module: What to import.
        extra: The extra of the distribution that brings it.
        purpose: What needs it, for the message.
        version: The version that was tested, or its beginning, such as `1.8`: what an engine does is part of the
            world, so another version is another world. Empty: any.

    Raises:
        MissingExtra: if the module is not installed, or in another version.
    """
    package = module.split(".")[0]
    try:
        with generators_kept():
            found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != package:
            raise
        raise MissingExtra(
            f'{purpose} needs the package {package!r}: run  pip install "agentgym-suite[{extra}]"{in_checkout(extra)}'
        ) from None
    if version:
        _require_version(package, version, purpose)
    return found


@cache
def in_checkout(extra: str) -> str:
    """How an extra is installed where this project was installed from its folder; "" where it came from an index.

    Args:
        extra: Its name.
    """
    origins = [found.read_text("direct_url.json") or "" for found in metadata.distributions(name="agentgym-suite")]
    return f', or in its checkout  pip install ".[{extra}]"' if any("dir_info" in each for each in origins) else ""


@cache
def _require_version(package: str, version: str, purpose: str) -> None:
    """Refuse a package whose distribution has another version."""
    try:
        name, number = package, metadata.version(package)
    except metadata.PackageNotFoundError:  # a module of another name than its distribution, such as pyspiel
        name = metadata.packages_distributions()[package][0]
        number = metadata.version(name)
    if not f"{number}.".startswith(f"{version}."):
        raise MissingExtra(
            f"{purpose} was made for version {version} of {name!r}, and {number} is installed: run  "
            f'pip install "{name}=={version}{"" if version.count(".") > 1 else ".*"}"'
        )
    _engines.setdefault(purpose, {})[name.replace("_", "-").lower()] = version


def engine_versions(purpose: str) -> dict[str, str]:
    """The versions of packages that something needed so far in this process, by the names of the packages.

    Args:
        purpose: What needed them, as it was told to `require` with a version: the id of a world.
    """
    return dict(sorted(_engines.get(purpose, {}).items()))
