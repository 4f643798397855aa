"""Cards of the web worlds."""

from dataclasses import replace

from agentgym.core.catalog import EnvCard

SHOP_EVENTS = {
    "search": "the `query` and the number of `results`",
    "navigate": "the `page` that was opened",
    "choose": "the `option` and the `value` chosen",
    "purchase": "the `asin`, chosen `options` and `price` of what was bought",
}
SHOP_METRICS = {
    "r_type": "at the purchase: how well the kind of product fits, 0 to 1",
    "r_att": "at the purchase: share of the wanted attributes that the product has",
    "r_option": "at the purchase: share of the wanted options that were chosen",
    "r_price": "at the purchase: 1 if the price is within the cap",
}

SHOP_COSTS = {"cost": "what the action cost: a search 2, any other page 1, all else nothing"}

SHOP_SHORTCUTS = {
    "first result": "searches for the instruction and buys the first result",
    "first affordable": "buys the first result within the price cap",
    "first result, options": "buys the first result with the options that the instruction names",
    "first affordable, options": "buys the first result within the cap with the options that the instruction names",
    "dearest affordable, options": "the same with the dearest of the first ten within the cap",
    "memory of train": "buys, with the options, at the place where the product of the most similar train goal stood",
}

WEBSHOP = EnvCard(
    id="AgentGym/WebShop-v1",
    kind="web",
    entry_point="agentgym.envs.web.webshop:WebShopEnv",
    description="Find and buy the product that fits an instruction, among 14,400 generated ones in families alike.",
    citation="WebShop (Yao et al. 2022, arXiv:2207.01206)",
    splits={"train": None, "val": 300, "test": 500},
    max_turns=30,
    deterministic=True,
    events=SHOP_EVENTS,
    metrics=SHOP_METRICS,
    costs=SHOP_COSTS,
    shortcuts=SHOP_SHORTCUTS,
    shortcut_bound=0.25,
    shortcut_reason="5 to 8 of a family are affordable, so a blind choice among them is right in a sixth of the goals",
)

WEBSHOP_ORIGINAL = EnvCard(
    id="AgentGym/WebShopOriginal-v0",
    kind="web",
    entry_point="agentgym.envs.web.webshop_original:WebShopOriginalEnv",
    description="WebShop over the published files, up to a million products, with the published reward and splits.",
    citation="WebShop (Yao et al. 2022, arXiv:2207.01206)",
    splits={"train": 10_587, "val": 1_000, "test": 500},
    max_turns=15,
    deterministic=True,
    names_files={"goals": "", "reviews": ""},
    requires={
        "products": "path of items_shuffle*.json",
        "attributes": "path of items_ins_v2*.json",
    },
    fixture="agentgym.assets.webshop.fixture:published_files",
    events=SHOP_EVENTS,
    metrics=SHOP_METRICS,
    costs=SHOP_COSTS,
)

BROWSER_EVENTS = {
    "navigate": "the `url` that was opened",
    "submit": "the `url` a form was sent to",
    "download": "the `name` of the file and its `bytes`",
    "dialog": "the `kind` of dialog and its `message`",
    "tab": "the `action`: a tab was opened by the page",
    "blocked": "the `url` that is not allowed and was not opened",
}

BROWSER_FILES = {"trace": ""}

BROWSER = EnvCard(
    id="AgentGym/Browser-v0",
    kind="web",
    entry_point="agentgym.envs.web.browser:StartPageEnv",
    description="Tasks of your own on web sites of your own, from any start page, in a real browser, judged by rules.",
    citation="WebArena (Zhou et al. 2024, arXiv:2307.13854)",
    splits={"train": None, "val": None, "test": None},
    max_turns=30,
    deterministic=False,
    repeatable=False,
    oracle_success=0.0,
    snapshot="none",
    extras=("web",),
    program="chromium",
    requires={"tasks": "path of a task file, JSON"},
    fixture="agentgym.envs.web._browser.fixture:task_file",
    images=True,
    names_files=BROWSER_FILES,
    events=BROWSER_EVENTS,
)

