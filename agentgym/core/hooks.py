"""What a world implements besides `_reset` and `_step`, and what an interface supplies: all around the rules."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding

from agentgym.core.catalog import EnvCard
from agentgym.core.errors import AgentGymError, TaskError, unknown
from agentgym.core.generated import TaskSource
from agentgym.core.grammar import ActionGrammar, Call, Invalid
from agentgym.core.schema import check_schema
from agentgym.core.screen import refresh
from agentgym.core.snapshot import Snapshot
from agentgym.core.tasks import GeneratedTasks, Spec, Task, TaskSet

FACTS = {  # class attributes that a world may set
    "card", "grammar", "task_schema", "reset_options", "admissible_complete", "metadata", "observation_length",
    "action_length", "config", "task_stream", "unions", "has_tries", "player_names", "fixed_names", "talk",
    "default_rule", "OPPONENTS",
}  # fmt: skip
HOOKS = FACTS | {  # and methods that it may override; everything else of the core is the core's
    "seeded", "tasks", "content_key", "check_task", "parse", "player_grammar", "player_manual", "render", "close",
    "generate", "generate_from_seed", "instruction", "instruction_for", "fits", "fits_seed", "make_tasks",
    "_player_names", "_configured", "_check_options", "_forked",
    "_reset", "_step", "_step_all", "_to_move", "_objection", "_turn_limit", "_kind", "_reference", "_key_state",
    "_resample_hidden", "_view", "_public", "_brief", "_picture", "_admissible", "_sample", "_default", "_oracle",
    "_expert", "_shortcut", "_known", "_role", "_team", "_limits",
    "_metrics", "_refusal", "_refusal_reward", "_idle_reward",
}  # fmt: skip


def _unlisted(world: Any, *player: str) -> None:
    """What `_admissible` says by default."""


def _listed_at_random(world: Any, *asked: Any) -> str:
    """What `_sample` says by default, asked of a player, in a world for one of nobody, with a generator."""
    *player, rng = asked
    actions = world._admissible(*player)
    if not actions:
        raise AgentGymError(f"{world.card.id} lists no actions; it must implement _sample")
    return str(sorted(actions)[int(rng.integers(len(actions)))])


def _without(what: str) -> Callable[..., str]:
    """A hook that a world leaves out."""

    def refuse(world: Any, *asked: Any) -> str:
        raise AgentGymError(f"{world.card.id} has no {what}")

    return refuse


class WorldHooks(TaskSource):
    """The optional hooks of every world, with what they do where a world leaves them out, and what follows from them.

    Attributes:
        card, grammar: The facts of the world, and the commands with worked examples.
        task_schema: JSON Schema of a task specification.
        reset_options: Reset options beside `task`.
        admissible_complete: Whether `admissible_actions` names all valid actions.
        observation_length, action_length: Most characters of an observation, and of an action that is read.
        has_tries: Whether the turns of a task are its tries, of which a higher turn limit gives no more.
    """

    card: ClassVar[EnvCard]
    grammar: ActionGrammar
    task_schema: ClassVar[Spec] = {"type": "object"}
    reset_options: ClassVar[frozenset[str]] = frozenset()
    admissible_complete: ClassVar[bool] = True
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["human", "ansi"], "render_fps": 4}
    has_tries: ClassVar[bool] = False
    observation_length: ClassVar[int] = 16_384
    action_length: ClassVar[int] = 2_048
    possible_agents: list[str]
    split: str
    render_mode: str | None
    max_turns: int
    _turn: int
    options: Mapping[str, Any]
    _state: Any = None
    _task: Task | None = None
    _seeded: GeneratedTasks | None = None
    # Hooks whose signature depends on the adapter: in a game they take the player first.
    _reset: Callable[[Task], Any]
    _view: Callable[..., str]
    _picture: Callable[[], Any]
    _admissible: Callable[..., list[str] | None] = _unlisted  # actions valid now, in any order; None: not to be listed
    _sample: Callable[..., str] = _listed_at_random  # a plausible action, drawn from the generator that comes last
    _oracle: Callable[..., str] = _without("oracle")  # the next action of a player that sees what is hidden
    _expert: Callable[..., str] = _without("expert")  # that of a good player that knows only what it has seen
    _shortcut: Callable[..., str] = _without("shortcuts")  # that of a player that does not do the task, by name
    _to_move: Callable[[], str]

    _require_turn: Callable[[str, str], None]
    _constructor_arguments: Mapping[str, Any]

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        made = super().__new__(cls)
        made._constructor_arguments = kwargs  # a world that replays is made once more for a fork
        return made

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        check_schema(cls.task_schema, where=f"task_schema of {cls.__name__}")
        card = getattr(cls, "card", None)
        if card is not None and "metadata" not in vars(cls):
            modes = [mode for mode in cls.metadata["render_modes"] if mode != "rgb_array"]
            cls.metadata = {**cls.metadata, "render_modes": [*modes, *(["rgb_array"] if card.images else [])]}

    @property
    def seeded(self) -> GeneratedTasks | None:
        """The task generator, for generated worlds; the others implement `tasks`. Shared by all equal environments."""
        return self._seeded

    def _configured(self) -> None:
        """Make what depends on `self.config` and the players' names alone; called once, when all of these are set."""

    def tasks(self, split: str) -> TaskSet:
        """The tasks of a split."""
        if self.seeded is None:
            raise NotImplementedError(f"{type(self).__name__} must implement generate or tasks(split)")
        return self.seeded.panel(split)

    def instruction(self, spec: Spec) -> str:
        """The task in words; static in a generated world."""
        raise TaskError(f"{self.card.id} takes no task specifications; give a task id or an index")

    def check_task(self, spec: Spec) -> None:
        """Refuse a specification that fits `task_schema` but cannot be played, by raising `TaskError`."""

    def _check_options(self, options: Mapping[str, Any]) -> None:
        """Refuse values of `reset_options` by raising `ConfigError`; the episode under way goes on."""

    def _forked(self, reseed: int | None) -> None:
        """Asked of a fork: take apart what it shares with its origin and what changes, beside `self._state`."""

    def _turn_limit(self, task: Task) -> int:
        """The turn limit of a task."""
        return self.card.max_turns

    def _allowed_turns(self, task: Task, given: int | None) -> int:
        """The turn limit of an episode, where one may have been given in place of the world's own."""
        if given is not None and not self.has_tries:
            return given
        own = self._turn_limit(task)
        return own if given is None else min(given, own)

    def _kind(self, spec: Spec) -> str:
        """What `task_kind` says of a specification; empty if the tasks are all of one kind."""
        return ""

    def _reference(self) -> Any:
        """The gold answer or goal state."""
        raise AgentGymError(f"{self.card.id} has no reference answer")

    def player_grammar(self, player: str) -> ActionGrammar:
        """The grammar of a player; by default all have the same."""
        return self.grammar

    def player_manual(self, player: str) -> str:
        """Rules, actions, worked examples and limits, as one player is told them."""
        return f"{self.player_grammar(player).manual}\n{self._told_limits()}"

    def _limits(self) -> str:
        """Limits on what can be said, beside the length of an action, in sentences for the manual."""
        return ""

    def _told_limits(self) -> str:
        return f"An action has at most {self.action_length} characters. {self._limits()}".rstrip()

    def _default(self, player: str) -> str:
        """What is played for a player after `tries` refused actions in a row."""
        actions = self._actions_of(player)
        if not actions:
            raise AgentGymError(f"{self.card.id} lists no actions; it must implement _default")
        return actions[0]

    def _objection(self, player: str, call: Call) -> str:
        """In simultaneous games: why a well-formed action is not possible now; empty if it is."""
        return ""

    def _key_state(self) -> Any:
        """All of the state that the dynamics read, as plain data; leave out what only the expert or a log reads."""
        return self._state

    @property
    def manual(self) -> str:
        """Rules, actions and worked examples, as the first player is told them."""
        return self.player_manual(self.possible_agents[0])

    @property
    def tools(self) -> list[dict[str, Any]]:
        """JSON-Schema tool list; empty where actions are words."""
        return self.player_grammar(self.possible_agents[0]).tools

    @property
    def task(self) -> Task:
        """The task being played."""
        if self._task is None:
            raise ResetNeeded(f"{self.card.id}: call reset() first")
        return self._task

    @property
    def task_kind(self) -> str:
        """The kind of the present task, by which success is counted apart; empty if the tasks are all of one kind."""
        return self._kind(self.task.spec)

    def _reword(self, instruction: str) -> None:
        """Take an instruction that is known only when the task is there, such as the one on a page."""
        self._task = replace(self.task, instruction=instruction)

    def reference(self) -> Any:
        """The gold answer or goal state, for training methods that need one.

        Raises:
            TaskError: on a test task.
        """
        if self.task.split.startswith("test"):
            raise TaskError(f"{self.card.id}: the reference of a test task is not given out; use train or val")
        return self._reference()

    def render(self) -> Any:
        """The last exchange, in a game what everybody can see.

        Returns:
            Text in mode `ansi`, a picture (uint8, RGB) in mode `rgb_array` after a reset; None in mode `human`, where
            the text, also of a world with pictures, is shown on the terminal in place of the last, and without a mode.
        """
        if self.render_mode == "rgb_array":
            return None if self._task is None else self._picture()
        if self.render_mode not in ("ansi", "human"):
            return None
        head = f"[{self.card.id}, before the first reset]"
        if self._task is not None:
            head = f"[{self.card.id}, task {self._task.id}, turn {self._turn} of {self.max_turns}]"
        text = head if self._task is None else self._rendered(head)
        return text if self.render_mode == "ansi" else refresh(text)

    def _rendered(self, head: str) -> str:
        """The text of `render`, below a line that says which task and turn it is."""
        raise NotImplementedError

    def _actions_of(self, player: str) -> list[str] | None:
        """Sorted actions of a player that is to act."""
        self._require_turn(player, "admissible_actions")
        actions = self._admissible(*self._player_arguments(player))
        return None if actions is None else sorted(actions)

    def _advise(self, who: str, player: str, *arguments: Any) -> str:
        """The next action of a player that is to act, as the hook of an `oracle`, `expert`, `sample` or so gives it."""
        self._require_turn(player, f"{who}_action")
        return getattr(self, f"_{who}")(*self._player_arguments(player), *arguments)

    def made_with(self, *player: str) -> dict[str, Any]:
        """The keyword arguments that it was made with; a game is asked by one of its players."""
        return dict(self._constructor_arguments)

    def _known_shortcut(self, name: str) -> str:
        if name not in self.card.shortcuts:
            raise unknown("shortcut", name, self.card.shortcuts)
        return name

    def _no_action(self, player: str) -> Invalid:
        return Invalid(f"no action was given. {self.player_grammar(player).line}")

    def _player_arguments(self, player: str) -> tuple[str, ...]:
        """What a hook is given to know whom it is asked about: the player; nothing in a world for one."""
        return (player,)


