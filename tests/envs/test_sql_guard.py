"""The guarded SQLite: hostile statements, limits that hold, nothing that depends on when or where it runs."""

from __future__ import annotations

import resource
import sqlite3
import time
from pathlib import Path

import pytest

from agentgym.envs._kit.tools import ToolError
from agentgym.envs.tools._sql import heap
from agentgym.envs.tools._sql.clock import compute
from agentgym.envs.tools._sql.guard import GuardedDatabase, Limits, connect_memory
from agentgym.envs.tools._sql.rows import GENERATED, make_base
from agentgym.envs.tools._sql.text import common_tables, growth, ordered, tokens, unfenced

LONG = 8.0  # seconds of the processor that no refusal needs; on a quiet machine the slowest takes a quarter of one
BIG = 400 * 2**20  # bytes by which no statement makes the process grow

READ_ONLY = "The database is read-only"
ALONE = "Only this one database can be read"
CLOCK = "There is no clock here"
LENGTHY = "The statement takes too long"
COPIES = "The WITH clauses name each other too often"


def chain(count: int, forward: bool) -> str:
    """CTEs each of which names its neighbor twice."""
    names = range(count)
    bodies = [f"c{at} AS (SELECT 1 AS x FROM c{at + 1} AS a, c{at + 1} AS b)" for at in names]
    bodies.append(f"c{count} AS (SELECT 1 AS x)")
    return f"WITH {', '.join(bodies if forward else bodies[::-1])} SELECT COUNT(*) FROM c0"