WEBARENA = EnvCard(
    id="AgentGym/WebArena-v0",
    kind="web",
    entry_point="agentgym.envs.web.webarena:WebArenaEnv",
    description="WebArena's tasks on your own copies of its sites, in a real browser, with the published evaluators.",
    citation="WebArena (Zhou et al. 2024, arXiv:2307.13854)",
    splits={"train": None, "val": None, "test": None},
    max_turns=30,
    deterministic=False,
    repeatable=False,
    oracle_success=0.0,
    snapshot="none",
    extras=("web",),
    program="chromium",
    requires={"tasks": "path of WebArena's config file, JSON", "addresses": "address of each site by its name"},
    names_files={"storage": "", **BROWSER_FILES},
    fixture="agentgym.envs.web._webarena.fixture:config_file",
    images=True,
    events=BROWSER_EVENTS,
)

WEB_SUITE = EnvCard(
    id="AgentGym/WebSuite-v0",
    kind="web",
    entry_point="agentgym.envs.web.web_suite:WebSuiteEnv",
    description="Find, write and configure things on a forum, a code host, a tracker, a shop and a map, in a browser.",
    citation="WebArena (Zhou et al. 2024, arXiv:2307.13854)",
    splits={"train": None, "val": 40, "test": 80},
    max_turns=30,
    deterministic=True,
    snapshot="replay",
    extras=("web",),
    program="chromium",
    images=True,
    names_files=BROWSER_FILES,
    events=BROWSER_EVENTS,
    shortcuts={
        "usual answer": "says at once what train tasks with such an answer are answered with most often",
        "front page": "says the first thing on the first page that looks like an answer",
        "first result": "searches for what the instruction names, opens the first result and says the first such thing",
    },
    shortcut_bound=0.1,
    shortcut_reason="a few questions are answered by the first page that a search finds",
)

DEVICE_METRICS = {
    "goals": "at the end: share of the wanted changes that were made",
    "stray": "at the end: changes that nobody asked for",
    "answer": "at the end: 1 if the answer is right or none is wanted",
}
DEVICE_SHORTCUTS = {
    "usual answer": "says at once what train tasks with such an answer are answered with most often",
    "first screen": "opens the app that the instruction speaks of and says the first thing that looks like an answer",
    "first result": "searches for what the instruction names, opens the first result, and presses its last button, or "
    "says the first thing that looks like an answer",
}

PHONE = EnvCard(
    id="AgentGym/Phone-v0",
    kind="web",
    entry_point="agentgym.envs.web.device:PhoneEnv",
    description="Set, write, plan and look things up in the seven apps of a mock phone, judged from its database.",
    citation="AndroidWorld (Rawles et al. 2024, arXiv:2405.14573)",
    splits={"train": None, "val": 40, "test": 80},
    max_turns=30,
    deterministic=True,
    snapshot="replay",
    extras=("web",),
    program="chromium",
    images=True,
    names_files=BROWSER_FILES,
    events=BROWSER_EVENTS,
    metrics=DEVICE_METRICS,
    hidden_progress=True,
    shortcuts=DEVICE_SHORTCUTS,
    shortcut_bound=0.1,
    shortcut_reason="a few questions are answered by the first screen that a search finds",
)

DESKTOP = replace(
    PHONE,
    id="AgentGym/Desktop-v0",
    entry_point="agentgym.envs.web.device:DesktopEnv",
    description="Set, write, plan and look things up in windows of a mock desktop computer, judged from its database.",
    citation="OSWorld (Xie et al. 2024, arXiv:2404.07972)",
    shortcut_bound=0.1,
    shortcut_reason="a few questions are answered by the first window that a search finds",
)

