"""Phrasings of tasks on the sites, ten of each kind."""

from __future__ import annotations

import re

QUESTION = re.compile(r"(?:on )?(?:how|who|whose|when|what|where|which)\b")  # how what is asked for may begin
FRAMES = {
    "information": (
        "What is {x}?", "Tell me {x}.", "Find out {x}.", "I need to know {x}.", "Please look up {x}.",
        "Can you tell me {x}?", "Look up {x}, and answer with it.", "Give me {x}.", "Report {x}.",
        "Could you find {x} for me?",
    ),
    "question": (
        "I would like to know {x}.", "Tell me {x}.", "Find out {x}.", "I need to know {x}.", "Please look up {x}.",
        "Can you tell me {x}?", "Look up and tell me {x}.", "Please tell me {x}.", "Report {x}.",
        "Could you find out {x} for me?",
    ),
    "navigation": (
        "Open {x}.", "Go to {x}.", "Show me {x}.", "Take me to {x}.", "Navigate to {x}.", "Bring up {x}.",
        "I want to see {x}.", "Please open {x}, and stop there.", "Find {x}, and stop on it.", "Can you show me {x}?",
    ),
    "content": (
        "{X}.", "Please {x}.", "I want you to {x}.", "Can you {x}?", "Could you please {x}?", "I need you to {x}.",
        "Do this for me: {x}.", "It is time to {x}.", "Your task is to {x}.", "I would like you to {x}.",
    ),
}  # fmt: skip
FRAMES["configuration"] = FRAMES["content"]


def phrased(kind: str, words: str, frame: int) -> str:
    """A task in words.

    Args:
        kind: A key of `FRAMES`.
        words: What stands in a frame: a noun phrase, or what to do. Of `information` also a question, as in
            `how many there are`, which goes into the frames of `question`.
        frame: Which of the ten phrasings.
    """
    if kind == "information" and QUESTION.match(words):
        kind = "question"
    return FRAMES[kind][frame].replace("{x}", words).replace("{X}", words[:1].upper() + words[1:])
