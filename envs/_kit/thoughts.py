"""Commands among which an agent may think aloud, as the published prompts of ReAct and its successors do."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentgym.core.grammar import Call, Command, Grammar, Invalid
from agentgym.core.prose import extract

ANSWER = "OK."  # ReAct's answer to a thought, which changes nothing
OPENED = {
    "think:": re.compile(r">?\s*think\s*:", re.IGNORECASE),
    "think[": re.compile(r">?\s*think\s*\[", re.IGNORECASE),
}


class ThinkingGrammar(Grammar):
    """The commands, and thoughts as ReAct's prompts say them (Yao et al. 2023, arXiv:2210.03629).

    A thought is one line that begins with a mark. What it says is never read as a command, even where it names one. It
    is a call of the name `think`, which the world answers with `ANSWER`.

    Args:
        commands, rules: As in `Grammar`.
        mark: `think:` as in the prompts for ALFWorld, or `think[` as in that for WebShop.
        costs: What a thought costs, for the manual of those who act in words. It is no part of the rules: who calls
            functions cannot write a thought as an action.
    """

    def __init__(
        self,
        commands: Sequence[Command],
        rules: str = "",
        mark: str = "think:",
        costs: str = "it takes a turn and changes nothing",
    ):
        self._opened, self._close = OPENED[mark], "]" if mark.endswith("[") else ""
        form = f"{mark}<thought>]" if self._close else f"{mark} <thought>"
        self._told = f"{form} is answered {ANSWER}: {costs}."
        super().__init__(commands, rules)

    @property
    def manual(self) -> str:
        """Rules, what a thought is, actions and worked examples."""
        return f"{self.rules} {self._told}{super().manual.removeprefix(self.rules)}"

    def parse(self, action: str) -> Call | Invalid:
        """Read one action, alone or in prose; never raises on a string."""
        known = self._known.get(action)  # read lately as a command, which a thought never is
        if known is not None:
            return known
        call = self._thought(action.strip()) or super().parse(action)
        if isinstance(call, Call) or "think" not in action.lower():
            return call
        return self._thought(extract(action, self.first_words)) or call

    def _thought(self, said: str) -> Call | None:
        """The call of a line that is a thought and nothing else."""
        opened = self._opened.match(said)
        if opened is None or not said.isprintable():
            return None
        thought = said[opened.end() :].removesuffix(self._close).strip()
        return Call("think", {"thought": thought}, said.removeprefix(">").lstrip()) if thought else None
