"""A local model that says admissible actions alone: what a mask forbids it cannot say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the extra `train` is not installed")
pytest.importorskip("transformers", reason="the extra `train` is not installed")

from agentgym.agents import hugging_face_policy
from agentgym.agents.constraint import AdmissibleOnly, PromptTokens
from agentgym.evaluate import evaluate
from agentgym.rollout import EnvPool, EpisodeSpec, collect
from tests.agents.pretrained import save_small

RULE = {"rules": {"no gathering": "G !get"}}
MASK = {"get": {"command": "get"}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_small(tmp_path_factory.mktemp("model"))


def test_the_allowed_tokens_spell_the_actions(folder: Path) -> None:
    engine = hugging_face_policy(model=str(folder), max_tokens=40, device="cpu")
    allowed = AdmissibleOnly(engine)
    actions = ["left", "lift", "up"]
    words = {action: engine.encode_action(action) for action in actions}
    read = PromptTokens([1, 2], actions)
    assert allowed(read, []) == sorted({ids[0] for ids in words.values()})
    for action in actions:
        for place in range(len(words[action])):
            begun = words[action][:place]
            following = {ids[place] for ids in words.values() if ids[:place] == begun and len(ids) > place}
            assert set(allowed(read, begun) or ()) == following
    assert allowed(PromptTokens([1], None), []) is None, "a world that lists nothing binds nobody"
    assert allowed([1, 2], []) is None


@pytest.mark.parametrize("name", ["FrozenLake-v0", "TextCraft-v1"])
def test_every_answer_is_admissible(folder: Path, name: str) -> None:
    free = hugging_face_policy(model=str(folder), max_tokens=24, temperature=1.0, window=0, device="cpu")
    bound = hugging_face_policy(
        model=str(folder), max_tokens=64, temperature=1.0, window=0, device="cpu", only_admissible=True
    )
    specs = [EpisodeSpec(seed, seed, seed, (seed,)) for seed in range(3)]
    pool = EnvPool(name, split="train", max_turns=4)
    turns = [turn for episode in collect(pool, bound, specs) for turn in episode.turns]
    assert all(turn.valid and turn.off_policy for turn in turns)
    assert not all(turn.valid for episode in collect(pool, free, specs) for turn in episode.turns)


def test_a_model_keeps_a_rule_that_is_masked_and_breaks_it_otherwise(folder: Path, tmp_path: Path) -> None:
    options = {"model": str(folder), "max_tokens": 64, "temperature": 1.0, "window": 0, "only_admissible": True}

    def broken(name: str, rule: dict[str, Any]) -> list[bool]:
        result = evaluate(
            "TextCraft-v1", "hf", episodes=4, workers=0, out=tmp_path / name, agent_options=options,
            env_kwargs={"max_turns": 4}, wrap=[{"name": "LTLMonitor", **rule}],
        )  # fmt: skip
        turns = [turn for episode in result.episodes for turn in episode.turns]
        assert all(turn.valid for turn in turns)
        return [event["type"] == "violation" for turn in turns for event in turn.events]

    assert any(broken("free", RULE))
    assert not any(broken("masked", {**RULE, "mask": MASK}))
