"""Plans from any state to the end of the mission: those of the package's bot, and ours where it is at a loss."""

from __future__ import annotations

import importlib

from agentgym.envs.text._babyai.board import Board, State
from agentgym.envs.text._babyai.planner import make_plan

BOT = "agentgym.envs.text._babyai.bot"  # which needs the package when it is imported
EVERYTHING = -1  # bits of a map on which every cell is known


def plan(board: Board, state: State, hidden: bool) -> list[tuple[State, int]]:
    """Moves that accomplish the mission, each with the state in which it is made; empty if none were found.

    Args:
        board: The level.
        state: Where to begin.
        hidden: Whether our planner may read what has not been seen; the bot never does.
    """
    with board.lock:
        return _by_bot(board, state) or make_plan(board, state, EVERYTHING if hidden else state.seen)


def _by_bot(board: Board, state: State) -> list[tuple[State, int]]:
    board.load(state)
    made: list[tuple[State, int]] = []
    bots = importlib.import_module(BOT)
    try:
        bot = bots.Bot(board, state)
        move = bot.replan()
        while move != board.level.actions.done:
            made.append((state, int(move)))
            result = board.play(state, [int(move)])
            if result.won:
                return made
            if result.over or result.spent:
                return []
            state = result.state
            move = bot.replan()
    except bots.LOST:
        pass  # the package's bot gives up by failing: at a box it must open, or where it finds no place to put things
    return []
