"""Mediation: an assistant books flights for a group, each of whom has a calendar and wishes of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar, shorten
from agentgym.core.outcome import JointOutcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._cards.talk import MEDIATION
from agentgym.envs.multiagent._decision import Dialogue, DialogueConfig, spoken_commands
from agentgym.envs.multiagent._mediation import (
    DAYS,
    DEAREST,
    HEAVIEST,
    SPAN,
    Event,
    Flight,
    Problem,
    User,
    View,
    clashes,
    clock,
    drawn,
    random_opponent,
    rating,
    redacted,
    reweighed,
    simple_opponent,
    solve,
    spelled,
    stranger,
    strong_opponent,
)
from agentgym.envs.multiagent._scripted import graded

USERS = range(2, 5)
FLIGHTS = range(3, 21)
STREAM = 0x3ED  # apart from np_random of an equal seed
LISTED = 8  # proposals in the admissible list
ENTRY = ("start", "end", "title", "weight", "shared")
TRIP = ("depart", "arrive", "price")
LATEST = 24 * (SPAN + 1)
PAIR = re.compile(r"user[_ ]?(\d)\s*(?::|=|takes)\s*(?:flight|id)?\s*#?(\d{1,2})")


@dataclass(frozen=True)
class Config(DialogueConfig):
    """The keyword arguments of `Mediation`."""

    users: int = whole(2, USERS[0], USERS[-1])
    flights: int = whole(12, FLIGHTS[0], FLIGHTS[-1])


class Mediation(Dialogue):
    """Flights for a group (the decision-oriented dialogue "mediation").

    Description: users want to fly to one city from different places and meet there. Each has a calendar of three days
    with events of an importance from 1 to 10, flights of its own (each clashes with an event), and cares for money and
    for arriving together. assistant_0 sees all flights and their prices, and about three quarters of the events, but
    not how important they are. It alone proposes, one flight for each user; when all users accept, the game ends. What
    a user says is heard by the assistant alone; the assistant speaks to all or to one.

    Observation: what the player was told since it last acted; the standing proposal with times and prices, and the
    moves left. A user sees its calendar, its flights, its weights, and what the standing proposal is worth to it; the
    assistant sees flights and shared events of all.

    Actions: `propose user_1: <flight>, user_2: <flight>` with flights by number, with ` saying <words>` behind it if
    wanted; `tell <user> <words>` (the assistant, to one user); `say <words>`; `accept`; `reject`, also `reject saying
    <words>`; `pass`. The players move in turn, the assistant first. A proposal has to be answered by each user in turn
    before anything else; the first that rejects clears it. After three refused tries in a row `reject` is played where
    a proposal stands, otherwise `pass`. The admissible list holds a few proposals only.

    Reward: at an agreement, to all, (points - worst) / (best - worst) over all choices of flights, found by
    enumeration. Points are the sum over users of: minus the importance of every event that the flight overlaps; minus
    the weight of the price (1 to 20) times (price - mean) / mean, the mean being that of the user's flights; minus the
    weight of company (1 to 10) for every three hours between its arrival and the others', on average. Without an
    agreement when the moves are used up, 0. All succeed with at least 0.95. Metrics of the last step: `score`,
    `points`, `agreed` and `messages`; cost: `words`.

    Splits: `train` without end, `val` and `test` 200 groups each.

    Opponents (whole teams): `random`; `simple`: users name the flight they like best and accept everything, the
    assistant proposes these; `strong`: users tell what each flight and an hour apart are worth to them in the form
    `flight 1: -7.5; flight 2: -3; an hour apart: -1.5` and reject what is poor for them, the assistant asks, and
    proposes the best for all by what it was told (and guesses the rest). Expert: as `strong`. Oracle: sees everything;
    best choice.

    Args:
        users: Users beside the assistant, 2 to 4.
        flights: Flights of each user, 3 to 20; 12 by default.
        moves: Moves of each player, 2 to 50; 10 by default.

    Errors: `ConfigError` for an option outside its range, `TaskError` for a group that makes no task.

    Source: Lin, Tomlin, Andreas, Eisner 2023, Decision-Oriented Dialogue for Human-AI Collaboration; there 30 flights
    each.
    """

    card = MEDIATION
    config = Config()
    task_stream = STREAM
    player_names = ("assistant_0", "user_1", "user_2")
    fixed_names = True
    makers = (0,)
    grammar = Grammar(
        [
            *spoken_commands(
                "<plan>", "(assistant_0 only) propose a flight, by number, for each user.", "user_1: 3, user_2: 7"
            ),
            Command(
                "tell <user> <words>",
                "(assistant_0 only) say something that only one user hears.",
                examples=("tell user_1 Could you take flight 4?",),
                choices={"user": tuple(f"user_{place}" for place in range(1, USERS[-1] + 1))},
                free="lines",
            ),
        ],
        rules="Find flights for all users that are best for the group as a whole. A user loses points for events that "
        "its flight overlaps, for a price above the mean of its flights, and for each hour between its arrival and the "
        "others'. Only it knows how much. assistant_0 sees all flights and most events and proposes; what a user says "
        "only assistant_0 hears. Tell what flights are worth to you as in 'say flight 1: -7.5; flight 2: -3; an hour "
        "apart: -1.5'. A proposal must be accepted or rejected before anything else; all get its worth once every user "
        "has accepted it, and nothing without agreement.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "city": {"type": "string", "minLength": 1, "maxLength": 40},
            "first": {"type": "integer", "minimum": 0, "maximum": len(DAYS) - 1},
            "users": {
                "type": "array",
                "minItems": USERS[0],
                "maxItems": USERS[-1],
                "items": object_schema(
                    {
                        "events": {
                            "type": "array",
                            "maxItems": 40,
                            "items": object_schema(
                                {
                                    "start": {"type": "integer", "minimum": 0, "maximum": LATEST},
                                    "end": {"type": "integer", "minimum": 1, "maximum": LATEST},
                                    "title": {"type": "string", "minLength": 1, "maxLength": 40},
                                    "weight": {"type": "integer", "minimum": 1, "maximum": HEAVIEST},
                                    "shared": {"type": "boolean"},
                                }
                            ),
                        },
                        "flights": {
                            "type": "array",
                            "minItems": 1,
                            "maxItems": FLIGHTS[-1],
                            "items": object_schema(
                                {
                                    "depart": {"type": "integer", "minimum": 0, "maximum": LATEST},
                                    "arrive": {"type": "integer", "minimum": 1, "maximum": LATEST},
                                    "price": {"type": "integer", "minimum": 1, "maximum": 9999},
                                }
                            ),
                        },
                        "thrift": {"type": "integer", "minimum": 0, "maximum": DEAREST},
                        "company": {"type": "integer", "minimum": 0, "maximum": HEAVIEST},
                    }
                ),
            },
        }
    )
    OPPONENTS = graded(random_opponent, simple_opponent, strong_opponent)

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A group of users with their flights.

        Args:
            config: How many users, and flights of each.
            rng: Draws their calendars, flights and wishes.
        """
        problem = drawn(rng, config.users, config.flights)
        return {
            "city": problem.city,
            "first": problem.first,
            "users": [
                {
                    "events": [{key: getattr(event, key) for key in ENTRY} for event in user.events],
                    "flights": [{key: getattr(flight, key) for key in TRIP} for flight in user.flights],
                    "thrift": user.thrift,
                    "company": user.company,
                }
                for user in problem.users
            ],
        }

    def _player_names(self, config: Config) -> list[str]:
        return ["assistant_0", *(f"user_{place}" for place in range(1, config.users + 1))]

    def check_task(self, spec: Spec) -> None:
        """Refuse times that run backwards, another number of users, and groups that do not care."""
        users = len(self.possible_agents) - 1
        if len(spec["users"]) != users:
            raise TaskError(f"the table has {users} users, the task {len(spec['users'])}; make the world with users=")
        for place, user in enumerate(spec["users"], 1):
            for event in user["events"]:
                if event["start"] >= event["end"]:
                    raise TaskError(f"an event of user_{place} ends before it begins: {event}")
            for flight in user["flights"]:
                if flight["depart"] >= flight["arrive"]:
                    raise TaskError(f"a flight of user_{place} arrives before it departs: {flight}")
        solution = solve(_read(spec).users)
        if not solution.best > solution.worst:
            raise TaskError("every choice of flights is worth the same; give users that care")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        days = f"{DAYS[spec['first']]} to {DAYS[(spec['first'] + SPAN - 1) % len(DAYS)]}"
        return (
            f"Agree on flights to {spec['city']}, {days}, for a group of {len(spec['users'])} that wants to meet there."
        )

    def _role(self, player: str) -> str:
        return player.partition("_")[0]

    def _brief(self, player: str) -> str:
        return f"{self.task.instruction}\nYou are {player}."

    def _problem(self, task: Task) -> Problem:
        return _read(task.spec)

    def _hearers(self, place: int) -> list[int]:
        return [0, place] if place else super()._hearers(place)

    def _part(self, place: int) -> View:
        users, plan = self._state.problem.users, self._state.plan
        if place == 0:
            return _overview(users)
        return View((users[place - 1],), rating(users, plan, place - 1) if plan else None)

    def _view(self, player: str) -> str:
        problem, plan, place = self._state.problem, self._state.plan, self.possible_agents.index(player)
        if place == 0:
            return f"{self._public()}\n{_desk(problem.first, _overview(problem.users).users)}"
        worth = ""
        if plan:
            worth = f" The proposal is worth {rating(problem.users, plan, place - 1):.1f} points to you."
        return f"{self._public()}{worth}\n{_diary(problem.first, problem.users[place - 1])}"

    def _step(self, player: str, call: Call) -> JointOutcome:
        if call.name != "tell":
            return super()._step(player, call)
        if player != self.possible_agents[0]:
            return self.refuse(f"only {self.possible_agents[0]} can speak to one user; write say <words>.")
        if call["user"] not in self.possible_agents:
            return self.refuse(f"there is no {call['user']}; the users are {', '.join(self.possible_agents[1:])}.")
        self._utter(0, [0, self.possible_agents.index(call["user"])], call["words"])
        return self._go_on()

    def _explain(self, plan: Sequence[int]) -> str:
        problem = self._state.problem
        parts = []
        for place, (user, number) in enumerate(zip(problem.users, plan, strict=True), 1):
            parts.append(f"user_{place} flight {_line(number, user.flights[number], problem.first)}")
        return "; ".join(parts)

    def _understand(self, text: str) -> list[int] | str:
        users = self._state.problem.users
        plan: dict[int, int] = {}
        for pair in text.replace(";", ",").split(","):
            if not pair.strip():
                continue
            match = PAIR.fullmatch(pair.strip().lower())
            if match is None:
                return f"{shorten(pair.strip())!r} is not '<user>: <flight>'; write, for example, {spelled([0, 0])}."
            place, flight = int(match[1]), int(match[2])
            if not 1 <= place <= len(users) or place - 1 in plan:
                return f"a proposal names each of {', '.join(self.possible_agents[1:])} once; look at user_{place}."
            if not 1 <= flight <= len(users[place - 1].flights):
                return f"user_{place} has the flights 1 to {len(users[place - 1].flights)}, not {flight}."
            plan[place - 1] = flight - 1
        missing = [f"user_{place + 1}" for place in range(len(users)) if place not in plan]
        if missing:
            return f"a proposal names a flight for each user; missing: {', '.join(missing)}."
        return [plan[place] for place in range(len(users))]

    def _spell(self, plan: Sequence[int]) -> str:
        return spelled(plan)

    def _rate(self, plan: Sequence[int]) -> tuple[float, float]:
        users = self._state.problem.users
        solution = solve(users)
        worth = sum(rating(users, plan, place) for place in range(len(users)))
        return worth, min(1.0, max(0.0, (worth - solution.worst) / (solution.best - solution.worst)))

    def _best(self) -> list[int]:
        return list(solve(self._state.problem.users).plan)

    def _offers(self) -> list[list[int]]:
        users = self._state.problem.users
        return [[step % len(user.flights) for user in users] for step in range(LISTED)]

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        state, place = self._state, self.possible_agents.index(player)
        problem: Problem = state.problem
        users = []
        for other, user in enumerate(problem.users, 1):
            if other == place:
                users.append(user)
            elif place == 0:
                users.append(reweighed(user, rng))
            else:
                shown = {plan[other - 1] for plan in [*state.refused, state.plan] if plan}
                users.append(stranger(user, shown, rng))
        state.problem = replace(problem, users=tuple(users))


