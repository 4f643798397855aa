"""What a world is made with, and the tasks generated from it: a frozen config, and a generator of specifications.

A generated world states its keyword arguments in a dataclass, `generate(config, rng)` and `instruction(spec)`; the base
makes constructor, checks, fixed panels and shared task sets of them.
"""

from __future__ import annotations

import copy
import importlib
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache, lru_cache
from typing import Any, ClassVar

import numpy as np

from agentgym.core.catalog import EnvCard
from agentgym.core.checks import check_one_of, check_path, check_share, check_switch, check_whole
from agentgym.core.errors import ConfigError, unknown
from agentgym.core.rng import task_generator
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import GeneratedTasks, Spec

CHECK, LEVELS = "check", "levels"  # keys in the metadata of a field
Check = Callable[[str, Any], Any]  # name and value in, the value to keep out; raises ConfigError


def checked(default: Any, check: Check, shapes_tasks: bool = True) -> Any:
    """A field of an `EnvConfig` with a check of its own.

    Args:
        default: What it is if the caller says nothing; `dataclasses.MISSING` if it must be given. Where it is None, a
            value may be left open: None is not checked.
        check: Given name and value, returns what is kept or raises `ConfigError`.
        shapes_tasks: Whether tasks depend on it. If not, environments that differ in it share their task set, and
            `generate` sees the default.
    """
    return field(default=default, metadata={CHECK: check}, compare=shapes_tasks, kw_only=default is MISSING)


def whole(default: int | None, low: int, high: int, shapes_tasks: bool = True) -> Any:
    """A field that is a whole number from `low` to `high`; see `checked`.

    Args:
        default: As in `checked`.
        low, high: The least and the greatest value.
        shapes_tasks: As in `checked`.
    """
    return checked(default, lambda name, value: check_whole(name, value, low, high), shapes_tasks)


def share(default: float | None, low: float = 0, high: float = 1, shapes_tasks: bool = True) -> Any:
    """A field that is a number from `low` to `high`, kept as a float; see `checked`.

    Args:
        default: As in `checked`.
        low, high: The least and the greatest value.
        shapes_tasks: As in `checked`.
    """
    return checked(default, lambda name, value: check_share(name, value, low, high), shapes_tasks)


def switch(default: bool | None, shapes_tasks: bool = True) -> Any:
    """A field that is True or False; see `checked`.

    Args:
        default: As in `checked`.
        shapes_tasks: As in `checked`.
    """
    return checked(default, check_switch, shapes_tasks)


def one_of(default: Any, choices: Iterable[Any], shapes_tasks: bool = True) -> Any:
    """A field that is one of the choices; see `checked`.

    Args:
        default: As in `checked`.
        choices: The values that would do.
        shapes_tasks: As in `checked`.
    """
    known = tuple(choices)
    return checked(default, lambda name, value: check_one_of(name, value, known), shapes_tasks)


def path_to(kind: str, required: bool = False, shapes_tasks: bool = True) -> Any:
    """A field that is a path, kept as a `Path`; None unless given. See `checked`.

    Args:
        kind: What the path is of, such as `a folder`.
        required: Whether it must be given; None is refused then.
        shapes_tasks: As in `checked`.
    """
    return checked(MISSING if required else None, lambda name, value: check_path(name, value, kind), shapes_tasks)


def named_level(default: str, levels: Mapping[str, Mapping[str, Any]], of: str) -> Any:
    """A field that names a difficulty: it gives a value to every field that the caller left None.

    Args:
        default: The level if the caller names none.
        levels: The values of fields by level and name.
        of: The world, for the message about a level that does not exist.
    """
    return field(default=default, metadata={LEVELS: (levels, of)}, compare=False)


