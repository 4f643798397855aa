"""The check that an action is read from prose by the one rule: as itself, and never past a wrong one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from agentgym.conformance.env_under_test import EnvUnderTest
from agentgym.conformance.errors import Violation
from agentgym.conformance.play import stand
from agentgym.core import Call, Driver
from agentgym.core.prose import ANY_TEXT, extract, unquoted
from agentgym.core.rng import stream

MARKED = (
    "\\boxed{%s}", "So it is $\\boxed{\\text{%s}}$.\nThat is best.", "<answer>%s</answer>",
    "Now <action> %s </action>!", "Action: %s", "Thought: I see.\nAction: %s", "**Action:** %s\nThis is why.",
    "Action 1: %s\nObservation: none\nAction: no", "<think>Action: nothing?</think>\n<answer>\n%s\n</answer>",
)  # fmt: skip
AROUND = (
    "%s.", "%s!", '"%s"', "'%s'", "`%s`", "**%s**", "[%s]", "(%s)", '"%s."', "- %s", "1. %s", "My answer is: %s",
    "I have thought about it.\n%s", "Let me see:\n\n%s\n", "```\n%s\n```", "<think>hm</think>\n%s", "\\text{%s}",
)  # fmt: skip
SENTENCES = ("I %s.", "I'll %s", "Let's %s!", "My action is %s.", "**I will %s.**")
WRONG = ("%s\nzzqx vlorp", "%s\n\n- zzqx vlorp.", "(%s)\n\\boxed{zzqx vlorp}", "Action: %s\nAction: zzqx vlorp",
         "<answer>%s</answer> no: <answer>zzqx vlorp</answer>")  # fmt: skip
BROKEN_CALLS = ('%s\n{"name": "zzqx", "arguments": {}}', '%s {"name": ', '%s\n{"name": "zzqx", "arguments": {"a": [1, ')
MEND = "read actions with a Grammar or a ToolGrammar, or by agentgym.core.prose; name free text with Command(free=...)."
SAMPLES = 6


def prose(env: EnvUnderTest) -> str:
    """A4: an action wrapped in prose is read as that action; one that a wrong action follows is not.

    Wrapped are the worked examples and some sampled actions of each player: in quotes, brackets, TeX, tags, fences,
    after labels and thoughts, with closing punctuation. Where any text is an action, marks alone set it apart. What a
    sentence such as "I'll check" says is read as that action or refused, never as another.
    """
    driver = env.world()
    count = 0
    for seed in range(2):
        stand(driver, seed, seed)
        rng = stream("conformance.prose", seed)
        for player in driver.to_act:
            samples = [driver.sample_action(player, rng) for _ in range(SAMPLES)]
            for action in dict.fromkeys([*driver.told("examples", player), *samples]):
                count += _wrapped(driver, player, action)
    return f"{count} texts read"


def _wrapped(driver: Driver, player: str, action: str) -> int:
    """Read an action in every form; how many there were."""
    meant, world = driver.world.parse(action, player), driver.world
    if not isinstance(meant, Call):
        return 0  # for the checks of grammar and samples to say
    words = driver.told("first_words", player)
    forms = MARKED if words is ANY_TEXT and not driver.told("tools", player) else (*MARKED, *AROUND)
    talks = words is ANY_TEXT or extract(f"{action}\nzzqx", words).endswith(" zzqx")
    texts = [
        form % action
        for form in forms
        if not set(form.replace("%s", "")) & _own(action)
        and not (talks and "%s\nThis" in form)
        and not (form[0] in "-1" and not action[0].isalpha())  # "- 3" may be a number
    ]
    for text in texts:
        if len(text) <= world.action_length and not alike(meant, world.parse(text, player)):
            raise Violation(f"{text!r:.160} is read as {world.parse(text, player)}, not as {action!r:.80}.", MEND)
    wrong = BROKEN_CALLS if driver.told("tools", player) else () if words is ANY_TEXT else WRONG
    for text in (form % action for form in wrong):
        if len(text) <= world.action_length and alike(meant, world.parse(text, player)):
            raise Violation(f"{text!r:.160} is read as {action!r:.80}, though what it says last is no action.", MEND)
    for form in () if words is ANY_TEXT else SENTENCES:
        read_in(form, action, driver, player)
    return len(texts) + len(wrong)


def read_in(form: str, action: str, driver: Driver, player: str) -> bool | None:
    """Whether an action is read where a sentence, a label or a sign stands around it, rather than refused.

    Args:
        form: What stands around it, with `%s` in the place of the action.
        action: The action.
        driver: The environment.
        player: Who says it.

    Returns:
        None if it is no action, or too long in this form.

    Raises:
        Violation: if another action is read, other than all the words as they stand, where free text is an action.
    """
    text, world = form % action, driver.world
    meant = world.parse(action, player)
    if not isinstance(meant, Call) or len(text) > world.action_length:
        return None
    call = world.parse(text, player)
    if alike(meant, call):
        return True
    if isinstance(call, Call) and re.search(r"\w", text.replace(call.said, "", 1)):
        raise Violation(f"{text!r:.160} is read as {call}, neither as {action!r:.80} nor as it stands.", MEND)
    return False


def _own(action: str) -> set[str]:
    """Signs that an action holds itself, so that they cannot be told from those around it."""
    return set(action) & set("\"'`*()[]{}$<>\\") if not action.lstrip().startswith("{") else set("'`")


def alike(one: Any, other: Any) -> bool:
    """Whether two readings are the same call, whatever closes free text in it.

    Args:
        one, other: What `parse` gave.
    """
    if not (isinstance(one, Call) and isinstance(other, Call)) or one.name != other.name:
        return False
    return list(_values(one.slots)) == list(_values(other.slots))


def _values(slots: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in slots.items():
        yield name, unquoted(value) if isinstance(value, str) else value
