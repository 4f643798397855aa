"""Checks of saved games, determinism, and of what a seat must not know."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

import numpy as np

import agentgym.core as core
from agentgym.conformance.determinism import SOURCES
from agentgym.conformance.info import INFO
from agentgym.conformance.play import Play, difference
from agentgym.conformance.seats_play import begin, follow, game, line, stroll, transcribe, utter
from agentgym.conformance.seats_subject import SeatsSubject, middle
from agentgym.conformance.state import ALONE, DEPTHS, PLAIN, SHELF, TAIL
from agentgym.conformance.verdict import NotApplicable, Violation

BLIND = "let texts, lists and players of a seat read only what the seat has seen."


def _world(subject: SeatsSubject) -> Any:
    world = subject.world()
    if world.card.snapshot == "none":
        raise NotApplicable("the card says snapshot='none': this engine cannot be copied")
    return world


def _standing(world: Any) -> list[str]:
    seen = [str([world.observe(seat), world.admissible_actions(seat)]) for seat in world.agents]
    return [world.state_key(), world.snapshot().digest(), str(world.turn), *seen]


def _improvise(world: Any, seed: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Play random actions, every fifth empty: what was said, and each answer with how the game then stands."""
    rng = np.random.default_rng(seed)
    said: list[dict[str, Any]] = []
    lines: list[str] = []
    while len(said) < TAIL and world.agents:
        empty = len(said) % 5 == 3
        answer = utter(world, {}) if empty else stroll(world, rng)
        said.append(dict(answer.actions))
        lines += [line(answer), *_standing(world)]
    return said, lines


def _again(world: Any, said: Iterable[dict[str, Any]]) -> list[str]:
    lines: list[str] = []
    for actions in said:
        lines += [line(utter(world, actions)), *_standing(world)]
    return lines


def snapshots(subject: SeatsSubject) -> str:
    """A9: a snapshot changes nothing, is not changed by play, and restores exactly, twice, and in a new game."""
    _world(subject)
    for seed, depth in enumerate(DEPTHS):
        where = f"seed {seed}, turn {depth}"
        world = subject.world()
        middle(world, seed, depth)
        before = _standing(world)
        saved = core.snapshot(world)
        digest = saved.digest()
        if _standing(world) != before:
            raise Violation(f"{where}: snapshot() changes the game.", "only copy in snapshot.")
        said, lines = _improvise(world, seed)
        if saved.digest() != digest:
            raise Violation(f"{where}: play changes a snapshot that was taken before.", PLAIN)
        other = subject.world()
        middle(other, seed + 50, 1)
        for target in (world, world, other):
            core.restore(target, saved)
            if _standing(target) != before:
                raise Violation(f"{where}: the state restored differs from the one saved.", PLAIN)
            wrong = difference(lines, _again(target, said))
            if wrong:
                raise Violation(f"{where}: after restoring, play differs: {wrong}", PLAIN)
    return f"{len(DEPTHS)} states restored thrice each"


def forks(subject: SeatsSubject) -> str:
    """A9: a fork equals its origin, and neither notices what the other does."""
    _world(subject)
    for seed, depth in enumerate(DEPTHS):
        where = f"seed {seed}, turn {depth}"
        world = subject.world()
        middle(world, seed, depth)
        before = _standing(world)
        twin = core.fork(world)
        if _standing(twin) != before or _standing(world) != before:
            raise Violation(f"{where}: a fork differs from its origin, or changed it.", PLAIN)
        if twin.observation_space(twin.agents[0]) is world.observation_space(world.agents[0]):
            raise Violation(f"{where}: a fork shares its spaces, which draw, with its origin.", ALONE)
        said, lines = _improvise(twin, seed)
        if _standing(world) != before:
            raise Violation(f"{where}: play in a fork changes its origin.", ALONE)
        after = _standing(twin)
        wrong = difference(lines, _again(world, said))
        if wrong:
            raise Violation(f"{where}: origin and fork part under equal actions: {wrong}", PLAIN)
        middle(world, seed + 50, 2)
        if _standing(twin) != after:
            raise Violation(f"{where}: play in the origin changes a fork.", ALONE)
    return f"{len(DEPTHS)} forks equal and independent"


def reseeded(subject: SeatsSubject) -> str:
    """A9: re-seeded forks throw other dice: futures differ where the game has chance, and nowhere else."""
    world = _world(subject)
    different = 0
    for seed in range(6):
        middle(world, seed, 0)
        said = _improvise(world.fork(), seed)[0]
        if len({str(world.fork(reseed).np_random.bit_generator.state) for reseed in (None, 1, 2)}) < 3:
            raise Violation("fork(reseed) does not give the fork a generator of its own.", "leave fork to the base.")
        different += len({tuple(follow(world.fork(reseed), said)) for reseed in range(8)}) > 1
    if world.card.deterministic and different:
        raise Violation(
            "the card says deterministic, but the outcome of equal actions depends on the generator.",
            "say deterministic=False, or draw nothing after the task is chosen.",
        )
    return f"{different} of 6 states have more than one future; the card says deterministic={world.card.deterministic}"


