"""GRPO (Shao et al. 2024, arXiv:2402.03300) on one environment in one file: to read, to copy and to change.

An episode's advantage is its return standardized within its group: episodes of one task, sampled anew. A test holds the
file to the recipe `grpo` update by update; recipes add a key-value cache, micro-batches, filters and checkpoints.
Axes: B episodes, T tokens of the longest (zeros stand before shorter ones), V tokens of the vocabulary.
    agentgym train clone                                                 # a model to begin with: it clones an expert
    python -m agentgym.baselines.grpo_minimal runs/train/clone-0/cloned  # its success rate on FrozenLake goes up
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from agentgym.agents.chat_format import ChatFormat
from agentgym.core.rng import stream


@dataclass(frozen=True)
class Config:
    """The environment and every hyperparameter."""

    env_id: str = "AgentGym/FrozenLake-v0"
    env_kwargs: dict[str, Any] = field(default_factory=lambda: {"size": 4, "slippery": False, "frozen": 0.8})
    seed: int = 0
    updates: int = 60
    groups: int = 32  # tasks of an update
    group_size: int = 4  # episodes of a task
    steps: int = 2  # gradient steps of an update, each on its own share of the groups
    max_new_tokens: int = 3  # of an answer
    learning_rate: float = 1e-3  # falls to 0 linearly
    clip: float = 0.2


@dataclass
class _Episode:
    env: Any
    rng: np.random.Generator
    tokens: list[int] = field(default_factory=list)  # what was read and said; the other lists have an entry for each
    mask: list[int] = field(default_factory=list)  # 1 on tokens that the policy sampled
    logprobs: list[float] = field(default_factory=list)  # when it sampled them; 0 on tokens that it was given
    total_return: float = 0.0
    done: bool = False

    def add(self, tokens: list[int], logprobs: list[float] | None = None) -> None:
        self.tokens += tokens
        self.mask += [int(logprobs is not None)] * len(tokens)
        self.logprobs += logprobs or [0.0] * len(tokens)


def _pad(rows: list[Any], like: Any) -> torch.Tensor:
    """Rows as one tensor (B, T) where the model `like` is, with zeros before the short ones."""
    return torch.tensor([[0] * (max(map(len, rows)) - len(row)) + [*row] for row in rows], device=like.device)


def _predict(model: Any, episodes: list[_Episode], keep: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Token ids (B, T), and log-probabilities (B, T, V) of what follows each, or the last `keep`."""
    ids_BT = _pad([each.tokens for each in episodes], model)
    attention_BT = _pad([[1] * len(each.tokens) for each in episodes], model)
    positions_BT = (attention_BT.cumsum(1) - 1).clamp(min=0)
    out = model(input_ids=ids_BT, attention_mask=attention_BT, position_ids=positions_BT, logits_to_keep=keep)
    return ids_BT, torch.log_softmax(out.logits.float(), -1)


@torch.no_grad()
def _rollout(model: Any, chat: ChatFormat, envs: list[Any], update: int, config: Config) -> list[_Episode]:
    """Play one episode in each environment, all turn by turn; those of a group begin equal and sample differently."""
    size = envs[0].unwrapped.tasks("train").size or 2**31
    tasks = stream("train.tasks", config.seed, update, 0).integers(size, size=config.groups)
    seeds = stream("train.world", config.seed, update, 0).integers(2**31, size=config.groups)
    episodes = []
    for number, env in enumerate(envs):
        group, member = divmod(number, config.group_size)
        episodes.append(_Episode(env, stream("rollout.policy", (config.seed, update, 0, group, member), "player_0", 0)))
        observation, _ = env.reset(seed=int(seeds[group]), options={"task": int(tasks[group])})
        episodes[-1].add(chat.encode_first(observation))
    while playing := [each for each in episodes if not each.done]:
        starts, speaking = [len(each.tokens) for each in playing], playing
        for _ in range(config.max_new_tokens):
            logprobs_BV = _predict(model, speaking, keep=1)[1][:, -1]
            mass_BV = logprobs_BV.double().exp().cumsum(-1)  # inverted at a number that each episode draws for itself
            drawn_B1 = torch.tensor([[each.rng.random()] for each in speaking], dtype=torch.double).to(mass_BV)
            tokens_B1 = torch.searchsorted(mass_BV, mass_BV[:, -1:] * drawn_B1, right=True)
            for each, token, row_V in zip(speaking, tokens_B1[:, 0].tolist(), logprobs_BV, strict=True):
                each.add([token], [row_V[token].item()])
            if not (speaking := [each for each in speaking if each.tokens[-1] != chat.end]):
                break
        for each, start in zip(playing, starts, strict=True):
            observation, reward, terminated, truncated, _ = each.env.step(chat.text(each.tokens[start:]))
            each.total_return += float(reward)
            prompt = chat.encode_next(observation, closed=each.tokens[-1] == chat.end)
            room = model.config.max_position_embeddings - len(each.tokens) - len(prompt)
            each.done = terminated or truncated or room < config.max_new_tokens
            if not each.done:
                each.add(prompt)
    return episodes


