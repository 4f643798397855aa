"""Fresh processes that play the environment under test, one per hash seed, beside the checks of this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from agentgym.conformance.errors import NotApplicable, Violation
from agentgym.vector.pool import Broken, WorkerProcess
from agentgym.vector.worker import Raised

PATIENCE = 600.0  # seconds until a fresh process counts as stuck
SPAWNED = "2"  # PYTHONHASHSEED of the process that a fresh one spawns
TAIL = 600  # characters of a broken process's complaint
MakeWitness = Callable[[str, Mapping[str, Any], Sequence[Path]], Any]  # such as `agentgym.conformance.worker.Witness`


class WitnessProcesses:
    """Processes that hold a witness of one id, by number, which is also their PYTHONHASHSEED.

    Args:
        env_id: The id with its module prefix.
        kwargs: Constructor arguments, JSON-safe.
        folder: Where stands what the processes print.
        witness: Makes what a process holds, in that process, from the id, the arguments and the files that hold what
            it prints; importable by name.
    """

    def __init__(self, env_id: str, kwargs: Mapping[str, Any], folder: Path, witness: MakeWitness):
        self._id, self._kwargs = env_id, dict(kwargs)
        self._folder, self._witness = folder, witness
        self._running: dict[int, WorkerProcess] = {}
        self._answers: dict[int, dict[str, Any]] = {}
        self.calls: list[str] = []  # of the network, by a process that was stopped there

    def start(self, number: int, **job: Any) -> None:
        """Start a process with a job.

        Args:
            number: Its number, and its PYTHONHASHSEED.
            job: What the witness reads.
        """
        printed = (self._folder / f"worker-{number}.out", self._folder / f"worker-{number}.err")
        worker = self._running[number] = WorkerProcess(
            partial(self._witness, self._id, self._kwargs, printed),
            environment={"PYTHONHASHSEED": str(number)},
            output=printed,
        )
        worker.ask("call", ("run", ({"plays": [], **job},), {}))

    def answer(self, number: int) -> dict[str, Any]:
        """What a process found; waits for it.

        Raises:
            Violation: the first time a broken process is asked.
            NotApplicable: after that, so that one fault is one failure.
        """
        if number not in self._answers:
            worker = self._running.get(number)
            if worker is None:
                raise NotApplicable("a fresh process failed, see above")
            answer, complaint = self._found(worker, number)
            self._running.pop(number).end()
            if complaint:
                self.close()
                self.calls = answer.get("network", [])
                if self.calls:
                    raise NotApplicable("a fresh process was stopped where it called the network, see below")
                raise Violation(
                    f"a fresh process that makes {self._id!r} and plays it failed: {complaint[-TAIL:]}.",
                    "give the id with the module that registers it, as in mypkg:NS/Echo-v0, and mend what it says.",
                )
            self._answers[number] = answer
        return self._answers[number]

    def _found(self, worker: WorkerProcess, number: int) -> tuple[dict[str, Any], str]:
        """The answer of a process, and what it complains about instead."""
        try:
            for _ in ("made", "run"):
                answer = worker.answer(PATIENCE)
                if isinstance(answer, Raised):
                    return {}, f"{answer.name}: {answer.message}"
        except Broken as broken:
            printed = (self._folder / f"worker-{number}.err").read_text(errors="replace").strip()
            return {}, ": ".join(filter(None, (str(broken), printed.rpartition("\n")[2])))
        found: dict[str, Any] = json.loads(answer)
        return found, found.get("raised", "")

    def close(self) -> None:
        """End what still runs."""
        for worker in self._running.values():
            worker.end()
        self._running.clear()
