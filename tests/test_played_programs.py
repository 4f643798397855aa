"""The rules of the house on programs: nothing plays text, and processes are started in few places, which are named."""

from __future__ import annotations

import ast
import re

import pytest

from tests.sources import ROOT, Module, calls, imports, modules, nodes

pytestmark = pytest.mark.xdist_group("house")  # one process, so that the source is read once
TEXT_IS_PLAYED = {"eval", "exec", "compile", "__import__", "os.system", "os.popen"}  # nowhere
STARTS = re.compile(  # what starts a process, or plays a file or a text as a program
    r"(subprocess|pty|runpy|codeop|code)\.[a-zA-Z_]+|os\.(exec|spawn|posix_spawn|fork)[a-z]*|asyncio\.create_subprocess_\w+|"
    r"types\.(FunctionType|CodeType)|"
    r"(.*\.)?(exec_module|load_module|source_to_code|ProcessPoolExecutor)|multiprocessing\.(Process|Pool)"
)
STARTED = {  # where that is done, and what is started there: nothing that a player wrote, but for the sandbox's keeper
    "agentgym.conformance.worker": "the worker that plays an environment again in another process",
    "agentgym.core._pettingzoo_registry": "the package of PettingZoo, with our ids added",
    "agentgym.vector.keeper": "a worker with environments",
    "agentgym.vector.pool": "the keeper of a worker",
    "agentgym.envs._kit.engine_child": "the file of an engine, in a process of its own",
    "agentgym.envs._kit.engine_process": "that process",
    "agentgym.envs._kit.java": "the machine of Java of an engine",
    "agentgym.envs._kit.sandbox.bubblewrap": "bubblewrap",
    "agentgym.envs._kit.sandbox.inside": "the program of a player, in the sandbox",
    "agentgym.envs._kit.sandbox.inside_server": "keepers, in bubblewrap",
    "agentgym.envs._kit.sandbox.machine_files": "ldd, on programs of this machine",
    "agentgym.envs.text._jericho.child": "a copy of an engine's process",
    "agentgym.envs.text._text_world.library": "the compiler of an engine's games",
}


def played(module: Module) -> list[tuple[str, str]]:
    """What a module calls, or imports by name, that plays text or starts a process, with the place."""
    aliases = {}
    for node in nodes(module.tree):
        for alias in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
            named = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
            if alias.asname is None and isinstance(node, ast.Import):
                named = alias.name.split(".")[0]
            aliases[alias.asname or named.rpartition(".")[2]] = named
    found = [(name, where) for name, where in imports(module) if STARTS.fullmatch(name) and name[0].islower()]
    for name, call, where in calls(module):
        top, dot, rest = name.partition(".")
        known = aliases.get(top, top if top in TEXT_IS_PLAYED or not dot else f"a value.{top}")
        full = f"{known}{dot}{rest}".removeprefix("builtins.")
        if full in TEXT_IS_PLAYED or STARTS.fullmatch(full):
            found.append((full, where))
        if any(word.arg == "shell" for word in call.keywords):
            found.append(("a shell", where))
    return found


def test_nothing_evaluates_text_and_processes_are_started_in_few_places() -> None:
    started = set()
    for module in modules():
        for name, where in played(module):
            assert name not in TEXT_IS_PLAYED, f"{where} calls {name}"
            assert name != "a shell", f"{where} starts a shell"
            assert module.name in STARTED, f"{where} uses {name}; if that starts nothing of a player's, name the module"
            started.add(module.name)
    assert started == set(STARTED), "modules that start nothing any more"


@pytest.mark.parametrize(
    "code",
    [
        "eval(text)", "exec(text)", "import builtins\nbuiltins.eval(text)",
        "from builtins import exec as run\nrun(text)",
        "import os\nos.system(text)", "import os as o\no.execv(text, [text])",
        "from os import posix_spawn\nposix_spawn(text)",
        "import subprocess\nsubprocess.run([text])", "import subprocess as s\ns.check_output([text])",
        "from subprocess import Popen\nPopen(text)", "import runpy\nrunpy.run_path(text)",
        "import pty\npty.spawn([text])",
        "import asyncio\nasyncio.create_subprocess_exec(text)", "import code\ncode.interact()", "run(text, shell=True)",
        "import types\ntypes.FunctionType(made, {})", "loader.exec_module(made)", "from runpy import run_path",
        "import os.path\nos.execvp(text, [text])",
    ],
)  # fmt: skip
def test_whatever_plays_a_program_is_found(code: str) -> None:
    assert played(Module(ROOT / "x.py", "x", ast.parse(code)))


@pytest.mark.parametrize(
    "code", ["code.strip()", "import re\nre.compile(text)", "import os\nos.open(text, 0)", "table.exec"]
)
def test_what_plays_none_is_left_alone(code: str) -> None:
    assert not played(Module(ROOT / "x.py", "x", ast.parse(code)))
