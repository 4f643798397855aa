"""TextCraft: gather and craft your way to an item, with crafting commands given as text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from agentgym.assets.crafting import Recipe, load_recipes
from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import EnvConfig, checked, object_schema, path_to, whole
from agentgym.core.grammar import Call, Command, Invalid, shorten
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.snapshot import fingerprint
from agentgym.core.tasks import FiniteTaskSet, Spec, Task, TaskSet
from agentgym.envs._kit.recipe_book import FAR, RecipeBook
from agentgym.envs._kit.thoughts import ANSWER, ThinkingGrammar
from agentgym.envs.text import TEXTCRAFT
from agentgym.envs.text._textcraft.plan import Planner
from agentgym.envs.text._textcraft.published import open_book
from agentgym.envs.text._textcraft.scene import Scene, command, goals, plan, planner, scene, words
from agentgym.envs.text._textcraft.shortcuts import shortcut

AMOUNT = re.compile(r"0*([1-9][0-9]{0,8})")  # a number from 1 to 999,999,999
COUNTED = re.compile(r"([0-9]{1,9})\s+(\S.*)")
DRAWS = 2**31
MOST_DISTRACTORS = 100
DECOYS, MOST_DECOYS = 3, 5


@dataclass(slots=True)
class State:
    """What is carried, in the order in which it was first picked up, and which stages of the goal were reached."""

    carried: dict[str, int] = field(default_factory=dict)
    reached: list[bool] = field(default_factory=list)


def _listed(name: str, value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value  # `_depths` says what is wrong, when the book is open


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `TextCraftEnv`."""

    recipes: Path | None = path_to("TextCraft's recipes.json or None")
    depths: tuple[int, ...] | None = checked(None, _listed)
    distractors: int = whole(10, 0, MOST_DISTRACTORS)
    decoys: int | None = whole(None, 0, MOST_DECOYS)


