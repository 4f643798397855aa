"""Finds the action in what a model wrote: one rule for every world, wrapper and player, told in `docs/replies.md`.

Which part of a text is the action is decided by the text alone, never by whether that part is valid; tried out is only
how much of what surrounds it is taken off. So a wrong action is never passed over for a right one. All of it takes time
linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

Free = Literal["", "line", "lines"]
"""How free text at the end of a command is read: not free, to its last character, or over several lines as well."""
FREEDOM: tuple[Free, ...] = ("", "line", "lines")
FirstWords = Mapping[str, Mapping[str, Free]]
"""The words with which commands begin, in lower case; of each the words before free text, and how free that is."""
NONE: FirstWords = {}  # never written to; a proxy could not be sent to another process
ANY_TEXT = None  # in place of first words: any text is an action, or the grammar finds the action itself

LABEL = r"^[ \t*_#>-]*action(?:[ \t]+[0-9]{1,3})?[ \t*_]*:[*_]*"
MARK = re.compile(
    rf"(?P<boxed>\\boxed[ \t]*\{{)|<(?P<tag>answer|action)>|(?P<label>{LABEL})", re.IGNORECASE | re.MULTILINE
)
LABELLED = re.compile(LABEL, re.IGNORECASE | re.MULTILINE)
INVENTED = re.compile(r"^[ \t]*observation(?:[ \t]+[0-9]{1,3})?[ \t]*:", re.IGNORECASE | re.MULTILINE)
CLOSED = {name: re.compile(f"</{name}>", re.IGNORECASE) for name in ("answer", "action")}
BRACE = re.compile(r"[{}]")
LEAD = re.compile(r"(?:[-+•>#*]+|[0-9]{1,3}[.)])[ \t]+")
ANSWER = re.compile(
    r"(?:(?:my|the|final|next|best|chosen)[ \t]+){0,3}(?:answer|action|move|command|choice|guess)(?:[ \t]+is)?[ \t]*:",
    re.IGNORECASE,
)
DEED = re.compile(
    r"(?:I(?:['’]ll|[ \t]+will|(?:['’]d|[ \t]+would)[ \t]+like[ \t]+to|(?:['’]m|[ \t]+am)[ \t]+going[ \t]+to"
    r"|[ \t]+(?:want|choose|decide)[ \t]+to)?|let['’]s|let[ \t]+(?:me|us))[ \t]+",
    re.IGNORECASE,
)
STATED = re.compile(
    r"(?:(?:(?:my|the|final|next|best|chosen)[ \t]+){1,3}(?P<noun>answer|action|move|command|choice|guess)[ \t]+is"
    r"|it(?:['’]s|[ \t]+is))[ \t]+",
    re.IGNORECASE,
)
TEX = re.compile(r"\\(?:boxed|text|texttt|textbf|mathrm|mathbf)[ \t]*\{")
WORDS = re.compile(r"\w+")
WORD = re.compile(r"[\s>#*`\"'-]*(\w+)")
EMPHASIS = ("*", "`")
QUOTES = {'"': '"', "'": "'", "$": "$", "“": "”", "‘": "’", "«": "»"}
BRACKETS = {"(": ")", "[": "]", "<": ">"}
CLOSING = ".,;!…。！"
MOST = 12  # things that are taken off around an action


def without_thinking(said: str) -> str:
    """An answer without the thoughts before it: what follows the last `</think>`; "" if it ended while it thought."""
    _, tag, answer = said.rpartition("</think>")
    if tag:
        return answer.lstrip()
    return "" if said.lstrip().startswith("<think>") else said


def marked(text: str) -> str | None:
    r"""What the last mark in a text holds.

    Marks are `\boxed{...}`, `<answer>...</answer>`, `<action>...</action>`, and `Action: ...` where a line begins.
    What follows a line `Observation:` after an `Action:` was made up by the model and does not count.

    Args:
        text: Any text, without thoughts.

    Returns:
        The content; of one that is not closed, and of a label, all that follows. None if there is no mark.
    """
    found = _last_mark(text)
    return None if found is None else found[0]


def extract(text: str, first_words: FirstWords | None = NONE) -> str:
    """The part of a text that is its action.

    Without a mark that is the last line that is not empty and no line of a code fence. Talk runs on: if of the lines
    that begin like a command the last begins like talk, the action is that line with all that follow it. A mark within
    the free text of a single line is part of it. A sentence such as "I go north" is the action only where no other line
    begins like a command.

    Args:
        text: What was said.
        first_words: How commands begin, and which of them end in free text; `ANY_TEXT` leaves all but thoughts.

    Returns:
        The action with what surrounds it, in one line unless `ANY_TEXT`; "" if there is none. It may well be invalid.
        Lines between which a sentence at their end leaves the choice stay as they are, so that none of them is played.
    """
    told = without_thinking(text).strip()
    if first_words is ANY_TEXT or ("\n" not in told and _begins(told, first_words)):
        return told
    found = _last_mark(told)
    if found is None:
        return _last_command(told, first_words)
    inside, label = found
    if not label:
        return _last_command(inside, first_words)
    command = _first_command(inside, first_words)
    return command.rstrip("*") if label.lstrip().startswith("*") else command  # **Action: go north**


def peelings(piece: str) -> Iterator[str]:
    """A piece as it is, and what is left when one thing after another is taken off around it.

    Taken off are closing punctuation, quotes, back-ticks, asterisks, brackets, TeX commands, the mark of a list, and
    labels such as `My answer is:`.

    Args:
        piece: What `extract` found.
    """
    piece = piece.strip()
    yield piece
    for _ in range(MOST):
        less = _peeled(piece).strip()
        if not less or less == piece:
            return
        piece = less
        yield piece


def plain(piece: str) -> str:
    """A piece without the quotes, TeX, list marks and labels around it, with its brackets and closing punctuation."""
    for _ in range(MOST):
        found = LEAD.match(piece) or ANSWER.match(piece)
        less = (piece[found.end() :] if found else _unpaired(piece)).strip()
        if not less or less == piece:
            break
        piece = less
    return piece


def unquoted(value: str) -> str:
    """A value without the quotes, brackets and closing punctuation around it; never empty unless it is."""
    for _ in range(MOST):
        less = _unquoted(value).strip()
        if not less or less == value:
            break
        value = less
    return value


def sentence(piece: str) -> tuple[str, str | None]:
    """What a sentence in the first person says is done, or what one says is the answer.

    "I check", "I'll check" and "Let me check" say `check`; "My guess is crane" and "It's crane" say `crane`.

    Args:
        piece: A sentence, without what stands around it.

    Returns:
        What is said, "" if it is no such sentence; and, of an answer, what the sentence calls it, "" if nothing.
    """
    deed = DEED.match(piece)
    if deed:
        return piece[deed.end() :], None
    stated = STATED.match(piece)
    return (piece[stated.end() :], (stated["noun"] or "").lower()) if stated else ("", None)


def _last_mark(text: str) -> tuple[str, str] | None:
    """What the last mark holds, and the mark if it is a label, whose action comes first."""
    label = LABELLED.search(text)
    invented = INVENTED.search(text, label.end()) if label else None
    text = text[: invented.start()] if invented else text
    last = max(MARK.finditer(text), key=lambda mark: mark.start(), default=None)
    if last is None:
        return None
    inside = text[last.end() :]
    if last["boxed"]:
        return inside[: _closing_brace(inside)], ""
    if last["label"] is not None:
        return inside, last["label"]
    end = CLOSED[last["tag"].lower()].search(inside)
    return (inside[: end.start()] if end else inside), ""


def _closing_brace(text: str) -> int:
    """Where the brace that stands open before a text is closed; its end if it is not."""
    depth = 1
    for brace in BRACE.finditer(text):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.start()
    return len(text)


def _lines(text: str) -> list[str]:
    """Lines that are neither empty nor those of a code fence."""
    return [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("```")]


def _begins(line: str, first_words: FirstWords) -> Free | None:
    """How free the text is of a command like which a line begins; None if it begins like none."""
    word = WORD.match(line)
    frees = first_words.get(word[1].lower()) if word else None
    if not frees:
        return None if frees is None else ""
    said = set(WORDS.findall(line.lower()))
    return max((free for before, free in frees.items() if before in said), key=FREEDOM.index, default="")


def _last_command(text: str, first_words: FirstWords) -> str:
    """The last line, or talk to its end; all lines if the last is a sentence and another names an action as well."""
    lines = _lines(text)
    for place in reversed(range(len(lines))):
        begins = _begins(lines[place], first_words)
        if begins == "lines":
            return _joined(lines[place:])
        if begins is not None:
            break
    if len(lines) > 1 and sentence(_core(lines[-1]))[0] and any(_names(line, first_words) for line in lines[:-1]):
        return "\n".join(line.strip() for line in lines)
    return lines[-1].strip() if lines else ""


def _core(line: str) -> str:
    """A line without all that can be taken off around it."""
    *_, core = peelings(line)
    return core


def _names(line: str, first_words: FirstWords) -> bool:
    """Whether a line, or what it says as a sentence, begins like a command."""
    core = _core(line)
    said, noun = sentence(core)
    return any(_begins(each, first_words) is not None for each in (core, said, f"{noun or ''} {said}"))


def _first_command(text: str, first_words: FirstWords) -> str:
    """What follows a label: a line, or talk up to the next line that begins like a command."""
    lines = _lines(text)
    if not lines or _begins(lines[0], first_words) != "lines":
        return lines[0].strip() if lines else ""
    others = (place for place in range(1, len(lines)) if _begins(lines[place], first_words) is not None)
    return _joined(lines[: next(others, len(lines))])


def _joined(lines: list[str]) -> str:
    return " ".join(line.strip() for line in lines)


def _peeled(piece: str) -> str:
    """A piece without one thing around it; as it is if there is none."""
    less = _unquoted(piece)
    if less != piece:
        return less
    found = LEAD.match(piece) or ANSWER.match(piece)
    return piece[found.end() :] if found else piece.strip("*`") or piece


def _unquoted(piece: str) -> str:
    less = piece.rstrip(CLOSING + " \t")
    if less != piece:
        return less
    first, last = piece[:1], piece[-1:]
    whole = BRACKETS.get(first) == last and _is_whole(piece, first, last)
    return piece[1:-1] if whole else _unpaired(piece)


def _unpaired(piece: str) -> str:
    """A piece without a pair of quotes, or of runs of asterisks or back-ticks, or a TeX command around it."""
    first, last = piece[:1], piece[-1:]
    if first in EMPHASIS and first == last:
        return piece.strip(first) or piece
    if QUOTES.get(first) == last and len(piece) > 1:
        inner = piece[1:-1]
        return piece if first in inner or last in inner else inner
    tex = TEX.match(piece)
    if tex and tex.end() + _closing_brace(piece[tex.end() :]) == len(piece) - 1:
        return piece[tex.end() : -1]
    return piece


def _is_whole(piece: str, first: str, last: str) -> bool:
    """Whether the bracket that opens a piece is closed by its last character."""
    depth = 0
    for place, sign in enumerate(piece):
        depth += (sign == first) - (sign == last)
        if not depth:
            return place == len(piece) - 1
    return False
