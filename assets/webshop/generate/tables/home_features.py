"""What can be true of furniture and textiles, and how listings say so."""

from agentgym.assets.webshop.generate.model import FeatureTable

FURNITURE: FeatureTable = {
    "is": {
        "easy to assemble": (
            "Easy to assemble in about [20|30|40] minutes; tools and numbered parts are included.",
            "One person, one hex key: easy to assemble.",
        ),
        "fully assembled": (
            "Arrives fully assembled; just take off the wrap.",
            "Fully assembled at the factory, so there is nothing to build.",
        ),
        "easy to clean": (
            "Easy to clean with a damp cloth.",
            "Spills wipe off the sealed surface: easy to clean.",
        ),
        "height adjustable": (
            "Height adjustable by several inches to suit the tallest and shortest in the house.",
            "Height adjustable without tools.",
        ),
        "space saving": (
            "Space saving footprint for [studios|dorms|small apartments].",
            "Tucks neatly into a corner: a space saving piece.",
        ),
        "heavy duty": (
            "Heavy duty frame, tested far above its rated load.",
            "Strong joints and double screws make it heavy duty.",
        ),
        "mid century": (
            "Mid century lines with gently splayed legs.",
            "A mid century look that goes with old and new.",
        ),
        "high density": (
            "High density foam that does not bottom out.",
            "High density filling keeps its loft for years.",
        ),
        "water resistant": (
            "Water resistant finish, so a cold glass leaves no ring.",
            "Sealed and water resistant on all sides.",
        ),
        "breathable": (
            "Breathable cover and channels keep warm air moving.",
            "An open, breathable build that does not trap heat.",
        ),
        "hypoallergenic": (
            "Hypoallergenic materials that dust mites do not like.",
            "Hypoallergenic and free of feathers and wool.",
        ),
        "pressure relieving": (
            "Pressure relieving at hips and shoulders.",
            "A pressure relieving top layer shapes itself to you.",
        ),
        "contemporary": (
            "Contemporary lines with clean edges and no fuss.",
            "A contemporary look that is easy to live with.",
        ),
        "wall mounted": (
            "Can be used wall mounted; brackets are included.",
            "Wall mounted, it leaves the floor clear.",
        ),
    },
    "has": {
        "storage space": (
            "Storage space for [blankets and games|books and baskets|the things you trip over].",
            "More storage space than it shows.",
        ),
        "lumbar support": (
            "Shaped lumbar support where your back wants it.",
            "Built-in lumbar support for long sitting.",
        ),
        "metal legs": (
            "Powder-coated metal legs with felt pads.",
            "Slim metal legs that do not wobble.",
        ),
        "wood legs": (
            "Turned wood legs screw in by hand.",
            "Tapered wood legs in a warm finish.",
        ),
        "open shelves": (
            "Open shelves keep favorites in reach.",
            "Open shelves for plants, frames and speakers.",
        ),
        "memory foam": (
            "A layer of memory foam eases shoulders and hips.",
            "Gel-infused memory foam that sleeps cool.",
        ),
        "soft close drawers": (
            "Soft close drawers that never slam.",
            "Deep, soft close drawers on metal runners.",
        ),
        "button tufted upholstery": (
            "Button tufted upholstery, pulled deep and even.",
            "Button tufted upholstery that does not flatten.",
        ),
    },
    "a": {
        "steel frame": (
            "A welded steel frame under the good looks.",
            "Sturdy steel frame, no creaks.",
        ),
        "non slip base": (
            "A non slip base protects floors.",
            "The non slip base stays put on tile and wood.",
        ),
    },
    "room": {
        "living room": (
            "Sized for the living room of a real home.",
            "A calm anchor for the living room.",
        ),
        "home office": (
            "A friendly addition to a home office.",
            "Right for the home office, where looks matter too.",
        ),
    },
    "for": {
        "small spaces": (
            "Designed for small spaces and narrow stairs.",
            "Scaled down for small spaces.",
        ),
    },
    "of": {
        "solid wood": (
            "Made of solid wood with visible grain; every piece differs a little.",
            "Solid wood, kiln-dried so it will not warp.",
        ),
        "engineered wood": (
            "Engineered wood with a scratch-hiding finish.",
            "Thick engineered wood panels, edged all round.",
        ),
        "tempered glass": (
            "Top of tempered glass with polished edges.",
            "Thick tempered glass that wipes clean.",
        ),
        "faux leather": (
            "Covered in faux leather that wipes clean.",
            "Soft faux leather with neat stitching.",
        ),
        "linen fabric": (
            "Covered in linen fabric with a slight weave.",
            "Breathable linen fabric in quiet colors.",
        ),
        "velvet fabric": (
            "Soft velvet fabric that shifts with the light.",
            "Velvet fabric, dense enough for cats.",
        ),
    },
}


