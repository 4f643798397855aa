"""The command line: what it prints, what it refuses, how it exits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.table import Table

import agentgym
from agentgym.cli import run
from agentgym.cli.screen import console, plain
from agentgym.core import EnvCard
from agentgym.evaluate import read_episodes, world_options
from tests.agents.server import Answer, ChatServer, completion

LAKE = "FrozenLake-v0"
FIRM = ["--env", "slippery=false"]
PATIENCE = 60  # seconds


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 2) -> str:
    """The one line on standard error with which a command line is refused."""
    assert run(arguments) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("agentgym: ")
    assert err.count("\n") == 1
    return err.strip()


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert run(arguments) == code
    out, err = capsys.readouterr()
    assert err == ""
    return out


# The catalog.


def test_list_shows_every_environment(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "list")
    for card in agentgym.catalog().values():
        assert card.name in out
    assert "train endless, val 500, test 500" in out


def test_list_as_json_is_the_cards(capsys: pytest.CaptureFixture[str]) -> None:
    cards = json.loads(printed(capsys, "list", "--json"))
    assert [card["id"] for card in cards] == list(agentgym.catalog())
    assert {"kind", "splits", "max_turns", "oracle_success", "extras", "description"} <= set(cards[0])
    (lake,) = (card for card in cards if card["id"] == f"AgentGym/{LAKE}")
    assert lake["scores"]["test"]["oracle"] == agentgym.card(LAKE).scores["test"]["oracle"]._asdict()


@pytest.mark.parametrize(
    ("arguments", "fits"),
    [
        (("--family", "web"), lambda card: card.kind == "web"),
        (("--api", "parallel"), lambda card: card.api == "parallel"),
        (("--players", "3"), lambda card: card.players == 3),
        (("--extra", "worlds"), lambda card: "worlds" in card.extras),
        (("--extra", "none"), lambda card: not card.extras),
        (("--images",), lambda card: card.images),
        (("--no-images",), lambda card: not card.images),
        (("POKER", "match"), lambda card: card.name == "KuhnPoker-v0"),
        (("--family", "games", "--images", "frozen"), lambda card: card.name == "FrozenLake-v0"),
    ],
)
def test_list_can_be_narrowed_down(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], fits: Callable[[EnvCard], bool]
) -> None:
    shown = [card["id"] for card in json.loads(printed(capsys, "list", "--json", *arguments))]
    wanted = [card.id for card in agentgym.catalog().values() if fits(card)]
    assert shown == wanted
    assert 0 < len(wanted) < len(agentgym.catalog())
    out = printed(capsys, "list", *arguments)
    assert [name in out.split() for name in ("WebShop-v1", "ColorGrid-v0")] == [
        f"AgentGym/{name}" in wanted for name in ("WebShop-v1", "ColorGrid-v0")
    ]


def test_list_of_nothing_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "list", "zebra", "--images") == "no environment fits; ask for less\n"
    assert printed(capsys, "list", "zebra", "--json") == "[]\n"


def test_show_has_the_manual(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "show", LAKE)
    assert "arXiv:2504.20073" in out
    assert "- left: take a step left." in out


@pytest.mark.parametrize("name", ["LiarsDice-v0", "Commons-v1", "MatrixGame-v0", "WebShopOriginal-v0"])
def test_show_lists_every_option_with_its_default(capsys: pytest.CaptureFixture[str], name: str) -> None:
    out = " ".join(printed(capsys, "show", name).split())
    for option in world_options(agentgym.card(name)):
        assert f"{option.name} ({'required' if option.default is None else option.default}): " in out
    assert "LiarsDice" not in name or "players (2): How many play, 2 to 6" in out


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "--version").strip() == agentgym.__version__
    commands = ("list", "show", "play", "eval", "replay", "check", "golden")
    for arguments in ((), ("--help",), ("-h",)):
        out = printed(capsys, *arguments)
        assert all(command in out for command in commands)


# Bad input: one line, exit code 2.

DEEP = "[" * 3_000 + "]" * 3_000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("evaluate",), "No such command"),
        (("eval",), "give an ID, or --suite with one of: agentgym, all"),
        (("eval", "--suite", "smoek"), "did you mean 'smoke'?"),
        (("eval", "--suite", "no/such.toml"), "cannot be read"),
        (("eval", LAKE, "--suite", "smoke"), "leave out the ID"),
        (("eval", "--suite", "smoke", "--split", "val"), "leave out --split"),
        (("eval", "--suite", "smoke", "--env", "size=4"), "leave out --env,"),
        (("eval", LAKE, "--epsiodes", "3"), "No such option: --epsiodes"),
        (("eval", LAKE, "--episodes", "three"), "--episodes"),
        (("eval", LAKE, "--episodes", "0"), "--episodes"),
        (("eval", "FrozenLak-v0"), "did you mean 'FrozenLake-v0'?"),
        (("eval", "AgentGym/FrozenLake-v7"), "did you mean 'AgentGym/FrozenLake-v0'?"),
        (("eval", "Other/FrozenLake-v0"), "did you mean 'AgentGym/FrozenLake-v0'?"),
        (("eval", "no_such_package:A/B-v0"), "cannot be imported"),
        (("eval", LAKE, "--split", "tst"), "did you mean 'test'?"),
        (("eval", LAKE, "--episodes", "501"), "has 500 tasks; ask for at most 500"),
        (("eval", LAKE, "--agent", "orcale"), "did you mean 'oracle'?"),
        (("eval", LAKE, "--agent", "human"), "agentgym play ID"),
        (("eval", LAKE, "--agent", "endpoint"), "needs the option 'model'"),
        (
            ("eval", LAKE, "--agent", "endpoint", "--model", "m", "--extra-body", "{"),
            "--extra-body must be a JSON object",
        ),
        (
            ("eval", LAKE, "--agent", "endpoint", "--model", "m", "--extra-body", "[]"),
            "extra_body must be a JSON object",
        ),
        (("eval", LAKE, "--agent", "endpoint", "--model", "m", "--drop", "top_p"), "drop names 'top_p'"),
        (("eval", LAKE, "--agent", "endpoint", "--model", "m", "--max-cost", "1"), "needs to know what tokens cost"),
        (("eval", LAKE, "--agent", "endpoint", "--model", "m", "--tools"), "has no tools to call"),
        (("eval", LAKE, "--concurrency", "4"), "'concurrency' has no effect on the agent 'random'"),
        (("eval", LAKE, "--temperature", "1"), "'temperature' has no effect on the agent 'random'"),
        (("eval", LAKE, "--agent", "hf", "--model", "m", "--price-in", "1"), "'price_in' has no effect"),
        (("eval", LAKE, "--agent", "hf", "--model", "no/such/folder"), "is no model folder"),
        (("eval", LAKE, "--agent", "rule"), "no rule-based player"),
        (("eval", LAKE, "--env", "slipery=true"), "did you mean 'slippery'?"),
        (("eval", LAKE, "--env", "slippery"), "KEY=VALUE"),
        (("eval", LAKE, "--env", "=1"), "KEY=VALUE"),
        (("eval", LAKE, "--env", "size=4", "--env", "size=5"), "--env size is given twice"),
        (("eval", LAKE, "--env", "size=big"), "size must be a whole number"),
        (("eval", LAKE, "--env", "split=val"), "as --split"),
        (("eval", LAKE, "--env", "max_turns=3"), "as --max-turns"),
        (("eval", LAKE, "--env", "render_mode=ansi"), "unknown option"),
        (("eval", LAKE, "--env", f"size={DEEP}"), "size must be a whole number"),
        (("eval", LAKE, "--wrap", f"History={DEEP}"), "must be a JSON object"),
        (("eval", LAKE, "--agent", "endpoint", "--model", "m", "--extra-body", DEEP), "nested more than 100 levels"),
        (("eval", "..:y"), "cannot be imported: No module named '..'"),
        (("eval", LAKE, "--agent", "..:y"), "cannot be imported"),
        (("eval", LAKE, "--agent", ":y"), "cannot be imported: No module named ''"),
        (("eval", LAKE, "--step-timeout", "inf"), "step_timeout must be above 0 seconds and at most 2,000,000"),
        (("eval", LAKE, "--memory", "inf"), "memory must be above 0 MiB and at most"),
        (("train", "grpo", "--update.updates", DEEP), "updates"),
        (("play", LAKE, "--task", "x"), "ids of an endless split are generator seeds"),
        (("play", LAKE, "--split", "test", "--task", "no"), "has no task 'no'"),
        (("play", LAKE, "--model", "m"), "no effect on a person"),
        (("replay", "nowhere.jsonl"), "there is no file nowhere.jsonl"),
        (("show", "FrozenLak-v0"), "did you mean 'FrozenLake-v0'?"),
        (("show", "webshop"), "unknown environment 'webshop'; did you mean 'WebShop-v1'?"),
        (("list", "--family", "gams"), "did you mean 'games'?"),
        (("list", "--api", "paralel"), "did you mean 'parallel'?"),
        (("list", "--extra", "wordls"), "did you mean 'worlds'?"),
        (("list", "--players", "0"), "--players"),
        (("check", "FrozenLak-v0"), "did you mean"),
        (("check", "no_such_package:A/B-v0"), "cannot be imported"),
        (("golden", "FrozenLak-v0"), "did you mean"),
    ],
)
def test_bad_input_gives_one_line(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str) -> None:
    assert words in refused(capsys, *arguments)


def test_a_corrupt_panel_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from agentgym.assets import records

    (tmp_path / "panels").mkdir()
    (tmp_path / "panels" / f"{LAKE}.json").write_text("{")
    records.seeds.cache_clear()
    monkeypatch.setattr(records, "files", lambda package: tmp_path)
    try:
        line = refused(capsys, "eval", LAKE, "--env", "size=8", "--env", "frozen=0.77", "--workers", "0")
    finally:
        records.seeds.cache_clear()
    assert f"{LAKE}.json is no JSON" in line
    assert "agentgym golden --update" in line


def test_a_missing_extra(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    line = refused(capsys, "eval", LAKE, "--agent", "endpoint", "--model", "m", "--workers", "1")
    assert 'run pip install "agentgym-suite[endpoint]"' in line


def test_another_run_in_the_folder(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("eval", LAKE, "--episodes", "2", "--workers", "1", "--out", "here")
    printed(capsys, *arguments)
    assert "seed 0, this one has 1" in refused(capsys, *arguments, "--seed", "1")
    printed(capsys, *arguments, "--seed", "1", "--fresh")


# Evaluation.


def test_eval_of_a_suite_prints_every_world_and_fails_where_one_is_not_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    world = '[[worlds]]\nid = "FrozenLake-v0"\nepisodes = 3\n'
    Path("mine.toml").write_text(world)
    arguments = ("eval", "--suite", "mine.toml", "--agent", "expert", "--workers", "0", "--out", "here")
    out = printed(capsys, *arguments)
    assert "FrozenLake-v0" in out
    assert "interquartile mean" in out
    Path("mine.toml").write_text(world + '[[worlds]]\nid = "ALFWorld-v0"\n')
    out = printed(capsys, *arguments, "--fresh", code=1)
    assert "ALFWorld-v0: not run: AgentGym/ALFWorld-v0 needs the option 'games'" in out
    assert json.loads(Path("here/summary.json").read_text())["not_run"] == ["ALFWorld-v0"]


def test_eval_prints_success_and_score_with_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "eval", LAKE, "--agent", "expert", "--episodes", "20", "--workers", "1", *FIRM)
    flat = " ".join(out.split())
    assert "AgentGym/FrozenLake-v0, test, 20 tasks, 1 trial" in flat
    assert "success 100.0 % [83.9, 100.0] 95 % interval: Wilson" in flat
    assert "score 1.000 [0.832, 1.000] 95 % interval: an exact bound, as all tasks scored alike" in flat
    assert "valid actions 100.0 %" in flat
    assert "failures none" in flat
    (folder,) = Path("runs/eval").iterdir()
    assert f"{folder}/episodes.jsonl" in flat
    assert len(read_episodes(folder)) == 20


def test_eval_over_trials(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "eval", LAKE, "--episodes", "10", "--trials", "4", "--workers", "2", "--seed", "3")
    assert "pass@k" in out
    assert "pass^k" in out
    assert "4: " in out


def test_options_of_the_world_are_typed(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--env", "size=5", "--env", "slippery=false", "--env", "view=coordinates", "--max-turns", "2")
    printed(capsys, "eval", LAKE, "--episodes", "1", "--out", "x", *options)
    (episode,) = read_episodes("x")
    assert episode.env_kwargs == {"size": 5, "slippery": False, "view": "coordinates", "max_turns": 2}
    assert "Board size: 5 rows" in episode.turns[0].observation


def test_eval_of_an_endpoint_counts_tokens_and_cost(capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer(lambda number, request: completion("left", read=1000, written=10)) as server:
        arguments = ("--agent", "endpoint", "--model", "m", "--base-url", server.base_url, "--price-in", "2")
        out = printed(capsys, "eval", LAKE, *arguments, "--episodes", "2", "--workers", "1", "--max-turns", "1", *FIRM)
    assert "2,000 read, 20 written" in out
    assert "0.0040 dollars" in out


def test_eval_tells_how_answers_ended_and_what_they_took(capsys: pytest.CaptureFixture[str]) -> None:
    def script(number: int, request: dict[str, Any]) -> Answer:
        if number == 1:
            return Answer({}, status=503, headers={"Retry-After": "0"})
        answer = completion("left", ends="length" if number == 2 else "stop", refusal="no" if number == 3 else None)
        answer.body["usage"]["completion_tokens_details"] = {"reasoning_tokens": 1}
        return answer

    with ChatServer(script) as server:
        arguments = ("--agent", "endpoint", "--model", "m", "--base-url", server.base_url, "--top-p", "0.5")
        more = ("--extra-body", '{"top_k": 3}', "--drop", "seed", "--concurrency", "1")
        out = printed(capsys, "eval", LAKE, *arguments, *more, "--episodes", "4", "--max-turns", "1", *FIRM)
    flat = " ".join(out.split())
    assert "answers end stop 3, length 1" in flat
    assert "reasoning 4 of the tokens written" in flat
    assert "refusals 1 answers" in flat
    assert "asked again 1 answers" in flat
    assert "s median" in flat
    assert server.requests[0]["body"].keys() == {"model", "messages", "top_p", "top_k", "max_tokens"}


def test_a_budget_ends_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer(lambda number, request: completion("left")) as server:
        arguments = ("eval", LAKE, "--agent", "endpoint", "--model", "m", "--base-url", server.base_url)
        arguments = (*arguments, "--episodes", "9", "--max-turns", "1", "--concurrency", "1", "--out", "x")
        line = refused(capsys, *arguments, "--max-total-tokens", "24", code=1)
        assert "the budget of 24 tokens is spent (24); raise --max-total-tokens; 2 of 9 episodes are saved in x" in line
        assert "and the command goes on from there" in line
        printed(capsys, *arguments, "--max-total-tokens", "1000")
    assert len(server.requests) == 9


def test_an_endpoint_that_fails_sometimes(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, the failure shown, and the same command plays that episode again."""

    def script(number: int, request: dict[str, Any]) -> Answer:
        return Answer(b"<html>", 200) if number == 2 else completion("left")

    with ChatServer(script) as server:
        arguments = ("eval", LAKE, "--agent", "endpoint", "--model", "m", "--base-url", server.base_url)
        arguments = (*arguments, "--episodes", "3", "--workers", "1", "--max-turns", "1", *FIRM)
        out = printed(capsys, *arguments, code=1)
        assert "outages (left out): 1" in out
        assert out.count("33.3 % left out") == 5, "beside each figure"
        assert "it is no JSON" in out
        again = printed(capsys, *arguments)
        assert len(server.requests) == 4
    assert "failures" in again
    assert "left out" not in again


