"""`Macros`: runs of actions that came again and again, each as one action."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, TypedDict, cast

import gymnasium as gym

from agentgym.core import Call, Command, ConfigError, Grammar, Invalid, fork
from agentgym.core.checks import check_action
from agentgym.core.files import read_object
from agentgym.core.grammar import ActionGrammar
from agentgym.core.kinds import check_kind
from agentgym.core.text import clean
from agentgym.wrappers.actions._format import ROOM
from agentgym.wrappers.actions.portable import TEXTS, count_open, located, portable, shown, tried
from agentgym.wrappers.base import WORDS, Answer, Info, TextWrapper
from agentgym.wrappers.refusal import Refusal

MOST = 32  # macros of an agent
LONGEST = 16  # steps of a macro


class MacroFile(TypedDict):
    """A file of macros, as `agentgym macros` writes it: the world they are of, and the steps of each."""

    world: str
    macros: Sequence[Sequence[str]]


class Macros(TextWrapper):
    """Gives the agent shortcuts: `macro 1` plays a run of actions that earlier episodes held again and again.

    A step names elements of a page by role and name and leaves texts open (`fill <searchbox "Search"> <text>`), which
    the agent gives in double quotes: `macro 1 "Ann Lee"`. Each step costs the world a turn. A macro ends at the first
    step whose element is not in view or that the world refuses; the text says what was not played, and the agent goes
    on with single actions. `agentgym macros RUN --out FILE` finds macros in the episodes of a run.

    Changes: actions (one for each macro), first observation, `manual`; after a macro the observation lists its actions
    as played before what the last one showed, the reward is their sum, and in `info` costs are added up, events
    collected, and the rest is that of the last action; `info` gains `action` (str: what was played, one action a line)
    and `macro` (int: the number of the macro, 0 for none). The oracle plays a macro where its next actions are one,
    which it finds out on a copy of the world; the expert, who cannot know what comes, plays none.

    Args:
        env: A world whose actions are words.
        macros: The steps of each macro.
        file: A file of macros in place of `macros`.

    Source: Jiang et al., AppAgentX, 2025 (arXiv:2503.02268), where a model finds the runs in a memory of triples and
    finds elements again by their picture; here runs are counted, and elements found by role and name.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import Macros
    >>> env = Macros(gym.make("AgentGym/TextCraft-v1"), macros=[["get 2 oak log", "inventory"]])
    >>> text, info = env.reset(seed=0)
    >>> text, *_, info = env.step("macro 1")
    >>> print(text.splitlines()[:2], info["macro"])
    ['> get 2 oak log', '> inventory'] 1
    """

    serves_games: ClassVar[bool] = False
    names_files: ClassVar[frozenset[str]] = frozenset({"file"})
    saved_attributes: ClassVar[tuple[str, ...]] = ("_seen",)
    unkeyed_attributes: ClassVar[frozenset[str]] = frozenset({"_seen"})  # the world's state says what it shows
    _reads: ClassVar[int] = WORDS

    def __init__(
        self, env: gym.Env[Any, Any], *, macros: Sequence[Sequence[str]] | None = None, file: str | None = None
    ):
        if (macros is None) == (file is None):
            raise ConfigError("Macros needs either macros or a file of them, and not both")
        found = _checked(macros if file is None else _read(file))
        super().__init__(env, extra_length=ROOM + _length(found), macros=macros, file=file)
        inner = self.inner
        if self.world.tools:
            raise ConfigError(f"the actions of {self.world.card.id} call tools, and Macros plays words; leave it out")
        if isinstance(inner, TextWrapper) and inner.numbered:
            raise ConfigError("the numbers of ChoiceByNumber change with every action; put Macros further inside")
        if any("macro 1" in example for example in self.inner_examples):
            raise ConfigError(f"{self.world.card.id} has macros inside already; put them into one Macros")
        for number, steps in enumerate(found, 1):
            for step in steps:
                read = inner.parse(tried(step))
                if isinstance(read, Invalid):
                    raise ConfigError(f"the step {step!r} of macro {number} is no action here: {read.reason}")
        self.macros = found
        self._own: ActionGrammar = Grammar([_command(number, steps) for number, steps in enumerate(found, 1)])
        self._seen = ""

    @property
    def plays_several(self) -> bool:
        """True."""
        return True

    @property
    def commands(self) -> str:
        """The actions inside, and the macros."""
        return f"{super().commands}, {self._own.line.removeprefix('Actions: ')}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said inside, and what each macro plays."""
        listed = (f"{_form(number, steps)} plays: {_told(steps)}" for number, steps in enumerate(self.macros, 1))
        return (*self.inner_notes, *listed)

    @property
    def manual(self) -> str:
        """The manual inside, and the macros."""
        return f"{self.inner.manual}\n\nMacros play several actions in one turn. {self._own.manual}"

    def parse(self, action: str) -> Call | Invalid:
        """Read an action without playing it."""
        own = self._macro(action)
        return self.inner.parse(action) if own is None else own

    def oracle_action(self) -> str:
        """The longest macro that the oracle's next actions begin with, or else its next action."""
        action: str = self.inner.oracle_action()
        begun = portable(action, self._seen)
        if begun is None or self.world.card.snapshot == "none" or all(begun[0] != steps[0] for steps in self.macros):
            return action
        ahead, texts = self._ahead()
        fits = [number for number, steps in enumerate(self.macros) if list(steps) == ahead[: len(steps)]]
        if not fits:
            return action
        best = max(fits, key=lambda number: (len(self.macros[number]), -number))
        given = [text for each in texts[: len(self.macros[best])] for text in each]
        return " ".join((f"macro {best + 1}", *given))

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first observation, which says what the macros play.

        Args:
            observation: What is seen inside; the first step of a macro is located in it.
            info: Gains `action` and `macro`, of nothing yet.
            note: Not needed.
        """
        self._seen = observation
        info.setdefault("action", "")
        info["macro"] = 0
        return self._introduce(observation, info)

    def read(self, reply: str) -> tuple[Any, Any]:
        """The steps of a macro, the note its number; any other action as it is, the note the action."""
        check_action(reply)
        call = None if isinstance(reply, Refusal) else self._macro(reply)
        if isinstance(call, Invalid):
            return Refusal(call.reason, reply), None
        if call is None:
            return reply, None if isinstance(reply, Refusal) else reply
        number = int(call.name.removeprefix("macro_"))
        return [_Step(step, given) for step, given in _shares(self.macros[number - 1], _texts(call))], number

    def show(self, observation: str, info: Info, note: Any) -> str:
        """The observation as it is; `info` says what was played.

        Args:
            observation: What is seen inside after the last step.
            info: Gains `action` and `macro`.
            note: The number of the macro, or the action that was none; None if the reply was refused.
        """
        info.setdefault("action", note if isinstance(note, str) else "")
        info["macro"] = note if isinstance(note, int) else 0
        return observation

    def _step_each(self, actions: Sequence[str]) -> Answer:
        """Play the steps of a macro; of the pages that they show only the last one is kept."""
        _, reward, terminated, truncated, info = super()._step_each(actions)
        played = info["action"].split("\n")
        lines = [f"> {clean(action)}" for action in played]
        if len(played) < len(actions):
            lines.append(f"Not played: {clean(_told(actions[len(played) :]))}")
        return self._fit("\n".join([*lines, self._seen])), reward, terminated, truncated, info

    def _step_inner(self, action: Any) -> Answer:
        said = self._located(action) if isinstance(action, _Step) else action
        answer = super()._step_inner(said)
        if isinstance(action, _Step) and not isinstance(said, Refusal):
            answer[4].setdefault("action", said)
        self._seen = cast(str, answer[0])
        return answer

    def _located(self, step: _Step) -> str:
        """A step as an action on the page in view, or a refusal."""
        action = located(step, self._seen, step.texts)
        if action is not None:
            return action
        return Refusal(f"the macro ends here, for there is no such element in view: {shown(step)}.", step)

    def _macro(self, action: str) -> Call | Invalid | None:
        """The macro that an action is, or what is wrong with it; None if it is for the world."""
        if len(action) > self.world.action_length or "macro" not in action.lower():
            return None
        read = self._own.parse(action)
        if isinstance(read, Invalid):
            meant = action.lower().lstrip().startswith("macro ")
            return read if meant and isinstance(self.inner.parse(action), Invalid) else None
        number = int(read.name.removeprefix("macro_"))
        wanted, given = count_open(self.macros[number - 1]), len(_texts(read))
        if wanted == given:
            return read
        form = _form(number, self.macros[number - 1])
        return Invalid(f"macro {number} takes {wanted} texts in double quotes, got {given}: {form}.")

    def _ahead(self) -> tuple[list[str], list[tuple[str, ...]]]:
        """The oracle's next actions in portable words, with their texts, as it plays them on a copy."""
        twin, seen = fork(self.env, reseed=0), self._seen
        player = twin if isinstance(twin, TextWrapper) else twin.unwrapped
        steps, texts = [], []
        try:
            for _ in range(max(map(len, self.macros))):
                action = player.oracle_action()
                words = portable(action, seen)
                if words is None:
                    break
                steps.append(words[0])
                texts.append(words[1])
                seen, _, terminated, truncated, _ = twin.step(action)
                if terminated or truncated:
                    break
        finally:
            twin.unwrapped.close()
        return steps, texts


