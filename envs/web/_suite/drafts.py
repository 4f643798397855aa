"""What a template makes: the words of a task, how it is judged, and how it can be done."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agentgym.core.rng import stream_seed
from agentgym.envs.web._sites.application import session_of
from agentgym.envs.web._sites.atlas.content import VISITOR as WANDERER
from agentgym.envs.web._sites.atlas.content import original as atlas
from agentgym.envs.web._sites.database import Row, Store
from agentgym.envs.web._sites.forge.content import VISITOR as CODER
from agentgym.envs.web._sites.forge.content import original as forge
from agentgym.envs.web._sites.forum.content import VISITOR as WRITER
from agentgym.envs.web._sites.forum.content import original as forum
from agentgym.envs.web._sites.phrasings import phrased
from agentgym.envs.web._sites.plans import Step
from agentgym.envs.web._sites.shop.content import CLERK
from agentgym.envs.web._sites.shop.content import VISITOR as CUSTOMER
from agentgym.envs.web._sites.shop.content import original as shop
from agentgym.envs.web._sites.tracker.content import VISITOR as PLANNER
from agentgym.envs.web._sites.tracker.content import original as tracker

FORUM, FORGE, TRACKER = "http://forum.test", "http://forge.test", "http://tracker.test"
SHOP, OFFICE, MAP = "http://shop.test", "http://backoffice.test", "http://map.test"
SITES = {"forum": FORUM, "forge": FORGE, "tracker": TRACKER, "shop": SHOP, "backoffice": OFFICE,
         "map": MAP}  # fmt: skip
ACCOUNTS = {
    "forum.test": session_of(WRITER),
    "forge.test": session_of(CODER),
    "tracker.test": session_of(PLANNER),
    "shop.test": session_of(CUSTOMER),
    "backoffice.test": session_of(CLERK),
    "map.test": session_of(WANDERER),
}

HINTS = {
    "number": "Answer with the number alone.",
    "name": "Answer with the name alone.",
    "title": "Answer with the title alone.",
    "key": "Answer with the key of the ticket alone, such as ATL-1.",
    "date": "Answer with the date alone, as the site writes it.",
    "time": "Answer with the time of day alone, such as 18:30.",
    "length": "Answer as the site writes it, such as 12.4 km or 850 m.",
    "duration": "Answer as the site writes it, such as 25 min or 1 h 5 min.",
    "phone": "Answer with the phone number alone, such as 555-12345.",
    "weekday": "Answer with the day of the week alone, such as Monday.",
    "amount": "Answer with the amount alone, such as $12.50.",
    "day": "Answer with the day alone, such as 2026-03-01.",
    "word": "Answer with what the site says, and nothing else.",
}


@dataclass
class Draft:
    """A task before it is worded.

    Attributes:
        kind: A key of `FRAMES`.
        words: What stands in a frame: a noun phrase, or what to do.
        start: Where it begins.
        judged: The evaluators, as WebArena's `eval` has them.
        plan: Steps that do it; see `players`.
        hint: How to answer.
    """

    kind: str
    words: str
    start: str
    judged: dict[str, Any]
    plan: list[Step]
    hint: str = ""
    sites: list[str] = field(default_factory=list)


class Ask:
    """What a template draws from: the sites as an episode finds them.

    Args:
        rng: Of the task.
    """

    def __init__(self, rng: np.random.Generator):
        self._rng = rng

    @property
    def forum(self) -> Store:
        """The forum's database; to be read."""
        return Store(forum(0))

    @property
    def forge(self) -> Store:
        """The code host's database; to be read."""
        return Store(forge(0))

    @property
    def tracker(self) -> Store:
        """The project tracker's database; to be read."""
        return Store(tracker(0))

    @property
    def shop(self) -> Store:
        """The database of the shop and of its administration; to be read."""
        return Store(shop(0))

    @property
    def atlas(self) -> Store:
        """The map's database; to be read."""
        return Store(atlas(0))

    def pick(self, choices: Sequence[Any]) -> Any:
        """One of a sequence."""
        return choices[int(self._rng.integers(len(choices)))]

    def row(self, store: Store, query: str, *given: Any) -> Row:
        """One of the rows that `query` finds in `store`, drawn; `given` fill its question marks."""
        found: Row = self.pick(store.all(query, *given))
        return found


