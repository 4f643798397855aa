"""Plans read off demonstrations, and two who are taught on them: one that plans and one that acts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch

from agentgym.agents import Prompt
from agentgym.baselines.plan_and_act import plan_before
from agentgym.core import AgentGymError, ConfigError, DataError, EndpointError, Message, ScriptedModel
from agentgym.core.plans import PlanStep
from agentgym.rollout import EnvPool, Episode, EpisodeSpec, Explicit, Role, SingleTurn, collect, demonstrate
from agentgym.train import Recipe, read_lines, recipe_table, run_recipe, tokenize
from agentgym.train.annotators import ActionAnnotator, ModelAnnotator
from agentgym.train.plans import AnnotatedPlan, PlanConfig, annotated
from agentgym.train.players import PlayerPart
from tests.rollout.players import Scripted
from tests.rollout.worlds import ID, TURNS
from tests.train.methods import small

SELF = "tests.train.test_plans"
TRACE = [("a", "left"), ("b", "left"), ("c", "down  now"), ("d", "left")]
ASKED = {"every": 0, "call": "again"}


def test_the_plan_of_actions_repeats_what_was_done() -> None:
    assert ActionAnnotator().steps("Get out.", TRACE) == [
        PlanStep("left (2 times)", 0), PlanStep("down now", 2), PlanStep("left", 3),
    ]  # fmt: skip


def test_a_plan_names_the_steps_that_are_left() -> None:
    steps = ActionAnnotator().steps("", TRACE)
    whole = AnnotatedPlan(steps, 4, 0)
    assert [whole.at(turn) for turn in range(4)] == [
        *[("left (2 times); down now; left", 4)] * 2, ("down now; left", 4), ("left", 4),
    ]  # fmt: skip
    near = AnnotatedPlan(steps, 4, 1)
    assert [near.at(turn) for turn in range(4)] == [
        ("left (2 times)", 2), ("left (2 times)", 2), ("down now", 3), ("left", 4),
    ]  # fmt: skip
    for firsts in ([], [1], [0, 0], [0, 2, 1], [0, 4]):
        with pytest.raises(AgentGymError, match="begin with turns in order, the first with turn 0 of 4"):
            AnnotatedPlan([PlanStep("go", first) for first in firsts], 4, 0)
    with pytest.raises(AgentGymError, match="a step of a plan has words; one is empty"):
        AnnotatedPlan([PlanStep(" ", 0)], 4, 0)


def model(*answers: str) -> ScriptedModel:
    said = iter(answers)
    return ScriptedModel(lambda messages, seed: next(said))


def test_a_language_model_says_what_turns_were_for() -> None:
    heard: list[str] = []

    def answer(messages: Sequence[Message], seed: int) -> str:
        heard.append(str(messages[-1]["content"]))
        return 'Here it is: [{"step": "go to the wall", "first": 0}, {"step": "leave", "first": 2}]'

    found = ModelAnnotator(ScriptedModel(answer)).steps("Get out.\nNow.", TRACE)
    assert found == [PlanStep("go to the wall", 0), PlanStep("leave", 2)]
    assert 'Task: "Get out.\\nNow."' in heard[0]
    assert 'Turn 2\nSeen: "c"\nDone: "down  now"' in heard[0]
    for said in ("no plan", "[1]", '[{"step": "x"}]', '[{"step": "x", "first": true}]', '{"step": "x", "first": 0}'):
        with pytest.raises(AgentGymError, match="must answer a JSON list of steps"):
            ModelAnnotator(model(said)).steps("Get out.", TRACE)


def parts(**planner: Any) -> dict[str, PlayerPart]:
    return {
        "plan": PlayerPart("planner", "Plan.", **planner),
        "act": PlayerPart("executor", "Act.", guidance="Be quick."),
    }


def shown(count: int, noise: float = 0.0) -> list[tuple[Any, Episode]]:
    """Demonstrations of the first tasks."""
    found = demonstrate(EnvPool(ID), range(count), noise=noise, seed=0)
    return [(episode.group, episode) for episode in found]


def taught(count: int = 6, noise: float = 0.0, config: PlanConfig | None = None, **planner: Any) -> Any:
    """Both parts' episodes, and the notes."""
    notes: list[Any] = []
    config = config or PlanConfig("actions")
    return annotated(EnvPool(ID), parts(**planner), shown(count, noise), config, notes.append), notes


