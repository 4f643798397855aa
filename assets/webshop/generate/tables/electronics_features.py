"""What can be true of headphones, cables, cameras and mounts, and how listings say so."""

from agentgym.assets.webshop.generate.model import FeatureTable

GADGETS: FeatureTable = {
    "is": {
        "noise cancelling": (
            "Noise cancelling that keeps [traffic|keyboards|fans] in the background.",
            "The noise cancelling circuit separates voices from the street.",
        ),
        "hands free": (
            "Take calls hands free with one tap.",
            "Hands free use while you cook, drive or type.",
        ),
        "water resistant": (
            "Water resistant to IPX5: sweat and rain are no problem.",
            "Sealed ports make {this} properly water resistant.",
            "Water resistant shell for kitchens, boats and bad weather.",
        ),
        "fast charging": (
            "Fast charging: half full in about half an hour.",
            "Supports fast charging with a matching adapter.",
        ),
        "high speed": (
            "High speed by design, with no bottleneck at the plug.",
            "True high speed performance, tested on every unit.",
        ),
        "heavy duty": (
            "Heavy duty build that forgives bags, boots and toddlers.",
            "A heavy duty design with reinforced joints.",
        ),
        "easy to install": (
            "Easy to install in a few minutes, with all you need in the box.",
            "Clear pictures and no special tools: easy to install.",
        ),
        "easy to use": (
            "Easy to use without an app or an account.",
            "So easy to use that [kids|grandparents|guests] need no help.",
        ),
        "plug and play": (
            "Plug and play: no drivers, no restart.",
            "Truly plug and play on the usual systems.",
        ),
        "lightweight": (
            "Lightweight enough for a small bag.",
            "You will hardly notice {it} {is} there: lightweight and well balanced.",
        ),
        "easy to carry": (
            "Easy to carry, with nothing loose to lose.",
            "{It} pack{s} small and {is} easy to carry.",
        ),
        "long lasting": (
            "Long lasting: tested well past the warranty.",
            "Good parts make for long lasting service.",
            "A long lasting design, so you buy it once.",
        ),
        "height adjustable": (
            "Height adjustable in small steps, with a firm lock.",
            "{It} {is} height adjustable by hand, without tools.",
        ),
        "high definition": (
            "High definition picture with clean edges, even in dim rooms.",
            "Crisp, high definition detail from corner to corner.",
        ),
        "gold plated": (
            "Gold plated contacts resist corrosion.",
            "Gold plated connectors for a clean signal.",
        ),
        "shock proof": (
            "Shock proof from desk height and beyond.",
            "Built to be shock proof: {it} take{s} the hit so that nothing else has to.",
        ),
        "dust proof": (
            "Dust proof on building sites and at the beach.",
            "A fine seal keeps {the} dust proof.",
        ),
        "heat dissipating": (
            "Heat dissipating metal keeps things cool under load.",
            "Vents along the spine: heat dissipating by design.",
        ),
        "rechargeable": (
            "Rechargeable through USB-C; cable included.",
            "Rechargeable, so you can stop buying batteries.",
        ),
        "scratch resistant": (
            "Scratch resistant finish, tested with keys and coins.",
            "Pockets and bags will not mark the scratch resistant surface.",
        ),
        "case friendly": (
            "Case friendly edges leave room for a bumper.",
            "Cut a hair inside the rim to stay case friendly.",
        ),
        "energy efficient": (
            "Energy efficient on standby, under half a watt.",
            "An energy efficient circuit runs cool.",
        ),
        "motion activated": (
            "Motion activated recording saves storage.",
            "Motion activated alerts with adjustable zones.",
        ),
    },
    "a": {
        "carrying case": (
            "Comes with a carrying case with a mesh pocket.",
            "A hard carrying case is included.",
        ),
        "quick release": (
            "A quick release plate snaps on and off with one hand.",
            "The quick release saves you from threading screws in the cold.",
        ),
        "remote control": (
            "Small remote control included, battery and all.",
            "The remote control works from across the room.",
        ),
        "usb port": (
            "A usb port at the side, covered when not in use.",
            "An extra usb port where you can reach it.",
        ),
        "ball head": (
            "Smooth ball head with a bubble level.",
            "The ball head locks solid and lets go easily.",
        ),
        "braided cord": (
            "A braided cord that does not tangle or kink.",
            "Nylon braided cord, tested for ten thousand bends.",
        ),
        "kickstand": (
            "A fold-out kickstand for watching in bed or on planes.",
            "The metal kickstand works upright and sideways.",
        ),
    },
    "has": {
        "stereo sound": (
            "Full stereo sound with bass you can feel and voices you can follow.",
            "Two drivers for real stereo sound.",
        ),
        "wireless bluetooth": (
            "Wireless bluetooth 5.3 pairs in seconds and holds through two walls.",
            "Pairs with two devices at once over wireless bluetooth.",
        ),
        "touch control": (
            "Touch control for the things you do most.",
            "A tap is enough: touch control with no stiff buttons.",
        ),
        "4k support": (
            "4k support at 60 frames a second.",
            "With 4k support there is no soft picture on a big screen.",
        ),
        "wireless charging": (
            "Wireless charging works on any standard pad.",
            "No need to plug in: wireless charging is supported.",
        ),
        "overheat protection": (
            "Overheat protection and a fuse you never have to think about.",
            "Chip-level overheat protection watches temperature and current.",
        ),
        "night vision": (
            "Infrared night vision to about thirty feet.",
            "Clear night vision in black and white, or in color with the spotlight on.",
        ),
        "cable management": (
            "Clips for cable management keep wires out of sight.",
            "Built-in cable management, so the back looks as tidy as the front.",
        ),
        "backlit keys": (
            "Backlit keys with three levels, plus off.",
            "Soft white backlit keys for late nights.",
        ),
    },
    "for": {
        "digital photography": (
            "Steady enough for digital photography at slow shutter speeds.",
            "For digital photography, streaming and video calls.",
        ),
        "outdoor use": (
            "Rated for outdoor use from freezing to heat wave.",
            "Weather-sealed for outdoor use.",
        ),
        "live streaming": (
            "Clear and steady for live streaming.",
            "Popular for live streaming, lessons and unboxing videos.",
        ),
    },
    "of": {
        "aluminum alloy": (
            "Machined aluminum alloy with rounded edges.",
            "Aluminum alloy where others use plastic.",
        ),
        "tempered glass": (
            "Hard tempered glass, clear as nothing at all.",
            "Tempered glass takes the crack so that your screen does not.",
        ),
        "soft silicone": (
            "Soft silicone with a grippy, matte feel.",
            "Liquid-feel soft silicone that does not collect lint.",
        ),
        "stainless steel": (
            "Brushed stainless steel that does not rust.",
            "Made of stainless steel, solid and smooth.",
        ),
        "carbon fiber": (
            "Woven carbon fiber, light and stiff.",
            "Real carbon fiber, with the pattern to prove it.",
        ),
    },
    "room": {
        "home theater": (
            "Made for a home theater, without taking over the room.",
            "A neat upgrade for a home theater.",
        ),
        "home office": (
            "Made for the home office: small footprint, quiet, tidy.",
            "A good fit for a home office or dorm desk.",
        ),
    },
}
