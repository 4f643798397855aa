"""Cards of the games of chance, numbers and playing cards."""

from agentgym.core.catalog import EnvCard

GYM_CARDS = "gym-cards (Zhai et al. 2024, arXiv:2405.10292)"

NUMBER_LINE = EnvCard(
    id="AgentGym/NumberLine-v0",
    kind="games",
    entry_point="agentgym.envs.games.number_line:NumberLineEnv",
    description="Walk along a line of whole numbers to the target, one step a turn.",
    citation=GYM_CARDS,
    splits={"train": 845, "val": 105, "test": 106},
    max_turns=64,
    deterministic=True,
    events={"step": "numbers `from` and `to`"},
    shortcut_bound=1.0,
    shortcut_reason="place and target are seen, so to go where progress rises is the whole task, and each of two "
    "fixed directions is right in half of the tasks",
)

EZ_POINTS = EnvCard(
    id="AgentGym/EZPoints-v0",
    kind="games",
    entry_point="agentgym.envs.games.ez_points:EZPointsEnv",
    description="Write a formula over two cards that comes to 12, a number or sign a turn.",
    citation=GYM_CARDS,
    splits={"train": None, "val": 10, "test": 100},
    max_turns=10,
    deterministic=True,
)

POINTS24 = EnvCard(
    id="AgentGym/Points24-v0",
    kind="games",
    entry_point="agentgym.envs.games.points24:Points24Env",
    description="Write a formula over four cards that comes to 24, a number or sign a turn.",
    citation=GYM_CARDS,
    splits={"train": None, "val": 60, "test": 100},
    max_turns=40,
    deterministic=True,
)

BLACKJACK = EnvCard(
    id="AgentGym/Blackjack-v0",
    kind="games",
    entry_point="agentgym.envs.games.blackjack:BlackjackEnv",
    description="Come nearer to 21 than the dealer without going over, from a deck without end.",
    citation=f"{GYM_CARDS}; Sutton and Barto, Reinforcement Learning, example 5.1",
    splits={"train": None, "val": 110, "test": 110},
    max_turns=25,
    deterministic=False,
    oracle_success=0.4304,  # mean chance of winning of the best play on the test panel; tests/envs/test_blackjack.py
    events={"card": "the `rank` drawn, and `to` whom: player or dealer"},
)

BANDIT = EnvCard(
    id="AgentGym/Bandit-v0",
    kind="games",
    entry_point="agentgym.envs.games.bandit:BanditEnv",
    description="Pull the arm that pays more on average, told by its name or by trying.",
    citation="RAGEN (Wang et al. 2025, arXiv:2504.20073)",
    splits={"train": None, "val": 60, "test": 100},
    max_turns=3,
    deterministic=False,
    events={"pull": "the `arm` and the `points` it paid"},
    shortcut_bound=0.65,
    shortcut_reason="there are two arms and one pull, so any fixed choice is right in half of the tasks",
)

CARDS = [NUMBER_LINE, EZ_POINTS, POINTS24, BLACKJACK, BANDIT]
