"""MaskedSpans: spans that are found, masked and told elsewhere; answers and their shares; the hidden passage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import agentgym  # noqa: F401  (registers the id)
from agentgym.core import TaskError
from agentgym.envs._kit.retrieval.corpora import open_encyclopedia
from agentgym.envs._kit.retrieval.scoring import normalized
from agentgym.envs.tools._search.questions import part_of
from agentgym.envs.tools._search.spans import masked, spans, whole
from agentgym.envs.tools._search.world import corpus_of
from agentgym.envs.tools.masked_spans import MaskedSpansEnv

SPLITS = ("val", "test", "train")
OWN = {
    "title": "Odd Ode",
    "text": "Odd Ode is by [MASK 1], who was born in [MASK 2]. [MASK 1] hated it.",
    "spans": ["Ann Other", "1867"],
    "supports": [["Winland"], ["Nowhere"]],
}


def make(**kwargs: Any) -> Any:
    return gym.make("AgentGym/MaskedSpans-v0", **kwargs).unwrapped


def test_names_dates_and_numbers_are_salient() -> None:
    text = (
        "The river Elm rises in Upper Ash. In May 1867 the University of Ash had 1,200 students; Every April it floods."
    )
    assert spans(text) == ["Elm", "Upper Ash", "May 1867", "University of Ash", "1,200", "April"]
    assert spans("Fog fell. Ann Other saw it on 3 June 1901.") == ["Ann Other", "3 June 1901"]
    assert (
        masked("In 1867 and 18670 Ash, Ashby; Ash.", ["1867", "Ash"])
        == "In [MASK 1] and 18670 [MASK 2], Ashby; [MASK 2]."
    )


@pytest.mark.full
def test_masked_spans_stand_in_other_passages_and_not_in_the_text() -> None:
    corpus = open_encyclopedia(10_000)
    for split in ("val", "test", "train"):
        panel = make(split=split).tasks(split)
        for place in range(20):
            spec = panel[place].spec
            assert part_of(spec["title"]) == split
            assert len(spec["spans"]) == len(set(spec["spans"])) == 2
            for span, titles in zip(spec["spans"], spec["supports"], strict=True):
                assert not whole(span).search(spec["text"])
                assert not set(normalized(span).split()) & set(normalized(spec["title"]).split())
                told = [corpus.get(number) for number in corpus.rank(titles[0], 5)]
                assert any(span in f"{each.title} {each.text}" for each in told if each.title != spec["title"])


@pytest.mark.full
def test_the_number_of_masks_is_a_option() -> None:
    for masks in (1, 4):
        spec = MaskedSpansEnv.generate_from_seed(type(MaskedSpansEnv.config)(masks=masks), 3)
        assert len(spec["spans"]) == masks
        assert f"[MASK {masks}]" in spec["text"]


def test_the_passage_itself_is_not_found() -> None:
    env = make(split="val")
    for place in range(0, 200, 40):
        env.reset(seed=0, options={"task": place})
        for query in (env.task.spec["title"], env.task.spec["text"][:300].replace("[", " ").replace("]", " ")):
            text = env.step(f"search[{query}]")[0]
            assert f"(Title: {env.task.spec['title']}) {env._whole[:60]}" not in text


def test_the_reward_is_the_share_of_the_spans() -> None:
    env = make(split="val")
    for said, share, recall in (
        ("the ann other; 1867.", 1.0, 1.0), ("Ann; 1867", 0.5, 0.75), ("1867; Ann Other", 0.0, 0.0),
    ):  # fmt: skip
        env.reset(seed=0, options={"task": OWN})
        *_, info = env.step("search[country Winland]")
        assert (info["progress"], info["metrics"]["retrieval"]) == (0.5, 0.5)
        _, reward, terminated, _, info = env.step(f"answer[{said}]")
        assert (reward, terminated, info["success"]) == (share, True, share == 1)
        assert (info["metrics"]["matched"], info["metrics"]["recall"]) == (share, recall)


def test_an_answer_of_another_length_is_refused() -> None:
    env = make(split="val")
    env.reset(seed=0, options={"task": OWN})
    text, *_, info = env.step("answer[Ann Other]")
    assert text == "There are 2 masks, and 1 spans were given; put ';' between spans."
    assert not info["action_valid"]


@pytest.mark.full
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"spans": ["a1", "b", "c"], "supports": [[], [], []]}, r"no \[MASK 3\]"),
        ({"spans": ["a;b", "c"]}, "no semicolon"),
        ({"supports": [["x"]]}, "a list of titles for each span"),
    ],
)
def test_tasks_that_do_not_fit_are_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(TaskError, match=said):
        make(split="val").reset(options={"task": {**OWN, **wrong}})


# What is told


def test_neither_text_nor_info_nor_a_refusal_tells_a_span() -> None:
    env, checked = make(split="val"), 0
    for place in range(0, 200, 8):
        text, info = env.reset(seed=0, options={"task": place})
        shown = [text, json.dumps({**info, "task_id": ""})]
        for action in ("nonsense", "answer[x]", "search[]", "search[zzzz qqqq]"):
            told, *_, info = env.step(action)
            shown += [told, json.dumps({**info, "task_id": ""})]
        for span in env.reference():
            assert not any(whole(span).search(part) for part in shown), (place, span)
            checked += 1
    assert checked == 50


@pytest.mark.full
def test_no_article_is_asked_about_in_two_splits() -> None:
    titles = {split: [make(split=split).tasks(split)[place].spec["title"] for place in range(200)] for split in SPLITS}
    assert all(part_of(title) == split for split, found in titles.items() for title in found)
    assert len(set(titles["val"]) | set(titles["test"])) > 300


# Passages of a user


def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, str]]) -> dict[str, Any]:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))
    (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf8")
    return {"corpus": tmp_path / "p.jsonl"}


def towns(count: int) -> list[dict[str, str]]:
    """Towns and their mayors, each told by the other's passage."""
    rows = []
    for number in range(count):
        town, mayor = f"Port {name(number)}", f"Ada {name(number + count)}"
        rows.append({"title": town, "text": f"The town is old. It was founded in {1200 + number} and led by {mayor}."})
        rows.append({"title": mayor, "text": f"She leads {town}, which was founded in {1200 + number}."})
    return rows


