"""What can be true of clothes, and how listings say so."""

from agentgym.assets.webshop.generate.model import FeatureTable

CLOTHING: FeatureTable = {
    "is": {
        "big and tall": (
            "Cut longer and roomier for big and tall frames.",
            "Sizes for big and tall shoppers get extra length, not just extra width.",
        ),
        "machine washable": (
            "Machine washable on a [cold|cool] gentle cycle; [tumble dry low|hang to dry] and skip the bleach.",
            "Care is simple: {it} {is} machine washable and come{s} out of the dryer with hardly a crease.",
            "Toss {the} in with the regular laundry. No special detergent needed.",
        ),
        "hand wash only": (
            "Hand wash only in cold water and lay flat to dry, so {it} keep{s} {its} shape.",
            "Please treat {the} gently: hand wash only, no bleach, do not wring.",
        ),
        "moisture wicking": (
            "Moisture wicking fabric pulls sweat away from the skin so you stay dry [on long runs|through a hard "
            "set|all day].",
            "The moisture wicking yarn dries fast and keeps you cool when the weather turns humid.",
        ),
        "quick drying": (
            "Quick drying fabric is ready to wear again [by morning|within an hour or two] after a rinse in the sink.",
            "Caught in the rain? The light, quick drying weave sheds water in no time.",
        ),
        "long sleeve": (
            "Long sleeve cut with [ribbed|neatly finished] cuffs that push up without stretching out.",
            "The long sleeve design covers the wrist and layers neatly under a jacket.",
        ),
        "short sleeve": (
            "Short sleeve style that ends just above the elbow, [flattering on most arms|loose enough to move in].",
            "A short sleeve cut keeps {the} cool and easy to layer.",
        ),
        "stretchy": (
            "Stretchy fabric moves with you and springs back into shape.",
            "A touch of elastane makes {the} stretchy enough to [move|travel|relax] in all day.",
        ),
        "breathable": (
            "Breathable weave lets heat out, so {it} stay{s} comfortable in warm rooms and warm months.",
            "Light and breathable enough to wear from the first warm day to the last.",
        ),
        "wrinkle free": (
            "Wrinkle free finish: straight from the suitcase to the meeting, no iron needed.",
            "Hang {them} after the wash and the wrinkle free fabric does the rest.",
        ),
        "fleece lined": (
            "Fleece lined inside for real warmth that does not add bulk.",
            "The brushed, fleece lined interior feels soft against bare skin and traps heat.",
        ),
        "water resistant": (
            "Water resistant shell beads up light rain and wipes clean.",
            "A durable finish keeps {the} water resistant through drizzle and wet snow.",
        ),
        "wind resistant": (
            "Wind resistant outer layer blocks gusts at the chest and sleeves.",
            "Dense weave and snug cuffs make {this} wind resistant on cold [walks|commutes|chairlifts].",
        ),
        "lightweight": (
            "Lightweight enough to roll up and drop in a [bag|backpack|carry-on].",
            "So lightweight you will forget you are wearing {them}.",
        ),
        "squat proof": (
            "Squat proof double knit stays opaque, even in the light colors.",
            "Tested in front of a bright window: {it} {is} squat proof, with no show-through when you bend.",
        ),
        "tagless": (
            "Tagless neck print means nothing to itch or cut out.",
            "The care label is printed, not sewn: a truly tagless finish.",
        ),
        "fade resistant": (
            "Fade resistant dyes hold their color wash after wash.",
            "Yarn-dyed and fade resistant, so the darks stay dark.",
        ),
        "uv protective": (
            "UV protective fabric shields covered skin on long days outside.",
            "The tight, uv protective knit blocks most of the sun's rays.",
        ),
    },
    "a": {
        "button closure": (
            "Button closure at the front, with one spare sewn inside.",
            "A sturdy button closure, stitched twice, will not come loose in the wash.",
        ),
        "zipper closure": (
            "Smooth zipper closure that does not snag the fabric.",
            "The zipper closure runs smoothly, with a pull that is easy to grip.",
        ),
        "drawstring closure": (
            "The drawstring closure adjusts in a second; the cord ends are knotted and will not fray.",
            "A flat drawstring closure holds snugly and tucks out of sight.",
        ),
        "elastic waistband": (
            "Covered elastic waistband that gives when you sit and never digs in.",
            "A soft elastic waistband makes {them} easy to pull on.",
        ),
        "hooded collar": (
            "Lined, hooded collar with cords that will not slip out.",
            "A roomy hooded collar keeps the wind off your ears.",
        ),
    },
    "has": {
        "tummy control": (
            "Built-in tummy control panel smooths without pinching.",
            "The double front layer gives gentle tummy control you can still breathe in.",
        ),
        "side pockets": (
            "Two deep side pockets hold a phone, keys and a card.",
            "Real side pockets, set so that they do not gape.",
        ),
        "removable padding": (
            "Removable padding slips out through a small side opening before washing.",
            "Shaped cups with removable padding, so you decide how much coverage you want.",
        ),
        "adjustable straps": (
            "Adjustable straps with flat sliders that will not show through.",
            "Fine-tune the fit with adjustable straps that stay where you set them.",
        ),
        "ruffled sleeves": (
            "Soft ruffled sleeves add a little drama to an otherwise plain shape.",
            "Light ruffled sleeves that drape rather than puff.",
        ),
    },
    "for": {
        "everyday wear": (
            "Made for everyday wear: simple lines, strong seams, colors that mix.",
            "Dependable for everyday wear, whether you are at a desk or chasing the kids.",
        ),
        "casual wear": (
            "Easy to dress up or down: casual wear for home or out.",
            "Right for casual wear, [at home|on errands|on the road].",
        ),
        "gym workouts": (
            "{It} hold{s} {its} shape through gym workouts, from warm-up to stretching.",
            "Designed for gym workouts, yoga class or a run around the block.",
        ),
        "date night": (
            "Dresses up nicely for date night with [good shoes|hardly any effort].",
            "A little special, for date night, dinners and small parties.",
        ),
        "cold weather": (
            "Made for cold weather, indoors and out.",
            "Keeps the chill out in cold weather without making you sweat indoors.",
        ),
    },
    "of": {
        "soft cotton": (
            "Knit from soft cotton that feels broken in from the first day.",
            "The soft cotton is combed to take out short, scratchy fibers.",
        ),
        "polyester spandex": (
            "A smooth polyester spandex blend with four-way stretch.",
            "Polyester spandex keeps {its} shape and resists pilling.",
        ),
        "cotton spandex": (
            "Cotton spandex gives a natural feel with a little give.",
            "Cut from cotton spandex, so {it} breathe{s} like cotton and move{s} with you.",
        ),
        "merino wool": (
            "Merino wool keeps you warm without the itch and does not hold odor.",
            "Spun from fine merino wool that regulates heat naturally.",
        ),
        "linen blend": (
            "A breezy linen blend that softens every time you wash it.",
            "The linen blend has a natural, slightly slubby texture.",
        ),
    },
    "cut": {
        "slim fit": (
            "Slim fit that follows the body without pulling; size up for a looser look.",
            "Cut slim fit, close to the body with just enough stretch to move.",
        ),
        "regular fit": (
            "Regular fit that is neither tight nor baggy. Order your usual size.",
            "A regular fit with an easy, straight line.",
        ),
        "relaxed fit": (
            "Relaxed fit with extra room where you need it, for weekends and long drives.",
            "The relaxed fit hangs loosely and never clings.",
        ),
        "loose fit": (
            "Loose fit with plenty of room to layer; size down if you like things closer.",
            "An airy, loose fit that flatters without clinging.",
        ),
        "high waist": (
            "High waist cut smooths the middle and stays put when you bend or squat.",
            "The wide, high waist band sits above the navel and does not roll down.",
        ),
        "wide leg": (
            "Flowing wide leg cut that moves when you walk and skims the floor with a small heel.",
            "A wide leg from the hip down gives a long, clean line.",
        ),
        "straight leg": (
            "Straight leg from hip to hem, the shape that goes with everything.",
            "Neither skinny nor flared: a straight leg sits well over sneakers or boots.",
        ),
        "crew neck": (
            "A classic crew neck with [double|tight] ribbing that does not sag.",
            "The crew neck sits close and looks tidy under a jacket.",
        ),
        "v neck": (
            "A modest v neck that shows a necklace but nothing more.",
            "The v neck is finished with a neat band and lies flat.",
        ),
    },
}
