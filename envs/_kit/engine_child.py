"""The program of an engine's own process: it loads one file, makes the engine in it, and answers calls.

`python engine_child.py FILE ARGUMENTS`, with the arguments as one JSON list. A call is a line of JSON on standard
input, `[name, arguments]`, the answer a line on what was standard output, `{"returned": ...}` or `{"raised": "what"}`.
The file defines `Engine`, and imports nothing but the standard library and the engine's package. The process ends with
its input. On Linux the engine is a child of the process that was started, which only waits for the end of the engine or
of whoever started it: a busy engine, which does not see that its input has ended, is killed then.
"""

import contextlib
import ctypes
import importlib.util
import json
import os
import select
import signal
import sys
from types import ModuleType

PR_SET_PDEATHSIG = 1


def main(file: str, arguments: str) -> None:
    """Answer calls until there are no more.

    Args:
        file: Path of the file of the engine.
        arguments: What the engine is made with, a JSON list.
    """
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):  # engines in C print what nobody is to read
        os.dup2(nothing, stream)
    calls, sys.stdin = sys.stdin, open(os.devnull, encoding="utf-8")  # noqa: SIM115  (as long as the process)
    engine = None
    for line in calls:
        try:
            name, given = json.loads(line)
            if engine is None:
                engine = _load(file).Engine(*json.loads(arguments))
            told = {"returned": getattr(engine, name)(*given)}
        except Exception as error:  # whatever it is, the process that asked is told
            told = {"raised": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(told) + "\n")
        answers.flush()


def apart() -> bool:
    """Whether this is the engine's process; its parent, which waits, does not come back from here."""
    with contextlib.suppress(AttributeError, OSError):  # systems without it: the engine ends with its input alone
        return _forked(os.getppid(), os.pidfd_open(os.getppid()))
    return True


def _forked(starter: int, its_end: int) -> bool:
    own = os.getpid()
    engine = os.fork()
    if engine == 0:
        os.close(its_end)
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != own:
            os._exit(1)
        return True
    for stream in (0, 1):  # the pipes are the engine's: who asks is to see their end
        os.close(stream)
    ends = select.poll()
    for end in (its_end, os.pidfd_open(engine)):
        ends.register(end, select.POLLIN)
    if os.getppid() == starter:
        ends.poll()
    os.kill(engine, signal.SIGKILL)  # one that has ended already is not buried yet
    code = os.waitstatus_to_exitcode(os.waitpid(engine, 0)[1])
    os._exit(code if code >= 0 else 128 - code)


def _load(file: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("engine", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__" and apart():
    main(*sys.argv[1:])
