"""How providers say that they refuse a conversation for what it says, and no answer for another reason.

Read with distrust: a body may echo what was sent, so what names a parameter or the model of the question is the fault
of the options, whatever else it says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from agentgym.core.json_text import read_json

REFUSED = frozenset({400, 422})
FILTERED = frozenset(
    {
        "content_filter",
        "refusal",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "guardrail_intervened",
    }
)  # reasons why an answer ends that a filter, or the model itself, has kept back
CODES = frozenset(
    {
        "contentfilter",
        "contentpolicyviolation",
        "contentpolicyviolationerror",
        "responsibleaipolicyviolation",
        "invalidprompt",
        "moderationblocked",
        "safetyviolation",
        "prohibitedcontent",
        "guardrailintervened",
        "datainspectionfailed",
        "sensitivewordsdetected",
    }
)  # without underscores, hyphens and spaces: OpenAI, Azure, LiteLLM, Gemini, Bedrock, DashScope, One API
OPTIONS = re.compile(
    r"(?:unknown|unsupported|unrecognized|missing|extra)[ _](?:request[ _]|required[ _])?"
    r"(?:parameter|argument|value|field|input)s?|model[ _]not[ _]found|does not exist|(?:invalid|unknown) model"
    r"|(?:extra inputs|parameters?) (?:are|is) not (?:permitted|supported|allowed)",
    re.IGNORECASE,
)
SAID = re.compile(
    r"content (?:management|filter(?:ing)?|moderation|safety|usage)? ?polic(?:y|ies)|content[ _]filter"
    r"|violat\w+ (?:\w+ ){0,3}(?:usage|safety|content) polic|flagged (?:as|for|by)|rejected (?:\w+ ){0,5}safety system"
    r"|(?:blocked|stopped|rejected) (?:by|for|due to) (?:\w+ ){0,3}(?:safety|moderation|guardrail|content)"
    r"|content exists risk|inappropriate content|considered high risk|prohibited content"
    r"|must (?:have|be) non-?empty",  # an empty answer of the model, sent back in its turn
    re.IGNORECASE,
)
CONVERSATION = re.compile(r"(?:messages?|prompt|inputs?|contents?)\b")  # what a refusal names that is of no option
LONGEST = 4000  # characters that are looked at
INNER = ("innererror", "inner_error", "metadata")


def refuses_content(status: int, body: bytes) -> bool:
    """Whether a refusal is one of what the conversation says, rather than of the options it was sent with.

    Args:
        status: Of the response.
        body: What the provider said.
    """
    if status not in REFUSED:
        return False
    try:
        told = read_json(body)
    except ValueError:
        told = body.decode(errors="replace")
    error = told.get("error", told) if isinstance(told, dict) else told
    tables = [error] if isinstance(error, dict) else []
    tables += [table[key] for table in tables for key in INNER if isinstance(table.get(key), dict)]
    words = _words(error)
    if any(_raw(table.get("param")) and not CONVERSATION.match(table["param"]) for table in tables):
        return False
    codes = {_plain(table.get(key)) for table in tables for key in ("code", "type", "status")}
    if OPTIONS.search(" ".join(_raw(table.get(key)) for table in tables for key in ("code", "type"))):
        return False
    if codes & CODES:
        return True
    return not OPTIONS.search(words) and SAID.search(words) is not None


def _words(error: Any) -> str:
    """What a body says to people."""
    if isinstance(error, Mapping):
        error = error.get("message") or error.get("detail") or error.get("raw") or ""
    return error[:LONGEST] if isinstance(error, str) else json.dumps(error)[:LONGEST]


def _raw(value: Any) -> str:
    return value[:LONGEST] if isinstance(value, str) else ""


def _plain(value: Any) -> str:
    return re.sub(r"[\s_-]", "", _raw(value)).casefold()
