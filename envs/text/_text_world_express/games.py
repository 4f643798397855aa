"""The eight games, their parameters, their folds, and the words of their commands."""

from __future__ import annotations

from collections.abc import Iterable

from agentgym.core.grammar import Command

DOORS = {"includeDoors": (0, 1), "limitInventorySize": (0, 1)}
GAMES = {  # name: parameters, each with the least and the greatest value that the engine takes
    "cookingworld": {"numLocations": (1, 11), "numIngredients": (1, 5), "numDistractorItems": (0, 10), **DOORS},
    "twc": {"numLocations": (1, 3), "numItemsToPutAway": (1, 4), **DOORS},
    "coin": {"numLocations": (1, 11), "numDistractorItems": (0, 10), **DOORS},
    "mapreader": {
        "numLocations": (1, 50), "maxDistanceApart": (1, 8), "maxDistractorItemsPerLocation": (0, 3), **DOORS,
    },
    "arithmetic": {},
    "sorting": {},
    "simonsays": {"gameLength": (1, 1000), "numDistractors": (0, 5), "memorization": (0, 1), "verbose": (0, 1)},
    "peckingorder": {},
}  # fmt: skip
NAMES = tuple(GAMES)
FOLDS = {"train": ("train", 0), "val": ("dev", 10_000), "test": ("test", 20_000)}  # the fold and its first seed
TWICE = frozenset({  # seeds of Pecking Order with a thing twice: the engine counts the wrong one, nobody can win
    10022, 10042, 10063, 10064, 10083, 10095, 10110, 10153, 10156, 10171, 10175,
    10217, 10218, 10225, 10237, 10261, 10275, 10287, 10294, 10295, 10332, 10351,
    10373, 10374, 10407, 10409, 10410, 10412, 10428, 10436, 10447, 10473, 10528,
    10556, 10568, 10596, 10598, 10611, 10623, 10666, 10670, 10706, 10727, 10755,
    10816, 10836, 10852, 10858, 10871, 10902, 10908, 10938, 10942, 10975, 10994,
})  # fmt: skip
TURNS, COOKING_TURNS = 100, 200  # the first is the package's own
SEEDS = 1_000  # of each fold, as the package names them


def ids(split: str, games: Iterable[str]) -> list[str]:
    """The tasks of a split, such as `coin/20007`: the seeds that the package names, less those that nobody can win.

    Args:
        split: `train`, `val` or `test`.
        games: Names of games.
    """
    first = FOLDS[split][1]
    return [
        f"{game}/{seed}"
        for game in games
        for seed in range(first, first + SEEDS)
        if game != "peckingorder" or seed not in TWICE
    ]


SIMON = (
    "sit down", "turn around in a circle", "jump up and down", "hop on your right foot", "meow like a cat",
    "hop on your left foot", "clap your hands", "touch your nose", "wiggle your fingers", "quack like a duck",
    "hop to the left", "touch your ears", "do a dance", "wave hello", "wiggle your toes",
)  # fmt: skip
COMMANDS = [
    Command("look around", "see the room.", examples=("look around",), variants=("look",)),
    Command("inventory", "see what you carry.", examples=("inventory",)),
    Command("task", "read the task again.", examples=("task",)),
    Command(
        "move <direction>", "go to the next room.", ("move north",), ("go <direction>",),
        {"direction": ("north", "south", "east", "west")},
    ),
    Command("open <object>", "open a container, or a door as in the example.", ("open door to north",)),
    Command("close <object>", "close it.", ("close fridge",)),
    Command("take <object>", "pick it up.", ("take coin",)),
    Command("put <object> in <place>", "put what you carry somewhere.", ("put coin in box",)),
    Command("examine <object>", "look at it closely.", ("examine cookbook",)),
    Command("read <object>", "read it.", ("read math problem",)),
    Command("eat <object>", "eat it.", ("eat meal",)),
    Command("chop <object>", "cut it with the knife that you carry.", ("chop carrot",)),
    Command("slice <object>", "the same, into slices.", ("slice carrot",)),
    Command("dice <object>", "the same, into dice.", ("dice carrot",)),
    Command("cook <object> in <place>", "cook, fry or roast it there.", ("cook carrot in stove",)),
    Command("prepare meal", "make the meal of what you have prepared.", examples=("prepare meal",)),
    Command("smell <object>", "smell it.", ("smell apple",)),
    Command("touch <object>", "touch it.", ("touch apple",)),
    Command(SIMON[0], "in Simon says: do as you are told.", SIMON[:3], SIMON[1:], name="simon"),
]  # fmt: skip
RULES = (
    "You are in one of eight little games: cook a meal after a recipe, put things where they belong, find a coin, "
    "fetch a coin with a map, answer a sum or a question of order with things, do as Simon says, or follow "
    "instructions. The first text says which and what to do."
)
