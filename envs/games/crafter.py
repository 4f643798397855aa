"""Crafter itself: the package's engine, in the words of BALROG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.generated import EnvConfig, object_schema, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games._cards.survival import ACHIEVEMENTS, CRAFTER
from agentgym.envs.games._crafter import engine, words

ACTIONS = {  # BALROG's words, in the order of the engine's numbers, and what they do
    "Noop": "wait a step.",
    "Move West": "turn west and go one cell if it is free.",
    "Move East": "turn east and go one cell if it is free.",
    "Move North": "turn north and go one cell if it is free.",
    "Move South": "turn south and go one cell if it is free.",
    "Do": "collect, drink, eat or hit what you face; in grass, look for a sapling.",
    "Sleep": "sleep until your energy is full or you are hurt.",
    "Place Stone": "place a stone in front of you, for 1 stone.",
    "Place Table": "place a table in front of you, for wood.",
    "Place Furnace": "place a furnace in front of you, for stone, with a table near.",
    "Place Plant": "plant a sapling in the grass in front of you.",
    "Make Wood Pickaxe": "of 1 wood, with a table near.",
    "Make Stone Pickaxe": "of 1 wood and 1 stone, with a table near.",
    "Make Iron Pickaxe": "of 1 wood, 1 coal and 1 iron, with a table and a furnace near.",
    "Make Wood Sword": "of 1 wood, with a table near.",
    "Make Stone Sword": "of 1 wood and 1 stone, with a table near.",
    "Make Iron Sword": "of 1 wood, 1 coal and 1 iron, with a table and a furnace near.",
}
NAMES = tuple(ACTIONS)
SCREEN = {"West": "left", "East": "right", "North": "up", "South": "down"}
LANDS = 2**31 - 1  # seeds of the engine


def _variants(form: str) -> tuple[str, ...]:
    """The engine's own name of an action, and other words for it."""
    verb, _, rest = form.partition(" ")
    if verb == "Move":
        return f"move_{SCREEN[rest]}", f"move {SCREEN[rest]}", rest, f"go {rest}"
    return (form.replace(" ", "_"),) if rest else {"Noop": ("wait",), "Do": ("interact",)}.get(form, ())


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `CrafterEnv`."""

    size: int = whole(engine.SIDE, 32, engine.SIDE)


class CrafterEnv(LanguageEnv):
    """Survive in the open and unlock 22 achievements, in the original engine.

    Description: Crafter of the package `crafter` 1.8: a land of 64 x 64 cells, seen from above, of which you see 9 x 7.
    You need food, drink and sleep; zombies come at night, skeletons shoot in caves; tools open the way to better
    materials. The land of a task is that of `crafter.Env(seed=seed)` at its first reset.

    Observation: BALROG's text, to the letter: whether you sleep, the nearest thing of each kind with its direction and
    the steps to walk, what you face, health, food, drink, energy (0 to 9), and what you carry. Before it, achievements
    just unlocked. Near the borders in the west and north BALROG sees nothing at all; here the land is told there too.

    Actions: the 17 of Crafter in BALROG's words, in any case: `Noop`, `Move West`, `Move East`, `Move North`,
    `Move South`, `Do`, `Sleep`, `Place Stone`, `Place Table`, `Place Furnace`, `Place Plant`, `Make Wood Pickaxe` and
    so on; also the engine's names, `move_left`, `place_stone`. Every action is possible always; one that can do
    nothing, such as making a tool without wood, passes the step.

    Reward: 1 in a step that unlocks an achievement, or several, and a tenth of the change of health. The episode ends
    when all 22 are unlocked (success), at death, or after 10,000 turns.

    Metrics: each achievement, 1 once it is unlocked, and BALROG's `progression` in percent. `progress` is its share.

    Splits: `train` without end, `val` and `test` 10 lands each, as many as BALROG plays.

    Oracle: none, and no expert; `AgentGym/MiniCrafter-v0`, the native world with the same achievements, has both.

    Limits: making a land takes over a second, and a step some 500 us, of which the words take a third. The engine
    cannot be copied, so a snapshot replays the episode: some 2 ms and 0.5 ms an action. In the original, equal seeds
    and actions give different episodes, because creatures stand in sets that follow the addresses of objects; here
    they keep their order, and the dice of each step come from `np_random`. The package is under the MIT licence.

    Args:
        size: Rows and columns of the land, 32 to 64.

    Raises:
        MissingExtra: if `crafter` is not installed (extra `worlds`).

    Source: Crafter (Hafner 2022, arXiv:2109.06780); words and progression of BALROG (Paglieri et al. 2024,
    arXiv:2411.13543), after SmartPlay (Wu et al. 2023, arXiv:2310.01557).
    """

    card = CRAFTER
    config = Config()
    grammar = Grammar(
        [Command(form, told, examples=(form,), variants=_variants(form), name=form) for form, told in ACTIONS.items()],
        rules="Stay alive and unlock all achievements: collect wood, stone, coal, iron, a diamond, sapling and water; "
        "place a stone, table, furnace and plant; make pickaxes and swords of wood, stone and iron; eat a cow and a "
        "ripe plant; defeat a zombie and a skeleton; sleep until you are rested.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "seed": {"type": "integer", "minimum": 0, "maximum": 2**31 - 2},
            "side": {"type": "integer", "minimum": 32, "maximum": 64},
        }
    )

    def _configured(self) -> None:
        engine.package()

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """A land by its number, the `seed` below the engine's 2**31 - 1, and the size of the map that `config` says."""
        return {"seed": seed % LANDS, "side": config.size}

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return "Survive, and unlock as many of the 22 achievements as you can."

    def _reset(self, task: Task) -> str:
        self._engine = engine.begin(task.spec["seed"], task.spec["side"])
        return f"{task.instruction}\n\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        before = engine.achievements(self._engine)
        reward, dead = engine.step(self._engine, NAMES.index(call.name), int(self.np_random.integers(2**32)))
        unlocked = engine.achievements(self._engine)
        fresh = [name for name in ACHIEVEMENTS if name in unlocked - before]
        told = [f"Achievement unlocked: {name.replace('_', ' ')}." for name in fresh]
        won = len(unlocked) == len(ACHIEVEMENTS) and not dead
        return Outcome(
            "\n".join([*told, self._view()]),
            reward,
            terminated=dead or won,
            success=won,
            progress=len(unlocked) / len(ACHIEVEMENTS),
            events=[{"type": "unlock", "achievement": name} for name in fresh],
        )

    def _metrics(self) -> dict[str, float]:
        unlocked = engine.achievements(self._engine)
        found = {name: float(name in unlocked) for name in ACHIEVEMENTS}
        return {**found, "progression": 100 * len(unlocked) / len(ACHIEVEMENTS)}

    def _view(self) -> str:
        return words.describe(self._engine)

    def _key_state(self) -> Any:
        return engine.dynamics(self._engine)

    def _admissible(self) -> list[str]:
        return list(NAMES)

    def _picture(self) -> NDArray[np.uint8]:
        """Crafter's picture, uint8 of shape (64, 64, 3)."""
        return engine.picture(self._engine)
