"""What can be true of shoes, bags and other things one wears, and how listings say so."""

from agentgym.assets.webshop.generate.model import FeatureTable

FOOTWEAR: FeatureTable = {
    "is": {
        "slip resistant": (
            "Slip resistant tread grips wet tile, [kitchen floors|ramps|smooth concrete].",
            "Tested on oily and wet floors, {the} {is} slip resistant where it counts.",
        ),
        "water resistant": (
            "Water resistant upper shrugs off puddles and [morning dew|slush].",
            "Sealed seams keep {them} water resistant on rainy commutes.",
        ),
        "lightweight": (
            "Lightweight build, so your legs feel fresh at the end of the day.",
            "Each shoe weighs little more than a phone: lightweight and easy to pack.",
        ),
        "winter warm": (
            "Winter warm lining reaches right down to the toes.",
            "Plush inside and winter warm, even on an unheated porch.",
        ),
        "long lasting": (
            "Reinforced stitching at the stress points makes for a long lasting pair.",
            "Long lasting construction; the outsole is stitched as well as glued.",
        ),
        "breathable": (
            "Breathable mesh panels let warm air out as you move.",
            "The upper is perforated and breathable, so socks stay dry.",
        ),
    },
    "a": {
        "rubber sole": (
            "Flexible rubber sole bends with the foot and does not mark floors.",
            "A grippy rubber sole with deep grooves for wet streets.",
        ),
        "rubber outsole": (
            "Durable rubber outsole with a tread that clears mud and grit.",
            "The rubber outsole wraps up at the toe for extra wear.",
        ),
        "synthetic sole": (
            "Light synthetic sole, [quiet on hard floors|easy to wipe clean].",
            "A cushioned synthetic sole keeps the weight down.",
        ),
        "low heel": (
            "A low heel of about an inch and a half that you can walk in all day.",
            "The stable low heel gives a little lift and no wobble.",
        ),
        "high heel": (
            "A slim high heel of just over three inches, set well under the foot for balance.",
            "The wrapped high heel has a rubber tip that is easy to replace.",
        ),
        "block heel": (
            "A steady block heel that will not sink into grass or gratings.",
            "Comfortable block heel, covered to match the upper.",
        ),
        "ankle strap": (
            "An adjustable ankle strap with a tiny buckle keeps the foot in place.",
            "The ankle strap fastens with a hidden elastic, so you set it once.",
        ),
        "hook and loop strap": (
            "Fasten them one-handed with the wide hook and loop strap.",
            "A hook and loop strap adjusts for swollen feet or thick socks.",
        ),
        "lace up closure": (
            "Lace up closure with rounded laces that stay tied.",
            "A traditional lace up closure locks the heel down.",
        ),
        "soft lining": (
            "A soft lining means you can wear them barefoot.",
            "The insole and sides share a soft lining that does not pill.",
        ),
        "side zipper": (
            "The side zipper makes them quick to pull on; laces or no laces.",
            "A smooth side zipper runs almost to the sole.",
        ),
    },
    "has": {
        "arch support": (
            "Contoured footbed with firm arch support and a deep heel cup.",
            "Real arch support, not just a bump in the insole.",
        ),
        "memory foam": (
            "A memory foam insole molds to your foot within a few wears.",
            "Thick memory foam underfoot soaks up hard floors.",
        ),
        "good traction": (
            "Multi-directional lugs give good traction on loose gravel.",
            "The outsole pattern has good traction in rain and on polished floors.",
        ),
    },
    "for": {
        "everyday wear": (
            "Comfortable enough for everyday wear, smart enough for dinner.",
            "A go-to pair for everyday wear, with jeans or something smarter.",
        ),
        "plantar fasciitis": (
            "The raised arch and soft heel bring relief for plantar fasciitis.",
            "A firm shank takes the strain off the heel, welcome news for plantar fasciitis.",
        ),
        "standing all day": (
            "Built for standing all day: nurses, cooks and teachers, these are yours.",
            "Layers of cushioning take the ache out of standing all day.",
        ),
    },
    "of": {
        "genuine leather": (
            "Upper of genuine leather that creases handsomely with age.",
            "Cut from genuine leather and edge-finished by hand.",
        ),
        "faux suede": (
            "Soft faux suede upper; brush gently to lift the nap.",
            "Made of faux suede with a velvety hand.",
        ),
        "vegan leather": (
            "Smooth vegan leather that needs no breaking in.",
            "The vegan leather upper wipes clean with a damp cloth.",
        ),
        "knit mesh": (
            "A one-piece knit mesh upper stretches over wide spots.",
            "Seamless knit mesh hugs the foot like a sock.",
        ),
        "ethylene vinyl": (
            "Midsole of ethylene vinyl, light and springy.",
            "Shock-absorbing ethylene vinyl under the heel softens each step.",
        ),
    },
    "cut": {
        "open toe": (
            "An open toe lets feet breathe and shows off a pedicure.",
            "Open toe styling with a soft edge that does not rub.",
        ),
        "closed toe": (
            "Closed toe design protects against stubs and splashes.",
            "A rounded, closed toe leaves room to wiggle.",
        ),
        "steel toe": (
            "Steel toe cap meets common work-site impact ratings.",
            "The steel toe sits in a roomy box, so it never touches your toes.",
        ),
        "wide width": (
            "Wide width last for broad feet and bunions. No pinching at the ball of the foot.",
            "A generous toe box makes {them} wide width without looking clumsy.",
        ),
    },
}


