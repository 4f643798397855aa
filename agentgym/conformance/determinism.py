"""Checks of determinism: equal bytes everywhere, and nothing read from or told to the outside world."""

from __future__ import annotations

import pickle
from dataclasses import asdict

from agentgym.conformance.env_under_test import EnvUnderTest
from agentgym.conformance.errors import NotApplicable, Violation
from agentgym.conformance.play import Play, act, begin, difference, follow, line
from agentgym.conformance.players import PlayerAgent
from agentgym.conformance.process import ROUNDS
from agentgym.conformance.workers import SPAWNED
from agentgym.core.rng import stream
from agentgym.rollout.places import briefing

STARTED = {"fork": "started by fork", "spawn": f"started by spawn, with PYTHONHASHSEED={SPAWNED}"}
SOURCES = (
    "draw only from self.np_random or a task's seed; never from global generators, hash(), the clock, or the order "
    "of a set or a folder."
)


def replay(env: EnvUnderTest) -> str:
    """D7, M2: a transcript's actions, played again in this process, give equal bytes."""
    for play, transcript in zip(env.scripts, env.reference, strict=True):
        driver = env.drive_for(play)
        told = [line(begin(driver, play)), *follow(driver, transcript.actions)]
        wrong = difference(transcript.lines, told)
        if wrong:
            raise Violation(f"{asdict(play)} played again in one process: {wrong}", SOURCES)
    return f"{len(env.reference)} transcripts"


def processes(env: EnvUnderTest) -> str:
    """D1, M2: fresh processes under PYTHONHASHSEED 0 and 1 give equal bytes; the one that is spawned has another.

    What players are told before they play can be sent from one to another.
    """
    driver = env.drive()
    for player in driver.players:
        try:
            pickle.dumps(briefing(driver, player))
        except Exception as error:
            raise Violation(
                f"what {player} is told cannot be sent to another process: {error}",
                "let manual, tools, examples and grammar be plain data.",
            ) from None
    expected = [transcript.lines for transcript in env.reference]
    for seed in (0, 1):
        _same(env, expected, env.workers.answer(seed)["plays"], f"with PYTHONHASHSEED={seed}")
    return f"{len(expected)} transcripts under each hash seed"


def start_methods(env: EnvUnderTest) -> str:
    """D1: forked and spawned processes give equal bytes, the latter under one more PYTHONHASHSEED."""
    answer = env.workers.answer(1)
    if any(env.workers.answer(seed)["plays"] != [each.lines for each in env.reference] for seed in (0, 1)):
        raise NotApplicable("fresh processes give other bytes by themselves, see above")
    for method, told in answer["started"].items():
        _same(env, answer["plays"], told, STARTED[method])
    return f"{', '.join(answer['started'])}: {len(answer['plays'])} transcripts each"


def _same(env: EnvUnderTest, expected: list[list[str]], plays: list[list[str]], where: str) -> None:
    for play, one, other in zip(env.scripts, expected, plays, strict=True):
        wrong = difference(one, other)
        if wrong:
            raise Violation(f"{asdict(play)} in a process {where}: {wrong}", SOURCES)


def interleaved(env: EnvUnderTest) -> str:
    """D1: two environments stepped in turn, with a third made and reset between, do not notice each other."""
    plays, expected = env.scripts[:2], env.reference[:2]
    drivers = [env.drive() for _ in plays]
    told = [[line(begin(driver, play))] for driver, play in zip(drivers, plays, strict=True)]
    for turn in range(max(len(each.actions) for each in expected)):
        other = env.drive() if turn < 3 else None
        for index, driver in enumerate(drivers):
            told[index] += follow(driver, expected[index].actions[turn : turn + 1])
            if other is not None:
                seen = begin(other, Play("random", turn)).results
                rng = stream("conformance.interleaved", turn)
                act(
                    other,
                    {player: PlayerAgent(other, player, "random", rng).act(seen[player]) for player in other.to_act},
                )
    for index, play in enumerate(plays):
        wrong = difference(expected[index].lines, told[index])
        if wrong:
            raise Violation(
                f"{asdict(play)} interleaved with other environments: {wrong}",
                "keep nothing that changes in the class, the module or an object shared between environments.",
            )
    return f"{len(plays)} environments in turn, 3 others between"


