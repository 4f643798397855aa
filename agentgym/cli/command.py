"""What all commands share in how they read their arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand

EMPTY = "it is empty, as an unset variable of a shell is; give the path of a file or folder, '.' for the current one"


class PathCommand(TyperCommand):
    """A command that refuses the empty text where it wants a path; as a path it would mean the current folder."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments into `ctx.params`.

        Args:
            ctx: Of this call.
            args: The words after the command's name.

        Raises:
            typer.BadParameter: naming the option or argument that is empty.
        """
        words = [*args]
        rest: list[str] = super().parse_args(ctx, args)
        said = self.make_parser(ctx).parse_args(args=words)[0]  # before words become paths
        for each in self.params:
            told, read = said.get(each.name), ctx.params.get(each.name)
            pairs = zip(told, read, strict=True) if isinstance(told, (list, tuple)) and read else [(told, read)]
            for word, value in pairs:
                if word == "" and isinstance(value, Path):
                    named: Any = each  # its type is typer's own in some versions, and click's in others
                    raise typer.BadParameter(EMPTY, ctx=ctx, param=named)
        return rest