CARRY: FeatureTable = {
    "is": {
        "lightweight": (
            "Lightweight, even with everything in place.",
            "At only a few ounces {it} {is} lightweight enough to forget about.",
        ),
        "water resistant": (
            "Water resistant fabric protects what is inside from a sudden shower.",
            "A coated, water resistant outer wipes dry in a second.",
        ),
        "long lasting": (
            "Bar-tacked seams and solid hardware make {this} a long lasting buy.",
            "Long lasting materials: no peeling, no fraying edges.",
        ),
        "fashion forward": (
            "A fashion forward shape that still goes with what you own.",
            "Fashion forward without being fussy.",
        ),
        "polarized": (
            "Polarized lenses cut the glare from [roads|water|snow] and ease tired eyes.",
            "Look at a phone screen sideways and you can tell: {it} {is} properly polarized.",
        ),
        "scratch resistant": (
            "Scratch resistant coating on both sides survives a life without a case.",
            "Hard-coated and scratch resistant, though a pouch is included.",
        ),
        "one size fits most": (
            "One size fits most adults; the knit stretches and springs back.",
            "Cut generously, so one size fits most heads.",
        ),
        "machine washable": (
            "Machine washable in a mesh bag; reshape and dry flat.",
            "Gets grimy? {It} {is} machine washable on cold.",
        ),
        "fleece lined": (
            "Fleece lined over the ears, where you need it.",
            "The fleece lined band stops the itch and the wind.",
        ),
    },
    "a": {
        "zipper closure": (
            "Main compartment with a smooth zipper closure.",
            "A two-way zipper closure keeps contents safe in crowds.",
        ),
        "magnetic snap": (
            "The hidden magnetic snap closes with a soft click.",
            "A strong magnetic snap holds the flap even when the bag is full.",
        ),
        "adjustable strap": (
            "An adjustable strap goes from shoulder to crossbody length.",
            "The adjustable strap is wide enough not to bite.",
        ),
        "reversible buckle": (
            "Twist the reversible buckle for a second color: two belts in one.",
            "A reversible buckle that turns with a firm click and stays put.",
        ),
        "cuffed brim": (
            "Fold the cuffed brim up or down to suit the wind.",
            "A neat cuffed brim doubles the warmth at the ears.",
        ),
    },
    "has": {
        "card slots": (
            "Card slots inside the front pocket, so you can leave the wallet at home.",
            "Six card slots and a window for your license.",
        ),
        "uv protection": (
            "Lenses give full uv protection against UVA and UVB rays.",
            "Dark tint with real uv protection, not just color.",
        ),
    },
    "for": {
        "everyday use": (
            "Plain enough for everyday use, neat enough for a wedding.",
            "Meant for everyday use and made to take it.",
        ),
        "cold weather": (
            "Double-layer knit for cold weather and early bus stops.",
            "Wear it in cold weather under a hood or helmet.",
        ),
    },
    "of": {
        "genuine leather": (
            "Full-width genuine leather, not bonded scraps.",
            "Cut from genuine leather that softens with use.",
        ),
        "vegan leather": (
            "Made of vegan leather with a pebbled finish.",
            "Supple vegan leather that does not smell of chemicals.",
        ),
        "acrylic knit": (
            "Chunky acrylic knit that keeps its stretch.",
            "Soft acrylic knit, warm and free of wool itch.",
        ),
        "durable nylon": (
            "Woven from durable nylon with a subtle sheen.",
            "Durable nylon outer that laughs at keys and pens.",
        ),
    },
}
