"""Templates over the project tracker that change something, and over it and another site."""

from __future__ import annotations

from agentgym.envs.web._sites.database import Row
from agentgym.envs.web._sites.tracker.deeds import FOLLOWING, RESOLUTIONS
from agentgym.envs.web._sites.tracker.history import PRIORITIES, STATES, TYPES
from agentgym.envs.web._suite.drafts import FORGE, FORUM, TRACKER, Ask, Draft, Template, cells, deed, letter
from agentgym.envs.web._suite.tracker_questions import NOW, project, sprint, ticket

HOLDS = "projects.id IN (SELECT project FROM members WHERE user = 1 AND role IN ({}))"
REPORTS, WORKS, LEADS, ADMINISTERS = (
    HOLDS.format(roles)
    for roles in (
        "'Reporter', 'Developer', 'Lead', 'Administrator'",
        "'Developer', 'Lead', 'Administrator'",
        "'Lead', 'Administrator'",
        "'Administrator'",
    )
)
TITLES = ("Check the new limits", "Write down what was agreed", "Compare the two exports", "Ask the customer for logs",
          "Clean up after the migration", "Repeat the load test")  # fmt: skip
REMARKS = ("Done on my side.", "Please wait for the next version.", "The cause is known now.", "I need one more day.")
LABELS = ("audit", "follow-up", "blocked-outside", "quarter-goal", "cleanup")
NOTES = ("Pairing", "Measurements", "Rework after review", "Writing it down")
DAYS = tuple(f"2026-{month:02}-{day:02}" for month in range(4, 10) for day in (3, 9, 14, 21, 27))
OPEN = "tickets.resolution = ''"


def _number_of(ask: Ask, table: str) -> int:
    """The id that the next row of a table gets."""
    return 1 + int(ask.tracker.value(f"SELECT max(id) FROM {table}"))


def _outsider(ask: Ask, row: Row) -> str:
    """An account that is no member of a project."""
    return str(ask.row(ask.tracker, "SELECT name FROM users WHERE id NOT IN (SELECT user FROM members WHERE project "
                       "= ?) ORDER BY id", row["id"])["name"])  # fmt: skip


def _developer(ask: Ask, number: int, but: int = 0) -> str:
    """A member of a project who can be given tickets."""
    return str(ask.row(ask.tracker, "SELECT name FROM members JOIN users ON users.id = user WHERE project = ? AND "
                       "role != 'Reporter' AND users.id != ? ORDER BY users.id", number, but)["name"])  # fmt: skip


def comment(ask: Ask) -> Draft:
    """Comment on a ticket."""
    _, way, words = ticket(ask, REPORTS)
    said = ask.pick(REMARKS)
    plan = [["goto", way], ["fill", 'textbox "Your comment"', said], ["click", 'button "Add comment"']]
    return deed(
        "content",
        TRACKER,
        f"comment “{said}” on {words}",
        plan,
        (way, ".comments li:last-child .meta a", "heron"),
        (way, ".comments li:last-child .said", said),
    )


def report(ask: Ask) -> Draft:
    """Report a ticket."""
    row, way, words = project(ask, f"{REPORTS} AND archived = 0")
    title, kind, priority = ask.pick(TITLES), ask.pick(TYPES[:4]), ask.pick(PRIORITIES)
    label = ask.pick(LABELS)
    last = ask.tracker.value("SELECT max(number) FROM tickets WHERE project = ?", row["id"])
    plan = [["goto", f"{way}/tickets/new"], ["fill", 'textbox "Title"', title], ["select", 'combobox "Type"', kind],
            ["select", 'combobox "Priority"', priority], ["fill", 'textbox "Labels"', label],
            ["click", 'button "Create ticket"']]  # fmt: skip
    there = f"{TRACKER}/browse/{row['key']}-{last + 1}"
    asked = (
        f"report a ticket of the type {kind} with the title “{title}”, the priority {priority} and the label {label} in"
    )
    return deed("content", TRACKER, f"{asked} {words}", plan, (there, "#title", title), (there, "#type", kind),
                (there, "#priority", priority), (there, "#labels", label))  # fmt: skip


