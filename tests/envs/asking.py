"""Questions as people ask them, which the worlds that answer questions are held to."""

from __future__ import annotations

from pathlib import Path


def natural_questions(about: str) -> dict[str, str]:
    """What each question of `natural_<about>.txt` asks for; its head says in which words.

    Args:
        about: `things` or `cities`.
    """
    lines = (Path(__file__).parent / f"natural_{about}.txt").read_text(encoding="utf8").splitlines()
    parts = [line.split("|") for line in lines if not line.startswith("#")]
    return {text.strip(): asked.strip() for text, asked in parts}
