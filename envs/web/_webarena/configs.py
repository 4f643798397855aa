"""WebArena's config files: read, checked, with the addresses of the sites put in."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentgym.core.errors import ConfigError, DataError
from agentgym.core.schema import violation
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, cut_by_hash
from agentgym.envs.web._webarena.helpers import AS_LOCATOR, AS_URL, read_helper

PLACEHOLDER = re.compile(r"__([A-Z]+(?:_[A-Z]+)*)__(?=[/\s\"']|$)")
TEXTS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
CONTENTS: dict[str, Any] = {
    "type": "object",
    "properties": {"exact_match": {"type": "string"}, "must_include": TEXTS},
    "additionalProperties": False,
}
TARGET: dict[str, Any] = {
    "type": "object",
    "properties": {
        "url": {"type": "string"},
        "locator": {"type": "string"},
        "required_contents": CONTENTS,
        "prep_actions": TEXTS,
    },
    "required": ["url", "locator", "required_contents"],
}
FEW = 10  # templates
KINDS = ("string_match", "url_match", "program_html")
EVAL: dict[str, Any] = {
    "type": "object",
    "properties": {
        "eval_types": {"type": "array", "items": {"type": "string", "enum": list(KINDS)}, "minItems": 1},
        "reference_answers": {"type": ["object", "null"]},
        "reference_url": {"type": ["string", "null"]},
        "program_html": {"type": ["array", "null"], "items": TARGET},
        "url_note": {"type": "string", "enum": ["GOLD in PRED"]},
        "string_note": {"type": "string"},
    },
    "required": ["eval_types"],
}
CONFIG: dict[str, Any] = {
    "type": "object",
    "properties": {
        "task_id": {"type": "integer"},
        "sites": TEXTS,
        "start_url": {"type": "string"},
        "intent": {"type": "string"},
        "intent_template_id": {"type": "integer"},
        "storage_state": {"type": ["string", "null"]},
        "geolocation": {"type": ["object", "null"]},
        "eval": EVAL,
    },
    "required": ["start_url", "intent", "eval"],
}


def read_configs(path: Path) -> list[dict[str, Any]]:
    """The records of a config file, or of the `<number>.json` files of a folder in the order of their numbers.

    Raises:
        DataError: if there is none, or one is no record of this format.
    """
    if path.is_dir():
        files = sorted((one for one in path.glob("*.json") if one.stem.isdigit()), key=lambda one: int(one.stem))
    else:
        files = [path]
    records: list[dict[str, Any]] = []
    for file in files:
        try:
            found = json.loads(file.read_text(encoding="utf8"))
        except OSError as error:
            raise DataError(
                f"the config file {file} cannot be read ({error.strerror}); give a JSON file, or a folder of "
                "<number>.json"
            ) from None
        except ValueError as error:
            raise DataError(f"the config file {file} is no JSON ({error})") from None
        records += found if isinstance(found, list) else [found]
    if not records:
        raise DataError(f"{path} holds no config; give a JSON list of tasks, or a folder of <number>.json")
    seen: set[int] = set()
    for place, record in enumerate(records):
        where = f"config {record.get('task_id', place) if isinstance(record, dict) else place}"
        wrong = violation(record, CONFIG, where=where) or _objection(record)
        number = record.setdefault("task_id", place) if not wrong else 0
        if wrong or number in seen:
            raise DataError(f"{path}: {wrong or f'two tasks have the task_id {number}'}")
        seen.add(number)
    return records


def _objection(record: Spec) -> str:
    """What the schema cannot say about a record; empty if all is well."""
    given, name = record["eval"], f"config {record.get('task_id', '?')}"
    if "string_match" in given["eval_types"]:
        wrong = _wrong_answers(given.get("reference_answers"))
        if wrong:
            return f"{name}.eval.reference_answers {wrong}"
    if "url_match" in given["eval_types"] and not given.get("reference_url"):
        return f"{name}.eval: url_match needs a reference_url"
    if "program_html" in given["eval_types"]:
        if not given.get("program_html"):
            return f"{name}.eval: program_html needs targets"
        for target in given["program_html"]:
            wrong = _wrong_target(target)
            if wrong:
                return f"{name}.eval.program_html: {wrong}"
    return ""


def _wrong_answers(answers: Any) -> str:
    if not answers:
        return "is empty, but string_match needs exact_match, must_include or fuzzy_match"
    for kind, value in answers.items():
        if kind not in ("exact_match", "must_include", "fuzzy_match"):
            return f"has {kind!r}; known: exact_match, must_include, fuzzy_match"
        texts = isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)
        if not (texts if kind == "must_include" else isinstance(value, str) if kind == "exact_match" else
                texts or value == "N/A"):  # fmt: skip
            return f"has a value of {kind} of the wrong kind: {value!r}"
    return ""


def _wrong_target(target: Spec) -> str:
    url, locator = target["url"], target["locator"].strip()
    if len(target["required_contents"]) != 1:
        return "required_contents holds one of exact_match and must_include"
    if url.startswith("func") and read_helper(url, AS_URL) is None:
        return f"the helper {url!r} is none of {', '.join(sorted(AS_URL))}"
    if locator.startswith("func:") and read_helper(locator, AS_LOCATOR) is None:
        return f"the helper {locator!r} is none of {', '.join(sorted(AS_LOCATOR))}"
    if locator and not locator.startswith(("document.", "[...document.", "func:")):
        return f"the locator {locator!r} begins with none of document., [...document. and func:"
    return ""


def place(value: Any, addresses: Mapping[str, str]) -> Any:
    """A record with the addresses of the sites in place of `__SHOPPING__` and its like, in every text of it.

    Args:
        value: The record, or a part of one.
        addresses: By name, without a slash at the end.
    """
    if isinstance(value, str):
        return PLACEHOLDER.sub(lambda match: addresses.get(match[1], match[0]), value)
    if isinstance(value, Mapping):
        return {key: place(inner, addresses) for key, inner in value.items()}
    return [place(inner, addresses) for inner in value] if isinstance(value, list) else value


def open_names(value: Any) -> set[str]:
    """Names of the sites whose addresses a record asks for."""
    return set(PLACEHOLDER.findall(value)) if isinstance(value, str) else {
        name for inner in (value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ())
        for name in open_names(inner)
    }  # fmt: skip


def start_urls(record: Spec) -> list[str]:
    """The pages that a task begins with, one in each tab; the last is in front."""
    return [url.strip() for url in str(record["start_url"]).split(" |AND| ")]


class ConfigBook:
    """The tasks of a config file.

    Args:
        path: The file or folder.
        addresses: Address by site name, such as `SHOPPING`.
        sites: Names as in the records' `sites`: only tasks on these are taken; None for all.

    Raises:
        DataError: if a record is not as described, or asks for an address that is not given.
        ConfigError: if nothing is left.
    """

    def __init__(self, path: Path, addresses: Mapping[str, str], sites: Sequence[str] | None):
        records = read_configs(path)
        if sites is not None:
            records = [record for record in records if set(record.get("sites", ())) <= set(sites)]
        if not records:
            raise ConfigError(f"{path} has no task on the sites {', '.join(sites or ())} alone")
        missing = sorted({name for record in records for name in open_names(record)} - set(addresses))
        if missing:
            example = f"addresses={{{missing[0]!r}: 'http://localhost:7770'}}"
            raise DataError(
                f"{path}: the tasks ask for the address of {', '.join(missing)}; give it as in {example}, or choose "
                "tasks by sites="
            )
        self.records = {str(record["task_id"]): place(record, addresses) for record in records}
        self._cut = _cut_by_template(self.records)

    def panel(self, split: str) -> FiniteTaskSet:
        """The tasks of a split."""

        def make(task_id: str) -> Task:
            return Task(task_id, split, str(self.records[task_id]["intent"]), self.records[task_id])

        return FiniteTaskSet(split, self._cut[split], make)


def _cut_by_template(records: Mapping[str, Spec]) -> dict[str, list[str]]:
    """Ids by split: tasks of one template stand in one split, 80/10/10 of the templates, in the order of the file.

    Of fewer templates than ten no such cut can be made; then every task stands for itself.
    """
    template = {name: str(record.get("intent_template_id", f"task {name}")) for name, record in records.items()}
    if len(set(template.values())) < FEW:
        template = {name: name for name in records}
    cut = cut_by_hash(sorted(set(template.values())), {"train": 0.8, "val": 0.1, "test": 0.1})
    owner = {one: split for split, names in cut.items() for one in names}
    return {split: [name for name in records if owner[template[name]] == split] for split in cut}
