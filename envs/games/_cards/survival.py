"""Cards of the survival worlds."""

from agentgym.core.catalog import EnvCard

ACHIEVEMENTS = (
    "collect_coal", "collect_diamond", "collect_drink", "collect_iron", "collect_sapling", "collect_stone",
    "collect_wood", "defeat_skeleton", "defeat_zombie", "eat_cow", "eat_plant", "make_iron_pickaxe", "make_iron_sword",
    "make_stone_pickaxe", "make_stone_sword", "make_wood_pickaxe", "make_wood_sword", "place_furnace", "place_plant",
    "place_stone", "place_table", "wake_up",
)  # fmt: skip

MINI_CRAFTER = EnvCard(
    id="AgentGym/MiniCrafter-v0",
    kind="games",
    entry_point="agentgym.envs.games.mini_crafter:MiniCrafterEnv",
    description="Survive on a land of meadows, lakes and caves, and unlock Crafter's 22 achievements.",
    citation="Crafter (Hafner 2022, arXiv:2109.06780), in words after SmartPlay (Wu et al. 2023, arXiv:2310.01557) and "
    "BALROG (Paglieri et al. 2024, arXiv:2411.13543)",
    splits={"train": None, "val": 50, "test": 100},
    max_turns=10_000,  # of the level `original`; 1,500 by default
    deterministic=False,
    images=True,
    events={"unlock": "an `achievement` for the first time in the episode"},
    metrics={name: f"1 once `{name.replace('_', ' ')}` is unlocked" for name in ACHIEVEMENTS},
)

CRAFTER = EnvCard(
    id="AgentGym/Crafter-v0",
    kind="games",
    entry_point="agentgym.envs.games.crafter:CrafterEnv",
    description="Survive and unlock 22 achievements in Crafter's own engine, told in the words of BALROG.",
    citation="Crafter (Hafner 2022, arXiv:2109.06780), in the words of BALROG (Paglieri et al. 2024, arXiv:2411.13543)",
    splits={"train": None, "val": 10, "test": 10},
    max_turns=10_000,
    deterministic=False,
    oracle_success=0.0,  # there is none
    snapshot="replay",
    extras=("worlds",),
    images=True,
    events={"unlock": "an `achievement` for the first time in the episode"},
    metrics={
        **{name: f"1 once `{name.replace('_', ' ')}` is unlocked" for name in ACHIEVEMENTS},
        "progression": "share of achievements unlocked, in percent",
    },
)

CARDS = [MINI_CRAFTER, CRAFTER]
