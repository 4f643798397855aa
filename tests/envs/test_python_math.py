"""PythonMath: problems computed a second time by another hand, words, answers, programs, the option for the tool."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product

import numpy as np
import pytest

import agentgym
from agentgym.core import ConfigError, EnvCard, MissingExtra, TaskError, UnknownName
from agentgym.core.rng import stream
from agentgym.envs._kit.sandbox.tool import Lost
from agentgym.envs.code import python_math
from agentgym.envs.code._math.book import BOOK
from agentgym.envs.code._math.problems import pose, read
from agentgym.envs.code.python_math import PythonMathEnv, exact
from tests.envs.boxes import sandbox


def said(tool: str, /, **arguments) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


def alone(**given) -> PythonMathEnv:
    return agentgym.make("PythonMath-v0", tool=False, **given).unwrapped


@pytest.fixture
def env():
    sandbox()
    return agentgym.make("PythonMath-v0", split="val").unwrapped


def cases(name: str, most: int = 4):
    for seed in range(60):
        posed = pose(name, seed)
        if posed is not None:
            yield posed.arguments, posed.answer
            most -= 1
            if not most:
                return


def test_gold_programs_differ() -> None:
    problems = BOOK.problems.values()
    codes = {each.function.__code__.co_code + repr(each.function.__code__.co_consts).encode() for each in problems}
    assert len(codes) == len(BOOK.problems) >= 60
    assert len({each.topic for each in problems}) == 7
    assert all(len(set(each.wordings)) >= 3 for each in problems)


@pytest.mark.parametrize("name", BOOK.problems)
def test_words_are_read_back_and_answers_differ(name) -> None:
    problem, answers = BOOK.problems[name], []
    for seed in range(30):
        posed = pose(name, seed)
        assert posed is not None
        answers.append(posed.answer)
        wording = seed % python_math.WORDINGS
        question = problem.word(wording, posed.arguments, posed.answer)
        found = read(question)
        assert found is not None
        assert (found[0].name, found[1]) == (name, posed.arguments)
    assert Counter(answers).most_common(1)[0][1] <= 10


def test_counts_by_hand() -> None:
    for given, answer in cases("ring_colorings", 40):
        if given["k"] ** given["n"] < 10**5:
            n = given["n"]
            colors = product(range(given["k"]), repeat=n)
            assert answer == sum(all(c[i] != c[i - 1] for i in range(n)) for c in colors)
    for given, answer in cases("fixed_points", 40):
        if given["n"] < 8:
            orders = permutations(range(given["n"]))
            assert answer == sum(sum(i == p for i, p in enumerate(order)) == given["k"] for order in orders)
    for given, answer in cases("no_long_runs", 60):
        if given["n"] < 15:
            words = ("".join(word) for word in product("01", repeat=given["n"]))
            assert answer == sum("1" * given["k"] not in word for word in words)
    for given, answer in cases("subsets_by_sum", 60):
        if given["n"] < 14:
            numbers = range(1, given["n"] + 1)
            subsets = (s for size in range(len(numbers) + 1) for s in combinations(numbers, size))
            assert answer == sum(sum(s) % given["m"] == 0 for s in subsets)


def test_numbers_by_hand() -> None:
    for given, answer in cases("divisors_of_product", 8):
        number = given["a"] * given["b"]
        low = [d for d in range(1, math.isqrt(number) + 1) if number % d == 0]
        assert answer == 2 * len(low) - (low[-1] ** 2 == number)
    for given, answer in cases("remainders", 8):
        assert answer < 97 * 101 * 89
        assert (answer % 97, answer % 101, answer % 89) == (given["a"], given["b"], given["c"])
    for given, answer in cases("zeros_of_factorial", 8):
        factorial, zeros = math.factorial(given["n"]), 0
        while factorial % given["base"] == 0:
            factorial, zeros = factorial // given["base"], zeros + 1
        assert answer == zeros
    for given, answer in cases("totient_sum", 4):
        n = given["n"]
        assert answer == sum(math.gcd(a, b) == 1 for b in range(1, n + 1) for a in range(1, b + 1))


def test_chances_by_hand() -> None:
    for given, answer in cases("ruin", 6):
        size, up = given["n"], given["p"] / given["q"]
        rows, right = np.eye(size + 1), np.zeros(size + 1)
        right[size] = 1
        for at in range(1, size):
            rows[at, at + 1], rows[at, at - 1] = -up, up - 1
        assert float(answer) == pytest.approx(np.linalg.solve(rows, right)[given["a"]])
    for given, answer in cases("never_behind", 20):
        if given["n"] <= 14:
            walks = (np.cumsum(steps) for steps in product((1, -1), repeat=given["n"]))
            assert answer == Fraction(sum(bool((walk >= 0).all()) for walk in walks), 2 ** given["n"])
    for given, answer in cases("low_times_high", 10):
        hands = list(combinations(range(1, given["n"] + 1), given["k"]))
        assert answer == Fraction(sum(hand[0] * hand[-1] for hand in hands), len(hands))
    for given, answer in cases("distinct_faces", 20):
        if given["s"] ** given["k"] < 10**5:
            rolls = list(product(range(given["s"]), repeat=given["k"]))
            assert answer == Fraction(sum(len(set(roll)) for roll in rolls), len(rolls))


def laplacian(edges) -> np.ndarray:
    size = max(max(edge[:2]) for edge in edges)
    matrix = np.zeros((size, size))
    for a, b, *_ in edges:
        matrix[a - 1, b - 1] = matrix[b - 1, a - 1] = -1
    return matrix - np.diag(matrix.sum(axis=1))


def test_graphs_by_hand() -> None:
    for given, answer in cases("spanning_trees", 6):
        assert answer == round(np.linalg.det(laplacian(given["edges"])[1:, 1:]))
    for given, answer in cases("walks", 6):
        joined = (laplacian(given["edges"]) == -1).astype(int)
        assert answer == np.linalg.matrix_power(joined, given["n"])[0, 1]
    for given, answer in cases("hamiltonian_paths", 1):
        joined = {pair for a, b in given["edges"] for pair in ((a, b), (b, a))}
        orders = permutations(range(1, 9))
        assert answer == sum(all(pair in joined for pair in pairwise(o)) for o in orders)
    for given, answer in cases("shortest_way", 6):
        far = np.full((10, 10), np.inf)
        for a, b, length in given["edges"]:
            far[a, b] = far[b, a] = length
        for middle in range(1, 10):
            far = np.minimum(far, far[:, [middle]] + far[[middle], :])
        assert answer == far[1, 9]


def test_best_ones_by_hand() -> None:
    for given, answer in cases("knapsack", 4):
        chosen = product((0, 1), repeat=9)
        loads = [(np.dot(c, given["weights"]), np.dot(c, given["values"])) for c in chosen]
        assert answer == max(value for weight, value in loads if weight <= given["limit"])
    for given, answer in cases("schedule", 1):
        jobs = list(zip(given["times"][:], given["weights"][:], strict=True))
        cost = min(np.dot(np.cumsum([t for t, _ in o]), [w for _, w in o]) for o in permutations(jobs))
        assert answer == cost
    for given, answer in cases("fair_cut", 4):
        numbers, k = given["numbers"], given["k"]
        ways = combinations(range(1, len(numbers)), k - 1)
        assert answer == min(
            max(sum(numbers[a:b]) for a, b in zip((0, *cut), (*cut, len(numbers)), strict=True)) for cut in ways
        )
    for given, answer in cases("production", 4):
        a, b, c, d, e, f, n, m = (given[name] for name in "abcdefnm")
        fits = ((x, y) for x in range(n // c + 1) for y in range(n // d + 1) if c * x + d * y <= n)
        assert answer == max(a * x + b * y for x, y in fits if e * x + f * y <= m)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (12, 12), ("12", 12), (12.0, 12), (" 3/8 ", Fraction(3, 8)), ("6/16", Fraction(3, 8)),
        ("0.375", Fraction(3, 8)),
        (0.375, Fraction(3, 8)), ("-5", -5), ("3/0", None), ("three", None), ("", None), ("1e9", None), (1e300, None),
        (True, None), ("1/3/3", None), ("9" * 41, None), (float("inf"), None), ("３", 3),
    ],
)  # fmt: skip
def test_answers_are_numbers(text, number) -> None:
    assert exact(text) == number


def test_an_answer_that_is_no_number_is_refused_and_a_wrong_one_ends() -> None:
    env = alone(split="val")
    env.reset(options={"task": 0})
    text, reward, over, _, info = env.step(said("answer", answer="many"))
    assert (reward, over, info["action_valid"]) == (0, False, False)
    assert "whole number such as 42" in text
    assert env.step(said("answer", answer=-1))[1:3] == (0.0, True)
    env.reset(options={"task": 0})
    assert env.step(said("answer", answer=env.reference()["answer"]))[1:3] == (1.0, True)


def test_without_the_tool_there_is_only_the_answer(monkeypatch) -> None:
    def none(name=""):
        raise MissingExtra("no sandbox")

    monkeypatch.setattr(python_math, "find_backing", none)
    env = alone(split="test")
    assert [tool["function"]["name"] for tool in env.tools] == ["answer"]
    assert "python" not in env.manual
    env.reset(options={"task": 3})
    assert env.max_turns == python_math.ALONE
    assert env.step(env.expert_action())[4]["success"]
    with pytest.raises(MissingExtra):
        agentgym.make("PythonMath-v0")
    with pytest.raises(ConfigError, match="tool=False has none"):
        alone(budget=3)


def test_both_ways_have_the_same_tasks(env) -> None:
    other = alone(split="val")
    assert env.tasks("val") is other.tasks("val")
    assert env.metadata["sandbox"] in ("bubblewrap", "docker")
    assert isinstance(env.card, EnvCard)


def test_programs_are_run_and_counted(env) -> None:
    env.reset(options={"task": 0})
    assert json.loads(env.step(said("python", code="print(6 * 7)"))[0]) == {"output": "42"}
    failed = json.loads(env.step(said("python", code="1 / 0"))[0])
    assert failed["error"].endswith("ZeroDivisionError: division by zero")
    assert env.step(said("python", code="x = 1"))[0] == '{"output": ""}'
    assert "NameError" in env.step(said("python", code="print(x)"))[0], "programs leave nothing"
    info = env.step(said("answer", answer=1))[4]
    assert info["metrics"] == {"programs": 4.0, "failed_programs": 2.0, "lost": 0.0}


def test_a_program_that_ends_its_sandbox_ends_the_episode(env, monkeypatch) -> None:
    def gone(data, code):
        raise Lost

    env.reset(options={"task": 0})
    monkeypatch.setitem(env.toolbox._known, "python", replace(python_math.PYTHON_TOOL, run=gone))
    _, reward, over, _, info = env.step(said("python", code="print(1)"))
    assert (reward, over, info["success"], info["metrics"]["lost"], info["failure"]) == (0.0, True, False, 1.0, "")
    env.reset(options={"task": 1})
    assert not env.ended


def test_the_answer_is_the_programs(env) -> None:
    for place in (0, 7, 19, 33):
        for player in ("oracle_action", "expert_action"):
            env.reset(options={"task": place})
            first = json.loads(getattr(env, player)())
            assert first["name"] == "python"
            printed = json.loads(env.step(json.dumps(first))[0])["output"]
            assert printed == env.reference()["answer"]
            assert env.step(getattr(env, player)())[4]["success"]


def test_tasks_are_drawn_from_some_kinds_and_topics() -> None:
    wanted = ["floors", "geometry"]
    kinds = {name for name, each in BOOK.problems.items() if name == "floors" or each.topic == "geometry"}
    for split, size in (("train", 60), ("val", 60)):
        panel = alone(problems=wanted, split=split).tasks(split)
        drawn = {panel[place].spec["problem"] for place in range(size)}
        assert drawn <= kinds
        assert len(drawn) >= 8
    few = {name: alone(problems=["floors"]).tasks(name) for name in ("val", "test")}
    assert all(len(panel) >= 150 for panel in few.values())
    keys = {name: {PythonMathEnv.content_key(task.spec) for task in panel} for name, panel in few.items()}
    assert not keys["val"] & keys["test"]


def test_the_published_panels_are_of_all_kinds() -> None:
    """Naming every topic draws what naming none does."""
    panel, same = alone(split="val").tasks("val"), alone(split="val", problems=list(python_math.TOPICS)).tasks("val")
    assert [task.spec for task in panel] == [task.spec for task in same]


@pytest.mark.parametrize(
    ("given", "said"), [([], "must be a list"), ("floors", "must be a list"), (["flors"], "floors")]
)
def test_kinds_that_are_none_are_refused(given, said) -> None:
    with pytest.raises((ConfigError, UnknownName), match=said):
        alone(problems=given)


def test_a_task_that_makes_no_problem_is_refused() -> None:
    with pytest.raises(TaskError, match="makes no problem"):
        alone().reset(options={"task": {"problem": "nothing", "seed": 1, "wording": 0}})


def test_no_panel_asks_what_another_asks() -> None:
    env = alone()
    keys = [{env.content_key(task.spec) for task in env.tasks(split)} for split in ("val", "test")]
    assert [len(each) for each in keys] == [200, 200]
    assert not keys[0] & keys[1]


def test_guesses_are_worth_nothing() -> None:
    """The most common answer, a number of the question, and what a neighbor's answer is: each under a fiftieth."""
    env = alone()
    answers, in_words = [], 0
    for task in env.tasks("test"):
        posed = pose(task.spec["problem"], task.spec["seed"])
        answers.append(posed.answer)
        in_words += str(posed.answer) in task.instruction.replace(",", " ").split()
    assert Counter(answers).most_common(1)[0][1] <= 4
    assert in_words == 0


def test_seeds_are_of_one_kind() -> None:
    drawn = [PythonMathEnv.generate(PythonMathEnv.config, stream("test.math", n))["problem"] for n in range(300)]
    assert len(set(drawn)) > 60
