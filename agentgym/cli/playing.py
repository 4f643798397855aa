"""`agentgym play`: one episode on the terminal, by a person or any agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agentgym.cli import options
from agentgym.cli.agent_options import asking, with_agents
from agentgym.cli.episode_screen import EpisodeScreen
from agentgym.cli.screen import console
from agentgym.core import ConfigError, card, full_id, unknown
from agentgym.core.errors import named_function

if TYPE_CHECKING:
    from agentgym.evaluate import RecordHeader
    from agentgym.rollout import EnvPool

INTERRUPTED = 130
OPPONENT = "opponent"  # what a record calls who holds the other players, where that has no name


@with_agents
def play(
    context: typer.Context,
    env_id: options.World,
    task: Annotated[str | None, typer.Option(help="Id of the task; by default one is drawn with the seed.")] = None,
    split: Annotated[str, typer.Option(help="Where the task comes from.")] = "train",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the episode.")] = 0,
    agent: Annotated[str, typer.Option(help=f"human, {options.AGENT_HELP}")] = "human",
    player: Annotated[
        str | None, typer.Option(help="Games of several players: which one is played; drawn by default.")
    ] = None,
    opponent: Annotated[
        list[str] | None,
        typer.Option(
            help="Games of several players: who holds the others, a scripted opponent or module:function; "
            "of several given, one is drawn. The strongest by default."
        ),
    ] = None,
    env: options.WorldOptions = None,
    max_turns: options.MaxTurns = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder to which the transcript is added, for `report`, `export` and cloning to read."),
    ] = None,
) -> int:
    """Play one episode in the terminal, or one player of a game.

    A person also has :actions, :hint, :undo, :help and :quit.
    """
    from agentgym.agents import Quit, Script
    from agentgym.evaluate import check_place, open_pool, record_episode
    from agentgym.rollout import assign_roles, play_with_people
    from agentgym.rollout.evaluation import evaluation_spec

    world_options = options.world_options(env, max_turns)
    given, model = asking(context), _Model()
    if agent != "human":
        model = _Model.of(env_id, agent, given)
        world_options = {**model.env_kwargs, **world_options}
    elif refused := [*given["agent_options"], *(name for name in ("wrap", "shots") if given[name])]:
        raise ConfigError(f"the option {refused[0]!r} has no effect on a person")
    pool = open_pool(env_id, split, world_options)
    player, others = _places(pool, player, opponent, seed)
    if model.tables:
        pool.close()
        alone = len(pool.players) == 1
        around = {"wrappers": model.tables} if alone else {"formats": {player: model.tables}}
        pool = open_pool(env_id, split, world_options, **around)
    screen, script = EpisodeScreen(console(), pool, player), Script()
    if agent == "human":
        holder = screen.person(script, others)
    else:
        holder = model.role(pool, player, (env_id, split, seed, world_options))
    cast = assign_roles({player: holder, **others}, pool)
    spec = evaluation_spec(task, seed, 0)
    rivals = {each: rival if isinstance(rival, str) else OPPONENT for each, rival in others.items()}
    holders = {player: agent, **rivals}
    header = model.header(agent, (env_id, world_options, split), pool, rivals.values())
    try:
        if out is not None:
            check_place(out, header, holders)
        played = play_with_people(pool, cast, spec, script, on_step=screen.watch, on_undo=screen.rewind)
        episode = record_episode(played, pool, header, holders)
    except Quit:
        screen.leave()
        return 0
    except KeyboardInterrupt:
        screen.leave()
        return INTERRUPTED
    finally:
        pool.close()
    return screen.end(episode, out)


@dataclass(frozen=True)
class _Model:
    """An agent other than a person: how it is made and asked, and what it brings along."""

    agent: Any = None
    env_kwargs: Mapping[str, Any] = field(default_factory=dict)
    tables: Sequence[Mapping[str, Any]] = ()
    stored: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, env_id: str, name: str, given: Mapping[str, Any]) -> _Model:
        """The agent called `name`, as the options `given` to the command make it.

        Options of the environment that the agent brings along count only if `env_id` is what it was trained on.
        """
        from agentgym.agents import agent_home, agent_kind, check_options
        from agentgym.evaluate import Agent

        agent = Agent(name, given["agent_options"], tuple(given["wrap"]), given["shots"])
        check_options(name, agent.options)
        home = agent_home(name)
        brought = home.options if home.id and full_id(home.id) == card(env_id).id else {}
        return cls(agent, brought, agent.tables, agent_kind(name).stored(agent.options))

    def header(
        self, name: str, world: tuple[str, Mapping[str, Any], str], pool: EnvPool, rivals: Iterable[str]
    ) -> RecordHeader:
        """What the record says of an episode.

        Args:
            name: The agent that is played.
            world: Id of the environment, its options, and the split.
            pool: Where it was played; with one player the agent's wrappers stand around the environment.
            rivals: Names of those who hold the other places.
        """
        from agentgym.evaluate import AgentSetting, RecordHeader, resolve

        env_id, env_kwargs, split = world
        around, own = (self.tables, ()) if len(pool.players) == 1 else ((), self.tables)
        agents = {**dict.fromkeys(rivals, AgentSetting()), name: AgentSetting(self.stored, own)}
        return RecordHeader(resolve(env_id)[0], env_kwargs, split, agents, around)

    def role(self, pool: EnvPool, player: str, setting: tuple[str, str, int, Mapping[str, Any]]) -> Any:
        """The policy as it is asked.

        Args:
            pool: Where it plays, with the agent's wrappers.
            player: Whom it plays.
            setting: Id, split, seed and options of the environment, for examples that an expert plays beforehand.
        """
        from agentgym.agents import make_agent
        from agentgym.evaluate.examples import check_reader, expert_shots
        from agentgym.evaluate.limits import EpisodeLimits
        from agentgym.evaluate.planning import check_window
        from agentgym.rollout import Role

        check_window(pool, player, self.agent.options)
        policy, prompt = make_agent(self.agent.name, **self.agent.options), None
        if self.agent.shots:
            env_id, split, seed, env_kwargs = setting
            around = {"wrappers": self.tables} if len(pool.players) == 1 else {"formats": {player: self.tables}}
            shots = expert_shots(
                env_id, self.agent.shots, split=split, seed=seed, limits=EpisodeLimits(here=True),
                env_kwargs=env_kwargs, **around,
            )  # fmt: skip
            prompt = replace(check_reader(policy, self.agent.name), shots=shots)
        return Role(policy, trainable=False, prompt=prompt)


def _places(pool: EnvPool, player: str | None, opponent: list[str] | None, seed: int) -> tuple[str, dict[str, Any]]:
    """Who is played, and who holds the other places; what is not said, or said in several ways, is drawn."""
    from agentgym.agents import FunctionPolicy
    from agentgym.core.rng import stream

    if len(pool.players) == 1:
        if player or opponent:
            raise ConfigError(f"{pool.id} has one player, so --{'player' if player else 'opponent'} has no effect")
        return pool.players[0], {}
    if player is not None and player not in pool.players:
        raise unknown(f"player of {pool.id}", player, pool.players)
    rng = stream("play.places", seed)
    player = player or pool.players[int(rng.integers(len(pool.players)))]
    known = opponent or list(pool.opponents[-1:])
    if not known:
        raise ConfigError(f"{pool.id} has no scripted opponents; name a module:function with --opponent")
    rival: Any = known[int(rng.integers(len(known)))]
    if ":" in rival:
        rival = FunctionPolicy(named_function(rival, "the opponent"))
    elif rival not in pool.opponents:
        raise unknown(f"opponent of {pool.id}", rival, pool.opponents)
    return player, {other: rival for other in pool.players if other != player}
