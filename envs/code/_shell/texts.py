"""Tasks about logs, lists and notes."""

from __future__ import annotations

import re
from collections import Counter

from agentgym.envs._kit.tools import Unfit, best, one
from agentgym.envs.code._shell.book import BOOK, counted, differing
from agentgym.envs.code._shell.home import Home
from agentgym.envs.code._shell.stored import unzipped

LINE = re.compile(
    r"(?P<day>\S+)T(?P<time>\S+)Z (?P<level>\w+) req=(?P<req>\w+) user=(?P<user>\w+) ip=(?P<ip>\S+) path=(?P<url>\S+) "
    r"status=(?P<status>\d+) ms=(?P<ms>\d+) (?P<message>.*)"
)


def _log(home: Home, path: str) -> list[dict[str, str]]:
    """The lines of a log, field by field."""
    return [match.groupdict() for match in map(LINE.fullmatch, home.lines(path)) if match]


@BOOK.task(
    "number", "grep -c ' {level} .* status={status} ' {log}",
    "How many lines of {log} have the level {level} and the status {status}?",
    "Count the {level} lines in {log} whose status is {status}.",
    "In {log}, on how many {level} lines does the status {status} stand?",
)  # fmt: skip
def _level_and_status(home: Home, log: str, level: str, status: int) -> float:
    found = [row for row in _log(home, log) if (row["level"], row["status"]) == (level, str(status))]
    return counted(len(found))


@BOOK.task(
    "name", "sed -E 's/.*req=(\\w+).* path=(\\S+).* ms=([0-9]+).*/\\3 \\2 \\1/' {log} | grep ' {url} ' | sort -rn | "
    "head -1 | "
    "cut -d' ' -f3",
    "Which request to {url} in {log} took the most milliseconds? Give its req.",
    "Find the slowest request (largest ms) to {url} in {log}; its req is the answer.",
    "What is the req of the line of {log} with path {url} and the largest ms?",
)  # fmt: skip
def _slowest_request(home: Home, log: str, url: str) -> str:
    return best({row["req"]: int(row["ms"]) for row in _log(home, log) if row["url"] == url}, among=3)


@BOOK.task(
    "number", "grep ' user={user} ' {log} | sed 's/.* ms=//' | awk '{s += $1} END {print s + 0}'",
    "How many milliseconds did the requests of {user} take in all, going by {log}?",
    "Add up the ms of all lines of user {user} in {log}.",
    "What is the sum of ms over the lines of {log} that belong to {user}?",
)  # fmt: skip
def _time_of_user(home: Home, log: str, user: str) -> float:
    return counted(sum(int(row["ms"]) for row in _log(home, log) if row["user"] == user))


@BOOK.task(
    "number", "grep -E ' status=5[0-9]+ ' {log} | grep -oE 'ip=[0-9.]+' | sort -u | wc -l",
    "From how many different ip addresses do the lines of {log} with a status of 500 or more come?",
    "Count the distinct addresses (ip) in {log} that ever got a status from 500 up.",
    "In {log}, how many different ips have a line whose status begins with 5?",
)  # fmt: skip
def _failing_addresses(home: Home, log: str) -> float:
    return counted(len({row["ip"] for row in _log(home, log) if row["status"][0] == "5"}))


@BOOK.task(
    "name", "grep ' {level} ' {log} | grep -o 'user=[a-z]*' | sort | uniq -c | sort -rn | head -1 | sed 's/.*=//'",
    "Which user has the most {level} lines in {log}?",
    "Who appears most often on {level} lines of {log}?",
    "Name the user with the largest number of lines of level {level} in {log}.",
)  # fmt: skip
def _busiest_user(home: Home, log: str, level: str) -> str:
    return best(Counter(row["user"] for row in _log(home, log) if row["level"] == level), among=3)


@BOOK.task(
    "list", "grep 'path={url} status={status} ' {log} | grep -o 'user=[a-z]*' | cut -d= -f2 | sort -u",
    "Which users got the status {status} for {url} in {log}?",
    "List every user with a line in {log} that has path {url} and status {status}.",
    "Going by {log}, who was answered {status} on {url}? Each user once.",
)  # fmt: skip
def _users_with_status(home: Home, log: str, url: str, status: int) -> list[str]:
    return differing([row["user"] for row in _log(home, log) if (row["url"], row["status"]) == (url, str(status))])


