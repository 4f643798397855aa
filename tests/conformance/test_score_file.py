"""Scores as data: read when looked at, written by what measures them, about worlds that exist."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from agentgym.agents.shortcuts import GENERIC
from agentgym.conformance import measure_scores, update_scores
from agentgym.conformance.score_file import update_scores_apart, write_scores
from agentgym.core import ConfigError, DataError, EnvCard, Score, StoredScores, card
from agentgym.core.scores import read_scores, score_file
from agentgym.envs import CARDS

FAMILIES = ("text", "web", "tools", "code", "games", "multiagent")
USERS = ("ALFWorld-v0", "Jericho-v0", "Browser-v0", "WebArena-v0", "WebShopOriginal-v0")  # play data of their users
UNSTATED = {f"AgentGym/{name}" for name in USERS}
WORLD = """
from dataclasses import replace
from agentgym.core import StoredScores, register
from vault_world import CARD as VAULT, VaultEnv

CARD = replace(VAULT, id="Parlour/Vault-v0", entry_point="parlour.vault:Vault", scores=StoredScores())

class Vault(VaultEnv):
    card = CARD

register(CARD)
"""
NAME = "parlour.vault:Parlour/Vault-v0"


def usual(row: Mapping[str, Score]) -> dict[str, Score]:
    """What agents score that are no shortcuts."""
    return {agent: score for agent, score in row.items() if not agent.startswith("shortcut:")}


@pytest.fixture
def vault() -> EnvCard:
    """The card of a world that states its scores itself."""
    found: EnvCard = import_module("vault_world").CARD
    return found


@pytest.fixture
def parlour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with a world and no scores yet."""
    folder = tmp_path / "parlour"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "vault.py").write_text(WORLD)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys.modules["agentgym.core.catalog"], "_CARDS", {})
    read_scores.cache_clear()
    import_module("parlour.vault")
    yield folder
    for name in ("parlour", "parlour.vault"):
        del sys.modules[name]
    read_scores.cache_clear()


def test_what_is_measured_is_what_the_card_says_from_then_on(parlour: Path, vault: EnvCard) -> None:
    stated = card(NAME).scores
    assert dict(stated) == {}
    read_scores.cache_clear()
    assert update_scores(NAME) == parlour / "scores.json"
    read_scores.cache_clear()
    assert set(stated) == {"val", "test"}
    assert usual(stated["test"]) == measure_scores(NAME, "test") == vault.scores["test"]
    assert stated["test"].keys() - usual(stated["test"]).keys() == {f"shortcut:{name}" for name in GENERIC}
    table = json.loads((parlour / "scores.json").read_text(encoding="utf8"))
    assert table["Parlour/Vault-v0"]["test"]["oracle"] == {"success": 1.0, "score": 1.0}


def test_splits_and_agents_that_stand_in_the_file_are_measured_anew_and_other_worlds_stay(
    parlour: Path, vault: EnvCard
) -> None:
    wrong, other = Score(0.5, 0.5), {"test": {"random": Score(0.25, -1.5)}}
    written = {"Parlour/Vault-v0": {"train": {"spam": wrong}, "test": {"random": wrong}}, "Parlour/Other-v0": other}
    write_scores(parlour / "scores.json", written)
    update_scores(NAME)
    read_scores.cache_clear()
    found = read_scores("parlour")
    assert found["Parlour/Other-v0"] == other
    assert list(found["Parlour/Vault-v0"]) == ["train", "test", "val"]
    assert usual(found["Parlour/Vault-v0"]["test"]) == vault.scores["test"]
    assert found["Parlour/Vault-v0"]["train"]["spam"] != wrong


@pytest.mark.parametrize("text", ["[1]", "{", '{"Parlour/Vault-v0": {"test": {"random": {"won": 1}}}}'])
def test_a_file_that_is_no_table_is_said_in_one_line(parlour: Path, text: str) -> None:
    (parlour / "scores.json").write_text(text)
    with pytest.raises(DataError, match="is no table of scores") as refused:
        len(card(NAME).scores)
    assert "\n" not in str(refused.value)


def test_scores_that_have_no_file_are_refused() -> None:
    with pytest.raises(ConfigError, match="stands in no package; give its card scores="):
        update_scores("vault_world:Vault/Vault-v0")
    with pytest.raises(ConfigError, match="needs products, attributes"):
        update_scores("WebShopOriginal-v0")
    assert update_scores_apart("WebShopOriginal-v0") is None


def test_every_world_of_the_suite_has_scores_and_every_score_a_world(tmp_path: Path) -> None:
    known = {shown.id: shown for shown in CARDS}
    for family in FAMILIES:
        package = f"agentgym.envs.{family}"
        for env_id, splits in read_scores(package).items():
            assert known[env_id].entry_point.startswith(f"{package}."), f"{env_id} stands in the file of {family}"
            assert set(splits) <= set(known[env_id].splits)
        text = score_file(package).read_text(encoding="utf8")
        written = tmp_path / family
        write_scores(written, read_scores(package))  # as the command writes it, or the next update moves every line
        assert written.read_text(encoding="utf8") == text
    assert {env_id for env_id, shown in known.items() if not shown.scores} == UNSTATED


def test_an_import_reads_no_scores() -> None:
    code = (
        "import agentgym; from agentgym.core.scores import read_scores; "
        "assert read_scores.cache_info().currsize == 0; "
        "assert agentgym.card('TextCraft-v1').scores['test']['oracle'].success == 1.0"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_card_keeps_scores_that_it_was_given(vault: EnvCard) -> None:
    assert not isinstance(vault.scores, StoredScores)
    bare: dict[str, Any] = {"kind": "text", "description": "", "citation": "", "splits": {}, "max_turns": 1}
    alone = EnvCard(id="Vault/None-v0", entry_point="vault_world:VaultEnv", deterministic=True, **bare)
    assert dict(alone.scores) == {}
