"""Shows a page: in words, with a number behind each link, and as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from html import escape
from urllib.parse import quote

from agentgym.envs._kit.encyclopedia.book import Book
from agentgym.envs._kit.encyclopedia.prose import MARK, Article

HOST = "wiki.test"
START = f"http://{HOST}/wiki/Main_topics"
PREFIX = "Category: "


@lru_cache(maxsize=4096)
def in_words(book: Book, page: int) -> str:
    """The `page` of `book`, by number, as the agent reads it; `Tarnholm [3]` is link 3."""
    article = book.article(page)
    parts = [f"Page: {article.title}"]
    if article.table:
        parts.append(" | ".join(f"{label}: {value}" for label, value in article.table))
    for heading, said in article.sections:
        if heading:
            parts.append(f"== {heading} ==")
        parts.append(MARK.sub(r"\2 [\1]", ("; " if heading in ("Subcategories", "Articles") else " ").join(said)))
    for number in article.categories:
        foot = book.title(article.links[number - 1])
        parts.append(f"{foot} [{number}]")
    return "\n".join(parts)


def worded(book: Book, page: int) -> Iterator[tuple[str, int]]:
    """The words of each link in the text of the `page` of `book`, in lower case, and the page that it leads to."""
    article = book.article(page)
    for _, said in article.sections:
        for sentence in said:
            for match in MARK.finditer(sentence):
                yield " ".join(match[2].lower().split()), article.links[int(match[1]) - 1]


def path(book: Book, page: int) -> str:
    """The path at which `page` of `book`, by number, stands on the site, quoted."""
    return "/wiki/" + quote(
        book.title(page).removeprefix(PREFIX if page == book.root else "").replace(" ", "_"), safe="():,'"
    )


def page_of(book: Book, title: str) -> int | None:
    """The page of `book` whose `title` is the last part of an address, decoded; None if there is none."""
    title = title.replace("_", " ")
    if title.startswith(PREFIX):
        return book.category(title.removeprefix(PREFIX))
    return book.root if title == book.title(book.root).removeprefix(PREFIX) else book.find(title)


def in_html(book: Book, page: int) -> str:
    """The `page` of `book`, by number, as people see it: a whole document."""
    article = book.article(page)
    title = escape(article.title)
    body = "".join(_section(book, article, heading, said) for heading, said in article.sections)
    if page < book.articles:
        name = escape(book.world.names[page])
        body = re.sub(rf"(?<![\w>]){re.escape(name)}(?!\w)", f"<b>{name}</b>", body, count=1)
    rows = "".join(f"<tr><th>{escape(label)}</th><td>{escape(value)}</td></tr>" for label, value in article.table)
    table = f'<table class="facts"><caption>{title}</caption>{rows}</table>' if rows else ""
    foot = "".join(_link(book, article, number, book.title(article.links[number - 1])) for number in article.categories)
    foot = f'<nav class="filed" aria-label="Categories">{foot}</nav>' if foot else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<link rel="stylesheet" href="/wiki.css"></head><body>'
        '<header><p class="name">The Encyclopaedia</p></header>'
        f"<main><h1>{title}</h1>{table}{body}{foot}</main></body></html>"
    )


def _section(book: Book, article: Article, heading: str, said: tuple[str, ...]) -> str:
    shown = [
        "".join(
            escape(part) if place % 3 == 0 else _link(book, article, int(part), after) if place % 3 == 1 else ""
            for place, (part, after) in enumerate(zip(parts, [*parts[1:], ""], strict=True))
        )
        for parts in map(MARK.split, said)
    ]
    head = f"<h2>{escape(heading)}</h2>" if heading else ""
    if heading in ("Subcategories", "Articles"):
        return f"{head}<ul>{''.join(f'<li>{each}</li>' for each in shown)}</ul>"
    return f"{head}<p>{' '.join(shown)}</p>"


def _link(book: Book, article: Article, number: int, words: str) -> str:
    return f'<a href="{path(book, article.links[number - 1])}">{escape(words)}</a>'
