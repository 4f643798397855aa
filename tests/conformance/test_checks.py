"""The checks pass on right worlds and games and fail on wrong ones, each on the fault it is meant for."""

import importlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from agentgym.conformance import Report, api, check, gamers, golden, measure_scores, render_table, scores, tasks
from agentgym.conformance.checks import CHECKS, IN_PROCESS, run
from agentgym.conformance.env_under_test import open_env
from agentgym.conformance.errors import Violation
from agentgym.conformance.scores import wilson
from agentgym.core import ConfigError, DataError, Score, UnknownName
from tests.sampling import one_in

MODULE = Path(__file__).with_name("broken_worlds.py")
BROKEN_ONES = ("broken_worlds", "broken_games", "broken_readers", "broken_scores")
READ = """
import importlib, json, sys
seen, found = {}, {}
for module, table in json.loads(sys.argv[1]).items():
    named = getattr(importlib.import_module(module), table)  # some modules write into one table
    before = seen.setdefault(id(named), set())
    found[module] = {name: checks for name, checks in named.items() if name not in before}
    before.update(named)
print(json.dumps(found))
"""


def tables(wanted):
    """By module, its table of faulty ids, read in a process of its own so that collecting registers nothing here."""
    command = [sys.executable, "-c", READ, json.dumps(wanted)]
    return json.loads(subprocess.run(command, cwd=MODULE.parent, capture_output=True, text=True, check=True).stdout)


FAULTY = tables({**dict.fromkeys(BROKEN_ONES, "BROKEN"), "outside_worlds": "OUTSIDE"})
BROKEN = {f"{module}:{name}": checks for module in BROKEN_ONES for name, checks in FAULTY[module].items()}
OUTSIDE = FAULTY["outside_worlds"]
ON_DEMAND = {"golden record", "shortcuts", "generic shortcuts"}  # of ours, where a card names them, with --full
UNSTATED = {"expert", "random agent", "do-nothing agent"}
FOR_SEVERAL = {"tries", "dead players", "out of turn", "imitation of the moderator", "private information", "opponents"}
FOR_SEVERAL |= {"PettingZoo's AEC tests", "PettingZoo's parallel tests", "PettingZoo's max_cycles"}
FOR_ONE = {"Gymnasium's checker", "spec as JSON", "wrapped state", "vector environments"}


def run_in_process(env_id):
    with open_env(env_id) as env:
        return [run(name, feature, each, env) for name, feature, each in IN_PROCESS]


@pytest.fixture(scope="module", autouse=True)
def _registered(_worlds_on_the_path):
    importlib.import_module("broken_worlds")


@pytest.mark.parametrize("name", ["Vault", "Replayed", "Tooled"])
def test_a_right_world_passes_every_check(name):
    report = check(f"vault_world:Vault/{name}-v0")
    assert report.passed, [(result.check, result.detail) for result in report.failures]
    passed = {result.check for result in report.results if result.status == "passed"}
    unstated = set() if name == "Vault" else UNSTATED
    assert {check for check, _, _ in CHECKS} - passed == ON_DEMAND | unstated | FOR_SEVERAL


@pytest.mark.parametrize("name", ["Whispers", "Rounds"])
def test_a_right_game_passes_every_check(name):
    report = check(f"game_worlds:Table/{name}-v0")
    assert [(result.check, result.detail) for result in report.failures] == []
    passed = {result.check for result in report.results if result.status == "passed"}
    in_turns = {"tries", "out of turn"} if name == "Rounds" else set()
    idle = ON_DEMAND | {"oracle", "leaks", "PettingZoo's max_cycles"} | UNSTATED | FOR_ONE | in_turns
    assert {check for check, _, _ in CHECKS} - passed == idle


def test_a_published_panel_may_have_a_task_twice_and_tasks_that_cannot_be_solved():
    with open_env("vault_world:Vault/Borrowed-v0", full=True) as env:
        assert tasks.disjoint(env) == "train 20 keys, val 10 keys, test 10 keys"
        assert scores.oracle(env) == "train 20/20, val 10/11, test 10/10"


