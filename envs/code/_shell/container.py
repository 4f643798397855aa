"""Instances in a container of their image: commands that are played in turn, and what they are worth at the end."""

from __future__ import annotations

import base64
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

from agentgym.core.errors import EngineFailure
from agentgym.core.text import clean
from agentgym.core.tool_grammar import Tool
from agentgym.envs._kit.sandbox.containers import STOPPED, Container, Said, build_image, open_container
from agentgym.envs._kit.sandbox.instances import PASSING, read_statuses
from agentgym.envs._kit.sandbox.tool import Lost
from agentgym.envs._kit.tools import Toolbox, ToolFunction
from agentgym.envs.code._shell.instances import RUNNER, Instance, built_from, judging_files

SECONDS = 60.0  # real ones for a command
LONGEST_COMMAND, LONGEST_SHOWN = 6_000, 4_000  # characters
TEST_PLACE = "/tests"
REMEMBERED = 64  # runs
THIRD = 0.33  # of InterCode's score, for each of its parts
OURS = "agentgym/"  # what the container finds beside what is in its image
RESET = "git reset -q --hard && git clean -q -fd -e agentgym"
LISTED = (  # what was changed since the last commit of the repository in which InterCode's images keep everything
    "cd / && git status --porcelain -z | tr '\\0\\n' '\\n?'; echo '=='; "
    "git status --porcelain -z | tr '\\0' '\\n' | grep -v '^.D' | cut -c 4- | grep -v '^agentgym/' | "
    "while IFS= read -r p; do "
    'printf "%s " "$p"; find "$p" -type f -exec md5sum {} + 2> /dev/null | sort | md5sum; done'
)
WORD = re.compile(r"\b\w\w+\b")


@dataclass(frozen=True)
class Ended:
    """What an episode came to.

    Attributes:
        score: From 0 to 1.
        solved: Whether it is all that was asked.
        parts: Of the score, by name.
    """

    score: float
    solved: bool
    parts: Mapping[str, float]


@dataclass(slots=True)
class Boxed:
    """What commands change: everything follows from the commands that were run.

    Attributes:
        instance: Which is played.
        commands: That were run, in order.
        failed: Those of them that ended in an error or were stopped.
    """

    instance: Instance
    commands: tuple[str, ...] = ()
    failed: int = 0


def bash(data: Boxed, command: str) -> dict[str, str]:
    """What a command writes; with `status` if that is not 0.

    Args:
        data: The commands so far.
        command: One or several lines of bash.

    Raises:
        Lost: if the command has ended its container.
        EngineFailure: if the container fails.
    """
    said = play(data.instance, (*data.commands, command))
    data.commands = (*data.commands, command)
    data.failed += said.code != 0
    shown = {"output": _shown(said.output)}
    if said.code == STOPPED:
        shown["error"] = f"the command was stopped after {SECONDS:.0f} seconds"
    return shown if said.code == 0 else {**shown, "status": str(said.code)}


def _shown(text: str) -> str:
    """A text, cut in the middle where it is long."""
    plain = clean(text).rstrip("\n")
    half = LONGEST_SHOWN // 2
    left_out = len(plain) - 2 * half
    return plain if left_out <= 0 else f"{plain[:half]}\n... ({left_out} characters left out) ...\n{plain[-half:]}"


def image_of(instance: Instance) -> str:
    """The name of an instance's image, which is built where it is not there.

    Raises:
        EngineFailure: if it cannot be built.
    """
    return instance.image if instance.folder is None else build_image(instance.folder, built_from(instance))


@lru_cache(REMEMBERED)
def play(instance: Instance, commands: tuple[str, ...]) -> Said:
    """What the last of some commands writes, in a new container in which those before it were played.

    Args:
        instance: Whose image it is.
        commands: In order.

    Raises:
        Lost: if one has ended the container.
        EngineFailure: if the container fails.
    """
    with _begun(instance) as container:
        return _played(container, commands)


@contextmanager
def _begun(instance: Instance) -> Iterator[Container]:
    """A container in which nothing was done yet."""
    with open_container(image_of(instance)) as container:
        if instance.folder is None:
            reset = container.run(RESET, "/", SECONDS)
            if reset.code:
                raise EngineFailure(
                    f"the image {instance.image} keeps no Git repository at /, as InterCode's do: {reset.output[:200]}"
                )
        yield container


def _played(container: Container, commands: Sequence[str], *, by_player: bool = True) -> Said:
    folder = container.folder
    said = Said("", 0, folder)
    for command in commands:
        said = container.run(command, folder, SECONDS, by_player=by_player)
        if said.over:
            raise Lost
        folder = said.folder
    return said


@lru_cache(REMEMBERED)
def judged(instance: Instance, commands: tuple[str, ...]) -> Ended:
    """What commands are worth.

    Args:
        instance: Which is played.
        commands: All that were run.

    Raises:
        Lost: if one has ended the container.
        EngineFailure: if the container fails.
    """
    if instance.folder is None:
        ours, theirs = _changed(instance, commands), _changed(instance, (";".join(instance.gold),), by_player=False)
        return compared(ours, theirs)
    statuses = _tested(instance, commands)
    right = sum(status in PASSING for status in statuses.values())
    solved = bool(statuses) and right == len(statuses)
    share = right / len(statuses) if statuses else 0.0
    return Ended(float(solved), solved, {"tests_passed": share})


