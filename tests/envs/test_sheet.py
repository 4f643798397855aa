"""Sheet: formulas, the published tools, answers and changes computed a second time from the workbook itself."""

from __future__ import annotations

import json
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest

import agentgym
from agentgym.envs._kit.tools import ToolError
from agentgym.envs._kit.tools.question_world import solve
from agentgym.envs.tools._sheet.formula import compute
from agentgym.envs.tools._sheet.tools import TOOLBOX, _matches
from agentgym.envs.tools._sheet.workbook import Desk, compared, make_workbook
from agentgym.envs.tools.sheet import SheetEnv, _match

PUBLISHED = {  # tools of AgentBoard's spreadsheet environment with their arguments
    "open_sheet": ["name"],
    "del_sheet": ["name"],
    "freeze_data": ["dimension", "num"],
    "get_A1_annotation": ["row", "col"],
    "insert_cols": ["values_list", "col_idx"],
    "insert_rows": ["values_list", "row_idx"],
    "delete_batch_data": ["dimension", "index_list"],
    "update_cell": ["position", "value"],
    "update_cell_by_formula": ["start_position", "end_position", "position_list", "result_position", "operator"],
    "update_range": ["start_position", "end_position", "values_list"],
    "sort_sheet_by_col": ["col_num", "order"],
    "merge_cells": ["start_position", "end_position"],
    "update_note": ["position", "content"],
    "get_all_values": [],
    "get_range_values": ["start_position", "end_position"],
    "get_cell_value": ["position"],
    "get_value_by_formula": ["start_position", "end_position", "position_list", "operator"],
    "filter_cells": ["query", "in_row", "in_column"],
    "get_note": ["position"],
    "finish": [],
}
CELLS = {"B2": [3.0], "B3": [4.0], "B2:B4": [3.0, 4.0, 5.5], "C2": [], "C2:C4": []}


def said(tool: str, /, **arguments: Any) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("1+2*3", 7),
        ("(1+2)*3", 9),
        ("2-3-4", -5),
        ("-2*-3", 6),
        ("--2", 2),
        ("10/4", 2.5),
        ("1/3", 0.3333),
        ("B2*B3", 12),
        ("SUM(B2:B4)", 12.5),
        ("sum(B2:B4, 1, B2)*2", 33),
        ("AVERAGE(B2:B4)", 4.1667),
        ("COUNT(B2:B4,C2:C4)", 3),
        ("MAX(B2:B4)-MIN(B2:B4)", 2.5),
        ("MINUS(B2:B4)", -6.5),
        ("PRODUCT(B2:B4)", 66),
        ("ROUND(10/3, 1)", 3.3),
        ("ABS(2-5)", 3),
        ("SUM((B2+1)*2, 1)", 9),
        ("SUM(B2+1)", 4),
    ],
)
def test_formulas(formula: str, value: float) -> None:
    assert compute(formula, CELLS.__getitem__) == value


@pytest.mark.parametrize(
    "formula",
    [
        "", "1+", "(1", "1)", "1 2", "B2:B4", "B2:B4+1", "C2+1", "1/0", "AVERAGE(C2:C4)", "POWER(2,3)", "SUM(", "SUM)",
        "SUM()", "1,2", "1..2", "1e5", "B", "__import__('os')", "open('x')", "9" * 300, "(" * 300 + "1" + ")" * 300,
        "PRODUCT(" + ",".join(["999999999999"] * 30) + ")", "\x00", "🦊", "=1", "SUM(SUM(", "1" + "+(1" * 200,
    ],
)  # fmt: skip
def test_what_is_no_formula_is_refused_in_one_line(formula: str) -> None:
    with pytest.raises(ToolError) as refused:
        compute(formula, CELLS.__getitem__)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 240


@pytest.mark.parametrize(
    "formula", ["ROUND(2.7)", "ROUND(B2:B4)", "ROUND(7.126,1,2)", "ROUND(1234,-2)", "ROUND(1,0.5)", "ABS(1,2)", "ABS()"]
)
def test_a_wrong_number_of_arguments_is_no_value(formula: str) -> None:
    with pytest.raises(ToolError, match=r"takes (a number and how many decimals|one number)|is no formula"):
        compute(formula, CELLS.__getitem__)


def test_a_formula_takes_time_in_its_length() -> None:
    def spent(count: int) -> float:
        begun = time.process_time()
        for _ in range(5):
            compute("+".join(["SUM(B2,(1),-2)"] * count), CELLS.__getitem__)
        return time.process_time() - begun

    spent(100)
    assert spent(4_000) < 40 * max(spent(400), 0.001)
    compute("-" * 50_000 + "1", CELLS.__getitem__)  # signs nest nothing


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("beef", "beef", True), ("beef", "beefs", False), ("be*", "beef", True), ("*ef", "beef", True),
        ("b*e*f", "beef", True), ("*e*e*", "beef", True), ("*e*e*e*", "beef", False), ("a*a", "a", False),
        ("*", "", True), ("", "", True), ("b*b", "beef", False), ("**x**", "axb", True), (".*", "x", False),
    ],
)  # fmt: skip
def test_patterns(pattern: str, text: str, fits: bool) -> None:
    assert _matches(pattern, text) is fits


