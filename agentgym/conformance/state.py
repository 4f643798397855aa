"""Checks of saved states: snapshot, restore, fork, the other process, and state keys."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from agentgym.conformance.env_under_test import EnvUnderTest
from agentgym.conformance.errors import NotApplicable, Violation
from agentgym.conformance.play import Play, act, begin, difference, follow, line, stand, stroll
from agentgym.core import Driver, Snapshot, drive
from agentgym.core.rng import stream

DEPTHS = (0, 2, 5)  # steps played before a state is saved
TAIL = 10  # steps played after it
SHELF = "saved.json"  # what the other process must reproduce
ALONE = (
    "share nothing mutable between forks: keep all that changes in self._state, and no bound method in an attribute, "
    "where it goes on acting on the origin."
)
PLAIN = "keep all that changes in self._state as plain data; derive the rest in _reset from the task alone."
Dress = Callable[[Any], Any]  # puts wrappers around an environment, or none


def bare(made: Any) -> Any:
    """The environment as it is."""
    return made


def _standing(driver: Driver) -> list[str]:
    """How an environment stands; what its players see where no wrapper changes it."""
    lists = [driver.ask("admissible_actions", player) for player in driver.active]
    seen = [driver.result(player).observation for player in driver.active] if driver.env is driver.world else []
    return [driver.state_key(), driver.snapshot().digest(), str(driver.world.turn), str(lists), *map(str, seen)]


def _begun(env: EnvUnderTest, dress: Dress) -> Iterator[tuple[int, str, Driver]]:
    """Seed, place in words and episode, for each of the depths."""
    for seed, depth in enumerate(DEPTHS):
        driver = drive(dress(env.make()))
        stand(driver, seed, depth)
        yield seed, f"seed {seed}, turn {depth}", driver


def _improvise(driver: Driver, seed: int) -> tuple[list[Mapping[str, Any]], list[str]]:
    """Play random actions, every fifth one empty: the actions, and each answer with how the world then stands."""
    rng = stream("conformance.improvise", seed)
    actions: list[Mapping[str, Any]] = []
    told: list[str] = []
    while len(actions) < TAIL and not driver.ended:
        step = act(driver, {}) if len(actions) % 5 == 3 else stroll(driver, rng)
        actions.append(step.actions)
        told += [line(step), *_standing(driver)]
    return actions, told


def _again(driver: Driver, actions: Iterable[Mapping[str, Any]]) -> list[str]:
    told: list[str] = []
    for each in actions:
        told += [line(act(driver, each)), *_standing(driver)]
    return told


def snapshots(env: EnvUnderTest) -> str:
    """A9: a snapshot changes nothing, is not changed by play, and restores exactly, twice, and in a new environment."""
    return restores(env, bare)


def restores(env: EnvUnderTest, dress: Dress) -> str:
    """The check of snapshots, in wrappers.

    Args:
        env: The environment under test.
        dress: What puts wrappers around it.
    """
    env.copyable()
    for seed, where, driver in _begun(env, dress):
        before = _standing(driver)
        saved = driver.snapshot()
        digest = saved.digest()
        if _standing(driver) != before:
            raise Violation(f"{where}: snapshot() changes the world.", "only copy in snapshot.")
        actions, told = _improvise(driver, seed)
        if saved.digest() != digest:
            raise Violation(f"{where}: play changes a snapshot taken before.", f"share nothing with it; {PLAIN}")
        other = drive(dress(env.make()))
        stand(other, seed + 50, 1)
        for target, name in (
            (driver, "the same environment"),
            (driver, "it for the second time"),
            (other, "another environment"),
        ):
            target.restore(saved)
            if _standing(target) != before:
                raise Violation(f"{where}: the state restored into {name} differs from the one saved.", PLAIN)
            wrong = difference(told, _again(target, actions))
            if wrong:
                raise Violation(f"{where}: after restoring into {name}, play differs: {wrong}", PLAIN)
    return f"{len(DEPTHS)} states restored thrice each"


def forks(env: EnvUnderTest) -> str:
    """A9: a fork equals its origin, and neither notices what the other does."""
    return forks_alike(env, bare)


def forks_alike(env: EnvUnderTest, dress: Dress) -> str:
    """The check of forks, in wrappers.

    Args:
        env: The environment under test.
        dress: What puts wrappers around it.
    """
    env.copyable()
    for seed, where, driver in _begun(env, dress):
        before = _standing(driver)
        twin = driver.fork()
        if _standing(twin) != before or _standing(driver) != before:
            raise Violation(f"{where}: a fork differs from its origin, or changed it.", PLAIN)
        for player in driver.players:
            if twin.action_space(player) is driver.action_space(player) and dress is bare:
                raise Violation(f"{where}: a fork shares its spaces, which draw, with its origin.", ALONE)
        actions, told = _improvise(twin, seed)
        if _standing(driver) != before:
            raise Violation(f"{where}: play in a fork changes its origin.", ALONE)
        after = _standing(twin)
        wrong = difference(told, _again(driver, actions))
        if wrong:
            raise Violation(f"{where}: origin and fork part under equal actions: {wrong}", PLAIN)
        stand(driver, seed + 50, 2)
        if _standing(twin) != after:
            raise Violation(f"{where}: play in the origin changes a fork.", ALONE)
    return f"{len(DEPTHS)} forks equal and independent"


def reseeded(env: EnvUnderTest) -> str:
    """A9: re-seeded forks have other generators: futures differ where the world has chance, and nowhere else."""
    driver = env.copyable()
    different = 0
    # A fork that plays its episode again may take seconds; where nothing is drawn, a few say as much as many.
    few = env.card.deterministic and env.card.snapshot == "replay"
    states_tried, seeds = (2, 4) if few else (6, 12)
    for seed in range(states_tried):
        stand(driver, seed, 0)
        actions = _improvise(driver.fork(), seed)[0]
        states = {str(driver.fork(reseed).world.np_random.bit_generator.state) for reseed in (None, 1, 2)}
        if len(states) < 3:
            raise Violation("fork(reseed) does not give the fork a generator of its own.", "leave fork to the base.")
        if driver.fork(1).snapshot().digest() != driver.fork(1).snapshot().digest():
            raise Violation("two forks with one seed differ.", "leave fork to the base.")
        futures = {tuple(follow(driver.fork(reseed), actions)) for reseed in range(seeds)}
        different += len(futures) > 1
    if env.card.deterministic and different:
        raise Violation(
            "the card says deterministic, but the outcome of equal actions depends on the generator.",
            "say deterministic=False, or draw nothing after the task is chosen.",
        )
    if not env.card.deterministic and not different and _draws_in_play(env):
        raise Violation("re-seeded forks have one future although actions draw.", "draw only from np_random.")
    said = f"the card says deterministic={env.card.deterministic}"
    return f"{different} of {states_tried} states have more than one future; {said}"


def _draws_in_play(env: EnvUnderTest) -> bool:
    """Whether any step of a random walk advances the world's generator."""
    driver = env.world()
    stand(driver, 0, 0)
    before = str(driver.world.np_random.bit_generator.state)
    _improvise(driver, 0)
    return str(driver.world.np_random.bit_generator.state) != before


