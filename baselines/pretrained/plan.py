"""What the study is supposed to take, written down before it is run: tokens from the recipes, seconds from speeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from agentgym.baselines.pretrained.study import ARMS, ROOM, TESTS, WORLDS, Part, stages
from agentgym.core import catalog, full_id
from agentgym.train import recipe_table

LEARNED, LEARNED_ALL, READ, SAID = 155.0, 137.0, 450.0, 120.0  # tokens a second on two cores
LONGER, TAUGHT = 1.2, 0.7  # own episodes in lengths of the expert's, and the share of them with something to learn from
PLAN_HEADS = ("stage", "parts", "tokens learned, thousands", "read", "said", "minutes", "hours so far")


@dataclass(frozen=True)
class Cost:
    """What a part is supposed to take: tokens that a model is fitted to, reads, and says, and seconds."""

    learned: float = 0.0
    read: float = 0.0
    said: float = 0.0
    seconds: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(*(mine + its for mine, its in zip(asdict(self).values(), asdict(other).values(), strict=True)))


def cost(part: Part, tests: int = TESTS) -> Cost:
    """What a part is supposed to take on two cores, its clone left out.

    Args:
        part: Which one.
        tests: Most test episodes.
    """
    size, arm = WORLDS[part.world], ARMS[part.arm]
    recipe = recipe_table(arm.recipe, {"world.id": part.world})
    tokens, said, learned, played = LONGER * size.tokens, LONGER * size.said, 0.0, float(tests)
    if arm.stage == "as it comes":  # it talks to the limit, in twice the turns
        room, asked = recipe["model"]["max_new_tokens"], part.arm == "asked"
        said = 2 * size.turns * (max(ROOM, room) if asked else room)
        tokens = size.tokens + said + size.manual * asked
    if arm.stage == "cloned":
        shown = recipe["clone"]["episodes"] * catalog()[full_id(part.world)].players
        learned = shown * recipe["clone"]["epochs"] * size.tokens
    if arm.stage == "played":
        own = recipe["update"]["updates"] * recipe["rollout"]["groups"] * recipe["rollout"]["group_size"]
        learned, played = own * tokens * TAUGHT, played + own
    speed = LEARNED_ALL if "model.lora" in arm.changes else LEARNED
    read, spoken = played * (tokens - said), played * said
    return Cost(learned, read, spoken, learned / speed + read / READ + spoken / SAID)


def planned(worlds: Sequence[str], seeds: int) -> list[tuple[str, ...]]:
    """The plan: for each stage its parts, tokens in thousands, minutes, and hours from the beginning.

    Args:
        worlds: Names.
        seeds: As of `stages`.
    """
    found, hours = [], 0.0
    for title, parts in stages(worlds, seeds):
        whole = sum((cost(part) for part in parts), Cost())
        hours += whole.seconds / 3600
        tokens = (f"{each / 1000:,.0f}" for each in (whole.learned, whole.read, whole.said))
        found.append((title, str(len(parts)), *tokens, f"{whole.seconds / 60:.0f}", f"{hours:.1f}"))
    return found
