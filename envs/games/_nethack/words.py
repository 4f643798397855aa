"""A game of NetHack in words: what lies where, the ways out, the bottom lines, what is carried."""

from __future__ import annotations

from agentgym.envs.games._nethack.engine import COLUMNS, ROWS, Engine
from agentgym.envs.games._nethack.glyphs import DARK, THING, WALKABLE, Names

COMPASS = {
    "north": (0, -1), "northeast": (1, -1), "east": (1, 0), "southeast": (1, 1), "south": (0, 1),
    "southwest": (-1, 1), "west": (-1, 0), "northwest": (-1, -1),
}  # fmt: skip
HUNGER = ("satiated", "not hungry", "hungry", "weak", "fainting", "fainted", "starved")
BURDEN = ("unencumbered", "burdened", "stressed", "strained", "overtaxed", "overloaded")
CONDITIONS = (
    "turning to stone", "turning to slime", "strangled", "food poisoning", "terminally ill", "blind", "deaf",
    "stunned", "confused", "hallucinating", "levitating", "flying", "riding",
)  # fmt: skip
ALIGNMENT = {-1: "chaotic", 0: "neutral", 1: "lawful"}
LISTED = 60  # things told of
ALIKE = 6  # of one name


def describe(game: Engine, names: Names, *, drawn: bool) -> str:
    """The whole observation, in BALROG's sections.

    Args:
        game: The game.
        names: What glyphs are called.
        drawn: Whether the map is drawn below the words.
    """
    said = "\n".join(game.said)
    parts = [f"message:\n{said}" if said else "message:\n(nothing)"]
    parts.append(f"language observation:\n{surroundings(game, names)}")
    parts.append(f"cursor:\n{_cursor(game, names)}")
    if drawn:
        parts.append(f"map:\n{chart(game)}")
    parts.append(f"statistics:\n{statistics(game.stats)}")
    parts.append(f"inventory:\n{inventory(game) or '(nothing)'}")
    return "\n\n".join(parts)


def chart(game: Engine) -> str:
    """The map as NetHack draws it, without empty rows at its ends and empty columns at its left."""
    text = game.chars.tobytes().decode("latin-1")
    rows = [text[start : start + COLUMNS].rstrip() for start in range(0, ROWS * COLUMNS, COLUMNS)]
    used = [number for number, row in enumerate(rows) if row]
    if not used:
        return "(nothing is seen)"
    left = min(len(row) - len(row.lstrip()) for row in rows if row)
    return "\n".join(row[left:] for row in rows[used[0] : used[-1] + 1])


def surroundings(game: Engine, names: Names) -> str:
    """How far the ways lead in the eight directions, and what is seen, nearest first.

    The `game` shows glyphs; `names` says what they are called and which can be walked on.
    """
    glyphs = memoryview(game.glyphs.tobytes()).cast("h")
    kinds_array = names.kinds[game.glyphs]
    kinds = kinds_array.tobytes()
    x, y = game.stats[0], game.stats[1]
    lines = ["ways: " + "; ".join(_way(kinds, glyphs, names, x, y, name) for name in COMPASS)]
    found: list[tuple[int, int, int, str]] = []
    for cell in (kinds_array.ravel() >= THING).nonzero()[0].tolist():
        row, column = divmod(cell, COLUMNS)
        right, down = column - x, row - y
        if right or down:
            found.append((max(abs(right), abs(down)), row, column, names.called[glyphs[cell]]))
    found.sort()
    told: dict[str, int] = {}
    for distance, row, column, name in found:
        told[name] = told.get(name, 0) + 1
        if told[name] <= ALIKE and len(lines) <= LISTED:
            lines.append(f"- {name}: {offset(column - x, row - y, distance)}")
    lines += [f"- {name}: {count - ALIKE} more, farther off" for name, count in told.items() if count > ALIKE]
    return "\n".join(lines)


def offset(right: int, down: int, distance: int) -> str:
    """A place seen from the player: `adjacent, northeast` or `7 east, 2 north`.

    Args:
        right: Columns to the east, negative to the west.
        down: Rows to the south, negative to the north.
        distance: Steps of a king, the larger of the two.
    """
    across = ("east" if right > 0 else "west") if right else ""
    along = ("south" if down > 0 else "north") if down else ""
    if distance == 1:
        return f"adjacent, {along}{across}"
    return ", ".join(
        part for part in (f"{abs(right)} {across}" if right else "", f"{abs(down)} {along}" if down else "") if part
    )


def _way(kinds: bytes, glyphs: memoryview[int], names: Names, x: int, y: int, name: str) -> str:
    """How many steps of open ground lie in a direction, and what stops them."""
    right, down = COMPASS[name]
    steps = 0
    while True:
        x, y = x + right, y + down
        if not (0 <= x < COLUMNS and 0 <= y < ROWS):
            return f"{name} {steps}, then the edge"
        cell = y * COLUMNS + x
        if kinds[cell] not in WALKABLE:
            break
        steps += 1
    stop = "dark" if kinds[cell] == DARK else names.called[glyphs[cell]]
    return f"{name} {steps}, then {stop}" if steps else f"{name} {stop}"


def _cursor(game: Engine, names: Names) -> str:
    column, row = game.cursor
    right, down = column - game.stats[0], row - game.stats[1]
    if game.menu or game.asking or not (0 <= row < ROWS and 0 <= column < COLUMNS):
        return "in the text above"
    if not right and not down:
        return "on yourself"
    name = names.called[int(game.glyphs[row, column])]
    return f"on {name}: {offset(right, down, max(abs(right), abs(down)))}"


def statistics(stats: list[int]) -> str:
    """The bottom lines in words."""
    raw = stats[3]
    strength = str(raw) if raw <= 18 else f"18/{raw - 18:02d}" if raw <= 118 else str(raw - 100)
    states = [name for bit, name in enumerate(CONDITIONS) if stats[25] >> bit & 1]
    return (
        f"dungeon level {stats[12]}, turn {stats[20]}, score {stats[9]}, gold {stats[13]}\n"
        f"hit points {stats[10]}/{stats[11]}, energy {stats[14]}/{stats[15]}, armor class {stats[16]}, "
        f"experience level {stats[18]} ({stats[19]} points)\n"
        f"strength {strength}, dexterity {stats[4]}, constitution {stats[5]}, intelligence {stats[6]}, "
        f"wisdom {stats[7]}, charisma {stats[8]}, {ALIGNMENT.get(stats[26], 'unaligned')}\n"
        f"{', '.join([HUNGER[stats[21]], BURDEN[stats[22]], *states])}"
    )


def inventory(game: Engine) -> str:
    """What is carried, by letter; empty if nothing is."""
    lines = []
    for number, letter in enumerate(game.letters.tobytes()):
        if not letter:
            break
        item = game.items[number].tobytes().partition(b"\0")[0].decode("latin-1")
        lines.append(f"{chr(letter)}: {item}")
    return "\n".join(lines)
