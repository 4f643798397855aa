"""MiniHack: small levels of NetHack with one task each, in the words of BALROG."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from agentgym.core.errors import TaskError, unknown
from agentgym.core.generated import checked, object_schema, path_to
from agentgym.core.grammar import Call
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games._cards.hack import MINIHACK
from agentgym.envs.games._nethack.engine import LARGEST
from agentgym.envs.games._nethack.keys import TYPED, Keyboard
from agentgym.envs.games._nethack.levels import BOXOBAN, GOALS, PUSH, WORDS, Level, chosen, level, package, puzzle
from agentgym.envs.games._nethack.world import HackConfig, HackWorld

IDLE = -0.01  # for an action in which no time passes
PLACED, STEP = 0.1, -0.001  # Boxoban: for a boulder on a fountain, and for every turn


@dataclass(frozen=True)
class Config(HackConfig):
    """The keyword arguments of `MiniHackEnv`."""

    levels: tuple[str, ...] = checked(None, lambda name, value: value)
    boxoban: Path | None = path_to("a folder")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "levels", chosen(self.levels, self.boxoban))


class MiniHackEnv(HackWorld):
    """Solve MiniHack's levels.

    Description: levels of the package `minihack` 1.0, played in NetHack's own engine (`nle` 1.3): corridors and mazes
    to find the way in, rats to fight, lava to cross with what lies about, boulders to push. By default BALROG's six
    levels that need no further data, in turn: `MazeWalk-9x9`, `MazeWalk-15x15`, `Corridor-R3`, `CorridorBattle-Dark`,
    `Quest-Easy`, `Quest-Medium`; with `boxoban` also its two of Boxoban.

    Observation: as in `AgentGym/NetHack-v0`, in BALROG's sections; before the first, the goal and the actions that the
    level takes. With `style="balrog"` BALROG's text to the letter, and its levels: a random role, and nothing is picked
    up by walking over it. As there, pages that the engine's own environment turns are not shown.

    Actions: BALROG's words. Corridors take the eight directions, `open`, `kick` and `search`; mazes, rooms and battles
    the directions; Boxoban the four straight ones; quests all of them, and single keys or `type <text>` as answers.

    Reward: as in MiniHack: 1 for success, -0.01 for an action in which no time passes in the game; in Boxoban 0.1 for a
    boulder on a fountain, -0.1 for one taken off, and -0.001 a turn. The episode ends with success (the staircase down
    is reached; all boulders stand on fountains), with death, or after the level's own limit: 200 to 1,000 turns. BALROG
    stops after 100: `max_turns=100`.

    Metrics: BALROG's `progression` in percent: 100 for success, else 0.

    Splits: `train` without end, `val` and `test` 30 tasks each, five of each level, as many as BALROG plays.

    Oracle: none. Expert: a scripted player that reads only what is shown: it explores, fights, takes things along,
    freezes lava and searches. It does not solve Boxoban; `AgentGym/Sokoban-v0` has a solver.

    Limits: the engine cannot be copied, so a snapshot replays the episode, 0.2 ms an action. The task fixes the level
    and the first turn, equal to the package's own after `seed(seed, seed, False, seed)`; the dice of every later
    action come from `np_random`. A level that is new to a process is compiled, in a tenth of a second; a step takes
    some 0.2 ms. The packages ask for Gymnasium 1.2.0, so they are
    installed apart. `minihack` is under the Apache licence.

    Args:
        levels: Names as in MiniHack's ids: `Room-5x5`, `Room-Random-5x5`, also `Dark`, `Monster`, `Trap`, `Ultimate`
            and 15x15; `Corridor-R2`, `R3`, `R5`; `MazeWalk-9x9`, `15x15`, `45x19`, also as `MazeWalk-Mapped-9x9`;
            `CorridorBattle`, `CorridorBattle-Dark`; `Quest-Easy`, `Medium`, `Hard`; `Boxoban-Unfiltered`, `Medium`,
            `Hard`. None for BALROG's.
        boxoban: Folder of the puzzles, a copy of google-deepmind/boxoban-levels; needed for Boxoban only.
        view: `hybrid`, words and the drawn map, or `language`, words alone: BALROG's two ways.
        style: `words`, this package's own, or `balrog`.

    Raises:
        MissingExtra: if `nle` or `minihack` is not installed (extra `nethack`).
        DataError: if the folder holds no puzzles.

    Source: MiniHack (Samvelyan et al. 2021, arXiv:2109.13202); words and progression of BALROG (Paglieri et al. 2024,
    arXiv:2411.13543); Boxoban (Guez et al. 2019, arXiv:1901.03559).
    """

    card = MINIHACK
    config = Config()
    _level: Level | None = None
    grammar = Keyboard(
        WORDS,
        "Reach the goal of the level. A level takes only the actions that its first observation names. Walk into "
        "monsters to fight them and into doors to open them. A question is answered by a direction or a key.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "level": {"type": "string", "maxLength": 40},
            "seed": {"type": "integer", "minimum": 0, "maximum": LARGEST},
        }
    )
    admissible_complete = False
    collects = True
    windows = False

    def _configured(self) -> None:
        super()._configured()
        package(self.card.id)  # it registers the levels with Gymnasium

    @staticmethod
    def generate_from_seed(config: Config, seed: int) -> Spec:
        """The levels of `config` in turn, as the `seed` counts on; the engine builds each from that seed."""
        return {"level": config.levels[seed % len(config.levels)], "seed": seed}

    def check_task(self, spec: Spec) -> None:
        """The level must be one, and its puzzles at hand."""
        if spec["level"] not in GOALS and spec["level"] not in BOXOBAN:
            raise TaskError(str(unknown("level of MiniHack", spec["level"], [*GOALS, *BOXOBAN])))
        if spec["level"] in BOXOBAN and self.config.boxoban is None:
            raise TaskError(f"{spec['level']} needs boxoban, the folder of the puzzles, when the environment is made")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return PUSH if spec["level"] in BOXOBAN else GOALS[spec["level"]]

    def _kind(self, spec: Spec) -> str:
        """The level."""
        return str(spec["level"])

    def _turn_limit(self, task: Task) -> int:
        return self._made(task.spec).turns

    def _made(self, spec: Spec) -> Level:
        if spec["level"] in BOXOBAN and self.config.boxoban is not None:
            return puzzle(spec["level"], self.config.boxoban, spec["seed"], self._plain)
        return level(spec["level"], self._plain)

    def _reset(self, task: Task) -> str:
        made = self._made(task.spec)
        if self._engine is None or self._level is not made:
            self._engine = self._boot(made.options, made.character, monsters=False, asks=made.asks, data=made.data)
            self._level = made
        text = self._open(self._engine, task.spec["seed"])
        self._fountains = self._places(self._names.fountain) if made.puzzle else frozenset()
        keys = " and single keys, or `type <text>`, as answers to questions" if made.asks else ""
        return f"{task.instruction}\nThis level takes: {', '.join(made.words)}{keys}.\n\n{text}"

    def _places(self, glyph: int) -> frozenset[int]:
        """Where a glyph is shown."""
        return frozenset((self.game.glyphs.ravel() == glyph).nonzero()[0].tolist())

    def _step(self, call: Call) -> Outcome:
        made = self._level
        assert made is not None
        if call.name not in made.words and not (call.name == TYPED and made.asks):
            return self.refuse(f"This level takes only: {', '.join(made.words)}.")
        placed = self._placed()
        idle = not self._press(call)
        game = self.game
        won = not game.over and (self._placed() == len(self._fountains) if made.puzzle else game.on_stairs_down)
        if made.puzzle:
            reward = 1.0 if won else 0.0 if game.over else STEP + PLACED * (self._placed() - placed)
        else:
            reward = float(won) + IDLE * (idle and not game.over)
        text = self._seen
        if game.over:
            text = "\n".join([*game.said, "The game is over."])
        elif won:
            text = f"You have reached the goal.\n\n{text}"
        return Outcome(
            text,
            reward=reward,
            terminated=game.over or won,
            success=won,
            progress=float(won),
            metrics={"progression": 100.0 * won},
        )

    def _placed(self) -> int:
        """Boulders on fountains."""
        return len(self._fountains & self._places(self._names.boulder)) if self._fountains else 0

    def _metrics(self) -> Mapping[str, float]:
        return {"progression": 0.0}  # of a refused action: the goal, once reached, ends the episode

    def _words(self) -> tuple[str, ...]:
        assert self._level is not None
        return self._level.words