def global_generators(env: EnvUnderTest) -> str:
    """D2: making, resetting and stepping leave Python's and NumPy's global generators as they were."""
    if not env.workers.answer(0)["generators_untouched"]:
        raise Violation(
            "random.getstate() or numpy.random.get_state() changed.",
            "draw only from self.np_random, or from numpy.random.default_rng(seed) with a task's seed.",
        )
    return "random.getstate() and numpy.random.get_state() unchanged"


def process(env: EnvUnderTest) -> str:
    """D2: making, resetting and stepping leave the settings of the process as they were."""
    changed = env.workers.answer(0)["process"]
    if changed:
        raise Violation(
            f"changed for all that runs in the same process: {', '.join(changed)[:300]}.",
            "leave alone what belongs to the process as a whole, or put it back before a reset or a step returns.",
        )
    return "limits, signals, locale, folder and hooks unchanged"


def leftovers(env: EnvUnderTest) -> str:
    """D2: environments that are closed leave no thread, process or descriptor behind, each one more than the last."""
    grown = env.workers.answer(0)["leftovers"]
    left = [f"{count} {name}" for name, count in sorted(grown.items()) if count >= ROUNDS]
    if left:
        raise Violation(
            f"{ROUNDS} environments that were made, reset and closed left {', '.join(left)} behind.",
            "end what an environment has started, and close what it has opened, in close().",
        )
    return f"{ROUNDS} environments came and went: threads, processes and descriptors as before"


def network(env: EnvUnderTest) -> str:
    """D3: no connection, no name look-up and no other program than the one that the card names.

    With that program a world may speak through a port of this machine, once it has started it.
    """
    calls = env.workers.calls
    answer = {"network": calls, "programs": [], "ports": []} if calls else env.workers.answer(0)
    own = env.card.program if env.is_world else ""
    programs = [] if own else [*answer["programs"], *answer["ports"]]
    if answer["network"] or programs:
        raise Violation(
            f"the outside world was called: {', '.join([*answer['network'], *programs])}.",
            "ship what is needed as package data, or inject it as an argument.",
        )
    return f"no connection, no look-up, no program started{f' but {own}' if own else ''}"


def silence(env: EnvUnderTest) -> str:
    """D3: nothing is printed."""
    printed = env.workers.answer(0)["printed"]
    if printed:
        raise Violation(f"on standard output or error stands {printed[:300]!r}.", "print and warn of nothing.")
    return "standard output and error are empty"


def files(env: EnvUnderTest) -> str:
    """D3: nothing is written outside the temporary folder."""
    writes = env.workers.answer(0)["writes"]
    if writes:
        raise Violation(f"written: {', '.join(writes[:5])}.", "write only below tempfile.gettempdir(), or nothing.")
    return "nothing written outside the temporary folder"


def clock(env: EnvUnderTest) -> str:
    """D3: with the clock set thirty years ahead, a process gives equal bytes."""
    answer = env.workers.answer(1)
    _same(env, answer["plays"], answer["later"], "whose clock was set 30 years ahead")
    return f"{len(answer['later'])} transcripts equal 30 years later"


def no_code(env: EnvUnderTest) -> str:
    """S5: no action is compiled, evaluated or imported."""
    if not env.is_world:
        raise NotApplicable("actions are no text")
    code = env.workers.answer(0)["code"]
    if code:
        raise Violation(f"text of an action was run as code: {code[0]}.", "parse actions with the grammar.")
    return "no text of an action was compiled or imported"
