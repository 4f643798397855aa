"""The checks in a process of their own: an environment that hangs or ends its process fails a check, not the report.

When the report stands, or whoever wanted it is gone, nothing is left of what the environment has started.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from typing import Any

from agentgym.conformance.checks import CHECKS, IN_PROCESS, construct, run, start_workers, without_construction
from agentgym.conformance.env_under_test import open_env
from agentgym.conformance.report import CheckResult, Report
from agentgym.core import ConfigError
from agentgym.vector.pool import START_LIMIT, Broken, WorkerProcess
from agentgym.vector.worker import Raised

TIMEOUT, FULL_TIMEOUT = 600.0, 7200.0  # seconds for one check, sampled and full
LIVES = 3  # processes that an environment may break before the rest of the checks is left out
REMEDY = "answer every call, and neither end nor kill the process of whoever calls."


def check_apart(
    env_id: str, *, full: bool = False, kwargs: Mapping[str, object] | None = None, timeout: float | None = None
) -> Report:
    """Run every check on an environment id as `check` does, in a process of its own.

    Args:
        env_id, full, kwargs: As for `check`.
        timeout: Seconds for one check, after which the environment counts as hanging; by default 600, and 7,200 with
            `full`.

    Returns:
        The results of `CHECKS`, and first that of making the environment. A check in which the process ended or hung
        has failed; the next one begins in a new process. After the third such failure the others are left out.

    Raises:
        ConfigError: if the time-out is not above 0.
        UnknownName: if there is no such id.
        MissingExtra: if the environment needs a package that is not installed.
    """
    if timeout is not None and not timeout > 0:
        raise ConfigError(f"timeout must be above 0 seconds, got {timeout!r}")
    session = _Session(partial(_Checker, env_id, full, kwargs), timeout or (FULL_TIMEOUT if full else TIMEOUT))
    try:
        name = session.ask("name")
        if isinstance(name, Broken):
            raise ConfigError(f"{env_id!r} cannot be checked: when its module was imported, {name}")
        first = session.judge("construct", "construction", "A1")
        if first.status == "failed":
            return without_construction(name, first)
        session.begin_workers()
        return Report(name, [first, *(session.check(number) for number in range(len(CHECKS)))])
    finally:
        session.end()


class _Checker:
    """In the other process: the environment, and the checks by number.

    Args:
        env_id, full, kwargs: As for `check`.
    """

    def __init__(self, env_id: str, full: bool, kwargs: Mapping[str, object] | None):
        self._stack = ExitStack()
        self._env = self._stack.enter_context(open_env(env_id, full=full, kwargs=kwargs))

    def name(self) -> str:
        """The full id."""
        return self._env.name

    def construct(self) -> CheckResult:
        """Make the environment."""
        return construct(self._env)

    def begin_workers(self) -> None:
        """Start the fresh processes that play beside the checks."""
        start_workers(self._env)

    def check(self, number: int) -> CheckResult:
        """Run one check."""
        return run(*CHECKS[number], self._env)

    def close(self) -> None:
        """End the fresh processes and remove what was written."""
        self._stack.close()


class _Session:
    """Asks one `_Checker` after the other.

    Args:
        factory: Makes one.
        timeout: Seconds for an answer.
    """

    def __init__(self, factory: partial[_Checker], timeout: float):
        self._factory, self._timeout = factory, timeout
        self._worker: WorkerProcess | None = None
        self._workers_begun, self._broken = False, ""
        self._lives = LIVES

    def ask(self, method: str, *arguments: Any) -> Any:
        """The answer of `method` of the checker, called with `arguments`, or `Broken`; an exception is raised here.

        `Broken` says that the process ended or was silent for too long; the next question starts another one.
        """
        try:
            if self._worker is None:
                self._worker = WorkerProcess(self._factory)
                self._answer(START_LIMIT)
            self._worker.ask("call", (method, arguments, {}))
            return self._answer(self._timeout)
        except Broken as broken:
            self.end()
            self._lives -= 1
            return broken

    def judge(self, method: str, name: str, feature: str, *arguments: Any) -> CheckResult:
        """The result of a check, failed where its process broke.

        Args:
            method: Of `_Checker`.
            name, feature: Of the check.
            arguments: Of the method.
        """
        began = time.perf_counter()
        result = self.ask(method, *arguments)
        if not isinstance(result, Broken):
            found: CheckResult = result
            return found
        detail = f"the environment broke the process of the check: {result}. Fix: {REMEDY}"
        return CheckResult(name, feature, "failed", detail, time.perf_counter() - began)

    def begin_workers(self) -> None:
        """Start the fresh processes; the checks that ask them say so if that breaks."""
        self._workers_begun = True
        broken = self.ask("begin_workers")
        self._broken = str(broken) if isinstance(broken, Broken) else ""

    def check(self, number: int) -> CheckResult:
        """The result of a check."""
        name, feature, _ = CHECKS[number]
        if self._lives <= 0:
            why = f"the environment broke {LIVES} processes, see above"
            return CheckResult(name, feature, "not applicable", why, 0.0)
        if number >= len(IN_PROCESS) and not self._workers_begun:  # those of a process that broke ended with it
            self.begin_workers()
        if number >= len(IN_PROCESS) and self._broken:
            detail = f"the environment broke the process that starts fresh ones: {self._broken}. Fix: {REMEDY}"
            return CheckResult(name, feature, "failed", detail, 0.0)
        return self.judge("check", name, feature, number)

    def end(self) -> None:
        """End the process, and all that was started there."""
        self._workers_begun = False
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _answer(self, seconds: float) -> Any:
        worker = self._worker
        assert worker is not None
        answer = worker.answer(seconds)
        if isinstance(answer, Raised):
            raise answer.error(0)
        return answer
