"""Questions about many tasks: counts, sums, extremes and lists, in a project or in all of them."""

from __future__ import annotations

from collections import Counter

from agentgym.envs._kit.tools import EXACT, Program, Unfit, best, several
from agentgym.envs.tools._todo.slots import (
    BOOK,
    all_tasks,
    due,
    facts,
    is_open,
    labelled,
    minutes,
    names,
    section_tasks,
    sections,
    tasks,
    today,
)  # fmt: skip


@BOOK.ask(
    "number", 2,
    'How many open tasks of "{project}" have a priority of {priority} or higher?',
    'Count the tasks in "{project}" that are not completed and have at least priority {priority}.',
    'In "{project}", what is the number of open tasks with priority {priority} or more?',
    'Of the open tasks of the project "{project}", how many are of priority {priority} or above?',
)  # fmt: skip
def _open_with_priority(project: str, priority: int) -> Program:
    return len([row for row in is_open((yield from tasks(project))) if row["priority"] >= priority])


@BOOK.ask(
    "number", 2,
    'How many tasks of "{project}" have the label "{label}" or the label "{other_label}"?',
    'Count the tasks in "{project}" labelled "{label}" or "{other_label}", done or not.',
    'In the project "{project}", how many tasks carry at least one of the labels "{label}" and "{other_label}"?',
)  # fmt: skip
def _with_either_label(project: str, label: str, other_label: str) -> Program:
    return len([row for row in (yield from tasks(project)) if {label, other_label} & set(row["labels"])])


@BOOK.ask(
    "number", 3,
    'How many open tasks with the label "{label}" are there in all projects together?',
    'Across all projects, count the open tasks labelled "{label}".',
    'How many tasks that are not completed have the label "{label}", all projects taken together?',
    'In the whole account, how many open tasks carry "{label}"?',
)  # fmt: skip
def _open_with_label_anywhere(label: str) -> Program:
    return len(labelled(is_open((yield from all_tasks())), label))


@BOOK.ask(
    "number", 3,
    'How many tasks of "{project}" are overdue and have a priority below {priority}?',
    'Count the overdue tasks of "{project}" whose priority is less than {priority}.',
    'In "{project}", how many overdue tasks have a priority lower than {priority}?',
)  # fmt: skip
def _overdue_below_priority(project: str, priority: int) -> Program:
    now = yield from today()
    rows = is_open((yield from tasks(project)))
    return several(len([row for row in rows if due(row) < now and row["priority"] < priority]))


@BOOK.ask(
    "number", 3,
    'How many open tasks of all projects are due from {day} to {last_day}, both days included?',
    'Count the open tasks due between {day} and {last_day} (inclusive) over all projects.',
    'From {day} until {last_day}, first and last day included, how many open tasks fall due in the whole account?',
)  # fmt: skip
def _due_between(day: str, last_day: str) -> Program:
    return len([row for row in is_open((yield from all_tasks())) if day <= row["due_date"] <= last_day])


@BOOK.ask(
    "number", 4,
    'How many minutes do the open tasks of the section "{section}" in "{project}" take in all?',
    'What is the total duration, in minutes, of the open tasks in section "{section}" of "{project}"?',
    'I want to do every open task of "{section}" in the project "{project}". How many minutes is that?',
    'Sum the minutes of all open tasks listed under "{section}" in "{project}".',
)  # fmt: skip
def _minutes_of_section(project: str, section: str) -> Program:
    total = 0
    for row in is_open((yield from section_tasks(project, section))):
        total += yield from minutes(row)
    return total


@BOOK.ask(
    "number", 3,
    'How many minutes of open work labelled "{label}" does "{project}" have?',
    'Add up the durations of the open tasks of "{project}" with the label "{label}". How many minutes are they?',
    'What do the open "{label}" tasks of the project "{project}" take in all, in minutes?',
)  # fmt: skip
def _minutes_of_label(project: str, label: str) -> Program:
    total = 0
    for row in labelled(is_open((yield from tasks(project))), label):
        total += yield from minutes(row)
    return total


@BOOK.ask(
    "number", 3,
    'What is the mean duration, in minutes, of the tasks of "{project}" with priority {priority}? Give two decimals.',
    'On average, how many minutes does a task of priority {priority} in "{project}" take? Round to two decimals.',
    'Compute the average duration in minutes of the priority {priority} tasks in "{project}", to two decimals.',
)  # fmt: skip
def _mean_minutes_of_priority(project: str, priority: int) -> Program:
    rows = [row for row in (yield from tasks(project)) if row["priority"] == priority]
    total = 0
    for row in rows:
        total += yield from minutes(row)
    if not rows:
        raise Unfit
    return round(total / len(rows), EXACT)


@BOOK.ask(
    "number", 2,
    'How many more tasks does "{project}" have than "{other_project}"?',
    'By how many tasks is "{project}" larger than "{other_project}"?',
    'What is the number of tasks in "{project}" minus the number of tasks in "{other_project}"?',
)  # fmt: skip
def _more_tasks_than(project: str, other_project: str) -> Program:
    first = yield from tasks(project)
    return len(first) - len((yield from tasks(other_project)))


