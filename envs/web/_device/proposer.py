"""Questions about a device that nobody gave: made of pages that were opened, longer once the short ones are solved."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentgym.core.errors import ConfigError
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.proposals import Tried
from agentgym.envs.web._device.drafts import click
from agentgym.envs.web._sites.device.content import OWNERS
from agentgym.envs.web._sites.plans import Step

TEMPLATE = "proposed"
APPS = ("Contacts", "Settings", "Calendar")  # whose pages say of a thing what it is, by name and value
LINE = re.compile(r'\s*\[(\d+)\] (?:([a-z]+) )?("(?:[^"\\]|\\.)*")(.*)')
WINDOW, OUTSIDE = "region", 'navigation "Desktop"'
NAME = re.compile(r"[A-Z][A-Za-z -]*")  # what stands before a value; a count of things or a day is none
NOTHING = ("none", "")
LOOKS = 3  # links that are tried in an app until a page says something
SOLVED = 0.5  # mean return of tasks that count as learned
ENOUGH = 3  # tries before they may
WORDS = (
    "Find out {asked}. Stop with {answer}.",
    "I need to know {asked}; stop with {answer}.",
    "Look up {asked} on this computer and stop with {answer}.",
    "Tell me {asked}. End with {answer}.",
)
ONE, SEVERAL = "the answer alone", "the answers in this order, a comma and a space between them"


@dataclass(frozen=True)
class Fact:
    """What a page says of a thing.

    Attributes:
        app, link: How the page was reached: the app, and what was clicked there.
        title: The heading of the page.
        name, value: What it says.
    """

    app: str
    link: str
    title: str
    name: str
    value: str

    @property
    def plan(self) -> list[Step]:
        """Steps that show it."""
        return [["open", self.app], click("link", self.link)]


class DeviceProposer:
    """Opens apps and pages of a device at random, and asks for what they say: of one page, then of several.

    The curriculum of SEAgent in little (Sun et al. 2025, arXiv:2508.04700): a task asks for as many pages as have been
    learned, and one more. Tasks with so many pages count as learned when they earn 0.5 on average. Apps are those of
    the world's option `apps`; where they are fewer than the pages, several pages are of one app.

    Args:
        tasks: Tasks of a look around.
        most: Pages of a task, at most.
    """

    def __init__(self, tasks: int = 4, most: int = 3):
        if tasks < 1 or not 1 <= most <= len(APPS):
            raise ConfigError(f"a proposer for devices needs tasks of at least 1, and most from 1 to {len(APPS)}")
        self._tasks, self._most = tasks, most

    def propose(
        self, world: LanguageEnv, rng: np.random.Generator, tried: Sequence[Tried]
    ) -> Sequence[Mapping[str, Any]]:
        """Tasks on the device of one owner.

        Args:
            world: Desktop-v0.
            rng: Of the owner, the pages and the words.
            tried: What earlier tasks earned sets how many pages the next ones ask for.

        Raises:
            ConfigError: if the world is another one.
        """
        if world.card.name != "Desktop-v0":
            raise ConfigError(f"{world.card.id} is no desktop; use Desktop-v0, or another proposer")
        there = [app for app in APPS if app in world.config.apps]
        if not there:
            raise ConfigError(
                f"a proposer for devices asks for what {', '.join(APPS)} say, and apps has none of them; add one"
            )
        pages, owner = level(tried, self._most), int(rng.integers(OWNERS))
        found = []
        for _ in range(self._tasks):
            order = rng.permutation(len(there))
            apps = [there[int(order[page % len(there)])] for page in range(pages)]
            looked = [fact for app in apps if (fact := _look(world, owner, app, rng)) is not None]
            facts = list({(fact.app, fact.link): fact for fact in looked}.values())
            if len(facts) == pages:  # each of another one
                found.append(_task(owner, facts, WORDS[int(rng.integers(len(WORDS)))]))
        return found


def level(tried: Sequence[Tried], most: int) -> int:
    """How many pages a task is to ask for: one more than are learned.

    Args:
        tried: What earlier tasks earned.
        most: The most.
    """
    pages = 1
    while pages < most:
        own = [each for each in tried if each.task["template"] == TEMPLATE and _pages(each.task) == pages]
        tries = sum(each.tries for each in own)
        if tries < ENOUGH or sum(each.tries * each.mean_return for each in own) < SOLVED * tries:
            break
        pages += 1
    return pages


def _pages(task: Mapping[str, Any]) -> int:
    return sum(step[0] == "open" for step in task["plan"])


def _task(owner: int, facts: Sequence[Fact], words: str) -> Mapping[str, Any]:
    asked = " and ".join(f'what "{fact.title}" in {fact.app} has as "{fact.name}"' for fact in facts)
    answer = ", ".join(fact.value for fact in facts)
    return {
        "template": TEMPLATE,
        "owner": owner,
        "instruction": words.format(asked=asked, answer=SEVERAL if len(facts) > 1 else ONE),
        "answer": answer,
        "goals": [],
        "plan": [*(step for fact in facts for step in fact.plan), ["stop", answer]],
    }


def _look(world: Any, owner: int, app: str, rng: np.random.Generator) -> Fact | None:
    """Something that a page of an app says; None if those that were opened say nothing."""
    for _ in range(LOOKS):
        text = world.step(f"click [{dict(_links(_begin(world, owner)))[app]}]")[0]
        shown = _links(_window(text))
        names = [name for name, _ in shown]
        once = [name for name in names if names.count(name) == 1]
        if not once:
            return None
        link = once[int(rng.integers(len(once)))]
        title, facts = said(_window(world.step(f"click [{dict(shown)[link]}]")[0]))
        if facts:
            name = sorted(facts)[int(rng.integers(len(facts)))]
            return Fact(app, link, title, name, facts[name])
    return None


def _begin(world: Any, owner: int) -> str:
    """What the device of an owner shows first; no task of the panel is asked for."""
    task = {"template": TEMPLATE, "owner": owner, "instruction": "Look around.", "answer": "", "goals": []}
    return str(world.reset(seed=0, options={"task": {**task, "plan": [["stop", ""]]}})[0])


def _window(text: str) -> str:
    """The lines of the window in front."""
    lines = text.splitlines()
    begins = [at for at, line in enumerate(lines) if f"] {WINDOW} " in line]
    ends = [at for at, line in enumerate(lines) if line.strip().endswith(OUTSIDE)]
    return "\n".join(lines[begins[0] : ends[0]]) if begins and ends and begins[0] < ends[0] else ""


def _links(text: str) -> list[tuple[str, str]]:
    """Name and number of each link."""
    found = [match for line in text.splitlines() if (match := LINE.fullmatch(line))]
    return [(json.loads(match[3]), match[1]) for match in found if match[2] == "link"]


def said(page: str) -> tuple[str, dict[str, str]]:
    """The heading of a page, and what it says by name: texts that stand in pairs, names that come once.

    Args:
        page: The lines of a window.
    """
    found = [match for line in page.splitlines() if (match := LINE.fullmatch(line))]
    heads = [at for at, match in enumerate(found) if match[2] == "heading"]
    if len(heads) != 1:
        return "", {}
    texts = [json.loads(match[3]) for match in found[heads[0] + 1 :] if not match[2]]
    names = texts[::2]
    if not texts or len(texts) % 2 or not all(NAME.fullmatch(name) for name in names):
        return "", {}
    pairs = {name: value for name, value in zip(names, texts[1::2], strict=True) if names.count(name) == 1}
    facts = {name: value for name, value in pairs.items() if value not in NOTHING and "," not in value}
    return json.loads(found[heads[0]][3]), facts


def device_proposer(**options: Any) -> DeviceProposer:
    """A proposer for `rollout.tasks` of Desktop-v0, named `agentgym.envs.web.device:device_proposer`.

    Args:
        options: Of `DeviceProposer`.
    """
    return DeviceProposer(**options)
