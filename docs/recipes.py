"""The pages of the recipes, made of their files, the docstrings of their parts, and the claims tried with them."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any

from agentgym.agents.context import CONTEXTS
from agentgym.core import EnvCard, catalog, full_id
from agentgym.rollout.strategies import STRATEGIES
from agentgym.train.losses import LOSSES
from agentgym.train.opponents import OPPONENTS
from agentgym.train.recipe import MANY
from agentgym.train.recipe_files import SHELF, recipe_names, recipe_table
from agentgym.train.replay import REPLAYS
from agentgym.train.tasks import TASKS
from docs import docstring
from docs.docstring import escaped, fenced, table
from docs.worlds import slug, title

BASELINES = Path(__file__).parents[1] / "baselines"
ARXIV = re.compile(r"arXiv:(\d{4}\.\d{5})")
PLAYED = {"strategy": STRATEGIES, "context": CONTEXTS, "tasks": TASKS, "opponent": OPPONENTS}  # parts of [rollout]
ONE = {"loss": LOSSES, "replay": REPLAYS}


def listed() -> str:
    """The recipes as a table that links to their pages, and the table of contents of these."""
    rows = []
    for name in recipe_names():
        recipe = recipe_table(name)
        world = recipe["world"]["id"].removeprefix("AgentGym/")
        rows.append((f"[`{name}`](recipes/{name}.md)", escaped(recipe["method"]), linked(recipe["paper"]), world))
    pages = "\n".join(f"recipes/{name}" for name in recipe_names())
    return f"{table(('recipe', 'method', 'source', 'environment'), rows)}\n\n```{{toctree}}\n:hidden:\n\n{pages}\n```"


def page(name: str, cards: Sequence[EnvCard]) -> str:
    """The Markdown of a recipe's page.

    Args:
        name: Of a recipe that comes along.
        cards: The worlds that have a page, to which it links.
    """
    recipe, text = recipe_table(name), file_of(name)
    card = next(card for card in catalog().values() if card.id == full_id(recipe["world"]["id"]))
    world = f"[{title(card)}](../worlds/{slug(card)}.md)" if card.id in {one.id for one in cards} else title(card)
    parts = [
        f"# {escaped(recipe['method'])}" + ("" if alone(name) else f" ({title(card)})"),
        f"{linked(recipe['paper'])}. Trains in {world}; `--world.id` selects another environment.",
        header(text),
        fenced(f"$ agentgym train {name}", "console"),
    ]
    rows = [(f"`{kind}`", f"`{part}`", said) for kind, part, said in parts_of(recipe)]
    if rows:
        parts.append(f"## Parts\n\n{table(('', 'part', ''), rows)}")
    if claims := claims_of(name):
        rows = [(f"`agentgym reproduce {claim}`", escaped(said), verdict) for claim, said, verdict in claims]
        parts.append(f"## Claims about it\n\n{table(('command', 'claim', 'verdict'), rows)}")
    parts.append(f"## The file\n\n{fenced(text.strip(), 'toml')}")
    values = "\n".join(f"{key} = {value}" for key, value in settings(recipe) if key not in ("method", "paper"))
    lead = "Base recipes and settings for this environment included. Each is an option: `--update.updates 20`."
    parts.append(f"## All settings in {title(card)}\n\n{lead}\n\n{fenced(values, 'toml')}")
    return "\n\n".join(part for part in parts if part) + "\n"


def file_of(name: str) -> str:
    """The text of a recipe that comes along."""
    return resources.files(SHELF).joinpath(f"{name}.toml").read_text(encoding="utf8")


def header(text: str) -> str:
    """What the comment at the head of a recipe says, as Markdown; commands are set as code."""
    lines = (line[2:] for line in takewhile(lambda line: line.startswith("#"), text.splitlines()))
    blocks = []
    for command, group in groupby(lines, lambda line: line.startswith("agentgym ")):
        if command:
            blocks.append(fenced("\n".join(f"$ {line}" for line in group), "console"))
        else:
            blocks.append(escaped("\n".join(group)))
    return "\n\n".join(blocks)


def alone(name: str) -> bool:
    """Whether no other recipe has the same method, so that it needs no world behind it to be told apart."""
    methods = _methods()
    return Counter(methods.values())[methods[name]] == 1


@cache
def _methods() -> dict[str, str]:
    return {name: recipe_table(name)["method"] for name in recipe_names()}


def parts_of(recipe: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Where each named part of a recipe stands, its name, and the first words of its docstring.

    Args:
        recipe: As `recipe_table` gives it.
    """
    played = recipe.get("rollout", {})
    for kind, known in PLAYED.items():
        if kind in played and isinstance(_name(played[kind]), str) and _name(played[kind]) in known:
            yield f"rollout.{kind}", _name(played[kind]), _said(known[_name(played[kind])])
    for kind, many in MANY.items():
        for entry in recipe.get(kind, []):
            if kind != "callback":  # what happens between rounds is no part of a method
                yield kind, _name(entry), _said(many[_name(entry)])
    for kind, known in ONE.items():
        if kind in recipe:
            yield kind, _name(recipe[kind]), _said(known[_name(recipe[kind])])


def _name(entry: Any) -> str:
    return str(entry["name"] if isinstance(entry, Mapping) else entry)


def _said(part: object) -> str:
    return docstring.read(part).summary.replace("\n", " ")


def claims_of(name: str) -> list[tuple[str, str, str]]:
    """Name, sentence and verdict of each claim one of whose arms is a recipe; "not measured" where there is no record.

    Args:
        name: Of the recipe.
    """
    found = []
    for path in sorted((BASELINES / "claims").glob("*.toml")):
        claim = tomllib.loads(path.read_text(encoding="utf8"))
        if name in {arm.get("recipe") for arm in claim["arms"].values()}:
            record = BASELINES / "results" / f"{path.stem}.json"
            verdict = json.loads(record.read_text(encoding="utf8"))["verdict"] if record.exists() else "not measured"
            found.append((path.stem, claim["claim"], verdict))
    return found


def linked(source: str) -> str:
    """A source with its papers as links.

    Args:
        source: What a recipe names, such as `Shao et al. 2024, arXiv:2402.03300`.
    """
    return ARXIV.sub(r"[arXiv:\1](https://arxiv.org/abs/\1)", escaped(source))


def settings(recipe: Mapping[str, Any], under: str = "") -> Iterator[tuple[str, str]]:
    """Dotted key and value of each setting of a recipe, as the command line takes them; lists are one value.

    Args:
        recipe: A table, as `recipe_table` gives it.
        under: What stands before the keys.
    """
    for key, value in recipe.items():
        if isinstance(value, Mapping) and value:
            yield from settings(value, f"{under}{key}.")
        else:
            yield f"{under}{key}", json.dumps(value)
