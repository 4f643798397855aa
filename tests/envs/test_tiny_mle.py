"""TinyMLE: data, measures, the trainer and its count, tools, players, and attempts to win without predicting."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import agentgym
from agentgym.assets.tiny_mle import load_known
from agentgym.core import TaskError
from agentgym.core.rng import stream
from agentgym.envs.code._tiny_mle import book, metrics, models, players, trainer
from agentgym.envs.code._tiny_mle.data import csv_text
from agentgym.envs.code._tiny_mle.encode import BadRecipe, Encoder, Prep
from agentgym.envs.code._tiny_mle.others import SHIPPED
from agentgym.envs.code._tiny_mle.predictions import BadPredictions, read_predictions
from agentgym.envs.code._tiny_mle.workspace import GIVEN, LIMITS, RUN_SECONDS, begun
from tests.envs.boxes import sandbox
from tests.sampling import one_in

pytest.importorskip("sklearn", reason="the extra mle is not installed")

DRAWN = [kind for kind in book.KINDS if kind not in SHIPPED]
EVERY = [name for split in book.SPLITS for name in book.names(split)]


def said(tool: str, /, **arguments) -> str:
    return json.dumps({"name": tool, "arguments": arguments})


@pytest.fixture
def env():
    sandbox()
    return agentgym.make("TinyMLE-v0", split="val").unwrapped


def played(env, script: str) -> dict:
    """What a run of a script says."""
    env.step(said("write", path="try.py", text=script))
    return json.loads(env.step(said("run", path="try.py"))[0])


# Data


def test_kinds_are_many_and_in_one_split_only() -> None:
    kinds = [kind for split in book.SPLITS.values() for kind in split]
    assert len(kinds) == len(set(kinds)) == len(book.KINDS)
    assert len(DRAWN) >= 30
    assert set(SHIPPED) <= set(kinds)
    assert len(EVERY) >= 150
    assert {split: len(book.names(split)) for split in book.SPLITS} == {"train": 99, "val": 24, "test": 30}


@pytest.mark.parametrize("kind", one_in(4, DRAWN))
def test_a_task_is_two_tables_and_truth_that_is_in_neither(kind: str) -> None:
    for variant in range(book.VARIANTS):
        problem = book.load(f"{kind}-{variant}")
        assert problem.target in problem.train
        assert problem.target not in problem.test
        assert set(problem.train) - set(problem.test) == {problem.target}
        for table in (problem.train, problem.test):
            assert len({len(values) for values in table.values()}) == 1
        assert 150 <= len(problem.truth) == len(problem.test["id"]) <= 200
        assert 200 <= len(problem.train["id"]) <= 260
        assert not set(problem.train["id"]) & set(problem.test["id"])
        assert len(set(problem.test["id"])) == len(problem.truth)
        assert not any("," in str(value) for values in problem.train.values() for value in values)
        assert all(value is not None for value in problem.train[problem.target])
    one, other = (book.load(f"{kind}-{variant}") for variant in (0, 1))
    assert csv_text(one.train) != csv_text(other.train)


def test_equal_names_give_equal_data() -> None:
    for name in ("gaps-0", "topics-1", "pages-2"):
        assert csv_text(book.load.__wrapped__(name).test) == csv_text(book.load(name).test)
    assert book.load("rings-9") is None
    assert book.load("nothing-0") is None


def told_by(labels, column, cut: float) -> float:
    """The share of rows whose label is yes where a column lies above a cut, and no elsewhere."""
    return float(np.mean([(each == "yes") == (value > cut) for each, value in zip(labels, column, strict=True)]))


def test_columns_that_tell_the_label_do_so_in_the_train_table_only() -> None:
    ticket = book.load("ticket-0")
    assert told_by(ticket.train[ticket.target], ticket.train["id"], 4_000) == 1.0
    assert told_by(ticket.truth, ticket.test["id"], 4_000) < 0.65
    later = book.load("later-0")
    (noted,) = [name for name in later.train if f"{name} is noted" in later.about]
    assert told_by(later.train[later.target], later.train[noted], 0) > 0.95
    assert told_by(later.truth, later.test[noted], 0) < 0.65


def test_wrong_labels_are_in_the_train_table_and_not_in_the_truth() -> None:
    problem = book.load("errors-0")
    assert set(problem.truth) == {"yes", "no"}
    wild = book.load("wild-0")
    assert max(map(abs, wild.train[wild.target])) > 20 > max(map(abs, wild.truth))


# Measures


def test_measures_by_hand() -> None:
    value = {name: metric.value for name, metric in metrics.METRICS.items()}
    labels, guess = ["yes", "no", "no", "yes"], ["yes", "no", "yes", "no"]
    assert value["accuracy"](labels, guess) == 0.5
    assert value["f1"](labels, guess) == 0.5
    assert value["balanced_accuracy"](["a", "a", "a", "b"], ["a", "a", "b", "b"]) == pytest.approx((2 / 3 + 1) / 2)
    assert value["macro_f1"](["a", "a", "b"], ["a", "b", "b"]) == pytest.approx(2 / 3)
    assert value["auc"](labels, [0.9, 0.1, 0.5, 0.5]) == pytest.approx(0.875)
    assert value["average_precision"](labels, [0.9, 0.1, 0.8, 0.7]) == pytest.approx(0.5 * 1 + 0.5 * 2 / 3)
    assert value["average_precision"](labels, [0.3] * 4) == 0.5, "equal chances are taken together"
    assert value["log_loss"](["yes", "no"], [0.5, 0.5]) == pytest.approx(math.log(2))
    assert value["kappa"]([1, 2, 3], [1, 2, 3]) == 1
    assert value["rmse"]([0, 0], [3, 4]) == pytest.approx(math.sqrt(12.5))
    assert value["mae"]([0, 0], [3, -4]) == 3.5
    assert value["rmsle"]([0.0], [math.e - 1]) == pytest.approx(1)
    assert value["poisson"]([2], [2]) == pytest.approx(0)
    assert value["poisson"]([0], [2]) == pytest.approx(4)
    assert value["pinball"]([1, 1], [0, 2]) == pytest.approx((0.9 + 0.1) / 2)
    assert value["r2"]([1, 2, 3], [2, 2, 2]) == 0
    assert value["spearman"]([1, 2, 3], [10, 20, 400]) == pytest.approx(1)
    assert value["spearman"]([1, 2, 3], [5, 5, 5]) == 0
    assert value["ndcg"]([1, 0], [2, 1], ["q", "q"]) == 1
    assert value["ndcg"]([1, 0], [1, 2], ["q", "q"]) == pytest.approx(1 / math.log2(3))
    assert value["ndcg"]([1, 0], [5, 5], ["q", "q"]) == pytest.approx((1 + 1 / math.log2(3)) / 2), "ties share"


def test_measures_agree_with_scikit_learn() -> None:
    from sklearn import metrics as other

    rng = stream("test.mle.metrics")
    truth, chance = rng.random(60) < 0.4, np.round(rng.random(60), 1)
    named = ["yes" if each else "no" for each in truth]
    for name, theirs in (
        ("auc", other.roc_auc_score), ("average_precision", other.average_precision_score),
        ("log_loss", other.log_loss),
    ):  # fmt: skip
        given = np.clip(chance, 1e-6, 1 - 1e-6)
        assert metrics.METRICS[name].value(named, given) == pytest.approx(theirs(truth, given), abs=1e-9)
    one, two = rng.integers(1, 6, 60), rng.integers(1, 6, 60)
    assert metrics.METRICS["kappa"].value(one, two) == pytest.approx(
        other.cohen_kappa_score(one, two, weights="quadratic")
    )
    labels = [[f"{each}" for each in column] for column in (one, two)]
    assert metrics.METRICS["macro_f1"].value(*labels) == pytest.approx(other.f1_score(*labels, average="macro"))
    number = one + rng.random(60)
    assert metrics.METRICS["poisson"].value(one, number) == pytest.approx(other.mean_poisson_deviance(one, number))
    assert metrics.METRICS["pinball"].value(one, number) == pytest.approx(
        other.mean_pinball_loss(one, number, alpha=0.9)
    )


def test_the_score_is_0_at_the_baseline_and_1_at_the_best_and_never_outside() -> None:
    assert [metrics.normalized(value, 4.0, 2.0) for value in (5.0, 4.0, 3.0, 2.0, 1.0)] == [0, 0, 0.5, 1, 1]


@pytest.mark.parametrize("name", one_in(20, EVERY))
def test_what_is_known_is_of_these_data_and_is_reached(name: str) -> None:
    from agentgym.envs.code._tiny_mle.generate.build import data_digest
    from agentgym.envs.code._tiny_mle.predictions import combined

    problem, known = book.load(name), load_known()[name]
    assert known.data == data_digest(problem)
    assert known.baseline == pytest.approx(metrics.loss(problem, metrics.constant(problem)), rel=1e-9)
    assert known.best < known.baseline
    table = {column: list(values) for column, values in problem.train.items()}
    orders = [trainer.order({"table": table, "target": problem.target, **recipe}) for recipe in known.models]
    fitted = [trainer.fit(order) for order in orders]
    outputs = [model.predict(problem.test) for model in fitted]
    kind = metrics.METRICS[problem.metric].predicts
    said_ = combined(kind, fitted[0].labels, outputs, known.threshold)
    assert metrics.loss(problem, said_) == pytest.approx(known.best, rel=1e-4)
    assert sum(order.seconds for order in orders) < 1_000, "the oracle has the time for it"


# The trainer


TABLE = {"a": [1, 2, 3, 4, 5, 6, 7, 8], "b": ["x", "y"] * 4, "t": ["no", "no", "no", "no", "yes", "yes", "yes", "yes"]}


def asked(train: trainer.Trainer, operation: str, **given) -> dict:
    return json.loads(train.answer(json.dumps({"name": "trainer", "args": [operation, given], "kwargs": {}})))


def test_a_fit_costs_what_it_declares_and_nothing_else() -> None:
    train = trainer.Trainer("accuracy", 1_000.0)
    found = asked(train, "fit", table=TABLE, target="t", model="forest", options={"trees": 50})
    rows, columns = 8, 3  # a, and one column for each of x and y
    operations = 50 * (rows * math.log2(rows + 1) * columns * 0.5 + models.PER_TREE) + rows * columns * 5
    assert found["value"]["seconds"] == pytest.approx(operations / trainer.OPERATIONS, abs=1e-3)
    assert train.spent == pytest.approx(found["value"]["seconds"] + trainer.CALL)
    again = trainer.Trainer("accuracy", 1_000.0)
    asked(again, "fit", table=TABLE, target="t", model="forest", options={"trees": 50})
    assert again.spent == train.spent, "the second time as well, though it is remembered"
    before = train.spent
    asked(train, "predict", model=0, table={"a": [1], "b": ["x"]})
    asked(train, "loss", truth=["yes"], said=["no"])
    asked(train, "left")
    assert train.spent > before + 3 * trainer.CALL
    assert asked(train, "loss", truth=["yes"], said=["no"])["value"] == 1.0


def test_without_time_nothing_is_fitted_and_the_rest_is_gone() -> None:
    train = trainer.Trainer("accuracy", 1.0)
    assert "virtual time is over" in asked(train, "fit", table=TABLE, target="t", model="forest")["error"]
    assert (train.left, train.spent, train.fits) == (0.0, 1.0, 0)
    for operation in ("left", "fit", "predict"):
        assert "virtual time is over" in asked(train, operation)["error"]
    assert train.spent == 1.0


def test_every_model_is_fitted_and_leaves_the_global_generator_alone() -> None:
    rng = stream("test.mle.models")
    table = {"a": rng.random(40).round(3).tolist(), "b": rng.random(40).round(3).tolist()}
    targets = ([["no", "yes", "no", "or"][at % 4] for at in range(40)], [float(at % 7) for at in range(40)])
    before = np.random.get_state()[1].tolist(), np.random.get_state()[2]
    for name, model in models.MODELS.items():
        for made, target in zip((model.labels, model.number), targets, strict=True):
            train = trainer.Trainer("accuracy", 1_000.0)
            found = asked(train, "fit", table={**table, "t": target}, target="t", model=name)
            assert ("value" in found) == (made is not None), (name, found)
            if made is not None:
                said_ = asked(train, "predict", model=0, table=table)["value"]
                assert len(said_) == 40
                if made is model.labels:
                    assert np.allclose(np.sum(said_, axis=1), 1, atol=1e-5), name
    assert (np.random.get_state()[1].tolist(), np.random.get_state()[2]) == before


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"model": "os.system"}, "model must be one of"),
        ({"model": "linear", "options": {"trees": 3}}, "options of linear"),
        ({"model": "forest", "options": {"trees": 10**9}}, "trees of forest must be a whole number from 1 to 400"),
        ({"model": "forest", "options": {"trees": 1.5}}, "whole number"),
        ({"model": "process"}, "process predicts numbers only"),
        ({"model": "linear", "target": "nothing"}, "must have the target"),
        ({"model": "linear", "table": {"a": [1], "t": [1, 2]}}, "one length"),
        ({"model": "linear", "table": {"a": [float("inf")], "t": [1]}}, "no value of a table"),
        ({"model": "linear", "table": {"a": [["x"]], "t": [1]}}, "no value of a table"),
        ({"model": "linear", "table": {"a": [10**400], "t": [1]}}, "a number that is too large, which is no value"),
        ({"model": "forest", "options": {"share": 10**400}}, "share of forest must be a number from"),
        ({"model": "forest", "options": {"trees": float("nan")}}, "trees of forest must be a whole number"),
        ({"model": "linear", "table": {"a": [1] * 2_000, "t": [1] * 2_000}}, "one length"),
        ({"model": "linear", "table": {"a": [1, 2], "t": [1, None]}}, "missing values"),
        ({"model": "linear", "prep": {"code": "import os"}}, "prep must be an object"),
        ({"model": "linear", "prep": {"category": "pickle"}}, "category must be one of"),
        ({"model": "linear", "prep": {"add": [["product", "a"]]}}, "a step of add"),
        ({"model": "linear", "prep": {"add": [["log", "b"]]}}, "holds no numbers"),
        ({"model": "linear", "prep": {"log_target": True}}, "no log_target"),
        ({"model": "neighbors", "options": {"neighbors": 0}}, "neighbors of neighbors must be"),
    ],
)
def test_what_is_no_recipe_is_refused_in_one_line(given: dict, problem: str) -> None:
    train = trainer.Trainer("accuracy", 1_000.0)
    found = asked(train, "fit", **{"table": TABLE, "target": "t", **given})
    assert problem in found["error"]
    assert "\n" not in found["error"]
    assert train.fits == 0
    assert train.spent == trainer.CALL, "it was a call all the same"


@pytest.mark.parametrize(
    "call",
    ["", "null", "[]", '{"args": []}', '{"args": ["fit", 3]}', '{"args": [[], {}]}', "[" * 5_000, '{"args": [{}, {}]}'],
)
def test_forged_calls_are_answered_and_gain_nothing(call: str) -> None:
    train = trainer.Trainer("accuracy", 10.0)
    assert "error" in json.loads(train.answer(call))
    assert train.left <= 10.0
    assert train.fits == 0


@pytest.mark.parametrize(
    ("metric", "given", "problem"),
    [
        ("ndcg", {"truth": [1, 2], "said": [1, 2], "groups": [None, "a"]}, "the groups must be"),
        ("ndcg", {"truth": [1, 2], "said": [1, 2], "groups": [1, "a"]}, "the groups must be"),
        ("ndcg", {"truth": [9_999, 2], "said": [1, 2], "groups": [1, 1]}, "no finite number"),
        ("rmse", {"truth": [10**400], "said": [1]}, "no value of a table"),
        ("accuracy", {"truth": ["a"], "said": [10**400]}, "no value of a table"),
    ],
)
def test_a_loss_of_what_has_none_is_refused(metric: str, given: dict, problem: str) -> None:
    assert problem in asked(trainer.Trainer(metric, 10.0), "loss", **given)["error"]


def test_a_column_of_texts_may_hold_a_number() -> None:
    table = {"a": ["a rather long text of many words", 0, None], "t": [1, 2, 3]}
    train = trainer.Trainer("rmse", 1_000.0)
    assert "value" in asked(train, "fit", table=table, target="t", model="linear")
    assert len(asked(train, "predict", model=0, table=table)["value"]) == 3


def test_tables_become_numbers_as_they_are_asked_to() -> None:
    table = {"n": [1.0, None, 3.0], "c": ["x", "y", None], "e": [2, 4, 8]}
    target = np.array([0.0, 1.0, 1.0])
    plain = Encoder(Prep.read({"scale": False}))
    assert plain.fit(table, target).tolist() == [
        [1.0, 0, 1, 0, 2.0, 0], [2.0, 0, 0, 1, 4.0, 1], [3.0, 1, 0, 0, 8.0, 0],
    ]  # fmt: skip
    assert plain.encode({"n": [9], "c": ["new"], "e": [1]}).tolist() == [[9, 0, 0, 0, 1, 0]]
    added = Encoder(Prep.read({"scale": False, "drop": ["n", "c"], "add": [["ratio", "e", "e"], ["cycle", "e", 8]]}))
    assert np.allclose(added.fit(table, target)[1], [4, 1, 0, -1])
    crossed = Encoder(Prep.read({"scale": False, "drop": ["c"], "indicator": False, "interact": True}))
    assert crossed.fit(table, target)[2].tolist() == [3.0, 8.0, 24.0]
    with pytest.raises(BadRecipe, match="missing"):
        plain.encode({"n": [1]})
    scaled = Encoder(Prep.read({"drop": ["c", "n"]})).fit(table, target)
    assert (abs(scaled.mean()) < 1e-9, round(float(scaled.std()), 6)) == (True, 1.0)


# Predictions


def test_predictions_are_checked_line_by_line() -> None:
    problem = book.load("gaps-0")
    ids = problem.test["id"]
    right = "id,prediction\n" + "".join(f"{row},0.5\n" for row in reversed(ids))
    assert read_predictions(problem, right) == [0.5] * len(ids)
    for text, why in (
        (None, "there is no predictions.csv"),
        ("", "the first line"),
        ("id,guess\n", "the first line"),
        (right.replace("0.5", "nan", 1), "a chance from 0 to 1"),
        (right.replace("0.5", "1.5", 1), "a chance from 0 to 1"),
        (right.replace(f"{ids[0]},0.5\n", ""), "has 199 rows"),
        (right + f"{ids[0]},0.5\n", "comes twice"),
        (right + "7,0.5\n", "no id of test.csv"),
        (right + "x" * 200_000, "is longer"),
        (right + "1\n", "must have an id and a prediction"),
    ):
        with pytest.raises(BadPredictions, match=why):
            read_predictions(problem, text)


# Play


def test_the_folder_holds_no_truth() -> None:
    for name in ("gaps-0", "curve-1", "adverts-2"):
        problem = book.load(name)
        files = begun(problem, 1_200).tree.files
        assert set(files) == set(GIVEN)
        assert files["test.csv"].splitlines()[0].split(",") == list(problem.test)
        if not isinstance(problem.truth[0], str):
            held = "".join(files.values())
            assert (
                sum(f",{value}\n" in held or f",{value}," in held for value in problem.truth) < len(problem.truth) / 4
            )


def test_every_call_takes_virtual_time(env) -> None:
    env.reset(options={"task": 0})
    info = env.step(said("list_files"))[4]
    assert info["costs"]["duration"] == info["metrics"]["duration"] == 1.0
    info = env.step(said("write", path="a.py", text="print(1)\n"))[4]
    assert info["metrics"]["duration"] == 2.0
    text, _, _, _, info = env.step(said("run", path="a.py"))
    assert json.loads(text)["output"] == "1"
    assert json.loads(text)["left"] == 1_200 - 3 - RUN_SECONDS
    assert (info["metrics"]["duration"], info["metrics"]["milestone"], info["progress"]) == (RUN_SECONDS, 0.1, 0.1)
    info = env.step(said("write", path="train.csv", text="id\n"))[4]
    assert "cannot be changed" in info["error"]
    assert (info["metrics"]["duration"], info["costs"]["duration"]) == (1.0, 0.0)
    assert env.step("nonsense")[4]["metrics"]["duration"] == 1.0
    assert env._work.left == 1_200 - 3 - RUN_SECONDS, "a refused call is not taken from the budget"


def test_a_script_has_models_fitted_and_writes_predictions(env) -> None:
    env.reset(options={"task": "gaps-0"})
    found = played(env, players.shortcut_script("forest"))
    assert found["predictions"] == "as they must be"
    assert found["fits"] == 1
    assert found["seconds"] > RUN_SECONDS
    _, reward, over, _, info = env.step(said("submit"))
    assert over
    assert 0 < reward == info["metrics"]["score"] == info["progress"] <= 1


def test_when_the_time_is_over_only_submit_is_left(env) -> None:
    env = agentgym.make("TinyMLE-v0", split="val", time_limit=60).unwrapped
    env.reset(options={"task": "gaps-0"})
    loop = "import lab\ntrain = lab.read_csv('train.csv')\ntarget = list(train)[-1]\n" + (
        "count = 0\ntry:\n    while True:\n        lab.fit(train, target, 'forest')\n        count += 1\n"
        "except ToolError as error:\n    print(count, error)\n"
    )
    found = played(env, loop)
    assert "virtual time is over" in found["output"]
    assert found["left"] == 0.0
    assert "only submit is left" in env.step(said("list_files"))[4]["error"]
    assert "no predictions.csv" in env.step(said("submit"))[0]


CHEATS = {
    "lies about the time": "import lab\nlab.left = lambda: 1e9\nlab.Model.seconds = 0\n" + (
        "train = lab.read_csv('train.csv')\nmodel = lab.fit(train, list(train)[-1], 'forest')\nmodel.seconds = 0\n"
    ),
    "asks for the truth": (
        "import json\nfor name in ('truth', 'reference', 'submit', 'score'):\n"
        "    try:\n        print(trainer(name, {}))\n    except ToolError as error:\n        print('refused', error)\n"
    ),
    "looks for scikit-learn and the package": (
        "import importlib\nfor name in ('sklearn', 'numpy', 'agentgym', 'pandas'):\n"
        "    try:\n        importlib.import_module(name)\n        print('found', name)\n"
        "    except ImportError:\n        print('refused', name)\n"
    ),
    "looks for other files": (
        "import os\nprint(sorted(os.listdir('.')))\n"
        "print(any('best.json' in files for _, _, files in os.walk('/')))\n"
    ),
}  # fmt: skip


@pytest.mark.full
def test_cheats_gain_nothing(env) -> None:
    env.reset(options={"task": "gaps-0"})
    found = played(env, CHEATS["lies about the time"])
    assert found["seconds"] > RUN_SECONDS + 1
    found = played(env, CHEATS["asks for the truth"])
    assert found["output"].count("refused") == 4
    found = played(env, CHEATS["looks for scikit-learn and the package"])
    assert "found" not in found["output"]
    found = played(env, CHEATS["looks for other files"])
    assert "False" in found["output"]
    assert "best.json" not in found["output"]


@pytest.mark.full
def test_what_a_script_computes_itself_is_bounded(env) -> None:
    env.reset(options={"task": "gaps-0"})
    for more in ("os.fork()", "threading.Thread(target=print).start()", "subprocess.run(['true'])"):
        found = played(env, f"import os, subprocess, threading\n{more}\nprint('more')\n")
        assert "more" not in found["output"], "each process would have seconds of its own"
    found = played(env, "while True:\n    pass\n")
    assert f"stopped after {LIMITS.cpu} seconds" in found["error"]
    assert found["seconds"] == RUN_SECONDS


@pytest.mark.full
def test_a_run_is_the_same_every_time(env) -> None:
    texts = []
    for _ in range(2):
        trainer._fitted.cache_clear()
        env.reset(options={"task": "prices-0"})
        while not env.ended:
            texts.append(env.step(env.expert_action())[0])
    assert texts[: len(texts) // 2] == texts[len(texts) // 2 :]


@pytest.mark.parametrize("place", one_in(12, range(24)))
def test_the_oracle_reaches_the_best_known(env, place: int) -> None:
    env.reset(options={"task": place})
    while not env.ended:
        info = env.step(env.oracle_action())[4]
    assert info["success"]
    assert info["metrics"]["score"] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.full
@pytest.mark.parametrize("place", range(24))
def test_the_expert_writes_a_sound_script(env, place: int) -> None:
    env.reset(options={"task": place})
    texts = []
    while not env.ended:
        text, reward, *_ = env.step(env.expert_action())
        texts.append(text)
    assert "error" not in json.loads(texts[-2]), texts[-2]
    assert reward > 0.3


def test_a_task_that_is_not_there_is_refused() -> None:
    sandbox()
    with pytest.raises(TaskError, match="there is no data 'nothing-0'"):
        agentgym.make("TinyMLE-v0").reset(options={"task": {"data": "nothing-0"}})
