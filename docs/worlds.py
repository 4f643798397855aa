"""The page of a world: made of its card, its docstring and one episode of its oracle; nothing else is written down."""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from agentgym.agents.shortcuts import GENERIC
from agentgym.core import EnvCard, MissingExtra, Score
from agentgym.evaluate import world_options
from docs import docstring
from docs.docstring import escaped, fenced, table
from docs.transcript import Shown, show

FAMILIES = {
    "text": "Text environments",
    "web": "Web environments",
    "tools": "Tool environments",
    "code": "Code environments",
    "games": "Games",
    "multiagent": "Multi-agent games",
    "safety": "Safety",
}
AGENTS = ("nothing", "random", "shortcut", "expert", "oracle")
USUAL = ("random", "nothing", "expert", "oracle")
SHORTCUT = "shortcut:"


def slug(card: EnvCard) -> str:
    """The page's name."""
    return card.name.lower()


def title(card: EnvCard) -> str:
    """The world's name without its version."""
    return card.name.rpartition("-v")[0]


def family(kind: str) -> str:
    """A family's heading; a new one gets its own name."""
    return FAMILIES.get(kind, kind.capitalize())


def families(cards: Sequence[EnvCard]) -> list[tuple[str, list[EnvCard]]]:
    """Every family that has worlds, with them: the known ones first."""
    known = list(FAMILIES)
    kinds = [*known, *sorted({card.kind for card in cards} - set(known))]
    found = [(kind, [card for card in cards if card.kind == kind]) for kind in kinds]
    return [(kind, members) for kind, members in found if members]


def scored(card: EnvCard) -> tuple[str, ...]:
    """Success rate and mean return of `AGENTS` on the test panel, as the card has them; "-" for what was not measured.

    Several players may do something else than the task; the best of them is the shortcut.
    """
    scores = dict(card.scores.get("test", {}))
    others = [score for agent, score in scores.items() if agent not in AGENTS]
    if others:
        scores["shortcut"] = max(others)
    return tuple(
        f"{scores[agent].success:.2f} / {scores[agent].score:.2f}" if agent in scores else "-" for agent in AGENTS
    )


def load(card: EnvCard) -> type:
    """The class behind a card."""
    module, _, name = card.entry_point.partition(":")
    found: type = getattr(importlib.import_module(module), name)
    return found


def demonstrated(card: EnvCard) -> Shown | str:
    """The world at work on what its card's fixture writes, or why that cannot be shown here."""
    with tempfile.TemporaryDirectory() as folder:
        options: Mapping[str, Any] = {}
        try:
            if card.requires:
                module, _, function = card.fixture.partition(":")
                options = getattr(importlib.import_module(module), function)(Path(folder))
            return show(card, options)
        except MissingExtra as missing:
            return str(missing)


def page(card: EnvCard, shown: Shown | str, picture: str = "") -> str:
    """The Markdown of a world's page.

    Args:
        card: The world.
        shown: What `demonstrated` gave.
        picture: Name of the picture's file, if there is one.
    """
    world = load(card)
    said = docstring.read(world)
    sections = dict(said.sections)
    source = sections.pop("Source", "")
    parts = [f"# {title(card)}", escaped(card.description)]
    parts += [fenced(_making(card), "python"), _facts(card)]
    if picture:
        parts.append(f"![The last state of the episode below]({picture})")
    parts += [f"## {heading}\n\n{text}" if heading else text for heading, text in sections.items()]
    if not isinstance(shown, str):
        parts += ["## Manual", "The text that an agent gets; every example in it parses.", fenced(shown.manual)]
        if shown.tools:
            parts.append("Tools: " + ", ".join(f"`{name}`" for name in shown.tools))
        observed, acted = shown.spaces
        spaces = [("observation", f"`{observed}`"), ("action", f"`{acted}`")]
        parts += ["## Spaces", table(("space", "of one player" if card.players > 1 else ""), spaces)]
    parts += [_options(card), _scores(card), _records(card)]
    parts += ["## An episode", *_episode(shown)]
    parts += ["## Source", source, f"*{escaped(card.citation)}*"]
    return "\n\n".join(part for part in parts if part) + "\n"


def _making(card: EnvCard) -> str:
    required = "".join(f", {name}=..." for name in card.requires)
    if card.api == "gymnasium":
        return f'import gymnasium as gym, agentgym\n\nenv = gym.make("{card.id}", split="train"{required})'
    made = f'env = agentgym.make("{card.name}", split="train"{required})'
    return f"import agentgym\n\n{made}  # {card.api}, PettingZoo"


def sizes(splits: Mapping[str, int | None]) -> str:
    """Splits with their sizes."""
    return ", ".join(f"{split} {'endless' if size is None else format(size, ',')}" for split, size in splits.items())


