"""What somebody sees of the shop who only looks at its pages: in words, in text with buttons, or in a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from agentgym.envs.web._shop.markup import SEPARATOR
from agentgym.envs.web._shop.pages import SUB_PAGES

ASIN = re.compile(r"[A-Z0-9]{10}")
PRICE = re.compile(r"\$\s?(\d[\d,]*(?:\.\d+)?)")
BUTTON = re.compile(r"\s*\[(?:clicked )?button\] (.*) \[(?:clicked )?button_\]\s*")
LINE = re.compile(r'\s*\[(\d+)\] (?:([a-z]+) )?("(?:[^"\\]|\\.)*")(.*)')  # of a browser's outline
TITLE = re.compile(r'Page: "')
OPTIONS = ("color", "size", "flavor name", "item package quantity", "scent", "style", "capacity", "fit type")
BACK, PREVIOUS, BUY = "Back to Search", "< Prev", "Buy Now"


@dataclass(frozen=True)
class Item:
    """A product's page as it is seen.

    Attributes:
        title, price: As printed.
        options: By name, the values to choose from; a name that the page does not tell apart from values is "".
    """

    title: str
    price: str
    options: dict[str, tuple[str, ...]]

    @property
    def dollars(self) -> float | None:
        """The highest price that is printed; None if there is none."""
        found = [float(number.replace(",", "")) for number in PRICE.findall(self.price)]
        return max(found) if found else None


def strings(text: str) -> list[str]:
    """What stands on a page, in order, without the goal: in every mode of the shop in text, and in a browser's outline.

    Args:
        text: An observation.
    """
    if TITLE.search(text):
        found = [json.loads(match[3]) for line in text.splitlines() if (match := LINE.fullmatch(line))]
        return [each for each in found if not each.startswith("Instruction:")]
    if SEPARATOR in text:
        found = text.partition("\n")[0].split(SEPARATOR)
    else:
        found = [match[1] if (match := BUTTON.fullmatch(line)) else line.strip() for line in text.splitlines()]
    found = [each for each in found if each]
    if "Instruction:" in found:
        at = found.index("Instruction:")
        found = found[:at] + found[at + 2 :]
    return found


def named(text: str, action: str) -> str:
    """What an action clicks on, as the page before it named it; "" if it clicks on nothing there.

    Args:
        text: The page.
        action: In the words of the shop in text, or of a browser.
    """
    if match := re.fullmatch(r"click\s?\[(.*)\]", action.strip(), re.IGNORECASE | re.DOTALL):
        if not match[1].isdigit() or not TITLE.search(text):
            return match[1].strip()
        for line in text.splitlines():
            found = LINE.fullmatch(line)
            if found and found[1] == match[1]:
                return str(json.loads(found[3]))
    return ""


def rows(seen: Sequence[str]) -> list[tuple[str, str, str]]:
    """Id, title and price of each product on a page of results.

    Args:
        seen: The strings of the page.
    """
    return [
        (asin, title, price)
        for asin, title, price in zip(seen, seen[1:], seen[2:], strict=False)
        if ASIN.fullmatch(asin) and PRICE.search(price)
    ]


def item(seen: Sequence[str]) -> Item | None:
    """The product of a page with its options and price; None for every other page.

    Args:
        seen: The strings of the page.
    """
    if BUY not in seen or PREVIOUS not in seen:
        return None
    prices = [at for at, each in enumerate(seen) if each.startswith("Price: ")]
    begin = seen.index(PREVIOUS) + 1
    if not prices or prices[0] <= begin:
        return None
    options: dict[str, tuple[str, ...]] = {}
    name = ""
    for each in seen[begin : prices[0] - 1]:
        if each in OPTIONS:
            name = each
            options.setdefault(name, ())
        else:
            options[name] = (*options.get(name, ()), each)
    return Item(seen[prices[0] - 1], seen[prices[0]].removeprefix("Price: "), options)


def passages(seen: Sequence[str]) -> list[str]:
    """What a sub-page of a product says, line by line; empty for every other page.

    Args:
        seen: The strings of the page.
    """
    if item(seen) is not None or PREVIOUS not in seen or any(each.startswith("Page ") for each in seen):
        return []
    return [each for each in seen if each not in (BACK, PREVIOUS)]


def sub_pages(seen: Sequence[str]) -> list[str]:
    """The sub-pages that a product's page leads to, as they are clicked.

    Args:
        seen: The strings of the page.
    """
    return [each.lower() for each in seen if each.lower() in SUB_PAGES]
