"""What a terminal shows of an episode under way, and how a person is asked there."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from agentgym.agents.human import COMMANDS
from agentgym.agents.reading import in_reading_order, is_page, page_items
from agentgym.cli.screen import plain

if TYPE_CHECKING:
    from agentgym.agents import HumanPolicy, Script, View
    from agentgym.evaluate import EpisodeRecord
    from agentgym.rollout import EnvPool, RunningEpisode

FAILED = 1
WIDEST = 100  # columns of an observation
LINK = "bold cyan"


class EpisodeScreen:
    """Shows an episode as it is played, and asks a person for actions.

    Args:
        screen: Where it is shown.
        pool: Where it is played.
        player: Whose eyes it is seen with.
    """

    def __init__(self, screen: Console, pool: EnvPool, player: str):
        self._screen, self._pool, self._player = screen, pool, player
        self._asked = False
        self._shown = -1  # turns of the player that have been shown; -1 before its first observation

    def person(self, script: Script, others: Mapping[str, Any]) -> HumanPolicy:
        """The person at this terminal.

        Args:
            script: Takes down what the person says.
            others: Who holds the other places of a game.
        """
        from agentgym.agents import HumanPolicy
        from agentgym.rollout import assign_roles, can_take_back

        around = assign_roles({self._player: HumanPolicy(self.ask, self.say), **others}, self._pool)
        return HumanPolicy(self.ask, self.say, script, undo=can_take_back(self._pool, around))

    def watch(self, running: RunningEpisode) -> None:
        """Show what an action did, when it is the player's turn again; before the first, what the world looks like."""
        acting = running.sides[self._player].acting
        turns, began = acting.episode.turns, self._shown < 0
        if self._player not in running.to_act and not running.over:
            return
        if not began and len(turns) <= self._shown:
            return
        self._shown = len(turns)
        result = running.results[self._player]
        turn = turns[-1] if turns and not began else None
        paid = ""
        if turn is not None:
            paid = f", reward {turn.reward:g}" if turn.reward else ""
            if not self._asked:
                if acting.policy.reads != "view" and turn.said.strip() != turn.action:
                    self._screen.print(plain(turn.said.strip(), "dim"))
                self._screen.print(plain(f"> {turn.action}", "bold"))
        limit = f" of {self._pool.driver().world.max_turns}" if self._pool.limit is not None else ""
        title = f"{self._pool.id.rpartition('/')[2]}, task {acting.episode.task_id}, turn {len(turns)}{limit}{paid}"
        color = "blue" if turn is None or turn.valid else "yellow"
        width = min(self._screen.width, WIDEST)
        seen = self._page(result.observation) if is_page(result.observation) else plain(result.observation)
        self._screen.print(Panel(seen, title=plain(title), title_align="left", border_style=color, width=width))

    def _page(self, observation: str) -> Table:
        """A page as lines, each that can be clicked with the number by which it is."""
        actions = in_reading_order(observation, self._pool.ask(0, self._player, "admissible_actions"))
        numbers = {action: number for number, action in enumerate(actions, 1)}
        shown = Table.grid(padding=(0, 1))
        for item in page_items(observation, actions):
            number = f":{numbers[item.action]}" if item.action else ""
            shown.add_row(plain(number.rjust(4), "dim"), plain(item.text, LINK if item.action else ""))
        return shown

    def rewind(self) -> None:
        """An action was taken back: what the world looks like is shown again."""
        self.say("Taken back.")
        self._shown = -1

    def say(self, text: str) -> None:
        """Show a person the answer to a question about the program."""
        self._screen.print(plain(text, "cyan"))

    def ask(self, view: View) -> str:
        """The next line from the person; shown again where the terminal does not.

        Args:
            view: What the player is given.
        """
        if not self._asked:
            self.say(COMMANDS)
        self._asked = True
        if sys.stdin.isatty():
            _complete(view)
            return input("> ")
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        self._screen.print(plain(f"> {line.rstrip()}", "bold"))
        return line.rstrip("\r\n")

    def leave(self) -> None:
        """Say that the episode was left."""
        self._screen.print(plain(f"\nLeft after {_turns(max(0, self._shown))}.", "yellow"))

    def end(self, episode: EpisodeRecord, out: Path | None = None) -> int:
        """Say how the episode ended for the player, and keep its record.

        Args:
            episode: The record.
            out: The folder to which it is added; None for none.

        Returns:
            The exit code.
        """
        if episode.failure_kind:
            outage = episode.failure_kind == "outage"
            what = "Nobody answered for the agent" if outage else f"The {episode.failure_kind} failed"
            self._screen.print(plain(f"{what}: {episode.failure}", "bold red"))
            return FAILED
        ends = {"truncated": "The turns are over", "context": "The context is full", "refused": "Words were refused"}
        end = ends.get(episode.stop, "No success")
        own, turns = episode.players[self._player], len(episode.turns_of(self._player))
        line = f"{'Success' if own.success else end}; score {own.score:g} in {_turns(turns)}."
        if own.prompt_tokens:
            line += f" {own.prompt_tokens:,} tokens read, {own.completion_tokens:,} written."
        self._screen.print(plain(line, "bold green" if own.success else "bold yellow"))
        if out is not None:
            from agentgym.evaluate import keep

            keep(out, episode)
            self._screen.print(plain(f"Added to {out}."))
        return 0


def _complete(view: View) -> None:
    """Let the arrow keys walk through what was typed before, and Tab complete what can be done now."""
    import readline

    fitting: list[str] = []

    def completed(typed: str, place: int) -> str | None:
        """Readline's question: the completion of what was `typed` that stands at a `place`; None after the last."""
        if place == 0:
            fitting[:] = [action for action in view.ask("admissible_actions") or () if action.startswith(typed)]
        return fitting[place] if place < len(fitting) else None

    readline.set_completer_delims("")
    readline.set_completer(completed)
    readline.parse_and_bind("tab: complete")


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"
