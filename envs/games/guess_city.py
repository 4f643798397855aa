"""Guess My City: find out what city is meant by asking about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

import numpy as np

from agentgym.assets.cities import load_cities
from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, named_level, object_schema, switch, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, cut_by_hash, opaque_id
from agentgym.envs.games._asking import words
from agentgym.envs.games._cards.words import GUESS_CITY
from agentgym.envs.games._city.measures import guesses
from agentgym.envs.games._city.player import UNTOLD, advice, answer, questions
from agentgym.envs.games._city.reading import read
from agentgym.envs.games._city.wording import OPEN
from agentgym.envs.games._joined import UNKNOWN, Reading

LEVELS = {
    "standard": {"questions": 20, "closed": False},
    "short": {"questions": 5, "closed": False},
    "closed": {"questions": 20, "closed": True},
}
MOST = 100
SHARES = {"train": 0.55, "val": 0.1, "test": 0.35}
CLOSED = "Only questions that can be answered with yes or no are answered; begin with Is, Do or Has."
WITHOUT = "Asked without 'not': "


@dataclass(slots=True)
class State:
    """What was asked and answered, in order, as (kind, value, answer)."""

    heard: list[tuple[str, str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `GuessCityEnv`."""

    level: str = named_level("standard", LEVELS, of="GuessCity")
    questions: int = whole(None, 1, MOST)
    closed: bool = switch(None)


