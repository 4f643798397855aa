"""Jackets and accessories: two categories of the fashion department."""

from agentgym.assets.webshop.generate.model import Category, Kind
from agentgym.assets.webshop.generate.tables.fashion_features import CLOTHING
from agentgym.assets.webshop.generate.tables.fashion_wear_features import CARRY

OUTER = Category(
    "fashion",
    "Clothing, Shoes & Jewelry › Outerwear",
    "clothing",
    ("NORTHVEIL", "Galebrook", "Fjellhaus", "Summit & Sedge", "TARNWICK", "Averill Coat Co", "Kestrova", "Polarlane"),
    (
        Kind(
            "women's puffer jackets",
            "Puffer Jacket; Quilted Jacket; Puffer Coat; Winter Jacket",
            "jacket",
            "Women › Coats & Jackets › Down & Parkas",
            64,
            "!zipper closure, hooded collar, water resistant, wind resistant, fleece lined, lightweight, side pockets, "
            "machine washable, cold weather, slim fit|regular fit, long sleeve",
            {"color": "outer", "size": "alpha"},
            {
                "Packable": "Stuffs into its own pocket.",
                "Knee Length": "Knee length, for waiting at bus stops.",
                "Detachable Hood": "Snap-off hood with a soft trim.",
                "Stand Collar": "Padded stand collar, zipped to the chin.",
            },
            "Winter, Travel, Skiing, Commuting",
            (
                "Warmth you can squash into a tote bag.",
                "A quilted jacket that does not make you look like a sleeping bag.",
            ),
            ("Toasty at ten below.", "Light, but it blocks the wind.", "side pockets> The pockets are lined!"),
            ("Feathers poke through the lining.", "The zipper catches."),
            clashes=(
                "detachable hood, stand collar, hooded collar",
                "knee length, packable",
                "knee length, lightweight",
                "fleece lined, lightweight",
                "fleece lined, packable",
            ),
        ),
        Kind(
            "men's rain jackets",
            "Rain Jacket; Hooded Rain Coat; Waterproof Shell Jacket; Windbreaker",
            "jacket",
            "Men › Jackets & Coats › Active & Performance",
            58,
            "!water resistant, wind resistant, hooded collar, zipper closure, lightweight, breathable, side pockets, "
            "quick drying, machine washable, regular fit|relaxed fit, big and tall",
            {"color": "outer", "size": "alpha"},
            {
                "Taped Seams": "Every seam is taped from the inside.",
                "Pit Zips": "Pit zips let steam out on the climb.",
                "Packable": "Packs into its chest pocket, about the size of a grapefruit.",
                "Adjustable Cuffs": "Adjustable cuffs seal over gloves.",
            },
            "Hiking, Fishing, Golf, Cycling",
            ("Rain on the roof is cozy. Rain down the neck is not.", "A shell for changeable days and long trails."),
            ("Stayed dry through a downpour at the lake.", "Vents well when you climb.", "Fits over a fleece."),
            ("Soaked through after an hour of hard rain.", "Noisy fabric."),
        ),
        Kind(
            "women's trench coats",
            "Trench Coat; Double Breasted Trench Coat; Belted Coat",
            "trench coat",
            "Women › Coats & Jackets › Trench, Rain & Anoraks",
            72,
            "!button closure, long sleeve, water resistant, wind resistant, side pockets, regular fit|slim "
            "fit|loose fit, "
            "everyday wear, lightweight, wrinkle free",
            {"color": "outer", "size": "alpha"},
            {
                "Storm Flap": "A real storm flap at the back.",
                "Removable Belt": "Removable belt with a leather-look buckle.",
                "Mid Length": "Mid length, ending at the knee.",
                "Notched Lapels": "Wide notched lapels that lie flat.",
            },
            "Work, Spring, Travel, Fall",
            (
                "Rain or no rain, it makes sweatpants look intentional.",
                "The classic coat, cut a little lighter for spring.",
            ),
            ("Classy and not stiff.", "Drapes beautifully.", "The sleeve length is right for once."),
            ("Buttons were loose on arrival.", "belt> Belt loops are sewn too high."),
            clashes=("belted coat, removable belt",),
        ),
    ),
    (
        "Two-way stretch at the elbows for [driving|throwing snowballs].",
        "Layer over a sweater; the armholes are cut for it.",
        "Inside pocket for phone or passport.",
        "Hang to dry after the wash; no dry cleaner needed.",
    ),
    (
        "Order your usual size and there is still room for a sweater.",
        "Shipped folded; a steamy bathroom takes the creases out.",
        "Questions about fit? Write to us and we measure one for you.",
    ),
    (
        "Well made for the price.",
        "Fits true with a sweater under it.",
        "Wore it all winter.",
        "The lining is silky.",
        "Color is as shown.",
    ),
    ("Arms are short.", "Boxy cut.", "Threads hanging everywhere.", "Arrived badly creased and it never came out."),
    CLOTHING,
)


