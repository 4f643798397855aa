"""A home and the tool `bash`: each command runs in a sandbox of its own, and what it leaves is the home of the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from agentgym.core.errors import MissingExtra
from agentgym.core.tool_grammar import Tool
from agentgym.envs._kit.sandbox import FOLDER, Entry, Job, Limits, Result, shared_sandbox
from agentgym.envs._kit.sandbox.tool import told
from agentgym.envs._kit.tools import ToolFunction
from agentgym.envs.code._shell.repository import plain_index

LIMITS = Limits()
LONGEST_COMMAND = 2_000
ABOVE, OWN = "home", "home/user"  # paths below the working folder of the sandbox
HOME = f"/work/{OWN}"
ENDED_IN = ".folder"
BEGINNING, MINUTE = 1_772_600_000, 60  # the time of a home's files, and of a turn
SCRIPT = (
    f"export HOME={HOME} TERM=dumb PAGER=cat GIT_PAGER=cat EDITOR=true GIT_MERGE_AUTOEDIT=no GIT_CONFIG_NOSYSTEM=1 "
    'GIT_AUTHOR_NAME=User GIT_AUTHOR_EMAIL=user@example.org GIT_AUTHOR_DATE="$3 +0000" GIT_COMMITTER_NAME=User '
    'GIT_COMMITTER_EMAIL=user@example.org GIT_COMMITTER_DATE="$3 +0000"; '
    f"trap 'pwd -P > /work/{ENDED_IN}' EXIT; "
    'cd -- "$2" 2> /dev/null || cd; eval "$1"'
)
NEEDED = (
    "awk", "bash", "cksum", "cmp", "comm", "find", "git", "grep", "gzip", "md5sum", "sed", "sort", "tar", "xargs",
    "zcat",
)  # fmt: skip
UNDONE = ("time", "memory", "output")  # what a command did before it was stopped differs from run to run


@dataclass(frozen=True)
class Tree:
    """Files by path below the home; shared by the states of an episode, never changed."""

    entries: Mapping[str, Entry]


@dataclass(slots=True)
class Machine:
    """What commands change.

    Attributes:
        tree: The home.
        folder: In which the next command begins.
        turn: Commands run; the time of what the next one changes follows from it.
        failed: Those of them that ended in an error or were stopped.
    """

    tree: Tree
    folder: str = HOME
    turn: int = 0
    failed: int = 0


@cache
def check_programs(process: int) -> None:
    """See that the sandbox has the programs that tasks need, once in a process.

    Raises:
        MissingExtra: if one is not there, with what to do.
    """
    wanted = f"for p in {' '.join(NEEDED)}; do command -v $p > /dev/null || echo $p; done"
    result = shared_sandbox(LIMITS).run(Job(("bash", "-c", wanted), limits=LIMITS))
    if result.stdout or result.code:
        named = ", ".join(result.stdout.split()) or "bash"
        raise MissingExtra(
            f"the sandbox of {result.backing} has no {named}, which tasks of the shell need: install it on this "
            f"machine, or "
            "for Docker set AGENTGYM_SANDBOX_IMAGE to an image that has it"
        )


def bash(data: Machine, command: str) -> dict[str, str]:
    """What a command writes; with `error` if it failed, and `status` if that is not 0.

    Args:
        data: The home, which it changes.
        command: One or several lines of bash.

    Raises:
        Lost: if the command has ended its sandbox.
    """
    now = BEGINNING + MINUTE * (data.turn + 1)
    files = {ABOVE: Entry(b"", FOLDER, 0o755, BEGINNING), OWN: Entry(b"", FOLDER, 0o755, BEGINNING)}
    files |= {f"{OWN}/{path}": entry for path, entry in data.tree.entries.items()}
    job = Job(("bash", "-c", SCRIPT, "bash", command, data.folder, f"@{now}"), files, limits=LIMITS, collect=True)
    result = shared_sandbox(LIMITS).run(job)
    said = told(result, LIMITS)
    if result.ended in UNDONE:
        said["error"] += "; the home is as it was before"
    else:
        _keep(data, result, now)
    if result.code and result.ended == "exit":
        said["status"] = str(result.code)
    data.turn += 1
    data.failed += "error" in said
    return said


def _keep(data: Machine, result: Result, now: int) -> None:
    """Take over what a command has left."""
    before, found = data.tree.entries, {}
    for path, entry in sorted(result.files.items()):
        if not path.startswith(f"{OWN}/"):
            continue
        name = path.removeprefix(f"{OWN}/")
        content = plain_index(entry.data) if name.endswith(".git/index") else entry.data
        old = before.get(name)
        same = old is not None and (old.data, old.kind, old.mode) == (content, entry.kind, entry.mode)
        found[name] = old if same and old is not None else Entry(content, entry.kind, entry.mode, now)
    data.tree = Tree(found)
    ended = result.files.get(ENDED_IN)
    folder = ended.data.decode("utf8", "replace").rstrip("\n") if ended else data.folder
    known = found.get(folder.removeprefix(f"{HOME}/"))
    data.folder = folder if known is not None and known.kind == FOLDER else HOME


BASH = ToolFunction(
    Tool(
        "bash",
        "Run a command in bash and get what it prints. Each command is a new shell: the folder in which the last one "
        "ended is kept, variables and running programs are not. Only files below the home are kept.",
        {
            "type": "object",
            "properties": {"command": {"type": "string", "maxLength": LONGEST_COMMAND}},
            "required": ["command"],
            "additionalProperties": False,
        },
        ({"command": "ls -l ~"}, {"command": "grep -c ERROR logs/*.log"}),
    ),
    bash,
)
