"""ScienceWorld's commands, in the simulator's words."""

from __future__ import annotations

from agentgym.core.grammar import Command

MENU = "choose"
COMMANDS = [
    Command("look around", "see the room.", examples=("look around",), variants=("look",), name="look"),
    Command("inventory", "see what you carry.", examples=("inventory",)),
    Command("task", "read the task again.", examples=("task",)),
    Command(
        "look at <object>",
        "see a thing closely.",
        ("look at stove",),
        ("look on <object>", "examine <object>"),
        name="look_at",
    ),
    Command("look in <object>", "see what is in it.", ("look in cupboard",), name="look_in"),
    Command("read <object>", "read a note or a book.", ("read recipe",)),
    Command("open <object>", "open a door or a container.", ("open door to kitchen",)),
    Command("close <object>", "close it.", ("close fridge",)),
    Command("activate <object>", "turn a device on.", ("activate stove",), ("turn on <object>",)),
    Command("deactivate <object>", "turn it off.", ("deactivate stove",), ("turn off <object>",)),
    Command(
        "connect <object> to <other>",
        "connect terminals.",
        ("connect battery anode to orange wire terminal 1",),
        ("connect <object> in <other>", "connect <object> into <other>"),
    ),
    Command("disconnect <object>", "take a terminal off.", ("disconnect orange wire",)),
    Command(
        "use <object> on <other>",
        "use a tool on a thing.",
        ("use thermometer on water",),
        ("use <object> with <other>",),
        name="use_on",
    ),
    Command(
        "pick up <object>",
        "put it into your inventory.",
        ("pick up metal pot",),
        ("get <object>", "take <object>"),
        name="pick_up",
    ),
    Command("put down <object>", "leave it here.", ("put down metal pot",), ("drop <object>",), name="put_down"),
    Command(
        "pour <object> into <other>",
        "pour a liquid, or the contents of a container.",
        ("pour glass cup into sink",),
        ("pour <object> in <other>", "pour <object> on <other>", "pour <object> to <other>"),
    ),
    Command(
        "dunk <object> into <other>",
        "dip a container into a liquid.",
        ("dunk metal pot into sink",),
        ("dunk <object> in <other>",),
    ),
    Command("mix <object>", "mix what is in a container.", ("mix metal pot",), ("stir <object>",)),
    Command(
        "move <object> to <other>",
        "put a thing somewhere.",
        ("move metal pot to stove",),
        (
            "move <object> in <other>",
            "move <object> into <other>",
            "move <object> on <other>",
            "put <object> to <other>",
            "put <object> in <other>",
            "put <object> into <other>",
            "put <object> on <other>",
        ),
        name="move",
    ),
    Command(
        "go to <place>",
        "go through an open door.",
        ("go to kitchen",),
        (
            "go through <place>",
            "go into <place>",
            "walk through <place>",
            "walk to <place>",
            "move through <place>",
            "move to <place>",
            "move into <place>",
            "go <place>",
        ),
        name="go",
    ),
    Command(
        "teleport to <place>",
        "be in another place at once, where that is allowed.",
        ("teleport to kitchen",),
        ("teleport into <place>", "teleport <place>"),
    ),
    Command("eat <object>", "eat it.", ("eat apple",), ("consume <object>",)),
    Command("flush <object>", "flush it.", ("flush toilet",)),
    Command(
        "focus on <object>",
        "say which thing the task is about; a wrong one fails the task.",
        ("focus on water",),
        ("focus <object>",),
        name="focus",
    ),
    Command("wait", "let ten rounds pass.", ("wait",)),
    Command("wait1", "let one round pass.", ("wait1",)),
    Command("reset task", "forget which sub-goals are done; the world stays as it is.", ("reset task",), name="reset"),
    Command(
        "choose <number>",
        "answer when you are asked which of several actions you mean; the number alone does as well.",
        ("choose 0",),
        name=MENU,
    ),
]
RULES = (
    "You are in a house with a workshop, a foundry, a greenhouse and an outside, and have a science task to do. Things "
    "are named by words that are unique where you stand, such as 'door to kitchen' or 'water in metal pot'. Focus only "
    "on what the task tells you to focus on: a wrong focus fails the task. When a request is ambiguous you are given a "
    "numbered menu; answer with a number. Anything else cancels it."
)