@dataclass(frozen=True)
class EnvConfig:
    """Keyword arguments of a world beside those of every world; base of each world's own.

    A subclass is a frozen dataclass whose fields are made by `whole`, `share`, `switch`, `one_of`, `path_to`,
    `named_level` or `checked`; checks of several fields stand in `__post_init__`, after that of this class. Values are
    hashable.
    """

    def __post_init__(self) -> None:
        for each in fields(self):
            if LEVELS in each.metadata:
                self._settle(each.name, *each.metadata[LEVELS])
        for each in fields(self):
            value = getattr(self, each.name)
            if CHECK in each.metadata and (value is not None or each.default is not None):
                object.__setattr__(self, each.name, each.metadata[CHECK](each.name, value))

    def _settle(self, name: str, levels: Mapping[str, Mapping[str, Any]], of: str) -> None:
        chosen = getattr(self, name)
        if chosen not in levels:
            raise unknown(f"{name} of {of}", chosen, levels)
        known = {each.name: each for each in fields(self)}
        for other, value in levels[chosen].items():
            if not known[other].init or getattr(self, other) is None:
                object.__setattr__(self, other, value)

    def shaping(self) -> EnvConfig:
        """A copy in which everything that does not shape tasks has its default."""
        bare = copy.copy(self)
        for each in fields(self):
            if not each.compare:
                object.__setattr__(bare, each.name, each.default)
        return bare


def object_schema(properties: Mapping[str, Spec], optional: Iterable[str] = (), **more: Any) -> dict[str, Any]:
    """JSON Schema of an object that has these properties and no others.

    Args:
        properties: Name to schema.
        optional: Names that may be left out.
        more: Other keywords, such as `description`.
    """
    required = [name for name in properties if name not in set(optional)]
    return {
        "type": "object", "properties": dict(properties), "required": required, "additionalProperties": False, **more,
    }  # fmt: skip


_seed_source = ""


def set_seed_source(source: str) -> None:
    """Say which function knows the seed lists of fixed panels.

    Args:
        source: `module:function`, imported when a generated world first asks. It is given the name of a card and
            returns seed lists by finite split; lists that are all empty mean that none are stored.
    """
    global _seed_source
    _seed_source = source


def stored_seeds(card: EnvCard) -> Mapping[str, Sequence[int]]:
    """Seed lists of the finite splits of a generated world; empty if none are stored."""
    if not _seed_source or card.entry_point.partition(".")[0] != __name__.partition(".")[0]:
        return {}
    module, _, name = _seed_source.partition(":")
    found: Mapping[str, Sequence[int]] = getattr(importlib.import_module(module), name)(card.name)
    return found


class _Signature:
    """What `inspect.signature` shows of a world's class: `constructor_signature`."""

    def __get__(self, world: object, owner: type) -> inspect.Signature:
        return constructor_signature(owner)


@cache
def constructor_signature(world: type) -> inspect.Signature:
    """All keyword arguments of a world: its config's fields, then those of its constructor and of the ones above."""
    found: dict[str, inspect.Parameter] = {}
    for each in fields(world.config):  # type: ignore[attr-defined]
        if each.init:
            default = inspect.Parameter.empty if each.default is MISSING else each.default
            found[each.name] = inspect.Parameter(
                each.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=each.type
            )
    for owner in world.__mro__:
        if "__init__" not in vars(owner) or owner is object:
            continue
        listed = inspect.signature(vars(owner)["__init__"]).parameters.values()
        for parameter in list(listed)[1:]:
            if parameter.kind in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                found.setdefault(parameter.name, parameter.replace(kind=parameter.KEYWORD_ONLY))
        if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in listed):
            break
    return inspect.Signature(list(found.values()))


def check_arguments(card: EnvCard, given: Collection[str], taken: Collection[str] | None) -> None:
    """Refuse constructor arguments that a world does not take, and the lack of those it needs.

    Args:
        card: Of the world.
        given: Names of the arguments.
        taken: Names of those that it takes; None if it takes any.

    Raises:
        ConfigError: if an argument without default is missing.
        UnknownName: if the world does not take one, with the nearest that it takes.
    """
    for name, meaning in card.requires.items():
        if name not in given:
            raise ConfigError(f"{card.id} needs the option {name!r}: {meaning}")
    if taken is None:
        return
    for name in given:
        if name not in taken:
            raise unknown(f"option of {card.id}", name, taken)