HOSTILE = [
    ("ATTACH DATABASE '/etc/passwd' AS other", ALONE),
    ("ATTACH ':memory:' AS other", ALONE),
    ("DETACH main", ALONE),
    ("/* hello */ ATTACH 'x' AS y", ALONE),
    ("PRAGMA writable_schema = 1", "PRAGMA is not taken"),
    ("PRAGMA query_only = OFF", "PRAGMA is not taken"),
    ("PRAGMA table_info(books)", "PRAGMA is not taken"),
    ("SELECT * FROM pragma_table_info('books')", "'pragma_table_info' cannot be read"),
    ("SELECT * FROM pragma_query_only", READ_ONLY),
    ("INSERT INTO books VALUES (1, 'x', 1, 'x', 1, 'x', 1)", READ_ONLY),
    ("UPDATE books SET title = 'x'", READ_ONLY),
    ("DELETE FROM books", READ_ONLY),
    ("REPLACE INTO books VALUES (1)", READ_ONLY),
    ("DROP TABLE books", READ_ONLY),
    ("CREATE TABLE t (x)", READ_ONLY),
    ("CREATE TEMP TABLE t AS SELECT 1", READ_ONLY),
    ("ALTER TABLE books RENAME TO t", READ_ONLY),
    ("VACUUM INTO '/tmp/stolen.db'", READ_ONLY),
    ("REINDEX", READ_ONLY),
    ("ANALYZE", READ_ONLY),
    ("BEGIN EXCLUSIVE", READ_ONLY),
    ("SAVEPOINT s", READ_ONLY),
    ("WITH a AS (SELECT 1) DELETE FROM books", READ_ONLY),
    ("WITH a AS (SELECT 1) INSERT INTO books SELECT * FROM a", READ_ONLY),
    ("SELECT load_extension('x.so')", "The function load_extension is not available"),
    ("SELECT writefile('/tmp/x', 'y')", "SQLite: no such function: writefile"),
    ("SELECT readfile('/etc/passwd')", "SQLite: no such function: readfile"),
    ("SELECT fts3_tokenizer('simple')", "The function fts3_tokenizer is not available"),
    ("SELECT * FROM dbstat", READ_ONLY),
    ("SELECT * FROM sqlite_stmt", READ_ONLY),
    ("SELECT * FROM json_each('[1, 2]')", READ_ONLY),
    ("WITH sqlite_stmt AS (SELECT 1) SELECT * FROM main.sqlite_stmt", READ_ONLY),
    ("SELECT random()", "The function random is not available"),
    ("SELECT title FROM books ORDER BY RANDOM() LIMIT 1", "The function random is not available"),
    ("SELECT randomblob(1000000000)", "The function randomblob is not available"),
    ("SELECT zeroblob(1000000000)", "The function zeroblob is not available"),
    ("SELECT printf('%.*c', 1000000000, 'x')", "The function printf is not available"),
    ("SELECT format('%999999999d', 1)", "The function format is not available"),
    ("SELECT sqlite_version()", "The function sqlite_version is not available"),
    ("SELECT total_changes()", "The function total_changes is not available"),
    ("SELECT date('now')", CLOCK),
    ("SELECT DATE()", CLOCK),
    ("SELECT strftime('%Y')", CLOCK),
    ("SELECT julianday('n' || 'ow')", CLOCK),
    ("SELECT datetime(' NOW ', '+1 day')", CLOCK),
    ("SELECT time('2020-01-01', 'localtime')", CLOCK),
    ("SELECT unixepoch(title) FROM (SELECT 'now' AS title)", CLOCK),
    ("SELECT CURRENT_TIMESTAMP", CLOCK),
    ("SELECT 1; DROP TABLE books", "Only one statement is taken at a time"),
    ("SELECT 1; SELECT 2", "Only one statement is taken at a time"),
    ("SELECT ?", "There are no parameters to bind"),
    ("SELECT :name", "There are no parameters to bind"),
    ("", "A statement begins with SELECT or WITH; it is empty"),
    (" -- nothing", "A statement begins with SELECT or WITH; it is empty"),
    ("EXPLAIN SELECT 1", "A statement begins with SELECT or WITH; it begins with 'explain'"),
    ("'; DROP TABLE books; --", 'A statement begins with SELECT or WITH; it begins with "\'"'),
    ("SELECT '\x00'", "In the statement, the text holds the character U+0000"),
    ("SELECT '\ud800'", "In the statement, the text holds the character U+D800"),
    ("SELECT '" + "x" * 200_000 + "'", "The statement has 200009 characters; at most 4000 are read"),
    ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c", LENGTHY),
    ("WITH RECURSIVE c(x) AS (SELECT 1 UNION SELECT x + 1 FROM c) SELECT x FROM c ORDER BY x DESC", ""),
    ("WITH RECURSIVE c(t) AS (SELECT 'xx' UNION ALL SELECT t || t FROM c) SELECT MAX(LENGTH(t)) FROM c",
     "SQLite: string or blob too big"),
    ("SELECT COUNT(*) FROM loans a, loans b, loans c, loans d", LENGTHY),
    ("SELECT a.* FROM loans a, loans b", "The result is too large"),
    ("SELECT (SELECT COUNT(*) FROM loans x, loans y WHERE x.fine > p.fine) FROM loans p, loans q", LENGTHY),
    ("SELECT GROUP_CONCAT(a.state || b.state) FROM loans a, loans b", "SQLite: string or blob too big"),
    ("SELECT SUM(INSTR(a.title, b.title)) OVER () FROM books a, books b, books c", ""),
    ("SELECT title FROM books WHERE title LIKE '" + "%a" * 900 + "'", "SQLite: LIKE or GLOB pattern too complex"),
    ("SELECT title FROM books WHERE title GLOB '" + "*a" * 900 + "'", "SQLite: LIKE or GLOB pattern too complex"),
    ("SELECT " + "(" * 900 + "1" + ")" * 900, "SQLite: parser stack overflow"),
    ("SELECT " + "abs(" * 600 + "1" + ")" * 600, "SQLite: parser stack overflow"),
    ("SELECT " + "1+" * 900 + "1", "SQLite: Expression tree is too large"),
    ("SELECT " + ",".join(["1"] * 900), "SQLite: too many columns in result set"),
    (" UNION ALL ".join(["SELECT 1"] * 90), "SQLite: too many terms in compound SELECT"),
    ("SELECT COUNT(*) FROM " + ",".join(f"loans l{at}" for at in range(80)), "SQLite: at most 64 tables in a join"),
    (chain(20, forward=False), COPIES),
    (chain(20, forward=True), COPIES),
    ("SELECT * FROM nowhere", "SQLite: no such table: nowhere"),
    ("SELECT anything FROM books", "SQLite: no such column: anything"),
    ("SELECT FROM WHERE", 'SQLite: near "FROM": syntax error'),
    ("SELECT unknown_function(1)", "SQLite: no such function: unknown_function"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "reason"), HOSTILE, ids=[f"{at}" for at in range(len(HOSTILE))])
