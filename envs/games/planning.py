"""Planning in words: blocks, parcels, lifts, keys and more, as PDDL problems that are told and played in sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from agentgym.core.errors import ConfigError, TaskError, unknown
from agentgym.core.generated import EnvConfig, checked, expert_is_oracle, named_level, object_schema, one_of, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.prose import peelings
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games._cards.planning import PLANNING
from agentgym.envs.games._planning import pddl, search
from agentgym.envs.games._planning.draw import FRAMES, draw_problem
from agentgym.envs.games._planning.fields import FIELDS
from agentgym.envs.games._planning.strips import Atom, Domain, ground
from agentgym.envs.games._planning.words import Teller, listed, name_of

LEVELS = {"easy": {"size": 2}, "medium": {"size": 4}, "hard": {"size": 7}, "expert": {"size": 10}}
VIEWS = ("words", "pddl")
EVOLVE = 4  # items more or less, at most
TURNS = 500  # at most


@dataclass(slots=True)
class State:
    """What holds now: bit i stands for fact i of the grounded problem."""

    facts: int


class _PlanningGrammar(Grammar):
    """One form for every action, because each task has its own; the first observation lists them."""

    @property
    def line(self) -> str:
        return "Actions: one of the above, with names in place of <...>"


def _domains(names: str | Sequence[str]) -> tuple[str, ...]:
    chosen = (names,) if isinstance(names, str) else tuple(names)
    for name in chosen:
        if name not in FIELDS:
            raise unknown(f"domain of {PLANNING.id}", name, FIELDS)
    if not chosen or len(set(chosen)) < len(chosen):
        raise ConfigError(f"domains must name one domain or more, each once, got {names!r}")
    return chosen


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `PlanningEnv`."""

    level: str = named_level("medium", LEVELS, of="Planning")
    size: int = whole(None, 1, 10)
    evolve: int = whole(0, -EVOLVE, EVOLVE)
    domains: tuple[str, ...] | None = checked(None, lambda name, value: _domains(value))
    view: str = one_of("words", VIEWS)