def sub_task(ask: Ask) -> Draft:
    """Add a sub-task to a ticket."""
    row, way, words = ticket(ask, f"{REPORTS} AND tickets.type NOT IN ('Epic', 'Sub-task')")
    title = ask.pick(TITLES)
    last = ask.tracker.value("SELECT max(number) FROM tickets WHERE project = ?", row["project"])
    plan = [["goto", f"{TRACKER}/p/{row['key']}/tickets/new?parent={row['name']}"], ["fill", 'textbox "Title"', title],
            ["select", 'combobox "Type"', "Sub-task"], ["click", 'button "Create ticket"']]  # fmt: skip
    there = f"{TRACKER}/browse/{row['key']}-{last + 1}"
    return deed("content", TRACKER, f"add a sub-task “{title}” to {words}", plan, (there, "#title", title),
                (there, "#type", "Sub-task"), (there, "#parent", row["name"]), (way, "#below", [title]))  # fmt: skip


def retitle(ask: Ask) -> Draft:
    """Change the title of a ticket."""
    _, way, words = ticket(ask, WORKS)
    title = f"{ask.pick(TITLES)}, {ask.pick(TITLES).lower()}"
    plan = [["goto", f"{way}/edit"], ["fill", 'textbox "Title"', title], ["click", 'button "Save ticket"']]
    return deed("content", TRACKER, f"change the title of {words} to “{title}”", plan, (way, "#title", title))


def relabel(ask: Ask) -> Draft:
    """Give a ticket a label."""
    _, way, words = ticket(ask, f"{WORKS} AND tickets.id NOT IN (SELECT ticket FROM labels)")
    label = ask.pick(LABELS)
    plan = [["goto", f"{way}/edit"], ["fill", 'textbox "Labels"', label], ["click", 'button "Save ticket"']]
    return deed("content", TRACKER, f"give {words} the label {label}", plan, (way, "#labels", label))


def estimate(ask: Ask) -> Draft:
    """Set points and due date of a ticket."""
    row, way, words = ticket(ask, f"{WORKS} AND {OPEN} AND tickets.type != 'Epic'")
    points, due = ask.pick([one for one in ("1", "2", "3", "5", "8") if one != str(row["points"])]), ask.pick(DAYS)
    plan = [["goto", f"{way}/edit"], ["fill", 'textbox "Points"', points], ["fill", 'textbox "Due"', due],
            ["click", 'button "Save ticket"']]  # fmt: skip
    return deed("content", TRACKER, f"set the points of {words} to {points} and its due date to {due}", plan,
                (way, "#points", points), (way, "#due", due))  # fmt: skip


def prioritize(ask: Ask) -> Draft:
    """Change the priority of a ticket."""
    row, way, words = ticket(ask, f"{WORKS} AND {OPEN}")
    new = ask.pick([one for one in PRIORITIES if one != row["priority"]])
    plan = [["goto", f"{way}/edit"], ["select", 'combobox "Priority"', new], ["click", 'button "Save ticket"']]
    return deed("content", TRACKER, f"change the priority of {words} to {new}", plan, (way, "#priority", new))


def log_work(ask: Ask) -> Draft:
    """Log work."""
    row, way, words = ticket(ask, WORKS)
    hours, note = ask.pick(range(2, 9)), ask.pick(NOTES)
    before = ask.tracker.value("SELECT coalesce(sum(hours), 0) FROM work WHERE ticket = ?", row["id"])
    plan = [["goto", way], ["fill", 'textbox "Hours"', str(hours)], ["fill", 'textbox "What was done"', note],
            ["click", 'button "Log work"']]  # fmt: skip
    return deed("content", TRACKER, f"log {hours} hours of work on {words} for today, with the note “{note}”", plan,
                (way, "#logged", f"{before + hours} hours"),
                (way, "#work li:last-child", f"{NOW}: {hours} hours by heron, {note}"))  # fmt: skip


