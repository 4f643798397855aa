"""The words of ALFWorld 0.3, in which trajectories were published before 0.4 renamed `put` to `move`.

Agents were published with less than it says: ReAct, ETO and AgentGym leave out the banner, empty lines and the sentence
with the number of the location. These are the words of `react`.
"""

from __future__ import annotations

from agentgym.core.grammar import Call
from agentgym.envs.text._household.game import Game, State

WORDINGS = ("0.4", "0.3", "react")
OLD_HELP = "  put (object) in/on (receptacle):  place an object in or on a receptacle"
NEW_HELP = "  move (object) to (receptacle):  place an object in or on a receptacle"


def answer_in(wording: str, game: Game, state: State, call: Call, said: str) -> str:
    """What is answered to a command that was done, in one of `WORDINGS`.

    Args:
        wording: Which.
        game: The game.
        state: The state after the command.
        call: The command.
        said: The answer of 0.4.
    """
    if wording == "0.4":
        return said
    if wording == "react" and call.name == "go":
        return said.partition(". ")[2]
    return older_answer(game, state, call, said)


def command_in(wording: str, command: str) -> str:
    """A command in one of `WORDINGS`.

    Args:
        wording: Which.
        command: The command of 0.4.
    """
    return command if wording == "0.4" else older_command(command)


def first_in(wording: str, text: str) -> str:
    """The first observation in one of `WORDINGS`.

    Args:
        wording: Which.
        text: The observation of 0.4: its banner, its rooms and its task, apart by empty lines.
    """
    return "\n".join(text.split("\n\n")[1:]) if wording == "react" else text


def older_answer(game: Game, state: State, call: Call, said: str) -> str:
    """What 0.3 answers to a command that was done: it names the location by number, and says `put`.

    Args:
        game: The game.
        state: The state after the command.
        call: The command.
        said: The answer of 0.4.
    """
    if call.name == "go":
        return f"You arrive at loc {state.at}. {said.partition('. ')[2]}"
    if call.name == "move":
        thing, receptacle = (" ".join(str(call[slot]).lower().split()) for slot in ("object", "receptacle"))
        return f"You put the {thing} in/on the {receptacle}."
    return said.replace(NEW_HELP, OLD_HELP) if call.name == "help" else said


def older_command(command: str) -> str:
    """A command of 0.4 in the words of 0.3: `put mug 1 in/on desk 1` for `move mug 1 to desk 1`."""
    if not command.startswith("move "):
        return command
    thing, _, receptacle = command.removeprefix("move ").partition(" to ")
    return f"put {thing} in/on {receptacle}"