def test_a_game_that_its_first_action_may_end_is_asked_out_of_turn_in_one_that_goes_on():
    with open_env("game_worlds:Table/Hasty-v0") as env:
        assert api.out_of_turn(env) == "no list, no advice, no effect"


def test_players_that_do_not_do_the_task_are_held_by_a_bound():
    with open_env("Wordle-v0", full=True) as env:
        assert gamers.generic_shortcuts(env).endswith("bound 0.050")
    with open_env("vault_world:Vault/Vault-v0", full=True) as env, pytest.raises(Violation, match="climber wins"):
        gamers.generic_shortcuts(env)  # its list of actions names the password


@pytest.mark.parametrize("name", ["Choir", "Marathon", "Replayed"])
def test_a_right_game_passes_the_checks_of_this_process(name):
    failed = [result for result in run_in_process(f"game_worlds:Table/{name}-v0") if result.status == "failed"]
    assert [(result.check, result.detail) for result in failed] == []


def test_a_plain_gymnasium_environment_is_checked_as_far_as_it_goes():
    report = check("CartPole-v1")
    assert {result.check for result in report.failures} <= {"Gymnasium's checker", "info"}
    assert {"spaces", "processes", "vector environments"} <= {r.check for r in report.results if r.status == "passed"}
    idle = [result for result in report.results if result.status == "not applicable"]
    assert {"snapshot and restore", "oracle", "leaks"} <= {result.check for result in idle}
    assert all(result.detail for result in idle)


@pytest.mark.parametrize("env_id", one_in(8, BROKEN))
def test_a_fault_is_caught_by_the_check_meant_for_it(env_id):
    failed = {result.check: result.detail for result in run_in_process(env_id) if result.status == "failed"}
    assert set(failed) == set(BROKEN[env_id])
    assert " Fix: " in failed[BROKEN[env_id][0]]


def test_a_name_of_the_core_is_caught_where_it_is_overridden_and_where_it_is_assigned():
    [found] = [result for result in run_in_process("broken_worlds:Vault/Overriding-v0") if result.status == "failed"]
    assert found.check == "hooks only"
    assert "Overriding._rng_at_reset, Overriding.task_kind" in found.detail
    assert {"NumpyFlag", "SameDice"} <= {name.split("/")[1][:-3] for name in BROKEN if "hooks only" in BROKEN[name]}


