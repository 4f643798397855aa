"""Tasks that a proposer makes: which are played, what is left out and counted, and that a cut run proposes the same."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from agentgym.core import (
    AgentGymError,
    ConfigError,
    EndpointError,
    LanguageEnv,
    Message,
    ScriptedModel,
    TaskError,
    Tried,
    object_schema,
)
from agentgym.core.tasks import Spec
from agentgym.rollout import EnvPool
from agentgym.rollout.counters import take_notes
from agentgym.train import Trainer, read_lines, recipe_table, run_recipe
from agentgym.train.proposals import Proposed
from tests.rollout.worlds import CARD, WORDS, Echo
from tests.train.cutting import Cut, cut_at
from tests.train.making import episode
from tests.train.methods import clumsy, small

SELF = "tests.train.test_proposals"
ID = "AgentGymTests/Spelled-v0"
FIRST = 1000  # places of tasks that no panel has


class Spelled(Echo):
    """The echo world with tasks that may be written down."""

    card = replace(CARD, id=ID, entry_point=f"{SELF}:Spelled")
    task_schema = object_schema({"place": {"type": "integer"}, "words": {"type": "array", "items": {"type": "string"}}})

    def instruction(self, spec: Spec) -> str:
        return "Say what is shown."

    def check_task(self, spec: Spec) -> None:
        if len(spec["words"]) != 3 or not set(spec["words"]) <= set(WORDS):
            raise TaskError(f"three words of {', '.join(WORDS)} are said here, not {spec['words']}")


if ID not in gym.registry:
    gym.register(id=ID, entry_point=f"{SELF}:Spelled")


class Speller:
    """Proposes words that it was shown, and now and then what nobody can play."""

    def __init__(self, wrong: bool = False, harder: bool = False):
        self.wrong, self.harder, self.looks = wrong, harder, 0

    def propose(self, world: LanguageEnv, rng: np.random.Generator, tried: Sequence[Tried]) -> list[Mapping[str, Any]]:
        seen = {world.reset(seed=int(rng.integers(2**31)))[0].split()[0] for _ in range(4)}
        drawn = [sorted(seen)[int(place)] for place in rng.integers(len(seen), size=3)]
        found: list[Any] = [{"place": FIRST + int(rng.integers(1000)), "words": drawn}]
        if self.wrong:
            found += [
                {"place": FIRST, "words": ["red", "mauve", "blue"]},  # the world refuses it
                {"words": drawn},  # it fits no schema
                7,
                dict(found[0]),  # once more
                dict(world.tasks("val")[5].spec),  # of a panel for evaluation
            ]
        if self.harder and tried:
            found = [{"place": int(10_000 * max(each.mean_return for each in tried)) + len(tried), "words": drawn}]
        return found


def speller(**options: bool) -> Speller:
    return Speller(**options)


def blind_judge() -> ScriptedModel:
    """A judge of repeated words that cannot tell pink from red."""
    return ScriptedModel(_blind)


def _blind(messages: Sequence[Message], seed: int) -> str:
    said = re.findall(r'(Player|World): (".*")', messages[-1]["content"].replace("pink", "red"))
    heard = [json.loads(text).split("\n")[0] for who, text in said if who == "World"]
    spoken = [json.loads(text) for who, text in said if who == "Player"]
    return f"Score: {10 * (len(spoken) == 3 and spoken == heard[:3])}"


JUDGED = [{"name": "WithholdReward"}, {"name": "JudgeReward", "model": f"{SELF}:blind_judge"}]
TASKS = {"name": "proposed", "proposer": f"{SELF}:speller", "tasks": 12}


def entered(**options: Any) -> Proposed:
    sampler = Proposed(f"{SELF}:speller", **options)
    sampler.enter(EnvPool(ID))
    return sampler


def test_proposed_tasks_are_played_and_what_the_world_refuses_is_counted_and_noted() -> None:
    sampler = entered(arguments={"wrong": True}, tasks=4)
    places = sampler.draw(np.random.default_rng(0), 32, 64)
    assert set(places) == {0, 1, 2, 3}
    for place in places:
        spec = sampler.name(place)
        assert isinstance(spec, dict)
        assert spec["place"] >= FIRST
        assert sampler.place(spec) == place
    counts = sampler.take_counts()
    assert counts["looks"] == 4
    assert counts["proposed"] - counts["refused"] == 4
    (lines,) = take_notes([sampler]).values()
    assert len(lines) == counts["proposed"]
    assert {line["proposer"] for line in lines} == {f"{SELF}:speller"}
    said = {line["refused"] for line in lines}
    for part in (
        "three words of",
        "'place'",
        "JSON",
        "it was proposed before",
        "a panel for evaluation holds the same",
    ):
        assert any(part in reason for reason in said), (part, said)
    assert take_notes([sampler]) == {}


def test_new_tasks_take_the_place_of_the_oldest_and_come_of_what_was_earned() -> None:
    sampler = entered(arguments={"harder": True}, tasks=2, renew=2)
    rng = np.random.default_rng(0)
    for _ in range(2):
        first = sampler.draw(rng, 8, None)
    assert set(first) == {0, 1}
    sampler.record([episode([0.5]), episode([1.0])], [0, 1])
    again = entered(arguments={"harder": True}, tasks=2, renew=2)
    again.load(json.loads(json.dumps(sampler.state())))
    later = sampler.draw(np.random.default_rng(3), 8, None)
    assert set(later) <= {2, 3}
    assert again.draw(np.random.default_rng(3), 8, None) == later
    assert [again.name(place) for place in later] == [sampler.name(place) for place in later]
    spec = sampler.name(2)
    assert isinstance(spec, dict)
    assert spec["place"] == 10_000 * 1 + 2, "two were tried, and the best earned 1"


def drawn(options: dict[str, Any]) -> list[int]:
    sampler = Proposed(**options)
    sampler.enter(EnvPool(ID))
    return sampler.draw(np.random.default_rng(0), 1, None)


def nothing(**options: Any) -> Any:
    class Idle:
        def propose(self, world: Any, rng: Any, tried: Any) -> list[Any]:
            return [{"place": 1, "words": ["mauve"]}]

    return Idle()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"proposer": f"{SELF}:nothing"}, "brought no task that .* can play in 5 looks around; the last was refused"),
        ({"proposer": f"{SELF}:nowhere"}, "the proposer .* cannot be found"),
        ({"proposer": "model"}, "needs model, as module:function"),
        ({"proposer": f"{SELF}:speller", "cassette": "x"}, "needs model"),
        ({"proposer": f"{SELF}:speller", "tasks": 0}, "tasks of at least 1"),
    ],
)
def test_what_brings_no_task_is_refused_in_one_line(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint) as refused:
        drawn(options)
    assert "\n" not in str(refused.value)


def test_a_game_of_several_players_has_nobody_to_look_around_in() -> None:
    sampler = Proposed(f"{SELF}:speller")
    sampler.enter(EnvPool("AgentGym/KuhnPoker-v0"))
    with pytest.raises(ConfigError, match="no AgentGym world of one player"):
        sampler.draw(np.random.default_rng(0), 1, None)


# A language model as the proposer

ASKED: list[str] = []


def writer(**options: Any) -> ScriptedModel:
    def answer(messages: Sequence[Message], seed: int) -> str:
        ASKED.append(messages[-1]["content"])
        if len(ASKED) == 1:
            return "I would rather not."
        return f'Here: [{{"place": {FIRST + len(ASKED)}, "words": ["red", "red", "pink"]}}]'

    return ScriptedModel(answer)


def outage(**options: Any) -> ScriptedModel:
    def answer(messages: Sequence[Message], seed: int) -> str:
        raise EndpointError("nobody answers")

    return ScriptedModel(answer)


def test_a_model_proposes_in_any_world_from_its_manual_and_a_walk(tmp_path: Path) -> None:
    ASKED.clear()
    options: dict[str, Any] = {"model": f"{SELF}:writer", "tasks": 2, "cassette": str(tmp_path / "model.jsonl")}
    sampler = Proposed("model", {"turns": 2}, **options)
    sampler.enter(EnvPool(ID))
    places = sampler.draw(np.random.default_rng(0), 4, None)
    assert all(sampler.name(place)["words"] == ["red", "red", "pink"] for place in places)  # type: ignore[index]
    assert sampler.take_counts() == {"looks": 3, "looks_without_proposals": 1, "proposed": 2, "refused": 0}
    lines = take_notes([sampler])["proposals"]
    assert "must answer a JSON list of tasks" in lines[0]["refused"]
    assert '"words"' in ASKED[0]
    assert "World: " in ASKED[0]
    assert "Say what is shown." not in ASKED[0].partition("Seen:")[2], "no task of the panel is told"
    asked = len(ASKED)
    again = Proposed("model", {"turns": 2}, **options)
    again.enter(EnvPool(ID))
    assert again.draw(np.random.default_rng(0), 4, None) == places
    assert len(ASKED) == asked, "the cassette answered"
    silent = Proposed("model", model=f"{SELF}:outage")
    silent.enter(EnvPool(ID))
    with pytest.raises(EndpointError, match="nobody answers"):
        silent.draw(np.random.default_rng(0), 1, None)


# The recipe


def judged(**changes: Any) -> Trainer:
    """A trainer of the recipe in the world of words, begun by a policy that says about half of them right."""
    recipe = small(
        "pae", world={"id": ID, "wrappers": JUDGED}, rollout__tasks=TASKS, callback=[{"name": "judge_agreement"}],
        update__learning_rate=3e-3, **changes,
    )  # fmt: skip
    return Trainer(recipe, clumsy(), EnvPool(ID, wrappers=recipe.world.wrappers))


def test_verdicts_are_what_is_earned_and_the_truth_is_counted_beside_them() -> None:
    trainer = judged(update__updates=2)
    history = trainer.train()
    told = history[0]["agreement"]
    assert told["judged"] == 64
    assert told["false_positives"] > 0, "pink for red, or red for pink"
    assert told["precision"] < 1
    assert told["recall"] == 1
    assert history[0]["counters"]["Proposed"]["proposed"] >= 12
    assert "Proposed" not in history[1]["counters"], "the tasks are there"
    for each in trainer.played:
        terms = each.turns[-1].terms
        assert terms["judge"] in (0.0, 1.0)
        assert each.total_return == pytest.approx(terms["judge"])
        assert each.record()["turns"][-1]["terms"] == terms
        assert each.split == "custom"
    (line,) = trainer.recipe.callbacks[0].summary(history)
    assert line.startswith("the verdict 'judge' on 128 episodes with the world's success: accuracy 0.")


@pytest.mark.full
def test_the_truth_rises_where_a_judges_verdicts_are_cloned() -> None:
    history = judged(update__updates=16).train()
    first, last = (sum(each["success"] for each in part) / 6 for part in (history[:6], history[-6:]))
    assert last > first + 0.15, (first, last)  # 0.18 and 0.42 when this was written


LITTLE: dict[str, Any] = {
    "world": {"id": ID, "wrappers": JUDGED},
    "model": {"tiny": {"layers": 1, "width": 32, "heads": 2, "context": 128, "vocabulary": 300}, "max_new_tokens": 3},
    "clone": {"episodes": 16, "epochs": 1, "batch": 8},
    "rollout": {"groups": 2, "group_size": 2, "tasks": {**TASKS, "tasks": 3, "renew": 1}},
    "filter": [{"name": "successes", "threshold": 0.0}],
    "update.updates": 4,
    "update.learning_rate": 1e-3,
    "checkpoint.every": 2,
    "callback": [{"name": "judge_agreement"}],
}


def test_a_run_that_was_cut_off_proposes_the_same_when_it_goes_on(tmp_path: Path) -> None:
    table = recipe_table("pae", LITTLE)
    run_recipe(table, tmp_path / "whole")
    whole = read_lines(tmp_path / "whole" / "proposals.jsonl")
    assert [line["update"] for line in whole if not line["refused"]] == [-1] * 3 + [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3
    cut = tmp_path / "cut"
    for phase, done in (("clone", 2), ("updates", 1), ("updates", 3)):
        with pytest.raises(Cut):
            run_recipe(table, cut, tell=cut_at(phase, done))
    trainer = run_recipe(table, cut)
    assert read_lines(cut / "proposals.jsonl") == whole
    played = [read_lines(folder / "episodes.jsonl") for folder in (cut, tmp_path / "whole")]
    assert played[0] == played[1]
    assert {line["split"] for line in played[0]} == {"custom"}, "no task of the world's own panel"
    (line,) = trainer.recipe.callbacks[0].summary(trainer.history)
    assert "on 16 episodes" in line, "those before the cut count too"


def test_agreement_that_nobody_judges_is_refused() -> None:
    with pytest.raises(AgentGymError, match=r"reads the term 'judge', which no wrapper around .* pays; .* are: world"):
        small("filtered_cloning", callback=[{"name": "judge_agreement"}])
