"""What a person recorded is cloned like what an expert shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentgym.core import ConfigError, DataError
from agentgym.evaluate import evaluate, import_run, read_episodes
from agentgym.rollout import EnvPool
from agentgym.train import read_recipe
from agentgym.train import run as training
from agentgym.train.config import CloneConfig
from agentgym.train.recorded import imported, recorded
from tests.agents.pretrained import save_small
from tests.evaluate.published import AGENTTRAJ, ETO, TAU


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("record") / "lake"
    return evaluate("FrozenLake-v0", "expert", split="train", episodes=4, workers=0, out=out).folder


def test_episodes_are_those_on_record(record: Path) -> None:
    ended: list[int] = []
    shown = recorded(EnvPool("FrozenLake-v0"), [record], "train", 3, ended.append)
    kept = read_episodes(record)[:3]
    assert [task for task, _ in shown] == [each.task_id for each in kept]
    for (_, episode), each in zip(shown, kept, strict=True):
        assert [(turn.observation, turn.action, turn.reward) for turn in episode.turns] == [
            (turn.observation, turn.action, turn.reward) for turn in each.turns
        ]
        assert (episode.success, episode.final) == (each.success, each.only.final_observation)
    assert sum(ended) == 3


def test_a_record_of_something_else_is_refused(record: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds an episode of AgentGym/FrozenLake-v0 train, but the recipe is of"):
        recorded(EnvPool("LightsOut-v0"), [record], "train", 3)
    with pytest.raises(ConfigError, match="FrozenLake-v0 val"):
        recorded(EnvPool("FrozenLake-v0", split="val"), [record], "val", 3)
    with pytest.raises(DataError, match=r"another observation than on record; world\.env_kwargs"):
        recorded(EnvPool("FrozenLake-v0", view="coordinates"), [record], "train", 3)
    with pytest.raises(ConfigError, match="is for worlds of one player"):
        recorded(EnvPool("KuhnPoker-v0"), [record], "train", 3)
    with pytest.raises(DataError, match="there is no file"):
        recorded(EnvPool("FrozenLake-v0"), [tmp_path], "train", 3)
    (tmp_path / "episodes.jsonl").write_text("")
    with pytest.raises(DataError, match="no finished episode"):
        recorded(EnvPool("FrozenLake-v0"), [tmp_path], "train", 3)


def test_several_records_are_cloned_each_as_far_as_it_is_wanted(record: Path) -> None:
    shown = recorded(EnvPool("FrozenLake-v0"), [record, record / "episodes.jsonl"], "train", 3)
    names = [each.task_id for each in read_episodes(record)[:3]]
    assert [task for task, _ in shown] == [*names, *names]
    assert CloneConfig(3, "runs/people").transcripts == ("runs/people",)


def test_a_task_of_other_constructor_arguments_is_played_by_its_specification(record: Path) -> None:
    """Equal ids are other tasks there; what was shown of the ones on record is cloned all the same."""
    shown = recorded(EnvPool("FrozenLake-v0", frozen=0.5), [record], "train", 3)
    for (task, episode), each in zip(shown, read_episodes(record), strict=False):
        assert isinstance(task, dict)
        assert [turn.observation for turn in episode.turns] == [turn.observation for turn in each.turns]


def test_an_episode_that_was_cut_short_is_named(record: Path, tmp_path: Path) -> None:
    line = json.loads((record / "episodes.jsonl").read_text().splitlines()[0])
    line["turns"] = line["turns"][:-1]
    (tmp_path / "episodes.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(DataError, match="goes on after its end"):
        recorded(EnvPool("FrozenLake-v0"), [tmp_path], "train", 3)


@pytest.mark.parametrize("other", [{"noise": 0.1}, {"teacher": "strong"}])
def test_what_has_no_effect_on_a_record_is_refused(other: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=r"have no effect on clone\.transcripts"):
        CloneConfig(3, "runs/people", **other)  # type: ignore[arg-type]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """Trajectories as AgentTraj-L has them, imported."""
    (tmp_path / "file.json").write_text(json.dumps(AGENTTRAJ))
    import_run(tmp_path / "file.json", "agenttraj", tmp_path / "published")
    return tmp_path / "published"


@pytest.mark.parametrize(("form", "items"), [("agenttraj", AGENTTRAJ), ("eto", ETO), ("tau-bench", TAU)])
def test_published_trajectories_are_cloned_as_they_stand(form: str, items: Any, tmp_path: Path) -> None:
    """Observations and whole answers, with the calls of tools as the JSON objects that worlds here read."""
    (tmp_path / "file.json").write_text(json.dumps(items))
    found, _ = import_run(tmp_path / "file.json", form, tmp_path / "run")
    ended: list[int] = []
    shown = imported([tmp_path / "run"], 2, ended.append)
    assert sum(ended) == len(shown) == min(2, len(found))
    for episode, kept in zip(shown, found, strict=False):
        assert (episode.task_id, episode.success) == (kept.task_id, kept.success)
        assert [turn.observation for turn in episode.turns] == [turn.observation for turn in kept.turns]
        assert [turn.version for turn in episode.turns] == [None] * len(kept.turns), "a teacher has said it"
        for turn, before in zip(episode.turns, kept.turns, strict=True):
            if before.answer is None:
                assert turn.action == before.said
            else:
                call = json.loads(turn.action.splitlines()[-1])
                assert call == json.loads(before.action)


def test_a_recipe_clones_an_import_and_learns_what_was_said_alone(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The words under the mask are the answers, each with its end token, and the world's manual is not shown."""
    taught: list[Any] = []
    learn = training.clone

    def clone(engine: Any, segments: Any, *settings: Any, **more: Any) -> Any:
        taught.extend(segments)
        return learn(engine, segments, *settings, **more)

    monkeypatch.setattr(training, "clone", clone)
    weights = save_small(tmp_path / "weights")
    table = {"world": {"id": "FrozenLake-v0"}, "model": {"name": str(weights), "device": "cpu"}}
    options = {"episodes": 5, "transcripts": str(published), "imported": True, "epochs": 2}
    engine = training.prepare(read_recipe({**table, "clone": options}), EnvPool("FrozenLake-v0"), None, lambda *_: None)
    episodes = read_episodes(published)
    assert len(taught) == len(episodes)
    for segment, episode in zip(taught, episodes, strict=True):
        said = [segment.token_ids[span.start : span.end] for span in segment.spans]
        assert [engine.text(ids) for ids in said] == [turn.said for turn in episode.turns]
        assert all(ids[-1] == engine.tokenizer.eos_token_id for ids in said)
        assert sum(segment.sampled_mask) == sum(map(len, said))
        whole = engine.tokenizer.decode(segment.token_ids)
        assert "Walk over the ice" not in whole
        assert whole.startswith(f"<|user|>{episode.turns[0].observation}")
    before, after = (
        training.load_pretrained(str(weights), 8, "auto", device="cpu").weights_digest(), engine.weights_digest()
    )  # fmt: skip
    assert before != after, "it has learned"


def test_what_was_imported_and_what_was_played_are_not_mixed_up(record: Path, published: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no world here has played; set clone\.imported = true"):
        recorded(EnvPool("FrozenLake-v0"), [published], "train", 3)
    with pytest.raises(ConfigError, match=r"which was played here; leave clone\.imported out"):
        imported([record], 3)
    with (tmp_path / "mixed.jsonl").open("wb") as mixed:
        for folder in (published, record):
            mixed.write((folder / "episodes.jsonl").read_bytes())
    with pytest.raises(ConfigError, match=r"which was played here"):
        imported([tmp_path / "mixed.jsonl"], 99)
    with pytest.raises(ConfigError, match=r"says what clone\.transcripts holds"):
        CloneConfig(3, imported=True)
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(DataError, match="holds no episode; import some first"):
        imported([tmp_path / "empty.jsonl"], 3)
