"""The SQL world: two modes, refusals that teach, nothing told before it is found, exact snapshots."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

import agentgym
from agentgym.core import ConfigError, TaskError, snapshot
from agentgym.envs.tools._sql.tools import TOOLBOX
from agentgym.wrappers import Fenced, ReAct

TASK = {"domain": "library", "database": 2, "template": "count_each", "draw": 7, "wording": 0}


def said(tool: str, /, **arguments: Any) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


def begun(**kwargs: Any) -> Any:
    env = agentgym.make("SQL-v0", split="val", **kwargs).unwrapped
    env.reset(seed=0, options={"task": TASK})
    return env


def test_exploring_by_tools() -> None:
    env = begun()
    tables = json.loads(env.step(said("list_tables"))[0])
    assert {"table": "loans", "rows": 260} in tables
    described = json.loads(env.step(said("describe_table", table="LOANS"))[0])
    assert described["columns"][1] == {"name": "book_id", "type": "INTEGER", "refers_to": "books.book_id"}
    assert {"name": "due_on", "type": "TEXT", "meaning": "due date"} in described["columns"]
    assert len(described["first_rows"]) == 3
    shown = json.loads(env.step(said("query", sql="SELECT loan_id AS id FROM loans ORDER BY 1"))[0])
    assert shown["columns"] == ["id"]
    assert len(shown["rows"]) == 50
    assert shown["note"] == "the first 50 of 260 rows"
    gold = env.reference()
    _, reward, terminated, _, info = env.step(said("submit", sql=gold["sql"]))
    assert (reward, terminated, info["success"], info["metrics"]["execution_accuracy"]) == (1.0, True, True, 1.0)


def test_a_wrong_statement_ends_the_episode_and_a_failing_one_does_not() -> None:
    env = begun()
    text, reward, terminated, _, info = env.step(said("submit", sql="SELECT anything FROM loans"))
    assert (reward, terminated, info["action_valid"]) == (0.0, False, False)
    assert text == "SQLite: no such column: anything."
    text, reward, terminated, _, info = env.step(said("submit", sql="SELECT 1"))
    assert (text, reward, terminated, info["success"]) == ("That is not right.", 0.0, True, False)


def test_one_shot_takes_the_statement_itself() -> None:
    env = begun(mode="one-shot")
    text, _ = env.reset(seed=0, options={"task": TASK})
    assert text.startswith(
        "library contains tables such as authors, books, branches, members, loans. Table authors has"
    )
    assert "The book_id of loans is the foreign key of book_id of books." in text
    assert "Evidence: " in text
    assert (env.tools, env.max_turns) == ([], 1)
    assert all(env.parse(example).name == "submit" for example in env.grammar.examples)
    gold = env.reference()["sql"]
    for action in (gold, f"{gold};", f"I join first.\n```sql\n{gold}\n```\n", f"```\nSELECT 1\n```\n```SQL\n{gold}```"):
        env.reset(seed=0, options={"task": TASK})
        assert env.step(action)[1:3] == (1.0, True), action
    env.reset(seed=0, options={"task": TASK})
    text, reward, terminated, truncated, info = env.step("DROP TABLE loans")
    assert (reward, terminated, truncated, info["success"]) == (0.0, True, False, False)
    assert text == "The database is read-only: write one SELECT statement."


@pytest.mark.parametrize("kind", [ReAct, Fenced])
def test_one_shot_works_in_formats_of_replies(kind: Any) -> None:
    env = kind(agentgym.make("SQL-v0", split="val", mode="one-shot"))
    env.reset(seed=0, options={"task": 3})
    assert env.step(env.expert_action())[1] == 1.0


def test_the_evidence_can_be_withheld() -> None:
    assert "Evidence" not in begun(evidence=False).reset(seed=0, options={"task": TASK})[0]
    assert begun(evidence=False).tasks("val").checksum == begun().tasks("val").checksum


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (said("qery", sql="SELECT 1"), "there is no tool 'qery'; did you mean 'query'?"),
        (said("query"), "query: arguments lacks 'sql'"),
        (said("query", sql=3), "query: arguments.sql must be of type string, got int"),
        (said("query", sql="SELECT 1", limit=3), "query: arguments has the unknown key 'limit'; known: sql"),
        (said("query", sql="x" * 5_000), "query: arguments.sql must have at most 4000 characters, got 5000"),
        (said("query", sql="x" * 200_000), "the action has 2000"),
        (said("query", sql="SELECT '\x00'"), "query: the text holds the character U+0000"),
        (said("query", sql="SELECT 1; DELETE FROM loans"), "Only one statement is taken at a time"),
        (said("query", sql="ATTACH '/etc/passwd' AS x"), "Only this one database can be read"),
        (said("describe_table", table="loans; DROP TABLE loans"), "There is no table 'loans; DROP TABLE loans'; the"),
        (said("describe_table", table="../../etc/passwd"), "There is no table '../../etc/passwd'; the tables are"),
        (said("list_tables", table="loans"), "list_tables: arguments has the unknown key 'table'"),
        ("SELECT 1", "the action is no JSON"),
        (said("query", sql="SELECT 1") * 2, "the reply calls tools several times"),
    ],
)
def test_a_refusal_teaches_and_changes_nothing(action: str, reason: str) -> None:
    env = begun()
    before = env.state_key()
    text, reward, terminated, _, info = env.step(action)
    assert text.startswith(reason)
    assert (info["action_valid"], reward, terminated, env.state_key()) == (False, 0.0, False, before)


def test_wrong_arguments_of_the_constructor() -> None:
    with pytest.raises(ConfigError, match="mode must be one of 'interactive', 'one-shot'"):
        agentgym.make("SQL-v0", mode="two-shot")
    with pytest.raises(ConfigError, match="budget counts tool calls"):
        agentgym.make("SQL-v0", mode="one-shot", budget=3)
    with pytest.raises(ConfigError, match="folder must be the path"):
        agentgym.make("SQL-v0", folder=7)
    with pytest.raises(TaskError, match="make no question with these numbers"):
        begun().reset(options={"task": {**TASK, "template": "anything"}})
    with pytest.raises(TaskError, match="make no question with these numbers"):
        begun().reset(options={"task": {**TASK, "domain": "x" * 40}})


def test_progress_is_the_share_of_tables_that_were_described() -> None:
    env = begun()
    wanted = env._gold()[1]
    assert env.step(said("list_tables"))[4]["progress"] == 0.0
    for number, table in enumerate(wanted, 1):
        for _ in range(2):
            assert env.step(said("describe_table", table=table))[4]["progress"] == number / (len(wanted) + 1)


def test_the_answer_is_not_told_before_it_is_found() -> None:
    env = agentgym.make("SQL-v0", split="val").unwrapped
    shot = agentgym.make("SQL-v0", split="val", mode="one-shot").unwrapped
    for place in range(0, 200, 4):
        text, info = env.reset(seed=0, options={"task": place})
        schema, other = shot.reset(seed=0, options={"task": place})
        gold = env.reference()
        told = text + json.dumps(info) + schema + json.dumps(other)
        assert gold["sql"] not in told
        names = [cell for row in gold["rows"] for cell in row if isinstance(cell, str) and len(cell) > 6]
        asked = env.task.instruction
        assert sum(name in told for name in names if name not in asked) == 0 or len(names) > 1, (place, names)


def test_snapshots_are_exact_and_small() -> None:
    env = begun()
    env.step(said("describe_table", table="loans"))
    saved = snapshot(env)
    after = [env.step(said("query", sql="SELECT COUNT(*) FROM loans")), env.step(said("submit", sql="SELECT 1"))]
    twin = begun()
    twin.restore(saved)
    assert [
        twin.step(said("query", sql="SELECT COUNT(*) FROM loans")),
        twin.step(said("submit", sql="SELECT 1")),
    ] == after
    assert len(repr(saved)) < 8_000


def test_databases_are_the_same_in_every_process() -> None:
    code = (
        "import hashlib; from agentgym.envs.tools._sql.rows import make_base\n"
        "base = make_base('hotel', 5)\n"
        "told = [base.asked.ask(f'SELECT * FROM {name}').rows for name in base.schema.tables]\n"
        "print(hashlib.sha256(repr(told).encode()).hexdigest())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        )
        for seed in ("1", "2")
    ]
    assert runs[0].stdout == runs[1].stdout != ""


def test_the_tools_say_what_they_take() -> None:
    assert TOOLBOX.names == ["list_tables", "describe_table", "query", "submit"]
    assert "one SELECT statement of SQLite" in TOOLBOX.grammar.manual
