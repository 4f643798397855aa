"""What NetHack and MiniHack do alike behind the contract."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.generated import EnvConfig, one_of
from agentgym.core.grammar import Call
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.envs.games._nethack import balrog, words
from agentgym.envs.games._nethack.engine import DICE, Engine, package
from agentgym.envs.games._nethack.explorer import Memory, Player, notice, offered, where
from agentgym.envs.games._nethack.glyphs import names
from agentgym.envs.games._nethack.keys import TYPED, pressed

LINGERING = 3  # actions without time passing, after which something seems to wait for an answer
VIEWS = ("hybrid", "language")
STYLES = ("words", "balrog")


@dataclass(slots=True)
class State:
    """What changes beside the engine.

    Attributes:
        trace: Names all actions so far and the dice of each.
        still: Actions in a row in which no time passed in the game.
        depth: Deepest dungeon level.
        experience: Highest experience level.
        memory: What the expert keeps in mind.
    """

    trace: str = ""
    still: int = 0
    depth: int = 1
    experience: int = 1
    memory: Memory = field(default_factory=Memory)


@dataclass(frozen=True)
class HackConfig(EnvConfig):
    """Keyword arguments of both worlds."""

    view: str = one_of("hybrid", VIEWS, shapes_tasks=False)
    style: str = one_of("words", STYLES, shapes_tasks=False)


class HackWorld(LanguageEnv, ABC):
    """A world over the engine of `nle`.

    Args:
        view: `hybrid`, words and the drawn map, or `language`, words alone: BALROG's two ways.
        style: `words`, or `balrog`: its text to the letter.
    """

    collects: ClassVar[bool] = False
    windows: ClassVar[bool] = True
    _state: State
    _engine: Engine | None = None

    def _configured(self) -> None:
        self._nethack = package(self.card.id)
        self._names = names(self._nethack)

    @property
    def _plain(self) -> bool:
        """Whether it is told as by BALROG."""
        return self.config.style == "balrog"

    def _boot(self, options: Sequence[str], character: str, **kwargs: Any) -> Engine:
        """An engine of the style, in place of the last one."""
        self.close()
        if self._plain:
            return balrog.Screen(self._nethack, options, character, windows=self.windows, **kwargs)
        return Engine(self._nethack, options, character, **kwargs)

    @property
    def game(self) -> Engine:
        """The game under way."""
        assert self._engine is not None
        return self._engine

    def _open(self, engine: Engine, seed: int) -> str:
        """Begin the game of a seed in an engine; the first view."""
        self._engine = engine
        engine.start(seed)
        self._state = State()
        notice(self._state.memory, engine, self._names, where(engine), "", True)
        return self._look()

    def _press(self, call: Call) -> bool:
        """Press the keys of an action; whether time passed in the game."""
        game, state = self.game, self._state
        rng = int(self.np_random.integers(DICE))
        before, turn = where(game), game.stats[20]
        game.press(pressed(call), rng)
        word = call["text"] if call.name == TYPED else call.name
        state.trace = hashlib.blake2b(f"{state.trace} {rng} {word}".encode(), digest_size=16).hexdigest()
        moved = game.stats[20] != turn
        state.still = 0 if moved else state.still + 1
        if not game.over:
            state.depth, state.experience = max(state.depth, game.stats[12]), max(state.experience, game.stats[18])
            notice(state.memory, game, self._names, before, _plain(word, call), moved)
        self._look()
        return moved

    def _look(self) -> str:
        drawn = self.config.view == "hybrid"
        if self._plain:
            self._seen = balrog.frame(self.game, balrog.glyphs(self._nethack), drawn=drawn)
        else:
            self._seen = words.describe(self.game, self._names, drawn=drawn)
        return self._seen

    def _view(self) -> str:
        return self._seen

    @abstractmethod
    def _words(self) -> tuple[str, ...]:
        """The words of the actions there are."""

    def _admissible(self) -> list[str]:
        return list(self._words())

    def _sample(self, rng: np.random.Generator) -> str:
        """Any word; every other time, where a menu, a question or a line waits, what the question offers, or `esc`."""
        known = self._words()
        if "esc" in known and (self.game.menu or self.game.asking or self._state.still >= LINGERING):
            answers = [*offered(self.game.asking), "esc"]
            if rng.random() < 0.5:
                return answers[int(rng.integers(len(answers)))]
        return known[int(rng.integers(len(known)))]

    def _expert(self) -> str:
        state, known = self._state, self._words()
        collects = self.collects and not self._plain  # BALROG does not pick up what is walked over
        return Player(state.memory, self.game, self._names, known, collects=collects, still=state.still).act()

    def _key_state(self) -> Any:
        return self._state.trace

    def _picture(self) -> NDArray[np.uint8]:
        """The map in NetHack's tiles, uint8 of shape (336, 1264, 3)."""
        return np.zeros((336, 1264, 3), np.uint8) if self._engine is None else self._engine.picture()

    def close(self) -> None:
        """End the game; harmless when repeated."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None
        super().close()


def _plain(word: str, call: Call) -> str:
    """A typed text as the expert says it: with `type` unless it is a single key."""
    return f"{TYPED} {word}" if call.name == TYPED and len(word) > 1 else word