def test_an_endpoint_whose_context_is_full_has_lost(capsys: pytest.CaptureFixture[str]) -> None:
    """Of three episodes one cannot go on after its first turn; it counts, and is shown."""
    said = {"error": {"message": "This model's maximum context length is 4096 tokens.", "code": 400}}

    def script(number: int, request: dict[str, Any]) -> Answer:
        return Answer(said, 400) if number == 4 else completion("left")

    with ChatServer(script) as server:
        arguments = ("eval", LAKE, "--agent", "endpoint", "--model", "m", "--base-url", server.base_url)
        out = printed(capsys, *arguments, "--episodes", "3", "--workers", "1", "--max-turns", "2", "--out", "x", *FIRM)
    assert "1 as the context was full" in out
    assert "left out" not in out
    assert sorted(episode.stop == "context" for episode in read_episodes("x")) == [False, False, True]


def test_an_endpoint_that_never_answers(capsys: pytest.CaptureFixture[str]) -> None:
    with ChatServer(lambda number, request: Answer({}, delay=2)) as server:
        options = ("--timeout", "0.05", "--retries", "0", "--workers", "1", "--out", "x")
        line = refused(
            capsys, "eval", LAKE, "--agent", "endpoint", "--model", "m", "--base-url", server.base_url, *options
        )
    assert "failed in each of the first 5 episodes" in line
    assert "did not answer within 0.05 s (1 try)" in line
    assert len(read_episodes("x")) == 5


