"""Points24: four cards, and a formula that comes to 24."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agentgym.core.generated import named_level
from agentgym.core.tasks import Spec
from agentgym.envs.games._cards.chance import POINTS24
from agentgym.envs.games._points import PointsConfig, PointsEnv, Rules

RULES = Rules(
    count=4,
    signs=("+", "-", "*", "/", "(", ")"),
    limit=20,
    kin="numbers",
    levels={"original": {"target": 24, "faces": "ten"}, "faces": {"target": 24, "faces": "own"}},
)


@dataclass(frozen=True)
class Config(PointsConfig):
    """The keyword arguments of `Points24Env`."""

    level: str = named_level("original", RULES.levels, of="Points24")


class Points24Env(PointsEnv):
    """Write a formula over four cards that comes to 24.

    Description: four cards are dealt; every deal has a solution. A counts 1; J, Q and K count 10.

    Observation: `Cards: ['HJ', 'C6', 'D2', 'S2']. Numbers: [10, 6, 2, 2]. Current formula: (10-.` The letter before a
    card's rank is its suit. `=` is answered with what the formula comes to, as a fraction where it is no whole number.

    Actions: a number from `1` to `10`, `+`, `-`, `*`, `/`, `(`, `)`, `=`; also `write 6`. A number that is on no card
    still unused is refused and not written. Signs are written wherever the agent says, even where they make no formula.

    Reward: 10 if at `=` the formula comes to exactly 24 and all four cards are used, otherwise 0. The episode ends at
    `=` (success if 10 was paid), when the formula is longer than 20 numbers and signs, or after 40 turns.

    Splits: `train` without end, `val` 60 and `test` 100 deals; no four numbers stand in two splits, in any order.

    Oracle and Expert: write a formula found by search, going on from what is written if that can still end well,
    otherwise `=`. Formulas are parsed and computed with fractions, never evaluated.

    Args:
        level: `original`, or `faces`, where J, Q and K count 11, 12 and 13.
        target: The number to reach in place of the level's, 1 to 100.
        faces: `ten` or `own`, in place of the level's.

    Source: gym-cards' Points24 (Zhai et al. 2024, arXiv:2405.10292); faces of their own after GeneralPoints (Chu et
    al. 2025, arXiv:2501.17161).
    """

    card = POINTS24
    config = Config()
    rules = RULES
    grammar = RULES.grammar()
    task_schema: ClassVar[Spec] = RULES.schema()
