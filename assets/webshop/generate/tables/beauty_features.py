"""What can be true of shampoos, creams, brushes and perfumes, and how listings say so."""

from agentgym.assets.webshop.generate.model import FeatureTable

FORMULA: FeatureTable = {
    "is": {
        "sulfate free": (
            "Sulfate free, so it cleans without stripping.",
            "We left out harsh detergents: {this} {is} sulfate free.",
        ),
        "paraben free": (
            "Paraben free and preserved with gentler alternatives.",
            "No parabens here; {this} {is} paraben free from first batch to last.",
        ),
        "cruelty free": (
            "Cruelty free: never tested on animals, not by us and not by our suppliers.",
            "Tested on willing humans only. Always cruelty free.",
        ),
        "fragrance free": (
            "Fragrance free for noses and skin that react to perfume.",
            "No perfume, no masking scent: truly fragrance free.",
        ),
        "alcohol free": (
            "Alcohol free, so there is no sting and no tightness.",
            "The alcohol free base will not dry you out.",
        ),
        "oil free": (
            "Oil free and light, with no greasy film.",
            "An oil free texture that sinks in within seconds.",
        ),
        "dermatologist tested": (
            "Dermatologist tested on sensitive skin for four weeks.",
            "Patch-tested under supervision and dermatologist tested.",
        ),
        "long lasting": (
            "Long lasting, from the first hour to the last.",
            "A little goes far, and the effect is long lasting.",
        ),
        "travel size": (
            "Travel size that clears airport security.",
            "Slim, travel size packaging fits any wash bag.",
        ),
        "plant based": (
            "Plant based actives, with every ingredient named on the label.",
            "A plant based formula: [coconut, aloe and oat|botanical oils and extracts] do the work.",
        ),
        "certified organic": (
            "Key ingredients are certified organic and traceable to the farm.",
            "Certified organic by an independent body, with the number on the box.",
        ),
        "non greasy": (
            "A non greasy finish you can dress over right away.",
            "Non greasy, even in humid weather.",
        ),
        "anti aging": (
            "Anti aging care that softens the look of fine lines in about a month.",
            "A daily anti aging step for forehead, eyes and neck.",
        ),
        "non toxic": (
            "Non toxic ingredients, with nothing you would hide from your kids.",
            "A non toxic formula; no formaldehyde, no toluene.",
        ),
        "water resistant": (
            "Water resistant for up to 80 minutes in the pool.",
            "Sweat and water resistant; reapply after toweling off.",
        ),
        "clinically proven": (
            "Clinically proven results in an eight-week consumer study.",
            "Measured, not just promised: clinically proven at the stated strength.",
        ),
        "easy to apply": (
            "Easy to apply, even without a mirror.",
            "The applicator makes {it} easy to apply in a thin, even layer.",
        ),
        "easy to use": (
            "Easy to use: clear steps, no guesswork.",
            "Clear steps on the label, easy to use the first time.",
        ),
        "hypoallergenic": (
            "Hypoallergenic and made on lines free from common allergens.",
            "A hypoallergenic recipe, short enough to read in one breath.",
        ),
        "smudge proof": (
            "Smudge proof through rain, tears and long weddings.",
            "Once set, it stays: smudge proof and transfer proof.",
        ),
        "highly pigmented": (
            "Highly pigmented color in one pass.",
            "Highly pigmented, yet it blends with a fingertip.",
        ),
        "fluoride free": (
            "Fluoride free and safe for the whole family.",
            "Cleans with minerals instead: a fluoride free formula.",
        ),
        "aluminum free": (
            "Aluminum free protection that lets the skin breathe.",
            "No aluminum salts, no white marks: aluminum free.",
        ),
    },
    "has": {
        "natural ingredients": (
            "Made with natural ingredients you can pronounce.",
            "Natural ingredients make up most of the list.",
        ),
        "hyaluronic acid": (
            "Hyaluronic acid draws moisture in and holds it.",
            "Three weights of hyaluronic acid for surface and depth.",
        ),
        "argan oil": (
            "Cold-pressed argan oil adds slip and shine.",
            "Enriched with argan oil from Moroccan cooperatives.",
        ),
        "coconut oil": (
            "Coconut oil softens from root to tip.",
            "Unrefined coconut oil for a soft, healthy feel.",
        ),
        "tea tree oil": (
            "Tea tree oil leaves a clean, cool tingle.",
            "A measured dose of tea tree oil calms and refreshes.",
        ),
        "vitamin c": (
            "Stable vitamin c brightens the look of dull skin.",
            "Vitamin c helps even out tone with regular use.",
        ),
        "shea butter": (
            "Rich shea butter melts in on contact.",
            "Shea butter comforts dry elbows and hands.",
        ),
        "aloe vera": (
            "Cooling aloe vera soothes as it works.",
            "Aloe vera juice, not just water, is first on the list.",
        ),
        "broad spectrum protection": (
            "Broad spectrum protection against UVA and UVB rays.",
            "Mineral filters give broad spectrum protection without stinging eyes.",
        ),
        "essential oils": (
            "Scented only with essential oils.",
            "Pure essential oils, no synthetic perfume.",
        ),
    },
    "for": {
        "dry skin": (
            "Rich enough for dry skin, winter hands and flaky patches.",
            "Made for dry skin that drinks up everything else.",
        ),
        "sensitive skin": (
            "Gentle enough for sensitive skin, daily.",
            "Formulated for sensitive skin and tested on the touchiest.",
        ),
        "oily skin": (
            "Keeps shine down on oily skin until evening.",
            "Balances oily skin without that tight feeling.",
        ),
        "dark circles": (
            "Pat on to fade the look of dark circles.",
            "Targets dark circles and morning puffiness.",
        ),
        "fine lines": (
            "Smooths the look of fine lines around eyes and mouth.",
            "Plumps up fine lines, so makeup sits better.",
        ),
        "dry hair": (
            "Brings dry hair back from heat and hard water.",
            "Made for dry hair that tangles and snaps.",
        ),
        "damaged hair": (
            "Repairs the feel of damaged hair after bleach or straightening.",
            "Strengthens damaged hair wash by wash.",
        ),
        "color treated hair": (
            "Safe for color treated hair; keeps the tone fresh for longer.",
            "Gentle cleansing for color treated hair.",
        ),
        "curly hair": (
            "Defines curly hair with no crunch.",
            "Curly hair keeps its spring and loses its frizz.",
        ),
        "hair growth": (
            "Supports healthy hair growth at thinning temples and parts.",
            "Massage in nightly to support hair growth.",
        ),
        "teeth whitening": (
            "Lifts coffee and tea stains: teeth whitening you can see in two weeks.",
            "Gentle polish for daily teeth whitening.",
        ),
        "sensitive teeth": (
            "Soothes sensitive teeth, hot or cold.",
            "Kind to sensitive teeth and receding gums.",
        ),
        "fresh breath": (
            "Hours of fresh breath from real [mint|herbs].",
            "Leaves cool, fresh breath that outlasts lunch.",
        ),
        "stress relief": (
            "Breathe in: a blend chosen for stress relief.",
            "Ten quiet minutes of stress relief at home.",
        ),
    },
}

