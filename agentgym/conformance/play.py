"""Episodes of the checks, for any number of players: agents, steps, and canonical transcripts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agentgym.conformance.texts import CLUMSY, HOSTILE, RUNNABLE, spoiled
from agentgym.core import Driver, EnvCard, StepResult
from agentgym.core.rng import stream

AGENTS = ("random", "admissible", "hostile", "nothing", "oracle", "expert", "repeat", "oscillate", "spam", "clumsy")
LEVEL = "level:"  # an agent that is a scripted opponent, such as `level:simple`
SHORTCUT = "shortcut:"  # an agent that the card names among its shortcuts
PLENTY = 10_000  # a turn limit that no check reaches


@dataclass(frozen=True)
class Step:
    """One answer of an environment.

    Attributes:
        actions: What each player did that was to act; empty at a reset.
        results: What each player got that was in when it was done.
    """

    actions: Mapping[str, Any]
    results: Mapping[str, StepResult]


@dataclass(frozen=True, slots=True)
class Gamer:
    """An agent that is no name in `AGENTS`.

    Attributes:
        name: What its generator derives from.
        start: Environment after its reset, player and generator to a function from the count of turns to an action.
    """

    name: str
    start: Callable[[Driver, str, np.random.Generator], Callable[[int], str]]


@dataclass(frozen=True, slots=True)
class Play:
    """A reproducible episode: who plays, the seed, the split (None: the constructor's default) and the task.

    Attributes:
        agent: Who plays: one of `AGENTS`, `level:` and a scripted opponent, or `shortcut:` and one of the card's.
        seed: Seed of the environment; the agents' generators derive from it.
        split: Where the task is drawn from.
        task: Its place in the split; None lets the environment draw one.
        limit: Most steps; None plays to the end.
    """

    agent: str
    seed: int
    split: str | None = None
    task: int | None = None
    limit: int | None = None


@dataclass(slots=True)
class Transcript:
    """One canonical JSON line per answer, and the actions that led to them."""

    lines: list[str] = field(default_factory=list)
    actions: list[Mapping[str, Any]] = field(default_factory=list)

    @property
    def sha256(self) -> str:
        """SHA-256 of the UTF-8 bytes of the lines, each ended by a line feed."""
        return hashlib.sha256("".join(f"{line}\n" for line in self.lines).encode()).hexdigest()


def plain(value: Any) -> Any:
    """`value` as JSON-safe data that is equal for equal values; what is no data becomes the name of its type."""
    if value is None or isinstance(value, (bool, str, int, float)):
        return value.item() if isinstance(value, np.generic) else value
    if isinstance(value, (np.generic, np.ndarray)) and value.shape == ():
        return plain(value.item())
    if isinstance(value, np.ndarray):
        return {"dtype": value.dtype.str, "shape": list(value.shape), "values": plain(value.tolist())}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return f"<{type(value).__module__}.{type(value).__qualname__}>"


def line(step: Step) -> str:
    """An answer as one line of JSON with sorted keys and escaped Unicode."""
    results = {
        player: {name: getattr(result, name) for name in StepResult.__dataclass_fields__}
        for player, result in step.results.items()
    }
    return json.dumps(plain({"actions": step.actions, "results": results}), sort_keys=True)


def keeps_contract(driver: Driver) -> bool:
    """Whether the environment is a world of this suite's contract, and not just any Gymnasium environment."""
    return isinstance(getattr(driver.world, "card", None), EnvCard)


def chooser(agent: str, driver: Driver, player: str, rng: np.random.Generator) -> Callable[[int], Any]:
    """An agent of one player, as a function from the count of its own turns to an action.

    `random` samples (the action space where the environment keeps no contract), `admissible` draws from the admissible
    list or samples where there is none, `hostile` alternates hostile texts with samples, `nothing` says the empty
    string, `oracle` and `expert` are the world's own, `repeat` says its first sample for ever, `oscillate` its first
    two in turn, and `spam` goes round the worked examples. `clumsy` alternates samples with texts that never change,
    because golden records hold what they led to.

    Args:
        agent: Its name, as in `Play`.
        driver: The environment, after its reset.
        player: Whom it plays for.
        rng: Its own generator.
    """
    if not keeps_contract(driver):
        space = driver.action_space(player)
        space.seed(int(rng.integers(2**31)))
        return lambda turn: space.sample()
    if agent.startswith(LEVEL):
        level = agent.removeprefix(LEVEL)
        return lambda turn: driver.opponent_action(player, level, rng)
    if agent.startswith(SHORTCUT):
        name = agent.removeprefix(SHORTCUT)
        return lambda turn: driver.shortcut_action(player, name)
    said: list[str] = []

    def sample(turn: int = 0) -> str:
        return driver.sample_action(player, rng)

    def admissible(turn: int) -> str:
        actions = driver.admissible_actions(player)
        return actions[int(rng.integers(len(actions)))] if actions else sample()

    def again(turn: int, period: int) -> str:
        if len(said) < period:
            said.append(sample())
        return said[turn % period % len(said)]

    if agent == "hostile":
        texts = [*HOSTILE, *RUNNABLE, *spoiled(driver.world)]
        return lambda turn: sample() if turn % 2 else texts[int(rng.integers(len(texts)))]
    examples = driver.told("examples", player)
    agents: dict[str, Callable[[int], str]] = {
        "random": sample,
        "admissible": admissible,
        "nothing": lambda turn: "",
        "oracle": lambda turn: driver.oracle_action(player),
        "expert": lambda turn: driver.expert_action(player),
        "repeat": lambda turn: again(turn, 1),
        "oscillate": lambda turn: again(turn, 2),
        "clumsy": lambda turn: CLUMSY[turn // 2 % len(CLUMSY)] if turn % 2 else sample(),
        "spam": lambda turn: examples[turn % len(examples)],
    }
    return agents[agent]


def begin(driver: Driver, play: Play) -> Step:
    """Reset an environment.

    Args:
        driver: The environment.
        play: Says the task and the seed.
    """
    driver.reset(seed=play.seed, options=None if play.task is None else {"task": play.task})
    return Step({}, {player: driver.result(player) for player in driver.players})


def act(driver: Driver, actions: Mapping[str, Any]) -> Step:
    """One step; a player that is to act and is not named says the empty string.

    Args:
        driver: An environment with an episode under way.
        actions: Action by player.
    """
    inside = driver.active
    done = {player: actions.get(player, "") for player in driver.to_act}
    driver.step(done)
    return Step(done, {player: driver.result(player) for player in inside})


def stroll(driver: Driver, rng: np.random.Generator) -> Step:
    """One step of random actions of all players that are to act.

    Args:
        driver: An environment with an episode under way.
        rng: Draws the actions, player by player.
    """
    return act(driver, {player: driver.sample_action(player, rng) for player in driver.to_act})


def stand(driver: Driver, seed: int, depth: int) -> None:
    """Go some random steps into the episode of a seed, or stay at its start if it ends sooner.

    Args:
        driver: The environment.
        seed: Seed of the episode and of the actions.
        depth: Number of steps.
    """
    begin(driver, Play("random", seed))
    rng = stream("conformance.stand", seed)
    for _ in range(depth):
        stroll(driver, rng)
        if driver.ended:
            begin(driver, Play("random", seed))
            return


def episode(driver: Driver, play: Play, held: Mapping[str, str | Gamer] | None = None) -> Iterator[Step]:
    """The answers of one episode, the reset first.

    Args:
        driver: The environment.
        play: Who plays, on which task and seed, and for how many steps.
        held: Agents of single players in place of the play's.
    """
    yield begin(driver, play)
    choosers = {}
    for place, player in enumerate(driver.players):
        agent = (held or {}).get(player, play.agent)
        name = agent if isinstance(agent, str) else agent.name
        rng = stream("conformance.agent", play.seed, name, place)
        choosers[player] = (
            chooser(name, driver, player, rng) if isinstance(agent, str) else agent.start(driver, player, rng)
        )
    turns = dict.fromkeys(driver.players, 0)
    steps = 0
    while not driver.ended and (play.limit is None or steps < play.limit):
        actions = {}
        for player in driver.to_act:
            actions[player] = choosers[player](turns[player])
            turns[player] += 1
        yield act(driver, actions)
        steps += 1


def transcribe(driver: Driver, play: Play) -> Transcript:
    """Play an episode and write it down.

    Args:
        driver: The environment.
        play: Who plays, on which task and seed, and for how many steps.
    """
    transcript = Transcript()
    for step in episode(driver, play):
        transcript.lines.append(line(step))
        if step.actions:
            transcript.actions.append(step.actions)
    return transcript


def follow(driver: Driver, actions: Sequence[Mapping[str, Any]]) -> list[str]:
    """Play given actions from where an environment stands.

    Args:
        driver: An environment with an episode under way.
        actions: By step, the action of each player; those after the end of the episode are not played.

    Returns:
        A line for each answer.
    """
    told: list[str] = []
    for each in actions:
        if driver.ended:
            break
        told.append(line(act(driver, each)))
    return told


def difference(expected: Sequence[str], got: Sequence[str]) -> str:
    """Where two transcripts part, in one sentence; empty if they are equal.

    Args:
        expected: Lines of one.
        got: Lines of the other.
    """
    for number, (one, other) in enumerate(zip(expected, got, strict=False)):
        if one != other:
            at = next(
                (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
            )
            left = max(0, at - 60)
            return f"answer {number} differs: ...{one[left : at + 60]!r} against ...{other[left : at + 60]!r}."
    if len(expected) != len(got):
        return f"one has {len(expected)} answers, the other {len(got)}."
    return ""
