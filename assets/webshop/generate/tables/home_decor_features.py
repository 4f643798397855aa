"""What can be true of lamps, kitchen and garden goods, and how listings say so."""

from agentgym.assets.webshop.generate.model import FeatureTable

DECOR: FeatureTable = {
    "is": {
        "easy to install": (
            "Easy to install; all the parts you need are in the box.",
            "Few parts and clear pictures: easy to install.",
        ),
        "easy to hang": (
            "Easy to hang, with hardware already fixed to the back.",
            "Comes ready and easy to hang.",
        ),
        "easy to clean": (
            "Easy to clean with a soft cloth.",
            "Smooth surfaces, easy to clean.",
        ),
        "wall mounted": (
            "Wall mounted, upright or sideways.",
            "Made to be wall mounted; hardware included.",
        ),
        "energy efficient": (
            "Energy efficient and cool to the touch.",
            "Uses a tenth of the power of an old bulb: energy efficient.",
        ),
        "dimmable": (
            "Dimmable from full to a glow.",
            "Fully dimmable with any common dimmer.",
        ),
        "hand painted": (
            "Hand painted, with brush marks you can see.",
            "Each one is hand painted and slightly different.",
        ),
        "shatter proof": (
            "Shatter proof, with a safety film behind.",
            "Backed so that it is shatter proof.",
        ),
        "lead free": (
            "A cotton wick, lead free and trimmed.",
            "Lead free wick that burns clean.",
        ),
        "long lasting": (
            "Long lasting, month after month.",
            "Well made and long lasting.",
        ),
        "ready to use": (
            "Comes ready to use, nothing else to buy.",
            "Unwrap, and it is ready to use.",
        ),
        "rust resistant": (
            "Rust resistant in steam and salt air.",
            "Coated to be rust resistant.",
        ),
        "solar powered": (
            "Solar powered: no wiring, no bills.",
            "Solar powered, on at dusk and off at dawn.",
        ),
        "weather resistant": (
            "Weather resistant through sun, rain and frost.",
            "Leave it out all season: weather resistant.",
        ),
        "uv resistant": (
            "UV resistant color that stays true.",
            "Treated to be uv resistant.",
        ),
        "bpa free": (
            "BPA free and safe for food.",
            "Made of bpa free material.",
        ),
        "dishwasher safe": (
            "Dishwasher safe on the top rack.",
            "Dishwasher safe, so cleaning up is quick.",
        ),
        "leak proof": (
            "Leak proof, upside down in a bag.",
            "Tested to be leak proof.",
        ),
        "eco friendly": (
            "Eco friendly materials and paper packing.",
            "An eco friendly choice, made to be kept.",
        ),
        "easy to store": (
            "Easy to store flat in the off season.",
            "Folds down and is easy to store.",
        ),
        "non slip": (
            "Non slip feet hold on a wet counter.",
            "Rubber corners make it non slip.",
        ),
        "heavy duty": (
            "Heavy duty fittings where others use plastic.",
            "Heavy duty, for people who mean it.",
        ),
        "easy to assemble": (
            "Easy to assemble in ten minutes.",
            "Few parts, easy to assemble.",
        ),
    },
    "a": {
        "linen shade": (
            "A linen shade softens the light.",
            "White linen shade, lined inside.",
        ),
        "wood frame": (
            "Stretched over a wood frame.",
            "Solid wood frame with mitered corners.",
        ),
        "steel frame": (
            "Powder-coated steel frame.",
            "A steel frame keeps it square.",
        ),
        "drainage hole": (
            "A drainage hole with a plug.",
            "Each one has a drainage hole and a saucer.",
        ),
        "push button tilt": (
            "Push button tilt follows the sun.",
            "A smooth push button tilt.",
        ),
    },
    "has": {
        "led light": (
            "Warm led light, never harsh.",
            "Built-in led light rated for years.",
        ),
    },
    "room": {
        "living room": (
            "Made for the living room, where people gather.",
            "At home in a living room.",
        ),
        "dining room": (
            "Lovely over a dining room table or sideboard.",
            "Sets the mood in the dining room.",
        ),
        "bedroom": (
            "A gentle touch for the bedroom.",
            "Bedroom friendly: quiet and calm.",
        ),
    },
    "for": {
        "outdoor use": (
            "Made for outdoor use on decks and balconies.",
            "Fine for outdoor use all summer.",
        ),
        "home decoration": (
            "A simple idea for home decoration.",
            "Easy home decoration that does not shout.",
        ),
    },
    "of": {
        "soy wax": (
            "Soy wax burns slow and even.",
            "Poured from pure soy wax.",
        ),
        "clear glass": (
            "Hand-blown clear glass.",
            "Thick clear glass without bubbles.",
        ),
        "stainless steel": (
            "Thick stainless steel that does not rust.",
            "Brushed stainless steel that does not show prints.",
        ),
        "acacia wood": (
            "Oiled acacia wood with rich grain.",
            "Sustainably cut acacia wood.",
        ),
        "bamboo": (
            "Dense bamboo that is kind to knives and hands.",
            "Made of bamboo, not plastic.",
        ),
        "ceramic": (
            "Glazed ceramic with a smooth edge.",
            "Fired ceramic, heavy and stable.",
        ),
        "tempered glass": (
            "Tempered glass with polished edges.",
            "Strong tempered glass.",
        ),
    },
}
