"""Ways out of the sandbox in which programs of players run, on each sandbox that this machine has."""

from __future__ import annotations

from tests.envs.escapes.attempt import attempts, each_attempt
from tests.soak.row import Deadline, Row


def run(count: int, seconds: float) -> list[Row]:
    """Make every attempt on every sandbox.

    Args:
        count: Attempts in all.
        seconds: After which no other is begun.
    """
    deadline, tried, out = Deadline(seconds), 0, list[str]()
    kinds, missing = dict[str, None](), list[str]()
    for kind, name, how, _ in each_attempt():
        if not name:
            missing.append(kind)
            continue
        kinds[kind] = None
        tried += 1
        out += [f"{kind}: {name}: {how}"] if how else []
        if tried >= count or deadline.over:
            break
    found = f"{len(out)} got out" + (f"; not on this machine: {', '.join(missing)}" if missing else "")
    found += "".join(f"; {one[:200]}" for one in out[:3])
    what = f"ways out of the sandbox ({len(attempts())} different; {', '.join(kinds) or 'none is here'})"
    return [Row(what, tried, found, not out and bool(tried), "--only escapes")]