def _tested(instance: Instance, commands: Sequence[str]) -> Mapping[str, str]:
    """Statuses of the tests of Terminal-Bench, which are laid in the container when the commands are over."""
    with _begun(instance) as container:
        _played(container, commands)
        container.put(judging_files(instance), TEST_PLACE)
        said = container.run(
            f"bash {TEST_PLACE}/{RUNNER}", container.folder, instance.seconds, {"TEST_DIR": TEST_PLACE}
        )
    return {} if said.over else {k: v for k, v in read_statuses(said.output).items() if v != "SKIPPED"}


@lru_cache(REMEMBERED)
def check_image(instance: Instance) -> None:
    """See that an instance can be judged: before anything was done, its image tells changes, or its tests speak.

    Raises:
        EngineFailure: if not.
    """
    if instance.folder is None:
        _changed(instance, ())
    elif not _tested(instance, ()):
        raise EngineFailure(
            f"the tests of {instance.name} say nothing in its image; put what {RUNNER} needs into the Dockerfile, "
            "since there is no network, and let pytest print its summary (-rA)"
        )


@dataclass(frozen=True)
class Changed:
    """What commands left.

    Attributes:
        output: Of the last one.
        listed: Kind of change of each path.
        sums: A checksum of the content of each path that is there.
    """

    output: str
    listed: Mapping[str, str]
    sums: Mapping[str, str]


@lru_cache(REMEMBERED)
def _changed(instance: Instance, commands: tuple[str, ...], *, by_player: bool = True) -> Changed:
    with _begun(instance) as container:
        said = _played(container, commands, by_player=by_player)
        left = container.run(LISTED, "/", SECONDS)
    listed, _, sums = left.output.partition("==\n")
    return Changed(
        said.output,
        {line[3:]: line[:2].strip() for line in listed.splitlines() if len(line) > 3 and line[3:] != OURS},
        dict(line.removesuffix("  -").rsplit(" ", 1) for line in sums.splitlines() if " " in line),
    )


def compared(ours: Changed, theirs: Changed) -> Ended:
    """InterCode's score: which paths changed, what they hold, and how alike the last outputs are, a third each.

    Args:
        ours: What was done.
        theirs: What the gold command does.
    """
    apart = set(ours.listed.items()) ^ set(theirs.listed.items())
    same = [path for path, kind in ours.listed.items() if theirs.listed.get(path) == kind and path in theirs.sums]
    kept = sum(ours.sums.get(path) == theirs.sums[path] for path in same) / len(same) if same else 1.0
    alike = likeness(ours.output, theirs.output)
    parts = {
        "file_diff": round(THIRD * (1 - math.erf(len(apart))), 2),
        "file_changes": round(THIRD * kept, 2),
        "answer_similarity": round(THIRD * alike, 2),
    }
    score = round(0.01 + sum(parts.values()), 2)
    return Ended(score, score >= 1.0, parts)


def likeness(first: str, second: str) -> float:
    """The cosine between two texts, words weighed as by the field's usual TF-IDF; of texts without words, equality.

    Args:
        first, second: The texts.
    """
    counts = [Counter(WORD.findall(text.lower())) for text in (first, second)]
    if not any(counts):
        return float(first == second)
    weights = [
        {word: n * (math.log(3 / (1 + sum(word in each for each in counts))) + 1) for word, n in count.items()}
        for count in counts
    ]
    norms = [math.sqrt(sum(each * each for each in weight.values())) for weight in weights]
    if not all(norms):
        return 0.0
    return sum(weights[0][word] * weights[1].get(word, 0.0) for word in weights[0]) / (norms[0] * norms[1])


def gold_commands(instance: Instance) -> tuple[str, ...]:
    """The gold answer as commands that a player may send; a long script is written to a file first.

    Args:
        instance: Whose.
    """
    if instance.folder is None:
        return (";".join(instance.gold),)
    if not instance.gold or len(instance.gold[0]) <= LONGEST_COMMAND:
        return instance.gold
    text = base64.b64encode(instance.gold[0].encode()).decode()
    parts = [text[at : at + LONGEST_COMMAND // 2] for at in range(0, len(text), LONGEST_COMMAND // 2)]
    return (*(f"printf %s {part} >> /tmp/solution" for part in parts), "base64 -d /tmp/solution | bash")


BASH = ToolFunction(
    Tool(
        "bash",
        "Run a command in bash and get what it prints. Each command is a new shell: the folder in which the last one "
        "ended is kept, and so are files and running programs; variables are not.",
        {
            "type": "object",
            "properties": {"command": {"type": "string", "maxLength": LONGEST_COMMAND}},
            "required": ["command"],
            "additionalProperties": False,
        },
        ({"command": "ls -l"},),
    ),
    bash,
)
SUBMIT = Tool(
    "submit",
    "End the task: what was done, and what the last command printed, is judged as it is now.",
    {"type": "object", "properties": {}, "additionalProperties": False},
    ({},),
)
BOXED = Toolbox(
    (BASH,), SUBMIT, "You work on a Linux machine without a network. Do what is asked, then submit; a question is "
    "answered by what your last command prints.",
)  # fmt: skip
