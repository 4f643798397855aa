"""Dialogues that end in a decision: players that each know a part talk, propose, and accept or reject."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from agentgym.core.generated import EnvConfig, whole
from agentgym.core.grammar import Call, Command
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC
from agentgym.core.tasks import Task
from agentgym.envs.multiagent._scripted import StrongExpert

MOVES = range(2, 51)
ENOUGH = 0.95  # of the best score: success
CLOSE = 1e-9
SPELLING = 0.8  # how alike a name and its misspelling are at least, as published


@dataclass(slots=True)
class State:
    """The dialogue.

    Attributes:
        problem: The whole truth, of which each player sees a part.
        moves: Moves made by all.
        plan: The standing proposal; empty if there is none.
        maker: Who proposed it; -1 if nobody.
        agreed: Who has accepted it.
        said: Speaker, those who heard it, and words, in order; only scripted players read it.
        refused: Proposals that were rejected, in order.
        over: Whether it ended.
    """

    problem: Any
    moves: int
    plan: list[int]
    maker: int
    agreed: list[int]
    said: list[list[Any]]
    refused: list[list[int]]
    over: bool


@dataclass(frozen=True, slots=True)
class Known:
    """What a player knows.

    Attributes:
        place: The player, counted from 0.
        players: How many there are.
        view: Its part of the problem.
        heard: Speaker and words of all it said or heard, in order.
        plan: The proposal of another that it has to answer; None if there is none.
        refused: Proposals that were rejected.
        left: Moves left to all, this one included.
    """

    place: int
    players: int
    view: Any
    heard: tuple[tuple[int, str], ...]
    plan: tuple[int, ...] | None
    refused: tuple[tuple[int, ...], ...]
    left: int

    @property
    def spoke(self) -> int:
        """How often the player has said something."""
        return sum(speaker == self.place for speaker, _ in self.heard)


def spoken_commands(slot: str, help_text: str, example: str) -> list[Command]:
    """The actions that all these dialogues share.

    Args:
        slot: How a proposal is written in the form, such as `<plan>`.
        help_text: What a proposal holds, as a sentence with the verb `propose`; before it may stand who alone may.
        example: A proposal.
    """
    return [
        Command(
            f"propose {slot} saying <words>",
            f"{help_text.partition('propose')[0]}propose, and say something with it.",
            examples=(f"propose {example} saying I think this suits us all.",),
            name="argue",
            free="lines",
        ),
        Command(f"propose {slot}", help_text, examples=(f"propose {example}",)),
        Command("accept", "agree to the standing proposal.", examples=("accept",)),
        Command(
            "reject saying <words>",
            "turn the standing proposal down and say why.",
            examples=("reject saying That is too much for me.",),
            name="object",
            free="lines",
        ),
        Command("reject", "turn the standing proposal down.", examples=("reject",)),
        Command("say <words>", "say something.", examples=("say What matters most to you?",), free="lines"),
        Command("pass", "say nothing.", examples=("pass",), variants=("wait",)),
    ]


@dataclass(frozen=True)
class DialogueConfig(EnvConfig):
    """Keyword arguments of every dialogue."""

    moves: int = whole(10, MOVES[0], MOVES[-1], shapes_tasks=False)


class Dialogue(StrongExpert, LanguageAEC, ABC):
    """Base of the decision-oriented dialogues; a game says what is known to whom and what a plan is worth.

    Players move in turn. While nothing is proposed they talk, propose or pass; a proposal has to be accepted or
    rejected by every other player, in turn, before anything else. When all have accepted, the game ends with the
    plan's score, from the game's exact solver, as the reward of all. If the moves are used up before, all get 0.
    """

    talk = True
    default_rule = "reject where a proposal stands, otherwise pass"
    admissible_complete = False
    makers: ClassVar[tuple[int, ...] | None] = None  # players that may propose; None is all
    _state: State

    def _configured(self) -> None:
        self._moves = len(self.possible_agents) * self.config.moves

    # What a game implements.

    @abstractmethod
    def _problem(self, task: Task) -> Any:
        """The whole truth of a task, immutable."""

    @abstractmethod
    def _part(self, place: int) -> Any:
        """What a player sees of the problem."""

    @abstractmethod
    def _understand(self, text: str) -> list[int] | str:
        """The plan that a text spells, or the reason why it is none."""

    @abstractmethod
    def _spell(self, plan: Sequence[int]) -> str:
        """A plan in the words of the grammar."""

    def _explain(self, plan: Sequence[int]) -> str:
        """A plan as all are told of it."""
        return self._spell(plan)

    @abstractmethod
    def _rate(self, plan: Sequence[int]) -> tuple[float, float]:
        """Points of a plan, and its score from 0 to 1."""

    @abstractmethod
    def _best(self) -> list[int]:
        """The best plan."""

    @abstractmethod
    def _offers(self) -> list[list[int]]:
        """A few plans that are possible."""

    def _hearers(self, place: int) -> list[int]:
        """Players that hear what a player says, itself among them."""
        return list(range(len(self.possible_agents)))

    # What is the same in all of them.

    def _turn_limit(self, task: Task) -> int:
        return self._moves * self.tries

    def _reset(self, task: Task) -> None:
        self._state = State(self._problem(task), 0, [], -1, [], [], [], False)

    def _to_move(self) -> str:
        return self.possible_agents[self._state.moves % len(self.possible_agents)]

    def _may_propose(self, place: int) -> bool:
        return self.makers is None or place in self.makers

    def _public(self) -> str:
        state = self._state
        standing = "No proposal stands."
        if state.maker >= 0:
            standing = f"Standing proposal of {self.possible_agents[state.maker]}: {self._explain(state.plan)}."
        return f"{standing}\nMoves left for all together: {self._moves - state.moves}."

    def _step(self, player: str, call: Call) -> JointOutcome:
        state, place = self._state, self.possible_agents.index(player)
        answers = call.name in ("accept", "reject", "object")
        if answers and state.maker < 0:
            return self.refuse("no proposal stands; talk, or propose something.")
        if not answers and state.maker >= 0:
            return self.refuse("a proposal stands; you must accept or reject it first.")
        if call.name in ("propose", "argue"):
            reason = self._put_forward(player, place, call["plan"])
            if reason:
                return self.refuse(reason)
        elif call.name == "accept":
            return self._agree(player, place)
        elif answers:
            state.refused.append(state.plan)
            state.plan, state.maker, state.agreed = [], -1, []
            self.send_message(f"{player} rejects the proposal.")
            self.record({"type": "answer", "seat": player, "accepted": False})
        elif call.name == "pass":
            self.send_message(f"{player} says nothing.", self._named(self._hearers(place)))
        if call.name in ("say", "argue", "object"):
            self._utter(place, self._hearers(place), call["words"])
        return self._go_on()

    def _named(self, places: Sequence[int]) -> list[str]:
        return [self.possible_agents[place] for place in places]

    def _utter(self, place: int, hearers: Sequence[int], words: str) -> None:
        """Pass words on to those who hear them."""
        speaker, to = self.possible_agents[place], self._named(hearers)
        self._state.said.append([place, list(hearers), words])
        self.say(speaker, words, to)
        self.record({"type": "talk", "seat": speaker, "words": words}, to)
        self.add_cost("words", len(words.split()), [speaker])

    def _put_forward(self, player: str, place: int, text: str) -> str:
        """Let a proposal stand; the reason if it cannot."""
        if not self._may_propose(place):
            makers = " or ".join(self._named(self.makers or ()))
            return f"only {makers} can propose; say what you want instead."
        plan = self._understand(text)
        if isinstance(plan, str):
            return plan
        state = self._state
        state.plan, state.maker, state.agreed = plan, place, [place]
        self.send_message(f"{player} proposes: {self._explain(plan)}.")
        self.record({"type": "proposal", "seat": player, "plan": self._spell(plan)})
        return ""

    def _agree(self, player: str, place: int) -> JointOutcome:
        """A player accepts; the last of them ends the game."""
        state, players = self._state, self.possible_agents
        state.agreed = [*state.agreed, place]
        self.send_message(f"{player} accepts.")
        self.record({"type": "answer", "seat": player, "accepted": True})
        if len(state.agreed) < len(players):
            return self._go_on()
        state.moves, state.over = state.moves + 1, True
        points, score = self._rate(state.plan)
        self.send_message(
            f"All agree. The plan is worth {round(points, 1):g} points, {100 * score:.0f} % of what was possible."
        )
        self.set_metric("score", score)
        self.set_metric("points", points)
        self.set_metric("agreed", 1.0)
        self._count()
        winners = players if score >= ENOUGH else []
        return JointOutcome(
            dict.fromkeys(players, score), over=True, winners=winners, progress=dict.fromkeys(players, score)
        )

    def _count(self) -> None:
        """Say in the last step how much was said."""
        self.set_metric("messages", len(self._state.said))

    def _go_on(self) -> JointOutcome:
        """The move is made; the game ends when it was the last."""
        self._state.moves += 1
        if self._state.moves < self._moves:
            return JointOutcome()
        self._state.over = True
        self._count()
        self.send_message("The moves are used up without an agreement; all get nothing.")
        return JointOutcome(over=True)

    def _admissible(self, player: str) -> list[str]:
        if self._state.maker >= 0:
            return ["accept", "reject"]
        if not self._may_propose(self.possible_agents.index(player)):
            return ["pass"]
        return ["pass", *(f"propose {self._spell(plan)}" for plan in self._offers())]

    def _sample(self, player: str, rng: np.random.Generator) -> str:
        return self.OPPONENTS["random"](self._known(player), rng)

    def _default(self, player: str) -> str:
        return "pass" if self._state.maker < 0 else "reject"

    def _known(self, player: str) -> Known:
        place, state = self.possible_agents.index(player), self._state
        return Known(
            place,
            len(self.possible_agents),
            self._part(place),
            tuple((speaker, words) for speaker, hearers, words in state.said if place in hearers),
            tuple(state.plan) if state.maker >= 0 else None,
            tuple(tuple(plan) for plan in state.refused),
            self._moves - state.moves,
        )

    def _decision(self, player: str) -> tuple[int, ...]:
        return (self._state.moves,)

    def _oracle(self, player: str) -> str:
        """Propose the best plan; accept no other before the last moves."""
        state = self._state
        if state.maker >= 0:
            best = self._rate(self._best())[1]
            late = self._moves - state.moves <= 2 * len(self.possible_agents)
            return "accept" if late or self._rate(state.plan)[1] >= best - CLOSE else "reject"
        if not self._may_propose(self.possible_agents.index(player)):
            return "pass"
        return f"propose {self._spell(self._best())}"

    def _key_state(self) -> Any:
        state = self._state
        return [state.problem, self._moves - state.moves, state.plan, state.maker, state.agreed, state.over]


def idle(known: Known, rng: np.random.Generator, plan: Callable[[], str], chatter: Sequence[str]) -> str:
    """What a random player does: answer by a coin, and otherwise propose, talk or wait.

    Args:
        known: What its player knows.
        rng: Its dice.
        plan: Draws a proposal in words; empty if the player cannot propose.
        chatter: What it may say.
    """
    luck = rng.random()
    if known.plan is not None:
        return "accept" if luck < 0.5 else "reject"
    if luck < 0.4:
        return f"say {chatter[int(rng.integers(len(chatter)))]}"
    drawn = plan()
    return f"propose {drawn}" if drawn and luck < 0.9 else "pass"


@lru_cache(maxsize=512)
def _places(names: tuple[str, ...]) -> Mapping[str, int]:
    return {name.lower(): place for place, name in enumerate(names)}


def nearest(text: str, names: tuple[str, ...]) -> int | None:
    """The place of the one of `names` that a `text` spells, or nearly spells, in any case; None if it spells none."""
    said, known = text.strip().lower(), _places(names)
    if said in known:
        return known[said]
    near = difflib.get_close_matches(said[:80], list(known), 1, SPELLING)
    return known[near[0]] if near else None
