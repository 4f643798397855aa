"""The WebShop reward against values worked out by hand from the published formula."""

from dataclasses import replace

import pytest

from agentgym.core.errors import TaskError
from agentgym.envs.web._shop.goals import Goal
from agentgym.envs.web._shop.kinds import is_of_kind
from agentgym.envs.web._shop.nouns import is_noun, noun_tokens, nouns
from agentgym.envs.web._shop.products import Product
from agentgym.envs.web._shop.reward import colors, score, type_factor
from agentgym.envs.web._shop.words import word_list
from tests.benchmarks.agree_nouns import factor

NOT_NOUN_LISTS = ("function_words", "units", "adjectives", "verbs")

SHIRT = Product(
    asin="B000000001",
    title="Acme Cotton Shirt",
    category="fashion",
    query="shirts",
    path=("Clothing", "Men", "Shirts"),
    description="Stays crisp all day.",
    bullets=("Long sleeve with two pockets", "Tagless collar"),
    attributes=("machine wash", "slim fit"),
    options={"color": ("black", "navy blue"), "size": ("large", "x-large")},
    price=25.0,
    price_text="$25.0",
)
GOAL = Goal(
    asin="B000000001",
    instruction="a slim fit, machine washable shirt in navy blue, x-large",
    attributes=("machine wash", "slim fit"),
    options={"color": "navy blue", "size": "x-large"},
    price_upper=30.0,
    query="shirts",
    path=("Clothing", "Men", "Shirts"),
    name="Acme Cotton Shirt",
)
WANTED = {"color": "navy blue", "size": "x-large"}


def titled(name: str, **changes: object) -> Goal:
    """The goal for a product with this title, otherwise unrelated to the shirt unless told."""
    return replace(GOAL, name=name, query="other", path=("Other",), **changes)


@pytest.mark.parametrize("original", [False, True])
def test_the_goals_own_product_pays_exactly_one(original: bool) -> None:
    reward = score(SHIRT, GOAL, WANTED, original=original)
    assert (reward.total, reward.type, reward.attributes, reward.options, reward.price) == (1.0, 1.0, 1.0, 1.0, 1.0)


@pytest.mark.parametrize("original", [False, True])
def test_the_cap_itself_is_affordable_and_a_cent_more_is_not(original: bool) -> None:
    assert score(replace(SHIRT, price=30.0), GOAL, WANTED, original=original).price == 1.0
    dear = score(replace(SHIRT, price=30.01), GOAL, WANTED, original=original)
    assert dear.price == 0.0
    assert dear.total == (2 + 2 + 0) / 5


def test_each_term_counts_once_in_the_total() -> None:
    goal = replace(GOAL, attributes=("machine wash", "fleece lined", "slim fit"))
    reward = score(SHIRT, goal, {"color": "black", "size": "x-large"})
    assert reward.attributes == 2 / 3
    assert reward.options == 1 / 2
    assert reward.total == (2 + 1 + 1) / (3 + 2 + 1)


def test_a_goal_without_options_divides_by_attributes_and_price_only() -> None:
    reward = score(replace(SHIRT, attributes=("slim fit",)), replace(GOAL, options={}), {"size": "large"})
    assert reward.options == 1.0
    assert reward.total == (1 + 0 + 1) / (2 + 0 + 1)


def test_the_type_factor_scales_the_whole_sum() -> None:
    goal = titled("Acme Lamp Shade Socket Bulb", options={})
    # One of five nouns is shared: 0.2 is not above 0.2, and nothing else matches.
    assert score(SHIRT, goal, {}).type == 0.5
    assert score(SHIRT, goal, {}).total == (2 + 0 + 1) / 3 * 0.5


