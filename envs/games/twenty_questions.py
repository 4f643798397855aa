"""Twenty Questions: find out what thing is meant by asking what can be answered with yes or no."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

import numpy as np

from agentgym.assets.things import load_questions, load_things
from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, named_level, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, cut_by_hash, opaque_id
from agentgym.envs.games._cards.words import TWENTY_QUESTIONS
from agentgym.envs.games._joined import Reading
from agentgym.envs.games._things import advice, bare_name, holds, names, places, read

LEVELS = {"standard": {"questions": 20}, "short": {"questions": 12}, "long": {"questions": 30}}
MOST = 100
SHARES = {"train": 0.6, "val": 0.12, "test": 0.28}
WITHOUT = "Asked without 'not': "
SAID = {
    "": ("No.", "Yes."),
    "any": ("No, none of them.", "Yes, one of them at least."),
    "all": ("No, not all of that.", "Yes, all of that."),
}
UNKNOWN = "I do not know."
UNTOLD = "I tell no letters of the name; ask about the thing."


@dataclass(slots=True)
class State:
    """What was asked and answered, in order, as (kind, value, answer), the answer being `yes`, `no` or `unknown`."""

    heard: list[tuple[str, str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `TwentyQuestionsEnv`."""

    level: str = named_level("standard", LEVELS, of="TwentyQuestions")
    questions: int = whole(None, 1, MOST)