def test_replay(capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "eval", LAKE, "--episodes", "5", "--workers", "1", "--out", "x")
    assert "5 of 5 episodes are the same, 0 differ" in printed(capsys, "replay", "x")
    file = Path("x/episodes.jsonl")
    file.write_text(file.read_text().replace("You go", "You walk", 1))
    out = printed(capsys, "replay", str(file), code=1)
    assert "4 of 5 episodes are the same, 1 differ" in out
    assert "shows another observation" in out or "the end is another" in out


# Playing.


def test_the_command_starts_without_heavy_libraries() -> None:
    code = (
        "import sys; from agentgym.cli import run; run(['list']); "
        "print([name for name in ('torch', 'transformers', 'openai', 'bm25s', 'rapidfuzz', 'jinja2', 'matplotlib') "
        "if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stderr.strip() == "[]"


def test_a_reader_that_goes_away() -> None:
    command = f"{sys.executable} -m agentgym list --json | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stdout == "[\n"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("command", "code", "complaints"),
    [("list > /dev/full", 2, 1), ("--version > /dev/full", 2, 1), ("list >&-", 0, 0), ("show Nothing-v0 2>&-", 2, 0)],
)
def test_a_full_disk_or_a_closed_stream_behind_the_output(command: str, code: int, complaints: int) -> None:
    done = subprocess.run(
        f"{sys.executable} -m agentgym {command}", shell=True, capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == code
    assert done.stderr.count("\n") == complaints
    assert done.stderr.count("agentgym: standard output could not be written (No space left on device)") == complaints


def test_words_that_an_old_terminal_cannot_show() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    code = "from agentgym.cli.screen import *; steady(); console().print(plain(chr(0x1f98a) + chr(0xd800)))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert done.stdout == "\\U0001f98a\\ufffd\n"


def test_a_complaint_cannot_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "eval", LAKE, "--out", "/proc/\x1b[2J\u202ename")
    assert said.startswith("agentgym: the folder /proc/\ufffd[2J\ufffdname cannot be written")


def test_nothing_that_is_printed_commands_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = Table("\x1b[2Ja", title="b\u202eb")
    hostile.add_row("c\ud800c")
    for said in ("d\x9bd\u2066", hostile, plain("e\x07e")):
        console().print(said)
    shown = capsys.readouterr().out
    assert not {"\x1b", "\u202e", "\ud800", "\x9b", "\u2066", "\x07"} & {*shown}
    assert "d\ufffdd\ufffd" in shown
    assert "c\ufffdc" in shown


@pytest.mark.parametrize("command", [("train",), ("reproduce",), ("eval", "--suite")])
@pytest.mark.parametrize(("content", "said"), [(b"\xff\xfe", "not UTF-8"), (f"a = {DEEP}".encode(), "no TOML")])
def test_a_file_of_settings_that_is_none(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: tuple[str, ...], content: bytes, said: str
) -> None:
    (tmp_path / "x.toml").write_bytes(content)
    assert said in refused(capsys, *command, str(tmp_path / "x.toml"))


SCRIPT = Path(sys.executable).with_name("agentgym")


def test_the_console_script_sees_modules_of_the_current_folder(tmp_path: Path) -> None:
    """As pytest and uvicorn do; the folder of the script is no place to look for them."""
    (tmp_path / "thermo.py").write_text("from worlds import CARD\n")
    (tmp_path / "worlds.py").write_text(
        "from dataclasses import replace\n"
        "from agentgym.core import card, register\n"
        "CARD = replace(card('FrozenLake-v0'), id='MyLab/Thermo-v0', scores={})\n"
        "register(CARD)\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [SCRIPT, "eval", "thermo:MyLab/Thermo-v0", "--episodes", "3", "--workers", "2"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert "MyLab/Thermo-v0, test, 3 tasks" in " ".join(done.stdout.split())


def test_exit_codes_reach_the_shell() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agentgym", "eval", "Nothing-v0"], capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode == 2
    assert done.stderr.startswith("agentgym: unknown environment 'Nothing-v0'")
    assert done.stderr.count("\n") == 1
