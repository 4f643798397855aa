"""What actions do: preconditions, effects and words of ALFWorld's domain and grammar (Shridhar et al. 2021, 0.4.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agentgym.core.grammar import Call
from agentgym.envs._kit.thoughts import ANSWER
from agentgym.envs.text._household.game import (
    LOOK,
    NOTHING,
    NOWHERE,
    STATIONS,
    TREATMENTS,
    TWO,
    Game,
    Goal,
    State,
    bits,
    contents,
    enumerate_names,
)

RESULTS = {"clean": "clean", "heat": "hot", "cool": "cool"}
MIDDLE = "You are in the middle of a room. Looking quickly around you"
HELP = """Available commands:
  look:                             look around your current location
  inventory:                        check your current inventory
  go to (receptacle):               move to a receptacle
  open (receptacle):                open a receptacle
  close (receptacle):               close a receptacle
  take (object) from (receptacle):  take an object from a receptacle
  move (object) to (receptacle):  place an object in or on a receptacle
  examine (something):              examine a receptacle or an object
  use (object):                     use an object
  heat (object) with (receptacle):  heat an object using a receptacle
  clean (object) with (receptacle): clean an object using a receptacle
  cool (object) with (receptacle):  cool an object using a receptacle
  slice (object) with (object):     slice an object using a sharp object