@pytest.mark.parametrize("planner", [{}, {"every": 2}, ASKED])
def test_demonstrations_hold_the_very_tokens_that_the_parts_read_and_say_in_play(planner: dict[str, Any]) -> None:
    found, _ = taught(config=PlanConfig("actions", ahead=1), **planner)
    contexts = {"plan": Explicit(plan_before), "act": SingleTurn()}
    for number in range(6):
        lines = {role: iter([turn.action for turn in found[role][number].turns]) for role in contexts}

        def speaker(role: str, lines: Any = lines) -> Scripted:
            policy = Scripted(lambda prompt, rng: next(lines[role]), prompt=Prompt(context=contexts[role]))
            policy.max_new_tokens = 40
            return policy

        who = parts(**planner)
        cast = {
            role: Role(speaker(role), instruction=part.instruction, guidance=part.guidance, every=part.every,
                       call=part.call)
            for role, part in who.items()
        }  # fmt: skip
        spec = EpisodeSpec(number, found["act"][number].seed, 0, (1,))
        acting, planning = collect(EnvPool(ID), cast, [spec], horizon=2 * TURNS)
        assert acting.success
        for role, played in (("act", acting), ("plan", planning)):
            shown_to = found[role][number]
            assert [turn.observation for turn in shown_to.turns] == [turn.observation for turn in played.turns]
            written = tokenize([shown_to], speaker(role), 10_000, contexts[role])  # type: ignore[arg-type]
            assert [each.token_ids for each in written] == [each.token_ids for each in played.segments]
            assert [each.sampled_mask for each in written] == [each.sampled_mask for each in played.segments]


def test_the_planner_is_called_where_its_steps_are_done() -> None:
    found, _ = taught(config=PlanConfig("actions", ahead=1), **ASKED)
    for acting, planning in zip(found["act"], found["plan"], strict=True):
        words = [turn.action for turn in acting.turns if turn.action != "again"]
        assert len(words) == TURNS
        changes = sum(one != other for one, other in pairwise(words))
        assert len(planning.turns) == 1 + changes
        assert [turn.caller for turn in planning.turns] == ["", *["act"] * changes]
        assert sum(turn.action == "again" for turn in acting.turns) == changes
        assert planning.total_return == pytest.approx(acting.total_return) == pytest.approx(1.0)


def test_what_failed_or_has_no_plan_is_left_out_and_noted() -> None:
    found, notes = taught(count=8, noise=0.3)
    refused = [note["refused"] for note in notes]
    assert len(found["act"]) == len(found["plan"]) == refused.count("")
    assert 0 < refused.count("it did not succeed") < 8
    assert all(bool(note["steps"]) == (not note["refused"]) for note in notes)
    config = PlanConfig("model", model=f"{SELF}:careless_model")
    found, notes = taught(count=2, config=config)
    assert [note["steps"] for note in notes] == [["say it all"], []]
    assert "must answer a JSON list of steps; it said 'I cannot'" in notes[1]["refused"]
    assert [len(episodes) for episodes in found.values()] == [1, 1]
    with pytest.raises(DataError, match=r"no demonstration in AgentGymTests/Echo-v0 has a plan.*it did not succeed"):
        taught(count=2, noise=1.0)
    with pytest.raises(EndpointError, match="nobody is there"):
        taught(count=2, config=PlanConfig("model", model=f"{SELF}:absent_model"))


def careless_model() -> ScriptedModel:
    return model('[{"step": "say it all", "first": 0}]', "I cannot")


def absent_model() -> ScriptedModel:
    def answer(messages: Sequence[Message], seed: int) -> str:
        raise EndpointError("nobody is there")

    return ScriptedModel(answer)


def test_a_world_that_goes_otherwise_is_no_place_for_plans() -> None:
    episodes = shown(2)
    changed = replace(episodes[1][1].turns[1], observation="mauve")
    episodes[1][1].turns[1] = changed
    with pytest.raises(DataError, match="goes otherwise when it is played again"):
        annotated(EnvPool(ID), parts(), episodes, PlanConfig("actions"), lambda note: None)


LITTLE = {
    "clone__episodes": 64, "clone__epochs": 16, "clone__batch": 8, "clone__learning_rate": 1e-2,
    "clone__plans__ahead": 1, "model__max_new_tokens": 4, "policies__planner__max_new_tokens": 8,
    "rollout__groups": 4, "rollout__group_size": 4, "update__updates": 2,
}  # fmt: skip


