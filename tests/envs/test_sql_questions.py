"""Questions of the SQL world: gold answers computed a second time, statements taken apart, words read back."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
import sqlglot
from sqlglot import exp

import agentgym
from agentgym.envs._kit.tools import ToolError
from agentgym.envs.tools._sql.book import AGGREGATES, BOOK
from agentgym.envs.tools._sql.guard import Row
from agentgym.envs.tools._sql.match import same, same_set
from agentgym.envs.tools._sql.phrases import MONTHS, Field, Filter
from agentgym.envs.tools._sql.questions import WORDINGS, Question, make_question, worded
from agentgym.envs.tools._sql.reading import read_question
from agentgym.envs.tools._sql.rows import Base, make_base
from agentgym.envs.tools._sql.schema import schemas
from agentgym.envs.tools.sql import TRAINED, UNSEEN

SKELETONS, SHAPES, FOUR_GRAMS = 300, 100, 4_000  # at least, of the fixed panels
SHORTCUT = 0.01  # share of questions that a statement of one table answers


@cache
def panel(split: str) -> tuple[Any, ...]:
    env = agentgym.make("SQL-v0").unwrapped
    return tuple(env.tasks(split)[place] for place in range(200))


def worked(split: str, every: int = 1) -> Iterator[tuple[Any, Question, Base]]:
    """Specification, question and database of tasks of a panel."""
    for task in panel(split)[::every]:
        spec = task.spec
        question = make_question(*(spec[name] for name in ("domain", "database", "template", "draw", "wording")))
        assert question is not None
        yield spec, question, make_base(spec["domain"], spec["database"])


def test_there_are_many_schemas_of_real_shape() -> None:
    assert len(schemas()) >= 12
    kinds: Counter[str] = Counter()
    for schema in schemas().values():
        assert 4 <= len(schema.tables) <= 12
        assert sum(len(table.parents) for table in schema.tables.values()) >= len(schema.tables) - 2
        kinds.update({column.kind for table in schema.tables.values() for column in table.columns})
        words = [table.many for table in schema.tables.values()]
        assert len(set(words)) == len(words)
    for dirty in ("mixed", "money", "dmy", "code"):
        assert kinds[dirty] >= 12, dirty


def test_keys_refer_to_rows_and_values_are_dirty() -> None:
    for domain in ("library", "court", "games"):
        base = make_base(domain, 3)
        for table in base.schema.tables.values():
            for key in table.parents:
                target = base.schema.tables[key.target]
                known = f"SELECT {target.key} FROM {target.name}"
                lost = f"SELECT COUNT(*) FROM {table.name} WHERE {key.name} NOT IN ({known})"
                assert base.asked.ask(lost).rows == ((0,),)
            for column in table.columns:
                (found,) = zip(*base.asked.ask(f"SELECT {column.name} FROM {table.name}").rows, strict=True)
                if column.kind == "mixed":
                    assert len(set(found)) > len({value.strip().lower() for value in found})
                if column.gaps:
                    assert None in found


def test_test_has_domains_and_val_has_databases_of_its_own() -> None:
    assert {task.spec["domain"] for task in panel("test")} == set(UNSEEN)
    assert not {task.spec["domain"] for task in panel("val")} & set(UNSEEN)
    assert min(task.spec["database"] for task in panel("val")) >= TRAINED
    train = [agentgym.make("SQL-v0").unwrapped.tasks("train")[place] for place in range(60)]
    assert max(task.spec["database"] for task in train) < TRAINED
    assert not {task.spec["domain"] for task in train} & set(UNSEEN)


def test_no_two_splits_ask_the_same() -> None:
    env = agentgym.make("SQL-v0").unwrapped
    sets = [list(panel("val")), list(panel("test")), [env.tasks("train")[place] for place in range(150)]]
    keys = [{env.content_key(task.spec) for task in tasks} for tasks in sets]
    texts = [{task.instruction for task in tasks} for tasks in sets]
    assert [len(found) for found in keys[:2]] == [200, 200]
    for found in (keys, texts):
        assert not found[0] & found[1]
        assert not found[0] & found[2]
        assert not found[1] & found[2]


# Gold answers by another way: over the values without dirt, in Python.


def reached(base: Base, field: Field) -> list[Any]:
    """The value of a field for every row of its table; None where a key leads nowhere."""
    table, rows = (
        field.root,
        [{name: cells[at] for name, cells in base.values[field.root.name].items()} for at in range(field.root.size)],
    )
    for key in field.path:
        target = base.schema.tables[table.by_name[key].target]
        cells = base.values[target.name]
        places = {value: at for at, value in enumerate(cells[target.key])}
        rows = [
            {} if not row or row[key] is None else {name: column[places[row[key]]] for name, column in cells.items()}
            for row in rows
        ]
        table = target
    return [row.get(field.column.name) for row in rows]


def passes(condition: Filter, value: Any) -> bool:
    said, column = condition.said, condition.field.column
    if condition.kind == "missing" or value is None:
        return condition.kind == "missing" and value is None
    if condition.kind == "is":
        return str(value) == (column.values[column.meanings.index(said[0])] if column.meanings else said[0])
    if condition.kind in ("year", "month"):
        return int(value[:4]) == said[0] if condition.kind == "year" else int(value[5:7]) == MONTHS.index(said[0]) + 1
    low, high = said[0], said[-1]
    tests: dict[str, bool] = {
        "above": value > low,
        "after": value > low,
        "below": value < low,
        "before": value < low,
        "between": low <= value <= high,
    }
    return tests[condition.kind]


def kept(base: Base, *conditions: Filter) -> list[int]:
    """The rows that pass all conditions."""
    tested = [[passes(each, value) for value in reached(base, each.field)] for each in conditions]
    return [at for at in range(conditions[0].field.root.size) if all(found[at] for found in tested)]


def count(base: Base, where: Filter, **slots: Any) -> list[Row]:
    return [(len(kept(base, where)),)]


def count_both(base: Base, where: Filter, also: Filter, **slots: Any) -> list[Row]:
    return [(len(kept(base, where, also)),)]


def aggregate(base: Base, where: Filter, number: Field, a: str, **slots: Any) -> list[Row]:
    values = [value for at in kept(base, where) if (value := reached(base, number)[at]) is not None]
    how: dict[str, Callable[[list[Any]], Any]] = {
        "AVG": lambda v: sum(v) / len(v),
        "SUM": sum,
        "MAX": max,
        "MIN": min,
    }
    return [(how[AGGREGATES[a]](values),)]


def count_each(base: Base, where: Filter, group: Field, **slots: Any) -> list[Row]:
    counts = Counter(reached(base, group)[at] for at in kept(base, where))
    return [(name, number) for name, number in counts.items() if name is not None]


def common_groups(base: Base, where: Filter, also: Filter, group: Field, **slots: Any) -> list[Row]:
    values = reached(base, group)
    both = {values[at] for at in kept(base, where)} & {values[at] for at in kept(base, also)} - {None}
    return [(value,) for value in both]


def percentage(base: Base, where: Filter, also: Filter, **slots: Any) -> list[Row]:
    return [(100 * len(kept(base, where, also)) / len(kept(base, where)),)]


def count_by_year(base: Base, where: Filter, day: Field, **slots: Any) -> list[Row]:
    days = reached(base, day)
    return sorted(Counter(days[at][:4] for at in kept(base, where) if days[at]).items())


def running_total(base: Base, where: Filter, day: Field, **slots: Any) -> list[Row]:
    total, found = 0, []
    for year, number in count_by_year(base, where, day):
        total += int(str(number))
        found.append((year, total))
    return found


def childless(base: Base, parents: Any, children: Any, where: Filter, **slots: Any) -> list[Row]:
    cells = base.values[parents.name]
    keys = base.values[children.child.name][children.key]
    having = {keys[at] for at in kept(base, where)}
    return [
        (name,) for key, name in zip(cells[parents.key], cells[parents.label.name], strict=True) if key not in having
    ]


def first(base: Base, rows: Any, where: Filter, o: str, number: Field, **slots: Any) -> list[Row]:
    values, names = reached(base, number), base.values[rows.name][rows.label.name]
    ranked = sorted((values[at], names[at]) for at in kept(base, where) if values[at] is not None)
    return [(ranked[-1 if o == "highest" else 0][1],)]


def upper_half(base: Base, where: Filter, number: Field, **slots: Any) -> list[Row]:
    values = sorted(value for at in kept(base, where) if (value := reached(base, number)[at]) is not None)
    half = values[-(len(values) // 2) :]
    return [(sum(half) / len(half),)]


def above_own_group(base: Base, where: Filter, number: Field, group: Field, **slots: Any) -> list[Row]:
    groups: dict[Any, list[Any]] = {}
    values, sides = reached(base, number), reached(base, group)
    for at in kept(base, where):
        if sides[at] is not None and values[at] is not None:
            groups.setdefault(sides[at], []).append(values[at])
    return [(sum(value > sum(found) / len(found) for found in groups.values() for value in found),)]


AGAIN = (
    count,
    count_both,
    aggregate,
    count_each,
    common_groups,
    percentage,
    count_by_year,
    running_total,
    childless,
    first,
    upper_half,
    above_own_group,
)


@pytest.mark.parametrize("again", AGAIN, ids=[each.__name__ for each in AGAIN])
def test_the_gold_answer_by_another_way(again: Callable[..., list[Row]]) -> None:
    checked = 0
    for at, domain in enumerate(schemas()):
        question = make_question(domain, at % 5, again.__name__, at, 0)
        if question is not None:
            base = make_base(domain, at % 5)
            assert same(again(base, **question.arguments), question.rows, question.gold.ordered), question.text
            checked += 1
    assert checked >= 8


# Statements taken apart by sqlglot.


def shape(sql: str, anonymous: bool) -> str:
    """A statement without literals, and without names too."""
    tree = sqlglot.parse_one(sql, read="sqlite")
    for node in list(tree.find_all(exp.Literal)):
        node.replace(exp.Placeholder())
    if anonymous:
        for name in list(tree.find_all(exp.Identifier)):
            name.replace(exp.to_identifier("x"))
    return tree.sql("sqlite")


@pytest.mark.full
def test_the_programs_and_the_words_are_many() -> None:
    golds = [question.gold.sql for split in ("val", "test") for _, question, _ in worked(split)]
    assert len({shape(sql, False) for sql in golds}) >= SKELETONS
    assert len({shape(sql, True) for sql in golds}) >= SHAPES
    assert len({task.spec["template"] for task in (*panel("val"), *panel("test"))}) >= 60
    words = [task.instruction.split() for split in ("val", "test") for task in panel(split)]
    assert len({tuple(said[at : at + 4]) for said in words for at in range(len(said) - 3)}) >= FOUR_GRAMS
    assert len(BOOK) >= 75
    used = " ".join(golds)
    for part in (
        "JOIN",
        "GROUP BY",
        "HAVING",
        "OVER (PARTITION",
        "EXCEPT",
        "INTERSECT",
        "UNION",
        "NOT EXISTS",
        "NOT IN",
        "WITH ",
        "STRFTIME",
        "JULIANDAY",
        "CASE WHEN",
        "LIMIT",
        "DISTINCT",
        "NTILE",
        "LAG(",
    ):
        assert part in used, part


def simpler(sql: str) -> Iterator[str]:
    """The statement without each of its conditions on a value, wherever the condition stands, in WHERE or HAVING."""
    tree = sqlglot.parse_one(sql, read="sqlite")
    clauses = [conditions(clause) for clause in tree.find_all(exp.Where, exp.Having)]
    wanted = {
        known(part) for parts in clauses for part in parts if part.find(exp.Literal) and not part.find(exp.Select)
    }
    for condition in sorted(wanted):
        twin = tree.copy()
        for clause in reversed(list(twin.find_all(exp.Where, exp.Having))):  # what is inside first: parts are copied
            rest = [part.copy() for part in conditions(clause) if known(part) != condition]
            clause.replace(clause.__class__(this=exp.and_(*rest)) if rest else None)
        yield twin.sql("sqlite")


def conditions(clause: exp.Expression) -> list[exp.Expression]:
    return list(clause.this.flatten()) if isinstance(clause.this, exp.And) else [clause.this]


def known(condition: exp.Expression) -> str:
    """A condition as text, alike in a statement and in its sub-queries, whose aliases have another letter."""
    return re.sub(r"\b[ST]\d\.", "", condition.sql("sqlite"))


@pytest.mark.parametrize("split", ["val", "test"])
def test_every_condition_of_a_gold_statement_matters(split: str) -> None:
    tried = 0
    for _, question, base in worked(split, every=3):
        assert len(sqlglot.parse(question.gold.sql, read="sqlite")) == 1
        assert question.rows
        assert all(cell is not None for row in question.rows for cell in row)
        for statement in simpler(question.gold.sql):
            tried += 1
            try:
                rows = base.asked.ask(statement).rows
            except ToolError:  # nothing is left of it
                continue
            assert not same(rows, question.rows, question.gold.ordered), (question.text, statement)
    assert tried > 60


# Words.


def test_every_question_is_read_in_one_way() -> None:
    for split in ("val", "test"):
        for spec, question, base in worked(split, every=4):
            assert meanings(spec["domain"], question.text, base) == {question.gold.sql}, question.text


def test_a_question_means_the_same_in_all_its_words() -> None:
    for spec, question, base in worked("test", every=25):
        texts = sayings(question)
        assert len(texts) >= 4
        for text in texts:
            assert meanings(spec["domain"], text, base) == {question.gold.sql}, text


def sayings(question: Question) -> set[str]:
    """A question in all its words."""
    return {worded(question.template, question.arguments, wording) for wording in range(WORDINGS)}


def meanings(domain: str, text: str, base: Base) -> set[str]:
    """The gold statements of all ways to read a question."""
    return {template.gold(base.schema, said).sql for template, said in read_question(domain, text)}


@pytest.mark.full
def test_every_template_is_read_in_one_way_in_all_its_words() -> None:
    """On fresh questions of train and test domains alike, two of each template."""
    asked = 0
    for at, name in enumerate(BOOK):
        for draw, domain in enumerate(
            (list(schemas())[at % len(schemas())], list(schemas())[-1 - at % len(schemas())])
        ):
            question = make_question(domain, draw, name, 5_000 + draw, 0)
            if question is not None:
                base = make_base(domain, draw)
                for text in sayings(question):
                    assert meanings(domain, text, base) == {question.gold.sql}, text
                    asked += 1
    assert asked > 600


def test_a_filter_that_comes_before_its_table_is_of_that_table() -> None:
    """Its words alone fit rows of other tables too; the table that is named after it decides."""
    checked = 0
    for draw in range(6):
        question = make_question("clinic", 2, "percentage", draw, 2)
        if question is not None:
            text, base = question.text, make_base("clinic", 2)
            assert text.startswith("Give the share, in percent, of those")
            assert meanings("clinic", text, base) == {question.gold.sql}, text
            checked += 1
    assert checked >= 3


@pytest.mark.full
@pytest.mark.parametrize("place", [42, 1024])
def test_the_expert_reads_a_training_task_that_was_misread(place: int) -> None:
    env = agentgym.make("SQL-v0").unwrapped
    _, info = env.reset(seed=0, options={"task": place})
    while not env.ended:
        *_, info = env.step(env.expert_action())
    assert info["success"]


def test_what_looks_at_one_table_answers_nothing() -> None:
    """Counting the table that is named first, listing any of its columns or all of it, and doing nothing."""
    won = asked = 0
    for split in ("val", "test"):
        for _, question, base in worked(split, every=2):
            words = question.text.lower()
            named = min(
                (table for table in base.schema.tables.values() if table.many in words or table.one in words),
                key=lambda table: words.find(table.one),
            )
            guesses = [f"SELECT COUNT(*) FROM {named.name}", f"SELECT * FROM {named.name}", "SELECT 0", "SELECT 1"]
            guesses += [f"SELECT {column.name} FROM {named.name}" for column in named.columns[:2]]
            asked += len(guesses)
            won += sum(same(base.asked.ask(sql).rows, question.rows, question.gold.ordered) for sql in guesses)
    assert asked > 1_000
    assert won / asked <= SHORTCUT


@pytest.mark.parametrize(
    ("rows", "gold", "ordered", "verdict", "as_set"),
    [
        ([(1, "a"), (2.0, "b")], [(2, "b"), (1, "a")], False, True, True),
        ([(1,), (2,)], [(2,), (1,)], True, False, True),
        ([(1,), (1,)], [(1,)], False, False, True),
        ([(0.1 + 0.2,)], [(0.3,)], False, True, True),
        ([(100.0,)], [(100.01,)], False, False, False),
        ([("2020", 3)], [(2020, 3)], True, True, False),
        ([("a", 1)], [(1, "a")], False, False, False),
        ([(None,)], [(0,)], False, False, False),
        ([("A",)], [("a",)], False, False, False),
        ([], [(0,)], False, False, False),
        ([(1, 2)], [(1,)], False, False, False),
        ([(math.inf,)], [(5,)], False, False, False),
        ([(math.inf,)], [(0.25,)], True, False, False),
        ([(-math.inf,)], [(math.inf,)], False, False, False),
        ([(1_000_001,)], [(1_000_002,)], False, False, False),
        ([(1_000_001.0,)], [(1_000_002,)], True, False, False),
        ([("1000001",)], [("1000002",)], False, False, False),
        ([(1234.5000001,)], [(1234.5,)], False, True, True),
        ([(0.300000001, "b"), (0.3, "a")], [(0.3, "b"), (0.300000001, "a")], False, True, True),
        ([(1.00001,), (1.00003,)], [(1.00003,), (1.00001,)], False, True, True),
        ([(0.3, 1_000_002), (0.3, 1_000_001)], [(0.1 + 0.2, 1_000_001), (0.3, 1_000_002)], False, True, True),
    ],
)
def test_results_are_compared_as_multisets(rows: Any, gold: Any, ordered: bool, verdict: bool, as_set: bool) -> None:
    assert same(rows, gold, ordered) is verdict
    assert same_set(rows, gold) is as_set
