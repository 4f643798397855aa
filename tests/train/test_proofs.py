"""Methods that came as tables, end to end: AgentFlow, a recipe like MARS, and Training-Free GRPO."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agentgym.rollout import EnvPool
from agentgym.train import Run, Trainer, build_trainer, read_recipe, recipe_table
from agentgym.train.batch import learned_weights
from tests.agents.server import Answer, ChatServer, completion
from tests.rollout.worlds import ID, WORDS
from tests.train.methods import clumsy, small
from tests.train.test_self_play import SMALL


def test_flow_grpo_gives_weight_to_the_planner_alone_and_one_number_to_an_episode() -> None:
    """AgentFlow (Li et al. 2025, arXiv:2510.05592): the final outcome on every turn, each a sample of its own."""
    recipe = small("flow-grpo", update__updates=1)
    assert list(recipe.players) == ["plan", "execute", "verify", "generate"]
    assert [name for name, config in recipe.policies.items() if config.learns] == ["planner"]
    trainer = Trainer(recipe, clumsy(), EnvPool(ID))
    verifier = trainer.policies.engines["verifier"].model
    frozen = [weight.detach().clone() for weight in verifier.parameters()]
    played = trainer._play(trainer._starts(0, 4))
    assert {episode.role for episode in played} == {"plan"}
    assert {episode.role for episode in trainer.others} == {"execute", "verify", "generate"}
    assert not any(segment for episode in trainer.others for segment in episode.segments)  # nothing to learn from
    values = []
    for episode, rows in zip(played, trainer._advantages(played), strict=True):
        assert len(episode.segments) == len(episode.turns) > 1  # each turn is a sample of its own
        weights = [learned_weights(episode, segment, recipe.masked) for segment in episode.segments]
        assert all(
            (weight > 0).tolist() == [bool(said) for said in segment.sampled_mask]
            for weight, segment in zip(weights, episode.segments, strict=True)
        )
        (value,) = {float(number) for row, weight in zip(rows, weights, strict=True) for number in row[weight > 0]}
        values.append(value)  # one number for all that the planner said
        prompt = trainer.engine.tokenizer.decode(episode.segments[1].token_ids)
        assert f"Done so far: {episode.turns[0].action}" in prompt
    assert len(set(values)) > 1
    trainer.train()
    assert all(torch.equal(a, b) for a, b in zip(verifier.parameters(), frozen, strict=True))


def obey(observation: str, admissible: Sequence[str] | None, rng: np.random.Generator) -> str:
    """A frozen executor: it does what the planner said."""
    return observation.rpartition("plan: ")[2]


@pytest.mark.full
def test_agentflow_trains_the_planner_alone_and_it_gets_better() -> None:
    """AgentFlow (Li et al. 2025, arXiv:2510.05592): the final outcome on every turn, each a sample of its own."""
    recipe = small(
        "grpo",
        policies={
            "planner": {"context": "single_turn"},
            "verifier": {"trainable": False},
            "executor": {"agent": "tests.train.test_proofs:obey"},
        },
        players={"verify": "verifier", "plan": "planner", "execute": "executor"},
        update__updates=30,
        update__learning_rate=3e-3,
    )
    trainer = Trainer(recipe, clumsy(), EnvPool(ID))
    frozen = [weight.detach().clone() for weight in trainer.policies.engines["verifier"].model.parameters()]
    played = trainer._play(trainer._starts(0, 2))
    assert {episode.role for episode in played} == {"plan"}
    assert {episode.role for episode in trainer.others} == {"verify", "execute"}
    for episode, rows in zip(played, trainer._advantages(played), strict=True):
        assert len(episode.segments) == len(episode.turns)  # each turn is a sample of its own
        assert len({float(row[-1]) for row in rows}) == 1  # and has the outcome of all of them
    history = trainer.train()
    first, last = (np.mean([each["return"] for each in part]) for part in (history[:3], history[-3:]))
    assert last > 2 * first > 0, (first, last)
    after = trainer.policies.engines["verifier"].model.parameters()
    assert all(torch.equal(a, b) for a, b in zip(after, frozen, strict=True))


@pytest.mark.full
def test_turns_of_two_games_are_centred_for_each_player_of_each() -> None:
    """As in MARS (Yuan et al. 2025, arXiv:2510.15414): self-play, turn-level credit by player and game, a KL term."""
    table = recipe_table("mars", {
        **SMALL,
        "clone.episodes": 64, "clone.epochs": 4, "rollout.groups": 4, "rollout.group_size": 4,
        "model.max_new_tokens": 8, "mixture.0.groups": 4, "rollout.context": "single_turn",
    })  # fmt: skip
    assert [part["name"] for part in table["advantage"]] == ["turn_return"]
    assert (table["regularizer"][0]["estimator"], table["regularizer"][0]["coefficient"]) == ("k2", 0.2)
    trainer = build_trainer(table)
    played, _ = trainer._collect(np.random.default_rng(0))
    learned = [episode for episode in played if episode.segments]
    sums: dict[tuple[str, str], list[float]] = {}
    for episode, rows in zip(learned, trainer._advantages(learned), strict=True):
        for segment, row in zip(episode.segments, rows, strict=True):
            own = sums.setdefault((episode.world, episode.player), [])
            own += [float(row[span.start]) for span in segment.spans if span.end > span.start]
    assert len(sums) == 4  # two players of two games
    for values in sums.values():
        assert abs(sum(values)) < 1e-6
    assert any(abs(value) > 1e-3 for values in sums.values() for value in values)
    before = [weight.detach().clone() for weight in trainer.engine.model.parameters()]
    history = trainer.train()
    assert set(history[-1]["eval_worlds"]) == {"KuhnPoker-v0", "TicTacToe-v0"}
    assert history[-1]["kl_reference"] > 0
    assert not all(torch.equal(a, b) for a, b in zip(trainer.engine.model.parameters(), before, strict=True))


WRONG, RIGHT = "Say nothing that was shown.", "Repeat the word that is shown."


def test_training_free_grpo_learns_in_words_and_leaves_weights_alone(tmp_path: Path) -> None:
    """Training-Free GRPO (Tencent Youtu 2025, arXiv:2510.08191): two models behind a server, one plays, one compares.

    Who plays guesses by its seed, unless a lesson tells it better. Of the lessons that are drawn from groups that
    differ, the first makes it worse and is taken back; the second is kept, and then no group differs any more.
    """
    lessons = [WRONG, RIGHT]

    def answer(number: int, request: dict[str, Any]) -> Answer:
        messages = request["body"]["messages"]
        told = "\n".join(each["content"] for each in messages)
        if request["body"]["model"] == "editor":
            assert "earned" in told
            return completion(f"It helps to say: {json.dumps([{'op': 'add', 'text': lessons.pop(0)}])}")
        shown = re.findall(rf"\b({'|'.join(WORDS)})\b", messages[-1]["content"])[0]
        guess = WORDS[request["body"]["seed"] % len(WORDS)]
        return completion("nothing" if WRONG in told else shown if RIGHT in told else guess)

    with ChatServer(answer) as server:
        options = {"base_url": server.base_url}
        table = recipe_table("training-free-grpo", {
            "world": {"id": ID},
            "model.name": "of nobody",
            "policies": {"player": {"agent": "endpoint:player", "options": options}},
            "players": {"act": "player"},
            "rollout.groups": 3,
            "artifact.tasks": 8, "artifact.measure": "return",
            "artifact.editor": {"name": "model", "agent": "endpoint:editor", "options": options},
        })  # fmt: skip
        recipe = read_recipe(table)
        engine = clumsy()
        before = [weight.detach().clone() for weight in engine.model.parameters()]
        trainer = Trainer(recipe, engine, EnvPool(ID), run=Run(tmp_path / "run", {}))
        history = trainer.train()
        trainer.close()
    assert lessons == []
    assert trainer.artifact is not None
    first, worse, better = trainer.artifact.versions
    assert (worse.accepted, better.accepted) == (False, True)
    assert worse.score == 0.0
    assert first.score is not None
    assert 0.0 < first.score < better.score == 1.0
    assert trainer.text.endswith(f"- {RIGHT}")
    assert [round(each["return"], 6) for each in history][-1] == 1.0
    assert history[0]["return"] < 0.6
    assert all(torch.equal(a, b) for a, b in zip(engine.model.parameters(), before, strict=True))
    log = (tmp_path / "run" / "artifact.jsonl").read_text(encoding="utf8").splitlines()
    assert [json.loads(line)["accepted"] for line in log] == [False, True]


def test_hi_agent_compares_subgoals_of_one_state_by_what_their_actions_brought() -> None:
    """Hi-Agent (Wu et al. 2025, arXiv:2510.14388): groups of single steps, scored by the lower level's outcome."""
    recipe = small("hi_agent", update__updates=1, update__learning_rate=3e-3)
    assert [name for name, config in recipe.policies.items() if config.learns] == ["high", "low"]
    trainer = Trainer(recipe, clumsy(), EnvPool(ID))
    played = trainer._play(trainer._starts(0, 4))
    high = [episode for episode in [*played, *trainer.others] if episode.role == "subgoal"]
    low = [episode for episode in [*played, *trainer.others] if episode.role == "act"]
    assert len(high) == len(low) == 4 * recipe.rollout.group_size
    for own, others in ((high, low), (low, high)):
        assert [[turn.reward for turn in each.turns] for each in own] == [
            [turn.reward for turn in each.turns] for each in others
        ]  # a subgoal is paid what the action brought
    states: dict[tuple[object, str], list[float]] = {}
    for episode in high:
        for turn in episode.turns:
            states.setdefault((episode.group, turn.state_key), []).append(turn.reward)
    assert max(map(len, states.values())) > 2, "several subgoals of one state"
    (term,) = recipe.advantages
    assert any(abs(row).max() > 0 for rows in term(high) for row in rows)
    for episode, rows in zip(high, term(high), strict=True):
        for turn, row in zip(episode.turns, rows, strict=True):  # each turn is a sample of its own
            group = np.array(states[episode.group, turn.state_key])
            wanted = (turn.reward - group.mean()) / group.std() if group.std() > 1e-6 else 0.0
            assert float(row[-1]) == pytest.approx(wanted, abs=1e-5)
    before = {name: weights(engine.model) for name, engine in trainer.policies.engines.items()}
    trainer.train()
    for name, engine in trainer.policies.engines.items():
        assert not all(map(torch.equal, before[name], weights(engine.model))), f"{name} has learned"


def weights(model: torch.nn.Module) -> list[torch.Tensor]:
    """Copies of the weights of a model."""
    return [weight.detach().clone() for weight in model.parameters()]
