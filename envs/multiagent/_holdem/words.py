"""What a table of hold'em is made with, its commands and its rules in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from agentgym.core.errors import ConfigError
from agentgym.core.generated import one_of, whole
from agentgym.core.grammar import Command, Grammar
from agentgym.envs.multiagent._holdem.betting import FOLD, RAISE, Betting
from agentgym.envs.multiagent._poker import COMMANDS, PokerConfig

PLAYERS = range(2, 7)
LIMIT, NO_LIMIT = "limit", "no-limit"
STACKS = range(20, 1001)
STACK = 200  # chips that each begins with, where there is no limit
RANKED = (
    "The best five of your two cards and the board win: straight flush, four of a kind, full house, flush, straight, "
    "three of a kind, two pairs, pair, high card."
)


@dataclass(frozen=True)
class HoldemConfig(PokerConfig):
    """The keyword arguments of `TexasHoldem`."""

    betting: str = one_of(LIMIT, (LIMIT, NO_LIMIT))
    players: int = whole(2, PLAYERS[0], PLAYERS[-1])
    stack: int | None = whole(None, STACKS[0], STACKS[-1])

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.betting == LIMIT and self.stack is not None:
            raise ConfigError("stack has no effect with limited bets, where nobody runs out; give betting='no-limit'")
        if self.betting == NO_LIMIT and self.stack is None:
            object.__setattr__(self, "stack", STACK)

    @property
    def heads_up_limit(self) -> bool:
        """Whether two play with limited bets."""
        return self.players == 2 and self.betting == LIMIT


def spoken(now: Betting, act: str) -> str:
    """An action in words; a fold to nothing is a check.

    Args:
        now: The betting.
        act: As in `betting`.
    """
    if act[0] == RAISE:
        return "raise" if now.table.limit else f"raise to {act[1:]}"
    return "fold" if act == FOLD and now.owed else "call" if now.owed else "check"


def chips_of(count: int) -> str:
    """So many chips, in words."""
    return f"{count} chip{'s' if count != 1 else ''}"


@lru_cache(maxsize=32)
def table_grammar(config: HoldemConfig) -> Grammar:
    """The commands and rules of a table.

    Args:
        config: What it was made with.
    """
    limit = config.betting == LIMIT
    fold, check, call, raise_ = COMMANDS
    call = Command("call", "put in as much as is asked, or all you have; without a bet this checks.", ("call",))
    amount = Command(
        "raise to <amount>",
        "bet or raise, so that you have put in <amount> chips in this round of bets, a whole number in the range that "
        "you are told.",
        ("raise to 6", "bet 10"),
        ("bet to <amount>", "raise <amount>", "bet <amount>"),
    )
    all_in = Command("all-in", "put in all your chips.", ("all-in",), ("all in", "go all in"), name="all-in")
    return Grammar([fold, check, call, raise_] if limit else [fold, check, call, amount, all_in], rules=_rules(config))


def _rules(config: HoldemConfig) -> str:
    seats = (
        "The player with the button puts in a small blind of 1, the other a big blind of 2; the button acts first "
        "before the board, the other afterwards."
        if config.players == 2
        else "Left of the button stand the small blind of 1 and the big blind of 2; who sits left of the big blind "
        "acts first before the board, who is first left of the button afterwards."
    )
    money = (
        "A raise is 2 chips in the first two rounds, 4 in the last two; three raises before the board, four in a later "
        "round. Nobody runs out of chips."
        if config.betting == LIMIT
        else f"Everyone begins the match with {config.stack} chips; who has none left is out. A raise goes up by at "
        "least as much as the last one in the round, at least 2; an all-in may be less, and does not let those raise "
        "again who have acted. Who is all in wins from each other no more than it has put in: there are side pots. "
        "Chips that nobody calls go back. When two are left, the button has the small blind and acts first before the "
        "board, last afterwards. The match ends early if one has all chips."
    )
    return (
        f"Cards are a rank (2 to 9, T, J, Q, K, A) and a suit (c, d, h, s). {config.players} players; the button goes "
        f"one place on with each hand, and all get two cards. {seats} Four rounds of bets: before the board, and after "
        f"three, four and five cards of it. {money} {RANKED} Who folds loses what they put in; equal hands share, and "
        "chips left over go to the first left of the button. Win more chips than any other over the match."
    )
