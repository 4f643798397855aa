"""The commands of the household, in both dialects of the original."""

from __future__ import annotations

from agentgym.core.grammar import Call, Command

WORLD = (
    "You are in a household and have a task. Things are in or on receptacles; those with a door or drawer must be "
    "opened first. You see what is in a receptacle when you go to it. Your hand holds one object at a time. What you "
    "heat, cool or clean stays in your hand."
)
RULES = f"{WORLD} You have 50 turns for each goal."
HOME_RULES = (
    f"{WORLD} Often the task says where a thing is. You have twice the turns that the task takes at best and 4 more "
    "for each goal; 50 for each where tasks are told in the words of published agents."
)
COMMANDS = (
    Command("go to <receptacle>", "go to a receptacle.", examples=("go to cabinet 1",)),
    Command("open <receptacle>", "open it, where you stand.", examples=("open drawer 2",)),
    Command("close <receptacle>", "close it, where you stand.", examples=("close drawer 2",)),
    Command(
        "take <object> from <receptacle>",
        "take an object, with your hand empty.",
        examples=("take mug 1 from desk 1",),
        variants=("pick up <object> from <receptacle>", "pickup <object> from <receptacle>"),
    ),
    Command(
        "move <object> to <receptacle>",
        "put down what you hold.",
        examples=("move mug 1 to desk 1", "put mug 1 in/on desk 1"),
        variants=(
            "put <object> in/on <receptacle>",
            "put <object> in <receptacle>",
            "put <object> on <receptacle>",
        ),
    ),
    Command("heat <object> with <receptacle>", "heat what you hold.", examples=("heat egg 1 with microwave 1",)),
    Command("cool <object> with <receptacle>", "cool what you hold.", examples=("cool egg 1 with fridge 1",)),
    Command("clean <object> with <receptacle>", "clean what you hold.", examples=("clean cup 1 with sinkbasin 1",)),
    Command(
        "slice <object> with <knife>",
        "slice something here with the knife you hold.",
        examples=("slice apple 1 with knife 1",),
    ),
    Command("use <object>", "switch on a lamp here.", examples=("use desklamp 1",)),
    Command(
        "examine <thing>",
        "look at a receptacle where you stand, or at what you hold.",
        examples=("examine cabinet 1", "examine mug 1"),
    ),
    Command("inventory", "what you hold.", examples=("inventory",)),
    Command("look", "where you are.", examples=("look",)),
    Command("help", "the commands.", examples=("help",)),
)

PREPOSITIONS = {"take": "from", "move": "to", "heat": "with", "cool": "with", "clean": "with", "slice": "with"}


def original_words(call: Call) -> str:
    """A command as the original engine takes it: its own verb, in lower case, with single spaces."""
    names = [" ".join(str(name).lower().split()) for name in call.slots.values()]
    verb = "go to" if call.name == "go" else call.name
    preposition = PREPOSITIONS.get(call.name)
    return " ".join([verb, names[0], preposition, names[1]] if preposition else [verb, *names])
