"""Questions as people ask them, which the worlds that answer questions are held to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path


def natural_questions(about: str, kind: str = "natural") -> dict[str, str]:
    """What each question of `<kind>_<about>.txt` asks for; its head says in which words.

    Args:
        about: `things` or `cities`.
        kind: `natural`, or `held` for those that were set aside before reading was widened.
    """
    lines = (Path(__file__).parent / f"{kind}_{about}.txt").read_text(encoding="utf8").splitlines()
    parts = [line.split("|") for line in lines if not line.startswith("#")]
    return {text.strip(): asked.strip() for text, asked in parts}


def shares(labels: Mapping[str, str], read: Callable[[str], str | None]) -> tuple[float, float, float]:
    """The shares of questions that are refused, left unanswered although a fact answers them, and read as another one.

    Args:
        labels: What each asks, `?` if no fact answers it.
        read: What is read, `unknown` if nothing is, None if it is refused.
    """
    found = {text: read(text) for text in labels}
    refused = sum(said is None for said in found.values())
    missed = sum(said == "unknown" and labels[text] != "?" for text, said in found.items())
    wrong = sum(said not in (None, "unknown", labels[text]) for text, said in found.items())
    return refused / len(labels), missed / len(labels), wrong / len(labels)
