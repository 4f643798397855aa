"""Making things: crafting, smelting, and the stations they take."""

from __future__ import annotations

from functools import lru_cache

from agentgym.assets.crafting import Recipe
from agentgym.envs.text._craft_tree import state as s
from agentgym.envs.text._craft_tree.acquisition import book
from agentgym.envs.text._craft_tree.actions import Deed, Refused, gain, name_of, number_of, told, words
from agentgym.envs.text._craft_tree.facts import FUEL, SMELT_TICKS, SMELTING, STATIONS
from agentgym.envs.text._craft_tree.state import State


def craft(state: State, number: str, said: str) -> Deed:
    """Craft at least a number of an item, as often as its recipe must be used.

    Args:
        state: Changed in place.
        number: How many, as the player writes it.
        said: The item, in the player's words.

    Raises:
        Refused: if there is no recipe, something is lacking, or no crafting table stands here and one is needed.
    """
    count, name = number_of(number), name_of(said)
    recipes = book().by_product.get(name)
    if not recipes:
        raise Refused(f"There is no recipe for {words(name)[:40]}.")
    table = s.station(state, "crafting_table")
    lacking = ""
    for recipe in recipes:
        times = -(-count // recipe.count)
        uses = ingredients(state, recipe, times)
        if isinstance(uses, str):
            lacking = lacking or uses
        elif not recipe.by_hand and not table:
            raise Refused(f"Crafting {words(name)} takes a crafting table; place one here.")
        else:
            for item, used in uses.items():
                s.take(state, item, used)
            _let_go(state)
            s.pass_time(state, 10 * times)
            deed = Deed("")
            gain(state, deed, name, recipe.count * times)
            deed.text = f"You craft {told(deed.gained)}."
            deed.events.append({"type": "craft", "item": name, "count": recipe.count * times, "using": uses})
            return deed
    raise Refused(f"You lack what {count} {words(name)} take: {lacking}.")


def ingredients(state: State, recipe: Recipe, times: int) -> dict[str, int] | str:
    """The items that go in, or in words what is lacking. Where a recipe names a kind, its items may be mixed.

    Args:
        state: Whose bag they come from; unchanged.
        recipe: What is made.
        times: How often the recipe is used.
    """
    left = dict(state.bag)
    uses: dict[str, int] = {}
    for need, count in sorted(recipe.needs, key=lambda each: each[0] in book().tags):
        wanted = count * times
        for item in sorted(book().tags.get(need, (need,)), key=lambda item: -left.get(item, 0)):
            part = min(wanted, left.get(item, 0))
            if part:
                left[item] -= part
                uses[item] = uses.get(item, 0) + part
                wanted -= part
        if wanted:
            return ", ".join(f"{each * times} {words(name)}" for name, each in recipe.needs)
    return uses


def _let_go(state: State) -> None:
    """Nothing is held or worn that is no longer in the bag."""
    if state.held and state.held not in state.bag:
        state.held = ""
    state.wearing[:] = [piece for piece in state.wearing if piece in state.bag]
    for tool in [tool for tool in state.worn if tool not in state.bag]:
        del state.worn[tool]


def smelt(state: State, number: str, said: str, fuel_said: str) -> Deed:
    """Smelt items in the furnace that stands here.

    Args:
        state: Changed in place.
        number: How many, as the player writes it.
        said: What is smelted, in the player's words.
        fuel_said: What burns, likewise; as many as it takes are used up.

    Raises:
        Refused: if that cannot be smelted or does not burn, something is lacking, or no furnace stands here.
    """
    count, name, fuel = number_of(number), name_of(said), name_of(fuel_said)
    if name not in SMELTING:
        raise Refused(f"{words(name)[:40].capitalize()} cannot be smelted.")
    if fuel not in FUEL:
        raise Refused(f"{words(fuel)[:40].capitalize()} does not burn.")
    if not s.station(state, "furnace"):
        raise Refused("Smelting takes a furnace; place one here.")
    pieces = -(-count * SMELT_TICKS // FUEL[fuel])
    wanted = {name: count}
    wanted[fuel] = wanted.get(fuel, 0) + pieces
    if any(state.bag.get(item, 0) < each for item, each in wanted.items()):
        raise Refused(f"Smelting {count} {words(name)} takes them and {pieces} {words(fuel)} to burn.")
    for item, each in wanted.items():
        s.take(state, item, each)
    _let_go(state)
    s.pass_time(state, SMELT_TICKS * count)
    deed = Deed("")
    gain(state, deed, SMELTING[name], count)
    if fuel == "lava_bucket":
        gain(state, deed, "bucket", pieces)
    deed.text = f"You smelt {count} {words(name)} with {pieces} {words(fuel)} and get {told(deed.gained)}."
    deed.events.append({"type": "smelt", "item": name, "count": count, "fuel": fuel, "burnt": pieces})
    return deed


def place_station(state: State, said: str) -> Deed:
    """Put a station down: `said` names it, in the player's words, and it leaves the bag of `state`."""
    name = name_of(said)
    if name not in STATIONS:
        raise Refused(f"Only a {' or a '.join(map(words, STATIONS))} can be placed.")
    if name not in state.bag:
        raise Refused(f"You carry no {words(name)}.")
    if s.station(state, name):
        raise Refused(f"A {words(name)} stands here already.")
    s.take(state, name, 1)
    state.built[f"{state.place}:{name}"] = 1
    s.pass_time(state, 10)
    return Deed(f"You place the {words(name)}.", [{"type": "place", "station": name}])


def take_station(state: State, said: str) -> Deed:
    """Take a station along: `said` names it, in the player's words, and it goes into the bag of `state`."""
    name = name_of(said)
    if name not in STATIONS or not s.station(state, name):
        raise Refused(f"There is no {words(name)[:40]} here to take along.")
    if name == "furnace" and s.tool_kind(state.held) != "pickaxe":
        raise Refused("A furnace breaks without a pickaxe in your hand; equip one.")
    del state.built[f"{state.place}:{name}"]
    tool = state.held
    broke = name == "furnace" and s.wear(state, 1)
    deed = Deed(f"You take the {words(name)} along." + (f" Your {words(tool)} breaks." if broke else ""))
    state.bag[name] = state.bag.get(name, 0) + 1
    s.pass_time(state, 40, 5)
    deed.events.append({"type": "take", "station": name})
    return deed


def craftable(state: State) -> list[str]:
    """What can be crafted now."""
    bag, table = state.bag, s.station(state, "crafting_table")
    recipes, carried = _recipes_with(frozenset(bag))
    totals = {tag: sum([bag[item] for item in members]) for tag, members in carried}
    found: dict[str, None] = {}
    for recipe, shared in recipes:
        if (table or recipe.by_hand) and recipe.product not in found:
            for need, count in recipe.needs:
                if (bag[need] if need in bag else totals[need]) < count:
                    break
            else:
                if not shared or not isinstance(ingredients(state, recipe, 1), str):
                    found[recipe.product] = None
    return list(found)


@lru_cache(maxsize=2048)
def _recipes_with(items: frozenset[str]) -> tuple[list[tuple[Recipe, bool]], list[tuple[str, list[str]]]]:
    """What some items may go into.

    Returns:
        The recipes all of whose ingredients are among the items, each with whether two of its ingredients draw on the
        same items; and the items of each tag.
    """
    tags = book().tags
    carried = [(tag, [item for item in members if item in items]) for tag, members in tags.items()]
    kinds = items | {tag for tag, members in carried if members}
    found = []
    for recipe in book().recipes:
        if all(need in kinds for need, _ in recipe.needs):
            names = [item for need, _ in recipe.needs for item in tags.get(need, (need,))]
            found.append((recipe, len(set(names)) < len(names)))
    return found, [(tag, members) for tag, members in carried if members]
