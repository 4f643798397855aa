"""The README: its numbers are those of the code, it is short, and what it links to is there."""

from __future__ import annotations

import re

import pytest

from agentgym.conformance.checks import CHECKS
from agentgym.envs import CARDS
from agentgym.evaluate.suites import suite_names
from docs import front

TEXT = front.README.read_text(encoding="utf8")
LINES = 150


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_what_the_page_says_of_us_is_counted() -> None:
    assert front.written(TEXT, CARDS) == TEXT, "run: python -m docs.front"


def test_the_manual_says_how_many_environments_have_an_oracle_an_expert_and_scores() -> None:
    page = front.INDEX.read_text(encoding="utf8")
    assert front.first_page(page, CARDS) == page, "run: python -m docs.front"
    (line,) = [line for line in page.splitlines() if line.startswith(front.MEASURED)]
    agents = [{agent for scores in card.scores.values() for agent in scores} for card in CARDS]
    counts = [len(CARDS), sum(bool(card.oracle_success) for card in CARDS)]
    counts += [sum("expert" in known for known in agents), sum(bool(known) for known in agents)]
    assert [int(number) for number in re.findall(r"\d+", line)] == counts


def test_a_library_is_counted_once_however_it_is_started() -> None:
    page = (front.ROOT / "docs/tutorials/other_libraries.md").read_text(encoding="utf8")
    rows = [cells(line) for line in page.partition("## Works with")[2].splitlines() if line.startswith("| ")][1:]
    names = {name for name, version, *_ in rows if re.search(r"\d", version)}
    assert {"Inspect AI", "TRL", "TRL over OpenEnv", "verl"} <= names
    assert front.libraries() == len(names - {"TRL over OpenEnv"})


def test_the_numbers_are_those_that_the_library_gives() -> None:
    (row,) = [line for line in TEXT.splitlines() if line.startswith(front.ROW)]
    numbers = [[int(number) for number in re.findall(r"\d+", cell)] for cell in cells(row)]
    together = sum(card.api in ("aec", "parallel") for card in CARDS)
    missing = sum(bool(card.extras or card.requires) for card in CARDS)
    assert numbers[1:4] == [[len(CARDS) - together, together], [len(CARDS)], [len(CARDS) - missing, missing]]
    assert numbers[5][1] == numbers[4][1] == len(CARDS)
    assert numbers[6] == [together]
    assert front.files("suites") == len(suite_names())
    assert re.findall(r"# (\d+) checks;", TEXT) == [str(len(CHECKS))]
    pytest.importorskip("torch", reason="the extra train is not installed")
    from agentgym.train.recipe_files import recipe_names

    assert front.files("recipes") == len(recipe_names()) == numbers[7][0]


def test_every_row_of_the_neighbors_has_every_cell() -> None:
    table = TEXT[TEXT.index("## Why this one") : TEXT.index("Facts about other projects")].strip().splitlines()[2:]
    assert len(table) >= 2 + 5
    assert {len(cells(line)) for line in table} == {8}
    assert all(cell for line in table[2:] for cell in cells(line))
    assert all(re.search(r"\d{4}-\d\d-\d\d", cells(line)[0]) for line in table[3:]), "when was it looked at?"


def test_a_readme_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="must stand once"):
        front.written(TEXT.replace("```bibtex", "```text"), CARDS)


def test_a_new_world_changes_the_numbers() -> None:
    fewer = front.written(TEXT, CARDS[:-1])
    assert f" {len(CARDS) - 1} environments: " in fewer
    assert front.written(fewer, CARDS) == TEXT


def test_the_page_is_short_and_its_links_lead_somewhere() -> None:
    assert len(TEXT.splitlines()) <= LINES
    links = [link.partition("#")[0] for link in re.findall(r"\]\((?!https?:)([^)]+)\)", TEXT)]
    assert links
    assert [link for link in links if not (front.ROOT / link).exists()] == []
