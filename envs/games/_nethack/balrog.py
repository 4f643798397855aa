"""A game of NetHack in BALROG's own words, to the letter: what it writes of the same screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import EngineFailure
from agentgym.envs.games._nethack.engine import COLUMNS, ESCAPE, PATIENCE, ROWS, SPACE, Engine
from agentgym.envs.games._nethack.words import COMPASS, inventory

MORE = "--More--"
RETURN = 13
PLACES = (  # by NetHack's number of a symbol; BALROG spells it `alter`
    "dark area", "vertical wall", "horizontal wall", "northwest room corner", "northeast room corner",
    "southwest corner", "southeast corner", "cross wall", "t up wall", "t down wall", "t west wall", "t east wall",
    "doorway", "vertical open door", "horizontal open door", "vertical closed door", "horizontal closed door", "bars",
    "tree", "room floor", "dark room floor", "corridor floor", "lit corridor floor", "stairs up", "stairs down",
    "ladder up", "ladder down", "alter", "grave", "throne", "sink", "fountain", "pool", "ice", "lava",
    "vertical lowered drawbridge", "horizontal lowered drawbridge", "vertical raised drawbridge",
    "horizontal raised drawbridge", "air floor", "cloud floor", "water floor", "arrow trap", "dart trap",
    "falling rock trap", "squeaky board", "bear trap", "land mine", "rolling boulder trap", "sleeping gas trap",
    "rust trap", "fire trap", "pit", "spiked pit", "hole", "trap door", "teleportation trap", "level teleporter",
    "magic portal", "web", "statue trap", "magic trap", "anti magic trap", "polymorph trap", "vibrating square",
    "vertical beam", "horizontal beam", "left slant beam", "right slant beam", "dig beam", "flash beam", "boom left",
    "boom right", "shield 1", "shield 2", "shield 3", "shield 4", "poison cloud", "valid position",
    "swallow top left", "swallow top center", "swallow top right", "swallow middle left", "swallow middle right",
    "swallow bottom left", "swallow bottom center", "swallow bottom right",
)  # fmt: skip
FLOORS = frozenset(range(19, 23))
EVERYWHERE = frozenset((*range(15, 19), *range(23, 35), 37, 38))  # told of wherever they are; the rest in line alone
OPAQUE = frozenset(range(12))
SWALLOWED = PLACES[-8:]
BEAMS = ("horizontal zap beam", "vertical zap beam", "left slant zap beam", "right slant zap beam")
BLASTS = tuple(
    f"explosion {row} {column}" for row in ("top", "middle", "bottom") for column in ("left", "center", "right")
)
FEELINGS = ("worry", "concern", "anxiety", "disquiet", "alarm", "dread")
FORMS = {5: "{} amulet", 4: "{} ring", 8: "{} potion", 9: "scroll labeled {}", 10: "{} spellbook", 11: "{} wand"}
BY_NAME = frozenset((1, 2, 12, 14, 15, 16))  # classes told by what they are, such as weapons, coins and rocks
ARMOR, AMULET, TOOL, FOOD, GEM, VENOM = 3, 5, 6, 7, 13, 17
UNCOUNTED = ("boots", "shoes", "scales", "lenses", "bars")
PLURALS = {
    "can of grease": "cans of grease", "Master of Thieves": "Masters of Thieves", "ice": "area of ice",
    "lava": "area of lava",
}  # fmt: skip
COUNTED_FIRST = ("boom", "shield", "swallow", "scroll", "worthless piece", "unknown creature")
DISTANCES = ("very far", "far", "near", "very near", "adjacent")
DIRECTIONS = (
    "north", "northnortheast", "northeast", "eastnortheast", "east", "eastsoutheast", "southeast", "southsoutheast",
    "south", "southsouthwest", "southwest", "westsouthwest", "west", "westnorthwest", "northwest", "northnorthwest",
)  # fmt: skip
RAYS = ("east", "southeast", "south", "southwest", "west", "northwest", "north", "northeast")
REACH = 9  # steps that it looks in a line
ALIGNMENTS = {-128: "None", -1: "Chaotic", 0: "Neutral", 1: "Lawful"}
HUNGER = ("Satiated", "Not Hungry", "Hungry", "Weak", "Fainting", "Fainted", "Starved")
BURDEN = ("Unencumbered", "Burdened", "Stressed", "Strained", "Overtaxed", "Overloaded")
CONDITIONS = (  # bit and name, in BALROG's order
    (11, "Flying"), (10, "Levitating"), (9, "Hallucinating"), (8, "Confused"), (7, "Stunned"), (6, "Deaf"),
    (5, "Blind"), (4, "Terminally Ill"), (3, "Food Poisoning"), (2, "Strangled"), (1, "Slimed"), (12, "Riding"),
    (0, "Stoned"),
)  # fmt: skip
BLANKS = " \x1a"


class Glyphs(NamedTuple):
    """By glyph: what it is called if it is told of wherever it is, if in line alone, and whether it hides the rest."""

    everywhere: tuple[str, ...]
    in_line: tuple[str, ...]
    told: NDArray[np.bool_]
    opaque: frozenset[int]


@lru_cache(maxsize=1)
def glyphs(nethack: ModuleType) -> Glyphs:
    """The tables for the package `nle.nethack`."""
    everywhere = [""] * nethack.MAX_GLYPH
    in_line = [""] * nethack.MAX_GLYPH
    monsters = [nethack.permonst(number).mname for number in range(nethack.NUMMONS)]
    bands = (
        (nethack.GLYPH_MON_OFF, monsters),
        (nethack.GLYPH_PET_OFF, [f"tame {name}" for name in monsters]),
        (nethack.GLYPH_INVISIBLE, ["invisible creature"]),
        (nethack.GLYPH_DETECT_OFF, [f"detected {name}" for name in monsters]),
        (nethack.GLYPH_BODY_OFF, [f"{name} corpse" for name in monsters]),
        (nethack.GLYPH_RIDDEN_OFF, [f"ridden {name}" for name in monsters]),
        (nethack.GLYPH_OBJ_OFF, [_thing(nethack, number) for number in range(nethack.NUM_OBJECTS)]),
        (nethack.GLYPH_EXPLODE_OFF, _over(BLASTS, nethack.GLYPH_ZAP_OFF - nethack.GLYPH_EXPLODE_OFF)),
        (nethack.GLYPH_ZAP_OFF, _over(BEAMS, nethack.GLYPH_SWALLOW_OFF - nethack.GLYPH_ZAP_OFF)),
        (nethack.GLYPH_SWALLOW_OFF, _over(SWALLOWED, nethack.GLYPH_WARNING_OFF - nethack.GLYPH_SWALLOW_OFF)),
        (nethack.GLYPH_WARNING_OFF, [f"unknown creature causing you {feeling}" for feeling in FEELINGS]),
        (nethack.GLYPH_STATUE_OFF, [f"{name} statue" for name in monsters]),
    )
    for offset, called in bands:
        everywhere[offset : offset + len(called)] = called
    for number, name in enumerate(PLACES):
        if number not in FLOORS:
            (everywhere if number in EVERYWHERE else in_line)[nethack.GLYPH_CMAP_OFF + number] = name
    opaque = frozenset(nethack.GLYPH_CMAP_OFF + number for number in OPAQUE)
    return Glyphs(tuple(everywhere), tuple(in_line), np.array([bool(name) for name in everywhere]), opaque)


def _over(names: tuple[str, ...], count: int) -> list[str]:
    """`count` names, beginning anew after the last."""
    return [names[number % len(names)] for number in range(count)]


def _thing(nethack: ModuleType, number: int) -> str:
    """An object, by its looks or its true name as BALROG has it."""
    kind = nethack.objclass(number)
    looks, name = nethack.OBJ_DESCR(kind) or "", nethack.OBJ_NAME(kind) or ""
    group = ord(kind.oc_class)
    if group in BY_NAME:
        return str(name)
    if group in (ARMOR, TOOL):
        return str(looks or name)
    if group == FOOD:
        return f"{name}{looks}"
    if group == GEM:
        return str(name) if looks in name else f"{looks} {name}"
    if group == VENOM:
        return f"splash of {name}"
    if group == AMULET and "Amulet" in looks:
        return str(looks)
    return FORMS[group].format(looks) if group in FORMS else ""


def plural(noun: str) -> str:
    """More than one of a `noun`, by BALROG's rules."""
    if noun.endswith(UNCOUNTED):
        return noun
    if noun in PLURALS:
        return PLURALS[noun]
    for first in COUNTED_FIRST:
        if noun.startswith(f"{first} "):
            return f"{first}s{noun.removeprefix(first)}"
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou"):
        return f"{noun[:-1]}ies"
    if noun.endswith(("z", "x", "sh", "s")):
        return f"{noun}es"
    if noun.endswith("f"):
        return f"{noun.removesuffix('f').removesuffix('f')}ves"
    return f"{noun}s"