def other_process(env: EnvUnderTest) -> str:
    """A9: a pickled snapshot, bare and wrapped, is restored in another process and played on to equal bytes."""
    if env.card.snapshot == "none":
        raise NotApplicable("the card says snapshot='none': this engine cannot be copied")
    answers = env.workers.answer(1)["restored"]
    told = json.loads((env.folder / SHELF).read_text())
    for name, saved in told.items():
        if answers[name]["digest"] != saved["digest"]:
            raise Violation(f"the {name} snapshot has another digest in another process.", PLAIN)
        wrong = difference(saved["lines"], answers[name]["lines"])
        if wrong:
            raise Violation(f"after restoring the {name} snapshot in another process, play differs: {wrong}", PLAIN)
    return ", ".join(told)


def saved_for_workers(env: EnvUnderTest, dressings: Mapping[str, Dress]) -> dict[str, dict[str, Any]]:
    """Snapshots pickled into the folder of the checks, with the actions that follow and what they lead to here.

    Args:
        env: The environment under test.
        dressings: By name, what is put around it.
    """
    saved = {}
    for name, dress in dressings.items():
        driver = drive(dress(env.make()))
        stand(driver, 31, 4)
        state = driver.snapshot()
        path = env.folder / f"{name}.pickle"
        path.write_bytes(pickle.dumps(state))
        actions, told = _improvise(driver, 31)
        saved[name] = {"path": str(path), "actions": actions, "lines": told, "digest": state.digest()}
    (env.folder / SHELF).write_text(json.dumps(saved))
    return saved


