"""Stories of TextWorld as somebody would have them who made some with the package's `tw-make`."""

from __future__ import annotations

import shutil
from pathlib import Path

from agentgym.envs.text._text_world.library import FACTS, game_file

STORIES = (  # split, rooms, objects, quest
    ("train", 2, 3, 2), ("train", 2, 4, 3), ("val", 3, 4, 3), ("test", 3, 5, 2),
)  # fmt: skip


def story_files(folder: str | Path) -> dict[str, str]:
    """A folder of stories as `AgentGym/Jericho-v0` reads it; its constructor arguments.

    They are compiled once and kept with the games of `AgentGym/TextWorld-v0`.

    Args:
        folder: Where they go.

    Raises:
        MissingExtra: if `textworld` is not installed.
    """
    for seed, (split, rooms, objects, quest) in enumerate(STORIES):
        place = Path(folder) / split
        place.mkdir(parents=True, exist_ok=True)
        spec = {
            "game": "custom", "rooms": rooms, "objects": objects, "quest": quest, "only_last_action": True,
            "fold": "train", "seed": seed,
        }  # fmt: skip
        name = f"tw-custom-{seed}"
        made = game_file(None, spec)
        shutil.copyfile(made, place / f"{name}.z8")
        shutil.copyfile(made.with_name(FACTS), place / f"{name}.json")
    return {"story": str(folder)}
