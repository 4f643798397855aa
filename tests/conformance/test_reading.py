"""Reading takes time linear in length: attacks that once took seconds to half a minute, and what is attacked."""

import time

import pytest

import agentgym
from agentgym.conformance.env_under_test import SAMPLED
from agentgym.conformance.reading import LENGTH, MOST, _drawn, _places, attacks
from agentgym.core import drive


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("DealOrNoDeal-v0", "propose " + "a " * 1_000),
        ("Sudoku-v0", "clear " + "a " * 1_000),
        ("Sudoku-v0", "clear (a" + "," * 2_000 + "\nx"),
        ("CraftTree-v0", "smelt " + "a " * 1_000),
        ("CraftTree-v0", "smelt " + " with " * 340 + "\nx"),
    ],
)
def test_an_action_that_held_the_interpreter_is_read_at_once(name, action):
    driver = drive(agentgym.make(name).unwrapped)
    driver.reset(seed=0)
    begin = time.process_time()
    driver.world.parse(action, driver.to_act[0])
    assert time.process_time() - begin < MOST


@pytest.mark.parametrize("name", ["Household-v1", "BabyAI-v0", "CraftTree-v0", "DealOrNoDeal-v0", "GuessCity-v0"])
def test_every_word_and_every_slot_is_attacked_without_being_asked_to_be_thorough(name):
    world = drive(agentgym.make(name).unwrapped).world
    groups = attacks(world)
    drawn = set(_drawn([len(group) for group in groups], SAMPLED.attacks))
    assert len(drawn) >= SAMPLED.attacks < sum(map(len, groups))
    begin = 0
    for group in groups:
        assert not drawn.isdisjoint(range(begin, begin + len(group)))
        begin += len(group)
    said = {(attack.args[0], attack.args[1].strip()) for group in groups for attack in group}
    assert all((head, word.strip()) in said for head, _, words in _places(world) for word in words)
    assert all(len(attack(LENGTH)) == LENGTH for attack in groups[-1])
