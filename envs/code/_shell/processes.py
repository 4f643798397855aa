"""Tasks about running programs."""

from __future__ import annotations

import re

from agentgym.envs._kit.tools import Unfit
from agentgym.envs.code._shell.book import BOOK, counted
from agentgym.envs.code._shell.home import Home

POLYNOMIAL, MASK = 0x04C11DB7, 0xFFFFFFFF
STARTED = (
    "bash {waiting} & p=$!; until [ -e \"$(echo {waiting} | sed 's/sh$/ready/')\" ]; do sleep 0.02; done; "
    "kill -{signal} $p; wait $p"
)


def _sum(data: bytes) -> int:
    """The checksum that cksum prints (POSIX)."""
    size, length = len(data), b""
    while size:
        length, size = length + bytes([size & 255]), size >> 8
    found = 0
    for byte in data + length:
        found ^= byte << 24
        for _ in range(8):
            found = (found << 1 ^ POLYNOMIAL) & MASK if found >> 31 else found << 1
    return found ^ MASK


def _said(home: Home, waiting: str, signal: str) -> tuple[str, str, int]:
    """What a script writes when a signal comes: its path without ending, the text, the exit status."""
    text, stem = home.text(waiting), waiting.removesuffix(".sh")
    word = re.search(rf"trap 'say (\w+)' {signal}\n", text)
    status = re.search(r"exit (\d+); \}", text)
    if word is None or status is None:
        raise Unfit
    return stem, f"{word[1]} {_sum(home.files[stem + '.dat'].data)}\n", int(status[1])


@BOOK.task(
    "state", STARTED,
    "Start {waiting}, send it the signal {signal} when its .ready file is there, and let it end; what it writes stays.",
    "Run {waiting} in the background, wait until it is ready (its .ready file), signal it with {signal} and wait for "
    "its end.",
    "The script {waiting} waits for signals. Have it running, send it one {signal} once it says it is ready, in one "
    "command, and leave its report where it puts it.",
)  # fmt: skip
def _send_signal(home: Home, waiting: str, signal: str) -> None:
    stem, text, _ = _said(home, waiting, signal)
    home.put(f"{stem}.out", text)


@BOOK.task(
    "name", STARTED + "; o=$(echo {waiting} | sed 's/sh$/out/'); cut -d' ' -f2 \"$o\"; rm \"$o\"",
    "Which number does {waiting} report, after its word, when it gets the signal {signal}? Remove its report "
    "afterwards.",
    "Start {waiting}, send it {signal} when it is ready: what number stands in its .out file? Then delete that file.",
    "Find out the number that {waiting} writes on {signal}. When you are done, nothing of the run may be left.",
)  # fmt: skip
def _number_on_signal(home: Home, waiting: str, signal: str) -> str:
    return _said(home, waiting, signal)[1].split()[1]


def _run(home: Home, working: str) -> tuple[int, int]:
    """What a script comes to: the number of its step, and its exit status."""
    factor = re.search(r"total \* (\d+)", home.text(working))
    if factor is None:
        raise Unfit
    total = 0
    for number in home.lines(working.removesuffix(".sh") + ".dat"):
        total = (total * int(factor[1]) + int(number)) % 251
    return total * 7 % 97, total % 120 + 3


@BOOK.task(
    "number", "bash {working} --quiet; echo $?",
    "With which exit status does {working} end?",
    "Run {working}: what is its exit status?",
    "What status does the script {working} exit with?",
)  # fmt: skip
def _exit_status(home: Home, working: str) -> float:
    return counted(_run(home, working)[1])


@BOOK.task(
    "state", 'mkdir -p "$(dirname {text})"; bash {working} > {text}; echo "status $?" >> {text}',
    "Write what {working} prints into the new file {text}, and below it a line: status, a space, and its exit status.",
    "Run {working} with its output in the new file {text}; append the line status N, where N is the exit status.",
    "Make {text}: first the output of {working}, then a line with the word status and the number it exits with.",
)  # fmt: skip
def _record_run(home: Home, working: str, text: str) -> None:
    step, status = _run(home, working)
    name = working.rpartition("/")[2].removesuffix(".sh")
    home.put(text, f"step {step} of {name}\nstatus {status}\n")


@BOOK.task(
    "number", "for j in jobs/*.sh; do if ! grep -q trap \"$j\"; then echo {n} >> \"${j%sh}dat\"; bash \"$j\" "
    "--quiet; echo $?; "
    "sed -i '$d' \"${j%sh}dat\"; fi; done | awk '{s += $1} END {print s}'",
    "Suppose {n} were added as the last line to the .dat file of each script in jobs that waits for no signal (has no "
    "trap). What would the exit statuses of those scripts add up to? Leave the files as they are.",
    "For the scripts of jobs without trap: what is the sum of their exit statuses if each one's .dat had one more "
    "line, "
    "{n}, at the end? The .dat files must be unchanged when you finish.",
    "Add up the exit statuses that the scripts in jobs with no trap in them would have with the line {n} appended to "
    "their .dat files. Do not leave anything changed.",
)  # fmt: skip
def _with_one_more(home: Home, n: int) -> float:
    total = 0
    for path in home.under("jobs", ".sh"):
        if "trap" not in home.text(path):
            data = path.removesuffix(".sh") + ".dat"
            home.edit(data, home.text(data) + f"{n}\n")
            total += _run(home, path)[1]
            home.edit(data, home.text(data).removesuffix(f"{n}\n"))
    return counted(total)
