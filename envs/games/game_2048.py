"""2048 in words: slide and merge tiles until one reaches the target."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import log2
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from agentgym.core.errors import ConfigError, TaskError
from agentgym.core.generated import EnvConfig, checked, named_level, object_schema, one_of
from agentgym.core.grammar import Call, Command, Grammar
from agentgym.core.gymnasium_env import LanguageEnv
from agentgym.core.outcome import Outcome
from agentgym.core.tasks import Spec, Task
from agentgym.envs.games import _boards
from agentgym.envs.games._cards.puzzles import GAME_2048
from agentgym.envs.games._game_2048 import player
from agentgym.envs.games._game_2048.board import NAMES, empty, full, largest, moves, packed, slides, tiles

LEVELS = {"easy": {"target": 128}, "medium": {"target": 256}, "hard": {"target": 1024}, "original": {"target": 2048}}
TARGETS = tuple(2**power for power in range(4, 13))
REWARDS = ("log", "score")
NOTHING_MOVES = -0.1  # what a move that changes nothing costs where the reward is the score
OPENING = 8  # moves played at random before the task begins, so that no two tasks are alike
STREAM = 0x2048  # apart from np_random of an equal seed
TONES = (
    (205, 193, 180), (238, 228, 218), (237, 224, 200), (242, 177, 121), (245, 149, 99), (246, 124, 95), (246, 94, 59),
    (237, 207, 114), (237, 204, 97), (237, 200, 80), (237, 197, 63), (237, 194, 46), (60, 58, 50),
)  # fmt: skip


@dataclass(slots=True)
class State:
    """The board in four bits a cell, and the sum of all merged tiles."""

    board: int
    score: int


def _power(name: str, value: Any) -> int:
    if isinstance(value, bool) or value not in TARGETS:
        raise ConfigError(f"target must be a power of two from {TARGETS[0]} to {TARGETS[-1]}, got {value!r}")
    return int(value)


@dataclass(frozen=True)
class Config(EnvConfig):
    """The keyword arguments of `Game2048Env`."""

    level: str = named_level("medium", LEVELS, of="Game2048")
    target: int = checked(None, _power)
    reward: str = one_of("log", REWARDS, shapes_tasks=False)


class Game2048Env(LanguageEnv):
    """Merge equal tiles on a 4 x 4 board until one reaches the target.

    Description: a move slides all tiles as far as they go; two equal tiles that meet become one of twice the value,
    each tile at most once a move. After every move that changes the board a new tile appears on a random empty cell, a
    2 with probability 0.9, otherwise a 4. Each task is a board after a few random moves and a target.

    Observation: the text of published agent suites: `Current 2048 Grid:` and four lines such as `Row 1: [2, 0, 0, 2]`,
    the moves that change something as `Valid Actions: 0(Up), 1(Right).`, the goal, the score (the sum of all merged
    tiles), `What is your next move?`.

    Actions: `up`, `right`, `down`, `left`; also `0` to `3` in this order, `move up`, `slide up`, `swipe up`. A move
    that changes nothing is refused and brings no new tile.

    Reward (`reward="log"`): 0.1 * log2(1 + the sum of the tiles that merged in this move). `reward="score"`: that sum
    itself, and -0.1 for a move that changes nothing. The episode ends when a tile reaches the target (success), when no
    move is possible, or after as many turns as the target's value: a move adds 2.2 on average, so that many suffice
    twice over.

    Splits: `train` without end, `val` and `test` 200 boards each.

    Oracle: the optimum is unknown; expectimax over the move, the new tile and the answer, which knows the chances and
    not the dice. `oracle_success` of the card is measured on the test panel; of 50 games to 2048 it wins 46, of 50 to
    1024 all (`agentgym eval AgentGym/Game2048-v0 --agent oracle --env target=2048 --episodes 50`). Expert: the move to
    the best board by the same measure, without looking further.

    Args:
        level: Named difficulty by target: `easy` (128), `medium` (256), `hard` (1024), `original` (2048). `target`
            replaces it.
        target: Tile that wins, a power of two from 16 to 4096.
        reward: `log` or `score`.

    Source: 2048 (Cirulli 2014); the player's terms and weights are those of R. Xiao's 2048-ai.
    """

    card = GAME_2048
    config = Config()
    task_stream = STREAM
    grammar = Grammar(
        [
            Command(
                name,
                f"slide all tiles {name}.",
                examples=(name,),
                variants=(f"move {name}", f"slide {name}", f"swipe {name}", str(number)),
            )
            for number, name in enumerate(NAMES)
        ],
        rules="Slide the tiles of a 4 x 4 board. Equal tiles that meet merge into one of twice the value; after every "
        "move a new tile, 2 or 4, appears. Reach the target tile before no move is left.",
    )
    task_schema: ClassVar[Spec] = object_schema(
        {
            "board": {
                "type": "array",
                "minItems": 4,
                "maxItems": 4,
                "items": {"type": "array", "minItems": 4, "maxItems": 4, "items": {"type": "integer"}},
            },
            "target": {"type": "integer", "enum": list(TARGETS)},
        }
    )
    _state: State

    @staticmethod
    def generate(config: Config, rng: np.random.Generator) -> Spec:
        """A board after a few random moves of `rng`, far below the target of `config`."""
        return {"board": _generate(rng, config.target), "target": config.target}

    def check_task(self, spec: Spec) -> None:
        """The board must hold powers of two below the target, or 0, and have a move."""
        board, target = spec["board"], spec["target"]
        for tile in (tile for row in board for tile in row):
            if tile != 0 and (tile < 2 or tile & tile - 1 or tile >= target):
                raise TaskError(
                    f"a tile is 0 (empty) or a power of two from 2 to below the target {target}, got {tile}"
                )
        if all(after == packed(board) for after, _ in slides(packed(board))):
            raise TaskError(f"no move changes the board {board}")

    @staticmethod
    def instruction(spec: Spec) -> str:
        """The task in words."""
        return f"Slide and merge the tiles until one reaches {spec['target']}."

    def _turn_limit(self, task: Task) -> int:
        return int(task.spec["target"])

    def _reset(self, task: Task) -> str:
        self._target: int = task.spec["target"].bit_length() - 1
        self._state = State(packed(task.spec["board"]), 0)
        return f"{task.instruction}\n{self._view()}"

    def _step(self, call: Call) -> Outcome:
        state = self._state
        board, merged = moves(state.board)[NAMES.index(call.name)]
        if board == state.board:
            outcome = self.refuse(f"The move {call.name} changes nothing; choose one of the valid actions.")
            outcome.reward = NOTHING_MOVES if self.config.reward == "score" else 0.0
            return outcome
        state.score += merged
        state.board = with_new_tile(board, self.np_random)
        best = largest(board)
        won = best >= self._target
        stuck = not won and full(state.board) and all(after == state.board for after, _ in moves(state.board))
        text = self._view()
        if won:
            text = f"You made the tile {1 << best} and win.\n{text}"
        elif stuck:
            text = f"No move is left; the game is lost.\n{text}"
        return Outcome(
            text,
            reward=float(merged) if self.config.reward == "score" else 0.1 * log2(merged + 1),
            terminated=won or stuck,
            success=won,
            progress=best / self._target,
            events=({"type": "merge", "sum": merged},) if merged else (),
        )

    def _view(self) -> str:
        state = self._state
        board = state.board
        valid = _VALID[sum([1 << number for number, (after, _) in enumerate(moves(board)) if after != board])]
        rows = (
            _row(1, board >> 48) + _row(2, board >> 32 & 65535) + _row(3, board >> 16 & 65535) + _row(4, board & 65535)
        )
        return (
            f"Current 2048 Grid:\n{rows}Valid Actions: {valid}.\n"
            f"Goal: Merge same numbers to reach {1 << self._target}.\nCurrent Score: {state.score}\n"
            "What is your next move?"
        )

    def _admissible(self) -> list[str]:
        board = self._state.board
        return [name for name, (after, _) in zip(NAMES, moves(board), strict=True) if after != board]

    def _oracle(self) -> str:
        return player.look_ahead(self._state.board, self._target)

    def _expert(self) -> str:
        return player.greedy(self._state.board, self._target)

    def _picture(self) -> NDArray[np.uint8]:
        """The board, uint8 of shape (192, 192, 3)."""
        frame = _boards.board(4, 4, (187, 173, 160))
        for cell in range(16):
            power = self._state.board >> 4 * (15 - cell) & 15
            part = _boards.tile(frame, *divmod(cell, 4))
            _boards.fill(part, TONES[min(power, len(TONES) - 1)], 3)
            if power:
                _boards.number(part, 1 << power, (119, 110, 101) if power < 3 else (249, 246, 242))
        return frame


_VALID = tuple(  # the valid actions in words, by a bit for each
    ", ".join(f"{number}({name.capitalize()})" for number, name in enumerate(NAMES) if mask >> number & 1) or "none"
    for mask in range(1 << len(NAMES))
)


def with_new_tile(board: int, rng: np.random.Generator) -> int:
    """The board with a 2, or one time in ten a 4, on a random empty cell.

    Args:
        board: Four bits a cell: the exponent of its tile.
        rng: Chooses cell and tile.
    """
    cells = empty(board)
    shift = cells[int(rng.random() * len(cells))]
    return board | (1 if rng.random() < player.TWO else 2) << shift


@lru_cache(maxsize=65536)
def _row(number: int, row: int) -> str:
    return f"Row {number}: {list(tiles(row))}\n"


def _generate(rng: np.random.Generator, target: int) -> list[list[int]]:
    """The board after two tiles and some random moves, none of which may reach the target or lead nowhere."""
    while True:
        board = with_new_tile(with_new_tile(0, rng), rng)
        for _ in range(OPENING):
            after = [slid for slid, _ in slides(board) if slid != board]
            board = with_new_tile(after[int(rng.random() * len(after))], rng)
        if 1 << largest(board) < target:
            return [list(tiles(board >> shift & 65535)) for shift in (48, 32, 16, 0)]