def test_a_hostile_statement_is_refused_in_one_line_soon_and_changes_nothing(sql: str, reason: str) -> None:
    asked = make_base("library", 0).asked
    before = asked.ask("SELECT * FROM books").rows
    heap = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.thread_time()
    with pytest.raises(ToolError) as refused:
        asked.ask(sql)
    assert time.thread_time() - begun < LONG
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - heap) * 1024 < BIG
    assert str(refused.value).startswith(reason)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300
    assert asked.ask("SELECT * FROM books").rows == before


def test_there_are_many_of_them() -> None:
    assert len({sql for sql, _ in HOSTILE}) >= 60


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT 1;", ((1,),)),
        ("select 1 -- a remark", ((1,),)),
        ("VALUES (1, 'a'), (2, 'b')", ((1, "a"), (2, "b"))),
        ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 4) SELECT SUM(x) FROM c", ((10,),)),
        ("WITH a AS (SELECT 2 AS x), b AS (SELECT x FROM a) SELECT a.x + b.x FROM a, b", ((4,),)),
        ("SELECT STRFTIME('%Y', '2020-03-31'), DATE('2020-02-28', '+1 day', '+1 month')", (("2020", "2020-03-29"),)),
        ("SELECT JULIANDAY('2020-03-02') - JULIANDAY('2020-02-28')", ((3.0,),)),
        ("SELECT DATE('no day'), STRFTIME('%Y', NULL)", ((None, None),)),
        ("SELECT name FROM sqlite_master WHERE name LIKE 'b%' ORDER BY 1", (("books",), ("branches",))),
        ("SELECT x'00ff', CAST(x'ff' AS TEXT), 9e999", ((b"\x00\xff", "\ufffd", float("inf")),)),
        ("SELECT ROW_NUMBER() OVER (ORDER BY column1) FROM (VALUES (3), (4))", ((1,), (2,))),
    ],
)  # fmt: skip
def test_what_a_query_needs_is_there(sql: str, rows: object) -> None:
    assert make_base("library", 0).asked.ask(sql).rows == rows


def test_limits_count_steps_and_not_seconds_so_that_they_strike_alike_everywhere() -> None:
    """The same number of rows is reached however slow the machine is, with a clock that never strikes."""
    reached = []
    for _ in range(2):
        connection = connect_memory()
        connection.execute("CREATE TABLE t (x)")
        seen: list[int] = []
        connection.create_function("char", 1, lambda x, seen=seen: seen.append(x) or "x")
        limits = Limits(steps=200_000, seconds=1e9, cell=1_000, rows=10, size=1_000, length=500)
        guarded = GuardedDatabase(connection, frozenset({"t"}), limits)
        with pytest.raises(ToolError, match="takes too long"):
            guarded.ask("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT MAX(char(x)) FROM c")
        reached.append(len(seen))
    assert reached[0] == reached[1] > 1_000


def test_the_clock_of_the_processor_stops_single_steps_that_take_long() -> None:
    connection = connect_memory()
    limits = Limits(steps=10**12, seconds=0.05, cell=20_000, rows=10, size=1_000, length=500)
    guarded = GuardedDatabase(connection, frozenset(), limits)
    with pytest.raises(ToolError, match="takes too long"):
        guarded.ask("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT COUNT(*) FROM c")
    assert guarded.ask("SELECT 1").rows == ((1,),)