@pytest.mark.parametrize("asked", [False, True])
def test_planner_and_executor_are_cloned_play_and_learn_apart(asked: bool, tmp_path: Path) -> None:
    changes: dict[str, Any] = {key.replace("__", "."): value for key, value in LITTLE.items()}
    if asked:
        changes |= {"players.plan.every": 0, "players.plan.call": "again", "rollout.horizon": 9}
    evaluated = {"name": "evaluate", "every": 2, "tasks": 4}
    shape = {"layers": 1, "width": 64, "heads": 2, "context": 512}
    table = recipe_table("plan_and_act", {"world": {"id": ID}, "model.tiny": shape, **changes, "callback": [evaluated]})
    trainer = run_recipe(table, tmp_path / "run")
    notes = read_lines(tmp_path / "run" / "plans.jsonl")
    assert len(notes) == 64
    assert {note["update"] for note in notes} == {-1}
    taught = {role: trainer.policies.engines[role].model for role in ("planner", "executor")}
    assert not all(map(torch.equal, taught["planner"].parameters(), taught["executor"].parameters()))
    for update in trainer.history:
        assert set(update["roles"]) == {"plan", "act"}
        assert update["policies"].keys() == {"planner", "executor"}
        spoken = update["roles"]["plan"]
        assert spoken["again"] == pytest.approx(spoken["turns"] - 1)
        assert asked or (spoken["turns"], spoken["called"]) == (update["roles"]["act"]["turns"], 0.0)
        assert spoken["called"] == (spoken["again"] if asked else 0.0)
    assert trainer.history[-1]["eval_roles"].keys() == {"plan", "act"}
    episodes = read_lines(tmp_path / "run" / "episodes.jsonl")
    calls = sum(turn.get("caller") == "act" for episode in episodes for turn in episode["turns"])
    assert (calls > 0) == asked, "a clone calls where demonstrations do"
    again = run_recipe(table, tmp_path / "run")
    assert again.history == trainer.history
    assert len(read_lines(tmp_path / "run" / "plans.jsonl")) == 64


def test_executor_alone_is_the_recipe_below_on_the_same_sites() -> None:
    """What is compared with Plan-and-Act differs from it in the planner alone."""
    ours, alone = (recipe_table(name, {"world.id": "WebSuite-v0"}) for name in ("plan_and_act", "filtered_cloning"))
    for name in ("policies", "players", "method", "paper"):
        ours.pop(name, None), alone.pop(name, None)
    assert ours["clone"].pop("plans")["annotator"] == "agentgym.envs.web.web_suite:page_annotator"
    assert ours == alone
    seen, unseen = alone["world"]["env_kwargs"]["sites"], alone["callback"][0]["env_kwargs"]["sites"]
    assert seen
    assert unseen
    assert not set(seen) & set(unseen)


def test_plans_that_nobody_says_are_refused() -> None:
    def made(**changes: Any) -> Recipe:
        return small("plan_and_act", **changes)

    clone = made().clone
    assert clone is not None
    assert clone.plans == PlanConfig("actions")
    with pytest.raises(ConfigError, match=r"needs two roles in \[players\] that delegate nothing.*got none"):
        small("filtered_cloning", clone__plans={"annotator": "actions"})
    with pytest.raises(ConfigError, match="leaves steps unplanned: the role 'plan' speaks once"):
        made(players__plan__every=0, clone__plans__ahead=2)
    with pytest.raises(ConfigError, match="every and call have no effect on 'act', which acts in each turn"):
        made(world={"id": "FrozenLake-v0"}, players__act__call="again")
    with pytest.raises(ConfigError, match="every of a role must be at least 0 turns"):
        made(players__plan__every=-1)
    with pytest.raises(ConfigError, match=r"clone.plans needs model, as module:function, for the annotator 'model'"):
        made(clone__plans__annotator="model")
    with pytest.raises(ConfigError, match=r"the annotator 'agentgym.nowhere:x' cannot be found"):
        made(clone__plans__annotator="agentgym.nowhere:x")
    with pytest.raises(ConfigError, match="ahead must be at least 0 steps, got -1"):
        made(clone__plans__ahead=-1)
    with pytest.raises(ConfigError, match="every has no effect on a delegate"):
        made(clone__plans=None, players__act__delegate={"policy": "executor", "every": 2})
    with pytest.raises(ConfigError, match=r"clone.plans is for worlds of one player; TicTacToe-v0 has 2"):
        made(world={"id": "TicTacToe-v0"}, players={"player_0": "planner", "player_1": "executor"})


def test_a_model_is_a_function_also_where_it_is_called_as_an_annotator_is() -> None:
    with pytest.raises(ConfigError, match="module:function"):
        PlanConfig("model", model="actions")
