"""Names that few products share: makers, and what sellers call their colors, patterns and tastes."""

from __future__ import annotations

import re

from agentgym.assets.webshop.generate.model import Draw


def _words(text: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(text.split())


_STARTS = _words(
    "al am an ar as bel ben bo bra bri ca cal car cer che cla cor cy da del den do dra el em en er fa fen fi flo fre "
    "gal gar ge gla gra ha hal har he hol il in is ja jo ka kel ki kor la lan le li lo lu ma mar mel mi mo na nel no "
    "nor o ol or pa pel pi por qua ra rel ri ro sa sel shi so sta su ta tel ti tor tra u ul va vel vi vo wa wel wi ya "
    "yo za zel zi zo"
)
_MIDDLES = _words(
    "ba be bi bo da de di do fa fi ga go ka ke ki la le li lo lu ma me mi mo na ne ni no pa pi ra re ri ro sa se si "
    "ta te ti to va ve vi vo xa xi za ze zo"
)
_ENDS = _words(
    "bra co dale dan den do fox gen go hut ia ix ka kin la land lar len lin lo lux ma mate max mel mia mo na nest nex "
    "nic nova on ora ox pro ra ral ric rin ris ro run ry sa sen son sty ta tec ten tex tia to tri va ven via vo wear "
    "wood xa yo za zen zo"
)

_THINGS = _words(
    "acorn agate alder alloy almond alpine amber anchor anise antler apple apricot arctic ash aspen aster autumn "
    "azure bamboo banana bark basalt basil bay beach bear bee beetle birch biscuit blossom bluebell bluebird bone "
    "brandy brick bronze brook butter butterfly cactus calico camel camellia canary candy canyon caramel cardinal "
    "carnation cashew castle cat cedar chalk cherry chestnut chili cinder cinnamon citrine citrus clay cliff cloud "
    "clover coal cobalt cocoa coconut comet copper coral cork corn cosmos cottage cream creek cricket crimson crow "
    "currant cypress dahlia daisy damask dawn deer denim desert diamond dolphin dove dragon dragonfly driftwood dune "
    "dusk eagle earth ebony eclipse egret elephant elm ember emerald falcon fawn feather fennel fern fig fir fire "
    "fjord flamingo flax flint foam fog forest fossil fox frost galaxy garden garnet gecko ginger glacier goose grape "
    "graphite grass gravel guava gull harbor harvest hawk hazel heath heather hedge hemlock heron hibiscus hickory "
    "holly honey horizon horse hyacinth ice indigo iris iron island ivory ivy jade jaguar jasmine juniper kelp kiwi "
    "koala lagoon lake lantern laurel lava lavender leaf lemon leopard lichen lilac lily lime linen lion lizard llama "
    "lotus lynx magma magnolia mahogany mango maple marble marigold marina maroon marsh meadow melon mermaid merlot "
    "meteor mesa midnight mimosa mint mist mocha monarch monsoon moon moose morning moss moth mountain mulberry "
    "mushroom mustard nebula nectar night nutmeg oak oasis oat obsidian ocean octopus olive onyx opal orchard orchid "
    "otter owl oyster palm panda pansy papaya parrot peach peacock pear pearl pebble penguin peony pepper petal pine "
    "pineapple pistachio plaid plum polar pollen pomegranate pond poppy prairie primrose pumpkin quail quartz quince "
    "rabbit raccoon rain raspberry raven reed reef ribbon river robin rock rosebud rosewood ruby rust rye saffron "
    "sage sahara sail salmon salt sand sandstone sapphire savanna scarlet sea seagull seal seashell seaweed sesame "
    "shadow shark shell sienna sky slate smoke snail snow snowflake sorbet sparrow spice spruce squirrel star "
    "starfish steel stone storm strawberry stream summer sun sunflower sunrise sunset swan syrup tangerine teak "
    "thistle thunder tide tiger timber toffee topaz tulip turtle twilight valley vanilla velvet vine violet walnut "
    "water watermelon wave whale wheat willow wind wine winter wisteria wolf wren yarrow zebra zinc zinnia"
)

_HUES = {
    "black": 30, "white": 18, "blue": 16, "grey": 9, "gray": 6, "pink": 10, "brown": 9, "green": 9, "red": 9, "gold": 7,
    "purple": 5, "navy": 4, "yellow": 4, "silver": 4, "rose gold": 2, "beige": 3, "orange": 3, "dark grey": 1,
    "light blue": 1, "dark blue": 1, "burgundy": 1, "khaki": 1, "wine red": 1, "hot pink": 1, "ivory": 1, "cream": 1,
    "turquoise": 1, "multicolored": 2, "light brown": 2, "dark green": 1, "light pink": 1, "teal": 1, "natural": 2,
    "dark brown": 2, "clear": 1, "multi": 1, "bronze": 1.5, "dark": 1, "light": 1,
}  # fmt: skip


def maker(draw: Draw) -> str:
    """The name of a maker that few products share: two or three syllables."""
    parts = [draw.pick(_STARTS), *([draw.pick(_MIDDLES)] if draw.chance(0.55) else []), draw.pick(_ENDS)]
    name = "".join(parts)
    return name.upper() if draw.chance(0.25) else name.capitalize()


def shade(draw: Draw) -> str:
    """What a seller calls a color: a plain one, one with a thing before it, or one with a number."""
    hue = draw.weighted(_HUES)
    form = draw.weighted({"plain": 11.0, "thing": 1.0, "number": 0.7, "letter": 0.9, "two": 1.4, "name": 1.2})
    if form == "thing":
        return f"{draw.pick(_THINGS)} {hue}"
    if form == "number":
        return f"{hue}-{draw.between(1, 40)}"
    if form == "letter":
        return f"{draw.pick('abcdefgtwz')}{draw.pick(('', str(draw.between(1, 30))))}-{hue}"
    if form == "two":
        joint = draw.pick(("and", "|", "&"))
        return f"{hue} {joint} {draw.weighted({other: share for other, share in _HUES.items() if other != hue})}"
    if form == "name":
        return " ".join(draw.sample(_THINGS, 2 if draw.chance(0.5) else 1))
    return hue


_STYLES: dict[str, dict[str, float]] = {
    r"pack of (\d+)": {r"pack of \1": 6, r"\1 pack": 2, r"\1 count": 0.5, r"\1-pack": 0.3, r"\1 packs": 0.3},
    r"\bounce\b": {"ounce": 6, "oz": 1.6, "ounces": 1, "fluid ounce": 0.6},
    r"\bfl oz\b": {"fl oz": 6, "fluid ounce": 2, "oz": 1, "fluid ounces": 0.4, "ounce": 1},
    r"\bpound\b": {"pound": 5, "pounds": 1, "lb": 0.4},
    r"\binch\b": {"inch": 6, "inches": 1, "in": 0.2},
    r"\binches\b": {"inches": 5, "inch": 3},
    r"\bfeet\b": {"feet": 4, "ft": 2, "foot": 2},
    r"\bft\b": {"ft": 4, "feet": 2, "foot": 2},
    r"(\d)gb\b": {r"\1gb": 5, r"\1 gb": 2, r"\1 gigabytes": 0.6, r"\1 gig": 0.4},
    r"\bxx-large\b": {"xx-large": 5, "xxl": 0.5, "2x-large": 0.4},
    r"\bx-large\b": {"x-large": 5, "extra large": 1.2, "xl": 0.6},
    r"\bx-small\b": {"x-small": 5, "extra small": 1, "xs": 0.4},
    r"\btwin\b(?! xl)": {"twin": 5, "twin size": 1},
}
"""How makers write numbers and units, with weights."""


_NUMBERS = {"1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "8": "eight", "12": "twelve"}
_MEASURE = re.compile(r"^[\d.]+(?= (?:inch|in|ounce|oz|fl|fluid|feet|ft|foot|pound|lb|millimeter))")
_ODD = 0.4  # how often a maker's amounts are not round
_SPELLED = 0.22  # how often a maker writes the numbers of packs in words


def restyled(values: list[str], draw: Draw) -> list[str]:
    """The values of an option as one maker writes them.

    Args:
        values: Of one option.
        draw: Where chance comes from.
    """
    for pattern, forms in _STYLES.items():
        if any(re.search(pattern, value) for value in values):
            form = draw.weighted(forms)
            values = [re.sub(pattern, form, value) for value in values]
    if draw.chance(_ODD):
        values = [_MEASURE.sub(lambda found: _odd(float(found[0]), draw), value) for value in values]
    if draw.chance(_SPELLED):
        values = [re.sub(r"^(pack of )?(\d+)\b(?=$| pack| piece| light| count)", _spelled, value) for value in values]
    return list(dict.fromkeys(values))


def _odd(amount: float, draw: Draw) -> str:
    """An amount near a round one, to a tenth where it is small."""
    near = amount * (0.88 + 0.2 * draw.unit())
    return f"{near:.0f}" if near > 40 else f"{max(near, 0.1):.1f}".removesuffix(".0")


def _spelled(found: re.Match[str]) -> str:
    """A number of packs in words, if it is a small one."""
    return f"{found[1] or ''}{_NUMBERS.get(found[2], found[2])}"


def taste(known: str, draw: Draw) -> str:
    """What a seller calls a flavor, scent or pattern: a known one, or one with something before it.

    Args:
        known: A value of the pool.
        draw: Where chance comes from.
    """
    form = draw.weighted({"known": 6.0, "thing": 3.0, "things": 1.0})
    if form == "thing":
        thing = draw.pick([thing for thing in _THINGS if thing not in known.split()])
        return f"{thing} {known}" if draw.chance(0.5) else f"{known} {thing}"
    return known if form == "known" else " ".join(draw.sample(_THINGS, 2))
