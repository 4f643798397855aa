"""Notes, files and plans."""

from __future__ import annotations

from datetime import timedelta

from agentgym.envs.tools._office.people import words
from agentgym.envs.tools._office.people.circle import Person, Town

HABIT_DAYS, BILL_MONTHS = 24, 14


def _boxes(town: Town, things: list[str], done: int) -> str:
    """A checklist; so many of a hundred are ticked."""
    return "\n".join(f"[{'x' if town.draw.chance(done) else ' '}] {thing}" for thing in things)


def note(town: Town) -> None:
    """Notes of trips, lists, habits, books and ideas."""
    draw = town.draw
    for person in town.people:
        found: list[tuple[str, str, str, str]] = []
        cities = draw.some(words.CITIES, 5)
        for city in cities[:3]:
            friends = draw.some(town.of(person, "roommate", "friend", "coworker"), 4)
            payers = [person, *[each for each in friends if each.number >= 0][:3]]
            found.append((f"Expenses of the trip to {city}", "travel", _expenses(town, payers), town.past(90)))
        for city in cities[2:]:
            things = draw.some(words.PACKING, draw.between(6, 10))
            found.append((f"Packing list for {city}", "travel", _boxes(town, things, 45), town.past(60)))
        goods = [row[1] for row in draw.some(town.rows["products"], draw.between(5, 8))]
        found.append(("Shopping list", "lists", _boxes(town, goods, 45), town.past(5)))
        songs = [row[1] for row in draw.some(town.rows["songs"], draw.between(6, 9))]
        found.append(("Songs to hear", "lists", _boxes(town, songs, 35), town.past(15)))
        chores = draw.some([f"{a} the {b}" for a in words.VERBS for b in words.THINGS], draw.between(6, 9))
        found.append(("Chores", "lists", _boxes(town, chores, 40), town.past(10)))
        books = [f"{title}, {draw.between(90, 640)} pages" for title in draw.some(words.BOOKS, 6)]
        found.append(("Reading list", "lists", "\n".join(books), town.past(200)))
        for day in range(1, HABIT_DAYS + 1):
            body = _boxes(town, words.HABITS, 55)
            found.append((f"Habits {town.clock.day(-day)}", "habits", body, f"{town.clock.day(-day)} 21:30"))
        for topic in draw.some(words.TOPICS, 6):
            lines = "\n".join(draw.some(words.IDEAS, 3))
            found.append((f"Ideas for the {topic}", "work", lines, town.past(300)))
        for title, notebook, body, at in sorted(found, key=lambda each: each[3]):
            town.add("notes", person.number, title, notebook, body, at, int(draw.chance(12)))


def _expenses(town: Town, payers: list[Person]) -> str:
    draw = town.draw
    lines = []
    for what in draw.some(words.EXPENSES, draw.between(5, 8)):
        cents = draw.between(6, 140) * 100 + draw.of([0, 50, 80])
        lines.append(f"{draw.of(payers).name} paid ${cents / 100:.2f} for {what}")
    return "\n".join(lines)


def file(town: Town) -> None:
    """Files: bills by month, documents, pictures, what was downloaded; some are shared."""
    draw = town.draw
    for person in town.people:
        for utility in words.UTILITIES[:3]:
            for month in range(1, BILL_MONTHS + 1):
                _bill(town, person, utility, month)
        topics = draw.some(words.TOPICS, 4)
        for topic in topics:
            for what in draw.some(words.DOCUMENTS, draw.between(3, 6)):
                _file(town, person, f"/work/{topic}/{what}_{draw.between(1, 99)}.{draw.of(['pdf', 'docx', 'csv'])}")
        for city in draw.some(words.CITIES, 3):
            first = draw.between(100, 8000)
            for number in range(draw.between(5, 9)):
                _file(town, person, f"/pictures/{city}/IMG_{first + number * 3:04}.png")
        for _ in range(draw.between(12, 18)):
            name = f"{draw.of(words.TOPICS)}_{draw.between(100, 999)}.{draw.of(words.KINDS)}"
            _file(town, person, f"/downloads/{name}")


def _bill(town: Town, person: Person, utility: str, months: int) -> None:
    """A bill of some months ago."""
    draw = town.draw
    first = town.clock.today.replace(day=1)
    for _ in range(months):
        first = (first - timedelta(days=1)).replace(day=1)
    amount = draw.between(2400, 14900)
    amount -= amount % 4  # so that four people can share it
    text = f"{utility.capitalize()} bill for {first:%Y-%m}\nAmount due: ${amount / 100:.2f}\nPaid by: {person.name}"
    at = f"{(first + timedelta(days=27 + draw.below(4))).isoformat()} 09:00"
    town.add("files", person.number, f"/bills/{utility}/{first:%Y-%m}.txt", draw.between(2, 9), text, at)


def _file(town: Town, person: Person, path: str) -> None:
    draw = town.draw
    taken = {(row[1], row[2]) for row in town.rows["files"][-160:]}
    if (person.number, path) in taken:
        return
    size = draw.between(4, 4000)
    made = town.add("files", person.number, path, size, f"({size} kB)", town.past(360))
    if draw.chance(25):
        for each in draw.some(town.mates(person), draw.between(1, 3)):
            town.add("shares", made, each.email)


def plan(town: Town) -> None:
    """Projects with tasks."""
    draw = town.draw
    for person in town.people:
        things = draw.some([f"{verb} the {thing}" for verb in words.VERBS for thing in words.THINGS], 60)
        for name in draw.some(words.PROJECTS, 5):
            project = town.add("projects", person.number, name)
            for _ in range(draw.between(7, 11)):
                due = town.clock.day(draw.between(-14, 24))
                done = int(draw.chance(30))
                town.add("todos", person.number, project, things.pop(), due, draw.between(1, 4), done)
