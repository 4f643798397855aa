"""Twenty Questions: find out what thing is meant by asking what can be answered with yes or no."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import ClassVar

import numpy as np

from agentgym.assets.things import load_questions, load_things
from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, named_level, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, cut_by_hash, opaque_id
from agentgym.envs.games._asking import alternatives, complaint, gist, loose, plain_question, within, words
from agentgym.envs.games._cards.words import TWENTY_QUESTIONS

LEVELS = {"standard": {"questions": 20}, "short": {"questions": 12}, "long": {"questions": 30}}
MOST = 100
SHARES = {"train": 0.6, "val": 0.12, "test": 0.28}
SUBJECT = re.compile(
    r"\b(?:the|this|that|these|those|your) (?:animal|creature|thing|object|item|plant|food|fruit|product|device|"
    r"instrument|tool|vehicle|machine)s?\b(?= [a-z])",
    re.IGNORECASE,
)  # stands for what is meant, and asks for nothing
ASIDE = frozenset(
    words(
        "touch shape color commonly adult live every day still today home house sort form piece part specific "
        "particular real physical actual most people person who found find natural use made"
    )
)  # words that may be left over beside a way to ask
IS_IT_A = re.compile(
    r".*\b(?:is|was|could|might|would) (?:it|this|that) (?:be )?(?:an?|the) (?P<name>[a-z][a-z -]*?)[\s?.!]*",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(slots=True)
class State:
    """What was asked: keys of questions that were answered yes, and no, and names that were guessed."""

    yes: list[str] = field(default_factory=list)
    no: list[str] = field(default_factory=list)
    guesses: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Reading:
    """A question that was understood.

    Attributes:
        key: Key of the question, empty for a guess.
        opposite: Whether it asks for the opposite.
        thing: Place of the thing that is guessed, or -1.
    """

    key: str
    opposite: bool = False
    thing: int = -1


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `TwentyQuestionsEnv`."""

    level: str = named_level("standard", LEVELS, of="TwentyQuestions")
    questions: int = whole(None, 1, MOST)