def _loss(model: Any, episodes: list[_Episode], advantages: list[float], config: Config) -> torch.Tensor:
    """The clipped loss, a scalar: the mean over an episode's sampled tokens, then over episodes."""
    ids_BT, logprobs_BTV = _predict(model, episodes)
    logprobs_BT = logprobs_BTV[:, :-1].gather(2, ids_BT[:, 1:, None])[:, :, 0]
    old_logprobs_BT = _pad([each.logprobs for each in episodes], model)[:, 1:]
    mask_BT = _pad([each.mask for each in episodes], model)[:, 1:]
    advantages_B1 = torch.tensor(advantages, device=model.device)[:, None]
    ratio_BT = torch.exp(logprobs_BT - old_logprobs_BT)
    loss_BT = -torch.minimum(ratio_BT * advantages_B1, ratio_BT.clamp(1 - config.clip, 1 + config.clip) * advantages_B1)
    return ((loss_BT * mask_BT).sum(1) / mask_BT.sum(1)).mean()


def train(model: Any, tokenizer: Any, config: Config) -> Iterator[tuple[list[_Episode], list[tuple[float, float]]]]:
    """GRPO from the model as it is; yields each update's episodes, and the loss and gradient norm of its steps.

    Args:
        model: A causal language model of `transformers`; it is changed in place.
        tokenizer: Its tokenizer, with a chat template.
        config: The environment and every hyperparameter.
    """
    chat, places = ChatFormat(tokenizer), np.arange(config.groups * config.group_size).reshape(config.groups, -1)
    envs = [gym.make(config.env_id, **config.env_kwargs) for _ in range(places.size)]
    optimizer = torch.optim.AdamW(model.parameters(), config.learning_rate, (0.9, 0.95), weight_decay=0.0)
    for update in range(config.updates):
        optimizer.param_groups[0]["lr"] = config.learning_rate * (1 - update / config.updates)
        episodes = _rollout(model, chat, envs, update, config)
        returns = np.array([each.total_return for each in episodes])[places]
        spread = returns.std(1, keepdims=True)
        advantages = (returns - returns.mean(1, keepdims=True)) * (spread > 1e-6) / np.maximum(spread, 1e-6)
        order, steps = stream("train.shuffle", config.seed, update).permutation(config.groups), []
        for step in range(config.steps):
            groups = sorted(order[step :: config.steps])
            if advantages[groups].any():  # otherwise the episodes of every group earned the same
                chosen = [episodes[place] for place in places[groups].flatten()]
                (loss := _loss(model, chosen, advantages[groups].flatten().tolist(), config)).backward()
                norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
                steps.append((loss.item(), norm.item()))
        yield episodes, steps


if __name__ == "__main__":
    policy = AutoModelForCausalLM.from_pretrained(sys.argv[1]).eval()
    for number, (played, _) in enumerate(train(policy, AutoTokenizer.from_pretrained(sys.argv[1]), Config())):
        sys.stdout.write(f"update {number}: return {np.mean([each.total_return for each in played]):.3f}\n")
    policy.save_pretrained("grpo_minimal")
