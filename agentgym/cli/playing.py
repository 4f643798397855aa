"""`agentgym play`: one episode on the terminal, by a person or any agent."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.panel import Panel

from agentgym.agents.human import COMMANDS
from agentgym.cli import options
from agentgym.cli.screen import console, plain
from agentgym.core import ConfigError

if TYPE_CHECKING:
    import gymnasium as gym

    from agentgym.agents import Agent
    from agentgym.core import LanguageEnv
    from agentgym.evaluate import Transcript, Turn

FAILED, INTERRUPTED = 1, 130
WIDEST = 100  # columns of an observation


def play(
    context: typer.Context,
    env_id: options.World,
    task: Annotated[str | None, typer.Option(help="Id of the task; by default one is drawn with the seed.")] = None,
    split: Annotated[str, typer.Option(help="Where the task comes from.")] = "train",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the episode.")] = 0,
    agent: Annotated[str, typer.Option(help=f"human, {options.AGENT_HELP}")] = "human",
    seat: Annotated[
        str | None, typer.Option(help="Games of many seats: which one is played; drawn by default.")
    ] = None,
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            help="Games of many seats: who holds the others, a scripted opponent or module:function; "
            "of several given, one is drawn. The strongest by default."
        ),
    ] = None,
    env: options.WorldOptions = None,
    max_turns: options.MaxTurns = None,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    api_key_env: options.ApiKeyEnv = None,
    temperature: options.Temperature = None,
    max_tokens: options.MaxTokens = None,
    window: options.Window = None,
    timeout: options.Timeout = None,
    retries: options.Retries = None,
    price_in: options.PriceIn = None,
    price_out: options.PriceOut = None,
    device: options.Device = None,
) -> int:
    """Play one episode in the terminal, or one seat of a game of many. A person also has :actions, :help and :quit."""
    from agentgym.agents import HumanAgent, Quit, make_agent, world
    from agentgym.evaluate import Setting, open_world, play_episode, resolve

    world_options = options.world_options(env, max_turns)
    agent_options = options.agent_options(context)
    many = resolve(env_id)[1].api != "gymnasium"
    if many:
        made = _sit_down(env_id, split, seat, opponent, world_options)
    elif seat or opponent:
        raise ConfigError(f"{env_id} has one seat, so --{'seat' if seat else 'opponent'} has no effect")
    else:
        made = open_world(env_id, split, world_options)
    stage = _Stage(console(), world(made))
    player: Agent
    if agent == "human":
        if agent_options:
            raise ConfigError(f"the option {next(iter(agent_options))!r} has no effect on a person")
        player = HumanAgent(stage.ask, stage.say)
    else:
        player = make_agent(agent, **agent_options)
    setting = Setting(resolve(env_id)[0], world_options, split, agent, agent_options)
    try:
        episode = play_episode(made, player, setting, task_id=task, seed=seed, watch=stage.watch)
    except Quit:
        stage.leave()
        return 0
    except KeyboardInterrupt:
        stage.leave()
        return INTERRUPTED
    finally:
        made.close()
    return stage.end(episode)


def _sit_down(
    env_id: str, split: str, seat: str | None, opponent: list[str] | None, options: dict[str, Any]
) -> gym.Env[Any, Any]:
    """One seat of a game, the others held by scripted opponents."""
    from agentgym.evaluate import resolve
    from agentgym.wrappers.selfplay import SelfPlay

    card = resolve(env_id)[1]
    try:
        return SelfPlay(card.id, opponent=opponent or card.opponents[-1:], player=seat, split=split, **options)
    except TypeError as error:
        raise ConfigError(f"{card.id} cannot be made with {options}: {error}") from None


class _Stage:
    """Shows an episode as it is played, and asks a person for actions."""

    def __init__(self, screen: Console, base: LanguageEnv):
        self._screen = screen
        self._base = base
        self._asked = False

    def watch(self, turn: Turn | None, observation: str) -> None:
        """Show what an action did; before the first, what the world looks like."""
        base = self._base
        paid = ""
        if turn is not None:
            paid = f", reward {turn.reward:g}" if turn.reward else ""
            if not self._asked:
                if turn.said is not None and turn.said.strip() != turn.action:
                    self._screen.print(plain(turn.said.strip(), "dim"))
                self._screen.print(plain(f"> {turn.action}", "bold"))
        title = f"{base.card.name}, task {base.task.id}, turn {base.turn} of {base.max_turns}{paid}"
        colour = "blue" if turn is None or turn.valid else "yellow"
        width = min(self._screen.width, WIDEST)
        self._screen.print(
            Panel(plain(observation), title=plain(title), title_align="left", border_style=colour, width=width)
        )

    def say(self, text: str) -> None:
        """Show a person the answer to a question about the program."""
        self._screen.print(plain(text, "cyan"))

    def ask(self) -> str:
        """The next line from the person; shown again where the terminal does not."""
        if not self._asked:
            self.say(COMMANDS)
        self._asked = True
        if sys.stdin.isatty():
            import readline  # noqa: F401 (gives `input` the arrow keys)

            return input("> ")
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        self._screen.print(plain(f"> {line.rstrip()}", "bold"))
        return line.rstrip("\r\n")

    def leave(self) -> None:
        """Say that the episode was left."""
        self._screen.print(plain(f"\nLeft after {_turns(self._base.turn)}.", "yellow"))

    def end(self, episode: Transcript) -> int:
        """Say how the episode ended; return the exit code."""
        if episode.failure_kind:
            self._screen.print(plain(f"The {episode.failure_kind} failed: {episode.failure}", "bold red"))
            return FAILED
        end = "The turns are over" if episode.stop == "truncated" else "No success"
        line = f"{'Success' if episode.success else end}; score {episode.score:g} in {_turns(len(episode.turns))}."
        if episode.prompt_tokens:
            line += f" {episode.prompt_tokens:,} tokens read, {episode.completion_tokens:,} written."
        self._screen.print(plain(line, "bold green" if episode.success else "bold yellow"))
        return 0


def _turns(count: int) -> str:
    return "1 turn" if count == 1 else f"{count} turns"
