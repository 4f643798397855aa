"""The word lists of the shop, read from the package's data."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def word_list(name: str) -> tuple[str, ...]:
    """The words of `assets/webshop/words/<name>.txt` in file order; lines that start with `#` are comments."""
    text = files("agentgym.assets.webshop.words").joinpath(f"{name}.txt").read_text(encoding="utf-8")
    return tuple(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
