"""`QuestionEnv`: a tool world whose tasks are drawn from a book of templates over generated data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import object_schema
from agentgym.core.outcome import Outcome
from agentgym.core.rng import stream
from agentgym.core.snapshot import copy_state, json_key
from agentgym.core.tasks import Spec, Task
from agentgym.envs._kit.tools.answers import ASKED, DECIMALS, LISTS, NUMBERS, as_it_is, misfit, right
from agentgym.envs._kit.tools.functions import Toolbox
from agentgym.envs._kit.tools.questions import (
    TRIES,
    Book,
    Request,
    Template,
    Trace,
    Unfit,
    play,
    presentable,
    proceed,
    written,
)
from agentgym.envs._kit.tools.world import ToolEnv, ToolState, texts_in

DONE = "done"  # the answer after a change
QUOTED, DAY = re.compile(r'"([^"]+)"'), re.compile(r"\d{4}-\d\d-\d\d")
MOST_CALLS, MOST_NAMED = 5, 40  # of that player
SEEDS, WORDINGS, ATTEMPTS, REMEMBERED = 2**31, 64, 50, 256


@dataclass(frozen=True, eq=False)
class World:
    """What a question world is made of.

    Attributes:
        book: Its templates.
        toolbox: Its tools.
        make: Fresh data of a seed, to be read and changed by the tools.
        compare: What of the data counts when a state is compared; plain data.
        forms: The ways in which a right name may be written, itself among them.
    """

    book: Book
    toolbox: Toolbox
    make: Callable[[int], Any]
    compare: Callable[[Any], Any]
    forms: Callable[[str], tuple[str, ...]] = as_it_is


@dataclass(frozen=True, eq=False)
class Problem:
    """A task worked out: shared by all episodes of it, never changed.

    Attributes:
        template, arguments: What is asked.
        question: In words.
        begin: The data at the start; copied for an episode.
        trace: The gold program played.
        goal: What `World.compare` gives of the data after it, for a task that changes them.
    """

    template: Template
    arguments: Mapping[str, Any]
    question: str
    begin: Any
    trace: Trace
    goal: Any = field(repr=False)


@lru_cache(REMEMBERED)
def solve(world: World, seed: int, name: str, wording: int) -> Problem | None:
    """The problem of a specification; None if the template finds nothing in the data.

    Args:
        world: What the problem is of.
        seed: Of the data and the arguments.
        name: Of the template.
        wording: As in `Book.word`.
    """
    template, begin = world.book.templates[name], world.make(seed)
    rng, before = stream("tools.arguments", seed, name), world.compare(begin)
    for _ in range(TRIES):
        arguments = world.book.draw(template, rng, begin)
        if arguments is None:
            continue
        data = copy_state(begin)
        try:
            trace = play(template.program(**arguments), world.toolbox, data)
        except Unfit:
            continue
        goal = world.compare(data)
        changed = goal != before
        if presentable(template.answer, trace.answer) and changed == (template.answer == "state"):
            question = world.book.word(template, wording, arguments)
            return Problem(template, arguments, question, begin, trace, goal)
    return None


class QuestionEnv(ToolEnv):
    """A tool world with questions and changes asked for in words; base of each.

    The specification of a task names the seed of its data, the template and the wording; everything follows from it.

    Attributes:
        world: What it is made of; the toolbox follows.
    """

    world: ClassVar[World]
    task_schema: ClassVar[Spec] = object_schema(
        {
            "seed": {"type": "integer", "minimum": 0, "maximum": SEEDS - 1, "description": "of the data"},
            "template": {"type": "string", "maxLength": 60, "description": "what is computed or changed"},
            "wording": {"type": "integer", "minimum": 0, "maximum": WORDINGS - 1, "description": "how it is said"},
        }
    )

    def __init_subclass__(cls, **kwargs: Any) -> None:
        if "world" in vars(cls):
            cls.toolbox = cls.world.toolbox
        super().__init_subclass__(**kwargs)

    @classmethod
    def generate(cls, config: Any, rng: np.random.Generator) -> Spec:
        """A template, data and a wording that make a question.

        Args:
            config: Not read: the questions of a world are the same however it is configured.
            rng: Draws the seed of the data, the template and the wording, anew until they fit together.
        """
        names = list(cls.world.book.templates)
        for _ in range(ATTEMPTS):
            spec: dict[str, Any] = {
                "seed": int(rng.integers(SEEDS)),
                "template": names[int(rng.integers(len(names)))],
                "wording": int(rng.integers(WORDINGS)),
            }
            if solve(cls.world, spec["seed"], spec["template"], spec["wording"]) is not None:
                return spec
        raise AssertionError(f"{cls.card.id}: {ATTEMPTS} draws in a row made no question")

    @classmethod
    def _problem_of(cls, spec: Spec) -> Problem:
        found = None
        if spec["template"] in cls.world.book.templates:
            found = solve(cls.world, spec["seed"], spec["template"], spec["wording"])
        if found is None:
            known = ", ".join(list(cls.world.book.templates)[:3])
            raise TaskError(
                f"the template {spec['template'][:40]!r} makes no task with seed {spec['seed']}; "
                f"take another seed, or another template such as {known}"
            )
        return found

    def check_task(self, spec: Spec) -> None:
        """The template must exist and find something to ask in the data."""
        self._problem_of(spec)

    @classmethod
    def instruction(cls, spec: Spec) -> str:
        """The question in words."""
        return cls._problem_of(spec).question

    @classmethod
    def content_key(cls, spec: Spec) -> str:
        """The question without its wording, whatever the data: no two splits ask the same."""
        problem = cls._problem_of(spec)
        return json_key([problem.template.name, dict(problem.arguments)])

    def _kind(self, spec: Spec) -> str:
        return str(spec["template"])

    def _reset(self, task: Task) -> str:
        self._problem = self._problem_of(task.spec)
        self._state = ToolState(copy_state(self._problem.begin))
        return task.instruction

    def _progressed(self, text: str) -> float | None:
        """Sub-goals are the results of the gold calls; each counts once, and the last one is the answer."""
        gold, found = self._problem.trace.texts, self._state.found
        for number, wanted in enumerate(gold):
            if wanted == text and number not in found:
                found.append(number)
                found.sort()
                break
        return len(found) / (len(gold) + 1)

    def _finish(self, arguments: Mapping[str, Any]) -> Outcome:
        problem, kind = self._problem, self._problem.template.answer
        answer = arguments.get("answer", DONE if kind == "state" else None)
        wrong = misfit(kind, answer)
        if wrong:
            return self.refuse(wrong)
        solved = self.world.compare(self._state.data) == problem.goal
        solved = solved and (kind == "state" or right(kind, answer, problem.trace.answer, self.world.forms))
        event = {"type": "tool_call", "tool": self.toolbox.final.name, "arguments": dict(arguments)}
        return Outcome(
            "That is right." if solved else "That is not right.",
            reward=float(solved), terminated=True, success=solved, events=(event,),
            metrics=self._measured(),
            costs={"duration": 1.0},
        )  # fmt: skip

    def _metrics(self) -> Mapping[str, float] | None:
        """At the turn limit what an answer would tell."""
        return self._measured() if self.turn >= self.max_turns else None

    def _measured(self) -> Mapping[str, float]:
        problem = self._problem
        return {"hops": problem.template.hops, "gold_calls": len(problem.trace.calls) + 1, **self._scored()}

    def _scored(self) -> Mapping[str, float]:
        """Metrics of the world's own at the end."""
        return {}

    def _final(self, answer: Any) -> str:
        answer = round(answer, DECIMALS) if isinstance(answer, float) else answer
        return written((self.toolbox.final.name, {"answer": DONE if answer is None else answer}))

    def _oracle(self) -> str:
        trace, made = self._problem.trace, iter(self._state.seen)
        for said in map(written, trace.calls):
            if all(call != said for call, _ in made):
                return said
        return self._final(trace.answer)

    def _expert(self) -> str:
        request: Request | None = None
        answer: Any = None
        readings = self.world.book.read(self.task.instruction)
        if readings:
            template, arguments = readings[0]
            try:
                request, answer = proceed(template.program(**arguments), self._state.seen)
            except Unfit:
                answer = None
        return self._final(answer) if request is None else written(request)

    def _shortcut(self, name: str) -> str:
        """Answers everything: no call depends on another, and no result is read but for the texts in it."""
        said, made = self.task.instruction, [call for call, _ in self._state.seen]
        for call in list(self._easy(said))[:MOST_CALLS]:
            if call not in made and len(made) < MOST_CALLS and not self._refused(call):
                return call
        shown = [text for _, result in self._state.seen for text in texts_in(result) if text.strip()]
        kind = next(kind for kind, endings in ASKED.items() if said.endswith(endings))
        if kind in NUMBERS:
            return self._final(len(shown))
        if kind in LISTS:
            return self._final([text[:100] for text in dict.fromkeys(shown)][:MOST_NAMED] or QUOTED.findall(said))
        if kind == "date":
            days = DAY.findall(" ".join([said, *shown]))
            return self._final(days[-1] if days else "2020-01-01")
        return self._final(None if kind == "state" else (shown or ["none"])[-1][:100])

    def _refused(self, call: str) -> bool:
        """Whether a call would be refused, so that a player would only say it again."""
        return not self.fork(reseed=0).step(call)[4]["action_valid"]

    def _easy(self, said: str) -> Iterator[str]:
        """Calls of the tools that need no argument, or one text, for which what the question quotes is taken."""
        named = QUOTED.findall(said) or [word.strip(".,?") for word in said.split()[1:] if word[:1].isupper()]
        for each in self.toolbox.functions:
            needed = each.tool.parameters.get("required", [])
            kinds = [each.tool.parameters["properties"][name].get("type") for name in needed]
            if not needed:
                yield written((each.name, {}))
            elif kinds == ["string"] and named:
                yield written((each.name, {needed[0]: named[0]}))

    def _reference(self) -> Any:
        """The gold answer, and the gold calls."""
        trace = self._problem.trace
        return {"answer": trace.answer, "calls": [written(request) for request in trace.calls]}
