"""Cards of the board games: two players, everything in plain sight."""

from agentgym.core.catalog import EnvCard

LEVELS = ("random", "simple", "strong")
DRAW = {"draw": "1 in the last step of a game that nobody wins"}

TIC_TAC_TOE = EnvCard(
    id="AgentGym/TicTacToe-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.tic_tac_toe:TicTacToe",
    description="Three in a row on a board of nine cells, from an opening in which neither side can force a win.",
    citation="Traditional; a drawn game under perfect play",
    splits={"train": 151, "val": 41, "test": 116},
    max_turns=27,
    deterministic=True,
    players=2,
    opponents=LEVELS,
    rival="simple",
    events={"mark": "the `cell` (1 to 9) that `seat` marked"},
    metrics=DRAW,
)

CONNECT_FOUR = EnvCard(
    id="AgentGym/ConnectFour-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.connect_four:ConnectFour",
    description="Drop discs into seven columns; four in a row, column or diagonal win, from a seeded opening.",
    citation="Wexler and Strongin 1974; solved by Allis (1988, A Knowledge-based Approach of Connect-Four) and Allen",
    splits={"train": None, "val": 100, "test": 100},
    max_turns=126,
    deterministic=True,
    players=2,
    opponents=LEVELS,
    rival="simple",
    events={"drop": "the `column` (1 to 7) into which `seat` dropped a disc"},
    metrics=DRAW,
)

OPEN_SPIEL = EnvCard(
    id="AgentGym/OpenSpiel-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.open_spiel:OpenSpiel",
    description="Any of OpenSpiel's games by name, in its own words; Goofspiel with hidden bids unless told otherwise.",
    citation="Lanctot et al. 2019, OpenSpiel: A Framework for Reinforcement Learning in Games (arXiv:1908.09453)",
    splits={"train": None, "val": 60, "test": 60},
    max_turns=48,
    deterministic=True,
    names_files={"game": "file|root"},  # such as nfg_game(filename=...)
    extras=("worlds",),
    players=2,
    opponents=LEVELS,
    rival="simple",
    events={"move": "the `action` of `seat` by its number in OpenSpiel; of others only where all is open"},
    metrics={"draw": "1 in the last step of a game that all end with equal returns"},
)

CARDS = [TIC_TAC_TOE, CONNECT_FOUR, OPEN_SPIEL]
