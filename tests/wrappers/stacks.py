"""Which wrapper fits which world, stacks of them, and episodes to compare: shared by the tests of the wrappers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import gymnasium as gym
import numpy as np

from agentgym import wrappers
from agentgym.conformance.texts import HOSTILE, RUNNABLE
from agentgym.core import Command, ConfigError, EnvCard, Grammar, LanguageEnv
from agentgym.envs import CARDS
from tests.core.worlds import Count, Replay, Sealed, count_card

FEW = ("AgentGym/FrozenLake-v0", "AgentGym/TextCraft-v1", "AgentGym/Household-v1", "AgentGym/WebShop-v1")
IDS = tuple(card.id for card in CARDS if card.api == "gymnasium" and not card.requires and not card.extras)
NOISE = (
    *HOSTILE, *RUNNABLE, f"get(0x{'f' * 4_000}, 'x')", "get('\\ud800', 1)", "Action:",
    "Thought: x\nAction: y\nAction: z", "<think>a</think>",
    "<action></action>",
    "</action><action>", "<think></think><action>up</action>", "```", "``````", "```python\nx = 1\n```", "f(" * 300,
    "-" * 3_000 + "1", "left(*[1])", "open('x')", '<tool_call>{"name": 1}</tool_call>', "<tool_call>" * 50, "|| ||",
    "1 || 2",
    '{"thought": 1, "function_name": "left", "arguments": "{}"}', '{"thoughts": "", "action": {}}', "memory add ", "0",
    "memory add x", "memory search x", "memory delete 99999999999999", "memory update 1 \x00", "<report>" * 20, "1",
    f'{{"thought": {"[" * 600}{"]" * 600}, "action": "\u00e9"}}', f'{{"action": {{"name": {"[" * 900}{"]" * 900}}}}}',
    "<report>a</report>", "<report></report>\x00", "memory add " + "y" * 900, '{"tool_calls": [{"function": null}]}',
)  # fmt: skip


class Mute(Count):
    """The counting world without a list of actions and without worked examples."""

    card = count_card("Mute")
    grammar = Grammar(
        [Command("add <number>", "add it."), Command("roll", "add 1 to 3 at random."), Command("jam", "fail.")]
    )
    _admissible = LanguageEnv._admissible

    def _sample(self, rng: np.random.Generator) -> str:
        return "roll"


if Mute.card.id not in gym.registry:
    gym.register(id=Mute.card.id, entry_point="tests.wrappers.stacks:Mute")
ODD = tuple(world.card.id for world in (Mute, Count, Replay, Sealed))  # the engine fails, nothing is listed, no copies
TROUBLE = ("jam", "jam silently", "ramble", "undo", "roll", "wait", "guess x y")
JUDGE = "agentgym.wrappers.rewards.judge:overlap_judge"
Arguments = Callable[[EnvCard], dict[str, Any]]


def _first_event(card: EnvCard) -> str:
    return next(iter(card.events), "none")


def _two_steps(card: EnvCard) -> dict[str, Any]:
    """One macro, of the world's first and last example that stand on one line."""
    world: Any = gym.make(card.id).unwrapped
    fine = [example for example in world.grammar.examples if len(example.splitlines()) == 1 and "<" not in example]
    return {"macros": [[fine[0], fine[-1]] if fine else ["roll", "roll"]]}