class TwentyQuestionsEnv(LanguageEnv):
    """Find out what thing is meant by asking questions that are answered with yes or no.

    Description: one of 365 everyday things (animals, plants, food, vehicles, instruments, household things, tools,
    buildings, nature) is meant. The answers come from a table of 145 facts about each, so equal questions have equal
    answers. A fact may be asked for in many ways: 2,000 are written down, and small words may be added or left out, as
    in `Does it fly?`, `Can the animal fly?`, `I think it is usually able to fly, right?`. Asked for are kind, size
    (beside a hand, a breadbox, a person, a car, a house), weight, shape, colour, material, parts, abilities, place,
    use, taste and origin. `Is it big?` means bigger than a person, `Is it heavy?` heavier than one, `Is it small?`
    that it fits in a hand.

    Observation: `Yes.` or `No.`, and the questions left.

    Actions: `ask Is it alive?` or the bare question; `guess kite`, or `Is it a kite?`. A wrong guess is answered `No.`
    What is not understood, joins two questions (`Is it a mammal or a bird?`; `fur or hair` is one) or holds a `not`, is
    refused with the reason and uses up a question.

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
    grammar = Grammar(
        [
            Command(
                "guess <thing>",
                "name the thing that is meant.",
                examples=("guess kite", "my guess is violin"),
                variants=("my guess is <thing>", "i guess <thing>", "final answer: <thing>"),
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
        "found; answers are Yes or No, one fact a question. 'Big' means bigger than a person, 'small' that it fits in "
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
        if spec["thing"] not in _places():
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
        self._thing = _places()[task.spec["thing"]]
        self._state = State()
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        if call.name == "guess":
            name = _name(call["thing"])
            place = _names().get(name, -1)
            if place < 0:
                return self.refuse(f"{shorten(call['thing'], 40)!r} is no thing that could be meant; name another.")
            return self._answer(Reading("", thing=place))
        reading = read(call["question"])
        return self.refuse(reading) if isinstance(reading, str) else self._answer(reading)

    def _answer(self, reading: Reading) -> Outcome:
        state, thing = self._state, load_things()[self._thing]
        won = reading.thing == self._thing
        if reading.thing >= 0:
            name = load_things()[reading.thing].name
            state.guesses.append(name)
            answer, event = won, {"type": "guess", "thing": name, "right": won}
        else:
            fact = reading.key in thing.true
            (state.yes if fact else state.no).append(reading.key)
            answer = fact != reading.opposite
            event = {"type": "question", "key": reading.key, "answer": answer}
        lost = not won and self.turn >= self.task.spec["questions"]
        verdict = " You have found it." if won else " No question is left; you have lost." if lost else ""
        said = f"{'Yes' if answer else 'No'}.{verdict}"
        return Outcome(
            said if won or lost else f"{said}\n{self._view()}",
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
        state = self._state
        return advice(tuple(sorted({*state.yes})), tuple(sorted({*state.no})), tuple(sorted({*state.guesses})))

    def _reference(self) -> str:
        return load_things()[self._thing].name


@cache
def _places() -> dict[str, int]:
    return {thing.name: place for place, thing in enumerate(load_things())}


def _name(text: str) -> str:
    said = words(text)
    return " ".join(said[1:] if said and said[0] in ("a", "an", "the", "some") else said)


@cache
def _names() -> dict[str, int]:
    """Places of things by every name, the plural ones without their ending included."""
    return {_name(name): place for place, thing in enumerate(load_things()) for name in (thing.name, *thing.others)}


@cache
def _ways() -> dict[tuple[str, ...], tuple[str, bool]]:
    """Key of the question, and whether the opposite is asked, by the gist of each way to ask it."""
    ways: dict[tuple[str, ...], tuple[str, bool]] = {}
    for question in load_questions():
        for opposite, texts in ((False, (question.text, *question.same)), (True, question.opposite)):
            for text in texts:
                ways.setdefault(gist(text), (question.key, opposite))
    return ways


@cache
def _loose_ways() -> dict[tuple[str, ...], tuple[str, bool]]:
    """The same without who asks and whether a thing is found, where that leaves one meaning."""
    meanings: dict[tuple[str, ...], set[tuple[str, bool]]] = {}
    for asked, way in _ways().items():
        meanings.setdefault(loose(asked), set()).add(way)
    return {asked: min(ways) for asked, ways in meanings.items() if asked and len(ways) == 1}


@cache
def _things_by_gist() -> dict[tuple[str, ...], int]:
    return {gist(name): place for name, place in _names().items() if gist(name)}


@lru_cache(maxsize=8192)
def read(text: str) -> Reading | str:
    """What a question asks, or a sentence why it cannot be answered.

    With an article before it the name of a thing is a guess even where it also names a property (`Is it an orange?`).
    Two words joined by `or` are one question where both ask for the same fact (`Does it have fur or hair?`).
    """
    asked = plain_question(text)
    if wrong := complaint(asked):
        parts = {_read(part) for part in alternatives(asked) or () if not complaint(part)}
        same = parts.pop() if len(parts) == 1 else None
        return wrong if same is None else same
    found = _read(asked) or _read(SUBJECT.sub("it", asked))
    return found or (
        f"I cannot answer {shorten(text.strip(), 60)!r}. Ask with yes or no in simple words, such as 'Is it alive?', "
        "'Does it have wheels?', 'Is it made of wood?', 'Is it found in a kitchen?', or name the thing."
    )


def _read(text: str) -> Reading | None:
    """What a question without a complaint asks, None if it is not understood."""
    asked = gist(text)
    named = IS_IT_A.fullmatch(" ".join(text.split()))
    if named is not None and _name(named["name"]) in _names() and gist(named["name"]) == asked:
        return Reading("", thing=_names()[_name(named["name"])])
    way = _ways().get(asked) or _loose_ways().get(loose(asked))
    if way is None and asked not in _things_by_gist():
        longer = within(loose(asked), _loose_ways(), ASIDE)
        way = None if longer is None else _loose_ways()[longer]
    if way is not None:
        return Reading(way[0], way[1])
    place = _things_by_gist().get(asked, -1)
    return Reading("", thing=place) if place >= 0 else None


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


@cache
def _masks() -> dict[str, int]:
    """For each question the things it is true of, as bits."""
    things = load_things()
    return {
        question.key: sum(1 << place for place, thing in enumerate(things) if question.key in thing.true)
        for question in load_questions()
    }


@lru_cache(maxsize=8192)
def advice(yes: tuple[str, ...], no: tuple[str, ...], guesses: tuple[str, ...]) -> str:
    """The question that parts the things left most evenly, or the name of the first of them if no question does.

    Args:
        yes: Questions answered with yes.
        no: Questions answered with no.
        guesses: Things guessed wrongly.
    """
    masks, places = _masks(), _places()
    left = (1 << len(places)) - 1
    for key in yes:
        left &= masks[key]
    for key in no:
        left &= ~masks[key]
    for name in guesses:
        left &= ~(1 << places[name])
    count = left.bit_count()
    uneven = {question: abs(2 * (masks[question.key] & left).bit_count() - count) for question in load_questions()}
    best = min(uneven, key=lambda question: uneven[question])
    if count > 2 and uneven[best] < count:
        return f"ask {best.text}"
    first = (left & -left).bit_length() - 1
    return f"guess {load_things()[first].name}"