class InterfaceHooks:
    """What an interface (Gymnasium, AEC, parallel) supplies to the core: translations, no rules."""

    _np_random: np.random.Generator | None = None
    _np_random_seed: int | None = None

    @property
    def np_random(self) -> np.random.Generator:
        """The world's generator; seeded from the system until `reset` is given a seed."""
        if self._np_random is None:
            self._np_random, self._np_random_seed = seeding.np_random()
        return self._np_random

    @np_random.setter
    def np_random(self, value: np.random.Generator) -> None:
        self._np_random, self._np_random_seed = value, -1

    def _apply(self, calls: Mapping[str, Call]) -> Any:
        """Hand well-formed calls to the world's hook; its outcome."""
        raise NotImplementedError

    def _tell_refusal(self, name: str, reason: str, tries: int, default: str | None) -> None:
        """Tell a player that its action was refused."""

    def _tell_failure(self, text: str) -> Any:
        """What a failure looks like to the players."""
        raise NotImplementedError

    def _make_spaces(self) -> None:
        """Make observation and action spaces anew."""
        raise NotImplementedError

    def _interface_state(self) -> Mapping[str, Any]:
        """What an interface knows beside the episode, as plain data."""
        return {}

    def _restore_interface(self, saved: Snapshot) -> None:
        """Take back what `_interface_state` gave, and show the state."""

    def _last_exchange(self) -> tuple[str, str]:
        """The last action and observation, for rendering alone."""
        return "", ""


