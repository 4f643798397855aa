"""Checks of saved states: snapshot, restore, fork, the other process, and state keys."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np

from agentgym.conformance.play import Play, Step, begin, difference, follow, line, wrap
from agentgym.conformance.seats_play import resumed
from agentgym.conformance.subject import Subject
from agentgym.conformance.verdict import NotApplicable, Violation
from agentgym.core import Game, LanguageEnv, Snapshot, fork, restore, snapshot

DEPTHS = (0, 2, 5)  # turns played before a state is saved
TAIL = 10  # turns played after it
SHELF = "saved.json"  # what the other process must reproduce
ALONE = (
    "share nothing mutable between forks: keep all that changes in self._state, and no bound method in an attribute, "
    "where it goes on acting on the origin."
)
PLAIN = "keep all that changes in self._state as plain data; derive the rest in _reset from the task alone."


def _world(subject: Subject) -> LanguageEnv:
    world = subject.world()
    if world.card.snapshot == "none":
        raise NotApplicable("the card says snapshot='none': this engine cannot be copied")
    return world


def _walk(env: gym.Env[Any, Any], seed: int, depth: int) -> None:
    """Stand `depth` random turns into the episode of a seed, or at its start if it ends sooner."""
    world = _base(env)
    begin(env, Play("random", seed))
    rng = np.random.default_rng(seed)
    for _ in range(depth):
        env.step(world.sample_action(rng))
        if world.ended:
            begin(env, Play("random", seed))
            return


def _base(env: gym.Env[Any, Any]) -> LanguageEnv:
    world = env.unwrapped
    assert isinstance(world, LanguageEnv)
    return world


def _standing(env: gym.Env[Any, Any]) -> list[str]:
    world = _base(env)
    return [world.state_key(), snapshot(env).digest(), str(world.admissible_actions()), str(world.turn)]


def _improvise(env: gym.Env[Any, Any], seed: int) -> tuple[list[str], list[str]]:
    """Play random actions, every fifth one empty: the actions, and each answer with how the world then stands."""
    world, rng = _base(env), np.random.default_rng(seed)
    actions: list[str] = []
    lines: list[str] = []
    while len(actions) < TAIL and not world.ended:
        action = "" if len(actions) % 5 == 3 else world.sample_action(rng)
        step = Step(action, *env.step(action))
        actions.append(action)
        lines += [line(step), *_standing(env)]
        if step.terminated or step.truncated:
            break
    return actions, lines


def _again(env: gym.Env[Any, Any], actions: list[str]) -> list[str]:
    lines: list[str] = []
    for action in actions:
        lines += [line(Step(action, *env.step(action))), *_standing(env)]
    return lines


def snapshots(subject: Subject) -> str:
    """A9: a snapshot changes nothing, is not changed by play, and restores exactly, twice, and in a new environment."""
    return _saved(subject, lambda env: env)


def wrapped(subject: Subject) -> str:
    """A9: snapshot, restore and fork through `gymnasium.make` and three wrappers that keep state."""
    _saved(subject, wrap)
    return _forked(subject, wrap) + ", through TimeLimit, StickyAction and DelayObservation"


def _saved(subject: Subject, dress: Callable[[gym.Env[Any, Any]], gym.Env[Any, Any]]) -> str:
    _world(subject)
    for seed, depth in enumerate(DEPTHS):
        where = f"seed {seed}, turn {depth}"
        env = dress(subject.make())
        _walk(env, seed, depth)
        before = _standing(env)
        saved = snapshot(env)
        digest = saved.digest()
        if _standing(env) != before:
            raise Violation(f"{where}: snapshot() changes the world.", "only copy in snapshot.")
        actions, lines = _improvise(env, seed)
        if saved.digest() != digest:
            raise Violation(
                f"{where}: play changes a snapshot that was taken before.", "share nothing mutable with it; " + PLAIN
            )
        other = dress(subject.make())
        _walk(other, seed + 50, 1)
        for target, name in (
            (env, "the same environment"),
            (env, "it for the second time"),
            (other, "another environment"),
        ):
            restore(target, saved)
            if _standing(target) != before:
                raise Violation(f"{where}: the state restored into {name} differs from the one saved.", PLAIN)
            wrong = difference(lines, _again(target, actions))
            if wrong:
                raise Violation(f"{where}: after restoring into {name}, play differs: {wrong}", PLAIN)
    return f"{len(DEPTHS)} states restored thrice each"


def forks(subject: Subject) -> str:
    """A9: a fork equals its origin, and neither notices what the other does."""
    return _forked(subject, lambda env: env)


def _forked(subject: Subject, dress: Callable[[gym.Env[Any, Any]], gym.Env[Any, Any]]) -> str:
    _world(subject)
    for seed, depth in enumerate(DEPTHS):
        where = f"seed {seed}, turn {depth}"
        env = dress(subject.make())
        _walk(env, seed, depth)
        before = _standing(env)
        twin = fork(env)
        if _standing(twin) != before or _standing(env) != before:
            raise Violation(f"{where}: a fork differs from its origin, or changed it.", PLAIN)
        actions, lines = _improvise(twin, seed)
        if _standing(env) != before:
            raise Violation(f"{where}: play in a fork changes its origin.", ALONE)
        after = _standing(twin)
        wrong = difference(lines, _again(env, actions))
        if wrong:
            raise Violation(f"{where}: origin and fork part under equal actions: {wrong}", PLAIN)
        _walk(env, seed + 50, 2)
        if _standing(twin) != after:
            raise Violation(f"{where}: play in the origin changes a fork.", ALONE)
    return f"{len(DEPTHS)} forks equal and independent"


def reseeded(subject: Subject) -> str:
    """A9: re-seeded forks throw other dice: futures differ where the world has chance, and nowhere else."""
    world = _world(subject)
    different = 0
    # A fork that plays its episode again may take seconds; where nothing is drawn, a few say as much as many.
    few = world.card.deterministic and world.card.snapshot == "replay"
    states_tried, dice = (2, 4) if few else (6, 12)
    for seed in range(states_tried):
        _walk(world, seed, 0)
        actions = _improvise(world.fork(), seed)[0]
        states = {str(world.fork(reseed).np_random.bit_generator.state) for reseed in (None, 1, 2)}
        if len(states) < 3:
            raise Violation("fork(reseed) does not give the fork a generator of its own.", "leave fork to LanguageEnv.")
        if world.fork(1).snapshot().digest() != world.fork(1).snapshot().digest():
            raise Violation("two forks with one seed differ.", "leave fork to LanguageEnv.")
        futures = {tuple(follow(world.fork(reseed), actions)) for reseed in range(dice)}
        different += len(futures) > 1
    if world.card.deterministic and different:
        raise Violation(
            "the card says deterministic, but the outcome of equal actions depends on the generator.",
            "say deterministic=False, or draw nothing after the task is chosen.",
        )
    if not world.card.deterministic and not different and _draws_in_play(subject):
        raise Violation(
            "re-seeded forks have equal futures although actions draw from np_random.", "draw only from np_random."
        )
    said = f"the card says deterministic={world.card.deterministic}"
    return f"{different} of {states_tried} states have more than one future; {said}"


def _draws_in_play(subject: Subject) -> bool:
    """Whether any step of a random walk advances the world's generator."""
    world = subject.world()
    _walk(world, 0, 0)
    before = str(world.np_random.bit_generator.state)
    _improvise(world, 0)
    return str(world.np_random.bit_generator.state) != before


