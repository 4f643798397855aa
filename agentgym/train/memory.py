"""How much memory a pretrained model will take, computed from its config before any weight is read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM

from agentgym.agents.pretrained import had
from agentgym.agents.weights import find_weights
from agentgym.train.token_logprobs import PIECE, decoder_blocks

GB = 1e9
FLOAT32 = 4
MOMENTS = 2  # numbers that AdamW keeps for each weight
LOGIT_COPIES = 5  # of the logits that are worked on at once: themselves, in float32 after temperature, their
# log-softmax, and two gradients


@dataclass(frozen=True)
class Memory:
    """Bytes that a training run takes at most.

    Attributes:
        weights: The model, and copies where the recipe needs them: as a reference, and of what is trained for episodes
            that go on meanwhile.
        gradients: Of what is trained.
        step: The same when a step is taken, in float32.
        optimizer: Its moments, and float32 copies of weights that are kept in fewer bits.
        activations: What the backward pass of `update.micro_tokens` tokens needs, logits included.
        cache: Keys and values of all conversations under way, at full length.
        conversations, context: How many these are, and of how many tokens.
        tokens: Of a backward pass.
        at_once: Whether the policy plays while it learns (`rollout.max_staleness`), and not in turn.
        passing: Of a model that processes divide, what each has put together while it learns: two blocks, and what is
            in no block.
        together: Likewise while it plays: all of it.
    """

    weights: float
    gradients: float
    step: float
    optimizer: float
    activations: float
    cache: float
    conversations: int
    context: int
    tokens: int
    at_once: bool = False
    passing: float = 0.0
    together: float = 0.0

    @property
    def peak(self) -> float:
        """The most at one time."""
        learns = max(self.gradients + self.activations + self.passing, self.step)
        plays = self.cache + self.together
        return self.weights + self.optimizer + (learns + plays if self.at_once else max(learns, plays))

    def line(self) -> str:
        """All of it in one line, beside what there is."""
        available, where = _available()
        warning = (
            "; lower update.micro_tokens or rollout.max_concurrent, set model.gradient_checkpointing, or train "
            "adapters (model.lora)"
        )
        weights = _gb(self.weights) + (f" and {_gb(self.together)} put together to play" if self.together else "")
        return (
            f"memory: weights {weights}, gradients {_gb(self.gradients)}, optimizer {_gb(self.optimizer)}, "
            f"activations {_gb(self.activations)} for {self.tokens:,} tokens, cache {_gb(self.cache)} for "
            f"{self.conversations} conversations of {self.context:,}: at most {_gb(self.peak)} of the {where}'s "
            f"{_gb(available)}{warning if self.peak > available else ''}"
        )


def estimate(recipe: Any) -> Memory:
    """What a recipe with pretrained weights takes in one process.

    Args:
        recipe: An `agentgym.train.Recipe` whose `model.name` is set.

    Raises:
        DataError: if there is no such model.
    """
    name, rollout = recipe.model.name, recipe.rollout
    stale, served = rollout.max_staleness or 0, rollout.engine is not None
    config = had(name, lambda: AutoConfig.from_pretrained(find_weights(name)))
    return estimate_shape(
        config,
        lora=recipe.model.lora,
        bf16=recipe.model.bf16,
        gradient_checkpointing=recipe.model.gradient_checkpointing,
        reference=recipe.needs_reference,
        tokens=recipe.update.micro_tokens,
        conversations=0 if served else min(rollout.max_concurrent, (1 + stale) * rollout.groups * rollout.group_size),
        context=config.get_text_config().max_position_embeddings,
        at_once=rollout.max_staleness is not None and not served,
        ranks=int(os.environ.get("WORLD_SIZE", "1")) if recipe.model.shard else 1,
    )


def estimate_shape(
    config: Any,
    *,
    lora: int,
    bf16: bool,
    gradient_checkpointing: bool,
    reference: bool,
    tokens: int,
    conversations: int,
    context: int,
    at_once: bool = False,
    ranks: int = 1,
) -> Memory:
    """What a model of a shape takes, whether there are weights of it or not.

    Args:
        config: Of `transformers`.
        lora, bf16, gradient_checkpointing: As in `[model]`.
        reference: Whether a part reads log-probabilities of a reference model.
        tokens: Of a backward pass, all of them sampled.
        conversations, context: How many are under way at once, and their length in tokens.
        at_once: Whether the policy plays while it learns, from a copy of what is trained.
        ranks: Processes that divide the model; each plays with all of it.
    """
    with torch.device("meta"):
        model: Any = AutoModelForCausalLM.from_config(config)
    every = sum(weight.numel() for weight in model.parameters())
    trained = _adapters(model, lora) if lora else every
    width = 2 if bf16 else FLOAT32
    text = config.get_text_config()
    masters = 0 if width == FLOAT32 or lora else FLOAT32
    adapters = trained * FLOAT32 if lora else 0
    blocks = decoder_blocks(model, "divided")
    others = sum(weight.numel() for block in blocks[2:] for weight in block.parameters())
    copied = trained * (FLOAT32 if lora else width) if at_once else 0  # what plays while the other learns
    return Memory(
        weights=(every * width * (2 if reference and not lora else 1) + adapters + copied) / ranks,
        gradients=trained * (FLOAT32 if lora else width) / ranks,
        step=trained * FLOAT32 / ranks,
        optimizer=trained * (MOMENTS * FLOAT32 + masters) / ranks,
        activations=_activations(text, width, lora > 0, tokens, recomputed=gradient_checkpointing),
        cache=conversations * context * _cache(text) * width,
        conversations=conversations,
        context=context,
        tokens=tokens,
        at_once=at_once,
        passing=(every - others) * width + adapters * len(blocks[:2]) / len(blocks) if ranks > 1 else 0,
        together=every * width + adapters if ranks > 1 else 0,
    )


def _adapters(model: Any, rank: int) -> int:
    """Weights of low-rank adapters on all linear layers but the last."""
    out = model.get_output_embeddings()
    layers = [each for each in model.modules() if isinstance(each, torch.nn.Linear) and each is not out]
    return sum(rank * (each.in_features + each.out_features) for each in layers)


def _heads(text: Any) -> tuple[int, int]:
    """Widths of all queries and of all keys of a layer."""
    heads = text.num_attention_heads
    head = getattr(text, "head_dim", None) or text.hidden_size // heads
    return heads * head, (getattr(text, "num_key_value_heads", None) or heads) * head


def _cache(text: Any) -> int:
    """Numbers that the cache holds of a token."""
    return int(2 * text.num_hidden_layers * _heads(text)[1])


def _activations(text: Any, width: int, lora: bool, tokens: int, *, recomputed: bool) -> float:
    """Bytes that the backward pass needs of tokens: what a gated block with fused attention keeps, and logits.

    Of each block, or of one at a time and the residual stream before each of the others: twice the residual stream and
    its normalized forms (in float32), the inputs of all linear layers, rotated queries and keys, values, the
    attention's result, and what the gate multiplies. Adapters keep the inputs of their layers once more, after dropout,
    and need no inputs of frozen ones.
    """
    queries, keys = _heads(text)
    hidden, inner = text.hidden_size, text.intermediate_size
    block = 2 * 2 * hidden * FLOAT32 + (2 * hidden + 4 * queries + 2 * keys + 4 * inner) * width
    if lora:
        block += (2 * hidden + queries + inner) * (FLOAT32 - width)
    blocks = block + text.num_hidden_layers * hidden * width if recomputed else text.num_hidden_layers * block
    logits = min(tokens * text.vocab_size, PIECE)
    return float(tokens * blocks + LOGIT_COPIES * logits * FLOAT32)


def _available() -> tuple[float, str]:
    if torch.cuda.is_available():
        return float(torch.cuda.mem_get_info()[1]), "device"
    return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")), "machine"


def _gb(size: float) -> str:
    return f"{size / GB:.1f} GB" if size >= 0.05 * GB else f"{size / 1e6:.1f} MB"
