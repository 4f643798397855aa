"""A judge of single steps on a device that reads screens, by rules: it sees neither the plan nor the database."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from agentgym.core.grammar import Call
from agentgym.core.text_model import Message, ScriptedModel
from agentgym.envs.web._browser.grammar import BrowserGrammar
from agentgym.envs.web._browser.judge import spoken
from agentgym.envs.web._sites.plans import Step, described

GRAMMAR = BrowserGrammar()
SHELL = ("Home", "Show desktop")  # where an app is opened from
SENDS = ("Search", "Save", "Send", "Join")  # what a form that was filled in goes on with


def device_judge() -> ScriptedModel:
    """A rule that grades the last step, for `JudgeReward(model="agentgym.envs.web.device:device_judge", when="step")`.

    It says 10 where the step touches what the task names, fills in what it says, sends what was filled in, goes to
    where apps are opened, or stops with an answer that a screen has shown; 0 otherwise, and where the step was done
    before. It is wrong where the way leads over something that the task does not name.
    """
    return ScriptedModel(_grade)


def _grade(messages: Sequence[Message], seed: int) -> str:
    task, _, record = messages[-1]["content"].removeprefix("Task: ").partition("\n\nRecord:\n")
    done = list(_steps(record))
    good = bool(done) and _is_good(task.lower(), done)
    return f"The step {'leads on' if good else 'does not lead on'}.\nScore: {10 if good else 0}"


def _steps(record: str) -> Iterator[tuple[Step, str]]:
    """Each action by the name of its element, empty if it is none, and the screen that it was done on."""
    seen = ""
    for who, text in spoken(record):
        if who == "World":
            seen = text
            continue
        call = GRAMMAR.parse(text)
        if not isinstance(call, Call):
            yield [], seen
        elif call.name == "stop":
            yield ["stop", str(call.slots.get("answer", ""))], seen
        else:
            yield described(call, (line.strip() for line in seen.splitlines())), seen


def _is_good(task: str, done: Sequence[tuple[Step, str]]) -> bool:
    *before, (step, _) = done
    if not step:
        return False
    if step[0] == "stop":
        shown = " ".join(seen for _, seen in done)
        parts = [part for part in step[1].split(", ") if part]
        return all(json.dumps(part, ensure_ascii=False) in shown for part in parts) and bool(parts or before)
    name = _name(step[1]) if len(step) > 1 else ""
    last = before[-1][0] if before else []
    if name in SENDS:
        return last[:1] == ["fill"]
    if last == step or (name not in SHELL and any(step == earlier for earlier, _ in before)):
        return False
    said = [text for text in step[2:] if text]
    return name in SHELL or (bool(name) and all(text.lower() in task for text in said or [name]))


def _name(head: str) -> str:
    """The name of an element that a plan writes with its role."""
    _, quote, rest = head.partition('"')
    return str(json.loads(quote + rest)) if quote else ""
