"""Reads a game of the original engine: its PDDL problem becomes a task specification."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from agentgym.core.errors import DataError
from agentgym.envs.text._household.game import CLEAN, COOL, HEAT, LOOK, PICK, TWO

Fact = tuple[str, ...]
Facts = dict[str, list[Fact]]
ABILITY_FACTS = {
    "pickupable": "pickupable",
    "toggleable": "toggleable",
    "cleanable": "cleanable",
    "heatable": "heatable",
    "coolable": "coolable",
    "sliceable": "sliceable",
    "isreceptacleobject": "vessel",
}
STATE_FACTS = {"isclean": "clean", "ishot": "hot", "iscool": "cool", "issliced": "sliced", "istoggled": "lit"}
MANGLED = (("_bar_", "|"), ("_minus_", "-"), ("_plus_", "+"), ("_dot_", "."), ("_comma_", ","))
TASK = re.compile(r'"rhs":\s*"Your task is to: (.*?)\.?"\s*\}', re.DOTALL)


def load_game(path: str | Path) -> dict[str, Any]:
    """A task specification from a `game.tw-pddl` file, or from the folder that holds one.

    Names and numbers are those that the original gives. Play it with `env.reset(options={"task": load_game(path)})`.

    Raises:
        DataError: if there is no such file, it is no game, or it asks for what the household does not know, such as
            movable receptacles.
    """
    file = Path(path)
    if file.is_dir():
        file /= "game.tw-pddl"
    try:
        raw = json.loads(file.read_text(encoding="utf8"))
    except FileNotFoundError:
        raise DataError(f"there is no game {file}; give the path of a game.tw-pddl") from None
    except (ValueError, OSError) as error:
        raise DataError(f"{file} is no game file ({error}); expected JSON as in game.tw-pddl") from None
    if not isinstance(raw, dict) or not all(isinstance(raw.get(key), str) for key in ("grammar", "pddl_problem")):
        raise DataError(f"{file} is no game file: it must be an object with the texts 'grammar' and 'pddl_problem'")
    told = TASK.search(raw["grammar"])
    if told is None:
        raise DataError(f"{file} has no task: its grammar must hold a sentence that begins with 'Your task is to: '")
    try:
        return specification(raw["pddl_problem"], told.group(1))
    except DataError as error:
        raise DataError(f"{file}: {error}") from None


def specification(problem: str, sentence: str) -> dict[str, Any]:
    """A task specification from the text of a PDDL `problem`, and `sentence`, the task in words.

    Raises:
        DataError: if the problem lacks something, or has what this engine does not know.
    """
    sections = {part[0]: part[1:] for part in _read(problem) if isinstance(part, list) and part}
    if not {":objects", ":init", ":goal"} <= sections.keys():
        raise DataError("a PDDL problem has the sections :objects, :init and :goal")
    types = _typed(sections[":objects"])
    facts: Facts = defaultdict(list)
    for fact in sections[":init"]:
        if isinstance(fact, list) and all(isinstance(part, str) for part in fact):
            facts[fact[0]].append(tuple(fact[1:]))
    if facts["holds"] or facts["holdsany"]:
        raise DataError("the agent holds something at the beginning, which this engine does not know")
    names = _names(sorted(set(types)))
    receptacles = sorted(name for name, kind in types.items() if kind == "receptacle")
    located = {fact[0]: fact[1] for fact in facts["receptacleatlocation"]}
    if len(located) < len(facts["receptacleatlocation"]) or set(located) != set(receptacles):
        raise DataError("every receptacle must be at exactly one location")
    kinds = {fact[0]: fact[1] for fact in facts["receptacletype"]}
    if set(kinds) != set(receptacles):
        raise DataError("every receptacle must have a type")
    spots = {place: index for index, place in enumerate(sorted(set(located.values())))}
    _check_kinds(facts["objecttype"], names)
    spec: dict[str, Any] = {
        "sentence": sentence,
        "receptacles": [
            {
                "name": names[one],
                "spot": spots[located[one]],
                "kind": kinds[one].removesuffix("type"),  # one bathtub of the original has a basin of the sink's type
                "openable": (one,) in facts["openable"],
                "opened": (one,) in facts["opened"],
            }
            for one in receptacles
        ],
        "objects": _objects(sorted(name for name, kind in types.items() if kind == "object"), names, facts, spots),
        "goals": [_goal(sections[":goal"])],
        "contains": _contains(facts["cancontain"]),
    }
    at = facts["atlocation"][0][1] if facts["atlocation"] else ""
    return {**spec, "start": spots[at]} if at in spots else spec


def _objects(ids: Sequence[str], names: dict[str, str], facts: Facts, spots: dict[str, int]) -> list[Any]:
    inside, lying, holding = defaultdict(list), defaultdict(list), defaultdict(list)
    for thing, receptacle in facts["inreceptacle"]:
        inside[thing].append(receptacle)
    for thing, place in facts["objectatlocation"]:
        if place in spots:
            lying[thing].append(spots[place])
    for inner, outer in facts["inreceptacleobject"]:
        holding[outer].append(inner)
    records = []
    for one in ids:
        record: dict[str, Any] = {
            "name": names[one],
            "in": [names[receptacle] for receptacle in sorted(inside[one])],
            "spots": sorted(lying[one]),
            "abilities": [ability for fact, ability in ABILITY_FACTS.items() if (one,) in facts[fact]],
        }
        states = [state for fact, state in STATE_FACTS.items() if (one,) in facts[fact]]
        if states:
            record["states"] = states
        if holding[one]:
            record["holding"] = [names[inner] for inner in sorted(holding[one])]
        records.append(record)
    return records


def _contains(pairs: Sequence[Fact]) -> dict[str, list[str]]:
    table = defaultdict(list)
    for receptacle, thing in sorted(pairs):
        table[receptacle.removesuffix("type")].append(thing.removesuffix("type"))
    return dict(table)


def _check_kinds(pairs: Sequence[Fact], names: dict[str, str]) -> None:
    for one, kind in pairs:
        if names[one].rpartition(" ")[0] != kind.removesuffix("type"):
            raise DataError(f"{one} is called {names[one]!r}, but has the type {kind!r}")


def _names(ids: Sequence[str]) -> dict[str, str]:
    """The names of the original: numbers are dealt out by kind, the highest to the first id in order."""
    kinds = {}
    for one in ids:
        text = one
        for safe, sign in MANGLED:
            text = text.replace(safe, sign)
        kind, bar, _ = text.partition("|")
        if bar:
            kinds[one] = kind + ("basin" if "basin" in one else "")
    left = Counter(kinds.values())
    names = {}
    for one, kind in kinds.items():
        names[one] = f"{kind} {left[kind]}"
        left[kind] -= 1
    return names


def _goal(section: Sequence[Any]) -> dict[str, Any]:
    """The one of the six conditions that the goal's atoms amount to."""
    atoms = list(_atoms(section))
    objects = {atom[2].removesuffix("type") for atom in atoms if atom[0] == "objecttype"}
    places = {atom[2].removesuffix("type") for atom in atoms if atom[0] == "receptacletype"}
    words = {atom[0] for atom in atoms}
    plain = {"objecttype", "receptacletype", "inreceptacle"}
    shapes = {
        frozenset(plain): PICK,
        frozenset(plain | {"="}): TWO,
        frozenset(plain | {"cleanable", "isclean"}): CLEAN,
        frozenset(plain | {"heatable", "ishot"}): HEAT,
        frozenset(plain | {"coolable", "iscool"}): COOL,
    }
    kind = shapes.get(frozenset(words))
    if kind is not None and len(objects) == len(places) == 1:
        return {"type": kind, "object": objects.pop(), "target": places.pop()}
    look = {"objecttype", "toggleable", "istoggled", "receptacleatlocation", "atlocation", "inreceptacle", "holds"}
    if words == look and len(objects) == 2:
        held = next(atom[2] for atom in atoms if atom[0] == "holds")
        wanted = {atom[1]: atom[2].removesuffix("type") for atom in atoms if atom[0] == "objecttype"}
        lamp = next(atom[1] for atom in atoms if atom[0] == "istoggled")
        return {"type": LOOK, "object": wanted[held], "target": wanted[lamp]}
    raise DataError(f"the goal with the conditions {', '.join(sorted(words))} is none of the six task types")


def _atoms(part: Any) -> Iterator[list[str]]:
    if isinstance(part, list):
        if part and all(isinstance(word, str) for word in part) and part[0] != "and" and not part[0].startswith("?"):
            yield part
        else:
            for inner in part:
                yield from _atoms(inner)


def _typed(words: Sequence[Any]) -> dict[str, str]:
    """`a b - kind` lists as name to kind."""
    types: dict[str, str] = {}
    waiting: list[str] = []
    rest = iter(words)
    for one in rest:
        if one == "-":
            types.update(dict.fromkeys(waiting, next(rest, "")))
            waiting = []
        else:
            waiting.append(one)
    return types


def _read(text: str) -> list[Any]:
    """Nested lists of lower-case words, as PDDL writes them."""
    stack: list[list[Any]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text).lower()):
        if token == "(":
            stack.append([])
        elif token != ")":
            stack[-1].append(token)
        elif len(stack) > 1:
            closed = stack.pop()
            stack[-1].append(closed)
        else:
            raise DataError("the PDDL problem closes a bracket that it never opened")
    if len(stack) > 1 or len(stack[0]) != 1:
        raise DataError("the PDDL problem leaves a bracket open, or is more than one expression")
    return list(stack[0][0])
