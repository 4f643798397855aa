"""Cards of the text worlds."""

from typing import Any

from agentgym.core.catalog import EnvCard

JAVA_ENGINE: dict[str, Any] = {  # of worlds that an engine in Java plays
    "kind": "text",
    "deterministic": True,
    "snapshot": "replay",
    "extras": ("worlds",),
    "program": "java",
}

HOUSEHOLD = EnvCard(
    id="AgentGym/Household-v1",
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
    max_turns=100,  # with a thought for each of at most 50 others
    deterministic=True,
    shortcuts={
        "usual order": "looks where families of `train` keep things, best place first, not where the task says",
        "listed order": "looks into one receptacle after the other as they are listed",
    },
    shortcut_bound=0.6,
    shortcut_reason="things of a kind stand in the usual places in half of the households, as in the original's",
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
    names_files={"order": ""},
    snapshot="replay",
    extras=("worlds",),
    program="the original engine, a process of its own",
    requires={"games": "folder of the game files, with train, valid_seen and valid_unseen, such as json_2.1.1"},
    fixture="agentgym.envs.text._household.export:game_files",
)

TEXTCRAFT = EnvCard(
    id="AgentGym/TextCraft-v1",
    kind="text",
    entry_point="agentgym.envs.text.textcraft:TextCraftEnv",
    description="Gather raw materials and craft your way to an item, with crafting commands shown as text.",
    citation="TextCraft (Prasad et al. 2024, ADaPT, arXiv:2311.05772)",
    splits={"train": 493, "val": 117, "test": 120},
    max_turns=54,
    deterministic=True,
    names_files={"recipes": ""},
    events={
        "get": "the `item` gathered and its `count`",
        "craft": "the `item` crafted, its `count`, and what was used: item to number in `using`",
    },
    metrics={"depth": "depth of the goal: craftings one above the other"},
    hidden_progress=True,
    shortcuts={
        "first matching recipe": "crafts each thing by the first command shown that makes it",
        "rawest recipe": "crafts each thing by that command most of whose ingredients no command makes",
        "largest recipe": "crafts each thing by the command that takes most pieces",
    },
    shortcut_bound=0.4,
    shortcut_reason="who takes the command with most raw ingredients reads one step ahead, which is enough where "
    "hardly anything is to be made first",
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
    hidden_progress=True,
)

BABYAI = EnvCard(
    id="AgentGym/BabyAI-v0",
    kind="text",
    entry_point="agentgym.envs.text.babyai:BabyAIEnv",
    description="Follow an instruction among rooms, doors, keys, balls and boxes, seeing seven by seven cells.",
    citation="BabyAI (Chevalier-Boisvert et al. 2019, arXiv:1810.08272), in the words of AgentGym (Xi et al. 2024, "
    "arXiv:2406.04151) or BALROG (Paglieri et al. 2024, arXiv:2411.13543)",
    splits={"train": None, "val": 80, "test": 80},
    max_turns=4608,  # of the largest level with four joined instructions; most have a few hundred
    deterministic=True,
    extras=("worlds",),
    images=True,
    metrics={
        "steps": "moves of the package's made in the episode; an action can be several",
        "progression": "BALROG's progress in percent",
    },
)

SCIENCE_WORLD = EnvCard(
    **JAVA_ENGINE,
    id="AgentGym/ScienceWorld-v0",
    entry_point="agentgym.envs.text.science_world:ScienceWorldEnv",
    description="Do one of thirty science tasks in a simulated house: boil, measure, wire, grow, mix, find out.",
    citation="ScienceWorld (Wang et al. 2022, arXiv:2203.07540)",
    splits={"train": 3592, "val": 1796, "test": 1819},
    max_turns=1000,
    metrics={
        "raw_score": "the simulator's score, -100 (failed) to 100",
        "score": "the same without what is below 0, as papers report it",
        "goals": "sub-goals done, of those in order",
        "optional_goals": "optional sub-goals done",
    },
)

TEXT_WORLD_EXPRESS = EnvCard(
    **JAVA_ENGINE,
    id="AgentGym/TextWorldExpress-v0",
    entry_point="agentgym.envs.text.text_world_express:TextWorldExpressEnv",
    description="Eight little text games in a fast engine: cook, tidy up, find coins, read maps, reckon, sort, obey.",
    citation="TextWorldExpress (Jansen and Cote 2023, arXiv:2208.01174)",
    splits={"train": 8000, "val": 7945, "test": 8000},
    max_turns=200,
    metrics={"score": "the engine's score, at most 1"},
)

TEXT_WORLD = EnvCard(
    id="AgentGym/TextWorld-v0",
    kind="text",
    entry_point="agentgym.envs.text.text_world:TextWorldEnv",
    description="Games of TextWorld's generator in its own engine: find the coin, hunt for treasure, cook, do as told.",
    citation="TextWorld (Cote et al. 2018, arXiv:1806.11532)",
    splits={"train": None, "val": 32, "test": 32},
    max_turns=300,
    deterministic=True,
    snapshot="replay",
    extras=("worlds",),
    program="the interpreter, a process of its own, and the compilers of games",
    names_files={"folder": ""},
    metrics={"score": "the game's own score", "max_score": "the most that the game gives"},
    hidden_progress=True,
)

JERICHO = EnvCard(
    id="AgentGym/Jericho-v0",
    kind="text",
    entry_point="agentgym.envs.text.jericho:JerichoEnv",
    description="Interactive fiction such as Zork, from story files of yours, in the interpreter of Jericho.",
    citation="Jericho (Hausknecht et al. 2020, arXiv:1909.05398)",
    splits={"train": 2, "val": 1, "test": 1},
    max_turns=2600,  # twice the longest walkthrough; most have a few hundred
    deterministic=True,
    snapshot="replay",
    extras=("worlds",),
    program="the interpreter, a process of its own",
    requires={"story": "path of a story file, or of a folder with train, val and test"},
    fixture="agentgym.envs.text._text_world.fixture:story_files",
    metrics={
        "score": "the score of the story",
        "max_score": "the most that it gives",
        "moves": "moves as the story counts them",
        "recognized": "1 unless the story said that it did not understand the last line",
    },
)

CARDS = [
    CRAFT_TREE, TEXTCRAFT, HOUSEHOLD, ALFWORLD, BABYAI, SCIENCE_WORLD, TEXT_WORLD_EXPRESS, TEXT_WORLD, JERICHO,
]  # fmt: skip
