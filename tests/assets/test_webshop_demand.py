"""The stock of the shop follows what people ask for: families of a kind, nouns of titles, contested attributes."""

from __future__ import annotations

from collections import Counter

import pytest

from agentgym.assets.webshop.generate.demand import by_demand, families_of, noun_of, weight_of
from agentgym.assets.webshop.generate.model import Draw
from agentgym.assets.webshop.generate.names import restyled
from agentgym.assets.webshop.generate.tables import CATEGORIES

KINDS = {kind.query: kind for category in CATEGORIES for kind in category.kinds}


@pytest.mark.parametrize("total", [len(KINDS), 875, 1100])
def test_families_add_up_and_every_kind_has_one(total: int) -> None:
    numbers = families_of(list(KINDS), total)
    assert sum(numbers.values()) == total
    assert min(numbers.values()) == 1


def test_what_people_ask_for_more_often_has_more_families() -> None:
    numbers = families_of(list(KINDS), 1100)
    assert numbers["hair extensions"] > 3 * numbers["sunglasses"]


def test_attributes_that_people_name_come_first() -> None:
    firsts = Counter(by_demand(["gluten free", "shatter proof"], Draw(seed))[0] for seed in range(300))
    assert weight_of("gluten free") > weight_of("fair trade")
    assert firsts["gluten free"] > firsts["shatter proof"] > 0


def test_nouns_that_people_say_are_likelier() -> None:
    kind = KINDS["cupcake toppers"]
    nouns = Counter(noun_of(kind, Draw(seed)) for seed in range(300))
    assert set(nouns) == set(kind.titles.split("; "))
    assert nouns["Cupcake Toppers"] > nouns["Cupcake Picks"]


def test_a_maker_writes_all_values_of_an_option_in_one_way() -> None:
    written = {tuple(restyled(["8 ounce (pack of 1)", "16 ounce (pack of 2)"], Draw(seed))) for seed in range(1000)}
    assert ("8 ounce (pack of 1)", "16 ounce (pack of 2)") in written
    assert ("8 oz (1 pack)", "16 oz (2 pack)") in written
    for one, two in written:
        assert one.split()[1] == two.split()[1], (one, two)
        assert float(one.split()[0]) < float(two.split()[0])


def test_numbers_of_packs_may_stand_in_words() -> None:
    written = {value for seed in range(300) for value in restyled(["pack of 2", "pack of 24"], Draw(seed))}
    assert {"pack of 2", "pack of two", "2 pack", "pack of 24"} <= written