class TextCraftEnv(LanguageEnv):
    """Craft an item out of unlimited raw materials.

    Description: the task names an item and shows crafting commands: all that can take part in making the item, and up
    to ten distractors that share an ingredient with them. What no recipe makes is gathered with `get`, as much as one
    likes; everything else is crafted, level by level. Some commands lead in a circle: they make the goal, or up to four
    things on the way to it, out of what takes that very thing to make. They can be followed, and gain nothing; what
    stands between their two ends is made by them alone.

    Observation: first `Crafting commands:`, one command a line, and `Goal: craft <item>.`; then a sentence about the
    last action: `Got 2 oak log`, `Crafted 4 minecraft:stick`, `Inventory: [stick] (4) `, `Inventory: You are not
    carrying anything.`, or a refusal: `Could not find <item>` (it must be crafted, names a kind, or does not exist),
    `Could not find enough items to craft <id>`, `Could not find a valid recipe for <id>`, `Wrong item format: <text>`,
    `Could not extract recipe from <text>`, `Could not execute <text>`.

    Actions: `get <number> <item>`; `craft <item> using <ingredients>`, such as `craft 4 stick using 2 oak planks`;
    `inventory`. The ingredients are `<number> <item>` separated by commas; their numbers must be the recipe's; where a
    recipe names a kind (`planks`, `wool`), any one item of it does. The number before the product may be left out and
    is not read: one command makes what the recipe makes. Underscores and `minecraft:` before names are accepted. A
    line `think: ...` is answered `OK.`: it changes nothing and takes a turn, as in ADaPT's published runs.

    Reward: 1 when the goal item is crafted, otherwise 0. `progress` is the share of the kinds of crafting of a
    shortest plan that were done. The episode ends with the goal (success) or after 30 turns, or twice the
    length of a shortest plan where that is longer.

    Splits: the goals (730 items with the shipped recipes) are cut 60/20/20 by stable hash within each depth, those of
    depth 1 90/5/5, so no goal is in two splits; the task id is the goal's. Depth is the number of craftings one above
    the other: 182, 343, 164, 38 and 3 of depth 1 to 5. `metrics["depth"]` says a goal's depth. A specification
    `{"goal": "oak_door", "draw": 7}` gives other distractors, circles and another order; the panels have draw 0.

    Oracle: searches the recipes for the fewest commands; see `_textcraft.plan`. Expert: plans in the same way with the
    commands shown alone, taking for gathered what no command makes, and leaving aside what leads in a circle.
    Shortcuts: players that take, of the commands that make a thing, the first one shown, or the one most of whose
    ingredients no command makes.

    Args:
        recipes: Path of TextCraft's `recipes.json` in place of the shipped table: 544 goals, 125, 291, 117 and 11 of
            depth 1 to 4, with the published loader's rules applied in sorted order.
        depths: Only goals of these depths.
        distractors: At most how many distractors are shown, 0 to 100.
        decoys: How many circles end in the goal, 0 to 5; with any, further things get one each. None for three with the
            shipped recipes and none with published ones.

    Source: Prasad et al. 2024, ADaPT (arXiv:2311.05772), TextCraft; limits after AgentGym (arXiv:2406.04151).
    """

    card = TEXTCRAFT
    config = Config()
    grammar = ThinkingGrammar(
        [
            Command(
                "get <number> <item>",
                "gather raw material that no recipe makes.",
                examples=("get 2 oak log", "get 9 iron ingot"),
            ),
            Command(
                "craft <item> using <ingredients>",
                "use one crafting command; the ingredients are taken from what you carry.",
                examples=("craft 4 oak planks using 1 oak log", "craft 1 oak sign using 6 oak planks, 1 stick"),
            ),
            Command("inventory", "see what you carry.", examples=("inventory",), variants=("inventory:",)),
        ],
        rules="Craft the goal. The crafting commands say what becomes what; gather the rest, in any amount. Some "
        "commands may lead in a circle, to things that can be made out of each other alone.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "goal": {"type": "string", "minLength": 1, "maxLength": 80},
            "draw": {"type": "integer", "minimum": 0, "maximum": DRAWS - 1},
        }
    )
    admissible_complete: ClassVar[bool] = False
    _state: State

    def _configured(self) -> None:
        self._book = _shipped() if self.config.recipes is None else open_book(self.config.recipes)
        shipped = self.config.recipes is None
        self._decoys = (DECOYS if shipped else 0) if self.config.decoys is None else self.config.decoys
        self._goals = goals(self._book, _depths(self._book, self.config.depths))

    def tasks(self, split: str) -> TaskSet:
        """The goals of a split; equal environments give equal panels."""
        return FiniteTaskSet(split, self._goals[split], lambda goal: _task(goal, split))

    @staticmethod
    def content_key(spec: Spec) -> str:
        """The goal: no other draw of distractors makes it another task."""
        return fingerprint(spec["goal"])

    def check_task(self, spec: Spec) -> None:
        """The goal must be an item that can be crafted."""
        if self._book.depth.get(spec["goal"], FAR) >= FAR or spec["goal"] not in self._book.by_product:
            raise TaskError(f"{shorten(spec['goal'])!r} is no item that can be crafted; a goal reads like 'oak_door'")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return f"Goal: craft {words(spec['goal'])}."

    def _kind(self, spec: Spec) -> str:
        """The goal's depth."""
        return f"depth {self._book.depth[spec['goal']]}"

    def _turn_limit(self, task: Task) -> int:
        return self._scene_of(task).turns

    def _reset(self, task: Task) -> str:
        self._scene = self._scene_of(task)
        self._depth = float(self._book.depth[self._scene.goal])
        self._state = State(reached=[False] * len(self._scene.stages))
        return self._scene.text

    def parse(self, action: str, player: str | None = None) -> Call | Invalid:
        """Read an action without playing it; what is none is refused in TextCraft's words.

        Args:
            action: What is said.
            player: Not needed: the world has one.
        """
        call = super().parse(action, player)
        if type(call) is not Invalid:
            return call
        said = shorten(action.strip())
        if action.strip().lower().startswith("craft"):
            return Invalid(f"Could not extract recipe from {said}. {self.grammar.line}")
        return Invalid(f"Could not execute {said}. {self.grammar.line}")

    def _step(self, call: Call) -> Outcome:
        if call.name == "get":
            return self._get(call["number"], call["item"])
        if call.name == "craft":
            return self._craft(call["item"], call["ingredients"])
        if call.name == "think":
            return Outcome(ANSWER)
        carried = "".join(f"[{words(item)}] ({count}) " for item, count in self._state.carried.items())
        return Outcome(f"Inventory: {carried or 'You are not carrying anything.'}")

    def _metrics(self) -> dict[str, float]:
        return {"depth": self._depth}

    def _get(self, number: str, said: str) -> Outcome:
        amount = AMOUNT.fullmatch(number)
        if amount is None:
            return self.refuse(f"Could not execute get {shorten(number)} {shorten(said)}. {self.grammar.line}")
        item, count = _name(said), int(amount[1])
        if item not in self._book.gatherable:
            return self.refuse(f"Could not find {shorten(said)}")
        carried = self._state.carried
        carried[item] = carried.get(item, 0) + count
        event = {"type": "get", "item": item, "count": count}
        return Outcome(f"Got {count} {words(item)}", events=(event,))

    def _craft(self, said: str, ingredients: str) -> Outcome:
        counted = COUNTED.fullmatch(said)
        product = _name(counted[2] if counted else said)
        uses = []
        for part in ingredients.split(","):
            match = COUNTED.fullmatch(part.strip())
            if match is None:
                return self.refuse(f"Wrong item format: {shorten(part.strip())}")
            uses.append((_name(match[2]), int(match[1])))
        carried = self._state.carried
        if any(carried.get(item, 0) < max(count, 1) for item, count in uses):
            return self.refuse(f"Could not find enough items to craft minecraft:{shorten(product)}")
        recipe = self._matching(product, uses)
        if recipe is None:
            return self.refuse(f"Could not find a valid recipe for minecraft:{shorten(product)}")
        for item, count in uses:
            carried[item] -= count
            if carried[item] == 0:
                del carried[item]
        carried[product] = carried.get(product, 0) + recipe.count
        for place, stage in enumerate(self._scene.stages):
            if product in stage and not self._state.reached[place]:
                self._state.reached[place] = True
                break
        done = product == self._scene.goal
        event = {"type": "craft", "item": product, "count": recipe.count, "using": dict(uses)}
        return Outcome(
            f"Crafted {recipe.count} minecraft:{product}",
            reward=float(done),
            terminated=done,
            success=done,
            progress=sum(self._state.reached) / len(self._state.reached),
            events=(event,),
        )

    def _matching(self, product: str, uses: Sequence[tuple[str, int]]) -> Recipe | None:
        """The first recipe of `product`, known or shown, whose ingredients are exactly these, one item for each."""
        looped = [recipe for recipe in self._scene.circles if recipe.product == product]
        known = [] if product in self._scene.between else self._book.by_product.get(product, [])
        for recipe in (*known, *looped):
            if len(recipe.needs) == len(uses) == len(dict(uses)):
                left = list(uses)
                for need, count in sorted(recipe.needs, key=lambda need: need[0] in self._book.tags):
                    fitting = next((use for use in left if use[1] == count and self._book.fits(need, use[0])), None)
                    if fitting is None:
                        break
                    left.remove(fitting)
                if not left:
                    return recipe
        return None

    def _admissible(self) -> list[str]:
        carried, found = self._state.carried, {"inventory", *self._scene.gets}
        if carried:
            for recipe in self._scene.shown:
                ways: list[tuple[tuple[str, int], ...]] = [()]
                for need, count in recipe.needs:
                    members = (need, *self._book.tags.get(need, ()))
                    fitting = [item for item in members if carried.get(item, 0) >= count]
                    ways = [(*way, (item, count)) for way in ways for item in fitting if (item, count) not in way]
                    if not ways:
                        break
                found.update(command(recipe.product, recipe.count, way) for way in ways)
        return list(found)

    def _oracle(self) -> str:
        return self._next(planner(self._book))

    def _expert(self) -> str:
        return self._next(self._scene.reading)

    def _shortcut(self, name: str) -> str:
        return shortcut(name, self._scene, self._state.carried)

    def _next(self, player: Planner) -> str:
        """The first command of a plan; a look at the inventory where the player sees no way."""
        found = plan(player, self._scene.goal, frozenset(self._state.carried.items()))
        if found is None:
            return "inventory"
        if found.get:
            item, count = found.get[0]
            return f"get {count} {words(item)}"
        recipe, uses = found.craft[0]
        return command(recipe.product, recipe.count, uses)

    def _reference(self) -> dict[str, dict[str, int]]:
        """A bill of a shortest plan: what to gather, and how often each thing is crafted, in working order."""
        found = plan(planner(self._book), self._scene.goal, frozenset())
        crafted: dict[str, int] = {}
        for recipe, _ in found.craft if found is not None else ():
            crafted[recipe.product] = crafted.get(recipe.product, 0) + 1
        return {"get": dict(found.get) if found is not None else {}, "craft": crafted}

    def _key_state(self) -> Any:
        """The order of what is carried counts: the inventory is told in it."""
        return [list(self._state.carried.items()), self._state.reached]

    def render(self) -> str | None:
        """`ansi`: the last exchange, with the goal and what is carried."""
        text = super().render()
        if text is None or not self.turn:
            return text
        carried = ", ".join(f"{count} {words(item)}" for item, count in self._state.carried.items()) or "nothing"
        return f"{text}\n(goal: {words(self._scene.goal)}; carrying {carried})"

    def _scene_of(self, task: Task) -> Scene:
        return scene(self._book, task.spec["goal"], task.spec["draw"], self.config.distractors, self._decoys)


def _depths(book: RecipeBook, depths: Sequence[int] | None) -> tuple[int, ...] | None:
    known = sorted({book.depth.get(item, FAR) for item in book.by_product} - {FAR})
    if depths is None:
        return None
    wanted = tuple(depths) if isinstance(depths, (list, tuple)) else ()
    if not wanted or any(isinstance(depth, bool) or depth not in known for depth in wanted):
        raise ConfigError(f"depths must be a list of depths that goals have ({known}), got {depths!r}")
    return tuple(sorted(set(wanted)))


def _name(said: str) -> str:
    """The item a text names: case, the game's prefix and the way words are joined do not matter."""
    return "_".join(said.lower().strip().removeprefix("minecraft:").replace("_", " ").split())


def _task(goal: str, split: str) -> Task:
    spec = {"goal": goal, "draw": 0}
    return Task(goal, split, TextCraftEnv.instruction(spec), spec)


@cache
def _shipped() -> RecipeBook:
    facts = load_recipes()
    return RecipeBook(facts.recipes, facts.tags)
