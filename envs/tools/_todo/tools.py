"""The tools of the to-do world: those of AgentBoard with their names and arguments, and more of the same service."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from agentgym.envs._kit.tools import FINISH, Toolbox, ToolError, tool
from agentgym.envs.tools._todo.account import Desk, Project, TodoTask

READ, WRITE = 0.4, 0.8  # virtual seconds
PRIORITY, NEWEST_ORDER = (1, 4), 999
RULES = (
    "You manage a to-do account with tools. Projects hold sections and tasks; tasks have a due date, a priority from 1 "
    "(normal) to 4 (urgent), labels, a duration in minutes and a description with place, contact and things to bring. "
    "A task that is not completed is open; an open task with a due date before the current date is overdue. Look up "
    "what you need, change only what you are asked to change, and end with finish."
)


def listed(task: TodoTask) -> dict[str, Any]:
    """A task as lists show it."""
    return {
        "id": task.id, "project_id": task.project_id, "section_id": task.section_id, "order": task.order,
        "content": task.content, "is_completed": task.is_completed, "priority": task.priority,
        "due_date": task.due_date, "labels": list(task.labels),
    }  # fmt: skip


def _project(desk: Desk, project_id: str) -> Project:
    known = desk.account.projects.get(project_id)
    if known is None:
        raise ToolError(f"Project {project_id[:20]} does not exist; get_projects gives the ids.")
    return desk.projects.get(project_id, known)


def _task(desk: Desk, task_id: str) -> TodoTask:
    known = desk.task(task_id)
    if known is None:
        raise ToolError(f"Task {task_id[:20]} does not exist; get_tasks gives the ids of a project's tasks.")
    return known


def _date(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat() if len(text) == 10 else _no_date(text)
    except ValueError:
        return _no_date(text)


def _no_date(text: str) -> str:
    raise ToolError(f"{text[:20]!r} is no date; write it as YYYY-MM-DD, such as 2015-06-30.")


def _priority(value: int) -> int:
    if not PRIORITY[0] <= value <= PRIORITY[1]:
        raise ToolError(f"A priority is from 1 (normal) to 4 (urgent), got {value}.")
    return value


def _section(project: Project, section_id: str) -> str:
    if section_id not in dict(project.sections):
        raise ToolError(f"Section {section_id[:20]} is not in {project.name!r}; get_sections gives the ids.")
    return section_id


def _labels(desk: Desk, labels: list[str]) -> tuple[str, ...]:
    for label in labels:
        if label not in desk.account.labels:
            raise ToolError(f"There is no label {label[:20]!r}; get_labels lists them.")
    return tuple(name for name in desk.account.labels if name in labels)


@tool({}, seconds=0.1)
def get_user_current_date(desk: Desk) -> str:
    """Get the user's current date, as YYYY-MM-DD."""
    return desk.account.today


@tool(seconds=0.1)
def get_user_current_location(desk: Desk) -> str:
    """Get the user's current city."""
    return desk.account.city


@tool({}, seconds=READ)
def get_projects(desk: Desk) -> list[dict[str, Any]]:
    """Get all projects of the account: id, order, color, name, is_favorite."""
    return [
        {"id": each.id, "order": each.order, "color": each.color, "name": each.name, "is_favorite": each.is_favorite}
        for each in desk.all_projects()
    ]


@tool({"project_id": "4183920576", "is_favorite": True}, seconds=WRITE)
def update_project(desk: Desk, project_id: str, is_favorite: bool) -> dict[str, Any]:
    """Update a project: whether it is a favorite.

    Args:
        desk: Keeps the changed project; the account behind it stays as it was.
        project_id: Its id.
        is_favorite: Whether it is to be a favorite.
    """
    project = replace(_project(desk, project_id), is_favorite=is_favorite)
    desk.put_project(project)
    return {"message": "Updated the project.", "id": project.id, "name": project.name, "is_favorite": is_favorite}


@tool({"project_id": "4183920576"}, seconds=READ)
def get_sections(desk: Desk, project_id: str) -> list[dict[str, Any]]:
    """Get the sections of a project: id and name.

    Args:
        desk: Whose projects are searched; not changed.
        project_id: Its id.
    """
    return [{"id": key, "name": name} for key, name in _project(desk, project_id).sections]


@tool({}, seconds=READ)
def get_labels(desk: Desk) -> list[str]:
    """Get the labels that tasks may have."""
    return list(desk.account.labels)


@tool({"project_id": "4183920576"}, seconds=READ)
def get_tasks(desk: Desk, project_id: str) -> list[dict[str, Any]]:
    """Get all tasks of a project: id, section_id, order, content, is_completed, priority, due_date, labels.

    Args:
        desk: Whose tasks are listed, those created in the episode last; not changed.
        project_id: Its id.
    """
    _project(desk, project_id)
    return [listed(each) for each in desk.all_tasks() if each.project_id == project_id]


@tool({"task_id": "7736102845"}, seconds=READ)
def get_task_description(desk: Desk, task_id: str) -> dict[str, Any]:
    """Get the description of a task: place, contact, what to bring.

    Args:
        desk: Whose tasks are searched; not changed.
        task_id: Its id.
    """
    task = _task(desk, task_id)
    return {"id": task.id, "content": task.content, "description": task.description}


