"""Women's tops: one category of the fashion department."""

from agentgym.assets.webshop.generate.model import Category, Kind
from agentgym.assets.webshop.generate.tables.fashion_features import CLOTHING

WOMENS_TOPS = Category(
    "fashion",
    "Clothing, Shoes & Jewelry › Women › Clothing",
    "clothing",
    (
        "Lunevra",
        "MARIQUELLE",
        "Willow & Tansy",
        "Ostrelle",
        "Fiorabel",
        "SOLVENNE",
        "Petrahollow",
        "Avenmere",
        "Dovelyn",
    ),
    (
        Kind(
            "women's blouses",
            "Blouse; Chiffon Blouse; Blouse Top; Work Blouses",
            "blouse",
            "Tops & Blouses › Blouses",
            26,
            "!long sleeve|short sleeve, v neck|crew neck, button closure, ruffled sleeves, loose fit|regular fit, "
            "lightweight, machine washable|hand wash only, date night|everyday wear, wrinkle free",
            {"color": "womens", "size": "alpha"},
            {
                "Tie Neck": "Wear the tie neck as a bow or let it hang.",
                "Keyhole Back": "Small keyhole back with a covered button.",
                "Polka Dot": "Tiny polka dots, printed rather than woven.",
                "Pleated Front": "A pleated front gives shape without cling.",
            },
            "Work, Office, Dinner, Spring",
            (
                "Polished enough for the office, soft enough for Saturday.",
                "A blouse that never needs a safety pin.",
            ),
            (
                "I get compliments every time I wear it to work.",
                "Not see-through, which surprised me.",
                "Hangs nicely and hides my tummy.",
            ),
            ("The material is thin and clings.", "Sleeves are tight in the upper arm."),
            clashes=(
                "tie neck, v neck, crew neck",
                "chiffon blouse, wrinkle free",
                "short sleeve, ruffled sleeves",
                "work blouses, date night",
                "tie neck, button closure, keyhole back",
            ),
        ),
        Kind(
            "women's tunic tops",
            "Tunic Top; Tunic; Tunic Shirt; Flowy Tunic",
            "tunic",
            "Tops & Blouses › Tunics",
            23,
            "!long sleeve|short sleeve, v neck|crew neck, loose fit|relaxed fit, stretchy, machine washable, "
            "breathable, "
            "side pockets, casual wear|everyday wear, polyester spandex|linen blend",
            {"color": "womens", "size": "alpha"},
            {
                "Asymmetrical Hem": "Asymmetrical hem, longer at the back for cover with leggings.",
                "Henley Buttons": "Four working Henley buttons.",
                "Floral Print": "All-over floral print in three quiet colors.",
                "Roll Tab Sleeves": "Roll tab sleeves button up at the elbow.",
            },
            "Leggings, Work, Summer, Travel",
            (
                "Long enough to wear with leggings, light enough for July.",
                "The tunic that made us sell out of every other tunic.",
            ),
            (
                "Covers my bottom with leggings, just as promised.",
                "Soft, swingy and flattering.",
                "I live in this on weekends.",
            ),
            ("It is shorter than shown on the model.", "Shrank in the wash even on cold."),
            clashes=(
                "long sleeve, summer",
                "henley buttons, crew neck, v neck",
                "short sleeve, roll tab sleeves",
                "floral print, henley buttons",
            ),
        ),
        Kind(
            "women's casual dresses",
            "Dress; Casual Dress; Midi Dress; Summer Dress; T-Shirt Dress",
            "dress",
            "Dresses › Casual",
            33,
            "!short sleeve|long sleeve, v neck|crew neck, side pockets, loose fit|slim fit, high waist, machine "
            "washable, "
            "stretchy, linen blend|polyester spandex|soft cotton, date night|casual wear, zipper closure|button "
            "closure",
            {"color": "prints", "size": "alpha"},
            {
                "Tiered Skirt": "Three soft tiers give the skirt its swing.",
                "Wrap Style": "Wrap style front with a fixed overlap, so no gaping.",
                "Knee Length": "Falls to the knee on most heights.",
                "Smocked Bodice": "The smocked bodice stretches to fit and needs no bra hook.",
            },
            "Beach, Vacation, Brunch, Wedding Guest",
            (
                "Throw it on, add sandals, done.",
                "A dress that moves from the farmers' market to dinner without a change.",
            ),
            (
                "Wore it to a wedding and felt great all evening.",
                "The skirt has a good twirl.",
                "Flattering on my pear shape.",
            ),
            ("The bust is cut small.", "Needed a slip, the light color is sheer."),
            clashes=(
                "t-shirt dress, wedding guest",
                "long sleeve, beach",
                "midi dress, knee length",
                "t-shirt dress, date night",
                "t-shirt dress, zipper closure, button closure",
                "wrap style, zipper closure, button closure",
                "t-shirt dress, wrap style, smocked bodice, tiered skirt",
                "summer dress, long sleeve",
                "loose fit, smocked bodice",
                "slim fit, tiered skirt",
                "crew neck, wrap style",
                "slim fit, t-shirt dress",
            ),
        ),
        Kind(
            "women's cardigans",
            "Cardigan; Open Front Cardigan; Knit Cardigan Sweater; Cardigans",
            "cardigan",
            "Sweaters › Cardigans",
            32,
            "!long sleeve, button closure, side pockets, loose fit|regular fit, lightweight, machine "
            "washable|hand wash only, "
            "merino wool|soft cotton, everyday wear|casual wear, cold weather, stretchy",
            {"color": "womens", "size": "alpha"},
            {
                "Open Front": "Open front drape with no fiddly closures.",
                "Chunky Knit": "Chunky knit texture with dropped shoulders.",
                "Shawl Collar": "The shawl collar turns up against a draft.",
                "Cropped": "Cropped to the hip, made for high-rise jeans.",
            },
            "Fall, Office, Layering, Travel",
            (
                "For restaurants, offices and aunts who keep the air conditioning on high.",
                "The layer you leave on the back of your chair and wear every day.",
            ),
            (
                "Cozy but not bulky.",
                "Keeps me warm at my freezing desk.",
                "side pockets> The pockets do not sag.",
            ),
            ("Sheds fuzz on dark pants.", "The knit snags easily."),
            clashes=(
                "open front, open front cardigan, button closure",
                "chunky knit, lightweight",
                "cropped, loose fit",
                "lightweight, cold weather",
                "open front cardigan, shawl collar",
            ),
        ),
        Kind(
            "women's jumpsuits",
            "Jumpsuit; Romper Jumpsuit; Wide Leg Jumpsuit; Overall Jumpsuit",
            "jumpsuit",
            "Jumpsuits, Rompers & Overalls",
            35,
            "!wide leg|straight leg, short sleeve|long sleeve, side pockets, high waist, elastic waistband, "
            "loose fit, machine washable, stretchy, linen blend|polyester spandex, date night|casual wear",
            {"color": "womens", "size": "alpha"},
            {
                "Tie Belt": "A removable tie belt marks the waist.",
                "Spaghetti Straps": "Thin spaghetti straps cross at the back.",
                "Cropped Length": "Cropped length ends above the ankle.",
                "Back Zip": "An invisible back zip, easy to reach alone.",
            },
            "Summer, Parties, Vacation, Work",
            (
                "One piece, no decisions, and you still look put together.",
                "All the ease of pajamas with the shape of an outfit.",
            ),
            (
                "side pockets> Actual pockets, and they are deep.",
                "Long enough for my 5'9\" frame.",
                "Comfy for a whole day of travel.",
            ),
            ("The torso is too short for tall women.", "Bathroom breaks are a project."),
            clashes=(
                "long sleeve, summer",
                "wide leg jumpsuit, wide leg, straight leg",
                "spaghetti straps, short sleeve, long sleeve",
                "loose fit, tie belt",
                "elastic waistband, tie belt",
                "romper jumpsuit, cropped length",
            ),
        ),
    ),
    (
        "Please see the size chart; the model wears a small.",
        "Easy to style with [denim and flats|heels and a clutch|sneakers and a tote].",
        "Neat seams inside and a tidy hem.",
        "A thoughtful present for [moms and sisters|a friend's birthday].",
    ),
    (
        "Small details, good seams and honest sizing.",
        "Pictures were taken in daylight; colors may vary a little by screen.",
        "Not sure about the size? The chart lists bust, waist and length.",
    ),
    (
        "The color is even nicer in person.",
        "I am 5'4\" and my usual size is perfect.",
        "Bought one for my sister too.",
        "Comfortable and flattering, what more do you want.",
        "It washed up well.",
    ),
    (
        "Runs large, I had to size down.",
        "The color was nothing like the picture.",
        "It wrinkles if you look at it.",
        "A seam opened on the first wear.",
    ),
    CLOTHING,
)

CATEGORIES = (WOMENS_TOPS,)
