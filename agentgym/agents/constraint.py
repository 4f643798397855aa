"""A local model that says nothing but an admissible action: the engine's constraint, from what a world lists.

Wrappers that leave actions out of the list, such as `LTLMonitor` with a mask, so bind a model token by token.

Source: rules compiled into a constrained decoder, as for agents whose behavior a formula governs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from agentgym.agents.policy import TokenPolicy

REMEMBERED = 4_096  # actions whose tokens are kept


class PromptTokens(list[int]):
    """What a model reads in a turn, and the actions that it may answer with; None if they are not known."""

    actions: tuple[str, ...] | None

    def __init__(self, tokens: Iterable[int], actions: Iterable[str] | None):
        """Tokens with actions.

        Args:
            tokens: Ids.
            actions: What may be answered.
        """
        super().__init__(tokens)
        self.actions = None if actions is None else tuple(actions)


class AdmissibleOnly:
    """Which tokens may be said next, so that the whole answer is one of the turn's actions.

    Where a world cannot list its actions, or has none left, every token is allowed.

    Args:
        policy: Whose tokens they are.

    Raises:
        ConfigError: when it is called, if the tokenizer cannot say an action.
    """

    def __init__(self, policy: TokenPolicy):
        self._encoded = lru_cache(REMEMBERED)(lambda action: tuple(policy.encode_action(action)))

    def __call__(self, read: Sequence[int], said: Sequence[int]) -> Sequence[int] | None:
        """The allowed ids; None for all.

        Args:
            read: What was read in this turn.
            said: Ids that were said in it so far.
        """
        actions = read.actions if isinstance(read, PromptTokens) else None
        if not actions:
            return None
        begun, length = tuple(said), len(said)
        spelled = map(self._encoded, actions)
        return sorted({ids[length] for ids in spelled if len(ids) > length and ids[:length] == begun})
