"""EZPoints: two cards, and a formula that comes to 12."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agentgym.core.generated import named_level
from agentgym.core.tasks import Spec
from agentgym.envs.games._cards.chance import EZ_POINTS
from agentgym.envs.games._points import PointsConfig, PointsEnv, Rules

RULES = Rules(
    count=2,
    signs=("+", "*"),
    limit=5,
    kin="cards",
    levels={"original": {"target": 12, "faces": "ten"}, "faces": {"target": 12, "faces": "own"}},
)


@dataclass(frozen=True)
class Config(PointsConfig):
    """The keyword arguments of `EZPointsEnv`."""

    level: str = named_level("original", RULES.levels, of="EZPoints")


class EZPointsEnv(PointsEnv):
    """Write a formula over two cards that comes to 12.

    Description: two cards are dealt whose numbers make 12 as a sum or as a product. A counts 1; J, Q and K count 10.

    Observation: `Cards: ['H2', 'C6']. Numbers: [2, 6]. Current formula: 2*.` The letter before a card's rank is its
    suit. `=` is answered with what the formula comes to.

    Actions: a number from `1` to `10`, `+`, `*`, `=`; also `write 6`. A number that is on no card still unused is
    refused and not written. Signs are written wherever the agent says, even where they make no formula.

    Reward: 10 if at `=` the formula comes to 12 and both cards are used, otherwise 0. The episode ends at `=` (success
    if 10 was paid), when the formula is longer than 5 numbers and signs, or after 10 turns.

    Splits: 150 pairs of cards make 12; `val` holds 10 of them and `test` 100, so that it tells players apart, and
    `train` without end draws from the other 40; no two cards lie together in two splits.

    Oracle and Expert: write a formula found by search, going on from what is written if that can still end well,
    otherwise `=`. Formulas are parsed and computed with fractions, never evaluated.

    Args:
        level: `original`, or `faces`, where J, Q and K count 11, 12 and 13.
        target: The number to reach in place of the level's, 1 to 100.
        faces: `ten` or `own`, in place of the level's.

    Source: gym-cards' EZPoints (Zhai et al. 2024, arXiv:2405.10292); faces of their own after GeneralPoints (Chu et
    al. 2025, arXiv:2501.17161).
    """

    card = EZ_POINTS
    config = Config()
    rules = RULES
    grammar = RULES.grammar()
    task_schema: ClassVar[Spec] = RULES.schema()
