"""PythonMath: problems with exact answers, solved with programs that run in a sandbox."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import ConfigError, TaskError, unknown
from agentgym.core.generated import checked, object_schema, switch
from agentgym.core.grammar import Call, shorten
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import json_key
from agentgym.core.tasks import Spec, Task
from agentgym.core.tool_grammar import Tool
from agentgym.envs._kit.sandbox import find_backing
from agentgym.envs._kit.sandbox.tool import PYTHON_TOOL
from agentgym.envs._kit.sandbox.world import ProgramEnv
from agentgym.envs._kit.tools import Toolbox, ToolConfig, ToolState
from agentgym.envs._kit.tools.questions import written
from agentgym.envs.code import PYTHON_MATH
from agentgym.envs.code._math.book import BOOK
from agentgym.envs.code._math.problems import Posed, pose, read

SEEDS, WORDINGS, ATTEMPTS = 2**31, 9, 50
TOPICS = tuple(dict.fromkeys(each.topic for each in BOOK.problems.values()))
ALONE = 3  # turns without the tool: one answer, and two more if it cannot be read
NUMBER = re.compile(r"\s*([-+]?\d{1,40})(?:\s*/\s*(\d{1,40})|\.(\d{1,40}))?\s*")
LARGEST = 10**15
ANSWER = Tool(
    "answer",
    "End the task with the answer: a whole number, or a fraction as text.",
    {
        "type": "object",
        "properties": {"answer": {"type": ["string", "number"], "maxLength": 90}},
        "required": ["answer"],
        "additionalProperties": False,
    },
    ({"answer": 42}, {"answer": "3/8"}),
)
RULES = "You solve a problem whose answer is exact: a whole number, or a fraction in lowest terms."
WITH_TOOL = Toolbox((PYTHON_TOOL,), ANSWER, f"{RULES} Programs that you send are run for you; print what you need.")
WITHOUT_TOOL = Toolbox((), ANSWER, f"{RULES} There is nothing to compute with: give the answer.")


def exact(said: Any) -> Fraction | None:
    """The number that an answer says; None if it says none."""
    if isinstance(said, bool) or not isinstance(said, (str, int, float)):
        return None
    if isinstance(said, float) and said.is_integer() and abs(said) < LARGEST:
        said = int(said)
    match = NUMBER.fullmatch(str(said))
    if match is None:
        return None
    whole, below, decimals = match.groups()
    if decimals is not None:
        return Fraction(f"{whole}.{decimals}")
    denominator = 1 if below is None else int(below)
    return Fraction(int(whole), denominator) if denominator else None


@dataclass(slots=True)
class State(ToolState):
    """What changes in an episode.

    Attributes:
        failed: Programs that ended in an error or were stopped.
    """

    failed: int = 0


def _check_problems(name: str, value: Any) -> tuple[str, ...]:
    """Kinds of problem and topics, as a tuple without order."""
    if not isinstance(value, (list, tuple)) or not value or not all(isinstance(each, str) for each in value):
        raise ConfigError(f"{name} must be a list of kinds of problem or of topics, got {shorten(repr(value), 60)}")
    known = {*BOOK.problems, *TOPICS}
    for each in value:
        if each not in known:
            raise unknown("kind of problem or topic", each, sorted(known))
    return tuple(sorted(set(value)))


@dataclass(frozen=True)
class Config(ToolConfig):
    """The keyword arguments of `PythonMathEnv`."""

    tool: bool = switch(True, shapes_tasks=False)
    problems: tuple[str, ...] | None = checked(None, _check_problems)


class PythonMathEnv(ProgramEnv):
    """Solve problems with exact answers, with programs that run in a sandbox, or without.

    Description: number theory, counting, geometry, probability, sequences, graphs and optimization: seventy-eight kinds
    of problem with drawn numbers, lists, points or graphs, each asked in nine ways. Each is a short program and a long
    calculation by hand. Answers are whole numbers of at least 10, or fractions with a denominator of at least 7, and
    never a number of the question.

    Observation: the problem; then what a program printed as JSON, `{"output": ...}`, with `error` if it failed or was
    stopped. Where something stands in memory is left out of what is shown.

    Actions: `{"name": "python", "arguments": {"code": "print(2**10)"}}` runs a program of Python 3 with the standard
    library; nothing of an earlier program is left. `{"name": "answer", "arguments": {"answer": "3/8"}}` ends the
    episode. An answer that is no number is refused.

    Reward: 1 for the exact answer (success), otherwise 0. Fractions need not be in lowest terms. A program that ends
    its sandbox ends the episode without reward.

    Splits: `train` without end, `val` and `test` 200 tasks each. No problem with the same numbers is in two splits, in
    whatever words.

    Oracle: runs the gold program, then answers. Expert: reads the kind and the numbers from the question's words, runs
    the program that solves it, and answers what it printed. The gold answer is computed outside the sandbox by the
    function whose source the gold program is, so it does not depend on the machine.

    Programs run in bubblewrap or in Docker, whichever the machine has, within limits of time (4 seconds of computing),
    memory (256 MiB), processes, files and output, and without a network. `metadata["sandbox"]` names it. What a program
    reads from the clock or from the kernel's source of chance is not repeatable; `random` starts from a fixed seed.

    Args:
        tool: Whether there is the tool `python`. Without it there is only `answer`: what a model can do alone, to be
            compared by pass@k. No sandbox is needed then.
        problems: Kinds of problem, such as `digit_sum_of_power`, or topics, such as `geometry`, that tasks are drawn
            from, for a policy that is to learn a few of them. None: all. Other panels than the published ones.
        budget: Programs that may be run; then only `answer` is taken. None: no limit but the turns.
        delay: Real seconds that every tool call sleeps, for rollouts that are to overlap.

    Source: tool-integrated reasoning of ToRA (Gou et al. 2024, arXiv:2309.17452) and ReTool (Feng et al. 2025,
    arXiv:2504.11536). Differences: generated problems, exact answers, a program at a time without a session.
    """

    card = PYTHON_MATH
    toolbox = WITH_TOOL
    config = Config()
    action_length = 20_000
    _state: State
    task_schema: ClassVar[Spec] = object_schema(
        {
            "problem": {"type": "string", "maxLength": 60, "description": "what is computed"},
            "seed": {"type": "integer", "minimum": 0, "maximum": SEEDS - 1, "description": "of its numbers"},
            "wording": {"type": "integer", "minimum": 0, "maximum": WORDINGS - 1, "description": "how it is said"},
        }
    )

    def _configured(self) -> None:
        if self.config.tool:
            self.metadata = {**self.metadata, "sandbox": find_backing().name}  # type: ignore[misc]
        else:
            self.grammar = WITHOUT_TOOL.grammar
            self.metadata = {**self.metadata, "sandbox": "none needed"}  # type: ignore[misc]
            if self.config.budget is not None:
                raise ConfigError("budget counts programs, and tool=False has none; leave one of them out")

    # Tasks.

    @staticmethod
    def generate(config: Any, rng: np.random.Generator) -> Spec:
        """A kind of problem, a seed that makes one of it, and a wording.

        Args:
            config: Its `problems` are names or topics to draw from; all if there are none.
            rng: Draws kind and seed, anew until they make a problem, and then the wording.
        """
        wanted = config.problems or TOPICS
        names = [name for name, each in BOOK.problems.items() if name in wanted or each.topic in wanted]
        for _ in range(ATTEMPTS):
            name, seed = names[int(rng.integers(len(names)))], int(rng.integers(SEEDS))
            if pose(name, seed) is not None:
                return {"problem": name, "seed": seed, "wording": int(rng.integers(WORDINGS))}
        raise AssertionError(f"{ATTEMPTS} draws in a row made no problem")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The problem in words."""
        posed = _posed(spec)
        return posed.problem.word(spec["wording"], posed.arguments, posed.answer)

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The problem without its wording."""
        posed = _posed(spec)
        return json_key([posed.problem.name, dict(posed.arguments)])

    def check_task(self, spec: Spec) -> None:
        """The kind must exist, and the seed make a problem of it."""
        _posed(spec)

    def _kind(self, spec: Spec) -> str:
        return _posed(spec).problem.topic

    def _turn_limit(self, task: Task) -> int:
        return self.card.max_turns if self.config.tool else ALONE

    # Play.

    def _reset(self, task: Task) -> str:
        self._posed = _posed(task.spec)
        self._state = State(None)
        return task.instruction

    def _altered(self, call: Call, text: str) -> str:
        self._state.failed += "error" in json.loads(text)
        return text

    def _finish(self, arguments: Mapping[str, Any]) -> Outcome:
        said = exact(arguments["answer"])
        if said is None:
            wrong = shorten(repr(arguments["answer"]), 40)
            return self.refuse(f"The answer must be a whole number such as 42 or a fraction such as 3/8, got {wrong}.")
        solved = said == self._posed.answer
        event = {"type": "tool_call", "tool": ANSWER.name, "arguments": dict(arguments)}
        return Outcome(
            "That is right." if solved else "That is not right.",
            reward=float(solved), terminated=True, success=solved, events=(event,), metrics=self._counted(),
            costs={"duration": 1.0},
        )  # fmt: skip

    def _counted(self, lost: float = 0.0) -> Mapping[str, float]:
        return {"programs": self._state.calls, "failed_programs": self._state.failed, "lost": lost}

    def _key_state(self) -> Any:
        return [super()._key_state(), self._state.calls, self._state.failed]  # both are told at the end

    def _played(self, program: str, answer: str) -> str:
        """The program if it was not run yet, and then the answer."""
        if not self.config.tool or self.config.budget == 0 or self._output(program) is not None:
            return written((ANSWER.name, {"answer": answer}))
        return written((PYTHON_TOOL.name, {"code": program}))

    def _output(self, program: str) -> str | None:
        """What a program has printed; None if it was not run."""
        said = written((PYTHON_TOOL.name, {"code": program}))
        text = next((text for call, text in self._state.seen if call == said), None)
        return None if text is None else str(json.loads(text)["output"])

    def _oracle(self) -> str:
        return self._played(self._posed.problem.program(self._posed.arguments), str(self._posed.answer))

    def _expert(self) -> str:
        found = read(self.task.instruction)
        if found is None:
            return written((ANSWER.name, {"answer": 0}))
        problem, arguments = found
        program = problem.program(arguments)
        printed = self._output(program)
        return self._played(program, str(problem.solve(arguments)) if printed is None else printed)

    def _reference(self) -> Any:
        """The gold answer, and the gold program."""
        return {"answer": str(self._posed.answer), "program": self._posed.problem.program(self._posed.arguments)}


def _posed(spec: Spec) -> Posed:
    found = pose(spec["problem"], spec["seed"])
    if found is None:
        known = ", ".join(list(BOOK.problems)[:3])
        raise TaskError(
            f"{spec['problem'][:40]!r} makes no problem with seed {spec['seed']}; take another seed, or another kind "
            f"such as {known}"
        )
    return found
