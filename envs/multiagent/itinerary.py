"""Itinerary: one knows what it wants of a day in a city, the other knows the city."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from agentgym.core.errors import TaskError
from agentgym.core.generated import object_schema, whole
from agentgym.core.grammar import Call, shorten
from agentgym.core.outcome import JointOutcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.multiagent._cards.talk import ITINERARY
from agentgym.envs.multiagent._decision import Dialogue, DialogueConfig, nearest
from agentgym.envs.multiagent._itinerary import (
    FEATURES,
    HEAVIEST,
    NOWHERE,
    SLOTS,
    TYPES,
    Problem,
    Site,
    View,
    Wish,
    distance,
    drawn,
    phrase,
    points,
    random_opponent,
    redrawn,
    simple_opponent,
    solve,
    spelled,
    strong_opponent,
)
from agentgym.envs.multiagent._itinerary_queries import (
    ASKING,
    GRAMMAR,
    SHOWN,
    CityState,
    curious,
    guide,
    hidden,
    hours,
    offer,
    researched,
    search,
)
from agentgym.envs.multiagent._scripted import graded

COUNTS = range(4, 25)
STREAM = 0x171  # apart from np_random of an equal seed
MOST_QUERIES = 50
LISTED = 8  # proposals in the admissible list
USER, ASSISTANT = 0, 1


@dataclass(frozen=True)
class Config(DialogueConfig):
    """The keyword arguments of `Itinerary`."""

    sites: int = whole(12, COUNTS[0], COUNTS[-1])
    queries: int = whole(0, 0, MOST_QUERIES, shapes_tasks=False)


class Itinerary(Dialogue):
    """A day in a city (the decision-oriented dialogue "planning").

    Description: player_0 is a user with ten wishes, each worth 1 to 10 points or as many against it: to see a place or
    not, features of every place, a type of place once, a type at a time of the day, a budget, and points for each mile
    on the way. player_1 is an assistant that knows the city: what each place is and offers, its price, when it is open,
    and where it is. A schedule has a place, or none, for morning, afternoon and evening. Only the assistant proposes;
    when the user accepts, the game ends.

    Observation: what was said and proposed since the player last acted; the standing proposal with type, features and
    price of its places, all prices and miles together, and the moves left. The user sees its wishes and what the
    standing proposal is worth to it, the assistant the places. Positions are miles east and north of a corner of the
    city; one walks along streets, so distances are the sum of both differences.

    Actions: `propose <morning>; <afternoon>; <evening>` with a name, or `none`, for each (names misspelt by up to a
    fifth are understood), with ` saying <words>` behind it if wanted; `say <words>`; `accept`; `reject`, also
    `reject saying <words>`; `pass`. A place that is closed then, or is named twice, is refused. A proposal has to be
    answered before anything else. After three refused tries in a row `reject` is played where a proposal stands,
    otherwise `pass`. The admissible list holds a few proposals only. With a data base also `search <conditions>` for
    the assistant, which costs no move: names, types, features, `open evening`, `at most $20`, `near <name>`, with `;`
    between; it finds at most six places, and only the assistant sees them.

    Reward: at an agreement, to both, (points - worst) / (best - worst), where best and worst are those of all possible
    schedules, found by enumeration. Without an agreement when the moves are used up, 0. Both succeed with at least
    0.95. Metrics of the last step: `score`, `points`, `agreed`, `messages` (of both) and `queries`; cost: `words`.

    Splits: `train` without end, `val` and `test` 200 cities each.

    Opponents (whole teams): `random`; `simple`: the user names its three heaviest wishes and accepts everything;
    `strong`: the user tells all in the form `at least one museum: +6; each place with live music: -3; ...` and rejects
    what is poor, the assistant asks, understands wishes told in that form (in other words too, if each clause names
    something known and ends with its points), and proposes the best schedule by what it was told. Expert: as `strong`.
    Oracle: sees wishes and city; best schedule.

    Args:
        sites: Places of the city, 4 to 24; 12 by default.
        moves: Moves of each player, 2 to 50; 10 by default.
        queries: Queries that the assistant may put to its data base, 0 to 50. With 0, the default, it sees all places;
            otherwise those that it has found.

    Errors: `ConfigError` for an option outside its range, `TaskError` for a city or wishes that make no task.

    Source: Lin, Tomlin, Andreas, Eisner 2023, Decision-Oriented Dialogue for Human-AI Collaboration; here with hours of
    opening and a drawn city.
    """

    card = ITINERARY
    config = Config()
    task_stream = STREAM
    makers = (ASSISTANT,)
    grammar = GRAMMAR
    task_schema: ClassVar[Spec] = object_schema(
        {
            "city": {"type": "string", "minLength": 1, "maxLength": 40},
            "sites": {
                "type": "array",
                "minItems": COUNTS[0],
                "maxItems": COUNTS[-1],
                "items": object_schema(
                    {
                        "name": {"type": "string", "minLength": 1, "maxLength": 40},
                        "type": {"type": "string", "enum": list(TYPES)},
                        "features": {"type": "array", "maxItems": 8, "items": {"type": "string", "enum": [*FEATURES]}},
                        "price": {"type": "integer", "minimum": 0, "maximum": 999},
                        "hours": {"type": "string", "enum": ["m", "a", "e", "ma", "me", "ae", "mae"]},
                        "east": {"type": "integer", "minimum": 0, "maximum": 999},
                        "north": {"type": "integer", "minimum": 0, "maximum": 999},
                    }
                ),
            },
            "wishes": {
                "type": "array",
                "minItems": 1,
                "maxItems": 20,
                "items": object_schema(
                    {
                        "about": {"type": "string", "enum": ["site", "feature", "type", "slot", "budget", "mile"]},
                        "what": {"type": "string", "maxLength": 40},
                        "weight": {"type": "integer", "minimum": -HEAVIEST, "maximum": HEAVIEST},
                    }
                ),
            },
        }
    )
    OPPONENTS = graded(curious(random_opponent), researched(simple_opponent), researched(strong_opponent))
    _state: CityState

    def _configured(self) -> None:
        super()._configured()
        if self.config.queries:
            self.grammar = ASKING

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A city and the wishes of its visitor.

        Args:
            config: How many sites.
            rng: Draws them, and wishes that can be met.
        """
        problem = drawn(rng, config.sites)
        return {
            "city": problem.city,
            "sites": [
                {
                    "name": site.name,
                    "type": site.kind,
                    "features": list(site.features),
                    "price": site.price,
                    "hours": site.hours,
                    "east": site.east,
                    "north": site.north,
                }
                for site in problem.sites
            ],
            "wishes": [{"about": wish.about, "what": wish.what, "weight": wish.weight} for wish in problem.wishes],
        }

    def check_task(self, spec: Spec) -> None:
        """Refuse names that repeat, wishes about nothing known, and tasks in which every schedule is worth the same."""
        problem = _read(spec)
        names = [site.name.lower() for site in problem.sites]
        for name in names:
            if names.count(name) > 1 or name == NOWHERE or name != name.strip() or set(name) & set(";:,\n"):
                raise TaskError(
                    f"places need different names without ';', ':' or ',' that are not 'none'; got {name!r}"
                )
        known: dict[str, Sequence[str]] = {
            "site": [site.name for site in problem.sites],
            "feature": FEATURES,
            "type": list(TYPES),
            "slot": [f"{kind} in the {slot}" for kind in TYPES for slot in SLOTS],
            "mile": ("",),
        }
        for wish in problem.wishes:
            if wish.about == "budget":
                if not (wish.what.isascii() and wish.what.isdigit() and len(wish.what) <= 3):
                    raise TaskError(f"the budget of a wish is a whole number of dollars, such as 40; got {wish.what!r}")
            elif wish.what not in known[wish.about]:
                raise TaskError(f"a wish about {wish.about!r} cannot be {wish.what!r}; it may be: {known[wish.about]}")
        if len({(wish.about, wish.what) for wish in problem.wishes}) < len(problem.wishes):
            raise TaskError("two wishes are about the same; give each once")
        solution = solve(problem.sites, problem.wishes)
        if not solution.best > solution.worst:
            raise TaskError("every schedule is worth the same to the user; give wishes that tell schedules apart")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return f"Agree on a day in {spec['city']}: where to be in the morning, in the afternoon and in the evening."

    # The data base.

    def _turn_limit(self, task: Task) -> int:
        return super()._turn_limit(task) + self.config.queries * self.tries

    def _reset(self, task: Task) -> None:
        self._state = CityState(self._problem(task), 0, [], -1, [], [], [], False)

    def _step(self, player: str, call: Call) -> JointOutcome:
        if call.name != "search":
            return super()._step(player, call)
        state = self._state
        if player != self.possible_agents[ASSISTANT]:
            return self.refuse(self._with_names("only player_1 can ask the data base; tell what you want instead."))
        if len(state.asked) == self.config.queries:
            return self.refuse(f"all {self.config.queries} queries are used up; propose, or talk.")
        found = search(state.problem.sites, call["conditions"])
        if isinstance(found, str):
            return self.refuse(found)
        shown = found[:SHOWN]
        state.asked.append(" ".join(call["conditions"].lower().split()))
        state.found += [place for place in shown if place not in state.found]
        more = f" {len(found) - SHOWN} more meet the conditions; add one to see others." if len(found) > SHOWN else ""
        names = ", ".join(state.problem.sites[place].name for place in shown) or "nothing"
        self.send_message(f"The data base finds: {names}.{more}", [player])
        self.record({"type": "query", "seat": player, "conditions": call["conditions"], "found": len(found)}, [player])
        return JointOutcome()

    def _count(self) -> None:
        super()._count()
        self.set_metric("queries", len(self._state.asked))

    def _places(self) -> tuple[Site, ...]:
        """The places as the assistant knows them."""
        sites: tuple[Site, ...] = self._state.problem.sites
        return hidden(sites, self._state.found) if self.config.queries else sites

    def _known_names(self) -> str:
        """The names that the assistant may be told in a refusal."""
        sites = self._state.problem.sites
        if not self.config.queries:
            return f"the city has {', '.join(site.name for site in sites)}"
        found = ", ".join(sites[place].name for place in sorted(self._state.found))
        return f"the data base has found {found or 'none yet'}"

    def _data(self) -> str:
        """What the assistant knows of the city, as text."""
        state = self._state
        if not self.config.queries:
            return guide(state.problem.sites)
        left = f"Queries left: {self.config.queries - len(state.asked)}."
        found = tuple(state.problem.sites[place] for place in sorted(state.found))
        return f"{left}\n{guide(found)}" if found else f"{left} No place was found yet."

    def _role(self, player: str) -> str:
        return ("user", "assistant")[self.possible_agents.index(player)]

    def _brief(self, player: str) -> str:
        return f"{self.task.instruction}\nYou are {player}, the {self._role(player)}."

    def _problem(self, task: Task) -> Problem:
        return _read(task.spec)

    def _part(self, place: int) -> View:
        problem, state = self._state.problem, self._state
        if place == ASSISTANT:
            return View(self._places(), (), None, tuple(state.asked), self.config.queries - len(state.asked))
        return View((), problem.wishes, points(problem.sites, problem.wishes, state.plan) if state.plan else None)

    def _view(self, player: str) -> str:
        problem, plan = self._state.problem, self._state.plan
        if player == self.possible_agents[ASSISTANT]:
            return f"{self._public()}\n{self._data()}"
        worth = f" The proposal is worth {points(problem.sites, problem.wishes, plan):g} points to you." if plan else ""
        return f"{self._public()}{worth}\n{_list(problem.wishes)}"

    def _explain(self, plan: Sequence[int]) -> str:
        sites = self._state.problem.sites
        parts = [f"{slot} {offer(sites[place]) if place < len(sites) else NOWHERE}" for slot, place in _slots(plan)]
        price = sum(sites[place].price for place in plan if place < len(sites))
        return f"{'; '.join(parts)}; ${price} and {distance(sites, plan) / 10:g} miles in all"

    def _understand(self, text: str) -> list[int] | str:
        sites = self._state.problem.sites
        names = _names(sites)
        parts = [part.rpartition(":")[2].strip() for part in text.replace(",", ";").split(";")]
        if len(parts) != len(SLOTS):
            return (
                f"a proposal names {len(SLOTS)} places, one for {', '.join(SLOTS)}, with ';' between, or none for one."
            )
        plan: list[int] = []
        for slot, part in zip(SLOTS, parts, strict=True):
            place = nearest(part, names)
            if place is None:
                return f"there is no place {shorten(part)!r}; {self._known_names()}."
            if place < len(sites) and place in plan:
                return f"{sites[place].name} is named twice; a schedule visits a place once."
            if place < len(sites) and slot[0] not in sites[place].hours:
                return f"{sites[place].name} is closed in the {slot}; it is open: {hours(sites[place])}."
            plan.append(place)
        return plan

    def _spell(self, plan: Sequence[int]) -> str:
        return spelled(self._state.problem.sites, plan)

    def _rate(self, plan: Sequence[int]) -> tuple[float, float]:
        problem = self._state.problem
        solution, worth = solve(problem.sites, problem.wishes), points(problem.sites, problem.wishes, plan)
        score = (worth - solution.worst) / (solution.best - solution.worst)
        return worth, min(1.0, max(0.0, score))

    def _best(self) -> list[int]:
        return list(solve(self._state.problem.sites, self._state.problem.wishes).plan)

    def _offers(self) -> list[list[int]]:
        return [list(plan) for plan in _some(self._places())]

    def _admissible(self, player: str) -> list[str]:
        listed = super()._admissible(player)
        asks = "pass" in listed and player == self.possible_agents[ASSISTANT]
        left = self.config.queries - len(self._state.asked)
        return [*listed, *(f"search {kind}" for kind in TYPES)] if asks and left else listed

    def _key_state(self) -> Any:
        return [super()._key_state(), sorted(self._state.found), self._state.asked]

    def _resample_hidden(self, player: str, rng: np.random.Generator) -> None:
        problem = self._state.problem
        if player == self.possible_agents[USER]:
            shown = {place for plan in [*self._state.refused, self._state.plan] for place in plan}
            self._state.problem = replace(problem, sites=redrawn(problem, shown, rng))
        else:
            if self.config.queries:
                named = {place for plan in [*self._state.refused, self._state.plan] for place in plan}
                problem = replace(problem, sites=redrawn(problem, named | {*self._state.found}, rng))
            self._state.problem = drawn(rng, len(problem.sites), problem)


