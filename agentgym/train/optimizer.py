"""AdamW whose steps are taken in float32, whatever the weights are kept in."""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor

from agentgym.core import ConfigError

MASTER_BITS = 32  # of what steps are added up in


class MasterAdamW(torch.optim.AdamW):
    """AdamW without decay (Loshchilov and Hutter 2019) on float32 copies of weights of fewer bits.

    bfloat16 tells numbers apart that differ by a 256th; a step of a usual learning rate is smaller and would be rounded
    away. Steps are added up in a float32 copy, of which the weights are the rounding (mixed precision: Micikevicius et
    al. 2018, arXiv:1710.03740). Weights of as many bits or more have no copy.

    Args:
        weights: What is trained.
        learning_rate: Of a step.
        betas: Decay rates of the mean gradient and of the mean square.

    Attributes:
        masters: The float32 copies, by the number of their weight.
    """

    def __init__(
        self, weights: Iterable[torch.nn.Parameter], learning_rate: float, betas: tuple[float, float] = (0.9, 0.999)
    ):
        self._weights = list(weights)
        self.masters: dict[int, Tensor] = {
            number: weight.detach().float().requires_grad_()
            for number, weight in enumerate(self._weights)
            if torch.finfo(weight.dtype).bits < MASTER_BITS
        }
        stepped = [self.masters.get(number, weight) for number, weight in enumerate(self._weights)]
        super().__init__(stepped, learning_rate, betas, weight_decay=0.0)

    def clip(self, most: float) -> float:
        """Take over the gradients of the weights and scale them down to a norm.

        Args:
            most: The norm.

        Returns:
            Their norm before.
        """
        from torch.distributed.tensor import DTensor  # takes long, and only what learns needs it

        for number, master in self.masters.items():
            grad = self._weights[number].grad
            master.grad = None if grad is None else grad.float()
            self._weights[number].grad = None
        stepped = [weight for group in self.param_groups for weight in group["params"]]
        total = torch.nn.utils.clip_grad_norm_(stepped, most)
        return float((total.full_tensor() if isinstance(total, DTensor) else total).item())

    def move(self) -> None:
        """Take a step with the gradients that `clip` took over, round, and clear them."""
        self.step()
        with torch.no_grad():
            for number, master in self.masters.items():
                self._weights[number].copy_(master)
        self.zero_grad(set_to_none=True)

    def load_masters(self, masters: dict[int, Tensor]) -> None:
        """Take up where the copies were read.

        Args:
            masters: By number; the weights are rounded from them.
        """
        with torch.no_grad():
            for number, master in self.masters.items():
                master.copy_(masters[number])
                self._weights[number].copy_(master)


def optimizer_step(optimizer: MasterAdamW, max_grad_norm: float) -> float:
    """Clip the gradient to a norm, take a step, clear the gradient.

    Args:
        optimizer: Of what has a gradient.
        max_grad_norm: The gradient is scaled down to this norm.

    Returns:
        The norm of the gradient before clipping.

    Raises:
        ConfigError: if the norm is not finite.
    """
    norm = optimizer.clip(max_grad_norm)
    if not math.isfinite(norm):
        raise ConfigError(f"the gradient norm is {norm}; lower the learning rate or look for NaN in the model")
    optimizer.move()
    return norm
