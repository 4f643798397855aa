"""Reading answers: any text, over several lines if need be, marked, after `answer:` or alone."""

from __future__ import annotations

import re
from typing import Any

from agentgym.core.grammar import Call, Invalid
from agentgym.core.prose import ANY_TEXT, marked, plain, without_thinking
from agentgym.core.text import objection

PREFIX = re.compile(r"\s*answer:[ \t]*\n?", re.IGNORECASE)


class AnswerGrammar:
    """Any text is an answer; `answer:` before it or answer tags around it may be left out. Lines stay as they are."""

    line = "Actions: your answer alone, in the form the question asks for; it may have several lines"
    examples = ("answer: 42", "<answer>42</answer>")
    manual = (
        "Answer the question. Say the answer alone, in the form the question asks for, with no explanation.\n\n"
        "Answer with the answer itself, which may have several lines, or put it after `answer:` or into answer tags. "
        "For example: answer: 42; <answer>42</answer>"
    )

    @property
    def tools(self) -> list[dict[str, Any]]:
        """Empty: the actions are words."""
        return []

    @property
    def first_words(self) -> None:
        """`ANY_TEXT`: any text is an answer."""
        return ANY_TEXT

    def parse(self, action: str) -> Call | Invalid:
        """Read an answer; white space at the ends of lines within it stays."""
        told = without_thinking(action)
        held = marked(told)
        said = told if held is None else held if "\n" in held else plain(held)
        text = PREFIX.sub("", said, count=1) if PREFIX.match(said) else said
        text = text.strip("\r\n") if text.strip() else ""
        if not text:
            return Invalid(f"the answer is empty. {self.line}")
        wrong = objection(text)
        return Invalid(f"{wrong} {self.line}") if wrong else Call("answer", {"answer": text})
