"""Cards of the games in which players have different parts."""

from agentgym.core.catalog import EnvCard

LEVELS = ("random", "simple", "strong")
TALK = {"talk": "the `words` that `seat` said"}

WEREWOLF = EnvCard(
    id="AgentGym/Werewolf-v1",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.werewolf:Werewolf",
    description="Hidden werewolves against a village: nights, talk in free words, and votes.",
    citation="Davidoff 1986 (Mafia); Xu et al. 2023 (arXiv:2310.18940, arXiv:2309.04658)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=840,
    deterministic=False,  # chance breaks ties
    players=7,
    opponents=LEVELS,
    rival="simple",
    events={**TALK, "death": "the `seat` that left the game, and the `cause`: night or vote"},
    metrics={
        "draw": "1 in the last step if the days were used up and nobody wins",
        "accuracy": "in the last step: share of the player's votes that named a werewolf",
        "days": "in the last step: days played",
    },
    costs={"words": "words that the player said"},
)

SEARCH_DUEL = EnvCard(
    id="AgentGym/SearchDuel-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.search_duel:SearchDuel",
    description="A proposer asks what a library answers, a solver searches it for the answer; then they change parts.",
    citation="Search Self-play (Lu et al. 2025, arXiv:2510.18821)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=96,
    deterministic=True,
    players=2,
    opponents=LEVELS,
    rival="simple",
    events={
        "search": "the `words` that the player itself searched for",
        "open": "the `title` of the document that the player itself opened",
        "question": "how many `relations` the question of `seat` has, and whether it is `valid`",
        "answer": "whether the answer of `seat` is `right`",
    },
    metrics={
        "draw": "1 in the last step if both have equal points",
        "valid": "1 when the player has asked a valid question",
        "hops": "relations of the valid question that the player has asked",
        "solved": "1 when the player has answered right",
    },
    costs={"read": "sentences that the player was shown"},
)

DISCUSSION = EnvCard(
    id="AgentGym/Discussion-v0",
    kind="multiagent",
    api="aec",
    entry_point="agentgym.envs.multiagent.discussion:Discussion",
    description="Several players solve a problem, evaluate each other's solutions, and a judge scores both.",
    citation="CoMAS (Xue et al. 2025, arXiv:2510.08529)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=36,
    deterministic=True,
    players=3,
    opponents=LEVELS,
    rival="simple",
    events={
        "talk": "the `words` that the `seat` itself gave as its reasons or its evaluation",
        "verdict": "the right `answer`, in the last step",
    },
    metrics={
        "solving": "in the last step: mean reward of the player's solutions",
        "finding": "in the last step: mean reward of the player's evaluations",
        "right": "in the last step: share of the player's solutions with the right answer",
        "agreed": "1 in the last step if all last answers are the same",
    },
    costs={
        "words": "words that the player said",
        "judge": "in the last step: the player's part of what a judging model cost, in US dollars",
    },
)

CARDS: list[EnvCard] = [WEREWOLF, SEARCH_DUEL, DISCUSSION]