def test_memory_is_bounded() -> None:
    """A sorter that would hold gigabytes is stopped at the limit of SQLite's heap or before."""
    asked = make_base("library", 1).asked
    wide = "SELECT GROUP_CONCAT(title) AS t FROM (SELECT title FROM books LIMIT 80)"
    heap = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ToolError):
        asked.ask(
            f"SELECT t || a.loan_id || b.loan_id || c.book_id AS u FROM loans a, loans b, books c, ({wide}) ORDER BY u"
        )
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - heap) * 1024 < BIG
    assert asked.ask("SELECT COUNT(*) FROM branches").rows == ((8,),)


def test_the_bound_of_a_statement_leaves_other_databases_of_the_process_alone() -> None:
    """SQLite knows one bound for all of them; a WebSuite in the same process ran out of memory by it."""
    asked = make_base("library", 1).asked
    asked.ask("SELECT COUNT(*) FROM books")
    with pytest.raises(ToolError, match="COUNT"):
        asked.ask("SELECT COUNT(*), COUNT FROM books")
    other = connect_memory()
    assert other.execute("PRAGMA hard_heap_limit").fetchone() == (0,)
    other.execute("PRAGMA hard_heap_limit=100000000")
    asked.ask("SELECT COUNT(*) FROM books")
    assert other.execute("PRAGMA hard_heap_limit").fetchone() == (100_000_000,), "what was bounded before stays so"
    with heap.bounded(0), heap.bounded(1):
        pass
    heap._library().sqlite3_hard_heap_limit64(heap.NONE)


def test_a_statement_asked_twice_tells_its_tables_twice() -> None:
    asked = make_base("library", 0).asked
    sql = "SELECT COUNT(*) FROM books JOIN authors USING (author_id)"
    assert asked.ask(sql).tables == asked.ask(sql).tables == ("authors", "books")


def test_the_database_is_read_only_below_the_authorizer_too(tmp_path: Path) -> None:
    connection = connect_memory()
    connection.execute("CREATE TABLE t (x)")
    GuardedDatabase(connection, frozenset({"t"}), GENERATED)
    connection.set_authorizer(None)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("INSERT INTO t VALUES (1)")


def test_days_are_those_of_sqlite() -> None:
    bare = sqlite3.connect(":memory:")
    for arguments in (("2020-02-29",), ("2020-02-29", "+1 year"), (2459000.5,), ("x",), (None,)):
        (wanted,) = bare.execute(f"SELECT date({', '.join('?' * len(arguments))})", arguments).fetchone()
        assert compute("date", *arguments) == wanted


def test_the_outline_of_a_statement() -> None:
    assert tokens("SELECT \"A b\", [c], `d` -- x\n FROM 'it''s' /* y */ + 1.5") == [
        "select", "a b", ",", "c", ",", "d", "from", "'", "+", "0",
    ]  # fmt: skip
    assert ordered("SELECT x FROM t ORDER BY x")
    assert not ordered("SELECT x FROM (SELECT x FROM t ORDER BY x LIMIT 3)")
    assert not ordered("SELECT ROW_NUMBER() OVER (ORDER BY x) FROM t WHERE y = 'order by'")
    said = tokens("WITH a(x) AS (SELECT 1), b AS NOT MATERIALIZED (SELECT x FROM a, a) SELECT CAST(x AS INT) FROM b, b")
    assert list(common_tables(said)) == ["a", "b"]
    assert growth(tokens(chain(3, True)), common_tables(tokens(chain(3, True)))) < 100
    assert growth(tokens(chain(12, True)), common_tables(tokens(chain(12, True)))) > 4_000
    assert unfenced("I think:\n```sql\nSELECT 1\n```\nor\n```\nSELECT 2\n```\nDone.") == "SELECT 2"
    assert unfenced("```sql\nSELECT 3") == unfenced("  SELECT 3\n") == "SELECT 3"
