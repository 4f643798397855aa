"""Screens of the apps: which one an address names, and its words for the shell that shows it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from markupsafe import Markup

from agentgym.envs.web._sites.application import Answer, Page, Routes, SiteApplication, Visit, missing, templates
from agentgym.envs.web._sites.device import agenda, clock, contacts, folders, messages, notes, settings

APPS = ("Settings", "Files", "Messages", "Calendar", "Contacts", "Clock", "Notes")
ROUTES: Routes = [
    *settings.ROUTES, *folders.ROUTES, *messages.ROUTES, *agenda.ROUTES, *contacts.ROUTES, *clock.ROUTES, *notes.ROUTES,
]  # fmt: skip
PARTS = {"int": "[0-9]{1,9}", "str": "[^/]+"}


@dataclass(frozen=True)
class Shown:
    """What an app answers: where to go on, or its screen.

    Attributes:
        way: Path within the device; empty for a screen.
        html: The screen.
        status: Of HTTP.
    """

    way: str
    html: Markup
    status: int = 200


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[str, re.Pattern[str], Page]]:
    def part(found: re.Match[str]) -> str:
        return f"(?P<{found[1]}>{PARTS[found[2] or 'str']})"

    return [(method, re.compile(re.sub(r"\{(\w+)(?::(\w+))?\}", part, path)), page) for method, path, page in ROUTES]


def find_screen(method: str, path: str) -> tuple[Page | None, Mapping[str, str]]:
    """The page of an address, and what the address names; None if there is none.

    Args:
        method: `GET` or `POST`.
        path: Within the device, such as `/notes/3`.
    """
    for wanted, pattern, page in _patterns():
        found = pattern.fullmatch(path)
        if wanted == method and found:
            return page, found.groupdict()
    return None, {}


def app_of(location: str) -> str:
    """The app that an address belongs to; empty for none.

    Args:
        location: Path and query within the device.
    """
    head = location.lstrip("/").partition("/")[0].partition("?")[0]
    return next((name for name in APPS if name.lower() == head), "")


def show_screen(site: SiteApplication, method: str, location: str, base: str, sent: Visit | None = None) -> Shown:
    """Ask the app of an address.

    Args:
        site: The device.
        method: `GET` or `POST`.
        location: Path and query within the device.
        base: What stands before the paths of links.
        sent: The request of which a form is taken.
    """
    url = urlsplit(location)
    page, named = find_screen(method, url.path)
    query = dict(parse_qsl(url.query, keep_blank_values=True))
    form, lists = (sent.form, sent.lists) if sent is not None else ({}, {})
    visit = Visit(path=named, query=query, form=form, user=None, location=location, lists=lists)
    answer = missing("screen") if page is None else page(site, visit)
    return Shown(answer.way, Markup("") if answer.way else _rendered(site, answer, query, base), answer.status)


def _rendered(site: SiteApplication, answer: Answer, query: Mapping[str, str], base: str) -> Markup:
    given: dict[str, Any] = {"base": base, "notice": query.get("notice", ""), "now": site.store.now, "wrong": ""}
    return Markup(templates("device").get_template(answer.template).render({**given, **answer.values}))