CHOICES: dict[str, tuple[Arguments, ...]] = {
    "AdmissibleInText": (lambda card: {}, lambda card: {"first_only": True}, lambda card: {"style": "agentgym"}),
    "ChoiceByNumber": (lambda card: {},),
    "CodeAction": (lambda card: {}, lambda card: {"most": 2}),
    "CodeBlocks": (lambda card: {}, lambda card: {"most": 3}),
    "CommandTags": (lambda card: {},),
    "CostMeter": (lambda card: {"read_price": 1, "write_price": 2.5},),
    "EventLog": (lambda card: {},),
    "Fenced": (lambda card: {}, lambda card: {"language": "sql"}),
    "FormatReward": (lambda card: {"valid": 0.01},),
    "Hints": (lambda card: {"fraction": 0.5}, lambda card: {"kind": "plan", "fraction": 0.3, "by": "oracle"}),
    "History": (lambda card: {"length": 100_000}, lambda card: {"turns": 2, "length": 100_000}),
    "Horizon": (lambda card: {"turns": 7},),
    "JsonCalls": (lambda card: {},),
    "JsonReply": (lambda card: {},),
    "JudgeReward": (
        lambda card: {"model": JUDGE, "when": "step", "last": 3},
        lambda card: {"model": JUDGE, "ending": False},
    ),
    "LTLMonitor": (
        lambda card: {"rules": {"a": f"F {_first_event(card)}", "b": "G valid"}, "penalty": 0.5},
        lambda card: {"rules": {"a": f"!{_first_event(card)} W X X valid"}, "end": True},
    ),
    "Macros": (_two_steps,),
    "Marked": (lambda card: {"bare": True}, lambda card: {"begin": "ACTION:", "end": "STOP"}),
    "MemoryTools": (lambda card: {"capacity": 3}, lambda card: {"lasting": True}),
    "NativeCalls": (lambda card: {"style": "openai"}, lambda card: {"most": 2}),
    "NearestAdmissible": (lambda card: {"cutoff": 0.3},),
    "PotentialShaping": (lambda card: {"gamma": 0.9},),
    "ProgressReward": (lambda card: {},),
    "ReAct": (lambda card: {}, lambda card: {"several": "refuse", "bare": True}),
    "Retries": (lambda card: {"tries": 2},),
    "Screenshot": (lambda card: {"height": 64, "width": 96},),
    "SeveralActions": (lambda card: {"most": 3, "separator": "~~"},),
    "StepCost": (lambda card: {},),
    "SubgoalReward": (lambda card: {"subgoals": {"first": {"type": _first_event(card)}}},),
    "Tags": (lambda card: {"allow_cjk": False}, lambda card: {"action": "answer", "need_thought": False}),
    "Trials": (lambda card: {"trials": 2}, lambda card: {"trials": 3, "reflect": False}),
    "Truncate": (lambda card: {"tokens": 60},),
    "WithholdReward": (lambda card: {},),
    "Workspace": (lambda card: {"length": 100},),
}
NEEDS: dict[str, Callable[[LanguageEnv], bool]] = {
    "CodeAction": lambda world: bool(world.tools),
    "AdmissibleInText": lambda world: _has(world, "_admissible"),
    "ChoiceByNumber": lambda world: _has(world, "_admissible"),
    "NearestAdmissible": lambda world: _has(world, "_admissible"),
    "CommandTags": lambda world: any(example.count("<") or "[" in example for example in world.grammar.examples),
    "Hints": lambda world: _has(world, "_expert") and _has(world, "_oracle"),
    "LTLMonitor": lambda world: bool(world.card.events),
    "SubgoalReward": lambda world: bool(world.card.events),
    "Macros": lambda world: not world.tools,
    "Screenshot": lambda world: world.card.images,
}


def _has(world: LanguageEnv, hook: str) -> bool:
    return getattr(type(world), hook) is not getattr(LanguageEnv, hook)


@cache
def _images(name: str) -> bool:
    world: Any = gym.make(name).unwrapped
    return bool(world.card.images)


def make(name: str) -> gym.Env[Any, Any]:
    """A world with pictures where it has some."""
    return gym.make(name, render_mode="rgb_array" if _images(name) else "ansi")


def fits(kind: str, world: LanguageEnv) -> bool:
    """Whether a wrapper can serve a world, said independently of the wrapper."""
    if kind == "CommandTags":
        commands = getattr(world.grammar, "commands", ())
        forms = [command.form.count("<") for command in commands]
        tools = [len(tool["function"]["parameters"].get("properties", {})) for tool in world.tools]
        return 1 in forms or 1 in tools
    if kind in ("CodeBlocks", "JsonCalls", "NativeCalls"):  # names of functions are words: B and B' would be one
        forms = [re.sub(r"[^\w+-]", "", command.form) for command in getattr(world.grammar, "commands", ())]
        return len(set(forms)) == len(forms)
    return NEEDS.get(kind, lambda world: True)(world)


def wrap(env: gym.Env[Any, Any], kind: str, variant: int = 0) -> Any:
    choices = CHOICES[kind]
    world: Any = env.unwrapped
    return getattr(wrappers, kind)(env, **choices[variant % len(choices)](world.card))


def stack(name: str, rng: np.random.Generator, most: int = 5) -> tuple[Any, list[str]]:
    """A world in up to `most` wrappers drawn at random; those that do not fit say so in one line and are left out."""
    env: Any = make(name)
    refusals: list[str] = []
    kinds = sorted(set(CHOICES) - {"CodeAction"})  # a stack must not depend on whether there is a sandbox here
    depth, wanted, draws = 0, int(rng.integers(1, most + 1)), 0
    while depth < wanted and (draws < 20 or not depth):
        draws += 1
        try:
            env = wrap(env, kinds[int(rng.integers(len(kinds)))], int(rng.integers(2)))
        except ConfigError as error:
            refusals.append(str(error))
        else:
            depth += 1
    return env, refusals


def line(observation: Any, reward: Any, terminated: Any, truncated: Any, info: Any) -> str:
    """One answer as text that differs if anything does."""
    if isinstance(observation, dict):
        observation = [observation["text"], observation["image"].tobytes().hex()[::97]]
    return json.dumps([observation, reward, terminated, truncated, info], sort_keys=True, allow_nan=False)


def choose(env: Any, rng: np.random.Generator) -> str:
    """An action: mostly sensible, sometimes in the world's own words, sometimes hostile."""
    dice = rng.random()
    if env.ended or dice < 0.25:
        return NOISE[int(rng.integers(len(NOISE)))]
    world: LanguageEnv = env.unwrapped
    if dice < 0.35 and world.card.id in ODD:
        return TROUBLE[int(rng.integers(len(TROUBLE)))]
    if dice < 0.4 and not world.ended:
        return world.sample_action(rng)
    return env.sample_action(rng)


def follow(env: Any, actions: Sequence[str]) -> list[str]:
    return [line(*env.step(action)) for action in actions]