def state_keys(subject: SeatsSubject) -> str:
    """A9: equal keys, equal futures under equal dice; generator and turn are not in the key."""
    world = _world(subject)
    groups: dict[str, list[Any]] = {}
    count = seed = 0
    while count < subject.size.states:
        begin(world, Play("random", seed, task=0 if seed % 2 else None))
        rng = np.random.default_rng(seed)
        for _ in range(12):
            saved = world.snapshot()
            twin = world.fork(99)
            twin.restore(replace(twin.snapshot(), turn=saved.turn + 1, max_turns=saved.max_turns + 2))
            if twin.state_key() != world.state_key():
                raise Violation("the state key depends on turn or generator.", "let _key_state return neither.")
            groups.setdefault(world.state_key(), []).append(saved)
            count += 1
            stroll(world, rng)
            if world.ended:
                break
        seed += 1
    pairs = [(group[0], other) for group in groups.values() for other in group[1:]][: subject.size.states]
    for one, other in pairs:
        _same_future(subject, one, other)
    return f"{count} states, {len(groups)} keys, {len(pairs)} pairs of equal key with equal futures"


def _same_future(subject: SeatsSubject, one: Any, other: Any) -> None:
    worlds = []
    for saved in (one, other):
        world = subject.world()
        begin(world, Play("random", 0))
        world.restore(replace(saved, turn=0))
        worlds.append(world.fork(7))
    rng = np.random.default_rng(one.turn)
    for _ in range(6):
        if worlds[0].ended or worlds[1].ended:
            break
        said = {seat: worlds[0].sample_action(seat, rng) for seat in worlds[0].to_act}
        lists = [[each.admissible_actions(seat) for seat in each.agents] for each in worlds]
        answers = [utter(each, said) for each in worlds]
        views = [
            (a.rewards, a.terminations, {seat: (i["success"], i["action_valid"]) for seat, i in a.infos.items()})
            for a in answers
        ]
        if lists[0] != lists[1] or views[0] != views[1]:
            raise Violation(f"two states with one key part after {said}.", "let _key_state return all that play reads.")


def saved_for_workers(subject: SeatsSubject) -> dict[str, dict[str, Any]]:
    """A snapshot pickled into the subject's folder, with what follows."""
    world = subject.world()
    middle(world, 31, 3)
    state = world.snapshot()
    path = subject.folder / "bare.pickle"
    path.write_bytes(pickle.dumps(state))
    played = _improvise(world, 31)[0]
    world.restore(state)
    saved = {"bare": {"path": str(path), "actions": played, "lines": follow(world, played), "digest": state.digest()}}
    (subject.folder / SHELF).write_text(json.dumps(saved))
    return saved


def reset_again(subject: SeatsSubject) -> str:
    """D5: a game that was used and reset equals a new one."""
    used = subject.make()
    plays = [Play("random", seed, limit=15) for seed in (21, 22)]
    for play in plays:
        transcribe(used, play)
    for play in plays:
        fresh = subject.make()
        wrong = difference(transcribe(fresh, play).lines, transcribe(used, play).lines)
        if wrong:
            raise Violation(f"seed {play.seed}: a used game differs from a new one: {wrong}", "set all in _reset.")
        if fresh.card.snapshot != "none" and fresh.snapshot().digest() != used.snapshot().digest():
            raise Violation(f"seed {play.seed}: the digests of a used and a new game differ.", "set all in _reset.")
    return f"{len(plays)} seeds"


def replay(subject: SeatsSubject) -> str:
    """D7: what was said in a transcript, said again in this process, gives equal bytes."""
    for play, transcript in zip(subject.scripts, subject.reference, strict=True):
        world = subject.make_for(play)
        wrong = difference(transcript.lines, [line(begin(world, play)), *follow(world, transcript.actions)])
        if wrong:
            raise Violation(f"{asdict(play)} played again in one process: {wrong}", SOURCES)
    return f"{len(subject.reference)} transcripts of several steps"


