"""Search duel: one asks what the library answers, the other searches it for the answer; then they change parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._cards.roles import SEARCH_DUEL
from agentgym.envs.multiagent._scripted import StrongExpert, graded
from agentgym.envs.multiagent._search_duel.land import RELATED
from agentgym.envs.multiagent._search_duel.library import Library, Question, asked, chain, library_of
from agentgym.envs.multiagent._search_duel.players import (
    Known,
    omniscient,
    random_opponent,
    simple_opponent,
    strong_opponent,
)

STREAM = 0x53  # apart from np_random of an equal seed
LIBRARIES = {"train": range(0, 6), "val": range(6, 8), "test": range(8, 10)}
READS, SOLVES, HOPS = range(2, 31), range(2, 31), range(1, 9)


@dataclass(slots=True)
class State:
    """The duel; players are 0 and 1.

    Attributes:
        answers: What each player has to ask for.
        round: 0 or 1; in round 0 player_0 asks.
        question: The question of the round, in words; empty while it is sought.
        left: Actions left to the player to move in this part of the round.
        read: Sentences that each player has read, by number, in order.
        opened: Documents that each player has opened, by number.
        searched: What each player has searched for.
        points: What each player has won.
        over: Whether the duel has ended.
    """

    answers: list[str]
    round: int
    question: str
    left: int
    read: list[list[int]]
    opened: list[list[int]]
    searched: list[list[str]]
    points: list[float]
    over: bool


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `SearchDuel`."""

    reads: int = whole(10, READS[0], READS[-1], shapes_tasks=False)
    solves: int = whole(6, SOLVES[0], SOLVES[-1], shapes_tasks=False)
    hops: int = whole(4, HOPS[0], HOPS[-1], shapes_tasks=False)


