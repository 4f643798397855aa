"""Writes an article: chooses among the ways to say each thing, fills in names and numbers, and marks links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from agentgym.assets.wiki import SLOT, Form, Statement, load_forms, load_words
from agentgym.envs._kit.encyclopedia.knowledge_base import Fact, World
from agentgym.envs._kit.encyclopedia.rng import BlockRandom

MARK = re.compile(r"\[\[(\d+)\|([^\]]*)\]\]")  # a link in the text of an article: its number and its words
ARTICLE = re.compile(r"\b([Aa]) (?=(?:\[\[\d+\|)?[aeiouAEIOU])(?!(?:\[\[\d+\|)?(?:[Uu]ni|[Uu]se|[Ee]u|[Oo]ne\b))")
FIRST = re.compile(r"^((?:\[\[\d+\|)?)(\w)")
PLURAL = re.compile(
    r"\b(?:are|were|include|included|have|bear|draw|came|come|suffered|stand|belong|lie|last|longest)\b"
)
DEFINITE = {
    "war", "battle", "treaty", "expedition", "disaster", "university", "newspaper", "orchestra", "society", "award",
    "building", "ship", "river", "animal", "plant",
}  # fmt: skip
SAID = 0.8  # share of the statements without links that an article makes
AGAIN = 0.7  # share of the later sentences of a section that say "he" or "it" in place of the name


@dataclass(frozen=True, slots=True)
class Article:
    """A page of the encyclopaedia.

    Attributes:
        title: Its title.
        table: Label and words of each line of its table.
        sections: Heading and sentences of each; links are marked `[[number|words]]`.
        links: The page that each link leads to; link 1 stands first.
        categories: Numbers of the links that stand at the foot.
        told: The slots of the facts that each sentence tells, by section and sentence.
    """

    title: str
    table: tuple[tuple[str, str], ...]
    sections: tuple[tuple[str, tuple[str, ...]], ...]
    links: tuple[int, ...]
    categories: tuple[int, ...]
    told: tuple[tuple[tuple[str, ...], ...], ...] = ()


def plain(text: str) -> str:
    """A text without the marks of its links."""
    return MARK.sub(r"\2", text)


@cache
def choices(kind: str, slot: str) -> Sequence[str]:
    """What may stand in a slot that no fact fills: the words for `slot` in articles of this `kind`, else in any."""
    words = load_words()
    return words.get(f"{kind}.{slot}") or words.get(slot) or ()


@cache
def said(kind: str) -> tuple[tuple[Statement, tuple[str, ...]], ...]:
    """The statements of a kind of article in order, each with the slots that only facts can fill."""
    form = load_forms()[kind]
    return tuple(
        (statement, tuple(slot for slot in statement.slots if slot != "name" and not choices(kind, slot)))
        for section in form.sections
        for statement in section.statements
    )


def mentioned(world: World, thing: int) -> list[int]:
    """The things that the article on `thing` of `world` refers to, each once, in the order of its statements."""
    facts = world.facts[thing]
    found: dict[int, None] = {}
    for statement, needed in said(world.kinds[thing]):
        for slot in needed:
            if slot not in facts:
                break
        else:
            for slot in statement.slots:
                fact = facts.get(slot)
                if isinstance(fact, int):
                    found[fact] = None
                elif isinstance(fact, tuple):
                    found.update(dict.fromkeys(fact))
    found.pop(thing, None)
    return list(found)


class Writer:
    """Writes the article on one thing.

    Args:
        world: Where the facts are.
        thing: What the article is about.
        allowed: The pages that may be linked.
        rng: Choices of words.
    """

    def __init__(self, world: World, thing: int, allowed: Iterable[int], rng: BlockRandom):
        self._world = world
        self._thing = thing
        self._kind = world.kinds[thing]
        self._facts: Mapping[str, Fact] = world.facts[thing]
        self._allowed = set(allowed)
        self._dice = rng
        self.links: list[int] = []
        self.told: list[tuple[tuple[str, ...], ...]] = []
        self._free: dict[str, str] = {}
        woman = self._facts.get("woman")
        self._pronouns = (
            ("it", "its", "it") if woman is None else ("she", "her", "her") if woman else ("he", "his", "him")
        )

    def sections(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What the article says, section by section."""
        form: Form = load_forms()[self._kind]
        written = []
        for section in form.sections:
            sentences: list[str] = []
            told: list[tuple[str, ...]] = []
            for statement in section.statements:
                if self._has(statement):
                    sentences.append(self._sentence(statement, first=not sentences))
                    told.append(statement.slots)
            if sentences:
                written.append((section.heading, tuple(sentences)))
                self.told.append(tuple(told))
        return tuple(written)

    def table(self) -> tuple[tuple[str, str], ...]:
        """The lines of the article's table whose facts are known."""
        rows = []
        for label, slot in load_forms()[self._kind].table:
            known = slot in self._facts or slot in self._free
            if known:
                rows.append((label, plain(self._fill(slot, link=False))))
        return tuple(rows)

    def _has(self, statement: Statement) -> bool:
        needed = [slot for slot in statement.slots if slot != "name" and slot not in self._facts]
        if any(not choices(self._kind, slot) for slot in needed):
            return False
        linked = any(not isinstance(self._facts.get(slot, ""), str) for slot in statement.slots)
        return linked or "name" in statement.slots or self._dice.chance(SAID)

    def _sentence(self, statement: Statement, first: bool) -> str:
        single = any(isinstance(fact := self._facts.get(slot), tuple) and len(fact) == 1 for slot in statement.slots)
        fitting = [variant for variant in statement.variants if not (single and PLURAL.search(variant))]
        text = self._dice.pick(fitting or statement.variants)
        name = self._short()
        again = not first and self._dice.chance(AGAIN)
        he, his, him = self._pronouns if again else (name, f"{name}'s", name)
        text = text.replace("@him", him, 1).replace("@'s", his, 1) if again else self._named(text, his, him)
        text = text.replace("@him", self._pronouns[2]).replace("@'s", self._pronouns[1])
        text = text.replace("@", he, 1).replace("@", self._pronouns[0])
        text = SLOT.sub(lambda match: self._fill(match[1]), text)
        text = ARTICLE.sub(r"\1n ", text)
        return FIRST.sub(lambda match: match[1] + match[2].upper(), text)

    def _named(self, text: str, his: str, him: str) -> str:
        """The name in the first place only, whichever form that is."""
        place = text.find("@")
        if text[place:].startswith("@him"):
            return text.replace("@him", him, 1).replace("@", self._pronouns[0])
        if text[place:].startswith("@'s"):
            rest = text[place + 3 :].replace("@him", self._pronouns[2]).replace("@'s", self._pronouns[1])
            return text[:place] + his + rest.replace("@", self._pronouns[0])
        return text

    def _short(self) -> str:
        family = self._facts.get("family")
        return family if isinstance(family, str) else self._world.names[self._thing]

    def _name(self, thing: int) -> str:
        """A name as it stands within a sentence: those of animals and plants begin small."""
        return str(self._world.facts[thing].get("common") or self._world.names[thing])

    def _in_list(self, thing: int, link: bool) -> str:
        """A name in a list, with an article where one belongs."""
        definite = self._world.kinds[thing] in DEFINITE and "'s " not in self._world.names[thing]
        return f"{'the ' if definite else ''}{self._linked(thing, link)}"

    def _fill(self, slot: str, link: bool = True) -> str:
        if slot == "name":
            return self._name(self._thing)
        fact = self._facts.get(slot)
        if isinstance(fact, int):
            return self._linked(fact, link)
        if isinstance(fact, tuple):
            names = [self._in_list(each, link) for each in fact]
            return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        if isinstance(fact, str):
            return fact
        if slot not in self._free:
            self._free[slot] = self._dice.pick(choices(self._kind, slot))
        return self._free[slot]

    def _linked(self, other: int, link: bool) -> str:
        name = self._name(other)
        if not link or other not in self._allowed or other in self.links:
            return name
        self.links.append(other)
        return f"[[{len(self.links)}|{name}]]"
