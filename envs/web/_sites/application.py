"""What the sites share: a Starlette application with pages from templates, signed-in visitors and forms."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from hashlib import blake2b
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, urlencode

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from agentgym.core.errors import require
from agentgym.envs.web._browser.asgi import AppSite
from agentgym.envs.web._browser.site import Request, Response
from agentgym.envs.web._sites.database import Row, Store

SESSION = "session"


@dataclass
class Visit:
    """A request as the pages of a site see it.

    Attributes:
        path: Parts of the address that the route names.
        query: Of the address, one value each.
        form: What a form sent, one value each.
        user: Who is signed in; None for a guest.
        location: Path and query of the address.
    """

    path: Mapping[str, str]
    query: Mapping[str, str]
    form: Mapping[str, str]
    user: Row | None
    location: str
    lists: Mapping[str, list[str]] = field(default_factory=dict)

    def page(self) -> int:
        """The number of the page of a long list, from 1."""
        given = self.query.get("page", "1")
        return max(1, int(given)) if given.isascii() and given.isdigit() and len(given) < 6 else 1


@dataclass
class Answer:
    """What a page of a site answers: a template with its values, or the way to another page.

    Attributes:
        template: Its name; empty for a way.
        values: For the template.
        way: Where to go.
        status: Of HTTP.
        session: The cookie to set; None leaves it.
    """

    template: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    way: str = ""
    status: int = 200
    session: str | None = None


Page = Callable[["SiteApplication", Visit], Answer]
Routes = list[tuple[str, str, Page]]  # method, path, page


def show(template: str, status: int = 200, /, **values: Any) -> Answer:
    """Answer with a page.

    Args:
        template: Its name without ending.
        status: Of HTTP.
        values: For the template.
    """
    return Answer(f"{template}.jinja", values, status=status)


def go_to(way: str, **query: Any) -> Answer:
    """Answer with the way to another page.

    Args:
        way: Its path.
        query: What to put behind it.
    """
    return Answer(way=f"{way}?{urlencode(query)}" if query else way)


def missing(what: str) -> Answer:
    """Answer that something is not there."""
    return show("message", 404, title="Not found", text=f"There is no {what} here.")


def refused(text: str) -> Answer:
    """Answer that the visitor may not do something."""
    return show("message", 403, title="Not allowed", text=text)


def session_of(name: str) -> str:
    """The cookie of a signed-in account: no secret against anybody but a visitor who guesses."""
    return f"{name}.{blake2b(name.encode(), digest_size=8, key=b'sites of our own').hexdigest()}"


class SiteApplication:
    """A site for one episode.

    Args:
        name: The package of its templates, below this one.
        routes: Method, path and page of every address.
        store: Its database, with a table `users` that has the columns `name` and `password`.
        given: Values for every template, besides `user`, `at` and `notice`.
    """

    def __init__(self, name: str, routes: Routes, store: Store, given: Mapping[str, Any]):
        applications = require("starlette.applications", extra="web", purpose="a site of our own")
        routing = require("starlette.routing", extra="web", purpose="a site of our own")
        self._responses = require("starlette.responses", extra="web", purpose="a site of our own")
        self.store = store
        self._given = given
        self._pages = templates(name)
        self._style = style(name)
        table = [("GET", "/style.css", None), *routes, ("GET", "/{rest:path}", None)]
        self._site = AppSite(
            applications.Starlette(
                routes=[
                    routing.Route(path, self._endpoint(path, page), methods=[method]) for method, path, page in table
                ]
            )
        )

    def respond(self, request: Request) -> Response:
        """The answer to a request of the browser."""
        return self._site.respond(request)

    def state(self) -> Mapping[str, Any]:
        """All that the site knows, by table."""
        return self.store.tables()

    def _endpoint(self, path: str, page: Page | None) -> Any:
        async def endpoint(request: Any) -> Any:
            if path == "/style.css":
                return self._responses.Response(self._style, media_type="text/css")
            body = (await request.body()).decode("utf8", "replace")
            return self._send(self._answer(page, self._visit(request, body)), request)

        return endpoint

    def _answer(self, page: Page | None, visit: Visit) -> tuple[Answer, Visit]:
        return (missing("page") if page is None else page(self, visit)), visit

    def _visit(self, request: Any, body: str) -> Visit:
        lists = parse_qs(body, keep_blank_values=True)
        name = request.cookies.get(SESSION, "")
        user = self.store.one("SELECT * FROM users WHERE name = ?", name.rpartition(".")[0])
        return Visit(
            path={key: str(value) for key, value in request.path_params.items()},
            query=dict(request.query_params),
            form={key: " ".join(values[0].split(" ")).strip() for key, values in lists.items()},
            user=user if user is not None and session_of(user["name"]) == name else None,
            location=request.url.path + (f"?{request.url.query}" if request.url.query else ""),
            lists=lists,
        )

    def _send(self, answered: tuple[Answer, Visit], request: Any) -> Any:
        answer, visit = answered
        if answer.way:
            sent = self._responses.RedirectResponse(answer.way, 303)
        else:
            values = {"user": visit.user, "at": visit.location, "notice": visit.query.get("notice", ""), **self._given}
            html = self._pages.get_template(answer.template).render({**values, **answer.values})
            sent = self._responses.HTMLResponse(html, answer.status)
        if answer.session is not None:
            sent.set_cookie(SESSION, answer.session)
        return sent


def members_only(page: Page) -> Page:
    """A page for those who are signed in; others are sent to sign in.

    Args:
        page: Answers those who are.
    """

    @wraps(page)
    def checked(site: SiteApplication, visit: Visit) -> Answer:
        """The page of the `site` for a `visit` of a member; anybody else is sent to sign in, and back from there."""
        return page(site, visit) if visit.user is not None else go_to("/sign-in", back=visit.location)

    return checked


def visitor(visit: Visit) -> Row:
    """Who visits a page that only those who are signed in see."""
    assert visit.user is not None, "only pages for members ask who visits"
    return visit.user


def sign_in_page(site: SiteApplication, visit: Visit) -> Answer:
    """The form to sign in, the same on every `site`; the query of `visit` may say where it leads back to."""
    return show("sign_in", back=visit.query.get("back", "/"), wrong="", name="")


def sign_in(site: SiteApplication, visit: Visit) -> Answer:
    """Sign in with the name and password that the form of `visit` has, if they are those of a user of `site`."""
    name, back = visit.form.get("name", ""), visit.form.get("back", "/")
    found = site.store.one("SELECT * FROM users WHERE name = ?", name)
    if found is None or found["password"] != visit.form.get("password", ""):
        return show("sign_in", 422, back=back, name=name, wrong="The name or the password is wrong.")
    return Answer(way=back if back.startswith("/") and not back.startswith("//") else "/", session=session_of(name))


def sign_out(site: SiteApplication, visit: Visit) -> Answer:
    """Sign out: the answer to any `visit` of this page of a `site` ends its session."""
    return Answer(way="/", session="")


def paged(visit: Visit, count: int, size: int) -> dict[str, int]:
    """What the template of a long list is told: how many there are, and which page of how many is shown.

    Args:
        visit: Whose address says which page.
        count: Of the whole list.
        size: Of a page.
    """
    pages = max(1, math.ceil(count / size))
    page = min(visit.page(), pages)
    return {"count": count, "page": page, "pages": pages, "start": (page - 1) * size}


def money(cents: int) -> str:
    """An amount as sites write it, such as `$1,204.50`.

    Args:
        cents: The amount, in hundredths.
    """
    return f"{'-' if cents < 0 else ''}${abs(cents) // 100:,}.{abs(cents) % 100:02}"


@lru_cache(maxsize=8)
def templates(name: str) -> Environment:
    """The templates of a site, and those that all sites share; values are escaped.

    `kit` holds the shared macros: fields, warnings, orders and pages of lists. `money` writes an amount in cents.
    """
    loader = ChoiceLoader([PackageLoader(f"{__package__}.{name}", "."), PackageLoader(str(__package__), ".")])
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters["money"] = money
    made.globals["kit"] = made.get_template("kit.jinja").module
    return made


@lru_cache(maxsize=8)
def style(name: str) -> str:
    """The style sheet of a site."""
    return files(f"{__package__}.{name}").joinpath("style.css").read_text(encoding="utf8")
