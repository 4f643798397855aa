"""Plans of what was done in a browser: a step is a page that was opened, or a form that was filled in and sent."""

from __future__ import annotations

from collections.abc import Sequence

from agentgym.core.grammar import Call
from agentgym.core.plans import PlanStep
from agentgym.envs.web._browser.grammar import BrowserGrammar
from agentgym.envs.web._sites.plans import described

GRAMMAR = BrowserGrammar()
FILLING = ("fill", "type", "clear", "select", "check", "uncheck", "upload")


class PageAnnotator:
    """Names elements by role and name, as the page showed them, and puts what is filled in with what sends it.

    What was typed, and what was answered in the end, stand in no plan: the task tells the one, a page the other.
    """

    def steps(self, instruction: str, trace: Sequence[tuple[str, str]]) -> Sequence[PlanStep]:
        """See `agentgym.core.plans.PlanAnnotator`.

        Args:
            instruction: Not used.
            trace: Observations as outlines, and actions in the browser's words.
        """
        found: list[PlanStep] = []
        filled: list[str] = []  # names of the fields of the form under way
        begun = 0
        for turn, (seen, action) in enumerate(trace):
            call = GRAMMAR.parse(action)
            if not isinstance(call, Call):
                name, head = "", action
            else:
                name, head, *_ = [*described(call, (line.strip() for line in seen.split("\n"))), ""]
            if name in FILLING and head:
                begun = begun if filled else turn
                filled += [head] if head not in filled else []
                continue
            words, first = _words(name, head, action), turn
            if filled:
                words, first = f"fill in {', '.join(filled)}, then {words}", begun
                filled = []
            found.append(PlanStep(words, first))
        if filled:
            found.append(PlanStep(f"fill in {', '.join(filled)}", begun))
        return found


def page_annotator() -> PageAnnotator:
    """An annotator of demonstrations in any world in a browser, for `clone.plans` of a recipe."""
    return PageAnnotator()


def _words(name: str, head: str, action: str) -> str:
    """What an action is for; `head` is its element or address."""
    if name == "goto":
        return f"open {head}"
    if name == "stop":
        return "say what was found, if anything was asked, and stop"
    if name == "infeasible":
        return "say that it cannot be done"
    return f"{name} {head}" if name and head else " ".join(action.split())
