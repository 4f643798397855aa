"""Checks of the interface of many seats: PettingZoo's own tests, spaces, info, success, arguments, registration."""

from __future__ import annotations

import contextlib
import io
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

from agentgym.conformance.info import _containers, _contract, _regular
from agentgym.conformance.play import Play
from agentgym.conformance.seats_play import advance, begin, in_turns
from agentgym.conformance.seats_subject import SeatsSubject
from agentgym.conformance.verdict import Violation, describe
from agentgym.core import AgentGymError, ConfigError, Utterance, catalog

CYCLES = 200
UNAVOIDABLE = (  # what PettingZoo's tests warn of in every environment of text
    "Observation is not a NumPy array", "Observation space for each agent probably should be",
    "Action space for each agent probably should be",
)  # fmt: skip


def upstream_aec(subject: SeatsSubject) -> str:
    """M1: PettingZoo's `api_test` and `seed_test`, without a warning that text can avoid."""
    made = subject.make if subject.in_turns else subject.other_view
    _upstream("api_test", lambda: api_test(made(), CYCLES))
    _upstream("seed_test", lambda: seed_test(made, CYCLES))
    return f"api_test, seed_test of the {'game' if subject.in_turns else 'AEC view'}"


def upstream_parallel(subject: SeatsSubject) -> str:
    """M1: PettingZoo's `parallel_api_test` and `parallel_seed_test`, without a warning."""
    made = subject.other_view if subject.in_turns else subject.make
    _upstream("parallel_api_test", lambda: parallel_api_test(made(), CYCLES))
    _upstream("parallel_seed_test", lambda: parallel_seed_test(made, CYCLES))
    return f"parallel_api_test, parallel_seed_test of the {'parallel view' if subject.in_turns else 'game'}"


def _upstream(name: str, test: Callable[[], None]) -> None:
    with warnings.catch_warnings(record=True) as heard, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        try:
            test()
        except Exception as error:  # any exception is the finding
            raise Violation(f"pettingzoo.test.{name}: {describe(error)}", "follow that message.") from error
    told = [str(one.message) for one in heard if not str(one.message).startswith(UNAVOIDABLE)]
    if told:
        raise Violation(f"pettingzoo.test.{name} warns: {told[0]}", "follow that message.")


def spaces(subject: SeatsSubject) -> str:
    """A3: every observation of random, admissible and hostile walks lies in its space; flags and rewards are plain."""
    world = subject.sample
    for seat in world.possible_agents:
        observed, said = world.observation_space(seat), world.action_space(seat)
        if list(observed) != ["text"] or not isinstance(observed["text"], Utterance) or not isinstance(said, Utterance):
            raise Violation(f"{seat} has the spaces {observed} and {said}.", "leave the spaces to the base class.")
    for where, answer in subject.answered:
        for seat, observation in answer.observations.items():
            if observation not in world.observation_space(seat):
                raise Violation(
                    f"{where}: the observation {observation!r:.80} of {seat} is outside its space.",
                    "return text from _view and tell; leave observe to the base class.",
                )
        for seat, reward in answer.rewards.items():
            if type(reward) is not float or not math.isfinite(reward):
                raise Violation(
                    f"{where}: the reward of {seat} is {reward!r}.", "give finite numbers in the JointOutcome."
                )
            flags = answer.terminations[seat], answer.truncations[seat]
            if any(type(flag) is not bool for flag in flags) or all(flags):
                raise Violation(f"{where}: terminated and truncated of {seat} are {flags}.", "leave flags to the base.")
    return f"{len(subject.answered)} answers"


def info(subject: SeatsSubject) -> str:
    """A5: each seat's `info` has the same keys, one type each, is JSON-safe and shares no object."""
    types: dict[str, type] = {}
    seen: dict[int, str] = {}
    keep = []
    for where, answer in subject.answered:
        keep.append(answer)
        if not answer.actions or None not in answer.actions.values():
            for seat, given in answer.infos.items():
                _contract(subject, given, f"{where}, {seat}")
                _regular(given, types, f"{where}, {seat}")
                for path, part in _containers(given, "info"):
                    if id(part) in seen:
                        raise Violation(
                            f"{where}: {path} of {seat} is the very object returned as {seen[id(part)]}.",
                            "build every dict and list of info anew; leave info to the base class.",
                        )
                    seen[id(part)] = f"{path} of {seat} at {where}"
    return f"{len(types)} keys, {len(seen)} objects, none returned twice"


