"""The shop's pages in the published observation modes, all from one set of HTML templates.

`html` is the page itself. `text` is its visible strings joined by ` [SEP] `. `text_rich` has one string a line, with
`[button] X [button_]` around what can be clicked, `[clicked button] X [clicked button_]` around what was, and a
leading `You have clicked X.` for each chosen option (Yao et al. 2022 and the released software). Differences from the
released software, all deliberate: strings are stripped and hold no line breaks; data cannot contain the marks; the
last page of results has no `Next >`; the page after the purchase shows the score and nothing about the goal.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache, partial
from importlib.resources import files

from jinja2 import BaseLoader, Environment, StrictUndefined, Template, TemplateNotFound

from agentgym.core.errors import unknown
from agentgym.envs.web._shop.markup import SEPARATOR, say, text_template, visible
from agentgym.envs.web._shop.products import Product

PER_PAGE = 10  # results on one page
MODES = ("text", "text_rich", "html")
SUB_PAGES = ("description", "features", "reviews", "attributes")
HOLE = "\0"  # stands for the part in a frame; no data can hold it, since control characters become spaces


class Pages:
    """Prints the shop's pages.

    Every clickable is printed as `visible(...)` of its text; a click names it in any case. The published pages also
    print `Search` as a button, which is no click: it stands for the search action.

    Args:
        mode: `text`, `text_rich` or `html`.
        show_attributes: Offer the page of the product's hidden attributes, which the published shop leaves out.

    Raises:
        UnknownName: if there is no such mode.
    """

    def __init__(self, mode: str, *, show_attributes: bool = False) -> None:
        if mode not in MODES:
            raise unknown("observation mode", mode, MODES)
        self.mode = mode
        self.show_attributes = show_attributes

    def start(self, instruction: str) -> str:
        """The page with the search box."""
        return _start_of(self.mode, instruction)

    def results(
        self,
        instruction: str,
        query: str,
        page: int,
        total: int,
        products: Sequence[Product],
        visited: Collection[str] = (),
    ) -> str:
        """One page of search results.

        Args:
            instruction: The goal in words.
            query: What was searched for; shown only in the title of the HTML page.
            page: Number of this page, from 1.
            total: Number of products found on all pages.
            products: The products on this page.
            visited: Asins of products opened before, which `text_rich` marks as clicked.
        """
        return self._render(
            "results.jinja",
            instruction=instruction,
            query=query,
            page=page,
            total=total,
            more=page * PER_PAGE < total,
            products=products,
            visited=visited,
        )

    def item(self, instruction: str, product: Product, chosen: Mapping[str, str]) -> str:
        """A product's page.

        Args:
            instruction: The goal in words.
            product: The product.
            chosen: Option names to the chosen values, as `product.options` spells them.
        """
        picked = tuple((name, chosen[name]) for name in product.options if name in chosen)
        page = self._product_page(instruction, product, "item.jinja", picked)
        if self.mode != "text_rich":
            return page
        # The released software puts each line in front of those before it.
        return "".join(f"You have clicked {visible(value)}.\n" for _, value in reversed(picked)) + page

    def sub_page(self, instruction: str, product: Product, name: str) -> str:
        """One of the pages behind a product's page.

        Args:
            instruction: The goal in words.
            product: The product.
            name: `description`, `features`, `reviews` or `attributes`.

        Raises:
            UnknownName: if there is no such page.
        """
        if name not in SUB_PAGES:
            raise unknown("page of a product", name, SUB_PAGES)
        return self._product_page(instruction, product, f"{name}.jinja")

    def done(self, reward: float) -> str:
        """The page after the purchase, with the score and nothing else about the goal."""
        return self._render("done.jinja", reward=reward)

    def _product_page(
        self, instruction: str, product: Product, template: str, picked: tuple[tuple[str, str], ...] = ()
    ) -> str:
        part = _part_of(self.mode, template, _Same(product), picked, self.show_attributes)
        head, tail = _frame_of(self.mode, instruction, _Same(product))
        return head + part + tail

    def _render(self, template: str, **values: object) -> str:
        return _rendered(self.mode, template, **values)


class _Loader(BaseLoader):
    """Finds the HTML templates among the package's files and turns them into templates of the mode."""

    def __init__(self, mode: str) -> None:
        self.mode = mode

    def get_source(self, environment: Environment, template: str) -> tuple[str, None, None]:
        """The source of `template`, a file's name, made for the mode; `environment`, which Jinja gives, is not read."""
        path = files("agentgym.envs.web._shop.templates").joinpath(template)
        if not path.is_file():
            raise TemplateNotFound(template)
        source = path.read_text(encoding="utf-8")
        return source if self.mode == "html" else text_template(source, rich=self.mode == "text_rich"), None, None


@lru_cache(maxsize=len(MODES))
def _environment(mode: str) -> Environment:
    """The compiled templates of one mode, shared by all shops of the process."""
    html = mode == "html"
    environment = Environment(
        loader=_Loader(mode),
        autoescape=html,
        finalize=_printable if html else None,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        auto_reload=False,
    )
    environment.globals.clear()  # the templates use none, and the engine copies them on every rendering
    # Filters, not functions: the engine calls them directly, at a fraction of the cost.
    environment.filters.update(say=say, row=partial(_row, mode))
    return environment


def _printable(value: object) -> object:
    """What an HTML template prints for a value; markup that is rendered already passes unchanged."""
    return visible(value) if type(value) is str else value


@cache  # as many as there are template files
def _template(mode: str, name: str) -> Template:
    return _environment(mode).get_template(name)


def _rendered(mode: str, template: str, **values: object) -> str:
    page = _template(mode, template).render(values)
    return page.removeprefix(SEPARATOR) if mode == "text" else page


@lru_cache(maxsize=1024)
def _start_of(mode: str, instruction: str) -> str:
    return _rendered(mode, "start.jinja", instruction=instruction)


class _Same:
    """Makes a product a cache key: products are equal here if they are the same object, which is quick to tell."""

    __slots__ = ("product",)

    def __init__(self, product: Product) -> None:
        self.product = product

    def __hash__(self) -> int:
        return id(self.product)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.product is self.product


@lru_cache(maxsize=1024)
def _frame_of(mode: str, instruction: str, same: _Same) -> tuple[str, str]:
    """What stands before and behind the part of a product's page that does not depend on the goal."""
    page = _rendered(mode, "product.jinja", instruction=instruction, product=same.product, part=HOLE)
    head, hole, tail = page.partition(HOLE)
    assert hole, "the frame has a place for the part"
    return head, tail


@lru_cache(maxsize=4096)
def _part_of(mode: str, template: str, same: _Same, picked: tuple[tuple[str, str], ...], show_attributes: bool) -> str:
    """The part of a product's page that does not depend on the goal."""
    return _template(mode, template).render(product=same.product, chosen=dict(picked), show_attributes=show_attributes)


@lru_cache(maxsize=4096)
def _row_of(mode: str, same: _Same, clicked: bool) -> str:
    return _template(mode, "row.jinja").render(product=same.product, clicked=clicked)


def _row(mode: str, product: Product, visited: Collection[str]) -> str:
    """The filter that prints one product of the results."""
    return _row_of(mode, _Same(product), product.asin in visited)
