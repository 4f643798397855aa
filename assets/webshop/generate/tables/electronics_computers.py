"""Computers: one category of the electronics department."""

from agentgym.assets.webshop.generate.model import Category, Kind
from agentgym.assets.webshop.generate.tables.electronics_features import GADGETS

COMPUTERS = Category(
    "electronics",
    "Electronics › Computers & Accessories",
    "gadgets",
    ("KEYLORN", "Bytehaven", "Mousery", "DRIFTBIT", "Stacklume", "Hubwell", "QUILLTECH", "Portsmith", "Veritap"),
    (
        Kind(
            "wireless mouse",
            "Wireless Mouse; Ergonomic Mouse; Silent Mouse; Computer Mouse; Vertical Mouse",
            "mouse",
            "Computer Accessories › Mice",
            19,
            "!plug and play, rechargeable, wireless bluetooth, lightweight, easy to carry, home office, easy to "
            "use, long lasting, energy efficient",
            {"color": "gadget"},
            {
                "Silent Clicks": "Silent clicks for shared rooms.",
                "Adjustable DPI": "Adjustable DPI, five steps from one button.",
                "Thumb Rest": "A sculpted thumb rest.",
                "Nano Receiver": "The nano receiver stows in the base.",
            },
            "Laptop, Office, Travel, Small Hands",
            ("Your wrist will notice by Friday.", "A mouse that works on sofas, trays and desks."),
            (
                "No more wrist pain.",
                "silent> Nobody hears me click in meetings.",
                "rechargeable> Months on one charge.",
            ),
            ("Scroll wheel squeaks.", "Lags when waking up."),
            clashes=("silent mouse, silent clicks",),
        ),
        Kind(
            "mechanical keyboard",
            "Mechanical Keyboard; Gaming Keyboard; Compact Mechanical Keyboard; Wireless Mechanical Keyboard",
            "keyboard",
            "Computer Accessories › Keyboards",
            58,
            "!backlit keys, plug and play, wireless bluetooth, aluminum alloy, heavy duty, easy to carry, long "
            "lasting, home office, braided cord",
            {"color": "gadget_few", "style": "switches"},
            {
                "Hot Swappable": "Hot swappable sockets take most switches.",
                "75 Percent": "75 percent layout keeps the arrows.",
                "With Wrist Rest": "Padded wrist rest included.",
                "Double Shot Keycaps": "Double shot keycaps that will not fade.",
            },
            "Gaming, Typing, Programming, Office",
            ("Typing you can hear yourself enjoy.", "Firm, even keys and a case that does not flex."),
            ("Sounds great, feels better.", "Typos went down.", "Heavy, it does not slide."),
            ("A key repeats itself.", "Too loud for the office."),
            clashes=(
                "wireless mechanical keyboard, braided cord",
                "wireless bluetooth, braided cord",
                "wireless mechanical keyboard, wireless bluetooth",
                "compact mechanical keyboard, heavy duty",
                "gaming keyboard, home office",
                "heavy duty, easy to carry",
            ),
        ),
        Kind(
            "usb hub",
            "USB Hub; USB C Hub; Docking Station; USB Hub Splitter",
            "hub",
            "Computer Accessories › Hubs",
            28,
            "!plug and play, high speed, 4k support, aluminum alloy, heat dissipating, easy to carry, "
            "lightweight, home office",
            {"color": "gadget_few", "size": "ports"},
            {
                "Card Reader": "Card reader for both common sizes.",
                "Ethernet": "Gigabit ethernet for calls that must not drop.",
                "Individual Switches": "Individual switches and lights.",
                "Short Tail": "Short tail, so it hangs out of the way.",
            },
            "Laptop, Tablet, Desk, Travel",
            ("One plug in, everything on.", "Gives back the ports your laptop lost."),
            ("Runs two screens and a drive.", "Barely warm after a day.", "My desk is finally tidy."),
            ("Wi-Fi slows when a drive is plugged in.", "Gets very hot."),
        ),
        Kind(
            "external ssd",
            "External SSD; Portable SSD; Solid State Drive; External Hard Drive SSD",
            "drive",
            "Data Storage › External Solid State Drives",
            79,
            "!high speed, shock proof, plug and play, lightweight, aluminum alloy, easy to carry, water "
            "resistant, heat dissipating, dust proof",
            {"capacity": "ssd", "color": "gadget_few"},
            {
                "Up to 1050MB/s": "Reads up to 1050MB/s with a matching port.",
                "Password Protection": "Hardware password protection.",
                "Two Cables": "Two cables: USB-C and USB-A.",
                "Rubber Sleeve": "A removable rubber sleeve.",
            },
            "Backup, Gaming, Video Editing, Photos",
            ("Ten years of photos in a shirt pocket.", "Fast enough to edit from."),
            ("Moved 200 gigabytes in minutes.", "Fell down the stairs, still fine.", "Tiny."),
            ("Slows down on big files.", "Disconnects at random."),
            spread=0.3,
        ),
        Kind(
            "laptop stand",
            "Laptop Stand; Adjustable Laptop Stand; Laptop Riser; Foldable Laptop Stand",
            "laptop stand",
            "Computer Accessories › Stands",
            27,
            "!height adjustable, aluminum alloy, heat dissipating, easy to carry, home office, heavy duty, "
            "lightweight, cable management, easy to use",
            {"color": "gadget_few"},
            {
                "Non Slip Pads": "Rubber pads hold fast and do not mark.",
                "Fits 10 to 17 Inches": "Fits 10 to 17 inches.",
                "With Phone Holder": "A fold-out phone holder at the side.",
                "360 Swivel": "360 swivel base for sharing the screen.",
            },
            "Desk, Standing Work, Video Calls, Travel",
            ("Eyes up, shoulders down.", "Lifts the screen and lets air under it."),
            ("My neck pain is gone.", "No wobble while typing.", "foldable> Folds flat in my bag."),
            ("Bounces when I type.", "Hinges too stiff."),
            clashes=(
                "heavy duty, lightweight",
                "adjustable laptop stand, height adjustable",
                "360 swivel, foldable laptop stand",
            ),
        ),
    ),
    (
        "Works with all common systems.",
        "Two-year warranty; we answer on weekends.",
        "Packed in paper pulp.",
        "A sensible gift for [students|remote workers|gamers].",
    ),
    (
        "No software to install.",
        "Checked on a dozen laptops before release.",
        "A plain manual with pictures is included.",
    ),
    (
        "Works perfectly with my laptop.",
        "Good build for the price.",
        "Second one I buy.",
        "Set up in no time.",
        "My desk thanks me.",
    ),
    ("Died after six weeks.", "Not compatible with my older machine.", "Feels hollow.", "No reply from support."),
    GADGETS,
)


CATEGORIES = (COMPUTERS,)