def _slots(plan: Sequence[int]) -> list[tuple[str, int]]:
    return list(zip(SLOTS, plan, strict=True))


@lru_cache(maxsize=256)
def _list(wishes: tuple[Wish, ...]) -> str:
    """The user's wishes as text."""
    return "\n".join(["Your wishes:", *(phrase(wish) for wish in wishes)])


@lru_cache(maxsize=256)
def _names(sites: tuple[Site, ...]) -> tuple[str, ...]:
    """What may be named in a proposal; the last is an empty slot."""
    return (*(site.name for site in sites), NOWHERE)


@lru_cache(maxsize=256)
def _some(sites: tuple[Site, ...]) -> tuple[tuple[int, ...], ...]:
    """A few possible schedules: beginning with each place in turn, and going on with the next that are open."""
    found = []
    for first in range(len(sites)):
        plan: list[int] = []
        for slot in SLOTS:
            order = [(first + step) % len(sites) for step in range(len(sites))]
            free = [place for place in order if slot[0] in sites[place].hours and place not in plan]
            plan.append(free[0] if free else len(sites))
        found.append(tuple(plan))
    return tuple(sorted(set(found)))[:LISTED]


def _read(spec: Spec) -> Problem:
    order = ("name", "type", "features", "price", "hours", "east", "north")
    rows = [[each[key] for key in order] for each in spec["sites"]]
    sites = tuple(Site(name, kind, tuple(features), *rest) for name, kind, features, *rest in rows)
    wishes = tuple(Wish(each["about"], each["what"], each["weight"]) for each in spec["wishes"])
    return Problem(spec["city"], sites, wishes)
