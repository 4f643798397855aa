"""Cards of the variants whose rules are not told."""

from agentgym.core.catalog import EnvCard

CEL = "Rules to be found by play after CEL (Wang, Wu and Xu 2025, arXiv:2509.25052)"

FROZEN_LAKE_HIDDEN = EnvCard(
    id="AgentGym/FrozenLakeHidden-v0",
    kind="games",
    entry_point="agentgym.envs.games.frozen_lake_hidden:FrozenLakeHiddenEnv",
    description="Cross a frozen lake with words and signs whose meaning is exchanged and not told.",
    citation=f"{CEL}, on Gymnasium's FrozenLake (Towers et al. 2024, arXiv:2407.17032)",
    splits={"train": None, "val": 300, "test": 300},
    max_turns=88,
    deterministic=True,
    hidden_progress=True,
    shortcut_bound=0.4,
    shortcut_reason="lakes are small, and trying every direction in turn crosses some of them",
)

SOKOBAN_HIDDEN = EnvCard(
    id="AgentGym/SokobanHidden-v0",
    kind="games",
    entry_point="agentgym.envs.games.sokoban_hidden:SokobanHiddenEnv",
    description="Push boxes onto targets with words and signs whose meaning is exchanged and not told.",
    citation=f"{CEL}, on gym-sokoban (Schrader 2018)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=100,
    deterministic=True,
    hidden_progress=True,
    shortcut_bound=0.4,
    shortcut_reason="one box stands near its target, and looking a step ahead in forks for what was not read yet "
    "pushes it there at times",
)

MAZE_HIDDEN = EnvCard(
    id="AgentGym/MazeHidden-v0",
    kind="games",
    entry_point="agentgym.envs.games.maze_hidden:MazeHiddenEnv",
    description="Find the goal of a maze with words and signs whose meaning is exchanged and not told.",
    citation=f"{CEL}, on the mazes of LMRL-Gym (Abdulhai et al. 2023, arXiv:2311.18232)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=3042,  # of an empty hall of the largest size; about 100 in the mazes of the default level
    deterministic=True,
    hidden_progress=True,
    shortcut_bound=0.4,
    shortcut_reason="mazes are small, and who looks a step ahead in forks for places not read of yet wanders "
    "through much of one",
)

LIGHTS_OUT_HIDDEN = EnvCard(
    id="AgentGym/LightsOutHidden-v0",
    kind="games",
    entry_point="agentgym.envs.games.lights_out_hidden:LightsOutHiddenEnv",
    description="Switch off all lights of a square whose cells are renamed and whose signs may be exchanged, untold.",
    citation=f"{CEL}, on Lights Out (Tiger Electronics 1995)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=162,
    deterministic=True,
    hidden_progress=True,
)

CARDS = [FROZEN_LAKE_HIDDEN, SOKOBAN_HIDDEN, MAZE_HIDDEN, LIGHTS_OUT_HIDDEN]