@lru_cache(maxsize=4 * ROWS * COLUMNS)
def place(right: int, down: int) -> tuple[str, str]:
    """Distance and direction of a place, columns to the `right` of the player and rows further `down`."""
    far = max(abs(right), abs(down))
    distance = "adjacent" if far == 1 else "very near" if far == 2 else "near" if 2 < far < 6 else "far"
    both = min(abs(right), abs(down))
    along = "north" if down < 0 else "south" if down > 0 else ""
    across = "east" if right > 0 else "west" if right < 0 else ""
    straight = along if abs(down) > both else across if abs(right) > both else ""
    return distance if 0 < far < 20 else "very far", straight + (along + across if both else "")


def frame(game: Engine, names: Glyphs, *, drawn: bool) -> str:
    """All that BALROG shows of the present, in the order of its prompt.

    Args:
        game: The game.
        names: What glyphs are called.
        drawn: Whether the screen is drawn, or the statistics told.
    """
    parts = {"inventory": inventory(game), "message": "\n".join(game.said)}
    parts |= {"language observation": surroundings(game, names), "cursor": cursor(game, names)}
    if drawn:
        column, row = game.cursor
        parts["cursor"] += f"\n(x={column}, y={row + 1})"
        parts["map"] = "".join(f"{line}\n" for line in game.screen[1:])
    else:
        parts = {"statistics": statistics(game.stats), **parts}
    return "\n".join(f"{head}:\n{text}\n" for head, text in parts.items())