def link(ask: Ask) -> Draft:
    """Link two tickets."""
    row, way, words = ticket(ask, f"{WORKS} AND tickets.id NOT IN (SELECT source FROM links) AND tickets.id NOT IN "
                             "(SELECT target FROM links)")  # fmt: skip
    other, there, _ = ticket(ask, "tickets.project = ? AND tickets.id != ?", row["project"], row["id"])
    kind, back = ask.pick(
        (("blocks", "is blocked by"), ("relates to", "is related to"), ("duplicates", "is duplicated by"))
    )
    plan = [["goto", way], ["select", 'combobox "This ticket"', kind],
            ["fill", 'textbox "Other ticket"', other["name"]], ["click", 'button "Add link"']]  # fmt: skip
    return deed("content", TRACKER, f"link {words} to {other['name']} so that it says that the first {kind} the second",
                plan, (way, "#links dt", kind), (way, "#links dd a", other["name"]),
                (there, "#links", [back, row["name"]]))  # fmt: skip


def watch(ask: Ask) -> Draft:
    """Watch a ticket."""
    _, way, words = ticket(ask, "tickets.id NOT IN (SELECT ticket FROM watchers WHERE user = 1)")
    return deed("content", TRACKER, f"watch {words}", [["goto", way], ["click", 'button "Watch"']],
                (way, "#watch", "Stop watching"))  # fmt: skip


def vote(ask: Ask) -> Draft:
    """Vote for a ticket."""
    row, way, words = ticket(ask, "tickets.reporter != 1")
    return deed("content", TRACKER, f"vote for {words}", [["goto", way], ["click", 'button "Vote"']],
                (way, "#vote", "Take back the vote"), (way, "#votes", str(row["votes"] + 1)))  # fmt: skip


def take_back(ask: Ask) -> Draft:
    """Delete a comment of one's own."""
    row, way, _ = ticket(
        ask, f"{REPORTS} AND (SELECT count(*) FROM comments WHERE ticket = tickets.id AND author = 1) = 1"
    )
    said = ask.tracker.all("SELECT * FROM comments WHERE ticket = ? ORDER BY created, id", row["id"])
    own = next(one["id"] for one in said if one["author"] == 1)
    button = f'button "Delete comment {[one["id"] for one in said].index(own) + 1}"'
    words = f"delete my comment on the ticket {row['name']}"
    draft = deed("content", TRACKER, words, [["goto", way], ["click", button]],
                 (way, "#said", str(len(said) - 1)))  # fmt: skip
    kept = ", ".join(f"comment-{one['id']}" for one in said if one["id"] != own)
    locator = "Array.from(document.querySelectorAll('.comments li')).map(one => one.id).join(', ')"
    draft.judged["program_html"].append({"url": way, "locator": locator, "required_contents": {"exact_match": kept}})
    return draft


def new_filter(ask: Ask) -> Draft:
    """Save a filter."""
    row, _, _ = project(ask)
    query = f"project = {row['key']} AND priority = {ask.pick(PRIORITIES)} AND type = {ask.pick(TYPES[:4])}"
    name, way = f"{ask.pick(('Watch list', 'Monday', 'Planning'))} {row['key']}", f"{TRACKER}/filters"
    plan = [["goto", f"{way}/new"], ["fill", 'textbox "Name"', name], ["fill", 'textbox "Query"', query],
            ["click", 'button "Save filter"']]  # fmt: skip
    there = f"{way}/{_number_of(ask, 'filters')}"
    return deed("content", TRACKER, f"save a filter of tickets with the name “{name}” and the query “{query}”", plan,
                (there, "h1", name), (there, "#query", query))  # fmt: skip


def share(ask: Ask) -> Draft:
    """Share a filter, or change what it looks for."""
    row = ask.row(ask.tracker, "SELECT * FROM filters WHERE owner = 1 AND shared = 0 ORDER BY id")
    way, query = f"{TRACKER}/filters/{row['id']}", f"{row['query'].split(' ORDER')[0]} AND type = {ask.pick(TYPES[:4])}"
    plan = [["goto", f"{way}/edit"], ["fill", 'textbox "Query"', query], ["check", 'checkbox "Share with everybody"'],
            ["click", 'button "Save filter"']]  # fmt: skip
    words = (
        f"change the query of my filter “{row['name']}” in the project tracker to “{query}” and share it with everybody"
    )
    return deed(
        "configuration", TRACKER, words, plan, (way, "#query", query), (way, "#shared", "shared with everybody")
    )


