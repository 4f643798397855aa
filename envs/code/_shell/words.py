"""Words of which homes are made."""

from __future__ import annotations

SERVICES = (
    "gateway", "billing", "mailer", "search", "ledger", "catalog", "intake", "notifier", "scheduler", "thumbnailer",
    "archiver", "geocoder", "payroll", "booking", "sensors", "checkout", "uploader", "recommender", "translator",
    "inventory", "telemetry", "registrar", "ticketing", "dispatcher", "indexer", "metering", "quotas", "renderer",
)  # fmt: skip
PROJECTS = (
    "tidepool", "lanternfish", "copperkettle", "windrose", "quillpad", "mossgarden", "ferryman", "papercrane",
    "saltworks", "nightjar", "clockmaker", "honeycomb", "driftwood", "bluebottle", "cartwheel", "sandpiper",
    "millrace", "foxglove", "rainbarrel", "oxbow", "starling", "thistledown", "kingfisher", "marigold",
)  # fmt: skip
TABLES = (
    "orders", "harvest", "shipments", "rentals", "repairs", "donations", "deliveries", "bookings", "purchases",
    "invoices", "refunds", "subscriptions", "workshops", "tickets", "samples", "returns",
)  # fmt: skip
TRIPS = (
    "Lisbon", "Tromso", "Kyoto", "Cusco", "Galway", "Tbilisi", "Valletta", "Hobart", "Ghent", "Bergen", "Oaxaca",
    "Zadar", "Quebec", "Sapporo", "Cadiz", "Riga", "Dakar", "Lucca", "Malmo", "Salta",
)  # fmt: skip
SUBJECTS = (
    "boiler", "beehive", "greenhouse", "bicycle", "orchard", "cellar", "kitchen", "attic", "canoe", "piano", "library",
    "garden", "workshop", "aquarium", "telescope", "wardrobe", "balcony", "pantry", "studio", "fireplace",
)  # fmt: skip
PEOPLE = (
    "amara", "bjorn", "chloe", "dmitri", "elena", "farid", "greta", "hugo", "ines", "jonas", "keiko", "lorenzo",
    "mirela", "nadia", "oskar", "priya", "quentin", "rosa", "soren", "tamsin", "ulrich", "vera", "wanda", "yusuf",
)  # fmt: skip
CITIES = ("Porto", "Leeds", "Turin", "Graz", "Lyon", "Gdansk", "Utrecht", "Aarhus", "Brno", "Malaga")
TEAMS = ("design", "support", "finance", "platform", "research", "sales", "logistics", "legal")
REGIONS = ("north", "south", "east", "west", "coast", "island")
PRODUCTS = (
    "lamp", "kettle", "stool", "blanket", "mirror", "basket", "clock", "vase", "carpet", "shelf", "candle", "tray",
)  # fmt: skip
LEVELS = ("INFO", "WARN", "ERROR", "DEBUG")
PATHS = ("/login", "/cart", "/items", "/report", "/export", "/profile", "/search", "/health")
STATUSES = (200, 201, 204, 301, 400, 403, 404, 409, 500, 502, 503)
MESSAGES = (
    "request finished", "cache refreshed", "retry scheduled", "payload rejected", "connection reset", "token renewed",
    "queue drained", "lock released",
)  # fmt: skip
NOUNS = (
    "valve", "filter", "hinge", "ladder", "bracket", "gasket", "lantern", "shutter", "trellis", "drawer", "pulley",
    "spring", "handle", "socket", "panel", "gutter", "crate", "rope", "paint", "mortar", "timber", "copper", "linen",
    "glue", "wire", "bolt", "hose", "seed", "compost", "varnish",
)  # fmt: skip
VERBS = (
    "replace", "measure", "order", "clean", "repair", "collect", "return", "check", "label", "store", "sand", "seal",
    "borrow", "sketch", "photograph", "weigh",
)  # fmt: skip
FUNCTIONS = (
    "parse", "render", "load", "merge", "split", "score", "rank", "filter", "encode", "decode", "align", "group",
    "trim", "pack", "shift", "scan", "rotate", "resolve", "balance", "sample",
)  # fmt: skip
THINGS = (
    "record", "page", "frame", "route", "batch", "entry", "token", "window", "ledger", "image", "label", "packet",
    "table", "event", "layer", "query",
)  # fmt: skip
MODULES = ("json", "math", "random", "itertools", "collections", "datetime", "pathlib", "re")
SECTIONS = ("server", "database", "cache", "limits", "mail", "backup")
KEYS = ("timeout", "retries", "port", "workers", "capacity", "interval", "threshold", "lifetime")
VARIABLES = ("API_TOKEN", "REGION_CODE", "QUEUE_NAME", "MAX_JOBS", "BUCKET", "CONTACT", "BUILD_ID", "SALT")
SIGNALS = ("USR1", "USR2", "HUP", "ALRM", "TERM")
