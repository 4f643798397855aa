"""What the agent sees: lists, histories, workspaces, cuts and pictures."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import agentgym
from agentgym import wrappers
from agentgym.core import ConfigError, UnknownName
from agentgym.core.errors import HostWarning
from agentgym.wrappers.observations import history
from tests.envs.browsing import needs_browser


def body(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(("> ", "Turn", "["))]


def play(env: Any, actions: list[str]) -> list[str]:
    texts = [env.reset(seed=0)[0]]
    return texts + [env.step(action)[0] for action in actions]


ACTIONS = ["get 1 stone", "get 2 stone", "fly", "get 3 stone"]


def test_the_list_is_that_of_the_world_and_ends_with_the_episode() -> None:
    env = wrappers.AdmissibleInText(agentgym.make("TextCraft-v1", max_turns=2))
    text, _ = env.reset(seed=0)
    listed = "; ".join(env.unwrapped.admissible_actions() or [])  # type: ignore[attr-defined]
    assert text.endswith(f"\nPossible actions: {listed}; and others.")
    assert "Possible actions" in env.step("inventory")[0]
    assert "Possible actions" not in env.step("inventory")[0]
    env = wrappers.AdmissibleInText(agentgym.make("TextCraft-v1"), first_only=True)
    assert ["Possible actions" in text for text in play(env, ["inventory"])] == [True, False]
    lake = wrappers.AdmissibleInText(agentgym.make("FrozenLake-v0"))
    assert lake.reset(seed=0)[0].endswith("Possible actions: down; left; right; up.")


def test_the_line_of_agentgyms_first_release() -> None:
    env = wrappers.AdmissibleInText(agentgym.make("TextCraft-v1"), style="agentgym", first_only=True)
    text, _ = env.reset(seed=0)
    listed = ",".join(env.unwrapped.admissible_actions() or [])  # type: ignore[attr-defined]
    assert text.endswith(f"\nAVAILABLE ACTIONS: {listed}")
    assert env.step("inventory")[0] == "Inventory: You are not carrying anything."
    with pytest.raises(UnknownName, match="style of AdmissibleInText 'lines'; did you mean 'list'"):
        wrappers.AdmissibleInText(agentgym.make("TextCraft-v1"), style="lines")


def test_the_list_shows_bare_actions_around_a_format_too() -> None:
    inside = wrappers.ReAct(wrappers.AdmissibleInText(agentgym.make("FrozenLake-v0")))
    around = wrappers.AdmissibleInText(wrappers.ReAct(agentgym.make("FrozenLake-v0")))
    further = wrappers.AdmissibleInText(wrappers.History(wrappers.Tags(agentgym.make("FrozenLake-v0"))))
    for env in (inside, around, further):
        assert env.reset(seed=0)[0].endswith("Possible actions: down; left; right; up.")


def test_what_names_actions_shows_calls_around_functions_and_does_not_go_inside() -> None:
    env = wrappers.AdmissibleInText(
        wrappers.Hints(wrappers.Retries(wrappers.CodeBlocks(agentgym.make("FrozenLake-v0"))))
    )
    text, info = env.reset(seed=0)
    assert text.endswith("Possible actions: down(); left(); right(); up().")
    assert info["hint"] == f"Hint: {env.world.expert_action()}()"
    assert "Possible now: down(); left(); right(); up()." in env.step("fly()")[0]
    for kind in ("AdmissibleInText", "Hints", "Retries"):
        with pytest.raises(ConfigError, match=f"put {kind} around JsonCalls"):
            wrappers.JsonCalls(getattr(wrappers, kind)(agentgym.make("FrozenLake-v0")))


def test_full_history_is_the_whole_transcript() -> None:
    env = wrappers.History(agentgym.make("TextCraft-v1"))
    texts = play(env, ACTIONS)
    for earlier, later in itertools.pairwise(texts):
        assert later.startswith(earlier + "\n\n")
    assert body(texts[-1]) == [
        line for number, said in enumerate(ACTIONS, 1) for line in (f"Turn {number}", f"> {said}")
    ]


def test_the_last_turns_and_single_turns() -> None:
    env = wrappers.History(agentgym.make("TextCraft-v1"), turns=2)
    first, *texts = play(env, ACTIONS)
    assert all(text.startswith(first) for text in texts[:3])  # nothing is left out yet
    assert body(texts[3]) == [
        "[1 earlier turn left out]", "Turn 2", "> get 2 stone", "Turn 3", "> fly", "Turn 4", "> get 3 stone",
    ]  # fmt: skip
    assert env.unwrapped.task.instruction in texts[3]  # type: ignore[attr-defined]
    assert env.inner_line in texts[3]
    env = wrappers.History(agentgym.make("TextCraft-v1"), turns=0)
    texts = play(env, ACTIONS)
    assert body(texts[1]) == ["Turn 1", "> get 1 stone"]
    assert body(texts[3]) == ["[2 earlier turns left out]", "Turn 3", "> fly"]


def test_history_leaves_out_the_oldest_turns_when_it_is_full() -> None:
    env = wrappers.History(agentgym.make("TextCraft-v1"), length=16_384)
    env.reset(seed=0)
    for turn in range(1, 31):
        text = env.step(f"fly {turn} " + "x" * 900)[0]
        assert len(text) <= 16_384
        assert f"> fly {turn} " in text
    assert "earlier turns left out]" in text
    assert "> fly 1 " not in text


def test_history_holds_whole_replies_around_a_format_and_bare_actions_inside() -> None:
    reply = "Thought: hm\nAction: inventory"
    around = wrappers.History(wrappers.ReAct(agentgym.make("TextCraft-v1")))
    inside = wrappers.ReAct(wrappers.History(agentgym.make("TextCraft-v1")))
    assert "> Thought: hm\nAction: inventory\n" in play(around, [reply])[1]
    assert "> inventory\n" in play(inside, [reply])[1]
    refused = play(inside, ["hm"])[1]
    assert '> hm\nThere is no "Action:"' in refused


def test_the_report_is_all_that_stays() -> None:
    env = wrappers.Workspace(agentgym.make("TextCraft-v1"), length=40)
    first, _ = env.reset(seed=0)
    assert env.instructions in first
    text, _, _, _, info = env.step("<report>one stone</report>get 1 stone")
    assert info["report"] == "one stone"
    text, _, _, _, info = env.step("get 2 stone")
    assert info["report"] == "one stone"
    assert "Your report:\none stone\n\nYou said: get 2 stone\nGot 2 stone" in text
    assert "get 1 stone" not in text
    text, _, _, _, info = env.step(f"<report>{'long ' * 50}</report> inventory")
    assert len(info["report"]) <= 40
    assert env.step("<report></report>inventory")[4]["report"] == ""
    assert not env.step("<report>only this</report>")[4]["action_valid"]


def test_cuts_count_tokens_and_keep_both_ends() -> None:
    bare = agentgym.make("Household-v1").reset(seed=0)[0]
    for tokens in (16, 32, 100, 10_000):
        env = wrappers.Truncate(agentgym.make("Household-v1"), tokens=tokens)
        text, info = env.reset(seed=0)
        assert len(env._spans(text)) <= tokens
        if info["cut_tokens"]:
            head, _, tail = text.partition(f"\n[... {info['cut_tokens']} tokens cut ...]\n")
            assert bare.startswith(head)
            assert bare.endswith(tail)
        else:
            assert text == bare


@pytest.fixture
def tokenizer(tmp_path: Path) -> str:
    library = pytest.importorskip("tokenizers", reason="the extra train is not installed")
    model = library.Tokenizer(library.models.BPE(unk_token=None))
    model.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = library.trainers.BpeTrainer(
        vocab_size=300, initial_alphabet=library.pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    model.train_from_iterator([agentgym.make("Household-v1").reset(seed=seed)[0] for seed in range(3)], trainer)
    path = tmp_path / "tokenizer.json"
    model.save(str(path))
    return str(path)


def test_cuts_by_a_tokenizer_file(tokenizer: str) -> None:
    env = wrappers.Truncate(agentgym.make("Household-v1"), tokens=64, tokenizer=tokenizer)
    text, info = env.reset(seed=0)
    assert info["cut_tokens"] > 0
    assert len(env._spans(text)) <= 64
    for strange in ("🦊" * 200, "\ud800" * 200, "e\u0301" * 200):
        env.step(strange)
    twin = agentgym.fork(env)
    assert twin.step("look")[0] == env.step("look")[0]


def test_a_broken_tokenizer_file_says_so(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="the extra train is not installed")
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    with pytest.raises(ConfigError, match="no file of Hugging Face tokenizers"):
        wrappers.Truncate(agentgym.make("FrozenLake-v0"), tokenizer=str(path))


def test_pictures_are_what_render_draws() -> None:
    lake = agentgym.make("FrozenLake-v0", render_mode="rgb_array")
    env = wrappers.Screenshot(lake, height=192, width=200)
    seen, _ = env.reset(seed=0)
    drawn: Any = lake.render()
    assert drawn.shape == (192, 192, 3)
    assert np.array_equal(seen["image"][:, 4:196], drawn)
    assert not seen["image"][:, :4].any()
    again, *_ = env.step("nonsense")
    assert again["image"] is not seen["image"]
    small = wrappers.Screenshot(agentgym.make("FrozenLake-v0", render_mode="rgb_array"), height=16, width=16)
    assert small.reset(seed=0)[0]["image"].any()


@pytest.mark.full
@pytest.mark.parametrize("name", ["Sokoban-v0", pytest.param("MiniWoB-v1", marks=needs_browser)])
def test_a_world_that_is_seen_passes_the_checker(name: str) -> None:
    env = wrappers.Screenshot(agentgym.make(name, render_mode="rgb_array"), height=120, width=160)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version.*")
        warnings.filterwarnings("ignore", message=".*out of date.*")
        warnings.filterwarnings("ignore", category=HostWarning)  # where the tests run as root
        check_env(env, skip_render_check=True)
    seen, info = env.reset(seed=3)
    assert env.observation_space.contains(seen)
    assert len(np.unique(seen["image"].reshape(-1, 3), axis=0)) > 2, "something is drawn"
    after, *_ = env.step(env.oracle_action())
    assert (seen["image"] != after["image"]).any(), "and it changes with what is done"
    assert info["instruction"]
    env.close()


def transcript(env: Any) -> str:
    """What `History` shows, made of all turns, of which the oldest are struck out until the rest fits."""
    turns, before = env._turns, len(env._turns) - 1
    kept = before if env.turns is None else min(env.turns, before)
    whole = env.turns is None or (kept == before and env.turns > 0)
    head = env._first if whole else env._head
    pieces = [f"Turn {at}\n> {said}\n{text}" for at, (said, text) in enumerate(turns, 1)][before - kept :]
    while len(pieces) > 1 and sum(len(piece) + 2 for piece in pieces) + len(head) + 64 > env.length:
        del pieces[0]
    gone = len(turns) - len(pieces)
    mark = [f"[{gone} earlier turn{'s' * (gone > 1)} left out]"] if gone else []
    return env.observation_space.fit("\n\n".join([head, *mark, *pieces]))


@pytest.mark.parametrize("turns", [None, 0, 1, 3, 50])
def test_a_transcript_is_the_newest_turns_that_fit(turns: int | None) -> None:
    env = wrappers.History(agentgym.make("TextCraft-v1"), turns=turns, length=16_384)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(120):
        said, text = "a" * int(rng.integers(200)), "b" * int(rng.integers(900))
        assert env.show(text, {}, said) == transcript(env)
    env._turns = [("", "x" * size) for size in (20_000, 16_000, 30)]
    for room in range(300):  # about the length at which one turn more fits
        env._turns[1] = ("", "x" * (15_400 + 3 * room))
        assert env._transcript() == transcript(env)


def test_a_long_transcript_is_made_of_the_turns_that_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    env = wrappers.History(agentgym.make("TextCraft-v1"), length=16_384)
    env.reset(seed=0)
    env._turns = [("noop", "You see nothing. " * 8)] * 50_000
    made: list[int] = []
    one = history._turn
    monkeypatch.setattr(history, "_turn", lambda number, *turn: (made.append(number), one(number, *turn))[1])
    shown = env.show("Nothing.", {}, "noop").count("\nTurn ")
    assert shown <= len(made) <= shown + 1