def implements(world: Any, hook: str) -> bool:
    """Whether a world has a hook of its own, where the base class only has what stands in for it.

    Args:
        world: A bare world.
        hook: Its name, such as `_oracle`.
    """
    own = [kind for kind in type(world).__mro__ if not kind.__module__.startswith("agentgym.core.")]
    return any(hook in vars(kind) for kind in own)


def clashes(world: type) -> list[str]:
    """Names of the core that a world class defines or assigns though they are no hooks: one name, two meanings.

    Args:
        world: A class derived from one of the core's.

    Returns:
        `Class.name` of each, sorted; empty for a world that keeps the contract.
    """
    core = [each for each in world.__mro__ if each.__module__.startswith("agentgym.core.")]
    owned = {name for each in core for name in (*vars(each), *vars(each).get("__annotations__", {}), *_assigned(each))}
    owned = {name for name in owned if not name.startswith("__")} - HOOKS - {"_state"}
    return sorted(
        f"{each.__name__}.{name}"
        for each in world.__mro__
        if each not in core and any(issubclass(each, base) for base in core if base is not object)
        for name in {*vars(each), *_assigned(each)} & owned
    )


@cache
def _assigned(each: type) -> frozenset[str]:
    """Attributes that the methods of a class assign to `self`."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(each)))
    except (OSError, TypeError):  # no source: built by a program
        return frozenset()
    return frozenset(
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if isinstance(node.value, ast.Name) and node.value.id == "self"
    )