"""


@dataclass(frozen=True, slots=True)
class Refused:
    """Why an action is not possible now, in words that tell nothing the agent has not seen."""

    reason: str


def act(game: Game, state: State, call: Call) -> str | Refused:
    """Play a command on `state`; what the original prints, or the refusal, which leaves the state alone.

    Args:
        game: What is played.
        state: Changed in place.
        call: The command as the grammar has read it; its slots are names in the agent's words.
    """
    return VERBS[call.name](game, state, call)


def word(text: str) -> str:
    """A name as an agent wrote it, in lower case with single spaces."""
    return " ".join(text.lower().split())


def describe_receptacle(game: Game, state: State, receptacle: int) -> str:
    """What is in or on a receptacle, or that it is closed; the agent has then seen it.

    Args:
        game: For names, and for what has a door.
        state: What is where; its `seen` changes.
        receptacle: Number of the receptacle in `game`.
    """
    name, bit = game.receptacles[receptacle], 1 << receptacle
    if not game.openable & bit:
        state.seen |= bit
        return f"On the {name}, you see {contents(game, state.inside[receptacle])[1]}."
    if state.opened & bit:
        state.seen |= bit
        return f"The {name} is open. In it, you see {contents(game, state.inside[receptacle])[1]}."
    return f"The {name} is closed."


def describe_object(game: Game, state: State, thing: int) -> str:
    """What the original says of an object; it calls what is cool `cold` only if it is neither clean nor sliced.

    Args:
        game: For names and abilities.
        state: What has been done to it.
        thing: Number of the object in `game`.
    """
    name, bit = game.objects[thing], 1 << thing
    if thing in game.vessels:
        return f"This is a normal {name}. In it, you see {game.vessels[thing]}."
    clean, sliced = state.clean & bit, state.sliced & bit
    heat = "hot" if state.hot & bit else "cool" if state.cool & bit else ""
    if clean or heat:
        first = "cold" if heat == "cool" and not clean and not sliced else heat
        states = " and ".join(part for part in (first, "clean" if clean else "") if part)
        return f"This is a {states} {'sliced ' if sliced else ''}{name}."
    if game.able["toggleable"] & state.lit & bit:
        return f"This {name} is on."
    if game.able["sliceable"] & sliced:
        return f"This is a sliced {name}."
    return f"There's nothing special about {name}."


def first_look(game: Game, state: State) -> str:
    """What the first observation of `game`, in its first `state`, says of the room."""
    if around(game, state):
        return look(game, state)
    names = enumerate_names([f"a {name}" for name in game.receptacles])
    return f"{MIDDLE}, you see {names}."


def look(game: Game, state: State) -> str:
    """Where the agent is; beside a receptacle, also what the original takes to lie next to it.

    In the middle of the room the original lists the receptacles that stand just there, which are none. `game` has the
    names, `state` where the agent stands and what lies there.
    """
    here = around(game, state)
    if not here:
        return f"{MIDDLE}, you see nothing."
    facing = enumerate_names([game.receptacles[index] for index in here])
    beside = []
    for thing in bits(state.lying[state.at]):
        beside += [f"a {game.objects[thing]}" for index in here if state.taken[index] >> thing & 1]
    return f"You are facing the {facing}. Next to it, you see {enumerate_names(beside)}."


def around(game: Game, state: State) -> tuple[int, ...]:
    """The receptacles of `game` that stand where the agent of `state` does, by number; none in the middle."""
    return game.around[state.at] if state.at != NOWHERE else ()


def reachable(game: Game, state: State, receptacle: int) -> bool:
    """Whether the inside of `receptacle`, a number of `game`, can be reached: no door, or an open one in `state`."""
    return not (game.openable & ~state.opened) >> receptacle & 1


def _here(game: Game, state: State, said: str) -> int | Refused:
    """The receptacle of a name, which must be where the agent stands."""
    receptacle = game.place_of.get(word(said))
    if receptacle is None:
        return Refused(f"There is no {word(said)[:60]!r} to go to; say its name and number.")
    if game.spots[receptacle] != state.at:
        return Refused(f"You are not at the {game.receptacles[receptacle]}; go to it first.")
    return receptacle


def _in_hand(game: Game, state: State, said: str) -> int | Refused:
    """The object of a name, which must be in the hand."""
    thing = game.object_of.get(word(said))
    if thing is None or thing != state.held:
        return Refused(f"You are not carrying a {word(said)[:60]!r}; take it first.")
    return thing


def _go(game: Game, state: State, call: Call) -> str | Refused:
    receptacle = game.place_of.get(word(call["receptacle"]))
    if receptacle is None:
        return Refused(f"There is no {word(call['receptacle'])[:60]!r} to go to; say its name and number.")
    if game.spots[receptacle] == state.at:
        return Refused(f"You are already at the {game.receptacles[receptacle]}; examine it to see what is there.")
    state.at = game.spots[receptacle]
    return f"You arrive at {game.receptacles[receptacle]}. {describe_receptacle(game, state, receptacle)}"


def _open(game: Game, state: State, call: Call) -> str | Refused:
    receptacle = _here(game, state, call["receptacle"])
    if isinstance(receptacle, Refused):
        return receptacle
    name, bit = game.receptacles[receptacle], 1 << receptacle
    if not game.openable & bit:
        return Refused(f"The {name} has nothing to open.")
    if state.opened & bit:
        return Refused(f"The {name} is already open.")
    state.opened |= bit
    return f"You open the {name}. {describe_receptacle(game, state, receptacle)}"


def _close(game: Game, state: State, call: Call) -> str | Refused:
    receptacle = _here(game, state, call["receptacle"])
    if isinstance(receptacle, Refused):
        return receptacle
    name, bit = game.receptacles[receptacle], 1 << receptacle
    if not state.opened & bit:
        return Refused(f"The {name} is not open.")
    state.opened ^= bit
    return f"You close the {name}."


def _take(game: Game, state: State, call: Call) -> str | Refused:
    receptacle = _here(game, state, call["receptacle"])
    if isinstance(receptacle, Refused):
        return receptacle
    name = game.receptacles[receptacle]
    if not reachable(game, state, receptacle):
        return Refused(f"The {name} is closed; open it first.")
    thing = game.object_of.get(word(call["object"]), NOTHING)
    if thing == NOTHING or not state.inside[receptacle] >> thing & 1:
        return Refused(f"There is no {word(call['object'])[:60]!r} in or on the {name}.")
    bit = 1 << thing
    if not game.able["pickupable"] & bit:
        return Refused(f"The {game.objects[thing]} cannot be taken; use it where it stands.")
    if state.held != NOTHING:
        return Refused(f"You are carrying the {game.objects[state.held]}; your hand holds one object at a time.")
    state.inside[receptacle] ^= bit
    state.lying[state.at] &= ~bit
    if game.shared >> receptacle & 1:
        state.taken[receptacle] |= bit
    state.held = thing
    return f"You pick up the {game.objects[thing]} from the {name}."


def _move(game: Game, state: State, call: Call) -> str | Refused:
    thing = _in_hand(game, state, call["object"])
    if isinstance(thing, Refused):
        return thing
    receptacle = _here(game, state, call["receptacle"])
    if isinstance(receptacle, Refused):
        return receptacle
    name, bit = game.receptacles[receptacle], 1 << thing
    if not reachable(game, state, receptacle):
        return Refused(f"The {name} is closed; open it first.")
    if not game.accepts[receptacle] & bit:
        return Refused(f"A {game.object_kinds[thing]} cannot be put in or on a {game.receptacle_kinds[receptacle]}.")
    state.inside[receptacle] |= bit
    state.lying[state.at] |= bit
    state.taken[receptacle] &= ~bit
    state.held = NOTHING
    return f"You move the {game.objects[thing]} to the {name}."


def _treat(game: Game, state: State, call: Call) -> str | Refused:
    """Clean, heat or cool; the door may stay shut and the object stays in the hand."""
    thing = _in_hand(game, state, call["object"])
    if isinstance(thing, Refused):
        return thing
    receptacle = _here(game, state, call["receptacle"])
    if isinstance(receptacle, Refused):
        return receptacle
    verb, name, bit = call.name, game.receptacles[receptacle], 1 << thing
    if not game.stations[verb] >> receptacle & 1:
        return Refused(f"You {verb} things with a {STATIONS[verb]}, not with a {game.receptacle_kinds[receptacle]}.")
    if not game.able[f"{verb}able"] & bit:
        return Refused(f"A {game.object_kinds[thing]} is nothing to {verb}.")
    if verb == "clean":
        state.clean |= bit
    else:
        state.hot = state.hot | bit if verb == "heat" else state.hot & ~bit
        state.cool = state.cool | bit if verb == "cool" else state.cool & ~bit
    return f"You {verb} the {game.objects[thing]} using the {name}."


def _slice(game: Game, state: State, call: Call) -> str | Refused:
    knife = _in_hand(game, state, call["knife"])
    if isinstance(knife, Refused):
        return knife
    if not game.knives >> knife & 1:
        return Refused(f"A {game.object_kinds[knife]} does not cut; take a knife.")
    thing = game.object_of.get(word(call["object"]), NOTHING)
    if thing == NOTHING or not sliceable(game, state) >> thing & 1:
        return Refused(f"There is no {word(call['object'])[:60]!r} here that can be sliced.")
    state.sliced |= 1 << thing
    return f"You sliced the {game.objects[thing]} with the {game.objects[knife]}."


def sliceable(game: Game, state: State) -> int:
    """What a knife would cut where the agent of `state` stands, as bits of the objects of `game`.

    As in the original, a closed door is no hindrance.
    """
    return state.lying[state.at] & game.able["sliceable"] if state.at != NOWHERE else 0


def switches(game: Game, state: State) -> int:
    """The lamps that can be used where the agent of `state` stands, as bits of the objects of `game`.

    As in the original, a closed door is no hindrance.
    """
    found = 0
    for receptacle in around(game, state):
        found |= state.inside[receptacle]
    return found & game.able["toggleable"]


def _use(game: Game, state: State, call: Call) -> str | Refused:
    thing = game.object_of.get(word(call["object"]), NOTHING)
    if thing == NOTHING or not switches(game, state) >> thing & 1:
        return Refused(f"There is no {word(call['object'])[:60]!r} with a switch here.")
    state.lit |= 1 << thing  # the original never unsets it, and so never says that a lamp goes off
    return f"You turn on the {game.objects[thing]}."


def _examine(game: Game, state: State, call: Call) -> str | Refused:
    name = word(call["thing"])
    thing = game.object_of.get(name, NOTHING)
    if thing != NOTHING and thing == state.held:
        return describe_object(game, state, thing)
    receptacle = game.place_of.get(name)
    if receptacle is not None and game.spots[receptacle] == state.at:
        return describe_receptacle(game, state, receptacle)
    if receptacle is not None:
        return Refused(f"You are not at the {name}; go to it first.")
    return Refused(f"You are not carrying a {name[:60]!r}; only what is in your hand can be examined closely.")


def _inventory(game: Game, state: State, call: Call) -> str:
    if state.held == NOTHING:
        return "You are not carrying anything."
    return f"You are carrying: a {game.objects[state.held]}."


VERBS: dict[str, Callable[[Game, State, Call], str | Refused]] = {
    "go": _go,
    "open": _open,
    "close": _close,
    "take": _take,
    "move": _move,
    "clean": _treat,
    "heat": _treat,
    "cool": _treat,
    "slice": _slice,
    "use": _use,
    "examine": _examine,
    "inventory": _inventory,
    "look": lambda game, state, call: look(game, state),
    "help": lambda game, state, call: HELP,
    "think": lambda game, state, call: ANSWER,
}


def admissible(game: Game, state: State) -> list[str]:
    """Every command of `game` that does something in `state`, in no order; the set the original lists."""
    at, held, names = state.at, state.held, game.objects
    found = ["help", "inventory", "look", *_ways(game, at)]
    if held != NOTHING:
        found.append(f"examine {names[held]}")
    portable = game.able["pickupable"] if held == NOTHING else 0
    for receptacle in around(game, state):
        name, bit = game.receptacles[receptacle], 1 << receptacle
        found.append(f"examine {name}")
        if game.openable & bit:
            found.append(f"close {name}" if state.opened & bit else f"open {name}")
        if not reachable(game, state, receptacle):
            pass
        elif held == NOTHING:
            inside = contents(game, state.inside[receptacle] & portable)[0]
            found += [f"take {names[thing]} from {name}" for thing in inside]
        elif game.accepts[receptacle] >> held & 1:
            found.append(f"move {names[held]} to {name}")
        if held != NOTHING:
            found += [
                f"{verb} {names[held]} with {name}"
                for verb, stations in game.stations.items()
                if stations & bit and game.able[f"{verb}able"] >> held & 1
            ]
    found += [f"use {names[thing]}" for thing in bits(switches(game, state))]
    if held != NOTHING and game.knives >> held & 1:
        found += [f"slice {names[thing]} with {names[held]}" for thing in bits(sliceable(game, state))]
    return found


def _ways(game: Game, at: int) -> list[str]:
    """Every way to somewhere else."""
    found = game.ways.get(at)
    if found is None:
        found = game.ways[at] = [
            f"go to {name}" for name, spot in zip(game.receptacles, game.spots, strict=True) if spot != at
        ]
    return found


def done(game: Game, state: State, goal: Goal) -> bool:
    """Whether `goal`, one of those of `game`, holds in `state`."""
    objects = ready(state, goal)
    if goal.type == LOOK:
        return _holds(state, objects) and bool(switches(game, state) & state.lit & goal.lamps)
    if goal.type == TWO:
        return any((state.inside[index] & objects).bit_count() > 1 for index in goal.receptacles)
    return any(state.inside[index] & objects for index in goal.receptacles)


def ready(state: State, goal: Goal) -> int:
    """Those objects of `goal` that are in the condition it asks for in `state`, as bits; all if it asks for none."""
    verb = TREATMENTS.get(goal.type)
    return goal.objects & getattr(state, RESULTS[verb]) if verb else goal.objects


def _holds(state: State, objects: int) -> bool:
    return state.held != NOTHING and bool(objects >> state.held & 1)


def won(game: Game, state: State) -> bool:
    """Whether every goal of `game` holds in `state`."""
    return all(done(game, state, goal) for goal in game.goals)


def progress(game: Game, state: State) -> float:
    """Mean share of the milestones of the goals of `game` reached in `state`, 0 to 1.

    Milestones are: in the hand, in the right condition, under the lamp, in place.
    """
    return sum(_share(game, state, goal) for goal in game.goals) / len(game.goals)


def _share(game: Game, state: State, goal: Goal) -> float:
    if done(game, state, goal):
        return 1.0
    held = _holds(state, goal.objects)
    if goal.type == LOOK:
        return 0.5 * held + 0.25 * bool(state.lit & goal.lamps)
    if goal.type == TWO:
        placed = any(state.inside[index] & goal.objects for index in goal.receptacles)
        return 0.5 * placed + 0.25 * held
    if goal.type in TREATMENTS:
        return 0.75 if ready(state, goal) else 0.25 * held
    return 0.5 * held
