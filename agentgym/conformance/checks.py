"""Every check in order, and the function that runs them."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable, Mapping
from typing import Any

from agentgym.conformance import actions, api, determinism, episodes, golden, info, scores, seats_checks, state, tasks
from agentgym.conformance.report import Report, Result, Status
from agentgym.conformance.seats_subject import SeatsSubject
from agentgym.conformance.subject import Subject, open_subject
from agentgym.conformance.verdict import NotApplicable, Violation, describe
from agentgym.core import Game, LanguageEnv, MissingExtra

Check = Callable[[Subject], str]

HERE: tuple[tuple[str, str, Check], ...] = (
    ("Gymnasium's checker", "A2", api.gymnasium_checker),
    ("spaces", "A3", api.spaces),
    ("info", "A5", info.info),
    ("success", "A6", api.success),
    ("spec as JSON", "A8", api.spec_json),
    ("bad options", "A12", api.options),
    ("invalid actions", "A4", actions.invalid_actions),
    ("admissible actions", "A7", actions.admissible),
    ("sample_action", "A7", actions.samples),
    ("grammar and manual", "A11", actions.grammar),
    ("turn limit", "A4", episodes.turn_limit),
    ("after the end", "A4", episodes.after_end),
    ("engine failures", "O5", episodes.failures),
    ("reset equals fresh", "D5", episodes.reset_again),
    ("snapshot and restore", "A9", state.snapshots),
    ("fork", "A9", state.forks),
    ("wrapped state", "A9", state.wrapped),
    ("re-seeded forks", "A9", state.reseeded),
    ("state key", "A9", state.state_keys),
    ("panels", "O3", tasks.panels),
    ("disjoint splits", "O3", tasks.disjoint),
    ("task options", "O3", tasks.task_options),
    ("bad tasks", "O3", tasks.hostile_tasks),
    ("reference", "O3", tasks.references),
    ("leaks", "S4", tasks.leaks),
    ("oracle", "O1", scores.oracle),
    ("expert", "O2", scores.expert),
    ("random agent", "O2", scores.random_agent),
    ("do-nothing agent", "O2", scores.nothing),
    ("exploits", "O6", scores.exploits),
    ("replay", "D7", determinism.replay),
    ("interleaving", "D1", determinism.interleaved),
)
ELSEWHERE: tuple[tuple[str, str, Check], ...] = (  # these ask the fresh processes
    ("registration", "A1", api.registration),
    ("processes", "D1", determinism.processes),
    ("start methods", "D1", determinism.start_methods),
    ("clock", "D3", determinism.clock),
    ("global generators", "D2", determinism.global_generators),
    ("network", "D3", determinism.network),
    ("silence", "D3", determinism.silence),
    ("files", "D3", determinism.files),
    ("text is not run", "S5", determinism.no_code),
    ("vector environments", "D4", determinism.vector),
    ("other process", "A9", state.other_process),
    ("golden record", "A10", golden.golden),
)
CHECKS = (*HERE, *ELSEWHERE)


def check(env_id: str, *, full: bool = False, kwargs: Mapping[str, Any] | None = None) -> Report:
    """Run every check on an environment id, anyone's.

    Checks of the LanguageEnv contract are `not applicable` to an ordinary Gymnasium environment.

    Args:
        env_id: An id, with or without `AgentGym/`; a third party's with its module, as in `mypkg:NS/Echo-v0`.
        full: Play every task of every panel with oracle and expert, and more of everything; otherwise a sample. Of
            all but the panels, less is played where the world runs another program.
        kwargs: Constructor arguments, JSON-safe.

    Returns:
        The results, of `CHECKS` or, for a game of many seats, of the lists in `seats_checks`.

    Raises:
        UnknownName: if there is no such id.
        MissingExtra: if the environment needs a package that is not installed.
    """
    with open_subject(env_id, full=full, kwargs=kwargs) as subject:
        checks = seats_checks.CHECKS if isinstance(subject, SeatsSubject) else CHECKS
        first = _run("construction", "A1", _construction, subject)
        if first.status == "failed":
            why = "the environment cannot be made, see above"
            return Report(subject.name, [first, *(Result(n, f, "not applicable", why, 0.0) for n, f, _ in checks)])
        if isinstance(subject, SeatsSubject):
            seats_checks.start_workers(subject)
        else:
            _start_workers(subject)
        try:
            return Report(
                subject.name, [first, *(_run(name, feature, each, subject) for name, feature, each in checks)]
            )
        finally:
            subject.workers.close()


def _construction(subject: Subject) -> str:
    """A1: `gymnasium.make`, or `pettingzoo.make`, and `reset` work."""
    env = subject.make()
    world = env.unwrapped
    if isinstance(world, (LanguageEnv, Game)):
        for split in subject.finite:
            if not world.tasks(split).size:
                raise Violation(
                    f"split {split!r} has no tasks.", f"write its panel with  agentgym golden --update {subject.name}."
                )
    env.reset(seed=0)
    return f"{'pettingzoo' if isinstance(world, Game) else 'gymnasium'}.make({subject.name!r})"


def _start_workers(subject: Subject) -> None:
    plays = [{name: getattr(play, name) for name in play.__dataclass_fields__} for play in subject.scripts]
    saved = {}
    if subject.is_world and subject.card.snapshot != "none":
        saved = state.saved_for_workers(subject)
    subject.workers.start(0, plays=plays, inject=subject.is_world, golden=subject.ours)
    subject.workers.start(1, plays=plays, start_methods=True)
    subject.workers.start(2, plays=plays, shift_clock=True, vector=True, restore=saved)


def _run(name: str, feature: str, each: Check, subject: Subject) -> Result:
    began = time.perf_counter()
    status: Status = "passed"
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            detail = each(subject)
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
    return Result(name, feature, status, detail, time.perf_counter() - began)
