"""What a move does: what is YOU goes, pushes, is stopped; then rules are read anew, and things change or perish."""

from __future__ import annotations

from agentgym.envs.games._baba.board import GONE, Board, Cells, Position, Rules, rules


def after(board: Board, position: Position, step: int) -> Position:
    """The position after everything that is YOU goes one step, or waits (0); the same object if nothing changes.

    Args:
        board: The board.
        position: The position before.
        step: What the move adds to a cell, one of `board.steps`, or 0.
    """
    words, things, kinds = position
    active = rules(board.texts, words, board.stride)
    if step:
        moved_words, moved_things = _moved(board, active, position, step)
        if moved_words is not words:
            words = moved_words
            active = rules(board.texts, words, board.stride)
        things = moved_things
    now = (words, things, kinds) if words is not position[0] or things is not position[1] else position
    return settled(active, now) if active.becomes or active.harm else now


def _moved(board: Board, active: Rules, position: Position, step: int) -> tuple[Cells, Cells]:
    """Where words and things are once those that are YOU have gone, the foremost first."""
    words, things, kinds = position
    you = active.you
    movers = [index for index, kind in enumerate(kinds) if kind in you and things[index]]
    if len(movers) > 1:
        start = things
        movers.sort(key=lambda index: -start[index] * step)
    gone: set[int] = set()  # what went moves alike, so it is in nobody's way
    for mover in movers:
        load = _load(board, active, (words, things, kinds), things[mover] + step, step, gone)
        if load is None:
            continue
        for part, index in load:
            if part:
                things = (*things[:index], things[index] + step, *things[index + 1 :])
            else:
                words = (*words[:index], words[index] + step, *words[index + 1 :])
        things = (*things[:mover], things[mover] + step, *things[mover + 1 :])
        gone.add(mover)
    return words, things


def _load(
    board: Board, active: Rules, position: Position, cell: int, step: int, gone: set[int]
) -> list[tuple[int, int]] | None:
    """What has to be pushed for a cell to come free: (0, a word) and (1, a thing); None if something stops it."""
    words, things, kinds = position
    load: list[tuple[int, int]] = []
    while board.inside[cell]:
        before = len(load)
        if cell in words:
            load.append((0, words.index(cell)))
        if cell in things:
            for index, where in enumerate(things):
                if where == cell and index not in gone:
                    if kinds[index] in active.push:
                        load.append((1, index))
                    elif kinds[index] in active.stop:
                        return None
        if len(load) == before:
            return load
        cell += step
    return None


def settled(active: Rules, position: Position) -> Position:
    """The `position` once kinds have turned into others and what sinks, melts or is defeated has gone.

    The rules are those in `active`, which its words make; they are not read anew. The same object if nothing changes.
    """
    words, things, kinds = position
    if active.becomes:
        turns = dict(active.becomes)
        changed = tuple([turns.get(kind, kind) if cell else kind for kind, cell in zip(kinds, things, strict=True)])
        kinds = kinds if changed == kinds else changed
    if active.harm:
        words, things = _spared(active, words, things, kinds)
    same = words is position[0] and things is position[1] and kinds is position[2]
    return position if same else (words, things, kinds)


def _spared(active: Rules, words: Cells, things: Cells, kinds: tuple[str, ...]) -> tuple[Cells, Cells]:
    """Where words and things are once those are gone that sank, then those that melted, then those defeated."""
    cells = set(things)
    apart = len(cells) == len(things) - max(0, things.count(GONE) - 1) and cells.isdisjoint(words)
    if apart and not active.alone:
        return words, things
    crowd: dict[int, list[int]] = {}
    for index, cell in enumerate(things):
        if cell:
            crowd.setdefault(cell, []).append(index)
    kept_words, kept = list(words), list(things)
    for cell, here in crowd.items():
        sinkers = [index for index in here if kinds[index] in active.sink]
        for sinker in sinkers:
            other = next((index for index in here if index != sinker and kept[index]), None)
            if not kept[sinker] or (other is None and cell not in kept_words):
                continue
            kept[sinker] = GONE
            if other is not None:
                kept[other] = GONE
            else:
                kept_words[kept_words.index(cell)] = GONE
        for hurt, by in ((active.melt, active.hot), (active.you, active.defeat)):
            if any(kept[index] and kinds[index] in by for index in here):
                for index in here:
                    if kinds[index] in hurt:
                        kept[index] = GONE
    after_words, after_things = tuple(kept_words), tuple(kept)
    return words if after_words == words else after_words, things if after_things == things else after_things


def won(active: Rules, position: Position) -> bool:
    """Whether, by the rules in `active`, something in `position` that is YOU shares its cell with a WIN, or is it."""
    if not active.win:
        return False
    _, things, kinds = position
    you, win = active.you, active.win
    mine = {cell for cell, kind in zip(things, kinds, strict=True) if cell and kind in you}
    return any(cell in mine for cell, kind in zip(things, kinds, strict=True) if kind in win)


def alive(active: Rules, position: Position) -> bool:
    """Whether anything that is left in `position` is YOU by the rules in `active`."""
    you = active.you
    return any(kind in you and cell > 0 for cell, kind in zip(position[1], position[2], strict=True))
