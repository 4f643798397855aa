"""Cards of the worlds in which several act in one place."""

from agentgym.core.catalog import EnvCard

LEVELS = ("random", "simple", "strong")

PLAN_PATH = EnvCard(
    id="AgentGym/PlanPath-v0",
    kind="multiagent",
    api="parallel",
    entry_point="agentgym.envs.multiagent.plan_path:PlanPath",
    description="Two players, each with half of the map, plan one way over a grid at the same time.",
    citation="Plan-Path of AT-GRPO (Stronger Together, arXiv:2510.11062)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=20,
    deterministic=True,
    images=True,
    players=2,
    opponents=LEVELS,
    events={"walk": "the `moves` that the walker took, and whether a wall or the edge `stopped` it"},
    metrics={"agreed": "moves with which both plans begin, as a share of the longer plan"},
    costs={"words": "words that the player said to the other"},
    hidden_progress=True,
)

OVERCOOKED = EnvCard(
    id="AgentGym/Overcooked-v0",
    kind="multiagent",
    api="parallel",
    entry_point="agentgym.envs.multiagent.overcooked:Overcooked",
    description="Two cooks fill pots, plate and serve soups in the five standard kitchens, told in words.",
    citation="Carroll et al. 2019, On the Utility of Learning about Humans for Human-AI Coordination "
    "(arXiv:1910.05789)",
    splits={"train": 230, "val": 50, "test": 104},
    max_turns=400,
    deterministic=True,
    images=True,
    players=2,
    opponents=LEVELS,
    events={"serve": "a soup of so many `onions` that `seat` served"},
    metrics={"soups": "soups served so far that count", "shaped": "the original's shaping reward of the step"},
)

COLOR_GRID = EnvCard(
    id="AgentGym/ColorGrid-v0",
    kind="multiagent",
    api="parallel",
    entry_point="agentgym.envs.multiagent.color_grid:ColorGrid",
    description="A leader knows which colour counts, a follower has to see it from what the leader takes.",
    citation="ColorGrid: goal inference and assistance between a leader and a follower (arXiv:2501.10593)",
    splits={"train": None, "val": 50, "test": 100},
    max_turns=1000,
    deterministic=False,
    images=True,
    players=2,
    opponents=LEVELS,
    events={"take": "the `colour` of the block that `seat` took"},
    metrics={
        "own": "points that the player itself made in the step",
        "taken": "in the last step: blocks of the right colour that the player took",
        "wrong": "in the last step: blocks of a wrong colour that the player took",
        "adapting": "in the last step: mean steps until the follower takes a colour that has come to count",
    },
)

COMMONS = EnvCard(
    id="AgentGym/Commons-v1",
    kind="multiagent",
    api="parallel",
    entry_point="agentgym.envs.multiagent.commons:Commons",
    description="Two to ten share a resource that grows back, harvest in private, and talk about it.",
    citation="GovSim, Cooperate or Collapse (Piatti et al. 2024, arXiv:2404.16698)",
    splits={"train": None, "val": 60, "test": 100},
    max_turns=36,
    deterministic=True,
    players=5,
    opponents=LEVELS,
    events={"catch": "the `amount` that `seat` got"},
    metrics={
        "survived": "in the last step: months after which the resource was not gone",
        "gain": "in the last step: total catch of the player",
        "equality": "in the last step: 1 - Gini coefficient of the totals",
        "efficiency": "in the last step: total catch of all as a share of what could have been kept up, at most 1",
        "share": "in the last step: total catch of all as a share of the greatest that they could have together",
        "overuse": "in the last step: share of catches above what everyone could take without loss",
    },
    costs={"words": "words that the player said"},
    shortcuts={"half": "takes its share of half of the stock, whatever its growth"},
    shortcut_bound=0.2,
    shortcut_reason="one amount is right in the tasks whose growth it fits; the best single one wins 11 %",
)

CARDS = [PLAN_PATH, OVERCOOKED, COLOR_GRID, COMMONS]