class PlanningEnv(LanguageEnv):
    """Reach a goal in a world of facts: a planning problem in words.

    Description: a problem of a planning domain: things, facts about them that hold at the start, and actions that need
    some facts and change some. Reach a state in which all goals hold. Domains: `blocks` (piles), `gripper` (things
    carried in two hands), `ferry`, `logistics` (trucks and airplanes), `elevator`, `keys` (locked rooms), `satellite`
    (instruments) and `tyres` (tools in the right order), each told in two ways with many names. No action of these
    domains leads to a state from which the goal cannot be reached.

    Observation (`view="words"`): a sentence on the last action, then what holds now, a line for each kind of fact. The
    first observation adds the goal, the rules, the forms of all actions, the things, and what never changes.
    `view="pddl"`: domain and problem as PDDL text, states as atoms.

    Actions: those the first observation lists, such as `unstack red block from blue block`; "the" may stand before a
    name, and there are other forms (`take red block off blue block`). In both views also as PDDL: `(unstack red-block
    blue-block)`. An action whose needs are not met is refused with what is missing.

    Reward: 1 when all goals hold (success), otherwise 0. The episode ends then, or after 10 turns and four for each
    action of a relaxed plan (one in which nothing becomes false), at most 500. `info["progress"]` is the share of goals
    that hold.

    Splits: `train` without end, `val` and `test` 200 problems each, over all domains.

    Oracle: a planner for typed STRIPS, greedy search on the relaxed plans of FF, whose plan is then shortened piece by
    piece. Expert: the same, for nothing is hidden. Where it finds no plan (in a domain of the caller's), it takes the
    first action possible.

    Task specification: `domain` (a name, or the text of a PDDL domain with `:strips` and `:typing`), `problem` (PDDL
    text), and for named domains `wording` (0 or 1). A domain of your own is played in the view `pddl`.

    Args:
        level: Named difficulty: `easy` (`size` 2), `medium` (4), `hard` (7), `expert` (10). `size` replaces it.
        size: Items to be dealt with, such as parcels or passengers, 1 to 10; places and vehicles grow with it.
        evolve: Makes each task easier or harder, -4 to 4: below 0 so many goals fewer (one always stays), above 0 so
            many items and their goals more in the same surroundings. The task of a seed stays otherwise the same.
        domains: Names of domains to draw from; by default all.
        view: `words` or `pddl`.

    Source: AgentGen (Hu et al. 2024, arXiv:2408.00764), whose evolution of tasks to easier and harder ones is `evolve`,
    and the domains of AgentBoard (arXiv:2401.13178) and the planning competitions; PDDL: McDermott et al. 1998.
    """

    card = PLANNING
    config = Config()
    grammar = _PlanningGrammar(
        [
            Command(
                "<action>",
                "do this; the task lists the forms. A refusal says what is missing.",
                examples=(
                    "unstack red block from blue block",
                    "load piano into oslo truck at oslo market",
                    "(unstack red-block blue-block)",
                ),
                name="act",
                free="line",
            )
        ],
        rules="Reach a state in which all goals hold. The task says which actions there are; each needs some facts to "
        "hold and changes some. Names may be written with or without 'the'. In a task told in PDDL, actions stand in "
        "brackets.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "domain": {"type": "string", "minLength": 1, "maxLength": 20000, "description": "a name, or PDDL"},
            "problem": {"type": "string", "minLength": 1, "maxLength": 40000, "description": "PDDL"},
            "wording": {"type": "integer", "minimum": 0, "maximum": 1},
            "frame": {"type": "integer", "minimum": 0, "maximum": len(FRAMES) - 1},
        },
        optional=(
            "wording",
            "frame",
        ),
    )
    _state: State

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """A problem of one of the domains.

        Args:
            config: Domains to choose from, all if it names none; size, and by how much tasks are made easier or harder.
            seed: Decides the domain, how the problem is told, and all that is in it.
        """
        return draw_problem(seed, config.domains or tuple(FIELDS), config.size, config.evolve)

    @classmethod
    def instruction_for(cls, config: Config) -> Callable[[Spec], str]:
        """The words depend on the view."""
        return lambda spec: _instruct(spec, config.view)

    def check_task(self, spec: Spec) -> None:
        """Domain and problem must be PDDL with `:strips` and `:typing`, unsolved, and solved by the planner."""
        teller = _teller(spec["domain"], spec["problem"], -1)
        problem = teller.ground
        if problem.start & problem.goal == problem.goal and problem.possible:
            raise TaskError(f"the goal of the problem {problem.problem.name} holds at the start")
        if _plan(spec["domain"], spec["problem"], problem.start) is None:
            raise TaskError(f"no plan was found within {search.LIMIT} states of the problem {problem.problem.name}")

    def _kind(self, spec: Spec) -> str:
        """The domain; `custom` for one of the caller's own."""
        name = str(spec["domain"])
        return name if name in FIELDS else "custom"

    def instruction(self, spec: Spec) -> str:
        """The task in words."""
        return self.instruction_for(self.config)(spec)

    def _turn_limit(self, task: Task) -> int:
        problem = self._told(task).ground
        judged = search.relaxed(problem.operators, problem.start, problem.goal)
        return TURNS if judged is None else min(TURNS, 10 + 4 * judged[0])

    def _told(self, task: Task) -> Teller:
        return _teller(task.spec["domain"], task.spec["problem"], _wording(task.spec, self.config.view))

    def _reset(self, task: Task) -> str:
        self._teller = teller = self._told(task)
        self._ground = teller.ground
        self._way: Mapping[int, Atom] = {}  # the actions of a plan by state; found anew when the player leaves it
        self._state = State(self._ground.start)
        if teller.wording is None:
            field = FIELDS.get(task.spec["domain"])
            domain = (field.pddl if field else task.spec["domain"]).strip()
            parts = [task.instruction, domain, task.spec["problem"].strip(), f"You can: {teller.forms()}", self._view()]
            return "\n".join(parts)
        parts = [
            task.instruction,
            teller.wording.rules,
            f"You can: {teller.forms()}",
            f"There are: {teller.things()}",
            teller.scene(),
            self._view(),
        ]
        return "\n".join(part for part in parts if part)

    def _step(self, call: Call) -> Outcome:
        teller, state = self._teller, self._state
        readings = [teller.understand(words) for words in peelings(call["action"])]
        operator = next((one for one in readings if not isinstance(one, str)), readings[0])
        if isinstance(operator, str):
            return self.refuse(operator)
        facts = state.facts
        if operator.needs & facts != operator.needs:
            return self.refuse(teller.why_not(operator.name, facts))
        state.facts = facts = facts & ~operator.deletes | operator.adds
        goal = self._ground.goal
        won = facts & goal == goal
        return Outcome(
            f"{teller.done(operator)}{' The goal is reached.' if won else ''}\n{self._view()}",
            reward=float(won),
            terminated=won,
            success=won,
            progress=(facts & goal).bit_count() / goal.bit_count(),
        )

    def _view(self) -> str:
        return self._teller.state(self._state.facts)

    def _admissible(self) -> list[str]:
        facts, command = self._state.facts, self._teller.command
        return [
            command(operator.name) for operator in self._ground.operators if operator.needs & facts == operator.needs
        ]

    def _oracle(self) -> str:
        facts = self._state.facts
        if facts not in self._way:
            plan = _plan(self.task.spec["domain"], self.task.spec["problem"], facts)
            if plan is None:
                return min(self._admissible(), default="wait")
            self._way = self._along(plan)
        return self._teller.command(self._way[facts])

    def _along(self, plan: Sequence[Atom]) -> dict[int, Atom]:
        """The actions of a plan by the states in which it does them."""
        facts, way = self._state.facts, {}
        for name in plan:
            operator = self._ground.by_name[name]
            way[facts] = name
            facts = facts & ~operator.deletes | operator.adds
        return way

    _expert = expert_is_oracle

    def _reference(self) -> list[str]:
        """A plan, action by action."""
        plan = _plan(self.task.spec["domain"], self.task.spec["problem"], self._ground.start)
        return [self._teller.command(name) for name in plan or ()]