@pytest.mark.parametrize("env_id", one_in(6, OUTSIDE))
def test_a_fault_that_only_other_processes_see_is_caught(env_id, tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setenv("VAULT_DIARY", str(tmp_path / "events"))
    report = check(f"outside_worlds:{env_id}")
    assert {result.check for result in report.failures} == set(OUTSIDE[env_id])
    assert " Fix: " in report.failures[0].detail


def test_a_world_that_cannot_be_made_fails_once():
    report = check("broken_worlds:Vault/NotMade-v0")
    assert [result.check for result in report.failures] == ["construction"]
    assert "the lock is rusty" in report.failures[0].detail
    assert not report.passed


def test_an_id_that_fresh_processes_cannot_find_is_told_how():
    report = check("Vault/Vault-v0")
    assert [result.check for result in report.failures] == ["registration"]
    assert "mypkg:NS/Echo-v0" in report.failures[0].detail


def test_unknown_ids_and_arguments_are_the_callers_mistakes():
    with pytest.raises(UnknownName, match=r"did you mean 'AgentGym/FrozenLake-v0'\?"):
        check("AgentGym/FrozenLakes-v0")
    report = check("AgentGym/FrozenLake-v0", kwargs={"size": 99})
    assert [result.check for result in report.failures] == ["construction"]


def test_arguments_reach_the_world():
    report = check("AgentGym/FrozenLake-v0", kwargs={"view": "coordinates", "slippery": True, "size": 4})
    assert {result.check for result in report.failures} == {"golden record"}, report.failures


def test_the_table_names_every_check():
    results = run_in_process("broken_worlds:Vault/Blind-v0")
    page = io.StringIO()
    Console(width=200, file=page).print(render_table(Report("Vault/Blind-v0", results)))
    text = page.getvalue()
    assert all(name in text for name, _, _ in IN_PROCESS)
    assert "2 failed" in text


def test_the_command_fails_when_a_check_does():
    command = [sys.executable, "-m", "agentgym", "check", "broken_worlds:Vault/Blind-v0"]
    done = subprocess.run(command, cwd=MODULE.parent, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert "state key" in done.stdout


def test_scores_are_measured_on_the_whole_panel():
    measured = measure_scores("vault_world:Vault/Vault-v0", "test")
    assert measured["oracle"] == Score(1.0, 1.0)
    assert measured["nothing"] == Score(0.0, 0.0)
    assert measured == measure_scores("vault_world:Vault/Vault-v0", "test")
    assert set(measure_scores("vault_world:Vault/Vault-v0", "val", 3)) == {"random", "nothing", "expert", "oracle"}


def test_wilson_interval_holds_its_own_rate():
    for count in (1, 10, 500):
        for wins in range(0, count + 1, max(1, count // 10)):
            low, high = wilson(wins, count)
            assert 0.0 <= low <= wins / count <= high <= 1.0
    assert wilson(0, 20)[1] < 0.5 < 1 - wilson(20, 20)[0] + 0.5
    assert wilson(250, 500)[1] - wilson(250, 500)[0] < 0.18


@pytest.mark.full
def test_golden_records_notice_a_change(tmp_path):
    env_id = "vault_world:Vault/Vault-v0"
    written = golden.update(env_id, tmp_path)
    assert written.files == (tmp_path / "golden" / "Vault-v0.json",)
    assert written.changed == ()
    assert golden.verify(env_id, tmp_path) == []
    text = written.files[0].read_text()
    assert text.endswith("}\n")
    record = json.loads(text)
    assert set(record["checksums"]) == {"train", "val", "test"}
    assert {"oracle/val/0", "random/test/1", "clumsy/train/0", "expert/test/0"} <= set(record["transcripts"])
    record["transcripts"]["oracle/val/0"] = "0" * 64
    del record["checksums"]["test"]
    written.files[0].write_text(json.dumps(record))
    assert golden.verify(env_id, tmp_path) == ["checksums test", "transcripts oracle/val/0"]
    assert golden.update(env_id, tmp_path).changed == ("checksums test", "transcripts oracle/val/0")
    assert written.files[0].read_text() == text


def test_golden_records_hold_every_scripted_opponent(tmp_path):
    env_id = "game_worlds:Table/Whispers-v0"
    (written,) = golden.update(env_id, tmp_path).files
    assert golden.verify(env_id, tmp_path) == []
    record = json.loads(written.read_text())
    assert {"oracle/val/0", "random/test/1", "clumsy/train/0", "level:strong/test/0"} <= set(record["transcripts"])
    record["transcripts"]["oracle/val/0"] = "0" * 64
    written.write_text(json.dumps(record))
    assert golden.verify(env_id, tmp_path) == ["transcripts oracle/val/0"]


def test_scores_of_games_are_measured_against_the_rival():
    measured = measure_scores("game_worlds:Table/Whispers-v0", "train")
    assert measured["oracle"].success > 0.7 > measured["nothing"].success
    assert measured == measure_scores("game_worlds:Table/Whispers-v0", "train")


def test_golden_records_need_a_place(tmp_path):
    with pytest.raises(ConfigError, match="say in which folder"):
        golden.update("vault_world:Vault/Vault-v0")
    with pytest.raises(DataError, match="there is no golden record"):
        golden.verify("vault_world:Vault/Vault-v0", tmp_path)
    (tmp_path / "golden").mkdir()
    (tmp_path / "golden" / "Vault-v0.json").write_text("[]")
    with pytest.raises(DataError, match="is no golden record"):
        golden.verify("vault_world:Vault/Vault-v0", tmp_path)


def test_panels_of_generated_worlds_are_found_anew(tmp_path):
    written = golden.update("AgentGym/FrozenLake-v0", tmp_path)
    shipped = Path(str(golden.files("agentgym.assets")))
    assert [path.relative_to(tmp_path) for path in written.files] == [
        Path("panels/FrozenLake-v0.json"),
        Path("golden/FrozenLake-v0.json"),
    ]
    for path in written.files:
        assert path.read_text() == (shipped / path.relative_to(tmp_path)).read_text()
