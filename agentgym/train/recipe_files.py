"""From the files of recipes to one table: bases, settings of one world alone, and values of the command line.

    base = "rounds"                   the recipe that this one changes: of the suite, or a file beside this one

    [per_world."Household-v1"]        what this file says besides, where `world.id` is this world
    world.env_kwargs = { rooms = 4 }
    model.max_new_tokens = 24

`recipe_table` lays a file over its base: tables merge key by key, a list or an array of tables is replaced whole. What
a file says of the world that is played goes over what it says in general, and under what a recipe above it says. The
values of the command line come last. Whoever names pretrained weights above a tiny model begins with settings that suit
them (`agentgym.train.pretrained_defaults`). What comes out is what `agentgym.train.recipe` reads.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from agentgym.core import ConfigError, catalog, full_id, unknown
from agentgym.core.catalog import NAMESPACE
from agentgym.core.json_text import read_toml
from agentgym.train.pretrained_defaults import NO_CLONE, pretrained_defaults

SHELF, BASES = "agentgym.baselines.recipes", "bases"
BASE, PER_WORLD = "base", "per_world"
EITHER = {"name": "tiny", "tiny": "name"}  # of [model], which is one of them: each drops the other of a base


def recipe_table(name: str | Path, overrides: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The table of a recipe: its file over its bases, with overrides put in.

    Args:
        name: A recipe of `agentgym.baselines.recipes` without its ending (`flow-grpo` is `flow_grpo`), or the path of a
            TOML file.
        overrides: Values by dotted key, such as `{"update.updates": 10, "advantage.0.weight": 2.0}`; entries that are
            added to a list, as a list by its key with a plus: `{"callback+": ["early_stop"]}`.

    Returns:
        A table without `base` and `per_world`.

    Raises:
        ConfigError: if a file is missing or no TOML, bases go in a circle, or an override names an entry that is not.
        UnknownName: if settings are for a world of the suite that does not exist.
    """
    layers = [(layer, layer.pop(PER_WORLD, {})) for layer in _layers(str(name))]
    everywhere: dict[str, Any] = {}
    for layer, _ in layers:
        everywhere = merge(everywhere, layer)
    world = _world(_with(everywhere, overrides))
    settings = [merge(layer, _settings_of(world, per_world)) for layer, per_world in layers]
    given = _given(overrides)
    table: dict[str, Any] = {}
    for place, own in enumerate([*settings, given]):
        if _is_pretrained(own) and not _is_pretrained(table):
            table.get("model", {}).pop("tiny", None)
            table = merge(table, _suited(table, [*settings[place:], given], learns="loss" in {**everywhere, **given}))
        if own is not given:
            layer, per_world = layers[place]
            table = merge(merge(table, layer), _settings_of(world, per_world))
    return _with(table, overrides)


def recipe_names() -> list[str]:
    """The recipes that come with the suite."""
    return _names(resources.files(SHELF))


def merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """A table over another one; neither is changed.

    Tables merge key by key, everything else is replaced. A table that names another part than the one below it
    replaces that one, for the options of one part mean nothing to another; `model.name` and `model.tiny` replace each
    other.

    Args:
        below: What holds where `above` says nothing.
        above: What is put over it.
    """
    merged = {key: copy.deepcopy(value) for key, value in below.items()}
    for key, value in above.items():
        under = merged.get(key)
        if isinstance(value, Mapping) and isinstance(under, Mapping):
            if key == "model":
                under = {one: setting for one, setting in under.items() if EITHER.get(one) not in value}
            elif "name" in value and value["name"] != under.get("name"):
                under = {}
            merged[key] = merge(under, value)
        else:
            merged[key] = copy.deepcopy(value)
    return merged


def _given(overrides: Mapping[str, Any] | None) -> dict[str, Any]:
    """What values of the command line say of models and cloning, as a table."""
    found: dict[str, Any] = {}
    for key, value in (overrides or {}).items():
        table, _, name = key.partition(".")
        if name and isinstance(found.get(table, {}), dict):
            found.setdefault(table, {})[name] = value
        elif not name:
            found[table] = copy.deepcopy(value)
    return found


def _is_pretrained(table: Mapping[str, Any]) -> bool:
    model = table.get("model")
    return isinstance(model, Mapping) and "name" in model


def _suited(below: Mapping[str, Any], above: Sequence[Mapping[str, Any]], *, learns: bool) -> dict[str, Any]:
    """The settings for pretrained weights, given what the files and values from there on ask for."""
    lora = [table["model"]["lora"] for table in above if _is_table(table, "model") and "lora" in table["model"]]
    clones = [table["clone"] != NO_CLONE for table in above if "clone" in table]
    return pretrained_defaults(
        below, lora=bool(lora and lora[-1]), clones=clones[-1] if clones else not learns, learns=learns
    )


def _is_table(table: Mapping[str, Any], name: str) -> bool:
    return isinstance(table.get(name), Mapping)


def _world(table: Mapping[str, Any]) -> str:
    """The full id of the world that a table names, without the module that registers it; empty if it names none."""
    world = table.get("world")
    name = world.get("id") if isinstance(world, Mapping) else None
    return full_id(name).rpartition(":")[2] if isinstance(name, str) else ""