def resolve(ask: Ask) -> Draft:
    """Resolve a ticket."""
    _, way, words = ticket(ask, f"{WORKS} AND {OPEN} AND tickets.id NOT IN (SELECT parent FROM tickets)")
    how = ask.pick(RESOLUTIONS)
    plan = [["goto", way], ["select", 'combobox "Resolution"', how], ["click", 'button "Resolve"']]
    return deed(
        "content", TRACKER, f"resolve {words} as {how}", plan, (way, "#state", "Done"), (way, "#resolution", how)
    )


def move(ask: Ask) -> Draft:
    """Move a ticket into another state."""
    row, way, words = ticket(ask, f"{WORKS} AND {OPEN}")
    state = ask.pick(FOLLOWING[row["state"]])
    return deed("content", TRACKER, f"move {words} to the state {state}", [["goto", way],
                ["click", f'button "Move to {state}"']], (way, "#state", state))  # fmt: skip


def reopen(ask: Ask) -> Draft:
    """Reopen a ticket."""
    _, way, words = ticket(ask, f"{WORKS} AND NOT {OPEN}")
    return deed("content", TRACKER, f"reopen {words}", [["goto", way], ["click", 'button "Reopen"']],
                (way, "#state", STATES[0]), (way, "#resolution", "unresolved"))  # fmt: skip


def assign(ask: Ask) -> Draft:
    """Give a ticket to somebody."""
    row, way, words = ticket(ask, f"{WORKS} AND {OPEN}")
    person = _developer(ask, row["project"], row["assignee"])
    plan = [["goto", way], ["select", 'combobox "Assign to"', person], ["click", 'button "Assign"']]
    return deed("content", TRACKER, f"assign {words} to {person}", plan, (way, "#assignee", person))


def schedule(ask: Ask) -> Draft:
    """Move a ticket of the backlog into a sprint."""
    row, way, words = ticket(ask, f"{WORKS} AND {OPEN} AND tickets.sprint = 0 AND projects.method = 'Scrum' AND "
                             "tickets.type NOT IN ('Epic', 'Sub-task')")  # fmt: skip
    goes = ask.row(ask.tracker, "SELECT name FROM sprints WHERE project = ? AND state != 'closed' ORDER BY id",
                   row["project"])["name"]  # fmt: skip
    plan = [["goto", f"{TRACKER}/p/{row['key']}/backlog"], ["fill", 'textbox "Tickets"', row["name"]],
            ["select", 'combobox "Move to"', goes], ["click", 'button "Plan"']]  # fmt: skip
    return deed("configuration", TRACKER, f"plan {words} for the sprint {goes}", plan, (way, "#sprint", goes))


def complete(ask: Ask) -> Draft:
    """End a sprint."""
    has = f"projects.id IN (SELECT tickets.project FROM tickets JOIN sprints ON sprints.id = sprint WHERE {OPEN} AND " \
          "sprints.state = 'active')"  # fmt: skip
    row, way = sprint(ask, "active", f"{LEADS} AND {has}")
    goes = ask.row(ask.tracker, "SELECT name FROM sprints WHERE project = ? AND state = 'future' ORDER BY id",
                   row["project"])["name"]  # fmt: skip
    query = f"SELECT number FROM tickets WHERE sprint = ? AND {OPEN} ORDER BY id"
    one = ask.row(ask.tracker, query, row["id"])["number"]
    plan = [["goto", way], ["select", 'combobox "Open tickets go to"', goes], ["click", 'button "Complete sprint"']]
    words = (
        f"complete the sprint {row['name']} of the project {row['project_name']} and let its open tickets go to {goes}"
    )
    there = f"{TRACKER}/browse/{row['key']}-{one}"
    return deed("configuration", TRACKER, words, plan, (way, "#state", "closed"), (there, "#sprint", goes))


def set_goal(ask: Ask) -> Draft:
    """Change the goal of a sprint."""
    row, way = sprint(ask, "future", LEADS)
    goal = f"{ask.pick(TITLES)}, then {ask.pick(TITLES).lower()}"
    plan = [["goto", way], ["fill", 'textbox "Goal"', goal], ["click", 'button "Change sprint"']]
    words = f"change the goal of the sprint {row['name']} of the project {row['project_name']} to “{goal}”"
    return deed("configuration", TRACKER, words, plan, (way, "#goal", goal))


