"""Searches for the best models of every task, judged by the hidden truth: `python -m ...generate.build [--check]`.

What it finds is an upper line for players, who do not see that truth: single models over ways to encode the table,
those that the task's generator names among them, and means of the best two and three. Everything keeps within the
virtual time of an episode. It writes `best.json` and its checksum; `--check` compares and writes nothing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from agentgym.core.snapshot import fingerprint
from agentgym.envs.code._tiny_mle import book, metrics, trainer
from agentgym.envs.code._tiny_mle.data import Problem
from agentgym.envs.code._tiny_mle.encode import TEXT, BadRecipe, kind_of
from agentgym.envs.code._tiny_mle.predictions import combined

HOME = Path(__file__).parents[4] / "assets" / "tiny_mle"
MOST_SECONDS = 700.0  # virtual, of all models of a task together
THRESHOLDS = (None, 0.2, 0.3, 0.4)
LEAST_GAIN = 0.05  # share of the baseline's loss by which the best must be below it

Recipe = Mapping[str, Any]


def data_digest(problem: Problem) -> str:
    """Digest of a task's tables and its truth.

    Args:
        problem: The task.
    """
    tables = [{name: list(values) for name, values in table.items()} for table in (problem.train, problem.test)]
    return fingerprint([tables, list(problem.truth), problem.metric])


def models_for(problem: Problem, labels: bool) -> list[tuple[str, Mapping[str, Any]]]:
    """Models with options that are tried with every encoding, the cheap ones first.

    Args:
        problem: The task.
        labels: Whether labels are predicted.
    """
    if labels:
        return [
            ("linear", {"strength": 0.1}), ("linear", {"strength": 2.0}), ("svm", {"strength": 2.0}),
            ("boosting", {"rounds": 100, "depth": 2}), ("extra_trees", {"trees": 80, "leaf": 2}),
        ]  # fmt: skip
    if problem.metric == "pinball":
        return [("boosting", {"quantile": 0.9, "rounds": rounds, "depth": 2, "rate": 0.05}) for rounds in (60, 120)]
    special: dict[str, list[tuple[str, Recipe]]] = {
        "mae": [("huber", {}), ("boosting", {"absolute": 1})], "poisson": [("poisson", {"strength": 10.0})],
    }  # fmt: skip
    return [
        *special.get(problem.metric, [("linear", {"strength": 1.0})]), ("lasso", {"penalty": 0.03}),
        ("svm", {"strength": 10.0}), ("process", {}), ("boosting", {"rounds": 120, "depth": 3}),
    ]  # fmt: skip


def encodings(problem: Problem) -> list[Recipe]:
    """Ways to encode a task's table: what its generator names, and the plain way.

    Args:
        problem: The task.
    """
    drop = ["id", *([problem.group] if problem.group else [])]
    texts = any(kind_of(values) == TEXT for name, values in problem.test.items())
    plain: list[Recipe] = [{"drop": drop}, *([{"drop": drop, "text": "pairs"}] if texts else [])]
    return [*({"drop": drop, **each} for each in problem.recipes), *plain]


def tried(problem: Problem) -> Iterator[tuple[Recipe, float, tuple[str, ...], list[Any]]]:
    """Each model that fits the time: its recipe, its virtual seconds, its labels, and what it gives for the test table.

    Args:
        problem: The task.
    """
    labels = isinstance(problem.train[problem.target][0], str)
    table = {name: list(values) for name, values in problem.train.items()}
    for prep in encodings(problem):
        for model, options in models_for(problem, labels):
            recipe = {"model": model, "options": dict(options), "prep": dict(prep)}
            try:
                ordered = trainer.order({"table": table, "target": problem.target, **recipe})
                if ordered.seconds > MOST_SECONDS / 2:
                    continue
                fitted = trainer.fit(ordered)
            except BadRecipe:
                continue  # a logarithm of what is negative, a model of whole numbers
            yield recipe, ordered.seconds, fitted.labels, fitted.predict(problem.test)


def searched(problem: Problem) -> dict[str, Any]:
    """What is known of a task after the search.

    Args:
        problem: The task.
    """
    kind = metrics.METRICS[problem.metric].predicts
    found = list(tried(problem))
    thresholds = THRESHOLDS if problem.metric == "f1" else (None,)

    def loss(chosen: Sequence[int], threshold: float | None) -> float:
        """Test loss of the `chosen` models together; labels are said above the `threshold`, if there is one."""
        outputs = [found[at][3] for at in chosen]
        return metrics.loss(problem, combined(kind, found[chosen[0]][2], outputs, threshold))

    ranked = sorted(range(len(found)), key=lambda at: loss([at], None))
    choices = [ranked[:1], ranked[:2], ranked[:3]]
    allowed = [each for each in choices if sum(found[at][1] for at in each) <= MOST_SECONDS]
    chosen, threshold = min(
        ((each, cut) for each in allowed for cut in thresholds), key=lambda choice: loss(*choice)
    )  # fmt: skip
    baseline = metrics.loss(problem, metrics.constant(problem))
    best = loss(chosen, threshold)
    if baseline - best < LEAST_GAIN * abs(baseline):
        raise AssertionError(f"{problem.name}: {best:.4f} is hardly below the baseline {baseline:.4f}")
    return {
        "data": data_digest(problem), "baseline": baseline, "best": best,
        "models": [found[at][0] for at in chosen], "threshold": threshold,
    }  # fmt: skip


def main() -> int:
    """Search, and write or compare; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with what is there, and write nothing")
    parser.add_argument("--again", nargs="*", help="tasks to search again; the others keep what is known of them")
    args = parser.parse_args()
    file = HOME / "best.json"
    known: dict[str, Any] = json.loads(file.read_text(encoding="utf8")) if file.exists() else {}
    found: dict[str, Any] = {}
    for split in book.SPLITS:
        for name in book.names(split):
            problem = book.load(name)
            assert problem is not None
            kept = known.get(name)
            stale = kept is None or kept["data"] != data_digest(problem) or name in (args.again or ())
            if stale or args.check:
                found[name] = searched(problem)
                _say(f"{name} {found[name]['baseline']:.4f} {found[name]['best']:.4f}")
            else:
                found[name] = kept
            if not args.check:
                _write(file, {**known, **found})
    if args.check:
        differ = [name for name in found if found[name] != known.get(name)]
        _say(f"{len(differ)} of {len(found)} tasks differ: {', '.join(differ[:5])}" if differ else "nothing differs")
        return int(bool(differ))
    _write(file, found)
    return 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _write(file: Path, found: Mapping[str, Any]) -> None:
    text = "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in found.items()) + "\n}\n"
    file.write_text(text, encoding="utf8")
    digest = hashlib.sha256(text.encode()).hexdigest()
    checksum = file.with_name("checksum.py")
    lines = checksum.read_text(encoding="utf8").splitlines(keepends=True)
    lines = [f'CHECKSUM = "{digest}"\n' if line.startswith("CHECKSUM") else line for line in lines]
    checksum.write_text("".join(lines), encoding="utf8")


if __name__ == "__main__":
    sys.exit(main())
