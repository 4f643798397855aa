"""Cards of the puzzles: a board, and everything but chance in plain sight."""

from agentgym.core.catalog import EnvCard

FROZEN_LAKE = EnvCard(
    id="AgentGym/FrozenLake-v0",
    kind="games",
    entry_point="agentgym.envs.games.frozen_lake:FrozenLakeEnv",
    description="Walk over a frozen lake to the goal, past the holes; on slippery ice a step may go astray.",
    citation="Gymnasium's FrozenLake (Towers et al. 2024, arXiv:2407.17032), in words after RAGEN (Wang et al. 2025, "
    "arXiv:2504.20073)",
    splits={"train": None, "val": 500, "test": 500},
    max_turns=44,
    deterministic=False,
    oracle_success=0.9421,  # mean optimal value of the test panel; tests/envs/test_frozen_lake.py computes it anew
    images=True,
    events={"move": "cells `from` and `to` as [row, column], and whether the player `slipped`"},
    shortcut_bound=0.5,
    shortcut_reason="the map is seen, so looking a step ahead in forks keeps off holes where the ice does not slip",
)

SOKOBAN = EnvCard(
    id="AgentGym/Sokoban-v0",
    kind="games",
    entry_point="agentgym.envs.games.sokoban:SokobanEnv",
    description="Push every box onto a target in a walled warehouse; boxes are pushed one at a time and never pulled.",
    citation="gym-sokoban (Schrader 2018) and Weber et al. 2017 (arXiv:1707.06203), in words after RAGEN (Wang et al. "
    "2025, arXiv:2504.20073)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=100,
    deterministic=True,
    images=True,
    events={"push": "cells `from` and `to` of the box as [row, column]"},
)

BABA_IS_YOU = EnvCard(
    id="AgentGym/BabaIsYou-v0",
    kind="games",
    entry_point="agentgym.envs.games.baba_is_you:BabaIsYouEnv",
    description="Push the words that make the rules of the map, and win by rules of your own.",
    citation="Baba Is You (Teikari 2019); Baba Is AI (Cloos et al. 2024, arXiv:2407.13729), in words after BALROG "
    "(Paglieri et al. 2024, arXiv:2411.13543)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=100,
    deterministic=True,
    images=True,
    events={"rule": "a `rule` in words, and whether it `holds` from now on"},
    hidden_progress=True,
    shortcut_bound=0.3,
    shortcut_reason="some maps are won by walking alone, and who looks a step ahead in forks for what was not "
    "read yet walks far",
)

MAZE = EnvCard(
    id="AgentGym/Maze-v0",
    kind="games",
    entry_point="agentgym.envs.games.maze:MazeEnv",
    description="Find the goal of a maze from its map, from positions and walls, or from walls alone.",
    citation="LMRL-Gym's Maze (Abdulhai et al. 2023, arXiv:2311.18232), with generated mazes",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=3042,  # of an empty hall of the largest size; about 100 in the mazes of the default level
    deterministic=True,
    images=True,
    hidden_progress=True,
    shortcut_bound=0.7,
    shortcut_reason="mazes are small, and who looks a step ahead in forks for places not read of yet wanders "
    "through most of one",
)

MINESWEEPER = EnvCard(
    id="AgentGym/Minesweeper-v0",
    kind="games",
    entry_point="agentgym.envs.games.minesweeper:MinesweeperEnv",
    description="Open every cell of a minefield that holds no mine; numbers tell how many mines are around.",
    citation="Microsoft's Minesweeper; Kaye 2000 (doi:10.1007/BF03025367)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=720,  # a turn a cell of the largest field; 81 by default
    deterministic=True,
    images=True,
    events={"reveal": "how many `cells` were opened, and whether it was a `mine`"},
)

GAME_2048 = EnvCard(
    id="AgentGym/Game2048-v0",
    kind="games",
    entry_point="agentgym.envs.games.game_2048:Game2048Env",
    description="Slide and merge the tiles of a 4 x 4 board until one reaches the target; new tiles appear by chance.",
    citation="2048 (Cirulli 2014)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=4096,  # as many as the largest target's value; 256 by default
    deterministic=False,
    images=True,
    events={"merge": "the `sum` of the tiles that merged"},
)

SUDOKU = EnvCard(
    id="AgentGym/Sudoku-v0",
    kind="games",
    entry_point="agentgym.envs.games.sudoku:SudokuEnv",
    description="Fill a Sudoku of 4 x 4, 6 x 6 or 9 x 9 cells that has exactly one solution.",
    citation="Sudoku; reward and forms of action after published agent suites",
    splits={"train": None, "val": 150, "test": 150},
    max_turns=81,
    deterministic=True,
    images=True,
    hidden_progress=True,
)

LIGHTS_OUT = EnvCard(
    id="AgentGym/LightsOut-v0",
    kind="games",
    entry_point="agentgym.envs.games.lights_out:LightsOutEnv",
    description="Press lights until all are off; each press switches a light and its neighbours.",
    citation="Lights Out (Tiger Electronics 1995); Anderson and Feil 1998, Mathematics Magazine 71(4)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=162,  # of 9 x 9 lights; 50 by default
    deterministic=True,
    images=True,
    shortcut_bound=1.0,
    shortcut_reason="all lights are seen, so looking one press ahead in forks and following progress is a way to play",
)

SLIDING_PUZZLE = EnvCard(
    id="AgentGym/SlidingPuzzle-v0",
    kind="games",
    entry_point="agentgym.envs.games.sliding_puzzle:SlidingPuzzleEnv",
    description="Slide numbered tiles into order through one gap, as in the 8 and the 15 puzzle.",
    citation="The 15 puzzle (Chapman 1880)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=1300,  # of a 5 x 5 frame; 100 by default
    deterministic=True,
    images=True,
)

CARDS = [FROZEN_LAKE, SOKOBAN, BABA_IS_YOU, MAZE, MINESWEEPER, GAME_2048, SUDOKU, LIGHTS_OUT, SLIDING_PUZZLE]
