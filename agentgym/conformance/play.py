"""Episodes of the checks, for any number of players: steps as the runner plays them, and canonical transcripts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agentgym.conformance.players import PlayerAgent
from agentgym.core import Driver, StepResult
from agentgym.core.rng import stream
from agentgym.rollout import records
from agentgym.rollout.records import EpisodeSpec, RecordOptions

PLENTY = 10_000  # a turn limit that no check reaches
UNTOUCHED = RecordOptions(untouched=True)


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
class Play:
    """A reproducible episode: who plays, the seed, the split (None: the constructor's default) and the task.

    Attributes:
        agent: Who plays, as `agentgym.conformance.players.policy` names it.
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
class PlayRecord:
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


def begin(driver: Driver, play: Play) -> Step:
    """Reset an environment.

    Args:
        driver: The environment.
        play: Says the task and the seed.
    """
    return Step({}, records.begin(driver, EpisodeSpec(play.task, play.seed, 0, ()), UNTOUCHED).results)


def act(driver: Driver, actions: Mapping[str, Any]) -> Step:
    """One step; a player that is to act and is not named says the empty string.

    Args:
        driver: An environment with an episode under way.
        actions: Action by player.
    """
    done = {player: actions.get(player, "") for player in driver.to_act}
    return Step(done, records.act(driver, done, UNTOUCHED).results)


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


def episode(driver: Driver, play: Play, held: Mapping[str, str] | None = None) -> Iterator[Step]:
    """The answers of one episode, the reset first.

    Args:
        driver: The environment.
        play: Who plays, on which task and seed, and for how many steps.
        held: Agents of single players in place of the play's.
    """
    step = begin(driver, play)
    yield step
    agents = {}
    for place, player in enumerate(driver.players):
        agent = (held or {}).get(player, play.agent)
        agents[player] = PlayerAgent(driver, player, agent, stream("conformance.agent", play.seed, agent, place))
    steps = 0
    while not driver.ended and (play.limit is None or steps < play.limit):
        step = act(driver, {player: agents[player].act(step.results[player]) for player in driver.to_act})
        yield step
        steps += 1


def transcribe(driver: Driver, play: Play) -> PlayRecord:
    """Play an episode and write it down.

    Args:
        driver: The environment.
        play: Who plays, on which task and seed, and for how many steps.
    """
    transcript = PlayRecord()
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
