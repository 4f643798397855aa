"""One base in memory and low-rank adapters for each policy that stands on it (LoRA, Hu et al. 2021, arXiv:2106.09685).

A policy's adapters are put in where its model is asked, and stay in until another policy's is; so the policies may
take turns within a round, as roles of one player do, and none of them holds a copy of the base.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from agentgym.core import require

FIRST = "default"  # what `peft` calls the adapters that a model is wrapped with


class SharedBase:
    """A model with low-rank adapters of several policies.

    Args:
        model: As `peft.get_peft_model` gives it, with adapters called `default`.
    """

    def __init__(self, model: Any):
        self.model, self._awake = model, FIRST
        self._learning = {name: weight.requires_grad for name, weight in model.named_parameters()}

    def add(self, name: str, *, trainable: bool, folder: str | None = None) -> AdapterModel:
        """The model with adapters of a new name, which begin as the first ones are now.

        Args:
            name: A word of its own.
            trainable: Whether they learn.
            folder: Where adapters stand to begin with instead, as `peft` writes them; None for none.
        """
        peft = require("peft", extra="train", purpose="several policies on one base")
        if folder is None:
            self.model.add_adapter(name, self.model.peft_config[FIRST])
            first = peft.get_peft_model_state_dict(self.model, adapter_name=FIRST, save_embedding_layers=False)
            peft.set_peft_model_state_dict(self.model, first, adapter_name=name)
        else:
            self.model.load_adapter(folder, adapter_name=name, is_trainable=trainable)
        for weight_name, weight in self.model.named_parameters():
            own = f".{name}." in weight_name
            self._learning[weight_name] = trainable if own else self._learning.get(weight_name, False)
            weight.requires_grad_(self._learning[weight_name])
        return self.first(name)

    def first(self, name: str = FIRST) -> AdapterModel:
        """The model with the adapters of a name."""
        return AdapterModel(self, name)

    def freeze(self, name: str) -> None:
        """Let the adapters of a name learn no more."""
        for weight_name, weight in self.model.named_parameters():
            if f".{name}." in weight_name:
                self._learning[weight_name] = False
                weight.requires_grad_(False)

    def wake(self, name: str) -> None:
        """Put the adapters of a name in; which weights learn stays as it was."""
        if name == self._awake:
            return
        self.model.set_adapter(name)
        for weight_name, weight in self.model.named_parameters():
            weight.requires_grad_(self._learning[weight_name])
        self._awake = name


class AdapterModel:
    """A base with the adapters of one policy, as a model: asked, saved and trained as if it stood alone.

    Args:
        base: What it shares with others.
        name: Of its adapters.
    """

    def __init__(self, base: SharedBase, name: str):
        self.base, self.name = base, name

    def __call__(self, *args: Any, **inputs: Any) -> Any:
        """As the model would answer."""
        self.base.wake(self.name)
        return self.base.model(*args, **inputs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.__dict__["base"].model, name)

    def named_parameters(self) -> Iterator[tuple[str, torch.nn.Parameter]]:
        """The weights of the base and of its own adapters, whose names are those of a model that has no others."""
        others = [f".{name}." for name in self.base.model.peft_config if name != self.name]
        for name, weight in self.base.model.named_parameters():
            if not any(other in name for other in others):
                yield name.replace(f".{self.name}.", f".{FIRST}."), weight

    def parameters(self) -> Iterator[torch.nn.Parameter]:
        """The weights of the base and of its own adapters."""
        return (weight for _, weight in self.named_parameters())

    def save_pretrained(self, folder: str | Path, state_dict: Any = None, **options: Any) -> None:
        """Write its adapters as `peft` reads them.

        Args:
            folder: Where; it is there.
            state_dict, options: As `peft` takes them; the weights are always its own.
        """
        peft = require("peft", extra="train", purpose="saving adapters")
        found: dict[str, Tensor] = peft.get_peft_model_state_dict(
            self.base.model, adapter_name=self.name, save_embedding_layers=False
        )
        whole = {name: value.detach().cpu().contiguous() for name, value in found.items()}
        save_file(whole, Path(folder) / "adapter_model.safetensors", metadata={"format": "pt"})
        config = self.base.model.peft_config[self.name]
        inference, config.inference_mode = config.inference_mode, True
        config.save_pretrained(str(folder))
        config.inference_mode = inference