TEXTILE: FeatureTable = {
    "is": {
        "machine washable": (
            "Machine washable in cold water; tumble dry low.",
            "Wash it as often as you like: machine washable and quick to dry.",
        ),
        "super soft": (
            "Super soft from the first night, softer after the third wash.",
            "Brushed on both sides until super soft.",
        ),
        "easy to clean": (
            "Easy to clean: vacuum, shake or sponge.",
            "Stains lift with plain water, so {it} {is} easy to clean.",
        ),
        "fade resistant": (
            "Fade resistant color that survives a sunny window.",
            "Dyed in the yarn and fade resistant.",
        ),
        "light blocking": (
            "Light blocking weave turns noon into night.",
            "Light blocking without a rubbery backing.",
        ),
        "thermal insulated": (
            "Thermal insulated layer keeps heat in and bills down.",
            "Thermal insulated fabric, warmer in winter and cooler in summer.",
        ),
        "hypoallergenic": (
            "Hypoallergenic, with no feathers and no dust.",
            "Hypoallergenic and safe for restless sinuses.",
        ),
        "wrinkle resistant": (
            "Wrinkle resistant, even straight from the dryer.",
            "Wrinkle resistant weave that never needs an iron.",
        ),
        "non slip": (
            "Non slip backing that does not mark floors.",
            "A non slip underside keeps everyone upright.",
        ),
        "eco friendly": (
            "Eco friendly dyes and certified yarns.",
            "Made in an eco friendly mill that cleans its water.",
        ),
        "double sided": (
            "Double sided: two looks in one.",
            "Double sided print, so either face can show.",
        ),
        "quick drying": (
            "Quick drying, even in a bathroom without a window.",
            "Quick drying loops that do not smell.",
        ),
        "highly absorbent": (
            "Highly absorbent after the first wash.",
            "Dense and highly absorbent, so one is enough.",
        ),
        "waterproof": (
            "Waterproof, with a hem that does not drip.",
            "The waterproof coating beads up spray.",
        ),
        "spot clean only": (
            "Spot clean only; blot, do not rub.",
            "Spot clean only, with mild soap.",
        ),
    },
    "a": {
        "zipper closure": (
            "A hidden zipper closure along one edge.",
            "Smooth zipper closure with a tiny pull.",
        ),
        "rod pocket": (
            "A rod pocket that takes rods up to one and a half inches.",
            "Slides on with a rod pocket, no rings to count.",
        ),
    },
    "has": {
        "deep pockets": (
            "Deep pockets fit mattresses up to 16 inches.",
            "Deep pockets with elastic all the way round.",
        ),
        "metal grommets": (
            "Metal grommets slide without a screech.",
            "Eight metal grommets per panel.",
        ),
        "tassels": (
            "Knotted tassels at both ends.",
            "Soft tassels that survive the wash.",
        ),
    },
    "room": {
        "living room": (
            "Pulls a living room together.",
            "Made for the living room and everyone in it.",
        ),
        "bedroom": (
            "Makes a bedroom feel finished.",
            "Quiet colors for the bedroom.",
        ),
    },
    "of": {
        "egyptian cotton": (
            "Long-staple egyptian cotton with a smooth hand.",
            "Woven from egyptian cotton, combed twice.",
        ),
        "organic cotton": (
            "Grown without pesticides: organic cotton throughout.",
            "Crisp organic cotton that softens with age.",
        ),
        "brushed microfiber": (
            "Brushed microfiber, light and easy.",
            "Fine brushed microfiber with no pilling.",
        ),
        "faux fur": (
            "Long faux fur on top, plush below.",
            "Dense faux fur that does not shed.",
        ),
        "turkish cotton": (
            "Turkish cotton with long, thirsty loops.",
            "Pure turkish cotton, lint free after the first wash.",
        ),
    },
    "cut": {
        "low pile": (
            "Low pile that doors clear and robots climb.",
            "A dense, low pile for busy rooms.",
        ),
    },
}
