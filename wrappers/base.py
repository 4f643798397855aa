"""What all text wrappers share: two functions with state, a chain of prompts and parsers, refusals that cost a turn.

A text wrapper is two functions: `read` turns a reply into an action or a refusal, `show` changes an observation and its
`info`. `TextWrapper.step` calls them around the step of what is inside; `agentgym.wrappers.players` calls the same two
for a player of a game. `prepare` and `begin` do at a reset what `read` and `show` do at a step.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from agentgym.core import Call, ConfigError, Invalid, LanguageEnv, UnicodeText, fingerprint
from agentgym.core.checks import check_switch
from agentgym.core.grammar import ActionGrammar
from agentgym.core.prose import ANY_TEXT, FirstWords
from agentgym.core.text import clean
from agentgym.wrappers._game_player import GamePlayer
from agentgym.wrappers.refusal import Refusal

Info = dict[str, Any]
Answer = tuple[Any, float, bool, bool, Info]
WORDS, REPLY, FREE = 1, 2, 3  # what a wrapper reads: single actions, whole replies, what stands around replies


class TextWrapper(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Base of the wrappers here. It hands everything on; a subclass overrides what it changes.

    A wrapper that reads or shows overrides `read` and `show`, and `begin` for the first observation; it does not step
    the world, and so serves a player of a game as well. A wrapper that overrides `step` sets `serves_games` to False.

    Any wrapper of a chain can be asked for `line`, `manual`, `examples`, `grammars`, `tools`, `parse`, `ended`,
    `awaits_action`, `admissible_actions`, `sample_action`, `oracle_action`, `expert_action` and `state_key`: it answers
    for the environment as it is from there on inwards, in the words that its own `read` understands.

    Attributes:
        keeps_history: Whether observations repeat earlier turns. A trainer that keeps the history itself refuses these.
        serves_games: Whether the wrapper can stand around a player of a game.
        names_files: The arguments that name a file, a folder or an address; a run file may not give them without trust.
        saved_attributes: Names of the attributes that change during an episode. Their values are plain data.
        unkeyed_attributes: Those of them that the future does not depend on.
        numbered: Whether actions are numbers of a list that changes.
        calls_functions: Whether replies call functions instead of saying words.

    Args:
        env: A world, or a player of a game, with or without wrappers.
        extra_length: Characters that this wrapper may add to an observation.
        arguments: The arguments of the subclass, which its spec records.

    Raises:
        ConfigError: if an argument that is a switch by its default is neither True nor False, there is no AgentGym
            world inside, its observations are no text any more, or the wrapper steps the world itself and is put around
            a player of a game.
    """

    keeps_history: ClassVar[bool] = False
    serves_games: ClassVar[bool] = True
    names_files: ClassVar[frozenset[str]] = frozenset()
    saved_attributes: ClassVar[tuple[str, ...]] = ()
    unkeyed_attributes: ClassVar[frozenset[str]] = frozenset()
    numbered: ClassVar[bool] = False
    calls_functions: ClassVar[bool] = False
    _needs_text: ClassVar[bool] = True
    _names_actions: ClassVar[bool] = False  # whether observations tell which actions there are
    _overrides_read: ClassVar[bool] = False
    _switches: ClassVar[frozenset[str]] = frozenset()  # arguments that are True or False, by their defaults
    _own: ActionGrammar | None = None  # of the commands that the wrapper adds to those inside
    _reads: ClassVar[int] = 0  # WORDS, REPLY or FREE; 0 for wrappers that leave actions alone

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._overrides_read = cls.read is not TextWrapper.read
        given = inspect.signature(cls).parameters.values()
        cls._switches = frozenset(each.name for each in given if isinstance(each.default, bool))

    def __init__(self, env: gym.Env[Any, Any], *, extra_length: int = 0, **arguments: Any):
        for switch in arguments.keys() & self._switches:
            check_switch(switch, arguments[switch])
        RecordConstructorArgs.__init__(self, **arguments)
        gym.Wrapper.__init__(self, env)
        self._found: tuple[Any, Any] = (None, None)
        name = type(self).__name__
        if not isinstance(env.unwrapped, (LanguageEnv, GamePlayer)):
            raise ConfigError(
                f"{name} wraps worlds derived from agentgym.LanguageEnv, got {type(env.unwrapped).__name__}"
            )
        if not self.serves_games:
            self._refuse_games("changes how a world is stepped or what it pays")
        if self._needs_text and not isinstance(env.observation_space, UnicodeText):
            raise ConfigError(
                f"{name} reads text, but the observations here are {env.observation_space}; put {name} further inside"
            )
        _check_order(self)
        if extra_length:
            self.observation_space = UnicodeText(env.observation_space.max_length + extra_length)  # type: ignore[attr-defined]

    def _refuse_games(self, what: str) -> None:
        """Refuse to stand around a player of a game, which only the game can step.

        Raises:
            ConfigError: if it does; `what` says what the wrapper does that a player of a game cannot have.
        """
        if isinstance(self.env.unwrapped, GamePlayer):
            raise ConfigError(
                f"{type(self).__name__} {what}, so it serves worlds of one player; "
                f"{self.world.card.id} is a game of several"
            )

    # The two functions, and their like for the first observation.

    def read(self, reply: Any) -> tuple[Any, Any]:
        """Read a reply of the agent, or what the wrapper around this one read out of it.

        Args:
            reply: A reply, or a `Refusal` by a wrapper further outside, which is handed on.

        Returns:
            The action for what is inside, a list of several, or a `Refusal`; and a note for `show`: plain data other
            than None, or None if there is nothing to say.
        """
        return reply, None

    def show(self, observation: Any, info: Info, note: Any) -> Any:
        """Make what the agent sees out of what is seen inside.

        Args:
            observation: What is seen inside after the action.
            info: Its `info`, which may be changed in place.
            note: What `read` noted; None as well if nothing was read because the episode was over.

        Returns:
            The observation.
        """
        return observation

    def prepare(self, seed: int | None, options: Mapping[str, Any] | None) -> tuple[Mapping[str, Any] | None, Any]:
        """Read the arguments of a reset.

        Args:
            seed: The seed, or None.
            options: The reset options.

        Returns:
            The options for what is inside, and a note for `begin`, plain data.
        """
        return options, None

    def begin(self, observation: Any, info: Info, note: Any) -> Any:
        """Set the state to the start of an episode, and make what the agent sees first.

        Args:
            observation: The first observation inside.
            info: Its `info`, which may be changed in place.
            note: What `prepare` noted.

        Returns:
            The first observation.
        """
        return observation

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, Info]:
        """Begin an episode; see the class for what is changed.

        Args:
            seed: Seed of the world's generator; None goes on with the one it has.
            options: Reset options; `options["task"]` is an id, an index or a specification. A wrapper may read some.

        Returns:
            The first observation, and `info`.
        """
        options, note = self.prepare(seed, options)
        observation, info = self.env.reset(seed=seed, options=options)  # type: ignore[arg-type]
        return self.begin(observation, info, note), info

    def step(self, action: Any) -> Answer:
        """Play a reply; see the class for what is changed."""
        said, note = (action, None) if not self._overrides_read or self.inner.ended else self.read(action)
        answer = self._step_each(said) if type(said) is list else self._step_inner(said)
        observation, reward, terminated, truncated, info = answer
        return self.show(observation, info, note), reward, terminated, truncated, info

    # The chain.

    @property
    def world(self) -> LanguageEnv:
        """The world inside all wrappers, or the player of a game, which answers for the game."""
        return cast(LanguageEnv, self.env.unwrapped)

    @property
    def inner(self) -> TextWrapper | LanguageEnv:
        """The next text wrapper inside, or the world, or the player of a game."""
        if self._found[0] is not self.env:  # at first, and after a fork has put another environment inside
            env: Any = self.env
            while not isinstance(env, (TextWrapper, LanguageEnv, GamePlayer)):
                env = env.env
            self._found = (self.env, env)
        return self._found[1]

    @property
    def commands(self) -> str:
        """The actions in one line."""
        inner = self.inner
        return inner.commands if isinstance(inner, TextWrapper) else inner.grammar.line

    @property
    def inner_notes(self) -> tuple[str, ...]:
        """The notes of what is inside."""
        inner = self.inner
        return inner.notes if isinstance(inner, TextWrapper) else ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What wrappers have to say besides, a line each, the innermost first."""
        return self.inner_notes

    @property
    def line(self) -> str:
        """How to act, in a line or a few, for the first observation."""
        return "\n".join((self.commands, *self.notes))

    @property
    def inner_line(self) -> str:
        """How to act in what is inside."""
        inner = self.inner
        return inner.line if isinstance(inner, TextWrapper) else inner.grammar.line

    @property
    def manual(self) -> str:
        """Rules, actions and worked examples, every one of which `parse` reads."""
        return self.inner.manual

    @property
    def inner_grammars(self) -> tuple[ActionGrammar, ...]:
        """The grammars whose commands are understood inside: the world's, and those of wrappers that add commands."""
        inner = self.inner
        return inner.grammars if isinstance(inner, TextWrapper) else (inner.grammar,)

    @property
    def grammars(self) -> tuple[ActionGrammar, ...]:
        """The grammars whose commands are understood from here on inwards."""
        return self.inner_grammars if self._own is None else (*self.inner_grammars, self._own)

    @property
    def first_words(self) -> FirstWords | None:
        """The words with which commands begin, and which of them end in free text; see `agentgym.core.prose`."""
        return _first_words(self.grammars)

    @property
    def inner_first_words(self) -> FirstWords | None:
        """`first_words` of what is inside."""
        return _first_words(self.inner_grammars)

    @property
    def inner_examples(self) -> tuple[str, ...]:
        """Every worked example of what is inside."""
        inner = self.inner
        return inner.examples if isinstance(inner, TextWrapper) else inner.grammar.examples

    @property
    def examples(self) -> tuple[str, ...]:
        """Every worked example."""
        return self.inner_examples if self._own is None else (*self.inner_examples, *self._own.examples)

    @property
    def tools(self) -> list[dict[str, Any]]:
        """JSON-Schema tool list; empty where actions are words."""
        return self.inner.tools

    @property
    def reads_replies(self) -> str:
        """What part of an answer is for the wrappers here to read.

        Empty if they read single actions at most; `answer` if they read whole replies, in which what a model thought
        before it answered is of no use; `whole` if they ask for the thought in the tags in which models think.
        """
        inner = self.inner
        read = inner.reads_replies if isinstance(inner, TextWrapper) else ""
        return read or ("answer" if self._reads >= REPLY else "")

    @property
    def plays_several(self) -> bool:
        """Whether this wrapper may play several actions for one reply, whose answers it makes one."""
        return False

    @property
    def repeats_history(self) -> str:
        """Which wrapper here makes observations repeat earlier turns; "" if none does."""
        inner = self.inner
        name = inner.repeats_history if isinstance(inner, TextWrapper) else ""
        return type(self).__name__ if self.keeps_history else name

    def parse(self, action: str) -> Call | Invalid:
        """Read a reply without playing it."""
        return self.inner.parse(action)

    @property
    def ended(self) -> bool:
        """Whether the episode is over."""
        return self.inner.ended

    @property
    def awaits_action(self) -> bool:
        """Whether the agent is to act; a player of a game waits for others."""
        base: Any = self.env.unwrapped
        return not self.ended and (not isinstance(base, GamePlayer) or base.awaits_action)

    def encode(self, action: str) -> str:
        """An action of what is inside as the agent says it here."""
        return action

    def admissible_actions(self) -> list[str] | None:
        """Replies that are valid now; None if they cannot be listed."""
        return self.inner.admissible_actions()

    def sample_action(self, rng: np.random.Generator) -> str:
        """A plausible reply at random."""
        return self.encode(self.inner.sample_action(rng))

    def oracle_action(self) -> str:
        """The next reply of a player that may read hidden state."""
        return self.encode(self.inner.oracle_action())

    def expert_action(self) -> str:
        """The next reply of a good player that knows only what the agent has seen."""
        return self.encode(self.inner.expert_action())

    def call(self, action: str) -> str:
        """A bare action as it stands in a reply: a call where `calls_functions`, otherwise as it is."""
        return action

    # State.

    def state_key(self) -> str:
        """Names all that the future depends on except generator and turn, the wrappers' state included."""
        key = self.inner.state_key()
        names = [name for name in self.saved_attributes if name not in self.unkeyed_attributes]
        return fingerprint([key, type(self).__name__, {name: getattr(self, name) for name in names}]) if names else key

    def get_state(self) -> Mapping[str, Any]:
        """What `agentgym.snapshot` saves of this wrapper."""
        return {name: getattr(self, name) for name in self.saved_attributes}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Take back what `get_state` gave."""
        for name in self.saved_attributes:
            setattr(self, name, state[name])

    # Steps.

    def _step_inner(self, action: Any) -> Answer:
        """Step what is inside. At the innermost text wrapper a refusal reaches the world and takes its reason back."""
        if not isinstance(action, Refusal) or isinstance(self.inner, TextWrapper) or self.inner.ended:
            return self.env.step(action)  # type: ignore[return-value]
        text, reward, terminated, truncated, info = self.env.step("")
        more = 0.0 if info["action_valid"] else action.surcharge(self.world)
        return self._fit(action.explain(text, info)), float(reward) + more, terminated, truncated, info

    def _step_each(self, actions: Sequence[str]) -> Answer:
        """Play several actions in order, each for a turn, until one is refused or the episode is over.

        Texts are joined, each under its action; rewards, costs and reward terms are added up, events collected;
        `info["action"]` holds the actions played, one a line; everything else in `info` is that of the last.
        """
        texts, infos, total = [], [], 0.0
        for number, action in enumerate(actions, 1):
            text, reward, terminated, truncated, info = self._step_inner(action)
            texts.append(f"> {clean(action)}\n{text}")
            infos.append(info)
            total += float(reward)
            if terminated or truncated or not info["action_valid"]:
                if number < len(actions):
                    texts.append("Not played: " + clean("; ".join(actions[number:])))
                break
        played = "\n".join(one.get("action", said) for one, said in zip(infos, actions, strict=False))
        info = add_up(infos)
        info["action"] = played
        return self._fit("\n".join(texts)), total, terminated, truncated, info

    def _fit(self, text: str) -> str:
        space = self.observation_space
        return text if len(text) <= space.max_length else space.fit(text)  # type: ignore[attr-defined]

    def _introduce(self, text: str, info: Info) -> str:
        """The first observation with this wrapper's `line` in place of the one inside."""
        if info["failure"]:
            return text
        old, new = self.inner_line, self.line
        if old == new:
            return text
        head, found, tail = text.rpartition(old)
        return self._fit(f"{head}{new}{tail}" if found else f"{text}\n{new}")