class SearchDuel(StrongExpert, LanguageAEC):
    """Search duel.

    Description: a library of 260 documents tells of an invented land: its people, towns, firms, books, paintings,
    rivers, mountains and feasts. Each fact stands in one document only, either of the thing it is about or of the thing
    it leads to, in one of several wordings and among asides. In the first round player_0 is the proposer: it is given
    an answer, reads in the library, and asks a question with that answer. The moderator checks the question against
    what the proposer has read, and nothing else: every step must stand in a sentence it was shown, and the steps must
    lead to the given answer, which the question may not name, and never to one thing twice. A question that fails is
    void and ends the round. A valid one goes to the solver, player_1, who reads in the library too and answers once. In
    the second round they change parts.

    Observation: what searches and documents showed the player, and what the other asked or answered; its part, the
    answer to ask for or the question, and the actions left. What the other reads is not shown.

    Actions: `search <words>` (the five best documents, each by its best sentence), `open <title>` (a whole document);
    for the proposer `ask <question>`, in the form `What is the birthplace of the founder of <title>?`; for the solver
    `answer <text>`; `give up`. Relations: birthplace, teacher, spouse, employer, year of birth of people; mayor, river,
    year of foundation of towns; founder, headquarters of firms; author, publisher of books; painter, owner of
    paintings; source of rivers; height of mountains; venue, patron of feasts; and their plain synonyms. After three
    refused tries in a row `give up` is played. The admissible list holds `give up` and the titles read, to be opened.

    Reward: at the end of a round 1 to the solver if the answer is right, otherwise 1 to the proposer (one less the
    solver's success, as published); nothing for a void question, which the source leaves out. A player succeeds with
    more points than the other over both rounds; with equal points nobody does, and the metric `draw` is 1.

    Splits: `train` without end over six libraries, `val` and `test` 200 duels each over two others each.

    Opponents: `random`; `simple` asks for one fact and answers by opening what the question names; `strong` looks for
    the longest chain of facts and searches for each step of a chain by its words. Expert: `strong`, its dice made of
    the task. Oracle: knows the library. Scores of the card are against `simple`, half of the duels as either player.

    Args:
        reads: Actions of the proposer in a round, 2 to 30; 10 by default.
        solves: Actions of the solver in a round, 2 to 30, its answer included; 6 by default.
        hops: Most relations of a question, 1 to 8; 4 by default.

    Source: Lu et al. 2025, Search Self-play: Pushing the Frontier of Agent Capability without Supervision
    (arXiv:2510.18821): proposer and solver over one search engine, questions checked with the documents the proposer
    found; here the check is exact, because questions are chains of relations, and one answer stands for five.
    """

    card = SEARCH_DUEL
    config = Config()
    task_stream = STREAM
    default_rule = "give up"
    admissible_complete = False
    grammar = Grammar(
        [
            Command(
                "search <words>",
                "see the five best documents for some words.",
                examples=("search mayor river",),
                free="line",
            ),
            Command("open <title>", "read a whole document.", examples=("open The Silent Orchard",)),
            Command(
                "ask <question>",
                "as the proposer: ask; this ends your part of the round.",
                examples=("ask What is the birthplace of the author of The Silent Orchard?",),
                free="line",
            ),
            Command(
                "answer <text>",
                "as the solver: answer; this ends the round.",
                examples=("answer Karstead",),
                free="line",
            ),
            Command("give up", "end your part: a void question, or a wrong answer.", examples=("give up",)),
        ],
        rules="As the proposer, find a question with the given answer that the other cannot answer in time; it is a "
        "chain of relations, `What is the <relation> of the <relation> of <title>?`, and you must have read each step. "
        f"The relations, in these words or plain synonyms, are {RELATED}. "
        "Titles are those that searches show; The Silent Orchard is only an example. As the solver, find the answer. "
        "A right answer pays the solver 1, otherwise a valid question pays the proposer.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "library": {"type": "integer", "minimum": 0, "maximum": 9},
            "answers": {
                "type": "array",
                "minItems": 2,
                "maxItems": 2,
                "items": {"type": "string", "minLength": 1, "maxLength": 60},
            },
        }
    )
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A library, and an answer for each player, drawn by `rng`; no option in `config` shapes them."""
        number = int(rng.integers(10))
        choices = _answers(number)
        one, other = (choices[int(place)] for place in rng.choice(len(choices), size=2, replace=False))
        return {"library": number, "answers": [one, other]}

    @staticmethod
    def fits(config: Config, split: str, spec: Spec) -> bool:
        """No library stands in two splits: that of `spec` must be one of `split`, whatever the `config`."""
        return spec["library"] in LIBRARIES[split]

    def check_task(self, spec: Spec) -> None:
        """Refuse answers that no fact of the library leads to."""
        for answer in spec["answers"]:
            if answer not in _answers(spec["library"]):
                raise TaskError(f"no fact of library {spec['library']} leads to {answer!r}; take the tail of one")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return (
            f"Play a search duel over library {spec['library']}: ask what the other cannot find, and find what it asks."
        )

    def _turn_limit(self, task: Task) -> int:
        return 2 * (self.config.reads + self.config.solves) * self.tries

    @property
    def _library(self) -> Library:
        return library_of(int(self.task.spec["library"]))

    def _reset(self, task: Task) -> None:
        self._state = State(
            list(task.spec["answers"]), 0, "", self.config.reads, [[], []], [[], []], [[], []], [0.0, 0.0], False
        )
        self._announce()

    def _announce(self) -> None:
        """Say that a round begins."""
        proposer, solver = self._parts()
        self.send_message(f"Round {self._state.round + 1} of 2: {proposer} asks, {solver} answers.")
        self.send_message(f"Ask a question whose answer is: {self._state.answers[self._state.round]}.", [proposer])

    def _parts(self) -> tuple[str, str]:
        """The proposer and the solver of this round."""
        players = self.possible_agents
        return players[self._state.round], players[1 - self._state.round]

    def _to_move(self) -> str:
        return self._parts()[bool(self._state.question)]

    def _role(self, player: str) -> str:
        return "proposer" if self._parts()[0] == player else "solver"

    def _public(self) -> str:
        state, (proposer, _) = self._state, self._parts()
        points = ", ".join(
            f"{player} {value:g}" for player, value in zip(self.possible_agents, state.points, strict=True)
        )
        if state.over:
            return f"The duel is over. Points: {points}."
        head = f"Round {state.round + 1} of 2. Points: {points}."
        if not state.question:
            return f"{head} {proposer} looks for a question."
        return f"{head}\nThe question of {proposer}: {state.question}"

    def _view(self, player: str) -> str:
        state, (proposer, _) = self._state, self._parts()
        if state.over:
            return self._public()
        text = f"{self._public()}\nYou are the {self._role(player)}."
        if player == proposer:
            text += f" The answer to ask for: {state.answers[state.round]}."
        return f"{text} Actions left: {state.left}." if player == self._to_move() else text

    def _step(self, player: str, call: Call) -> JointOutcome:
        place = self.possible_agents.index(player)
        asks = self._role(player) == "proposer"
        if call.name == "ask" and not asks:
            return self.refuse("you are the solver of this round; search, open, and answer with `answer <text>`.")
        if call.name == "answer" and asks:
            return self.refuse("you are the proposer of this round; search, open, and ask with `ask <question>`.")
        if call.name == "search":
            return self._search(place, call["words"])
        if call.name == "open":
            title = self._library.named(call["title"])
            if title is None:
                return self.refuse(f"there is no document {shorten(call['title'])!r}; give one that a search shows.")
            return self._open(place, title)
        if call.name == "ask":
            question = asked(self._library, call["question"])
            if isinstance(question, str):
                return self.refuse(f"{question}; ask like `What is the birthplace of the founder of <title>?`")
            if len(question.relations) > self.config.hops:
                return self.refuse(
                    f"a question has at most {self.config.hops} relations, this has {len(question.relations)}."
                )
            return self._put(player, place, question)
        if call.name == "answer":
            return self._settle_answer(player, call["text"])
        self.send_message(f"{player} gives up.")
        return self._end_round(0.0, 0.0 if asks else 1.0)

    def _search(self, place: int, words: str) -> JointOutcome:
        found = self._library.search(words)
        lines = [f"{self._library.titles[number]}: {self._library.sentences[at].text}" for number, at in found]
        self._state.searched[place].append(words)
        self._show(place, lines or ["Nothing found."], [at for _, at in found])
        self.record({"type": "search", "words": words}, [self.possible_agents[place]])
        return self._spent(place)

    def _open(self, place: int, title: str) -> JointOutcome:
        number = self._library.numbers[title.lower()]
        sentences = list(self._library.document(number))
        if number not in self._state.opened[place]:
            self._state.opened[place].append(number)
        text = " ".join(self._library.sentences[at].text for at in sentences)
        self._show(place, [f"{title}: {text}"], sentences)
        self.record({"type": "open", "title": title}, [self.possible_agents[place]])
        return self._spent(place)

    def _show(self, place: int, lines: list[str], sentences: list[int]) -> None:
        read = self._state.read[place]
        read += [at for at in sentences if at not in read]
        self.send_message("\n".join(lines), [self.possible_agents[place]])
        self.add_cost("read", len(sentences), [self.possible_agents[place]])

    def _spent(self, place: int) -> JointOutcome:
        """An action is used up; the last one ends the player's part."""
        self._state.left -= 1
        if self._state.left:
            return JointOutcome()
        self.send_message(f"The actions of {self.possible_agents[place]} are used up.")
        return self._end_round(0.0, 1.0 if self._state.question else 0.0)

    def _put(self, player: str, place: int, question: Question) -> JointOutcome:
        """A well-formed question: check it against what its proposer has read."""
        state, answer = self._state, self._state.answers[self._state.round]
        read = {fact for at in state.read[place] for fact in self._library.sentences[at].facts}
        facts = chain(self._library, question)
        wrong = ""
        if isinstance(facts, str):
            wrong = facts
        elif facts[-1].tail != answer:
            wrong = "it does not lead to the given answer"
        elif question.anchor == answer:
            wrong = "it names the answer"
        elif not read.issuperset(facts):
            wrong = "a step of it stands in no sentence that you were shown"
        self.send_message(f"{player} asks: {question.text}")
        self.record({"type": "question", "seat": player, "relations": len(question.relations), "valid": not wrong})
        if wrong:
            self.send_message(f"Your question is void: {wrong}.", [player])
            return self._end_round(0.0, 0.0)
        state.question, state.left = question.text, self.config.solves
        self.set_metric("valid", 1.0, [player])
        self.set_metric("hops", len(question.relations), [player])
        return JointOutcome(progress=dict.fromkeys(self.possible_agents, state.round / 2 + 0.25))

    def _settle_answer(self, player: str, text: str) -> JointOutcome:
        right = _plain(text) == _plain(self._state.answers[self._state.round])
        title = self._library.named(text)
        self.send_message(f"{player} answers {title}." if title else f"{player} answers what no document is about.")
        self.record({"type": "answer", "seat": player, "right": right})
        self.set_metric("solved", float(right), [player])
        return self._end_round(float(right), float(not right))

    def _end_round(self, solved: float, unsolved: float) -> JointOutcome:
        """Pay, and change parts or end."""
        state, players = self._state, self.possible_agents
        proposer, solver = self._parts()
        if not state.question:
            self.send_message("There is no valid question, so nobody gets a point.")
        else:
            self.send_message(
                f"The answer is {state.answers[state.round]}; {solver if solved else proposer} gets the point."
            )
        state.points[1 - state.round] += solved
        state.points[state.round] += unsolved
        rewards = {solver: solved, proposer: unsolved}
        if state.round == 0:
            state.round, state.question, state.left = 1, "", self.config.reads
            self._announce()
            return JointOutcome(rewards, progress=dict.fromkeys(players, 0.5))
        state.over = True
        if state.points[0] == state.points[1]:
            self.send_message("The duel is a draw.")
            self.set_metric("draw", 1.0)
            return JointOutcome(rewards, over=True, progress=dict.fromkeys(players, 1.0))
        winner = players[state.points[1] > state.points[0]]
        self.send_message(f"{winner} wins the duel.")
        return JointOutcome(rewards, over=True, winners=[winner], progress=dict.fromkeys(players, 1.0))

    def _admissible(self, player: str) -> list[str]:
        return ["give up", *(f"open {title}" for title in self._known(player).titles)]

    def _sample(self, player: str, rng: np.random.Generator) -> str:
        return random_opponent(self._known(player), rng)

    def _default(self, player: str) -> str:
        return "give up"

    def _known(self, player: str) -> Known:
        state, place, library = self._state, self.possible_agents.index(player), self._library
        asks = self._role(player) == "proposer"
        question = asked(library, state.question) if state.question and not asks else None
        sentences = [library.sentences[at] for at in state.read[place]]
        facts = [fact for sentence in sentences for fact in sentence.facts]
        titles = dict.fromkeys(name for fact in facts for name in (fact.head, fact.tail) if name in library.kinds)
        return Known(
            asks, state.answers[state.round] if asks else "", question if isinstance(question, Question) else None,
            tuple(facts), tuple(titles), tuple(library.titles[number] for number in state.opened[place]),
            tuple(state.searched[place]), state.left, self.config.hops,
        )  # fmt: skip

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        """Other answers for the other player to ask for, as long as it has not asked."""
        state, other = self._state, 1 - self.possible_agents.index(player)
        waiting = state.round < other or (state.round == other and not state.question)
        if waiting and not state.over:
            choices = _answers(int(self.task.spec["library"]))
            state.answers[other] = choices[int(rng.integers(len(choices)))]

    def _oracle(self, player: str) -> str:
        return omniscient(self._known(player), self._library)

    def _key_state(self) -> Any:
        state = self._state
        return [
            state.answers,
            state.round,
            state.question,
            state.left,
            [sorted(read) for read in state.read],
            state.points,
        ]


def _plain(text: str) -> str:
    """An answer without what does not matter."""
    words = " ".join(text.split()).strip(" .?!\"'").casefold()
    return words.removeprefix("the ")


@lru_cache(maxsize=10)
def _answers(number: int) -> tuple[str, ...]:
    """What a question can lead to in a library, in alphabetical order; numbers are left out, one fact leads to each."""
    library = library_of(number)
    return tuple(sorted({fact.tail for fact in library.facts.values() if fact.tail in library.kinds}))
