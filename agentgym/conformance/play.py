"""Agents of the checks, hostile actions, and canonical transcripts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.wrappers import DelayObservation, StickyAction, TimeLimit

from agentgym.core import Game, Grammar, LanguageEnv
from agentgym.core.grammar import SLOT

AGENTS = ("random", "admissible", "hostile", "nothing", "oracle", "expert", "repeat", "oscillate", "spam", "clumsy")
CANARY = "agentgym_canary"
HOSTILE = (
    "", " ", "\n", "\t \r\n", "\x00", "\x00\x01\x02\x1b[31m\x7f", "a" * 10_240, "🦊" * 40, "e\u0301\u200d\u202e\u2028",
    "\ud800", "null", "true", "NaN", "-1", "1e999", "9" * 5_000 + ".", "[]", "{}", '"', "[" * 1_500, '{"name": null}',
    '{"name": "x"}', '{"name": "x", "arguments": {}}', '{"name": ["x"], "arguments": {}}',
    '{"name": "x", "arguments": 1}',
    "<script>alert(1)</script>", "'; DROP TABLE users; --", "../../etc", "%s%n%x", "{0.__class__}", "${7*7}",
)  # fmt: skip
RUNNABLE = (f"__import__('{CANARY}')", CANARY, f"{{{{ {CANARY} }}}}", f"lambda: {CANARY}", f"import {CANARY}")
CLUMSY = ("", "help", "what can I do here?", '{"name": "help", "arguments": {}}', "🦊", "\x00", "x" * 3_000)
PLENTY = 10_000  # a turn limit that no check reaches
ODD_WORDS = ("\x00", "🦊" * 20, "9" * 300, "-1", "x" * 1_000, "<x>", "no such thing")
ODD_ARGUMENTS: tuple[Any, ...] = (
    None, True, -1, 0, 10**12, 1e308, "", "\x00", "🦊" * 50, "9" * 400, "no such thing", [], {},
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """One answer of an environment; `action`, `reward` and the flags are None at a reset."""

    action: Any
    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: Any


@dataclass(frozen=True, slots=True)
class Play:
    """A reproducible episode: who plays, the seed, the split (None: the constructor's default) and the task.

    Attributes:
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
    actions: list[Any] = field(default_factory=list)

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
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return f"<{type(value).__module__}.{type(value).__qualname__}>"


def line(step: Step) -> str:
    """An answer as one line of JSON with sorted keys and escaped Unicode."""
    return json.dumps({name: plain(value) for name, value in vars(step).items()}, sort_keys=True)


def spoiled(world: LanguageEnv | Game) -> list[str]:
    """A world's examples and command forms, damaged in many ways; some of them are still actions."""
    damaged = []
    for example in world.grammar.examples:
        middle = len(example) // 2
        damaged += [
            f"{example}\x00", f"\x00{example}", f"{example}\n{example}", f"  {example.upper()}  ", example[:middle],
            f"{example[:middle]}🦊{example[middle:]}", f"{example[:middle]}{'9' * 400}{example[middle:]}", example[1:],
        ]  # fmt: skip
        if world.tools:
            call = json.loads(example)
            damaged += [json.dumps({**call, "arguments": {}}), json.dumps({**call, "extra": 1})]
            for name in call["arguments"]:
                changes = [{**call["arguments"], name: value} for value in ODD_ARGUMENTS]
                damaged += [json.dumps({**call, "arguments": changed}) for changed in changes]
    if isinstance(world.grammar, Grammar):
        forms = [command.form for command in world.grammar.commands if SLOT.search(command.form)]
        damaged += [SLOT.sub(lambda _, odd=odd: odd, form) for form in forms for odd in ODD_WORDS]  # type: ignore[misc]
    return damaged


def injections(world: LanguageEnv | Game) -> list[str]:
    """Code that names the canary, alone and in every place where an action holds free text."""
    texts = list(RUNNABLE)
    if isinstance(world.grammar, Grammar):
        forms = [command.form for command in world.grammar.commands]
        texts += [SLOT.sub(lambda _, code=code: code, form) for form in forms for code in RUNNABLE]  # type: ignore[misc]
    for example in world.grammar.examples if world.tools else ():
        call = json.loads(example)
        for name, value in call["arguments"].items():
            changes = [{**call["arguments"], name: code} for code in RUNNABLE if isinstance(value, str)]
            texts += [json.dumps({**call, "arguments": changed}) for changed in changes]
    return texts


def player(agent: str, env: gym.Env[Any, Any], rng: np.random.Generator) -> Callable[[int], Any]:
    """An agent as a function from the turn to an action.

    `random` samples (the action space where the environment is no world), `admissible` draws from the admissible list
    or samples where there is none, `hostile` alternates hostile texts with samples, `nothing` says the empty string,
    `oracle` and `expert` are the world's own, `repeat` says its first sample for ever, `oscillate` its first two in
    turn, and `spam` goes round the worked examples. `clumsy` alternates samples with texts that never change, because
    golden records hold what they led to.
    """
    world = env.unwrapped
    if not isinstance(world, LanguageEnv):
        env.action_space.seed(int(rng.integers(2**31)))
        return lambda turn: env.action_space.sample()
    said: list[str] = []

    def admissible(turn: int) -> str:
        actions = world.admissible_actions()
        return actions[int(rng.integers(len(actions)))] if actions else world.sample_action(rng)

    def again(turn: int, period: int) -> str:
        if len(said) < period:
            said.append(world.sample_action(rng))
        return said[turn % period]

    if agent == "hostile":
        texts = [*HOSTILE, *RUNNABLE, *spoiled(world)]
        return lambda turn: world.sample_action(rng) if turn % 2 else texts[int(rng.integers(len(texts)))]
    agents: dict[str, Callable[[int], str]] = {
        "random": lambda turn: world.sample_action(rng),
        "admissible": admissible,
        "nothing": lambda turn: "",
        "oracle": lambda turn: world.oracle_action(),
        "expert": lambda turn: world.expert_action(),
        "repeat": lambda turn: again(turn, 1),
        "oscillate": lambda turn: again(turn, 2),
        "clumsy": lambda turn: CLUMSY[turn // 2 % len(CLUMSY)] if turn % 2 else world.sample_action(rng),
        "spam": lambda turn: world.grammar.examples[turn % len(world.grammar.examples)],
    }
    return agents[agent]


def begin(env: gym.Env[Any, Any], play: Play) -> Step:
    """Reset an environment as a play says."""
    options = None if play.task is None else {"task": play.task}
    observation, info = env.reset(seed=play.seed, options=options)
    return Step(None, observation, None, None, None, info)


def episode(env: gym.Env[Any, Any], play: Play) -> Iterable[Step]:
    """The answers of one episode, the reset first."""
    first = begin(env, play)
    yield first
    choose = player(play.agent, env, np.random.default_rng([play.seed, AGENTS.index(play.agent)]))
    turn = 0
    while play.limit is None or turn < play.limit:
        world = env.unwrapped
        if turn == 0 and isinstance(world, LanguageEnv) and world.ended:
            return
        action = choose(turn)
        step = Step(action, *env.step(action))
        yield step
        turn += 1
        if step.terminated or step.truncated:
            return


def transcribe(env: gym.Env[Any, Any], play: Play) -> Transcript:
    """Play an episode and write it down."""
    transcript = Transcript()
    for number, step in enumerate(episode(env, play)):
        transcript.lines.append(line(step))
        if number:
            transcript.actions.append(step.action)
    return transcript


def follow(env: gym.Env[Any, Any], actions: Sequence[Any]) -> list[str]:
    """Play given actions from where an environment stands, up to the end of its episode; one line each."""
    lines = []
    for action in actions:
        step = Step(action, *env.step(action))
        lines.append(line(step))
        if step.terminated or step.truncated:
            break
    return lines


def wrap(env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    """Three wrappers that keep state: a limit that counts, a queue of observations, an action that sticks by chance."""
    return DelayObservation(StickyAction(TimeLimit(env, 10_000), 0.25), 1)


def difference(expected: Sequence[str], got: Sequence[str]) -> str:
    """Where two transcripts part, in one sentence; empty if they are equal."""
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