@pytest.mark.parametrize(
    ("name", "query", "path", "expected", "why"),
    [
        ("Acme Cotton Shirt", "other", ("Other",), 1.0, "titles share every noun"),
        ("Acme Lamp Shade Socket", "other", ("Other",), 1.0, "0.25 is above 0.2"),
        ("Acme Lamp Shade Socket Bulb", "other", ("Other",), 0.5, "0.2 is not above 0.2"),
        ("Acme Lamp Shade Socket Bulb", "shirts", ("Other",), 1.0, "the query matches"),
        ("Acme Lamp Shade Socket Bulb", "other", ("Shirts", "Clothing"), 1.0, "two path parts match, in any order"),
        ("Acme Lamp Shade Socket Bulb", "other", ("Shirts", "Shirts"), 0.5, "one path part given twice is one"),
        ("Acme Lamp Shade Socket Bulb Cord Plug Wall Desk Cup", "shirts", GOAL.path, 1.0, "0.1 is not below 0.1"),
        ("Acme Lamp Shade Socket Bulb Cord Plug Wall Desk Cup Fan", "shirts", GOAL.path, 0.1, "1/11 is below 0.1"),
        ("Lamp Shade", "shirts", GOAL.path, 0.0, "no shared noun overrides equal query and path"),
        ("4 in 1", "other", ("Other",), 0.5, "a title without nouns scores 0.2"),
        ("4 in 1", "shirts", ("Other",), 1.0, "a title without nouns and the same query"),
        ("Acme Lamp Lamp Lamp Lamp", "other", ("Other",), 0.5, "repeated nouns of the wanted title count each time"),
    ],
)
def test_type_rules_in_their_order(name: str, query: str, path: tuple[str, ...], expected: float, why: str) -> None:
    assert type_factor(SHIRT, replace(GOAL, name=name, query=query, path=path)) == expected, why


@pytest.mark.parametrize(
    ("bought", "wanted", "said", "of_kind"),
    [
        ("coaxial cable|X Coaxial Cable, for Projection Screens", "projector screen|X Projection Screen", "", False),
        ("projector screen|X Projector Screen", "projector screen|X Projection Screen", "", True),
        ("pasta sauce|X Tomato Pasta Sauce, Slow Simmered", "pasta|X Pasta, Bronze Cut", "", False),
        ("olive oil|X Olive Oil, with Rosemary Hair", "hair growth oil|X Rosemary Hair Oil, 2 oz", "", False),
        ("protein bars|X Nut Free Snack Bars, Box", "granola bars|X Snack Bars, Crunchy", "", True),
        ("men's loafers|X Mens Penny Loafers", "women's loafers|X Womens Penny Loafers", "penny loafers", True),
        ("men's loafers|X Mens Penny Loafers", "women's loafers|X Womens Penny Loafers", "loafers for women", False),
    ],
)
def test_a_thing_is_of_the_kind_that_it_was_listed_under_or_is_called(bought, wanted, said, of_kind) -> None:
    (own_query, own_title), (query, title) = bought.split("|"), wanted.split("|")
    product = replace(SHIRT, query=own_query, title=own_title)
    goal = replace(GOAL, query=query, name=title, instruction=said)
    assert is_of_kind(product, goal) is of_kind
    published = score(product, goal, WANTED, original=True).type
    assert published == type_factor(product, goal) > 0.5
    assert score(product, goal, WANTED).type == (published if of_kind else 0.5)


def test_another_kind_earns_half_whatever_else_it_meets() -> None:
    lamp = replace(SHIRT, title="Acme Cotton Lamp", query="lamps")
    assert score(lamp, GOAL, WANTED).total == 0.5
    assert score(lamp, GOAL, WANTED, original=True).total == 1.0
    assert score(replace(lamp, title="Zumo Lamp"), GOAL, WANTED).total == 0.0, "what is less than half stays so"


def test_a_maker_that_the_instruction_names_is_one_attribute_more() -> None:
    goal = replace(GOAL, brand="Acme")
    by_acme = replace(SHIRT, brand="ACME")
    assert score(by_acme, goal, WANTED).total == 1.0
    other = score(replace(SHIRT, brand="Zumo"), goal, WANTED)
    assert (other.total, other.attributes) == (5 / 6, 2 / 3)
    assert score(SHIRT, goal, WANTED, original=True).total == 1.0, "the published reward knows no makers"


