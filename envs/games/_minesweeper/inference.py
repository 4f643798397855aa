"""What the open numbers of a minefield imply: the exact probability of a mine in each hidden cell.

Every placement of the mines that agrees with the numbers and with their total is equally likely. Hidden cells that
stand beside the same numbers are interchangeable and are counted together; cells that share no number are independent
but for the total. Counts are whole numbers, so a probability of 0 or 1 is a proof.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import comb

Needs = tuple[int, ...]
Ways = dict[int, int]  # mines placed -> number of placements


def deduce(numbers: Mapping[int, int], around: Sequence[Sequence[int]], hidden: frozenset[int]) -> dict[int, bool]:
    """Cells that one number alone decides, repeated until nothing follows: True for a mine, False for none.

    Args:
        numbers: The open cells with the number of mines around each.
        around: The neighbours of every cell.
        hidden: Cells that are not open; marks on them count for nothing.
    """
    sure: dict[int, bool] = {}
    waiting = dict(numbers)
    changed = True
    while changed:
        changed = False
        for cell, count in list(waiting.items()):
            unknown = [other for other in around[cell] if other in hidden and other not in sure]
            left = count - sum(sure.get(other, False) for other in around[cell])
            if not unknown:
                del waiting[cell]
            elif left in (0, len(unknown)):
                sure.update(dict.fromkeys(unknown, left > 0))
                del waiting[cell]
                changed = True
    return sure


def probabilities(
    numbers: Mapping[int, int], around: Sequence[Sequence[int]], hidden: frozenset[int], mines: int
) -> dict[int, Fraction]:
    """The probability of a mine in each hidden cell.

    Args:
        numbers, around, hidden: As in `deduce`.
        mines: Mines of the whole field.
    """
    sure = deduce(numbers, around, hidden)
    chances = {cell: Fraction(int(mine)) for cell, mine in sure.items()}
    left = mines - sum(sure.values())
    beside: dict[int, list[int]] = defaultdict(list)
    needs = {}
    for number in sorted(numbers):
        unknown = [cell for cell in around[number] if cell in hidden and cell not in sure]
        if unknown:
            needs[number] = numbers[number] - sum(sure.get(cell, False) for cell in around[number])
            for cell in unknown:
                beside[cell].append(number)
    open_sea = sorted(hidden - sure.keys() - beside.keys())
    blocks: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for cell in sorted(beside):
        blocks[tuple(beside[cell])].append(cell)
    groups = [_Group(group, blocks, needs) for group in _connected(blocks)]
    sea = {count: comb(len(open_sea), count) for count in range(len(open_sea) + 1)}
    totals = [group.total for group in groups]
    whole = _times([*totals, sea])[left]
    for place, group in enumerate(groups):
        others = _times([*totals[:place], *totals[place + 1 :], sea])
        for numbers_beside, expected in group.expected.items():
            weight = sum(ways * others.get(left - count, 0) for count, ways in expected.items())
            cells = blocks[numbers_beside]
            chances.update(dict.fromkeys(cells, Fraction(weight, whole * len(cells))))
    if open_sea:
        inland = _times(totals)
        weight = sum(ways * (left - count) * sea.get(left - count, 0) for count, ways in inland.items())
        chances.update(dict.fromkeys(open_sea, Fraction(weight, whole * len(open_sea))))
    return chances


def _connected(blocks: Mapping[tuple[int, ...], list[int]]) -> list[list[tuple[int, ...]]]:
    """The blocks in groups that share numbers, each in an order that keeps neighbours together."""
    by_number: dict[int, list[tuple[int, ...]]] = defaultdict(list)
    for block in blocks:
        for number in block:
            by_number[number].append(block)
    groups, seen = [], set()
    for first in blocks:
        if first in seen:
            continue
        seen.add(first)
        group = [first]
        for block in group:  # grows while it is read
            for number in block:
                for other in by_number[number]:
                    if other not in seen:
                        seen.add(other)
                        group.append(other)
        groups.append(group)
    return groups


def _times(factors: Sequence[Ways]) -> Ways:
    """Placements in several independent parts, by the mines in all of them."""
    product: Ways = {0: 1}
    for factor in factors:
        wider: Ways = defaultdict(int)
        for one, ways in product.items():
            for other, more in factor.items():
                wider[one + other] += ways * more
        product = wider
    return product


class _Group:
    """Blocks of cells that share numbers, counted block by block with what each number still needs.

    `total` are the placements by their mines; `expected[block]` the same, each counted as often as it has mines in the
    block.
    """

    def __init__(
        self,
        order: Sequence[tuple[int, ...]],
        blocks: Mapping[tuple[int, ...], list[int]],
        needs: Mapping[int, int],
    ):
        numbers = sorted({number for block in order for number in block})
        self._places = [[numbers.index(number) for number in block] for block in order]
        self._sizes = [len(blocks[block]) for block in order]
        last = {place: index for index, places in enumerate(self._places) for place in places}
        self._closed = [[place for place in places if last[place] == i] for i, places in enumerate(self._places)]
        start = tuple(needs[number] for number in numbers)
        layers: list[dict[Needs, Ways]] = [{start: {0: 1}}]
        for index in range(len(order)):
            layers.append(self._forward(index, layers[-1]))
        rest: dict[Needs, Ways] = {state: {0: 1} for state in layers[-1]}
        self.total: Ways = _times([next(iter(layers[-1].values()), {})])
        self.expected: dict[tuple[int, ...], Ways] = {}
        for index in reversed(range(len(order))):
            rest = self._backward(index, order[index], layers[index], rest)

    def _choices(self, index: int, state: Needs) -> list[tuple[int, int, Needs]]:
        """For each number of mines a block can hold: that number, the ways to place them, the needs that remain."""
        places, size = self._places[index], self._sizes[index]
        found = []
        for mines in range(min([size, *(state[place] for place in places)]) + 1):
            after = list(state)
            for place in places:
                after[place] -= mines
            if not any(after[place] for place in self._closed[index]):
                found.append((mines, comb(size, mines), tuple(after)))
        return found

    def _forward(self, index: int, layer: Mapping[Needs, Ways]) -> dict[Needs, Ways]:
        following: dict[Needs, Ways] = {}
        for state, counts in layer.items():
            for mines, ways, after in self._choices(index, state):
                reached = following.setdefault(after, defaultdict(int))
                for used, before in counts.items():
                    reached[used + mines] += before * ways
        return following

    def _backward(
        self, index: int, block: tuple[int, ...], layer: Mapping[Needs, Ways], rest: Mapping[Needs, Ways]
    ) -> dict[Needs, Ways]:
        """The placements from here to the end, by state; notes the block's expected mines on the way."""
        here: dict[Needs, Ways] = {}
        expected: Ways = defaultdict(int)
        for state, counts in layer.items():
            ahead: Ways = defaultdict(int)
            for mines, ways, after in self._choices(index, state):
                for more, following in rest.get(after, {}).items():
                    ahead[more + mines] += ways * following
                    if mines:
                        for used, before in counts.items():
                            expected[used + mines + more] += before * ways * following * mines
            here[state] = ahead
        self.expected[block] = expected
        return here
