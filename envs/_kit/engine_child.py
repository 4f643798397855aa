"""The program of an engine's own process: it loads one file, makes the engine in it, and answers calls.

`python engine_child.py FILE ARGUMENTS`, with the arguments as one JSON list. A call is a line of JSON on standard
input, `[name, arguments]`, the answer a line on what was standard output, `{"returned": ...}` or `{"raised": "what"}`.
The file defines `Engine`, and imports nothing but the standard library and the engine's package. The process ends with
its input.
"""

import importlib.util
import json
import os
import sys
from types import ModuleType


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


def _load(file: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("engine", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main(*sys.argv[1:])
