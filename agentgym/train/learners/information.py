"""IGPO: what each turn taught the policy about the right answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

from agentgym.core import ConfigError
from agentgym.rollout import Episode
from agentgym.train.advantage_utils import spans_by_turn
from agentgym.train.interfaces import Learner
from agentgym.train.learners._readers import check_read


@dataclass(frozen=True)
class Information(Learner):
    """The gain, turn by turn, of the probability that the policy itself gives to the world's reference answer.

    Information gain of IGPO (Wang et al. 2025, arXiv:2510.14967, section 3.2): before each turn the reference is put in
    the policy's mouth, and its probability is exp(mean log-probability of its tokens); the reward of a turn is the gain
    from before it to before the next, and that of the last turn is the world's own outcome: the sum of the world's
    rewards and the bonus. Where prompt and reference do not fit the context, nothing is gained; such turns are counted.
    It writes `information` on every turn. Nothing is fitted; the engine's `score` does the work. References are asked
    for on training splits only.
    """

    writes: ClassVar[tuple[str, ...]] = ("information",)
    needs_answers: ClassVar[bool] = True

    def check(self, recipe: Any) -> None:
        """Somebody must read the rewards."""
        check_read(self, recipe)

    def build(self, engine: Any, seed: int) -> InformationGain:
        """A measure of this engine's policy; nothing is drawn from `seed`.

        Args:
            engine: The policy that it is fitted beside.
            seed: Of everything that is drawn.
        """
        return InformationGain(self, engine)


class InformationGain:
    """See `Information`."""

    def __init__(self, options: Information, engine: Any):
        self.options, self.engine = options, engine

    def fit(self, episodes: Sequence[Episode]) -> dict[str, float]:
        """Nothing is fitted."""
        return {}

    def annotate(self, episodes: Sequence[Episode]) -> None:
        """Write `information` on every turn."""
        prompts, answers = [], []
        for episode in episodes:
            answer = self._answer(episode)
            for segment, span in spans_by_turn(episode):
                room = span.start + len(answer) <= self.engine.context_limit
                prompts.append(segment.token_ids[: span.start])
                answers.append(answer if room else [])
        self.options.count(turns=len(answers), turns_without_room=sum(not each for each in answers))
        scored = iter(self.engine.score(prompts, answers))
        for episode in episodes:
            beliefs: list[float] = []
            for row in islice(scored, len(episode.turns)):
                beliefs.append(math.exp(sum(row) / len(row)) if row else beliefs[-1] if beliefs else 0.0)
            for turn, before, after in zip(episode.turns, beliefs, beliefs[1:], strict=False):
                turn.annotations["information"] = after - before
            episode.turns[-1].annotations["information"] = episode.learned_return

    def _answer(self, episode: Episode) -> list[int]:
        if episode.reference is None:
            raise ConfigError(
                f"task {episode.task_id} has no reference answer; the learner 'information' needs a world that gives "
                "one, on a training split"
            )
        answer: list[int] = self.engine.chat.encode_action(episode.reference)
        return answer

    def state(self) -> dict[str, Any]:
        """Nothing is kept."""
        return {}

    def load(self, state: dict[str, Any]) -> None:
        """Nothing is kept."""
