"""A game of NetHack in the engine of the package `nle`: started from seeds, driven by keys, read as arrays."""

from __future__ import annotations

import re
import weakref
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import EngineFailure, require

VERSION = "1.3.0"
ROWS, COLUMNS = 21, 79
SPACE, ESCAPE = 32, 27
LARGEST = 2**53  # seed of a game
DICE = 2**31  # seeds of a key
PATIENCE = 500  # keys that the engine may take to get through its own screens
ASKED = (b"eat", b"attack", b"direction?", b"pray")  # questions that are put to the player even where others are not
READ = (
    "glyphs", "chars", "blstats", "message", "program_state", "internal", "inv_strs", "inv_letters", "tty_chars",
    "tty_cursor",
)  # fmt: skip
WAITING = re.compile(r"--More--|\(end\)|\(\d+ of \d+\)")
TILE = 16  # pixels


def package(purpose: str) -> ModuleType:
    """The module `nle.nethack`.

    Raises:
        MissingExtra: if the package is not installed, or in another version.
    """
    return require("nle.nethack", extra="nethack", purpose=purpose, version=VERSION)


class Engine:
    """One game. Its arrays are the engine's own and change with every key.

    The dungeon, the character and the first turn follow from the seed; the dice of every later key from what `press`
    is given. So equal seeds and dice give equal games, and nobody can look ahead who does not know the dice.

    Attributes:
        glyphs: What each place of the map shows, shape (21, 79).
        chars: The same as characters.
        stats: The bottom lines, as in NLE's `blstats`; they stay as they were when the game ends.
        said: What the game said since the last key: messages, windows and menus.
        over: Whether the game has ended.

    Args:
        nethack: The module `nle.nethack`.
        options: NetHack's options.
        character: Role, race, alignment and gender, such as `val-hum-neu-fem`; `@` for a random one.
        monsters: Whether new monsters appear with time.
        asks: Whether every question is put to the player; otherwise most are declined, as in MiniHack's navigation.
        data: NetHack's data file with levels of one's own in it; None for the original.
    """

    def __init__(
        self,
        nethack: ModuleType,
        options: Sequence[str],
        character: str,
        *,
        monsters: bool = True,
        asks: bool = True,
        data: bytes | None = None,
    ):
        self._nethack = nethack
        self._game = nethack.Nethack(
            observation_keys=READ,
            playername=f"Agent-{character}",
            ttyrec=None,
            options=tuple(options),
            spawn_monsters=monsters,
            fix_moon_phase=True,
        )
        self._close = weakref.finalize(self, self._game.close)
        if data is not None:
            path = Path(self._game._vardir) / "nhdat"
            path.unlink()
            path.write_bytes(data)
        self._asks = asks
        self._tiled = False

    def start(self, seed: int) -> None:
        """Begin the game of a seed, and get past its first screens."""
        self._lgen = seed
        self._game.set_initial_seeds(seed, seed, False, seed)
        shown: dict[str, NDArray[Any]] = dict(zip(READ, self._game.reset(), strict=True))
        self.glyphs, self.chars = shown["glyphs"], shown["chars"]
        self._stats, self._message = shown["blstats"], shown["message"]
        self._program, self._internal = shown["program_state"], shown["internal"]
        self.items, self.letters = shown["inv_strs"], shown["inv_letters"]
        self._screen, self._cursor = shown["tty_chars"], shown["tty_cursor"]
        self.over = self.ascended = False
        self.said: list[str] = []
        for _ in range(PATIENCE):
            if self._program[3]:  # in its main loop
                break
            self._take(self._window() if self._internal[3] else self._line())
            self._key(SPACE)
            if self.over:
                raise EngineFailure("the game ended before it began")
        else:
            raise EngineFailure("the game did not begin")
        self._begun()

    def press(self, keys: Sequence[int], rng: int) -> None:
        """Press keys one after another, as far as the game goes on.

        Args:
            keys: Codes of the keys, as NetHack reads them.
            rng: Seed of the game's dice for these keys.
        """
        if not self.over:
            self._game.set_current_seeds(core=rng, disp=rng, reseed=False, lgen=self._lgen)
        self.said = []
        for key in keys:
            if not self.over:
                self._key(key)
                self._settle()

    @property
    def screen(self) -> list[str]:
        """The screen as a terminal has it: 24 rows of 80 characters."""
        return [self._row(row) for row in range(len(self._screen))]

    @property
    def on_stairs_down(self) -> bool:
        """Whether the player stands on a staircase down."""
        return bool(self._internal[4])

    @property
    def menu(self) -> bool:
        """Whether a menu is open."""
        return bool(self._internal[3]) and not self.over

    @property
    def asking(self) -> str:
        """The question that waits for one key or a line of text; empty if none does."""
        if self.over or not (self._internal[1] or self._internal[2]):
            return ""
        return self._row(0).strip()

    @property
    def cursor(self) -> tuple[int, int]:
        """Column and row of the cursor on the map."""
        return int(self._cursor[1]), int(self._cursor[0]) - 1

    def picture(self) -> NDArray[np.uint8]:
        """The map in NetHack's own tiles, shape (336, 1264, 3)."""
        if not self._tiled:
            if not self._game.setup_tiles():
                raise EngineFailure("NetHack's tiles could not be read")
            self._tiled = True
        frame = np.zeros((ROWS * TILE, COLUMNS * TILE, 3), np.uint8)
        self._game.draw_frame(frame)
        return frame

    def close(self) -> None:
        """End the game; harmless when repeated."""
        self._close()

    def _key(self, key: int) -> None:
        try:
            _, self.over = self._game.step(key)
        except (RuntimeError, ValueError) as error:
            raise EngineFailure(f"NetHack failed at the key {key}: {error}") from error
        if self.over:
            self.ascended = self._game.how_done() == self._nethack.ASCENDED
        elif not self._program[0]:
            self.stats = self._stats.tolist()

    def _begun(self) -> None:
        """Take down what the first screen says."""
        self._settle()

    def _settle(self) -> None:
        """Take down what is said, turn its pages, and decline what is not to be asked."""
        for _ in range(PATIENCE):
            if self.over:
                return
            self.stats = self.stats if self._program[0] else self._stats.tolist()
            if self._program[0]:  # the game is lost or won; what follows are its last screens
                self._take(self._text())
                self._key(SPACE if self._internal[3] else ESCAPE)
            elif self._internal[3]:
                more = self._waits_for_more()
                self._take(self._window())
                if not more and self._asks:
                    return
                self._key(SPACE)
            elif not self._asks and (self._internal[2] or (self._internal[1] and not self._put())):
                self._key(ESCAPE)
            else:
                self._take(self._line())
                return
        raise EngineFailure("NetHack went on asking")

    def _put(self) -> bool:
        """Whether this question is one of those that are always put to the player."""
        asked = self._message.tobytes()
        return any(word in asked for word in ASKED)

    def _take(self, text: str) -> None:
        if self.said and text.startswith(self.said[-1]):  # the same, or the line that is being typed
            self.said.pop()
        if text:
            self.said.append(text)

    def _row(self, row: int) -> str:
        return self._screen[row].tobytes().decode("latin-1")

    def _line(self) -> str:
        """The line at the top of the screen, whole where it goes on below."""
        line, said = self._row(0).strip(), self._text()
        return said if line and said.startswith(line) else line

    def _text(self) -> str:
        return self._message.tobytes().partition(b"\0")[0].decode("latin-1").strip()

    def _mark(self) -> re.Match[str] | None:
        """Where the screen says that it waits: at the cursor."""
        found = list(WAITING.finditer(self._row(int(self._cursor[0]))))
        return found[-1] if found else None

    def _waits_for_more(self) -> bool:
        mark = self._mark()
        return mark is not None and mark[0] == "--More--"

    def _window(self) -> str:
        """The message, or the lines of the window or menu that covers the map."""
        said = self._text()
        if said:
            return said
        mark, last = self._mark(), int(self._cursor[0])
        left = mark.start() if mark else 0
        rows = [self._row(row)[left:].rstrip() for row in range(last + (mark is None))]
        return "\n".join(row for row in rows if row.strip())