def _line(number: int, flight: Flight, first: int) -> str:
    """A flight as it stands in a list."""
    return f"{number + 1}: {clock(flight.depart, first)} to {clock(flight.arrive, first)}, ${flight.price}"


def _agenda(events: Sequence[Event], first: int) -> str:
    """A calendar in one line a day."""
    lines = []
    for day in range(SPAN + 1):
        items = [event for event in events if event.start // 24 == day]
        if items:
            said = ", ".join(
                f"{event.start % 24}-{(event.end - 1) % 24 + 1} {event.title}"
                + (f" ({event.weight})" if event.weight else "")
                for event in items
            )
            lines.append(f"{DAYS[(first + day) % len(DAYS)]}: {said}")
    return "\n".join(lines) or "nothing"


@lru_cache(maxsize=256)
def _overview(users: tuple[User, ...]) -> View:
    """What the assistant sees."""
    return View(tuple(redacted(user) for user in users))


@lru_cache(maxsize=256)
def _desk(first: int, users: tuple[User, ...]) -> str:
    """What the assistant sees as text."""
    parts = []
    for place, user in enumerate(users, 1):
        flights = "\n".join(_line(number, flight, first) for number, flight in enumerate(user.flights))
        parts.append(f"Calendar of user_{place} as shared:\n{_agenda(user.events, first)}\nIts flights:\n{flights}")
    return "\n".join(parts)


@lru_cache(maxsize=256)
def _diary(first: int, user: User) -> str:
    """What a user sees as text."""
    flights = []
    for number, flight in enumerate(user.flights):
        missed = ", ".join(event.title for event in clashes(user, flight)) or "nothing"
        flights.append(f"{_line(number, flight, first)}, misses {missed}")
    mean = sum(flight.price for flight in user.flights) / len(user.flights)
    return "\n".join([
        "Your calendar, with the importance of each event:", _agenda(user.events, first),
        f"Your flights (${mean:.0f} on average):", *flights,
        f"Missing an event costs you its importance, a flight {user.thrift} x (price - {mean:.0f}) / {mean:.0f}, "
        f"and an hour between your arrival and the others' {user.company / 3:.1f} points.",
    ])  # fmt: skip


def _read(spec: Spec) -> Problem:
    users = tuple(
        User(
            tuple(Event(*(each[key] for key in ENTRY)) for each in user["events"]),
            tuple(Flight(*(each[key] for key in TRIP)) for each in user["flights"]),
            user["thrift"],
            user["company"],
        )
        for user in spec["users"]
    )
    return Problem(spec["city"], spec["first"], users)