@BOOK.task(
    "name", "awk -v h={hour} '$2 == \"ERROR\" && substr($1, 12, 2) + 0 >= h' {log} | head -1 | grep -o "
    "'req=[a-z0-9]*' | cut -d= -f2",
    "What is the req of the first ERROR in {log} at or after {hour}:00?",
    "From {hour}:00 on, which request is the first with level ERROR in {log}? Give its req.",
    "Find the earliest ERROR line of {log} that is not before {hour} o'clock; answer with its req.",
)  # fmt: skip
def _first_error_after(home: Home, log: str, hour: int) -> str:
    return next((row["req"] for row in _log(home, log) if row["level"] == "ERROR" and int(row["time"][:2]) >= hour), "")


@BOOK.task(
    "number", "awk -v h={hour} 'substr($1, 12, 2) + 0 < h' {log} {other_log} | grep -vc ' DEBUG '",
    "How many lines in {log} and {other_log} together are before {hour}:00 and not of level DEBUG?",
    "Taking {log} and {other_log} together, count the lines earlier than {hour}:00 whose level is other than DEBUG.",
    "Leaving DEBUG lines out, how many lines of {log} and {other_log} have a time before {hour} o'clock?",
)  # fmt: skip
def _before_hour(home: Home, log: str, other_log: str, hour: int) -> float:
    rows = _log(home, log) + _log(home, other_log)
    return counted(sum(int(row["time"][:2]) < hour and row["level"] != "DEBUG" for row in rows))


@BOOK.task(
    "number", "zcat {packed} | grep ' user={user} ' | grep -vc ' status=2'",
    "In the packed log {packed}, how many lines of {user} have a status that does not begin with 2?",
    "Unpack {packed} as you like, without leaving files behind: how many lines of user {user} have no 2xx status?",
    "Count the lines of {user} in {packed} whose status is not 2xx.",
)  # fmt: skip
def _packed_failures(home: Home, packed: str, user: str) -> float:
    rows = (unzipped(home.files[packed].data) or b"").decode().splitlines()
    return counted(sum(f"user={user} " in row and "status=2" not in row for row in rows))


@BOOK.task(
    "number", "cat logs/*.log | grep ' user={user} ' | grep -c ' {level} '",
    "How many {level} lines of user {user} are there in all files logs/*.log together?",
    "Over all of logs/*.log, count the lines with level {level} and user {user}.",
    "Counting every .log file directly in logs, on how many {level} lines does the user {user} stand?",
)  # fmt: skip
def _in_all_logs(home: Home, user: str, level: str) -> float:
    rows = [row for path in home.under("logs", ".log") for row in _log(home, path)]
    return counted(sum((row["user"], row["level"]) == (user, level) for row in rows))


@BOOK.task(
    "state", 'mkdir -p "$(dirname {text})" && grep \' {level} .*path={url} \' {log} > {text}',
    "Write the lines of {log} with level {level} and path {url} into the new file {text}, as they are and in order.",
    "Make the file {text} (and its folder) with exactly those lines of {log} that have level {level} and path {url}.",
    "Copy every {level} line of {log} whose path is {url} to {text}, a new file; keep their order.",
)  # fmt: skip
def _copy_lines(home: Home, log: str, level: str, url: str, text: str) -> None:
    lines = home.lines(log)
    found = [line for line in lines if f" {level} " in line and f"path={url} " in line]
    if not found:
        raise Unfit
    home.put(text, "\n".join(found) + "\n")


@BOOK.task(
    "state", "sort -u -o {items} {items}",
    "Sort {items} by letters and leave each line in it only once.",
    "Rewrite {items} so that its lines are in alphabetical order and none stands there twice.",
    "Please tidy up {items}: sorted from a to z, without repeats.",
)  # fmt: skip
def _sort_list(home: Home, items: str) -> None:
    home.edit(items, "\n".join(sorted(set(home.lines(items)))) + "\n")


@BOOK.task(
    "state", "awk '!seen[$0]++' {items} > /tmp/kept && cat /tmp/kept > {items} && echo {noun} >> {items}",
    "Take repeated lines out of {items}, keeping each first one where it is, and then add the line {noun} at the end.",
    "In {items}, only the first of equal lines shall stay, order unchanged; then append {noun}, even if it is there.",
    "Drop from {items} every line that stood there before, without sorting, and put {noun} after the last line.",
)  # fmt: skip
def _drop_repeats(home: Home, items: str, noun: str) -> None:
    home.edit(items, "\n".join([*dict.fromkeys(home.lines(items)), noun]) + "\n")


@BOOK.task(
    "list", "comm -12 <(sort -u {items}) <(sort -u {other_items})",
    "Which lines stand in {items} as well as in {other_items}?",
    "List what {items} and {other_items} have in common, each line once.",
    "Name every line of {items} that is also a line of {other_items}.",
)  # fmt: skip
def _common_lines(home: Home, items: str, other_items: str) -> list[str]:
    return differing([line for line in home.lines(items) if line in home.lines(other_items)])


