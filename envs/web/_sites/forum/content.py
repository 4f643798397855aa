"""What stands in the forum when an episode begins: 36 boards, 20,000 posts and replies, 700 accounts."""

from __future__ import annotations

import sqlite3
from functools import lru_cache
from typing import Any

from agentgym.envs.web._sites.database import ago, insert_rows, open_database, read_words
from agentgym.envs.web._sites.dice import Dice

POSTS, REPLIES, USERS = 4_000, 16_000, 700
VISITOR = "plainwalnut"  # whose account the agent uses
PASSWORD = "correct-horse-7"
Table = list[tuple[Any, ...]]


def words() -> dict[str, Any]:
    """The forum's word lists."""
    return read_words(__package__)


class _Writer:
    """Sentences about a subject."""

    def __init__(self, dice: Dice):
        self._dice = dice
        self._words = words()

    def fill(self, sentence: str, subject: str) -> str:
        """The `sentence` with its gaps filled: `subject` in `{s}`, what is drawn in the others."""
        given = self._words
        for gap, choices in (("who", "whose"), ("period", "periods"), ("place", "places"), ("day", "days"),
                             ("opinion", "opinions")):  # fmt: skip
            while "{" + gap + "}" in sentence:
                sentence = sentence.replace("{" + gap + "}", self._dice.pick(given[choices]), 1)
        sentence = sentence.replace("{n}", str(self._dice.between(3, 45)))
        sentence = sentence.replace("{money}", f"${self._dice.between(2, 90) * 5}").replace("{s}", subject)
        return sentence[:1].upper() + sentence[1:]

    def text(self, kind: str, subject: str, count: int) -> str:
        """Up to `count` different sentences of `kind`, a key of the word lists, about `subject`."""
        chosen = self._dice.some(self._words[kind], count)
        return " ".join(self.fill(sentence, subject) for sentence in chosen)


def _users(dice: Dice, base: sqlite3.Connection) -> None:
    given = words()
    names = [one + two for one in given["first"] for two in given["second"]]
    chosen = [VISITOR, *(name for name in dice.some(names, USERS + 1) if name != VISITOR)][:USERS]
    insert_rows(
        base,
        "users",
        (
            (number, name, PASSWORD, ago(dice.between(700, 2800) * 1440)[:10], dice.pick(given["about"]),
             f"{name}@post.example", dice.pick(given["places"]))
            for number, name in enumerate(chosen, 1)
        ),
    )  # fmt: skip


def _boards(dice: Dice, base: sqlite3.Connection) -> list[list[int]]:
    """Fill boards, moderators and subscriptions; the members of each board, those that write most first."""
    boards, moderators, subscriptions, members = [], [], [], []
    for number, board in enumerate(words()["boards"], 1):
        subjects = ", ".join(board["subjects"][:3])
        told = f"{board['title']}: {subjects} and whatever else belongs here. Be kind, and search before you ask."
        boards.append(
            (number, board["name"], board["title"], board["group"], told, ago(dice.between(1500, 2900) * 1440)[:10])
        )
        who = dice.some(range(2, USERS + 1), dice.between(60, 160))
        members.append(who)
        moderators += [(number, user) for user in who[:2]]
        subscriptions += [(user, number) for user in who]
    moderated = dice.some(range(1, len(boards) + 1), 4)
    moderators += [(number, 1) for number in moderated]
    subscriptions += [(1, number) for number in sorted({*moderated, *dice.some(range(1, len(boards) + 1), 5)})]
    insert_rows(base, "boards", boards)
    insert_rows(base, "moderators", moderators)
    insert_rows(base, "subscriptions", subscriptions)
    return members


def _posts(dice: Dice, base: sqlite3.Connection, members: list[list[int]]) -> None:
    writer, given = _Writer(dice), words()
    made: list[list[Any]] = []
    titles: set[tuple[int, str]] = set()
    moments = sorted((dice.below(500 * 1440) for _ in range(POSTS)), reverse=True)
    subjects: list[str] = []
    for number, moment in enumerate(moments, 1):
        board = 1 + dice.below(len(given["boards"]))
        for _ in range(40):
            subject = dice.pick(given["boards"][board - 1]["subjects"])
            title = writer.fill(dice.pick(given["titles"]), subject)
            if (board, title) not in titles:
                break
        titles.add((board, title))
        author = 1 if dice.chance(1) else members[board - 1][dice.skewed(len(members[board - 1]))]
        body = writer.text("bodies", subject, dice.between(2, 6))
        subjects.append(subject)
        made.append([number, board, author, title, body, dice.pick(given["flairs"]), ago(moment),
                     dice.skewed(900) - 5, 0, int(dice.chance(1)), int(dice.chance(3)), 0, ""])  # fmt: skip
    said: list[list[Any]] = []
    for number in range(1, REPLIES + 1):
        place = dice.skewed(POSTS)
        place = (place * 7919) % POSTS  # threads with many replies stand anywhere
        post = made[place]
        post[8] += 1
        who = members[post[1] - 1]
        author = 1 if dice.chance(1) else who[dice.skewed(len(who))]
        moment = moments[place] - 1 - dice.below(max(1, min(moments[place] - 1, 9000)))
        said.append([number, place + 1, 0, author, writer.text("replies", subjects[place], dice.between(1, 3)),
                     ago(max(0, moment)), dice.skewed(120) - 3, 0, ""])  # fmt: skip
    by_post: dict[int, list[Any]] = {}
    for reply in said:  # half of the replies answer an earlier one of the same post
        earlier = by_post.setdefault(reply[1], [])
        if earlier and dice.chance(50):
            reply[2] = dice.pick(earlier)
        earlier.append(reply[0])
    insert_rows(base, "posts", map(tuple, made))
    insert_rows(base, "replies", map(tuple, said))


def _rest(dice: Dice, base: sqlite3.Connection) -> None:
    """Messages, saved posts, and reports for the boards that the visitor moderates."""
    writer, given = _Writer(dice), words()
    letters: Table = []
    for number in range(1, 31):
        subject = dice.pick(dice.pick(given["boards"])["subjects"])
        sender = 1 + dice.between(1, USERS - 1)
        letters.append((number, sender, 1, f"About {subject}", writer.text("bodies", subject, 2),
                        ago(30 * 1440 - number * 1400), int(dice.chance(70))))  # fmt: skip
    insert_rows(base, "messages", letters)
    insert_rows(base, "saved", ((1, post) for post in dice.some(range(1, POSTS + 1), 12)))
    own = base.execute("SELECT id FROM posts WHERE board IN (SELECT board FROM moderators WHERE user = 1)").fetchall()
    reasons = ("spam", "rude", "off topic", "asked before")
    insert_rows(
        base,
        "reports",
        (
            (number, row["id"], dice.between(2, USERS), dice.pick(reasons), ago(4000 - 100 * number), 0)
            for number, row in enumerate(dice.some(own, 16), 1)
        ),
    )


@lru_cache(maxsize=2)
def original(seed: int = 0) -> sqlite3.Connection:
    """The forum's database as every episode finds it; to be copied, never changed."""
    base = open_database(__package__)
    dice = Dice("web.sites.forum", seed)
    _users(dice, base)
    _posts(dice, base, _boards(dice, base))
    _rest(dice, base)
    base.commit()
    return base
