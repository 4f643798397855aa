"""Cards of the puzzles that are planned to the end before the first move."""

from agentgym.core.catalog import EnvCard

COUNTDOWN = EnvCard(
    id="AgentGym/Countdown-v0",
    kind="games",
    entry_point="agentgym.envs.games.countdown:CountdownEnv",
    description="Write one formula over all the numbers given that comes to the target.",
    citation="RAGEN (Wang et al. 2025, arXiv:2504.20073) and TinyZero (Pan et al. 2025), after the television game",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=3,
    deterministic=True,
)

TOWER_OF_HANOI = EnvCard(
    id="AgentGym/TowerOfHanoi-v0",
    kind="games",
    entry_point="agentgym.envs.games.tower_of_hanoi:TowerOfHanoiEnv",
    description="Move disks between pegs, never a larger one onto a smaller, until they lie as the goal says.",
    citation="The Tower of Hanoi (Lucas 1883), between any two arrangements (Romik 2006)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=516,  # of 8 disks; 36 by default
    deterministic=True,
    images=True,
)

POCKET_CUBE = EnvCard(
    id="AgentGym/PocketCube-v0",
    kind="games",
    entry_point="agentgym.envs.games.pocket_cube:PocketCubeEnv",
    description="Turn the faces of a scrambled 2 x 2 x 2 cube until each has one colour.",
    citation="The pocket cube (Rubik 1981); Cooperman, Finkelstein and Sarawagi 1990",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=20,
    deterministic=True,
    images=True,
)

PLANNING = EnvCard(
    id="AgentGym/Planning-v0",
    kind="games",
    entry_point="agentgym.envs.games.planning:PlanningEnv",
    description="Reach the goal of a planning problem told in words: blocks, parcels, lifts, keys, tools and more.",
    citation="AgentGen (Hu et al. 2024, arXiv:2408.00764) and AgentBoard (Ma et al. 2024, arXiv:2401.13178), over "
    "domains of the planning competitions",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=500,  # of a problem whose relaxed plan has 123 actions; about 60 by default
    deterministic=True,
)

RUSH_HOUR = EnvCard(
    id="AgentGym/RushHour-v0",
    kind="games",
    entry_point="agentgym.envs.games.rush_hour:RushHourEnv",
    description="Slide the vehicles of a crowded yard along their lines until the red car can leave.",
    citation="Rush Hour (Yoshigahara 1996, ThinkFun)",
    splits={"train": None, "val": 100, "test": 100},
    max_turns=150,
    deterministic=True,
    images=True,
)

JIGSAW = EnvCard(
    id="AgentGym/Jigsaw-v0",
    kind="games",
    entry_point="agentgym.envs.games.jigsaw:JigsawEnv",
    description="Exchange the pieces of a cut picture, looking where needed, until it is whole.",
    citation="AGILE (Zeng et al. 2025, arXiv:2510.01304)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=81,  # of 5 x 5 pieces; 33 by default
    deterministic=True,
    images=True,
    hidden_progress=True,
)

CARDS = [COUNTDOWN, JIGSAW, PLANNING, POCKET_CUBE, RUSH_HOUR, TOWER_OF_HANOI]