def other_process(subject: Subject) -> str:
    """A9: a pickled snapshot, bare and wrapped, is restored in another process and played on to equal bytes."""
    _world(subject)
    return restored_elsewhere(subject)


def restored_elsewhere(subject: Subject) -> str:
    """A9: what another process made of the snapshots in the subject's folder."""
    if subject.card.snapshot == "none":
        raise NotApplicable("the card says snapshot='none': this engine cannot be copied")
    answers = subject.workers.answer(2)["restored"]
    told = json.loads((subject.folder / SHELF).read_text())
    for name, saved in told.items():
        if answers[name]["digest"] != saved["digest"]:
            raise Violation(f"the {name} snapshot has another digest in another process.", PLAIN)
        wrong = difference(saved["lines"], answers[name]["lines"])
        if wrong:
            raise Violation(f"after restoring the {name} snapshot in another process, play differs: {wrong}", PLAIN)
    return ", ".join(told)


def saved_for_workers(subject: Subject) -> dict[str, dict[str, Any]]:
    """Snapshots pickled into the subject's folder, with the actions that follow and what they lead to here."""
    saved = {}
    for name, dress in (("bare", lambda env: env), ("wrapped", wrap)):
        env = dress(subject.make())
        _walk(env, 31, 4)
        state = snapshot(env)
        path = subject.folder / f"{name}.pickle"
        path.write_bytes(pickle.dumps(state))
        actions, lines = _improvise(env, 31)
        saved[name] = {"path": str(path), "actions": actions, "lines": lines, "digest": state.digest()}
    (subject.folder / SHELF).write_text(json.dumps(saved))
    return saved


