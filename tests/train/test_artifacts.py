"""Text that is learned in place of weights: what is edited, what is kept, and what is rolled back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agentgym.agents import run_policy
from agentgym.core import AgentGymError, Reply
from agentgym.rollout import EnvPool, Episode, EpisodeSpec, collect
from agentgym.train import HuggingFaceEngine, Run, TinyConfig, Trainer, build_decoder, read_recipe
from agentgym.train.artifacts import LONGEST, LONGEST_NAME, Artifact
from agentgym.train.checkpoint import newest, resume
from agentgym.train.editors import Edit, ModelEditor
from tests.rollout.worlds import ID
from tests.train.making import episode
from tests.train.methods import clumsy

RULE = {"name": "function", "rule": "tests.train.test_artifacts:lessons"}
PROPOSED: list[list[Edit]] = []


def lessons(
    entries: Mapping[str, str], groups: Sequence[Sequence[Episode]], rng: np.random.Generator
) -> Sequence[Edit]:
    """What the test proposes next."""
    assert groups
    assert all(len({(each.task_id, each.seed) for each in group}) == 1 for group in groups)
    return PROPOSED.pop(0) if PROPOSED else []


def trainer(run: Run | None = None, **artifact: Any) -> Trainer:
    table: dict[str, Any] = {
        "world": {"id": ID},
        "model": {"name": "unused"},
        "rollout": {"groups": 2, "group_size": 2},
        "update": {"updates": 4},
        "checkpoint": {"every": 1},
        "artifact": {"kind": "experiences", "editor": RULE, "tasks": 8, **artifact},
    }
    return Trainer(read_recipe(table), clumsy(), EnvPool(ID), run=run)


def test_what_does_no_worse_is_kept_and_what_does_worse_is_rolled_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path / "run", {})
    learner = trainer(run)
    assert learner.artifact is not None
    before = [weight.detach().clone() for weight in learner.engine.model.parameters()]
    worth = {"": 0.5, "good": 0.7, "bad": 0.6}
    read: list[str] = []

    def panel(self: Artifact, who: Trainer, text: str) -> float:
        read.append(text)
        return max(value for word, value in worth.items() if word in text) if "bad" not in text else 0.6

    monkeypatch.setattr(Artifact, "play", panel)
    PROPOSED[:] = [[Edit("add", text="good")], [Edit("modify", "e1", "bad")], [], [Edit("delete", "e1")]]
    history = learner.train()
    told = [each["artifact"] for each in history]
    assert [each["version"] for each in told] == [1, 1, 1, 1]
    assert [each.get("proposed", {}).get("accepted") for each in told] == [True, False, None, False]
    assert learner.artifact.current.entries == {"e1": "good"}
    assert [version.score for version in learner.artifact.versions] == [0.5, 0.7, 0.6, 0.5]
    assert len(read) == 3  # a text is played once, as long as the weights are the same
    assert learner.text == "What earlier tries have taught:\n- good"
    assert all(torch.equal(a, b) for a, b in zip(learner.engine.model.parameters(), before, strict=True))
    assert history[0]["counters"]["Artifact"] == {"edits_proposed": 1, "edits_made": 1}
    log = [json.loads(line) for line in (tmp_path / "run" / "artifact.jsonl").read_text().splitlines()]
    assert [(line["update"], line["number"], line["parent"]) for line in log] == [(0, 1, 0), (1, 2, 1), (3, 3, 1)]
    latest = newest(run, 1)
    assert latest is not None
    learner.close()
    again = trainer()
    assert again.artifact is not None
    resume(again, latest)
    assert again.artifact.versions == learner.artifact.versions
    assert again.text == learner.text


def test_a_text_that_there_is_no_room_for_is_rolled_back() -> None:
    learner = trainer()
    assert learner.artifact is not None
    PROPOSED[:] = [[Edit("add", text="look. " * 300)], [Edit("add", text="be brief")]]
    history = learner.train()
    first, second = (each["artifact"] for each in history[:2])
    assert (first["version"], first["proposed"]["score"], first["proposed"]["accepted"]) == (0, None, False)
    assert history[0]["counters"]["Artifact"]["texts_too_long"] == 1
    assert second["proposed"]["entries"] == {"e1": "be brief"}


def test_a_text_that_a_longer_task_leaves_no_room_for_is_withdrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = trainer()
    assert learner.artifact is not None
    monkeypatch.setattr(Artifact, "play", lambda self, who, text: 1.0)  # tasks that are shorter than those of the round
    PROPOSED[:] = [[Edit("add", text="be brief")], [Edit("add", text="look. " * 300)]]
    history = learner.train()
    assert [each["artifact"]["version"] for each in history] == [1, 2, 1, 1]
    assert history[2]["counters"]["Artifact"]["texts_withdrawn"] == 1
    assert [version.accepted for version in learner.artifact.versions] == [True, True, False]
    assert learner.text.endswith("be brief")
    twin = trainer()
    assert twin.artifact is not None
    twin.artifact.load(json.loads(json.dumps(learner.artifact.state())))
    assert twin.text == learner.text
    with pytest.raises(AgentGymError, match="exceeds the context"):
        trainer(entries={"e1": "look. " * 300}).train()


def test_edits_of_a_model_are_data() -> None:
    artifact = Artifact("rules", RULE, {"a": "one"}, most=2)
    edits = [
        Edit("add", "a", "again"), Edit("add", "b", "two"), Edit("add", "c", "three"), Edit("modify", "x", "four"),
        Edit("modify", "b", "y" * (LONGEST + 1)), Edit("delete", "x"), Edit("run", "a", "import os"),
        Edit("add", "n" * (LONGEST_NAME + 1), "five"), Edit("add", "c:\nRules", "six"),
    ]  # fmt: skip
    entries, done = artifact.edited({"a": "one"}, edits)
    assert entries == {"a": "one", "b": "two"}
    assert done == [edits[1]]
    assert Artifact("rules", RULE).edited({}, edits[-2:]) == ({}, [])
    assert artifact.render(entries) == "Rules:\na: one\nb: two"
    assert artifact.render({}) == ""
    assert Artifact("prompt", RULE).render({"a": "x {y}"}) == "x {y}"


def test_a_model_is_shown_the_best_and_the_worst_and_its_answer_is_read_with_care() -> None:
    editor = ModelEditor("endpoint:m", {"base_url": "http://localhost:1/v1"}, most=2)
    asked = editor.question({"e1": "old"}, [[episode([0.0]), episode([1.0]), episode([0.5])]])
    assert "e1: old" in asked
    assert asked.index("earned 1:") < asked.index("earned 0:")
    assert "earned 0.5" not in asked
    said = 'Well: [{"op": "add", "text": "a"}, {"op": "exec"}, {"op": "delete", "name": "e1"}]'
    assert editor.read(Reply(said)) == [Edit("add", "", "a")]
    assert editor.read(Reply("no list")) == []
    assert editor.take_counts() == {"answers_unread": 1}
    assert editor.propose({}, [[episode([1.0]), episode([1.0])]], np.random.default_rng(0)) == []  # a dead group


def test_what_was_learned_in_words_is_read_whenever_the_run_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Artifact, "play", lambda self, who, text: 1.0)
    PROPOSED[:] = [[Edit("add", text="look twice")]]
    learner = trainer(Run(tmp_path / "run", {}))
    learner.train()
    learner.close()
    assert learner.text.endswith("- look twice")
    player = run_policy(path=str(tmp_path / "run"), device="cpu")
    (episode,) = collect(EnvPool(ID), player, [EpisodeSpec(3, 3, 0, (1,))])
    assert learner.text in player.tokenizer.decode(episode.segments[0].token_ids)
    assert learner.engine.prompt.guidance == ""  # who trains says it from the artifact, as it is then


def test_a_local_model_edits_and_is_asked_what_its_context_has_room_for(tokenizer: Any) -> None:
    said = tokenizer.encode('[{"op": "add", "text": "look"}]', add_special_tokens=False)
    groups = [[episode([0.0]), episode([1.0])] for _ in range(3)]
    read: list[str] = []

    def bound(given: Sequence[int], before: Sequence[int]) -> list[int]:
        read.extend([] if before else [tokenizer.decode(given)])
        return [said[len(before)] if len(before) < len(said) else tokenizer.eos_token_id]

    def editor(context: int) -> ModelEditor:
        shape = TinyConfig(layers=1, width=32, heads=2, context=context)
        engine = HuggingFaceEngine(build_decoder(shape, tokenizer, 0), tokenizer, max_new_tokens=len(said) + 1)
        engine.constraint = bound
        found = ModelEditor("hf:none")
        found._policy.append(engine)
        return found

    first = editor(9)
    asked = [len(first._policy[0].encode_first(first.question({}, groups[:count]))) for count in (1, 3)]
    one, whole = (size + len(said) + 1 for size in asked)
    for context, edits, counts in (
        (whole, [Edit("add", "", "look")], {}),
        (one, [Edit("add", "", "look")], {}),
        (one - 1, [], {"questions_too_long": 1}),
    ):
        mine = editor(context)
        assert mine.propose({}, groups, np.random.default_rng(0)) == edits
        assert mine.take_counts() == counts
    assert ["Task 3, earned" in each for each in read] == [True, False]
    with pytest.raises(AgentGymError, match=r"'random' is none; use endpoint:MODEL or hf:MODEL"):
        ModelEditor("random").propose({}, groups, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"split": "test"}, "may not look at the test panel"),
        ({"every": 9}, "exceeds the 4 updates"),
        ({"entries": {"a": ""}}, "texts of 1 to"),
        ({"plain": True}, "nobody learns"),
        ({"policies": ["x"]}, "none of .policies."),
        ({"kind": "song"}, "unknown artifact.kind"),
        ({"editor": {"name": "function", "rule": "nothing:here"}}, "the rule of an editor .*cannot be found"),
        ({"editor": {"name": "model", "agent": "endpont:x"}}, "endpont"),
    ],
)
def test_what_makes_no_sense_is_refused(changes: dict[str, Any], complaint: str) -> None:
    with pytest.raises(AgentGymError, match=complaint):
        trainer(**changes)


def test_an_artifact_beside_a_loss_is_read_and_may_be_left_out_of_what_is_learned() -> None:
    engine: HuggingFaceEngine = clumsy()
    table: dict[str, Any] = {
        "world": {"id": ID}, "model": {"name": "unused"}, "rollout": {"groups": 2, "group_size": 2},
        "loss": "sft", "update": {"updates": 1},
        "artifact": {"kind": "prompt", "editor": RULE, "tasks": 4, "entries": {"a": "pink is near"}, "plain": True},
    }  # fmt: skip
    learner = Trainer(read_recipe(table), engine, EnvPool(ID))
    (first, *_) = learner._play(learner._starts(0, 1))
    assert all(turn.off_policy for turn in first.turns)
    assert "near" not in engine.tokenizer.decode(first.segments[0].token_ids)
    PROPOSED.clear()
    assert learner.train()[0]["artifact"] == {"version": 0, "entries": 1}
