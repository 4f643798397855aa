"""SQL: questions about a database, answered by one SELECT, with or without looking around first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import AgentGymError, ConfigError, EngineFailure, TaskError
from agentgym.core.generated import object_schema, one_of, path_to, switch
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import json_key
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, TaskSet
from agentgym.envs._kit.tools import ToolConfig, ToolEnv, ToolError, ToolState
from agentgym.envs._kit.tools.questions import written
from agentgym.envs.tools import SQL
from agentgym.envs.tools._sql.book import BOOK
from agentgym.envs.tools._sql.folders import Folder, read_folder
from agentgym.envs.tools._sql.guard import Row
from agentgym.envs.tools._sql.match import same, same_set
from agentgym.envs.tools._sql.questions import WORDINGS, Question, make_question
from agentgym.envs.tools._sql.reading import read_question
from agentgym.envs.tools._sql.schema import schemas
from agentgym.envs.tools._sql.text import ordered
from agentgym.envs.tools._sql.tools import SUBMIT, TOOLBOX, Desk, StatementGrammar

MODES = ("interactive", "one-shot")
UNSEEN = ("court", "hotel", "observatory", "games")  # domains of `test`
DATABASES, TRAINED = 16, 12  # of each domain; those from TRAINED on are kept for `val`
DRAWS, ATTEMPTS = 2**31, 200
Gold = tuple[tuple[Row, ...], tuple[str, ...]]


@dataclass(frozen=True)
class Config(ToolConfig):
    """The keyword arguments of `SqlEnv`."""

    mode: str = one_of("interactive", MODES, shapes_tasks=False)
    evidence: bool = switch(True, shapes_tasks=False)
    folder: Path | None = path_to("a folder in BIRD's or Spider's format", shapes_tasks=False)


@dataclass(frozen=True, eq=False)
class Problem:
    """A task worked out: the database, what is told, and what is right.

    Attributes:
        desk: The database.
        evidence: What one must know, in one line; may be empty.
        sql: The gold statement.
        ordered: Whether the order of rows counts.
        kind: Of the question.
        gold: Rows of the gold statement and the tables that it reads; None if it has not run yet.
    """

    desk: Desk
    evidence: str
    sql: str
    ordered: bool
    kind: str
    gold: Gold | None


class SqlEnv(ToolEnv):
    """Answer questions about a database with one SELECT statement.

    Description: a real SQLite database of one of 16 domains (a library, a clinic, a football league, an airline), with
    tables that refer to each other and values as they are found in practice: texts in any case with spaces around
    them, codes, prices and days as text, missing values. A question asks for a number, names, a table of groups, a
    ranking; its gold statement is one of some eighty computations (joins, grouping, sub-queries, set operations,
    windows, dates) over whatever the schema offers, and is kept only if every condition in it matters and no tie
    decides. The evidence says, in the manner of BIRD, which columns and codes the question means and how they are
    written.

    Observation: `mode="interactive"`: the question with its evidence, then results as JSON; the schema is found with
    the tools. `mode="one-shot"`: the schema in prose, the question and its evidence; there is one turn.

    Actions: interactive: one tool call, `list_tables`, `describe_table`, `query` or `submit`, such as
    `{"name": "query", "arguments": {"sql": "SELECT COUNT(*) FROM loans"}}`; `submit` ends the episode. One-shot: the
    statement itself as text, bare or in a fence of three backticks, of which the last one counts.

    A statement is one SELECT (or WITH, VALUES). Whatever writes, attaches, loads, sets, or reads the clock or chance is
    refused, and so is what takes too many steps of SQLite's machine, too much memory or too many rows; each refusal
    says so in a line. A statement that fails is refused when it is submitted in interactive mode, and wrong in one
    shot.

    Reward: 1 for a result equal to the gold one (success): the same rows, each as often, in any order unless the
    question orders them, numbers within six digits; otherwise 0. `metrics["execution_accuracy"]` is BIRD's looser rule:
    the same set of rows, whatever their order and number. `progress` is the share of the tables that the gold statement
    reads which were described.

    Splits: twelve domains for `train` and `val`, each with other databases; four domains for `test` alone. No question
    is asked in two splits, in whatever words and of whatever data. A specification names domain, number of the
    database, template, draw of its arguments, and wording.

    Oracle: submits the gold statement. Expert: looks at the tables, reads the question by the words of the schema, and
    submits what it says.

    Args:
        mode: `interactive` or `one-shot`.
        evidence: Whether the evidence is told.
        folder: Path of a folder in BIRD's or Spider's format, whose questions and databases are played in place of the
            generated ones: `train`, `val` (its dev file) and `test`, as far as they are there. Then the order of rows
            counts where the gold statement orders them.
        budget: Tool calls that may be made; then only `submit` is taken. None: no limit but the turns.
        delay: Real seconds that every tool call sleeps, for rollouts that are to overlap.

    Source: Li et al. 2023, BIRD (arXiv:2305.03111), as AgentGym (Xi et al. 2024, arXiv:2406.04151) serves it in one
    turn; folders also of Spider (Yu et al. 2018, arXiv:1809.08887). Differences: generated databases and questions,
    exploration by tools, rows counted and ordered as the question says, limits on time, memory and rows.
    """

    card = SQL
    toolbox = TOOLBOX
    config = Config()
    action_length = 8_192
    task_schema: ClassVar[Spec] = object_schema(
        {
            "domain": {"type": "string", "maxLength": 40, "description": "what the database is about"},
            "database": {"type": "integer", "minimum": 0, "maximum": DATABASES - 1, "description": "which of them"},
            "template": {"type": "string", "maxLength": 60, "description": "what is computed"},
            "draw": {"type": "integer", "minimum": 0, "maximum": DRAWS - 1, "description": "of what"},
            "wording": {"type": "integer", "minimum": 0, "maximum": WORDINGS - 1, "description": "how it is said"},
        }
    )

    def _configured(self) -> None:
        if self.config.mode == "one-shot":
            self.grammar = StatementGrammar()
            if self.config.budget is not None:
                raise ConfigError("budget counts tool calls, and mode='one-shot' has none; leave one of them out")
        self._folder: Folder | None = None if self.config.folder is None else read_folder(self.config.folder)

    # Tasks.

    @staticmethod
    def generate(config: Any, rng: np.random.Generator) -> Spec:
        """A database and a template that make a question.

        Args:
            config: Not read.
            rng: Draws database, template, what fills it, and wording, anew until they make a question.
        """
        domains, templates = list(schemas()), list(BOOK)
        for _ in range(ATTEMPTS):
            spec: dict[str, Any] = {
                "domain": domains[int(rng.integers(len(domains)))],
                "database": int(rng.integers(DATABASES)),
                "template": templates[int(rng.integers(len(templates)))],
                "draw": int(rng.integers(DRAWS)),
                "wording": int(rng.integers(WORDINGS)),
            }
            if _question(spec) is not None:
                return spec
        raise AssertionError(f"{ATTEMPTS} draws in a row made no question")

    @staticmethod
    def fits(config: Any, split: str, spec: Spec) -> bool:
        """Test has domains of its own; of the others, val has databases of its own.

        Args:
            config: Not read.
            split: Name of the split.
            spec: Its domain and database are looked at.
        """
        if (spec["domain"] in UNSEEN) != (split == "test"):
            return False
        return split == "test" or (spec["database"] >= TRAINED) == (split == "val")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The question."""
        return _asked(spec).text

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The question without its wording, whatever the data."""
        return json_key([spec["domain"], _asked(spec).key])

    def check_task(self, spec: Spec) -> None:
        """Domain and template must exist and make a question."""
        if self._folder is not None:
            raise TaskError("the tasks of a folder are its records; give the id of one, or an index")
        _asked(spec)

    def tasks(self, split: str) -> TaskSet:
        """The tasks of a split: the records of the folder if there is one, generated ones otherwise."""
        if self._folder is None:
            return super().tasks(split)
        panel = self._folder.panel(split)
        return FiniteTaskSet(
            split, list(panel), lambda name: Task(name, split, panel[name].question, {"record": name, "split": split})
        )

    def _kind(self, spec: Spec) -> str:
        return self._problem_of(spec).kind

    def _turn_limit(self, task: Task) -> int:
        return 1 if self.config.mode == "one-shot" else self.card.max_turns

    # Play.

    def _problem_of(self, spec: Spec) -> Problem:
        if self._folder is None:
            asked = _asked(spec)
            desk = Desk(spec["domain"], spec["database"])
            told = "; ".join(asked.notes)
            return Problem(
                desk, told, asked.gold.sql, asked.gold.ordered, asked.template.name, (asked.rows, asked.tables)
            )
        record = self._folder.panel(spec["split"])[spec["record"]]
        file = self._folder.file(spec["split"], record.database)
        desk = Desk(record.database, 0, str(file), str(self._folder.path))
        return Problem(desk, record.evidence, record.sql, ordered(record.sql), record.difficulty, None)

    def _reset(self, task: Task) -> str:
        self._problem = problem = self._problem_of(task.spec)
        self._state = ToolState(problem.desk)
        lines = [f"Database: {problem.desk.name}"]
        if self.config.mode == "one-shot":
            lines = [problem.desk.opened()[0].prose, ""]
        lines.append(f"Question: {task.instruction}")
        if self.config.evidence and problem.evidence:
            lines.append(f"Evidence: {problem.evidence}")
        return "\n".join(lines)

    def _gold(self) -> Gold:
        """Rows and tables of the gold statement."""
        if self._problem.gold is not None:
            return self._problem.gold
        try:
            result = self._problem.desk.opened()[1].ask(self._problem.sql)
        except ToolError as error:
            raise EngineFailure(f"the gold statement of task {self.task.id} fails: {error}") from error
        self._problem = replace(self._problem, gold=(result.rows, result.tables))
        return result.rows, result.tables

    def _finish(self, arguments: Mapping[str, Any]) -> Outcome:
        sql = arguments["sql"]
        event = {"type": "tool_call", "tool": SUBMIT.name, "arguments": dict(arguments)}
        try:
            rows = self._problem.desk.opened()[1].ask(sql).rows
        except ToolError as error:
            if self.config.mode == "interactive":
                return self.refuse(str(error))
            return Outcome(str(error), terminated=True, events=(event,), costs={"duration": 1.0})
        gold, tables = self._gold()
        solved = same(rows, gold, self._problem.ordered)
        return Outcome(
            "That is right." if solved else "That is not right.",
            reward=float(solved), terminated=True, success=solved, events=(event,),
            metrics={"execution_accuracy": float(same_set(rows, gold)), "tables": len(tables)}, costs={"duration": 1.0},
        )  # fmt: skip

    def _progressed(self, text: str) -> float | None:
        """Sub-goals are the tables that the gold statement reads; the statement is the last one."""
        call = json.loads(self._state.seen[-1][0])
        wanted = self._gold()[1]
        described = self._problem.desk.opened()[0].table(str(call["arguments"].get("table", "")))
        found = self._state.found
        if described is not None and described.name.lower() in wanted:
            at = wanted.index(described.name.lower())
            if at not in found:
                found.append(at)
                found.sort()
        return len(found) / (len(wanted) + 1)

    # Players.

    def _spoken(self, tool: str, **arguments: Any) -> str:
        return written((tool, arguments)) if self.config.mode == "interactive" else str(arguments["sql"])

    def _sample(self, rng: np.random.Generator) -> str:
        """A tool at random, of a random table of the schema."""
        tables = self._problem.desk.opened()[0].tables
        table = tables[int(rng.integers(len(tables)))]
        column = table.columns[int(rng.integers(len(table.columns)))].name
        said = (f'COUNT("{column}")', f'"{column}"', f'MAX("{column}")')[int(rng.integers(3))]
        sql = f'SELECT {said} FROM "{table.name}"'
        tool = 3 if self.config.mode == "one-shot" else int(rng.integers(4))
        if tool < 2:
            return self._spoken("describe_table", table=table.name) if tool else self._spoken("list_tables")
        return self._spoken("query" if tool == 2 else SUBMIT.name, sql=sql)

    def _oracle(self) -> str:
        return self._spoken(SUBMIT.name, sql=self._problem.sql)

    def _expert(self) -> str:
        if self._folder is not None:
            raise AgentGymError("there is no expert for the questions of a folder; oracle_action gives the gold SQL")
        domain = self._problem.desk.name
        template, arguments = next(read_question(domain, self.task.instruction))
        sql = template.gold(schemas()[domain], arguments).sql
        seen = [json.loads(call) for call, _ in self._state.seen]
        if self.config.mode == "interactive" and not any(call["name"] == "list_tables" for call in seen):
            return self._spoken("list_tables")
        looked = {call["arguments"].get("table") for call in seen}
        for table in schemas()[domain].tables:
            if self.config.mode == "interactive" and f" {table} " in f"{sql} " and table not in looked:
                return self._spoken("describe_table", table=table)
        return self._spoken(SUBMIT.name, sql=sql)

    def _shortcut(self, name: str) -> str:
        """Selects everything, or how many rows there are, of the table that the question names first."""
        tables, said = self._problem.desk.opened()[0].tables, self.task.instruction.lower()
        named = min(tables, key=lambda table: said.find(table.name.lower()[:-1]) % (len(said) + 1))
        what = "*" if name == "everything" else "COUNT(*)"
        return self._spoken(SUBMIT.name, sql=f'SELECT {what} FROM "{named.name}"')

    def _reference(self) -> Any:
        """The gold statement and its rows."""
        return {"sql": self._problem.sql, "rows": [list(row) for row in self._gold()[0]]}


def _question(spec: Spec) -> Question | None:
    return make_question(spec["domain"], spec["database"], spec["template"], spec["draw"], spec["wording"])


def _asked(spec: Spec) -> Question:
    found = _question(spec) if spec["domain"] in schemas() and spec["template"] in BOOK else None
    if found is None:
        raise TaskError(
            f"domain {spec['domain'][:40]!r} and template {spec['template'][:40]!r} make no question with these "
            f"numbers; take another draw, or names such as {next(iter(schemas()))} and {next(iter(BOOK))}"
        )
    return found
