"""Replies that are no action of the world, on their way to it."""

from __future__ import annotations

from typing import Any

from agentgym.core import LanguageEnv


class Refusal(str):
    """A reply that is no action, on its way down the chain: the empty string, with the reason it was refused for.

    The world counts a turn for it, as for everything it cannot understand, and a game one of the player's tries; the
    reason is put where the world says what was wrong.

    Args:
        reason: Why the reply is no action, a sentence; its first letter is made a capital.
        said: The reply.
    """

    reason: str
    said: str

    def __new__(cls, reason: str, said: str = "") -> Refusal:
        """The empty string with a reason.

        Args:
            reason: Why the reply is no action.
            said: The reply.
        """
        self = super().__new__(cls, "")
        self.reason, self.said = reason[:1].upper() + reason[1:], said
        return self

    def surcharge(self, world: LanguageEnv) -> float:
        """What is paid beside the world's reward for the empty string, which it refused."""
        return 0.0

    def explain(self, text: str, info: dict[str, Any]) -> str:
        """The world's answer to the empty string, with this reason in place of the world's.

        Args:
            text: What the world answered.
            info: What came with it; the reason is put into it.
        """
        text = _instead(text, info["error"], self.reason)
        info.update(action_valid=False, error=self.reason)  # a wrapper in between may have played something else
        return text


class CarriedOut(Refusal):
    """A reply that a wrapper has carried out itself: in the world only a turn goes by. `reason` is the result."""

    def surcharge(self, world: LanguageEnv) -> float:
        """The price of a refused action, given back, and what `world` pays for a turn in which nothing is done."""
        return world._idle_reward() - world._refusal_reward()

    def explain(self, text: str, info: dict[str, Any]) -> str:
        """The world's answer to the empty string, from the result on; `info` says that the action was valid.

        Args:
            text: What the world answered; words with which it begins refusals are cut off.
            info: What came with it, changed in place.
        """
        text = super().explain(text, info)
        info.update(action_valid=True, error="")
        return text[text.rfind(self.reason) :]  # a world may begin its refusals with words of its own


def _instead(text: str, error: str, reason: str) -> str:
    """`text` with `reason` where it last says `error`."""
    head, found, tail = text.rpartition(error) if error else ("", "", "")  # where a wrapper ends an episode, none
    return f"{head}{reason}{tail}" if found else f"{reason}\n{text}"
