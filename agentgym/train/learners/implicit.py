"""iStar / OPRL: rewards of turns that are implicit in a model fitted to prefer the better of two episodes."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
import torch.nn.functional as functional
from torch import Tensor

from agentgym.core import ConfigError
from agentgym.core.rng import stream
from agentgym.rollout import Episode, Segment
from agentgym.train.advantage_utils import spans_by_turn
from agentgym.train.batch import Sample, micro_batches
from agentgym.train.filters import ranked_pairs
from agentgym.train.interfaces import Learner
from agentgym.train.learners._heads import MICRO_TOKENS
from agentgym.train.learners._readers import check_read
from agentgym.train.token_logprobs import token_logprobs

PAIRS = 8  # pairs of one gradient step


@dataclass(frozen=True)
class Implicit(Learner):
    """A second language model, begun as a copy of the policy, that prefers the better of two episodes of a task.

    Online process reward learning, also called iStar (Liu et al. 2025, arXiv:2509.19199, section 3): each round the
    model is fitted by trajectory DPO to pairs of a group, with the policy that played them as the reference (its
    log-probabilities were kept when it spoke); the reward of a turn is `beta` times the sum over its tokens of the
    model's log-probability minus the policy's. It writes `implicit` on every turn.

    Attributes:
        beta: As in DPO; it also scales the rewards, which `step_relative` standardises.
        learning_rate: Of its own AdamW.
        epochs: Times that every pair of a round is seen.
    """

    beta: float = 0.05
    learning_rate: float = 1e-4
    epochs: int = 1
    writes: ClassVar[tuple[str, ...]] = ("implicit",)
    copies: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.beta > 0 or not self.learning_rate > 0 or self.epochs < 1:
            raise ConfigError("implicit needs beta and learning_rate above 0 and epochs from 1")

    def check(self, recipe: Any) -> None:
        """Somebody must read the rewards."""
        check_read(self, recipe)

    def build(self, engine: Any, seed: int) -> FittedImplicit:
        """A reward model begun as this engine's policy.

        Args:
            engine: The policy that it is fitted beside.
            seed: Of everything that is drawn.
        """
        return FittedImplicit(self, engine, seed)


class FittedImplicit:
    """See `Implicit`."""

    def __init__(self, options: Implicit, engine: Any, seed: int):
        self.options, self.engine = options, engine
        self.model = copy.deepcopy(engine.model).float()  # small steps are lost in fewer bits
        weights = [weight for weight in self.model.parameters() if weight.requires_grad]
        self.optimizer = torch.optim.AdamW(weights, options.learning_rate, weight_decay=0.0)
        self._seed, self._fits = seed, 0

    def fit(self, episodes: Sequence[Episode]) -> dict[str, float]:
        """Fit to the pairs of a round; says how often the better episode of a pair was told before each step."""
        self._fits += 1
        rng = stream("train.implicit", self._seed, self._fits)
        pairs = ranked_pairs(episodes)
        losses, right = [], []
        for _ in range(self.options.epochs):
            order = rng.permutation(len(pairs))
            for first in range(0, len(pairs), PAIRS):
                chosen = [pairs[place] for place in order[first : first + PAIRS]]
                loss, told = self._step([(episodes[better], episodes[worse]) for better, worse in chosen])
                losses.append(loss)
                right += told
        if not pairs:
            return {"implicit_pairs": 0.0}
        return {
            "implicit_pairs": float(len(pairs)),
            "implicit_loss": sum(losses) / len(losses),
            "implicit_accuracy": sum(right) / len(right),
        }

    def _step(self, pairs: Sequence[tuple[Episode, Episode]]) -> tuple[float, list[bool]]:
        samples = [
            Sample(segment, pair=number, sign=sign)
            for number, pair in enumerate(pairs)
            for episode, sign in zip(pair, (1, -1), strict=True)
            for segment in episode.segments
        ]
        self.optimizer.zero_grad(set_to_none=True)
        total, told = 0.0, []
        for batch in micro_batches(samples, MICRO_TOKENS, self.model.device, "pair"):
            logprobs, _ = token_logprobs(self.model, batch, self.engine.temperature)
            gains = ((logprobs - batch.old_logprobs_BT) * batch.sampled_BT).sum(1) * batch.sign_B
            places = batch.pair_B.unique(return_inverse=True)[1]
            margins = gains.new_zeros(int(places.max()) + 1).index_add(0, places, gains)
            loss = -functional.logsigmoid(self.options.beta * margins).sum() / len(pairs)
            loss.backward()
            total += loss.item()
            told += (margins > 0).tolist()
        self.optimizer.step()
        return total, told

    @torch.no_grad()
    def annotate(self, episodes: Sequence[Episode]) -> None:
        """Write `implicit` on every turn."""
        segments = [segment for episode in episodes for segment in episode.segments]
        gains = {id(segment): row for segment, row in zip(segments, self._gains(segments), strict=True)}
        for episode in episodes:
            for turn, (segment, span) in zip(episode.turns, spans_by_turn(episode), strict=True):
                turn.annotations["implicit"] = (
                    self.options.beta * gains[id(segment)][span.start : span.end].sum().item()
                )

    def _gains(self, segments: Sequence[Segment]) -> list[Tensor]:
        """At each token the model's log-probability minus the policy's when it spoke."""
        rows: list[Tensor] = [torch.empty(0)] * len(segments)
        samples = [Sample(segment, episode=place) for place, segment in enumerate(segments)]
        for batch in micro_batches(samples, MICRO_TOKENS, self.model.device):
            logprobs, _ = token_logprobs(self.model, batch, self.engine.temperature)
            for row, place in enumerate(batch.episode_B.tolist()):
                rows[place] = (logprobs - batch.old_logprobs_BT)[row]
        return rows

    def state(self) -> dict[str, Any]:
        """Everything that fitting changes."""
        weights = {name: value.detach().clone() for name, value in self.model.named_parameters() if value.requires_grad}
        return {"weights": weights, "optimizer": self.optimizer.state_dict(), "fits": self._fits}

    @torch.no_grad()
    def load(self, state: dict[str, Any]) -> None:
        """Take up where `state` was taken."""
        weights = dict(self.model.named_parameters())
        for name, value in state["weights"].items():
            weights[name].copy_(value)
        self.optimizer.load_state_dict(state["optimizer"])
        self._fits = state["fits"]
