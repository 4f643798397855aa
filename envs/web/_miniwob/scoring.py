"""When a page counts as solved."""

from __future__ import annotations

FULL = 1.0 - 1e-9
NEAR = 0.9  # of the raw reward, on pages that pay by distance from the goal
MEASURED = frozenset(
    {"bisect-angle", "chase-circle", "circle-center", "draw-circle", "draw-line", "find-midpoint", "moving-items",
     "right-angle", "use-colorwheel", "use-colorwheel-2"}
)  # fmt: skip


def solved(page: str, raw: float, any_reward: bool = False) -> bool:
    """Whether a raw reward means that the page's task was done, not only partly or nearly.

    Args:
        page: Its name.
        raw: The reward that the page pays.
        any_reward: Whether each that is above 0 counts, as in BrowserGym.
    """
    if any_reward:
        return raw > 0
    return raw >= (NEAR if page in MEASURED else FULL)
