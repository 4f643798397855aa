"""What the code host holds when an episode begins: 200 projects with all that belongs to them."""

from __future__ import annotations

import sqlite3
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from agentgym.envs.web._sites.database import ago, insert_rows, open_database, read_words
from agentgym.envs.web._sites.dice import Dice

PROJECTS, USERS, OWN = 200, 120, 6
VISITOR = "walnut"  # whose account the agent uses
PASSWORD = "correct-horse-7"
COLOURS = ("#c0392b", "#2471a3", "#1e8449", "#b9770e", "#7d3c98", "#117a65", "#922b21", "#566573")
ENDINGS = {"Python": "py", "Rust": "rs", "Go": "go", "TypeScript": "ts", "Ruby": "rb", "C": "c", "Kotlin": "kt",
           "Elixir": "ex"}  # fmt: skip
Table = list[tuple[Any, ...]]


def words() -> dict[str, Any]:
    """The code host's word lists."""
    return read_words(__package__)


class _Project:
    """A project while its content is written: what it is about, and who works on it."""

    def __init__(self, dice: Dice, number: int, team: list[int], names: list[str]):
        self._dice, self.number, self.team, self._names = dice, number, team, names
        self.parts = dice.some(words()["parts"], 5)
        self.language = dice.pick(words()["languages"])
        self.age = dice.between(200, 1500) * 1440  # minutes

    def fill(self, kind: str) -> str:
        """A sentence of a kind about the project."""
        dice = self._dice
        part, other = dice.some(self.parts, 2)
        sentence = dice.pick(words()[kind])
        given = {"part": part, "other": other, "language": self.language, "n": str(dice.between(2, 95)),
                 "version": f"{dice.between(0, 3)}.{dice.between(0, 12)}.{dice.between(0, 9)}",
                 "who": self._names[dice.pick(self.team) - 1]}  # fmt: skip
        for gap, value in given.items():
            sentence = sentence.replace("{" + gap + "}", value)
        return sentence[:1].upper() + sentence[1:]

    def text(self, kind: str, count: int) -> str:
        """Up to `count` different sentences of `kind`, a key of the word lists, about the project."""
        return " ".join(dict.fromkeys(self.fill(kind) for _ in range(count)))


def _users(dice: Dice, base: sqlite3.Connection) -> list[str]:
    given = words()
    names = [*given["groups"], VISITOR]
    rest = [name for name in given["accounts"] if name != VISITOR]
    names += rest + [f"{name}-{other}" for name in rest for other in given["first"][:6]]
    names = names[:USERS]
    insert_rows(
        base,
        "users",
        (
            (number, name, PASSWORD, ago(dice.between(900, 2900) * 1440)[:10],
             "A group of maintainers." if name in given["groups"] else f"Writes {dice.pick(given['languages'])}.",
             f"{name}@code.example", dice.pick(given["statuses"]), f"https://{name}.example")
            for number, name in enumerate(names, 1)
        ),
    )  # fmt: skip
    return names


def _projects(dice: Dice, base: sqlite3.Connection, names: list[str]) -> list[_Project]:
    given, made = words(), []
    own = names.index(VISITOR) + 1
    free = dice.some([f"{one}-{two}" for one in given["first"] for two in given["second"]], PROJECTS)
    rows, members, stars, branches = [], [], [], []
    for number, name in enumerate(free, 1):
        owner = own if number <= OWN else dice.between(1, 5) if dice.chance(40) else dice.between(6, USERS)
        team = [owner, *(one for one in dice.some(range(6, USERS + 1), dice.between(3, 9)) if one not in (owner, own))]
        if OWN < number <= OWN + 8:
            team.append(own)
        project = _Project(dice, number, team, names)
        made.append(project)
        count = dice.skewed(900)
        rows.append((number, owner, name, project.fill("descriptions"), "Private" if number == 2 else "Public",
                     project.language, dice.pick(given["licences"]), ", ".join(dice.some(given["topics"], 3)), "main",
                     ago(project.age)[:10], count, dice.skewed(80), 0, 0))  # fmt: skip
        for user in team:
            role = "Owner" if user == owner else dice.pick(given["roles"])
            role = "Maintainer" if user == own != owner else role
            members.append((number, user, role, ago(dice.below(project.age))[:10]))
        if number > OWN and dice.chance(8):
            stars.append((own, number))
        branches += [(number, branch) for branch in ("main", *(f"topic-{n}" for n in range(1, dice.between(2, 6))))]
    insert_rows(base, "projects", rows)
    insert_rows(base, "members", members)
    insert_rows(base, "stars", stars)
    insert_rows(base, "branches", branches)
    return made


