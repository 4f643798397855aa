"""What can be true of food and drink, and how listings say so."""

from agentgym.assets.webshop.generate.model import FeatureTable

FOOD: FeatureTable = {
    "is": {
        "gluten free": (
            "Gluten free, made in a dedicated room.",
            "Certified gluten free, tested batch by batch.",
        ),
        "sugar free": (
            "Sugar free, checked by an outside lab.",
            "Nothing sweet added: sugar free.",
        ),
        "low sugar": (
            "Low sugar, and the real flavor comes through.",
            "A low sugar recipe, far below the usual.",
        ),
        "low sodium": (
            "Low sodium, seasoned with a light hand.",
            "A low sodium choice for people who watch their salt.",
        ),
        "low carb": (
            "Low carb and fits most keto plans.",
            "Low carb, so you can go back for more.",
        ),
        "low calorie": (
            "Low calorie, at a glance on the front.",
            "Light and low calorie, with full flavor.",
        ),
        "high protein": (
            "High protein: at least ten grams a serving.",
            "High protein to keep you going until dinner.",
        ),
        "keto friendly": (
            "Keto friendly, two grams of net carbs.",
            "Keto friendly without the chalky taste.",
        ),
        "dairy free": (
            "Dairy free and kind to touchy stomachs.",
            "No milk, no whey: dairy free.",
        ),
        "nut free": (
            "Nut free and safe for the school bag.",
            "Made in a nut free kitchen.",
        ),
        "non gmo": (
            "Non gmo, verified by a third party.",
            "Only non gmo ingredients.",
        ),
        "certified organic": (
            "Certified organic from farm to bag.",
            "Certified organic, with the certifier named on the back.",
        ),
        "fat free": (
            "Fat free, naturally.",
            "Always fat free.",
        ),
        "low fat": (
            "Low fat, never fried.",
            "Low fat and baked in small ovens.",
        ),
        "individually wrapped": (
            "Individually wrapped for lunch boxes, cars and desks.",
            "Individually wrapped, so the last one is as fresh as the first.",
        ),
        "freeze dried": (
            "Freeze dried to lock in color and crunch.",
            "Gently freeze dried, nothing added.",
        ),
        "caffeine free": (
            "Caffeine free, fine at bedtime.",
            "Naturally caffeine free.",
        ),
        "plant based": (
            "Plant based and proud of it.",
            "A plant based recipe everyone can share.",
        ),
        "kosher": (
            "Kosher certified.",
            "Certified kosher, symbol on the front.",
        ),
        "soy free": (
            "Soy free and simple.",
            "No soy lecithin, no soy oil: soy free.",
        ),
        "ready to eat": (
            "Ready to eat, straight from the bag.",
            "Open and enjoy: ready to eat.",
        ),
        "easy to prepare": (
            "Easy to prepare in one pot.",
            "Easy to prepare on a weeknight.",
        ),
        "easy to use": (
            "Easy to use: scoop, stir, done.",
            "Resealable and easy to use.",
        ),
        "hand crafted": (
            "Hand crafted in batches of a few dozen pounds.",
            "Hand crafted by people who taste every tray.",
        ),
        "shelf stable": (
            "Shelf stable for a year in the pantry.",
            "Shelf stable, no fridge until opened.",
        ),
        "extra virgin": (
            "Extra virgin, pressed within hours of picking.",
            "Extra virgin, acidity well below the limit.",
        ),
        "non alcoholic": (
            "Non alcoholic, so it works for everyone at the table.",
            "Grown-up taste, fully non alcoholic.",
        ),
        "fair trade": (
            "Fair trade: farmers are paid above market price.",
            "Fair trade, bought from co-ops we visit.",
        ),
        "old fashioned": (
            "Made the old fashioned way, without hurry.",
            "An old fashioned recipe, not a shortcut.",
        ),
        "whole grain": (
            "Whole grain, with the bran left in.",
            "A whole grain choice with a nutty taste.",
        ),
    },
    "has": {
        "natural ingredients": (
            "Natural ingredients you would find in your own kitchen.",
            "Only natural ingredients, listed in plain words.",
        ),
        "simple ingredients": (
            "Simple ingredients, fewer than ten.",
            "Made from simple ingredients.",
        ),
        "natural flavors": (
            "Only natural flavors, from fruit and spice.",
            "Natural flavors, no perfume.",
        ),
        "dietary fiber": (
            "A good source of dietary fiber.",
            "Dietary fiber in every serving.",
        ),
        "real fruit": (
            "Made with real fruit.",
            "Real fruit first on the list.",
        ),
    },
    "a": {
        "resealable bag": (
            "Resealable bag keeps it fresh.",
            "Packed in a resealable bag.",
        ),
    },
    "for": {
        "gift giving": (
            "Neatly packed for gift giving.",
            "A friendly idea for gift giving.",
        ),
        "birthday parties": (
            "A hit at birthday parties.",
            "Fill the bowls for birthday parties and sleepovers.",
        ),
    },
}