def made_config(world: Any, given: Mapping[str, Any]) -> Any:
    """The config of a world from keyword arguments.

    Args:
        world: The environment.
        given: What its constructor was given beside the arguments of every world.

    Raises:
        ConfigError: if one is missing, not known, or out of range.
    """
    shape = type(type(world).config)
    strange = given.keys() - {each.name for each in fields(shape) if each.init}
    owner: Any = type(world)
    check_arguments(world.card, given, constructor_signature(owner).parameters if strange else None)
    return shape(**given)


class TaskSource:
    """The part of a world that makes tasks; hooks that a generated world implements.

    Attributes:
        config: The keyword arguments of this environment; the class holds the defaults.
        task_stream: Keeps the generators of tasks apart from those of episodes with the same seed.
        unions: Splits made of others, in order; see `GeneratedTasks`.
    """

    card: ClassVar[EnvCard]
    config: Any = EnvConfig()
    task_stream: ClassVar[int] = 0
    unions: ClassVar[Mapping[str, Sequence[str]]] = {}
    instruction: Callable[[Spec], str]
    __signature__: ClassVar[Any] = _Signature()

    @staticmethod
    def generate(config: Any, rng: np.random.Generator) -> Spec:
        """The specification of a task.

        Args:
            config: The config of the world, in which what does not shape tasks has its default.
            rng: A generator made of the task's seed and `task_stream`.
        """
        raise NotImplementedError("a generated world implements generate(config, rng)")

    @classmethod
    def generate_from_seed(cls, config: Any, seed: int) -> Spec:
        """The specification of the task of a seed; override it in place of `generate` where the seed itself counts.

        Args:
            config: As in `generate`.
            seed: The task's id.
        """
        return cls.generate(config, task_generator(seed, cls.task_stream))

    @staticmethod
    def content_key(spec: Spec) -> str:
        """Canonical content of a task, never shared by tasks of different splits; by default all of it."""
        return fingerprint(spec)

    @staticmethod
    def fits(config: Any, split: str, spec: Spec) -> bool:
        """Whether a generated task may stand in a split, such as one of rooms not seen in training.

        Args:
            config: As in `generate`.
            split: Name of the split.
            spec: The task.
        """
        return True

    @staticmethod
    def fits_seed(config: Any, split: str, seed: int) -> bool:
        """Whether the task of a seed may stand in a split, as far as the seed tells; asked before it is generated.

        Args:
            config: As in `generate`.
            split: Name of the split.
            seed: The task's id.
        """
        return True

    @classmethod
    def instruction_for(cls, config: Any) -> Callable[[Spec], str]:
        """What words the tasks of a config; `instruction`, unless that depends on the config."""
        return cls.instruction

    @classmethod
    def make_tasks(cls, config: Any) -> GeneratedTasks | None:
        """The task generator of a config, from the hooks above; None for a world that is not generated."""
        hooks = {"generate", "generate_from_seed"}
        if not any(hooks & vars(owner).keys() for owner in cls.__mro__ if owner is not TaskSource):
            return None
        return GeneratedTasks(
            lambda seed: cls.generate_from_seed(config, seed),
            cls.instruction_for(config),
            cls.content_key,
            stored_seeds(cls.card),
            fits=lambda split, spec: cls.fits(config, split, spec),
            unions=cls.unions,
            fits_seed=lambda split, seed: cls.fits_seed(config, split, seed),
            sizes={name: size for name, size in cls.card.splits.items() if size is not None},
        )


@lru_cache(maxsize=256)
def _shared(world: type[TaskSource], config: EnvConfig) -> GeneratedTasks | None:
    return world.make_tasks(config)


def shared_tasks(world: type[TaskSource], config: EnvConfig) -> GeneratedTasks | None:
    """The task generator of a world, the same object for all its environments whose configs shape equal tasks.

    Args:
        world: Its class.
        config: A config of it.
    """
    return _shared(world, config.shaping())  # type: ignore[arg-type]  # a class can be hashed


def _ask_oracle(world: Any, *player: str) -> str:
    """The `_expert` of a world in which nothing is hidden: what its oracle does."""
    return str(world._oracle(*player))


expert_is_oracle: Callable[..., str] = _ask_oracle  # as a variant may replace it by a method of its own
