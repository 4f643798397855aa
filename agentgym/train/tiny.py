"""A language model small enough to learn on two CPU cores: tokenizer from transcripts, decoder from a config."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from agentgym.core import ConfigError
from agentgym.rollout import Episode

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM

PAD, END, SEES, SAYS = "<pad>", "<end>", "<sees>", "<says>"
THETA = 100.0  # base of the rotary positions: conversations here are short, and small models count better this way
SPREAD = 0.06  # of the initial weights: larger than for wide models, so that learning starts at once
TEMPLATE = (
    "{% for message in messages %}"
    "{% if message['role'] == 'assistant' %}"
    "<says>{% generation %}{{ message['content'] }}<end>{% endgeneration %}"
    "{% else %}<sees>{{ message['content'] }}{% endif %}"
    "{% endfor %}"
    "{% if add_generation_prompt %}<says>{% endif %}"
)


@dataclass(frozen=True)
class TinyConfig:
    """Shape of a tiny decoder.

    Attributes:
        layers: Transformer blocks.
        width: Hidden size, a multiple of `heads`.
        heads: Attention heads.
        context: Most tokens of a conversation.
        vocabulary: Most tokens of the tokenizer; at least 260 (256 bytes and 4 marks).
    """

    layers: int = 2
    width: int = 128
    heads: int = 4
    context: int = 512
    vocabulary: int = 1024

    def __post_init__(self) -> None:
        for name in ("layers", "width", "heads", "context"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, got {getattr(self, name)}")
        if self.width % self.heads or (self.width // self.heads) % 2:
            raise ConfigError(f"width {self.width} must be an even multiple of heads {self.heads}")
        if self.vocabulary < 260:
            raise ConfigError(f"vocabulary must be at least 260 (256 bytes and 4 marks), got {self.vocabulary}")


def transcript_text(episodes: Iterable[Episode]) -> Iterable[str]:
    """Every observation and action of the episodes, as the tokenizer will meet them."""
    for episode in episodes:
        for turn in episode.turns:
            yield turn.observation
            yield turn.action
        yield episode.final


def train_tokenizer(texts: Iterable[str], vocabulary: int) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer with a chat template.

    Every text can be written, for all 256 bytes are tokens. Merges may span words but not lines (as in SuperBPE, Liu et
    al. 2025, arXiv:2503.13423), so a sentence that comes up all the time, or a row of a map, becomes one token: a third
    of the tokens, and far fewer things for a small model to count.

    Args:
        texts: What to learn merges from; equal texts in equal order give an equal tokenizer.
        vocabulary: Most tokens; fewer if the texts hold fewer merges.
    """
    tokenizer = Tokenizer(models.BPE())
    lines = pre_tokenizers.Split("\n", "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [lines, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[PAD, END, SEES, SAYS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        eos_token=END,
        additional_special_tokens=[SEES, SAYS],
        clean_up_tokenization_spaces=False,
    )
    fast.chat_template = TEMPLATE
    return fast


def build_decoder(config: TinyConfig, tokenizer: Any, seed: int) -> LlamaForCausalLM:
    """A Llama decoder with random weights drawn from `seed`; the global generator of torch is left as it was.

    Args:
        config: Its shape.
        tokenizer: Whose vocabulary it speaks.
        seed: Of the initial weights: given to torch as it is, for published figures began with these weights.
    """
    from transformers import LlamaConfig, LlamaForCausalLM  # takes long, and only what builds a model needs it

    shape = LlamaConfig(  # type: ignore[call-arg] # transformers reads the attention's name as a keyword of its own
        vocab_size=len(tokenizer),
        hidden_size=config.width,
        intermediate_size=3 * config.width,
        num_hidden_layers=config.layers,
        num_attention_heads=config.heads,
        num_key_value_heads=config.heads,
        max_position_embeddings=config.context,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
        initializer_range=SPREAD,
        rope_parameters={"rope_type": "default", "rope_theta": THETA},
        attn_implementation="sdpa",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LlamaForCausalLM(shape).eval()
