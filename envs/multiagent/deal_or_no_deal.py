"""Deal or No Deal: two players who value things differently talk about how to divide them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.outcome import JointOutcome
from agentgym.core.pettingzoo_envs import LanguageAEC
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._cards.talk import DEAL_OR_NO_DEAL
from agentgym.envs.multiagent._deal import (
    POOL,
    THINGS,
    WORTH,
    Bundle,
    Known,
    bundles,
    compatible,
    dominated,
    listed,
    partners,
    random_opponent,
    rest,
    simple_opponent,
    solve,
    spelled,
    strong_opponent,
    valuations,
    worth,
)  # fmt: skip
from agentgym.envs.multiagent._scripted import StrongExpert, graded

MOVES = range(2, 51)
STREAM = 0xDE  # apart from np_random of an equal seed
ENOUGH = 4  # points with which the oracle expects the other to be content in the end
COUNTS = tuple(str(count) for count in range(max(POOL)))


@dataclass(slots=True)
class State:
    """The negotiation.

    Attributes:
        values: What one book, hat and ball are worth to each player.
        moves: Moves made by both.
        proposals: Who proposed (0 or 1) and what it would keep, in order.
        standing: Whether the last proposal can be accepted.
        over: Whether it ended.
    """

    values: list[list[int]]
    moves: int
    proposals: list[list[Any]]
    standing: bool
    over: bool


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `DealOrNoDeal`."""

    moves: int = whole(10, MOVES[0], MOVES[-1], shapes_tasks=False)


