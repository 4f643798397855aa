"""Cards of the worlds over NetHack."""

from agentgym.core.catalog import EnvCard

NETHACK = EnvCard(
    id="AgentGym/NetHack-v0",
    kind="games",
    entry_point="agentgym.envs.games.nethack:NetHackEnv",
    description="Play NetHack in the engine of the NetHack Learning Environment, told in the words of BALROG.",
    citation="The NetHack Learning Environment (Küttler et al. 2020, arXiv:2006.13760), in the words of BALROG "
    "(Paglieri et al. 2024, arXiv:2411.13543)",
    splits={"train": None, "val": 10, "test": 10},
    max_turns=100_000,
    deterministic=False,
    oracle_success=0.0,  # there is none
    snapshot="replay",
    extras=("nethack",),
    images=True,
    metrics={
        "progression": "BALROG's progress in percent",
        "depth": "deepest dungeon level",
        "experience": "highest experience level",
        "score": "NetHack's score",
    },
)

MINIHACK = EnvCard(
    id="AgentGym/MiniHack-v0",
    kind="games",
    entry_point="agentgym.envs.games.minihack:MiniHackEnv",
    description="Mazes, corridors, rats and lava in small levels of NetHack, told in the words of BALROG.",
    citation="MiniHack (Samvelyan et al. 2021, arXiv:2109.13202), in the words of BALROG (Paglieri et al. 2024, "
    "arXiv:2411.13543)",
    splits={"train": None, "val": 30, "test": 30},
    max_turns=1000,
    deterministic=False,
    names_files={"boxoban": ""},
    oracle_success=0.0,  # there is none
    snapshot="replay",
    extras=("nethack",),
    program="lev_comp and dlb, NetHack's compilers of levels",
    images=True,
    metrics={"progression": "BALROG's progress in percent"},
)

CARDS = [MINIHACK, NETHACK]