@BOOK.ask(
    "number", 2,
    'What percentage of the tasks in "{project}" with a priority of at least {priority} is completed? Two decimals.',
    'Of the tasks of "{project}" that have priority {priority} or higher, which percentage is done? Two decimals.',
    'How many percent of the tasks of priority {priority} or more in "{project}" are completed? Two decimals.',
)  # fmt: skip
def _percent_done(project: str, priority: int) -> Program:
    rows = [row for row in (yield from tasks(project)) if row["priority"] >= priority]
    if not rows:
        raise Unfit
    return round(100 * sum(row["is_completed"] for row in rows) / len(rows), EXACT)


@BOOK.ask(
    "name", 3,
    'Which open task of "{project}" with the label "{label}" takes longest?',
    'Among the open "{label}" tasks of "{project}", which one has the longest duration?',
    'Name the longest open task that "{project}" has under the label "{label}".',
)  # fmt: skip
def _longest_with_label(project: str, label: str) -> Program:
    found = {}
    for row in labelled(is_open((yield from tasks(project))), label):
        found[row["content"]] = yield from minutes(row)
    return best(found)


@BOOK.ask(
    "name", 4,
    'Which open task in section "{section}" of "{project}" is the shortest?',
    'In "{project}", section "{section}": which open task takes the fewest minutes?',
    'Name the open task of the section "{section}" ("{project}") with the least duration.',
)  # fmt: skip
def _shortest_in_section(project: str, section: str) -> Program:
    found = {}
    for row in is_open((yield from section_tasks(project, section))):
        found[row["content"]] = yield from minutes(row)
    return best(found, -1)


@BOOK.ask(
    "name", 2,
    'Which open task of "{project}" with a priority of at least {priority} is due first?',
    'Of the open tasks in "{project}" with priority {priority} or higher, which has the earliest due date?',
    'Name the first open task to fall due in "{project}" among those of priority {priority} or more.',
)  # fmt: skip
def _first_due_of_priority(project: str, priority: int) -> Program:
    rows = [row for row in is_open((yield from tasks(project))) if row["priority"] >= priority]
    return best({row["content"]: row["due_date"] for row in rows}, -1)


@BOOK.ask(
    "date", 3,
    'When is the last open task labelled "{label}" due, over all projects?',
    'Over all projects, what is the latest due date of an open task with the label "{label}"?',
    'By which day will every open "{label}" task of the account have fallen due?',
)  # fmt: skip
def _last_day_of_label(label: str) -> Program:
    rows = labelled(is_open((yield from all_tasks())), label)
    return max(row["due_date"] for row in rows) if rows else None


@BOOK.ask(
    "date", 3,
    'On which day are most open tasks of the projects "{project}" and "{other_project}" due, counted together?',
    'Take the open tasks of "{project}" and "{other_project}" together: which due date is the most frequent?',
    'Which day has the most open tasks falling due in "{project}" and "{other_project}" combined?',
)  # fmt: skip
def _busiest_day(project: str, other_project: str) -> Program:
    rows = is_open((yield from tasks(project)))
    rows += is_open((yield from tasks(other_project)))
    return best(Counter(row["due_date"] for row in rows))


@BOOK.ask(
    "name", 3,
    'Which project has the most open tasks with the label "{label}"?',
    'In which project do most open "{label}" tasks stand?',
    'Name the project with the largest number of open tasks labelled "{label}".',
)  # fmt: skip
def _project_with_most_label(label: str) -> Program:
    return best(Counter(row["project"] for row in labelled(is_open((yield from all_tasks())), label)))


@BOOK.ask(
    "name", 3,
    'Which project has the most open tasks due before {day}?',
    'Looking at open tasks with a due date before {day}, which project has the most of them?',
    'Name the project in which the largest number of open tasks is due earlier than {day}.',
)  # fmt: skip
def _project_with_most_due(day: str) -> Program:
    return best(Counter(row["project"] for row in is_open((yield from all_tasks())) if row["due_date"] < day))


@BOOK.ask(
    "name", 3,
    'Which section of "{project}" has the most tasks with a priority of {priority} or lower?',
    'In "{project}", name the section that holds the most tasks of at most priority {priority}.',
    'Counting tasks of priority {priority} or less, which section of "{project}" has the most?',
)  # fmt: skip
def _section_with_most(project: str, priority: int) -> Program:
    known = yield from sections(project)
    rows = [row for row in (yield from tasks(project)) if row["priority"] <= priority]
    return best(Counter(known[row["section_id"]] for row in rows))


