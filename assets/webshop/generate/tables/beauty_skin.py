"""Skin care and makeup: two categories of the beauty department."""

from agentgym.assets.webshop.generate.model import Category, Kind
from agentgym.assets.webshop.generate.tables.beauty_features import FORMULA

SKIN_CARE = Category(
    "beauty",
    "Beauty & Personal Care › Skin Care",
    "beauty",
    (
        "DERMALUNE",
        "Mossgarden",
        "Elowyn Skin",
        "Clair Fjord",
        "SEABLOOM",
        "Apothecary Nine Elms",
        "Rosemere",
        "Hydrisse",
        "Lumenskin",
    ),
    (
        Kind(
            "face moisturizer",
            "Face Moisturizer; Facial Cream; Daily Face Cream; Night Cream",
            "moisturizer",
            "Face › Creams & Moisturizers",
            21,
            "!dry skin|oily skin|sensitive skin, hyaluronic acid, anti aging, fine lines, fragrance free, "
            "paraben free, oil free, cruelty free, "
            "dermatologist tested, shea butter|aloe vera, non greasy, vitamin c",
            {"size": "jar"},
            {
                "With Ceramides": "Ceramides help rebuild the moisture barrier.",
                "Gel Cream": "Gel cream texture, cool to the touch.",
                "Airless Pump": "The airless pump keeps fingers out and air away.",
                "Day and Night": "One jar for day and night.",
            },
            "Men and Women, Morning and Night, Mature Skin, Combination Skin",
            (
                "Skin that drinks, not skin that shines.",
                "A quiet daily cream that gets along with sunscreen and makeup.",
            ),
            (
                "My flaky patches are gone.",
                "Sinks in before I finish brushing my teeth.",
                "Makeup sits better over it.",
            ),
            ("Pills under sunscreen.", "I got small bumps after three days."),
            clashes=("oily skin, shea butter", "oil free, shea butter", "night cream, day and night"),
        ),
        Kind(
            "vitamin c serum",
            "Vitamin C Serum; Face Serum; Brightening Serum; Facial Serum",
            "serum",
            "Face › Serums",
            19,
            "!vitamin c, hyaluronic acid, anti aging, fine lines, dark circles, cruelty free, fragrance free, "
            "paraben free, sensitive skin|dry skin|oily skin, "
            "plant based, natural ingredients, oil free",
            {"size": "small_liquid"},
            {
                "15 Percent": "15 percent active vitamin, the range most skins tolerate.",
                "With Ferulic Acid": "Ferulic acid keeps the formula from going brown.",
                "Glass Dropper": "Dark glass dropper bottle.",
                "With Niacinamide": "Niacinamide evens and calms.",
            },
            "Face and Neck, Dull Skin, Dark Spots, Daily Use",
            ("Orange juice for tired faces.", "A light serum that takes a week to notice and a month to love."),
            ("My dark spots are fading.", "No sticky film.", "I look like I slept."),
            ("Turned brown in two weeks.", "Tingles too much for me."),
        ),
        Kind(
            "face sunscreen",
            "Face Sunscreen; Mineral Sunscreen; Sunscreen Lotion; Sun Stick",
            "sunscreen",
            "Sun › Sunscreens",
            16,
            "!broad spectrum protection, water resistant, fragrance free, oil free, sensitive skin|oily skin|dry "
            "skin, non greasy, dermatologist tested, paraben free, "
            "cruelty free, travel size, hypoallergenic",
            {"size": "sun"},
            {
                "No White Cast": "Sheer zinc, no white cast.",
                "Reef Friendly": "Reef friendly, free of oxybenzone.",
                "Tinted": "A universal tint blurs redness.",
                "Under Makeup": "Works as a primer under makeup.",
            },
            "Face, Kids, Beach, Daily Use",
            ("The best anti-wrinkle step costs less than lunch.", "A sunscreen you will actually wear on a Tuesday."),
            ("No burn after a day on the boat.", "Does not sting my eyes.", "Invisible on my brown skin."),
            ("Leaves a purple cast.", "Greasy by noon."),
            mass=True,
            clashes=("tinted, sun stick",),
        ),
        Kind(
            "sheet masks",
            "Sheet Masks; Facial Mask Sheets; Face Mask Pack; Hydrating Sheet Mask Set",
            "sheet masks",
            "Face › Masks",
            15,
            "!hyaluronic acid|aloe vera|vitamin c, dry skin|sensitive skin|oily skin, cruelty free, paraben "
            "free, alcohol free, natural ingredients, easy to use, "
            "fine lines, plant based, fragrance free",
            {"item package quantity": "masks"},
            {
                "Biodegradable Cotton": "Biodegradable cotton that clings without dripping.",
                "Individually Wrapped": "Individually wrapped, good for sharing.",
                "Collagen": "Marine collagen for bounce.",
                "Variety Set": "A variety set, so you can match the mask to the mood.",
            },
            "Women, Spa Night, Travel, Sleepovers",
            (
                "Fifteen minutes lying down, and a good excuse for it.",
                "Drenched sheets, thin enough to follow the nose.",
            ),
            ("Glass skin for a day.", "Plenty of serum left for my neck.", "Fun girls' night gift."),
            ("Too small for my face.", "Dripped all over."),
            plural=True,
            clashes=("collagen, plant based",),
        ),
        Kind(
            "body lotion",
            "Body Lotion; Body Cream; Body Butter; Moisturizing Lotion",
            "lotion",
            "Body › Moisturizers › Lotions",
            13,
            "!dry skin|sensitive skin, shea butter|coconut oil|aloe vera, fragrance free, non greasy, paraben "
            "free, cruelty free, natural ingredients, certified organic, "
            "dermatologist tested, hypoallergenic, travel size",
            {"scent": "body", "size": "liquid"},
            {
                "With Colloidal Oatmeal": "Colloidal oatmeal takes the itch away.",
                "Fast Absorbing": "Dress right after: it is fast absorbing.",
                "Pump Bottle": "Pump bottle with a lock.",
                "For Hands and Body": "One bottle for hands and body.",
            },
            "Winter, Hands and Feet, Men and Women, Eczema Prone Skin",
            ("For elbows, shins, and everything winter does to them.", "Soft skin without the slip."),
            ("My hands stopped cracking.", "The smell is faint and nice.", "A pump lasts two days of softness."),
            ("Watery.", "Sticky in summer."),
            mass=True,
            clashes=("body butter, pump bottle", "body butter, non greasy", "body butter, fast absorbing"),
        ),
    ),
    (
        "Made in small lots, with batch and date on every pack.",
        "Tested for stability in hot and cold.",
        "Full refund if your skin says no.",
        "Wrapped in recycled paper, ready to give.",
    ),
    ("Patch test on the inner arm first.", "Use with sunscreen by day.", "A little goes a long way."),
    (
        "My skin is so soft.",
        "No breakouts.",
        "I have already reordered.",
        "Bought {them} for my mom and she is happy.",
        "Great for the price.",
    ),
    ("Broke me out.", "Smells off.", "Seal was open when it came.", "Expected more for the money."),
    FORMULA,
)


