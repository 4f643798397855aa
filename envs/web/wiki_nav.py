"""WikiNav: find the article a passage was taken from, following links through an encyclopaedia."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import GeneratedTasks, Spec, Task
from agentgym.envs._kit.encyclopedia.book import FAR
from agentgym.envs.web import WIKI_NAV
from agentgym.envs.web._wiki.pages import in_words, worded
from agentgym.envs.web._wiki.passages import overlap
from agentgym.envs.web._wiki.reader import choose
from agentgym.envs.web._wiki.tasks import (
    RULES,
    SCHEMA,
    TRIVIA,
    TRIVIA_RULES,
    WikiConfig,
    WikiTasks,
    panels,
    target,
)


@dataclass(slots=True)
class State:
    """The walk.

    Attributes:
        trail: Pages to go back through; the last is the one in front.
        opened: Every page that was in front, in order.
    """

    trail: list[int] = field(default_factory=list)
    opened: list[int] = field(default_factory=list)


class WikiNavEnv(WikiTasks, LanguageEnv):
    """Follow links to the article that a passage was taken from.

    Description: a generated encyclopaedia of more than 10,000 pages: continents, countries and towns, people and what
    they made, living things, wars and treaties, schools and companies, each with its own facts, which agree from page
    to page, under a tree of categories. The walk begins at `Category: Main topics`. The passage, up to four sentences
    of the hidden article with `…` in place of its name, stands on no other page.

    Observation: the quoted passage, then the page: its title, a table of facts, its text with a number behind each link
    (`Tarnholm [3]`), and the category it is filed under. A category lists its subcategories and articles, of many
    articles those that others refer to most.

    Actions: `link[<number>]`, or `link[<words>]` with the words of a link or the title it leads to; `back` to the page
    before; `stop` on the page that is thought to be the right one.

    Reward: 1 for stopping on the right article (success), 0 otherwise. The episode ends with `stop` or after 30 turns.
    `progress` tells how much nearer the page in front is than the root. At the end `info["metrics"]` holds the number
    of links of a shortest way (`hops`), of pages opened, and the share of words the passage has in common with the page
    (`overlap`), the continuous reward of the paper.

    Splits: articles are divided over `train` (without end), `val` and `test` (300 tasks each), so no article is asked
    for in two splits. Each number of hops from 2 to `hops` is equally likely in `train`. `task_kind` is that number,
    by which success is counted apart.

    Oracle: a shortest way. Expert: opens the link, of all it has seen, whose words and sentence have most in common
    with the passage, and stops where the passage stands.

    Args:
        hops: Links of the longest shortest way, 2 to 7, with a dump of your own 2 to 16.
        pages: Articles of the encyclopaedia, 1,000 to 30,000; categories come on top.
        links: Links that a page has at most, 32 to 300.
        dump: Path of a wiki of your own in place of the encyclopaedia: JSON with `root` and `pages`, each with `title`
            and `text`, in which `[[Title]]` or `[[Title|words]]` is a link. Its tasks are passages of its pages, up to
            four sentences and 10 to 120 words that stand on no other page; a page without one is no task.
        ask: `passage`, or `trivia`: in place of the passage stands a question of a quiz, which tells two or more facts
            of the article that no other article of its kind shares, without a word of its name.

    Source: WebNav (Nogueira and Cho 2016, arXiv:1602.02261), whose encyclopaedia is Wikipedia. Differences: a generated
    encyclopaedia, passages that are checked to stand on one page only, splits by article, a way back.
    """

    card = WIKI_NAV
    grammar = Grammar(
        [
            Command(
                "link[<link>]",
                "follow a link of the page, by its number or its words.",
                examples=("link[3]", "link[Geography]"),
                variants=("click[<link>]", "open[<link>]", "link <link>"),
            ),
            Command("back", "return to the page before.", examples=("back",), variants=("go back", "go_back")),
            Command("stop", "end the walk: this is the article.", examples=("stop",), variants=("stop[]",)),
        ],
        rules=RULES,
    )
    task_schema: ClassVar[Spec] = SCHEMA
    _state: State

    @classmethod
    def make_tasks(cls, config: WikiConfig) -> GeneratedTasks | None:
        """Articles and passages by seed; None where the pages are those of a dump."""
        if config.dump is not None:
            return None
        return panels(cls.card.name, config.hops, config.pages, config.links, config.ask)

    def _configured(self) -> None:
        super()._configured()
        if self.config.ask == TRIVIA:
            self.grammar = Grammar(type(self).grammar.commands, TRIVIA_RULES)

    def _reset(self, task: Task) -> str:
        self._target = target(self._book, task.spec)
        self._far = self._book.distance_to(self._target)
        self._state = State([self._book.root], [self._book.root])
        return f"{task.instruction}\n\n{in_words(self._book, self._book.root)}"

    @property
    def _here(self) -> int:
        return self._state.trail[-1]

    def _step(self, call: Call) -> Outcome:
        if call.name == "stop":
            return self._stop()
        if call.name == "back":
            if len(self._state.trail) == 1:
                return self.refuse("This is the first page; there is none to go back to.")
            self._state.trail.pop()
            page = self._here
        else:
            found = self._named(call["link"])
            if found is None:
                count = len(self._book.article(self._here).links)
                return self.refuse(f"{shorten(call['link'])!r} is no link of this page; its links are 1 to {count}.")
            page = found
            self._state.trail.append(page)
        self._state.opened.append(page)
        event = {"type": "navigate", "page": self._book.title(page)}
        return Outcome(f"{self.task.instruction}\n\n{self._view()}", events=(event,), progress=self._progressed())

    def _stop(self) -> Outcome:
        found = self._here == self._target
        article = self._book.article(self._here)
        return Outcome(
            f"You stop at {article.title}. That is {'the' if found else 'not the'} article.",
            reward=float(found), terminated=True, success=found, metrics=self._walked(), progress=self._progressed(),
        )  # fmt: skip

    def _metrics(self) -> dict[str, float] | None:
        """At the turn limit what stopping here would tell."""
        return self._walked() if self.turn >= self.max_turns else None

    def _walked(self) -> dict[str, float]:
        return {
            "hops": float(self._far[self._book.root]),
            "opened": float(len(self._state.opened)),
            "overlap": overlap(self._book, self._here, self._query(self.task.spec)),
        }

    def _progressed(self) -> float:
        left, whole = int(self._far[self._here]), int(self._far[self._book.root])
        return 0.0 if left == FAR else max(0.0, 1 - left / whole)

    def _named(self, said: str) -> int | None:
        """The page a link leads to, by number or by words; None if the page has no such link."""
        links = self._book.article(self._here).links
        if said.isascii() and said.isdigit():
            number = int(said) if len(said) < 6 else 0
            if 1 <= number <= len(links):
                return links[number - 1]
        wanted = " ".join(said.lower().split())
        for words, page in worded(self._book, self._here):
            if wanted == words:
                return page
        for page in links:
            title = self._book.title(page)
            name = self._book.world.names[page] if page < self._book.articles else title.removeprefix("Category: ")
            if wanted in (title.lower(), name.lower()):
                return page
        return None

    def _view(self) -> str:
        return in_words(self._book, self._here)

    def _admissible(self) -> list[str]:
        links = [f"link[{number}]" for number in range(1, len(self._book.article(self._here).links) + 1)]
        return [*links, *(["back"] if len(self._state.trail) > 1 else []), "stop"]

    def _oracle(self) -> str:
        if self._here == self._target:
            return "stop"
        links = self._book.article(self._here).links
        nearest = min(range(len(links)), key=lambda place: int(self._far[links[place]]))
        if self._far[links[nearest]] >= self._far[self._here] and len(self._state.trail) > 1:
            return "back"
        return f"link[{nearest + 1}]"

    def _expert(self) -> str:
        said = choose(self._book, self._query(self.task.spec), self._state.opened)
        if said == "back" and len(self._state.trail) == 1:
            return "stop"
        if isinstance(said, str):
            return said
        return f"link[{self._book.article(self._here).links.index(said[1]) + 1}]"

    def _reference(self) -> str:
        """The title of the article."""
        return str(self.task.spec["target"])
