"""Verdicts of our evaluators beside those of WebArena's own, on generated answers, addresses and pages.

The original is no part of this project: `AGENTGYM_WEBARENA_SOURCE` names a checkout of web-arena-x/webarena, and nltk
and beartype must be installed. Models are out of it: both sides ask the same scripted one.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import types
from pathlib import Path

import pytest

from agentgym.core.rng import stream
from agentgym.core.text_model import ScriptedModel
from agentgym.envs.web._webarena.configs import place, read_configs
from agentgym.envs.web._webarena.evaluators import Rules, answers_match, evaluate, url_matches
from tests.envs.test_webarena import NAMES, PUBLISHED

SOURCE = Path(os.environ.get("AGENTGYM_WEBARENA_SOURCE") or "web-arena-x/webarena")
FILE = SOURCE / "evaluation_harness/evaluators.py"
pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not FILE.exists(), reason=f"AGENTGYM_WEBARENA_SOURCE names no checkout with {FILE}"),
    pytest.mark.skipif(not PUBLISHED.exists(), reason=f"WebArena's published config file is not at {PUBLISHED}"),
]
PER_TASK = 60
SITES = {name: f"http://{name.lower()}.test" for name in NAMES}


class Page:
    """A recorded page: what each locator gives at each address, and its document."""

    def __init__(self, url, found):
        self.url, self._found = url, found

    def goto(self, url):
        self.url = url

    open = goto

    def content(self):
        return self._found

    def evaluate(self, script):
        return self._found


@pytest.fixture(scope="module")
def original():
    pytest.importorskip("nltk", reason="nltk, with which the original cuts words, is not installed")
    pytest.importorskip("beartype", reason="beartype, which the original imports, is not installed")
    from nltk.tokenize import word_tokenize

    made = {
        "browser_env.actions": {"Action": dict}, "browser_env.utils": {"StateInfo": dict},
        "evaluation_harness.helper_functions": {
            "PseudoPage": Page, "llm_fuzzy_match": lambda said, wanted, asked: float(same(wanted, said)),
            "llm_ua_match": lambda said, wanted, asked: float(same(wanted, said)),
            "gitlab_get_project_memeber_role": lambda page, name: page.content(),
            "reddit_get_post_url": lambda url: "/".join(url.split("/")[:6]) + "/" if "/f/" in url else url,
            **{f"shopping_get_sku_latest_review_{what}": lambda sku: "" for what in ("author", "rating")},
            "shopping_get_latest_order_url": lambda: "http://shopping.test/sales/order/view/order_id/1/",
        },
    }  # fmt: skip
    before = dict(sys.modules)
    for name, content in made.items():
        sys.modules.setdefault(name.partition(".")[0], types.ModuleType(name.partition(".")[0]))
        sys.modules[name] = types.ModuleType(name)
        vars(sys.modules[name]).update(content)
    try:
        spec = importlib.util.spec_from_file_location("webarena_evaluators", FILE)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        for name in set(sys.modules) - set(before):
            if name.partition(".")[0] in ("browser_env", "evaluation_harness"):
                del sys.modules[name]
    # Sentences are not cut first: the list of abbreviations for that is a download of its own.
    module.word_tokenize = lambda text: word_tokenize(text, preserve_line=True)
    module.time = types.SimpleNamespace(sleep=lambda seconds: None)
    return module


def same(wanted, said):
    return len(wanted) % 3 == len(said) % 3


def judge(messages, seed):
    lines = dict(line.split(": ", 1) for line in messages[0]["content"].split("\n") if ": " in line)
    return json.dumps({"same": same(lines["Right answer"], lines["Answer"])})


def records():
    return [place(record, SITES) for record in read_configs(PUBLISHED)]


def references(record):
    answers = record["eval"]["reference_answers"] or {}
    return [one for value in answers.values() for one in ([value] if isinstance(value, str) else value)]


def variants(texts, rng):
    """An answer made of reference answers: as they are, shortened, in other words, among others."""
    shapes = (
        "{}", " {} ", '"{}"', "'{}'", "The answer is {}.", "{}!", "({})", "${}", "{}%", "1{}", "{}0", "{},000", "{}.5",
        "{}; {}", "{} or 7", "not {}", "{}:{}", "x{}", "{}'s", "about {}, I think", "#{}", "{}/{}", "-{}", "{}\n{}", "",
    )  # fmt: skip
    shape = shapes[int(rng.integers(len(shapes)))]
    words = [texts[int(place)] for place in rng.permutation(len(texts))][: 1 + int(rng.integers(len(texts)))]
    if int(rng.integers(3)) == 0:
        words = texts
    said = ", ".join(words)
    if int(rng.integers(4)) == 0:
        said = (said.upper(), said.lower(), said[1:], said[:-1], said.replace(" ", "  "))[int(rng.integers(5))]
    return shape.replace("{}", said)


def test_string_match_agrees(original, tmp_path):
    rng, model, compared, right = stream("test.webarena", 1), ScriptedModel(judge), 0, 0
    for record in records():
        if "string_match" not in record["eval"]["eval_types"]:
            continue
        path = tmp_path / "config.json"
        path.write_text(json.dumps({"string_note": "", **record}), encoding="utf8")
        fuzzy = "fuzzy_match" in record["eval"]["reference_answers"]
        for _ in range(PER_TASK):
            said = " ".join(variants(references(record), rng).split()) if fuzzy else variants(references(record), rng)
            theirs = original.StringEvaluator()([{}, {"answer": said}], path)
            if fuzzy and not said:
                continue  # nothing is no answer: no model is asked
            ours = answers_match(record, said, Rules(model=model))
            if fuzzy and ours and not theirs and said.strip("'\"").lower() in map(str.lower, references(record)):
                continue  # equal texts say the same: no model is asked
            assert ours == bool(theirs), (record["task_id"], references(record), said)
            compared, right = compared + 1, right + ours
    print(f"string_match: {compared} answers, {right} of them right, all verdicts equal")
    assert compared > 10_000
    assert 0.2 < right / compared < 0.8


def test_url_match_agrees(original, tmp_path):
    rng, compared, right = stream("test.webarena", 2), 0, 0
    for record in records():
        if "url_match" not in record["eval"]["eval_types"]:
            continue
        path = tmp_path / "config.json"
        path.write_text(json.dumps(record), encoding="utf8")
        known = record["eval"]["reference_url"].split(" |OR| ")
        for _ in range(PER_TASK):
            url = known[int(rng.integers(len(known)))]
            tails = ("", "/", "?a=1", "/more", "#x", "&b=2", "?", ";p=1", "%20")
            url += tails[int(rng.integers(len(tails)))]
            kind = int(rng.integers(6))
            url = (url, url[:-3], url.replace("http://", "https://"), url.replace("=", "=0"), url.split("?")[0],
                   f"http://else.test/?to={url}")[kind]  # fmt: skip
            theirs = original.URLEvaluator()([], path, Page(url, ""))
            ours = url_matches(record["eval"]["reference_url"], url)
            assert ours == bool(theirs), (record["task_id"], known, url)
            compared, right = compared + 1, right + ours
    print(f"url_match: {compared} addresses, {right} of them right, all verdicts equal")
    assert compared > 10_000
    assert 0.2 < right / compared < 0.9


def test_program_html_agrees(original, tmp_path):
    rng, compared, right = stream("test.webarena", 3), 0, 0
    for record in records():
        targets = record["eval"]["program_html"] or []
        if "program_html" not in record["eval"]["eval_types"] or any("sku" in one["locator"] for one in targets):
            continue
        targets = [one for one in targets if "order_url" not in one["url"] and "role" not in one["locator"]]
        for target in targets:
            alone = {**record, "eval": {**record["eval"], "eval_types": ["program_html"], "program_html": [target]}}
            path = tmp_path / "config.json"
            path.write_text(json.dumps(alone), encoding="utf8")
            wanted = next(iter(target["required_contents"].values()))
            texts = [wanted] if isinstance(wanted, str) else [part for one in wanted for part in one.split(" |OR| ")]
            for _ in range(PER_TASK // 3):
                found = variants(texts, rng).replace("&", "&amp;")
                url = "http://reddit.test/f/books/1/-/comment/2"
                theirs = original.HTMLContentEvaluator()([], path, Page(url, found))
                ours = evaluate(alone, "", Page(url, found), Rules(SITES))
                assert ours == bool(theirs), (record["task_id"], target, found)
                compared, right = compared + 1, right + ours
    print(f"program_html: {compared} pages, {right} of them right, all verdicts equal")
    assert compared > 10_000
    assert 0.2 < right / compared < 0.9
