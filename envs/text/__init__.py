"""Cards of the text worlds."""

from agentgym.core.catalog import EnvCard

HOUSEHOLD = EnvCard(
    id="AgentGym/Household-v0",
    kind="text",
    entry_point="agentgym.envs.text.household:HouseholdEnv",
    description="Find things in a household, clean, heat or cool them, and put them where they belong.",
    citation="ALFWorld (Shridhar et al. 2021, arXiv:2010.03768), over ALFRED (Shridhar et al. 2020, arXiv:1912.01734)",
    splits={
        "train": None,
        "val": 274,
        "test": 274,
        "val_seen": 140,
        "val_unseen": 134,
        "test_seen": 140,
        "test_unseen": 134,
    },
    max_turns=50,
    deterministic=True,
)

ALFWORLD = EnvCard(
    id="AgentGym/ALFWorld-v0",
    kind="text",
    entry_point="agentgym.envs.text.alfworld:ALFWorldEnv",
    description="The official ALFWorld games in the original engine.",
    citation="ALFWorld (Shridhar et al. 2021, arXiv:2010.03768)",
    splits={"train": 3553, "val": 200, "test": 274, "test_seen": 140, "test_unseen": 134},
    max_turns=50,
    deterministic=True,
    snapshot="replay",
    extras=("worlds",),
    requires={"games": "folder of the game files, with train, valid_seen and valid_unseen, such as json_2.1.1"},
    fixture="agentgym.envs.text._household.export:game_files",
)

TEXTCRAFT = EnvCard(
    id="AgentGym/TextCraft-v0",
    kind="text",
    entry_point="agentgym.envs.text.textcraft:TextCraftEnv",
    description="Gather raw materials and craft your way to an item, with crafting commands shown as text.",
    citation="TextCraft (Prasad et al. 2024, ADaPT, arXiv:2311.05772)",
    splits={"train": 583, "val": 75, "test": 72},
    max_turns=54,
    deterministic=True,
    events={
        "get": "the `item` gathered and its `count`",
        "craft": "the `item` crafted, its `count`, and what was used: item to number in `using`",
    },
    metrics={"depth": "depth of the goal: craftings one above the other"},
)

CRAFT_TREE = EnvCard(
    id="AgentGym/CraftTree-v0",
    kind="text",
    entry_point="agentgym.envs.text.craft_tree:CraftTreeEnv",
    description="Survive, gather, craft and smelt in a small land until you hold an item, up to diamond tools.",
    citation="after Ghost in the Minecraft (Zhu et al. 2023, arXiv:2305.17144)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=500,
    deterministic=True,
    events={
        "mine": "the `block` broken and their `count`",
        "attack": "the `creature` killed and the `damage` taken",
        "explore": "what was `found`: name to number",
        "craft": "the `item` crafted, its `count`, and what was used: item to number in `using`",
        "smelt": "the `item` smelted, its `count`, the `fuel` and how many were `burnt`",
        "fill": "the `source` a bucket was filled from",
        "place": "the `station` put down",
        "take": "the `station` taken along",
        "eat": "the `item` eaten",
        "sleep": "a night slept through",
        "shelter": "a rest behind walls",
        "hurt": "by whom (`by`) one was hit in the dark, and the `damage`",
    },
    metrics={
        "tier": "tier of the goal by the pickaxe it takes: 0 wood, 1 stone, 2 iron, 3 diamond, 4 beyond",
        "milestones": "things on the way to the goal that were had",
        "health": "health left, of 20",
    },
)

CARDS = [CRAFT_TREE, TEXTCRAFT, HOUSEHOLD, ALFWORLD]
