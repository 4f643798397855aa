"""A browser of the tests for sites of our own: documents, forms and addresses, without scripts or pictures.

It does the plans of oracles in milliseconds, and shows judges what they look for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode, urljoin, urlsplit

from agentgym.envs.web._browser.site import Request, Site

VOID = {"input", "br", "hr", "img", "meta", "link"}
LINES = {"p", "li", "dt", "dd", "tr", "div", "h1", "h2", "h3", "br", "table", "ul", "ol", "dl", "section", "aside"}
PART = re.compile(r":has\(([^)]*)\)|:nth-child\((\d+)\)|:(last)-child|#([\w-]+)|\.([\w-]+)|\[([\w-]+)='?([^\]']*)'?\]")
TEXT = re.compile(r'document\.querySelector\((".*?"|\'.*?\')\)\.(outerText|value|getAttribute\(\'([\w-]+)\'\))')
EACH = re.compile(r"Array\.from\(document\.querySelectorAll\('(.*)'\)\)\.map\(one => one\.id\)\.join\('(.*)'\)")
ROLES = {"textbox": ("input", "textarea"), "password box": ("input",), "combobox": ("select",), "checkbox": ("input",)}


class Element:
    """An element of a document."""

    def __init__(self, tag: str, given: Mapping[str, str], parent: Element | None):
        self.tag, self.given, self.parent = tag, dict(given), parent
        self.inside: list[Element | str] = []

    @property
    def elements(self) -> list[Element]:
        return [one for one in self.inside if isinstance(one, Element)]

    def all(self) -> Iterator[Element]:
        for one in self.elements:
            yield one
            yield from one.all()

    def within(self, tag: str) -> Element | None:
        here = self.parent
        while here is not None and here.tag != tag:
            here = here.parent
        return here

    @property
    def text(self) -> str:
        """What a page shows of it, nearly as `outerText` gives it."""
        parts = [one if isinstance(one, str) else one.text for one in self.inside]
        return "".join(parts) + ("\n" if self.tag in LINES else "\t" if self.tag in ("td", "th") else "")

    def fits(self, part: str) -> bool:
        tag = re.match(r"\w+", part)
        if tag and tag[0] != self.tag:
            return False
        for has, nth, last, own, kind, key, value in PART.findall(part):
            beside = self.parent.elements if self.parent else [self]
            fine = (
                self.find(has) is not None if has
                else beside.index(self) + 1 == int(nth) if nth
                else beside[-1] is self if last
                else self.given.get("id") == own if own
                else kind in self.given.get("class", "").split() if kind
                else self.given.get(key) == value
            )  # fmt: skip
            if not fine:
                return False
        return True

    def find_all(self, css: str) -> list[Element]:
        *above, last = re.findall(r"(?:\[[^\]]*\]|\([^)]*\)|\S)+", css)
        return [one for one in self.all() if one.fits(last) and one.below(above)]

    def find(self, css: str) -> Element | None:
        return next(iter(self.find_all(css)), None)

    def below(self, above: Sequence[str]) -> bool:
        here, wanted = self.parent, list(above)
        while here is not None and wanted:
            if here.fits(wanted[-1]):
                wanted.pop()
            here = here.parent
        return not wanted

    @property
    def name(self) -> str:
        """What assistive technology calls it."""
        if "aria-label" in self.given:
            return self.given["aria-label"]
        label = self.within("label")
        shown = self.inside if self.tag == "button" else label.inside if label else []
        return " ".join("".join(one if isinstance(one, str) else "" for one in shown).split())

    @property
    def options(self) -> list[str]:
        return [one.text for one in self.find_all("option")]

    @property
    def value(self) -> str:
        if self.tag == "select":
            every = self.find_all("option")
            chosen = next((one for one in every if "selected" in one.given), every[0])
            return chosen.given.get("value", chosen.text)
        return self.text if self.tag == "textarea" else self.given.get("value", "")

    @value.setter
    def value(self, new: str) -> None:
        if self.tag == "select":
            if new not in self.options:
                raise LookupError(f"{new!r} is none of {self.options}")
            for one in self.find_all("option"):
                one.given.pop("selected", None)
                if one.text == new:
                    one.given["selected"] = ""
        elif self.tag == "textarea":
            self.inside = [new]
        else:
            self.given["value"] = new


class _Reader(HTMLParser):
    def __init__(self, text: str):
        super().__init__()
        self.top = self.here = Element("top", {}, None)
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {key: value or "" for key, value in attrs}, self.here)
        self.here.inside.append(made)
        self.here = self.here if tag in VOID else made

    def handle_endtag(self, tag: str) -> None:
        here: Element | None = self.here
        while here is not None and here.tag != tag:
            here = here.parent
        self.here = here.parent if here is not None and here.parent is not None else self.here

    def handle_data(self, data: str) -> None:
        self.here.inside.append(data)


class PlainBrowser:
    """One tab over some sites; for judges, a view as they ask for it.

    Args:
        sites: By host.
        cookies: The session of the visitor, by host.
    """

    def __init__(self, sites: Mapping[str, Site], cookies: Mapping[str, str]):
        self._sites, self._cookies = sites, cookies
        self.url, self.status, self.page = "about:blank", 200, Element("top", {}, None)

    def open(self, url: str, form: Sequence[tuple[str, str]] | None = None) -> None:
        """Open an address, or send a form to it; redirections are followed."""
        for _ in range(10):
            host = urlsplit(url).netloc
            head = {"cookie": f"session={self._cookies[host]}"}
            body = b"" if form is None else urlencode(form).encode()
            answer = self._sites[host].respond(Request("GET" if form is None else "POST", url, head, body))
            self.url, self.status = url, answer.status
            if answer.status != 303:
                self.page = _Reader(answer.body.decode()).top
                return
            url, form = urljoin(url, answer.headers["location"]), None
        raise AssertionError(f"{url} redirects without an end")

    def element(self, words: str) -> Element:
        """The first element of a role and a name, such as `textbox "Title"`."""
        role, _, name = words.partition(' "')
        name = json.loads(f'"{name}')
        for one in self.page.all():
            kind = one.given.get("type", "text")
            boxed = {"checkbox": kind == "checkbox", "password box": kind == "password",
                     "textbox": kind in ("text", "search", "email")}  # fmt: skip
            fits = one.tag in ROLES.get(role, (role,)) and boxed.get(role, True)
            if fits and one.name == name:
                return one
        raise LookupError(f"there is no {words} on {self.url}")

    def fields(self, form: Element) -> list[Element]:
        """The fields of a form that a visitor can see."""
        tags = ("input", "textarea", "select")
        return [one for one in form.all() if one.tag in tags and one.given.get("type") != "hidden"]

    def do(self, step: Sequence[str]) -> None:
        """Do a step of a plan."""
        deed, *given = step
        if deed == "goto":
            self.open(given[0])
        elif deed in ("fill", "select"):
            self.element(given[0]).value = given[1]
        elif deed in ("check", "uncheck"):
            box = self.element(given[0]).given
            box.pop("checked", None)
            box.update({"checked": ""} if deed == "check" else {})
        elif deed == "click":
            self.press(self.element(given[0]))
        else:
            assert deed == "stop", step

    def press(self, button: Element) -> None:
        """Send the form of a button."""
        form = button.within("form")
        assert form is not None, "buttons of these sites send forms"
        sent = [(one.given["name"], one.value) for one in form.all() if one.tag in ("input", "textarea", "select")
                and (one.given.get("type") != "checkbox" or "checked" in one.given)]  # fmt: skip
        if "name" in button.given:
            sent.append((button.given["name"], button.value))
        way = urljoin(self.url, form.given.get("action", ""))
        if form.given.get("method") == "post":
            self.open(way, sent)
        else:
            self.open(f"{way}?{urlencode(sent)}")

    def evaluate(self, script: str) -> str | None:
        """What the scripts of our judges give."""
        every = EACH.fullmatch(script)
        if every:
            return every[2].join(one.given.get("id", "") for one in self.page.find_all(every[1]))
        found = TEXT.fullmatch(script)
        assert found, f"{script} is none of the scripts that judges have"
        css = json.loads(found[1]) if found[1][0] == '"' else found[1][1:-1]
        one = self.page.find(css)
        if one is None:
            return None
        if found[3]:
            return one.given.get(found[3])
        return one.value if found[2] == "value" else re.sub(r"[ \r]+", " ", one.text).strip()

    def content(self) -> str:
        """No judge of ours reads a whole document."""
        raise AssertionError("no judge of ours reads a whole document")

    def request(self, url: str, headers: Mapping[str, str], body: Any = None) -> Any:
        """No judge of ours asks a site by itself."""
        raise AssertionError(f"no judge of ours asks {url} by itself")
