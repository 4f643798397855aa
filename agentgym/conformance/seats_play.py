"""Games of many seats played by agents of the checks, and written down."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np

from agentgym.conformance import play as single
from agentgym.conformance.play import AGENTS, CLUMSY, HOSTILE, RUNNABLE, Play, Transcript, plain, spoiled
from agentgym.core import Game, Snapshot, catalog, full_id

LEVEL = "level:"  # an agent that is a scripted opponent, such as `level:simple`
Choose = Callable[[str, int], Any]


@dataclass(frozen=True)
class Answer:
    """One answer of a game: who said what, and what every seat still in got; `actions` is empty at a reset."""

    actions: Mapping[str, Any]
    observations: Mapping[str, Any]
    rewards: Mapping[str, Any]
    terminations: Mapping[str, Any]
    truncations: Mapping[str, Any]
    infos: Mapping[str, Any]


def make_any(env_id: str, kwargs: Mapping[str, Any]) -> Any:
    """The environment of an id, with many seats or with one; the id may have a module prefix."""
    module, _, name = env_id.rpartition(":")
    if module:
        importlib.import_module(module)  # a process that was spawned has registered nothing yet
    name = full_id(name)
    card = catalog().get(name)
    if card is None or card.api == "gymnasium":
        return gym.make(env_id, **kwargs)
    import pettingzoo

    return pettingzoo.make(card.api, name, **kwargs)


def in_turns(world: Game) -> bool:
    """Whether seats act one after the other."""
    return world.card.api == "aec"


def begin(world: Any, play: Play) -> Answer:
    """Reset a game as a play says."""
    world.reset(seed=play.seed, options=None if play.task is None else {"task": play.task})
    observations = {seat: world.observe(seat) for seat in world.agents}
    flags = dict(world.terminations), dict(world.truncations)
    return Answer({}, observations, dict(world.rewards), *flags, dict(world.infos))


def advance(world: Any, choose: Callable[[str], Any]) -> Answer:
    """One step: the selected seat's action, None if it has to leave; in a simultaneous game an action of each seat."""
    if not in_turns(world):
        actions = {seat: choose(seat) for seat in world.agents}
        return Answer(actions, *world.step(actions))
    seat = world.agent_selection
    dead = world.terminations[seat] or world.truncations[seat]
    action = None if dead else choose(seat)
    world.step(action)
    observations = {seat: world.observe(seat) for seat in world.agents}
    flags = dict(world.terminations), dict(world.truncations)
    return Answer({seat: action}, observations, dict(world.rewards), *flags, dict(world.infos))


def utter(world: Any, actions: Mapping[str, Any]) -> Answer:
    """One step in which seats say what is given for them; the others say nothing."""
    return advance(world, lambda seat: actions.get(seat, ""))


def stroll(world: Any, rng: np.random.Generator) -> Answer:
    """One step of random actions."""
    return advance(world, lambda seat: world.sample_action(seat, rng))


def player(agent: str, world: Any, rng: np.random.Generator) -> Choose:
    """An agent as a function from seat and turn to an action; see `agentgym.conformance.play.player`."""
    said: list[str] = []
    if agent.startswith(LEVEL):
        level = agent.removeprefix(LEVEL)
        return lambda seat, turn: world.opponent_action(seat, level, rng)

    def admissible(seat: str, turn: int) -> str:
        actions = world.admissible_actions(seat)
        return actions[int(rng.integers(len(actions)))] if actions else world.sample_action(seat, rng)

    def again(seat: str, turn: int, period: int) -> str:
        if len(said) < period:
            said.append(world.sample_action(seat, rng))
        return said[turn % period % len(said)]

    if agent == "hostile":
        texts = [*HOSTILE, *RUNNABLE, *spoiled(world)]
        return lambda seat, turn: world.sample_action(seat, rng) if turn % 2 else texts[int(rng.integers(len(texts)))]
    examples = world.grammar.examples
    agents: dict[str, Choose] = {
        "random": lambda seat, turn: world.sample_action(seat, rng),
        "admissible": admissible,
        "nothing": lambda seat, turn: "",
        "oracle": lambda seat, turn: world.oracle_action(seat),
        "expert": lambda seat, turn: world.expert_action(seat),
        "repeat": lambda seat, turn: again(seat, turn, 1),
        "oscillate": lambda seat, turn: again(seat, turn, 2),
        "clumsy": lambda seat, turn: CLUMSY[turn // 2 % len(CLUMSY)] if turn % 2 else world.sample_action(seat, rng),
        "spam": lambda seat, turn: examples[turn % len(examples)],
    }
    return agents[agent]


def generator(play: Play, agent: str, place: int) -> np.random.Generator:
    """The generator of the agent at a place of the table."""
    kind = len(AGENTS) if agent.startswith(LEVEL) else AGENTS.index(agent)
    return np.random.default_rng([play.seed, kind, place])


def game(world: Any, play: Play, held: Mapping[str, str] | None = None) -> Iterator[Answer]:
    """The answers of one game, the reset first.

    Args:
        world: The game.
        play: Who plays, on which task and seed, and for how many steps.
        held: Agents of single seats in place of the play's.
    """
    yield begin(world, play)
    choosers = {}
    for place, seat in enumerate(world.possible_agents):
        agent = (held or {}).get(seat, play.agent)
        choosers[seat] = player(agent, world, generator(play, agent, place))
    turns = dict.fromkeys(world.possible_agents, 0)

    def choose(seat: str) -> Any:
        turns[seat] += 1
        return choosers[seat](seat, turns[seat] - 1)

    steps = 0
    while world.agents and (play.limit is None or steps < play.limit):
        yield advance(world, choose)
        steps += 1


def line(answer: Answer) -> str:
    """An answer as one line of JSON with sorted keys and escaped Unicode."""
    return json.dumps({name: plain(value) for name, value in vars(answer).items()}, sort_keys=True)


def transcribe(world: Any, play: Play, held: Mapping[str, str] | None = None) -> Transcript:
    """Play a game and write it down; each action of the transcript is what the seats said in one step."""
    transcript = Transcript()
    for number, answer in enumerate(game(world, play, held)):
        transcript.lines.append(line(answer))
        if number:
            transcript.actions.append(dict(answer.actions))
    return transcript


def transcribe_any(env: Any, play: Play) -> Transcript:
    """Play an episode, with many seats or one, and write it down."""
    return transcribe(env, play) if isinstance(env, Game) else single.transcribe(env, play)


def follow(world: Any, actions: list[dict[str, Any]]) -> list[str]:
    """Play given actions from where a game stands, up to its end; one line each."""
    lines = []
    for said in actions:
        if not world.agents:
            break
        lines.append(line(utter(world, said)))
    return lines


def resumed(world: Any, saved: Snapshot, actions: list[dict[str, Any]]) -> dict[str, Any]:
    """Restore a snapshot into a game that was begun otherwise, and play on."""
    begin(world, Play("random", 1))
    world.restore(saved)
    return {"digest": world.snapshot().digest(), "lines": follow(world, actions)}


def inject(world: Any, texts: list[str]) -> None:
    """Say texts that would betray themselves if they were run."""
    world.reset(seed=0)
    for text in texts:
        if world.ended or not world.agents:
            world.reset(seed=0)
        utter(world, dict.fromkeys(world.agents, text))
