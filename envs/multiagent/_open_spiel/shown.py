"""OpenSpiel's views and moves as a reader likes them: boards in place of one line of letters, amounts as a range."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from math import prod

SIDES = {"w": "White is to move.", "b": "Black is to move."}
PLAYERS = "Upper case is White, player_1; lower case is Black, player_0."  # so in chess and all its kin
CASTLES = {"K": "White short", "Q": "White long", "k": "Black short", "q": "Black long"}
FEN = re.compile(r"(?P<ranks>[A-Za-z0-9?+~]+(?:/[A-Za-z0-9?+~]+){7,8})(?:\[(?P<held>[A-Za-z]*)\]|/)?(?: (?P<rest>.+))?")
SQUARE = re.compile(r"\d+|\+?[A-Za-z]~?|\?")
AMOUNT = re.compile(r"(?P<head>.*(?:[:=] ?))(?P<number>\d+)(?P<tail>\D*)")
EACH = re.compile(r"(?<=[:=] )\d+|(?<=[:=])\d+")
FEWEST = 4  # numbers in a row that are told as a range


def board(text: str) -> str:
    """A view in which each line of Forsyth-Edwards notation is drawn as a board; other lines stay as they are."""
    return "\n".join(_drawn(line) for line in text.split("\n"))


def _drawn(line: str) -> str:
    match = FEN.fullmatch(line.strip())
    if match is None:
        return line
    rows = [_squares(rank) for rank in match["ranks"].split("/")]
    size = len(rows)
    if any(len(row) != size for row in rows):
        return line
    western = size == 8
    wide = max(len(square) for row in rows for square in row)
    files = [chr(ord("a") + place) if western else str(size - place) for place in range(size)]
    names = [str(size - place) if western else chr(ord("a") + place) for place in range(size)]
    lines = [" ".join([name, *(square.rjust(wide) for square in row)]) for name, row in zip(names, rows, strict=True)]
    lines.append(" ".join([" ", *(file.rjust(wide) for file in files)]))
    told = f"{PLAYERS} {_told(match['rest'] or '')}" if western else _shogi(match["rest"] or "")
    held = f" Held for dropping: {match['held'] or 'nothing'}." if match["held"] is not None else ""
    return "\n".join([*lines, f"{told}{held} A dot is an empty square{', ? an unseen one' if '?' in line else ''}."])


def _squares(rank: str) -> list[str]:
    return [square for token in SQUARE.findall(rank) for square in (["."] * int(token) if token.isdigit() else [token])]


def _told(rest: str) -> str:
    """The other fields of the notation in words; as they stand where they are not the usual ones."""
    fields = rest.split()
    if not fields or fields[0] not in SIDES:
        return f"OpenSpiel adds: {rest}." if rest else ""
    told = [SIDES[fields[0]]]
    if len(fields) > 1:
        castles = [CASTLES[letter] for letter in fields[1] if letter in CASTLES]
        told.append(f"May still castle: {', '.join(castles) or 'nobody'}.")
    if len(fields) > 2 and fields[2] != "-":
        told.append(f"A pawn can be taken in passing on {fields[2]}.")
    if len(fields) > 3 and fields[3].isdecimal():
        told.append(f"Moves since a pawn moved or a piece was taken: {fields[3]}.")
    return " ".join(told)


def _shogi(rest: str) -> str:
    """The fields of shogi's notation: the side to move, and the pieces in hand."""
    side, held, *_ = [*rest.split(), "", ""]
    mover = {"b": " Upper case is to move.", "w": " Lower case is to move."}.get(side, "")
    hand = "nothing" if held in ("", "-") else held
    return f"Upper case is player_0, lower case player_1.{mover} Pieces in hand, by the case of their owner: {hand}."


def ranged(moves: Sequence[str]) -> list[str]:
    """Moves in which amounts in a row, such as `Bid: 1`, `Bid: 2` and so on, are one text: `Bid: 1 to 8`.

    Where moves say several amounts, and all that lie between the least and the most are legal with each other, they are
    one text as well: `Book: 0 to 1, Hat: 0 to 3`.
    """
    shown: list[str] = _in_several(moves)
    moves, shown = shown, []
    for (head, tail, _), group in groupby(enumerate(moves), _run):
        run = [move for _, move in group]
        if head and len(run) >= FEWEST:
            first, last = (AMOUNT.fullmatch(move) for move in (run[0], run[-1]))
            assert first is not None
            assert last is not None
            shown.append(f"{head}{first['number']} to {last['number']}{tail}")
        else:
            shown += run
    return shown


def _in_several(moves: Sequence[str]) -> list[str]:
    """Moves of several amounts told as one where they are all that there can be between their bounds."""
    forms = [EACH.sub("{}", move.replace("{", "{{").replace("}", "}}")) for move in moves]
    alike: dict[str, list[tuple[int, ...]]] = {}
    for form, move in zip(forms, moves, strict=True):
        alike.setdefault(form, []).append(tuple(int(number) for number in EACH.findall(move)))
    told = {form: _spanned(form, amounts) for form, amounts in alike.items()}
    return list(dict.fromkeys(told[form] or move for form, move in zip(forms, moves, strict=True)))


def _spanned(form: str, amounts: Sequence[tuple[int, ...]]) -> str:
    """One text for moves of a form that differ in their amounts; empty if they are not all between their bounds."""
    spans = [(min(column), max(column)) for column in zip(*amounts, strict=True)]
    whole = len(set(amounts)) == prod(last - first + 1 for first, last in spans)
    if len(spans) < 2 or len(amounts) < FEWEST or not whole:
        return ""
    return form.format(*(f"{first} to {last}" if first < last else first for first, last in spans))


def _run(placed: tuple[int, str]) -> tuple[str, str, int]:
    """Equal for amounts that stand in a row; a move without an amount has no head."""
    place, move = placed
    match = AMOUNT.fullmatch(move)
    if match is None or match["number"] != str(int(match["number"])):
        return "", "", place
    return match["head"], match["tail"], int(match["number"]) - place
