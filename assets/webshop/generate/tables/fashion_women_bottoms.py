"""Women's bottoms and what is worn beneath: one category of the fashion department."""

from agentgym.assets.webshop.generate.model import Category, Kind
from agentgym.assets.webshop.generate.tables.fashion_features import CLOTHING

WOMENS_BOTTOMS = Category(
    "fashion",
    "Clothing, Shoes & Jewelry › Women › Bottoms & Active",
    "clothing",
    ("Zephira", "KINVELLE", "Move Marlowe", "Tessavie", "Coralind", "YOVANTE", "Brisa Norte", "Hallowen", "Quillea"),
    (
        Kind(
            "women's leggings",
            "Leggings; Yoga Pants; Workout Leggings; Yoga Leggings",
            "leggings",
            "Active › Active Leggings",
            25,
            "high waist, tummy control, squat proof, side pockets, moisture wicking, !gym workouts|everyday wear, "
            "machine washable, stretchy, polyester spandex|cotton spandex, fleece lined",
            {"color": "active", "size": "alpha_w"},
            {
                "7/8 Length": "7/8 length ends just above the ankle bone.",
                "Capri": "Capri length stops mid-calf for warm studios.",
                "Full Length": "Full length, with enough fabric for long legs.",
                "Hidden Waist Pocket": "A hidden waist pocket holds one key.",
            },
            "Yoga, Running, Pilates, Cycling",
            (
                "Leggings you can bend in, without a second thought about who is behind you.",
                "Soft, second-skin leggings for the studio and the school run.",
            ),
            (
                "They stay up during burpees.",
                "squat proof> Soft as butter and not see-through.",
                "side pockets> The phone pocket actually fits my phone.",
            ),
            ("Rolled down every time I squatted.", "Pilled after two washes."),
            plural=True,
            clashes=(
                "7/8 length, capri, full length",
                "fleece lined, moisture wicking",
                "capri, fleece lined",
                "squat proof, fleece lined",
                "yoga pants, workout leggings",
            ),
        ),
        Kind(
            "women's sports bras",
            "Sports Bra; Racerback Sports Bra; Yoga Bra; Workout Bra",
            "sports bra",
            "Lingerie › Sports Bras",
            21,
            "!removable padding, adjustable straps, moisture wicking, quick drying, gym workouts, machine washable, "
            "stretchy, breathable, polyester spandex, tagless",
            {"color": "active", "size": "alpha_w", "item package quantity": "packs_small"},
            {
                "High Impact": "High impact support that was tested on trampolines.",
                "Strappy Back": "A strappy back that looks good under an open tank.",
                "Wide Underband": "The wide underband spreads pressure and stays flat.",
                "Front Zip": "Front zip with a hook behind it, for easy off.",
            },
            "Running, Yoga, High Impact Training, Gym",
            (
                "Support first, looks a close second.",
                "A sports bra that holds without leaving marks.",
            ),
            (
                "No bounce on my 10k.",
                "Easy to get out of when sweaty.",
                "The band does not roll.",
            ),
            ("The pads bunch up in the wash.", "Not enough support above a D cup."),
            clashes=(
                "strappy back, racerback sports bra",
                "front zip, strappy back",
                "high impact, adjustable straps",
                "yoga bra, high impact",
            ),
        ),
        Kind(
            "women's wide leg pants",
            "Wide Leg Pants; Palazzo Pants; Wide Leg Trousers",
            "pants",
            "Pants",
            30,
            "high waist, elastic waistband, !side pockets, drawstring closure, loose fit, lightweight, linen "
            "blend|stretchy, "
            "machine washable, casual wear|everyday wear, wrinkle free",
            {"color": "womens", "size": "alpha_w", "inseam": "inseam"},
            {
                "Pleated Front": "Pressed pleats at the front keep the line long.",
                "Cropped": "Cropped to show the ankle.",
                "Smocked Waist": "The smocked waist pulls on with no zipper.",
                "Paperbag Waist": "Gathered paperbag waist with a loose belt.",
            },
            "Work, Beach, Travel, Summer",
            (
                "Swishy pants that pass the office dress code.",
                "Cool, floaty and forgiving after lunch.",
            ),
            (
                "So airy, it is like wearing a skirt.",
                "The length options are great for short women.",
                "Perfect for my trip to Portugal.",
            ),
            ("They wrinkle the minute you sit.", "Way too long for me at 5'2\"."),
            plural=True,
            clashes=(
                "cropped, inseam",
                "pleated front, smocked waist, paperbag waist",
                "elastic waistband, pleated front",
                "drawstring closure, pleated front",
                "smocked waist, drawstring closure",
                "linen blend, wrinkle free",
                "paperbag waist, drawstring closure",
            ),
        ),
        Kind(
            "women's one piece swimsuits",
            "One Piece Swimsuit; Bathing Suit; One Piece Bathing Suit; Monokini",
            "swimsuit",
            "Swimsuits › One-Pieces",
            33,
            "!tummy control, removable padding, adjustable straps, quick drying, v neck, hand wash only, "
            "stretchy, uv protective, fade resistant",
            {"color": "prints", "size": "alpha_w"},
            {
                "Ruched Sides": "Ruched sides draw the eye in.",
                "Lace Up Back": "The lace up back adjusts to your shape.",
                "High Cut Leg": "High cut leg for a longer look.",
                "Mesh Panel": "A mesh panel at the neckline gives coverage with a little interest.",
            },
            "Beach, Pool, Vacation, Swim Class",
            (
                "A suit you can chase a toddler in.",
                "Feel held in, not squeezed, from poolside to the waves.",
            ),
            (
                "It hides everything I want hidden.",
                "Did laps in it and nothing moved.",
                "Bright color, no fading after chlorine.",
            ),
            ("Cut too short in the torso.", "removable padding> The cups floated when wet."),
            clashes=(
                "v neck, mesh panel",
                "monokini, tummy control",
            ),
        ),
    ),
    (
        "Four-needle flat seams do not rub.",
        "Sizes follow the chart in the photos, not your usual store.",
        "A favorite gift for [new moms|yoga friends|vacation birthdays].",
        "Matching pieces are sold separately.",
    ),
    (
        "Tested on real bodies in six sizes before we cut the first batch.",
        "Wash with like colors and skip the softener.",
        "If anything pinches or slides, we will exchange {them}.",
    ),
    (
        "I am 5'6\" and my usual size fits like a glove.",
        "Better than my expensive pair.",
        "I ordered two more colors the same day.",
        "Held up to twice-a-week washing.",
        "Comfortable from morning to night.",
    ),
    (
        "The smell out of the bag was awful.",
        "Seams started to pop after three wears.",
        "The size chart lies, go up one.",
        "The color bled in the wash.",
    ),
    CLOTHING,
)

CATEGORIES = (WOMENS_BOTTOMS,)