TOOLS: FeatureTable = {
    "is": {
        "cruelty free": (
            "Bristles are vegan and cruelty free.",
            "Cruelty free throughout, no animal hair.",
        ),
        "easy to clean": (
            "Easy to clean under the tap; dries standing up.",
            "Rinse, shake, done: easy to clean.",
        ),
        "easy to use": (
            "Easy to use from the first try.",
            "Light and easy to use with one hand.",
        ),
        "heat resistant": (
            "Heat resistant fibers take a low iron.",
            "Heat resistant up to 350 degrees Fahrenheit.",
        ),
        "natural looking": (
            "Natural looking roots and ends, with no plastic shine.",
            "Blends in for a natural looking result nobody will question.",
        ),
        "bpa free": (
            "BPA free materials, safe to keep in the mouth or at the lips.",
            "Made of bpa free plastic.",
        ),
        "high quality": (
            "High quality materials, checked by hand before packing.",
            "Made to last, from high quality parts.",
        ),
        "travel friendly": (
            "Travel friendly: comes with a pouch.",
            "Slim and travel friendly, for carry-on or gym bag.",
        ),
        "rechargeable": (
            "Rechargeable by USB; one charge lasts about [three|four] weeks.",
            "Rechargeable battery, so no more AA cells.",
        ),
        "long lasting": (
            "Long lasting with a little care; see the leaflet.",
            "Long lasting wear, well past the cheap ones.",
        ),
        "reusable": (
            "Reusable many times if you put {them} away clean and dry.",
            "Reusable, so one set sees you through more than one party.",
        ),
        "waterproof": (
            "Waterproof to one meter, fine in the shower.",
            "The waterproof body can be rinsed under a running tap.",
        ),
        "easy to apply": (
            "Easy to apply at home in under half an hour.",
            "No salon needed: easy to apply, step by step.",
        ),
    },
    "a": {
        "storage case": (
            "A fitted storage case keeps {the} clean and safe.",
            "Comes in a storage case with a snap lid.",
        ),
        "non slip handle": (
            "A non slip handle for wet hands.",
            "The non slip handle is weighted for balance.",
        ),
        "ceramic barrel": (
            "The ceramic barrel heats evenly, with no hot spots.",
            "A smooth ceramic barrel that does not pull.",
        ),
    },
    "has": {
        "soft bristles": (
            "Dense, soft bristles that do not scratch.",
            "Soft bristles with rounded tips.",
        ),
        "adjustable heat": (
            "Adjustable heat from fine to coarse hair.",
            "Adjustable heat, shown on a small screen.",
        ),
        "human hair": (
            "Made with human hair that can be washed, cut and curled.",
            "100% human hair with cuticles facing one way.",
        ),
        "synthetic fiber": (
            "Fine synthetic fiber that keeps its style after washing.",
            "Soft synthetic fiber, low shine and low care.",
        ),
    },
    "for": {
        "hair styling": (
            "For everyday hair styling, from sleek to big.",
            "All you need for hair styling before work.",
        ),
        "wet and dry hair": (
            "Glides through wet and dry hair with few snags.",
            "For wet and dry hair, straight or coily.",
        ),
        "nail art": (
            "A neat base for nail art, stickers and gems.",
            "Good for nail art at home or on friends.",
        ),
        "sensitive skin": (
            "Rounded edges are kind to sensitive skin.",
            "Tested on sensitive skin: no redness, no pulling.",
        ),
        "sensitive teeth": (
            "Gentle mode for sensitive teeth.",
            "Made for gums that bleed and sensitive teeth.",
        ),
        "hair extensions": (
            "Safe for hair extensions and braids.",
            "Detangles hair extensions from the ends up.",
        ),
    },
    "of": {
        "stainless steel": (
            "Precision-ground stainless steel that does not rust.",
            "Made of stainless steel with rounded tips.",
        ),
        "bamboo": (
            "Handle of bamboo, sealed with plant wax.",
            "Moso bamboo, grown without pesticides.",
        ),
    },
}
