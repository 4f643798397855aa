"""What asking a model may cost: prices as the user gives them, and a budget in dollars and tokens."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from agentgym.core import BudgetSpent, ConfigError
from agentgym.core.json_text import read_toml


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars per million tokens.

    Attributes:
        read, written: Of the tokens of prompts and of answers; reasoning is written.
    """

    read: float = 0.0
    written: float = 0.0

    def __post_init__(self) -> None:
        if not all(math.isfinite(price) and price >= 0 for price in (self.read, self.written)):
            raise ConfigError(f"prices must not be negative, got {self.read} and {self.written}")

    def cost(self, read: int, written: int) -> float:
        """US dollars of an answer.

        Args:
            read, written: Tokens.
        """
        return (read * self.read + written * self.written) / 1e6


FREE = Prices()


def read_prices(path: str | Path, model: str) -> Prices:
    """The prices of a model in a TOML file with one table a model: `["my-model"]`, `in = 0.5`, `out = 2.0`.

    Args:
        path: The file.
        model: The model's name on the server.

    Raises:
        ConfigError: if there is no such file, it is no such TOML, or it has no such model.
    """
    try:
        tables = read_toml(Path(path).read_text(encoding="utf8"))
    except OSError as error:
        raise ConfigError(f"the prices in {path} cannot be read ({error.strerror}); give a TOML file") from None
    except ValueError as error:
        raise ConfigError(f"{path} is no TOML ({error}); write a table for each model") from None
    if model not in tables:
        raise ConfigError(f"{path} has no prices of {model!r}; add a table [{model!r}] with in and out, or give others")
    table = tables[model]
    if not isinstance(table, dict) or set(table) != {"in", "out"} or not {*map(type, table.values())} <= {int, float}:
        raise ConfigError(f"{path} must give {model!r} the numbers in and out: dollars per million tokens, and no more")
    return Prices(float(table["in"]), float(table["out"]))


class Budget:
    """What may be spent in all; questions that are under way when it is gone are still answered and counted.

    Args:
        dollars, tokens: The most of each, tokens read and written together; None for no limit.

    Attributes:
        spent_dollars, spent_tokens: So far.

    Raises:
        ConfigError: if a limit is not above 0.
    """

    def __init__(self, dollars: float | None = None, tokens: int | None = None):
        for name, limit in (("max_cost", dollars), ("max_total_tokens", tokens)):
            if limit is not None and not 0 < limit < math.inf:
                raise ConfigError(f"{name} must be above 0, got {limit}")
        self.dollars, self.tokens = dollars, tokens
        self.spent_dollars, self.spent_tokens = 0.0, 0

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.dollars is not None or self.tokens is not None

    def charge(self, dollars: float, tokens: int) -> None:
        """Count an answer.

        Args:
            dollars: What it cost.
            tokens: What was read and written.
        """
        self.spent_dollars += dollars
        self.spent_tokens += tokens

    def check(self) -> None:
        """Let another question pass.

        Raises:
            BudgetSpent: if a limit is reached; names it and its option.
        """
        if self.dollars is not None and self.spent_dollars >= self.dollars:
            raise BudgetSpent(
                f"the budget of {self.dollars:g} dollars is spent ({self.spent_dollars:.4f}); raise --max-cost"
            )
        if self.tokens is not None and self.spent_tokens >= self.tokens:
            raise BudgetSpent(
                f"the budget of {self.tokens:,} tokens is spent ({self.spent_tokens:,}); raise --max-total-tokens"
            )
