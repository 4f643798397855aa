"""Cards of the games of cards and dice, in which something is hidden."""

from agentgym.core.catalog import EnvCard

LEVELS = ("random", "simple", "strong")
DRAW = {"draw": "1 in the last step of a match that nobody wins"}
POKER_EVENTS = {
    "act": "the `action` (fold, check, call or raise) of `seat`",
    "hand": "the `winner` of a hand, empty where the pot is shared, and the `chips` it won",
}

KUHN_POKER = EnvCard(
    id="AgentGym/KuhnPoker-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.kuhn_poker:KuhnPoker",
    description="A match of Kuhn poker: three cards, one each, one bet a hand.",
    citation="Kuhn 1950, A Simplified Two-Person Poker (Contributions to the Theory of Games 1)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=900,
    deterministic=True,
    players=2,
    opponents=LEVELS,
    rival="simple",
    events={
        "act": "the `action` (pass or bet) of `seat`",
        "hand": "the `winner` of a hand and the `chips` it won",
    },
    metrics=DRAW,
    shortcut_bound=0.45,
    shortcut_reason="the rival errs, and acts chosen without a look at the card win up to 4 of 10 matches",
)

LEDUC_HOLDEM = EnvCard(
    id="AgentGym/LeducHoldem-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.leduc_holdem:LeducHoldem",
    description="A match of Leduc hold'em: six cards, one board card, two rounds of bets.",
    citation="Southey et al. 2005, Bayes' Bluff: Opponent Modelling in Poker (arXiv:1207.1411)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=2_400,
    deterministic=True,
    players=2,
    opponents=LEVELS,
    rival="simple",
    events=POKER_EVENTS,
    metrics=DRAW,
)

TEXAS_HOLDEM = EnvCard(
    id="AgentGym/TexasHoldem-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.texas_holdem:TexasHoldem",
    description="A match of Texas hold'em: heads-up limit, or two to six players and no limit.",
    citation="Betting as in Bowling et al. 2015, Heads-up limit hold'em poker is solved (Science 347)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=57_600,
    deterministic=True,
    players=2,
    opponents=LEVELS,
    rival="simple",
    events=POKER_EVENTS | {"act": POKER_EVENTS["act"] + "; without a limit the `amount` it raised to"},
    metrics=DRAW,
)

LIARS_DICE = EnvCard(
    id="AgentGym/LiarsDice-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.liars_dice:LiarsDice",
    description="A match of liar's dice: bids on the dice of all players that rise until one is doubted.",
    citation="OpenSpiel's liars_dice (Lanctot et al. 2019, arXiv:1908.09453)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=54_300,
    deterministic=True,
    players=2,
    opponents=LEVELS,
    rival="simple",
    events={
        "bid": "the `count` and `face` that `seat` bid",
        "round": "the `winner` of a round, and whether the doubted bid was `true`",
    },
    metrics=DRAW,
    shortcut_bound=0.4,
    shortcut_reason="the least bid is seldom doubted, and random bids lose more than saying nothing",
)

HANABI = EnvCard(
    id="AgentGym/Hanabi-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.hanabi:Hanabi",
    description="Two to five players build fireworks together from hands that only the others see, with few clues.",
    citation="Bard et al. 2020, The Hanabi challenge (arXiv:1902.00506)",
    splits={"train": None, "val": 100, "test": 100},
    max_turns=354,
    deterministic=True,
    players=2,
    opponents=LEVELS,
    rival="",
    events={
        "play": "the `card` that `seat` played",
        "discard": "the `card` that `seat` discarded",
        "clue": "`what` `seat` told the player `to`",
    },
)

BLACKJACK_TABLE = EnvCard(
    id="AgentGym/BlackjackTable-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.blackjack_table:BlackjackTable",
    description="Several players play rounds of blackjack against one dealer: hit, stand or double.",
    citation="Traditional; Baldwin et al. 1956, The Optimum Strategy in Blackjack (JASA 51)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=9_000,
    deterministic=True,
    players=3,
    opponents=LEVELS,
    rival="simple",
    events={
        "act": "the `action` (hit, stand or double) of `seat`",
        "round": "the hand of the `dealer`, and the `chips` each player won",
    },
)

CARDS = [KUHN_POKER, LEDUC_HOLDEM, TEXAS_HOLDEM, LIARS_DICE, HANABI, BLACKJACK_TABLE]