def new_version(ask: Ask) -> Draft:
    """Plan a version."""
    _, way, words = project(ask, LEADS)
    name, due = ask.pick(("4.0", "4.1", "Summer", "Long term")), ask.pick(DAYS)
    plan = [["goto", f"{way}/versions"], ["fill", 'textbox "Name"', name], ["fill", 'textbox "Due"', due],
            ["click", 'button "Add version"']]  # fmt: skip
    made = cells(f"{way}/versions", f"#version-{_number_of(ask, 'versions')}", name, "unreleased", due)
    return deed("configuration", TRACKER, f"plan a version {name} of {words} that is due on {due}", plan, *made)


def release(ask: Ask) -> Draft:
    """Release a version."""
    row, way, words = project(ask, LEADS)
    one = ask.row(
        ask.tracker, "SELECT * FROM versions WHERE project = ? AND state = 'unreleased' ORDER BY id", row["id"]
    )
    there = f"{way}/versions/{one['id']}"
    return deed("configuration", TRACKER, f"release version {one['name']} of {words}", [["goto", there],
                ["click", 'button "Release"']], (there, "#state", "released"), (there, "#released", NOW))  # fmt: skip


def new_component(ask: Ask) -> Draft:
    """Add a component."""
    row, way, words = project(ask, LEADS)
    name, person = ask.pick(("Import", "Search", "Printing", "Billing rules", "Archive")), _developer(ask, row["id"])
    plan = [["goto", f"{way}/components"], ["fill", 'textbox "Name"', name],
            ["select", 'combobox "Component lead"', person], ["click", 'button "Add component"']]  # fmt: skip
    made = cells(f"{way}/components", f"#component-{_number_of(ask, 'components')}", name, person)
    return deed("configuration", TRACKER, f"add the component “{name}” to {words}, led by {person}", plan, *made)


def invite(ask: Ask) -> Draft:
    """Add a member."""
    row, way, words = project(ask, ADMINISTERS)
    person, given = _outsider(ask, row), ask.pick(("Reporter", "Developer", "Lead"))
    plan = [["goto", f"{way}/members"], ["fill", 'textbox "Account"', person], ["select", 'combobox "Role"', given],
            ["click", 'button "Save member"']]  # fmt: skip
    there = (f"{way}/members", f"#member-{person} td:nth-child(2)", given)
    return deed("configuration", TRACKER, f"add {person} to {words} of the project tracker as {given}", plan, there)


def promote(ask: Ask) -> Draft:
    """Change the role of a member."""
    row, way, words = project(ask, ADMINISTERS)
    one = ask.row(ask.tracker, "SELECT name, role FROM members JOIN users ON users.id = user WHERE project = ? AND "
                  "role IN ('Reporter', 'Developer') ORDER BY users.id", row["id"])  # fmt: skip
    given = ask.pick([each for each in ("Reporter", "Developer", "Lead", "Administrator") if each != one["role"]])
    plan = [["goto", f"{way}/members"], ["fill", 'textbox "Account"', one["name"]],
            ["select", 'combobox "Role"', given], ["click", 'button "Save member"']]  # fmt: skip
    asked = f"change the role of {one['name']} in {words} of the project tracker to {given}"
    there = (f"{way}/members", f"#member-{one['name']} td:nth-child(2)", given)
    return deed("configuration", TRACKER, asked, plan, there)


def limit(ask: Ask) -> Draft:
    """Set the limit of a column."""
    row, way, words = project(ask, ADMINISTERS)
    state = ask.pick(("In progress", "In review", "Testing"))
    now = ask.tracker.value("SELECT most FROM limits WHERE project = ? AND state = ?", row["id"], state)
    most = str(ask.pick([one for one in range(3, 20) if one != now]))
    plan = [["goto", f"{way}/board"], ["select", 'combobox "Limit of column"', state],
            ["fill", 'textbox "At most"', most], ["click", 'button "Set limit"']]  # fmt: skip
    there = (f"{way}/board", f"#column-{STATES.index(state) + 1} .limit", most)
    return deed(
        "configuration", TRACKER, f"limit the column {state} on the board of {words} to {most} tickets", plan, there
    )


