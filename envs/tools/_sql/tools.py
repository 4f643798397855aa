"""The tools of the SQL world, and the statement that stands in their place where one answer is all there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentgym.core.grammar import Call, Invalid, shorten
from agentgym.core.prose import ANY_TEXT, marked, without_thinking
from agentgym.core.text import clean, objection
from agentgym.core.tool_grammar import Tool
from agentgym.envs._kit.tools import Toolbox, ToolError, listed_tools
from agentgym.envs.tools._sql.catalog import MOST_SHOWN, Described, cell
from agentgym.envs.tools._sql.folders import open_file
from agentgym.envs.tools._sql.guard import GuardedDatabase
from agentgym.envs.tools._sql.rows import make_base
from agentgym.envs.tools._sql.text import unfenced

LONGEST = 4_000  # characters of a statement
HEAD = (
    "Answer the question about the database with one SELECT statement of SQLite. Return the columns in the order in "
    "which the question names them and nothing else: one row for each thing that is asked for, in any order unless the "
    "question orders them. Codes are given as they stand in the table; groups without any row are left out unless the "
    "question asks for them; what is NULL counts nowhere. The database can only be read, and there is no clock."
)
STATEMENT = {
    "type": "object",
    "properties": {"sql": {"type": "string", "maxLength": LONGEST, "description": "One SELECT statement."}},
    "required": ["sql"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Desk:
    """Names a database; what the tools are given.

    Attributes:
        name: Of the domain; of a folder's database.
        number: Of a generated database.
        file: Path of a folder's database; empty for a generated one.
        notes: Folder with the descriptions of its columns.
    """

    name: str
    number: int = 0
    file: str = ""
    notes: str = ""

    def opened(self) -> tuple[Described, GuardedDatabase]:
        """What agents are told of it, and what answers queries."""
        if self.file:
            return open_file(self.name, self.file, self.notes)
        base = make_base(self.name, self.number)
        return base.described, base.asked


def list_tables(desk: Desk) -> list[dict[str, Any]]:
    """All tables with their sizes."""
    return [{"table": table.name, "rows": table.size} for table in desk.opened()[0].tables]


def describe_table(desk: Desk, table: str) -> dict[str, Any]:
    """Columns, keys and first rows of a table.

    Args:
        desk: Names the database.
        table: Name of the table, in any case.

    Raises:
        ToolError: if there is none of this name.
    """
    described = desk.opened()[0]
    found = described.table(table)
    if found is None:
        known = ", ".join(each.name for each in described.tables)
        raise ToolError(f"There is no table {shorten(table, 40)!r}; the tables are {shorten(known, 600)}.")
    refers = {here: f"{target}.{there}" for here, target, there in found.keys}
    columns = []
    for column in found.columns:
        facts: dict[str, Any] = {"name": column.name, "type": column.type, "meaning": column.meaning}
        facts |= {"primary_key": True} if column.primary else {}
        facts |= {"refers_to": refers[column.name]} if column.name in refers else {}
        columns.append({key: value for key, value in facts.items() if value})
    rows = [[cell(value) for value in row] for row in found.examples]
    return {"table": found.name, "rows": found.size, "columns": columns, "first_rows": rows}


def query(desk: Desk, sql: str) -> dict[str, Any]:
    """The result of a statement, as much of it as is shown.

    Args:
        desk: Names the database; no statement can change it.
        sql: One SELECT statement of SQLite, as an agent wrote it.

    Raises:
        ToolError: if it is another statement, or the database refuses it.
    """
    result = desk.opened()[1].ask(sql)
    shown = [[_shown(value) for value in row] for row in result.rows[:MOST_SHOWN]]
    found: dict[str, Any] = {"columns": [clean(name)[:80] for name in result.columns], "rows": shown}
    if len(result.rows) > len(shown):
        found["note"] = f"the first {len(shown)} of {len(result.rows)} rows"
    return found


def _shown(value: Any) -> Any:
    value = cell(value)
    return clean(value) if isinstance(value, str) else value


TOOLS = listed_tools(
    [
        {
            "name": "list_tables",
            "description": "List the tables with their numbers of rows.",
            "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False},
            "examples": [{}],
        },
        {
            "name": "describe_table",
            "description": "Show the columns of a table: types, keys, meanings, and its first rows.",
            "inputSchema": {
                "type": "object",
                "properties": {"table": {"type": "string", "maxLength": 200}},
                "required": ["table"],
                "additionalProperties": False,
            },
            "examples": [{"table": "orders"}],
        },
        {
            "name": "query",
            "description": f"Run one SELECT statement and show up to {MOST_SHOWN} rows of its result.",
            "inputSchema": STATEMENT,
            "examples": [{"sql": "SELECT city, COUNT(*) FROM orders GROUP BY city"}],
        },
    ],
    {"list_tables": list_tables, "describe_table": describe_table, "query": query},
)
SUBMIT = Tool(
    "submit",
    "End the task with the statement whose result answers the question.",
    STATEMENT,
    ({"sql": "SELECT COUNT(*) FROM orders"},),
)
TOOLBOX = Toolbox(
    TOOLS, SUBMIT, f"{HEAD} Look at the tables, try statements with query, and give the final one to submit."
)


class StatementGrammar:
    """Actions that are one statement of SQL, bare, marked, or in a fence of three backticks; the last fence counts."""

    line = "Action: one SELECT statement of SQLite, bare or fenced as ```sql ... ```"
    examples: tuple[str, ...] = (
        "SELECT COUNT(*) FROM orders",
        "```sql\nSELECT city FROM orders WHERE price > 3 ORDER BY city\n```",
    )
    manual = "\n".join(
        [
            f"{HEAD} You have one try.",
            "Answer with the statement alone, or with a reply whose last fence of three backticks holds it. "
            f"A statement has at most {LONGEST} characters.",
            *(f"For example: {example}" for example in examples),
        ]
    )
    tools: list[dict[str, Any]] = []  # noqa: RUF012  # a property of every grammar, empty where there are none
    first_words = ANY_TEXT

    def parse(self, action: str) -> Call | Invalid:
        """Read one statement; what it says is looked at when it is run."""
        told = without_thinking(action)
        sql = unfenced(marked(told) or told)
        if not sql:
            return Invalid(f"the action is empty. {self.line}")
        unfit = objection(sql)
        if unfit or len(sql) > LONGEST:
            return Invalid(unfit or f"the statement has {len(sql)} characters, at most {LONGEST} are read.")
        return Call(SUBMIT.name, {"sql": sql})
