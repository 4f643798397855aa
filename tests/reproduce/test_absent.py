"""A claim on a machine that lacks the engine of a world: its arms are left out, and one line says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import gymnasium as gym
import pytest

from agentgym.cli import run
from agentgym.core import ConfigError, MissingExtra
from agentgym.core.catalog import _CARDS, register
from agentgym.reproduce import load_claim, playable
from tests.evaluate.worlds import CARD, NAME, Dice

CLAIM = f"""
claim = "Ten is more than one."
source = "arithmetic"

[metrics]
size = "how large"

[common]
world = "FrozenLake-v0"

[arms.lake]
function = "tests.reproduce.test_absent:sized"
over = {{ by = [1, 10] }}

[arms.box]
function = "tests.reproduce.test_absent:sized"
options = {{ world = "{NAME}" }}
over = {{ by = [1, 10] }}

[[checks]]
metric = "size"
larger = "lake by=10"
smaller = "lake by=1"
question = "Is ten more in a lake?"

[[checks]]
metric = "size"
larger = "box by=10"
smaller = "box by=1"
question = "Is ten more in a box?"
"""


class Engineless(Dice):
    """A world whose engine is not installed."""

    def _configured(self) -> None:
        raise MissingExtra("the box needs the package 'box': run  pip install \"agentgym-suite[worlds]\"")


def sized(*, seed: int, by: int, world: str) -> dict[str, float]:
    return {"size": float(by + seed)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "sizes.toml"
    found.write_text(CLAIM)
    return found


@pytest.fixture(params=[Dice, Engineless])
def box(request: pytest.FixtureRequest) -> Iterator[type[Dice]]:
    register(replace(CARD, entry_point=f"{request.param.__module__}:{request.param.__name__}"))
    yield request.param
    del _CARDS[CARD.id]
    del gym.registry[CARD.id]


def test_arms_without_an_engine_are_left_out(box: type[Dice], path: Path) -> None:
    whole = load_claim(str(path))
    claim = playable(whole)
    if box is Dice:
        assert claim == whole
        return
    assert list(claim.arms) == ["lake by=1", "lake by=10"]
    assert [check.larger for check in claim.checks] == ["lake by=10"]
    assert list(claim.absent) == [NAME]


@pytest.mark.full
def test_the_command_says_in_one_line_what_is_left_out(
    box: type[Dice], path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    claim = playable(load_claim(str(path)))
    assert run(["reproduce", str(path), "--seeds", "2", "--out", str(path.parent), "--workers", "1"]) == 0
    told, record = capsys.readouterr().out, json.loads((path.parent / "sizes.json").read_text(encoding="utf8"))
    assert record["absent"] == dict(claim.absent)
    assert list(record["arms"]) == list(claim.arms)
    assert record["questions"]["Is ten more in a lake?"] == "holds"
    if box is Dice:
        assert set(record["questions"].values()) == {"holds"}
        return
    assert list(record["questions"]) == ["Is ten more in a lake?"]
    (line,) = [line for line in told.splitlines() if "Without" in line]
    assert NAME in line
    assert "pip install" in line


@pytest.mark.parametrize("box", [Engineless], indirect=True)
def test_where_no_check_is_left_the_reason_is_said(box: type[Dice], path: Path) -> None:
    path.write_text(CLAIM.replace('"FrozenLake-v0"', f'"{NAME}"'))
    with pytest.raises(ConfigError, match="sizes cannot be tried here: the box needs the package") as refused:
        playable(load_claim(str(path)))
    assert "\n" not in str(refused.value)