@BOOK.task(
    "name", "sort -u {items} | sed -n {rank}p",
    "If {items} is sorted by letters and repeats are left out, which line is number {rank}, counting from 1?",
    "What is line {rank} of the sorted, repeat-free version of {items}?",
    "Order the different lines of {items} alphabetically: which one stands in place {rank}?",
)  # fmt: skip
def _line_of_list(home: Home, items: str, rank: int) -> str:
    return sorted(set(home.lines(items)))[rank - 1]


@BOOK.task(
    "number", "cat {note} | wc -w",
    'How many words, separated by white space, are in the note "{note}"?',
    'Count the words of "{note}" as wc does.',
    'Give the number of white-space separated words in the file "{note}".',
)  # fmt: skip
def _words(home: Home, note: str) -> float:
    return counted(len(home.text(note).split()))


@BOOK.task(
    "number", "cat {note} | wc -L",
    'How many characters does the longest line of "{note}" have?',
    'What is the length of the longest line in the note "{note}"?',
    'Give the number of characters in the longest line of "{note}", the line end not counted.',
)  # fmt: skip
def _longest_line(home: Home, note: str) -> float:
    return counted(max(map(len, home.lines(note))))


@BOOK.task(
    "number", "grep -rhow -e {noun} -e {other_noun} notes | wc -l",
    "How often do the words {noun} and {other_noun}, as whole words, stand in all files below notes together?",
    "Over all notes, subfolders included, how many times does {noun} or {other_noun} occur as a word of its own?",
    "Count the occurrences of the words {noun} and {other_noun} (not of longer words) in the folder notes.",
)  # fmt: skip
def _mentions(home: Home, noun: str, other_noun: str) -> float:
    expression = rf"\b(?:{noun}|{other_noun})\b"
    return counted(sum(len(re.findall(expression, home.text(path))) for path in home.under("notes")))


@BOOK.task(
    "state", "grep -rlZ {noun} notes | xargs -0 sed -i 's/{noun}/{other_noun}/g'",
    "Replace {noun} by {other_noun} wherever it stands in the files below notes.",
    "In all notes, subfolders included, every {noun} shall become {other_noun}, also within longer words.",
    "Change each {noun} in the contents of the notes into {other_noun}; leave file names alone.",
)  # fmt: skip
def _replace_in_notes(home: Home, noun: str, other_noun: str) -> None:
    for path in home.under("notes"):
        home.edit(path, home.text(path).replace(noun, other_noun))


@BOOK.task(
    "name", "grep -rl -- 'the {noun}' notes | while read -r f; do echo \"$(grep -c . \"$f\") $f\"; done | sort -rn | "
    "head -1 | "
    "cut -d' ' -f2- | xargs -d '\\n' basename",
    'Among the notes that contain "the {noun}", which has the most lines that are not empty? Give its file name.',
    'Of all files below notes with the text "the {noun}" in them, name the one with the most non-empty lines.',
    'Which note that says "the {noun}" somewhere has the largest number of non-empty lines? Just the file name.',
)  # fmt: skip
def _longest_note_with(home: Home, noun: str) -> str:
    found = [path for path in home.under("notes") if f"the {noun}" in home.text(path)]
    return best({path.rpartition("/")[2]: sum(map(bool, home.lines(path))) for path in found}, among=2)


@BOOK.task(
    "state", "sed -i '/{noun}/d' {note}",
    'Delete from the note "{note}" every line that contains {noun}.',
    'In "{note}", lines with {noun} in them are outdated; take them out and leave the rest as it is.',
    'Remove all lines that mention {noun} from "{note}".',
)  # fmt: skip
def _delete_lines(home: Home, note: str, noun: str) -> None:
    home.edit(note, "".join(f"{line}\n" for line in home.lines(note) if noun not in line))


@BOOK.task(
    "name", "grep 'req=' {log} | grep ' user={user} ' | sed -E 's/.*req=([a-z0-9]+).* ms=([0-9]+).*/\\2 \\1/' | sort "
    "-n | "
    "sed -n 2p | cut -d' ' -f2",
    "Which request of {user} in {log} has the second smallest ms? Give its req.",
    "Order the lines of user {user} in {log} by ms, smallest first: what is the req of the second one?",
    "Find the req of the second fastest request (by ms) that {user} made, in {log}.",
)  # fmt: skip
def _second_fastest(home: Home, log: str, user: str) -> str:
    found = sorted((int(row["ms"]), row["req"]) for row in _log(home, log) if row["user"] == user)
    return one(found[1:2])[1] if len(found) > 3 else ""
