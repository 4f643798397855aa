"""What the commands share: consoles, and text from worlds and models made safe to print."""

from __future__ import annotations

import io
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from agentgym.core import DataError
from agentgym.core.text import clean

if TYPE_CHECKING:
    from agentgym.evaluate import Estimate

Bar = Callable[[int, int, str], None]  # shows what is done, all that there is, and a note
WIDE = 200  # columns where the output goes to a file or a pipe


class _Output(io.TextIOWrapper):
    """Standard output that complains once, in one line, where it is full or gone."""

    def write(self, text: str) -> int:
        """Write as any text file."""
        try:
            return super().write(text)
        except OSError as error:
            self._complain(error)

    def flush(self) -> None:
        """Flush as any text file."""
        try:
            super().flush()
        except OSError as error:
            self._complain(error)

    def _complain(self, error: OSError) -> NoReturn:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), self.fileno())  # what is left would complain again at the end
        if isinstance(error, BrokenPipeError):  # whoever read it has read enough
            raise error
        raise DataError(f"standard output could not be written ({error.strerror}); make room or send it elsewhere")


def steady() -> None:
    """Let no text and no state of the streams end a command with a traceback.

    Characters that a stream cannot carry, such as emoji in an old locale, are shown as escapes.
    """
    out, errors = sys.__stdout__, sys.__stderr__
    if isinstance(out, io.TextIOWrapper):
        sys.stdout = _Output(out.buffer, out.encoding, "backslashreplace", line_buffering=out.line_buffering)
    if isinstance(errors, io.TextIOWrapper):
        errors.reconfigure(errors="backslashreplace")
    for name, stream in (("stdout", out), ("stderr", errors)):
        if stream is None:  # it was closed before the program began
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


class _Screen(Console):
    """A console on which no text, wherever it comes from, commands the terminal or turns its writing around."""

    def render_str(self, text: str, **given: Any) -> Text:
        """A text as rich shows it.

        Args:
            text: What is to be shown.
            given: How; see rich.
        """
        return super().render_str(clean(text), **given)


def console(*, errors: bool = False) -> Console:
    """A console that prints text as it is; wide when nobody watches, so that nothing is folded for no reason."""
    stream = sys.stderr if errors else sys.stdout
    return _Screen(
        file=stream,
        highlight=False,
        markup=False,
        emoji=False,
        width=None if stream.isatty() else WIDE,
        soft_wrap=False,
    )


def plain(text: str, style: str = "") -> Text:
    """Text whose control characters, save line ends and tabs, cannot command the terminal.

    Args:
        text: What is to be shown.
        style: A style of rich, such as `bold`.
    """
    return Text(clean(text), style)


def interval(estimate: Estimate, scale: float = 1.0, digits: int = 3, unit: str = "") -> str:
    """A figure with its interval; a dash where it is of no episode.

    Args:
        estimate: The figure.
        scale: What it is multiplied with.
        digits: Behind the point.
        unit: What stands behind the figure.
    """
    if math.isnan(estimate.value):
        return "-"
    value, low, high = (f"{scale * figure:.{digits}f}" for figure in (estimate.value, estimate.low, estimate.high))
    return f"{value}{unit} [{low}, {high}]"


def number(value: float, digits: int = 1) -> str:
    """A number as words.

    Args:
        value: The number; NaN is a dash.
        digits: Behind the point.
    """
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def complain(message: str, code: int) -> int:
    """Print one line on standard error; return the exit code.

    Args:
        message: Made one line.
        code: The exit code.
    """
    typer.echo(clean(f"agentgym: {' '.join(message.split())}"), err=True)
    return code


@contextmanager
def progress(what: str) -> Iterator[Bar]:
    """A bar on standard error; on anything but a terminal it stays quiet."""
    screen = console(errors=True)
    if not screen.is_terminal:
        yield lambda done, total, note: None
        return
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    note_column = TextColumn("{task.description}", markup=False)
    with Progress(*columns, note_column, console=screen, transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, total, note: progress.update(task, completed=done, total=total, description=note)
