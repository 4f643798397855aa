"""Men's tops: one category of the fashion department."""

from agentgym.assets.webshop.generate.model import Category, Kind
from agentgym.assets.webshop.generate.tables.fashion_features import CLOTHING

MENS_TOPS = Category(
    "fashion",
    "Clothing, Shoes & Jewelry › Men › Clothing",
    "clothing",
    ("Tolvarin", "HARBRANT", "Norrick Lane", "Fenmoor", "Castobay", "Wexley & Thorn", "BRUNDAL", "Oakhelm", "Rustell"),
    (
        Kind(
            "men's t-shirts",
            "T-Shirt; Tee Shirt; Crew T-Shirt; T-Shirts",
            "t-shirt",
            "Shirts › T-Shirts",
            18,
            "!short sleeve|long sleeve, crew neck|v neck, machine washable, soft cotton|moisture wicking, tagless, "
            "slim fit|regular fit|loose fit, big and tall, gym workouts|everyday wear, fade resistant",
            {"color": "mens", "size": "alpha"},
            {
                "Chest Pocket": "A reinforced chest pocket takes a pen or a pair of reading glasses.",
                "Curved Hem": "The curved hem looks right tucked or loose.",
                "Pre-Shrunk": "Pre-shrunk at the mill, so the size you order is the size you keep.",
                "Vintage Graphic": "Faded mountain graphic printed with soft ink you cannot feel.",
            },
            "Gym, Work, Running, Lounging, Summer",
            (
                "A plain tee is only as good as its fabric, and this one gets the fabric right.",
                "The {brand} t-shirt is the one you reach for first on laundry day.",
            ),
            (
                "Fits my shoulders without being a tent around the middle.",
                "Neck still looks new after a month of washes.",
                "Thick enough that nothing shows through.",
            ),
            ("Shrank about an inch in length in the dryer.", "Thinner material than I expected."),
            clashes=(
                "long sleeve, summer",
                "crew t-shirt, v neck",
                "gym workouts, vintage graphic",
            ),
        ),
        Kind(
            "men's polo shirts",
            "Polo Shirt; Golf Polo Shirt; Polo; Performance Polo",
            "polo shirt",
            "Shirts › Polos",
            27,
            "!short sleeve|long sleeve, moisture wicking, button closure, slim fit|regular fit, machine washable, "
            "quick drying|soft cotton, wrinkle free, big and tall, uv protective, everyday wear",
            {"color": "mens", "size": "alpha"},
            {
                "Ribbed Collar": "The ribbed collar is stiffened so it never curls.",
                "Side Vents": "Short side vents leave room to swing or to sit.",
                "Tipped Sleeves": "Contrast tipping at the collar and sleeves.",
                "Three Button Placket": "Three button placket with buttons dyed to match.",
            },
            "Golf, Tennis, Office, Casual Fridays",
            (
                "From the first tee to the four o'clock meeting, this polo keeps its collar up.",
                "A polo shirt with a bit of stretch and no shiny logo.",
            ),
            (
                "Collar stays flat even after the dryer.",
                "Wore it for eighteen holes in July and stayed dry.",
                "Looks sharper than the ones my office hands out.",
            ),
            ("Sleeves are tight if you lift weights.", "button closure> A button came off in the second week."),
        ),
        Kind(
            "men's dress shirts",
            "Dress Shirt; Button Down Dress Shirt; Business Shirt; Dress Shirts",
            "dress shirt",
            "Shirts › Dress Shirts",
            32,
            "!long sleeve|short sleeve, button closure, wrinkle free, slim fit|regular fit, machine washable, "
            "stretchy, big and tall, breathable, date night|everyday wear",
            {"color": "dress", "size": "neck", "fit type": "mens_fit"},
            {
                "Spread Collar": "A medium spread collar suits a tie or an open neck.",
                "French Placket": "Clean French placket with pearl-tone buttons.",
                "Adjustable Cuffs": "Two-button adjustable cuffs leave room for a watch.",
                "Back Pleats": "Paired back pleats give your shoulders some slack at the keyboard.",
            },
            "Office, Weddings, Interviews, Travel",
            (
                "A dress shirt that still looks pressed at six in the evening.",
                "Crisp, quietly good looking, and cut for people who sit at desks.",
            ),
            (
                "Hung it in the bathroom during a shower and the folds fell out.",
                "The collar holds a tie knot nicely.",
                "Finally a sleeve long enough for me.",
            ),
            ("Neck runs half an inch small.", "Slightly see-through in the pale color."),
        ),
        Kind(
            "men's hoodies",
            "Hoodie; Pullover Hoodie; Hooded Sweatshirt; Full Zip Hoodie",
            "hoodie",
            "Fashion Hoodies & Sweatshirts",
            36,
            "long sleeve, hooded collar, drawstring closure, fleece lined, machine washable, "
            "regular fit|loose fit, cold weather, gym workouts|casual wear, big and tall",
            {"color": "mens", "size": "alpha"},
            {
                "Kangaroo Pocket": "The kangaroo pocket is lined and deep enough for both hands and a phone.",
                "Ribbed Cuffs": "Ribbed cuffs and hem keep drafts out.",
                "Thumbholes": "Thumbholes keep the sleeves down when you run.",
                "Heavyweight": "Heavyweight fabric, about 11 ounces to the square yard.",
            },
            "Fall, Winter, Training, Camping",
            (
                "Heavy enough to feel like a hug, plain enough to wear anywhere.",
                "{brand} built this hoodie for cold bleachers and early dog walks.",
            ),
            (
                "The hood is big enough to actually use.",
                "My teenager stole it the day it came.",
                "Warm without feeling stuffed.",
            ),
            ("Left lint on everything in the first wash.", "The sleeves are short on a tall guy."),
            clashes=(
                "full zip hoodie, kangaroo pocket",
                "cold weather, gym workouts",
            ),
        ),
        Kind(
            "men's sweaters",
            "Sweater; Pullover Sweater; Knit Sweater; Quarter Zip Sweater",
            "sweater",
            "Sweaters › Pullovers",
            41,
            "long sleeve, crew neck|v neck, !merino wool|soft cotton|cotton spandex, hand wash only|machine washable, "
            "regular fit|slim fit|relaxed fit, cold weather, everyday wear|date night, lightweight",
            {"color": "mens", "size": "alpha"},
            {
                "Cable Knit": "A classic cable knit front with plain sleeves.",
                "Ribbed Hem": "Deep ribbed hem and cuffs that spring back.",
                "Elbow Patches": "Tonal elbow patches where sweaters always wear first.",
                "Fine Gauge": "Fine gauge knit that slides easily under a blazer.",
            },
            "Fall, Winter, Office, Holidays",
            (
                "The sweater you wear to your in-laws and then to bed on the sofa.",
                "Knit in a tidy gauge that works over a shirt or on its own.",
            ),
            (
                "No itch at all, and I am picky about that.",
                "Looks like it cost twice as much.",
                "My husband has worn it three days in a row.",
            ),
            ("Started to pill under the arms after a few wears.", "Neck opening is a bit tight."),
            clashes=(
                "quarter zip sweater, crew neck, v neck",
                "cable knit, fine gauge",
                "elbow patches, lightweight",
            ),
        ),
    ),
    (
        "Check the size chart in the pictures before ordering; between two sizes, take the larger.",
        "A welcome gift for [fathers, brothers and friends|birthdays, holidays and graduations].",
        "Double-stitched seams at the shoulders and hem [stand up to hard wear|will not unravel].",
        "Goes with jeans, chinos or shorts.",
    ),
    (
        "Sizes are true to the chart and the seams are finished inside as well as out.",
        "If the fit is not right, send {them} back within thirty days.",
        "Colors may look slightly different on your screen.",
    ),
    (
        "Bought a second one in another color.",
        "Good stitching, no loose threads.",
        "Washed twice so far and it has held its shape.",
        "True to size for me, and I am 5'11\".",
        "My son wears it constantly.",
    ),
    (
        "Runs small, order a size up.",
        "The color is duller than in the photo.",
        "Loose threads on one sleeve.",
        "Too long in the body for me.",
    ),
    CLOTHING,
)

CATEGORIES = (MENS_TOPS,)
