"""A household in words: ALFWorld's rooms, commands and goals, in a native engine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from agentgym.core.errors import TaskError
from agentgym.core.generated import EnvConfig, one_of, whole
from agentgym.core.grammar import Call
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import json_key
from agentgym.core.tasks import Spec, Task
from agentgym.envs._kit.thoughts import ThinkingGrammar
from agentgym.envs.text import HOUSEHOLD
from agentgym.envs.text._household.dialect import WORDINGS, answer_in, command_in, first_in
from agentgym.envs.text._household.engine import Refused, act, admissible, first_look, progress, won
from agentgym.envs.text._household.explorer import listed_order, next_action, usual_order
from agentgym.envs.text._household.floor_plan import floor_plan
from agentgym.envs.text._household.game import SCHEMA, Game, State, compile_game
from agentgym.envs.text._household.generate import HomeOptions, generate, split_of
from agentgym.envs.text._household.grammar import COMMANDS, HOME_RULES
from agentgym.envs.text._household.pddl import load_game
from agentgym.envs.text._household.planner import plan

__all__ = ["HouseholdEnv", "load_game"]

NOTHING_HAPPENS = "Nothing happens."
TURNS = 50  # for each goal, at most, and always in the words of published trajectories
OVERHEAD = 4  # turns for each goal beside twice those that are needed
SHORTCUTS = {"usual order": usual_order, "listed order": listed_order}
UNIONS = {"val": ("val_seen", "val_unseen"), "test": ("test_seen", "test_unseen")}


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `HouseholdEnv`."""

    rooms: int = whole(2, 1, 4)
    objects: int | None = whole(None, 1, 9)
    quest: int = whole(1, 1, 3)
    distractors: int | None = whole(None, 0, 200)
    reward: str = one_of("sparse", ("sparse", "dense"), shapes_tasks=False)
    wording: str = one_of("0.4", WORDINGS)


