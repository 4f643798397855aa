"""Discussion: several players solve a problem, comment on each other's solutions, and a judge scores both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from agentgym.core.checks import check_model
from agentgym.core.generated import EnvConfig, checked, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import Spec, Task
from agentgym.core.text_model import TextModel
from agentgym.envs.multiagent._cards.roles import DISCUSSION
from agentgym.envs.multiagent._discussion.judges import SCORES, UNSCORED, Entry, Judge, ModelJudge, RuleJudge
from agentgym.envs.multiagent._discussion.players import Known, random_opponent, simple_opponent, strong_opponent
from agentgym.envs.multiagent._discussion.problems import KINDS, Problem, made, plain
from agentgym.envs.multiagent._scripted import StrongExpert, graded

STREAM = 0xD1  # apart from np_random of an equal seed
PLAYERS, ROUNDS, STEPS, WORDS = range(2, 7), range(1, 6), range(2, 11), range(10, 301)
SOLVE, EVALUATE = "solve", "evaluate"


@dataclass(slots=True)
class State:
    """The discussion; players are numbers.

    Attributes:
        round: The round, from 0.
        phase: `solve` or `evaluate`.
        turn: How many players have acted in this phase.
        solutions: For each round the answer and the reasons of each player that has acted; empty for no solution.
        evaluations: For each round what each player that has acted says of the solution it was given; empty for
            nothing.
        over: Whether the discussion has ended.
    """

    round: int
    phase: str
    turn: int
    solutions: list[list[list[str]]]
    evaluations: list[list[str]]
    over: bool


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `Discussion`."""

    players: int = whole(3, PLAYERS[0], PLAYERS[-1], shapes_tasks=False)
    rounds: int = whole(2, ROUNDS[0], ROUNDS[-1], shapes_tasks=False)
    steps: int = whole(5, STEPS[0], STEPS[-1])
    words: int = whole(80, WORDS[0], WORDS[-1], shapes_tasks=False)
    judge: TextModel | None = checked(None, check_model, shapes_tasks=False)


