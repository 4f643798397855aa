"""Men's bottoms and what is worn beneath: one category of the fashion department."""

from agentgym.assets.webshop.generate.model import Category, Kind
from agentgym.assets.webshop.generate.tables.fashion_features import CLOTHING

MENS_BOTTOMS = Category(
    "fashion",
    "Clothing, Shoes & Jewelry › Men › Bottoms & Sleepwear",
    "clothing",
    (
        "Grendale",
        "STRAVEK",
        "Pinecroft Dry Goods",
        "Moxbury",
        "Larkhand",
        "DENVANE",
        "Tarrow",
        "Colter Ridge",
        "Basswell",
    ),
    (
        Kind(
            "men's jeans",
            "Jeans; Denim Jeans; 5-Pocket Jeans; Stretch Jeans",
            "jeans",
            "Jeans",
            43,
            "straight leg, !relaxed fit|slim fit|regular fit, button closure, zipper closure, machine washable, "
            "cotton spandex|soft cotton, stretchy, big and tall, everyday wear, fade resistant",
            {"color": "denim", "size": "waist"},
            {
                "Boot Cut": "Opens slightly below the knee to sit over boots.",
                "Five Pockets": "Five pockets with riveted corners.",
                "Mid Rise": "The mid rise waist stays put without a belt.",
                "Tapered Ankle": "Tapers gently from the knee for a clean line over sneakers.",
            },
            "Work, Riding, Weekends, Travel",
            (
                "Jeans with a little stretch and no fake holes.",
                "Denim the way it should be: firm at first, then yours.",
            ),
            (
                "Room for my thighs, which is rare.",
                "Broke them in within two days.",
                "The pockets are deep enough for a big phone.",
            ),
            ("Bled blue on my white sneakers.", "The waist stretched out by the end of the day."),
            plural=True,
            clashes=(
                "boot cut, straight leg, tapered ankle",
                "boot cut, slim fit",
                "relaxed fit, tapered ankle",
            ),
        ),
        Kind(
            "men's shorts",
            "Shorts; Cargo Shorts; Athletic Shorts; Chino Shorts",
            "shorts",
            "Shorts",
            25,
            "quick drying, elastic waistband, drawstring closure, !side pockets, machine washable, regular "
            "fit|loose fit, "
            "gym workouts|everyday wear, stretchy, lightweight, moisture wicking",
            {"color": "mens", "size": "alpha"},
            {
                "7 Inch Inseam": "A 7 inch inseam ends well above the knee.",
                "Mesh Liner": "Light mesh liner, so there is no need for extra layers.",
                "Zippered Back Pocket": "One zippered back pocket for keys or a card.",
                "9 Inch Inseam": "With a 9 inch inseam they finish right at the knee.",
            },
            "Gym, Hiking, Basketball, Beach",
            (
                "Shorts you can run in, swim in and still wear to lunch.",
                "Made for hot days and full pockets.",
            ),
            (
                "Pockets hold my phone without bouncing.",
                "I hike in them every weekend.",
                "quick drying> Dry before I got back to the car.",
            ),
            ("drawstring closure> The drawstring pulled out in the wash.", "Shorter than the photo suggests."),
            plural=True,
            clashes=(
                "chino shorts, gym, basketball",
                "cargo shorts, gym, basketball",
                "7 inch inseam, 9 inch inseam",
                "cargo shorts, mesh liner",
                "chino shorts, mesh liner",
                "chino shorts, gym workouts",
                "cargo shorts, gym workouts",
                "chino shorts, drawstring closure",
                "athletic shorts, everyday wear",
                "loose fit, chino shorts",
            ),
        ),
        Kind(
            "men's jogger pants",
            "Jogger Pants; Joggers; Sweatpants; Track Pants",
            "joggers",
            "Active › Active Pants",
            31,
            "elastic waistband, drawstring closure, side pockets, fleece lined, machine washable, slim "
            "fit|relaxed fit, "
            "!gym workouts|casual wear, stretchy, moisture wicking, cold weather",
            {"color": "mens", "size": "alpha"},
            {
                "Zip Ankles": "Zip ankles go on over shoes.",
                "Tapered Leg": "A tapered leg keeps the fabric out of bike chains.",
                "Zippered Pockets": "Two zippered pockets, so nothing falls out on the bench.",
                "Ribbed Ankle Cuffs": "Ribbed ankle cuffs show off your sneakers.",
            },
            "Running, Training, Travel, Lounging",
            (
                "Joggers that pass for real pants on a plane.",
                "Soft inside, tidy outside, and cut to move.",
            ),
            (
                "Most comfortable pants I own.",
                "Not baggy in the seat like my old ones.",
                "Warm enough for morning runs in March.",
            ),
            ("Pilled between the legs.", "Too snug in the calf if you cycle."),
            plural=True,
            clashes=(
                "zip ankles, ribbed ankle cuffs",
                "sweatpants, track pants",
                "relaxed fit, tapered leg",
                "track pants, fleece lined",
                "fleece lined, moisture wicking",
            ),
        ),
        Kind(
            "men's boxer briefs",
            "Boxer Briefs; Stretch Boxer Briefs; Underwear Boxer Briefs",
            "boxer briefs",
            "Underwear › Boxer Briefs",
            24,
            "!soft cotton|cotton spandex|moisture wicking, tagless, elastic waistband, machine washable, breathable, "
            "big and tall, stretchy, everyday wear, quick drying",
            {"color": "underwear", "size": "alpha", "item package quantity": "packs"},
            {
                "No Ride Up": "Longer legs and a light grip at the hem: no ride up.",
                "Contoured Pouch": "Contoured pouch for support that does not squeeze.",
                "Fly Front": "Overlapping fly front with a clean edge.",
                "Flat Seams": "Flat seams at the inner thigh prevent chafing.",
            },
            "Work, Sport, Travel",
            (
                "You should not have to think about underwear. With these you will not.",
                "Boxer briefs that stay where you put them.",
            ),
            (
                "They do not ride up, simple as that.",
                "Waistband has not rolled once.",
                "Replaced my whole drawer with these.",
            ),
            ("A seam gave out after a month.", "The elastic is tight on the thigh."),
            plural=True,
        ),
        Kind(
            "men's pajama sets",
            "Pajama Set; Pajamas Set; Sleepwear Set; Loungewear Set",
            "pajama set",
            "Sleep & Lounge › Sleep Sets",
            34,
            "!long sleeve|short sleeve, soft cotton|polyester spandex, elastic waistband, drawstring closure, "
            "button closure, machine washable, breathable, loose fit, side pockets, cold weather",
            {"color": "plaid", "size": "alpha"},
            {
                "Notch Collar": "Piped notch collar for the full gentleman look.",
                "Flannel": "Brushed flannel, warmest on the coldest nights.",
                "Two Piece": "Two piece set: top and full-length pants.",
                "Chest Pocket": "One chest pocket, because everyone loses their glasses.",
            },
            "Sleeping, Lounging, Winter, Christmas",
            (
                "Pajamas good enough to answer the door in.",
                "A matched set for slow mornings and early nights.",
            ),
            (
                "Soft from the first night.",
                "drawstring closure+side pockets> The pants have a real drawstring and pockets.",
                "Bought for my dad in the hospital and he loved them.",
            ),
            ("The top is too short.", "Collar curled after washing."),
            clashes=(
                "short sleeve, winter",
                "flannel, polyester spandex",
                "short sleeve, flannel",
                "short sleeve, cold weather",
                "notch collar, polyester spandex",
            ),
        ),
    ),
    (
        "Please compare your waist and hip with the size chart; the cut is American.",
        "Triple-stitched at the seat and inseam.",
        "A practical gift for [husbands and sons|Father's Day and birthdays].",
        "Pairs with a plain tee and sneakers.",
    ),
    (
        "Every seam that takes strain is stitched more than once.",
        "Measure a pair you already like and compare with the chart.",
        "Exchange for another size at no cost.",
    ),
    (
        "I am 6 feet tall and my usual size fits.",
        "Washed a dozen times with no fading.",
        "Ordered three more pairs.",
        "The waist is spot on.",
        "Good value compared with the mall.",
    ),
    (
        "Sizing is off by at least one.",
        "The fabric feels cheap.",
        "Came with a strong chemical smell that took two washes to go.",
        "Stitching came undone at the pocket.",
    ),
    CLOTHING,
)

CATEGORIES = (MENS_BOTTOMS,)