def test_the_published_tools_are_there() -> None:
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLBOX.grammar.tools}
    for name, arguments in PUBLISHED.items():
        assert set(arguments) <= set(schemas[name]["properties"]), name


def asked(template: str) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Rows of the sheet as lists below its header, the header, arguments and answer of twenty problems."""
    found = 0
    for seed in range(600, 630):
        problem = solve(SheetEnv.world, seed, template, 0)
        if problem is not None:
            header, *rows = problem.begin.workbook.sheets[problem.arguments["sheet"]]
            found += 1
            yield rows, list(header), problem.arguments, problem
    assert found >= 15


def test_answers_by_another_way() -> None:
    for rows, header, args, problem in asked("median"):
        values = [row[header.index(args["column"])] for row in rows]
        assert problem.trace.answer == pytest.approx(statistics.median(values))
    for rows, header, args, problem in asked("group_with_best_mean"):
        found = defaultdict(list)
        for row in rows:
            found[row[header.index(args["group"])]].append(row[header.index(args["column"])])
        means = {key: statistics.fmean(values) for key, values in found.items()}
        assert max(means, key=lambda key: means[key]) == problem.trace.answer
    for rows, header, args, problem in asked("names_of_top"):
        ranked = sorted(rows, key=lambda row: row[header.index(args["column"])])
        assert sorted(problem.trace.answer) == sorted(row[0] for row in ranked[-args["top"] :])
    for rows, header, args, problem in asked("sum_of_products"):
        one, two = header.index(args["column"]), header.index(args["other_column"])
        wanted = [row[one] * row[two] for row in rows if row[header.index(args["group"])] == args["value"]]
        assert problem.trace.answer == pytest.approx(sum(wanted), abs=0.001)


def test_dates_by_another_way() -> None:
    for rows, header, args, problem in asked("date_of_key"):
        (wanted,) = (row[header.index(args["day"])] for row in rows if row[0] == args["key"])
        assert problem.trace.answer == date.fromisoformat(wanted).isoformat()
        assert problem.template.answer == "date"
    for rows, header, args, problem in asked("latest_of_group"):
        own = [date.fromisoformat(row[-1]) for row in rows if row[header.index(args["group"])] == args["value"]]
        assert date.fromisoformat(problem.trace.answer) == max(own)
    for rows, header, args, problem in asked("day_of_greatest"):
        assert problem.trace.answer == max(rows, key=lambda row: row[header.index(args["column"])])[-1]
    for rows, header, args, problem in asked("count_after"):
        own = [date.fromisoformat(row[-1]) for row in rows if row[header.index(args["group"])] == args["value"]]
        assert problem.trace.answer == sum(day > date.fromisoformat(args["date"]) for day in own) >= 2


def test_changes_by_another_way() -> None:
    for rows, header, args, problem in asked("filter_and_sort"):
        one, two = header.index(args["column"]), header.index(args["other_column"])
        left = sorted((row for row in rows if row[one] > args["limit"]), key=lambda row: -row[two])
        assert list(problem.goal[0][args["sheet"]][1:]) == left
    for rows, header, args, problem in asked("add_product_column"):
        one, two = header.index(args["column"]), header.index(args["other_column"])
        last = [row[-1] for row in problem.goal[0][args["sheet"]]]
        assert last[0] == args["title"]
        assert last[1:] == pytest.approx([row[one] * row[two] for row in rows], abs=0.0001)
    for rows, header, args, problem in asked("keep_best_group"):
        at, totals = header.index(args["group"]), defaultdict(float)
        for row in rows:
            totals[row[at]] += row[header.index(args["column"])]
        best = max(totals, key=lambda key: totals[key])
        assert list(problem.goal[0][args["sheet"]][1:]) == [row for row in rows if row[at] == best]


def test_a_workbook_has_tables_of_some_size() -> None:
    for seed in range(20):
        workbook = make_workbook(seed)
        assert 3 <= len(workbook.sheets) <= 4
        for rows in workbook.sheets.values():
            assert 9 <= len(rows) <= 29
            assert len({row[0] for row in rows}) == len(rows)
        assert len(workbook.notes) >= 6


def test_cell_match_counts_missing_and_surplus_cells() -> None:
    table = (("a", 1), ("b", 2))
    assert _match(table, table) == 1.0
    assert _match(table[:1], table) == 0.5
    assert _match((*table, ("c", 3)), table) == pytest.approx(4 / 6)
    assert (_match(None, table), _match(table, None), _match(None, None)) == (0.0, 0.0, 1.0)


def test_half_a_change_has_half_a_match_and_no_reward() -> None:
    env = agentgym.make("Sheet-v0").unwrapped
    env.reset(options={"task": {"seed": 11, "template": "swap", "wording": 0}})
    for _ in range(3):
        env.step(env.oracle_action())
    saved = env.snapshot()
    _, reward, _, _, info = env.step(said("finish"))
    assert (reward, info["success"], info["metrics"]["cell_match"]) == (0.0, False, pytest.approx(0.5))
    env.restore(saved)
    env.step(env.oracle_action())
    _, reward, _, _, info = env.step(said("finish"))
    assert (reward, info["success"], info["metrics"]["cell_match"]) == (1.0, True, 1.0)


def opened() -> Any:
    env = agentgym.make("Sheet-v0").unwrapped
    env.reset(seed=0)
    env.step(said("open_sheet", name=next(iter(env._state.data.workbook.sheets))))
    return env


SMALL = (("Name", "Bed", "Height"), ("pea", "East", 30), ("basil", "West", 10), ("thyme", "East", 20))
NOTED = {"A1": "titles", "A2": "of pea", "B3": "of basil's bed", "C4": "of thyme's height"}
TITLES = ("Name", "Bed", "Height")


@pytest.mark.parametrize(
    ("tool", "given", "rows", "notes"),
    [
        ("sort_sheet_by_col", {"col_num": 3, "order": "asc"},
         [TITLES, SMALL[2], SMALL[3], SMALL[1]],
         {"A1": "titles", "B2": "of basil's bed", "C3": "of thyme's height", "A4": "of pea"}),
        ("sort_sheet_by_col", {"col_num": 2, "order": "des"},
         [TITLES, SMALL[2], SMALL[1], SMALL[3]],
         {"A1": "titles", "B2": "of basil's bed", "A3": "of pea", "C4": "of thyme's height"}),
        ("insert_rows", {"values_list": [["mint"], ["rue", "West", "=C2+C3"]], "row_idx": 3},
         [TITLES, SMALL[1], ("mint", "", ""), ("rue", "West", 40), SMALL[2], SMALL[3]],
         {"A1": "titles", "A2": "of pea", "B5": "of basil's bed", "C6": "of thyme's height"}),
        ("insert_rows", {"values_list": [["mint"]], "row_idx": 5},
         [*SMALL, ("mint", "", "")], NOTED),
        ("insert_rows", {"values_list": [["mint"]], "row_idx": 1},
         [("mint", "", ""), *SMALL],
         {"A2": "titles", "A3": "of pea", "B4": "of basil's bed", "C5": "of thyme's height"}),
        ("delete_batch_data", {"dimension": "row", "index_list": [3]},
         [TITLES, SMALL[1], SMALL[3]], {"A1": "titles", "A2": "of pea", "C3": "of thyme's height"}),
        ("delete_batch_data", {"dimension": "row", "index_list": [1, 2]},
         [SMALL[2], SMALL[3]], {"B1": "of basil's bed", "C2": "of thyme's height"}),
        ("delete_batch_data", {"dimension": "col", "index_list": [2]},
         [(row[0], row[2]) for row in SMALL], {"A1": "titles", "A2": "of pea", "B4": "of thyme's height"}),
        ("insert_cols", {"values_list": [["Rank", 3, 1, 2]], "col_idx": 2},
         [(row[0], rank, *row[1:]) for row, rank in zip(SMALL, ("Rank", 3, 1, 2), strict=True)],
         {"A1": "titles", "A2": "of pea", "C3": "of basil's bed", "D4": "of thyme's height"}),
        ("merge_cells", {"start_position": "B2", "end_position": "B3"},
         [TITLES, SMALL[1], ("basil", "East", 10), SMALL[3]], NOTED),
    ],
)  # fmt: skip
def test_notes_move_with_their_cells_and_results_stay(
    tool: str, given: dict[str, Any], rows: list[tuple[Any, ...]], notes: dict[str, str]
) -> None:
    desk = Desk(0)
    desk.put("Small", SMALL)
    desk.opened = "Small"
    for cell, text in NOTED.items():
        desk.annotate("Small", cell, text)
    shown = TOOLBOX.run(tool, desk, given)
    assert [tuple(row) for row in shown] == rows
    assert desk.rows("Small") == tuple(rows)
    assert desk.noted("Small") == notes


def test_a_written_formula_keeps_its_result_when_the_sheet_changes() -> None:
    """As the manual says; a live formula would have lost the cell it names."""
    desk = Desk(0)
    desk.put("Small", (*SMALL, ("", "", "")))
    desk.opened = "Small"
    TOOLBOX.run("update_cell", desk, {"position": "B5", "value": "=C2"})
    TOOLBOX.run("delete_batch_data", desk, {"dimension": "row", "index_list": [2]})
    TOOLBOX.run("insert_rows", desk, {"values_list": [["a", "b", 99]], "row_idx": 2})
    assert TOOLBOX.run("get_cell_value", desk, {"position": "B5"}) == 30
    assert "the cell keeps the result" in TOOLBOX.rules


def test_the_notes_of_a_workbook_follow_its_rows_and_come_back() -> None:
    desk = Desk(3)
    desk.opened = name = next(iter(desk.workbook.sheets))
    rows, notes = desk.rows(name), desk.noted(name)
    assert rows is not None
    assert notes
    texts = {rows[int(cell[1:]) - 1][0]: text for cell, text in notes.items()}
    for order in ("asc", "des"):
        TOOLBOX.run("sort_sheet_by_col", desk, {"col_num": 4, "order": order})
        now = desk.rows(name)
        assert now is not None
        assert now != rows
        assert {now[int(cell[1:]) - 1][0]: text for cell, text in desk.noted(name).items()} == texts
    TOOLBOX.run("insert_rows", desk, {"values_list": [["x"]], "row_idx": 2})
    TOOLBOX.run("delete_batch_data", desk, {"dimension": "row", "index_list": [2]})
    TOOLBOX.run("del_sheet", desk, {"name": name})
    assert compared(desk) == [{name: None}, {}]


def test_edits_and_their_undoing() -> None:
    env = opened()
    desk = env._state.data
    before = compared(Desk(desk.seed))
    rows = json.loads(env.step(said("insert_rows", values_list=[["x", "=1+1", "3.50"]], row_idx=2))[0])
    assert rows[1][:4] == ["x", 2, 3.5, ""]
    env.step(said("delete_batch_data", dimension="row", index_list=[2]))
    assert compared(desk) == before
    env.step(said("freeze_data", dimension="rows", num=3))
    kept = json.loads(env.step(said("get_range_values", start_position="A1", end_position="H3"))[0])
    assert json.loads(env.step(said("sort_sheet_by_col", col_num=4, order="des"))[0])[:3] == kept
    assert env.step(said("get_value_by_formula", operator="COUNT", start_position="A1", end_position="A9"))[0] == "0"
    assert env.step(said("get_A1_annotation", row=2, col=3))[0] == '"C2"'
    assert json.loads(env.step(said("filter_cells", query="*a*", in_row=1))[0])
    merged = json.loads(env.step(said("merge_cells", start_position="A1", end_position="B1"))[0])
    assert merged[0][0] == merged[0][1]


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (said("open_sheet", name="Nothing"), "There is no sheet 'Nothing'; the sheets are '"),
        (said("update_cell", position="7B", value=1), "'7B' is no cell; write a column letter and a row number"),
        (said("update_cell", position="Z99", value=1), "Z99 is outside the sheet, which ends at H"),
        (said("update_cell", position="B2", value="=B2+"), "'B2+' is no formula"),
        (said("update_cell", position="B2", value="x" * 200), "A cell takes text of up to 120 characters"),
        (
            said("update_range", start_position="B2", end_position="B3", values_list=[[1]]),
            "values_list must have 2 rows",
        ),
        (said("update_range", start_position="B3", end_position="B2", values_list=[[1]]), "B2 is before B3"),
        (said("insert_rows", values_list=[[10**300]]), "The result is too large"),
        (said("insert_rows", values_list=[[["x"]]]), "A cell takes text of up to"),
        (said("insert_cols", values_list=[["x"] * 300]), "A column has at most"),
        (said("insert_cols", values_list=[["x"]] * 30), "A sheet has at most 200 rows and 26 columns."),
        (said("delete_batch_data", dimension="row", index_list=list(range(1, 100))), "index_list needs numbers from 1"),
        (said("delete_batch_data", dimension="row", index_list=[]), "index_list needs numbers from 1"),
        (said("sort_sheet_by_col", col_num=40, order="asc"), "col_num is from 1 to 8, got 40."),
        (said("get_value_by_formula", operator="SUM"), "Give position_list, or start_position and end_position."),
        (said("freeze_data", dimension="rows", num=0), "Between 1 and"),
    ],
)
def test_refusals_say_what_to_do(action: str, reason: str) -> None:
    env = opened()
    before = env.state_key()
    text, _, _, _, info = env.step(action)
    assert text.startswith(reason)
    assert (info["action_valid"], env.state_key()) == (False, before)
    assert "\n" not in text


def test_a_sheet_is_opened_first() -> None:
    env = agentgym.make("Sheet-v0").unwrapped
    env.reset(seed=0)
    assert env.step(said("get_all_values"))[0].startswith("Please open a sheet before operating it: open_sheet takes")
