"""TinyMLE: a training script for a small data set is written and run under a virtual time budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from agentgym.assets.tiny_mle import Known, load_known
from agentgym.core.errors import TaskError, require
from agentgym.core.generated import object_schema, whole
from agentgym.core.grammar import Call
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import json_key
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, TaskSet
from agentgym.envs._kit.sandbox import find_backing
from agentgym.envs._kit.sandbox.world import ProgramEnv
from agentgym.envs._kit.tools import ToolConfig, ToolState
from agentgym.envs._kit.tools.questions import written
from agentgym.envs.code import TINY_MLE
from agentgym.envs.code._tiny_mle import book, metrics, players
from agentgym.envs.code._tiny_mle.data import Problem
from agentgym.envs.code._tiny_mle.predictions import PREDICTIONS, BadPredictions, read_predictions
from agentgym.envs.code._tiny_mle.workspace import (
    MILESTONES,
    RUN_SECONDS,
    STEP,
    SUBMIT,
    TOOLBOX,
    Workspace,
    asked,
    begun,
)

SOLVED = 0.95  # of the way from the baseline to the best known
REFUSED = 1.0  # seconds that a refused call is told to take; they are not taken from the budget


@dataclass(frozen=True)
class Config(ToolConfig):
    """The keyword arguments of `TinyMLEEnv`."""

    time_limit: int = whole(1200, 60, 100_000, shapes_tasks=False)


class TinyMLEEnv(ProgramEnv):
    """Write a training script for a small data set, run it within a virtual time budget, and submit its predictions.

    Description: fifty-one kinds of data, three tasks of each, with some two hundred rows to learn from and as many to
    predict: labels, chances, numbers, quantiles, ranks; planes, rings, products, rules and cycles; rare labels, wrong
    labels, missing values that tell or do not, categories, texts, time series, groups, columns that tell the label in
    the train table only; and six data sets that scikit-learn ships, in other units and another order. A task names its
    measure, one of sixteen.

    Observation: the task; then the result of a call as JSON: files, lines with numbers, what a script printed, how many
    models it fitted, the virtual seconds it took and those that are left, and whether `predictions.csv` is as it must
    be. The values to be predicted are never in a sandbox.

    Actions: one tool call: `list_files`, `view`, `write`, `replace`, `edit_lines`, `run`, or `submit`, which ends the
    episode, such as `{"name": "run", "arguments": {"path": "train.py"}}`. Scripts are Python with the standard library
    and the module `lab`, which reads tables, splits rows, and has models of scikit-learn fitted: `README.md` in the
    folder names them with their options.

    Virtual time: looking takes 1 second, writing 2, a run 20 and what its calls cost. Models are fitted outside the
    sandbox by whoever counts. A fit costs what rows, encoded columns and declared options (trees, rounds, epochs) say,
    whether it converges or not, and a call a quarter of a second. So the count is exact, the same on every machine, and
    no script can lie about it: forged calls are calls. What a script computes itself is not counted but bounded, two
    seconds of one processor without any library for numbers, and the 20 seconds of a run pay for all of it. When the
    time is over a fit is refused, and then every call but `submit`.

    Reward: at `submit` the score: the measure of the predictions, 0 where a constant stands that knows the target alone
    (its mean, median, quantile, share or most frequent label), 1 at the best known, within these bounds. Success: 0.95
    or more. The best known comes from a search that was judged by the hidden values, so it is a high line. Predictions
    that are missing or not as they must be score 0.

    `costs["duration"]` is the virtual seconds that a call took, and so is `metrics["duration"]`, which says 1 for a
    refused one as well, though the budget does not count that; `metrics["milestone"]` is 0.1 for each of three that a
    call reaches first: a script ran to its end, fitted a model, left predictions as they must be. `progress` is their
    sum, and the score at the end.

    Splits: by kind; no kind of data is in two.

    Oracle: writes the script of the best known models. Expert: looks at the heads of both tables, writes a script that
    leaves out what lies apart in them, tries models by cross-validation, and takes the mean of the best. Shortcuts: the
    constant, the nearest row, one forest for everything.

    Args:
        time_limit: Virtual seconds of an episode.
        budget: Tool calls that may be made; then only `submit` is taken. None: no limit but the turns.
        delay: Real seconds that every tool call sleeps, for rollouts that are to overlap.

    Source: scores between submissions as in MLE-bench (Chan et al. 2024, arXiv:2410.07095), a folder with tools as in
    MLAgentBench (Huang et al. 2023, arXiv:2310.03302), durations and milestones as in Yang et al. 2025
    (arXiv:2509.01684). Differences: small drawn data, virtual time, models declared and not programmed.
    """

    card = TINY_MLE
    toolbox = TOOLBOX
    config = Config()
    action_length = 20_000
    _state: ToolState
    task_schema: ClassVar[Spec] = object_schema(
        {"data": {"type": "string", "maxLength": 40, "description": "kind and variant, such as rings-0"}}
    )

    def _configured(self) -> None:
        require("sklearn", extra="mle", purpose="TinyMLE-v0")
        self.metadata = {**self.metadata, "sandbox": find_backing().name}  # type: ignore[misc]

    # Tasks.

    def tasks(self, split: str) -> TaskSet:
        """The tasks of a split's kinds."""
        return FiniteTaskSet(split, book.names(split), lambda name: self._task_of(name, split))

    def _task_of(self, name: str, split: str) -> Task:
        spec = {"data": name}
        return Task(name, split, self.instruction(spec), spec)

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return asked(_problem(spec))

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The kind and its variant."""
        return json_key(spec["data"])

    def check_task(self, spec: Spec) -> None:
        """The kind and the variant must exist."""
        _problem(spec)

    def _kind(self, spec: Spec) -> str:
        return _problem(spec).kind

    # Play.

    def _reset(self, task: Task) -> str:
        self._problem = _problem(task.spec)
        self._state = ToolState(begun(self._problem, self.config.time_limit))
        return f"{task.instruction}\n\nThere are {self.config.time_limit} virtual seconds."

    @property
    def _work(self) -> Workspace:
        found: Workspace = self._state.data
        return found

    @property
    def _known(self) -> Known:
        return load_known()[self._problem.name]

    def _step(self, call: Call) -> Outcome:
        work = self._work
        before, reached = work.clock, len(work.reached)
        if work.left <= 0 and call.name != SUBMIT.name:
            return self.refuse("The virtual time is over; only submit is left to call.")
        outcome = super()._step(call)
        if not outcome.valid:
            return outcome
        if not outcome.terminated and call.name != "run":
            work.spend(self.toolbox[call.name].seconds)
        if outcome.terminated:  # by submit, which takes a second, or lost in a run
            taken = 1.0 if call.name == SUBMIT.name else RUN_SECONDS
        else:
            taken = round(work.clock - before, 3)
            outcome.progress = STEP * len(work.reached)
        milestone = round(STEP * (len(work.reached) - reached), 3)
        outcome.costs = {"duration": taken}
        outcome.metrics = {**(outcome.metrics or self._counted()), "duration": taken, "milestone": milestone}
        return outcome

    def _metrics(self) -> Mapping[str, float]:
        """Those of refused calls."""
        return {**self._counted(), "duration": REFUSED}

    def _finish(self, arguments: Mapping[str, Any]) -> Outcome:
        score, said = self._judged()
        event = {"type": "tool_call", "tool": SUBMIT.name, "arguments": dict(arguments)}
        return Outcome(
            said, reward=score, terminated=True, success=score >= SOLVED, progress=score, events=(event,),
            metrics={**self._counted(), "score": score},
        )  # fmt: skip

    def _judged(self) -> tuple[float, str]:
        """The score of the predictions, and what is said of them."""
        try:
            said = read_predictions(self._problem, self._work.tree.files.get(PREDICTIONS))
        except BadPredictions as error:
            return 0.0, f"Nothing could be judged: {error}. The score is 0."
        known = self._known
        score = metrics.normalized(metrics.loss(self._problem, said), known.baseline, known.best)
        return score, f"The score is {score:.3f}, where 1 is the best known."

    def _counted(self, lost: float = 0.0) -> Mapping[str, float]:
        work = self._work
        return {"runs": work.runs, "failed_runs": work.failed, "fits": work.fits, "lost": lost}

    def _key_state(self) -> Any:
        state, work = self._state, self._work
        limited = state.calls if self.config.budget is not None else 0
        counted = [work.clock, work.runs, work.failed, work.fits, list(work.reached), work.made_from]
        return [dict(work.tree.files), counted, limited]

    def _oracle(self) -> str:
        known = self._known
        best = {"models": known.models, "threshold": known.threshold}
        return written(players.played(self._work, players.best_script(self._problem, best)))

    def _expert(self) -> str:
        return written(players.expert_action(self._work, self._state.seen, self.task.instruction))

    def _shortcut(self, name: str) -> str:
        return written(players.played(self._work, players.shortcut_script(name)))

    def _reference(self) -> Any:
        """The values to be predicted, and the best known models."""
        known = self._known
        return {
            "truth": list(self._problem.truth), "models": [dict(each) for each in known.models],
            "threshold": known.threshold, "milestones": list(MILESTONES),
        }  # fmt: skip


def _problem(spec: Spec) -> Problem:
    found = book.load(spec["data"])
    if found is None:
        known = ", ".join(book.names("train")[:3])
        raise TaskError(f"there is no data {spec['data'][:40]!r}; there are {known} and so on")
    return found