class _Step(str):
    """A step of a macro in portable words, on its way down the chain, with the texts for its open places."""

    texts: Sequence[str]

    def __new__(cls, step: str, texts: Sequence[str]) -> _Step:
        self = super().__new__(cls, step)
        self.texts = texts
        return self


def _read(file: str) -> Sequence[Sequence[str]]:
    """The macros of a file."""
    found = read_object(Path(file))
    check_kind(found, MacroFile, f"file of macros {file}")
    return cast(MacroFile, found)["macros"]


def _checked(macros: Any) -> tuple[tuple[str, ...], ...]:
    if isinstance(macros, str) or not isinstance(macros, Sequence) or not 1 <= len(macros) <= MOST:
        raise ConfigError(f"macros are a list of 1 to {MOST} lists of steps, got {macros!r}")
    for steps in macros:
        if isinstance(steps, str) or not isinstance(steps, Sequence) or not 2 <= len(steps) <= LONGEST:
            raise ConfigError(f"a macro is a list of 2 to {LONGEST} steps, got {steps!r}")
        if not all(isinstance(step, str) and len(step.splitlines()) == 1 for step in steps):
            raise ConfigError(f"a step of a macro is an action in words, on one line; got {list(steps)!r}")
    return tuple(tuple(steps) for steps in macros)


