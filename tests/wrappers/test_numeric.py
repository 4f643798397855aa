"""The numeric bridge: hashing, embeddings, token ids, slots, vocabularies, masks."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

import agentgym
from agentgym.core import ConfigError, LanguageEnv, MissingExtra
from agentgym.envs import CARDS
from agentgym.wrappers.numeric import (
    EmbeddedText,
    HashedText,
    HashedWords,
    ReadableActions,
    SlotActions,
    TokenIds,
    VocabularyActions,
    known_actions,
)

FUNCTIONS = "tests.wrappers.numeric_functions"
SLOTS = 96
NATIVE = [card.id for card in CARDS if card.api == "gymnasium" and not card.requires and not card.extras]
SOME = ["AgentGym/FrozenLake-v0", "AgentGym/TextCraft-v1", "AgentGym/Household-v1", "AgentGym/WebShop-v1"]
TEXT = "You see a key.\nThe key is red, the door is red."


def lake(**kwargs: Any) -> gym.Env[Any, Any]:
    return agentgym.make("FrozenLake-v0", slippery=False, **kwargs)


# Hashing


def test_counts_are_those_of_the_words_and_their_neighbours() -> None:
    one = HashedWords(4096, ngrams=1)
    assert one.counts(TEXT).sum() == 5 + 10  # full stops and the comma are words
    assert HashedWords(4096, ngrams=2).counts(TEXT).sum() == 15 + (4 + 9)
    assert HashedWords(4096, ngrams=2).counts("").sum() == 0
    assert one.counts("red RED Red").max() == 3
    np.testing.assert_allclose(one("red RED Red").max(), 3 / 4)


def test_neighbours_do_not_reach_over_lines() -> None:
    pairs = HashedWords(1 << 16, ngrams=2)
    assert (pairs.counts("a b") - pairs.counts("a\nb")).sum() == 1


def test_places_tell_maps_apart_that_hold_the_same_words() -> None:
    bag, placed = HashedWords(512, 1), HashedWords(512, 1, places=True)
    left, right = "P _ G\n_ O _", "_ P G\nO _ _"
    np.testing.assert_array_equal(bag(left), bag(right))
    assert (placed(left) != placed(right)).any()


@given(st.text(max_size=200), st.integers(2, 4096), st.integers(1, 5), st.booleans())
def test_vectors_are_in_their_box(text: str, dim: int, ngrams: int, places: bool) -> None:
    vector = HashedWords(dim, ngrams, places)(text)
    assert vector.shape == (dim,)
    assert vector.dtype == np.float32
    assert (vector >= 0).all()
    assert (vector < 1).all()


def test_hashes_are_equal_in_every_process() -> None:
    program = (
        "from agentgym.wrappers.numeric import HashedWords; import numpy as np;"
        f"print(np.flatnonzero(HashedWords(512, 2, True)({TEXT!r})).tolist())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1")
    }
    here = str(np.flatnonzero(HashedWords(512, 2, True)(TEXT)).tolist()).encode() + b"\n"
    assert found == {here}


@pytest.mark.parametrize("wrong", [{"dim": 1}, {"dim": 2.0}, {"ngrams": 0}, {"ngrams": True}, {"places": 1}])
def test_wrong_hashing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        HashedWords(**wrong)


# Embeddings and token ids


def test_embeddings_have_unit_length_and_come_from_the_named_function() -> None:
    env = EmbeddedText(lake(), f"{FUNCTIONS}:letters")
    shown, _ = env.reset(seed=0)
    assert shown.shape == (26,)
    np.testing.assert_allclose(np.linalg.norm(shown), 1.0, rtol=1e-6)
    assert env.observation_space.contains(shown)
    assert not EmbeddedText(lake(), f"{FUNCTIONS}:nothing").reset(seed=0)[0].any()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("letters", "is named 'module:name'"),
        ("no.such.module:letters", "cannot be imported"),
        (f"{FUNCTIONS}:nobody", "cannot be imported"),
        (f"{FUNCTIONS}:number", "is a int, not a function"),
        (f"{FUNCTIONS}:not_finite", "not finite"),
        (f"{FUNCTIONS}:square", "must give a sequence of numbers"),
    ],
)
def test_bad_functions_are_refused_at_construction(name: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        EmbeddedText(lake(), name)


def test_a_function_that_changes_its_length_is_caught() -> None:
    with pytest.raises(ConfigError, match="must give 17 numbers"):
        EmbeddedText(lake(), f"{FUNCTIONS}:changing").reset(seed=0)


def test_token_ids_pad_and_cut_in_the_middle() -> None:
    env = TokenIds(lake(), length=6, vocabulary=1000)
    ids = env.observation("a b c")
    assert (ids[:3] > 0).all()
    assert ids[3:].tolist() == [0, 0, 0]
    long = env.observation("a b c d e f g h")
    assert long[:3].tolist() == ids[:3].tolist()
    assert long[3:].tolist() == env.observation("f g h")[:3].tolist()
    assert env.observation("").tolist() == [0] * 6
    own = TokenIds(lake(), length=6, vocabulary=300, tokenizer=f"{FUNCTIONS}:bytes_of")
    assert own.observation("ab").tolist() == [98, 99, 0, 0, 0, 0]
    with pytest.raises(ConfigError, match="whole numbers from 1 to 299"):
        TokenIds(lake(), vocabulary=300, tokenizer=f"{FUNCTIONS}:zero_ids").reset(seed=0)


# Actions by number


def test_slots_are_the_sorted_admissible_actions() -> None:
    env = SlotActions(agentgym.make("TextCraft-v1", split="val"), slots=60)
    env.reset(seed=0, options={"task": 0})
    listed = env.unwrapped.admissible_actions()
    assert env.action_texts() == listed + [""] * (61 - len(listed))
    assert env.action_masks().tolist() == [True] * len(listed) + [False] * (61 - len(listed))
    twin = agentgym.make("TextCraft-v1", split="val")
    twin.reset(seed=0, options={"task": 0})
    shown, *_, info = env.step(np.int64(2))
    assert shown == twin.step(listed[2])[0]
    np.testing.assert_array_equal(info["action_mask"], env.action_masks())


def test_an_unmasked_index_is_refused_by_the_world_and_costs_a_turn() -> None:
    env = SlotActions(lake(), slots=8)
    env.reset(seed=0)
    for index in (6, 8):
        _, reward, terminated, _, info = env.step(index)
        assert (reward, terminated, info["action_valid"]) == (0.0, False, False)
    assert env.unwrapped.turn == 2


@pytest.mark.parametrize("bridge", [lambda env: SlotActions(env, slots=8), VocabularyActions])
def test_the_mask_is_never_empty(bridge: Any) -> None:
    env = bridge(lake())
    assert env.action_masks().tolist() == [False] * env.size + [True]  # before the first reset
    env.reset(seed=0)
    assert not env.action_masks()[-1]
    ended = False
    while not ended:
        _, _, terminated, truncated, info = env.step(0)
        assert info["action_mask"].any()
        ended = terminated or truncated
    assert env.action_masks().tolist() == [False] * env.size + [True]
    assert env.step(env.size)[4]["error"] == "The episode is over; call reset() to begin another."
    env.reset(seed=1)
    assert env.action_masks().sum() == 4


def test_masks_are_fresh_arrays() -> None:
    env = SlotActions(lake(), slots=8)
    _, info = env.reset(seed=0)
    info["action_mask"][:] = False
    env.action_masks()[:] = False
    assert env.action_masks().sum() == 4


def test_too_many_actions_raise_or_are_cut_and_counted() -> None:
    with pytest.raises(ConfigError, match="4 actions are admissible but there are 3 slots"):
        SlotActions(lake(), slots=3).reset(seed=0)
    env = SlotActions(lake(), slots=3, overflow="cut")
    assert env.reset(seed=0)[1]["slots_cut"] == 1
    assert env.action_texts() == ["down", "left", "right", ""]


def test_the_vocabulary_means_the_same_everywhere() -> None:
    env = VocabularyActions(lake())
    env.reset(seed=0)
    assert env.action_texts() == ["left", "down", "right", "up", ""]
    own = VocabularyActions(lake(), ["up", "go left"])
    own.reset(seed=0)
    assert own.action_masks().tolist() == [True, False, False]  # the world lists `left`, not `go left`
    assert own.step(1)[4]["action_valid"]


def test_commands_outside_an_incomplete_list_stay_possible() -> None:
    env = VocabularyActions(agentgym.make("TextCraft-v1", split="val"), ["inventory", "get 1 oak log"])
    env.reset(seed=0)
    assert env.action_masks().tolist() == [True, True, False]


def test_known_actions_are_collected_by_random_play() -> None:
    assert known_actions(lake(), episodes=2) == ["down", "left", "right", "up"]
    collected = known_actions(agentgym.make("Household-v1", split="val"), episodes=2)
    assert collected == sorted(set(collected))
    assert any(action.startswith("open ") for action in collected)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SlotActions(lake(), slots=0), "slots must be a whole number from 1"),
        (lambda: SlotActions(lake(), overflow="wrap"), "overflow must be 'raise' or 'cut'"),
        (lambda: SlotActions(SlotActions(lake())), "the action space of .* is Discrete"),
        (lambda: SlotActions(gym.make("CartPole-v1")), "actions are text"),
        (lambda: VocabularyActions(agentgym.make("TextCraft-v1")), "give the commands"),
        (lambda: VocabularyActions(lake(), []), "1 to 65536 commands, got 0"),
        (lambda: VocabularyActions(lake(), ["up", "up"]), "'up' comes twice"),
        (lambda: VocabularyActions(lake(), ["fly"]), "does not read the command 'fly'"),
        (lambda: HashedText(gym.make("CartPole-v1")), "reads text"),
        (lambda: HashedText(HashedText(lake())), "reads text"),
        (lambda: ReadableActions(lake()), "put SlotActions around"),
        (lambda: ReadableActions(SlotActions(HashedText(lake()))), "reads text"),
        (lambda: ReadableActions(SlotActions(lake()), context=[1]), "words before and words after"),
        (lambda: ReadableActions(SlotActions(lake()), context=(-1, 2)), "context must be a whole number"),
    ],
)
def test_what_cannot_be_served_is_refused_at_construction(make: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()


@pytest.mark.parametrize("action", ["left", 1.0, True, None])
def test_an_action_is_a_whole_number(action: Any) -> None:
    env = SlotActions(lake(), slots=8)
    env.reset(seed=0)
    with pytest.raises(TypeError, match="whole number from 0 to 8"):
        env.step(action)
    with pytest.raises(ConfigError, match="number from 0 to 8, got 9"):
        env.step(9)


# Every world, every form


def forms(env: gym.Env[Any, Any], slots: int = SLOTS) -> list[gym.Env[Any, Any]]:
    """Each form around one world, with numbered actions."""
    numbered = SlotActions(env, slots=slots, overflow="cut")
    return [
        HashedText(numbered, dim=64, places=True),
        TokenIds(numbered, length=32),
        EmbeddedText(numbered, f"{FUNCTIONS}:letters"),
        ReadableActions(numbered, dim=16, context=(2, 4)),
    ]


@pytest.mark.parametrize("name", NATIVE)
def test_both_checkers_pass_on_every_world(name: str) -> None:
    sb3 = pytest.importorskip("stable_baselines3.common.env_checker", reason="the extra sb3 is not installed")
    try:
        env = agentgym.make(name)
        wrapped = forms(env)
    except (ConfigError, MissingExtra) as error:
        pytest.skip(f"{name}: {error}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version")  # the bridge is a wrapper
        for form in wrapped:
            check_env(form, skip_render_check=True)
            sb3.check_env(form)


@pytest.mark.parametrize("name", SOME)
@pytest.mark.parametrize("form", range(4), ids=["hashed", "ids", "embedded", "readable"])
def test_snapshots_forks_and_specs_carry_the_bridge(name: str, form: int) -> None:
    env = forms(agentgym.make(name, split="val"))[form]
    rng = np.random.default_rng(0)
    env.reset(seed=1)
    masks = env.get_wrapper_attr("action_masks")
    for _ in range(3):
        env.step(int(rng.choice(np.flatnonzero(masks()))))
    saved, twin = agentgym.snapshot(env), agentgym.fork(env)
    rebuilt = gym.make(env.spec)
    rebuilt.reset(seed=9)
    agentgym.restore(rebuilt, saved)
    moves = [int(rng.choice(np.flatnonzero(masks())))]
    expected = [env.step(moves[0])]
    while len(moves) < 4 and not (expected[-1][2] or expected[-1][3]):
        moves.append(int(rng.choice(np.flatnonzero(masks()))))
        expected.append(env.step(moves[-1]))
    agentgym.restore(env, saved)
    for other in (twin, rebuilt, env):
        for move, (shown, reward, *_, info) in zip(moves, expected, strict=True):
            there, paid, *_, also = other.step(move)
            assert reward == paid
            np.testing.assert_equal(there, shown)
            np.testing.assert_equal(also, info)


# What the policy reads


def test_readable_actions_say_what_is_in_the_slots() -> None:
    env = ReadableActions(SlotActions(agentgym.make("TextCraft-v1", split="val"), slots=60), dim=64)
    shown, info = env.reset(seed=0, options={"task": 0})
    texts = env.get_wrapper_attr("action_texts")()
    rows = shown["actions"].reshape(61, 64)
    for row, text in zip(rows, texts, strict=True):
        np.testing.assert_array_equal(row, HashedWords(64)(text) if text else np.zeros(64))
    np.testing.assert_array_equal(shown["instruction"], HashedWords(64)(info["instruction"]))
    assert not shown["memory"].any()
    assert not shown["tried"].any()
    assert "contexts" not in shown
    place = texts.index("inventory")
    shown, *_ = env.step(place)
    again = env.get_wrapper_attr("action_texts")().index("inventory")
    assert shown["tried"][again] == 0.5
    assert shown["tried"].sum() == 0.5
    assert shown["memory"].any()


def test_contexts_hold_the_words_around_the_object_of_an_action() -> None:
    env = ReadableActions(
        SlotActions(agentgym.make("WebShop-v1", split="val"), slots=60), dim=256, ngrams=1, context=(0, 6)
    )
    env.reset(seed=0, options={"task": 0})
    shown, *_ = env.step(0)  # the search of the instruction
    texts = env.get_wrapper_attr("action_texts")()
    place, text = next((place, text) for place, text in enumerate(texts) if text.startswith("click[b0"))
    page = env._seen[-1].lower()
    after = page.split(text[6:-1], 1)[1].replace("[sep]", "[ sep ]").split()[:9]
    found = shown["contexts"].reshape(61, 256)[place]
    for word in after[3:5]:
        if word.isalpha():
            assert found[HashedWords(256, 1).counts(word).argmax()] > 0
    assert not shown["contexts"].reshape(61, 256)[-1].any()


def test_language_wrappers_may_stand_inside() -> None:
    from agentgym.wrappers import Horizon

    env = HashedText(SlotActions(Horizon(lake(), turns=2), slots=8))
    env.reset(seed=0)
    assert isinstance(env.unwrapped, LanguageEnv)
    env.step(8)
    assert env.step(8)[3]
