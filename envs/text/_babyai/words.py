"""A view in words: those of AgentGym's first release, and those of BALROG."""

from __future__ import annotations

from agentgym.envs.text._babyai.views import AGENT, DOOR_NAMES, EMPTY, MIDDLE, NAMES, SIDE, WALL, Sight, View


def describe(view: View, carried: str) -> str:
    """What is in view, the walls and what is carried.

    Args:
        view: What the agent sees.
        carried: Name of what it carries, or empty.
    """
    seen = "".join(f"There is a {sight.label} {_where(sight)}  " for sight in view.sights)
    head = f"In front of you in this room, you can see several objects: {seen}" if seen else NOTHING
    walls = "The room has walls around you. "
    if view.barrier:
        walls += f"You are facing a {view.barrier[0]} {view.barrier[1]} steps away. "
    return head + walls + (f"You are carrying a {carried}." if carried else "You are not carrying anything.")


NOTHING = "You cannot see any objects within sight. "


def _where(sight: Sight) -> str:
    if sight.right == 0:
        return f"right in front of you {sight.ahead} steps away."
    side = "right" if sight.right > 0 else "left"
    return f"{sight.ahead} steps in front of you and {abs(sight.right)} steps to your {side}."


def balrog(view: View, carried: str) -> str:
    """BALROG's lines: what is carried, walls in three directions, then things from left to right, far before near.

    Args:
        view: What the agent sees.
        carried: Name of what it carries, or empty.
    """
    lines = [f"You carry a {carried}"] if carried else []
    for side, step, reach in (("forward", -SIDE, SIDE - 1), ("left", -1, MIDDLE), ("right", 1, MIDDLE)):
        for steps in range(1, reach + 1):
            code = view.codes[AGENT + step * steps]
            if code == WALL:
                lines.append(f"a wall {_steps(steps)} {side}")
            if code != EMPTY:
                break
    for column in range(SIDE):
        for row in range(SIDE):
            code = view.codes[row * SIDE + column]
            if code not in (EMPTY, WALL):
                lines.append(f"a {_named(code)} {_away(SIDE - 1 - row, column - MIDDLE)}")
    return "\n".join(lines)


def _named(code: int) -> str:
    return NAMES.get(code) or "{1} {0} door".format(*DOOR_NAMES[code])


def _away(ahead: int, right: int) -> str:
    across = f"{_steps(abs(right))} {'right' if right > 0 else 'left'}"
    if right == 0:
        return f"{_steps(ahead)} forward"
    return f"{across} and {_steps(ahead)} forward" if ahead else across


def _steps(count: int) -> str:
    return f"{count} step{'s' if count > 1 else ''}"
