"""MiniCrafter: survive on an island of meadows and caves, and unlock 22 achievements, in words and pixels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import exp, log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import EnvConfig, named_level, object_schema, one_of, whole
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games._cards.survival import MINI_CRAFTER
from agentgym.envs.games._mini_crafter import creatures, land, player, rules, views
from agentgym.envs.games._mini_crafter.rules import ACHIEVEMENTS, ALL, ENERGY, HEALTH, MADE, MOST, PLACED, State

LEVELS = {
    "small": {"size": 24, "length": 1000},
    "medium": {"size": 32, "length": 1500},
    "large": {"size": 48, "length": 3000},
    "original": {"size": 64, "length": 10_000},
}
VIEWS = ("both", "map", "words")
MOVES = ("north", "south", "west", "east")
SCREEN = {"north": "up", "south": "down", "west": "left", "east": "right"}


def _commands() -> list[Command]:
    found = [Command("noop", "wait a step.", examples=("noop",), variants=("wait", "do nothing"))]
    for name in MOVES:
        side = SCREEN[name]
        others = (name, f"go {name}", f"walk {name}", f"move {side}", f"move_{side}")
        found.append(
            Command(
                f"move {name}",
                f"turn {name} and go one cell if it is free.",
                examples=(f"move {name}",),
                variants=others,
                name=name,
            )
        )
    use = "collect, drink, eat or hit what you face; in grass, look for a sapling."
    found.append(Command("do", use, examples=("do",), variants=("interact", "collect", "attack")))
    found.append(Command("sleep", "sleep until your energy is full or you are hurt.", examples=("sleep",)))
    for thing, (_, item, count, _) in PLACED.items():
        where = ", with a table beside you" if thing == "furnace" else ""
        told = f"place a {thing} in front of you, for {count} {item}{where}."
        form = f"place {thing}"
        found.append(Command(form, told, examples=(form,), variants=(form.replace(" ", "_"),), name=f"place_{thing}"))
    for tool, (uses, hot) in MADE.items():
        told = f"make it of 1 {', 1 '.join(uses)}, with a table{' and a furnace' if hot else ''} beside you."
        form = f"make {tool.replace('_', ' ')}"
        found.append(Command(form, told, examples=(form,), variants=(f"make_{tool}",), name=f"make_{tool}"))
    return found


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `MiniCrafterEnv`."""

    level: str = named_level("medium", LEVELS, of="MiniCrafter")
    size: int = whole(None, 24, 64)
    view: str = one_of("both", VIEWS, shapes_tasks=False)
    length: int = field(default=0, init=False, compare=False)