class DealOrNoDeal(StrongExpert, LanguageAEC):
    """Deal or No Deal.

    Description: a pool of 5 to 7 books, hats and balls has to be divided between two. Each player has its own values
    for the three kinds, which the other cannot see; all things together are worth 10 points to each. Every kind is
    worth something to somebody, some kind to both, and both cannot have 10. The players move in turn: talk, propose,
    accept. A proposal stands until its maker or the other makes another; who accepts it ends the game. Without a deal
    when the moves are used up, or when somebody walks away, both get nothing.

    Observation: what was said and proposed since the player last acted; the pool, its own values, the standing proposal
    and what it would bring, and the moves left.

    Actions: `propose <books> books <hats> hats <balls> balls`, what the speaker would keep (also the three numbers
    alone), with ` saying <words>` behind it if wanted; `say <words>`; `accept`; `pass`; `walk away`. After three
    refused tries in a row `pass` is played. The admissible list holds all but free words.

    Reward: at the end the points of what a player gets, 0 to 10. A player succeeds in a deal that brings it at least
    its points in the Nash solution, the division with the largest product of both points (where several have it, the
    one worst for the player); both may succeed. Metrics of the last step: `points` of the player, `joint` (points of
    both over the most possible), `pareto` (no other division is better for one and no worse for the other), `deal`.

    Splits: `train` without end, `val` and `test` 200 pools each.

    Opponents: `random`; `simple` asks for all it values and concedes evenly to 3 points, whatever is said; `strong`
    infers from proposals what the other values, asks for the most it may grant and concedes late. They argue, but do
    not listen to free words. One beats the other if it gets more points than the other over the same pools as either
    player. Expert: `strong`, its dice made of the task. Oracle: sees both values and holds out for the division best
    for it among those that are good enough for the other. Scores of the card are against `simple`.

    Args:
        moves: Moves of each player, 2 to 50; 10 by default, as in the source.

    Source: Lewis, Yarats, Dauphin, Parikh, Batra 2017, Deal or No Deal? End-to-End Learning of Negotiation Dialogues;
    here a deal is an accepted proposal rather than two equal choices after the talk.
    """

    card = DEAL_OR_NO_DEAL
    config = Config()
    task_stream = STREAM
    talk = True
    default_rule = "pass"
    admissible_complete = False
    grammar = Grammar(
        [
            Command(
                "propose <books> books <hats> hats <balls> balls saying <words>",
                "propose what you keep, and say something with it.",
                examples=("propose 1 books 2 hats 0 balls saying The balls are all yours.",),
                variants=("propose <books> <hats> <balls> saying <words>",),
                choices=dict.fromkeys(("books", "hats", "balls"), COUNTS),
                name="argue",
                free="lines",
            ),
            Command(
                "propose <books> books <hats> hats <balls> balls",
                "propose what you keep; the other gets the rest.",
                examples=("propose 1 books 2 hats 0 balls", "propose 0 1 3"),
                variants=("propose <books> books, <hats> hats, <balls> balls", "propose <books> <hats> <balls>"),
                choices=dict.fromkeys(("books", "hats", "balls"), COUNTS),
            ),
            Command(
                "say <words>",
                "say something and propose nothing.",
                examples=("say Which kind do you need?",),
                free="lines",
            ),
            Command("accept", "take the other's standing proposal; this ends the game.", examples=("accept",)),
            Command("pass", "do nothing.", examples=("pass",), variants=("wait",)),
            Command("walk away", "end the game without a deal; both get nothing.", examples=("walk away",)),
        ],
        rules="Divide the pool with the other player. Your values are your own secret, and so are the other's. You get "
        "the worth of what you keep, if there is a deal; without one both get nothing.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "pool": {
                "type": "array",
                "minItems": 3,
                "maxItems": 3,
                "items": {"type": "integer", "minimum": 1, "maximum": max(POOL) - 2},
            },
            "values": {
                "type": "array",
                "minItems": 2,
                "maxItems": 2,
                "items": {
                    "type": "array",
                    "minItems": 3,
                    "maxItems": 3,
                    "items": {"type": "integer", "minimum": 0, "maximum": WORTH},
                },
            },
        }
    )
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A pool and two ways to value it, each pair that makes a negotiation equally likely within its pool.

        Args:
            config: Not read.
            rng: Draws pool and values, anew until the pool has a fair size and the values go together.
        """
        while True:
            pool = _triple([int(count) for count in rng.integers(1, max(POOL) - 1, size=3)])
            if sum(pool) not in POOL:
                continue
            every = valuations(pool)
            one, other = (every[int(place)] for place in rng.integers(len(every), size=2))
            if compatible(one, other):
                return {"pool": list(pool), "values": [list(one), list(other)]}

    def check_task(self, spec: Spec) -> None:
        """Refuse pools of another size, values of another sum, and pairs that leave nothing to negotiate."""
        pool, one, other = _triple(spec["pool"]), _triple(spec["values"][0]), _triple(spec["values"][1])
        if sum(pool) not in POOL:
            raise TaskError(f"a pool has {POOL[0]} to {POOL[-1]} things, got {sum(pool)}")
        for values in (one, other):
            if worth(values, pool) != WORTH:
                raise TaskError(f"all things together must be worth {WORTH}, got {worth(values, pool)} for {values}")
        if not compatible(one, other):
            raise TaskError(f"each kind must be worth something to somebody, and one to both; got {one} and {other}")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return (
            f"Agree with the other player on how to divide {listed(_triple(spec['pool']))}, and keep what is worth "
            "most to you."
        )

    def _turn_limit(self, task: Task) -> int:
        return 2 * self.config.moves * self.tries

    def _reset(self, task: Task) -> None:
        self._state = State([list(values) for values in task.spec["values"]], 0, [], False, False)

    def _to_move(self) -> str:
        return self.possible_agents[self._state.moves % 2]

    @property
    def _pool(self) -> Bundle:
        return _triple(self.task.spec["pool"])

    def _values(self, place: int) -> Bundle:
        return _triple(self._state.values[place])

    def _public(self) -> str:
        state = self._state
        lines = [f"The pool: {listed(self._pool)}."]
        if state.standing:
            maker, kept = state.proposals[-1]
            lines.append(
                f"Standing proposal of {self.possible_agents[maker]}: to keep {listed(_triple(kept))}, and leave "
                f"{listed(rest(self._pool, _triple(kept)))}."
            )
        else:
            lines.append("No proposal stands.")
        lines.append(f"Moves left for both together: {2 * self.config.moves - state.moves}.")
        return "\n".join(lines)

    def _view(self, player: str) -> str:
        place = self.possible_agents.index(player)
        values = self._values(place)
        prices = ", ".join(f"a {thing} {value}" for thing, value in zip(THINGS, values, strict=True))
        text = f"{self._public()}\nYour values: {prices}."
        if self._state.standing and not self._state.over:
            maker, kept = self._state.proposals[-1]
            got = _triple(kept) if maker == place else rest(self._pool, _triple(kept))
            text += f" The standing proposal would bring you {worth(values, got)} points."
        return text

    def _step(self, player: str, call: Call) -> JointOutcome:
        state, place = self._state, self.possible_agents.index(player)
        if call.name in ("propose", "argue"):
            kept = _triple([int(call[f"{thing}s"]) for thing in THINGS])
            beyond = [thing for thing, has, asked in zip(THINGS, self._pool, kept, strict=True) if asked > has]
            if beyond:
                return self.refuse(f"there are not so many {beyond[0]}s; the pool holds {spelled(self._pool)}.")
            state.proposals.append([place, list(kept)])
            state.standing = True
            self.send_message(f"{player} proposes to keep {listed(kept)}, and leave {listed(rest(self._pool, kept))}.")
            self.record({"type": "proposal", "seat": player, "keep": list(kept)})
        elif call.name == "accept":
            if not state.standing or state.proposals[-1][0] == place:
                return self.refuse("there is no proposal of the other to accept; propose something yourself.")
            state.moves += 1
            return self._close(player)
        elif call.name == "walk":
            self.send_message(f"{player} walks away.")
            return self._fail()
        elif call.name == "pass":
            self.send_message(f"{player} says nothing.")
        if call.name in ("say", "argue"):
            self.say(player, call["words"])
            self.record({"type": "talk", "seat": player, "words": call["words"]})
        state.moves += 1
        return self._fail() if state.moves == 2 * self.config.moves else JointOutcome()

    def _close(self, player: str) -> JointOutcome:
        """A proposal was accepted."""
        self._state.over = True
        maker, kept = self._state.proposals[-1]
        shares = [_triple(kept), rest(self._pool, _triple(kept))]
        if maker == 1:
            shares.reverse()
        one, other = self._values(0), self._values(1)
        solved = solve(self._pool, one, other)
        points = [worth(one, shares[0]), worth(other, shares[1])]
        self.send_message(f"{player} accepts.")
        self.record({"type": "deal", "keep": [list(share) for share in shares], "points": points})
        for each, got in zip(self.possible_agents, points, strict=True):
            self.set_metric("points", got, [each])
        self.set_metric("joint", sum(points) / solved.joint)
        self.set_metric("pareto", float(not dominated(self._pool, one, other, shares[0])))
        self.set_metric("deal", 1.0)
        players = self.possible_agents
        for each, share, got in zip(players, shares, points, strict=True):
            self.send_message(f"You get {listed(share)}: {got} points.", [each])
        winners = [each for each, got, fair in zip(players, points, solved.fair, strict=True) if got >= fair]
        rewards = dict(zip(players, map(float, points), strict=True))
        return JointOutcome(rewards, over=True, winners=winners, progress=dict.fromkeys(players, 1.0))

    def _fail(self) -> JointOutcome:
        self._state.over = True
        self.send_message("There is no deal; both get nothing.")
        return JointOutcome(over=True)

    def _admissible(self, player: str) -> list[str]:
        actions = ["pass", "walk away", *(f"propose {spelled(kept)}" for kept in bundles(self._pool))]
        if self._offer(self.possible_agents.index(player)) is not None:
            actions.append("accept")
        return actions

    def _sample(self, player: str, rng: np.random.Generator) -> str:
        return random_opponent(self._known(player), rng)

    def _default(self, player: str) -> str:
        return "pass"

    def _offer(self, place: int) -> Bundle | None:
        """What the other's standing proposal leaves a player."""
        if not self._state.standing or self._state.proposals[-1][0] == place:
            return None
        return rest(self._pool, _triple(self._state.proposals[-1][1]))

    def _known(self, player: str) -> Known:
        place, state = self.possible_agents.index(player), self._state
        asked: tuple[list[Bundle], list[Bundle]] = ([], [])
        for maker, kept in state.proposals:
            asked[maker != place].append(_triple(kept))
        return Known(
            self._pool, self._values(place), 2 * self.config.moves - state.moves, 2 * self.config.moves,
            (tuple(asked[0]), tuple(asked[1])), self._offer(place),
        )  # fmt: skip

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        place = self.possible_agents.index(player)
        others = partners(self._pool, self._values(place))
        if not self._state.over:
            self._state.values[1 - place] = list(others[int(rng.integers(len(others)))])

    def _decision(self, player: str) -> tuple[int, ...]:
        return (self._state.moves,)

    def _oracle(self, player: str) -> str:
        """Hold out for the best division that leaves the other `ENOUGH`, and at the end take what there is."""
        place = self.possible_agents.index(player)
        mine, theirs = self._values(place), self._values(1 - place)
        good = [kept for kept in bundles(self._pool) if worth(theirs, rest(self._pool, kept)) >= ENOUGH]
        best = max(good, key=lambda kept: (worth(mine, kept), worth(theirs, rest(self._pool, kept))))
        offer = self._offer(place)
        left = 2 * self.config.moves - self._state.moves
        if offer is not None and (worth(mine, offer) >= worth(mine, best) or (left <= 2 and worth(mine, offer))):
            return "accept"
        return f"propose {spelled(best)}"

    def _key_state(self) -> Any:
        state = self._state
        last = state.proposals[-1] if state.standing else None
        return [state.values, 2 * self.config.moves - state.moves, last, state.over]


def _triple(numbers: Any) -> Bundle:
    return cast(Bundle, tuple(numbers))