def default_assignee(ask: Ask) -> Draft:
    """Change who gets new tickets, and the description."""
    row, way, words = project(ask, ADMINISTERS)
    new = "Nobody" if row["assign"] == "Project lead" else "Project lead"
    text = f"{ask.pick(TITLES)}, {ask.pick(TITLES).lower()}"
    plan = [["goto", f"{way}/settings"], ["fill", 'textbox "Description"', text],
            ["select", 'combobox "New tickets go to"', new], ["click", 'button "Save settings"']]  # fmt: skip
    asked = f"change the settings of {words}: its description is “{text}”, and new tickets go to {new}"
    return deed("configuration", TRACKER, asked, plan, (way, "#description", text), (way, "#assign", new))


def new_lead(ask: Ask) -> Draft:
    """Change the lead of a project."""
    row, way, words = project(ask, ADMINISTERS)
    person = _developer(ask, row["id"], row["lead"])
    plan = [
        ["goto", f"{way}/settings"],
        ["select", 'combobox "Project lead"', person],
        ["click", 'button "Save settings"'],
    ]
    return deed("configuration", TRACKER, f"make {person} the lead of {words}", plan, (way, "#lead", person))


def mails(ask: Ask) -> Draft:
    """Change the profile."""
    new, zone = ask.pick(("Only what is assigned to me", "Nothing")), ask.pick(("UTC", "UTC+1", "UTC+2", "UTC+9"))
    way = f"{TRACKER}/profile"
    plan = [["goto", way], ["select", 'combobox "Time zone"', zone], ["select", 'combobox "Notifications"', new],
            ["click", 'button "Save profile"']]  # fmt: skip
    words = f"set my time zone in the project tracker to {zone} and my notifications to “{new}”"
    return deed("configuration", TRACKER, words, plan, (way, "#mails", new), (f"{TRACKER}/u/heron", "#zone", zone))


def due_from_forge(ask: Ask) -> Draft:
    """Read when a milestone is due on the code host, and make it the due date of a ticket."""
    one = ask.row(ask.forge, "SELECT milestones.*, projects.name, users.name AS owner_name FROM milestones JOIN "
                  "projects ON projects.id = project JOIN users ON users.id = owner WHERE visibility = 'Public' "
                  "ORDER BY milestones.id")  # fmt: skip
    _, way, words = ticket(ask, f"{WORKS} AND tickets.due = ''")
    full = f"{one['owner_name']}/{one['name']}"
    plan = [["goto", f"{FORGE}/p/{full}/milestones"], ["goto", f"{way}/edit"], ["fill", 'textbox "Due"', one["due"]],
            ["click", 'button "Save ticket"']]  # fmt: skip
    asked = (
        f"find out when the milestone {one['title']} of the project {full} on {FORGE} is due and make that day the due"
    )
    return deed("configuration", TRACKER, f"{asked} date of {words}", plan, (way, "#due", one["due"]))


def tell_forum(ask: Ask) -> Draft:
    """Read who works on a ticket, and write it to somebody in the forum."""
    row, way, words = ticket(ask, "tickets.assignee != 0")
    person = ask.row(ask.forum, "SELECT * FROM users WHERE id > 1 ORDER BY id")["name"]
    plan = [["goto", way], ["goto", f"{FORUM}/messages/new"], ["fill", 'textbox "To"', person],
            ["fill", 'textbox "Subject"', row["name"]], ["fill", 'textbox "Message"', row["assignee_name"]],
            ["click", 'button "Send message"']]  # fmt: skip
    asked = (f"find out who {words} on {TRACKER} is assigned to and send that name, without another word, to {person} "
             f"of the forum in a message with the subject “{row['name']}”")  # fmt: skip
    return deed("content", FORUM, asked, plan, *letter(person, row["name"], row["assignee_name"]))


TEMPLATES: tuple[Template, ...] = (
    comment, report, sub_task, retitle, relabel, estimate, prioritize, log_work, link, watch, vote, take_back,
    new_filter, share, resolve, move, reopen, assign, schedule, complete, set_goal, new_version, release,
    new_component, invite, promote, limit, default_assignee, new_lead, mails, due_from_forge, tell_forum,
)  # fmt: skip
