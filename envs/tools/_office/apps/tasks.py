"""The tasks app."""

from __future__ import annotations

from agentgym.envs._kit.tools import ToolError, tool
from agentgym.envs.tools._office.apps.common import (
    READ,
    WRITE,
    Item,
    columns,
    day_of,
    flags,
    own,
    page_of,
    select,
    text_of,
)  # fmt: skip
from agentgym.envs.tools._office.desk import Desk

TASK, PROJECT = "task|tasks_list", "project|tasks_projects"


def _priority(value: int) -> int:
    if not 1 <= value <= 4:
        raise ToolError(f"A priority is from 1 (low) to 4 (urgent), got {value}.")
    return value


@tool({}, seconds=READ)
def tasks_projects(desk: Desk) -> list[Item]:
    """List the projects that tasks belong to."""
    return select(desk, "SELECT id, name FROM projects", [("owner = ?", desk.person)], "id")


@tool({"project_id": 3, "done": False, "page_size": 20}, seconds=READ)
def tasks_list(
    desk: Desk,
    project_id: int | None = None,
    done: bool | None = None,
    since: str | None = None,
    until: str | None = None,
    page: int = 1,
    page_size: int = 10,
) -> Item:
    """List tasks by due date.

    Args:
        desk: Whose tasks are listed, done or not; not changed.
        project_id: Only those of a project.
        done: Only those that are done (true) or open (false).
        since: First due date, as YYYY-MM-DD.
        until: Last due date.
        page: From 1.
        page_size: Up to 20.
    """
    where = [
        ("owner = ?", desk.person), ("project_id = ?", project_id),
        ("is_done = ?", None if done is None else int(done)),
        ("due_on >= ?", day_of(since)), ("due_on <= ?", day_of(until)),
    ]  # fmt: skip
    found = page_of(select(desk, f"SELECT {columns('todos')} FROM todos", where, "due_on, id"), page, page_size)
    for item in found["items"]:
        flags(item, "is_done")
    return found


@tool({"project_id": 3, "title": "Order paint", "due_on": "2023-06-30"}, seconds=WRITE)
def tasks_create(desk: Desk, project_id: int, title: str, due_on: str, priority: int = 1) -> Item:
    """Make a task.

    Args:
        desk: Whose project it must be; gets the task as open.
        project_id: Of its project.
        title: Its title.
        due_on: As YYYY-MM-DD.
        priority: From 1 (low) to 4 (urgent).
    """
    own(desk, "projects", project_id, PROJECT)
    told = {"title": text_of(title, "title"), "due_on": day_of(due_on), "priority": _priority(priority)}
    number = desk.insert("todos", owner=desk.person, project_id=project_id, **told, is_done=0)
    return {"message": "Made the task.", "task_id": number}


@tool({"task_id": 140, "is_done": True}, seconds=WRITE)
def tasks_update(
    desk: Desk,
    task_id: int,
    is_done: bool | None = None,
    due_on: str | None = None,
    priority: int | None = None,
    project_id: int | None = None,
) -> Item:
    """Change a task; what is left out stays as it is.

    Args:
        desk: Whose task it must be, and whose project, if another one is given.
        task_id: Its id.
        is_done: Whether it is done.
        due_on: As YYYY-MM-DD.
        priority: From 1 (low) to 4 (urgent).
        project_id: Of another project.
    """
    own(desk, "todos", task_id, TASK)
    changes: Item = {}
    if is_done is not None:
        changes["is_done"] = int(is_done)
    if due_on is not None:
        changes["due_on"] = day_of(due_on)
    if priority is not None:
        changes["priority"] = _priority(priority)
    if project_id is not None:
        changes["project_id"] = own(desk, "projects", project_id, PROJECT)["id"]
    if not changes:
        raise ToolError("Nothing to change; give is_done, due_on, priority or project_id.")
    desk.update("todos", task_id, **changes)
    return {"message": "Changed the task.", "task_id": task_id}


@tool(seconds=WRITE)
def tasks_delete(desk: Desk, task_id: int) -> Item:
    """Delete a task.

    Args:
        desk: Whose task it must be; its project stays.
        task_id: Its id.
    """
    own(desk, "todos", task_id, TASK)
    desk.delete("todos", task_id)
    return {"message": "Deleted the task."}


TOOLS = (tasks_projects, tasks_list, tasks_create, tasks_update, tasks_delete)