def interleaved(subject: SeatsSubject) -> str:
    """D1: two games played in turn, with a third made and reset between, do not notice each other."""
    plays, told = subject.scripts[:2], subject.reference[:2]
    worlds = [subject.make() for _ in plays]
    lines = [[line(begin(world, play))] for world, play in zip(worlds, plays, strict=True)]
    for turn in range(max(len(each.actions) for each in told)):
        if turn < 3:
            middle(subject.make(), turn, 1)
        for index, world in enumerate(worlds):
            lines[index] += follow(world, told[index].actions[turn : turn + 1])
    for index, play in enumerate(plays):
        wrong = difference(told[index].lines, lines[index])
        if wrong:
            raise Violation(f"{asdict(play)} interleaved with other games: {wrong}", "share nothing between games.")
    return f"{len(plays)} games in turn, 3 others between"


def failures(subject: SeatsSubject) -> str:
    """O5: an engine failure truncates every seat, is marked, and the next reset is as good as new."""
    expected = transcribe(subject.make(), Play("random", 4, limit=12)).lines

    def fail(*_: Any) -> Any:
        raise core.EngineFailure("injected by the conformance check")

    world = subject.world()
    for hook in ("_step" if subject.in_turns else "_step_all", "_reset"):
        begin(world, Play("random", 3))
        setattr(world, hook, fail)
        answer = begin(world, Play("random", 3)) if hook == "_reset" else stroll(world, np.random.default_rng(0))
        delattr(world, hook)
        for seat, given in answer.infos.items():
            fine = given["failure"] and answer.truncations[seat] and not answer.terminations[seat]
            if not fine or answer.rewards[seat] or given["success"] or set(given) != set(INFO):
                raise Violation(
                    f"an EngineFailure in {hook} is not marked for {seat}.", "let it pass out of the hooks."
                )
        wrong = difference(expected, transcribe(world, Play("random", 4, limit=12)).lines)
        if wrong:
            raise Violation(f"the game after a failure in {hook} differs from a new one: {wrong}", "set all in _reset.")
    return "marked in step and in reset; the next reset works"


def privacy(subject: SeatsSubject) -> str:
    """M6: what a seat sees, may do and is advised depends on nothing it cannot know; private lines stay private."""
    searched = _whispers(subject)
    if not subject.has("_resample_hidden"):
        return f"nothing is hidden, so there is no _resample_hidden; {searched} private lines searched"
    world = subject.world()
    states = changed = 0
    for seed in range(6):
        begin(world, Play("random", seed))
        rng = np.random.default_rng(seed)
        for _ in range(10):
            if world.ended:
                break
            for seat in world.agents:
                twin = world.fork()
                twin._resample_hidden(seat, np.random.default_rng(states))
                states += 1
                changed += core.fingerprint(twin._key_state()) != core.fingerprint(world._key_state())
                _alike(world, twin, seat)
            stroll(world, rng)
    if not changed:
        raise Violation("_resample_hidden never changes the state.", "redraw all that the seat does not know.")
    return f"{states} views unchanged under {changed} other deals; {searched} private lines searched"


def _alike(world: Any, twin: Any, seat: str) -> None:
    def told(each: Any) -> list[Any]:
        shown: list[Any] = [each.observe(seat), each.admissible_actions(seat), each.infos[seat], each.role(seat)]
        if seat in each.to_act:
            shown.append(each.sample_action(seat, np.random.default_rng(0)))
            shown += [each.opponent_action(seat, level, np.random.default_rng(0)) for level in each.opponents]
            if getattr(type(each), "_expert") is not core.Game._expert:  # noqa: B009 (a private name of another class)
                shown.append(each.expert_action(seat))
        return shown

    for one, other in zip(told(world), told(twin), strict=True):
        if one != other:
            raise Violation(
                f"{seat} gets {one!r:.120}, and {other!r:.120} where only what it cannot know is otherwise.", BLIND
            )


def _whispers(subject: SeatsSubject) -> int:
    """Search what was told to some seats in everything that the others see of the same game."""
    searched = 0
    for seed in range(4):
        world = subject.world()
        private: list[tuple[frozenset[str], str]] = []
        hand_out = world._deliver

        def listen(text: str, to: Any, hand_out: Any = hand_out, world: Any = world, private: Any = private) -> None:
            if to is not None:
                to = list(to)
                private += [(frozenset(to), line) for line in text.splitlines() if len(line) > 12]
            hand_out(text, to)

        world._deliver = listen
        public: dict[str, str] = dict.fromkeys(world.possible_agents, "")
        for answer in game(world, Play("admissible", seed, limit=60)):
            for seat, observation in answer.observations.items():
                public[seat] += observation["text"] + "\n"
        for seats, text in private:
            searched += 1
            for seat in set(public) - seats:
                mine = any(seat in others and other == text for others, other in private)
                if text in public[seat].splitlines() and not mine:
                    raise Violation(f"{seat} reads {text!r:.100}, which was told to {sorted(seats)} only.", BLIND)
    return searched
