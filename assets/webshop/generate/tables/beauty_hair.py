"""Hair care and hair tools: two categories of the beauty department."""

from agentgym.assets.webshop.generate.model import Category, Kind
from agentgym.assets.webshop.generate.tables.beauty_features import FORMULA, TOOLS

HAIR_CARE = Category(
    "beauty",
    "Beauty & Personal Care › Hair Care",
    "beauty",
    (
        "Verdaluxe",
        "CURLHAVEN",
        "Maison Oriel",
        "Tressawild",
        "Botanivelle",
        "ROOTSONG",
        "Amberwash",
        "Silkenry",
        "Hydrelle",
    ),
    (
        Kind(
            "shampoo",
            "Shampoo; Daily Shampoo; Moisturizing Shampoo; Clarifying Shampoo",
            "shampoo",
            "Shampoo & Conditioner › Shampoos",
            14,
            "!sulfate free|paraben free, paraben free, cruelty free, argan oil|coconut oil|tea tree oil, dry "
            "hair|color treated hair"
            "|damaged hair|curly hair, plant based, travel size, fragrance free, natural ingredients",
            {"size": "liquid", "scent": "hair_scent"},
            {
                "Salon Grade": "The same salon grade base stylists buy by the gallon.",
                "pH Balanced": "pH balanced to leave the cuticle flat.",
                "Rich Lather": "A rich lather from surprisingly little.",
                "With Biotin": "Biotin and rice protein give thin strands some body.",
            },
            "Men and Women, Daily Use, All Hair Types",
            (
                "Clean hair should not squeak.",
                "A daily wash that rinses out in seconds and leaves hair soft to the roots.",
            ),
            (
                "My hair feels thicker after two weeks.",
                "A dime-sized amount does my long hair.",
                "No more itchy scalp.",
            ),
            ("Left my hair like straw.", "Barely lathers."),
            mass=True,
            clashes=(
                "fragrance free, tea tree oil",
                "moisturizing shampoo, clarifying shampoo",
                "clarifying shampoo, dry hair, damaged hair",
            ),
        ),
        Kind(
            "hair masks",
            "Hair Mask; Deep Conditioner; Repair Hair Mask; Conditioning Mask",
            "hair mask",
            "Deep Conditioners & Treatments › Masks",
            17,
            "!damaged hair|dry hair|curly hair|color treated hair, argan oil|coconut oil, shea butter, sulfate "
            "free, paraben free, "
            "cruelty free, natural ingredients, plant based, easy to use",
            {"size": "jar", "scent": "hair_scent"},
            {
                "5 Minute Treatment": "Works in a 5 minute treatment while you shave or sing.",
                "Keratin": "Hydrolyzed keratin fills in rough spots.",
                "Leave In or Rinse Out": "Leave in a pea for ends, or rinse out after ten minutes.",
                "Overnight": "Safe to wear overnight under a cap.",
            },
            "Bleached Hair, Split Ends, Frizz, Weekly Care",
            (
                "For hair that has seen too much bleach and too many hot tools.",
                "Once a week, ten minutes, softer hair.",
            ),
            ("My bleached ends stopped snapping.", "Comb slides straight through.", "Smells like a salon."),
            ("Too heavy for fine hair.", "Did nothing for my frizz."),
            clashes=("5 minute treatment, overnight",),
        ),
        Kind(
            "hair growth oil",
            "Hair Growth Oil; Scalp Oil; Hair Serum Oil; Rosemary Hair Oil",
            "hair oil",
            "Styling Products › Oils & Serums",
            16,
            "!hair growth, argan oil|coconut oil|tea tree oil, damaged hair|dry hair|curly hair, natural "
            "ingredients, certified organic, "
            "cruelty free, paraben free, plant based, non greasy, easy to apply, essential oils",
            {"size": "small_liquid", "item package quantity": "packs_small"},
            {
                "Dropper Bottle": "Amber dropper bottle, so you waste nothing.",
                "Cold Pressed": "Cold pressed oils, filtered twice.",
                "With Rosemary": "Steeped with rosemary leaves for two weeks.",
                "Scalp Massager Included": "A silicone scalp massager is in the box.",
            },
            "Men and Women, Thinning Hair, Edges, Beards",
            ("Healthy hair starts at the scalp.", "A light oil for parts, edges and patience."),
            (
                "Baby hairs at my temples after six weeks.",
                "My scalp stopped flaking.",
                "Does not leave my pillow greasy.",
            ),
            ("No change after three months.", "The dropper leaks."),
            mass=True,
            clashes=("hair serum oil, cold pressed",),
        ),
        Kind(
            "permanent hair dye",
            "Hair Dye; Hair Color; Permanent Hair Color Cream; Hair Coloring Kit",
            "hair dye",
            "Hair Coloring Products › Hair Color",
            12,
            "!long lasting, cruelty free, paraben free, easy to use, argan oil|coconut oil|shea butter, damaged "
            "hair, natural ingredients, "
            "dermatologist tested, easy to apply",
            {"color": "hair", "item package quantity": "packs_small"},
            {
                "Gray Coverage": "Full gray coverage, even on stubborn temples.",
                "Ammonia Free": "Ammonia free, so your eyes do not water.",
                "With Gloves and Brush": "Gloves, brush and aftercare sachet are in the box.",
                "No Drip Cream": "The thick cream does not drip on collars.",
            },
            "Gray Coverage, Root Touch Up, Home Use",
            ("Salon color without the small talk.", "Even color from roots to ends in forty minutes."),
            ("Covered all my grays.", "Color matched the box.", "Six weeks in and it has hardly faded."),
            ("Came out two shades darker.", "Stained my hairline for days."),
            mass=True,
        ),
        Kind(
            "dry shampoo",
            "Dry Shampoo; Dry Shampoo Powder; Volumizing Dry Shampoo",
            "dry shampoo",
            "Shampoo & Conditioner › Dry Shampoos",
            13,
            "travel size, !cruelty free|paraben free, sulfate free, natural ingredients, color treated hair, "
            "fragrance free, non toxic, plant based, "
            "easy to use, alcohol free",
            {"color": "dry_shampoo", "size": "powder"},
            {
                "No White Residue": "Brushes out with no white residue.",
                "Talc Free": "Rice starch does the work: talc free.",
                "With Puff": "Soft puff included for even dusting.",
                "Aerosol Free": "Shaker top, aerosol free.",
            },
            "Oily Roots, Gym, Camping, Second Day Hair",
            ("For the days between wash days.", "Soaks up oil at the roots and leaves a little lift."),
            ("Saves my bangs.", "Adds volume, no smell.", "Lasts for ages."),
            ("Made my scalp itch.", "Shows on black hair."),
            mass=True,
        ),
    ),
    (
        "Suits [straight, wavy and curly|all] hair, fine to coarse.",
        "Made in small batches and dated on the base.",
        "Not happy after thirty days? We refund it, empty bottle and all.",
        "Recyclable packaging with a plain label.",
    ),
    (
        "Store with the lid closed and away from the sun.",
        "Patch test first if you react easily.",
        "Full ingredients are printed on the label.",
    ),
    (
        "My hair has never been softer.",
        "My stylist asked what I was using.",
        "The smell is light and clean.",
        "I will reorder.",
        "Works on my daughter's hair too.",
    ),
    (
        "The cap broke in the mail and it leaked everywhere.",
        "Scent is overpowering.",
        "Broke me out along the hairline.",
        "Bottle is tiny for the price.",
    ),
    FORMULA,
)