ACCESSORIES = Category(
    "fashion",
    "Clothing, Shoes & Jewelry › Accessories",
    "accessories",
    (
        "Bramblique",
        "OTTERLY",
        "Sable & Strand",
        "Lumivere",
        "CARRAWICK",
        "Fennel Street",
        "Duskwood",
        "Tillarden",
        "Vandrelle",
    ),
    (
        Kind(
            "crossbody bags",
            "Crossbody Bag; Shoulder Bag; Crossbody Purse; Small Messenger Bag",
            "bag",
            "Handbags › Crossbody Bags",
            32,
            "!zipper closure|magnetic snap, adjustable strap, card slots, vegan leather|genuine leather|durable "
            "nylon, lightweight, "
            "water resistant, everyday use, fashion forward, long lasting",
            {"color": "leather"},
            {
                "Tassel": "A tassel on the pull, easy to find in the dark.",
                "RFID Blocking": "RFID blocking lining keeps card data to yourself.",
                "Quilted": "Diamond quilting on the front panel.",
                "Phone Pocket": "A slip-in phone pocket at the back.",
            },
            "Travel, Concerts, Shopping, Work",
            ("Hands free, shoulders happy.", "Big enough for the day, small enough for the dance floor."),
            (
                "Holds more than it looks.",
                "I have carried it every day since June.",
                "adjustable strap> The strap length is perfect.",
            ),
            ("adjustable strap> The strap ring bent.", "Smaller than I pictured."),
        ),
        Kind(
            "sunglasses",
            "Sunglasses; Aviator Sunglasses; Square Sunglasses; Round Sunglasses",
            "sunglasses",
            "Sunglasses & Eyewear",
            21,
            "!polarized|uv protection, uv protection, scratch resistant, lightweight, fashion forward, everyday "
            "use, long lasting",
            {"color": "lens", "size": "glasses"},
            {
                "Spring Hinges": "Spring hinges flex for wide faces.",
                "Metal Frame": "Slim metal frame with soft nose pads.",
                "Keyhole Bridge": "A keyhole bridge that does not slide.",
                "With Case": "Comes with a hard case and a cloth.",
            },
            "Driving, Fishing, Beach, Travel",
            (
                "Sunglasses you will not cry over when you sit on them, though you should not.",
                "Good looking shade for men and women.",
            ),
            ("Driving into the sun is so much easier.", "They do not slide down my nose.", "Feel expensive."),
            ("A lens popped out.", "Too wide for my face."),
            plural=True,
            clashes=("aviator sunglasses, keyhole bridge",),
        ),
        Kind(
            "leather belts",
            "Leather Belt; Dress Belt; Casual Belt; Jeans Belt",
            "belt",
            "Belts",
            23,
            "!genuine leather|vegan leather, reversible buckle, long lasting, everyday use, scratch resistant",
            {"color": "belt", "size": "belt_size"},
            {
                "Ratchet Buckle": "Ratchet buckle with forty positions instead of five holes.",
                "1.5 Inch Wide": "1.5 inch wide, made for jeans loops.",
                "Gift Box": "Arrives in a matte gift box.",
                "Stitched Edge": "A stitched edge keeps the strap from curling.",
            },
            "Jeans, Suits, Work, Golf",
            ("One belt for the suit and the jeans.", "Solid strap, plain buckle, no logo."),
            ("Looks good with dress pants.", "genuine leather> No sagging holes after three months.", "Sturdy buckle."),
            ("The edge is peeling.", "Two inches too short."),
            clashes=("ratchet buckle, reversible buckle", "dress belt, 1.5 inch wide"),
        ),
        Kind(
            "winter beanies",
            "Beanie; Knit Beanie; Winter Hat; Cuffed Beanie",
            "beanie",
            "Hats & Caps › Skullies & Beanies",
            14,
            "!acrylic knit, cuffed brim, fleece lined, cold weather, one size fits most, machine washable, "
            "lightweight, everyday use",
            {"color": "mens", "item package quantity": "packs_small"},
            {
                "Pom Pom": "A detachable pom pom on top.",
                "Slouchy": "Slouchy at the back, fitted at the ears.",
                "Ribbed": "Ribbed stitch that stretches without thinning.",
                "Satin Lined": "Satin lined to keep hair smooth.",
            },
            "Skiing, Snowboarding, Running, Daily Wear",
            ("A beanie for every coat pocket.", "Simple, warm, and it stays on."),
            ("Warm ears at last.", "Fits my big head.", "Softer than the one it replaced."),
            ("Stretched out in a week.", "Itchy on the forehead."),
            clashes=(
                "fleece lined, satin lined",
                "slouchy, cuffed brim",
                "slouchy, cuffed beanie",
                "cuffed beanie, cuffed brim",
            ),
        ),
    ),
    (
        "A safe gift for [birthdays|Christmas stockings|graduations].",
        "Small enough for a drawer, good enough to wear out.",
        "Questions or problems? Our service answers within a day.",
        "Hand-checked before packing.",
    ),
    ("Looks good with nearly everything.", "Comes packed for giving.", "Designed by a small team who wear it too."),
    (
        "Gave {them} as a gift and it was a hit.",
        "Exactly like the pictures.",
        "Great quality for the price.",
        "Ordered two more.",
        "Shipping was quick.",
    ),
    ("Looks cheap up close.", "Color was off.", "Broke within the month.", "Strange smell."),
    CARRY,
)


CATEGORIES = (OUTER, ACCESSORIES)