Template = Callable[[Ask], Draft]


def answer(start: str, way: str, words: str, said: Any, hint: str) -> Draft:
    """A task of information: what a page says.

    Args:
        start: Where it begins.
        way: Address of the page that gives the answer.
        words: What is asked for, a noun phrase.
        said: The answer.
        hint: A key of `HINTS`.
    """
    judged = {"eval_types": ["string_match"], "reference_answers": {"exact_match": str(said)}}
    return Draft("information", words, start, judged, [["goto", way], ["stop", str(said)]], HINTS[hint])


def place(start: str, url: str, words: str) -> Draft:
    """A task of navigation: the page to end on.

    Args:
        start: Where it begins.
        url: The page.
        words: What it is, a noun phrase.
    """
    judged = {"eval_types": ["url_match"], "reference_url": url, "url_note": "GOLD in PRED"}
    return Draft("navigation", words, start, judged, [["goto", url], ["stop", ""]])


Target = tuple[str, str, Any]


def letter(person: str, subject: str, body: str) -> tuple[Target, ...]:
    """What must stand in the first message that the visitor sends in the forum.

    Args:
        person: Who gets it.
        subject: Of the message.
        body: Its text.
    """
    there = f"{FORUM}/messages/31"
    return (there, ".to", person), (there, "h1", subject), (there, ".body", body)


def cells(url: str, row: str, *texts: str | None) -> tuple[Target, ...]:
    """What must stand in a row of a table, each text alone in its cell.

    Args:
        url: The page.
        row: CSS selector of the row.
        texts: Of the cells in order; None for one that may hold anything.
    """
    return tuple((url, f"{row} td:nth-child({at})", text) for at, text in enumerate(texts, 1) if text is not None)


def deed(kind: str, start: str, words: str, plan: list[Step], *targets: Target) -> Draft:
    """A task that changes something.

    All that the words ask for is judged, and what a text asks for is judged to be there alone: a longer one is another.

    Args:
        kind: `content` or `configuration`.
        start: Where it begins.
        words: What to do.
        plan: How.
        targets: Page, CSS selector and what must stand there: a text for all of it, a list for parts. A selector that
            ends with `@value` is one of a field of a form, and what it holds is compared.
    """
    read = [(url, *css.partition("@")[::2], want) for url, css, want in targets]
    judged = {
        "eval_types": ["program_html"],
        "program_html": [
            {
                "url": url,
                "locator": f"document.querySelector({json.dumps(css)}).{what or 'outerText'}",
                "required_contents": {"exact_match": want} if isinstance(want, str) else {"must_include": want},
            }
            for url, css, what, want in read
        ],
    }
    return Draft(kind, words, start, judged, [*plan, ["stop", ""]])


def record(name: str, templates: Sequence[str], draft: Draft, frame: int) -> dict[str, Any]:
    """A task in WebArena's format, with the oracle's plan beside it.

    Args:
        name: Of the template.
        templates: Names of all, in order.
        draft: What the template made.
        frame: Which of the ten phrasings.
    """
    words = draft.words
    said = phrased(draft.kind, words, frame)
    text = json.dumps([draft.judged, draft.plan, draft.start])
    return {
        "sites": sorted(site for site, host in SITES.items() if host in text),
        "task_id": stream_seed("web.suite.task", name, words, frame) % 2**31,
        "require_login": True, "storage_state": None, "start_url": draft.start, "geolocation": None,
        "intent": f"{said} {draft.hint}".strip(), "intent_template": name, "intent_template_id": templates.index(name),
        "require_reset": True,
        "eval": {"reference_answers": None, "reference_url": "", "program_html": [], **draft.judged},
        "plan": draft.plan,
    }  # fmt: skip
