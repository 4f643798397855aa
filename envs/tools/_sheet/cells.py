"""Names of cells."""

from __future__ import annotations

import re

from agentgym.core.grammar import shorten
from agentgym.envs._kit.tools import ToolError

ADDRESS = re.compile(r"\s*([A-Za-z])([1-9]\d{0,2})\s*")


def address(row: int, column: int) -> str:
    """The name of a cell, `A1` for the first row and column.

    Args:
        row, column: From 0.
    """
    return f"{chr(65 + column)}{row + 1}"


def place(text: str) -> tuple[int, int]:
    """Row and column, from 0, of the name of a cell.

    Raises:
        ToolError: if it is none.
    """
    match = ADDRESS.fullmatch(text)
    if match is None:
        raise ToolError(f"{shorten(text, 20)!r} is no cell; write a column letter and a row number, such as B2.")
    return int(match[2]) - 1, ord(match[1].upper()) - 65