MAKEUP = Category(
    "beauty",
    "Beauty & Personal Care › Makeup",
    "beauty",
    (
        "Pomelisse",
        "VANTABLUSH",
        "Fayecorsa",
        "Rougemont Lane",
        "Opalique",
        "MUSEBOUND",
        "Petal Riot",
        "Inkwell Beauty",
        "Solenne",
    ),
    (
        Kind(
            "liquid lipstick",
            "Liquid Lipstick; Matte Lipstick; Lip Stain; Lipstick",
            "lipstick",
            "Lips › Lipstick",
            10,
            "!long lasting, highly pigmented, smudge proof, cruelty free, paraben free, non toxic, easy to "
            "apply, shea butter|coconut oil|aloe vera, fragrance free",
            {"color": "lips"},
            {
                "Matte Finish": "Velvet matte finish that does not crack.",
                "Doe Foot Wand": "A slanted doe foot wand draws a clean edge.",
                "Transfer Proof": "Kiss the cup: transfer proof once dry.",
                "With Vitamin E": "Vitamin E keeps lips from drying out.",
            },
            "Women, Weddings, Everyday, Parties",
            ("One coat, one lunch, still on.", "Color that behaves itself on coffee cups."),
            ("Lasted through tacos.", "The shade is exactly what I hoped.", "Not drying."),
            ("Crumbled by lunchtime.", "Much pinker than pictured."),
        ),
        Kind(
            "foundation makeup",
            "Liquid Foundation; Foundation Makeup; Full Coverage Foundation; Cushion Foundation",
            "foundation",
            "Face › Foundation",
            16,
            "!oily skin|dry skin|sensitive skin, oil free, long lasting, cruelty free, fragrance free, paraben "
            "free, hyaluronic acid, easy to apply, dermatologist tested, fine lines",
            {"color": "foundation"},
            {
                "Buildable Coverage": "Buildable coverage, from sheer to full.",
                "Natural Finish": "A natural finish, between dewy and matte.",
                "Pump": "With a pump that stops when you do.",
                "SPF 15": "SPF 15 for the walk to the bus.",
            },
            "Women, Mature Skin, Everyday, Photos",
            ("Your skin, on a good day.", "Evens things out and leaves the freckles."),
            ("Matches my neck, finally.", "Did not settle into lines.", "Looks like skin, even in daylight."),
            ("Oxidized to orange.", "Cakey around my nose."),
            mass=True,
        ),
        Kind(
            "mascara",
            "Mascara; Volumizing Mascara; Lengthening Mascara; Tubing Mascara",
            "mascara",
            "Eyes › Mascara",
            11,
            "!smudge proof|long lasting, long lasting, cruelty free, hypoallergenic, paraben free, easy to "
            "apply, fragrance free, natural ingredients, non toxic",
            {"color": "mascara", "item package quantity": "packs_small"},
            {
                "Curved Brush": "Curved brush lifts from the root.",
                "Fiber Lashes": "Tiny fibers add length.",
                "Comes Off With Warm Water": "Slides away in tubes with warm water.",
                "For Contact Lens Wearers": "Ophthalmologist reviewed for contact lens wearers.",
            },
            "Women, Sensitive Eyes, Everyday, Short Lashes",
            ("Longer lashes, no raccoon eyes.", "A wand that reaches the tiny corner ones."),
            ("My lashes look fake, in a good way.", "No flakes at midnight.", "Did not irritate my eyes."),
            ("Clumpy from day one.", "Dried out in a month."),
        ),
        Kind(
            "eyeshadow palette",
            "Eyeshadow Palette; Eye Shadow Palette; Nude Eyeshadow Palette; Glitter Eyeshadow",
            "palette",
            "Eyes › Eyeshadow",
            14,
            "!highly pigmented, long lasting, cruelty free, easy to apply, paraben free, travel size, smudge "
            "proof, non toxic, hypoallergenic",
            {"color": "palette"},
            {
                "18 Shades": "18 shades, half matte, half shimmer.",
                "With Mirror": "Full-width mirror in the lid.",
                "9 Colors": "9 colors that all go together.",
                "Magnetic Case": "Closes with a magnet.",
            },
            "Beginners, Brides, Travel, Gifts",
            ("All the shades you use, none of the neon you do not.", "Soft powders that blend without dust."),
            ("Barely any fallout.", "So smooth.", "Great gift for my niece."),
            ("A pan arrived shattered.", "The dark shades are patchy."),
            clashes=("18 shades, 9 colors",),
        ),
        Kind(
            "nail polish set",
            "Nail Polish Set; Gel Nail Polish Kit; Nail Polish; Gel Polish Set",
            "nail polish",
            "Nails › Nail Polish",
            15,
            "!non toxic, long lasting, cruelty free, easy to apply, highly pigmented, easy to use, travel size, "
            "paraben free",
            {"color": "nails"},
            {
                "6 Colors": "6 colors in a slim box.",
                "Quick Dry": "Quick dry in about a minute.",
                "Top Coat Included": "Glossy top coat included.",
                "Wide Brush": "Wide brush, three strokes a nail.",
            },
            "Home Manicure, Girls, Summer, Gifts",
            ("A manicure during one episode.", "Shiny, even color that lasts a week of dishes."),
            ("Two coats and done.", "No chips for eight days.", "Shades are true to the bottle."),
            ("Bubbled as it dried.", "Peeled off in one piece the next day."),
            mass=True,
        ),
    ),
    (
        "Swatches were photographed on three skin tones in daylight.",
        "A little gift for [bridesmaids|teens|yourself].",
        "Sealed and dated; use within twelve months of opening.",
        "Comes in a soft box with a recyclable tray.",
    ),
    (
        "Pairs well with the other shades in the line.",
        "Remove with any oil cleanser.",
        "If the shade is wrong we swap it.",
    ),
    (
        "The color payoff is amazing.",
        "Lasts all day at work.",
        "Looks expensive.",
        "I bought two more shades.",
        "Perfect for my daughter's recital.",
    ),
    ("Shade was not as pictured.", "Dried out.", "Irritated my skin.", "Arrived leaking."),
    FORMULA,
)


CATEGORIES = (SKIN_CARE, MAKEUP)
