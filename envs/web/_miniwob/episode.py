"""Beginning an episode in a page that may have played others before."""

from __future__ import annotations

import json
from collections.abc import Mapping

from agentgym.envs.web._browser.context import Context
from agentgym.envs.web._browser.engine import script

BARE = "#reward-display,#click-canvas,#sync-task-cover"  # the frame around a page: timer, rewards, cover
PROBE = (
    "({query: agentgym.flat(document.getElementById('query').textContent), "
    "raw: document.getElementById('reward-display').dataset.raw ?? null})"
)
# Pages whose widgets remember earlier episodes, so they are loaded anew for each.
RELOADED = frozenset(
    {"book-flight", "book-flight-nodelay", "choose-date", "choose-date-easy", "choose-date-medium",
     "choose-date-nodelay", "click-pie", "click-pie-nodelay", "daily-calendar", "drag-cube", "hot-cold", "simon-says",
     "social-media", "use-autocomplete", "use-autocomplete-nodelay", "use-colorwheel", "use-colorwheel-2"}
)  # fmt: skip
# Pages on which something passes that must be caught within less than a second: ms by which an action moves the clock.
SPANS = {"stock-market": 400}


def begin_episode(context: Context, seed: int, options: Mapping[str, float]) -> None:
    """Give the page in front its seed and begin, as on a page that has just been loaded.

    Args:
        context: With the page in front.
        seed: Of the page's own generator.
        options: `filled`, the share of a form's wanted fields that are right already; empty for none.
    """
    tab = context.active
    tab.park_mouse()
    arguments = json.dumps([context.key, seed, options])[1:-1]
    tab.evaluate_in_page(f"{script('shim.js', __package__)}({arguments})")
    tab.forget()


def utterance(context: Context) -> str:
    """What the page in front asks for, in words alone: colours and icons that it only shows are named."""
    return " ".join(str(context.active.evaluate_in_page(script("utterance.js", __package__))).split())