class GuessCityEnv(LanguageEnv):
    """Find out what city is meant.

    Description: one of 290 cities of 79 countries is meant. Answers come from tables: continent, regions, languages,
    currency, side of the road, government, script, sea, river, landmarks, food, fame, population, height, foundation,
    position, climate zone (by latitude alone), Olympic Games, capital or not, of the country its people, area, borders,
    religion and history, of the city its metro, port, mountains, snow and the like. Equal questions have equal answers;
    the names of the city and of its country are never told.

    Observation: the answer in a sentence or `Yes.` or `No.`, and the questions left.

    Actions: `ask What is it known for?` or the bare question; `guess Lima`, or `Is it Lima?`. Each fact may be asked
    for in many ways: in words (`What language do they speak?`), as a statement (`Do people speak French there?`, `Is it
    near the Baltic Sea?`, `Is the Louvre there?`), by measure (`Do more than 5 million people live there?`, `Was it
    founded before 1500?`, `Is it within 500 km of Rome?`) or beside another city or country (`Is it north of Rome?`,
    `Does the country border China?`). An ancient city is older than the year 500, a big one has more than 1 million
    people, a megacity 10, a small one fewer than half a million; a high one lies above 1,000 metres, and near is up to
    300 kilometres. Asked what it is known for, or whether it is known for something, the table's few words of fame
    count; otherwise what is asked for must be a landmark.

    Of parts joined by `or` one must be true, of those joined by `and` all; a question with a `not` is answered as asked
    without, which the answer says. What no fact answers is answered `I do not know.`; it uses up a question too. What
    is no question is refused with the reason, and uses one up as well.

    Reward: 1 for naming the city, otherwise 0. (The originals pay -1 a question, which rewards silence here.) The
    episode ends when the city is named (success) or no question is left.

    Splits: the cities, ordered by stable hash and cut 55/10/35, so that `test` tells players apart: 160, 28 and 102.

    Oracle: names the city. Expert: knows the facts, not which city is meant; it asks what tells most, in bits, about
    the cities left, and names the last.

    Args:
        level: `standard` (20 questions), `short` (5) or `closed` (20 questions, only with yes or no).
        questions: Questions and guesses, 1 to 100, in place of the level's.
        closed: Whether only questions with yes or no are answered, in place of the level's.

    Source: Guess My City of LMRL-Gym (Abdulhai et al. 2023, arXiv:2311.18232) and ArCHer (Zhou et al. 2024,
    arXiv:2402.19446), whose answers come from a language model; here from a table.
    """

    card = GUESS_CITY
    config = Config()
    has_tries = True
    grammar = Grammar(
        [
            Command(
                "guess <city>",
                "name the city that is meant.",
                examples=("guess Lima", "my guess is Cape Town"),
                variants=("final answer: <city>",),
            ),
            Command(
                "ask <question>",
                "ask about the city.",
                examples=("ask What is it known for?", "Do people speak Spanish there?", "Is it north of Rome?"),
                variants=("<question>",),
                free="line",
            ),
        ],
        rules="Find out what city is meant. Ask about its continent, region, language, currency, religion, sea, "
        "river, landmarks, food, fame, size, age, height, climate zone or position; the names of city and country are "
        "not told. Name the city before the questions run out.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "city": {"type": "string"},
            "questions": {"type": "integer", "minimum": 1, "maximum": MOST},
            "closed": {"type": "boolean"},
        }
    )
    admissible_complete = False  # a fact may be asked for in many other words
    _state: State

    def tasks(self, split: str) -> FiniteTaskSet:
        """The cities."""
        return _panel(self.config.questions, self.config.closed, split)

    def check_task(self, spec: Spec) -> None:
        """The city must be in the table."""
        if spec["city"] not in _places():
            raise TaskError(f"{spec['city']!r} is not among the cities of the table; name one by its first name")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        how = "questions that can be answered with yes or no" if spec["closed"] else "questions about it"
        return (
            f"I am thinking of a city. Find out which one by asking at most {spec['questions']} {how}; naming a city "
            "counts as a question. I will not name the city or its country."
        )

    def _turn_limit(self, task: Task) -> int:
        return int(task.spec["questions"])

    def _reset(self, task: Task) -> str:
        self._place = _places()[task.spec["city"]]
        self._state = State()
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        if call.name == "guess":
            place = guesses().get(" ".join(words(call["city"])).removeprefix("the city of "), -1)
            if place < 0:
                return self.refuse(f"{shorten(call['city'], 40)!r} is no city that could be meant; name another.")
            return self._answer(Reading("guess", str(place)))
        reading = read(call["question"])
        if isinstance(reading, str):
            return self.refuse(reading)
        if self.task.spec["closed"] and OPEN & set(words(call["question"])[:3]):
            return self.refuse(CLOSED)
        return self._answer(UNKNOWN if self.task.spec["closed"] and reading.kind == "topic" else reading)

    def _answer(self, reading: Reading) -> Outcome:
        told = answer(self._place, reading)
        if reading.kind not in UNTOLD:
            self._state.heard.append((reading.kind, reading.value, told))
        said = f"{WITHOUT}{told}" if reading.negated else told
        guessed = reading.kind == "guess"
        won = guessed and int(reading.value) == self._place
        lost = not won and self.turn >= self.task.spec["questions"]
        verdict = " You have found it." if won else " No question is left; you have lost." if lost else ""
        value = load_cities()[int(reading.value)].name if guessed else reading.value
        event = {"type": "guess" if guessed else "question", "about": reading.kind, "value": value, "answer": told}
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
        return list(_actions(self.task.spec["closed"]))

    def _sample(self, rng: np.random.Generator) -> str:
        actions = _actions(self.task.spec["closed"])
        return actions[int(rng.integers(len(actions)))]

    def _oracle(self) -> str:
        return f"guess {load_cities()[self._place].name}"

    def _expert(self) -> str:
        return advice(tuple(sorted({*self._state.heard})), self.task.spec["closed"])

    def _reference(self) -> str:
        return load_cities()[self._place].name


@cache
def _places() -> dict[str, int]:
    return {city.name: place for place, city in enumerate(load_cities())}


@cache
def _actions(closed: bool) -> tuple[str, ...]:
    asks = {f"ask {text}" for text, _ in questions(closed)}
    return tuple(sorted(asks | {f"guess {city.name}" for city in load_cities()}))


@cache
def _panel(questions: int, closed: bool, split: str) -> FiniteTaskSet:
    cities = {city.name.replace(" ", "_"): city.name for city in load_cities()}
    names = {opaque_id(name): cities[name] for name in cut_by_hash(list(cities), SHARES)[split]}

    def make(task_id: str) -> Task:
        spec = {"city": names[task_id], "questions": questions, "closed": closed}
        return Task(task_id, split, GuessCityEnv.instruction(spec), spec)

    return FiniteTaskSet(split, list(names), make)
