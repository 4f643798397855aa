"""What learners with a head on the policy's hidden states share: the states, and a small head with its optimizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agentgym.core.rng import stream, stream_seed
from agentgym.rollout import Segment
from agentgym.train.batch import Batch, Sample, micro_batches

MICRO_TOKENS = 8_192


@torch.no_grad()
def hidden_states(engine: Any, segments: Sequence[Segment]) -> list[Tensor]:
    """The policy's last hidden state at each token of each segment, shape (tokens, width), in float32.

    Args:
        engine: The engine whose model is read, as it is now.
        segments: Token sequences of any lengths, run in batches of similar length; the result keeps their order.
    """
    states: list[Tensor] = [torch.empty(0)] * len(segments)
    samples = [Sample(segment, episode=place) for place, segment in enumerate(segments)]
    for batch in micro_batches(samples, MICRO_TOKENS, engine.model.device):
        hidden = last_states(engine.model, batch)
        for row, place in enumerate(batch.episode_B.tolist()):
            states[place] = hidden[row, : len(segments[place])]
    return states


def last_states(model: Any, batch: Batch) -> Tensor:
    """A model's last hidden states, shape (rows, tokens, width), in float32.

    Args:
        model: A causal language model of Transformers; logits are computed for one position only.
        batch: Padded token sequences with their attention mask; states of the padding mean nothing.
    """
    out = model(
        input_ids=batch.ids_BT,
        attention_mask=batch.attention_mask_BT,
        use_cache=False,
        output_hidden_states=True,
        logits_to_keep=1,
    )
    hidden: Tensor = out.hidden_states[-1].float()
    return hidden


class Head:
    """Two layers from a hidden state to a number, 0 at first for every state, and the optimizer that fits them.

    Args:
        engine: Whose hidden states it reads.
        learning_rate: Of AdamW.
        name: Of the random streams that its initial weights and the order in which it is fitted come from.
        place: Coordinates of these streams, such as the seed of the run.
    """

    def __init__(self, engine: Any, learning_rate: float, name: str, *place: int):
        width = engine.model.config.hidden_size
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(stream_seed(f"{name}.weights", *place))
            self.net = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))
        nn.init.zeros_(self.net[2].weight)  # type: ignore[arg-type]
        nn.init.zeros_(self.net[2].bias)  # type: ignore[arg-type]
        self.net.to(engine.model.device)
        self.optimizer = torch.optim.AdamW(self.net.parameters(), learning_rate, weight_decay=0.0)
        self._name, self._place, self._fits = name, place, 0

    def __call__(self, states: Tensor) -> Tensor:
        """One number a state."""
        values: Tensor = self.net(states)[:, 0]
        return values

    def rng(self) -> np.random.Generator:
        """The generator of the next fit; a function of name, place and the number of fits before."""
        self._fits += 1
        return stream(f"{self._name}.fit", *self._place, self._fits)

    def step(self, loss: Tensor) -> None:
        """One gradient step."""
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()

    def state(self) -> dict[str, Any]:
        """Everything that fitting changes."""
        net = {name: value.clone() for name, value in self.net.state_dict().items()}
        return {"net": net, "optimizer": self.optimizer.state_dict(), "fits": self._fits}

    def load(self, state: dict[str, Any]) -> None:
        """Take up where `state` was taken."""
        self.net.load_state_dict(state["net"])
        self.optimizer.load_state_dict(state["optimizer"])
        self._fits = state["fits"]
