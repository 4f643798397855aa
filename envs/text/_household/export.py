"""Writes generated households as games of the original engine: fixture data, and material for comparisons."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentgym.assets.household import tables
from agentgym.core.errors import require
from agentgym.core.tasks import Spec
from agentgym.envs.text._household.game import CLEAN, COOL, HEAT, LOOK, TWO, kind_of
from agentgym.envs.text._household.generate import HomeOptions, generate, split_of

START = "loc_bar_start"
FIXTURE = {"train": ("train", 12), "valid_seen": ("test_seen", 3), "valid_unseen": ("test_unseen", 3)}
STATE_OF = {CLEAN: ("cleanable", "isClean"), HEAT: ("heatable", "isHot"), COOL: ("coolable", "isCool")}


def game_files(folder: str | Path) -> dict[str, str]:
    """A small folder of games as `AgentGym/ALFWorld-v0` reads them; its constructor arguments.

    Raises:
        MissingExtra: if `alfworld`, which brings domain and grammar, is not installed.
    """
    seed = 0
    for name, (split, count) in FIXTURE.items():
        for number in range(count):
            spec = generate(seed, HomeOptions())
            while split_of(spec) != split:
                seed += 1
                spec = generate(seed, HomeOptions())
            seed += 1
            write_game(spec, Path(folder) / name / f"{spec['goals'][0]['type']}-{number}" / "trial_0")
    return {"games": str(folder)}


def write_game(spec: Spec, folder: Path) -> Path:
    """Write the generated `spec` as `game.tw-pddl` into `folder`, which is made if need be; the file's path.

    The original gives its things the same names.
    """
    had = "ALFWORLD_DATA" in os.environ
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("ALFWORLD_DATA", str(folder))
    try:
        info = require("alfworld.info", extra="worlds", purpose="writing games of the original engine")
    finally:
        if not had:
            del os.environ["ALFWORLD_DATA"]
    grammar = Path(info.ALFRED_TWL2_PATH).read_text(encoding="utf8").replace("UNKNOWN GOAL", spec["sentence"])
    game = {
        "pddl_domain": Path(info.ALFRED_PDDL_PATH).read_text(encoding="utf8"),
        "grammar": grammar,
        "pddl_problem": problem(spec),
        "solvable": True,
        "walkthrough": None,
    }
    path = folder / "game.tw-pddl"
    path.write_text(json.dumps(game), encoding="utf8")
    return path


def problem(spec: Spec) -> str:
    """The PDDL problem of a generated specification."""
    places = {record["name"]: _identifier(record["name"], index) for index, record in enumerate(spec["receptacles"])}
    things = {record["name"]: _identifier(record["name"], index) for index, record in enumerate(spec["objects"])}
    spots = {record["name"]: f"loc_bar_{record['spot']:04d}" for record in spec["receptacles"]}
    types = [f"{kind}Type - rtype" for kind in sorted({kind_of(name) for name in places})]
    types += [f"{kind}Type - otype" for kind in sorted({kind_of(name) for name in things})]
    named = [
        "agent1 - agent",
        *(f"{one} - object" for one in things.values()),
        *(f"{one} - receptacle" for one in places.values()),
        *(f"{one} - location" for one in sorted({START, *spots.values()})),
        *types,
    ]
    facts = [f"(atLocation agent1 {START})", *_places(places, spots), *_things(spec, things, places, spots)]
    facts += [
        f"(canContain {kind}Type {held}Type)"
        for kind in sorted({kind_of(name) for name in places})
        for held in sorted({kind_of(name) for name in things})
        if held in tables().contains[kind]
    ]
    return "\n".join(
        [
            "(define (problem household)",
            "(:domain alfred)",
            "(:objects",
            *named,
            ")",
            "(:init",
            "(= (total-cost) 0)",
            *facts,
            ")",
            f"(:goal {_goal(spec['goals'][0])})",
            ")",
        ]
    )


def _identifier(name: str, index: int) -> str:
    """An id whose order is that of the specification; basins are parts of their sink or bathtub."""
    kind = kind_of(name)
    if kind.endswith("basin"):
        return f"{kind.removesuffix('basin')}_bar_{index:04d}_bar_{kind}"
    return f"{kind}_bar_{index:04d}"


def _places(places: dict[str, str], spots: dict[str, str]) -> Iterator[str]:
    for name, one in places.items():
        yield f"(receptacleType {one} {kind_of(name)}Type)"
        yield f"(receptacleAtLocation {one} {spots[name]})"
        if kind_of(name) in tables().openable:
            yield f"(openable {one})"


def _things(spec: Spec, things: dict[str, str], places: dict[str, str], spots: dict[str, str]) -> Iterator[str]:
    able = tables().abilities
    for record in spec["objects"]:
        one, kind, (place,) = things[record["name"]], kind_of(record["name"]), record["in"]
        yield f"(objectType {one} {kind}Type)"
        yield f"(inReceptacle {one} {places[place]})"
        yield f"(objectAtLocation {one} {spots[place]})"
        yield from (f"({ability} {one})" for ability in sorted(able) if kind in able[ability])
        if kind not in able["toggleable"]:
            yield f"(pickupable {one})"


def _goal(goal: dict[str, Any]) -> str:
    """The original's condition for a task type."""
    wanted, target = f"(objectType ?o {goal['object']}Type)", f"(receptacleType ?r {goal['target']}Type)"
    if goal["type"] == LOOK:
        lamp = f"(objectType ?ot {goal['target']}Type) (toggleable ?ot) (isToggled ?ot)"
        beside = "(receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?ot ?r)"
        return (
            f"(and (exists (?ot - object ?r - receptacle ?a - agent ?l - location) (and {lamp} {beside})) "
            f"(exists (?o - object ?a - agent) (and {wanted} (holds ?a ?o))))"
        )
    if goal["type"] == TWO:
        other = f"(not (= ?o ?p)) (objectType ?p {goal['object']}Type) {target} (inReceptacle ?p ?r)"
        second = f"(exists (?p - object) (and {other}))"
        inner = f"{wanted} {target} (inReceptacle ?o ?r) {second}"
    else:
        inner = f"{wanted} {target} (inReceptacle ?o ?r)"
        inner += "".join(f" ({fact} ?o)" for fact in STATE_OF.get(goal["type"], ()))
    return f"(and (exists (?r - receptacle) (exists (?o - object) (and {inner}))))"
