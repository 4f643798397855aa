"""Trajectories that others have published, from files that are not part of this project, and the worlds of their texts.

The files lie under their own names in the folder that `AGENTGYM_PUBLISHED` names, or else in `../shared/data/published`
beside the project: `react/` (ReAct: `alfworld_3prompts.json`, `WebShop.ipynb`), `eto/` (ETO: `alfworld_icl.json`,
`webshop_icl.json`), `adapt/` (ADaPT: its files of results). Where one is absent its tests are skipped and say so.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from agentgym.envs.text._household.game import TASK_TYPES

FOLDER = Path(os.environ.get("AGENTGYM_PUBLISHED") or Path(__file__).parents[2] / "../shared/data/published")
TYPES = dict(zip(("put", "examine", "clean", "heat", "cool", "puttwo"), TASK_TYPES, strict=True))
SEEN = re.compile(r"(?:On|In) (?:the (\w+ \d+)|it), you see (.+?)\.")
THING = re.compile(r"\ba (\w+ \d+)")
GOALS = (
    re.compile(r"(?:put|find) (?:an?|some|two) (?:clean |hot |cool )?(\w+) (?:in|on) (\w+)"),
    re.compile(r"(?:find|clean|heat|cool) (?:an?|some|two) (\w+) and put (?:it|them) (?:in|on) (\w+)"),
    re.compile(r"(?:look at|examine) (?:the )?(\w+) (?:under|with) the (\w+)"),
)
Turns = list[tuple[str, str]]


def published(name: str) -> Any:
    """The content of a published file; the test is skipped where it is absent."""
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"the published file {name} is not in {FOLDER}")
    return json.loads(path.read_text(encoding="utf8"))


def lines_of(text: str) -> tuple[str, Turns]:
    """What is shown first, and each action with its answer, in a prompt whose lines of actions begin with `>`."""
    first, *exchanges = text.strip().split("\n>")
    pairs = [exchange.strip().partition("\n") for exchange in exchanges]
    return "\n".join(first.splitlines()[:2]), [(action.strip(), answer.strip()) for action, _, answer in pairs]


def dialogue_of(messages: list[dict[str, str]]) -> tuple[str, Turns]:
    """What is shown first, and each reply with its answer, in messages of two speakers; the last has no answer."""
    said = [message["content"] for message in messages] + [""]
    return said[0], list(zip(said[1::2], [text.removeprefix("Observation: ") for text in said[2::2]], strict=True))


def household_of(first: str, answers: list[str], kind: str) -> dict[str, Any]:
    """A household in which a trajectory can be played: its receptacles, what is seen in them first, and its goal.

    Args:
        first: The first observation.
        answers: The others.
        kind: One of `TYPES`.
    """
    rooms, _, sentence = first.partition("Your task is to: ")
    places = THING.findall(rooms.partition("you see ")[2])
    closed: dict[str, bool] = {}
    held: dict[str, str] = {}
    for answer in answers:
        shut = re.match(r"The (\w+ \d+) is closed\.", answer)
        opened = re.match(r"(?:You open the \w+ \d+\. )?The (\w+ \d+) is open\.", answer)
        seen = SEEN.search(answer)
        if shut:
            closed.setdefault(shut[1], True)
        place = (seen[1] if seen and seen[1] else None) or (opened[1] if opened else None)
        if place in places and seen and place not in held.values() and f"nothing in {place}" not in held:
            closed.setdefault(place, False)
            found = [thing for thing in THING.findall(seen[2]) if thing not in held]
            held.update(dict.fromkeys(found or [f"nothing in {place}"], place))
    spots = {place: spot for spot, place in enumerate(places)}
    for answer in answers:
        if answer.startswith("You are facing the "):
            facing = re.findall(r"(\w+ \d+)", answer.partition(". ")[0])
            spots.update((place, spots[facing[0]]) for place in facing)
    things = {name: place for name, place in held.items() if not name.startswith("nothing in ")}
    kinds = sorted({name.split()[0] for name in things})
    wanted = next(match for pattern in GOALS if (match := pattern.match(sentence.strip())))
    return {
        "sentence": sentence.strip().rstrip("."),
        "receptacles": [
            {"name": place, "spot": spots[place]} | ({"openable": closed[place]} if place in closed else {})
            for place in places
        ],
        "objects": [
            {"name": name, "in": [things[name]]}
            for name in sorted(things, key=lambda name: (name.split()[0], -int(name.split()[1])))
        ],
        "goals": [{"type": TYPES[kind], "object": wanted[1], "target": wanted[2]}],
        "contains": {place.split()[0]: kinds for place in places},
    }


def shop_of(pages: list[str]) -> list[dict[str, Any]]:
    """The products of a shop in the published format, as far as pages tell: results in words, and an item page.

    Args:
        pages: Observations, in the mode `text` or in the form of ReAct's notebook.
    """
    products: dict[str, dict[str, Any]] = {}
    for page in pages:
        parts = [part.strip(" []") for part in re.split(r" \[SEP\] |\n", page) if part.strip()]
        for place, part in enumerate(parts[:-2]):
            if re.fullmatch(r"B[0-9A-Z]{9}", part):
                products.setdefault(part, _record(part, parts[place + 1], parts[place + 2]))
    for page in pages:
        for record in products.values():
            if "Price: " in page and record["name"] in page:
                record["customization_options"] = _options(page.partition(record["name"])[0])
    return list(products.values())


def _record(asin: str, title: str, price: str) -> dict[str, Any]:
    texts = dict.fromkeys(("full_description", "category", "query", "product_category"), title)
    return {"asin": asin, "name": title, "small_description": [title], "pricing": price, **texts}


def _options(head: str) -> dict[str, list[dict[str, str]]]:
    """The options above a title: `name [SEP] value [SEP] value`, or a line `name [value][value]` for each."""
    if "[SEP]" in head:
        name, *values = head.rpartition("< Prev [SEP] ")[2].removesuffix(" [SEP] ").split(" [SEP] ")
        return {name: [{"value": value} for value in values]}
    lines = [line for line in head.splitlines() if re.match(r"\w+ \[", line)]
    return {line.split()[0]: [{"value": value} for value in re.findall(r"\[([^]]+)\]", line)] for line in lines}
