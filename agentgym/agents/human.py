"""A person who plays: at a terminal, or wherever else actions are asked for, with moves that can be taken back."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from agentgym.agents.policy import ActionPolicy, View
from agentgym.agents.reading import in_reading_order
from agentgym.core import AgentGymError, TaskError
from agentgym.core.text import clean

COMMANDS = (
    "Type an action; :actions lists what is possible now, :3 takes the third of them, :hint asks the expert, "
    ":undo takes your last action back, :help shows the rules, :quit leaves."
)
KEYS = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|.)?"
)  # what arrow keys and their kin send where nobody reads them
NUMBER = re.compile(r":(\d{1,6})")


class Quit(Exception):
    """The person leaves the game."""


class Undo(Exception):
    """The person takes the last action back."""


@dataclass(frozen=True)
class Said:
    """An action of a person: whose it was, what that player saw, and the words."""

    player: str
    observation: str
    action: str


@dataclass
class Script:
    """What the people at a game have said, to be said again up to where one was taken back.

    Attributes:
        lines: What was said, in order.
        place: How many of them have been said since the episode began.
    """

    lines: list[Said] = field(default_factory=list)
    place: int = 0

    @property
    def replaying(self) -> bool:
        """Whether there is something to say again."""
        return self.place < len(self.lines)

    def take_back(self) -> None:
        """Forget the last action, and begin anew with those before it."""
        del self.lines[-1:]
        self.place = 0

    def add(self, said: Said) -> None:
        """Take an action down."""
        self.lines.append(said)
        self.place += 1

    def again(self, view: View) -> str:
        """The next action that was said before.

        Args:
            view: What the player is given.

        Raises:
            TaskError: if it is given something else than it was then.
        """
        said = self.lines[self.place]
        if (said.player, said.observation) != (view.player, view.observation):
            raise TaskError(
                f"{view.env_id} answered otherwise when action {self.place + 1} was played again; the world is not "
                "reproducible, run `agentgym check` on it"
            )
        self.place += 1
        return said.action


class Person(ActionPolicy):
    """Somebody who is asked for each action.

    Args:
        script: What the people at the game say; several people share one.
    """

    def __init__(self, script: Script | None = None):
        self.script = Script() if script is None else script

    def act(self, view: View, rng: np.random.Generator) -> str:
        """What the person does, or did before something was taken back.

        Args:
            view: What the player is given.
            rng: Not used.

        Raises:
            Quit: when the person leaves.
            Undo: when the last action is to be taken back; see `agentgym.rollout.people`.
        """
        if self.script.replaying:
            return self.script.again(view)
        action = clean(self.choose(view))
        self.script.add(Said(view.player, view.observation, action))
        return action

    @abstractmethod
    def choose(self, view: View) -> str:
        """The next action of the person."""


class HumanPolicy(Person):
    """Asks a person at a terminal.

    A line that begins with `:` is for this program and not for the world. An empty line, and keys that move a cursor,
    are no action and cost no turn.

    Args:
        ask: Gives the next line without its end; raises `EOFError` when there is none.
        say: Shows a text to the person.
        script: See `Person`.
        undo: Whether actions can be taken back.
    """

    def __init__(
        self,
        ask: Callable[[View], str],
        say: Callable[[str], None],
        script: Script | None = None,
        *,
        undo: bool = False,
    ):
        super().__init__(script)
        self._ask, self._say, self._undo = ask, say, undo

    def choose(self, view: View) -> str:
        """The next line that is an action.

        Raises:
            Quit: when the person leaves or the input ends.
            Undo: when an action is to be taken back.
        """
        while True:
            try:
                line = KEYS.sub("", self._ask(view))
            except EOFError:
                raise Quit from None
            if not line.strip():
                continue
            if not line.lstrip().startswith(":"):
                return line
            if action := self._command(line.strip().lower(), view):
                return action

    def _command(self, command: str, view: View) -> str:
        """Do what the person asks of the program; the action that was chosen by its number, otherwise ""."""
        if command in (":quit", ":q", ":exit"):
            raise Quit
        if command in (":undo", ":u"):
            self._take_back()
        elif command in (":help", ":h"):
            self._say(f"{view.manual}\n\n{COMMANDS}")
        elif command == ":hint":
            self._say(hint(view))
        elif command in (":actions", ":a"):
            listed = [f":{number} {action}" for number, action in enumerate(_possible(view), 1)]
            self._say("\n".join(listed) or "This world lists no actions here; :help shows the grammar.")
        elif number := NUMBER.fullmatch(command):
            return self._numbered(int(number[1]), view)
        else:
            self._say(f"There is no {command}. {COMMANDS}")
        return ""

    def _take_back(self) -> None:
        if not self._undo:
            self._say("Nothing can be taken back here: the game cannot be returned to an earlier state.")
        elif not self.script.lines:
            self._say("There is nothing to take back yet.")
        else:
            raise Undo

    def _numbered(self, number: int, view: View) -> str:
        actions = _possible(view)
        if 1 <= number <= len(actions):
            return actions[number - 1]
        self._say(f"There is no action {number}; :actions lists what is possible now.")
        return ""


def _possible(view: View) -> list[str]:
    """What can be done now, in the order of its numbers; empty if that cannot be listed."""
    return in_reading_order(view.observation, view.ask("admissible_actions"))


def hint(view: View) -> str:
    """What the world's expert would do, or why it cannot say."""
    try:
        return f"The expert would say: {view.ask('expert_action')}"
    except AgentGymError as error:
        return f"There is no hint: {error}"
