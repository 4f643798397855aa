"""Tasks of notes and of the tasks app, each alone."""

from __future__ import annotations

from collections import Counter, defaultdict

from agentgym.envs._kit.tools import EXACT, Program, Unfit, best, several
from agentgym.envs.tools._office.templates.slots import (
    BOOK,
    every,
    extreme,
    later,
    money,
    note,
    project,
    some,
    today,
    total,
    unticked,
)  # fmt: skip


@BOOK.ask(
    "number", 1,
    'On how many of the last {days} days did I tick "{habit}" in my habit notes? They are named "Habits" and the date; '
    "today has none yet.",
    'My notes "Habits YYYY-MM-DD" say what I did each day. How often was "{habit}" ticked in the {days} days before '
    "today?",
    'Counting the {days} days up to yesterday, how many of my notes "Habits" with the date have "{habit}" ticked?',
)  # fmt: skip
def _habit_days(days: int, habit: str) -> Program:
    now = (yield from today()).isoformat()
    wanted = {f"Habits {later(now, -back)}" for back in range(1, days + 1)}
    count = 0
    for row in (yield from every("notes_list", notebook="habits")):
        if row["title"] in wanted:
            body = (yield ("notes_show", {"note_id": row["id"]}))["body"]
            count += f"[x] {habit}" in body.splitlines()
    return several(count, 1)


@BOOK.ask(
    "number", 1,
    'How many dollars were spent in all, going by my note "{trip}"?',
    'Add up every amount in my note "{trip}". How many dollars is that?',
    'What is the total of my note "{trip}", in dollars?',
)  # fmt: skip
def _trip_total(trip: str) -> Program:
    body = (yield from note(trip))["body"]
    return total(map(money, body.splitlines()))


@BOOK.ask(
    "name", 1,
    'Who paid the most, all payments added up, in my note "{trip}"? Give the full name.',
    'My note "{trip}" says who paid what. Whose payments add up to the most? Answer with the full name.',
    'According to the note "{trip}", which person has paid the largest sum? I want the full name.',
)  # fmt: skip
def _who_paid_most(trip: str) -> Program:
    paid: dict[str, float] = defaultdict(float)
    for line in (yield from note(trip))["body"].splitlines():
        paid[line.partition(" paid ")[0]] += money(line)
    return best({name: round(value, 2) for name, value in paid.items()}, among=2)


@BOOK.ask(
    "name", 1,
    "Which book on my reading list has the most pages of those with at most {plays}0 pages? Give its title.",
    "My note with the reading list tells pages. Which is the longest book that has no more than {plays}0 pages?",
    "Of the books in my note \"Reading list\" with {plays}0 pages or fewer, name the one with the most pages.",
)  # fmt: skip
def _longest_book(plays: int) -> Program:
    rows = []
    for line in (yield from note("Reading list"))["body"].splitlines():
        title, _, pages = line.rpartition(", ")
        rows.append({"title": title, "pages": int(pages.removesuffix(" pages"))})
    return extreme([row for row in rows if row["pages"] <= plays * 10], lambda row: row["pages"])["title"]


@BOOK.ask(
    "state", 1,
    'Add "[ ] {title}" at the end of my note "{list_note}", after ticking everything in it: each "[ ]" becomes "[x]".',
    'All of my note "{list_note}" is done. Tick each open line ("[ ]" to "[x]") and put a new last line there: '
    '"[ ] {title}".',
    'Tick all boxes of the note "{list_note}" (write [x] for [ ]), then append the line "[ ] {title}".',
)  # fmt: skip
def _tick_all(list_note: str, title: str) -> Program:
    row = yield from note(list_note)
    body = row["body"].replace("[ ] ", "[x] ")
    yield ("notes_update", {"note_id": row["id"], "body": f"{body}\n[ ] {title}"})


@BOOK.ask(
    "state", 1,
    'Make one note "Everything to do" in the notebook lists out of my lists: a line "[ ] ..." for each open entry of '
    '"Chores" and then of "Shopping list", in their order.',
    'Write a new note "Everything to do" (notebook lists) that holds the unticked lines of the note "Chores" followed '
    'by those of "Shopping list", as they stand there.',
    'I want a note with the title "Everything to do" in the notebook lists: first the open lines of "Chores", then the '
    'open lines of "Shopping list", each with its "[ ]".',
)  # fmt: skip
def _everything_to_do() -> Program:
    lines = []
    for title in ("Chores", "Shopping list"):
        lines += [f"[ ] {each}" for each in unticked((yield from note(title))["body"])]
    yield ("notes_create", {"title": "Everything to do", "body": "\n".join(some(lines)), "notebook": "lists"})


@BOOK.ask(
    "state", 1,
    "Delete my notes in the notebook work that were last changed before {early_day} and are not pinned.",
    "Work notes of mine that have not been changed since {early_day} or later can be deleted, unless they are pinned.",
    "Remove each note of the notebook work with a last change earlier than {early_day}; pinned ones stay.",
)  # fmt: skip
def _delete_old_notes(early_day: str) -> Program:
    for row in (yield from every("notes_list", notebook="work")):
        if row["updated_at"] < early_day and not row["is_pinned"]:
            yield ("notes_delete", {"note_id": row["id"]})