def restored(env: Any, path: str, actions: list[Any]) -> dict[str, Any]:
    """In another process: restore a snapshot that this process's checks wrote, and play on."""
    with open(path, "rb") as file:
        state = pickle.load(file)
    if isinstance(env, Game):
        return resumed(env, state, actions)
    begin(env, Play("random", 1))
    restore(env, state)
    digest = snapshot(env).digest()
    return {"digest": digest, "lines": _again(env, actions)}


def state_keys(subject: Subject) -> str:
    """A9: equal keys, equal futures; different states, different keys; generator and turn are not in the key."""
    world = _world(subject)
    groups: dict[str, list[Snapshot]] = {}
    count = 0
    seed = 0
    while count < subject.size.states:
        begin(world, Play("random", seed, task=0 if seed % 2 else None))
        rng = np.random.default_rng(seed)
        for _ in range(12):
            saved = world.snapshot()
            _same_key(world, saved)
            groups.setdefault(world.state_key(), []).append(saved)
            count += 1
            world.step(world.sample_action(rng))
            if world.ended:
                break
        seed += 1
    pairs = [(group[0], other) for group in groups.values() for other in group[1:]]
    most = subject.size.states // (1 if world.card.snapshot == "copy" else 4)
    for one, other in pairs[:most]:
        _same_future(subject, one, other)
    return f"{count} states, {len(groups)} keys, {min(len(pairs), most)} pairs of equal key with equal futures"


def _same_key(world: LanguageEnv, saved: Snapshot) -> None:
    twin = world.fork(99)
    twin.restore(replace(twin.snapshot(), turn=saved.turn + 1, max_turns=saved.max_turns + 2))
    if twin.state_key() != world.state_key():
        raise Violation(
            f"{world.card.id}, turn {saved.turn}: the state key depends on the turn or the generator.",
            "let _key_state return neither; both are left out of the key.",
        )


def _same_future(subject: Subject, one: Snapshot, other: Snapshot) -> None:
    """Equal keys: under equal dice, equal actions lead to equal texts, rewards and ends."""
    worlds = []
    for saved in (one, other):
        world = subject.world()
        begin(world, Play("random", 0))
        world.restore(replace(saved, turn=0))
        worlds.append(world.fork(7))
    if worlds[0].admissible_actions() != worlds[1].admissible_actions():
        raise Violation(
            "two states with one key admit different actions.", "let _key_state return all that the dynamics read."
        )
    rng = np.random.default_rng(one.turn * 1000 + other.turn)
    for _ in range(6):
        action = worlds[0].sample_action(rng)
        answers = [Step(action, *world.step(action)) for world in worlds]
        views = [(a.observation, a.reward, a.terminated, a.info["success"], a.info["action_valid"]) for a in answers]
        if views[0] != views[1]:
            raise Violation(
                f"two states with one key part after {action!r:.80}: {views[0]!r:.200} against {views[1]!r:.200}.",
                "let _key_state return all that the dynamics, texts and rewards read.",
            )
        if worlds[0].ended or worlds[1].ended:
            return