@BOOK.ask(
    "name", 2,
    'Which label is the most frequent on the tasks of "{project}" and "{other_project}" together?',
    'Taking the tasks of "{project}" and "{other_project}" together, which label occurs most often?',
    'Which label do the projects "{project}" and "{other_project}" use most on their tasks, taken together?',
)  # fmt: skip
def _most_used_label(project: str, other_project: str) -> Program:
    rows = yield from tasks(project)
    rows = rows + (yield from tasks(other_project))
    return best(Counter(label for row in rows for label in row["labels"]))


@BOOK.ask(
    "list", 2,
    'What open tasks of "{project}" are due before {day}?',
    'Which tasks in "{project}" should I complete before {day}? Leave out those that are done.',
    'List the open tasks of the project "{project}" with a due date earlier than {day}.',
)  # fmt: skip
def _open_due_before(project: str, day: str) -> Program:
    return names(row for row in is_open((yield from tasks(project))) if row["due_date"] < day)


@BOOK.ask(
    "list", 3,
    'Which tasks of "{project}" are overdue and have the label "{label}"?',
    'Name the overdue tasks in "{project}" that carry the label "{label}".',
    'What is overdue in "{project}" among the tasks labelled "{label}"?',
)  # fmt: skip
def _overdue_with_label(project: str, label: str) -> Program:
    now = yield from today()
    return names(row for row in labelled(is_open((yield from tasks(project))), label) if due(row) < now)


@BOOK.ask(
    "list", 3,
    'Which open tasks of all projects have both labels "{label}" and "{other_label}"?',
    'Over all projects, name the open tasks that are labelled "{label}" as well as "{other_label}".',
    'List every open task in the account that carries "{label}" and "{other_label}" at once.',
)  # fmt: skip
def _open_with_both_labels(label: str, other_label: str) -> Program:
    return names(labelled(labelled(is_open((yield from all_tasks())), label), other_label))


@BOOK.ask(
    "list", 4,
    'Which open tasks of "{project}" have {person} as their contact?',
    'For which open tasks in "{project}" do I have to talk to {person}?',
    'List the open tasks of the project "{project}" whose contact is {person}.',
)  # fmt: skip
def _tasks_of_contact(project: str, person: str) -> Program:
    found = []
    for row in is_open((yield from tasks(project))):
        if (yield from facts(row))["person"] == person:
            found.append(row["content"])
    return found


@BOOK.ask(
    "list", 4,
    'Which open tasks of the section "{section}" in "{project}" take place in my current city?',
    'I stay in the city where I am. Which open tasks of "{project}", section "{section}", can I do here?',
    'List the open tasks under "{section}" in "{project}" whose place is in the city I am in.',
)  # fmt: skip
def _tasks_here(project: str, section: str) -> Program:
    city = yield ("get_user_current_location", {})
    found = []
    for row in is_open((yield from section_tasks(project, section))):
        if (yield from facts(row))["city"] == city:
            found.append(row["content"])
    return found


@BOOK.ask(
    "list", 4,
    'What do I have to bring for the open tasks of "{project}" due before {day}? Name each thing once.',
    'Which things should I pack for all open tasks of "{project}" with a due date before {day}? Name each once.',
    'Collect what I am asked to bring for open tasks of "{project}" due earlier than {day}, each thing once.',
)  # fmt: skip
def _things_to_bring(project: str, day: str) -> Program:
    found = {}
    for row in is_open((yield from tasks(project))):
        if row["due_date"] < day:
            found[(yield from facts(row))["item"]] = True
    return list(found)


@BOOK.ask(
    "list", 3,
    'Which open tasks of "{project}" with the label "{label}" take at most {minutes} minutes?',
    'I have {minutes} minutes. Which single open tasks of "{project}" labelled "{label}" fit into that?',
    'List the open "{label}" tasks of the project "{project}" that last no longer than {minutes} minutes.',
)  # fmt: skip
def _short_with_label(project: str, label: str, minutes: int) -> Program:
    found = []
    for row in labelled(is_open((yield from tasks(project))), label):
        said = yield ("get_task_duration", {"task_id": row["id"]})
        if int(said["duration"].partition("(")[0]) <= minutes:
            found.append(row["content"])
    return found


@BOOK.ask(
    "list", 3,
    'Which projects have no open task with the label "{label}"?',
    'Name the projects in which nothing open is labelled "{label}".',
    'In which projects does the label "{label}" stand on no open task?',
)  # fmt: skip
def _projects_without_label(label: str) -> Program:
    rows = yield from all_tasks()
    busy = {row["project"] for row in labelled(is_open(rows), label)}
    return [name for name in dict.fromkeys(row["project"] for row in rows) if name not in busy]


@BOOK.ask(
    "number", 3,
    'How many different contacts do the open tasks with the label "{label}" in "{project}" have?',
    'Count the different contact persons of the open "{label}" tasks of "{project}".',
    'With how many different people do the open tasks of "{project}" labelled "{label}" bring me together?',
)  # fmt: skip
def _different_contacts(project: str, label: str) -> Program:
    found = set()
    for row in labelled(is_open((yield from tasks(project))), label):
        found.add((yield from facts(row))["person"])
    return several(len(found))