def _settings_of(world: str, per_world: Any) -> dict[str, Any]:
    """What a file says of one world, by whatever spelling of its id."""
    if not isinstance(per_world, Mapping) or not all(isinstance(table, Mapping) for table in per_world.values()):
        raise ConfigError(f'{PER_WORLD} must hold a table by id of a world: write [{PER_WORLD}."FrozenLake-v0"]')
    found: dict[str, Any] = {}
    for name, settings in per_world.items():
        owner = full_id(name)
        if owner.startswith(f"{NAMESPACE}/") and owner not in catalog():
            raise unknown(f"world in {PER_WORLD}", name, catalog())
        if "id" in settings.get("world", {}):
            raise ConfigError(f"{PER_WORLD}.{name} is about that world; it cannot set world.id")
        if owner == world:
            found = merge(found, settings)
    return found


def _layers(name: str) -> list[dict[str, Any]]:
    """The tables of a recipe's file and of its bases, the last base first."""
    layers: list[dict[str, Any]] = []
    way: list[str] = []
    wanted: str | None = name if _is_path(name) else name.replace("-", "_")
    while wanted is not None:
        if wanted in way:
            raise ConfigError(f"the bases of the recipe {name} go in a circle: {' -> '.join([*way, wanted])}")
        way.append(wanted)
        text = _text(wanted, "base" if layers else "recipe")
        try:
            table = read_toml(text)
        except ValueError as error:
            raise ConfigError(f"the recipe {wanted} is no TOML: {error}") from None
        layers.append(table)
        base = table.pop(BASE, None)
        if base is not None and not isinstance(base, str):
            raise ConfigError(f"base of the recipe {wanted} must be the name or path of a recipe, got {base!r}")
        if base is not None and _is_path(base):
            base = str(Path(wanted).parent / base) if _is_path(wanted) else base
        wanted = base
    return layers[::-1]


def _is_path(name: str) -> bool:
    return name.endswith(".toml") or "/" in name


def _text(name: str, kind: str) -> str:
    if _is_path(name):
        try:
            return Path(name).read_text(encoding="utf8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8"
            raise ConfigError(f"the {kind} {name} cannot be read ({reason})") from None
    shelf = resources.files(SHELF)
    places = (shelf, shelf.joinpath(BASES)) if kind == "base" else (shelf,)
    for place in places:
        if name in _names(place):
            return place.joinpath(f"{name}.toml").read_text(encoding="utf8")
    raise unknown(kind, name, [known for place in places for known in _names(place)])


def _names(place: Traversable) -> list[str]:
    return sorted(file.name[:-5] for file in place.iterdir() if file.name.endswith(".toml"))


def _with(table: Mapping[str, Any], overrides: Mapping[str, Any] | None) -> dict[str, Any]:
    """A copy of a table with values put in by dotted key."""
    if overrides is not None and not isinstance(overrides, Mapping):
        raise ConfigError(f"overrides are values by dotted key, such as {{'seed': 1}}, got {overrides!r}")
    changed = copy.deepcopy(dict(table))
    for key, value in (overrides or {}).items():
        if not key.endswith("+"):
            _override(changed, key, copy.deepcopy(value))
    for key, value in (overrides or {}).items():  # a list that is both replaced and added to is replaced first
        if key.endswith("+"):
            _add(changed, key, copy.deepcopy(value))
    return changed


def _add(table: dict[str, Any], key: str, entries: Any) -> None:
    """Add entries to the list that a dotted key with a plus names; it is made if it is missing."""
    *way, last = key.removesuffix("+").split(".")
    place: Any = table
    for step in way:
        place = place.setdefault(step, {}) if isinstance(place, dict) else None
    if not isinstance(place, dict) or not isinstance(place.setdefault(last, []), list):
        raise ConfigError(f"--{key} cannot be added to: {key.removesuffix('+')} is no list")
    if not isinstance(entries, list):
        raise ConfigError(f"{key} must be a list of the entries to add, got {entries!r}")
    place[last] = [*place[last], *entries]


def _override(table: dict[str, Any], key: str, value: Any) -> None:
    """Put `value` where the dotted `key` says; tables on the way are made, entries of lists are not."""
    *way, last = key.split(".")
    place: Any = table
    for step in way:
        if isinstance(place, dict) and place.get(step) == NO_CLONE:  # what is switched off can be set anew
            del place[step]
        place = _inside(place, step, key) if isinstance(place, list) else place.setdefault(step, {})
        if not isinstance(place, (dict, list)):
            raise ConfigError(f"--{key} cannot be set: {step} is no table")
    if isinstance(place, list):
        _inside(place, last, key)
        place[int(last)] = value
    else:
        place[last] = value


def _inside(entries: Sequence[Any], step: str, key: str) -> Any:
    if not step.isdigit() or int(step) >= len(entries):
        raise ConfigError(f"--{key} cannot be set: {step!r} is no entry from 0 to {len(entries) - 1}")
    return entries[int(step)]
