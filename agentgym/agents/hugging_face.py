"""Local Hugging Face chat models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentgym.agents.base import AgentFailure
from agentgym.agents.chat import ChatAgent
from agentgym.core import ConfigError, Message, Reply, require
from agentgym.core.grammar import shorten


class HuggingFaceModel:
    """A `TextModel` that generates with a model on this machine.

    Sampling is from the full distribution at the temperature, with a torch generator of its own made of the seed of
    each call, so equal calls give equal answers and nobody else's random numbers are touched.

    Args:
        model: A folder or a hub id with weights, tokenizer and chat template.
        temperature: 0 takes the likeliest token each time.
        device: Such as `cpu` or `cuda:1`; None takes CUDA if there is any.

    Raises:
        ConfigError: if there is no such model, its tokenizer has no chat template, or an argument is out of range.
        MissingExtra: if torch or transformers is not installed.
    """

    def __init__(self, model: str, *, temperature: float = 0.0, device: str | None = None):
        if temperature < 0:
            raise ConfigError(f"temperature must not be negative, got {temperature}")
        self._torch = require("torch", extra="train", purpose="the hf agent")
        transformers = require("transformers", extra="train", purpose="the hf agent")
        bars = transformers.utils.logging
        drawn = bars.is_progress_bar_enabled()
        bars.disable_progress_bar()  # libraries are silent
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(model)
            self._model = transformers.AutoModelForCausalLM.from_pretrained(model, dtype="auto")
        except (OSError, ValueError) as error:  # what transformers raises for anything missing or unreadable
            reason = shorten(" ".join(str(error).split()), 200)
            raise ConfigError(f"{model!r} is no model folder and cannot be had from the hub: {reason}") from None
        finally:
            if drawn:
                bars.enable_progress_bar()
        if not self._tokenizer.chat_template:
            raise ConfigError(f"the tokenizer of {model!r} has no chat template; use an instruction-tuned model")
        try:
            self._device = self._torch.device(device or ("cuda" if self._torch.cuda.is_available() else "cpu"))
            self._model.to(self._device).eval()
        except (RuntimeError, AssertionError) as error:
            raise ConfigError(f"the device {device!r} cannot be used: {shorten(str(error))}") from None
        self._temperature = temperature
        self._context = getattr(self._model.config, "max_position_embeddings", None)
        self._stops = self._stop_ids()

    def _stop_ids(self) -> frozenset[int]:
        """Tokens that end an answer, from the generation settings and the tokenizer."""
        named = self._model.generation_config.eos_token_id
        listed = named if isinstance(named, list) else [named]
        return frozenset(token for token in (*listed, self._tokenizer.eos_token_id) if token is not None)

    def complete(self, messages: Sequence[Message], *, seed: int = 0, max_tokens: int = 512) -> Reply:
        """Answer the conversation; the answer ends at an end token, `max_tokens` or the model's context.

        Raises:
            AgentFailure: if the conversation alone fills the context.
        """
        ids = self._encode(messages)
        prompt = ids.shape[1]
        room = max_tokens if self._context is None else min(max_tokens, self._context - prompt)
        if room < 1:
            size = f"the conversation has {prompt} tokens and the model reads {self._context}"
            raise AgentFailure(f"{size}; show fewer turns with window")
        written = self._generate(ids, room, seed)
        spoken = [token for token in written if token not in self._stops]
        return Reply(self._tokenizer.decode(spoken, skip_special_tokens=True), prompt, len(written))

    def _encode(self, messages: Sequence[Message]) -> Any:
        """Token ids of the conversation and the beginning of an answer, shape (1, prompt)."""
        from jinja2 import TemplateError

        chat = [dict(message) for message in messages]
        try:
            encoded = self._tokenizer.apply_chat_template(
                chat, add_generation_prompt=True, return_dict=True, return_tensors="pt"
            )
        except TemplateError as error:  # some templates refuse a system message
            raise ConfigError(f"the model's chat template refuses the conversation: {shorten(str(error))}") from None
        return encoded["input_ids"].to(self._device)

    def _generate(self, ids: Any, room: int, seed: int) -> list[int]:
        """Up to `room` token ids after the prompt `ids` of shape (1, prompt)."""
        torch = self._torch
        generator = torch.Generator(self._device).manual_seed(seed)
        written: list[int] = []
        past = None
        with torch.inference_mode():
            while len(written) < room and not (written and written[-1] in self._stops):
                out = self._model(input_ids=ids, past_key_values=past, use_cache=True)
                past, logits = out.past_key_values, out.logits[:, -1].float()
                if self._temperature == 0:
                    ids = logits.argmax(-1, keepdim=True)
                else:
                    chances = torch.softmax(logits / self._temperature, -1)
                    ids = torch.multinomial(chances, 1, generator=generator)
                written.append(int(ids))
        return written


def hugging_face_agent(
    *,
    model: str,
    temperature: float = 0.0,
    max_tokens: int = 512,
    window: int | None = None,
    device: str | None = None,
) -> ChatAgent:
    """The agent `hf`; see `HuggingFaceModel` and `ChatAgent` for the options."""
    return ChatAgent(
        "hf", HuggingFaceModel(model, temperature=temperature, device=device), window=window, max_tokens=max_tokens
    )
