"""`NearestAdmissible`: what is not quite an action becomes the admissible action it resembles most."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium as gym
from rapidfuzz import fuzz, process

from agentgym.core import Call, ConfigError
from agentgym.core.checks import check_action
from agentgym.core.prose import extract
from agentgym.wrappers._checks import overrides
from agentgym.wrappers.base import WORDS, Info, TextWrapper
from agentgym.wrappers.refusal import Refusal

LONGEST = 512  # characters compared; nothing longer resembles an action


class NearestAdmissible(TextWrapper):
    """Reads an action that is not admissible as the most similar one that is, if it is similar enough.

    Similarity is the normalised edit similarity of the texts in lower case, 0 to 1; between equals the first in the
    alphabet is taken. An action that parses is left alone where the world's list is not complete.

    Changes: the text begins with what was understood; `info` gains `read_as` (str: the action played instead, or empty)
    and `similarity` (float, 1.0 where nothing was changed).

    Args:
        env: A world that lists its admissible actions.
        cutoff: Least similarity; below it the action goes to the world as it is, which refuses it.

    Source: Huang et al., Language Models as Zero-Shot Planners, ICML 2022, which map free text to admissible actions.

    >>> import gymnasium as gym, agentgym
    >>> from agentgym.wrappers import NearestAdmissible
    >>> env = NearestAdmissible(gym.make("AgentGym/FrozenLake-v0"))
    >>> text, info = env.reset(seed=0)
    >>> text, reward, terminated, truncated, info = env.step("lefft now")
    >>> info["read_as"], round(info["similarity"], 2)
    ('left', 0.62)
    """

    _reads: ClassVar[int] = WORDS

    def __init__(self, env: gym.Env[Any, Any], *, cutoff: float = 0.6):
        super().__init__(env, extra_length=2_200, cutoff=cutoff)
        if not isinstance(cutoff, (int, float)) or not 0 < cutoff <= 1:
            raise ConfigError(f"cutoff must be above 0 and at most 1, got {cutoff!r}")
        if not overrides(self.world, "_admissible"):
            raise ConfigError(f"NearestAdmissible needs a list of actions; {self.world.card.id} lists none")
        self.cutoff = float(cutoff)

    def begin(self, observation: str, info: Info, note: Any) -> str:
        """The first `observation` as it is; in `info` nothing was read as anything else. The `note` is not needed."""
        info["read_as"], info["similarity"] = "", 1.0
        return observation

    def read(self, reply: str) -> tuple[Any, Any]:
        """An action, or the one that it resembles; the note is what was read instead and how similar it is."""
        check_action(reply)
        if isinstance(reply, Refusal):
            return reply, None
        read_as, similarity = self._nearest(reply)
        return read_as or reply, (read_as, similarity)

    def show(self, observation: str, info: Info, note: Any) -> str:
        """The observation, after what was understood.

        Args:
            observation: What is seen inside.
            info: Gains `read_as` and `similarity`.
            note: These two; None for a reply that was refused before, which is nothing else.
        """
        info["read_as"], info["similarity"] = note or ("", 1.0)
        return self._fit(f"(Read as: {info['read_as']})\n{observation}") if info["read_as"] else observation

    def _nearest(self, action: str) -> tuple[str, float]:
        said = " ".join(extract(action, self.inner_first_words).split()).lower()
        if not said or len(said) > LONGEST:
            return "", 1.0
        complete = self.world.admissible_complete
        call = self.inner.parse(action)
        if isinstance(call, Call) and not complete:
            return "", 1.0
        actions = self.inner.admissible_actions() or []
        if action.strip() in actions or any(
            isinstance(call, Call) and self.inner.parse(one) == call for one in actions
        ):
            return "", 1.0
        found = process.extractOne(
            said, [one.lower() for one in actions], scorer=fuzz.ratio, score_cutoff=self.cutoff * 100
        )
        return (actions[found[2]], found[1] / 100) if found else ("", 1.0)