def message(lines: list[str]) -> str:
    """The top line of a screen, or the whole text of the window that covers it."""
    first, second = _trimmed(lines[0]), _trimmed(lines[1])
    if not first and not second:
        return ""
    indent = len(lines[0]) - len(lines[0].lstrip(" ")) if first else 0
    last = "Points" in second or "list!" in second
    text, blank = "", 0
    for line in lines:
        row = _trimmed(line[indent:])
        blank = 0 if row else blank + 1
        if row:
            text += row
        at = row.find(" of ")
        if MORE in row or "(end)" in row or (at >= 2 and row[at - 2] == "(" and row[at + 5 : at + 6] == ")"):
            return text
        if row:
            text += "\n"
        if last and blank > 1:
            return text
    return first


def _trimmed(line: str) -> str:
    """Without blanks at both ends; nothing if all there is stands in the last place."""
    text = line.lstrip(BLANKS)
    return "" if len(text) == 1 else text.rstrip(BLANKS)


def surroundings(game: Engine, names: Glyphs) -> str:
    """What lies where in a `game`, by `names`: farthest first, by direction, alike things together."""
    found = sorted(_found(game, names), key=lambda each: (DISTANCES.index(each[1]), DIRECTIONS.index(each[2])))
    alike: dict[tuple[str, str], list[str]] = {}
    for name, distance, direction in found:
        alike.setdefault((name, distance), []).append(direction)
    order: list[tuple[str, str]] = []
    where: dict[tuple[str, str], list[str]] = {}
    for (name, distance), directions in alike.items():
        once = [each for each in dict.fromkeys(directions) if directions.count(each) == 1]
        several = [each for each in dict.fromkeys(directions) if directions.count(each) > 1]
        for key, listed in (((name, distance), once), ((plural(name), distance), several)):
            if listed:
                order.append(key)
                where[key] = listed  # where there is no plural, the second takes the place of the first
    return "\n".join(f"{name} {distance} {_list(where[name, distance])}" for name, distance in order)


def _list(words: list[str]) -> str:
    return " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])}, and {words[-1]}"


