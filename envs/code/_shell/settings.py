"""Tasks about settings."""

from __future__ import annotations

import json
import re

from agentgym.envs._kit.tools import best
from agentgym.envs.code._shell.book import BOOK, counted
from agentgym.envs.code._shell.home import Home


def _section(home: Home, ini: str, section: str) -> tuple[str, str, str]:
    """What stands before a section, in it, and after it."""
    before, mark, rest = home.text(ini).partition(f"[{section}]\n")
    inner, blank, after = rest.partition("\n\n")
    return before + mark, inner, blank + after


@BOOK.task(
    "number", "sed -n '/^\\[{section}\\]/,/^$/p' {ini} | sed -n 's/^{key} = //p'",
    "What is the value of {key} in the section {section} of {ini}?",
    "Look up {key} of [{section}] in {ini}.",
    "To what is {key} set in {ini}, section {section}?",
)  # fmt: skip
def _value_in_section(home: Home, ini: str, section: str, key: str) -> float:
    found = re.findall(rf"^{key} = (\d+)", _section(home, ini, section)[1], re.MULTILINE)
    return counted(int(found[0]))


@BOOK.task(
    "state", "sed -i '/^\\[{section}\\]/,/^$/s/^{key} = .*/{key} = {value}/' {ini}",
    "Set {key} in the section {section} of {ini} to {value}.",
    "In {ini}, the {key} of [{section}] shall be {value}; other sections stay as they are.",
    "Change {ini} so that {key} is {value} in its section {section}, and only there.",
)  # fmt: skip
def _set_in_section(home: Home, ini: str, section: str, key: str, value: int) -> None:
    before, inner, after = _section(home, ini, section)
    home.edit(ini, before + re.sub(rf"(?m)^{key} = \d+$", f"{key} = {value}", inner) + after)


@BOOK.task(
    "state", "sed -i '/^\\[{section}\\]/,/^$/s/^{key} = /# &/' {ini}",
    "Comment {key} out in the section {section} of {ini}: put # and a space in front of its line.",
    "In {ini}, turn the line of {key} below [{section}] into a comment by writing # and a space before it.",
    "The {key} of [{section}] in {ini} shall no longer hold: let its line begin with # and a space, otherwise "
    "unchanged.",
)  # fmt: skip
def _comment_out(home: Home, ini: str, section: str, key: str) -> None:
    before, inner, after = _section(home, ini, section)
    home.edit(ini, before + re.sub(rf"(?m)^({key} = )", r"# \1", inner) + after)


@BOOK.task(
    "number", "ls settings/*.ini | grep -vx {ini} | xargs sed -n 's/^{any_key} = //p' | awk '{s += $1} END {print s "
    "+ 0}'",
    "What is the sum of all values of {any_key} in the .ini files of settings other than {ini}, every section counted?",
    "Add up {any_key} over all sections of the files settings/*.ini, leaving {ini} out.",
    "{ini} apart, what do the values of {any_key} in the .ini files of the folder settings come to in total?",
)  # fmt: skip
def _sum_of_key(home: Home, ini: str, any_key: str) -> float:
    paths = [path for path in home.under("settings", ".ini") if path != ini]
    return counted(sum(value for path in paths for value in _values(home, path, any_key)))


def _values(home: Home, path: str, key: str) -> list[int]:
    return [int(value) for value in re.findall(rf"(?m)^{key} = (\d+)$", home.text(path))]


@BOOK.task(
    "name", "awk '/^\\[/ {s = $1} $1 == \"{any_key}\" {print $3, s}' {ini} | sort -rn | head -1 | tr -d '[]' | cut "
    "-d' ' -f2",
    "Which section of {ini} has the largest value of {any_key}?",
    "In {ini}, name the section where {any_key} is greatest.",
    "Compare {any_key} over the sections of {ini}: in which one is it the highest?",
)  # fmt: skip
def _greatest_section(home: Home, ini: str, any_key: str) -> str:
    found = {}
    for section in re.findall(r"(?m)^\[(\w+)\]$", home.text(ini)):
        for value in re.findall(rf"(?m)^{any_key} = (\d+)$", _section(home, ini, section)[1]):
            found[section] = int(value)
    return best(found, among=2)


@BOOK.task(
    "name", "sed -n 's/^{variable}=//p' {env}",
    "What is {variable} set to in {env}?",
    "Read the value of {variable} from {env}.",
    "Which value does {env} give to the variable {variable}?",
)  # fmt: skip
def _variable(home: Home, env: str, variable: str) -> str:
    return dict(line.split("=") for line in home.lines(env))[variable]


@BOOK.task(
    "state", "sed -i 's/^{variable}=.*/{variable}={fresh}/' {env} && echo STAGE={value} >> {env}",
    "In {env}, set {variable} to {fresh} where it stands, and append the line STAGE={value}.",
    "Change {env}: {variable} becomes {fresh}, and STAGE={value} is added as its last line.",
    "Let {env} say {variable}={fresh} instead of what it says now, and end with STAGE={value}.",
)  # fmt: skip
def _set_variable(home: Home, env: str, variable: str, fresh: str, value: int) -> None:
    lines = [f"{variable}={fresh}" if line.startswith(f"{variable}=") else line for line in home.lines(env)]
    home.edit(env, "\n".join([*lines, f"STAGE={value}"]) + "\n")


@BOOK.task(
    "number", "sed -n 's/^    \"{json_key}\": \\([0-9]*\\),*/\\1/p' {json} | awk '{s += $1} END {print s}'",
    "What is the sum of the values of {json_key} in {json}, over all objects in it?",
    "Add up every {json_key} in {json}.",
    "In how large a sum do all values named {json_key} in {json} result?",
)  # fmt: skip
def _sum_in_json(home: Home, json: str, json_key: str) -> float:
    return counted(sum(each.get(json_key, 0) for each in _read(home.text(json)).values()))


def _read(text: str) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = json.loads(text)
    return found


@BOOK.task(
    "state", "sed -i 's/\\(\"{json_key}\": \\)[0-9]*/\\1{value}/' {json}",
    "Set every {json_key} in {json} to {value} and leave the file otherwise as it is.",
    "In {json}, replace the value of {json_key} by {value} in each object; nothing else of the text may change.",
    "All values of {json_key} in {json} shall be {value}, with the layout of the file unchanged.",
)  # fmt: skip
def _set_in_json(home: Home, json: str, json_key: str, value: int) -> None:
    home.edit(json, re.sub(rf'("{json_key}": )\d+', rf"\g<1>{value}", home.text(json)))


@BOOK.task(
    "state", 'mkdir -p "$(dirname {text})" && cut -d= -f1 {env} | sort > {text} && chmod 600 {text}',
    "Write the names of the variables of {env}, without values, sorted, into the new file {text}, with permissions "
    "600.",
    "Make {text}, which only its owner may read and write (600): the sorted variable names of {env}, one a line.",
    "List what variables {env} sets in a new file {text}, in alphabetical order, names only; its mode is 600.",
)  # fmt: skip
def _names_of_variables(home: Home, env: str, text: str) -> None:
    home.put(text, "\n".join(sorted(line.partition("=")[0] for line in home.lines(env))) + "\n", 0o600)
