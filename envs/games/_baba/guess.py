"""A guess at how much is left to do: how far words are from where a rule that wins would need them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache

from agentgym.envs.games._baba.board import GONE, IS, NOUNS, Board, Cells, Position, Rule, Rules, rules

NEVER = 500  # pushes in place of what pushing alone cannot bring about
PUSH = 30  # moves that a push counts as: the player has to walk there, and away from where it will be needed
DETOUR = 2  # pushes to leave a line and come back to it
TAKEN = 6  # pushes to clear a place at the rim, where words hardly move
COVERED = 8  # pushes to uncover what lies under a word at the rim
APART = 2  # pushes that a barrier on the way counts as


@lru_cache(maxsize=64)
def lines(height: int, width: int) -> tuple[tuple[int, int, int], ...]:
    """All places for three words that read as a rule, on a map of `height` rows and `width` columns."""
    stride = width + 2
    found = []
    for row in range(1, height + 1):
        for column in range(1, width + 1):
            cell = row * stride + column
            if column + 2 <= width:
                found.append((cell, cell + 1, cell + 2))
            if row + 2 <= height:
                found.append((cell, cell + stride, cell + 2 * stride))
    return tuple(found)


@lru_cache(maxsize=64)
def at_rim(height: int, width: int) -> frozenset[int]:
    """The outermost cells of a map of `height` rows and `width` columns; the rim around the map is not among them."""
    stride = width + 2
    return frozenset(
        row * stride + column
        for row in range(1, height + 1)
        for column in range(1, width + 1)
        if row in (1, height) or column in (1, width)
    )


@lru_cache(maxsize=64)
def ways(height: int, width: int) -> tuple[tuple[int, ...], ...]:
    """Pushes that bring a word from one cell to another; a word at the rim cannot leave it.

    A row for each cell of a map of `height` rows and `width` columns, the rim around it included, and in it a number
    for each cell; `NEVER` where pushing does not lead there.
    """
    stride, size = width + 2, (height + 2) * (width + 2)
    table = []
    for start in range(size):
        row, column = divmod(start, stride)
        costs = []
        for end in range(size):
            down, right = end // stride - row, end % stride - column
            stuck = (row in (1, height) and down) or (column in (1, width) and right)
            costs.append(NEVER if stuck else abs(down) + abs(right))
        table.append(tuple(costs))
    return tuple(table)


@lru_cache(maxsize=32_768)
def gathering(height: int, width: int, words: Cells, held: Cells, rim: Cells, most: int) -> int:
    """Pushes, each word counted alone, until three words in these cells read as a rule.

    Words in held cells stay, those at the rim do not pass each other, and no more than `most` of the three move.

    Args:
        height, width: Rows and columns of the map.
        words: The cells of the three words, in the order in which the rule is read.
        held: Cells out of which and into which no word may be moved.
        rim: Cells at the rim of the map in which words stand now, these three or others.
        most: Words that may move, 1 to 3.
    """
    table = ways(height, width)
    one, two, three = words
    to_one, to_two, to_three = (table[word] for word in words)
    best = NEVER
    for a, b, c in lines(height, width):
        cost = to_one[a] + to_two[b] + to_three[c]
        if cost < best:
            pairs = ((one, a), (two, b), (three, c))
            moved = [pair for pair in pairs if pair[0] != pair[1]]
            if len(moved) > most or any(word in held or cell in held for word, cell in moved):
                continue
            if any(word in rim and _between(width + 2, word, cell, rim, words) for word, cell in moved):
                continue
            cost += DETOUR * _passing(width + 2, pairs)
            cost += TAKEN * sum([cell in rim and cell not in words for _, cell in moved])
            best = min(best, cost)
    return best


def _passing(stride: int, pairs: Sequence[tuple[int, int]]) -> int:
    """How many words have to pass another that is where it belongs, and so leave the straight way."""
    homes = tuple([word for word, cell in pairs if word == cell])
    return sum([_between(stride, word, cell, homes, ()) for word, cell in pairs if word != cell])


def _between(stride: int, start: int, end: int, others: Cells, but: Cells) -> bool:
    """Whether one of the others, except some, lies between two cells of a row or a column."""
    step = stride if start % stride == end % stride else 1 if start // stride == end // stride else 0
    between = range(min(start, end) + step, max(start, end), step) if step else ()
    return any(other in between and other not in but for other in others)


def making(
    board: Board, active: Rules, at: Mapping[str, Sequence[int]], rule: Rule, held: Cells, rim: Cells, most: int
) -> int:
    """Pushes until a rule holds; 0 if it does.

    Args:
        board: The board, for its height and width.
        active: The rules that hold now.
        at: The cells of each word that is left, by its text.
        rule: The noun and what it is to be.
        held, rim, most: As in `gathering`.

    Returns:
        The least over all words that could make the rule; `NEVER` if one of them is missing.
    """
    if rule in active.active:
        return 0
    costs = [
        gathering(board.height, board.width, (first, middle, last), held, rim, most)
        for first in at.get(rule[0], ())
        for middle in at.get(IS, ())
        for last in at.get(rule[1], ())
        if first != last
    ]
    return min(costs, default=NEVER)


def keeping(board: Board, at: Mapping[str, Sequence[int]], said: str) -> Cells:
    """The cells of the first rule by which something is YOU, or WIN: it must not be taken apart to make another.

    Args:
        board: The board, for its stride.
        at: The cells of each word that is left, by its text.
        said: `you` or `win`.

    Returns:
        The three cells as the rule is read; empty if there is no such rule.
    """
    for last in at.get(said, ()):
        for step in (1, board.stride):
            if last - step in at.get(IS, ()) and any(last - 2 * step in at.get(noun, ()) for noun in NOUNS):
                return last - 2 * step, last - step, last
    return ()


def moves_left(board: Board, position: Position, most: int) -> int:
    """The guess, in moves, from a `position` on a `board`; it may be too high.

    No more than `most` words of a rule, 1 to 3, are taken to have to move.
    """
    words, things, kinds = position
    active = rules(board.texts, words, board.stride)
    here = {kind for kind, cell in zip(kinds, things, strict=True) if cell}
    at: dict[str, list[int]] = {}
    for text, cell in zip(board.texts, words, strict=True):
        if cell != GONE:
            at.setdefault(text, []).append(cell)
    nouns = [noun for noun in NOUNS if noun in at]
    held = keeping(board, at, "you")
    both = held + keeping(board, at, "win")
    rim = tuple(sorted([cell for cell in words if cell in at_rim(board.height, board.width)]))
    walk = _walk(board, active, position)

    @cache
    def there(noun: str) -> int:
        """Pushes until there is a thing of this kind."""
        turns = ((kind, noun) for kind in here)
        return 0 if noun in here else min([making(board, active, at, turn, both, rim, most) for turn in turns])

    you = {noun: making(board, active, at, (noun, "you"), (), rim, most) for noun in nouns}
    win = {noun: making(board, active, at, (noun, "win"), held, rim, most) for noun in nouns}
    best = 4 * NEVER * PUSH
    for cost, mine, aim in sorted((you[mine] + win[aim], mine, aim) for mine in nouns for aim in nouns):
        if PUSH * cost >= best:
            break
        cost = PUSH * (cost + there(mine) + there(aim))
        if cost < best:
            best = min(best, cost + walk(mine, aim))
    return best


def _walk(board: Board, active: Rules, position: Position) -> Callable[[str, str], int]:
    """How far it is from things of one kind to the nearest of another, barriers counted as some moves."""
    words, things, kinds = position
    rim = at_rim(board.height, board.width)
    bar = active.stop | active.defeat | active.sink | (active.hot if active.melt else frozenset())
    barred = {cell for cell, kind in zip(things, kinds, strict=True) if kind in bar}
    reached: dict[str, dict[int, int]] = {}

    def cells(noun: str) -> list[int]:
        return [cell for cell, kind in zip(things, kinds, strict=True) if kind == noun and cell]

    def walk(mine: str, aim: str) -> int:
        """Steps from a thing of the kind `mine` to one of the kind `aim`; an estimate where words stand in between."""
        starts, ends = cells(mine), cells(aim)
        if mine == aim or not starts or not ends:
            return 0
        ends = [cell for cell in ends if cell not in words or cell not in rim]
        if not ends:
            return PUSH * COVERED
        if mine not in reached:
            reached[mine] = _reached(board, starts, barred)
        far = reached[mine]
        near = [far[cell] for cell in ends if cell in far]
        near += [far[cell + step] + 1 for cell in ends for step in board.steps if cell + step in far]
        if near:
            return min(near)
        straight = min([_apart(board, start, end) for start in starts for end in ends])
        return straight + PUSH * (APART + _filling(board, active, position))

    return walk


def _reached(board: Board, starts: list[int], barred: set[int]) -> dict[int, int]:
    far = dict.fromkeys(starts, 0)
    ring = starts
    while ring:
        wider = []
        for cell in ring:
            for step in board.steps:
                other = cell + step
                if other not in far and board.inside[other] and other not in barred:
                    far[other] = far[cell] + 1
                    wider.append(other)
        ring = wider
    return far


def _apart(board: Board, one: int, other: int) -> int:
    (row, column), (down, right) = divmod(one, board.stride), divmod(other, board.stride)
    return abs(row - down) + abs(column - right)


def _filling(board: Board, active: Rules, position: Position) -> int:
    """How far the nearest thing to push is from what it could fill; 0 if nothing sinks."""
    _, things, kinds = position
    pits = [cell for cell, kind in zip(things, kinds, strict=True) if kind in active.sink and cell]
    loads = [cell for cell, kind in zip(things, kinds, strict=True) if kind in active.push and cell]
    return min([_apart(board, load, pit) for load in loads for pit in pits], default=0)
