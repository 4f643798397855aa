"""Helpers of a recipe that are named as functions, with the language model that some of them ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from agentgym.core import Cassette, ConfigError, TextModel
from agentgym.core.errors import named_function


@dataclass
class NamedHelper:
    """What makes a helper, with all that it is given.

    Args:
        reference: `module:function` of a function that makes it, or a name of those that come along.
        known: Those by name; what is called `model` asks a language model.
        purpose: What it is, as messages call it.
        where: The table of the recipe in which it stands.
        arguments: Keyword arguments for the function.
        model: `module:function` of a function that makes a text model, which it is given as `model`; "" for none.
        model_arguments: Keyword arguments for that one.
        cassette: Path of a file in which the model's answers are kept; None for none.

    Raises:
        ConfigError: if a function cannot be found, or something has no effect or is missing.
    """

    reference: str
    known: Mapping[str, Callable[..., Any]]
    purpose: str
    where: str
    arguments: dict[str, Any] = field(default_factory=dict)
    model: str = ""
    model_arguments: dict[str, Any] = field(default_factory=dict)
    cassette: str | None = None

    def __post_init__(self) -> None:
        if not self.model and (self.model_arguments or self.cassette or self.reference == "model"):
            raise ConfigError(
                f"{self.where} needs model, as module:function, for {self.purpose} 'model', model_arguments or cassette"
            )
        if self.reference not in self.known:
            named_function(self.reference, self.purpose)
        if self.model:
            named_function(self.model, f"the model of {self.purpose}")

    def made(self) -> Any:
        """The helper, with its model."""
        make = self.known.get(self.reference) or named_function(self.reference, self.purpose)
        if not self.model:
            return make(**self.arguments)
        model: TextModel = named_function(self.model, f"the model of {self.purpose}")(**self.model_arguments)
        if self.cassette is not None:
            model = Cassette(self.cassette, model)
        return make(model=model, **self.arguments)