def _facts(card: EnvCard) -> str:
    played = {
        "gymnasium": "one, Gymnasium",
        "aec": f"{card.players} in turn, PettingZoo AEC",
        "parallel": f"{card.players} at once, PettingZoo parallel",
    }
    rows = [
        ("id", f"`{card.id}`"),
        ("family", family(card.kind)),
        ("players", played[card.api]),
        ("splits", sizes(card.splits)),
        ("turns", f"at most {card.max_turns:,}"),
        ("dynamics", "deterministic" if card.deterministic else "stochastic"),
        ("oracle", f"succeeds in {card.oracle_success:.1%} of the tasks"),
        (
            "snapshot",
            {"copy": "exact copy", "replay": "exact, by replaying the episode", "none": "none"}[card.snapshot],
        ),
        ("pictures", "`rgb_array`" if card.images else "none"),
        ("requires", f"`pip install 'agentgym-suite[{','.join(card.extras)}]'`" if card.extras else "nothing else"),
    ]
    if card.opponents:
        rows.append(("opponents", ", ".join(f"`{name}`" for name in card.opponents)))
    rows += [(f"`{name}`", f"required: {escaped(meaning)}") for name, meaning in card.requires.items()]
    return f":::{{container}} facts\n{table(('', ''), rows)}\n:::"


def _options(card: EnvCard) -> str:
    rows = [
        (
            f"`{each.name}`",
            "required" if each.default is None else f"`{each.default}`",
            docstring.markdown(each.meaning),
        )
        for each in world_options(card)
    ]
    note = "Also `split`, `max_turns` and `render_mode`, as in [every environment](../contract.md)."
    return (
        f"## Options\n\n{table(('argument', 'default', 'meaning'), rows)}\n\n{note}"
        if rows
        else f"## Options\n\n{note}"
    )


def _scores(card: EnvCard) -> str:
    if not card.scores:
        return ""
    known = {agent for scores in card.scores.values() for agent in scores}
    agents = [agent for agent in dict.fromkeys((*USUAL, *sorted(known))) if agent in known and SHORTCUT not in agent]
    rows = [(f"`{split}`", *(_result(scores, agent) for agent in agents)) for split, scores in card.scores.items()]
    against = f" Opponents are played by `{card.rival}`; the agent plays each player in turn." if card.rival else ""
    told = f"Success rate / mean return over whole task sets.{against}"
    shown = f"## Scores\n\n{told}\n\n{table(('split', *agents), rows)}"
    return f"{shown}\n\n{_shortcuts(card)}".rstrip()


def _result(scores: Mapping[str, Score], agent: str) -> str:
    return f"{scores[agent].success:.3f} / {scores[agent].score:.3f}" if agent in scores else ""


def _shortcuts(card: EnvCard) -> str:
    """What players that do not do the task earn on `test`, and the most that one may win."""
    does = {f"{SHORTCUT}{name}": what for name, what in {**card.shortcuts, **GENERIC}.items()}
    splits = [split for split, scores in card.scores.items() if does.keys() & scores.keys()]
    rows = [
        (f"`{agent}`", docstring.markdown(what), *(_result(card.scores[split], agent) for split in splits))
        for agent, what in does.items()
        if any(agent in card.scores[split] for split in splits)
    ]
    if not rows:
        return ""
    much = card.shortcut_bound
    bound = "hardly more often than random actions" if much is None else f"at most {much:.0%} of the tasks"
    why = f" The reason: {card.shortcut_reason}." if card.shortcut_reason else ""
    told = (
        f"Scripted players that do not do the task win {bound} on `test` (`agentgym check {card.name} --full`); "
        "generic ones play 20 of its tasks, for 60 turns (8 tasks where another program answers)."
        f"{why}"
    )
    return f"{told}\n\n{table(('player', 'what it does', *(f'`{split}`' for split in splits)), rows)}"


def _records(card: EnvCard) -> str:
    rows: list[tuple[str, ...]] = []
    for kind, entries in (("event", card.events), ("metric", card.metrics), ("cost", card.costs)):
        rows += [(kind, f"`{key}`", docstring.markdown(meaning)) for key, meaning in entries.items()]
    if not rows:
        return ""
    head = "## What `info` records\n\nIn addition to the keys of [every environment](../contract.md):"
    return f"{head}\n\n{table(('in', 'key', 'meaning'), rows)}"


def _episode(shown: Shown | str) -> Iterator[str]:
    if isinstance(shown, str):
        yield f"The environment was not available where this page was made: {escaped(shown)}"
    else:
        yield shown.summary
        yield fenced(shown.episode)
