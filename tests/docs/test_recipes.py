"""The pages of recipes say what their files say, and what becomes of them."""

from __future__ import annotations

import json

import pytest

from agentgym.envs import CARDS
from agentgym.train.recipe_files import recipe_names, recipe_table
from docs import recipes


@pytest.mark.parametrize("name", recipe_names())
def test_a_page_holds_the_file_the_paper_and_every_setting(name: str) -> None:
    table, text = recipe_table(name), recipes.page(name, CARDS)
    assert text.startswith(f"# {recipes.escaped(table['method'])}")
    assert recipes.file_of(name).strip() in text
    assert f"$ agentgym train {name}\n" in text
    for paper in recipes.ARXIV.findall(table["paper"]):
        assert f"(https://arxiv.org/abs/{paper})" in text
    shown = dict(line.split(" = ", 1) for line in text.rpartition("```toml\n")[2].splitlines() if " = " in line)
    assert {key: json.loads(value) for key, value in shown.items()} == {
        key: value for key, value in flat(table).items() if key not in ("method", "paper")
    }
    for kind in ("advantage", "filter", "regularizer", "learner"):
        for part in table.get(kind, []):
            assert f"| `{kind}` | `{part if isinstance(part, str) else part['name']}` | " in text


def flat(table: dict, under: str = "") -> dict:
    """A table by dotted keys."""
    if not isinstance(table, dict) or not table:
        return {under[:-1]: table}
    return {key: value for name, inner in table.items() for key, value in flat(inner, f"{under}{name}.").items()}


def test_every_recipe_is_listed_and_titles_tell_them_apart() -> None:
    listed = recipes.listed()
    assert all(f"](recipes/{name}.md)" in listed for name in recipe_names())
    titles = [recipes.page(name, CARDS).partition("\n")[0] for name in recipe_names()]
    assert len(set(titles)) == len(titles), sorted(title for title in titles if titles.count(title) > 1)


def test_commands_in_the_head_of_a_file_are_set_as_commands() -> None:
    text = recipes.header(
        "# One, and then\n# the other_one:\n# agentgym train a\n# agentgym train b --x 1\n# So.\n\nmethod = 1\n"
    )
    assert (
        text == "One, and then\nthe other_one:\n\n```console\n$ agentgym train a\n$ agentgym train b --x 1\n```\n\nSo."
    )
    assert recipes.header("method = 1\n") == ""


def test_a_claim_stands_on_the_pages_of_its_arms_with_its_verdict() -> None:
    assert [(name, verdict) for name, _, verdict in recipes.claims_of("gigpo")] == [
        ("gigpo_over_grpo", recorded("gigpo_over_grpo"))
    ]
    assert ("reseek", "not measured") in [(name, verdict) for name, _, verdict in recipes.claims_of("reseek")]


def recorded(claim: str) -> str:
    """The verdict in a record."""
    return json.loads((recipes.BASELINES / "results" / f"{claim}.json").read_text(encoding="utf8"))["verdict"]
