"""A judge of shopping that reads what the pages show, by rules: it sees neither the goal's record nor the score."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from agentgym.assets.webshop.facts import read_line
from agentgym.core.text_model import Message, ScriptedModel
from agentgym.envs.web._browser.judge import spoken
from agentgym.envs.web._shop.window import BUY, Item, item, named, passages, rows, strings
from agentgym.envs.web._shop.wish import Wish, read_wish, terms

NAMED = re.compile(r"[^,;:().!?【】]+")
LONG = 8  # letters of a word that is a fact by itself, such as `rechargeable`
PARTLY = 4  # of 10: the most that a purchase gets which lacks something


@dataclass
class Bought:
    """A product's page as the player saw it, with what it read and chose there."""

    page: Item
    lines: list[str] = field(default_factory=list)
    chosen: list[str] = field(default_factory=list)


def shop_judge() -> ScriptedModel:
    """A rule that grades a purchase, for `JudgeReward(model="agentgym.envs.web.webshop:shop_judge")`.

    It says 10 where a product was bought whose price lies within the cap, which is of the kind asked for, whose options
    were chosen as asked, and whose features list, and nowhere deny, each fact that they and the instruction both name;
    otherwise 4 at most. Features that the player has not opened count as no evidence. It is wrong where the pages claim
    what the shop has not on record, where a player has guessed right, and where words of the instruction mean another
    thing than they say.
    """
    return ScriptedModel(_grade)


def _grade(messages: Sequence[Message], seed: int) -> str:
    task, _, record = messages[-1]["content"].removeprefix("Task: ").partition("\n\nRecord:\n")
    bought = _bought(record)
    if bought is None:
        return "Nothing was bought.\nScore: 0"
    found = _holds(read_wish(task), bought)
    if all(found.values()):
        return "The page shows all that was asked for.\nScore: 10"
    missing = ", ".join(name for name, holds in found.items() if not holds)
    return f"Not shown: {missing}.\nScore: {PARTLY * sum(found.values()) / len(found):.2f}"


def _bought(record: str) -> Bought | None:
    """The product that the player bought, as it was seen."""
    before, opened = "", None
    said = ""
    for who, text in spoken(record):
        if who == "Player":
            said = text
            continue
        clicked, seen = named(before, said).lower(), strings(text)
        if opened is not None and clicked == BUY.lower():
            return opened
        page = item(seen)
        if page is not None and (opened is None or rows(strings(before))):
            opened = Bought(page)
        elif page is not None and opened is not None:
            values = {value.lower() for own in page.options.values() for value in own}
            if clicked in values:
                opened.chosen.append(clicked)
        elif opened is not None:
            opened.lines += passages(seen)
        before = text
    return None


def _holds(wish: Wish, bought: Bought) -> dict[str, bool]:
    """What was asked for, as far as the words tell, and whether the pages show it."""
    page = bought.page
    found = {"the price": page.dollars is not None and page.dollars <= wish.cap}
    found["the kind"] = any(word in terms(page.title) for word in wish.words)
    for name, values in page.options.items():
        asked = [value for value in values if wish.names(value)]
        if asked:
            found[f"the {name or 'option'}"] = max(asked, key=len).lower() in bought.chosen
    facts = _facts(wish, bought.lines)
    found |= facts
    if not facts:
        found["a fact that was asked for"] = False
    return found


def _facts(wish: Wish, lines: Sequence[str]) -> dict[str, bool]:
    """The facts that both the pages and the instruction name, and whether the pages list them."""
    named_there = {part.strip() for line in lines for part in NAMED.findall(line.lower())}
    asked = [fact for fact in sorted(named_there) if _says_something(fact) and f" {fact} " in wish.said]
    said = {fact: {read_line(line, fact) for line in lines} for fact in asked}
    return {fact: True in told and False not in told for fact, told in said.items()}


def _says_something(fact: str) -> bool:
    """Whether a piece of a line may be a fact that somebody asks for: two to four words, or one that is long."""
    words = fact.split()
    return 2 <= len(words) <= 4 or (len(words) == 1 and len(fact) >= LONG)