def _wording(spec: Spec, view: str) -> int:
    """Which wording a task is told in; -1 for PDDL."""
    return -1 if view == "pddl" or spec["domain"] not in FIELDS else int(spec.get("wording", 0))


def _domain(said: str) -> Domain:
    return FIELDS[said].domain if said in FIELDS else pddl.read_domain(said)


@lru_cache(maxsize=32)
def _teller(domain: str, problem: str, wording: int) -> Teller:
    known = _domain(domain)
    grounded = ground(known, pddl.read_problem(problem, known))
    return Teller(grounded, None if wording < 0 else FIELDS[domain].wordings[wording])


@lru_cache(maxsize=512)
def _plan(domain: str, problem: str, facts: int) -> tuple[Atom, ...] | None:
    """The actions of a short plan; None if none was found."""
    plan = search.solve(_teller(domain, problem, -1).ground, facts)
    return None if plan is None else tuple(operator.name for operator in plan)


def _instruct(spec: Spec, view: str) -> str:
    domain = _domain(spec["domain"])
    problem = pddl.read_problem(spec["problem"], domain)
    number = _wording(spec, view)
    if number < 0:
        return f"Reach the goal of this PDDL problem: {' '.join(map(pddl.show, problem.goal))}"
    wording, kinds = FIELDS[spec["domain"]].wordings[number], {**domain.constants, **problem.objects}
    clauses = []
    for atom in problem.goal:
        names = [name_of(thing, kinds[thing] in wording.bare) for thing in atom[1:]]
        clauses.append(wording.facts[atom[0]][0].format(*names))
    return FRAMES[spec.get("frame", 0)].format(listed(clauses))
