"""Reading whether a line lists a fact, denies it or leaves it open."""

import pytest

from agentgym.assets.webshop.facts import read_clauses, read_line


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("Sensitive teeth are safe with it.", True),
        ("Made for sensitive teeth.", True),
        ("No perfume, no dye: made for sensitive teeth.", True),
        ("Not for sensitive teeth.", False),
        ("Sensitive Teeth: no.", False),
        ("Sensitive teeth? Not with this one.", False),
        ("For sensitive teeth, choose another version.", False),
        ("One of several versions: sensitive teeth, travel size vary from one to the next.", None),
        ("Does it suit sensitive teeth? Read on.", None),
        ("Good for insensitive teeth.", None),
        ("A fresh mint.", None),
    ],
)
def test_lines(line: str, holds: bool | None) -> None:
    assert read_line(line, "sensitive teeth") is holds


def test_clauses_are_told_apart() -> None:
    assert read_clauses("Gluten free. Not vegan; kosher.") == (
        ("gluten free", True),
        ("not vegan", False),
        ("kosher", True),
    )