@tool({"task_id": "7736102845"}, seconds=READ)
def get_task_duration(desk: Desk, task_id: str) -> dict[str, Any]:
    """Get the duration of a task in the form amount(unit).

    Args:
        desk: Whose tasks are searched; not changed.
        task_id: Its id.
    """
    task = _task(desk, task_id)
    return {"id": task.id, "content": task.content, "duration": f"{task.duration}(minute)"}


@tool({"task_id": "7736102845"}, seconds=WRITE)
def complete_task(desk: Desk, task_id: str) -> dict[str, Any]:
    """Mark a task as completed.

    Args:
        desk: Keeps the task as completed; its account stays as it was.
        task_id: Its id.
    """
    task = _task(desk, task_id)
    if task.is_completed:
        raise ToolError(f"{task.content!r} is completed already.")
    task = replace(task, is_completed=True)
    desk.put(task_id, task)
    return {"message": "Completed the task.", **listed(task)}


@tool({"task_id": "7736102845"}, seconds=WRITE)
def reopen_task(desk: Desk, task_id: str) -> dict[str, Any]:
    """Mark a completed task as open again.

    Args:
        desk: Keeps the task as open; one that then equals the account's own counts as unchanged.
        task_id: Its id.
    """
    task = _task(desk, task_id)
    if not task.is_completed:
        raise ToolError(f"{task.content!r} is open already.")
    task = replace(task, is_completed=False)
    desk.put(task_id, task)
    return {"message": "Reopened the task.", **listed(task)}


@tool({"task_id": "7736102845", "due_date": "2015-06-30"}, seconds=WRITE)
def update_task(
    desk: Desk,
    task_id: str,
    due_date: str | None = None,
    priority: int | None = None,
    labels: list[str] | None = None,
    section_id: str | None = None,
) -> dict[str, Any]:
    """Update a task; what is left out stays as it is.

    Args:
        desk: Keeps the changed task; nothing is kept of a call with any argument that is refused.
        task_id: Its id.
        due_date: The new due date as YYYY-MM-DD.
        priority: The new priority, from 1 (normal) to 4 (urgent).
        labels: All labels it is to have, in place of those it has.
        section_id: Another section of its project.
    """
    task = _task(desk, task_id)
    changes: dict[str, Any] = {}
    if due_date is not None:
        changes["due_date"] = _date(due_date)
    if priority is not None:
        changes["priority"] = _priority(priority)
    if labels is not None:
        changes["labels"] = _labels(desk, labels)
    if section_id is not None:
        changes["section_id"] = _section(_project(desk, task.project_id), section_id)
    if not changes:
        raise ToolError("Nothing to update; give due_date, priority, labels or section_id.")
    task = replace(task, **changes)
    desk.put(task_id, task)
    return {"message": "Updated the task.", **listed(task)}


@tool({"project_id": "4183920576", "content": "Order the oven", "due_date": "2015-06-30"}, seconds=WRITE)
def create_task(
    desk: Desk, project_id: str, content: str, due_date: str, section_id: str | None = None, priority: int = 1
) -> dict[str, Any]:
    """Create a task in a project.

    Args:
        desk: Gets the new task under the next spare id of its account.
        project_id: Id of the project.
        content: Name of the task.
        due_date: As YYYY-MM-DD.
        section_id: A section of the project; its first one if left out.
        priority: From 1 (normal) to 4 (urgent).
    """
    project = _project(desk, project_id)
    if not content.strip():
        raise ToolError("A task needs a name in content.")
    if desk.created >= len(desk.account.spare_ids):
        raise ToolError(f"No more than {len(desk.account.spare_ids)} tasks can be created.")
    section = project.sections[0][0] if section_id is None else _section(project, section_id)
    day, rank = _date(due_date), _priority(priority)
    key = desk.account.spare_ids[desk.created]
    task = TodoTask(key, project.id, section, NEWEST_ORDER, content.strip(), "", 30, rank, day, (), False)
    desk.created += 1
    desk.put(key, task)
    return {"message": "Created the task.", **listed(task)}


@tool({"task_id": "7736102845"}, seconds=WRITE)
def delete_task(desk: Desk, task_id: str) -> dict[str, Any]:
    """Delete a task.

    Args:
        desk: Notes that the task is gone, so that no later call finds it.
        task_id: Its id.
    """
    task = _task(desk, task_id)
    desk.put(task_id, None)
    return {"message": "Deleted the task.", **listed(task)}


@tool({}, seconds=0.0)
def check_valid_actions(desk: Desk) -> list[str]:
    """Get the names of all tools."""
    return TOOLBOX.names


TOOLBOX = Toolbox(
    (
        get_user_current_date, get_user_current_location, get_projects, update_project, get_sections, get_labels,
        get_tasks, get_task_description, get_task_duration, complete_task, reopen_task, update_task, create_task,
        delete_task, check_valid_actions,
    ),
    FINISH,
    RULES,
)  # fmt: skip