def _form(number: int, steps: Sequence[str]) -> str:
    return " ".join([f"macro {number}", *['"<text>"'] * count_open(steps)])


def _told(steps: Sequence[str]) -> str:
    return "; ".join(shown(step) for step in steps)


def _length(macros: Sequence[Sequence[str]]) -> int:
    return sum(2 * len(_told(steps)) + 200 for steps in macros)


def _command(number: int, steps: Sequence[str]) -> Command:
    texts = " ".join(['"text"'] * count_open(steps))
    help_ = f"play {_told(steps)}."
    if not texts:
        return Command(f"macro {number}", help_, (f"macro {number}",), name=f"macro_{number}")
    form = f"macro {number} <texts>"
    return Command(form, help_, (f"macro {number} {texts}",), name=f"macro_{number}", free="line")


def _texts(call: Call) -> list[str]:
    """The texts that a call gives, in their quotes."""
    return TEXTS.findall(str(call.slots.get("texts", "")))


def _shares(steps: Sequence[str], texts: Sequence[str]) -> list[tuple[str, Sequence[str]]]:
    """Each step with those of the texts that are for its open places."""
    shares, begin = [], 0
    for step in steps:
        end = begin + count_open([step])
        shares.append((step, texts[begin:end]))
        begin = end
    return shares
