"""Cards of the web worlds."""

from agentgym.core.catalog import EnvCard, Score

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

WEBSHOP = EnvCard(
    id="AgentGym/WebShop-v0",
    kind="web",
    entry_point="agentgym.envs.web.webshop:WebShopEnv",
    description="Find and buy the product that fits an instruction, in a shop of 1,000 generated products.",
    citation="WebShop (Yao et al. 2022, arXiv:2207.01206)",
    splits={"train": None, "val": 1000, "test": 500},
    max_turns=15,
    deterministic=True,
    scores={
        "val": {
            "random": Score(0.008, 0.0676),
            "nothing": Score(0.0, 0.0),
            "expert": Score(0.945, 0.9812),
            "oracle": Score(1.0, 1.0),
        },
        "test": {
            "random": Score(0.008, 0.0705),
            "nothing": Score(0.0, 0.0),
            "expert": Score(0.962, 0.9855),
            "oracle": Score(1.0, 1.0),
        },
    },
    events=SHOP_EVENTS,
    metrics=SHOP_METRICS,
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
    requires={
        "products": "path of items_shuffle*.json",
        "attributes": "path of items_ins_v2*.json",
    },
    fixture="agentgym.assets.webshop.fixture:published_files",
    events=SHOP_EVENTS,
    metrics=SHOP_METRICS,
)

CARDS = [WEBSHOP, WEBSHOP_ORIGINAL]
