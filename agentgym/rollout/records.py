"""What passes between a runner and its environments: where episodes begin, what is asked for, what was answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from agentgym.agents.pictures import png
from agentgym.core import AgentGymError, ConfigError, Driver, EngineFailure, Snapshot, SnapshotError, StepResult
from agentgym.core.errors import TaskError
from agentgym.core.json_text import DEEPEST, nests_deeper
from agentgym.core.kinds import WIDEST

TaskName: TypeAlias = str | int | Mapping[str, Any]
# What is kept of `info` unless all of it is asked for. Wrappers that take replies apart add `thought` and `action`,
# those that help add `hint`.
HEARD = (
    "task_id",
    "split",
    "instruction",
    "success",
    "action_valid",
    "failure",
    "metrics",
    "reward_terms",
    "progress",
    "thought",
    "action",
    "hint",
)
FIGURES = ("metrics", "costs")  # tables of numbers in `info`
SCORED = {"success": bool, "failure": str}  # what every `info` must hold


@dataclass(frozen=True, slots=True)
class EpisodeSpec:
    """Where an episode begins.

    Attributes:
        task: A task id, an index into the split, or a task specification; None draws one with the seed.
        seed: Seed of the environment's generator.
        group: Specs of one group must name the same task and seed.
        sample: Coordinates of the policies' generators; members of a group differ in them.
        options: Options of the reset beside the task, such as `hint_fraction`; those of a group are equal.
        told: What is said before all else, such as what another part wants to know. Programs do not read it.
    """

    task: TaskName | None
    seed: int
    group: int
    sample: tuple[int | str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    told: str = ""


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """What is asked of environments beside words.

    Attributes:
        keys: Whether each state's key is told.
        digests: Whether the digest of each state's snapshot is told.
        references: Whether the gold answer is told, once.
        infos: Whether the whole `info` is kept, in place of the keys in `HEARD`.
        untouched: Whether a step tells what everybody got who was in when it was played, pictures and all that is no
            text included, in place of what those are shown that act next.
    """

    keys: bool = False
    digests: bool = False
    references: bool = False
    infos: bool = False
    untouched: bool = False


WORDS = RecordOptions()


@dataclass(slots=True)
class GameStep:
    """What stands in a place after a reset or a step.

    Attributes:
        to_act: Players that act next; empty when the episode is over.
        results: What players got: all of them after a reset and at the end, otherwise those that act next.
        rewards: What each player earned in the step.
        key, digest: State key and snapshot digest, if asked for and the episode goes on.
        reference: The gold answer in words, once, if asked for.
        images: By player, what it was shown beside words, as a PNG file.
        task_kind: The kind of the task, by which success is counted apart.
    """

    to_act: list[str]
    results: dict[str, StepResult]
    rewards: Mapping[str, float]
    key: str = ""
    digest: str = ""
    reference: str | None = None
    images: dict[str, bytes] = field(default_factory=dict)
    task_kind: str = ""


def begin(driver: Driver, spec: EpisodeSpec, options: RecordOptions) -> GameStep:
    """Reset an environment.

    Args:
        driver: Of the environment.
        spec: Where the episode begins.
        options: What is asked for.
    """
    driver.reset(seed=spec.seed, options={**spec.options, **({} if spec.task is None else {"task": spec.task})})
    step = _step(driver, options, driver.players)
    step.task_kind = driver.task_kind
    if options.references and step.to_act:
        gold = _world(driver, "reference")()
        step.reference = gold if isinstance(gold, str) else json.dumps(gold, sort_keys=True, default=str)
    return step


def act(driver: Driver, actions: Mapping[str, str], options: RecordOptions) -> GameStep:
    """Play one action of each player that is to act.

    Args:
        driver: Of the environment.
        actions: Action by player.
        options: What is asked for.
    """
    told = driver.active if options.untouched else None
    driver.step(actions)
    return _step(driver, options, told)


def _step(driver: Driver, options: RecordOptions, told: Sequence[str] | None) -> GameStep:
    to_act = driver.to_act
    heard = (to_act or driver.players) if told is None else told
    step = GameStep(to_act, {player: driver.result(player) for player in heard}, driver.rewards)
    for player, result in step.results.items():
        if not isinstance(result.observation, str) and not options.untouched:
            step.images[player] = _picture(driver, result)
    if to_act and options.keys:
        _world(driver, "state_key")
        step.key = driver.state_key()
    if to_act and options.digests:
        step.digest = driver.snapshot().digest()
    return step


def _picture(driver: Driver, result: StepResult) -> bytes:
    """Leave the text of an observation of text and image, and give the image."""
    seen = result.observation
    if not isinstance(seen, dict) or seen.keys() != {"text", "image"}:
        spec = getattr(driver.env, "spec", None)
        raise ConfigError(
            f"{spec and spec.id} shows a {type(seen).__name__}, and policies read text, and see what the wrapper "
            "Screenshot shows; leave out the wrapper that makes observations something else"
        )
    result.observation = seen["text"]
    return png(seen["image"])


def _world(driver: Driver, method: str) -> Callable[[], Any]:
    found: Callable[[], Any] | None = getattr(driver.world, method, None)
    if found is None:
        raise ConfigError(f"{type(driver.world).__name__} is no AgentGym environment and has no {method}()")
    return found


def failed_calls(info: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The events of tool calls that were taken and failed, such as programs that raised.

    Args:
        info: What an environment said; one that is none of AgentGym's may have events of any kind.
    """
    told = info.get("events")
    events = told if isinstance(told, list) else []
    return [event for event in events if isinstance(event, Mapping) and event.get("failed") is True]


