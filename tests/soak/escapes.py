"""Ways out of the sandbox in which programs of players run, on each sandbox that this machine has."""

from __future__ import annotations

from _pytest.outcomes import Skipped

from agentgym.envs._kit.sandbox import Sandbox
from tests.envs.boxes import BACKINGS, backing
from tests.envs.escapes.attempt import LIMITS, attempt, attempts
from tests.soak.row import Deadline, Row


def run(count: int, seconds: float) -> list[Row]:
    """Make every attempt on every sandbox.

    Args:
        count: Attempts in all.
        seconds: After which no other is begun.
    """
    deadline, tried, out, missing = Deadline(seconds), 0, list[str](), list[str]()
    kinds = []
    for kind in BACKINGS:
        try:
            sandbox = Sandbox(backing(kind), LIMITS)
        except Skipped:
            missing.append(kind)
            continue
        kinds.append(kind)
        for name in attempts():
            if tried >= count or deadline.over:
                break
            how, _ = attempt(sandbox, name)
            tried += 1
            out += [f"{kind}: {name}: {how}"] if how else []
        sandbox.close()
    found = f"{len(out)} got out" + (f"; not on this machine: {', '.join(missing)}" if missing else "")
    found += "".join(f"; {one[:200]}" for one in out[:3])
    what = f"ways out of the sandbox ({len(attempts())} different; {', '.join(kinds) or 'none is here'})"
    return [Row(what, tried, found, not out and bool(tried), "--only escapes")]
