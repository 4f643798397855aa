"""Checks of actions: refusals, the admissible list, samples, and the grammar that explains them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from agentgym.conformance.play import HOSTILE, PLENTY, RUNNABLE, Play, begin, spoiled
from agentgym.conformance.subject import Subject
from agentgym.conformance.verdict import NotApplicable, Violation, describe
from agentgym.core import Call, Invalid, LanguageEnv


def _standing(world: LanguageEnv) -> dict[str, Any]:
    """All that a refused action must leave alone."""
    standing = {"state_key": world.state_key(), "np_random": str(world.np_random.bit_generator.state)}
    if world.card.snapshot != "none":
        standing["snapshot().digest(turn=False)"] = world.snapshot().digest(turn=False)
    return standing


def invalid_actions(subject: Subject) -> str:
    """A4: a bad action never raises; it is refused with a reason, costs a turn and changes nothing else."""
    world = subject.world(max_turns=PLENTY)
    for walk in subject.walks:
        if walk.crash:
            raise Violation(
                f"the {walk.agent} walk ended in {walk.crash}",
                "answer every string: refuse what is not possible with self.refuse(reason).",
            )
    refused = accepted = 0
    rng = np.random.default_rng(5)
    for number, action in enumerate([*HOSTILE, *RUNNABLE, *spoiled(world)]):
        if number % 8 == 0 or world.ended:
            _somewhere(world, rng, number)
        before, turn = _standing(world), world.turn
        try:
            text, _, terminated, truncated, given = world.step(action)
        except Exception as error:  # any exception is the finding
            raise Violation(
                f"the action {action!r:.60} raised {describe(error)}",
                "answer every string: refuse what is not possible with self.refuse(reason).",
            ) from error
        if given["action_valid"]:
            accepted += 1
            if action == "":
                raise Violation("the empty action is accepted.", "refuse it; the empty string is never valid.")
            continue
        refused += 1
        if not given["error"] or (given["error"] not in text and len(text) < world.observation_length):
            raise Violation(
                f"the refusal of {action!r:.60} does not say why: {given['error']!r:.80}, observation {text!r:.80}.",
                "refuse with self.refuse(reason); the observation must hold info['error'].",
            )
        if terminated or truncated:
            raise Violation(
                f"the refused action {action!r:.60} ended the episode.", "a refused action only costs a turn."
            )
        if world.turn != turn + 1:
            raise Violation(f"the refused action {action!r:.60} did not cost a turn.", "leave step to LanguageEnv.")
        changed = [name for name, value in _standing(world).items() if value != before[name]]
        if changed:
            raise Violation(
                f"the refused action {action!r:.60} changed {', '.join(changed)}.",
                "check everything an action needs before changing the state or drawing from np_random.",
            )
    try:
        world.step(7)  # type: ignore[arg-type]
    except TypeError:
        return f"{refused} bad actions refused, {accepted} odd ones understood"
    raise Violation("an action that is no string is taken.", "leave step to LanguageEnv, which raises TypeError.")


def _somewhere(world: LanguageEnv, rng: np.random.Generator, seed: int) -> None:
    """Begin an episode and walk a few steps in."""
    begin(world, Play("random", seed))
    for _ in range(int(rng.integers(4))):
        world.step(world.sample_action(rng))
        if world.ended:
            begin(world, Play("random", seed))


def admissible(subject: Subject) -> str:
    """A7: the admissible actions are sorted, unique, none too few, each accepted; listing them changes nothing."""
    world = subject.world()
    listed = tried = 0
    rng = np.random.default_rng(6)
    for seed in range(3):
        begin(world, Play("random", seed))
        for turn in range(12):
            before = _standing(world)
            actions = world.admissible_actions()
            if actions is None:
                raise NotApplicable("the world lists no actions here; sample_action stands in")
            _orderly(subject, world, actions)
            if _standing(world) != before:
                raise Violation(
                    "admissible_actions() changes the world.", "compute the list without touching state or np_random."
                )
            listed += 1
            tried += _accepted(world, actions, rng, seed, turn)
            action = actions[int(rng.integers(len(actions)))]
            given = world.step(action)[4]
            if world.card.snapshot != "copy":  # few forks try the others
                _taken(action, given, seed, turn)
            if world.ended:
                if world.admissible_actions() != []:
                    raise Violation("actions are listed after the end.", "leave admissible_actions to LanguageEnv.")
                break
    return f"{listed} lists, {tried} actions tried beside those played"


def _orderly(subject: Subject, world: LanguageEnv, actions: list[str]) -> None:
    if not actions:
        raise Violation("no action is admissible while the episode goes on.", "list at least one, such as giving up.")
    if actions != sorted(set(actions)):
        raise Violation(
            f"the admissible actions are not sorted and unique: {actions!r:.200}.", "list each action once."
        )
    for action in actions:
        if action not in world.action_space:
            raise Violation(
                f"the admissible action {action!r:.80} is outside the action space.", "raise action_length."
            )
        if isinstance(world.parse(action), Invalid):
            raise Violation(
                f"the admissible action {action!r:.80} does not parse.", "list actions in the grammar's own words."
            )


def _accepted(world: LanguageEnv, actions: list[str], rng: np.random.Generator, seed: int, turn: int) -> int:
    """Try admissible actions on forks; one only where a fork plays the whole episode again."""
    if world.card.snapshot == "none":
        return 0
    most = 12 if world.card.snapshot == "copy" else 1
    chosen = (
        actions if len(actions) <= most else [actions[int(i)] for i in rng.choice(len(actions), most, replace=False)]
    )
    for action in chosen:
        _taken(action, world.fork().step(action)[4], seed, turn)
    return len(chosen)


def _taken(action: str, given: Mapping[str, Any], seed: int, turn: int) -> None:
    if not given["action_valid"]:
        raise Violation(
            f"seed {seed}, turn {turn}: the admissible action {action!r:.80} was refused: {given['error']!r:.120}.",
            "list only what _step accepts in this state.",
        )


def samples(subject: Subject) -> str:
    """A7: `sample_action` works in every state, is well formed, obeys its generator and changes nothing."""
    world = subject.world()
    count = 0
    for seed in range(4):
        begin(world, Play("random", 50 + seed))
        rng = np.random.default_rng(seed)
        for _ in range(25):
            before, state = _standing(world), rng.bit_generator.state
            action = world.sample_action(rng)
            twin = np.random.default_rng(0)
            twin.bit_generator.state = state
            if world.sample_action(twin) != action:
                raise Violation(
                    "sample_action gives two actions for one generator state.", "draw only from the rng it is given."
                )
            if _standing(world) != before:
                raise Violation(
                    "sample_action changes the world.", "draw only from the rng it is given; leave the state alone."
                )
            if action not in world.action_space or not isinstance(world.parse(action), Call):
                raise Violation(
                    f"sample_action gives {action!r:.80}, which does not parse.", "sample in the grammar's own words."
                )
            _complete(world, action)
            count += 1
            world.step(action)
            if world.ended:
                break
    return f"{count} samples"


def _complete(world: LanguageEnv, action: str) -> None:
    """Where the list claims to be complete, a sample that is accepted must be on it."""
    actions = world.admissible_actions()
    if actions is None or not world.admissible_complete or world.card.snapshot != "copy":
        return
    call = world.parse(action)
    if any(world.parse(listed) == call for listed in actions):
        return
    if world.fork().step(action)[4]["action_valid"]:
        raise Violation(
            f"{action!r:.80} is accepted but not among the {len(actions)} admissible actions, which claim to be all.",
            "list it, or set admissible_complete = False.",
        )


def grammar(subject: Subject) -> str:
    """A11: manual and parser agree: every example parses and stands in the manual; the first observation explains."""
    world = subject.world()
    examples = world.grammar.examples
    if not examples:
        raise Violation("the grammar has no worked example.", "give each Command or Tool one.")
    for example in examples:
        if not isinstance(world.parse(example), Call):
            raise Violation(f"the example {example!r:.80} does not parse.", "mend the example or the grammar.")
        if example not in world.manual:
            raise Violation(f"the manual lacks the example {example!r:.80}.", "render the manual from the grammar.")
    observation, given = world.reset(seed=1)
    if world.grammar.line not in observation or given["instruction"] not in observation:
        raise Violation(
            "the first observation lacks the task or the one-line grammar.",
            "let _reset return the instruction and leave reset, which appends the line, to LanguageEnv.",
        )
    if len(observation) >= world.observation_length:
        raise Violation("the first observation is cut.", "raise observation_length.")
    for tool in world.tools:
        if tool.get("type") != "function" or not {"name", "description", "parameters"} <= set(tool.get("function", {})):
            raise Violation(f"{tool!r:.120} is no JSON-Schema tool.", "describe tools with ToolGrammar.")
    return f"{len(examples)} examples parse"