class HouseholdEnv(LanguageEnv):
    """Find things in a household, clean, heat or cool them, and put them where they belong.

    Description: rooms that are played as one, with receptacles, some behind doors and in drawers, and objects in or on
    them. The agent has one hand. Each task is one of ALFWorld's six types: put an object somewhere, the same after
    cleaning, heating or cooling it, put two of a kind there, or look at one under a lamp. Goals are told in many
    wordings, as people told those of ALFRED, and most of them say where the thing is. For what is not told there is
    what one sees: families keep things of a group together, those of `train` where people usually do, those of `val`
    and `test` where it is least usual.

    Observation: the sentences of the original engine. At the beginning the receptacles and the task; then the feedback
    of each command. What is not possible is answered by `Nothing happens.`, as in the original, and on a second line
    by the reason.

    Actions: `go to cabinet 1`, `open cabinet 1`, `close cabinet 1`, `take mug 1 from desk 1`, `move mug 1 to desk 1`
    (also `put mug 1 in/on desk 1`, the words before ALFWorld 0.4), `clean mug 1 with sinkbasin 1`, `heat ... with
    microwave 1`, `cool ... with fridge 1`, `slice apple 1 with knife 1`, `use desklamp 1`, `examine mug 1` (what is in
    the hand) or `examine cabinet 1` (where one stands), `inventory`, `look`, `help`. A line
    `think: ...` is answered `OK.`: it changes nothing in the world and takes no turn of the limit, as often as
    the limit has turns.

    Reward: `sparse` pays 1 for success, otherwise 0. `dense` pays the change in `info["progress"]`, the share of
    milestones (in the hand, in the right state, in place), so that nothing is gained by going back and forth. The
    episode ends with success, or after twice the turns of the shortest plan and 4 for each goal, at most 50 for each;
    with the wordings of published trajectories always after 50 a goal. Whoever gives `max_turns` has just these, and
    thoughts count.

    Splits: rooms come from 160 layouts, 40 of each kind. `train` is played in 30 of each kind, without end; `val_seen`
    and `test_seen` (140 tasks each) in the same rooms, `val_unseen` and `test_unseen` (134 each) in 5 others each.
    `val` and `test` are the unions. Of 100 families 60 live in `train`, 20 each in `val` and in `test`.

    Shortcuts: who looks in the order in which `train` keeps things, and does not read where the thing is, wins 78 % of
    250 tasks of `train` and 51 % of `test`, where the expert wins 95 %. The card bounds it at 60 %.

    Oracle: the shortest plan over the true state, for one goal exactly. Expert: looks where the task says, then where
    people keep things and where this family was seen to keep things like it, and plans in the same way over what it
    has seen.

    Differences from the original, besides the second line of refusals, the wording of goals, two rooms and the limit: a
    game that is won at its beginning, or cannot
    be won, is refused; case and spaces in commands do not matter.

    Args:
        rooms: Rooms of different kinds played as one, 1 to 4; the original has 1.
        objects: Objects of each kind that a goal asks for, 1 to 9 (at least 2 where a goal asks for two); None is as
            many as it needs, now and then one more.
        quest: Goals that must hold together, 1 to 3, of different objects.
        distractors: Things of kinds that no goal asks for, 0 to 200; None draws 10 to 25 for each room.
        reward: `sparse` or `dense`.
        wording: `0.4` for the words of the present engine; `0.3` for those of trajectories published before it:
            `You put the mug 1 in/on the desk 1.`, `You arrive at loc 3.`, and `put` among the admissible actions;
            `react` for the same as ReAct, ETO and AgentGym show it: without banner, empty lines and `You arrive at
            loc 3.` In both, goals are told in the few words of the original's templates.

    Source: ALFWorld (Shridhar et al. 2021, arXiv:2010.03768) 0.4.2, over ALFRED (arXiv:1912.01734).
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "ansi", "html"], "render_fps": 4}  # type: ignore[misc]
    card = HOUSEHOLD
    config = Config()
    unions = UNIONS
    grammar = ThinkingGrammar(
        COMMANDS, HOME_RULES, costs="it changes nothing, and as often as you have turns it takes none"
    )
    task_schema: ClassVar[Spec] = SCHEMA
    _state: State

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """A household with its things and goals.

        Args:
            config: Rooms, things, length of the quest, distractors, and the wording of goals.
            seed: Decides all that these leave open.
        """
        plain = config.wording != "0.4"
        return generate(seed, HomeOptions(config.rooms, config.objects, config.quest, config.distractors, plain))

    @staticmethod
    def fits(config: Config, split: str, spec: Spec) -> bool:
        """Whether the rooms and the family of `spec` belong to `split`, whatever the `config`."""
        return split_of(spec) == split

    @staticmethod
    def content_key(spec: Spec) -> str:
        """Rooms, things and goals; not the phrasing."""
        goals = [{key: goal[key] for key in ("type", "object", "target")} for goal in spec["goals"]]
        return json_key([spec["receptacles"], spec["objects"], goals])

    def check_task(self, spec: Spec) -> None:
        """The names must agree, and the goals must be neither met at the beginning nor out of reach."""
        game = compile_game(spec)
        state = game.start.copy()
        if won(game, state):
            raise TaskError("the goals of the task are met at its beginning; move an object away")
        for command in plan(game, state):
            call = self.grammar.parse(command)
            assert isinstance(call, Call)
            act(game, state, call)
        if not won(game, state):
            raise TaskError("no way to the goals of the task was found; is each object somewhere it can be taken?")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return f"Your task is to: {spec['sentence']}."

    def _kind(self, spec: Spec) -> str:
        """The goals' types in ALFRED's names."""
        return " + ".join(sorted(goal["type"] for goal in spec["goals"]))

    def _turn_limit(self, task: Task) -> int:
        """Room for a thought beside every other turn; `_limit` is what those others have."""
        return 2 * self._limit(task)

    def _limit(self, task: Task) -> int:
        """How many turns a task has that are no thoughts."""
        most = TURNS * len(task.spec["goals"])
        if self.config.wording != "0.4":
            return most
        return min(most, OVERHEAD * len(task.spec["goals"]) + 2 * _needed(_Same(task.spec)))

    def _reset(self, task: Task) -> str:
        self._game = _game(_Same(task.spec))
        self._state = self._game.start.copy()
        scene = first_look(self._game, self._state)
        text = f"-= Welcome to TextWorld, ALFRED! =-\n\n{scene}\n\nYour task is to: {task.spec['sentence']}."
        return first_in(self.config.wording, text)

    def _step(self, call: Call) -> Outcome:
        game, state = self._game, self._state
        if call.name == "think":
            state.thoughts += 1
        left = 1 if self._turn_limit_given else self._limit(self.task) - self._turn + state.thoughts
        if left < 0:  # a refused action took the last turn
            return Outcome("Your turns are used up.", spent=True)
        before = progress(game, state) if self.config.reward == "dense" else 0.0
        said = act(game, state, call)
        if isinstance(said, Refused):
            return self.refuse(said.reason)
        if self.config.wording != "0.4":
            said = answer_in(self.config.wording, game, state, call, said)
        share, solved = progress(game, state), won(game, state)
        reward = float(solved) if self.config.reward == "sparse" else share - before
        return Outcome(said, reward=reward, terminated=solved, success=solved, progress=share, spent=left < 1)

    def _refusal(self, reason: str) -> str:
        """The original's sentence, and why."""
        return f"{NOTHING_HAPPENS}\n{reason}"

    def _admissible(self) -> list[str]:
        return [self._worded(command) for command in admissible(self._game, self._state)]

    def _oracle(self) -> str:
        commands = plan(self._game, self._state)
        return self._worded(commands[0]) if commands else "look"

    def _expert(self) -> str:
        return self._worded(next_action(self._game, self._state))

    def _shortcut(self, name: str) -> str:
        return self._worded(SHORTCUTS[name](self._game, self._state))

    def _worded(self, command: str) -> str:
        """A command in the words of `wording`."""
        return command_in(self.config.wording, command)

    def render(self) -> str | None:
        """`ansi`: the last exchange; `html`: a page with every receptacle and what is in it, on test if it was seen."""
        if self.render_mode == "html" and self._task is not None:
            tested = self._task.split.startswith("test")
            return floor_plan(self._game, self._state, self._task.instruction, tested)
        return super().render()

    def _reference(self) -> list[str]:
        """A plan from the beginning."""
        return [self._worded(command) for command in plan(self._game, self._game.start)]

    def _key_state(self) -> Any:
        state = self._state.copy()
        state.seen = state.thoughts = 0  # thoughts are a part of the turn count
        return state


class _Same:
    """A specification as a key: equal to itself only, which is quick to tell; a panel hands out one object again."""

    __slots__ = ("spec",)

    def __init__(self, spec: Spec):
        self.spec = spec

    def __hash__(self) -> int:
        return id(self.spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.spec is other.spec


@lru_cache(maxsize=128)
def _game(key: _Same) -> Game:
    return compile_game(key.spec)


@lru_cache(maxsize=128)
def _needed(key: _Same) -> int:
    """Turns that the shortest plan takes, for one who knows where everything is."""
    game = _game(key)
    return len(plan(game, game.start))