def _found(game: Engine, names: Glyphs) -> Iterator[tuple[str, str, str]]:
    """Name, distance and direction of all that is told of."""
    x, y = game.stats[0], game.stats[1]
    shown = game.glyphs.ravel()
    for cell in names.told[shown].nonzero()[0].tolist():
        row, column = divmod(cell, COLUMNS)
        if (column, row) != (x, y):
            yield names.everywhere[shown[cell]], *place(column - x, row - y)
    for ray in RAYS:
        right, down = COMPASS[ray]
        for step in range(1, REACH + 1):
            column, row = x + step * right, y + step * down
            if not (0 <= column < COLUMNS and 0 <= row < ROWS):
                break
            glyph = int(shown[row * COLUMNS + column])
            if names.in_line[glyph]:
                yield names.in_line[glyph], *place(step * right, step * down)
                if glyph in names.opaque:
                    break


def cursor(game: Engine, names: Glyphs) -> str:
    """What the cursor of a `game` is on, by `names`, unless that is no place of the map."""
    column, row = game.cursor
    right, down = column - game.stats[0], row - game.stats[1]
    cell = column + row * COLUMNS
    if not 0 < cell < ROWS * COLUMNS:
        return ""
    name = names.everywhere[int(game.glyphs.ravel()[cell])]
    return f"{' '.join(place(right, down))} {name}" if right or down else f"Yourself a {name}"


def statistics(stats: list[int]) -> str:
    """The bottom lines; `stats` as in NLE's `blstats`."""
    states = [name for bit, name in CONDITIONS if stats[25] >> bit & 1]
    told = {
        "Strength": f"{stats[3]}/{stats[2]}", "Dexterity": stats[4], "Constitution": stats[5],
        "Intelligence": stats[6], "Wisdom": stats[7], "Charisma": stats[8], "Depth": stats[12], "Gold": stats[13],
        "HP": f"{stats[10]}/{stats[11]}", "Energy": f"{stats[14]}/{stats[15]}", "AC": stats[16],
        "XP": f"{stats[18]}/{stats[19]}", "Time": stats[20], "Position": f"{stats[0]}|{stats[1]}",
        "Hunger": HUNGER[stats[21]], "Monster Level": stats[17], "Encumbrance": BURDEN[stats[22]],
        "Dungeon Number": stats[23], "Level Number": stats[24], "Score": stats[9],
        "Alignment": ALIGNMENTS.get(stats[26], ""), "Condition": " ".join(states) or "None",
    }  # fmt: skip
    return "\n".join(f"{name}: {value}" for name, value in told.items())


class Screen(Engine):
    """A game as it runs below BALROG's wrappers: stepped as NLE does, pages that say `--More--` turned for the player.

    What the game says is what the screen shows at last, after the pages that were turned; a page that NLE itself has
    turned is lost.

    Args:
        nethack: The module `nle.nethack`.
        options: As in `Engine`.
        character: As in `Engine`.
        windows: Whether windows and lines of text are left to the player; otherwise NLE closes them.
        kwargs: Further ones of `Engine`.
    """

    def __init__(self, nethack: ModuleType, options: Sequence[str], character: str, *, windows: bool, **kwargs: Any):
        super().__init__(nethack, options, character, **kwargs)
        self._windows = windows

    def _begun(self) -> None:
        self.stats = self._stats.tolist()
        self.said = [message(self.screen)]

    def _settle(self) -> None:
        self._decline()
        told = message(self.screen)
        for _ in range(PATIENCE):
            if self.over or MORE not in told:
                self.said = [told]
                return
            told = told.replace(MORE, "\n")
            self._key(RETURN)
            self._decline()
            told += message(self.screen)
        raise EngineFailure("NetHack went on asking")

    def _decline(self) -> None:
        """Press the keys that NLE presses after each of the player's."""
        if self._windows and not self._program[0]:
            return
        for _ in range(PATIENCE):
            if self.over:
                return
            if self._internal[3]:
                self._key(SPACE)
            elif self._internal[2]:
                self._key(ESCAPE)
            else:
                if self._internal[1] and not self._asks and not self._put():
                    self._key(ESCAPE)
                return
        raise EngineFailure("NetHack went on asking")