def restored(made: Any, path: str, actions: list[Any]) -> dict[str, Any]:
    """In another process: restore a snapshot that this process's checks wrote, and play on.

    Args:
        made: An environment in equal wrappers.
        path: The file.
        actions: What was played after it was saved.
    """
    driver = drive(made)
    begin(driver, Play("random", 1))
    with open(path, "rb") as file:
        driver.restore(pickle.load(file))
    return {"digest": driver.snapshot().digest(), "lines": _again(driver, actions)}


def state_keys(env: EnvUnderTest) -> str:
    """A9: equal keys, equal futures; different states, different keys; generator and turn are not in the key."""
    driver = env.copyable()
    groups: dict[str, list[Snapshot]] = {}
    count = seed = 0
    while count < env.size.states:
        begin(driver, Play("random", seed, task=0 if seed % 2 else None))
        rng = stream("conformance.states", seed)
        for _ in range(12):
            saved = driver.snapshot()
            _same_key(driver, saved)
            groups.setdefault(driver.state_key(), []).append(saved)
            count += 1
            stroll(driver, rng)
            if driver.ended:
                break
        seed += 1
    pairs = [(group[0], other) for group in groups.values() for other in group[1:]]
    most = env.size.states // (1 if env.card.snapshot == "copy" else 4)
    for one, other in pairs[:most]:
        _same_future(env, one, other)
    return f"{count} states, {len(groups)} keys, {min(len(pairs), most)} pairs of equal key with equal futures"


def _same_key(driver: Driver, saved: Snapshot) -> None:
    twin = driver.fork(99)
    twin.restore(twin.snapshot()._replace(turn=saved.turn + 1, max_turns=saved.max_turns + 2))
    if twin.state_key() != driver.state_key():
        raise Violation(
            f"turn {saved.turn}: the state key depends on turn or generator.", "let _key_state return neither."
        )


def _same_future(env: EnvUnderTest, one: Snapshot, other: Snapshot) -> None:
    """Equal keys: under equal generators, equal actions lead to equal rewards and ends, and texts of one player."""
    drivers = []
    for saved in (one, other):
        driver = env.world()
        begin(driver, Play("random", 0))
        driver.restore(saved._replace(turn=0))
        drivers.append(driver.fork(7))
    rng = stream("conformance.same_future", one.turn, other.turn)
    for _ in range(6):
        if any(driver.ended for driver in drivers):
            return
        lists = [[driver.admissible_actions(player) for player in driver.active] for driver in drivers]
        if lists[0] != lists[1]:
            raise Violation("two states with one key admit different actions.", "let _key_state return all it reads.")
        actions = {player: drivers[0].sample_action(player, rng) for player in drivers[0].to_act}
        views = [
            {
                player: (result.reward, result.terminated, result.info["success"], result.info["action_valid"])
                + ((result.observation,) if env.alone else ())  # of several, each also sees what was said before
                for player, result in act(driver, actions).results.items()
            }
            for driver in drivers
        ]
        if views[0] != views[1]:
            raise Violation(
                f"two states with one key part after {actions!r:.80}: {views[0]!r:.200} against {views[1]!r:.200}.",
                "let _key_state return all that the dynamics, texts and rewards read.",
            )
