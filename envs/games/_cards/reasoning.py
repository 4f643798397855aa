"""Cards of the worlds of generated reasoning tasks."""

from agentgym.core.catalog import EnvCard

REASONING_GYM = EnvCard(
    id="AgentGym/ReasoningGym-v0",
    kind="games",
    entry_point="agentgym.envs.games.reasoning_gym:ReasoningGymEnv",
    description="Answer generated questions of some ninety kinds: algebra, algorithms, logic, graphs, games and more.",
    citation="Reasoning Gym (Stojanovski et al. 2025, arXiv:2505.24760)",
    splits={"train": None, "val": 100, "test": 100},
    max_turns=20,  # with the most tries; 1 by default
    deterministic=True,
    extras=("worlds",),
    names_files={"config": "file"},  # as `data_file` does
    metrics={"score": "the package's score of this answer, 0 to 1"},
)

CARDS = [REASONING_GYM]
