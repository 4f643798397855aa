"""The option values of the shop: named pools, and how a product takes its share of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agentgym.assets.webshop.generate.model import Draw

_PLAIN: dict[str, str] = {
    "any": "black, white, blue, red, pink, green, grey, brown, gold, silver, purple, yellow, beige, gray, rose gold, "
    "multicolor, khaki, wine red, navy blue, black and white, light pink",
    "fits": "men, women, youth",
    "magnify": "8x42, 10x42, 12x25, 10x25, 12x50",
    "gangs": "single toggle, double toggle, single outlet, double rocker, triple toggle, blank",
    "nut": "original, salted, roasted, honey roasted, smoked, sea salt, spicy, chocolate, cinnamon, ranch",
    "thick": "4 inch, 5 inch, 8 inch, 9 inch, 10 inch",
    "mens": "black, navy, heather grey, charcoal, white, olive green, burgundy, royal blue, khaki, forest green, "
    "rust, light blue",
    "dress": "white, light blue, black, navy, pale pink, burgundy, silver grey, blue gingham, lavender, wine red",
    "mens_fit": "slim, regular, big & tall",
    "denim": "dark wash, light wash, black, stone grey, antique blue, raw indigo, faded black, medium wash, tobacco",
    "underwear": "black, assorted, navy and grey, black and red, grey, blue stripe, white",
    "plaid": "red plaid, navy plaid, grey check, green plaid, blue stripe, solid navy, buffalo black and red",
    "womens": "black, white, wine red, navy blue, dusty pink, sage green, apricot, light grey, royal blue, "
    "coffee, lake green, mustard, "
    "lavender, army green, rust, teal",
    "prints": "black, navy floral, red floral, white dots, blue leaves, green floral, pink, coral, purple tie "
    "dye, yellow floral, black stripe, turquoise",
    "active": "black, navy, deep plum, charcoal, mauve, olive, teal, space dye grey, dusty rose, burgundy, "
    "cobalt, leopard",
    "sneaker": "black, white, all black, grey, navy, black and white, blue and orange, pink and grey, light "
    "purple, mint",
    "leather": "black, brown, tan, cognac, taupe, dark grey, camel, wine, beige, olive",
    "boot": "wheat, black, dark brown, oiled tan, grey",
    "neutral": "black, grey, brown, navy, chestnut, charcoal, tan",
    "dressy": "black, nude, red, silver, gold, white satin, navy, champagne, leopard, blush",
    "outer": "black, navy, olive, khaki, burgundy, dark green, light grey, mustard, white, steel blue, camel",
    "lens": "black frame | grey lens, tortoise frame | brown lens, matte black frame | blue lens, clear frame | "
    "pink lens, gold frame | green lens, "
    "silver frame | grey lens",
    "belt": "black, brown, cognac, dark brown, black and brown, tan",
    "hair": "jet black, natural black, dark brown, chocolate brown, medium brown, chestnut brown, light brown, "
    "ash blonde, honey blonde, golden blonde, "
    "platinum blonde, auburn, copper red, burgundy, silver grey",
    "dry_shampoo": "translucent, dark tones, blonde tones, red tones",
    "pastel": "pink, mint, lavender, black, white, teal, rose gold, peach, sky blue, assorted",
    "tool": "black, white, rose gold, silver, champagne, blue",
    "lips": "01 bare rose, 02 dusty mauve, 03 classic red, 04 brick, 05 berry wine, 06 coral crush, 07 cocoa "
    "nude, 08 hot fuchsia, 09 terracotta, 10 plum",
    "foundation": "porcelain, ivory, fair neutral, light beige, warm sand, natural tan, medium olive, golden "
    "caramel, honey, chestnut, deep espresso, mocha",
    "mascara": "black, soft black, brown, midnight blue",
    "palette": "nudes, warm sunset, rose garden, smoky, peach, jewel tones, earth tones",
    "nails": "nude pink, cherry red, glitter gold, milky white, lilac, sage green, black, cat eye purple, french "
    "white, baby blue, coral, hot pink",
    "gadget": "black, white, midnight blue, rose gold, grey, red, army green, lavender, sand",
    "gadget_few": "black, white, silver, space grey, blue, red, pink",
    "case": "black, clear, navy, pink, sage green, purple, red, matte grey, light blue, starlight, brown, mint green",
    "backdrop": "white, black, chroma green, grey texture, blue sky, brick wall, pink floral, balloon garland, "
    "rustic wood",
    "upholstery": "grey, beige, navy, emerald green, dark grey, mustard, blush pink, black, teal, cream, brown, "
    "light blue",
    "frame": "black, white, grey, dark grey, beige, brown, espresso, navy",
    "wood": "walnut, rustic brown, white, black, oak, espresso, grey wash, natural, cherry",
    "office": "black, grey, white, black and red, blue, brown, pink",
    "linen": "white, light grey, navy, sage green, ivory, dusty blue, charcoal, blush, taupe, burgundy, teal, "
    "mustard yellow, terracotta",
    "rug": "grey, ivory, navy and ivory, rust, blue multi, beige, black and white, sage, charcoal, red multi",
    "shower": "white, navy, grey, sage, black stripe, blue ombre, eucalyptus green, terracotta arches, pink",
    "decor": "white, black, beige, sage green, grey, terracotta, blue, cream, brass",
    "metal": "black, gold, brushed nickel, silver, bronze, antique brass",
    "art": "blue abstract, misty forest, ocean waves, sunflower field, black and gold, mountain lake, pink "
    "peonies, city skyline, desert sunset",
    "bottle": "black, white, navy, forest green, blush, teal, purple fade, sand, ocean blue, red",
    "outdoor": "navy, red, tan, forest green, turquoise, orange, striped blue, light grey, lime",
    "light": "warm white, cool white, multicolor",
    "hair_scent": "coconut vanilla, lavender, rosemary mint, citrus, rose, unscented, almond, green tea",
    "deodorant": "lavender and sage, unscented, cedar and juniper, coconut vanilla, bergamot, eucalyptus mint, "
    "rose, sandalwood",
    "body": "lavender, vanilla, coconut, rose, eucalyptus, citrus, unscented, cherry blossom, oatmeal and honey, "
    "sea salt",
    "perfume": "jasmine and musk, white tea, amber and vanilla, fig leaf, cedar and bergamot, rose and oud, sea "
    "salt, orange blossom",
    "oils": "lavender, tea tree, eucalyptus, peppermint, lemongrass, sweet orange, frankincense, variety set",
    "candle": "vanilla bean, lavender, sandalwood, cinnamon apple, sea salt and sage, eucalyptus, fresh linen, "
    "fig, balsam fir, pumpkin spice",
    "mint": "fresh mint, peppermint, cinnamon, bubble gum, spearmint, lemon mint, wintergreen, watermelon",
    "trail": "tropical, mountain, dark chocolate cranberry, omega, honey roasted, sweet and spicy, berry almond, "
    "classic",
    "jerky": "original, teriyaki, peppered, sweet chipotle, hickory smoke, habanero, honey barbecue, garlic and herb",
    "popcorn": "sea salt, butter, white cheddar, caramel, kettle, sea salt and vinegar, jalapeno, truffle, "
    "cinnamon sugar",
    "bar": "peanut butter chocolate, cookie dough, salted caramel, almond coconut, blueberry, mint chocolate, "
    "birthday cake, lemon, double chocolate",
    "cracker": "sea salt, rosemary and olive oil, cheddar, everything, cracked pepper, tomato basil, garlic and "
    "herb, sesame",
    "coffee": "medium roast, dark roast, french roast, hazelnut, vanilla, caramel, breakfast blend, espresso, "
    "light roast",
    "tea": "original, jasmine, mint, lemon ginger, peach, honey, pomegranate, mango, toasted rice",
    "fizz": "lime, grapefruit, black cherry, peach, lemon, raspberry, mango, cucumber, variety pack, blood orange",
    "mixer": "margarita, bloody mary, mojito, moscow mule, old fashioned, strawberry daiquiri, paloma, pina "
    "colada, espresso martini",
    "cocoa": "classic, dark chocolate, salted caramel, peppermint, mexican spice, white chocolate, hazelnut",
    "oil": "original, garlic, lemon, basil, chili, rosemary, white truffle",
    "sauce": "tomato basil, arrabbiata, roasted garlic, vodka style, puttanesca, mushroom, roasted pepper, four herb",
    "spice": "garlic and herb, lemon pepper, cajun, everything bagel, smoky barbecue, taco, steakhouse, chili "
    "lime, mediterranean",
    "pasta": "penne, spaghetti, fusilli, rigatoni, elbows, linguine, farfalle, casarecce",
    "cookie": "chocolate chip, lemon, snickerdoodle, ginger, oatmeal raisin, double chocolate, peanut butter, "
    "vanilla, maple",
    "choc": "plain, sea salt, almond, orange, mint, raspberry, hazelnut, coffee, chili",
    "gummy": "bears, peach rings, sour worms, assorted fruit, watermelon, cherry, tropical, mixed berry, apple",
    "bake": "original, chocolate, blueberry, banana, vanilla, pumpkin, cinnamon, lemon poppy seed",
    "fruit": "mango, strawberry, apple, banana, pineapple, blueberry, apricot, cherry, mixed berry, peach",
    "switches": "red switches, brown switches, blue switches",
    "core": "intel core i5, intel core i7, intel core i3, quad core, amd ryzen 5, intel celeron",
    "zoom": "8x optical zoom, 3x zoom, 16x digital zoom, 1080p video, 4k video, 20 megapixels",
    "lights": "1 light, 2 lights, 3 lights, 4 lights, 6 lights",
    "party": "baby shower, happy birthday, pink and gold, blue and white, dinosaur, unicorn, wedding, star wars",
    "firmness": "medium, firm, plush, medium firm",
}
"""Unordered pools: a product offers a few of these."""

_RANKED: dict[str, str] = {
    "alpha_few": "small, medium, large, x-large",
    "liquid_more": "1 ounce, 2 ounce, 2.6 ounce, 3.4 ounce, 4 ounce, 6 ounce, 8 ounce, 8.5 fl oz, 12 ounce, 16 ounce, "
    "32 ounce",
    "snack_more": "1 ounce, 2.6 ounce, 3.5 ounce, 4 ounce, 6 ounce, 8 ounce, 9 ounce, 12 ounce, 15 ounce, 1 pound, "
    "2 pound, 3 pound, 5 pound",
    "tea_more": "20 count, 24 count, 32 count, 48 count, 50 count, 100 count",
    "ram_more": "4gb ram | 128gb ssd, 8gb ram | 256gb ssd, 16gb ram | 256gb ssd, 16gb ram | 512gb ssd, "
    "32gb ram | 512gb ssd, 32gb ram | 1tb ssd, 64gb ram | 2tb ssd",
    "backdrop_more": "5x3 ft, 6x4 ft, 7x5 ft, 8x6 ft, 10x7 ft, 10x8 ft",
    "rug_more": "2 ft x 3 ft, 3 ft x 5 ft, 4 ft x 6 ft, 5 ft x 7 ft, 6 ft x 9 ft, 8 ft x 10 ft, 9 ft x 12 ft",
    "curtain_more": "38 x 45 inch, 42 x 63 inch, 52 x 63 inch, 52 x 84 inch, 52 x 108 inch, 70 x 84 inch",
    "bed_more": "twin, twin xl, full, full xl, queen, king",
    "bulbs": "1 light, 2 light, 3 light, 4 light, 6 light, 8 light, 12 light",
    "glasses": "52 millimeters, 54 millimeters, 56 millimeters, 58 millimeters",
    "alpha": "x-small, small, medium, large, x-large, xx-large, 3x-large, 4x-large",
    "alpha_w": "x-small, small, medium, large, x-large, xx-large, 3x-large",
    "neck": "14.5 neck 32-33 sleeve, 15 neck 32-33 sleeve, 15.5 neck 34-35 sleeve, 16 neck 34-35 sleeve, 16.5 "
    "neck 34-35 sleeve, 17 neck 36-37 sleeve, "
    "18 neck 36-37 sleeve",
    "waist": "29w x 30l, 30w x 30l, 31w x 32l, 32w x 30l, 32w x 32l, 33w x 32l, 34w x 32l, 36w x 30l, 36w x 34l, "
    "38w x 32l, 40w x 32l, 42w x 30l",
    "shoe_m": "7, 7.5, 8, 8.5, 9, 9.5, 10, 10.5, 11, 11.5, 12, 13, 14",
    "shoe_w": "5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5, 10, 11",
    "shoe_whole": "7-8, 9-10, 11-12, 13-14",
    "belt_size": "28-30 inches, 32-34 inches, 36-38 inches, 40-42 inches, 44-46 inches",
    "inseam": "26 inches, 28 inches, 30 inches, 32 inches, 34 inches",
    "packs": "pack of 1, pack of 2, pack of 3, pack of 4, pack of 6",
    "packs_small": "pack of 1, pack of 2, pack of 3",
    "pairs": "pack of 2, pack of 4, pack of 6",
    "treatments": "7 treatments, 14 treatments, 21 treatments, 28 treatments",
    "masks": "pack of 5, pack of 10, pack of 15, pack of 24",
    "bombs": "pack of 6, pack of 9, pack of 12, pack of 16",
    "bin_packs": "pack of 3, pack of 4, pack of 6, pack of 8",
    "light_packs": "pack of 4, pack of 6, pack of 8, pack of 12",
    "liquid": "3 fl oz, 8 fl oz, 12 fl oz, 16 fl oz, 24 fl oz, 32 fl oz",
    "small_liquid": "1 fl oz, 2 fl oz, 4 fl oz",
    "jar": "1.7 ounce, 4 ounce, 8 ounce, 12 ounce",
    "powder": "1.2 ounce, 2 ounce, 4 ounce",
    "paste": "2 ounce (pack of 1), 4 ounce (pack of 1), 4 ounce (pack of 2), 4 ounce (pack of 3)",
    "sun": "1.7 fl oz, 3 fl oz, 5 fl oz, 8 fl oz",
    "perfume_size": "0.34 fl oz, 1 fl oz, 1.7 fl oz, 3.4 fl oz",
    "oil_set": "0.33 fl oz (pack of 3), 0.33 fl oz (pack of 6), 0.33 fl oz (pack of 12), 1 fl oz (pack of 3)",
    "hair_length": "12 inch, 14 inch, 16 inch, 18 inch, 20 inch, 22 inch, 24 inch",
    "wig_length": "10 inch, 12 inch, 14 inch, 18 inch, 24 inch",
    "barrel": "0.75 inch, 1 inch, 1.25 inch, 1.5 inch",
    "brushes": "8 piece, 12 piece, 15 piece, 18 piece",
    "nail_shape": "short almond, medium almond, long coffin, short square, long stiletto",
    "soundbar": "16 inch, 24 inch, 32 inch, 36 inch",
    "phone": "5.4 inch, 6.1 inch, 6.4 inch, 6.7 inch, 6.8 inch",
    "ram": "4gb ram | 64gb, 8gb ram | 128gb, 8gb ram | 256gb, 16gb ram | 512gb, 16gb ram | 1tb, 32gb ram | 1tb",
    "foot": "3 ft, 6 ft, 10 ft, 15 ft, 25 ft, 50 ft, 100 ft",
    "screen": "60 inch, 72 inch, 84 inch, 100 inch, 120 inch, 150 inch",
    "tables": "31.5 inch, 35.4 inch, 39.4 inch, 43.3 inch, 47.2 inch, 55 inch",
    "window": "23w x 64h, 27w x 72h, 31w x 64h, 35w x 72h, 39w x 48h, 52w x 84h",
    "toppers": "pack of 6, pack of 12, pack of 24, pack of 36, pack of 48",
    "cable": "1.5 feet, 3 feet, 6 feet, 10 feet",
    "mah": "5000 mah, 10000 mah, 20000 mah, 26800 mah",
    "watch": "38 millimeters, 41 millimeters, 42 millimeters, 44 millimeters, 45 millimeters, 49 millimeters",
    "ports": "4 ports, 6 ports, 7 ports, 8 ports, 10 ports",
    "ssd": "250 gb, 500 gb, 1 tb, 2 tb, 4 tb",
    "tripod": "50 inches, 55 inches, 62 inches, 67 inches, 72 inches",
    "ring": "8 inch, 10 inch, 12 inch, 14 inch, 18 inch",
    "backdrop_size": "3 by 5 feet, 5 by 7 feet, 6 by 9 feet, 8 by 10 feet, 10 by 12 feet",
    "hdmi": "3 feet, 6 feet, 10 feet, 15 feet, 25 feet, 50 feet",
    "tvmount": "13 to 32 inches, 32 to 55 inches, 37 to 75 inches, 50 to 90 inches",
    "antenna": "10 feet cable, 13 feet cable, 17 feet cable",
    "tablet": "8 inch, 10.2 inch, 10.9 inch, 11 inch, 12.9 inch",
    "table": "31.5 inches, 36 inches, 41.7 inches, 47.2 inches",
    "ottoman": "15 inches, 24 inches, 30 inches, 43 inches, 48 inches",
    "tv": "44 inches, 52 inches, 58 inches, 65 inches, 70 inches",
    "tiers": "3 tier, 4 tier, 5 tier, 6 tier",
    "bed": "twin, twin xl, full, queen, king, california king",
    "bed_large": "twin, full, queen, king, california king",
    "throw": "30 by 40 inches, 50 by 60 inches, 60 by 80 inches, 90 by 90 inches",
    "pillow": "12 by 20 inches, 16 by 16 inches, 18 by 18 inches, 20 by 20 inches, 22 by 22 inches, 24 by 24 inches",
    "curtain": "42w by 63l inches, 42w by 84l inches, 52w by 63l inches, 52w by 84l inches, 52w by 95l inches, "
    "52w by 108l inches",
    "rug_size": "2 by 3 feet, 2 by 8 feet, 3 by 5 feet, 4 by 6 feet, 5 by 7 feet, 6 by 9 feet, 8 by 10 feet, 9 "
    "by 12 feet",
    "towel": "2 piece, 4 piece, 6 piece, 8 piece",
    "shower_size": "54w by 78l inches, 60w by 72l inches, 72w by 72l inches, 72w by 84l inches",
    "mat": "16 by 24 inches, 20 by 32 inches, 24 by 36 inches, 24 by 48 inches, 24 by 60 inches",
    "lights": "1 light, 3 light, 4 light, 5 light",
    "mirror": "20 inches, 24 inches, 30 inches, 32 by 71 inches, 22 by 65 inches",
    "canvas": "12 by 16 inches, 16 by 24 inches, 20 by 30 inches, 24 by 36 inches, 30 by 45 inches",
    "candle_size": "4 ounce, 8 ounce, 10 ounce, 14 ounce, 20 ounce",
    "bottle_size": "12 ounce, 18 ounce, 24 ounce, 32 ounce, 40 ounce, 64 ounce",
    "board": "11 by 8 inches, 14 by 10 inches, 16 by 11 inches, 18 by 12 inches, 20 by 15 inches",
    "bin": "10.5 inches, 11 inches, 13 inches, 15 inches",
    "umbrella": "7.5 feet, 9 feet, 10 feet, 11 feet",
    "pot": "4 inches, 6 inches, 8 inches, 10 inches, 12 inches",
    "snack": "5 ounce (pack of 1), 5 ounce (pack of 4), 8 ounce (pack of 1), 8 ounce (pack of 3), 12 ounce (pack of 6)",
    "jerky_size": "3 ounce (pack of 1), 3 ounce (pack of 4), 8 ounce (pack of 1), 16 ounce (pack of 1)",
    "bars": "pack of 6, pack of 12, pack of 18, pack of 24",
    "coffee_size": "12 ounce (pack of 1), 12 ounce (pack of 2), 12 ounce (pack of 3), 2 pound (pack of 1), 5 "
    "pound (pack of 1)",
    "tea_size": "20 count (pack of 1), 20 count (pack of 6), 100 count (pack of 1)",
    "cans": "12 fl oz (pack of 8), 12 fl oz (pack of 12), 12 fl oz (pack of 24)",
    "mixer_size": "8 fl oz (pack of 1), 16 fl oz (pack of 1), 16 fl oz (pack of 2), 32 fl oz (pack of 1)",
    "cocoa_size": "10 ounce (pack of 1), 10 ounce (pack of 3), 1.5 pound (pack of 1)",
    "pasta_size": "1 pound (pack of 1), 1 pound (pack of 4), 1 pound (pack of 6), 1 pound (pack of 12)",
    "rice": "2 pound (pack of 1), 5 pound (pack of 1), 10 pound (pack of 1), 25 pound (pack of 1)",
    "oil_size": "8.5 fl oz (pack of 1), 17 fl oz (pack of 1), 17 fl oz (pack of 2), 34 fl oz (pack of 1)",
    "sauce_size": "16 ounce (pack of 1), 24 ounce (pack of 1), 24 ounce (pack of 3), 24 ounce (pack of 6)",
    "spice_size": "2.5 ounce (pack of 1), 2.5 ounce (pack of 3), 5 ounce (pack of 1), 12 ounce (pack of 1)",
    "chocolate": "2.8 ounce (pack of 1), 2.8 ounce (pack of 6), 2.8 ounce (pack of 12), 1 pound (pack of 1)",
    "candy": "5 ounce (pack of 1), 8 ounce (pack of 2), 1 pound (pack of 1), 3 pound (pack of 1), 5 pound (pack of 1)",
    "mix": "12 ounce (pack of 1), 12 ounce (pack of 3), 16 ounce (pack of 2), 3 pound (pack of 1)",
    "fruit_size": "1.2 ounce (pack of 1), 1.2 ounce (pack of 8), 8 ounce (pack of 1), 1 pound (pack of 1)",
}
"""Pools in order of size: a product offers a run of neighbours, and larger ones may cost more."""

PRICED = frozenset(("size", "item package quantity", "capacity"))
"""Options whose value may move the price, outside fashion."""

_UNFIT: dict[str, tuple[str, ...]] = {
    "nut free": ("peanut", "almond", "hazelnut", "coconut"),
    "dairy free": ("cheddar", "white chocolate", "butter", "vodka style"),
    "plant based": ("cheddar", "honey", "butter", "vodka style", "bears"),
    "sugar free": ("honey", "honey roasted", "maple"),
    "keto friendly": ("honey", "maple"),
    "low sodium": ("sea salt",),
    "low calorie": ("butter", "caramel", "cookie"),
    "caffeine free": ("coffee", "espresso"),
    "big and tall": ("small", "medium"),
    "faux suede": ("satin",),
    "stainless steel": ("pink", "mint green", "purple"),
}
"""Attribute to words that must not occur in the values of a product that has it."""

_WITHOUT: dict[str, tuple[str, ...]] = {
    "fragrance free": ("scent",),
    "travel size": ("size", "item package quantity"),
    "one size fits most": ("size",),
}
"""Attribute to options that make no sense beside it."""


def draw_options(declared: Mapping[str, str], attributes: Sequence[str], draw: Draw) -> dict[str, list[str]]:
    """The options of one product: a share of each declared pool, some pools left out, sizes as a run without gaps.

    Args:
        declared: Pool of values by option.
        attributes: Of the product; some exclude options or values.
        draw: Where chance comes from.
    """
    barred = [word for a in attributes for word in _UNFIT.get(a, ())]
    skipped = [name for a in attributes for name in _WITHOUT.get(a, ())]
    chosen: dict[str, list[str]] = {}
    for name, pool in declared.items():
        ranked = pool in _RANKED
        values = (_RANKED if ranked else _PLAIN)[pool].split(", ")
        values = [v for v in values if not any(word in v for word in barred)]
        count = draw.between(min(4, len(values)), min(8, len(values)))
        start = draw.below(len(values) - count + 1)
        run = values[start : start + count] if ranked else draw.sample(values, count)
        if run and name not in skipped and not draw.chance(0.1):
            chosen[name] = run
    return chosen