@pytest.mark.parametrize(
    ("own", "wanted", "met"),
    [
        ("essential oil", "essential oils", True),
        ("oil essential", "essential oil", True),
        ("easy clean", "easy to clean", True),
        ("wash", "machine wash", True),
        ("cotton", "polyester", False),
        ("abcdefg", "abcdefh", True),  # 12/14 is 85.7, which rounds to 86
        ("a" * 35 + "b" * 6, "a" * 35 + "c" * 6, False),  # 70/82 is 85.4, which rounds to 85
        ("café crème", "caf crme", True),  # accented letters are dropped, not read as blanks
        ("non-slip", "non slip", True),
        ("!!", "???", False),  # text without words resembles nothing
    ],
)
def test_attribute_similarity_counts_in_the_original_reading(own: str, wanted: str, met: bool) -> None:
    product = replace(SHIRT, attributes=(own,))
    assert score(product, replace(GOAL, attributes=(wanted,)), {}, original=True).attributes == float(met)


@pytest.mark.parametrize("wanted", ["cotton", "two pockets", "pockets tagless", "stays crisp"])
def test_a_mention_in_title_bullets_or_description_counts_in_the_original_reading_only(wanted: str) -> None:
    goal = replace(GOAL, attributes=(wanted,))
    assert score(SHIRT, goal, {}, original=True).attributes == 1.0
    assert score(SHIRT, goal, {}).attributes == 0.0


@pytest.mark.parametrize(
    ("listed", "text", "met"),
    [
        ("sensitive teeth", "", True),
        ("Sensitive-Teeth", "", True),
        ("fresh breath", "Not for sensitive teeth.", False),
        ("fresh breath", "Made for sensitive teeth.", False),
        ("teeth", "", False),
    ],
)
def test_an_attribute_counts_only_if_it_is_listed(listed: str, text: str, met: bool) -> None:
    product = replace(SHIRT, attributes=(listed,), bullets=(text,))
    assert score(product, replace(GOAL, attributes=("sensitive teeth",)), {}).attributes == float(met)


def test_the_original_reading_does_not_ignore_the_case_of_a_wanted_phrase() -> None:
    goal = replace(GOAL, attributes=("Two Pockets",))
    assert score(SHIRT, goal, {}, original=True).attributes == 0.0


def test_large_satisfies_x_large_in_the_original_reading_only() -> None:
    chosen = {"color": "navy blue", "size": "large"}
    assert score(SHIRT, GOAL, chosen, original=True).options == 1.0
    assert score(SHIRT, GOAL, chosen).options == 0.5


def test_the_original_reading_takes_a_value_under_any_name() -> None:
    product = replace(SHIRT, options={"style": ("x-large",)})
    goal = replace(GOAL, options={"size": "x-large"})
    assert score(product, goal, {"style": "x-large"}, original=True).options == 1.0
    assert score(product, goal, {"style": "x-large"}).options == 0.0


@pytest.mark.parametrize(
    ("wanted", "chosen", "met"),
    [
        ({"color": "black"}, "a-black", True),  # the pair holds the word `black`, the value contains it
        ({"color": "navy blue"}, "sky blue", True),  # `blue` is among the words of the printed pair
        ({"color": "navy"}, "navy blue", False),  # the value becomes `blue`, the pair becomes `navy`
        ({"color": "multicolored"}, "multicolored", False),  # the value becomes `multicolor`, no word of the pair
        (("navy blue",), "sky blue", True),  # a bare value becomes its colour word too
        (("dark blue",), "navy blue", True),  # `blue` precedes `dark` and `navy` in the alphabet
        (("4 ounce",), "ounce", True),
        (("red",), "green", False),
    ],
)
def test_the_original_color_rule(wanted: dict[str, str] | tuple[str, ...], chosen: str, met: bool) -> None:
    goal = replace(GOAL, options=wanted)
    assert score(SHIRT, goal, {"color": chosen}, original=True).options == float(met)