def _check_order(wrapper: TextWrapper) -> None:
    """Refuse a chain in which what is read outside no longer is what stands inside."""
    name, reads = type(wrapper).__name__, type(wrapper)._reads
    layer: Any = wrapper.inner
    while reads and isinstance(layer, TextWrapper):
        other, inner = type(layer).__name__, type(layer)._reads
        if inner > reads:
            raise ConfigError(f"{name} must stand inside {other}, which reads more of a reply than {name} understands")
        if inner == reads == REPLY:
            raise ConfigError(f"{other} inside already reads the replies; use {other} or {name}, not both")
        layer = layer.inner


def _first_words(grammars: Sequence[ActionGrammar]) -> FirstWords | None:
    """Those of several grammars together; `ANY_TEXT` if one of them finds its actions itself."""
    found = [words for grammar in grammars if (words := grammar.first_words) is not None]
    return dict(pair for words in found for pair in words.items()) if len(found) == len(grammars) else ANY_TEXT


def add_up(infos: Sequence[Info]) -> Info:
    """The `info` of several actions: events collected, costs and reward terms added, the rest that of the last."""
    info = infos[-1]
    info["events"] = [event for one in infos for event in one["events"]]
    for kind in ("costs", "reward_terms"):
        if kind in info:
            info[kind] = {key: sum(one[kind][key] for one in infos) for key in info[kind]}
    return info


def in_words(env: TextWrapper) -> TextWrapper | LanguageEnv:
    """The outermost layer inside `env` whose actions are bare: below what reads whole replies."""
    words: TextWrapper | LanguageEnv = env.inner
    layer = words
    while isinstance(layer, TextWrapper):
        words = layer.inner if layer._reads >= REPLY else words
        layer = layer.inner
    return words


def has_numbers(env: TextWrapper) -> bool:
    """Whether the agent of `env` chooses actions by their numbers in a list, which is known one turn at a time."""
    layer: Any = env.inner
    while isinstance(layer, TextWrapper):
        if layer.numbered:
            return True
        layer = layer.inner
    return False


def as_shown(env: TextWrapper, actions: Sequence[str]) -> list[str]:
    """Bare actions as the agent says them: as calls where a format inside calls functions.

    Args:
        env: The layer whose agent it is.
        actions: As they are said to the layer that `in_words` finds: numbers where they are chosen by number.
    """
    layer: Any = env.inner
    while isinstance(layer, TextWrapper):
        if layer.calls_functions:
            return [layer.call(action) for action in actions]
        layer = layer.inner
    return list(actions)
