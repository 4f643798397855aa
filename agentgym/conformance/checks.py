"""Every check in order, and the function that runs them."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict

from agentgym.conformance import (
    actions,
    api,
    contract,
    determinism,
    episodes,
    gamers,
    golden,
    info,
    opponents,
    privacy,
    prose,
    reading,
    schemas,
    scores,
    state,
    tasks,
)
from agentgym.conformance.env_under_test import EnvUnderTest, open_env
from agentgym.conformance.errors import NotApplicable, Violation, describe
from agentgym.conformance.report import CheckResult, Report, Status
from agentgym.conformance.worker import Witness
from agentgym.conformance.workers import WitnessProcesses
from agentgym.core import MissingExtra

Check = Callable[[EnvUnderTest], str]

IN_PROCESS: tuple[tuple[str, str, Check], ...] = (
    ("Gymnasium's checker", "A2", api.gymnasium_checker),
    ("PettingZoo's AEC tests", "M1", api.pettingzoo_aec),
    ("PettingZoo's parallel tests", "M1", api.pettingzoo_parallel),
    ("PettingZoo's max_cycles", "M1", api.max_cycles),
    ("hooks only", "A13", contract.hooks_only),
    ("spaces", "A3", contract.spaces),
    ("info", "A5", info.info),
    ("success", "A6", contract.success),
    ("spec as JSON", "A8", api.spec_json),
    ("bad options", "A12", contract.options),
    ("invalid actions", "A4", actions.invalid_actions),
    ("reading time", "A4", reading.reading_time),
    ("prose", "A4", prose.prose),
    ("tries", "A4", actions.tries),
    ("admissible actions", "A7, M5", actions.admissible),
    ("sample_action", "A7", actions.samples),
    ("grammar and manual", "A11", actions.grammar),
    ("turn limit", "A4", episodes.turn_limit),
    ("after the end", "A4", episodes.after_end),
    ("dead players", "M8", api.dead_players),
    ("out of turn", "M9", api.out_of_turn),
    ("imitation of the moderator", "M7", privacy.imitation),
    ("private information", "M6", privacy.privacy),
    ("engine failures", "O5", episodes.failures),
    ("reset equals fresh", "D5", episodes.reset_again),
    ("snapshot and restore", "A9", state.snapshots),
    ("fork", "A9", state.forks),
    ("wrapped state", "A9", api.wrapped_state),
    ("re-seeded forks", "A9", state.reseeded),
    ("state key", "A9", state.state_keys),
    ("schemas", "O3", schemas.schemas),
    ("panels", "O3", tasks.panels),
    ("disjoint splits", "O3", tasks.disjoint),
    ("task options", "O3", tasks.task_options),
    ("bad tasks", "O3", tasks.hostile_tasks),
    ("reference", "O3", tasks.references),
    ("leaks", "S4", tasks.leaks),
    ("hidden truth", "S4", gamers.hidden_truth),
    ("opponents", "M3", opponents.opponents),
    ("oracle", "O1", scores.oracle),
    ("expert", "O2", scores.expert),
    ("random agent", "O2", scores.random_agent),
    ("do-nothing agent", "O2", scores.nothing),
    ("exploits", "O6", scores.exploits),
    ("shortcuts", "O6", scores.shortcuts),
    ("generic shortcuts", "O6", gamers.generic_shortcuts),
    ("replay", "D7, M2", determinism.replay),
    ("interleaving", "D1", determinism.interleaved),
)
SUBPROCESS: tuple[tuple[str, str, Check], ...] = (  # these ask the fresh processes
    ("registration", "A1", api.registration),
    ("processes", "D1, M2", determinism.processes),
    ("start methods", "D1", determinism.start_methods),
    ("clock", "D3", determinism.clock),
    ("global generators", "D2", determinism.global_generators),
    ("process", "D2", determinism.process),
    ("leftovers", "D2", determinism.leftovers),
    ("network", "D3", determinism.network),
    ("silence", "D3", determinism.silence),
    ("files", "D3", determinism.files),
    ("text is not run", "S5", determinism.no_code),
    ("vector environments", "D4", api.vectors),
    ("other process", "A9", state.other_process),
    ("golden record", "A10", golden.golden),
)
CHECKS = (*IN_PROCESS, *SUBPROCESS)


def check(env_id: str, *, full: bool = False, kwargs: Mapping[str, object] | None = None) -> Report:
    """Run every check on an environment id, anyone's, with one player or many.

    Checks of the contract of a world are `not applicable` to an ordinary Gymnasium environment, checks of an interface
    to environments of another, and checks of players among each other to a world with one player.

    Args:
        env_id: An id, with or without `AgentGym/`; a third party's with its module, as in `mypkg:NS/Echo-v0`.
        full: Play every task of every panel with oracle and expert, and more of everything; otherwise a sample. Where
            the world runs another program, less is played of all but the panels, and 64 tasks of a panel of more than
            a thousand.
        kwargs: Constructor arguments, JSON-safe.

    Returns:
        The results of `CHECKS`, and first that of making the environment.

    Raises:
        UnknownName: if there is no such id.
        MissingExtra: if the environment needs a package that is not installed.
    """
    with open_env(env_id, full=full, kwargs=kwargs) as env:
        first = construct(env)
        if first.status == "failed":
            return without_construction(env.name, first)
        start_workers(env)
        return Report(env.name, [first, *(run(name, feature, each, env) for name, feature, each in CHECKS)])


def construct(env: EnvUnderTest) -> CheckResult:
    """The first result: of making the environment."""
    return run("construction", "A1", _construction, env)


def without_construction(name: str, first: CheckResult) -> Report:
    """The report of an environment that cannot be made.

    Args:
        name: Its id.
        first: What `construct` found.
    """
    why = "the environment cannot be made, see above"
    return Report(name, [first, *(CheckResult(n, f, "not applicable", why, 0.0) for n, f, _ in CHECKS)])


def _construction(env: EnvUnderTest) -> str:
    """A1: the environment is made, as the library of its interface makes it, and `reset` works."""
    driver = env.drive()
    if env.is_world:
        for split in env.finite:
            if not driver.world.tasks(split).size:
                raise Violation(f"split {split!r} has no tasks.", f"run  agentgym golden --update {env.name}.")
    driver.reset(seed=0)
    return f"{env.name!r} with {len(env.players)} players"


def start_workers(env: EnvUnderTest) -> None:
    """Start the fresh processes that play beside the checks of this one; they end with the checks."""
    env.workers = WitnessProcesses(env.prefixed, env.kwargs, env.folder, Witness)
    env.leave.callback(env.workers.close)
    plays = [asdict(play) for play in env.scripts]
    saved = {}
    if env.is_world and env.card.snapshot != "none":
        saved = state.saved_for_workers(env, api.dressings(env))
    env.workers.start(0, plays=plays, inject=env.is_world, golden=env.ours, leftovers=True)
    others = {"shift_clock": True, "start_methods": True, "vector": api.is_gymnasium(env), "restore": saved}
    env.workers.start(1, plays=plays, **others)


def run(name: str, feature: str, each: Check, env: EnvUnderTest) -> CheckResult:
    """Run one check and time it.

    Args:
        name: Its name.
        feature: The feature it guards.
        each: The check.
        env: The environment under test.
    """
    began = time.perf_counter()
    status: Status = "passed"
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            detail = each(env)
    except NotApplicable as reason:
        status, detail = "not applicable", str(reason)
    except Violation as error:
        status, detail = "failed", str(error)
    except MissingExtra:
        raise
    except Exception as error:  # a world may raise anything; it is reported as what it is, a failed check
        status, detail = (
            "failed",
            f"the environment raised {describe(error)}. Fix: mend it; no call of the contract may raise this.",
        )
    return CheckResult(name, feature, status, detail, time.perf_counter() - began)