class Discussion(StrongExpert, LanguageAEC):
    """Discussion.

    Description: all players get one problem, of arithmetic or logic, that has one right answer. In each round every
    player gives a solution, its answer with its reasons, and nobody sees the others' before all have given theirs. Then
    every player evaluates the solution of one other: in the first round that of the next player, in the second that of
    the one after, and so on. After the evaluations a new round begins, in which solutions may be revised. After the
    last round a judge scores each solution together with its evaluation, in every round, from 1 to 3. Problems are of
    six kinds: what is left of goods after several events, journeys, who tells the truth, who stands where in a queue,
    numbers with given remainders, and counting multiples.

    Observation: what was said since the player last acted; the problem, the round, and, when it has to evaluate, the
    solution in question. Talk is quoted. Scores are told at the end only, because they would give the answer away.

    Actions: `solve <answer> because <reasons>` (also `solve <answer>`); `evaluate <text>`; `pass`. Reasons and
    evaluations have at most 80 words. Equations in reasons such as `12 * 3 = 36` are the steps, numbered from 1. After
    three refused tries in a row `pass` is played. The admissible list holds `pass` alone.

    Judge: by rule it knows the answer and reckons equations after: 3 if the answer is right, 2 if it is right but a
    step is shown to be false; 1 if it is wrong and the evaluation shows it, by `step <number>` of a false step or by
    `the answer should be <right answer>`; 2 if it is wrong and nobody shows it. An evaluation with a false claim of
    these kinds shows nothing; no solution is a 1. With `judge=` any language model scores instead, which is given the
    three grades in words; its cost is charged to every player in equal parts. If it names no score in three replies,
    neither who solved nor who evaluated is paid for it: the lowest for both, so that no player's words void a game, or
    gain by silencing the judge.

    Reward: at the end, for every round, (score - 1) / 2 to who solved and 1 - (score - 1) / 2 to who evaluated, as
    published; so much as a whole discussion brings is the same whatever is said, if all is scored. A player succeeds if
    its answer of the last round is right. Metrics of the last step: `solving` and `finding` (mean reward of the
    player's solutions and of its evaluations), `right` (share of its solutions with the right answer), `agreed` (all
    last answers are the same).

    Splits: `train` without end, `val` and `test` 200 problems each.

    Opponents: `random` guesses; `simple` makes a slip in three of ten solutions, takes another answer for wrong when
    it differs from its own, and goes with the majority later; `strong` solves without slips, checks each step of others
    and names the first that is false. One beats the other by its return among players of the other level. Expert:
    `strong`. Oracle: the right answer, and what is wrong with others'. Scores of the card are among `simple` players.

    Args:
        players: How many play, 2 to 6; 3 by default.
        rounds: Rounds, 1 to 5; 2 by default.
        steps: Length of the problems, 2 to 10; 5 by default. From 5 on logic and remainders have one part more.
        words: Most words of reasons or an evaluation, 10 to 300; 80 by default.
        judge: A language model (`core.TextModel`) that scores in place of the rule.

    Source: Xue et al. 2025, CoMAS: Co-Evolving Multi-Agent Systems via Interaction Rewards (arXiv:2510.08529): solve,
    evaluate, score, and the rewards. There any agent may be the judge; problems and the judge by rule are ours.
    """

    card = DISCUSSION
    config = Config()
    talk = True
    default_rule = "pass"
    admissible_complete = False
    grammar = Grammar(
        [
            Command(
                "solve <answer> because <reasons>",
                "give your answer and the steps that lead to it.",
                examples=("solve 41 because 12 * 3 = 36; 36 + 5 = 41",),
                name="argue",
                free="lines",
            ),
            Command("solve <answer>", "give your answer.", examples=("solve Ada, Ivo",)),
            Command(
                "evaluate <text>",
                "say what is wrong with the solution you are shown, or that nothing is.",
                examples=("evaluate Step 2 is wrong; the answer should be 41.", "evaluate I see no mistake."),
                free="lines",
            ),
            Command("pass", "say nothing.", examples=("pass",)),
        ],
        rules="Solve the problem, then evaluate another's solution. A judge scores every solution with its evaluation "
        "from 1 to 3 at the end. Solutions are paid for standing up, evaluations for showing what is really wrong; a "
        "false claim shows nothing. After the evaluations you may revise your solution in the next round.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "kind": {"type": "string", "enum": list(KINDS)},
            "seed": {"type": "integer", "minimum": 0, "maximum": 2**53},
            "steps": {"type": "integer", "minimum": STEPS[0], "maximum": STEPS[-1]},
        }
    )
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)
    _state: State

    def _configured(self) -> None:
        judge = self.config.judge
        self._judge_by: Judge = RuleJudge() if judge is None else ModelJudge(judge)

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """A problem by kind and `seed`, the kinds in turn, with as many steps as `config` says."""
        kinds = sorted(KINDS)
        return {"kind": kinds[seed % len(kinds)], "seed": seed, "steps": config.steps}

    def _player_names(self, config: Config) -> list[str]:
        return [f"player_{place}" for place in range(config.players)]

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The problem in words."""
        return fingerprint(_problem(spec).text)

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return f"Discuss this problem with the others, and find its answer: {_problem(spec).text}"

    def _turn_limit(self, task: Task) -> int:
        return self.config.rounds * 2 * len(self.possible_agents) * self.tries

    def _reference(self) -> str:
        return self._problem.answer

    @property
    def _problem(self) -> Problem:
        return _problem(self.task.spec)

    def _reset(self, task: Task) -> None:
        self._state = State(0, SOLVE, 0, [[]], [[]], False)

    def _to_move(self) -> str:
        return self.possible_agents[self._state.turn]

    def _subject(self, place: int, number: int) -> int:
        """Whose solution a player evaluates in a round."""
        count = len(self.possible_agents)
        return (place + 1 + number % (count - 1)) % count

    def _public(self) -> str:
        state = self._state
        if state.over:
            return f"{self._problem.text}\nThe discussion is over. The answer is {self._problem.answer}."
        what = "solutions are given" if state.phase == SOLVE else "solutions are evaluated"
        return f"{self._problem.text}\nRound {state.round + 1} of {self.config.rounds}: {what}."

    def _limits(self) -> str:
        return f"Reasons and evaluations have at most {self.config.words} words."

    def _view(self, player: str) -> str:
        state, place = self._state, self.possible_agents.index(player)
        if state.over or state.phase == SOLVE or state.turn > place:
            return self._public()
        return (
            f"{self._public()}\nYou evaluate the solution of {self.possible_agents[self._subject(place, state.round)]}."
        )

    def _step(self, player: str, call: Call) -> JointOutcome:
        state = self._state
        solves = call.name in ("solve", "argue")
        if call.name != "pass" and solves != (state.phase == SOLVE):
            now = "`solve <answer> because <reasons>`" if state.phase == SOLVE else "`evaluate <text>`"
            return self.refuse(f"now it is time for {now}, or `pass`.")
        said = call.slots.get("reasons") or call.slots.get("text") or call.slots.get("answer") or ""
        length = len(said.split())
        if length > self.config.words:
            return self.refuse(f"at most {self.config.words} words, these are {length}; say less.")
        self.add_cost("words", length, [player])
        if state.phase == SOLVE:
            state.solutions[state.round].append([call.slots.get("answer", ""), call.slots.get("reasons", "")])
        else:
            state.evaluations[state.round].append(call.slots.get("text", ""))
        self.record({"type": "talk", "seat": player, "words": said}, [player])
        state.turn += 1
        return JointOutcome() if state.turn < len(self.possible_agents) else self._close()

    def _close(self) -> JointOutcome:
        """All have acted in this phase: what they said is read out."""
        state, players = self._state, self.possible_agents
        state.turn = 0
        for place, player in enumerate(players):
            if state.phase == SOLVE:
                answer, reasons = state.solutions[state.round][place]
                self.say(player, Entry(answer, reasons, "").solution)
            else:
                of = players[self._subject(place, state.round)]
                text = state.evaluations[state.round][place]
                self.say(player, f"On {of}: {text}" if text else f"On {of}: nothing.")
        if state.phase == SOLVE:
            state.phase = EVALUATE
            return JointOutcome(progress=dict.fromkeys(players, (state.round + 0.5) / self.config.rounds))
        if state.round + 1 == self.config.rounds:
            return self._score()
        state.round, state.phase = state.round + 1, SOLVE
        state.solutions.append([])
        state.evaluations.append([])
        return JointOutcome(progress=dict.fromkeys(players, state.round / self.config.rounds))

    def _score(self) -> JointOutcome:
        """The judge scores every solution with its evaluation, and all are paid."""
        state, players, problem = self._state, self.possible_agents, self._problem
        solving: list[list[float]] = [[] for _ in players]
        finding: list[list[float]] = [[] for _ in players]
        right: list[list[bool]] = [[] for _ in players]
        seed, spent = int(self.task.spec["seed"]) % 2**31, 0.0
        lines = []
        for number in range(self.config.rounds):
            for place in range(len(players)):
                of = self._subject(place, number)
                answer, reasons = state.solutions[number][of]
                entry = Entry(answer, reasons, state.evaluations[number][place])
                score, cost = self._judge_by.score(problem, entry, seed + number * len(players) + place)
                spent += cost
                scored = score != UNSCORED
                share = (score - SCORES[0]) / (SCORES[-1] - SCORES[0]) if scored else 0.0
                solving[of].append(share)
                finding[place].append(1 - share if scored else 0.0)
                right[of].append(plain(answer) == plain(problem.answer))
                said = score if scored else "no score"
                lines.append(f"Round {number + 1}, {players[of]} evaluated by {players[place]}: {said}.")
        self.send_message("The judge scores:\n" + "\n".join(lines))
        state.over = True
        last = [plain(answer) for answer, _ in state.solutions[-1]]
        for place, player in enumerate(players):
            self.set_metric("solving", sum(solving[place]) / self.config.rounds, [player])
            self.set_metric("finding", sum(finding[place]) / self.config.rounds, [player])
            self.set_metric("right", sum(right[place]) / self.config.rounds, [player])
            self.add_cost("judge", spent / len(players), [player])
        self.set_metric("agreed", float(len(set(last)) == 1))
        self.record({"type": "verdict", "answer": problem.answer})
        rewards = {player: sum(solving[place]) + sum(finding[place]) for place, player in enumerate(players)}
        winners = [player for player, mine in zip(players, right, strict=True) if mine[-1]]
        return JointOutcome(rewards, over=True, winners=winners, progress=dict.fromkeys(players, 1.0))

    def _admissible(self, player: str) -> list[str]:
        return ["pass"]

    def _sample(self, player: str, rng: np.random.Generator) -> str:
        return random_opponent(self._known(player), rng)

    def _default(self, player: str) -> str:
        return "pass"

    def _known(self, player: str) -> Known:
        state, place = self._state, self.possible_agents.index(player)
        solving = state.phase == SOLVE
        done = state.solutions[: state.round] if solving else state.solutions[: state.round + 1]
        answer, reasons = ("", "") if solving else done[-1][self._subject(place, state.round)]
        mine = tuple(given[place][0] for given in done)
        others = tuple(each[0] for given in done for other, each in enumerate(given) if other != place)
        return Known(self._problem, solving, answer, reasons, mine, others)

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        """Other words of those who have acted in this phase and are not read out yet."""
        state, place = self._state, self.possible_agents.index(player)
        for other in range(state.turn):
            if other != place and not state.over:
                if state.phase == SOLVE:
                    state.solutions[state.round][other] = [str(int(rng.integers(1000))), ""]
                else:
                    state.evaluations[state.round][other] = f"The answer should be {int(rng.integers(1000))}."

    def _oracle(self, player: str) -> str:
        known = self._known(player)
        if known.solving:
            return f"solve {self._problem.answer}"
        if plain(known.answer) == plain(self._problem.answer):
            return strong_opponent(known, np.random.default_rng(0))
        return f"evaluate The answer should be {self._problem.answer}."

    def _key_state(self) -> Any:
        state = self._state
        return [state.round, state.phase, state.turn, state.solutions, state.evaluations]


@lru_cache(maxsize=4_096)
def _made(kind: str, seed: int, steps: int) -> Problem:
    return made(kind, seed, steps, STREAM)


def _problem(spec: Spec) -> Problem:
    return _made(spec["kind"], int(spec["seed"]), int(spec["steps"]))