HAIR_TOOLS = Category(
    "beauty",
    "Beauty & Personal Care › Hair Tools & Extensions",
    "accessories",
    ("GLAMVETTE", "Lockmere", "Hairlume", "PERUVELLA", "Combe & Curl", "Tressora", "STYLENIX", "Wavery"),
    (
        Kind(
            "hair extensions",
            "Clip In Hair Extensions; Tape In Hair Extensions; Hair Extensions; Ponytail Hair Extension",
            "hair extensions",
            "Hair Extensions, Wigs & Accessories › Hair Extensions",
            68,
            "!human hair|synthetic fiber, natural looking, heat resistant, easy to apply, high quality, "
            "reusable, easy to use, long lasting, storage case",
            {"color": "hair", "size": "hair_length"},
            {
                "Double Weft": "Double weft for full, even ends.",
                "7 Pieces": "7 pieces with 16 clips, enough for a full head.",
                "Invisible Seam": "A flat, invisible seam at the root.",
                "Balayage": "Softly blended balayage toward the tips.",
            },
            "Women, Thin Hair, Weddings, Volume",
            (
                "Length and volume in the time it takes to brew coffee.",
                "Soft from root to tip and matched to real shades.",
            ),
            ("Blends with my bob.", "Barely shed at all.", "heat resistant> Curled them for a wedding and they held."),
            ("Tangled after two days.", "The color did not match the swatch."),
            spread=0.45,
            plural=True,
            clashes=(
                "tape in hair extensions, 7 pieces",
                "tape in hair extensions, double weft",
                "ponytail hair extension, 7 pieces, invisible seam",
            ),
        ),
        Kind(
            "women's wigs",
            "Wig; Bob Wig; Long Wavy Wig; Curly Wig; Lace Front Wig",
            "wig",
            "Hair Extensions, Wigs & Accessories › Wigs",
            39,
            "!synthetic fiber|human hair, heat resistant, natural looking, high quality, easy to use, long lasting",
            {"color": "hair", "size": "wig_length"},
            {
                "With Bangs": "Soft bangs you can trim yourself.",
                "Adjustable Cap": "Adjustable cap with two hooks and a comb.",
                "Middle Part": "Hand-tied middle part.",
                "Wig Cap Included": "A stretch wig cap is included.",
            },
            "Cosplay, Daily Wear, Parties, Hair Loss",
            ("A new hairdo in a minute.", "Comfortable enough to forget, pretty enough to be asked about."),
            ("Nobody knew it was a wig.", "Not itchy, which I was afraid of.", "Feels secure on windy days."),
            ("Shiny like doll hair.", "The cap is tiny."),
            spread=0.4,
            clashes=(
                "bob wig, size",
                "long wavy wig, size",
                "with bangs, middle part",
            ),
        ),
        Kind(
            "detangling hair brush",
            "Detangling Brush; Hair Brush; Detangler Hairbrush; Paddle Brush",
            "hair brush",
            "Styling Tools & Appliances › Hair Brushes",
            12,
            "!wet and dry hair, non slip handle, soft bristles, easy to clean, hair extensions, cruelty free, "
            "hair styling, bamboo, travel friendly",
            {"color": "pastel", "item package quantity": "packs_small"},
            {
                "Vented": "Vented back lets the dryer through.",
                "Cushioned": "Cushioned base gives when it meets a knot.",
                "For Kids": "No tears: gentle on children's hair.",
                "Flexible Rows": "Flexible rows that follow the head.",
            },
            "Curly Hair, Thick Hair, Kids, Shower",
            ("Knots out, tears not.", "One brush for the shower, the gym and the school run."),
            ("My daughter stopped crying.", "Less hair in the drain.", "Gets through my 4c curls."),
            ("Bristles bent in a month.", "Too big for my hand."),
        ),
        Kind(
            "curling irons",
            "Curling Iron; Curling Wand; Hair Curler; Hair Waver Iron",
            "curling iron",
            "Styling Tools & Appliances › Irons",
            34,
            "!ceramic barrel, adjustable heat, hair styling, easy to use, travel friendly, non slip handle, "
            "storage case, high quality",
            {"color": "tool", "size": "barrel"},
            {
                "Dual Voltage": "Dual voltage for travel abroad.",
                "Auto Shut Off": "Shuts itself off after an hour.",
                "Cool Tip": "Cool tip for a second finger to hold.",
                "Swivel Cord": "Eight-foot swivel cord that does not twist.",
            },
            "Beach Waves, Long Hair, Short Hair, Brides",
            ("Waves that last from breakfast to the last song.", "Hot in a minute, off by itself."),
            ("Heats up fast.", "My curls lasted two days.", "Good weight in the hand."),
            ("adjustable heat> Burned my ends even on low.", "The clamp is weak."),
        ),
    ),
    (
        "Ships in a gift-ready box.",
        "Care card with simple steps included.",
        "A two-year replacement promise with no forms to mail.",
        "Questions? A stylist answers our messages.",
    ),
    (
        "Store away from dust and steam.",
        "Color charts are photographed in daylight.",
        "Made for home use and used in salons.",
    ),
    (
        "Did my mother's too.",
        "As good as the salon brand.",
        "Would buy again.",
        "Quick shipping and nice packaging.",
        "Easy once you get the hang of it.",
    ),
    ("Broke within weeks.", "Smells like plastic.", "Not worth the price.", "Instructions are hard to read."),
    TOOLS,
)


CATEGORIES = (HAIR_CARE, HAIR_TOOLS)