def adopt(driver: Driver, saved: Snapshot, seed: int) -> str:
    """Put an environment into a saved state, with a generator of its own.

    Args:
        driver: Of the environment.
        saved: A snapshot of an equal one.
        seed: Of the generator.

    Returns:
        What failed, if its engine did; otherwise "".
    """
    try:
        driver.restore(saved, seed)
    except SnapshotError as error:
        if isinstance(error.__cause__, EngineFailure):
            return str(error)
        raise
    return ""


def failed_step(error: AgentGymError | str, players: Sequence[str], spec: EpisodeSpec | None) -> GameStep:
    """What an environment that broke down shows in the place of an answer.

    Args:
        error: What happened.
        players: Its players.
        spec: Where its episode was to begin, if it has not; otherwise None.
    """
    info: dict[str, Any] = {"success": False, "action_valid": True, "failure": str(error), "metrics": {}}
    info |= {"error": "", "events": [], "costs": {}, "progress": 0.0}
    if spec is not None:
        info |= {"task_id": str(spec.task), "split": "", "instruction": ""}
    results = {player: StepResult(f"The environment failed: {error}", 0.0, False, True, info) for player in players}
    return GameStep([], results, dict.fromkeys(players, 0.0))


def unsound(step: GameStep) -> str:
    """What is wrong with an answer that cannot be scored or recorded; "" if nothing is.

    Args:
        step: What an environment answered.
    """
    for player, reward in step.rewards.items():
        if not -WIDEST <= reward <= WIDEST:
            return f"{player} was given the reward {reward}; rewards must be finite, and at most {WIDEST:g}"
    for player, result in step.results.items():
        if not isinstance(result.observation, str):
            return f"{player} was shown a {type(result.observation).__name__}; observations must be text"
        for key, kind in SCORED.items():
            if not isinstance(result.info.get(key), kind):
                return f"info[{key!r}] of {player} is {result.info.get(key)!r:.80}; it must be a {kind.__name__}"
        if not -WIDEST <= result.info.get("progress", 0.0) <= WIDEST:
            return f"info['progress'] of {player} is {result.info['progress']!r}; it must be finite"
        try:
            json.dumps(dict(result.info))
        except (TypeError, ValueError) as error:
            return f"the info of {player} is no JSON: {error}"
        if nests_deeper(dict(result.info)):
            return f"the info of {player} nests more than {DEEPEST} levels deep"
        for key in FIGURES:
            for name, value in (result.info.get(key) or {}).items():
                if not -WIDEST <= value <= WIDEST:
                    return (
                        f"info[{key!r}] of {player} says {name} is {value!r}; it must be finite, and at most {WIDEST:g}"
                    )
    return ""


def grouped(specs: Sequence[EpisodeSpec], by: Callable[[EpisodeSpec], Hashable]) -> list[EpisodeSpec]:
    """The specs with groups numbered by a key function, in the order in which the keys come up.

    Args:
        specs: Where episodes begin.
        by: From a spec to what it shares with its group.
    """
    numbers: dict[Hashable, int] = {}
    return [replace(spec, group=numbers.setdefault(by(spec), len(numbers))) for spec in specs]


def check_groups(specs: Sequence[EpisodeSpec]) -> None:
    """Refuse groups that mix tasks or seeds."""
    first: dict[int, EpisodeSpec] = {}
    for spec in specs:
        twin = first.setdefault(spec.group, spec)
        if twin.options != spec.options:
            raise TaskError(
                f"group {spec.group} holds the reset options {dict(twin.options)} and {dict(spec.options)}; a group "
                "begins in one way"
            )
        if (twin.task, twin.seed) != (spec.task, spec.seed):
            raise TaskError(
                f"group {spec.group} holds task {twin.task} with seed {twin.seed} and task {spec.task} with seed "
                f"{spec.seed}; a group is one task and one seed"
            )
