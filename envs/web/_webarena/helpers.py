"""The helper functions that WebArena's config files call by name: a fixed table, nothing of a file is run as Python.

They are `reddit_get_post_url`, `shopping_get_latest_order_url`, `shopping_get_sku_latest_review_author` and `_rating`,
and `gitlab_get_project_memeber_role` (so spelt) of WebArena (Zhou et al. 2024, arXiv:2307.13854).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlencode, urlsplit

from agentgym.core.errors import EngineFailure

CALL = re.compile(r"func:(\w+)\((.*)\)\s*", re.DOTALL)
ARGUMENT = re.compile(r"\s*(?:'([^'\\]*)'|\"([^\"\\]*)\"|(__page__))\s*(?:,|$)")
# The account that the published shop is delivered with; the helpers read its orders and reviews as it.
SHOP_ADMIN = {"username": "admin", "password": "admin1234"}


class View(Protocol):
    """What evaluators see of the browser: the page in front of them, which may be another than the agent's last."""

    @property
    def url(self) -> str:
        """Address of the page."""

    def open(self, url: str) -> None:
        """Open an address."""

    def content(self) -> str:
        """The page's document as HTML."""

    def evaluate(self, script: str) -> str | None:
        """The value of a script's expression in the page, as text; None if the script fails."""

    def request(self, url: str, headers: Mapping[str, str], body: Any = None) -> Any:
        """The JSON that a site answers.

        Args:
            url: What is asked, of a host that is allowed.
            headers: Sent along; the agent's cookies are not.
            body: JSON-safe, for a POST; None for a GET.
        """


class Helper(NamedTuple):
    """A call of a helper: its name and its arguments as texts."""

    name: str
    arguments: tuple[str, ...]


def read_helper(text: str, table: Mapping[str, tuple[int, Any]]) -> Helper | None:
    """The call that a config names, such as `func:reddit_get_post_url('__last_url__')`; None if it is none of a table.

    Args:
        text: From the config.
        table: The helpers allowed in this place: how many arguments they take, and what they do.
    """
    match = CALL.fullmatch(text.strip())
    if match is None or match[1] not in table:
        return None
    arguments, place = [], 0
    while place < len(match[2]):
        argument = ARGUMENT.match(match[2], place)
        if argument is None:
            return None
        arguments.append(next(part for part in argument.groups() if part is not None))
        place = argument.end()
    return Helper(match[1], tuple(arguments)) if len(arguments) == table[match[1]][0] else None


def reddit_get_post_url(view: View, addresses: Mapping[str, str], url: str) -> str:
    """The address of the post that a page of a comment belongs to; other addresses as they are.

    Of `view` and `addresses`, which every helper is given, nothing is needed: the page's `url` tells it.
    """
    parts = urlsplit(url)
    steps = parts.path.split("/")
    if len(steps) < 4 or steps[1] != "f":
        return url
    return f"{parts.scheme}://{parts.netloc}/f/{steps[2]}/{steps[3]}/"


def _authorized(view: View, shop: str) -> dict[str, str]:
    kind = {"content-type": "application/json"}
    token = view.request(f"{shop}/rest/default/V1/integration/admin/token", kind, SHOP_ADMIN)
    return {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}


def shopping_get_latest_order_url(view: View, addresses: Mapping[str, str]) -> str:
    """The customer's page of the newest order, asked through `view` of the shop that `addresses` name."""
    shop = addresses["SHOPPING"]
    newest = {
        "searchCriteria[sortOrders][0][field]": "created_at",
        "searchCriteria[sortOrders][0][direction]": "DESC",
        "searchCriteria[pageSize]": "1",
    }
    found = view.request(f"{shop}/rest/V1/orders?{urlencode(newest)}", _authorized(view, shop))
    try:
        number = int(found["items"][0]["increment_id"])
    except (LookupError, TypeError, ValueError):
        raise EngineFailure(f"the shop lists no order: {str(found)[:80]}") from None
    return f"{shop}/sales/order/view/order_id/{number}/"


def _latest_review(view: View, addresses: Mapping[str, str], sku: str) -> Mapping[str, Any] | None:
    shop = addresses["SHOPPING"]
    found = view.request(f"{shop}/rest/V1/products/{sku}/reviews", _authorized(view, shop))
    return found[-1] if found else None


def shopping_get_sku_latest_review_author(view: View, addresses: Mapping[str, str], sku: str) -> str:
    """Who wrote the newest review of a product; empty if there is none.

    The product is `sku`, asked through `view` of the shop that `addresses` name.
    """
    review = _latest_review(view, addresses, sku)
    return "" if review is None else str(review["nickname"])


def shopping_get_sku_latest_review_rating(view: View, addresses: Mapping[str, str], sku: str) -> str:
    """The rating of the newest review of a product in per cent; empty if there is none.

    The product is `sku`, asked through `view` of the shop that `addresses` name.
    """
    review = _latest_review(view, addresses, sku)
    return "" if review is None else str(review["ratings"][0]["percent"])


ROLE = """(() => {
  const names = [...document.querySelectorAll("td[data-label='Account'] span.gl-avatar-labeled-sublabel")];
  const place = names.findIndex(one => one.outerText === '@' + %s);
  return document.querySelectorAll("td.col-max-role span")[place].outerText;
})()"""


def gitlab_get_project_memeber_role(view: View, addresses: Mapping[str, str], page: str, account: str) -> str:
    """The role that the page of a project's members shows for an account; empty if it shows none.

    Args:
        view: With that page in front.
        addresses: The sites; not read.
        page: `__page__` in the config, for the page in front; not read.
        account: Name of the account, without `@`.
    """
    return view.evaluate(ROLE % json.dumps(account)) or ""


Function = Callable[..., str]
AS_URL: dict[str, tuple[int, Function]] = {
    "reddit_get_post_url": (1, reddit_get_post_url),
    "shopping_get_latest_order_url": (0, shopping_get_latest_order_url),
}
AS_LOCATOR: dict[str, tuple[int, Function]] = {
    "shopping_get_sku_latest_review_author": (1, shopping_get_sku_latest_review_author),
    "shopping_get_sku_latest_review_rating": (1, shopping_get_sku_latest_review_rating),
    "gitlab_get_project_memeber_role": (2, gitlab_get_project_memeber_role),
}