MINIWOB = EnvCard(
    id="AgentGym/MiniWoB-v1",
    kind="web",
    entry_point="agentgym.envs.web.miniwob:MiniWoBEnv",
    description="Do what small web pages ask, in a real browser: the MiniWoB++ pages, and generated forms.",
    citation="World of Bits (Shi et al. 2017); MiniWoB++ (Liu et al. 2018, arXiv:1802.08802)",
    splits={"train": None, "val": 131, "test": 262, "browsergym": 625},
    published={"browsergym": 596 / 625},  # ten turns are too few for five pages, and three tabs hold no such link
    max_turns=40,
    deterministic=True,
    snapshot="replay",
    extras=("web",),
    program="chromium",
    images=True,
    names_files=BROWSER_FILES,
    events=BROWSER_EVENTS,
    metrics={"raw_reward": "at the end: what the page pays, -1 to 1"},
    shortcut_bound=0.3,
    shortcut_reason="some pages take a click or two: a list of five clicks solves 10 of the 131 pages (click-test "
    "and its like, click-tab, focus-text, navigate-tree, count-sides, stock-market, "
    "ascending-numbers), fewer than random actions do, but two of the 8 tasks that are played "
    "here",
)

WEBSHOP_BROWSER = EnvCard(
    id="AgentGym/WebShopBrowser-v1",
    kind="web",
    entry_point="agentgym.envs.web.webshop_browser:WebShopBrowserEnv",
    description="Find and buy the product that fits an instruction, on the shop's web site in a real browser.",
    citation="WebShop (Yao et al. 2022, arXiv:2207.01206)",
    splits={"train": None, "val": 50, "test": 50},
    max_turns=40,
    deterministic=True,
    snapshot="replay",
    extras=("web",),
    program="chromium",
    images=True,
    names_files=BROWSER_FILES,
    events={**BROWSER_EVENTS, **{name: SHOP_EVENTS[name] for name in ("search", "choose", "purchase")}},
    metrics=SHOP_METRICS,
)

WIKI_METRICS = {
    "hops": "at the end: links of a shortest way",
    "opened": "at the end: pages that were in front",
    "overlap": "at the end: share of words the passage has in common with the page, 0 to 1",
}

WIKI_NAV = EnvCard(
    id="AgentGym/WikiNav-v0",
    kind="web",
    entry_point="agentgym.envs.web.wiki_nav:WikiNavEnv",
    description="Follow links through an encyclopaedia of 10,000 pages to the article a passage was taken from.",
    citation="WebNav (Nogueira and Cho 2016, arXiv:1602.02261)",
    splits={"train": None, "val": 300, "test": 300},
    max_turns=30,
    deterministic=True,
    events={"navigate": "the `page` that was opened"},
    metrics=WIKI_METRICS,
    names_files={"dump": ""},
    hidden_progress=True,
)

WIKI_NAV_BROWSER = EnvCard(
    id="AgentGym/WikiNavBrowser-v0",
    kind="web",
    entry_point="agentgym.envs.web.wiki_nav_browser:WikiNavBrowserEnv",
    description="Follow links through an encyclopaedia to the article a passage was taken from, in a real browser.",
    citation="WebNav (Nogueira and Cho 2016, arXiv:1602.02261)",
    splits={"train": None, "val": 50, "test": 50},
    max_turns=30,
    deterministic=True,
    snapshot="replay",
    extras=("web",),
    program="chromium",
    images=True,
    events=BROWSER_EVENTS,
    metrics=WIKI_METRICS,
    names_files={"dump": "", **BROWSER_FILES},
    hidden_progress=True,
)

CARDS = [
    WEBSHOP, WEBSHOP_ORIGINAL, BROWSER, WEBARENA, WEB_SUITE, PHONE, DESKTOP, MINIWOB, WEBSHOP_BROWSER, WIKI_NAV,
    WIKI_NAV_BROWSER,
]  # fmt: skip
