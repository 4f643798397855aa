"""What the checks say to an environment: hostile texts, damaged actions, code, and forgeries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agentgym.core import Call, Grammar
from agentgym.core.grammar import SLOT, Command

CANARY = "agentgym_canary"
UNFIT = ("\ud800", "caf\udfff", "ab\u202ecd", "\u2066x", "\x1b[2J", "a\x9bb", "a\u2028b\x85c", "a\rb")  # no plain text
HOLLOW = ("%00", "http://x/%00", f"0x{'f' * 4_000}")  # plain text until somebody decodes it
DEEP = (40, 300, 600, 950)  # levels of lists: what reads, walks and writes data gives up at different ones
HUGE = 10**400  # a whole number that no float holds
HOSTILE = (
    *UNFIT, *HOLLOW,
    "", " ", "\n", "\t \r\n", "\x00", "\x00\x01\x02\x1b[31m\x7f", "a" * 10_240, "🦊" * 40, "e\u0301\u200d\u202e\u2028",
    "\ud800", "null", "true", "NaN", "-1", "1e999", "9" * 5_000 + ".", "[]", "{}", '"', "[" * 1_500, '{"name": null}',
    '{"name": "x"}', '{"name": "x", "arguments": {}}', '{"name": ["x"], "arguments": {}}',
    '{"name": "x", "arguments": 1}',
    "<script>alert(1)</script>", "'; DROP TABLE users; --", "../../etc", "%s%n%x", "{0.__class__}", "${7*7}",
)  # fmt: skip
RUNNABLE = (f"__import__('{CANARY}')", CANARY, f"{{{{ {CANARY} }}}}", f"lambda: {CANARY}", f"import {CANARY}")
CLUMSY = ("", "help", "what can I do here?", '{"name": "help", "arguments": {}}', "🦊", "\x00", "x" * 3_000)
GROWING = "İ" * 40  # longer in lower case, so that what counts letters there goes astray
NO_NUMBERS = ("²", "٣", "½")  # `str.isdigit`, `isdecimal` and `isnumeric` differ about them, and `int` about all
ODD_WORDS = (
    *UNFIT, *HOLLOW, GROWING, *NO_NUMBERS, "\x00", "🦊" * 20, "9" * 300, "-1", "x" * 1_000, "<x>", "no such thing",
)  # fmt: skip
ODD_ARGUMENTS: tuple[Any, ...] = (
    None, True, -1, 0, 10**12, HUGE, 1e308, "", "\x00", "🦊" * 50, "9" * 400, "no such thing", [], {}, *UNFIT,
    [UNFIT[0]], {UNFIT[0]: 1}, GROWING, *NO_NUMBERS,
)  # fmt: skip


def spoiled(world: Any) -> list[str]:
    """A world's examples and command forms, damaged in many ways; some of them are still actions."""
    damaged = []
    for example in world.grammar.examples:
        middle = len(example) // 2
        damaged += [
            f"{example}\x00", f"\x00{example}", f"{example}\n{example}", f"  {example.upper()}  ", example[:middle],
            f"{example[:middle]}🦊{example[middle:]}", f"{example[:middle]}{'9' * 400}{example[middle:]}", example[1:],
        ]  # fmt: skip
        if world.tools:
            call = json.loads(example)
            damaged += [json.dumps({**call, "arguments": {}}), json.dumps({**call, "extra": 1})]
            damaged += _with_argument(call, list(call["arguments"]), ODD_ARGUMENTS)
            damaged += _deep(call)
    forms = [command.form for command in commands(world) if SLOT.search(command.form)]
    return damaged + [SLOT.sub(lambda _, odd=odd: odd, form) for form in forms for odd in ODD_WORDS]  # type: ignore[misc]


def injections(world: Any) -> list[str]:
    """Code that names the canary, alone and in every place where an action holds free text."""
    texts = list(RUNNABLE)
    forms = [command.form for command in commands(world)]
    texts += [SLOT.sub(lambda _, code=code: code, form) for form in forms for code in RUNNABLE]  # type: ignore[misc]
    return texts + [text for call, free in _tool_calls(world) for text in _with_argument(call, free, RUNNABLE)]


def spoken(world: Any, words: str) -> list[str]:
    """Every kind of action that holds free text, with these words in it.

    Args:
        world: A bare world.
        words: The free text; the other places of the action are filled as in its worked example.
    """
    texts = []
    for command in commands(world):
        slots = [slot.replace(" ", "_") for slot in SLOT.findall(command.form)]
        shown = world.parse(command.examples[0]) if command.examples else None
        usual = dict(shown.slots) if isinstance(shown, Call) else {}
        for free in (slot for slot in slots if slot not in command.choices):
            said = {slot: words if slot == free else _usual(command, usual, slot, words) for slot in slots}
            texts.append(SLOT.sub(lambda match, said=said: said[match[1].replace(" ", "_")], command.form))  # type: ignore[misc]
    return texts + [text for call, free in _tool_calls(world) for text in _with_argument(call, free, [words])]


def commands(world: Any) -> list[Command]:
    """The commands of a world's grammar; none where it is of another kind."""
    return list(world.grammar.commands) if isinstance(world.grammar, Grammar) else []


def _tool_calls(world: Any) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Each worked example of a tool call, with the names of its arguments that are text."""
    for example in world.grammar.examples if world.tools else ():
        call = json.loads(example)
        yield call, [name for name, value in call["arguments"].items() if isinstance(value, str)]


def _with_argument(call: Mapping[str, Any], names: list[str], values: Any) -> list[str]:
    """The call once for each of these arguments and values."""
    changes = [{**call["arguments"], name: value} for name in names for value in values]
    return [json.dumps({**call, "arguments": changed}) for changed in changes]


def _deep(call: Mapping[str, Any]) -> Iterator[str]:
    """The call with lists of lists for arguments; what is not printable is looked at more closely."""
    mark = "nested here"
    for text in _with_argument(call, [*call["arguments"], "unknown"], [mark]):
        for levels in DEEP:
            deep = text.replace(json.dumps(mark), "[" * levels + "]" * levels)
            yield from (deep, f"{deep}\n", deep.replace("a", "\\u0061", 1))


def _usual(command: Command, shown: Mapping[str, str], slot: str, words: str) -> str:
    """What stands in a slot beside the one that holds the words: as in the command's example, or its first choice."""
    return shown.get(slot) or command.choices.get(slot, (words,))[0]
