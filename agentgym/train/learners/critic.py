"""A critic: what the policy may still expect to earn, from its own hidden states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import torch
from torch import Tensor

from agentgym.core import ConfigError
from agentgym.rollout import Episode
from agentgym.train.advantage_utils import BOOTSTRAP, spans_by_turn
from agentgym.train.advantages import GAE, AfterCut, Level
from agentgym.train.interfaces import Learner
from agentgym.train.learners._heads import Head, hidden_states

BATCH = 256  # states of one gradient step
States: TypeAlias = tuple[Tensor, Tensor]
"""Of an episode the states before its steps, in the order of turns, and the one after the last token."""


@dataclass(frozen=True)
class Critic(Learner):
    """A value head on the policy's last hidden state, for the advantage `gae` of equal level.

    The gradient stops at the hidden state, so the critic never pulls at the policy (VL-DAC, Bredis et al. 2025,
    arXiv:2508.04280, which needs no weight between the two losses for it). It is fitted by mean squared error to the
    discounted return from each step on; where an episode was cut off, `after_cut` says what ends the sum. It
    writes `value` on every sampled token (the value of the state before the token) and `bootstrap` on the last turn.

    A critic must not know an episode's own luck, and one fitted a round ago reads hidden states that have moved. So
    there are two heads: the groups of a round are dealt to them in turn, each is fitted to its own half and judges the
    other's (cross-fitting, as in Chernozhukov et al. 2018, arXiv:1608.00060).

    Attributes:
        level: What a step is; see `agentgym.train.advantages.GAE`.
        gamma: Discount of a step.
        reward: Name of the annotation that holds a turn's reward; "" takes the world's own.
        after_cut: What an episode that was cut off is worth from there on: what this critic says, or nothing.
        learning_rate: Of its own AdamW.
        epochs: Times that every step of a round is seen.
    """

    level: Level = "token"
    gamma: float = 1.0
    reward: str = ""
    after_cut: AfterCut = "critic"
    learning_rate: float = 1e-3
    epochs: int = 4
    writes: ClassVar[tuple[str, ...]] = ("value",)

    def __post_init__(self) -> None:
        if not self.learning_rate > 0 or self.epochs < 1:
            raise ConfigError(
                f"a critic needs learning_rate above 0 and epochs from 1, got {self.learning_rate} and {self.epochs}"
            )

    def check(self, recipe: Any) -> None:
        """Somebody must read the values."""
        if not any(isinstance(part, GAE) for part in recipe.advantages):
            raise ConfigError("the learner 'critic' has no effect without the advantage 'gae'")

    def build(self, engine: Any, seed: int) -> FittedCritic:
        """A critic of this engine's policy.

        Args:
            engine: The policy that it is fitted beside.
            seed: Of everything that is drawn.
        """
        return FittedCritic(self, engine, seed)


class FittedCritic:
    """See `Critic`."""

    def __init__(self, options: Critic, engine: Any, seed: int):
        self.options, self.engine = options, engine
        self.heads = [Head(engine, options.learning_rate, "train.critic", seed, fold) for fold in range(2)]
        self._held: tuple[Sequence[Episode], int, list[States]] | None = None

    def fit(self, episodes: Sequence[Episode]) -> dict[str, float]:
        """Fit each head to the returns of its half of a round.

        Returns:
            `critic_error`, mean square of what is left of the returns by the head that has not seen them, and
            `critic_explained`, the share of their variance that is explained; both before this fit.
        """
        if not episodes:
            return {}
        read = self._states(episodes)
        self._write(episodes, read)
        options = self.options
        whole = GAE(options.level, options.gamma, lam=1.0, reward=options.reward, after_cut=options.after_cut)
        states = [state for state, _ in read]
        left = [torch.tensor(whole.steps(each), device=states[0].device) for each in episodes]
        targets = [
            gains + torch.tensor(self._noted(each), device=gains.device)
            for gains, each in zip(left, episodes, strict=True)
        ]
        folds = _folds(episodes)
        for fold, head in enumerate(self.heads):
            mine = [place for place, own in enumerate(folds) if own == fold]
            if mine:
                self._fit(head, torch.cat([states[i] for i in mine]), torch.cat([targets[i] for i in mine]))
        self._held = (episodes, self.engine.version, read)
        error, spread = torch.cat(left).square().mean().item(), torch.cat(targets).var(correction=0).item()
        return {"critic_error": error, "critic_explained": 1 - error / spread if spread > 1e-12 else 0.0}

    def _fit(self, head: Head, states_SD: Tensor, targets_S: Tensor) -> None:
        """Axes: S steps of all episodes (tokens or turns), D width of a hidden state."""
        rng = head.rng()
        for _ in range(self.options.epochs):
            for rows in torch.from_numpy(rng.permutation(len(states_SD))).to(states_SD.device).split(BATCH):
                loss_S = (head(states_SD[rows]) - targets_S[rows]).square()
                head.step(loss_S.mean())

    def annotate(self, episodes: Sequence[Episode]) -> None:
        """Write `value` on tokens and `bootstrap` on last turns.

        Args:
            episodes: Those that are judged. Where they are the very ones that were fitted to last, and the policy is
                the same, it does not read them again.
        """
        held, self._held = self._held, None
        known = held is not None and held[0] is episodes and held[1] == self.engine.version
        self._write(episodes, held[2] if held is not None and known else self._states(episodes))

    @torch.no_grad()
    def _write(self, episodes: Sequence[Episode], read: Sequence[States]) -> None:
        for episode, fold, (states, after) in zip(episodes, _folds(episodes), read, strict=True):
            judge = self.heads[1 - fold]
            values = judge(states).tolist()
            for segment in episode.segments:
                segment.annotations["value"] = [0.0] * len(segment)
            for segment, span in spans_by_turn(episode):
                count = self._width(span.end - span.start)
                segment.annotations["value"][span.start : span.start + count] = values[:count]
                values = values[count:]
            episode.turns[-1].annotations[BOOTSTRAP] = judge(after[None]).item()

    def _noted(self, episode: Episode) -> list[float]:
        """The values of an episode's steps, in the order of turns."""
        return [
            value
            for segment, span in spans_by_turn(episode)
            for value in segment.annotations["value"][span.start : span.start + self._width(span.end - span.start)]
        ]

    def _states(self, episodes: Sequence[Episode]) -> list[States]:
        segments = [segment for episode in episodes for segment in episode.segments]
        hidden = {
            id(segment): states for segment, states in zip(segments, hidden_states(self.engine, segments), strict=True)
        }
        found = []
        for episode in episodes:
            rows = []
            for segment, span in spans_by_turn(episode):
                first = span.start - 1  # the state that the span's first token was drawn from
                rows.append(hidden[id(segment)][first : first + self._width(span.end - span.start)])
                after = hidden[id(segment)][span.end - 1]
            found.append((torch.cat(rows), after))
        return found

    def _width(self, tokens: int) -> int:
        return 1 if self.options.level == "turn" else tokens

    def state(self) -> list[dict[str, Any]]:
        """Everything that fitting changes."""
        return [head.state() for head in self.heads]

    def load(self, state: Sequence[dict[str, Any]]) -> None:
        """Take up where `state` was taken."""
        for head, kept in zip(self.heads, state, strict=True):
            head.load(kept)


def _folds(episodes: Sequence[Episode]) -> list[int]:
    """0 or 1 for each episode, the same for all of a group, by turns over the groups."""
    order = {group: rank % 2 for rank, group in enumerate(dict.fromkeys(each.group for each in episodes))}
    return [order[each.group] for each in episodes]