@BOOK.ask(
    "state", 1,
    "Pin my longest travel note, counted in lines, and no other note of the notebook travel.",
    "Of my travel notes, exactly one shall be pinned: the one with the most lines.",
    "In the notebook travel, the note with the most lines is to be pinned; unpin all others there.",
)  # fmt: skip
def _pin_longest() -> Program:
    rows = yield from every("notes_list", notebook="travel")
    bodies = {}
    for row in rows:
        bodies[str(row["id"])] = len((yield ("notes_show", {"note_id": row["id"]}))["body"].splitlines())
    chosen = best(bodies, among=2)
    for row in rows:
        if row["is_pinned"] != (str(row["id"]) == chosen):
            yield ("notes_update", {"note_id": row["id"], "is_pinned": str(row["id"]) == chosen})


@BOOK.ask(
    "name", 1,
    "Which of my projects has the most overdue tasks (open, due before today)?",
    "In which project of the tasks app are the most open tasks with a due date before today?",
    "Name the project with the largest number of tasks that are overdue, that is, open and due before today.",
)  # fmt: skip
def _most_overdue() -> Program:
    now = (yield from today()).isoformat()
    names = {row["id"]: row["name"] for row in (yield ("tasks_projects", {}))}
    rows = yield from every("tasks_list", done=False, until=later(now, -1))
    return best(Counter(names[row["project_id"]] for row in rows), among=2)


@BOOK.ask(
    "list", 1,
    'Which open tasks of my project "{project}" have a priority of {priority} or more? Give their titles.',
    'List the titles of all open tasks in "{project}" with at least priority {priority}.',
    'In the tasks app, what is open in "{project}" with priority {priority} or higher? I want the titles.',
)  # fmt: skip
def _urgent_tasks(project: str, priority: int) -> Program:
    rows = yield from every("tasks_list", project_id=(yield from _project(project)), done=False)
    return [row["title"] for row in rows if row["priority"] >= priority]


_project = project


@BOOK.ask(
    "state", 1,
    'Move all open tasks of "{project}" that are due after {late_day} to the project "{other_project}".',
    'Open tasks in "{project}" with a due date later than {late_day} belong to "{other_project}" from now on.',
    'Whatever is open in "{project}" and due after {late_day} shall go to the project "{other_project}".',
)  # fmt: skip
def _move_late_tasks(project: str, other_project: str, late_day: str) -> Program:
    known = {row["name"]: row["id"] for row in (yield ("tasks_projects", {}))}
    rows = yield from every("tasks_list", project_id=known[project], done=False, since=later(late_day, 1))
    for row in rows:
        yield ("tasks_update", {"task_id": row["id"], "project_id": known[other_project]})


@BOOK.ask(
    "state", 1,
    'Give all overdue tasks of "{project}" (open, due before today) {days} more days, counted from today, and one more '
    "step of priority, 4 at most.",
    'What is open in "{project}" and due before today shall be due {days} days from today, with a priority one higher '
    "(never above 4).",
    'The overdue tasks of "{project}", open and due before today: make them due in {days} days from now and raise '
    "their priority by one, up to 4.",
)  # fmt: skip
def _extend_overdue(project: str, days: int) -> Program:
    now = (yield from today()).isoformat()
    number = yield from _project(project)
    for row in (yield from every("tasks_list", project_id=number, done=False, until=later(now, -1))):
        told = {"due_on": later(now, days), "priority": min(4, row["priority"] + 1)}
        yield ("tasks_update", {"task_id": row["id"], **told})


@BOOK.ask(
    "state", 1,
    "Delete everything that is done and was due before {recent_day}, in all projects.",
    "In the tasks app, remove the done tasks of all projects that have a due date before {recent_day}.",
    "Throw away completed tasks that were due earlier than {recent_day}, whatever the project.",
)  # fmt: skip
def _delete_done(recent_day: str) -> Program:
    for row in some((yield from every("tasks_list", done=True, until=later(recent_day, -1))), most=20):
        yield ("tasks_delete", {"task_id": row["id"]})


@BOOK.ask(
    "number", 1,
    "What percentage of my tasks due from {past_day} to {recent_day}, both days included, is done? Two decimals.",
    "Of all tasks with a due date between {past_day} and {recent_day} (inclusive), how many percent are done, to two "
    "decimals?",
    "How many percent of the tasks that were due from {past_day} until {recent_day} (inclusive) did I finish? Give two "
    "decimals.",
)  # fmt: skip
def _percent_done(past_day: str, recent_day: str) -> Program:
    rows = yield from every("tasks_list", since=past_day, until=recent_day)
    if len(rows) < 4:
        raise Unfit
    return round(100 * sum(row["is_done"] for row in rows) / len(rows), EXACT)