def _files(dice: Dice, base: sqlite3.Connection, project: _Project, name: str) -> None:
    ending, rows = ENDINGS[project.language], []
    for path in words()["files"]:
        path = f"{path}.{ending}" if path.startswith(("src/", "tests/")) else path
        if path == "README.md":
            content = f"# {name}\n\n{project.text('wiki_texts', 4)}\n\nRun the tests with `make check`.\n"
        elif path == "LICENSE":
            content = f"{base.execute('SELECT licence FROM projects WHERE id = ?', (project.number,)).fetchone()[0]}\n"
        elif path == "CHANGELOG.md":
            content = "\n".join(f"- {project.fill('changes')}" for _ in range(12))
        elif path == "config/default.toml":
            content = f"timeout = {dice.between(1, 120)}\nworkers = {dice.between(1, 32)}\n"
            content += f"port = {dice.between(3000, 9000)}\n"
        else:
            content = "\n".join(project.text("wiki_texts", 2) for _ in range(dice.between(2, 6)))
        rows.append((project.number, path, content, ago(dice.below(project.age))[:10]))
    insert_rows(base, "files", rows)


def _history(dice: Dice, base: sqlite3.Connection, project: _Project) -> None:
    """Commits and wiki pages."""
    moments = sorted((dice.below(project.age) for _ in range(dice.between(12, 40))), reverse=True)
    rows = []
    for place, moment in enumerate(moments):
        sha = blake2b(f"{project.number}/{place}".encode(), digest_size=20).hexdigest()
        author = project.team[dice.skewed(len(project.team))]
        rows.append((None, project.number, sha, author, project.fill("changes"), ago(moment), dice.skewed(400) + 1,
                     dice.skewed(200)))  # fmt: skip
    insert_rows(base, "commits", rows)
    pages = dice.some(words()["wiki"], dice.between(2, 5))
    insert_rows(
        base,
        "wiki",
        (
            (None, project.number, title.lower().replace(" ", "-"), title, project.text("wiki_texts", 5),
             dice.pick(project.team), ago(dice.below(project.age)))
            for title in sorted(pages)
        ),
    )  # fmt: skip


def _items(dice: Dice, base: sqlite3.Connection, project: _Project, counts: list[int]) -> None:
    """Labels, milestones, issues and merge requests with their comments; `counts` holds the last ids of them."""
    given, number = words(), project.number
    labels = [(counts[0] + place, number, name, COLOURS[place]) for place, name in enumerate(given["labels"])]
    counts[0] += len(labels)
    dues = sorted(ago(dice.between(-300, 400) * 1440)[:10] for _ in range(4))
    milestones = [
        (counts[1] + place, number, title, due, "open" if place else "closed")
        for place, (title, due) in enumerate(zip(given["milestones"], dues, strict=False))
    ]
    counts[1] += len(milestones)
    insert_rows(base, "labels", labels)
    insert_rows(base, "milestones", milestones)
    rows: Table = []
    marks: Table = []
    comments: Table = []
    for kind, count in (("issue", 12 + dice.skewed(60)), ("request", 4 + dice.skewed(18))):
        moments = sorted((dice.below(project.age - 100) + 60 for _ in range(count)), reverse=True)
        for place, moment in enumerate(moments, 1):
            counts[2] += 1
            state = "open" if dice.chance(45) else "merged" if kind == "request" and dice.chance(75) else "closed"
            milestone = dice.pick(milestones)[0] if dice.chance(40) else 0
            title = project.fill("titles" if kind == "issue" else "changes")
            assignee = dice.pick(project.team) if dice.chance(60) else 0
            rows.append((counts[2], number, kind, place, title, project.text("bodies", 3), dice.pick(project.team),
                         assignee, milestone, state, ago(moment), "" if state == "open" else ago(dice.below(moment)),
                         f"topic-{place}" if kind == "request" else "", "main",
                         int(kind == "issue" and counts[2] % 23 == 7)))  # fmt: skip
            marks += [(counts[2], label[0]) for label in dice.some(labels, dice.skewed(3))]
            for _ in range(dice.skewed(7)):
                said = project.fill("comments")
                comments.append((None, counts[2], dice.pick(project.team), said, ago(dice.below(moment))))
    insert_rows(base, "items", rows)
    insert_rows(base, "item_labels", marks)
    insert_rows(base, "comments", comments)


@lru_cache(maxsize=2)
def original(seed: int = 0) -> sqlite3.Connection:
    """The code host's database as every episode finds it; to be copied, never changed."""
    base = open_database(__package__)
    dice = Dice("web.sites.forge", seed)
    names = _users(dice, base)
    counts = [1, 1, 0]
    for project in _projects(dice, base, names):
        name = base.execute("SELECT name FROM projects WHERE id = ?", (project.number,)).fetchone()[0]
        _files(dice, base, project, name)
        _history(dice, base, project)
        _items(dice, base, project, counts)
    base.commit()
    return base
