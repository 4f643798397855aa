"""Cards of the worlds in which programs are run; all of them run in the sandbox and nowhere else."""

from typing import Any

from agentgym.core.catalog import EnvCard
from agentgym.envs._kit.tool_records import COSTS, PROGRAM_EVENTS

SANDBOXED: dict[str, Any] = {  # what these cards have in common
    "kind": "code", "deterministic": True, "extras": ("docker",), "tools": True, "events": PROGRAM_EVENTS,
    "costs": COSTS,
    "repeatable": False,  # a program may read the clock
    "program": "bubblewrap or Docker",  # the sandbox, by what the machine has
}  # fmt: skip

PYTHON_MATH = EnvCard(
    **SANDBOXED,
    id="AgentGym/PythonMath-v0",
    entry_point="agentgym.envs.code.python_math:PythonMathEnv",
    description="Solve problems with exact answers, with programs of Python that run in a sandbox, or without them.",
    citation="ToRA (Gou et al. 2024, arXiv:2309.17452), ReTool (Feng et al. 2025, arXiv:2504.11536)",
    splits={"train": None, "val": 200, "test": 200},
    max_turns=12,
    metrics={
        "programs": "programs run, at the end",
        "failed_programs": "those of them that ended in an error or were stopped",
        "lost": "1 where a program ended its sandbox, which ends the episode",
    },
)

SHELL = EnvCard(
    **SANDBOXED,
    id="AgentGym/Shell-v0",
    entry_point="agentgym.envs.code.shell:ShellEnv",
    description="Do file, text, archive, Git and process tasks in a home with commands of bash that run in a sandbox.",
    citation="InterCode (Yang et al. 2023, arXiv:2306.14898), Terminal-Bench (tbench.ai)",
    splits={"train": None, "val": 100, "test": 100},
    max_turns=15,
    names_files={"instances": ""},
    metrics={
        "commands": "commands run, at the end",
        "failed_commands": "those of them that ended in an error or were stopped",
        "lost": "1 where a command ended its sandbox, which ends the episode",
    },
)

REPO_REPAIR = EnvCard(
    **SANDBOXED,
    id="AgentGym/RepoRepair-v0",
    entry_point="agentgym.envs.code.repo_repair:RepoRepairEnv",
    description="Repair a small library with several faults after an issue was reported; hidden tests decide.",
    citation="SWE-bench (Jimenez et al. 2024, arXiv:2310.06770), SWE-smith (Yang et al. 2025, arXiv:2504.21798)",
    splits={"train": 540, "val": 40, "test": 120},
    max_turns=40,
    names_files={"instances": ""},
    metrics={
        "runs": "runs of the repository's own tests, at the end",
        "edits": "changes of files",
        "repaired": "share of the hidden tests that failed at first which pass at the end",
        "regressions": "hidden tests that passed at first and fail at the end",
        "lost": "1 where the code ended its sandbox, which ends the episode",
    },
    shortcuts={
        "empty_tests": "takes everything out of the repository's own tests, so that none fails",
        "first_frame": "turns back what looks like a change in the line in which the first test fails",
        "quit": "lets the library end every program that uses it, with a status that says that all is well",
    },
    shortcut_bound=0.05,
)

TINY_MLE = EnvCard(
    **{**SANDBOXED, "extras": ("mle",)},
    id="AgentGym/TinyMLE-v0",
    entry_point="agentgym.envs.code.tiny_mle:TinyMLEEnv",
    description="Write a training script for a small data set, run it under a virtual time budget, submit predictions.",
    citation="MLE-bench (Chan et al. 2024, arXiv:2410.07095), RL for MLE agents (Yang et al. 2025, arXiv:2509.01684)",
    splits={"train": 99, "val": 24, "test": 30},
    max_turns=30,
    metrics={
        "score": "from 0 at the baseline to 1 at the best known, at the end",
        "duration": "virtual seconds that the call took",
        "milestone": "0.1 for each of three things done for the first time: ran, fitted, predicted",
        "runs": "scripts run",
        "failed_runs": "those of them that ended in an error or were stopped",
        "fits": "models fitted",
        "lost": "1 where a script ended its sandbox, which ends the episode",
    },
    shortcuts={
        "constant": "predicts the mean, the share or the most frequent label",
        "nearest": "copies the target of the nearest row of the train table",
        "forest": "fits one random forest with its usual options to whatever the table holds",
    },
    shortcut_bound=0.1,
    shortcut_reason="a forest with its usual options is all but the best known model of a few tables",
)

CARDS = [PYTHON_MATH, REPO_REPAIR, SHELL, TINY_MLE]
