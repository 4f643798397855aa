"""Cards of the games that are played by talking."""

from agentgym.core.catalog import EnvCard

LEVELS = ("random", "simple", "strong")
TALK = {"talk": "the `words` that `seat` said"}
DIALOGUE = "Lin et al. 2023, Decision-Oriented Dialogue for Human-AI Collaboration (arXiv:2305.20076)"
DECIDING = {
    **TALK,
    "proposal": "the `plan` that `seat` proposed, in words",
    "answer": "whether `seat` has `accepted` the proposal",
}
AGREED = {
    "score": "what the accepted proposal is worth, 0 to 1, in the last step",
    "points": "the same in the task's own points",
    "agreed": "1 in the last step if a proposal was accepted",
    "messages": "messages that all players said, in the last step",
}

DEAL_OR_NO_DEAL = EnvCard(
    id="AgentGym/DealOrNoDeal-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.deal_or_no_deal:DealOrNoDeal",
    description="Two players who value books, hats and balls differently, and secretly, talk about how to divide them.",
    citation="Lewis et al. 2017, Deal or No Deal? End-to-End Learning of Negotiation Dialogues (arXiv:1706.05125)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=60,
    deterministic=True,
    players=2,
    opponents=LEVELS,
    rival="simple",
    events={
        **TALK,
        "proposal": "what `seat` would `keep`: books, hats and balls",
        "deal": "what each player may `keep`, and the `points` of each",
    },
    metrics={
        "points": "points of the player, in the last step",
        "joint": "points of both over the most that both could have, in the last step",
        "pareto": "1 in the last step if no other division is better for one and no worse for the other",
        "deal": "1 in the last step if there is a deal",
    },
    shortcut_bound=0.3,
    shortcut_reason="the rival gives way from move to move, so repeating one proposal and accepting at the end "
    "gets half at times",
)

BARGAINING = EnvCard(
    id="AgentGym/Bargaining-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.bargaining:Bargaining",
    description="A seller and a buyer with secret limits haggle over the price of one used thing.",
    citation="He et al. 2018, Decoupling Strategy and Generation in Negotiation Dialogues (arXiv:1808.09637)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=36,
    deterministic=True,
    players=2,
    opponents=LEVELS,
    rival="simple",
    events={
        **TALK,
        "offer": "the `price` in dollars that `seat` named",
        "sale": "the `price` in dollars",
    },
    metrics={
        "gain": "what the sale is worth to the player, in dollars, in the last step",
        "possible": "1 in the last step if the buyer's value is above the seller's cost",
        "sale": "1 in the last step if there is a sale",
        "efficiency": "1 in the last step if there is a sale exactly where one is possible",
    },
    shortcut_bound=0.5,
    shortcut_reason="the rival gives way to its limit whatever is said, so an absurd price repeated and accepting "
    "at the last move wins half",
)

MATRIX_GAME = EnvCard(
    id="AgentGym/MatrixGame-v0",
    kind="multiagent",
    api="parallel",
    entry_point="agentgym.envs.multiagent.matrix_game:MatrixGame",
    description="Two choose at once by a table of payoffs, ten rounds long, and may talk before each choice.",
    citation="Rapoport and Guyer 1966, A Taxonomy of 2 x 2 Games; Axelrod 1984, The Evolution of Cooperation",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=20,
    deterministic=True,
    players=2,
    opponents=LEVELS,
    rival="simple",
    events={
        **TALK,
        "round": "the `moves` of both players and what each was `paid`",
    },
    metrics={
        "mean": "mean payoff of the player over the rounds, in the last step",
        "fair": "the most that both can have alike on average, in the last step",
    },
)

ASSIGNMENT = EnvCard(
    id="AgentGym/Assignment-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.assignment:Assignment",
    description="Two players who each see a part of a table, in scales of their own, assign reviewers to papers.",
    citation=DIALOGUE,
    splits={"train": None, "val": 200, "test": 200},
    max_turns=60,
    deterministic=True,
    players=2,
    opponents=LEVELS,
    events=DECIDING,
    metrics=AGREED,
    costs={"words": "words that the player said"},
)

ITINERARY = EnvCard(
    id="AgentGym/Itinerary-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.itinerary:Itinerary",
    description="A user with wishes and an assistant that knows the city agree on the schedule of a day.",
    citation=DIALOGUE,
    splits={"train": None, "val": 200, "test": 200},
    max_turns=60,
    deterministic=True,
    players=2,
    opponents=LEVELS,
    events={
        **DECIDING,
        "query": "the `conditions` that `seat` asked its data base for, and how many places it `found`",
    },
    metrics={**AGREED, "queries": "queries that the assistant put to its data base, in the last step"},
    costs={"words": "words that the player said"},
)

MEDIATION = EnvCard(
    id="AgentGym/Mediation-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.mediation:Mediation",
    description="An assistant and users with calendars of their own agree on flights for the whole group.",
    citation=DIALOGUE,
    splits={"train": None, "val": 200, "test": 200},
    max_turns=90,
    deterministic=True,
    players=3,
    opponents=LEVELS,
    events=DECIDING,
    metrics=AGREED,
    costs={"words": "words that the player said"},
    shortcut_bound=0.3,
    shortcut_reason="flights are listed by departure and the first ones arrive together, so the first of both "
    "users is good enough in a quarter of the groups",
)

CARDS: list[EnvCard] = [DEAL_OR_NO_DEAL, BARGAINING, MATRIX_GAME, ASSIGNMENT, ITINERARY, MEDIATION]