@pytest.mark.parametrize(
    ("offered", "wanted", "chosen", "met"),
    [
        (("navy blue",), "Navy  Blue", "navy blue", True),
        (("black | white",), "black/white", "black | white", True),
        (("a-black", "b-red"), "black", "a-black", True),  # the same colour words, and no exact value to be had
        (("black", "black-2"), "black", "black-2", False),  # the exact value was on offer
        (("light grey", "dark grey"), "light gray", "light grey", True),
        (("light grey", "dark grey"), "light gray", "dark grey", False),
        (("red", "blue"), "blue", "red", False),
        (("zebra", "plaid"), "stripes", "plaid", False),  # no colour word is no likeness
    ],
)
def test_the_corrected_color_rule(offered: tuple[str, ...], wanted: str, chosen: str, met: bool) -> None:
    product = replace(SHIRT, options={"color": offered})
    assert score(product, replace(GOAL, options={"color": wanted}), {"color": chosen}).options == float(met)


def test_colors_stand_in_under_color_names_only() -> None:
    product = replace(SHIRT, options={"flavor name": ("dark chocolate bar",)})
    goal = replace(GOAL, options={"flavor name": "dark chocolate"})
    assert score(product, goal, {"flavor name": "dark chocolate bar"}).options == 0.0


def test_a_bare_wanted_value_may_be_chosen_under_any_name() -> None:
    goal = replace(GOAL, options=("x-large", "navy blue"))
    assert score(SHIRT, goal, WANTED).options == 1.0
    assert score(SHIRT, goal, {"size": "large", "color": "navy blue"}).options == 0.5


def test_the_color_words_are_those_of_the_published_reward() -> None:
    assert len(colors()) == 102
    assert list(colors()) == sorted(set(colors()))
    assert {"light", "dark", "natural", "stone"} <= set(colors())


def test_goals_that_cannot_be_scored_are_refused() -> None:
    with pytest.raises(TaskError, match="no attributes"):
        replace(GOAL, attributes=())
    with pytest.raises(TaskError, match="price cap"):
        replace(GOAL, price_upper=0.0)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Men's Slim Fit Long Sleeve Dress Shirt, Machine Washable", "men sleeve dress shirt machine"),
        ("6 Feet High Speed HDMI Cable, 4K 60Hz, 12 oz (Pack of 2)", "speed hdmi cable"),
        ("Rusticware 921ORB Kitchen and Bath Cabinet Knob", "rusticware kitchen bath cabinet knob"),
        ("SC-HT830V DVD/VCR Combo", "sc ht830v dvd vcr combo"),
        ("Softly Padded Stainless Wireless Earrings and King Bedding", "earrings king bedding"),
        ("T-Shirt T-Shirt", "shirt shirt"),
        ("", ""),
    ],
)
def test_nouns_of_titles(title: str, expected: str) -> None:
    assert " ".join(noun_tokens(title)) == expected
    assert nouns(title) == frozenset(expected.split())


def test_word_lists_do_not_contradict_one_another() -> None:
    lists = [word_list(name) for name in (*NOT_NOUN_LISTS, "nouns")]
    for words in lists:
        assert list(words) == sorted(set(words))
    assert sum(map(len, lists)) == len(set().union(*lists))


def test_every_listed_noun_is_one_and_no_other_listed_word_is() -> None:
    assert all(is_noun(word) for word in word_list("nouns"))
    assert not any(is_noun(word) for name in NOT_NOUN_LISTS for word in word_list(name))


def test_taggers_are_compared_by_the_factor_of_the_reward() -> None:
    """`tests/benchmarks/agree_nouns.py` counts for how many pairs of titles it is the same."""
    names = ("Acme Cotton Shirt", "Red Wool Shirt", "Brass Lamp", "Soft Cotton Towel for the Bath", "crisp")
    found = [factor(one, other, noun_tokens) for one in names for other in names]
    assert found == [type_factor(replace(SHIRT, title=other), titled(one)) for one in names for other in names]
    assert {0.0, 1.0} < set(found)