class MiniCrafterEnv(LanguageEnv):
    """Survive in the open and unlock 22 achievements.

    Description: a land of grass, lakes, trees and mountains with caves, ores and lava, seen from above, of which you
    see 9 x 7 cells. You need food, drink and sleep; zombies come over the grass at night, skeletons shoot in tunnels.
    Tools open the way to better materials: wood, stone, coal, iron, diamond. Each task is a land on which everything
    needed lies within reach. A step that is refused takes a turn, but no time passes in the land.

    Observation: what the last action did; the nearest thing of each kind with its direction and the steps to walk;
    what you face; day, dusk or night; a map of 9 x 7 signs with you (`@`) in the middle; health, food, drink, energy
    (0 to 9) and what you carry. In sleep you see nothing but your status.

    Actions: Crafter's 17 in the words of BALROG, in any case: `noop`, `move west`, `move east`, `move north`,
    `move south`, `do`, `sleep`, `place stone`, `place table`, `place furnace`, `place plant`, `make wood pickaxe`,
    `make stone sword` and so on; also `move left`, `north`, `place_stone`. While you sleep, each of them waits. An
    action that could have no effect, such as making a tool without wood, is refused.

    Reward: 1 in a step that unlocks an achievement, or several, and a tenth of the change of health. The episode ends
    when all 22 are unlocked (success), at death, or after the level's length.

    Metrics: each achievement, 1 once it is unlocked in this episode. `unlock_rates` takes those of many episodes, and
    `score` turns their rates into Crafter's score: the geometric mean of the rates, in percent. `progress` is the share
    that is unlocked.

    Splits: `train` without end, `val` 50 lands, `test` 100.

    Chance: creatures and saplings draw from `np_random`; equal seeds and actions give equal episodes in every process.

    Oracle: the scripted player with the whole land before it; `oracle_success` of the card, its share of episodes with
    all 22, is measured. It sees no dice. Expert: the same player, who knows the cells that have been in its view.

    Args:
        level: Named difficulty: `small` (24 x 24 cells, 1,000 turns), `medium` (32 x 32, 1,500), `large` (48 x 48,
            3,000), `original` (64 x 64, 10,000). `size` replaces its size; for other lengths give `max_turns`.
        size: Rows and columns, 24 to 64.
        view: `both`, `map` (without the list of nearest things) or `words` (without the map, as in BALROG; the expert
            then looks at the picture).

    Source: Crafter (Hafner 2022, arXiv:2109.06780): achievements, needs, reward, thresholds of the land; words after
    SmartPlay (Wu et al. 2023, arXiv:2310.01557) and BALROG (Paglieri et al. 2024, arXiv:2411.13543). Written anew: the
    noise, and so the lands, are others, and a step is a hundred times as fast; scores are close, not equal.
    """

    card = MINI_CRAFTER
    config = Config()
    grammar = Grammar(
        _commands(),
        rules="Stay alive and unlock all achievements: collect wood, stone, coal, iron, a diamond, sapling and water; "
        "place a stone, table, furnace and plant; make pickaxes and swords of wood, stone and iron; eat a cow and "
        "a ripe plant; defeat a zombie and a skeleton; sleep until you are rested. Stone and coal need a wood pickaxe, "
        "iron a stone pickaxe, a diamond an iron pickaxe. A plant ripens in 300 steps if no zombie comes beside it. "
        "Lava kills.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "rows": {
                "type": "array",
                "minItems": 5,
                "maxItems": 64,
                "items": {"type": "string", "minLength": 5, "maxLength": 64},
                "description": "square of signs: . grass, _ sand, : path, % tunnel, ~ water, ! lava, # stone, c coal, "
                "i iron, d diamond, T tree, C cow, Z zombie, K skeleton in a tunnel, @ you",
            }
        }
    )
    _state: State

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """A land of the size of `config`, made by `seed`, on which every achievement can be reached."""
        return {"rows": land.generate(seed, config.size)}

    def check_task(self, spec: Spec) -> None:
        """The rows must form a square land with one player."""
        flaw = land.flaws(spec["rows"])
        if flaw:
            raise TaskError(flaw)

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return "Survive, and unlock as many of the 22 achievements as you can."

    def _turn_limit(self, task: Task) -> int:
        return self.config.length

    def _reset(self, task: Task) -> str:
        self._land = land.read(tuple(task.spec["rows"]))
        self._state = rules.begin(self._land)
        views.notice(self._state, self._land.side)
        legend = "" if self.config.view == "words" else f"{views.LEGEND}.\n"
        return f"{task.instruction}\n{legend}\n{self._view()}"

    def _metrics(self) -> dict[str, float]:
        return _unlocks(self._state.unlocked)

    def _step(self, call: Call) -> Outcome:
        state, side = self._state, self._land.side
        health, unlocked = state.items[HEALTH], state.unlocked
        if state.sleeping:
            told = ""
        else:
            wrong = self._cannot(call.name)
            if wrong:
                return self.refuse(wrong)
            told = self._act(call.name)
        state.clock += 1
        rules.live(state)
        draw = self.np_random.random
        asleep = state.sleeping
        creatures.act(state, side, draw)
        creatures.restock(state, side, draw)
        if state.sleeping:
            told = told or "You sleep."
        else:
            woken = "Something hurts you, and you wake up." if asleep else "" if told else "You wake up."
            told = f"{told} {woken}".strip()
            views.notice(state, side)
        return self._outcome(told, health, unlocked)

    def _outcome(self, told: str, health: int, unlocked: int) -> Outcome:
        """What the step did, given health and achievements before it."""
        state = self._state
        change, dead, won = state.items[HEALTH] - health, state.items[HEALTH] <= 0, state.unlocked == ALL
        fresh: list[str] = []
        if state.unlocked != unlocked:
            fresh = [name for name in ACHIEVEMENTS if (state.unlocked & ~unlocked) & rules.BIT[name]]
            told = f"{told} Achievement unlocked: {', '.join(name.replace('_', ' ') for name in fresh)}."
        if change < 0:
            told = f"{told} You lose {-change} health."
        if dead:
            told = f"{told} You die."
        return Outcome(
            f"{told}\n\n{self._view()}",
            float(bool(fresh)) + change / 10,
            terminated=dead or won,
            success=won and not dead,
            progress=state.unlocked.bit_count() / len(ACHIEVEMENTS),
            events=[{"type": "unlock", "achievement": name} for name in fresh] if fresh else (),
        )

    def _cannot(self, name: str) -> str:
        """Why an action could have no effect now; empty if it could."""
        state, side = self._state, self._land.side
        target = state.cell + rules.steps(side)[state.facing]
        if name == "do":
            return rules.cannot_do(state, target)
        if name == "sleep":
            return "You are not tired: your energy is full." if state.items[ENERGY] == MOST else ""
        kind, _, what = name.partition("_")
        if kind == "place":
            return rules.cannot_place(state, what, target, side)
        return rules.cannot_make(state, what, side) if kind == "make" else ""

    def _act(self, name: str) -> str:
        """Do it; what happened."""
        state, side = self._state, self._land.side
        if name in SCREEN:
            return rules.walk(state, MOVES.index(name), side)
        target = state.cell + rules.steps(side)[state.facing]
        kind, _, what = name.partition("_")
        if kind == "do":
            return rules.do(state, target, self.np_random.random)
        if kind == "place":
            return rules.place(state, what, target)
        if kind == "make":
            return rules.make(state, what)
        state.sleeping = kind == "sleep"
        return "You fall asleep." if state.sleeping else "You wait."

    def _view(self) -> str:
        return views.describe(self._state, self._land.side, self.config.view)

    def _key_state(self) -> Any:
        state = self._state
        return [getattr(state, name) for name in State.__slots__ if name != "known"]

    def _admissible(self) -> list[str]:
        if self._state.sleeping:
            return list(_WORDS.values())
        return [form for name, form in _WORDS.items() if not self._cannot(name)]

    def _oracle(self) -> str:
        return _WORDS[player.choose(self._state, self._land.side, whole=True)]

    def _expert(self) -> str:
        return _WORDS[player.choose(self._state, self._land.side, whole=False)]

    def _picture(self) -> NDArray[np.uint8]:
        """The view and what you carry, uint8 of shape (64, 64, 3)."""
        return views.picture(self._state, self._land.side)


_WORDS = {command.name: command.form for command in MiniCrafterEnv.grammar.commands}


def unlock_rates(episodes: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Share of episodes that unlocked each achievement, 0 to 1.

    Args:
        episodes: `info["metrics"]` at the end of each.

    Raises:
        ConfigError: if there are none.
    """
    ends = list(episodes)
    if not ends:
        raise ConfigError("unlock rates need at least one finished episode, got none")
    return {name: sum(end[name] for end in ends) / len(ends) for name in ACHIEVEMENTS}


def score(rates: Mapping[str, float]) -> float:
    """Crafter's score in percent: exp(mean of ln(1 + 100 * rate)) - 1 over the achievements.

    Args:
        rates: What `unlock_rates` returns.
    """
    return exp(sum(log(1 + 100 * rates[name]) for name in ACHIEVEMENTS) / len(ACHIEVEMENTS)) - 1


@lru_cache(maxsize=4096)
def _unlocks(unlocked: int) -> dict[str, float]:
    return {name: float(bool(unlocked & bit)) for name, bit in rules.BIT.items()}