class TwentyQuestionsEnv(LanguageEnv):
    """Find out what thing is meant by asking questions that are answered with yes or no.

    Description: one of 365 everyday things (animals, plants, food, vehicles, instruments, household things, tools,
    buildings, nature) is meant. The answers come from a table of 150 facts about each, so equal questions have equal
    answers. A fact may be asked for in many ways: 2,600 are written down, and small words may be added or left out, as
    in `Does it fly?`, `Can the animal fly?`, `I think it is usually able to fly, right?`. Asked for are kind, size
    (beside a hand, a breadbox, a person, a car, a house), weight, shape, colour, material, parts, abilities, place,
    use, taste and origin. `Is it big?` means bigger than a person, `Is it heavy?` heavier than one, `Is it small?`
    that it fits in a hand.

    Observation: `Yes.`, `No.` or `I do not know.`, and the questions left.

    Actions: `ask Is it alive?` or the bare question; `guess kite`, or `Is it a kite?`. A wrong guess is answered `No.`
    Beside another thing (`Is it bigger than a cat?`) what is of the same class of size is not known; so is what no fact
    answers. Of parts joined by `or` one must be true, of those joined by `and` all; a question with a `not` is answered
    as asked without, which the answer says. What is no question with yes or no is refused with the reason. All of these
    use up a question.

    Reward: 1 for naming the thing, otherwise 0. (The originals pay -1 a question, which rewards silence here.) The
    episode ends when the thing is named (success) or no question is left.

    Splits: the things, ordered by stable hash and cut 60/12/28, so that `test` tells players apart: 219, 44 and 102.

    Oracle: names the thing. Expert: knows the facts, not which thing is meant; it asks what parts the things left most
    evenly, and names the last.

    Args:
        level: `standard` (20 questions), `short` (12) or `long` (30).
        questions: Questions and guesses, 1 to 100, in place of the level's.

    Source: the parlour game, as posed in LMRL-Gym (Abdulhai et al. 2023, arXiv:2311.18232) and ArCHer (Zhou et al.
    2024, arXiv:2402.19446), whose answers come from a language model; here from a table.
    """

    card = TWENTY_QUESTIONS
    config = Config()
    has_tries = True
    grammar = Grammar(
        [
            Command(
                "guess <thing>",
                "name the thing that is meant.",
                examples=("guess kite", "my guess is violin"),
                variants=("final answer: <thing>",),
            ),
            Command(
                "ask <question>",
                "ask a question that can be answered with yes or no.",
                examples=("ask Is it alive?", "Can you eat it?", "Is it made of metal?"),
                variants=("<question>",),
                free="line",
            ),
        ],
        rules="Find out what thing is meant. Ask about what it is, has, does, is made of, is used for or where it is "
        "found; answers are Yes, No or I do not know. 'Big' means bigger than a person, 'small' that it fits in "
        "a hand. Name the thing before the questions run out.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {"thing": {"type": "string"}, "questions": {"type": "integer", "minimum": 1, "maximum": MOST}}
    )
    admissible_complete = False  # a fact may be asked for in many other words
    _state: State

    def tasks(self, split: str) -> FiniteTaskSet:
        """The things."""
        return _panel(self.config.questions, split)

    def check_task(self, spec: Spec) -> None:
        """The thing must be in the table."""
        if spec["thing"] not in places():
            raise TaskError(f"{spec['thing']!r} is not among the things of the table; name one by its first name")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return (
            f"I am thinking of an everyday thing. Find out what it is by asking at most {spec['questions']} questions "
            "that can be answered with yes or no; naming the thing counts as a question."
        )

    def _turn_limit(self, task: Task) -> int:
        return int(task.spec["questions"])

    def _reset(self, task: Task) -> str:
        self._thing = places()[task.spec["thing"]]
        self._state = State()
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        if call.name == "guess":
            place = names().get(bare_name(call["thing"]), -1)
            if place < 0:
                return self.refuse(f"{shorten(call['thing'], 40)!r} is no thing that could be meant; name another.")
            return self._answer(Reading("guess", str(place)))
        reading = read(call["question"])
        return self.refuse(reading) if isinstance(reading, str) else self._answer(reading)

    def _answer(self, reading: Reading) -> Outcome:
        true = holds(self._thing, reading)
        known = "unknown" if true is None else "yes" if true else "no"
        if reading.kind not in ("unknown", "withheld"):
            self._state.heard.append((reading.kind, reading.value, known))
        won = reading.kind == "guess" and bool(true)
        lost = not won and self.turn >= self.task.spec["questions"]
        if true is None:
            said = UNTOLD if reading.kind == "withheld" else UNKNOWN
        else:
            said = SAID[reading.kind if reading.kind in SAID else ""][true]
        said = f"{WITHOUT if reading.negated else ''}{said}"
        verdict = " You have found it." if won else " No question is left; you have lost." if lost else ""
        event: dict[str, object] = {"type": "question", "about": reading.kind, "value": reading.value, "answer": known}
        if reading.kind == "guess":
            event = {"type": "guess", "thing": load_things()[int(reading.value)].name, "right": won}
        return Outcome(
            f"{said}{verdict}" if won or lost else f"{said}\n{self._view()}",
            reward=float(won),
            terminated=won or lost,
            success=won,
            events=(event,),
        )

    def _view(self) -> str:
        return f"Questions left: {max(0, self.max_turns - self.turn)}"

    def _admissible(self) -> list[str]:
        return list(_actions())

    def _sample(self, rng: np.random.Generator) -> str:
        actions = _actions()
        return actions[int(rng.integers(len(actions)))]

    def _oracle(self) -> str:
        return f"guess {load_things()[self._thing].name}"

    def _expert(self) -> str:
        return advice(tuple(sorted({*self._state.heard})))

    def _reference(self) -> str:
        return load_things()[self._thing].name


@cache
def _actions() -> tuple[str, ...]:
    asks = [f"ask {question.text}" for question in load_questions()]
    return tuple(sorted([*asks, *(f"guess {thing.name}" for thing in load_things())]))


@cache
def _panel(questions: int, split: str) -> FiniteTaskSet:
    held = cut_by_hash([thing.name.replace(" ", "_") for thing in load_things()], SHARES)[split]
    names = {opaque_id(name): name.replace("_", " ") for name in held}

    def make(task_id: str) -> Task:
        spec = {"thing": names[task_id], "questions": questions}
        return Task(task_id, split, TwentyQuestionsEnv.instruction(spec), spec)

    return FiniteTaskSet(split, list(names), make)
