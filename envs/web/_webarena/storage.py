"""Storage states as Playwright writes them: the cookies and stored items with which an episode is signed in."""

from __future__ import annotations

import json
from collections.abc import Coroutine
from pathlib import Path, PurePosixPath
from typing import Any

from agentgym.core.errors import DataError
from agentgym.core.generated import object_schema
from agentgym.core.schema import violation
from agentgym.envs.web._browser.context import Context

TEXT = {"type": "string"}
ITEMS = {
    "type": "array",
    "items": {"type": "object", "properties": {"name": TEXT, "value": TEXT}, "required": ["name", "value"]},
}
STATE: dict[str, Any] = object_schema(
    {
        "cookies": {
            "type": "array",
            "items": {"type": "object", "properties": {"name": TEXT, "value": TEXT}, "required": ["name", "value"]},
        },
        "origins": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"origin": TEXT, "localStorage": ITEMS},
                "required": ["origin", "localStorage"],
            },
        },
    },
    optional=["origins"],
)
FILL = """(state => {
  for (const { origin, localStorage: items } of state)
    if (origin === location.origin)
      for (const { name, value } of items) if (localStorage.getItem(name) === null) localStorage.setItem(name, value);
})(%s)"""


def read_state(folder: Path, named: str) -> dict[str, Any]:
    """A storage state that a config names, by the name of its file alone.

    Args:
        folder: Where the files lie.
        named: The config's `storage_state`, such as `./.auth/gitlab_state.json`.

    Raises:
        DataError: if the folder has no such file, or it is no storage state.
    """
    path = folder / PurePosixPath(named).name
    try:
        state = json.loads(path.read_text(encoding="utf8"))
    except OSError as error:
        raise DataError(
            f"the storage state {path} cannot be read ({error.strerror}); sign in once and save it with "
            "Playwright's context.storage_state(path=...)"
        ) from None
    except ValueError as error:
        raise DataError(f"the storage state {path} is no JSON ({error})") from None
    wrong = violation(state, STATE, where="the storage state")
    if wrong:
        raise DataError(f"{path}: {wrong}")
    return dict(state)


def sign_in(context: Context, state: dict[str, Any]) -> None:
    """Put a storage state into a context that has no page open yet.

    Args:
        context: The episode's.
        state: From `read_state`.
    """

    def cookies(made: Any) -> Coroutine[Any, Any, Any]:
        return made.add_cookies(state["cookies"])

    def items(made: Any) -> Coroutine[Any, Any, Any]:
        return made.add_init_script(FILL % json.dumps(state["origins"]))

    context.arrange(cookies)
    if state.get("origins"):
        context.arrange(items)