def success(subject: SeatsSubject) -> str:
    """A6: a seat succeeds at its end only, and one that ran out of turns never does."""
    ends = wins = 0
    for where, answer in subject.answered:
        for seat, given in answer.infos.items():
            if given["success"] and not answer.terminations[seat]:
                raise Violation(
                    f"{where}: success of {seat} is True while it is not terminated.",
                    "name winners only in a JointOutcome that ends the game for them.",
                )
            ends, wins = ends + answer.terminations[seat], wins + given["success"]
    return f"{ends} ends of seats, {wins} of them successes"


def options(subject: SeatsSubject) -> str:
    """A12: unknown or impossible constructor arguments and reset options are refused, known ones work."""
    wrong: list[dict[str, Any]] = [
        {"no_such_argument": 1}, {"split": "no such split"}, {"max_turns": 0}, {"render_mode": "no such mode"},
    ]  # fmt: skip
    for given in [*wrong, *([{"tries": 0}] if subject.in_turns else [])]:
        try:
            subject.make(**given)
        except (TypeError, AgentGymError):
            continue
        raise Violation(f"the constructor takes {given} without a word.", "pass **kwargs on to the base class.")
    world = subject.world()
    try:
        world.reset(seed=0, options={"no such option": 1})
    except ConfigError:
        pass
    else:
        raise Violation("reset takes an unknown option.", "name what reset understands in reset_options.")
    for split in subject.card.splits:
        answer = begin(subject.world(split=split), Play("random", 0))
        if any(given["split"] not in subject.card.splits for given in answer.infos.values()):
            raise Violation(f"split={split!r} plays a task of another.", "draw from tasks(self.split).")
    shown = subject.world(render_mode="ansi")
    texts = [shown.render()]
    begin(shown, Play("random", 0))
    advance(shown, lambda seat: shown.sample_action(seat, shown.np_random))
    if not all(isinstance(text, str) and text for text in (*texts, shown.render())):
        raise Violation("render() gives no text in mode ansi.", "leave render to the base class; show _public.")
    if subject.card.images:
        _picture(subject)
    shown.close()
    shown.close()
    return f"{len(wrong) + 1} bad arguments refused, {len(subject.card.splits)} splits made"


def _picture(subject: SeatsSubject) -> None:
    world = subject.world(render_mode="rgb_array")
    begin(world, Play("random", 0))
    picture, before = world.render(), world.state_key()
    fine = isinstance(picture, np.ndarray) and picture.dtype == np.uint8 and picture.ndim == 3
    if not fine or picture.shape[2] != 3 or world.state_key() != before:
        raise Violation(
            "render() gives no picture in mode rgb_array.", "return uint8 of shape (h, w, 3) from _picture."
        )


def registration(subject: SeatsSubject) -> str:
    """A1: a fresh process makes the id in PettingZoo's two registries, and card and class agree."""
    import pettingzoo

    subject.workers.answer(0)
    world, card = subject.sample, subject.card
    if catalog().get(subject.name) is not card:
        raise Violation(
            f"the catalog has no card of {subject.name}, or another than the class {type(world).__name__}.",
            "call agentgym.register(card) where the id is registered, and set the same object as the class's card.",
        )
    wanted = f"{type(world).__module__}:{type(world).__qualname__}"
    if card.entry_point != wanted or in_turns(world) != hasattr(type(world), "last"):
        raise Violation(f"the card names {card.entry_point} ({card.api}), made was {wanted}.", "mend the card.")
    lacking = [kind for kind in ("aec", "parallel") if subject.name not in getattr(pettingzoo, f"{kind}_registry")]
    if lacking:
        raise Violation(f"PettingZoo's {lacking[0]} registry lacks the id.", "leave registration to register(card).")
    facts = {
        "seats": (card.seats, len(world.possible_agents)),
        "opponents": (card.opponents, world.opponents),
        "tools": (card.tools, bool(world.tools)),
        "images": (card.images, "rgb_array" in world.metadata["render_modes"]),
    }
    for name, (said, true) in facts.items():
        if said != true:
            raise Violation(
                f"the card says {name}={said!r}, the class {true!r}.", "let the card say what the class does."
            )
    return "in both registries; card and class agree"