def name(number: int) -> str:
    return "".join("aeiourlmnt"[int(digit)] for digit in f"{number:05}").capitalize()


@pytest.mark.parametrize("masks", [1, 2])
def test_passages_of_a_user_are_masked_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, masks: int) -> None:
    files = own(tmp_path, monkeypatch, towns(90))
    for split in ("train", "val", "test"):
        env = make(split=split, masks=masks, **files)
        for place in range(4):
            env.reset(seed=0, options={"task": place})
            spec = env.task.spec
            assert part_of(spec["title"]) == split
            assert len(spec["spans"]) == masks
            corpus = corpus_of(env.config)
            passages = [corpus.get(number) for number in range(len(corpus))]
            for span, titles in zip(spec["spans"], spec["supports"], strict=True):
                assert any(
                    whole(span).search(f"{each.title}. {each.text}") for each in passages if each.title in titles
                )
            while not env.ended:
                *_, info = env.step(env.oracle_action())
            assert (info["success"], info["progress"]) == (True, 1.0)


@pytest.mark.parametrize(
    ("rows", "masks", "said"),
    [
        ([{"title": "Zurp", "text": "It is by Ann Other."}], 1, "gave none of this split"),
        ([{"title": f"Odd {name(n)}", "text": "nothing here is a name."} for n in range(60)], 1, "have no 1 spans"),
        (towns(60), 5, "have no 5 spans"),
    ],
)
def test_a_corpus_that_gives_no_tasks_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: list[dict[str, str]], masks: int, said: str
) -> None:
    env = make(split="val", masks=masks, **own(tmp_path, monkeypatch, rows))
    with pytest.raises(TaskError, match=said):
        env.reset(seed=0)


@pytest.mark.full
def test_the_largest_encyclopaedia_is_asked_about() -> None:
    env = make(split="val", articles=30_000)
    assert len(corpus_of(env.config)) == 30_000
    for place in range(10):
        env.reset(seed=0, options={"task": place})
        while not env.ended:
            *_, info = env.step(env.oracle_action())
        assert info["success"]
